/* Drops UPDATE_BEFORE rows: org.apache.flink.table.runtime.operators.misc.DropUpdateBeforeFunction. */
#include "operators/operator_internal.h"

static sf_status process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  if (batch->row_kinds == NULL) return sfi_emit(sf_batch_retain(batch), out, err);
  void *scratch = NULL;
  SF_TRY(sf_pool_alloc(op->pool, (size_t)batch->length * sizeof(int32_t), &scratch, err));
  int32_t *rows = scratch;
  int64_t n = 0;
  for (int64_t i = 0; i < batch->length; i++) {
    rows[n] = (int32_t)i;
    n += batch->row_kinds[i] != SF_UPDATE_BEFORE;
  }
  sf_batch *kept = NULL;
  sf_status st = sf_batch_filter(op->pool, batch, rows, n, &kept, err);
  sf_pool_free(op->pool, scratch);
  return st == SF_OK ? sfi_emit(kept, out, err) : st;
}

static const sfi_operator_vtable vtable = {.process = process};

sf_status sfi_drop_update_before_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                        sf_error *err) {
  return sfi_operator_new(pool, plan, sizeof(sf_operator), &vtable, out, err);
}
