/* Blocks of a few sizes, cut from chunks of the pool. State consists of millions of small blocks, for which the pool's own
 * header and slack would cost more than what is in them. */
#include "state/state_internal.h"

#define FIRST_CHUNK ((size_t)4096)
#define LARGEST_CHUNK ((size_t)256 << 10)
#define CHUNK_HEADER ((size_t)16)

/* Precedes a block that is too large for a chunk. */
struct sfi_large {
  struct sfi_large *previous;
  struct sfi_large *next;
};

void sfi_slab_init(sfi_slab *slab, sf_pool *pool) { *slab = (sfi_slab){.pool = pool, .chunk_size = FIRST_CHUNK}; }

static sf_status alloc_large(sfi_slab *slab, size_t size, void **out, sf_error *err) {
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(slab->pool, sizeof(struct sfi_large) + size, &memory, err));
  struct sfi_large *block = memory;
  *block = (struct sfi_large){.next = slab->large};
  if (slab->large != NULL) slab->large->previous = block;
  slab->large = block;
  *out = block + 1;
  return SF_OK;
}

static void free_large(sfi_slab *slab, void *payload) {
  struct sfi_large *block = (struct sfi_large *)payload - 1;
  if (block->next != NULL) block->next->previous = block->previous;
  if (block->previous != NULL) block->previous->next = block->next;
  else slab->large = block->next;
  sf_pool_free(slab->pool, block);
}

struct chunk { /* the header of one */
  struct chunk *next;
  size_t size;
};
_Static_assert(sizeof(struct chunk) <= CHUNK_HEADER, "The header of a chunk has no room");

static struct chunk *spare_chunk(sfi_slab *slab) {
  struct chunk *chunk = slab->spare;
  if (chunk != NULL) slab->spare = chunk->next;
  return chunk;
}

static sf_status allocate_chunk(sfi_slab *slab, struct chunk **out, sf_error *err) {
  size_t size = slab->chunk_size;
  void *memory = NULL;
  while (size < CHUNK_HEADER + SFI_SLAB_LARGEST) size *= 2;
  SF_TRY(sf_pool_alloc(slab->pool, size, &memory, err));
  if (slab->chunk_size < LARGEST_CHUNK) slab->chunk_size = 2 * size;
  *out = memory;
  (*out)->size = size;
  return SF_OK;
}

/* The rest of the present chunk becomes a free block, and there is a new chunk. */
static sf_status new_chunk(sfi_slab *slab, sf_error *err) {
  struct chunk *chunk = spare_chunk(slab);
  if (chunk == NULL) SF_TRY(allocate_chunk(slab, &chunk, err));
  if (slab->left > 0) sfi_slab_free(slab, slab->next, slab->left);
  chunk->next = slab->chunks;
  slab->chunks = chunk;
  slab->next = (uint8_t *)chunk + CHUNK_HEADER;
  slab->left = chunk->size - CHUNK_HEADER;
  return SF_OK;
}

sf_status sfi_slab_alloc(sfi_slab *slab, size_t size, void **out, sf_error *err) {
  *out = NULL;
  if (size > SFI_SLAB_LARGEST) return alloc_large(slab, size, out, err);
  size_t class = (size + SFI_SLAB_STEP - 1) / SFI_SLAB_STEP;
  if (class == 0) class = 1;
  if (slab->free[class] != NULL) {
    *out = slab->free[class];
    memcpy(&slab->free[class], *out, sizeof(void *));
    return SF_OK;
  }
  if (slab->left < class * SFI_SLAB_STEP) SF_TRY(new_chunk(slab, err));
  *out = slab->next;
  slab->next += class * SFI_SLAB_STEP;
  slab->left -= class * SFI_SLAB_STEP;
  return SF_OK;
}

void sfi_slab_free(sfi_slab *slab, void *block, size_t size) {
  if (size > SFI_SLAB_LARGEST) {
    free_large(slab, block);
    return;
  }
  size_t class = (size + SFI_SLAB_STEP - 1) / SFI_SLAB_STEP;
  if (class == 0) class = 1;
  memcpy(block, &slab->free[class], sizeof(void *));
  slab->free[class] = block;
}

static void free_chunks(sfi_slab *slab, struct chunk *chunk) {
  while (chunk != NULL) {
    struct chunk *next = chunk->next;
    sf_pool_free(slab->pool, chunk);
    chunk = next;
  }
}

void sfi_slab_empty(sfi_slab *slab) {
  while (slab->large != NULL) free_large(slab, slab->large + 1);
  free_chunks(slab, slab->spare);
  slab->spare = slab->chunks;
  slab->chunks = NULL;
  slab->left = 0;
  memset(slab->free, 0, sizeof slab->free);
}

void sfi_slab_destroy(sfi_slab *slab) {
  while (slab->large != NULL) free_large(slab, slab->large + 1);
  free_chunks(slab, slab->chunks);
  free_chunks(slab, slab->spare);
  *slab = (sfi_slab){0};
}
