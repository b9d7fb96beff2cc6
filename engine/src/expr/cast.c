/* CAST and TRY_CAST among numbers, DECIMAL, BOOLEAN and intervals, casts that change no bytes, and REINTERPRET.
 *
 * The rules are those of org.apache.flink.table.planner.functions.casting without legacy behaviour: primitive casts are
 * Java's, a value that does not fit a DECIMAL becomes NULL, so that CAST and TRY_CAST do not differ here. */
#include <string.h>

#include "expr/decimal.h"
#include "expr/loops.h"

/* --- to DECIMAL */

static inline __int128 exact_at(const void *values, bool wide, int64_t i) {
  return wide ? ((const __int128 *)values)[i] : ((const int64_t *)values)[i];
}

static inline void store_exact(const sf_type *type, void *values, int64_t i, __int128 v) {
  if (type->layout == SF_LAYOUT_INT64) {
    ((int64_t *)values)[i] = (int64_t)v;
  } else {
    ((__int128 *)values)[i] = v;
  }
}

/* The values with zeros appended, where no digit can be lost. */
static void append_zeros(const void *from, bool wide, const sf_type *type, int32_t zeros, void *to, int64_t n) {
  sfi_u128 factor = sfi_pow10(zeros);
  if (type->layout == SF_LAYOUT_INT64) {
    const uint64_t *f = from;
    uint64_t *t = to, small = (uint64_t)factor;
    for (int64_t i = 0; i < n; i++) t[i] = f[i] * small;
  } else if (wide) {
    const sfi_u128 *f = from;
    sfi_u128 *t = to;
    for (int64_t i = 0; i < n; i++) t[i] = f[i] * factor;
  } else {
    const int64_t *f = from;
    sfi_u128 *t = to;
    for (int64_t i = 0; i < n; i++) t[i] = (sfi_u128)(__int128)f[i] * factor;
  }
}

/* DecimalData.fromBigDecimal row by row. */
static sf_status rescale_rows(const sfi_call *call, sfi_eval *ev, const void *from, bool wide, int32_t from_scale,
                              void *to, sf_buffer **validity, sf_error *err) {
  const sf_type *type = call->type;
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    __int128 v = 0;
    if (sfi_rescale(exact_at(from, wide, i), from_scale, type->scale, type->precision, &v)) {
      store_exact(type, to, i, v);
      continue;
    }
    store_exact(type, to, i, 0);
    if (*validity == NULL) SF_TRY(sfi_validity_create(ev, true, validity, err));
    sf_bit_clear(sf_buffer_data(*validity), i);
  }
  return SF_OK;
}

static sf_status to_decimal_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                   sf_error *err) {
  const sf_type *type = call->type;
  sfi_digits digits = args[0]->type->kind == SF_TYPE_BOOLEAN ? (sfi_digits){1, 0} : sfi_digits_of(args[0]->type);
  bool wide = args[0]->type->layout == SF_LAYOUT_INT128;
  sfi_operand operand = {0};
  sf_buffer *values = NULL, *validity = NULL;
  sf_status st = sfi_operand_open(ev, args[0], wide ? SF_LAYOUT_INT128 : SF_LAYOUT_INT64, &operand, err);
  if (st == SF_OK) st = sfi_values_create(ev, type->layout, &values, err);
  int32_t zeros = type->scale - digits.scale;
  /* Of a type without whole digits a value can be 1: SIGN. */
  bool can_be_one = digits.precision == digits.scale && type->precision == type->scale;
  if (st == SF_OK && zeros >= 0 && digits.precision + zeros <= type->precision && !can_be_one &&
      !(wide && type->layout == SF_LAYOUT_INT64)) {
    append_zeros(operand.values, wide, type, zeros, sf_buffer_data(values), ev->length);
  } else if (st == SF_OK) {
    st = rescale_rows(call, ev, operand.values, wide, digits.scale, sf_buffer_data(values), &validity, err);
  }
  sfi_operand_close(&operand);
  if (st != SF_OK) {
    sf_buffer_release(values);
    sf_buffer_release(validity);
    return st;
  }
  if (validity != NULL) return sfi_finish(call, ev, validity, values, NULL, NULL, 0, out, err);
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

/* --- to primitives */

static sf_status to_primitive_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                     sf_error *err) {
  sfi_operand operand = {0};
  SF_TRY(sfi_number_open(ev, args[0], call->type->layout, &operand, err));
  sf_buffer *values = operand.owned;
  if (values == NULL) {
    sf_status st = sfi_values_create(ev, call->type->layout, &values, err);
    if (st != SF_OK) return st;
    memcpy(sf_buffer_data(values), operand.values, sf_layout_width(call->type->layout) * (size_t)ev->length);
  }
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

#define NONZERO(type)                                            \
  {                                                              \
    const type *f = from;                                        \
    for (int64_t i = 0; i < n; i++) to[i] = (uint8_t)(f[i] != 0); \
    break;                                                       \
  }

static void nonzero(const void *from, sf_layout layout, uint8_t *restrict to, int64_t n) {
  switch (layout) {
    case SF_LAYOUT_INT8: NONZERO(int8_t)
    case SF_LAYOUT_INT16: NONZERO(int16_t)
    case SF_LAYOUT_INT32: NONZERO(int32_t)
    case SF_LAYOUT_INT64: NONZERO(int64_t)
    case SF_LAYOUT_FLOAT: NONZERO(float)
    case SF_LAYOUT_DOUBLE: NONZERO(double)
    default: NONZERO(__int128)
  }
}

static sf_status to_boolean_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                   sf_error *err) {
  sf_buffer *values = NULL;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_BOOL, &values, err));
  nonzero(args[0]->values, args[0]->type->layout, sf_buffer_data(values), ev->length);
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

/* --- no change of bytes */

static sf_status retype_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                               sf_error *err) {
  (void)ev;
  return sf_column_retype((sf_column *)(uintptr_t)args[0], call->type, out, err);
}

/* A cast of the untyped NULL; the evaluator answers before any kernel runs. */
static sf_status null_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                             sf_error *err) {
  (void)args;
  return sf_column_create_null(ev->pool, call->type, ev->length, out, err);
}

/* --- REINTERPRET between TIMESTAMP and BIGINT where the layout has nanoseconds */

static sf_status millis_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                               sf_error *err) {
  sf_buffer *values = NULL, *nanos = NULL;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_INT64, &values, err));
  memcpy(sf_buffer_data(values), args[0]->values, sizeof(int64_t) * (size_t)ev->length);
  if (call->type->layout == SF_LAYOUT_TIMESTAMP) {
    sf_status st = sfi_values_create(ev, SF_LAYOUT_INT32, &nanos, err);
    if (st != SF_OK) {
      sf_buffer_release(values);
      return st;
    }
    memset(sf_buffer_data(nanos), 0, sizeof(int32_t) * (size_t)ev->length);
  }
  return sfi_finish_strict(call, ev, values, nanos, out, err);
}

/* --- accepted types */

static bool is_integer(const sf_type *t) { return t->kind >= SF_TYPE_TINYINT && t->kind <= SF_TYPE_BIGINT; }
static bool is_real(const sf_type *t) { return t->kind == SF_TYPE_FLOAT || t->kind == SF_TYPE_DOUBLE; }
static bool is_decimal(const sf_type *t) { return t->kind == SF_TYPE_DECIMAL; }
static bool is_boolean(const sf_type *t) { return t->kind == SF_TYPE_BOOLEAN; }
static bool is_interval(const sf_type *t) {
  return t->kind == SF_TYPE_INTERVAL_YEAR_MONTH || t->kind == SF_TYPE_INTERVAL_DAY_TIME;
}

static bool accepts_to_decimal(const sfi_call *call) {
  if (call->n_args != 1 || !is_decimal(call->type)) return false;
  const sf_type *from = call->arg_types[0];
  /* BOOLEAN to a DECIMAL without integer digits is refused by Flink's planner. */
  if (is_boolean(from)) return call->type->precision > call->type->scale;
  return is_integer(from) || is_decimal(from);
}

static bool interval_to_number(const sf_type *from, const sf_type *to) {
  return is_interval(from) && (to->kind == SF_TYPE_INTEGER || to->kind == SF_TYPE_BIGINT);
}

static bool accepts_to_primitive(const sfi_call *call) {
  if (call->n_args != 1) return false;
  const sf_type *from = call->arg_types[0], *to = call->type;
  if (interval_to_number(from, to)) return true;
  if (is_interval(to)) return is_integer(from);
  return (is_integer(to) || is_real(to)) && (is_integer(from) || is_real(from) || is_decimal(from) || is_boolean(from));
}

static bool accepts_to_boolean(const sfi_call *call) {
  if (call->n_args != 1 || !is_boolean(call->type)) return false;
  const sf_type *from = call->arg_types[0];
  return is_integer(from) || is_real(from) || is_decimal(from);
}

/* Same type, or a string into a VARCHAR that is no shorter: neither padded nor cut. */
static bool accepts_retype(const sfi_call *call) {
  if (call->n_args != 1) return false;
  const sf_type *from = call->arg_types[0], *to = call->type;
  if (sf_type_equal(from, to, false)) return true;
  bool text = from->kind == SF_TYPE_CHAR || from->kind == SF_TYPE_VARCHAR;
  return text && to->kind == SF_TYPE_VARCHAR && from->length <= to->length;
}

static bool accepts_null(const sfi_call *call) { return call->n_args == 1 && call->arg_types[0]->kind == SF_TYPE_NULL; }

/* Pairs of ScalarOperatorGens.generateReinterpret whose bytes are the same or widen. */
static bool accepts_reinterpret(const sfi_call *call) {
  if (call->n_args != 1) return false;
  sf_type_kind from = call->arg_types[0]->kind, to = call->type->kind;
  switch (from) {
    case SF_TYPE_DATE:
    case SF_TYPE_TIME:
    case SF_TYPE_INTERVAL_YEAR_MONTH: return to == SF_TYPE_INTEGER || to == SF_TYPE_BIGINT;
    case SF_TYPE_INTERVAL_DAY_TIME: return to == SF_TYPE_BIGINT;
    case SF_TYPE_INTEGER: return to == SF_TYPE_DATE || to == SF_TYPE_TIME || to == SF_TYPE_INTERVAL_YEAR_MONTH;
    case SF_TYPE_BIGINT: return to == SF_TYPE_INTERVAL_DAY_TIME;
    default: return false;
  }
}

static bool accepts_millis(const sfi_call *call) {
  if (call->n_args != 1) return false;
  sf_type_kind from = call->arg_types[0]->kind, to = call->type->kind;
  return (from == SF_TYPE_TIMESTAMP && to == SF_TYPE_BIGINT) || (from == SF_TYPE_BIGINT && to == SF_TYPE_TIMESTAMP);
}

#define CASTS(name)                                                                                                  \
  {name, "(T) -> T; (CHAR or VARCHAR) -> longer VARCHAR", SFI_STRICT, accepts_retype, retype_kernel, NULL, NULL},     \
      {name, "(NULL) -> T", SFI_STRICT, accepts_null, null_kernel, NULL, NULL},                                       \
      {name, "(integer, DECIMAL, BOOLEAN) -> DECIMAL", SFI_STRICT, accepts_to_decimal, to_decimal_kernel, NULL, NULL}, \
      {name, "(NUMERIC, BOOLEAN) -> TINYINT..DOUBLE; INTERVAL from and to integers", SFI_STRICT,                      \
       accepts_to_primitive, to_primitive_kernel, NULL, NULL},                                                        \
      {name, "(NUMERIC) -> BOOLEAN", SFI_STRICT, accepts_to_boolean, to_boolean_kernel, NULL, NULL},

const sfi_function sfi_cast_functions[] = {
    CASTS("CAST")
    CASTS("TRY_CAST")
    {"REINTERPRET", "(T) -> T", SFI_STRICT, accepts_retype, retype_kernel, NULL, NULL},
    {"REINTERPRET", "DATE, TIME, INTERVAL from and to integers", SFI_STRICT, accepts_reinterpret, to_primitive_kernel,
     NULL, NULL},
    {"REINTERPRET", "TIMESTAMP from and to BIGINT", SFI_STRICT, accepts_millis, millis_kernel, NULL, NULL},
    {NULL, NULL, 0, NULL, NULL, NULL, NULL},
};
