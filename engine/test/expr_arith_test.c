/* Arithmetic, rounding and numeric casts, with the values stock Flink 2.2.1 gives (JDK 17). */
#include "expr_support.h"

#define I32_MIN (-2147483647 - 1)
#define I64_MIN (-9223372036854775807LL - 1)

/* Small values, the least and the greatest of each type, NULL. */
static sf_batch *numbers(sf_pool *pool) {
  sf_type *types[] = {TINY, SMALL, INT, BIG, REAL, DOUBLE, DEC(10, 2)};
  const cell t[] = {I(5), I(-128), I(127), N}, s[] = {I(6), I(-32768), I(32767), N};
  const cell i[] = {I(7), I(I32_MIN), I(2147483647), N}, l[] = {I(9), I(I64_MIN), I(9223372036854775807), N};
  const cell f[] = {D(1.5), D(-0.5), D(-0.0), N}, d[] = {D(2.5), D(-2.5), D(-0.0), N};
  const cell dc[] = {I(325), I(-9999999999), I(9999999999), N};
  const cell *cells[] = {t, s, i, l, f, d, dc};
  return batch_of(pool, 7, types, 4, cells);
}

static plan_expr *t(void) { return input(0, TINY); }
static plan_expr *s(void) { return input(1, SMALL); }
static plan_expr *i_(void) { return input(2, INT); }
static plan_expr *l(void) { return input(3, BIG); }
static plan_expr *f(void) { return input(4, REAL); }
static plan_expr *d(void) { return input(5, DOUBLE); }
static plan_expr *dc(void) { return input(6, DEC(10, 2)); }

static void test_wrapping(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = numbers(pool);
  plan_reset();
  EXPECT(pool, b, CALL("PLUS", TINY, t(), t()), I(10), I(0), I(-2), N);
  EXPECT(pool, b, CALL("PLUS", SMALL, s(), s()), I(12), I(0), I(-2), N);
  EXPECT(pool, b, CALL("PLUS", INT, i_(), i_()), I(14), I(0), I(-2), N);
  EXPECT(pool, b, CALL("PLUS", BIG, l(), l()), I(18), I(0), I(-2), N);
  EXPECT(pool, b, CALL("TIMES", TINY, t(), t()), I(25), I(0), I(1), N);
  EXPECT(pool, b, CALL("TIMES", SMALL, s(), s()), I(36), I(0), I(1), N);
  EXPECT(pool, b, CALL("TIMES", INT, i_(), i_()), I(49), I(0), I(1), N);
  EXPECT(pool, b, CALL("TIMES", BIG, l(), l()), I(81), I(0), I(1), N);
  EXPECT(pool, b, CALL("PLUS", SMALL, t(), s()), I(11), I(32640), I(-32642), N);
  EXPECT(pool, b, CALL("MINUS", SMALL, t(), s()), I(-1), I(32640), I(-32640), N);
  EXPECT(pool, b, CALL("PLUS", BIG, i_(), l()), I(16), I(9223372034707292160), I(-9223372034707292162), N);
  EXPECT(pool, b, CALL("MINUS", INT, LIT(INT, I(-2)), i_()), I(-9), I(2147483646), I(2147483647), N);
  EXPECT(pool, b, CALL("TIMES", INT, i_(), LIT(INT, I(3))), I(21), I(I32_MIN), I(2147483645), N);
  EXPECT(pool, b, CALL("UNARY_MINUS", TINY, t()), I(-5), I(-128), I(-127), N);
  EXPECT(pool, b, CALL("UNARY_MINUS", SMALL, s()), I(-6), I(-32768), I(-32767), N);
  EXPECT(pool, b, CALL("UNARY_MINUS", INT, i_()), I(-7), I(I32_MIN), I(-2147483647), N);
  EXPECT(pool, b, CALL("UNARY_MINUS", BIG, l()), I(-9), I(I64_MIN), I(-9223372036854775807), N);
  EXPECT(pool, b, CALL("UNARY_MINUS", DEC(10, 2), dc()), I(-325), I(9999999999), I(-9999999999), N);
  EXPECT(pool, b, CALL("ABS", TINY, t()), I(5), I(-128), I(127), N);
  EXPECT(pool, b, CALL("ABS", SMALL, s()), I(6), I(-32768), I(32767), N);
  EXPECT(pool, b, CALL("ABS", INT, i_()), I(7), I(I32_MIN), I(2147483647), N);
  EXPECT(pool, b, CALL("ABS", BIG, l()), I(9), I(I64_MIN), I(9223372036854775807), N);
  EXPECT(pool, b, CALL("ABS", DEC(10, 2), dc()), I(325), I(9999999999), I(9999999999), N);
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_reals(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = numbers(pool);
  plan_reset();
  EXPECT(pool, b, CALL("PLUS", REAL, i_(), f()), D(8.5), D(-2.14748365E9), D(2.14748365E9), N);
  EXPECT(pool, b, CALL("PLUS", DOUBLE, l(), d()), D(11.5), D(-9.223372036854775808E18), D(9.223372036854775807E18), N);
  EXPECT(pool, b, CALL("PLUS", REAL, f(), d()), D(4), D(-3), D(-0.0), N);
  EXPECT(pool, b, CALL("PLUS", DOUBLE, dc(), f()), D(4.75), D(-1.0000000049E8), D(9.999999999E7), N);
  EXPECT(pool, b, CALL("TIMES", DOUBLE, dc(), d()), D(8.125), D(2.49999999975E8), D(-0.0), N);
  EXPECT(pool, b, CALL("DIVIDE", REAL, f(), LIT(INT, I(0))), D(INFINITY), D(-INFINITY), D(NAN), N);
  EXPECT(pool, b, CALL("DIVIDE", DOUBLE, d(), LIT(INT, I(0))), D(INFINITY), D(-INFINITY), D(NAN), N);
  EXPECT(pool, b, CALL("DIVIDE", REAL, l(), f()), D(6), D(1.8446744E19), D(-INFINITY), N);
  EXPECT(pool, b, CALL("DIVIDE", REAL, f(), i_()), D(0.21428572), D(2.3283064E-10), D(-0.0), N);
  EXPECT(pool, b, CALL("DIVIDE", DOUBLE, d(), dc()), D(0.7692307692307693), D(2.50000000025E-8), D(-0.0), N);
  EXPECT(pool, b, CALL("UNARY_MINUS", REAL, f()), D(-1.5), D(0.5), D(0.0), N);
  EXPECT(pool, b, CALL("UNARY_MINUS", DOUBLE, d()), D(-2.5), D(2.5), D(0.0), N);
  EXPECT(pool, b, CALL("ABS", REAL, f()), D(1.5), D(0.5), D(0.0), N);
  EXPECT(pool, b, CALL("SIGN", DOUBLE, d()), D(1), D(-1), D(-0.0), N);
  EXPECT(pool, b, CALL("SIGN", REAL, f()), D(1), D(-1), D(-0.0), N);
  EXPECT(pool, b, CALL("SIGN", INT, i_()), I(1), I(-1), I(1), N);
  EXPECT(pool, b, CALL("SIGN", BIG, l()), I(1), I(-1), I(1), N);
  EXPECT(pool, b, CALL("FLOOR", REAL, f()), D(1), D(-1), D(-0.0), N);
  EXPECT(pool, b, CALL("FLOOR", DOUBLE, d()), D(2), D(-3), D(-0.0), N);
  EXPECT(pool, b, CALL("CEIL", REAL, f()), D(2), D(-0.0), D(-0.0), N);
  EXPECT(pool, b, CALL("CEIL", DOUBLE, d()), D(3), D(-2), D(-0.0), N);
  EXPECT(pool, b, CALL("CEIL", TINY, t()), I(5), I(-128), I(127), N);
  EXPECT(pool, b, CALL("FLOOR", BIG, LIT(BIG, I(4))), I(4), I(4), I(4), I(4));
  assert_false(supported(CALL("SIGN", TINY, t()))); /* stock's generated code does not compile */
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_division(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = numbers(pool);
  plan_reset();
  EXPECT(pool, b, CALL("DIVIDE", TINY, t(), LIT(TINY, I(2))), I(2), I(-64), I(63), N);
  EXPECT(pool, b, CALL("DIVIDE", INT, s(), LIT(INT, I(7))), I(0), I(-4681), I(4681), N);
  EXPECT(pool, b, CALL("DIVIDE", INT, i_(), LIT(INT, I(7))), I(1), I(-306783378), I(306783378), N);
  EXPECT(pool, b, CALL("DIVIDE", BIG, l(), LIT(INT, I(7))), I(1), I(-1317624576693539401), I(1317624576693539401), N);
  EXPECT(pool, b, CALL("DIVIDE", TINY, t(), LIT(TINY, I(-1))), I(-5), I(-128), I(-127), N);
  EXPECT(pool, b, CALL("DIVIDE", INT, i_(), LIT(INT, I(-1))), I(-7), I(I32_MIN), I(-2147483647), N);
  EXPECT(pool, b, CALL("DIVIDE", BIG, l(), LIT(INT, I(-1))), I(-9), I(I64_MIN), I(-9223372036854775807), N);
  EXPECT(pool, b, CALL("DIVIDE", BIG, i_(), l()), I(0), I(0), I(0), N);
  EXPECT(pool, b, CALL("DIVIDE", BIG, l(), t()), I(1), I(72057594037927936), I(72624976668147841), N);
  EXPECT(pool, b, CALL("MOD", TINY, t(), LIT(TINY, I(7))), I(5), I(-2), I(1), N);
  EXPECT(pool, b, CALL("MOD", INT, l(), LIT(INT, I(7))), I(2), I(-1), I(0), N);
  EXPECT(pool, b, CALL("MOD", BIG, i_(), LIT(BIG, I(7))), I(0), I(-2), I(1), N);
  EXPECT(pool, b, CALL("MOD", TINY, l(), LIT(TINY, I(-10))), I(9), I(-8), I(7), N);
  EXPECT(pool, b, CALL("MOD", BIG, s(), l()), I(6), I(-32768), I(32767), N);
  EXPECT(pool, b, CALL("MOD", SMALL, l(), s()), I(3), I(0), I(7), N);
  EXPECT(pool, b, CALL("MOD", TINY, l(), t()), I(4), I(0), I(0), N);
  EXPECT(pool, b, CALL("MOD", INT, t(), i_()), I(5), I(-128), I(127), N);
  EXPECT(pool, b, CALL("MOD", DEC(3, 2), dc(), LIT(DEC(2, 1), I(7))), I(45), I(-59), I(59), N);
  EXPECT(pool, b, CALL("MOD", DEC(10, 2), dc(), LIT(INT, I(7))), I(325), I(-199), I(199), N);
  EXPECT(pool, b, CALL("MOD", DEC(2, 1), l(), LIT(DEC(2, 1), I(7))), I(6), I(-3), I(0), N);
  EXPECT(pool, b, CALL("MOD", DEC(10, 2), LIT(INT, I(7)), dc()), I(50), I(700), I(700), N);
  expect_failure(pool, b, CALL("DIVIDE", INT, i_(), LIT(INT, I(0))), SF_ARITHMETIC, 0, "/ by zero");
  expect_failure(pool, b, CALL("MOD", BIG, l(), LIT(BIG, I(0))), SF_ARITHMETIC, 0, "/ by zero");
  expect_failure(pool, b, CALL("DIVIDE", DEC(21, 13), dc(), LIT(INT, I(0))), SF_ARITHMETIC, 0, "Division by zero");
  expect_failure(pool, b, CALL("DIVIDE", INT, LIT(INT, I(1)), CALL("MINUS", INT, i_(), LIT(INT, I(2147483647)))),
                 SF_ARITHMETIC, 2, "/ by zero");
  /* NULL divided by zero is NULL. */
  EXPECT(pool, b, CALL("DIVIDE", INT, LIT(INT, N), LIT(INT, I(0))), N, N, N, N);
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_decimals(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = numbers(pool);
  plan_reset();
  EXPECT(pool, b, CALL("PLUS", DEC(13, 2), i_(), dc()), I(1025), I(-224748364799), I(224748364699), N);
  EXPECT(pool, b, CALL("PLUS", DEC(22, 2), l(), dc()), I(1225), W("-922337203695477580799"), W("922337203695477580699"),
         N);
  EXPECT(pool, b, CALL("MINUS", DEC(11, 2), t(), dc()), I(175), I(9999987199), I(-9999987299), N);
  EXPECT(pool, b, CALL("MINUS", DEC(22, 2), dc(), l()), I(-575), W("922337203675477580801"), W("-922337203675477580701"),
         N);
  EXPECT(pool, b, CALL("TIMES", DEC(30, 2), dc(), l()), I(2925), W("92233720359324386043145224192"),
         W("92233720359324386033145224193"), N);
  EXPECT(pool, b, CALL("TIMES", DEC(21, 4), dc(), dc()), I(105625), W("99999999980000000001"), W("99999999980000000001"),
         N);
  EXPECT(pool, b, CALL("DIVIDE", DEC(30, 22), dc(), l()), W("3611111111111111111111"), I(108420217238), I(108420217238),
         N);
  EXPECT(pool, b, CALL("DIVIDE", DEC(32, 11), l(), dc()), I(276923076923), W("9223372037777113011778"),
         W("9223372037777113010778"), N);
  EXPECT(pool, b, CALL("DIVIDE", DEC(23, 13), dc(), dc()), W("10000000000000"), W("10000000000000"), W("10000000000000"),
         N);
  /* 0.908 * price of the auction benchmark */
  EXPECT(pool, b, CALL("TIMES", DEC(23, 3), LIT(DEC(4, 3), I(908)), l()), I(8172), W("-8374821809464136433664"),
         W("8374821809464136432756"), N);
  EXPECT(pool, b, CALL("SIGN", DEC(10, 2), dc()), I(100), I(-100), I(100), N);
  EXPECT(pool, b, CALL("FLOOR", DEC(10, 0), dc()), I(3), I(-100000000), I(99999999), N);
  EXPECT(pool, b, CALL("CEIL", DEC(10, 0), dc()), I(4), I(-99999999), I(100000000), N);
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_intervals(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *types[] = {MONTHS, MILLIS, INT};
  const cell m[] = {I(12), I(-1), N}, ms[] = {I(1000), N, I(-86400000)}, i[] = {I(3), I(2), I(2)};
  const cell *cells[] = {m, ms, i};
  sf_batch *b = batch_of(pool, 3, types, 3, cells);
  plan_reset();
  plan_expr *months = input(0, MONTHS), *millis = input(1, MILLIS), *n = input(2, INT);
  EXPECT(pool, b, CALL("PLUS", MONTHS, months, months), I(24), I(-2), N);
  EXPECT(pool, b, CALL("MINUS", MILLIS, millis, LIT(MILLIS, I(1))), I(999), N, I(-86400001));
  EXPECT(pool, b, CALL("TIMES", MILLIS, millis, n), I(3000), N, I(-172800000));
  EXPECT(pool, b, CALL("TIMES", MONTHS, months, n), I(36), I(-2), N);
  EXPECT(pool, b, CALL("UNARY_MINUS", MILLIS, millis), I(-1000), N, I(86400000));
  EXPECT(pool, b, CALL("CAST", BIG, months), I(12), I(-1), N);
  EXPECT(pool, b, CALL("CAST", MONTHS, n), I(3), I(2), I(2));
  EXPECT(pool, b, CALL("REINTERPRET", BIG, millis), I(1000), N, I(-86400000));
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_rounding(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = numbers(pool);
  plan_reset();
#define ROUND(type, x, n) CALL("ROUND", type, x, LIT(INT, I(n)))
#define TRUNCATE(type, x, n) CALL("TRUNCATE", type, x, LIT(INT, I(n)))
  EXPECT(pool, b, ROUND(TINY, t(), -1), I(10), I(126), I(-126), N);
  EXPECT(pool, b, ROUND(TINY, t(), -2), I(0), I(-100), I(100), N);
  EXPECT(pool, b, ROUND(TINY, t(), -3), I(0), I(0), I(0), N);
  EXPECT(pool, b, ROUND(SMALL, s(), -2), I(0), I(32736), I(-32736), N);
  EXPECT(pool, b, ROUND(INT, i_(), -9), I(0), I(-2000000000), I(2000000000), N);
  EXPECT(pool, b, ROUND(INT, i_(), -10), I(0), I(0), I(0), N);
  EXPECT(pool, b, ROUND(BIG, l(), -18), I(0), I(-9000000000000000000), I(9000000000000000000), N);
  EXPECT(pool, b, ROUND(BIG, l(), -19), I(0), I(8446744073709551616U), I(-8446744073709551615 - 1), N);
  EXPECT(pool, b, ROUND(BIG, l(), -20), I(0), I(0), I(0), N);
  EXPECT(pool, b, ROUND(BIG, l(), 3), I(9), I(I64_MIN), I(9223372036854775807), N);
  EXPECT(pool, b, CALL("ROUND", INT, i_()), I(7), I(I32_MIN), I(2147483647), N);
  EXPECT(pool, b, ROUND(DEC(10, 1), dc(), 1), I(33), I(-1000000000), I(1000000000), N);
  EXPECT(pool, b, ROUND(DEC(9, 0), dc(), 0), I(3), I(-100000000), I(100000000), N);
  EXPECT(pool, b, ROUND(DEC(9, 0), dc(), -8), I(0), I(-100000000), I(100000000), N);
  EXPECT(pool, b, ROUND(DEC(9, 0), dc(), -9), I(0), I(0), I(0), N);
  EXPECT(pool, b, ROUND(DEC(10, 2), dc(), 5), I(325), I(-9999999999), I(9999999999), N);
  EXPECT(pool, b, TRUNCATE(INT, i_(), -1), I(0), I(-2147483640), I(2147483640), N);
  EXPECT(pool, b, TRUNCATE(BIG, l(), -3), I(0), I(-9223372036854775000), I(9223372036854775000), N);
  EXPECT(pool, b, TRUNCATE(BIG, l(), -20), I(0), I(0), I(0), N);
  EXPECT(pool, b, TRUNCATE(DEC(10, 1), dc(), 1), I(32), I(-999999999), I(999999999), N);
  EXPECT(pool, b, TRUNCATE(DEC(9, 0), dc(), -1), I(0), I(-99999990), I(99999990), N);
  EXPECT(pool, b, CALL("TRUNCATE", DEC(9, 0), dc()), I(3), I(-99999999), I(99999999), N);
  assert_false(supported(CALL("ROUND", INT, i_(), i_())));
  assert_false(supported(ROUND(INT, i_(), 100000)));
  assert_false(supported(ROUND(DEC(10, 2), dc(), 1))); /* not the type that Flink derives */
  sf_batch_release(b);
  sf_pool_release(pool);
}

/* Through the text of the number, as JDK 17 prints it. */
static void test_real_text(void **state) {
  (void)state;
  sf_session *session = legacy_jdk_session();
  expr_session = session;
  sf_pool *pool = pool_of(-1);
  sf_type *types[] = {DOUBLE, REAL};
  const cell d[] = {D(-2.5), D(1.005), D(123456789.987654321), D(1e-7), D(9.995), D(-0.0), D(5e-324), D(1e19), D(0.285),
                    D(1234567890123456789), N};
  const cell f[] = {D(-2.5), D(1.005), D(1234567.9), D(1e-7), D(9.995), D(-0.0), D(1e-45), D(1e19), D(0.285),
                    D(16777217), N};
  const cell *cells[] = {d, f};
  sf_batch *b = batch_of(pool, 2, types, 11, cells);
  plan_reset();
  plan_expr *x = input(0, DOUBLE), *y = input(1, REAL);
  EXPECT(pool, b, CALL("ROUND", DOUBLE, x), D(-3), D(1), D(123456790), D(0), D(10), D(0), D(0), D(1e19), D(0),
         D(1.23456789012345677E18), N);
  EXPECT(pool, b, ROUND(DOUBLE, x, 2), D(-2.5), D(1.01), D(123456789.99), D(0), D(10), D(0), D(0), D(1e19), D(0.29),
         D(1.23456789012345677E18), N);
  EXPECT(pool, b, ROUND(DOUBLE, x, 10), D(-2.5), D(1.005), D(1.2345678998765433E8), D(1e-7), D(9.995), D(0), D(0),
         D(1e19), D(0.285), D(1.23456789012345677E18), N);
  EXPECT(pool, b, ROUND(DOUBLE, x, -19), D(0), D(0), D(0), D(0), D(0), D(0), D(0), D(1e19), D(0), D(0), N);
  EXPECT(pool, b, ROUND(REAL, y, 2), D(-2.5), D(1), D(1234567.9), D(0), D(9.99), D(0), D(0), D(1e19), D(0.28),
         D(16777216), N);
  EXPECT(pool, b, ROUND(REAL, y, -1), D(0), D(0), D(1234570), D(0), D(10), D(0), D(0), D(1e19), D(0), D(16777220), N);
  EXPECT(pool, b, TRUNCATE(DOUBLE, x, 1), D(-2.5), D(1), D(123456789.9), D(0), D(9.9), D(0), D(0), D(1e19), D(0.2),
         D(1.23456789012345677E18), N);
  EXPECT(pool, b, TRUNCATE(DOUBLE, x, -20), D(0), D(0), D(0), D(0), D(0), D(0), D(0), D(0), D(0), D(0), N);
  EXPECT(pool, b, TRUNCATE(REAL, y, 1), D(-2.5), D(1), D(1234567.8), D(0), D(9.9), D(0), D(0), D(1e19), D(0.2),
         D(16777216), N);
  EXPECT(pool, b, CALL("CAST", DEC(10, 2), x), I(-250), I(101), N, I(0), I(1000), I(0), I(0), N, I(29), N, N);
  EXPECT(pool, b, CALL("CAST", DEC(38, 18), x), W("-2500000000000000000"), W("1005000000000000000"),
         W("123456789987654330000000000"), W("100000000000"), W("9995000000000000000"), I(0), I(0),
         W("10000000000000000000000000000000000000"), W("285000000000000000"), W("1234567890123456770000000000000000000"),
         N);
  EXPECT(pool, b, CALL("TRY_CAST", DEC(38, 18), y), W("-2500000000000000000"), W("1004999995231628400"),
         W("1234567875000000000000000"), W("100000001169"), W("9994999885559082000"), I(0), I(0),
         W("9999999980506448000000000000000000000"), W("284999996423721300"), W("16777216000000000000000000"), N);
  sf_batch_release(b);

  const cell odd[] = {D(1), D(NAN)}, huge[] = {D(1e20), D(-INFINITY)};
  const cell *odd_cells[] = {odd}, *huge_cells[] = {huge};
  const char *nan = "Character N is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark.";
  const char *inf = "Character I is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark.";
  b = batch_of(pool, 1, (sf_type *[]){DOUBLE}, 2, odd_cells);
  expect_failure(pool, b, CALL("CAST", DEC(10, 2), x), SF_NUMBER_FORMAT, 1, nan);
  expect_failure(pool, b, CALL("TRY_CAST", DEC(10, 2), x), SF_NUMBER_FORMAT, 1, nan);
  expect_failure(pool, b, ROUND(DOUBLE, x, 1), SF_NUMBER_FORMAT, 1, nan);
  sf_batch_release(b);
  b = batch_of(pool, 1, (sf_type *[]){DOUBLE}, 2, huge_cells);
  expect_failure(pool, b, ROUND(DOUBLE, x, 1), SF_NUMBER_FORMAT, 1, inf);
  expect_failure(pool, b, TRUNCATE(DOUBLE, x, 1), SF_NULL_POINTER, 0,
                 "Cannot invoke \"org.apache.flink.table.data.DecimalData.scale()\" because \"b0\" is null");
  sf_batch_release(b);
  expr_session = NULL;
  sf_session_destroy(session);
  sf_pool_release(pool);
}

static void test_casts(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = numbers(pool);
  plan_reset();
#define CAST(type, x) CALL("CAST", type, x)
  EXPECT(pool, b, CAST(TINY, dc()), I(3), I(1), I(-1), N);
  EXPECT(pool, b, CAST(SMALL, dc()), I(3), I(7937), I(-7937), N);
  EXPECT(pool, b, CAST(BIG, dc()), I(3), I(-99999999), I(99999999), N);
  EXPECT(pool, b, CAST(REAL, dc()), D(3.25), D(-1E8), D(1E8), N);
  EXPECT(pool, b, CAST(DOUBLE, dc()), D(3.25), D(-9.999999999E7), D(9.999999999E7), N);
  EXPECT(pool, b, CAST(BOOL, dc()), I(1), I(1), I(1), N);
  EXPECT(pool, b, CAST(DEC(10, 1), dc()), I(33), I(-1000000000), I(1000000000), N);
  EXPECT(pool, b, CAST(DEC(5, 2), dc()), I(325), N, N, N);
  EXPECT(pool, b, CALL("TRY_CAST", DEC(5, 2), dc()), I(325), N, N, N);
  EXPECT(pool, b, CAST(DEC(20, 10), dc()), I(32500000000), I(-999999999900000000), I(999999999900000000), N);
  EXPECT(pool, b, CAST(TINY, l()), I(9), I(0), I(-1), N);
  EXPECT(pool, b, CAST(INT, l()), I(9), I(0), I(-1), N);
  EXPECT(pool, b, CAST(REAL, l()), D(9), D(-9.223372E18), D(9.223372E18), N);
  EXPECT(pool, b, CAST(DEC(19, 0), l()), I(9), I(I64_MIN), I(9223372036854775807), N);
  EXPECT(pool, b, CAST(DEC(20, 2), l()), I(900), N, N, N);
  EXPECT(pool, b, CAST(DEC(9, 0), i_()), I(7), N, N, N);
  EXPECT(pool, b, CAST(DEC(38, 19), l()), W("90000000000000000000"), W("-92233720368547758080000000000000000000"),
         W("92233720368547758070000000000000000000"), N);
  EXPECT(pool, b, CAST(BOOL, l()), I(1), I(1), I(1), N);
  EXPECT(pool, b, CAST(BOOL, d()), I(1), I(1), I(0), N);
  EXPECT(pool, b, CAST(TINY, d()), I(2), I(-2), I(0), N);
  plan_expr *big = CALL("TIMES", DOUBLE, d(), LIT(DOUBLE, D(1e30)));
  EXPECT(pool, b, CAST(INT, big), I(2147483647), I(I32_MIN), I(0), N);
  EXPECT(pool, b, CAST(BIG, big), I(9223372036854775807), I(I64_MIN), I(0), N);
  EXPECT(pool, b, CAST(TINY, big), I(-1), I(0), I(0), N);
  EXPECT(pool, b, CAST(REAL, CALL("TIMES", DOUBLE, d(), LIT(DOUBLE, D(1e300)))), D(INFINITY), D(-INFINITY), D(-0.0), N);
  plan_expr *positive = CALL("GREATER_THAN", BOOL, i_(), LIT(INT, I(0)));
  EXPECT(pool, b, CAST(INT, positive), I(1), I(0), I(1), N);
  EXPECT(pool, b, CAST(DOUBLE, positive), D(1), D(0), D(1), N);
  EXPECT(pool, b, CAST(DEC(5, 2), positive), I(100), I(0), I(100), N);
  assert_false(supported(CAST(DEC(1, 1), positive)));
  EXPECT(pool, b, CAST(INT, LIT(scalar(SF_TYPE_NULL, 0, 0, 0), N)), N, N, N, N);
  EXPECT(pool, b, CAST(BIG, LIT(DOUBLE, D(NAN))), I(0), I(0), I(0), I(0));
  sf_batch_release(b);

  const cell w[] = {I(5000000000), W("123456789012345678905000000000"), N, I(-5000000000)};
  const cell *cells[] = {w};
  b = batch_of(pool, 1, (sf_type *[]){DEC(38, 10)}, 4, cells);
  plan_expr *x = input(0, DEC(38, 10));
  EXPECT(pool, b, CAST(INT, x), I(0), I(-350287150), N, I(0));
  EXPECT(pool, b, CAST(BIG, x), I(0), I(-6101065172474983726), N, I(0));
  EXPECT(pool, b, CAST(DOUBLE, x), D(0.5), D(1.2345678901234567E19), N, D(-0.5));
  EXPECT(pool, b, CAST(REAL, x), D(0.5), D(1.2345679E19), N, D(-0.5));
  EXPECT(pool, b, CAST(DEC(10, 2), x), I(50), N, N, I(-50));
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_reinterpret(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  const cell ts[] = {T(-1, 999999), T(86400000, 0), N}, day[] = {I(-1), N, I(3)};
  const cell *cells[] = {ts, day};
  sf_batch *b = batch_of(pool, 2, (sf_type *[]){TS(9), DATE}, 3, cells);
  plan_reset();
  plan_expr *millis = CALL("REINTERPRET", BIG, input(0, TS(9)));
  EXPECT(pool, b, millis, I(-1), I(86400000), N);
  EXPECT(pool, b, CALL("REINTERPRET", TS(9), millis), T(-1, 0), T(86400000, 0), N);
  EXPECT(pool, b, CALL("REINTERPRET", TS(3), millis), T(-1, 0), T(86400000, 0), N);
  EXPECT(pool, b, CALL("REINTERPRET", INT, input(1, DATE)), I(-1), N, I(3));
  EXPECT(pool, b, CALL("REINTERPRET", BIG, input(1, DATE)), I(-1), N, I(3));
  sf_batch_release(b);
  sf_pool_release(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_wrapping), TEST(test_reals),     TEST(test_division), TEST(test_decimals),    TEST(test_intervals),
      TEST(test_rounding), TEST(test_real_text), TEST(test_casts),    TEST(test_reinterpret),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
