/* TO_TIMESTAMP with a literal pattern, for text that has exactly the pattern's shape. Source: DateTimeUtils.parseTimestampData
 * with a format, that is DateTimeFormatter.ofPattern and its smart resolver. What is shorter, longer, signed or out of range
 * is another's to settle: the planner asks the host where this yields NULL. */
#include <stdlib.h>
#include <string.h>

#include "expr/text.h"
#include "expr/times.h"

enum { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, FRACTION, N_FIELDS, LITERAL };

/* Bytes [at, at + size) of the text. */
typedef struct part {
  uint8_t field; /* or LITERAL: they are those of shape->text */
  uint32_t at, size;
} part;

typedef struct shape {
  uint32_t size;
  int32_t n_parts;
  bool has[N_FIELDS];
  uint32_t fraction_digits;
  part *parts;
  uint8_t *text;
} shape;

static bool is_letter(uint8_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* The field of a run of letters, N_FIELDS when it is none of a fixed width. */
static uint8_t field_of(uint8_t letter, uint32_t count) {
  switch (letter) {
    case 'y':
    case 'u': return count == 4 ? YEAR : N_FIELDS;
    case 'M': return count == 2 ? MONTH : N_FIELDS;
    case 'd': return count == 2 ? DAY : N_FIELDS;
    case 'H': return count == 2 ? HOUR : N_FIELDS;
    case 'm': return count == 2 ? MINUTE : N_FIELDS;
    case 's': return count == 2 ? SECOND : N_FIELDS;
    case 'S': return count <= 9 ? FRACTION : N_FIELDS;
    default: return N_FIELDS;
  }
}

static bool add_field(shape *s, const sf_view *pattern, uint32_t *i) {
  const uint8_t letter = pattern->data[*i];
  uint32_t count = 0;
  for (; *i < pattern->size && pattern->data[*i] == letter; (*i)++) count++;
  const uint8_t field = field_of(letter, count);
  if (field == N_FIELDS || s->has[field]) return false;
  /* a fraction right behind digits is parsed differently by different JDKs */
  if (field == FRACTION && (s->n_parts == 0 || s->parts[s->n_parts - 1].field != LITERAL)) return false;
  s->has[field] = true;
  if (field == FRACTION) s->fraction_digits = count;
  s->parts[s->n_parts++] = (part){field, s->size, count};
  s->size += count;
  return true;
}

static void add_byte(shape *s, uint8_t c) {
  s->text[s->size] = c;
  s->parts[s->n_parts++] = (part){LITERAL, s->size++, 1};
}

/* 'text'; false when there is a quote in it, or nothing, or no end. */
static bool add_quoted(shape *s, const sf_view *pattern, uint32_t *i) {
  const uint32_t from = ++*i;
  for (; *i < pattern->size && pattern->data[*i] != '\''; (*i)++) add_byte(s, pattern->data[*i]);
  if (*i >= pattern->size || *i == from) return false;
  (*i)++;
  return *i >= pattern->size || pattern->data[*i] != '\'';
}

static void free_shape(shape *s) {
  if (s == NULL) return;
  free(s->parts);
  free(s->text);
  free(s);
}

/* A whole date, or none, and a time without gaps, or none: what else there is resolves in ways of its own. */
static bool is_plain(const shape *s) {
  const bool *has = s->has;
  const bool date = has[YEAR] && has[MONTH] && has[DAY], no_date = !has[YEAR] && !has[MONTH] && !has[DAY];
  const bool time = (has[HOUR] || !has[MINUTE]) && (has[MINUTE] || !has[SECOND]) && (has[SECOND] || !has[FRACTION]);
  return (date || (no_date && has[HOUR])) && time;
}

/* NULL: a pattern that is not known here, or no memory. */
static shape *compile(const sf_view *pattern) {
  shape *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->parts = calloc(pattern->size + 1, sizeof *s->parts);
  s->text = calloc(pattern->size + 1, 1);
  bool fine = s->parts != NULL && s->text != NULL;
  for (uint32_t i = 0; fine && i < pattern->size;) {
    const uint8_t c = pattern->data[i];
    if (is_letter(c)) {
      fine = add_field(s, pattern, &i);
    } else if (c == '\'') {
      fine = add_quoted(s, pattern, &i);
    } else if (c == '[' || c == ']' || c == '{' || c == '}' || c == '#' || c >= 0x80) {
      fine = false;
    } else {
      add_byte(s, c);
      i++;
    }
  }
  if (fine && is_plain(s)) return s;
  free_shape(s);
  return NULL;
}

static bool read_number(const uint8_t *p, uint32_t size, int32_t *out) {
  int32_t value = 0;
  for (uint32_t i = 0; i < size; i++) {
    if (p[i] < '0' || p[i] > '9') return false;
    value = value * 10 + (p[i] - '0');
  }
  *out = value;
  return true;
}

static bool read_parts(const shape *s, const uint8_t *p, int32_t *values) {
  for (int32_t i = 0; i < s->n_parts; i++) {
    const part *at = &s->parts[i];
    if (at->field == LITERAL ? p[at->at] != s->text[at->at] : !read_number(p + at->at, at->size, &values[at->field])) {
      return false;
    }
  }
  return true;
}

/* The 29th of February is left out: whether there is one depends on the year. */
static bool in_range(const int32_t *v) {
  static const int8_t days[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return v[YEAR] >= 1 && v[MONTH] >= 1 && v[MONTH] <= 12 && v[DAY] >= 1 && v[DAY] <= days[v[MONTH]] && v[HOUR] <= 23 &&
         v[MINUTE] <= 59 && v[SECOND] <= 59;
}

static bool parse(const shape *s, const sf_view *text, int64_t *millis) {
  int32_t v[N_FIELDS] = {[YEAR] = 1970, [MONTH] = 1, [DAY] = 1};
  if (text->size != s->size || !read_parts(s, text->data, v) || !in_range(v)) return false;
  int64_t fraction = v[FRACTION];
  for (uint32_t i = s->fraction_digits; i < 3; i++) fraction *= 10;
  for (uint32_t i = s->fraction_digits; i > 3; i--) fraction /= 10;
  *millis = sfi_local_days(v[YEAR], v[MONTH], v[DAY]) * SFI_MILLIS_PER_DAY + v[HOUR] * SFI_MILLIS_PER_HOUR +
            v[MINUTE] * SFI_MILLIS_PER_MINUTE + v[SECOND] * SFI_MILLIS_PER_SECOND + fraction;
  return true;
}

static bool accepts_pattern(const sfi_call *call) {
  if (call->n_args != 2 || !sfi_is_timestamp(call->type) || call->type->precision != 3) return false;
  if (!sfi_is_text(call->arg_types[0]) || !sfi_is_text(call->arg_types[1]) || !sfi_is_literal(call, 1)) return false;
  shape *s = compile(sfi_const_arg(call, 1)->values);
  free_shape(s);
  return s != NULL;
}

static sf_status prepare_pattern(sfi_call *call, sfi_eval *ev, sf_error *err) {
  (void)ev;
  call->state = compile(sfi_const_arg(call, 1)->values);
  return call->state == NULL ? sf_fail(err, SF_NOMEM, "TO_TIMESTAMP") : SF_OK;
}

static void destroy_pattern(sfi_call *call) {
  free_shape(call->state);
  call->state = NULL;
}

static sf_status run_pattern(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                             sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_views in = sfi_views_of(args[0]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    int64_t millis = 0;
    if (sfi_strict_valid(ev, i) && !parse(call->state, sfi_view_at(in, i), &millis)) {
      st = sfi_times_null(ev, &t, i, err);
    }
    t.millis[i] = millis;
  }
  return sfi_times_finish(call, ev, &t, st, out, err);
}

const sfi_function sfi_time_parse_functions[] = {
    {.name = "TO_TIMESTAMP_SHAPED",
     .signature = "(VARCHAR, literal pattern of yyyy MM dd HH mm ss S) -> TIMESTAMP(3)",
     .flags = SFI_STRICT, .accepts = accepts_pattern, .kernel = run_pattern, .prepare = prepare_pattern,
     .destroy = destroy_pattern},
    {.name = NULL},
};
