/* Nanoseconds per row (CPU time) of what every query does: rows in from the host edge, filtering, rows out.
 * cmake --build --preset release --target core_bench && build/native/release/bin/core_bench */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "streamfusion/binary_row.h"
#include "streamfusion/builder.h"

enum { ROWS = 8192, ROUNDS = 300 };

static sf_error err;
static void must(sf_status st) {
  if (st == SF_OK) return;
  fprintf(stderr, "%s\n", err.message);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The shape of a Nexmark bid: three BIGINT, two short and two long strings, a timestamp. */
static sf_type *bid_type(void) {
  static const char *const names[] = {"auction", "bidder", "price", "channel", "url", "time", "extra"};
  const sf_type_kind kinds[] = {SF_TYPE_BIGINT,  SF_TYPE_BIGINT,    SF_TYPE_BIGINT, SF_TYPE_VARCHAR,
                                SF_TYPE_VARCHAR, SF_TYPE_TIMESTAMP, SF_TYPE_VARCHAR};
  sf_type *fields[7], *type = NULL;
  for (int i = 0; i < 7; i++) must(sf_type_scalar(kinds[i], true, 3, 0, INT32_MAX, &fields[i], &err));
  must(sf_type_nested(SF_TYPE_ROW, true, 7, fields, names, &type, &err));
  for (int i = 0; i < 7; i++) sf_type_release(fields[i]);
  return type;
}

static sf_batch *bids(sf_pool *pool, const sf_type *type) {
  sf_batch_builder *b = NULL;
  sf_batch *batch = NULL;
  char text[128];
  must(sf_batch_builder_create(pool, type, &b, &err));
  for (int i = 0; i < ROWS; i++) {
    for (int c = 0; c < 3; c++) must(sf_column_builder_int(sf_batch_builder_column(b, c), i * 31 + c, &err));
    must(sf_column_builder_bytes(sf_batch_builder_column(b, 3), "Google", 6, &err));
    int n = snprintf(text, sizeof text, "https://www.nexmark.com/item/%d/path/to/it.html?query=1", i);
    must(sf_column_builder_bytes(sf_batch_builder_column(b, 4), text, (size_t)n, &err));
    must(sf_column_builder_timestamp(sf_batch_builder_column(b, 5), i, 0, &err));
    must(sf_column_builder_bytes(sf_batch_builder_column(b, 6), text, (size_t)n, &err));
    must(sf_batch_builder_end_row(b, SF_INSERT, &err));
  }
  must(sf_batch_builder_finish(b, &batch, &err));
  sf_batch_builder_destroy(b);
  return batch;
}

static void report(const char *what, double from, double rows) {
  printf("%-32s %8.2f ns/row\n", what, (now() - from) / rows / ROUNDS);
}

static void bench_filter(sf_pool *pool, const sf_batch *batch, int one_of) {
  static int32_t rows[ROWS];
  int64_t n = 0;
  for (int32_t i = 0; i < ROWS; i++) {
    if (i % one_of == 0) rows[n++] = i;
  }
  double from = now();
  for (int r = 0; r < ROUNDS; r++) {
    sf_batch *kept = NULL;
    must(sf_batch_filter(pool, batch, rows, n, &kept, &err));
    sf_batch_release(kept);
  }
  char what[64];
  snprintf(what, sizeof what, "filter, one of %d kept", one_of);
  report(what, from, ROWS);
}

static uint8_t *write_rows(sf_pool *pool, const sf_batch *batch, size_t *size) {
  sf_row_writer *w = NULL;
  uint8_t *out = malloc((size_t)ROWS * 512);
  must(sf_row_writer_create(pool, batch->type, NULL, 0, SF_ROW_SERIALIZER, &w, &err));
  double from = now();
  for (int r = 0; r < ROUNDS; r++) {
    *size = 0;
    for (int64_t i = 0; i < batch->length; i++) {
      const uint8_t *bytes = NULL;
      size_t n = 0;
      must(sf_row_writer_write(w, batch, i, &bytes, &n, &err));
      int32_t prefix = (int32_t)n;
      memcpy(out + *size, &prefix, 4);
      memcpy(out + *size + 4, bytes, n);
      *size += n + 4;
    }
  }
  report("binary rows, write", from, ROWS);
  sf_row_writer_destroy(w);
  return out;
}

static void read_rows(sf_pool *pool, const sf_type *type, const uint8_t *rows, size_t size) {
  sf_batch_builder *b = NULL;
  must(sf_batch_builder_create(pool, type, &b, &err));
  double from = now();
  for (int r = 0; r < ROUNDS; r++) {
    sf_batch *batch = NULL;
    must(sf_batch_builder_binary_rows(b, rows, size, ROWS, &err));
    must(sf_batch_builder_finish(b, &batch, &err));
    sf_batch_release(batch);
  }
  report("binary rows, read in bulk", from, ROWS);
  sf_batch_builder_destroy(b);
}

int main(void) {
  sf_pool *pool = NULL;
  must(sf_pool_create("bench", -1, NULL, &pool, &err));
  sf_type *type = bid_type();
  sf_batch *batch = bids(pool, type);
  bench_filter(pool, batch, 2);
  bench_filter(pool, batch, 10);
  bench_filter(pool, batch, 1000);
  size_t size = 0;
  uint8_t *rows = write_rows(pool, batch, &size);
  read_rows(pool, type, rows, size);
  double from = now();
  for (int r = 0; r < ROUNDS; r++) {
    void *p[10];
    for (int i = 0; i < 10; i++) must(sf_pool_alloc(pool, (size_t)ROWS * 16, &p[i], &err));
    for (int i = 0; i < 10; i++) memset(p[i], 1, (size_t)ROWS * 16);
    for (int i = 0; i < 10; i++) sf_pool_free(pool, p[i]);
  }
  report("10 buffers of 128 KiB, per buffer", from, 10);
  from = now();
  for (int r = 0; r < ROUNDS; r++) {
    void *p[100];
    for (int i = 0; i < 100; i++) must(sf_pool_alloc(pool, 200, &p[i], &err));
    for (int i = 0; i < 100; i++) sf_pool_free(pool, p[i]);
  }
  report("100 buffers of 200 bytes, each", from, 100);
  free(rows);
  sf_batch_release(batch);
  sf_type_release(type);
  sf_pool_release(pool);
  return 0;
}
