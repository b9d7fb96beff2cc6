/* Exact decimal arithmetic on unscaled 128-bit integers with 256-bit intermediates.
 *
 * Reproduces org.apache.flink.table.data.DecimalDataUtils and DecimalData.fromBigDecimal: results are rounded HALF_UP to
 * the declared scale and are NULL when they need more digits than the declared precision. */
#ifndef SFI_EXPR_DECIMAL_H
#define SFI_EXPR_DECIMAL_H

#include "expr/kernel.h"

typedef unsigned __int128 sfi_u128;

/* A magnitude below 2^256. */
typedef struct sfi_u256 {
  sfi_u128 high, low;
} sfi_u256;

enum { SFI_MAX_PRECISION = 38 };

/* Precision and scale of an operand as a decimal: DECIMAL's own, or those Flink gives an integer type. */
typedef struct sfi_digits {
  int32_t precision, scale;
} sfi_digits;
sfi_digits sfi_digits_of(const sf_type *type);

/* 10^n, 0 <= n <= 38. */
sfi_u128 sfi_pow10(int32_t n);
/* 10^n, 0 <= n <= 76. */
sfi_u256 sfi_pow10_wide(int32_t n);

static inline sfi_u128 sfi_magnitude(__int128 v) { return v < 0 ? -(sfi_u128)v : (sfi_u128)v; }

/* |v| < 10^precision */
static inline bool sfi_fits(__int128 v, int32_t precision) { return sfi_magnitude(v) < sfi_pow10(precision); }

sfi_u256 sfi_mul_wide(sfi_u128 a, sfi_u128 b);
int sfi_compare_wide(sfi_u256 a, sfi_u256 b);
/* a / b truncated; b is not 0. remainder_out may be NULL. */
sfi_u256 sfi_div_wide(sfi_u256 a, sfi_u256 b, sfi_u256 *remainder_out);

/* DecimalData.fromBigDecimal: the value (-1)^negative * magnitude * 10^-from_scale at another scale and within a
 * precision. False: does not fit, NULL. More than 76 digits are dropped only from magnitudes below 10^39 (quotients). */
bool sfi_rescale_wide(bool negative, sfi_u256 magnitude, int32_t from_scale, int32_t scale, int32_t precision,
                      __int128 *out);
bool sfi_rescale(__int128 v, int32_t from_scale, int32_t scale, int32_t precision, __int128 *out);

/* DecimalDataUtils.add, subtract, multiply: false = NULL. */
bool sfi_decimal_add(__int128 a, int32_t scale_a, __int128 b, int32_t scale_b, sfi_digits result, __int128 *out);
bool sfi_decimal_multiply(__int128 a, int32_t scale_a, __int128 b, int32_t scale_b, sfi_digits result, __int128 *out);
/* divide with MathContext(38, HALF_UP), then rounded again. b is not 0. */
bool sfi_decimal_divide(__int128 a, int32_t scale_a, __int128 b, int32_t scale_b, sfi_digits result, __int128 *out);
/* BigDecimal.remainder with that context: *impossible is set where Java throws "Division impossible". b is not 0. */
bool sfi_decimal_mod(__int128 a, int32_t scale_a, __int128 b, int32_t scale_b, sfi_digits result, __int128 *out,
                     bool *impossible);

/* BigDecimal.compareTo. */
int sfi_decimal_compare(__int128 a, int32_t scale_a, __int128 b, int32_t scale_b);

/* The second argument of ROUND and TRUNCATE: 0 without one. False: no literal, NULL, or beyond +-1000. */
bool sfi_literal_places(const sfi_call *call, int32_t *out);

/* DecimalDataUtils.doubleValue for a value of this type: two roundings up to precision 18, one beyond. */
double sfi_decimal_to_double(__int128 v, sfi_digits digits);

#endif
