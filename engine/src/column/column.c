#include "streamfusion/column.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "column/column_internal.h"
#include "column/type_internal.h"

/* One allocation: this header, then the arrays of children and buffers. */
typedef struct counted_column {
  sf_column column; /* first: a sf_column pointer is a pointer to this */
  atomic_llong references;
  void *pointers[];
} counted_column;

static void drop_spec(const sf_column_spec *spec) {
  for (int32_t i = 0; i < spec->n_buffers; i++) sf_buffer_release(spec->buffers[i]);
  for (int32_t i = 0; i < spec->n_children; i++) sf_column_release(spec->children[i]);
}

sf_status sf_column_create(const sf_column_spec *spec, sf_column **out, sf_error *err) {
  *out = NULL;
  size_t n_pointers = (size_t)spec->n_buffers + (size_t)spec->n_children;
  counted_column *c = malloc(sizeof *c + n_pointers * sizeof(void *));
  if (c == NULL) {
    drop_spec(spec);
    return sf_fail(err, SF_NOMEM, "No memory for a column");
  }
  c->column = (sf_column){
      .type = sf_type_retain(spec->type),
      .length = spec->length,
      .null_count = spec->validity == NULL && spec->type->layout != SF_LAYOUT_NULL ? 0 : spec->null_count,
      .validity = spec->validity,
      .values = spec->values,
      .aux = spec->aux,
      .n_children = spec->n_children,
      .is_const = spec->is_const,
      .children = (sf_column **)c->pointers,
      .n_buffers = spec->n_buffers,
      .buffers = (sf_buffer **)(c->pointers + spec->n_children),
  };
  for (int32_t i = 0; i < spec->n_children; i++) c->column.children[i] = spec->children[i];
  for (int32_t i = 0; i < spec->n_buffers; i++) c->column.buffers[i] = spec->buffers[i];
  atomic_init(&c->references, 1);
  sf_live_add(1);
  *out = &c->column;
  return SF_OK;
}

sf_column *sf_column_retain(sf_column *column) {
  atomic_fetch_add_explicit(&((counted_column *)column)->references, 1, memory_order_relaxed);
  return column;
}

void sf_column_release(sf_column *column) {
  if (column == NULL || atomic_fetch_sub(&((counted_column *)column)->references, 1) != 1) return;
  for (int32_t i = 0; i < column->n_buffers; i++) sf_buffer_release(column->buffers[i]);
  for (int32_t i = 0; i < column->n_children; i++) sf_column_release(column->children[i]);
  sf_type_release(column->type);
  free(column);
  sf_live_add(-1);
}

/* --- parts */

void sfi_parts_init(sfi_parts *parts, const sf_type *type, int64_t length) {
  *parts = (sfi_parts){.spec = {.type = type, .length = length}};
}

void sfi_parts_drop(sfi_parts *parts) {
  parts->spec.buffers = parts->buffers;
  for (int32_t i = 0; i < parts->spec.n_buffers; i++) sf_buffer_release(parts->buffers[i]);
  for (int32_t i = 0; i < parts->spec.n_children; i++) sf_column_release(parts->children[i]);
  free(parts->buffers);
  free(parts->children);
  *parts = (sfi_parts){0};
}

sf_status sfi_parts_add(sfi_parts *parts, sf_buffer *buffer, sf_error *err) {
  if (parts->spec.n_buffers == parts->buffer_room) {
    int32_t room = parts->buffer_room == 0 ? 4 : 2 * parts->buffer_room;
    sf_buffer **grown = realloc(parts->buffers, (size_t)room * sizeof *grown);
    if (grown == NULL) {
      sf_buffer_release(buffer);
      return sf_fail(err, SF_NOMEM, "No memory for a column");
    }
    parts->buffers = grown;
    parts->buffer_room = room;
  }
  parts->buffers[parts->spec.n_buffers++] = buffer;
  return SF_OK;
}

sf_status sfi_parts_buffer(sfi_parts *parts, sf_pool *pool, size_t size, void **data_out, sf_error *err) {
  *data_out = NULL;
  sf_buffer *buffer = NULL;
  SF_TRY(sf_buffer_create(pool, size, &buffer, err));
  SF_TRY(sfi_parts_add(parts, buffer, err));
  *data_out = sf_buffer_data(buffer);
  return SF_OK;
}

static bool lies_in(const void *pointer, const sf_buffer *buffer) {
  const uint8_t *p = pointer;
  const uint8_t *data = sf_buffer_data(buffer);
  return p != NULL && p >= data && p < data + sf_buffer_size(buffer);
}

sf_status sfi_parts_share_bytes(sfi_parts *parts, const sf_column *column, sf_error *err) {
  for (int32_t i = 0; i < column->n_buffers; i++) {
    sf_buffer *buffer = column->buffers[i];
    if (lies_in(column->values, buffer) || lies_in(column->validity, buffer)) continue;
    bool known = false;
    for (int32_t k = 0; k < parts->spec.n_buffers && !known; k++) known = parts->buffers[k] == buffer;
    if (!known) SF_TRY(sfi_parts_add(parts, sf_buffer_retain(buffer), err));
  }
  return SF_OK;
}

sf_status sfi_parts_children(sfi_parts *parts, int32_t n, sf_error *err) {
  parts->children = calloc((size_t)n + 1, sizeof *parts->children);
  if (parts->children == NULL) return sf_fail(err, SF_NOMEM, "No memory for a column");
  parts->spec.n_children = n;
  return SF_OK;
}

sf_status sfi_parts_finish(sfi_parts *parts, sf_column **out, sf_error *err) {
  parts->spec.buffers = parts->buffers;
  parts->spec.children = parts->children;
  sf_status st = sf_column_create(&parts->spec, out, err);
  parts->spec.n_buffers = 0; /* handed over, also on failure */
  parts->spec.n_children = 0;
  sfi_parts_drop(parts);
  return st;
}

/* --- bits */

void sfi_bits_fill(uint8_t *dst, int64_t from, int64_t n) {
  int64_t i = from, end = from + n;
  for (; i < end && (i & 7) != 0; i++) sf_bit_set(dst, i);
  int64_t whole = (end - i) / 8;
  if (whole > 0) memset(dst + i / 8, 0xff, (size_t)whole);
  for (i += whole * 8; i < end; i++) sf_bit_set(dst, i);
}

void sfi_bits_copy(uint8_t *dst, int64_t dst_from, const uint8_t *src, int64_t src_from, int64_t n) {
  if ((dst_from & 7) == 0 && (src_from & 7) == 0) {
    memcpy(dst + dst_from / 8, src + src_from / 8, (size_t)(n / 8));
    int64_t done = n / 8 * 8;
    dst_from += done;
    src_from += done;
    n -= done;
  }
  for (int64_t i = 0; i < n; i++) {
    if (sf_bit_get(src, src_from + i)) sf_bit_set(dst, dst_from + i);
    else sf_bit_clear(dst, dst_from + i);
  }
}

int64_t sfi_bits_count(const uint8_t *bits, int64_t n) {
  int64_t count = 0, i = 0;
  for (; i + 64 <= n; i += 64) {
    uint64_t word;
    memcpy(&word, bits + i / 8, sizeof word);
    count += __builtin_popcountll(word);
  }
  for (; i < n; i++) count += sf_bit_get(bits, i);
  return count;
}

/* --- simple columns */

/* n + 1 zeros: nanoseconds, or the offsets of n empty lists. */
static sf_status zero_aux(sfi_parts *parts, sf_pool *pool, int64_t n, sf_error *err) {
  void *offsets = NULL;
  SF_TRY(sfi_parts_buffer(parts, pool, ((size_t)n + 1) * sizeof(int32_t), &offsets, err));
  memset(offsets, 0, ((size_t)n + 1) * sizeof(int32_t));
  parts->spec.aux = offsets;
  return SF_OK;
}

static sf_status fill_null(sfi_parts *parts, sf_pool *pool, const sf_type *type, int64_t length, sf_error *err) {
  parts->spec.null_count = length;
  if (type->layout == SF_LAYOUT_NULL) return SF_OK;
  void *validity = NULL;
  SF_TRY(sfi_parts_buffer(parts, pool, sf_bitmap_bytes(length), &validity, err));
  memset(validity, 0, sf_bitmap_bytes(length));
  parts->spec.validity = validity;
  size_t width = sf_layout_width(type->layout);
  if (width > 0) {
    void *values = NULL;
    SF_TRY(sfi_parts_buffer(parts, pool, (size_t)length * width, &values, err));
    if (length > 0) memset(values, 0, (size_t)length * width);
    parts->spec.values = values;
  }
  bool lists = type->layout == SF_LAYOUT_LIST || type->layout == SF_LAYOUT_MAP;
  if (lists || type->layout == SF_LAYOUT_TIMESTAMP) SF_TRY(zero_aux(parts, pool, length, err));
  if (type->n_children == 0) return SF_OK;
  SF_TRY(sfi_parts_children(parts, type->n_children, err));
  for (int32_t i = 0; i < type->n_children; i++) {
    SF_TRY(sf_column_create_null(pool, type->children[i], lists ? 0 : length, &parts->children[i], err));
  }
  return SF_OK;
}

sf_status sf_column_create_null(sf_pool *pool, const sf_type *type, int64_t length, sf_column **out, sf_error *err) {
  *out = NULL;
  sfi_parts parts;
  sfi_parts_init(&parts, type, length);
  sf_status st = fill_null(&parts, pool, type, length, err);
  if (st != SF_OK) {
    sfi_parts_drop(&parts);
    return st;
  }
  return sfi_parts_finish(&parts, out, err);
}

/* A new header over everything that `column` owns. */
static sf_status share_all(sfi_parts *parts, const sf_column *column, sf_error *err) {
  parts->spec.null_count = column->null_count;
  parts->spec.validity = column->validity;
  parts->spec.values = column->values;
  parts->spec.aux = column->aux;
  parts->spec.is_const = column->is_const;
  for (int32_t i = 0; i < column->n_buffers; i++) {
    SF_TRY(sfi_parts_add(parts, sf_buffer_retain(column->buffers[i]), err));
  }
  return SF_OK;
}

sf_status sf_column_retype(sf_column *column, const sf_type *type, sf_column **out, sf_error *err) {
  *out = NULL;
  if (column->type == type) {
    *out = sf_column_retain(column);
    return SF_OK;
  }
  if (!sfi_type_same_layout(column->type, type)) {
    char from[128], to[128];
    return sf_fail(err, SF_INVALID, "A column of %s cannot be read as %s", sf_type_text(column->type, from, sizeof from),
                   sf_type_text(type, to, sizeof to));
  }
  sfi_parts parts;
  sfi_parts_init(&parts, type, column->length);
  sf_status st = share_all(&parts, column, err);
  if (st == SF_OK) st = sfi_parts_children(&parts, column->n_children, err);
  for (int32_t i = 0; i < column->n_children && st == SF_OK; i++) {
    st = sf_column_retype(column->children[i], type->children[i], &parts.children[i], err);
  }
  if (st != SF_OK) {
    sfi_parts_drop(&parts);
    return st;
  }
  return sfi_parts_finish(&parts, out, err);
}

int64_t sf_column_bytes(const sf_column *column) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < column->n_buffers; i++) {
    bool counted = false;
    for (int32_t k = 0; k < i && !counted; k++) counted = column->buffers[k] == column->buffers[i];
    if (!counted) bytes += (int64_t)sf_buffer_size(column->buffers[i]);
  }
  for (int32_t i = 0; i < column->n_children; i++) bytes += sf_column_bytes(column->children[i]);
  return bytes;
}
