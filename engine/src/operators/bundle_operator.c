#include "operators/bundle_operator.h"

#include "column/type_internal.h"
#include "state/table_internal.h"
#include "streamfusion/key_group.h"

/* --- rows and the ends of bundles */

static sf_status add_row(sfi_bundle_operator *b, sf_batch *batch, int64_t row, sf_error *err) {
  const uint8_t *bytes = NULL;
  size_t size = 0;
  SF_TRY(sf_row_writer_write(b->key_writer, batch, row, &bytes, &size, err));
  sfi_key key;
  bool first = false;
  SF_TRY(sfi_bundle_find(&b->bundle, bytes, size, sf_binary_row_hash(bytes, size), &key, &first, err));
  return b->function->add(b, batch, row, key, first, err);
}

/* Has what the state has of the values in an accumulator's maps read. */
static sf_status want_maps(const sfi_bundle_operator *b, uint32_t id, sfi_key key, sf_error *err) {
  sf_state *state = b->base.state, *gathered = b->bundle.keys;
  for (int32_t map = 0; map < state->n_maps && map < gathered->n_maps; map++) {
    sfi_key at = {.group = 0, .id = id};
    for (uint32_t i = sfi_map_first(gathered, map, at); i != SFI_NO_ENTRY; i = sfi_map_next(gathered, map, at, i)) {
      const sfi_entry *entry = sfi_state_entry(gathered, 0, 1 + map, i);
      SF_TRY(sfi_map_want(state, map, key, sfi_entry_key(entry), entry->key_size, err));
    }
  }
  return SF_OK;
}

/* How far ahead of the keys that are looked up memory is fetched: the bundle's entry, the slot of the index, what it refers to. */
#define ENTRIES_AHEAD 24
#define SLOTS_AHEAD 16
#define KEYS_AHEAD 8

static void fetch_ahead(const sfi_bundle_operator *b, int64_t i) {
  const sf_state *state = b->base.state;
  const sfi_bundle *bundle = &b->bundle;
  if (i + ENTRIES_AHEAD < bundle->n) {
    __builtin_prefetch(sfi_state_entry(bundle->keys, 0, 0, bundle->touched[i + ENTRIES_AHEAD].id));
  }
  if (i + SLOTS_AHEAD < bundle->n) {
    int32_t hash = bundle->touched[i + SLOTS_AHEAD].hash;
    __builtin_prefetch(sfi_state_slot_of(state, sf_key_group(hash, state->groups.max) - state->groups.first, hash));
  }
  if (i + KEYS_AHEAD < bundle->n) {
    int32_t hash = bundle->touched[i + KEYS_AHEAD].hash;
    __builtin_prefetch(sfi_state_entry_behind(state, sf_key_group(hash, state->groups.max) - state->groups.first, hash));
  }
}

static sf_status make_places(sfi_bundle_operator *b, sf_error *err) {
  size_t n = sfi_state_table(b->bundle.keys, 0, 0)->used;
  if (n <= b->place_room) return SF_OK;
  void *memory = NULL;
  SF_TRY(sf_pool_realloc(b->base.pool, b->places, 2 * n * sizeof *b->places, &memory, err));
  b->places = memory;
  b->place_room = 2 * n;
  return SF_OK;
}

/* With a store: reads all keys of the bundle together, and then what is in their maps. */
static sf_status read_ahead(sfi_bundle_operator *b, sf_error *err) {
  sf_state *state = b->base.state;
  if (state == NULL || state->cache == NULL) return SF_OK;
  SF_TRY(make_places(b, err));
  for (int64_t i = 0; i < b->bundle.n; i++) {
    sfi_bundle_key at = b->bundle.touched[i];
    fetch_ahead(b, i);
    sfi_region bytes = sfi_bundle_bytes(&b->bundle, at.id);
    SF_TRY(sfi_state_want(state, bytes.data, bytes.size, at.hash, &b->places[at.id], err));
  }
  SF_TRY(sfi_state_read_wanted(state, err));
  for (int64_t i = 0; i < b->bundle.n && state->n_maps > 0; i++) {
    uint32_t id = b->bundle.touched[i].id;
    SF_TRY(b->function->want == NULL ? want_maps(b, id, b->places[id], err) : b->function->want(b, id, b->places[id], err));
  }
  return sfi_state_read_wanted(state, err);
}

static sf_status finish_bundle(sfi_bundle_operator *b, const sf_collector *out, sf_error *err) {
  if (b->bundle.n > 0) {
    sfi_bundle_sort(&b->bundle);
    SF_TRY(read_ahead(b, err));
    SF_TRY(b->function->finish(b, out, err));
  }
  return sfi_bundle_clear(&b->bundle, err);
}

sf_status sfi_bundle_process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  sfi_bundle_operator *b = (sfi_bundle_operator *)op;
  if (op->vtable->open_state != NULL && op->state == NULL) {
    return sf_fail(err, SF_INVALID, "The keyed state of an aggregate is not open");
  }
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
  b->maps.pool = pool;
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

sf_status sfi_bundle_of_accumulators(sfi_bundle_operator *b, int64_t max_rows, sf_error *err) {
  sf_state *keys = NULL;
  SF_TRY(sfi_group_calls_open(&b->calls, sfi_bundle_groups, 0, &keys, err));
  sfi_bundle_init(&b->bundle, b->base.pool, max_rows, keys);
  return SF_OK;
}

void sfi_bundle_operator_drop(sfi_bundle_operator *b) {
  sf_pool *pool = b->base.pool;
  sfi_group_calls_drop(&b->calls);
  sfi_bundle_drop(&b->bundle);
  sfi_bundle_output_drop(&b->output);
  sf_row_writer_destroy(b->key_writer);
  sf_type_release(b->call_input_type);
  sf_pool_free(pool, b->grouping);
  sf_pool_free(pool, b->flat);
  sf_pool_free(pool, b->maps.data);
  sf_pool_free(pool, b->places);
}
