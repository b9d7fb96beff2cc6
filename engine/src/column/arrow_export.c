/* Batches as Arrow arrays. A BOOLEAN byte becomes a bit, views become offsets and bytes, compact decimals 128 bits, and
 * timestamps with nanoseconds one number; everything else is lent until the consumer releases the array. */
#include <stdlib.h>

#include "column/arrow_internal.h"

/* Owned by an exported array. */
typedef struct array_parts {
  const void *pointers[3];
  sf_buffer *copies[2];
  sf_column *shared; /* keeps lent buffers alive */
  struct ArrowArray *children;
  struct ArrowArray **child_pointers;
} array_parts;

static void release_array(struct ArrowArray *array) {
  array_parts *parts = array->private_data;
  for (int64_t i = 0; i < array->n_children; i++) {
    if (parts->children[i].release != NULL) parts->children[i].release(&parts->children[i]);
  }
  free(parts->children);
  free(parts->child_pointers);
  sf_buffer_release(parts->copies[0]);
  sf_buffer_release(parts->copies[1]);
  sf_column_release(parts->shared);
  free(parts);
  sf_live_add(-1);
  array->release = NULL;
}

static sf_status start_array(int64_t length, int64_t n_buffers, int64_t n_children, struct ArrowArray *out,
                             array_parts **parts_out, sf_error *err) {
  *out = (struct ArrowArray){0};
  array_parts *parts = calloc(1, sizeof *parts);
  if (parts == NULL) return sf_fail(err, SF_NOMEM, "No memory for an Arrow array");
  sf_live_add(1);
  parts->children = calloc((size_t)n_children + 1, sizeof *parts->children);
  parts->child_pointers = calloc((size_t)n_children + 1, sizeof *parts->child_pointers);
  *out = (struct ArrowArray){.length = length,
                             .n_buffers = n_buffers,
                             .buffers = parts->pointers,
                             .children = parts->child_pointers,
                             .release = release_array,
                             .private_data = parts};
  if (parts->children == NULL || parts->child_pointers == NULL) {
    release_array(out);
    return sf_fail(err, SF_NOMEM, "No memory for an Arrow array");
  }
  for (int64_t i = 0; i < n_children; i++) parts->child_pointers[i] = &parts->children[i];
  out->n_children = n_children;
  *parts_out = parts;
  return SF_OK;
}

static sf_status copy_room(array_parts *parts, sf_pool *pool, int which, size_t size, void **out, sf_error *err) {
  SF_TRY(sf_buffer_create(pool, size, &parts->copies[which], err));
  *out = sf_buffer_data(parts->copies[which]);
  parts->pointers[which + 1] = *out;
  return SF_OK;
}

/* --- values that Arrow lays out differently */

static sf_status export_bits(array_parts *parts, sf_pool *pool, const sf_column *c, sf_error *err) {
  void *bits = NULL;
  size_t size = sf_bitmap_bytes(c->length);
  SF_TRY(copy_room(parts, pool, 0, size, &bits, err));
  memset(bits, 0, size);
  const uint8_t *values = c->values;
  for (int64_t i = 0; i < c->length; i++) {
    if (values[i]) sf_bit_set(bits, i);
  }
  return SF_OK;
}

static sf_status export_views(array_parts *parts, sf_pool *pool, const sf_column *c, sf_error *err) {
  const sf_view *views = c->values;
  int64_t total = 0;
  for (int64_t i = 0; i < c->length; i++) total += sf_column_is_null(c, i) ? 0 : views[i].size;
  if (total > INT32_MAX) {
    return sf_fail(err, SF_UNSUPPORTED, "%lld bytes of strings do not fit an Arrow array", (long long)total);
  }
  void *offsets_room = NULL, *bytes_room = NULL;
  SF_TRY(copy_room(parts, pool, 0, ((size_t)c->length + 1) * sizeof(int32_t), &offsets_room, err));
  SF_TRY(copy_room(parts, pool, 1, (size_t)total, &bytes_room, err));
  int32_t *offsets = offsets_room;
  uint8_t *bytes = bytes_room;
  int32_t at = 0;
  for (int64_t i = 0; i < c->length; i++) {
    offsets[i] = at;
    if (sf_column_is_null(c, i) || views[i].size == 0) continue;
    memcpy(bytes + at, views[i].data, views[i].size);
    at += (int32_t)views[i].size;
  }
  offsets[c->length] = at;
  return SF_OK;
}

static sf_status export_decimals(array_parts *parts, sf_pool *pool, const sf_column *c, sf_error *err) {
  void *room = NULL;
  SF_TRY(copy_room(parts, pool, 0, (size_t)c->length * sizeof(__int128), &room, err));
  for (int64_t i = 0; i < c->length; i++) ((__int128 *)room)[i] = ((const int64_t *)c->values)[i];
  return SF_OK;
}

static sf_status export_instants(array_parts *parts, sf_pool *pool, const sf_column *c, sf_error *err) {
  void *room = NULL;
  SF_TRY(copy_room(parts, pool, 0, (size_t)c->length * sizeof(int64_t), &room, err));
  const int64_t *millis = c->values;
  const int32_t *nanos = c->aux;
  bool micro = c->type->precision <= 6;
  for (int64_t i = 0; i < c->length; i++) {
    int64_t value = 0;
    if (!sf_column_is_null(c, i) && (__builtin_mul_overflow(millis[i], micro ? 1000 : 1000000, &value) ||
                                     __builtin_add_overflow(value, micro ? nanos[i] / 1000 : nanos[i], &value))) {
      return sf_fail_row(err, SF_ARITHMETIC, i, "The timestamp of %lld milliseconds is out of the range of Arrow's %s",
                         (long long)millis[i], micro ? "microseconds" : "nanoseconds");
    }
    ((int64_t *)room)[i] = value;
  }
  return SF_OK;
}

/* --- arrays */

static sf_status export_column(sf_pool *pool, sf_column *c, struct ArrowArray *out, sf_error *err);

static sf_status export_entries(sf_pool *pool, const sf_column *map, struct ArrowArray *out, sf_error *err) {
  array_parts *parts = NULL;
  SF_TRY(start_array(map->children[0]->length, 1, 2, out, &parts, err));
  SF_TRY(export_column(pool, map->children[0], &parts->children[0], err));
  return export_column(pool, map->children[1], &parts->children[1], err);
}

static sf_status export_children(array_parts *parts, sf_pool *pool, const sf_column *c, sf_error *err) {
  if (c->type->layout == SF_LAYOUT_MAP) return export_entries(pool, c, &parts->children[0], err);
  for (int32_t i = 0; i < c->n_children; i++) {
    SF_TRY(export_column(pool, c->children[i], &parts->children[i], err));
  }
  return SF_OK;
}

static sf_status export_values(array_parts *parts, sf_pool *pool, const sf_column *c, sf_error *err) {
  switch (c->type->layout) {
    case SF_LAYOUT_BOOL: return export_bits(parts, pool, c, err);
    case SF_LAYOUT_VIEW: return export_views(parts, pool, c, err);
    case SF_LAYOUT_TIMESTAMP: return export_instants(parts, pool, c, err);
    case SF_LAYOUT_ROW: return export_children(parts, pool, c, err);
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: parts->pointers[1] = c->aux; return export_children(parts, pool, c, err);
    case SF_LAYOUT_INT64:
      if (c->type->kind == SF_TYPE_DECIMAL) return export_decimals(parts, pool, c, err);
      parts->pointers[1] = c->values;
      return SF_OK;
    default: parts->pointers[1] = c->values; return SF_OK;
  }
}

static int64_t buffers_of(sf_layout layout) {
  switch (layout) {
    case SF_LAYOUT_NULL: return 0;
    case SF_LAYOUT_ROW: return 1;
    case SF_LAYOUT_VIEW: return 3;
    default: return 2;
  }
}

static sf_status export_column(sf_pool *pool, sf_column *c, struct ArrowArray *out, sf_error *err) {
  array_parts *parts = NULL;
  int64_t n_children = c->type->layout == SF_LAYOUT_MAP ? 1 : c->n_children;
  SF_TRY(start_array(c->length, buffers_of(c->type->layout), n_children, out, &parts, err));
  parts->shared = sf_column_retain(c);
  parts->pointers[0] = c->validity;
  out->null_count = c->null_count;
  sf_status st = export_values(parts, pool, c, err);
  if (st != SF_OK) release_array(out);
  return st;
}

static sf_status export_batch(sf_pool *pool, sf_batch *batch, struct ArrowArray *out, sf_error *err) {
  array_parts *parts = NULL;
  SF_TRY(start_array(batch->length, 1, batch->n_columns, out, &parts, err));
  for (int32_t i = 0; i < batch->n_columns; i++) {
    sf_status st = export_column(pool, batch->columns[i], &parts->children[i], err);
    if (st != SF_OK) {
      release_array(out);
      return st;
    }
  }
  return SF_OK;
}

sf_status sf_arrow_export(sf_pool *pool, sf_batch *batch, struct ArrowSchema *schema_out, struct ArrowArray *array_out,
                          sf_error *err) {
  *array_out = (struct ArrowArray){0};
  SF_TRY(sfi_arrow_export_schema(batch->type, "", schema_out, err));
  schema_out->flags = 0; /* a batch has no NULL rows */
  sf_status st = export_batch(pool, batch, array_out, err);
  if (st != SF_OK) schema_out->release(schema_out);
  return st;
}
