#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/pool_internal.h"

/* A block is [header 64][payload][slack 64]: payloads are aligned to a cache line, and vector loads may run over the
 * end of a payload. */
#define ALIGNMENT ((size_t)64)
#define SLACK ((size_t)64)

/* The host is asked for memory in these steps: asking is an upcall into Java. */
#define RESERVATION_STEP ((int64_t)1 << 20)
#define RESERVATION_SLACK ((int64_t)4 << 20)

/* Freed blocks are kept and handed out again. Batches of one size come and go thousands of times a second; returning
 * their memory to the system and faulting it in anew costs several times what is done with it. Sizes are rounded to
 * classes: multiples of 64 bytes up to 1 KiB, then four to a doubling. Blocks beyond the largest class are not kept. */
#define SMALL_LIMIT ((size_t)1024)
#define SMALL_CLASSES 16
#define DOUBLINGS 13
#define N_CLASSES (SMALL_CLASSES + 4 * DOUBLINGS)
#define NO_CLASS N_CLASSES
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef SANITIZED
#define CACHE_LIMIT ((int64_t)0) /* kept blocks would hide uses after free */
#define MAPPED_FROM SIZE_MAX     /* and mapped ones writes behind the end */
#else
#define CACHE_LIMIT ((int64_t)8 << 20)
#define MAPPED_FROM ((size_t)256 << 10)
#endif

typedef struct block block;
struct block {
  size_t bytes; /* of the whole block */
  int class;
  block *next;  /* while it is kept */
};

struct sf_pool {
  atomic_llong references;
  int64_t limit;
  bool reserves;
  sf_reservation reservation;
  pthread_mutex_t lock; /* guards all below */
  int64_t used;
  int64_t peak;
  int64_t cached;       /* bytes of kept blocks */
  int64_t cache_limit;
  int64_t reserved;     /* at least used + cached */
  block *kept[N_CLASSES];
  char name[];          /* terminated */
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
  pool->cache_limit = CACHE_LIMIT;
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

/* Large blocks are mapped on their own. From the C library each thread would take them from an arena that keeps what is
 * freed, cut into pieces which aligned_alloc of glibc before 2.38 hardly ever uses again; a task manager runs every job in
 * new threads. */
static block *map_or_allocate(size_t bytes) {
  if (bytes < MAPPED_FROM) return aligned_alloc(ALIGNMENT, bytes);
  void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? NULL : mapped;
}

static void unmap_or_free(block *b) {
  size_t bytes = b->bytes;
  if (bytes < MAPPED_FROM) {
    free(b);
  } else {
    munmap(b, bytes);
  }
}

static void drop_kept(sf_pool *pool) {
  for (int i = 0; i < N_CLASSES && pool->cached > 0; i++) {
    for (block *b = pool->kept[i]; b != NULL; b = pool->kept[i]) {
      pool->kept[i] = b->next;
      pool->cached -= (int64_t)b->bytes;
      unmap_or_free(b);
    }
  }
}

void sf_pool_release(sf_pool *pool) {
  if (pool == NULL || atomic_fetch_sub(&pool->references, 1) != 1) return;
  drop_kept(pool);
  if (pool->reserved > 0) pool->reservation.shrink(pool->reservation.context, pool->reserved);
  if (pool->reserves && pool->reservation.release != NULL) pool->reservation.release(pool->reservation.context);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
  sf_live_add(-1);
}

void sfi_pool_set_cache_limit(sf_pool *pool, int64_t bytes) {
  pthread_mutex_lock(&pool->lock);
  pool->cache_limit = bytes;
  if (pool->cached > bytes) drop_kept(pool);
  pthread_mutex_unlock(&pool->lock);
}

int64_t sfi_pool_cached(sf_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  int64_t cached = pool->cached;
  pthread_mutex_unlock(&pool->lock);
  return cached;
}

/* The counters change under the lock only, and the lock is not part of what const protects. */
static int64_t read_counter(const sf_pool *pool, const int64_t *counter) {
  pthread_mutex_t *lock = &((sf_pool *)(uintptr_t)pool)->lock;
  pthread_mutex_lock(lock);
  int64_t value = *counter;
  pthread_mutex_unlock(lock);
  return value;
}
int64_t sf_pool_used(const sf_pool *pool) { return read_counter(pool, &pool->used); }
int64_t sf_pool_peak(const sf_pool *pool) { return read_counter(pool, &pool->peak); }

/* --- accounting; all under the lock */

/* Makes the reservation cover everything held and `bytes` more. */
static sf_status reserve(sf_pool *pool, int64_t bytes, sf_error *err) {
  int64_t missing = pool->used + pool->cached + bytes - pool->reserved;
  if (!pool->reserves || missing <= 0) return SF_OK;
  int64_t step = (missing + RESERVATION_STEP - 1) / RESERVATION_STEP * RESERVATION_STEP;
  sf_status st = pool->reservation.grow(pool->reservation.context, step, err);
  if (st == SF_LIMIT && pool->cached > 0) {
    drop_kept(pool);
    missing = pool->used + bytes - pool->reserved;
    if (missing <= 0) return SF_OK;
  }
  if (st == SF_LIMIT && step != missing) { /* a last, exact attempt */
    step = missing;
    st = pool->reservation.grow(pool->reservation.context, step, err);
  }
  if (st == SF_OK) pool->reserved += step;
  return st;
}

static void give_back(sf_pool *pool) {
  int64_t spare = pool->reserved - pool->used - pool->cached;
  if (spare <= RESERVATION_SLACK) return;
  spare -= RESERVATION_STEP;
  pool->reservation.shrink(pool->reservation.context, spare);
  pool->reserved -= spare;
}

/* Accounts for a block of this size and hands out a kept one if there is one; otherwise *out stays NULL. */
static sf_status account(sf_pool *pool, int64_t bytes, int class, block **out, sf_error *err) {
  if (pool->limit >= 0 && pool->used + bytes > pool->limit) {
    return sf_fail(err, SF_LIMIT, "Native memory of %s is limited to %lld bytes: %lld are in use and %lld more are needed",
                   pool->name, (long long)pool->limit, (long long)pool->used, (long long)bytes);
  }
  block *b = class == NO_CLASS ? NULL : pool->kept[class];
  if (b != NULL) {
    pool->kept[class] = b->next;
    pool->cached -= bytes;
    *out = b;
  } else {
    if (pool->limit >= 0 && pool->used + pool->cached + bytes > pool->limit) drop_kept(pool);
    SF_TRY(reserve(pool, bytes, err));
  }
  pool->used += bytes;
  if (pool->used > pool->peak) pool->peak = pool->used;
  return SF_OK;
}

/* --- allocation */

/* The class of a block and, in *bytes, its rounded size (without a class: rounded to the alignment only). */
static int class_of(size_t *bytes) {
  size_t n = *bytes;
  if (n <= SMALL_LIMIT) {
    *bytes = (n + 63) / 64 * 64;
    return (int)(*bytes / 64) - 1;
  }
  int doubling = 63 - __builtin_clzll(n - 1); /* 2^doubling < n <= 2^(doubling + 1) */
  size_t step = ((size_t)1 << doubling) / 4;
  size_t steps = (n - ((size_t)1 << doubling) + step - 1) / step; /* 1..4 */
  int class = SMALL_CLASSES + 4 * (doubling - 10) + (int)steps - 1;
  *bytes = class < N_CLASSES ? ((size_t)1 << doubling) + steps * step : (n + 63) / 64 * 64;
  return class < N_CLASSES ? class : NO_CLASS;
}

/* Memory of the system; kept blocks go first where that helps. */
static block *system_block(sf_pool *pool, size_t bytes) {
  block *b = map_or_allocate(bytes);
  if (b != NULL) return b;
  pthread_mutex_lock(&pool->lock);
  drop_kept(pool);
  pthread_mutex_unlock(&pool->lock);
  return map_or_allocate(bytes);
}

sf_status sf_pool_alloc(sf_pool *pool, size_t size, void **out, sf_error *err) {
  *out = NULL;
  if (size > (size_t)INT64_MAX / 4) {
    return sf_fail(err, SF_NOMEM, "Native memory of %s: %zu bytes cannot be allocated", pool->name, size);
  }
  size_t bytes = ALIGNMENT + size + SLACK;
  int class = class_of(&bytes);
  block *b = NULL;
  pthread_mutex_lock(&pool->lock);
  sf_status st = account(pool, (int64_t)bytes, class, &b, err);
  pthread_mutex_unlock(&pool->lock);
  if (st != SF_OK) return st;
  if (b == NULL) b = system_block(pool, bytes);
  if (b == NULL) {
    pthread_mutex_lock(&pool->lock);
    pool->used -= (int64_t)bytes;
    pthread_mutex_unlock(&pool->lock);
    return sf_fail(err, SF_NOMEM, "Native memory of %s: the system refused %zu bytes", pool->name, bytes);
  }
  *b = (block){.bytes = bytes, .class = class};
  char *payload = (char *)b + ALIGNMENT;
  memset(payload + size, 0, SLACK);
  sf_live_add(1);
  *out = payload;
  return SF_OK;
}

static block *header_of(void *ptr) { return (block *)(void *)((char *)ptr - ALIGNMENT); }

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
  block *b = header_of(ptr);
  int64_t bytes = (int64_t)b->bytes;
  pthread_mutex_lock(&pool->lock);
  pool->used -= bytes;
  bool keep = b->class != NO_CLASS && pool->cached + bytes <= pool->cache_limit;
  if (keep) {
    b->next = pool->kept[b->class];
    pool->kept[b->class] = b;
    pool->cached += bytes;
  } else if (pool->reserves) {
    give_back(pool);
  }
  pthread_mutex_unlock(&pool->lock);
  if (!keep) unmap_or_free(b);
  sf_live_add(-1);
}
