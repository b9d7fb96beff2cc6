/* The encoder's compiled plan and its output under construction. */
#ifndef SF_JSON_ENCODE_INTERNAL_H
#define SF_JSON_ENCODE_INTERNAL_H

#include "json_internal.h"

typedef struct sfi_writer sfi_writer;

#define SFI_SHORT_KEY 32

/* How a value of one type is written. */
struct sfi_writer {
  const sf_type *type;   /* borrowed from the row type, which the encoder retains */
  /* In a ROW: comma, quoted and escaped name, colon; the first field of an object leaves the comma out. SFI_SHORT_KEY + 1
   * bytes are readable. */
  uint8_t *key;
  uint32_t key_size;
  int32_t n_children;
  sfi_writer **children; /* owned */
};

struct sf_encoder {
  const sf_format_host *host;
  sf_pool *pool;
  sf_type *row_type;
  sfi_json_options options;
  char *map_null_literal; /* owned copy; UTF-8 */
  bool legacy_doubles;
  sfi_writer *root;
  /* Output of the batch at hand. */
  sf_buffer *buffer;
  uint8_t *data;
  size_t capacity;
  size_t size;
  size_t bytes_per_row; /* of the last batch: a first guess for the next */
  bool punt;            /* the row at hand is left to the host */
  sf_status status;
  sf_error *err;
  /* The day that was written last, and its text. */
  int64_t last_day;
  uint8_t last_day_text[24];
  size_t last_day_size;
  /* Scratch for finding repeated map keys. */
  int32_t *key_slots;
  int64_t key_slots_capacity;
  /* Copies what can be written as it is and returns how much that is: up to a control character, quote, backslash, or a
   * byte >= 0x80 (which must be checked). Reads no byte behind `from + size`; 63 bytes behind `to + size` are there, and
   * what lies behind the returned position is unspecified. */
  size_t (*copy_plain)(uint8_t *to, const uint8_t *from, size_t size);
};

/* Makes room for `more` bytes and 64 of slack; false: failed (status is set). */
bool sfi_encode_grow(sf_encoder *e, size_t more);
static inline bool sfi_encode_room(sf_encoder *e, size_t more) {
  return SFI_LIKELY(e->capacity - e->size >= more + 64) || sfi_encode_grow(e, more);
}

/* encode_value.c: the object of row `row`. False: status or punt is set. */
bool sfi_encode_row(sf_encoder *e, const sfi_writer *root, const sf_column *const *columns, int64_t row);

/* encode_text.c. Room for 96 bytes is there; all return the position behind what they write. */
uint8_t *sfi_encode_long(uint8_t *to, int64_t value);
/* DECIMAL as BigDecimal.stripTrailingZeros().toString(). */
uint8_t *sfi_encode_stripped_decimal(uint8_t *to, __int128 unscaled, int32_t scale);
/* DATE as ISO_LOCAL_DATE. */
uint8_t *sfi_encode_day(sf_encoder *e, uint8_t *to, int64_t day);
/* HH:mm:ss */
uint8_t *sfi_encode_second(uint8_t *to, int32_t second_of_day);
/* Fraction of a second without trailing zeros; nothing when it is 0. */
uint8_t *sfi_encode_fraction(uint8_t *to, int32_t nano);
uint8_t *sfi_encode_base64(uint8_t *to, const uint8_t *data, size_t size);
size_t sfi_copy_plain_generic(uint8_t *to, const uint8_t *from, size_t size);
#if defined(__x86_64__)
size_t sfi_copy_plain_avx2(uint8_t *to, const uint8_t *from, size_t size);
#endif

#endif
