#include <stdlib.h>

#include "every_type.h"
#include "streamfusion/exchange.h"

enum { KEY = 4 }; /* BIGINT, the row's number; NULL in one row of four */
static const int32_t key_fields[1] = {KEY};

static sf_scatter_spec spec_of(const sf_type *type, int32_t channels, int64_t rows, int64_t bytes) {
  return (sf_scatter_spec){type, key_fields, 1, channels, 128, rows, bytes};
}

/* Which channel row number i goes to, by hashing it alone. */
static int32_t channel_of(sf_pool *pool, const sf_type *type, int64_t i, int32_t channels) {
  sf_error err;
  sf_batch *row = NULL;
  sf_key_hasher *hasher = NULL;
  int32_t hash = 0;
  OK(build(pool, type, i, i + 1, &row, &err));
  OK(sf_key_hasher_create(pool, type, key_fields, 1, &hasher, &err));
  OK(sf_key_hasher_hash(hasher, row, 0, 1, &hash, &err));
  sf_key_hasher_destroy(hasher);
  sf_batch_release(row);
  return sf_key_group_owner(sf_key_group(hash, 128), 128, channels);
}

/* Takes the announced record and checks that it continues the channel's rows; `seen`: number of the channel's last row. */
static void expect_record(sf_scatter *s, const sf_scatter_record *r, const sf_type *type, sf_pool *pool,
                          const int32_t *channels, int64_t *seen) {
  sf_error err;
  sf_buffer *record = NULL;
  sf_batch *batch = NULL;
  OK(sf_buffer_create(pool, r->size, &record, &err));
  OK(sf_scatter_take(s, r, sf_buffer_data(record), &err));
  OK(sf_record_read(pool, type, record, &batch, &err));
  assert_int_equal(r->rows, batch->length);
  assert_int_equal(0, batch->n_marks);
  for (int64_t row = 0; row < batch->length; row++) {
    int64_t i = seen[r->channel] + 1;
    while (channels[i] != r->channel) i++;
    expect_row(batch, row, i);
    seen[r->channel] = i;
  }
  sf_batch_release(batch);
}

static int64_t take_all(sf_scatter *s, bool all, const sf_type *type, sf_pool *pool, const int32_t *channels,
                        int64_t *seen, int64_t max_rows) {
  sf_error err;
  int64_t rows = 0;
  for (;;) {
    sf_scatter_record r;
    OK(sf_scatter_next(s, all, &r, &err));
    if (r.rows == 0) return rows;
    assert_true(r.rows <= max_rows);
    rows += r.rows;
    expect_record(s, &r, type, pool, channels, seen);
  }
}

static void scatter_rows(int32_t n_channels, int64_t record_rows, int64_t record_bytes, int64_t step) {
  enum { ROWS = 900 };
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  static int32_t channels[ROWS];
  for (int64_t i = 0; i < ROWS; i++) channels[i] = channel_of(pool, type, i, n_channels);
  int64_t seen[8];
  for (int c = 0; c < 8; c++) seen[c] = -1;
  sf_scatter *s = NULL;
  sf_scatter_spec spec = spec_of(type, n_channels, record_rows, record_bytes);
  OK(sf_scatter_create(pool, &spec, &s, &err));
  int64_t taken = 0, early = 0;
  for (int64_t from = 0; from < ROWS; from += step) {
    sf_batch *batch = NULL;
    OK(build(pool, type, from, from + step < ROWS ? from + step : ROWS, &batch, &err));
    int64_t middle = batch->length / 3;
    OK(sf_scatter_add(s, batch, 0, middle, &err));
    OK(sf_scatter_add(s, batch, middle, batch->length - middle, &err));
    sf_batch_release(batch);
    early += take_all(s, false, type, pool, channels, seen, record_rows);
    assert_true(sf_scatter_waiting(s) < n_channels * record_rows);
  }
  taken = early + take_all(s, true, type, pool, channels, seen, record_rows);
  assert_int_equal(ROWS, taken);
  assert_int_equal(0, sf_scatter_waiting(s));
  if (record_rows < 50) assert_true(early > 0);
  sf_scatter_destroy(s);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void rows_reach_their_channel_in_order(void **state) {
  (void)state;
  for (int32_t channels = 1; channels <= 8; channels++) {
    scatter_rows(channels, 16, 1 << 20, 70);
    scatter_rows(channels, 4096, 1 << 20, 450);
    scatter_rows(channels, 4096, 2000, 450);
    scatter_rows(channels, 4096, 1, 7);
    scatter_rows(channels, 1, 1 << 20, 13);
  }
}

static void rows_of_another_subtask_are_left_out(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_batch *batch = NULL;
  OK(build(pool, type, 0, 200, &batch, &err));
  sf_scatter_spec spec = spec_of(type, 3, 1, 1);
  int64_t kept = 0;
  for (int32_t subtask = 0; subtask < 4; subtask++) { /* there is no fourth */
    sf_batch *some = NULL;
    OK(sf_scatter_select(pool, &spec, batch, subtask, &some, &err));
    int64_t i = -1;
    for (int64_t row = 0; row < some->length; row++) {
      do i++;
      while (channel_of(pool, type, i, 3) != subtask);
      expect_row(some, row, i);
    }
    if (subtask == 3) assert_int_equal(0, some->length);
    kept += some->length;
    sf_batch_release(some);
  }
  assert_int_equal(200, kept);
  sf_batch_release(batch);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void impossible_exchanges_are_refused(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_type *type = every_type();
  sf_scatter *s = NULL;
  sf_scatter_spec wrong[5];
  for (int i = 0; i < 5; i++) wrong[i] = spec_of(type, 2, 10, 10);
  wrong[0].channels = 0;
  wrong[1].channels = 129;
  wrong[2].max_parallelism = 40000;
  wrong[3].record_rows = 0;
  wrong[4].keys = (const int32_t[1]){12};
  for (int i = 0; i < 5; i++) {
    FAILS(SF_INVALID, sf_scatter_create(pool, &wrong[i], &s, &err));
    assert_null(s);
  }
  sf_scatter_spec spec = spec_of(type, 2, 10, 10);
  sf_batch *batch = NULL;
  OK(sf_scatter_create(pool, &spec, &s, &err));
  OK(build(pool, type, 0, 3, &batch, &err));
  FAILS(SF_INVALID, sf_scatter_add(s, batch, 1, 3, &err));
  FAILS(SF_INVALID, sf_scatter_take(s, &(sf_scatter_record){0, 1, 100}, NULL, &err));
  sf_batch_release(batch);
  sf_scatter_destroy(s);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static const sf_type *limited_type;

static sf_status send_all(sf_scatter *s, sf_pool *pool, sf_error *err) {
  for (;;) {
    sf_scatter_record r;
    SF_TRY(sf_scatter_next(s, true, &r, err));
    if (r.rows == 0) return SF_OK;
    sf_buffer *record = NULL;
    SF_TRY(sf_buffer_create(pool, r.size, &record, err));
    sf_status st = sf_scatter_take(s, &r, sf_buffer_data(record), err);
    sf_buffer_release(record);
    SF_TRY(st);
  }
}

static sf_status scatter_limited(sf_pool *pool, sf_error *err) {
  sf_batch *batch = NULL, *some = NULL;
  sf_scatter *s = NULL;
  sf_scatter_spec spec = spec_of(limited_type, 5, 20, 1 << 20);
  sf_status st = build(pool, limited_type, 0, 60, &batch, err);
  if (st == SF_OK) st = sf_scatter_create(pool, &spec, &s, err);
  for (int i = 0; i < 3 && st == SF_OK; i++) st = sf_scatter_add(s, batch, 0, 60, err);
  if (st == SF_OK) st = sf_scatter_select(pool, &spec, batch, 1, &some, err);
  sf_batch_release(some);
  if (st == SF_OK) st = send_all(s, pool, err);
  sf_batch_release(batch);
  sf_scatter_destroy(s);
  return st;
}

static void lack_of_memory_leaks_nothing(void **state) {
  (void)state;
  limited_type = every_type();
  with_rising_limits(scatter_limited);
  sf_type_release(limited_type);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(rows_reach_their_channel_in_order),
      TEST(rows_of_another_subtask_are_left_out),
      TEST(impossible_exchanges_are_refused),
      TEST(lack_of_memory_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
