/* The calls of a GROUP BY over keyed state: which accumulators they have, what a row does to them and what follows from it. */
#ifndef SFI_OPERATORS_GROUP_CALLS_H
#define SFI_OPERATORS_GROUP_CALLS_H

#include "aggregate/aggregate.h"
#include "operators/operator_internal.h"
#include "state/batch_keys.h"

typedef struct sfi_distinct_view {
  const sf_type *type; /* borrowed from the input type */
  int32_t arg;
  int32_t *calls;      /* owned; indices into calls */
  int32_t n_calls;
  bool filtered;       /* all calls have filters */
} sfi_distinct_view;

/* The hash of a value that will be looked up. */
typedef struct sfi_ahead {
  uint32_t hash;
  bool wanted;
} sfi_ahead;

/* Rows whose map entries are fetched together, and the hashes of a map: of such rows and the next ones. */
#define SFI_ROWS_AHEAD 16
#define SFI_AHEAD_OF_MAP (2 * SFI_ROWS_AHEAD)

typedef struct sfi_group_calls {
  sf_pool *pool;             /* borrowed from the operator */
  const sf_type *input_type; /* borrowed; of the rows that the arguments refer to */
  sfi_aggregate *calls;
  int32_t n_calls;
  int32_t n_emitted;
  sfi_distinct_view *views;
  int32_t n_views;
  int32_t count_star; /* call, -1: none */
  bool retracts;
  bool update_before;
  bool always_changes; /* set by an operator that emits after each row: values are never what they were, and need no comparison */
  int64_t ttl; /* 0: none. With one, unchanged values are emitted as well, so that consumers keep what they have */
  sfi_scratch scratch;
  sfi_scalar *before; /* values of the emitted calls before a change, and after it */
  sfi_scalar *after;
  bool lists;         /* the values of some calls are texts of all that the key has */
  bool gathers;       /* some values are put together, in these bytes */
  sfi_bytes before_bytes;
  sfi_bytes after_bytes;
  sfi_counted_value *entries; /* scratch for the map of one accumulator */
  int64_t entry_room;
  sfi_ahead *ahead; /* scratch of sfi_group_fetch_ahead, by maps */
} sfi_group_calls;

/* `out` is to be dropped after a failure too. Checks that the columns of `output_type` from `n_keys` on are the results. */
SF_MUST_CHECK sf_status sfi_group_calls_prepare(sf_pool *pool, const Streamfusion__Plan__GroupAggregate *message,
                                                const sf_type *input_type, sfi_group_calls *out, sf_error *err);
SF_MUST_CHECK sf_status sfi_group_calls_check_output(const sfi_group_calls *g, const sf_type *output_type, int32_t n_keys,
                                                     sf_error *err);
/* The fields of the key, owned by the caller, and what writes it. */
SF_MUST_CHECK sf_status sfi_group_key_writer(sf_pool *pool, const Streamfusion__Plan__GroupAggregate *message,
                                             const sf_type *input_type, int32_t **grouping_out, sf_row_writer **out,
                                             sf_error *err);
void sfi_group_calls_drop(sfi_group_calls *g);

/* Makes the state that Flink's operator has: accState and the maps; the calls learn where their accumulators are in it.
 * States of the same calls have the same places, whatever their ttl. */
SF_MUST_CHECK sf_status sfi_group_calls_open(sfi_group_calls *g, sf_key_groups groups, int64_t ttl, sf_state **out,
                                             sf_error *err);

/* The same without accState and with the maps of the views alone. */
SF_MUST_CHECK sf_status sfi_group_calls_open_views(sfi_group_calls *g, sf_key_groups groups, int64_t ttl, sf_state **out,
                                                   sf_error *err);

/* *first_out: the key, which has been looked up, has no value, or none any more. */
SF_MUST_CHECK sf_status sfi_group_look(sf_state *state, sfi_key key, bool *first_out, sf_error *err);
/* With a store: has all map entries that the rows of the batch need read together. The keys have been looked up. */
SF_MUST_CHECK sf_status sfi_group_want(sfi_group_calls *g, const sfi_batch_keys *keys, sf_state *state,
                                       const sf_batch *batch, sf_error *err);
/* The same for one row, whose key has an entry; sfi_state_read_wanted is to follow. */
SF_MUST_CHECK sf_status sfi_group_want_row(sfi_group_calls *g, sf_state *state, sfi_key key, const sf_batch *batch,
                                           int64_t row, sf_error *err);
/* Before each row of a batch is processed, from the first one on: hints at the map entries that the rows behind it look up. */
SF_MUST_CHECK sf_status sfi_group_fetch_ahead(sfi_group_calls *g, const sfi_batch_keys *keys, const sf_state *state,
                                              const sf_batch *batch, int64_t row, sf_error *err);
/* Makes acc->record the value of acc->key, which is inserted when it was not found; `first` values are initialised. */
SF_MUST_CHECK sf_status sfi_group_open_key(const sfi_group_calls *g, const uint8_t *bytes, size_t size, int32_t hash,
                                           bool first, sfi_accumulators *acc, sf_error *err);
/* The same for a key that has an entry. */
SF_MUST_CHECK sf_status sfi_group_open_value(const sfi_group_calls *g, bool first, sfi_accumulators *acc, sf_error *err);
/* createAccumulators, in a zeroed record. */
SF_MUST_CHECK sf_status sfi_group_init(const sfi_group_calls *g, const sfi_accumulators *acc, sf_error *err);
/* Whether each row changes the values: there is a COUNT(*) among them. */
bool sfi_group_counts_all(const sfi_group_calls *g);
/* Fills `before`. */
SF_MUST_CHECK sf_status sfi_group_read_before(sfi_group_calls *g, const sfi_accumulators *acc, sf_error *err);
SF_MUST_CHECK sf_status sfi_group_update(sfi_group_calls *g, const sfi_accumulators *acc, const sf_batch *batch, int64_t row,
                                         bool retract, sf_error *err);
/* Of the LISTAGGs among the values of the emitted calls. */
size_t sfi_group_text_bytes(const sfi_group_calls *g, const sfi_scalar *values);
/* The accumulators have changed from values that `before` has, unless `first`: the kinds of the rows to emit, with the values
 * `before` where they retract, else `after`. A key that has no rows left is removed. */
SF_MUST_CHECK sf_status sfi_group_changes(sfi_group_calls *g, const sfi_accumulators *acc, bool first, uint8_t kinds[2],
                                          int32_t *n_out, sf_error *err);

/* --- accumulators on their way to another phase (group_merge.c): flat, cell by cell, maps as bytes */

int32_t sfi_group_flat_size(const sfi_group_calls *g);
/* Whether the columns from `first` on are accumulators in this form. */
SF_MUST_CHECK sf_status sfi_group_check_flat(const sfi_group_calls *g, const sf_type *type, int32_t first, bool with_views,
                                             sf_error *err);
/* The accumulators of acc->key; views refer to the state and to `maps`, which is overwritten. */
SF_MUST_CHECK sf_status sfi_group_flatten(const sfi_group_calls *g, const sfi_accumulators *acc, sfi_bytes *maps,
                                          sfi_scalar *flat, sf_error *err);
/* The same without the views. */
SF_MUST_CHECK sf_status sfi_group_flatten_calls(const sfi_group_calls *g, const sfi_accumulators *acc, sfi_bytes *maps,
                                                sfi_scalar *flat, sf_error *err);
/* merge: adds such accumulators to those of acc->key, and their views to those of views->key, which may be another or the same.
 * SF_CORRUPT: bytes that are no map. */
SF_MUST_CHECK sf_status sfi_group_merge(sfi_group_calls *g, const sfi_accumulators *acc, const sfi_accumulators *views,
                                        const sfi_scalar *flat, sf_error *err);
/* The same in two parts: accumulators but for the views, and the views of gathered->key. places[map][entry]: where an entry of a
 * gathered view is in views->state, from sfi_map_want_place. */
SF_MUST_CHECK sf_status sfi_group_merge_calls(sfi_group_calls *g, const sfi_accumulators *acc, const sfi_scalar *flat,
                                              sf_error *err);
SF_MUST_CHECK sf_status sfi_group_merge_views(sfi_group_calls *g, const sfi_accumulators *acc, const sfi_accumulators *views,
                                              const sfi_accumulators *gathered, const uint32_t *const *places, sf_error *err);

static inline bool sfi_retracts(uint8_t kind) { return kind == SF_UPDATE_BEFORE || kind == SF_DELETE; }
static inline uint8_t sfi_row_kind(const sf_batch *batch, int64_t row) {
  return batch->row_kinds == NULL ? SF_INSERT : batch->row_kinds[row];
}

#endif
