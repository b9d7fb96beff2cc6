/* SEARCH(operand, Sarg): membership in sorted, disjoint ranges or in a set of points.
 *
 * Bounds are values of the operand's type; only timestamps may be finer than the operand's precision. Numbers, decimals
 * and temporals become closed intervals of integers (timestamps: of nanoseconds, or of milliseconds where the operand has
 * no more). Floating-point points are compared by their bits,
 * as Flink's hash sets do (NaN equals NaN, -0.0 differs from 0.0), floating-point ranges by value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/node.h"

typedef struct interval {
  __int128 low, high; /* both inclusive */
} interval;

typedef struct real_range {
  double low, high;
  bool has_low, has_high, low_open, high_open;
} real_range;

typedef struct text_range {
  sf_view low, high;
  bool has_low, has_high, low_open, high_open;
} text_range;

typedef enum form { FORM_INTERVALS, FORM_REALS, FORM_TEXTS, FORM_TEXT_SET } form;

struct sfi_search {
  form form;
  bool negate; /* the ranges are the complement of the points held here */
  bool bits;   /* FORM_INTERVALS over the bits of doubles */
  Streamfusion__Plan__NullAs null_as;
  int32_t n;
  interval *intervals;
  real_range *reals;
  text_range *texts;
  uint32_t *slots; /* FORM_TEXT_SET: index + 1 into texts, open addressing */
  uint32_t n_slots; /* power of two */
  sf_column **literals; /* keep the bytes of texts */
  int32_t n_literals;
};

/* --- reading bounds */

static int64_t real_bits(double v) {
  int64_t bits;
  if (isnan(v)) return INT64_C(0x7ff8000000000000);
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static double read_real(const sf_column *c, int64_t i) {
  return c->type->layout == SF_LAYOUT_FLOAT ? (double)((const float *)c->values)[i] : ((const double *)c->values)[i];
}

static __int128 read_exact(const sf_column *c, int64_t i) {
  switch (c->type->layout) {
    case SF_LAYOUT_BOOL: return ((const uint8_t *)c->values)[i];
    case SF_LAYOUT_INT8: return ((const int8_t *)c->values)[i];
    case SF_LAYOUT_INT16: return ((const int16_t *)c->values)[i];
    case SF_LAYOUT_INT32: return ((const int32_t *)c->values)[i];
    case SF_LAYOUT_INT64: return ((const int64_t *)c->values)[i];
    case SF_LAYOUT_INT128: return ((const __int128 *)c->values)[i];
    case SF_LAYOUT_TIMESTAMP:
      return (__int128)((const int64_t *)c->values)[i] * 1000000 + ((const int32_t *)c->aux)[i];
    default: return 0;
  }
}

static bool is_timestamp(const sf_type *t) { return t->kind == SF_TYPE_TIMESTAMP || t->kind == SF_TYPE_TIMESTAMP_LTZ; }

/* The type in which bounds are read: with all the digits that a timestamp can have. */
static sf_status bound_type(const sf_type *operand, const sf_type **out, sf_error *err) {
  if (!is_timestamp(operand)) {
    *out = sf_type_retain(operand);
    return SF_OK;
  }
  sf_type *fine = NULL;
  sf_status st = sf_type_scalar(operand->kind, true, 9, 0, 0, &fine, err);
  *out = fine;
  return st;
}

/* The bound as a column owned by the search; NULL when absent. */
static sf_status read_bound(sfi_search *s, sf_pool *pool, const sf_type *type, const Streamfusion__Plan__Literal *bound,
                            const sf_column **out, sf_error *err) {
  *out = NULL;
  if (bound == NULL) return SF_OK;
  SF_TRY(sfi_literal_column(pool, type, bound, &s->literals[s->n_literals], err));
  const sf_column *column = s->literals[s->n_literals++];
  if (sf_column_is_null(column, 0)) return sf_fail(err, SF_INVALID, "NULL as a bound of SEARCH");
  *out = column;
  return SF_OK;
}

typedef struct bounds {
  const sf_column *low, *high;
  bool low_open, high_open;
} bounds;

static sf_status read_ranges(sfi_search *s, sf_pool *pool, const sf_type *type, const Streamfusion__Plan__SearchArg *arg,
                             bounds *out, sf_error *err) {
  for (size_t i = 0; i < arg->n_ranges; i++) {
    const Streamfusion__Plan__SearchRange *r = arg->ranges[i];
    out[i].low_open = r->lower_open;
    out[i].high_open = r->upper_open;
    SF_TRY(read_bound(s, pool, type, r->lower, &out[i].low, err));
    SF_TRY(read_bound(s, pool, type, r->upper, &out[i].high, err));
  }
  return SF_OK;
}

/* --- recognising points */

static bool same_value(const sf_column *a, const sf_column *b) {
  switch (a->type->layout) {
    case SF_LAYOUT_VIEW: {
      const sf_view *x = a->values, *y = b->values;
      return x->size == y->size && (x->size == 0 || memcmp(x->data, y->data, x->size) == 0);
    }
    case SF_LAYOUT_FLOAT:
    case SF_LAYOUT_DOUBLE: return real_bits(read_real(a, 0)) == real_bits(read_real(b, 0));
    default: return read_exact(a, 0) == read_exact(b, 0);
  }
}

static bool all_points(const bounds *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (b[i].low == NULL || b[i].high == NULL || b[i].low_open || b[i].high_open || !same_value(b[i].low, b[i].high)) {
      return false;
    }
  }
  return true;
}

/* (-inf, a), (a, b), ..., (z, +inf): everything but points. One unbounded range is the complement of no point. */
static bool all_but_points(const bounds *b, size_t n) {
  if (n == 0 || b[0].low != NULL || b[n - 1].high != NULL) return false;
  for (size_t i = 1; i < n; i++) {
    if (b[i - 1].high == NULL || b[i].low == NULL || !b[i - 1].high_open || !b[i].low_open ||
        !same_value(b[i - 1].high, b[i].low)) {
      return false;
    }
  }
  return true;
}

/* --- building */

static int compare_intervals(const void *a, const void *b) {
  const interval *x = a, *y = b;
  return x->low < y->low ? -1 : x->low > y->low;
}

static const __int128 INT128_TOP = (__int128)(~(unsigned __int128)0 >> 1);

static __int128 floor_millis(__int128 nanos) { return nanos / 1000000 - (nanos % 1000000 < 0); }

static void add_interval(sfi_search *s, const sf_type *type, const bounds *b) {
  interval v = {-INT128_TOP - 1, INT128_TOP};
  if (b->low != NULL) {
    v.low = read_exact(b->low, 0);
    if (b->low_open) v.low = v.low == INT128_TOP ? v.low : v.low + 1;
  }
  if (b->high != NULL) {
    v.high = read_exact(b->high, 0);
    if (b->high_open) v.high = v.high == -INT128_TOP - 1 ? v.high : v.high - 1;
  }
  if (is_timestamp(type) && type->layout == SF_LAYOUT_INT64) {
    if (b->low != NULL) v.low = floor_millis(v.low + 999999);
    if (b->high != NULL) v.high = floor_millis(v.high);
  }
  if (v.low <= v.high) s->intervals[s->n++] = v;
}

static sf_view view_of(const sf_column *c) { return c == NULL ? (sf_view){0} : *(const sf_view *)c->values; }

static uint32_t text_hash(const uint8_t *data, uint32_t size) {
  uint64_t h = size * UINT64_C(0x9e3779b97f4a7c15);
  while (size >= 8) {
    uint64_t word;
    memcpy(&word, data, 8);
    h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
    data += 8;
    size -= 8;
  }
  uint64_t tail = 0;
  for (uint32_t i = 0; i < size; i++) tail = tail << 8 | data[i];
  h = (h ^ tail) * UINT64_C(0xc4ceb9fe1a85ec53);
  return (uint32_t)(h ^ h >> 32);
}

static bool in_set(const sfi_search *s, const sf_view *v) {
  uint32_t mask = s->n_slots - 1;
  for (uint32_t at = text_hash(v->data, v->size) & mask; s->slots[at] != 0; at = (at + 1) & mask) {
    const sf_view *p = &s->texts[s->slots[at] - 1].low;
    if (p->size == v->size && (v->size == 0 || memcmp(p->data, v->data, v->size) == 0)) return true;
  }
  return false;
}

static sf_status build_set(sfi_search *s, sf_error *err) {
  s->n_slots = 4;
  while (s->n_slots < (uint32_t)s->n * 3) s->n_slots *= 2;
  s->slots = calloc(s->n_slots, sizeof *s->slots);
  if (s->slots == NULL) return sf_fail(err, SF_NOMEM, "SEARCH");
  uint32_t mask = s->n_slots - 1;
  for (int32_t i = 0; i < s->n; i++) {
    uint32_t at = text_hash(s->texts[i].low.data, s->texts[i].low.size) & mask;
    while (s->slots[at] != 0) at = (at + 1) & mask;
    s->slots[at] = (uint32_t)i + 1;
  }
  s->form = FORM_TEXT_SET;
  return SF_OK;
}

static void add_text(sfi_search *s, const bounds *b) {
  s->texts[s->n++] = (text_range){view_of(b->low), view_of(b->high), b->low != NULL,
                                  b->high != NULL, b->low_open,      b->high_open};
}

static void add_real(sfi_search *s, const bounds *b) {
  s->reals[s->n++] = (real_range){b->low == NULL ? 0 : read_real(b->low, 0),
                                  b->high == NULL ? 0 : read_real(b->high, 0),
                                  b->low != NULL,
                                  b->high != NULL,
                                  b->low_open,
                                  b->high_open};
}

static void add_bits(sfi_search *s, const sf_column *point) {
  __int128 bits = real_bits(read_real(point, 0));
  s->intervals[s->n++] = (interval){bits, bits};
}

/* Replaces the complement of points by the points. Returns how many are left. */
static size_t complement(bounds *b, size_t n) {
  for (size_t i = 0; i + 1 < n; i++) b[i] = (bounds){b[i].high, b[i].high, false, false};
  return n - 1;
}

static sf_status build(sfi_search *s, const sf_type *type, bounds *b, size_t n, sf_error *err) {
  bool points = all_points(b, n);
  bool real = type->layout == SF_LAYOUT_FLOAT || type->layout == SF_LAYOUT_DOUBLE;
  bool text = type->layout == SF_LAYOUT_VIEW;
  if (!points && (real || text) && all_but_points(b, n)) {
    n = complement(b, n);
    s->negate = points = true;
  }
  s->form = text ? FORM_TEXTS : real && !points ? FORM_REALS : FORM_INTERVALS;
  s->bits = real && points;
  for (size_t i = 0; i < n; i++) {
    if (text) {
      add_text(s, &b[i]);
    } else if (s->bits) {
      add_bits(s, b[i].low);
    } else if (real) {
      add_real(s, &b[i]);
    } else {
      add_interval(s, type, &b[i]);
    }
  }
  if (s->form == FORM_INTERVALS && s->n > 1) {
    qsort(s->intervals, (size_t)s->n, sizeof *s->intervals, compare_intervals);
  }
  return text && points ? build_set(s, err) : SF_OK;
}

static bool searchable(const sf_type *type) { return type->layout <= SF_LAYOUT_VIEW; }

sf_status sfi_search_create(sf_pool *pool, const sf_type *operand_type, const Streamfusion__Plan__SearchArg *arg,
                            sfi_search **out, sf_error *err) {
  *out = NULL;
  size_t n = arg->n_ranges;
  if (!searchable(operand_type)) return sf_fail(err, SF_UNSUPPORTED, "SEARCH over a nested type");
  if (n > 10000000 || arg->null_as < 0 || arg->null_as > STREAMFUSION__PLAN__NULL_AS__NULL_AS_FALSE) {
    return sf_fail(err, SF_INVALID, "SEARCH with %zu ranges, NULL as %d", n, (int)arg->null_as);
  }
  sfi_search *s = calloc(1, sizeof *s);
  bounds *b = calloc(n + 1, sizeof *b);
  if (s == NULL || b == NULL) {
    free(s);
    free(b);
    return sf_fail(err, SF_NOMEM, "SEARCH");
  }
  s->null_as = arg->null_as;
  s->intervals = aligned_alloc(16, (n + 1) * sizeof *s->intervals);
  s->reals = calloc(n + 1, sizeof *s->reals);
  s->texts = calloc(n + 1, sizeof *s->texts);
  s->literals = calloc(2 * n + 1, sizeof *s->literals);
  sf_status st = SF_OK;
  if (s->intervals == NULL || s->reals == NULL || s->texts == NULL || s->literals == NULL) {
    st = sf_fail(err, SF_NOMEM, "SEARCH");
  }
  const sf_type *type = NULL;
  if (st == SF_OK) st = bound_type(operand_type, &type, err);
  if (st == SF_OK) st = read_ranges(s, pool, type, arg, b, err);
  sf_type_release(type);
  if (st == SF_OK) st = build(s, operand_type, b, n, err);
  free(b);
  if (st != SF_OK) {
    sfi_search_destroy(s);
    return st;
  }
  *out = s;
  return SF_OK;
}

void sfi_search_destroy(sfi_search *search) {
  if (search == NULL) return;
  for (int32_t i = 0; i < search->n_literals; i++) sf_column_release(search->literals[i]);
  free(search->literals);
  free(search->intervals);
  free(search->reals);
  free(search->texts);
  free(search->slots);
  free(search);
}

/* --- probing */

enum { LINEAR = 12 }; /* up to this many intervals: one vectorised pass for each */

/* Index of the interval that could hold the value: the last with low <= value, or -1. */
static int32_t locate(const sfi_search *s, __int128 value) {
  int32_t low = 0, high = s->n;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (s->intervals[middle].low <= value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

static bool in_intervals(const sfi_search *s, __int128 value) {
  int32_t i = locate(s, value);
  return i >= 0 && value <= s->intervals[i].high;
}

static int64_t clamp(__int128 v, int64_t low, int64_t high) {
  return v < low ? low : v > high ? high : (int64_t)v;
}

/* One pass over a typed column for one interval; an interval outside of the type's range is empty. */
#define INTERVAL_PASS(name, type, min, max)                                                                     \
  static void name(const void *values, int64_t n, const interval *r, uint8_t *restrict to) {                    \
    const type *v = values;                                                                                     \
    if (r->high < (min) || r->low > (max)) return;                                                              \
    type low = (type)clamp(r->low, (min), (max)), high = (type)clamp(r->high, (min), (max));                    \
    for (int64_t i = 0; i < n; i++) to[i] |= (uint8_t)((v[i] >= low) & (v[i] <= high));                         \
  }
INTERVAL_PASS(pass_bool, uint8_t, 0, UINT8_MAX)
INTERVAL_PASS(pass_int8, int8_t, INT8_MIN, INT8_MAX)
INTERVAL_PASS(pass_int16, int16_t, INT16_MIN, INT16_MAX)
INTERVAL_PASS(pass_int32, int32_t, INT32_MIN, INT32_MAX)
INTERVAL_PASS(pass_int64, int64_t, INT64_MIN, INT64_MAX)

static void probe_intervals(const sfi_search *s, const sf_column *c, int64_t n, uint8_t *to) {
  void (*pass)(const void *, int64_t, const interval *, uint8_t *) = NULL;
  switch (c->type->layout) {
    case SF_LAYOUT_BOOL: pass = pass_bool; break;
    case SF_LAYOUT_INT8: pass = pass_int8; break;
    case SF_LAYOUT_INT16: pass = pass_int16; break;
    case SF_LAYOUT_INT32: pass = pass_int32; break;
    case SF_LAYOUT_INT64: pass = pass_int64; break;
    default: break;
  }
  if (s->bits) {
    for (int64_t i = 0; i < n; i++) to[i] = in_intervals(s, real_bits(read_real(c, i)));
  } else if (pass != NULL && s->n <= LINEAR) {
    memset(to, 0, (size_t)n);
    for (int32_t k = 0; k < s->n; k++) pass(c->values, n, &s->intervals[k], to);
  } else {
    for (int64_t i = 0; i < n; i++) to[i] = in_intervals(s, read_exact(c, i));
  }
}

static void probe_reals(const sfi_search *s, const sf_column *c, int64_t n, uint8_t *to) {
  for (int64_t i = 0; i < n; i++) {
    double v = read_real(c, i);
    bool found = false;
    for (int32_t k = 0; k < s->n && !found; k++) {
      const real_range *r = &s->reals[k];
      found = (!r->has_low || (r->low_open ? v > r->low : v >= r->low)) &&
              (!r->has_high || (r->high_open ? v < r->high : v <= r->high));
    }
    to[i] = found;
  }
}

static int compare_views(const sf_view *a, const sf_view *b) {
  uint32_t n = a->size < b->size ? a->size : b->size;
  int order = n == 0 ? 0 : memcmp(a->data, b->data, n);
  return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static bool in_texts(const sfi_search *s, const sf_view *v) {
  for (int32_t k = 0; k < s->n; k++) {
    const text_range *r = &s->texts[k];
    if (r->has_low && compare_views(v, &r->low) < (r->low_open ? 1 : 0)) continue;
    if (r->has_high && compare_views(v, &r->high) > (r->high_open ? -1 : 0)) continue;
    return true;
  }
  return false;
}

static void probe_texts(const sfi_search *s, const sf_column *c, const sfi_eval *ev, uint8_t *to) {
  const sf_view *v = c->values;
  memset(to, 0, (size_t)ev->length);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    if (sf_column_is_null(c, i)) continue;
    to[i] = s->form == FORM_TEXT_SET ? in_set(s, &v[i]) : in_texts(s, &v[i]);
  }
}

/* Answers for NULL rows; *validity_out stays NULL when they are TRUE or FALSE. */
static sf_status answer_nulls(const sfi_search *s, const sfi_eval *ev, const sf_column *c, uint8_t *values,
                              sf_buffer **validity_out, sf_error *err) {
  if (c->type->layout != SF_LAYOUT_NULL && (c->validity == NULL || c->null_count == 0)) return SF_OK;
  bool unknown = s->null_as == STREAMFUSION__PLAN__NULL_AS__NULL_AS_UNKNOWN;
  if (unknown) SF_TRY(sfi_validity_create(ev, false, validity_out, err));
  uint8_t answer = s->null_as == STREAMFUSION__PLAN__NULL_AS__NULL_AS_TRUE;
  for (int64_t i = 0; i < ev->length; i++) {
    if (!sf_column_is_null(c, i)) continue;
    values[i] = answer;
    if (unknown) sf_bit_clear(sf_buffer_data(*validity_out), i);
  }
  return SF_OK;
}

static sf_status probe(const sfi_search *s, const sfi_node *node, sfi_eval *ev, const sf_column *c, sf_column **out,
                       sf_error *err) {
  sf_buffer *values = NULL, *validity = NULL;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_BOOL, &values, err));
  uint8_t *to = sf_buffer_data(values);
  switch (s->form) {
    case FORM_INTERVALS: probe_intervals(s, c, ev->length, to); break;
    case FORM_REALS: probe_reals(s, c, ev->length, to); break;
    case FORM_TEXTS:
    case FORM_TEXT_SET: probe_texts(s, c, ev, to); break;
  }
  if (s->negate) {
    for (int64_t i = 0; i < ev->length; i++) to[i] ^= 1;
  }
  sf_status st = answer_nulls(s, ev, c, to, &validity, err);
  if (st != SF_OK) {
    sf_buffer_release(values);
    return st;
  }
  sfi_call as_call = {.type = node->type};
  return sfi_finish(&as_call, ev, validity, values, NULL, NULL, 0, out, err);
}

sf_status sfi_search_eval(const sfi_search *search, const sfi_node *node, sfi_eval *ev, const sf_column *operand,
                          sf_column **out, sf_error *err) {
  if (!operand->is_const) return probe(search, node, ev, operand, out, err);
  int64_t length = ev->length;
  ev->length = 1;
  ev->selected = NULL;
  ev->n_selected = 1;
  sf_column *one = NULL;
  SF_TRY(probe(search, node, ev, operand, &one, err));
  sf_status st = sfi_const_of(ev->pool, one, length, out, err);
  sf_column_release(one);
  return st;
}
