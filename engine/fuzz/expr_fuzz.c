/* Expressions: any bytes as a serialized expression, or a well-typed expression that the bytes choose from the registry.
 *
 * Either is evaluated over one batch of extremes and NULLs: all rows at once, and each row alone. Both must agree, and
 * nothing may crash, leak or answer SF_INTERNAL. */
#include <stdlib.h>
#include <string.h>

#include "plan.pb-c.h"
#include "streamfusion/builder.h"
#include "streamfusion/expr.h"

typedef Streamfusion__Plan__Expr plan_expr;
typedef Streamfusion__Plan__Type plan_type;

enum { ROWS = 6, N_TYPES = 22, MAX_DEPTH = 4 };

static const struct {
  sf_type_kind kind;
  int32_t precision, scale, length;
} kinds[N_TYPES] = {
    {SF_TYPE_BOOLEAN, 0, 0, 0},        {SF_TYPE_TINYINT, 0, 0, 0},     {SF_TYPE_SMALLINT, 0, 0, 0},
    {SF_TYPE_INTEGER, 0, 0, 0},        {SF_TYPE_BIGINT, 0, 0, 0},      {SF_TYPE_FLOAT, 0, 0, 0},
    {SF_TYPE_DOUBLE, 0, 0, 0},         {SF_TYPE_DECIMAL, 10, 2, 0},    {SF_TYPE_DECIMAL, 38, 10, 0},
    {SF_TYPE_DECIMAL, 20, 0, 0},       {SF_TYPE_CHAR, 0, 0, 5},        {SF_TYPE_VARCHAR, 0, 0, INT32_MAX},
    {SF_TYPE_VARBINARY, 0, 0, 100},    {SF_TYPE_DATE, 0, 0, 0},        {SF_TYPE_TIME, 3, 0, 0},
    {SF_TYPE_TIMESTAMP, 3, 0, 0},      {SF_TYPE_TIMESTAMP, 9, 0, 0},   {SF_TYPE_TIMESTAMP_LTZ, 3, 0, 0},
    {SF_TYPE_TIMESTAMP_LTZ, 6, 0, 0},  {SF_TYPE_INTERVAL_YEAR_MONTH, 2, 0, 0},
    {SF_TYPE_INTERVAL_DAY_TIME, 3, 0, 0}, {SF_TYPE_DECIMAL, 18, 18, 0},
};

/* --- the batch */

static const int64_t integers[ROWS] = {0, 1, -1, INT64_MAX, INT64_MIN, 40};
static const double doubles[ROWS] = {0.0, -0.0, 1.5, -1e300, __builtin_inf(), __builtin_nan("")};
static const char *const texts[ROWS] = {"", "abc", "1.5", "2024-02-29 23:59:59.123", "\xc3\xa9\xf0\x9f\x98\x80x", " a b "};

static int64_t clamp(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

static int64_t fitting(const sf_type *type, int64_t v) {
  switch (type->layout) {
    case SF_LAYOUT_BOOL: return v & 1;
    case SF_LAYOUT_INT8: return clamp(v, INT8_MIN, INT8_MAX);
    case SF_LAYOUT_INT16: return clamp(v, INT16_MIN, INT16_MAX);
    case SF_LAYOUT_INT32:
      if (type->kind == SF_TYPE_TIME) return clamp(v, 0, 86399999);
      if (type->kind == SF_TYPE_DATE) return clamp(v, -3000000, 3000000);
      return clamp(v, INT32_MIN, INT32_MAX);
    default: return type->kind == SF_TYPE_DECIMAL && type->precision <= 18 ? v % INT64_C(10000000000) : v;
  }
}

static sf_status append(sf_column_builder *b, const sf_type *type, int row, sf_error *err) {
  switch (type->layout) {
    case SF_LAYOUT_FLOAT:
    case SF_LAYOUT_DOUBLE: return sf_column_builder_double(b, doubles[row], err);
    case SF_LAYOUT_INT128: return sf_column_builder_int128(b, (__int128)integers[row] * 1000000007, err);
    case SF_LAYOUT_VIEW: return sf_column_builder_bytes(b, texts[row], strlen(texts[row]), err);
    default: break;
  }
  if (type->kind == SF_TYPE_TIMESTAMP || type->kind == SF_TYPE_TIMESTAMP_LTZ) {
    int64_t millis = clamp(integers[row], INT64_C(-200000000000000), INT64_C(200000000000000));
    return sf_column_builder_timestamp(b, millis, type->layout == SF_LAYOUT_TIMESTAMP ? row * 1001 : 0, err);
  }
  return sf_column_builder_int(b, fitting(type, integers[row]), err);
}

static sf_status extreme_batch(sf_pool *pool, sf_batch **out, sf_error *err) {
  sf_type *types[N_TYPES], *row = NULL;
  sf_column *columns[N_TYPES];
  const char *names[N_TYPES];
  for (int c = 0; c < N_TYPES; c++) {
    sf_column_builder *b = NULL;
    names[c] = "f";
    SF_TRY(sf_type_scalar(kinds[c].kind, true, kinds[c].precision, kinds[c].scale, kinds[c].length, &types[c], err));
    SF_TRY(sf_column_builder_create(pool, types[c], &b, err));
    for (int i = 0; i < ROWS; i++) SF_TRY(append(b, types[c], i, err));
    SF_TRY(sf_column_builder_null(b, err));
    SF_TRY(sf_column_builder_finish(b, &columns[c], err));
    sf_column_builder_destroy(b);
  }
  SF_TRY(sf_type_nested(SF_TYPE_ROW, false, N_TYPES, types, names, &row, err));
  SF_TRY(sf_batch_create(row, ROWS + 1, columns, NULL, NULL, 0, out, err));
  sf_type_release(row);
  for (int c = 0; c < N_TYPES; c++) {
    sf_type_release(types[c]);
    sf_column_release(columns[c]);
  }
  return SF_OK;
}

/* --- expressions that the bytes choose */

typedef struct chooser {
  const uint8_t *data;
  size_t size;
  char arena[1 << 16];
  size_t used;
} chooser;

static void *take(chooser *c, size_t size) {
  if (c->used + size + 16 > sizeof c->arena) return NULL;
  void *p = c->arena + c->used;
  c->used += (size + 15) / 16 * 16;
  memset(p, 0, size);
  return p;
}

static unsigned choose(chooser *c, unsigned n) {
  if (c->size == 0) return 0;
  c->size--;
  return *c->data++ % n;
}

static plan_expr *typed(chooser *c, unsigned type) {
  plan_expr *e = take(c, sizeof *e);
  plan_type *t = take(c, sizeof *t);
  if (e == NULL || t == NULL) return NULL;
  streamfusion__plan__expr__init(e);
  streamfusion__plan__type__init(t);
  t->kind = (Streamfusion__Plan__TypeKind)kinds[type].kind;
  t->nullable = true;
  t->precision = kinds[type].precision;
  t->scale = kinds[type].scale;
  t->length = kinds[type].length;
  e->type = t;
  return e;
}

static void set_bytes(Streamfusion__Plan__Literal *l, chooser *c) {
  size_t n = choose(c, 12);
  if (n > c->size) n = c->size;
  l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_BYTES_VALUE;
  l->bytes_value.len = n;
  l->bytes_value.data = (uint8_t *)(uintptr_t)c->data;
  c->data += n;
  c->size -= n;
}

static plan_expr *a_literal(chooser *c, unsigned type) {
  plan_expr *e = typed(c, type);
  Streamfusion__Plan__Literal *l = take(c, sizeof *l);
  if (e == NULL || l == NULL) return NULL;
  streamfusion__plan__literal__init(l);
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_LITERAL;
  e->literal = l;
  static const char *const words[] = {"YEAR", "MONTH", "DAY", "HOUR", "BOTH", "%b_", "yyyy-MM-dd", "HH:mm:ss.SSS"};
  switch (kinds[type].kind) {
    case SF_TYPE_BOOLEAN:
      l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_BOOL_VALUE;
      l->bool_value = choose(c, 2) == 1;
      break;
    case SF_TYPE_FLOAT:
    case SF_TYPE_DOUBLE:
      l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_DOUBLE_VALUE;
      l->double_value = doubles[choose(c, ROWS)];
      break;
    case SF_TYPE_CHAR:
    case SF_TYPE_VARCHAR:
    case SF_TYPE_VARBINARY:
      if (choose(c, 2) == 0) {
        set_bytes(l, c);
      } else {
        const char *word = words[choose(c, 8)];
        l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_BYTES_VALUE;
        l->bytes_value.len = strlen(word);
        l->bytes_value.data = (uint8_t *)(uintptr_t)word;
      }
      break;
    case SF_TYPE_TIMESTAMP:
    case SF_TYPE_TIMESTAMP_LTZ: l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_NULL_VALUE; break;
    default:
      l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_INT_VALUE;
      l->int_value = (int64_t)choose(c, 128) - 20;
      if (kinds[type].kind == SF_TYPE_DECIMAL && kinds[type].precision > 18) {
        l->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_NULL_VALUE;
      }
  }
  return e;
}

static plan_expr *an_input(chooser *c, unsigned type) {
  plan_expr *e = typed(c, type);
  if (e == NULL) return NULL;
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_INPUT;
  e->input = (int32_t)type;
  return e;
}

static bool supported(const plan_expr *e) {
  uint8_t bytes[1 << 13];
  size_t size = streamfusion__plan__expr__get_packed_size(e);
  if (size > sizeof bytes) return false;
  streamfusion__plan__expr__pack(e, bytes);
  return sf_expr_supports(bytes, size);
}

static plan_expr *an_expression(chooser *c, int depth);

/* A call of a registered function with any result type that it takes for these operands, or one of the operands. */
static plan_expr *a_call(chooser *c, int depth) {
  static int32_t n_functions;
  const char *name = NULL, *signature;
  while (n_functions == 0 || sf_expr_function(n_functions, &name, &signature)) n_functions++;
  unsigned picked = choose(c, 256) | choose(c, 4) << 8;
  sf_expr_function((int32_t)(picked % (unsigned)n_functions), &name, &signature);
  Streamfusion__Plan__Call *call = take(c, sizeof *call);
  plan_expr **args = take(c, 4 * sizeof *args);
  plan_expr *e = typed(c, 0);
  if (call == NULL || args == NULL || e == NULL) return NULL;
  streamfusion__plan__call__init(call);
  call->function = (char *)(uintptr_t)name;
  call->n_args = 1 + choose(c, 4);
  call->args = args;
  for (size_t i = 0; i < call->n_args; i++) {
    args[i] = an_expression(c, depth + 1);
    if (args[i] == NULL) return NULL;
  }
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_CALL;
  e->call = call;
  for (unsigned t = 0; t < N_TYPES; t++) {
    e->type->kind = (Streamfusion__Plan__TypeKind)kinds[t].kind;
    e->type->precision = kinds[t].precision;
    e->type->scale = kinds[t].scale;
    e->type->length = kinds[t].length;
    if (supported(e)) return e;
  }
  return args[0];
}

static plan_expr *an_expression(chooser *c, int depth) {
  unsigned what = choose(c, 4);
  if (depth < MAX_DEPTH && what >= 2) return a_call(c, depth);
  unsigned type = choose(c, N_TYPES);
  return what == 0 ? a_literal(c, type) : an_input(c, type);
}

/* --- evaluation */

static bool same_row(const sf_column *a, const sf_column *b, int64_t i) {
  bool null = sf_column_is_null(a, i);
  if (null != sf_column_is_null(b, i)) return false;
  if (null) return true;
  int64_t p = a->is_const ? 0 : i, q = b->is_const ? 0 : i;
  if (a->type->layout == SF_LAYOUT_VIEW) {
    const sf_view *x = (const sf_view *)a->values + p, *y = (const sf_view *)b->values + q;
    return x->size == y->size && (x->size == 0 || memcmp(x->data, y->data, x->size) == 0);
  }
  bool timestamp = a->type->layout == SF_LAYOUT_TIMESTAMP;
  size_t width = timestamp ? sizeof(int64_t) : sf_layout_width(a->type->layout);
  if (width == 0) return true; /* nested: not compared */
  if (timestamp && ((const int32_t *)a->aux)[p] != ((const int32_t *)b->aux)[q]) return false;
  return memcmp((const uint8_t *)a->values + (size_t)p * width, (const uint8_t *)b->values + (size_t)q * width, width) == 0;
}

static void evaluate(sf_expr *expr, const sf_batch *batch) {
  sf_error err;
  sf_column *all = NULL;
  sf_status whole = sf_expr_eval(expr, batch, NULL, 0, &all, &err);
  if (whole == SF_INTERNAL || (whole == SF_OK) != (all != NULL)) abort();
  bool failed = false;
  for (int32_t i = 0; i < batch->length; i++) {
    sf_column *one = NULL;
    sf_status st = sf_expr_eval(expr, batch, &i, 1, &one, &err);
    if (st == SF_INTERNAL) abort();
    failed |= st != SF_OK;
    if (whole == SF_OK && (st != SF_OK || !same_row(all, one, i))) abort();
    sf_column_release(one);
  }
  if (whole != SF_OK && whole != SF_LIMIT && !failed) abort();
  sf_column_release(all);
}

static void run(sf_pool *pool, const sf_batch *batch, const uint8_t *bytes, size_t size) {
  sf_error err;
  sf_expr *expr = NULL;
  (void)sf_expr_supports(bytes, size);
  sf_status st = sf_expr_compile(pool, NULL, NULL, batch->type, bytes, size, &expr, &err);
  if (st == SF_INTERNAL || (st == SF_OK) != (expr != NULL)) abort();
  if (st == SF_OK) evaluate(expr, batch);
  sf_expr_destroy(expr);
}

static void run_chosen(sf_pool *pool, const sf_batch *batch, const uint8_t *data, size_t size) {
  static chooser c;
  static uint8_t bytes[1 << 16];
  c.data = data;
  c.size = size;
  c.used = 0;
  plan_expr *e = a_call(&c, 0);
  if (e == NULL) return;
  size_t packed = streamfusion__plan__expr__get_packed_size(e);
  if (packed > sizeof bytes) return;
  streamfusion__plan__expr__pack(e, bytes);
  run(pool, batch, bytes, packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sf_pool *pool;
  static sf_batch *batch; /* made once: most of the work of a short input otherwise */
  sf_error err;
  if (pool == NULL && sf_pool_create("fuzz", (int64_t)64 << 20, NULL, &pool, &err) != SF_OK) abort();
  if (batch == NULL && extreme_batch(pool, &batch, &err) != SF_OK) abort();
  int64_t live = sf_live_objects(), used = sf_pool_used(pool);
  if (size == 0) return 0;
  if (data[0] == 'r') {
    run(pool, batch, data + 1, size - 1);
  } else {
    run_chosen(pool, batch, data + 1, size - 1);
  }
  if (sf_pool_used(pool) != used || sf_live_objects() != live) abort();
  return 0;
}
