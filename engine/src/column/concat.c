/* Joining columns end to end. */
#include "column/column_internal.h"

typedef struct inputs {
  const sf_column *const *columns; /* none const */
  int32_t n;
  int64_t length;
  int64_t nulls; /* -1 unknown */
} inputs;

static sf_status join_validity(sfi_parts *parts, sf_pool *pool, const inputs *in, sf_error *err) {
  bool any = false;
  for (int32_t i = 0; i < in->n; i++) any = any || in->columns[i]->validity != NULL;
  if (!any) return SF_OK;
  void *data = NULL;
  SF_TRY(sfi_parts_buffer(parts, pool, sf_bitmap_bytes(in->length), &data, err));
  uint8_t *bits = data;
  memset(bits, 0, sf_bitmap_bytes(in->length));
  int64_t at = 0;
  for (int32_t i = 0; i < in->n; i++) {
    const sf_column *c = in->columns[i];
    if (c->validity == NULL) sfi_bits_fill(bits, at, c->length);
    else sfi_bits_copy(bits, at, c->validity, 0, c->length);
    at += c->length;
  }
  parts->spec.validity = bits;
  parts->spec.null_count = in->nulls;
  return SF_OK;
}

static sf_status join_array(sfi_parts *parts, sf_pool *pool, const inputs *in, size_t width, bool aux,
                            const void **out, sf_error *err) {
  void *data = NULL;
  SF_TRY(sfi_parts_buffer(parts, pool, (size_t)in->length * width, &data, err));
  char *at = data;
  for (int32_t i = 0; i < in->n; i++) {
    const sf_column *c = in->columns[i];
    size_t bytes = (size_t)c->length * width;
    if (bytes > 0) memcpy(at, aux ? c->aux : c->values, bytes);
    at += bytes;
  }
  *out = data;
  return SF_OK;
}

static sf_status join_offsets(sfi_parts *parts, sf_pool *pool, const inputs *in, sf_error *err) {
  void *data = NULL;
  SF_TRY(sfi_parts_buffer(parts, pool, ((size_t)in->length + 1) * sizeof(int32_t), &data, err));
  int32_t *offsets = data;
  int64_t at = 0, base = 0;
  offsets[0] = 0;
  for (int32_t i = 0; i < in->n; i++) {
    const sf_column *c = in->columns[i];
    const int32_t *from = c->aux;
    if (base + c->children[0]->length > INT32_MAX) {
      return sf_fail(err, SF_INVALID, "A batch cannot hold more than %d array elements", INT32_MAX);
    }
    for (int64_t k = 0; k < c->length; k++) offsets[at + k] = (int32_t)base + from[k];
    at += c->length;
    base += c->children[0]->length;
    offsets[at] = (int32_t)base;
  }
  parts->spec.aux = offsets;
  return SF_OK;
}

/* Range i ends where range i + 1 begins, so child rows that no range uses would become part of one when columns are
 * joined: joining needs every column to start at 0 and to end at its child's length. */
static bool is_tight(const sf_column *c) {
  const int32_t *offsets = c->aux;
  return offsets[0] == 0 && offsets[c->length] == c->children[0]->length;
}

static sf_status join_children(sfi_parts *parts, sf_pool *pool, const inputs *in, sf_error *err) {
  const sf_type *type = in->columns[0]->type;
  SF_TRY(sfi_parts_children(parts, type->n_children, err));
  void *scratch = NULL;
  SF_TRY(sf_pool_alloc(pool, (size_t)in->n * sizeof(sf_column *), &scratch, err));
  const sf_column **list = scratch;
  sf_status st = SF_OK;
  for (int32_t i = 0; i < type->n_children && st == SF_OK; i++) {
    for (int32_t k = 0; k < in->n; k++) list[k] = in->columns[k]->children[i];
    st = sf_column_concat(pool, list, in->n, &parts->children[i], err);
  }
  sf_pool_free(pool, scratch);
  return st;
}

static sf_status join(sfi_parts *parts, sf_pool *pool, const inputs *in, sf_error *err) {
  const sf_type *type = in->columns[0]->type;
  if (type->layout == SF_LAYOUT_NULL) {
    parts->spec.null_count = in->length;
    return SF_OK;
  }
  SF_TRY(join_validity(parts, pool, in, err));
  size_t width = sf_layout_width(type->layout);
  if (width > 0) SF_TRY(join_array(parts, pool, in, width, false, &parts->spec.values, err));
  switch (type->layout) {
    case SF_LAYOUT_VIEW:
      for (int32_t i = 0; i < in->n; i++) SF_TRY(sfi_parts_share_bytes(parts, in->columns[i], err));
      return SF_OK;
    case SF_LAYOUT_TIMESTAMP: return join_array(parts, pool, in, sizeof(int32_t), true, &parts->spec.aux, err);
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: SF_TRY(join_offsets(parts, pool, in, err)); return join_children(parts, pool, in, err);
    case SF_LAYOUT_ROW: return join_children(parts, pool, in, err);
    default: return SF_OK;
  }
}

/* Copies a column whose lists are not back to back into one whose lists are. */
static sf_status tighten(sf_pool *pool, sf_column **column, sf_error *err) {
  sf_column *c = *column;
  if (c->type->layout != SF_LAYOUT_LIST && c->type->layout != SF_LAYOUT_MAP) return SF_OK;
  if (is_tight(c)) return SF_OK;
  void *rows = NULL;
  SF_TRY(sf_pool_alloc(pool, (size_t)c->length * sizeof(int32_t), &rows, err));
  for (int64_t i = 0; i < c->length; i++) ((int32_t *)rows)[i] = (int32_t)i;
  sf_column *tight = NULL;
  sf_status st = sf_column_gather(pool, c, rows, c->length, &tight, err);
  sf_pool_free(pool, rows);
  if (st != SF_OK) return st;
  sf_column_release(c);
  *column = tight;
  return SF_OK;
}

static sf_status concat_plain(sf_pool *pool, sf_column *const *plain, int32_t n, sf_column **out, sf_error *err) {
  inputs in = {.columns = (const sf_column *const *)plain, .n = n};
  for (int32_t i = 0; i < n; i++) {
    in.length += plain[i]->length;
    in.nulls = in.nulls < 0 || plain[i]->null_count < 0 ? -1 : in.nulls + plain[i]->null_count;
  }
  if (in.length > INT32_MAX) return sf_fail(err, SF_INVALID, "A column cannot have %lld rows", (long long)in.length);
  sfi_parts parts;
  sfi_parts_init(&parts, plain[0]->type, in.length);
  sf_status st = join(&parts, pool, &in, err);
  if (st != SF_OK) {
    sfi_parts_drop(&parts);
    return st;
  }
  return sfi_parts_finish(&parts, out, err);
}

sf_status sf_column_concat(sf_pool *pool, const sf_column *const *columns, int32_t n, sf_column **out, sf_error *err) {
  *out = NULL;
  if (n < 1) return sf_fail(err, SF_INVALID, "Nothing to concatenate");
  if (n == 1) return sf_column_flatten(pool, (sf_column *)(uintptr_t)columns[0], out, err);
  void *scratch = NULL;
  SF_TRY(sf_pool_alloc(pool, (size_t)n * sizeof(sf_column *), &scratch, err));
  sf_column **plain = scratch;
  int32_t have = 0;
  sf_status st = SF_OK;
  while (have < n && st == SF_OK) {
    st = sf_column_flatten(pool, (sf_column *)(uintptr_t)columns[have], &plain[have], err);
    if (st != SF_OK) break;
    have++;
    st = tighten(pool, &plain[have - 1], err);
  }
  if (st == SF_OK) st = concat_plain(pool, plain, n, out, err);
  for (int32_t i = 0; i < have; i++) sf_column_release(plain[i]);
  sf_pool_free(pool, scratch);
  return st;
}
