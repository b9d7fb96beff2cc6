/* Literals and other columns of one value. */
#include <stdlib.h>
#include <string.h>

#include "expr/node.h"

/* One buffer holds everything: the value at 0, validity at 16, aux at 24, string bytes from 32. */
enum { VALUE_AT = 0, VALIDITY_AT = 16, AUX_AT = 24, BYTES_AT = 32 };

static bool store_int(sf_layout layout, int64_t v, uint8_t *to) {
  int8_t i8 = (int8_t)v;
  int16_t i16 = (int16_t)v;
  int32_t i32 = (int32_t)v;
  __int128 i128 = v;
  switch (layout) {
    case SF_LAYOUT_INT8: memcpy(to, &i8, sizeof i8); return i8 == v;
    case SF_LAYOUT_INT16: memcpy(to, &i16, sizeof i16); return i16 == v;
    case SF_LAYOUT_INT32: memcpy(to, &i32, sizeof i32); return i32 == v;
    case SF_LAYOUT_INT64: memcpy(to, &v, sizeof v); return true;
    case SF_LAYOUT_INT128: memcpy(to, &i128, sizeof i128); return true;
    default: return false;
  }
}

static bool store_double(sf_layout layout, double v, uint8_t *to) {
  float f = (float)v;
  switch (layout) {
    case SF_LAYOUT_FLOAT: memcpy(to, &f, sizeof f); return true;
    case SF_LAYOUT_DOUBLE: memcpy(to, &v, sizeof v); return true;
    default: return false;
  }
}

static bool store_instant(const sf_type *type, int64_t millis, int32_t nanos, uint8_t *data) {
  if (type->kind != SF_TYPE_TIMESTAMP && type->kind != SF_TYPE_TIMESTAMP_LTZ) return false;
  if (nanos < 0 || nanos > (type->layout == SF_LAYOUT_TIMESTAMP ? 999999 : 0)) return false;
  memcpy(data + VALUE_AT, &millis, sizeof millis);
  memcpy(data + AUX_AT, &nanos, sizeof nanos);
  return true;
}

static bool store_value(const sf_type *type, const Streamfusion__Plan__Literal *literal, uint8_t *data) {
  switch (literal->value_case) {
    case STREAMFUSION__PLAN__LITERAL__VALUE_BOOL_VALUE:
      data[VALUE_AT] = literal->bool_value ? 1 : 0;
      return type->layout == SF_LAYOUT_BOOL;
    case STREAMFUSION__PLAN__LITERAL__VALUE_INT_VALUE:
      return type->kind != SF_TYPE_TIMESTAMP && type->kind != SF_TYPE_TIMESTAMP_LTZ &&
             store_int(type->layout, literal->int_value, data + VALUE_AT);
    case STREAMFUSION__PLAN__LITERAL__VALUE_DOUBLE_VALUE:
      return store_double(type->layout, literal->double_value, data + VALUE_AT);
    case STREAMFUSION__PLAN__LITERAL__VALUE_DECIMAL_VALUE: {
      unsigned __int128 v =
          (unsigned __int128)(uint64_t)literal->decimal_value->high << 64 | literal->decimal_value->low;
      memcpy(data + VALUE_AT, &v, sizeof v);
      return type->layout == SF_LAYOUT_INT128;
    }
    case STREAMFUSION__PLAN__LITERAL__VALUE_INSTANT_VALUE:
      return store_instant(type, literal->instant_value->millis, literal->instant_value->nanos_of_milli, data);
    case STREAMFUSION__PLAN__LITERAL__VALUE_BYTES_VALUE: {
      sf_view view = {data + BYTES_AT, (uint32_t)literal->bytes_value.len, 0};
      if (literal->bytes_value.len > 0) memcpy(data + BYTES_AT, literal->bytes_value.data, literal->bytes_value.len);
      memcpy(data + VALUE_AT, &view, sizeof view);
      return type->layout == SF_LAYOUT_VIEW;
    }
    default: return false;
  }
}

sf_status sfi_literal_column(sf_pool *pool, const sf_type *type, const Streamfusion__Plan__Literal *literal,
                             sf_column **out, sf_error *err) {
  *out = NULL;
  if (literal->value_case == STREAMFUSION__PLAN__LITERAL__VALUE_NULL_VALUE) return sfi_const_null(pool, type, 1, out, err);
  size_t size = BYTES_AT;
  if (literal->value_case == STREAMFUSION__PLAN__LITERAL__VALUE_BYTES_VALUE) size += literal->bytes_value.len;
  sf_buffer *buffer = NULL;
  SF_TRY(sf_buffer_create(pool, size, &buffer, err));
  uint8_t *data = sf_buffer_data(buffer);
  memset(data, 0, BYTES_AT);
  if (!store_value(type, literal, data)) {
    char text[128];
    sf_buffer_release(buffer);
    return sf_fail(err, SF_INVALID, "literal of kind %d does not fit type %s", (int)literal->value_case,
                   sf_type_text(type, text, sizeof text));
  }
  sf_column_spec spec = {.type = type,
                         .length = 1,
                         .values = data + VALUE_AT,
                         .aux = type->layout == SF_LAYOUT_TIMESTAMP ? data + AUX_AT : NULL,
                         .is_const = true,
                         .n_buffers = 1,
                         .buffers = &buffer};
  return sf_column_create(&spec, out, err);
}

static bool is_nested(sf_layout layout) {
  return layout == SF_LAYOUT_ROW || layout == SF_LAYOUT_LIST || layout == SF_LAYOUT_MAP;
}

/* Nested columns are repeated by gathering: their children need as many rows as they have. */
static sf_status repeat(sf_pool *pool, const sf_column *column, int64_t length, sf_column **out, sf_error *err) {
  void *indices = NULL;
  SF_TRY(sf_pool_alloc(pool, (size_t)length * sizeof(int32_t), &indices, err));
  memset(indices, 0, (size_t)length * sizeof(int32_t));
  sf_status st = sf_column_gather(pool, column, indices, length, out, err);
  sf_pool_free(pool, indices);
  return st;
}

sf_status sfi_const_of(sf_pool *pool, const sf_column *column, int64_t length, sf_column **out, sf_error *err) {
  *out = NULL;
  if (is_nested(column->type->layout)) return repeat(pool, column, length, out, err);
  sf_buffer *few[8];
  sf_buffer **buffers = few;
  if (column->n_buffers > 8) {
    buffers = malloc((size_t)column->n_buffers * sizeof *buffers);
    if (buffers == NULL) return sf_fail(err, SF_NOMEM, "const column");
  }
  for (int32_t i = 0; i < column->n_buffers; i++) buffers[i] = sf_buffer_retain(column->buffers[i]);
  bool null = sf_column_is_null(column, 0);
  sf_column_spec spec = {.type = column->type,
                         .length = length,
                         .null_count = null ? length : 0,
                         .validity = null ? column->validity : NULL,
                         .values = column->values,
                         .aux = column->aux,
                         .is_const = true,
                         .n_buffers = column->n_buffers,
                         .buffers = buffers};
  sf_status st = sf_column_create(&spec, out, err);
  if (buffers != few) free(buffers);
  return st;
}

sf_status sfi_const_null(sf_pool *pool, const sf_type *type, int64_t length, sf_column **out, sf_error *err) {
  *out = NULL;
  if (is_nested(type->layout) || type->layout == SF_LAYOUT_NULL) {
    return sf_column_create_null(pool, type, length, out, err);
  }
  sf_buffer *buffer = NULL;
  SF_TRY(sf_buffer_create(pool, BYTES_AT, &buffer, err));
  uint8_t *data = sf_buffer_data(buffer);
  memset(data, 0, BYTES_AT);
  sf_column_spec spec = {.type = type,
                         .length = length,
                         .null_count = length,
                         .validity = data + VALIDITY_AT,
                         .values = data + VALUE_AT,
                         .aux = type->layout == SF_LAYOUT_TIMESTAMP ? data + AUX_AT : NULL,
                         .is_const = true,
                         .n_buffers = 1,
                         .buffers = &buffer};
  return sf_column_create(&spec, out, err);
}
