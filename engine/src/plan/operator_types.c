/* Row types of an operator's plan, without making the operator. */
#include <stdlib.h>

#include "base/wire.h"
#include "plan.pb-c.h"
#include "streamfusion/operator.h"

static sf_status decode(const Streamfusion__Plan__Type *message, const char *what, sf_type **out, sf_error *err) {
  if (message == NULL) return sf_fail(err, SF_INVALID, "The operator has no %s type", what);
  size_t size = streamfusion__plan__type__get_packed_size(message);
  uint8_t *bytes = malloc(size + 1);
  if (bytes == NULL) return sf_fail(err, SF_NOMEM, "No memory for the operator's %s type", what);
  streamfusion__plan__type__pack(message, bytes);
  sf_status st = sf_type_decode(bytes, size, out, err);
  free(bytes);
  return st;
}

sf_status sf_operator_plan_types(const uint8_t *bytes, size_t size, sf_type **input_out, sf_type **output_out,
                                 sf_error *err) {
  *input_out = *output_out = NULL;
  ProtobufCMessage *message = NULL;
  SF_TRY(sfi_wire_unpack(&streamfusion__plan__operator__descriptor, bytes, size, SFI_WIRE_MAX_DEPTH, &message, err));
  const Streamfusion__Plan__Operator *plan = (const Streamfusion__Plan__Operator *)(const void *)message;
  sf_status st = decode(plan->input_type, "input", input_out, err);
  if (st == SF_OK) st = decode(plan->output_type, "output", output_out, err);
  if (st != SF_OK) {
    sf_type_release(*input_out);
    *input_out = NULL;
  }
  protobuf_c_message_free_unpacked(message, NULL);
  return st;
}
