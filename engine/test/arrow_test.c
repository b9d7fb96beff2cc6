#include <stdlib.h>

#include "golden_rows.h"
#include "streamfusion/arrow.h"
#include "streamfusion/binary_row.h"

/* Both batches have the same rows, seen as binary rows. */
static void same_rows(sf_pool *pool, const sf_batch *a, int64_t from, const sf_batch *b) {
  sf_row_writer *wa = NULL, *wb = NULL;
  OK(sf_row_writer_create(pool, a->type, NULL, 0, SF_ROW_PROJECTION, &wa, &err)); /* without row kinds */
  OK(sf_row_writer_create(pool, b->type, NULL, 0, SF_ROW_PROJECTION, &wb, &err));
  for (int64_t i = 0; i < b->length; i++) {
    const uint8_t *bytes_a = NULL, *bytes_b = NULL;
    size_t size_a = 0, size_b = 0;
    OK(sf_row_writer_write(wa, a, from + i, &bytes_a, &size_a, &err));
    OK(sf_row_writer_write(wb, b, i, &bytes_b, &size_b, &err));
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
  }
  sf_row_writer_destroy(wa);
  sf_row_writer_destroy(wb);
}

static void every_type_goes_out_and_comes_back(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *type = golden_type();
  sf_batch *batch = golden_batch(pool, type), *back = NULL, *part = NULL;
  struct ArrowSchema schema;
  struct ArrowArray array;
  OK(sf_arrow_export(pool, batch, &schema, &array, &err));
  assert_string_equal("+s", schema.format);
  assert_int_equal(N_FIELDS, array.n_children);
  assert_string_equal("d:30,5", schema.children[8]->format);
  assert_string_equal("tsn:", schema.children[14]->format);
  assert_string_equal("tsu:UTC", schema.children[15]->format);
  assert_string_equal("+m", schema.children[20]->format);
  assert_string_equal("entries", schema.children[20]->children[0]->name);
  assert_int_equal(ARROW_FLAG_NULLABLE, schema.children[3]->flags);
  /* what Arrow lays out alike is shared */
  assert_ptr_equal(batch->columns[4]->values, array.children[4]->buffers[1]);
  assert_ptr_equal(batch->columns[4]->validity, array.children[4]->buffers[0]);
  OK(sf_arrow_import(pool, type, &schema, &array, &back, &err));
  assert_null(array.release);
  schema.release(&schema);
  assert_null(schema.release);
  same_rows(pool, batch, 0, back);
  sf_batch_release(back);
  /* a consumer may look at a part */
  OK(sf_arrow_export(pool, batch, &schema, &array, &err));
  array.offset = 5;
  array.length = 13;
  OK(sf_arrow_import(pool, type, &schema, &array, &part, &err));
  schema.release(&schema);
  assert_int_equal(13, part->length);
  same_rows(pool, batch, 5, part);
  sf_batch_release(batch); /* the part keeps what it refers to */
  const int32_t rows[2] = {3, 12};
  sf_batch *filtered = NULL;
  OK(sf_batch_filter(pool, part, rows, 2, &filtered, &err));
  sf_batch_release(part);
  batch = golden_batch(pool, type);
  OK(sf_batch_filter(pool, batch, (const int32_t[]){8, 17}, 2, &part, &err));
  same_rows(pool, part, 0, filtered);
  sf_batch_release(part);
  sf_batch_release(filtered);
  sf_batch_release(batch);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

/* --- arrays made by others */

static int released;
static void count_array_release(struct ArrowArray *array) {
  released++;
  array->release = NULL;
}

typedef struct foreign {
  struct ArrowSchema schema, field;
  struct ArrowSchema *fields[1];
  struct ArrowArray array, column;
  struct ArrowArray *columns[1];
  const void *row_buffers[1], *buffers[3];
} foreign;

/* A batch of one column. */
static void foreign_column(foreign *f, const char *format, int64_t length, int64_t offset, int64_t nulls,
                           int64_t n_buffers, const void *validity, const void *a, const void *b) {
  memset(f, 0, sizeof *f);
  f->field = (struct ArrowSchema){.format = format, .name = "a", .flags = ARROW_FLAG_NULLABLE};
  f->fields[0] = &f->field;
  f->schema = (struct ArrowSchema){.format = "+s", .name = "", .n_children = 1, .children = f->fields};
  f->buffers[0] = validity;
  f->buffers[1] = a;
  f->buffers[2] = b;
  f->column = (struct ArrowArray){.length = length, .null_count = nulls, .offset = offset, .n_buffers = n_buffers,
                                  .buffers = f->buffers};
  f->columns[0] = &f->column;
  f->array = (struct ArrowArray){.length = length, .n_buffers = 1, .n_children = 1, .buffers = f->row_buffers,
                                 .children = f->columns, .release = count_array_release};
}

static sf_batch *import_foreign(sf_pool *pool, sf_type *column, foreign *f) {
  sf_type *fields[1] = {column};
  sf_type *type = nested(SF_TYPE_ROW, 1, fields);
  sf_batch *batch = NULL;
  OK(sf_arrow_import(pool, type, &f->schema, &f->array, &batch, &err));
  sf_type_release(type);
  return batch;
}

static void offsets_and_other_layouts_are_read(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  foreign f;
  released = 0;
  static const uint8_t validity[1] = {0xf7}; /* row 3 is NULL */
  static const int32_t ints[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  foreign_column(&f, "i", 4, 2, 1, 2, validity, ints, NULL);
  sf_batch *batch = import_foreign(pool, scalar(SF_TYPE_INTEGER, 0, 0, 0), &f);
  assert_int_equal(4, batch->length);
  assert_ptr_equal(ints + 2, batch->columns[0]->values);
  assert_false(sf_column_is_null(batch->columns[0], 0));
  assert_true(sf_column_is_null(batch->columns[0], 1));
  assert_int_equal(0, released);
  sf_batch_release(batch);
  assert_int_equal(1, released);

  static const int64_t large[4] = {0, 2, 2, 5};
  foreign_column(&f, "U", 2, 1, 0, 3, NULL, large, "abcde");
  batch = import_foreign(pool, scalar(SF_TYPE_VARCHAR, 0, 0, 10), &f);
  const sf_view *views = batch->columns[0]->values;
  assert_int_equal(0, views[0].size);
  assert_int_equal(3, views[1].size);
  assert_memory_equal("cde", views[1].data, 3);
  sf_batch_release(batch);

  foreign_column(&f, "w:2", 2, 1, 0, 2, NULL, "aabbcc", NULL);
  batch = import_foreign(pool, scalar(SF_TYPE_BINARY, 0, 0, 2), &f);
  assert_memory_equal("cc", ((const sf_view *)batch->columns[0]->values)[1].data, 2);
  sf_batch_release(batch);

  static const int64_t seconds[2] = {-1, 7};
  foreign_column(&f, "tss:UTC", 2, 0, 0, 2, NULL, seconds, NULL);
  batch = import_foreign(pool, scalar(SF_TYPE_TIMESTAMP_LTZ, 3, 0, 0), &f);
  assert_int_equal(-1000, ((const int64_t *)batch->columns[0]->values)[0]);
  sf_batch_release(batch);

  static const int64_t nanos[2] = {-1, 1000001};
  foreign_column(&f, "tsn:", 2, 0, 0, 2, NULL, nanos, NULL);
  batch = import_foreign(pool, scalar(SF_TYPE_TIMESTAMP, 9, 0, 0), &f);
  assert_int_equal(-1, ((const int64_t *)batch->columns[0]->values)[0]);
  assert_int_equal(999999, ((const int32_t *)batch->columns[0]->aux)[0]);
  assert_int_equal(1, ((const int32_t *)batch->columns[0]->aux)[1]);
  sf_batch_release(batch);

  static const char unaligned[20] = {9, 1, 0, 0, 0, 2, 0, 0, 0};
  foreign_column(&f, "i", 2, 0, 0, 2, NULL, unaligned + 1, NULL);
  batch = import_foreign(pool, scalar(SF_TYPE_INTEGER, 0, 0, 0), &f);
  assert_int_equal(2, ((const int32_t *)batch->columns[0]->values)[1]);
  sf_batch_release(batch);

  foreign_column(&f, "u", 0, 0, 0, 3, NULL, NULL, NULL);
  batch = import_foreign(pool, scalar(SF_TYPE_VARCHAR, 0, 0, 10), &f);
  assert_int_equal(0, batch->length);
  sf_batch_release(batch);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void refuse(sf_pool *pool, sf_type *column, foreign *f) {
  sf_type *fields[1] = {column};
  sf_type *type = nested(SF_TYPE_ROW, 1, fields);
  sf_batch *batch = NULL;
  int before = released;
  FAILS(SF_INVALID, sf_arrow_import(pool, type, &f->schema, &f->array, &batch, &err));
  assert_null(batch);
  assert_null(f->array.release);
  assert_int_equal(before + 1, released);
  sf_type_release(type);
}

static void schemas_that_do_not_fit_are_refused_and_released(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  foreign f;
  static const int64_t longs[4] = {INT64_MAX, 2, 3, 4};
  const char *formats[] = {"i", "tsu:", "tsm:UTC", "d:10,2", "d:10,2,256", "u", "", "w:x"};
  const sf_type_kind kinds[] = {SF_TYPE_BIGINT,  SF_TYPE_TIMESTAMP, SF_TYPE_TIMESTAMP, SF_TYPE_BIGINT,
                                SF_TYPE_DECIMAL, SF_TYPE_VARBINARY, SF_TYPE_INTEGER,   SF_TYPE_BINARY};
  for (int i = 0; i < 8; i++) {
    foreign_column(&f, formats[i], 2, 0, 0, 2, NULL, longs, NULL);
    refuse(pool, scalar(kinds[i], kinds[i] == SF_TYPE_DECIMAL ? 10 : 3, kinds[i] == SF_TYPE_DECIMAL ? 2 : 0, 5), &f);
  }
  foreign_column(&f, "l", 2, 0, 0, 3, NULL, longs, NULL);
  refuse(pool, scalar(SF_TYPE_BIGINT, 0, 0, 0), &f);
  foreign_column(&f, "l", 2, 0, 0, 2, NULL, longs, NULL);
  f.array.length = 3;
  refuse(pool, scalar(SF_TYPE_BIGINT, 0, 0, 0), &f);
  foreign_column(&f, "d:10,2", 1, 0, 0, 2, NULL, longs, NULL); /* a value beyond 64 bits */
  refuse(pool, scalar(SF_TYPE_DECIMAL, 10, 2, 0), &f);
  static const uint8_t no_rows[1] = {0};
  foreign_column(&f, "l", 2, 0, 0, 2, NULL, longs, NULL);
  f.row_buffers[0] = no_rows;
  f.array.null_count = 2;
  refuse(pool, scalar(SF_TYPE_BIGINT, 0, 0, 0), &f);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void a_timestamp_beyond_nanoseconds_is_an_error(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *fields[1] = {scalar(SF_TYPE_TIMESTAMP, 9, 0, 0)};
  sf_type *type = nested(SF_TYPE_ROW, 1, fields);
  sf_batch_builder *b = NULL;
  sf_batch *batch = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  OK(sf_column_builder_timestamp(sf_batch_builder_column(b, 0), INT64_C(253402300800000), 0, &err)); /* year 10000 */
  OK(sf_batch_builder_end_row(b, SF_INSERT, &err));
  OK(sf_batch_builder_finish(b, &batch, &err));
  sf_batch_builder_destroy(b);
  struct ArrowSchema schema;
  struct ArrowArray array;
  FAILS(SF_ARITHMETIC, sf_arrow_export(pool, batch, &schema, &array, &err));
  assert_null(schema.release);
  assert_null(array.release);
  sf_batch_release(batch);
  sf_type_release(type);
  sf_pool_release(pool);
}

static sf_status attempt(sf_pool *pool, sf_error *e) {
  sf_pool *unlimited = pool_of(-1);
  sf_type *type = golden_type();
  sf_batch *batch = golden_batch(unlimited, type), *back = NULL;
  struct ArrowSchema schema = {0};
  struct ArrowArray array = {0};
  sf_status st = sf_arrow_export(pool, batch, &schema, &array, e);
  if (st == SF_OK) {
    array.offset = 1; /* so that bitmaps are copied */
    array.length = 20;
    st = sf_arrow_import(pool, type, &schema, &array, &back, e);
    assert_null(array.release);
    schema.release(&schema);
  }
  sf_batch_release(back);
  sf_batch_release(batch);
  sf_type_release(type);
  sf_pool_release(unlimited);
  return st;
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  with_rising_limits(attempt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(every_type_goes_out_and_comes_back),
      TEST(offsets_and_other_layouts_are_read),
      TEST(schemas_that_do_not_fit_are_refused_and_released),
      TEST(a_timestamp_beyond_nanoseconds_is_an_error),
      TEST(failing_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
