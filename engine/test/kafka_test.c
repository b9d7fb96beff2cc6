/* Record encoding against hand-made bytes, partitioning against values of the Java client, filling of batches. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "streamfusion/assemble.h"
#include "streamfusion/builder.h"
#include "streamfusion/kafka_records.h"

static sf_kafka_record record(const char *key, const char *value) {
  return (sf_kafka_record){(const uint8_t *)key,   key == NULL ? -1 : (int32_t)strlen(key),
                           (const uint8_t *)value, value == NULL ? -1 : (int32_t)strlen(value),
                           NULL,                   0,
                           0};
}

static void writes_the_documented_bytes(void **state) {
  (void)state;
  uint8_t out[64];
  sf_kafka_record r = record("k", "value");
  /* body: attributes, timestamp delta 300, offset delta 2, key, value, no headers */
  const uint8_t expected[] = {26, 0, 0xd8, 0x04, 4, 2, 'k', 10, 'v', 'a', 'l', 'u', 'e', 0};
  assert_int_equal(sf_kafka_record_size(&r, 2, 300), (int64_t)sizeof expected);
  assert_int_equal(sf_kafka_record_write(&r, 2, 300, out), (int64_t)sizeof expected);
  assert_memory_equal(out, expected, sizeof expected);
}

static void writes_nulls_headers_and_negative_deltas(void **state) {
  (void)state;
  uint8_t out[64];
  sf_kafka_record r = record(NULL, NULL);
  const uint8_t headers[] = {2, 2, 'h', 1}; /* one header, "h", null value */
  r.headers = headers;
  r.headers_size = sizeof headers;
  const uint8_t expected[] = {18, 0, 1, 0, 1, 1, 2, 2, 'h', 1};
  assert_int_equal(sf_kafka_record_write(&r, 0, -1, out), (int64_t)sizeof expected);
  assert_memory_equal(out, expected, sizeof expected);
  assert_int_equal(sf_kafka_record_size(&r, 0, -1), (int64_t)sizeof expected);
}

static void partitions_as_the_client(void **state) {
  (void)state;
  /* values of org.apache.kafka.common.utils.Utils.murmur2, made positive */
  const struct {
    const char *key;
    int32_t hash;
  } known[] = {{"21", -973932308}, {"foobar", -790332482},        {"a-little-bit-long-string", -985981536},
               {"abc", 479470107}, {"a-little-bit-longer-string", -1486304829}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    int32_t positive = known[i].hash & 0x7fffffff;
    assert_int_equal(sf_kafka_partition_for_key((const uint8_t *)known[i].key, strlen(known[i].key), 1000003),
                     positive % 1000003);
  }
}

enum { ROWS = 10 };

typedef struct fixture {
  uint8_t values[ROWS * 20];
  int64_t offsets[ROWS + 1];
  sf_kafka_rows rows;
} fixture;

static void fixture_open(fixture *f) {
  memset(f, 0, sizeof *f);
  memset(f->values, 'x', sizeof f->values);
  for (int i = 0; i <= ROWS; i++) f->offsets[i] = 20 * i;
  f->rows = (sf_kafka_rows){.n = ROWS, .values = f->values, .value_offsets = f->offsets, .now = 1000};
}

static sf_kafka_batch_state empty_batch(int32_t limit) {
  return (sf_kafka_batch_state){
      .max_timestamp = -1, .offset_of_max_timestamp = -1, .write_limit = limit, .header_bytes = 61, .record_limit = limit};
}

static void stops_where_the_batch_is_full(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  uint8_t out[1024];
  size_t written;
  int64_t next;
  /* a record is 1 + 26 bytes: header 61 + 3 * 27 = 142 */
  sf_kafka_batch_state s = empty_batch(150);
  assert_int_equal(sf_kafka_fill(&f.rows, NULL, 0, ROWS, &s, out, sizeof out, &written, &next), SF_KAFKA_FULL);
  assert_int_equal(next, 3);
  assert_int_equal(written, 81);
  assert_int_equal(s.num_records, 3);
  assert_int_equal(s.uncompressed_bytes, 81);
  assert_int_equal(s.base_timestamp, 1000);
  assert_int_equal(s.max_timestamp, 1000);
  assert_int_equal(s.offset_of_max_timestamp, 0);
  assert_int_equal(s.max_record_bound, 61 + 21 + 1 + 21 + 1);
  /* full: nothing more goes in */
  assert_int_equal(sf_kafka_fill(&f.rows, NULL, 3, ROWS, &s, out, sizeof out, &written, &next), SF_KAFKA_FULL);
  assert_int_equal(next, 3);
  assert_int_equal(written, 0);
}

static void stops_for_room_and_for_single_records(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  uint8_t out[1024];
  size_t written;
  int64_t next;
  sf_kafka_batch_state s = empty_batch(10000);
  assert_int_equal(sf_kafka_fill(&f.rows, NULL, 0, ROWS, &s, out, 60, &written, &next), SF_KAFKA_ROOM);
  assert_int_equal(next, 2);
  f.offsets[3] = 41; /* row 2 is short; row 3 follows */
  s.record_limit = 61 + 21 + 1 + 21;
  assert_int_equal(sf_kafka_fill(&f.rows, NULL, 2, ROWS, &s, out, sizeof out, &written, &next), SF_KAFKA_SINGLE);
  assert_int_equal(next, 3);
  int64_t timestamps[ROWS] = {5, 7, 6, -1, 8};
  f.rows.timestamps = timestamps;
  s = empty_batch(10000);
  assert_int_equal(sf_kafka_fill(&f.rows, NULL, 0, ROWS, &s, out, sizeof out, &written, &next), SF_KAFKA_SINGLE);
  assert_int_equal(next, 3);
  assert_int_equal(s.max_timestamp, 7);
  assert_int_equal(s.offset_of_max_timestamp, 1);
}

static void ends_a_run_at_twice_the_sticky_limit(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  uint8_t out[1024];
  size_t written;
  int64_t next;
  sf_kafka_batch_state s = empty_batch(10000);
  s.sticky_limit = 60; /* 61 + 27 < 120 <= 61 + 3 * 27 */
  assert_int_equal(sf_kafka_fill(&f.rows, NULL, 0, ROWS, &s, out, sizeof out, &written, &next), SF_KAFKA_FULL);
  assert_int_equal(next, 3);
  assert_int_equal(s.sticky_bytes, 61 + 81);
}

static void estimates_compressed_sizes_as_the_client(void **state) {
  (void)state;
  sf_kafka_batch_state s = empty_batch(100);
  s.compressed = 1;
  s.compression_ratio = 0.5f;
  s.uncompressed_bytes = 1001;
  assert_int_equal(sf_kafka_estimated_bytes(&s), 61 + 525);
}

static void orders_rows_by_partition(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *text = "abcdefghij";
  int64_t offsets[ROWS + 1];
  for (int i = 0; i <= ROWS; i++) offsets[i] = i;
  f.rows.keys = (const uint8_t *)text;
  f.rows.key_offsets = offsets;
  sf_pool *pool;
  assert_int_equal(sf_pool_create("test", -1, NULL, &pool, NULL), SF_OK);
  int32_t order[ROWS];
  int32_t counts[3];
  for (int32_t i = 0; i < ROWS; i++) order[i] = i;
  assert_int_equal(sf_kafka_partition_rows(pool, &f.rows, ROWS, 3, order, counts, NULL), SF_OK);
  assert_int_equal(counts[0] + counts[1] + counts[2], ROWS);
  int position = 0;
  for (int32_t p = 0; p < 3; p++) {
    int32_t last = -1;
    for (int i = 0; i < counts[p]; i++, position++) {
      assert_int_equal(sf_kafka_partition_for_key((const uint8_t *)text + order[position], 1, 3), p);
      assert_true(order[position] > last);
      last = order[position];
    }
  }
  sf_pool_release(pool);
}

static void orders_rows_by_group(void **state) {
  (void)state;
  sf_pool *pool;
  assert_int_equal(sf_pool_create("test", -1, NULL, &pool, NULL), SF_OK);
  int32_t order[5] = {9, 3, 7, 1, 5};
  int32_t groups[5] = {2, 0, 2, 0, 3};
  int32_t counts[4];
  assert_int_equal(sf_kafka_group_rows(pool, groups, 5, 4, order, counts, NULL), SF_OK);
  const int32_t sorted[5] = {3, 1, 9, 7, 5};
  const int32_t expected[4] = {2, 0, 2, 1};
  assert_memory_equal(order, sorted, sizeof sorted);
  assert_memory_equal(counts, expected, sizeof expected);
  groups[4] = 4;
  assert_int_equal(sf_kafka_group_rows(pool, groups, 5, 4, order, counts, NULL), SF_INVALID);
  assert_memory_equal(order, sorted, sizeof sorted);
  sf_pool_release(pool);
}

static sf_batch *two_ints(sf_pool *pool, const sf_type *row, int64_t first) {
  sf_batch_builder *builder;
  assert_int_equal(sf_batch_builder_create(pool, row, &builder, NULL), SF_OK);
  for (int64_t i = 0; i < 3; i++) {
    assert_int_equal(sf_column_builder_int(sf_batch_builder_column(builder, 0), first + i, NULL), SF_OK);
    assert_int_equal(sf_column_builder_int(sf_batch_builder_column(builder, 1), -(first + i), NULL), SF_OK);
    assert_int_equal(sf_batch_builder_end_row(builder, i == 1 ? SF_DELETE : SF_INSERT, NULL), SF_OK);
  }
  sf_batch *batch;
  assert_int_equal(sf_batch_builder_finish(builder, &batch, NULL), SF_OK);
  sf_batch_builder_destroy(builder);
  return batch;
}

static void assembles_columns_of_several_batches(void **state) {
  (void)state;
  int64_t live = sf_live_objects();
  sf_pool *pool;
  assert_int_equal(sf_pool_create("test", -1, NULL, &pool, NULL), SF_OK);
  sf_type *bigint;
  assert_int_equal(sf_type_scalar(SF_TYPE_BIGINT, true, 0, 0, 0, &bigint, NULL), SF_OK);
  sf_type *const two[] = {bigint, bigint};
  const char *const names[] = {"a", "b", "c"};
  sf_type *pair;
  assert_int_equal(sf_type_nested(SF_TYPE_ROW, false, 2, two, names, &pair, NULL), SF_OK);
  sf_type *const three[] = {bigint, bigint, bigint};
  sf_type *triple;
  assert_int_equal(sf_type_nested(SF_TYPE_ROW, false, 3, three, names, &triple, NULL), SF_OK);
  sf_batch *left = two_ints(pool, pair, 10);
  sf_batch *right = two_ints(pool, pair, 20);
  const int32_t left_rows[] = {1, 0};
  const int32_t right_rows[] = {2, 2};
  const sf_batch_part parts[] = {{left, left_rows}, {right, right_rows}, {NULL, NULL}};
  const int32_t part_of[] = {0, -1, 1};
  const int32_t column_of[] = {0, 0, 1};
  sf_batch *out;
  assert_int_equal(sf_batch_assemble(pool, triple, 2, parts, 3, part_of, column_of, &out, NULL), SF_OK);
  assert_int_equal(out->length, 2);
  assert_int_equal(((const int64_t *)out->columns[0]->values)[0], 11);
  assert_int_equal(((const int64_t *)out->columns[0]->values)[1], 10);
  assert_true(sf_column_is_null(out->columns[1], 0) && sf_column_is_null(out->columns[1], 1));
  assert_int_equal(((const int64_t *)out->columns[2]->values)[1], -22);
  assert_int_equal(out->row_kinds[0], SF_DELETE);
  assert_int_equal(out->row_kinds[1], SF_INSERT);
  sf_batch_release(out);
  const int32_t absent[] = {2, -1, 1};
  assert_int_equal(sf_batch_assemble(pool, triple, 2, parts, 3, absent, column_of, &out, NULL), SF_INVALID);
  const sf_batch_part short_part[] = {{left, NULL}};
  assert_int_equal(sf_batch_assemble(pool, triple, 2, short_part, 1, part_of, column_of, &out, NULL), SF_INVALID);
  sf_batch_release(left);
  sf_batch_release(right);
  sf_type_release(triple);
  sf_type_release(pair);
  sf_type_release(bigint);
  sf_pool_release(pool);
  assert_int_equal(sf_live_objects(), live);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_the_documented_bytes),
      cmocka_unit_test(writes_nulls_headers_and_negative_deltas),
      cmocka_unit_test(partitions_as_the_client),
      cmocka_unit_test(stops_where_the_batch_is_full),
      cmocka_unit_test(stops_for_room_and_for_single_records),
      cmocka_unit_test(ends_a_run_at_twice_the_sticky_limit),
      cmocka_unit_test(estimates_compressed_sizes_as_the_client),
      cmocka_unit_test(orders_rows_by_partition),
      cmocka_unit_test(orders_rows_by_group),
      cmocka_unit_test(assembles_columns_of_several_batches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
