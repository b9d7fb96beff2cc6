/* The last row of each key between two flushes of an upsert sink: what Flink's ReducingUpsertWriter keeps in a map. Rows are
 * copied, so that a key that changes all the time keeps no batch alive. */
#ifndef STREAMFUSION_KAFKA_REDUCER_H
#define STREAMFUSION_KAFKA_REDUCER_H

#include "streamfusion/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sf_kafka_reducer sf_kafka_reducer;

/* Keys are the fields `keys` of rows of the type; with `max_keys` (at least 1) of them it is full. */
SF_EXPORT SF_MUST_CHECK sf_status sf_kafka_reducer_create(sf_pool *pool, const sf_type *row_type, const int32_t *keys,
                                                          int32_t n_keys, int64_t max_keys, sf_kafka_reducer **out,
                                                          sf_error *err);
SF_EXPORT void sf_kafka_reducer_destroy(sf_kafka_reducer *r); /* NULL is allowed */
/* Takes rows of the batch from row `from` on, up to the end or until it is full; *next_out is the row that follows. */
SF_EXPORT SF_MUST_CHECK sf_status sf_kafka_reducer_add(sf_kafka_reducer *r, const sf_batch *batch, int64_t from,
                                                       int64_t *next_out, sf_error *err);
SF_EXPORT bool sf_kafka_reducer_full(const sf_kafka_reducer *r);
/* The rows, with their kinds, in the order in which their keys came first; starts over empty. Owned by the caller. */
SF_EXPORT SF_MUST_CHECK sf_status sf_kafka_reducer_take(sf_kafka_reducer *r, sf_batch **out, sf_error *err);

#ifdef __cplusplus
}
#endif
#endif
