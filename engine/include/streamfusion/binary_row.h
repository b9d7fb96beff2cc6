/* Flink's BinaryRowData (also nested rows, BinaryArrayData, BinaryMapData): read, write, hash.
 * Source of the format: org.apache.flink.table.data.binary.BinaryRowData and BinarySegmentUtils. */
#ifndef STREAMFUSION_BINARY_ROW_H
#define STREAMFUSION_BINARY_ROW_H

#include "streamfusion/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sf_row_writer sf_row_writer;
/* Flink has two forms of the same row. They differ in the row kind and in a top-level NULL of DECIMAL p > 18 or
 * TIMESTAMP p > 3. */
typedef enum sf_row_form {
  SF_ROW_SERIALIZER, /* RowDataSerializer.toBinaryRow: the batch's row kind; the slot of a NULL is 0 */
  SF_ROW_PROJECTION  /* generated projections, so all keys: INSERT; the slot refers to zeroed room in the variable part */
} sf_row_form;
/* Writes rows of a batch as BinaryRowData, projected to `fields` (n_fields of them; NULL: all). */
SF_EXPORT SF_MUST_CHECK sf_status sf_row_writer_create(sf_pool *pool, const sf_type *row_type, const int32_t *fields,
                                                       int32_t n_fields, sf_row_form form, sf_row_writer **out,
                                                       sf_error *err);
SF_EXPORT void sf_row_writer_destroy(sf_row_writer *w); /* NULL is allowed */
/* The row's bytes, borrowed until the next call on the same writer. */
SF_EXPORT SF_MUST_CHECK sf_status sf_row_writer_write(sf_row_writer *w, const sf_batch *batch, int64_t row,
                                                      const uint8_t **bytes_out, size_t *size_out, sf_error *err);
/* BinaryRowData.hashCode() of serialized bytes (size is a multiple of 8). */
SF_EXPORT int32_t sf_binary_row_hash(const uint8_t *bytes, size_t size);
/* Checks offsets and sizes of bytes from outside against the type. */
SF_EXPORT SF_MUST_CHECK sf_status sf_binary_row_verify(const sf_type *row_type, const uint8_t *bytes, size_t size,
                                                       sf_error *err);

#ifdef __cplusplus
}
#endif
#endif
