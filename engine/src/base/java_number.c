/* Java's text of numbers: layout, the shortest digits of JDK 19 and newer, integers and BigDecimal. */
#include "streamfusion/java_number.h"

#include <string.h>

#include "base/java_number_internal.h"

typedef unsigned __int128 u128;

static int write_u64(uint64_t v, char *buf) {
  char reversed[20];
  int n = 0;
  do {
    reversed[n++] = (char)('0' + v % 10);
    v /= 10;
  } while (v != 0);
  for (int i = 0; i < n; i++) buf[i] = reversed[n - 1 - i];
  return n;
}

size_t sf_long_text(int64_t value, char *buf) {
  if (value >= 0) return (size_t)write_u64((uint64_t)value, buf);
  buf[0] = '-';
  return 1 + (size_t)write_u64(0 - (uint64_t)value, buf + 1);
}

/* --- layout of floating-point text: plain from 10^-3 up to 10^7, else scientific; always a digit behind the point. */

static size_t put(char *to, const char *from, int n) {
  if (n > 0) memcpy(to, from, (size_t)n);
  return n > 0 ? (size_t)n : 0;
}

static size_t put_zeros(char *to, int n) {
  if (n > 0) memset(to, '0', (size_t)n);
  return n > 0 ? (size_t)n : 0;
}

static size_t layout(const sfi_digits *g, char *buf) {
  size_t i = 0;
  if (g->point > 0 && g->point < 8) {
    const int whole = g->n < g->point ? g->n : g->point;
    i += put(buf, g->d, whole);
    i += put_zeros(buf + i, g->point - whole);
    buf[i++] = '.';
    if (g->n <= whole) {
      buf[i++] = '0';
    } else {
      i += put(buf + i, g->d + whole, g->n - whole);
    }
  } else if (g->point <= 0 && g->point > -3) {
    buf[i++] = '0';
    buf[i++] = '.';
    i += put_zeros(buf + i, -g->point);
    i += put(buf + i, g->d, g->n);
  } else {
    buf[i++] = g->d[0];
    buf[i++] = '.';
    if (g->n > 1) {
      i += put(buf + i, g->d + 1, g->n - 1);
    } else {
      buf[i++] = '0';
    }
    buf[i++] = 'E';
    i += sf_long_text(g->point - 1, buf + i);
  }
  return i;
}

/* --- shortest digits (Raffaello Giulietti, "The Schubfach way to render doubles"): of all decimals that round to the number
 * the shortest, of those the closest; two digits count as no longer than one. */

static int floor_log10_pow2(int e) { return (int)((e * INT64_C(661971961083)) >> 41); }
static int floor_log10_three_quarters_pow2(int e) {
  return (int)((e * INT64_C(661971961083) - INT64_C(274743187321)) >> 41);
}
static int floor_log2_pow10(int e) { return (int)((e * INT64_C(913124641741)) >> 38); }

/* Upper bits of g * cp, with the last bit set when anything was cut off ("round to odd"). */
static uint64_t multiply_to_odd(const uint64_t g[2], uint64_t cp) {
  const uint64_t mask = ((uint64_t)1 << 63) - 1;
  const uint64_t x1 = (uint64_t)(((u128)g[1] * cp) >> 64);
  const u128 y = (u128)g[0] * cp;
  const uint64_t z = ((uint64_t)y >> 1) + x1;
  const uint64_t w = (uint64_t)(y >> 64) + (z >> 63);
  return w | ((z & mask) != 0);
}

/* significand * 2^exponent into the shortest f * 10^k; *k_out receives k. `irregular`: the neighbour below is half as far
 * away as the one above. */
static uint64_t shortest(uint64_t significand, int exponent, bool irregular, int *k_out) {
  const uint64_t out = significand & 1;
  const uint64_t cb = significand << 2;
  const uint64_t cb_right = cb + 2;
  const uint64_t cb_left = irregular ? cb - 1 : cb - 2;
  const int k = irregular ? floor_log10_three_quarters_pow2(exponent) : floor_log10_pow2(exponent);
  const int h = exponent + floor_log2_pow10(-k) + 2;
  const uint64_t *g = sfi_java_pow10[k - SFI_POW10_MIN];
  const uint64_t vb = multiply_to_odd(g, cb << h);
  const uint64_t vb_left = multiply_to_odd(g, cb_left << h);
  const uint64_t vb_right = multiply_to_odd(g, cb_right << h);
  const uint64_t s = vb >> 2;
  *k_out = k;
  if (s >= 100) { /* one digit less, when exactly one such decimal is inside */
    const uint64_t down = s / 10 * 10, up = down + 10;
    const bool down_in = vb_left + out <= down << 2;
    const bool up_in = (up << 2) + out <= vb_right;
    if (down_in != up_in) return down_in ? down : up;
  }
  const uint64_t t = s + 1;
  const bool s_in = vb_left + out <= s << 2;
  const bool t_in = (t << 2) + out <= vb_right;
  if (s_in != t_in) return s_in ? s : t;
  const int64_t twice = (int64_t)(vb - ((s + t) << 1));
  return twice < 0 || (twice == 0 && (s & 1) == 0) ? s : t;
}

static void to_digits(uint64_t f, int k, sfi_digits *out) {
  const int n = write_u64(f, out->d);
  out->point = n + k;
  out->n = n;
  while (out->n > 1 && out->d[out->n - 1] == '0') out->n--;
}

/* fraction_bits: 52 or 23; fraction and biased exponent as stored. */
static void digits_shortest(uint64_t fraction, int biased, int fraction_bits, int bias, sfi_digits *out) {
  const int lowest = 1 - bias - fraction_bits; /* exponent of the unit of subnormals */
  if (biased == 0) {
    /* The very smallest numbers get one more digit to choose from. */
    const uint64_t tiny = fraction_bits == 52 ? 3 : 8;
    int k;
    if (fraction < tiny) {
      const uint64_t f = shortest(10 * fraction, lowest, false, &k);
      to_digits(f, k - 1, out);
    } else {
      const uint64_t f = shortest(fraction, lowest, false, &k);
      to_digits(f, k, out);
    }
    return;
  }
  const uint64_t significand = fraction | (uint64_t)1 << fraction_bits;
  const int exponent = biased - bias - fraction_bits;
  if (exponent < 0 && exponent > -fraction_bits - 1) {
    const uint64_t whole = significand >> -exponent;
    if (whole << -exponent == significand) {
      to_digits(whole, 0, out);
      return;
    }
  }
  int k;
  const uint64_t f = shortest(significand, exponent, fraction == 0 && biased > 1, &k);
  to_digits(f, k, out);
}

static size_t special_text(bool zero, bool infinite, char *buf) {
  const char *text = zero ? "0.0" : infinite ? "Infinity" : "NaN";
  const size_t n = strlen(text);
  memcpy(buf, text, n);
  return n;
}

/* Common to both widths; `bits` without the sign. */
static size_t magnitude_text(uint64_t bits, int fraction_bits, int bias, bool legacy, char *buf) {
  const uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
  const int biased = (int)(bits >> fraction_bits);
  if (biased == 2 * bias + 1) return special_text(false, fraction == 0, buf);
  if (bits == 0) return special_text(true, false, buf);
  sfi_digits digits;
  if (!legacy) {
    digits_shortest(fraction, biased, fraction_bits, bias, &digits);
  } else {
    sfi_binary v;
    if (biased == 0) {
      const int width = 64 - __builtin_clzll(fraction);
      v.bits = fraction << (53 - width);
      v.exponent = width - fraction_bits - bias;
      v.precision = width;
    } else {
      v.bits = (fraction | (uint64_t)1 << fraction_bits) << (52 - fraction_bits);
      v.exponent = biased - bias;
      v.precision = fraction_bits + 1;
    }
    sfi_digits_legacy(v, &digits);
  }
  return layout(&digits, buf);
}

size_t sf_double_text(double value, bool legacy, char *buf) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const bool negative = bits >> 63 != 0 && value == value;
  if (negative) *buf++ = '-';
  return negative + magnitude_text(bits & (UINT64_MAX >> 1), 52, 1023, legacy, buf);
}

size_t sf_float_text(float value, bool legacy, char *buf) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const bool negative = bits >> 31 != 0 && value == value;
  if (negative) *buf++ = '-';
  return negative + magnitude_text(bits & (UINT32_MAX >> 1), 23, 127, legacy, buf);
}

/* --- BigDecimal */

static int write_u128(u128 v, char *buf) {
  const uint64_t base = UINT64_C(10000000000000000000);
  if (v < base) return write_u64((uint64_t)v, buf);
  int n = write_u128(v / base, buf);
  char low[20];
  const int m = write_u64((uint64_t)(v % base), low);
  n += (int)put_zeros(buf + n, 19 - m);
  n += (int)put(buf + n, low, m);
  return n;
}

size_t sf_decimal_text(__int128 unscaled, int32_t scale, bool plain, char *buf) {
  char digits[40];
  const u128 magnitude = unscaled < 0 ? -(u128)unscaled : (u128)unscaled;
  const int n = write_u128(magnitude, digits);
  size_t i = 0;
  if (unscaled < 0) buf[i++] = '-';
  if (scale == 0) return i + put(buf + i, digits, n);
  const int adjusted = n - 1 - scale;
  if (plain || adjusted >= -6) {
    const int whole = n - scale;
    if (whole > 0) {
      i += put(buf + i, digits, whole);
    } else {
      buf[i++] = '0';
    }
    buf[i++] = '.';
    i += put_zeros(buf + i, -whole);
    const int from = whole > 0 ? whole : 0;
    return i + put(buf + i, digits + from, n - from);
  }
  buf[i++] = digits[0];
  if (n > 1) {
    buf[i++] = '.';
    i += put(buf + i, digits + 1, n - 1);
  }
  buf[i++] = 'E'; /* the exponent is negative here, and brings its sign */
  return i + sf_long_text(adjusted, buf + i);
}
