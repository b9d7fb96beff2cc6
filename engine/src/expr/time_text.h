/* Times as text, printed and parsed as Flink's DateTimeUtils does. */
#ifndef SFI_EXPR_TIME_TEXT_H
#define SFI_EXPR_TIME_TEXT_H

#include "expr/calendar.h"

/* Room that one time needs at most. */
#define SFI_TIME_TEXT_MAX 48

/* Each writes into `to`, which has room for SFI_TIME_TEXT_MAX bytes, and returns the number written. */
size_t sfi_print_date(int32_t days, char *to);                                       /* formatDate */
size_t sfi_print_time(int32_t millis, int32_t precision, char *to);                  /* formatTimestampMillis */
size_t sfi_print_timestamp(int64_t millis, int32_t nanos, int32_t precision, char *to); /* formatTimestamp */
size_t sfi_print_months(int32_t months, char *to);                                   /* formatIntervalYearMonth */
size_t sfi_print_millis(int64_t millis, char *to);                                   /* formatIntervalDayTime */

/* Writes `value` with at least `width` digits. */
size_t sfi_print_padded(uint64_t value, int width, char *to);
static inline char *sfi_print_two(int32_t value, char *to) {
  to[0] = (char)('0' + value / 10);
  to[1] = (char)('0' + value % 10);
  return to + 2;
}

typedef enum sfi_parse {
  SFI_PARSED,
  SFI_PARSE_NULL,     /* Flink's parser returns null */
  SFI_PARSE_NUMBER,   /* it throws NumberFormatException: digits that exceed an int */
  SFI_PARSE_INDEX     /* it throws StringIndexOutOfBoundsException */
} sfi_parse;

/* What the failing Integer.parseInt was given. */
typedef struct sfi_bad_number {
  const uint8_t *text;
  uint32_t size;
} sfi_bad_number;

/* DateTimeUtils.parseDate and parseTime (the millis of the latter may lie outside the day, through its zone offset). */
sfi_parse sfi_parse_date(const sf_view *text, int32_t *days, sfi_bad_number *bad);
sfi_parse sfi_parse_time(const sf_view *text, int32_t *millis, sfi_bad_number *bad);
/* DEFAULT_TIMESTAMP_FORMATTER with java.time's smart resolver, fraction cut to `precision` digits; false where Flink throws
 * DateTimeException. */
bool sfi_parse_timestamp(const sf_view *text, int32_t precision, int64_t *millis, int32_t *nanos);

#endif
