#include "aggregate/value_list.h"

#include "state/cell.h"

void sfi_value_list_drop(sfi_value_list *l) {
  sf_pool_free(l->pool, l->values);
  *l = (sfi_value_list){.pool = l->pool};
}

static sf_status make_room(sfi_value_list *l, int32_t n, sf_error *err) {
  if (n <= l->room) return SF_OK;
  int32_t room = n < 8 ? 8 : n > INT32_MAX / 2 ? n : 2 * n;
  void *memory = NULL;
  SF_TRY(sf_pool_realloc(l->pool, l->values, (size_t)room * sizeof *l->values, &memory, err));
  l->values = memory;
  l->room = room;
  return SF_OK;
}

static sf_status damaged(sf_error *err) {
  return sf_fail(err, SF_CORRUPT, "State is damaged: the list of a FIRST_VALUE or LAST_VALUE has no elements of its type");
}

sf_status sfi_value_list_read(sfi_value_list *l, const sf_type *type, sf_view bytes, sf_error *err) {
  const uint8_t *data = bytes.data;
  l->n = 0;
  if (bytes.size < 8 || sfi_get32(data) != bytes.size - 4) return damaged(err);
  sfi_region array = {data + 4, bytes.size - 4};
  int32_t n = sfi_load32(array.data);
  size_t width = sfi_array_element_size(type);
  if (n < 0 || (size_t)n > array.size) return damaged(err);
  size_t header = sfi_array_header_size(n);
  if (header > array.size || (array.size - header) / width < (size_t)n) return damaged(err);
  SF_TRY(make_room(l, n, err));
  for (; l->n < n; l->n++) {
    sfi_scalar *to = &l->values[l->n];
    *to = (sfi_scalar){.w = 0};
    SF_TRY(sfi_cell_decode(array, array.data + header + (size_t)l->n * width, type->layout, (uint8_t *)to, err));
  }
  return SF_OK;
}

sf_status sfi_value_list_add(sfi_value_list *l, sfi_scalar value, sf_error *err) {
  if (l->n == INT32_MAX) return sf_fail(err, SF_RUNTIME, "A list of an aggregate has too many elements");
  SF_TRY(make_room(l, l->n + 1, err));
  l->values[l->n++] = value;
  return SF_OK;
}

/* Only numbers of 8 bytes, which have no variable part and need no other padding; not while a snapshot may read the number of
 * elements, and not where one more needs another word of NULL bits. */
sf_status sfi_value_list_append(sf_state *state, uint8_t *cell, const sf_type *type, const sfi_scalar *value, bool *done_out,
                                sf_error *err) {
  sf_view bytes;
  memcpy(&bytes, cell, sizeof bytes);
  *done_out = false;
  if (type->layout != SF_LAYOUT_INT64 || bytes.size < 8 || state->newest_live >= 0) return SF_OK;
  int32_t n = sfi_load32(bytes.data + 4);
  if (n <= 0 || sfi_array_header_size(n) != sfi_array_header_size((int64_t)n + 1)) return SF_OK;
  size_t slot = 4 + sfi_array_header_size(n) + 8 * (size_t)n;
  if (slot > bytes.size || bytes.size - slot > 4) return SF_OK; /* damaged: whoever reads all of it says so */
  static const uint8_t zeros[8];
  SF_TRY(sfi_state_append_bytes(state, cell, &(sf_view){zeros, sizeof zeros, 0}, 1, err));
  memcpy(&bytes, cell, sizeof bytes);
  uint8_t *data = (uint8_t *)(uintptr_t)bytes.data;
  sfi_store64(data + slot, value->i);
  sfi_store32(data + 4, n + 1);
  sfi_put32(data, bytes.size - 4);
  *done_out = true;
  return SF_OK;
}

void sfi_value_list_remove(sfi_value_list *l, int32_t index) {
  l->n--;
  memmove(&l->values[index], &l->values[index + 1], (size_t)(l->n - index) * sizeof *l->values);
}

int32_t sfi_value_list_index_of(const sfi_value_list *l, const sf_type *type, const sfi_scalar *value) {
  for (int32_t i = 0; i < l->n; i++) {
    if (sfi_scalar_compare(type->layout, &l->values[i], value) == 0) return i;
  }
  return -1;
}

sf_status sfi_value_list_write(const sfi_value_list *l, const sf_type *type, sfi_bytes *out, sf_error *err) {
  size_t at = out->size, header = sfi_array_header_size(l->n), width = sfi_array_element_size(type);
  SF_TRY(sfi_bytes_extend(out, 4 + (header + (size_t)l->n * width + 7) / 8 * 8, err));
  size_t array = at + 4;
  sfi_store32(out->data + array, l->n);
  for (int32_t i = 0; i < l->n; i++) {
    size_t slot = array + header + (size_t)i * width;
    SF_TRY(sfi_cell_encode(out, array, slot, type->layout, (const uint8_t *)&l->values[i], err));
  }
  sfi_put32(out->data + at, (uint32_t)(out->size - array));
  return SF_OK;
}
