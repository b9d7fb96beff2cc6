/* Records of batches from outside. An input is a choice, then either a record as it is, or changes to a sound record: an
 * offset in 16 bits and the byte to put there, each. Whatever is read can be filtered, joined, printed as binary rows and
 * written again; the rest is refused. */
#include <stdlib.h>
#include <string.h>

#include "streamfusion/binary_row.h"
#include "streamfusion/builder.h"
#include "streamfusion/exchange.h"

enum { SEED_ROWS = 20, FIELDS = 8 };

static sf_error err;

static void must(sf_status st) {
  if (st != SF_OK) abort();
}

static sf_type *scalar(sf_type_kind kind, int32_t precision) {
  sf_type *type = NULL;
  must(sf_type_scalar(kind, true, precision, 0, 20, &type, &err));
  return type;
}

static sf_type *nest(sf_type_kind kind, int32_t n, sf_type **children) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  sf_type *type = NULL;
  must(sf_type_nested(kind, true, n, children, kind == SF_TYPE_ROW ? names : NULL, &type, &err));
  for (int32_t i = 0; i < n; i++) sf_type_release(children[i]);
  return type;
}

static sf_type *row_type(void) {
  sf_type *text[1] = {scalar(SF_TYPE_VARCHAR, 0)};
  sf_type *inner[2] = {nest(SF_TYPE_ARRAY, 1, text), scalar(SF_TYPE_NULL, 0)};
  sf_type *map[2] = {scalar(SF_TYPE_VARCHAR, 0), scalar(SF_TYPE_DECIMAL, 38)};
  sf_type *fields[FIELDS] = {scalar(SF_TYPE_BOOLEAN, 0),      scalar(SF_TYPE_SMALLINT, 0), scalar(SF_TYPE_BIGINT, 0),
                             scalar(SF_TYPE_TIMESTAMP, 9),    scalar(SF_TYPE_DECIMAL, 30), scalar(SF_TYPE_VARCHAR, 0),
                             nest(SF_TYPE_ROW, 2, inner),     nest(SF_TYPE_MAP, 2, map)};
  return nest(SF_TYPE_ROW, FIELDS, fields);
}

static void append(sf_batch_builder *b, int64_t i) {
  sf_column_builder *c[FIELDS];
  for (int32_t k = 0; k < FIELDS; k++) c[k] = sf_batch_builder_column(b, k);
  must(sf_column_builder_int(c[0], i % 2, &err));
  must(i % 3 == 0 ? sf_column_builder_null(c[1], &err) : sf_column_builder_int(c[1], i, &err));
  must(sf_column_builder_int(c[2], -i, &err));
  must(i % 5 == 0 ? sf_column_builder_null(c[3], &err) : sf_column_builder_timestamp(c[3], i, (int32_t)i, &err));
  must(sf_column_builder_int128(c[4], i, &err));
  must(i % 4 == 0 ? sf_column_builder_null(c[5], &err) : sf_column_builder_bytes(c[5], "abcdefgh", (size_t)i % 9, &err));
  sf_column_builder *list = sf_column_builder_child(c[6], 0);
  for (int64_t k = 0; k < i % 3; k++) must(sf_column_builder_bytes(sf_column_builder_child(list, 0), "xyz", 3, &err));
  must(sf_column_builder_end(list, &err));
  must(sf_column_builder_null(sf_column_builder_child(c[6], 1), &err));
  must(sf_column_builder_end(c[6], &err));
  if (i % 2 == 0) {
    must(sf_column_builder_bytes(sf_column_builder_child(c[7], 0), "key", 3, &err));
    must(sf_column_builder_int128(sf_column_builder_child(c[7], 1), i, &err));
  }
  must(sf_column_builder_end(c[7], &err));
  must(sf_batch_builder_end_row(b, (uint8_t)(i % 4), &err));
}

static sf_record_range whole(const sf_batch *batch) { return (sf_record_range){0, batch->length, true}; }

static sf_buffer *written(sf_pool *pool, const sf_batch *batch) {
  size_t size = 0;
  sf_buffer *record = NULL;
  must(sf_record_size(batch, whole(batch), &size, &err));
  if (sf_buffer_create(pool, size, &record, &err) != SF_OK) return NULL;
  must(sf_record_write(batch, whole(batch), sf_buffer_data(record), size, &err));
  return record;
}

static sf_buffer *sound_record(sf_pool *pool, const sf_type *type) {
  sf_batch_builder *b = NULL;
  sf_batch *batch = NULL;
  must(sf_batch_builder_create(pool, type, &b, &err));
  for (int64_t i = 0; i < SEED_ROWS; i++) {
    if (i % 6 == 0) must(sf_batch_builder_mark(b, i, &err));
    append(b, i);
  }
  must(sf_batch_builder_finish(b, &batch, &err));
  sf_batch_builder_destroy(b);
  sf_buffer *record = written(pool, batch);
  sf_batch_release(batch);
  return record;
}

static void change(sf_buffer *record, const uint8_t *changes, size_t size) {
  for (size_t i = 0; i + 3 <= size; i += 3) {
    size_t at = ((size_t)changes[i] << 8 | changes[i + 1]) % sf_buffer_size(record);
    sf_buffer_data(record)[at] = changes[i + 2];
  }
}

static void print_rows(sf_pool *pool, const sf_batch *batch) {
  sf_row_writer *w = NULL;
  must(sf_row_writer_create(pool, batch->type, NULL, -1, SF_ROW_SERIALIZER, &w, &err));
  for (int64_t i = 0; i < batch->length; i++) {
    const uint8_t *bytes = NULL;
    size_t size = 0;
    if (sf_row_writer_write(w, batch, i, &bytes, &size, &err) != SF_OK) break; /* out of memory */
    must(sf_binary_row_verify(batch->type, bytes, size, &err));
  }
  sf_row_writer_destroy(w);
}

/* Every second row of two copies joined, written and read again. */
static void use(sf_pool *pool, sf_batch *batch) {
  print_rows(pool, batch);
  const sf_batch *twice[2] = {batch, batch};
  sf_batch *joined = NULL, *some = NULL, *again = NULL;
  int32_t rows[4 * SEED_ROWS];
  int64_t n = 0;
  if (sf_batch_concat(pool, twice, 2, &joined, &err) == SF_OK) {
    for (int32_t i = 0; i < joined->length && n < 4 * SEED_ROWS; i += 2) rows[n++] = i;
    if (sf_batch_filter(pool, joined, rows, n, &some, &err) == SF_OK) {
      sf_buffer *record = written(pool, some);
      sf_status st = record == NULL ? SF_LIMIT : sf_record_read(pool, some->type, record, &again, &err);
      if (st != SF_OK && st != SF_LIMIT) abort();
    }
  }
  sf_batch_release(again);
  sf_batch_release(some);
  sf_batch_release(joined);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  int64_t live = sf_live_objects();
  sf_pool *pool = NULL;
  must(sf_pool_create("fuzz", (int64_t)64 << 20, NULL, &pool, &err));
  sf_type *type = row_type();
  sf_buffer *record = NULL;
  if (data[0] % 2 == 0) {
    must(sf_buffer_create(pool, size - 1, &record, &err));
    if (size > 1) memcpy(sf_buffer_data(record), data + 1, size - 1);
  } else {
    record = sound_record(pool, type);
    change(record, data + 1, size - 1);
  }
  sf_batch *batch = NULL;
  if (sf_record_read(pool, type, record, &batch, &err) == SF_OK) use(pool, batch);
  else if (batch != NULL) abort();
  sf_batch_release(batch);
  sf_type_release(type);
  if (sf_pool_used(pool) != 0) abort();
  sf_pool_release(pool);
  if (sf_live_objects() != live) abort();
  return 0;
}
