/* Encodes runs of records for Kafka: the body of a version 2 record batch (varint framed records), without its header,
 * which the Java client writes. Source: org.apache.kafka.common.record.DefaultRecord. */
#ifndef STREAMFUSION_KAFKA_RECORDS_H
#define STREAMFUSION_KAFKA_RECORDS_H

#include "streamfusion/column.h"
#include "streamfusion/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of one record; all pointers are borrowed. key/value NULL with size < 0: null. headers: already encoded
 * (varint count and entries) or NULL for none. */
typedef struct sf_kafka_record {
  const uint8_t *key;
  int32_t key_size;
  const uint8_t *value;
  int32_t value_size;
  const uint8_t *headers;
  int32_t headers_size;
  int64_t timestamp;
} sf_kafka_record;

/* Size of the record with these deltas, its length prefix included: what the client's estimate needs. A record of 2 GiB
 * or more yields a value above INT32_MAX. */
SF_EXPORT int64_t sf_kafka_record_size(const sf_kafka_record *record, int32_t offset_delta, int64_t timestamp_delta);
/* Writes it and returns the bytes written; `out` has room for sf_kafka_record_size, which is at most INT32_MAX. */
SF_EXPORT int64_t sf_kafka_record_write(const sf_kafka_record *record, int32_t offset_delta, int64_t timestamp_delta,
                                        uint8_t *out);

/* Encoded rows on their way to the producer. All pointers are borrowed and outlive the uses of the struct. */
typedef struct sf_kafka_rows {
  int64_t n;
  const uint8_t *values; /* value of row i: values[value_offsets[i] .. value_offsets[i+1]) */
  const int64_t *value_offsets;
  const uint8_t *tombstones; /* a byte per row, non-zero: the value is null; NULL: none */
  const uint8_t *keys;       /* as values; NULL: null keys */
  const int64_t *key_offsets;
  const uint8_t *headers;    /* encoded headers of row i, at least the count; NULL: no headers */
  const int64_t *header_offsets;
  const int64_t *timestamps; /* NULL: every record has `now` */
  int64_t now;
} sf_kafka_rows;

SF_EXPORT void sf_kafka_rows_get(const sf_kafka_rows *rows, int64_t row, sf_kafka_record *out);

/* What org.apache.kafka.common.record.MemoryRecordsBuilder knows about the batch that a run is appended to, plus the
 * byte count of the producer's sticky partitioner (BuiltInPartitioner.StickyPartitionInfo). Set by the caller, advanced
 * by sf_kafka_fill. */
typedef struct sf_kafka_batch_state {
  int32_t num_records;
  int32_t uncompressed_bytes;     /* records so far, without the batch header */
  int64_t base_timestamp;         /* of the first record; meaningless while num_records is 0 */
  int64_t max_timestamp;          /* -1: none yet */
  int64_t offset_of_max_timestamp;
  int32_t write_limit;
  int32_t header_bytes;
  int32_t compressed;             /* 0: sizes are exact; 1: scaled by the estimated ratio */
  float compression_ratio;
  int32_t sticky_bytes;           /* produced to the sticky partition so far */
  int32_t sticky_limit;           /* batch.size; the run ends at twice this; 0: a fixed partition */
  int32_t record_limit;           /* larger upper bounds (see sf_kafka_record_bound) stop the run */
  int32_t max_record_bound;       /* largest upper bound appended */
} sf_kafka_batch_state;

typedef enum sf_kafka_stop {
  SF_KAFKA_END = 0,    /* all rows written */
  SF_KAFKA_FULL = 1,   /* the next row does not fit into this batch (or the sticky partition is to change) */
  SF_KAFKA_ROOM = 2,   /* the output ran out of room */
  SF_KAFKA_SINGLE = 3  /* the next row is for the client's own send(): too large, or a negative timestamp */
} sf_kafka_stop;

/* AbstractRecords.estimateSizeInBytesUpperBound for magic 2: batch header, record overhead, key, value, headers. */
SF_EXPORT int64_t sf_kafka_record_bound(const sf_kafka_record *record);
/* MemoryRecordsBuilder.estimatedBytesWritten. */
SF_EXPORT int32_t sf_kafka_estimated_bytes(const sf_kafka_batch_state *state);
/* Appends rows order[from..to) (order NULL: rows from..to) while stock's producer, sending them one by one, would
 * append them to this batch: RecordAccumulator.append, ProducerBatch.tryAppend, MemoryRecordsBuilder.hasRoomFor. */
SF_EXPORT sf_kafka_stop sf_kafka_fill(const sf_kafka_rows *rows, const int32_t *order, int64_t from, int64_t to,
                                      sf_kafka_batch_state *state, uint8_t *out, size_t room, size_t *written_out,
                                      int64_t *next_out);

/* BuiltInPartitioner.partitionForKey. */
SF_EXPORT int32_t sf_kafka_partition_for_key(const uint8_t *key, size_t size, int32_t partitions);
/* Stable counting sort of the n rows in `order` (in and out) by group: groups[i], below n_groups, is that of order[i].
 * counts_out: n_groups entries. SF_INVALID when a group is out of range. */
SF_EXPORT SF_MUST_CHECK sf_status sf_kafka_group_rows(sf_pool *pool, const int32_t *groups, int64_t n, int32_t n_groups,
                                                      int32_t *order, int32_t *counts_out, sf_error *err);
/* The same by the partition of the rows' keys. counts_out: `partitions` entries. */
SF_EXPORT SF_MUST_CHECK sf_status sf_kafka_partition_rows(sf_pool *pool, const sf_kafka_rows *rows, int64_t n,
                                                          int32_t partitions, int32_t *order, int32_t *counts_out,
                                                          sf_error *err);

/* Encodes a MAP<STRING, BYTES> column as record headers, as KafkaDynamicSink does: entries with a NULL key or value are
 * left out, a NULL map has no headers. data_out and offsets_out (length+1) are freed with sf_pool_free. */
SF_EXPORT SF_MUST_CHECK sf_status sf_kafka_headers_encode(sf_pool *pool, const sf_column *map, uint8_t **data_out,
                                                          int64_t **offsets_out, sf_error *err);

#ifdef __cplusplus
}
#endif
#endif
