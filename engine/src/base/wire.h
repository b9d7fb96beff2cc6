/* Unpacking of protobuf messages that may come from anywhere: nesting is checked before protobuf-c recurses. */
#ifndef SFI_BASE_WIRE_H
#define SFI_BASE_WIRE_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#include "streamfusion/status.h"

/* Deepest nesting of messages. An expression takes two levels per operator; unpacking and compiling recurse, on the
 * 1 MiB stack of a Java thread. Planners split deeper expressions (host kernels). */
#define SFI_WIRE_MAX_DEPTH 200
#define SFI_WIRE_MAX_SIZE ((size_t)64 << 20)

/* Unpacks a message; free it with protobuf_c_message_free_unpacked(message, NULL). SF_CORRUPT when the bytes do not
 * parse, SF_UNSUPPORTED when they nest too deeply or are larger than SFI_WIRE_MAX_SIZE. */
SF_MUST_CHECK sf_status sfi_wire_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t size,
                                        ProtobufCMessage **out, sf_error *err);

#endif
