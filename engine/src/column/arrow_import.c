/* Arrow arrays as batches. Fixed-width values, bytes of strings, offsets and validity are used in place wherever they are
 * aligned; the imported array lives as long as any column that refers to it. */
#include <stdlib.h>

#include "column/arrow_internal.h"

typedef struct import {
  sf_pool *pool;
  sf_buffer *owner; /* releases the array */
  sf_error *err;
} import;

/* Rows [offset, offset + length) of an array: a struct's offset applies to its children as well. */
typedef struct slice {
  const struct ArrowSchema *schema;
  const struct ArrowArray *array;
  int64_t offset;
  int64_t length;
} slice;

static sf_status import_column(const import *in, const sf_type *type, slice s, sf_column **out);

static bool aligned(const void *pointer, size_t to) { return (uintptr_t)pointer % to == 0; }

static sf_status keep_owner(const import *in, sfi_parts *parts) {
  return sfi_parts_add(parts, sf_buffer_retain(in->owner), in->err);
}

static sf_status import_validity(const import *in, sfi_parts *parts, slice s) {
  const uint8_t *bits = s.array->n_buffers > 0 ? s.array->buffers[0] : NULL;
  if (bits == NULL || s.array->null_count == 0) return SF_OK;
  bool whole = s.offset == 0 && s.length == s.array->length;
  parts->spec.null_count = whole ? s.array->null_count : -1;
  if (s.offset % 8 == 0) {
    parts->spec.validity = bits + s.offset / 8;
    return keep_owner(in, parts);
  }
  void *copy = NULL;
  SF_TRY(sfi_parts_buffer(parts, in->pool, sf_bitmap_bytes(s.length), &copy, in->err));
  memset(copy, 0, sf_bitmap_bytes(s.length));
  sfi_bits_copy(copy, 0, bits, s.offset, s.length);
  parts->spec.validity = copy;
  return SF_OK;
}

/* An array of fixed width, in place if it can be. */
static sf_status import_fixed(const import *in, sfi_parts *parts, const void *buffer, int64_t offset, int64_t length,
                              size_t width, const void **out) {
  const char *from = buffer == NULL ? NULL : (const char *)buffer + (size_t)offset * width;
  if (from != NULL && aligned(from, width)) {
    *out = from;
    return keep_owner(in, parts);
  }
  void *copy = NULL;
  SF_TRY(sfi_parts_buffer(parts, in->pool, (size_t)length * width, &copy, in->err));
  if (length > 0 && from != NULL) memcpy(copy, from, (size_t)length * width);
  *out = copy;
  return SF_OK;
}

static sf_status import_bits(const import *in, sfi_parts *parts, slice s) {
  void *values = NULL;
  SF_TRY(sfi_parts_buffer(parts, in->pool, (size_t)s.length, &values, in->err));
  for (int64_t i = 0; i < s.length; i++) ((uint8_t *)values)[i] = sf_bit_get(s.array->buffers[1], s.offset + i);
  parts->spec.values = values;
  return SF_OK;
}

static bool is_null(const sfi_parts *parts, int64_t i) {
  return parts->spec.validity != NULL && !sf_bit_get(parts->spec.validity, i);
}

static sf_status import_decimals(const import *in, sfi_parts *parts, slice s) {
  void *values = NULL;
  SF_TRY(sfi_parts_buffer(parts, in->pool, (size_t)s.length * sizeof(int64_t), &values, in->err));
  for (int64_t i = 0; i < s.length; i++) {
    __int128 v = 0;
    if (!is_null(parts, i)) {
      memcpy(&v, (const char *)s.array->buffers[1] + (size_t)(s.offset + i) * sizeof v, sizeof v);
    }
    if (v != (int64_t)v) {
      return sf_fail_row(in->err, SF_INVALID, i, "A decimal of an Arrow array exceeds its precision");
    }
    ((int64_t *)values)[i] = (int64_t)v;
  }
  parts->spec.values = values;
  return SF_OK;
}

/* Where value i of a string array lies. */
static void byte_range(slice s, sfi_arrow_reading reading, int64_t unit, int64_t i, int64_t *from, int64_t *to) {
  if (reading == SFI_ARROW_FIXED_BYTES) {
    *from = (s.offset + i) * unit;
    *to = *from + unit;
  } else if (reading == SFI_ARROW_LARGE) {
    const char *at = (const char *)s.array->buffers[1] + (size_t)(s.offset + i) * 8;
    memcpy(from, at, 8);
    memcpy(to, at + 8, 8);
  } else {
    int32_t pair[2];
    memcpy(pair, (const char *)s.array->buffers[1] + (size_t)(s.offset + i) * 4, 8);
    *from = pair[0];
    *to = pair[1];
  }
}

static sf_status import_views(const import *in, sfi_parts *parts, slice s, sfi_arrow_reading reading, int64_t unit) {
  void *room = NULL;
  SF_TRY(sfi_parts_buffer(parts, in->pool, (size_t)s.length * sizeof(sf_view), &room, in->err));
  const uint8_t *bytes = s.array->buffers[reading == SFI_ARROW_FIXED_BYTES ? 1 : 2];
  sf_view *views = room;
  for (int64_t i = 0; i < s.length; i++) {
    int64_t from = 0, to = 0;
    if (!is_null(parts, i)) byte_range(s, reading, unit, i, &from, &to);
    if (to < from || to - from > INT32_MAX) {
      return sf_fail_row(in->err, SF_INVALID, i, "A string of an Arrow array has %lld bytes", (long long)(to - from));
    }
    views[i] = (sf_view){to == from ? NULL : bytes + from, (uint32_t)(to - from), 0};
  }
  parts->spec.values = views;
  return keep_owner(in, parts);
}

/* `unit` ticks a second become milliseconds, and nanoseconds of the millisecond where the type has them. */
static sf_status import_instants(const import *in, sfi_parts *parts, slice s, int64_t unit) {
  bool nanos = parts->spec.type->layout == SF_LAYOUT_TIMESTAMP;
  void *millis_room = NULL, *nanos_room = NULL;
  SF_TRY(sfi_parts_buffer(parts, in->pool, (size_t)s.length * sizeof(int64_t), &millis_room, in->err));
  if (nanos) SF_TRY(sfi_parts_buffer(parts, in->pool, (size_t)s.length * sizeof(int32_t), &nanos_room, in->err));
  int64_t *millis = millis_room;
  int64_t per_milli = unit > 1000 ? unit / 1000 : 1;
  for (int64_t i = 0; i < s.length; i++) {
    int64_t v = 0;
    if (!is_null(parts, i)) memcpy(&v, (const char *)s.array->buffers[1] + (size_t)(s.offset + i) * 8, 8);
    int64_t rest = v % per_milli;
    if (rest < 0) rest += per_milli;
    millis[i] = (v - rest) / per_milli;
    if (unit == 1 && __builtin_mul_overflow(v, INT64_C(1000), &millis[i])) {
      return sf_fail_row(in->err, SF_INVALID, i, "A timestamp of an Arrow array is out of range");
    }
    if (nanos) ((int32_t *)nanos_room)[i] = (int32_t)(rest * (1000000 / per_milli));
  }
  parts->spec.values = millis;
  parts->spec.aux = nanos_room;
  return SF_OK;
}

static sf_status import_children(const import *in, sfi_parts *parts, const sf_type *type, slice s) {
  if (s.array->n_children != s.schema->n_children) {
    return sf_fail(in->err, SF_INVALID, "An Arrow array has %lld children and its schema %lld",
                   (long long)s.array->n_children, (long long)s.schema->n_children);
  }
  SF_TRY(sfi_parts_children(parts, type->n_children, in->err));
  for (int32_t i = 0; i < type->n_children; i++) {
    const struct ArrowArray *child = s.array->children[i];
    if (child->length < s.offset + s.length) return sf_fail(in->err, SF_INVALID, "A child of an Arrow array is too short");
    slice part = {s.schema->children[i], child, child->offset + s.offset, s.length};
    SF_TRY(import_column(in, type->children[i], part, &parts->children[i]));
  }
  return SF_OK;
}

static sf_status import_offsets(const import *in, sfi_parts *parts, slice s) {
  const void *offsets = s.length == 0 ? NULL : s.array->buffers[1];
  if (offsets != NULL) {
    return import_fixed(in, parts, offsets, s.offset, s.length + 1, sizeof(int32_t), &parts->spec.aux);
  }
  void *zero = NULL;
  SF_TRY(sfi_parts_buffer(parts, in->pool, sizeof(int32_t), &zero, in->err));
  memset(zero, 0, sizeof(int32_t));
  parts->spec.aux = zero;
  return SF_OK;
}

/* The elements of a list, or the keys and values of a map, as a whole: offsets refer to them. */
static sf_status import_elements(const import *in, sfi_parts *parts, const sf_type *type, slice s) {
  SF_TRY(import_offsets(in, parts, s));
  slice inner = {s.schema->children[0], s.array->children[0], s.array->children[0]->offset,
                 s.array->children[0]->length};
  if (type->layout == SF_LAYOUT_MAP) {
    if (strcmp(inner.schema->format, "+s") != 0 || inner.schema->n_children != 2) {
      return sf_fail(in->err, SF_INVALID, "The entries of an Arrow map are no struct of two");
    }
    return import_children(in, parts, type, inner);
  }
  SF_TRY(sfi_parts_children(parts, 1, in->err));
  return import_column(in, type->children[0], inner, &parts->children[0]);
}

static sf_status import_values(const import *in, sfi_parts *parts, slice s, sfi_arrow_reading reading, int64_t unit) {
  const sf_type *type = parts->spec.type;
  if (s.length == 0 && type->n_children == 0 && reading != SFI_ARROW_NOTHING) { /* buffers may be missing */
    void *nothing = NULL;
    SF_TRY(sfi_parts_buffer(parts, in->pool, 0, &nothing, in->err));
    parts->spec.values = nothing;
    parts->spec.aux = type->layout == SF_LAYOUT_TIMESTAMP ? nothing : NULL;
    return SF_OK;
  }
  switch (reading) {
    case SFI_ARROW_AS_IS:
      return import_fixed(in, parts, s.array->buffers[1], s.offset, s.length, sf_layout_width(type->layout),
                          &parts->spec.values);
    case SFI_ARROW_BITS: return import_bits(in, parts, s);
    case SFI_ARROW_DECIMAL: return import_decimals(in, parts, s);
    case SFI_ARROW_STRING:
    case SFI_ARROW_LARGE:
    case SFI_ARROW_FIXED_BYTES: return import_views(in, parts, s, reading, unit);
    case SFI_ARROW_INSTANT:
      if (unit == 1000 && type->layout == SF_LAYOUT_INT64) {
        return import_fixed(in, parts, s.array->buffers[1], s.offset, s.length, 8, &parts->spec.values);
      }
      return import_instants(in, parts, s, unit);
    case SFI_ARROW_NESTED:
      return type->kind == SF_TYPE_ROW ? import_children(in, parts, type, s) : import_elements(in, parts, type, s);
    case SFI_ARROW_NOTHING: parts->spec.null_count = s.length; return SF_OK;
  }
  return sf_fail(in->err, SF_INTERNAL, "Unknown Arrow reading %d", (int)reading);
}

static int64_t buffers_of(sfi_arrow_reading reading, sf_layout layout) {
  switch (reading) {
    case SFI_ARROW_NOTHING: return 0;
    case SFI_ARROW_NESTED: return layout == SF_LAYOUT_ROW ? 1 : 2;
    case SFI_ARROW_STRING:
    case SFI_ARROW_LARGE: return 3;
    default: return 2;
  }
}

static sf_status import_column(const import *in, const sf_type *type, slice s, sf_column **out) {
  sfi_arrow_reading reading;
  int64_t unit = 0;
  SF_TRY(sfi_arrow_reading_of(type, s.schema, &reading, &unit, in->err));
  if (s.array->n_buffers != buffers_of(reading, type->layout)) {
    return sf_fail(in->err, SF_INVALID, "An Arrow array of format %s has %lld buffers", s.schema->format,
                   (long long)s.array->n_buffers);
  }
  sfi_parts parts;
  sfi_parts_init(&parts, type, s.length);
  sf_status st = reading == SFI_ARROW_NOTHING ? SF_OK : import_validity(in, &parts, s);
  if (st == SF_OK) st = import_values(in, &parts, s, reading, unit);
  if (st != SF_OK) {
    sfi_parts_drop(&parts);
    return st;
  }
  return sfi_parts_finish(&parts, out, in->err);
}

/* --- the array as a whole */

static void release_imported(void *context) {
  struct ArrowArray *array = context;
  if (array->release != NULL) array->release(array);
  free(array);
}

/* Moves the array to the heap and wraps it; on failure it has been released. */
static sf_status take_over(struct ArrowArray *array, struct ArrowArray **moved_out, sf_buffer **owner, sf_error *err) {
  struct ArrowArray *moved = malloc(sizeof *moved);
  if (moved == NULL) {
    array->release(array);
    return sf_fail(err, SF_NOMEM, "No memory for an Arrow array");
  }
  *moved = *array;
  array->release = NULL;
  sf_status st = sf_buffer_wrap(moved, sizeof *moved, release_imported, moved, owner, err);
  if (st != SF_OK) release_imported(moved);
  *moved_out = moved;
  return st;
}

sf_status sf_arrow_import(sf_pool *pool, const sf_type *row_type, const struct ArrowSchema *schema,
                          struct ArrowArray *array, sf_batch **out, sf_error *err) {
  *out = NULL;
  struct ArrowArray *moved = NULL;
  import in = {.pool = pool, .err = err};
  SF_TRY(take_over(array, &moved, &in.owner, err));
  sf_column *row = NULL;
  slice all = {schema, moved, moved->offset, moved->length};
  sf_status st = row_type->kind == SF_TYPE_ROW ? import_column(&in, row_type, all, &row)
                                               : sf_fail(err, SF_INVALID, "A batch needs a ROW type");
  if (st == SF_OK && row->validity != NULL && sfi_bits_count(row->validity, row->length) != row->length) {
    st = sf_fail(err, SF_INVALID, "An Arrow array with NULL rows is no batch");
  }
  if (st == SF_OK) st = sf_batch_create(row_type, row->length, row->children, NULL, NULL, 0, out, err);
  sf_column_release(row);
  sf_buffer_release(in.owner);
  return st;
}
