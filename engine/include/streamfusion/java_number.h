/* Numbers as text, the way Java prints and reads them.
 *
 * Flink shows and parses numbers with java.lang and java.math, so their text is part of the results. Java changed how it
 * prints FLOAT and DOUBLE in release 19; callers say which of the two they need (`legacy`: release 18 and older).
 * Nothing here allocates, fails or depends on the process locale. */
#ifndef STREAMFUSION_JAVA_NUMBER_H
#define STREAMFUSION_JAVA_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "streamfusion/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SF_DOUBLE_TEXT_MAX 32  /* room that any double or float needs */
#define SF_LONG_TEXT_MAX 20
#define SF_DECIMAL_TEXT_MAX 96 /* room for any DECIMAL(38, s) in plain or scientific notation */

/* java.lang.Double.toString / Float.toString. `buf` has room for SF_DOUBLE_TEXT_MAX bytes; returns the number written,
 * there is no terminator. */
SF_EXPORT size_t sf_double_text(double value, bool legacy, char *buf);
SF_EXPORT size_t sf_float_text(float value, bool legacy, char *buf);
/* java.lang.Long.toString; room for SF_LONG_TEXT_MAX bytes. */
SF_EXPORT size_t sf_long_text(int64_t value, char *buf);
/* java.math.BigDecimal.toPlainString (plain) or toString, of unscaled * 10^-scale; 0 <= scale <= 38; room for
 * SF_DECIMAL_TEXT_MAX bytes. */
SF_EXPORT size_t sf_decimal_text(__int128 unscaled, int32_t scale, bool plain, char *buf);

/* java.lang.Double.parseDouble / Float.parseFloat: surrounding characters up to U+0020 are dropped, NaN, Infinity,
 * hexadecimal and the suffixes d and f are understood, the result is correctly rounded. False where Java throws
 * NumberFormatException. */
SF_EXPORT bool sf_parse_double(const uint8_t *text, size_t size, double *out);
SF_EXPORT bool sf_parse_float(const uint8_t *text, size_t size, float *out);

typedef enum sf_decimal_parse {
  SF_DECIMAL_PARSED = 0,
  SF_DECIMAL_MALFORMED = 1, /* new BigDecimal throws NumberFormatException */
  SF_DECIMAL_OVERFLOW = 2,  /* DecimalData.fromBigDecimal gives null: more than `precision` digits */
  SF_DECIMAL_UNDECIDED = 3  /* not ASCII (Java takes the digits of every script) or an exponent of absurd size */
} sf_decimal_parse;

/* DecimalData.fromBigDecimal(new BigDecimal(text), precision, scale): rounded half up to `scale`, unscaled in *out.
 * No surrounding blanks are accepted, as in Java. */
SF_EXPORT sf_decimal_parse sf_parse_decimal(const uint8_t *text, size_t size, int32_t precision, int32_t scale,
                                            __int128 *out);

#ifdef __cplusplus
}
#endif
#endif
