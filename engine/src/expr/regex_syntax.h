/* Java's regular expressions, as far as PCRE2 matches them in exactly the same way. */
#ifndef SFI_EXPR_REGEX_SYNTAX_H
#define SFI_EXPR_REGEX_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

/* Writes the pattern of java.util.regex.Pattern (without flags) in PCRE2's syntax (with PCRE2_UTF): returns its size and the number
 * of capturing groups, or -1 where the pattern uses anything beyond literals, ".", "^", classes without nesting, \d \w \s and their
 * negations, alternatives, groups that are not repeated, and single characters or classes that are (greedy, reluctant,
 * possessive): there the two may differ. `to` has room for sfi_regex_room(size) bytes. */
int64_t sfi_regex_translate(const uint8_t *pattern, uint32_t size, uint8_t *to, int32_t *groups);

static inline uint64_t sfi_regex_room(uint32_t size) { return (uint64_t)size * 32 + 16; }

#endif
