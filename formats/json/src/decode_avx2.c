/* The inner loop for x86-64 with AVX2 and BMI, compiled with those enabled. */
#if defined(__AVX2__)
#define SFI_ENTRY sfi_decode_record_avx2
#include "decode_hot.h"
#else
typedef int sfi_decode_avx2_unused;
#endif
