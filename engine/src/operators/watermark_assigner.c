/* Watermarks from rows: org.apache.flink.table.runtime.operators.wmassigners.WatermarkAssignerOperator. The clocks of
 * periodic emission and idleness stay with the host. */
#include "operators/operator_internal.h"

typedef struct watermark_assigner {
  sf_operator base;
  int32_t rowtime_field;
  sf_expr *watermark;
  int64_t interval;
  int64_t current; /* largest watermark seen; starts at 0 as Flink's does */
  int64_t last;    /* emitted */
  /* scratch for the marks of one batch */
  sf_mark *marks;
  int64_t n_marks;
  int64_t marks_room;
} watermark_assigner;

static sf_status add_mark(watermark_assigner *w, int64_t row, sf_error *err) {
  if (w->n_marks == w->marks_room) {
    int64_t room = w->marks_room == 0 ? 16 : 2 * w->marks_room;
    void *memory = NULL;
    SF_TRY(sf_pool_realloc(w->base.pool, w->marks, (size_t)room * sizeof *w->marks, &memory, err));
    w->marks = memory;
    w->marks_room = room;
  }
  w->marks[w->n_marks++] = (sf_mark){row, w->current};
  w->last = w->current;
  return SF_OK;
}

/* As Java's `long - long`, which wraps around. */
static bool is_due(const watermark_assigner *w) {
  return (int64_t)((uint64_t)w->current - (uint64_t)w->last) > w->interval && w->current > w->last;
}

static sf_status check_rowtime(const watermark_assigner *w, const sf_batch *batch, sf_error *err) {
  const sf_column *rowtime = batch->columns[w->rowtime_field];
  if (rowtime->validity == NULL || rowtime->null_count == 0) return SF_OK;
  for (int64_t i = 0; i < batch->length; i++) {
    if (!sf_column_is_null(rowtime, i)) continue;
    return sf_fail_row(err, SF_RUNTIME, i,
                       "RowTime field should not be null, please convert it to a non-null long value.");
  }
  return SF_OK;
}

/* Flink forwards a row first and advances afterwards, so a mark stands behind the row that caused it. */
static sf_status advance(watermark_assigner *w, const sf_column *watermarks, int64_t n, sf_error *err) {
  const int64_t *values = watermarks->values; /* TIMESTAMP layout: milliseconds as well */
  for (int64_t i = 0; i < n; i++) {
    if (!sf_column_is_null(watermarks, i)) {
      int64_t value = values[watermarks->is_const ? 0 : i];
      if (value > w->current) w->current = value;
    }
    if (is_due(w)) SF_TRY(add_mark(w, i + 1, err));
  }
  return SF_OK;
}

/* The marks of the input count only where one is the end of the input. */
static sf_status end_of_input(watermark_assigner *w, int64_t row, sf_error *err) {
  if (w->current == INT64_MAX) return SF_OK;
  w->current = INT64_MAX;
  return add_mark(w, row, err);
}

static sf_status emit(watermark_assigner *w, const sf_batch *batch, const sf_collector *out, sf_error *err) {
  sf_buffer *marks = NULL;
  if (w->n_marks > 0) {
    size_t size = (size_t)w->n_marks * sizeof *w->marks;
    SF_TRY(sf_buffer_create(w->base.pool, size, &marks, err));
    memcpy(sf_buffer_data(marks), w->marks, size);
  }
  sf_buffer *row_kinds = batch->row_kinds_buffer == NULL ? NULL : sf_buffer_retain(batch->row_kinds_buffer);
  sf_batch *result = NULL;
  SF_TRY(sf_batch_create(w->base.output_type, batch->length, batch->columns, row_kinds, marks, w->n_marks, &result,
                         err));
  return sfi_emit(result, out, err);
}

static sf_status process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  watermark_assigner *w = (watermark_assigner *)op;
  SF_TRY(check_rowtime(w, batch, err));
  w->n_marks = 0;
  if (batch->length > 0) {
    sf_column *watermarks = NULL;
    SF_TRY(sf_expr_eval(w->watermark, batch, NULL, 0, &watermarks, err));
    sf_status st = advance(w, watermarks, batch->length, err);
    sf_column_release(watermarks);
    if (st != SF_OK) return st;
  }
  if (batch->n_marks > 0 && batch->marks[batch->n_marks - 1].watermark == INT64_MAX) {
    SF_TRY(end_of_input(w, batch->length, err));
  }
  return emit(w, batch, out, err);
}

/* A batch of no rows that carries the collected marks. */
static sf_status emit_marks(watermark_assigner *w, const sf_collector *out, sf_error *err) {
  if (w->n_marks == 0) return SF_OK;
  sf_column *row = NULL; /* its children are the empty columns */
  SF_TRY(sf_column_create_null(w->base.pool, w->base.output_type, 0, &row, err));
  sf_batch empty = {.type = w->base.output_type, .n_columns = row->n_children, .columns = row->children};
  sf_status st = emit(w, &empty, out, err);
  sf_column_release(row);
  return st;
}

static sf_status timer(sf_operator *op, int64_t millis, const sf_collector *out, sf_error *err) {
  (void)millis;
  watermark_assigner *w = (watermark_assigner *)op;
  w->n_marks = 0;
  if (w->current > w->last) SF_TRY(add_mark(w, 0, err));
  return emit_marks(w, out, err);
}

static sf_status watermark(sf_operator *op, int64_t value, const sf_collector *out, sf_error *err) {
  watermark_assigner *w = (watermark_assigner *)op;
  w->n_marks = 0;
  if (value == INT64_MAX) SF_TRY(end_of_input(w, 0, err));
  return emit_marks(w, out, err);
}

static void destroy(sf_operator *op) {
  watermark_assigner *w = (watermark_assigner *)op;
  sf_expr_destroy(w->watermark);
  sf_pool_free(op->pool, w->marks);
}

static const sfi_operator_vtable vtable = {
    .process = process, .watermark = watermark, .timer = timer, .destroy = destroy};

static sf_status prepare(watermark_assigner *w, const sfi_operator_plan *plan, sf_error *err) {
  const Streamfusion__Plan__WatermarkAssigner *message = plan->message->watermark_assigner;
  const sf_type *type = w->base.input_type;
  if (!sfi_same_columns(type, w->base.output_type)) {
    return sf_fail(err, SF_INVALID, "Watermark assigner %s: the columns out are not those in", plan->message->name);
  }
  if (message->rowtime_field < 0 || message->rowtime_field >= type->n_children) {
    return sf_fail(err, SF_INVALID, "Watermark assigner %s: there is no rowtime field %d", plan->message->name,
                   message->rowtime_field);
  }
  w->rowtime_field = message->rowtime_field;
  w->interval = message->interval_millis;
  const Streamfusion__Plan__Expr *watermark = message->watermark;
  SF_TRY(sfi_operator_compile(&w->base, plan, &watermark, 1, &w->watermark, err));
  sf_layout layout = sf_expr_type(w->watermark, 0)->layout;
  if (layout != SF_LAYOUT_INT64 && layout != SF_LAYOUT_TIMESTAMP) {
    return sf_fail(err, SF_INVALID, "Watermark assigner %s: the watermark is no timestamp", plan->message->name);
  }
  return SF_OK;
}

sf_status sfi_watermark_assigner_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                        sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(watermark_assigner), &vtable, &op, err));
  sf_status st = prepare((watermark_assigner *)op, plan, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}
