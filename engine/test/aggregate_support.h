/* Aggregates under test: plans, rows in, changes out, and state through snapshots. */
#ifndef ENGINE_TEST_AGGREGATE_SUPPORT_H
#define ENGINE_TEST_AGGREGATE_SUPPORT_H

#include "plan_support.h"
#include "streamfusion/state.h"

typedef Streamfusion__Plan__AggregateCall plan_call;
#define KIND(name) STREAMFUSION__PLAN__AGGREGATE_KIND__##name
#define BIGINT() scalar(SF_TYPE_BIGINT, 0, 0, 0)
#define STRING() scalar(SF_TYPE_VARCHAR, 0, 0, INT32_MAX)
#define BOOL() scalar(SF_TYPE_BOOLEAN, 0, 0, 0)

/* (k BIGINT, v BIGINT, s STRING, f BOOLEAN) */
static inline sf_type *input_type(void) {
  sf_type *fields[4] = {BIGINT(), BIGINT(), STRING(), BOOL()};
  return nested(SF_TYPE_ROW, 4, fields);
}

static inline plan_type *plan_scalar(sf_type *type) {
  plan_type *t = plan_of(type);
  sf_type_release(type);
  return t;
}

/* A call with one accumulator of the argument's type, or two with a BIGINT behind it. */
static inline plan_call *call_of(Streamfusion__Plan__AggregateKind kind, int32_t arg, sf_type *accumulator, bool with_count) {
  plan_call *c = plan_take(sizeof *c);
  streamfusion__plan__aggregate_call__init(c);
  c->kind = kind;
  c->emitted = 1;
  if (arg >= 0) {
    c->n_args = 1;
    c->args = plan_take(sizeof *c->args);
    c->args[0] = arg;
  }
  c->result = plan_scalar(sf_type_retain(accumulator));
  c->n_accumulators = with_count ? 2 : 1;
  c->accumulators = plan_take(2 * sizeof *c->accumulators);
  c->accumulators[0] = plan_scalar(accumulator);
  c->accumulators[1] = plan_scalar(BIGINT());
  return c;
}

static inline Streamfusion__Plan__GroupAggregate *add_aggregate(plan_operator *o, bool keyed, size_t n, plan_call **calls) {
  Streamfusion__Plan__GroupAggregate *g = plan_take(sizeof *g);
  streamfusion__plan__group_aggregate__init(g);
  o->op_case = STREAMFUSION__PLAN__OPERATOR__OP_GROUP_AGGREGATE;
  o->group_aggregate = g;
  g->n_grouping = keyed ? 1 : 0;
  g->grouping = plan_take(sizeof *g->grouping);
  g->generate_update_before = 1;
  g->n_calls = n;
  g->calls = calls;
  return g;
}

/* COUNT(*), SUM(v), MAX(s) by k, retractable: the shape that most tests use. */
static inline plan_operator *retracting_plan(const sf_type *in, const sf_type *out) {
  plan_operator *o = operator_of(in, out);
  plan_call **calls = plan_take(3 * sizeof *calls);
  calls[0] = call_of(KIND(COUNT_STAR), -1, BIGINT(), false);
  calls[1] = call_of(KIND(SUM_RETRACT), 1, BIGINT(), true);
  calls[2] = call_of(KIND(MAX_RETRACT), 2, STRING(), true);
  Streamfusion__Plan__GroupAggregate *g = add_aggregate(o, true, 3, calls);
  g->retracts = 1;
  g->count_star = 1;
  return o;
}

static inline sf_type *retracting_output(void) {
  sf_type *fields[4] = {BIGINT(), BIGINT(), BIGINT(), STRING()};
  return nested(SF_TYPE_ROW, 4, fields);
}

/* COUNT(*), FIRST_VALUE(s), LAST_VALUE(v), LISTAGG(s) by k, retractable. With `delimiter`: LISTAGG(s, s). */
static inline plan_operator *ordered_plan(const sf_type *in, const sf_type *out, bool delimiter) {
  plan_operator *o = operator_of(in, out);
  plan_call **calls = plan_take(4 * sizeof *calls);
  calls[0] = call_of(KIND(COUNT_STAR), -1, BIGINT(), false);
  calls[1] = call_of(KIND(FIRST_VALUE_RETRACT), 2, STRING(), true);
  calls[2] = call_of(KIND(LAST_VALUE_RETRACT), 1, BIGINT(), true);
  calls[3] = call_of(KIND(LISTAGG_RETRACT), 2, STRING(), false);
  calls[3]->n_accumulators = delimiter ? 1 : 0;
  if (delimiter) {
    calls[3]->n_args = 2;
    calls[3]->args = plan_take(2 * sizeof *calls[3]->args);
    calls[3]->args[0] = calls[3]->args[1] = 2;
  }
  Streamfusion__Plan__GroupAggregate *g = add_aggregate(o, true, 4, calls);
  g->retracts = 1;
  g->count_star = 1;
  return o;
}
static inline plan_operator *ordered_with_comma(const sf_type *in, const sf_type *out) { return ordered_plan(in, out, false); }
static inline plan_operator *ordered_with_delimiter(const sf_type *in, const sf_type *out) {
  return ordered_plan(in, out, true);
}

/* COUNT(*) and JSON by k, retractable: JSON_ARRAYAGG(s NULL ON NULL), or JSON_OBJECTAGG(KEY s VALUE s). */
static inline plan_operator *json_plan(const sf_type *in, const sf_type *out, bool object) {
  plan_operator *o = operator_of(in, out);
  plan_call **calls = plan_take(2 * sizeof *calls);
  calls[0] = call_of(KIND(COUNT_STAR), -1, BIGINT(), false);
  calls[1] = call_of(object ? KIND(JSON_OBJECT_NULL) : KIND(JSON_ARRAY_NULL), 2, STRING(), false);
  calls[1]->n_accumulators = 0;
  if (object) {
    calls[1]->n_args = 2;
    calls[1]->args = plan_take(2 * sizeof *calls[1]->args);
    calls[1]->args[0] = calls[1]->args[1] = 2;
  }
  Streamfusion__Plan__GroupAggregate *g = add_aggregate(o, true, 2, calls);
  g->retracts = 1;
  g->count_star = 1;
  return o;
}
static inline plan_operator *json_array_plan(const sf_type *in, const sf_type *out) { return json_plan(in, out, false); }
static inline plan_operator *json_object_plan(const sf_type *in, const sf_type *out) { return json_plan(in, out, true); }

static inline sf_type *json_output(void) {
  sf_type *fields[3] = {BIGINT(), BIGINT(), STRING()};
  return nested(SF_TYPE_ROW, 3, fields);
}

static inline sf_type *ordered_output(void) {
  sf_type *fields[5] = {BIGINT(), BIGINT(), STRING(), BIGINT(), STRING()};
  return nested(SF_TYPE_ROW, 5, fields);
}

typedef struct fixture {
  sf_pool *pool;
  sf_type *in, *out;
  sf_operator *op;
  sf_batch_builder *builder;
} fixture;

static const sf_key_groups all_groups = {0, 128, 128};

static inline void open_fixture(fixture *f, sf_type *out, plan_operator *(*plan)(const sf_type *in, const sf_type *out)) {
  sf_error err;
  *f = (fixture){.pool = pool_of(-1), .in = input_type(), .out = out};
  OK(create_operator(f->pool, plan(f->in, f->out), &f->op, &err));
  assert_null(sf_operator_state(f->op));
  OK(sf_operator_open_state(f->op, all_groups, &err));
  OK(sf_batch_builder_create(f->pool, f->in, &f->builder, &err));
}

static inline void close_fixture(fixture *f) {
  sf_batch_builder_destroy(f->builder);
  sf_operator_destroy(f->op);
  sf_type_release(f->in);
  sf_type_release(f->out);
  assert_int_equal(0, sf_pool_used(f->pool));
  sf_pool_release(f->pool);
  plan_reset();
}

static inline void add(fixture *f, uint8_t kind, int64_t k, int64_t v, const char *s) {
  sf_error err;
  OK(sf_column_builder_int(sf_batch_builder_column(f->builder, 0), k, &err));
  OK(sf_column_builder_int(sf_batch_builder_column(f->builder, 1), v, &err));
  if (s == NULL) OK(sf_column_builder_null(sf_batch_builder_column(f->builder, 2), &err));
  else OK(sf_column_builder_bytes(sf_batch_builder_column(f->builder, 2), s, strlen(s), &err));
  OK(sf_column_builder_int(sf_batch_builder_column(f->builder, 3), v > 10, &err));
  OK(sf_batch_builder_end_row(f->builder, kind, &err));
}

/* Processes the rows added; the caller releases the result, NULL when nothing came out. */
static inline sf_batch *run(fixture *f) {
  sf_error err;
  sf_batch *batch = NULL, *result = NULL;
  OK(sf_batch_builder_finish(f->builder, &batch, &err));
  sf_collector collector = {&result, keep_one};
  OK(sf_operator_process(f->op, 0, batch, &collector, &err));
  sf_batch_release(batch);
  return result;
}

static inline void print_value(char **to, const sf_column *c, int64_t row) {
  if (sf_column_is_null(c, row)) {
    *to += sprintf(*to, "-");
  } else if (c->type->layout == SF_LAYOUT_VIEW) {
    sf_view view = ((const sf_view *)c->values)[row];
    *to += sprintf(*to, "%.*s", (int)view.size, (const char *)view.data);
  } else {
    *to += sprintf(*to, "%lld", (long long)((const int64_t *)c->values)[row]);
  }
}

/* Rows as `+I 1 2 x; -U ...`. Takes over the batch. */
static inline void print_changes(sf_batch *batch, char *to) {
  static const char *const kinds[4] = {"+I", "-U", "+U", "-D"};
  *to = 0;
  for (int64_t row = 0; batch != NULL && row < batch->length; row++) {
    to += sprintf(to, "%s%s", row == 0 ? "" : "; ", kinds[batch->row_kinds == NULL ? SF_INSERT : batch->row_kinds[row]]);
    for (int32_t i = 0; i < batch->n_columns; i++) {
      *to++ = ' ';
      print_value(&to, batch->columns[i], row);
    }
  }
  sf_batch_release(batch);
}

static inline void changes_are(sf_batch *batch, const char *expected) {
  char text[4096];
  print_changes(batch, text);
  assert_string_equal(expected, text);
}

/* COUNT(DISTINCT s), COUNT(DISTINCT s) FILTER (f), SUM(DISTINCT v) by k. */
static inline plan_operator *distinct_plan(const sf_type *in, const sf_type *out, bool retracts) {
  plan_operator *o = operator_of(in, out);
  size_t n = retracts ? 4 : 3;
  plan_call **calls = plan_take(n * sizeof *calls);
  calls[0] = call_of(KIND(COUNT), 2, BIGINT(), false);
  calls[1] = call_of(KIND(COUNT), 2, BIGINT(), false);
  calls[1]->filter = 1 + 3;
  calls[2] = call_of(retracts ? KIND(SUM_RETRACT) : KIND(SUM), 1, BIGINT(), retracts);
  calls[0]->distinct = calls[1]->distinct = 1;
  calls[2]->distinct = 2;
  if (retracts) {
    calls[3] = call_of(KIND(COUNT_STAR), -1, BIGINT(), false);
    calls[3]->emitted = 0;
  }
  Streamfusion__Plan__GroupAggregate *g = add_aggregate(o, true, n, calls);
  g->retracts = retracts;
  g->count_star = retracts ? 4 : 0;
  g->n_distinct_views = 2;
  g->distinct_views = plan_take(2 * sizeof *g->distinct_views);
  for (int32_t i = 0; i < 2; i++) {
    Streamfusion__Plan__DistinctView *v = g->distinct_views[i] = plan_take(sizeof *v);
    streamfusion__plan__distinct_view__init(v);
    v->n_args = 1;
    v->args = plan_take(sizeof *v->args);
    v->args[0] = i == 0 ? 2 : 1;
  }
  return o;
}
static inline plan_operator *distinct_append(const sf_type *in, const sf_type *out) { return distinct_plan(in, out, false); }
static inline plan_operator *distinct_retract(const sf_type *in, const sf_type *out) { return distinct_plan(in, out, true); }
static inline sf_type *distinct_output(void) {
  sf_type *fields[4] = {BIGINT(), BIGINT(), BIGINT(), BIGINT()};
  return nested(SF_TYPE_ROW, 4, fields);
}

/* Entries in the order in which they were read, each as it is restored. */
typedef struct entries {
  uint8_t bytes[8][1 << 16]; /* by state */
  size_t size[8];
  int64_t n;
} entries;

static inline uint32_t get32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void read_all(sf_snapshot *snapshot, entries *out) {
  sf_error err;
  const uint8_t *bytes = NULL;
  size_t size = 0;
  memset(out, 0, sizeof *out);
  int last = 0;
  for (;;) {
    OK(sf_snapshot_read(snapshot, &bytes, &size, &err));
    if (size == 0) break;
    for (const uint8_t *p = bytes, *end = bytes + size; p < end; out->n++) {
      int group = p[0] << 8 | p[1], state = p[2] << 8 | p[3];
      assert_true(group >= last);
      last = group;
      p += 4;
      size_t entry = 8 + get32(p);
      entry += get32(p + entry - 4);
      assert_int_equal(group, p[4]); /* the prefix of the key */
      memcpy(out->bytes[state] + out->size[state], p, entry);
      out->size[state] += entry;
      assert_true(out->size[state] < sizeof out->bytes[0] / 2);
      p += entry;
    }
  }
}

static inline plan_operator *ttl_plan(const sf_type *in, const sf_type *out) {
  plan_operator *o = retracting_plan(in, out);
  o->group_aggregate->ttl_millis = 3600 * 1000;
  return o;
}

#endif
