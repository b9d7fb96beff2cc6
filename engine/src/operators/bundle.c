#include "operators/bundle.h"

#include "column/builder_internal.h"

/* Of a java.util.HashMap. */
#define MAX_CAPACITY (1u << 30)

/* A batch that goes out before its bundle is done. */
#define ROWS_OUT 8192

const sf_key_groups sfi_bundle_groups = {0, 1, 1};

void sfi_bundle_init(sfi_bundle *b, sf_pool *pool, int64_t max_rows, sf_state *keys) {
  *b = (sfi_bundle){.pool = pool, .keys = keys, .max_rows = max_rows, .capacity = SFI_HASH_MAP_CAPACITY};
}

void sfi_bundle_drop(sfi_bundle *b) {
  sfi_state_close(b->keys);
  b->keys = NULL;
  sf_pool_free(b->pool, b->touched);
  sf_pool_free(b->pool, b->sorted);
}

static sf_status make_room(sfi_bundle *b, sf_error *err) {
  if (b->n < b->room) return SF_OK;
  int64_t room = b->room == 0 ? 64 : 2 * b->room;
  void *memory = NULL;
  SF_TRY(sf_pool_realloc(b->pool, b->touched, (size_t)room * sizeof *b->touched, &memory, err));
  b->touched = memory;
  SF_TRY(sf_pool_realloc(b->pool, b->sorted, (size_t)room * sizeof *b->sorted, &memory, err));
  b->sorted = memory;
  b->room = room;
  return SF_OK;
}

sf_status sfi_bundle_find(sfi_bundle *b, const uint8_t *bytes, size_t size, int32_t hash, sfi_key *out, bool *first_out,
                          sf_error *err) {
  SF_TRY(sfi_state_find(b->keys, bytes, size, hash, out, err));
  *first_out = out->id == SFI_NO_ENTRY;
  if (!*first_out) return SF_OK;
  SF_TRY(make_room(b, err));
  SF_TRY(sfi_state_insert(b->keys, bytes, size, hash, out, err));
  uint8_t *record = NULL;
  SF_TRY(sfi_state_write_value(b->keys, *out, &record, err));
  b->touched[b->n++] = (sfi_bundle_key){hash, out->id};
  if (b->n > b->capacity / 4 * 3 && b->capacity < MAX_CAPACITY) b->capacity *= 2;
  return SF_OK;
}

/* HashMap.hash */
static uint32_t spread(int32_t hash) {
  uint32_t h = (uint32_t)hash;
  return h ^ h >> 16;
}

static uint32_t digit(sfi_bundle_key key, uint32_t mask, int shift) { return (spread(key.hash) & mask) >> shift & 0xff; }

/* By digits of 8 bits, the last first. */
sfi_bundle_key *sfi_hash_map_order(sfi_bundle_key *keys, sfi_bundle_key *scratch, int64_t n, uint32_t capacity) {
  uint32_t mask = capacity - 1;
  for (int shift = 0; shift < 32 && mask >> shift != 0; shift += 8) {
    int64_t from[257] = {0};
    for (int64_t i = 0; i < n; i++) from[1 + digit(keys[i], mask, shift)]++;
    for (int d = 0; d < 256; d++) from[d + 1] += from[d];
    for (int64_t i = 0; i < n; i++) scratch[from[digit(keys[i], mask, shift)]++] = keys[i];
    sfi_bundle_key *swap = keys;
    keys = scratch;
    scratch = swap;
  }
  return keys;
}

void sfi_bundle_sort(sfi_bundle *b) {
  sfi_bundle_key *sorted = sfi_hash_map_order(b->touched, b->sorted, b->n, b->capacity);
  if (sorted == b->touched) return;
  b->sorted = b->touched;
  b->touched = sorted;
}

/* A bundle that is much smaller than others were is not worth going through what those have left of tables. */
static bool fills_tables(const sfi_bundle *b) {
  for (int32_t i = 0; i < b->keys->n_tables; i++) {
    const sfi_table *t = sfi_state_table(b->keys, 0, i);
    if (t->index != NULL && t->live < t->index_mask / 16) return false;
  }
  return true;
}

sf_status sfi_bundle_clear(sfi_bundle *b, sf_error *err) {
  bool fills = fills_tables(b);
  if (fills) sfi_state_empty(b->keys);
  for (int64_t i = 0; i < b->n && !fills; i++) {
    SF_TRY(sfi_state_remove(b->keys, (sfi_key){.group = 0, .id = b->touched[i].id}, err));
  }
  sfi_state_reclaim(b->keys);
  b->n = b->n_rows = 0;
  return SF_OK;
}

/* --- lists */

enum { FIRST, LAST };

static const sfi_record_type list_type = {
    .form = SFI_VALUE_LONG_ARRAY,
    .n_cells = 2,
    .offsets = (const int32_t[]){8, 16},
    .layouts = (const sf_layout[]){SF_LAYOUT_INT64, SF_LAYOUT_INT64},
    .size = 24,
};

static int64_t get(const uint8_t *record, int cell) {
  int64_t item;
  memcpy(&item, record + list_type.offsets[cell], sizeof item);
  return item;
}
static void set(uint8_t *record, int cell, int64_t item) { memcpy(record + list_type.offsets[cell], &item, sizeof item); }

sf_status sfi_bundle_of_lists(sfi_bundle *b, sf_pool *pool, int64_t max_rows, sf_error *err) {
  sf_state *keys = NULL;
  SF_TRY(sfi_state_create(pool, sfi_bundle_groups, 0, &list_type, 0, NULL, &keys, err));
  sfi_bundle_init(b, pool, max_rows, keys);
  return SF_OK;
}

void sfi_bundle_lists_drop(sfi_bundle_lists *l) { sf_pool_free(l->pool, l->next); }

sf_status sfi_bundle_lists_append(sfi_bundle_lists *l, const sfi_bundle *b, uint32_t id, bool first, sf_error *err) {
  if (l->n == l->room) {
    int64_t room = l->room == 0 ? 64 : 2 * l->room;
    if (room > SFI_NO_ITEM) return sf_fail(err, SF_RUNTIME, "A bundle cannot hold more than %lld rows", (long long)l->n);
    void *memory = NULL;
    SF_TRY(sf_pool_realloc(l->pool, l->next, (size_t)room * sizeof *l->next, &memory, err));
    l->next = memory;
    l->room = room;
  }
  uint8_t *record = sfi_bundle_record(b, id);
  if (first) set(record, FIRST, l->n);
  else l->next[get(record, LAST)] = (uint32_t)l->n;
  set(record, LAST, l->n);
  l->next[l->n++] = SFI_NO_ITEM;
  return SF_OK;
}

uint32_t sfi_bundle_lists_first(const sfi_bundle *b, uint32_t id) { return (uint32_t)get(sfi_bundle_record(b, id), FIRST); }

/* --- output */

sf_status sfi_bundle_output_create(sf_pool *pool, const sf_type *type, int32_t n_keys, sfi_bundle_output *out,
                                   sf_error *err) {
  if (n_keys > type->n_children) {
    return sf_fail(err, SF_INVALID, "An aggregate of %d keys has %d columns", n_keys, type->n_children);
  }
  SF_TRY(sf_type_nested(SF_TYPE_ROW, false, n_keys, type->children, (const char *const *)type->field_names, &out->key_type,
                        err));
  return sf_batch_builder_create(pool, type, &out->builder, err);
}

void sfi_bundle_output_drop(sfi_bundle_output *o) {
  sf_batch_builder_destroy(o->builder);
  sf_type_release(o->key_type);
}

sf_status sfi_bundle_output_emit(sfi_bundle_output *o, const sf_collector *out, sf_error *err) {
  if (o->builder->length == 0 && o->builder->n_marks == 0) return SF_OK;
  sf_batch *batch = NULL;
  SF_TRY(sf_batch_builder_finish(o->builder, &batch, err));
  return sfi_emit(batch, out, err);
}

sf_status sfi_bundle_output_row(sfi_bundle_output *o, sfi_region key, const sfi_scalar *values, int32_t n, uint8_t kind,
                                const sf_collector *out, sf_error *err) {
  sf_batch_builder *b = o->builder;
  SF_TRY(sfi_row_read(b->columns, o->key_type, key, err));
  for (int32_t i = 0; i < n; i++) SF_TRY(sfi_scalar_append(b->columns[o->key_type->n_children + i], &values[i], err));
  SF_TRY(sf_batch_builder_end_row(b, kind, err));
  return b->length < ROWS_OUT ? SF_OK : sfi_bundle_output_emit(o, out, err);
}
