/* Cases that stock Flink answered, run through the evaluator: the files of engine/test/golden/kernels, or one given on the
 * command line ("-" is standard input).
 *
 * A file has one case per line, fields separated by tabs. A line that starts with "#" sets what follows:
 *   #call NAME RESULT OPERAND...    a function with the types of its result and operands; an operand "TYPE=value" is a
 *                                   literal, "TYPE" a column. Types: BOOL I8 I16 I32 I64 FLOAT DOUBLE DEC(p,s) CHAR(n)
 *                                   STR VARCHAR(n) BIN(n) BYTES DATE TIME(p) TS(p) LTZ(p) MONTHS MILLIS.
 *   #zone INITIAL INSTANT:OFFSET... session zone: offset in seconds, then transitions in epoch seconds
 *   #utilzone INITIAL ...           the same as java.util.TimeZone has it
 *   #legacy 0|1                     how the JDK prints floating-point numbers
 *   ## text                         a comment
 * Other lines: one value per column operand, then the expected one. Values: \N for NULL, integers (DATE days, TIME millis,
 * DECIMAL unscaled), BOOL 0 or 1, FLOAT and DOUBLE as their bits in hexadecimal, timestamps as millis,nanos, strings with
 * \t \n \r \\ and \xHH escapes. Expected may also be !STATUS or !STATUS:message for a row that fails. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan_support.h"
#include "streamfusion/expr.h"

#define MAX_OPERANDS 12
#define BATCH 512

typedef struct operand {
  sf_type *type;
  plan_expr *literal; /* NULL: a column */
} operand;

typedef struct runner {
  sf_pool *pool;
  sf_session *session;
  Streamfusion__Plan__SessionSettings settings;
  Streamfusion__Plan__Zone zones[2]; /* session zone, and java.util's */
  int64_t *instants[2];
  int32_t *offsets[2];
  char name[64];
  sf_type *result;
  operand operands[MAX_OPERANDS];
  int n_operands, n_columns;
  sf_type *row_type;
  sf_expr *expr;
  sf_batch_builder *rows;
  sf_column_builder *expected;
  char *lines[BATCH];
  int n_rows;
  long cases, wrong;
} runner;

static sf_type *parse_type(const char *text, size_t size) {
  static const struct {
    const char *name;
    sf_type_kind kind;
    char argument; /* what the number in parentheses means */
  } types[] = {{"BOOL", SF_TYPE_BOOLEAN, 0},  {"I8", SF_TYPE_TINYINT, 0},     {"I16", SF_TYPE_SMALLINT, 0},
               {"I32", SF_TYPE_INTEGER, 0},   {"I64", SF_TYPE_BIGINT, 0},     {"FLOAT", SF_TYPE_FLOAT, 0},
               {"DOUBLE", SF_TYPE_DOUBLE, 0}, {"DEC", SF_TYPE_DECIMAL, 'p'},  {"CHAR", SF_TYPE_CHAR, 'l'},
               {"STR", SF_TYPE_VARCHAR, 's'}, {"VARCHAR", SF_TYPE_VARCHAR, 'l'}, {"BIN", SF_TYPE_BINARY, 'l'},
               {"BYTES", SF_TYPE_VARBINARY, 's'}, {"VARBIN", SF_TYPE_VARBINARY, 'l'}, {"DATE", SF_TYPE_DATE, 0},
               {"TIME", SF_TYPE_TIME, 'p'},   {"TS", SF_TYPE_TIMESTAMP, 'p'}, {"LTZ", SF_TYPE_TIMESTAMP_LTZ, 'p'},
               {"MONTHS", SF_TYPE_INTERVAL_YEAR_MONTH, 0}, {"MILLIS", SF_TYPE_INTERVAL_DAY_TIME, 0}};
  int a = 0, b = 0;
  size_t n = strcspn(text, "(=");
  if (n > size) n = size;
  if (n < size && text[n] == '(') sscanf(text + n, "(%d,%d)", &a, &b);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (strlen(types[i].name) != n || memcmp(types[i].name, text, n) != 0) continue;
    const bool length = types[i].argument == 'l';
    return scalar(types[i].kind, length ? 0 : a, b, types[i].argument == 's' ? INT32_MAX : length ? a : 0);
  }
  fail_msg("no such type: %.*s", (int)size, text);
  return NULL;
}

/* In place; returns the size. */
static size_t unescape(char *s) {
  char *to = s;
  const char *from = s;
  for (; *from != 0; from++) {
    if (*from != '\\') {
      *to++ = *from;
      continue;
    }
    from++;
    if (*from == 'x') {
      unsigned v = 0;
      sscanf(from + 1, "%2x", &v);
      *to++ = (char)v;
      from += 2;
    } else {
      *to++ = *from == 't' ? '\t' : *from == 'n' ? '\n' : *from == 'r' ? '\r' : *from;
    }
  }
  *to = 0;
  return (size_t)(to - s);
}

static __int128 parse_int128(const char *s) {
  const bool negative = *s == '-';
  unsigned __int128 v = 0;
  for (s += negative; *s >= '0' && *s <= '9'; s++) v = v * 10 + (unsigned)(*s - '0');
  return negative ? -(__int128)v : (__int128)v;
}

static void append(sf_column_builder *b, const sf_type *type, const char *field) {
  sf_error err;
  if (strcmp(field, "\\N") == 0) {
    OK(sf_column_builder_null(b, &err));
    return;
  }
  char *copy = strdup(field);
  int64_t millis = 0;
  int nanos = 0;
  switch (type->layout) {
    case SF_LAYOUT_VIEW: {
      const size_t size = unescape(copy);
      OK(sf_column_builder_bytes(b, copy, size, &err));
      break;
    }
    case SF_LAYOUT_FLOAT: {
      const uint32_t bits = (uint32_t)strtoul(field, NULL, 16);
      float f;
      memcpy(&f, &bits, sizeof f);
      OK(sf_column_builder_double(b, f, &err));
      break;
    }
    case SF_LAYOUT_DOUBLE: {
      const uint64_t bits = strtoull(field, NULL, 16);
      double d;
      memcpy(&d, &bits, sizeof d);
      OK(sf_column_builder_double(b, d, &err));
      break;
    }
    case SF_LAYOUT_INT128: OK(sf_column_builder_int128(b, parse_int128(field), &err)); break;
    default:
      if (type->kind == SF_TYPE_TIMESTAMP || type->kind == SF_TYPE_TIMESTAMP_LTZ) {
        sscanf(field, "%ld,%d", &millis, &nanos);
        OK(sf_column_builder_timestamp(b, millis, nanos, &err));
      } else {
        OK(sf_column_builder_int(b, strtoll(field, NULL, 10), &err));
      }
  }
  free(copy);
}

static bool same(const sf_column *a, int64_t i, const sf_column *b, int64_t j) {
  const bool null = sf_column_is_null(a, i);
  if (null != sf_column_is_null(b, j)) return false;
  if (null) return true;
  if (a->is_const) i = 0;
  const size_t width = sf_layout_width(a->type->layout);
  switch (a->type->layout) {
    case SF_LAYOUT_VIEW: {
      const sf_view *x = (const sf_view *)a->values + i, *y = (const sf_view *)b->values + j;
      return x->size == y->size && (x->size == 0 || memcmp(x->data, y->data, x->size) == 0);
    }
    case SF_LAYOUT_TIMESTAMP:
      return ((const int64_t *)a->values)[i] == ((const int64_t *)b->values)[j] &&
             ((const int32_t *)a->aux)[i] == ((const int32_t *)b->aux)[j];
    default:
      return memcmp((const char *)a->values + (size_t)i * width, (const char *)b->values + (size_t)j * width, width) == 0;
  }
}

static void show(const sf_column *c, int64_t i) {
  if (sf_column_is_null(c, i)) {
    print_message("NULL");
    return;
  }
  if (c->is_const) i = 0;
  switch (c->type->layout) {
    case SF_LAYOUT_VIEW: {
      const sf_view *v = (const sf_view *)c->values + i;
      print_message("'%.*s'", (int)v->size, v->size == 0 ? "" : (const char *)v->data);
      return;
    }
    case SF_LAYOUT_TIMESTAMP:
      print_message("%ld,%d", ((const int64_t *)c->values)[i], ((const int32_t *)c->aux)[i]);
      return;
    case SF_LAYOUT_BOOL: print_message("%d", ((const uint8_t *)c->values)[i]); return;
    case SF_LAYOUT_INT8: print_message("%d", ((const int8_t *)c->values)[i]); return;
    case SF_LAYOUT_INT16: print_message("%d", ((const int16_t *)c->values)[i]); return;
    case SF_LAYOUT_INT32: print_message("%d", ((const int32_t *)c->values)[i]); return;
    case SF_LAYOUT_FLOAT: print_message("%.9g", (double)((const float *)c->values)[i]); return;
    case SF_LAYOUT_DOUBLE: print_message("%.17g", ((const double *)c->values)[i]); return;
    case SF_LAYOUT_INT128: {
      const __int128 v = ((const __int128 *)c->values)[i];
      print_message("%ld:%lu", (long)(v >> 64), (unsigned long)v);
      return;
    }
    default: print_message("%ld", ((const int64_t *)c->values)[i]);
  }
}

static void complain(runner *r, const char *line, const char *why) {
  if (r->wrong++ < 12) print_message("%s [%s]: %s ", r->name, line, why);
}

static void flush_rows(runner *r) {
  if (r->n_rows == 0) return;
  sf_error err = {.message = ""};
  sf_batch *batch = NULL;
  sf_column *expected = NULL, *got = NULL;
  OK(sf_batch_builder_finish(r->rows, &batch, &err));
  OK(sf_column_builder_finish(r->expected, &expected, &err));
  if (sf_expr_eval(r->expr, batch, NULL, 0, &got, &err) != SF_OK) {
    complain(r, r->lines[err.row >= 0 && err.row < r->n_rows ? err.row : 0], "unexpected failure: ");
    if (r->wrong <= 12) print_message("%s\n", err.message);
  } else {
    for (int i = 0; i < r->n_rows; i++) {
      if (same(got, i, expected, i)) continue;
      complain(r, r->lines[i], "got");
      if (r->wrong > 12) continue;
      show(got, i);
      print_message("\n");
    }
  }
  for (int i = 0; i < r->n_rows; i++) free(r->lines[i]);
  r->n_rows = 0;
  sf_column_release(got);
  sf_column_release(expected);
  sf_batch_release(batch);
}

/* A row that Flink fails on, in a batch of its own. expected: "STATUS" or "STATUS:message". */
static void run_failing(runner *r, char *const *fields, const char *line, char *expected) {
  sf_error err = {.message = ""};
  for (int c = 0; c < r->n_columns; c++) {
    append(sf_batch_builder_column(r->rows, c), r->row_type->children[c], fields[c]);
  }
  OK(sf_batch_builder_end_row(r->rows, SF_INSERT, &err));
  sf_batch *batch = NULL;
  sf_column *got = NULL;
  OK(sf_batch_builder_finish(r->rows, &batch, &err));
  const sf_status st = sf_expr_eval(r->expr, batch, NULL, 0, &got, &err);
  char *message = strchr(expected, ':');
  if (message != NULL) *message++ = 0;
  if (message != NULL) unescape(message);
  if (st == SF_OK || strcmp(sf_status_name(st), expected) != 0 || (message != NULL && strcmp(message, err.message) != 0)) {
    complain(r, line, st == SF_OK ? "did not fail\n" : "failed with ");
    if (st != SF_OK && r->wrong <= 12) print_message("%s: %s\n", sf_status_name(st), err.message);
  }
  sf_column_release(got);
  sf_batch_release(batch);
}

static void end_call(runner *r) {
  flush_rows(r);
  sf_expr_destroy(r->expr);
  sf_batch_builder_destroy(r->rows);
  sf_column_builder_destroy(r->expected);
  sf_type_release(r->row_type);
  sf_type_release(r->result);
  for (int i = 0; i < r->n_operands; i++) sf_type_release(r->operands[i].type);
  r->expr = NULL;
  r->rows = NULL;
  r->expected = NULL;
  r->row_type = r->result = NULL;
  r->n_operands = r->n_columns = 0;
  plan_reset();
}

static plan_expr *literal_of(const sf_type *type, const char *value) {
  plan_expr *e = expr_of(sf_type_retain(type));
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_LITERAL;
  e->literal = plan_take(sizeof *e->literal);
  streamfusion__plan__literal__init(e->literal);
  if (type->layout == SF_LAYOUT_VIEW) {
    char *copy = strcpy(plan_take(strlen(value) + 1), value);
    e->literal->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_BYTES_VALUE;
    e->literal->bytes_value.len = unescape(copy);
    e->literal->bytes_value.data = (uint8_t *)copy;
  } else {
    e->literal->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_INT_VALUE;
    e->literal->int_value = strtoll(value, NULL, 10);
  }
  return e;
}

/* Compiles the call over the columns among its operands. */
static bool begin_call(runner *r, char **words, int n) {
  sf_error err = {.message = ""};
  end_call(r);
  snprintf(r->name, sizeof r->name, "%s", words[1]);
  r->result = parse_type(words[2], strlen(words[2]));
  plan_expr *args[MAX_OPERANDS];
  sf_type *columns[MAX_OPERANDS];
  for (int i = 3; i < n; i++) {
    operand *o = &r->operands[r->n_operands];
    o->type = parse_type(words[i], strlen(words[i]));
    const char *equals = strchr(words[i], '=');
    if (equals != NULL) {
      args[r->n_operands] = literal_of(o->type, equals + 1);
    } else {
      args[r->n_operands] = input(r->n_columns, sf_type_retain(o->type));
      columns[r->n_columns++] = sf_type_retain(o->type);
    }
    r->n_operands++;
  }
  r->row_type = nested(SF_TYPE_ROW, r->n_columns, columns);
  plan_expr *e = expr_of(sf_type_retain(r->result));
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_CALL;
  e->call = plan_take(sizeof *e->call);
  streamfusion__plan__call__init(e->call);
  e->call->function = r->name;
  e->call->n_args = (size_t)r->n_operands;
  e->call->args = args;
  const size_t size = streamfusion__plan__expr__get_packed_size(e);
  uint8_t *bytes = malloc(size + 1);
  streamfusion__plan__expr__pack(e, bytes);
  const sf_status st = sf_expr_compile(r->pool, r->session, NULL, r->row_type, bytes, size, &r->expr, &err);
  free(bytes);
  if (st != SF_OK) {
    print_message("%s: %s\n", r->name, err.message);
    return false;
  }
  OK(sf_batch_builder_create(r->pool, r->row_type, &r->rows, &err));
  OK(sf_column_builder_create(r->pool, r->result, &r->expected, &err));
  return true;
}

static void renew_session(runner *r) {
  sf_error err = {.message = ""};
  const size_t size = streamfusion__plan__session_settings__get_packed_size(&r->settings);
  uint8_t *bytes = malloc(size + 1);
  streamfusion__plan__session_settings__pack(&r->settings, bytes);
  sf_session_destroy(r->session);
  OK(sf_session_create(bytes, size, &r->session, &err));
  free(bytes);
}

static void set_zone(runner *r, int which, char **words, int n) {
  end_call(r);
  free(r->instants[which]);
  free(r->offsets[which]);
  int64_t *instants = r->instants[which] = calloc((size_t)n, sizeof *instants);
  int32_t *offsets = r->offsets[which] = calloc((size_t)n, sizeof *offsets);
  Streamfusion__Plan__Zone *zone = &r->zones[which];
  streamfusion__plan__zone__init(zone);
  zone->initial_offset = atoi(words[1]);
  for (int i = 2; i < n; i++) sscanf(words[i], "%ld:%d", &instants[i - 2], &offsets[i - 2]);
  zone->n_transition_epoch_seconds = zone->n_offset_after = (size_t)(n - 2);
  zone->transition_epoch_seconds = instants;
  zone->offset_after = offsets;
  if (which == 0) r->settings.zone = zone;
  r->settings.util_zone = which == 0 ? NULL : zone;
  r->settings.util_until_epoch_second = INT64_MAX;
  renew_session(r);
}

static bool directive(runner *r, char *line) {
  static char *words[4096];
  int n = 0;
  for (char *at = line, *word; (word = strsep(&at, "\t")) != NULL && n < 4096;) words[n++] = word;
  if (strcmp(words[0], "#call") == 0 && n >= 3 && n - 3 <= MAX_OPERANDS) return begin_call(r, words, n);
  if (strcmp(words[0], "#zone") == 0 && n >= 2) {
    set_zone(r, 0, words, n);
    return true;
  }
  if (strcmp(words[0], "#utilzone") == 0 && n >= 2) {
    set_zone(r, 1, words, n);
    return true;
  }
  if (strcmp(words[0], "#legacy") == 0 && n == 2) {
    end_call(r);
    r->settings.double_to_string_legacy = atoi(words[1]) != 0;
    renew_session(r);
    return true;
  }
  return words[0][1] == '#';
}

static bool run_line(runner *r, char *line) {
  sf_error err;
  char *fields[MAX_OPERANDS + 1];
  char *copy = strdup(line);
  int n = 0;
  for (char *at = line, *field; n <= MAX_OPERANDS && (field = strsep(&at, "\t")) != NULL;) fields[n++] = field;
  if (r->expr == NULL || n != r->n_columns + 1) {
    print_message("malformed line: %s\n", copy);
    free(copy);
    return false;
  }
  r->cases++;
  char *expected = fields[r->n_columns];
  if (expected[0] == '!') {
    flush_rows(r);
    run_failing(r, fields, copy, expected + 1);
    free(copy);
    return true;
  }
  for (int c = 0; c < r->n_columns; c++) {
    append(sf_batch_builder_column(r->rows, c), r->row_type->children[c], fields[c]);
  }
  OK(sf_batch_builder_end_row(r->rows, SF_INSERT, &err));
  append(r->expected, r->result, expected);
  r->lines[r->n_rows++] = copy;
  if (r->n_rows == BATCH) flush_rows(r);
  return true;
}

/* Number of wrong answers, the first few of which are printed; -1: the file is malformed or a call is unknown. */
static long run_kernel_cases(FILE *file, long *n_cases) {
  runner r = {.pool = pool_of(-1)};
  streamfusion__plan__session_settings__init(&r.settings);
  renew_session(&r);
  char *line = NULL;
  size_t capacity = 0;
  ssize_t size;
  bool fine = true;
  while (fine && (size = getline(&line, &capacity, file)) > 0) {
    if (line[size - 1] == '\n') line[--size] = 0;
    if (size > 0) fine = line[0] == '#' ? directive(&r, line) : run_line(&r, line);
  }
  end_call(&r);
  free(line);
  for (int i = 0; i < 2; i++) {
    free(r.instants[i]);
    free(r.offsets[i]);
  }
  sf_session_destroy(r.session);
  sf_pool_release(r.pool);
  *n_cases = r.cases;
  return fine ? r.wrong : -1;
}

static void run_file(const char *path) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
  if (file == NULL) fail_msg("cannot open %s", path);
  long n = 0;
  const int64_t live = sf_live_objects();
  const long wrong = run_kernel_cases(file, &n);
  if (file != stdin) fclose(file);
  print_message("%s: %ld cases\n", path, n);
  assert_int_equal(0, wrong);
  assert_true(n > 0);
  assert_int_equal(live, sf_live_objects());
}

static void runs_all_files(void **state) {
  (void)state;
  const char *folder = GOLDEN_DIR "/kernels";
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  int files = 0;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    if (strstr(e->d_name, ".cases") == NULL) continue;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    run_file(path);
    files++;
  }
  closedir(dir);
  assert_true(files > 0);
}

static const char *only;
static void runs_one_file(void **state) {
  (void)state;
  run_file(only);
}

int main(int argc, char **argv) {
  const struct CMUnitTest all[] = {cmocka_unit_test(runs_all_files)};
  const struct CMUnitTest one[] = {cmocka_unit_test(runs_one_file)};
  if (argc < 2) return cmocka_run_group_tests(all, NULL, NULL);
  only = argv[1];
  return cmocka_run_group_tests(one, NULL, NULL);
}
