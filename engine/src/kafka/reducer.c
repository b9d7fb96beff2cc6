#include "streamfusion/kafka_reducer.h"

#include <string.h>

#include "streamfusion/binary_row.h"
#include "streamfusion/builder.h"

enum { FIRST_ENTRIES = 64, NONE = -1 };

typedef struct entry {
  uint8_t *bytes; /* pool memory: the key, then the row, both as BinaryRowData */
  size_t key_size;
  size_t row_size;
  size_t capacity;
  uint32_t hash;
} entry;

struct sf_kafka_reducer {
  sf_pool *pool;        /* retained, as the type */
  sf_type *row_type;
  sf_row_writer *key_writer;
  sf_row_writer *row_writer;
  int64_t max_keys;
  entry *entries;       /* pool memory, by first appearance of the key */
  int32_t n;
  int32_t capacity;
  int32_t *table;       /* pool memory: 2 * capacity places of entries, NONE when free; capacity is a power of two */
};

static void clear_table(sf_kafka_reducer *r) {
  for (int64_t i = 0; i < 2 * (int64_t)r->capacity; i++) r->table[i] = NONE;
}

/* The place of the key, or the free one where it belongs. */
static int32_t *find(const sf_kafka_reducer *r, const uint8_t *key, size_t size, uint32_t hash) {
  uint32_t mask = 2 * (uint32_t)r->capacity - 1;
  uint32_t at = (hash ^ hash >> 16) & mask;
  for (;; at = (at + 1) & mask) {
    int32_t i = r->table[at];
    if (i == NONE) return &r->table[at];
    const entry *e = &r->entries[i];
    if (e->hash == hash && e->key_size == size && memcmp(e->bytes, key, size) == 0) return &r->table[at];
  }
}

static sf_status grow(sf_kafka_reducer *r, int32_t capacity, sf_error *err) {
  void *memory;
  SF_TRY(sf_pool_realloc(r->pool, r->entries, (size_t)capacity * sizeof(entry), &memory, err));
  r->entries = memory;
  SF_TRY(sf_pool_alloc(r->pool, 2 * (size_t)capacity * sizeof(int32_t), &memory, err));
  sf_pool_free(r->pool, r->table);
  r->table = memory;
  r->capacity = capacity;
  clear_table(r);
  for (int32_t i = 0; i < r->n; i++) {
    *find(r, r->entries[i].bytes, r->entries[i].key_size, r->entries[i].hash) = i;
  }
  return SF_OK;
}

sf_status sf_kafka_reducer_create(sf_pool *pool, const sf_type *row_type, const int32_t *keys, int32_t n_keys,
                                  int64_t max_keys, sf_kafka_reducer **out, sf_error *err) {
  if (max_keys < 1) return sf_fail(err, SF_INVALID, "room for %lld keys", (long long)max_keys);
  void *memory;
  SF_TRY(sf_pool_alloc(pool, sizeof(sf_kafka_reducer), &memory, err));
  sf_kafka_reducer *r = memory;
  *r = (sf_kafka_reducer){.pool = sf_pool_retain(pool), .row_type = sf_type_retain(row_type), .max_keys = max_keys};
  sf_live_add(1);
  sf_status st = sf_row_writer_create(pool, row_type, keys, n_keys, SF_ROW_PROJECTION, &r->key_writer, err);
  if (st == SF_OK) st = sf_row_writer_create(pool, row_type, NULL, 0, SF_ROW_SERIALIZER, &r->row_writer, err);
  if (st == SF_OK) st = grow(r, FIRST_ENTRIES, err);
  if (st != SF_OK) {
    sf_kafka_reducer_destroy(r);
    return st;
  }
  *out = r;
  return SF_OK;
}

static void forget(sf_kafka_reducer *r) {
  for (int32_t i = 0; i < r->n; i++) sf_pool_free(r->pool, r->entries[i].bytes);
  r->n = 0;
}

void sf_kafka_reducer_destroy(sf_kafka_reducer *r) {
  if (r == NULL) return;
  sf_pool *pool = r->pool;
  forget(r);
  sf_pool_free(pool, r->entries);
  sf_pool_free(pool, r->table);
  sf_row_writer_destroy(r->key_writer);
  sf_row_writer_destroy(r->row_writer);
  sf_type_release(r->row_type);
  sf_pool_free(pool, r);
  sf_live_add(-1);
  sf_pool_release(pool);
}

/* Room for a row behind the key of the entry; the bytes of the key stay. */
static sf_status make_room(sf_kafka_reducer *r, entry *e, size_t row_size, sf_error *err) {
  size_t needed = e->key_size + row_size;
  if (needed <= e->capacity) return SF_OK;
  void *memory;
  SF_TRY(sf_pool_realloc(r->pool, e->bytes, needed, &memory, err));
  e->bytes = memory;
  e->capacity = needed;
  return SF_OK;
}

/* A new entry of the key, with room for a row. */
static sf_status append(sf_kafka_reducer *r, const uint8_t *key, size_t size, uint32_t hash, size_t row_size,
                        sf_error *err) {
  if (r->n == r->capacity) {
    if (r->capacity > INT32_MAX / 4) return sf_fail(err, SF_LIMIT, "An upsert sink holds %d keys", (int)r->n);
    SF_TRY(grow(r, 2 * r->capacity, err));
  }
  entry e = {.key_size = size, .hash = hash};
  SF_TRY(make_room(r, &e, row_size, err));
  memcpy(e.bytes, key, size);
  *find(r, key, size, hash) = r->n;
  r->entries[r->n++] = e;
  return SF_OK;
}

static sf_status add(sf_kafka_reducer *r, const sf_batch *batch, int64_t row, sf_error *err) {
  const uint8_t *key, *bytes;
  size_t key_size, size;
  SF_TRY(sf_row_writer_write(r->key_writer, batch, row, &key, &key_size, err));
  SF_TRY(sf_row_writer_write(r->row_writer, batch, row, &bytes, &size, err));
  uint32_t hash = (uint32_t)sf_binary_row_hash(key, key_size);
  int32_t i = *find(r, key, key_size, hash);
  if (i == NONE) {
    i = r->n;
    SF_TRY(append(r, key, key_size, hash, size, err));
  }
  entry *e = &r->entries[i];
  SF_TRY(make_room(r, e, size, err));
  memcpy(e->bytes + e->key_size, bytes, size);
  e->row_size = size;
  return SF_OK;
}

sf_status sf_kafka_reducer_add(sf_kafka_reducer *r, const sf_batch *batch, int64_t from, int64_t *next_out,
                               sf_error *err) {
  int64_t row = from;
  while (row < batch->length && !sf_kafka_reducer_full(r)) {
    SF_TRY(add(r, batch, row, err));
    row++;
  }
  *next_out = row;
  return SF_OK;
}

bool sf_kafka_reducer_full(const sf_kafka_reducer *r) { return r->n >= r->max_keys; }

static sf_status rows_to_batch(const sf_kafka_reducer *r, sf_batch_builder *builder, sf_batch **out, sf_error *err) {
  for (int32_t i = 0; i < r->n; i++) {
    const entry *e = &r->entries[i];
    SF_TRY(sf_batch_builder_binary_row(builder, e->bytes + e->key_size, e->row_size, err));
  }
  return sf_batch_builder_finish(builder, out, err);
}

sf_status sf_kafka_reducer_take(sf_kafka_reducer *r, sf_batch **out, sf_error *err) {
  sf_batch_builder *builder;
  SF_TRY(sf_batch_builder_create(r->pool, r->row_type, &builder, err));
  sf_status st = rows_to_batch(r, builder, out, err);
  sf_batch_builder_destroy(builder);
  if (st != SF_OK) return st;
  forget(r);
  clear_table(r);
  return SF_OK;
}
