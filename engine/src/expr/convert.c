/* Java's primitive conversions over vectors. */
#include "expr/loops.h"

#include <math.h>

#include "expr/decimal.h"

#define PLAIN(name, from_type, to_type)                                                  \
  SFI_VECTOR static void name(const void *from, void *to, int64_t n) {                   \
    const from_type *f = from;                                                           \
    to_type *t = to;                                                                     \
    for (int64_t i = 0; i < n; i++) t[i] = (to_type)f[i];                                \
  }

#define FROM_INTEGER(prefix, from_type)         \
  PLAIN(prefix##_int8, from_type, int8_t)       \
  PLAIN(prefix##_int16, from_type, int16_t)     \
  PLAIN(prefix##_int32, from_type, int32_t)     \
  PLAIN(prefix##_int64, from_type, int64_t)     \
  PLAIN(prefix##_float, from_type, float)       \
  PLAIN(prefix##_double, from_type, double)     \
  PLAIN(prefix##_int128, from_type, __int128)

FROM_INTEGER(bool, uint8_t)
FROM_INTEGER(int8, int8_t)
FROM_INTEGER(int16, int16_t)
FROM_INTEGER(int32, int32_t)
FROM_INTEGER(int64, int64_t)
PLAIN(float_double, float, double)
PLAIN(double_float, double, float)
PLAIN(float_float, float, float)
PLAIN(double_double, double, double)

/* JLS 5.1.3: NaN to 0, out of range to the nearest end. */
static int32_t to_int32(double v) {
  if (isnan(v)) return 0;
  if (v >= 2147483647.0) return INT32_MAX;
  if (v <= -2147483648.0) return INT32_MIN;
  return (int32_t)v;
}

static int64_t to_int64(double v) {
  if (isnan(v)) return 0;
  if (v >= 9223372036854775807.0) return INT64_MAX;
  if (v <= -9223372036854775808.0) return INT64_MIN;
  return (int64_t)v;
}

#define SATURATING(prefix, from_type)                                                                            \
  static void prefix##_int8(const void *from, void *to, int64_t n) {                                             \
    const from_type *f = from;                                                                                   \
    int8_t *t = to;                                                                                              \
    for (int64_t i = 0; i < n; i++) t[i] = (int8_t)to_int32(f[i]);                                               \
  }                                                                                                              \
  static void prefix##_int16(const void *from, void *to, int64_t n) {                                            \
    const from_type *f = from;                                                                                   \
    int16_t *t = to;                                                                                             \
    for (int64_t i = 0; i < n; i++) t[i] = (int16_t)to_int32(f[i]);                                              \
  }                                                                                                              \
  static void prefix##_int32(const void *from, void *to, int64_t n) {                                            \
    const from_type *f = from;                                                                                   \
    int32_t *t = to;                                                                                             \
    for (int64_t i = 0; i < n; i++) t[i] = to_int32(f[i]);                                                       \
  }                                                                                                              \
  static void prefix##_int64(const void *from, void *to, int64_t n) {                                            \
    const from_type *f = from;                                                                                   \
    int64_t *t = to;                                                                                             \
    for (int64_t i = 0; i < n; i++) t[i] = to_int64(f[i]);                                                       \
  }
SATURATING(float, float)
SATURATING(double, double)

typedef void (*converter)(const void *, void *, int64_t);

#define INTEGER_ROW(prefix)                                                                                      \
  {                                                                                                              \
    [SF_LAYOUT_INT8] = prefix##_int8, [SF_LAYOUT_INT16] = prefix##_int16, [SF_LAYOUT_INT32] = prefix##_int32,     \
    [SF_LAYOUT_INT64] = prefix##_int64, [SF_LAYOUT_FLOAT] = prefix##_float, [SF_LAYOUT_DOUBLE] = prefix##_double, \
    [SF_LAYOUT_INT128] = prefix##_int128                                                                         \
  }
#define REAL_ROW(prefix)                                                                                         \
  {                                                                                                              \
    [SF_LAYOUT_INT8] = prefix##_int8, [SF_LAYOUT_INT16] = prefix##_int16, [SF_LAYOUT_INT32] = prefix##_int32,     \
    [SF_LAYOUT_INT64] = prefix##_int64, [SF_LAYOUT_FLOAT] = prefix##_float, [SF_LAYOUT_DOUBLE] = prefix##_double  \
  }

static const converter converters[SF_LAYOUT_INT128 + 1][SF_LAYOUT_INT128 + 1] = {
    [SF_LAYOUT_BOOL] = INTEGER_ROW(bool),   [SF_LAYOUT_INT8] = INTEGER_ROW(int8),
    [SF_LAYOUT_INT16] = INTEGER_ROW(int16), [SF_LAYOUT_INT32] = INTEGER_ROW(int32),
    [SF_LAYOUT_INT64] = INTEGER_ROW(int64), [SF_LAYOUT_FLOAT] = REAL_ROW(float),
    [SF_LAYOUT_DOUBLE] = REAL_ROW(double),
};

bool sfi_convert(const void *from_values, sf_layout from, void *to_values, sf_layout to, int64_t n) {
  if (from > SF_LAYOUT_INT128 || to > SF_LAYOUT_INT128 || converters[from][to] == NULL) return false;
  converters[from][to](from_values, to_values, n);
  return true;
}

sf_status sfi_operand_open(const sfi_eval *ev, const sf_column *column, sf_layout layout, sfi_operand *out,
                           sf_error *err) {
  *out = (sfi_operand){column->values, column->is_const, NULL};
  if (column->type->layout == layout) return SF_OK;
  int64_t n = column->is_const ? 1 : ev->length;
  SF_TRY(sf_buffer_create(ev->pool, sf_layout_width(layout) * (size_t)n, &out->owned, err));
  out->values = sf_buffer_data(out->owned);
  if (sfi_convert(column->values, column->type->layout, sf_buffer_data(out->owned), layout, n)) return SF_OK;
  sfi_operand_close(out);
  return sf_fail(err, SF_INTERNAL, "no conversion from layout %d to %d", (int)column->type->layout, (int)layout);
}

static __int128 unscaled(const sf_column *c, int64_t i) {
  return c->type->layout == SF_LAYOUT_INT64 ? ((const int64_t *)c->values)[i] : ((const __int128 *)c->values)[i];
}

/* DecimalDataUtils.doubleValue */
static void decimals_to_doubles(const sf_column *c, double *to, int64_t n) {
  sfi_digits digits = sfi_digits_of(c->type);
  if (c->type->layout == SF_LAYOUT_INT64) {
    const int64_t *from = c->values;
    double divisor = (double)sfi_pow10(digits.scale);
    for (int64_t i = 0; i < n; i++) to[i] = (double)from[i] / divisor;
    return;
  }
  for (int64_t i = 0; i < n; i++) to[i] = sf_column_is_null(c, i) ? 0 : sfi_decimal_to_double(unscaled(c, i), digits);
}

/* DecimalDataUtils.castToIntegral: truncated, then the low 64 bits. */
static void decimals_to_longs(const sf_column *c, int64_t *to, int64_t n) {
  sfi_u128 power = sfi_pow10(c->type->scale);
  if (c->type->layout == SF_LAYOUT_INT64) {
    const int64_t *from = c->values;
    int64_t divisor = (int64_t)power;
    for (int64_t i = 0; i < n; i++) to[i] = from[i] / divisor;
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    __int128 v = unscaled(c, i);
    uint64_t low = (uint64_t)(sfi_magnitude(v) / power);
    to[i] = (int64_t)(v < 0 ? -low : low);
  }
}

sf_status sfi_number_open(const sfi_eval *ev, const sf_column *column, sf_layout layout, sfi_operand *out,
                          sf_error *err) {
  if (column->type->kind != SF_TYPE_DECIMAL) return sfi_operand_open(ev, column, layout, out, err);
  bool real = layout == SF_LAYOUT_FLOAT || layout == SF_LAYOUT_DOUBLE;
  int64_t n = column->is_const ? 1 : ev->length;
  *out = (sfi_operand){NULL, column->is_const, NULL};
  SF_TRY(sf_buffer_create(ev->pool, sizeof(int64_t) * (size_t)n, &out->owned, err));
  void *wide = sf_buffer_data(out->owned);
  out->values = wide;
  if (real) {
    decimals_to_doubles(column, wide, n);
  } else {
    decimals_to_longs(column, wide, n);
  }
  /* Narrower values overwrite the wide ones from the front, each after it was read. */
  sfi_convert(wide, real ? SF_LAYOUT_DOUBLE : SF_LAYOUT_INT64, wide, layout, n);
  return SF_OK;
}

void sfi_operand_close(sfi_operand *operand) {
  sf_buffer_release(operand->owned);
  operand->owned = NULL;
}
