/* Aggregate functions over accumulators in records, one value at a time: Flink's DeclarativeAggregateFunctions of the
 * planner (Count, Count1, Sum, SumWithRetract, Sum0, Avg, Min, Max), Min- and MaxWithRetractAggFunction, First- and LastValueAggFunction. */
#ifndef SFI_AGGREGATE_AGGREGATE_H
#define SFI_AGGREGATE_AGGREGATE_H

#include "aggregate/scalar.h"
#include "plan.pb-c.h"

enum { SFI_MAX_ACCUMULATORS = 2 };

typedef struct sfi_aggregate {
  Streamfusion__Plan__AggregateKind kind;
  int32_t arg;               /* column of the input, -1: none */
  int32_t filter;            /* BOOLEAN column, -1: none */
  int32_t distinct;          /* index of the view, -1: none */
  int32_t map;               /* of MIN_RETRACT and MAX_RETRACT, -1: none */
  bool nested;               /* the accumulators are a row in the state's row; its map, if any, is the last field */
  bool emitted;
  const sf_type *arg_type;   /* borrowed from the operator's input type, NULL: none */
  sf_type *result_type;      /* owned */
  int32_t n_cells;
  sf_type *types[SFI_MAX_ACCUMULATORS]; /* owned, of the accumulators */
  int32_t cells[SFI_MAX_ACCUMULATORS];
  int32_t offsets[SFI_MAX_ACCUMULATORS];
} sfi_aggregate;

/* Where the accumulators of a key are. */
typedef struct sfi_accumulators {
  sf_state *state;
  sfi_key key;
  uint8_t *record; /* the operator's own copy while it is being changed */
  sfi_bytes *scratch;
} sfi_accumulators;

/* System.currentTimeMillis() */
int64_t sfi_current_millis(void);

/* Checks the message and fills `out` but for its place in the record. SF_UNSUPPORTED: types that the function lacks. */
SF_MUST_CHECK sf_status sfi_aggregate_prepare(const Streamfusion__Plan__AggregateCall *call, const sf_type *input_type,
                                              sfi_aggregate *out, sf_error *err);
void sfi_aggregate_drop(sfi_aggregate *a);

/* createAccumulator, on a zeroed record. */
void sfi_aggregate_init(const sfi_aggregate *a, uint8_t *record);
SF_MUST_CHECK sf_status sfi_aggregate_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg,
                                                 sf_error *err);
SF_MUST_CHECK sf_status sfi_aggregate_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg,
                                              sf_error *err);
/* merge: adds other accumulators, whose map (of MIN_RETRACT and MAX_RETRACT) has been read into `entries`. */
typedef struct sfi_counted_value {
  sfi_scalar value;
  int64_t count;
} sfi_counted_value;
SF_MUST_CHECK sf_status sfi_aggregate_merge(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *other,
                                            const sfi_counted_value *entries, int64_t n_entries, sf_error *err);
/* getValue; views refer to the state and are valid until it is reclaimed. */
void sfi_aggregate_read(const sfi_aggregate *a, const uint8_t *record, sfi_scalar *out);
static inline sfi_scalar sfi_aggregate_value(const sfi_aggregate *a, const uint8_t *record) {
  sfi_scalar value;
  sfi_aggregate_read(a, record, &value);
  return value;
}

#endif
