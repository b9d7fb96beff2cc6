/* The inside of builders, for the bulk loaders. */
#ifndef SFI_COLUMN_BUILDER_INTERNAL_H
#define SFI_COLUMN_BUILDER_INTERNAL_H

#include "streamfusion/builder.h"

struct sf_column_builder {
  sf_pool *pool;        /* retained */
  const sf_type *type;  /* retained */
  size_t width;         /* of a value; 0: none */
  int64_t length;
  int64_t nulls;
  int64_t room;         /* rows that the buffers have room for */
  int64_t next_room;    /* what the previous batch needed: spares growing again */
  sf_buffer *values;    /* NULL while empty, as the other two */
  sf_buffer *aux;       /* TIMESTAMP: nanos; LIST and MAP: offsets */
  sf_buffer *validity;  /* NULL until the first NULL value */
  /* bytes of views: chunks never move, since views point into them */
  sf_buffer **chunks;
  int32_t n_chunks;
  int32_t chunk_room;
  uint8_t *arena;
  size_t arena_left;
  size_t arena_used;    /* over all chunks, sizes the first chunk of the next batch */
  size_t next_chunk;
  int32_t n_children;
  sf_column_builder **children; /* owned */
};

/* Room for `more` rows behind the present ones. */
SF_MUST_CHECK sf_status sfi_builder_reserve(sf_column_builder *b, int64_t more, sf_error *err);
/* The validity bitmap comes into being, all present rows valid. */
SF_MUST_CHECK sf_status sfi_builder_need_validity(sf_column_builder *b, sf_error *err);
/* Room for `size` bytes that views will refer to; valid until the column goes. */
SF_MUST_CHECK sf_status sfi_builder_bytes_room(sf_column_builder *b, size_t size, uint8_t **out, sf_error *err);
/* Keeps a buffer alive with the column, because views refer to it. Retains. */
SF_MUST_CHECK sf_status sfi_builder_keep(sf_column_builder *b, sf_buffer *buffer, sf_error *err);

static inline void *sfi_builder_values(const sf_column_builder *b) { return sf_buffer_data(b->values); }
static inline int32_t *sfi_builder_aux(const sf_column_builder *b) {
  return (int32_t *)(void *)sf_buffer_data(b->aux);
}
/* Records that row `length` is valid and moves on; the value has been written. */
static inline void sfi_builder_valid(sf_column_builder *b) {
  if (b->validity != NULL) sf_bit_set(sf_buffer_data(b->validity), b->length);
  b->length++;
}

struct sf_batch_builder {
  sf_pool *pool;       /* retained */
  const sf_type *type; /* retained */
  int64_t length;
  int32_t n_columns;
  sf_column_builder **columns; /* owned */
  sf_buffer *row_kinds;        /* NULL: all inserts so far */
  sf_buffer *marks;
  int64_t n_marks;
};

/* Appends n row kinds (NULL: inserts) for rows that the columns hold already. */
SF_MUST_CHECK sf_status sfi_batch_builder_kinds(sf_batch_builder *b, const uint8_t *kinds, int64_t n, sf_error *err);

#endif
