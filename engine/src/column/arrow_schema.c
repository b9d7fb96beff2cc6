/* Types as Arrow schemas, and Arrow schemas against types. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/arrow_internal.h"

static const char *instant_format(const sf_type *type) {
  bool zoned = type->kind == SF_TYPE_TIMESTAMP_LTZ;
  if (type->precision <= 3) return zoned ? "tsm:UTC" : "tsm:";
  if (type->precision <= 6) return zoned ? "tsu:UTC" : "tsu:";
  return zoned ? "tsn:UTC" : "tsn:";
}

const char *sfi_arrow_format(const sf_type *type, char *buf, size_t size) {
  const char *text = "n";
  switch (type->kind) {
    case SF_TYPE_BOOLEAN: text = "b"; break;
    case SF_TYPE_TINYINT: text = "c"; break;
    case SF_TYPE_SMALLINT: text = "s"; break;
    case SF_TYPE_INTEGER: text = "i"; break;
    case SF_TYPE_BIGINT: text = "l"; break;
    case SF_TYPE_FLOAT: text = "f"; break;
    case SF_TYPE_DOUBLE: text = "g"; break;
    case SF_TYPE_DECIMAL: snprintf(buf, size, "d:%d,%d", type->precision, type->scale); return buf;
    case SF_TYPE_CHAR:
    case SF_TYPE_VARCHAR: text = "u"; break;
    case SF_TYPE_BINARY: /* its values may be shorter or longer than declared */
    case SF_TYPE_VARBINARY: text = "z"; break;
    case SF_TYPE_DATE: text = "tdD"; break;
    case SF_TYPE_TIME: text = "ttm"; break;
    case SF_TYPE_TIMESTAMP:
    case SF_TYPE_TIMESTAMP_LTZ: text = instant_format(type); break;
    case SF_TYPE_INTERVAL_YEAR_MONTH: text = "tiM"; break;
    case SF_TYPE_INTERVAL_DAY_TIME: text = "tDm"; break;
    case SF_TYPE_ROW: text = "+s"; break;
    case SF_TYPE_ARRAY: text = "+l"; break;
    case SF_TYPE_MAP:
    case SF_TYPE_MULTISET: text = "+m"; break;
    case SF_TYPE_NULL: text = "n"; break;
  }
  snprintf(buf, size, "%s", text);
  return buf;
}

/* --- export */

/* Owned by an exported schema. */
typedef struct schema_parts {
  char format[32];
  char *name;
  struct ArrowSchema *children;
  struct ArrowSchema **child_pointers;
} schema_parts;

static void release_schema(struct ArrowSchema *schema) {
  schema_parts *parts = schema->private_data;
  for (int64_t i = 0; i < schema->n_children; i++) {
    if (parts->children[i].release != NULL) parts->children[i].release(&parts->children[i]);
  }
  free(parts->children);
  free(parts->child_pointers);
  free(parts->name);
  free(parts);
  sf_live_add(-1);
  schema->release = NULL;
}

static sf_status start_schema(const char *format, const char *name, bool nullable, int64_t n_children,
                              struct ArrowSchema *out, schema_parts **parts_out, sf_error *err) {
  *out = (struct ArrowSchema){0};
  schema_parts *parts = calloc(1, sizeof *parts);
  if (parts == NULL) return sf_fail(err, SF_NOMEM, "No memory for an Arrow schema");
  sf_live_add(1);
  snprintf(parts->format, sizeof parts->format, "%s", format);
  parts->name = strdup(name);
  parts->children = calloc((size_t)n_children + 1, sizeof *parts->children);
  parts->child_pointers = calloc((size_t)n_children + 1, sizeof *parts->child_pointers);
  *out = (struct ArrowSchema){.format = parts->format,
                              .name = parts->name,
                              .flags = nullable ? ARROW_FLAG_NULLABLE : 0,
                              .children = parts->child_pointers,
                              .release = release_schema,
                              .private_data = parts};
  if (parts->name == NULL || parts->children == NULL || parts->child_pointers == NULL) {
    release_schema(out);
    return sf_fail(err, SF_NOMEM, "No memory for an Arrow schema");
  }
  for (int64_t i = 0; i < n_children; i++) parts->child_pointers[i] = &parts->children[i];
  out->n_children = n_children;
  *parts_out = parts;
  return SF_OK;
}

/* A map's one child: a struct of key and value. */
static sf_status export_entries(const sf_type *map, struct ArrowSchema *out, sf_error *err) {
  schema_parts *parts = NULL;
  SF_TRY(start_schema("+s", "entries", false, 2, out, &parts, err));
  SF_TRY(sfi_arrow_export_schema(map->children[0], "key", &parts->children[0], err));
  parts->children[0].flags = 0; /* Arrow's keys are not nullable */
  return sfi_arrow_export_schema(map->children[1], "value", &parts->children[1], err);
}

static sf_status export_children(const sf_type *type, schema_parts *parts, sf_error *err) {
  if (type->layout == SF_LAYOUT_MAP) return export_entries(type, &parts->children[0], err);
  for (int32_t i = 0; i < type->n_children; i++) {
    const char *name = type->kind == SF_TYPE_ROW ? type->field_names[i] : "element";
    SF_TRY(sfi_arrow_export_schema(type->children[i], name, &parts->children[i], err));
  }
  return SF_OK;
}

sf_status sfi_arrow_export_schema(const sf_type *type, const char *name, struct ArrowSchema *out, sf_error *err) {
  char format[32];
  schema_parts *parts = NULL;
  int64_t n_children = type->layout == SF_LAYOUT_MAP ? 1 : type->n_children;
  SF_TRY(start_schema(sfi_arrow_format(type, format, sizeof format), name, type->nullable, n_children, out, &parts, err));
  sf_status st = export_children(type, parts, err);
  if (st != SF_OK) release_schema(out);
  return st;
}

/* --- import */

static bool reads_instant(const sf_type *type, const char *format, int64_t *unit) {
  if (strncmp(format, "ts", 2) != 0 || format[2] == '\0' || format[3] != ':') return false;
  bool zoned = format[4] != '\0';
  if (zoned != (type->kind == SF_TYPE_TIMESTAMP_LTZ)) return false;
  switch (format[2]) {
    case 's': *unit = 1; return true;
    case 'm': *unit = 1000; return true;
    case 'u': *unit = 1000000; return type->precision > 3;
    case 'n': *unit = 1000000000; return type->precision > 6;
    default: return false;
  }
}

static bool reads_decimal(const sf_type *type, const char *format) {
  int precision = 0, scale = 0, bits = 128, end = 0;
  if (sscanf(format, "d:%d,%d%n,%d%n", &precision, &scale, &end, &bits, &end) < 2 || format[end] != '\0') return false;
  return precision == type->precision && scale == type->scale && bits == 128;
}

static bool reads_bytes(const char *format, char small, char large, sfi_arrow_reading *reading) {
  if (format[0] == '\0' || format[1] != '\0') return false;
  *reading = format[0] == small ? SFI_ARROW_STRING : SFI_ARROW_LARGE;
  return format[0] == small || format[0] == large;
}

static bool reads(const sf_type *type, const char *format, sfi_arrow_reading *reading, int64_t *unit) {
  char own[32];
  *unit = 0;
  switch (type->kind) {
    case SF_TYPE_BOOLEAN: *reading = SFI_ARROW_BITS; return strcmp(format, "b") == 0;
    case SF_TYPE_DECIMAL:
      *reading = type->layout == SF_LAYOUT_INT128 ? SFI_ARROW_AS_IS : SFI_ARROW_DECIMAL;
      return reads_decimal(type, format);
    case SF_TYPE_CHAR:
    case SF_TYPE_VARCHAR: return reads_bytes(format, 'u', 'U', reading);
    case SF_TYPE_BINARY:
    case SF_TYPE_VARBINARY: {
      if (strncmp(format, "w:", 2) != 0) return reads_bytes(format, 'z', 'Z', reading);
      char *end = NULL;
      *reading = SFI_ARROW_FIXED_BYTES;
      *unit = strtoll(format + 2, &end, 10);
      return end != format + 2 && *end == '\0' && *unit >= 0 && *unit <= INT32_MAX;
    }
    case SF_TYPE_TIMESTAMP:
    case SF_TYPE_TIMESTAMP_LTZ: *reading = SFI_ARROW_INSTANT; return reads_instant(type, format, unit);
    default:
      *reading = type->n_children > 0 || type->kind == SF_TYPE_ROW ? SFI_ARROW_NESTED
                 : type->kind == SF_TYPE_NULL                      ? SFI_ARROW_NOTHING
                                                                   : SFI_ARROW_AS_IS;
      return strcmp(format, sfi_arrow_format(type, own, sizeof own)) == 0;
  }
}

sf_status sfi_arrow_reading_of(const sf_type *type, const struct ArrowSchema *schema, sfi_arrow_reading *reading,
                               int64_t *unit, sf_error *err) {
  int64_t n_children = type->layout == SF_LAYOUT_MAP ? 1 : type->n_children;
  if (schema->dictionary == NULL && reads(type, schema->format, reading, unit) && schema->n_children == n_children) {
    return SF_OK;
  }
  char text[128];
  return sf_fail(err, SF_INVALID, "Arrow field %s of format %s%s cannot be read as %s",
                 schema->name == NULL ? "" : schema->name, schema->format,
                 schema->dictionary == NULL ? "" : " (dictionary)", sf_type_text(type, text, sizeof text));
}
