/* The rows of golden/BinaryRows.java: a value of every type, NULLs in every column. */
#ifndef ENGINE_TEST_GOLDEN_ROWS_H
#define ENGINE_TEST_GOLDEN_ROWS_H

#include "support.h"

enum { N_FIELDS = 26, N_ROWS = 24 };

static sf_error err;

static inline sf_type *text_type(void) { return scalar(SF_TYPE_VARCHAR, 0, 0, INT32_MAX); }

static inline sf_type *golden_type(void) {
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
  sf_type *type = NULL;
  OK(sf_type_nested(SF_TYPE_ROW, true, N_FIELDS, fields, names, &type, &err));
  for (int i = 0; i < N_FIELDS; i++) sf_type_release(fields[i]);
  return type;
}

/* --- the values of BinaryRows.java */


static inline void add_text(sf_column_builder *b, int i) {
  char text[32] = "";
  int n = i % 20;
  memset(text, 'x', (size_t)n);
  if (i % 2 == 1) {
    memcpy(text + n, "\xc3\xa9", 2);
    n += 2;
  }
  OK(sf_column_builder_bytes(b, text, (size_t)n, &err));
}

static inline __int128 big(int i) { return (__int128)10000000000 * 10000000000 * (i - 3) + i; }

static inline void add_int(sf_column_builder *b, int64_t v) { OK(sf_column_builder_int(b, v, &err)); }
static inline void add_null(sf_column_builder *b) { OK(sf_column_builder_null(b, &err)); }
static inline void add_end(sf_column_builder *b) { OK(sf_column_builder_end(b, &err)); }

static inline void add_nan_float(sf_column_builder *b) {
  uint32_t bits = 0x7fc12345;
  float v;
  memcpy(&v, &bits, sizeof v);
  OK(sf_column_builder_double(b, v, &err));
}

static inline void add_inner_map(sf_column_builder *b, int k) {
  for (int j = 0; j < k % 6; j++) {
    add_text(sf_column_builder_child(b, 0), 9 * j);
    OK(sf_column_builder_int128(sf_column_builder_child(b, 1), big(j), &err));
  }
  add_end(b);
}

static inline void add_element(sf_column_builder *b, int k) {
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

static inline void add_collection(sf_column_builder *b, int f, int i) {
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

static inline void add_row_value(sf_column_builder *b, int i) {
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

static inline void add_value(sf_column_builder *b, int f, int i) {
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

static inline sf_batch *golden_batch(sf_pool *pool, const sf_type *type) {
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

#endif
