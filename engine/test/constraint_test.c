/* The constraint enforcer against what stock Flink did with the same rows: golden/Constraints.java. */
#include "plan_support.h"

enum { FIELDS = 6 };

static sf_error err;

static sf_type *golden_sink_type(void) {
  static const char *const names[FIELDS] = {"id", "c", "v%s", "b", "free", "vb"};
  sf_type *fields[FIELDS] = {scalar(SF_TYPE_BIGINT, 0, 0, 0),    scalar(SF_TYPE_CHAR, 0, 0, 3),
                             scalar(SF_TYPE_VARCHAR, 0, 0, 4),   scalar(SF_TYPE_BINARY, 0, 0, 2),
                             scalar(SF_TYPE_VARCHAR, 0, 0, INT32_MAX), scalar(SF_TYPE_VARBINARY, 0, 0, 3)};
  sf_type *type = NULL;
  OK(sf_type_nested(SF_TYPE_ROW, true, FIELDS, fields, names, &type, &err));
  for (int i = 0; i < FIELDS; i++) sf_type_release(fields[i]);
  return type;
}

static sf_operator *golden_enforcer(sf_pool *pool, const sf_type *type, const char *not_null, const char *lengths) {
  static int32_t not_null_fields[2] = {0, 2}, length_fields[4] = {1, 2, 3, 5}, limits[4] = {3, 4, 2, 3};
  plan_reset();
  plan_operator *plan = operator_of(type, type);
  Streamfusion__Plan__ConstraintEnforcer *m = add_enforcer(plan);
  m->n_not_null_fields = 2;
  m->not_null_fields = not_null_fields;
  m->drop = strcmp(not_null, "DROP") == 0;
  m->length_action = strcmp(lengths, "ERROR") == 0      ? STREAMFUSION__PLAN__LENGTH_ACTION__LENGTH_ERROR
                     : strcmp(lengths, "TRIM_PAD") == 0 ? STREAMFUSION__PLAN__LENGTH_ACTION__LENGTH_TRIM_PAD
                                                        : STREAMFUSION__PLAN__LENGTH_ACTION__LENGTH_IGNORE;
  m->n_length_fields = m->n_lengths = 4;
  m->length_fields = length_fields;
  m->lengths = limits;
  sf_operator *op = NULL;
  OK(create_operator(pool, plan, &op, &err));
  return op;
}

/* Appends a field in the file's form: "-" or "x" and hexadecimal digits. */
static void append_field(sf_column_builder *b, bool number, const char *text) {
  char bytes[64];
  size_t n = 0;
  if (text[0] == '-') {
    OK(sf_column_builder_null(b, &err));
    return;
  }
  for (text++; text[0] != '\0'; text += 2) {
    const char pair[3] = {text[0], text[1], 0};
    bytes[n++] = (char)strtol(pair, NULL, 16);
  }
  bytes[n] = '\0';
  if (number) OK(sf_column_builder_int(b, strtoll(bytes, NULL, 10), &err));
  else OK(sf_column_builder_bytes(b, bytes, n, &err));
}

static void row_text(const sf_batch *batch, char *out) {
  for (int32_t f = 0; f < FIELDS; f++) {
    const sf_column *c = batch->columns[f];
    char number[24];
    sf_view view = {NULL, 0, 0};
    if (f > 0) out += sprintf(out, " ");
    if (sf_column_is_null(c, 0)) {
      out += sprintf(out, "-");
      continue;
    }
    if (f == 0) {
      int n = snprintf(number, sizeof number, "%lld", (long long)((const int64_t *)c->values)[0]);
      view = (sf_view){(const uint8_t *)number, (uint32_t)n, 0};
    } else {
      view = ((const sf_view *)c->values)[0];
    }
    out += sprintf(out, "x");
    for (uint32_t i = 0; i < view.size; i++) out += sprintf(out, "%02x", view.data[i]);
  }
}

static void describe(sf_status st, const sf_batch *result, char *out) {
  if (st == SF_NULL_POINTER) {
    strcpy(out, "null-pointer");
  } else if (st != SF_OK) {
    assert_int_equal(SF_CONSTRAINT, st);
    sprintf(out, "EnforcerException %s", err.message);
  } else if (result == NULL) {
    strcpy(out, "drop");
  } else {
    strcpy(out, "row ");
    row_text(result, out + 4);
  }
}

static void check_line(sf_pool *pool, const sf_type *type, char *line) {
  char *outcome = strstr(line, " -> "), *rest = NULL, actual[2048];
  *outcome = '\0';
  outcome += 4;
  outcome[strcspn(outcome, "\n")] = '\0';
  const char *not_null = strtok_r(line, " ", &rest), *lengths = strtok_r(NULL, " ", &rest);
  sf_operator *op = golden_enforcer(pool, type, not_null, lengths);
  sf_batch_builder *b = NULL;
  sf_batch *batch = NULL, *result = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  for (int32_t f = 0; f < FIELDS; f++) append_field(sf_batch_builder_column(b, f), f == 0, strtok_r(NULL, " ", &rest));
  OK(sf_batch_builder_end_row(b, SF_INSERT, &err));
  OK(sf_batch_builder_finish(b, &batch, &err));
  sf_collector collector = {&result, keep_one};
  sf_status st = sf_operator_process(op, 0, batch, &collector, &err);
  describe(st, result, actual);
  assert_string_equal(outcome, actual);
  sf_batch_release(result);
  sf_batch_release(batch);
  sf_batch_builder_destroy(b);
  sf_operator_destroy(op);
}

static void rows_fare_as_in_flink(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *type = golden_sink_type();
  FILE *file = fopen(GOLDEN_DIR "/constraints.txt", "r");
  assert_non_null(file);
  char line[4096];
  int n = 0;
  for (; fgets(line, sizeof line, file) != NULL; n++) check_line(pool, type, line);
  fclose(file);
  assert_int_equal(360, n);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
  plan_reset();
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(rows_fare_as_in_flink)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
