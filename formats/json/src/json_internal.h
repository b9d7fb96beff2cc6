/* Shared by the decoder's and encoder's files: options, the host table, and small text helpers. */
#ifndef SF_JSON_INTERNAL_H
#define SF_JSON_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "streamfusion/format.h"

#define SFI_LIKELY(x) __builtin_expect(!!(x), 1)
#define SFI_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* org.apache.flink.formats.json.JsonFormatOptions, resolved. */
typedef enum sfi_map_null_key { SFI_NULL_KEY_FAIL, SFI_NULL_KEY_DROP, SFI_NULL_KEY_LITERAL } sfi_map_null_key;

typedef struct sfi_json_options {
  bool fail_on_missing_field;
  bool ignore_parse_errors;
  bool iso_timestamps; /* timestamp-format.standard = ISO-8601 */
  bool tree;           /* decode.json-parser.enabled = false */
  bool plain_decimals;
  bool ignore_null_fields;
  sfi_map_null_key map_null_key;
  const char *map_null_literal; /* borrowed from the spec */
} sfi_json_options;

/* Reads the spec's options; unknown keys and values are SF_UNSUPPORTED. */
sf_status sfi_json_options_read(const sf_format_spec *spec, sfi_json_options *out, sf_error *err);

/* As sf_fail, which the host table does not offer. */
sf_status sfi_json_fail(sf_error *err, sf_status status, const char *fmt, ...) SF_PRINTF(3, 4);

sf_status sfi_json_decoder_create(const sf_format_host *host, sf_pool *pool, const sf_format_spec *spec,
                                  sf_decoder **out, sf_error *err);
sf_status sfi_json_decode(sf_decoder *decoder, const sf_records *records, sf_decoded *out, sf_error *err);
void sfi_json_decoder_destroy(sf_decoder *decoder);
sf_status sfi_json_encoder_create(const sf_format_host *host, sf_pool *pool, const sf_format_spec *spec,
                                  sf_encoder **out, sf_error *err);
sf_status sfi_json_encode(sf_encoder *encoder, const sf_column *const *columns, int64_t n, sf_encoded *out,
                          sf_error *err);
void sfi_json_encoder_destroy(sf_encoder *encoder);

/* Text as Jackson writes it between quotes; NULL: ill-formed UTF-8. Room for 6 bytes a byte, and 4 more, is there. Its
 * generator for bytes splits code points beyond the BMP into two escapes (COMBINE_UNICODE_SURROGATES_IN_UTF8 is off), the
 * one for characters does not. */
uint8_t *sfi_encode_escaped_text(uint8_t *to, const uint8_t *p, size_t size, bool split_surrogates);

static inline uint32_t sfi_load32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static inline uint64_t sfi_load64(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

/* Length (2 to 4) of the well-formed multi-byte UTF-8 sequence at p (first byte >= 0x80), or 0 when it is ill-formed:
 * overlong, a surrogate, beyond U+10FFFF, a wrong continuation. Reads 4 bytes. */
static inline int sfi_utf8_length(const uint8_t *p) {
  uint32_t c0 = p[0], c1 = p[1], c2 = p[2], c3 = p[3];
  if (c0 < 0xC2) return 0;
  if (c0 < 0xE0) return (c1 & 0xC0) == 0x80 ? 2 : 0;
  if (c0 < 0xF0) {
    if ((c1 & 0xC0) != 0x80 || (c2 & 0xC0) != 0x80) return 0;
    if ((c0 == 0xE0 && c1 < 0xA0) || (c0 == 0xED && c1 > 0x9F)) return 0;
    return 3;
  }
  if (c0 > 0xF4 || (c1 & 0xC0) != 0x80 || (c2 & 0xC0) != 0x80 || (c3 & 0xC0) != 0x80) return 0;
  if ((c0 == 0xF0 && c1 < 0x90) || (c0 == 0xF4 && c1 > 0x8F)) return 0;
  return 4;
}

/* Days since the epoch of a proleptic Gregorian date, year 0..9999, month 1..12. */
static inline int32_t sfi_epoch_day(int32_t year, int32_t month, int32_t day) {
  /* Years that start in March put the leap day at the end. */
  int32_t y = year - (month <= 2) + 400;
  int32_t m = month + (month <= 2 ? 9 : -3);
  return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468 - 146097;
}

static inline bool sfi_is_leap(int32_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

#endif
