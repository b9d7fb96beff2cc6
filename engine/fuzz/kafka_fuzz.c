/* Fills batches with records cut from the input and reads them back: every byte accounted for, no byte invented. */
#include <stdlib.h>
#include <string.h>

#include "streamfusion/kafka_records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_ROWS = 32 };

typedef struct reader {
  const uint8_t *at;
  const uint8_t *end;
} reader;

static void check(bool ok) {
  if (!ok) abort();
}

static int64_t read_varint(reader *r) {
  uint64_t u = 0;
  for (int shift = 0;; shift += 7) {
    check(r->at < r->end && shift < 64);
    uint8_t b = *r->at++;
    u |= (uint64_t)(b & 0x7f) << shift;
    if (b < 0x80) break;
  }
  return (int64_t)(u >> 1) ^ -(int64_t)(u & 1);
}

static void expect_bytes(reader *r, const uint8_t *data, int32_t size) {
  check(read_varint(r) == size);
  if (size <= 0) return;
  check(r->end - r->at >= size && memcmp(r->at, data, (size_t)size) == 0);
  r->at += size;
}

static void expect_record(reader *r, const sf_kafka_record *record, int64_t offset, int64_t base_timestamp) {
  int64_t body = read_varint(r);
  const uint8_t *start = r->at;
  check(*r->at++ == 0);
  check(read_varint(r) == record->timestamp - base_timestamp);
  check(read_varint(r) == offset);
  expect_bytes(r, record->key, record->key_size);
  expect_bytes(r, record->value, record->value_size);
  if (record->headers == NULL) {
    check(read_varint(r) == 0);
  } else {
    check(memcmp(r->at, record->headers, (size_t)record->headers_size) == 0);
    r->at += record->headers_size;
  }
  check(r->at - start == body);
}

/* Rows from the input: two bytes of sizes each, then what is left is shared out. */
static int64_t cut(const uint8_t *data, size_t size, int64_t *keys, int64_t *values, int64_t *timestamps) {
  int64_t n = 0;
  int64_t key_end = 0;
  int64_t value_end = 0;
  keys[0] = values[0] = 0;
  while (n < MAX_ROWS && (size_t)(2 * n + 2) <= size / 2) {
    key_end += data[2 * n] % 16;
    value_end += data[2 * n + 1];
    if ((size_t)key_end > size || (size_t)value_end > size) break;
    timestamps[n] = (int64_t)data[2 * n] * 1000003 * data[2 * n + 1] - (data[2 * n] == 255);
    n++;
    keys[n] = key_end;
    values[n] = value_end;
  }
  return n;
}

static void fill_and_read(const sf_kafka_rows *rows, int32_t limit, size_t room, bool sticky) {
  uint8_t *out = malloc(room + 1);
  check(out != NULL);
  int64_t from = 0;
  while (from < rows->n) {
    sf_kafka_batch_state s = {.max_timestamp = -1,
                              .offset_of_max_timestamp = -1,
                              .write_limit = limit,
                              .header_bytes = 61,
                              .record_limit = limit,
                              .sticky_limit = sticky ? limit / 2 + 1 : 0};
    size_t written;
    int64_t next;
    sf_kafka_stop stop = sf_kafka_fill(rows, NULL, from, rows->n, &s, out, room, &written, &next);
    check(written <= room && next >= from && s.num_records == next - from);
    check(s.uncompressed_bytes == (int64_t)written);
    check(stop != SF_KAFKA_END || next == rows->n);
    reader r = {out, out + written};
    for (int64_t i = from; i < next; i++) {
      sf_kafka_record record;
      sf_kafka_rows_get(rows, i, &record);
      expect_record(&r, &record, i - from, s.base_timestamp);
    }
    check(r.at == r.end);
    from = next > from ? next : from + 1;
  }
  free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 8) return 0;
  int64_t keys[MAX_ROWS + 1];
  int64_t values[MAX_ROWS + 1];
  int64_t timestamps[MAX_ROWS];
  uint8_t tombstones[MAX_ROWS];
  sf_kafka_rows rows = {0};
  rows.n = cut(data + 4, size - 4, keys, values, timestamps);
  rows.values = data + 4;
  rows.value_offsets = values;
  if (data[0] & 1) {
    rows.keys = data + 4;
    rows.key_offsets = keys;
  }
  if (data[0] & 2) rows.timestamps = timestamps;
  if (data[0] & 4) {
    for (int64_t i = 0; i < rows.n; i++) tombstones[i] = data[4 + i] & 1;
    rows.tombstones = tombstones;
  }
  rows.now = data[3];
  fill_and_read(&rows, 61 + 8 * (int32_t)data[1] + 16, (size_t)data[2] * 8, (data[0] & 8) != 0);
  return 0;
}
