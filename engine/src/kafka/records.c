/* Record encoding of org.apache.kafka.common.record.DefaultRecord and the producer's rules for when a batch is full. */
#include "streamfusion/kafka_records.h"

#include <string.h>

enum { BATCH_OVERHEAD = 61, RECORD_OVERHEAD = 21 }; /* DefaultRecordBatch.RECORD_BATCH_OVERHEAD, MAX_RECORD_OVERHEAD */

static const float kCompressionFactor = 1.05f; /* MemoryRecordsBuilder.COMPRESSION_RATE_ESTIMATION_FACTOR */

static inline uint64_t zigzag(int64_t v) { return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63); }

static inline int32_t varint_size(int64_t v) {
  uint64_t u = zigzag(v);
  /* bits in groups of seven, at least one */
  return (64 - __builtin_clzll(u | 1) + 6) / 7;
}

static inline uint8_t *varint_write(uint8_t *out, int64_t v) {
  uint64_t u = zigzag(v);
  while (u >= 0x80) {
    *out++ = (uint8_t)(u | 0x80);
    u >>= 7;
  }
  *out++ = (uint8_t)u;
  return out;
}

static inline int64_t bytes_size(int32_t size) { return size < 0 ? 1 : varint_size(size) + (int64_t)size; }

static inline uint8_t *bytes_write(uint8_t *out, const uint8_t *data, int32_t size) {
  if (size < 0) return varint_write(out, -1);
  out = varint_write(out, size);
  if (size > 0) memcpy(out, data, (size_t)size);
  return out + size;
}

static int64_t body_size(const sf_kafka_record *r, int32_t offset_delta, int64_t timestamp_delta) {
  return 1 /* attributes */ + varint_size(timestamp_delta) + varint_size(offset_delta) + bytes_size(r->key_size) +
         bytes_size(r->value_size) + (r->headers == NULL ? 1 : r->headers_size);
}

int64_t sf_kafka_record_size(const sf_kafka_record *record, int32_t offset_delta, int64_t timestamp_delta) {
  int64_t body = body_size(record, offset_delta, timestamp_delta);
  return varint_size(body) + body;
}

static uint8_t *write_record(const sf_kafka_record *r, int64_t body, int32_t offset_delta, int64_t timestamp_delta,
                             uint8_t *out) {
  out = varint_write(out, body);
  *out++ = 0; /* attributes: none are in use */
  out = varint_write(out, timestamp_delta);
  out = varint_write(out, offset_delta);
  out = bytes_write(out, r->key, r->key_size);
  out = bytes_write(out, r->value, r->value_size);
  if (r->headers == NULL) return varint_write(out, 0);
  memcpy(out, r->headers, (size_t)r->headers_size);
  return out + r->headers_size;
}

int64_t sf_kafka_record_write(const sf_kafka_record *record, int32_t offset_delta, int64_t timestamp_delta,
                              uint8_t *out) {
  return write_record(record, body_size(record, offset_delta, timestamp_delta), offset_delta, timestamp_delta, out) - out;
}

void sf_kafka_rows_get(const sf_kafka_rows *rows, int64_t row, sf_kafka_record *out) {
  out->key = NULL;
  out->key_size = -1;
  if (rows->keys != NULL) {
    out->key = rows->keys + rows->key_offsets[row];
    out->key_size = (int32_t)(rows->key_offsets[row + 1] - rows->key_offsets[row]);
  }
  out->value = NULL;
  out->value_size = -1;
  if (rows->tombstones == NULL || rows->tombstones[row] == 0) {
    out->value = rows->values + rows->value_offsets[row];
    out->value_size = (int32_t)(rows->value_offsets[row + 1] - rows->value_offsets[row]);
  }
  out->headers = NULL;
  out->headers_size = 0;
  if (rows->headers != NULL) {
    out->headers = rows->headers + rows->header_offsets[row];
    out->headers_size = (int32_t)(rows->header_offsets[row + 1] - rows->header_offsets[row]);
  }
  out->timestamp = rows->timestamps == NULL ? rows->now : rows->timestamps[row];
}

int64_t sf_kafka_record_bound(const sf_kafka_record *record) {
  return BATCH_OVERHEAD + RECORD_OVERHEAD + bytes_size(record->key_size) + bytes_size(record->value_size) +
         (record->headers == NULL ? 1 : record->headers_size);
}

int32_t sf_kafka_estimated_bytes(const sf_kafka_batch_state *s) {
  if (!s->compressed) return s->header_bytes + s->uncompressed_bytes;
  /* Java: int * float is float, rounded after each operation */
  float scaled = (float)s->uncompressed_bytes * s->compression_ratio;
  scaled = scaled * kCompressionFactor;
  return s->header_bytes + (int32_t)scaled;
}

static void account(sf_kafka_batch_state *s, const sf_kafka_record *r, int64_t size, int64_t bound) {
  if (r->timestamp > s->max_timestamp) {
    s->max_timestamp = r->timestamp;
    s->offset_of_max_timestamp = s->num_records;
  }
  if (bound > s->max_record_bound) s->max_record_bound = (int32_t)bound;
  s->num_records++;
  s->uncompressed_bytes += (int32_t)size;
}

sf_kafka_stop sf_kafka_fill(const sf_kafka_rows *rows, const int32_t *order, int64_t from, int64_t to,
                            sf_kafka_batch_state *s, uint8_t *out, size_t room, size_t *written_out, int64_t *next_out) {
  sf_kafka_stop stop = SF_KAFKA_END;
  uint8_t *at = out;
  int64_t i = from;
  int32_t estimated = sf_kafka_estimated_bytes(s);
  for (; i < to; i++) {
    sf_kafka_record r;
    sf_kafka_rows_get(rows, order == NULL ? i : order[i], &r);
    int64_t bound = sf_kafka_record_bound(&r);
    if (bound > s->record_limit || r.timestamp < 0) {
      stop = SF_KAFKA_SINGLE;
      break;
    }
    if (s->num_records == 0) s->base_timestamp = r.timestamp;
    int64_t timestamp_delta = r.timestamp - s->base_timestamp;
    int64_t body = body_size(&r, s->num_records, timestamp_delta);
    int64_t size = varint_size(body) + body;
    if (s->num_records > 0 && (s->write_limit <= estimated || s->write_limit < estimated + size)) {
      stop = SF_KAFKA_FULL;
      break;
    }
    if (size > (int64_t)(room - (size_t)(at - out))) {
      stop = SF_KAFKA_ROOM;
      break;
    }
    at = write_record(&r, body, s->num_records, timestamp_delta, at);
    /* the first record of a batch counts with the batch header (RecordAccumulator.appendNewBatch) */
    int32_t before = s->num_records == 0 ? 0 : estimated;
    account(s, &r, size, bound);
    estimated = sf_kafka_estimated_bytes(s);
    if (s->sticky_limit > 0) {
      s->sticky_bytes += estimated - before;
      if ((int64_t)s->sticky_bytes >= 2 * (int64_t)s->sticky_limit) {
        i++;
        stop = i < to ? SF_KAFKA_FULL : SF_KAFKA_END;
        break;
      }
    }
  }
  *written_out = (size_t)(at - out);
  *next_out = i;
  return stop;
}
