#include <string.h>

#include "column/builder_internal.h"

static sf_status create_columns(sf_batch_builder *b, sf_error *err) {
  int32_t n = b->type->n_children;
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(b->pool, (size_t)n * sizeof *b->columns, &memory, err));
  b->columns = memory;
  for (; b->n_columns < n; b->n_columns++) {
    SF_TRY(sf_column_builder_create(b->pool, b->type->children[b->n_columns], &b->columns[b->n_columns], err));
  }
  return SF_OK;
}

sf_status sf_batch_builder_create(sf_pool *pool, const sf_type *row_type, sf_batch_builder **out, sf_error *err) {
  *out = NULL;
  if (row_type->kind != SF_TYPE_ROW) return sf_fail(err, SF_INVALID, "A batch builder needs a ROW type");
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(pool, sizeof(sf_batch_builder), &memory, err));
  sf_batch_builder *b = memory;
  *b = (sf_batch_builder){.pool = sf_pool_retain(pool), .type = sf_type_retain(row_type)};
  sf_status st = create_columns(b, err);
  if (st != SF_OK) {
    sf_batch_builder_destroy(b);
    return st;
  }
  *out = b;
  return SF_OK;
}

void sf_batch_builder_destroy(sf_batch_builder *b) {
  if (b == NULL) return;
  sf_pool *pool = b->pool;
  for (int32_t i = 0; i < b->n_columns; i++) sf_column_builder_destroy(b->columns[i]);
  sf_pool_free(pool, b->columns);
  sf_buffer_release(b->row_kinds);
  sf_buffer_release(b->marks);
  sf_type_release(b->type);
  sf_pool_free(pool, b);
  sf_pool_release(pool);
}

int64_t sf_batch_builder_length(const sf_batch_builder *b) { return b->length; }
sf_column_builder *sf_batch_builder_column(sf_batch_builder *b, int32_t i) { return b->columns[i]; }

/* Doubling room for `size` bytes. */
static sf_status room_for(sf_pool *pool, sf_buffer **buffer, size_t size, size_t first, sf_error *err) {
  if (*buffer == NULL) return sf_buffer_create(pool, size < first ? first : size, buffer, err);
  size_t have = sf_buffer_size(*buffer);
  if (have >= size) return SF_OK;
  return sf_buffer_resize(buffer, size < 2 * have ? 2 * have : size, err);
}

static bool all_inserts(const uint8_t *kinds, int64_t n) {
  uint8_t any = 0;
  for (int64_t i = 0; i < n; i++) any |= kinds[i];
  return any == SF_INSERT;
}

sf_status sfi_batch_builder_kinds(sf_batch_builder *b, const uint8_t *kinds, int64_t n, sf_error *err) {
  bool inserts = kinds == NULL || all_inserts(kinds, n);
  if (b->row_kinds == NULL && inserts) {
    b->length += n;
    return SF_OK;
  }
  bool first = b->row_kinds == NULL;
  SF_TRY(room_for(b->pool, &b->row_kinds, (size_t)(b->length + n), 256, err));
  uint8_t *to = sf_buffer_data(b->row_kinds);
  if (first && b->length > 0) memset(to, SF_INSERT, (size_t)b->length);
  if (inserts) memset(to + b->length, SF_INSERT, (size_t)n);
  else memcpy(to + b->length, kinds, (size_t)n);
  b->length += n;
  return SF_OK;
}

sf_status sf_batch_builder_end_row(sf_batch_builder *b, uint8_t row_kind, sf_error *err) {
  if (row_kind > SF_DELETE) return sf_fail(err, SF_INVALID, "Row kind %d does not exist", row_kind);
  for (int32_t i = 0; i < b->n_columns; i++) {
    if (b->columns[i]->length != b->length + 1) {
      return sf_fail(err, SF_INVALID, "Column %s has %lld values at the end of row %lld", b->type->field_names[i],
                     (long long)b->columns[i]->length, (long long)b->length);
    }
  }
  return sfi_batch_builder_kinds(b, &row_kind, 1, err);
}

sf_status sf_batch_builder_mark(sf_batch_builder *b, int64_t watermark, sf_error *err) {
  SF_TRY(room_for(b->pool, &b->marks, (size_t)(b->n_marks + 1) * sizeof(sf_mark), 8 * sizeof(sf_mark), err));
  ((sf_mark *)(void *)sf_buffer_data(b->marks))[b->n_marks++] = (sf_mark){b->length, watermark};
  return SF_OK;
}

sf_status sf_batch_builder_finish(sf_batch_builder *b, sf_batch **out, sf_error *err) {
  *out = NULL;
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(b->pool, (size_t)b->n_columns * sizeof(sf_column *), &memory, err));
  sf_column **columns = memory;
  sf_status st = SF_OK;
  int32_t have = 0;
  for (; have < b->n_columns && st == SF_OK; have++) {
    st = sf_column_builder_finish(b->columns[have], &columns[have], err);
  }
  if (st == SF_OK) {
    sf_buffer *row_kinds = b->row_kinds, *marks = b->marks;
    int64_t n_marks = b->n_marks, length = b->length;
    b->row_kinds = b->marks = NULL;
    b->n_marks = b->length = 0;
    st = sf_batch_create(b->type, length, columns, row_kinds, marks, n_marks, out, err);
  }
  for (int32_t i = 0; i < have; i++) sf_column_release(columns[i]);
  sf_pool_free(b->pool, memory);
  return st;
}
