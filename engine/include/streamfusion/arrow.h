/* Arrow C Data Interface, for the edges only (files, table formats, debuggers). */
#ifndef STREAMFUSION_ARROW_H
#define STREAMFUSION_ARROW_H

#include "streamfusion/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};
#endif

/* Exports copy only what Arrow lays out differently (booleans, strings, nanosecond timestamps); the rest is shared
 * until release is called. TIMESTAMP p>3 becomes timestamp[us] up to 6 and [ns] beyond; a value that [ns] cannot hold
 * is SF_ARITHMETIC. Row kinds and marks have no place in Arrow and are left out. */
SF_EXPORT SF_MUST_CHECK sf_status sf_arrow_export(sf_pool *pool, sf_batch *batch, struct ArrowSchema *schema_out,
                                                  struct ArrowArray *array_out, sf_error *err);
/* Moves the array in (its release is called when the batch goes, or on failure). row_type says what Flink expects;
 * a schema that does not fit is SF_INVALID. Units of time may be coarser than the type's, not finer. The schema is
 * borrowed. */
SF_EXPORT SF_MUST_CHECK sf_status sf_arrow_import(sf_pool *pool, const sf_type *row_type, const struct ArrowSchema *schema,
                                                  struct ArrowArray *array, sf_batch **out, sf_error *err);

#ifdef __cplusplus
}
#endif
#endif
