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
#include "streamfusion/key_group.h"

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

/* --- hash exchange */

/* Where the rows of an exchange go: by the key group of `keys`, as o.a.f.streaming.runtime.partitioner.KeyGroupStreamPartitioner
 * sends them. */
typedef struct sf_scatter_spec {
  const sf_type *row_type;
  const int32_t *keys; /* fields of the row, in the order of the key */
  int32_t n_keys;
  int32_t channels;        /* parallelism of the receiver */
  int32_t max_parallelism; /* of the receiver: channels <= max_parallelism <= 32768 */
  int64_t record_rows;     /* a record gets no further rows once it has as many, */
  int64_t record_bytes;    /* or about as many bytes */
} sf_scatter_spec;

/* Gathers rows by channel until they make a record. Rows of one channel keep their order. Marks of batches are ignored: who
 * scatters sends watermarks itself, between records. Single-threaded. */
typedef struct sf_scatter sf_scatter;
/* The spec is copied. SF_INVALID: numbers out of range. */
SF_EXPORT SF_MUST_CHECK sf_status sf_scatter_create(sf_pool *pool, const sf_scatter_spec *spec, sf_scatter **out,
                                                    sf_error *err);
SF_EXPORT void sf_scatter_destroy(sf_scatter *s); /* NULL is allowed; rows that wait are gone */
/* Rows [from, from + n) of the batch, behind those that wait. What the rows refer to is kept until they are taken. */
SF_EXPORT SF_MUST_CHECK sf_status sf_scatter_add(sf_scatter *s, const sf_batch *batch, int64_t from, int64_t n,
                                                 sf_error *err);
/* A record to be written: `rows` rows for `channel`, `size` bytes. rows == 0: there is none. */
typedef struct sf_scatter_record {
  int32_t channel;
  int64_t rows;
  size_t size;
} sf_scatter_record;
/* The next record: of a channel whose rows make a whole one, or with `all` of any channel where rows wait. Call it again
 * after sf_scatter_take, until there is none. */
SF_EXPORT SF_MUST_CHECK sf_status sf_scatter_next(sf_scatter *s, bool all, sf_scatter_record *out, sf_error *err);
/* Writes the record that sf_scatter_next has just announced into its `size` bytes and forgets its rows. */
SF_EXPORT SF_MUST_CHECK sf_status sf_scatter_take(sf_scatter *s, const sf_scatter_record *record, uint8_t *out,
                                                  sf_error *err);
/* Rows that wait, of all channels. */
SF_EXPORT int64_t sf_scatter_waiting(const sf_scatter *s);

/* The rows of a batch that an exchange sends to `subtask`, row kinds included; a batch without rows when there is none. What
 * remains of a record that was on its way when parallelism was another one. */
SF_EXPORT SF_MUST_CHECK sf_status sf_scatter_select(sf_pool *pool, const sf_scatter_spec *spec, const sf_batch *batch,
                                                    int32_t subtask, sf_batch **out, sf_error *err);

#ifdef __cplusplus
}
#endif
#endif
