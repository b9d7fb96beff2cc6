/* The state of an operator as a whole: life cycle, memory that is no longer referred to, restoring. */
#include <stdlib.h>

#include "state/cache.h"
#include "state/snapshot_internal.h"
#include "streamfusion/binary_row.h"

/* --- life cycle */

static sf_status copy_array(sf_pool *pool, const void *from, size_t size, const void **out, sf_error *err) {
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(pool, size, &memory, err));
  if (size > 0) memcpy(memory, from, size);
  *out = memory;
  return SF_OK;
}

/* Arrays that are not copied are NULL afterwards. */
static sf_status copy_type(sf_pool *pool, const sfi_record_type *from, sfi_record_type *out, sf_error *err) {
  *out = *from;
  out->fields = NULL;
  out->offsets = NULL;
  out->layouts = NULL;
  const void *memory = NULL;
  SF_TRY(copy_array(pool, from->fields, (size_t)from->n_fields * sizeof *from->fields, &memory, err));
  out->fields = memory;
  SF_TRY(copy_array(pool, from->offsets, (size_t)from->n_cells * sizeof *from->offsets, &memory, err));
  out->offsets = memory;
  SF_TRY(copy_array(pool, from->layouts, (size_t)from->n_cells * sizeof *from->layouts, &memory, err));
  out->layouts = memory;
  return SF_OK;
}

static void drop_type(sf_pool *pool, const sfi_record_type *type) {
  sf_pool_free(pool, (void *)(uintptr_t)type->fields);
  sf_pool_free(pool, (void *)(uintptr_t)type->offsets);
  sf_pool_free(pool, (void *)(uintptr_t)type->layouts);
}

static sf_status zeroed(sf_pool *pool, size_t size, void **out, sf_error *err) {
  SF_TRY(sf_pool_alloc(pool, size, out, err));
  memset(*out, 0, size);
  return SF_OK;
}

static sf_status prepare(sf_state *state, const sfi_record_type *value, const sfi_map_type *maps, sf_error *err) {
  void *memory = NULL;
  SF_TRY(zeroed(state->pool, sizeof *value, &memory, err));
  state->value = memory;
  SF_TRY(copy_type(state->pool, value, memory, err));
  SF_TRY(zeroed(state->pool, (size_t)state->n_maps * sizeof *maps, &memory, err));
  state->maps = memory;
  for (int32_t i = 0; i < state->n_maps; i++) {
    state->maps[i] = maps[i];
    SF_TRY(copy_type(state->pool, &maps[i].record, &state->maps[i].record, err));
  }
  size_t n = (size_t)state->groups.n * (size_t)state->n_tables;
  SF_TRY(zeroed(state->pool, n * sizeof *state->tables, &memory, err));
  state->tables = memory;
  for (size_t i = 0; i < n; i++) state->tables[i].free = SFI_NO_ENTRY;
  return SF_OK;
}

static void destroy(sf_state *state) {
  sf_pool *pool = state->pool;
  sfi_cache_close(state);
  for (int64_t i = 0; state->tables != NULL && i < (int64_t)state->groups.n * state->n_tables; i++) {
    sf_pool_free(pool, state->tables[i].pages);
    sf_pool_free(pool, state->tables[i].index);
    sf_pool_free(pool, state->tables[i].links);
    sf_pool_free(pool, state->tables[i].heads);
    sf_pool_free(pool, state->tables[i].marks);
    sf_pool_free(pool, state->tables[i].complete);
  }
  sf_pool_free(pool, state->tables);
  for (int32_t i = 0; state->maps != NULL && i < state->n_maps; i++) drop_type(pool, &state->maps[i].record);
  sf_pool_free(pool, state->maps);
  if (state->value != NULL) drop_type(pool, state->value);
  sf_pool_free(pool, (void *)(uintptr_t)state->value);
  sf_pool_free(pool, state->retired);
  sfi_slab_destroy(&state->slab);
  pthread_mutex_destroy(&state->lock);
  sf_pool_free(pool, state);
  sf_pool_release(pool);
}

sf_status sfi_state_create(sf_pool *pool, sf_key_groups groups, int64_t ttl, const sfi_record_type *value,
                           int32_t n_maps, const sfi_map_type *maps, sf_state **out, sf_error *err) {
  *out = NULL;
  if (groups.max < 1 || groups.first < 0 || groups.n < 0 || groups.n > groups.max || groups.first > groups.max - groups.n) {
    return sf_fail(err, SF_INVALID, "Key groups %d of %d from %d do not exist", groups.n, groups.max, groups.first);
  }
  void *memory = NULL;
  SF_TRY(zeroed(pool, sizeof(sf_state), &memory, err));
  sf_state *state = memory;
  if (pthread_mutex_init(&state->lock, NULL) != 0) {
    sf_pool_free(pool, memory);
    return sf_fail(err, SF_NOMEM, "No mutex for keyed state");
  }
  state->pool = sf_pool_retain(pool);
  state->references = 1;
  state->groups = groups;
  state->ttl = ttl;
  state->n_maps = n_maps;
  state->n_tables = 1 + n_maps;
  state->newest_live = -1;
  sfi_slab_init(&state->slab, pool);
  sf_status st = prepare(state, value, maps, err);
  if (st != SF_OK) {
    destroy(state);
    return st;
  }
  *out = state;
  return SF_OK;
}

void sfi_state_release(sf_state *state) {
  pthread_mutex_lock(&state->lock);
  bool last = --state->references == 0;
  pthread_mutex_unlock(&state->lock);
  if (last) destroy(state);
}

void sfi_state_close(sf_state *state) {
  if (state != NULL) sfi_state_release(state);
}

static int64_t live_in(const sf_state *state, int32_t from, int32_t to) {
  int64_t n = 0;
  for (int32_t group = 0; group < state->groups.n; group++) {
    for (int32_t table = from; table < to; table++) n += sfi_state_table(state, group, table)->live;
  }
  return n;
}
int64_t sf_state_keys(const sf_state *state) { return live_in(state, 0, 1); }
int64_t sf_state_map_entries(const sf_state *state) { return live_in(state, 1, state->n_tables); }

/* --- memory that only snapshots refer to */

sf_status sfi_state_retire(sf_state *state, void *block, size_t size, sf_error *err) {
  if (state->retired_end == state->retired_room) {
    size_t room = state->retired_room == 0 ? 64 : 2 * state->retired_room;
    void *memory = NULL;
    SF_TRY(sf_pool_realloc(state->pool, state->retired, room * sizeof *state->retired, &memory, err));
    state->retired = memory;
    state->retired_room = room;
  }
  state->retired[state->retired_end++] = (sfi_retired){block, size, state->epoch};
  state->retired_bytes += (int64_t)size;
  return SF_OK;
}

void sfi_state_reclaim(sf_state *state) {
  if (state->newest_live >= 0) {
    pthread_mutex_lock(&state->lock);
    state->newest_live = state->live == NULL ? -1 : state->live->epoch;
    pthread_mutex_unlock(&state->lock);
  }
  if (state->retired_first == state->retired_end) return;
  int64_t oldest = INT64_MAX;
  if (state->newest_live >= 0) {
    pthread_mutex_lock(&state->lock);
    for (const sf_snapshot *s = state->live; s != NULL; s = s->older) oldest = s->epoch;
    pthread_mutex_unlock(&state->lock);
  }
  /* a snapshot refers to what was retired after it was taken */
  while (state->retired_first < state->retired_end && state->retired[state->retired_first].epoch <= oldest) {
    sfi_retired *r = &state->retired[state->retired_first++];
    state->retired_bytes -= (int64_t)r->size;
    sfi_slab_free(&state->slab, r->block, r->size);
  }
  if (state->retired_first == state->retired_end) state->retired_first = state->retired_end = 0;
}

void sfi_state_empty(sf_state *state) {
  for (int64_t i = 0; i < (int64_t)state->groups.n * state->n_tables; i++) {
    sfi_table *t = &state->tables[i];
    if (t->index != NULL) memset(t->index, 0xff, ((size_t)t->index_mask + 1) * sizeof *t->index);
    t->used = t->live = 0;
    t->free = SFI_NO_ENTRY;
  }
  sfi_slab_empty(&state->slab);
  state->retired_first = state->retired_end = 0;
  state->retired_bytes = state->held = 0;
  state->drops++;
}

/* --- restoring */

static sf_status damaged(sf_error *err) {
  return sf_fail(err, SF_CORRUPT, "Restored state is damaged, or of another type than this operator's");
}

/* A part of a composite key: what is read, and what is left. */
typedef struct reader {
  const uint8_t *bytes;
  size_t size;
} reader;

static bool skip(reader *r, size_t n) {
  if (r->size < n) return false;
  r->bytes += n;
  r->size -= n;
  return true;
}

/* i32 size and so many bytes. */
static bool sized(reader *r, reader *out) {
  if (r->size < 4) return false;
  uint32_t n = sfi_get32(r->bytes);
  if (r->size - 4 < n) return false;
  *out = (reader){r->bytes + 4, n};
  return skip(r, 4 + (size_t)n);
}

/* The key of a canonical entry; `r` is left at the user key. The key is added when it is not there. */
static sf_status restore_key(sf_state *state, reader *r, sfi_key *out, sf_error *err) {
  reader row;
  if (!skip(r, state->groups.max > 128 ? 2 : 1) || !sized(r, &row) || row.size < 8 || row.size % 8 != 0) return damaged(err);
  if (r->size < 1 || *r->bytes != 0 || !skip(r, 1)) return damaged(err); /* VoidNamespace */
  int32_t hash = sf_binary_row_hash(row.bytes, row.size);
  SF_TRY(sfi_state_locate(state, row.bytes, row.size, hash, out, err));
  if (out->id != SFI_NO_ENTRY) return SF_OK;
  return sfi_state_insert(state, row.bytes, row.size, hash, out, err);
}

sf_status sfi_state_fill(sf_state *state, int32_t table, sfi_key key, uint32_t id, const uint8_t *bytes, size_t size,
                         sf_error *err) {
  const sfi_record_type *type = sfi_table_type(state, table);
  uint8_t *record = NULL;
  SF_TRY(sfi_state_own(state, key.group, table, id, &record, err));
  if (table == 0) ((sfi_entry *)(void *)record)[-1].owner = SFI_WITH_VALUE;
  sf_status st = sfi_record_decode(type, bytes, size, record, err);
  for (int32_t i = 0; i < type->n_cells; i++) { /* also after a failure: no record refers to foreign bytes */
    if (type->layouts[i] != SF_LAYOUT_VIEW) continue;
    sf_view view;
    uint8_t *cell = record + type->offsets[i];
    memcpy(&view, cell, sizeof view);
    memset(cell, 0, sizeof view);
    if (st == SF_OK) st = sfi_state_set_bytes(state, cell, view, err);
  }
  return st;
}

static sf_status restore_map(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                             reader value, sf_error *err) {
  if (sfi_map_locate(state, map, key, user_key, size) != SFI_NO_ENTRY) return damaged(err);
  uint32_t id = 0;
  SF_TRY(sfi_map_add(state, map, key, user_key, size, &id, err));
  return sfi_state_fill(state, 1 + map, key, id, value.bytes, value.size, err);
}

static sf_status restore_entry(sf_state *state, int32_t index, reader key_bytes, reader value, sf_error *err) {
  sfi_key key;
  SF_TRY(restore_key(state, &key_bytes, &key, err));
  if (index == 0 && sfi_state_has_value(state, key)) return damaged(err);
  if (index == 0) return sfi_state_fill(state, 0, key, key.id, value.bytes, value.size, err);
  for (int32_t map = 0; map < state->n_maps; map++) {
    if (state->maps[map].null_state == index) return restore_map(state, map, key, NULL, SFI_NULL_KEY, value, err);
    if (state->maps[map].entries_state != index) continue;
    if (value.size < 1 || *value.bytes != 0 || !skip(&value, 1)) return damaged(err); /* isNull of a map's value */
    return restore_map(state, map, key, key_bytes.bytes, (uint32_t)key_bytes.size, value, err);
  }
  return sf_fail(err, SF_INVALID, "The operator has no state %d", index);
}

sf_status sf_state_restore(sf_state *state, int32_t index, const uint8_t *entries, size_t size, sf_error *err) {
  reader r = {entries, size};
  if (state->cache != NULL) return sf_fail(err, SF_INVALID, "State that is in a store is not restored here");
  while (r.size > 0) {
    reader key, value;
    if (!sized(&r, &key) || !sized(&r, &value)) return damaged(err);
    SF_TRY(restore_entry(state, index, key, value, err));
  }
  sfi_state_reclaim(state);
  return SF_OK;
}
