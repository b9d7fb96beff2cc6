/* Taking a view of the state costs a pointer per page; its entries are encoded when they are read, by the thread that
 * reads. What the view refers to does not change: the operator copies pages first, and keeps blocks until views are gone. */
#include "state/snapshot_internal.h"
#include "state/table_internal.h"

#define CHUNK ((size_t)256 << 10)

static size_t pages_of(const sfi_table *t) { return ((size_t)t->used + SFI_PAGE_ENTRIES - 1) / SFI_PAGE_ENTRIES; }

static sf_status copy_tables(sf_snapshot *s, sf_error *err) {
  const sf_state *state = s->state;
  size_t n_tables = (size_t)state->groups.n * (size_t)state->n_tables, n_pages = 0;
  for (size_t i = 0; i < n_tables; i++) n_pages += pages_of(&state->tables[i]);
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(state->pool, n_pages * sizeof *s->pages, &memory, err));
  s->pages = memory;
  SF_TRY(sf_pool_alloc(state->pool, n_tables * sizeof *s->tables, &memory, err));
  s->tables = memory;
  sfi_page **next = s->pages;
  for (size_t i = 0; i < n_tables; i++) {
    const sfi_table *t = &state->tables[i];
    size_t n = pages_of(t);
    s->tables[i] = (sfi_table_view){next, t->used};
    if (n > 0) memcpy(next, t->pages, n * sizeof *next);
    next += n;
  }
  return SF_OK;
}

sf_status sf_state_snapshot(sf_state *state, sf_snapshot **out, sf_error *err) {
  *out = NULL;
  if (state->cache != NULL) return sf_fail(err, SF_INVALID, "State that is in a store has no snapshots of its own");
  sfi_state_reclaim(state);
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(state->pool, sizeof(sf_snapshot), &memory, err));
  sf_snapshot *s = memory;
  *s = (sf_snapshot){.state = state, .epoch = state->epoch, .bytes = {.pool = state->pool}};
  sf_status st = copy_tables(s, err);
  if (st != SF_OK) {
    sf_pool_free(state->pool, s->pages);
    sf_pool_free(state->pool, s);
    return st;
  }
  pthread_mutex_lock(&state->lock);
  s->older = state->live;
  state->live = s;
  state->references++;
  pthread_mutex_unlock(&state->lock);
  state->newest_live = state->epoch++;
  *out = s;
  return SF_OK;
}

void sf_snapshot_release(sf_snapshot *s) {
  if (s == NULL) return;
  sf_state *state = s->state;
  pthread_mutex_lock(&state->lock);
  for (sf_snapshot **at = &state->live; *at != NULL; at = &(*at)->older) {
    if (*at != s) continue;
    *at = s->older;
    break;
  }
  pthread_mutex_unlock(&state->lock);
  sf_pool_free(state->pool, s->pages);
  sf_pool_free(state->pool, s->tables);
  sf_pool_free(state->pool, s->bytes.data);
  sf_pool_free(state->pool, s);
  sfi_state_release(state);
}

/* --- reading */

/* The table that holds a state, and whether the state is that of the user key NULL; -1: none. */
static int32_t table_of(const sf_state *state, int32_t index, bool *null_key) {
  *null_key = false;
  if (index == 0) return 0;
  for (int32_t i = 0; i < state->n_maps; i++) {
    *null_key = state->maps[i].null_state == index;
    if (*null_key || state->maps[i].entries_state == index) return 1 + i;
  }
  return -1;
}

static const sfi_table_view *view_of(const sf_snapshot *s, int32_t table) {
  return &s->tables[(int64_t)s->group * s->state->n_tables + table];
}

static const sfi_entry *entry_of(const sf_snapshot *s, int32_t table, uint32_t id) {
  return sfi_page_entry(view_of(s, table)->pages[id / SFI_PAGE_ENTRIES], sfi_stride(s->state, table), id);
}

static sf_status append(sfi_bytes *b, const void *bytes, size_t size, sf_error *err) {
  size_t at = b->size;
  SF_TRY(sfi_bytes_extend(b, size, err));
  if (size > 0) memcpy(b->data + at, bytes, size);
  return SF_OK;
}

/* The fields of 4 bytes in front of keys and values are filled in when the size is known. */
static sf_status open_size(sfi_bytes *b, size_t *at, sf_error *err) {
  *at = b->size;
  return sfi_bytes_extend(b, 4, err);
}
static void close_size(sfi_bytes *b, size_t at) { sfi_put32(b->data + at, (uint32_t)(b->size - at - 4)); }

sf_status sfi_write_key(const sf_state *state, int32_t group, const sfi_entry *key, sfi_bytes *out, sf_error *err) {
  uint32_t number = (uint32_t)(group + state->groups.first);
  size_t prefix = state->groups.max > 128 ? 2 : 1, at = out->size;
  SF_TRY(sfi_bytes_extend(out, prefix + 4 + key->key_size + 1, err)); /* VoidNamespace is a 0 */
  uint8_t *to = out->data + at;
  if (prefix == 2) *to++ = (uint8_t)(number >> 8);
  *to++ = (uint8_t)number;
  sfi_put32(to, key->key_size);
  memcpy(to + 4, sfi_entry_key(key), key->key_size);
  return SF_OK;
}

static sf_status write_entry(sf_snapshot *s, int32_t table, const sfi_entry *entry, sf_error *err) {
  sfi_bytes *b = &s->bytes;
  bool in_map = table > 0, with_key = in_map && entry->key_size != SFI_NULL_KEY;
  size_t at = b->size, size;
  SF_TRY(sfi_bytes_extend(b, 4, err));
  int32_t group = s->group + s->state->groups.first;
  b->data[at] = (uint8_t)(group >> 8);
  b->data[at + 1] = (uint8_t)group;
  b->data[at + 2] = (uint8_t)(s->index >> 8);
  b->data[at + 3] = (uint8_t)s->index;
  SF_TRY(open_size(b, &size, err));
  SF_TRY(sfi_write_key(s->state, s->group, in_map ? entry_of(s, 0, entry->owner) : entry, b, err));
  if (with_key) SF_TRY(append(b, sfi_entry_key(entry), entry->key_size, err));
  close_size(b, size);
  SF_TRY(open_size(b, &size, err));
  if (with_key) SF_TRY(sfi_bytes_extend(b, 1, err)); /* isNull of a map's value */
  SF_TRY(sfi_record_encode(sfi_table_type(s->state, table), sfi_entry_record(entry), b, err));
  close_size(b, size);
  return SF_OK;
}

/* Entries of the present state of the present key group, until the chunk is full. */
static sf_status read_state(sf_snapshot *s, sf_error *err) {
  bool null_key = false;
  int32_t table = table_of(s->state, s->index, &null_key);
  if (table < 0) return sf_fail(err, SF_INTERNAL, "State %d is missing", s->index);
  uint32_t used = view_of(s, table)->used;
  for (; s->id < used && s->bytes.size < CHUNK; s->id++) {
    const sfi_entry *entry = entry_of(s, table, s->id);
    if (entry->key_size == SFI_NO_ENTRY) continue;
    if (table == 0 && entry->owner == SFI_WITHOUT_VALUE) continue;
    if (table > 0 && (entry->key_size == SFI_NULL_KEY) != null_key) continue;
    SF_TRY(write_entry(s, table, entry, err));
  }
  if (s->id < used) return SF_OK;
  s->id = 0;
  s->index++;
  return SF_OK;
}

int32_t sfi_state_count(const sf_state *state) {
  int32_t n = 1;
  for (int32_t i = 0; i < state->n_maps; i++) n += (state->maps[i].entries_state >= 0) + (state->maps[i].null_state >= 0);
  return n;
}

sf_status sf_snapshot_read(sf_snapshot *s, const uint8_t **bytes_out, size_t *size_out, sf_error *err) {
  *bytes_out = NULL;
  *size_out = 0;
  s->bytes.size = 0;
  int32_t n = sfi_state_count(s->state);
  while (s->group < s->state->groups.n && s->bytes.size < CHUNK) {
    if (s->index < n) {
      SF_TRY(read_state(s, err));
    } else {
      s->index = 0;
      s->group++;
    }
  }
  *bytes_out = s->bytes.data;
  *size_out = s->bytes.size;
  return SF_OK;
}
