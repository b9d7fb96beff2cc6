/* What threads share in production: a pool, batches, and the code of plans. Each thread has its own operator, as each task
 * of a job has. Built by `bin/build-native.sh thread` under the thread sanitizer; the assertions hold without it as well.
 * cmocka's own assertions belong to the main thread, so the others report in words. */
#include <pthread.h>

#include "every_type.h"
#include "plan_support.h"
#include "streamfusion/exchange.h"

#define N_THREADS 4
#define ROUNDS 50
#define HANDOVERS 1000

typedef struct shared {
  sf_pool *pool;
  const sf_type *type;
  sf_batch *batch; /* a reference for each thread */
  const uint8_t *plan;
  size_t plan_size;
} shared;

static sf_status hand_on(void *context, sf_batch *batch, sf_error *err) {
  (void)err;
  sf_batch_release(*(sf_batch **)context);
  *(sf_batch **)context = batch;
  return SF_OK;
}

static sf_status through_a_record(const shared *s, sf_error *err) {
  const sf_record_range all = {0, s->batch->length, true};
  size_t size = 0;
  sf_buffer *record = NULL;
  SF_TRY(sf_record_size(s->batch, all, &size, err));
  SF_TRY(sf_buffer_create(s->pool, size, &record, err));
  sf_status st = sf_record_write(s->batch, all, sf_buffer_data(record), size, err);
  if (st != SF_OK) {
    sf_buffer_release(record);
    return st;
  }
  sf_batch *read = NULL;
  SF_TRY(sf_record_read(s->pool, s->type, record, &read, err));
  if (read->length != s->batch->length) st = sf_fail(err, SF_CORRUPT, "%lld rows came back", (long long)read->length);
  sf_batch_release(read);
  return st;
}

static sf_status one_task(const shared *s, sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sf_operator_create(s->pool, NULL, s->plan, s->plan_size, &op, err));
  sf_batch *result = NULL;
  const sf_collector collector = {&result, hand_on};
  sf_status st = SF_OK;
  for (int round = 0; round < ROUNDS && st == SF_OK; round++) {
    for (int i = 0; i < HANDOVERS; i++) sf_batch_release(sf_batch_retain(s->batch)); /* a lost count frees early or leaks */
    sf_batch *own = sf_batch_retain(s->batch);
    st = sf_operator_process(op, 0, own, &collector, err);
    sf_batch_release(own);
    if (st == SF_OK) st = through_a_record(s, err);
  }
  if (st == SF_OK && (result == NULL || result->length == 0)) st = sf_fail(err, SF_CORRUPT, "no rows came out");
  sf_batch_release(result);
  sf_operator_destroy(op);
  return st;
}

/* Returns NULL, or a message that the caller frees. */
static void *run_task(void *context) {
  shared *s = context;
  sf_error err = {.message = ""};
  const sf_status st = one_task(s, &err);
  sf_batch_release(s->batch);
  return st == SF_OK ? NULL : strdup(err.message);
}

static void tasks_share_batches_and_a_pool(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *batch = NULL;
  OK(build(pool, type, 0, 500, &batch, &err));
  sf_type *out_fields[2] = {scalar(SF_TYPE_VARCHAR, 0, 0, INT32_MAX), scalar(SF_TYPE_BIGINT, 0, 0, 0)};
  sf_type *out = nested(SF_TYPE_ROW, 2, out_fields);
  plan_expr *id = input(4, scalar(SF_TYPE_BIGINT, 0, 0, 0));
  plan_expr *condition = call2("GREATER_THAN", scalar(SF_TYPE_BOOLEAN, 0, 0, 0), id,
                               int_literal(9, scalar(SF_TYPE_BIGINT, 0, 0, 0)));
  plan_expr *projection[2] = {
      call2("CONCAT", scalar(SF_TYPE_VARCHAR, 0, 0, INT32_MAX), input(8, scalar(SF_TYPE_VARCHAR, 0, 0, 100)),
            input(8, scalar(SF_TYPE_VARCHAR, 0, 0, 100))),
      call2("PLUS", scalar(SF_TYPE_BIGINT, 0, 0, 0), id, id)};
  plan_operator *plan = calc_plan(type, out, condition, projection);
  const size_t size = streamfusion__plan__operator__get_packed_size(plan);
  uint8_t *bytes = plan_take(size);
  streamfusion__plan__operator__pack(plan, bytes);
  shared tasks[N_THREADS];
  pthread_t threads[N_THREADS];
  for (int i = 0; i < N_THREADS; i++) {
    tasks[i] = (shared){pool, type, sf_batch_retain(batch), bytes, size};
    assert_int_equal(0, pthread_create(&threads[i], NULL, run_task, &tasks[i]));
  }
  sf_batch_release(batch); /* the last task to end frees it */
  void *messages[N_THREADS];
  for (int i = 0; i < N_THREADS; i++) pthread_join(threads[i], &messages[i]);
  for (int i = 0; i < N_THREADS; i++) {
    if (messages[i] != NULL) fail_msg("task %d: %s", i, (char *)messages[i]);
  }
  sf_type_release(type);
  sf_type_release(out);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
  plan_reset();
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(tasks_share_batches_and_a_pool)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
