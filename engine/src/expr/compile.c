/* Turns a serialized plan expression into nodes: types checked, kernels chosen, identical sub-expressions merged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wire.h"
#include "expr/node.h"

/* Deeper expressions than Flink's own code generator could take are refused, so that recursion stays bounded. */
enum { MAX_DEPTH = 600 };

typedef struct compiler {
  sf_expr *expr;
  bool probing; /* sf_expr_supports: operands of the root become SFI_NODE_OPAQUE unless they are literals */
  int32_t depth;
  /* serialized form of each node of expr->nodes, to find equal ones; NULL for casts that no plan names */
  uint8_t **keys;
  size_t *key_sizes;
  int32_t keys_capacity;
} compiler;

static sf_status compile_node(compiler *c, const Streamfusion__Plan__Expr *e, sfi_node **out, sf_error *err);

/* --- types and nodes */

static sf_status decode_type(const Streamfusion__Plan__Type *type, const sf_type **out, sf_error *err) {
  if (type == NULL) return sf_fail(err, SF_INVALID, "expression without a type");
  size_t size = protobuf_c_message_get_packed_size(&type->base);
  uint8_t *bytes = malloc(size + 1);
  if (bytes == NULL) return sf_fail(err, SF_NOMEM, "type of an expression");
  protobuf_c_message_pack(&type->base, bytes);
  sf_type *decoded = NULL;
  sf_status st = sf_type_decode(bytes, size, &decoded, err);
  free(bytes);
  *out = decoded;
  return st;
}

static void destroy_node(sfi_node *node) {
  if (node == NULL) return;
  if (node->kind == SFI_NODE_CALL && node->call.function != NULL && node->call.function->destroy != NULL) {
    node->call.function->destroy(&node->call);
  }
  sf_column_release(node->literal);
  sf_column_release(node->memo);
  sfi_search_destroy(node->search);
  sf_type_release(node->type);
  free(node->children);
  free(node->child_types);
  free(node);
}

/* Appends an empty node to the expression, which owns it from then on. */
static sf_status new_node(compiler *c, sfi_node_kind kind, size_t n_children, sfi_node **out, sf_error *err) {
  sf_expr *expr = c->expr;
  if (n_children > 100000) return sf_fail(err, SF_INVALID, "call with %zu operands", n_children);
  if (expr->n_nodes == expr->nodes_capacity) {
    int32_t capacity = expr->nodes_capacity * 2 + 16;
    sfi_node **grown = realloc(expr->nodes, (size_t)capacity * sizeof *grown);
    if (grown == NULL) return sf_fail(err, SF_NOMEM, "expression");
    expr->nodes = grown;
    expr->nodes_capacity = capacity;
  }
  sfi_node *node = calloc(1, sizeof *node);
  if (node == NULL) return sf_fail(err, SF_NOMEM, "expression");
  node->kind = kind;
  node->cost = 1;
  node->children = calloc(n_children + 1, sizeof *node->children);
  node->child_types = calloc(n_children + 1, sizeof *node->child_types);
  if (node->children == NULL || node->child_types == NULL) {
    destroy_node(node);
    return sf_fail(err, SF_NOMEM, "expression");
  }
  expr->nodes[expr->n_nodes++] = node;
  *out = node;
  return SF_OK;
}

static sf_status compile_children(compiler *c, sfi_node *node, Streamfusion__Plan__Expr *const *args, size_t n,
                                  sf_error *err) {
  for (size_t i = 0; i < n; i++) {
    sfi_node *child = NULL;
    SF_TRY(compile_node(c, args[i], &child, err));
    child->uses++;
    node->children[i] = child;
    node->child_types[i] = child->type;
    node->n_children++;
    node->effects |= child->effects;
    int64_t cost = (int64_t)node->cost + (child->kind <= SFI_NODE_LITERAL ? 0 : child->cost);
    node->cost = cost > 1000000 ? 1000000 : (int32_t)cost;
  }
  return SF_OK;
}

/* --- one function per kind of node */

__attribute__((noinline)) static sf_status type_mismatch(const char *what, int32_t index, const sf_type *expected, const sf_type *actual,
                               sf_error *err) {
  char a[128], b[128];
  return sf_fail(err, SF_INVALID, "%s %d has type %s, the plan says %s", what, index,
                 sf_type_text(actual, a, sizeof a), sf_type_text(expected, b, sizeof b));
}

/* Whether a column of this type can be read as the plan's: nullability apart the same, or text as longer VARCHAR (its widening
 * CAST changes no value, see CharVarCharTrimPadCastRule, so the planner leaves it out). */
static bool reads_as(const sf_type *actual, const sf_type *wanted) {
  bool text = (actual->kind == SF_TYPE_CHAR || actual->kind == SF_TYPE_VARCHAR) && wanted->kind == SF_TYPE_VARCHAR;
  return sf_type_equal(actual, wanted, false) || (text && actual->length <= wanted->length);
}

static sf_status compile_input(compiler *c, sfi_node *node, int32_t index, sf_error *err) {
  node->index = index;
  if (c->probing) return SF_OK;
  const sf_type *row = c->expr->input_type;
  if (index < 0 || index >= row->n_children) {
    return sf_fail(err, SF_INVALID, "input column %d of %d", index, row->n_children);
  }
  const sf_type *actual = row->children[index];
  if (!reads_as(actual, node->type)) return type_mismatch("input column", index, node->type, actual, err);
  node->retype = !sf_type_equal(actual, node->type, true);
  return SF_OK;
}

static sf_status compile_field(sfi_node *node, int32_t index, sf_error *err) {
  const sf_type *row = node->child_types[0];
  node->index = index;
  if (row->kind != SF_TYPE_ROW || index < 0 || index >= row->n_children) {
    char text[128];
    return sf_fail(err, SF_INVALID, "field %d of %s", index, sf_type_text(row, text, sizeof text));
  }
  const sf_type *actual = row->children[index];
  if (!reads_as(actual, node->type)) return type_mismatch("field", index, node->type, actual, err);
  return SF_OK;
}

__attribute__((noinline)) static sf_status unsupported_call(const char *name, const sfi_call *call, sf_error *err) {
  char types[512] = "", text[128];
  size_t used = 0;
  for (int32_t i = 0; i < call->n_args && used + 1 < sizeof types; i++) {
    int n = snprintf(types + used, sizeof types - used, "%s%s", i > 0 ? ", " : "",
                     sf_type_text(call->arg_types[i], text, sizeof text));
    if (n < 0) break;
    used += (size_t)n;
  }
  return sf_fail(err, SF_UNSUPPORTED, "no kernel for %s(%s) -> %s", name, types,
                 sf_type_text(call->type, text, sizeof text));
}

static sf_status bind_call(compiler *c, sfi_node *node, const char *name, sf_error *err) {
  sfi_call *call = &node->call;
  call->type = node->type;
  call->n_args = node->n_children;
  call->arg_types = node->child_types;
  call->arg_nodes = node->children;
  const sfi_function *function = sfi_find_function(name, call);
  if (function == NULL) return unsupported_call(name, call, err);
  node->effects |= (function->flags & SFI_CAN_FAIL) != 0;
  bool numbers = true;
  for (int32_t i = 0; i < call->n_args; i++) numbers &= call->arg_types[i]->layout <= SF_LAYOUT_TIMESTAMP;
  if (!numbers) node->cost += 8;
  if (c->probing) return SF_OK;
  call->function = function;
  if (function->prepare == NULL) return SF_OK;
  sfi_eval ev = {.pool = c->expr->pool, .session = c->expr->session, .expr = c->expr};
  return function->prepare(call, &ev, err);
}

/* Puts a cast around operand i of the node. */
static sf_status wrap_cast(compiler *c, sfi_node *node, int32_t i, const char *cast, sf_error *err) {
  sfi_node *wrapped = NULL;
  SF_TRY(new_node(c, SFI_NODE_CALL, 1, &wrapped, err));
  sfi_node *operand = node->children[i];
  wrapped->type = sf_type_retain(node->type);
  wrapped->n_children = 1;
  wrapped->children[0] = operand;
  wrapped->child_types[0] = operand->type;
  wrapped->effects = operand->effects;
  wrapped->cost = operand->cost + 1;
  wrapped->uses = 1;
  node->children[i] = wrapped;
  node->child_types[i] = wrapped->type;
  return bind_call(c, wrapped, cast, err);
}

/* Flink's code generator casts the values of CASE (to NULL on failure) and IF (failing) to the result type. */
static sf_status cast_branches(compiler *c, sfi_node *node, const char *name, sf_error *err) {
  bool is_case = strcmp(name, "CASE") == 0;
  if (!is_case && strcmp(name, "IF") != 0) return SF_OK;
  for (int32_t i = 1; i < node->n_children; i++) {
    bool condition = i % 2 == 0 && i < node->n_children - 1;
    if (condition || sf_type_equal(node->child_types[i], node->type, false)) continue;
    SF_TRY(wrap_cast(c, node, i, is_case ? "TRY_CAST" : "CAST", err));
    node->effects |= node->children[i]->effects;
  }
  return SF_OK;
}

static sf_status compile_call(compiler *c, sfi_node *node, const Streamfusion__Plan__Call *call, sf_error *err) {
  SF_TRY(cast_branches(c, node, call->function, err));
  node->call.allow_incompatible = call->allow_incompatible;
  return bind_call(c, node, call->function, err);
}

static sf_status compile_kind(compiler *c, const Streamfusion__Plan__Expr *e, sfi_node *node, sf_error *err) {
  switch (e->node_case) {
    case STREAMFUSION__PLAN__EXPR__NODE_INPUT: return compile_input(c, node, e->input, err);
    case STREAMFUSION__PLAN__EXPR__NODE_LITERAL:
      return sfi_literal_column(c->expr->pool, node->type, e->literal, &node->literal, err);
    case STREAMFUSION__PLAN__EXPR__NODE_CALL:
      SF_TRY(compile_children(c, node, e->call->args, e->call->n_args, err));
      return compile_call(c, node, e->call, err);
    case STREAMFUSION__PLAN__EXPR__NODE_FIELD:
      if (e->field->row == NULL) return sf_fail(err, SF_INVALID, "field access without a row");
      SF_TRY(compile_children(c, node, &e->field->row, 1, err));
      return compile_field(node, e->field->index, err);
    case STREAMFUSION__PLAN__EXPR__NODE_SEARCH:
      if (e->search->operand == NULL) return sf_fail(err, SF_INVALID, "search without an operand");
      SF_TRY(compile_children(c, node, &e->search->operand, 1, err));
      if (node->type->kind != SF_TYPE_BOOLEAN) return sf_fail(err, SF_INVALID, "search that is not BOOLEAN");
      node->cost += 4;
      return sfi_search_create(c->expr->pool, node->child_types[0], e->search, &node->search, err);
    case STREAMFUSION__PLAN__EXPR__NODE_HOST:
      SF_TRY(compile_children(c, node, e->host->args, e->host->n_args, err));
      node->index = e->host->kernel;
      node->effects = true;
      node->cost += 100;
      if (c->expr->host.call == NULL && !c->probing) {
        return sf_fail(err, SF_INVALID, "host kernel %d in a place without host kernels", node->index);
      }
      return SF_OK;
    default: return sf_fail(err, SF_UNSUPPORTED, "unknown kind of expression %d", (int)e->node_case);
  }
}

static size_t operand_count(const Streamfusion__Plan__Expr *e) {
  switch (e->node_case) {
    case STREAMFUSION__PLAN__EXPR__NODE_CALL: return e->call->n_args;
    case STREAMFUSION__PLAN__EXPR__NODE_HOST: return e->host->n_args;
    default: return 1;
  }
}

static sfi_node_kind node_kind(const Streamfusion__Plan__Expr *e) {
  switch (e->node_case) {
    case STREAMFUSION__PLAN__EXPR__NODE_INPUT: return SFI_NODE_INPUT;
    case STREAMFUSION__PLAN__EXPR__NODE_LITERAL: return SFI_NODE_LITERAL;
    case STREAMFUSION__PLAN__EXPR__NODE_CALL: return SFI_NODE_CALL;
    case STREAMFUSION__PLAN__EXPR__NODE_FIELD: return SFI_NODE_FIELD;
    case STREAMFUSION__PLAN__EXPR__NODE_SEARCH: return SFI_NODE_SEARCH;
    case STREAMFUSION__PLAN__EXPR__NODE_HOST: return SFI_NODE_HOST;
    default: return SFI_NODE_OPAQUE;
  }
}

/* --- sharing */

static sfi_node *find_equal(const compiler *c, const uint8_t *key, size_t size) {
  for (int32_t i = 0; i < c->expr->n_nodes && i < c->keys_capacity; i++) {
    if (c->keys[i] != NULL && c->key_sizes[i] == size && memcmp(c->keys[i], key, size) == 0) return c->expr->nodes[i];
  }
  return NULL;
}

/* Takes over `key`. */
static sf_status remember(compiler *c, const sfi_node *node, uint8_t *key, size_t size, sf_error *err) {
  int32_t at = 0;
  while (c->expr->nodes[at] != node) at++;
  if (at >= c->keys_capacity) {
    int32_t capacity = at * 2 + 16;
    uint8_t **keys = realloc(c->keys, (size_t)capacity * sizeof *keys);
    if (keys != NULL) c->keys = keys;
    size_t *sizes = realloc(c->key_sizes, (size_t)capacity * sizeof *sizes);
    if (sizes != NULL) c->key_sizes = sizes;
    if (keys == NULL || sizes == NULL) {
      free(key);
      return sf_fail(err, SF_NOMEM, "expression");
    }
    for (int32_t i = c->keys_capacity; i < capacity; i++) c->keys[i] = NULL;
    c->keys_capacity = capacity;
  }
  c->keys[at] = key;
  c->key_sizes[at] = size;
  return SF_OK;
}

static sf_status build_node(compiler *c, const Streamfusion__Plan__Expr *e, sfi_node **out, sf_error *err) {
  bool opaque = c->probing && c->depth > 1 && e->node_case != STREAMFUSION__PLAN__EXPR__NODE_LITERAL;
  SF_TRY(new_node(c, opaque ? SFI_NODE_OPAQUE : node_kind(e), opaque ? 0 : operand_count(e), out, err));
  SF_TRY(decode_type(e->type, &(*out)->type, err));
  return opaque ? SF_OK : compile_kind(c, e, *out, err);
}

static sf_status compile_node(compiler *c, const Streamfusion__Plan__Expr *e, sfi_node **out, sf_error *err) {
  if (c->depth >= MAX_DEPTH) return sf_fail(err, SF_UNSUPPORTED, "expression nested deeper than %d", MAX_DEPTH);
  size_t size = protobuf_c_message_get_packed_size(&e->base);
  uint8_t *key = malloc(size + 1);
  if (key == NULL) return sf_fail(err, SF_NOMEM, "expression");
  protobuf_c_message_pack(&e->base, key);
  sfi_node *equal = find_equal(c, key, size);
  if (equal != NULL) {
    free(key);
    *out = equal;
    return SF_OK;
  }
  c->depth++;
  sf_status st = build_node(c, e, out, err);
  c->depth--;
  if (st != SF_OK) {
    free(key);
    return st;
  }
  return remember(c, *out, key, size, err);
}

/* --- entry points */

static sf_status compile_root(compiler *c, const sf_expr_bytes *plan, sfi_node **root, sf_error *err) {
  ProtobufCMessage *unpacked = NULL;
  SF_TRY(sfi_wire_unpack(&streamfusion__plan__expr__descriptor, plan->bytes, plan->size, SFI_WIRE_MAX_EXPR_DEPTH, &unpacked,
                         err));
  Streamfusion__Plan__Expr *message = (Streamfusion__Plan__Expr *)unpacked;
  sf_status st = compile_node(c, message, root, err);
  if (st == SF_OK) (*root)->uses++;
  streamfusion__plan__expr__free_unpacked(message, NULL);
  return st;
}

/* What the expressions behind the first use of its n nodes. Fields are left out: they cost nothing to find again. */
static void mark_carried(sf_expr *expr, const int32_t *uses, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    sfi_node *node = expr->nodes[i];
    node->carried = node->uses > uses[i] && node->kind > SFI_NODE_LITERAL && node->kind != SFI_NODE_FIELD;
  }
}

static sf_status compile_others(compiler *c, const sf_expr_bytes *plans, int32_t n, sf_error *err) {
  sf_expr *expr = c->expr;
  int32_t n_first = expr->n_nodes;
  int32_t *uses = malloc(((size_t)n_first + 1) * sizeof *uses);
  if (uses == NULL) return sf_fail(err, SF_NOMEM, "expression");
  for (int32_t i = 0; i < n_first; i++) uses[i] = expr->nodes[i]->uses;
  sf_status st = SF_OK;
  for (int32_t i = 1; i < n && st == SF_OK; i++) st = compile_root(c, &plans[i], &expr->roots[i], err);
  if (st == SF_OK) mark_carried(expr, uses, n_first);
  free(uses);
  return st;
}

static sf_status compile_roots(sf_expr *expr, bool probing, const sf_expr_bytes *plans, int32_t n, sf_error *err) {
  if (n < 1) return sf_fail(err, SF_INVALID, "no expression");
  expr->roots = calloc((size_t)n, sizeof *expr->roots);
  if (expr->roots == NULL) return sf_fail(err, SF_NOMEM, "expression");
  expr->n_roots = n;
  compiler c = {.expr = expr, .probing = probing};
  sf_status st = compile_root(&c, &plans[0], &expr->roots[0], err);
  if (st == SF_OK && n > 1) st = compile_others(&c, plans, n, err);
  for (int32_t i = 0; i < c.keys_capacity; i++) free(c.keys[i]);
  free(c.keys);
  free(c.key_sizes);
  return st;
}

void sf_expr_destroy(sf_expr *expr) {
  if (expr == NULL) return;
  for (int32_t i = 0; i < expr->n_nodes; i++) destroy_node(expr->nodes[i]);
  free(expr->nodes);
  free(expr->roots);
  sf_type_release(expr->input_type);
  sf_pool_release(expr->pool);
  free(expr);
  sf_live_add(-1);
}

static sf_status new_expr(sf_pool *pool, const sf_session *session, const sf_host *host, sf_expr **out, sf_error *err) {
  sf_expr *expr = calloc(1, sizeof *expr);
  if (expr == NULL) return sf_fail(err, SF_NOMEM, "expression");
  sf_live_add(1);
  expr->pool = sf_pool_retain(pool);
  expr->session = session;
  if (host != NULL) expr->host = *host;
  *out = expr;
  return SF_OK;
}

sf_status sf_expr_compile_all(sf_pool *pool, const sf_session *session, const sf_host *host, const sf_type *input_type,
                              const sf_expr_bytes *plans, int32_t n, sf_expr **out, sf_error *err) {
  *out = NULL;
  if (input_type->kind != SF_TYPE_ROW) return sf_fail(err, SF_INVALID, "the input of an expression is no ROW");
  sf_expr *expr = NULL;
  SF_TRY(new_expr(pool, session, host, &expr, err));
  expr->input_type = sf_type_retain(input_type);
  sf_status st = compile_roots(expr, false, plans, n, err);
  if (st != SF_OK) {
    sf_expr_destroy(expr);
    return st;
  }
  *out = expr;
  return SF_OK;
}

sf_status sf_expr_compile(sf_pool *pool, const sf_session *session, const sf_host *host, const sf_type *input_type,
                          const uint8_t *bytes, size_t size, sf_expr **out, sf_error *err) {
  const sf_expr_bytes plan = {bytes, size};
  return sf_expr_compile_all(pool, session, host, input_type, &plan, 1, out, err);
}

bool sf_expr_supports(const uint8_t *bytes, size_t size) {
  sf_pool *pool = NULL;
  if (sf_pool_create("expression probe", -1, NULL, &pool, NULL) != SF_OK) return false;
  sf_expr *expr = NULL;
  sf_status st = new_expr(pool, NULL, NULL, &expr, NULL);
  const sf_expr_bytes plan = {bytes, size};
  if (st == SF_OK) st = compile_roots(expr, true, &plan, 1, NULL);
  sf_expr_destroy(expr);
  sf_pool_release(pool);
  return st == SF_OK;
}

const sf_type *sf_expr_type(const sf_expr *expr, int32_t i) { return expr->roots[i]->type; }

bool sfi_node_has_effects(const sfi_node *node) { return node->effects; }
int32_t sfi_node_cost(const sfi_node *node) { return node->cost; }

const sf_column *sfi_const_arg(const sfi_call *call, int32_t i) {
  return i >= 0 && i < call->n_args ? call->arg_nodes[i]->literal : NULL;
}
