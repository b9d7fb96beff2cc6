/* Rows of a batch as Flink's BinaryRowData: BinaryRowWriter, BinaryArrayWriter and the serializers that drive them. */
#include "row/binary_format.h"
#include "streamfusion/binary_row.h"

struct sf_row_writer {
  sf_pool *pool;       /* retained */
  const sf_type *type; /* retained */
  int32_t n_fields;
  int32_t *fields;
  sf_row_form form;
  uint8_t *bytes; /* the row being written */
  size_t size;    /* Flink's cursor: bytes in use, a multiple of 8 between values */
  size_t room;
};

/* What slots of a row or array are relative to. */
typedef struct target {
  size_t base; /* where it begins in the writer's bytes */
  bool array;
} target;

static sf_status write_fields(sf_row_writer *w, const sf_column *const *columns, int32_t n, int64_t row, sf_error *err);
static sf_status write_elements(sf_row_writer *w, const sf_column *c, int32_t from, int32_t to, sf_error *err);

sf_status sf_row_writer_create(sf_pool *pool, const sf_type *row_type, const int32_t *fields, int32_t n_fields,
                               sf_row_form form, sf_row_writer **out, sf_error *err) {
  *out = NULL;
  if (row_type->kind != SF_TYPE_ROW) return sf_fail(err, SF_INVALID, "A row writer needs a ROW type");
  if (fields == NULL) n_fields = row_type->n_children;
  for (int32_t i = 0; i < n_fields && fields != NULL; i++) {
    if (fields[i] < 0 || fields[i] >= row_type->n_children) {
      return sf_fail(err, SF_INVALID, "A row of %d fields has no field %d", row_type->n_children, fields[i]);
    }
  }
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(pool, sizeof(sf_row_writer) + (size_t)n_fields * sizeof(int32_t), &memory, err));
  sf_row_writer *w = memory;
  *w = (sf_row_writer){.pool = sf_pool_retain(pool),
                       .type = sf_type_retain(row_type),
                       .n_fields = n_fields,
                       .fields = (int32_t *)(void *)(w + 1),
                       .form = form};
  for (int32_t i = 0; i < n_fields; i++) w->fields[i] = fields == NULL ? i : fields[i];
  *out = w;
  return SF_OK;
}

void sf_row_writer_destroy(sf_row_writer *w) {
  if (w == NULL) return;
  sf_pool *pool = w->pool;
  sf_pool_free(pool, w->bytes);
  sf_type_release(w->type);
  sf_pool_free(pool, w);
  sf_pool_release(pool);
}

/* --- room */

/* Zeroed room for `size` bytes, rounded up to words, at the end. */
static sf_status extend(sf_row_writer *w, size_t size, sf_error *err) {
  size_t rounded = (size + 7) / 8 * 8;
  if (rounded > INT32_MAX - w->size) return sf_fail(err, SF_INVALID, "A binary row cannot be larger than 2 GiB");
  if (w->size + rounded > w->room) {
    size_t room = w->room < 128 ? 256 : 2 * w->room;
    if (room < w->size + rounded) room = w->size + rounded;
    void *moved = NULL;
    SF_TRY(sf_pool_realloc(w->pool, w->bytes, room, &moved, err));
    w->bytes = moved;
    w->room = room;
  }
  memset(w->bytes + w->size, 0, rounded);
  w->size += rounded;
  return SF_OK;
}

static void set_part(sf_row_writer *w, target t, size_t slot, size_t begin, uint32_t low) {
  sfi_store64(w->bytes + slot, (int64_t)((uint64_t)(begin - t.base) << 32 | low));
}

/* --- values; slots are positions in the writer's bytes */

static sf_status write_bytes(sf_row_writer *w, target t, size_t slot, sf_view view, sf_error *err) {
  if (view.size <= 7) {
    if (view.size > 0) memcpy(w->bytes + slot, view.data, view.size);
    w->bytes[slot + 7] = (uint8_t)(0x80 | view.size);
    return SF_OK;
  }
  size_t begin = w->size;
  SF_TRY(extend(w, view.size, err));
  memcpy(w->bytes + begin, view.data, view.size);
  set_part(w, t, slot, begin, view.size);
  return SF_OK;
}

static sf_status write_decimal(sf_row_writer *w, target t, size_t slot, __int128 value, sf_error *err) {
  size_t begin = w->size;
  SF_TRY(extend(w, 16, err));
  set_part(w, t, slot, begin, (uint32_t)sfi_decimal_to_bytes(value, w->bytes + begin));
  return SF_OK;
}

static sf_status write_timestamp(sf_row_writer *w, target t, size_t slot, int64_t millis, int32_t nanos,
                                 sf_error *err) {
  size_t begin = w->size;
  SF_TRY(extend(w, 8, err));
  sfi_store64(w->bytes + begin, millis);
  set_part(w, t, slot, begin, (uint32_t)nanos);
  return SF_OK;
}

static sf_status write_map(sf_row_writer *w, const sf_column *c, int32_t from, int32_t to, size_t begin,
                           sf_error *err) {
  /* The arrays follow a header of 4 bytes, off the words on which everything else lies: they are written one word
   * further on, where `extend` puts them, and moved back. */
  SF_TRY(extend(w, 8, err));
  size_t keys = w->size;
  SF_TRY(write_elements(w, c->children[0], from, to, err));
  size_t values = w->size;
  SF_TRY(write_elements(w, c->children[1], from, to, err));
  sfi_store32(w->bytes + begin, (int32_t)(values - keys));
  memmove(w->bytes + begin + 4, w->bytes + keys, w->size - keys);
  memset(w->bytes + w->size - 4, 0, 4);
  return SF_OK;
}

static sf_status write_nested(sf_row_writer *w, target t, size_t slot, const sf_column *c, int64_t row,
                              sf_error *err) {
  size_t begin = w->size, unused = 0;
  const int32_t *offsets = c->aux;
  switch (c->type->layout) {
    case SF_LAYOUT_ROW:
      SF_TRY(write_fields(w, (const sf_column *const *)c->children, c->n_children, row, err));
      break;
    case SF_LAYOUT_LIST:
      SF_TRY(write_elements(w, c->children[0], offsets[row], offsets[row + 1], err));
      break;
    default:
      SF_TRY(write_map(w, c, offsets[row], offsets[row + 1], begin, err));
      unused = 4;
  }
  set_part(w, t, slot, begin, (uint32_t)(w->size - begin - unused));
  return SF_OK;
}

/* Java's writers of arrays turn every NaN into the same one, those of rows do not. */
static void write_floating(sf_row_writer *w, target t, size_t slot, const sf_column *c, int64_t row) {
  if (c->type->layout == SF_LAYOUT_FLOAT) {
    float v = ((const float *)c->values)[row];
    if (t.array && v != v) sfi_store32(w->bytes + slot, 0x7fc00000);
    else memcpy(w->bytes + slot, &v, sizeof v);
  } else {
    double v = ((const double *)c->values)[row];
    if (t.array && v != v) sfi_store64(w->bytes + slot, 0x7ff8000000000000);
    else memcpy(w->bytes + slot, &v, sizeof v);
  }
}

static sf_status write_value(sf_row_writer *w, target t, size_t slot, const sf_column *c, int64_t row, sf_error *err) {
  sf_layout layout = c->type->layout;
  switch (layout) {
    case SF_LAYOUT_BOOL:
    case SF_LAYOUT_INT8:
    case SF_LAYOUT_INT16:
    case SF_LAYOUT_INT32:
    case SF_LAYOUT_INT64: {
      size_t width = sf_layout_width(layout);
      memcpy(w->bytes + slot, (const char *)c->values + (size_t)row * width, width);
      return SF_OK;
    }
    case SF_LAYOUT_FLOAT:
    case SF_LAYOUT_DOUBLE: write_floating(w, t, slot, c, row); return SF_OK;
    case SF_LAYOUT_INT128: return write_decimal(w, t, slot, ((const __int128 *)c->values)[row], err);
    case SF_LAYOUT_TIMESTAMP:
      return write_timestamp(w, t, slot, ((const int64_t *)c->values)[row], ((const int32_t *)c->aux)[row], err);
    case SF_LAYOUT_VIEW: return write_bytes(w, t, slot, ((const sf_view *)c->values)[row], err);
    case SF_LAYOUT_ROW:
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: return write_nested(w, t, slot, c, row, err);
    case SF_LAYOUT_NULL: return SF_OK; /* always NULL */
  }
  return sf_fail(err, SF_INTERNAL, "Unknown layout %d", (int)layout);
}

/* --- rows and arrays */

static void set_null_bit(sf_row_writer *w, size_t base, int32_t field) {
  sf_bit_set(w->bytes + base, (int64_t)field + SFI_ROW_HEADER_BITS);
}

static sf_status write_fields(sf_row_writer *w, const sf_column *const *columns, int32_t n, int64_t row,
                              sf_error *err) {
  target t = {.base = w->size};
  SF_TRY(extend(w, sfi_row_fixed_size(n), err));
  size_t slot = t.base + sfi_row_bits_size(n);
  for (int32_t i = 0; i < n; i++, slot += 8) {
    if (sf_column_is_null(columns[i], row)) set_null_bit(w, t.base, i);
    else SF_TRY(write_value(w, t, slot, columns[i], row, err));
  }
  return SF_OK;
}

static sf_status write_elements(sf_row_writer *w, const sf_column *c, int32_t from, int32_t to, sf_error *err) {
  target t = {.base = w->size, .array = true};
  int32_t n = to - from;
  size_t header = sfi_array_header_size(n), width = sfi_array_element_size(c->type);
  SF_TRY(extend(w, header + (size_t)n * width, err));
  sfi_store32(w->bytes + t.base, n);
  for (int32_t i = 0; i < n; i++) {
    if (sf_column_is_null(c, from + i)) sf_bit_set(w->bytes + t.base + 4, i);
    else SF_TRY(write_value(w, t, t.base + header + (size_t)i * width, c, from + i, err));
  }
  return SF_OK;
}

static sf_status write_null(sf_row_writer *w, target t, size_t slot, int32_t field, sf_layout layout, sf_error *err) {
  set_null_bit(w, t.base, field);
  if (w->form == SF_ROW_SERIALIZER) return SF_OK;
  if (layout != SF_LAYOUT_INT128 && layout != SF_LAYOUT_TIMESTAMP) return SF_OK;
  size_t begin = w->size;
  SF_TRY(extend(w, layout == SF_LAYOUT_INT128 ? 16 : 8, err));
  set_part(w, t, slot, begin, 0);
  return SF_OK;
}

sf_status sf_row_writer_write(sf_row_writer *w, const sf_batch *batch, int64_t row, const uint8_t **bytes_out,
                              size_t *size_out, sf_error *err) {
  *bytes_out = NULL;
  *size_out = 0;
  w->size = 0;
  target t = {.base = 0};
  SF_TRY(extend(w, sfi_row_fixed_size(w->n_fields), err));
  if (w->form == SF_ROW_SERIALIZER && batch->row_kinds != NULL) w->bytes[0] = batch->row_kinds[row];
  size_t slot = sfi_row_bits_size(w->n_fields);
  for (int32_t i = 0; i < w->n_fields; i++, slot += 8) {
    const sf_column *c = batch->columns[w->fields[i]];
    if (sf_column_is_null(c, row)) SF_TRY(write_null(w, t, slot, i, c->type->layout, err));
    else SF_TRY(write_value(w, t, slot, c, row, err));
  }
  *bytes_out = w->bytes;
  *size_out = w->size;
  return SF_OK;
}

/* --- hash */

static uint32_t rotate(uint32_t v, int by) { return v << by | v >> (32 - by); }

int32_t sf_binary_row_hash(const uint8_t *bytes, size_t size) {
  uint32_t h = 42; /* MurmurHashUtils.DEFAULT_SEED */
  for (size_t i = 0; i + 4 <= size; i += 4) {
    uint32_t k = (uint32_t)sfi_load32(bytes + i) * 0xcc9e2d51u;
    h ^= rotate(k, 15) * 0x1b873593u;
    h = rotate(h, 13) * 5 + 0xe6546b64u;
  }
  h ^= (uint32_t)size;
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return (int32_t)(h ^ h >> 16);
}
