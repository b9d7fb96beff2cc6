/* What Arrow export and import share. */
#ifndef SFI_COLUMN_ARROW_INTERNAL_H
#define SFI_COLUMN_ARROW_INTERNAL_H

#include "column/column_internal.h"
#include "streamfusion/arrow.h"

/* The Arrow format of a type, written to buf (room for 32 bytes). Returns buf. */
const char *sfi_arrow_format(const sf_type *type, char *buf, size_t size);
/* Exports a schema; the top has the given name. */
SF_MUST_CHECK sf_status sfi_arrow_export_schema(const sf_type *type, const char *name, struct ArrowSchema *out,
                                                sf_error *err);

/* How values of an imported array become values of a column. */
typedef enum sfi_arrow_reading {
  SFI_ARROW_AS_IS,       /* same layout */
  SFI_ARROW_BITS,        /* bitmap to bytes */
  SFI_ARROW_DECIMAL,     /* 128 bits to 64 */
  SFI_ARROW_STRING,      /* 32-bit offsets */
  SFI_ARROW_LARGE,       /* 64-bit offsets */
  SFI_ARROW_FIXED_BYTES, /* values of `unit` bytes */
  SFI_ARROW_INSTANT,     /* `unit` ticks a second, to TIMESTAMP or INT64 layout */
  SFI_ARROW_NESTED,
  SFI_ARROW_NOTHING
} sfi_arrow_reading;

/* Decides how arrays of this schema (children aside) are read as `type`; SF_INVALID when they cannot be. */
SF_MUST_CHECK sf_status sfi_arrow_reading_of(const sf_type *type, const struct ArrowSchema *schema,
                                             sfi_arrow_reading *reading, int64_t *unit, sf_error *err);

#endif
