/* CAST and TRY_CAST of strings, and TO_DATE: BinaryStringDataUtil's parsers. What they throw fails a CAST with the same
 * kind of exception and text; TRY_CAST makes it NULL. */
#include "expr/text.h"
#include "expr/time_text.h"
#include "expr/times.h"
#include "streamfusion/java_number.h"

/* A parser puts the value for one row into *out_value or describes the failure. */
typedef struct parsed {
  int64_t integer; /* BOOLEAN to BIGINT, DATE, TIME, millis */
  int32_t nanos;
  double real;
  float real_float;
  __int128 decimal;
} parsed;

typedef sf_status (*parser)(const sfi_call *call, const sfi_eval *ev, const sf_view *text, int64_t row, parsed *out,
                            sf_error *err);

/* Strings in messages are shown whole, as far as there is room. */
#define SHOWN(v) (int)((v)->size > 700 ? 700 : (v)->size), (v)->size > 0 ? (const char *)(v)->data : ""

static sf_view trim_blanks(const sf_view *v) {
  uint32_t from = 0, to = v->size;
  while (from < to && v->data[from] == ' ') from++;
  while (to > from && v->data[to - 1] == ' ') to--;
  return (sf_view){from < v->size ? v->data + from : v->data, to - from, 0};
}

/* --- integers: an optional sign and digits; digits behind a point are checked and dropped. */

static sf_status bad_number(const sf_view *v, int64_t row, const char *reason, sf_error *err) {
  return sf_fail_row(err, SF_NUMBER_FORMAT, row, "For input string: '%.*s'. %s", SHOWN(v), reason);
}

static const char *parse_digits(const sf_view *v, int64_t lowest, int64_t *out) {
  if (v->size == 0) return "Input is empty.";
  uint32_t i = 0;
  const bool negative = v->data[0] == '-';
  if (negative || v->data[0] == '+') {
    i++;
    if (v->size == 1) return "Input has only positive or negative symbol.";
  }
  int64_t result = 0; /* negated, since the lowest number has no positive counterpart */
  for (; i < v->size && v->data[i] != '.'; i++) {
    const uint8_t c = v->data[i];
    if (c < '0' || c > '9') return "Invalid character found.";
    if (result < lowest / 10) return "Overflow.";
    const int64_t digit = c - '0';
    if (result * 10 < lowest + digit) return "Overflow.";
    result = result * 10 - digit;
  }
  for (i++; i < v->size; i++) {
    if (v->data[i] < '0' || v->data[i] > '9') return "Invalid character found.";
  }
  if (!negative && result == lowest) return "Overflow.";
  *out = negative ? result : -result;
  return NULL;
}

static sf_status parse_integer(const sfi_call *call, const sfi_eval *ev, const sf_view *text, int64_t row, parsed *out,
                               sf_error *err) {
  (void)ev;
  const sf_view v = trim_blanks(text);
  const sf_type_kind kind = call->type->kind;
  const char *reason = parse_digits(&v, kind == SF_TYPE_BIGINT ? INT64_MIN : INT32_MIN, &out->integer);
  if (reason == NULL && kind == SF_TYPE_TINYINT && out->integer != (int8_t)out->integer) reason = "Overflow.";
  if (reason == NULL && kind == SF_TYPE_SMALLINT && out->integer != (int16_t)out->integer) reason = "Overflow.";
  return reason == NULL ? SF_OK : bad_number(&v, row, reason, err);
}

/* --- FLOAT, DOUBLE */

/* Java has words of its own for a second point right behind the digits. */
static bool has_second_point(const sf_view *v) {
  uint32_t i = v->data[0] == '-' || v->data[0] == '+';
  int points = 0;
  for (; i < v->size; i++) {
    if (v->data[i] == '.') {
      if (++points == 2) return true;
    } else if (v->data[i] < '0' || v->data[i] > '9') {
      return false;
    }
  }
  return false;
}

static sf_status parse_real(const sfi_call *call, const sfi_eval *ev, const sf_view *text, int64_t row, parsed *out,
                            sf_error *err) {
  (void)ev;
  sf_view v = trim_blanks(text);
  const bool fine = call->type->kind == SF_TYPE_FLOAT ? sf_parse_float(v.data, v.size, &out->real_float)
                                                      : sf_parse_double(v.data, v.size, &out->real);
  if (fine) return SF_OK;
  while (v.size > 0 && v.data[0] <= ' ') v = (sf_view){v.data + 1, v.size - 1, 0};
  while (v.size > 0 && v.data[v.size - 1] <= ' ') v.size--;
  if (v.size == 0) return sf_fail_row(err, SF_NUMBER_FORMAT, row, "empty String");
  if (has_second_point(&v)) return sf_fail_row(err, SF_NUMBER_FORMAT, row, "multiple points");
  return sf_fail_row(err, SF_NUMBER_FORMAT, row, "For input string: \"%.*s\"", SHOWN(&v));
}

/* --- BOOLEAN */

static bool equals_ignoring_case(const sf_view *v, const char *word) {
  if (v->size != strlen(word)) return false;
  for (uint32_t i = 0; i < v->size; i++) {
    const uint8_t c = v->data[i];
    if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != (uint8_t)word[i]) return false;
  }
  return true;
}

static sf_status parse_boolean(const sfi_call *call, const sfi_eval *ev, const sf_view *text, int64_t row, parsed *out,
                               sf_error *err) {
  static const char *const words[2][5] = {{"f", "false", "n", "no", "0"}, {"t", "true", "y", "yes", "1"}};
  (void)call;
  (void)ev;
  for (int b = 0; b < 2; b++) {
    for (int i = 0; i < 5; i++) {
      out->integer = b;
      if (equals_ignoring_case(text, words[b][i])) return SF_OK;
    }
  }
  return sf_fail_row(err, SF_TABLE, row, "Cannot parse '%.*s' as BOOLEAN.", SHOWN(text));
}

/* --- DECIMAL: BinaryStringDataUtil.toDecimal has two ways, by the precision and the size of the text. */

static bool is_white(uint8_t c) { return c == ' ' || c == '\n' || c == '\t'; }

static int64_t power_of_ten(int32_t n) {
  int64_t v = 1;
  for (; n > 0 && n <= 18; n--) v *= 10;
  return v;
}

/* What stands in front of the exponent. */
typedef struct significand {
  int64_t value;
  int32_t digits, point;
} significand;

static uint32_t read_significand(const uint8_t *p, uint32_t size, uint32_t i, significand *s, uint8_t *last) {
  *s = (significand){0, 0, -1};
  while (i < size) {
    *last = p[i++];
    if (*last >= '0' && *last <= '9') {
      s->value = s->value * 10 + (*last - '0');
      s->digits++;
    } else if (*last == '.') {
      if (s->point >= 0) return UINT32_MAX;
      s->point = s->digits;
    } else {
      break;
    }
  }
  if (s->point < 0) s->point = s->digits;
  return i;
}

/* toDecimalFromBytes, for at most 18 bytes. It takes some texts that are no numbers, such as "1x" and "a". *index receives
 * a power of ten that Flink has no table entry for, on which it fails in another way. */
static bool parse_short_decimal(const sf_type *type, const sf_view *v, int64_t *out, int32_t *index) {
  const uint8_t *p = v->data;
  const uint32_t size = v->size;
  uint32_t i = 0;
  while (i < size && is_white(p[i])) i++;
  if (i == size) return false;
  uint8_t last = p[i];
  const bool negative = last == '-';
  if (negative || last == '+') {
    if (++i == size) return false;
  }
  significand s;
  i = read_significand(p, size, i, &s, &last);
  if (i == UINT32_MAX) return false;
  int32_t exponent = 0;
  if ((last == 'e' || last == 'E') && i < size) {
    const bool down = p[i] == '-';
    if (down || p[i] == '+') {
      if (++i == size) return false;
    }
    while (i < size) {
      const uint8_t c = p[i++];
      if (c < '0' || c > '9') break;
      if (exponent < 40) exponent = exponent * 10 + (c - '0');
    }
    if (down) exponent = -exponent;
  }
  exponent -= s.digits - s.point;
  for (; i < size; i++) {
    if (!is_white(p[i])) return false;
  }
  const int32_t change = exponent + type->scale;
  if (s.digits + change > type->precision) return false;
  if (change >= 0) {
    s.value = (int64_t)((uint64_t)s.value * (uint64_t)power_of_ten(change));
  } else if (change >= -18) {
    s.value = (s.value + 5 * power_of_ten(-change - 1)) / power_of_ten(-change);
  } else {
    *index = change < -19 ? -change - 1 : -change;
    return false;
  }
  *out = negative ? -s.value : s.value;
  return true;
}

/* Digits of other scripts, which BigDecimal takes: first characters of the BMP's runs of ten. */
static int other_digit(uint32_t c) {
  static const uint16_t zeros[] = {0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66,
                                   0x0ce6, 0x0d66, 0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810,
                                   0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
                                   0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10};
  for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
    if (c >= zeros[i] && c < zeros[i] + 10u) return (int)(c - zeros[i]);
  }
  return -1;
}

/* The text with such digits made ASCII, in `to` (as long as the text); false: there are other characters. */
static bool to_ascii_digits(const sf_view *v, uint8_t *to, uint32_t *size) {
  *size = 0;
  for (uint32_t i = 0; i < v->size;) {
    const uint32_t width = sfi_utf8_width(v->data[i]);
    if (width == 1 && v->data[i] < 0x80) {
      to[(*size)++] = v->data[i++];
      continue;
    }
    if (width < 2 || width > 3 || width > v->size - i) return false;
    uint32_t c = v->data[i] & (width == 2 ? 0x1fu : 0x0fu);
    for (uint32_t k = 1; k < width; k++) c = c << 6 | (v->data[i + k] & 0x3f);
    const int digit = other_digit(c);
    if (digit < 0) return false;
    to[(*size)++] = (uint8_t)('0' + digit);
    i += width;
  }
  return true;
}

static sf_status parse_long_decimal(const sfi_eval *ev, const sf_type *type, sf_view v, sf_decimal_parse *how,
                                    __int128 *out, sf_error *err) {
  while (v.size > 0 && is_white(v.data[0])) v = (sf_view){v.data + 1, v.size - 1, 0};
  while (v.size > 0 && is_white(v.data[v.size - 1])) v.size--;
  *how = sf_parse_decimal(v.data, v.size, type->precision, type->scale, out);
  if (*how != SF_DECIMAL_UNDECIDED || sfi_is_ascii(v.data, v.size)) return SF_OK;
  void *ascii = NULL;
  uint32_t size;
  SF_TRY(sf_pool_alloc(ev->pool, v.size, &ascii, err));
  *how = to_ascii_digits(&v, ascii, &size) ? sf_parse_decimal(ascii, size, type->precision, type->scale, out)
                                           : SF_DECIMAL_MALFORMED;
  sf_pool_free(ev->pool, ascii);
  return SF_OK;
}

static sf_status parse_decimal(const sfi_call *call, const sfi_eval *ev, const sf_view *text, int64_t row, parsed *out,
                               sf_error *err) {
  if (call->type->precision <= 18 && text->size <= 18) {
    int64_t v = 0;
    int32_t index = 0;
    if (parse_short_decimal(call->type, text, &v, &index)) {
      out->decimal = v;
      return SF_OK;
    }
    if (index == 0) return bad_number(text, row, "Overflow.", err);
    return sf_fail_row(err, SF_RUNTIME, row, "Index %d out of bounds for length 19", index);
  }
  sf_decimal_parse how = SF_DECIMAL_MALFORMED;
  SF_TRY(parse_long_decimal(ev, call->type, *text, &how, &out->decimal, err));
  if (how == SF_DECIMAL_PARSED) return SF_OK;
  if (how == SF_DECIMAL_MALFORMED) {
    return sf_fail_row(err, SF_NUMBER_FORMAT, row, "For input string: '%.*s'.", SHOWN(text));
  }
  return bad_number(text, row, "Overflow.", err);
}

/* --- DATE, TIME, TIMESTAMP */

static sf_status failed_parse(sfi_parse how, const sfi_bad_number *bad, int64_t row, sf_error *err) {
  if (how == SFI_PARSE_NUMBER) {
    return sf_fail_row(err, SF_NUMBER_FORMAT, row, "For input string: \"%.*s\"", (int)(bad->size > 700 ? 700 : bad->size),
                       (const char *)bad->text);
  }
  return sf_fail_row(err, SF_RUNTIME, row, "String index out of range");
}

static sf_status parse_date(const sfi_call *call, const sfi_eval *ev, const sf_view *text, int64_t row, parsed *out,
                            sf_error *err) {
  (void)call;
  (void)ev;
  int32_t days = 0;
  sfi_bad_number bad = {NULL, 0};
  const sfi_parse how = sfi_parse_date(text, &days, &bad);
  out->integer = days;
  if (how == SFI_PARSED) return SF_OK;
  if (how != SFI_PARSE_NULL) return failed_parse(how, &bad, row, err);
  return sf_fail_row(err, SF_DATE_TIME, row, "For input string: '%.*s'.", SHOWN(text));
}

static sf_status parse_time(const sfi_call *call, const sfi_eval *ev, const sf_view *text, int64_t row, parsed *out,
                            sf_error *err) {
  (void)ev;
  int32_t millis = 0;
  sfi_bad_number bad = {NULL, 0};
  const sfi_parse how = sfi_parse_time(text, &millis, &bad);
  const int32_t precision = call->type->precision;
  const int32_t unit = precision == 0 ? 1000 : precision == 1 ? 100 : precision == 2 ? 10 : 1;
  out->integer = millis / unit * unit;
  if (how == SFI_PARSED) return SF_OK;
  if (how != SFI_PARSE_NULL) return failed_parse(how, &bad, row, err);
  return sf_fail_row(err, SF_DATE_TIME, row,
                     "Invalid time format: '%.*s'. Expected format: HH:mm:ss[.fff] where HH is 00-23, mm is 00-59, ss "
                     "is 00-59",
                     SHOWN(text));
}

static sf_status parse_timestamp(const sfi_call *call, const sfi_eval *ev, const sf_view *text, int64_t row,
                                 parsed *out, sf_error *err) {
  if (!sfi_parse_timestamp(text, call->type->precision, &out->integer, &out->nanos)) {
    return sf_fail_row(err, SF_DATE_TIME, row, "Text '%.*s' could not be parsed", SHOWN(text));
  }
  if (sfi_is_ltz(call->type)) out->integer -= sfi_zone_offset_of_local(ev->session, out->integer);
  return SF_OK;
}

/* --- the kernel */

static parser parser_of(const sf_type *to) {
  switch (to->kind) {
    case SF_TYPE_BOOLEAN: return parse_boolean;
    case SF_TYPE_TINYINT:
    case SF_TYPE_SMALLINT:
    case SF_TYPE_INTEGER:
    case SF_TYPE_BIGINT: return parse_integer;
    case SF_TYPE_FLOAT:
    case SF_TYPE_DOUBLE: return parse_real;
    case SF_TYPE_DECIMAL: return parse_decimal;
    case SF_TYPE_DATE: return parse_date;
    case SF_TYPE_TIME: return parse_time;
    case SF_TYPE_TIMESTAMP:
    case SF_TYPE_TIMESTAMP_LTZ: return parse_timestamp;
    default: return NULL;
  }
}

static bool accepts_parse(const sfi_call *call) {
  return call->n_args == 1 && sfi_is_text(call->arg_types[0]) && parser_of(call->type) != NULL;
}

static void store(const sf_type *type, sfi_times_out *t, int64_t i, const parsed *v) {
  void *values = t->millis;
  switch (type->layout) {
    case SF_LAYOUT_BOOL: ((uint8_t *)values)[i] = (uint8_t)v->integer; return;
    case SF_LAYOUT_INT8: ((int8_t *)values)[i] = (int8_t)v->integer; return;
    case SF_LAYOUT_INT16: ((int16_t *)values)[i] = (int16_t)v->integer; return;
    case SF_LAYOUT_INT32: t->ints[i] = (int32_t)v->integer; return;
    case SF_LAYOUT_FLOAT: ((float *)values)[i] = v->real_float; return;
    case SF_LAYOUT_DOUBLE: ((double *)values)[i] = v->real; return;
    case SF_LAYOUT_INT128: ((__int128 *)values)[i] = v->decimal; return;
    default: sfi_times_set(t, i, type->kind == SF_TYPE_DECIMAL ? (int64_t)v->decimal : v->integer, v->nanos);
  }
}

static sf_status run_parse(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, bool fails,
                           sf_column **out, sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_views in = sfi_views_of(args[0]);
  const parser parse = parser_of(call->type);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    parsed v = {0};
    st = parse(call, ev, sfi_view_at(in, i), i, &v, fails ? err : NULL);
    if (st != SF_OK && !fails && st != SF_NOMEM && st != SF_LIMIT) {
      v = (parsed){0};
      st = sfi_times_null(ev, &t, i, err);
    }
    store(call->type, &t, i, &v);
  }
  return sfi_times_finish(call, ev, &t, st, out, err);
}

static sf_status run_cast(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                          sf_error *err) {
  return run_parse(call, ev, args, true, out, err);
}

static sf_status run_try_cast(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                              sf_error *err) {
  return run_parse(call, ev, args, false, out, err);
}

/* --- TO_DATE(text): NULL where the parser says so, but what it throws is thrown. */

static bool accepts_to_date(const sfi_call *call) {
  return call->n_args == 1 && call->type->kind == SF_TYPE_DATE && sfi_is_text(call->arg_types[0]);
}

static sf_status run_to_date(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                             sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_views in = sfi_views_of(args[0]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    sfi_bad_number bad = {NULL, 0};
    t.ints[i] = 0;
    const sfi_parse how = sfi_parse_date(sfi_view_at(in, i), &t.ints[i], &bad);
    if (how == SFI_PARSE_NULL) {
      st = sfi_times_null(ev, &t, i, err);
    } else if (how != SFI_PARSED) {
      st = failed_parse(how, &bad, i, err);
    }
  }
  return sfi_times_finish(call, ev, &t, st, out, err);
}

const sfi_function sfi_cast_from_text_functions[] = {
    {.name = "CAST", .signature = "(CHAR, VARCHAR) -> BOOLEAN, number, time", .flags = SFI_STRICT | SFI_CAN_FAIL,
     .accepts = accepts_parse, .kernel = run_cast},
    {.name = "TRY_CAST", .signature = "(CHAR, VARCHAR) -> BOOLEAN, number, time", .flags = SFI_STRICT,
     .accepts = accepts_parse, .kernel = run_try_cast},
    {.name = "TO_DATE", .signature = "(VARCHAR) -> DATE", .flags = SFI_STRICT | SFI_CAN_FAIL,
     .accepts = accepts_to_date, .kernel = run_to_date},
    {.name = NULL},
};
