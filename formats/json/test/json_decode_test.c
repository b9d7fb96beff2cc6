/* Decoder: what is settled natively, to which value, and what is left to the host. */
#include "json_support.h"

typedef struct expectation {
  const char *record;
  const char *row;
} expectation;

static void check(const char *type, const char *const *options, const expectation *cases, size_t n) {
  for (int generic = 0; generic < 2; generic++) {
    codec c;
    codec_open_with(&c, type, options, NULL, generic == 1);
    for (size_t i = 0; i < n; i++) {
      const char *row = codec_one(&c, cases[i].record);
      if (strcmp(row, cases[i].row) != 0) fail_msg("%s: got %s, not %s", cases[i].record, row, cases[i].row);
    }
    codec_close(&c);
  }
}
#define CHECK(type, options, ...)                                              \
  do {                                                                         \
    const expectation cases_[] = {__VA_ARGS__};                                \
    check(type, options, cases_, sizeof cases_ / sizeof cases_[0]);            \
  } while (0)

static const char *const TREE[] = {"decode.json-parser.enabled", "false", NULL};
static const char *const ISO[] = {"timestamp-format.standard", "ISO-8601", NULL};
static const char *const STRICT[] = {"fail-on-missing-field", "true", NULL};

static void test_integers(void **state) {
  (void)state;
  CHECK("r(a:i8)", NULL, {"{\"a\":1}", "(1)"}, {"{\"a\":-0}", "(0)"}, {" { \"a\" : 12 } ", "(12)"},
        {"{\"a\":9223372036854775807}", "(9223372036854775807)"}, {"{\"a\":-9223372036854775807}", "(-9223372036854775807)"},
        {"{\"a\":-9223372036854775808}", "(-9223372036854775808)"}, {"{\"a\":-9223372036854775809}", "PUNT"},
        {"{\"a\":9223372036854775808}", "PUNT"}, {"{\"a\":1234567890123456}", "(1234567890123456)"},
        {"{\"a\":12345678901234567}", "(12345678901234567)"}, {"{\"a\":12345678}", "(12345678)"},
        {"{\"a\":123456789}", "(123456789)"}, {"{\"a\":01}", "PUNT"}, {"{\"a\":1.0}", "PUNT"}, {"{\"a\":1e2}", "PUNT"},
        {"{\"a\":\"17\"}", "(17)"}, {"{\"a\":\" 17\"}", "PUNT"}, {"{\"a\":true}", "PUNT"}, {"{\"a\":+1}", "PUNT"},
        {"{\"a\":-}", "PUNT"}, {"{\"a\":1", "PUNT"}, {"{\"a\":1x}", "PUNT"}, {"{\"a\":null}", "(null)"});
  CHECK("r(a:i1,b:i2,c:i4)", NULL, {"{\"a\":127,\"b\":-32768,\"c\":2147483647}", "(127,-32768,2147483647)"},
        {"{\"a\":128}", "PUNT"}, {"{\"b\":32768}", "PUNT"}, {"{\"c\":2147483648}", "PUNT"});
}

static void test_floating_and_decimal(void **state) {
  (void)state;
  CHECK("r(a:f8)", NULL, {"{\"a\":1}", "(3ff0000000000000)"}, {"{\"a\":-0}", "(8000000000000000)"},
        {"{\"a\":0.1}", "(3fb999999999999a)"}, {"{\"a\":1e400}", "PUNT"}, {"{\"a\":1.7976931348623157e308}", "(7fefffffffffffff)"},
        {"{\"a\":1.}", "PUNT"}, {"{\"a\":.5}", "PUNT"}, {"{\"a\":1e}", "PUNT"}, {"{\"a\":\"2.5\"}", "(4004000000000000)"},
        {"{\"a\":0x10}", "PUNT"}, {"{\"a\":NaN}", "PUNT"}, {"{\"a\":123456789012345678901234567890}", "(45f8ee90ff6c373e)"});
  CHECK("r(a:f4)", NULL, {"{\"a\":0.1}", "(3dcccccd)"}, {"{\"a\":1.00000017881393432617187499}", "(3f800001)"});
  /* Without a DECIMAL in the row the tree holds a double, which is narrowed. */
  CHECK("r(a:f4)", TREE, {"{\"a\":1.00000017881393432617187499}", "(3f800002)"}, {"{\"a\":-0.0}", "PUNT"});
  CHECK("r(a:f4,d:D5.2)", TREE, {"{\"a\":1.00000017881393432617187499}", "(3f800001,null)"});
  CHECK("r(a:D5.2,b:D38.10)", NULL, {"{\"a\":1.005,\"b\":-1}", "(101/2,-10000000000/10)"},
        {"{\"a\":-1.005,\"b\":\"12.50\"}", "(-101/2,125000000000/10)"}, {"{\"a\":1000,\"b\":1e3}", "(null,10000000000000/10)"},
        {"{\"a\":1e-999,\"b\":0}", "(0/2,0/10)"});
}

static void test_strings(void **state) {
  (void)state;
  CHECK("r(a:s)", NULL, {"{\"a\":\"\"}", "('')"}, {"{\"a\":\"x\"}", "('x')"},
        {"{\"a\":\"0123456789012345678901234567890123456789\"}", "('0123456789012345678901234567890123456789')"},
        {"{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "('\"\\x5c/\\x08\\x0c\\x0a\\x0d\\x09')"},
        {"{\"a\":\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"}", "('A\\xc3\\xa9\\xe2\\x82\\xac\\xf0\\x9f\\x98\\x80')"},
        {"{\"a\":\"\\ud83d\"}", "PUNT"}, {"{\"a\":\"\\ude00\"}", "PUNT"}, {"{\"a\":\"\\ud83dx\"}", "PUNT"},
        {"{\"a\":\"\\x\"}", "PUNT"}, {"{\"a\":\"\\u12g4\"}", "PUNT"}, {"{\"a\":\"a\nb\"}", "('a\\x0ab')"},
        {"{\"a\":\"\xc3\xa9\"}", "('\\xc3\\xa9')"}, {"{\"a\":\"\xc0\x80\"}", "PUNT"}, {"{\"a\":\"\xed\xa0\x80\"}", "PUNT"},
        {"{\"a\":\"\xc3\"}", "PUNT"}, {"{\"a\":\"\xf4\x90\x80\x80\"}", "PUNT"}, {"{\"a\":1.50}", "('1.50')"},
        {"{\"a\":true}", "('true')"}, {"{\"a\":{}}", "('{}')"}, {"{\"a\":\"x}", "PUNT"},
        {"{\"a\":\"\\", "PUNT"});
  CHECK("r(a:s)", TREE, {"{\"a\":1.50}", "PUNT"}, {"{\"a\":-0}", "PUNT"}, {"{\"a\":15}", "('15')"});
  CHECK("r(a:s)", NULL, {"{\"a\":[1 , -2.50,true,null,{ \"k\" : \"\\/\\u000a\\u00e9\" } ]}",
                       "('[1,-2.5,true,null,{\"k\":\"/\\x5cn\\xc3\\xa9\"}]')"},
        {"{\"a\":{\"k\":1,\"\\u006b\":2}}", "PUNT"}, {"{\"a\":{\"k\":{\"k\":[{}]},\"l\":1e5}}", "('{\"k\":{\"k\":[{}]},\"l\":100000.0}')"},
        {"{\"a\":[-0]}", "PUNT"}, {"{\"a\":[1}", "PUNT"});
  CHECK("r(a:s,d:D5.2)", NULL, {"{\"a\":[1.5]}", "PUNT"}, {"{\"a\":[15]}", "('[15]',null)"});
  CHECK("r(a:y)", NULL, {"{\"a\":\"AAEC/w==\"}", "('\\x00\\x01\\x02\\xff')"}, {"{\"a\":\"\"}", "('')"},
        {"{\"a\":\"AB==\"}", "PUNT"}, {"{\"a\":\"AAE\"}", "PUNT"}, {"{\"a\":\"AA E\"}", "PUNT"});
  CHECK("r(a:b)", NULL, {"{\"a\":true}", "(true)"}, {"{\"a\":false}", "(false)"}, {"{\"a\":\"true\"}", "(true)"},
        {"{\"a\":\"True\"}", "PUNT"}, {"{\"a\":tru}", "PUNT"}, {"{\"a\":1}", "PUNT"});
}

static void test_times(void **state) {
  (void)state;
  CHECK("r(a:d)", NULL, {"{\"a\":\"1970-01-02\"}", "(1)"}, {"{\"a\":\"2024-02-29\"}", "(19782)"},
        {"{\"a\":\"2023-02-29\"}", "PUNT"}, {"{\"a\":\"0000-01-01\"}", "(-719528)"}, {"{\"a\":\"9999-12-31\"}", "(2932896)"},
        {"{\"a\":\"2024-1-1\"}", "PUNT"}, {"{\"a\":20240101}", "PUNT"});
  CHECK("r(a:t)", NULL, {"{\"a\":\"01:02:03\"}", "(3723000)"}, {"{\"a\":\"01:02:03.999\"}", "(3723000)"},
        {"{\"a\":\"24:00:00\"}", "PUNT"}, {"{\"a\":\"01:02\"}", "PUNT"}, {"{\"a\":\"01:02:03.\"}", "PUNT"});
  CHECK("r(a:T3,b:T9)", NULL, {"{\"a\":\"1970-01-01 00:00:01.5\"}", "(1500.0,null)"},
        {"{\"b\":\"1969-12-31 23:59:59.999999999\"}", "(null,-1.999999)"}, {"{\"b\":\"1970-01-01 00:00:00\"}", "(null,0.0)"},
        {"{\"a\":\"1970-01-01T00:00:01.5\"}", "PUNT"}, {"{\"a\":\"1970-02-30 00:00:00\"}", "PUNT"},
        {"{\"b\":\"1970-01-01 00:00:00.1234567890\"}", "PUNT"}, {"{\"a\":\"1970-01-01 00:60:00\"}", "PUNT"});
  CHECK("r(a:T3,b:L3)", ISO, {"{\"a\":\"2001-09-09T01:46:40.000\",\"b\":\"1970-01-01T00:00:00.001Z\"}", "(1000000000000.0,1.0)"},
        {"{\"a\":\"2001-09-09 01:46:40.000\"}", "PUNT"}, {"{\"b\":\"1970-01-01T00:00:00.001\"}", "PUNT"});
  CHECK("r(b:L3)", NULL, {"{\"b\":\"1970-01-01 00:00:00.001Z\"}", "(1.0)"});
}

static void test_fields(void **state) {
  (void)state;
  CHECK("r(a:i4,b:i4)", NULL, {"{\"b\":2,\"a\":1}", "(1,2)"}, {"{}", "(null,null)"}, {"{\"a\":1,\"x\":[{\"y\":[]},{}],\"b\":2}", "(1,2)"},
        {"{\"a\":1,\"a\":2,\"b\":3}", "PUNT"}, {"{\"a\":1,\"b\":3,\"a\":2}", "(1,3)"}, {"{\"a\":1,\"b\":3,\"a\":x}", "PUNT"},
        {"{\"a\":1,\"b\":2}garbage", "(1,2)"}, {"{\"a\":1,}", "PUNT"}, {"{,\"a\":1}", "PUNT"}, {"{\"a\" 1}", "PUNT"},
        {"{\"A\":1}", "(null,null)"}, {"{\"\\u0061\":1}", "(1,null)"}, {"[]", "PUNT"}, {"", "PUNT"}, {NULL, "PUNT"},
        {"{\"x\":{\"y\":1]}}", "PUNT"}, {"{\"x\":nul}", "PUNT"}, {"{\"x\":1 2}", "PUNT"}, {"\xef\xbb\xbf{}", "PUNT"},
        {"{\"x\":\"\\q\"}", "PUNT"}, {"{\"x\":[1,]}", "PUNT"}, {"/**/{}", "PUNT"});
  CHECK("r(a:i4,b:i4)", TREE, {"{\"a\":1,\"b\":3,\"a\":2}", "PUNT"}, {"{\"a\":1,\"b\":3,\"c\":2}", "(1,3)"});
  CHECK("r(a:i4,b:i4)", STRICT, {"{\"a\":1}", "PUNT"}, {"{\"a\":1,\"b\":null}", "(1,null)"});
  CHECK("r(a_name_that_is_longer_than_thirty_two:i4)", NULL, {"{\"a_name_that_is_longer_than_thirty_two\":7}", "(7)"},
        {"{\"a_name_that_is_longer_than_thirty_twx\":7}", "(null)"});
}

static void test_nested(void **state) {
  (void)state;
  CHECK("r(a:r(x:i4,y:s),b:a(i4),c:a(r(z:a(s))))", NULL,
        {"{\"a\":{\"x\":1,\"y\":\"v\"},\"b\":[1,null,3],\"c\":[{\"z\":[\"p\"]},null,{},{\"z\":[]}]}",
         "((1,'v'),[1,null,3],[(['p']),null,(null),([])])"},
        {"{\"a\":null,\"b\":[]}", "(null,[],null)"}, {"{\"a\":{}}", "((null,null),null,null)"}, {"{\"a\":[]}", "PUNT"},
        {"{\"b\":[1,x]}", "PUNT"}, {"{\"b\":[1", "PUNT"});
  /* Entries come in the order of the HashMap that stock Flink fills. */
  CHECK("r(m:m(s,i4))", NULL, {"{\"m\":{}}", "({})"}, {"{\"m\":{\"k\":null}}", "({'k':null})"}, {"{\"m\":{\"k\":1,\"k\":2}}", "PUNT"},
        {"{\"m\":{\"a\":{}}}", "PUNT"}, {"{\"m\":{\"\\n\":1}}", "({'\\x0a':1})"});
  CHECK("r(n:n)", NULL, {"{\"n\":\"x\"}", "(null)"}, {"{\"n\":{}}", "PUNT"});
}

/* A punt leaves no trace in the rows around it. */
static void test_rollback(void **state) {
  (void)state;
  const char *records[] = {"{\"a\":[1,2],\"m\":{\"p\":[5]},\"s\":\"x\",\"t\":\"1970-01-01 00:00:00.000001\"}",
                           "{\"a\":[3,4],\"m\":{\"q\":[6,7]},\"s\":\"y\",\"t\":\"1970-01-01 00:00:00.000002\",\"e\":x}",
                           "{\"a\":[8,x],\"s\":\"y\"}", "{\"a\":[9],\"m\":{\"r\":[]}}"};
  codec c;
  codec_open(&c, "r(a:a(i4),m:m(s,a(i4)),s:s,t:T6,e:i4)", NULL);
  codec_decode(&c, records, 4);
  assert_string_equal("([1,2],{'p':[5]},'x',0.1000,null)", codec_row(&c, 0));
  assert_string_equal("([9],{'r':[]},null,null,null)", codec_row(&c, 3));
  assert_int_equal(2, c.decoded.n_punts);
  for (int row = 1; row < 3; row++) {
    assert_string_equal("PUNT", codec_row(&c, row));
    assert_string_equal("(null,null,null,null,null)", print_row(&c.text, c.decoded.columns, c.decoded.n_columns, row));
  }
  assert_int_equal(3, c.decoded.columns[0]->children[0]->length);
  codec_close(&c);
}

/* Unread fields come out as NULL, and are checked all the same. */
static void test_narrowing(void **state) {
  (void)state;
  const bool read[3] = {true, false, true};
  const int32_t path[] = {2, 1};
  const int32_t *paths[] = {path};
  const int32_t lengths[] = {2};
  sf_format_spec reads = {.read = read, .n_paths = 1, .paths = paths, .path_lengths = lengths};
  codec c;
  codec_open_with(&c, "r(a:i4,b:a(i4),c:r(x:s,y:i4,m:m(s,T3)))", NULL, &reads, false);
  assert_string_equal("(1,null,(null,2,null))",
                      codec_one(&c, "{\"a\":1,\"b\":[1],\"c\":{\"x\":\"\\n\",\"y\":2,\"m\":{\"k\":\"1970-01-01 00:00:00\"}}}"));
  assert_string_equal("PUNT", codec_one(&c, "{\"a\":1,\"b\":[\"x\"]}"));
  assert_string_equal("PUNT", codec_one(&c, "{\"a\":1,\"c\":{\"m\":{\"k\":\"1970-01-01\"}}}"));
  codec_close(&c);
}

/* More than 64 fields, more than one bitmap word of rows, keys out of order and repeated. */
static void test_wide_rows(void **state) {
  (void)state;
  char type[1200] = "r(", record[2000] = "{";
  for (int i = 0; i < 70; i++) {
    sprintf(type + strlen(type), "%sf%d:i4", i > 0 ? "," : "", i);
    sprintf(record + strlen(record), "%s\"f%d\":%d", i > 0 ? "," : "", 69 - i, 69 - i);
  }
  strcat(type, ")");
  strcat(record, "}");
  codec c;
  codec_open(&c, type, NULL);
  const char *records[200];
  for (int i = 0; i < 200; i++) records[i] = i % 3 == 1 ? "{\"f5\":1,\"f5\":2}" : record;
  codec_decode(&c, records, 200);
  for (int i = 0; i < 200; i++) {
    const char *row = codec_row(&c, i);
    if (i % 3 == 1) {
      assert_string_equal("PUNT", row);
    } else {
      assert_true(strncmp(row, "(0,1,2,3,", 9) == 0 && strstr(row, ",68,69)") != NULL);
    }
  }
  codec_close(&c);
}

static void test_limits(void **state) {
  (void)state;
  sf_error err = {.message = ""};
  const sf_format_host *host = sf_format_host_table();
  const sf_format *format = sf_format_init(host);
  sf_type *type = json_type_of("r(a:a(r(s:s)),m:m(s,s))");
  const char *record = "{\"a\":[{\"s\":\"\\n1\"},{\"s\":\"2\"}],\"m\":{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"}}";
  int failures = 0;
  for (int64_t limit = 0;; limit += 256) {
    int64_t live = sf_live_objects();
    sf_pool *pool = NULL, *input_pool = NULL;
    sf_buffer *input = NULL;
    OK(sf_pool_create("limited", limit, NULL, &pool, &err));
    OK(sf_pool_create("input", -1, NULL, &input_pool, &err));
    OK(sf_buffer_create(input_pool, strlen(record), &input, &err));
    memcpy(sf_buffer_data(input), record, strlen(record));
    int32_t offset = 0, size = (int32_t)strlen(record);
    sf_records in = {input, &offset, &size, 1};
    sf_format_spec spec = {.row_type = type};
    sf_decoder *decoder = NULL;
    sf_decoded out = {0};
    sf_status st = format->decoder_create(host, pool, &spec, &decoder, &err);
    if (st == SF_OK) st = format->decode(decoder, &in, &out, &err);
    if (st == SF_OK) {
      assert_int_equal(0, out.n_punts);
      for (int32_t i = 0; i < out.n_columns; i++) sf_column_release(out.columns[i]);
      sf_pool_free(pool, out.columns);
    }
    format->decoder_destroy(decoder);
    sf_buffer_release(input);
    sf_pool_release(input_pool);
    assert_int_equal(0, sf_pool_used(pool));
    sf_pool_release(pool);
    assert_int_equal(live, sf_live_objects());
    if (st == SF_OK) break;
    assert_int_equal(SF_LIMIT, st);
    failures++;
  }
  assert_true(failures > 10);
  sf_type_release(type);
}

static void test_refusals(void **state) {
  (void)state;
  sf_error err = {.message = ""};
  const sf_format_host *host = sf_format_host_table();
  sf_format_host other = *host;
  other.abi_version++;
  assert_null(sf_format_init(&other));
  const sf_format *format = sf_format_init(host);
  sf_pool *pool = NULL;
  OK(sf_pool_create("refusals", -1, NULL, &pool, &err));
  sf_decoder *decoder = NULL;
  sf_encoder *encoder = NULL;
  sf_type *type = json_type_of("r(m:m(i4,s))");
  sf_format_spec spec = {.row_type = type};
  assert_int_equal(SF_UNSUPPORTED, format->decoder_create(host, pool, &spec, &decoder, &err));
  assert_int_equal(SF_UNSUPPORTED, format->encoder_create(host, pool, &spec, &encoder, &err));
  sf_type_release(type);
  type = json_type_of("r(a:s)");
  sf_format_option option = {"no-such-option", "1"};
  spec = (sf_format_spec){.row_type = type, .n_options = 1, .options = &option};
  assert_int_equal(SF_UNSUPPORTED, format->decoder_create(host, pool, &spec, &decoder, &err));
  option = (sf_format_option){"timestamp-format.standard", "iso"};
  assert_int_equal(SF_UNSUPPORTED, format->decoder_create(host, pool, &spec, &decoder, &err));
  sf_type_release(type);
  sf_pool_release(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_integers), TEST(test_floating_and_decimal), TEST(test_strings), TEST(test_times),
      TEST(test_fields),   TEST(test_nested),               TEST(test_rollback), TEST(test_narrowing),
      TEST(test_wide_rows), TEST(test_limits),              TEST(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
