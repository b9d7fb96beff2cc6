/* Shared by the files that print and read Java's numbers. */
#ifndef SFI_BASE_JAVA_NUMBER_INTERNAL_H
#define SFI_BASE_JAVA_NUMBER_INTERNAL_H

#include "streamfusion/java_number.h"

#define SFI_POW10_MIN (-324)
#define SFI_POW10_MAX 292
extern const uint64_t sfi_java_pow10[SFI_POW10_MAX - SFI_POW10_MIN + 1][2];

/* The decimal digits d[0..n) of a positive number with the decimal point in front of digit `point`: 0.d0d1d2... * 10^point */
typedef struct sfi_digits {
  int n;
  int point;
  char d[32];
} sfi_digits;

/* A binary floating-point number, 1.fraction * 2^exponent: `bits` carries the significand with the leading one at bit 52,
 * `precision` is the number of significant bits (fewer for subnormals). */
typedef struct sfi_binary {
  uint64_t bits;
  int exponent;
  int precision;
} sfi_binary;

/* Digits as JDK 18 and older choose them. */
void sfi_digits_legacy(sfi_binary value, sfi_digits *out);

#endif
