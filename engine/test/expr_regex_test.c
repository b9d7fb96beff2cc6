/* REGEXP_EXTRACT and REGEXP: which patterns the engine takes, and text that is no UTF-8. What they answer is in
 * golden/kernels/regex.cases. */
#include "expr_support.h"

static bool takes(const char *pattern, int group) {
  plan_reset();
  plan_expr *e = CALL("REGEXP_EXTRACT", TEXT, input(0, TEXT), LIT(TEXT, S(pattern)), LIT(INT, I(group)));
  return supported(e);
}

static void test_patterns(void **state) {
  (void)state;
  static const char *const taken[] = {"a", "(&|^)channel_id=([^&]*)", "[a-z]+?\\.", "(?:a|b)c{2,3}", "\xc3\xa4+", "]}"};
  static const char *const left[] = {
      "",       "a|",     "(",       ")",      "a)",      "(a",       "(a)*",   "(?:ab)+", "(?i)a", "(?<n>a)", "(?=a)",
      "a$",     "\\b",    "\\1",     "\\p{L}", "\\Qa\\E", "\\",       "\\u0041", "*a",     "a**",   "a{",      "a{2",
      "a{3,2}", "a{,2}",  "{1}",     "[",      "[]",      "[]a]",     "[a",     "[a&&b]",  "[[a]]", "[z-a]",   "[a-\\d]",
      "[\\d-z]", "[a-c-e]", "[--a]", "[\\b]",  "^*",      "a{1001}",  "\\x41",  "\xff"};
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) assert_true(takes(taken[i], 0));
  for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
    if (takes(left[i], 0)) fail_msg("taken: %s", left[i]);
  }
  assert_true(takes("(a)(b)", 2));
  assert_false(takes("(a)(b)", 3));
  assert_false(takes("(a)(b)", -1));
}

/* Where the user allows it, PCRE2 gets the pattern as it is. */
static void test_allowed(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  static const cell s[] = {S("xababy"), S("b"), S(""), N};
  const cell *cells[] = {s};
  sf_batch *b = batch_of(pool, 1, (sf_type *[]){TEXT}, 4, cells);
  plan_reset();
  plan_expr *extract = CALL("REGEXP_EXTRACT", TEXT, input(0, TEXT), LIT(TEXT, S("(?<=x)(ab)+")), LIT(INT, I(1)));
  plan_expr *regexp = CALL("REGEXP", BOOL, input(0, TEXT), LIT(TEXT, S("b(?=$|a)")));
  plan_expr *empty = CALL("REGEXP", BOOL, input(0, TEXT), LIT(TEXT, S("")));
  plan_expr *broken = CALL("REGEXP", BOOL, input(0, TEXT), LIT(TEXT, S("(")));
  assert_false(supported(extract));
  assert_false(supported(regexp));
  extract->call->allow_incompatible = regexp->call->allow_incompatible = true;
  empty->call->allow_incompatible = broken->call->allow_incompatible = true;
  EXPECT(pool, b, extract, S("ab"), N, N, N);
  EXPECT(pool, b, regexp, I(1), I(1), I(0), N);
  assert_false(supported(empty));
  assert_false(supported(broken));
  sf_batch_release(b);
  sf_pool_release(pool);
}

static void test_nesting(void **state) {
  (void)state;
  char deep[4001];
  for (int i = 0; i < 2000; i++) {
    deep[i] = '(';
    deep[2000 + i] = ')';
  }
  deep[4000] = 0;
  assert_false(takes(deep, 0));
}

/* What java.lang.String makes of it: U+FFFD for each part that is no character. */
static void test_broken_text(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *types[] = {TEXT};
  static const cell s[] = {S("a\xff" "b"), S("a\xe4\xb8" "b"), S("a\xed\xa0\x80" "b"), S("\xf0\x9f\x98"), S("\xc3"), N};
  const cell *cells[] = {s};
  sf_batch *b = batch_of(pool, 1, types, 6, cells);
  plan_reset();
  EXPECT(pool, b, CALL("REGEXP_EXTRACT", TEXT, input(0, TEXT), LIT(TEXT, S("[^a]+")), LIT(INT, I(0))), S("\xef\xbf\xbd" "b"),
         S("\xef\xbf\xbd" "b"), S("\xef\xbf\xbd" "b"), S("\xef\xbf\xbd"), S("\xef\xbf\xbd"), N);
  EXPECT(pool, b, CALL("REGEXP", BOOL, input(0, TEXT), LIT(TEXT, S("^a.b"))), I(1), I(1), I(1), I(0), I(0), N);
  sf_batch_release(b);
  sf_pool_release(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_patterns), TEST(test_allowed), TEST(test_nesting), TEST(test_broken_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
