/* GREATEST and LEAST of values of one type: NULL where any is. Source: ScalarOperatorGens.generateGreatestLeast, which compares
 * boxed values, so floating-point numbers as Double.compare does. Text is the host's: its order depends on how Flink happens
 * to hold it. */
#include <string.h>

#include "expr/kernel.h"

static bool accepts_same(const sfi_call *call) {
  switch (call->type->kind) {
    case SF_TYPE_TINYINT:
    case SF_TYPE_SMALLINT:
    case SF_TYPE_INTEGER:
    case SF_TYPE_BIGINT:
    case SF_TYPE_FLOAT:
    case SF_TYPE_DOUBLE:
    case SF_TYPE_DATE:
    case SF_TYPE_TIME: break;
    case SF_TYPE_TIMESTAMP:
    case SF_TYPE_TIMESTAMP_LTZ:
      if (call->type->layout != SF_LAYOUT_INT64) return false;
      break;
    default: return false;
  }
  for (int32_t i = 0; i < call->n_args; i++) {
    if (!sf_type_equal(call->arg_types[i], call->type, false)) return false;
  }
  return call->n_args > 0;
}

/* -0.0 is below 0.0, NaN above everything. */
static int compare_double(double a, double b) {
  if (a < b) return -1;
  if (a > b) return 1;
  int64_t x, y;
  if (a != a) a = __builtin_nan("");
  if (b != b) b = __builtin_nan("");
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  return x == y ? 0 : x < y ? -1 : 1;
}

#define COMPARE_INTEGERS(a, b) ((a) < (b) ? -1 : (a) > (b))

/* Folds the arguments into `to`, which starts as the first. */
#define FOLD(name, type, compare)                                                                       \
  static void name(const sf_column *arg, type *to, int64_t n, int sign) {                               \
    const type *from = arg->values;                                                                     \
    const int64_t step = arg->is_const ? 0 : 1;                                                         \
    for (int64_t i = 0; i < n; i++) {                                                                   \
      if (compare(from[i * step], to[i]) * sign > 0) to[i] = from[i * step];                            \
    }                                                                                                   \
  }
FOLD(fold_int8, int8_t, COMPARE_INTEGERS)
FOLD(fold_int16, int16_t, COMPARE_INTEGERS)
FOLD(fold_int32, int32_t, COMPARE_INTEGERS)
FOLD(fold_int64, int64_t, COMPARE_INTEGERS)
FOLD(fold_float, float, compare_double)
FOLD(fold_double, double, compare_double)

static void fold(const sf_column *arg, void *to, int64_t n, int sign) {
  switch (arg->type->layout) {
    case SF_LAYOUT_INT8: fold_int8(arg, to, n, sign); break;
    case SF_LAYOUT_INT16: fold_int16(arg, to, n, sign); break;
    case SF_LAYOUT_INT32: fold_int32(arg, to, n, sign); break;
    case SF_LAYOUT_INT64: fold_int64(arg, to, n, sign); break;
    case SF_LAYOUT_FLOAT: fold_float(arg, to, n, sign); break;
    default: fold_double(arg, to, n, sign); break;
  }
}

static void copy_first(const sf_column *arg, uint8_t *to, int64_t n) {
  const size_t width = sf_layout_width(arg->type->layout);
  if (!arg->is_const) {
    memcpy(to, arg->values, width * (size_t)n);
    return;
  }
  for (int64_t i = 0; i < n; i++) memcpy(to + (size_t)i * width, arg->values, width);
}

static sf_status run(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, int sign, sf_column **out,
                     sf_error *err) {
  sf_buffer *values = NULL;
  SF_TRY(sfi_values_create(ev, call->type->layout, &values, err));
  copy_first(args[0], sf_buffer_data(values), ev->length);
  for (int32_t i = 1; i < call->n_args; i++) fold(args[i], sf_buffer_data(values), ev->length, sign);
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

static sf_status run_greatest(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                              sf_error *err) {
  return run(call, ev, args, 1, out, err);
}

static sf_status run_least(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                           sf_error *err) {
  return run(call, ev, args, -1, out, err);
}

#define SIGNATURE "(T, ...) -> T: integer, FLOAT, DOUBLE, DATE, TIME, TIMESTAMP or TIMESTAMP_LTZ up to milliseconds"
const sfi_function sfi_extreme_functions[] = {
    {.name = "GREATEST", .signature = SIGNATURE, .flags = SFI_STRICT, .accepts = accepts_same, .kernel = run_greatest},
    {.name = "LEAST", .signature = SIGNATURE, .flags = SFI_STRICT, .accepts = accepts_same, .kernel = run_least},
    {.name = NULL},
};
