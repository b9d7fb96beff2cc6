/* Helpers of the string kernels. */
#define _GNU_SOURCE
#include "expr/text.h"

#include <stdlib.h>

bool sfi_is_ascii(const uint8_t *p, uint32_t size) {
  uint64_t any = 0, w;
  uint32_t i = 0;
  for (; i + 8 <= size; i += 8) {
    memcpy(&w, p + i, 8);
    any |= w;
  }
  for (; i < size; i++) any |= p[i];
  return (any & UINT64_C(0x8080808080808080)) == 0;
}

uint32_t sfi_utf8_length(const uint8_t *p, uint32_t size) {
  if (sfi_is_ascii(p, size)) return size;
  uint32_t n = 0;
  for (uint32_t i = 0; i < size; i += sfi_utf8_width(p[i])) n++;
  return n;
}

uint32_t sfi_utf8_skip(const uint8_t *p, uint32_t size, uint32_t from, int64_t n) {
  uint32_t i = from;
  while (n > 0 && i < size) {
    uint64_t w;
    if (n >= 8 && i + 8 <= size && (memcpy(&w, p + i, 8), (w & UINT64_C(0x8080808080808080)) == 0)) {
      i += 8;
      n -= 8;
    } else {
      i += sfi_utf8_width(p[i]);
      n--;
    }
  }
  return i < size ? i : size;
}

int64_t sfi_find(const uint8_t *p, uint32_t size, uint32_t from, const uint8_t *needle, uint32_t needle_size) {
  if (needle_size == 0) return from;
  if (size - from < needle_size) return -1;
  const uint8_t *at = needle_size == 1 ? memchr(p + from, needle[0], size - from)
                                       : memmem(p + from, size - from, needle, needle_size);
  return at == NULL ? -1 : at - p;
}

/* --- results */

#define CHUNK 32768

static sf_status new_chunk(sfi_arena *a, size_t size, sf_error *err) {
  if (a->n_chunks == a->capacity) {
    const int32_t capacity = a->capacity == 0 ? 8 : a->capacity * 2;
    sf_buffer **grown = realloc(a->chunks, (size_t)capacity * sizeof *grown);
    if (grown == NULL) return sf_fail(err, SF_NOMEM, "string results");
    a->chunks = grown;
    a->capacity = capacity;
  }
  /* Chunks grow with the batch, so that there are few of them. */
  size_t room = (size_t)CHUNK << (a->n_chunks < 6 ? a->n_chunks : 6);
  if (room < size) room = size;
  SF_TRY(sf_buffer_create(a->pool, room, &a->chunks[a->n_chunks], err));
  a->next = sf_buffer_data(a->chunks[a->n_chunks]);
  a->left = room;
  a->n_chunks++;
  return SF_OK;
}

sf_status sfi_arena_room(sfi_arena *a, size_t size, uint8_t **out, sf_error *err) {
  if (size > INT32_MAX) return sf_fail(err, SF_LIMIT, "a string of %zu bytes", size);
  if (size > a->left || a->next == NULL) SF_TRY(new_chunk(a, size, err));
  *out = a->next;
  a->next += size;
  a->left -= size;
  return SF_OK;
}

void sfi_arena_free(sfi_arena *a) {
  for (int32_t i = 0; i < a->n_chunks; i++) sf_buffer_release(a->chunks[i]);
  free(a->chunks);
}

sf_status sfi_text_begin(const sfi_eval *ev, sfi_text *out, sf_error *err) {
  *out = (sfi_text){.arena = {.pool = ev->pool}};
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_VIEW, &out->values, err));
  out->views = (sf_view *)sf_buffer_data(out->values);
  return SF_OK;
}

sf_status sfi_text_null(const sfi_eval *ev, sfi_text *out, int64_t row, sf_error *err) {
  if (out->validity == NULL) SF_TRY(sfi_validity_create(ev, true, &out->validity, err));
  sf_bit_clear(sf_buffer_data(out->validity), row);
  out->views[row] = (sf_view){NULL, 0, 0};
  return SF_OK;
}

static bool holds(const sf_buffer *b, const void *p) {
  const uint8_t *from = sf_buffer_data(b);
  return p != NULL && (const uint8_t *)p >= from && (const uint8_t *)p < from + sf_buffer_size(b);
}

sf_status sfi_text_finish(const sfi_call *call, sfi_eval *ev, sfi_text *out, const sf_column *source, sf_status st,
                          sf_column **column, sf_error *err) {
  sfi_arena *a = &out->arena;
  const int32_t shared = source == NULL ? 0 : source->n_buffers;
  const int32_t n = a->n_chunks + shared;
  sf_buffer **owners = NULL;
  if (st == SF_OK && n > 0) {
    owners = malloc((size_t)n * sizeof *owners);
    if (owners == NULL) st = sf_fail(err, SF_NOMEM, "string results");
  }
  if (st != SF_OK) {
    sf_buffer_release(out->values);
    sf_buffer_release(out->validity);
    sfi_arena_free(a);
    return st;
  }
  int32_t used = 0;
  for (int32_t i = 0; i < a->n_chunks; i++) owners[used++] = a->chunks[i];
  /* The bytes of a column never lie with its views or its validity, but those of a literal do. */
  for (int32_t i = 0; i < shared; i++) {
    sf_buffer *b = source->buffers[i];
    if (source->is_const || (!holds(b, source->values) && !holds(b, source->validity))) owners[used++] = b;
  }
  if (out->validity != NULL) {
    st = sfi_finish(call, ev, out->validity, out->values, NULL, owners, used, column, err);
  } else {
    st = sfi_finish_strict_views(call, ev, out->values, owners, used, column, err);
  }
  free(owners);
  sfi_arena_free(a);
  return st;
}

sf_status sfi_done(const sfi_call *call, sfi_eval *ev, sf_buffer *values, sf_status st, sf_column **out, sf_error *err) {
  if (st == SF_OK) return sfi_finish_strict(call, ev, values, NULL, out, err);
  sf_buffer_release(values);
  return st;
}
