/* LISTAGG. Without retraction the accumulators are the delimiter and the text so far. With retraction there are two lists: of the
 * values, and of those that were retracted before they came; a list stands in its state as ListStateDescriptor's serializer
 * writes it: elements with a comma between them, each with its size in front. */
#include "aggregate/aggregate_internal.h"

enum { DELIMITER, TEXT }; /* accumulators without retraction */
enum { LIST, RETRACTED }; /* lists */

sf_status sfi_append_text(sfi_bytes *out, const void *bytes, size_t size, sf_error *err) {
  size_t at = out->size;
  SF_TRY(sfi_bytes_extend(out, size, err));
  if (size > 0) memcpy(out->data + at, bytes, size);
  return SF_OK;
}

/* --- without retraction */

static const sfi_scalar comma = {.v = {.data = (const uint8_t *)",", .size = 1}};

sf_status sfi_text_init(const sfi_aggregate *a, const sfi_accumulators *acc, sf_error *err) {
  if (a->n_cells > 0) SF_TRY(sfi_keep(a, acc, DELIMITER, &comma, err));
  if (a->kind == KIND(LISTAGG)) sfi_cell_set_null(acc->record, a->cells[TEXT], true);
  return SF_OK;
}

/* text, delimiter, more; NULL when the delimiter is. */
static sf_status concat(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *delimiter,
                        const sfi_scalar *more, sf_error *err) {
  if (sfi_cell_null(acc->record, a->cells[TEXT])) return sfi_keep(a, acc, TEXT, more, err);
  if (delimiter->null) return sfi_keep(a, acc, TEXT, delimiter, err);
  const sf_view parts[] = {delimiter->v, more->v};
  return sfi_state_append_bytes(acc->state, acc->record + a->offsets[TEXT], parts, 2, err);
}

static sfi_scalar delimiter_of(const sfi_aggregate *a, const uint8_t *record) {
  sfi_scalar out = {.w = 0, .null = sfi_cell_null(record, a->cells[DELIMITER])};
  if (!out.null) memcpy(&out.v, record + a->offsets[DELIMITER], sizeof out.v);
  return out;
}

/* The delimiter changes with every row, also with one whose value is NULL. */
static sf_status keep_delimiter(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *delimiter,
                                sf_error *err) {
  sfi_scalar now = delimiter_of(a, acc->record);
  return sfi_scalar_equal(SF_LAYOUT_VIEW, &now, delimiter) ? SF_OK : sfi_keep(a, acc, DELIMITER, delimiter, err);
}

sf_status sfi_text_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args, sf_error *err) {
  const sfi_scalar *delimiter = a->delimiter < 0 ? &comma : &args[1];
  if (!args[0].null) SF_TRY(concat(a, acc, delimiter, &args[0], err));
  return keep_delimiter(a, acc, delimiter, err);
}

sf_status sfi_text_merge(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *other, sf_error *err) {
  if (!other[TEXT].null) SF_TRY(concat(a, acc, &other[DELIMITER], &other[TEXT], err));
  return keep_delimiter(a, acc, &other[DELIMITER], err);
}

/* --- with retraction */

static bool element_at(sf_view list, uint32_t at, sf_view *text, uint32_t *next) {
  const uint8_t *data = list.data;
  if (list.size - at < 4) return false;
  uint32_t size = sfi_get32(data + at);
  if (size > list.size - at - 4) return false;
  *text = (sf_view){data + at + 4, size, 0};
  *next = at + 4 + size;
  if (*next == list.size) return true;
  return data[(*next)++] == ',' && *next < list.size;
}

sf_status sfi_text_list_next(sf_view list, uint32_t *at, sf_view *text, sf_error *err) {
  if (element_at(list, *at, text, at)) return SF_OK;
  return sf_fail(err, SF_CORRUPT, "State is damaged: the list of a LISTAGG or JSON_ARRAYAGG");
}

sf_status sfi_text_list_find(const sfi_aggregate *a, const sfi_accumulators *acc, int which, sf_view *out, sf_error *err) {
  bool found = false;
  *out = (sf_view){NULL, 0, 0};
  return sfi_own_find(a, acc, which, SFI_NULL_KEY, &found, out, err);
}

sf_status sfi_text_list_add(const sfi_aggregate *a, const sfi_accumulators *acc, int which, const sfi_scalar *value,
                          sf_error *err) {
  uint8_t size[4], *cell = NULL;
  sfi_put32(size, value->v.size);
  const sf_view parts[] = {comma.v, {size, sizeof size, 0}, value->v};
  SF_TRY(sfi_own_cell(a, acc, which, SFI_NULL_KEY, &cell, err));
  sf_view list;
  memcpy(&list, cell, sizeof list);
  return list.size == 0 ? sfi_state_append_bytes(acc->state, cell, parts + 1, 2, err)
                        : sfi_state_append_bytes(acc->state, cell, parts, 3, err);
}

/* The list without the bytes from `from` to `to`, which are an element and the comma behind it, if there is one. */
static sf_status cut(const sfi_aggregate *a, const sfi_accumulators *acc, int which, sf_view list, uint32_t from, uint32_t to,
                     sf_error *err) {
  const uint8_t *data = list.data;
  if (to == list.size && from > 0) from--; /* the comma in front of the last one */
  sfi_bytes *shorter = &acc->scratch->value;
  shorter->size = 0;
  SF_TRY(sfi_append_text(shorter, data, from, err));
  SF_TRY(sfi_append_text(shorter, data + to, list.size - to, err));
  if (shorter->size == 0) return sfi_own_remove(a, acc, which, SFI_NULL_KEY, err);
  return sfi_own_put(a, acc, which, SFI_NULL_KEY, (sf_view){shorter->data, (uint32_t)shorter->size, 0}, err);
}

sf_status sfi_text_list_remove(const sfi_aggregate *a, const sfi_accumulators *acc, int which, const sfi_scalar *text,
                               bool *removed_out, sf_error *err) {
  sf_view list = {NULL, 0, 0}, element = list;
  SF_TRY(sfi_text_list_find(a, acc, which, &list, err));
  *removed_out = false;
  for (uint32_t at = 0, next = 0; at < list.size && !*removed_out; at = next) {
    SF_TRY(sfi_text_list_next(list, &next, &element, err));
    *removed_out = element.size == text->v.size && (element.size == 0 || memcmp(element.data, text->v.data, element.size) == 0);
    if (*removed_out) return cut(a, acc, which, list, at, next, err);
  }
  return SF_OK;
}

/* With a second argument the last one, retracted or not, is the delimiter. */
static sf_status keep_last_delimiter(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args,
                                     sf_error *err) {
  return a->delimiter < 0 ? SF_OK : keep_delimiter(a, acc, &args[1], err);
}

sf_status sfi_texts_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args, sf_error *err) {
  SF_TRY(keep_last_delimiter(a, acc, args, err));
  return sfi_text_list_add(a, acc, LIST, &args[0], err);
}

sf_status sfi_texts_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args, sf_error *err) {
  bool removed = false;
  SF_TRY(keep_last_delimiter(a, acc, args, err));
  SF_TRY(sfi_text_list_remove(a, acc, LIST, &args[0], &removed, err));
  return removed ? SF_OK : sfi_text_list_add(a, acc, RETRACTED, &args[0], err);
}

sf_status sfi_texts_gather(const sfi_aggregate *a, const sfi_accumulators *acc, sfi_bytes *out, bool *null_out, sf_error *err) {
  sf_view list = {NULL, 0, 0}, text = list;
  sfi_scalar delimiter = a->delimiter < 0 ? comma : delimiter_of(a, acc->record);
  SF_TRY(sfi_text_list_find(a, acc, LIST, &list, err));
  *null_out = list.size == 0 || delimiter.null; /* BinaryStringDataUtil.concatWs: NULL when the separator is */
  if (*null_out) return SF_OK;
  for (uint32_t at = 0; at < list.size;) {
    if (at > 0) SF_TRY(sfi_append_text(out, delimiter.v.data, delimiter.v.size, err));
    SF_TRY(sfi_text_list_next(list, &at, &text, err));
    SF_TRY(sfi_append_text(out, text.data, text.size, err));
  }
  return SF_OK;
}
