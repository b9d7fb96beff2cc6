/* The last row of each key, and when the reducer is full. */
#include "streamfusion/kafka_reducer.h"
#include "support.h"

/* The type of the tests' rows, (INT, STRING). Owned by the caller. */
static sf_type *row_type(void) {
  sf_type *fields[] = {scalar(SF_TYPE_INTEGER, 0, 0, 0), scalar(SF_TYPE_VARCHAR, 0, 0, 100)};
  return nested(SF_TYPE_ROW, 2, fields);
}

typedef struct change {
  uint8_t kind;
  int32_t key; /* negative: NULL */
  const char *text;
} change;

static sf_status append(sf_batch_builder *b, const change *c, sf_error *err) {
  if (c->key < 0) {
    SF_TRY(sf_column_builder_null(sf_batch_builder_column(b, 0), err));
  } else {
    SF_TRY(sf_column_builder_int(sf_batch_builder_column(b, 0), c->key, err));
  }
  SF_TRY(sf_column_builder_bytes(sf_batch_builder_column(b, 1), c->text, strlen(c->text), err));
  return sf_batch_builder_end_row(b, c->kind, err);
}

static sf_status batch_of(sf_pool *pool, const sf_type *type, const change *changes, int n, sf_batch **out, sf_error *err) {
  sf_batch_builder *b;
  SF_TRY(sf_batch_builder_create(pool, type, &b, err));
  sf_status st = SF_OK;
  for (int i = 0; i < n && st == SF_OK; i++) st = append(b, &changes[i], err);
  if (st == SF_OK) st = sf_batch_builder_finish(b, out, err);
  sf_batch_builder_destroy(b);
  return st;
}

static void assert_row(const sf_batch *batch, int64_t row, change expected) {
  uint8_t kind = batch->row_kinds == NULL ? SF_INSERT : batch->row_kinds[row];
  assert_int_equal(kind, expected.kind);
  assert_int_equal(sf_column_is_null(batch->columns[0], row), expected.key < 0);
  if (expected.key >= 0) assert_int_equal(((const int32_t *)batch->columns[0]->values)[row], expected.key);
  sf_view text = ((const sf_view *)batch->columns[1]->values)[row];
  assert_int_equal(text.size, strlen(expected.text));
  assert_memory_equal(text.data, expected.text, text.size);
}

static const int32_t kKey = 0;

static void keeps_the_last_row_of_each_key(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = row_type();
  const change changes[] = {{SF_INSERT, 1, "one"},       {SF_INSERT, 2, "two"}, {SF_UPDATE_AFTER, 1, "a longer one"},
                            {SF_DELETE, 2, "two again"}, {SF_INSERT, -1, ""},   {SF_UPDATE_AFTER, 1, "uno"},
                            {SF_INSERT, 3, "three"},     {SF_INSERT, 1, "not any more"}};
  sf_batch *batch, *taken;
  OK(batch_of(pool, type, changes, 8, &batch, &err));
  sf_kafka_reducer *r;
  OK(sf_kafka_reducer_create(pool, type, &kKey, 1, 4, &r, &err));
  int64_t next;
  OK(sf_kafka_reducer_add(r, batch, 0, &next, &err));
  assert_int_equal(next, 7); /* the fourth key has come */
  assert_true(sf_kafka_reducer_full(r));
  OK(sf_kafka_reducer_add(r, batch, next, &next, &err));
  assert_int_equal(next, 7);
  OK(sf_kafka_reducer_take(r, &taken, &err));
  assert_int_equal(taken->length, 4);
  assert_row(taken, 0, (change){SF_UPDATE_AFTER, 1, "uno"});
  assert_row(taken, 1, (change){SF_DELETE, 2, "two again"});
  assert_row(taken, 2, (change){SF_INSERT, -1, ""});
  assert_row(taken, 3, (change){SF_INSERT, 3, "three"});
  sf_batch_release(taken);
  assert_false(sf_kafka_reducer_full(r));
  OK(sf_kafka_reducer_add(r, batch, 7, &next, &err));
  assert_int_equal(next, 8);
  sf_batch_release(batch);
  OK(sf_kafka_reducer_take(r, &taken, &err));
  assert_int_equal(taken->length, 1);
  assert_row(taken, 0, (change){SF_INSERT, 1, "not any more"});
  sf_batch_release(taken);
  OK(sf_kafka_reducer_take(r, &taken, &err));
  assert_int_equal(taken->length, 0);
  sf_batch_release(taken);
  sf_kafka_reducer_destroy(r);
  sf_type_release(type);
  sf_pool_release(pool);
}

static void refuses_to_hold_nothing(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = row_type();
  sf_kafka_reducer *r;
  FAILS(SF_INVALID, sf_kafka_reducer_create(pool, type, &kKey, 1, 0, &r, &err));
  sf_type_release(type);
  sf_pool_release(pool);
}

enum { KEYS = 1000 };

/* Each key twice, so that the table grows with keys in it. */
static sf_status reduce_many(sf_pool *pool, sf_error *err) {
  static change changes[2 * KEYS];
  for (int i = 0; i < 2 * KEYS; i++) changes[i] = (change){SF_INSERT, i % KEYS, i < KEYS ? "first" : "second"};
  sf_type *type = row_type();
  sf_batch *batch = NULL, *taken = NULL;
  sf_kafka_reducer *r = NULL;
  int64_t next;
  sf_status st = batch_of(pool, type, changes, 2 * KEYS, &batch, err);
  if (st == SF_OK) st = sf_kafka_reducer_create(pool, type, &kKey, 1, 1 << 20, &r, err);
  if (st == SF_OK) st = sf_kafka_reducer_add(r, batch, 0, &next, err);
  if (st == SF_OK) st = sf_kafka_reducer_take(r, &taken, err);
  if (st == SF_OK) {
    assert_int_equal(next, 2 * KEYS);
    assert_int_equal(taken->length, KEYS);
    for (int i = 0; i < KEYS; i++) assert_row(taken, i, (change){SF_INSERT, i, "second"});
  }
  sf_batch_release(taken);
  sf_batch_release(batch);
  sf_kafka_reducer_destroy(r);
  sf_type_release(type);
  return st;
}

static void grows(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  OK(reduce_many(pool, &err));
  assert_int_equal(sf_pool_used(pool), 0);
  sf_pool_release(pool);
}

static sf_status reduce_few(sf_pool *pool, sf_error *err) {
  const change changes[] = {{SF_INSERT, 1, "one"}, {SF_INSERT, 2, "two"}, {SF_INSERT, 1, "something longer"}};
  sf_type *type = row_type();
  sf_batch *batch = NULL, *taken = NULL;
  sf_kafka_reducer *r = NULL;
  int64_t next;
  sf_status st = batch_of(pool, type, changes, 3, &batch, err);
  if (st == SF_OK) st = sf_kafka_reducer_create(pool, type, &kKey, 1, 10, &r, err);
  if (st == SF_OK) st = sf_kafka_reducer_add(r, batch, 0, &next, err);
  if (st == SF_OK) st = sf_kafka_reducer_take(r, &taken, err);
  sf_batch_release(taken);
  sf_batch_release(batch);
  sf_kafka_reducer_destroy(r);
  sf_type_release(type);
  return st;
}

static void fails_without_memory(void **state) {
  (void)state;
  with_rising_limits(reduce_few);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(keeps_the_last_row_of_each_key),
      TEST(refuses_to_hold_nothing),
      TEST(grows),
      TEST(fails_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
