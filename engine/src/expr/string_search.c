/* Questions about strings: CHAR_LENGTH, POSITION, LOCATE, INSTR, STARTS_WITH, ENDS_WITH, ASCII, IS_ASCII.
 *
 * Positions count characters from 1, 0 is "not found": BinaryStringData.indexOf and SqlFunctionUtils.instr. */
#include "expr/text.h"

typedef int32_t (*text_to_int)(const sf_view *s);

static int32_t char_length(const sf_view *s) { return (int32_t)sfi_utf8_length(s->data, s->size); }
static int32_t ascii(const sf_view *s) { return s->size == 0 ? 0 : (int8_t)s->data[0]; }

static sf_status run_text_to_int(const sfi_call *call, sfi_eval *ev, const sf_column *text, text_to_int function,
                                 sf_column **out, sf_error *err) {
  sf_buffer *values;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_INT32, &values, err));
  int32_t *to = (int32_t *)(void *)sf_buffer_data(values);
  const sfi_views s = sfi_views_of(text);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) to[i] = function(sfi_view_at(s, i));
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

static bool accepts_text_to_int(const sfi_call *call) {
  return call->n_args == 1 && call->type->kind == SF_TYPE_INTEGER && sfi_is_text(call->arg_types[0]);
}

static sf_status run_char_length(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                 sf_error *err) {
  return run_text_to_int(call, ev, args[0], char_length, out, err);
}

static sf_status run_ascii(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                           sf_error *err) {
  return run_text_to_int(call, ev, args[0], ascii, out, err);
}

/* --- POSITION, LOCATE */

/* Character index of needle in s, looking from character `from` on, or -1. */
static int64_t index_of(const sf_view *s, const sf_view *needle, int64_t from) {
  if (needle->size == 0) return 0;
  if (sfi_is_ascii(s->data, s->size)) {
    if (from < 0) from = 0;
    return from > s->size ? -1 : sfi_find(s->data, s->size, (uint32_t)from, needle->data, needle->size);
  }
  uint32_t at = 0;
  int64_t index = 0;
  for (; at < s->size && index < from; index++) at += sfi_utf8_width(s->data[at]);
  for (; at < s->size && needle->size <= s->size - at; index++) {
    if (memcmp(s->data + at, needle->data, needle->size) == 0) return index;
    at += sfi_utf8_width(s->data[at]);
  }
  return -1;
}

/* (needle, s[, from]), in Flink as in standard SQL. */
static bool accepts_position(const sfi_call *call) {
  return (call->n_args == 2 || (call->n_args == 3 && sfi_is_int(call->arg_types[2]))) &&
         call->type->kind == SF_TYPE_INTEGER && sfi_is_text(call->arg_types[0]) && sfi_is_text(call->arg_types[1]);
}

static sf_status run_position(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                              sf_error *err) {
  sf_buffer *values;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_INT32, &values, err));
  int32_t *to = (int32_t *)(void *)sf_buffer_data(values);
  const sfi_views needles = sfi_views_of(args[0]), s = sfi_views_of(args[1]);
  const sfi_ints from = sfi_ints_of(args[call->n_args - 1]);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    const int64_t first = call->n_args == 3 ? sfi_int_at(from, i) - 1 : 0;
    to[i] = (int32_t)index_of(sfi_view_at(s, i), sfi_view_at(needles, i), first) + 1;
  }
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

/* --- INSTR */

static int32_t nth_from_left(const sf_view *s, const sf_view *needle, int64_t start, int64_t nth) {
  int64_t index = 0;
  for (; nth > 0; nth--) {
    index = index_of(s, needle, start - 1) + 1;
    if (index == 0) return 0;
    if (needle->size == 0) break; /* always found in front of everything */
    start = index + 1;
  }
  return (int32_t)index;
}

/* The same in the reversed string with the reversed needle, told as a position from the left: occurrences whose end
 * keeps a distance of at least start - 1 characters from the end of s, the later the better. */
static int32_t nth_from_right(const sf_view *s, const sf_view *needle, int64_t start, int64_t nth) {
  const int64_t length = sfi_utf8_length(s->data, s->size), width = sfi_utf8_length(needle->data, needle->size);
  if (needle->size == 0) return (int32_t)length + 1;
  const uint32_t last = sfi_utf8_skip(s->data, s->size, 0, length - width - (start - 1));
  if (length - width < start - 1) return 0;
  uint32_t at = last;
  int64_t index = length - width - (start - 1);
  for (;; index--) {
    if (s->size - at >= needle->size && memcmp(s->data + at, needle->data, needle->size) == 0 && --nth == 0) {
      return (int32_t)index + 1;
    }
    if (at == 0) return 0;
    do {
      at--;
    } while (at > 0 && (s->data[at] & 0xc0) == 0x80);
  }
}

/* An occurrence below one throws in Flink, so it has to be known. */
static bool accepts_instr(const sfi_call *call) {
  if (call->n_args < 2 || call->n_args > 4 || call->type->kind != SF_TYPE_INTEGER) return false;
  if (!sfi_is_text(call->arg_types[0]) || !sfi_is_text(call->arg_types[1])) return false;
  if (call->n_args > 2 && !sfi_is_int(call->arg_types[2])) return false;
  if (call->n_args < 4) return true;
  return sfi_is_int(call->arg_types[3]) && sfi_is_literal(call, 3) &&
         sfi_int_at(sfi_ints_of(sfi_const_arg(call, 3)), 0) > 0;
}

static sf_status run_instr(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                           sf_error *err) {
  sf_buffer *values;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_INT32, &values, err));
  int32_t *to = (int32_t *)(void *)sf_buffer_data(values);
  const sfi_views s = sfi_views_of(args[0]), needles = sfi_views_of(args[1]);
  const sfi_ints starts = sfi_ints_of(args[call->n_args > 2 ? 2 : 0]);
  const int64_t nth = call->n_args == 4 ? sfi_int_at(sfi_ints_of(args[3]), 0) : 1;
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    const int64_t start = call->n_args > 2 ? sfi_int_at(starts, i) : 1;
    const sf_view *text = sfi_view_at(s, i), *needle = sfi_view_at(needles, i);
    to[i] = start > 0   ? nth_from_left(text, needle, start, nth)
            : start < 0 ? nth_from_right(text, needle, -start, nth)
                        : 0;
  }
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

/* --- predicates */

static bool accepts_affix(const sfi_call *call) {
  if (call->n_args != 2 || call->type->kind != SF_TYPE_BOOLEAN) return false;
  return (sfi_is_text(call->arg_types[0]) && sfi_is_text(call->arg_types[1])) ||
         (sfi_is_bytes(call->arg_types[0]) && sfi_is_bytes(call->arg_types[1]));
}

static sf_status run_affix(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, bool end, sf_column **out,
                           sf_error *err) {
  sf_buffer *values;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_BOOL, &values, err));
  uint8_t *to = sf_buffer_data(values);
  const sfi_views s = sfi_views_of(args[0]), affixes = sfi_views_of(args[1]);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    const sf_view *v = sfi_view_at(s, i), *affix = sfi_view_at(affixes, i);
    to[i] = affix->size == 0 ||
            (affix->size <= v->size &&
             memcmp(v->data + (end ? v->size - affix->size : 0), affix->data, affix->size) == 0);
  }
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

static sf_status run_starts_with(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                 sf_error *err) {
  return run_affix(call, ev, args, false, out, err);
}

static sf_status run_ends_with(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                               sf_error *err) {
  return run_affix(call, ev, args, true, out, err);
}

static bool accepts_is_ascii(const sfi_call *call) {
  return call->n_args == 1 && call->type->kind == SF_TYPE_BOOLEAN && sfi_is_text(call->arg_types[0]);
}

static sf_status run_is_ascii(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                              sf_error *err) {
  sf_buffer *values;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_BOOL, &values, err));
  uint8_t *to = sf_buffer_data(values);
  const sfi_views s = sfi_views_of(args[0]);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    const sf_view *v = sfi_view_at(s, i);
    to[i] = sfi_is_ascii(v->data, v->size);
  }
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

const sfi_function sfi_string_search_functions[] = {
    {.name = "CHAR_LENGTH", .signature = "(VARCHAR) -> INTEGER", .flags = SFI_STRICT, .accepts = accepts_text_to_int,
     .kernel = run_char_length},
    {.name = "ASCII", .signature = "(VARCHAR) -> INTEGER", .flags = SFI_STRICT, .accepts = accepts_text_to_int,
     .kernel = run_ascii},
    {.name = "POSITION", .signature = "(VARCHAR, VARCHAR[, INTEGER]) -> INTEGER", .flags = SFI_STRICT,
     .accepts = accepts_position, .kernel = run_position},
    {.name = "LOCATE", .signature = "(VARCHAR, VARCHAR[, INTEGER]) -> INTEGER", .flags = SFI_STRICT,
     .accepts = accepts_position, .kernel = run_position},
    {.name = "INSTR", .signature = "(VARCHAR, VARCHAR[, INTEGER[, literal INTEGER]]) -> INTEGER", .flags = SFI_STRICT,
     .accepts = accepts_instr, .kernel = run_instr},
    {.name = "STARTS_WITH", .signature = "(VARCHAR, VARCHAR) | (VARBINARY, VARBINARY) -> BOOLEAN", .flags = SFI_STRICT,
     .accepts = accepts_affix, .kernel = run_starts_with},
    {.name = "ENDS_WITH", .signature = "(VARCHAR, VARCHAR) | (VARBINARY, VARBINARY) -> BOOLEAN", .flags = SFI_STRICT,
     .accepts = accepts_affix, .kernel = run_ends_with},
    {.name = "IS_ASCII", .signature = "(VARCHAR) -> BOOLEAN", .flags = SFI_STRICT, .accepts = accepts_is_ascii,
     .kernel = run_is_ascii},
    {.name = NULL},
};
