#include "plan_support.h"

#define BIGINT() scalar(SF_TYPE_BIGINT, 0, 0, 0)
#define BOOL() scalar(SF_TYPE_BOOLEAN, 0, 0, 0)
#define STRING() scalar(SF_TYPE_VARCHAR, 0, 0, INT32_MAX)
#define TS3() scalar(SF_TYPE_TIMESTAMP, 3, 0, 0)

static sf_type *id_row_type(void) {
  sf_type *inner[2] = {BIGINT(), STRING()};
  sf_type *fields[3] = {BIGINT(), nested(SF_TYPE_ROW, 2, inner), STRING()};
  return nested(SF_TYPE_ROW, 3, fields);
}

/* Rows (i, (10 i, "n<i>"), "s<i>") for i in [0, n); row kinds i % 4, a mark before every fifth row. i % 7 == 6: NULL row. */
static sf_batch *id_rows(sf_pool *pool, const sf_type *type, int64_t n) {
  sf_error err;
  sf_batch_builder *b = NULL;
  sf_batch *batch = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  sf_column_builder *row = sf_batch_builder_column(b, 1);
  for (int64_t i = 0; i < n; i++) {
    char text[24];
    if (i % 5 == 0) OK(sf_batch_builder_mark(b, 1000 + i, &err));
    OK(sf_column_builder_int(sf_batch_builder_column(b, 0), i, &err));
    if (i % 7 == 6) {
      OK(sf_column_builder_null(row, &err));
    } else {
      int size = snprintf(text, sizeof text, "n%d", (int)i);
      OK(sf_column_builder_int(sf_column_builder_child(row, 0), 10 * i, &err));
      OK(sf_column_builder_bytes(sf_column_builder_child(row, 1), text, (size_t)size, &err));
      OK(sf_column_builder_end(row, &err));
    }
    int size = snprintf(text, sizeof text, "s%d", (int)i);
    OK(sf_column_builder_bytes(sf_batch_builder_column(b, 2), text, (size_t)size, &err));
    OK(sf_batch_builder_end_row(b, (uint8_t)(i % 4), &err));
  }
  OK(sf_batch_builder_finish(b, &batch, &err));
  sf_batch_builder_destroy(b);
  return batch;
}

static void string_is(const sf_column *c, int64_t row, const char *text) {
  sf_view view = ((const sf_view *)c->values)[row];
  assert_int_equal(strlen(text), view.size);
  assert_memory_equal(text, view.data, view.size);
}

/* A condition on the first column. */
static plan_expr *id_greater_than(int64_t bound) {
  return call2("GREATER_THAN", BOOL(), input(0, BIGINT()), int_literal(bound, BIGINT()));
}

static void calc_filters_densely_and_projects(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *in = id_row_type();
  sf_type *out_fields[3] = {STRING(), BIGINT(), BIGINT()};
  sf_type *out = nested(SF_TYPE_ROW, 3, out_fields);
  sf_type *inner = sf_type_retain(in->children[1]);
  plan_expr *row = input(1, inner);
  plan_expr *projection[3] = {field(row, 1, STRING()), input(0, BIGINT()), int_literal(7, BIGINT())};
  sf_operator *op = NULL;
  OK(create_operator(pool, calc_plan(in, out, id_greater_than(9), projection), &op, &err));
  assert_true(sf_type_equal(out, sf_operator_output_type(op), true));
  sf_batch *batch = id_rows(pool, in, 30), *result = NULL;
  sf_collector collector = {&result, keep_one};
  for (int round = 0; round < 2; round++) {
    OK(sf_operator_process(op, 0, batch, &collector, &err));
    assert_int_equal(20, result->length);
    assert_int_equal(6, result->n_marks);
    for (int64_t i = 0; i < 20; i++) {
      int64_t id = i + 10;
      char text[24];
      snprintf(text, sizeof text, "n%d", (int)id);
      assert_int_equal(id % 7 == 6, sf_column_is_null(result->columns[0], i));
      if (id % 7 != 6) string_is(result->columns[0], i, text);
      assert_int_equal(id, ((const int64_t *)result->columns[1]->values)[i]);
      assert_int_equal(7, ((const int64_t *)result->columns[2]->values)[i]);
      assert_int_equal(id % 4, result->row_kinds[i]);
    }
    const int64_t rows[6] = {0, 0, 0, 5, 10, 15}; /* marks stood before rows 0, 5, 10, 15, 20, 25 */
    for (int k = 0; k < 6; k++) assert_int_equal(rows[k], result->marks[k].row);
    sf_batch_release(result);
    result = NULL;
  }
  FAILS(SF_INVALID, sf_operator_process(op, 1, batch, &collector, &err));
  sf_operator_destroy(op);
  sf_batch_release(batch);
  sf_type_release(in);
  sf_type_release(out);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
  plan_reset();
}

static void calc_writes_defaults_for_nulls_of_the_projections_named(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *in = id_row_type();
  sf_type *out_fields[4] = {STRING(), BIGINT(), BIGINT(), BOOL()};
  sf_type *out = nested(SF_TYPE_ROW, 4, out_fields);
  plan_expr *row = input(1, sf_type_retain(in->children[1]));
  plan_expr *id = field(row, 0, BIGINT());
  plan_expr *projection[4] = {field(row, 1, STRING()), id, id,
                              call2("GREATER_THAN", BOOL(), id, int_literal(20, BIGINT()))};
  plan_operator *plan = calc_plan(in, out, NULL, projection);
  int32_t defaulted[3] = {0, 1, 3};
  plan->calc->n_default_for_null = 3;
  plan->calc->default_for_null = defaulted;
  sf_operator *op = NULL;
  OK(create_operator(pool, plan, &op, &err));
  sf_batch *batch = id_rows(pool, in, 14), *result = NULL;
  sf_collector collector = {&result, keep_one};
  OK(sf_operator_process(op, 0, batch, &collector, &err));
  for (int64_t i = 0; i < 14; i++) {
    const bool null = i % 7 == 6; /* the whole inner row */
    assert_false(sf_column_is_null(result->columns[0], i));
    assert_int_equal(null ? 0 : i < 10 ? 2 : 3, ((const sf_view *)result->columns[0]->values)[i].size);
    assert_int_equal(null ? -1 : 10 * i, ((const int64_t *)result->columns[1]->values)[i]);
    assert_int_equal(null, sf_column_is_null(result->columns[2], i));
    assert_int_equal(!null && i > 2, ((const uint8_t *)result->columns[3]->values)[i]);
  }
  sf_batch_release(result);
  sf_operator_destroy(op);
  op = NULL;
  defaulted[2] = 4;
  FAILS(SF_INVALID, create_operator(pool, plan, &op, &err));
  defaulted[2] = 1;
  FAILS(SF_INVALID, create_operator(pool, plan, &op, &err));
  sf_batch_release(batch);
  sf_type_release(in);
  sf_type_release(out);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
  plan_reset();
}

static void calc_shares_columns_where_all_rows_pass(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *in = id_row_type();
  sf_type *out_fields[2] = {STRING(), BIGINT()};
  sf_type *out = nested(SF_TYPE_ROW, 2, out_fields);
  plan_expr *projection[2] = {input(2, STRING()), input(0, BIGINT())};
  sf_operator *op = NULL;
  OK(create_operator(pool, calc_plan(in, out, id_greater_than(-1), projection), &op, &err));
  sf_batch *batch = id_rows(pool, in, 12), *result = NULL;
  sf_collector collector = {&result, keep_one};
  OK(sf_operator_process(op, 0, batch, &collector, &err));
  assert_ptr_equal(result->columns[0], batch->columns[2]);
  assert_ptr_equal(result->columns[1], batch->columns[0]);
  assert_ptr_equal(result->row_kinds, batch->row_kinds);
  assert_int_equal(batch->n_marks, result->n_marks);
  sf_batch_release(result);
  sf_batch_release(batch);
  sf_operator_destroy(op);
  sf_type_release(in);
  sf_type_release(out);
  sf_pool_release(pool);
  plan_reset();
}

static void calc_emits_marks_without_rows_but_nothing_for_nothing(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *in = id_row_type();
  sf_type *out_fields[1] = {STRING()};
  sf_type *out = nested(SF_TYPE_ROW, 1, out_fields);
  plan_expr *projection[1] = {input(2, STRING())};
  sf_operator *op = NULL;
  OK(create_operator(pool, calc_plan(in, out, id_greater_than(1000), projection), &op, &err));
  sf_batch *batch = id_rows(pool, in, 12), *result = NULL;
  sf_collector collector = {&result, keep_one};
  OK(sf_operator_process(op, 0, batch, &collector, &err));
  assert_int_equal(0, result->length);
  assert_int_equal(3, result->n_marks);
  assert_int_equal(1010, result->marks[2].watermark);
  sf_batch_release(result);
  result = NULL;
  sf_batch *plain = NULL;
  OK(sf_batch_create(in, 12, batch->columns, NULL, NULL, 0, &plain, &err));
  OK(sf_operator_process(op, 0, plain, &collector, &err));
  assert_null(result);
  OK(sf_operator_watermark(op, 5, &collector, &err));
  OK(sf_operator_timer(op, 5, &collector, &err));
  OK(sf_operator_before_barrier(op, &collector, &err));
  OK(sf_operator_finish(op, &collector, &err));
  assert_null(result);
  sf_batch_release(plain);
  sf_batch_release(batch);
  sf_operator_destroy(op);
  sf_type_release(in);
  sf_type_release(out);
  sf_pool_release(pool);
  plan_reset();
}

static void drop_update_before_drops_only_those(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = id_row_type();
  sf_operator *op = NULL;
  OK(create_operator(pool, drop_plan(type), &op, &err));
  sf_batch *batch = id_rows(pool, type, 12), *result = NULL;
  sf_collector collector = {&result, keep_one};
  OK(sf_operator_process(op, 0, batch, &collector, &err));
  assert_int_equal(9, result->length);
  for (int64_t i = 0; i < 9; i++) assert_int_not_equal(SF_UPDATE_BEFORE, result->row_kinds[i]);
  assert_int_equal(2, ((const int64_t *)result->columns[0]->values)[1]);
  sf_batch_release(result);
  result = NULL;
  sf_batch *plain = NULL;
  OK(sf_batch_create(type, 12, batch->columns, NULL, NULL, 0, &plain, &err));
  OK(sf_operator_process(op, 0, plain, &collector, &err));
  assert_ptr_equal(plain, result);
  sf_batch_release(result);
  sf_batch_release(plain);
  sf_batch_release(batch);
  sf_operator_destroy(op);
  sf_type_release(type);
  sf_pool_release(pool);
  plan_reset();
}

/* --- watermarks */

static sf_batch *timestamps(sf_pool *pool, const sf_type *type, const int64_t *values, int64_t n) {
  sf_error err;
  sf_batch_builder *b = NULL;
  sf_batch *batch = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  for (int64_t i = 0; i < n; i++) {
    if (values[i] == INT64_MIN) OK(sf_column_builder_null(sf_batch_builder_column(b, 0), &err));
    else OK(sf_column_builder_timestamp(sf_batch_builder_column(b, 0), values[i], 0, &err));
    OK(sf_batch_builder_end_row(b, SF_INSERT, &err));
  }
  OK(sf_batch_builder_finish(b, &batch, &err));
  sf_batch_builder_destroy(b);
  return batch;
}

static void expect_marks(sf_batch **result, int64_t length, int n, const sf_mark *marks) {
  assert_non_null(*result);
  assert_int_equal(length, (*result)->length);
  assert_int_equal(n, (*result)->n_marks);
  for (int i = 0; i < n; i++) {
    assert_int_equal(marks[i].row, (*result)->marks[i].row);
    assert_int_equal(marks[i].watermark, (*result)->marks[i].watermark);
  }
  sf_batch_release(*result);
  *result = NULL;
}

static void watermarks_advance_behind_the_row_that_moves_them(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *fields[1] = {TS3()};
  sf_type *type = nested(SF_TYPE_ROW, 1, fields);
  sf_operator *op = NULL;
  OK(create_operator(pool, watermark_plan(type, 0, input(0, TS3()), 200), &op, &err));
  sf_batch *result = NULL;
  sf_collector collector = {&result, keep_one};
  /* last = 0: 200 is not more than 200 away, 201 is; 150 does not go back; 401 is 200 away from 201, 402 more */
  const int64_t first[] = {-5, 200, 201, 150, 401, 402};
  sf_batch *batch = timestamps(pool, type, first, 6);
  OK(sf_operator_process(op, 0, batch, &collector, &err));
  assert_ptr_equal(result->columns[0], batch->columns[0]);
  expect_marks(&result, 6, 2, (sf_mark[]){{3, 201}, {6, 402}});
  sf_batch_release(batch);
  const int64_t second[] = {500, 450};
  batch = timestamps(pool, type, second, 2);
  OK(sf_operator_process(op, 0, batch, &collector, &err));
  expect_marks(&result, 2, 0, NULL);
  sf_batch_release(batch);
  OK(sf_operator_timer(op, 12345, &collector, &err)); /* periodic: whatever has advanced */
  expect_marks(&result, 0, 1, (sf_mark[]){{0, 500}});
  OK(sf_operator_timer(op, 12346, &collector, &err));
  assert_null(result);
  OK(sf_operator_watermark(op, 100000, &collector, &err)); /* ignored */
  assert_null(result);
  OK(sf_operator_watermark(op, INT64_MAX, &collector, &err));
  expect_marks(&result, 0, 1, (sf_mark[]){{0, INT64_MAX}});
  OK(sf_operator_watermark(op, INT64_MAX, &collector, &err));
  assert_null(result);
  sf_operator_destroy(op);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
  plan_reset();
}

static void watermark_assigner_replaces_marks_and_refuses_null_rowtimes(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *fields[1] = {TS3()};
  sf_type *type = nested(SF_TYPE_ROW, 1, fields);
  sf_operator *op = NULL;
  OK(create_operator(pool, watermark_plan(type, 0, input(0, TS3()), 0), &op, &err));
  sf_batch *result = NULL;
  sf_collector collector = {&result, keep_one};
  const int64_t values[] = {10, 20};
  sf_batch *plain = timestamps(pool, type, values, 2), *marked = NULL;
  sf_buffer *marks = NULL;
  OK(sf_buffer_create(pool, 2 * sizeof(sf_mark), &marks, &err));
  sf_mark *m = (sf_mark *)(void *)sf_buffer_data(marks);
  m[0] = (sf_mark){0, 3};
  m[1] = (sf_mark){2, INT64_MAX};
  OK(sf_batch_create(type, 2, plain->columns, NULL, marks, 2, &marked, &err));
  OK(sf_operator_process(op, 0, marked, &collector, &err));
  expect_marks(&result, 2, 3, (sf_mark[]){{1, 10}, {2, 20}, {2, INT64_MAX}});
  sf_batch_release(marked);
  sf_batch_release(plain);
  const int64_t with_null[] = {10, INT64_MIN};
  plain = timestamps(pool, type, with_null, 2);
  FAILS(SF_RUNTIME, sf_operator_process(op, 0, plain, &collector, &err));
  assert_string_equal("RowTime field should not be null, please convert it to a non-null long value.", err.message);
  assert_int_equal(1, err.row);
  assert_null(result);
  sf_batch_release(plain);
  sf_operator_destroy(op);
  sf_type_release(type);
  sf_pool_release(pool);
  plan_reset();
}

/* --- sink constraints */

static sf_type *sink_type(void) {
  sf_type *fields[4] = {BIGINT(), scalar(SF_TYPE_CHAR, 0, 0, 3), scalar(SF_TYPE_VARCHAR, 0, 0, 4),
                        scalar(SF_TYPE_BINARY, 0, 0, 2)};
  return nested(SF_TYPE_ROW, 4, fields);
}

typedef struct sink_row {
  int64_t id; /* -1: NULL */
  const char *text[3];
} sink_row;

static sf_batch *sink_rows(sf_pool *pool, const sf_type *type, const sink_row *rows, int64_t n) {
  sf_error err;
  sf_batch_builder *b = NULL;
  sf_batch *batch = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  for (int64_t i = 0; i < n; i++) {
    if (rows[i].id < 0) OK(sf_column_builder_null(sf_batch_builder_column(b, 0), &err));
    else OK(sf_column_builder_int(sf_batch_builder_column(b, 0), rows[i].id, &err));
    for (int32_t k = 0; k < 3; k++) {
      const char *t = rows[i].text[k];
      sf_column_builder *c = sf_batch_builder_column(b, k + 1);
      if (t == NULL) OK(sf_column_builder_null(c, &err));
      else OK(sf_column_builder_bytes(c, t, strlen(t), &err));
    }
    OK(sf_batch_builder_end_row(b, SF_INSERT, &err));
  }
  OK(sf_batch_builder_finish(b, &batch, &err));
  sf_batch_builder_destroy(b);
  return batch;
}

static sf_operator *enforcer(sf_pool *pool, const sf_type *type, bool drop, int action) {
  sf_error err;
  static int32_t not_null[2] = {0, 2}, fields[3] = {1, 2, 3}, lengths[3] = {3, 4, 2};
  plan_operator *plan = operator_of(type, type);
  Streamfusion__Plan__ConstraintEnforcer *m = add_enforcer(plan);
  m->n_not_null_fields = 2;
  m->not_null_fields = not_null;
  m->drop = drop;
  m->n_length_fields = m->n_lengths = 3;
  m->length_fields = fields;
  m->lengths = lengths;
  m->length_action = (Streamfusion__Plan__LengthAction)action;
  sf_operator *op = NULL;
  OK(create_operator(pool, plan, &op, &err));
  return op;
}

enum { IGNORE, TRIM_PAD, ERROR };

static void not_null_columns_fail_or_drop(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = sink_type();
  const sink_row rows[] = {{1, {"abc", "x", "12"}}, {-1, {"abc", NULL, "12"}}, {2, {NULL, NULL, "12"}},
                           {3, {NULL, "long enough", NULL}}};
  sf_batch *batch = sink_rows(pool, type, rows, 4), *result = NULL;
  sf_collector collector = {&result, keep_one};
  sf_operator *op = enforcer(pool, type, false, IGNORE);
  FAILS(SF_CONSTRAINT, sf_operator_process(op, 0, batch, &collector, &err));
  assert_string_equal(
      "Column 'a' is NOT NULL, however, a null value is being written into it. You can set job configuration "
      "'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop such records silently.",
      err.message);
  assert_int_equal(1, err.row);
  sf_operator_destroy(op);
  op = enforcer(pool, type, true, IGNORE);
  OK(sf_operator_process(op, 0, batch, &collector, &err));
  assert_int_equal(2, result->length);
  assert_int_equal(3, ((const int64_t *)result->columns[0]->values)[1]);
  string_is(result->columns[2], 1, "long enough");
  sf_batch_release(result);
  sf_batch_release(batch);
  sf_operator_destroy(op);
  sf_type_release(type);
  sf_pool_release(pool);
  plan_reset();
}

static void lengths_are_trimmed_and_padded(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = sink_type();
  const sink_row rows[] = {{1, {"abc", "abcd", "12"}},
                           {-1, {"x", "y", "z"}},
                           {2, {"a", "ab", "1"}},
                           {3, {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", "\xf0\x9f\x98\x80zzzz", "123"}},
                           {4, {"", "", ""}},
                           {5, {"\xc3\xa4", "abcde", "12"}}};
  sf_batch *batch = sink_rows(pool, type, rows, 6), *result = NULL;
  sf_collector collector = {&result, keep_one};
  sf_operator *op = enforcer(pool, type, true, TRIM_PAD);
  OK(sf_operator_process(op, 0, batch, &collector, &err));
  sf_batch_release(batch);
  assert_int_equal(5, result->length);
  const char *expected[5][2] = {{"abc", "abcd"},
                                {"a  ", "ab"},
                                {"\xc3\xa4\xc3\xb6\xc3\xbc", "\xf0\x9f\x98\x80zzz"},
                                {"   ", ""},
                                {"\xc3\xa4  ", "abcd"}};
  for (int64_t i = 0; i < 5; i++) {
    string_is(result->columns[1], i, expected[i][0]);
    string_is(result->columns[2], i, expected[i][1]);
  }
  const uint8_t binary[5][2] = {{'1', '2'}, {'1', 0}, {'1', '2'}, {0, 0}, {'1', '2'}};
  for (int64_t i = 0; i < 5; i++) {
    sf_view view = ((const sf_view *)result->columns[3]->values)[i];
    assert_int_equal(2, view.size);
    assert_memory_equal(binary[i], view.data, 2);
  }
  sf_batch_release(result);
  sf_operator_destroy(op);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
  plan_reset();
}

static void expect_length_error(sf_operator *op, sf_pool *pool, const sf_type *type, const sink_row *rows, int64_t n,
                                sf_status status, int64_t row, const char *message) {
  sf_error err;
  sf_batch *batch = sink_rows(pool, type, rows, n), *result = NULL;
  sf_collector collector = {&result, keep_one};
  FAILS(status, sf_operator_process(op, 0, batch, &collector, &err));
  assert_int_equal(row, err.row);
  assert_int_equal(0, strncmp(message, err.message, strlen(message)));
  sf_batch_release(batch);
}

static void the_first_broken_constraint_of_the_first_row_is_reported(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *type = sink_type();
  sf_operator *op = enforcer(pool, type, false, ERROR);
  const sink_row a[] = {{1, {"abc", "abc", "12"}}, {1, {"abc", "abcde", "1"}}, {-1, {"abc", "a", "12"}}};
  expect_length_error(op, pool, type, a, 3, SF_CONSTRAINT, 1,
                      "Column 'c' is VARCHAR(4), however, a string of length 5 is being written into it. You can set "
                      "job configuration 'table.exec.sink.type-length-enforcer' to control this behaviour.");
  const sink_row b[] = {{1, {"ab", "abcde", "12"}}};
  expect_length_error(op, pool, type, b, 1, SF_CONSTRAINT, 0, "Column 'b' is CHAR(3), however, a string of length 2 is");
  const sink_row c[] = {{1, {"abc", "abc", "1"}}, {-1, {"ab", "abc", "1"}}};
  expect_length_error(op, pool, type, c, 2, SF_CONSTRAINT, 0,
                      "Column 'd' is BINARY(2), however, a string of length 1 is");
  const sink_row d[] = {{-1, {"ab", "abc", "1"}}};
  expect_length_error(op, pool, type, d, 1, SF_CONSTRAINT, 0, "Column 'a' is NOT NULL");
  const sink_row e[] = {{1, {NULL, "abc", "1"}}}; /* Flink reads the length of a null */
  expect_length_error(op, pool, type, e, 1, SF_NULL_POINTER, 0, "Column 'b' holds a null value");
  sf_operator_destroy(op);
  sf_type_release(type);
  sf_pool_release(pool);
  plan_reset();
}

/* --- plans that do not fit */

static void plans_that_do_not_fit_are_refused(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *in = id_row_type();
  sf_type *one_fields[1] = {BIGINT()};
  sf_type *one = nested(SF_TYPE_ROW, 1, one_fields);
  sf_operator *op = NULL;
  FAILS(SF_UNSUPPORTED, create_operator(pool, operator_of(in, in), &op, &err));
  plan_expr *wrong_kind[1] = {input(2, STRING())};
  FAILS(SF_INVALID, create_operator(pool, calc_plan(in, one, NULL, wrong_kind), &op, &err));
  plan_expr *out_of_range[1] = {input(3, BIGINT())};
  assert_int_not_equal(SF_OK, create_operator(pool, calc_plan(in, one, NULL, out_of_range), &op, &err));
  plan_expr *fine[1] = {input(0, BIGINT())};
  FAILS(SF_INVALID, create_operator(pool, calc_plan(in, one, input(0, BIGINT()), fine), &op, &err));
  plan_operator *untyped = calc_plan(in, one, NULL, fine);
  untyped->input_type = NULL;
  FAILS(SF_INVALID, create_operator(pool, untyped, &op, &err));
  FAILS(SF_INVALID, create_operator(pool, watermark_plan(in, 3, input(0, BIGINT()), 0), &op, &err));
  FAILS(SF_INVALID, create_operator(pool, watermark_plan(in, 0, input(2, STRING()), 0), &op, &err));
  FAILS(SF_INVALID, create_operator(pool, watermark_plan(in, 0, NULL, 0), &op, &err));
  FAILS(SF_CORRUPT, sf_operator_create(pool, NULL, (const uint8_t *)"\xff\xff\xff", 3, &op, &err));
  assert_null(op);
  OK(create_operator(pool, calc_plan(in, one, NULL, fine), &op, &err));
  sf_batch *other = NULL;
  sf_column *empty = NULL;
  OK(sf_column_create_null(pool, one, 0, &empty, &err));
  OK(sf_batch_create(one, 0, empty->children, NULL, NULL, 0, &other, &err));
  FAILS(SF_INVALID, sf_operator_process(op, 0, other, NULL, &err));
  sf_column_release(empty);
  sf_batch_release(other);
  sf_operator_destroy(op);
  sf_type_release(in);
  sf_type_release(one);
  sf_pool_release(pool);
  plan_reset();
}

static sf_status attempt_calc(sf_pool *pool, sf_error *err) {
  plan_reset();
  sf_type *in = id_row_type();
  sf_type *out_fields[2] = {STRING(), BIGINT()};
  sf_type *out = nested(SF_TYPE_ROW, 2, out_fields);
  sf_type *inner = sf_type_retain(in->children[1]);
  plan_expr *projection[2] = {field(input(1, inner), 1, STRING()), input(0, BIGINT())};
  sf_pool *unlimited = pool_of(-1);
  sf_batch *batch = id_rows(unlimited, in, 30), *result = NULL;
  sf_collector collector = {&result, keep_one};
  sf_operator *op = NULL;
  sf_status st = create_operator(pool, calc_plan(in, out, id_greater_than(9), projection), &op, err);
  if (st == SF_OK) st = sf_operator_process(op, 0, batch, &collector, err);
  assert_int_equal(st == SF_OK, result != NULL);
  sf_operator_destroy(op);
  sf_batch_release(result);
  sf_batch_release(batch);
  sf_pool_release(unlimited);
  sf_type_release(in);
  sf_type_release(out);
  return st;
}

static sf_status attempt_enforcer(sf_pool *pool, sf_error *err) {
  plan_reset();
  sf_type *type = sink_type();
  const sink_row rows[] = {{1, {"abcd", "abcde", "1"}}, {-1, {"abc", "a", "12"}}};
  sf_pool *unlimited = pool_of(-1);
  sf_batch *batch = sink_rows(unlimited, type, rows, 2), *result = NULL;
  sf_collector collector = {&result, keep_one};
  static int32_t not_null[1] = {0}, fields[3] = {1, 2, 3}, lengths[3] = {3, 4, 2};
  plan_operator *plan = operator_of(type, type);
  Streamfusion__Plan__ConstraintEnforcer *m = add_enforcer(plan);
  m->n_not_null_fields = 1;
  m->not_null_fields = not_null;
  m->drop = true;
  m->n_length_fields = m->n_lengths = 3;
  m->length_fields = fields;
  m->lengths = lengths;
  m->length_action = STREAMFUSION__PLAN__LENGTH_ACTION__LENGTH_TRIM_PAD;
  sf_operator *op = NULL;
  sf_status st = create_operator(pool, plan, &op, err);
  if (st == SF_OK) st = sf_operator_process(op, 0, batch, &collector, err);
  sf_operator_destroy(op);
  sf_batch_release(result);
  sf_batch_release(batch);
  sf_pool_release(unlimited);
  sf_type_release(type);
  return st;
}

static sf_status attempt_watermarks(sf_pool *pool, sf_error *err) {
  plan_reset();
  sf_type *fields[1] = {TS3()};
  sf_type *type = nested(SF_TYPE_ROW, 1, fields);
  sf_pool *unlimited = pool_of(-1);
  const int64_t values[] = {10, 20};
  sf_batch *batch = timestamps(unlimited, type, values, 2), *results[2] = {NULL, NULL};
  sf_operator *op = NULL;
  sf_status st = create_operator(pool, watermark_plan(type, 0, input(0, TS3()), 0), &op, err);
  if (st == SF_OK) st = sf_operator_process(op, 0, batch, &(sf_collector){&results[0], keep_one}, err);
  if (st == SF_OK) st = sf_operator_watermark(op, INT64_MAX, &(sf_collector){&results[1], keep_one}, err);
  sf_operator_destroy(op);
  sf_batch_release(results[0]);
  sf_batch_release(results[1]);
  sf_batch_release(batch);
  sf_pool_release(unlimited);
  sf_type_release(type);
  return st;
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  with_rising_limits(attempt_calc);
  with_rising_limits(attempt_enforcer);
  with_rising_limits(attempt_watermarks);
  plan_reset();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(calc_filters_densely_and_projects),
      TEST(calc_writes_defaults_for_nulls_of_the_projections_named),
      TEST(calc_shares_columns_where_all_rows_pass),
      TEST(calc_emits_marks_without_rows_but_nothing_for_nothing),
      TEST(drop_update_before_drops_only_those),
      TEST(watermarks_advance_behind_the_row_that_moves_them),
      TEST(watermark_assigner_replaces_marks_and_refuses_null_rowtimes),
      TEST(not_null_columns_fail_or_drop),
      TEST(lengths_are_trimmed_and_padded),
      TEST(the_first_broken_constraint_of_the_first_row_is_reported),
      TEST(plans_that_do_not_fit_are_refused),
      TEST(failing_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
