/* Three-valued logic, branches and laziness, with the values stock Flink gives. */
#include "expr_support.h"

/* x BOOLEAN, y BOOLEAN, i INT, s STRING: all nine pairs of truth values. */
static sf_batch *truth_batch(sf_pool *pool) {
  sf_type *types[] = {BOOL, BOOL, INT, TEXT};
  static const cell x[] = {I(1), I(1), I(1), I(0), I(0), I(0), N, N, N};
  static const cell y[] = {I(1), I(0), N, I(1), I(0), N, I(1), I(0), N};
  static const cell i[] = {I(0), I(1), I(2), I(3), I(0), N, I(5), I(0), N};
  static const cell s[] = {S("a"), N, S(""), S("b"), S("a"), S("xyz"), N, S("b"), S("a")};
  const cell *cells[] = {x, y, i, s};
  return batch_of(pool, 4, types, 9, cells);
}

static plan_expr *x(void) { return input(0, BOOL); }
static plan_expr *y(void) { return input(1, BOOL); }
static plan_expr *i_(void) { return input(2, INT); }
static plan_expr *s(void) { return input(3, TEXT); }
static plan_expr *ten_by_i(void) { return CALL("DIVIDE", INT, LIT(INT, I(10)), i_()); }
static plan_expr *i_is_zero(void) { return CALL("EQUALS", BOOL, i_(), LIT(INT, I(0))); }

static void test_truth_tables(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = truth_batch(pool);
  plan_reset();
  EXPECT(pool, b, CALL("AND", BOOL, x(), y()), I(1), I(0), N, I(0), I(0), I(0), N, I(0), N);
  EXPECT(pool, b, CALL("OR", BOOL, x(), y()), I(1), I(1), I(1), I(1), I(0), N, I(1), N, N);
  EXPECT(pool, b, CALL("NOT", BOOL, x()), I(0), I(0), I(0), I(1), I(1), I(1), N, N, N);
  EXPECT(pool, b, CALL("IS_TRUE", BOOL, x()), I(1), I(1), I(1), I(0), I(0), I(0), I(0), I(0), I(0));
  EXPECT(pool, b, CALL("IS_NOT_TRUE", BOOL, x()), I(0), I(0), I(0), I(1), I(1), I(1), I(1), I(1), I(1));
  EXPECT(pool, b, CALL("IS_FALSE", BOOL, x()), I(0), I(0), I(0), I(1), I(1), I(1), I(0), I(0), I(0));
  EXPECT(pool, b, CALL("IS_NOT_FALSE", BOOL, x()), I(1), I(1), I(1), I(0), I(0), I(0), I(1), I(1), I(1));
  EXPECT(pool, b, CALL("IS_NULL", BOOL, x()), I(0), I(0), I(0), I(0), I(0), I(0), I(1), I(1), I(1));
  EXPECT(pool, b, CALL("IS_NOT_NULL", BOOL, s()), I(1), I(0), I(1), I(1), I(1), I(1), I(0), I(1), I(1));
  EXPECT(pool, b, CALL("IS_DISTINCT_FROM", BOOL, x(), y()), I(0), I(1), I(1), I(1), I(0), I(1), I(1), I(1), I(0));
  EXPECT(pool, b, CALL("IS_NOT_DISTINCT_FROM", BOOL, x(), y()), I(1), I(0), I(0), I(0), I(1), I(0), I(0), I(0), I(1));
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_constant_operands(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = truth_batch(pool);
  plan_reset();
  EXPECT(pool, b, CALL("AND", BOOL, LIT(BOOL, I(1)), y()), I(1), I(0), N, I(1), I(0), N, I(1), I(0), N);
  EXPECT(pool, b, CALL("AND", BOOL, y(), LIT(BOOL, N)), N, I(0), N, N, I(0), N, N, I(0), N);
  EXPECT(pool, b, CALL("OR", BOOL, LIT(BOOL, N), y()), I(1), N, N, I(1), N, N, I(1), N, N);
  EXPECT(pool, b, CALL("AND", BOOL, x(), y(), LIT(BOOL, I(0))), I(0), I(0), I(0), I(0), I(0), I(0), I(0), I(0), I(0));
  EXPECT(pool, b, CALL("NOT", BOOL, LIT(BOOL, I(0))), I(1), I(1), I(1), I(1), I(1), I(1), I(1), I(1), I(1));
  EXPECT(pool, b, CALL("IS_NULL", BOOL, LIT(TEXT, N)), I(1), I(1), I(1), I(1), I(1), I(1), I(1), I(1), I(1));
  EXPECT(pool, b, CALL("IS_DISTINCT_FROM", BOOL, x(), LIT(BOOL, N)), I(1), I(1), I(1), I(1), I(1), I(1), I(0), I(0),
         I(0));
  EXPECT(pool, b, CALL("EQUALS", BOOL, i_(), LIT(INT, N)), N, N, N, N, N, N, N, N, N);
  sf_batch_release(b);
  sf_pool_release(pool);
}

/* Stock: 10 / i is not evaluated where the left side decides; COALESCE evaluates everything. */
static void test_laziness(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = truth_batch(pool);
  plan_reset();
  plan_expr *more = CALL("GREATER_THAN", BOOL, ten_by_i(), LIT(INT, I(3)));
  EXPECT(pool, b, CALL("AND", BOOL, CALL("NOT_EQUALS", BOOL, i_(), LIT(INT, I(0))), more), I(0), I(1), I(1), I(0), I(0),
         N, I(0), I(0), N);
  EXPECT(pool, b, CALL("OR", BOOL, i_is_zero(), more), I(1), I(1), I(1), I(0), I(1), N, I(0), I(1), N);
  EXPECT(pool, b, CALL("CASE", INT, i_is_zero(), LIT(INT, I(-1)), ten_by_i()), I(-1), I(10), I(5), I(3), I(-1), N, I(2),
         I(-1), N);
  EXPECT(pool, b, CALL("IF", INT, i_is_zero(), LIT(INT, I(-1)), ten_by_i()), I(-1), I(10), I(5), I(3), I(-1), N, I(2),
         I(-1), N);
  /* A NULL on the left decides nothing: row 7 divides by zero. */
  expect_failure(pool, b, CALL("AND", BOOL, x(), CALL("IS_NOT_NULL", BOOL, s()), more), SF_ARITHMETIC, 0, "/ by zero");
  expect_failure(pool, b,
                 CALL("AND", BOOL, CALL("OR", BOOL, CALL("IS_NULL", BOOL, x()), LIT(BOOL, I(0))), x(), more),
                 SF_ARITHMETIC, 7, "/ by zero");
  expect_failure(pool, b, CALL("COALESCE", BOOL, LIT(BOOL, I(1)), more), SF_ARITHMETIC, 0, "/ by zero");
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_case(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = truth_batch(pool);
  plan_reset();
  EXPECT(pool, b, CALL("CASE", INT, y(), LIT(INT, I(1)), x(), LIT(INT, I(2)), LIT(INT, I(3))), I(1), I(2), I(2), I(1),
         I(3), I(3), I(1), I(3), I(3));
  EXPECT(pool, b, CALL("CASE", INT, y(), i_(), CALL("NOT", BOOL, x()), LIT(INT, I(2)), LIT(INT, N)), I(0), N, N, I(3),
         I(2), I(2), I(5), N, N);
  EXPECT(pool, b, CALL("CASE", TEXT, x(), s(), y(), LIT(TEXT, S("literal")), s()), S("a"), N, S(""), S("literal"),
         S("a"), S("xyz"), S("literal"), S("b"), S("a"));
  /* Values of other types are cast to the result's: a string that fits is not padded for a VARCHAR. */
  EXPECT(pool, b, CALL("CASE", VARCHAR(3), x(), LIT(CHARS(1), S("a")), LIT(CHARS(3), S("bcd"))), S("a"), S("a"), S("a"),
         S("bcd"), S("bcd"), S("bcd"), S("bcd"), S("bcd"), S("bcd"));
  EXPECT(pool, b, CALL("IF", BIG, x(), i_(), LIT(BIG, I(7))), I(0), I(1), I(2), I(7), I(7), I(7), I(7), I(7), I(7));
  EXPECT(pool, b, CALL("CASE", DEC(10, 2), x(), i_(), LIT(DEC(10, 2), I(150))), I(0), I(100), I(200), I(150), I(150),
         I(150), I(150), I(150), I(150));
  EXPECT(pool, b, CALL("CASE", INT, x(), LIT(scalar(SF_TYPE_NULL, 0, 0, 0), N), i_()), N, N, N, I(3), I(0), N, I(5),
         I(0), N);
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_case_of_every_layout(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *types[] = {BOOL, TINY, SMALL, BIG, REAL, DOUBLE, DEC(38, 0), TS(9)};
  static const cell c[] = {I(1), I(0), N}, t[] = {I(1), I(2), I(3)}, m[] = {I(300), N, I(302)}, l[] = {I(1), I(2), N},
                    f[] = {D(0.5), D(1.5), D(2.5)}, d[] = {D(0.25), N, D(-0.0)};
  const cell w[] = {W("99999999999999999999999999999999999999"), I(1), N};
  static const cell ts[] = {T(-1, 999999), T(5, 1), N};
  const cell *cells[] = {c, t, m, l, f, d, w, ts};
  sf_batch *b = batch_of(pool, 8, types, 3, cells);
  plan_reset();
#define PICK(k, type, ...) CALL("CASE", type, input(0, BOOL), input(k, type), LIT(type, __VA_ARGS__))
  EXPECT(pool, b, PICK(1, TINY, I(9)), I(1), I(9), I(9));
  EXPECT(pool, b, PICK(2, SMALL, I(9)), I(300), I(9), I(9));
  EXPECT(pool, b, PICK(3, BIG, N), I(1), N, N);
  EXPECT(pool, b, PICK(4, REAL, D(9)), D(0.5), D(9), D(9));
  EXPECT(pool, b, PICK(5, DOUBLE, D(9)), D(0.25), D(9), D(9));
  EXPECT(pool, b, PICK(6, DEC(38, 0), W("-12345678901234567890123")), W("99999999999999999999999999999999999999"),
         W("-12345678901234567890123"), W("-12345678901234567890123"));
  EXPECT(pool, b, PICK(7, TS(9), T(7, 123456)), T(-1, 999999), T(7, 123456), T(7, 123456));
  EXPECT(pool, b, PICK(0, BOOL, I(0)), I(1), I(0), I(0));
#undef PICK
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_coalesce(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = truth_batch(pool);
  plan_reset();
  EXPECT(pool, b, CALL("COALESCE", BOOL, x(), y()), I(1), I(1), I(1), I(0), I(0), I(0), I(1), I(0), N);
  EXPECT(pool, b, CALL("COALESCE", INT, LIT(INT, N), i_(), LIT(INT, I(-7))), I(0), I(1), I(2), I(3), I(0), I(-7), I(5),
         I(0), I(-7));
  EXPECT(pool, b, CALL("COALESCE", TEXT, s(), LIT(CHARS(2), S("xy"))), S("a"), S("xy"), S(""), S("b"), S("a"), S("xyz"),
         S("xy"), S("b"), S("a"));
  EXPECT(pool, b, CALL("IFNULL", INT, i_(), LIT(INT, I(1))), I(0), I(1), I(2), I(3), I(0), I(1), I(5), I(0), I(1));
  sf_batch_release(b);
  sf_pool_release(pool);
}

/* CASE over rows gives rows; fields of a NULL row are NULL whatever the field's column holds. */
static void test_nested_branches(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *pair = nested(SF_TYPE_ROW, 2, (sf_type *[]){INT, TEXT});
  sf_type *row = nested(SF_TYPE_ROW, 3, (sf_type *[]){BOOL, sf_type_retain(pair), sf_type_retain(pair)});
  sf_batch_builder *builder = NULL;
  OK(sf_batch_builder_create(pool, row, &builder, &err));
  for (int i = 0; i < 4; i++) {
    OK(sf_column_builder_int(sf_batch_builder_column(builder, 0), i % 2, &err));
    for (int c = 1; c < 3; c++) {
      sf_column_builder *column = sf_batch_builder_column(builder, c);
      if (i == c) {
        OK(sf_column_builder_null(column, &err));
        continue;
      }
      OK(sf_column_builder_int(sf_column_builder_child(column, 0), 10 * c + i, &err));
      OK(sf_column_builder_bytes(sf_column_builder_child(column, 1), c == 1 ? "one" : "two", 3, &err));
      OK(sf_column_builder_end(column, &err));
    }
    OK(sf_batch_builder_end_row(builder, SF_INSERT, &err));
  }
  sf_batch *b = NULL;
  OK(sf_batch_builder_finish(builder, &b, &err));
  sf_batch_builder_destroy(builder);
  plan_reset();
  plan_expr *choice = CALL("CASE", sf_type_retain(pair), input(0, BOOL), input(1, sf_type_retain(pair)),
                           input(2, sf_type_retain(pair)));
  EXPECT(pool, b, field(choice, 0, INT), I(20), N, N, I(13));
  EXPECT(pool, b, field(choice, 1, TEXT), S("two"), N, N, S("one"));
  EXPECT(pool, b, field(input(1, sf_type_retain(pair)), 0, INT), I(10), N, I(12), I(13));
  EXPECT(pool, b, CALL("IS_NULL", BOOL, input(2, sf_type_retain(pair))), I(0), I(0), I(1), I(0));
  EXPECT(pool, b,
         field(CALL("COALESCE", sf_type_retain(pair), input(1, sf_type_retain(pair)), input(2, sf_type_retain(pair))), 0,
               INT),
         I(10), I(21), I(12), I(13));
  EXPECT(pool, b, field(literal(sf_type_retain(pair), (cell)N), 1, TEXT), N, N, N, N);
  sf_batch_release(b);
  sf_type_release(row);
  sf_type_release(pair);
  sf_pool_release(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_truth_tables), TEST(test_constant_operands),   TEST(test_laziness), TEST(test_case),
      TEST(test_coalesce),     TEST(test_case_of_every_layout), TEST(test_nested_branches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
