/* Writing records. The size is found by writing to nowhere, so that it cannot differ from what is written. */
#include "column/column_internal.h"
#include "exchange/record_format.h"
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

static bool has_nulls(const sf_column *c, int64_t from, int64_t n) {
  if (c->validity == NULL || c->null_count == 0) return false;
  if (from == 0 && n == c->length) return sfi_bits_count(c->validity, n) < n;
  for (int64_t i = from; i < from + n; i++) {
    if (!sf_bit_get(c->validity, i)) return true;
  }
  return false;
}

static void put_validity(writer *w, const sf_column *c, int64_t from, int64_t n) {
  uint8_t *bits = room(w, sf_bitmap_bytes(n));
  if (bits == NULL) return;
  memset(bits, 0, sf_bitmap_bytes(n));
  sfi_bits_copy(bits, 0, c->validity, from, n);
}

static void put_views(writer *w, const sf_view *views, int64_t n) {
  size_t total = 0;
  for (int64_t i = 0; i < n; i++) total += views[i].size;
  uint8_t *sizes = room(w, (size_t)n * sizeof(uint32_t));
  align(w, 8);
  uint8_t *bytes = room(w, total);
  if (sizes == NULL || bytes == NULL) return;
  for (int64_t i = 0; i < n; i++) {
    memcpy(sizes + (size_t)i * sizeof(uint32_t), &views[i].size, sizeof(uint32_t));
    if (views[i].size == 0) continue;
    memcpy(bytes, views[i].data, views[i].size);
    bytes += views[i].size;
  }
}

static sf_status put_column(writer *w, const sf_column *c, int64_t from, int64_t n, sf_error *err);

static sf_status put_children(writer *w, const sf_column *c, int64_t from, int64_t n, sf_error *err) {
  for (int32_t i = 0; i < c->n_children; i++) SF_TRY(put_column(w, c->children[i], from, n, err));
  return SF_OK;
}

/* Ranges are back to back, so the children of some consecutive lists are consecutive too. */
static sf_status put_lists(writer *w, const sf_column *c, int64_t from, int64_t n, sf_error *err) {
  static const int32_t none[1] = {0};
  const int32_t *offsets = c->aux == NULL ? none : (const int32_t *)c->aux + from;
  uint8_t *place = room(w, ((size_t)n + 1) * sizeof(int32_t));
  for (int64_t i = 0; place != NULL && i <= n; i++) {
    int32_t offset = offsets[i] - offsets[0];
    memcpy(place + (size_t)i * sizeof offset, &offset, sizeof offset);
  }
  align(w, 8);
  return put_children(w, c, offsets[0], offsets[n] - offsets[0], err);
}

static sf_status put_column(writer *w, const sf_column *c, int64_t from, int64_t n, sf_error *err) {
  if (c->is_const) return sf_fail(err, SF_INVALID, "A const column cannot become part of a record");
  sf_layout layout = c->type->layout;
  bool nulls = layout != SF_LAYOUT_NULL && has_nulls(c, from, n);
  const sfi_record_column header = {
      .layout = (uint8_t)layout, .flags = nulls ? SFI_RECORD_VALIDITY : 0, .rows = (uint32_t)n};
  put(w, &header, sizeof header);
  if (nulls) put_validity(w, c, from, n);
  size_t width = sf_layout_width(layout);
  switch (layout) {
    case SF_LAYOUT_NULL: return SF_OK;
    case SF_LAYOUT_ROW: return put_children(w, c, from, n, err);
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: return put_lists(w, c, from, n, err);
    case SF_LAYOUT_VIEW: put_views(w, n == 0 ? NULL : (const sf_view *)c->values + from, n); break;
    default:
      if (layout == SF_LAYOUT_INT128) align(w, 16);
      put(w, n == 0 ? NULL : (const uint8_t *)c->values + (size_t)from * width, (size_t)n * width);
      if (layout == SF_LAYOUT_TIMESTAMP) put(w, n == 0 ? NULL : (const int32_t *)c->aux + from, (size_t)n * 4);
  }
  align(w, 8);
  return SF_OK;
}

/* --- what precedes the columns */

static bool mark_within(const sf_mark *mark, sf_record_range range) {
  return range.with_marks && mark->row >= range.from && mark->row <= range.from + range.n;
}

static void put_marks(writer *w, const sf_batch *batch, sf_record_range range) {
  for (int64_t i = 0; i < batch->n_marks; i++) {
    const sf_mark moved = {batch->marks[i].row - range.from, batch->marks[i].watermark};
    if (mark_within(&batch->marks[i], range)) put(w, &moved, sizeof moved);
  }
}

static bool only_inserts(const sf_batch *batch, sf_record_range range) {
  for (int64_t i = range.from; batch->row_kinds != NULL && i < range.from + range.n; i++) {
    if (batch->row_kinds[i] != SF_INSERT) return false;
  }
  return true;
}

static sf_status put_batch(writer *w, const sf_batch *batch, sf_record_range range, size_t size, sf_error *err) {
  if (range.from < 0 || range.n < 0 || range.from > batch->length - range.n) {
    return sf_fail(err, SF_INVALID, "A batch of %lld rows has no rows %lld to %lld", (long long)batch->length,
                   (long long)range.from, (long long)(range.from + range.n));
  }
  uint32_t marks = 0;
  for (int64_t i = 0; i < batch->n_marks; i++) marks += mark_within(&batch->marks[i], range);
  bool kinds = !only_inserts(batch, range);
  const sfi_record_header header = {.version = SF_RECORD_VERSION,
                                    .flags = (uint8_t)((kinds ? SFI_RECORD_ROW_KINDS : 0) |
                                                       (marks > 0 ? SFI_RECORD_MARKS : 0)),
                                    .rows = (uint32_t)range.n,
                                    .columns = (uint32_t)batch->n_columns,
                                    .marks = marks,
                                    .size = size};
  put(w, &header, sizeof header);
  if (kinds) put(w, batch->row_kinds + range.from, (size_t)range.n);
  align(w, 8);
  put_marks(w, batch, range);
  for (int32_t i = 0; i < batch->n_columns; i++) {
    SF_TRY(put_column(w, batch->columns[i], range.from, range.n, err));
  }
  return SF_OK;
}

sf_status sf_record_size(const sf_batch *batch, sf_record_range range, size_t *size_out, sf_error *err) {
  *size_out = 0;
  writer w = {.out = NULL};
  SF_TRY(put_batch(&w, batch, range, 0, err));
  *size_out = w.at;
  return SF_OK;
}

sf_status sf_record_write(const sf_batch *batch, sf_record_range range, uint8_t *out, size_t size, sf_error *err) {
  writer w = {.out = out, .capacity = size};
  SF_TRY(put_batch(&w, batch, range, size, err));
  if (w.at != size) return sf_fail(err, SF_INVALID, "The record has %zu bytes, not %zu", w.at, size);
  return SF_OK;
}
