/* The second phase of a GROUP BY: org.apache.flink.table.runtime.operators.aggregate.MiniBatchGlobalGroupAggFunction in a
 * KeyedMapBundleOperator. Accumulators of the first phase are merged by key until their bundle ends, and then into the state. */
#include "operators/bundle_operator.h"

static sf_status finish_key(sfi_bundle_operator *b, sfi_bundle_key key, const sf_collector *out, sf_error *err) {
  sf_state *state = b->base.state;
  if (state->ttl > 0) state->now = sfi_current_millis();
  sfi_region bytes = sfi_bundle_bytes(&b->bundle, key.id);
  sfi_accumulators acc = {.state = state, .key = b->places[key.id], .scratch = &b->calls.scratch};
  bool first = false;
  sfi_state_reclaim_much(state);
  SF_TRY(sfi_group_look(state, acc.key, &first, err));
  SF_TRY(sfi_group_open_key(&b->calls, bytes.data, bytes.size, key.hash, first, &acc, err));
  if (!first) SF_TRY(sfi_group_read_before(&b->calls, &acc, err));
  SF_TRY(sfi_bundle_merge_gathered(b, key.id, &acc, &acc, err));
  return sfi_bundle_emit_changes(b, bytes, &acc, first, out, err);
}

static sf_status finish(sfi_bundle_operator *b, const sf_collector *out, sf_error *err) {
  for (int64_t i = 0; i < b->bundle.n; i++) {
    sfi_bundle_fetch_places(b, b->bundle.touched, b->bundle.n, i);
    SF_TRY(finish_key(b, b->bundle.touched[i], out, err));
  }
  return sfi_bundle_tidy_state(b, err);
}

static const sfi_bundle_function function = {.add = sfi_bundle_add_accumulators, .finish = finish};

static sf_status open_state(sf_operator *op, sf_key_groups groups, sf_error *err) {
  sfi_bundle_operator *b = (sfi_bundle_operator *)op;
  return sfi_group_calls_open(&b->calls, groups, b->calls.ttl, &op->state, err);
}

static void destroy(sf_operator *op) { sfi_bundle_operator_drop((sfi_bundle_operator *)op); }

static const sfi_operator_vtable vtable = {.process = sfi_bundle_process,
                                           .watermark = sfi_bundle_watermark,
                                           .before_barrier = sfi_bundle_flush,
                                           .finish = sfi_bundle_flush,
                                           .progress = sfi_bundle_progress,
                                           .open_state = open_state,
                                           .destroy = destroy};

static sf_status prepare(sfi_bundle_operator *b, const Streamfusion__Plan__GroupAggregate *message, sf_error *err) {
  SF_TRY(sfi_bundle_operator_prepare(b, &function, message, err));
  SF_TRY(sfi_group_calls_check_output(&b->calls, b->base.output_type, b->n_grouping, err));
  SF_TRY(sfi_group_check_flat(&b->calls, b->base.input_type, b->n_grouping, true, err));
  SF_TRY(sfi_bundle_output_create(b->base.pool, b->base.output_type, b->n_grouping, &b->output, err));
  return sfi_bundle_of_accumulators(b, message->bundle_size, err);
}

sf_status sfi_global_aggregate_create(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
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
