#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "streamfusion/memory.h"

/* A pooled buffer is one block: this header, padded to a cache line, then the bytes. */
#define HEADER_SIZE ((size_t)64)

struct sf_buffer {
  atomic_llong references;
  uint8_t *data;
  size_t size;
  sf_pool *pool;                  /* retained; NULL: wrapped memory */
  void (*release)(void *context); /* wrapped memory only */
  void *context;
};
static_assert(sizeof(struct sf_buffer) <= HEADER_SIZE, "the header precedes the bytes");

sf_status sf_buffer_create(sf_pool *pool, size_t size, sf_buffer **out, sf_error *err) {
  *out = NULL;
  if (size > SIZE_MAX / 4) return sf_fail(err, SF_NOMEM, "A buffer of %zu bytes cannot be allocated", size);
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(pool, HEADER_SIZE + size, &memory, err));
  sf_buffer *buffer = memory;
  *buffer = (sf_buffer){.data = (uint8_t *)memory + HEADER_SIZE, .size = size, .pool = sf_pool_retain(pool)};
  atomic_init(&buffer->references, 1);
  *out = buffer;
  return SF_OK;
}

sf_status sf_buffer_wrap(void *data, size_t size, void (*release)(void *context), void *context, sf_buffer **out,
                         sf_error *err) {
  *out = NULL;
  sf_buffer *buffer = malloc(sizeof *buffer);
  if (buffer == NULL) return sf_fail(err, SF_NOMEM, "No memory for a buffer header");
  *buffer = (sf_buffer){.data = data, .size = size, .release = release, .context = context};
  atomic_init(&buffer->references, 1);
  sf_live_add(1);
  *out = buffer;
  return SF_OK;
}

sf_status sf_buffer_resize(sf_buffer **buffer, size_t size, sf_error *err) {
  sf_buffer *old = *buffer;
  if (old->pool == NULL || atomic_load(&old->references) != 1) {
    return sf_fail(err, SF_INTERNAL, "Only a pooled buffer with one owner can be resized");
  }
  if (size > SIZE_MAX / 4) return sf_fail(err, SF_NOMEM, "A buffer of %zu bytes cannot be allocated", size);
  void *memory = NULL;
  SF_TRY(sf_pool_realloc(old->pool, old, HEADER_SIZE + size, &memory, err));
  sf_buffer *moved = memory;
  moved->data = (uint8_t *)memory + HEADER_SIZE;
  moved->size = size;
  *buffer = moved;
  return SF_OK;
}

sf_buffer *sf_buffer_retain(sf_buffer *buffer) {
  atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
  return buffer;
}

void sf_buffer_release(sf_buffer *buffer) {
  if (buffer == NULL || atomic_fetch_sub(&buffer->references, 1) != 1) return;
  if (buffer->pool != NULL) {
    sf_pool *pool = buffer->pool;
    sf_pool_free(pool, buffer);
    sf_pool_release(pool);
    return;
  }
  if (buffer->release != NULL) buffer->release(buffer->context);
  free(buffer);
  sf_live_add(-1);
}

uint8_t *sf_buffer_data(const sf_buffer *buffer) { return buffer->data; }
size_t sf_buffer_size(const sf_buffer *buffer) { return buffer->size; }
