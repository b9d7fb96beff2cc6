/* GROUP BY without windows in mini-batches: org.apache.flink.table.runtime.operators.aggregate.MiniBatchGroupAggFunction in a
 * KeyedMapBundleOperator. Rows wait until their bundle ends; then the rows of a key are applied together and what they change
 * together is emitted. */
#include "operators/bundle_operator.h"

/* A row that waits. */
typedef struct waiting_row {
  uint32_t batch;
  uint32_t row;
} waiting_row;

typedef struct mini_batch_aggregate {
  sfi_bundle_operator bundle;
  waiting_row *rows; /* by their numbers in the lists of the bundle's keys */
  int64_t row_room;
  sfi_bundle_lists lists;
  sf_batch **batches; /* retained */
  int64_t n_batches;
  int64_t batch_room;
} mini_batch_aggregate;

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
  SF_TRY(grow(g->bundle.base.pool, &items, g->n_batches, &g->batch_room, sizeof *g->batches, err));
  g->batches = items;
  g->batches[g->n_batches++] = sf_batch_retain(batch);
  return SF_OK;
}

static sf_status add(sfi_bundle_operator *b, sf_batch *batch, int64_t row, sfi_key key, bool first, sf_error *err) {
  mini_batch_aggregate *g = (mini_batch_aggregate *)b;
  SF_TRY(keep_batch(g, batch, err));
  void *items = g->rows;
  SF_TRY(grow(b->base.pool, &items, g->lists.n, &g->row_room, sizeof *g->rows, err));
  g->rows = items;
  g->rows[g->lists.n] = (waiting_row){(uint32_t)(g->n_batches - 1), (uint32_t)row};
  return sfi_bundle_lists_append(&g->lists, &b->bundle, key.id, first, err);
}

/* --- the end of a bundle */

static uint8_t kind_of(const mini_batch_aggregate *g, uint32_t row) {
  return sfi_row_kind(g->batches[g->rows[row].batch], g->rows[row].row);
}

/* *dropped_out: the key had nothing but rows to retract, and no value. */
static sf_status finish_key(mini_batch_aggregate *g, sfi_bundle_key key, bool *dropped_out, const sf_collector *out,
                            sf_error *err) {
  sfi_bundle_operator *b = &g->bundle;
  sf_state *state = b->base.state;
  if (state->ttl > 0) state->now = sfi_current_millis();
  sfi_region bytes = sfi_bundle_bytes(&b->bundle, key.id);
  sfi_accumulators acc = {.state = state, .key = b->places[key.id], .scratch = &b->calls.scratch};
  bool first = false;
  sfi_state_reclaim_much(state);
  SF_TRY(sfi_group_look(state, acc.key, &first, err));
  uint32_t row = sfi_bundle_lists_first(&b->bundle, key.id);
  while (first && row != SFI_NO_ITEM && sfi_retracts(kind_of(g, row))) row = g->lists.next[row];
  *dropped_out = row == SFI_NO_ITEM;
  if (*dropped_out) return SF_OK;
  SF_TRY(sfi_group_open_key(&b->calls, bytes.data, bytes.size, key.hash, first, &acc, err));
  if (!first) SF_TRY(sfi_group_read_before(&b->calls, &acc, err));
  for (; row != SFI_NO_ITEM; row = g->lists.next[row]) {
    waiting_row at = g->rows[row];
    SF_TRY(sfi_group_update(&b->calls, &acc, g->batches[at.batch], at.row, sfi_retracts(kind_of(g, row)), err));
  }
  return sfi_bundle_emit_changes(b, bytes, &acc, first, out, err);
}

static void forget_rows(mini_batch_aggregate *g) {
  for (int64_t i = 0; i < g->n_batches; i++) sf_batch_release(g->batches[i]);
  g->n_batches = g->lists.n = 0;
}

/* Flink's function returns, and so forgets the keys that would follow, where it drops the rows of one. */
static sf_status finish(sfi_bundle_operator *b, const sf_collector *out, sf_error *err) {
  mini_batch_aggregate *g = (mini_batch_aggregate *)b;
  bool dropped = false;
  for (int64_t i = 0; i < b->bundle.n && !dropped; i++) {
    SF_TRY(finish_key(g, b->bundle.touched[i], &dropped, out, err));
  }
  forget_rows(g);
  return sfi_bundle_tidy_state(b, err);
}

/* --- life cycle */

static sf_status want(sfi_bundle_operator *b, uint32_t id, sfi_key key, sf_error *err) {
  mini_batch_aggregate *g = (mini_batch_aggregate *)b;
  for (uint32_t i = sfi_bundle_lists_first(&b->bundle, id); i != SFI_NO_ITEM; i = g->lists.next[i]) {
    SF_TRY(sfi_group_want_row(&b->calls, b->base.state, key, g->batches[g->rows[i].batch], g->rows[i].row, err));
  }
  return SF_OK;
}

static const sfi_bundle_function function = {.add = add, .want = want, .finish = finish};

static sf_status open_state(sf_operator *op, sf_key_groups groups, sf_error *err) {
  sfi_bundle_operator *b = (sfi_bundle_operator *)op;
  return sfi_group_calls_open(&b->calls, groups, b->calls.ttl, &op->state, err);
}

static void destroy(sf_operator *op) {
  mini_batch_aggregate *g = (mini_batch_aggregate *)op;
  forget_rows(g);
  sfi_bundle_operator_drop(&g->bundle);
  sfi_bundle_lists_drop(&g->lists);
  sf_pool_free(op->pool, g->rows);
  sf_pool_free(op->pool, g->batches);
}

static const sfi_operator_vtable vtable = {.process = sfi_bundle_process,
                                           .watermark = sfi_bundle_watermark,
                                           .before_barrier = sfi_bundle_flush,
                                           .finish = sfi_bundle_flush,
                                           .progress = sfi_bundle_progress,
                                           .open_state = open_state,
                                           .destroy = destroy};

static sf_status prepare(mini_batch_aggregate *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  sfi_bundle_operator *b = &g->bundle;
  g->lists.pool = b->base.pool;
  SF_TRY(sfi_bundle_operator_prepare(b, &function, message, err));
  SF_TRY(sfi_group_calls_check_output(&b->calls, b->base.output_type, b->n_grouping, err));
  SF_TRY(sfi_bundle_output_create(b->base.pool, b->base.output_type, b->n_grouping, &b->output, err));
  return sfi_bundle_of_lists(&b->bundle, b->base.pool, message->bundle_size, err);
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
