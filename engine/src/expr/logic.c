/* Three-valued logic: AND, OR, NOT and the IS tests. CASE, IF and COALESCE are in branch.c. */
#include <string.h>

#include "expr/kernel.h"

/* A three-valued vector: value and null are 0 or 1 per row, value is 0 where null is 1. */
typedef struct tri {
  sf_buffer *values;
  sf_buffer *nulls; /* NULL: no NULLs */
} tri;

/* --- conversions between columns and bytes */

static void expand_nulls(const sf_column *column, int64_t n, uint8_t *to) {
  for (int64_t i = 0; i < n; i++) to[i] = !sf_bit_get(column->validity, i);
}

/* Copies a BOOLEAN column into bytes, const ones spread out. */
static sf_status load(const sfi_eval *ev, const sf_column *column, tri *out, sf_error *err) {
  size_t n = (size_t)ev->length;
  SF_TRY(sf_buffer_create(ev->pool, n, &out->values, err));
  uint8_t *v = sf_buffer_data(out->values);
  const uint8_t *from = column->values;
  bool null = column->is_const && sf_column_is_null(column, 0);
  if (column->is_const) {
    memset(v, null ? 0 : from[0], n);
  } else {
    for (size_t i = 0; i < n; i++) v[i] = from[i] & 1;
  }
  if (!null && (column->is_const || column->validity == NULL || column->null_count == 0)) return SF_OK;
  SF_TRY(sf_buffer_create(ev->pool, n, &out->nulls, err));
  uint8_t *nulls = sf_buffer_data(out->nulls);
  if (null) {
    memset(nulls, 1, n);
  } else {
    expand_nulls(column, ev->length, nulls);
    for (size_t i = 0; i < n; i++) v[i] &= (uint8_t)(nulls[i] ^ 1);
  }
  return SF_OK;
}

static void release(tri *t) {
  sf_buffer_release(t->values);
  sf_buffer_release(t->nulls);
}

static void pack_valid(const uint8_t *nulls, int64_t n, uint8_t *bits) {
  memset(bits, 0, sf_bitmap_bytes(n));
  for (int64_t i = 0; i < n; i++) bits[i >> 3] = (uint8_t)(bits[i >> 3] | ((nulls[i] ^ 1) << (i & 7)));
}

/* Takes over the buffers of t. */
static sf_status store(const sfi_call *call, sfi_eval *ev, tri *t, sf_column **out, sf_error *err) {
  sf_buffer *validity = NULL;
  if (t->nulls != NULL) {
    sf_status st = sf_buffer_create(ev->pool, sf_bitmap_bytes(ev->length), &validity, err);
    if (st != SF_OK) return st;
    pack_valid(sf_buffer_data(t->nulls), ev->length, sf_buffer_data(validity));
  }
  sf_buffer *values = t->values;
  t->values = NULL;
  return sfi_finish(call, ev, validity, values, NULL, NULL, 0, out, err);
}

/* --- AND, OR */

static void and_bytes(uint8_t *restrict v, uint8_t *restrict n, const uint8_t *restrict w, const uint8_t *restrict m,
                      int64_t length) {
  for (int64_t i = 0; i < length; i++) {
    uint8_t null = (uint8_t)((n[i] | m[i]) & (v[i] | n[i]) & (w[i] | m[i]));
    v[i] &= w[i];
    n[i] = null;
  }
}

static void or_bytes(uint8_t *restrict v, uint8_t *restrict n, const uint8_t *restrict w, const uint8_t *restrict m,
                     int64_t length) {
  for (int64_t i = 0; i < length; i++) {
    v[i] |= w[i];
    n[i] = (uint8_t)((n[i] | m[i]) & (v[i] ^ 1));
  }
}

static sf_status need_nulls(const sfi_eval *ev, tri *t, sf_error *err) {
  if (t->nulls != NULL) return SF_OK;
  SF_TRY(sf_buffer_create(ev->pool, (size_t)ev->length, &t->nulls, err));
  memset(sf_buffer_data(t->nulls), 0, (size_t)ev->length);
  return SF_OK;
}

static sf_status combine_dense(const sfi_eval *ev, bool is_and, tri *acc, tri *arg, sf_error *err) {
  uint8_t *v = sf_buffer_data(acc->values);
  const uint8_t *w = sf_buffer_data(arg->values);
  if (acc->nulls == NULL && arg->nulls == NULL) {
    if (is_and) {
      for (int64_t i = 0; i < ev->length; i++) v[i] &= w[i];
    } else {
      for (int64_t i = 0; i < ev->length; i++) v[i] |= w[i];
    }
    return SF_OK;
  }
  SF_TRY(need_nulls(ev, acc, err));
  SF_TRY(need_nulls(ev, arg, err));
  (is_and ? and_bytes : or_bytes)(v, sf_buffer_data(acc->nulls), w, sf_buffer_data(arg->nulls), ev->length);
  return SF_OK;
}

/* Combines an operand that was evaluated for `rows` only, which are not decided yet. */
static sf_status combine_rows(const sfi_eval *ev, bool is_and, tri *acc, const sf_column *arg, const int32_t *rows,
                              int64_t n, sf_error *err) {
  bool nullable = arg->validity != NULL && arg->null_count != 0;
  if (nullable) SF_TRY(need_nulls(ev, acc, err));
  uint8_t *v = sf_buffer_data(acc->values);
  uint8_t *nulls = acc->nulls == NULL ? NULL : sf_buffer_data(acc->nulls);
  const uint8_t *from = arg->values;
  uint8_t decided = is_and ? 0 : 1;
  for (int64_t k = 0; k < n; k++) {
    int32_t i = rows[k];
    if (nullable && sf_column_is_null(arg, i)) {
      v[i] = 0;
      nulls[i] = 1;
    } else if ((from[arg->is_const ? 0 : i] & 1) == decided) {
      v[i] = decided;
      if (nulls != NULL) nulls[i] = 0;
    }
  }
  return SF_OK;
}

/* Rows that the next operand still decides: not FALSE for AND, not TRUE for OR. */
static int64_t undecided(const sfi_eval *ev, bool is_and, const tri *acc, int32_t *rows) {
  const uint8_t *v = sf_buffer_data(acc->values);
  const uint8_t *nulls = acc->nulls == NULL ? NULL : sf_buffer_data(acc->nulls);
  uint8_t open = is_and ? 1 : 0;
  int64_t n = 0;
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    rows[n] = (int32_t)i;
    n += (v[i] == open) | (nulls != NULL && nulls[i]);
  }
  return n;
}

/* One more operand. Operands that can fail or call the host see exactly the undecided rows; cheap ones see all. */
static sf_status next_operand(sfi_eval *ev, sfi_node *node, bool is_and, tri *acc, int32_t *rows, bool *done,
                              sf_error *err) {
  enum { WORTH_SELECTING = 4 };
  bool effects = sfi_node_has_effects(node);
  sf_column *column = NULL;
  sf_status st;
  if (effects || sfi_node_cost(node) > WORTH_SELECTING) {
    int64_t n = undecided(ev, is_and, acc, rows);
    *done = n == 0;
    if (n == 0) return SF_OK;
    if (effects || n * 4 < ev->n_selected * 3) {
      SF_TRY(sfi_node_eval(node, ev, rows, n, &column, err));
      st = combine_rows(ev, is_and, acc, column, rows, n, err);
      sf_column_release(column);
      return st;
    }
  }
  SF_TRY(sfi_node_eval(node, ev, ev->selected, ev->n_selected, &column, err));
  tri arg = {0};
  st = load(ev, column, &arg, err);
  sf_column_release(column);
  if (st == SF_OK) st = combine_dense(ev, is_and, acc, &arg, err);
  release(&arg);
  return st;
}

static sf_status junction(const sfi_call *call, sfi_eval *ev, bool is_and, sf_column **out, sf_error *err) {
  sf_column *first = NULL;
  void *rows = NULL;
  tri acc = {0};
  sf_status st = sf_pool_alloc(ev->pool, (size_t)ev->length * sizeof(int32_t), &rows, err);
  if (st == SF_OK) st = sfi_node_eval(call->arg_nodes[0], ev, ev->selected, ev->n_selected, &first, err);
  if (st == SF_OK) st = load(ev, first, &acc, err);
  sf_column_release(first);
  bool done = false;
  for (int32_t i = 1; i < call->n_args && st == SF_OK && !done; i++) {
    st = next_operand(ev, call->arg_nodes[i], is_and, &acc, rows, &done, err);
  }
  if (st == SF_OK) st = store(call, ev, &acc, out, err);
  release(&acc);
  sf_pool_free(ev->pool, rows);
  return st;
}

static sf_status and_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                            sf_error *err) {
  (void)args;
  return junction(call, ev, true, out, err);
}

static sf_status or_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                           sf_error *err) {
  (void)args;
  return junction(call, ev, false, out, err);
}

/* --- NOT, IS */

static sf_status not_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                            sf_error *err) {
  sf_buffer *buffer = NULL;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_BOOL, &buffer, err));
  const uint8_t *from = args[0]->values;
  uint8_t *to = sf_buffer_data(buffer);
  for (int64_t i = 0; i < ev->length; i++) to[i] = (from[i] & 1) ^ 1;
  return sfi_finish_strict(call, ev, buffer, NULL, out, err);
}

/* IS [NOT] NULL of any type. */
static sf_status null_test(const sfi_call *call, sfi_eval *ev, const sf_column *arg, uint8_t if_null, sf_column **out,
                           sf_error *err) {
  sf_buffer *buffer = NULL;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_BOOL, &buffer, err));
  uint8_t *to = sf_buffer_data(buffer);
  if (arg->type->layout == SF_LAYOUT_NULL) {
    memset(to, if_null, (size_t)ev->length);
  } else if (arg->validity == NULL) {
    memset(to, if_null ^ 1, (size_t)ev->length);
  } else {
    expand_nulls(arg, ev->length, to);
    if (if_null == 0) {
      for (int64_t i = 0; i < ev->length; i++) to[i] ^= 1;
    }
  }
  return sfi_finish(call, ev, NULL, buffer, NULL, NULL, 0, out, err);
}

static sf_status is_null_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                sf_error *err) {
  return null_test(call, ev, args[0], 1, out, err);
}

static sf_status is_not_null_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                    sf_error *err) {
  return null_test(call, ev, args[0], 0, out, err);
}

/* IS [NOT] TRUE/FALSE: result = table[0] for FALSE, table[1] for TRUE, table[2] for NULL. */
static sf_status truth_test(const sfi_call *call, sfi_eval *ev, const sf_column *arg, const uint8_t table[3],
                            sf_column **out, sf_error *err) {
  tri t = {0};
  sf_status st = load(ev, arg, &t, err);
  if (st != SF_OK) {
    release(&t);
    return st;
  }
  uint8_t *v = sf_buffer_data(t.values);
  uint8_t on_false = table[0], flip = table[0] ^ table[1];
  if (t.nulls == NULL) {
    for (int64_t i = 0; i < ev->length; i++) v[i] = (uint8_t)(on_false ^ (v[i] & flip));
  } else {
    const uint8_t *n = sf_buffer_data(t.nulls);
    uint8_t null_flip = on_false ^ table[2];
    for (int64_t i = 0; i < ev->length; i++) v[i] = (uint8_t)(on_false ^ (v[i] & flip) ^ (n[i] & null_flip));
  }
  sf_buffer_release(t.nulls);
  return sfi_finish(call, ev, NULL, t.values, NULL, NULL, 0, out, err);
}

#define TRUTH_TEST(name, on_false, on_true, on_null)                                                              \
  static sf_status name(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,        \
                        sf_error *err) {                                                                          \
    static const uint8_t table[3] = {on_false, on_true, on_null};                                                 \
    return truth_test(call, ev, args[0], table, out, err);                                                        \
  }
TRUTH_TEST(is_true_kernel, 0, 1, 0)
TRUTH_TEST(is_not_true_kernel, 1, 0, 1)
TRUTH_TEST(is_false_kernel, 1, 0, 0)
TRUTH_TEST(is_not_false_kernel, 0, 1, 1)

/* --- table */

static bool accepts_junction(const sfi_call *call) {
  if (call->n_args < 1 || call->type->kind != SF_TYPE_BOOLEAN) return false;
  for (int32_t i = 0; i < call->n_args; i++) {
    if (call->arg_types[i]->kind != SF_TYPE_BOOLEAN) return false;
  }
  return true;
}

static bool accepts_boolean(const sfi_call *call) { return call->n_args == 1 && accepts_junction(call); }

static bool accepts_anything(const sfi_call *call) { return call->n_args == 1 && call->type->kind == SF_TYPE_BOOLEAN; }

const sfi_function sfi_logic_functions[] = {
    {"AND", "(BOOLEAN, ...) -> BOOLEAN", SFI_LAZY, accepts_junction, and_kernel, NULL, NULL},
    {"OR", "(BOOLEAN, ...) -> BOOLEAN", SFI_LAZY, accepts_junction, or_kernel, NULL, NULL},
    {"NOT", "(BOOLEAN) -> BOOLEAN", SFI_STRICT, accepts_boolean, not_kernel, NULL, NULL},
    {"IS_NULL", "(ANY) -> BOOLEAN", 0, accepts_anything, is_null_kernel, NULL, NULL},
    {"IS_NOT_NULL", "(ANY) -> BOOLEAN", 0, accepts_anything, is_not_null_kernel, NULL, NULL},
    {"IS_TRUE", "(BOOLEAN) -> BOOLEAN", 0, accepts_boolean, is_true_kernel, NULL, NULL},
    {"IS_NOT_TRUE", "(BOOLEAN) -> BOOLEAN", 0, accepts_boolean, is_not_true_kernel, NULL, NULL},
    {"IS_FALSE", "(BOOLEAN) -> BOOLEAN", 0, accepts_boolean, is_false_kernel, NULL, NULL},
    {"IS_NOT_FALSE", "(BOOLEAN) -> BOOLEAN", 0, accepts_boolean, is_not_false_kernel, NULL, NULL},
    {NULL, NULL, 0, NULL, NULL, NULL, NULL},
};
