/* Which columns, and which fields of nested rows, a set of expressions reads: a filter gathers nothing else. */
#ifndef SFI_OPERATORS_READS_H
#define SFI_OPERATORS_READS_H

#include "column/column_internal.h"
#include "plan.pb-c.h"

typedef struct sfi_reads sfi_reads;
struct sfi_reads {
  bool all;             /* the whole value is read */
  int32_t n_children;
  sfi_reads **children; /* owned; NULL: not read */
};

/* Nothing read of a ROW with this many fields yet. */
SF_MUST_CHECK sf_status sfi_reads_create(int32_t n_children, sfi_reads **out, sf_error *err);
void sfi_reads_destroy(sfi_reads *reads); /* NULL is allowed */
/* Adds what an expression over rows of `type` reads. */
SF_MUST_CHECK sf_status sfi_reads_add(sfi_reads *reads, const sf_type *type, const Streamfusion__Plan__Expr *expr,
                                      sf_error *err);
/* As sf_column_gather, for the parts that are read. A field that is not read keeps its old rows: nobody looks. */
SF_MUST_CHECK sf_status sfi_reads_gather(const sfi_reads *reads, sf_pool *pool, const sf_column *column,
                                         const int32_t *indices, int64_t n, sf_column **out, sf_error *err);

#endif
