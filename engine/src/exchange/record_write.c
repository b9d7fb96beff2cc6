/* Writing records. The size is found by writing to nowhere, so that it cannot differ from what is written. */
#include <stdlib.h>

#include "column/column_internal.h"
#include "exchange/record_format.h"
#include "exchange/record_parts.h"
#include "streamfusion/exchange.h"

typedef struct writer {
  uint8_t *out; /* NULL: only counts */
  size_t capacity;
  size_t at;
} writer;

/* Room for `size` bytes; NULL when only counting. */
static uint8_t *room(writer *w, size_t size) {
  uint8_t *place = w->out == NULL || size > w->capacity - w->at ? NULL : w->out + w->at;
  w->at += size;
  if (w->out != NULL && w->at > w->capacity) { /* reported in the end */
    w->out = NULL;
    return NULL;
  }
  return place;
}

static void put(writer *w, const void *data, size_t size) {
  uint8_t *place = room(w, size);
  if (place != NULL && size > 0) memcpy(place, data, size);
}

static void align(writer *w, size_t to) {
  size_t gap = (to - w->at % to) % to;
  uint8_t *place = room(w, gap);
  if (place != NULL) memset(place, 0, gap);
}

/* Rows of one column: what they are in each of the parts. */
typedef struct piece {
  const sf_column *column;
  int64_t from, n;
} piece;

typedef struct pieces {
  const piece *at;
  int32_t n;
  int64_t rows; /* of all */
} pieces;

static bool piece_has_nulls(const piece *p) {
  const sf_column *c = p->column;
  if (c->validity == NULL || c->null_count == 0) return false;
  if (p->from == 0 && p->n == c->length) return sfi_bits_count(c->validity, p->n) < p->n;
  for (int64_t i = p->from; i < p->from + p->n; i++) {
    if (!sf_bit_get(c->validity, i)) return true;
  }
  return false;
}

static bool has_nulls(pieces in) {
  for (int32_t i = 0; i < in.n; i++) {
    if (piece_has_nulls(&in.at[i])) return true;
  }
  return false;
}

static void put_validity(writer *w, pieces in) {
  uint8_t *bits = room(w, sf_bitmap_bytes(in.rows));
  if (bits == NULL) return;
  memset(bits, 0, sf_bitmap_bytes(in.rows));
  int64_t row = 0;
  for (int32_t i = 0; i < in.n; i++) {
    const piece *p = &in.at[i];
    if (p->column->validity == NULL) sfi_bits_fill(bits, row, p->n);
    else sfi_bits_copy(bits, row, p->column->validity, p->from, p->n);
    row += p->n;
  }
}

/* Fixed-width values of all pieces; `aux`: those beside the values. */
static void put_values(writer *w, pieces in, size_t width, bool aux) {
  for (int32_t i = 0; i < in.n; i++) {
    const piece *p = &in.at[i];
    const uint8_t *from = aux ? p->column->aux : p->column->values;
    put(w, p->n == 0 ? NULL : from + (size_t)p->from * width, (size_t)p->n * width);
  }
}

static void put_sizes(writer *w, const piece *p) {
  uint8_t *place = room(w, (size_t)p->n * sizeof(uint32_t));
  const sf_view *views = p->column->values;
  for (int64_t i = 0; place != NULL && i < p->n; i++) {
    memcpy(place + (size_t)i * sizeof(uint32_t), &views[p->from + i].size, sizeof(uint32_t));
  }
}

static void put_bytes(writer *w, const piece *p) {
  const sf_view *views = p->n == 0 ? NULL : (const sf_view *)p->column->values + p->from;
  size_t total = 0;
  for (int64_t i = 0; i < p->n; i++) total += views[i].size;
  uint8_t *bytes = room(w, total);
  for (int64_t i = 0; bytes != NULL && i < p->n; i++) {
    if (views[i].size == 0) continue;
    memcpy(bytes, views[i].data, views[i].size);
    bytes += views[i].size;
  }
}

static void put_views(writer *w, pieces in) {
  for (int32_t i = 0; i < in.n; i++) put_sizes(w, &in.at[i]);
  align(w, 8);
  for (int32_t i = 0; i < in.n; i++) put_bytes(w, &in.at[i]);
}

static sf_status put_column(writer *w, pieces in, sf_error *err);

/* Offsets of the pieces' lists from 0 on, and which rows of the children they are. Ranges are back to back, so the children of
 * some consecutive lists are consecutive too. */
static int64_t put_offsets(writer *w, pieces in, piece *children) {
  uint8_t *place = room(w, ((size_t)in.rows + 1) * sizeof(int32_t));
  int64_t base = 0, row = 0;
  for (int32_t k = 0; k < in.n; k++) {
    const piece *p = &in.at[k];
    const int32_t *offsets = p->n == 0 ? NULL : (const int32_t *)p->column->aux + p->from;
    for (int64_t i = 0; place != NULL && i < p->n; i++) {
      int32_t offset = (int32_t)(base + offsets[i] - offsets[0]);
      memcpy(place + (size_t)(row + i) * sizeof offset, &offset, sizeof offset);
    }
    children[k] = (piece){NULL, p->n == 0 ? 0 : offsets[0], p->n == 0 ? 0 : offsets[p->n] - offsets[0]};
    base += children[k].n;
    row += p->n;
  }
  int32_t end = (int32_t)base; /* checked by the caller */
  if (place != NULL) memcpy(place + (size_t)in.rows * sizeof end, &end, sizeof end);
  align(w, 8);
  return base;
}

static sf_status put_children(writer *w, pieces in, sf_error *err) {
  piece *children = malloc((size_t)in.n * sizeof *children);
  if (children == NULL) return sf_fail(err, SF_NOMEM, "No memory for a record of a batch");
  memcpy(children, in.at, (size_t)in.n * sizeof *children);
  int64_t rows = in.rows;
  if (in.at[0].column->type->layout != SF_LAYOUT_ROW) rows = put_offsets(w, in, children);
  sf_status st = SF_OK;
  if (rows > INT32_MAX) st = sf_fail(err, SF_INVALID, "A record cannot hold %lld array elements", (long long)rows);
  for (int32_t i = 0; st == SF_OK && i < in.at[0].column->n_children; i++) {
    for (int32_t k = 0; k < in.n; k++) children[k].column = in.at[k].column->children[i];
    st = put_column(w, (pieces){children, in.n, rows}, err);
  }
  free(children);
  return st;
}

static sf_status put_column(writer *w, pieces in, sf_error *err) {
  for (int32_t i = 0; i < in.n; i++) {
    if (in.at[i].column->is_const) return sf_fail(err, SF_INVALID, "A const column cannot become part of a record");
  }
  sf_layout layout = in.at[0].column->type->layout;
  bool nulls = layout != SF_LAYOUT_NULL && has_nulls(in);
  const sfi_record_column header = {
      .layout = (uint8_t)layout, .flags = nulls ? SFI_RECORD_VALIDITY : 0, .rows = (uint32_t)in.rows};
  put(w, &header, sizeof header);
  if (nulls) put_validity(w, in);
  switch (layout) {
    case SF_LAYOUT_NULL: return SF_OK;
    case SF_LAYOUT_ROW:
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: return put_children(w, in, err);
    case SF_LAYOUT_VIEW: put_views(w, in); break;
    default:
      if (layout == SF_LAYOUT_INT128) align(w, 16);
      put_values(w, in, sf_layout_width(layout), false);
      if (layout == SF_LAYOUT_TIMESTAMP) put_values(w, in, sizeof(int32_t), true);
  }
  align(w, 8);
  return SF_OK;
}

/* --- what precedes the columns */

static bool mark_within(const sf_mark *mark, const sfi_record_part *part, bool last) {
  return mark->row >= part->from && (mark->row < part->from + part->n || (last && mark->row == part->from + part->n));
}

/* Counts the marks of the parts, and writes them when `w` is not NULL. */
static uint32_t put_marks(writer *w, const sfi_record_parts *in) {
  uint32_t marks = 0;
  int64_t row = 0;
  for (int32_t k = 0; k < in->n && in->with_marks; k++) {
    const sfi_record_part *part = &in->at[k];
    for (int64_t i = 0; i < part->batch->n_marks; i++) {
      const sf_mark *mark = &part->batch->marks[i];
      if (!mark_within(mark, part, k == in->n - 1)) continue;
      const sf_mark moved = {row + mark->row - part->from, mark->watermark};
      if (w != NULL) put(w, &moved, sizeof moved);
      marks++;
    }
    row += part->n;
  }
  return marks;
}

static bool only_inserts(const sfi_record_parts *in) {
  for (int32_t k = 0; k < in->n; k++) {
    const sfi_record_part *part = &in->at[k];
    for (int64_t i = part->from; part->batch->row_kinds != NULL && i < part->from + part->n; i++) {
      if (part->batch->row_kinds[i] != SF_INSERT) return false;
    }
  }
  return true;
}

static void put_row_kinds(writer *w, const sfi_record_parts *in) {
  for (int32_t k = 0; k < in->n; k++) {
    const sfi_record_part *part = &in->at[k];
    if (part->batch->row_kinds != NULL) {
      put(w, part->batch->row_kinds + part->from, (size_t)part->n);
      continue;
    }
    uint8_t *place = room(w, (size_t)part->n);
    if (place != NULL) memset(place, SF_INSERT, (size_t)part->n);
  }
  align(w, 8);
}

static sf_status put_columns(writer *w, const sfi_record_parts *in, int64_t rows, sf_error *err) {
  piece *at = malloc((size_t)in->n * sizeof *at);
  if (at == NULL) return sf_fail(err, SF_NOMEM, "No memory for a record of a batch");
  sf_status st = SF_OK;
  for (int32_t i = 0; st == SF_OK && i < in->at[0].batch->n_columns; i++) {
    for (int32_t k = 0; k < in->n; k++) {
      const sfi_record_part *part = &in->at[k];
      at[k] = (piece){part->batch->columns[i], part->from, part->n};
    }
    st = put_column(w, (pieces){at, in->n, rows}, err);
  }
  free(at);
  return st;
}

static sf_status check_parts(const sfi_record_parts *in, int64_t *rows_out, sf_error *err) {
  int64_t rows = 0;
  for (int32_t k = 0; k < in->n; k++) {
    const sfi_record_part *part = &in->at[k];
    if (part->from < 0 || part->n < 0 || part->from > part->batch->length - part->n) {
      return sf_fail(err, SF_INVALID, "A batch of %lld rows has no rows %lld to %lld", (long long)part->batch->length,
                     (long long)part->from, (long long)(part->from + part->n));
    }
    rows += part->n;
  }
  if (rows > INT32_MAX) return sf_fail(err, SF_INVALID, "A record cannot have %lld rows", (long long)rows);
  *rows_out = rows;
  return SF_OK;
}

static sf_status put_record(writer *w, const sfi_record_parts *in, size_t size, sf_error *err) {
  int64_t rows = 0;
  SF_TRY(check_parts(in, &rows, err));
  uint32_t marks = put_marks(NULL, in);
  bool kinds = !only_inserts(in);
  const sfi_record_header header = {.version = SF_RECORD_VERSION,
                                    .flags = (uint8_t)((kinds ? SFI_RECORD_ROW_KINDS : 0) |
                                                       (marks > 0 ? SFI_RECORD_MARKS : 0)),
                                    .rows = (uint32_t)rows,
                                    .columns = (uint32_t)in->at[0].batch->n_columns,
                                    .marks = marks,
                                    .size = size};
  put(w, &header, sizeof header);
  if (kinds) put_row_kinds(w, in);
  put_marks(w, in);
  return put_columns(w, in, rows, err);
}

sf_status sfi_record_parts_size(const sfi_record_parts *in, size_t *size_out, sf_error *err) {
  *size_out = 0;
  writer w = {.out = NULL};
  SF_TRY(put_record(&w, in, 0, err));
  *size_out = w.at;
  return SF_OK;
}

sf_status sfi_record_parts_write(const sfi_record_parts *in, uint8_t *out, size_t size, sf_error *err) {
  writer w = {.out = out, .capacity = size};
  SF_TRY(put_record(&w, in, size, err));
  if (w.at != size) return sf_fail(err, SF_INVALID, "The record has %zu bytes, not %zu", w.at, size);
  return SF_OK;
}

sf_status sf_record_size(const sf_batch *batch, sf_record_range range, size_t *size_out, sf_error *err) {
  const sfi_record_part part = {batch, range.from, range.n};
  return sfi_record_parts_size(&(sfi_record_parts){&part, 1, range.with_marks}, size_out, err);
}

sf_status sf_record_write(const sf_batch *batch, sf_record_range range, uint8_t *out, size_t size, sf_error *err) {
  const sfi_record_part part = {batch, range.from, range.n};
  return sfi_record_parts_write(&(sfi_record_parts){&part, 1, range.with_marks}, out, size, err);
}
