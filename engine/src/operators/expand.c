/* Each row several times: org.apache.flink.table.planner.codegen.ExpandCodeGenerator, for GROUPING SETS, CUBE and ROLLUP. */
#include "operators/operator_internal.h"

enum { MAX_PROJECTIONS = 256 };

typedef struct expand {
  sf_operator base;
  sf_expr *exprs;       /* of all projections, one after the other */
  int32_t n_projections;
  int32_t n_columns;
  sf_column **values;   /* of all expressions; scratch */
  sf_column **columns;  /* of the output; scratch */
  int32_t *rows;        /* scratch */
} expand;

static void release_all(sf_column **columns, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    sf_column_release(columns[i]);
    columns[i] = NULL;
  }
}

/* Where the values of a column come from: those that are the same in several projections are joined once. */
static sf_status join(expand *e, int32_t column, int64_t length, sf_column **out, sf_error *err) {
  const sf_column *distinct[MAX_PROJECTIONS];
  int64_t first[MAX_PROJECTIONS];
  int32_t n = 0;
  for (int32_t p = 0; p < e->n_projections; p++) {
    const sf_column *value = e->values[p * e->n_columns + column];
    int32_t k = 0;
    while (k < n && distinct[k] != value) k++;
    if (k == n) distinct[n++] = value;
    first[p] = k * length;
  }
  for (int64_t row = 0; row < length; row++) {
    for (int32_t p = 0; p < e->n_projections; p++) e->rows[row * e->n_projections + p] = (int32_t)(first[p] + row);
  }
  sf_column *joined = NULL;
  SF_TRY(sf_column_concat(e->base.pool, distinct, n, &joined, err));
  sf_status st = sf_column_gather(e->base.pool, joined, e->rows, length * e->n_projections, out, err);
  sf_column_release(joined);
  return st;
}

static sf_status repeat_kinds(const expand *e, const sf_batch *batch, sf_buffer **out, sf_error *err) {
  *out = NULL;
  if (batch->row_kinds == NULL) return SF_OK;
  SF_TRY(sf_buffer_create(e->base.pool, (size_t)(batch->length * e->n_projections), out, err));
  uint8_t *to = sf_buffer_data(*out);
  for (int64_t row = 0; row < batch->length; row++) {
    memset(to + row * e->n_projections, batch->row_kinds[row], (size_t)e->n_projections);
  }
  return SF_OK;
}

static sf_status move_marks(const expand *e, const sf_batch *batch, sf_buffer **out, sf_error *err) {
  *out = NULL;
  if (batch->n_marks == 0) return SF_OK;
  SF_TRY(sf_buffer_create(e->base.pool, (size_t)batch->n_marks * sizeof(sf_mark), out, err));
  sf_mark *to = (sf_mark *)(void *)sf_buffer_data(*out);
  for (int64_t i = 0; i < batch->n_marks; i++) {
    to[i] = (sf_mark){batch->marks[i].row * e->n_projections, batch->marks[i].watermark};
  }
  return SF_OK;
}

static sf_status emit(expand *e, const sf_batch *batch, const sf_collector *out, sf_error *err) {
  for (int32_t i = 0; i < e->n_columns; i++) SF_TRY(join(e, i, batch->length, &e->columns[i], err));
  sf_buffer *kinds = NULL, *marks = NULL;
  SF_TRY(repeat_kinds(e, batch, &kinds, err));
  sf_status st = move_marks(e, batch, &marks, err);
  if (st != SF_OK) {
    sf_buffer_release(kinds);
    return st;
  }
  sf_batch *result = NULL;
  SF_TRY(sf_batch_create(e->base.output_type, batch->length * e->n_projections, e->columns, kinds, marks, batch->n_marks,
                         &result, err));
  return sfi_emit(result, out, err);
}

static sf_status process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  expand *e = (expand *)op;
  int64_t n = batch->length * e->n_projections;
  if (n > INT32_MAX) {
    return sf_fail(err, SF_RUNTIME, "A batch of %lld rows is too large for %d grouping sets", (long long)batch->length,
                   e->n_projections);
  }
  void *memory = NULL;
  SF_TRY(sf_pool_realloc(op->pool, e->rows, (size_t)n * sizeof *e->rows, &memory, err));
  e->rows = memory;
  sf_status st = sf_expr_project(e->exprs, 0, batch, NULL, e->values, err);
  if (st == SF_OK) st = emit(e, batch, out, err);
  release_all(e->values, (int64_t)e->n_projections * e->n_columns);
  release_all(e->columns, e->n_columns);
  return st;
}

static void destroy(sf_operator *op) {
  expand *e = (expand *)op;
  sf_expr_destroy(e->exprs);
  sf_pool_free(op->pool, e->values);
  sf_pool_free(op->pool, e->columns);
  sf_pool_free(op->pool, e->rows);
}

static const sfi_operator_vtable vtable = {.process = process, .destroy = destroy};

static sf_status check_types(const expand *e, sf_error *err) {
  for (int32_t i = 0; i < e->n_projections * e->n_columns; i++) {
    const sf_type *is = sf_expr_type(e->exprs, i), *should = e->base.output_type->children[i % e->n_columns];
    if (is->layout == should->layout) continue;
    char is_text[96], should_text[96];
    return sf_fail(err, SF_INVALID, "A projection is of %s, the plan says %s", sf_type_text(is, is_text, sizeof is_text),
                   sf_type_text(should, should_text, sizeof should_text));
  }
  return SF_OK;
}

static sf_status zeroed_pointers(sf_pool *pool, size_t n, void **out, sf_error *err) {
  SF_TRY(sf_pool_alloc(pool, (n + 1) * sizeof(void *), out, err));
  memset(*out, 0, (n + 1) * sizeof(void *));
  return SF_OK;
}

static sf_status prepare(expand *e, const sfi_operator_plan *plan, sf_error *err) {
  const Streamfusion__Plan__Expand *message = plan->message->expand;
  e->n_columns = e->base.output_type->n_children;
  if (message->n_projections < 1 || message->n_projections > MAX_PROJECTIONS) {
    return sf_fail(err, SF_UNSUPPORTED, "%zu grouping sets", message->n_projections);
  }
  e->n_projections = (int32_t)message->n_projections;
  size_t columns = (size_t)e->n_columns, n = columns * message->n_projections;
  void *memory = NULL;
  SF_TRY(zeroed_pointers(e->base.pool, n, &memory, err));
  e->values = memory;
  const Streamfusion__Plan__Expr **exprs = memory; /* until they are compiled */
  for (size_t p = 0; p < message->n_projections; p++) {
    const Streamfusion__Plan__Projection *projection = message->projections[p];
    if (projection->n_exprs != columns) return sf_fail(err, SF_INVALID, "A projection has %zu columns", projection->n_exprs);
    for (size_t i = 0; i < columns; i++) exprs[p * columns + i] = projection->exprs[i];
  }
  sf_status st = sfi_operator_compile(&e->base, plan, exprs, n, &e->exprs, err);
  memset(memory, 0, n * sizeof(void *));
  if (st != SF_OK) return st;
  SF_TRY(zeroed_pointers(e->base.pool, columns, &memory, err));
  e->columns = memory;
  return check_types(e, err);
}

sf_status sfi_expand_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(expand), &vtable, &op, err));
  sf_status st = prepare((expand *)op, plan, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}
