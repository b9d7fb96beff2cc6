/* CASE, IF, COALESCE: results put together row by row from several columns. */
#include <stdlib.h>
#include <string.h>

#include "expr/decimal.h"
#include "expr/kernel.h"

/* The result under construction. Fixed-width layouts and views are scattered at once; nested columns are kept and
 * gathered from their concatenation at the end. */
typedef struct merger {
  const sfi_call *call;
  sfi_eval *ev;
  sf_buffer *values;
  sf_buffer *aux;
  sf_buffer *validity; /* NULL until the first NULL */
  sf_buffer **owners;  /* of views; retained */
  int32_t n_owners;
  sf_column **parts; /* nested only; retained */
  int32_t n_parts;
  int32_t *picks; /* nested only: row of the concatenation */
} merger;

static bool is_nested(sf_layout layout) {
  return layout == SF_LAYOUT_ROW || layout == SF_LAYOUT_LIST || layout == SF_LAYOUT_MAP;
}

static sf_status merger_open(merger *m, const sfi_call *call, sfi_eval *ev, sf_error *err) {
  *m = (merger){.call = call, .ev = ev};
  sf_layout layout = call->type->layout;
  if (is_nested(layout)) {
    void *picks = NULL;
    SF_TRY(sf_pool_alloc(ev->pool, (size_t)ev->length * sizeof(int32_t), &picks, err));
    m->picks = picks;
    memset(m->picks, 0, (size_t)ev->length * sizeof(int32_t));
    return SF_OK;
  }
  if (layout == SF_LAYOUT_NULL) return SF_OK;
  SF_TRY(sfi_values_create(ev, layout, &m->values, err));
  if (layout == SF_LAYOUT_VIEW) memset(sf_buffer_data(m->values), 0, sf_buffer_size(m->values));
  if (layout == SF_LAYOUT_TIMESTAMP) SF_TRY(sfi_values_create(ev, SF_LAYOUT_INT32, &m->aux, err));
  return SF_OK;
}

static void merger_close(merger *m) {
  sf_buffer_release(m->values);
  sf_buffer_release(m->aux);
  sf_buffer_release(m->validity);
  for (int32_t i = 0; i < m->n_owners; i++) sf_buffer_release(m->owners[i]);
  for (int32_t i = 0; i < m->n_parts; i++) sf_column_release(m->parts[i]);
  free(m->owners);
  free(m->parts);
  sf_pool_free(m->ev->pool, m->picks);
}

#define SCATTER(type)                                                       \
  {                                                                         \
    const type *f = from;                                                   \
    type *t = to;                                                           \
    if (is_const) {                                                         \
      for (int64_t k = 0; k < n; k++) t[rows[k]] = f[0];                    \
    } else {                                                                \
      for (int64_t k = 0; k < n; k++) t[rows[k]] = f[rows[k]];              \
    }                                                                       \
    break;                                                                  \
  }

static void scatter(size_t width, const void *from, bool is_const, void *to, const int32_t *rows, int64_t n) {
  switch (width) {
    case 1: SCATTER(uint8_t)
    case 2: SCATTER(uint16_t)
    case 4: SCATTER(uint32_t)
    case 8: SCATTER(uint64_t)
    case 16: SCATTER(unsigned __int128)
    default: break;
  }
}

static sf_status clear_nulls(merger *m, const sf_column *column, const int32_t *rows, int64_t n, sf_error *err) {
  if (column->type->layout != SF_LAYOUT_NULL && (column->validity == NULL || column->null_count == 0)) return SF_OK;
  if (m->validity == NULL) SF_TRY(sfi_validity_create(m->ev, false, &m->validity, err));
  uint8_t *bits = sf_buffer_data(m->validity);
  for (int64_t k = 0; k < n; k++) {
    if (sf_column_is_null(column, rows[k])) sf_bit_clear(bits, rows[k]);
  }
  return SF_OK;
}

static sf_status keep_owners(merger *m, const sf_column *column, sf_error *err) {
  size_t total = (size_t)m->n_owners + (size_t)column->n_buffers;
  sf_buffer **grown = realloc(m->owners, (total + 1) * sizeof *grown);
  if (grown == NULL) return sf_fail(err, SF_NOMEM, "result of %s", m->call->function->name);
  m->owners = grown;
  for (int32_t i = 0; i < column->n_buffers; i++) m->owners[m->n_owners++] = sf_buffer_retain(column->buffers[i]);
  return SF_OK;
}

static sf_status keep_part(merger *m, const sf_column *column, const int32_t *rows, int64_t n, sf_error *err) {
  if (((int64_t)m->n_parts + 1) * m->ev->length > INT32_MAX) {
    return sf_fail(err, SF_UNSUPPORTED, "too many rows in the branches of %s", m->call->function->name);
  }
  sf_column **grown = realloc(m->parts, ((size_t)m->n_parts + 1) * sizeof *grown);
  if (grown == NULL) return sf_fail(err, SF_NOMEM, "result of %s", m->call->function->name);
  m->parts = grown;
  sf_column *shared = NULL;
  SF_TRY(sf_column_retype((sf_column *)(uintptr_t)column, m->call->type, &shared, err));
  sf_status st = sf_column_flatten(m->ev->pool, shared, &m->parts[m->n_parts], err);
  sf_column_release(shared);
  if (st != SF_OK) return st;
  int32_t base = (int32_t)(m->n_parts++ * m->ev->length);
  for (int64_t k = 0; k < n; k++) m->picks[rows[k]] = base + rows[k];
  return SF_OK;
}

/* Takes `rows` of the result from the column. */
static sf_status merger_take(merger *m, const sf_column *column, const int32_t *rows, int64_t n, sf_error *err) {
  if (n == 0) return SF_OK;
  sf_layout layout = m->call->type->layout;
  if (is_nested(layout)) return keep_part(m, column, rows, n, err);
  SF_TRY(clear_nulls(m, column, rows, n, err));
  if (layout == SF_LAYOUT_NULL || column->type->layout == SF_LAYOUT_NULL) return SF_OK;
  size_t width = layout == SF_LAYOUT_TIMESTAMP ? sizeof(int64_t) : sf_layout_width(layout);
  scatter(width, column->values, column->is_const, sf_buffer_data(m->values), rows, n);
  if (m->aux != NULL) scatter(sizeof(int32_t), column->aux, column->is_const, sf_buffer_data(m->aux), rows, n);
  return layout == SF_LAYOUT_VIEW ? keep_owners(m, column, err) : SF_OK;
}

static sf_status finish_nested(merger *m, sf_column **out, sf_error *err) {
  sf_column *all = NULL;
  if (m->n_parts == 0) return sf_column_create_null(m->ev->pool, m->call->type, m->ev->length, out, err);
  SF_TRY(sf_column_concat(m->ev->pool, (const sf_column *const *)m->parts, m->n_parts, &all, err));
  sf_status st = sf_column_gather(m->ev->pool, all, m->picks, m->ev->length, out, err);
  sf_column_release(all);
  return st;
}

static sf_status merger_finish(merger *m, sf_column **out, sf_error *err) {
  sf_layout layout = m->call->type->layout;
  if (is_nested(layout)) return finish_nested(m, out, err);
  if (layout == SF_LAYOUT_NULL) return sf_column_create_null(m->ev->pool, m->call->type, m->ev->length, out, err);
  sf_buffer *validity = m->validity, *values = m->values, *aux = m->aux;
  m->validity = m->values = m->aux = NULL;
  return sfi_finish(m->call, m->ev, validity, values, aux, m->owners, m->n_owners, out, err);
}

/* --- CASE, IF */

/* Splits rows: those where the condition is TRUE to `matched`, the others stay in `rows`. */
static int64_t split(const sf_column *condition, int32_t *rows, int64_t *n, int32_t *matched) {
  const uint8_t *values = condition->values;
  int64_t n_rest = 0, n_matched = 0;
  bool nullable = condition->validity != NULL && condition->null_count != 0;
  for (int64_t k = 0; k < *n; k++) {
    int32_t i = rows[k];
    bool yes = (values[condition->is_const ? 0 : i] & 1) && !(nullable && sf_column_is_null(condition, i));
    matched[n_matched] = i;
    n_matched += yes;
    rows[n_rest] = i;
    n_rest += !yes;
  }
  *n = n_rest;
  return n_matched;
}

static sf_status take_branch(merger *m, sfi_node *node, const int32_t *rows, int64_t n, sf_error *err) {
  if (n == 0) return SF_OK;
  sf_column *column = NULL;
  SF_TRY(sfi_node_eval(node, m->ev, rows, n, &column, err));
  sf_status st = merger_take(m, column, rows, n, err);
  sf_column_release(column);
  return st;
}

static sf_status take_when(merger *m, int32_t i, int32_t *rows, int64_t *n, int32_t *matched, sf_error *err) {
  sf_column *condition = NULL;
  SF_TRY(sfi_node_eval(m->call->arg_nodes[i], m->ev, rows, *n, &condition, err));
  int64_t n_matched = split(condition, rows, n, matched);
  sf_column_release(condition);
  return take_branch(m, m->call->arg_nodes[i + 1], matched, n_matched, err);
}

static int64_t all_rows(const sfi_eval *ev, int32_t *rows) {
  int64_t n = 0;
  for (int64_t i; sfi_row(ev, n, &i); n++) rows[n] = (int32_t)i;
  return n;
}

/* The generated code casts each branch to the type of the result, and the cast from a DECIMAL to its own type is no
 * identity: a value of more digits than the type has becomes NULL. Only SIGN makes one, where the type has no whole digits
 * and at most 18 others. */
static sf_status drop_wide_decimals(merger *m, sf_error *err) {
  const sf_type *type = m->call->type;
  if (type->kind != SF_TYPE_DECIMAL || type->layout != SF_LAYOUT_INT64 || type->precision != type->scale) return SF_OK;
  const int64_t *values = (const int64_t *)(const void *)sf_buffer_data(m->values);
  for (int64_t k = 0, i; sfi_row(m->ev, k, &i); k++) {
    if (m->validity != NULL && !sf_bit_get(sf_buffer_data(m->validity), i)) continue;
    if (sfi_fits(values[i], type->precision)) continue;
    if (m->validity == NULL) SF_TRY(sfi_validity_create(m->ev, false, &m->validity, err));
    sf_bit_clear(sf_buffer_data(m->validity), i);
  }
  return SF_OK;
}

/* Conditions and values in turn, each value only for the rows of its condition. Serves IF too. */
static sf_status case_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                             sf_error *err) {
  (void)args;
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(ev->pool, 2 * (size_t)ev->length * sizeof(int32_t), &memory, err));
  int32_t *rows = memory, *matched = rows + ev->length;
  merger m;
  sf_status st = merger_open(&m, call, ev, err);
  int64_t n = all_rows(ev, rows);
  for (int32_t i = 0; i + 1 < call->n_args && n > 0 && st == SF_OK; i += 2) {
    st = take_when(&m, i, rows, &n, matched, err);
  }
  if (st == SF_OK) st = take_branch(&m, call->arg_nodes[call->n_args - 1], rows, n, err);
  if (st == SF_OK) st = drop_wide_decimals(&m, err);
  if (st == SF_OK) st = merger_finish(&m, out, err);
  merger_close(&m);
  sf_pool_free(ev->pool, memory);
  return st;
}

/* --- COALESCE: arguments are evaluated eagerly, as CoalesceFunction gets them */

static sf_status coalesce_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                 sf_error *err) {
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(ev->pool, 2 * (size_t)ev->length * sizeof(int32_t), &memory, err));
  int32_t *rows = memory, *present = rows + ev->length;
  merger m;
  sf_status st = merger_open(&m, call, ev, err);
  int64_t n = all_rows(ev, rows);
  for (int32_t a = 0; a < call->n_args && n > 0 && st == SF_OK; a++) {
    bool last = a == call->n_args - 1;
    int64_t n_rest = 0, n_present = 0;
    for (int64_t k = 0; k < n; k++) {
      bool null = !last && sf_column_is_null(args[a], rows[k]);
      present[n_present] = rows[k];
      n_present += !null;
      rows[n_rest] = rows[k];
      n_rest += null;
    }
    n = n_rest;
    st = merger_take(&m, args[a], present, n_present, err);
  }
  if (st == SF_OK) st = merger_finish(&m, out, err);
  merger_close(&m);
  sf_pool_free(ev->pool, memory);
  return st;
}

/* --- table */

static bool accepts_case(const sfi_call *call) {
  if (call->n_args < 3 || call->n_args % 2 == 0) return false;
  for (int32_t i = 0; i < call->n_args; i++) {
    bool condition = i % 2 == 0 && i < call->n_args - 1;
    if (condition ? call->arg_types[i]->kind != SF_TYPE_BOOLEAN
                  : !sf_type_equal(call->arg_types[i], call->type, false)) {
      return false;
    }
  }
  return true;
}

static bool accepts_if(const sfi_call *call) { return call->n_args == 3 && accepts_case(call); }

static bool is_text(const sf_type *t) { return t->kind == SF_TYPE_CHAR || t->kind == SF_TYPE_VARCHAR; }
static bool is_binary(const sf_type *t) { return t->kind == SF_TYPE_BINARY || t->kind == SF_TYPE_VARBINARY; }

/* CoalesceFunction hands objects on as they are: strings of other lengths are neither padded nor cut. */
static bool accepts_coalesce(const sfi_call *call) {
  if (call->n_args < 1) return false;
  for (int32_t i = 0; i < call->n_args; i++) {
    const sf_type *arg = call->arg_types[i];
    if (!sf_type_equal(arg, call->type, false) && !(is_text(arg) && is_text(call->type)) &&
        !(is_binary(arg) && is_binary(call->type)) && arg->kind != SF_TYPE_NULL) {
      return false;
    }
  }
  return true;
}

static bool accepts_ifnull(const sfi_call *call) { return call->n_args == 2 && accepts_coalesce(call); }

const sfi_function sfi_branch_functions[] = {
    {"CASE", "(BOOLEAN, T, ..., T) -> T", SFI_LAZY, accepts_case, case_kernel, NULL, NULL},
    {"IF", "(BOOLEAN, T, T) -> T", SFI_LAZY, accepts_if, case_kernel, NULL, NULL},
    {"COALESCE", "(T, ...) -> T", 0, accepts_coalesce, coalesce_kernel, NULL, NULL},
    {"IFNULL", "(T, T) -> T", 0, accepts_ifnull, coalesce_kernel, NULL, NULL},
    {NULL, NULL, 0, NULL, NULL, NULL, NULL},
};
