/* Filter and projection: Flink's generated StreamExecCalc. */
#include <string.h>

#include "operators/operator_internal.h"
#include "operators/reads.h"

typedef struct calc {
  sf_operator base;
  sf_expr *exprs; /* the condition, if there is one, and the projections; NULL: nothing to evaluate */
  bool filters;
  int32_t n_projections;
  int32_t n_defaulted;
  int32_t *defaulted;     /* projections whose NULLs are replaced, see sfi_default_for_null */
  sfi_reads *reads;       /* of the projections */
  sf_column **dense;      /* scratch, n input columns: NULL between calls */
  sf_column **projected;  /* scratch, n output columns: NULL between calls */
  int32_t *rows;          /* scratch for the selection */
  int64_t rows_room;
} calc;

static void release_all(sf_column **columns, int32_t n) {
  for (int32_t i = 0; i < n && columns != NULL; i++) {
    sf_column_release(columns[i]);
    columns[i] = NULL;
  }
}

static sf_status select_rows(calc *c, const sf_batch *batch, int64_t *n, sf_error *err) {
  *n = batch->length;
  if (!c->filters || batch->length == 0) return SF_OK;
  if (c->rows_room < batch->length) {
    void *memory = NULL;
    SF_TRY(sf_pool_realloc(c->base.pool, c->rows, (size_t)batch->length * sizeof *c->rows, &memory, err));
    c->rows = memory;
    c->rows_room = batch->length;
  }
  return sf_expr_filter(c->exprs, batch, c->rows, n, err);
}

/* The selected rows of the columns that the projections read, as a batch for the evaluator alone: columns that are not
 * read are NULL. */
static sf_status make_dense(calc *c, const sf_batch *batch, int64_t n, sf_batch *view, sf_error *err) {
  for (int32_t i = 0; i < batch->n_columns; i++) {
    if (c->reads->children[i] == NULL) continue;
    SF_TRY(sfi_reads_gather(c->reads->children[i], c->base.pool, batch->columns[i], c->rows, n, &c->dense[i], err));
  }
  *view = (sf_batch){.type = batch->type, .length = n, .n_columns = batch->n_columns, .columns = c->dense};
  return SF_OK;
}

/* rows: those of the filter's batch that are left, NULL: all */
static sf_status project(calc *c, const sf_batch *input, const int32_t *rows, sf_error *err) {
  if (c->exprs == NULL) return SF_OK;
  SF_TRY(sf_expr_project(c->exprs, c->filters ? 1 : 0, input, rows, c->projected, err));
  for (int32_t k = 0; k < c->n_defaulted; k++) {
    sf_column *value = c->projected[c->defaulted[k]];
    c->projected[c->defaulted[k]] = NULL;
    SF_TRY(sfi_default_for_null(c->base.pool, value, &c->projected[c->defaulted[k]], err));
  }
  for (int32_t i = 0; i < c->n_projections; i++) {
    sf_column *value = c->projected[i];
    c->projected[i] = NULL;
    sf_status st = sf_column_flatten(c->base.pool, value, &c->projected[i], err);
    sf_column_release(value);
    if (st != SF_OK) return st;
  }
  return SF_OK;
}

static sf_status emit_selected(calc *c, const sf_batch *batch, int64_t n, const sf_collector *out, sf_error *err) {
  bool all = n == batch->length;
  const sf_batch *input = batch;
  sf_batch view;
  if (!all) {
    SF_TRY(make_dense(c, batch, n, &view, err));
    input = &view;
  }
  sf_status st = project(c, input, all ? NULL : c->rows, err);
  if (st != SF_OK) {
    if (!all && err != NULL && err->row >= 0 && err->row < n) err->row = c->rows[err->row];
    return st;
  }
  sf_buffer *row_kinds = NULL, *marks = NULL;
  SF_TRY(sfi_batch_headers(c->base.pool, batch, all ? NULL : c->rows, n, &row_kinds, &marks, err));
  sf_batch *result = NULL;
  SF_TRY(sf_batch_create(c->base.output_type, n, c->projected, row_kinds, marks, batch->n_marks, &result, err));
  return sfi_emit(result, out, err);
}

static sf_status process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  calc *c = (calc *)op;
  int64_t n = 0;
  SF_TRY(select_rows(c, batch, &n, err));
  if (n == 0 && batch->n_marks == 0) return SF_OK;
  sf_status st = emit_selected(c, batch, n, out, err);
  release_all(c->dense, op->input_type->n_children);
  release_all(c->projected, c->n_projections);
  return st;
}

static void destroy(sf_operator *op) {
  calc *c = (calc *)op;
  sf_expr_destroy(c->exprs);
  sf_pool_free(op->pool, c->dense);
  sf_pool_free(op->pool, c->projected);
  sf_pool_free(op->pool, c->rows);
  sf_pool_free(op->pool, c->defaulted);
  sfi_reads_destroy(c->reads);
}

static const sfi_operator_vtable vtable = {.process = process, .destroy = destroy};

static sf_status zeroed_pointers(sf_pool *pool, int32_t n, void **out, sf_error *err) {
  SF_TRY(sf_pool_alloc(pool, ((size_t)n + 1) * sizeof(void *), out, err));
  memset(*out, 0, ((size_t)n + 1) * sizeof(void *));
  return SF_OK;
}

static sf_status check_types(const calc *c, const char *name, sf_error *err) {
  if (c->filters && sf_expr_type(c->exprs, 0)->kind != SF_TYPE_BOOLEAN) {
    return sf_fail(err, SF_INVALID, "The condition of Calc %s is not BOOLEAN", name);
  }
  for (int32_t i = 0; i < c->n_projections; i++) {
    const sf_type *type = sf_expr_type(c->exprs, i + c->filters), *wanted = c->base.output_type->children[i];
    if (type->layout != wanted->layout) {
      char is[96], should[96];
      return sf_fail(err, SF_INVALID, "Projection %d of Calc %s is of %s, the plan says %s", i, name,
                     sf_type_text(type, is, sizeof is), sf_type_text(wanted, should, sizeof should));
    }
  }
  return SF_OK;
}

static sf_status compile_expressions(calc *c, const sfi_operator_plan *plan, sf_error *err) {
  const Streamfusion__Plan__Calc *message = plan->message->calc;
  size_t n = 0;
  void *memory = NULL;
  SF_TRY(zeroed_pointers(c->base.pool, c->n_projections + 1, &memory, err));
  const Streamfusion__Plan__Expr **exprs = memory;
  c->filters = message->condition != NULL;
  if (c->filters) exprs[n++] = message->condition;
  for (int32_t i = 0; i < c->n_projections; i++) exprs[n++] = message->projection[i];
  sf_status st = n == 0 ? SF_OK : sfi_operator_compile(&c->base, plan, exprs, n, &c->exprs, err);
  sf_pool_free(c->base.pool, memory);
  return st == SF_OK ? check_types(c, plan->message->name, err) : st;
}

static sf_status copy_defaulted(calc *c, const Streamfusion__Plan__Calc *message, const char *name, sf_error *err) {
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(c->base.pool, (message->n_default_for_null + 1) * sizeof *c->defaulted, &memory, err));
  c->defaulted = memory;
  for (size_t k = 0; k < message->n_default_for_null; k++) {
    const int32_t i = message->default_for_null[k];
    if (i < 0 || i >= c->n_projections || (k > 0 && i <= c->defaulted[k - 1])) {
      return sf_fail(err, SF_INVALID, "Calc %s replaces NULLs of projection %d of %d", name, i, c->n_projections);
    }
    c->defaulted[k] = i;
    c->n_defaulted++;
  }
  return SF_OK;
}

static sf_status compile(calc *c, const sfi_operator_plan *plan, sf_error *err) {
  const Streamfusion__Plan__Calc *message = plan->message->calc;
  const sf_type *output = c->base.output_type;
  if (message->n_projection != (size_t)output->n_children) {
    return sf_fail(err, SF_INVALID, "Calc %s projects %zu columns for a row of %d", plan->message->name,
                   message->n_projection, output->n_children);
  }
  int32_t n_inputs = c->base.input_type->n_children;
  c->n_projections = output->n_children;
  void *memory = NULL;
  SF_TRY(zeroed_pointers(c->base.pool, c->n_projections, &memory, err));
  c->projected = memory;
  SF_TRY(zeroed_pointers(c->base.pool, n_inputs, &memory, err));
  c->dense = memory;
  SF_TRY(sfi_reads_create(n_inputs, &c->reads, err));
  for (int32_t i = 0; i < c->n_projections; i++) {
    SF_TRY(sfi_reads_add(c->reads, c->base.input_type, message->projection[i], err));
  }
  SF_TRY(copy_defaulted(c, message, plan->message->name, err));
  return compile_expressions(c, plan, err);
}

sf_status sfi_calc_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(calc), &vtable, &op, err));
  sf_status st = compile((calc *)op, plan, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}
