/* 256-bit helpers and the arithmetic of single decimal values. */
#include "expr/decimal.h"

#include <math.h>
#include <stdlib.h>

sfi_digits sfi_digits_of(const sf_type *type) {
  switch (type->kind) {
    case SF_TYPE_TINYINT: return (sfi_digits){3, 0};
    case SF_TYPE_SMALLINT: return (sfi_digits){5, 0};
    case SF_TYPE_INTEGER: return (sfi_digits){10, 0};
    case SF_TYPE_BIGINT: return (sfi_digits){19, 0};
    default: return (sfi_digits){type->precision, type->scale};
  }
}

/* --- powers of ten */

#define E18 ((sfi_u128)UINT64_C(1000000000000000000))
#define TENS(base)                                                                                                  \
  (base), (base)*10, (base)*100, (base)*1000, (base)*10000, (base)*100000, (base)*1000000, (base)*10000000,          \
      (base)*100000000

static const sfi_u128 powers[SFI_MAX_PRECISION + 1] = {
    TENS((sfi_u128)1), TENS((sfi_u128)1000000000), TENS(E18), TENS(E18 * 1000000000), E18 *E18, E18 *E18 * 10,
    E18 *E18 * 100};

sfi_u128 sfi_pow10(int32_t n) { return powers[n]; }

sfi_u256 sfi_pow10_wide(int32_t n) {
  if (n <= SFI_MAX_PRECISION) return (sfi_u256){0, powers[n]};
  return sfi_mul_wide(powers[SFI_MAX_PRECISION], powers[n - SFI_MAX_PRECISION]);
}

/* --- 256-bit integers */

sfi_u256 sfi_mul_wide(sfi_u128 a, sfi_u128 b) {
  uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64), b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
  sfi_u128 low = (sfi_u128)a0 * b0, middle = (sfi_u128)a0 * b1, other = (sfi_u128)a1 * b0, high = (sfi_u128)a1 * b1;
  sfi_u128 carry = (low >> 64) + (uint64_t)middle + (uint64_t)other;
  return (sfi_u256){high + (middle >> 64) + (other >> 64) + (carry >> 64), carry << 64 | (uint64_t)low};
}

int sfi_compare_wide(sfi_u256 a, sfi_u256 b) {
  if (a.high != b.high) return a.high < b.high ? -1 : 1;
  return a.low < b.low ? -1 : a.low > b.low;
}

static sfi_u256 add_wide(sfi_u256 a, sfi_u256 b) {
  sfi_u128 low = a.low + b.low;
  return (sfi_u256){a.high + b.high + (low < a.low), low};
}

static sfi_u256 sub_wide(sfi_u256 a, sfi_u256 b) {
  return (sfi_u256){a.high - b.high - (a.low < b.low), a.low - b.low};
}

static void to_limbs(sfi_u256 v, uint32_t limbs[9]) {
  for (int i = 0; i < 4; i++) {
    limbs[i] = (uint32_t)(v.low >> (32 * i));
    limbs[4 + i] = (uint32_t)(v.high >> (32 * i));
  }
  limbs[8] = 0;
}

static sfi_u256 from_limbs(const uint32_t limbs[9]) {
  sfi_u256 v = {0, 0};
  for (int i = 3; i >= 0; i--) {
    v.low = v.low << 32 | limbs[i];
    v.high = v.high << 32 | limbs[4 + i];
  }
  return v;
}

static sfi_u256 shift_left(sfi_u256 v, int bits) {
  if (bits == 0) return v;
  return (sfi_u256){v.high << bits | v.low >> (128 - bits), v.low << bits};
}

static sfi_u256 shift_right(sfi_u256 v, int bits) {
  if (bits == 0) return v;
  return (sfi_u256){v.high >> bits, v.low >> bits | v.high << (128 - bits)};
}

/* u[j..j+n] -= q * v[0..n); true when the result went negative. */
static bool multiply_subtract(uint32_t *u, const uint32_t *v, int n, uint64_t q) {
  int64_t borrow = 0;
  uint64_t carry = 0;
  for (int i = 0; i < n; i++) {
    uint64_t product = q * v[i] + carry;
    carry = product >> 32;
    int64_t t = (int64_t)u[i] - (int64_t)(uint32_t)product + borrow;
    u[i] = (uint32_t)t;
    borrow = t >> 32;
  }
  int64_t t = (int64_t)u[n] - (int64_t)carry + borrow;
  u[n] = (uint32_t)t;
  return t < 0;
}

static void add_back(uint32_t *u, const uint32_t *v, int n) {
  uint64_t carry = 0;
  for (int i = 0; i < n; i++) {
    carry += (uint64_t)u[i] + v[i];
    u[i] = (uint32_t)carry;
    carry >>= 32;
  }
  u[n] += (uint32_t)carry;
}

/* Schoolbook long division (Knuth, TAOCP 4.3.1, algorithm D) of a by b, which has n >= 2 limbs of 32 bits. */
static sfi_u256 long_division(sfi_u256 a, sfi_u256 b, int n, sfi_u256 *remainder_out) {
  uint32_t u[9], v[9], q[9] = {0};
  to_limbs(b, v);
  int shift = __builtin_clz(v[n - 1]);
  to_limbs(shift_left(b, shift), v);
  to_limbs(shift_left(a, shift), u);
  u[8] = shift == 0 ? 0 : (uint32_t)(a.high >> (128 - shift));
  for (int j = 8 - n; j >= 0; j--) {
    uint64_t top = (uint64_t)u[j + n] << 32 | u[j + n - 1];
    uint64_t digit = top / v[n - 1], rest = top % v[n - 1];
    while (digit >> 32 != 0 || digit * v[n - 2] > (rest << 32 | u[j + n - 2])) {
      digit--;
      rest += v[n - 1];
      if (rest >> 32 != 0) break;
    }
    if (multiply_subtract(u + j, v, n, digit)) {
      digit--;
      add_back(u + j, v, n);
    }
    q[j] = (uint32_t)digit;
  }
  if (remainder_out != NULL) {
    /* limb 8 is zero by now: the remainder is smaller than the shifted divisor */
    *remainder_out = shift_right(from_limbs(u), shift);
  }
  return from_limbs(q);
}

sfi_u256 sfi_div_wide(sfi_u256 a, sfi_u256 b, sfi_u256 *remainder_out) {
  if (a.high == 0 && b.high == 0) {
    if (remainder_out != NULL) *remainder_out = (sfi_u256){0, a.low % b.low};
    return (sfi_u256){0, a.low / b.low};
  }
  if (sfi_compare_wide(a, b) < 0) {
    if (remainder_out != NULL) *remainder_out = a;
    return (sfi_u256){0, 0};
  }
  uint32_t limbs[9];
  to_limbs(b, limbs);
  int n = 8;
  while (limbs[n - 1] == 0) n--;
  if (n >= 2) return long_division(a, b, n, remainder_out);
  uint32_t u[9], q[9] = {0};
  uint64_t rest = 0;
  to_limbs(a, u);
  for (int i = 7; i >= 0; i--) {
    rest = rest << 32 | u[i];
    q[i] = (uint32_t)(rest / limbs[0]);
    rest %= limbs[0];
  }
  if (remainder_out != NULL) *remainder_out = (sfi_u256){0, rest};
  return from_limbs(q);
}

/* --- rounding */

/* a / b, rounded HALF_UP. */
static sfi_u256 div_half_up(sfi_u256 a, sfi_u256 b) {
  sfi_u256 rest;
  sfi_u256 q = sfi_div_wide(a, b, &rest);
  if (sfi_compare_wide(sub_wide(b, rest), rest) <= 0) q = add_wide(q, (sfi_u256){0, 1});
  return q;
}

/* magnitude * 10^n; false when it reaches 2^256, which no precision holds. */
static bool scale_up(sfi_u256 *magnitude, int32_t n) {
  while (n > 0) {
    int32_t step = n > 19 ? 19 : n;
    sfi_u128 factor = powers[step];
    sfi_u256 low = sfi_mul_wide(magnitude->low, factor), high = sfi_mul_wide(magnitude->high, factor);
    if (high.high != 0 || low.high + high.low < low.high) return false;
    *magnitude = (sfi_u256){low.high + high.low, low.low};
    n -= step;
  }
  return true;
}

bool sfi_rescale_wide(bool negative, sfi_u256 magnitude, int32_t from_scale, int32_t scale, int32_t precision,
                      __int128 *out) {
  int32_t drop = from_scale - scale;
  if (drop > 76) {
    magnitude = (sfi_u256){0, 0};
  } else if (drop > 0) {
    magnitude = div_half_up(magnitude, sfi_pow10_wide(drop));
  } else if (!scale_up(&magnitude, -drop)) {
    return false;
  }
  if (magnitude.high != 0 || magnitude.low >= powers[precision]) return false;
  *out = negative ? -(__int128)magnitude.low : (__int128)magnitude.low;
  return true;
}

/* m / p, rounded HALF_UP; mostly both fit 64 bits, whose division is several times faster. */
static sfi_u128 div_half_up_narrow(sfi_u128 m, sfi_u128 p) {
  if ((m | p) >> 64 == 0) {
    uint64_t q = (uint64_t)m / (uint64_t)p, rest = (uint64_t)m % (uint64_t)p;
    return (sfi_u128)q + ((uint64_t)p - rest <= rest);
  }
  sfi_u128 q = m / p, rest = m - q * p;
  return q + (p - rest <= rest);
}

bool sfi_rescale(__int128 v, int32_t from_scale, int32_t scale, int32_t precision, __int128 *out) {
  if (from_scale == scale) {
    *out = v;
    return sfi_fits(v, precision);
  }
  if (from_scale > scale && from_scale - scale <= SFI_MAX_PRECISION) {
    sfi_u128 q = div_half_up_narrow(sfi_magnitude(v), powers[from_scale - scale]);
    if (q >= powers[precision]) return false;
    *out = v < 0 ? -(__int128)q : (__int128)q;
    return true;
  }
  return sfi_rescale_wide(v < 0, (sfi_u256){0, sfi_magnitude(v)}, from_scale, scale, precision, out);
}

/* --- arithmetic */

static int bit_length(sfi_u128 v) {
  uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;
  return high != 0 ? 128 - __builtin_clzll(high) : low != 0 ? 64 - __builtin_clzll(low) : 0;
}

/* a * b; false when it may not fit. */
static bool multiply_narrow(__int128 a, __int128 b, __int128 *out) {
  if (bit_length(sfi_magnitude(a)) + bit_length(sfi_magnitude(b)) > 126) return false;
  *out = a * b;
  return true;
}

bool sfi_decimal_add(__int128 a, int32_t scale_a, __int128 b, int32_t scale_b, sfi_digits result, __int128 *out) {
  int32_t scale = scale_a > scale_b ? scale_a : scale_b;
  __int128 p, q;
  if (multiply_narrow(a, (__int128)powers[scale - scale_a], &p) &&
      multiply_narrow(b, (__int128)powers[scale - scale_b], &q)) {
    return sfi_rescale(p + q, scale, result.scale, result.precision, out); /* each is below 2^126 */
  }
  sfi_u256 x = {0, sfi_magnitude(a)}, y = {0, sfi_magnitude(b)};
  if (!scale_up(&x, scale - scale_a) || !scale_up(&y, scale - scale_b)) return false;
  bool negative = a < 0;
  sfi_u256 sum;
  if ((a < 0) == (b < 0)) {
    sum = add_wide(x, y);
  } else if (sfi_compare_wide(x, y) >= 0) {
    sum = sub_wide(x, y);
  } else {
    sum = sub_wide(y, x);
    negative = b < 0;
  }
  return sfi_rescale_wide(negative, sum, scale, result.scale, result.precision, out);
}

bool sfi_decimal_multiply(__int128 a, int32_t scale_a, __int128 b, int32_t scale_b, sfi_digits result, __int128 *out) {
  __int128 narrow;
  if (multiply_narrow(a, b, &narrow)) {
    return sfi_rescale(narrow, scale_a + scale_b, result.scale, result.precision, out);
  }
  sfi_u256 product = sfi_mul_wide(sfi_magnitude(a), sfi_magnitude(b));
  return sfi_rescale_wide((a < 0) != (b < 0), product, scale_a + scale_b, result.scale, result.precision, out);
}

static int32_t digit_count(sfi_u128 v) {
  int32_t n = 1;
  while (n <= SFI_MAX_PRECISION && v >= powers[n]) n++;
  return n;
}

/* Division of values below 10^18, rounded once. Flink rounds to 38 digits first, by at most 5q * 10^-38 for a quotient q;
 * that could only matter where the fraction is that close to one half, but it is at least 1 / 2b away unless it is exactly
 * one half, and q * b, about a * 10^raise, stays below 10^37. False: not such a division. */
static bool divide_narrow(sfi_u128 a, sfi_u128 b, int32_t raise, sfi_u128 *out) {
  if (raise < 0 || raise > 18 || a >= E18 || b >= E18) return false;
  *out = div_half_up_narrow(a * powers[raise], b);
  return true;
}

bool sfi_decimal_divide(__int128 a, int32_t scale_a, __int128 b, int32_t scale_b, sfi_digits result, __int128 *out) {
  if (a == 0) {
    *out = 0;
    return true;
  }
  sfi_u256 x = {0, sfi_magnitude(a)}, y = {0, sfi_magnitude(b)};
  sfi_u128 quotient;
  if (divide_narrow(x.low, y.low, result.scale - scale_a + scale_b, &quotient)) {
    *out = (a < 0) != (b < 0) ? -(__int128)quotient : (__int128)quotient;
    return quotient < powers[result.precision];
  }
  /* The power of ten that gives the quotient 38 digits: compare the operands brought to equally many digits. */
  int32_t digits_a = digit_count(x.low), digits_b = digit_count(y.low);
  sfi_u256 even_x = x, even_y = y;
  (void)scale_up(digits_a < digits_b ? &even_x : &even_y, abs(digits_a - digits_b)); /* below 10^39 */
  int32_t raise = SFI_MAX_PRECISION + digits_b - digits_a - (sfi_compare_wide(even_x, even_y) >= 0 ? 1 : 0);
  if (!scale_up(&x, raise)) return false;
  return sfi_rescale_wide((a < 0) != (b < 0), div_half_up(x, y), raise + scale_a - scale_b, result.scale,
                          result.precision, out);
}

/* Whether an integer quotient of more than 38 digits ends in zeros there, so that 38 digits still are exact. */
static bool exact_in_38_digits(sfi_u256 quotient) {
  sfi_u256 limit = {0, powers[SFI_MAX_PRECISION]};
  while (sfi_compare_wide(quotient, limit) >= 0) {
    sfi_u256 digit;
    quotient = sfi_div_wide(quotient, (sfi_u256){0, 10}, &digit);
    if (digit.low != 0) return false;
  }
  return true;
}

bool sfi_decimal_mod(__int128 a, int32_t scale_a, __int128 b, int32_t scale_b, sfi_digits result, __int128 *out,
                     bool *impossible) {
  int32_t scale = scale_a > scale_b ? scale_a : scale_b;
  sfi_u256 x = {0, sfi_magnitude(a)}, y = {0, sfi_magnitude(b)}, rest;
  *impossible = false;
  if (!scale_up(&x, scale - scale_a) || !scale_up(&y, scale - scale_b)) return false;
  sfi_u256 quotient = sfi_div_wide(x, y, &rest);
  if (!exact_in_38_digits(quotient)) {
    *impossible = true;
    return false;
  }
  return sfi_rescale_wide(a < 0, rest, scale, result.scale, result.precision, out);
}

int sfi_decimal_compare(__int128 a, int32_t scale_a, __int128 b, int32_t scale_b) {
  if (scale_a == scale_b) return a < b ? -1 : a > b;
  if ((a < 0) != (b < 0) || a == 0 || b == 0) return a < b ? -1 : a > b;
  sfi_u256 x = {0, sfi_magnitude(a)}, y = {0, sfi_magnitude(b)};
  bool x_fits = scale_up(&x, scale_b > scale_a ? scale_b - scale_a : 0);
  bool y_fits = scale_up(&y, scale_a > scale_b ? scale_a - scale_b : 0);
  int order = !x_fits ? 1 : !y_fits ? -1 : sfi_compare_wide(x, y);
  return a < 0 ? -order : order;
}

/* --- conversion */

/* Correctly rounded m * 10^-scale, m > 0: a quotient of 55 or 56 bits and whether anything is left decide the rounding.
 * The smallest value, 10^-38, is far from subnormal. */
static double divided_double(sfi_u128 m, int32_t scale) {
  int shift = 55 - bit_length(m) + bit_length(powers[scale]);
  sfi_u256 n = {0, m}, p = {0, powers[scale]}, rest;
  if (shift >= 128) {
    n = (sfi_u256){m << (shift - 128), 0};
  } else if (shift >= 0) {
    n = shift_left(n, shift);
  } else {
    p = shift_left(p, -shift);
  }
  uint64_t q = (uint64_t)sfi_div_wide(n, p, &rest).low;
  int drop = bit_length(q) - 53;
  uint64_t kept = q >> drop, lost = q & ((UINT64_C(1) << drop) - 1), half = UINT64_C(1) << (drop - 1);
  bool more = (rest.high | rest.low) != 0;
  if (lost > half || (lost == half && (more || (kept & 1) != 0))) kept++;
  return ldexp((double)kept, drop - shift);
}

double sfi_decimal_to_double(__int128 v, sfi_digits digits) {
  if (digits.precision <= 18) return (double)(int64_t)v / (double)(uint64_t)powers[digits.scale];
  if (v == 0 || (digits.scale == 0 && v == (int64_t)v)) return (double)(int64_t)v;
  /* Both exact in a double: one rounding. */
  if (sfi_magnitude(v) < ((sfi_u128)1 << 53) && digits.scale <= 22) return (double)(int64_t)v / (double)powers[digits.scale];
  double d = divided_double(sfi_magnitude(v), digits.scale);
  return v < 0 ? -d : d;
}
