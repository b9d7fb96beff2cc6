/* Walks compiled nodes over a batch: selections, collapsing of constants, NULL propagation, shared results. */
#include <stdlib.h>
#include <string.h>

#include "expr/node.h"

/* --- buffers for kernels */

sf_status sfi_values_create(const sfi_eval *ev, sf_layout layout, sf_buffer **out, sf_error *err) {
  size_t width = layout == SF_LAYOUT_TIMESTAMP ? sizeof(int64_t) : sf_layout_width(layout);
  SF_TRY(sf_buffer_create(ev->pool, width * (size_t)ev->length, out, err));
  bool sparse = ev->selected != NULL || ev->strict_validity != NULL;
  if (sparse && layout == SF_LAYOUT_VIEW) memset(sf_buffer_data(*out), 0, width * (size_t)ev->length);
  return SF_OK;
}

sf_status sfi_validity_create(const sfi_eval *ev, bool strict, sf_buffer **out, sf_error *err) {
  size_t size = sf_bitmap_bytes(ev->length);
  SF_TRY(sf_buffer_create(ev->pool, size, out, err));
  memset(sf_buffer_data(*out), 0xff, size);
  if (strict && ev->strict_validity != NULL) {
    memcpy(sf_buffer_data(*out), ev->strict_validity, ((size_t)ev->length + 7) / 8);
  }
  return SF_OK;
}

/* --- results of kernels */

sf_status sfi_finish(const sfi_call *call, sfi_eval *ev, sf_buffer *validity, sf_buffer *values, sf_buffer *aux,
                     sf_buffer *const *owners, int32_t n_owners, sf_column **out, sf_error *err) {
  *out = NULL;
  sf_buffer *few[16];
  sf_buffer **buffers = few;
  if (n_owners > 13) {
    buffers = malloc(((size_t)n_owners + 3) * sizeof *buffers);
    if (buffers == NULL) {
      sf_buffer_release(validity);
      sf_buffer_release(values);
      sf_buffer_release(aux);
      return sf_fail(err, SF_NOMEM, "result column");
    }
  }
  int32_t n = 0;
  if (validity != NULL) buffers[n++] = validity;
  if (values != NULL) buffers[n++] = values;
  if (aux != NULL) buffers[n++] = aux;
  for (int32_t i = 0; i < n_owners; i++) buffers[n++] = sf_buffer_retain(owners[i]);
  sf_column_spec spec = {.type = call->type,
                         .length = ev->length,
                         .null_count = validity == NULL ? 0 : -1,
                         .validity = validity == NULL ? NULL : sf_buffer_data(validity),
                         .values = values == NULL ? NULL : sf_buffer_data(values),
                         .aux = aux == NULL ? NULL : sf_buffer_data(aux),
                         .n_buffers = n,
                         .buffers = buffers};
  sf_status st = sf_column_create(&spec, out, err);
  if (buffers != few) free(buffers);
  return st;
}

/* As sfi_finish, with the strict validity, which may lie anywhere in ev->strict_buffer. */
static sf_status finish_strict(const sfi_call *call, sfi_eval *ev, sf_buffer *values, sf_buffer *aux,
                               sf_buffer *const *owners, int32_t n_owners, sf_column **out, sf_error *err) {
  if (ev->strict_validity == NULL) return sfi_finish(call, ev, NULL, values, aux, owners, n_owners, out, err);
  if (ev->strict_validity == sf_buffer_data(ev->strict_buffer)) {
    return sfi_finish(call, ev, sf_buffer_retain(ev->strict_buffer), values, aux, owners, n_owners, out, err);
  }
  sf_buffer *copy = NULL;
  sf_status st = sfi_validity_create(ev, true, &copy, err);
  if (st != SF_OK) {
    sf_buffer_release(values);
    sf_buffer_release(aux);
    return st;
  }
  return sfi_finish(call, ev, copy, values, aux, owners, n_owners, out, err);
}

sf_status sfi_finish_strict(const sfi_call *call, sfi_eval *ev, sf_buffer *values, sf_buffer *aux, sf_column **out,
                            sf_error *err) {
  return finish_strict(call, ev, values, aux, NULL, 0, out, err);
}

sf_status sfi_finish_strict_views(const sfi_call *call, sfi_eval *ev, sf_buffer *views, sf_buffer *const *owners,
                                  int32_t n_owners, sf_column **out, sf_error *err) {
  return finish_strict(call, ev, views, NULL, owners, n_owners, out, err);
}

/* --- NULL propagation */

/* The buffer of the column that holds its validity at the very start, or NULL. */
static sf_buffer *validity_buffer(const sf_column *column) {
  for (int32_t i = 0; i < column->n_buffers; i++) {
    if (sf_buffer_data(column->buffers[i]) == column->validity) return column->buffers[i];
  }
  return NULL;
}

/* *inout = *inout AND column's validity, sharing the column's bitmap while it is the only one. */
static sf_status and_validity(sf_pool *pool, const sf_column *column, int64_t length, sf_buffer **inout, sf_error *err) {
  if (column->validity == NULL || column->is_const || column->null_count == 0) return SF_OK;
  sf_buffer *own = validity_buffer(column);
  if (*inout == NULL && own != NULL) {
    *inout = sf_buffer_retain(own);
    return SF_OK;
  }
  size_t n = ((size_t)length + 7) / 8;
  sf_buffer *both = NULL;
  SF_TRY(sf_buffer_create(pool, sf_bitmap_bytes(length), &both, err));
  uint8_t *to = sf_buffer_data(both);
  const uint8_t *a = column->validity, *b = *inout == NULL ? a : sf_buffer_data(*inout);
  for (size_t i = 0; i < n; i++) to[i] = a[i] & b[i];
  sf_buffer_release(*inout);
  *inout = both;
  return SF_OK;
}

static sf_status strict_validity(sfi_eval *ev, const sf_column *const *args, int32_t n_args, sf_error *err) {
  for (int32_t i = 0; i < n_args; i++) SF_TRY(and_validity(ev->pool, args[i], ev->length, &ev->strict_buffer, err));
  if (ev->strict_buffer != NULL) ev->strict_validity = sf_buffer_data(ev->strict_buffer);
  return SF_OK;
}

static bool any_const_null(const sf_column *const *args, int32_t n_args) {
  for (int32_t i = 0; i < n_args; i++) {
    if (args[i]->type->layout == SF_LAYOUT_NULL || (args[i]->is_const && sf_column_is_null(args[i], 0))) return true;
  }
  return false;
}

/* --- calls */

static sf_status check_result(const sfi_node *node, const sf_column *column, int64_t length, sf_error *err) {
  if (column->length == length && column->type->layout == node->type->layout) return SF_OK;
  char a[128], b[128];
  return sf_fail(err, SF_INTERNAL, "kernel result: %lld rows of %s instead of %lld of %s", (long long)column->length,
                 sf_type_text(column->type, a, sizeof a), (long long)length, sf_type_text(node->type, b, sizeof b));
}

/* Runs a kernel over evaluated arguments. ev is this call's own copy. */
static sf_status run_kernel(const sfi_node *node, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                            sf_error *err) {
  const sfi_call *call = &node->call;
  bool strict = (call->function->flags & SFI_STRICT) != 0;
  if (strict && any_const_null(args, call->n_args)) return sfi_const_null(ev->pool, node->type, ev->length, out, err);
  bool collapsed = true;
  for (int32_t i = 0; i < call->n_args; i++) collapsed &= args[i]->is_const;
  int64_t length = ev->length;
  int64_t first = ev->selected == NULL ? 0 : ev->selected[0];
  if (collapsed) {
    ev->length = 1;
    ev->selected = NULL;
    ev->n_selected = 1;
  }
  sf_column *result = NULL;
  sf_status st = strict ? strict_validity(ev, args, call->n_args, err) : SF_OK;
  if (st == SF_OK) st = call->function->kernel(call, ev, args, &result, err);
  sf_buffer_release(ev->strict_buffer);
  if (st != SF_OK && collapsed && err != NULL) err->row = first;
  /* A collapsed kernel may hand its const argument on, which already has all rows. */
  if (st == SF_OK && !(collapsed && result->is_const)) st = check_result(node, result, ev->length, err);
  if (st == SF_OK && collapsed) {
    st = sfi_const_of(ev->pool, result, length, out, err);
  } else if (st == SF_OK) {
    *out = result;
    return SF_OK;
  }
  sf_column_release(result);
  return st;
}

static sf_status run_host(const sfi_node *node, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                          sf_error *err) {
  const sf_host *host = &ev->expr->host;
  SF_TRY(host->call(host->context, node->index, node->type, args, node->n_children, ev->length, ev->selected,
                    ev->n_selected, out, err));
  return check_result(node, *out, ev->length, err);
}

/* Evaluates the operands, all of them before the first is looked at: Flink's generated code does so too. */
static sf_status eval_with_args(sfi_node *node, sfi_eval *ev, sf_column **out, sf_error *err) {
  sf_column *few[8];
  sf_column **args = few;
  if (node->n_children > 8) {
    args = malloc((size_t)node->n_children * sizeof *args);
    if (args == NULL) return sf_fail(err, SF_NOMEM, "operands");
  }
  sf_status st = SF_OK;
  int32_t n = 0;
  while (n < node->n_children && st == SF_OK) {
    st = sfi_node_eval(node->children[n], ev, ev->selected, ev->n_selected, &args[n], err);
    if (st == SF_OK) n++;
  }
  if (st == SF_OK) {
    sfi_eval own = *ev;
    const sf_column *const *in = (const sf_column *const *)args;
    st = node->kind == SFI_NODE_HOST     ? run_host(node, &own, in, out, err)
         : node->kind == SFI_NODE_SEARCH ? sfi_search_eval(node->search, node, &own, args[0], out, err)
                                         : run_kernel(node, &own, in, out, err);
  }
  for (int32_t i = 0; i < n; i++) sf_column_release(args[i]);
  if (args != few) free(args);
  return st;
}

/* --- inputs and fields */

static sf_status eval_input(const sfi_node *node, const sfi_eval *ev, sf_column **out, sf_error *err) {
  const sf_batch *batch = ev->batch;
  if (node->index >= batch->n_columns || batch->columns[node->index]->type->layout != node->type->layout) {
    return sf_fail(err, SF_INVALID, "the batch has no column %d of the compiled type", node->index);
  }
  sf_column *column = batch->columns[node->index];
  if (node->retype) return sf_column_retype(column, node->type, out, err);
  *out = sf_column_retain(column);
  return SF_OK;
}

/* The field's column with NULL where the row is NULL. */
static sf_status masked_field(const sfi_node *node, const sfi_eval *ev, const sf_column *row, const sf_column *field,
                              sf_column **out, sf_error *err) {
  sf_buffer *validity = NULL;
  SF_TRY(and_validity(ev->pool, row, ev->length, &validity, err));
  sf_status st = and_validity(ev->pool, field, ev->length, &validity, err);
  sf_buffer **buffers = malloc(((size_t)field->n_buffers + 1) * sizeof *buffers);
  sf_column **children = malloc(((size_t)field->n_children + 1) * sizeof *children);
  if (st == SF_OK && (buffers == NULL || children == NULL)) st = sf_fail(err, SF_NOMEM, "field access");
  if (st == SF_OK) {
    for (int32_t i = 0; i < field->n_buffers; i++) buffers[i] = sf_buffer_retain(field->buffers[i]);
    for (int32_t i = 0; i < field->n_children; i++) children[i] = sf_column_retain(field->children[i]);
    buffers[field->n_buffers] = validity;
    sf_column_spec spec = {.type = node->type,
                           .length = ev->length,
                           .null_count = -1,
                           .validity = sf_buffer_data(validity),
                           .values = field->values,
                           .aux = field->aux,
                           .n_children = field->n_children,
                           .children = children,
                           .n_buffers = field->n_buffers + 1,
                           .buffers = buffers};
    st = sf_column_create(&spec, out, err);
  } else {
    sf_buffer_release(validity);
  }
  free(children);
  free(buffers);
  return st;
}

static sf_status eval_field(sfi_node *node, sfi_eval *ev, sf_column **out, sf_error *err) {
  sf_column *row = NULL;
  SF_TRY(sfi_node_eval(node->children[0], ev, ev->selected, ev->n_selected, &row, err));
  sf_status st;
  sf_column *field = node->index < row->n_children ? row->children[node->index] : NULL;
  if (row->is_const && sf_column_is_null(row, 0)) {
    st = sfi_const_null(ev->pool, node->type, ev->length, out, err);
  } else if (field == NULL || field->type->layout != node->type->layout) {
    st = sf_fail(err, SF_INVALID, "the row has no field %d of the compiled type", node->index);
  } else if (row->is_const || field->is_const || row->validity == NULL || row->null_count == 0) {
    st = sf_column_retype(field, node->type, out, err);
  } else if (field->type->layout == SF_LAYOUT_NULL) {
    st = sf_column_retype(field, node->type, out, err);
  } else {
    st = masked_field(node, ev, row, field, out, err);
  }
  sf_column_release(row);
  return st;
}

/* --- nodes */

static sf_status eval_fresh(sfi_node *node, sfi_eval *ev, sf_column **out, sf_error *err) {
  switch (node->kind) {
    case SFI_NODE_INPUT: return eval_input(node, ev, out, err);
    case SFI_NODE_LITERAL: return sfi_const_of(ev->pool, node->literal, ev->length, out, err);
    case SFI_NODE_FIELD: return eval_field(node, ev, out, err);
    case SFI_NODE_CALL:
      if ((node->call.function->flags & SFI_LAZY) != 0) {
        SF_TRY(node->call.function->kernel(&node->call, ev, NULL, out, err));
        return check_result(node, *out, ev->length, err);
      }
      return eval_with_args(node, ev, out, err);
    case SFI_NODE_SEARCH:
    case SFI_NODE_HOST: return eval_with_args(node, ev, out, err);
    case SFI_NODE_OPAQUE: break;
  }
  return sf_fail(err, SF_INTERNAL, "evaluation of an operand that only has a type");
}

/* A result kept under this selection or an enclosing one. */
static bool recall(const sfi_node *node, const sfi_eval *ev, sf_column **out) {
  if (node->memo == NULL) return false;
  for (const sfi_frame *f = ev->frame; f != NULL; f = f->parent) {
    if (f->serial == node->memo_serial) {
      *out = sf_column_retain(node->memo);
      return true;
    }
  }
  return false;
}

sf_status sfi_node_eval(sfi_node *node, sfi_eval *ev, const int32_t *selected, int64_t n_selected, sf_column **out,
                        sf_error *err) {
  *out = NULL;
  if (ev->length == 0 || (selected != NULL && n_selected == 0)) {
    return sfi_const_null(ev->pool, node->type, ev->length, out, err);
  }
  sfi_eval sub = *ev;
  sub.strict_validity = NULL;
  sub.strict_buffer = NULL;
  sfi_frame frame;
  if (selected != ev->selected || ev->frame == NULL) {
    frame = (sfi_frame){ev->frame, ++ev->expr->serial};
    sub.frame = &frame;
    sub.selected = selected;
    sub.n_selected = n_selected;
  }
  bool shared = node->uses > 1 && node->kind > SFI_NODE_LITERAL;
  if (shared && recall(node, &sub, out)) return SF_OK;
  sf_status st = eval_fresh(node, &sub, out, err);
  if (st != SF_OK) {
    sf_column_release(*out);
    *out = NULL;
  } else if (shared) {
    sf_column_release(node->memo);
    node->memo = sf_column_retain(*out);
    node->memo_serial = sub.frame->serial;
  }
  return st;
}

/* --- entry points */

static void forget(sf_expr *expr) {
  for (int32_t i = 0; i < expr->n_nodes; i++) {
    sf_column_release(expr->nodes[i]->memo);
    expr->nodes[i]->memo = NULL;
  }
}

static sfi_eval over_batch(sf_expr *expr, const sf_batch *batch, const sfi_frame *frame) {
  return (sfi_eval){.pool = expr->pool,
                    .session = expr->session,
                    .batch = batch,
                    .length = batch->length,
                    .n_selected = batch->length,
                    .expr = expr,
                    .frame = frame};
}

sf_status sf_expr_eval(sf_expr *expr, const sf_batch *batch, const int32_t *selected, int64_t n_selected,
                       sf_column **out, sf_error *err) {
  *out = NULL;
  sfi_eval ev = over_batch(expr, batch, NULL);
  ev.selected = selected;
  if (selected != NULL) ev.n_selected = n_selected;
  sf_status st = sfi_node_eval(expr->roots[0], &ev, selected, ev.n_selected, out, err);
  forget(expr);
  return st;
}

static int64_t collect_true(const sf_column *column, int32_t *rows) {
  const uint8_t *values = column->values;
  int64_t n = 0;
  if (column->is_const) {
    if (sf_column_is_null(column, 0) || values[0] == 0) return 0;
    for (; n < column->length; n++) rows[n] = (int32_t)n;
  } else if (column->validity == NULL) {
    for (int64_t i = 0; i < column->length; i++) {
      rows[n] = (int32_t)i;
      n += values[i];
    }
  } else {
    for (int64_t i = 0; i < column->length; i++) {
      rows[n] = (int32_t)i;
      n += values[i] & (uint8_t)sf_bit_get(column->validity, i);
    }
  }
  return n;
}

sf_status sf_expr_filter(sf_expr *expr, const sf_batch *batch, int32_t *rows_out, int64_t *n_out, sf_error *err) {
  *n_out = 0;
  if (expr->roots[0]->type->kind != SF_TYPE_BOOLEAN) return sf_fail(err, SF_INVALID, "filter that is not BOOLEAN");
  const sfi_frame frame = {NULL, ++expr->serial};
  sfi_eval ev = over_batch(expr, batch, &frame);
  sf_column *column = NULL;
  forget(expr);
  sf_status st = sfi_node_eval(expr->roots[0], &ev, NULL, batch->length, &column, err);
  if (st == SF_OK) *n_out = collect_true(column, rows_out);
  sf_column_release(column);
  expr->filter_serial = frame.serial;
  if (*n_out == 0 || expr->n_roots == 1) forget(expr);
  return st;
}

/* Makes results of the filter that cover its whole batch results of the projection's selection. */
static sf_status carry(sf_expr *expr, const int32_t *filtered, int64_t n, uint64_t serial, sf_error *err) {
  for (int32_t i = 0; i < expr->n_nodes; i++) {
    sfi_node *node = expr->nodes[i];
    sf_column *memo = node->memo;
    if (memo == NULL) continue;
    node->memo = NULL;
    sf_status st = SF_OK;
    if (!node->carried || node->memo_serial != expr->filter_serial) {
      /* of no use any more */
    } else if (filtered == NULL) {
      node->memo = sf_column_retain(memo);
    } else if (memo->is_const) {
      st = sfi_const_of(expr->pool, memo, n, &node->memo, err);
    } else {
      st = sf_column_gather(expr->pool, memo, filtered, n, &node->memo, err);
    }
    node->memo_serial = serial;
    sf_column_release(memo);
    if (st != SF_OK) return st;
  }
  return SF_OK;
}

sf_status sf_expr_project(sf_expr *expr, int32_t from, const sf_batch *batch, const int32_t *filtered, sf_column **out,
                          sf_error *err) {
  const sfi_frame frame = {NULL, ++expr->serial};
  sfi_eval ev = over_batch(expr, batch, &frame);
  sf_status st = from == 0 ? SF_OK : carry(expr, filtered, batch->length, frame.serial, err);
  int32_t done = from;
  while (done < expr->n_roots && st == SF_OK) {
    st = sfi_node_eval(expr->roots[done], &ev, NULL, batch->length, &out[done - from], err);
    if (st == SF_OK) done++;
  }
  for (int32_t i = from; i < done && st != SF_OK; i++) {
    sf_column_release(out[i - from]);
    out[i - from] = NULL;
  }
  forget(expr);
  return st;
}

sf_status sf_expr_max_int64(sf_expr *expr, const sf_batch *batch, int64_t *max_out, int64_t *row_out, sf_error *err) {
  *max_out = INT64_MIN;
  *row_out = -1;
  sf_layout layout = expr->roots[0]->type->layout;
  if (layout != SF_LAYOUT_INT64 && layout != SF_LAYOUT_TIMESTAMP) {
    return sf_fail(err, SF_INVALID, "the largest value is defined for 64-bit integers and timestamps only");
  }
  sf_column *column = NULL;
  SF_TRY(sf_expr_eval(expr, batch, NULL, 0, &column, err));
  const int64_t *values = column->values;
  int64_t n = column->is_const && column->length > 0 ? 1 : column->length;
  for (int64_t i = 0; i < n; i++) {
    if (sf_column_is_null(column, i) || (*row_out >= 0 && values[i] <= *max_out)) continue;
    *max_out = values[i];
    *row_out = i;
  }
  sf_column_release(column);
  return SF_OK;
}
