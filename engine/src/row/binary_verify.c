/* Binary rows from outside: every offset, size and count is checked against the type. */
#include "row/binary_format.h"
#include "streamfusion/binary_row.h"

/* A region under inspection. Parts of one region do not overlap, so their sizes add up to no more than its own: that
 * bounds the work on bytes made to refer to each other many times over. */
typedef struct inspected {
  sfi_region region;
  size_t left;
} inspected;

static sf_status bad(const sf_type *type, const char *what, sf_error *err) {
  char text[96];
  return sf_fail(err, SF_CORRUPT, "A binary value of %s is damaged: %s", sf_type_text(type, text, sizeof text), what);
}

static sf_status verify_row(const sf_type *type, sfi_region row, sf_error *err);

static bool take(inspected *in, size_t size) {
  if (size > in->left) return false;
  in->left -= size;
  return true;
}

static sf_status verify_value(const sf_type *type, inspected *in, const uint8_t *slot, sf_error *err);

static sf_status verify_array(const sf_type *element, sfi_region array, int32_t *n_out, sf_error *err) {
  int32_t n = array.size < 4 ? -1 : sfi_load32(array.data);
  size_t header = n < 0 ? 0 : sfi_array_header_size(n), width = sfi_array_element_size(element);
  if (n < 0 || header + (size_t)n * width > array.size) return bad(element, "the number of elements", err);
  inspected in = {array, array.size};
  for (int32_t i = 0; i < n; i++) {
    if (sf_bit_get(array.data + 4, i)) continue;
    SF_TRY(verify_value(element, &in, array.data + header + (size_t)i * width, err));
  }
  *n_out = n;
  return SF_OK;
}

static sf_status verify_map(const sf_type *type, sfi_region map, sf_error *err) {
  int32_t key_size = map.size < 4 ? -1 : sfi_load32(map.data), keys = 0, values = 0;
  if (key_size < 0 || (size_t)key_size > map.size - 4) return bad(type, "the size of the keys", err);
  SF_TRY(verify_array(type->children[0], (sfi_region){map.data + 4, (size_t)key_size}, &keys, err));
  sfi_region rest = {map.data + 4 + key_size, map.size - 4 - (size_t)key_size};
  SF_TRY(verify_array(type->children[1], rest, &values, err));
  return keys == values ? SF_OK : bad(type, "keys and values differ in number", err);
}

static sf_status verify_part(const sf_type *type, inspected *in, const uint8_t *slot, sf_error *err) {
  sfi_region part;
  int32_t n = 0;
  if (!sfi_region_part(in->region, slot, &part) || !take(in, part.size)) return bad(type, "it lies outside", err);
  switch (type->layout) {
    case SF_LAYOUT_INT128: return part.size >= 1 && part.size <= 16 ? SF_OK : bad(type, "its size", err);
    case SF_LAYOUT_ROW: return verify_row(type, part, err);
    case SF_LAYOUT_LIST: return verify_array(type->children[0], part, &n, err);
    default: return verify_map(type, part, err);
  }
}

static sf_status verify_value(const sf_type *type, inspected *in, const uint8_t *slot, sf_error *err) {
  sfi_region bytes;
  uint64_t word;
  switch (type->layout) {
    case SF_LAYOUT_VIEW:
      if (!sfi_region_bytes(in->region, slot, &bytes)) return bad(type, "it lies outside", err);
      return SF_OK;
    case SF_LAYOUT_TIMESTAMP:
      word = (uint64_t)sfi_load64(slot);
      if (in->region.size < 8 || word >> 32 > in->region.size - 8) return bad(type, "it lies outside", err);
      if ((word & 0xffffffffu) > 999999) return bad(type, "its nanoseconds", err);
      return SF_OK;
    case SF_LAYOUT_INT128:
    case SF_LAYOUT_ROW:
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: return verify_part(type, in, slot, err);
    case SF_LAYOUT_NULL: return bad(type, "it is not NULL", err);
    default: return SF_OK; /* fixed width, any bits will do */
  }
}

static sf_status verify_row(const sf_type *type, sfi_region row, sf_error *err) {
  if (row.size < sfi_row_fixed_size(type->n_children)) return bad(type, "it is too short", err);
  if (row.data[0] > SF_DELETE) return bad(type, "its row kind", err);
  inspected in = {row, row.size};
  const uint8_t *slots = row.data + sfi_row_bits_size(type->n_children);
  for (int32_t i = 0; i < type->n_children; i++) {
    if (sfi_row_null(row.data, i)) continue;
    SF_TRY(verify_value(type->children[i], &in, slots + (size_t)i * 8, err));
  }
  return SF_OK;
}

sf_status sf_binary_row_verify(const sf_type *row_type, const uint8_t *bytes, size_t size, sf_error *err) {
  if (row_type->kind != SF_TYPE_ROW) return sf_fail(err, SF_INVALID, "Binary rows have ROW types");
  if (size % 8 != 0) return bad(row_type, "its size is no multiple of 8", err);
  return verify_row(row_type, (sfi_region){bytes, size}, err);
}
