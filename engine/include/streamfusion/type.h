/* Types, mirroring Flink's LogicalTypeRoot. Immutable and reference-counted. */
#ifndef STREAMFUSION_TYPE_H
#define STREAMFUSION_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "streamfusion/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Same numbers as streamfusion.plan.TypeKind. */
typedef enum sf_type_kind {
  SF_TYPE_BOOLEAN = 1,
  SF_TYPE_TINYINT = 2,
  SF_TYPE_SMALLINT = 3,
  SF_TYPE_INTEGER = 4,
  SF_TYPE_BIGINT = 5,
  SF_TYPE_FLOAT = 6,
  SF_TYPE_DOUBLE = 7,
  SF_TYPE_DECIMAL = 8,
  SF_TYPE_CHAR = 9,
  SF_TYPE_VARCHAR = 10,
  SF_TYPE_BINARY = 11,
  SF_TYPE_VARBINARY = 12,
  SF_TYPE_DATE = 13,
  SF_TYPE_TIME = 14,
  SF_TYPE_TIMESTAMP = 15,
  SF_TYPE_TIMESTAMP_LTZ = 16,
  SF_TYPE_INTERVAL_YEAR_MONTH = 17,
  SF_TYPE_INTERVAL_DAY_TIME = 18,
  SF_TYPE_ROW = 19,
  SF_TYPE_ARRAY = 20,
  SF_TYPE_MAP = 21,
  SF_TYPE_MULTISET = 22,
  SF_TYPE_NULL = 23
} sf_type_kind;

/* Physical layout of a column's `values`. */
typedef enum sf_layout {
  SF_LAYOUT_BOOL,      /* uint8_t 0 or 1 (one byte a value; exported to Arrow as a bitmap) */
  SF_LAYOUT_INT8,
  SF_LAYOUT_INT16,
  SF_LAYOUT_INT32,     /* INTEGER, DATE, TIME, INTERVAL_YEAR_MONTH */
  SF_LAYOUT_INT64,     /* BIGINT, INTERVAL_DAY_TIME, DECIMAL p<=18 (unscaled), TIMESTAMP[_LTZ] p<=3 (epoch millis) */
  SF_LAYOUT_FLOAT,
  SF_LAYOUT_DOUBLE,
  SF_LAYOUT_INT128,    /* DECIMAL p>18, unscaled, two's complement, little endian, 16-byte aligned */
  SF_LAYOUT_TIMESTAMP, /* TIMESTAMP[_LTZ] p>3: values = int64 millis, aux = int32 nanos of the milli 0..999999 */
  SF_LAYOUT_VIEW,      /* strings and binaries: sf_view */
  SF_LAYOUT_ROW,       /* children, each as long as the parent; no values */
  SF_LAYOUT_LIST,      /* ARRAY: aux = int32 offsets [length+1] into children[0] */
  SF_LAYOUT_MAP,       /* MAP, MULTISET: aux = int32 offsets into children[0] (keys) and children[1] (values) */
  SF_LAYOUT_NULL       /* all NULL, no buffers */
} sf_layout;

typedef struct sf_type sf_type;

/* Read-only: create with the functions below. */
struct sf_type {
  sf_type_kind kind;
  sf_layout layout;
  bool nullable;
  int32_t precision;
  int32_t scale;
  int32_t length;          /* CHAR, VARCHAR, BINARY, VARBINARY */
  int32_t n_children;
  sf_type **children;      /* owned; a MULTISET has two as a MAP has: element and INT NOT NULL */
  char **field_names;      /* ROW: n_children UTF-8 names, owned */
};

/* Decodes and verifies a serialized streamfusion.plan.Type. Depth and sizes are bounded. */
SF_EXPORT SF_MUST_CHECK sf_status sf_type_decode(const uint8_t *bytes, size_t size, sf_type **out, sf_error *err);
/* A scalar type; precision/scale/length as the kind needs (0 otherwise). */
SF_EXPORT SF_MUST_CHECK sf_status sf_type_scalar(sf_type_kind kind, bool nullable, int32_t precision, int32_t scale,
                                                 int32_t length, sf_type **out, sf_error *err);
/* ROW, ARRAY, MAP, MULTISET (element alone, or element and count). Children are retained; names (ROW only) are copied. */
SF_EXPORT SF_MUST_CHECK sf_status sf_type_nested(sf_type_kind kind, bool nullable, int32_t n_children,
                                                 sf_type *const *children, const char *const *names,
                                                 sf_type **out, sf_error *err);
SF_EXPORT sf_type *sf_type_retain(const sf_type *type);
SF_EXPORT void sf_type_release(const sf_type *type); /* NULL is allowed */
SF_EXPORT bool sf_type_equal(const sf_type *a, const sf_type *b, bool with_nullability);
SF_EXPORT size_t sf_layout_width(sf_layout layout); /* bytes per value; 0 for nested and NULL */
/* SQL text such as "DECIMAL(23, 3) NOT NULL"; truncated to size, always terminated. Returns buf. */
SF_EXPORT const char *sf_type_text(const sf_type *type, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
