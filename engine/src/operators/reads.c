#include "operators/reads.h"

#include <stdlib.h>

sf_status sfi_reads_create(int32_t n_children, sfi_reads **out, sf_error *err) {
  *out = NULL;
  sfi_reads *reads = calloc(1, sizeof *reads);
  sfi_reads **children = calloc((size_t)n_children + 1, sizeof *children);
  if (reads == NULL || children == NULL) {
    free(reads);
    free(children);
    return sf_fail(err, SF_NOMEM, "No memory for a plan");
  }
  reads->n_children = n_children;
  reads->children = children;
  *out = reads;
  return SF_OK;
}

void sfi_reads_destroy(sfi_reads *reads) {
  if (reads == NULL) return;
  for (int32_t i = 0; i < reads->n_children; i++) sfi_reads_destroy(reads->children[i]);
  free(reads->children);
  free(reads);
}

static sf_status child_of(sfi_reads *reads, const sf_type *type, int32_t i, sfi_reads **out, sf_error *err) {
  if (i < 0 || i >= reads->n_children) return sf_fail(err, SF_INVALID, "The plan reads field %d of %d", i, reads->n_children);
  if (reads->children[i] == NULL) {
    const sf_type *child = type->children[i];
    SF_TRY(sfi_reads_create(child->kind == SF_TYPE_ROW ? child->n_children : 0, &reads->children[i], err));
  }
  *out = reads->children[i];
  return SF_OK;
}

/* Follows a chain of field accesses that ends at an input column; *out stays NULL for any other expression. */
static sf_status resolve(sfi_reads *reads, const sf_type *type, const Streamfusion__Plan__Expr *expr, sfi_reads **out,
                         const sf_type **type_out, sf_error *err) {
  *out = NULL;
  if (expr->node_case == STREAMFUSION__PLAN__EXPR__NODE_INPUT) {
    SF_TRY(child_of(reads, type, expr->input, out, err));
    *type_out = type->children[expr->input];
    return SF_OK;
  }
  if (expr->node_case != STREAMFUSION__PLAN__EXPR__NODE_FIELD || expr->field->row == NULL) return SF_OK;
  sfi_reads *row = NULL;
  const sf_type *row_type = NULL;
  SF_TRY(resolve(reads, type, expr->field->row, &row, &row_type, err));
  if (row == NULL) return SF_OK;
  SF_TRY(child_of(row, row_type, expr->field->index, out, err));
  *type_out = row_type->children[expr->field->index];
  return SF_OK;
}

static sf_status add_all(sfi_reads *reads, const sf_type *type, Streamfusion__Plan__Expr *const *exprs, size_t n,
                         sf_error *err) {
  for (size_t i = 0; i < n; i++) SF_TRY(sfi_reads_add(reads, type, exprs[i], err));
  return SF_OK;
}

sf_status sfi_reads_add(sfi_reads *reads, const sf_type *type, const Streamfusion__Plan__Expr *expr, sf_error *err) {
  if (expr == NULL) return SF_OK;
  sfi_reads *read = NULL;
  const sf_type *read_type = NULL;
  SF_TRY(resolve(reads, type, expr, &read, &read_type, err));
  if (read != NULL) {
    read->all = true;
    return SF_OK;
  }
  switch (expr->node_case) {
    case STREAMFUSION__PLAN__EXPR__NODE_CALL: return add_all(reads, type, expr->call->args, expr->call->n_args, err);
    case STREAMFUSION__PLAN__EXPR__NODE_HOST: return add_all(reads, type, expr->host->args, expr->host->n_args, err);
    case STREAMFUSION__PLAN__EXPR__NODE_FIELD: return sfi_reads_add(reads, type, expr->field->row, err);
    case STREAMFUSION__PLAN__EXPR__NODE_SEARCH: return sfi_reads_add(reads, type, expr->search->operand, err);
    default: return SF_OK;
  }
}

static sf_status gather_row(const sfi_reads *reads, sfi_parts *parts, sf_pool *pool, const sf_column *c,
                            const int32_t *indices, int64_t n, sf_error *err) {
  SF_TRY(sfi_gather_validity(parts, pool, c, indices, n, err));
  SF_TRY(sfi_parts_children(parts, c->n_children, err));
  for (int32_t i = 0; i < c->n_children; i++) {
    if (reads->children[i] == NULL) parts->children[i] = sf_column_retain(c->children[i]);
    else SF_TRY(sfi_reads_gather(reads->children[i], pool, c->children[i], indices, n, &parts->children[i], err));
  }
  return SF_OK;
}

sf_status sfi_reads_gather(const sfi_reads *reads, sf_pool *pool, const sf_column *column, const int32_t *indices,
                           int64_t n, sf_column **out, sf_error *err) {
  if (reads->all || column->type->layout != SF_LAYOUT_ROW || column->is_const) {
    return sf_column_gather(pool, column, indices, n, out, err);
  }
  *out = NULL;
  sfi_parts parts;
  sfi_parts_init(&parts, column->type, n);
  sf_status st = gather_row(reads, &parts, pool, column, indices, n, err);
  if (st != SF_OK) {
    sfi_parts_drop(&parts);
    return st;
  }
  return sfi_parts_finish(&parts, out, err);
}
