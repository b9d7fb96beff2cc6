/* Arithmetic on integers, floating-point numbers and intervals, as Flink's generated Java computes it: integers wrap
 * around at the width of the result type, integer division by zero is an ArithmeticException. */
#include <math.h>

#include "expr/loops.h"

/* --- loops: a OP b, either side const */

#define SHAPES(expression_cc, expression_cs, expression_sc)        \
  if (b_const) {                                                   \
    for (int64_t i = 0; i < n; i++) to[i] = expression_cs;         \
  } else if (a_const) {                                            \
    for (int64_t i = 0; i < n; i++) to[i] = expression_sc;         \
  } else {                                                         \
    for (int64_t i = 0; i < n; i++) to[i] = expression_cc;         \
  }

/* `wide` is the type in which the operation cannot overflow in the sense of C. */
#define BINARY_LOOP(name, type, wide, op)                                                                       \
  SFI_VECTOR static void name(const void *a, bool a_const, const void *b, bool b_const, void *out, int64_t n) { \
    const type *x = a, *y = b;                                                                                  \
    type *restrict to = out;                                                                                    \
    wide p = (wide)x[0], q = (wide)y[0];                                                                        \
    SHAPES((type)((wide)x[i] op(wide) y[i]), (type)((wide)x[i] op q), (type)(p op(wide) y[i]))                  \
  }

#define PLUS_MINUS_TIMES(suffix, type, wide) \
  BINARY_LOOP(plus_##suffix, type, wide, +)  \
  BINARY_LOOP(minus_##suffix, type, wide, -) \
  BINARY_LOOP(times_##suffix, type, wide, *)

PLUS_MINUS_TIMES(int8, int8_t, int32_t)
PLUS_MINUS_TIMES(int16, int16_t, int32_t)
PLUS_MINUS_TIMES(int32, int32_t, uint32_t)
PLUS_MINUS_TIMES(int64, int64_t, uint64_t)
PLUS_MINUS_TIMES(float, float, float)
PLUS_MINUS_TIMES(double, double, double)
BINARY_LOOP(divide_float, float, float, /)
BINARY_LOOP(divide_double, double, double, /)

typedef void (*binary_loop)(const void *, bool, const void *, bool, void *, int64_t);

#define LOOPS_OF(op)                                                                                          \
  {                                                                                                           \
    [SF_LAYOUT_INT8] = op##_int8, [SF_LAYOUT_INT16] = op##_int16, [SF_LAYOUT_INT32] = op##_int32,              \
    [SF_LAYOUT_INT64] = op##_int64, [SF_LAYOUT_FLOAT] = op##_float, [SF_LAYOUT_DOUBLE] = op##_double           \
  }
static const binary_loop plus_loops[] = LOOPS_OF(plus);
static const binary_loop minus_loops[] = LOOPS_OF(minus);
static const binary_loop times_loops[] = LOOPS_OF(times);
static const binary_loop real_divide_loops[] = {[SF_LAYOUT_FLOAT] = divide_float, [SF_LAYOUT_DOUBLE] = divide_double};

/* Both operands are cast to the result type first. */
static sf_status binary(const sfi_call *call, sfi_eval *ev, const binary_loop *loops, const sf_column *const *args,
                        sf_column **out, sf_error *err) {
  sf_layout layout = call->type->layout;
  sfi_operand a = {0}, b = {0};
  sf_buffer *values = NULL;
  sf_status st = sfi_number_open(ev, args[0], layout, &a, err);
  if (st == SF_OK) st = sfi_number_open(ev, args[1], layout, &b, err);
  if (st == SF_OK) st = sfi_values_create(ev, layout, &values, err);
  if (st == SF_OK) loops[layout](a.values, a.is_const, b.values, b.is_const, sf_buffer_data(values), ev->length);
  sfi_operand_close(&a);
  sfi_operand_close(&b);
  return st == SF_OK ? sfi_finish_strict(call, ev, values, NULL, out, err) : st;
}

#define BINARY_KERNEL(name, loops)                                                                           \
  static sf_status name(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,   \
                        sf_error *err) {                                                                     \
    return binary(call, ev, loops, args, out, err);                                                          \
  }
BINARY_KERNEL(plus_kernel, plus_loops)
BINARY_KERNEL(minus_kernel, minus_loops)
BINARY_KERNEL(times_kernel, times_loops)
BINARY_KERNEL(real_divide_kernel, real_divide_loops)

/* --- integer division and remainder */

typedef enum division { QUOTIENT, REMAINDER } division;

/* y is not 0; -1 is apart because MIN_VALUE / -1 traps in C and wraps in Java. */
static inline int64_t divide_one(division what, int64_t x, int64_t y) {
  if (y == -1) return what == QUOTIENT ? (int64_t)(0 - (uint64_t)x) : 0;
  if ((((uint64_t)x | (uint64_t)y) >> 32) == 0) {
    uint32_t p = (uint32_t)x, q = (uint32_t)y; /* much faster than a 64-bit division on most processors */
    return what == QUOTIENT ? p / q : p % q;
  }
  return what == QUOTIENT ? x / y : x % y;
}

/* Divisor const and not 0. */
static void divide_by_const(division what, const int64_t *x, int64_t y, int64_t *to, int64_t n) {
  if (what == QUOTIENT) {
    for (int64_t i = 0; i < n; i++) to[i] = divide_one(QUOTIENT, x[i], y);
  } else {
    for (int64_t i = 0; i < n; i++) to[i] = divide_one(REMAINDER, x[i], y);
  }
}

static sf_status divide_rows(const sfi_eval *ev, division what, const sfi_operand *a, const sfi_operand *b, int64_t *to,
                             sf_error *err) {
  const int64_t *x = a->values, *y = b->values;
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    to[i] = 0;
    if (!sfi_strict_valid(ev, i)) continue;
    int64_t divisor = y[b->is_const ? 0 : i];
    if (divisor == 0) return sf_fail_row(err, SF_ARITHMETIC, i, "/ by zero");
    to[i] = divide_one(what, x[a->is_const ? 0 : i], divisor);
  }
  return SF_OK;
}

/* Quotients of 64-bit integers, narrowed to the result's layout in place. */
static sf_status divide_into(const sfi_call *call, const sfi_eval *ev, division what, const sfi_operand *a,
                             const sfi_operand *b, sf_buffer **out, sf_error *err) {
  SF_TRY(sf_buffer_create(ev->pool, sizeof(int64_t) * (size_t)ev->length, out, err));
  int64_t *to = (int64_t *)(void *)sf_buffer_data(*out);
  int64_t constant = b->is_const ? ((const int64_t *)b->values)[0] : 0;
  if (constant != 0 && !a->is_const) {
    divide_by_const(what, a->values, constant, to, ev->length);
  } else {
    SF_TRY(divide_rows(ev, what, a, b, to, err));
  }
  if (call->type->layout != SF_LAYOUT_INT64) sfi_convert(to, SF_LAYOUT_INT64, to, call->type->layout, ev->length);
  return SF_OK;
}

/* The operand cast to `type` and then widened to 64 bits. */
static sf_status open_long(const sfi_eval *ev, const sf_column *column, const sf_type *type, sfi_operand *out,
                           sf_error *err) {
  bool narrows = sf_layout_width(column->type->layout) > sf_layout_width(type->layout);
  SF_TRY(sfi_operand_open(ev, column, narrows ? type->layout : SF_LAYOUT_INT64, out, err));
  if (!narrows) return SF_OK;
  int64_t n = column->is_const ? 1 : ev->length;
  sf_buffer *wide = NULL;
  SF_TRY(sf_buffer_create(ev->pool, sizeof(int64_t) * (size_t)n, &wide, err));
  sfi_convert(out->values, type->layout, sf_buffer_data(wide), SF_LAYOUT_INT64, n);
  sfi_operand_close(out);
  out->owned = wide;
  out->values = sf_buffer_data(wide);
  return SF_OK;
}

static sf_status integer_division(const sfi_call *call, sfi_eval *ev, division what, const sf_column *const *args,
                                  sf_column **out, sf_error *err) {
  sfi_operand a = {0}, b = {0};
  sf_buffer *values = NULL;
  /* The left operand of % keeps its own type: BIGINT % INT is a remainder of longs, cast to int. */
  sf_status st = open_long(ev, args[0], what == QUOTIENT ? call->type : args[0]->type, &a, err);
  if (st == SF_OK) st = open_long(ev, args[1], call->type, &b, err);
  if (st == SF_OK) st = divide_into(call, ev, what, &a, &b, &values, err);
  sfi_operand_close(&a);
  sfi_operand_close(&b);
  if (st != SF_OK) {
    sf_buffer_release(values);
    return st;
  }
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

static sf_status quotient_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                 sf_error *err) {
  return integer_division(call, ev, QUOTIENT, args, out, err);
}

static sf_status remainder_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                  sf_error *err) {
  return integer_division(call, ev, REMAINDER, args, out, err);
}

/* --- one operand */

#define UNARY_LOOP(name, type, expression)                                \
  SFI_VECTOR static void name(const void *from, void *out, int64_t n) {   \
    const type *x = from;                                                 \
    type *restrict to = out;                                              \
    for (int64_t i = 0; i < n; i++) to[i] = (type)(expression);           \
  }

UNARY_LOOP(negate_int8, int8_t, -x[i])
UNARY_LOOP(negate_int16, int16_t, -x[i])
UNARY_LOOP(negate_int32, int32_t, 0 - (uint32_t)x[i])
UNARY_LOOP(negate_int64, int64_t, 0 - (uint64_t)x[i])
UNARY_LOOP(negate_float, float, -x[i])
UNARY_LOOP(negate_double, double, -x[i])

/* Math.abs: MIN_VALUE stays negative. */
UNARY_LOOP(abs_int8, int8_t, x[i] < 0 ? -x[i] : x[i])
UNARY_LOOP(abs_int16, int16_t, x[i] < 0 ? -x[i] : x[i])
UNARY_LOOP(abs_int32, int32_t, x[i] < 0 ? 0 - (uint32_t)x[i] : (uint32_t)x[i])
UNARY_LOOP(abs_int64, int64_t, x[i] < 0 ? 0 - (uint64_t)x[i] : (uint64_t)x[i])
UNARY_LOOP(abs_float, float, fabsf(x[i]))
UNARY_LOOP(abs_double, double, fabs(x[i]))

UNARY_LOOP(sign_int32, int32_t, (x[i] > 0) - (x[i] < 0))
UNARY_LOOP(sign_int64, int64_t, (x[i] > 0) - (x[i] < 0))
/* Math.signum keeps NaN and the zeros. */
UNARY_LOOP(sign_float, float, x[i] > 0 ? 1 : x[i] < 0 ? -1 : x[i])
UNARY_LOOP(sign_double, double, x[i] > 0 ? 1 : x[i] < 0 ? -1 : x[i])

UNARY_LOOP(floor_float, float, floorf(x[i]))
UNARY_LOOP(floor_double, double, floor(x[i]))
UNARY_LOOP(ceil_float, float, ceilf(x[i]))
UNARY_LOOP(ceil_double, double, ceil(x[i]))

typedef void (*unary_loop)(const void *, void *, int64_t);
static const unary_loop negate_loops[SF_LAYOUT_NULL] = LOOPS_OF(negate);
static const unary_loop abs_loops[SF_LAYOUT_NULL] = LOOPS_OF(abs);
static const unary_loop sign_loops[SF_LAYOUT_NULL] = {[SF_LAYOUT_INT32] = sign_int32,
                                                      [SF_LAYOUT_INT64] = sign_int64,
                                                      [SF_LAYOUT_FLOAT] = sign_float,
                                                      [SF_LAYOUT_DOUBLE] = sign_double};
static const unary_loop floor_loops[SF_LAYOUT_NULL] = {[SF_LAYOUT_FLOAT] = floor_float,
                                                       [SF_LAYOUT_DOUBLE] = floor_double};
static const unary_loop ceil_loops[SF_LAYOUT_NULL] = {[SF_LAYOUT_FLOAT] = ceil_float,
                                                      [SF_LAYOUT_DOUBLE] = ceil_double};

static sf_status unary(const sfi_call *call, sfi_eval *ev, const unary_loop *loops, const sf_column *arg,
                       sf_column **out, sf_error *err) {
  sf_buffer *values = NULL;
  SF_TRY(sfi_values_create(ev, call->type->layout, &values, err));
  loops[call->type->layout](arg->values, sf_buffer_data(values), ev->length);
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

#define UNARY_KERNEL(name, loops)                                                                            \
  static sf_status name(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,   \
                        sf_error *err) {                                                                     \
    return unary(call, ev, loops, args[0], out, err);                                                        \
  }
UNARY_KERNEL(negate_kernel, negate_loops)
UNARY_KERNEL(abs_kernel, abs_loops)
UNARY_KERNEL(sign_kernel, sign_loops)
UNARY_KERNEL(floor_kernel, floor_loops)
UNARY_KERNEL(ceil_kernel, ceil_loops)

static sf_status identity_kernel(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                 sf_error *err) {
  (void)ev;
  return sf_column_retype((sf_column *)(uintptr_t)args[0], call->type, out, err);
}

/* --- accepted types */

static bool is_integer(const sf_type *t) { return t->kind >= SF_TYPE_TINYINT && t->kind <= SF_TYPE_BIGINT; }
static bool is_real(const sf_type *t) { return t->kind == SF_TYPE_FLOAT || t->kind == SF_TYPE_DOUBLE; }
static bool is_numeric(const sf_type *t) { return t->kind >= SF_TYPE_TINYINT && t->kind <= SF_TYPE_DECIMAL; }
static bool is_interval(const sf_type *t) {
  return t->kind == SF_TYPE_INTERVAL_YEAR_MONTH || t->kind == SF_TYPE_INTERVAL_DAY_TIME;
}

/* Integers among themselves, or anything numeric into a floating-point result. */
static bool accepts_numbers(const sfi_call *call) {
  if (call->n_args != 2) return false;
  const sf_type *a = call->arg_types[0], *b = call->arg_types[1];
  if (is_real(call->type)) return is_numeric(a) && is_numeric(b);
  return is_integer(call->type) && is_integer(a) && is_integer(b);
}

static bool accepts_sum(const sfi_call *call) {
  if (accepts_numbers(call)) return true;
  return call->n_args == 2 && is_interval(call->type) && call->arg_types[0]->kind == call->type->kind &&
         call->arg_types[1]->kind == call->type->kind;
}

static bool accepts_times(const sfi_call *call) {
  if (accepts_numbers(call)) return true;
  return call->n_args == 2 && is_interval(call->type) && call->arg_types[0]->kind == call->type->kind &&
         is_integer(call->arg_types[1]);
}

static bool accepts_real_division(const sfi_call *call) { return accepts_numbers(call) && is_real(call->type); }
static bool accepts_integer_division(const sfi_call *call) { return accepts_numbers(call) && is_integer(call->type); }

/* A literal divisor other than 0: the kernel cannot fail, so that its operand needs no exact selection. */
static bool accepts_safe_division(const sfi_call *call) {
  if (!accepts_integer_division(call)) return false;
  const sf_column *divisor = sfi_const_arg(call, 1);
  if (divisor == NULL || sf_column_is_null(divisor, 0)) return false;
  int64_t value = 0;
  return sf_layout_width(divisor->type->layout) <= sf_layout_width(call->type->layout) &&
         sfi_convert(divisor->values, divisor->type->layout, &value, SF_LAYOUT_INT64, 1) && value != 0;
}

static bool same_type(const sfi_call *call) {
  return call->n_args == 1 && call->arg_types[0]->kind == call->type->kind;
}

static bool accepts_negate(const sfi_call *call) {
  return same_type(call) && (is_integer(call->type) || is_real(call->type) || is_interval(call->type));
}
static bool accepts_abs(const sfi_call *call) {
  return same_type(call) && (is_integer(call->type) || is_real(call->type) || is_interval(call->type));
}
static bool accepts_sign(const sfi_call *call) {
  return same_type(call) && (is_integer(call->type) || is_real(call->type)) && sign_loops[call->type->layout] != NULL;
}
static bool accepts_real(const sfi_call *call) { return same_type(call) && is_real(call->type); }
static bool accepts_integer(const sfi_call *call) { return same_type(call) && is_integer(call->type); }

const sfi_function sfi_arith_functions[] = {
    {"PLUS", "two integers, floating-point numbers or INTERVALs", SFI_STRICT, accepts_sum, plus_kernel, NULL, NULL},
    {"MINUS", "two integers, floating-point numbers or INTERVALs", SFI_STRICT, accepts_sum, minus_kernel, NULL, NULL},
    {"TIMES", "two integers or floating-point numbers; INTERVAL and integer", SFI_STRICT, accepts_times, times_kernel,
     NULL, NULL},
    {"DIVIDE", "two numbers into FLOAT or DOUBLE", SFI_STRICT, accepts_real_division, real_divide_kernel, NULL, NULL},
    {"DIVIDE", "integer by a literal", SFI_STRICT, accepts_safe_division, quotient_kernel, NULL, NULL},
    {"DIVIDE", "two integers", SFI_STRICT | SFI_CAN_FAIL, accepts_integer_division, quotient_kernel, NULL, NULL},
    {"MOD", "integer by a literal", SFI_STRICT, accepts_safe_division, remainder_kernel, NULL, NULL},
    {"MOD", "two integers", SFI_STRICT | SFI_CAN_FAIL, accepts_integer_division, remainder_kernel, NULL, NULL},
    {"UNARY_MINUS", "integer, floating-point number, INTERVAL", SFI_STRICT, accepts_negate, negate_kernel, NULL, NULL},
    {"ABS", "integer, floating-point number, INTERVAL", SFI_STRICT, accepts_abs, abs_kernel, NULL, NULL},
    {"SIGN", "INTEGER, BIGINT, FLOAT, DOUBLE", SFI_STRICT, accepts_sign, sign_kernel, NULL, NULL},
    {"FLOOR", "FLOAT, DOUBLE", SFI_STRICT, accepts_real, floor_kernel, NULL, NULL},
    {"CEIL", "FLOAT, DOUBLE", SFI_STRICT, accepts_real, ceil_kernel, NULL, NULL},
    {"FLOOR", "integer", SFI_STRICT, accepts_integer, identity_kernel, NULL, NULL},
    {"CEIL", "integer", SFI_STRICT, accepts_integer, identity_kernel, NULL, NULL},
    {NULL, NULL, 0, NULL, NULL, NULL, NULL},
};
