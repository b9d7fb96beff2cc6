/* Days, months and units of time, computed as Flink's DateTimeUtils does: on 32-bit integers that wrap, with divisions that
 * truncate, and with the oddities that follow for times before 1970. */
#ifndef SFI_EXPR_CALENDAR_H
#define SFI_EXPR_CALENDAR_H

#include "expr/kernel.h"

#define SFI_MILLIS_PER_DAY INT64_C(86400000)
#define SFI_MILLIS_PER_HOUR INT64_C(3600000)
#define SFI_MILLIS_PER_MINUTE INT64_C(60000)
#define SFI_MILLIS_PER_SECOND INT64_C(1000)

/* org.apache.flink.table.utils.DateTimeUtils.TimeUnitRange, the single units of it. */
typedef enum sfi_unit {
  SFI_UNIT_NONE, /* no such name */
  SFI_YEAR,
  SFI_MONTH,
  SFI_DAY,
  SFI_HOUR,
  SFI_MINUTE,
  SFI_SECOND,
  SFI_QUARTER,
  SFI_ISOYEAR,
  SFI_WEEK,
  SFI_MILLISECOND,
  SFI_MICROSECOND,
  SFI_NANOSECOND,
  SFI_DOW,
  SFI_ISODOW,
  SFI_DOY,
  SFI_EPOCH,
  SFI_DECADE,
  SFI_CENTURY,
  SFI_MILLENNIUM
} sfi_unit;

sfi_unit sfi_unit_of(const sf_view *name);
/* The unit that literal operand i names, or SFI_UNIT_NONE. */
sfi_unit sfi_unit_operand(const sfi_call *call, int32_t i);
/* Fields of a date: YEAR, MONTH, DAY, QUARTER, ISOYEAR, WEEK, DOW, ISODOW, DOY, DECADE, CENTURY, MILLENNIUM. */
bool sfi_unit_of_date(sfi_unit unit);

typedef struct sfi_date {
  int32_t year, month, day;
} sfi_date;

/* Proleptic Gregorian date of a day number (0 = 1970-01-01), right for years from -4800 on: julianToLocalDate. */
sfi_date sfi_date_of_days(int32_t days);
/* ymdToUnixDate. */
int32_t sfi_days_of_date(int32_t year, int32_t month, int32_t day);
/* As java.time.LocalDate, right for every year that 64-bit milliseconds reach. */
void sfi_local_date(int64_t days, int64_t *year, int32_t *month, int32_t *day);
int64_t sfi_local_days(int64_t year, int32_t month, int32_t day);

/* extractFromDate for the units of sfi_unit_of_date. */
int64_t sfi_extract_date(sfi_unit unit, int32_t days);
/* julianDateFloor on day numbers: MILLENNIUM, CENTURY, DECADE, YEAR, QUARTER, MONTH, WEEK, DAY; with its switch to the
 * Julian calendar before 1582-10-15. */
int32_t sfi_floor_date(sfi_unit unit, int32_t days, bool floor);
/* addMonths and subtractMonths, of days and of epoch millis. */
int32_t sfi_add_months_to_days(int32_t days, int32_t months);
int64_t sfi_add_months_to_millis(int64_t millis, int32_t months);
int32_t sfi_months_between_days(int32_t a, int32_t b);
int32_t sfi_months_between_millis(int64_t a, int64_t b);

static inline int64_t sfi_floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return a % b < 0 ? q - 1 : q; /* b > 0 */
}
static inline int64_t sfi_floor_mod(int64_t a, int64_t b) {
  const int64_t r = a % b;
  return r < 0 ? r + b : r;
}

#endif
