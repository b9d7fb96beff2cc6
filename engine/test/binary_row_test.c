/* Rows against bytes that stock Flink wrote. */
#include <stdlib.h>

#include "golden_rows.h"
#include "streamfusion/binary_row.h"

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
