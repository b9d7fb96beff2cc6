/* Hash codes of keys. Keys of values that stand in the slots of a binary row are laid out column by column, a block of rows
 * at a time; any other key is written row by row. */
#include "row/binary_format.h"
#include "streamfusion/binary_row.h"
#include "streamfusion/key_group.h"

enum { BLOCK_ROWS = 256 };

struct sf_key_hasher {
  sf_pool *pool; /* retained */
  int32_t n_fields;
  int32_t *fields;
  sf_row_writer *writer; /* NULL: all fields stand in their slots */
  size_t row_size;       /* of such a key */
  uint8_t *block;        /* BLOCK_ROWS of them */
};

/* Whether the value is the slot, also when it is NULL. */
static bool in_slot(sf_layout layout) {
  switch (layout) {
    case SF_LAYOUT_BOOL:
    case SF_LAYOUT_INT8:
    case SF_LAYOUT_INT16:
    case SF_LAYOUT_INT32:
    case SF_LAYOUT_INT64:
    case SF_LAYOUT_FLOAT:
    case SF_LAYOUT_DOUBLE:
    case SF_LAYOUT_NULL: return true;
    default: return false;
  }
}

static sf_status open(sf_key_hasher *h, const sf_type *row_type, sf_error *err) {
  bool slots = true;
  for (int32_t i = 0; i < h->n_fields; i++) {
    if (h->fields[i] < 0 || h->fields[i] >= row_type->n_children) {
      return sf_fail(err, SF_INVALID, "A row of %d fields has no key field %d", row_type->n_children, h->fields[i]);
    }
    slots = slots && in_slot(row_type->children[h->fields[i]]->layout);
  }
  if (!slots) return sf_row_writer_create(h->pool, row_type, h->fields, h->n_fields, SF_ROW_PROJECTION, &h->writer, err);
  h->row_size = sfi_row_fixed_size(h->n_fields);
  void *block = NULL;
  SF_TRY(sf_pool_alloc(h->pool, BLOCK_ROWS * h->row_size, &block, err));
  h->block = block;
  return SF_OK;
}

sf_status sf_key_hasher_create(sf_pool *pool, const sf_type *row_type, const int32_t *fields, int32_t n_fields,
                               sf_key_hasher **out, sf_error *err) {
  *out = NULL;
  if (row_type->kind != SF_TYPE_ROW) return sf_fail(err, SF_INVALID, "Keys are taken from a ROW type");
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(pool, sizeof(sf_key_hasher) + (size_t)n_fields * sizeof(int32_t), &memory, err));
  sf_key_hasher *h = memory;
  *h = (sf_key_hasher){.pool = sf_pool_retain(pool), .n_fields = n_fields, .fields = (int32_t *)(void *)(h + 1)};
  if (n_fields > 0) memcpy(h->fields, fields, (size_t)n_fields * sizeof(int32_t));
  sf_status st = open(h, row_type, err);
  if (st != SF_OK) {
    sf_key_hasher_destroy(h);
    return st;
  }
  *out = h;
  return SF_OK;
}

void sf_key_hasher_destroy(sf_key_hasher *hasher) {
  if (hasher == NULL) return;
  sf_pool *pool = hasher->pool;
  sf_row_writer_destroy(hasher->writer);
  sf_pool_free(pool, hasher->block);
  sf_pool_free(pool, hasher);
  sf_pool_release(pool);
}

#define DEFINE_PLACE(name, value_type)                                                                         \
  static void name(uint8_t *slot, size_t row_size, const void *values, int64_t n) {                            \
    const value_type *v = values;                                                                              \
    for (int64_t i = 0; i < n; i++, slot += row_size) memcpy(slot, &v[i], sizeof(value_type));                 \
  }
DEFINE_PLACE(place_1, uint8_t)
DEFINE_PLACE(place_2, uint16_t)
DEFINE_PLACE(place_4, uint32_t)
DEFINE_PLACE(place_8, uint64_t)

/* Field `field` of the block's rows, which are zeroed so far. */
static void place(const sf_key_hasher *h, int32_t field, const sf_column *c, int64_t from, int64_t n) {
  uint8_t *slot = h->block + sfi_row_bits_size(h->n_fields) + (size_t)field * 8;
  size_t width = sf_layout_width(c->type->layout);
  const uint8_t *values = c->values == NULL ? NULL : (const uint8_t *)c->values + (size_t)from * width;
  switch (width) {
    case 0: break; /* NULL type */
    case 1: place_1(slot, h->row_size, values, n); break;
    case 2: place_2(slot, h->row_size, values, n); break;
    case 4: place_4(slot, h->row_size, values, n); break;
    default: place_8(slot, h->row_size, values, n);
  }
  if (width > 0 && c->validity == NULL) return;
  for (int64_t i = 0; i < n; i++) {
    if (!sf_column_is_null(c, from + i)) continue;
    sf_bit_set(h->block + (size_t)i * h->row_size, (int64_t)field + SFI_ROW_HEADER_BITS);
    memset(slot + (size_t)i * h->row_size, 0, 8);
  }
}

static void hash_block(const sf_key_hasher *h, const sf_batch *batch, int64_t from, int64_t n, int32_t *out) {
  memset(h->block, 0, (size_t)n * h->row_size);
  for (int32_t i = 0; i < h->n_fields; i++) place(h, i, batch->columns[h->fields[i]], from, n);
  for (int64_t i = 0; i < n; i++) out[i] = sf_binary_row_hash(h->block + (size_t)i * h->row_size, h->row_size);
}

sf_status sf_key_hasher_hash(sf_key_hasher *hasher, const sf_batch *batch, int64_t from, int64_t n, int32_t *hashes_out,
                             sf_error *err) {
  if (from < 0 || n < 0 || from > batch->length - n) {
    return sf_fail(err, SF_INVALID, "A batch of %lld rows has no rows %lld to %lld", (long long)batch->length,
                   (long long)from, (long long)(from + n));
  }
  if (hasher->writer == NULL) {
    for (int64_t i = 0; i < n; i += BLOCK_ROWS) {
      hash_block(hasher, batch, from + i, n - i < BLOCK_ROWS ? n - i : BLOCK_ROWS, hashes_out + i);
    }
    return SF_OK;
  }
  for (int64_t i = 0; i < n; i++) {
    const uint8_t *bytes = NULL;
    size_t size = 0;
    SF_TRY(sf_row_writer_write(hasher->writer, batch, from + i, &bytes, &size, err));
    hashes_out[i] = sf_binary_row_hash(bytes, size);
  }
  return SF_OK;
}
