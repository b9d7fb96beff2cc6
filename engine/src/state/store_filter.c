#include "state/store_filter.h"

#define BLOCK_WORDS 8
#define BLOCK_BITS 512
#define BITS_OF_KEY 7
#define FIRST_BLOCKS ((size_t)64) /* 4 KiB */
#define GROWTH_SHIFT 3
#define BITS_A_KEY 10 /* of a full layer: one in a hundred unknown keys looks known */

static size_t blocks_of(int32_t layer) { return FIRST_BLOCKS << (GROWTH_SHIFT * layer); }
static size_t bytes_of(int32_t layer) { return blocks_of(layer) * BLOCK_BITS / 8; }

void sfi_store_filter_init(sfi_store_filter *f, sf_pool *pool, size_t limit) {
  *f = (sfi_store_filter){.pool = pool, .limit = limit, .last = {.pool = pool}};
}

void sfi_store_filter_drop(sfi_store_filter *f) {
  for (int32_t i = 0; i < f->n_layers; i++) sf_pool_free(f->pool, f->layers[i]);
  sf_pool_free(f->pool, f->last.data);
  f->n_layers = 0;
}

/* --- bits */

uint64_t sfi_store_filter_hash(int32_t state, const uint8_t *key, size_t size) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ (uint64_t)size ^ (uint64_t)(uint32_t)state << 32, word;
  for (; size >= sizeof word; key += sizeof word, size -= sizeof word) {
    memcpy(&word, key, sizeof word);
    hash = sfi_fold(hash ^ word, 0xd6e8feb86659fd93u);
  }
  word = 0;
  if (size > 0) memcpy(&word, key, size);
  return sfi_fold(hash ^ word, 0xa0761d6478bd642fu);
}

static uint64_t *block_of(const sfi_store_filter *f, int32_t layer, uint64_t hash) {
  return f->layers[layer] + (hash >> 32 & (blocks_of(layer) - 1)) * BLOCK_WORDS;
}
/* Nine for each place in a block, others than those that choose the block. */
static uint64_t places_of(uint64_t hash) { return sfi_fold(hash, 0xe7037ed1a0b428dbu); }

static bool has(const uint64_t *block, uint64_t places) {
  for (int i = 0; i < BITS_OF_KEY; i++, places >>= 9) {
    if ((block[places >> 6 & 7] >> (places & 63) & 1) == 0) return false;
  }
  return true;
}

void sfi_store_filter_fetch(const sfi_store_filter *f, uint64_t hash) {
  for (int32_t i = f->n_layers; i-- > 0;) sfi_fetch(block_of(f, i, hash));
}

bool sfi_store_filter_may_have(const sfi_store_filter *f, const sf_store *store, uint64_t hash) {
  if (f->learned < store->n_states) return true;
  uint64_t places = places_of(hash);
  for (int32_t i = f->n_layers; i-- > 0;) {
    if (has(block_of(f, i, hash), places)) return true;
  }
  return false;
}

/* When there is no room for another layer the last one takes all, and gets less and less exact. */
static sf_status add_layer(sfi_store_filter *f, sf_error *err) {
  size_t size = bytes_of(f->n_layers), used = 0;
  for (int32_t i = 0; i < f->n_layers; i++) used += bytes_of(i);
  f->left = SIZE_MAX;
  if (f->n_layers == SFI_FILTER_LAYERS || used + size > f->limit) return SF_OK;
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(f->pool, size, &memory, err));
  memset(memory, 0, size);
  f->layers[f->n_layers++] = memory;
  f->left = size * 8 / BITS_A_KEY;
  return SF_OK;
}

sf_status sfi_store_filter_add(sfi_store_filter *f, uint64_t hash, sf_error *err) {
  if (f->left == 0) SF_TRY(add_layer(f, err));
  if (f->n_layers == 0) return SF_OK;
  uint64_t places = places_of(hash);
  /* What changes again and again is added once. */
  for (int32_t i = f->n_layers; i-- > 0;) {
    if (has(block_of(f, i, hash), places)) return SF_OK;
  }
  uint64_t *block = block_of(f, f->n_layers - 1, hash);
  for (int i = 0; i < BITS_OF_KEY; i++, places >>= 9) block[places >> 6 & 7] |= (uint64_t)1 << (places & 63);
  f->left--;
  return SF_OK;
}

/* --- what was there before */

typedef struct reading {
  sfi_store_filter *filter;
  size_t n;
} reading;

static sf_status learn_entry(void *to, sf_slice key, sf_slice value, sf_error *err) {
  reading *r = to;
  sfi_store_filter *f = r->filter;
  (void)value;
  r->n++;
  f->begun = true;
  f->last.size = 0;
  SF_TRY(sfi_bytes_extend(&f->last, key.size, err));
  if (key.size > 0) memcpy(f->last.data, key.data, key.size);
  return sfi_store_filter_add(f, sfi_store_filter_hash(f->learned, key.data, key.size), err);
}

sf_status sfi_store_filter_learn(sfi_store_filter *f, const sf_store *store, size_t entries, sf_error *err) {
  if (f->limit < bytes_of(0)) return SF_OK;
  while (f->learned < store->n_states && entries > 0) {
    reading r = {.filter = f};
    sf_slice last = {f->begun ? f->last.data : NULL, f->last.size};
    /* The filter's bytes change while entries are visited: the store reads `last` before. */
    SF_TRY(store->walk(store->context, f->learned, last, entries, learn_entry, &r, err));
    entries -= r.n;
    if (entries == 0) break;
    f->learned++;
    f->begun = false;
  }
  return SF_OK;
}
