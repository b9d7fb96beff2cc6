/* Aggregates over keyed state: changes in order, and state that goes through snapshots in Flink's bytes. */
#include "aggregate_support.h"
#include "state/state_internal.h"

static void changes_come_out_row_by_row(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, retracting_output(), retracting_plan);
  add(&f, SF_DELETE, 1, 5, "b"); /* of an unknown key: dropped */
  add(&f, SF_INSERT, 1, 5, "b");
  add(&f, SF_INSERT, 2, 7, NULL);
  add(&f, SF_INSERT, 1, 6, "c");
  changes_are(run(&f), "+I 1 1 5 b; +I 2 1 7 -; -U 1 1 5 b; +U 1 2 11 c");
  add(&f, SF_UPDATE_BEFORE, 1, 6, "c");
  add(&f, SF_UPDATE_AFTER, 1, 0, "a long string that is not inlined");
  add(&f, SF_DELETE, 2, 7, NULL);
  changes_are(run(&f),
              "-U 1 2 11 c; +U 1 1 5 b; -U 1 1 5 b; +U 1 2 5 b; -D 2 1 7 -");
  assert_int_equal(1, sf_state_keys(sf_operator_state(f.op)));
  assert_int_equal(2, sf_state_map_entries(sf_operator_state(f.op)));
  add(&f, SF_DELETE, 1, 5, "b");
  add(&f, SF_DELETE, 1, 0, "a long string that is not inlined");
  changes_are(run(&f), "-U 1 2 5 b; +U 1 1 0 a long string that is not inlined; -D 1 1 0 a long string that is not inlined");
  assert_int_equal(0, sf_state_keys(sf_operator_state(f.op)));
  assert_int_equal(0, sf_state_map_entries(sf_operator_state(f.op)));
  close_fixture(&f);
}

/* SUM(v), COUNT(v) FILTER (f), MIN(s) without keys. */
static plan_operator *global_plan(const sf_type *in, const sf_type *out) {
  plan_operator *o = operator_of(in, out);
  plan_call **calls = plan_take(3 * sizeof *calls);
  calls[0] = call_of(KIND(SUM), 1, BIGINT(), false);
  calls[1] = call_of(KIND(COUNT), 1, BIGINT(), false);
  calls[1]->filter = 1 + 3;
  calls[2] = call_of(KIND(MIN), 2, STRING(), false);
  add_aggregate(o, false, 3, calls)->generate_update_before = 0;
  return o;
}

static void equal_values_are_not_emitted_again(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  sf_type *fields[3] = {BIGINT(), BIGINT(), STRING()};
  open_fixture(&f, nested(SF_TYPE_ROW, 3, fields), global_plan);
  OK(sf_batch_builder_mark(f.builder, 100, &err));
  add(&f, SF_INSERT, 1, 20, "b");
  OK(sf_batch_builder_mark(f.builder, 200, &err));
  add(&f, SF_INSERT, 2, 0, "c"); /* nothing changes */
  add(&f, SF_INSERT, 3, 1, "a");
  OK(sf_batch_builder_mark(f.builder, 300, &err));
  sf_batch *result = run(&f);
  assert_int_equal(3, result->n_marks);
  const int64_t rows[3] = {0, 1, 2};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(rows[i], result->marks[i].row);
    assert_int_equal(100 * (i + 1), result->marks[i].watermark);
  }
  changes_are(result, "+I 20 1 b; +U 21 1 a");
  close_fixture(&f);
}

static void distinct_values_count_once(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, distinct_output(), distinct_append);
  add(&f, SF_INSERT, 1, 5, "x");
  add(&f, SF_INSERT, 1, 5, "x");
  add(&f, SF_INSERT, 1, 20, "x"); /* seen, but not by the filtered call */
  add(&f, SF_INSERT, 1, 20, NULL);
  add(&f, SF_INSERT, 2, 5, "x");
  changes_are(run(&f), "+I 1 1 0 5; -U 1 1 0 5; +U 1 1 1 25; +I 2 1 0 5");
  close_fixture(&f);
}

static void distinct_values_are_retracted(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, distinct_output(), distinct_retract);
  add(&f, SF_INSERT, 1, 15, "x");
  add(&f, SF_INSERT, 1, 5, "x");
  add(&f, SF_DELETE, 1, 15, "x");
  changes_are(run(&f), "+I 1 1 1 15; -U 1 1 1 15; +U 1 1 1 20; -U 1 1 1 20; +U 1 1 0 5");
  assert_int_equal(2, sf_state_map_entries(sf_operator_state(f.op)));
  add(&f, SF_DELETE, 1, 5, "x");
  changes_are(run(&f), "-D 1 1 0 5");
  assert_int_equal(0, sf_state_map_entries(sf_operator_state(f.op)));
  close_fixture(&f);
}

static void nothing_is_left(fixture *f) {
  assert_int_equal(0, sf_state_keys(sf_operator_state(f->op)));
  assert_int_equal(0, sf_state_map_entries(sf_operator_state(f->op)));
  close_fixture(f);
}

static void first_last_and_lists_are_retracted(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, ordered_output(), ordered_with_comma);
  add(&f, SF_INSERT, 1, 5, "a");
  add(&f, SF_INSERT, 1, 6, "long text, long");
  add(&f, SF_INSERT, 1, 6, NULL);
  changes_are(run(&f),
              "+I 1 1 a 5 a; -U 1 1 a 5 a; +U 1 2 a 6 a,long text, long; -U 1 2 a 6 a,long text, long; "
              "+U 1 3 a 6 a,long text, long");
  add(&f, SF_DELETE, 1, 5, "a");
  add(&f, SF_DELETE, 1, 6, "not there"); /* is owed */
  add(&f, SF_INSERT, 1, 7, "");
  changes_are(run(&f),
              "-U 1 3 a 6 a,long text, long; +U 1 2 long text, long 6 long text, long; "
              "-U 1 2 long text, long 6 long text, long; +U 1 1 long text, long 6 long text, long; "
              "-U 1 1 long text, long 6 long text, long; +U 1 2 long text, long 7 long text, long,");
  add(&f, SF_DELETE, 1, 6, "long text, long");
  add(&f, SF_DELETE, 1, 7, "");
  changes_are(run(&f), "-U 1 2 long text, long 7 long text, long,; +U 1 1  7 ; -D 1 1  7 ");
  nothing_is_left(&f);
}

static void json_arrays_are_retracted(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, json_output(), json_array_plan);
  add(&f, SF_INSERT, 1, 0, "1");
  add(&f, SF_INSERT, 1, 0, "22");
  add(&f, SF_INSERT, 1, 0, NULL);
  changes_are(run(&f), "+I 1 1 [1]; -U 1 1 [1]; +U 1 2 [1,22]; -U 1 2 [1,22]; +U 1 3 [1,22,null]");
  add(&f, SF_DELETE, 1, 0, "1");
  add(&f, SF_DELETE, 1, 0, "not there");
  add(&f, SF_DELETE, 1, 0, NULL);
  changes_are(run(&f), "-U 1 3 [1,22,null]; +U 1 2 [22,null]; -U 1 2 [22,null]; +U 1 1 [22,null]; -D 1 1 [22,null]");
  nothing_is_left(&f);
}

/* Names in the order of Java's strings, in which what needs two UTF-16 units comes before U+E000; with escapes. */
static void json_objects_are_retracted(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, json_output(), json_object_plan);
  add(&f, SF_INSERT, 1, 0, "b");
  add(&f, SF_INSERT, 1, 0, "\xee\x80\x80");
  add(&f, SF_INSERT, 1, 0, "\xf0\x9f\x98\x80");
  sf_batch_release(run(&f));
  add(&f, SF_INSERT, 1, 0, "\"\t\x1f");
  changes_are(run(&f),
              "-U 1 3 {\"b\":b,\"\xf0\x9f\x98\x80\":\xf0\x9f\x98\x80,\"\xee\x80\x80\":\xee\x80\x80}; "
              "+U 1 4 {\"\\\"\\t\\u001F\":\"\t\x1f,\"b\":b,\"\xf0\x9f\x98\x80\":\xf0\x9f\x98\x80,\"\xee\x80\x80\":\xee\x80\x80}");
  add(&f, SF_DELETE, 1, 0, "\xee\x80\x80");
  add(&f, SF_DELETE, 1, 0, "\xf0\x9f\x98\x80");
  add(&f, SF_DELETE, 1, 0, "\"\t\x1f");
  sf_batch_release(run(&f));
  add(&f, SF_DELETE, 1, 0, "b");
  changes_are(run(&f), "-D 1 1 {\"b\":b}");
  nothing_is_left(&f);
}

/* --- snapshots */

static void restore_all(fixture *f, const entries *e) {
  sf_error err;
  for (int32_t i = 0; i < 8; i++) {
    if (e->size[i] > 0) OK(sf_state_restore(sf_operator_state(f->op), i, e->bytes[i], e->size[i], &err));
  }
}

static entries taken, again;

static void snapshots_have_flinks_bytes(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  open_fixture(&f, retracting_output(), retracting_plan);
  add(&f, SF_INSERT, 2, 4, "Hello");
  sf_batch_release(run(&f));
  sf_snapshot *s = NULL;
  OK(sf_state_snapshot(sf_operator_state(f.op), &s, &err));
  read_all(s, &taken);
  sf_snapshot_release(s);
  /* key group 93 of 128, BIGINT 2, VoidNamespace; (1, 4, 1, ('Hello', 1, RAW 00)) */
  static const uint8_t expected[] = {
      0, 0, 0, 22, 0x5d, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 84, 0, 0, 0, 80, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
      0, 0, 40, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'H', 'e', 'l', 'l', 'o', 0, 0, 0x85, 1, 0, 0, 0, 0, 0, 0, 0,
      1, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  assert_int_equal(sizeof expected, taken.size[0]);
  assert_memory_equal(expected, taken.bytes[0], sizeof expected);
  /* agg2$map: 'Hello' -> 1 */
  static const uint8_t map[] = {0, 0, 0, 31, 0x5d, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                0, 0, 5, 'H', 'e', 'l', 'l', 'o', 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  assert_int_equal(sizeof map, taken.size[1]);
  assert_memory_equal(map, taken.bytes[1], sizeof map);
  close_fixture(&f);
}

static void lists_go_through_snapshots(void **state) {
  (void)state;
  fixture f, restored;
  sf_error err;
  sf_snapshot *s = NULL;
  static char expected[1 << 16], actual[1 << 16];
  open_fixture(&f, ordered_output(), ordered_with_delimiter);
  for (int64_t i = 0; i < 100; i++) add(&f, SF_INSERT, i % 7, i, i % 3 == 0 ? "x" : "long text, long");
  sf_batch_release(run(&f));
  OK(sf_state_snapshot(sf_operator_state(f.op), &s, &err));
  read_all(s, &taken);
  sf_snapshot_release(s);
  open_fixture(&restored, ordered_output(), ordered_with_delimiter);
  restore_all(&restored, &taken);
  for (int64_t i = 0; i < 100; i++) {
    const char *text = i % 3 == 0 ? "x" : "long text, long";
    add(&f, SF_DELETE, i % 7, i, text);
    add(&restored, SF_DELETE, i % 7, i, text);
    if (i % 10 != 9) continue;
    print_changes(run(&f), expected);
    print_changes(run(&restored), actual);
    assert_string_equal(expected, actual);
  }
  assert_int_equal(0, sf_state_map_entries(sf_operator_state(restored.op)));
  close_fixture(&restored);
  close_fixture(&f);
}

/* What the operator does later does not show in a snapshot, and the snapshot outlives it. */
static void snapshots_stay_as_they_were(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  sf_snapshot *first = NULL, *second = NULL, *third = NULL;
  open_fixture(&f, retracting_output(), retracting_plan);
  for (int64_t i = 0; i < 300; i++) add(&f, SF_INSERT, i % 150, i, i % 2 == 0 ? "even, and long" : "odd");
  sf_batch_release(run(&f));
  OK(sf_state_snapshot(sf_operator_state(f.op), &first, &err));
  OK(sf_state_snapshot(sf_operator_state(f.op), &second, &err));
  read_all(second, &taken);
  sf_snapshot_release(second);
  for (int64_t i = 0; i < 300; i++) {
    if (i % 3 == 0) add(&f, SF_DELETE, i % 150, i, i % 2 == 0 ? "even, and long" : "odd");
  }
  for (int64_t i = 150; i < 250; i++) add(&f, SF_INSERT, i, i, "new");
  sf_batch_release(run(&f));
  OK(sf_state_snapshot(sf_operator_state(f.op), &third, &err));
  for (int64_t i = 150; i < 250; i++) add(&f, SF_DELETE, i, i, "new");
  sf_batch_release(run(&f));
  sf_pool *pool = sf_pool_retain(f.pool);
  sf_batch_builder_destroy(f.builder);
  sf_operator_destroy(f.op);
  sf_type_release(f.in);
  sf_type_release(f.out);
  sf_pool_release(f.pool);
  plan_reset();
  read_all(first, &again);
  assert_int_equal(taken.n, again.n);
  assert_memory_equal(&taken, &again, sizeof taken);
  sf_snapshot_release(first);
  read_all(third, &again);
  assert_int_not_equal(taken.n, again.n);
  sf_snapshot_release(third);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void restored_state_goes_on(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  sf_snapshot *s = NULL;
  open_fixture(&f, distinct_output(), distinct_retract);
  add(&f, SF_INSERT, 1, 15, "x");
  add(&f, SF_INSERT, 1, 5, NULL);
  add(&f, SF_INSERT, 1, 5, "a string of some length");
  add(&f, SF_INSERT, 7, -1, "x");
  sf_batch_release(run(&f));
  OK(sf_state_snapshot(sf_operator_state(f.op), &s, &err));
  read_all(s, &taken);
  sf_snapshot_release(s);
  assert_true(taken.size[2] > 0); /* distinctAcc_0_null_state */
  close_fixture(&f);

  open_fixture(&f, distinct_output(), distinct_retract);
  restore_all(&f, &taken);
  FAILS(SF_CORRUPT, sf_state_restore(sf_operator_state(f.op), 0, taken.bytes[0], taken.size[0], &err));
  FAILS(SF_CORRUPT, sf_state_restore(sf_operator_state(f.op), 1, taken.bytes[1], taken.size[1] - 1, &err));
  FAILS(SF_INVALID, sf_state_restore(sf_operator_state(f.op), 7, taken.bytes[0], taken.size[0], &err));
  OK(sf_state_snapshot(sf_operator_state(f.op), &s, &err));
  read_all(s, &again);
  sf_snapshot_release(s);
  assert_int_equal(taken.n, again.n);
  add(&f, SF_DELETE, 1, 5, NULL);
  add(&f, SF_DELETE, 1, 15, "x");
  add(&f, SF_DELETE, 1, 5, "a string of some length");
  add(&f, SF_DELETE, 7, -1, "x");
  changes_are(run(&f), "-U 1 2 1 20; +U 1 1 0 5; -D 1 1 0 5; -D 7 1 0 -1");
  assert_int_equal(0, sf_state_map_entries(sf_operator_state(f.op)));
  close_fixture(&f);
}

/* Sets the times of all entries of a state, which stand `skip` bytes into their values. */
static void age(entries *e, int state, size_t skip) {
  for (uint8_t *p = e->bytes[state], *end = p + e->size[state]; p < end;) {
    p += 4 + get32(p);
    memset(p + 4 + skip, 0, 7);
    p[4 + skip + 7] = 1;
    p += 4 + get32(p);
  }
}

static void values_expire(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  sf_snapshot *s = NULL;
  open_fixture(&f, retracting_output(), ttl_plan);
  add(&f, SF_INSERT, 1, 5, "a string of some length");
  add(&f, SF_INSERT, 2, 7, "x");
  sf_batch_release(run(&f));
  add(&f, SF_INSERT, 1, 5, NULL);
  add(&f, SF_DELETE, 1, 5, NULL); /* the same values again are emitted */
  changes_are(run(&f), "-U 1 1 5 a string of some length; +U 1 2 10 a string of some length; "
                       "-U 1 2 10 a string of some length; +U 1 1 5 a string of some length");
  OK(sf_state_snapshot(sf_operator_state(f.op), &s, &err));
  read_all(s, &taken);
  sf_snapshot_release(s);
  close_fixture(&f);

  open_fixture(&f, retracting_output(), ttl_plan);
  restore_all(&f, &taken); /* not expired */
  add(&f, SF_DELETE, 2, 7, "x");
  changes_are(run(&f), "-D 2 1 7 x");
  close_fixture(&f);

  age(&taken, 0, 0); /* the values have expired, the maps behind MAX have not */
  open_fixture(&f, retracting_output(), ttl_plan);
  restore_all(&f, &taken);
  assert_int_equal(2, sf_state_keys(sf_operator_state(f.op)));
  add(&f, SF_DELETE, 1, 5, "a string of some length");
  add(&f, SF_INSERT, 2, 1, "w");
  add(&f, SF_INSERT, 2, 1, "w");
  changes_are(run(&f), "+I 2 1 1 w; -U 2 1 1 w; +U 2 2 2 w");
  assert_int_equal(3, sf_state_map_entries(sf_operator_state(f.op)));
  close_fixture(&f);

  age(&taken, 1, 1); /* all have */
  open_fixture(&f, retracting_output(), ttl_plan);
  restore_all(&f, &taken);
  for (int i = 0; i < 300; i++) add(&f, SF_INSERT, 9, i, "y"); /* long enough for all to be found */
  sf_batch_release(run(&f));
  assert_int_equal(1, sf_state_keys(sf_operator_state(f.op)));
  assert_int_equal(1, sf_state_map_entries(sf_operator_state(f.op)));
  close_fixture(&f);
}

static void other_key_groups_are_refused(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  open_fixture(&f, retracting_output(), retracting_plan);
  FAILS(SF_INVALID, sf_operator_open_state(f.op, all_groups, &err));
  sf_operator_destroy(f.op);
  OK(create_operator(f.pool, retracting_plan(f.in, f.out), &f.op, &err));
  OK(sf_operator_open_state(f.op, (sf_key_groups){94, 1, 128}, &err));
  add(&f, SF_INSERT, 1, 1, "a"); /* key group 94 */
  changes_are(run(&f), "+I 1 1 1 a");
  add(&f, SF_INSERT, 2, 1, "a");
  sf_batch *batch = NULL;
  OK(sf_batch_builder_finish(f.builder, &batch, &err));
  FAILS(SF_INVALID, sf_operator_process(f.op, 0, batch, NULL, &err));
  sf_batch_release(batch);
  close_fixture(&f);
}

/* Everything that can run out of memory: filling, snapshot, restoring. */
static sf_status attempt(sf_pool *pool, sf_error *err) {
  sf_type *in = input_type(), *out = retracting_output();
  sf_operator *op = NULL;
  sf_batch_builder *b = NULL;
  sf_batch *batch = NULL, *result = NULL;
  sf_snapshot *s = NULL;
  const uint8_t *bytes = NULL;
  size_t size = 0;
  sf_collector collector = {&result, keep_one};
  sf_status st = SF_OK;
  fixture f = {.pool = pool, .in = in, .out = out};
  sf_pool *free_pool = pool_of(-1);
  sf_error other;
  assert_int_equal(SF_OK, sf_batch_builder_create(free_pool, in, &b, &other));
  f.builder = b;
  for (int64_t i = 0; i < 60; i++) add(&f, i % 5 == 4 ? SF_DELETE : SF_INSERT, i % 40, i, "some string of length");
  assert_int_equal(SF_OK, sf_batch_builder_finish(b, &batch, &other));
  SF_GOTO(create_operator(pool, retracting_plan(in, out), &op, err));
  SF_GOTO(sf_operator_open_state(op, (sf_key_groups){0, 128, 128}, err));
  SF_GOTO(sf_operator_process(op, 0, batch, &collector, err));
  sf_batch_release(result);
  result = NULL;
  SF_GOTO(sf_state_snapshot(sf_operator_state(op), &s, err));
  SF_GOTO(sf_operator_process(op, 0, batch, &collector, err));
  SF_GOTO(sf_snapshot_read(s, &bytes, &size, err));
cleanup:
  sf_snapshot_release(s);
  sf_batch_release(result);
  sf_operator_destroy(op);
  sf_batch_release(batch);
  sf_batch_builder_destroy(b);
  sf_pool_release(free_pool);
  sf_type_release(in);
  sf_type_release(out);
  plan_reset();
  return st;
}

static void limits_are_errors(void **state) {
  (void)state;
  with_rising_limits(attempt);
}

/* Flink writes numbers with the last byte last; tables take the lower bits of a hash. */
static void numbers_are_scattered(void **state) {
  (void)state;
  static uint8_t met[4096];
  int distinct = 0;
  memset(met, 0, sizeof met);
  for (uint32_t i = 0; i < 4096; i++) {
    uint8_t key[8] = {0, 0, 0, 0, (uint8_t)(i >> 24), (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
    uint32_t place = sfi_map_hash(7, key, sizeof key) % 4096;
    distinct += !met[place];
    met[place] = 1;
  }
  assert_true(distinct > 2400); /* of random places: 2589 */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(numbers_are_scattered),
      TEST(changes_come_out_row_by_row), TEST(equal_values_are_not_emitted_again), TEST(distinct_values_count_once),
      TEST(distinct_values_are_retracted), TEST(first_last_and_lists_are_retracted), TEST(json_arrays_are_retracted),
      TEST(json_objects_are_retracted), TEST(lists_go_through_snapshots), TEST(snapshots_have_flinks_bytes), TEST(snapshots_stay_as_they_were),
      TEST(restored_state_goes_on), TEST(values_expire), TEST(other_key_groups_are_refused), TEST(limits_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
