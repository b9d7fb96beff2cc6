/* Comparisons of scalar values, and IS [NOT] DISTINCT FROM. */
#include <math.h>
#include <string.h>

#include "expr/decimal.h"
#include "expr/loops.h"

typedef enum comparison { EQ, NE, LT, LE, GT, GE } comparison;

/* a OP b == b FLIPPED(OP) a */
static const comparison flipped[] = {EQ, NE, GT, GE, LT, LE};

/* --- primitive values: Java's operators */

#define LOOP(condition)                                                        \
  for (int64_t i = 0; i < n; i++) to[i] = (uint8_t)(condition);                \
  break;

/* The right operand may be const. */
#define COMPARE_LOOPS(name, type)                                                                        \
  SFI_VECTOR static void name(comparison op, const void *a, const void *b, bool b_const, int64_t n,      \
                              uint8_t *restrict to) {                                                    \
    const type *x = a, *y = b;                                                                           \
    type c = y[0];                                                                                       \
    if (b_const) {                                                                                       \
      switch (op) {                                                                                      \
        case EQ: LOOP(x[i] == c)                                                                         \
        case NE: LOOP(x[i] != c)                                                                         \
        case LT: LOOP(x[i] < c)                                                                          \
        case LE: LOOP(x[i] <= c)                                                                         \
        case GT: LOOP(x[i] > c)                                                                          \
        case GE: LOOP(x[i] >= c)                                                                         \
      }                                                                                                  \
    } else {                                                                                             \
      switch (op) {                                                                                      \
        case EQ: LOOP(x[i] == y[i])                                                                      \
        case NE: LOOP(x[i] != y[i])                                                                      \
        case LT: LOOP(x[i] < y[i])                                                                       \
        case LE: LOOP(x[i] <= y[i])                                                                      \
        case GT: LOOP(x[i] > y[i])                                                                       \
        case GE: LOOP(x[i] >= y[i])                                                                      \
      }                                                                                                  \
    }                                                                                                    \
  }
COMPARE_LOOPS(compare_bool, uint8_t)
COMPARE_LOOPS(compare_int8, int8_t)
COMPARE_LOOPS(compare_int16, int16_t)
COMPARE_LOOPS(compare_int32, int32_t)
COMPARE_LOOPS(compare_int64, int64_t)
COMPARE_LOOPS(compare_float, float)
COMPARE_LOOPS(compare_double, double)
COMPARE_LOOPS(compare_int128, __int128)

typedef void (*primitive_loop)(comparison, const void *, const void *, bool, int64_t, uint8_t *);

static primitive_loop loop_of(sf_layout layout) {
  switch (layout) {
    case SF_LAYOUT_BOOL: return compare_bool;
    case SF_LAYOUT_INT8: return compare_int8;
    case SF_LAYOUT_INT16: return compare_int16;
    case SF_LAYOUT_INT32: return compare_int32;
    case SF_LAYOUT_INT64: return compare_int64;
    case SF_LAYOUT_FLOAT: return compare_float;
    case SF_LAYOUT_DOUBLE: return compare_double;
    default: return compare_int128;
  }
}

/* The operand with `zeros` decimal digits appended; the caller knows that they fit. */
static sf_status open_scaled(const sfi_eval *ev, const sf_column *c, sf_layout layout, int32_t zeros, sfi_operand *out,
                             sf_error *err) {
  SF_TRY(sfi_operand_open(ev, c, layout, out, err));
  if (zeros == 0) return SF_OK;
  int64_t n = c->is_const ? 1 : ev->length;
  sf_buffer *scaled = NULL;
  SF_TRY(sf_buffer_create(ev->pool, sf_layout_width(layout) * (size_t)n, &scaled, err));
  if (layout == SF_LAYOUT_INT64) {
    const uint64_t *from = out->values, factor = (uint64_t)sfi_pow10(zeros);
    uint64_t *to = (uint64_t *)(void *)sf_buffer_data(scaled);
    for (int64_t i = 0; i < n; i++) to[i] = from[i] * factor;
  } else {
    const sfi_u128 *from = out->values, factor = sfi_pow10(zeros);
    sfi_u128 *to = (sfi_u128 *)(void *)sf_buffer_data(scaled);
    for (int64_t i = 0; i < n; i++) to[i] = from[i] * factor;
  }
  sfi_operand_close(out);
  out->owned = scaled;
  out->values = sf_buffer_data(scaled);
  return SF_OK;
}

/* Compares both sides as values of one layout, after appending decimal digits. */
static sf_status compare_scaled(const sfi_eval *ev, comparison op, const sf_column *a, int32_t zeros_a,
                                const sf_column *b, int32_t zeros_b, sf_layout layout, uint8_t *to, sf_error *err) {
  if (a->is_const && !b->is_const) return compare_scaled(ev, flipped[op], b, zeros_b, a, zeros_a, layout, to, err);
  sfi_operand x = {0}, y = {0};
  sf_status st = open_scaled(ev, a, layout, zeros_a, &x, err);
  if (st == SF_OK) st = open_scaled(ev, b, layout, zeros_b, &y, err);
  /* Both const only when the call is collapsed to one row. */
  if (st == SF_OK) loop_of(layout)(op, x.values, y.values, y.is_const, ev->length, to);
  sfi_operand_close(&x);
  sfi_operand_close(&y);
  return st;
}

static sf_status compare_as(const sfi_eval *ev, comparison op, const sf_column *a, const sf_column *b, sf_layout layout,
                            uint8_t *to, sf_error *err) {
  return compare_scaled(ev, op, a, 0, b, 0, layout, to, err);
}

/* --- values compared one by one */

static bool holds(comparison op, int order) {
  switch (op) {
    case EQ: return order == 0;
    case NE: return order != 0;
    case LT: return order < 0;
    case LE: return order <= 0;
    case GT: return order > 0;
    case GE: return order >= 0;
  }
  return false;
}

static __int128 exact_value(const sf_column *c, int64_t i) {
  if (c->is_const) i = 0;
  switch (c->type->layout) {
    case SF_LAYOUT_INT8: return ((const int8_t *)c->values)[i];
    case SF_LAYOUT_INT16: return ((const int16_t *)c->values)[i];
    case SF_LAYOUT_INT32: return ((const int32_t *)c->values)[i];
    case SF_LAYOUT_INT64: return ((const int64_t *)c->values)[i];
    default: return ((const __int128 *)c->values)[i];
  }
}

static double real_value(const sf_column *c, int64_t i) {
  if (c->is_const) i = 0;
  return c->type->layout == SF_LAYOUT_FLOAT ? (double)((const float *)c->values)[i] : ((const double *)c->values)[i];
}

/* Digits of the operand's values with zeros appended; a constant has as many as it has, whatever its type. */
static int32_t needed_digits(const sf_column *c, int32_t zeros) {
  int32_t digits = sfi_digits_of(c->type).precision;
  if (c->is_const) {
    digits = 0;
    while (digits < SFI_MAX_PRECISION && !sfi_fits(exact_value(c, 0), digits)) digits++;
  }
  return digits + zeros;
}

/* DECIMAL with DECIMAL of another scale, or with an integer: DecimalDataUtils.compare is exact there. */
static sf_status compare_decimals(const sfi_eval *ev, comparison op, const sf_column *a, const sf_column *b,
                                  uint8_t *to, sf_error *err) {
  int32_t scale_a = sfi_digits_of(a->type).scale, scale_b = sfi_digits_of(b->type).scale;
  int32_t scale = scale_a > scale_b ? scale_a : scale_b;
  int32_t digits_a = needed_digits(a, scale - scale_a), digits_b = needed_digits(b, scale - scale_b);
  int32_t digits = digits_a > digits_b ? digits_a : digits_b;
  if (digits <= SFI_MAX_PRECISION) {
    bool narrow = a->type->layout != SF_LAYOUT_INT128 && b->type->layout != SF_LAYOUT_INT128;
    sf_layout layout = narrow && (digits <= 18 || scale_a == scale_b) ? SF_LAYOUT_INT64 : SF_LAYOUT_INT128;
    return compare_scaled(ev, op, a, scale - scale_a, b, scale - scale_b, layout, to, err);
  }
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    to[i] = holds(op, sfi_decimal_compare(exact_value(a, i), scale_a, exact_value(b, i), scale_b));
  }
  return SF_OK;
}

/* Double.compare: -0.0 before 0.0, NaN after everything and equal to itself. */
static int compare_java(double a, double b) {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a == b && (a != 0 || signbit(a) == signbit(b))) return 0;
  if (a == b) return signbit(a) ? -1 : 1;
  return (isnan(a) != 0) - (isnan(b) != 0);
}

/* DECIMAL with FLOAT or DOUBLE: DecimalDataUtils.compare(DecimalData, double). */
static void compare_decimal_real(const sfi_eval *ev, comparison op, const sf_column *decimal, const sf_column *real,
                                 uint8_t *to) {
  sfi_digits digits = sfi_digits_of(decimal->type);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    if (sf_column_is_null(decimal, i)) {
      to[i] = 0; /* garbage would go through the slow conversion */
      continue;
    }
    to[i] = holds(op, compare_java(sfi_decimal_to_double(exact_value(decimal, i), digits), real_value(real, i)));
  }
}

static int32_t nanos_of(const sf_column *c, int64_t i) {
  return c->type->layout == SF_LAYOUT_TIMESTAMP ? ((const int32_t *)c->aux)[c->is_const ? 0 : i] : 0;
}

/* TimestampData.compareTo; either side may be without nanos. */
static void compare_timestamps(const sfi_eval *ev, comparison op, const sf_column *a, const sf_column *b, uint8_t *to) {
  const int64_t *x = a->values, *y = b->values;
  for (int64_t i = 0; i < ev->length; i++) {
    int64_t p = x[a->is_const ? 0 : i], q = y[b->is_const ? 0 : i];
    int order = p < q ? -1 : p > q;
    if (order == 0) order = nanos_of(a, i) - nanos_of(b, i);
    to[i] = holds(op, order);
  }
}

/* Strings and binaries: unsigned bytes, then size. */
static int compare_views(const sf_view *a, const sf_view *b) {
  uint32_t n = a->size < b->size ? a->size : b->size;
  int order = n == 0 ? 0 : memcmp(a->data, b->data, n);
  return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static bool equal_views(const sf_view *a, const sf_view *b) {
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static void compare_texts(const sfi_eval *ev, comparison op, const sf_column *a, const sf_column *b, uint8_t *to) {
  const sf_view *x = a->values, *y = b->values;
  int64_t step_a = a->is_const ? 0 : 1, step_b = b->is_const ? 0 : 1;
  if (op == EQ || op == NE) {
    uint8_t equal = op == EQ;
    for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) to[i] = equal_views(&x[i * step_a], &y[i * step_b]) == equal;
    return;
  }
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) to[i] = holds(op, compare_views(&x[i * step_a], &y[i * step_b]));
}

/* --- choice by types */

static bool is_real(const sf_type *t) { return t->kind == SF_TYPE_FLOAT || t->kind == SF_TYPE_DOUBLE; }
static bool is_numeric(const sf_type *t) { return t->kind >= SF_TYPE_TINYINT && t->kind <= SF_TYPE_DECIMAL; }
static bool is_text(const sf_type *t) { return t->kind == SF_TYPE_CHAR || t->kind == SF_TYPE_VARCHAR; }
static bool is_binary(const sf_type *t) { return t->kind == SF_TYPE_BINARY || t->kind == SF_TYPE_VARBINARY; }
static bool is_timestamp(const sf_type *t) { return t->kind == SF_TYPE_TIMESTAMP || t->kind == SF_TYPE_TIMESTAMP_LTZ; }

static bool comparable(const sf_type *a, const sf_type *b) {
  if (is_numeric(a)) return is_numeric(b);
  if (is_text(a)) return is_text(b);
  if (is_binary(a)) return is_binary(b);
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case SF_TYPE_BOOLEAN:
    case SF_TYPE_DATE:
    case SF_TYPE_TIME:
    case SF_TYPE_TIMESTAMP:
    case SF_TYPE_TIMESTAMP_LTZ:
    case SF_TYPE_INTERVAL_YEAR_MONTH:
    case SF_TYPE_INTERVAL_DAY_TIME: return true;
    default: return false;
  }
}

/* JLS 5.6.2, binary numeric promotion; small integers of one type need no promotion. */
static sf_layout promoted(const sf_type *a, const sf_type *b) {
  if (a->layout == b->layout) return a->layout;
  if (a->kind == SF_TYPE_DOUBLE || b->kind == SF_TYPE_DOUBLE) return SF_LAYOUT_DOUBLE;
  if (a->kind == SF_TYPE_FLOAT || b->kind == SF_TYPE_FLOAT) return SF_LAYOUT_FLOAT;
  if (a->kind == SF_TYPE_BIGINT || b->kind == SF_TYPE_BIGINT) return SF_LAYOUT_INT64;
  return SF_LAYOUT_INT32;
}

static sf_status compare_numbers(const sfi_eval *ev, comparison op, const sf_column *a, const sf_column *b, uint8_t *to,
                                 sf_error *err) {
  const sf_type *x = a->type, *y = b->type;
  if (x->kind != SF_TYPE_DECIMAL && y->kind != SF_TYPE_DECIMAL) {
    return compare_as(ev, op, a, b, promoted(x, y), to, err);
  }
  if (is_real(x)) {
    compare_decimal_real(ev, flipped[op], b, a, to);
  } else if (is_real(y)) {
    compare_decimal_real(ev, op, a, b, to);
  } else {
    return compare_decimals(ev, op, a, b, to, err);
  }
  return SF_OK;
}

/* One byte per row: whether the comparison holds. Rows with a NULL operand get anything. */
static sf_status compare(const sfi_eval *ev, comparison op, const sf_column *a, const sf_column *b, uint8_t *to,
                         sf_error *err) {
  if (is_numeric(a->type)) return compare_numbers(ev, op, a, b, to, err);
  if (a->type->layout == SF_LAYOUT_VIEW) {
    compare_texts(ev, op, a, b, to);
    return SF_OK;
  }
  bool nanos = a->type->layout == SF_LAYOUT_TIMESTAMP || b->type->layout == SF_LAYOUT_TIMESTAMP;
  if (is_timestamp(a->type) && nanos) {
    compare_timestamps(ev, op, a, b, to);
    return SF_OK;
  }
  return compare_as(ev, op, a, b, a->type->layout, to, err);
}

static sf_status comparison_kernel(const sfi_call *call, sfi_eval *ev, comparison op, const sf_column *const *args,
                                   sf_column **out, sf_error *err) {
  sf_buffer *values = NULL;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_BOOL, &values, err));
  sf_status st = compare(ev, op, args[0], args[1], sf_buffer_data(values), err);
  if (st != SF_OK) {
    sf_buffer_release(values);
    return st;
  }
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

#define COMPARISON_KERNEL(name, op)                                                                          \
  static sf_status name(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,   \
                        sf_error *err) {                                                                     \
    return comparison_kernel(call, ev, op, args, out, err);                                                  \
  }
COMPARISON_KERNEL(equals_kernel, EQ)
COMPARISON_KERNEL(not_equals_kernel, NE)
COMPARISON_KERNEL(less_kernel, LT)
COMPARISON_KERNEL(less_or_equal_kernel, LE)
COMPARISON_KERNEL(greater_kernel, GT)
COMPARISON_KERNEL(greater_or_equal_kernel, GE)

/* --- IS [NOT] DISTINCT FROM: both NULL, or both present and EQUALS */

static void sameness_of_nulls(const sfi_eval *ev, const sf_column *a, const sf_column *b, uint8_t *same) {
  for (int64_t i = 0; i < ev->length; i++) {
    bool null_a = sf_column_is_null(a, i), null_b = sf_column_is_null(b, i);
    if (null_a || null_b) same[i] = null_a && null_b;
  }
}

static sf_status distinct(const sfi_call *call, sfi_eval *ev, uint8_t if_same, const sf_column *const *args,
                          sf_column **out, sf_error *err) {
  const sf_column *a = args[0], *b = args[1];
  sf_buffer *values = NULL;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_BOOL, &values, err));
  uint8_t *same = sf_buffer_data(values);
  sf_status st = compare(ev, EQ, a, b, same, err);
  if (st != SF_OK) {
    sf_buffer_release(values);
    return st;
  }
  sameness_of_nulls(ev, a, b, same);
  if (if_same == 0) {
    for (int64_t i = 0; i < ev->length; i++) same[i] ^= 1;
  }
  return sfi_finish(call, ev, NULL, values, NULL, NULL, 0, out, err);
}

static sf_status distinct_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                 sf_error *err) {
  return distinct(call, ev, 0, args, out, err);
}

static sf_status not_distinct_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                     sf_error *err) {
  return distinct(call, ev, 1, args, out, err);
}

/* --- table */

static bool accepts(const sfi_call *call) {
  return call->n_args == 2 && call->type->kind == SF_TYPE_BOOLEAN && comparable(call->arg_types[0], call->arg_types[1]);
}

#define SCALARS "(NUMERIC, NUMERIC) or two BOOLEAN, strings, binaries, DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL -> BOOLEAN"

const sfi_function sfi_compare_functions[] = {
    {"EQUALS", SCALARS, SFI_STRICT, accepts, equals_kernel, NULL, NULL},
    {"NOT_EQUALS", SCALARS, SFI_STRICT, accepts, not_equals_kernel, NULL, NULL},
    {"LESS_THAN", SCALARS, SFI_STRICT, accepts, less_kernel, NULL, NULL},
    {"LESS_THAN_OR_EQUAL", SCALARS, SFI_STRICT, accepts, less_or_equal_kernel, NULL, NULL},
    {"GREATER_THAN", SCALARS, SFI_STRICT, accepts, greater_kernel, NULL, NULL},
    {"GREATER_THAN_OR_EQUAL", SCALARS, SFI_STRICT, accepts, greater_or_equal_kernel, NULL, NULL},
    {"IS_DISTINCT_FROM", SCALARS, 0, accepts, distinct_kernel, NULL, NULL},
    {"IS_NOT_DISTINCT_FROM", SCALARS, 0, accepts, not_distinct_kernel, NULL, NULL},
    {NULL, NULL, 0, NULL, NULL, NULL, NULL},
};
