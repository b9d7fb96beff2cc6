/* Binary rows into builders: row by row for nested values, column by column for whole batches. */
#include <string.h>

#include "column/builder_internal.h"
#include "row/binary_format.h"
#include "streamfusion/binary_row.h"

static sf_status corrupt(const sf_type *type, sf_error *err) {
  char text[96];
  return sf_fail(err, SF_CORRUPT, "A binary row is damaged: a value of %s lies outside of it",
                 sf_type_text(type, text, sizeof text));
}

/* --- single values, recursively */

static sf_status read_elements(sf_column_builder *b, sfi_region array, int32_t *n_out, sf_error *err);

static sf_status read_decimal(sf_column_builder *b, sfi_region region, const uint8_t *slot, sf_error *err) {
  sfi_region part;
  if (!sfi_region_part(region, slot, &part) || part.size > 16) return corrupt(b->type, err);
  return sf_column_builder_int128(b, sfi_decimal_from_bytes(part.data, part.size), err);
}

static sf_status read_timestamp(sf_column_builder *b, sfi_region region, const uint8_t *slot, sf_error *err) {
  uint64_t word = (uint64_t)sfi_load64(slot);
  uint64_t offset = word >> 32;
  int32_t nanos = (int32_t)(word & 0xffffffffu);
  if (region.size < 8 || offset > region.size - 8 || nanos < 0 || nanos > 999999) return corrupt(b->type, err);
  return sf_column_builder_timestamp(b, sfi_load64(region.data + offset), nanos, err);
}

static sf_status read_map(sf_column_builder *b, sfi_region map, sf_error *err) {
  int32_t keys = 0, values = 0;
  int32_t key_size = map.size < 4 ? -1 : sfi_load32(map.data);
  if (key_size < 0 || (size_t)key_size > map.size - 4) return corrupt(b->type, err);
  sfi_region key_array = {map.data + 4, (size_t)key_size};
  sfi_region value_array = {map.data + 4 + key_size, map.size - 4 - (size_t)key_size};
  SF_TRY(read_elements(b->children[0], key_array, &keys, err));
  SF_TRY(read_elements(b->children[1], value_array, &values, err));
  if (keys != values) return corrupt(b->type, err);
  return sf_column_builder_end(b, err);
}

static sf_status read_nested(sf_column_builder *b, sfi_region region, const uint8_t *slot, sf_error *err) {
  sfi_region part;
  int32_t n = 0;
  if (!sfi_region_part(region, slot, &part)) return corrupt(b->type, err);
  switch (b->type->layout) {
    case SF_LAYOUT_ROW: SF_TRY(sfi_row_read(b->children, b->type, part, err)); return sf_column_builder_end(b, err);
    case SF_LAYOUT_LIST: SF_TRY(read_elements(b->children[0], part, &n, err)); return sf_column_builder_end(b, err);
    default: return read_map(b, part, err);
  }
}

/* A value that is not NULL. */
static sf_status read_value(sf_column_builder *b, sfi_region region, const uint8_t *slot, sf_error *err) {
  switch (b->type->layout) {
    case SF_LAYOUT_BOOL: return sf_column_builder_int(b, *slot != 0, err);
    case SF_LAYOUT_INT8:
    case SF_LAYOUT_INT16:
    case SF_LAYOUT_INT32:
    case SF_LAYOUT_INT64:
    case SF_LAYOUT_FLOAT:
    case SF_LAYOUT_DOUBLE: /* bit by bit, for the sake of NaNs */
      SF_TRY(sfi_builder_reserve(b, 1, err));
      memcpy((char *)sfi_builder_values(b) + (size_t)b->length * b->width, slot, b->width);
      sfi_builder_valid(b);
      return SF_OK;
    case SF_LAYOUT_INT128: return read_decimal(b, region, slot, err);
    case SF_LAYOUT_TIMESTAMP: return read_timestamp(b, region, slot, err);
    case SF_LAYOUT_VIEW: {
      sfi_region bytes;
      if (!sfi_region_bytes(region, slot, &bytes)) return corrupt(b->type, err);
      return sf_column_builder_bytes(b, bytes.data, bytes.size, err);
    }
    case SF_LAYOUT_ROW:
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: return read_nested(b, region, slot, err);
    case SF_LAYOUT_NULL: return sf_column_builder_null(b, err);
  }
  return sf_fail(err, SF_INTERNAL, "Unknown layout %d", (int)b->type->layout);
}

sf_status sfi_row_read(sf_column_builder *const *columns, const sf_type *type, sfi_region row, sf_error *err) {
  int32_t n = type->n_children;
  if (row.size < sfi_row_fixed_size(n)) return corrupt(type, err);
  const uint8_t *slots = row.data + sfi_row_bits_size(n);
  for (int32_t i = 0; i < n; i++) {
    if (sfi_row_null(row.data, i)) SF_TRY(sf_column_builder_null(columns[i], err));
    else SF_TRY(read_value(columns[i], row, slots + (size_t)i * 8, err));
  }
  return SF_OK;
}

static sf_status read_elements(sf_column_builder *b, sfi_region array, int32_t *n_out, sf_error *err) {
  int32_t n = array.size < 4 ? -1 : sfi_load32(array.data);
  size_t width = sfi_array_element_size(b->type);
  if (n < 0 || sfi_array_header_size(n) + (size_t)n * width > array.size) return corrupt(b->type, err);
  const uint8_t *nulls = array.data + 4;
  const uint8_t *slots = array.data + sfi_array_header_size(n);
  for (int32_t i = 0; i < n; i++) {
    if (sf_bit_get(nulls, i)) SF_TRY(sf_column_builder_null(b, err));
    else SF_TRY(read_value(b, array, slots + (size_t)i * width, err));
  }
  *n_out = n;
  return SF_OK;
}

/* --- whole batches */

/* Rows are taken in blocks that stay in the first-level cache while one column after the other is read from them. */
#define BLOCK 64

typedef struct block {
  sfi_region rows[BLOCK];
  int32_t n;
  int32_t field;
  size_t slot; /* offset of the field in a row */
} block;

/* NULL values of fixed width are 0 like everywhere in the engine, so values are read before the NULL bit is looked at:
 * Flink zeroes the slot of a NULL, but bytes from outside need not. */
#define DEFINE_READ(name, value_type, load)                                      \
  static void name(sf_column_builder *b, const block *k) {                       \
    value_type *out = (value_type *)sfi_builder_values(b) + b->length;           \
    for (int32_t i = 0; i < k->n; i++) {                                         \
      value_type v;                                                              \
      memcpy(&v, k->rows[i].data + k->slot, sizeof v);                           \
      out[i] = load;                                                             \
    }                                                                            \
  }
DEFINE_READ(read_bool, uint8_t, v != 0)
DEFINE_READ(read_8, uint8_t, v)
DEFINE_READ(read_16, uint16_t, v)
DEFINE_READ(read_32, uint32_t, v)
DEFINE_READ(read_64, uint64_t, v)

/* The bytes have been copied into memory that the builder keeps alive: views refer to the rows themselves. */
static sf_status read_views(sf_column_builder *b, const block *k, sf_error *err) {
  sf_view *out = (sf_view *)sfi_builder_values(b) + b->length;
  for (int32_t i = 0; i < k->n; i++) {
    sfi_region bytes = {NULL, 0};
    if (!sfi_row_null(k->rows[i].data, k->field) &&
        !sfi_region_bytes(k->rows[i], k->rows[i].data + k->slot, &bytes)) {
      return corrupt(b->type, err);
    }
    out[i] = (sf_view){bytes.data, (uint32_t)bytes.size, 0};
  }
  return SF_OK;
}

/* Marks NULLs and moves the column on by the block's rows. */
static sf_status finish_block(sf_column_builder *b, const block *k, sf_error *err) {
  uint64_t nulls = 0;
  for (int32_t i = 0; i < k->n; i++) nulls |= (uint64_t)sfi_row_null(k->rows[i].data, k->field) << i;
  if (nulls == 0 && b->validity == NULL) {
    b->length += k->n;
    return SF_OK;
  }
  SF_TRY(sfi_builder_need_validity(b, err));
  uint8_t *bits = sf_buffer_data(b->validity);
  char *values = sfi_builder_values(b);
  for (int32_t i = 0; i < k->n; i++) {
    int64_t row = b->length + i;
    if ((nulls >> i & 1) == 0) {
      sf_bit_set(bits, row);
    } else {
      sf_bit_clear(bits, row);
      memset(values + (size_t)row * b->width, 0, b->width);
    }
  }
  b->nulls += __builtin_popcountll(nulls);
  b->length += k->n;
  return SF_OK;
}

static sf_status read_one_by_one(sf_column_builder *b, const block *k, sf_error *err) {
  for (int32_t i = 0; i < k->n; i++) {
    if (sfi_row_null(k->rows[i].data, k->field)) SF_TRY(sf_column_builder_null(b, err));
    else SF_TRY(read_value(b, k->rows[i], k->rows[i].data + k->slot, err));
  }
  return SF_OK;
}

static sf_status read_column(sf_column_builder *b, const block *k, sf_error *err) {
  SF_TRY(sfi_builder_reserve(b, k->n, err));
  switch (b->type->layout) {
    case SF_LAYOUT_BOOL: read_bool(b, k); break;
    case SF_LAYOUT_INT8: read_8(b, k); break;
    case SF_LAYOUT_INT16: read_16(b, k); break;
    case SF_LAYOUT_INT32:
    case SF_LAYOUT_FLOAT: read_32(b, k); break;
    case SF_LAYOUT_INT64:
    case SF_LAYOUT_DOUBLE: read_64(b, k); break;
    case SF_LAYOUT_VIEW: SF_TRY(read_views(b, k, err)); break;
    default: return read_one_by_one(b, k, err);
  }
  return finish_block(b, k, err);
}

static sf_status read_block(sf_batch_builder *b, block *k, sf_error *err) {
  uint8_t kinds[BLOCK];
  for (int32_t i = 0; i < k->n; i++) {
    kinds[i] = k->rows[i].data[0];
    if (kinds[i] > SF_DELETE) return sf_fail(err, SF_CORRUPT, "A binary row is damaged: row kind %d", kinds[i]);
  }
  size_t slots = sfi_row_bits_size(b->n_columns);
  for (int32_t i = 0; i < b->n_columns; i++) {
    k->field = i;
    k->slot = slots + (size_t)i * 8;
    SF_TRY(read_column(b->columns[i], k, err));
  }
  return sfi_batch_builder_kinds(b, kinds, k->n, err);
}

static bool has_views(const sf_batch_builder *b) {
  for (int32_t i = 0; i < b->n_columns; i++) {
    if (b->columns[i]->type->layout == SF_LAYOUT_VIEW) return true;
  }
  return false;
}

/* One copy of all rows serves every view of top-level string columns. */
static sf_status copy_rows(sf_batch_builder *b, const uint8_t **rows, size_t size, sf_error *err) {
  sf_buffer *copy = NULL;
  SF_TRY(sf_buffer_create(b->pool, size, &copy, err));
  memcpy(sf_buffer_data(copy), *rows, size);
  *rows = sf_buffer_data(copy);
  sf_status st = SF_OK;
  for (int32_t i = 0; i < b->n_columns && st == SF_OK; i++) {
    if (b->columns[i]->type->layout == SF_LAYOUT_VIEW) st = sfi_builder_keep(b->columns[i], copy, err);
  }
  sf_buffer_release(copy);
  return st;
}

sf_status sf_batch_builder_binary_rows(sf_batch_builder *b, const uint8_t *rows, size_t size, int64_t n,
                                       sf_error *err) {
  if (n == 0) return SF_OK;
  if (has_views(b) && size > 0) SF_TRY(copy_rows(b, &rows, size, err));
  size_t smallest = sfi_row_fixed_size(b->n_columns);
  for (int32_t i = 0; i < b->n_columns; i++) SF_TRY(sfi_builder_reserve(b->columns[i], n, err));
  block k = {.n = 0};
  size_t at = 0;
  for (int64_t i = 0; i < n; i++) {
    int32_t row_size = size - at < 4 ? -1 : sfi_load32(rows + at);
    at += 4;
    if (row_size < 0 || (size_t)row_size < smallest || (size_t)row_size > size - at) {
      return sf_fail_row(err, SF_CORRUPT, i, "Row %lld of %lld is damaged: size %d of %zu bytes", (long long)i,
                         (long long)n, row_size, size);
    }
    k.rows[k.n++] = (sfi_region){rows + at, (size_t)row_size};
    at += (size_t)row_size;
    if (k.n == BLOCK || i == n - 1) {
      SF_TRY(read_block(b, &k, err));
      k.n = 0;
    }
  }
  if (at != size) return sf_fail(err, SF_CORRUPT, "%zu bytes follow the last of %lld rows", size - at, (long long)n);
  return SF_OK;
}

sf_status sf_batch_builder_binary_row(sf_batch_builder *b, const uint8_t *row, size_t size, sf_error *err) {
  sfi_region region = {row, size};
  if (size < sfi_row_fixed_size(b->n_columns)) return corrupt(b->type, err);
  if (row[0] > SF_DELETE) return sf_fail(err, SF_CORRUPT, "A binary row is damaged: row kind %d", row[0]);
  SF_TRY(sfi_row_read(b->columns, b->type, region, err));
  return sf_batch_builder_end_row(b, row[0], err);
}
