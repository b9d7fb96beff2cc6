#include "operators/bundle_operator.h"

#include "column/type_internal.h"
#include "state/table_internal.h"
#include "streamfusion/key_group.h"

/* --- rows and the ends of bundles */

/* How far ahead memory is fetched: of rows and keys that are looked up their slots of an index and what those refer to, of keys that
 * are finished their entries in the bundle and then those of their maps. */
#define SLOTS_AHEAD 16
#define KEYS_AHEAD 8
#define ENTRIES_AHEAD 24
#define MAPS_AHEAD 8
#define PLACES_AHEAD 4

static void fetch_row(const sfi_bundle_operator *b, int64_t row) {
  const sf_state *keys = b->bundle.keys;
  if (row + SLOTS_AHEAD < b->keys.n) sfi_fetch(sfi_state_slot_of(keys, 0, b->keys.hashes[row + SLOTS_AHEAD]));
  if (row + KEYS_AHEAD < b->keys.n) sfi_fetch(sfi_state_entry_behind(keys, 0, b->keys.hashes[row + KEYS_AHEAD]));
}

static sf_status add_row(sfi_bundle_operator *b, sf_batch *batch, int64_t row, sf_error *err) {
  size_t size = 0;
  const uint8_t *bytes = sfi_batch_key(&b->keys, row, &size);
  sfi_key key;
  bool first = false;
  fetch_row(b, row);
  SF_TRY(sfi_bundle_find(&b->bundle, bytes, size, b->keys.hashes[row], &key, &first, err));
  return b->function->add(b, batch, row, key, first, err);
}

/* The state of an IncrementalGroupAggregate has the views alone. */
static int32_t shared_maps(const sfi_bundle_operator *b) {
  return b->n_gathered_maps < b->base.state->n_maps ? b->n_gathered_maps : b->base.state->n_maps;
}

void sfi_bundle_fetch(const sfi_bundle_operator *b, const sfi_bundle_key *keys, int64_t n, int64_t i) {
  const sf_state *gathered = b->bundle.keys;
  if (i + ENTRIES_AHEAD < n) sfi_state_fetch(gathered, 0, 0, keys[i + ENTRIES_AHEAD].id);
  for (int32_t map = 0; map < gathered->n_maps && i + MAPS_AHEAD < n; map++) {
    uint32_t first = sfi_map_first(gathered, map, (sfi_key){.group = 0, .id = keys[i + MAPS_AHEAD].id});
    if (first != SFI_NO_ENTRY) sfi_state_fetch(gathered, 0, 1 + map, first);
  }
}

void sfi_bundle_fetch_places(const sfi_bundle_operator *b, const sfi_bundle_key *keys, int64_t n, int64_t i) {
  sfi_bundle_fetch(b, keys, n, i);
  if (i + PLACES_AHEAD >= n) return;
  uint32_t id = keys[i + PLACES_AHEAD].id;
  sfi_key place = b->places[id];
  if (place.id == SFI_NO_ENTRY) return;
  sfi_state_fetch(b->base.state, place.group, 0, place.id);
  for (int32_t map = 0; map < shared_maps(b); map++) {
    uint32_t first = sfi_map_first(b->bundle.keys, map, (sfi_key){.group = 0, .id = id});
    uint32_t at = first == SFI_NO_ENTRY ? SFI_NO_ENTRY : b->value_places[map][first];
    if (at != SFI_NO_ENTRY) sfi_state_fetch(b->base.state, place.group, 1 + map, at);
  }
}

/* --- where a bundle's keys and values are in the state */

static void fetch_key(const sfi_bundle_operator *b, int64_t i) {
  const sf_state *state = b->base.state;
  const sfi_bundle *bundle = &b->bundle;
  sfi_bundle_fetch(b, bundle->touched, bundle->n, i);
  if (i + SLOTS_AHEAD < bundle->n) {
    int32_t hash = bundle->touched[i + SLOTS_AHEAD].hash;
    sfi_fetch(sfi_state_slot_of(state, sf_key_group(hash, state->groups.max) - state->groups.first, hash));
  }
  if (i + KEYS_AHEAD < bundle->n) {
    int32_t hash = bundle->touched[i + KEYS_AHEAD].hash;
    sfi_fetch(sfi_state_entry_behind(state, sf_key_group(hash, state->groups.max) - state->groups.first, hash));
  }
}

/* Of the first value in each map of a key that has its place; `entry`: what stands there, else the slot. */
static void fetch_values(const sfi_bundle_operator *b, int64_t i, bool entry) {
  if (i >= b->bundle.n) return;
  const sf_state *state = b->base.state, *gathered = b->bundle.keys;
  uint32_t id = b->bundle.touched[i].id;
  sfi_key at = {.group = 0, .id = id}, key = b->places[id];
  for (int32_t map = 0; map < shared_maps(b) && key.id != SFI_NO_ENTRY; map++) {
    uint32_t first = sfi_map_first(gathered, map, at);
    if (first == SFI_NO_ENTRY) continue;
    const sfi_entry *value = sfi_state_entry(gathered, 0, 1 + map, first);
    uint32_t hash = sfi_map_hash(key.id, sfi_entry_key(value), value->key_size);
    if (entry) sfi_fetch(sfi_map_entry_behind(state, map, key.group, hash));
    else sfi_fetch(sfi_map_slot_of(state, map, key.group, hash));
  }
}

static sf_status want_values(sfi_bundle_operator *b, uint32_t id, sf_error *err) {
  const sf_state *gathered = b->bundle.keys;
  sfi_key at = {.group = 0, .id = id}, key = b->places[id];
  for (int32_t map = 0; map < shared_maps(b); map++) {
    for (uint32_t i = sfi_map_first(gathered, map, at); i != SFI_NO_ENTRY; i = sfi_map_next(gathered, map, at, i)) {
      const sfi_entry *value = sfi_state_entry(gathered, 0, 1 + map, i);
      uint32_t *place = &b->value_places[map][i];
      *place = SFI_NO_ENTRY;
      if (key.id == SFI_NO_ENTRY) continue;
      SF_TRY(sfi_map_want_place(b->base.state, map, key, sfi_entry_key(value), value->key_size, place, err));
    }
  }
  return SF_OK;
}

static sf_status grow(sf_pool *pool, void **items, size_t n, size_t *room, size_t size, sf_error *err) {
  if (n <= *room) return SF_OK;
  SF_TRY(sf_pool_realloc(pool, *items, 2 * n * size, items, err));
  *room = 2 * n;
  return SF_OK;
}

static sf_status make_places(sfi_bundle_operator *b, sf_error *err) {
  sf_pool *pool = b->base.pool;
  void *memory = b->places;
  SF_TRY(grow(pool, &memory, sfi_state_table(b->bundle.keys, 0, 0)->used, &b->place_room, sizeof *b->places, err));
  b->places = memory;
  for (int32_t map = 0; map < shared_maps(b); map++) {
    memory = b->value_places[map];
    size_t n = sfi_state_table(b->bundle.keys, 0, 1 + map)->used;
    SF_TRY(grow(pool, &memory, n, &b->value_room[map], sizeof **b->value_places, err));
    b->value_places[map] = memory;
  }
  return SF_OK;
}

/* Finds all keys of the bundle in the state together, and then what is in their maps: a store is asked once, and memory ahead. */
static sf_status find_in_state(sfi_bundle_operator *b, sf_error *err) {
  sf_state *state = b->base.state;
  if (state == NULL) return SF_OK;
  SF_TRY(make_places(b, err));
  for (int64_t i = 0; i < b->bundle.n; i++) {
    sfi_bundle_key at = b->bundle.touched[i];
    fetch_key(b, i);
    sfi_region bytes = sfi_bundle_bytes(&b->bundle, at.id);
    SF_TRY(sfi_state_want(state, bytes.data, bytes.size, at.hash, &b->places[at.id], err));
  }
  SF_TRY(sfi_state_read_wanted(state, err));
  for (int64_t i = 0; i < b->bundle.n && state->n_maps > 0; i++) {
    uint32_t id = b->bundle.touched[i].id;
    sfi_bundle_fetch(b, b->bundle.touched, b->bundle.n, i);
    fetch_values(b, i + MAPS_AHEAD / 2, false);
    fetch_values(b, i + MAPS_AHEAD / 4, true);
    SF_TRY(b->function->want == NULL ? want_values(b, id, err) : b->function->want(b, id, b->places[id], err));
  }
  return sfi_state_read_wanted(state, err);
}

static sf_status finish_bundle(sfi_bundle_operator *b, const sf_collector *out, sf_error *err) {
  if (b->bundle.n > 0) {
    sfi_bundle_sort(&b->bundle);
    SF_TRY(find_in_state(b, err));
    SF_TRY(b->function->finish(b, out, err));
  }
  return sfi_bundle_clear(&b->bundle, err);
}

sf_status sfi_bundle_process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  sfi_bundle_operator *b = (sfi_bundle_operator *)op;
  if (op->vtable->open_state != NULL && op->state == NULL) {
    return sf_fail(err, SF_INVALID, "The keyed state of an aggregate is not open");
  }
  SF_TRY(sfi_batch_keys_write(&b->keys, b->bundle.keys, b->key_writer, batch, err));
  int64_t mark = 0;
  for (int64_t row = 0; row <= batch->length; row++) {
    for (; mark < batch->n_marks && batch->marks[mark].row <= row; mark++) {
      SF_TRY(finish_bundle(b, out, err));
      SF_TRY(sf_batch_builder_mark(b->output.builder, batch->marks[mark].watermark, err));
    }
    if (row == batch->length) break;
    SF_TRY(add_row(b, batch, row, err));
    if (sfi_bundle_count(&b->bundle)) SF_TRY(finish_bundle(b, out, err));
  }
  return sfi_bundle_output_emit(&b->output, out, err);
}

sf_status sfi_bundle_flush(sf_operator *op, const sf_collector *out, sf_error *err) {
  sfi_bundle_operator *b = (sfi_bundle_operator *)op;
  SF_TRY(finish_bundle(b, out, err));
  return sfi_bundle_output_emit(&b->output, out, err);
}

void sfi_bundle_progress(const sf_operator *op, int64_t *rows_out, int64_t *keys_out) {
  const sfi_bundle_operator *b = (const sfi_bundle_operator *)op;
  *rows_out = b->bundle.n_rows;
  *keys_out = b->bundle.n;
}

sf_status sfi_bundle_watermark(sf_operator *op, int64_t watermark, const sf_collector *out, sf_error *err) {
  (void)watermark;
  return sfi_bundle_flush(op, out, err);
}

/* --- for the functions */

sfi_accumulators sfi_bundle_accumulators(sfi_bundle_operator *b, uint32_t id) {
  return (sfi_accumulators){.state = b->bundle.keys,
                            .key = {.group = 0, .id = id},
                            .record = sfi_bundle_record(&b->bundle, id),
                            .scratch = &b->calls.scratch};
}

sf_status sfi_bundle_add_accumulators(sfi_bundle_operator *b, sf_batch *batch, int64_t row, sfi_key key, bool first,
                                      sf_error *err) {
  sfi_accumulators acc = sfi_bundle_accumulators(b, key.id);
  if (first) SF_TRY(sfi_group_init(&b->calls, &acc, err));
  for (int32_t i = 0; i < b->n_flat; i++) sfi_scalar_get(batch->columns[b->n_grouping + i], row, &b->flat[i]);
  sfi_state_reclaim_much(acc.state);
  return sfi_group_merge(&b->calls, &acc, &acc, b->flat, err);
}

sf_status sfi_bundle_merge_gathered(sfi_bundle_operator *b, uint32_t id, const sfi_accumulators *acc,
                                    const sfi_accumulators *views, sf_error *err) {
  sfi_accumulators gathered = sfi_bundle_accumulators(b, id);
  SF_TRY(sfi_group_flatten_calls(&b->calls, &gathered, &b->maps, b->flat, err));
  SF_TRY(sfi_group_merge_calls(&b->calls, acc, b->flat, err));
  return sfi_group_merge_views(&b->calls, acc, views, &gathered, (const uint32_t *const *)b->value_places, err);
}

sf_status sfi_bundle_emit_changes(sfi_bundle_operator *b, sfi_region key, const sfi_accumulators *acc, bool first,
                                  const sf_collector *out, sf_error *err) {
  uint8_t kinds[2];
  int32_t n = 0;
  SF_TRY(sfi_group_changes(&b->calls, acc, first, kinds, &n, err));
  for (int32_t i = 0; i < n; i++) {
    const sfi_scalar *values = sfi_retracts(kinds[i]) ? b->calls.before : b->calls.after;
    SF_TRY(sfi_bundle_output_row(&b->output, key, values, b->calls.n_emitted, kinds[i], out, err));
  }
  return SF_OK;
}

sf_status sfi_bundle_tidy_state(sfi_bundle_operator *b, sf_error *err) {
  sf_state *state = b->base.state;
  SF_TRY(sfi_state_settle(state, b->bundle.n, err));
  sfi_state_reclaim(state);
  return SF_OK;
}

/* --- life cycle */

sf_status sfi_bundle_operator_prepare(sfi_bundle_operator *b, const sfi_bundle_function *function,
                                      const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  sf_pool *pool = b->base.pool;
  b->function = function;
  b->maps.pool = b->keys.pool = pool;
  if (message->call_input_type != NULL) {
    SF_TRY(sfi_type_from_message(message->call_input_type, &b->call_input_type, err));
    if (b->call_input_type->kind != SF_TYPE_ROW) return sf_fail(err, SF_INVALID, "The input of calls is no ROW");
  }
  const sf_type *call_input = b->call_input_type == NULL ? b->base.input_type : b->call_input_type;
  SF_TRY(sfi_group_calls_prepare(pool, message, call_input, &b->calls, err));
  SF_TRY(sfi_group_key_writer(pool, message, b->base.input_type, &b->grouping, &b->key_writer, err));
  b->n_grouping = (int32_t)message->n_grouping;
  b->n_flat = sfi_group_flat_size(&b->calls);
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(pool, (size_t)b->n_flat * sizeof *b->flat, &memory, err));
  b->flat = memory;
  return SF_OK;
}

static sf_status zeroed(sf_pool *pool, size_t size, void **out, sf_error *err) {
  SF_TRY(sf_pool_alloc(pool, size, out, err));
  if (size > 0) memset(*out, 0, size);
  return SF_OK;
}

sf_status sfi_bundle_of_accumulators(sfi_bundle_operator *b, int64_t max_rows, sf_error *err) {
  sf_state *keys = NULL;
  void *memory = NULL;
  SF_TRY(sfi_group_calls_open(&b->calls, sfi_bundle_groups, 0, &keys, err));
  sfi_bundle_init(&b->bundle, b->base.pool, max_rows, keys);
  SF_TRY(zeroed(b->base.pool, (size_t)keys->n_maps * sizeof *b->value_places, &memory, err));
  b->value_places = memory;
  SF_TRY(zeroed(b->base.pool, (size_t)keys->n_maps * sizeof *b->value_room, &memory, err));
  b->value_room = memory;
  b->n_gathered_maps = keys->n_maps;
  return SF_OK;
}

void sfi_bundle_operator_drop(sfi_bundle_operator *b) {
  sf_pool *pool = b->base.pool;
  sfi_group_calls_drop(&b->calls);
  sfi_bundle_drop(&b->bundle);
  sfi_bundle_output_drop(&b->output);
  sf_row_writer_destroy(b->key_writer);
  sfi_batch_keys_drop(&b->keys);
  sf_type_release(b->call_input_type);
  sf_pool_free(pool, b->grouping);
  sf_pool_free(pool, b->flat);
  sf_pool_free(pool, b->maps.data);
  sf_pool_free(pool, b->places);
  for (int32_t i = 0; i < b->n_gathered_maps; i++) sf_pool_free(pool, b->value_places[i]);
  sf_pool_free(pool, b->value_places);
  sf_pool_free(pool, b->value_room);
}
