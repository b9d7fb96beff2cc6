/* Any bytes as a serialized operator, which then gets NULLs to work on. */
#include <stdlib.h>

#include "streamfusion/operator.h"

static sf_status drop(void *context, sf_batch *batch, sf_error *err) {
  (void)context;
  (void)err;
  for (int32_t i = 0; i < batch->n_columns; i++) {
    if (batch->columns[i]->length != batch->length || batch->columns[i]->is_const) abort();
  }
  sf_batch_release(batch);
  return SF_OK;
}

static void feed(sf_pool *pool, sf_operator *op, const sf_type *type, int64_t length) {
  sf_error err;
  sf_column *row = NULL;
  sf_batch *batch = NULL;
  const sf_collector out = {NULL, drop};
  if (sf_column_create_null(pool, type, length, &row, &err) != SF_OK) return;
  if (sf_batch_create(type, length, row->children, NULL, NULL, 0, &batch, &err) == SF_OK) {
    sf_status st = sf_operator_process(op, 0, batch, &out, &err);
    if (st == SF_OK) st = sf_operator_timer(op, 1, &out, &err);
    if (st == SF_OK) st = sf_operator_watermark(op, INT64_MAX, &out, &err);
    if (st == SF_OK) st = sf_operator_finish(op, &out, &err);
    if (st == SF_INTERNAL) abort();
  }
  sf_batch_release(batch);
  sf_column_release(row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sf_error err;
  sf_pool *pool = NULL;
  sf_operator *op = NULL;
  int64_t live = sf_live_objects();
  if (sf_pool_create("fuzz", (int64_t)64 << 20, NULL, &pool, &err) != SF_OK) return 0;
  if (sf_operator_create(pool, NULL, data, size, &op, &err) == SF_OK) {
    const sf_type *type = sf_operator_input_type(op);
    feed(pool, op, type, 3);
    feed(pool, op, type, 0);
  } else if (op != NULL) {
    abort();
  }
  sf_operator_destroy(op);
  if (sf_pool_used(pool) != 0) abort();
  sf_pool_release(pool);
  if (sf_live_objects() != live) abort();
  return 0;
}
