/* FLOAT and DOUBLE on their way to DECIMAL, through Java's text of the number: CAST to DECIMAL, ROUND and TRUNCATE.
 *
 * Flink takes BigDecimal.valueOf(double), the digits of Double.toString, which depend on the JDK; FLOAT is widened to
 * double first. */
#include <math.h>
#include <string.h>

#include "expr/decimal.h"
#include "streamfusion/java_number.h"

static double real_at(const sf_column *c, int64_t i) {
  return c->type->layout == SF_LAYOUT_FLOAT ? (double)((const float *)c->values)[i] : ((const double *)c->values)[i];
}

/* new BigDecimal("NaN") and the like. */
static sf_status not_a_number(double v, int64_t row, sf_error *err) {
  return sf_fail_row(err, SF_NUMBER_FORMAT, row,
                     "Character %c is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark.",
                     isnan(v) ? 'N' : 'I');
}

/* BigDecimal.valueOf(v) at a scale; false: more than `precision` digits. v is finite. */
static bool to_decimal(double v, bool legacy, sfi_digits to, __int128 *out) {
  char text[SF_DOUBLE_TEXT_MAX];
  size_t size = sf_double_text(v, legacy, text);
  return sf_parse_decimal((const uint8_t *)text, size, to.precision, to.scale, out) == SF_DECIMAL_PARSED;
}

/* --- CAST */

static sf_status cast_rows(const sfi_call *call, sfi_eval *ev, const sf_column *arg, void *to, sf_buffer **validity,
                           sf_error *err) {
  bool legacy = sfi_session_double_legacy(ev->session);
  sfi_digits digits = {call->type->precision, call->type->scale};
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    __int128 v = 0;
    if (sfi_strict_valid(ev, i)) {
      double from = real_at(arg, i);
      if (!isfinite(from)) return not_a_number(from, i, err);
      if (!to_decimal(from, legacy, digits, &v)) {
        v = 0;
        if (*validity == NULL) SF_TRY(sfi_validity_create(ev, true, validity, err));
        sf_bit_clear(sf_buffer_data(*validity), i);
      }
    }
    if (call->type->layout == SF_LAYOUT_INT64) {
      ((int64_t *)to)[i] = (int64_t)v;
    } else {
      ((__int128 *)to)[i] = v;
    }
  }
  return SF_OK;
}

static sf_status cast_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                             sf_error *err) {
  sf_buffer *values = NULL, *validity = NULL;
  SF_TRY(sfi_values_create(ev, call->type->layout, &values, err));
  sf_status st = cast_rows(call, ev, args[0], sf_buffer_data(values), &validity, err);
  if (st != SF_OK) {
    sf_buffer_release(values);
    sf_buffer_release(validity);
    return st;
  }
  if (validity != NULL) return sfi_finish(call, ev, validity, values, NULL, NULL, 0, out, err);
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

/* --- ROUND */

/* The number's digits without point and exponent: |v| = digits * 10^-scale. */
static uint64_t split_text(const char *text, size_t size, int32_t *scale) {
  uint64_t digits = 0;
  int32_t exponent = 0, fraction = 0;
  bool point = false, negative = false;
  size_t i = 0;
  for (; i < size && text[i] != 'E'; i++) {
    if (text[i] == '.') {
      point = true;
    } else if (text[i] != '-') {
      digits = digits * 10 + (uint64_t)(text[i] - '0');
      fraction += point;
    }
  }
  for (i++; i < size; i++) {
    if (text[i] == '-') {
      negative = true;
    } else {
      exponent = exponent * 10 + (text[i] - '0');
    }
  }
  *scale = fraction - (negative ? -exponent : exponent);
  return digits;
}

/* digits * 10^-scale as a double, or as a float widened to double; correctly rounded. */
static double to_real(uint64_t digits, int32_t scale, bool as_float) {
  char text[48];
  size_t size = sf_long_text((int64_t)digits, text);
  text[size++] = 'E';
  size += sf_long_text(-(int64_t)scale, text + size);
  double d = 0;
  float f = 0;
  if (as_float) {
    (void)sf_parse_float((const uint8_t *)text, size, &f);
    return f;
  }
  (void)sf_parse_double((const uint8_t *)text, size, &d);
  return d;
}

/* SqlFunctionUtils.sround of a finite number: HALF_UP at 10^-places. */
static double round_one(double v, int32_t places, bool legacy, bool as_float) {
  char text[SF_DOUBLE_TEXT_MAX];
  int32_t scale;
  uint64_t digits = split_text(text, sf_double_text(v, legacy, text), &scale);
  int32_t drop = scale - places;
  if (digits == 0 || drop > 19) return 0; /* no sign on a BigDecimal's zero; 19 digits and more to drop leave none */
  if (drop <= 0) return v;
  sfi_u128 power = sfi_pow10(drop);
  uint64_t kept = (uint64_t)(digits / power);
  kept += power - digits % power <= digits % power;
  if (kept == 0) return 0;
  double rounded = to_real(kept, places, as_float);
  return v < 0 ? -rounded : rounded;
}

/* --- TRUNCATE */

/* SqlFunctionUtils.struncate: through DECIMAL(38, 18), toward zero. False: beyond DECIMAL(38, 18). */
static bool truncate_one(double v, int32_t places, bool legacy, double *out) {
  __int128 d;
  if (!to_decimal(v, legacy, (sfi_digits){SFI_MAX_PRECISION, 18}, &d)) return false;
  int32_t zeros = 18 - places;
  if (zeros > SFI_MAX_PRECISION) {
    d = 0;
  } else if (zeros > 0) {
    d -= d % (__int128)sfi_pow10(zeros);
  }
  *out = sfi_decimal_to_double(d, (sfi_digits){SFI_MAX_PRECISION, 18});
  return true;
}

/* --- kernels */

static sf_status real_rows(const sfi_call *call, sfi_eval *ev, bool truncates, const sf_column *arg, void *to,
                           sf_error *err) {
  bool legacy = sfi_session_double_legacy(ev->session), as_float = call->type->kind == SF_TYPE_FLOAT;
  int32_t places = 0;
  (void)sfi_literal_places(call, &places);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    double v = 0;
    if (sfi_strict_valid(ev, i)) {
      v = real_at(arg, i);
      if (!isfinite(v)) return not_a_number(v, i, err);
      if (!truncates) {
        v = round_one(v, places, legacy, as_float);
      } else if (!truncate_one(v, places, legacy, &v)) {
        return sf_fail_row(err, SF_NULL_POINTER, i,
                           "Cannot invoke \"org.apache.flink.table.data.DecimalData.scale()\" because \"b0\" is null");
      }
    }
    if (as_float) {
      ((float *)to)[i] = (float)v;
    } else {
      ((double *)to)[i] = v;
    }
  }
  return SF_OK;
}

static sf_status real_kernel(const sfi_call *call, sfi_eval *ev, bool truncates, const sf_column *const *args,
                             sf_column **out, sf_error *err) {
  sf_buffer *values = NULL;
  SF_TRY(sfi_values_create(ev, call->type->layout, &values, err));
  sf_status st = real_rows(call, ev, truncates, args[0], sf_buffer_data(values), err);
  if (st != SF_OK) {
    sf_buffer_release(values);
    return st;
  }
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

static sf_status round_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                              sf_error *err) {
  return real_kernel(call, ev, false, args, out, err);
}

static sf_status truncate_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                 sf_error *err) {
  return real_kernel(call, ev, true, args, out, err);
}

/* --- table */

static bool is_real(const sf_type *t) { return t->kind == SF_TYPE_FLOAT || t->kind == SF_TYPE_DOUBLE; }

static bool accepts_cast(const sfi_call *call) {
  return call->n_args == 1 && call->type->kind == SF_TYPE_DECIMAL && is_real(call->arg_types[0]);
}

static bool accepts_real(const sfi_call *call) {
  int32_t places;
  return (call->n_args == 1 || call->n_args == 2) && is_real(call->type) &&
         call->arg_types[0]->kind == call->type->kind && sfi_literal_places(call, &places);
}

const sfi_function sfi_real_text_functions[] = {
    {"CAST", "(FLOAT or DOUBLE) -> DECIMAL", SFI_STRICT | SFI_CAN_FAIL, accepts_cast, cast_kernel, NULL, NULL},
    {"TRY_CAST", "(FLOAT or DOUBLE) -> DECIMAL", SFI_STRICT | SFI_CAN_FAIL, accepts_cast, cast_kernel, NULL, NULL},
    {"ROUND", "(FLOAT or DOUBLE [, INTEGER literal])", SFI_STRICT | SFI_CAN_FAIL, accepts_real, round_kernel, NULL,
     NULL},
    {"TRUNCATE", "(FLOAT or DOUBLE [, INTEGER literal])", SFI_STRICT | SFI_CAN_FAIL, accepts_real, truncate_kernel,
     NULL, NULL},
    {NULL, NULL, 0, NULL, NULL, NULL, NULL},
};
