/* Decimal digits of floating-point numbers as java.lang.Double.toString chose them up to JDK 18.
 *
 * That algorithm generates digits of B/S until the rest is within half a unit in the last place, M. It is neither
 * always shortest nor always closest, and its answers depend on the width of the integers that a given number happens to
 * need: 32-bit and 64-bit arithmetic wraps around and stops on "above", exact big integers stop on "above or equal". All of
 * that is reproduced, because it shows in results (2.0E23 prints as 1.9999999999999998E23). */
#include <string.h>

#include "base/java_number_internal.h"

typedef unsigned __int128 u128;

/* B = bits * 5^b5 * 2^b2, S = 5^s5 * 2^s2, M = 5^b5 * 2^m2; all shifts >= 0. */
typedef struct scales {
  uint64_t bits;
  int b2, b5, s2, s5, m2;
} scales;

/* What ended the generation: the rest is close to the number from below (low), the next digit up is (high); `order` compares
 * the rest with one half when both are. */
typedef struct stop {
  bool low, high;
  int order;
} stop;

static const uint8_t bits_of_pow5[27] = {0,  3,  5,  7,  10, 12, 14, 17, 19, 21, 24, 26, 28, 31,
                                         33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61};

static int estimated_bits_of_pow5(int n) { return n < 27 ? bits_of_pow5[n] : 3 * n; }

static uint64_t pow5(int n) {
  uint64_t v = 1;
  while (n-- > 0) v *= 5;
  return v;
}

static void put_digit(sfi_digits *out, int q) {
  if (out->n < (int)sizeof out->d) out->d[out->n++] = (char)('0' + q);
}

/* The first quotient may be zero when the exponent was estimated one too high; it is dropped. Scientific notation asks
 * for at least two digits, so the first digit never ends the generation there. */
static void put_first_digit(sfi_digits *out, int q, int *exponent, stop *s) {
  if (q == 0 && !s->high) {
    *exponent -= 1;
  } else {
    put_digit(out, q);
  }
  if (*exponent < -3 || *exponent >= 8) s->low = s->high = false;
}

/* --- 32 and 64 bits: Java's int and long arithmetic, wrapping included. */

static int64_t wrap(uint64_t v, bool narrow) { return narrow ? (int32_t)(uint32_t)v : (int64_t)v; }

static void generate_machine(const scales *k, bool narrow, int *exponent, sfi_digits *out, stop *stop_out) {
  int64_t b = wrap(k->bits * pow5(k->b5) << k->b2, narrow);
  const int64_t s = wrap(pow5(k->s5) << k->s2, narrow);
  int64_t m = wrap(pow5(k->b5) << k->m2, narrow);
  const int64_t tens = wrap((uint64_t)s * 10, narrow);
  stop st = {false, false, 0};
  int q = (int)(b / s);
  b = wrap((uint64_t)(b % s) * 10, narrow);
  m = wrap((uint64_t)m * 10, narrow);
  st.low = b < m;
  st.high = wrap((uint64_t)b + (uint64_t)m, narrow) > tens;
  put_first_digit(out, q, exponent, &st);
  while (!st.low && !st.high) {
    q = (int)(b / s);
    b = wrap((uint64_t)(b % s) * 10, narrow);
    m = wrap((uint64_t)m * 10, narrow);
    if (m > 0) {
      st.low = b < m;
      st.high = wrap((uint64_t)b + (uint64_t)m, narrow) > tens;
    } else { /* m overflowed, so it is above b and above tens */
      st.low = st.high = true;
    }
    put_digit(out, q);
  }
  const int64_t difference = wrap(((uint64_t)b << 1) - (uint64_t)tens, narrow);
  st.order = difference > 0 ? 1 : difference < 0 ? -1 : 0;
  *stop_out = st;
}

/* --- 128 bits, with the rules of big integers: for numbers where nothing exceeds 126 bits. */

static void generate_128(const scales *k, int *exponent, sfi_digits *out, stop *stop_out) {
  u128 b = (u128)k->bits;
  for (int i = 0; i < k->b5; i++) b *= 5;
  b <<= k->b2;
  u128 s = 1, m = 1;
  for (int i = 0; i < k->s5; i++) s *= 5;
  s <<= k->s2;
  for (int i = 0; i < k->b5; i++) m *= 5;
  m <<= k->m2;
  const u128 tens = s * 10;
  stop st = {false, false, 0};
  int q = (int)(b / s);
  b = (b - (u128)q * s) * 10;
  m *= 10;
  st.low = b < m;
  st.high = tens <= b + m;
  put_first_digit(out, q, exponent, &st);
  while (!st.low && !st.high) {
    q = (int)(b / s);
    b = (b - (u128)q * s) * 10;
    m *= 10;
    st.low = b < m;
    st.high = tens <= b + m;
    put_digit(out, q);
  }
  st.order = 2 * b > tens ? 1 : 2 * b < tens ? -1 : 0;
  *stop_out = st;
}

/* --- arbitrary width. The largest value, for the smallest subnormal, has about 1,200 bits. */

#define BIG_WORDS 24

typedef struct big {
  int n; /* words in use; the top one is not 0 */
  uint64_t w[BIG_WORDS];
} big;

static void big_set(big *v, uint64_t x) {
  v->n = x != 0;
  v->w[0] = x;
}

static void big_mul(big *v, uint64_t x) {
  u128 carry = 0;
  for (int i = 0; i < v->n; i++) {
    carry += (u128)v->w[i] * x;
    v->w[i] = (uint64_t)carry;
    carry >>= 64;
  }
  if (carry != 0) v->w[v->n++] = (uint64_t)carry;
}

static void big_mul_pow5(big *v, int n) {
  for (; n >= 27; n -= 27) big_mul(v, 7450580596923828125u);
  big_mul(v, pow5(n));
}

static void big_shift(big *v, int bits) {
  if (v->n == 0) return;
  const int words = bits / 64, rest = bits % 64;
  memmove(v->w + words, v->w, (size_t)v->n * sizeof v->w[0]);
  memset(v->w, 0, (size_t)words * sizeof v->w[0]);
  v->n += words;
  if (rest != 0) {
    uint64_t carry = 0;
    for (int i = words; i < v->n; i++) {
      const uint64_t next = v->w[i] >> (64 - rest);
      v->w[i] = v->w[i] << rest | carry;
      carry = next;
    }
    if (carry != 0) v->w[v->n++] = carry;
  }
}

static int big_compare(const big *a, const big *b) {
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  for (int i = a->n - 1; i >= 0; i--) {
    if (a->w[i] != b->w[i]) return a->w[i] < b->w[i] ? -1 : 1;
  }
  return 0;
}

/* a + b compared with c. */
static int big_compare_sum(const big *a, const big *b, const big *c) {
  big sum;
  u128 carry = 0;
  const int n = a->n > b->n ? a->n : b->n;
  for (int i = 0; i < n; i++) {
    carry += i < a->n ? a->w[i] : 0;
    carry += i < b->n ? b->w[i] : 0;
    sum.w[i] = (uint64_t)carry;
    carry >>= 64;
  }
  sum.n = n;
  if (carry != 0) sum.w[sum.n++] = (uint64_t)carry;
  return big_compare(&sum, c);
}

static void big_subtract_multiple(big *a, const big *s, uint64_t q) {
  u128 carry = 0;
  uint64_t borrow = 0;
  for (int i = 0; i < a->n; i++) {
    if (i < s->n) carry += (u128)s->w[i] * q;
    const uint64_t sub = (uint64_t)carry;
    carry >>= 64;
    const u128 t = (u128)a->w[i] - sub - borrow;
    a->w[i] = (uint64_t)t;
    borrow = (uint64_t)(t >> 64) != 0;
  }
  while (a->n > 0 && a->w[a->n - 1] == 0) a->n--;
}

/* Quotient (below 10) of a / s; a becomes the remainder. s has its top bit set, so the upper words give a guess that is
 * at most one too small. */
static int big_divide(big *a, const big *s) {
  if (a->n < s->n) return 0;
  u128 top = a->w[s->n - 1];
  if (a->n > s->n) top |= (u128)a->w[s->n] << 64;
  uint64_t q = (uint64_t)(top / ((u128)s->w[s->n - 1] + 1));
  if (q != 0) big_subtract_multiple(a, s, q);
  while (big_compare(a, s) >= 0) {
    big_subtract_multiple(a, s, 1);
    q++;
  }
  return (int)q;
}

static void generate_big(const scales *k, int *exponent, sfi_digits *out, stop *stop_out) {
  big b, s, m, tens;
  big_set(&s, 1);
  big_mul_pow5(&s, k->s5);
  big_shift(&s, k->s2);
  const int normalize = __builtin_clzll(s.w[s.n - 1]);
  big_shift(&s, normalize);
  big_set(&b, k->bits);
  big_mul_pow5(&b, k->b5);
  big_shift(&b, k->b2 + normalize);
  big_set(&m, 1);
  big_mul_pow5(&m, k->b5);
  big_shift(&m, k->m2 + normalize);
  tens = s;
  big_mul(&tens, 10);
  stop st = {false, false, 0};
  int q = big_divide(&b, &s);
  big_mul(&b, 10);
  big_mul(&m, 10);
  st.low = big_compare(&b, &m) < 0;
  st.high = big_compare_sum(&b, &m, &tens) >= 0;
  put_first_digit(out, q, exponent, &st);
  while (!st.low && !st.high) {
    q = big_divide(&b, &s);
    big_mul(&b, 10);
    big_mul(&m, 10);
    st.low = big_compare(&b, &m) < 0;
    st.high = big_compare_sum(&b, &m, &tens) >= 0;
    put_digit(out, q);
  }
  big_mul(&b, 2);
  st.order = big_compare(&b, &tens);
  *stop_out = st;
}

/* --- the whole */

/* Long integers: exact, except that digits beyond the precision of the significand are rounded away. */
static void integer_digits(sfi_binary v, sfi_digits *out) {
  uint64_t n = v.exponent >= 52 ? v.bits << (v.exponent - 52) : v.bits >> (52 - v.exponent);
  int dropped = 0;
  if (v.exponent > v.precision) {
    const int p = v.exponent - v.precision - 1;
    uint64_t unit = 1;
    if (p > 1) {
      for (uint64_t rest = (uint64_t)1 << p; rest >= 10; rest /= 10) {
        unit *= 10;
        dropped++;
      }
    }
    if (dropped > 0) n = n / unit + (n % unit >= unit / 2);
  }
  char reversed[20] = "0";
  int count = 0;
  for (; n != 0; n /= 10) reversed[count++] = (char)('0' + n % 10);
  int zeros = 0;
  while (reversed[zeros] == '0') zeros++;
  out->point = dropped + count;
  out->n = count - zeros;
  for (int i = 0; i < out->n; i++) out->d[i] = reversed[count - 1 - i];
}

/* floor(log10(v)) or one more, as Java estimates it: constants and order of operations decide which (compiled without
 * contraction into fused operations). */
static int estimate_exponent(sfi_binary v) {
  union {
    uint64_t u;
    double d;
  } x = {.u = UINT64_C(0x3ff0000000000000) | (v.bits & UINT64_C(0xfffffffffffff))};
  const double d = (x.d - 1.5) * 0.289529654 + 0.176091259 + (double)v.exponent * 0.301029995663981;
  const int t = (int)d;
  return d < t ? t - 1 : t;
}

static void round_up(sfi_digits *out) {
  int i = out->n - 1;
  while (i > 0 && out->d[i] == '9') out->d[i--] = '0';
  if (out->d[i] == '9') {
    out->d[0] = '1';
    out->point++;
  } else {
    out->d[i]++;
  }
}

static int max_of(int a, int b) { return a > b ? a : b; }

static scales scale(sfi_binary v, int width, int fraction_bits, int exponent) {
  scales k = {.bits = v.bits >> (53 - width)};
  k.b5 = max_of(0, -exponent);
  k.s5 = max_of(0, exponent);
  k.b2 = k.b5 + fraction_bits + v.exponent;
  k.s2 = k.s5 + fraction_bits;
  k.m2 = k.b2 - v.precision;
  k.b2 -= width - 1;
  const int common = k.b2 < k.s2 ? k.b2 : k.s2;
  k.b2 -= common;
  k.s2 -= common;
  k.m2 -= common;
  if (width == 1) k.m2 -= 1; /* below a power of two the neighbour is half as far away */
  if (k.m2 < 0) {
    k.b2 -= k.m2;
    k.s2 -= k.m2;
    k.m2 = 0;
  }
  return k;
}

void sfi_digits_legacy(sfi_binary v, sfi_digits *out) {
  const int width = 53 - __builtin_ctzll(v.bits); /* bits in use */
  const int fraction_bits = max_of(0, width - v.exponent - 1);
  out->n = 0;
  if (fraction_bits == 0 && v.exponent <= 62) {
    integer_digits(v, out);
    return;
  }
  int exponent = estimate_exponent(v);
  const scales k = scale(v, width, fraction_bits, exponent);
  /* The same rough widths as Java's, since they decide the arithmetic and so the result. */
  const int b_bits = width + k.b2 + estimated_bits_of_pow5(k.b5);
  const int tens_bits = k.s2 + 1 + estimated_bits_of_pow5(k.s5 + 1);
  stop st;
  if (b_bits < 32 && tens_bits < 32) {
    generate_machine(&k, true, &exponent, out, &st);
  } else if (b_bits < 64 && tens_bits < 64) {
    generate_machine(&k, false, &exponent, out, &st);
  } else if (b_bits < 120 && tens_bits < 120 && k.m2 + estimated_bits_of_pow5(k.b5) < 60) {
    generate_128(&k, &exponent, out, &st);
  } else {
    generate_big(&k, &exponent, out, &st);
  }
  out->point = exponent + 1;
  if (st.high && (!st.low || st.order > 0 || (st.order == 0 && (out->d[out->n - 1] & 1) != 0))) round_up(out);
}
