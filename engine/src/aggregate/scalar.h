/* Single values, as aggregates handle them: out of columns and cells, into builders and map keys. */
#ifndef SFI_AGGREGATE_SCALAR_H
#define SFI_AGGREGATE_SCALAR_H

#include "column/builder_internal.h"
#include "state/state_internal.h"

typedef struct sfi_scalar {
  union {
    int64_t i; /* BOOL to INT64 */
    float f;
    double d;
    __int128 w;
    sfi_timestamp t;
    sf_view v;
  };
  bool null;
} sfi_scalar;

/* Row of a flat column; views refer to the column's bytes. Written where it is wanted: a processor that has just stored a few bytes
 * waits for its cache when they are loaded as part of 16, which is how structs are copied. */
static inline void sfi_scalar_get(const sf_column *c, int64_t row, sfi_scalar *out) {
  out->null = sf_column_is_null(c, row);
  out->w = 0;
  if (out->null) return;
  switch (c->type->layout) {
    case SF_LAYOUT_BOOL: out->i = ((const uint8_t *)c->values)[row]; break;
    case SF_LAYOUT_INT8: out->i = ((const int8_t *)c->values)[row]; break;
    case SF_LAYOUT_INT16: out->i = ((const int16_t *)c->values)[row]; break;
    case SF_LAYOUT_INT32: out->i = ((const int32_t *)c->values)[row]; break;
    case SF_LAYOUT_INT64: out->i = ((const int64_t *)c->values)[row]; break;
    case SF_LAYOUT_FLOAT: out->f = ((const float *)c->values)[row]; break;
    case SF_LAYOUT_DOUBLE: out->d = ((const double *)c->values)[row]; break;
    case SF_LAYOUT_INT128: out->w = ((const __int128 *)c->values)[row]; break;
    case SF_LAYOUT_TIMESTAMP:
      out->t = (sfi_timestamp){((const int64_t *)c->values)[row], ((const int32_t *)c->aux)[row]};
      break;
    case SF_LAYOUT_VIEW: out->v = ((const sf_view *)c->values)[row]; break;
    default: break; /* nested: whether it is NULL is all that an aggregate asks */
  }
}

/* Cells and their NULL bits; see record.c. In halves, for the same reason. */
static inline void sfi_scalar_read(const uint8_t *record, int32_t cell, int32_t offset, sf_layout layout, sfi_scalar *out) {
  out->null = sfi_cell_null(record, cell);
  if (out->null) out->w = 0;
  else if (sfi_cell_size(layout) == sizeof out->i) memcpy(&out->i, record + offset, sizeof out->i);
  else memcpy(&out->w, record + offset, sizeof out->w);
}
static inline sfi_scalar sfi_scalar_load(const uint8_t *record, int32_t cell, int32_t offset, sf_layout layout) {
  sfi_scalar s;
  sfi_scalar_read(record, cell, offset, layout, &s);
  return s;
}
/* All but views, whose bytes the state must copy. */
static inline void sfi_scalar_store(uint8_t *record, int32_t cell, int32_t offset, sf_layout layout, sfi_scalar s) {
  sfi_cell_set_null(record, cell, s.null);
  if (s.null) s.w = 0;
  if (sfi_cell_size(layout) == sizeof s.i) memcpy(record + offset, &s.i, sizeof s.i);
  else memcpy(record + offset, &s.w, sizeof s.w);
}

SF_MUST_CHECK sf_status sfi_scalar_append_any(sf_column_builder *b, const sfi_scalar *s, sf_error *err);
/* Most of what aggregates hand out are BIGINTs that there is room for. */
static inline sf_status sfi_scalar_append(sf_column_builder *b, const sfi_scalar *s, sf_error *err) {
  if (s->null || b->type->layout != SF_LAYOUT_INT64 || b->length == b->room) return sfi_scalar_append_any(b, s, err);
  ((int64_t *)sfi_builder_values(b))[b->length] = s->i;
  sfi_builder_valid(b);
  return SF_OK;
}
/* As Java's == of primitives and equals() or compareTo() == 0 of Flink's data types. Two NULLs are equal. */
bool sfi_scalar_equal(sf_layout layout, const sfi_scalar *a, const sfi_scalar *b);
/* As Java's < and > of primitives and compareTo of Flink's data types: NaN is neither. Neither is NULL. */
bool sfi_scalar_less(sf_layout layout, const sfi_scalar *a, const sfi_scalar *b);
/* As compareTo of Java's boxed values: -0.0 before 0.0, NaN last and equal to itself. Neither is NULL. */
int sfi_scalar_compare(sf_layout layout, const sfi_scalar *a, const sfi_scalar *b);

/* Appends the value (not NULL) as the serializer of its type writes it, for the user key of a map. */
SF_MUST_CHECK sf_status sfi_scalar_encode(const sf_type *type, const sfi_scalar *s, sfi_bytes *out, sf_error *err);
/* The value of such bytes, to which views then refer. */
SF_MUST_CHECK sf_status sfi_scalar_decode(const sf_type *type, const uint8_t *bytes, size_t size, sfi_scalar *out,
                                          sf_error *err);

#endif
