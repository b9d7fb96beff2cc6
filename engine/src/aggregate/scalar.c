#include "aggregate/scalar.h"

#include <math.h>

#include "row/binary_format.h"

sf_status sfi_scalar_append_any(sf_column_builder *b, const sfi_scalar *s, sf_error *err) {
  if (s->null) return sf_column_builder_null(b, err);
  switch (b->type->layout) {
    case SF_LAYOUT_FLOAT:
    case SF_LAYOUT_DOUBLE: /* bit by bit, for the sake of NaNs */
      SF_TRY(sfi_builder_reserve(b, 1, err));
      memcpy((char *)sfi_builder_values(b) + (size_t)b->length * b->width, s, b->width);
      sfi_builder_valid(b);
      return SF_OK;
    case SF_LAYOUT_INT128: return sf_column_builder_int128(b, s->w, err);
    case SF_LAYOUT_TIMESTAMP: return sf_column_builder_timestamp(b, s->t.millis, (int32_t)s->t.nanos, err);
    case SF_LAYOUT_VIEW: return sf_column_builder_bytes(b, s->v.data, s->v.size, err);
    default: return sf_column_builder_int(b, s->i, err);
  }
}

/* --- comparison */

static int compare_views(sf_view a, sf_view b) {
  uint32_t n = a.size < b.size ? a.size : b.size;
  int c = n == 0 ? 0 : memcmp(a.data, b.data, n);
  return c != 0 ? c : (a.size > b.size) - (a.size < b.size);
}

static int compare_exact(sf_layout layout, const sfi_scalar *a, const sfi_scalar *b) {
  switch (layout) {
    case SF_LAYOUT_INT128: return (a->w > b->w) - (a->w < b->w);
    case SF_LAYOUT_TIMESTAMP:
      if (a->t.millis != b->t.millis) return a->t.millis < b->t.millis ? -1 : 1;
      return (a->t.nanos > b->t.nanos) - (a->t.nanos < b->t.nanos);
    case SF_LAYOUT_VIEW: return compare_views(a->v, b->v);
    default: return (a->i > b->i) - (a->i < b->i);
  }
}

bool sfi_scalar_equal(sf_layout layout, const sfi_scalar *a, const sfi_scalar *b) {
  if (a->null || b->null) return a->null && b->null;
  if (layout == SF_LAYOUT_FLOAT) return a->f == b->f;
  if (layout == SF_LAYOUT_DOUBLE) return a->d == b->d;
  return compare_exact(layout, a, b) == 0;
}

bool sfi_scalar_less(sf_layout layout, const sfi_scalar *a, const sfi_scalar *b) {
  if (layout == SF_LAYOUT_FLOAT) return a->f < b->f;
  if (layout == SF_LAYOUT_DOUBLE) return a->d < b->d;
  return compare_exact(layout, a, b) < 0;
}

static int compare_doubles(double a, double b) {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a != a || b != b) return (a != a) - (b != b);
  return (int)(signbit(b) != 0) - (int)(signbit(a) != 0);
}

int sfi_scalar_compare(sf_layout layout, const sfi_scalar *a, const sfi_scalar *b) {
  if (layout == SF_LAYOUT_FLOAT) return compare_doubles((double)a->f, (double)b->f);
  if (layout == SF_LAYOUT_DOUBLE) return compare_doubles(a->d, b->d);
  return compare_exact(layout, a, b);
}

/* --- serializers */

/* DataOutput writes every NaN in the same bits. */
static int64_t bits_of(sf_layout layout, const sfi_scalar *s) {
  int64_t bits = 0;
  if (layout == SF_LAYOUT_FLOAT) {
    if (s->f != s->f) return 0x7fc00000;
    memcpy(&bits, &s->f, 4);
  } else if (layout == SF_LAYOUT_DOUBLE) {
    if (s->d != s->d) return 0x7ff8000000000000;
    memcpy(&bits, &s->d, 8);
  } else {
    bits = s->i;
  }
  return bits;
}

static sf_status encode_fixed(int64_t bits, size_t width, sfi_bytes *out, sf_error *err) {
  uint8_t wide[8];
  size_t at = out->size;
  sfi_put64(wide, (uint64_t)bits);
  SF_TRY(sfi_bytes_extend(out, width, err));
  memcpy(out->data + at, wide + 8 - width, width);
  return SF_OK;
}

static sf_status encode_sized(const uint8_t *bytes, size_t size, sfi_bytes *out, sf_error *err) {
  SF_TRY(encode_fixed((int64_t)size, 4, out, err));
  size_t at = out->size;
  SF_TRY(sfi_bytes_extend(out, size, err));
  if (size > 0) memcpy(out->data + at, bytes, size);
  return SF_OK;
}

sf_status sfi_scalar_encode(const sf_type *type, const sfi_scalar *s, sfi_bytes *out, sf_error *err) {
  switch (type->layout) {
    case SF_LAYOUT_INT128: {
      uint8_t bytes[16];
      size_t n = sfi_decimal_to_bytes(s->w, bytes);
      return encode_sized(bytes, n, out, err);
    }
    case SF_LAYOUT_TIMESTAMP:
      SF_TRY(encode_fixed(s->t.millis, 8, out, err));
      return encode_fixed(s->t.nanos, 4, out, err);
    case SF_LAYOUT_VIEW: return encode_sized(s->v.data, s->v.size, out, err);
    default: return encode_fixed(bits_of(type->layout, s), sf_layout_width(type->layout), out, err);
  }
}

static sf_status damaged(sf_error *err) {
  return sf_fail(err, SF_CORRUPT, "Restored state is damaged: a map's key is no value of the aggregate's type");
}

static void from_bits(sf_layout layout, uint64_t bits, size_t width, sfi_scalar *out) {
  if (layout == SF_LAYOUT_FLOAT || layout == SF_LAYOUT_DOUBLE) {
    memcpy(&out->d, &bits, 8); /* a float stands in the low half */
  } else {
    int unused = (int)(64 - 8 * width);
    out->i = (int64_t)(bits << unused) >> unused;
  }
}

sf_status sfi_scalar_decode(const sf_type *type, const uint8_t *bytes, size_t size, sfi_scalar *out, sf_error *err) {
  *out = (sfi_scalar){.w = 0};
  if (type->layout == SF_LAYOUT_TIMESTAMP) {
    if (size != 12) return damaged(err);
    out->t = (sfi_timestamp){(int64_t)sfi_get64(bytes), (int32_t)sfi_get32(bytes + 8)};
    return SF_OK;
  }
  if (type->layout == SF_LAYOUT_INT128 || type->layout == SF_LAYOUT_VIEW) {
    if (size < 4 || sfi_get32(bytes) != size - 4) return damaged(err);
    if (type->layout == SF_LAYOUT_VIEW) out->v = (sf_view){bytes + 4, (uint32_t)size - 4, 0};
    else if (size - 4 > 16) return damaged(err);
    else out->w = sfi_decimal_from_bytes(bytes + 4, size - 4);
    return SF_OK;
  }
  size_t width = sf_layout_width(type->layout);
  if (size != width) return damaged(err);
  uint64_t bits = 0;
  for (size_t i = 0; i < width; i++) bits = bits << 8 | bytes[i];
  from_bits(type->layout, bits, width, out);
  return SF_OK;
}
