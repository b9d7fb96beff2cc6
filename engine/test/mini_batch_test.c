/* Aggregates in mini-batches, in one phase and in several, and what goes with them. */
#include "aggregate_support.h"
#include "operators/bundle.h"

/* --- bundles */

static void keys_come_in_the_order_of_a_hash_map(void **state) {
  (void)state;
  /* HashMap<Integer, ?> with the keys as put here: 16 buckets, and the high bits are mixed in */
  sfi_bundle_key keys[5] = {{33, 0}, {1, 1}, {0x10001, 2}, {-1, 3}, {17, 4}}, scratch[5];
  const sfi_bundle_key *sorted = sfi_hash_map_order(keys, scratch, 5, 16);
  const uint32_t in_16[5] = {2, 3, 0, 1, 4}; /* 0x10001 and -1 go to bucket 0 */
  for (int i = 0; i < 5; i++) assert_int_equal(in_16[i], sorted[i].id);
  sfi_bundle_key again[5] = {{33, 0}, {1, 1}, {0x10001, 2}, {-1, 3}, {17, 4}};
  sorted = sfi_hash_map_order(again, scratch, 5, 1024);
  const uint32_t in_1024[5] = {2, 3, 1, 4, 0};
  for (int i = 0; i < 5; i++) assert_int_equal(in_1024[i], sorted[i].id);
}

static plan_operator *with_bundles(plan_operator *o, Streamfusion__Plan__AggregatePhase phase, int64_t rows) {
  o->group_aggregate->bundle_size = rows;
  o->group_aggregate->phase = phase;
  return o;
}
#define PHASE(name) STREAMFUSION__PLAN__AGGREGATE_PHASE__##name

static plan_operator *bundles_of_4(const sf_type *in, const sf_type *out) {
  return with_bundles(retracting_plan(in, out), PHASE(SINGLE_PHASE), 4);
}

/* What a call without rows emits. */
static sf_batch *flushed(sf_operator *op, sf_status (*call)(sf_operator *, const sf_collector *, sf_error *)) {
  sf_error err;
  sf_batch *result = NULL;
  sf_collector collector = {&result, keep_one};
  OK(call(op, &collector, &err));
  return result;
}

static void bundles_end_with_rows_marks_and_barriers(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  open_fixture(&f, retracting_output(), bundles_of_4);
  add(&f, SF_INSERT, 1, 5, "b");
  add(&f, SF_INSERT, 1, 6, "c");
  changes_are(run(&f), "");
  add(&f, SF_DELETE, 1, 5, "b");
  add(&f, SF_INSERT, 1, 1, "a long string that is not inlined"); /* the fourth */
  add(&f, SF_INSERT, 1, 9, NULL);
  changes_are(run(&f), "+I 1 2 7 c");
  OK(sf_batch_builder_mark(f.builder, 77, &err));
  add(&f, SF_UPDATE_BEFORE, 1, 9, NULL);
  sf_batch *result = run(&f);
  assert_int_equal(1, result->n_marks);
  assert_int_equal(2, result->marks[0].row);
  changes_are(result, "-U 1 2 7 c; +U 1 3 16 c");
  changes_are(flushed(f.op, sf_operator_before_barrier), "-U 1 3 16 c; +U 1 2 7 c");
  changes_are(flushed(f.op, sf_operator_before_barrier), "");
  add(&f, SF_DELETE, 1, 1, "a long string that is not inlined");
  add(&f, SF_INSERT, 1, 1, "x");
  add(&f, SF_DELETE, 1, 6, "c");
  changes_are(run(&f), "");
  add(&f, SF_DELETE, 1, 1, "x");
  changes_are(run(&f), "-D 1 2 7 c");
  assert_int_equal(0, sf_state_keys(sf_operator_state(f.op)));
  add(&f, SF_INSERT, 1, 1, "x");
  run(&f);
  changes_are(flushed(f.op, sf_operator_finish), "+I 1 1 1 x");
  close_fixture(&f);
}

/* Where Flink's function returns, the rest of the bundle is gone; the next one is as ever. */
static void unknown_retractions_end_a_bundle(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, retracting_output(), bundles_of_4);
  add(&f, SF_DELETE, 1, 5, "b");
  add(&f, SF_DELETE, 1, 6, "b");
  add(&f, SF_DELETE, 1, 7, "b");
  add(&f, SF_DELETE, 1, 8, "b");
  changes_are(run(&f), "");
  add(&f, SF_DELETE, 1, 5, "b");
  add(&f, SF_INSERT, 1, 6, "c");
  add(&f, SF_DELETE, 1, 6, "c");
  add(&f, SF_INSERT, 1, 7, "d");
  changes_are(run(&f), "+I 1 1 7 d");
  close_fixture(&f);
}

/* --- phases */

/* (k, accumulators of COUNT(*), SUM_RETRACT(v), MAX_RETRACT(s) with its map) */
static sf_type *retracting_accumulators(void) {
  sf_type *fields[7] = {BIGINT(), BIGINT(), BIGINT(), BIGINT(), STRING(), BIGINT(), scalar(SF_TYPE_VARBINARY, 0, 0, INT32_MAX)};
  return nested(SF_TYPE_ROW, 7, fields);
}

/* COUNT(DISTINCT s), SUM_RETRACT(v) by k, and the COUNT(*) that Flink adds, all retractable. */
static plan_operator *distinct_and_sum_plan(const sf_type *in, const sf_type *out) {
  plan_operator *o = operator_of(in, out);
  plan_call **calls = plan_take(3 * sizeof *calls);
  calls[0] = call_of(KIND(COUNT), 2, BIGINT(), false);
  calls[0]->distinct = 1;
  calls[1] = call_of(KIND(SUM_RETRACT), 1, BIGINT(), true);
  calls[2] = call_of(KIND(COUNT_STAR), -1, BIGINT(), false);
  calls[2]->emitted = 0;
  Streamfusion__Plan__GroupAggregate *g = add_aggregate(o, true, 3, calls);
  g->retracts = 1;
  g->count_star = 3;
  g->n_distinct_views = 1;
  g->distinct_views = plan_take(sizeof *g->distinct_views);
  Streamfusion__Plan__DistinctView *v = g->distinct_views[0] = plan_take(sizeof *v);
  streamfusion__plan__distinct_view__init(v);
  v->n_args = 1;
  v->args = plan_take(sizeof *v->args);
  v->args[0] = 2;
  return o;
}

static sf_type *distinct_accumulators(bool with_view) {
  sf_type *fields[6] = {BIGINT(), BIGINT(), BIGINT(), BIGINT(), BIGINT(), NULL};
  if (with_view) fields[5] = scalar(SF_TYPE_VARBINARY, 0, 0, INT32_MAX);
  return nested(SF_TYPE_ROW, with_view ? 6 : 5, fields);
}

typedef struct phases {
  fixture local; /* its `op` is the local aggregate */
  sf_type *between;
  sf_type *final_type;
  sf_operator *next; /* global or incremental */
} phases;

static void open_phases(phases *p, plan_operator *(*plan)(const sf_type *in, const sf_type *out), sf_type *between,
                        sf_type *final_type, Streamfusion__Plan__AggregatePhase phase) {
  sf_error err;
  *p = (phases){.local = {.pool = pool_of(-1), .in = input_type(), .out = between}, .between = between, .final_type = final_type};
  fixture *f = &p->local;
  OK(create_operator(f->pool, with_bundles(plan(f->in, between), PHASE(LOCAL_PHASE), 4), &f->op, &err));
  OK(sf_batch_builder_create(f->pool, f->in, &f->builder, &err));
  plan_operator *o = with_bundles(plan(between, final_type), phase, 2);
  o->group_aggregate->call_input_type = plan_of(f->in);
  if (phase == PHASE(INCREMENTAL_PHASE)) {
    o->group_aggregate->n_final_grouping = 1;
    o->group_aggregate->final_grouping = plan_take(sizeof(int32_t));
    o->group_aggregate->final_grouping[0] = 0;
  }
  OK(create_operator(f->pool, o, &p->next, &err));
  OK(sf_operator_open_state(p->next, all_groups, &err));
}

static void close_phases(phases *p) {
  sf_operator_destroy(p->next);
  sf_type_release(p->final_type);
  close_fixture(&p->local);
}

static sf_batch *pass_on(phases *p, sf_batch *batch) {
  sf_error err;
  sf_batch *result = NULL;
  sf_collector collector = {&result, keep_one};
  if (batch == NULL) return NULL;
  OK(sf_operator_process(p->next, 0, batch, &collector, &err));
  sf_batch_release(batch);
  return result;
}

static void two_phases_give_what_one_gives(void **state) {
  (void)state;
  phases p;
  open_phases(&p, retracting_plan, retracting_accumulators(), retracting_output(), PHASE(GLOBAL_PHASE));
  fixture *f = &p.local;
  add(f, SF_INSERT, 1, 5, "b");
  add(f, SF_INSERT, 1, 6, "a string that is not inlined");
  add(f, SF_DELETE, 1, 5, "b");
  add(f, SF_INSERT, 1, 7, NULL);
  changes_are(pass_on(&p, run(f)), ""); /* the global bundle takes two accumulators */
  add(f, SF_INSERT, 1, 1, "c");
  changes_are(pass_on(&p, flushed(f->op, sf_operator_before_barrier)), "");
  changes_are(pass_on(&p, run(f)), "");
  changes_are(pass_on(&p, flushed(f->op, sf_operator_before_barrier)), "+I 1 3 14 c");
  add(f, SF_DELETE, 1, 1, "c");
  sf_batch_release(run(f));
  changes_are(pass_on(&p, flushed(f->op, sf_operator_before_barrier)), "");
  changes_are(flushed(p.next, sf_operator_before_barrier), "-U 1 3 14 c; +U 1 2 13 a string that is not inlined");
  add(f, SF_DELETE, 1, 6, "a string that is not inlined");
  add(f, SF_DELETE, 1, 7, NULL);
  sf_batch_release(run(f));
  changes_are(pass_on(&p, flushed(f->op, sf_operator_finish)), "");
  changes_are(flushed(p.next, sf_operator_finish), "-D 1 2 13 a string that is not inlined");
  assert_int_equal(0, sf_state_keys(sf_operator_state(p.next)));
  close_phases(&p);
}

static void distinct_values_are_merged_as_values(void **state) {
  (void)state;
  phases p;
  sf_type *result[3] = {BIGINT(), BIGINT(), BIGINT()};
  open_phases(&p, distinct_and_sum_plan, distinct_accumulators(true), nested(SF_TYPE_ROW, 3, result), PHASE(GLOBAL_PHASE));
  fixture *f = &p.local;
  for (int i = 0; i < 2; i++) { /* the same values twice */
    add(f, SF_INSERT, 1, 1, "x");
    add(f, SF_INSERT, 1, 2, NULL);
    add(f, SF_INSERT, 1, 3, "y");
    add(f, SF_INSERT, 1, 4, "x");
    changes_are(pass_on(&p, run(f)), i == 0 ? "" : "+I 1 2 20");
  }
  assert_int_equal(3, sf_state_map_entries(sf_operator_state(p.next)));
  add(f, SF_DELETE, 1, 3, "y");
  add(f, SF_DELETE, 1, 3, "y");
  sf_batch_release(run(f));
  changes_are(pass_on(&p, flushed(f->op, sf_operator_before_barrier)), "");
  changes_are(flushed(p.next, sf_operator_before_barrier), "-U 1 2 20; +U 1 1 14");
  assert_int_equal(2, sf_state_map_entries(sf_operator_state(p.next)));
  close_phases(&p);
}

/* New values alone reach the final key, and nothing but views is state. */
static void the_incremental_phase_counts_new_values(void **state) {
  (void)state;
  phases p;
  open_phases(&p, distinct_and_sum_plan, distinct_accumulators(true), distinct_accumulators(false), PHASE(INCREMENTAL_PHASE));
  fixture *f = &p.local;
  for (int i = 0; i < 2; i++) {
    add(f, SF_INSERT, 1, 1, "x");
    add(f, SF_INSERT, 1, 3, "y");
    add(f, SF_INSERT, 2, 4, "x");
    add(f, SF_INSERT, 2, 4, i == 0 ? "x" : "z");
    sf_batch *result = pass_on(&p, run(f));
    assert_int_equal(2, result->length);
    assert_null(result->row_kinds);
    const int64_t *keys = result->columns[0]->values, *distinct = result->columns[1]->values;
    for (int k = 0; k < 2; k++) assert_int_equal(i == 0 ? 3 - keys[k] : keys[k] - 1, distinct[k]);
    sf_batch_release(result);
  }
  assert_int_equal(4, sf_state_map_entries(sf_operator_state(p.next)));
  assert_int_equal(2, sf_state_keys(sf_operator_state(p.next)));
  close_phases(&p);
}

static void damaged_maps_are_refused(void **state) {
  (void)state;
  phases p;
  sf_type *result[3] = {BIGINT(), BIGINT(), BIGINT()};
  open_phases(&p, distinct_and_sum_plan, distinct_accumulators(true), nested(SF_TYPE_ROW, 3, result), PHASE(GLOBAL_PHASE));
  const uint8_t entry[12] = {0xfe, 0xff, 0xff, 0xff, 1}; /* NULL, once */
  for (size_t size = 1; size <= sizeof entry; size++) {
    sf_error err;
    sf_batch_builder *b = NULL;
    OK(sf_batch_builder_create(p.local.pool, p.between, &b, &err));
    for (int32_t i = 0; i < 5; i++) OK(sf_column_builder_int(sf_batch_builder_column(b, i), 1, &err));
    OK(sf_column_builder_bytes(sf_batch_builder_column(b, 5), entry, size, &err));
    OK(sf_batch_builder_end_row(b, SF_INSERT, &err));
    sf_batch *batch = NULL, *out = NULL;
    OK(sf_batch_builder_finish(b, &batch, &err));
    sf_collector collector = {&out, keep_one};
    assert_int_equal(size < sizeof entry ? SF_CORRUPT : SF_OK, sf_operator_process(p.next, 0, batch, &collector, &err));
    sf_batch_release(batch);
    sf_batch_release(out);
    sf_batch_builder_destroy(b);
  }
  close_phases(&p);
}

/* --- memory */

static sf_batch *forty_rows(void) {
  sf_error err;
  fixture f = {.pool = pool_of(-1), .in = input_type()};
  sf_batch *batch = NULL;
  OK(sf_batch_builder_create(f.pool, f.in, &f.builder, &err));
  for (int64_t i = 0; i < 40; i++) add(&f, i % 5 == 4 ? SF_DELETE : SF_INSERT, i % 3, i, "a string that is not inlined");
  OK(sf_batch_builder_finish(f.builder, &batch, &err));
  sf_batch_builder_destroy(f.builder);
  sf_type_release(f.in);
  sf_pool_release(f.pool);
  return batch;
}

static sf_status both_phases(sf_pool *pool, sf_error *err) {
  sf_type *in = input_type(), *between = retracting_accumulators(), *final_type = retracting_output();
  sf_batch *batch = forty_rows(), *result = NULL, *last = NULL;
  sf_operator *local_op = NULL, *global_op = NULL;
  sf_collector first = {&result, keep_one}, second = {&last, keep_one};
  plan_operator *global = with_bundles(retracting_plan(between, final_type), PHASE(GLOBAL_PHASE), 100);
  global->group_aggregate->call_input_type = plan_of(in);
  plan_operator *local = with_bundles(retracting_plan(in, between), PHASE(LOCAL_PHASE), 100);
  sf_status st = create_operator(pool, local, &local_op, err);
  if (st == SF_OK) st = create_operator(pool, global, &global_op, err);
  if (st == SF_OK) st = sf_operator_open_state(global_op, all_groups, err);
  if (st == SF_OK) st = sf_operator_process(local_op, 0, batch, &first, err);
  if (st == SF_OK) st = sf_operator_before_barrier(local_op, &first, err);
  if (st == SF_OK) st = sf_operator_process(global_op, 0, result, &second, err);
  if (st == SF_OK) st = sf_operator_finish(global_op, &second, err);
  sf_batch_release(batch);
  sf_batch_release(result);
  sf_batch_release(last);
  sf_operator_destroy(local_op);
  sf_operator_destroy(global_op);
  sf_type_release(in);
  sf_type_release(between);
  sf_type_release(final_type);
  plan_reset();
  return st;
}

static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  with_rising_limits(both_phases);
}

/* --- neighbours */

static void row_time_batches_end_at_multiples_of_their_interval(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = input_type();
  plan_operator *o = operator_of(type, type);
  o->op_case = STREAMFUSION__PLAN__OPERATOR__OP_MINI_BATCH_ASSIGNER;
  o->mini_batch_assigner = plan_take(sizeof *o->mini_batch_assigner);
  streamfusion__plan__mini_batch_assigner__init(o->mini_batch_assigner);
  o->mini_batch_assigner->interval_millis = 50;
  o->mini_batch_assigner->row_time = 1;
  fixture f = {.pool = pool, .in = type, .out = sf_type_retain(type)};
  OK(create_operator(pool, o, &f.op, &err));
  OK(sf_batch_builder_create(pool, type, &f.builder, &err));
  const int64_t marks[6] = {10, 48, 49, 90, 120, INT64_MAX};
  for (int i = 0; i < 6; i++) {
    add(&f, SF_INSERT, i, 0, NULL);
    OK(sf_batch_builder_mark(f.builder, marks[i], &err));
  }
  sf_batch *result = run(&f);
  assert_int_equal(6, result->length);
  const sf_mark expected[3] = {{3, 49}, {5, 120}, {6, INT64_MAX}};
  assert_int_equal(3, result->n_marks);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(expected[i].row, result->marks[i].row);
    assert_int_equal(expected[i].watermark, result->marks[i].watermark);
  }
  sf_batch_release(result);
  close_fixture(&f);
}

static void rows_are_expanded_in_order(void **state) {
  (void)state;
  sf_error err;
  sf_type *fields[3] = {BIGINT(), STRING(), BIGINT()};
  sf_type *out = nested(SF_TYPE_ROW, 3, fields);
  fixture f = {.pool = pool_of(-1), .in = input_type(), .out = out};
  plan_operator *o = operator_of(f.in, out);
  o->op_case = STREAMFUSION__PLAN__OPERATOR__OP_EXPAND;
  o->expand = plan_take(sizeof *o->expand);
  streamfusion__plan__expand__init(o->expand);
  o->expand->n_projections = 2;
  o->expand->projections = plan_take(2 * sizeof *o->expand->projections);
  for (int64_t i = 0; i < 2; i++) {
    Streamfusion__Plan__Projection *p = o->expand->projections[i] = plan_take(sizeof *p);
    streamfusion__plan__projection__init(p);
    p->n_exprs = 3;
    p->exprs = plan_take(3 * sizeof *p->exprs);
    p->exprs[0] = i == 0 ? input(0, BIGINT()) : int_literal(-7, BIGINT());
    p->exprs[1] = input(2, STRING());
    p->exprs[2] = int_literal(i, BIGINT());
  }
  OK(create_operator(f.pool, o, &f.op, &err));
  OK(sf_batch_builder_create(f.pool, f.in, &f.builder, &err));
  add(&f, SF_UPDATE_AFTER, 1, 0, "a");
  OK(sf_batch_builder_mark(f.builder, 5, &err));
  add(&f, SF_DELETE, 2, 0, NULL);
  sf_batch *result = run(&f);
  assert_int_equal(1, result->n_marks);
  assert_int_equal(2, result->marks[0].row);
  changes_are(result, "+U 1 a 0; +U -7 a 1; -D 2 - 0; -D -7 - 1");
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(keys_come_in_the_order_of_a_hash_map),
      TEST(bundles_end_with_rows_marks_and_barriers),
      TEST(unknown_retractions_end_a_bundle),
      TEST(two_phases_give_what_one_gives),
      TEST(distinct_values_are_merged_as_values),
      TEST(the_incremental_phase_counts_new_values),
      TEST(damaged_maps_are_refused),
      TEST(memory_may_run_out_anywhere),
      TEST(row_time_batches_end_at_multiples_of_their_interval),
      TEST(rows_are_expanded_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
