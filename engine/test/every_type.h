/* Batches with columns of every layout, for the tests of what moves them around. */
#ifndef ENGINE_TEST_EVERY_TYPE_H
#define ENGINE_TEST_EVERY_TYPE_H

#include "support.h"

/* Columns of every layout, `n` rows with row 1 of each 4 NULL, through a builder. */
static inline sf_type *every_type(void) {
  sf_type *inner[2] = {scalar(SF_TYPE_INTEGER, 0, 0, 0), scalar(SF_TYPE_VARCHAR, 0, 0, 100)};
  sf_type *map[2] = {scalar(SF_TYPE_VARCHAR, 0, 0, 100), scalar(SF_TYPE_BIGINT, 0, 0, 0)};
  sf_type *element[1] = {scalar(SF_TYPE_VARCHAR, 0, 0, 100)};
  sf_type *fields[12] = {
      scalar(SF_TYPE_BOOLEAN, 0, 0, 0),  scalar(SF_TYPE_TINYINT, 0, 0, 0),   scalar(SF_TYPE_SMALLINT, 0, 0, 0),
      scalar(SF_TYPE_INTEGER, 0, 0, 0),  scalar(SF_TYPE_BIGINT, 0, 0, 0),    scalar(SF_TYPE_DOUBLE, 0, 0, 0),
      scalar(SF_TYPE_DECIMAL, 30, 2, 0), scalar(SF_TYPE_TIMESTAMP, 9, 0, 0), scalar(SF_TYPE_VARCHAR, 0, 0, 100),
      nested(SF_TYPE_ROW, 2, inner),     nested(SF_TYPE_ARRAY, 1, element),  nested(SF_TYPE_MAP, 2, map)};
  return nested(SF_TYPE_ROW, 12, fields);
}

static inline sf_status append_text(sf_column_builder *b, int64_t i, sf_error *err) {
  char text[32];
  int n = snprintf(text, sizeof text, "value number %lld", (long long)i);
  return sf_column_builder_bytes(b, text, (size_t)n, err);
}

static inline sf_status append_row(sf_batch_builder *b, int64_t i, sf_error *err) {
  sf_column_builder *c[12];
  for (int32_t k = 0; k < 12; k++) c[k] = sf_batch_builder_column(b, k);
  if (i % 4 == 1) {
    for (int32_t k = 0; k < 12; k++) SF_TRY(sf_column_builder_null(c[k], err));
    return sf_batch_builder_end_row(b, (uint8_t)(i % 3), err);
  }
  SF_TRY(sf_column_builder_int(c[0], i % 2, err));
  for (int32_t k = 1; k <= 4; k++) SF_TRY(sf_column_builder_int(c[k], i, err));
  SF_TRY(sf_column_builder_double(c[5], (double)i / 2, err));
  SF_TRY(sf_column_builder_int128(c[6], ((__int128)1 << 70) * i, err));
  SF_TRY(sf_column_builder_timestamp(c[7], i * 1000, (int32_t)i, err));
  SF_TRY(append_text(c[8], i, err));
  SF_TRY(sf_column_builder_int(sf_column_builder_child(c[9], 0), i, err));
  SF_TRY(append_text(sf_column_builder_child(c[9], 1), i + 1, err));
  SF_TRY(sf_column_builder_end(c[9], err));
  for (int64_t k = 0; k < i % 5; k++) {
    SF_TRY(append_text(sf_column_builder_child(c[10], 0), k, err));
    SF_TRY(append_text(sf_column_builder_child(c[11], 0), k, err));
    SF_TRY(sf_column_builder_int(sf_column_builder_child(c[11], 1), i, err));
  }
  SF_TRY(sf_column_builder_end(c[10], err));
  SF_TRY(sf_column_builder_end(c[11], err));
  return sf_batch_builder_end_row(b, (uint8_t)(i % 3), err);
}

static inline sf_status build(sf_pool *pool, const sf_type *type, int64_t from, int64_t to, sf_batch **out, sf_error *err) {
  *out = NULL;
  sf_batch_builder *b = NULL;
  SF_TRY(sf_batch_builder_create(pool, type, &b, err));
  sf_status st = SF_OK;
  for (int64_t i = from; i < to && st == SF_OK; i++) {
    if (i % 10 == 9) st = sf_batch_builder_mark(b, i, err);
    if (st == SF_OK) st = append_row(b, i, err);
  }
  if (st == SF_OK) st = sf_batch_builder_finish(b, out, err);
  sf_batch_builder_destroy(b);
  return st;
}

static inline void expect_text(const sf_column *c, int64_t row, int64_t i) {
  char text[32];
  int n = snprintf(text, sizeof text, "value number %lld", (long long)i);
  sf_view view = ((const sf_view *)c->values)[row];
  assert_int_equal(n, view.size);
  assert_memory_equal(text, view.data, view.size);
}

/* Row `row` of the batch is what append_row(i) put in. */
static inline void expect_row(const sf_batch *b, int64_t row, int64_t i) {
  assert_int_equal(i % 3, b->row_kinds == NULL ? 0 : b->row_kinds[row]);
  for (int32_t k = 0; k < 12; k++) assert_int_equal(i % 4 == 1, sf_column_is_null(b->columns[k], row));
  if (i % 4 == 1) return;
  assert_int_equal(i % 2, ((const uint8_t *)b->columns[0]->values)[row]);
  assert_int_equal((int8_t)i, ((const int8_t *)b->columns[1]->values)[row]);
  assert_int_equal((int16_t)i, ((const int16_t *)b->columns[2]->values)[row]);
  assert_int_equal(i, ((const int32_t *)b->columns[3]->values)[row]);
  assert_int_equal(i, ((const int64_t *)b->columns[4]->values)[row]);
  assert_true((double)i / 2 == ((const double *)b->columns[5]->values)[row]);
  assert_true(((__int128)1 << 70) * i == ((const __int128 *)b->columns[6]->values)[row]);
  assert_int_equal(i * 1000, ((const int64_t *)b->columns[7]->values)[row]);
  assert_int_equal(i, ((const int32_t *)b->columns[7]->aux)[row]);
  expect_text(b->columns[8], row, i);
  assert_int_equal(i, ((const int32_t *)b->columns[9]->children[0]->values)[row]);
  expect_text(b->columns[9]->children[1], row, i + 1);
  for (int32_t k = 10; k <= 11; k++) {
    const sf_column *list = b->columns[k];
    const int32_t *offsets = list->aux;
    assert_int_equal(i % 5, offsets[row + 1] - offsets[row]);
    for (int64_t e = 0; e < i % 5; e++) expect_text(list->children[0], offsets[row] + e, e);
    if (k == 11 && i % 5 > 0) {
      assert_int_equal(i, ((const int64_t *)list->children[1]->values)[offsets[row]]);
    }
  }
}

#endif
