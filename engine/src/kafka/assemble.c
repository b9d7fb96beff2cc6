#include "streamfusion/assemble.h"

#include <string.h>

/* Owned column `index` of the part, its rows picked. */
static sf_status part_column(sf_pool *pool, const sf_batch_part *part, int32_t index, int64_t length, sf_column **out,
                             sf_error *err) {
  if (index < 0 || index >= part->batch->n_columns) {
    return sf_fail(err, SF_INVALID, "column %d of a batch of %d columns", (int)index, (int)part->batch->n_columns);
  }
  sf_column *column = part->batch->columns[index];
  if (part->rows != NULL) return sf_column_gather(pool, column, part->rows, length, out, err);
  *out = sf_column_retain(column);
  return SF_OK;
}

static sf_status output_column(sf_pool *pool, const sf_type *type, const sf_batch_part *parts, int32_t n_parts,
                               int32_t part, int32_t index, int64_t length, sf_column **out, sf_error *err) {
  if (part < 0) return sf_column_create_null(pool, type, length, out, err);
  if (part >= n_parts || parts[part].batch == NULL) {
    return sf_fail(err, SF_INVALID, "no part %d among %d", (int)part, (int)n_parts);
  }
  sf_column *column;
  SF_TRY(part_column(pool, &parts[part], index, length, &column, err));
  if (sf_type_equal(column->type, type, true)) {
    *out = column;
    return SF_OK;
  }
  /* nullability differs between a format's row and the table's */
  sf_status st = sf_column_retype(column, type, out, err);
  sf_column_release(column);
  return st;
}

static sf_status part_row_kinds(sf_pool *pool, const sf_batch_part *part, int64_t length, sf_buffer **out, sf_error *err) {
  *out = NULL;
  if (part->batch == NULL || part->batch->row_kinds == NULL) return SF_OK;
  SF_TRY(sf_buffer_create(pool, (size_t)length, out, err));
  uint8_t *kinds = sf_buffer_data(*out);
  if (part->rows == NULL) {
    memcpy(kinds, part->batch->row_kinds, (size_t)length);
  } else {
    for (int64_t i = 0; i < length; i++) kinds[i] = part->batch->row_kinds[part->rows[i]];
  }
  return SF_OK;
}

sf_status sf_batch_assemble(sf_pool *pool, const sf_type *row_type, int64_t length, const sf_batch_part *parts,
                            int32_t n_parts, const int32_t *part_of, const int32_t *column_of, sf_batch **out,
                            sf_error *err) {
  for (int32_t p = 0; p < n_parts; p++) {
    if (parts[p].batch != NULL && parts[p].rows == NULL && parts[p].batch->length != length) {
      return sf_fail(err, SF_INVALID, "part %d has %lld rows instead of %lld", (int)p, (long long)parts[p].batch->length,
                     (long long)length);
    }
  }
  void *memory;
  size_t columns_size = (size_t)row_type->n_children * sizeof(sf_column *);
  SF_TRY(sf_pool_alloc(pool, columns_size, &memory, err));
  sf_column **columns = memory;
  memset(columns, 0, columns_size);
  sf_status st = SF_OK;
  for (int32_t c = 0; c < row_type->n_children; c++) {
    SF_GOTO(output_column(pool, row_type->children[c], parts, n_parts, part_of[c], column_of[c], length, &columns[c], err));
  }
  sf_buffer *kinds = NULL;
  if (n_parts > 0) SF_GOTO(part_row_kinds(pool, &parts[0], length, &kinds, err));
  st = sf_batch_create(row_type, length, columns, kinds, NULL, 0, out, err);
cleanup:
  for (int32_t c = 0; c < row_type->n_children; c++) sf_column_release(columns[c]);
  sf_pool_free(pool, memory);
  return st;
}
