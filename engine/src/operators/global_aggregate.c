/* The second phase of a GROUP BY: org.apache.flink.table.runtime.operators.aggregate.MiniBatchGlobalGroupAggFunction in a
 * KeyedMapBundleOperator. Accumulators of the first phase are merged by key until their bundle ends, and then into the state. */
#include "column/type_internal.h"
#include "operators/bundle.h"
#include "operators/group_calls.h"

typedef struct global_aggregate {
  sf_operator base;
  sf_type *call_input_type; /* owned */
  sfi_group_calls calls;
  int32_t *grouping;
  int32_t n_grouping;
  sf_row_writer *key_writer;
  sfi_bundle bundle; /* its keys have the layout of the state, so that the calls find their accumulators in both */
  sfi_bundle_output output;
  int32_t n_flat;
  sfi_scalar *flat;
  sfi_bytes maps;
} global_aggregate;

static sf_status add_row(global_aggregate *g, const sf_batch *batch, int64_t row, sf_error *err) {
  const uint8_t *bytes = NULL;
  size_t size = 0;
  SF_TRY(sf_row_writer_write(g->key_writer, batch, row, &bytes, &size, err));
  sfi_accumulators acc = {.state = g->bundle.keys, .scratch = &g->calls.scratch};
  bool first = false;
  SF_TRY(sfi_bundle_find(&g->bundle, bytes, size, sf_binary_row_hash(bytes, size), &acc.key, &first, err));
  acc.record = sfi_bundle_record(&g->bundle, acc.key.id);
  for (int32_t i = 0; first && i < g->calls.n_calls; i++) sfi_aggregate_init(&g->calls.calls[i], acc.record);
  for (int32_t i = 0; i < g->n_flat; i++) g->flat[i] = sfi_scalar_of(batch->columns[g->n_grouping + i], row);
  return sfi_group_merge(&g->calls, &acc, g->flat, err);
}

/* --- the end of a bundle */

static sf_status emit_changes(global_aggregate *g, sfi_region key, const sfi_accumulators *acc, bool first,
                              const sf_collector *out, sf_error *err) {
  uint8_t kinds[2];
  int32_t n = 0;
  SF_TRY(sfi_group_changes(&g->calls, acc, first, kinds, &n, err));
  for (int32_t i = 0; i < n; i++) {
    const sfi_scalar *values = sfi_retracts(kinds[i]) ? g->calls.before : g->calls.after;
    SF_TRY(sfi_bundle_output_row(&g->output, key, values, g->calls.n_emitted, kinds[i], out, err));
  }
  return SF_OK;
}

static sf_status finish_key(global_aggregate *g, sfi_bundle_key key, const sf_collector *out, sf_error *err) {
  sf_state *state = g->base.state;
  if (state->ttl > 0) state->now = sfi_current_millis();
  sfi_accumulators gathered = {.state = g->bundle.keys, .key = {.group = 0, .id = key.id}};
  gathered.record = sfi_bundle_record(&g->bundle, key.id);
  SF_TRY(sfi_group_flatten(&g->calls, &gathered, &g->maps, g->flat, err));
  sfi_region bytes = sfi_bundle_bytes(&g->bundle, key.id);
  sfi_accumulators acc = {.state = state, .scratch = &g->calls.scratch};
  bool first = false;
  SF_TRY(sfi_group_find(state, bytes.data, bytes.size, key.hash, &acc.key, &first, err));
  SF_TRY(sfi_group_open_key(&g->calls, bytes.data, bytes.size, key.hash, first, &acc, err));
  if (!first) sfi_group_read(&g->calls, acc.record, g->calls.before);
  SF_TRY(sfi_group_merge(&g->calls, &acc, g->flat, err));
  return emit_changes(g, bytes, &acc, first, out, err);
}

static sf_status finish_bundle(global_aggregate *g, const sf_collector *out, sf_error *err) {
  sf_state *state = g->base.state;
  sfi_bundle_sort(&g->bundle);
  for (int64_t i = 0; i < g->bundle.n; i++) SF_TRY(finish_key(g, g->bundle.touched[i], out, err));
  SF_TRY(sfi_state_settle(state, g->bundle.n, err));
  sfi_state_reclaim(state);
  return sfi_bundle_clear(&g->bundle, err);
}

static sf_status process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  global_aggregate *g = (global_aggregate *)op;
  if (op->state == NULL) return sf_fail(err, SF_INVALID, "The keyed state of an aggregate is not open");
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
  global_aggregate *g = (global_aggregate *)op;
  if (op->state == NULL) return SF_OK;
  SF_TRY(finish_bundle(g, out, err));
  return sfi_bundle_output_emit(&g->output, out, err);
}

static sf_status watermark(sf_operator *op, int64_t value, const sf_collector *out, sf_error *err) {
  (void)value;
  return flush(op, out, err);
}

/* --- life cycle */

static sf_status open_state(sf_operator *op, sf_key_groups groups, sf_error *err) {
  global_aggregate *g = (global_aggregate *)op;
  return sfi_group_calls_open(&g->calls, groups, g->calls.ttl, &op->state, err);
}

static void destroy(sf_operator *op) {
  global_aggregate *g = (global_aggregate *)op;
  sfi_group_calls_drop(&g->calls);
  sfi_bundle_drop(&g->bundle);
  sfi_bundle_output_drop(&g->output);
  sf_row_writer_destroy(g->key_writer);
  sf_type_release(g->call_input_type);
  sf_pool_free(op->pool, g->grouping);
  sf_pool_free(op->pool, g->flat);
  sf_pool_free(op->pool, g->maps.data);
}

static const sfi_operator_vtable vtable = {.process = process,
                                           .watermark = watermark,
                                           .before_barrier = flush,
                                           .finish = flush,
                                           .open_state = open_state,
                                           .destroy = destroy};

static sf_status prepare(global_aggregate *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  sf_pool *pool = g->base.pool;
  void *memory = NULL;
  if (message->call_input_type == NULL) return sf_fail(err, SF_INVALID, "An aggregate lacks the type of its calls' input");
  SF_TRY(sfi_type_from_message(message->call_input_type, &g->call_input_type, err));
  if (g->call_input_type->kind != SF_TYPE_ROW) return sf_fail(err, SF_INVALID, "The input of calls is no ROW");
  SF_TRY(sfi_group_calls_prepare(pool, message, g->call_input_type, &g->calls, err));
  SF_TRY(sfi_group_key_writer(pool, message, g->base.input_type, &g->grouping, &g->key_writer, err));
  g->n_grouping = (int32_t)message->n_grouping;
  SF_TRY(sfi_group_calls_check_output(&g->calls, g->base.output_type, g->n_grouping, err));
  SF_TRY(sfi_group_check_flat(&g->calls, g->base.input_type, g->n_grouping, err));
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

sf_status sfi_global_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(global_aggregate), &vtable, &op, err));
  sf_status st = prepare((global_aggregate *)op, plan->message->group_aggregate, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}
