/* From a plan message to an operator, and from the public calls to the operator's own. */
#include <stdlib.h>
#include <string.h>

#include "base/wire.h"
#include "column/type_internal.h"
#include "operators/operator_internal.h"

static sf_status create_aggregate(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  const Streamfusion__Plan__GroupAggregate *message = plan->message->group_aggregate;
  bool bundles = message->bundle_size > 0;
  switch (message->phase) {
    case STREAMFUSION__PLAN__AGGREGATE_PHASE__SINGLE_PHASE:
      return bundles ? sfi_mini_batch_aggregate_create(pool, plan, out, err)
                     : sfi_group_aggregate_create(pool, plan, out, err);
    case STREAMFUSION__PLAN__AGGREGATE_PHASE__LOCAL_PHASE:
      if (bundles) return sfi_local_aggregate_create(pool, plan, out, err);
      break;
    case STREAMFUSION__PLAN__AGGREGATE_PHASE__GLOBAL_PHASE:
      if (bundles) return sfi_global_aggregate_create(pool, plan, out, err);
      break;
    case STREAMFUSION__PLAN__AGGREGATE_PHASE__INCREMENTAL_PHASE:
      if (bundles) return sfi_incremental_aggregate_create(pool, plan, out, err);
      break;
    default: break;
  }
  return sf_fail(err, SF_UNSUPPORTED, "Aggregate %s is of a phase that this engine does not know", plan->message->name);
}

static sf_status dispatch(sf_pool *pool, const sfi_operator_plan *plan, sf_operator **out, sf_error *err) {
  switch (plan->message->op_case) {
    case STREAMFUSION__PLAN__OPERATOR__OP_CALC: return sfi_calc_create(pool, plan, out, err);
    case STREAMFUSION__PLAN__OPERATOR__OP_WATERMARK_ASSIGNER: return sfi_watermark_assigner_create(pool, plan, out, err);
    case STREAMFUSION__PLAN__OPERATOR__OP_DROP_UPDATE_BEFORE: return sfi_drop_update_before_create(pool, plan, out, err);
    case STREAMFUSION__PLAN__OPERATOR__OP_CONSTRAINT_ENFORCER:
      return sfi_constraint_enforcer_create(pool, plan, out, err);
    case STREAMFUSION__PLAN__OPERATOR__OP_GROUP_AGGREGATE: return create_aggregate(pool, plan, out, err);
    case STREAMFUSION__PLAN__OPERATOR__OP_EXPAND: return sfi_expand_create(pool, plan, out, err);
    case STREAMFUSION__PLAN__OPERATOR__OP_MINI_BATCH_ASSIGNER:
      return sfi_mini_batch_assigner_create(pool, plan, out, err);
    default: return sf_fail(err, SF_UNSUPPORTED, "Operator %s is of a kind that this engine does not know",
                            plan->message->name);
  }
}

sf_status sf_operator_create(sf_pool *pool, const sf_host *host, const uint8_t *bytes, size_t size, sf_operator **out,
                             sf_error *err) {
  *out = NULL;
  ProtobufCMessage *message = NULL;
  SF_TRY(sfi_wire_unpack(&streamfusion__plan__operator__descriptor, bytes, size, SFI_WIRE_MAX_DEPTH, &message, err));
  sfi_operator_plan plan = {.message = (const Streamfusion__Plan__Operator *)message, .host = host};
  sf_status st = dispatch(pool, &plan, out, err);
  protobuf_c_message_free_unpacked(message, NULL);
  return st;
}

/* A sub-message as bytes, for the functions that take serialized messages. Freed by the caller. */
static sf_status pack(const ProtobufCMessage *message, uint8_t **bytes, size_t *size, sf_error *err) {
  *size = protobuf_c_message_get_packed_size(message);
  *bytes = malloc(*size + 1);
  if (*bytes == NULL) return sf_fail(err, SF_NOMEM, "No memory for a plan message");
  protobuf_c_message_pack(message, *bytes);
  return SF_OK;
}

static sf_status create_session(const Streamfusion__Plan__SessionSettings *settings, sf_session **out, sf_error *err) {
  if (settings == NULL) return sf_session_create(NULL, 0, out, err);
  uint8_t *bytes = NULL;
  size_t size = 0;
  SF_TRY(pack(&settings->base, &bytes, &size, err));
  sf_status st = sf_session_create(bytes, size, out, err);
  free(bytes);
  return st;
}

static sf_status row_type(const Streamfusion__Plan__Type *message, const sf_type **out, sf_error *err) {
  sf_type *type = NULL;
  SF_TRY(sfi_type_from_message(message, &type, err));
  *out = type;
  if (type->kind == SF_TYPE_ROW) return SF_OK;
  return sf_fail(err, SF_INVALID, "Input and output of an operator must be of ROW types");
}

sf_status sfi_operator_new(sf_pool *pool, const sfi_operator_plan *plan, size_t size,
                           const sfi_operator_vtable *vtable, sf_operator **out, sf_error *err) {
  *out = NULL;
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(pool, size, &memory, err));
  memset(memory, 0, size);
  sf_operator *op = memory;
  op->vtable = vtable;
  op->pool = sf_pool_retain(pool);
  sf_status st = row_type(plan->message->input_type, &op->input_type, err);
  if (st == SF_OK) st = row_type(plan->message->output_type, &op->output_type, err);
  if (st == SF_OK) st = create_session(plan->message->session, &op->session, err);
  if (st != SF_OK) {
    sf_operator_destroy(op);
    return st;
  }
  *out = op;
  return SF_OK;
}

static sf_status pack_all(const sfi_operator_plan *plan, const Streamfusion__Plan__Expr *const *exprs, size_t n,
                          uint8_t **bytes, sf_expr_bytes *plans, sf_error *err) {
  for (size_t i = 0; i < n; i++) {
    if (exprs[i] == NULL) return sf_fail(err, SF_INVALID, "Operator %s lacks an expression", plan->message->name);
    SF_TRY(pack(&exprs[i]->base, &bytes[i], &plans[i].size, err));
    plans[i].bytes = bytes[i];
  }
  return SF_OK;
}

sf_status sfi_operator_compile(sf_operator *op, const sfi_operator_plan *plan,
                               const Streamfusion__Plan__Expr *const *exprs, size_t n, sf_expr **out, sf_error *err) {
  *out = NULL;
  uint8_t **bytes = calloc(n + 1, sizeof *bytes);
  sf_expr_bytes *plans = calloc(n + 1, sizeof *plans);
  sf_status st = SF_OK;
  if (bytes == NULL || plans == NULL || n > INT32_MAX) st = sf_fail(err, SF_NOMEM, "expressions");
  if (st == SF_OK) st = pack_all(plan, exprs, n, bytes, plans, err);
  if (st == SF_OK) {
    st = sf_expr_compile_all(op->pool, op->session, plan->host, op->input_type, plans, (int32_t)n, out, err);
  }
  for (size_t i = 0; i < n && bytes != NULL; i++) free(bytes[i]);
  free(bytes);
  free(plans);
  return st;
}

void sf_operator_destroy(sf_operator *op) {
  if (op == NULL) return;
  if (op->vtable->destroy != NULL) op->vtable->destroy(op);
  sfi_state_close(op->state);
  sf_session_destroy(op->session);
  sf_type_release(op->input_type);
  sf_type_release(op->output_type);
  sf_type_release(op->seen_type);
  sf_pool *pool = op->pool;
  sf_pool_free(pool, op);
  sf_pool_release(pool);
}

const sf_type *sf_operator_input_type(const sf_operator *op) { return op->input_type; }
const sf_type *sf_operator_output_type(const sf_operator *op) { return op->output_type; }

sf_status sfi_emit(sf_batch *batch, const sf_collector *out, sf_error *err) {
  if (batch->length > 0 || batch->n_marks > 0) return out->collect(out->context, batch, err);
  sf_batch_release(batch);
  return SF_OK;
}

/* Batches of one producer share one type, so the comparison is made once. */
static sf_status check_type(sf_operator *op, const sf_batch *batch, sf_error *err) {
  if (batch->type == op->seen_type) return SF_OK;
  if (!sfi_type_same_layout(batch->type, op->input_type)) {
    char is[256], should[256];
    return sf_fail(err, SF_INVALID, "A batch of %s reached an operator that takes %s",
                   sf_type_text(batch->type, is, sizeof is), sf_type_text(op->input_type, should, sizeof should));
  }
  sf_type_release(op->seen_type);
  op->seen_type = sf_type_retain(batch->type);
  return SF_OK;
}

sf_status sf_operator_process(sf_operator *op, int32_t input, sf_batch *batch, const sf_collector *out, sf_error *err) {
  if (input != 0) return sf_fail(err, SF_INVALID, "The operator has no input %d", input);
  SF_TRY(check_type(op, batch, err));
  return op->vtable->process(op, batch, out, err);
}

sf_status sf_operator_watermark(sf_operator *op, int64_t watermark, const sf_collector *out, sf_error *err) {
  return op->vtable->watermark == NULL ? SF_OK : op->vtable->watermark(op, watermark, out, err);
}

sf_status sf_operator_open_state(sf_operator *op, sf_key_groups groups, sf_error *err) {
  if (op->vtable->open_state == NULL) return sf_fail(err, SF_INVALID, "The operator has no keyed state");
  if (op->state != NULL) return sf_fail(err, SF_INVALID, "The operator's keyed state is open already");
  return op->vtable->open_state(op, groups, err);
}

bool sf_operator_bundle(const sf_operator *op, int64_t *rows_out, int64_t *keys_out) {
  if (op->vtable->progress == NULL) return false;
  op->vtable->progress(op, rows_out, keys_out);
  return true;
}

sf_state *sf_operator_state(const sf_operator *op) { return op->state; }

sf_status sf_operator_timer(sf_operator *op, int64_t millis, const sf_collector *out, sf_error *err) {
  return op->vtable->timer == NULL ? SF_OK : op->vtable->timer(op, millis, out, err);
}

sf_status sf_operator_before_barrier(sf_operator *op, const sf_collector *out, sf_error *err) {
  return op->vtable->before_barrier == NULL ? SF_OK : op->vtable->before_barrier(op, out, err);
}

sf_status sf_operator_finish(sf_operator *op, const sf_collector *out, sf_error *err) {
  return op->vtable->finish == NULL ? SF_OK : op->vtable->finish(op, out, err);
}
