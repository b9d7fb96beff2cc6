#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "streamfusion/memory.h"

/* A block is [header 64][payload][slack 64]: payloads are aligned to a cache line, and vector loads may run over the
 * end of a payload. */
#define ALIGNMENT ((size_t)64)
#define SLACK ((size_t)64)

/* The host is asked for memory in these steps: asking is an upcall into Java. */
#define RESERVATION_STEP ((int64_t)1 << 20)
#define RESERVATION_SLACK ((int64_t)4 << 20)

typedef struct block {
  size_t bytes; /* of the whole block */
} block;

struct sf_pool {
  atomic_llong references;
  atomic_llong used;
  atomic_llong peak;
  int64_t limit;
  bool reserves;
  sf_reservation reservation;
  pthread_mutex_t lock; /* guards changes of reserved */
  atomic_llong reserved;
  char name[]; /* terminated */
};

static atomic_llong live_objects;

int64_t sf_live_objects(void) { return atomic_load(&live_objects); }
void sf_live_add(int64_t delta) { atomic_fetch_add_explicit(&live_objects, delta, memory_order_relaxed); }

sf_status sf_pool_create(const char *name, int64_t limit_bytes, const sf_reservation *reservation, sf_pool **pool_out,
                         sf_error *err) {
  *pool_out = NULL;
  size_t name_size = strlen(name) + 1;
  sf_pool *pool = calloc(1, sizeof *pool + name_size);
  if (pool == NULL) return sf_fail(err, SF_NOMEM, "No memory for the pool of %s", name);
  if (pthread_mutex_init(&pool->lock, NULL) != 0) {
    free(pool);
    return sf_fail(err, SF_NOMEM, "No mutex for the pool of %s", name);
  }
  atomic_init(&pool->references, 1);
  pool->limit = limit_bytes;
  if (reservation != NULL) {
    pool->reserves = true;
    pool->reservation = *reservation;
  }
  memcpy(pool->name, name, name_size);
  sf_live_add(1);
  *pool_out = pool;
  return SF_OK;
}

sf_pool *sf_pool_retain(sf_pool *pool) {
  atomic_fetch_add_explicit(&pool->references, 1, memory_order_relaxed);
  return pool;
}

void sf_pool_release(sf_pool *pool) {
  if (pool == NULL || atomic_fetch_sub(&pool->references, 1) != 1) return;
  int64_t reserved = atomic_load(&pool->reserved);
  if (reserved > 0) pool->reservation.shrink(pool->reservation.context, reserved);
  if (pool->reserves && pool->reservation.release != NULL) pool->reservation.release(pool->reservation.context);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
  sf_live_add(-1);
}

int64_t sf_pool_used(const sf_pool *pool) { return atomic_load(&pool->used); }
int64_t sf_pool_peak(const sf_pool *pool) { return atomic_load(&pool->peak); }

/* Makes the reservation cover everything in use. */
static sf_status reserve(sf_pool *pool, sf_error *err) {
  sf_status st = SF_OK;
  pthread_mutex_lock(&pool->lock);
  int64_t missing = atomic_load(&pool->used) - atomic_load(&pool->reserved);
  if (missing > 0) {
    int64_t step = (missing + RESERVATION_STEP - 1) / RESERVATION_STEP * RESERVATION_STEP;
    st = pool->reservation.grow(pool->reservation.context, step, err);
    if (st == SF_LIMIT && step != missing) { /* a last, exact attempt */
      step = missing;
      st = pool->reservation.grow(pool->reservation.context, step, err);
    }
    if (st == SF_OK) atomic_fetch_add(&pool->reserved, step);
  }
  pthread_mutex_unlock(&pool->lock);
  return st;
}

static void raise_peak(sf_pool *pool, int64_t used) {
  long long peak = atomic_load_explicit(&pool->peak, memory_order_relaxed);
  while (used > peak && !atomic_compare_exchange_weak(&pool->peak, &peak, used)) {
  }
}

static sf_status account(sf_pool *pool, int64_t bytes, sf_error *err) {
  int64_t used = atomic_fetch_add(&pool->used, bytes) + bytes;
  if (pool->limit >= 0 && used > pool->limit) {
    atomic_fetch_sub(&pool->used, bytes);
    return sf_fail(err, SF_LIMIT, "Native memory of %s is limited to %lld bytes: %lld are in use and %lld more are needed",
                   pool->name, (long long)pool->limit, (long long)(used - bytes), (long long)bytes);
  }
  if (pool->reserves && used > atomic_load(&pool->reserved)) {
    sf_status st = reserve(pool, err);
    if (st != SF_OK) {
      atomic_fetch_sub(&pool->used, bytes);
      return st;
    }
  }
  raise_peak(pool, used);
  return SF_OK;
}

static void unaccount(sf_pool *pool, int64_t bytes) {
  int64_t used = atomic_fetch_sub(&pool->used, bytes) - bytes;
  if (!pool->reserves || atomic_load(&pool->reserved) - used <= RESERVATION_SLACK) return;
  pthread_mutex_lock(&pool->lock);
  int64_t spare = atomic_load(&pool->reserved) - atomic_load(&pool->used) - RESERVATION_STEP;
  if (spare > 0) {
    pool->reservation.shrink(pool->reservation.context, spare);
    atomic_fetch_sub(&pool->reserved, spare);
  }
  pthread_mutex_unlock(&pool->lock);
}

static block *header_of(void *ptr) { return (block *)(void *)((char *)ptr - ALIGNMENT); }

sf_status sf_pool_alloc(sf_pool *pool, size_t size, void **out, sf_error *err) {
  *out = NULL;
  if (size > (size_t)INT64_MAX / 2) {
    return sf_fail(err, SF_NOMEM, "Native memory of %s: %zu bytes cannot be allocated", pool->name, size);
  }
  size_t bytes = (ALIGNMENT + size + SLACK + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  SF_TRY(account(pool, (int64_t)bytes, err));
  char *memory = aligned_alloc(ALIGNMENT, bytes);
  if (memory == NULL) {
    unaccount(pool, (int64_t)bytes);
    return sf_fail(err, SF_NOMEM, "Native memory of %s: the system refused %zu bytes", pool->name, bytes);
  }
  ((block *)(void *)memory)->bytes = bytes;
  memset(memory + ALIGNMENT + size, 0, bytes - ALIGNMENT - size);
  sf_live_add(1);
  *out = memory + ALIGNMENT;
  return SF_OK;
}

sf_status sf_pool_realloc(sf_pool *pool, void *old, size_t size, void **out, sf_error *err) {
  if (old == NULL) return sf_pool_alloc(pool, size, out, err);
  size_t room = header_of(old)->bytes - ALIGNMENT - SLACK;
  if (size <= room && size >= room / 2) {
    *out = old;
    return SF_OK;
  }
  void *fresh = NULL;
  sf_status st = sf_pool_alloc(pool, size, &fresh, err);
  if (st != SF_OK) return st; /* the old block stays valid */
  memcpy(fresh, old, size < room ? size : room);
  sf_pool_free(pool, old);
  *out = fresh;
  return SF_OK;
}

void sf_pool_free(sf_pool *pool, void *ptr) {
  if (ptr == NULL) return;
  block *header = header_of(ptr);
  int64_t bytes = (int64_t)header->bytes;
  free(header);
  unaccount(pool, bytes);
  sf_live_add(-1);
}
