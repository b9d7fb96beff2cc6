/* The first phase of a GROUP BY: org.apache.flink.table.runtime.operators.aggregate.MiniBatchLocalGroupAggFunction in a
 * MapBundleOperator. Emits the accumulators of each bundle's keys and keeps nothing. */
#include "operators/bundle.h"
#include "operators/group_calls.h"

typedef struct local_aggregate {
  sf_operator base;
  sfi_group_calls calls;
  int32_t *grouping;
  int32_t n_grouping;
  sf_row_writer *key_writer;
  sfi_bundle bundle;
  sfi_bundle_output output;
  int32_t n_flat;
  sfi_scalar *flat;
  sfi_bytes maps;
} local_aggregate;

static sf_status add_row(local_aggregate *g, const sf_batch *batch, int64_t row, sf_error *err) {
  const uint8_t *bytes = NULL;
  size_t size = 0;
  SF_TRY(sf_row_writer_write(g->key_writer, batch, row, &bytes, &size, err));
  sfi_accumulators acc = {.state = g->bundle.keys, .scratch = &g->calls.scratch};
  bool first = false;
  SF_TRY(sfi_bundle_find(&g->bundle, bytes, size, sf_binary_row_hash(bytes, size), &acc.key, &first, err));
  acc.record = sfi_bundle_record(&g->bundle, acc.key.id);
  for (int32_t i = 0; first && i < g->calls.n_calls; i++) sfi_aggregate_init(&g->calls.calls[i], acc.record);
  return sfi_group_update(&g->calls, &acc, batch, row, sfi_retracts(sfi_row_kind(batch, row)), err);
}

static sf_status emit_key(local_aggregate *g, sfi_bundle_key key, const sf_collector *out, sf_error *err) {
  sfi_accumulators acc = {.state = g->bundle.keys, .key = {.group = 0, .id = key.id}};
  acc.record = sfi_bundle_record(&g->bundle, key.id);
  SF_TRY(sfi_group_flatten(&g->calls, &acc, &g->maps, g->flat, err));
  sfi_region bytes = sfi_bundle_bytes(&g->bundle, key.id);
  return sfi_bundle_output_row(&g->output, bytes, g->flat, g->n_flat, SF_INSERT, out, err);
}

static sf_status finish_bundle(local_aggregate *g, const sf_collector *out, sf_error *err) {
  sfi_bundle_sort(&g->bundle);
  for (int64_t i = 0; i < g->bundle.n; i++) SF_TRY(emit_key(g, g->bundle.touched[i], out, err));
  return sfi_bundle_clear(&g->bundle, err);
}

static sf_status process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  local_aggregate *g = (local_aggregate *)op;
  int64_t mark = 0;
  for (int64_t row = 0; row <= batch->length; row++) {
    for (; mark < batch->n_marks && batch->marks[mark].row <= row; mark++) {
      SF_TRY(finish_bundle(g, out, err));
      SF_TRY(sf_batch_builder_mark(g->output.builder, batch->marks[mark].watermark, err));
    }
    if (row == batch->length) break;
    SF_TRY(add_row(g, batch, row, err));
    if (sfi_bundle_count(&g->bundle)) SF_TRY(finish_bundle(g, out, err));
  }
  return sfi_bundle_output_emit(&g->output, out, err);
}

static sf_status flush(sf_operator *op, const sf_collector *out, sf_error *err) {
  local_aggregate *g = (local_aggregate *)op;
  SF_TRY(finish_bundle(g, out, err));
  return sfi_bundle_output_emit(&g->output, out, err);
}

static sf_status watermark(sf_operator *op, int64_t value, const sf_collector *out, sf_error *err) {
  (void)value;
  return flush(op, out, err);
}

/* --- life cycle */

static void destroy(sf_operator *op) {
  local_aggregate *g = (local_aggregate *)op;
  sfi_group_calls_drop(&g->calls);
  sfi_bundle_drop(&g->bundle);
  sfi_bundle_output_drop(&g->output);
  sf_row_writer_destroy(g->key_writer);
  sf_pool_free(op->pool, g->grouping);
  sf_pool_free(op->pool, g->flat);
  sf_pool_free(op->pool, g->maps.data);
}

static const sfi_operator_vtable vtable = {
    .process = process, .watermark = watermark, .before_barrier = flush, .finish = flush, .destroy = destroy};

static sf_status prepare(local_aggregate *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  sf_pool *pool = g->base.pool;
  void *memory = NULL;
  SF_TRY(sfi_group_calls_prepare(pool, message, g->base.input_type, &g->calls, err));
  SF_TRY(sfi_group_key_writer(pool, message, g->base.input_type, &g->grouping, &g->key_writer, err));
  g->n_grouping = (int32_t)message->n_grouping;
  SF_TRY(sfi_group_check_flat(&g->calls, g->base.output_type, g->n_grouping, err));
  g->n_flat = sfi_group_flat_size(&g->calls);
  SF_TRY(sf_pool_alloc(pool, (size_t)g->n_flat * sizeof *g->flat, &memory, err));
  g->flat = memory;
  g->maps.pool = pool;
  SF_TRY(sfi_bundle_output_create(pool, g->base.output_type, g->n_grouping, &g->output, err));
  sf_state *keys = NULL;
  SF_TRY(sfi_group_calls_open(&g->calls, sfi_bundle_groups, 0, &keys, err));
  sfi_bundle_init(&g->bundle, pool, message->bundle_size, keys);
  return SF_OK;
}

sf_status sfi_local_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(local_aggregate), &vtable, &op, err));
  sf_status st = prepare((local_aggregate *)op, plan->message->group_aggregate, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}
