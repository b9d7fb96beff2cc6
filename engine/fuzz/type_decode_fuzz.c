/* Any bytes as a serialized type. */
#include <stdlib.h>

#include "streamfusion/memory.h"
#include "streamfusion/type.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sf_error err;
  sf_type *type = NULL;
  int64_t live = sf_live_objects();
  if (sf_type_decode(data, size, &type, &err) == SF_OK) {
    char text[200];
    sf_type_text(type, text, sizeof text);
    sf_type_text(type, text, 3);
    if (!sf_type_equal(type, type, true)) abort();
    sf_type_release(type);
  } else if (type != NULL) {
    abort();
  }
  if (sf_live_objects() != live) abort();
  return 0;
}
