/* The fixed parts of a record; see exchange.h. */
#ifndef SFI_EXCHANGE_RECORD_FORMAT_H
#define SFI_EXCHANGE_RECORD_FORMAT_H

#include <assert.h>
#include <stdint.h>

#include "streamfusion/type.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "records are little endian, as the columns that they are made of have to be"
#endif

enum { SFI_RECORD_ROW_KINDS = 1, SFI_RECORD_MARKS = 2, SFI_RECORD_FLAGS = 3 };
enum { SFI_RECORD_VALIDITY = 1 };

typedef struct sfi_record_header {
  uint8_t version;
  uint8_t flags;
  uint16_t zero;
  uint32_t rows;
  uint32_t columns;
  uint32_t marks;
  uint64_t size;
} sfi_record_header;
static_assert(sizeof(sfi_record_header) == 24, "the header has no gaps");

typedef struct sfi_record_column {
  uint8_t layout;
  uint8_t flags;
  uint16_t zero;
  uint32_t rows;
} sfi_record_column;
static_assert(sizeof(sfi_record_column) == 8, "the header has no gaps");
static_assert(SF_LAYOUT_BOOL == 0 && SF_LAYOUT_VIEW == 9 && SF_LAYOUT_NULL == 13, "records hold these numbers");

#endif
