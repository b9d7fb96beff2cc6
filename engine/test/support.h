/* Helpers of the engine's tests. */
#ifndef ENGINE_TEST_SUPPORT_H
#define ENGINE_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "streamfusion/builder.h"

/* The call must succeed. Expects a local `sf_error err`. */
#define OK(call)                                                          \
  do {                                                                    \
    sf_status ok_status_ = (call);                                        \
    if (ok_status_ != SF_OK) fail_msg("%s: %s", #call, err.message);      \
  } while (0)
/* The call must fail with this status. */
#define FAILS(expected, call) assert_int_equal((expected), (call))

static inline sf_type *scalar(sf_type_kind kind, int32_t precision, int32_t scale, int32_t length) {
  sf_error err;
  sf_type *type = NULL;
  OK(sf_type_scalar(kind, true, precision, scale, length, &type, &err));
  return type;
}

/* Takes over the children. */
static inline sf_type *nested(sf_type_kind kind, int32_t n, sf_type **children) {
  sf_error err;
  sf_type *type = NULL;
  const char *names[16] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"};
  OK(sf_type_nested(kind, true, n, children, kind == SF_TYPE_ROW ? names : NULL, &type, &err));
  for (int32_t i = 0; i < n; i++) sf_type_release(children[i]);
  return type;
}

static inline sf_pool *pool_of(int64_t limit) {
  sf_error err;
  sf_pool *pool = NULL;
  OK(sf_pool_create("test", limit, NULL, &pool, &err));
  return pool;
}

/* Runs `attempt` with pools of rising limits until it succeeds, checking that failures are SF_LIMIT and leak nothing.
 * attempt cleans up after itself. */
static inline void with_rising_limits(sf_status (*attempt)(sf_pool *pool, sf_error *err)) {
  int64_t live = sf_live_objects();
  int failures = 0;
  for (int64_t limit = 0;; limit += 64) {
    sf_error err = {.message = ""};
    sf_pool *pool = pool_of(limit);
    sf_status st = attempt(pool, &err);
    assert_int_equal(0, sf_pool_used(pool));
    sf_pool_release(pool);
    assert_int_equal(live, sf_live_objects());
    if (st == SF_OK) break;
    if (st != SF_LIMIT) fail_msg("limit %lld: %s %s", (long long)limit, sf_status_name(st), err.message);
    failures++;
    assert_true(limit < (int64_t)64 << 20);
  }
  assert_true(failures > 0);
}

/* Every test starts and ends with the same number of live objects. */
static int64_t support_live_before;
static inline int note_live(void **state) {
  (void)state;
  support_live_before = sf_live_objects();
  return 0;
}
static inline int check_live(void **state) {
  (void)state;
  if (sf_live_objects() == support_live_before) return 0;
  print_error("%lld objects leaked\n", (long long)(sf_live_objects() - support_live_before));
  return 1;
}
#define TEST(function) cmocka_unit_test_setup_teardown(function, note_live, check_live)

#endif
