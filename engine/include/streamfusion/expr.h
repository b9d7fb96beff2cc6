/* Compiled expressions over batches. */
#ifndef STREAMFUSION_EXPR_H
#define STREAMFUSION_EXPR_H

#include "streamfusion/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sf_expr sf_expr;
typedef struct sf_session sf_session;

/* Session settings (time zone tables, JDK number text): a serialized streamfusion.plan.SessionSettings; size 0 = UTC
 * and current JDK. */
SF_EXPORT SF_MUST_CHECK sf_status sf_session_create(const uint8_t *bytes, size_t size, sf_session **out, sf_error *err);
SF_EXPORT void sf_session_destroy(sf_session *session); /* NULL is allowed */

/* Evaluates one host kernel: n_args columns (possibly const), all `length` rows long. Only the n_selected rows in
 * `selected` (NULL: all rows) are to be computed; other rows of *out are unspecified. *out is owned by the caller.
 * On failure returns SF_HOST with the host's exception kept by the glue. */
typedef struct sf_host {
  void *context;
  sf_status (*call)(void *context, int32_t kernel, const sf_type *result_type, const sf_column *const *args,
                    int32_t n_args, int64_t length, const int32_t *selected, int64_t n_selected, sf_column **out,
                    sf_error *err);
} sf_host;

/* Compiles a serialized streamfusion.plan.Expr. input_type: ROW of the batches to come. host may be NULL when the
 * expression has no host calls; session is borrowed and must outlive the expression; host is copied.
 * SF_UNSUPPORTED names the function and its argument types. */
SF_EXPORT SF_MUST_CHECK sf_status sf_expr_compile(sf_pool *pool, const sf_session *session, const sf_host *host,
                                                  const sf_type *input_type, const uint8_t *bytes, size_t size,
                                                  sf_expr **out, sf_error *err);
/* The same for several expressions over the same rows, at least one: what they have in common is evaluated once per batch.
 * The functions below that do not say otherwise mean the first. */
typedef struct sf_expr_bytes {
  const uint8_t *bytes;
  size_t size;
} sf_expr_bytes;
SF_EXPORT SF_MUST_CHECK sf_status sf_expr_compile_all(sf_pool *pool, const sf_session *session, const sf_host *host,
                                                      const sf_type *input_type, const sf_expr_bytes *plans, int32_t n,
                                                      sf_expr **out, sf_error *err);
SF_EXPORT void sf_expr_destroy(sf_expr *expr); /* NULL is allowed */
SF_EXPORT const sf_type *sf_expr_type(const sf_expr *expr, int32_t i); /* of the i-th; borrowed */

/* Evaluates over the rows `selected` (ascending; NULL: all). The column has batch->length rows, may be const, rows
 * that were not selected are unspecified. Owned by the caller. */
SF_EXPORT SF_MUST_CHECK sf_status sf_expr_eval(sf_expr *expr, const sf_batch *batch, const int32_t *selected,
                                               int64_t n_selected, sf_column **out, sf_error *err);
/* Rows for which a BOOLEAN expression is TRUE, ascending, into `rows_out` (room for batch->length). What the other
 * expressions have in common with it is kept for sf_expr_project. */
SF_EXPORT SF_MUST_CHECK sf_status sf_expr_filter(sf_expr *expr, const sf_batch *batch, int32_t *rows_out,
                                                 int64_t *n_out, sf_error *err);
/* Evaluates the expressions from number `from` on over all rows, into `out` (owned by the caller; on failure nothing is). With
 * from = 1 the first must just have been evaluated by sf_expr_filter, and `batch` holds the rows `filtered` of the batch
 * given there (NULL: all of them). */
SF_EXPORT SF_MUST_CHECK sf_status sf_expr_project(sf_expr *expr, int32_t from, const sf_batch *batch,
                                                  const int32_t *filtered, sf_column **out, sf_error *err);
/* Largest non-NULL value of an expression of INT64 or TIMESTAMP layout, with its row; *row_out = -1: all NULL. Serves
 * watermarks. */
SF_EXPORT SF_MUST_CHECK sf_status sf_expr_max_int64(sf_expr *expr, const sf_batch *batch, int64_t *max_out,
                                                    int64_t *row_out, sf_error *err);

/* Whether the engine has an exact kernel for this Call (operands may be anything of the stated types). The planner
 * asks per call and uses a host kernel otherwise. bytes: a serialized streamfusion.plan.Expr. */
SF_EXPORT bool sf_expr_supports(const uint8_t *bytes, size_t size);
/* The registry, for documentation: name and human-readable signature of entry i; false past the end. */
SF_EXPORT bool sf_expr_function(int32_t i, const char **name_out, const char **signature_out);

#ifdef __cplusplus
}
#endif
#endif
