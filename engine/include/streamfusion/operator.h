/* Operators: created from a plan message, fed with batches, emitting into a collector. Single-threaded. */
#ifndef STREAMFUSION_OPERATOR_H
#define STREAMFUSION_OPERATOR_H

#include "streamfusion/batch.h"
#include "streamfusion/expr.h"
#include "streamfusion/state.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sf_operator sf_operator;

/* Receives output; takes over the reference. Called only during the calls below. */
typedef struct sf_collector {
  void *context;
  sf_status (*collect)(void *context, sf_batch *batch, sf_error *err);
} sf_collector;

/* bytes: a serialized streamfusion.plan.Operator. pool is retained; host (may be NULL) is copied. */
SF_EXPORT SF_MUST_CHECK sf_status sf_operator_create(sf_pool *pool, const sf_host *host, const uint8_t *bytes, size_t size,
                                                     sf_operator **out, sf_error *err);
SF_EXPORT void sf_operator_destroy(sf_operator *op); /* NULL is allowed */
SF_EXPORT const sf_type *sf_operator_input_type(const sf_operator *op);  /* borrowed */
SF_EXPORT const sf_type *sf_operator_output_type(const sf_operator *op); /* borrowed */
/* Row types of a serialized streamfusion.plan.Operator, owned by the caller: what the host needs to turn rows into
 * batches and back at the operator's edges. */
SF_EXPORT SF_MUST_CHECK sf_status sf_operator_plan_types(const uint8_t *bytes, size_t size, sf_type **input_out,
                                                         sf_type **output_out, sf_error *err);

/* Operators with keyed state: makes it, empty, for the key groups of this instance. Once, before anything is processed. */
SF_EXPORT SF_MUST_CHECK sf_status sf_operator_open_state(sf_operator *op, sf_key_groups groups, sf_error *err);
/* Borrowed; NULL: the operator has no keyed state, or it is not open. */
SF_EXPORT sf_state *sf_operator_state(const sf_operator *op);

/* Borrows the batch. Marks of the batch come out as marks at the same place of the output (but see the watermark
 * assigner below). Nothing is emitted where neither rows nor marks are left. */
SF_EXPORT SF_MUST_CHECK sf_status sf_operator_process(sf_operator *op, int32_t input, sf_batch *batch,
                                                      const sf_collector *out, sf_error *err);
/* An ordinary watermark arrived behind everything processed so far. Stateless operators have nothing to emit; the host
 * forwards the watermark itself. The watermark assigner is the exception, as Flink's WatermarkAssignerOperator: it
 * swallows watermarks of its input (marks of batches as well) except INT64_MAX, for which it emits a batch without rows
 * that has this one mark; the host forwards nothing itself. */
SF_EXPORT SF_MUST_CHECK sf_status sf_operator_watermark(sf_operator *op, int64_t watermark, const sf_collector *out,
                                                        sf_error *err);
/* Processing time has reached `millis`. Watermark assigner: the host calls this when its periodic emission is due
 * (lastPeriodicEmit + interval <= now, the host keeps that clock, and idleness); a batch without rows with one mark is
 * emitted when the watermark has advanced. */
SF_EXPORT SF_MUST_CHECK sf_status sf_operator_timer(sf_operator *op, int64_t millis, const sf_collector *out,
                                                    sf_error *err);
/* A checkpoint barrier follows: emit what must not stay in flight. */
SF_EXPORT SF_MUST_CHECK sf_status sf_operator_before_barrier(sf_operator *op, const sf_collector *out, sf_error *err);
/* How many rows and keys the present bundle of a mini-batch operator has. False: the operator has no bundles. */
SF_EXPORT bool sf_operator_bundle(const sf_operator *op, int64_t *rows_out, int64_t *keys_out);
SF_EXPORT SF_MUST_CHECK sf_status sf_operator_finish(sf_operator *op, const sf_collector *out, sf_error *err);

#ifdef __cplusplus
}
#endif
#endif
