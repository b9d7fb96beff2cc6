/* What kernels over strings share: operands, UTF-8, room for results. */
#ifndef SFI_EXPR_TEXT_H
#define SFI_EXPR_TEXT_H

#include <string.h>

#include "expr/kernel.h"

static inline bool sfi_is_text(const sf_type *t) { return t->kind == SF_TYPE_CHAR || t->kind == SF_TYPE_VARCHAR; }
static inline bool sfi_is_bytes(const sf_type *t) { return t->kind == SF_TYPE_BINARY || t->kind == SF_TYPE_VARBINARY; }
/* TINYINT, SMALLINT, INTEGER: what Java widens to int by itself. */
static inline bool sfi_is_int(const sf_type *t) { return t->kind >= SF_TYPE_TINYINT && t->kind <= SF_TYPE_INTEGER; }
static inline bool sfi_is_integer(const sf_type *t) { return t->kind >= SF_TYPE_TINYINT && t->kind <= SF_TYPE_BIGINT; }

/* Whether operand i is a literal that is not NULL. */
static inline bool sfi_is_literal(const sfi_call *call, int32_t i) {
  const sf_column *c = sfi_const_arg(call, i);
  return c != NULL && !sf_column_is_null(c, 0);
}

/* --- operands, const or not */

typedef struct sfi_views {
  const sf_view *v;
  int64_t step;
} sfi_views;

static inline sfi_views sfi_views_of(const sf_column *c) { return (sfi_views){c->values, c->is_const ? 0 : 1}; }
static inline const sf_view *sfi_view_at(sfi_views a, int64_t i) { return a.v + i * a.step; }

typedef struct sfi_ints {
  const void *p;
  int64_t step;
  sf_layout layout;
} sfi_ints;

static inline sfi_ints sfi_ints_of(const sf_column *c) {
  return (sfi_ints){c->values, c->is_const ? 0 : 1, c->type->layout};
}
static inline int64_t sfi_int_at(sfi_ints a, int64_t i) {
  i *= a.step;
  switch (a.layout) {
    case SF_LAYOUT_INT8: return ((const int8_t *)a.p)[i];
    case SF_LAYOUT_INT16: return ((const int16_t *)a.p)[i];
    case SF_LAYOUT_INT32: return ((const int32_t *)a.p)[i];
    default: return ((const int64_t *)a.p)[i];
  }
}

static inline bool sfi_view_equal(const sf_view *a, const sf_view *b) {
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* --- UTF-8, walked as BinaryStringData does: by the first byte, strays count as one character. */

static inline uint32_t sfi_utf8_width(uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if ((first & 0xf0) == 0xe0) return 3;
  if ((first & 0xf8) == 0xf0) return 4;
  return 1;
}

bool sfi_is_ascii(const uint8_t *p, uint32_t size);
/* Number of characters. */
uint32_t sfi_utf8_length(const uint8_t *p, uint32_t size);
/* Byte position behind `n` characters counted from byte `from`, at most size. */
uint32_t sfi_utf8_skip(const uint8_t *p, uint32_t size, uint32_t from, int64_t n);
/* First occurrence of needle in [from, size), or -1. An empty needle is found at once. */
int64_t sfi_find(const uint8_t *p, uint32_t size, uint32_t from, const uint8_t *needle, uint32_t needle_size);

/* --- results */

/* Bytes for result strings: chunks, so that views already handed out stay valid. */
typedef struct sfi_arena {
  sf_pool *pool;
  sf_buffer **chunks;
  int32_t n_chunks, capacity;
  uint8_t *next;
  size_t left;
} sfi_arena;

/* Room for `size` bytes in *out. */
sf_status sfi_arena_room(sfi_arena *arena, size_t size, uint8_t **out, sf_error *err);
/* Gives back the unused rest of the latest room: `used` of its `size` bytes stay. */
static inline void sfi_arena_trim(sfi_arena *arena, size_t size, size_t used) {
  arena->next -= size - used;
  arena->left += size - used;
}

/* Releases its chunks. */
void sfi_arena_free(sfi_arena *arena);

/* A string column being computed: views, optionally rows that become NULL, bytes of its own. */
typedef struct sfi_text {
  sf_buffer *values;
  sf_buffer *validity; /* NULL until the first row is set to NULL */
  sf_view *views;
  sfi_arena arena;
} sfi_text;

sf_status sfi_text_begin(const sfi_eval *ev, sfi_text *out, sf_error *err);
sf_status sfi_text_null(const sfi_eval *ev, sfi_text *out, int64_t row, sf_error *err);
/* Gives row room for `size` bytes and makes it that view. */
static inline sf_status sfi_text_room(sfi_text *out, int64_t row, size_t size, uint8_t **to, sf_error *err) {
  sf_status st = sfi_arena_room(&out->arena, size, to, err);
  if (st == SF_OK) out->views[row] = (sf_view){*to, (uint32_t)size, 0};
  return st;
}
/* Hands the column over when st is SF_OK, else frees everything and returns st. Views may point into the bytes of
 * `source` (NULL: they do not). For strict calls. */
sf_status sfi_text_finish(const sfi_call *call, sfi_eval *ev, sfi_text *out, const sf_column *source, sf_status st,
                          sf_column **column, sf_error *err);

/* A fixed-width strict result; *values is released unless st is SF_OK. validity may be NULL. */
sf_status sfi_done(const sfi_call *call, sfi_eval *ev, sf_buffer *values, sf_status st, sf_column **out, sf_error *err);

#endif
