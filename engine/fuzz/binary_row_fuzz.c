/* Any bytes as a binary row: what is verified can be read, and read again after writing; the rest is refused or read
 * without touching anything outside. The first byte chooses the type. */
#include <stdlib.h>
#include <string.h>

#include "streamfusion/binary_row.h"
#include "streamfusion/builder.h"

static sf_error err;

static sf_type *must(sf_status st, sf_type *type) {
  if (st != SF_OK) abort();
  return type;
}
static sf_type *scalar(sf_type_kind kind, int32_t precision) {
  sf_type *type = NULL;
  sf_status st = sf_type_scalar(kind, true, precision, 0, 20, &type, &err);
  return must(st, type);
}
static sf_type *nest(sf_type_kind kind, int32_t n, sf_type **children) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
  sf_type *type = NULL;
  sf_status st = sf_type_nested(kind, true, n, children, kind == SF_TYPE_ROW ? names : NULL, &type, &err);
  for (int32_t i = 0; i < n; i++) sf_type_release(children[i]);
  return must(st, type);
}

static sf_type *row_type(int choice) {
  sf_type *text[1] = {scalar(SF_TYPE_VARCHAR, 0)}, *decimal[1] = {scalar(SF_TYPE_DECIMAL, 30)};
  sf_type *fields[6] = {scalar(SF_TYPE_INTEGER, 0), scalar(SF_TYPE_VARCHAR, 0), scalar(SF_TYPE_TIMESTAMP, 9),
                        scalar(SF_TYPE_DECIMAL, 38), nest(SF_TYPE_ARRAY, 1, text), nest(SF_TYPE_ARRAY, 1, decimal)};
  sf_type *row = nest(SF_TYPE_ROW, 6, fields);
  if (choice % 3 == 0) return row;
  if (choice % 3 == 1) {
    sf_type *map[2] = {scalar(SF_TYPE_VARCHAR, 0), row}, *outer[2] = {scalar(SF_TYPE_BOOLEAN, 0), NULL};
    outer[1] = nest(SF_TYPE_MAP, 2, map);
    return nest(SF_TYPE_ROW, 2, outer);
  }
  sf_type *one[1] = {row}, *outer[1] = {NULL};
  sf_type *array[1] = {nest(SF_TYPE_ARRAY, 1, one)};
  outer[0] = nest(SF_TYPE_ARRAY, 1, array);
  return nest(SF_TYPE_ROW, 1, outer);
}

static void check_written(sf_pool *pool, const sf_type *type, const sf_batch *batch) {
  sf_row_writer *w = NULL;
  if (sf_row_writer_create(pool, type, NULL, 0, SF_ROW_SERIALIZER, &w, &err) != SF_OK) abort();
  for (int64_t i = 0; i < batch->length; i++) {
    const uint8_t *bytes = NULL;
    size_t size = 0;
    sf_status st = sf_row_writer_write(w, batch, i, &bytes, &size, &err);
    if (st == SF_LIMIT) break;
    if (st != SF_OK || sf_binary_row_verify(type, bytes, size, &err) != SF_OK) abort();
    (void)sf_binary_row_hash(bytes, size);
  }
  sf_row_writer_destroy(w);
}

static void finish(sf_pool *pool, const sf_type *type, sf_batch_builder *b) {
  sf_batch *batch = NULL;
  if (sf_batch_builder_finish(b, &batch, &err) == SF_OK) check_written(pool, type, batch);
  sf_batch_release(batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  int64_t live = sf_live_objects();
  sf_pool *pool = NULL;
  if (sf_pool_create("fuzz", (int64_t)64 << 20, NULL, &pool, &err) != SF_OK) return 0;
  sf_type *type = row_type(data[0]);
  size_t row_size = size - 1;
  uint8_t *framed = malloc(row_size + 4); /* of the exact size, for the sanitizer */
  int32_t prefix = (int32_t)row_size;
  memcpy(framed, &prefix, 4);
  if (row_size > 0) memcpy(framed + 4, data + 1, row_size);
  sf_batch_builder *b = NULL;
  if (sf_batch_builder_create(pool, type, &b, &err) != SF_OK) abort();
  bool sound = sf_binary_row_verify(type, framed + 4, row_size, &err) == SF_OK;
  sf_status one = sf_batch_builder_binary_row(b, framed + 4, row_size, &err);
  if (one == SF_OK) finish(pool, type, b);
  sf_batch_builder_destroy(b);
  if (sf_batch_builder_create(pool, type, &b, &err) != SF_OK) abort();
  sf_status bulk = sf_batch_builder_binary_rows(b, framed, row_size + 4, 1, &err);
  if (bulk == SF_OK) finish(pool, type, b);
  if (sound && (one != SF_OK || bulk != SF_OK)) abort();
  sf_batch_builder_destroy(b);
  free(framed);
  sf_type_release(type);
  if (sf_pool_used(pool) != 0) abort();
  sf_pool_release(pool);
  if (sf_live_objects() != live) abort();
  return 0;
}
