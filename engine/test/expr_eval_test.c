/* The evaluator itself: host kernels, shared results, filters, maxima, sessions, refusals, memory limits. */
#include "expr/kernel.h"
#include "expr_support.h"

/* i INT, s STRING */
static sf_batch *small_batch(sf_pool *pool) {
  const cell i[] = {I(4), N, I(-1), I(0), I(7)};
  const cell s[] = {S("four"), S(""), N, S("zero"), S("seven")};
  const cell *cells[] = {i, s};
  return batch_of(pool, 2, (sf_type *[]){INT, TEXT}, 5, cells);
}

static plan_expr *i_(void) { return input(0, INT); }
static plan_expr *s(void) { return input(1, TEXT); }

static plan_expr *host_call(int32_t kernel, sf_type *type, int n, plan_expr **args) {
  plan_expr *e = expr_of(type);
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_HOST;
  e->host = plan_take(sizeof *e->host);
  streamfusion__plan__host_call__init(e->host);
  e->host->kernel = kernel;
  e->host->n_args = (size_t)n;
  e->host->args = plan_take((size_t)n * sizeof *args + 1);
  memcpy(e->host->args, args, (size_t)n * sizeof *args);
  return e;
}

/* --- host kernels */

/* Kernel 0: its INT argument plus one, NULL for NULL; kernel 1: fails. Remembers what it was asked. */
typedef struct recorder {
  sf_pool *pool;
  int calls;
  int64_t rows[8]; /* how many rows each call was asked for */
  int32_t seen[8]; /* the first of them */
  bool wrong_length;
} recorder;

static sf_status recording_host(void *context, int32_t kernel, const sf_type *type, const sf_column *const *args,
                                int32_t n_args, int64_t length, const int32_t *selected, int64_t n_selected,
                                sf_column **out, sf_error *error) {
  recorder *r = context;
  assert_int_equal(1, n_args);
  assert_true(r->calls < 8);
  r->rows[r->calls] = selected == NULL ? length : n_selected;
  r->seen[r->calls++] = selected == NULL ? 0 : selected[0];
  if (kernel == 1) return sf_fail(error, SF_HOST, "from the host");
  sf_error err;
  sf_column_builder *b = NULL;
  OK(sf_column_builder_create(r->pool, type, &b, &err));
  for (int64_t i = 0; i < length - (r->wrong_length ? 1 : 0); i++) {
    if (sf_column_is_null(args[0], i)) {
      OK(sf_column_builder_null(b, &err));
    } else {
      OK(sf_column_builder_int(b, ((const int32_t *)args[0]->values)[args[0]->is_const ? 0 : i] + 1, &err));
    }
  }
  OK(sf_column_builder_finish(b, out, &err));
  sf_column_builder_destroy(b);
  return SF_OK;
}

static void test_host_kernels(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = small_batch(pool);
  recorder r = {.pool = pool};
  sf_host host = {&r, recording_host};
  plan_reset();
  plan_expr *next = host_call(0, INT, 1, (plan_expr *[]){i_()});
  sf_expr *expr = compile_for(pool, NULL, &host, b->type, next);
  expect_rows(expr, b, NULL, 5, (const cell[]){I(5), N, I(0), I(1), I(8)});
  assert_int_equal(1, r.calls);
  sf_expr_destroy(expr);
  /* A branch sees exactly its rows; equal calls under one selection are one. */
  r = (recorder){.pool = pool};
  plan_expr *positive = CALL("GREATER_THAN", BOOL, i_(), LIT(INT, I(0)));
  expr = compile_for(pool, NULL, &host, b->type, CALL("CASE", INT, positive, next, CALL("PLUS", INT, next, next)));
  expect_rows(expr, b, NULL, 5, (const cell[]){I(5), N, I(0), I(2), I(8)});
  assert_int_equal(2, r.calls);
  assert_int_equal(2, r.rows[0]);
  assert_int_equal(0, r.seen[0]);
  assert_int_equal(3, r.rows[1]);
  assert_int_equal(1, r.seen[1]);
  sf_expr_destroy(expr);
  /* Nothing selected: not called at all. */
  r = (recorder){.pool = pool};
  expr = compile_for(pool, NULL, &host, b->type, CALL("CASE", INT, LIT(BOOL, N), next, i_()));
  expect_rows(expr, b, NULL, 5, (const cell[]){I(4), N, I(-1), I(0), I(7)});
  assert_int_equal(0, r.calls);
  sf_expr_destroy(expr);
  sf_column *none = NULL;
  expr = compile_for(pool, NULL, &host, b->type, host_call(1, INT, 1, (plan_expr *[]){LIT(INT, I(1))}));
  FAILS(SF_HOST, sf_expr_eval(expr, b, NULL, 0, &none, &err));
  assert_string_equal("from the host", err.message);
  sf_expr_destroy(expr);
  r = (recorder){.pool = pool, .wrong_length = true};
  expr = compile_for(pool, NULL, &host, b->type, next);
  FAILS(SF_INTERNAL, sf_expr_eval(expr, b, NULL, 0, &none, &err));
  sf_expr_destroy(expr);
  sf_batch_release(b);
  sf_pool_release(pool);
}

/* --- several expressions */

static sf_expr *compile_both(sf_pool *pool, const sf_host *host, const sf_type *row, plan_expr *const *exprs, int32_t n) {
  sf_error err;
  sf_expr_bytes plans[8] = {{NULL, 0}};
  uint8_t *bytes[8];
  for (int32_t i = 0; i < n; i++) {
    plans[i].size = streamfusion__plan__expr__get_packed_size(exprs[i]);
    plans[i].bytes = bytes[i] = malloc(plans[i].size + 1);
    streamfusion__plan__expr__pack(exprs[i], bytes[i]);
  }
  sf_expr *expr = NULL;
  OK(sf_expr_compile_all(pool, NULL, host, row, plans, n, &expr, &err));
  for (int32_t i = 0; i < n; i++) free(bytes[i]);
  return expr;
}

/* What filter and projections have in common is evaluated once where the filter needed it for all rows, and again where it
 * did not. */
static void test_filter_and_projection(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = small_batch(pool);
  recorder r = {.pool = pool};
  sf_host host = {&r, recording_host};
  plan_reset();
  plan_expr *next = host_call(0, INT, 1, (plan_expr *[]){i_()});
  plan_expr *condition = CALL("GREATER_THAN", BOOL, next, LIT(INT, I(0)));
  plan_expr *guarded = CALL("AND", BOOL, CALL("GREATER_THAN", BOOL, i_(), LIT(INT, I(3))), condition);
  plan_expr *const plans[2][4] = {{condition, next, CALL("PLUS", INT, next, LIT(INT, I(1))), condition},
                                  {guarded, next, CALL("PLUS", INT, next, LIT(INT, I(1))), condition}};
  const cell kept_i[] = {I(4), I(0), I(7)}, kept_s[] = {S("four"), S("zero"), S("seven")};
  const cell *kept_cells[] = {kept_i, kept_s};
  const cell guarded_i[] = {I(4), I(7)}, guarded_s[] = {S("four"), S("seven")};
  const cell *guarded_cells[] = {guarded_i, guarded_s};
  for (int k = 0; k < 2; k++) {
    r = (recorder){.pool = pool};
    sf_expr *expr = compile_both(pool, &host, b->type, plans[k], 4);
    for (int round = 0; round < 2; round++) {
      int32_t rows[5];
      int64_t n = 0;
      OK(sf_expr_filter(expr, b, rows, &n, &err));
      assert_int_equal(k == 0 ? 3 : 2, n);
      sf_batch *left = batch_of(pool, 2, (sf_type *[]){INT, TEXT}, (int)n, k == 0 ? kept_cells : guarded_cells);
      sf_column *out[3];
      OK(sf_expr_project(expr, 1, left, rows, out, &err));
      for (int64_t i = 0; i < n; i++) {
        const int32_t value = (k == 0 ? (int32_t[]){5, 1, 8} : (int32_t[]){5, 8})[i];
        expect_cell(out[0], i, &(cell)I(value));
        expect_cell(out[1], i, &(cell)I(value + 1));
        expect_cell(out[2], i, &(cell)I(1));
      }
      for (int i = 0; i < 3; i++) sf_column_release(out[i]);
      sf_batch_release(left);
      assert_int_equal((round + 1) * (k + 1), r.calls);
    }
    sf_expr_destroy(expr);
  }
  /* Without a filter all are evaluated; a failure hands out nothing and leaves nothing behind. */
  r = (recorder){.pool = pool};
  sf_expr *expr = compile_both(pool, &host, b->type, (plan_expr *[]){next, next, host_call(1, INT, 1, (plan_expr *[]){i_()})}, 3);
  sf_column *out[3];
  FAILS(SF_HOST, sf_expr_project(expr, 0, b, NULL, out, &err));
  assert_int_equal(2, r.calls);
  sf_expr_destroy(expr);
  sf_batch_release(b);
  sf_pool_release(pool);
}

/* --- shared sub-expressions */

/* The division fails on its second evaluation for rows that were not selected the first time: results computed under one
 * selection must not be taken for rows outside of it. */
static void test_shared_results(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = small_batch(pool);
  plan_reset();
  plan_expr *quotient = CALL("DIVIDE", INT, LIT(INT, I(28)), i_());
  plan_expr *safe = CALL("NOT_EQUALS", BOOL, i_(), LIT(INT, I(0)));
  plan_expr *sum = CALL("PLUS", INT, quotient, quotient);
  EXPECT(pool, b, CALL("CASE", INT, safe, sum, LIT(INT, I(-5))), I(14), I(-5), I(-56), I(-5), I(8));
  EXPECT(pool, b,
         CALL("CASE", INT, CALL("GREATER_THAN", BOOL, i_(), LIT(INT, I(0))), quotient, safe,
              CALL("TIMES", INT, quotient, LIT(INT, I(10))), LIT(INT, I(0))),
         I(7), I(0), I(-280), I(0), I(4));
  expect_failure(pool, b,
                 CALL("PLUS", INT, CALL("CASE", INT, safe, quotient, LIT(INT, I(1))),
                      CALL("CASE", INT, safe, LIT(INT, I(1)), quotient)),
                 SF_ARITHMETIC, 3, "/ by zero");
  sf_batch_release(b);
  sf_pool_release(pool);
}

/* --- filter and maximum */

static void test_filter(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = small_batch(pool);
  plan_reset();
  struct {
    plan_expr *condition;
    int64_t n;
    int32_t rows[5];
  } cases[] = {
      {CALL("GREATER_THAN_OR_EQUAL", BOOL, i_(), LIT(INT, I(0))), 3, {0, 3, 4}},
      {CALL("IS_NOT_NULL", BOOL, s()), 4, {0, 1, 3, 4}},
      {LIT(BOOL, I(1)), 5, {0, 1, 2, 3, 4}},
      {LIT(BOOL, I(0)), 0, {0}},
      {LIT(BOOL, N), 0, {0}},
      {CALL("AND", BOOL, CALL("IS_NOT_NULL", BOOL, s()), CALL("LESS_THAN", BOOL, i_(), LIT(INT, I(5)))), 2, {0, 3}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    int32_t rows[5];
    int64_t n = -1;
    sf_expr *expr = compile_for(pool, NULL, NULL, b->type, cases[k].condition);
    OK(sf_expr_filter(expr, b, rows, &n, &err));
    assert_int_equal(cases[k].n, n);
    assert_memory_equal(cases[k].rows, rows, (size_t)n * sizeof *rows);
    sf_expr_destroy(expr);
  }
  int64_t n;
  int32_t rows[5];
  sf_expr *expr = compile_for(pool, NULL, NULL, b->type, i_());
  FAILS(SF_INVALID, sf_expr_filter(expr, b, rows, &n, &err));
  sf_expr_destroy(expr);
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_maximum(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  const cell l[] = {N, I(-5), I(9), I(9), I(2)}, ts[] = {N, N, T(-7, 5), N, N}, nothing[] = {N, N, N, N, N};
  const cell *cells[] = {l, ts, nothing};
  sf_batch *b = batch_of(pool, 3, (sf_type *[]){BIG, TS(9), LTZ(3)}, 5, cells);
  plan_reset();
  struct {
    plan_expr *e;
    int64_t max, row;
  } cases[] = {{input(0, BIG), 9, 2},
               {input(1, TS(9)), -7, 2},
               {input(2, LTZ(3)), INT64_MIN, -1},
               {LIT(BIG, I(3)), 3, 0},
               {LIT(BIG, N), INT64_MIN, -1}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    int64_t max = 0, row = 0;
    sf_expr *expr = compile_for(pool, NULL, NULL, b->type, cases[k].e);
    OK(sf_expr_max_int64(expr, b, &max, &row, &err));
    assert_int_equal(cases[k].max, max);
    assert_int_equal(cases[k].row, row);
    sf_expr_destroy(expr);
  }
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_empty_batch(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  const cell none[1] = {N};
  const cell *cells[] = {none};
  sf_batch *b = batch_of(pool, 1, (sf_type *[]){INT}, 0, cells);
  plan_reset();
  sf_column *c = NULL;
  sf_expr *expr = compile_for(pool, NULL, NULL, b->type, CALL("DIVIDE", INT, LIT(INT, I(1)), LIT(INT, I(0))));
  OK(sf_expr_eval(expr, b, NULL, 0, &c, &err));
  assert_int_equal(0, c->length);
  sf_column_release(c);
  sf_expr_destroy(expr);
  sf_batch_release(b);
  sf_pool_release(pool);
}

/* --- sessions */

/* Berlin around 2024: offsets of java.time on both sides of a gap and of an overlap. */
static void test_zone(void **state) {
  (void)state;
  sf_error err;
  Streamfusion__Plan__SessionSettings settings;
  Streamfusion__Plan__Zone zone;
  streamfusion__plan__session_settings__init(&settings);
  streamfusion__plan__zone__init(&zone);
  char id[] = "Europe/Berlin";
  int64_t transitions[] = {1711846800, 1729990800}; /* 2024-03-31T01:00Z, 2024-10-27T01:00Z */
  int32_t offsets[] = {7200, 3600};
  zone.id = id;
  zone.initial_offset = 3600;
  zone.n_transition_epoch_seconds = zone.n_offset_after = 2;
  zone.transition_epoch_seconds = transitions;
  zone.offset_after = offsets;
  settings.zone = &zone;
  uint8_t bytes[256];
  size_t size = streamfusion__plan__session_settings__pack(&settings, bytes);
  sf_session *session = NULL;
  OK(sf_session_create(bytes, size, &session, &err));
  const int64_t hour = 3600000, gap = 1711846800000, overlap = 1729990800000, years_400 = (int64_t)146097 * 24 * hour;
  assert_int_equal(hour, sfi_zone_offset_of_instant(session, gap - 1));
  assert_int_equal(2 * hour, sfi_zone_offset_of_instant(session, gap));
  assert_int_equal(2 * hour, sfi_zone_offset_of_instant(session, overlap - 1));
  assert_int_equal(hour, sfi_zone_offset_of_instant(session, overlap));
  assert_int_equal(hour, sfi_zone_offset_of_local(session, gap + hour - 1));     /* 01:59:59.999 */
  assert_int_equal(hour, sfi_zone_offset_of_local(session, gap + hour));         /* 02:00, in the gap: becomes 03:00 */
  assert_int_equal(2 * hour, sfi_zone_offset_of_local(session, gap + 2 * hour)); /* 03:00 */
  assert_int_equal(2 * hour, sfi_zone_offset_of_local(session, overlap + hour)); /* 02:00, the earlier of the two */
  assert_int_equal(2 * hour, sfi_zone_offset_of_local(session, overlap + 2 * hour - 1));
  assert_int_equal(hour, sfi_zone_offset_of_local(session, overlap + 2 * hour)); /* 03:00 */
  assert_int_equal(hour, sfi_zone_offset_of_instant(session, gap + years_400));
  assert_false(sfi_session_double_legacy(session));
  sf_session_destroy(session);
  zone.recurring = true;
  size = streamfusion__plan__session_settings__pack(&settings, bytes);
  OK(sf_session_create(bytes, size, &session, &err));
  for (int64_t later = 0; later < 20000 * years_400; later = 3 * later + years_400) {
    assert_int_equal(hour, sfi_zone_offset_of_instant(session, gap - 1 + later));
    assert_int_equal(2 * hour, sfi_zone_offset_of_instant(session, gap + later));
    assert_int_equal(2 * hour, sfi_zone_offset_of_instant(session, overlap - 1 + later));
    assert_int_equal(hour, sfi_zone_offset_of_instant(session, overlap + later));
    assert_int_equal(hour, sfi_zone_offset_of_local(session, gap + hour + later));
    assert_int_equal(2 * hour, sfi_zone_offset_of_local(session, gap + 2 * hour + later));
    assert_int_equal(hour, sfi_zone_offset_of_local(session, overlap + 2 * hour + later));
  }
  sf_session_destroy(session);
  OK(sf_session_create(NULL, 0, &session, &err));
  assert_int_equal(0, sfi_zone_offset_of_instant(session, gap));
  assert_int_equal(0, sfi_zone_offset_of_local(session, gap));
  sf_session_destroy(session);
  session = legacy_jdk_session();
  assert_true(sfi_session_double_legacy(session));
  sf_session_destroy(session);
  transitions[1] = transitions[0];
  size = streamfusion__plan__session_settings__pack(&settings, bytes);
  FAILS(SF_INVALID, sf_session_create(bytes, size, &session, &err));
  assert_null(session);
  FAILS(SF_INVALID, sf_session_create((const uint8_t *)"\xff", 1, &session, &err));
}

/* --- refusals */

static sf_status try_compile(const sf_batch *b, const plan_expr *e, sf_error *err) {
  sf_pool *pool = pool_of(-1);
  sf_expr *expr = NULL;
  size_t size = streamfusion__plan__expr__get_packed_size(e);
  uint8_t *bytes = malloc(size + 1);
  streamfusion__plan__expr__pack(e, bytes);
  sf_status st = sf_expr_compile(pool, NULL, NULL, b->type, bytes, size, &expr, err);
  if (st != SF_OK) assert_null(expr);
  sf_expr_destroy(expr);
  free(bytes);
  sf_pool_release(pool);
  return st;
}

static void test_refusals(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_batch *b = small_batch(pool);
  plan_reset();
  FAILS(SF_UNSUPPORTED, try_compile(b, CALL("NO_SUCH_FUNCTION", INT, i_(), s()), &err));
  assert_string_equal("no kernel for NO_SUCH_FUNCTION(INT, STRING) -> INT", err.message);
  FAILS(SF_UNSUPPORTED, try_compile(b, CALL("PLUS", INT, i_(), s()), &err));
  FAILS(SF_UNSUPPORTED, try_compile(b, CALL("AND", BOOL, i_(), i_()), &err));
  FAILS(SF_INVALID, try_compile(b, input(2, INT), &err));
  FAILS(SF_INVALID, try_compile(b, input(-1, INT), &err));
  FAILS(SF_INVALID, try_compile(b, input(0, BIG), &err));
  FAILS(SF_INVALID, try_compile(b, field(i_(), 0, INT), &err));
  FAILS(SF_INVALID, try_compile(b, LIT(TINY, I(300)), &err));
  FAILS(SF_INVALID, try_compile(b, LIT(TS(3), T(0, 1)), &err));
  FAILS(SF_INVALID, try_compile(b, host_call(0, INT, 1, (plan_expr *[]){i_()}), &err));
  plan_expr *mismatch = LIT(INT, I(1));
  mismatch->type = LIT(TEXT, S(""))->type;
  FAILS(SF_INVALID, try_compile(b, mismatch, &err));
  plan_expr *untyped = LIT(INT, I(1));
  untyped->type = NULL;
  FAILS(SF_INVALID, try_compile(b, untyped, &err));
  const cell null = N;
  const range bad[] = {{&null, NULL, false, false}};
  FAILS(SF_INVALID, try_compile(b, search_of(i_(), INT, 1, bad, 0), &err));
  plan_expr *deep = i_();
  for (int k = 0; k < 700; k++) deep = CALL("ABS", INT, deep);
  FAILS(SF_UNSUPPORTED, try_compile(b, deep, &err));
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_supports(void **state) {
  (void)state;
  plan_reset();
  assert_true(supported(i_()));
  assert_true(supported(LIT(DEC(38, 2), W("-1"))));
  assert_true(supported(CALL("PLUS", INT, i_(), CALL("NO_SUCH_FUNCTION", INT, i_())))); /* operands may be anything */
  assert_false(supported(CALL("NO_SUCH_FUNCTION", INT, i_())));
  assert_false(supported(CALL("CASE", INT, i_(), i_(), i_())));
  assert_true(supported(CALL("CASE", BIG, LIT(BOOL, I(1)), i_(), LIT(BIG, I(1)))));
  assert_true(supported(host_call(3, TEXT, 1, (plan_expr *[]){i_()})));
  assert_false(sf_expr_supports((const uint8_t *)"\xff\xff", 2));
  assert_false(sf_expr_supports(NULL, 0));
  const char *name, *signature;
  int32_t n = 0;
  while (sf_expr_function(n, &name, &signature)) {
    assert_true(strlen(name) > 0 && strlen(signature) > 0);
    n++;
  }
  assert_true(n > 50);
}

/* --- memory */

static sf_status evaluate_much(sf_pool *pool, sf_error *err) {
  sf_batch *b = NULL;
  sf_pool *own = pool_of(-1);
  b = small_batch(own);
  plan_reset();
  plan_expr *sum = CALL("PLUS", DEC(12, 2), i_(), LIT(DEC(3, 2), I(150)));
  const range points[] = {{&(const cell)S("four"), &(const cell)S("four"), false, false}};
  plan_expr *e = CALL("CASE", TEXT,
                      CALL("AND", BOOL, CALL("IS_NOT_NULL", BOOL, s()), search_of(s(), TEXT, 1, points, 0),
                           CALL("GREATER_THAN", BOOL, CALL("CAST", DEC(5, 1), sum), LIT(INT, I(3)))),
                      CALL("COALESCE", TEXT, s(), LIT(TEXT, S("none"))), LIT(TEXT, S("other")));
  size_t size = streamfusion__plan__expr__get_packed_size(e);
  uint8_t *bytes = malloc(size + 1);
  streamfusion__plan__expr__pack(e, bytes);
  sf_expr *expr = NULL;
  sf_column *c = NULL;
  sf_status st = sf_expr_compile(pool, NULL, NULL, b->type, bytes, size, &expr, err);
  if (st == SF_OK) st = sf_expr_eval(expr, b, NULL, 0, &c, err);
  if (st == SF_OK) {
    const cell expected[] = {S("four"), S("other"), S("other"), S("other"), S("other")};
    for (int i = 0; i < 5; i++) expect_cell(c, i, &expected[i]);
  }
  sf_column_release(c);
  sf_expr_destroy(expr);
  free(bytes);
  sf_batch_release(b);
  sf_pool_release(own);
  return st;
}

static void test_memory_limits(void **state) {
  (void)state;
  with_rising_limits(evaluate_much);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_host_kernels), TEST(test_filter_and_projection), TEST(test_shared_results), TEST(test_filter),   TEST(test_maximum),
      TEST(test_empty_batch),  TEST(test_zone),           TEST(test_refusals), TEST(test_supports),
      TEST(test_memory_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
