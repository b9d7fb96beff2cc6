#include "every_type.h"

static void builders_produce_what_was_appended(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *batch = NULL;
  OK(build(pool, type, 0, 1000, &batch, &err));
  assert_int_equal(1000, batch->length);
  assert_int_equal(100, batch->n_marks);
  assert_int_equal(9, batch->marks[0].row);
  assert_int_equal(250, batch->columns[3]->null_count);
  for (int64_t i = 0; i < 1000; i++) expect_row(batch, i, i);
  assert_true(sf_batch_bytes(batch) > 1000 * 20);
  sf_batch_release(batch);
  OK(build(pool, type, 0, 0, &batch, &err));
  assert_int_equal(0, batch->length);
  assert_int_equal(0, ((const int32_t *)batch->columns[10]->aux)[0]);
  sf_batch_release(batch);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void filters_keep_rows_kinds_and_move_marks(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *batch = NULL, *some = NULL, *all = NULL, *none = NULL;
  OK(build(pool, type, 0, 300, &batch, &err));
  int32_t rows[300];
  int64_t n = 0;
  for (int32_t i = 0; i < 300; i++) {
    if (i % 7 == 3 || i % 7 == 4) rows[n++] = i;
  }
  OK(sf_batch_filter(pool, batch, rows, n, &some, &err));
  assert_int_equal(n, some->length);
  for (int64_t i = 0; i < n; i++) expect_row(some, i, rows[i]);
  assert_int_equal(batch->n_marks, some->n_marks);
  for (int64_t i = 0; i < some->n_marks; i++) {
    int64_t row = some->marks[i].row, was = batch->marks[i].row;
    assert_int_equal(batch->marks[i].watermark, some->marks[i].watermark);
    assert_true(row == n || rows[row] >= was);
    assert_true(row == 0 || rows[row - 1] < was);
  }
  for (int32_t i = 0; i < 300; i++) rows[i] = i;
  OK(sf_batch_filter(pool, batch, rows, 300, &all, &err));
  assert_ptr_equal(all, batch);
  OK(sf_batch_filter(pool, batch, rows, 0, &none, &err));
  assert_int_equal(0, none->length);
  assert_int_equal(30, none->n_marks);
  assert_int_equal(0, none->marks[29].row);
  sf_batch_release(all);
  sf_batch_release(batch); /* views stay valid without the batch they come from */
  for (int64_t i = 0; i < n; i++) {
    if (!sf_column_is_null(some->columns[8], i)) assert_int_equal('v', ((const sf_view *)some->columns[8]->values)[i].data[0]);
  }
  sf_batch_release(some);
  sf_batch_release(none);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void filtered_strings_let_go_of_the_views_they_came_from(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *fields[1] = {scalar(SF_TYPE_VARCHAR, 0, 0, 100)};
  sf_type *type = nested(SF_TYPE_ROW, 1, fields);
  sf_batch_builder *b = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  for (int i = 0; i < 5000; i++) {
    OK(sf_column_builder_bytes(sf_batch_builder_column(b, 0), "x", 1, &err));
    OK(sf_batch_builder_end_row(b, SF_INSERT, &err));
  }
  sf_batch *batch = NULL, *one = NULL;
  OK(sf_batch_builder_finish(b, &batch, &err));
  sf_batch_builder_destroy(b);
  int32_t row = 17;
  OK(sf_batch_filter(pool, batch, &row, 1, &one, &err));
  sf_batch_release(batch);
  assert_true(sf_pool_used(pool) < 40000); /* the bytes, but not 5000 views of 16 bytes */
  assert_null(one->row_kinds);
  sf_batch_release(one);
  sf_type_release(type);
  sf_pool_release(pool);
}

static void concatenation_joins_rows_kinds_and_marks(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *parts[4] = {NULL}, *whole = NULL, *picked = NULL;
  OK(build(pool, type, 0, 13, &parts[0], &err));
  OK(build(pool, type, 13, 13, &parts[1], &err));
  OK(build(pool, type, 13, 100, &parts[2], &err));
  OK(build(pool, type, 100, 271, &parts[3], &err));
  OK(sf_batch_concat(pool, (const sf_batch *const *)parts, 4, &whole, &err));
  for (int i = 0; i < 4; i++) sf_batch_release(parts[i]);
  assert_int_equal(271, whole->length);
  assert_int_equal(27, whole->n_marks);
  for (int64_t i = 0; i < whole->n_marks; i++) assert_int_equal(whole->marks[i].row, whole->marks[i].watermark);
  for (int64_t i = 0; i < 271; i++) expect_row(whole, i, i);
  assert_int_equal(68, whole->columns[10]->null_count);
  int32_t rows[3] = {270, 2, 2}; /* gather takes any order */
  sf_column *strings = NULL;
  OK(sf_column_gather(pool, whole->columns[8], rows, 3, &strings, &err));
  expect_text(strings, 0, 270);
  expect_text(strings, 2, 2);
  assert_null(strings->validity);
  sf_column_release(strings);
  OK(sf_batch_concat(pool, (const sf_batch *const *)&whole, 1, &picked, &err));
  assert_ptr_equal(picked, whole);
  sf_batch_release(picked);
  sf_batch_release(whole);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

/* A const column made of row 0 of another. */
static sf_column *as_const(sf_pool *pool, sf_column *c, int64_t row, int64_t length) {
  sf_error err;
  sf_column *single = NULL, *repeated = NULL;
  int32_t index = (int32_t)row;
  OK(sf_column_gather(pool, c, &index, 1, &single, &err));
  for (int32_t i = 0; i < single->n_buffers; i++) sf_buffer_retain(single->buffers[i]);
  for (int32_t i = 0; i < single->n_children; i++) sf_column_retain(single->children[i]);
  sf_column_spec spec = {.type = single->type, .length = length, .null_count = -1, .validity = single->validity,
                         .values = single->values, .aux = single->aux, .is_const = true,
                         .n_children = single->n_children, .children = single->children,
                         .n_buffers = single->n_buffers, .buffers = single->buffers};
  OK(sf_column_create(&spec, &repeated, &err));
  sf_column_release(single);
  return repeated;
}

static void const_columns_flatten_gather_and_concatenate(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *batch = NULL, *repeated = NULL;
  OK(build(pool, type, 0, 60, &batch, &err));
  const int64_t sources[2] = {44, 45}; /* 45 is NULL */
  for (int s = 0; s < 2; s++) {
    sf_column *flat[12];
    sf_buffer *kinds = NULL;
    OK(sf_buffer_create(pool, 33, &kinds, &err));
    memset(sf_buffer_data(kinds), (int)(sources[s] % 3), 33);
    for (int32_t k = 0; k < 12; k++) {
      sf_column *c = as_const(pool, batch->columns[k], sources[s], 40), *picked = NULL;
      assert_int_equal(s, sf_column_is_null(c, 39));
      int32_t rows[30];
      for (int32_t i = 0; i < 30; i++) rows[i] = i + 10;
      OK(sf_column_gather(pool, c, rows, 30, &picked, &err));
      assert_true(picked->is_const);
      assert_int_equal(s * 30, picked->null_count);
      const sf_column *both[2] = {picked, picked};
      sf_column *joined = NULL;
      OK(sf_column_concat(pool, both, 2, &joined, &err));
      assert_false(joined->is_const);
      int32_t tail[33];
      for (int32_t i = 0; i < 33; i++) tail[i] = i + 20;
      OK(sf_column_gather(pool, joined, tail, 33, &flat[k], &err));
      sf_column_release(c);
      sf_column_release(picked);
      sf_column_release(joined);
    }
    OK(sf_batch_create(type, 33, flat, kinds, NULL, 0, &repeated, &err));
    for (int64_t i = 0; i < 33; i++) expect_row(repeated, i, sources[s]);
    for (int32_t k = 0; k < 12; k++) sf_column_release(flat[k]);
    sf_batch_release(repeated);
  }
  sf_batch_release(batch);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void flatten_shares_what_is_flat_and_reaches_children(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *batch = NULL;
  OK(build(pool, type, 0, 20, &batch, &err));
  sf_column *same = NULL;
  OK(sf_column_flatten(pool, batch->columns[9], &same, &err));
  assert_ptr_equal(same, batch->columns[9]);
  sf_column_release(same);
  /* a ROW, not const itself, of a const and a plain child */
  sf_column *children[2] = {as_const(pool, batch->columns[9]->children[0], 8, 20),
                            sf_column_retain(batch->columns[9]->children[1])};
  sf_column_spec spec = {.type = batch->columns[9]->type, .length = 20, .n_children = 2, .children = children};
  sf_column *row = NULL, *flat = NULL;
  OK(sf_column_create(&spec, &row, &err));
  OK(sf_column_flatten(pool, row, &flat, &err));
  assert_false(flat->children[0]->is_const);
  assert_int_equal(8, ((const int32_t *)flat->children[0]->values)[19]);
  assert_ptr_equal(flat->children[1], row->children[1]);
  sf_column_release(row);
  sf_column_release(flat);
  sf_batch_release(batch);
  sf_type_release(type);
  sf_pool_release(pool);
}

static void retype_shares_bytes_and_refuses_other_layouts(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *batch = NULL;
  OK(build(pool, type, 0, 20, &batch, &err));
  sf_type *date = scalar(SF_TYPE_DATE, 0, 0, 0);
  sf_column *c = NULL;
  OK(sf_column_retype(batch->columns[3], date, &c, &err));
  assert_ptr_equal(c->values, batch->columns[3]->values);
  assert_int_equal(SF_TYPE_DATE, c->type->kind);
  assert_int_equal(batch->columns[3]->null_count, c->null_count);
  sf_column_release(c);
  FAILS(SF_INVALID, sf_column_retype(batch->columns[4], date, &c, &err));
  sf_type *inner[2] = {sf_type_retain(date), scalar(SF_TYPE_CHAR, 0, 0, 3)};
  sf_type *row = nested(SF_TYPE_ROW, 2, inner);
  OK(sf_column_retype(batch->columns[9], row, &c, &err));
  assert_int_equal(SF_TYPE_DATE, c->children[0]->type->kind);
  sf_column_release(c);
  sf_type_release(row);
  sf_type_release(date);
  sf_batch_release(batch);
  sf_type_release(type);
  sf_pool_release(pool);
}

static void builders_copy_values_of_other_columns(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *batch = NULL, *copy = NULL;
  OK(build(pool, type, 0, 50, &batch, &err));
  sf_batch_builder *b = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  for (int round = 0; round < 2; round++) {
    for (int64_t i = 49; i >= 0; i--) {
      for (int32_t k = 0; k < 12; k++) OK(sf_column_builder_copy(sf_batch_builder_column(b, k), batch->columns[k], i, &err));
      OK(sf_batch_builder_end_row(b, batch->row_kinds[i], &err));
    }
    OK(sf_batch_builder_finish(b, &copy, &err));
    for (int64_t i = 0; i < 50; i++) expect_row(copy, i, 49 - i);
    sf_batch_release(copy);
  }
  sf_batch_builder_destroy(b);
  sf_batch_release(batch);
  sf_type_release(type);
  sf_pool_release(pool);
}

static void misuse_is_refused(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *fields[2] = {scalar(SF_TYPE_INTEGER, 0, 0, 0), scalar(SF_TYPE_VARCHAR, 0, 0, 100)};
  sf_type *type = nested(SF_TYPE_ROW, 2, fields);
  sf_batch_builder *b = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  FAILS(SF_INVALID, sf_column_builder_bytes(sf_batch_builder_column(b, 0), "a", 1, &err));
  FAILS(SF_INVALID, sf_column_builder_int(sf_batch_builder_column(b, 1), 1, &err));
  FAILS(SF_INVALID, sf_column_builder_end(sf_batch_builder_column(b, 1), &err));
  OK(sf_column_builder_int(sf_batch_builder_column(b, 0), 1, &err));
  FAILS(SF_INVALID, sf_batch_builder_end_row(b, SF_INSERT, &err));
  OK(sf_column_builder_null(sf_batch_builder_column(b, 1), &err));
  FAILS(SF_INVALID, sf_batch_builder_end_row(b, 4, &err));
  OK(sf_batch_builder_end_row(b, SF_DELETE, &err));
  sf_batch *batch = NULL, *wrong = NULL;
  OK(sf_batch_builder_finish(b, &batch, &err));
  sf_batch_builder_destroy(b);
  sf_column *swapped[2] = {batch->columns[1], batch->columns[0]};
  FAILS(SF_INVALID, sf_batch_create(type, 1, swapped, NULL, NULL, 0, &wrong, &err));
  FAILS(SF_INVALID, sf_batch_create(type, 2, batch->columns, NULL, NULL, 0, &wrong, &err));
  FAILS(SF_INVALID, sf_batch_create(type, 1, batch->columns, NULL, NULL, 1, &wrong, &err));
  assert_null(wrong);
  sf_batch_release(batch);
  sf_type_release(type);
  sf_pool_release(pool);
}

static sf_status attempt_everything(sf_pool *pool, sf_error *err) {
  sf_type *type = every_type();
  sf_batch *a = NULL, *b = NULL, *joined = NULL;
  sf_column *null = NULL;
  int32_t rows[3] = {1, 5, 20};
  sf_status st = SF_OK;
  SF_GOTO(build(pool, type, 0, 30, &a, err));
  SF_GOTO(sf_batch_filter(pool, a, rows, 3, &b, err));
  const sf_batch *list[2] = {a, b};
  SF_GOTO(sf_batch_concat(pool, list, 2, &joined, err));
  SF_GOTO(sf_column_create_null(pool, type, 3, &null, err));
  for (int64_t i = 0; i < 30; i++) expect_row(joined, i, i);
  expect_row(joined, 32, 20);
cleanup:
  sf_column_release(null);
  sf_batch_release(a);
  sf_batch_release(b);
  sf_batch_release(joined);
  sf_type_release(type);
  return st;
}

static void a_failing_allocation_leaks_nothing(void **state) {
  (void)state;
  with_rising_limits(attempt_everything);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(builders_produce_what_was_appended),
      TEST(filters_keep_rows_kinds_and_move_marks),
      TEST(filtered_strings_let_go_of_the_views_they_came_from),
      TEST(concatenation_joins_rows_kinds_and_marks),
      TEST(const_columns_flatten_gather_and_concatenate),
      TEST(flatten_shares_what_is_flat_and_reaches_children),
      TEST(retype_shares_bytes_and_refuses_other_layouts),
      TEST(builders_copy_values_of_other_columns),
      TEST(misuse_is_refused),
      TEST(a_failing_allocation_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
