/* Text primitives of the decoder, for the instruction set that the including file is compiled for. All may read up to 63
 * bytes behind a position that lies in front of the record's end: input buffers have that much slack. */
#ifndef SF_JSON_DECODE_TEXT_H
#define SF_JSON_DECODE_TEXT_H

#include "decode_internal.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are compared as little-endian text");

#define SFI_EVERY_BYTE(x) (UINT64_C(0x0101010101010101) * (x))

/* Bits at or above the first byte of `x` that is not a digit; 0 when all eight are. */
static inline uint64_t non_digits(uint64_t x) {
  return ((x & SFI_EVERY_BYTE(0xF0)) ^ SFI_EVERY_BYTE(0x30)) |
         (((x + SFI_EVERY_BYTE(0x06)) & SFI_EVERY_BYTE(0xF0)) ^ SFI_EVERY_BYTE(0x30));
}

/* Value of eight digits. */
static inline uint32_t eight_digits(uint64_t x) {
  x &= SFI_EVERY_BYTE(0x0F);
  x = (x * 10 + (x >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
  x = (x * 100 + (x >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
  return (uint32_t)(x * 10000 + (x >> 32));
}

/* Value of the first `n` (1..8) of eight bytes, which are digits. */
static inline uint32_t few_digits(uint64_t x, int n) {
  x <<= 64 - 8 * n;
  return eight_digits(x); /* bytes shifted in are zero, as digits after masking */
}

static inline bool is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }

/* First position from p on with a quote, a backslash or a byte >= 0x80; NULL when there is none in front of end. */
static inline const uint8_t *find_special(const uint8_t *p, const uint8_t *end) {
#if defined(__AVX2__)
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
  for (; p < end; p += 32) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i hits = _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(v, quote), _mm256_cmpeq_epi8(v, backslash)), v);
    uint32_t mask = (uint32_t)_mm256_movemask_epi8(hits);
    if (mask != 0) {
      p += __builtin_ctz(mask);
      return p < end ? p : NULL;
    }
  }
#else
  for (; p < end; p += 8) {
    uint64_t v = sfi_load64(p);
    uint64_t q = v ^ SFI_EVERY_BYTE('"'), b = v ^ SFI_EVERY_BYTE('\\');
    uint64_t hits = (((q - SFI_EVERY_BYTE(1)) & ~q) | ((b - SFI_EVERY_BYTE(1)) & ~b) | v) & SFI_EVERY_BYTE(0x80);
    if (hits != 0) {
      p += __builtin_ctzll(hits) >> 3;
      return p < end ? p : NULL;
    }
  }
#endif
  return NULL;
}

static inline bool is_hex(uint8_t c) { return is_digit(c) || (uint8_t)((c | 0x20) - 'a') < 6; }

/* Length of the escape sequence at the backslash p, 0 when Jackson rejects it. */
static inline int escape_length(const uint8_t *p) {
  switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return 2;
    case 'u': return is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]) && is_hex(p[5]) ? 6 : 0;
    default: return 0;
  }
}

/* The slow rest of string_end: at a backslash or a byte >= 0x80. Kept out of line. */
static __attribute__((noinline)) const uint8_t *string_end_slow(const uint8_t *p, const uint8_t *end, bool *escaped) {
  while (p != NULL && *p != '"') {
    if (*p == '\\') {
      *escaped = true;
      int length = escape_length(p);
      if (length == 0) return NULL;
      p += length;
    } else {
      do {
        int length = sfi_utf8_length(p);
        if (length == 0) return NULL;
        p += length;
      } while (p < end && *p >= 0x80);
    }
    p = find_special(p, end);
  }
  return p;
}

/* Closing quote of the string whose contents start at p; NULL: none, a bad escape, or ill-formed UTF-8. Control
 * characters are allowed, as in Flink's mapper. */
static inline const uint8_t *string_end(const uint8_t *p, const uint8_t *end, bool *escaped) {
  p = find_special(p, end);
  if (SFI_LIKELY(p != NULL && *p == '"')) return p;
  return string_end_slow(p, end, escaped);
}

static inline const uint8_t *skip_space(const uint8_t *p, const uint8_t *end) {
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
  return p;
}

/* Whether the field's key text starts at p. */
static inline bool matches(const sfi_field *field, const uint8_t *p, const uint8_t *end) {
#if defined(__AVX2__)
  __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
  __m256i pattern = _mm256_loadu_si256((const __m256i *)(const void *)field->pattern);
  uint32_t equal = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, pattern));
  if ((~equal & field->mask) != 0) return false;
#else
  uint32_t head = field->size < SFI_PATTERN_SIZE ? field->size : SFI_PATTERN_SIZE;
  if (memcmp(p, field->pattern, head) != 0) return false;
#endif
  if (SFI_LIKELY(field->size <= SFI_PATTERN_SIZE)) return true;
  return field->size <= (size_t)(end - p) && memcmp(p + 1, field->name, field->name_size) == 0 &&
         p[field->size - 2] == '"' && p[field->size - 1] == ':';
}

/* An integer of JSON's grammar that fits 64 bits, and that nothing of a fraction or exponent follows is for the caller to
 * check (whatever follows must be a delimiter). NULL: anything else. */
static inline const uint8_t *parse_long(const uint8_t *p, int64_t *out) {
  bool negative = *p == '-';
  p += negative;
  uint64_t value = 0;
#if defined(__AVX2__)
  __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), _mm_set1_epi8('0'));
  uint32_t digits = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v));
  int n = __builtin_ctz(~digits); /* bits 16 and up are 0 in digits */
  if (n == 0) return NULL;
  /* Right-justify: byte i takes byte i - (16 - n); negative indices give zero. */
  const __m128i iota = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  v = _mm_shuffle_epi8(v, _mm_sub_epi8(iota, _mm_set1_epi8((char)(16 - n))));
  v = _mm_maddubs_epi16(v, _mm_set1_epi16(1 << 8 | 10));
  v = _mm_madd_epi16(v, _mm_set1_epi32(1 << 16 | 100));
  v = _mm_packus_epi32(v, v);
  v = _mm_madd_epi16(v, _mm_set1_epi32(1 << 16 | 10000));
  uint64_t halves = (uint64_t)_mm_cvtsi128_si64(v);
  value = (halves & UINT32_MAX) * 100000000 + (halves >> 32);
#else
  uint64_t word = sfi_load64(p);
  uint64_t other = non_digits(word);
  int n = other == 0 ? 8 : __builtin_ctzll(other) >> 3;
  if (n == 0) return NULL;
  value = few_digits(word, n);
  if (n == 8) {
    while (n < 16 && is_digit(p[n])) value = value * 10 + (uint64_t)(p[n++] - '0');
  }
#endif
  if (*p == '0' && n > 1) return NULL;
  if (SFI_UNLIKELY(n == 16)) {
    while (n < 19 && is_digit(p[n])) value = value * 10 + (uint64_t)(p[n++] - '0');
    if (value > (uint64_t)INT64_MAX + negative) return NULL;
  }
  *out = (int64_t)(negative ? -value : value);
  return p + n;
}

/* A number of JSON's grammar, taken apart. */
typedef struct number {
  uint64_t mantissa; /* exact when digits <= 19 */
  int32_t digits;    /* significant ones */
  int32_t exponent;  /* of ten */
  bool negative;
  bool fractional;   /* a fraction or an exponent is present: VALUE_NUMBER_FLOAT */
} number;

#define SFI_MAX_NUMBER 300

/* Behind the number at p; NULL: not a number, or a monster (the host settles it). */
static inline const uint8_t *parse_number(const uint8_t *p, const uint8_t *end, number *out) {
  const uint8_t *begin = p;
  *out = (number){.negative = *p == '-'};
  p += out->negative;
  if (!is_digit(*p)) return NULL;
  if (*p == '0' && is_digit(p[1])) return NULL;
  for (; p < end && is_digit(*p); p++) {
    out->mantissa = out->mantissa * 10 + (uint64_t)(*p - '0');
    out->digits += out->digits > 0 || out->mantissa != 0;
  }
  if (*p == '.') {
    out->fractional = true;
    const uint8_t *fraction = ++p;
    for (; p < end && is_digit(*p); p++) {
      out->mantissa = out->mantissa * 10 + (uint64_t)(*p - '0');
      out->digits += out->digits > 0 || out->mantissa != 0;
    }
    if (p == fraction) return NULL;
    out->exponent = -(int32_t)(p - fraction);
  }
  if (p - begin > SFI_MAX_NUMBER || p >= end) return NULL;
  if ((*p | 0x20) == 'e') {
    out->fractional = true;
    p++;
    bool minus = *p == '-';
    p += minus || *p == '+';
    const uint8_t *first = p;
    int32_t exponent = 0;
    for (; p - first < 4 && is_digit(*p); p++) exponent = exponent * 10 + (*p - '0');
    if (p == first || p - first > 3) return NULL;
    out->exponent += minus ? -exponent : exponent;
  }
  return p;
}

#endif
