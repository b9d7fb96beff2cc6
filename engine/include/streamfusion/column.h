/* Columns: typed vectors in (nearly) Arrow layout, reference-counted, immutable once handed on.
 *
 * Two deviations from Arrow, both for speed and undone at export: BOOLEAN is a byte a value, and strings are views
 * (address and size) into buffers that the column keeps alive, so that slicing, filtering, SUBSTRING and decoding
 * copy no bytes. */
#ifndef STREAMFUSION_COLUMN_H
#define STREAMFUSION_COLUMN_H

#include "streamfusion/memory.h"
#include "streamfusion/type.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A string or binary value: borrowed bytes, valid as long as the column. NULL values have size 0. */
typedef struct sf_view {
  const uint8_t *data;
  uint32_t size;
  uint32_t reserved; /* 0 */
} sf_view;

typedef struct sf_column sf_column;

/* Readable by everybody (kernels inline on it); written only by the functions that create columns.
 *
 * is_const: `values`, `aux` and the first validity bit hold one value that stands for all `length` rows.
 * Kernels must accept const operands; operators call sf_column_flatten before a column leaves the evaluator. */
struct sf_column {
  const sf_type *type;       /* retained */
  int64_t length;
  int64_t null_count;        /* exact, or -1 when unknown */
  const uint8_t *validity;   /* LSB-first bitmap, 1 = not NULL; NULL = no NULLs */
  const void *values;
  const void *aux;           /* SF_LAYOUT_TIMESTAMP: int32 nanos; LIST and MAP: int32 offsets */
  int32_t n_children;
  bool is_const;
  sf_column **children;      /* retained */
  /* ownership: everything the pointers above (and the views) point into */
  int32_t n_buffers;
  sf_buffer **buffers;       /* retained */
};

/* Takes over one reference of each buffer and child passed (also on failure), retains type.
 * The pointers must lie in the buffers. The bytes that views refer to must not lie in a buffer that `values` or
 * `validity` lies in: a gathered column keeps the other buffers alive, and lets go of those two.
 * A const ROW has children whose row 0 stands for all rows; a const LIST or MAP has aux = {from, to}. */
typedef struct sf_column_spec {
  const sf_type *type;
  int64_t length;
  int64_t null_count;
  const uint8_t *validity;
  const void *values;
  const void *aux;
  bool is_const;
  int32_t n_children;
  sf_column *const *children;
  int32_t n_buffers;
  sf_buffer *const *buffers;
} sf_column_spec;
SF_EXPORT SF_MUST_CHECK sf_status sf_column_create(const sf_column_spec *spec, sf_column **out, sf_error *err);
SF_EXPORT SF_MUST_CHECK sf_status sf_column_create_null(sf_pool *pool, const sf_type *type, int64_t length,
                                                        sf_column **out, sf_error *err);
SF_EXPORT sf_column *sf_column_retain(sf_column *column);
SF_EXPORT void sf_column_release(sf_column *column); /* NULL is allowed */

/* New column with the rows picked by `indices` (n of them, each < length). Views are copied, their bytes are not. */
SF_EXPORT SF_MUST_CHECK sf_status sf_column_gather(sf_pool *pool, const sf_column *column, const int32_t *indices,
                                                   int64_t n, sf_column **out, sf_error *err);
/* Materialises const columns (recursively); otherwise retains and returns the same column. */
SF_EXPORT SF_MUST_CHECK sf_status sf_column_flatten(sf_pool *pool, sf_column *column, sf_column **out, sf_error *err);
/* Concatenates columns of one type. */
SF_EXPORT SF_MUST_CHECK sf_status sf_column_concat(sf_pool *pool, const sf_column *const *columns, int32_t n,
                                                   sf_column **out, sf_error *err);
/* Same values under another type of the same layout (a cast that changes no bytes); retains what it shares. */
SF_EXPORT SF_MUST_CHECK sf_status sf_column_retype(sf_column *column, const sf_type *type, sf_column **out, sf_error *err);
/* Bytes held alive by the column, shared buffers counted once per column. */
SF_EXPORT int64_t sf_column_bytes(const sf_column *column);

static inline bool sf_bit_get(const uint8_t *bits, int64_t i) { return (bits[i >> 3] >> (i & 7)) & 1; }
static inline void sf_bit_set(uint8_t *bits, int64_t i) { bits[i >> 3] = (uint8_t)(bits[i >> 3] | (1u << (i & 7))); }
static inline void sf_bit_clear(uint8_t *bits, int64_t i) {
  bits[i >> 3] = (uint8_t)(bits[i >> 3] & ~(1u << (i & 7)));
}
static inline size_t sf_bitmap_bytes(int64_t n) { return ((size_t)n + 63) / 64 * 8; } /* whole words */
static inline bool sf_column_is_null(const sf_column *c, int64_t i) {
  return c->type->layout == SF_LAYOUT_NULL || (c->validity != NULL && !sf_bit_get(c->validity, c->is_const ? 0 : i));
}

#ifdef __cplusplus
}
#endif
#endif
