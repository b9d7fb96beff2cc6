/* Compiled expression nodes: what compile.c builds and eval.c walks. Kernel families need only kernel.h. */
#ifndef SFI_EXPR_NODE_H
#define SFI_EXPR_NODE_H

#include "expr/kernel.h"
#include "plan.pb-c.h"

typedef enum sfi_node_kind {
  SFI_NODE_INPUT,
  SFI_NODE_LITERAL,
  SFI_NODE_CALL,
  SFI_NODE_FIELD,
  SFI_NODE_SEARCH,
  SFI_NODE_HOST,
  SFI_NODE_OPAQUE /* only a type: operands while sf_expr_supports asks about their parent */
} sfi_node_kind;

typedef struct sfi_search sfi_search;

/* Nodes form a DAG: identical sub-expressions are one node. All belong to the expression's list. */
struct sfi_node {
  sfi_node_kind kind;
  const sf_type *type; /* retained */
  int32_t n_children;
  sfi_node **children;        /* array owned, nodes borrowed */
  const sf_type **child_types; /* array owned, parallel */
  bool effects;  /* sfi_node_has_effects */
  bool carried;  /* part of the first expression and of others: its result goes from the filter to the projection */
  bool retype;   /* SFI_NODE_INPUT, SFI_NODE_FIELD: the plan's type differs from the column's in nullability or length */
  int32_t cost;
  int32_t uses;  /* parents; a node with several keeps its result for the rest of the evaluation */
  int32_t index; /* input column, field or host kernel */
  sf_column *literal;
  sfi_search *search;
  sfi_call call;
  /* result kept during one evaluation, computed under the selection `memo_serial` */
  sf_column *memo;
  uint64_t memo_serial;
};

/* A selection and those around it. A result computed under an enclosing selection covers the enclosed rows. */
typedef struct sfi_frame {
  const struct sfi_frame *parent;
  uint64_t serial;
} sfi_frame;

struct sf_expr {
  sf_pool *pool;              /* retained */
  const sf_session *session;  /* borrowed */
  sf_host host;               /* host.call NULL: none */
  const sf_type *input_type;  /* retained */
  sfi_node **nodes;
  int32_t n_nodes;
  int32_t nodes_capacity;
  sfi_node **roots;           /* of each expression; array owned, nodes borrowed from `nodes` */
  int32_t n_roots;
  uint64_t serial;
  uint64_t filter_serial;     /* the selection under which the filter was evaluated */
};

/* A one-row const column for a literal of this type; SF_INVALID when value and type do not go together. */
sf_status sfi_literal_column(sf_pool *pool, const sf_type *type, const Streamfusion__Plan__Literal *literal,
                             sf_column **out, sf_error *err);
/* A column standing for `length` equal rows, from a const column or one of length 1. */
sf_status sfi_const_of(sf_pool *pool, const sf_column *column, int64_t length, sf_column **out, sf_error *err);
sf_status sfi_const_null(sf_pool *pool, const sf_type *type, int64_t length, sf_column **out, sf_error *err);

/* The function for call->arg_types and call->type under this name, or NULL. */
const sfi_function *sfi_find_function(const char *name, const sfi_call *call);

sf_status sfi_search_create(sf_pool *pool, const sf_type *operand_type, const Streamfusion__Plan__SearchArg *arg,
                            sfi_search **out, sf_error *err);
void sfi_search_destroy(sfi_search *search); /* NULL is allowed */
sf_status sfi_search_eval(const sfi_search *search, const sfi_node *node, sfi_eval *ev, const sf_column *operand,
                          sf_column **out, sf_error *err);

#endif
