/* Stepping over values and keys, checking their grammar. Part of decode_hot.h's code, compiled per instruction set. */
#ifndef SF_JSON_DECODE_SKIP_H
#define SF_JSON_DECODE_SKIP_H

#include "decode_text.h"

#define SFI_TEXT4(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define SFI_NULL_TEXT SFI_TEXT4('n', 'u', 'l', 'l')
#define SFI_TRUE_TEXT SFI_TEXT4('t', 'r', 'u', 'e')
#define SFI_ALSE_TEXT SFI_TEXT4('a', 'l', 's', 'e')

/* Behind true or false at p, NULL when it is neither. */
static inline const uint8_t *parse_bool(const uint8_t *p, bool *out) {
  *out = sfi_load32(p) == SFI_TRUE_TEXT;
  if (*out) return p + 4;
  return *p == 'f' && sfi_load32(p + 1) == SFI_ALSE_TEXT ? p + 5 : NULL;
}

#define SFI_MAX_DEPTH 64

/* Steps over any value, checking its grammar. */
static __attribute__((noinline)) const uint8_t *skip_container(const uint8_t *p, const uint8_t *end);

static inline const uint8_t *skip_scalar(const uint8_t *p, const uint8_t *end) {
  bool escaped, truth;
  number n;
  if (*p == '"') {
    p = string_end(p + 1, end, &escaped);
    return p == NULL ? NULL : p + 1;
  }
  if (sfi_load32(p) == SFI_NULL_TEXT) return p + 4;
  const uint8_t *behind = parse_bool(p, &truth);
  return behind != NULL ? behind : parse_number(p, end, &n);
}

static inline const uint8_t *skip_value(const uint8_t *p, const uint8_t *end) {
  return *p == '{' || *p == '[' ? skip_container(p, end) : skip_scalar(p, end);
}

/* At the first byte of a key: behind its colon and the space around. */
static inline const uint8_t *skip_key(const uint8_t *p, const uint8_t *end) {
  bool escaped;
  if (*p != '"') return NULL;
  const uint8_t *close = string_end(p + 1, end, &escaped);
  if (close == NULL || close - p > 10000) return NULL;
  p = skip_space(close + 1, end);
  return *p == ':' ? skip_space(p + 1, end) : NULL;
}

static const uint8_t *skip_container(const uint8_t *p, const uint8_t *end) {
  uint64_t objects = 0; /* a bit per open container, innermost lowest: 1 for an object */
  int depth = 0;
  for (;;) {
    /* At a value. */
    if (p >= end) return NULL;
    if (*p == '{' || *p == '[') {
      if (++depth > SFI_MAX_DEPTH) return NULL;
      bool object = *p == '{';
      objects = objects << 1 | object;
      p = skip_space(p + 1, end);
      if (p >= end) return NULL;
      if (*p != (object ? '}' : ']')) {
        if (object) p = skip_key(p, end);
        if (p == NULL) return NULL;
        continue;
      }
    } else {
      p = skip_scalar(p, end);
      if (p == NULL) return NULL;
      p = skip_space(p, end);
    }
    /* Behind a value, or at the closing bracket of an empty container. */
    for (;;) {
      if (p >= end) return NULL;
      if (*p == ',') break;
      if (*p != ((objects & 1) != 0 ? '}' : ']')) return NULL;
      p++;
      objects >>= 1;
      if (--depth == 0) return p;
      p = skip_space(p, end);
    }
    p = skip_space(p + 1, end);
    if ((objects & 1) != 0) p = skip_key(p, end);
    if (p == NULL) return NULL;
  }
}

#endif
