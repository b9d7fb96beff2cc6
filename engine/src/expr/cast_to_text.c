/* CAST and TRY_CAST of scalars to strings, and among strings and binaries: the casting rules' text, then cut to the
 * target's length in characters and, for CHAR and BINARY, padded (CharVarCharTrimPadCastRule, BinaryToBinaryCastRule,
 * StringToBinaryCastRule). None of them fails. */
#include "expr/text.h"
#include "expr/time_text.h"
#include "expr/times.h"
#include "streamfusion/java_number.h"

/* --- scalars */

#define TEXT_MAX 96
_Static_assert(TEXT_MAX >= SF_DECIMAL_TEXT_MAX && TEXT_MAX >= SFI_TIME_TEXT_MAX && TEXT_MAX >= SF_DOUBLE_TEXT_MAX, "");

static size_t print_word(const char *word, char *to) {
  const size_t n = strlen(word);
  memcpy(to, word, n);
  return n;
}

static size_t print_timestamp(const sfi_eval *ev, const sf_column *c, int64_t i, char *to) {
  int64_t millis = ((const int64_t *)c->values)[i];
  const int32_t nanos = c->type->layout == SF_LAYOUT_TIMESTAMP ? ((const int32_t *)c->aux)[i] : 0;
  if (sfi_is_ltz(c->type)) millis += sfi_zone_offset_of_instant(ev->session, millis);
  return sfi_print_timestamp(millis, nanos, c->type->precision, to);
}

/* Value i of the column as text. */
static size_t print_value(const sfi_eval *ev, const sf_column *c, int64_t i, char *to) {
  const sf_type *type = c->type;
  switch (type->kind) {
    case SF_TYPE_BOOLEAN: return print_word(((const uint8_t *)c->values)[i] ? "TRUE" : "FALSE", to);
    case SF_TYPE_FLOAT:
      return sf_float_text(((const float *)c->values)[i], sfi_session_double_legacy(ev->session), to);
    case SF_TYPE_DOUBLE:
      return sf_double_text(((const double *)c->values)[i], sfi_session_double_legacy(ev->session), to);
    case SF_TYPE_DECIMAL:
      return sf_decimal_text(type->layout == SF_LAYOUT_INT64 ? ((const int64_t *)c->values)[i]
                                                             : ((const __int128 *)c->values)[i],
                             type->scale, true, to);
    case SF_TYPE_DATE: return sfi_print_date(((const int32_t *)c->values)[i], to);
    case SF_TYPE_TIME: return sfi_print_time(((const int32_t *)c->values)[i], type->precision, to);
    case SF_TYPE_TIMESTAMP:
    case SF_TYPE_TIMESTAMP_LTZ: return print_timestamp(ev, c, i, to);
    case SF_TYPE_INTERVAL_YEAR_MONTH: return sfi_print_months(((const int32_t *)c->values)[i], to);
    case SF_TYPE_INTERVAL_DAY_TIME: return sfi_print_millis(((const int64_t *)c->values)[i], to);
    default: return sf_long_text(sfi_int_at((sfi_ints){c->values, 1, type->layout}, i), to);
  }
}

static bool is_printable(const sf_type *t) {
  return t->kind >= SF_TYPE_BOOLEAN && t->kind <= SF_TYPE_INTERVAL_DAY_TIME && !sfi_is_text(t) && !sfi_is_bytes(t);
}

static bool accepts_scalar(const sfi_call *call) {
  return call->n_args == 1 && sfi_is_text(call->type) && is_printable(call->arg_types[0]);
}

static sf_status run_scalar(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                            sf_error *err) {
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  const size_t length = (size_t)call->type->length;
  const bool pads = call->type->kind == SF_TYPE_CHAR;
  const size_t room = pads && length > TEXT_MAX ? length : TEXT_MAX;
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    uint8_t *to;
    st = sfi_text_room(&t, i, room, &to, err);
    if (st != SF_OK) break;
    size_t size = print_value(ev, args[0], i, (char *)to);
    if (size > length) size = length;
    if (pads && size < length) {
      memset(to + size, ' ', length - size);
      size = length;
    }
    t.views[i].size = (uint32_t)size;
    sfi_arena_trim(&t.arena, room, size);
  }
  return sfi_text_finish(call, ev, &t, NULL, st, out, err);
}

/* --- among strings and binaries: cut, pad with blanks or zeros */

static bool accepts_strings(const sfi_call *call) {
  if (call->n_args != 1) return false;
  const sf_type *from = call->arg_types[0], *to = call->type;
  if (sfi_is_text(to)) return sfi_is_text(from);
  return sfi_is_bytes(to) && (sfi_is_text(from) || sfi_is_bytes(from));
}

/* Bytes of v that fit, and how many bytes of padding follow. */
static uint32_t fit(const sf_type *type, const sf_view *v, uint32_t *padding) {
  const bool text = sfi_is_text(type);
  const uint32_t length = (uint32_t)type->length;
  *padding = 0;
  if (type->kind == SF_TYPE_VARCHAR && v->size <= length) return v->size;
  const uint32_t characters = text ? sfi_utf8_length(v->data, v->size) : v->size;
  if (characters > length) return text ? sfi_utf8_skip(v->data, v->size, 0, length) : length;
  if (type->kind == SF_TYPE_CHAR || type->kind == SF_TYPE_BINARY) *padding = length - characters;
  return v->size;
}

static sf_status run_strings(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                             sf_error *err) {
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  const sfi_views in = sfi_views_of(args[0]);
  const int blank = sfi_is_text(call->type) ? ' ' : 0;
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    const sf_view *v = sfi_view_at(in, i);
    uint32_t padding;
    const uint32_t size = fit(call->type, v, &padding);
    if (padding == 0) {
      t.views[i] = (sf_view){v->data, size, 0};
      continue;
    }
    uint8_t *to;
    st = sfi_text_room(&t, i, (size_t)size + padding, &to, err);
    if (st != SF_OK) break;
    if (size > 0) memcpy(to, v->data, size);
    memset(to + size, blank, padding);
  }
  return sfi_text_finish(call, ev, &t, args[0], st, out, err);
}

#define CASTS(cast)                                                                                                   \
  {.name = cast, .signature = "(BOOLEAN, number, time, INTERVAL) -> CHAR, VARCHAR", .flags = SFI_STRICT,                \
   .accepts = accepts_scalar, .kernel = run_scalar},                                                                  \
      {.name = cast, .signature = "(CHAR, VARCHAR) -> CHAR, VARCHAR, BINARY, VARBINARY; (BINARY, VARBINARY) -> same",   \
       .flags = SFI_STRICT, .accepts = accepts_strings, .kernel = run_strings},

const sfi_function sfi_cast_to_text_functions[] = {CASTS("CAST") CASTS("TRY_CAST"){.name = NULL}};
