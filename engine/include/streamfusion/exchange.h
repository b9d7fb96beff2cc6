/* Batches as records that leave the process: over Flink's network stack, and inside unaligned checkpoints.
 *
 * A record is little endian and stands for rows of one batch. Its sections lie as columns do in memory, so that reading one
 * is checking it; only views are made anew.
 *
 *   header, 24 bytes   u8 version (1), u8 flags (1: row kinds, 2: marks), u16 0, u32 rows, u32 columns, u32 marks,
 *                      u64 size of the whole record
 *   row kinds          a byte a row, when flagged
 *   marks              i64 row, i64 watermark each, when flagged
 *   columns            depth first:
 *     header, 8 bytes  u8 layout (sf_layout), u8 flags (1: validity), u16 0, u32 rows
 *     validity         whole 64-bit words, LSB first, when flagged
 *     values           as the layout says; INT128 on a multiple of 16
 *       BOOL to INT128 the values
 *       TIMESTAMP      i64 milliseconds each, then i32 nanoseconds each
 *       VIEW           u32 size each, then all bytes back to back
 *       LIST, MAP      i32 offsets, one more than rows, from 0; then the children, as long as the last offset says
 *       ROW            the children, as long as the column
 *       NULL           nothing
 *
 * Every section starts on a multiple of 8; what lies between is 0. The type is not part of a record: both ends of an edge
 * know it, and reading checks that the layouts agree. */
#ifndef STREAMFUSION_EXCHANGE_H
#define STREAMFUSION_EXCHANGE_H

#include "streamfusion/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SF_RECORD_VERSION 1

/* Rows [from, from + n) of the batch. with_marks: also the marks that stand before, between and behind these rows. */
typedef struct sf_record_range {
  int64_t from;
  int64_t n;
  bool with_marks;
} sf_record_range;

/* Bytes of the record. SF_INVALID: no such rows, or columns that are const somewhere. */
SF_EXPORT SF_MUST_CHECK sf_status sf_record_size(const sf_batch *batch, sf_record_range range, size_t *size_out,
                                                 sf_error *err);
/* Writes the record to `out`, which has `size` bytes as sf_record_size has said. */
SF_EXPORT SF_MUST_CHECK sf_status sf_record_write(const sf_batch *batch, sf_record_range range, uint8_t *out, size_t size,
                                                  sf_error *err);
/* The batch of a record that came from outside. Takes over one reference of `record`, also on failure; its bytes start on
 * a multiple of 16, nobody else uses them, and the batch refers to them afterwards. SF_CORRUPT: damaged, written by another
 * version, or of another type. */
SF_EXPORT SF_MUST_CHECK sf_status sf_record_read(sf_pool *pool, const sf_type *row_type, sf_buffer *record, sf_batch **out,
                                                 sf_error *err);

#ifdef __cplusplus
}
#endif
#endif
