#include "streamfusion/type.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wire.h"
#include "column/type_internal.h"
#include "streamfusion/memory.h"

typedef struct counted_type {
  sf_type type; /* first: a sf_type pointer is a pointer to this */
  atomic_llong references;
} counted_type;

/* References are counted in types that everybody else sees as const. */
static counted_type *counted(const sf_type *type) { return (counted_type *)(uintptr_t)type; }

static sf_layout layout_of(sf_type_kind kind, int32_t precision) {
  switch (kind) {
    case SF_TYPE_BOOLEAN: return SF_LAYOUT_BOOL;
    case SF_TYPE_TINYINT: return SF_LAYOUT_INT8;
    case SF_TYPE_SMALLINT: return SF_LAYOUT_INT16;
    case SF_TYPE_INTEGER:
    case SF_TYPE_DATE:
    case SF_TYPE_TIME:
    case SF_TYPE_INTERVAL_YEAR_MONTH: return SF_LAYOUT_INT32;
    case SF_TYPE_BIGINT:
    case SF_TYPE_INTERVAL_DAY_TIME: return SF_LAYOUT_INT64;
    case SF_TYPE_FLOAT: return SF_LAYOUT_FLOAT;
    case SF_TYPE_DOUBLE: return SF_LAYOUT_DOUBLE;
    case SF_TYPE_DECIMAL: return precision <= 18 ? SF_LAYOUT_INT64 : SF_LAYOUT_INT128;
    case SF_TYPE_CHAR:
    case SF_TYPE_VARCHAR:
    case SF_TYPE_BINARY:
    case SF_TYPE_VARBINARY: return SF_LAYOUT_VIEW;
    case SF_TYPE_TIMESTAMP:
    case SF_TYPE_TIMESTAMP_LTZ: return precision <= 3 ? SF_LAYOUT_INT64 : SF_LAYOUT_TIMESTAMP;
    case SF_TYPE_ROW: return SF_LAYOUT_ROW;
    case SF_TYPE_ARRAY: return SF_LAYOUT_LIST;
    case SF_TYPE_MAP:
    case SF_TYPE_MULTISET: return SF_LAYOUT_MAP;
    case SF_TYPE_NULL: return SF_LAYOUT_NULL;
  }
  return SF_LAYOUT_NULL;
}

size_t sf_layout_width(sf_layout layout) {
  switch (layout) {
    case SF_LAYOUT_BOOL:
    case SF_LAYOUT_INT8: return 1;
    case SF_LAYOUT_INT16: return 2;
    case SF_LAYOUT_INT32:
    case SF_LAYOUT_FLOAT: return 4;
    case SF_LAYOUT_INT64:
    case SF_LAYOUT_DOUBLE:
    case SF_LAYOUT_TIMESTAMP: return 8;
    case SF_LAYOUT_INT128: return 16;
    case SF_LAYOUT_VIEW: return 16; /* sizeof(sf_view) */
    case SF_LAYOUT_ROW:
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP:
    case SF_LAYOUT_NULL: return 0;
  }
  return 0;
}

/* The limits of Flink's logical types; CHAR and BINARY of length 0 exist as types of empty literals. */
static sf_status check_scalar(sf_type_kind kind, int32_t precision, int32_t scale, int32_t length, sf_error *err) {
  switch (kind) {
    case SF_TYPE_DECIMAL:
      if (precision < 1 || precision > 38 || scale < 0 || scale > precision) {
        return sf_fail(err, SF_INVALID, "DECIMAL(%d, %d) does not exist", precision, scale);
      }
      return SF_OK;
    case SF_TYPE_CHAR:
    case SF_TYPE_VARCHAR:
    case SF_TYPE_BINARY:
    case SF_TYPE_VARBINARY:
      if (length < 0) return sf_fail(err, SF_INVALID, "A string or binary type cannot have length %d", length);
      return SF_OK;
    case SF_TYPE_TIME:
    case SF_TYPE_TIMESTAMP:
    case SF_TYPE_TIMESTAMP_LTZ:
      if (precision < 0 || precision > 9) {
        return sf_fail(err, SF_INVALID, "A temporal type cannot have precision %d", precision);
      }
      return SF_OK;
    case SF_TYPE_ROW:
    case SF_TYPE_ARRAY:
    case SF_TYPE_MAP:
    case SF_TYPE_MULTISET: return sf_fail(err, SF_INVALID, "Type kind %d is not scalar", (int)kind);
    default:
      if (kind < SF_TYPE_BOOLEAN || kind > SF_TYPE_NULL) {
        return sf_fail(err, SF_INVALID, "Type kind %d does not exist", (int)kind);
      }
      return SF_OK;
  }
}

static counted_type *new_type(sf_type_kind kind, bool nullable) {
  counted_type *t = calloc(1, sizeof *t);
  if (t == NULL) return NULL;
  t->type.kind = kind;
  t->type.nullable = nullable;
  atomic_init(&t->references, 1);
  sf_live_add(1);
  return t;
}

sf_status sf_type_scalar(sf_type_kind kind, bool nullable, int32_t precision, int32_t scale, int32_t length,
                         sf_type **out, sf_error *err) {
  *out = NULL;
  SF_TRY(check_scalar(kind, precision, scale, length, err));
  counted_type *t = new_type(kind, nullable);
  if (t == NULL) return sf_fail(err, SF_NOMEM, "No memory for a type");
  t->type.precision = precision;
  t->type.scale = scale;
  t->type.length = length;
  t->type.layout = layout_of(kind, precision);
  *out = &t->type;
  return SF_OK;
}

static int32_t children_of(sf_type_kind kind, int32_t n) {
  switch (kind) {
    case SF_TYPE_ROW: return n;
    case SF_TYPE_ARRAY: return 1;
    case SF_TYPE_MAP: return 2;
    case SF_TYPE_MULTISET: return n == 1 ? 1 : 2; /* given the element alone, the INT count is added */
    default: return -1;
  }
}

static sf_status fill_children(sf_type *type, int32_t n_children, sf_type *const *children, const char *const *names,
                               sf_error *err) {
  size_t slots = (size_t)(n_children < 2 ? 2 : n_children);
  type->children = calloc(slots, sizeof *type->children);
  if (type->children == NULL) return sf_fail(err, SF_NOMEM, "No memory for a type");
  for (int32_t i = 0; i < n_children; i++) {
    if (children[i] == NULL) return sf_fail(err, SF_INVALID, "A nested type lacks child %d", i);
    type->children[i] = sf_type_retain(children[i]);
    type->n_children++;
  }
  if (type->kind == SF_TYPE_MULTISET && n_children == 1) {
    SF_TRY(sf_type_scalar(SF_TYPE_INTEGER, false, 0, 0, 0, &type->children[1], err));
    type->n_children = 2;
  }
  if (type->kind != SF_TYPE_ROW) return SF_OK;
  type->field_names = calloc(slots, sizeof *type->field_names);
  if (type->field_names == NULL) return sf_fail(err, SF_NOMEM, "No memory for a type");
  for (int32_t i = 0; i < n_children; i++) {
    if (names == NULL || names[i] == NULL) return sf_fail(err, SF_INVALID, "A ROW type lacks the name of field %d", i);
    type->field_names[i] = strdup(names[i]);
    if (type->field_names[i] == NULL) return sf_fail(err, SF_NOMEM, "No memory for a type");
  }
  return SF_OK;
}

sf_status sf_type_nested(sf_type_kind kind, bool nullable, int32_t n_children, sf_type *const *children,
                         const char *const *names, sf_type **out, sf_error *err) {
  *out = NULL;
  if (n_children < 0 || n_children > SFI_TYPE_MAX_CHILDREN || children_of(kind, n_children) != n_children) {
    return sf_fail(err, SF_INVALID, "Type kind %d cannot have %d children", (int)kind, n_children);
  }
  counted_type *t = new_type(kind, nullable);
  if (t == NULL) return sf_fail(err, SF_NOMEM, "No memory for a type");
  t->type.layout = layout_of(kind, 0);
  sf_status st = fill_children(&t->type, n_children, children, names, err);
  if (st != SF_OK) {
    sf_type_release(&t->type);
    return st;
  }
  *out = &t->type;
  return SF_OK;
}

sf_type *sf_type_retain(const sf_type *type) {
  counted_type *t = counted(type);
  atomic_fetch_add_explicit(&t->references, 1, memory_order_relaxed);
  return &t->type;
}

void sf_type_release(const sf_type *type) {
  if (type == NULL) return;
  counted_type *t = counted(type);
  if (atomic_fetch_sub(&t->references, 1) != 1) return;
  for (int32_t i = 0; i < t->type.n_children; i++) {
    sf_type_release(t->type.children[i]);
    if (t->type.field_names != NULL) free(t->type.field_names[i]);
  }
  free(t->type.children);
  free(t->type.field_names);
  free(t);
  sf_live_add(-1);
}

bool sf_type_equal(const sf_type *a, const sf_type *b, bool with_nullability) {
  if (a == b) return true;
  if (a->kind != b->kind || a->precision != b->precision || a->scale != b->scale || a->length != b->length ||
      a->n_children != b->n_children || (with_nullability && a->nullable != b->nullable)) {
    return false;
  }
  for (int32_t i = 0; i < a->n_children; i++) {
    if (!sf_type_equal(a->children[i], b->children[i], with_nullability)) return false;
    if (a->field_names != NULL && strcmp(a->field_names[i], b->field_names[i]) != 0) return false;
  }
  return true;
}

bool sfi_type_same_layout(const sf_type *a, const sf_type *b) {
  if (a == b) return true;
  if (a->layout != b->layout || a->n_children != b->n_children) return false;
  for (int32_t i = 0; i < a->n_children; i++) {
    if (!sfi_type_same_layout(a->children[i], b->children[i])) return false;
  }
  return true;
}

/* --- decoding */

static sf_status from_message(const Streamfusion__Plan__Type *m, int depth, sf_type **out, sf_error *err);

static sf_status nested_from_message(const Streamfusion__Plan__Type *m, int depth, sf_type **out, sf_error *err) {
  if (m->n_children > SFI_TYPE_MAX_CHILDREN) {
    return sf_fail(err, SF_UNSUPPORTED, "A type with %zu children is larger than the engine accepts", m->n_children);
  }
  if (m->kind == STREAMFUSION__PLAN__TYPE_KIND__ROW && m->n_field_names != m->n_children) {
    return sf_fail(err, SF_INVALID, "A ROW type has %zu fields and %zu names", m->n_children, m->n_field_names);
  }
  sf_type **children = calloc(m->n_children + 1, sizeof *children);
  if (children == NULL) return sf_fail(err, SF_NOMEM, "No memory for a type");
  sf_status st = SF_OK;
  for (size_t i = 0; i < m->n_children && st == SF_OK; i++) {
    st = from_message(m->children[i], depth + 1, &children[i], err);
  }
  if (st == SF_OK) {
    st = sf_type_nested((sf_type_kind)m->kind, m->nullable, (int32_t)m->n_children, children,
                        (const char *const *)m->field_names, out, err);
  }
  for (size_t i = 0; i < m->n_children; i++) sf_type_release(children[i]);
  free(children);
  return st;
}

static sf_status from_message(const Streamfusion__Plan__Type *m, int depth, sf_type **out, sf_error *err) {
  *out = NULL;
  if (m == NULL) return sf_fail(err, SF_INVALID, "The plan lacks a type");
  if (depth > SFI_TYPE_MAX_DEPTH) {
    return sf_fail(err, SF_UNSUPPORTED, "A type nests deeper than %d levels", SFI_TYPE_MAX_DEPTH);
  }
  switch (m->kind) {
    case STREAMFUSION__PLAN__TYPE_KIND__ROW:
    case STREAMFUSION__PLAN__TYPE_KIND__ARRAY:
    case STREAMFUSION__PLAN__TYPE_KIND__MAP:
    case STREAMFUSION__PLAN__TYPE_KIND__MULTISET: return nested_from_message(m, depth, out, err);
    default:
      if (m->n_children != 0) return sf_fail(err, SF_INVALID, "A scalar type has children");
      return sf_type_scalar((sf_type_kind)m->kind, m->nullable, m->precision, m->scale, m->length, out, err);
  }
}

sf_status sfi_type_from_message(const Streamfusion__Plan__Type *message, sf_type **out, sf_error *err) {
  return from_message(message, 1, out, err);
}

sf_status sf_type_decode(const uint8_t *bytes, size_t size, sf_type **out, sf_error *err) {
  *out = NULL;
  ProtobufCMessage *message = NULL;
  SF_TRY(sfi_wire_unpack(&streamfusion__plan__type__descriptor, bytes, size, SFI_WIRE_MAX_DEPTH, &message, err));
  sf_status st = sfi_type_from_message((const Streamfusion__Plan__Type *)message, out, err);
  protobuf_c_message_free_unpacked(message, NULL);
  return st;
}

/* --- text */

typedef struct text {
  char *buf;
  size_t size;
  size_t used;
} text;

static void append(text *t, const char *fmt, ...) SF_PRINTF(2, 3);
static void append(text *t, const char *fmt, ...) {
  if (t->used + 1 >= t->size) return;
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(t->buf + t->used, t->size - t->used, fmt, args);
  va_end(args);
  if (n <= 0) return;
  t->used = (size_t)n >= t->size - t->used ? t->size - 1 : t->used + (size_t)n;
}

static void append_sized(text *t, const char *name, int32_t length, const char *unbounded) {
  if (unbounded != NULL && length == INT32_MAX) append(t, "%s", unbounded);
  else append(t, "%s(%d)", name, length);
}

static void append_type(text *t, const sf_type *type);

static void append_row(text *t, const sf_type *type) {
  append(t, "ROW<");
  for (int32_t i = 0; i < type->n_children && t->used + 1 < t->size; i++) {
    append(t, "%s`%s` ", i == 0 ? "" : ", ", type->field_names[i]);
    append_type(t, type->children[i]);
  }
  append(t, ">");
}

static void append_type(text *t, const sf_type *type) {
  switch (type->kind) {
    case SF_TYPE_BOOLEAN: append(t, "BOOLEAN"); break;
    case SF_TYPE_TINYINT: append(t, "TINYINT"); break;
    case SF_TYPE_SMALLINT: append(t, "SMALLINT"); break;
    case SF_TYPE_INTEGER: append(t, "INT"); break;
    case SF_TYPE_BIGINT: append(t, "BIGINT"); break;
    case SF_TYPE_FLOAT: append(t, "FLOAT"); break;
    case SF_TYPE_DOUBLE: append(t, "DOUBLE"); break;
    case SF_TYPE_DECIMAL: append(t, "DECIMAL(%d, %d)", type->precision, type->scale); break;
    case SF_TYPE_CHAR: append_sized(t, "CHAR", type->length, NULL); break;
    case SF_TYPE_VARCHAR: append_sized(t, "VARCHAR", type->length, "STRING"); break;
    case SF_TYPE_BINARY: append_sized(t, "BINARY", type->length, NULL); break;
    case SF_TYPE_VARBINARY: append_sized(t, "VARBINARY", type->length, "BYTES"); break;
    case SF_TYPE_DATE: append(t, "DATE"); break;
    case SF_TYPE_TIME: append_sized(t, "TIME", type->precision, NULL); break;
    case SF_TYPE_TIMESTAMP: append_sized(t, "TIMESTAMP", type->precision, NULL); break;
    case SF_TYPE_TIMESTAMP_LTZ: append_sized(t, "TIMESTAMP_LTZ", type->precision, NULL); break;
    case SF_TYPE_INTERVAL_YEAR_MONTH: append(t, "INTERVAL YEAR TO MONTH"); break;
    case SF_TYPE_INTERVAL_DAY_TIME: append(t, "INTERVAL DAY TO SECOND"); break;
    case SF_TYPE_ROW: append_row(t, type); break;
    case SF_TYPE_ARRAY:
      append(t, "ARRAY<");
      append_type(t, type->children[0]);
      append(t, ">");
      break;
    case SF_TYPE_MAP:
      append(t, "MAP<");
      append_type(t, type->children[0]);
      append(t, ", ");
      append_type(t, type->children[1]);
      append(t, ">");
      break;
    case SF_TYPE_MULTISET:
      append(t, "MULTISET<");
      append_type(t, type->children[0]);
      append(t, ">");
      break;
    case SF_TYPE_NULL: append(t, "NULL"); return;
  }
  if (!type->nullable) append(t, " NOT NULL");
}

const char *sf_type_text(const sf_type *type, char *buf, size_t size) {
  text t = {.buf = buf, .size = size};
  if (size > 0) buf[0] = '\0';
  append_type(&t, type);
  return buf;
}
