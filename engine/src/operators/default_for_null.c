/* What Flink's generated code writes for a NULL whose type is NOT NULL. */
#include <stdlib.h>
#include <string.h>

#include "operators/operator_internal.h"

/* CodeGenUtils.primitiveDefaultValue; types that are missing here are objects to Flink's code, whose NULL stays one. */
static bool default_of(const sf_type *type, uint8_t value[16]) {
  memset(value, 0, 16);
  switch (type->kind) {
    case SF_TYPE_BOOLEAN:
    case SF_TYPE_CHAR:
    case SF_TYPE_VARCHAR: return true;
    case SF_TYPE_FLOAT: memcpy(value, &(float){-1}, sizeof(float)); return true;
    case SF_TYPE_DOUBLE: memcpy(value, &(double){-1}, sizeof(double)); return true;
    case SF_TYPE_TINYINT:
    case SF_TYPE_SMALLINT:
    case SF_TYPE_INTEGER:
    case SF_TYPE_BIGINT:
    case SF_TYPE_DATE:
    case SF_TYPE_TIME:
    case SF_TYPE_INTERVAL_YEAR_MONTH:
    case SF_TYPE_INTERVAL_DAY_TIME: memset(value, 0xff, 8); return true;
    default: return false;
  }
}

static sf_status filled(sf_pool *pool, const sf_column *column, const uint8_t *value, sf_column **out, sf_error *err) {
  const size_t width = sf_layout_width(column->type->layout);
  const int64_t rows = column->is_const ? 1 : column->length;
  sf_buffer *values = NULL;
  SF_TRY(sf_buffer_create(pool, (size_t)rows * width, &values, err));
  sf_buffer **buffers = malloc(((size_t)column->n_buffers + 1) * sizeof *buffers);
  if (buffers == NULL) {
    sf_buffer_release(values);
    return sf_fail(err, SF_NOMEM, "defaults of NOT NULL results");
  }
  uint8_t *to = sf_buffer_data(values);
  memcpy(to, column->values, (size_t)rows * width);
  for (int64_t i = 0; i < rows; i++) {
    if (sf_column_is_null(column, i)) memcpy(to + (size_t)i * width, value, width);
  }
  for (int32_t i = 0; i < column->n_buffers; i++) buffers[i] = sf_buffer_retain(column->buffers[i]);
  buffers[column->n_buffers] = values;
  const sf_column_spec spec = {.type = column->type,
                               .length = column->length,
                               .values = to,
                               .is_const = column->is_const,
                               .n_buffers = column->n_buffers + 1,
                               .buffers = buffers};
  const sf_status st = sf_column_create(&spec, out, err);
  free(buffers);
  return st;
}

sf_status sfi_default_for_null(sf_pool *pool, sf_column *column, sf_column **out, sf_error *err) {
  uint8_t value[16];
  if (column->validity == NULL || column->null_count == 0 || !default_of(column->type, value)) {
    *out = column;
    return SF_OK;
  }
  *out = NULL;
  const sf_status st = filled(pool, column, value, out, err);
  sf_column_release(column);
  return st;
}
