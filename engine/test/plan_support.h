/* Plan messages for tests, made of static storage that one test uses up at most once. */
#ifndef ENGINE_TEST_PLAN_SUPPORT_H
#define ENGINE_TEST_PLAN_SUPPORT_H

#include <stdlib.h>

#include "plan.pb-c.h"
#include "streamfusion/operator.h"
#include "support.h"

typedef Streamfusion__Plan__Type plan_type;
typedef Streamfusion__Plan__Expr plan_expr;
typedef Streamfusion__Plan__Operator plan_operator;

/* One arena for all messages of a test. */
static _Alignas(16) char plan_arena[1 << 20];
static size_t plan_used;
static inline void *plan_take(size_t size) {
  void *p = plan_arena + plan_used;
  plan_used += (size + 15) / 16 * 16;
  assert_true(plan_used <= sizeof plan_arena);
  memset(p, 0, size);
  return p;
}
static inline void plan_reset(void) { plan_used = 0; }

static inline plan_type *plan_of(const sf_type *type) {
  plan_type *t = plan_take(sizeof *t);
  streamfusion__plan__type__init(t);
  t->kind = (Streamfusion__Plan__TypeKind)type->kind;
  t->nullable = type->nullable;
  t->precision = type->precision;
  t->scale = type->scale;
  t->length = type->length;
  if (type->n_children == 0) return t;
  t->n_children = (size_t)(type->kind == SF_TYPE_MULTISET ? 1 : type->n_children);
  t->children = plan_take(t->n_children * sizeof *t->children);
  for (size_t i = 0; i < t->n_children; i++) t->children[i] = plan_of(type->children[i]);
  if (type->kind != SF_TYPE_ROW) return t;
  t->n_field_names = t->n_children;
  t->field_names = plan_take(t->n_field_names * sizeof *t->field_names);
  for (size_t i = 0; i < t->n_field_names; i++) {
    t->field_names[i] = strcpy(plan_take(strlen(type->field_names[i]) + 1), type->field_names[i]);
  }
  return t;
}

/* Takes over the type. */
static inline plan_expr *expr_of(sf_type *type) {
  plan_expr *e = plan_take(sizeof *e);
  streamfusion__plan__expr__init(e);
  e->type = plan_of(type);
  sf_type_release(type);
  return e;
}
static inline plan_expr *input(int32_t i, sf_type *type) {
  plan_expr *e = expr_of(type);
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_INPUT;
  e->input = i;
  return e;
}
static inline plan_expr *field(plan_expr *row, int32_t i, sf_type *type) {
  plan_expr *e = expr_of(type);
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_FIELD;
  e->field = plan_take(sizeof *e->field);
  streamfusion__plan__field_access__init(e->field);
  e->field->row = row;
  e->field->index = i;
  return e;
}
static inline plan_expr *call2(const char *name, sf_type *type, plan_expr *a, plan_expr *b) {
  plan_expr *e = expr_of(type);
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_CALL;
  e->call = plan_take(sizeof *e->call);
  streamfusion__plan__call__init(e->call);
  e->call->function = strcpy(plan_take(strlen(name) + 1), name);
  e->call->n_args = b == NULL ? 1 : 2;
  e->call->args = plan_take(2 * sizeof *e->call->args);
  e->call->args[0] = a;
  e->call->args[1] = b;
  return e;
}
static inline plan_expr *int_literal(int64_t value, sf_type *type) {
  plan_expr *e = expr_of(type);
  e->node_case = STREAMFUSION__PLAN__EXPR__NODE_LITERAL;
  e->literal = plan_take(sizeof *e->literal);
  streamfusion__plan__literal__init(e->literal);
  e->literal->value_case = STREAMFUSION__PLAN__LITERAL__VALUE_INT_VALUE;
  e->literal->int_value = value;
  return e;
}

/* Borrows the types. */
static inline plan_operator *operator_of(const sf_type *in, const sf_type *out) {
  plan_operator *o = plan_take(sizeof *o);
  streamfusion__plan__operator__init(o);
  o->name = strcpy(plan_take(8), "tested");
  o->input_type = plan_of(in);
  o->output_type = plan_of(out);
  return o;
}

static inline plan_operator *calc_plan(const sf_type *in, const sf_type *out, plan_expr *condition,
                                       plan_expr **projection) {
  plan_operator *o = operator_of(in, out);
  o->op_case = STREAMFUSION__PLAN__OPERATOR__OP_CALC;
  o->calc = plan_take(sizeof *o->calc);
  streamfusion__plan__calc__init(o->calc);
  o->calc->n_projection = (size_t)out->n_children;
  o->calc->projection = projection;
  o->calc->condition = condition;
  return o;
}

static inline plan_operator *watermark_plan(const sf_type *type, int32_t rowtime, plan_expr *watermark,
                                            int64_t interval) {
  plan_operator *o = operator_of(type, type);
  o->op_case = STREAMFUSION__PLAN__OPERATOR__OP_WATERMARK_ASSIGNER;
  o->watermark_assigner = plan_take(sizeof *o->watermark_assigner);
  streamfusion__plan__watermark_assigner__init(o->watermark_assigner);
  o->watermark_assigner->rowtime_field = rowtime;
  o->watermark_assigner->watermark = watermark;
  o->watermark_assigner->interval_millis = interval;
  return o;
}

static inline plan_operator *drop_plan(const sf_type *type) {
  plan_operator *o = operator_of(type, type);
  o->op_case = STREAMFUSION__PLAN__OPERATOR__OP_DROP_UPDATE_BEFORE;
  o->drop_update_before = plan_take(sizeof *o->drop_update_before);
  streamfusion__plan__drop_update_before__init(o->drop_update_before);
  return o;
}

static inline Streamfusion__Plan__ConstraintEnforcer *add_enforcer(plan_operator *o) {
  o->op_case = STREAMFUSION__PLAN__OPERATOR__OP_CONSTRAINT_ENFORCER;
  o->constraint_enforcer = plan_take(sizeof *o->constraint_enforcer);
  streamfusion__plan__constraint_enforcer__init(o->constraint_enforcer);
  return o->constraint_enforcer;
}

static inline sf_status create_operator(sf_pool *pool, const plan_operator *plan, sf_operator **out, sf_error *err) {
  size_t size = streamfusion__plan__operator__get_packed_size(plan);
  uint8_t *bytes = malloc(size + 1);
  streamfusion__plan__operator__pack(plan, bytes);
  sf_status st = sf_operator_create(pool, NULL, bytes, size, out, err);
  free(bytes);
  return st;
}

/* A collector that keeps the only batch emitted. */
static inline sf_status keep_one(void *context, sf_batch *batch, sf_error *err) {
  sf_batch **place = context;
  (void)err;
  assert_null(*place);
  *place = batch;
  return SF_OK;
}

#endif
