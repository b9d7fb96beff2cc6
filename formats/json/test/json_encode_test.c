/* Encoder: the text of every type; rows come from the decoder. */
#include "encode_internal.h"
#include "json_support.h"
#include "streamfusion/builder.h"

/* Decodes `in` and expects `out` when it is encoded again. */
static void check(const char *type, const char *const *options, const char *const *cases, size_t n) {
  for (int generic = 0; generic < 2; generic++) {
    codec c;
    codec_open(&c, type, options);
    if (generic == 1) c.encoder->copy_plain = sfi_copy_plain_generic;
    for (size_t i = 0; i < n; i += 2) {
      char *row;
      assert_string_not_equal("PUNT", codec_one(&c, cases[i]));
      codec_encode(&c, &row);
      if (strcmp(row, cases[i + 1]) != 0) fail_msg("%s: got %s, not %s", cases[i], row, cases[i + 1]);
      free(row);
    }
    codec_close(&c);
  }
}
#define CHECK(type, options, ...)                                   \
  do {                                                              \
    const char *const cases_[] = {__VA_ARGS__};                     \
    check(type, options, cases_, sizeof cases_ / sizeof cases_[0]); \
  } while (0)

static void test_scalars(void **state) {
  (void)state;
  CHECK("r(a:i1,b:i2,c:i4,d:i8)", NULL, "{\"a\":-128,\"b\":300,\"c\":-2147483648,\"d\":9223372036854775807}",
        "{\"a\":-128,\"b\":300,\"c\":-2147483648,\"d\":9223372036854775807}", "{\"a\":0,\"b\":10,\"c\":99,\"d\":100}",
        "{\"a\":0,\"b\":10,\"c\":99,\"d\":100}", "{}", "{\"a\":null,\"b\":null,\"c\":null,\"d\":null}");
  CHECK("r(a:f4,b:f8,c:b)", NULL, "{\"a\":1,\"b\":1e10,\"c\":true}", "{\"a\":1.0,\"b\":1.0E10,\"c\":true}",
        "{\"a\":0.1,\"b\":-0.0,\"c\":false}", "{\"a\":0.1,\"b\":-0.0,\"c\":false}");
  CHECK("r(a:D10.3)", NULL, "{\"a\":1.5}", "{\"a\":1.5}", "{\"a\":100}", "{\"a\":1E+2}", "{\"a\":0}", "{\"a\":0}", "{\"a\":-0.05}",
        "{\"a\":-0.05}", "{\"a\":120}", "{\"a\":1.2E+2}", "{\"a\":123}", "{\"a\":123}");
  CHECK("r(a:D38.20)", NULL, "{\"a\":0.0000001}", "{\"a\":1E-7}", "{\"a\":0.000001}", "{\"a\":0.000001}", "{\"a\":0.00000012}",
        "{\"a\":1.2E-7}", "{\"a\":123456789012345678.12345678901234567890}", "{\"a\":123456789012345678.1234567890123456789}");
  static const char *const plain[] = {"encode.decimal-as-plain-number", "true", NULL};
  CHECK("r(a:D10.3)", plain, "{\"a\":100}", "{\"a\":100.000}", "{\"a\":-0.05}", "{\"a\":-0.050}");
}

static void test_strings(void **state) {
  (void)state;
  CHECK("r(a:s)", NULL, "{\"a\":\"\"}", "{\"a\":\"\"}", "{\"a\":\"plain\"}", "{\"a\":\"plain\"}",
        "{\"a\":\"q\\\"b\\\\s\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"}",
        "{\"a\":\"q\\\"b\\\\s/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\"}", "{\"a\":\"\\u20AC\xf0\x9f\x98\x80\"}",
        "{\"a\":\"\xe2\x82\xac\\uD83D\\uDE00\"}",
        "{\"a\":\"0123456789012345678901234567890123456789\\n0123456789012345678901234567890123456789\"}",
        "{\"a\":\"0123456789012345678901234567890123456789\\n0123456789012345678901234567890123456789\"}");
  CHECK("r(a:y)", NULL, "{\"a\":\"AAEC/w==\"}", "{\"a\":\"AAEC/w==\"}", "{\"a\":\"AAE=\"}", "{\"a\":\"AAE=\"}", "{\"a\":\"AAEC\"}",
        "{\"a\":\"AAEC\"}");
}

/* Every length and every place of a byte that needs escaping, at the very end of an allocation. */
static void test_copy_of_plain_text(void **state) {
  (void)state;
  static const uint8_t specials[] = {'"', '\\', 0, 31, 128, 255};
  for (int generic = 0; generic < 2; generic++) {
    codec c;
    codec_open(&c, "r(a:s)", NULL);
    size_t (*copy)(uint8_t *, const uint8_t *, size_t) = generic == 1 ? sfi_copy_plain_generic : c.encoder->copy_plain;
    for (size_t size = 0; size <= 100; size++) {
      uint8_t *from = malloc(size + 1), to[200];
      for (size_t i = 0; i < size; i++) from[i + 1] = (uint8_t)(' ' + 3 + i % 50);
      assert_int_equal(size, copy(to, from + 1, size));
      assert_memory_equal(from + 1, to, size);
      for (size_t at = 0; at < size; at++) {
        uint8_t before = from[at + 1];
        from[at + 1] = specials[at % sizeof specials];
        assert_int_equal(at, copy(to, from + 1, size));
        assert_memory_equal(from + 1, to, at);
        from[at + 1] = before;
      }
      free(from);
    }
    codec_close(&c);
  }
}

static void check_long(int64_t value) {
  char expected[24];
  uint8_t text[32];
  int size = snprintf(expected, sizeof expected, "%lld", (long long)value);
  assert_int_equal(size, sfi_encode_long(text, value) - text);
  assert_memory_equal(expected, text, (size_t)size);
}

static void test_integers(void **state) {
  (void)state;
  uint64_t power = 1;
  for (int i = 0; i < 19; i++, power *= 10) {
    for (int64_t value = (int64_t)power - 2; value <= (int64_t)power + 2; value++) {
      check_long(value);
      check_long(-value);
      check_long((int64_t)(power * 9 / 2));
    }
  }
  for (int64_t value = 0; value < 100000000; value += 997) check_long(value);
  check_long(99999999);
  check_long(INT64_MAX);
  check_long(INT64_MIN);
}

static void test_times(void **state) {
  (void)state;
  CHECK("r(a:d,b:t)", NULL, "{\"a\":\"2024-02-29\",\"b\":\"23:59:59\"}", "{\"a\":\"2024-02-29\",\"b\":\"23:59:59\"}",
        "{\"a\":\"0000-03-01\",\"b\":\"00:00:00\"}", "{\"a\":\"0000-03-01\",\"b\":\"00:00:00\"}");
  CHECK("r(a:T3,b:T9,c:L3)", NULL,
        "{\"a\":\"1969-12-31 23:59:59.990\",\"b\":\"1969-12-31 23:59:59.000000100\",\"c\":\"1970-01-01 00:00:00Z\"}",
        "{\"a\":\"1969-12-31 23:59:59.99\",\"b\":\"1969-12-31 23:59:59.0000001\",\"c\":\"1970-01-01 00:00:00Z\"}");
  static const char *const iso[] = {"timestamp-format.standard", "ISO-8601", NULL};
  CHECK("r(a:T3,c:L9)", iso, "{\"a\":\"2001-01-01T00:00:00.001\",\"c\":\"1970-01-01T00:00:00.123456789Z\"}",
        "{\"a\":\"2001-01-01T00:00:00.001\",\"c\":\"1970-01-01T00:00:00.123456789Z\"}");
}

static void test_nested(void **state) {
  (void)state;
  CHECK("r(a:r(x:i4,y:a(s)),m:m(s,i4),n:n)", NULL, "{\"a\":{\"x\":1,\"y\":[\"p\",null]},\"m\":{\"k\":1}}",
        "{\"a\":{\"x\":1,\"y\":[\"p\",null]},\"m\":{\"k\":1},\"n\":null}", "{\"a\":{}}",
        "{\"a\":{\"x\":null,\"y\":null},\"m\":null,\"n\":null}", "{\"a\":{\"y\":[]},\"m\":{}}",
        "{\"a\":{\"x\":null,\"y\":[]},\"m\":{},\"n\":null}");
  static const char *const sparse[] = {"encode.ignore-null-fields", "true", NULL};
  CHECK("r(a:r(x:i4,y:a(i4)),m:m(s,i4))", sparse, "{}", "{}", "{\"a\":{}}", "{\"a\":{}}", "{\"a\":{\"y\":[null]},\"m\":{\"k\":null}}",
        "{\"a\":{\"y\":[null]},\"m\":{\"k\":null}}");
}

/* A one-row MAP column with these keys (NULL allowed), values 0, 1, ... */
static sf_column *map_column(codec *c, const char *const *keys, int32_t n) {
  sf_error err = {.message = ""};
  sf_column_builder *b = NULL;
  sf_column *column = NULL;
  OK(sf_column_builder_create(c->pool, c->type->children[0], &b, &err));
  for (int32_t i = 0; i < n; i++) {
    sf_column_builder *key = sf_column_builder_child(b, 0);
    OK(keys[i] == NULL ? sf_column_builder_null(key, &err) : sf_column_builder_bytes(key, keys[i], strlen(keys[i]), &err));
    OK(sf_column_builder_int(sf_column_builder_child(b, 1), i, &err));
  }
  OK(sf_column_builder_end(b, &err));
  OK(sf_column_builder_finish(b, &column, &err));
  sf_column_builder_destroy(b);
  return column;
}

static void check_map(const char *mode, const char *literal, const char *const *keys, int32_t n, const char *expected) {
  const char *options[] = {"map-null-key.mode", mode, "map-null-key.literal", literal, NULL};
  codec c;
  codec_open(&c, "r(m:m(s,i4))", options);
  sf_pool *pool = c.pool;
  sf_error err = {.message = ""};
  void *columns = NULL;
  OK(sf_pool_alloc(pool, sizeof(sf_column *), &columns, &err));
  c.decoded = (sf_decoded){.n_rows = 1, .n_columns = 1, .columns = columns};
  c.decoded.columns[0] = map_column(&c, keys, n);
  char *row;
  codec_encode(&c, &row);
  assert_string_equal(expected, row);
  free(row);
  codec_close(&c);
}

static void test_map_keys(void **state) {
  (void)state;
  const char *const with_null[] = {"a", NULL, "b"};
  check_map("FAIL", "x", with_null, 3, "PUNT");
  check_map("drop", "x", with_null, 3, "{\"m\":{\"a\":0,\"b\":2}}");
  check_map("LITERAL", "n\"l", with_null, 3, "{\"m\":{\"a\":0,\"n\\\"l\":1,\"b\":2}}");
  check_map("LITERAL", "b", with_null, 3, "PUNT");
  const char *const repeated[] = {"a", "b", "a"};
  check_map("FAIL", "x", repeated, 3, "PUNT");
  const char *const broken[] = {"\xff"};
  check_map("FAIL", "x", broken, 1, "PUNT");
}

/* Rows around a punt keep their text, and output grows as needed. */
static void test_many_rows(void **state) {
  (void)state;
  codec c;
  codec_open(&c, "r(a:i4,s:s)", NULL);
  const char *records[1000];
  char *rows[1000];
  char big[9000];
  sprintf(big, "{\"a\":7,\"s\":\"%0*d\\u0001\"}", 8000, 0);
  for (int i = 0; i < 1000; i++) records[i] = i % 2 == 0 ? big : "{\"a\":1}";
  codec_decode(&c, records, 1000);
  codec_encode(&c, rows);
  for (int i = 0; i < 1000; i++) {
    if (i % 2 == 0) {
      assert_string_equal(big, rows[i]);
    } else {
      assert_string_equal("{\"a\":1,\"s\":null}", rows[i]);
    }
    free(rows[i]);
  }
  codec_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_scalars),  TEST(test_strings), TEST(test_copy_of_plain_text), TEST(test_integers), TEST(test_times), TEST(test_nested),
      TEST(test_map_keys), TEST(test_many_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
