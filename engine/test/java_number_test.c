/* Texts that Java 17 (legacy) and Java 25 printed, and numbers that they read. */
#include "support.h"

#include "streamfusion/java_number.h"

typedef struct double_case {
  uint64_t bits;
  const char *legacy, *shortest; /* shortest NULL: the same */
} double_case;

static const double_case doubles[] = {
    {0x3f60624dd2f1a9fc, "0.002", NULL},
    {0x44c52d02c7e14af6, "1.9999999999999998E23", "2.0E23"},
    {0x44c74b1ca8ab05a9, "2.2E23", NULL},
    {0x44b52d02c7e14af6, "9.999999999999999E22", "1.0E23"},
    {0x1, "4.9E-324", NULL},
    {0x10000000000000, "2.2250738585072014E-308", NULL},
    {0x7fefffffffffffff, "1.7976931348623157E308", NULL},
    {0x16, "1.1E-322", NULL},
    {0x28, "2.0E-322", NULL},
    {0x4340000000000000, "9.007199254740992E15", NULL},
    {0x43f0000000000000, "1.8446744073709552E19", NULL},
    {0x43dfffffffffffff, "9.2233720368547748E18", "9.223372036854775E18"},
    {0x416312d000000000, "1.0E7", NULL},
    {0x416312cfe0000000, "9999999.0", NULL},
    {0x41678c29dccccccd, "1.23456789E7", NULL},
    {0x3f50624dd2f1a9fc, "0.001", NULL},
    {0x3f5061e273273f09, "9.999E-4", NULL},
    {0x437b69b4ba630f35, "1.2345678901234568E17", NULL},
    {0x447c7e83209e90b2, "8.409999999999999E21", "8.41E21"},
    {0x4370000000000000, "7.2057594037927936E16", "7.205759403792794E16"},
    {0x3ee4f8b588e368f1, "1.0E-5", NULL},
    {0xc059000000000000, "-100.0", NULL},
    {0x3fb999999999999a, "0.1", NULL},
    {0x0, "0.0", NULL},
    {0x8000000000000000, "-0.0", NULL},
    {0x7ff0000000000000, "Infinity", NULL},
    {0xfff0000000000000, "-Infinity", NULL},
    {0x7ff8000000000000, "NaN", NULL},
    {0xfff8000000000001, "NaN", NULL},
};

typedef struct float_case {
  uint32_t bits;
  const char *legacy, *shortest;
} float_case;

static const float_case floats[] = {
    {0x800000, "1.17549435E-38", "1.1754944E-38"},
    {0x7f7fffff, "3.4028235E38", NULL},
    {0x1, "1.4E-45", NULL},
    {0x3b03126f, "0.002", NULL},
    {0x4c000000, "3.3554432E7", NULL},
    {0x3c0b4396, "0.0085", NULL},
    {0x7, "9.8E-45", NULL},
    {0x501502f9, "1.0E10", NULL},
    {0x4b000000, "8388608.0", NULL},
    {0x3e99999a, "0.3", NULL},
    {0x34800000, "2.3841858E-7", NULL},
    {0xff800000, "-Infinity", NULL},
    {0xffc00000, "NaN", NULL},
    {0x80000000, "-0.0", NULL},
};

static double as_double(uint64_t bits) {
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}

static float as_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static void prints_doubles(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof doubles / sizeof doubles[0]; i++) {
    const double_case *c = &doubles[i];
    char buf[SF_DOUBLE_TEXT_MAX + 1];
    buf[sf_double_text(as_double(c->bits), true, buf)] = 0;
    assert_string_equal(c->legacy, buf);
    buf[sf_double_text(as_double(c->bits), false, buf)] = 0;
    assert_string_equal(c->shortest != NULL ? c->shortest : c->legacy, buf);
  }
}

static void prints_floats(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
    const float_case *c = &floats[i];
    char buf[SF_DOUBLE_TEXT_MAX + 1];
    buf[sf_float_text(as_float(c->bits), true, buf)] = 0;
    assert_string_equal(c->legacy, buf);
    buf[sf_float_text(as_float(c->bits), false, buf)] = 0;
    assert_string_equal(c->shortest != NULL ? c->shortest : c->legacy, buf);
  }
}

/* Whatever is printed reads back as the same number. */
static void round_trips(void **state) {
  (void)state;
  uint64_t x = 88172645463325252u;
  for (int i = 0; i < 200000; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    const double d = as_double(x);
    const float f = as_float((uint32_t)x);
    for (int legacy = 0; legacy < 2; legacy++) {
      char buf[SF_DOUBLE_TEXT_MAX];
      double back;
      float back_float;
      if (d == d) {
        const size_t n = sf_double_text(d, legacy, buf);
        assert_true(n <= sizeof buf);
        assert_true(sf_parse_double((const uint8_t *)buf, n, &back));
        assert_memory_equal(&d, &back, sizeof d);
      }
      if (f == f) {
        const size_t n = sf_float_text(f, legacy, buf);
        assert_true(sf_parse_float((const uint8_t *)buf, n, &back_float));
        assert_memory_equal(&f, &back_float, sizeof f);
      }
    }
  }
}

static void reads_doubles(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint64_t bits;
  } good[] = {
      {"00700200504.1849664207", 0x41c4de1b1c17acfb},
      {" \t13842.68115234375\n", 0x40cb095730000000},
      {"30.00704E19F", 0x4430445036f57960},
      {"+0x2BEf0e0c00EbbaP804", 0x7585f787060075dd},
      {"0x240cA56p+20", 0x42c20652b0000000},
      {"0e198", 0},
      {"-0", 0x8000000000000000},
      {"1e400", 0x7ff0000000000000},
      {"-1e-400", 0x8000000000000000},
      {"NaN", 0x7ff8000000000000},
      {"-Infinity", 0xfff0000000000000},
      {".5", 0x3fe0000000000000},
      {"5.d", 0x4014000000000000},
      {"9007199254740993", 0x4340000000000000},
      {"9007199254740993.00000000000000000000000000000000000000000000001", 0x4340000000000001},
  };
  static const char *const bad[] = {"",    " ",   "-",      ".",      "e5",  "1e",    "1e+",  "infinity", "nan",
                                    "0x1", "0xp1", "1 2",   "1.2.3",  "--1", "1dd",   "0x1.8", "1,5",     "\xc3\xa9",
                                    "1_0", "0b1", "Infinityd"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    double d;
    assert_true(sf_parse_double((const uint8_t *)good[i].text, strlen(good[i].text), &d));
    assert_true(memcmp(&good[i].bits, &d, sizeof d) == 0);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    double d;
    float f;
    assert_false(sf_parse_double((const uint8_t *)bad[i], strlen(bad[i]), &d));
    assert_false(sf_parse_float((const uint8_t *)bad[i], strlen(bad[i]), &f));
  }
}

/* Rounding to float by way of double would give 1.00000012. */
static void reads_floats_directly(void **state) {
  (void)state;
  const char *text = "1.00000017881393432617187499999999";
  float f;
  assert_true(sf_parse_float((const uint8_t *)text, strlen(text), &f));
  assert_true(f == as_float(0x3f800001));
}

static void reads_and_prints_decimals(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int32_t precision, scale;
    const char *plain, *scientific;
  } good[] = {
      {"00700200504.1849664207", 36, 4, "700200504.1850", "700200504.1850"},
      {"-1.5", 2, 0, "-2", "-2"},
      {"-0.49", 2, 0, "0", "0"},
      {"0e198", 12, 10, "0.0000000000", "0E-10"},
      {"1E-7", 10, 7, "0.0000001", "1E-7"},
      {"123E-9", 12, 9, "0.000000123", "1.23E-7"},
      {"9.99", 3, 2, "9.99", "9.99"},
      {"12e3", 5, 0, "12000", "12000"},
      {"99999999999999999999999999999999999999", 38, 0, "99999999999999999999999999999999999999",
       "99999999999999999999999999999999999999"},
  };
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    __int128 v;
    char buf[SF_DECIMAL_TEXT_MAX + 1];
    assert_int_equal(SF_DECIMAL_PARSED, sf_parse_decimal((const uint8_t *)good[i].text, strlen(good[i].text),
                                                         good[i].precision, good[i].scale, &v));
    buf[sf_decimal_text(v, good[i].scale, true, buf)] = 0;
    assert_string_equal(good[i].plain, buf);
    buf[sf_decimal_text(v, good[i].scale, false, buf)] = 0;
    assert_string_equal(good[i].scientific, buf);
  }
  static const struct {
    const char *text;
    sf_decimal_parse expected;
  } bad[] = {{"9.995", SF_DECIMAL_OVERFLOW},  {"10", SF_DECIMAL_OVERFLOW},     {"1e50", SF_DECIMAL_OVERFLOW},
             {"", SF_DECIMAL_MALFORMED},      {".", SF_DECIMAL_MALFORMED},     {" 1", SF_DECIMAL_MALFORMED},
             {"1e", SF_DECIMAL_MALFORMED},    {"1.2.3", SF_DECIMAL_MALFORMED}, {"1f", SF_DECIMAL_MALFORMED},
             {"\xd9\xa3", SF_DECIMAL_UNDECIDED}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    __int128 v;
    assert_int_equal(bad[i].expected, sf_parse_decimal((const uint8_t *)bad[i].text, strlen(bad[i].text), 3, 2, &v));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prints_doubles), cmocka_unit_test(prints_floats),         cmocka_unit_test(round_trips),
      cmocka_unit_test(reads_doubles),  cmocka_unit_test(reads_floats_directly), cmocka_unit_test(reads_and_prints_decimals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
