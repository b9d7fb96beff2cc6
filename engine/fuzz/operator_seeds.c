/* First inputs of operator_fuzz: Calcs with every function of the registry over some of the operand types that it accepts,
 * and operators of each other kind. usage: operator_seeds DIRECTORY */
#include "plan_support.h"

enum { N_TYPES = 13, COLUMNS = N_TYPES };

static const char *directory;
static int written;
static sf_error err;

static sf_type *type_of(int i) {
  switch (i) {
    case 0: return scalar(SF_TYPE_BOOLEAN, 0, 0, 0);
    case 1: return scalar(SF_TYPE_SMALLINT, 0, 0, 0);
    case 2: return scalar(SF_TYPE_INTEGER, 0, 0, 0);
    case 3: return scalar(SF_TYPE_BIGINT, 0, 0, 0);
    case 4: return scalar(SF_TYPE_FLOAT, 0, 0, 0);
    case 5: return scalar(SF_TYPE_DOUBLE, 0, 0, 0);
    case 6: return scalar(SF_TYPE_DECIMAL, 10, 2, 0);
    case 7: return scalar(SF_TYPE_DECIMAL, 38, 10, 0);
    case 8: return scalar(SF_TYPE_VARCHAR, 0, 0, INT32_MAX);
    case 9: return scalar(SF_TYPE_DATE, 0, 0, 0);
    case 10: return scalar(SF_TYPE_TIMESTAMP, 3, 0, 0);
    case 11: return scalar(SF_TYPE_TIMESTAMP_LTZ, 6, 0, 0);
    default: return scalar(SF_TYPE_VARBINARY, 0, 0, INT32_MAX);
  }
}

static sf_type *row_of_all(void) {
  static const char *const names[COLUMNS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"};
  sf_type *fields[COLUMNS], *type = NULL;
  for (int i = 0; i < COLUMNS; i++) fields[i] = type_of(i);
  OK(sf_type_nested(SF_TYPE_ROW, true, COLUMNS, fields, names, &type, &err));
  for (int i = 0; i < COLUMNS; i++) sf_type_release(fields[i]);
  return type;
}

static void write_plan(const plan_operator *plan) {
  char path[512];
  size_t size = streamfusion__plan__operator__get_packed_size(plan);
  uint8_t *bytes = malloc(size + 1);
  streamfusion__plan__operator__pack(plan, bytes);
  snprintf(path, sizeof path, "%s/seed-%d", directory, written++);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(size, fwrite(bytes, 1, size, file));
  fclose(file);
  free(bytes);
}

static bool supported(const plan_expr *e) {
  size_t size = streamfusion__plan__expr__get_packed_size(e);
  uint8_t *bytes = malloc(size + 1);
  streamfusion__plan__expr__pack(e, bytes);
  bool yes = sf_expr_supports(bytes, size);
  free(bytes);
  return yes;
}

static plan_expr *text_literal(const char *text) {
  plan_expr *e = expr_of(scalar(SF_TYPE_VARCHAR, 0, 0, INT32_MAX));
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_LITERAL;
  e->literal = plan_take(sizeof *e->literal);
  streamfusion__plan__literal__init(e->literal);
  e->literal->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_BYTES_VALUE;
  e->literal->bytes_value.len = strlen(text);
  e->literal->bytes_value.data = (uint8_t *)strcpy(plan_take(strlen(text) + 1), text);
  return e;
}

/* Operands: the columns, then literals such as functions take for units, patterns and modes. */
static plan_expr *operand(int i) {
  static const char *const literals[] = {"DAY", "BOTH", "yyyy-MM-dd HH:mm:ss", "%a%"};
  return i < COLUMNS ? input(i, type_of(i)) : text_literal(literals[i - COLUMNS]);
}
enum { N_OPERANDS = COLUMNS + 4 };

static bool try_call(const sf_type *in, const char *name, int result, const int *operands, size_t n) {
  plan_reset();
  plan_expr *e = call2(name, type_of(result), operand(operands[0]), n > 1 ? operand(operands[1]) : NULL);
  if (n == 3) {
    plan_expr **args = plan_take(3 * sizeof *args);
    args[0] = e->call->args[0];
    args[1] = e->call->args[1];
    args[2] = operand(operands[2]);
    e->call->args = args;
    e->call->n_args = 3;
  }
  if (!supported(e)) return false;
  sf_type *fields[1] = {type_of(result)};
  sf_type *out = nested(SF_TYPE_ROW, 1, fields);
  plan_expr **projection = plan_take(sizeof *projection);
  projection[0] = e;
  write_plan(calc_plan(in, out, NULL, projection));
  sf_type_release(out);
  return true;
}

static uint32_t pick(uint32_t n) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % n;
}

/* Some of the combinations: whichever of many random ones the function accepts. */
static void seeds_of(const sf_type *in, const char *name) {
  enum { TRIES = 2500, ENOUGH = 8 };
  for (int i = 0, found = 0; i < TRIES && found < ENOUGH; i++) {
    const int operands[3] = {(int)pick(N_OPERANDS), (int)pick(N_OPERANDS), (int)pick(N_OPERANDS)};
    found += try_call(in, name, (int)pick(N_TYPES), operands, 1 + pick(3));
  }
}

static void other_operators(const sf_type *in) {
  static int32_t not_null[2] = {2, 8}, fields[2] = {8, 12}, lengths[2] = {3, 4};
  plan_reset();
  write_plan(drop_plan(in));
  write_plan(watermark_plan(in, 10, input(10, type_of(10)), 200));
  for (int action = 0; action < 3; action++) {
    plan_operator *plan = operator_of(in, in);
    Streamfusion__Plan__ConstraintEnforcer *m = add_enforcer(plan);
    m->n_not_null_fields = 2;
    m->not_null_fields = not_null;
    m->drop = action != 0;
    m->n_length_fields = m->n_lengths = 2;
    m->length_fields = fields;
    m->lengths = lengths;
    m->length_action = (Streamfusion__Plan__LengthAction)action;
    write_plan(plan);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: operator_seeds DIRECTORY\n");
    return 2;
  }
  directory = argv[1];
  sf_type *in = row_of_all();
  const char *name = NULL, *signature = NULL, *previous = "";
  for (int32_t i = 0; sf_expr_function(i, &name, &signature); i++) {
    if (strcmp(name, previous) != 0) seeds_of(in, name);
    previous = name;
  }
  other_operators(in);
  sf_type_release(in);
  return 0;
}
