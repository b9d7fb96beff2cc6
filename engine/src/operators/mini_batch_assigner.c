/* Where bundles end: org.apache.flink.table.runtime.operators.wmassigners.RowTimeMiniBatchAssginerOperator, and the part of
 * ProcTimeMiniBatchAssignerOperator that concerns the input's watermarks. */
#include "operators/operator_internal.h"

typedef struct mini_batch_assigner {
  sf_operator base;
  bool row_time;
  int64_t interval;
  int64_t current;
  int64_t next; /* row time: the watermark that is to go on */
  sf_mark *marks; /* scratch */
  int64_t n_marks;
  int64_t marks_room;
} mini_batch_assigner;

static sf_status add_mark(mini_batch_assigner *m, int64_t row, int64_t watermark, sf_error *err) {
  if (m->n_marks == m->marks_room) {
    int64_t room = m->marks_room == 0 ? 16 : 2 * m->marks_room;
    void *memory = NULL;
    SF_TRY(sf_pool_realloc(m->base.pool, m->marks, (size_t)room * sizeof *m->marks, &memory, err));
    m->marks = memory;
    m->marks_room = room;
  }
  m->marks[m->n_marks++] = (sf_mark){row, watermark};
  return SF_OK;
}

/* As Java's long, which wraps around. */
static int64_t plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

static int64_t batch_start(const mini_batch_assigner *m, int64_t watermark) {
  return plus(watermark, -(plus(watermark, m->interval) % m->interval));
}

static sf_status advance(mini_batch_assigner *m, int64_t row, sf_error *err) {
  SF_TRY(add_mark(m, row, m->current, err));
  int64_t end = plus(batch_start(m, m->current), m->interval - 1);
  m->next = end > m->current ? end : plus(end, m->interval);
  return SF_OK;
}

static sf_status take(mini_batch_assigner *m, int64_t row, int64_t watermark, sf_error *err) {
  if (watermark == INT64_MAX && m->current != INT64_MAX) {
    m->current = INT64_MAX;
    return add_mark(m, row, INT64_MAX, err);
  }
  if (!m->row_time) return SF_OK;
  if (watermark > m->current) m->current = watermark;
  return m->current >= m->next ? advance(m, row, err) : SF_OK;
}

static sf_status emit(mini_batch_assigner *m, const sf_batch *batch, const sf_collector *out, sf_error *err) {
  sf_buffer *marks = NULL;
  if (m->n_marks > 0) {
    size_t size = (size_t)m->n_marks * sizeof *m->marks;
    SF_TRY(sf_buffer_create(m->base.pool, size, &marks, err));
    memcpy(sf_buffer_data(marks), m->marks, size);
  }
  sf_buffer *row_kinds = batch->row_kinds_buffer == NULL ? NULL : sf_buffer_retain(batch->row_kinds_buffer);
  sf_batch *result = NULL;
  SF_TRY(sf_batch_create(m->base.output_type, batch->length, batch->columns, row_kinds, marks, m->n_marks, &result, err));
  return sfi_emit(result, out, err);
}

static sf_status process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err) {
  mini_batch_assigner *m = (mini_batch_assigner *)op;
  m->n_marks = 0;
  for (int64_t i = 0; i < batch->n_marks; i++) SF_TRY(take(m, batch->marks[i].row, batch->marks[i].watermark, err));
  return emit(m, batch, out, err);
}

/* A batch of no rows that carries the collected marks. */
static sf_status emit_marks(mini_batch_assigner *m, const sf_collector *out, sf_error *err) {
  if (m->n_marks == 0) return SF_OK;
  sf_column *row = NULL; /* its children are the empty columns */
  SF_TRY(sf_column_create_null(m->base.pool, m->base.output_type, 0, &row, err));
  sf_batch empty = {.type = m->base.output_type, .n_columns = row->n_children, .columns = row->children};
  sf_status st = emit(m, &empty, out, err);
  sf_column_release(row);
  return st;
}

static sf_status watermark(sf_operator *op, int64_t value, const sf_collector *out, sf_error *err) {
  mini_batch_assigner *m = (mini_batch_assigner *)op;
  m->n_marks = 0;
  SF_TRY(take(m, 0, value, err));
  return emit_marks(m, out, err);
}

static sf_status finish(sf_operator *op, const sf_collector *out, sf_error *err) {
  mini_batch_assigner *m = (mini_batch_assigner *)op;
  m->n_marks = 0;
  if (m->row_time) SF_TRY(advance(m, 0, err));
  return emit_marks(m, out, err);
}

static void destroy(sf_operator *op) { sf_pool_free(op->pool, ((mini_batch_assigner *)op)->marks); }

static const sfi_operator_vtable vtable = {
    .process = process, .watermark = watermark, .finish = finish, .destroy = destroy};

sf_status sfi_mini_batch_assigner_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  const Streamfusion__Plan__MiniBatchAssigner *message = plan->message->mini_batch_assigner;
  if (message->interval_millis <= 0) {
    return sf_fail(err, SF_INVALID, "Mini-batches of %lld ms", (long long)message->interval_millis);
  }
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(mini_batch_assigner), &vtable, &op, err));
  if (!sfi_same_columns(op->input_type, op->output_type)) {
    sf_operator_destroy(op);
    return sf_fail(err, SF_INVALID, "Mini-batch assigner %s: the columns out are not those in", plan->message->name);
  }
  mini_batch_assigner *m = (mini_batch_assigner *)op;
  m->row_time = message->row_time;
  m->interval = message->interval_millis;
  m->next = m->interval - 1;
  *out = op;
  return SF_OK;
}
