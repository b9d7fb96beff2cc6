#include "operators/bundle.h"

#include "column/builder_internal.h"

/* java.util.HashMap */
#define INITIAL_CAPACITY 16
#define MAX_CAPACITY (1u << 30)

/* A batch that goes out before its bundle is done. */
#define ROWS_OUT 8192

const sf_key_groups sfi_bundle_groups = {0, 1, 1};

void sfi_bundle_init(sfi_bundle *b, sf_pool *pool, int64_t max_rows, sf_state *keys) {
  *b = (sfi_bundle){.pool = pool, .keys = keys, .max_rows = max_rows, .capacity = INITIAL_CAPACITY};
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

/* By buckets, those of a bucket in the order of their coming: growing a HashMap keeps that too. Digits of 8 bits. */
void sfi_bundle_sort(sfi_bundle *b) {
  uint32_t mask = b->capacity - 1;
  for (int shift = 0; shift < 32 && mask >> shift != 0; shift += 8) {
    int64_t from[257] = {0};
    for (int64_t i = 0; i < b->n; i++) from[1 + ((spread(b->touched[i].hash) & mask) >> shift & 0xff)]++;
    for (int d = 0; d < 256; d++) from[d + 1] += from[d];
    for (int64_t i = 0; i < b->n; i++) {
      b->sorted[from[(spread(b->touched[i].hash) & mask) >> shift & 0xff]++] = b->touched[i];
    }
    sfi_bundle_key *swap = b->touched;
    b->touched = b->sorted;
    b->sorted = swap;
  }
}

sf_status sfi_bundle_clear(sfi_bundle *b, sf_error *err) {
  for (int64_t i = 0; i < b->n; i++) {
    SF_TRY(sfi_state_remove(b->keys, (sfi_key){.group = 0, .id = b->touched[i].id}, err));
  }
  sfi_state_reclaim(b->keys);
  b->n = b->n_rows = 0;
  return SF_OK;
}

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
  for (int32_t i = 0; i < n; i++) SF_TRY(sfi_scalar_append(b->columns[o->key_type->n_children + i], values[i], err));
  SF_TRY(sf_batch_builder_end_row(b, kind, err));
  return b->length < ROWS_OUT ? SF_OK : sfi_bundle_output_emit(o, out, err);
}
