/* Columns as text, for comparing: ints as they are, floating point as the hex of its bits, strings in quotes with bytes
 * outside printable ASCII as \xNN, DECIMAL as unscaled/scale, timestamps as millis.nanos, rows (..), arrays [..], maps
 * {k:v}. */
#ifndef SF_JSON_PRINT_H
#define SF_JSON_PRINT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streamfusion/column.h"

typedef struct json_text {
  char *data;
  size_t size;
  size_t capacity;
} json_text;

static inline void text_add(json_text *t, const char *text, size_t size) {
  while (t->size + size + 1 > t->capacity) {
    t->capacity = t->capacity * 2 + 256;
    t->data = realloc(t->data, t->capacity);
    if (t->data == NULL) exit(99);
  }
  memcpy(t->data + t->size, text, size);
  t->size += size;
  t->data[t->size] = 0;
}

static inline void text_str(json_text *t, const char *text) { text_add(t, text, strlen(text)); }

static inline void print_bytes(json_text *t, const sf_view *view) {
  char hex[8];
  text_str(t, "'");
  for (uint32_t i = 0; i < view->size; i++) {
    uint8_t c = view->data[i];
    if (c >= 0x20 && c < 0x7F && c != '\'' && c != '\\') {
      text_add(t, (const char *)&c, 1);
    } else {
      snprintf(hex, sizeof hex, "\\x%02x", c);
      text_str(t, hex);
    }
  }
  text_str(t, "'");
}

static inline void print_int128(json_text *t, __int128 value) {
  char digits[48];
  int at = 47;
  unsigned __int128 rest = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
  digits[at] = 0;
  do {
    digits[--at] = (char)('0' + (int)(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (value < 0) digits[--at] = '-';
  text_str(t, digits + at);
}

static void print_value(json_text *t, const sf_column *c, int64_t i);

static inline void print_nested(json_text *t, const sf_column *c, int64_t i) {
  const int32_t *offsets = c->aux;
  if (c->type->layout == SF_LAYOUT_ROW) {
    text_str(t, "(");
    for (int32_t k = 0; k < c->n_children; k++) {
      if (k > 0) text_str(t, ",");
      print_value(t, c->children[k], i);
    }
    text_str(t, ")");
    return;
  }
  bool map = c->type->layout == SF_LAYOUT_MAP;
  text_str(t, map ? "{" : "[");
  for (int32_t k = offsets[i]; k < offsets[i + 1]; k++) {
    if (k > offsets[i]) text_str(t, ",");
    print_value(t, c->children[0], k);
    if (map) {
      text_str(t, ":");
      print_value(t, c->children[1], k);
    }
  }
  text_str(t, map ? "}" : "]");
}

static void print_value(json_text *t, const sf_column *c, int64_t i) {
  char buf[64] = "";
  uint32_t bits32;
  uint64_t bits64;
  if (sf_column_is_null(c, i)) {
    text_str(t, "null");
    return;
  }
  switch (c->type->layout) {
    case SF_LAYOUT_BOOL: text_str(t, ((const uint8_t *)c->values)[i] ? "true" : "false"); return;
    case SF_LAYOUT_INT8: snprintf(buf, sizeof buf, "%d", ((const int8_t *)c->values)[i]); break;
    case SF_LAYOUT_INT16: snprintf(buf, sizeof buf, "%d", ((const int16_t *)c->values)[i]); break;
    case SF_LAYOUT_INT32: snprintf(buf, sizeof buf, "%" PRId32, ((const int32_t *)c->values)[i]); break;
    case SF_LAYOUT_FLOAT:
      memcpy(&bits32, (const float *)c->values + i, 4);
      snprintf(buf, sizeof buf, "%08" PRIx32, bits32);
      break;
    case SF_LAYOUT_DOUBLE:
      memcpy(&bits64, (const double *)c->values + i, 8);
      snprintf(buf, sizeof buf, "%016" PRIx64, bits64);
      break;
    case SF_LAYOUT_INT128: print_int128(t, ((const __int128 *)c->values)[i]); break;
    case SF_LAYOUT_INT64: print_int128(t, ((const int64_t *)c->values)[i]); break;
    case SF_LAYOUT_TIMESTAMP:
      snprintf(buf, sizeof buf, "%" PRId64 ".%d", ((const int64_t *)c->values)[i], ((const int32_t *)c->aux)[i]);
      break;
    case SF_LAYOUT_VIEW: print_bytes(t, (const sf_view *)c->values + i); return;
    case SF_LAYOUT_ROW:
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: print_nested(t, c, i); return;
    case SF_LAYOUT_NULL: text_str(t, "null"); return;
  }
  text_str(t, buf);
  if (c->type->kind == SF_TYPE_DECIMAL) {
    snprintf(buf, sizeof buf, "/%d", c->type->scale);
    text_str(t, buf);
  }
  if (c->type->layout == SF_LAYOUT_INT64 && (c->type->kind == SF_TYPE_TIMESTAMP || c->type->kind == SF_TYPE_TIMESTAMP_LTZ)) {
    text_str(t, ".0");
  }
}

/* Row i of the columns; replaces what t holds. */
static inline const char *print_row(json_text *t, sf_column *const *columns, int32_t n, int64_t i) {
  t->size = 0;
  text_str(t, "(");
  for (int32_t k = 0; k < n; k++) {
    if (k > 0) text_str(t, ",");
    print_value(t, columns[k], i);
  }
  text_str(t, ")");
  return t->data;
}

#endif
