/* REGEXP_EXTRACT and REGEXP with a literal pattern: SqlFunctionUtils.regexpExtract and regExp, which use java.util.regex.
 *
 * PCRE2 matches the same way where regex_syntax.c says so; other patterns stay with the host. */
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "expr/regex_syntax.h"
#include "expr/text.h"

typedef struct regex {
  pcre2_code *code;
  pcre2_match_data *match;
  pcre2_match_context *context;
  int32_t groups;
} regex;

static void free_regex(regex *r) {
  pcre2_match_context_free(r->context);
  pcre2_match_data_free(r->match);
  pcre2_code_free(r->code);
  free(r);
}

/* Capturing groups of a pattern that PCRE2 was given as it is. */
static int32_t capture_count(const pcre2_code *code) {
  uint32_t count = 0;
  return pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &count) == 0 ? (int32_t)count : 0;
}

/* SF_UNSUPPORTED for a pattern that has to stay with the host. allow_incompatible: a pattern of which it is not known that both
 * match alike goes to PCRE2 as it is. */
static sf_status compile_regex(const sf_view *pattern, bool allow_incompatible, regex **out, sf_error *err) {
  int code;
  PCRE2_SIZE offset;
  regex *r = calloc(1, sizeof *r);
  uint8_t *translated = malloc(sfi_regex_room(pattern->size));
  if (r == NULL || translated == NULL) {
    free(r);
    free(translated);
    return sf_fail(err, SF_NOMEM, "regular expression");
  }
  const int64_t size = sfi_regex_translate(pattern->data, pattern->size, translated, &r->groups);
  if (size >= 0) r->code = pcre2_compile(translated, (PCRE2_SIZE)size, PCRE2_UTF, &code, &offset, NULL);
  free(translated);
  if (size < 0 && allow_incompatible && pattern->size > 0) {
    r->code = pcre2_compile(pattern->data, pattern->size, PCRE2_UTF, &code, &offset, NULL);
    if (r->code != NULL) r->groups = capture_count(r->code);
  }
  if (r->code == NULL) {
    free_regex(r);
    return sf_fail(err, SF_UNSUPPORTED, "regular expression '%.*s'", (int)pattern->size, (const char *)pattern->data);
  }
  r->match = pcre2_match_data_create_from_pattern(r->code, NULL);
  r->context = pcre2_match_context_create(NULL);
  if (r->match == NULL || r->context == NULL) {
    free_regex(r);
    return sf_fail(err, SF_NOMEM, "regular expression");
  }
  /* Java knows no such limits. */
  pcre2_set_match_limit(r->context, UINT32_MAX);
  pcre2_set_depth_limit(r->context, UINT32_MAX);
  pcre2_set_heap_limit(r->context, UINT32_MAX);
  /* Without memory that may be executed the code is interpreted. */
  pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE);
  *out = r;
  return SF_OK;
}

/* Bytes of the character at p, or of what the decoder of java.lang.String replaces by one U+FFFD. */
static uint32_t decode_one(const uint8_t *p, uint32_t left, bool *valid) {
  const uint8_t c = p[0];
  const uint32_t width = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
  *valid = width == 1;
  if (width < 2) return 1;
  uint8_t low = 0x80, high = 0xbf;
  if (c == 0xe0) low = 0xa0;
  if (c == 0xf0) low = 0x90;
  if (c == 0xf4) high = 0x8f;
  for (uint32_t i = 1; i < width; i++, low = 0x80, high = 0xbf) {
    if (i >= left || p[i] < low || p[i] > high) return i;
  }
  *valid = c != 0xed || p[1] < 0xa0; /* half of a surrogate pair goes as a whole */
  return width;
}

/* A copy with U+FFFD for what is no UTF-8, as Java's String has it. */
static sf_status repaired(sfi_arena *arena, const sf_view *from, sf_view *to, sf_error *err) {
  uint8_t *bytes;
  const size_t room = (size_t)from->size * 3;
  SF_TRY(sfi_arena_room(arena, room, &bytes, err));
  uint32_t used = 0;
  for (uint32_t i = 0; i < from->size;) {
    bool valid;
    const uint32_t width = decode_one(from->data + i, from->size - i, &valid);
    memcpy(bytes + used, valid ? from->data + i : (const uint8_t *)"\xef\xbf\xbd", valid ? width : 3);
    used += valid ? width : 3;
    i += width;
  }
  sfi_arena_trim(arena, room, used);
  *to = (sf_view){bytes, used, 0};
  return SF_OK;
}

/* *found: whether it matches, r->match then knows where. *s is replaced by the text that was searched. */
static sf_status search(const regex *r, sfi_arena *arena, sf_view *s, bool *found, sf_error *err) {
  if (s->size == 0) s->data = (const uint8_t *)"";
  uint32_t options = sfi_is_ascii(s->data, s->size) ? PCRE2_NO_UTF_CHECK : 0;
  int rc = pcre2_match(r->code, s->data, s->size, 0, options, r->match, r->context);
  if (rc <= PCRE2_ERROR_UTF8_ERR1 && rc >= PCRE2_ERROR_UTF8_ERR21) {
    sf_view copy;
    SF_TRY(repaired(arena, s, &copy, err));
    *s = copy;
    rc = pcre2_match(r->code, s->data, s->size, 0, 0, r->match, r->context);
  }
  if (rc == PCRE2_ERROR_JIT_STACKLIMIT) {
    rc = pcre2_match(r->code, s->data, s->size, 0, PCRE2_NO_JIT, r->match, r->context);
  }
  *found = rc >= 0;
  if (rc >= 0 || rc == PCRE2_ERROR_NOMATCH) return SF_OK;
  return sf_fail(err, rc == PCRE2_ERROR_NOMEMORY ? SF_NOMEM : SF_INTERNAL, "regular expression: PCRE2 error %d", rc);
}

static bool is_native(const sfi_call *call, int32_t *groups) {
  regex *r;
  if (compile_regex(sfi_const_arg(call, 1)->values, call->allow_incompatible, &r, NULL) != SF_OK) return false;
  *groups = r->groups;
  free_regex(r);
  return true;
}

static void destroy_regex(sfi_call *call) {
  if (call->state != NULL) free_regex(call->state);
  call->state = NULL;
}

static sf_status prepare_regex(sfi_call *call, sfi_eval *ev, sf_error *err) {
  (void)ev;
  regex *r = NULL;
  SF_TRY(compile_regex(sfi_const_arg(call, 1)->values, call->allow_incompatible, &r, err));
  call->state = r;
  return SF_OK;
}

static bool has_pattern(const sfi_call *call) {
  return call->n_args >= 2 && sfi_is_text(call->arg_types[0]) && sfi_is_text(call->arg_types[1]) && sfi_is_literal(call, 1);
}

/* --- REGEXP_EXTRACT */

static int64_t group_of(const sfi_call *call) {
  return call->n_args == 3 ? sfi_int_at(sfi_ints_of(sfi_const_arg(call, 2)), 0) : 0;
}

/* A group that the pattern does not have is an error that Flink logs for each row. */
static bool accepts_extract(const sfi_call *call) {
  if (!has_pattern(call) || call->n_args > 3 || !sfi_is_text(call->type)) return false;
  if (call->n_args == 3 && (!sfi_is_int(call->arg_types[2]) || !sfi_is_literal(call, 2))) return false;
  int32_t groups = 0;
  return is_native(call, &groups) && group_of(call) >= 0 && group_of(call) <= groups;
}

static sf_status extract_rows(const sfi_call *call, sfi_eval *ev, const sf_column *text, sfi_text *out, sf_error *err) {
  const regex *r = call->state;
  const int64_t group = group_of(call);
  const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(r->match);
  const sfi_views views = sfi_views_of(text);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    sf_view s = *sfi_view_at(views, i);
    bool found;
    SF_TRY(search(r, &out->arena, &s, &found, err));
    if (!found || ends[2 * group] == PCRE2_UNSET) {
      SF_TRY(sfi_text_null(ev, out, i, err));
    } else {
      out->views[i] = (sf_view){s.data + ends[2 * group], (uint32_t)(ends[2 * group + 1] - ends[2 * group]), 0};
    }
  }
  return SF_OK;
}

static sf_status run_extract(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                             sf_error *err) {
  sfi_text text;
  SF_TRY(sfi_text_begin(ev, &text, err));
  sf_status st = extract_rows(call, ev, args[0], &text, err);
  return sfi_text_finish(call, ev, &text, args[0], st, out, err);
}

/* --- REGEXP */

static bool accepts_regexp(const sfi_call *call) {
  int32_t groups;
  return has_pattern(call) && call->n_args == 2 && call->type->kind == SF_TYPE_BOOLEAN &&
         is_native(call, &groups);
}

static sf_status regexp_rows(const sfi_call *call, sfi_eval *ev, const sf_column *text, uint8_t *to, sf_error *err) {
  sfi_arena arena = {.pool = ev->pool};
  const sfi_views views = sfi_views_of(text);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    sf_view s = *sfi_view_at(views, i);
    bool found = false;
    if (sfi_strict_valid(ev, i)) st = search(call->state, &arena, &s, &found, err);
    to[i] = found;
  }
  sfi_arena_free(&arena);
  return st;
}

static sf_status run_regexp(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                            sf_error *err) {
  sf_buffer *values;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_BOOL, &values, err));
  return sfi_done(call, ev, values, regexp_rows(call, ev, args[0], sf_buffer_data(values), err), out, err);
}

const sfi_function sfi_regex_functions[] = {
    {.name = "REGEXP_EXTRACT", .signature = "(VARCHAR, literal VARCHAR[, literal INTEGER]) -> VARCHAR",
     .flags = SFI_STRICT, .accepts = accepts_extract, .kernel = run_extract, .prepare = prepare_regex,
     .destroy = destroy_regex},
    {.name = "REGEXP", .signature = "(VARCHAR, literal VARCHAR) -> BOOLEAN", .flags = SFI_STRICT,
     .accepts = accepts_regexp, .kernel = run_regexp, .prepare = prepare_regex, .destroy = destroy_regex},
    {.name = NULL},
};
