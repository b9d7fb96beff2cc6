/* Reading numbers as java.lang.Double, java.lang.Float and java.math.BigDecimal do. */
#include <stdlib.h>
#include <string.h>

#include "base/java_number_internal.h"

typedef unsigned __int128 u128;

/* More digits than these cannot change how a double rounds, except by being not all zero. */
#define MAX_DIGITS 800
#define EXPONENT_CAP 100000

typedef struct cursor {
  const uint8_t *p, *end;
} cursor;

static bool at(const cursor *c, int ch) { return c->p < c->end && *c->p == ch; }
static bool at_digit(const cursor *c) { return c->p < c->end && *c->p >= '0' && *c->p <= '9'; }

static bool take(cursor *c, int ch) {
  if (!at(c, ch)) return false;
  c->p++;
  return true;
}

static bool take_word(cursor *c, const char *word) {
  const size_t n = strlen(word);
  if ((size_t)(c->end - c->p) != n || memcmp(c->p, word, n) != 0) return false;
  c->p += n;
  return true;
}

static bool take_sign(cursor *c) {
  if (take(c, '-')) return true;
  take(c, '+');
  return false;
}

/* An exponent with optional sign; at least one digit. Beyond the cap the exact value does not matter. */
static bool take_exponent(cursor *c, int64_t *out) {
  const bool negative = take_sign(c);
  if (!at_digit(c)) return false;
  int64_t e = 0;
  for (; at_digit(c); c->p++) {
    if (e < INT64_C(1000000000000)) e = e * 10 + (*c->p - '0');
  }
  *out = negative ? -e : e;
  return true;
}

static int64_t clamp(int64_t v, int64_t limit) { return v > limit ? limit : v < -limit ? -limit : v; }

/* What was read: text for strtod without a radix character, so that the locale plays no part, and for short numbers their
 * value. */
typedef struct number {
  bool negative, special;
  double special_value;
  int digits;          /* significant digits kept */
  uint64_t value;      /* of the first 19 */
  int64_t exponent;    /* of the last digit kept: decimal, or binary for hexadecimal */
  char text[MAX_DIGITS + 40];
} number;

static bool parse_decimal_digits(cursor *c, number *n) {
  bool any = false, point = false, beyond = false;
  int64_t exponent = 0;
  n->digits = 0;
  n->value = 0;
  for (; c->p < c->end; c->p++) {
    if (*c->p == '.' && !point) {
      point = true;
      continue;
    }
    if (!at_digit(c)) break;
    any = true;
    const char d = (char)*c->p;
    if (n->digits == 0 && d == '0') {
      exponent -= point;
    } else if (n->digits < MAX_DIGITS) {
      if (n->digits < 19) n->value = n->value * 10 + (uint64_t)(d - '0');
      n->text[n->digits++] = d;
      exponent -= point;
    } else {
      beyond = beyond || d != '0';
      exponent += !point;
    }
  }
  if (!any) return false;
  if (beyond) {
    n->text[n->digits++] = '1';
    exponent--;
  }
  if (at(c, 'e') || at(c, 'E')) {
    c->p++;
    int64_t e;
    if (!take_exponent(c, &e)) return false;
    exponent += e;
  }
  n->exponent = exponent;
  n->text[n->digits] = 0;
  return true;
}

static int hex_value(int ch) {
  if (ch >= '0' && ch <= '9') return ch - '0';
  ch |= 0x20;
  return ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : -1;
}

/* Behind "0x": digits with an optional point, and a binary exponent, which Java demands. */
static bool parse_hex_digits(cursor *c, number *n) {
  bool any = false, point = false, beyond = false;
  int64_t exponent = 0;
  n->text[0] = '0';
  n->text[1] = 'x';
  n->digits = 2;
  for (; c->p < c->end; c->p++) {
    if (*c->p == '.' && !point) {
      point = true;
      continue;
    }
    const int d = hex_value(*c->p);
    if (d < 0) break;
    any = true;
    if (n->digits == 2 && d == 0) {
      exponent -= point ? 4 : 0;
    } else if (n->digits < 40) {
      n->text[n->digits++] = (char)*c->p;
      exponent -= point ? 4 : 0;
    } else {
      beyond = beyond || d != 0;
      exponent += point ? 0 : 4;
    }
  }
  if (!any) return false;
  if (n->digits == 2) n->text[n->digits++] = '0';
  if (beyond) {
    n->text[n->digits++] = '1';
    exponent -= 4;
  }
  int64_t e;
  if (!at(c, 'p') && !at(c, 'P')) return false;
  c->p++;
  if (!take_exponent(c, &e)) return false;
  n->exponent = exponent + e;
  n->text[n->digits] = 0;
  return true;
}

static bool parse_number(const uint8_t *text, size_t size, number *n, bool *hex) {
  if (size == 0) return false; /* text may be NULL */
  cursor c = {text, text + size};
  while (c.p < c.end && *c.p <= ' ') c.p++;
  while (c.p < c.end && c.end[-1] <= ' ') c.end--;
  if (c.p == c.end) return false;
  n->negative = take_sign(&c);
  n->special = false;
  *hex = false;
  if (take_word(&c, "NaN")) {
    n->special = true;
    n->special_value = (double)__builtin_nan("");
    n->negative = false;
    return true;
  }
  if (take_word(&c, "Infinity")) {
    n->special = true;
    n->special_value = (double)__builtin_inf();
    return true;
  }
  if (c.end - c.p > 2 && c.p[0] == '0' && (c.p[1] | 0x20) == 'x') {
    c.p += 2;
    *hex = true;
    if (!parse_hex_digits(&c, n)) return false;
  } else if (!parse_decimal_digits(&c, n)) {
    return false;
  }
  if (c.p < c.end && ((*c.p | 0x20) == 'd' || (*c.p | 0x20) == 'f')) c.p++;
  return c.p == c.end;
}

static void append_exponent(number *n, bool hex) {
  char *p = n->text + n->digits;
  *p++ = hex ? 'p' : 'e';
  p += sf_long_text(clamp(n->exponent, EXPONENT_CAP), p);
  *p = 0;
}

bool sf_parse_double(const uint8_t *text, size_t size, double *out) {
  static const double pow10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  number n;
  bool hex;
  if (!parse_number(text, size, &n, &hex)) return false;
  double v;
  if (n.special) {
    v = n.special_value;
  } else if (!hex && n.digits == 0) {
    v = 0;
  } else if (!hex && n.digits <= 15 && n.exponent >= -22 && n.exponent <= 22) {
    /* Both operands are exact, so one operation rounds correctly. */
    v = n.exponent < 0 ? (double)n.value / pow10[-n.exponent] : (double)n.value * pow10[n.exponent];
  } else {
    append_exponent(&n, hex);
    v = strtod(n.text, NULL);
  }
  *out = n.negative ? -v : v;
  return true;
}

bool sf_parse_float(const uint8_t *text, size_t size, float *out) {
  static const float pow10[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
  number n;
  bool hex;
  if (!parse_number(text, size, &n, &hex)) return false;
  float v;
  if (n.special) {
    v = (float)n.special_value;
  } else if (!hex && n.digits == 0) {
    v = 0;
  } else if (!hex && n.digits <= 7 && n.exponent >= -10 && n.exponent <= 10) {
    v = n.exponent < 0 ? (float)n.value / pow10[-n.exponent] : (float)n.value * pow10[n.exponent];
  } else {
    append_exponent(&n, hex);
    v = strtof(n.text, NULL);
  }
  *out = n.negative ? -v : v;
  return true;
}

/* --- BigDecimal */

typedef struct decimal_text {
  bool negative;
  const uint8_t *first; /* first non-zero digit (digits and at most one point follow), NULL for zero */
  const uint8_t *end;
  int64_t digits;       /* from the first non-zero one */
  int64_t scale;
} decimal_text;

/* The grammar of new BigDecimal(String): sign, digits with at most one point, exponent of at most ten digits that fits
 * an int; the resulting scale has to fit one, too. */
static sf_decimal_parse scan_decimal(const uint8_t *text, size_t size, decimal_text *d) {
  cursor c = {text, text + size};
  for (size_t i = 0; i < size; i++) {
    if (text[i] >= 0x80) return SF_DECIMAL_UNDECIDED;
  }
  d->negative = take_sign(&c);
  d->first = NULL;
  d->digits = d->scale = 0;
  bool any = false, point = false;
  for (; c.p < c.end; c.p++) {
    if (*c.p == '.' && !point) {
      point = true;
    } else if (at_digit(&c)) {
      any = true;
      d->scale += point;
      if (d->first == NULL && *c.p != '0') d->first = c.p;
      d->digits += d->first != NULL;
    } else {
      break;
    }
  }
  d->end = c.p;
  if (!any) return SF_DECIMAL_MALFORMED;
  if (c.p == c.end) return SF_DECIMAL_PARSED;
  if (*c.p != 'e' && *c.p != 'E') return SF_DECIMAL_MALFORMED;
  c.p++;
  int64_t e;
  if (!take_exponent(&c, &e) || c.p != c.end) return SF_DECIMAL_MALFORMED;
  /* Close to the limits of int Java's answer depends on details; nothing real comes near. */
  if (e > 1000000000 || e < -1000000000) return SF_DECIMAL_UNDECIDED;
  d->scale -= e;
  return SF_DECIMAL_PARSED;
}

static u128 pow10_128(int n) {
  u128 v = 1;
  while (n-- > 0) v *= 10;
  return v;
}

sf_decimal_parse sf_parse_decimal(const uint8_t *text, size_t size, int32_t precision, int32_t scale, __int128 *out) {
  decimal_text d;
  const sf_decimal_parse scanned = scan_decimal(text, size, &d);
  if (scanned != SF_DECIMAL_PARSED) return scanned;
  *out = 0;
  if (d.first == NULL) return SF_DECIMAL_PARSED;
  int64_t kept = d.digits - d.scale + scale; /* digits that survive rounding to `scale` */
  if (kept < 0) return SF_DECIMAL_PARSED;
  if (kept > 38) return SF_DECIMAL_OVERFLOW;
  u128 v = 0;
  const uint8_t *p = d.first;
  for (int64_t i = 0; i < kept && i < d.digits; p++) {
    if (*p == '.') continue;
    v = v * 10 + (u128)(*p - '0');
    i++;
  }
  if (kept >= d.digits) {
    v *= pow10_128((int)(kept - d.digits));
  } else {
    if (*p == '.') p++;
    if (*p >= '5') v++;
  }
  if (v >= pow10_128(precision)) return SF_DECIMAL_OVERFLOW;
  *out = d.negative ? -(__int128)v : (__int128)v;
  return SF_DECIMAL_PARSED;
}
