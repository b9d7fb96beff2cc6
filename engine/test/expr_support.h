/* Expression tests: plan expressions from C calls, columns from tables of cells, and the comparison of results. */
#ifndef ENGINE_TEST_EXPR_SUPPORT_H
#define ENGINE_TEST_EXPR_SUPPORT_H

#include <math.h>

#include "plan_support.h"
#include "streamfusion/expr.h"

/* --- types, all nullable; functions, because each use takes over a reference */
#define BOOL scalar(SF_TYPE_BOOLEAN, 0, 0, 0)
#define TINY scalar(SF_TYPE_TINYINT, 0, 0, 0)
#define SMALL scalar(SF_TYPE_SMALLINT, 0, 0, 0)
#define INT scalar(SF_TYPE_INTEGER, 0, 0, 0)
#define BIG scalar(SF_TYPE_BIGINT, 0, 0, 0)
#define REAL scalar(SF_TYPE_FLOAT, 0, 0, 0)
#define DOUBLE scalar(SF_TYPE_DOUBLE, 0, 0, 0)
#define DEC(p, s) scalar(SF_TYPE_DECIMAL, p, s, 0)
#define TEXT scalar(SF_TYPE_VARCHAR, 0, 0, 2147483647)
#define VARCHAR(n) scalar(SF_TYPE_VARCHAR, 0, 0, n)
#define CHARS(n) scalar(SF_TYPE_CHAR, 0, 0, n)
#define BYTES scalar(SF_TYPE_VARBINARY, 0, 0, 2147483647)
#define DATE scalar(SF_TYPE_DATE, 0, 0, 0)
#define TIME(p) scalar(SF_TYPE_TIME, p, 0, 0)
#define TS(p) scalar(SF_TYPE_TIMESTAMP, p, 0, 0)
#define LTZ(p) scalar(SF_TYPE_TIMESTAMP_LTZ, p, 0, 0)
#define MONTHS scalar(SF_TYPE_INTERVAL_YEAR_MONTH, 2, 0, 0)
#define MILLIS scalar(SF_TYPE_INTERVAL_DAY_TIME, 3, 0, 0)

/* --- one value */
typedef struct cell {
  bool null;
  __int128 i;
  double d;
  const char *s; /* strings without embedded NUL */
  int32_t nanos;
} cell;
#define N {.null = true}
#define I(v) {.i = (v)}
#define D(v) {.d = (v)}
#define S(v) {.s = (v)}
#define T(millis, n) {.i = (millis), .nanos = (n)}

/* Unscaled digits with a sign. */
static inline __int128 wide(const char *digits) {
  bool negative = *digits == '-';
  __int128 v = 0;
  for (digits += negative; *digits != 0; digits++) v = v * 10 + (*digits - '0');
  return negative ? -v : v;
}
#define W(digits) {.i = wide(digits)}

/* --- expressions */
static inline plan_expr *call_n(const char *name, sf_type *type, int n, plan_expr **args) {
  plan_expr *e = expr_of(type);
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_CALL;
  e->call = plan_take(sizeof *e->call);
  streamfusion__plan__call__init(e->call);
  e->call->function = strcpy(plan_take(strlen(name) + 1), name);
  e->call->n_args = (size_t)n;
  e->call->args = plan_take((size_t)n * sizeof *args + 1);
  memcpy(e->call->args, args, (size_t)n * sizeof *args);
  return e;
}
#define CALL(name, type, ...) \
  call_n(name, type, (int)(sizeof((plan_expr *[]){__VA_ARGS__}) / sizeof(plan_expr *)), (plan_expr *[]){__VA_ARGS__})

static inline Streamfusion__Plan__Literal *literal_message(const sf_type *type, cell value) {
  Streamfusion__Plan__Literal *l = plan_take(sizeof *l);
  streamfusion__plan__literal__init(l);
  if (value.null) {
    l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_NULL_VALUE;
    l->null_value = true;
    return l;
  }
  switch (type->layout) {
    case SF_LAYOUT_BOOL:
      l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_BOOL_VALUE;
      l->bool_value = value.i != 0;
      break;
    case SF_LAYOUT_FLOAT:
    case SF_LAYOUT_DOUBLE:
      l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_DOUBLE_VALUE;
      l->double_value = value.d;
      break;
    case SF_LAYOUT_INT128:
      l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_DECIMAL_VALUE;
      l->decimal_value = plan_take(sizeof *l->decimal_value);
      streamfusion__plan__decimal__init(l->decimal_value);
      l->decimal_value->high = (int64_t)(value.i >> 64);
      l->decimal_value->low = (uint64_t)value.i;
      break;
    case SF_LAYOUT_VIEW:
      l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_BYTES_VALUE;
      l->bytes_value.len = strlen(value.s);
      l->bytes_value.data = memcpy(plan_take(l->bytes_value.len + 1), value.s, l->bytes_value.len);
      break;
    default:
      if (type->kind == SF_TYPE_TIMESTAMP || type->kind == SF_TYPE_TIMESTAMP_LTZ) {
        l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_INSTANT_VALUE;
        l->instant_value = plan_take(sizeof *l->instant_value);
        streamfusion__plan__instant__init(l->instant_value);
        l->instant_value->millis = (int64_t)value.i;
        l->instant_value->nanos_of_milli = value.nanos;
      } else {
        l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_INT_VALUE;
        l->int_value = (int64_t)value.i;
      }
  }
  return l;
}

static inline plan_expr *literal(sf_type *type, cell value) {
  Streamfusion__Plan__Literal *message = literal_message(type, value);
  plan_expr *e = expr_of(type);
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_LITERAL;
  e->literal = message;
  return e;
}
#define LIT(type, ...) literal(type, (cell)__VA_ARGS__)

/* One range of a search; NULL bounds are absent. */
typedef struct range {
  const cell *low, *high;
  bool low_open, high_open;
} range;

static inline plan_expr *search_of(plan_expr *operand, sf_type *bound_type, int n, const range *ranges,
                                   int null_as) {
  plan_expr *e = expr_of(BOOL);
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_SEARCH;
  e->search = plan_take(sizeof *e->search);
  streamfusion__plan__search_arg__init(e->search);
  e->search->operand = operand;
  e->search->null_as = (Streamfusion__Plan__NullAs)null_as;
  e->search->n_ranges = (size_t)n;
  e->search->ranges = plan_take((size_t)n * sizeof(void *) + 1);
  for (int i = 0; i < n; i++) {
    Streamfusion__Plan__SearchRange *r = plan_take(sizeof *r);
    streamfusion__plan__search_range__init(r);
    if (ranges[i].low != NULL) r->lower = literal_message(bound_type, *ranges[i].low);
    if (ranges[i].high != NULL) r->upper = literal_message(bound_type, *ranges[i].high);
    r->lower_open = ranges[i].low_open;
    r->upper_open = ranges[i].high_open;
    e->search->ranges[i] = r;
  }
  sf_type_release(bound_type);
  return e;
}

/* --- columns and batches */
static inline void append_cell(sf_column_builder *b, const sf_type *type, const cell *c) {
  sf_error err;
  if (c->null) {
    OK(sf_column_builder_null(b, &err));
    return;
  }
  switch (type->layout) {
    case SF_LAYOUT_FLOAT:
    case SF_LAYOUT_DOUBLE: OK(sf_column_builder_double(b, c->d, &err)); break;
    case SF_LAYOUT_INT128: OK(sf_column_builder_int128(b, c->i, &err)); break;
    case SF_LAYOUT_VIEW: OK(sf_column_builder_bytes(b, c->s, strlen(c->s), &err)); break;
    default:
      if (type->kind == SF_TYPE_TIMESTAMP || type->kind == SF_TYPE_TIMESTAMP_LTZ) {
        OK(sf_column_builder_timestamp(b, (int64_t)c->i, c->nanos, &err));
      } else {
        OK(sf_column_builder_int(b, (int64_t)c->i, &err));
      }
  }
}

/* Columns of n rows each, cells column by column. Takes over the types. */
static inline sf_batch *batch_of(sf_pool *pool, int n_columns, sf_type **types, int n, const cell *const *cells) {
  sf_error err;
  sf_column *columns[16];
  sf_batch *batch = NULL;
  for (int c = 0; c < n_columns; c++) {
    sf_column_builder *b = NULL;
    OK(sf_column_builder_create(pool, types[c], &b, &err));
    for (int i = 0; i < n; i++) append_cell(b, types[c], &cells[c][i]);
    OK(sf_column_builder_finish(b, &columns[c], &err));
    sf_column_builder_destroy(b);
  }
  sf_type *row = nested(SF_TYPE_ROW, n_columns, types);
  OK(sf_batch_create(row, n, columns, NULL, NULL, 0, &batch, &err));
  for (int c = 0; c < n_columns; c++) sf_column_release(columns[c]);
  sf_type_release(row);
  return batch;
}

/* --- evaluation */

/* Used by expect and expect_failure; NULL: UTC and a current JDK. */
static const sf_session *expr_session;

static inline sf_session *legacy_jdk_session(void) {
  sf_error err;
  sf_session *session = NULL;
  const uint8_t settings[] = {2 << 3, 1}; /* double_to_string_legacy */
  OK(sf_session_create(settings, sizeof settings, &session, &err));
  return session;
}
static inline sf_expr *compile_for(sf_pool *pool, const sf_session *session, const sf_host *host, const sf_type *row,
                                   const plan_expr *e) {
  sf_error err;
  sf_expr *expr = NULL;
  size_t size = streamfusion__plan__expr__get_packed_size(e);
  uint8_t *bytes = malloc(size + 1);
  streamfusion__plan__expr__pack(e, bytes);
  if (e->node_case == STREAMFUSION__PLAN__EXPR__NODE_CALL) assert_true(sf_expr_supports(bytes, size));
  OK(sf_expr_compile(pool, session, host, row, bytes, size, &expr, &err));
  free(bytes);
  return expr;
}

static inline bool supported(const plan_expr *e) {
  size_t size = streamfusion__plan__expr__get_packed_size(e);
  uint8_t *bytes = malloc(size + 1);
  streamfusion__plan__expr__pack(e, bytes);
  bool yes = sf_expr_supports(bytes, size);
  free(bytes);
  return yes;
}

static inline bool same_double(double a, double b) {
  return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* Row i of the (maybe const) column equals the cell. */
static inline void expect_cell(const sf_column *c, int64_t i, const cell *e) {
  bool null = sf_column_is_null(c, i);
  if (null != e->null) fail_msg("row %d is %s", (int)i, null ? "NULL" : "not NULL");
  if (null) return;
  if (c->is_const) i = 0;
  __int128 v = 0;
  switch (c->type->layout) {
    case SF_LAYOUT_BOOL: v = ((const uint8_t *)c->values)[i]; break;
    case SF_LAYOUT_INT8: v = ((const int8_t *)c->values)[i]; break;
    case SF_LAYOUT_INT16: v = ((const int16_t *)c->values)[i]; break;
    case SF_LAYOUT_INT32: v = ((const int32_t *)c->values)[i]; break;
    case SF_LAYOUT_TIMESTAMP: assert_int_equal(e->nanos, ((const int32_t *)c->aux)[i]); /* fall through */
    case SF_LAYOUT_INT64: v = ((const int64_t *)c->values)[i]; break;
    case SF_LAYOUT_INT128: v = ((const __int128 *)c->values)[i]; break;
    case SF_LAYOUT_FLOAT:
    case SF_LAYOUT_DOUBLE: {
      double d = c->type->layout == SF_LAYOUT_FLOAT ? ((const float *)c->values)[i] : ((const double *)c->values)[i];
      double expected = c->type->layout == SF_LAYOUT_FLOAT ? (float)e->d : e->d;
      if (!same_double(d, expected)) fail_msg("row %d: %.17g instead of %.17g", (int)i, d, expected);
      return;
    }
    case SF_LAYOUT_VIEW: {
      sf_view s = ((const sf_view *)c->values)[i];
      if (s.size != strlen(e->s) || (s.size > 0 && memcmp(s.data, e->s, s.size) != 0)) {
        fail_msg("row %d: '%.*s' instead of '%s'", (int)i, (int)s.size, (const char *)s.data, e->s);
      }
      return;
    }
    default: fail_msg("layout %d has no cells", (int)c->type->layout);
  }
  if (v != e->i) fail_msg("row %d: %lld instead of %lld (low 64 bits)", (int)i, (long long)v, (long long)e->i);
}

static inline void expect_rows(sf_expr *expr, const sf_batch *batch, const int32_t *rows, int64_t n,
                               const cell *expected) {
  sf_error err;
  sf_column *c = NULL;
  OK(sf_expr_eval(expr, batch, rows, n, &c, &err));
  assert_int_equal(batch->length, c->length);
  assert_true(sf_type_equal(sf_expr_type(expr, 0), c->type, false));
  for (int64_t k = 0; k < n; k++) {
    int64_t i = rows == NULL ? k : rows[k];
    expect_cell(c, i, &expected[i]);
  }
  sf_column_release(c);
}

/* Evaluates over all rows, each row alone, and every other row. */
static inline void expect_expr(const sf_batch *batch, sf_expr *expr, const cell *expected) {
  int32_t rows[64], n = 0;
  assert_true(batch->length <= 64);
  expect_rows(expr, batch, NULL, batch->length, expected);
  for (int32_t i = 0; i < batch->length; i++) expect_rows(expr, batch, &i, 1, expected);
  for (int32_t i = 1; i < batch->length; i += 2) rows[n++] = i;
  if (n > 0) expect_rows(expr, batch, rows, n, expected);
}

static inline void expect(sf_pool *pool, const sf_batch *batch, const plan_expr *e, const cell *expected) {
  sf_expr *expr = compile_for(pool, expr_session, NULL, batch->type, e);
  expect_expr(batch, expr, expected);
  sf_expr_destroy(expr);
}
#define EXPECT(pool, batch, e, ...) expect(pool, batch, e, (const cell[]){__VA_ARGS__})

/* Evaluation over all rows fails like this. */
static inline void expect_failure(sf_pool *pool, const sf_batch *batch, const plan_expr *e, sf_status status,
                                  int64_t row, const char *message) {
  sf_error err = {.message = ""};
  sf_column *c = NULL;
  sf_expr *expr = compile_for(pool, expr_session, NULL, batch->type, e);
  assert_int_equal(status, sf_expr_eval(expr, batch, NULL, 0, &c, &err));
  assert_null(c);
  assert_int_equal(row, err.row);
  assert_string_equal(message, err.message);
  sf_expr_destroy(expr);
}

#endif
