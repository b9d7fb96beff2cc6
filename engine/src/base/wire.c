#include "base/wire.h"

#include <stdbool.h>

typedef struct cursor {
  const uint8_t *at;
  const uint8_t *end;
} cursor;

static bool read_varint(cursor *c, uint64_t *out) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && c->at < c->end; shift += 7) {
    uint8_t byte = *c->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      *out = value;
      return true;
    }
  }
  return false;
}

static bool skip(cursor *c, uint64_t n) {
  if (n > (uint64_t)(c->end - c->at)) return false;
  c->at += n;
  return true;
}

/* Walks the fields that hold messages of their own; everything else is only skipped. */
static sf_status check_depth(const ProtobufCMessageDescriptor *descriptor, cursor c, int levels_left, sf_error *err) {
  if (levels_left == 0) return sf_fail(err, SF_UNSUPPORTED, "Plan message nests deeper than the engine accepts");
  while (c.at < c.end) {
    uint64_t tag = 0, n = 0;
    bool ok = read_varint(&c, &tag);
    if (ok) {
      switch (tag & 7) {
        case 0: ok = read_varint(&c, &n); break;
        case 1: ok = skip(&c, 8); break;
        case 5: ok = skip(&c, 4); break;
        case 2: {
          ok = read_varint(&c, &n) && n <= (uint64_t)(c.end - c.at);
          if (!ok) break;
          cursor inner = {c.at, c.at + n};
          c.at += n;
          const ProtobufCFieldDescriptor *field =
              (tag >> 3) > UINT32_MAX ? NULL
                                      : protobuf_c_message_descriptor_get_field(descriptor, (unsigned)(tag >> 3));
          if (field != NULL && field->type == PROTOBUF_C_TYPE_MESSAGE) {
            SF_TRY(check_depth((const ProtobufCMessageDescriptor *)field->descriptor, inner, levels_left - 1, err));
          }
          break;
        }
        default: ok = false;
      }
    }
    if (!ok) return sf_fail(err, SF_CORRUPT, "Plan message %s does not parse", descriptor->name);
  }
  return SF_OK;
}

sf_status sfi_wire_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t size,
                          int max_depth, ProtobufCMessage **out, sf_error *err) {
  *out = NULL;
  if (size > SFI_WIRE_MAX_SIZE) {
    return sf_fail(err, SF_UNSUPPORTED, "Plan message %s of %zu bytes is larger than %zu", descriptor->name, size,
                   SFI_WIRE_MAX_SIZE);
  }
  static const uint8_t empty = 0;
  if (size == 0) bytes = &empty;
  SF_TRY(check_depth(descriptor, (cursor){bytes, bytes + size}, max_depth, err));
  *out = protobuf_c_message_unpack(descriptor, NULL, size, bytes);
  if (*out == NULL) return sf_fail(err, SF_CORRUPT, "Plan message %s does not parse", descriptor->name);
  return SF_OK;
}
