/* Keys and what they have gathered since the last bundle ended: the HashMap of AbstractMapBundleOperator with its
 * CountBundleTrigger. Bundles end where Flink's do, and give their keys in the order in which its HashMap does (but for bins of
 * that map that have become trees: eight keys of one hash). */
#ifndef SFI_OPERATORS_BUNDLE_H
#define SFI_OPERATORS_BUNDLE_H

#include "aggregate/scalar.h"
#include "operators/operator_internal.h"
#include "row/binary_format.h"

typedef struct sfi_bundle_key {
  int32_t hash; /* BinaryRowData.hashCode() */
  uint32_t id;  /* in the only key group of `keys` */
} sfi_bundle_key;

typedef struct sfi_bundle {
  sf_pool *pool;     /* borrowed from the operator */
  sf_state *keys;    /* owned; key group 0 of 1, without time to live */
  int64_t max_rows;
  int64_t n_rows;
  uint32_t capacity; /* of the HashMap, which never shrinks */
  sfi_bundle_key *touched; /* owned */
  int64_t n;
  int64_t room;
  sfi_bundle_key *sorted; /* owned; scratch of as much room */
} sfi_bundle;

/* A new java.util.HashMap has so many buckets. */
#define SFI_HASH_MAP_CAPACITY 16

extern const sf_key_groups sfi_bundle_groups;

/* Sorts keys by the buckets of a HashMap, those of a bucket as they are. `scratch` has as much room; returns where they are. */
sfi_bundle_key *sfi_hash_map_order(sfi_bundle_key *keys, sfi_bundle_key *scratch, int64_t n, uint32_t capacity);

/* Takes over `keys`, which has the key groups above. */
void sfi_bundle_init(sfi_bundle *b, sf_pool *pool, int64_t max_rows, sf_state *keys);
void sfi_bundle_drop(sfi_bundle *b);
/* The key, which is added when it is not there; then *first_out and its record is to be filled. */
SF_MUST_CHECK sf_status sfi_bundle_find(sfi_bundle *b, const uint8_t *bytes, size_t size, int32_t hash, sfi_key *out,
                                        bool *first_out, sf_error *err);
/* Counts a row. True: the bundle ends with it. */
static inline bool sfi_bundle_count(sfi_bundle *b) { return ++b->n_rows >= b->max_rows; }
/* Puts the keys into the order of the HashMap. */
void sfi_bundle_sort(sfi_bundle *b);
static inline sfi_region sfi_bundle_bytes(const sfi_bundle *b, uint32_t id) {
  const sfi_entry *entry = sfi_state_entry(b->keys, 0, 0, id);
  return (sfi_region){sfi_entry_key(entry), entry->key_size};
}
static inline uint8_t *sfi_bundle_record(const sfi_bundle *b, uint32_t id) {
  return sfi_entry_record(sfi_state_entry(b->keys, 0, 0, id)); /* nobody else sees it: there are no snapshots */
}
SF_MUST_CHECK sf_status sfi_bundle_clear(sfi_bundle *b, sf_error *err);

/* Bundles whose keys gather numbered items (rows, keys) in lists. */
#define SFI_NO_ITEM UINT32_MAX

typedef struct sfi_bundle_lists {
  sf_pool *pool; /* borrowed */
  uint32_t *next; /* owned; of each item, SFI_NO_ITEM: none */
  int64_t n;      /* items; set to 0 when the bundle has been cleared */
  int64_t room;
} sfi_bundle_lists;

SF_MUST_CHECK sf_status sfi_bundle_of_lists(sfi_bundle *b, sf_pool *pool, int64_t max_rows, sf_error *err);
void sfi_bundle_lists_drop(sfi_bundle_lists *l);
/* Appends item number l->n to the list of a key, which starts with it when the key is the `first`. */
SF_MUST_CHECK sf_status sfi_bundle_lists_append(sfi_bundle_lists *l, const sfi_bundle *b, uint32_t id, bool first,
                                                sf_error *err);
uint32_t sfi_bundle_lists_first(const sfi_bundle *b, uint32_t id);

/* Rows out of bundles: the columns of the key, then values. */
typedef struct sfi_bundle_output {
  sf_batch_builder *builder; /* owned */
  sf_type *key_type;         /* owned */
} sfi_bundle_output;

SF_MUST_CHECK sf_status sfi_bundle_output_create(sf_pool *pool, const sf_type *type, int32_t n_keys,
                                                 sfi_bundle_output *out, sf_error *err);
void sfi_bundle_output_drop(sfi_bundle_output *o);
/* Hands on what has been gathered. */
SF_MUST_CHECK sf_status sfi_bundle_output_emit(sfi_bundle_output *o, const sf_collector *out, sf_error *err);
/* Appends the key and n values. */
SF_MUST_CHECK sf_status sfi_bundle_output_row(sfi_bundle_output *o, sfi_region key, const sfi_scalar *values, int32_t n,
                                              uint8_t kind, const sf_collector *out, sf_error *err);

#endif
