#include <pthread.h>

#include "memory/pool_internal.h"
#include "support.h"

static void allocations_are_counted_aligned_and_slack_is_readable(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  void *p = NULL;
  OK(sf_pool_alloc(pool, 10, &p, &err));
  assert_int_equal(0, (uintptr_t)p % 64);
  assert_true(sf_pool_used(pool) >= 10);
  assert_int_equal(0, ((uint8_t *)p)[10 + 63]);
  memset(p, 7, 10);
  OK(sf_pool_realloc(pool, p, 5000, &p, &err));
  assert_int_equal(7, ((uint8_t *)p)[9]);
  sf_pool_free(pool, p);
  OK(sf_pool_alloc(pool, 0, &p, &err));
  assert_non_null(p);
  sf_pool_free(pool, p);
  assert_int_equal(0, sf_pool_used(pool));
  assert_true(sf_pool_peak(pool) >= 5000);
  sf_pool_free(pool, NULL);
  sf_pool_release(pool);
}

static void a_limit_refuses_and_names_the_pool(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(1000);
  void *p = NULL, *q = NULL;
  OK(sf_pool_alloc(pool, 500, &p, &err));
  FAILS(SF_LIMIT, sf_pool_alloc(pool, 500, &q, &err));
  assert_null(q);
  assert_non_null(strstr(err.message, "test"));
  assert_non_null(strstr(err.message, "1000"));
  FAILS(SF_LIMIT, sf_pool_realloc(pool, p, 900, &q, &err));
  ((uint8_t *)p)[499] = 1; /* still ours */
  sf_pool_free(pool, p);
  FAILS(SF_NOMEM, sf_pool_alloc(pool, SIZE_MAX - 10, &p, &err));
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static int64_t host_reserved;
static int64_t host_limit;
static sf_status host_grow(void *context, int64_t bytes, sf_error *err) {
  assert_ptr_equal(context, &host_reserved);
  if (host_reserved + bytes > host_limit) return sf_fail(err, SF_LIMIT, "host refuses %lld", (long long)bytes);
  host_reserved += bytes;
  return SF_OK;
}
static void host_shrink(void *context, int64_t bytes) {
  assert_ptr_equal(context, &host_reserved);
  host_reserved -= bytes;
}

static int host_releases;
static void host_release(void *context) {
  assert_ptr_equal(context, &host_reserved);
  host_releases++;
}

static void the_host_is_asked_and_gets_everything_back(void **state) {
  (void)state;
  sf_error err;
  sf_reservation reservation = {&host_reserved, host_grow, host_shrink, host_release};
  sf_pool *pool = NULL;
  host_reserved = 0;
  host_limit = (int64_t)10 << 20;
  OK(sf_pool_create("reserving", -1, &reservation, &pool, &err));
  void *p = NULL, *q = NULL;
  OK(sf_pool_alloc(pool, (size_t)8 << 20, &p, &err));
  assert_true(host_reserved >= sf_pool_used(pool));
  FAILS(SF_LIMIT, sf_pool_alloc(pool, (size_t)3 << 20, &q, &err));
  assert_non_null(strstr(err.message, "host refuses"));
  /* less than a step is left: the exact amount is asked for */
  OK(sf_pool_alloc(pool, (size_t)(host_limit - host_reserved - 4096), &q, &err));
  assert_true(host_reserved >= sf_pool_used(pool));
  sf_pool_free(pool, p);
  assert_true(host_reserved < (int64_t)8 << 20);
  sf_pool_free(pool, q);
  host_releases = 0;
  sf_pool_release(pool);
  assert_int_equal(0, host_reserved);
  assert_int_equal(1, host_releases);
}

static void freed_blocks_are_kept_within_bounds_and_used_again(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(3 << 20);
  sfi_pool_set_cache_limit(pool, 1 << 20);
  const size_t sizes[] = {0, 1, 64, 800, 896, 897, 1500, 5000, 100000, 131072, 900000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    void *p = NULL, *q = NULL, *r = NULL;
    OK(sf_pool_alloc(pool, sizes[i], &p, &err));
    int64_t used = sf_pool_used(pool);
    assert_true(used >= (int64_t)sizes[i] + 128 && used <= ((int64_t)sizes[i] + 128) * 5 / 4 + 64);
    memset(p, 1, sizes[i]);
    sf_pool_free(pool, p);
    assert_int_equal(0, sf_pool_used(pool));
    assert_int_equal(used, sfi_pool_cached(pool));
    OK(sf_pool_alloc(pool, sizes[i], &q, &err));
    assert_ptr_equal(p, q);
    for (int k = 0; k < 64; k++) assert_int_equal(0, ((uint8_t *)q)[sizes[i] + (size_t)k]);
    assert_int_equal(0, sfi_pool_cached(pool));
    OK(sf_pool_alloc(pool, sizes[i], &r, &err));
    assert_ptr_not_equal(q, r);
    sf_pool_free(pool, q);
    sf_pool_free(pool, r);
    assert_true(sfi_pool_cached(pool) <= 1 << 20);
    sfi_pool_set_cache_limit(pool, 0); /* drops */
    assert_int_equal(0, sfi_pool_cached(pool));
    sfi_pool_set_cache_limit(pool, 1 << 20);
  }
  /* kept memory never stands in the way of the limit */
  void *p = NULL, *q = NULL;
  OK(sf_pool_alloc(pool, 900000, &p, &err));
  sf_pool_free(pool, p);
  OK(sf_pool_alloc(pool, 5 << 19, &q, &err));
  assert_int_equal(0, sfi_pool_cached(pool));
  sf_pool_free(pool, q);
  sf_pool_release(pool);
}

static void kept_memory_is_reserved_and_given_up_when_the_host_refuses(void **state) {
  (void)state;
  sf_error err;
  sf_reservation reservation = {&host_reserved, host_grow, host_shrink, host_release};
  sf_pool *pool = NULL;
  host_reserved = 0;
  host_limit = (int64_t)2 << 20;
  OK(sf_pool_create("reserving", -1, &reservation, &pool, &err));
  sfi_pool_set_cache_limit(pool, (int64_t)8 << 20);
  void *p = NULL;
  OK(sf_pool_alloc(pool, 1000000, &p, &err));
  sf_pool_free(pool, p);
  assert_true(sfi_pool_cached(pool) > 0);
  assert_true(host_reserved >= sfi_pool_cached(pool));
  OK(sf_pool_alloc(pool, 1700000, &p, &err));
  assert_int_equal(0, sfi_pool_cached(pool));
  assert_true(host_reserved >= sf_pool_used(pool));
  sf_pool_free(pool, p);
  host_releases = 0;
  sf_pool_release(pool);
  assert_int_equal(0, host_reserved);
  assert_int_equal(1, host_releases);
}

static void count_release(void *context) { (*(int *)context)++; }

static void buffers_are_counted_and_outlive_the_pools_owner(void **state) {
  (void)state;
  sf_error err;
  sf_pool *pool = pool_of(-1);
  sf_buffer *buffer = NULL;
  OK(sf_buffer_create(pool, 100, &buffer, &err));
  sf_pool_release(pool);
  memset(sf_buffer_data(buffer), 1, 100);
  OK(sf_buffer_resize(&buffer, 10000, &err));
  assert_int_equal(10000, sf_buffer_size(buffer));
  assert_int_equal(1, sf_buffer_data(buffer)[99]);
  sf_buffer_retain(buffer);
  FAILS(SF_INTERNAL, sf_buffer_resize(&buffer, 1, &err));
  sf_buffer_release(buffer);
  sf_buffer_release(buffer);

  int released = 0;
  char bytes[3] = "ab";
  OK(sf_buffer_wrap(bytes, 3, count_release, &released, &buffer, &err));
  assert_ptr_equal(bytes, sf_buffer_data(buffer));
  FAILS(SF_INTERNAL, sf_buffer_resize(&buffer, 1, &err));
  sf_buffer_retain(buffer);
  sf_buffer_release(buffer);
  assert_int_equal(0, released);
  sf_buffer_release(buffer);
  assert_int_equal(1, released);
  sf_buffer_release(NULL);
  sf_pool_release(NULL);
}

static void *churn(void *pool) {
  sf_error err;
  for (int i = 0; i < 2000; i++) {
    sf_buffer *b = NULL;
    if (sf_buffer_create(pool, (size_t)(i % 37) * 100, &b, &err) != SF_OK) return (void *)1;
    sf_buffer_release(b);
  }
  return NULL;
}

static void two_threads_may_share_a_pool(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sfi_pool_set_cache_limit(pool, 10000);
  pthread_t other;
  assert_int_equal(0, pthread_create(&other, NULL, churn, pool));
  assert_null(churn(pool));
  void *result = NULL;
  pthread_join(other, &result);
  assert_null(result);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void errors_carry_status_row_and_text(void **state) {
  (void)state;
  sf_error err;
  FAILS(SF_CORRUPT, sf_fail_row(&err, SF_CORRUPT, 7, "bad %s", "thing"));
  assert_int_equal(SF_CORRUPT, err.status);
  assert_int_equal(7, err.row);
  assert_string_equal("bad thing", err.message);
  FAILS(SF_INVALID, sf_fail(NULL, SF_INVALID, "nobody listens"));
  char large[3 * SF_ERROR_MESSAGE_SIZE];
  memset(large, 'x', sizeof large - 1);
  large[sizeof large - 1] = 0;
  FAILS(SF_HOST, sf_fail(&err, SF_HOST, "%s", large));
  assert_int_equal(SF_ERROR_MESSAGE_SIZE - 1, strlen(err.message));
  assert_int_equal(-1, err.row);
  for (int i = SF_OK; i <= SF_CONSTRAINT; i++) assert_string_not_equal("UNKNOWN", sf_status_name((sf_status)i));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(allocations_are_counted_aligned_and_slack_is_readable),
      TEST(a_limit_refuses_and_names_the_pool),
      TEST(the_host_is_asked_and_gets_everything_back),
      TEST(freed_blocks_are_kept_within_bounds_and_used_again),
      TEST(kept_memory_is_reserved_and_given_up_when_the_host_refuses),
      TEST(buffers_are_counted_and_outlive_the_pools_owner),
      TEST(two_threads_may_share_a_pool),
      TEST(errors_carry_status_row_and_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
