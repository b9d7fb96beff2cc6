/* JSON_ARRAYAGG and JSON_OBJECTAGG: org.apache.flink.table.runtime.functions.aggregate.JsonArrayAggFunction and
 * JsonObjectAggFunction. Values come as JSON, which Flink's planner sees to, and are kept as they are: in a list, and in a map from keys to
 * texts, where the text of NULL is empty. Results are what SqlJsonUtils.serializeJson makes of them. */
#include "aggregate/aggregate_internal.h"

#include <stdlib.h>

enum { ITEMS }; /* the only view of either */

static const sfi_scalar null_text = {.v = {.data = (const uint8_t *)"null", .size = 4}};

static bool keeps_null(const sfi_aggregate *a) { return a->kind == KIND(JSON_ARRAY_NULL) || a->kind == KIND(JSON_OBJECT_NULL); }

/* --- JSON_ARRAYAGG */

sf_status sfi_json_array_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg, sf_error *err) {
  if (arg->null && !keeps_null(a)) return SF_OK;
  return sfi_text_list_add(a, acc, ITEMS, arg->null ? &null_text : arg, err);
}

sf_status sfi_json_array_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg, sf_error *err) {
  bool removed = false;
  return sfi_text_list_remove(a, acc, ITEMS, arg->null ? &null_text : arg, &removed, err);
}

sf_status sfi_json_array_gather(const sfi_aggregate *a, const sfi_accumulators *acc, sfi_bytes *out, sf_error *err) {
  sf_view list = {NULL, 0, 0}, item = list;
  SF_TRY(sfi_text_list_find(a, acc, ITEMS, &list, err));
  SF_TRY(sfi_append_text(out, "[", 1, err));
  for (uint32_t at = 0; at < list.size;) {
    if (at > 0) SF_TRY(sfi_append_text(out, ",", 1, err));
    SF_TRY(sfi_text_list_next(list, &at, &item, err));
    SF_TRY(sfi_append_text(out, item.data, item.size, err));
  }
  return sfi_append_text(out, "]", 1, err);
}

/* --- JSON_OBJECTAGG */

/* Texts in the map are in the bytes of StringDataSerializer: behind their sizes. */
#define SIZE_BYTES 4

static sf_status text_of(sf_view bytes, sf_view *out, sf_error *err) {
  if (bytes.size < SIZE_BYTES || sfi_get32(bytes.data) != bytes.size - SIZE_BYTES) {
    return sf_fail(err, SF_CORRUPT, "State is damaged: the map of a JSON_OBJECTAGG");
  }
  *out = (sf_view){(const uint8_t *)bytes.data + SIZE_BYTES, bytes.size - SIZE_BYTES, 0};
  return SF_OK;
}

/* A sequence of bytes 0x80 to 0xBF behind the first one. */
static bool continues(const uint8_t *p, size_t n) {
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80) return false;
  }
  return true;
}

/* Size of the UTF-8 character, 0: it is none that Java would not replace. */
static size_t character(const uint8_t *p, size_t left) {
  size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
  if (n == 0 || n > left || !continues(p, n)) return 0;
  if (n == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0))) return 0; /* overlong, a surrogate */
  if (n == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90))) return 0; /* overlong, beyond U+10FFFF */
  return n;
}

static sf_status check_key(const sfi_scalar *key, sf_error *err) {
  if (key->null) return sf_fail(err, SF_TABLE, "The key of a JSON_OBJECTAGG is NULL");
  const uint8_t *p = key->v.data;
  for (size_t at = 0, n = 0; at < key->v.size; at += n) {
    n = character(p + at, key->v.size - at);
    if (n == 0) return sf_fail(err, SF_TABLE, "The key of a JSON_OBJECTAGG is not UTF-8, which StreamFusion does not cover");
  }
  return SF_OK;
}

sf_status sfi_json_object_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args, sf_error *err) {
  sfi_bytes *key = &acc->scratch->key, *value = &acc->scratch->value;
  const sfi_scalar *text = &args[1];
  SF_TRY(check_key(&args[0], err));
  key->size = value->size = 0;
  SF_TRY(sfi_scalar_encode(a->arg_type, &args[0], key, err));
  bool found = false;
  sf_view bytes = {NULL, 0, 0};
  SF_TRY(sfi_own_find(a, acc, ITEMS, (uint32_t)key->size, &found, &bytes, err));
  if (found) {
    return sf_fail(err, SF_TABLE,
                   "Key '%.*s' is already present. Duplicate keys are not allowed in JSON_OBJECTAGG. Please ensure that keys are "
                   "unique.", (int)args[0].v.size, (const char *)args[0].v.data);
  }
  if (text->null && !keeps_null(a)) return SF_OK;
  uint32_t size = text->null ? 0 : text->v.size;
  SF_TRY(sfi_bytes_extend(value, SIZE_BYTES, err));
  sfi_put32(value->data, size);
  SF_TRY(sfi_append_text(value, text->v.data, size, err));
  return sfi_own_put(a, acc, ITEMS, (uint32_t)key->size, (sf_view){value->data, (uint32_t)value->size, 0}, err);
}

sf_status sfi_json_object_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *key, sf_error *err) {
  SF_TRY(check_key(key, err));
  acc->scratch->key.size = 0;
  SF_TRY(sfi_scalar_encode(a->arg_type, key, &acc->scratch->key, err));
  return sfi_own_remove(a, acc, ITEMS, (uint32_t)acc->scratch->key.size, err);
}

/* As String.compareTo, by UTF-16 units: characters that need two of them come before those from U+E000 on. */
static int by_units(const void *left, const void *right) {
  const sf_view *a = &((const sfi_scalar *)left)->v, *b = &((const sfi_scalar *)right)->v;
  const uint8_t *p = a->data, *q = b->data;
  uint32_t n = a->size < b->size ? a->size : b->size;
  for (uint32_t i = SIZE_BYTES; i < n; i++) {
    if (p[i] == q[i]) continue;
    bool pairs = p[i] >= 0xf0, other_pairs = q[i] >= 0xf0;
    if (pairs != other_pairs && (pairs ? q[i] : p[i]) >= 0xee) return pairs ? -1 : 1;
    return p[i] < q[i] ? -1 : 1;
  }
  return (a->size > b->size) - (a->size < b->size);
}

typedef struct key_list {
  sfi_bytes *bytes;
  sfi_value_list *keys;
} key_list;

static sf_status add_key(void *context, const uint8_t *user_key, uint32_t size, sf_error *err) {
  key_list *to = context;
  sf_view text = {NULL, 0, 0};
  SF_TRY(text_of((sf_view){user_key, size, 0}, &text, err));
  SF_TRY(sfi_value_list_add(to->keys, (sfi_scalar){.v = {.data = NULL, .size = size}}, err));
  return sfi_append_text(to->bytes, user_key, size, err);
}

/* The keys of the map in the order of the result: bytes in scratch->value, views of them in scratch->list. */
static sf_status list_keys(const sfi_aggregate *a, const sfi_accumulators *acc, sf_error *err) {
  key_list to = {.bytes = &acc->scratch->value, .keys = &acc->scratch->list};
  to.bytes->size = 0;
  to.keys->n = 0;
  SF_TRY(sfi_map_visit(acc->state, a->maps[ITEMS], acc->key, add_key, &to, err));
  const uint8_t *at = to.bytes->data; /* which moves no more */
  for (int32_t i = 0; i < to.keys->n; i++) {
    to.keys->values[i].v.data = at;
    at += to.keys->values[i].v.size;
  }
  if (to.keys->n > 1) qsort(to.keys->values, (size_t)to.keys->n, sizeof *to.keys->values, by_units);
  return SF_OK;
}

/* A name as Jackson writes it. */
static sf_status append_name(sfi_bytes *out, sf_view name, sf_error *err) {
  static const char hex[] = "0123456789ABCDEF", plain[] = "\b\t\n\f\r\"\\", shorts[] = "btnfr\"\\";
  const uint8_t *p = name.data;
  SF_TRY(sfi_append_text(out, "\"", 1, err));
  for (uint32_t i = 0, from = 0; i <= name.size; i++) {
    bool end = i == name.size;
    if (!end && p[i] >= 0x20 && p[i] != '"' && p[i] != '\\') continue;
    SF_TRY(sfi_append_text(out, p + from, i - from, err));
    from = i + 1;
    if (end) break;
    const char *found = p[i] == 0 ? NULL : strchr(plain, p[i]);
    char escape[6] = {'\\', 'u', '0', '0', hex[p[i] >> 4], hex[p[i] & 15]};
    if (found != NULL) escape[1] = shorts[found - plain];
    SF_TRY(sfi_append_text(out, escape, found != NULL ? 2 : sizeof escape, err));
  }
  return sfi_append_text(out, "\":", 2, err);
}

static sf_status append_entry(const sfi_aggregate *a, const sfi_accumulators *acc, sf_view key, sfi_bytes *out, sf_error *err) {
  sf_view name = {NULL, 0, 0}, bytes = name, value = name;
  bool found = false;
  SF_TRY(text_of(key, &name, err));
  SF_TRY(append_name(out, name, err));
  acc->scratch->key.size = 0;
  SF_TRY(sfi_append_text(&acc->scratch->key, key.data, key.size, err));
  SF_TRY(sfi_own_find(a, acc, ITEMS, key.size, &found, &bytes, err));
  if (!found) return sf_fail(err, SF_INTERNAL, "A key of a JSON_OBJECTAGG is no longer there");
  SF_TRY(text_of(bytes, &value, err));
  return value.size == 0 ? sfi_append_text(out, "null", 4, err) : sfi_append_text(out, value.data, value.size, err);
}

sf_status sfi_json_object_gather(const sfi_aggregate *a, const sfi_accumulators *acc, sfi_bytes *out, sf_error *err) {
  const sfi_value_list *keys = &acc->scratch->list;
  SF_TRY(list_keys(a, acc, err));
  SF_TRY(sfi_append_text(out, "{", 1, err));
  for (int32_t i = 0; i < keys->n; i++) {
    if (i > 0) SF_TRY(sfi_append_text(out, ",", 1, err));
    SF_TRY(append_entry(a, acc, keys->values[i].v, out, err));
  }
  return sfi_append_text(out, "}", 1, err);
}
