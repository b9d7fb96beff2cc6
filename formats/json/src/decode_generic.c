/* The inner loop for any processor. */
#define SFI_ENTRY sfi_decode_record_generic
#include "decode_hot.h"
