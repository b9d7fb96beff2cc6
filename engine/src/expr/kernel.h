/* Contract between the evaluator (eval.c) and the kernel families (arith.c, compare.c, string_*.c, time_*.c ...).
 *
 * A family exports one table of sfi_function; registry.c lists the tables. compile.c asks each entry of the function's
 * name, in order, whether it takes these argument types; the first that answers wins. */
#ifndef SFI_EXPR_KERNEL_H
#define SFI_EXPR_KERNEL_H

#include "streamfusion/expr.h"

typedef struct sfi_call sfi_call;
typedef struct sfi_eval sfi_eval;
typedef struct sfi_node sfi_node;

/* Fills *out with a column of call->type and `ev->length` rows.
 *
 * args may be const (stride 0); a const argument of a strict call is never NULL. When all args are const the evaluator
 * has already collapsed the call to length 1 (ev->length is then 1, whatever args[i]->length says) and makes the result
 * const. When ev->selected is not NULL only those rows need computing, and a kernel flagged SFI_CAN_FAIL must not touch
 * the others. Rows that were not computed hold any number, but their views must be readable: take buffers from
 * sfi_values_create, which clears what needs clearing. */
typedef sf_status (*sfi_kernel)(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                sf_error *err);

enum {
  /* Result is NULL where any argument is NULL: the evaluator passes the ANDed validity in ev->strict_validity; the kernel
   * computes values (anything for NULL rows, without failing on them) and must attach that validity itself, through
   * sfi_finish_strict. */
  SFI_STRICT = 1,
  /* May fail on a value: evaluate only where selected and not NULL. */
  SFI_CAN_FAIL = 2,
  /* Drives evaluation of its own operands (AND, OR, CASE, IF, COALESCE): gets no evaluated args. */
  SFI_LAZY = 4
};

typedef struct sfi_function {
  const char *name;          /* plan.proto Call.function */
  const char *signature;     /* for documentation: "(VARCHAR, INTEGER) -> VARCHAR" */
  uint32_t flags;
  /* True when the kernel is exact for these types. types[n_args] and the result type are the plan's. May look into
   * constant arguments through sfi_const_arg (patterns, units). */
  bool (*accepts)(const sfi_call *call);
  sfi_kernel kernel;
  /* Optional: prepares per-call state (a compiled pattern, a zone cursor) in call->state; freed by destroy. */
  sf_status (*prepare)(sfi_call *call, sfi_eval *ev, sf_error *err);
  void (*destroy)(sfi_call *call);
} sfi_function;

/* A compiled call. */
struct sfi_call {
  const sfi_function *function;
  const sf_type *type;              /* result */
  int32_t n_args;
  const sf_type *const *arg_types;
  sfi_node *const *arg_nodes;       /* for lazy kernels: sfi_node_eval */
  bool allow_incompatible;          /* the user accepts results that are not exactly Flink's */
  void *state;
};

/* One evaluation. */
struct sfi_eval {
  sf_pool *pool;
  const sf_session *session;
  const sf_batch *batch;
  int64_t length;
  const int32_t *selected; /* NULL: all rows */
  int64_t n_selected;
  const uint8_t *strict_validity; /* bitmap for SFI_STRICT calls; NULL: no NULLs */
  sf_buffer *strict_buffer;       /* holds it; NULL when strict_validity is NULL */
  struct sf_expr *expr;           /* the evaluator's own: host callback and shared results */
  const struct sfi_frame *frame;  /* the evaluator's own: which selections enclose this one */
};

/* Evaluates an operand over given rows (lazy kernels). */
sf_status sfi_node_eval(sfi_node *node, sfi_eval *ev, const int32_t *selected, int64_t n_selected, sf_column **out,
                        sf_error *err);
/* Whether the operand runs host code or holds a kernel that can fail: then it must see exactly the rows that Flink's
 * generated code would evaluate it for. */
bool sfi_node_has_effects(const sfi_node *node);
/* Rough work per row, 1 = a typed loop over numbers. */
int32_t sfi_node_cost(const sfi_node *node);
/* Constant operand i as a one-row column, or NULL when it is no literal. Borrowed. */
const sf_column *sfi_const_arg(const sfi_call *call, int32_t i);

/* A buffer for ev->length values of a layout (width bytes each; for SF_LAYOUT_TIMESTAMP the millis). Views are cleared
 * where rows may stay uncomputed. The caller owns it. */
sf_status sfi_values_create(const sfi_eval *ev, sf_layout layout, sf_buffer **out, sf_error *err);
/* An all-valid bitmap for ev->length rows, for kernels that clear bits of their own. The caller owns it. With `strict`,
 * starts as a copy of ev->strict_validity. */
sf_status sfi_validity_create(const sfi_eval *ev, bool strict, sf_buffer **out, sf_error *err);

/* Builds the result of a strict kernel: takes over one reference of `values` (and aux, may be NULL), attaches
 * ev->strict_validity. For fixed-width layouts. */
sf_status sfi_finish_strict(const sfi_call *call, sfi_eval *ev, sf_buffer *values, sf_buffer *aux, sf_column **out,
                            sf_error *err);
/* The same for views: `owners` (n of them; retained here) keep the bytes alive. */
sf_status sfi_finish_strict_views(const sfi_call *call, sfi_eval *ev, sf_buffer *views, sf_buffer *const *owners,
                                  int32_t n_owners, sf_column **out, sf_error *err);
/* Any result: own validity buffer (NULL = none NULL), takes over references. */
sf_status sfi_finish(const sfi_call *call, sfi_eval *ev, sf_buffer *validity, sf_buffer *values, sf_buffer *aux,
                     sf_buffer *const *owners, int32_t n_owners, sf_column **out, sf_error *err);

/* Whether a kernel that cannot fail should ignore the selection and run its vectorised loop over all rows. */
static inline bool sfi_dense(const sfi_eval *ev) { return ev->selected == NULL || ev->n_selected * 8 > ev->length; }

/* Rows to visit: `for (int64_t k = 0, i; sfi_row(ev, k, &i); k++)`. Hot kernels special-case selected == NULL. */
static inline bool sfi_row(const sfi_eval *ev, int64_t k, int64_t *i) {
  if (ev->selected != NULL) {
    if (k >= ev->n_selected) return false;
    *i = ev->selected[k];
    return true;
  }
  *i = k;
  return k < ev->length;
}
static inline bool sfi_strict_valid(const sfi_eval *ev, int64_t i) {
  return ev->strict_validity == NULL || sf_bit_get(ev->strict_validity, i);
}

/* --- session (session.c) */
/* Milliseconds to add to an instant (epoch millis) to get local time, and the inverse for a local time, resolved as
 * java.time does (gap: shifted forward by the gap; overlap: earlier offset). */
int64_t sfi_zone_offset_of_instant(const sf_session *session, int64_t epoch_millis);
int64_t sfi_zone_offset_of_local(const sf_session *session, int64_t local_millis);
/* The offset that java.util.TimeZone gives for an instant; it knows no local mean times of before 1900. */
int64_t sfi_zone_util_offset(const sf_session *session, int64_t epoch_millis);
bool sfi_session_double_legacy(const sf_session *session);

/* The tables; each ends with an entry whose name is NULL. registry.c lists them in the order in which they are asked,
 * so two tables may hold entries of the same name for different types. */
extern const sfi_function sfi_logic_functions[];      /* logic.c: AND OR NOT IS_* */
extern const sfi_function sfi_branch_functions[];     /* branch.c: CASE IF COALESCE */
extern const sfi_function sfi_compare_functions[];    /* compare.c */
extern const sfi_function sfi_extreme_functions[];    /* extremes.c: GREATEST, LEAST */
extern const sfi_function sfi_arith_functions[];      /* arith.c: integers, floats, intervals */
extern const sfi_function sfi_decimal_functions[];    /* decimal_functions.c */
extern const sfi_function sfi_round_functions[];      /* round.c */
extern const sfi_function sfi_real_text_functions[];  /* real_text.c: FLOAT and DOUBLE rounded, or cast to DECIMAL */
extern const sfi_function sfi_cast_functions[];       /* cast.c: among numbers, DECIMAL and BOOLEAN; retyping */
extern const sfi_function sfi_cast_to_text_functions[]; /* cast_to_text.c: to strings and binaries */
extern const sfi_function sfi_cast_from_text_functions[]; /* cast_from_text.c: from strings; TO_DATE */
extern const sfi_function sfi_cast_time_functions[];  /* cast_time.c: among temporal types */
extern const sfi_function sfi_string_slice_functions[];  /* string_slice.c: parts of an operand */
extern const sfi_function sfi_string_search_functions[]; /* string_search.c: lengths, positions, predicates */
extern const sfi_function sfi_string_build_functions[];  /* string_build.c: new strings */
extern const sfi_function sfi_like_functions[];       /* like.c */
extern const sfi_function sfi_regex_functions[];      /* regex.c: REGEXP_EXTRACT, REGEXP */
extern const sfi_function sfi_time_field_functions[]; /* time_fields.c: EXTRACT, FLOOR_TIME, CEIL_TIME */
extern const sfi_function sfi_time_format_functions[]; /* time_format.c: DATE_FORMAT, TO_TIMESTAMP */
extern const sfi_function sfi_time_parse_functions[]; /* time_parse.c: TO_TIMESTAMP with a pattern */
extern const sfi_function sfi_time_arith_functions[]; /* time_arith.c: sums, differences, instants of numbers */

#endif
