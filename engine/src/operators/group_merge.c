/* Accumulators between the phases of an aggregate: flat for their way, and merged as the handlers that Flink generates do it.
 * A map in bytes has, entry by entry: u32 size of the value (SFI_NULL_KEY: NULL), the value as a user key, its longs. */
#include "operators/group_calls.h"
#include "state/table_internal.h"

/* --- flat */

int32_t sfi_group_flat_size(const sfi_group_calls *g) {
  int32_t n = g->n_views;
  for (int32_t i = 0; i < g->n_calls; i++) n += g->calls[i].n_cells + g->calls[i].n_maps;
  return n;
}

static bool has_layout(const sf_type *type, int32_t column, sf_layout layout) {
  return type->children[column]->layout == layout;
}

sf_status sfi_group_check_flat(const sfi_group_calls *g, const sf_type *type, int32_t first, bool with_views,
                               sf_error *err) {
  int32_t n = sfi_group_flat_size(g) - (with_views ? 0 : g->n_views);
  if (type->n_children != first + n) {
    return sf_fail(err, SF_INVALID, "%d accumulators in %d columns", n, type->n_children - first);
  }
  bool fits = true;
  int32_t column = first;
  for (int32_t i = 0; i < g->n_calls; i++) {
    const sfi_aggregate *a = &g->calls[i];
    if (!sfi_aggregate_merges(a)) return sf_fail(err, SF_UNSUPPORTED, "Aggregate %d in phases", (int)a->kind);
    for (int32_t k = 0; k < a->n_cells; k++) fits = has_layout(type, column++, a->types[k]->layout) && fits;
    if (a->n_maps > 0) fits = has_layout(type, column++, SF_LAYOUT_VIEW) && fits;
  }
  while (column < first + n) fits = has_layout(type, column++, SF_LAYOUT_VIEW) && fits;
  return fits ? SF_OK : sf_fail(err, SF_INVALID, "Accumulators are not those of their columns");
}

/* Appends the entries of the key's map; *flat gets their place as long as the bytes may move. */
static sf_status flatten_map(const sfi_accumulators *acc, int32_t map, sfi_bytes *maps, sfi_scalar *flat, sf_error *err) {
  size_t from = maps->size;
  const sfi_record_type *type = sfi_table_type(acc->state, 1 + map);
  size_t longs = (size_t)type->n_cells * sizeof(int64_t);
  for (uint32_t id = sfi_map_first(acc->state, map, acc->key); id != SFI_NO_ENTRY;
       id = sfi_map_next(acc->state, map, acc->key, id)) {
    const sfi_entry *entry = sfi_state_entry(acc->state, acc->key.group, 1 + map, id);
    uint32_t size = entry->key_size == SFI_NULL_KEY ? 0 : entry->key_size;
    size_t at = maps->size;
    SF_TRY(sfi_bytes_extend(maps, sizeof size + size + longs, err));
    memcpy(maps->data + at, &entry->key_size, sizeof size);
    if (size > 0) memcpy(maps->data + at + sizeof size, sfi_entry_key(entry), size);
    memcpy(maps->data + at + sizeof size + size, sfi_entry_record(entry) + type->offsets[0], longs);
  }
  if (maps->size - from > INT32_MAX) return sf_fail(err, SF_RUNTIME, "A map of %zu bytes is too large", maps->size - from);
  *flat = (sfi_scalar){.v = {.data = NULL, .size = (uint32_t)(maps->size - from)}};
  return SF_OK;
}

static sf_status flatten(const sfi_group_calls *g, const sfi_accumulators *acc, int32_t n_views, sfi_bytes *maps,
                         sfi_scalar *flat, sf_error *err) {
  maps->size = 0;
  int32_t n = 0;
  for (int32_t i = 0; i < g->n_calls; i++) {
    const sfi_aggregate *a = &g->calls[i];
    for (int32_t k = 0; k < a->n_cells; k++) {
      flat[n++] = sfi_scalar_load(acc->record, a->cells[k], a->offsets[k], a->types[k]->layout);
    }
    if (a->n_maps > 0) SF_TRY(flatten_map(acc, a->maps[0], maps, &flat[n++], err));
  }
  for (int32_t i = 0; i < n_views; i++) SF_TRY(flatten_map(acc, i, maps, &flat[n++], err));
  const uint8_t *at = maps->data; /* which moves no more */
  n = 0;
  for (int32_t i = 0; i < g->n_calls; i++) {
    n += g->calls[i].n_cells;
    if (g->calls[i].n_maps == 0) continue;
    flat[n].v.data = at;
    at += flat[n++].v.size;
  }
  for (int32_t i = 0; i < n_views; i++) {
    flat[n].v.data = at;
    at += flat[n++].v.size;
  }
  return SF_OK;
}

sf_status sfi_group_flatten(const sfi_group_calls *g, const sfi_accumulators *acc, sfi_bytes *maps, sfi_scalar *flat,
                            sf_error *err) {
  return flatten(g, acc, g->n_views, maps, flat, err);
}

sf_status sfi_group_flatten_calls(const sfi_group_calls *g, const sfi_accumulators *acc, sfi_bytes *maps, sfi_scalar *flat,
                                  sf_error *err) {
  return flatten(g, acc, 0, maps, flat, err);
}

/* --- merge */

typedef struct map_reader {
  const uint8_t *next;
  const uint8_t *end;
  int32_t n_longs;
  /* the entry that has been read */
  const uint8_t *key;
  uint32_t key_size;   /* or SFI_NULL_KEY */
  const uint8_t *longs;
} map_reader;

static map_reader read_map(const sfi_scalar *bytes, int32_t n_longs) {
  if (bytes->null || bytes->v.size == 0) return (map_reader){.n_longs = n_longs};
  return (map_reader){.next = bytes->v.data, .end = (const uint8_t *)bytes->v.data + bytes->v.size, .n_longs = n_longs};
}

static sf_status next_entry(map_reader *r, bool *more, sf_error *err) {
  *more = r->next != r->end;
  if (!*more) return SF_OK;
  size_t left = (size_t)(r->end - r->next), longs = (size_t)r->n_longs * sizeof(int64_t);
  if (left >= sizeof r->key_size) memcpy(&r->key_size, r->next, sizeof r->key_size);
  size_t size = left < sizeof r->key_size ? SIZE_MAX : r->key_size == SFI_NULL_KEY ? 0 : r->key_size;
  if (size > left || left - size < sizeof r->key_size + longs) {
    return sf_fail(err, SF_CORRUPT, "The accumulator of a DISTINCT or of a MIN or MAX is damaged");
  }
  r->key = r->next + sizeof r->key_size;
  r->longs = r->key + size;
  r->next = r->longs + longs;
  return SF_OK;
}

static int64_t entry_long(const map_reader *r, int32_t i) {
  int64_t v;
  memcpy(&v, r->longs + (size_t)i * sizeof v, sizeof v);
  return v;
}

static sf_status add_entry(sfi_group_calls *g, int64_t i, sfi_counted_value entry, sf_error *err) {
  if (i == g->entry_room) {
    int64_t room = g->entry_room == 0 ? 64 : 2 * g->entry_room;
    void *memory = NULL;
    SF_TRY(sf_pool_realloc(g->pool, g->entries, (size_t)room * sizeof *g->entries, &memory, err));
    g->entries = memory;
    g->entry_room = room;
  }
  g->entries[i] = entry;
  return SF_OK;
}

static sf_status merge_call(sfi_group_calls *g, const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *flat,
                            sf_error *err) {
  int64_t n = 0;
  if (a->n_maps > 0) {
    map_reader r = read_map(&flat[a->n_cells], 1);
    bool more = false;
    SF_TRY(next_entry(&r, &more, err));
    for (; more; n++) {
      sfi_counted_value entry = {.count = entry_long(&r, 0)};
      if (r.key_size == SFI_NULL_KEY) return sf_fail(err, SF_CORRUPT, "A MIN or MAX has counted NULL");
      SF_TRY(sfi_scalar_decode(a->arg_type, r.key, r.key_size, &entry.value, err));
      SF_TRY(add_entry(g, n, entry, err));
      SF_TRY(next_entry(&r, &more, err));
    }
  }
  return sfi_aggregate_merge(a, acc, flat, g->entries, n, err);
}

/* DistinctAggCodeGen's foreachMerge without retraction: bits of the calls that have seen the value. */
static sf_status merge_bits(const sfi_group_calls *g, const sfi_distinct_view *v, const sfi_accumulators *acc,
                            const sfi_scalar *value, int64_t *seen, const map_reader *other, bool *changed, sf_error *err) {
  uint64_t fresh = (uint64_t)entry_long(other, 0) & ~(uint64_t)*seen;
  for (int32_t i = 0; i < v->n_calls; i++) {
    if ((fresh >> i & 1) == 0) continue;
    *changed = true;
    SF_TRY(sfi_aggregate_accumulate(&g->calls[v->calls[i]], acc, value, err));
  }
  *seen = (int64_t)((uint64_t)*seen | fresh);
  return SF_OK;
}

/* The same with retraction: counts of the value by call. */
static sf_status merge_counts(const sfi_group_calls *g, const sfi_distinct_view *v, const sfi_accumulators *acc,
                              const sfi_scalar *value, int64_t *seen, const map_reader *other, sf_error *err) {
  for (int32_t i = 0; i < v->n_calls; i++) {
    const sfi_aggregate *a = &g->calls[v->calls[i]];
    int64_t merged = (int64_t)((uint64_t)seen[i] + (uint64_t)entry_long(other, i));
    if (merged <= 0 && seen[i] > 0) SF_TRY(sfi_aggregate_retract(a, acc, value, err));
    if (merged > 0 && seen[i] <= 0) SF_TRY(sfi_aggregate_accumulate(a, acc, value, err));
    seen[i] = merged;
  }
  return SF_OK;
}

/* A value stays in the map of several calls when all its counts are 0: the generated code looks at a flag that starts false. */
static sf_status merge_entry(sfi_group_calls *g, int32_t map, const sfi_accumulators *acc, const sfi_accumulators *views,
                             const map_reader *other, uint32_t place, sf_error *err) {
  const sfi_distinct_view *v = &g->views[map];
  sf_state *state = views->state;
  const sfi_record_type *type = sfi_table_type(state, 1 + map);
  sfi_scalar value = {.w = 0, .null = true};
  if (other->key_size != SFI_NULL_KEY) SF_TRY(sfi_scalar_decode(v->type, other->key, other->key_size, &value, err));
  uint32_t id = SFI_NO_ENTRY;
  bool changed = g->retracts, added = false;
  SF_TRY(sfi_map_upsert_at(state, map, views->key, other->key, other->key_size, place, &id, &added, err));
  uint8_t *record = NULL;
  SF_TRY(sfi_state_write(state, views->key.group, 1 + map, id, &record, err));
  int64_t *seen = (int64_t *)(void *)(record + type->offsets[0]);
  if (g->retracts) SF_TRY(merge_counts(g, v, acc, &value, seen, other, err));
  else SF_TRY(merge_bits(g, v, acc, &value, seen, other, &changed, err));
  bool empty = g->retracts && v->n_calls == 1 && seen[0] == 0;
  if (empty || (added && !changed)) return sfi_map_remove(state, map, views->key, id, err);
  if (changed) sfi_record_stamp(type, record, state->now);
  return SF_OK;
}

static sf_status merge_view(sfi_group_calls *g, int32_t map, const sfi_accumulators *acc, const sfi_accumulators *views,
                            const sfi_scalar *bytes, sf_error *err) {
  map_reader r = read_map(bytes, g->retracts ? g->views[map].n_calls : 1);
  bool more = false;
  SF_TRY(next_entry(&r, &more, err));
  while (more) {
    uint32_t place = SFI_NO_ENTRY;
    SF_TRY(sfi_map_want_place(views->state, map, views->key, r.key, r.key_size, &place, err));
    SF_TRY(sfi_state_read_wanted(views->state, err));
    SF_TRY(merge_entry(g, map, acc, views, &r, place, err));
    SF_TRY(next_entry(&r, &more, err));
  }
  return SF_OK;
}

/* The calls of a view are merged by its values, not by their accumulators. */
sf_status sfi_group_merge_calls(sfi_group_calls *g, const sfi_accumulators *acc, const sfi_scalar *flat, sf_error *err) {
  int32_t n = 0;
  for (int32_t i = 0; i < g->n_calls; i++) {
    const sfi_aggregate *a = &g->calls[i];
    if (a->distinct < 0) SF_TRY(merge_call(g, a, acc, &flat[n], err));
    n += a->n_cells + a->n_maps;
  }
  return SF_OK;
}

sf_status sfi_group_merge(sfi_group_calls *g, const sfi_accumulators *acc, const sfi_accumulators *views,
                          const sfi_scalar *flat, sf_error *err) {
  SF_TRY(sfi_group_merge_calls(g, acc, flat, err));
  int32_t n = sfi_group_flat_size(g) - g->n_views;
  for (int32_t i = 0; i < g->n_views; i++) SF_TRY(merge_view(g, i, acc, views, &flat[n++], err));
  return SF_OK;
}

sf_status sfi_group_merge_views(sfi_group_calls *g, const sfi_accumulators *acc, const sfi_accumulators *views,
                                const sfi_accumulators *gathered, const uint32_t *const *places, sf_error *err) {
  for (int32_t map = 0; map < g->n_views; map++) {
    const sfi_record_type *type = sfi_table_type(gathered->state, 1 + map);
    for (uint32_t id = sfi_map_first(gathered->state, map, gathered->key); id != SFI_NO_ENTRY;
         id = sfi_map_next(gathered->state, map, gathered->key, id)) {
      const sfi_entry *entry = sfi_state_entry(gathered->state, gathered->key.group, 1 + map, id);
      map_reader other = {.n_longs = type->n_cells,
                          .key = sfi_entry_key(entry),
                          .key_size = entry->key_size,
                          .longs = sfi_entry_record(entry) + type->offsets[0]};
      SF_TRY(merge_entry(g, map, acc, views, &other, places[map][id], err));
    }
  }
  return SF_OK;
}
