/* Entries on their way between a store and memory: reading those that a batch needs, writing those that have changed, making
 * room. */
#include "state/cache.h"

#include <stdlib.h>

/* So many changed entries are written before a checkpoint asks for it, which bounds how long it has to wait. */
#define MOST_CHANGED ((size_t)256 << 10)

/* The part of the budget that is for the store's filter. */
#define FILTER_PART 16
/* Entries of the store that the filter learns at once, and with each row. */
#define LEARNED_FIRST 4096
#define LEARNED_A_ROW 2

/* A failure of the store is final: what has been read or written of a group of entries is not known. */
static sf_status check(sfi_cache *c, sf_status st) {
  c->failed = c->failed || st != SF_OK;
  return st;
}

/* --- life cycle */

sf_status sf_state_use_store(sf_state *state, const sf_store *store, int64_t cache_bytes, sf_error *err) {
  void *memory = NULL;
  sf_status st = SF_OK;
  bool empty = state->cache == NULL;
  for (int64_t i = 0; i < (int64_t)state->groups.n * state->n_tables; i++) empty = empty && state->tables[i].used == 0;
  if (!empty) st = sf_fail(err, SF_INVALID, "Keyed state is in memory already");
  else if (store->n_states != sfi_state_count(state)) {
    st = sf_fail(err, SF_INVALID, "A store of %d states for an operator that has %d", store->n_states, sfi_state_count(state));
  } else {
    st = sf_pool_alloc(state->pool, sizeof(sfi_cache), &memory, err);
  }
  if (st != SF_OK) {
    store->close(store->context);
    return st;
  }
  state->cache = memory;
  *state->cache = (sfi_cache){.store = *store,
                              .budget = cache_bytes - cache_bytes / FILTER_PART,
                              .bytes = {.pool = state->pool},
                              .record = {.pool = state->pool}};
  sfi_store_filter_init(&state->cache->filter, state->pool, (size_t)(cache_bytes / FILTER_PART));
  return check(state->cache, sfi_store_filter_learn(&state->cache->filter, store, LEARNED_FIRST, err));
}

void sfi_cache_close(sf_state *state) {
  sfi_cache *c = state->cache;
  if (c == NULL) return;
  c->store.close(c->store.context);
  sf_pool_free(state->pool, c->changed.at);
  sf_pool_free(state->pool, c->ordered);
  sf_pool_free(state->pool, c->wanted.at);
  sf_pool_free(state->pool, c->bytes.data);
  sf_pool_free(state->pool, c->record.data);
  sf_pool_free(state->pool, c->ends);
  sf_pool_free(state->pool, c->slices);
  sf_pool_free(state->pool, c->indices);
  sf_pool_free(state->pool, c->hashes);
  sfi_store_filter_drop(&c->filter);
  sf_pool_free(state->pool, c);
  state->cache = NULL;
}

sf_cache_counts sf_state_cache_counts(const sf_state *state) {
  if (state->cache == NULL) return (sf_cache_counts){0};
  sf_cache_counts counts = state->cache->counts;
  counts.bytes = state->held;
  return counts;
}

static sf_status usable(const sfi_cache *c, sf_error *err) {
  return c->failed ? sf_fail(err, SF_RUNTIME, "The store of the keyed state has failed before") : SF_OK;
}

static sf_status add_place(sf_state *state, sfi_places *places, sfi_place place, sf_error *err) {
  if (places->n == places->room) {
    size_t room = places->room == 0 ? 64 : 2 * places->room;
    void *memory = NULL;
    SF_TRY(sf_pool_realloc(state->pool, places->at, room * sizeof place, &memory, err));
    places->at = memory;
    places->room = room;
  }
  places->at[places->n++] = place;
  return SF_OK;
}

sf_status sfi_cache_change(sf_state *state, sfi_place place, sf_error *err) {
  SF_TRY(usable(state->cache, err));
  SF_TRY(add_place(state, &state->cache->changed, place, err));
  *sfi_marks(state, place.group, place.table, place.id) |= SFI_MARK_CHANGED | SFI_MARK_USED;
  return SF_OK;
}

sf_status sfi_cache_want(sf_state *state, sfi_place place, sf_error *err) {
  sf_status st = usable(state->cache, err);
  return st != SF_OK ? st : check(state->cache, add_place(state, &state->cache->wanted, place, err));
}

/* --- keys and values */

static const sfi_entry *entry_at(const sf_state *state, sfi_place place) {
  return sfi_state_entry(state, place.group, place.table, place.id);
}
/* The key of an entry, which is its own or that of the map that it is in. */
static sfi_key key_of(const sf_state *state, sfi_place place) {
  return (sfi_key){place.group, place.table == 0 ? place.id : entry_at(state, place)->owner};
}
static int32_t state_of(const sf_state *state, sfi_place place) {
  if (place.table == 0) return 0;
  const sfi_map_type *map = &state->maps[place.table - 1];
  return entry_at(state, place)->key_size == SFI_NULL_KEY ? map->null_state : map->entries_state;
}
static bool has_user_key(const sf_state *state, sfi_place place) {
  return place.table > 0 && entry_at(state, place)->key_size != SFI_NULL_KEY;
}
static bool is_there(const sf_state *state, sfi_place place) {
  if (place.table == 0) return entry_at(state, place)->owner == SFI_WITH_VALUE;
  return (*sfi_marks(state, place.group, place.table, place.id) & SFI_MARK_ABSENT) == 0;
}

/* How far ahead of a list of places their entries are fetched from memory, and then the keys of maps' entries. */
#define ENTRIES_AHEAD 24
#define OWNERS_AHEAD 12

static void fetch_entry(const sf_state *state, const sfi_places *places, size_t i) {
  if (i >= places->n) return;
  sfi_place at = places->at[i];
  sfi_state_fetch(state, at.group, at.table, at.id);
}

static void fetch_owner(const sf_state *state, const sfi_places *places, size_t i) {
  if (i < places->n && places->at[i].table > 0) sfi_state_fetch(state, places->at[i].group, 0, entry_at(state, places->at[i])->owner);
}

static sf_status append(sfi_bytes *b, const uint8_t *bytes, size_t size, sf_error *err) {
  size_t at = b->size;
  SF_TRY(sfi_bytes_extend(b, size, err));
  if (size > 0) memcpy(b->data + at, bytes, size);
  return SF_OK;
}

static sf_status write_prefix(sf_state *state, sfi_key key, sf_error *err) {
  return sfi_write_key(state, key.group, sfi_state_entry(state, key.group, 0, key.id), &state->cache->bytes, err);
}

static sf_status write_whole_key(sf_state *state, sfi_place place, sf_error *err) {
  SF_TRY(write_prefix(state, key_of(state, place), err));
  if (!has_user_key(state, place)) return SF_OK;
  const sfi_entry *entry = entry_at(state, place);
  return append(&state->cache->bytes, sfi_entry_key(entry), entry->key_size, err);
}

static sf_status damaged(sf_error *err) {
  return sf_fail(err, SF_CORRUPT, "A value in the state backend is damaged, or of another type than this operator's");
}

static sf_status fill(sf_state *state, sfi_place place, sf_slice value, sf_error *err) {
  if (has_user_key(state, place)) { /* isNull of a map's value */
    if (value.size < 1 || *value.data != 0) return damaged(err);
    value = (sf_slice){value.data + 1, value.size - 1};
  }
  SF_TRY(sfi_state_fill(state, place.table, key_of(state, place), place.id, value.data, value.size, err));
  uint8_t *marks = sfi_marks(state, place.group, place.table, place.id);
  *marks = (uint8_t)((*marks | SFI_MARK_STORED) & ~SFI_MARK_ABSENT);
  return SF_OK;
}

/* --- reading what is wanted */

static sf_status grow_scratch(sf_state *state, size_t n, sf_error *err) {
  sfi_cache *c = state->cache;
  if (n <= c->scratch_room) return SF_OK;
  void *memory = NULL;
  c->scratch_room = 0;
  SF_TRY(sf_pool_realloc(state->pool, c->ends, n * sizeof *c->ends, &memory, err));
  c->ends = memory;
  SF_TRY(sf_pool_realloc(state->pool, c->slices, n * sizeof *c->slices, &memory, err));
  c->slices = memory;
  SF_TRY(sf_pool_realloc(state->pool, c->indices, n * sizeof *c->indices, &memory, err));
  c->indices = memory;
  SF_TRY(sf_pool_realloc(state->pool, c->hashes, n * sizeof *c->hashes, &memory, err));
  c->hashes = memory;
  c->scratch_room = n;
  return SF_OK;
}

static sf_status take_found(void *to, size_t i, sf_slice value, sf_error *err) {
  sf_state *state = to;
  return fill(state, state->cache->wanted.at[state->cache->indices[i]], value, err);
}

/* The keys of those of one state, one after another. */
static sf_status write_wanted(sf_state *state, int32_t index, size_t *n_out, sf_error *err) {
  sfi_cache *c = state->cache;
  size_t n = 0;
  c->bytes.size = 0;
  for (size_t i = 0; i < c->wanted.n; i++) {
    fetch_entry(state, &c->wanted, i + ENTRIES_AHEAD);
    fetch_owner(state, &c->wanted, i + OWNERS_AHEAD);
    if (state_of(state, c->wanted.at[i]) != index) continue;
    size_t begin = c->bytes.size;
    SF_TRY(write_whole_key(state, c->wanted.at[i], err));
    c->hashes[n] = sfi_store_filter_hash(index, c->bytes.data + begin, c->bytes.size - begin);
    sfi_store_filter_fetch(&c->filter, c->hashes[n]);
    c->indices[n] = i;
    c->ends[n++] = c->bytes.size;
  }
  *n_out = n;
  return SF_OK;
}

/* Those of one state. */
static sf_status read_state(sf_state *state, int32_t index, sf_error *err) {
  sfi_cache *c = state->cache;
  size_t n = 0, begin = 0, n_wanted = 0;
  SF_TRY(write_wanted(state, index, &n_wanted, err));
  for (size_t i = 0; i < n_wanted; begin = c->ends[i++]) {
    if (!sfi_store_filter_may_have(&c->filter, &c->store, c->hashes[i])) continue;
    c->indices[n] = c->indices[i];
    c->slices[n++] = (sf_slice){c->bytes.data + begin, c->ends[i] - begin};
  }
  c->counts.reads += (int64_t)n;
  return n == 0 ? SF_OK : c->store.get(c->store.context, index, n, c->slices, take_found, state, err);
}

/* Nothing of a new key is ever searched for in the store. */
static void complete_new_keys(sf_state *state) {
  const sfi_places *wanted = &state->cache->wanted;
  for (size_t i = 0; i < wanted->n && state->n_maps > 0; i++) {
    sfi_place place = wanted->at[i];
    if (place.table > 0 || is_there(state, place)) continue;
    memset(sfi_map_complete(state, 0, (sfi_key){place.group, place.id}), 1, (size_t)state->n_maps);
  }
}

sf_status sfi_cache_read(sf_state *state, sf_error *err) {
  sfi_cache *c = state->cache;
  if (c->wanted.n == 0) return SF_OK;
  sf_status st = grow_scratch(state, c->wanted.n, err);
  for (int32_t i = 0; st == SF_OK && i < c->store.n_states; i++) st = read_state(state, i, err);
  if (st == SF_OK && state->values_first) complete_new_keys(state);
  c->wanted.n = 0;
  return check(c, st);
}

sf_status sfi_state_read_wanted(sf_state *state, sf_error *err) {
  return state->cache == NULL ? SF_OK : sfi_cache_read(state, err);
}

/* --- maps as a whole */

typedef struct map_scan {
  sf_state *state;
  int32_t map;
  sfi_key key;
  size_t prefix; /* bytes of a key in front of the user key */
  sfi_map_visitor visit;
  void *context;
  bool complete; /* every entry has found room */
} map_scan;

/* Whether the value of a map entry, isNull and all, has expired. */
static sf_status value_expired(map_scan *s, sf_slice value, bool *expired, sf_error *err) {
  const sf_state *state = s->state;
  const sfi_record_type *type = &state->maps[s->map].record;
  *expired = false;
  if (state->ttl <= 0) return SF_OK;
  if (value.size < 1 || *value.data != 0) return damaged(err);
  sfi_bytes *scratch = &s->state->cache->record;
  scratch->size = 0;
  SF_TRY(sfi_bytes_extend(scratch, type->size, err));
  SF_TRY(sfi_record_decode(type, value.data + 1, value.size - 1, scratch->data, err));
  *expired = sfi_record_expired(type, scratch->data, state->ttl, state->now);
  return SF_OK;
}

/* Keeps the entry in memory if there is room, so that the next search need not come here. */
static sf_status keep_scanned(map_scan *s, const uint8_t *user_key, uint32_t size, sf_slice value, sf_error *err) {
  sf_state *state = s->state;
  if (state->held >= state->cache->budget) {
    s->complete = false;
    return SF_OK;
  }
  sfi_place place = {s->key.group, 1 + s->map, SFI_NO_ENTRY};
  SF_TRY(sfi_map_add(state, s->map, s->key, user_key, size, &place.id, err));
  return fill(state, place, value, err);
}

static sf_status visit_scanned(void *to, sf_slice key, sf_slice value, sf_error *err) {
  map_scan *s = to;
  const uint8_t *user_key = key.data + s->prefix;
  uint32_t size = (uint32_t)(key.size - s->prefix);
  if (sfi_map_locate(s->state, s->map, s->key, user_key, size) != SFI_NO_ENTRY) return SF_OK;
  bool expired = false;
  SF_TRY(value_expired(s, value, &expired, err));
  if (!expired) SF_TRY(s->visit(s->context, user_key, size, err));
  return keep_scanned(s, user_key, size, value, err);
}

static sf_status scan_map(map_scan *s, sf_store_entry entry, sf_error *err) {
  sfi_cache *c = s->state->cache;
  SF_TRY(usable(c, err));
  c->bytes.size = 0;
  SF_TRY(write_prefix(s->state, s->key, err));
  s->prefix = c->bytes.size;
  sf_slice prefix = {c->bytes.data, s->prefix};
  return check(c, c->store.scan(c->store.context, s->state->maps[s->map].entries_state, prefix, entry, s, err));
}

/* The entry of the key NULL is read, if there may be one. */
static sf_status read_null_key(sf_state *state, int32_t map, sfi_key key, sf_error *err) {
  if (state->maps[map].null_state < 0) return SF_OK;
  SF_TRY(sfi_map_want(state, map, key, NULL, SFI_NULL_KEY, err));
  return sfi_cache_read(state, err);
}

sf_status sfi_cache_visit(sf_state *state, int32_t map, sfi_key key, sfi_map_visitor visit, void *context, sf_error *err) {
  if (state->maps[map].null_state >= 0) return sf_fail(err, SF_INTERNAL, "A map with the key NULL is not iterated over");
  map_scan s = {.state = state, .map = map, .key = key, .visit = visit, .context = context, .complete = true};
  SF_TRY(scan_map(&s, visit_scanned, err));
  *sfi_map_complete(state, map, key) = s.complete;
  return SF_OK;
}

static sf_status remove_scanned(void *to, sf_slice key, sf_slice value, sf_error *err) {
  map_scan *s = to;
  (void)value;
  uint32_t size = (uint32_t)(key.size - s->prefix);
  if (sfi_map_locate(s->state, s->map, s->key, key.data + s->prefix, size) != SFI_NO_ENTRY) return SF_OK;
  sfi_cache *c = s->state->cache;
  c->counts.writes++;
  return c->store.remove(c->store.context, s->state->maps[s->map].entries_state, key, err);
}

static sf_status remove_map(sf_state *state, int32_t map, sfi_key key, sf_error *err) {
  uint8_t *complete = sfi_map_complete(state, map, key);
  if (!*complete) SF_TRY(read_null_key(state, map, key, err));
  for (uint32_t id = sfi_map_first(state, map, key); id != SFI_NO_ENTRY; id = sfi_map_next(state, map, key, id)) {
    if (is_there(state, (sfi_place){key.group, 1 + map, id})) SF_TRY(sfi_map_remove(state, map, key, id, err));
  }
  if (*complete || state->maps[map].entries_state < 0) return SF_OK;
  map_scan s = {.state = state, .map = map, .key = key};
  SF_TRY(scan_map(&s, remove_scanned, err));
  SF_TRY(check(state->cache, state->cache->store.commit(state->cache->store.context, err)));
  *complete = 1;
  return SF_OK;
}

sf_status sfi_cache_remove(sf_state *state, sfi_key key, sf_error *err) {
  for (int32_t i = 0; i < state->n_maps; i++) SF_TRY(remove_map(state, i, key, err));
  return sfi_state_clear_value(state, key, err);
}

/* --- writing what has changed */

static sf_status write_change(sf_state *state, sfi_place place, sf_error *err) {
  sfi_cache *c = state->cache;
  const sf_store *store = &c->store;
  bool there = is_there(state, place);
  if (!there && (*sfi_marks(state, place.group, place.table, place.id) & SFI_MARK_STORED) == 0) return SF_OK;
  c->bytes.size = 0;
  c->counts.writes++;
  SF_TRY(write_whole_key(state, place, err));
  size_t key_size = c->bytes.size;
  int32_t index = state_of(state, place);
  if (!there) return store->remove(store->context, index, (sf_slice){c->bytes.data, key_size}, err);
  if (has_user_key(state, place)) SF_TRY(sfi_bytes_extend(&c->bytes, 1, err)); /* isNull of a map's value */
  SF_TRY(sfi_record_encode(sfi_table_type(state, place.table), sfi_entry_record(entry_at(state, place)), &c->bytes, err));
  sf_slice key = {c->bytes.data, key_size}, value = {c->bytes.data + key_size, c->bytes.size - key_size};
  SF_TRY(sfi_store_filter_add(&c->filter, sfi_store_filter_hash(index, key.data, key.size), err));
  return store->put(store->context, index, key, value, err);
}

static bool has_entries(const sf_state *state, sfi_key key) {
  for (int32_t i = 0; i < state->n_maps; i++) {
    if (sfi_map_first(state, i, key) != SFI_NO_ENTRY) return true;
  }
  return false;
}

/* The store has what memory has; entries of what is gone have nothing more to say. */
static sf_status settle_change(sf_state *state, sfi_place place, sf_error *err) {
  uint8_t *marks = sfi_marks(state, place.group, place.table, place.id);
  *marks &= (uint8_t) ~(SFI_MARK_CHANGED | SFI_MARK_LISTED | SFI_MARK_STORED);
  if (is_there(state, place)) {
    *marks |= SFI_MARK_STORED;
    return SF_OK;
  }
  sfi_key key = key_of(state, place);
  if (place.table > 0) return sfi_map_drop(state, place.table - 1, key, place.id, err);
  return has_entries(state, key) ? SF_OK : sfi_state_drop(state, key, err);
}

/* A row of numbers begins with eight bytes that are the same for all of its kind. */
static uint64_t begin_of_key(const sfi_entry *entry, int32_t table) {
  uint8_t begin[8] = {0};
  uint32_t skip = table == 0 && entry->key_size >= 16 ? 8 : 0;
  if (entry->key_size == SFI_NULL_KEY) return 0;
  uint32_t size = entry->key_size - skip < 8 ? entry->key_size - skip : 8;
  memcpy(begin, sfi_entry_key(entry) + skip, size);
  uint64_t key = 0;
  for (int i = 0; i < 8; i++) key = key << 8 | begin[i];
  return key;
}

static int by_key(const void *left, const void *right) {
  const sfi_change *a = left, *b = right;
  if (a->table != b->table) return a->table < b->table ? -1 : 1;
  return (a->key > b->key) - (a->key < b->key);
}

/* Puts the changes about in the order of the store's keys, since RocksDB adds to its memtable several times faster what comes
 * after the entry added last. Places stay in the list when their entries have been written alone, and may come again: each is
 * taken once. */
static sf_status order_changes(sf_state *state, size_t *n_out, sf_error *err) {
  sfi_cache *c = state->cache;
  size_t n = 0;
  if (c->changed.n > c->ordered_room) {
    void *memory = NULL;
    SF_TRY(sf_pool_realloc(state->pool, c->ordered, c->changed.room * sizeof *c->ordered, &memory, err));
    c->ordered = memory;
    c->ordered_room = c->changed.room;
  }
  for (size_t i = 0; i < c->changed.n; i++) {
    fetch_entry(state, &c->changed, i + ENTRIES_AHEAD); /* which may have gone, so that its owner is not known */
    sfi_place place = c->changed.at[i];
    uint8_t *marks = sfi_marks(state, place.group, place.table, place.id);
    if ((*marks & (SFI_MARK_CHANGED | SFI_MARK_LISTED)) != SFI_MARK_CHANGED) continue;
    *marks |= SFI_MARK_LISTED;
    const sfi_entry *entry = entry_at(state, place);
    uint32_t owner = place.table == 0 ? 0 : entry->owner;
    c->ordered[n++] = (sfi_change){.table = (uint64_t)place.table << 48 | (uint64_t)place.group << 32 | owner,
                                   .key = begin_of_key(entry, place.table),
                                   .place = place};
  }
  if (n > 1) qsort(c->ordered, n, sizeof *c->ordered, by_key);
  *n_out = n;
  return SF_OK;
}

static void fetch_change(const sf_state *state, const sfi_change *change) {
  sfi_place at = change->place;
  sfi_state_fetch(state, at.group, at.table, at.id);
  if (at.table > 0) sfi_state_fetch(state, at.group, 0, (uint32_t)change->table); /* its owner */
}

static sf_status flush(sf_state *state, sf_error *err) {
  sfi_cache *c = state->cache;
  size_t n = 0;
  SF_TRY(usable(c, err));
  if (c->changed.n == 0) return SF_OK;
  SF_TRY(order_changes(state, &n, err));
  for (size_t i = 0; i < n; i++) {
    if (i + ENTRIES_AHEAD < n) fetch_change(state, &c->ordered[i + ENTRIES_AHEAD]);
    SF_TRY(write_change(state, c->ordered[i].place, err));
  }
  SF_TRY(c->store.commit(c->store.context, err));
  c->counts.flushes++;
  /* Keys come first in that order, and a key may go only when it has no map entries. */
  for (size_t i = n; i-- > 0;) SF_TRY(settle_change(state, c->ordered[i].place, err));
  c->changed.n = 0;
  return SF_OK;
}

sf_status sf_state_flush(sf_state *state, sf_error *err) {
  if (state->cache == NULL) return SF_OK;
  sf_status st = check(state->cache, flush(state, err));
  sfi_state_reclaim(state);
  return st;
}

/* --- making room */

/* Writes an entry that is about to go. */
static sf_status save(sf_state *state, sfi_place place, sf_error *err) {
  uint8_t *marks = sfi_marks(state, place.group, place.table, place.id);
  if ((*marks & SFI_MARK_CHANGED) == 0) return SF_OK;
  SF_TRY(write_change(state, place, err));
  *marks &= (uint8_t)~SFI_MARK_CHANGED;
  state->cache->uncommitted = true;
  return SF_OK;
}

/* A key goes with all that its maps have in memory. */
static sf_status evict_key(sf_state *state, sfi_key key, sf_error *err) {
  for (int32_t map = 0; map < state->n_maps; map++) {
    for (uint32_t id = sfi_map_first(state, map, key); id != SFI_NO_ENTRY; id = sfi_map_next(state, map, key, id)) {
      SF_TRY(save(state, (sfi_place){key.group, 1 + map, id}, err));
    }
  }
  SF_TRY(save(state, (sfi_place){key.group, 0, key.id}, err));
  return sfi_state_drop(state, key, err);
}

static sf_status evict(sf_state *state, sfi_place place, sf_error *err) {
  const sfi_entry *entry = entry_at(state, place);
  if (entry->key_size == SFI_NO_ENTRY) return SF_OK;
  uint8_t *marks = sfi_marks(state, place.group, place.table, place.id);
  if ((*marks & SFI_MARK_USED) != 0) {
    *marks &= (uint8_t)~SFI_MARK_USED;
    return SF_OK;
  }
  sfi_key key = key_of(state, place);
  if (place.table == 0) return evict_key(state, key, err);
  SF_TRY(save(state, place, err));
  if (is_there(state, place)) *sfi_map_complete(state, place.table - 1, key) = 0;
  return sfi_map_drop(state, place.table - 1, key, place.id, err);
}

/* To the next table; false: that was one round more. */
static bool next_table(const sf_state *state, sfi_place *hand) {
  hand->id = 0;
  if (++hand->table < state->n_tables) return true;
  hand->table = 0;
  if (++hand->group < state->groups.n) return true;
  hand->group = 0;
  return false;
}

/* Entries that were not used since the hand has last passed go, until a quarter of the budget is free. Only what goes is written:
 * entries that change all the time stay, and are written once before a checkpoint. */
static sf_status evict_to(sf_state *state, int64_t bytes, sf_error *err) {
  sfi_place *hand = &state->cache->hand;
  for (int rounds = 0; rounds < 3 && state->held > bytes;) {
    if (hand->id < sfi_state_table(state, hand->group, hand->table)->used) {
      sfi_place place = *hand;
      hand->id++;
      SF_TRY(evict(state, place, err));
    } else if (!next_table(state, hand)) {
      rounds++;
    }
  }
  if (!state->cache->uncommitted) return SF_OK;
  state->cache->uncommitted = false;
  return state->cache->store.commit(state->cache->store.context, err);
}

static sf_status trim(sf_state *state, sf_error *err) {
  sfi_cache *c = state->cache;
  if (c->changed.n >= MOST_CHANGED) SF_TRY(check(c, flush(state, err)));
  if (state->held <= c->budget) return SF_OK;
  SF_TRY(usable(c, err));
  return check(c, evict_to(state, c->budget / 4 * 3, err));
}

sf_status sfi_cache_settle(sf_state *state, int64_t rows, sf_error *err) {
  sfi_cache *c = state->cache;
  SF_TRY(trim(state, err));
  if (c->filter.learned == c->store.n_states || rows == 0) return SF_OK;
  SF_TRY(usable(c, err));
  return check(c, sfi_store_filter_learn(&c->filter, &c->store, (size_t)rows * LEARNED_A_ROW, err));
}
