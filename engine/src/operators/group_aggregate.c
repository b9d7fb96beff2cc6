/* GROUP BY without windows: org.apache.flink.table.runtime.operators.aggregate.GroupAggFunction with the generated
 * handlers' semantics, row by row: what a row changes is emitted at once, in the same order. */
#include "operators/group_calls.h"

typedef struct group_aggregate {
  sf_operator base;
  sfi_group_calls calls;
  int32_t *grouping;
  int32_t n_grouping;
  sf_row_writer *key_writer;
  bool needs_before;   /* values before a row, to be compared or emitted */
  sfi_batch_keys keys; /* of the batch being processed */
  /* output of the batch being processed */
  sf_column_builder **values; /* one of each emitted call */
  sf_buffer *kinds;
  int32_t *rows; /* of the input, for the grouping columns */
  int64_t n_out;
  size_t text_bytes; /* of LISTAGG in the rows that wait to be emitted */
  sf_mark *marks;
  int64_t n_marks;
  int64_t marks_room;
} group_aggregate;

/* A batch goes out before its input is done: each change of a list is a whole text. */
#define MOST_TEXT ((size_t)8 << 20)

/* --- output */

static sf_status emit_row(group_aggregate *g, int64_t row, uint8_t kind, const sfi_scalar *values, sf_error *err) {
  for (int32_t i = 0; i < g->calls.n_emitted; i++) SF_TRY(sfi_scalar_append(g->values[i], &values[i], err));
  if (g->calls.lists) g->text_bytes += sfi_group_text_bytes(&g->calls, values);
  sf_buffer_data(g->kinds)[g->n_out] = kind;
  g->rows[g->n_out++] = (int32_t)row;
  return SF_OK;
}

/* Room for two rows out of each row of the batch, and for its marks. */
static sf_status prepare_output(group_aggregate *g, const sf_batch *batch, sf_error *err) {
  sf_pool *pool = g->base.pool;
  void *memory = NULL;
  size_t room = 2 * (size_t)batch->length;
  g->n_out = g->n_marks = 0;
  g->text_bytes = 0;
  SF_TRY(sf_buffer_create(pool, room, &g->kinds, err));
  SF_TRY(sf_pool_realloc(pool, g->rows, room * sizeof *g->rows, &memory, err));
  g->rows = memory;
  if (g->marks_room >= batch->n_marks) return SF_OK;
  SF_TRY(sf_pool_realloc(pool, g->marks, (size_t)batch->n_marks * sizeof *g->marks, &memory, err));
  g->marks = memory;
  g->marks_room = batch->n_marks;
  return SF_OK;
}

static sf_status fill_columns(group_aggregate *g, const sf_batch *batch, sf_column **columns, int32_t *have,
                              sf_error *err) {
  for (int32_t i = 0; i < g->n_grouping; i++) {
    SF_TRY(sf_column_gather(g->base.pool, batch->columns[g->grouping[i]], g->rows, g->n_out, &columns[*have], err));
    (*have)++;
  }
  for (int32_t i = 0; i < g->calls.n_emitted; i++) {
    SF_TRY(sf_column_builder_finish(g->values[i], &columns[*have], err));
    (*have)++;
  }
  return SF_OK;
}

static sf_status marks_buffer(const group_aggregate *g, int64_t n, sf_buffer **out, sf_error *err) {
  *out = NULL;
  if (n == 0) return SF_OK;
  SF_TRY(sf_buffer_create(g->base.pool, (size_t)n * sizeof *g->marks, out, err));
  memcpy(sf_buffer_data(*out), g->marks, (size_t)n * sizeof *g->marks);
  return SF_OK;
}

static sf_status emit_batch(group_aggregate *g, const sf_batch *batch, const sf_collector *out, sf_error *err) {
  if (g->n_out == 0 && g->n_marks == 0) return SF_OK;
  void *memory = NULL;
  int32_t n = g->n_grouping + g->calls.n_emitted, have = 0;
  SF_TRY(sf_pool_alloc(g->base.pool, (size_t)n * sizeof(sf_column *), &memory, err));
  sf_column **columns = memory;
  sf_buffer *marks = NULL;
  sf_batch *result = NULL;
  sf_status st = SF_OK;
  SF_GOTO(fill_columns(g, batch, columns, &have, err));
  SF_GOTO(sf_buffer_resize(&g->kinds, (size_t)g->n_out, err));
  SF_GOTO(marks_buffer(g, g->n_marks, &marks, err));
  sf_buffer *kinds = g->kinds;
  g->kinds = NULL;
  SF_GOTO(sf_batch_create(g->base.output_type, g->n_out, columns, kinds, marks, g->n_marks, &result, err));
  st = sfi_emit(result, out, err);
cleanup:
  for (int32_t i = 0; i < have; i++) sf_column_release(columns[i]);
  sf_pool_free(g->base.pool, memory);
  return st;
}

/* --- a row */

static sf_status emit_changes(group_aggregate *g, const sfi_accumulators *acc, int64_t row, bool first, sf_error *err) {
  uint8_t kinds[2];
  int32_t n = 0;
  SF_TRY(sfi_group_changes(&g->calls, acc, first, kinds, &n, err));
  for (int32_t i = 0; i < n; i++) {
    SF_TRY(emit_row(g, row, kinds[i], sfi_retracts(kinds[i]) ? g->calls.before : g->calls.after, err));
  }
  return SF_OK;
}

static sf_status process_row(group_aggregate *g, const sf_batch *batch, int64_t row, sf_error *err) {
  sf_state *state = g->base.state;
  if (state->ttl > 0) state->now = sfi_current_millis();
  sfi_state_reclaim_much(state);
  bool retract = sfi_retracts(sfi_row_kind(batch, row));
  sfi_accumulators acc = {.state = state, .scratch = &g->calls.scratch};
  bool first = false;
  SF_TRY(sfi_batch_key_find(&g->keys, state, row, &acc.key, err));
  SF_TRY(sfi_group_look(state, acc.key, &first, err));
  if (first && retract) return SF_OK; /* the key's rows are not known, or no longer */
  if (acc.key.id == SFI_NO_ENTRY) SF_TRY(sfi_batch_key_insert(&g->keys, state, row, &acc.key, err));
  SF_TRY(sfi_group_open_value(&g->calls, first, &acc, err));
  if (!first && g->needs_before) SF_TRY(sfi_group_read_before(&g->calls, &acc, err));
  SF_TRY(sfi_group_update(&g->calls, &acc, batch, row, retract, err));
  return emit_changes(g, &acc, row, first, err);
}

static sf_status process_rows(group_aggregate *g, const sf_batch *batch, const sf_collector *out, sf_error *err) {
  int64_t mark = 0;
  for (int64_t row = 0; row <= batch->length; row++) {
    for (; mark < batch->n_marks && batch->marks[mark].row <= row; mark++) {
      g->marks[g->n_marks++] = (sf_mark){g->n_out, batch->marks[mark].watermark};
    }
    if (row == batch->length) break;
    SF_TRY(sfi_group_fetch_ahead(&g->calls, &g->keys, g->base.state, batch, row, err));
    SF_TRY(process_row(g, batch, row, err));
    if (g->text_bytes < MOST_TEXT) continue;
    SF_TRY(emit_batch(g, batch, out, err));
    SF_TRY(prepare_output(g, batch, err));
  }
  return emit_batch(g, batch, out, err);
}

static sf_status process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  group_aggregate *g = (group_aggregate *)op;
  if (op->state == NULL) return sf_fail(err, SF_INVALID, "The keyed state of an aggregate is not open");
  sf_status st = prepare_output(g, batch, err);
  if (st == SF_OK) st = sfi_batch_keys_find(&g->keys, op->state, g->key_writer, batch, err);
  if (st == SF_OK) st = sfi_group_want(&g->calls, &g->keys, op->state, batch, err);
  if (st == SF_OK) st = process_rows(g, batch, out, err);
  if (st == SF_OK) st = sfi_state_settle(op->state, batch->length, err);
  sf_buffer_release(g->kinds);
  g->kinds = NULL;
  sfi_state_reclaim(op->state);
  return st;
}

/* --- life cycle */

static sf_status open_state(sf_operator *op, sf_key_groups groups, sf_error *err) {
  group_aggregate *g = (group_aggregate *)op;
  return sfi_group_calls_open(&g->calls, groups, g->calls.ttl, &op->state, err);
}

static void destroy(sf_operator *op) {
  group_aggregate *g = (group_aggregate *)op;
  for (int32_t i = 0; i < g->calls.n_emitted && g->values != NULL; i++) sf_column_builder_destroy(g->values[i]);
  sfi_group_calls_drop(&g->calls);
  sf_row_writer_destroy(g->key_writer);
  sfi_batch_keys_drop(&g->keys);
  sf_pool_free(op->pool, g->grouping);
  sf_pool_free(op->pool, g->values);
  sf_pool_free(op->pool, g->rows);
  sf_pool_free(op->pool, g->marks);
}

static const sfi_operator_vtable vtable = {.process = process, .open_state = open_state, .destroy = destroy};

static sf_status prepare_values(group_aggregate *g, sf_error *err) {
  void *memory = NULL;
  size_t size = (size_t)g->calls.n_emitted * sizeof *g->values;
  SF_TRY(sf_pool_alloc(g->base.pool, size, &memory, err));
  memset(memory, 0, size);
  g->values = memory;
  for (int32_t i = 0; i < g->calls.n_emitted; i++) {
    const sf_type *type = g->base.output_type->children[g->n_grouping + i];
    SF_TRY(sf_column_builder_create(g->base.pool, type, &g->values[i], err));
  }
  return SF_OK;
}

static sf_status prepare(group_aggregate *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  SF_TRY(sfi_group_calls_prepare(g->base.pool, message, g->base.input_type, &g->calls, err));
  g->calls.always_changes = sfi_group_counts_all(&g->calls);
  g->needs_before = g->calls.update_before || g->calls.retracts || !(g->calls.always_changes || g->calls.ttl > 0);
  g->keys.pool = g->base.pool;
  SF_TRY(sfi_group_key_writer(g->base.pool, message, g->base.input_type, &g->grouping, &g->key_writer, err));
  g->n_grouping = (int32_t)message->n_grouping;
  SF_TRY(sfi_group_calls_check_output(&g->calls, g->base.output_type, g->n_grouping, err));
  return prepare_values(g, err);
}

sf_status sfi_group_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(group_aggregate), &vtable, &op, err));
  sf_status st = prepare((group_aggregate *)op, plan->message->group_aggregate, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}
