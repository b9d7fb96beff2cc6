/* GROUP BY without windows: org.apache.flink.table.runtime.operators.aggregate.GroupAggFunction with the generated
 * handlers' semantics, row by row: what a row changes is emitted at once, in the same order.
 *
 * States in snapshots: 0 accState; then, for distinct view i, 1 + 2 i the map distinctAcc_<i> and 2 + 2 i its
 * _null_state; then the map of each MIN or MAX with retraction, in the order of the calls. */
#include <time.h>

#include "aggregate/aggregate.h"
#include "operators/operator_internal.h"
#include "streamfusion/binary_row.h"

/* As TtlIncrementalCleanup, which looks at 5 entries at each access. */
#define SWEPT_PER_ROW 5

typedef struct distinct_view {
  const sf_type *type; /* borrowed from the input type */
  int32_t arg;
  int32_t *calls;      /* owned; indices into calls */
  int32_t n_calls;
  bool filtered;       /* all calls have filters */
} distinct_view;

typedef struct group_aggregate {
  sf_operator base;
  sfi_aggregate *calls;
  int32_t n_calls;
  int32_t n_emitted;
  distinct_view *views;
  int32_t n_views;
  int32_t *grouping;
  int32_t n_grouping;
  int32_t count_star; /* call, -1: none */
  bool retracts;
  bool update_before;
  int64_t ttl; /* 0: none. With one, unchanged values are emitted as well, so that consumers keep what they have */
  sf_row_writer *key_writer;
  sfi_bytes scratch;
  sfi_scalar *before; /* values of the emitted calls before a row, and after it */
  sfi_scalar *after;
  /* output of the batch being processed */
  sf_column_builder **values; /* n_emitted */
  sf_buffer *kinds;
  int32_t *rows; /* of the input, for the grouping columns */
  int64_t n_out;
  sf_mark *marks;
  int64_t marks_room;
} group_aggregate;

/* --- output */

static sf_status emit_row(group_aggregate *g, int64_t row, uint8_t kind, const sfi_scalar *values, sf_error *err) {
  for (int32_t i = 0; i < g->n_emitted; i++) SF_TRY(sfi_scalar_append(g->values[i], values[i], err));
  sf_buffer_data(g->kinds)[g->n_out] = kind;
  g->rows[g->n_out++] = (int32_t)row;
  return SF_OK;
}

/* Room for two rows out of each row of the batch, and for its marks. */
static sf_status prepare_output(group_aggregate *g, const sf_batch *batch, sf_error *err) {
  sf_pool *pool = g->base.pool;
  void *memory = NULL;
  size_t room = 2 * (size_t)batch->length;
  g->n_out = 0;
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
  for (int32_t i = 0; i < g->n_emitted; i++) {
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
  if (g->n_out == 0 && batch->n_marks == 0) return SF_OK;
  void *memory = NULL;
  int32_t n = g->n_grouping + g->n_emitted, have = 0;
  SF_TRY(sf_pool_alloc(g->base.pool, (size_t)n * sizeof(sf_column *), &memory, err));
  sf_column **columns = memory;
  sf_buffer *marks = NULL;
  sf_batch *result = NULL;
  sf_status st = SF_OK;
  SF_GOTO(fill_columns(g, batch, columns, &have, err));
  SF_GOTO(sf_buffer_resize(&g->kinds, (size_t)g->n_out, err));
  SF_GOTO(marks_buffer(g, batch->n_marks, &marks, err));
  sf_buffer *kinds = g->kinds;
  g->kinds = NULL;
  SF_GOTO(sf_batch_create(g->base.output_type, g->n_out, columns, kinds, marks, batch->n_marks, &result, err));
  st = sfi_emit(result, out, err);
cleanup:
  for (int32_t i = 0; i < have; i++) sf_column_release(columns[i]);
  sf_pool_free(g->base.pool, memory);
  return st;
}

/* --- a row */

static bool passes(const sfi_aggregate *a, const sf_batch *batch, int64_t row) {
  if (a->filter < 0) return true;
  const sf_column *c = batch->columns[a->filter];
  return !sf_column_is_null(c, row) && ((const uint8_t *)c->values)[row] != 0;
}

static sf_status apply(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg, bool retract,
                       sf_error *err) {
  return retract ? sfi_aggregate_retract(a, acc, arg, err) : sfi_aggregate_accumulate(a, acc, arg, err);
}

/* The counts of each call for one value, or the bits of those that have seen it: DistinctAggCodeGen. */
static sf_status update_view(group_aggregate *g, const distinct_view *v, const sfi_accumulators *acc, int64_t *seen,
                             const sf_batch *batch, int64_t row, bool retract, bool *empty, bool *changed,
                             sf_error *err) {
  sfi_scalar arg = sfi_scalar_of(batch->columns[v->arg], row);
  *empty = true;
  *changed = g->retracts;
  for (int32_t i = 0; i < v->n_calls; i++) {
    const sfi_aggregate *a = &g->calls[v->calls[i]];
    bool counts = passes(a, batch, row), acts = false;
    if (counts && g->retracts) {
      seen[i] += retract ? -1 : 1;
      acts = seen[i] == (retract ? 0 : 1);
    } else if (counts) {
      uint64_t bit = UINT64_C(1) << i;
      acts = ((uint64_t)seen[0] & bit) == 0;
      seen[0] = (int64_t)((uint64_t)seen[0] | bit);
    }
    if (acts) SF_TRY(apply(a, acc, &arg, retract, err));
    *changed = *changed || acts;
    if (seen[g->retracts ? i : 0] != 0) *empty = false;
  }
  return SF_OK;
}

static bool any_passes(const group_aggregate *g, const distinct_view *v, const sf_batch *batch, int64_t row) {
  if (!v->filtered) return true;
  for (int32_t i = 0; i < v->n_calls; i++) {
    if (passes(&g->calls[v->calls[i]], batch, row)) return true;
  }
  return false;
}

static sf_status apply_view(group_aggregate *g, int32_t map, const sfi_accumulators *acc, const sf_batch *batch,
                            int64_t row, bool retract, sf_error *err) {
  const distinct_view *v = &g->views[map];
  if (!any_passes(g, v, batch, row)) return SF_OK;
  sfi_scalar arg = sfi_scalar_of(batch->columns[v->arg], row);
  g->scratch.size = 0;
  if (!arg.null) SF_TRY(sfi_scalar_encode(v->type, &arg, &g->scratch, err));
  uint32_t size = arg.null ? SFI_NULL_KEY : (uint32_t)g->scratch.size;
  uint32_t id = SFI_NO_ENTRY;
  SF_TRY(sfi_map_find_live(acc->state, map, acc->key, g->scratch.data, size, &id, err));
  bool empty = false, changed = false;
  if (id == SFI_NO_ENTRY) SF_TRY(sfi_map_insert(acc->state, map, acc->key, g->scratch.data, size, &id, err));
  uint8_t *record = NULL;
  SF_TRY(sfi_state_write(acc->state, acc->key.group, 1 + map, id, &record, err));
  const sfi_record_type *type = sfi_table_type(acc->state, 1 + map);
  int64_t *seen = (int64_t *)(void *)(record + type->offsets[0]);
  SF_TRY(update_view(g, v, acc, seen, batch, row, retract, &empty, &changed, err));
  if (changed) sfi_record_stamp(type, record, acc->state->now);
  return empty ? sfi_map_remove(acc->state, map, acc->key, id, err) : SF_OK;
}

static sf_status update(group_aggregate *g, const sfi_accumulators *acc, const sf_batch *batch, int64_t row, bool retract,
                        sf_error *err) {
  for (int32_t i = 0; i < g->n_calls; i++) {
    const sfi_aggregate *a = &g->calls[i];
    if (a->distinct >= 0 || !passes(a, batch, row)) continue;
    sfi_scalar arg = {.null = true};
    if (a->arg >= 0) arg = sfi_scalar_of(batch->columns[a->arg], row);
    SF_TRY(apply(a, acc, &arg, retract, err));
  }
  for (int32_t i = 0; i < g->n_views; i++) SF_TRY(apply_view(g, i, acc, batch, row, retract, err));
  return SF_OK;
}

static void read_values(const group_aggregate *g, const uint8_t *record, sfi_scalar *out) {
  for (int32_t i = 0, k = 0; i < g->n_calls; i++) {
    if (g->calls[i].emitted) sfi_aggregate_read(&g->calls[i], record, &out[k++]);
  }
}

static bool same_values(const group_aggregate *g) {
  for (int32_t i = 0, k = 0; i < g->n_calls; i++) {
    if (!g->calls[i].emitted) continue;
    if (!sfi_scalar_equal(g->calls[i].result_type->layout, &g->before[k], &g->after[k])) return false;
    k++;
  }
  return true;
}

static bool no_rows_left(const group_aggregate *g, const uint8_t *record) {
  return g->count_star >= 0 && sfi_aggregate_value(&g->calls[g->count_star], record).i == 0;
}

/* The row has been applied: what goes out, as GroupAggHelper.processElement has it. */
static sf_status emit_changes(group_aggregate *g, const sfi_accumulators *acc, int64_t row, bool first, sf_error *err) {
  if (no_rows_left(g, acc->record)) {
    if (!first) SF_TRY(emit_row(g, row, SF_DELETE, g->before, err));
    return sfi_state_remove(acc->state, acc->key, err);
  }
  sfi_record_stamp(acc->state->value, acc->record, acc->state->now);
  read_values(g, acc->record, g->after);
  if (first) return emit_row(g, row, SF_INSERT, g->after, err);
  if (g->ttl <= 0 && same_values(g)) return SF_OK;
  if (g->update_before) SF_TRY(emit_row(g, row, SF_UPDATE_BEFORE, g->before, err));
  return emit_row(g, row, SF_UPDATE_AFTER, g->after, err);
}

/* System.currentTimeMillis() */
static int64_t current_millis(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Finds the key; *first_out: it has no value, or none any more. */
static sf_status find_key(sf_state *state, const uint8_t *bytes, size_t size, int32_t hash, sfi_key *out, bool *first_out,
                          sf_error *err) {
  *first_out = true;
  SF_TRY(sfi_state_find(state, bytes, size, hash, out, err));
  if (out->id == SFI_NO_ENTRY || !sfi_state_has_value(state, *out)) return SF_OK;
  if (sfi_state_expired(state, out->group, 0, out->id)) return sfi_state_clear_value(state, *out, err);
  *first_out = false;
  return SF_OK;
}

static sf_status process_row(group_aggregate *g, const sf_batch *batch, int64_t row, sf_error *err) {
  sf_state *state = g->base.state;
  if (state->ttl > 0) state->now = current_millis();
  uint8_t kind = batch->row_kinds == NULL ? SF_INSERT : batch->row_kinds[row];
  bool retract = kind == SF_UPDATE_BEFORE || kind == SF_DELETE;
  const uint8_t *key_bytes = NULL;
  size_t key_size = 0;
  SF_TRY(sf_row_writer_write(g->key_writer, batch, row, &key_bytes, &key_size, err));
  int32_t hash = sf_binary_row_hash(key_bytes, key_size);
  sfi_accumulators acc = {.state = state, .scratch = &g->scratch};
  bool first = false;
  SF_TRY(find_key(state, key_bytes, key_size, hash, &acc.key, &first, err));
  if (first && retract) return SF_OK; /* the key's rows are not known, or no longer */
  if (acc.key.id == SFI_NO_ENTRY) SF_TRY(sfi_state_insert(state, key_bytes, key_size, hash, &acc.key, err));
  SF_TRY(sfi_state_write_value(state, acc.key, &acc.record, err));
  if (first) {
    for (int32_t i = 0; i < g->n_calls; i++) sfi_aggregate_init(&g->calls[i], acc.record);
  } else {
    read_values(g, acc.record, g->before);
  }
  SF_TRY(update(g, &acc, batch, row, retract, err));
  return emit_changes(g, &acc, row, first, err);
}

static sf_status process_rows(group_aggregate *g, const sf_batch *batch, sf_error *err) {
  int64_t mark = 0;
  for (int64_t row = 0; row <= batch->length; row++) {
    for (; mark < batch->n_marks && batch->marks[mark].row <= row; mark++) {
      g->marks[mark] = (sf_mark){g->n_out, batch->marks[mark].watermark};
    }
    if (row < batch->length) SF_TRY(process_row(g, batch, row, err));
  }
  return SF_OK;
}

static sf_status process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  group_aggregate *g = (group_aggregate *)op;
  if (op->state == NULL) return sf_fail(err, SF_INVALID, "The keyed state of an aggregate is not open");
  sf_status st = prepare_output(g, batch, err);
  if (st == SF_OK) st = process_rows(g, batch, err);
  if (st == SF_OK) st = emit_batch(g, batch, out, err);
  if (st == SF_OK && op->state->ttl > 0) st = sfi_state_sweep(op->state, SWEPT_PER_ROW * batch->length, err);
  sf_buffer_release(g->kinds);
  g->kinds = NULL;
  sfi_state_reclaim(op->state);
  return st;
}

/* --- state */

/* Record types under construction: arrays of the operator's pool. */
typedef struct layout_builder {
  sfi_field *fields;
  int32_t *offsets;
  sf_layout *layouts;
  sfi_record_type type;
} layout_builder;

static void add_field(layout_builder *b, sfi_field field) { b->fields[b->type.n_fields++] = field; }

static int32_t add_cell(layout_builder *b, sf_layout layout, bool field) {
  int32_t cell = b->type.n_cells++;
  b->offsets[cell] = (int32_t)b->type.size;
  b->layouts[cell] = layout;
  b->type.size += sfi_cell_size(layout);
  if (field) add_field(b, (sfi_field){.kind = SFI_FIELD_CELL, .layout = layout, .cell = cell});
  return cell;
}

static sf_status layout_new(sf_pool *pool, int32_t cells, int32_t fields, layout_builder *b, sf_error *err) {
  *b = (layout_builder){.type = {.size = sf_bitmap_bytes(cells)}};
  void *memory = NULL;
  size_t n_cells = (size_t)cells, n_fields = (size_t)fields;
  SF_TRY(sf_pool_alloc(pool, n_fields * sizeof(sfi_field) + n_cells * (sizeof(int32_t) + sizeof(sf_layout)), &memory, err));
  b->fields = memory;
  b->offsets = (int32_t *)(void *)(b->fields + n_fields);
  b->layouts = (sf_layout *)(void *)(b->offsets + n_cells);
  b->type.fields = b->fields;
  b->type.offsets = b->offsets;
  b->type.layouts = b->layouts;
  return SF_OK;
}

/* Values with time to live have the time of their last write behind the cells. */
static void add_stamp(const group_aggregate *g, layout_builder *b) {
  if (g->ttl <= 0) return;
  b->type.stamp = (int32_t)b->type.size;
  b->type.size += sizeof(int64_t);
}

/* accState: the accumulators of all calls, then a RAW field for each distinct view. */
static sf_status value_layout(group_aggregate *g, layout_builder *b, sf_error *err) {
  SF_TRY(layout_new(g->base.pool, SFI_MAX_ACCUMULATORS * g->n_calls, 4 * g->n_calls + g->n_views, b, err));
  b->type.form = SFI_VALUE_ROW;
  for (int32_t i = 0; i < g->n_calls; i++) {
    sfi_aggregate *a = &g->calls[i];
    bool nested = a->map >= 0;
    if (nested) add_field(b, (sfi_field){.kind = SFI_FIELD_ROW, .n_children = a->n_cells + 1});
    for (int32_t k = 0; k < a->n_cells; k++) {
      a->cells[k] = add_cell(b, a->types[k]->layout, true);
      a->offsets[k] = b->offsets[a->cells[k]];
    }
    if (nested) add_field(b, (sfi_field){.kind = SFI_FIELD_VIEW});
    b->type.n_top += nested ? 1 : a->n_cells;
  }
  for (int32_t i = 0; i < g->n_views; i++) add_field(b, (sfi_field){.kind = SFI_FIELD_VIEW});
  b->type.n_top += g->n_views;
  return SF_OK;
}

/* Maps from values to `n` longs. */
static sf_status map_layout(group_aggregate *g, int32_t n, layout_builder *b, sf_error *err) {
  SF_TRY(layout_new(g->base.pool, n, 0, b, err));
  b->type.form = n == 1 ? SFI_VALUE_LONG : SFI_VALUE_LONG_ARRAY;
  for (int32_t i = 0; i < n; i++) add_cell(b, SF_LAYOUT_INT64, false);
  add_stamp(g, b);
  return SF_OK;
}

static int32_t count_maps(const group_aggregate *g) {
  int32_t n = g->n_views;
  for (int32_t i = 0; i < g->n_calls; i++) n += g->calls[i].map >= 0;
  return n;
}

/* `builders`: one for the value, then one for each map. */
static sf_status layouts(group_aggregate *g, layout_builder *builders, sfi_map_type *maps, sf_error *err) {
  SF_TRY(value_layout(g, &builders[0], err));
  add_stamp(g, &builders[0]);
  int32_t state = 1, map = 0;
  for (; map < g->n_views; map++, state += 2) {
    SF_TRY(map_layout(g, g->retracts ? g->views[map].n_calls : 1, &builders[1 + map], err));
    maps[map] = (sfi_map_type){builders[1 + map].type, state, state + 1};
  }
  for (int32_t i = 0; i < g->n_calls; i++) {
    if (g->calls[i].map < 0) continue;
    SF_TRY(map_layout(g, 1, &builders[1 + map], err));
    maps[map] = (sfi_map_type){builders[1 + map].type, state++, -1};
    g->calls[i].map = map++;
  }
  return SF_OK;
}

static sf_status open_state(sf_operator *op, sf_key_groups groups, sf_error *err) {
  group_aggregate *g = (group_aggregate *)op;
  int32_t n = count_maps(g);
  size_t builders_size = (size_t)(1 + n) * sizeof(layout_builder);
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(op->pool, builders_size + (size_t)n * sizeof(sfi_map_type), &memory, err));
  memset(memory, 0, builders_size);
  layout_builder *builders = memory;
  sfi_map_type *maps = (sfi_map_type *)(void *)(builders + 1 + n);
  sf_status st = layouts(g, builders, maps, err);
  if (st == SF_OK) st = sfi_state_create(op->pool, groups, g->ttl, &builders[0].type, n, maps, &op->state, err);
  for (int32_t i = 0; i <= n; i++) sf_pool_free(op->pool, builders[i].fields);
  sf_pool_free(op->pool, memory);
  return st;
}

/* --- life cycle */

static void destroy(sf_operator *op) {
  group_aggregate *g = (group_aggregate *)op;
  for (int32_t i = 0; i < g->n_calls; i++) sfi_aggregate_drop(&g->calls[i]);
  for (int32_t i = 0; i < g->n_views; i++) sf_pool_free(op->pool, g->views[i].calls);
  for (int32_t i = 0; i < g->n_emitted && g->values != NULL; i++) sf_column_builder_destroy(g->values[i]);
  sf_row_writer_destroy(g->key_writer);
  sf_pool_free(op->pool, g->calls);
  sf_pool_free(op->pool, g->views);
  sf_pool_free(op->pool, g->grouping);
  sf_pool_free(op->pool, g->scratch.data);
  sf_pool_free(op->pool, g->before);
  sf_pool_free(op->pool, g->after);
  sf_pool_free(op->pool, g->values);
  sf_pool_free(op->pool, g->rows);
  sf_pool_free(op->pool, g->marks);
}

static const sfi_operator_vtable vtable = {.process = process, .open_state = open_state, .destroy = destroy};

static sf_status zeroed(group_aggregate *g, size_t size, void **out, sf_error *err) {
  SF_TRY(sf_pool_alloc(g->base.pool, size, out, err));
  memset(*out, 0, size);
  return SF_OK;
}

static sf_status prepare_grouping(group_aggregate *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  void *memory = NULL;
  SF_TRY(zeroed(g, message->n_grouping * sizeof(int32_t), &memory, err));
  g->grouping = memory;
  g->n_grouping = (int32_t)message->n_grouping;
  if (g->n_grouping > 0) memcpy(g->grouping, message->grouping, message->n_grouping * sizeof(int32_t));
  return sf_row_writer_create(g->base.pool, g->base.input_type, g->grouping, g->n_grouping, SF_ROW_PROJECTION,
                              &g->key_writer, err);
}

static sf_status prepare_calls(group_aggregate *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  void *memory = NULL;
  SF_TRY(zeroed(g, message->n_calls * sizeof(sfi_aggregate), &memory, err));
  g->calls = memory;
  for (; g->n_calls < (int32_t)message->n_calls; g->n_calls++) {
    SF_TRY(sfi_aggregate_prepare(message->calls[g->n_calls], g->base.input_type, &g->calls[g->n_calls], err));
    g->n_emitted += g->calls[g->n_calls].emitted;
  }
  if (g->count_star >= g->n_calls ||
      (g->count_star >= 0 && g->calls[g->count_star].kind != STREAMFUSION__PLAN__AGGREGATE_KIND__COUNT_STAR)) {
    return sf_fail(err, SF_INVALID, "Call %d does not count rows", g->count_star);
  }
  return SF_OK;
}

static sf_status prepare_view(group_aggregate *g, const Streamfusion__Plan__DistinctView *message, int32_t index,
                              sf_error *err) {
  distinct_view *v = &g->views[index];
  if (message->n_args != 1 || message->args[0] < 0 || message->args[0] >= g->base.input_type->n_children) {
    return sf_fail(err, SF_UNSUPPORTED, "DISTINCT over %zu columns", message->n_args);
  }
  v->arg = message->args[0];
  v->type = g->base.input_type->children[v->arg];
  if (sf_layout_width(v->type->layout) == 0) return sf_fail(err, SF_UNSUPPORTED, "DISTINCT over nested values");
  void *memory = NULL;
  SF_TRY(zeroed(g, (size_t)g->n_calls * sizeof(int32_t), &memory, err));
  v->calls = memory;
  v->filtered = true;
  for (int32_t i = 0; i < g->n_calls; i++) {
    if (g->calls[i].distinct != index) continue;
    if (g->calls[i].arg != v->arg) return sf_fail(err, SF_INVALID, "A call is not over the values of its view");
    v->filtered = v->filtered && g->calls[i].filter >= 0;
    v->calls[v->n_calls++] = i;
  }
  if (v->n_calls == 0 || v->n_calls > 64) return sf_fail(err, SF_UNSUPPORTED, "%d calls over a DISTINCT view", v->n_calls);
  return SF_OK;
}

static sf_status prepare_views(group_aggregate *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  void *memory = NULL;
  SF_TRY(zeroed(g, message->n_distinct_views * sizeof(distinct_view), &memory, err));
  g->views = memory;
  for (; g->n_views < (int32_t)message->n_distinct_views; g->n_views++) {
    SF_TRY(prepare_view(g, message->distinct_views[g->n_views], g->n_views, err));
  }
  for (int32_t i = 0; i < g->n_calls; i++) {
    if (g->calls[i].distinct >= g->n_views) return sf_fail(err, SF_INVALID, "There is no view %d", g->calls[i].distinct);
  }
  return SF_OK;
}

/* Builders and scratch for the values of the emitted calls. */
static sf_status prepare_values(group_aggregate *g, sf_error *err) {
  void *memory = NULL;
  const sf_type *out = g->base.output_type;
  if (out->n_children != g->n_grouping + g->n_emitted) {
    return sf_fail(err, SF_INVALID, "An aggregate of %d columns has %d", g->n_grouping + g->n_emitted, out->n_children);
  }
  size_t n = (size_t)g->n_emitted;
  SF_TRY(zeroed(g, n * sizeof *g->before, &memory, err));
  g->before = memory;
  SF_TRY(zeroed(g, n * sizeof *g->after, &memory, err));
  g->after = memory;
  SF_TRY(zeroed(g, n * sizeof *g->values, &memory, err));
  g->values = memory;
  for (int32_t i = 0, k = 0; i < g->n_calls; i++) {
    if (!g->calls[i].emitted) continue;
    const sf_type *type = out->children[g->n_grouping + k];
    if (type->layout != g->calls[i].result_type->layout) {
      return sf_fail(err, SF_INVALID, "The result of call %d is not that of its column", i);
    }
    SF_TRY(sf_column_builder_create(g->base.pool, type, &g->values[k], err));
    k++;
  }
  return SF_OK;
}

static sf_status prepare(group_aggregate *g, const sfi_operator_plan *plan, sf_error *err) {
  const Streamfusion__Plan__GroupAggregate *message = plan->message->group_aggregate;
  if (message->n_calls > 10000 || message->n_grouping > 10000) return sf_fail(err, SF_UNSUPPORTED, "Too many aggregates");
  g->scratch.pool = g->base.pool;
  g->ttl = message->ttl_millis;
  g->retracts = message->retracts;
  g->update_before = message->generate_update_before;
  g->count_star = message->count_star - 1;
  SF_TRY(prepare_grouping(g, message, err));
  SF_TRY(prepare_calls(g, message, err));
  SF_TRY(prepare_views(g, message, err));
  return prepare_values(g, err);
}

sf_status sfi_group_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(group_aggregate), &vtable, &op, err));
  sf_status st = prepare((group_aggregate *)op, plan, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}
