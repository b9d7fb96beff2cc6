/* Builds batches row by row or column by column; reused from batch to batch. Single-threaded. */
#ifndef STREAMFUSION_BUILDER_H
#define STREAMFUSION_BUILDER_H

#include "streamfusion/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sf_column_builder sf_column_builder;
typedef struct sf_batch_builder sf_batch_builder;

/* --- one column. Appends keep `length` of children and parents in step: append the children's values of a
 * ROW/ARRAY/MAP first, then the parent's entry. */
SF_EXPORT SF_MUST_CHECK sf_status sf_column_builder_create(sf_pool *pool, const sf_type *type,
                                                           sf_column_builder **out, sf_error *err);
SF_EXPORT void sf_column_builder_destroy(sf_column_builder *b); /* NULL is allowed */
SF_EXPORT int64_t sf_column_builder_length(const sf_column_builder *b);
SF_EXPORT sf_column_builder *sf_column_builder_child(sf_column_builder *b, int32_t i); /* borrowed */
/* NULL entry; for ROW appends NULL to every child, for ARRAY/MAP an empty range. */
SF_EXPORT SF_MUST_CHECK sf_status sf_column_builder_null(sf_column_builder *b, sf_error *err);
/* BOOL, INT8..INT64 layouts, DATE... */
SF_EXPORT SF_MUST_CHECK sf_status sf_column_builder_int(sf_column_builder *b, int64_t value, sf_error *err);
SF_EXPORT SF_MUST_CHECK sf_status sf_column_builder_double(sf_column_builder *b, double value, sf_error *err);
SF_EXPORT SF_MUST_CHECK sf_status sf_column_builder_int128(sf_column_builder *b, __int128 value, sf_error *err);
SF_EXPORT SF_MUST_CHECK sf_status sf_column_builder_timestamp(sf_column_builder *b, int64_t millis, int32_t nanos,
                                                              sf_error *err); /* any timestamp layout */
/* Copies the bytes into the builder's arena. */
SF_EXPORT SF_MUST_CHECK sf_status sf_column_builder_bytes(sf_column_builder *b, const void *data, size_t size,
                                                          sf_error *err);
/* Closes one ROW (children appended), or one ARRAY/MAP whose children grew since the last close. */
SF_EXPORT SF_MUST_CHECK sf_status sf_column_builder_end(sf_column_builder *b, sf_error *err);
/* Copies row i of a column of the same type. */
SF_EXPORT SF_MUST_CHECK sf_status sf_column_builder_copy(sf_column_builder *b, const sf_column *c, int64_t i,
                                                         sf_error *err);
/* Hands out the column and starts over empty. */
SF_EXPORT SF_MUST_CHECK sf_status sf_column_builder_finish(sf_column_builder *b, sf_column **out, sf_error *err);

/* --- whole rows */
SF_EXPORT SF_MUST_CHECK sf_status sf_batch_builder_create(sf_pool *pool, const sf_type *row_type,
                                                          sf_batch_builder **out, sf_error *err);
SF_EXPORT void sf_batch_builder_destroy(sf_batch_builder *b); /* NULL is allowed */
SF_EXPORT int64_t sf_batch_builder_length(const sf_batch_builder *b);
SF_EXPORT sf_column_builder *sf_batch_builder_column(sf_batch_builder *b, int32_t i); /* borrowed */
/* Closes a row whose columns have been appended. */
SF_EXPORT SF_MUST_CHECK sf_status sf_batch_builder_end_row(sf_batch_builder *b, uint8_t row_kind, sf_error *err);
/* Appends one row in Flink's BinaryRowData format (see binary_row.h), row kind from its header. */
SF_EXPORT SF_MUST_CHECK sf_status sf_batch_builder_binary_row(sf_batch_builder *b, const uint8_t *row, size_t size,
                                                              sf_error *err);
/* Appends `n` rows laid out back to back, each preceded by an int32 (native order) with its size: what the host
 * edge fills from Java in one crossing per batch. */
SF_EXPORT SF_MUST_CHECK sf_status sf_batch_builder_binary_rows(sf_batch_builder *b, const uint8_t *rows, size_t size,
                                                               int64_t n, sf_error *err);
/* A watermark behind the rows so far. */
SF_EXPORT SF_MUST_CHECK sf_status sf_batch_builder_mark(sf_batch_builder *b, int64_t watermark, sf_error *err);
SF_EXPORT SF_MUST_CHECK sf_status sf_batch_builder_finish(sf_batch_builder *b, sf_batch **out, sf_error *err);

#ifdef __cplusplus
}
#endif
#endif
