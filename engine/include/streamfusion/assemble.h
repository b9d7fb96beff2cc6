/* Puts columns of several batches side by side: key, value and metadata parts of a row, decoded apart. */
#ifndef STREAMFUSION_ASSEMBLE_H
#define STREAMFUSION_ASSEMBLE_H

#include "streamfusion/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A batch and the rows to take from it, in any order, repetitions allowed; rows NULL: all of them. A part without batch
 * is one that no column comes from. Borrowed. */
typedef struct sf_batch_part {
  const sf_batch *batch;
  const int32_t *rows;
} sf_batch_part;

/* Column c of the result is column column_of[c] of part part_of[c], or all NULL when part_of[c] < 0; part indices are
 * checked, row indices are the caller's responsibility. Every part contributes `length` rows (a part without `rows` must
 * be that long). Row kinds come from part 0 (n_parts may be 0), marks are dropped. Column types must have the layout of
 * row_type's fields. */
SF_EXPORT SF_MUST_CHECK sf_status sf_batch_assemble(sf_pool *pool, const sf_type *row_type, int64_t length,
                                                    const sf_batch_part *parts, int32_t n_parts, const int32_t *part_of,
                                                    const int32_t *column_of, sf_batch **out, sf_error *err);

#ifdef __cplusplus
}
#endif
#endif
