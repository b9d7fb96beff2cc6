/* Text of numbers, dates and binaries. */
#include "encode_internal.h"

/* "00" to "99". */
static const char PAIRS[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657"
    "585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

static uint8_t *put_pair(uint8_t *to, uint32_t value) {
  memcpy(to, PAIRS + value * 2, 2);
  return to + 2;
}

#define EIGHT_DIGITS 100000000

/* The eight digits of value < 10^8 as bytes 0 to 9, the first one lowest: halves, quarters and digits side by side, each
 * division a multiplication. */
static inline uint64_t eight_digits(uint32_t value) {
  uint64_t halves = value / 10000 | (uint64_t)(value % 10000) << 32;
  uint64_t hundreds = (halves * 10486 >> 20) & UINT64_C(0x7f0000007f);
  uint64_t quarters = hundreds | (halves - hundreds * 100) << 16;
  uint64_t tens = (quarters * 103 >> 10) & UINT64_C(0x000f000f000f000f);
  return tens | (quarters - tens * 10) << 8;
}

#define ZEROS UINT64_C(0x3030303030303030)

static inline uint8_t *put_eight(uint8_t *to, uint32_t value) {
  uint64_t text = eight_digits(value) | ZEROS;
  memcpy(to, &text, 8);
  return to + 8;
}

/* Without leading zeros. */
static inline uint8_t *put_up_to_eight(uint8_t *to, uint32_t value) {
  uint64_t digits = eight_digits(value);
  int zeros = __builtin_ctzll(digits | UINT64_C(1) << 56) >> 3; /* the last digit stays in any case */
  uint64_t text = (digits | ZEROS) >> (zeros * 8);
  memcpy(to, &text, 8);
  return to + (8 - zeros);
}

uint8_t *sfi_encode_long(uint8_t *to, int64_t value) {
  uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
  if (value < 0) *to++ = '-';
  if (SFI_LIKELY(rest < EIGHT_DIGITS)) return put_up_to_eight(to, (uint32_t)rest);
  uint64_t high = rest / EIGHT_DIGITS;
  if (high < EIGHT_DIGITS) {
    to = put_up_to_eight(to, (uint32_t)high);
  } else {
    to = put_up_to_eight(to, (uint32_t)(high / EIGHT_DIGITS));
    to = put_eight(to, (uint32_t)(high % EIGHT_DIGITS));
  }
  return put_eight(to, (uint32_t)(rest % EIGHT_DIGITS));
}

uint8_t *sfi_encode_stripped_decimal(uint8_t *to, __int128 unscaled, int32_t scale) {
  if (unscaled == 0) {
    *to++ = '0';
    return to;
  }
  if (unscaled < 0) *to++ = '-';
  unsigned __int128 rest = unscaled < 0 ? -(unsigned __int128)unscaled : (unsigned __int128)unscaled;
  for (; rest % 10 == 0; rest /= 10) scale--;
  char digits[40];
  int32_t n = 0;
  for (; rest != 0; rest /= 10) digits[39 - n++] = (char)('0' + (int)(rest % 10));
  const char *text = digits + 40 - n;
  int32_t exponent = n - 1 - scale; /* of the first digit */
  if (scale >= 0 && exponent >= -6) {
    if (scale >= n) { /* 0.000ddd */
      *to++ = '0';
      *to++ = '.';
      memset(to, '0', (size_t)(scale - n));
      to += scale - n;
      memcpy(to, text, (size_t)n);
      return to + n;
    }
    memcpy(to, text, (size_t)(n - scale));
    to += n - scale;
    if (scale == 0) return to;
    *to++ = '.';
    memcpy(to, text + n - scale, (size_t)scale);
    return to + scale;
  }
  *to++ = (uint8_t)text[0];
  if (n > 1) {
    *to++ = '.';
    memcpy(to, text + 1, (size_t)(n - 1));
    to += n - 1;
  }
  *to++ = 'E';
  if (exponent > 0) *to++ = '+';
  return sfi_encode_long(to, exponent);
}

/* Proleptic Gregorian date of a day since the epoch. */
static void civil_date(int64_t day, int64_t *year_out, uint32_t *month_out, uint32_t *day_out) {
  int64_t z = day + 719468; /* since 0000-03-01 */
  int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  uint32_t of_era = (uint32_t)(z - era * 146097);
  uint32_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  uint32_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  uint32_t m = (5 * of_year + 2) / 153;
  *day_out = of_year - (153 * m + 2) / 5 + 1;
  *month_out = m < 10 ? m + 3 : m - 9;
  *year_out = year_of_era + era * 400 + (*month_out <= 2);
}

/* Four digits at least, a sign when there are more or the year is negative (SignStyle.EXCEEDS_PAD). */
static uint8_t *put_year(uint8_t *to, int64_t year) {
  if (year < 0) *to++ = '-';
  if (year > 9999) *to++ = '+';
  uint64_t size = (uint64_t)(year < 0 ? -year : year);
  if (size > 9999) return sfi_encode_long(to, (int64_t)size);
  return put_pair(put_pair(to, (uint32_t)size / 100), (uint32_t)size % 100);
}

uint8_t *sfi_encode_day(sf_encoder *e, uint8_t *to, int64_t day) {
  if (SFI_UNLIKELY(day != e->last_day)) {
    int64_t year;
    uint32_t month, day_of_month;
    civil_date(day, &year, &month, &day_of_month);
    uint8_t *text = put_year(e->last_day_text, year);
    *text++ = '-';
    text = put_pair(text, month);
    *text++ = '-';
    text = put_pair(text, day_of_month);
    e->last_day = day;
    e->last_day_size = (size_t)(text - e->last_day_text);
  }
  memcpy(to, e->last_day_text, sizeof e->last_day_text);
  return to + e->last_day_size;
}

uint8_t *sfi_encode_second(uint8_t *to, int32_t second_of_day) {
  uint32_t second = (uint32_t)second_of_day;
  to = put_pair(to, second / 3600);
  *to++ = ':';
  to = put_pair(to, second / 60 % 60);
  *to++ = ':';
  return put_pair(to, second % 60);
}

uint8_t *sfi_encode_fraction(uint8_t *to, int32_t nano) {
  if (nano == 0) return to;
  uint32_t rest = (uint32_t)nano;
  int digits = 9;
  while (rest % 1000 == 0) {
    rest /= 1000;
    digits -= 3;
  }
  while (rest % 10 == 0) {
    rest /= 10;
    digits--;
  }
  *to++ = '.';
  for (int i = digits - 1; i >= 0; i--, rest /= 10) to[i] = (uint8_t)('0' + rest % 10);
  return to + digits;
}

uint8_t *sfi_encode_base64(uint8_t *to, const uint8_t *data, size_t size) {
  static const char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t i = 0;
  for (; i + 3 <= size; i += 3) {
    uint32_t bits = (uint32_t)data[i] << 16 | (uint32_t)data[i + 1] << 8 | data[i + 2];
    *to++ = (uint8_t)alphabet[bits >> 18];
    *to++ = (uint8_t)alphabet[bits >> 12 & 63];
    *to++ = (uint8_t)alphabet[bits >> 6 & 63];
    *to++ = (uint8_t)alphabet[bits & 63];
  }
  if (i < size) {
    uint32_t bits = (uint32_t)data[i] << 16 | (i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0);
    *to++ = (uint8_t)alphabet[bits >> 18];
    *to++ = (uint8_t)alphabet[bits >> 12 & 63];
    *to++ = i + 1 < size ? (uint8_t)alphabet[bits >> 6 & 63] : '=';
    *to++ = '=';
  }
  return to;
}

static const char HEX[17] = "0123456789ABCDEF";

static uint8_t *put_unicode_escape(uint8_t *to, uint32_t unit) {
  *to++ = '\\';
  *to++ = 'u';
  for (int shift = 12; shift >= 0; shift -= 4) *to++ = (uint8_t)HEX[unit >> shift & 15];
  return to;
}

static uint8_t *put_ascii_escape(uint8_t *to, uint8_t c) {
  const char *letters = "btn?fr"; /* from 8 on; vertical tab has none */
  if (c == '"' || c == '\\') {
    *to++ = '\\';
    *to++ = c;
    return to;
  }
  if (c < 8 || c > 13 || c == 11) return put_unicode_escape(to, c);
  *to++ = '\\';
  *to++ = (uint8_t)letters[c - 8];
  return to;
}

/* A code point beyond the BMP as a pair of escapes. */
static uint8_t *put_surrogates(uint8_t *to, const uint8_t *p) {
  uint32_t code = (uint32_t)(p[0] & 7) << 18 | (uint32_t)(p[1] & 63) << 12 | (uint32_t)(p[2] & 63) << 6 | (p[3] & 63);
  to = put_unicode_escape(to, 0xD800 + ((code - 0x10000) >> 10));
  return put_unicode_escape(to, 0xDC00 + (code & 0x3FF));
}

uint8_t *sfi_encode_escaped_text(uint8_t *to, const uint8_t *p, size_t size, bool split_surrogates) {
  const uint8_t *end = p + size;
  while (p < end) {
    if (*p < 0x80) {
      if (*p < 0x20 || *p == '"' || *p == '\\') {
        to = put_ascii_escape(to, *p++);
      } else {
        *to++ = *p++;
      }
      continue;
    }
    uint8_t sequence[4] = {0};
    memcpy(sequence, p, end - p < 4 ? (size_t)(end - p) : 4);
    int length = sfi_utf8_length(sequence);
    if (length == 0) return NULL;
    if (length == 4 && split_surrogates) {
      to = put_surrogates(to, sequence);
    } else {
      memcpy(to, sequence, 4);
      to += length;
    }
    p += length;
  }
  return to;
}
