/* The frame of all operators: plan/operator.c decodes and dispatches, one file per operator does the work. */
#ifndef SFI_OPERATORS_OPERATOR_INTERNAL_H
#define SFI_OPERATORS_OPERATOR_INTERNAL_H

#include "column/column_internal.h"
#include "plan.pb-c.h"
#include "state/state_internal.h"
#include "streamfusion/operator.h"

/* Functions that an operator leaves NULL have nothing to do. Arguments as those of the public functions. */
typedef struct sfi_operator_vtable {
  sf_status (*process)(sf_operator *op, sf_batch *batch, const sf_collector *out, sf_error *err);
  sf_status (*watermark)(sf_operator *op, int64_t watermark, const sf_collector *out, sf_error *err);
  sf_status (*timer)(sf_operator *op, int64_t millis, const sf_collector *out, sf_error *err);
  sf_status (*before_barrier)(sf_operator *op, const sf_collector *out, sf_error *err);
  sf_status (*finish)(sf_operator *op, const sf_collector *out, sf_error *err);
  void (*progress)(const sf_operator *op, int64_t *rows_out, int64_t *keys_out);
  sf_status (*open_state)(sf_operator *op, sf_key_groups groups, sf_error *err);
  void (*destroy)(sf_operator *op); /* the operator's own parts; not the frame, not the memory */
} sfi_operator_vtable;

/* First member of every operator. */
struct sf_operator {
  const sfi_operator_vtable *vtable;
  sf_pool *pool;              /* retained */
  const sf_type *input_type;  /* retained */
  const sf_type *output_type; /* retained */
  const sf_type *seen_type;   /* retained; batch type that has been checked against input_type, or NULL */
  sf_session *session;        /* owned */
  sf_state *state;            /* owned; NULL: none, or not open */
};

/* What an operator is created from; borrowed. */
typedef struct sfi_operator_plan {
  const Streamfusion__Plan__Operator *message;
  const sf_host *host; /* may be NULL */
} sfi_operator_plan;

/* Whether columns of one row can be handed on as those of the other. */
static inline bool sfi_same_columns(const sf_type *in, const sf_type *out) {
  bool same = in->n_children == out->n_children;
  for (int32_t i = 0; same && i < in->n_children; i++) same = in->children[i]->layout == out->children[i]->layout;
  return same;
}

/* Allocates an operator of `size` bytes, zeroed but for the frame. `plan` types are decoded here. */
SF_MUST_CHECK sf_status sfi_operator_new(sf_pool *pool, const sfi_operator_plan *plan, size_t size,
                                         const sfi_operator_vtable *vtable, sf_operator **out, sf_error *err);
/* Compiles an expression over the operator's input. */
SF_MUST_CHECK sf_status sfi_operator_compile(sf_operator *op, const sfi_operator_plan *plan,
                                             const Streamfusion__Plan__Expr *const *exprs, size_t n, sf_expr **out,
                                             sf_error *err);
/* Hands a batch to the collector, or drops it when it holds neither rows nor marks. Takes over the reference. */
SF_MUST_CHECK sf_status sfi_emit(sf_batch *batch, const sf_collector *out, sf_error *err);

SF_MUST_CHECK sf_status sfi_calc_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                        sf_error *err);
SF_MUST_CHECK sf_status sfi_watermark_assigner_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                                      sf_error *err);
SF_MUST_CHECK sf_status sfi_drop_update_before_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                                      sf_error *err);
SF_MUST_CHECK sf_status sfi_constraint_enforcer_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                                       sf_error *err);
SF_MUST_CHECK sf_status sfi_group_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                                   sf_error *err);
SF_MUST_CHECK sf_status sfi_mini_batch_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                                        sf_error *err);
SF_MUST_CHECK sf_status sfi_local_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                                   sf_error *err);
SF_MUST_CHECK sf_status sfi_global_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                                    sf_error *err);
SF_MUST_CHECK sf_status sfi_incremental_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                                         sf_error *err);
SF_MUST_CHECK sf_status sfi_expand_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err);
SF_MUST_CHECK sf_status sfi_mini_batch_assigner_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out,
                                                       sf_error *err);

/* Takes over the column, whose NULLs become CodeGenUtils.primitiveDefaultValue of its type: -1, false, the empty string. Where
 * that is no value but NULL, the column comes back as it is. */
SF_MUST_CHECK sf_status sfi_default_for_null(sf_pool *pool, sf_column *column, sf_column **out, sf_error *err);

#endif
