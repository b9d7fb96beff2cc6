/* Between the phases of a GROUP BY whose DISTINCT is split:
 * org.apache.flink.table.runtime.operators.aggregate.MiniBatchIncrementalGroupAggFunction in a KeyedMapBundleOperator. Merges
 * accumulators by the partial key (grouping columns and the bucket of the DISTINCT), tells by the state which values are new, and
 * emits accumulators by the final key.
 *
 * States in snapshots: those of a GROUP BY's views alone; number 0, its accState, has no entries and is not there. */
#include "operators/bundle_operator.h"
#include "state/table_internal.h"

typedef struct incremental_aggregate {
  sfi_bundle_operator bundle; /* by the partial key */
  sf_batch_builder *partial_keys; /* of a bundle, in order, to project them */
  sf_row_writer *final_writer;
  int32_t *final_grouping;
  int32_t n_final;
  sfi_bundle finals;          /* final keys, with lists of partial ones */
  sfi_bundle_lists lists;
  sfi_bundle_key *partials;   /* scratch: those of a final key, and room to sort them */
  sf_state *result;           /* owned; the accumulators of one final key */
} incremental_aggregate;

/* The order of a HashMap that has been filled by `put`. */
static uint32_t capacity_of(int64_t n) {
  uint32_t capacity = SFI_HASH_MAP_CAPACITY;
  while (n > capacity / 4 * 3) capacity *= 2;
  return capacity;
}

/* Keys without values leave memory; with a store that is the cache's business. */
static bool is_needed(const sf_state *state, sfi_key key) {
  if (state->cache != NULL) return true;
  for (int32_t i = 0; i < state->n_maps; i++) {
    if (sfi_map_first(state, i, key) != SFI_NO_ENTRY) return true;
  }
  return false;
}

static sf_status merge_partial(incremental_aggregate *g, const sfi_accumulators *result, sfi_bundle_key key, sf_error *err) {
  sfi_bundle_operator *b = &g->bundle;
  sf_state *state = b->base.state;
  if (state->ttl > 0) state->now = sfi_current_millis();
  sfi_region bytes = sfi_bundle_bytes(&b->bundle, key.id);
  sfi_accumulators views = {.state = state, .key = b->places[key.id], .record = result->record, .scratch = result->scratch};
  if (views.key.id == SFI_NO_ENTRY) {
    SF_TRY(sfi_state_insert(state, bytes.data, bytes.size, key.hash, &views.key, err));
  }
  SF_TRY(sfi_bundle_merge_gathered(b, key.id, result, &views, err));
  return is_needed(state, views.key) ? SF_OK : sfi_state_remove(state, views.key, err);
}

/* The partial keys of a final one, in the order in which they are merged, from `first` on; returns where they end. */
static int64_t order_partials(incremental_aggregate *g, sfi_bundle_key final, int64_t first) {
  const sfi_bundle *bundle = &g->bundle.bundle;
  sfi_bundle_key *partials = g->partials + first;
  int64_t n = 0;
  for (uint32_t i = sfi_bundle_lists_first(&g->finals, final.id); i != SFI_NO_ITEM; i = g->lists.next[i]) {
    partials[n++] = bundle->touched[i];
  }
  const sfi_bundle_key *sorted = sfi_hash_map_order(partials, g->partials + bundle->n, n, capacity_of(n));
  if (sorted != partials) memcpy(partials, sorted, (size_t)n * sizeof *partials);
  return first + n;
}

/* The accumulators of a final key start anew with each bundle. */
static sf_status finish_final(incremental_aggregate *g, sfi_bundle_key final, int64_t first, int64_t end,
                              const sf_collector *out, sf_error *err) {
  sfi_bundle_operator *b = &g->bundle;
  sfi_region key = sfi_bundle_bytes(&g->finals, final.id);
  sfi_accumulators result = {.state = g->result, .key = {.group = 0, .id = SFI_NO_ENTRY}, .scratch = &b->calls.scratch};
  SF_TRY(sfi_group_open_key(&b->calls, key.data, key.size, final.hash, true, &result, err));
  for (int64_t i = first; i < end; i++) {
    sfi_bundle_fetch_places(b, g->partials, b->bundle.n, i);
    SF_TRY(merge_partial(g, &result, g->partials[i], err));
  }
  SF_TRY(sfi_group_flatten(&b->calls, &result, &b->maps, b->flat, err));
  int32_t n_columns = b->n_flat - b->calls.n_views;
  SF_TRY(sfi_bundle_output_row(&b->output, key, b->flat, n_columns, SF_INSERT, out, err));
  SF_TRY(sfi_state_remove(g->result, result.key, err));
  sfi_state_reclaim(g->result);
  return SF_OK;
}

/* Computes the final keys of all partial ones. HashMap.computeIfAbsent grows a map before it looks, and adds in front. */
static sf_status gather_finals(incremental_aggregate *g, const sf_batch *keys, sf_error *err) {
  uint32_t capacity = SFI_HASH_MAP_CAPACITY;
  for (int64_t i = 0; i < keys->length; i++) {
    const uint8_t *bytes = NULL;
    size_t size = 0;
    SF_TRY(sf_row_writer_write(g->final_writer, keys, i, &bytes, &size, err));
    if (g->finals.n > capacity / 4 * 3) capacity *= 2;
    sfi_key key;
    bool first = false;
    SF_TRY(sfi_bundle_find(&g->finals, bytes, size, sf_binary_row_hash(bytes, size), &key, &first, err));
    SF_TRY(sfi_bundle_lists_append(&g->lists, &g->finals, key.id, first, err));
  }
  g->finals.capacity = capacity;
  for (int64_t i = 0, k = g->finals.n - 1; i < k; i++, k--) {
    sfi_bundle_key swap = g->finals.touched[i];
    g->finals.touched[i] = g->finals.touched[k];
    g->finals.touched[k] = swap;
  }
  sfi_bundle_sort(&g->finals);
  return SF_OK;
}

static sf_status partial_keys(incremental_aggregate *g, sf_batch **out, sf_error *err) {
  for (int64_t i = 0; i < g->bundle.bundle.n; i++) {
    sfi_region key = sfi_bundle_bytes(&g->bundle.bundle, g->bundle.bundle.touched[i].id);
    SF_TRY(sf_batch_builder_binary_row(g->partial_keys, key.data, key.size, err));
  }
  return sf_batch_builder_finish(g->partial_keys, out, err);
}

static sf_status finish_finals(incremental_aggregate *g, const sf_collector *out, sf_error *err) {
  for (int64_t i = 0, end = 0; i < g->finals.n; i++) end = order_partials(g, g->finals.touched[i], end);
  for (int64_t i = 0, first = 0; i < g->finals.n; i++) {
    sfi_bundle_key final = g->finals.touched[i];
    int64_t end = first;
    for (uint32_t k = sfi_bundle_lists_first(&g->finals, final.id); k != SFI_NO_ITEM; k = g->lists.next[k]) end++;
    SF_TRY(finish_final(g, final, first, end, out, err));
    first = end;
  }
  return SF_OK;
}

static sf_status finish(sfi_bundle_operator *b, const sf_collector *out, sf_error *err) {
  incremental_aggregate *g = (incremental_aggregate *)b;
  void *memory = NULL;
  SF_TRY(sf_pool_realloc(b->base.pool, g->partials, 2 * (size_t)b->bundle.n * sizeof *g->partials, &memory, err));
  g->partials = memory;
  sf_batch *keys = NULL;
  SF_TRY(partial_keys(g, &keys, err));
  sf_status st = gather_finals(g, keys, err);
  sf_batch_release(keys);
  if (st == SF_OK) st = finish_finals(g, out, err);
  g->lists.n = 0;
  if (st == SF_OK) st = sfi_bundle_clear(&g->finals, err);
  return st == SF_OK ? sfi_bundle_tidy_state(b, err) : st;
}

/* --- life cycle */

static const sfi_bundle_function function = {.add = sfi_bundle_add_accumulators, .finish = finish};

static sf_status open_state(sf_operator *op, sf_key_groups groups, sf_error *err) {
  sfi_bundle_operator *b = (sfi_bundle_operator *)op;
  return sfi_group_calls_open_views(&b->calls, groups, b->calls.ttl, &op->state, err);
}

static void destroy(sf_operator *op) {
  incremental_aggregate *g = (incremental_aggregate *)op;
  sfi_bundle_operator_drop(&g->bundle);
  sfi_bundle_drop(&g->finals);
  sfi_bundle_lists_drop(&g->lists);
  sf_batch_builder_destroy(g->partial_keys);
  sf_row_writer_destroy(g->final_writer);
  sfi_state_close(g->result);
  sf_pool_free(op->pool, g->final_grouping);
  sf_pool_free(op->pool, g->partials);
}

static const sfi_operator_vtable vtable = {.process = sfi_bundle_process,
                                           .watermark = sfi_bundle_watermark,
                                           .before_barrier = sfi_bundle_flush,
                                           .finish = sfi_bundle_flush,
                                           .progress = sfi_bundle_progress,
                                           .open_state = open_state,
                                           .destroy = destroy};

/* The type of a partial key, and what projects it to a final one. */
static sf_status prepare_keys(incremental_aggregate *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  sfi_bundle_operator *b = &g->bundle;
  sf_pool *pool = b->base.pool;
  void *memory = NULL;
  size_t n = (size_t)b->n_grouping;
  SF_TRY(sf_pool_alloc(pool, n * (sizeof(sf_type *) + sizeof(char *)), &memory, err));
  sf_type **types = memory;
  const char **names = (const char **)(void *)(types + n);
  for (size_t i = 0; i < n; i++) {
    types[i] = b->base.input_type->children[b->grouping[i]];
    names[i] = b->base.input_type->field_names[b->grouping[i]];
  }
  sf_type *partial = NULL;
  sf_status st = sf_type_nested(SF_TYPE_ROW, false, b->n_grouping, types, names, &partial, err);
  sf_pool_free(pool, memory);
  if (st != SF_OK) return st;
  st = sf_batch_builder_create(pool, partial, &g->partial_keys, err);
  size_t size = message->n_final_grouping * sizeof(int32_t);
  if (st == SF_OK) st = sf_pool_alloc(pool, size, &memory, err);
  if (st == SF_OK) {
    g->final_grouping = memory;
    g->n_final = (int32_t)message->n_final_grouping;
    if (size > 0) memcpy(memory, message->final_grouping, size);
    st = sf_row_writer_create(pool, partial, g->final_grouping, g->n_final, SF_ROW_PROJECTION, &g->final_writer, err);
  }
  sf_type_release(partial);
  return st;
}

static sf_status prepare(incremental_aggregate *g, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  sfi_bundle_operator *b = &g->bundle;
  sf_pool *pool = b->base.pool;
  g->lists.pool = pool;
  SF_TRY(sfi_bundle_operator_prepare(b, &function, message, err));
  SF_TRY(prepare_keys(g, message, err));
  SF_TRY(sfi_group_check_flat(&b->calls, b->base.input_type, b->n_grouping, true, err));
  SF_TRY(sfi_group_check_flat(&b->calls, b->base.output_type, g->n_final, false, err));
  SF_TRY(sfi_bundle_output_create(pool, b->base.output_type, g->n_final, &b->output, err));
  SF_TRY(sfi_bundle_of_accumulators(b, message->bundle_size, err));
  SF_TRY(sfi_group_calls_open(&b->calls, sfi_bundle_groups, 0, &g->result, err));
  return sfi_bundle_of_lists(&g->finals, pool, INT64_MAX, err);
}

sf_status sfi_incremental_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(incremental_aggregate), &vtable, &op, err));
  sf_status st = prepare((incremental_aggregate *)op, plan->message->group_aggregate, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}
