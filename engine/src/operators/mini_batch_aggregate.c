/* GROUP BY without windows in mini-batches: org.apache.flink.table.runtime.operators.aggregate.MiniBatchGroupAggFunction in a
 * KeyedMapBundleOperator. Rows wait until their bundle ends; then the rows of a key are applied together and what they change
 * together is emitted. */
#include "operators/bundle.h"
#include "operators/group_calls.h"
#include "streamfusion/binary_row.h"

/* A row that waits; rows of one key are linked. */
typedef struct waiting_row {
  uint32_t batch;
  uint32_t row;
  uint32_t next; /* NO_ROW: none */
} waiting_row;
#define NO_ROW UINT32_MAX

/* The record of a bundle's key: first and last row. */
enum { FIRST_ROW, LAST_ROW, ROW_CELLS };

typedef struct mini_batch_aggregate {
  sf_operator base;
  sfi_group_calls calls;
  int32_t *grouping;
  int32_t n_grouping;
  sf_row_writer *key_writer;
  sfi_bundle bundle;
  waiting_row *rows;
  int64_t n_rows;
  int64_t row_room;
  sf_batch **batches; /* retained */
  int64_t n_batches;
  int64_t batch_room;
  sfi_bundle_output output;
} mini_batch_aggregate;

/* --- the bundle's keys */

static const sfi_record_type row_list_type = {
    .form = SFI_VALUE_LONG_ARRAY,
    .n_cells = ROW_CELLS,
    .offsets = (const int32_t[]){8, 16},
    .layouts = (const sf_layout[]){SF_LAYOUT_INT64, SF_LAYOUT_INT64},
    .size = 24,
};

static int64_t get_row(const uint8_t *record, int cell) {
  int64_t row;
  memcpy(&row, record + row_list_type.offsets[cell], sizeof row);
  return row;
}
static void set_row(uint8_t *record, int cell, int64_t row) { memcpy(record + row_list_type.offsets[cell], &row, sizeof row); }

static sf_status grow(sf_pool *pool, void **items, int64_t n, int64_t *room, size_t size, sf_error *err) {
  if (n < *room) return SF_OK;
  int64_t more = *room == 0 ? 64 : 2 * *room;
  void *memory = NULL;
  SF_TRY(sf_pool_realloc(pool, *items, (size_t)more * size, &memory, err));
  *items = memory;
  *room = more;
  return SF_OK;
}

static sf_status keep_batch(mini_batch_aggregate *g, sf_batch *batch, sf_error *err) {
  if (g->n_batches > 0 && g->batches[g->n_batches - 1] == batch) return SF_OK;
  void *items = g->batches;
  SF_TRY(grow(g->base.pool, &items, g->n_batches, &g->batch_room, sizeof *g->batches, err));
  g->batches = items;
  g->batches[g->n_batches++] = sf_batch_retain(batch);
  return SF_OK;
}

static sf_status add_row(mini_batch_aggregate *g, sf_batch *batch, int64_t row, sf_error *err) {
  const uint8_t *bytes = NULL;
  size_t size = 0;
  SF_TRY(sf_row_writer_write(g->key_writer, batch, row, &bytes, &size, err));
  SF_TRY(keep_batch(g, batch, err));
  void *items = g->rows;
  SF_TRY(grow(g->base.pool, &items, g->n_rows, &g->row_room, sizeof *g->rows, err));
  g->rows = items;
  sfi_key key;
  bool first = false;
  SF_TRY(sfi_bundle_find(&g->bundle, bytes, size, sf_binary_row_hash(bytes, size), &key, &first, err));
  uint8_t *record = sfi_bundle_record(&g->bundle, key.id);
  g->rows[g->n_rows] = (waiting_row){(uint32_t)(g->n_batches - 1), (uint32_t)row, NO_ROW};
  if (first) set_row(record, FIRST_ROW, g->n_rows);
  else g->rows[get_row(record, LAST_ROW)].next = (uint32_t)g->n_rows;
  set_row(record, LAST_ROW, g->n_rows++);
  return SF_OK;
}

static sf_status clear_bundle(mini_batch_aggregate *g, sf_error *err) {
  for (int64_t i = 0; i < g->n_batches; i++) sf_batch_release(g->batches[i]);
  g->n_batches = g->n_rows = 0;
  sfi_state_reclaim(g->base.state);
  return sfi_bundle_clear(&g->bundle, err);
}

/* --- the end of a bundle */

static sf_status emit_changes(mini_batch_aggregate *g, sfi_region key, const sfi_accumulators *acc, bool first,
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

/* The first row of the key that counts: a key without value has none to retract. NO_ROW: none. */
static uint32_t first_row(const mini_batch_aggregate *g, uint32_t row, bool first) {
  while (first && row != NO_ROW && sfi_retracts(sfi_row_kind(g->batches[g->rows[row].batch], g->rows[row].row))) {
    row = g->rows[row].next;
  }
  return row;
}

/* *dropped_out: the key had nothing but rows to retract, and no value. */
static sf_status finish_key(mini_batch_aggregate *g, sfi_bundle_key key, bool *dropped_out, const sf_collector *out,
                            sf_error *err) {
  sf_state *state = g->base.state;
  if (state->ttl > 0) state->now = sfi_current_millis();
  sfi_region bytes = sfi_bundle_bytes(&g->bundle, key.id);
  sfi_accumulators acc = {.state = state, .scratch = &g->calls.scratch};
  bool first = false;
  SF_TRY(sfi_group_find(state, bytes.data, bytes.size, key.hash, &acc.key, &first, err));
  uint32_t row = first_row(g, (uint32_t)get_row(sfi_bundle_record(&g->bundle, key.id), FIRST_ROW), first);
  *dropped_out = row == NO_ROW;
  if (*dropped_out) return SF_OK;
  SF_TRY(sfi_group_open_key(&g->calls, bytes.data, bytes.size, key.hash, first, &acc, err));
  if (!first) sfi_group_read(&g->calls, acc.record, g->calls.before);
  for (; row != NO_ROW; row = g->rows[row].next) {
    const sf_batch *batch = g->batches[g->rows[row].batch];
    int64_t at = g->rows[row].row;
    SF_TRY(sfi_group_update(&g->calls, &acc, batch, at, sfi_retracts(sfi_row_kind(batch, at)), err));
  }
  return emit_changes(g, bytes, &acc, first, out, err);
}

/* Flink's function returns, and so forgets the keys that would follow, where it drops the rows of one. */
static sf_status finish_keys(mini_batch_aggregate *g, const sf_collector *out, sf_error *err) {
  bool dropped = false;
  sfi_bundle_sort(&g->bundle);
  for (int64_t i = 0; i < g->bundle.n && !dropped; i++) {
    SF_TRY(finish_key(g, g->bundle.touched[i], &dropped, out, err));
  }
  return sfi_state_settle(g->base.state, g->bundle.n, err);
}

static sf_status finish_bundle(mini_batch_aggregate *g, const sf_collector *out, sf_error *err) {
  SF_TRY(finish_keys(g, out, err));
  return clear_bundle(g, err);
}

static sf_status process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  mini_batch_aggregate *g = (mini_batch_aggregate *)op;
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
  mini_batch_aggregate *g = (mini_batch_aggregate *)op;
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
  mini_batch_aggregate *g = (mini_batch_aggregate *)op;
  return sfi_group_calls_open(&g->calls, groups, g->calls.ttl, &op->state, err);
}

static void destroy(sf_operator *op) {
  mini_batch_aggregate *g = (mini_batch_aggregate *)op;
  for (int64_t i = 0; i < g->n_batches; i++) sf_batch_release(g->batches[i]);
  sfi_group_calls_drop(&g->calls);
  sfi_bundle_drop(&g->bundle);
  sfi_bundle_output_drop(&g->output);
  sf_row_writer_destroy(g->key_writer);
  sf_pool_free(op->pool, g->grouping);
  sf_pool_free(op->pool, g->rows);
  sf_pool_free(op->pool, g->batches);
}

static const sfi_operator_vtable vtable = {.process = process,
                                           .watermark = watermark,
                                           .before_barrier = flush,
                                           .finish = flush,
                                           .open_state = open_state,
                                           .destroy = destroy};

static sf_status prepare(mini_batch_aggregate *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  sf_pool *pool = g->base.pool;
  SF_TRY(sfi_group_calls_prepare(pool, message, g->base.input_type, &g->calls, err));
  SF_TRY(sfi_group_key_writer(pool, message, g->base.input_type, &g->grouping, &g->key_writer, err));
  g->n_grouping = (int32_t)message->n_grouping;
  SF_TRY(sfi_group_calls_check_output(&g->calls, g->base.output_type, g->n_grouping, err));
  SF_TRY(sfi_bundle_output_create(pool, g->base.output_type, g->n_grouping, &g->output, err));
  sf_state *keys = NULL;
  SF_TRY(sfi_state_create(pool, sfi_bundle_groups, 0, &row_list_type, 0, NULL, &keys, err));
  sfi_bundle_init(&g->bundle, pool, message->bundle_size, keys);
  return SF_OK;
}

sf_status sfi_mini_batch_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(mini_batch_aggregate), &vtable, &op, err));
  sf_status st = prepare((mini_batch_aggregate *)op, plan->message->group_aggregate, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}
