/* The bytes of Flink's binary rows, arrays and maps (little endian throughout).
 *
 * Row:   [row kind 1 byte][null bits, bit 0 = field 0, from bit 8 on; padded to 8 bytes][8 bytes per field][variable part]
 * Array: [int32 n][null bits, padded to 4 bytes][n elements of 1, 2, 4 or 8 bytes, padded to 8][variable part]
 * Map:   [int32 size of the key array][key array][value array]
 *
 * A field or element of fixed width stands in its slot. Others have `offset << 32 | size` there, the offset counted from
 * the start of the row or array; strings and binaries of up to 7 bytes stand in the slot itself, whose last byte then is
 * 0x80 | size. TIMESTAMP p > 3 has `offset << 32 | nanos of the milli`, with 8 bytes of millis at the offset.
 * DECIMAL p > 18 has up to 16 bytes of big-endian two's complement at the offset. */
#ifndef SFI_ROW_BINARY_FORMAT_H
#define SFI_ROW_BINARY_FORMAT_H

#include <string.h>

#include "streamfusion/builder.h"

#define SFI_ROW_HEADER_BITS 8

static inline size_t sfi_row_bits_size(int32_t n_fields) {
  return ((size_t)n_fields + 63 + SFI_ROW_HEADER_BITS) / 64 * 8;
}
static inline size_t sfi_row_fixed_size(int32_t n_fields) { return sfi_row_bits_size(n_fields) + (size_t)n_fields * 8; }
static inline bool sfi_row_null(const uint8_t *row, int32_t field) {
  return sf_bit_get(row, (int64_t)field + SFI_ROW_HEADER_BITS);
}

static inline size_t sfi_array_header_size(int64_t n) { return 4 + (size_t)((n + 31) / 32) * 4; }

/* Bytes of an array element of this type. */
static inline size_t sfi_array_element_size(const sf_type *type) {
  switch (type->layout) {
    case SF_LAYOUT_BOOL:
    case SF_LAYOUT_INT8: return 1;
    case SF_LAYOUT_INT16: return 2;
    case SF_LAYOUT_INT32:
    case SF_LAYOUT_FLOAT: return 4;
    default: return 8;
  }
}

static inline int32_t sfi_load32(const uint8_t *p) {
  int32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static inline int64_t sfi_load64(const uint8_t *p) {
  int64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

/* A row, array or map in memory; offsets of its slots count from `data`. */
typedef struct sfi_region {
  const uint8_t *data;
  size_t size;
} sfi_region;

/* What `offset << 32 | size` refers to. False: outside of the region. */
static inline bool sfi_region_part(sfi_region region, const uint8_t *slot, sfi_region *out) {
  uint64_t word = (uint64_t)sfi_load64(slot);
  uint64_t offset = word >> 32, size = word & 0xffffffffu;
  if (offset > region.size || size > region.size - offset) return false;
  *out = (sfi_region){region.data + offset, (size_t)size};
  return true;
}

/* A string or binary, in the slot or in the variable part. */
static inline bool sfi_region_bytes(sfi_region region, const uint8_t *slot, sfi_region *out) {
  if ((slot[7] & 0x80) == 0) return sfi_region_part(region, slot, out);
  *out = (sfi_region){slot, slot[7] & 0x7f};
  return out->size <= 7;
}

static inline void sfi_store32(uint8_t *p, int32_t v) { memcpy(p, &v, sizeof v); }
static inline void sfi_store64(uint8_t *p, int64_t v) { memcpy(p, &v, sizeof v); }

/* Big-endian two's complement; size <= 16. */
static inline __int128 sfi_decimal_from_bytes(const uint8_t *bytes, size_t size) {
  unsigned __int128 v = size > 0 && (bytes[0] & 0x80) ? ~(unsigned __int128)0 : 0;
  for (size_t i = 0; i < size; i++) v = v << 8 | bytes[i];
  return (__int128)v;
}

/* BigInteger.toByteArray: the fewest bytes that keep the sign; at least one. Returns their number. */
static inline size_t sfi_decimal_to_bytes(__int128 value, uint8_t out[16]) {
  uint8_t all[16];
  unsigned __int128 v = (unsigned __int128)value;
  for (int i = 15; i >= 0; i--, v >>= 8) all[i] = (uint8_t)v;
  uint8_t sign = value < 0 ? 0xff : 0;
  size_t from = 0;
  while (from < 15 && all[from] == sign && (all[from + 1] & 0x80) == (sign & 0x80)) from++;
  memcpy(out, all + from, 16 - from);
  return 16 - from;
}

/* Appends the fields of a row of `type` to a builder each. Damaged rows are SF_CORRUPT as far as safety asks for it. */
SF_MUST_CHECK sf_status sfi_row_read(sf_column_builder *const *columns, const sf_type *type, sfi_region row, sf_error *err);

#endif
