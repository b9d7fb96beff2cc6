/* Scalar values of the decoder: from text to slot. Part of decode_hot.h's code, compiled per instruction set. */
#ifndef SF_JSON_DECODE_SCALAR_H
#define SF_JSON_DECODE_SCALAR_H

#include "decode_skip.h"

/* Jackson's StreamReadConstraints allow strings of 20 million characters; fewer bytes are fewer characters. */
#define SFI_MAX_STRING 20000000

static inline void set_valid(sfi_node *node, int64_t slot) { sf_bit_set(node->validity, slot); }

static inline const uint8_t *put_view(sfi_node *node, int64_t slot, const uint8_t *begin, const uint8_t *end,
                                      const uint8_t *next) {
  if (SFI_UNLIKELY(end - begin > SFI_MAX_STRING)) return NULL;
  if (node->build) {
    ((sf_view *)node->values)[slot] = (sf_view){.data = begin, .size = (uint32_t)(end - begin), .reserved = 0};
    set_valid(node, slot);
  }
  return next;
}

/* Strings "true" and "false" are taken as Boolean.parseBoolean does; other strings, also false there, are rare. */
static inline const uint8_t *convert_boolean(sfi_node *node, const uint8_t *p, int64_t slot) {
  bool value;
  bool quoted = *p == '"';
  p = parse_bool(p + quoted, &value);
  if (p == NULL || (quoted && *p != '"')) return NULL;
  if (node->build) {
    ((uint8_t *)node->values)[slot] = value;
    set_valid(node, slot);
  }
  return p + quoted;
}

/* Strings are parsed as Integer.parseInt and its siblings do, as far as they look like a JSON number. */
static inline const uint8_t *convert_integer(sfi_node *node, const uint8_t *p, int64_t slot) {
  int64_t value;
  bool quoted = *p == '"';
  p = parse_long(p + quoted, &value);
  if (SFI_UNLIKELY(p == NULL)) return NULL;
  if (SFI_UNLIKELY(quoted && *p != '"')) return NULL;
  switch (node->op) {
    case SFI_OP_INT8:
      if (value != (int8_t)value) return NULL;
      if (node->build) ((int8_t *)node->values)[slot] = (int8_t)value;
      break;
    case SFI_OP_INT16:
      if (value != (int16_t)value) return NULL;
      if (node->build) ((int16_t *)node->values)[slot] = (int16_t)value;
      break;
    case SFI_OP_INT32:
      if (value != (int32_t)value) return NULL;
      if (node->build) ((int32_t *)node->values)[slot] = (int32_t)value;
      break;
    default:
      if (node->build) ((int64_t *)node->values)[slot] = value;
  }
  if (node->build) set_valid(node, slot);
  return p + quoted;
}

/* Powers of ten that are exact as double and as float. */
static const double EXACT_POW10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline bool to_double(const sf_decoder *d, const number *n, const uint8_t *begin, const uint8_t *end, double *out) {
  if (n->digits <= 19 && n->mantissa <= (UINT64_C(1) << 53) && n->exponent >= -22 && n->exponent <= 22) {
    /* One correctly rounded operation on two exact operands. */
    double m = (double)n->mantissa;
    m = n->exponent < 0 ? m / EXACT_POW10[-n->exponent] : m * EXACT_POW10[n->exponent];
    *out = n->negative ? -m : m;
    return true;
  }
  return d->host->parse_double(begin, (size_t)(end - begin), out) && !__builtin_isinf(*out);
}

static inline bool to_float(const sf_decoder *d, const number *n, const uint8_t *begin, const uint8_t *end, float *out) {
  if (n->digits <= 19 && n->mantissa <= (UINT64_C(1) << 24) && n->exponent >= -10 && n->exponent <= 10) {
    float m = (float)n->mantissa;
    m = n->exponent < 0 ? m / (float)EXACT_POW10[-n->exponent] : m * (float)EXACT_POW10[n->exponent];
    *out = n->negative ? -m : m;
    return true;
  }
  return d->host->parse_float(begin, (size_t)(end - begin), out) && !__builtin_isinf(*out);
}

/* Number or number in a string; *text and *text_end delimit its text. */
static inline const uint8_t *number_token(const sf_decoder *d, const uint8_t *p, number *n, const uint8_t **text,
                                          bool *quoted) {
  *quoted = *p == '"';
  *text = p + *quoted;
  p = parse_number(*text, d->end, n);
  if (p == NULL || (*quoted && *p != '"')) return NULL;
  return p;
}

/* The tree deserializer makes a node of the number first and loses the sign of zero. */
static inline bool loses_sign(const sf_decoder *d, const number *n, bool quoted) {
  return d->options.tree && !quoted && n->negative && n->mantissa == 0;
}

static inline const uint8_t *convert_double(sf_decoder *d, sfi_node *node, const uint8_t *p, int64_t slot) {
  number n;
  const uint8_t *text;
  bool quoted;
  double value;
  p = number_token(d, p, &n, &text, &quoted);
  if (p == NULL || loses_sign(d, &n, quoted) || !to_double(d, &n, text, p, &value)) return NULL;
  if (node->build) {
    ((double *)node->values)[slot] = value;
    set_valid(node, slot);
  }
  return p + quoted;
}

static inline const uint8_t *convert_float(sf_decoder *d, sfi_node *node, const uint8_t *p, int64_t slot) {
  number n;
  const uint8_t *text;
  bool quoted;
  float value;
  p = number_token(d, p, &n, &text, &quoted);
  if (p == NULL || loses_sign(d, &n, quoted)) return NULL;
  if (d->options.tree && !quoted && n.fractional && !d->has_decimal) {
    /* A DoubleNode, narrowed: rounded twice. */
    double twice;
    if (!to_double(d, &n, text, p, &twice)) return NULL;
    value = (float)twice;
    if (__builtin_isinf(value)) return NULL;
  } else if (!to_float(d, &n, text, p, &value)) {
    return NULL;
  }
  if (node->build) {
    ((float *)node->values)[slot] = value;
    set_valid(node, slot);
  }
  return p + quoted;
}

static inline const uint8_t *convert_decimal(sf_decoder *d, sfi_node *node, const uint8_t *p, int64_t slot) {
  number n;
  const uint8_t *text;
  bool quoted;
  __int128 value = 0;
  p = number_token(d, p, &n, &text, &quoted);
  if (p == NULL) return NULL;
  sf_decimal_parse parsed =
      d->host->parse_decimal(text, (size_t)(p - text), node->precision, node->scale, &value);
  if (parsed != SF_DECIMAL_PARSED && parsed != SF_DECIMAL_OVERFLOW) return NULL;
  if (node->build && parsed == SF_DECIMAL_PARSED) { /* too many digits give NULL, not an error */
    if (node->wide) {
      ((__int128 *)node->values)[slot] = value;
    } else {
      ((int64_t *)node->values)[slot] = (int64_t)value;
    }
    set_valid(node, slot);
  }
  return p + quoted;
}

/* Objects and arrays become the text of their tree (readValueAsTree().toString()). */
static __attribute__((noinline)) const uint8_t *convert_string_from_container(sf_decoder *d, sfi_node *node,
                                                                              const uint8_t *p, int64_t slot) {
  const uint8_t *end = skip_container(p, d->end);
  sf_view text;
  if (end == NULL || !node->build) return end;
  if (!sfi_decode_compact(d, p, end, &text)) return NULL;
  return put_view(node, slot, text.data, text.data + text.size, end);
}

/* Numbers and truth values become their text. */
static __attribute__((noinline)) const uint8_t *convert_string_from_scalar(sf_decoder *d, sfi_node *node,
                                                                           const uint8_t *p, int64_t slot) {
  bool truth;
  if (*p == '{' || *p == '[') return convert_string_from_container(d, node, p, slot);
  const uint8_t *behind = parse_bool(p, &truth);
  if (behind == NULL) {
    number n;
    behind = parse_number(p, d->end, &n);
    if (behind == NULL) return NULL;
    if (d->options.tree && (n.fractional || loses_sign(d, &n, false))) return NULL;
  }
  return put_view(node, slot, p, behind, behind);
}

static __attribute__((noinline)) const uint8_t *put_unescaped(sf_decoder *d, sfi_node *node, const uint8_t *begin,
                                                              const uint8_t *end, int64_t slot) {
  if (!node->build) return end + 1;
  sf_view view;
  if (end - begin > SFI_MAX_STRING || !sfi_decode_unescape(d, begin, end, &view)) return NULL;
  return put_view(node, slot, view.data, view.data + view.size, end + 1);
}

static inline const uint8_t *convert_string(sf_decoder *d, sfi_node *node, const uint8_t *p, int64_t slot) {
  if (SFI_UNLIKELY(*p != '"')) return convert_string_from_scalar(d, node, p, slot);
  bool escaped = false;
  const uint8_t *end = string_end(p + 1, d->end, &escaped);
  if (SFI_UNLIKELY(end == NULL)) return NULL;
  if (SFI_UNLIKELY(escaped)) return put_unescaped(d, node, p + 1, end, slot);
  return put_view(node, slot, p + 1, end, end + 1);
}

static inline const uint8_t *convert_binary(sf_decoder *d, sfi_node *node, const uint8_t *p, int64_t slot) {
  if (*p != '"') return NULL;
  bool escaped = false;
  const uint8_t *end = string_end(p + 1, d->end, &escaped);
  sf_view view;
  if (end == NULL || escaped || end - p > SFI_MAX_STRING || !sfi_decode_base64(d, p + 1, end, &view)) return NULL;
  return put_view(node, slot, view.data, view.data + view.size, end + 1);
}

static inline bool valid_date(int32_t year, int32_t month, int32_t day) {
  static const uint8_t days[13] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= days[month] + (month == 2 && sfi_is_leap(year));
}

/* Two digits, or a value above 99. */
static inline int32_t two_digits(const uint8_t *p) {
  uint32_t tens = (uint32_t)p[0] - '0', ones = (uint32_t)p[1] - '0';
  return tens < 10 && ones < 10 ? (int32_t)(tens * 10 + ones) : 1000;
}

/* yyyy-MM-dd with a year of four digits. */
static inline bool parse_date(const uint8_t *p, int32_t *day_out) {
  int32_t century = two_digits(p), year = two_digits(p + 2), month = two_digits(p + 5), day = two_digits(p + 8);
  if (century > 99 || year > 99 || p[4] != '-' || p[7] != '-' || !valid_date(century * 100 + year, month, day)) return false;
  *day_out = sfi_epoch_day(century * 100 + year, month, day);
  return true;
}

/* HH:mm:ss */
static inline bool parse_time(const uint8_t *p, int32_t *second_out) {
  int32_t hour = two_digits(p), minute = two_digits(p + 3), second = two_digits(p + 6);
  if (p[2] != ':' || p[5] != ':' || hour > 23 || minute > 59 || second > 59) return false;
  *second_out = (hour * 60 + minute) * 60 + second;
  return true;
}

/* Optional fraction of a second, 1 to 9 digits; behind it, or NULL. */
static inline const uint8_t *parse_fraction(const uint8_t *p, int32_t *nano_out) {
  *nano_out = 0;
  if (*p != '.') return p;
  p++;
  uint64_t word = sfi_load64(p);
  uint64_t other = non_digits(word);
  int n = other == 0 ? 8 : __builtin_ctzll(other) >> 3;
  if (n == 0) return NULL;
  /* Left-justified: zero bytes behind count as digits 0. */
  uint32_t value = eight_digits(n == 8 ? word : word & ((UINT64_C(1) << (8 * n)) - 1)) * 10;
  if (n == 8 && is_digit(p[8])) {
    value += (uint32_t)(p[8] - '0');
    n = 9;
  }
  *nano_out = (int32_t)value;
  return p + n;
}

static inline const uint8_t *convert_date(sfi_node *node, const uint8_t *p, int64_t slot) {
  int32_t day;
  if (*p != '"' || !parse_date(p + 1, &day) || p[11] != '"') return NULL;
  if (node->build) {
    ((int32_t *)node->values)[slot] = day;
    set_valid(node, slot);
  }
  return p + 12;
}

/* SQL_TIME_FORMAT; the fraction is parsed and, as in LocalTime.toSecondOfDay, dropped. */
static inline const uint8_t *convert_time(sfi_node *node, const uint8_t *p, int64_t slot) {
  int32_t second, nano;
  if (*p != '"' || !parse_time(p + 1, &second)) return NULL;
  p = parse_fraction(p + 9, &nano);
  if (p == NULL || *p != '"') return NULL;
  if (node->build) {
    ((int32_t *)node->values)[slot] = second * 1000;
    set_valid(node, slot);
  }
  return p + 1;
}

/* Date, separator and time (19 bytes at p). */
static inline bool parse_date_time(const uint8_t *p, uint8_t separator, int32_t *day_out, int32_t *second_out) {
#if defined(__AVX2__)
  const __m256i zeros = _mm256_setr_epi8('0', '0', '0', '0', '-', '0', '0', '-', '0', '0', (char)separator, '0', '0', ':', '0',
                                         '0', ':', '0', '0', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i limits = _mm256_setr_epi8(9, 9, 9, 9, 0, 1, 9, 0, 3, 9, 0, 2, 9, 0, 5, 9, 0, 5, 9, -1, -1, -1, -1, -1, -1,
                                          -1, -1, -1, -1, -1, -1, -1);
  __m256i v = _mm256_sub_epi8(_mm256_loadu_si256((const __m256i *)(const void *)p), zeros);
  if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(v, limits), v)) != -1) return false;
  const __m128i order = _mm_setr_epi8(0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, -1, -1, -1, -1);
  __m128i digits = _mm_shuffle_epi8(_mm256_castsi256_si128(v), order);
  __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(1 << 8 | 10));
  uint64_t date = (uint64_t)_mm_cvtsi128_si64(pairs);
  uint32_t clock = (uint32_t)_mm_extract_epi32(pairs, 2);
  int32_t year = (int32_t)(date & 0xFFFF) * 100 + (int32_t)(date >> 16 & 0xFFFF);
  int32_t month = (int32_t)(date >> 32 & 0xFFFF), day = (int32_t)(date >> 48);
  int32_t hour = (int32_t)(clock & 0xFFFF), minute = (int32_t)(clock >> 16);
  int32_t second = (p[17] - '0') * 10 + (p[18] - '0');
  if (!valid_date(year, month, day) || hour > 23) return false;
  *day_out = sfi_epoch_day(year, month, day);
  *second_out = (hour * 60 + minute) * 60 + second;
  return true;
#else
  return p[10] == separator && parse_date(p, day_out) && parse_time(p + 11, second_out);
#endif
}

/* TIMESTAMP and TIMESTAMP_LTZ. Flink keeps all nine digits whatever the precision says; of a precision up to 3 the column
 * holds milliseconds, as BinaryRowData does. */
static inline const uint8_t *convert_timestamp(const sf_decoder *d, sfi_node *node, const uint8_t *p, int64_t slot) {
  int32_t day, second, nano;
  if (*p != '"' || !parse_date_time(p + 1, d->options.iso_timestamps ? 'T' : ' ', &day, &second)) return NULL;
  p = parse_fraction(p + 20, &nano);
  if (p == NULL) return NULL;
  if (node->zulu && *p++ != 'Z') return NULL;
  if (*p != '"') return NULL;
  if (node->build) {
    ((int64_t *)node->values)[slot] = day * INT64_C(86400000) + second * INT64_C(1000) + nano / 1000000;
    if (node->wide) node->aux[slot] = nano % 1000000;
    set_valid(node, slot);
  }
  return p + 1;
}

#endif
