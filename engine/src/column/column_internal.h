/* What the column functions share. */
#ifndef SFI_COLUMN_INTERNAL_H
#define SFI_COLUMN_INTERNAL_H

#include <string.h>

#include "streamfusion/batch.h"

/* Collects what a column under construction owns: buffers and children with one reference each, all dropped when the
 * construction fails. Room grows as needed. */
typedef struct sfi_parts {
  sf_column_spec spec;
  sf_buffer **buffers;
  int32_t buffer_room;
  sf_column **children;
} sfi_parts;

void sfi_parts_init(sfi_parts *parts, const sf_type *type, int64_t length);
/* New buffer that belongs to the column to be. */
SF_MUST_CHECK sf_status sfi_parts_buffer(sfi_parts *parts, sf_pool *pool, size_t size, void **data_out, sf_error *err);
/* Takes over one reference, also on failure. */
SF_MUST_CHECK sf_status sfi_parts_add(sfi_parts *parts, sf_buffer *buffer, sf_error *err);
/* Retains the buffers that keep the bytes of a view column alive, skipping those that are here already. */
SF_MUST_CHECK sf_status sfi_parts_share_bytes(sfi_parts *parts, const sf_column *column, sf_error *err);
/* Makes room for n children, to be put into parts->children (owned). */
SF_MUST_CHECK sf_status sfi_parts_children(sfi_parts *parts, int32_t n, sf_error *err);
/* Creates the column; whatever happens, the parts are empty afterwards. */
SF_MUST_CHECK sf_status sfi_parts_finish(sfi_parts *parts, sf_column **out, sf_error *err);
void sfi_parts_drop(sfi_parts *parts);

/* The validity of the gathered rows; stays NULL where none of them is NULL. */
SF_MUST_CHECK sf_status sfi_gather_validity(sfi_parts *parts, sf_pool *pool, const sf_column *column,
                                            const int32_t *rows, int64_t n, sf_error *err);

/* Row kinds and marks for the rows picked by ascending `indices` (NULL: all rows, buffers are shared). Owned by the
 * caller, both NULL on failure. */
SF_MUST_CHECK sf_status sfi_batch_headers(sf_pool *pool, const sf_batch *batch, const int32_t *indices, int64_t n,
                                          sf_buffer **row_kinds, sf_buffer **marks, sf_error *err);

/* Copies n bits from src (starting at bit src_from) to dst (starting at dst_from); dst bits are overwritten. */
void sfi_bits_copy(uint8_t *dst, int64_t dst_from, const uint8_t *src, int64_t src_from, int64_t n);
void sfi_bits_fill(uint8_t *dst, int64_t from, int64_t n);
int64_t sfi_bits_count(const uint8_t *bits, int64_t n);

#endif
