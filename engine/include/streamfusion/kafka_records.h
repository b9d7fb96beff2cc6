/* Encodes runs of records for Kafka: the body of a version 2 record batch (varint framed records), without its header,
 * which the Java client writes. Source: org.apache.kafka.common.record.DefaultRecord. */
#ifndef STREAMFUSION_KAFKA_RECORDS_H
#define STREAMFUSION_KAFKA_RECORDS_H

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

/* Size of the record with these deltas, its length prefix included: what the client's estimate needs. */
SF_EXPORT int32_t sf_kafka_record_size(const sf_kafka_record *record, int32_t offset_delta, int64_t timestamp_delta);
/* Writes it and returns the bytes written; `out` has room for sf_kafka_record_size. */
SF_EXPORT int32_t sf_kafka_record_write(const sf_kafka_record *record, int32_t offset_delta, int64_t timestamp_delta,
                                        uint8_t *out);

#ifdef __cplusplus
}
#endif
#endif
