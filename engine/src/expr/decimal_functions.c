/* DECIMAL kernels: + - * / % with a DECIMAL result, and the functions of one DECIMAL. */
#include "expr/decimal.h"
#include "expr/loops.h"

/* --- operands and results */

/* A DECIMAL or integer operand as unscaled int64 or int128. */
typedef struct decimals {
  sfi_operand values;
  sfi_digits digits;
  bool wide;
} decimals;

static sf_status open_decimals(const sfi_eval *ev, const sf_column *column, decimals *out, sf_error *err) {
  out->digits = sfi_digits_of(column->type);
  out->wide = column->type->layout == SF_LAYOUT_INT128;
  return sfi_operand_open(ev, column, out->wide ? SF_LAYOUT_INT128 : SF_LAYOUT_INT64, &out->values, err);
}

static inline __int128 at(const decimals *d, int64_t i) {
  if (d->values.is_const) i = 0;
  return d->wide ? ((const __int128 *)d->values.values)[i] : ((const int64_t *)d->values.values)[i];
}

/* A result whose rows may turn out NULL. */
typedef struct result {
  const sfi_call *call;
  sfi_eval *ev;
  sf_buffer *values;
  sf_buffer *validity; /* NULL until a row overflows */
} result;

static inline void put(const result *r, int64_t i, __int128 v) {
  if (r->call->type->layout == SF_LAYOUT_INT64) {
    ((int64_t *)(void *)sf_buffer_data(r->values))[i] = (int64_t)v;
  } else {
    ((__int128 *)(void *)sf_buffer_data(r->values))[i] = v;
  }
}

static sf_status put_null(result *r, int64_t i, sf_error *err) {
  if (r->validity == NULL) SF_TRY(sfi_validity_create(r->ev, true, &r->validity, err));
  sf_bit_clear(sf_buffer_data(r->validity), i);
  put(r, i, 0);
  return SF_OK;
}

static sf_status finish(result *r, sf_column **out, sf_error *err) {
  if (r->validity == NULL) return sfi_finish_strict(r->call, r->ev, r->values, NULL, out, err);
  return sfi_finish(r->call, r->ev, r->validity, r->values, NULL, NULL, 0, out, err);
}

/* --- loops that cannot overflow by the types of their operands */

#define SHAPES(cc, cs, sc)                            \
  if (b_const) {                                      \
    for (int64_t i = 0; i < n; i++) to[i] = cs;       \
  } else if (a_const) {                               \
    for (int64_t i = 0; i < n; i++) to[i] = sc;       \
  } else {                                            \
    for (int64_t i = 0; i < n; i++) to[i] = cc;       \
  }

/* to = a * factor_a + b * factor_b. Unsigned, because rows that are NULL hold any bits. */
#define SUM_LOOP(name, type_a, type_b, type)                                                                      \
  SFI_VECTOR static void name(const void *a, bool a_const, type fa, const void *b, bool b_const, type fb,         \
                              void *out, int64_t n) {                                                             \
    const type_a *x = a;                                                                                          \
    const type_b *y = b;                                                                                          \
    type *restrict to = out;                                                                                      \
    type p = (type)x[0] * fa, q = (type)y[0] * fb;                                                                \
    SHAPES((type)x[i] * fa + (type)y[i] * fb, (type)x[i] * fa + q, p + (type)y[i] * fb)                           \
  }
SUM_LOOP(sum_64, int64_t, int64_t, uint64_t)
SUM_LOOP(sum_64_64, int64_t, int64_t, sfi_u128)
SUM_LOOP(sum_128_64, __int128, int64_t, sfi_u128)
SUM_LOOP(sum_64_128, int64_t, __int128, sfi_u128)
SUM_LOOP(sum_128_128, __int128, __int128, sfi_u128)

#define PRODUCT_LOOP(name, type_a, type_b, type)                                                               \
  SFI_VECTOR static void name(const void *a, bool a_const, const void *b, bool b_const, void *out, int64_t n) { \
    const type_a *x = a;                                                                                       \
    const type_b *y = b;                                                                                       \
    type *restrict to = out;                                                                                   \
    type p = (type)x[0], q = (type)y[0];                                                                       \
    SHAPES((type)x[i] * (type)y[i], (type)x[i] * q, p * (type)y[i])                                            \
  }
PRODUCT_LOOP(product_64, int64_t, int64_t, uint64_t)
PRODUCT_LOOP(product_128_64, __int128, int64_t, sfi_u128)
PRODUCT_LOOP(product_64_128, int64_t, __int128, sfi_u128)
PRODUCT_LOOP(product_128_128, __int128, __int128, sfi_u128)

/* int64 * int64 -> int128 is one multiplication, which the generic form hides from the compiler. */
static void product_64_64(const void *a, bool a_const, const void *b, bool b_const, void *out, int64_t n) {
  const int64_t *x = a, *y = b;
  __int128 *restrict to = out;
  int64_t p = x[0], q = y[0];
  SHAPES((__int128)x[i] * y[i], (__int128)x[i] * q, (__int128)p * y[i])
}

static void sum_exact(const decimals *a, sfi_u128 fa, const decimals *b, sfi_u128 fb, const result *r) {
  const void *x = a->values.values, *y = b->values.values;
  bool xc = a->values.is_const, yc = b->values.is_const;
  void *to = sf_buffer_data(r->values);
  int64_t n = r->ev->length;
  if (r->call->type->layout == SF_LAYOUT_INT64) {
    sum_64(x, xc, (uint64_t)fa, y, yc, (uint64_t)fb, to, n);
  } else if (!a->wide && !b->wide) {
    sum_64_64(x, xc, fa, y, yc, fb, to, n);
  } else if (!b->wide) {
    sum_128_64(x, xc, fa, y, yc, fb, to, n);
  } else if (!a->wide) {
    sum_64_128(x, xc, fa, y, yc, fb, to, n);
  } else {
    sum_128_128(x, xc, fa, y, yc, fb, to, n);
  }
}

static void product_exact(const decimals *a, const decimals *b, const result *r) {
  void (*loop)(const void *, bool, const void *, bool, void *, int64_t) = product_128_128;
  if (r->call->type->layout == SF_LAYOUT_INT64) {
    loop = product_64;
  } else if (!a->wide && !b->wide) {
    loop = product_64_64;
  } else if (!b->wide) {
    loop = product_128_64;
  } else if (!a->wide) {
    loop = product_64_128;
  }
  loop(a->values.values, a->values.is_const, b->values.values, b->values.is_const, sf_buffer_data(r->values),
       r->ev->length);
}

/* --- row by row, where digits may be lost */

typedef enum operation { ADD, SUBTRACT, MULTIPLY, DIVIDE, MOD } operation;

static bool add_row(const decimals *a, const decimals *b, int64_t i, sfi_digits to, bool subtract, __int128 *out) {
  __int128 x = at(a, i), y = at(b, i);
  if (subtract) y = (__int128)(0 - (sfi_u128)y);
  if (a->digits.scale == b->digits.scale && a->digits.scale == to.scale) {
    return !__builtin_add_overflow(x, y, out) && sfi_fits(*out, to.precision);
  }
  return sfi_decimal_add(x, a->digits.scale, y, b->digits.scale, to, out);
}

static sf_status divide_row(const decimals *a, const decimals *b, int64_t i, operation what, sfi_digits to,
                            __int128 *out, bool *fits, sf_error *err) {
  __int128 x = at(a, i), y = at(b, i);
  if (y == 0) return sf_fail_row(err, SF_ARITHMETIC, i, x == 0 ? "Division undefined" : "Division by zero");
  bool impossible = false;
  *fits = what == DIVIDE ? sfi_decimal_divide(x, a->digits.scale, y, b->digits.scale, to, out)
                         : sfi_decimal_mod(x, a->digits.scale, y, b->digits.scale, to, out, &impossible);
  return impossible ? sf_fail_row(err, SF_ARITHMETIC, i, "Division impossible") : SF_OK;
}

static sf_status by_row(operation what, const decimals *a, const decimals *b, result *r, sf_error *err) {
  sfi_digits to = {r->call->type->precision, r->call->type->scale};
  for (int64_t k = 0, i; sfi_row(r->ev, k, &i); k++) {
    if (!sfi_strict_valid(r->ev, i)) {
      put(r, i, 0);
      continue;
    }
    __int128 v = 0;
    bool fits = false;
    switch (what) {
      case ADD:
      case SUBTRACT: fits = add_row(a, b, i, to, what == SUBTRACT, &v); break;
      case MULTIPLY: fits = sfi_decimal_multiply(at(a, i), a->digits.scale, at(b, i), b->digits.scale, to, &v); break;
      case DIVIDE:
      case MOD: SF_TRY(divide_row(a, b, i, what, to, &v, &fits, err)); break;
    }
    if (fits) {
      put(r, i, v);
    } else {
      SF_TRY(put_null(r, i, err));
    }
  }
  return SF_OK;
}

/* --- choice of the loop */

static sf_status add(operation what, const decimals *a, const decimals *b, result *r, sf_error *err) {
  int32_t scale = a->digits.scale > b->digits.scale ? a->digits.scale : b->digits.scale;
  int32_t up_a = scale - a->digits.scale, up_b = scale - b->digits.scale;
  int32_t digits_a = a->digits.precision + up_a, digits_b = b->digits.precision + up_b;
  int32_t digits = 1 + (digits_a > digits_b ? digits_a : digits_b);
  if (scale != r->call->type->scale || digits > r->call->type->precision) return by_row(what, a, b, r, err);
  sfi_u128 factor = sfi_pow10(up_b);
  sum_exact(a, sfi_pow10(up_a), b, what == SUBTRACT ? 0 - factor : factor, r);
  return SF_OK;
}

static sf_status multiply(const decimals *a, const decimals *b, result *r, sf_error *err) {
  if (a->digits.scale + b->digits.scale != r->call->type->scale ||
      a->digits.precision + b->digits.precision > r->call->type->precision) {
    return by_row(MULTIPLY, a, b, r, err);
  }
  product_exact(a, b, r);
  return SF_OK;
}

static sf_status binary(const sfi_call *call, sfi_eval *ev, operation what, const sf_column *const *args,
                        sf_column **out, sf_error *err) {
  decimals a = {0}, b = {0};
  result r = {.call = call, .ev = ev};
  sf_status st = open_decimals(ev, args[0], &a, err);
  if (st == SF_OK) st = open_decimals(ev, args[1], &b, err);
  if (st == SF_OK) st = sfi_values_create(ev, call->type->layout, &r.values, err);
  if (st == SF_OK) {
    st = what <= SUBTRACT     ? add(what, &a, &b, &r, err)
         : what == MULTIPLY ? multiply(&a, &b, &r, err)
                            : by_row(what, &a, &b, &r, err);
  }
  sfi_operand_close(&a.values);
  sfi_operand_close(&b.values);
  if (st == SF_OK) return finish(&r, out, err);
  sf_buffer_release(r.values);
  sf_buffer_release(r.validity);
  return st;
}

#define BINARY_KERNEL(name, what)                                                                            \
  static sf_status name(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,   \
                        sf_error *err) {                                                                     \
    return binary(call, ev, what, args, out, err);                                                           \
  }
BINARY_KERNEL(plus_kernel, ADD)
BINARY_KERNEL(minus_kernel, SUBTRACT)
BINARY_KERNEL(times_kernel, MULTIPLY)
BINARY_KERNEL(divide_kernel, DIVIDE)
BINARY_KERNEL(mod_kernel, MOD)

/* --- one operand */

typedef bool (*unary_row)(__int128 v, sfi_digits from, sfi_digits to, __int128 *out);

static __int128 negated(__int128 v) { return (__int128)(0 - (sfi_u128)v); }

static bool negate_row(__int128 v, sfi_digits from, sfi_digits to, __int128 *out) {
  (void)from;
  (void)to;
  *out = negated(v);
  return true;
}

static bool abs_row(__int128 v, sfi_digits from, sfi_digits to, __int128 *out) {
  (void)from;
  (void)to;
  *out = v < 0 ? negated(v) : v;
  return true;
}

/* 1.00 for DECIMAL(p, 2). A compact value is not checked against the precision, a wide one is. */
static bool sign_row(__int128 v, sfi_digits from, sfi_digits to, __int128 *out) {
  (void)to;
  __int128 one = (__int128)sfi_pow10(from.scale);
  *out = v > 0 ? one : v < 0 ? -one : 0;
  return from.precision <= 18 || sfi_fits(*out, from.precision);
}

static bool floor_row(__int128 v, sfi_digits from, sfi_digits to, __int128 *out) {
  (void)to;
  __int128 power = (__int128)sfi_pow10(from.scale);
  *out = v / power - (v % power < 0);
  return true;
}

static bool ceil_row(__int128 v, sfi_digits from, sfi_digits to, __int128 *out) {
  (void)to;
  __int128 power = (__int128)sfi_pow10(from.scale);
  *out = v / power + (v % power > 0);
  return true;
}

static sf_status unary(const sfi_call *call, sfi_eval *ev, unary_row row, const sf_column *arg, sf_column **out,
                       sf_error *err) {
  decimals a = {0};
  result r = {.call = call, .ev = ev};
  SF_TRY(open_decimals(ev, arg, &a, err));
  sf_status st = sfi_values_create(ev, call->type->layout, &r.values, err);
  sfi_digits to = {call->type->precision, call->type->scale};
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    __int128 v = 0;
    if (row(at(&a, i), a.digits, to, &v)) {
      put(&r, i, v);
    } else {
      st = put_null(&r, i, err);
    }
  }
  sfi_operand_close(&a.values);
  if (st == SF_OK) return finish(&r, out, err);
  sf_buffer_release(r.values);
  sf_buffer_release(r.validity);
  return st;
}

#define UNARY_KERNEL(name, row)                                                                              \
  static sf_status name(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,   \
                        sf_error *err) {                                                                     \
    return unary(call, ev, row, args[0], out, err);                                                          \
  }
UNARY_KERNEL(negate_kernel, negate_row)
UNARY_KERNEL(abs_kernel, abs_row)
UNARY_KERNEL(sign_kernel, sign_row)
UNARY_KERNEL(floor_kernel, floor_row)
UNARY_KERNEL(ceil_kernel, ceil_row)

/* --- table */

static bool is_exact(const sf_type *t) {
  return t->kind == SF_TYPE_DECIMAL || (t->kind >= SF_TYPE_TINYINT && t->kind <= SF_TYPE_BIGINT);
}

static bool accepts_binary(const sfi_call *call) {
  return call->n_args == 2 && call->type->kind == SF_TYPE_DECIMAL && is_exact(call->arg_types[0]) &&
         is_exact(call->arg_types[1]);
}

static bool accepts_same(const sfi_call *call) {
  return call->n_args == 1 && call->type->kind == SF_TYPE_DECIMAL && sf_type_equal(call->arg_types[0], call->type, false);
}

static bool accepts_integral(const sfi_call *call) {
  return call->n_args == 1 && call->type->kind == SF_TYPE_DECIMAL && call->arg_types[0]->kind == SF_TYPE_DECIMAL &&
         call->type->scale == 0 && call->type->precision >= call->arg_types[0]->precision;
}

const sfi_function sfi_decimal_functions[] = {
    {"PLUS", "DECIMAL or integer operands, DECIMAL result", SFI_STRICT, accepts_binary, plus_kernel, NULL, NULL},
    {"MINUS", "DECIMAL or integer operands, DECIMAL result", SFI_STRICT, accepts_binary, minus_kernel, NULL, NULL},
    {"TIMES", "DECIMAL or integer operands, DECIMAL result", SFI_STRICT, accepts_binary, times_kernel, NULL, NULL},
    {"DIVIDE", "DECIMAL or integer operands, DECIMAL result", SFI_STRICT | SFI_CAN_FAIL, accepts_binary, divide_kernel,
     NULL, NULL},
    {"MOD", "DECIMAL or integer operands, DECIMAL result", SFI_STRICT | SFI_CAN_FAIL, accepts_binary, mod_kernel, NULL,
     NULL},
    {"UNARY_MINUS", "DECIMAL", SFI_STRICT, accepts_same, negate_kernel, NULL, NULL},
    {"ABS", "DECIMAL", SFI_STRICT, accepts_same, abs_kernel, NULL, NULL},
    {"SIGN", "DECIMAL", SFI_STRICT, accepts_same, sign_kernel, NULL, NULL},
    {"FLOOR", "DECIMAL", SFI_STRICT, accepts_integral, floor_kernel, NULL, NULL},
    {"CEIL", "DECIMAL", SFI_STRICT, accepts_integral, ceil_kernel, NULL, NULL},
    {NULL, NULL, 0, NULL, NULL, NULL, NULL},
};
