#include <stdlib.h>

#include "base/wire.h"
#include "plan_support.h"

static void check(sf_type *type, sf_layout layout, const char *text) {
  char buf[256];
  assert_int_equal(layout, type->layout);
  assert_string_equal(text, sf_type_text(type, buf, sizeof buf));
  sf_type_release(type);
}

static void layouts_and_texts_follow_the_kind(void **state) {
  (void)state;
  check(scalar(SF_TYPE_BOOLEAN, 0, 0, 0), SF_LAYOUT_BOOL, "BOOLEAN");
  check(scalar(SF_TYPE_TINYINT, 0, 0, 0), SF_LAYOUT_INT8, "TINYINT");
  check(scalar(SF_TYPE_SMALLINT, 0, 0, 0), SF_LAYOUT_INT16, "SMALLINT");
  check(scalar(SF_TYPE_INTEGER, 0, 0, 0), SF_LAYOUT_INT32, "INT");
  check(scalar(SF_TYPE_BIGINT, 0, 0, 0), SF_LAYOUT_INT64, "BIGINT");
  check(scalar(SF_TYPE_FLOAT, 0, 0, 0), SF_LAYOUT_FLOAT, "FLOAT");
  check(scalar(SF_TYPE_DOUBLE, 0, 0, 0), SF_LAYOUT_DOUBLE, "DOUBLE");
  check(scalar(SF_TYPE_DECIMAL, 18, 3, 0), SF_LAYOUT_INT64, "DECIMAL(18, 3)");
  check(scalar(SF_TYPE_DECIMAL, 19, 3, 0), SF_LAYOUT_INT128, "DECIMAL(19, 3)");
  check(scalar(SF_TYPE_CHAR, 0, 0, 3), SF_LAYOUT_VIEW, "CHAR(3)");
  check(scalar(SF_TYPE_VARCHAR, 0, 0, INT32_MAX), SF_LAYOUT_VIEW, "STRING");
  check(scalar(SF_TYPE_VARCHAR, 0, 0, 10), SF_LAYOUT_VIEW, "VARCHAR(10)");
  check(scalar(SF_TYPE_BINARY, 0, 0, 3), SF_LAYOUT_VIEW, "BINARY(3)");
  check(scalar(SF_TYPE_VARBINARY, 0, 0, INT32_MAX), SF_LAYOUT_VIEW, "BYTES");
  check(scalar(SF_TYPE_DATE, 0, 0, 0), SF_LAYOUT_INT32, "DATE");
  check(scalar(SF_TYPE_TIME, 3, 0, 0), SF_LAYOUT_INT32, "TIME(3)");
  check(scalar(SF_TYPE_TIMESTAMP, 3, 0, 0), SF_LAYOUT_INT64, "TIMESTAMP(3)");
  check(scalar(SF_TYPE_TIMESTAMP, 4, 0, 0), SF_LAYOUT_TIMESTAMP, "TIMESTAMP(4)");
  check(scalar(SF_TYPE_TIMESTAMP_LTZ, 9, 0, 0), SF_LAYOUT_TIMESTAMP, "TIMESTAMP_LTZ(9)");
  check(scalar(SF_TYPE_INTERVAL_YEAR_MONTH, 0, 0, 0), SF_LAYOUT_INT32, "INTERVAL YEAR TO MONTH");
  check(scalar(SF_TYPE_INTERVAL_DAY_TIME, 0, 0, 0), SF_LAYOUT_INT64, "INTERVAL DAY TO SECOND");
  check(scalar(SF_TYPE_NULL, 0, 0, 0), SF_LAYOUT_NULL, "NULL");
  sf_type *map[2] = {scalar(SF_TYPE_INTEGER, 0, 0, 0), scalar(SF_TYPE_DATE, 0, 0, 0)};
  check(nested(SF_TYPE_MAP, 2, map), SF_LAYOUT_MAP, "MAP<INT, DATE>");
  sf_type *element[1] = {scalar(SF_TYPE_INTEGER, 0, 0, 0)};
  sf_type *multiset = nested(SF_TYPE_MULTISET, 1, element);
  assert_int_equal(2, multiset->n_children);
  assert_int_equal(SF_TYPE_INTEGER, multiset->children[1]->kind);
  check(multiset, SF_LAYOUT_MAP, "MULTISET<INT>");
}

static void impossible_types_are_refused(void **state) {
  (void)state;
  sf_error err;
  sf_type *t = NULL;
  FAILS(SF_INVALID, sf_type_scalar(SF_TYPE_DECIMAL, true, 39, 0, 0, &t, &err));
  FAILS(SF_INVALID, sf_type_scalar(SF_TYPE_DECIMAL, true, 0, 0, 0, &t, &err));
  FAILS(SF_INVALID, sf_type_scalar(SF_TYPE_DECIMAL, true, 5, 6, 0, &t, &err));
  FAILS(SF_INVALID, sf_type_scalar(SF_TYPE_VARCHAR, true, 0, 0, -1, &t, &err));
  FAILS(SF_INVALID, sf_type_scalar(SF_TYPE_TIMESTAMP, true, 10, 0, 0, &t, &err));
  FAILS(SF_INVALID, sf_type_scalar(SF_TYPE_ROW, true, 0, 0, 0, &t, &err));
  FAILS(SF_INVALID, sf_type_scalar((sf_type_kind)0, true, 0, 0, 0, &t, &err));
  FAILS(SF_INVALID, sf_type_scalar((sf_type_kind)24, true, 0, 0, 0, &t, &err));
  FAILS(SF_INVALID, sf_type_nested(SF_TYPE_ARRAY, true, 2, NULL, NULL, &t, &err));
  FAILS(SF_INVALID, sf_type_nested(SF_TYPE_INTEGER, true, 0, NULL, NULL, &t, &err));
  sf_type *one[1] = {scalar(SF_TYPE_INTEGER, 0, 0, 0)};
  FAILS(SF_INVALID, sf_type_nested(SF_TYPE_ROW, true, 1, one, NULL, &t, &err)); /* no names */
  sf_type_release(one[0]);
  assert_null(t);
}

static sf_status decode(const plan_type *message, sf_type **out, sf_error *err) {
  size_t size = streamfusion__plan__type__get_packed_size(message);
  uint8_t *bytes = malloc(size + 1);
  streamfusion__plan__type__pack(message, bytes);
  sf_status st = sf_type_decode(bytes, size, out, err);
  free(bytes);
  return st;
}

static void types_survive_the_wire(void **state) {
  (void)state;
  sf_error err;
  sf_type *map[2] = {scalar(SF_TYPE_VARCHAR, 0, 0, 7), scalar(SF_TYPE_DECIMAL, 20, 3, 0)};
  sf_type *element[1] = {scalar(SF_TYPE_TIMESTAMP, 6, 0, 0)};
  sf_type *fields[3] = {nested(SF_TYPE_MAP, 2, map), nested(SF_TYPE_MULTISET, 1, element),
                        scalar(SF_TYPE_BIGINT, 0, 0, 0)};
  sf_type *type = nested(SF_TYPE_ROW, 3, fields), *back = NULL;
  plan_type *message = plan_of(type);
  OK(decode(message, &back, &err));
  assert_true(sf_type_equal(type, back, true));
  assert_string_equal("c", back->field_names[2]);
  sf_type_release(back);
  message->children[2]->nullable = false;
  OK(decode(message, &back, &err));
  assert_false(sf_type_equal(type, back, true));
  assert_true(sf_type_equal(type, back, false));
  sf_type_release(back);
  message->n_field_names = 2;
  FAILS(SF_INVALID, decode(message, &back, &err));
  message->n_field_names = 3;
  message->children[0]->n_children = 1;
  FAILS(SF_INVALID, decode(message, &back, &err));
  message->children[0]->n_children = 2;
  message->children[2]->kind = (Streamfusion__Plan__TypeKind)77;
  FAILS(SF_INVALID, decode(message, &back, &err));
  FAILS(SF_CORRUPT, sf_type_decode((const uint8_t *)"\x08", 1, &back, &err));
  FAILS(SF_INVALID, sf_type_decode(NULL, 0, &back, &err)); /* kind 0 */
  assert_null(back);
  sf_type_release(type);
  plan_reset();
}

static void deep_messages_are_refused_before_they_are_unpacked(void **state) {
  (void)state;
  sf_error err;
  sf_type *back = NULL;
  /* ARRAY of ARRAY of ...: each level is field 7 with the rest as its value */
  enum { LEVELS = 100000 };
  uint8_t *bytes = malloc(LEVELS * 8);
  size_t at = LEVELS * 8, size = 0;
  for (int i = 0; i < LEVELS; i++) {
    uint8_t head[8];
    size_t n = 0;
    head[n++] = 7 << 3 | 2;
    for (size_t v = size; n == 1 || v > 0; v >>= 7) head[n++] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
    at -= n;
    memcpy(bytes + at, head, n);
    size += n;
  }
  FAILS(SF_UNSUPPORTED, sf_type_decode(bytes + at, size, &back, &err));
  assert_non_null(strstr(err.message, "deeper"));
  assert_null(back);
  free(bytes);
}

static void texts_are_cut_but_terminated(void **state) {
  (void)state;
  sf_type *fields[2] = {scalar(SF_TYPE_BIGINT, 0, 0, 0), scalar(SF_TYPE_TIMESTAMP, 3, 0, 0)};
  sf_type *type = nested(SF_TYPE_ROW, 2, fields);
  char text[64];
  const char *full = "ROW<`a` BIGINT, `b` TIMESTAMP(3)>";
  for (size_t size = 1; size < sizeof text; size++) {
    memset(text, '#', sizeof text);
    sf_type_text(type, text, size);
    size_t n = strlen(text);
    assert_int_equal(strlen(full) < size ? strlen(full) : size - 1, n);
    assert_memory_equal(full, text, n);
  }
  sf_type_release(type);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(layouts_and_texts_follow_the_kind),
      TEST(impossible_types_are_refused),
      TEST(types_survive_the_wire),
      TEST(deep_messages_are_refused_before_they_are_unpacked),
      TEST(texts_are_cut_but_terminated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
