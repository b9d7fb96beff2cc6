/* Calendar arithmetic of DateTimeUtils; compiled with wrapping integers, which Java's are. */
#include "expr/calendar.h"

#include <string.h>

#include "expr/text.h"

/* Julian day of 1970-01-01. */
#define EPOCH_JULIAN 2440588

sfi_unit sfi_unit_of(const sf_view *name) {
  static const char *const names[] = {
      [SFI_YEAR] = "YEAR",           [SFI_MONTH] = "MONTH",       [SFI_DAY] = "DAY",
      [SFI_HOUR] = "HOUR",           [SFI_MINUTE] = "MINUTE",     [SFI_SECOND] = "SECOND",
      [SFI_QUARTER] = "QUARTER",     [SFI_ISOYEAR] = "ISOYEAR",   [SFI_WEEK] = "WEEK",
      [SFI_MILLISECOND] = "MILLISECOND", [SFI_MICROSECOND] = "MICROSECOND", [SFI_NANOSECOND] = "NANOSECOND",
      [SFI_DOW] = "DOW",             [SFI_ISODOW] = "ISODOW",     [SFI_DOY] = "DOY",
      [SFI_EPOCH] = "EPOCH",         [SFI_DECADE] = "DECADE",     [SFI_CENTURY] = "CENTURY",
      [SFI_MILLENNIUM] = "MILLENNIUM"};
  for (int u = SFI_YEAR; u <= SFI_MILLENNIUM; u++) {
    if (strlen(names[u]) == name->size && memcmp(names[u], name->data, name->size) == 0) return (sfi_unit)u;
  }
  return SFI_UNIT_NONE;
}

sfi_unit sfi_unit_operand(const sfi_call *call, int32_t i) {
  if (!sfi_is_text(call->arg_types[i]) || !sfi_is_literal(call, i)) return SFI_UNIT_NONE;
  return sfi_unit_of(sfi_const_arg(call, i)->values);
}

bool sfi_unit_of_date(sfi_unit unit) {
  switch (unit) {
    case SFI_YEAR:
    case SFI_MONTH:
    case SFI_DAY:
    case SFI_QUARTER:
    case SFI_ISOYEAR:
    case SFI_WEEK:
    case SFI_DOW:
    case SFI_ISODOW:
    case SFI_DOY:
    case SFI_DECADE:
    case SFI_CENTURY:
    case SFI_MILLENNIUM: return true;
    default: return false;
  }
}

/* The calendar is counted from March of the year -4800, so that leap days end a year and centuries divide evenly. */
sfi_date sfi_date_of_days(int32_t days) {
  const int32_t j = days + EPOCH_JULIAN + 32044;
  const int32_t four_centuries = j / 146097, in_four = j % 146097;
  const int32_t century = (in_four / 36524 + 1) * 3 / 4, in_century = in_four - century * 36524;
  const int32_t four_years = in_century / 1461, in_four_years = in_century % 1461;
  const int32_t year = (in_four_years / 365 + 1) * 3 / 4, in_year = in_four_years - year * 365;
  const int32_t y = four_centuries * 400 + century * 100 + four_years * 4 + year;
  const int32_t m = (in_year * 5 + 308) / 153 - 2;
  return (sfi_date){y - 4800 + (m + 2) / 12, (m + 2) % 12 + 1, in_year - (m + 4) * 153 / 5 + 123};
}

static int32_t julian_of_date(int32_t year, int32_t month, int32_t day) {
  const int32_t a = (14 - month) / 12;
  const int32_t y = year + 4800 - a;
  const int32_t m = month + 12 * a - 3;
  return day + (153 * m + 2) / 5 + 365 * y + y / 4 - y / 100 + y / 400 - 32045;
}

int32_t sfi_days_of_date(int32_t year, int32_t month, int32_t day) { return julian_of_date(year, month, day) - EPOCH_JULIAN; }

void sfi_local_date(int64_t days, int64_t *year, int32_t *month, int32_t *day) {
  const int64_t shifted = days + 719468; /* from 0000-03-01 */
  const int64_t era = sfi_floor_div(shifted, 146097);
  const int64_t in_era = shifted - era * 146097;
  const int64_t year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  const int32_t in_year = (int32_t)(in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100));
  const int32_t m = (5 * in_year + 2) / 153;
  *day = in_year - (153 * m + 2) / 5 + 1;
  *month = m < 10 ? m + 3 : m - 9;
  *year = year_of_era + era * 400 + (*month <= 2);
}

int64_t sfi_local_days(int64_t year, int32_t month, int32_t day) {
  const int64_t y = month <= 2 ? year - 1 : year;
  const int64_t era = sfi_floor_div(y, 400);
  const int64_t year_of_era = y - era * 400;
  const int64_t in_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int64_t in_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + in_year;
  return era * 146097 + in_era - 719468;
}

/* --- fields */

static int64_t first_monday(int32_t year) {
  const int64_t january = julian_of_date(year, 1, 1);
  return january + (11 - sfi_floor_mod(january + 1, 7)) % 7 - 3;
}

static int32_t iso_week(int32_t julian, sfi_date d) {
  const int32_t weekday = (int32_t)sfi_floor_mod(julian, 7) + 1;
  const int64_t monday = first_monday(d.year);
  if (d.month == 12 && d.day > 28) {
    const bool ends_year = 31 - d.day + 4 > 7 - weekday && 31 - d.day + weekday >= 4;
    return ends_year ? (int32_t)(julian - monday) / 7 + 1 : 1;
  }
  if (d.month == 1 && d.day < 5) {
    const bool starts_year = 4 - d.day <= 7 - weekday && d.day - weekday >= -3;
    return starts_year ? 1 : (int32_t)(julian - first_monday(d.year - 1)) / 7 + 1;
  }
  return (int32_t)(julian - monday) / 7 + 1;
}

static int32_t iso_year(int32_t julian, sfi_date d) {
  const int32_t week = iso_week(julian, d);
  if (week == 1 && d.month == 12) return d.year + 1;
  return d.month == 1 && week > 50 ? d.year - 1 : d.year;
}

static int32_t away_from_zero(int32_t year, int32_t unit) {
  return year > 0 ? (year + unit - 1) / unit : (year - unit + 1) / unit;
}

int64_t sfi_extract_date(sfi_unit unit, int32_t days) {
  const int32_t julian = days + EPOCH_JULIAN;
  const sfi_date d = sfi_date_of_days(days);
  switch (unit) {
    case SFI_YEAR: return d.year;
    case SFI_MONTH: return d.month;
    case SFI_DAY: return d.day;
    case SFI_QUARTER: return (d.month + 2) / 3;
    case SFI_ISOYEAR: return iso_year(julian, d);
    case SFI_WEEK: return iso_week(julian, d);
    case SFI_DOW: return sfi_floor_mod(julian + 1, 7) + 1;
    case SFI_ISODOW: return sfi_floor_mod(julian, 7) + 1;
    case SFI_DOY: return julian - julian_of_date(d.year, 1, 1) + 1;
    case SFI_DECADE: return d.year / 10;
    case SFI_CENTURY: return away_from_zero(d.year, 100);
    case SFI_MILLENNIUM: return away_from_zero(d.year, 1000);
    default: return 0;
  }
}

/* --- rounding */

static sfi_date meeus_date(int32_t julian) {
  int32_t b = 0, c = julian + 32082;
  if (julian > 2299160) {
    const int32_t a = julian + 32044;
    b = (4 * a + 3) / 146097;
    c = a - b * 146097 / 4;
  }
  const int32_t d = (4 * c + 3) / 1461;
  const int32_t e = c - (1461 * d) / 4;
  const int32_t m = (5 * e + 2) / 153;
  return (sfi_date){b * 100 + d - 4800 + (m / 10), m + 3 - 12 * (m / 10), e - (153 * m + 2) / 5 + 1};
}

int32_t sfi_floor_date(sfi_unit unit, int32_t days, bool floor) {
  const int32_t julian = days + EPOCH_JULIAN;
  sfi_date d = meeus_date(julian);
  const bool into_year = !floor && (d.month > 1 || d.day > 1);
  switch (unit) {
    case SFI_MILLENNIUM: return sfi_days_of_date(1000 * ((d.year + 999) / 1000) + (floor ? -999 : 1), 1, 1);
    case SFI_CENTURY: return sfi_days_of_date(100 * ((d.year + 99) / 100) + (floor ? -99 : 1), 1, 1);
    case SFI_DECADE: return sfi_days_of_date(10 * (floor ? d.year / 10 : 1 + d.year / 10), 1, 1);
    case SFI_YEAR: return sfi_days_of_date(d.year + into_year, 1, 1);
    case SFI_MONTH: return sfi_days_of_date(d.year, d.month + (!floor && d.day > 1), 1);
    case SFI_QUARTER: return sfi_days_of_date(d.year, ((d.month + 2) / 3 + into_year) * 3 - 2, 1);
    case SFI_WEEK: {
      int32_t offset = (int32_t)sfi_floor_mod(julian + 1, 7);
      if (!floor && offset > 0) offset -= 7;
      return sfi_days_of_date(d.year, d.month, d.day) - offset;
    }
    default: return sfi_days_of_date(d.year, d.month, d.day) + !floor;
  }
}

/* --- months */

static int32_t last_day(int32_t year, int32_t month) {
  switch (month) {
    case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    case 4:
    case 6:
    case 9:
    case 11: return 30;
    default: return 31;
  }
}

int32_t sfi_add_months_to_days(int32_t days, int32_t months) {
  sfi_date d = sfi_date_of_days(days);
  const int32_t m = d.month + months;
  d.year += (int32_t)sfi_floor_div(m, 12);
  d.month = (int32_t)sfi_floor_mod(m, 12);
  if (d.month == 0) {
    d.year -= 1;
    d.month = 12;
  }
  const int32_t last = last_day(d.year, d.month);
  return sfi_days_of_date(d.year, d.month, d.day > last ? last : d.day);
}

int64_t sfi_add_months_to_millis(int64_t millis, int32_t months) {
  const int64_t in_day = sfi_floor_mod(millis, SFI_MILLIS_PER_DAY);
  const int32_t days = (int32_t)((millis - in_day) / SFI_MILLIS_PER_DAY);
  return sfi_add_months_to_days(days, months) * SFI_MILLIS_PER_DAY + in_day;
}

int32_t sfi_months_between_days(int32_t a, int32_t b) {
  if (a < b) return -sfi_months_between_days(b, a);
  for (int32_t m = (a - b) / 31;; m++) {
    if (sfi_add_months_to_days(b, m) >= a || sfi_add_months_to_days(b, m + 1) > a) return m;
  }
}

int32_t sfi_months_between_millis(int64_t a, int64_t b) {
  const int64_t in_a = sfi_floor_mod(a, SFI_MILLIS_PER_DAY), in_b = sfi_floor_mod(b, SFI_MILLIS_PER_DAY);
  const int32_t day_a = (int32_t)sfi_floor_div(a - in_a, SFI_MILLIS_PER_DAY);
  const int32_t day_b = (int32_t)sfi_floor_div(b - in_b, SFI_MILLIS_PER_DAY);
  const int32_t m = sfi_months_between_days(day_a, day_b);
  return sfi_add_months_to_days(day_b, m) == day_a && in_a < in_b ? m - 1 : m;
}
