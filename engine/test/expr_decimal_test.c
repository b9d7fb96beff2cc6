/* DECIMAL arithmetic against values that stock Flink computed: golden/Decimals.java prints them.
 *
 * Each group of the file is one function with its types; its rows are evaluated together and one by one. */
#include "expr_support.h"

enum { MAX_ROWS = 64 };

typedef struct group {
  char op[16];
  int p1, s1, p2, s2, p, s, digits, n;
  bool binary;
  cell a[MAX_ROWS], b[MAX_ROWS], expected[MAX_ROWS];
  const char *failure[MAX_ROWS]; /* NULL: none */
} group;

static const char *const messages[] = {"Division by zero", "Division undefined", "Division impossible"};

static void read_row(group *g, int i, const char *a, const char *b, const char *result) {
  g->a[i] = (cell){.i = wide(a)};
  g->b[i] = (cell){.i = g->binary ? wide(b) : 0};
  g->failure[i] = NULL;
  g->expected[i] = (cell){.null = true};
  if (result[0] == '!') {
    for (int m = 0; m < 3; m++) {
      if (strncmp(result + 10, messages[m] + 9, 2) == 0) g->failure[i] = messages[m]; /* blanks are underscores there */
    }
    assert_non_null(g->failure[i]);
  } else if (strcmp(result, "NULL") != 0) {
    g->expected[i] = (cell){.i = wide(result)};
  }
}

static bool read_group(FILE *file, group *g) {
  char a[64], b[64], result[64];
  if (fscanf(file, "# %15s %d %d %d %d %d %d %d %d\n", g->op, &g->p1, &g->s1, &g->p2, &g->s2, &g->p, &g->s, &g->digits,
             &g->n) != 9) {
    return false;
  }
  g->binary = g->p2 != 0;
  assert_true(g->n <= MAX_ROWS);
  for (int i = 0; i < g->n; i++) {
    assert_int_equal(3, fscanf(file, "%63s %63s %63s\n", a, b, result));
    read_row(g, i, a, b, result);
  }
  return true;
}

static plan_expr *first(const group *g) { return input(0, DEC(g->p1, g->s1)); }
static plan_expr *second(const group *g) { return input(1, DEC(g->p2, g->s2)); }

static plan_expr *expression(group *g) {
  static const char *const binary[][2] = {
      {"add", "PLUS"}, {"sub", "MINUS"}, {"mul", "TIMES"}, {"div", "DIVIDE"}, {"mod", "MOD"}};
  static const char *const unary[][2] = {
      {"cast", "CAST"}, {"floor", "FLOOR"}, {"ceil", "CEIL"}, {"sign", "SIGN"}};
  for (int i = 0; i < 5; i++) {
    if (strcmp(binary[i][0], g->op) == 0) return CALL(binary[i][1], DEC(g->p, g->s), first(g), second(g));
  }
  for (int i = 0; i < 4; i++) {
    if (strcmp(unary[i][0], g->op) == 0) return CALL(unary[i][1], DEC(g->p, g->s), first(g));
  }
  if (strcmp(g->op, "round") == 0) return CALL("ROUND", DEC(g->p, g->s), first(g), LIT(INT, I(g->digits)));
  if (strcmp(g->op, "truncate") == 0) return CALL("TRUNCATE", DEC(g->p, g->s), first(g), LIT(INT, I(g->digits)));
  if (strcmp(g->op, "long") == 0) return CALL("CAST", BIG, first(g));
  if (strcmp(g->op, "double") == 0) {
    for (int i = 0; i < g->n; i++) {
      int64_t bits = (int64_t)g->expected[i].i;
      memcpy(&g->expected[i].d, &bits, sizeof bits);
    }
    return CALL("CAST", DOUBLE, first(g));
  }
  return NULL;
}

/* The sign of the order, from all six operators. */
static void check_comparisons(sf_pool *pool, const sf_batch *batch, const group *g) {
  static const char *const names[] = {"LESS_THAN",    "LESS_THAN_OR_EQUAL",    "EQUALS",
                                      "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "NOT_EQUALS"};
  for (int k = 0; k < 6; k++) {
    cell expected[MAX_ROWS];
    for (int i = 0; i < g->n; i++) {
      int order = (int)g->expected[i].i;
      bool holds[] = {order < 0, order <= 0, order == 0, order > 0, order >= 0, order != 0};
      expected[i] = (cell){.i = holds[k]};
    }
    expect(pool, batch, CALL(names[k], BOOL, first(g), second(g)), expected);
  }
}

static void check_group(sf_pool *pool, group *g) {
  plan_reset();
  sf_type *types[] = {DEC(g->p1, g->s1), g->binary ? DEC(g->p2, g->s2) : DEC(1, 0)};
  const cell *cells[] = {g->a, g->b};
  sf_batch *batch = batch_of(pool, 2, types, g->n, cells);
  plan_expr *e = expression(g);
  if (e == NULL) {
    check_comparisons(pool, batch, g);
    sf_batch_release(batch);
    return;
  }
  sf_expr *expr = compile_for(pool, NULL, NULL, batch->type, e);
  bool fails = false;
  for (int32_t i = 0; i < g->n; i++) {
    if (g->failure[i] == NULL) {
      expect_rows(expr, batch, &i, 1, g->expected);
      continue;
    }
    sf_error err;
    sf_column *none = NULL;
    fails = true;
    FAILS(SF_ARITHMETIC, sf_expr_eval(expr, batch, &i, 1, &none, &err));
    assert_string_equal(g->failure[i], err.message);
    assert_int_equal(i, err.row);
  }
  if (!fails) expect_rows(expr, batch, NULL, g->n, g->expected);
  sf_expr_destroy(expr);
  sf_batch_release(batch);
}

static const char *golden_path = GOLDEN_DIR "/decimals.txt";

static void test_golden(void **state) {
  (void)state;
  FILE *file = fopen(golden_path, "r");
  assert_non_null(file);
  sf_pool *pool = pool_of(-1);
  static group g;
  int groups = 0;
  while (read_group(file, &g)) {
    check_group(pool, &g);
    groups++;
  }
  fclose(file);
  sf_pool_release(pool);
  assert_true(groups >= 100);
}

/* With an argument, checks another, larger file of the generator. */
int main(int argc, char **argv) {
  if (argc > 1) golden_path = argv[1];
  const struct CMUnitTest tests[] = {TEST(test_golden)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
