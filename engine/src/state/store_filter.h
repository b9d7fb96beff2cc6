/* What a store may have. A key that the filter does not know is not there and need not be looked for: in RocksDB that is a
 * search of the memtable and of several files, unless the user has configured Bloom filters. There is one for all states of an
 * operator; it gets to know what is written, and what was there before by reading it through, a part with each batch. */
#ifndef SFI_STATE_STORE_FILTER_H
#define SFI_STATE_STORE_FILTER_H

#include "state/state_internal.h"
#include "streamfusion/state_store.h"

/* Blocks of 64 bytes with 7 bits of each key. A layer is eight times as large as the one before. */
#define SFI_FILTER_LAYERS 8

typedef struct sfi_store_filter {
  sf_pool *pool; /* borrowed */
  uint64_t *layers[SFI_FILTER_LAYERS];
  int32_t n_layers;
  size_t left;      /* keys that the newest layer takes before there is another one */
  size_t limit;     /* bytes that all layers may take */
  int32_t learned;  /* states that have been read through */
  bool begun;       /* the state that comes now has been read up to `last` */
  sfi_bytes last;
} sfi_store_filter;

/* limit: bytes; with less than the first layer takes nothing is learned, and everything may be there. */
void sfi_store_filter_init(sfi_store_filter *f, sf_pool *pool, size_t limit);
void sfi_store_filter_drop(sfi_store_filter *f);

uint64_t sfi_store_filter_hash(int32_t state, const uint8_t *key, size_t size);
/* Has memory fetched for a key that is asked for soon. */
void sfi_store_filter_fetch(const sfi_store_filter *f, uint64_t hash);
bool sfi_store_filter_may_have(const sfi_store_filter *f, const sf_store *store, uint64_t hash);
SF_MUST_CHECK sf_status sfi_store_filter_add(sfi_store_filter *f, uint64_t hash, sf_error *err);
/* Reads some of what was in the store before. */
SF_MUST_CHECK sf_status sfi_store_filter_learn(sfi_store_filter *f, const sf_store *store, size_t entries, sf_error *err);

#endif
