/* Where the entries of keyed state are when they are not all in the engine's memory: a store that the host provides, in
 * practice Flink's own RocksDB. It holds one ordered map of bytes for each state of the operator. Keys and values are those
 * of RocksDB and of canonical savepoints alike (state.h).
 *
 * The engine keeps what it has read, and what it has changed, in a cache of limited size; changes are written when the host
 * asks for it (sf_state_flush) or when the cache is full. */
#ifndef STREAMFUSION_STATE_STORE_H
#define STREAMFUSION_STATE_STORE_H

#include "streamfusion/state.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sf_slice {
  const uint8_t *data;
  size_t size;
} sf_slice;

/* Take slices that are borrowed for the call; a failure ends the calling function with the same status. */
typedef sf_status (*sf_store_found)(void *to, size_t i, sf_slice value, sf_error *err);
typedef sf_status (*sf_store_entry)(void *to, sf_slice key, sf_slice value, sf_error *err);

/* Called by the operator's thread only. After a failure nothing but `close` is called any more. */
typedef struct sf_store {
  void *context;
  int32_t n_states;
  /* Calls `found` for those of the n keys that are there, in any order. */
  sf_status (*get)(void *context, int32_t state, size_t n, const sf_slice *keys, sf_store_found found, void *to,
                   sf_error *err);
  /* Calls `entry` for all entries whose keys begin with the prefix, in order. Changes meanwhile need not be seen. */
  sf_status (*scan)(void *context, int32_t state, sf_slice prefix, sf_store_entry entry, void *to, sf_error *err);
  /* Calls `entry` for the first n entries whose keys come after `last`, whose data is NULL for a first time, in order. `last` is read
   * before the first call. */
  sf_status (*walk)(void *context, int32_t state, sf_slice last, size_t n, sf_store_entry entry, void *to, sf_error *err);
  /* Changes are copied and may be applied at once, or at any time up to the end of the next commit. Removing what is not
   * there is no failure. */
  sf_status (*put)(void *context, int32_t state, sf_slice key, sf_slice value, sf_error *err);
  sf_status (*remove)(void *context, int32_t state, sf_slice key, sf_error *err);
  sf_status (*commit)(void *context, sf_error *err);
  void (*close)(void *context);
} sf_store;

/* Once, while the state is empty. The store is copied and taken over, also on failure: it is closed with the state.
 * cache_bytes: what entries in memory may take, about, apart from those of the batch that is being processed. Such a state has
 * no snapshots of its own, and nothing is restored into it. */
SF_EXPORT SF_MUST_CHECK sf_status sf_state_use_store(sf_state *state, const sf_store *store, int64_t cache_bytes,
                                                     sf_error *err);
/* Writes all changes. Without a store there is nothing to do. After a failure of the store the state cannot be used. */
SF_EXPORT SF_MUST_CHECK sf_status sf_state_flush(sf_state *state, sf_error *err);

/* What the cache has done so far; all 0 without a store. */
typedef struct sf_cache_counts {
  int64_t bytes;   /* of the entries in memory, about */
  int64_t hits;    /* keys that were in memory when a batch asked for them, map entries not counted */
  int64_t reads;   /* keys and map entries that the store was asked for */
  int64_t writes;  /* puts and removals */
  int64_t flushes;
} sf_cache_counts;
SF_EXPORT sf_cache_counts sf_state_cache_counts(const sf_state *state);

/* --- RocksDB as Flink has opened it */

/* Addresses of the C++ objects behind Java's RocksDB, ColumnFamilyHandle (one for each state), ReadOptions and
 * WriteOptions. They stay Flink's and must live until the store is closed. */
typedef struct sf_rocksdb {
  void *db;
  int32_t n_families;
  void *const *families;
  void *read_options;
  void *write_options;
} sf_rocksdb;

/* A store over the RocksDB library that the database belongs to, through its C interface: the library is found among those
 * that the process has loaded, and nothing is linked. SF_UNSUPPORTED: it exports no such interface. `pool` is retained. */
SF_EXPORT SF_MUST_CHECK sf_status sf_rocksdb_store(sf_pool *pool, const sf_rocksdb *rocksdb, sf_store *out, sf_error *err);

#ifdef __cplusplus
}
#endif
#endif
