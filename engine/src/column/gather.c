/* Picking rows out of columns: the hot part of every filter. */
#include "column/column_internal.h"

/* One loop per width, so that the compiler sees plain indexed loads. */
#define DEFINE_GATHER(name, value_type)                                                                  \
  static void name(void *restrict out, const void *restrict in, const int32_t *restrict rows, int64_t n) { \
    value_type *restrict o = out;                                                                        \
    const value_type *restrict v = in;                                                                   \
    for (int64_t i = 0; i < n; i++) o[i] = v[rows[i]];                                                   \
  }
DEFINE_GATHER(gather_1, uint8_t)
DEFINE_GATHER(gather_2, uint16_t)
DEFINE_GATHER(gather_4, uint32_t)
DEFINE_GATHER(gather_8, uint64_t)
typedef struct wide {
  uint64_t low, high;
} wide;
DEFINE_GATHER(gather_16, wide)

static void gather_values(void *out, const void *in, size_t width, const int32_t *rows, int64_t n) {
  switch (width) {
    case 1: gather_1(out, in, rows, n); break;
    case 2: gather_2(out, in, rows, n); break;
    case 4: gather_4(out, in, rows, n); break;
    case 8: gather_8(out, in, rows, n); break;
    default: gather_16(out, in, rows, n); break;
  }
}

/* Returns the number of NULLs. `out` has whole words. */
static int64_t gather_bits(uint8_t *restrict out, const uint8_t *restrict in, const int32_t *restrict rows, int64_t n) {
  int64_t nulls = 0;
  for (int64_t i = 0; i < n; i += 64) {
    uint64_t word = 0;
    int64_t m = n - i < 64 ? n - i : 64;
    for (int64_t k = 0; k < m; k++) {
      int32_t row = rows[i + k];
      word |= (uint64_t)((in[row >> 3] >> (row & 7)) & 1) << k;
    }
    if (word != UINT64_MAX >> (64 - m)) nulls += m - __builtin_popcountll(word);
    memcpy(out + i / 8, &word, sizeof word);
  }
  return nulls;
}

sf_status sfi_gather_validity(sfi_parts *parts, sf_pool *pool, const sf_column *c, const int32_t *rows, int64_t n,
                              sf_error *err) {
  if (c->validity == NULL || c->null_count == 0) return SF_OK;
  sf_buffer *bits = NULL;
  SF_TRY(sf_buffer_create(pool, sf_bitmap_bytes(n), &bits, err));
  int64_t nulls = gather_bits(sf_buffer_data(bits), c->validity, rows, n);
  if (nulls == 0) { /* kernels run faster without */
    sf_buffer_release(bits);
    return SF_OK;
  }
  parts->spec.validity = sf_buffer_data(bits);
  parts->spec.null_count = nulls;
  return sfi_parts_add(parts, bits, err);
}

static sf_status gather_fixed(sfi_parts *parts, sf_pool *pool, const sf_column *c, const int32_t *rows, int64_t n,
                              sf_error *err) {
  size_t width = sf_layout_width(c->type->layout);
  void *values = NULL;
  SF_TRY(sfi_parts_buffer(parts, pool, (size_t)n * width, &values, err));
  gather_values(values, c->values, width, rows, n);
  parts->spec.values = values;
  if (c->type->layout == SF_LAYOUT_VIEW) return sfi_parts_share_bytes(parts, c, err);
  if (c->type->layout == SF_LAYOUT_TIMESTAMP) {
    void *nanos = NULL;
    SF_TRY(sfi_parts_buffer(parts, pool, (size_t)n * sizeof(int32_t), &nanos, err));
    gather_4(nanos, c->aux, rows, n);
    parts->spec.aux = nanos;
  }
  return SF_OK;
}

static sf_status gather_children(sfi_parts *parts, sf_pool *pool, const sf_column *c, const int32_t *rows, int64_t n,
                                 sf_error *err) {
  SF_TRY(sfi_parts_children(parts, c->n_children, err));
  for (int32_t i = 0; i < c->n_children; i++) {
    SF_TRY(sf_column_gather(pool, c->children[i], rows, n, &parts->children[i], err));
  }
  return SF_OK;
}

/* Ranges of child rows become new consecutive ranges. */
static sf_status gather_lists(sfi_parts *parts, sf_pool *pool, const sf_column *c, const int32_t *rows, int64_t n,
                              sf_error *err) {
  const int32_t *from = c->aux;
  int64_t total = 0;
  for (int64_t i = 0; i < n; i++) total += from[rows[i] + 1] - from[rows[i]];
  if (total > INT32_MAX) return sf_fail(err, SF_INVALID, "A batch cannot hold %lld array elements", (long long)total);
  void *out = NULL;
  SF_TRY(sfi_parts_buffer(parts, pool, ((size_t)n + 1) * sizeof(int32_t), &out, err));
  int32_t *offsets = out;
  parts->spec.aux = offsets;
  void *scratch = NULL;
  SF_TRY(sf_pool_alloc(pool, (size_t)total * sizeof(int32_t), &scratch, err));
  int32_t *child_rows = scratch;
  int32_t at = 0;
  for (int64_t i = 0; i < n; i++) {
    offsets[i] = at;
    for (int32_t k = from[rows[i]]; k < from[rows[i] + 1]; k++) child_rows[at++] = k;
  }
  offsets[n] = at;
  sf_status st = gather_children(parts, pool, c, child_rows, total, err);
  sf_pool_free(pool, scratch);
  return st;
}

static sf_status gather_layout(sfi_parts *parts, sf_pool *pool, const sf_column *c, const int32_t *rows, int64_t n,
                               sf_error *err) {
  if (c->type->layout == SF_LAYOUT_NULL) {
    parts->spec.null_count = n;
    return SF_OK;
  }
  SF_TRY(sfi_gather_validity(parts, pool, c, rows, n, err));
  switch (c->type->layout) {
    case SF_LAYOUT_ROW: return gather_children(parts, pool, c, rows, n, err);
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: return gather_lists(parts, pool, c, rows, n, err);
    default: return gather_fixed(parts, pool, c, rows, n, err);
  }
}

/* The same single value, standing for another number of rows. */
static sf_status resize_const(sfi_parts *parts, const sf_column *c, sf_error *err) {
  parts->spec.is_const = true;
  parts->spec.validity = c->validity;
  parts->spec.values = c->values;
  parts->spec.aux = c->aux;
  parts->spec.null_count = sf_column_is_null(c, 0) ? parts->spec.length : 0;
  for (int32_t i = 0; i < c->n_buffers; i++) SF_TRY(sfi_parts_add(parts, sf_buffer_retain(c->buffers[i]), err));
  SF_TRY(sfi_parts_children(parts, c->n_children, err));
  for (int32_t i = 0; i < c->n_children; i++) parts->children[i] = sf_column_retain(c->children[i]);
  return SF_OK;
}

sf_status sf_column_gather(sf_pool *pool, const sf_column *column, const int32_t *indices, int64_t n, sf_column **out,
                           sf_error *err) {
  *out = NULL;
  sfi_parts parts;
  sfi_parts_init(&parts, column->type, n);
  sf_status st = column->is_const ? resize_const(&parts, column, err)
                                  : gather_layout(&parts, pool, column, indices, n, err);
  if (st != SF_OK) {
    sfi_parts_drop(&parts);
    return st;
  }
  return sfi_parts_finish(&parts, out, err);
}

/* --- const columns */

static void fill_values(void *out, const void *value, size_t width, int64_t n) {
  switch (width) {
    case 1: memset(out, *(const uint8_t *)value, (size_t)n); break;
    case 2: for (int64_t i = 0; i < n; i++) ((uint16_t *)out)[i] = *(const uint16_t *)value; break;
    case 4: for (int64_t i = 0; i < n; i++) ((uint32_t *)out)[i] = *(const uint32_t *)value; break;
    case 8: for (int64_t i = 0; i < n; i++) ((uint64_t *)out)[i] = *(const uint64_t *)value; break;
    default: for (int64_t i = 0; i < n; i++) ((wide *)out)[i] = *(const wide *)value; break;
  }
}

static sf_status repeat_fixed(sfi_parts *parts, sf_pool *pool, const sf_column *c, sf_error *err) {
  size_t width = sf_layout_width(c->type->layout);
  int64_t n = c->length;
  void *values = NULL;
  SF_TRY(sfi_parts_buffer(parts, pool, (size_t)n * width, &values, err));
  fill_values(values, c->values, width, n);
  parts->spec.values = values;
  if (c->type->layout == SF_LAYOUT_VIEW) return sfi_parts_share_bytes(parts, c, err);
  if (c->type->layout == SF_LAYOUT_TIMESTAMP) {
    void *nanos = NULL;
    SF_TRY(sfi_parts_buffer(parts, pool, (size_t)n * sizeof(int32_t), &nanos, err));
    fill_values(nanos, c->aux, sizeof(int32_t), n);
    parts->spec.aux = nanos;
  }
  return SF_OK;
}

/* Nested values: gathers row 0 again and again, from a header that says so. */
static sf_status repeat_nested(sf_pool *pool, const sf_column *c, sf_column **out, sf_error *err) {
  void *zeros = NULL;
  SF_TRY(sf_pool_alloc(pool, (size_t)c->length * sizeof(int32_t), &zeros, err));
  memset(zeros, 0, (size_t)c->length * sizeof(int32_t));
  sf_column single = *c;
  single.is_const = false;
  single.null_count = -1;
  sf_column *picked = NULL;
  sf_status st = sf_column_gather(pool, &single, zeros, c->length, &picked, err);
  sf_pool_free(pool, zeros);
  if (st != SF_OK) return st;
  st = sf_column_flatten(pool, picked, out, err); /* const children were only resized */
  sf_column_release(picked);
  return st;
}

static bool has_const(const sf_column *c) {
  if (c->is_const) return true;
  for (int32_t i = 0; i < c->n_children; i++) {
    if (has_const(c->children[i])) return true;
  }
  return false;
}

/* Not const itself, but with const columns below. */
static sf_status flatten_children(sf_pool *pool, const sf_column *c, sf_column **out, sf_error *err) {
  sfi_parts parts;
  sfi_parts_init(&parts, c->type, c->length);
  parts.spec.validity = c->validity;
  parts.spec.null_count = c->null_count;
  parts.spec.values = c->values;
  parts.spec.aux = c->aux;
  sf_status st = sfi_parts_children(&parts, c->n_children, err);
  for (int32_t i = 0; i < c->n_buffers && st == SF_OK; i++) {
    st = sfi_parts_add(&parts, sf_buffer_retain(c->buffers[i]), err);
  }
  for (int32_t i = 0; i < c->n_children && st == SF_OK; i++) {
    st = sf_column_flatten(pool, c->children[i], &parts.children[i], err);
  }
  if (st != SF_OK) {
    sfi_parts_drop(&parts);
    return st;
  }
  return sfi_parts_finish(&parts, out, err);
}

sf_status sf_column_flatten(sf_pool *pool, sf_column *column, sf_column **out, sf_error *err) {
  *out = NULL;
  if (!has_const(column)) {
    *out = sf_column_retain(column);
    return SF_OK;
  }
  if (!column->is_const) return flatten_children(pool, column, out, err);
  if (sf_column_is_null(column, 0)) return sf_column_create_null(pool, column->type, column->length, out, err);
  if (column->n_children > 0 || column->type->layout == SF_LAYOUT_ROW) return repeat_nested(pool, column, out, err);
  sfi_parts parts;
  sfi_parts_init(&parts, column->type, column->length);
  sf_status st = repeat_fixed(&parts, pool, column, err);
  if (st != SF_OK) {
    sfi_parts_drop(&parts);
    return st;
  }
  return sfi_parts_finish(&parts, out, err);
}
