/* Reading records: every count, size and offset is checked before anything refers to it. */
#include <stdlib.h>

#include "column/column_internal.h"
#include "exchange/record_format.h"
#include "streamfusion/exchange.h"

typedef struct reader {
  sf_pool *pool;
  sf_buffer *record;
  uint8_t *data;
  size_t size;
  size_t at;
} reader;

static sf_status bad(const char *what, sf_error *err) {
  return sf_fail(err, SF_CORRUPT,
                 "A record of a batch is damaged: %s. If the job was restored from an unaligned checkpoint of stock Flink: rows on their "
                 "way do not cross, restore it from a savepoint or an aligned checkpoint",
                 what);
}

/* The next `size` bytes, on a multiple of `alignment`; NULL when the record ends before. */
static void *take(reader *r, size_t size, size_t alignment) {
  size_t start = (r->at + alignment - 1) / alignment * alignment;
  if (start > r->size || size > r->size - start) return NULL;
  r->at = start + size;
  return r->data + start;
}

/* --- columns */

/* validity stays NULL where no row is NULL, which kernels run faster without. */
static sf_status read_validity(reader *r, sfi_parts *parts, bool present, sf_error *err) {
  if (!present) return SF_OK;
  int64_t n = parts->spec.length;
  const uint8_t *bits = take(r, sf_bitmap_bytes(n), 8);
  if (bits == NULL) return bad("it ends within a validity", err);
  int64_t nulls = n - sfi_bits_count(bits, n);
  if (nulls == 0) return SF_OK;
  parts->spec.validity = bits;
  parts->spec.null_count = nulls;
  return SF_OK;
}

static bool valid_at(const sfi_parts *parts, int64_t i) {
  return parts->spec.validity == NULL || sf_bit_get(parts->spec.validity, i);
}

/* The column refers to the record. */
static sf_status keep_record(reader *r, sfi_parts *parts, sf_error *err) {
  return sfi_parts_add(parts, sf_buffer_retain(r->record), err);
}

static sf_status read_nanos(reader *r, sfi_parts *parts, sf_error *err) {
  int64_t n = parts->spec.length;
  int32_t *nanos = take(r, (size_t)n * sizeof *nanos, 4);
  if (nanos == NULL) return bad("it ends within a column", err);
  for (int64_t i = 0; i < n; i++) {
    if ((uint32_t)nanos[i] <= 999999) continue;
    if (valid_at(parts, i)) return bad("nanoseconds out of range", err);
    nanos[i] = 0; /* of no meaning */
  }
  parts->spec.aux = nanos;
  return SF_OK;
}

static sf_status read_fixed(reader *r, sfi_parts *parts, sf_error *err) {
  sf_layout layout = parts->spec.type->layout;
  int64_t n = parts->spec.length;
  uint8_t *values = take(r, (size_t)n * sf_layout_width(layout), layout == SF_LAYOUT_INT128 ? 16 : 8);
  if (values == NULL) return bad("it ends within a column", err);
  for (int64_t i = 0; layout == SF_LAYOUT_BOOL && i < n; i++) values[i] &= 1; /* NULL rows may hold anything */
  parts->spec.values = values;
  if (layout == SF_LAYOUT_TIMESTAMP) SF_TRY(read_nanos(r, parts, err));
  return keep_record(r, parts, err);
}

static void place_views(const sfi_parts *parts, const uint32_t *sizes, const uint8_t *bytes, sf_view *views) {
  for (int64_t i = 0; i < parts->spec.length; i++) {
    views[i] = (sf_view){bytes, valid_at(parts, i) ? sizes[i] : 0, 0};
    bytes += sizes[i];
  }
}

/* Views and validity move to a buffer of their own: filtering lets go of the buffers that these two lie in, and keeps the
 * one with the bytes. */
static sf_status read_views(reader *r, sfi_parts *parts, sf_error *err) {
  int64_t n = parts->spec.length;
  const uint32_t *sizes = take(r, (size_t)n * sizeof *sizes, 8);
  if (sizes == NULL) return bad("it ends within a column", err);
  size_t total = 0;
  for (int64_t i = 0; i < n; i++) total += sizes[i];
  const uint8_t *bytes = take(r, total, 8);
  if (bytes == NULL) return bad("it ends within texts or binaries", err);
  void *views = NULL;
  size_t validity = parts->spec.validity == NULL ? 0 : sf_bitmap_bytes(n);
  SF_TRY(sfi_parts_buffer(parts, r->pool, (size_t)n * sizeof(sf_view) + validity, &views, err));
  place_views(parts, sizes, bytes, views);
  if (validity > 0) {
    uint8_t *own = (uint8_t *)views + (size_t)n * sizeof(sf_view);
    memcpy(own, parts->spec.validity, validity);
    parts->spec.validity = own;
  }
  parts->spec.values = views;
  return keep_record(r, parts, err);
}

static sf_status read_column(reader *r, const sf_type *type, int64_t n, sf_column **out, sf_error *err);

static sf_status read_children(reader *r, sfi_parts *parts, int64_t n, sf_error *err) {
  const sf_type *type = parts->spec.type;
  SF_TRY(sfi_parts_children(parts, type->n_children, err));
  for (int32_t i = 0; i < type->n_children; i++) {
    SF_TRY(read_column(r, type->children[i], n, &parts->children[i], err));
  }
  return SF_OK;
}

static sf_status read_lists(reader *r, sfi_parts *parts, sf_error *err) {
  int64_t n = parts->spec.length;
  const int32_t *offsets = take(r, ((size_t)n + 1) * sizeof *offsets, 8);
  if (offsets == NULL) return bad("it ends within a column", err);
  if (offsets[0] != 0) return bad("offsets that do not start at 0", err);
  for (int64_t i = 0; i < n; i++) {
    if (offsets[i] > offsets[i + 1]) return bad("offsets that fall", err);
  }
  parts->spec.aux = offsets;
  SF_TRY(keep_record(r, parts, err));
  return read_children(r, parts, offsets[n], err);
}

static sf_status read_values(reader *r, sfi_parts *parts, sf_error *err) {
  switch (parts->spec.type->layout) {
    case SF_LAYOUT_NULL: parts->spec.null_count = parts->spec.length; return SF_OK;
    case SF_LAYOUT_VIEW: return read_views(r, parts, err);
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: return read_lists(r, parts, err);
    case SF_LAYOUT_ROW:
      if (parts->spec.validity != NULL) SF_TRY(keep_record(r, parts, err));
      return read_children(r, parts, parts->spec.length, err);
    default: return read_fixed(r, parts, err);
  }
}

static sf_status read_column(reader *r, const sf_type *type, int64_t n, sf_column **out, sf_error *err) {
  *out = NULL;
  const sfi_record_column *header = take(r, sizeof *header, 8);
  if (header == NULL) return bad("it ends before its last column", err);
  if (header->layout != (uint8_t)type->layout) {
    char text[96];
    return sf_fail(err, SF_CORRUPT, "A record of a batch has a column of layout %d where %s is expected", header->layout,
                   sf_type_text(type, text, sizeof text));
  }
  if (header->rows != n) return bad("columns of different lengths", err);
  if (header->flags > SFI_RECORD_VALIDITY || header->zero != 0) return bad("unknown flags of a column", err);
  if (header->flags != 0 && type->layout == SF_LAYOUT_NULL) return bad("a NULL type with validity", err);
  sfi_parts parts;
  sfi_parts_init(&parts, type, n);
  sf_status st = read_validity(r, &parts, header->flags != 0, err);
  if (st == SF_OK) st = read_values(r, &parts, err);
  if (st != SF_OK) {
    sfi_parts_drop(&parts);
    return st;
  }
  return sfi_parts_finish(&parts, out, err);
}

/* --- what precedes the columns */

static sf_status read_row_kinds(reader *r, int64_t n, sf_buffer **out, sf_error *err) {
  const uint8_t *kinds = take(r, (size_t)n, 8);
  if (kinds == NULL) return bad("it ends within the row kinds", err);
  for (int64_t i = 0; i < n; i++) {
    if (kinds[i] > SF_DELETE) return bad("an unknown row kind", err);
  }
  SF_TRY(sf_buffer_create(r->pool, (size_t)n, out, err));
  if (n > 0) memcpy(sf_buffer_data(*out), kinds, (size_t)n);
  return SF_OK;
}

static sf_status read_marks(reader *r, int64_t n_marks, int64_t rows, sf_buffer **out, sf_error *err) {
  const sf_mark *marks = take(r, (size_t)n_marks * sizeof *marks, 8);
  if (marks == NULL) return bad("it ends within the watermarks", err);
  for (int64_t i = 0; i < n_marks; i++) {
    if (marks[i].row < (i == 0 ? 0 : marks[i - 1].row) || marks[i].row > rows) {
      return bad("watermarks out of order", err);
    }
  }
  SF_TRY(sf_buffer_create(r->pool, (size_t)n_marks * sizeof *marks, out, err));
  memcpy(sf_buffer_data(*out), marks, (size_t)n_marks * sizeof *marks);
  return SF_OK;
}

static sf_status check_header(const sfi_record_header *header, const sf_type *row_type, size_t size, sf_error *err) {
  if (header->version != SF_RECORD_VERSION) {
    return sf_fail(err, SF_CORRUPT,
                   "A record of a batch has format version %d, this StreamFusion knows %d: all processes of a job must run "
                   "the same release, and an unaligned checkpoint is restored by the release that wrote it",
                   header->version, SF_RECORD_VERSION);
  }
  if (header->size != size) return bad("its size", err);
  if (header->flags > SFI_RECORD_FLAGS || header->zero != 0) return bad("unknown flags", err);
  if (header->rows > INT32_MAX) return bad("its number of rows", err);
  if ((header->marks > 0) != ((header->flags & SFI_RECORD_MARKS) != 0)) return bad("its number of watermarks", err);
  if (header->columns != (uint32_t)row_type->n_children) {
    return sf_fail(err, SF_CORRUPT, "A record of a batch has %u columns where %d are expected", header->columns,
                   row_type->n_children);
  }
  return SF_OK;
}

static sf_status read_batch(reader *r, const sf_type *row_type, sf_column **columns, sf_batch **out, sf_error *err) {
  const sfi_record_header *header = take(r, sizeof *header, 8);
  if (header == NULL) return bad("it is too short", err);
  SF_TRY(check_header(header, row_type, r->size, err));
  sf_buffer *kinds = NULL, *marks = NULL;
  sf_status st = SF_OK;
  if (header->flags & SFI_RECORD_ROW_KINDS) SF_GOTO(read_row_kinds(r, header->rows, &kinds, err));
  if (header->marks > 0) SF_GOTO(read_marks(r, header->marks, header->rows, &marks, err));
  for (int32_t i = 0; i < row_type->n_children; i++) {
    SF_GOTO(read_column(r, row_type->children[i], header->rows, &columns[i], err));
  }
  if ((r->at + 7) / 8 * 8 != r->size) SF_GOTO(bad("bytes behind its last column", err));
  st = sf_batch_create(row_type, header->rows, columns, kinds, marks, header->marks, out, err);
  kinds = marks = NULL;
cleanup:
  sf_buffer_release(kinds);
  sf_buffer_release(marks);
  return st;
}

sf_status sf_record_read(sf_pool *pool, const sf_type *row_type, sf_buffer *record, sf_batch **out, sf_error *err) {
  *out = NULL;
  reader r = {pool, record, sf_buffer_data(record), sf_buffer_size(record), 0};
  sf_column **columns = calloc((size_t)row_type->n_children + 1, sizeof *columns);
  sf_status st;
  if (columns == NULL) st = sf_fail(err, SF_NOMEM, "No memory for a batch");
  else if ((uintptr_t)r.data % 16 != 0) st = sf_fail(err, SF_INVALID, "The bytes of a record lie on an odd address");
  else st = read_batch(&r, row_type, columns, out, err);
  for (int32_t i = 0; columns != NULL && i < row_type->n_children; i++) sf_column_release(columns[i]);
  free(columns);
  sf_buffer_release(record);
  return st;
}
