/* Unpacking of protobuf messages that may come from anywhere: nesting is checked before protobuf-c recurses. */
#ifndef SFI_BASE_WIRE_H
#define SFI_BASE_WIRE_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#include "streamfusion/status.h"

/* Deepest nesting of messages. An expression takes two levels per operator; unpacking, compiling and evaluating recurse,
 * on the 1 MiB stack of a Java thread (500 levels take less than half of it). The planner learns from sf_expr_supports
 * that an expression is too deep and computes it in a host kernel, so what fits there must fit into an operator. */
#define SFI_WIRE_MAX_EXPR_DEPTH 500
#define SFI_WIRE_MAX_DEPTH 510
#define SFI_WIRE_MAX_SIZE ((size_t)64 << 20)

/* Unpacks a message; free it with protobuf_c_message_free_unpacked(message, NULL). SF_CORRUPT when the bytes do not
 * parse, SF_UNSUPPORTED when they nest deeper than max_depth or are larger than SFI_WIRE_MAX_SIZE. */
SF_MUST_CHECK sf_status sfi_wire_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t size,
                                        int max_depth, ProtobufCMessage **out, sf_error *err);

#endif
