/* Rows against bytes that stock Flink wrote: golden/BinaryRows.java prints them and names the values. */
#include <stdlib.h>

#include "streamfusion/binary_row.h"
#include "support.h"

enum { N_FIELDS = 26, N_ROWS = 24 };

static sf_type *text_type(void) { return scalar(SF_TYPE_VARCHAR, 0, 0, INT32_MAX); }

static sf_type *golden_type(void) {
  sf_type *inner[3] = {scalar(SF_TYPE_INTEGER, 0, 0, 0), text_type(), scalar(SF_TYPE_DECIMAL, 25, 0, 0)};
  sf_type *ints[1] = {scalar(SF_TYPE_INTEGER, 0, 0, 0)}, *texts[1] = {text_type()};
  sf_type *floats[1] = {scalar(SF_TYPE_FLOAT, 0, 0, 0)};
  sf_type *map[2] = {text_type(), scalar(SF_TYPE_BIGINT, 0, 0, 0)}, *multiset[1] = {text_type()};
  sf_type *shorts[1] = {scalar(SF_TYPE_SMALLINT, 0, 0, 0)};
  sf_type *element[2] = {scalar(SF_TYPE_BIGINT, 0, 0, 0), nested(SF_TYPE_ARRAY, 1, shorts)};
  sf_type *rows[1] = {nested(SF_TYPE_ROW, 2, element)};
  sf_type *inner_map[2] = {text_type(), scalar(SF_TYPE_DECIMAL, 25, 3, 0)};
  sf_type *outer_map[2] = {scalar(SF_TYPE_INTEGER, 0, 0, 0), nested(SF_TYPE_MAP, 2, inner_map)};
  sf_type *fields[N_FIELDS] = {
      scalar(SF_TYPE_BOOLEAN, 0, 0, 0),  scalar(SF_TYPE_TINYINT, 0, 0, 0),
      scalar(SF_TYPE_SMALLINT, 0, 0, 0), scalar(SF_TYPE_INTEGER, 0, 0, 0),
      scalar(SF_TYPE_BIGINT, 0, 0, 0),   scalar(SF_TYPE_FLOAT, 0, 0, 0),
      scalar(SF_TYPE_DOUBLE, 0, 0, 0),   scalar(SF_TYPE_DECIMAL, 10, 2, 0),
      scalar(SF_TYPE_DECIMAL, 30, 5, 0), text_type(),
      scalar(SF_TYPE_VARBINARY, 0, 0, INT32_MAX), scalar(SF_TYPE_DATE, 0, 0, 0),
      scalar(SF_TYPE_TIME, 3, 0, 0),     scalar(SF_TYPE_TIMESTAMP, 3, 0, 0),
      scalar(SF_TYPE_TIMESTAMP, 9, 0, 0), scalar(SF_TYPE_TIMESTAMP_LTZ, 6, 0, 0),
      nested(SF_TYPE_ROW, 3, inner),     nested(SF_TYPE_ARRAY, 1, ints),
      nested(SF_TYPE_ARRAY, 1, texts),   nested(SF_TYPE_ARRAY, 1, floats),
      nested(SF_TYPE_MAP, 2, map),       nested(SF_TYPE_MULTISET, 1, multiset),
      nested(SF_TYPE_ARRAY, 1, rows),    nested(SF_TYPE_MAP, 2, outer_map),
      scalar(SF_TYPE_INTERVAL_YEAR_MONTH, 0, 0, 0), scalar(SF_TYPE_INTERVAL_DAY_TIME, 0, 0, 0)};
  const char *names[N_FIELDS];
  for (int i = 0; i < N_FIELDS; i++) names[i] = "f";
  sf_error err;
  sf_type *type = NULL;
  OK(sf_type_nested(SF_TYPE_ROW, true, N_FIELDS, fields, names, &type, &err));
  for (int i = 0; i < N_FIELDS; i++) sf_type_release(fields[i]);
  return type;
}

/* --- the values of BinaryRows.java */

static sf_error err;

static void add_text(sf_column_builder *b, int i) {
  char text[32] = "";
  int n = i % 20;
  memset(text, 'x', (size_t)n);
  if (i % 2 == 1) {
    memcpy(text + n, "\xc3\xa9", 2);
    n += 2;
  }
  OK(sf_column_builder_bytes(b, text, (size_t)n, &err));
}

static __int128 big(int i) { return (__int128)10000000000 * 10000000000 * (i - 3) + i; }

static void add_int(sf_column_builder *b, int64_t v) { OK(sf_column_builder_int(b, v, &err)); }
static void add_null(sf_column_builder *b) { OK(sf_column_builder_null(b, &err)); }
static void add_end(sf_column_builder *b) { OK(sf_column_builder_end(b, &err)); }

static void add_nan_float(sf_column_builder *b) {
  uint32_t bits = 0x7fc12345;
  float v;
  memcpy(&v, &bits, sizeof v);
  OK(sf_column_builder_double(b, v, &err));
}

static void add_inner_map(sf_column_builder *b, int k) {
  for (int j = 0; j < k % 6; j++) {
    add_text(sf_column_builder_child(b, 0), 9 * j);
    OK(sf_column_builder_int128(sf_column_builder_child(b, 1), big(j), &err));
  }
  add_end(b);
}

static void add_element(sf_column_builder *b, int k) {
  if (k == 1) {
    add_null(b);
    return;
  }
  sf_column_builder *shorts = sf_column_builder_child(b, 1);
  add_int(sf_column_builder_child(b, 0), k);
  for (int j = 0; j < (k + 1) % 6; j++) add_int(sf_column_builder_child(shorts, 0), j);
  add_end(shorts);
  add_end(b);
}

static void add_collection(sf_column_builder *b, int f, int i) {
  sf_column_builder *first = sf_column_builder_child(b, 0);
  sf_column_builder *second = f >= 20 && f != 22 ? sf_column_builder_child(b, 1) : NULL;
  for (int k = 0; k < i % 6; k++) {
    bool null = k % 3 == 2;
    switch (f) {
      case 17: null ? add_null(first) : add_int(first, k - 1); break;
      case 18: null ? add_null(first) : add_text(first, 3 * k); break;
      case 19:
        if (k % 2 == 1) add_nan_float(first);
        else OK(sf_column_builder_double(first, k / 2.0, &err));
        break;
      case 20: add_text(first, 4 * k); null ? add_null(second) : add_int(second, k * 10); break;
      case 21: add_text(first, 2 * k); add_int(second, k + 1); break;
      case 22: add_element(first, k); break;
      default: add_int(first, k); k == 0 ? add_null(second) : add_inner_map(second, k);
    }
  }
  add_end(b);
}

static void add_row_value(sf_column_builder *b, int i) {
  if (i % 3 == 0) {
    add_int(sf_column_builder_child(b, 0), i);
    add_null(sf_column_builder_child(b, 1));
    add_null(sf_column_builder_child(b, 2));
  } else {
    add_null(sf_column_builder_child(b, 0));
    add_text(sf_column_builder_child(b, 1), i);
    OK(sf_column_builder_int128(sf_column_builder_child(b, 2), big(i), &err));
  }
  add_end(b);
}

static void add_value(sf_column_builder *b, int f, int i) {
  int64_t millis = i * INT64_C(86400123) - 5;
  uint64_t nan_bits = 0xfff8000000000001;
  double nan;
  memcpy(&nan, &nan_bits, sizeof nan);
  if ((i * 31 + f * 7) % 5 == 0) {
    add_null(b);
    return;
  }
  switch (f) {
    case 0: add_int(b, i % 2); break;
    case 1: add_int(b, i * 37); break;
    case 2: add_int(b, i * 1234); break;
    case 3: add_int(b, i * 1000003); break;
    case 4: add_int(b, i * INT64_C(1000000007) * 131); break;
    case 5:
      if (i % 4 == 3) add_nan_float(b);
      else OK(sf_column_builder_double(b, i / 4.0, &err));
      break;
    case 6: OK(sf_column_builder_double(b, i % 4 == 3 ? nan : i / 8.0, &err)); break;
    case 7: OK(sf_column_builder_int128(b, i * 12345, &err)); break;
    case 8: OK(sf_column_builder_int128(b, big(i), &err)); break;
    case 9: add_text(b, i); break;
    case 10: OK(sf_column_builder_bytes(b, (const char[12]){0}, (size_t)(i % 12), &err)); break;
    case 11: add_int(b, i * 100 - 200); break;
    case 12: add_int(b, i * 1001); break;
    case 13: OK(sf_column_builder_timestamp(b, millis, 0, &err)); break;
    case 14: OK(sf_column_builder_timestamp(b, millis, i * 1001, &err)); break;
    case 15: OK(sf_column_builder_timestamp(b, millis, i * 1000, &err)); break;
    case 16: add_row_value(b, i); break;
    case 24: add_int(b, i); break;
    case 25: add_int(b, i * 1000); break;
    default: add_collection(b, f, i);
  }
}

static sf_batch *golden_batch(sf_pool *pool, const sf_type *type) {
  sf_batch_builder *b = NULL;
  sf_batch *batch = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  for (int i = 0; i < N_ROWS; i++) {
    for (int f = 0; f < N_FIELDS; f++) add_value(sf_batch_builder_column(b, f), f, i);
    OK(sf_batch_builder_end_row(b, (uint8_t)(i % 4), &err));
  }
  OK(sf_batch_builder_finish(b, &batch, &err));
  sf_batch_builder_destroy(b);
  return batch;
}

/* --- the file */

typedef struct golden {
  int32_t hash;
  size_t size;
  uint8_t bytes[4096];
} golden;
static golden serializer_rows[N_ROWS], projection_rows[N_ROWS];

static void read_golden(void) {
  FILE *file = fopen(GOLDEN_DIR "/binary_rows.txt", "r");
  assert_non_null(file);
  static char line[16384];
  int n[2] = {0, 0};
  while (fgets(line, sizeof line, file) != NULL) {
    int which = line[0] == 'p';
    golden *g = which ? &projection_rows[n[which]++] : &serializer_rows[n[which]++];
    char *hash = strchr(line, ' ') + 1, *hex = strchr(hash, ' ') + 1;
    g->hash = (int32_t)strtol(hash, NULL, 10);
    for (g->size = 0; hex[2 * g->size] > ' '; g->size++) {
      char pair[3] = {hex[2 * g->size], hex[2 * g->size + 1], 0};
      g->bytes[g->size] = (uint8_t)strtol(pair, NULL, 16);
    }
  }
  fclose(file);
  assert_int_equal(N_ROWS, n[0]);
  assert_int_equal(N_ROWS, n[1]);
}

static void expect_bytes(sf_row_writer *w, const sf_batch *batch, const golden *rows) {
  for (int64_t i = 0; i < N_ROWS; i++) {
    const uint8_t *bytes = NULL;
    size_t size = 0;
    OK(sf_row_writer_write(w, batch, i, &bytes, &size, &err));
    assert_int_equal(rows[i].size, size);
    assert_memory_equal(rows[i].bytes, bytes, size);
    assert_int_equal(rows[i].hash, sf_binary_row_hash(bytes, size));
  }
}

static void rows_are_written_as_flink_writes_them(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *type = golden_type();
  sf_batch *batch = golden_batch(pool, type);
  sf_row_writer *w = NULL;
  OK(sf_row_writer_create(pool, type, NULL, 0, SF_ROW_SERIALIZER, &w, &err));
  expect_bytes(w, batch, serializer_rows);
  sf_row_writer_destroy(w);
  const int32_t key[4] = {8, 14, 9, 3}, wrong[1] = {N_FIELDS};
  OK(sf_row_writer_create(pool, type, key, 4, SF_ROW_PROJECTION, &w, &err));
  expect_bytes(w, batch, projection_rows);
  sf_row_writer_destroy(w);
  FAILS(SF_INVALID, sf_row_writer_create(pool, type, wrong, 1, SF_ROW_SERIALIZER, &w, &err));
  assert_null(w);
  sf_batch_release(batch);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

/* `times` runs of the golden rows in the form of the host edge. */
static uint8_t *edge_rows(int times, size_t *size_out) {
  uint8_t *bytes = malloc((size_t)times * N_ROWS * (sizeof(golden) + 4));
  size_t at = 0;
  for (int k = 0; k < times * N_ROWS; k++) {
    const golden *g = &serializer_rows[k % N_ROWS];
    int32_t size = (int32_t)g->size;
    memcpy(bytes + at, &size, 4);
    memcpy(bytes + at + 4, g->bytes, g->size);
    at += 4 + g->size;
  }
  *size_out = at;
  return bytes;
}

static void rows_are_read_back_one_by_one_and_in_bulk(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *type = golden_type();
  sf_batch_builder *b = NULL;
  sf_row_writer *w = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  OK(sf_row_writer_create(pool, type, NULL, 0, SF_ROW_SERIALIZER, &w, &err));
  for (int i = 0; i < N_ROWS; i++) {
    OK(sf_binary_row_verify(type, serializer_rows[i].bytes, serializer_rows[i].size, &err));
    OK(sf_batch_builder_binary_row(b, serializer_rows[i].bytes, serializer_rows[i].size, &err));
  }
  sf_batch *batch = NULL;
  OK(sf_batch_builder_finish(b, &batch, &err));
  expect_bytes(w, batch, serializer_rows);
  sf_batch_release(batch);

  size_t size = 0;
  uint8_t *bytes = edge_rows(10, &size);
  OK(sf_batch_builder_binary_rows(b, bytes, size, 10 * N_ROWS, &err));
  OK(sf_batch_builder_binary_rows(b, bytes, 0, 0, &err));
  OK(sf_batch_builder_binary_rows(b, bytes, size, 10 * N_ROWS, &err)); /* appends */
  memset(bytes, 0xee, size);
  free(bytes); /* nothing refers to them */
  OK(sf_batch_builder_finish(b, &batch, &err));
  assert_int_equal(20 * N_ROWS, batch->length);
  for (int64_t i = 0; i < batch->length; i++) {
    const uint8_t *row = NULL;
    size_t row_size = 0;
    OK(sf_row_writer_write(w, batch, i, &row, &row_size, &err));
    assert_int_equal(serializer_rows[i % N_ROWS].size, row_size);
    assert_memory_equal(serializer_rows[i % N_ROWS].bytes, row, row_size);
  }
  for (int f = 0; f < N_FIELDS; f++) {
    int64_t nulls = 0;
    for (int i = 0; i < N_ROWS; i++) nulls += (i * 31 + f * 7) % 5 == 0;
    assert_int_equal(20 * nulls, batch->columns[f]->null_count);
  }
  sf_batch_release(batch);
  sf_row_writer_destroy(w);
  sf_batch_builder_destroy(b);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static void damaged_rows_are_refused(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *type = golden_type();
  const golden *g = &serializer_rows[11];
  static uint8_t bytes[4096];
  int refused = 0;
  for (size_t at = 0; at < g->size; at++) {
    for (int bit = 0; bit < 8; bit += 7) {
      memcpy(bytes, g->bytes, g->size);
      bytes[at] ^= (uint8_t)(1 << bit);
      bool sound = sf_binary_row_verify(type, bytes, g->size, &err) == SF_OK;
      refused += !sound;
      sf_batch_builder *b = NULL;
      OK(sf_batch_builder_create(pool, type, &b, &err));
      sf_status st = sf_batch_builder_binary_row(b, bytes, g->size, &err);
      if (sound) assert_int_equal(SF_OK, st);
      else assert_true(st == SF_OK || st == SF_CORRUPT); /* reading alone does not look at everything */
      sf_batch_builder_destroy(b);
    }
  }
  assert_true(refused > 100);
  FAILS(SF_CORRUPT, sf_binary_row_verify(type, g->bytes, g->size - 4, &err));
  FAILS(SF_CORRUPT, sf_binary_row_verify(type, g->bytes, 16, &err));
  sf_batch_builder *b = NULL;
  size_t size = 0;
  uint8_t *edge = edge_rows(1, &size);
  OK(sf_batch_builder_create(pool, type, &b, &err));
  FAILS(SF_CORRUPT, sf_batch_builder_binary_rows(b, edge, size - 1, N_ROWS, &err));
  FAILS(SF_CORRUPT, sf_batch_builder_binary_rows(b, edge, size, N_ROWS - 1, &err));
  FAILS(SF_CORRUPT, sf_batch_builder_binary_rows(b, edge, size, N_ROWS + 1, &err));
  edge[4] = 4;
  FAILS(SF_CORRUPT, sf_batch_builder_binary_rows(b, edge, size, N_ROWS, &err));
  free(edge);
  sf_batch_builder_destroy(b);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

static sf_status attempt(sf_pool *pool, sf_error *e) {
  sf_type *fields[3] = {text_type(), scalar(SF_TYPE_DECIMAL, 30, 0, 0), scalar(SF_TYPE_INTEGER, 0, 0, 0)};
  sf_type *type = nested(SF_TYPE_ROW, 3, fields);
  sf_batch_builder *b = NULL;
  sf_row_writer *w = NULL;
  sf_batch *batch = NULL;
  sf_status st = SF_OK;
  const uint8_t *bytes = NULL;
  size_t size = 0;
  uint8_t edge[1024];
  SF_GOTO(sf_batch_builder_create(pool, type, &b, e));
  SF_GOTO(sf_column_builder_bytes(sf_batch_builder_column(b, 0), "more than seven bytes", 21, e));
  SF_GOTO(sf_column_builder_int128(sf_batch_builder_column(b, 1), -5, e));
  SF_GOTO(sf_column_builder_null(sf_batch_builder_column(b, 2), e));
  SF_GOTO(sf_batch_builder_end_row(b, SF_DELETE, e));
  SF_GOTO(sf_batch_builder_finish(b, &batch, e));
  SF_GOTO(sf_row_writer_create(pool, type, NULL, 0, SF_ROW_SERIALIZER, &w, e));
  SF_GOTO(sf_row_writer_write(w, batch, 0, &bytes, &size, e));
  int32_t row_size = (int32_t)size;
  memcpy(edge, &row_size, 4);
  memcpy(edge + 4, bytes, size);
  sf_batch_release(batch);
  batch = NULL;
  SF_GOTO(sf_batch_builder_binary_rows(b, edge, size + 4, 1, e));
  SF_GOTO(sf_batch_builder_finish(b, &batch, e));
  assert_int_equal(SF_DELETE, batch->row_kinds[0]);
cleanup:
  sf_batch_release(batch);
  sf_row_writer_destroy(w);
  sf_batch_builder_destroy(b);
  sf_type_release(type);
  return st;
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  with_rising_limits(attempt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(rows_are_written_as_flink_writes_them),
      TEST(rows_are_read_back_one_by_one_and_in_bulk),
      TEST(damaged_rows_are_refused),
      TEST(failing_allocations_leak_nothing),
  };
  read_golden();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
