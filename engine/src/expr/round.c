/* ROUND and TRUNCATE of exact numbers, with a literal number of digits or none.
 *
 * SqlFunctionUtils.sround and struncate: to 10^-digits, HALF_UP or toward zero. Floating-point operands are in
 * real_text.c; a number of digits that is no literal stays with the host. */
#include "expr/decimal.h"
#include "expr/loops.h"

bool sfi_literal_places(const sfi_call *call, int32_t *out) {
  *out = 0;
  if (call->n_args == 1) return true;
  const sf_column *c = sfi_const_arg(call, 1);
  if (c == NULL || c->type->kind != SF_TYPE_INTEGER || sf_column_is_null(c, 0)) return false;
  *out = *(const int32_t *)c->values;
  return *out >= -1000 && *out <= 1000;
}

/* v to a multiple of 10^zeros. */
static __int128 cut(__int128 v, int32_t zeros, bool half_up) {
  if (zeros <= 0) return v;
  if (zeros > SFI_MAX_PRECISION) return 0;
  sfi_u128 m = sfi_magnitude(v), power = sfi_pow10(zeros), rest = m % power;
  m -= rest;
  if (half_up && power - rest <= rest) m += power;
  return v < 0 ? -(__int128)m : (__int128)m;
}

/* --- integers: the result wraps when rounding up leaves the type */

static sf_status integers(const sfi_call *call, sfi_eval *ev, bool half_up, const sf_column *arg, sf_column **out,
                          sf_error *err) {
  int32_t digits = 0;
  (void)sfi_literal_places(call, &digits);
  if (digits >= 0) return sf_column_retype((sf_column *)(uintptr_t)arg, call->type, out, err);
  sfi_operand operand = {0};
  SF_TRY(sfi_operand_open(ev, arg, SF_LAYOUT_INT64, &operand, err));
  sf_buffer *values = NULL;
  sf_status st = sf_buffer_create(ev->pool, sizeof(int64_t) * (size_t)ev->length, &values, err);
  if (st == SF_OK) {
    const int64_t *from = operand.values;
    int64_t *to = (int64_t *)(void *)sf_buffer_data(values);
    for (int64_t i = 0; i < ev->length; i++) to[i] = (int64_t)(uint64_t)(sfi_u128)cut(from[i], -digits, half_up);
    if (call->type->layout != SF_LAYOUT_INT64) sfi_convert(to, SF_LAYOUT_INT64, to, call->type->layout, ev->length);
  }
  sfi_operand_close(&operand);
  return st == SF_OK ? sfi_finish_strict(call, ev, values, NULL, out, err) : st;
}

static sf_status round_integer_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                      sf_error *err) {
  return integers(call, ev, true, args[0], out, err);
}

static sf_status truncate_integer_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args,
                                         sf_column **out, sf_error *err) {
  return integers(call, ev, false, args[0], out, err);
}

/* --- DECIMAL */

/* Precision and scale that Flink gives the value. */
static sfi_digits rounded_digits(sfi_digits from, int32_t digits) {
  if (digits >= from.scale) return from;
  if (digits >= 0) return (sfi_digits){1 + from.precision - from.scale + digits, digits};
  int32_t precision = 1 + from.precision - from.scale;
  return (sfi_digits){precision > SFI_MAX_PRECISION ? SFI_MAX_PRECISION : precision, 0};
}

static sf_status store_rounded(const sfi_call *call, sfi_eval *ev, bool half_up, const sf_column *arg, uint8_t *to,
                               sf_buffer **validity, sf_error *err) {
  int32_t digits = 0;
  (void)sfi_literal_places(call, &digits);
  sfi_digits from = sfi_digits_of(arg->type), target = rounded_digits(from, digits);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    __int128 v = arg->type->layout == SF_LAYOUT_INT64 ? ((const int64_t *)arg->values)[i]
                                                      : ((const __int128 *)arg->values)[i];
    v = cut(v, from.scale - digits, half_up);
    if (target.scale < from.scale) v /= (__int128)sfi_pow10(from.scale - target.scale);
    if (!sfi_fits(v, target.precision)) {
      if (*validity == NULL) SF_TRY(sfi_validity_create(ev, true, validity, err));
      sf_bit_clear(sf_buffer_data(*validity), i);
      v = 0;
    }
    if (call->type->layout == SF_LAYOUT_INT64) {
      ((int64_t *)(void *)to)[i] = (int64_t)v;
    } else {
      ((__int128 *)(void *)to)[i] = v;
    }
  }
  return SF_OK;
}

static sf_status decimals(const sfi_call *call, sfi_eval *ev, bool half_up, const sf_column *arg, sf_column **out,
                          sf_error *err) {
  sf_buffer *values = NULL, *validity = NULL;
  SF_TRY(sfi_values_create(ev, call->type->layout, &values, err));
  sf_status st = store_rounded(call, ev, half_up, arg, sf_buffer_data(values), &validity, err);
  if (st != SF_OK) {
    sf_buffer_release(values);
    sf_buffer_release(validity);
    return st;
  }
  if (validity != NULL) return sfi_finish(call, ev, validity, values, NULL, NULL, 0, out, err);
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

static sf_status round_decimal_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                      sf_error *err) {
  return decimals(call, ev, true, args[0], out, err);
}

static sf_status truncate_decimal_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args,
                                         sf_column **out, sf_error *err) {
  return decimals(call, ev, false, args[0], out, err);
}

/* --- table */

static bool accepts_digits(const sfi_call *call) {
  int32_t digits;
  return (call->n_args == 1 || call->n_args == 2) && sfi_literal_places(call, &digits);
}

static bool accepts_integer(const sfi_call *call) {
  if (!accepts_digits(call)) return false;
  sf_type_kind kind = call->type->kind;
  return call->arg_types[0]->kind == kind && kind >= SF_TYPE_TINYINT && kind <= SF_TYPE_BIGINT;
}

/* Flink's generated code for TRUNCATE of smaller integers does not compile. */
static bool accepts_large_integer(const sfi_call *call) {
  return accepts_integer(call) && call->type->kind >= SF_TYPE_INTEGER;
}

static bool accepts_decimal(const sfi_call *call) {
  if (!accepts_digits(call) || call->type->kind != SF_TYPE_DECIMAL || call->arg_types[0]->kind != SF_TYPE_DECIMAL) {
    return false;
  }
  int32_t digits = 0;
  (void)sfi_literal_places(call, &digits);
  sfi_digits target = rounded_digits(sfi_digits_of(call->arg_types[0]), digits);
  return call->type->scale == target.scale && call->type->precision >= target.precision;
}

const sfi_function sfi_round_functions[] = {
    {"ROUND", "(integer [, INTEGER literal])", SFI_STRICT, accepts_integer, round_integer_kernel, NULL, NULL},
    {"ROUND", "(DECIMAL [, INTEGER literal])", SFI_STRICT, accepts_decimal, round_decimal_kernel, NULL, NULL},
    {"TRUNCATE", "(INTEGER or BIGINT [, INTEGER literal])", SFI_STRICT, accepts_large_integer, truncate_integer_kernel,
     NULL, NULL},
    {"TRUNCATE", "(DECIMAL [, INTEGER literal])", SFI_STRICT, accepts_decimal, truncate_decimal_kernel, NULL, NULL},
    {NULL, NULL, 0, NULL, NULL, NULL, NULL},
};
