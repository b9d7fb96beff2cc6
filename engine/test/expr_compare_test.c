/* Comparisons and SEARCH, with the values stock Flink gives. */
#include "expr_support.h"

#define NAN_ D(NAN)

/* i INT, l BIGINT, f FLOAT, d DOUBLE, dc DECIMAL(10,2), w DECIMAL(38,10) */
static sf_batch *number_batch(sf_pool *pool) {
  sf_type *types[] = {INT, BIG, REAL, DOUBLE, DEC(10, 2), DEC(38, 10), TINY};
  const cell i[] = {I(0), I(1), I(2), N, I(5)};
  const cell l[] = {I(9007199254740993), I(16777217), I(3), N, I(5)};
  const cell f[] = {NAN_, D(-0.0), D(0.0), D(1.5), N};
  const cell d[] = {NAN_, D(-0.0), D(0.0), D(INFINITY), D(1.5)};
  const cell dc[] = {I(0), I(-1), I(150), N, I(250)};
  const cell w[] = {I(5000000000), W("123456789012345678905000000000"), N, I(-5000000000), I(10000000000)};
  const cell t[] = {I(0), I(-128), I(2), I(127), N};
  const cell *cells[] = {i, l, f, d, dc, w, t};
  return batch_of(pool, 7, types, 5, cells);
}

static plan_expr *i_(void) { return input(0, INT); }
static plan_expr *l(void) { return input(1, BIG); }
static plan_expr *f(void) { return input(2, REAL); }
static plan_expr *d(void) { return input(3, DOUBLE); }
static plan_expr *dc(void) { return input(4, DEC(10, 2)); }
static plan_expr *w(void) { return input(5, DEC(38, 10)); }
static plan_expr *t(void) { return input(6, TINY); }
static plan_expr *eq(plan_expr *a, plan_expr *b) { return CALL("EQUALS", BOOL, a, b); }
static plan_expr *ne(plan_expr *a, plan_expr *b) { return CALL("NOT_EQUALS", BOOL, a, b); }
static plan_expr *lt(plan_expr *a, plan_expr *b) { return CALL("LESS_THAN", BOOL, a, b); }
static plan_expr *le(plan_expr *a, plan_expr *b) { return CALL("LESS_THAN_OR_EQUAL", BOOL, a, b); }
static plan_expr *gt(plan_expr *a, plan_expr *b) { return CALL("GREATER_THAN", BOOL, a, b); }
static plan_expr *ge(plan_expr *a, plan_expr *b) { return CALL("GREATER_THAN_OR_EQUAL", BOOL, a, b); }

static void test_decimal_with_others(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = number_batch(pool);
  plan_reset();
  /* Double.compare: NaN is the largest, -0.0 is less than 0. */
  EXPECT(pool, b, eq(d(), dc()), I(0), I(0), I(0), N, I(0));
  EXPECT(pool, b, gt(d(), dc()), I(1), I(1), I(0), N, I(0));
  EXPECT(pool, b, lt(d(), dc()), I(0), I(0), I(1), N, I(1));
  EXPECT(pool, b, ge(d(), dc()), I(1), I(1), I(0), N, I(0));
  EXPECT(pool, b, ne(d(), dc()), I(1), I(1), I(1), N, I(1));
  EXPECT(pool, b, eq(LIT(DEC(10, 2), I(0)), d()), I(0), I(0), I(1), I(0), I(0));
  EXPECT(pool, b, eq(f(), dc()), I(0), I(0), I(0), N, N);
  EXPECT(pool, b, gt(w(), d()), I(0), I(1), N, I(0), I(0));
  EXPECT(pool, b, eq(w(), f()), I(0), I(0), N, I(0), N);
  EXPECT(pool, b, lt(w(), i_()), I(0), I(0), N, N, I(1));
  EXPECT(pool, b, gt(w(), dc()), I(1), I(1), N, N, I(0));
  EXPECT(pool, b, gt(dc(), i_()), I(0), I(0), I(0), N, I(0));
  EXPECT(pool, b, le(i_(), dc()), I(1), I(0), I(0), N, I(0));
  EXPECT(pool, b, gt(dc(), LIT(INT, I(1))), I(0), I(0), I(1), N, I(1));
  EXPECT(pool, b, eq(w(), LIT(DEC(2, 1), I(5))), I(1), I(0), N, I(0), I(0));
  EXPECT(pool, b, lt(LIT(DEC(38, 0), W("99999999999999999999999999999999999999")), w()), I(0), I(0), N, I(0), I(0));
  EXPECT(pool, b, eq(l(), LIT(DEC(18, 0), I(16777217))), I(0), I(1), I(0), N, I(0));
  sf_batch_release(b);
  sf_pool_release(pool);
}

/* Java's binary promotion: BIGINT and FLOAT meet as float, BIGINT and DOUBLE as double. */
static void test_primitives(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = number_batch(pool);
  plan_reset();
  EXPECT(pool, b, eq(l(), CALL("CAST", DOUBLE, l())), I(1), I(1), I(1), N, I(1));
  EXPECT(pool, b, eq(l(), CALL("CAST", REAL, l())), I(1), I(1), I(1), N, I(1));
  EXPECT(pool, b, eq(CALL("CAST", DOUBLE, l()), CALL("CAST", REAL, l())), I(1), I(0), I(1), N, I(1));
  EXPECT(pool, b, eq(i_(), f()), I(0), I(0), I(0), N, N);
  EXPECT(pool, b, gt(l(), f()), I(0), I(1), I(1), N, N);
  EXPECT(pool, b, eq(d(), d()), I(0), I(1), I(1), I(1), I(1));
  EXPECT(pool, b, ne(d(), d()), I(1), I(0), I(0), I(0), I(0));
  EXPECT(pool, b, eq(d(), LIT(DOUBLE, D(0))), I(0), I(1), I(1), I(0), I(0));
  EXPECT(pool, b, lt(d(), LIT(DOUBLE, D(1))), I(0), I(1), I(1), I(0), I(0));
  EXPECT(pool, b, lt(LIT(DOUBLE, D(1)), d()), I(0), I(0), I(0), I(1), I(1));
  EXPECT(pool, b, CALL("IS_DISTINCT_FROM", BOOL, d(), d()), I(1), I(0), I(0), I(0), I(0));
  EXPECT(pool, b, CALL("IS_NOT_DISTINCT_FROM", BOOL, f(), d()), I(0), I(1), I(1), I(0), I(0));
  EXPECT(pool, b, le(t(), i_()), I(1), I(1), I(1), N, N);
  EXPECT(pool, b, ge(LIT(INT, I(200)), t()), I(1), I(1), I(1), I(1), N);
  EXPECT(pool, b, lt(t(), t()), I(0), I(0), I(0), I(0), N);
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_texts(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *types[] = {TEXT, CHARS(3), BYTES};
  static const cell s[] = {S("abc"), S("ab"), N, S("b"), S(""), S("\xc3\xa9")};
  static const cell c[] = {S("abc"), S("ab "), S("abd"), N, S("   "), S("zzz")};
  static const cell y[] = {S("\x01"), S("\xff"), S("\x01"), N, S("a"), S("ab")};
  const cell *cells[] = {s, c, y};
  sf_batch *b = batch_of(pool, 3, types, 6, cells);
  plan_reset();
  plan_expr *text = input(0, TEXT), *chars = input(1, CHARS(3)), *bytes = input(2, BYTES);
  EXPECT(pool, b, lt(text, LIT(CHARS(3), S("abd"))), I(1), I(1), N, I(0), I(1), I(0));
  EXPECT(pool, b, ge(text, LIT(CHARS(2), S("ab"))), I(1), I(1), N, I(1), I(0), I(1));
  EXPECT(pool, b, eq(text, chars), I(1), I(0), N, N, I(0), I(0)); /* no padding */
  EXPECT(pool, b, ne(LIT(TEXT, S("ab")), text), I(1), I(0), N, I(1), I(1), I(1));
  EXPECT(pool, b, gt(text, chars), I(0), I(0), N, N, I(0), I(1)); /* unsigned bytes */
  EXPECT(pool, b, CALL("IS_NOT_DISTINCT_FROM", BOOL, text, chars), I(1), I(0), I(0), I(0), I(0), I(0));
  EXPECT(pool, b, lt(bytes, LIT(BYTES, S("\x80"))), I(1), I(0), I(1), N, I(1), I(1));
  EXPECT(pool, b, gt(bytes, LIT(BYTES, S("a"))), I(0), I(1), I(0), N, I(0), I(1));
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_temporals(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *types[] = {TS(3), TS(9), LTZ(6), DATE, TIME(3), MONTHS, MILLIS, BOOL};
  static const cell a[] = {T(-1, 0), T(1000, 0), N}, n[] = {T(-1, 1), T(1000, 0), T(0, 0)},
                    z[] = {T(5, 5000), T(5, 6000), N}, day[] = {I(-1), I(0), I(19000)}, time[] = {I(0), N, I(86399999)},
                    m[] = {I(-12), I(12), I(0)}, ms[] = {I(-1), N, I(86400000)}, x[] = {I(1), I(0), N};
  const cell *cells[] = {a, n, z, day, time, m, ms, x};
  sf_batch *b = batch_of(pool, 8, types, 3, cells);
  plan_reset();
  EXPECT(pool, b, lt(input(0, TS(3)), input(1, TS(9))), I(1), I(0), N);
  EXPECT(pool, b, eq(input(0, TS(3)), input(1, TS(9))), I(0), I(1), N);
  EXPECT(pool, b, ge(input(0, TS(3)), LIT(TS(3), T(0, 0))), I(0), I(1), N);
  EXPECT(pool, b, gt(LIT(TS(9), T(-1, 2)), input(1, TS(9))), I(1), I(0), I(0));
  EXPECT(pool, b, eq(input(2, LTZ(6)), LIT(LTZ(6), T(5, 6000))), I(0), I(1), N);
  EXPECT(pool, b, le(input(3, DATE), LIT(DATE, I(0))), I(1), I(1), I(0));
  EXPECT(pool, b, gt(input(4, TIME(3)), LIT(TIME(3), I(1))), I(0), N, I(1));
  EXPECT(pool, b, gt(input(5, MONTHS), LIT(MONTHS, I(0))), I(0), I(1), I(0));
  EXPECT(pool, b, ne(input(6, MILLIS), LIT(MILLIS, I(-1))), I(0), N, I(1));
  EXPECT(pool, b, lt(input(7, BOOL), LIT(BOOL, I(1))), I(0), I(1), N);
  assert_false(supported(eq(input(0, TS(3)), input(2, LTZ(6)))));
  assert_false(supported(eq(input(0, TS(3)), input(3, DATE))));
  sf_batch_release(b);
  sf_pool_release(pool);
}

enum { UNKNOWN = 0, AS_TRUE = 1, AS_FALSE = 2 };
#define P(...) ((const cell *)&(const cell)__VA_ARGS__)
#define POINT(...) {P(__VA_ARGS__), P(__VA_ARGS__), false, false}

static void test_search_numbers(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = number_batch(pool);
  plan_reset();
  const range one_two[] = {POINT(I(1)), POINT(I(2))};
  EXPECT(pool, b, search_of(i_(), INT, 2, one_two, UNKNOWN), I(0), I(1), I(1), N, I(0));
  EXPECT(pool, b, search_of(i_(), INT, 2, one_two, AS_TRUE), I(0), I(1), I(1), I(1), I(0));
  EXPECT(pool, b, search_of(i_(), INT, 2, one_two, AS_FALSE), I(0), I(1), I(1), I(0), I(0));
  const range but_one_five[] = {{NULL, P(I(1)), false, true}, {P(I(1)), P(I(5)), true, true}, {P(I(5)), NULL, true, false}};
  EXPECT(pool, b, search_of(i_(), INT, 3, but_one_five, UNKNOWN), I(1), I(0), I(1), N, I(0));
  const range all[] = {{NULL, NULL, false, false}};
  EXPECT(pool, b, search_of(i_(), INT, 1, all, AS_FALSE), I(1), I(1), I(1), I(0), I(1));
  EXPECT(pool, b, search_of(i_(), INT, 0, all, AS_FALSE), I(0), I(0), I(0), I(0), I(0));
  const range mixed[] = {{NULL, P(I(0)), false, true}, POINT(I(3)), {P(I(16777217)), NULL, false, false}};
  EXPECT(pool, b, search_of(l(), BIG, 3, mixed, UNKNOWN), I(1), I(1), I(1), N, I(0));
  range many[30];
  cell bounds[30];
  for (int k = 0; k < 30; k++) {
    bounds[k] = (cell)I(3 * k);
    many[k] = (range){&bounds[k], &bounds[k], false, false};
  }
  EXPECT(pool, b, search_of(i_(), INT, 30, many, UNKNOWN), I(1), I(0), I(0), N, I(0));
  EXPECT(pool, b, search_of(l(), BIG, 30, many, UNKNOWN), I(0), I(0), I(1), N, I(0));
  const range money[] = {POINT(I(150)), POINT(I(250))};
  EXPECT(pool, b, search_of(dc(), DEC(10, 2), 2, money, UNKNOWN), I(0), I(0), I(1), N, I(1));
  const range half[] = {{P(I(-5000000000)), P(I(5000000000)), true, false}};
  EXPECT(pool, b, search_of(w(), DEC(38, 10), 1, half, UNKNOWN), I(1), I(0), N, I(0), I(0));
  const range bytes[] = {POINT(I(-128)), {P(I(2)), NULL, false, false}};
  EXPECT(pool, b, search_of(t(), TINY, 2, bytes, UNKNOWN), I(0), I(1), I(1), I(1), N);
  EXPECT(pool, b, search_of(LIT(INT, I(2)), INT, 2, one_two, UNKNOWN), I(1), I(1), I(1), I(1), I(1));
  EXPECT(pool, b, search_of(LIT(INT, N), INT, 2, one_two, UNKNOWN), N, N, N, N, N);
  EXPECT(pool, b, search_of(LIT(INT, N), INT, 2, one_two, AS_TRUE), I(1), I(1), I(1), I(1), I(1));
  sf_batch_release(b);
  sf_pool_release(pool);
}

/* Flink's hash sets compare the bits of doubles, its range checks compare values. */
static void test_search_doubles(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = number_batch(pool);
  plan_reset();
  const range points[] = {POINT(D(0)), POINT(D(1.5))};
  EXPECT(pool, b, search_of(d(), DOUBLE, 2, points, UNKNOWN), I(0), I(0), I(1), I(0), I(1));
  EXPECT(pool, b, search_of(f(), REAL, 2, points, UNKNOWN), I(0), I(0), I(1), I(1), N);
  const range but[] = {{NULL, P(D(0)), false, true}, {P(D(0)), P(D(1.5)), true, true}, {P(D(1.5)), NULL, true, false}};
  EXPECT(pool, b, search_of(d(), DOUBLE, 3, but, UNKNOWN), I(1), I(1), I(0), I(1), I(0));
  const range ranges[] = {{P(D(0)), P(D(1)), false, false}, {P(D(1.5)), NULL, true, false}};
  EXPECT(pool, b, search_of(d(), DOUBLE, 2, ranges, UNKNOWN), I(0), I(1), I(1), I(1), I(0));
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_search_others(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *types[] = {TEXT, TS(3), TS(6), DATE};
  static const cell s[] = {S("abc"), S("ab"), N, S("b"), S("")};
  static const cell ts[] = {T(0, 0), T(123, 0), T(124, 0), N, T(-1, 0)};
  static const cell us[] = {T(0, 0), T(123, 456000), T(123, 457000), N, T(-1, 0)};
  static const cell day[] = {I(0), I(1), I(2), I(3), N};
  const cell *cells[] = {s, ts, us, day};
  sf_batch *b = batch_of(pool, 4, types, 5, cells);
  plan_reset();
  const range set[] = {POINT(S("")), POINT(S("ab")), POINT(S("b")), POINT(S("c")), POINT(S("a longer one than the others"))};
  EXPECT(pool, b, search_of(input(0, TEXT), TEXT, 5, set, UNKNOWN), I(0), I(1), N, I(1), I(1));
  const range but[] = {{NULL, P(S("ab")), false, true}, {P(S("ab")), P(S("b")), true, true}, {P(S("b")), NULL, true, false}};
  EXPECT(pool, b, search_of(input(0, TEXT), TEXT, 3, but, UNKNOWN), I(1), I(0), N, I(0), I(1));
  const range between[] = {{P(S("ab")), P(S("abz")), false, false}};
  EXPECT(pool, b, search_of(input(0, TEXT), TEXT, 1, between, AS_FALSE), I(1), I(1), I(0), I(0), I(0));
  const range open[] = {{P(S("ab")), P(S("b")), true, true}};
  EXPECT(pool, b, search_of(input(0, TEXT), TEXT, 1, open, UNKNOWN), I(1), I(0), N, I(0), I(0));
  /* A bound finer than the column's precision matches no point and cuts ranges where it should. */
  const range instants[] = {POINT(T(0, 0)), POINT(T(123, 456000))};
  EXPECT(pool, b, search_of(input(1, TS(3)), TS(6), 2, instants, UNKNOWN), I(1), I(0), I(0), N, I(0));
  EXPECT(pool, b, search_of(input(2, TS(6)), TS(6), 2, instants, UNKNOWN), I(1), I(1), I(0), N, I(0));
  const range after[] = {{P(T(122, 999999)), P(T(123, 999999)), true, false}};
  EXPECT(pool, b, search_of(input(1, TS(3)), TS(6), 1, after, UNKNOWN), I(0), I(1), I(0), N, I(0));
  const range before[] = {{NULL, P(T(-1, 1)), false, true}};
  EXPECT(pool, b, search_of(input(1, TS(3)), TS(6), 1, before, UNKNOWN), I(0), I(0), I(0), N, I(1));
  const range days[] = {{P(I(1)), P(I(3)), true, true}};
  EXPECT(pool, b, search_of(input(3, DATE), DATE, 1, days, UNKNOWN), I(0), I(0), I(1), I(0), N);
  sf_batch_release(b);
  sf_pool_release(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_decimal_with_others), TEST(test_primitives),     TEST(test_texts),         TEST(test_temporals),
      TEST(test_search_numbers),      TEST(test_search_doubles), TEST(test_search_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
