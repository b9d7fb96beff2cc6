/* Constraints of sink columns: org.apache.flink.table.runtime.operators.sink.constraint.ConstraintEnforcer with its
 * NotNullConstraint, CharLengthConstraint and BinaryLengthConstraint, in this order. */
#include <string.h>

#include "column/type_internal.h"
#include "operators/operator_internal.h"

typedef struct length_rule {
  int32_t field;
  int32_t length; /* characters or bytes */
  bool binary;
  bool pads;      /* CHAR and BINARY */
} length_rule;

typedef struct constraint_enforcer {
  sf_operator base;
  bool drop;
  Streamfusion__Plan__LengthAction action;
  int32_t n_not_null;
  int32_t *not_null;
  int32_t n_lengths;
  length_rule *lengths; /* character fields first, then binary ones: Flink's order of constraints */
} constraint_enforcer;

/* The first row, and in it the first constraint, that Flink would stop at. */
typedef struct violation {
  int64_t row; /* batch length: none */
  sf_status status;
  int32_t field;
  const length_rule *rule; /* NULL: NOT NULL */
  int64_t size;
} violation;

/* --- lengths */

/* BinaryStringData.numBytesForFirstByte. */
static uint32_t char_bytes(uint8_t first) {
  if (first < 0x80) return 1;
  if ((first & 0xe0) == 0xc0 && (first & 0x1e) != 0) return 2;
  if ((first & 0xf0) == 0xe0) return 3;
  return (first & 0xf8) == 0xf0 ? 4 : 1;
}

/* Characters, counted up to `limit`; *bytes_out is where the last counted one ends. */
static int64_t count_chars(sf_view view, int64_t limit, uint32_t *bytes_out) {
  uint32_t at = 0;
  int64_t n = 0;
  for (; at < view.size && n < limit; n++) at += char_bytes(view.data[at]);
  *bytes_out = at < view.size ? at : view.size; /* the last one may be cut short */
  return n;
}

static int64_t size_of(const length_rule *rule, sf_view view) {
  uint32_t end = 0;
  return rule->binary ? (int64_t)view.size : count_chars(view, INT64_MAX, &end);
}

static bool fits(const length_rule *rule, sf_view view, int64_t *size) {
  /* No value has more characters than bytes, so most are settled without looking at them. */
  if (!rule->pads && view.size <= (uint32_t)rule->length) return true;
  *size = size_of(rule, view);
  return rule->pads ? *size == rule->length : *size <= rule->length;
}

/* --- checks */

static void check_not_null(const constraint_enforcer *e, const sf_batch *batch, violation *first) {
  for (int32_t k = 0; k < e->n_not_null; k++) {
    const sf_column *c = batch->columns[e->not_null[k]];
    if (c->null_count == 0) continue;
    for (int64_t i = 0; i < first->row; i++) {
      if (sf_column_is_null(c, i)) *first = (violation){.row = i, .status = SF_CONSTRAINT, .field = e->not_null[k]};
    }
  }
}

static void check_lengths(const constraint_enforcer *e, const sf_batch *batch, violation *first) {
  bool throws = e->action == STREAMFUSION__PLAN__LENGTH_ACTION__LENGTH_ERROR;
  for (int32_t k = 0; k < e->n_lengths; k++) {
    const length_rule *rule = &e->lengths[k];
    const sf_column *c = batch->columns[rule->field];
    const sf_view *views = c->values;
    if (!throws && c->null_count == 0) continue;
    for (int64_t i = 0; i < first->row; i++) {
      int64_t size = 0;
      if (sf_column_is_null(c, i)) {
        *first = (violation){.row = i, .status = SF_NULL_POINTER, .field = rule->field, .rule = rule};
      } else if (throws && !fits(rule, views[i], &size)) {
        *first = (violation){.row = i, .status = SF_CONSTRAINT, .field = rule->field, .rule = rule, .size = size};
      }
    }
  }
}

static sf_status report(const constraint_enforcer *e, const violation *v, sf_error *err) {
  const char *name = e->base.output_type->field_names[v->field];
  if (v->rule == NULL) {
    return sf_fail_row(err, v->status, v->row,
                       "Column '%s' is NOT NULL, however, a null value is being written into it. You can set job "
                       "configuration 'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop "
                       "such records silently.",
                       name);
  }
  if (v->status == SF_NULL_POINTER) {
    return sf_fail_row(err, v->status, v->row,
                       "Column '%s' holds a null value, whose length 'table.exec.sink.type-length-enforcer' cannot "
                       "check",
                       name);
  }
  const char *type = v->rule->binary ? (v->rule->pads ? "BINARY" : "VARBINARY") : (v->rule->pads ? "CHAR" : "VARCHAR");
  return sf_fail_row(err, v->status, v->row,
                     "Column '%s' is %s(%d), however, a string of length %lld is being written into it. You can set job "
                     "configuration 'table.exec.sink.type-length-enforcer' to control this behaviour.",
                     name, type, v->rule->length, (long long)v->size);
}

static sf_status drop_nulls(const constraint_enforcer *e, sf_batch *batch, sf_batch **out, sf_error *err) {
  void *scratch = NULL;
  SF_TRY(sf_pool_alloc(e->base.pool, (size_t)batch->length * sizeof(int32_t), &scratch, err));
  int32_t *rows = scratch;
  int64_t n = 0;
  for (int64_t i = 0; i < batch->length; i++) {
    bool keep = true;
    for (int32_t k = 0; k < e->n_not_null && keep; k++) keep = !sf_column_is_null(batch->columns[e->not_null[k]], i);
    rows[n] = (int32_t)i;
    n += keep;
  }
  sf_status st = sf_batch_filter(e->base.pool, batch, rows, n, out, err);
  sf_pool_free(e->base.pool, scratch);
  return st;
}

/* --- trimming and padding */

/* Whether any value has to change, and how many bytes the padded ones take. */
static bool needs_change(const length_rule *rule, const sf_column *c, size_t *padded_bytes) {
  const sf_view *views = c->values;
  bool any = false;
  *padded_bytes = 0;
  for (int64_t i = 0; i < c->length; i++) {
    int64_t size = 0;
    if (fits(rule, views[i], &size)) continue;
    any = true;
    if (size < rule->length) *padded_bytes += views[i].size + (size_t)(rule->length - size);
  }
  return any;
}

static sf_view changed(const length_rule *rule, sf_view view, uint8_t **room) {
  int64_t size = 0;
  if (fits(rule, view, &size)) return view;
  if (size > rule->length) {
    uint32_t end = (uint32_t)rule->length;
    if (!rule->binary) (void)count_chars(view, rule->length, &end);
    return (sf_view){view.data, end, 0};
  }
  size_t fill = (size_t)(rule->length - size);
  sf_view padded = {*room, (uint32_t)(view.size + fill), 0};
  if (view.size > 0) memcpy(*room, view.data, view.size);
  memset(*room + view.size, rule->binary ? 0 : ' ', fill);
  *room += padded.size;
  return padded;
}

static sf_status fill_changed(const length_rule *rule, sfi_parts *parts, sf_pool *pool, const sf_column *c,
                              size_t padded_bytes, sf_error *err) {
  void *values = NULL, *room = NULL;
  SF_TRY(sfi_parts_buffer(parts, pool, (size_t)c->length * sizeof(sf_view), &values, err));
  SF_TRY(sfi_parts_buffer(parts, pool, padded_bytes, &room, err));
  SF_TRY(sfi_parts_share_bytes(parts, c, err));
  uint8_t *at = room;
  for (int64_t i = 0; i < c->length; i++) ((sf_view *)values)[i] = changed(rule, ((const sf_view *)c->values)[i], &at);
  parts->spec.values = values;
  return SF_OK;
}

/* The column with all values of the right length; no value is NULL, check_lengths has seen to it. */
static sf_status trim_pad(const length_rule *rule, sf_pool *pool, sf_column *c, sf_column **out, sf_error *err) {
  size_t padded_bytes = 0;
  if (!needs_change(rule, c, &padded_bytes)) {
    *out = sf_column_retain(c);
    return SF_OK;
  }
  sfi_parts parts;
  sfi_parts_init(&parts, c->type, c->length);
  sf_status st = fill_changed(rule, &parts, pool, c, padded_bytes, err);
  if (st != SF_OK) {
    sfi_parts_drop(&parts);
    return st;
  }
  return sfi_parts_finish(&parts, out, err);
}

/* Takes over the batch's columns into `columns`, with those under a length rule replaced. */
static sf_status trim_pad_all(const constraint_enforcer *e, const sf_batch *batch, sf_column **columns,
                              sf_error *err) {
  for (int32_t i = 0; i < batch->n_columns; i++) columns[i] = sf_column_retain(batch->columns[i]);
  for (int32_t k = 0; k < e->n_lengths; k++) {
    sf_column **place = &columns[e->lengths[k].field];
    sf_column *fitting = NULL;
    SF_TRY(trim_pad(&e->lengths[k], e->base.pool, *place, &fitting, err));
    sf_column_release(*place);
    *place = fitting;
  }
  return SF_OK;
}

static sf_status rewrite(const constraint_enforcer *e, sf_batch *batch, sf_batch **out, sf_error *err) {
  void *scratch = NULL;
  SF_TRY(sf_pool_alloc(e->base.pool, (size_t)batch->n_columns * sizeof(sf_column *), &scratch, err));
  sf_column **columns = scratch;
  sf_status st = trim_pad_all(e, batch, columns, err);
  if (st == SF_OK) {
    sf_buffer *row_kinds = NULL, *marks = NULL;
    st = sfi_batch_headers(e->base.pool, batch, NULL, batch->length, &row_kinds, &marks, err);
    if (st == SF_OK) {
      st = sf_batch_create(batch->type, batch->length, columns, row_kinds, marks, batch->n_marks, out, err);
    }
  }
  for (int32_t i = 0; i < batch->n_columns; i++) sf_column_release(columns[i]);
  sf_pool_free(e->base.pool, scratch);
  return st;
}

/* --- the operator */

/* `first`: what the NOT NULL constraints found. */
static sf_status enforce(const constraint_enforcer *e, sf_batch *batch, violation first, sf_batch **out,
                         sf_error *err) {
  check_lengths(e, batch, &first);
  if (first.row < batch->length) return report(e, &first, err);
  if (e->action == STREAMFUSION__PLAN__LENGTH_ACTION__LENGTH_TRIM_PAD) return rewrite(e, batch, out, err);
  *out = sf_batch_retain(batch);
  return SF_OK;
}

static sf_status process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  const constraint_enforcer *e = (const constraint_enforcer *)op;
  sf_batch *kept = NULL, *enforced = NULL;
  violation first = {.row = batch->length};
  check_not_null(e, batch, &first);
  sf_status st = SF_OK;
  if (e->drop && first.row < batch->length) {
    SF_TRY(drop_nulls(e, batch, &kept, err));
    st = enforce(e, kept, (violation){.row = kept->length}, &enforced, err);
    sf_batch_release(kept);
  } else {
    st = enforce(e, batch, first, &enforced, err);
  }
  return st == SF_OK ? sfi_emit(enforced, out, err) : st;
}

static void destroy(sf_operator *op) {
  constraint_enforcer *e = (constraint_enforcer *)op;
  sf_pool_free(op->pool, e->not_null);
  sf_pool_free(op->pool, e->lengths);
}

static const sfi_operator_vtable vtable = {.process = process, .destroy = destroy};

static sf_status read_not_null(constraint_enforcer *e, const sfi_operator_plan *plan, sf_error *err) {
  const Streamfusion__Plan__ConstraintEnforcer *m = plan->message->constraint_enforcer;
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(e->base.pool, m->n_not_null_fields * sizeof(int32_t), &memory, err));
  e->not_null = memory;
  for (size_t i = 0; i < m->n_not_null_fields; i++) {
    int32_t field = m->not_null_fields[i];
    if (field < 0 || field >= e->base.input_type->n_children) {
      return sf_fail(err, SF_INVALID, "%s: there is no field %d", plan->message->name, field);
    }
    e->not_null[e->n_not_null++] = field;
  }
  return SF_OK;
}

static sf_status read_lengths(constraint_enforcer *e, const sfi_operator_plan *plan, bool binary, sf_error *err) {
  const Streamfusion__Plan__ConstraintEnforcer *m = plan->message->constraint_enforcer;
  for (size_t i = 0; i < m->n_length_fields; i++) {
    int32_t field = m->length_fields[i], length = m->lengths[i];
    if (field < 0 || field >= e->base.output_type->n_children ||
        e->base.output_type->children[field]->layout != SF_LAYOUT_VIEW) {
      return sf_fail(err, SF_INVALID, "%s: field %d has no length", plan->message->name, field);
    }
    if (length < 0) return sf_fail(err, SF_UNSUPPORTED, "%s: length %d", plan->message->name, length);
    sf_type_kind kind = e->base.output_type->children[field]->kind;
    if ((kind == SF_TYPE_BINARY || kind == SF_TYPE_VARBINARY) != binary) continue;
    bool pads = kind == SF_TYPE_CHAR || kind == SF_TYPE_BINARY;
    e->lengths[e->n_lengths++] = (length_rule){.field = field, .length = length, .binary = binary, .pads = pads};
  }
  return SF_OK;
}

static sf_status prepare(constraint_enforcer *e, const sfi_operator_plan *plan, sf_error *err) {
  const Streamfusion__Plan__ConstraintEnforcer *m = plan->message->constraint_enforcer;
  if (!sfi_type_same_layout(e->base.input_type, e->base.output_type)) {
    return sf_fail(err, SF_INVALID, "%s: input and output types differ", plan->message->name);
  }
  if (m->n_length_fields != m->n_lengths) {
    return sf_fail(err, SF_INVALID, "%s: %zu fields with %zu lengths", plan->message->name, m->n_length_fields,
                   m->n_lengths);
  }
  e->drop = m->drop;
  e->action = m->length_action;
  SF_TRY(read_not_null(e, plan, err));
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(e->base.pool, m->n_length_fields * sizeof(length_rule), &memory, err));
  e->lengths = memory;
  if (e->action == STREAMFUSION__PLAN__LENGTH_ACTION__LENGTH_IGNORE) return SF_OK;
  if (e->action != STREAMFUSION__PLAN__LENGTH_ACTION__LENGTH_TRIM_PAD &&
      e->action != STREAMFUSION__PLAN__LENGTH_ACTION__LENGTH_ERROR) {
    return sf_fail(err, SF_UNSUPPORTED, "%s: unknown length action %d", plan->message->name, (int)e->action);
  }
  SF_TRY(read_lengths(e, plan, false, err));
  return read_lengths(e, plan, true, err);
}

sf_status sfi_constraint_enforcer_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                         sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(constraint_enforcer), &vtable, &op, err));
  sf_status st = prepare((constraint_enforcer *)op, plan, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}
