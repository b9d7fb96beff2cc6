/* Memory pools and reference-counted buffers.
 *
 * A pool belongs to one task; every allocation of the task's batches, builders and operators is made from it
 * and counted. Pools are reference-counted too: buffers may outlive the task's own reference (a batch in
 * flight), and the pool lives until the last of them is released. A pool may be used from the fetcher thread and the
 * task thread at the same time. It keeps some freed memory for reuse (up to 8 MiB, within its limit and reservation). */
#ifndef STREAMFUSION_MEMORY_H
#define STREAMFUSION_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "streamfusion/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sf_pool sf_pool;
typedef struct sf_buffer sf_buffer;

/* Asked when the pool wants `bytes` more (grow) or gives them back; called from any thread, must not call back
 * into the pool. Returning SF_LIMIT refuses. */
typedef struct sf_reservation {
  void *context;
  sf_status (*grow)(void *context, int64_t bytes, sf_error *err);
  void (*shrink)(void *context, int64_t bytes);
  void (*release)(void *context); /* the pool is gone; may be NULL. Not called when sf_pool_create fails */
} sf_reservation;

/* name: appears in limit errors (copied). limit_bytes < 0: unlimited. reservation may be NULL (copied). */
SF_EXPORT SF_MUST_CHECK sf_status sf_pool_create(const char *name, int64_t limit_bytes,
                                                 const sf_reservation *reservation, sf_pool **pool_out,
                                                 sf_error *err);
SF_EXPORT sf_pool *sf_pool_retain(sf_pool *pool);
SF_EXPORT void sf_pool_release(sf_pool *pool); /* NULL is allowed */
SF_EXPORT int64_t sf_pool_used(const sf_pool *pool);
SF_EXPORT int64_t sf_pool_peak(const sf_pool *pool);

/* Raw allocations, 64-byte aligned, at least 64 readable slack bytes behind the end. size 0 is allowed. */
SF_EXPORT SF_MUST_CHECK sf_status sf_pool_alloc(sf_pool *pool, size_t size, void **out, sf_error *err);
SF_EXPORT SF_MUST_CHECK sf_status sf_pool_realloc(sf_pool *pool, void *old, size_t size, void **out, sf_error *err);
SF_EXPORT void sf_pool_free(sf_pool *pool, void *ptr); /* NULL is allowed */

/* Live counted objects (pools, buffers, batches, operators, codecs...) of the process. Tests assert that it returns
 * to its starting value. Counts only; never used for logic. */
SF_EXPORT int64_t sf_live_objects(void);
SF_EXPORT void sf_live_add(int64_t delta); /* for format libraries, through the host table */

/* Reference-counted byte range. Created with one reference; immutable once shared. */
SF_EXPORT SF_MUST_CHECK sf_status sf_buffer_create(sf_pool *pool, size_t size, sf_buffer **out, sf_error *err);
/* Wraps memory that somebody else owns; `release(context)` runs when the last reference goes. */
SF_EXPORT SF_MUST_CHECK sf_status sf_buffer_wrap(void *data, size_t size, void (*release)(void *context),
                                                 void *context, sf_buffer **out, sf_error *err);
SF_EXPORT SF_MUST_CHECK sf_status sf_buffer_resize(sf_buffer **buffer, size_t size, sf_error *err); /* sole owner only */
SF_EXPORT sf_buffer *sf_buffer_retain(sf_buffer *buffer);
SF_EXPORT void sf_buffer_release(sf_buffer *buffer); /* NULL is allowed */
SF_EXPORT uint8_t *sf_buffer_data(const sf_buffer *buffer);
SF_EXPORT size_t sf_buffer_size(const sf_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
