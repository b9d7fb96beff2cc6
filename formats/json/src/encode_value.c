/* Values as JSON text: reproduces RowDataToJsonConverters and the way Jackson writes the resulting nodes. */
#include "encode_internal.h"

#define SCALAR_ROOM 128 /* for any number, date or literal */

static bool punt(sf_encoder *e) {
  e->punt = true;
  return false;
}

static inline void put_text(sf_encoder *e, const char *text, size_t size) {
  memcpy(e->data + e->size, text, size);
  e->size += size;
}

/* The rest of a string from its first special byte on. */
static bool put_escaped(sf_encoder *e, const uint8_t *p, size_t size) {
  if (!sfi_encode_room(e, size * 6)) return false;
  uint8_t *end = sfi_encode_escaped_text(e->data + e->size, p, size, true);
  if (end == NULL) return punt(e); /* Flink's strings decode ill-formed bytes to replacement characters */
  e->size = (size_t)(end - e->data);
  return true;
}

static bool put_string(sf_encoder *e, const uint8_t *p, size_t size) {
  if (!sfi_encode_room(e, size + 2)) return false;
  uint8_t *to = e->data + e->size;
  *to++ = '"';
  size_t plain = e->copy_plain(to, p, size);
  e->size += plain + 1;
  if (SFI_UNLIKELY(plain < size) && !put_escaped(e, p + plain, size - plain)) return false;
  if (!sfi_encode_room(e, 1)) return false;
  e->data[e->size++] = '"';
  return true;
}

static bool put_binary(sf_encoder *e, const sf_view *view) {
  if (!sfi_encode_room(e, (size_t)view->size / 3 * 4 + 8)) return false;
  uint8_t *to = e->data + e->size;
  *to++ = '"';
  to = sfi_encode_base64(to, view->data, view->size);
  *to++ = '"';
  e->size = (size_t)(to - e->data);
  return true;
}

static bool put_date(sf_encoder *e, int32_t day) {
  uint8_t *to = e->data + e->size;
  *to++ = '"';
  to = sfi_encode_day(e, to, day);
  *to++ = '"';
  e->size = (size_t)(to - e->data);
  return true;
}

static bool put_time(sf_encoder *e, int32_t millis) {
  if (millis < 0 || millis >= 86400000) return punt(e); /* LocalTime.ofSecondOfDay throws */
  uint8_t *to = e->data + e->size;
  *to++ = '"';
  to = sfi_encode_second(to, millis / 1000);
  *to++ = '"';
  e->size = (size_t)(to - e->data);
  return true;
}

static bool put_timestamp(sf_encoder *e, int64_t millis, int32_t nano_of_milli, bool zulu) {
  int64_t day = millis / 86400000;
  int32_t of_day = (int32_t)(millis - day * 86400000);
  if (of_day < 0) {
    of_day += 86400000;
    day--;
  }
  uint8_t *to = e->data + e->size;
  *to++ = '"';
  to = sfi_encode_day(e, to, day);
  *to++ = e->options.iso_timestamps ? 'T' : ' ';
  to = sfi_encode_second(to, of_day / 1000);
  to = sfi_encode_fraction(to, of_day % 1000 * 1000000 + nano_of_milli);
  if (zulu) *to++ = 'Z';
  *to++ = '"';
  e->size = (size_t)(to - e->data);
  return true;
}

/* Finite numbers as Java prints them; the others quoted (QUOTE_NON_NUMERIC_NUMBERS). */
static bool put_floating(sf_encoder *e, double value, bool single) {
  char *to = (char *)e->data + e->size;
  bool finite = __builtin_isfinite(value);
  if (!finite) *to++ = '"';
  to += single ? e->host->float_text((float)value, e->legacy_doubles, to)
               : e->host->double_text(value, e->legacy_doubles, to);
  if (!finite) *to++ = '"';
  e->size = (size_t)(to - (char *)e->data);
  return true;
}

static bool put_decimal(sf_encoder *e, const sf_column *column, int64_t row) {
  __int128 value = column->type->layout == SF_LAYOUT_INT128 ? ((const __int128 *)column->values)[row]
                                                            : ((const int64_t *)column->values)[row];
  uint8_t *to = e->data + e->size;
  if (e->options.plain_decimals) {
    e->size += e->host->decimal_text(value, column->type->scale, true, (char *)to);
  } else {
    e->size = (size_t)(sfi_encode_stripped_decimal(to, value, column->type->scale) - e->data);
  }
  return true;
}

static bool put_value(sf_encoder *e, const sfi_writer *writer, const sf_column *column, int64_t row);

static bool put_null(sf_encoder *e) {
  if (!sfi_encode_room(e, 4)) return false;
  put_text(e, "null", 4);
  return true;
}

static inline bool put_nullable(sf_encoder *e, const sfi_writer *writer, const sf_column *column, int64_t row) {
  return sf_column_is_null(column, row) ? put_null(e) : put_value(e, writer, column, row);
}

static bool put_array(sf_encoder *e, const sfi_writer *writer, const sf_column *column, int64_t row) {
  const int32_t *offsets = column->aux;
  if (!sfi_encode_room(e, 1)) return false;
  e->data[e->size++] = '[';
  for (int32_t i = offsets[row]; i < offsets[row + 1]; i++) {
    if (i > offsets[row]) {
      if (!sfi_encode_room(e, 1)) return false;
      e->data[e->size++] = ',';
    }
    if (!put_nullable(e, writer->children[0], column->children[0], i)) return false;
  }
  if (!sfi_encode_room(e, 1)) return false;
  e->data[e->size++] = ']';
  return true;
}

/* Key of entry i; the literal for NULL. */
static sf_view map_key(const sf_encoder *e, const sf_column *keys, int32_t i) {
  if (!sf_column_is_null(keys, i)) return ((const sf_view *)keys->values)[i];
  return (sf_view){.data = (const uint8_t *)e->map_null_literal, .size = (uint32_t)strlen(e->map_null_literal), .reserved = 0};
}

static bool same_view(sf_view a, sf_view b) { return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0); }

static uint32_t view_hash(sf_view key) {
  uint64_t hash = key.size;
  for (uint32_t i = 0; i < key.size; i++) hash = (hash ^ key.data[i]) * UINT64_C(0x100000001B3);
  return (uint32_t)(hash ^ hash >> 32);
}

static bool reserve_key_slots(sf_encoder *e, int64_t n) {
  if (n > e->key_slots_capacity) {
    void *grown = NULL;
    e->status = e->host->pool_realloc(e->pool, e->key_slots, (size_t)n * sizeof *e->key_slots, &grown, e->err);
    if (e->status != SF_OK) return false;
    e->key_slots = grown;
    e->key_slots_capacity = n;
  }
  memset(e->key_slots, 0, (size_t)n * sizeof *e->key_slots);
  return true;
}

/* Whether keys [from, to) that will be written repeat: an ObjectNode keeps the first's place and the last's value. */
static bool keys_repeat(sf_encoder *e, const sf_column *keys, int32_t from, int32_t to, bool *repeat) {
  *repeat = false;
  if (to - from < 2) return true;
  int64_t slots = 4;
  while (slots < (int64_t)(to - from) * 2) slots *= 2;
  if (!reserve_key_slots(e, slots)) return false;
  for (int32_t i = from; i < to && !*repeat; i++) {
    if (e->options.map_null_key == SFI_NULL_KEY_DROP && sf_column_is_null(keys, i)) continue;
    sf_view key = map_key(e, keys, i);
    int64_t slot = view_hash(key) & (slots - 1);
    while (e->key_slots[slot] != 0 && !*repeat) {
      *repeat = same_view(key, map_key(e, keys, from + e->key_slots[slot] - 1));
      slot = (slot + 1) & (slots - 1);
    }
    e->key_slots[slot] = i - from + 1;
  }
  return true;
}

static bool put_map(sf_encoder *e, const sfi_writer *writer, const sf_column *column, int64_t row) {
  const int32_t *offsets = column->aux;
  const sf_column *keys = column->children[0], *values = column->children[1];
  bool repeat;
  if (!keys_repeat(e, keys, offsets[row], offsets[row + 1], &repeat)) return false;
  if (repeat) return punt(e);
  if (!sfi_encode_room(e, 1)) return false;
  e->data[e->size++] = '{';
  bool first = true;
  for (int32_t i = offsets[row]; i < offsets[row + 1]; i++) {
    if (sf_column_is_null(keys, i)) {
      if (e->options.map_null_key == SFI_NULL_KEY_FAIL) return punt(e);
      if (e->options.map_null_key == SFI_NULL_KEY_DROP) continue;
    }
    sf_view key = map_key(e, keys, i);
    if (!sfi_encode_room(e, 1)) return false;
    if (!first) e->data[e->size++] = ',';
    first = false;
    if (!put_string(e, key.data, key.size) || !sfi_encode_room(e, 1)) return false;
    e->data[e->size++] = ':';
    if (!put_nullable(e, writer->children[1], values, i)) return false;
  }
  if (!sfi_encode_room(e, 1)) return false;
  e->data[e->size++] = '}';
  return true;
}

/* Room is there for SCALAR_ROOM bytes more than the key has. */
static inline void put_key(sf_encoder *e, const sfi_writer *field, bool first) {
  uint8_t *to = e->data + e->size;
  if (SFI_LIKELY(field->key_size <= SFI_SHORT_KEY)) {
    memcpy(to, field->key + first, SFI_SHORT_KEY); /* of a fixed size: one move; what is too much is written over */
  } else {
    memcpy(to, field->key + first, field->key_size - first);
  }
  e->size += field->key_size - first;
}

bool sfi_encode_row(sf_encoder *e, const sfi_writer *writer, const sf_column *const *columns, int64_t row) {
  if (!sfi_encode_room(e, 1)) return false;
  e->data[e->size++] = '{';
  bool first = true;
  for (int32_t i = 0; i < writer->n_children; i++) {
    const sfi_writer *field = writer->children[i];
    const sf_column *column = columns[i];
    bool is_null = sf_column_is_null(column, row);
    if (is_null && e->options.ignore_null_fields) continue;
    if (!sfi_encode_room(e, field->key_size + SCALAR_ROOM)) return false;
    put_key(e, field, first);
    first = false;
    if (is_null) {
      put_text(e, "null", 4);
    } else if (!put_value(e, field, column, row)) {
      return false;
    }
  }
  if (!sfi_encode_room(e, 1)) return false;
  e->data[e->size++] = '}';
  return true;
}

static bool put_truth(sf_encoder *e, bool value) {
  put_text(e, value ? "true" : "false", value ? 4 : 5);
  return true;
}

static bool put_long(sf_encoder *e, int64_t value) {
  e->size = (size_t)(sfi_encode_long(e->data + e->size, value) - e->data);
  return true;
}

static bool put_value(sf_encoder *e, const sfi_writer *writer, const sf_column *column, int64_t row) {
  if (!sfi_encode_room(e, SCALAR_ROOM)) return false;
  const void *values = column->values;
  switch (writer->type->kind) {
    case SF_TYPE_BOOLEAN: return put_truth(e, ((const uint8_t *)values)[row] != 0);
    case SF_TYPE_TINYINT: return put_long(e, ((const int8_t *)values)[row]);
    case SF_TYPE_SMALLINT: return put_long(e, ((const int16_t *)values)[row]);
    case SF_TYPE_INTEGER:
    case SF_TYPE_INTERVAL_YEAR_MONTH: return put_long(e, ((const int32_t *)values)[row]);
    case SF_TYPE_BIGINT:
    case SF_TYPE_INTERVAL_DAY_TIME: return put_long(e, ((const int64_t *)values)[row]);
    case SF_TYPE_FLOAT: return put_floating(e, (double)((const float *)values)[row], true);
    case SF_TYPE_DOUBLE: return put_floating(e, ((const double *)values)[row], false);
    case SF_TYPE_DECIMAL: return put_decimal(e, column, row);
    case SF_TYPE_CHAR:
    case SF_TYPE_VARCHAR: return put_string(e, ((const sf_view *)values)[row].data, ((const sf_view *)values)[row].size);
    case SF_TYPE_BINARY:
    case SF_TYPE_VARBINARY: return put_binary(e, &((const sf_view *)values)[row]);
    case SF_TYPE_DATE: return put_date(e, ((const int32_t *)values)[row]);
    case SF_TYPE_TIME: return put_time(e, ((const int32_t *)values)[row]);
    case SF_TYPE_TIMESTAMP:
    case SF_TYPE_TIMESTAMP_LTZ:
      return put_timestamp(e, ((const int64_t *)values)[row],
                           column->type->layout == SF_LAYOUT_TIMESTAMP ? ((const int32_t *)column->aux)[row] : 0,
                           writer->type->kind == SF_TYPE_TIMESTAMP_LTZ);
    case SF_TYPE_ROW: return sfi_encode_row(e, writer, (const sf_column *const *)column->children, row);
    case SF_TYPE_ARRAY: return put_array(e, writer, column, row);
    case SF_TYPE_MAP:
    case SF_TYPE_MULTISET: return put_map(e, writer, column, row);
    case SF_TYPE_NULL: return put_null(e);
  }
  return punt(e);
}
