#include "streamfusion/builder.h"

#include <stdlib.h>
#include <string.h>

#include "column/builder_internal.h"

#define FIRST_ROOM ((int64_t)64)
#define FIRST_CHUNK ((size_t)4096)
#define LARGEST_CHUNK ((size_t)1 << 20)

static bool has_aux(const sf_column_builder *b) {
  return b->type->layout == SF_LAYOUT_TIMESTAMP || b->type->layout == SF_LAYOUT_LIST ||
         b->type->layout == SF_LAYOUT_MAP;
}

static bool is_list(const sf_column_builder *b) {
  return b->type->layout == SF_LAYOUT_LIST || b->type->layout == SF_LAYOUT_MAP;
}

static sf_status create_children(sf_column_builder *b, sf_error *err) {
  if (b->type->n_children == 0) return SF_OK;
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(b->pool, (size_t)b->type->n_children * sizeof *b->children, &memory, err));
  b->children = memory;
  for (; b->n_children < b->type->n_children; b->n_children++) {
    SF_TRY(sf_column_builder_create(b->pool, b->type->children[b->n_children], &b->children[b->n_children], err));
  }
  return SF_OK;
}

sf_status sf_column_builder_create(sf_pool *pool, const sf_type *type, sf_column_builder **out, sf_error *err) {
  *out = NULL;
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(pool, sizeof(sf_column_builder), &memory, err));
  sf_column_builder *b = memory;
  *b = (sf_column_builder){
      .pool = sf_pool_retain(pool),
      .type = sf_type_retain(type),
      .width = sf_layout_width(type->layout),
      .next_room = FIRST_ROOM,
      .next_chunk = FIRST_CHUNK,
  };
  sf_status st = create_children(b, err);
  if (st != SF_OK) {
    sf_column_builder_destroy(b);
    return st;
  }
  *out = b;
  return SF_OK;
}

static void release_buffers(sf_column_builder *b) {
  sf_buffer_release(b->values);
  sf_buffer_release(b->aux);
  sf_buffer_release(b->validity);
  for (int32_t i = 0; i < b->n_chunks; i++) sf_buffer_release(b->chunks[i]);
}

void sf_column_builder_destroy(sf_column_builder *b) {
  if (b == NULL) return;
  release_buffers(b);
  sf_pool *pool = b->pool;
  sf_pool_free(pool, b->chunks);
  for (int32_t i = 0; i < b->n_children; i++) sf_column_builder_destroy(b->children[i]);
  sf_pool_free(pool, b->children);
  sf_type_release(b->type);
  sf_pool_free(pool, b);
  sf_pool_release(pool);
}

int64_t sf_column_builder_length(const sf_column_builder *b) { return b->length; }
sf_column_builder *sf_column_builder_child(sf_column_builder *b, int32_t i) { return b->children[i]; }

/* --- room */

static sf_status grow(sf_pool *pool, sf_buffer **buffer, size_t size, sf_error *err) {
  if (*buffer == NULL) return sf_buffer_create(pool, size, buffer, err);
  return sf_buffer_resize(buffer, size, err);
}

static sf_status grow_validity(sf_column_builder *b, int64_t room, sf_error *err) {
  size_t old = sf_buffer_size(b->validity), fresh = sf_bitmap_bytes(room);
  SF_TRY(sf_buffer_resize(&b->validity, fresh, err));
  if (fresh > old) memset(sf_buffer_data(b->validity) + old, 0, fresh - old);
  return SF_OK;
}

sf_status sfi_builder_reserve(sf_column_builder *b, int64_t more, sf_error *err) {
  int64_t need = b->length + more;
  if (need <= b->room) return SF_OK;
  if (need > INT32_MAX) return sf_fail(err, SF_INVALID, "A column cannot have %lld rows", (long long)need);
  int64_t room = b->room == 0 ? b->next_room : 2 * b->room;
  if (room < need) room = need;
  if (b->width > 0) SF_TRY(grow(b->pool, &b->values, (size_t)room * b->width, err));
  if (has_aux(b)) {
    bool first = b->aux == NULL;
    SF_TRY(grow(b->pool, &b->aux, ((size_t)room + 1) * sizeof(int32_t), err));
    if (first) sfi_builder_aux(b)[0] = 0;
  }
  if (b->validity != NULL) SF_TRY(grow_validity(b, room, err));
  b->room = room;
  return SF_OK;
}

sf_status sfi_builder_need_validity(sf_column_builder *b, sf_error *err) {
  if (b->validity != NULL) return SF_OK;
  size_t size = sf_bitmap_bytes(b->room);
  SF_TRY(sf_buffer_create(b->pool, size, &b->validity, err));
  uint8_t *bits = sf_buffer_data(b->validity);
  memset(bits, 0, size);
  memset(bits, 0xff, (size_t)(b->length / 8));
  for (int64_t i = b->length / 8 * 8; i < b->length; i++) sf_bit_set(bits, i);
  return SF_OK;
}

static sf_status add_chunk(sf_column_builder *b, sf_buffer *chunk, sf_error *err) {
  if (b->n_chunks == b->chunk_room) {
    int32_t room = b->chunk_room == 0 ? 4 : 2 * b->chunk_room;
    void *moved = NULL;
    sf_status st = sf_pool_realloc(b->pool, b->chunks, (size_t)room * sizeof *b->chunks, &moved, err);
    if (st != SF_OK) {
      sf_buffer_release(chunk);
      return st;
    }
    b->chunks = moved;
    b->chunk_room = room;
  }
  b->chunks[b->n_chunks++] = chunk;
  return SF_OK;
}

sf_status sfi_builder_keep(sf_column_builder *b, sf_buffer *buffer, sf_error *err) {
  return add_chunk(b, sf_buffer_retain(buffer), err);
}

sf_status sfi_builder_bytes_room(sf_column_builder *b, size_t size, uint8_t **out, sf_error *err) {
  if (size > b->arena_left) {
    if (size > UINT32_MAX) return sf_fail(err, SF_INVALID, "A value of %zu bytes is too large", size);
    sf_buffer *chunk = NULL;
    bool own = size > b->next_chunk / 2; /* a large value does not spoil the open chunk */
    size_t chunk_size = own ? size : b->next_chunk;
    SF_TRY(sf_buffer_create(b->pool, chunk_size, &chunk, err));
    SF_TRY(add_chunk(b, chunk, err));
    b->arena_used += size;
    if (own) {
      *out = sf_buffer_data(chunk);
      return SF_OK;
    }
    if (b->next_chunk < LARGEST_CHUNK) b->next_chunk *= 2;
    b->arena = sf_buffer_data(chunk);
    b->arena_left = chunk_size;
  } else {
    b->arena_used += size;
  }
  *out = b->arena;
  b->arena += size;
  b->arena_left -= size;
  return SF_OK;
}

/* --- appends */

static void zero_value(sf_column_builder *b) {
  if (b->width > 0) memset((char *)sfi_builder_values(b) + (size_t)b->length * b->width, 0, b->width);
  if (b->type->layout == SF_LAYOUT_TIMESTAMP) sfi_builder_aux(b)[b->length] = 0;
  if (is_list(b)) sfi_builder_aux(b)[b->length + 1] = (int32_t)b->children[0]->length;
}

sf_status sf_column_builder_null(sf_column_builder *b, sf_error *err) {
  if (b->type->layout == SF_LAYOUT_NULL) {
    b->length++;
    b->nulls++;
    return SF_OK;
  }
  SF_TRY(sfi_builder_reserve(b, 1, err));
  SF_TRY(sfi_builder_need_validity(b, err));
  if (b->type->layout == SF_LAYOUT_ROW) {
    for (int32_t i = 0; i < b->n_children; i++) SF_TRY(sf_column_builder_null(b->children[i], err));
  }
  zero_value(b);
  sf_bit_clear(sf_buffer_data(b->validity), b->length);
  b->length++;
  b->nulls++;
  return SF_OK;
}

static sf_status wrong_layout(const sf_column_builder *b, const char *what, sf_error *err) {
  char text[96];
  return sf_fail(err, SF_INVALID, "A column of %s does not take %s", sf_type_text(b->type, text, sizeof text), what);
}

sf_status sf_column_builder_int(sf_column_builder *b, int64_t value, sf_error *err) {
  SF_TRY(sfi_builder_reserve(b, 1, err));
  int64_t i = b->length;
  switch (b->type->layout) {
    case SF_LAYOUT_BOOL: ((uint8_t *)sfi_builder_values(b))[i] = value != 0; break;
    case SF_LAYOUT_INT8: ((int8_t *)sfi_builder_values(b))[i] = (int8_t)value; break;
    case SF_LAYOUT_INT16: ((int16_t *)sfi_builder_values(b))[i] = (int16_t)value; break;
    case SF_LAYOUT_INT32: ((int32_t *)sfi_builder_values(b))[i] = (int32_t)value; break;
    case SF_LAYOUT_INT64: ((int64_t *)sfi_builder_values(b))[i] = value; break;
    default: return wrong_layout(b, "integers", err);
  }
  sfi_builder_valid(b);
  return SF_OK;
}

sf_status sf_column_builder_double(sf_column_builder *b, double value, sf_error *err) {
  SF_TRY(sfi_builder_reserve(b, 1, err));
  switch (b->type->layout) {
    case SF_LAYOUT_FLOAT: ((float *)sfi_builder_values(b))[b->length] = (float)value; break;
    case SF_LAYOUT_DOUBLE: ((double *)sfi_builder_values(b))[b->length] = value; break;
    default: return wrong_layout(b, "floating-point values", err);
  }
  sfi_builder_valid(b);
  return SF_OK;
}

sf_status sf_column_builder_int128(sf_column_builder *b, __int128 value, sf_error *err) {
  if (b->type->layout == SF_LAYOUT_INT64) return sf_column_builder_int(b, (int64_t)value, err);
  if (b->type->layout != SF_LAYOUT_INT128) return wrong_layout(b, "decimals", err);
  SF_TRY(sfi_builder_reserve(b, 1, err));
  ((__int128 *)sfi_builder_values(b))[b->length] = value;
  sfi_builder_valid(b);
  return SF_OK;
}

sf_status sf_column_builder_timestamp(sf_column_builder *b, int64_t millis, int32_t nanos, sf_error *err) {
  if (b->type->layout == SF_LAYOUT_INT64) return sf_column_builder_int(b, millis, err);
  if (b->type->layout != SF_LAYOUT_TIMESTAMP) return wrong_layout(b, "timestamps", err);
  SF_TRY(sfi_builder_reserve(b, 1, err));
  ((int64_t *)sfi_builder_values(b))[b->length] = millis;
  sfi_builder_aux(b)[b->length] = nanos;
  sfi_builder_valid(b);
  return SF_OK;
}

sf_status sf_column_builder_bytes(sf_column_builder *b, const void *data, size_t size, sf_error *err) {
  if (b->type->layout != SF_LAYOUT_VIEW) return wrong_layout(b, "bytes", err);
  SF_TRY(sfi_builder_reserve(b, 1, err));
  uint8_t *room = NULL;
  if (size > 0) {
    SF_TRY(sfi_builder_bytes_room(b, size, &room, err));
    memcpy(room, data, size);
  }
  ((sf_view *)sfi_builder_values(b))[b->length] = (sf_view){room, (uint32_t)size, 0};
  sfi_builder_valid(b);
  return SF_OK;
}

sf_status sf_column_builder_end(sf_column_builder *b, sf_error *err) {
  bool row = b->type->layout == SF_LAYOUT_ROW;
  if (!row && !is_list(b)) return wrong_layout(b, "the end of a nested value", err);
  SF_TRY(sfi_builder_reserve(b, 1, err));
  for (int32_t i = 0; i < b->n_children; i++) {
    int64_t should = row ? b->length + 1 : b->children[0]->length;
    if (b->children[i]->length != should) {
      return sf_fail(err, SF_INVALID, "Child %d of a nested column has %lld values instead of %lld", i,
                     (long long)b->children[i]->length, (long long)should);
    }
  }
  if (!row) sfi_builder_aux(b)[b->length + 1] = (int32_t)b->children[0]->length;
  sfi_builder_valid(b);
  return SF_OK;
}

/* --- copies of single values */

static sf_status copy_nested(sf_column_builder *b, const sf_column *c, int64_t i, sf_error *err) {
  int64_t from = i, to = i + 1;
  if (is_list(b)) {
    from = ((const int32_t *)c->aux)[i];
    to = ((const int32_t *)c->aux)[i + 1];
  }
  for (int32_t k = 0; k < b->n_children; k++) {
    for (int64_t row = from; row < to; row++) {
      SF_TRY(sf_column_builder_copy(b->children[k], c->children[k], row, err));
    }
  }
  return sf_column_builder_end(b, err);
}

sf_status sf_column_builder_copy(sf_column_builder *b, const sf_column *c, int64_t i, sf_error *err) {
  if (c->type->layout != b->type->layout) return wrong_layout(b, "values of another layout", err);
  if (sf_column_is_null(c, i)) return sf_column_builder_null(b, err);
  if (c->is_const) i = 0;
  switch (b->type->layout) {
    case SF_LAYOUT_VIEW: {
      sf_view view = ((const sf_view *)c->values)[i];
      return sf_column_builder_bytes(b, view.data, view.size, err);
    }
    case SF_LAYOUT_TIMESTAMP:
      return sf_column_builder_timestamp(b, ((const int64_t *)c->values)[i], ((const int32_t *)c->aux)[i], err);
    case SF_LAYOUT_ROW:
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: return copy_nested(b, c, i, err);
    default:
      SF_TRY(sfi_builder_reserve(b, 1, err));
      memcpy((char *)sfi_builder_values(b) + (size_t)b->length * b->width,
             (const char *)c->values + (size_t)i * b->width, b->width);
      sfi_builder_valid(b);
      return SF_OK;
  }
}

/* --- finish */

static void start_over(sf_column_builder *b) {
  if (b->length > FIRST_ROOM) b->next_room = b->length;
  size_t chunk = FIRST_CHUNK;
  while (chunk < b->arena_used && chunk < LARGEST_CHUNK) chunk *= 2;
  b->next_chunk = chunk;
  b->length = b->nulls = b->room = 0;
  b->values = b->aux = b->validity = NULL;
  b->n_chunks = 0;
  b->arena = NULL;
  b->arena_left = b->arena_used = 0;
}

/* Fills `buffers` (room for 3 + n_chunks) and hands over to the new column, also on failure. */
static sf_status hand_over(sf_column_builder *b, sf_buffer **buffers, sf_column **children, sf_column **out,
                           sf_error *err) {
  int32_t n = 0;
  if (b->values != NULL) buffers[n++] = b->values;
  if (b->aux != NULL) buffers[n++] = b->aux;
  if (b->validity != NULL) buffers[n++] = b->validity;
  for (int32_t i = 0; i < b->n_chunks; i++) buffers[n++] = b->chunks[i];
  sf_column_spec spec = {
      .type = b->type,
      .length = b->length,
      .null_count = b->nulls,
      .validity = b->validity == NULL ? NULL : sf_buffer_data(b->validity),
      .values = b->values == NULL ? NULL : sf_buffer_data(b->values),
      .aux = b->aux == NULL ? NULL : sf_buffer_data(b->aux),
      .n_children = b->n_children,
      .children = children,
      .n_buffers = n,
      .buffers = buffers,
  };
  start_over(b);
  return sf_column_create(&spec, out, err);
}

sf_status sf_column_builder_finish(sf_column_builder *b, sf_column **out, sf_error *err) {
  *out = NULL;
  if (b->room == 0 && (b->width > 0 || has_aux(b))) { /* an empty column has its buffers, too */
    SF_TRY(sfi_builder_reserve(b, 1, err));
  }
  size_t n_pointers = (size_t)b->n_children + 3 + (size_t)b->n_chunks;
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(b->pool, n_pointers * sizeof(void *), &memory, err));
  sf_column **children = memory;
  sf_buffer **buffers = (sf_buffer **)memory + b->n_children;
  sf_status st = SF_OK;
  int32_t have = 0;
  for (; have < b->n_children && st == SF_OK; have++) {
    st = sf_column_builder_finish(b->children[have], &children[have], err);
  }
  if (st == SF_OK) {
    st = hand_over(b, buffers, children, out, err);
  } else {
    for (int32_t i = 0; i < have; i++) sf_column_release(children[i]);
  }
  sf_pool_free(b->pool, memory);
  return st;
}
