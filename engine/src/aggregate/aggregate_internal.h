/* What the functions share. */
#ifndef SFI_AGGREGATE_AGGREGATE_INTERNAL_H
#define SFI_AGGREGATE_AGGREGATE_INTERNAL_H

#include "aggregate/aggregate.h"

#define KIND(name) STREAMFUSION__PLAN__AGGREGATE_KIND__##name

static inline sfi_scalar sfi_load(const sfi_aggregate *a, const uint8_t *record, int i) {
  return sfi_scalar_load(record, a->cells[i], a->offsets[i], a->types[i]->layout);
}
static inline void sfi_store(const sfi_aggregate *a, uint8_t *record, int i, sfi_scalar s) {
  sfi_scalar_store(record, a->cells[i], a->offsets[i], a->types[i]->layout, s);
}
/* Stores accumulator i, whatever its layout; the bytes of views are copied. */
SF_MUST_CHECK sf_status sfi_keep(const sfi_aggregate *a, const sfi_accumulators *acc, int i, const sfi_scalar *value,
                                 sf_error *err);

/* FIRST_VALUE and LAST_VALUE with retraction. */
SF_MUST_CHECK sf_status sfi_ordered_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg,
                                               sf_error *err);
SF_MUST_CHECK sf_status sfi_ordered_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg,
                                            sf_error *err);

/* LISTAGG, without retraction and with. */
SF_MUST_CHECK sf_status sfi_text_init(const sfi_aggregate *a, const sfi_accumulators *acc, sf_error *err);
SF_MUST_CHECK sf_status sfi_text_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args,
                                            sf_error *err);
SF_MUST_CHECK sf_status sfi_text_merge(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *other,
                                       sf_error *err);
SF_MUST_CHECK sf_status sfi_texts_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args,
                                             sf_error *err);
SF_MUST_CHECK sf_status sfi_texts_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args,
                                          sf_error *err);

SF_MUST_CHECK sf_status sfi_texts_gather(const sfi_aggregate *a, const sfi_accumulators *acc, sfi_bytes *out, bool *null_out,
                                         sf_error *err);

/* JSON_ARRAYAGG and JSON_OBJECTAGG: NULL among their arguments too. */
SF_MUST_CHECK sf_status sfi_json_array_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg,
                                                  sf_error *err);
SF_MUST_CHECK sf_status sfi_json_array_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg,
                                               sf_error *err);
SF_MUST_CHECK sf_status sfi_json_array_gather(const sfi_aggregate *a, const sfi_accumulators *acc, sfi_bytes *out,
                                              sf_error *err);
SF_MUST_CHECK sf_status sfi_json_object_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args,
                                                   sf_error *err);
SF_MUST_CHECK sf_status sfi_json_object_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *key,
                                                sf_error *err);
SF_MUST_CHECK sf_status sfi_json_object_gather(const sfi_aggregate *a, const sfi_accumulators *acc, sfi_bytes *out,
                                               sf_error *err);

/* --- lists of texts, which are own maps (list_agg.c) */

SF_MUST_CHECK sf_status sfi_text_list_find(const sfi_aggregate *a, const sfi_accumulators *acc, int which, sf_view *out,
                                           sf_error *err);
SF_MUST_CHECK sf_status sfi_text_list_add(const sfi_aggregate *a, const sfi_accumulators *acc, int which, const sfi_scalar *text,
                                          sf_error *err);
/* Removes the first one that is equal. */
SF_MUST_CHECK sf_status sfi_text_list_remove(const sfi_aggregate *a, const sfi_accumulators *acc, int which,
                                             const sfi_scalar *text, bool *removed_out, sf_error *err);
/* The text at *at, which moves to the next one; list.size is behind the last one. */
SF_MUST_CHECK sf_status sfi_text_list_next(sf_view list, uint32_t *at, sf_view *text, sf_error *err);
SF_MUST_CHECK sf_status sfi_append_text(sfi_bytes *out, const void *bytes, size_t size, sf_error *err);

/* --- entries of a function's own map `map`; the user key is in acc->scratch->key, size SFI_NULL_KEY: the entry NULL */

/* The bytes of an entry's value; *found_out false: there is none. */
SF_MUST_CHECK sf_status sfi_own_find(const sfi_aggregate *a, const sfi_accumulators *acc, int map, uint32_t key_size,
                                     bool *found_out, sf_view *out, sf_error *err);
/* Puts such bytes. */
SF_MUST_CHECK sf_status sfi_own_put(const sfi_aggregate *a, const sfi_accumulators *acc, int map, uint32_t key_size,
                                    sf_view bytes, sf_error *err);
/* The VIEW cell of an entry, which is added when it is not there, to be changed. */
SF_MUST_CHECK sf_status sfi_own_cell(const sfi_aggregate *a, const sfi_accumulators *acc, int map, uint32_t key_size,
                                     uint8_t **out, sf_error *err);
SF_MUST_CHECK sf_status sfi_own_remove(const sfi_aggregate *a, const sfi_accumulators *acc, int map, uint32_t key_size,
                                       sf_error *err);

#endif
