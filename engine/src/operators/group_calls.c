/* Row by row as the handlers that Flink generates for aggregates, DISTINCT and FILTER included. */
#include "operators/group_calls.h"

/* --- a row */

static bool passes(const sfi_aggregate *a, const sf_batch *batch, int64_t row) {
  if (a->filter < 0) return true;
  const sf_column *c = batch->columns[a->filter];
  return !sf_column_is_null(c, row) && ((const uint8_t *)c->values)[row] != 0;
}

static sf_status apply(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args, bool retract,
                       sf_error *err) {
  return retract ? sfi_aggregate_retract(a, acc, args, err) : sfi_aggregate_accumulate(a, acc, args, err);
}

/* The counts of each call for one value, or the bits of those that have seen it: DistinctAggCodeGen. */
static sf_status update_view(sfi_group_calls *g, const sfi_distinct_view *v, const sfi_accumulators *acc, int64_t *seen,
                             const sf_batch *batch, int64_t row, bool retract, bool *empty, bool *changed,
                             sf_error *err) {
  sfi_scalar arg;
  sfi_scalar_get(batch->columns[v->arg], row, &arg);
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

static bool any_passes(const sfi_group_calls *g, const sfi_distinct_view *v, const sf_batch *batch, int64_t row) {
  if (!v->filtered) return true;
  for (int32_t i = 0; i < v->n_calls; i++) {
    if (passes(&g->calls[v->calls[i]], batch, row)) return true;
  }
  return false;
}

static sf_status apply_view(sfi_group_calls *g, int32_t map, const sfi_accumulators *acc, const sf_batch *batch,
                            int64_t row, bool retract, sf_error *err) {
  const sfi_distinct_view *v = &g->views[map];
  if (!any_passes(g, v, batch, row)) return SF_OK;
  sfi_scalar arg;
  sfi_scalar_get(batch->columns[v->arg], row, &arg);
  g->scratch.key.size = 0;
  if (!arg.null) SF_TRY(sfi_scalar_encode(v->type, &arg, &g->scratch.key, err));
  uint32_t size = arg.null ? SFI_NULL_KEY : (uint32_t)g->scratch.key.size;
  uint32_t id = SFI_NO_ENTRY;
  bool added = false, empty = false, changed = false;
  SF_TRY(sfi_map_upsert(acc->state, map, acc->key, g->scratch.key.data, size, &id, &added, err));
  uint8_t *record = NULL;
  SF_TRY(sfi_state_own(acc->state, acc->key.group, 1 + map, id, &record, err));
  const sfi_record_type *type = sfi_table_type(acc->state, 1 + map);
  int64_t *seen = (int64_t *)(void *)(record + type->offsets[0]);
  SF_TRY(update_view(g, v, acc, seen, batch, row, retract, &empty, &changed, err));
  if (changed) {
    SF_TRY(sfi_state_changed(acc->state, acc->key.group, 1 + map, id, err));
    sfi_record_stamp(type, record, acc->state->now);
  }
  return empty ? sfi_map_remove(acc->state, map, acc->key, id, err) : SF_OK;
}

sf_status sfi_group_update(sfi_group_calls *g, const sfi_accumulators *acc, const sf_batch *batch, int64_t row, bool retract,
                           sf_error *err) {
  for (int32_t i = 0; i < g->n_calls; i++) {
    const sfi_aggregate *a = &g->calls[i];
    if (a->distinct >= 0 || !passes(a, batch, row)) continue;
    sfi_scalar args[SFI_MAX_ARGS];
    args[0].null = true;
    if (a->arg >= 0) sfi_scalar_get(batch->columns[a->arg], row, &args[0]);
    if (a->delimiter >= 0) sfi_scalar_get(batch->columns[a->delimiter], row, &args[1]);
    SF_TRY(apply(a, acc, args, retract, err));
  }
  for (int32_t i = 0; i < g->n_views; i++) SF_TRY(apply_view(g, i, acc, batch, row, retract, err));
  return SF_OK;
}

/* Has the entry of a map for a row's value read. */
static sf_status want_value(sfi_group_calls *g, sf_state *state, sfi_key key, int32_t map, int32_t arg,
                            const sf_batch *batch, int64_t row, sf_error *err) {
  sfi_scalar value;
  sfi_scalar_get(batch->columns[arg], row, &value);
  sfi_bytes *bytes = &g->scratch.key;
  bytes->size = 0;
  if (!value.null) SF_TRY(sfi_scalar_encode(g->input_type->children[arg], &value, bytes, err));
  return sfi_map_want(state, map, key, bytes->data, value.null ? SFI_NULL_KEY : (uint32_t)bytes->size, err);
}

/* A map of the call itself, by values. */
static bool looks_up(const sfi_aggregate *a) { return a->n_maps > 0 && !sfi_aggregate_gathers(a) && a->distinct < 0; }

sf_status sfi_group_want_row(sfi_group_calls *g, sf_state *state, sfi_key key, const sf_batch *batch, int64_t row,
                             sf_error *err) {
  if (state->cache == NULL || state->n_maps == 0) return SF_OK;
  for (int32_t i = 0; i < g->n_views; i++) {
    const sfi_distinct_view *v = &g->views[i];
    if (any_passes(g, v, batch, row)) SF_TRY(want_value(g, state, key, i, v->arg, batch, row, err));
  }
  for (int32_t i = 0; i < g->n_calls; i++) {
    const sfi_aggregate *a = &g->calls[i];
    for (int32_t k = 0; sfi_aggregate_gathers(a) && k < a->n_maps; k++) {
      SF_TRY(sfi_map_want(state, a->maps[k], key, NULL, SFI_NULL_KEY, err));
    }
    if (!looks_up(a) || !passes(a, batch, row) || sf_column_is_null(batch->columns[a->arg], row)) continue;
    SF_TRY(want_value(g, state, key, a->maps[0], a->arg, batch, row, err));
  }
  return SF_OK;
}

/* --- fetching ahead */

static sf_status zeroed(sfi_group_calls *g, size_t size, void **out, sf_error *err) {
  SF_TRY(sf_pool_alloc(g->pool, size, out, err));
  memset(*out, 0, size);
  return SF_OK;
}

typedef struct fetching {
  sfi_group_calls *g;
  const sfi_batch_keys *keys;
  const sf_state *state;
  const sf_batch *batch;
  int64_t first, end; /* rows */
  bool entries;       /* or the slots that lead to them */
} fetching;

/* Where the row's hash is from the time that its slot is asked for to that when its entry is: of this block of rows or the next one. */
static sfi_ahead *ahead_of(const fetching *f, int32_t map, int64_t row) {
  return &f->g->ahead[(int64_t)map * SFI_AHEAD_OF_MAP + row % SFI_AHEAD_OF_MAP];
}

static sf_status hash_ahead(const fetching *f, int32_t map, int32_t arg, int64_t row, sfi_ahead *out, sf_error *err) {
  sfi_bytes *bytes = &f->g->scratch.key;
  sfi_scalar value;
  sfi_scalar_get(f->batch->columns[arg], row, &value);
  bytes->size = 0;
  if (!value.null) SF_TRY(sfi_scalar_encode(f->g->input_type->children[arg], &value, bytes, err));
  sfi_key key = f->keys->places[row];
  out->hash = sfi_map_hash(key.id, bytes->data, value.null ? SFI_NULL_KEY : (uint32_t)bytes->size);
  sfi_fetch(sfi_map_slot_of(f->state, map, key.group, out->hash));
  sfi_fetch(sfi_map_link_of(f->state, map, key));
  return SF_OK;
}

/* For the rows' values in one map; `view` NULL: those that `call` takes. */
static sf_status fetch_map(const fetching *f, int32_t map, const sfi_distinct_view *view, const sfi_aggregate *call,
                           sf_error *err) {
  int32_t arg = view != NULL ? view->arg : call->arg;
  for (int64_t row = f->first; row < f->end; row++) {
    sfi_ahead *ahead = ahead_of(f, map, row);
    sfi_key key = f->keys->places[row];
    if (f->entries) {
      if (ahead->wanted) sfi_fetch(sfi_map_entry_behind(f->state, map, key.group, ahead->hash));
      continue;
    }
    bool passing = view != NULL ? any_passes(f->g, view, f->batch, row) : passes(call, f->batch, row);
    ahead->wanted = key.id != SFI_NO_ENTRY && passing;
    if (ahead->wanted) SF_TRY(hash_ahead(f, map, arg, row, ahead, err));
  }
  return SF_OK;
}

static sf_status fetch_block(fetching f, int64_t first, bool entries, sf_error *err) {
  f.first = first;
  f.end = f.batch->length - first < SFI_ROWS_AHEAD ? f.batch->length : first + SFI_ROWS_AHEAD;
  f.entries = entries;
  for (int32_t i = 0; i < f.g->n_views; i++) SF_TRY(fetch_map(&f, i, &f.g->views[i], NULL, err));
  for (int32_t i = 0; i < f.g->n_calls; i++) {
    const sfi_aggregate *a = &f.g->calls[i];
    if (looks_up(a)) SF_TRY(fetch_map(&f, a->maps[0], NULL, a, err));
  }
  return SF_OK;
}

/* Smaller states are in the processor's own caches. */
#define WORTH_FETCHING ((int64_t)1 << 20)

sf_status sfi_group_fetch_ahead(sfi_group_calls *g, const sfi_batch_keys *keys, const sf_state *state, const sf_batch *batch,
                                int64_t row, sf_error *err) {
  if (row % SFI_ROWS_AHEAD != 0 || state->n_maps == 0 || state->held < WORTH_FETCHING) return SF_OK;
  if (g->ahead == NULL) {
    void *memory = NULL;
    SF_TRY(zeroed(g, (size_t)state->n_maps * SFI_AHEAD_OF_MAP * sizeof *g->ahead, &memory, err));
    g->ahead = memory;
  }
  fetching f = {.g = g, .keys = keys, .state = state, .batch = batch};
  if (row == 0) SF_TRY(fetch_block(f, 0, false, err));
  SF_TRY(fetch_block(f, row + SFI_ROWS_AHEAD, false, err)); /* by the time that their entries are asked for, these are here */
  return fetch_block(f, row, true, err);
}

sf_status sfi_group_want(sfi_group_calls *g, const sfi_batch_keys *keys, sf_state *state, const sf_batch *batch,
                         sf_error *err) {
  if (state->cache == NULL || state->n_maps == 0) return SF_OK;
  for (int64_t row = 0; row < batch->length; row++) {
    SF_TRY(sfi_group_fetch_ahead(g, keys, state, batch, row, err));
    SF_TRY(sfi_group_want_row(g, state, keys->places[row], batch, row, err));
  }
  return sfi_state_read_wanted(state, err);
}

/* --- values */

/* Values that have to be put together, one behind the other. */
static sf_status gather_values(const sfi_group_calls *g, const sfi_accumulators *acc, sfi_bytes *bytes, sfi_scalar *out,
                               sf_error *err) {
  bytes->size = 0;
  for (int32_t i = 0, k = 0; i < g->n_calls; i++) {
    const sfi_aggregate *a = &g->calls[i];
    if (!a->emitted) continue;
    if (sfi_aggregate_gathers(a)) {
      size_t from = bytes->size;
      bool null = true;
      SF_TRY(sfi_aggregate_gather(a, acc, bytes, &null, err));
      if (bytes->size > INT32_MAX) return sf_fail(err, SF_RUNTIME, "The text of an aggregate gets too large: %zu bytes", bytes->size);
      out[k] = (sfi_scalar){.v = {.data = NULL, .size = (uint32_t)(bytes->size - from)}, .null = null};
    }
    k++;
  }
  const uint8_t *at = bytes->data; /* which moves no more */
  for (int32_t i = 0, k = 0; i < g->n_calls; i++) {
    if (!g->calls[i].emitted) continue;
    if (sfi_aggregate_gathers(&g->calls[i]) && out[k].v.size > 0) {
      out[k].v.data = at;
      at += out[k].v.size;
    }
    k++;
  }
  return SF_OK;
}

static sf_status read_values(const sfi_group_calls *g, const sfi_accumulators *acc, sfi_bytes *bytes, sfi_scalar *out,
                             sf_error *err) {
  for (int32_t i = 0, k = 0; i < g->n_calls; i++) {
    const sfi_aggregate *a = &g->calls[i];
    if (!a->emitted) continue;
    if (!sfi_aggregate_gathers(a)) sfi_aggregate_read(a, acc->record, &out[k]);
    k++;
  }
  return g->gathers ? gather_values(g, acc, bytes, out, err) : SF_OK;
}

sf_status sfi_group_read_before(sfi_group_calls *g, const sfi_accumulators *acc, sf_error *err) {
  return read_values(g, acc, &g->before_bytes, g->before, err);
}

size_t sfi_group_text_bytes(const sfi_group_calls *g, const sfi_scalar *values) {
  size_t bytes = 0;
  for (int32_t i = 0, k = 0; i < g->n_calls; i++) {
    if (!g->calls[i].emitted) continue;
    if (sfi_aggregate_is_long(&g->calls[i]) && !values[k].null) bytes += values[k].v.size;
    k++;
  }
  return bytes;
}

static bool same_values(const sfi_group_calls *g) {
  for (int32_t i = 0, k = 0; i < g->n_calls; i++) {
    if (!g->calls[i].emitted) continue;
    if (!sfi_scalar_equal(g->calls[i].result_type->layout, &g->before[k], &g->after[k])) return false;
    k++;
  }
  return true;
}

bool sfi_group_counts_all(const sfi_group_calls *g) {
  for (int32_t i = 0; i < g->n_calls; i++) {
    const sfi_aggregate *a = &g->calls[i];
    if (a->kind == STREAMFUSION__PLAN__AGGREGATE_KIND__COUNT_STAR && a->emitted && a->filter < 0) return true;
  }
  return false;
}

static bool no_rows_left(const sfi_group_calls *g, const uint8_t *record) {
  return g->count_star >= 0 && sfi_aggregate_value(&g->calls[g->count_star], record).i == 0;
}

sf_status sfi_group_changes(sfi_group_calls *g, const sfi_accumulators *acc, bool first, uint8_t kinds[2], int32_t *n_out,
                            sf_error *err) {
  *n_out = 0;
  if (no_rows_left(g, acc->record)) {
    if (!first) kinds[(*n_out)++] = SF_DELETE;
    return sfi_state_remove(acc->state, acc->key, err);
  }
  sfi_record_stamp(acc->state->value, acc->record, acc->state->now);
  SF_TRY(read_values(g, acc, &g->after_bytes, g->after, err));
  if (first) {
    kinds[(*n_out)++] = SF_INSERT;
  } else if (g->ttl > 0 || g->always_changes || !same_values(g)) {
    if (g->update_before) kinds[(*n_out)++] = SF_UPDATE_BEFORE;
    kinds[(*n_out)++] = SF_UPDATE_AFTER;
  }
  return SF_OK;
}

/* --- a key */

sf_status sfi_group_look(sf_state *state, sfi_key key, bool *first_out, sf_error *err) {
  *first_out = true;
  if (key.id == SFI_NO_ENTRY || !sfi_state_has_value(state, key)) return SF_OK;
  if (sfi_state_expired(state, key.group, 0, key.id)) return sfi_state_clear_value(state, key, err);
  *first_out = false;
  return SF_OK;
}

sf_status sfi_group_init(const sfi_group_calls *g, const sfi_accumulators *acc, sf_error *err) {
  for (int32_t i = 0; i < g->n_calls; i++) SF_TRY(sfi_aggregate_init(&g->calls[i], acc, err));
  return SF_OK;
}

sf_status sfi_group_open_key(const sfi_group_calls *g, const uint8_t *bytes, size_t size, int32_t hash, bool first,
                             sfi_accumulators *acc, sf_error *err) {
  if (acc->key.id == SFI_NO_ENTRY) SF_TRY(sfi_state_insert(acc->state, bytes, size, hash, &acc->key, err));
  return sfi_group_open_value(g, first, acc, err);
}

sf_status sfi_group_open_value(const sfi_group_calls *g, bool first, sfi_accumulators *acc, sf_error *err) {
  SF_TRY(sfi_state_write_value(acc->state, acc->key, &acc->record, err));
  return first ? sfi_group_init(g, acc, err) : SF_OK;
}

/* --- life cycle */

/* COUNT(*), or the sum of those that were counted by an aggregate in front of this one. */
static bool counts_rows(const sfi_group_calls *g) {
  if (g->count_star >= g->n_calls) return false;
  const sfi_aggregate *a = &g->calls[g->count_star];
  if (a->types[0]->layout != SF_LAYOUT_INT64) return false;
  return a->kind == STREAMFUSION__PLAN__AGGREGATE_KIND__COUNT_STAR || a->kind == STREAMFUSION__PLAN__AGGREGATE_KIND__SUM0;
}

static sf_status prepare_calls(sfi_group_calls *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  void *memory = NULL;
  SF_TRY(zeroed(g, message->n_calls * sizeof(sfi_aggregate), &memory, err));
  g->calls = memory;
  for (; g->n_calls < (int32_t)message->n_calls; g->n_calls++) {
    SF_TRY(sfi_aggregate_prepare(message->calls[g->n_calls], g->input_type, &g->calls[g->n_calls], err));
    g->n_emitted += g->calls[g->n_calls].emitted;
    g->lists = g->lists || sfi_aggregate_is_long(&g->calls[g->n_calls]);
    g->gathers = g->gathers || sfi_aggregate_gathers(&g->calls[g->n_calls]);
  }
  if (g->count_star >= 0 && !counts_rows(g)) return sf_fail(err, SF_INVALID, "Call %d does not count rows", g->count_star);
  return SF_OK;
}

static sf_status prepare_view(sfi_group_calls *g, const Streamfusion__Plan__DistinctView *message, int32_t index,
                              sf_error *err) {
  sfi_distinct_view *v = &g->views[index];
  if (message->n_args != 1 || message->args[0] < 0 || message->args[0] >= g->input_type->n_children) {
    return sf_fail(err, SF_UNSUPPORTED, "DISTINCT over %zu columns", message->n_args);
  }
  v->arg = message->args[0];
  v->type = g->input_type->children[v->arg];
  if (sf_layout_width(v->type->layout) == 0) return sf_fail(err, SF_UNSUPPORTED, "DISTINCT over nested values");
  void *memory = NULL;
  SF_TRY(zeroed(g, (size_t)g->n_calls * sizeof(int32_t), &memory, err));
  v->calls = memory;
  v->filtered = true;
  for (int32_t i = 0; i < g->n_calls; i++) {
    if (g->calls[i].distinct != index) continue;
    if (g->calls[i].arg != v->arg || g->calls[i].delimiter >= 0) {
      return sf_fail(err, SF_INVALID, "A call is not over the values of its view");
    }
    v->filtered = v->filtered && g->calls[i].filter >= 0;
    v->calls[v->n_calls++] = i;
  }
  if (v->n_calls == 0 || v->n_calls > 64) return sf_fail(err, SF_UNSUPPORTED, "%d calls over a DISTINCT view", v->n_calls);
  return SF_OK;
}

static sf_status prepare_views(sfi_group_calls *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  void *memory = NULL;
  SF_TRY(zeroed(g, message->n_distinct_views * sizeof(sfi_distinct_view), &memory, err));
  g->views = memory;
  for (; g->n_views < (int32_t)message->n_distinct_views; g->n_views++) {
    SF_TRY(prepare_view(g, message->distinct_views[g->n_views], g->n_views, err));
  }
  for (int32_t i = 0; i < g->n_calls; i++) {
    if (g->calls[i].distinct >= g->n_views) return sf_fail(err, SF_INVALID, "There is no view %d", g->calls[i].distinct);
  }
  return SF_OK;
}

/* Scratch for the values of the emitted calls. */
static sf_status prepare_values(sfi_group_calls *g, sf_error *err) {
  void *memory = NULL;
  SF_TRY(zeroed(g, (size_t)g->n_emitted * sizeof *g->before, &memory, err));
  g->before = memory;
  SF_TRY(zeroed(g, (size_t)g->n_emitted * sizeof *g->after, &memory, err));
  g->after = memory;
  return SF_OK;
}

sf_status sfi_group_calls_prepare(sf_pool *pool, const Streamfusion__Plan__GroupAggregate *message,
                                  const sf_type *input_type, sfi_group_calls *out, sf_error *err) {
  *out = (sfi_group_calls){.pool = pool,
                           .input_type = input_type,
                           .ttl = message->ttl_millis,
                           .retracts = message->retracts,
                           .update_before = message->generate_update_before,
                           .count_star = message->count_star - 1,
                           .scratch = {.key = {.pool = pool}, .value = {.pool = pool}, .list = {.pool = pool}},
                           .before_bytes = {.pool = pool},
                           .after_bytes = {.pool = pool}};
  if (message->n_calls > 10000 || message->n_grouping > 10000) return sf_fail(err, SF_UNSUPPORTED, "Too many aggregates");
  SF_TRY(prepare_calls(out, message, err));
  if (out->gathers && out->ttl > 0) return sf_fail(err, SF_UNSUPPORTED, "A list or JSON aggregate and a state TTL");
  SF_TRY(prepare_views(out, message, err));
  return prepare_values(out, err);
}

sf_status sfi_group_calls_check_output(const sfi_group_calls *g, const sf_type *output_type, int32_t n_keys, sf_error *err) {
  if (output_type->n_children != n_keys + g->n_emitted) {
    return sf_fail(err, SF_INVALID, "An aggregate of %d columns has %d", n_keys + g->n_emitted, output_type->n_children);
  }
  for (int32_t i = 0, k = n_keys; i < g->n_calls; i++) {
    if (!g->calls[i].emitted) continue;
    if (output_type->children[k++]->layout == g->calls[i].result_type->layout) continue;
    return sf_fail(err, SF_INVALID, "The result of call %d is not that of its column", i);
  }
  return SF_OK;
}

sf_status sfi_group_key_writer(sf_pool *pool, const Streamfusion__Plan__GroupAggregate *message, const sf_type *input_type,
                               int32_t **grouping_out, sf_row_writer **out, sf_error *err) {
  void *memory = NULL;
  size_t size = message->n_grouping * sizeof(int32_t);
  SF_TRY(sf_pool_alloc(pool, size, &memory, err));
  if (size > 0) memcpy(memory, message->grouping, size);
  *grouping_out = memory;
  return sf_row_writer_create(pool, input_type, memory, (int32_t)message->n_grouping, SF_ROW_PROJECTION, out, err);
}

void sfi_group_calls_drop(sfi_group_calls *g) {
  for (int32_t i = 0; i < g->n_calls; i++) sfi_aggregate_drop(&g->calls[i]);
  for (int32_t i = 0; i < g->n_views; i++) sf_pool_free(g->pool, g->views[i].calls);
  sf_pool_free(g->pool, g->calls);
  sf_pool_free(g->pool, g->views);
  sf_pool_free(g->pool, g->scratch.key.data);
  sf_pool_free(g->pool, g->scratch.value.data);
  sfi_value_list_drop(&g->scratch.list);
  sf_pool_free(g->pool, g->before_bytes.data);
  sf_pool_free(g->pool, g->after_bytes.data);
  sf_pool_free(g->pool, g->before);
  sf_pool_free(g->pool, g->after);
  sf_pool_free(g->pool, g->entries);
  sf_pool_free(g->pool, g->ahead);
}
