/* Record headers from a MAP<STRING, BYTES> column (writable metadata `headers`). */
#include <string.h>

#include "streamfusion/kafka_records.h"

enum { MAX_VARINT = 5 };

static uint8_t *put_varint(uint8_t *out, int32_t v) {
  uint32_t u = ((uint32_t)v << 1) ^ (uint32_t)(v >> 31);
  while (u >= 0x80) {
    *out++ = (uint8_t)(u | 0x80);
    u >>= 7;
  }
  *out++ = (uint8_t)u;
  return out;
}

static bool entry_present(const sf_column *map, int64_t i) {
  return !sf_column_is_null(map->children[0], i) && !sf_column_is_null(map->children[1], i);
}

/* Upper bound of the encoded bytes of all rows. */
static size_t headers_bound(const sf_column *map) {
  const int32_t *offsets = map->aux;
  const sf_view *keys = map->children[0]->values;
  const sf_view *values = map->children[1]->values;
  size_t bytes = (size_t)map->length * MAX_VARINT;
  for (int64_t row = 0; row < map->length; row++) {
    if (sf_column_is_null(map, row)) continue;
    for (int64_t i = offsets[row]; i < offsets[row + 1]; i++) {
      if (entry_present(map, i)) bytes += (size_t)2 * MAX_VARINT + keys[i].size + values[i].size;
    }
  }
  return bytes;
}

static uint8_t *put_view(uint8_t *out, const sf_view *view) {
  out = put_varint(out, (int32_t)view->size);
  if (view->size > 0) memcpy(out, view->data, view->size);
  return out + view->size;
}

static uint8_t *put_row(uint8_t *out, const sf_column *map, int64_t row) {
  if (sf_column_is_null(map, row)) return put_varint(out, 0);
  const int32_t *offsets = map->aux;
  const sf_view *keys = map->children[0]->values;
  const sf_view *values = map->children[1]->values;
  int32_t count = 0;
  for (int64_t i = offsets[row]; i < offsets[row + 1]; i++) count += entry_present(map, i);
  out = put_varint(out, count);
  for (int64_t i = offsets[row]; i < offsets[row + 1]; i++) {
    if (!entry_present(map, i)) continue;
    out = put_view(out, &keys[i]);
    out = put_view(out, &values[i]);
  }
  return out;
}

sf_status sf_kafka_headers_encode(sf_pool *pool, const sf_column *map, uint8_t **data_out, int64_t **offsets_out,
                                  sf_error *err) {
  if (map->type->layout != SF_LAYOUT_MAP || map->is_const || map->children[0]->type->layout != SF_LAYOUT_VIEW ||
      map->children[1]->type->layout != SF_LAYOUT_VIEW) {
    return sf_fail(err, SF_INVALID, "headers are no MAP<STRING, BYTES> column");
  }
  void *offsets_memory;
  void *data;
  SF_TRY(sf_pool_alloc(pool, ((size_t)map->length + 1) * sizeof(int64_t), &offsets_memory, err));
  sf_status st = sf_pool_alloc(pool, headers_bound(map), &data, err);
  if (st != SF_OK) {
    sf_pool_free(pool, offsets_memory);
    return st;
  }
  int64_t *offsets = offsets_memory;
  uint8_t *out = data;
  for (int64_t row = 0; row < map->length; row++) {
    offsets[row] = out - (uint8_t *)data;
    out = put_row(out, map, row);
  }
  offsets[map->length] = out - (uint8_t *)data;
  *data_out = data;
  *offsets_out = offsets;
  return SF_OK;
}
