#include "every_type.h"
#include "streamfusion/exchange.h"

static sf_buffer *write_record(sf_pool *pool, const sf_batch *batch, sf_record_range range) {
  sf_error err;
  size_t size = 0;
  OK(sf_record_size(batch, range, &size, &err));
  sf_buffer *record = NULL;
  OK(sf_buffer_create(pool, size, &record, &err));
  OK(sf_record_write(batch, range, sf_buffer_data(record), size, &err));
  assert_int_equal(SF_RECORD_VERSION, sf_buffer_data(record)[0]);
  return record;
}

static sf_record_range whole(const sf_batch *batch) { return (sf_record_range){0, batch->length, true}; }

static sf_buffer *copy_of(sf_pool *pool, const sf_buffer *record, size_t size) {
  sf_error err;
  sf_buffer *copy = NULL;
  OK(sf_buffer_create(pool, size, &copy, &err));
  if (size > 0) memcpy(sf_buffer_data(copy), sf_buffer_data(record), size);
  return copy;
}

static void expect_rows(const sf_batch *batch, int64_t from) {
  for (int64_t i = 0; i < batch->length; i++) expect_row(batch, i, from + i);
}

static void every_type_travels(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  static const int64_t lengths[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 1000};
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    sf_batch *batch = NULL, *read = NULL;
    OK(build(pool, type, 0, lengths[k], &batch, &err));
    sf_buffer *record = write_record(pool, batch, whole(batch));
    sf_batch_release(batch); /* the record stands alone */
    OK(sf_record_read(pool, type, record, &read, &err));
    assert_int_equal(lengths[k], read->length);
    assert_int_equal(lengths[k] / 10, read->n_marks);
    for (int64_t i = 0; i < read->n_marks; i++) {
      assert_int_equal(10 * i + 9, read->marks[i].row);
      assert_int_equal(10 * i + 9, read->marks[i].watermark);
    }
    expect_rows(read, 0);
    sf_batch_release(read);
  }
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void any_range_of_rows_makes_a_record(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *batch = NULL;
  OK(build(pool, type, 0, 150, &batch, &err));
  for (int64_t from = 0; from <= 150; from += 7) {
    for (int64_t n = 0; from + n <= 150; n += 1 + n / 2) {
      for (int marks = 0; marks < 2; marks++) {
        sf_batch *read = NULL;
        OK(sf_record_read(pool, type, write_record(pool, batch, (sf_record_range){from, n, marks}), &read, &err));
        assert_int_equal(n, read->length);
        expect_rows(read, from);
        int64_t expected = 0;
        for (int64_t i = 0; i < batch->n_marks; i++) {
          if (batch->marks[i].row >= from && batch->marks[i].row <= from + n) expected++;
        }
        assert_int_equal(marks ? expected : 0, read->n_marks);
        if (read->n_marks > 0) assert_int_equal(read->marks[0].watermark, from + read->marks[0].row);
        sf_batch_release(read);
      }
    }
  }
  size_t size = 0;
  FAILS(SF_INVALID, sf_record_size(batch, (sf_record_range){1, 150, false}, &size, &err));
  FAILS(SF_INVALID, sf_record_size(batch, (sf_record_range){-1, 2, false}, &size, &err));
  sf_batch_release(batch);
  sf_type_release(type);
  sf_pool_release(pool);
}

/* What was read can be filtered, joined and written like any batch. */
static void batches_off_a_record_are_like_others(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *parts[2] = {NULL}, *joined = NULL, *some = NULL, *again = NULL;
  for (int i = 0; i < 2; i++) {
    sf_batch *batch = NULL;
    OK(build(pool, type, i * 40, i * 40 + 40, &batch, &err));
    OK(sf_record_read(pool, type, write_record(pool, batch, whole(batch)), &parts[i], &err));
    sf_batch_release(batch);
  }
  OK(sf_batch_concat(pool, (const sf_batch *const *)parts, 2, &joined, &err));
  for (int i = 0; i < 2; i++) sf_batch_release(parts[i]);
  assert_int_equal(80, joined->length);
  expect_rows(joined, 0);
  static const int32_t rows[5] = {0, 1, 38, 41, 79};
  OK(sf_batch_filter(pool, joined, rows, 5, &some, &err));
  sf_batch_release(joined);
  OK(sf_record_read(pool, type, write_record(pool, some, whole(some)), &again, &err));
  sf_batch_release(some);
  for (int64_t i = 0; i < 5; i++) expect_row(again, i, rows[i]);
  sf_batch_release(again);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void bare_columns_are_compact(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *fields[3] = {scalar(SF_TYPE_BIGINT, 0, 0, 0), scalar(SF_TYPE_NULL, 0, 0, 0), scalar(SF_TYPE_VARCHAR, 0, 0, 9)};
  sf_type *type = nested(SF_TYPE_ROW, 3, fields);
  sf_batch_builder *b = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  for (int i = 0; i < 100; i++) {
    OK(sf_column_builder_int(sf_batch_builder_column(b, 0), i, &err));
    OK(sf_column_builder_null(sf_batch_builder_column(b, 1), &err));
    OK(sf_column_builder_bytes(sf_batch_builder_column(b, 2), "four", 4, &err));
    OK(sf_batch_builder_end_row(b, SF_INSERT, &err));
  }
  sf_batch *batch = NULL, *read = NULL;
  OK(sf_batch_builder_finish(b, &batch, &err));
  sf_batch_builder_destroy(b);
  sf_buffer *record = write_record(pool, batch, whole(batch));
  assert_int_equal(24 + 3 * 8 + 800 + 400 + 400, sf_buffer_size(record));
  OK(sf_record_read(pool, type, record, &read, &err));
  assert_null(read->row_kinds);
  assert_null(read->columns[0]->validity);
  assert_int_equal(100, read->columns[1]->null_count);
  sf_batch_release(read);
  sf_batch_release(batch);
  sf_type_release(type);
  sf_pool_release(pool);
}

static void const_columns_are_refused(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *inner[1] = {scalar(SF_TYPE_INTEGER, 0, 0, 0)};
  sf_type *row = nested(SF_TYPE_ROW, 1, inner), *fields[1] = {row};
  sf_type *type = nested(SF_TYPE_ROW, 1, fields);
  int32_t *values = NULL;
  sf_buffer *buffer = NULL;
  OK(sf_buffer_create(pool, sizeof *values, &buffer, &err));
  values = (int32_t *)(void *)sf_buffer_data(buffer);
  *values = 7;
  sf_column *constant = NULL, *column = NULL;
  const sf_column_spec child = {
      .type = row->children[0], .length = 3, .values = values, .is_const = true, .n_buffers = 1, .buffers = &buffer};
  OK(sf_column_create(&child, &constant, &err));
  const sf_column_spec parent = {.type = row, .length = 3, .n_children = 1, .children = &constant};
  OK(sf_column_create(&parent, &column, &err));
  sf_batch *batch = NULL;
  OK(sf_batch_create(type, 3, &column, NULL, NULL, 0, &batch, &err));
  size_t size = 0;
  FAILS(SF_INVALID, sf_record_size(batch, whole(batch), &size, &err));
  sf_batch_release(batch);
  sf_column_release(column);
  sf_type_release(type);
  sf_pool_release(pool);
}

/* --- what must not be read */

static void expect_corrupt(sf_pool *pool, const sf_type *type, sf_buffer *record, const char *text) {
  sf_error err = {.message = ""};
  sf_batch *read = NULL;
  FAILS(SF_CORRUPT, sf_record_read(pool, type, record, &read, &err));
  assert_null(read);
  if (strstr(err.message, text) == NULL) fail_msg("\"%s\" does not say \"%s\"", err.message, text);
}

static void other_versions_are_named(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *batch = NULL;
  OK(build(pool, type, 0, 5, &batch, &err));
  sf_buffer *record = write_record(pool, batch, whole(batch));
  sf_batch_release(batch);
  sf_buffer_data(record)[0] = SF_RECORD_VERSION + 1;
  expect_corrupt(pool, type, record, "format version 2");
  sf_type_release(type);
  sf_pool_release(pool);
}

static void other_types_are_named(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_type *one[1] = {scalar(SF_TYPE_INTEGER, 0, 0, 0)}, *narrow = nested(SF_TYPE_ROW, 1, one);
  sf_type *fields[12];
  for (int i = 0; i < 12; i++) fields[i] = sf_type_retain(type->children[(i + 1) % 12]);
  sf_type *turned = nested(SF_TYPE_ROW, 12, fields);
  sf_batch *batch = NULL;
  OK(build(pool, type, 0, 5, &batch, &err));
  sf_buffer *record = write_record(pool, batch, whole(batch));
  expect_corrupt(pool, narrow, copy_of(pool, record, sf_buffer_size(record)), "12 columns where 1");
  expect_corrupt(pool, turned, copy_of(pool, record, sf_buffer_size(record)), "TINYINT is expected");
  sf_buffer_release(record);
  sf_batch_release(batch);
  sf_type_release(turned);
  sf_type_release(narrow);
  sf_type_release(type);
  sf_pool_release(pool);
}

static void shortened_records_are_refused(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *batch = NULL;
  OK(build(pool, type, 0, 30, &batch, &err));
  sf_buffer *record = write_record(pool, batch, whole(batch));
  sf_batch_release(batch);
  for (size_t size = 0; size < sf_buffer_size(record); size++) {
    sf_buffer *cut = copy_of(pool, record, size);
    if (size >= 24) { /* with the size that it has now */
      uint64_t stated = size;
      memcpy(sf_buffer_data(cut) + 16, &stated, sizeof stated);
    }
    sf_batch *read = NULL;
    FAILS(SF_CORRUPT, sf_record_read(pool, type, cut, &read, &err));
  }
  sf_buffer_release(record);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static sf_type *limited_type;
static sf_status travel(sf_pool *pool, sf_error *err) {
  sf_batch *batch = NULL, *read = NULL;
  SF_TRY(build(pool, limited_type, 0, 20, &batch, err));
  sf_buffer *record = NULL;
  size_t size = 0;
  sf_status st = sf_record_size(batch, whole(batch), &size, err);
  if (st == SF_OK) st = sf_buffer_create(pool, size, &record, err);
  if (st == SF_OK) st = sf_record_write(batch, whole(batch), sf_buffer_data(record), size, err);
  if (st == SF_OK) st = sf_record_read(pool, limited_type, record, &read, err);
  sf_batch_release(read);
  sf_batch_release(batch);
  return st;
}

static void lack_of_memory_leaks_nothing(void **state) {
  (void)state;
  limited_type = every_type();
  with_rising_limits(travel);
  sf_type_release(limited_type);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(every_type_travels),
      TEST(any_range_of_rows_makes_a_record),
      TEST(batches_off_a_record_are_like_others),
      TEST(bare_columns_are_compact),
      TEST(const_columns_are_refused),
      TEST(other_versions_are_named),
      TEST(other_types_are_named),
      TEST(shortened_records_are_refused),
      TEST(lack_of_memory_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
