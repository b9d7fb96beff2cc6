/* Aggregate functions over accumulators in records, one value at a time: Flink's DeclarativeAggregateFunctions of the
 * planner (Count, Count1, Sum, SumWithRetract, Sum0, Avg, Min, Max, SingleValue, ListAgg), Min- and MaxWithRetractAggFunction, First-
 * and LastValueAggFunction, also with retraction (first_last.c), ListAggWithRetractAggFunction and ListAggWsWithRetractAggFunction
 * (list_agg.c). */
#ifndef SFI_AGGREGATE_AGGREGATE_H
#define SFI_AGGREGATE_AGGREGATE_H

#include "aggregate/value_list.h"
#include "plan.pb-c.h"

enum { SFI_MAX_ACCUMULATORS = 2, SFI_MAX_ARGS = 2, SFI_MAX_AGGREGATE_MAPS = 2 };

typedef struct sfi_aggregate {
  Streamfusion__Plan__AggregateKind kind;
  int32_t arg;               /* column of the input, -1: none */
  int32_t delimiter;         /* column that is the second argument, -1: none */
  int32_t filter;            /* BOOLEAN column, -1: none */
  int32_t distinct;          /* index of the view, -1: none */
  int32_t n_maps;            /* states of its own, which stock Flink has in views */
  int32_t maps[SFI_MAX_AGGREGATE_MAPS];
  bool nested;               /* the accumulators are a row in the state's row, views included */
  bool views_first;          /* in that row */
  bool emitted;
  const sf_type *arg_type;   /* borrowed from the operator's input type, NULL: none */
  sf_type *result_type;      /* owned */
  int32_t n_cells;
  sf_type *types[SFI_MAX_ACCUMULATORS]; /* owned, of the accumulators */
  int32_t cells[SFI_MAX_ACCUMULATORS];
  int32_t offsets[SFI_MAX_ACCUMULATORS];
} sfi_aggregate;

/* Memory that is used again from row to row. */
typedef struct sfi_scratch {
  sfi_bytes key;       /* of a map */
  sfi_bytes value;     /* of a map, or one being searched for */
  sfi_value_list list;
} sfi_scratch;

/* Where the accumulators of a key are. */
typedef struct sfi_accumulators {
  sf_state *state;
  sfi_key key;
  uint8_t *record; /* the operator's own copy while it is being changed */
  sfi_scratch *scratch;
} sfi_accumulators;

/* System.currentTimeMillis() */
int64_t sfi_current_millis(void);

/* Checks the message and fills `out` but for its place in the record. SF_UNSUPPORTED: types that the function lacks. */
SF_MUST_CHECK sf_status sfi_aggregate_prepare(const Streamfusion__Plan__AggregateCall *call, const sf_type *input_type,
                                              sfi_aggregate *out, sf_error *err);
void sfi_aggregate_drop(sfi_aggregate *a);

/* createAccumulator, on a zeroed record. */
SF_MUST_CHECK sf_status sfi_aggregate_init(const sfi_aggregate *a, const sfi_accumulators *acc, sf_error *err);
/* `args`: as many as the function has; the second one is that of `delimiter`. */
SF_MUST_CHECK sf_status sfi_aggregate_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args,
                                                 sf_error *err);
SF_MUST_CHECK sf_status sfi_aggregate_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args,
                                              sf_error *err);
/* Whether the function has a merge here. */
bool sfi_aggregate_merges(const sfi_aggregate *a);
/* merge: adds other accumulators, whose map (of MIN_RETRACT and MAX_RETRACT) has been read into `entries`. */
typedef struct sfi_counted_value {
  sfi_scalar value;
  int64_t count;
} sfi_counted_value;
SF_MUST_CHECK sf_status sfi_aggregate_merge(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *other,
                                            const sfi_counted_value *entries, int64_t n_entries, sf_error *err);
/* Its maps are lists: each has the entry NULL alone. */
static inline bool sfi_aggregate_has_lists(const sfi_aggregate *a) {
  return a->kind == STREAMFUSION__PLAN__AGGREGATE_KIND__LISTAGG_RETRACT ||
         a->kind == STREAMFUSION__PLAN__AGGREGATE_KIND__JSON_ARRAY_ABSENT ||
         a->kind == STREAMFUSION__PLAN__AGGREGATE_KIND__JSON_ARRAY_NULL;
}
/* What a value consists of is not in the record: sfi_aggregate_gather has to be called for it. */
static inline bool sfi_aggregate_gathers(const sfi_aggregate *a) {
  return sfi_aggregate_has_lists(a) || a->kind == STREAMFUSION__PLAN__AGGREGATE_KIND__JSON_OBJECT_ABSENT ||
         a->kind == STREAMFUSION__PLAN__AGGREGATE_KIND__JSON_OBJECT_NULL;
}
/* A value is a text of all that the key has. */
static inline bool sfi_aggregate_is_long(const sfi_aggregate *a) {
  return a->kind == STREAMFUSION__PLAN__AGGREGATE_KIND__LISTAGG || sfi_aggregate_gathers(a);
}
/* getValue of such a function: appends the bytes of the value, which is *null_out otherwise. */
SF_MUST_CHECK sf_status sfi_aggregate_gather(const sfi_aggregate *a, const sfi_accumulators *acc, sfi_bytes *out,
                                             bool *null_out, sf_error *err);
/* getValue of all others; views refer to the state and are valid until it is reclaimed. */
void sfi_aggregate_read(const sfi_aggregate *a, const uint8_t *record, sfi_scalar *out);
static inline sfi_scalar sfi_aggregate_value(const sfi_aggregate *a, const uint8_t *record) {
  sfi_scalar value;
  sfi_aggregate_read(a, record, &value);
  return value;
}

#endif
