/* What aggregates in mini-batches have in common: an AbstractMapBundleOperator around a function. First member of each. */
#ifndef SFI_OPERATORS_BUNDLE_OPERATOR_H
#define SFI_OPERATORS_BUNDLE_OPERATOR_H

#include "operators/bundle.h"
#include "operators/group_calls.h"

typedef struct sfi_bundle_operator sfi_bundle_operator;

typedef struct sfi_bundle_function {
  /* Adds a row to what its key has gathered; the record of a `first` key is zeroed. */
  sf_status (*add)(sfi_bundle_operator *b, sf_batch *batch, int64_t row, sfi_key key, bool first, sf_error *err);
  /* With a store: has what the state has for a key's maps read, where `key` is in the state. NULL: by the maps that the key has
   * gathered. */
  sf_status (*want)(sfi_bundle_operator *b, uint32_t id, sfi_key key, sf_error *err);
  /* The bundle ends, its keys are sorted: emits what follows. */
  sf_status (*finish)(sfi_bundle_operator *b, const sf_collector *out, sf_error *err);
} sfi_bundle_function;

struct sfi_bundle_operator {
  sf_operator base;
  const sfi_bundle_function *function;
  sfi_group_calls calls;
  sf_type *call_input_type; /* owned; NULL: the operator's input */
  int32_t *grouping;
  int32_t n_grouping;
  sf_row_writer *key_writer;
  sfi_batch_keys keys; /* of the batch being processed */
  sfi_bundle bundle;
  /* While a bundle is finished, by ids in the bundle: where keys are in the state, and the values of the maps that are in both. */
  sfi_key *places;
  size_t place_room;
  uint32_t **value_places;
  size_t *value_room;
  int32_t n_gathered_maps; /* of the bundle, those that the state has too come first */
  sfi_bundle_output output;
  int32_t n_flat;     /* accumulators in flat form */
  sfi_scalar *flat;   /* scratch for them */
  sfi_bytes maps;     /* bytes of the maps in `flat` */
};

/* Everything but the bundle and the output, for an operator that has been made with sfi_operator_new. */
SF_MUST_CHECK sf_status sfi_bundle_operator_prepare(sfi_bundle_operator *b, const sfi_bundle_function *function,
                                                    const Streamfusion__Plan__GroupAggregate *message, sf_error *err);
/* Bundles whose keys have accumulators, as in the state. */
SF_MUST_CHECK sf_status sfi_bundle_of_accumulators(sfi_bundle_operator *b, int64_t max_rows, sf_error *err);
void sfi_bundle_operator_drop(sfi_bundle_operator *b);

/* Before key `i` of so many is finished: has what the bundle holds of later ones fetched from memory. */
void sfi_bundle_fetch(const sfi_bundle_operator *b, const sfi_bundle_key *keys, int64_t n, int64_t i);
/* The same, and where it is in the state. */
void sfi_bundle_fetch_places(const sfi_bundle_operator *b, const sfi_bundle_key *keys, int64_t n, int64_t i);
/* The accumulators of a bundle's key. */
sfi_accumulators sfi_bundle_accumulators(sfi_bundle_operator *b, uint32_t id);
/* Adds the accumulators that row `row` has behind the key to those of the bundle's key. */
SF_MUST_CHECK sf_status sfi_bundle_add_accumulators(sfi_bundle_operator *b, sf_batch *batch, int64_t row, sfi_key key,
                                                    bool first, sf_error *err);
/* Adds what the bundle has gathered for a key: to the accumulators of acc->key, and its views to those of views->key, which is at the
 * key's place in the state, or new. */
SF_MUST_CHECK sf_status sfi_bundle_merge_gathered(sfi_bundle_operator *b, uint32_t id, const sfi_accumulators *acc,
                                                  const sfi_accumulators *views, sf_error *err);
/* Emits the changes of a key: sfi_group_changes. */
SF_MUST_CHECK sf_status sfi_bundle_emit_changes(sfi_bundle_operator *b, sfi_region key, const sfi_accumulators *acc,
                                                bool first, const sf_collector *out, sf_error *err);
/* After the keys of a bundle: expired entries of the state, and memory. */
SF_MUST_CHECK sf_status sfi_bundle_tidy_state(sfi_bundle_operator *b, sf_error *err);

/* For the operators' tables. */
SF_MUST_CHECK sf_status sfi_bundle_process(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err);
SF_MUST_CHECK sf_status sfi_bundle_watermark(sf_operator *op, int64_t watermark, const sf_collector *out, sf_error *err);
void sfi_bundle_progress(const sf_operator *op, int64_t *rows_out, int64_t *keys_out);
SF_MUST_CHECK sf_status sfi_bundle_flush(sf_operator *op, const sf_collector *out, sf_error *err);

#endif
