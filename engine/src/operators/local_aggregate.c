/* The first phase of a GROUP BY: org.apache.flink.table.runtime.operators.aggregate.MiniBatchLocalGroupAggFunction in a
 * MapBundleOperator. Emits the accumulators of each bundle's keys and keeps nothing. */
#include "operators/bundle_operator.h"

static sf_status add(sfi_bundle_operator *b, sf_batch *batch, int64_t row, sfi_key key, bool first, sf_error *err) {
  sfi_accumulators acc = sfi_bundle_accumulators(b, key.id);
  if (first) SF_TRY(sfi_group_init(&b->calls, &acc, err));
  sfi_state_reclaim_much(acc.state);
  return sfi_group_update(&b->calls, &acc, batch, row, sfi_retracts(sfi_row_kind(batch, row)), err);
}

static sf_status finish(sfi_bundle_operator *b, const sf_collector *out, sf_error *err) {
  for (int64_t i = 0; i < b->bundle.n; i++) {
    sfi_bundle_fetch(b, b->bundle.touched, b->bundle.n, i);
    uint32_t id = b->bundle.touched[i].id;
    sfi_accumulators acc = sfi_bundle_accumulators(b, id);
    SF_TRY(sfi_group_flatten(&b->calls, &acc, &b->maps, b->flat, err));
    sfi_region key = sfi_bundle_bytes(&b->bundle, id);
    SF_TRY(sfi_bundle_output_row(&b->output, key, b->flat, b->n_flat, SF_INSERT, out, err));
  }
  return SF_OK;
}

static const sfi_bundle_function function = {.add = add, .finish = finish};

static void destroy(sf_operator *op) { sfi_bundle_operator_drop((sfi_bundle_operator *)op); }

static const sfi_operator_vtable vtable = {.process = sfi_bundle_process,
                                           .watermark = sfi_bundle_watermark,
                                           .before_barrier = sfi_bundle_flush,
                                           .finish = sfi_bundle_flush,
                                           .progress = sfi_bundle_progress,
                                           .destroy = destroy};

static sf_status prepare(sfi_bundle_operator *b, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  SF_TRY(sfi_bundle_operator_prepare(b, &function, message, err));
  SF_TRY(sfi_group_check_flat(&b->calls, b->base.output_type, b->n_grouping, true, err));
  SF_TRY(sfi_bundle_output_create(b->base.pool, b->base.output_type, b->n_grouping, &b->output, err));
  return sfi_bundle_of_accumulators(b, message->bundle_size, err);
}

sf_status sfi_local_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  sf_operator *op = NULL;
  SF_TRY(sfi_operator_new(pool, plan, sizeof(sfi_bundle_operator), &vtable, &op, err));
  sf_status st = prepare((sfi_bundle_operator *)op, plan->message->group_aggregate, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}
