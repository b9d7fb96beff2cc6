/* Batches: equally long columns, optional row kinds, in-band watermark marks. Reference-counted, immutable. */
#ifndef STREAMFUSION_BATCH_H
#define STREAMFUSION_BATCH_H

#include "streamfusion/column.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flink's RowKind.toByteValue(). */
enum { SF_INSERT = 0, SF_UPDATE_BEFORE = 1, SF_UPDATE_AFTER = 2, SF_DELETE = 3 };

/* The watermark stands before row `row` (0..length; length = behind the last row). */
typedef struct sf_mark {
  int64_t row;
  int64_t watermark; /* epoch millis as in Flink's Watermark */
} sf_mark;

typedef struct sf_batch sf_batch;
struct sf_batch { /* read-only view, as sf_column */
  const sf_type *type;      /* ROW, retained; its children are the column types */
  int64_t length;
  int32_t n_columns;
  sf_column **columns;      /* retained, never const */
  const uint8_t *row_kinds; /* NULL: all SF_INSERT */
  sf_buffer *row_kinds_buffer;
  int64_t n_marks;
  const sf_mark *marks;     /* ascending rows and watermarks */
  sf_buffer *marks_buffer;
};

/* Retains columns and type; takes over one reference of the two buffers (NULL allowed), also on failure.
 * row_kinds_buffer holds length bytes, marks_buffer n_marks sf_mark. */
SF_EXPORT SF_MUST_CHECK sf_status sf_batch_create(const sf_type *type, int64_t length, sf_column *const *columns,
                                                  sf_buffer *row_kinds_buffer, sf_buffer *marks_buffer,
                                                  int64_t n_marks, sf_batch **out, sf_error *err);
SF_EXPORT sf_batch *sf_batch_retain(sf_batch *batch);
SF_EXPORT void sf_batch_release(sf_batch *batch); /* NULL is allowed */
/* Rows picked by ascending `indices`; row kinds follow, marks move to the next kept row. */
SF_EXPORT SF_MUST_CHECK sf_status sf_batch_filter(sf_pool *pool, const sf_batch *batch, const int32_t *indices,
                                                  int64_t n, sf_batch **out, sf_error *err);
/* Concatenates batches of one type, marks shifted. */
SF_EXPORT SF_MUST_CHECK sf_status sf_batch_concat(sf_pool *pool, const sf_batch *const *batches, int32_t n,
                                                  sf_batch **out, sf_error *err);
SF_EXPORT int64_t sf_batch_bytes(const sf_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
