/* Any bytes as a serialized operator, which then gets rows to work on: values at and around the limits of their types,
 * texts that look like numbers and dates, NULLs. Seeds: operator_seeds.c. */
#include <stdlib.h>
#include <string.h>

#include "streamfusion/builder.h"
#include "streamfusion/operator.h"

enum { ROWS = 24 };

static uint64_t random_state;
static uint32_t next_random(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33);
}

static int64_t some_int(void) {
  static const int64_t values[] = {0,     1,        -1,        2,         7,         -128,     127,
                                   255,   -32768,   INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1000,
                                   86399, 86400000, 951782400000, -1000,  99999,     1582934400000};
  return values[next_random() % (sizeof values / sizeof *values)];
}

static const char *some_text(void) {
  static const char *const texts[] = {"", "a", " 12 ", "-7", "12.5e3", "2020-02-29", "2020-02-29 12:34:56.789", "23:59:59",
                                      "true", "NaN", "99999999999999999999", "a,b,,c", "%a_", "\xc3\xa4\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                      "\xff\xc3", "https://host/path?q=1&r=2", "  trim  ", "abcabcabc", "-0.0"};
  return texts[next_random() % (sizeof texts / sizeof *texts)];
}

static __int128 some_decimal(int32_t precision) {
  __int128 limit = 1;
  for (int32_t i = 0; i < precision; i++) limit *= 10;
  switch (next_random() % 4) {
    case 0: return limit - 1;
    case 1: return -(limit - 1);
    default: return some_int() % limit;
  }
}

static sf_status append(sf_column_builder *b, const sf_type *type, sf_error *err) {
  if (next_random() % 5 == 0) return sf_column_builder_null(b, err);
  if (type->kind == SF_TYPE_DECIMAL) return sf_column_builder_int128(b, some_decimal(type->precision), err);
  switch (type->layout) {
    case SF_LAYOUT_VIEW: {
      const char *text = some_text();
      return sf_column_builder_bytes(b, text, strlen(text), err);
    }
    case SF_LAYOUT_FLOAT:
    case SF_LAYOUT_DOUBLE: {
      static const double values[] = {0.0, -0.0, 1.5, -1e300, 1e-320, 9.2e18, -2147483648.5, 0.1, __builtin_inf(), __builtin_nan("")};
      return sf_column_builder_double(b, values[next_random() % 10], err);
    }
    case SF_LAYOUT_TIMESTAMP: return sf_column_builder_timestamp(b, some_int(), (int32_t)(next_random() % 1000000), err);
    case SF_LAYOUT_NULL: return sf_column_builder_null(b, err);
    case SF_LAYOUT_ROW:
      for (int32_t i = 0; i < type->n_children; i++) {
        SF_TRY(append(sf_column_builder_child(b, i), type->children[i], err));
      }
      return sf_column_builder_end(b, err);
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP:
      for (uint32_t n = next_random() % 3; n > 0; n--) {
        for (int32_t i = 0; i < type->n_children; i++) {
          SF_TRY(append(sf_column_builder_child(b, i), type->children[i], err));
        }
      }
      return sf_column_builder_end(b, err);
    default: return sf_column_builder_int(b, some_int(), err);
  }
}

static sf_status rows_of(sf_pool *pool, const sf_type *type, int64_t n, sf_batch **out, sf_error *err) {
  sf_batch_builder *b = NULL;
  SF_TRY(sf_batch_builder_create(pool, type, &b, err));
  sf_status st = SF_OK;
  for (int64_t i = 0; i < n && st == SF_OK; i++) {
    if (i == 3) st = sf_batch_builder_mark(b, 5, err);
    for (int32_t c = 0; c < type->n_children && st == SF_OK; c++) {
      st = append(sf_batch_builder_column(b, c), type->children[c], err);
    }
    if (st == SF_OK) st = sf_batch_builder_end_row(b, (uint8_t)(next_random() % 4), err);
  }
  if (st == SF_OK) st = sf_batch_builder_finish(b, out, err);
  sf_batch_builder_destroy(b);
  return st;
}

static sf_status drop(void *context, sf_batch *batch, sf_error *err) {
  (void)context;
  (void)err;
  for (int32_t i = 0; i < batch->n_columns; i++) {
    if (batch->columns[i]->length != batch->length || batch->columns[i]->is_const) abort();
  }
  sf_batch_release(batch);
  return SF_OK;
}

static void feed(sf_pool *pool, sf_operator *op, int64_t length) {
  sf_error err;
  sf_batch *batch = NULL;
  const sf_collector out = {NULL, drop};
  if (rows_of(pool, sf_operator_input_type(op), length, &batch, &err) != SF_OK) return;
  sf_status st = sf_operator_process(op, 0, batch, &out, &err);
  if (st == SF_INTERNAL) abort();
  sf_batch_release(batch);
}

static void run(sf_pool *pool, sf_operator *op) {
  sf_error err;
  const sf_collector out = {NULL, drop};
  if (sf_operator_open_state(op, (sf_key_groups){0, 4, 4}, &err) == SF_INTERNAL) abort();
  for (int round = 0; round < 2; round++) feed(pool, op, ROWS);
  feed(pool, op, 0);
  feed(pool, op, 1);
  if (sf_operator_timer(op, 1, &out, &err) == SF_INTERNAL) abort();
  if (sf_operator_watermark(op, INT64_MAX, &out, &err) == SF_INTERNAL) abort();
  if (sf_operator_before_barrier(op, &out, &err) == SF_INTERNAL) abort();
  if (sf_operator_finish(op, &out, &err) == SF_INTERNAL) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sf_error err;
  sf_pool *pool = NULL;
  sf_operator *op = NULL;
  int64_t live = sf_live_objects();
  if (sf_pool_create("fuzz", (int64_t)64 << 20, NULL, &pool, &err) != SF_OK) return 0;
  if (sf_operator_create(pool, NULL, data, size, &op, &err) == SF_OK) {
    random_state = size;
    for (size_t i = 0; i < size; i++) random_state = random_state * 31 + data[i];
    run(pool, op);
  } else if (op != NULL) {
    abort();
  }
  sf_operator_destroy(op);
  if (sf_pool_used(pool) != 0) abort();
  sf_pool_release(pool);
  if (sf_live_objects() != live) abort();
  return 0;
}
