/* Lists of values as they stand in map entries: the bytes of ArrayDataSerializer over elements that are not NULL. */
#ifndef SFI_AGGREGATE_VALUE_LIST_H
#define SFI_AGGREGATE_VALUE_LIST_H

#include "aggregate/scalar.h"

typedef struct sfi_value_list {
  sf_pool *pool;      /* borrowed */
  sfi_scalar *values; /* owned; views refer to the bytes that were read */
  int32_t n;
  int32_t room;
} sfi_value_list;

void sfi_value_list_drop(sfi_value_list *l);
/* Takes the elements out of such bytes, of flat values of `type`. SF_CORRUPT: they are no such list. */
SF_MUST_CHECK sf_status sfi_value_list_read(sfi_value_list *l, const sf_type *type, sf_view bytes, sf_error *err);
SF_MUST_CHECK sf_status sfi_value_list_add(sfi_value_list *l, sfi_scalar value, sf_error *err);
/* Adds an element to such bytes in a VIEW cell without touching the others, where that can be done: *done_out. */
SF_MUST_CHECK sf_status sfi_value_list_append(sf_state *state, uint8_t *cell, const sf_type *type, const sfi_scalar *value,
                                              bool *done_out, sf_error *err);
/* List.remove(index) */
void sfi_value_list_remove(sfi_value_list *l, int32_t index);
/* List.indexOf(value); -1: it is not there. */
int32_t sfi_value_list_index_of(const sfi_value_list *l, const sf_type *type, const sfi_scalar *value);
/* Appends the bytes. */
SF_MUST_CHECK sf_status sfi_value_list_write(const sfi_value_list *l, const sf_type *type, sfi_bytes *out, sf_error *err);

#endif
