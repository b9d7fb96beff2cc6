#include "streamfusion/batch.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "column/column_internal.h"
#include "column/type_internal.h"

typedef struct counted_batch {
  sf_batch batch; /* first: a sf_batch pointer is a pointer to this */
  atomic_llong references;
  sf_column *columns[];
} counted_batch;

static sf_status check(const sf_type *type, int64_t length, sf_column *const *columns, const sf_buffer *row_kinds,
                       const sf_buffer *marks, int64_t n_marks, sf_error *err) {
  if (type->kind != SF_TYPE_ROW) return sf_fail(err, SF_INVALID, "A batch needs a ROW type");
  if (length < 0 || length > INT32_MAX) {
    return sf_fail(err, SF_INVALID, "A batch cannot have %lld rows", (long long)length);
  }
  for (int32_t i = 0; i < type->n_children; i++) {
    const sf_column *c = columns[i];
    if (c->is_const || c->length != length || c->type->layout != type->children[i]->layout) {
      char is[96], should[96];
      return sf_fail(err, SF_INVALID, "Column %s of %s with %lld rows%s does not fit a batch of %lld rows with %s",
                     type->field_names[i], sf_type_text(c->type, is, sizeof is), (long long)c->length,
                     c->is_const ? " (const)" : "", (long long)length,
                     sf_type_text(type->children[i], should, sizeof should));
    }
  }
  if (row_kinds != NULL && sf_buffer_size(row_kinds) < (size_t)length) {
    return sf_fail(err, SF_INVALID, "A batch of %lld rows has %zu row kinds", (long long)length,
                   sf_buffer_size(row_kinds));
  }
  if (n_marks < 0 || (size_t)n_marks * sizeof(sf_mark) > (marks == NULL ? 0 : sf_buffer_size(marks))) {
    return sf_fail(err, SF_INVALID, "%lld marks do not fit their buffer", (long long)n_marks);
  }
  return SF_OK;
}

static sf_status create(const sf_type *type, int64_t length, sf_column *const *columns, sf_buffer *row_kinds,
                        sf_buffer *marks, int64_t n_marks, sf_batch **out, sf_error *err) {
  SF_TRY(check(type, length, columns, row_kinds, marks, n_marks, err));
  counted_batch *b = malloc(sizeof *b + (size_t)type->n_children * sizeof(sf_column *));
  if (b == NULL) return sf_fail(err, SF_NOMEM, "No memory for a batch");
  b->batch = (sf_batch){
      .type = sf_type_retain(type),
      .length = length,
      .n_columns = type->n_children,
      .columns = b->columns,
      .row_kinds = row_kinds == NULL ? NULL : sf_buffer_data(row_kinds),
      .row_kinds_buffer = row_kinds,
      .n_marks = n_marks,
      .marks = n_marks == 0 ? NULL : (const sf_mark *)(const void *)sf_buffer_data(marks),
      .marks_buffer = marks,
  };
  for (int32_t i = 0; i < type->n_children; i++) b->columns[i] = sf_column_retain(columns[i]);
  atomic_init(&b->references, 1);
  sf_live_add(1);
  *out = &b->batch;
  return SF_OK;
}

sf_status sf_batch_create(const sf_type *type, int64_t length, sf_column *const *columns, sf_buffer *row_kinds_buffer,
                          sf_buffer *marks_buffer, int64_t n_marks, sf_batch **out, sf_error *err) {
  *out = NULL;
  sf_status st = create(type, length, columns, row_kinds_buffer, marks_buffer, n_marks, out, err);
  if (st != SF_OK) {
    sf_buffer_release(row_kinds_buffer);
    sf_buffer_release(marks_buffer);
  }
  return st;
}

sf_batch *sf_batch_retain(sf_batch *batch) {
  atomic_fetch_add_explicit(&((counted_batch *)batch)->references, 1, memory_order_relaxed);
  return batch;
}

void sf_batch_release(sf_batch *batch) {
  if (batch == NULL || atomic_fetch_sub(&((counted_batch *)batch)->references, 1) != 1) return;
  for (int32_t i = 0; i < batch->n_columns; i++) sf_column_release(batch->columns[i]);
  sf_buffer_release(batch->row_kinds_buffer);
  sf_buffer_release(batch->marks_buffer);
  sf_type_release(batch->type);
  free(batch);
  sf_live_add(-1);
}

/* --- filter */

/* Number of ascending indices below `row`. */
static int64_t kept_before(const int32_t *indices, int64_t n, int64_t row) {
  int64_t from = 0, to = n;
  while (from < to) {
    int64_t middle = from + (to - from) / 2;
    if (indices[middle] < row) from = middle + 1;
    else to = middle;
  }
  return from;
}

static void share_headers(const sf_batch *batch, sf_buffer **row_kinds, sf_buffer **marks) {
  if (batch->row_kinds_buffer != NULL) *row_kinds = sf_buffer_retain(batch->row_kinds_buffer);
  if (batch->marks_buffer != NULL) *marks = sf_buffer_retain(batch->marks_buffer);
}

static sf_status filter_headers(sf_pool *pool, const sf_batch *batch, const int32_t *indices, int64_t n,
                                sf_buffer **row_kinds, sf_buffer **marks, sf_error *err) {
  if (batch->row_kinds != NULL) {
    SF_TRY(sf_buffer_create(pool, (size_t)n, row_kinds, err));
    uint8_t *kinds = sf_buffer_data(*row_kinds);
    for (int64_t i = 0; i < n; i++) kinds[i] = batch->row_kinds[indices[i]];
  }
  if (batch->n_marks > 0) {
    SF_TRY(sf_buffer_create(pool, (size_t)batch->n_marks * sizeof(sf_mark), marks, err));
    sf_mark *moved = (sf_mark *)(void *)sf_buffer_data(*marks);
    for (int64_t i = 0; i < batch->n_marks; i++) {
      moved[i] = (sf_mark){kept_before(indices, n, batch->marks[i].row), batch->marks[i].watermark};
    }
  }
  return SF_OK;
}

sf_status sfi_batch_headers(sf_pool *pool, const sf_batch *batch, const int32_t *indices, int64_t n,
                            sf_buffer **row_kinds, sf_buffer **marks, sf_error *err) {
  *row_kinds = *marks = NULL;
  if (indices == NULL) {
    share_headers(batch, row_kinds, marks);
    return SF_OK;
  }
  sf_status st = filter_headers(pool, batch, indices, n, row_kinds, marks, err);
  if (st != SF_OK) {
    sf_buffer_release(*row_kinds);
    sf_buffer_release(*marks);
    *row_kinds = *marks = NULL;
  }
  return st;
}

static void release_columns(sf_pool *pool, sf_column **columns, int32_t n) {
  for (int32_t i = 0; i < n && columns != NULL; i++) sf_column_release(columns[i]);
  sf_pool_free(pool, columns);
}

/* A zeroed array of column pointers. */
static sf_status new_columns(sf_pool *pool, int32_t n, sf_column ***out, sf_error *err) {
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(pool, (size_t)n * sizeof(sf_column *), &memory, err));
  if (n > 0) memset(memory, 0, (size_t)n * sizeof(sf_column *));
  *out = memory;
  return SF_OK;
}

sf_status sf_batch_filter(sf_pool *pool, const sf_batch *batch, const int32_t *indices, int64_t n, sf_batch **out,
                          sf_error *err) {
  *out = NULL;
  if (n == batch->length) { /* ascending, so these are all rows */
    *out = sf_batch_retain((sf_batch *)(uintptr_t)batch);
    return SF_OK;
  }
  sf_buffer *row_kinds = NULL, *marks = NULL;
  sf_column **columns = NULL;
  sf_status st = SF_OK;
  SF_GOTO(sfi_batch_headers(pool, batch, indices, n, &row_kinds, &marks, err));
  SF_GOTO(new_columns(pool, batch->n_columns, &columns, err));
  for (int32_t i = 0; i < batch->n_columns; i++) {
    SF_GOTO(sf_column_gather(pool, batch->columns[i], indices, n, &columns[i], err));
  }
  st = sf_batch_create(batch->type, n, columns, row_kinds, marks, batch->n_marks, out, err);
  row_kinds = marks = NULL;
cleanup:
  release_columns(pool, columns, batch->n_columns);
  sf_buffer_release(row_kinds);
  sf_buffer_release(marks);
  return st;
}

/* --- concat */

static sf_status concat_headers(sf_pool *pool, const sf_batch *const *batches, int32_t n, int64_t length,
                                int64_t n_marks, sf_buffer **row_kinds, sf_buffer **marks, sf_error *err) {
  bool kinds = false;
  for (int32_t i = 0; i < n; i++) kinds = kinds || batches[i]->row_kinds != NULL;
  if (kinds) SF_TRY(sf_buffer_create(pool, (size_t)length, row_kinds, err));
  if (n_marks > 0) SF_TRY(sf_buffer_create(pool, (size_t)n_marks * sizeof(sf_mark), marks, err));
  int64_t row = 0, mark = 0;
  for (int32_t i = 0; i < n; i++) {
    const sf_batch *b = batches[i];
    if (kinds && b->length > 0) {
      uint8_t *to = sf_buffer_data(*row_kinds) + row;
      if (b->row_kinds == NULL) memset(to, SF_INSERT, (size_t)b->length);
      else memcpy(to, b->row_kinds, (size_t)b->length);
    }
    for (int64_t k = 0; k < b->n_marks; k++) {
      sf_mark *to = (sf_mark *)(void *)sf_buffer_data(*marks);
      to[mark++] = (sf_mark){row + b->marks[k].row, b->marks[k].watermark};
    }
    row += b->length;
  }
  return SF_OK;
}

static sf_status concat_columns(sf_pool *pool, const sf_batch *const *batches, int32_t n, sf_column **columns,
                                sf_error *err) {
  void *scratch = NULL;
  SF_TRY(sf_pool_alloc(pool, (size_t)n * sizeof(sf_column *), &scratch, err));
  const sf_column **list = scratch;
  sf_status st = SF_OK;
  for (int32_t i = 0; i < batches[0]->n_columns && st == SF_OK; i++) {
    for (int32_t k = 0; k < n; k++) list[k] = batches[k]->columns[i];
    st = sf_column_concat(pool, list, n, &columns[i], err);
  }
  sf_pool_free(pool, scratch);
  return st;
}

sf_status sf_batch_concat(sf_pool *pool, const sf_batch *const *batches, int32_t n, sf_batch **out, sf_error *err) {
  *out = NULL;
  if (n < 1) return sf_fail(err, SF_INVALID, "Nothing to concatenate");
  if (n == 1) {
    *out = sf_batch_retain((sf_batch *)(uintptr_t)batches[0]);
    return SF_OK;
  }
  int64_t length = 0, n_marks = 0;
  for (int32_t i = 0; i < n; i++) {
    if (!sfi_type_same_layout(batches[i]->type, batches[0]->type)) {
      return sf_fail(err, SF_INVALID, "Batches of different types cannot be concatenated");
    }
    length += batches[i]->length;
    n_marks += batches[i]->n_marks;
  }
  sf_buffer *row_kinds = NULL, *marks = NULL;
  sf_column **columns = NULL;
  sf_status st = SF_OK;
  SF_GOTO(concat_headers(pool, batches, n, length, n_marks, &row_kinds, &marks, err));
  SF_GOTO(new_columns(pool, batches[0]->n_columns, &columns, err));
  SF_GOTO(concat_columns(pool, batches, n, columns, err));
  st = sf_batch_create(batches[0]->type, length, columns, row_kinds, marks, n_marks, out, err);
  row_kinds = marks = NULL;
cleanup:
  release_columns(pool, columns, batches[0]->n_columns);
  sf_buffer_release(row_kinds);
  sf_buffer_release(marks);
  return st;
}

int64_t sf_batch_bytes(const sf_batch *batch) {
  int64_t bytes = batch->row_kinds_buffer == NULL ? 0 : (int64_t)sf_buffer_size(batch->row_kinds_buffer);
  if (batch->marks_buffer != NULL) bytes += (int64_t)sf_buffer_size(batch->marks_buffer);
  for (int32_t i = 0; i < batch->n_columns; i++) bytes += sf_column_bytes(batch->columns[i]);
  return bytes;
}
