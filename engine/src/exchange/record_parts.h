/* One record of rows of several batches of one type. */
#ifndef SFI_EXCHANGE_RECORD_PARTS_H
#define SFI_EXCHANGE_RECORD_PARTS_H

#include "streamfusion/batch.h"

/* Rows [from, from + n). */
typedef struct sfi_record_part {
  const sf_batch *batch; /* borrowed */
  int64_t from, n;
} sfi_record_part;

/* At least one part. A mark at the border of two parts comes from the second; parts with marks there are the caller's to avoid. */
typedef struct sfi_record_parts {
  const sfi_record_part *at;
  int32_t n;
  bool with_marks;
} sfi_record_parts;

/* As sf_record_size and sf_record_write. */
SF_MUST_CHECK sf_status sfi_record_parts_size(const sfi_record_parts *in, size_t *size_out, sf_error *err);
SF_MUST_CHECK sf_status sfi_record_parts_write(const sfi_record_parts *in, uint8_t *out, size_t size, sf_error *err);

#endif
