/* Entries of one key group: pages of 16, found through a hash index with linear probing. A page that a snapshot refers to
 * is copied before it changes; the index, links and heads are the operator's alone. */
#include "state/cache.h"
#include "streamfusion/binary_row.h"

#define FIRST_INDEX 16
#define NO_OWNER UINT32_MAX /* looks for a key */
#define SWEPT_PER_ROW 5     /* as TtlIncrementalCleanup, which looks at 5 entries at each access */

/* --- index */

static uint32_t place(const sfi_table *t, uint32_t hash) { return (hash * 2654435769u) >> 7 & t->index_mask; }

static void put(sfi_table *t, uint32_t hash, uint32_t id) {
  uint32_t i = place(t, hash);
  while (t->index[i].id != SFI_NO_ENTRY) i = (i + 1) & t->index_mask;
  t->index[i] = (sfi_slot){hash, id};
}

/* Room for one more, at most three quarters full. */
static sf_status grow_index(const sf_state *state, sfi_table *t, sf_error *err) {
  uint32_t size = t->index == NULL ? 0 : t->index_mask + 1;
  if (size > 0 && t->live + 1 <= size / 4 * 3) return SF_OK;
  if (size > UINT32_MAX / 4) return sf_fail(err, SF_LIMIT, "A key group has too many keys");
  uint32_t grown = size == 0 ? FIRST_INDEX : 2 * size;
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(state->pool, (size_t)grown * sizeof(sfi_slot), &memory, err));
  sfi_slot *old = t->index;
  memset(memory, 0xff, (size_t)grown * sizeof(sfi_slot));
  t->index = memory;
  t->index_mask = grown - 1;
  for (uint32_t i = 0; i < size; i++) {
    if (old[i].id != SFI_NO_ENTRY) put(t, old[i].hash, old[i].id);
  }
  sf_pool_free(state->pool, old);
  return SF_OK;
}

/* Takes a slot out and closes the gap. */
static void unindex(sfi_table *t, uint32_t i) {
  for (uint32_t j = (i + 1) & t->index_mask; t->index[j].id != SFI_NO_ENTRY; j = (j + 1) & t->index_mask) {
    uint32_t home = place(t, t->index[j].hash);
    if (((j - home) & t->index_mask) < ((j - i) & t->index_mask)) continue;
    t->index[i] = t->index[j];
    i = j;
  }
  t->index[i].id = SFI_NO_ENTRY;
}

/* --- pages */

/* Makes the page of an entry the operator's own. */
static sf_status own_page(sf_state *state, int32_t table, sfi_table *t, uint32_t id, sfi_page **out, sf_error *err) {
  sfi_page *page = t->pages[id / SFI_PAGE_ENTRIES];
  *out = page;
  if (page->epoch > state->newest_live) return SF_OK;
  size_t size = sizeof *page + SFI_PAGE_ENTRIES * sfi_stride(state, table);
  void *memory = NULL;
  SF_TRY(sfi_slab_alloc(&state->slab, size, &memory, err));
  memcpy(memory, page, size);
  sf_status st = sfi_state_retire(state, page, size, err);
  if (st != SF_OK) {
    sfi_slab_free(&state->slab, memory, size);
    return st;
  }
  *out = t->pages[id / SFI_PAGE_ENTRIES] = memory;
  (*out)->epoch = state->epoch;
  return SF_OK;
}

/* Room beside the pages for ids below `n`. */
static sf_status grow_sides(const sf_state *state, int32_t table, sfi_table *t, uint32_t n, sf_error *err) {
  if (n <= t->side_room) return SF_OK;
  uint32_t room = t->side_room == 0 ? SFI_PAGE_ENTRIES : 2 * t->side_room;
  size_t maps = (size_t)room * (size_t)state->n_maps;
  void *memory = NULL;
  if (table > 0) {
    SF_TRY(sf_pool_realloc(state->pool, t->links, (size_t)room * sizeof *t->links, &memory, err));
    t->links = memory;
  } else if (state->n_maps > 0) {
    SF_TRY(sf_pool_realloc(state->pool, t->heads, maps * sizeof *t->heads, &memory, err));
    t->heads = memory;
  }
  if (state->cache != NULL) {
    SF_TRY(sf_pool_realloc(state->pool, t->marks, room, &memory, err));
    t->marks = memory;
    if (table == 0) SF_TRY(sf_pool_realloc(state->pool, t->complete, maps, &memory, err));
    if (table == 0) t->complete = memory;
  }
  t->side_room = room;
  return SF_OK;
}

static sf_status add_page(sf_state *state, int32_t table, sfi_table *t, sf_error *err) {
  uint32_t n = t->used / SFI_PAGE_ENTRIES;
  if (n == UINT32_MAX / SFI_PAGE_ENTRIES - 1) return sf_fail(err, SF_LIMIT, "A key group has too many keys");
  if (n == t->page_room) {
    uint32_t room = n == 0 ? 4 : 2 * n;
    void *memory = NULL;
    SF_TRY(sf_pool_realloc(state->pool, t->pages, room * sizeof *t->pages, &memory, err));
    t->pages = memory;
    t->page_room = room;
  }
  size_t size = sizeof(sfi_page) + SFI_PAGE_ENTRIES * sfi_stride(state, table);
  void *page = NULL;
  SF_TRY(sfi_slab_alloc(&state->slab, size, &page, err));
  memset(page, 0, size);
  t->pages[n] = page;
  t->pages[n]->epoch = state->epoch;
  for (uint32_t i = 0; i < SFI_PAGE_ENTRIES; i++) {
    sfi_page_entry(page, sfi_stride(state, table), i)->key_size = SFI_NO_ENTRY;
  }
  return SF_OK;
}

/* A free entry, on a page of its own. */
static sf_status take(sf_state *state, int32_t table, sfi_table *t, uint32_t *id, sfi_entry **entry, sf_error *err) {
  sfi_page *page = NULL;
  size_t stride = sfi_stride(state, table);
  if (t->free != SFI_NO_ENTRY) {
    SF_TRY(own_page(state, table, t, t->free, &page, err));
    *id = t->free;
    *entry = sfi_page_entry(page, stride, *id);
    t->free = (*entry)->owner;
    return SF_OK;
  }
  if (t->used % SFI_PAGE_ENTRIES == 0) SF_TRY(add_page(state, table, t, err));
  SF_TRY(grow_sides(state, table, t, t->used + 1, err));
  SF_TRY(own_page(state, table, t, t->used, &page, err));
  *id = t->used++;
  *entry = sfi_page_entry(page, stride, *id);
  return SF_OK;
}

/* --- entries of any table */

static bool is_key(const sfi_entry *entry, const uint8_t *key, uint32_t size, uint32_t owner) {
  return entry->key_size == size && (owner == NO_OWNER || entry->owner == owner) &&
         (size == SFI_NULL_KEY || memcmp(sfi_entry_key(entry), key, size) == 0);
}

/* Slot of an entry, or SFI_NO_ENTRY. */
static uint32_t seek(const sf_state *state, int32_t table, const sfi_table *t, uint32_t hash, const uint8_t *key,
                     uint32_t size, uint32_t owner) {
  if (t->index == NULL) return SFI_NO_ENTRY;
  size_t stride = sfi_stride(state, table);
  for (uint32_t i = place(t, hash);; i = (i + 1) & t->index_mask) {
    sfi_slot slot = t->index[i];
    if (slot.id == SFI_NO_ENTRY) return SFI_NO_ENTRY;
    if (slot.hash != hash) continue;
    if (is_key(sfi_page_entry(t->pages[slot.id / SFI_PAGE_ENTRIES], stride, slot.id), key, size, owner)) return i;
  }
}

static size_t out_of_line(uint32_t key_size) {
  return key_size <= SFI_INLINE_KEY || key_size == SFI_NULL_KEY ? 0 : key_size;
}

/* What an entry takes, with its share of the arrays beside it. */
static int64_t cost(const sf_state *state, int32_t table, uint32_t key_size) {
  return (int64_t)(sfi_stride(state, table) + 2 * sizeof(sfi_slot) + sizeof(sfi_link) + out_of_line(key_size));
}

static sf_status copy_key(sf_state *state, sfi_entry *entry, const uint8_t *key, uint32_t size, sf_error *err) {
  entry->key.bytes = NULL;
  if (size == SFI_NULL_KEY) return SF_OK;
  if (size <= SFI_INLINE_KEY) {
    if (size > 0) memcpy(entry->key.inlined, key, size);
    return SF_OK;
  }
  void *copy = NULL;
  SF_TRY(sfi_slab_alloc(&state->slab, size, &copy, err));
  memcpy(copy, key, size);
  entry->key.bytes = copy;
  return SF_OK;
}

static sf_status insert(sf_state *state, int32_t table, sfi_table *t, uint32_t hash, const uint8_t *key, uint32_t size,
                        uint32_t owner, uint32_t *id_out, sf_error *err) {
  SF_TRY(grow_index(state, t, err));
  uint32_t id = 0;
  sfi_entry *entry = NULL;
  SF_TRY(take(state, table, t, &id, &entry, err));
  memset(sfi_entry_record(entry), 0, sfi_table_type(state, table)->size);
  sf_status st = copy_key(state, entry, key, size, err);
  if (st != SF_OK) {
    entry->owner = t->free;
    t->free = id;
    return st;
  }
  entry->key_size = size;
  entry->owner = owner;
  put(t, hash, id);
  t->live++;
  state->held += cost(state, table, size);
  if (state->cache != NULL) t->marks[id] = SFI_MARK_USED;
  *id_out = id;
  return SF_OK;
}

static sf_status retire_view(sf_state *state, const uint8_t *cell, sf_error *err) {
  sf_view view;
  memcpy(&view, cell, sizeof view);
  if (view.data == NULL) return SF_OK;
  size_t size = (size_t)view.size + view.reserved;
  state->held -= (int64_t)size;
  return sfi_state_retire(state, (void *)(uintptr_t)view.data, size, err);
}

/* Gives up the bytes of a record's views. */
static sf_status retire_views(sf_state *state, int32_t table, const uint8_t *record, sf_error *err) {
  const sfi_record_type *type = sfi_table_type(state, table);
  for (int32_t i = 0; i < type->n_cells; i++) {
    if (type->layouts[i] == SF_LAYOUT_VIEW) SF_TRY(retire_view(state, record + type->offsets[i], err));
  }
  return SF_OK;
}

/* Frees an entry that is no longer in the index. */
static sf_status release(sf_state *state, int32_t table, sfi_table *t, uint32_t id, sf_error *err) {
  sfi_page *page = NULL;
  SF_TRY(own_page(state, table, t, id, &page, err));
  sfi_entry *entry = sfi_page_entry(page, sfi_stride(state, table), id);
  if (entry->key_size > SFI_INLINE_KEY && entry->key_size < SFI_NULL_KEY) {
    SF_TRY(sfi_state_retire(state, (void *)(uintptr_t)entry->key.bytes, entry->key_size, err));
  }
  SF_TRY(retire_views(state, table, sfi_entry_record(entry), err));
  state->held -= cost(state, table, entry->key_size);
  entry->key_size = SFI_NO_ENTRY;
  entry->owner = t->free;
  t->free = id;
  t->live--;
  return SF_OK;
}

sf_status sfi_state_changed(sf_state *state, int32_t group, int32_t table, uint32_t id, sf_error *err) {
  if (state->cache == NULL || (*sfi_marks(state, group, table, id) & SFI_MARK_CHANGED) != 0) return SF_OK;
  return sfi_cache_change(state, (sfi_place){group, table, id}, err);
}

sf_status sfi_state_own(sf_state *state, int32_t group, int32_t table, uint32_t id, uint8_t **record_out, sf_error *err) {
  sfi_page *page = NULL;
  SF_TRY(own_page(state, table, sfi_state_table(state, group, table), id, &page, err));
  *record_out = sfi_entry_record(sfi_page_entry(page, sfi_stride(state, table), id));
  return SF_OK;
}

sf_status sfi_state_write(sf_state *state, int32_t group, int32_t table, uint32_t id, uint8_t **record_out,
                          sf_error *err) {
  SF_TRY(sfi_state_changed(state, group, table, id, err));
  return sfi_state_own(state, group, table, id, record_out, err);
}

sf_status sfi_state_write_value(sf_state *state, sfi_key key, uint8_t **record_out, sf_error *err) {
  SF_TRY(sfi_state_write(state, key.group, 0, key.id, record_out, err));
  ((sfi_entry *)(void *)*record_out)[-1].owner = SFI_WITH_VALUE;
  return SF_OK;
}

sf_status sfi_state_set_bytes(sf_state *state, uint8_t *cell, sf_view view, sf_error *err) {
  void *copy = NULL;
  if (view.size > 0) {
    SF_TRY(sfi_slab_alloc(&state->slab, view.size, &copy, err));
    memcpy(copy, view.data, view.size);
    state->held += view.size;
  }
  sf_status st = retire_view(state, cell, err);
  if (st != SF_OK) {
    if (copy != NULL) {
      sfi_slab_free(&state->slab, copy, view.size);
      state->held -= view.size;
    }
    return st;
  }
  memcpy(cell, &(sf_view){copy, view.size, 0}, sizeof view);
  return SF_OK;
}

static uint8_t *put_parts(uint8_t *to, const sf_view *parts, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if (parts[i].size > 0) memcpy(to, parts[i].data, parts[i].size);
    to += parts[i].size;
  }
  return to;
}

/* Replaces a cell's bytes by a block that has twice the room that they and the parts need. */
static sf_status move_bytes(sf_state *state, uint8_t *cell, sf_view old, size_t size, const sf_view *parts, int32_t n,
                            sf_error *err) {
  size_t room = size > INT32_MAX / 2 ? INT32_MAX : 2 * size;
  void *block = NULL;
  SF_TRY(sfi_slab_alloc(&state->slab, room, &block, err));
  if (old.size > 0) memcpy(block, old.data, old.size);
  put_parts((uint8_t *)block + old.size, parts, n);
  sf_status st = retire_view(state, cell, err);
  if (st != SF_OK) {
    sfi_slab_free(&state->slab, block, room);
    return st;
  }
  state->held += (int64_t)room;
  memcpy(cell, &(sf_view){block, (uint32_t)size, (uint32_t)(room - size)}, sizeof old);
  return SF_OK;
}

sf_status sfi_state_append_bytes(sf_state *state, uint8_t *cell, const sf_view *parts, int32_t n, sf_error *err) {
  sf_view view;
  memcpy(&view, cell, sizeof view);
  size_t more = 0;
  for (int32_t i = 0; i < n; i++) more += parts[i].size;
  if (more == 0) return SF_OK;
  size_t size = view.size + more;
  if (size > INT32_MAX) return sf_fail(err, SF_RUNTIME, "A value of keyed state gets too large: %zu bytes", size);
  if (view.reserved < more) return move_bytes(state, cell, view, size, parts, n, err);
  put_parts((uint8_t *)(uintptr_t)view.data + view.size, parts, n);
  view.size = (uint32_t)size;
  view.reserved -= (uint32_t)more;
  memcpy(cell, &view, sizeof view);
  return SF_OK;
}

/* --- keys */

sf_status sfi_state_locate(const sf_state *state, const uint8_t *key, size_t size, int32_t hash, sfi_key *out,
                           sf_error *err) {
  *out = (sfi_key){sf_key_group(hash, state->groups.max) - state->groups.first, SFI_NO_ENTRY};
  if (out->group < 0 || out->group >= state->groups.n) {
    return sf_fail(err, SF_INVALID, "A row of key group %d has come to key groups %d to %d",
                   out->group + state->groups.first, state->groups.first, state->groups.first + state->groups.n - 1);
  }
  const sfi_table *t = sfi_state_table(state, out->group, 0);
  uint32_t slot = seek(state, 0, t, (uint32_t)hash, key, (uint32_t)size, NO_OWNER);
  if (slot != SFI_NO_ENTRY) out->id = t->index[slot].id;
  return SF_OK;
}

static const sfi_table *index_of(const sf_state *state, int32_t group, int32_t table) {
  if (group < 0 || group >= state->groups.n) return NULL;
  const sfi_table *t = sfi_state_table(state, group, table);
  return t->index == NULL ? NULL : t;
}

static const void *slot_of(const sf_state *state, int32_t group, int32_t table, uint32_t hash) {
  const sfi_table *t = index_of(state, group, table);
  return t == NULL ? NULL : &t->index[place(t, hash)];
}

static const void *entry_behind(const sf_state *state, int32_t group, int32_t table, uint32_t hash) {
  const sfi_table *t = index_of(state, group, table);
  uint32_t id = t == NULL ? SFI_NO_ENTRY : t->index[place(t, hash)].id;
  return id == SFI_NO_ENTRY ? NULL : sfi_page_entry(t->pages[id / SFI_PAGE_ENTRIES], sfi_stride(state, table), id);
}

const void *sfi_state_slot_of(const sf_state *state, int32_t group, int32_t hash) {
  return slot_of(state, group, 0, (uint32_t)hash);
}
const void *sfi_state_entry_behind(const sf_state *state, int32_t group, int32_t hash) {
  return entry_behind(state, group, 0, (uint32_t)hash);
}
const void *sfi_map_slot_of(const sf_state *state, int32_t map, int32_t group, uint32_t hash) {
  return slot_of(state, group, 1 + map, hash);
}
const void *sfi_map_entry_behind(const sf_state *state, int32_t map, int32_t group, uint32_t hash) {
  return entry_behind(state, group, 1 + map, hash);
}

bool sfi_state_is_at(const sf_state *state, const uint8_t *key, size_t size, sfi_key place) {
  return place.id != SFI_NO_ENTRY &&
         is_key(sfi_state_entry(state, place.group, 0, place.id), key, (uint32_t)size, NO_OWNER);
}

sf_status sfi_state_want(sf_state *state, const uint8_t *key, size_t size, int32_t hash, sfi_key *out, sf_error *err) {
  SF_TRY(sfi_state_locate(state, key, size, hash, out, err));
  if (state->cache == NULL) return SF_OK;
  if (out->id != SFI_NO_ENTRY) {
    *sfi_marks(state, out->group, 0, out->id) |= SFI_MARK_USED;
    state->cache->counts.hits++;
    return SF_OK;
  }
  SF_TRY(sfi_state_insert(state, key, size, hash, out, err));
  return sfi_cache_want(state, (sfi_place){out->group, 0, out->id}, err);
}

sf_status sfi_state_find(sf_state *state, const uint8_t *key, size_t size, int32_t hash, sfi_key *out, sf_error *err) {
  SF_TRY(sfi_state_locate(state, key, size, hash, out, err));
  if (state->cache == NULL) return SF_OK;
  if (out->id != SFI_NO_ENTRY) {
    *sfi_marks(state, out->group, 0, out->id) |= SFI_MARK_USED;
    return SF_OK;
  }
  SF_TRY(sfi_state_insert(state, key, size, hash, out, err));
  SF_TRY(sfi_cache_want(state, (sfi_place){out->group, 0, out->id}, err));
  return sfi_cache_read(state, err);
}

sf_status sfi_state_insert(sf_state *state, const uint8_t *key, size_t size, int32_t hash, sfi_key *key_io,
                           sf_error *err) {
  sfi_table *t = sfi_state_table(state, key_io->group, 0);
  uint32_t id = 0;
  SF_TRY(insert(state, 0, t, (uint32_t)hash, key, (uint32_t)size, SFI_WITHOUT_VALUE, &id, err));
  for (int32_t i = 0; i < state->n_maps; i++) t->heads[(int64_t)id * state->n_maps + i] = SFI_NO_ENTRY;
  key_io->id = id;
  for (int32_t i = 0; i < state->n_maps && state->cache != NULL; i++) *sfi_map_complete(state, i, *key_io) = 0;
  return SF_OK;
}

sf_status sfi_state_clear_value(sf_state *state, sfi_key key, sf_error *err) {
  uint8_t *record = NULL;
  SF_TRY(sfi_state_write(state, key.group, 0, key.id, &record, err));
  SF_TRY(retire_views(state, 0, record, err));
  memset(record, 0, state->value->size);
  ((sfi_entry *)(void *)record)[-1].owner = SFI_WITHOUT_VALUE;
  return SF_OK;
}

/* --- maps */

uint32_t sfi_map_hash(uint32_t owner, const uint8_t *key, uint32_t size) {
  uint64_t h = sfi_fold((uint64_t)owner << 32 | size, UINT64_C(0x9e3779b97f4a7c15));
  for (uint32_t i = 0; size != SFI_NULL_KEY && i < size; i += 8) {
    uint64_t word = 0;
    memcpy(&word, key + i, size - i < 8 ? size - i : 8);
    h = sfi_fold(h ^ word, UINT64_C(0xff51afd7ed558ccd));
  }
  return (uint32_t)(h ^ h >> 32);
}

uint32_t sfi_map_locate(const sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size) {
  const sfi_table *t = sfi_state_table(state, key.group, 1 + map);
  uint32_t slot = seek(state, 1 + map, t, sfi_map_hash(key.id, user_key, size), user_key, size, key.id);
  return slot == SFI_NO_ENTRY ? SFI_NO_ENTRY : t->index[slot].id;
}

static bool is_absent(const sf_state *state, int32_t map, sfi_key key, uint32_t id) {
  return state->cache != NULL && (*sfi_marks(state, key.group, 1 + map, id) & SFI_MARK_ABSENT) != 0;
}

static uint32_t *head_of(const sf_state *state, int32_t map, sfi_key key) {
  return &sfi_state_table(state, key.group, 0)->heads[(int64_t)key.id * state->n_maps + map];
}

sf_status sfi_map_add(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size, uint32_t *id_out,
                      sf_error *err) {
  sfi_table *t = sfi_state_table(state, key.group, 1 + map);
  SF_TRY(insert(state, 1 + map, t, sfi_map_hash(key.id, user_key, size), user_key, size, key.id, id_out, err));
  uint32_t *head = head_of(state, map, key);
  t->links[*id_out] = (sfi_link){SFI_NO_ENTRY, *head};
  if (*head != SFI_NO_ENTRY) t->links[*head].previous = *id_out;
  *head = *id_out;
  return SF_OK;
}

/* `place`: where it was looked for, not found. */
static sf_status insert_at(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size, uint32_t place,
                           uint32_t *id_out, sf_error *err) {
  *id_out = place;
  if (state->cache == NULL || place == SFI_NO_ENTRY) SF_TRY(sfi_map_add(state, map, key, user_key, size, id_out, err));
  if (state->cache == NULL) return SF_OK;
  uint8_t *record = NULL;
  SF_TRY(sfi_state_write(state, key.group, 1 + map, *id_out, &record, err));
  SF_TRY(retire_views(state, 1 + map, record, err)); /* what was removed has left its value */
  memset(record, 0, state->maps[map].record.size);
  *sfi_marks(state, key.group, 1 + map, *id_out) &= (uint8_t)~SFI_MARK_ABSENT;
  return SF_OK;
}

sf_status sfi_map_insert(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                         uint32_t *id_out, sf_error *err) {
  uint32_t place = state->cache == NULL ? SFI_NO_ENTRY : sfi_map_locate(state, map, key, user_key, size);
  return insert_at(state, map, key, user_key, size, place, id_out, err);
}

sf_status sfi_map_drop(sf_state *state, int32_t map, sfi_key key, uint32_t id, sf_error *err) {
  sfi_table *t = sfi_state_table(state, key.group, 1 + map);
  const sfi_entry *entry = sfi_state_entry(state, key.group, 1 + map, id);
  const uint8_t *user_key = sfi_entry_key(entry);
  uint32_t size = entry->key_size;
  uint32_t slot = seek(state, 1 + map, t, sfi_map_hash(key.id, user_key, size), user_key, size, key.id);
  if (slot == SFI_NO_ENTRY) return sf_fail(err, SF_INTERNAL, "An entry of a map is not where it should be");
  unindex(t, slot);
  sfi_link link = t->links[id];
  if (link.previous == SFI_NO_ENTRY) *head_of(state, map, key) = link.next;
  else t->links[link.previous].next = link.next;
  if (link.next != SFI_NO_ENTRY) t->links[link.next].previous = link.previous;
  return release(state, 1 + map, t, id, err);
}

sf_status sfi_map_remove(sf_state *state, int32_t map, sfi_key key, uint32_t id, sf_error *err) {
  if (state->cache == NULL) return sfi_map_drop(state, map, key, id, err);
  *sfi_marks(state, key.group, 1 + map, id) |= SFI_MARK_ABSENT;
  return sfi_state_changed(state, key.group, 1 + map, id, err);
}

sf_status sfi_state_drop(sf_state *state, sfi_key key, sf_error *err) {
  for (int32_t i = 0; i < state->n_maps; i++) {
    uint32_t id;
    while ((id = sfi_map_first(state, i, key)) != SFI_NO_ENTRY) SF_TRY(sfi_map_drop(state, i, key, id, err));
  }
  sfi_table *t = sfi_state_table(state, key.group, 0);
  const sfi_entry *entry = sfi_state_entry(state, key.group, 0, key.id);
  const uint8_t *bytes = sfi_entry_key(entry);
  uint32_t hash = (uint32_t)sf_binary_row_hash(bytes, entry->key_size);
  uint32_t slot = seek(state, 0, t, hash, bytes, entry->key_size, NO_OWNER);
  if (slot == SFI_NO_ENTRY) return sf_fail(err, SF_INTERNAL, "A key is not where it should be");
  unindex(t, slot);
  state->drops++;
  return release(state, 0, t, key.id, err);
}

sf_status sfi_state_remove(sf_state *state, sfi_key key, sf_error *err) {
  return state->cache == NULL ? sfi_state_drop(state, key, err) : sfi_cache_remove(state, key, err);
}

static sf_status want_entry(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                            uint32_t *id_out, sf_error *err) {
  SF_TRY(sfi_map_add(state, map, key, user_key, size, id_out, err));
  *sfi_marks(state, key.group, 1 + map, *id_out) |= SFI_MARK_ABSENT;
  return sfi_cache_want(state, (sfi_place){key.group, 1 + map, *id_out}, err);
}

sf_status sfi_map_want(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size, sf_error *err) {
  if (state->cache == NULL || *sfi_map_complete(state, map, key)) return SF_OK;
  uint32_t id = sfi_map_locate(state, map, key, user_key, size);
  return id != SFI_NO_ENTRY ? SF_OK : want_entry(state, map, key, user_key, size, &id, err);
}

sf_status sfi_map_want_place(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                             uint32_t *id_out, sf_error *err) {
  *id_out = sfi_map_locate(state, map, key, user_key, size);
  if (*id_out != SFI_NO_ENTRY || state->cache == NULL || *sfi_map_complete(state, map, key)) return SF_OK;
  return want_entry(state, map, key, user_key, size, id_out, err);
}

/* What stands at a place that has been located: *live_out is that, or SFI_NO_ENTRY where it is absent or has expired. */
static sf_status live_at(sf_state *state, int32_t map, sfi_key key, uint32_t id, uint32_t *live_out, sf_error *err) {
  *live_out = SFI_NO_ENTRY;
  if (state->cache != NULL) *sfi_marks(state, key.group, 1 + map, id) |= SFI_MARK_USED;
  if (is_absent(state, map, key, id)) return SF_OK;
  if (sfi_state_expired(state, key.group, 1 + map, id)) return sfi_map_remove(state, map, key, id, err);
  *live_out = id;
  return SF_OK;
}

sf_status sfi_map_find_at(sf_state *state, int32_t map, sfi_key key, uint32_t place, uint32_t *id_out, sf_error *err) {
  if (place != SFI_NO_ENTRY) return live_at(state, map, key, place, id_out, err);
  *id_out = SFI_NO_ENTRY;
  return SF_OK;
}

sf_status sfi_map_find_live(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                            uint32_t *id_out, sf_error *err) {
  SF_TRY(sfi_map_want_place(state, map, key, user_key, size, id_out, err));
  SF_TRY(sfi_state_read_wanted(state, err));
  return sfi_map_find_at(state, map, key, *id_out, id_out, err);
}

sf_status sfi_map_upsert_at(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size, uint32_t place,
                            uint32_t *id_out, bool *added_out, sf_error *err) {
  SF_TRY(sfi_map_find_at(state, map, key, place, id_out, err));
  *added_out = *id_out == SFI_NO_ENTRY;
  return *added_out ? insert_at(state, map, key, user_key, size, place, id_out, err) : SF_OK;
}

sf_status sfi_map_upsert(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size, uint32_t *id_out,
                         bool *added_out, sf_error *err) {
  uint32_t place = SFI_NO_ENTRY;
  SF_TRY(sfi_map_want_place(state, map, key, user_key, size, &place, err));
  SF_TRY(sfi_state_read_wanted(state, err));
  return sfi_map_upsert_at(state, map, key, user_key, size, place, id_out, added_out, err);
}

sf_status sfi_map_visit(sf_state *state, int32_t map, sfi_key key, sfi_map_visitor visit, void *context, sf_error *err) {
  for (uint32_t id = sfi_map_first(state, map, key); id != SFI_NO_ENTRY; id = sfi_map_next(state, map, key, id)) {
    if (is_absent(state, map, key, id) || sfi_state_expired(state, key.group, 1 + map, id)) continue;
    const sfi_entry *entry = sfi_state_entry(state, key.group, 1 + map, id);
    SF_TRY(visit(context, sfi_entry_key(entry), entry->key_size, err));
  }
  if (state->cache == NULL || *sfi_map_complete(state, map, key)) return SF_OK;
  return sfi_cache_visit(state, map, key, visit, context, err);
}

/* --- time to live */

static bool has_map_entries(const sf_state *state, sfi_key key) {
  for (int32_t i = 0; i < state->n_maps; i++) {
    if (sfi_map_first(state, i, key) != SFI_NO_ENTRY) return true;
  }
  return false;
}

static sf_status sweep_entry(sf_state *state, int32_t group, int32_t table, uint32_t id, sf_error *err) {
  const sfi_entry *entry = sfi_state_entry(state, group, table, id);
  if (entry->key_size == SFI_NO_ENTRY) return SF_OK;
  bool expired = sfi_state_expired(state, group, table, id);
  if (table > 0) {
    return expired ? sfi_map_drop(state, table - 1, (sfi_key){group, entry->owner}, id, err) : SF_OK;
  }
  sfi_key key = {group, id};
  if (entry->owner == SFI_WITH_VALUE && !expired) return SF_OK;
  if (!has_map_entries(state, key)) return sfi_state_drop(state, key, err);
  return entry->owner == SFI_WITH_VALUE ? sfi_state_clear_value(state, key, err) : SF_OK;
}

/* Looks at the next n entries or so, going round for ever, and removes those that have expired. */
static sf_status sweep(sf_state *state, int64_t n, sf_error *err) {
  for (int64_t i = 0; i < n; i++) { /* the end of a table counts like an entry */
    if (state->sweep_id < sfi_state_table(state, state->sweep_group, state->sweep_table)->used) {
      SF_TRY(sweep_entry(state, state->sweep_group, state->sweep_table, state->sweep_id++, err));
      continue;
    }
    state->sweep_id = 0;
    if (++state->sweep_table < state->n_tables) continue;
    state->sweep_table = 0;
    if (++state->sweep_group == state->groups.n) state->sweep_group = 0;
  }
  return SF_OK;
}

sf_status sfi_state_settle(sf_state *state, int64_t rows, sf_error *err) {
  if (state->cache != NULL) return sfi_cache_settle(state, rows, err); /* what expires in a store is the store's business */
  return state->ttl > 0 ? sweep(state, SWEPT_PER_ROW * rows, err) : SF_OK;
}
