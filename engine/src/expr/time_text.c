/* Printing and parsing of times. */
#include "expr/time_text.h"

#include <string.h>

#include "streamfusion/java_number.h"

/* --- printing */

size_t sfi_print_padded(uint64_t value, int width, char *to) {
  char reversed[20];
  int n = 0;
  for (; value != 0 || n == 0; value /= 10) reversed[n++] = (char)('0' + value % 10);
  size_t size = 0;
  for (; width > n; width--) to[size++] = '0';
  while (n > 0) to[size++] = reversed[--n];
  return size;
}

/* The last digits, each "0" plus a remainder; negative numbers come out as other characters, as they do in Flink. */
static char *last_two(int32_t v, char *to) {
  to[0] = (char)('0' + v / 10 % 10);
  to[1] = (char)('0' + v % 10);
  return to + 2;
}

static char *last_four(int32_t v, char *to) { return last_two(v, last_two(v / 100, to)); }

static char *print_ymd(int32_t year, int32_t month, int32_t day, char *to) {
  to = last_four(year, to);
  *to++ = '-';
  to = last_two(month, to);
  *to++ = '-';
  return last_two(day, to);
}

static char *print_hms(int32_t seconds, char *to) {
  to = last_two(seconds / 3600, to);
  *to++ = ':';
  to = last_two(seconds / 60 % 60, to);
  *to++ = ':';
  return last_two(seconds % 60, to);
}

size_t sfi_print_date(int32_t days, char *to) {
  const sfi_date d = sfi_date_of_days(days);
  return (size_t)(print_ymd(d.year, d.month, d.day, to) - to);
}

/* The fraction ends early: after the digit behind which only zeros follow. */
size_t sfi_print_time(int32_t millis, int32_t precision, char *to) {
  while (millis < 0) millis += (int32_t)SFI_MILLIS_PER_DAY;
  char *p = print_hms(millis / 1000, to);
  int32_t rest = millis % 1000;
  if (precision > 0) *p++ = '.';
  for (; precision > 0; precision--) {
    *p++ = (char)('0' + rest / 100);
    rest = rest % 100 * 10;
    if (rest == 0) break;
  }
  return (size_t)(p - to);
}

size_t sfi_print_timestamp(int64_t millis, int32_t nanos, int32_t precision, char *to) {
  const int64_t days = sfi_floor_div(millis, SFI_MILLIS_PER_DAY);
  const int32_t in_day = (int32_t)(millis - days * SFI_MILLIS_PER_DAY);
  int64_t year;
  int32_t month, day;
  sfi_local_date(days, &year, &month, &day);
  char *p = print_ymd((int32_t)year, month, day, to);
  *p++ = ' ';
  p = print_hms(in_day / 1000, p);
  if (precision > 0) {
    *p++ = '.';
    char fraction[9];
    sfi_print_padded((uint64_t)(in_day % 1000 * 1000000 + nanos), 9, fraction);
    memcpy(p, fraction, (size_t)precision);
    p += precision;
  }
  return (size_t)(p - to);
}

size_t sfi_print_months(int32_t months, char *to) {
  char *p = to;
  *p++ = months >= 0 ? '+' : '-';
  const int32_t v = months >= 0 ? months : -months;
  p += sf_long_text(v / 12, p);
  *p++ = '-';
  const int32_t rest = v % 12;
  if (rest < 10 && rest > -10) *p++ = '0';
  return (size_t)(p - to) + sf_long_text(rest, p);
}

size_t sfi_print_millis(int64_t millis, char *to) {
  char *p = to;
  *p++ = millis >= 0 ? '+' : '-';
  const uint64_t v = millis >= 0 ? (uint64_t)millis : 0 - (uint64_t)millis;
  p += sf_long_text((int32_t)(v / (uint64_t)SFI_MILLIS_PER_DAY), p);
  *p++ = ' ';
  const int32_t in_day = (int32_t)(v % (uint64_t)SFI_MILLIS_PER_DAY);
  p = print_hms(in_day / 1000, p);
  *p++ = '.';
  return (size_t)(p - to) + sfi_print_padded((uint64_t)(in_day % 1000), 3, p);
}

/* --- pieces of text */

typedef struct span {
  const uint8_t *p;
  int64_t size;
} span;

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

/* String.indexOf(c, from). */
static int64_t index_of(span s, uint8_t c, int64_t from) {
  for (int64_t i = from < 0 ? 0 : from; i < s.size; i++) {
    if (s.p[i] == c) return i;
  }
  return -1;
}

/* String.trim. */
static span trimmed(span s) {
  while (s.size > 0 && s.p[0] <= ' ') {
    s.p++;
    s.size--;
  }
  while (s.size > 0 && s.p[s.size - 1] <= ' ') s.size--;
  return s;
}

/* Integer.parseInt of [from, to), trimmed, when that is all digits. */
static sfi_parse parse_int(span s, int64_t from, int64_t to, int32_t *out, sfi_bad_number *bad) {
  if (from > to) return SFI_PARSE_INDEX;
  const span t = trimmed((span){s.p + from, to - from});
  if (t.size == 0) return SFI_PARSE_NULL;
  for (int64_t i = 0; i < t.size; i++) {
    if (!is_digit(t.p[i])) return SFI_PARSE_NULL;
  }
  int64_t v = 0;
  for (int64_t i = 0; i < t.size; i++) {
    v = v * 10 + (t.p[i] - '0');
    if (v > INT32_MAX) {
      *bad = (sfi_bad_number){t.p, (uint32_t)t.size};
      return SFI_PARSE_NUMBER;
    }
  }
  *out = (int32_t)v;
  return SFI_PARSED;
}

#define PARSE(call)                        \
  do {                                     \
    const sfi_parse parse_ = (call);       \
    if (parse_ != SFI_PARSED) return parse_; \
  } while (0)

static bool is_leap(int64_t y) { return y % 400 == 0 || (y % 4 == 0 && y % 100 != 0); }

static int32_t month_length(int64_t year, int32_t month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* --- DATE: year, year-month or year-month-day; whatever follows a blank is ignored. */

sfi_parse sfi_parse_date(const sf_view *text, int32_t *days, sfi_bad_number *bad) {
  span s = {text->data, text->size};
  const int64_t blank = index_of(s, ' ', 0);
  if (blank > 0) s.size = blank;
  const int64_t first = index_of(s, '-', 0);
  int32_t year = 0, month = 1, day = 1;
  PARSE(parse_int(s, 0, first < 0 ? s.size : first, &year, bad));
  if (first >= 0) {
    const int64_t second = index_of(s, '-', first + 1);
    PARSE(parse_int(s, first + 1, second < 0 ? s.size : second, &month, bad));
    if (second >= 0) PARSE(parse_int(s, second + 1, s.size, &day, bad));
  }
  if (year > 9999 || month < 1 || month > 12 || day < 1 || day > month_length(year, month)) return SFI_PARSE_NULL;
  *days = sfi_days_of_date(year, month, day);
  return SFI_PARSED;
}

/* --- TIME: hour[:minute[:second[.fraction]]][(+|-)hour[:minute]] */

/* Three digits, the third rounded by the fourth; anything else than a digit counts as zero. */
static int32_t parse_fraction(span s) {
  int32_t r = 0, multiplier = 100;
  for (int64_t i = 0; i < s.size; i++) {
    r += is_digit(s.p[i]) ? multiplier * (s.p[i] - '0') : 0;
    if (multiplier < 10) {
      if (i + 1 < s.size && s.p[i + 1] >= '5') r++;
      break;
    }
    multiplier /= 10;
  }
  return r;
}

typedef struct clock_text {
  int32_t hour, minute, second, millis;
} clock_text;

static sfi_parse parse_clock(span s, int64_t end, clock_text *t, sfi_bad_number *bad) {
  const int64_t colon1 = index_of(s, ':', 0);
  if (colon1 < 0) return parse_int(s, 0, end, &t->hour, bad);
  PARSE(parse_int(s, 0, colon1, &t->hour, bad));
  const int64_t colon2 = index_of(s, ':', colon1 + 1);
  if (colon2 < 0) return parse_int(s, colon1 + 1, end, &t->minute, bad);
  PARSE(parse_int(s, colon1 + 1, colon2, &t->minute, bad));
  const int64_t dot = index_of(s, '.', colon2);
  if (dot < 0) return parse_int(s, colon2 + 1, end, &t->second, bad);
  PARSE(parse_int(s, colon2 + 1, dot, &t->second, bad));
  if (dot + 1 > end) return SFI_PARSE_INDEX;
  t->millis = parse_fraction(trimmed((span){s.p + dot + 1, end - dot - 1}));
  return SFI_PARSED;
}

sfi_parse sfi_parse_time(const sf_view *text, int32_t *millis, sfi_bad_number *bad) {
  const span s = {text->data, text->size};
  int64_t zone = index_of(s, '-', 0);
  const int32_t sign = zone < 0 ? 1 : -1;
  if (zone < 0) zone = index_of(s, '+', 0);
  int32_t zone_hour = 0, zone_minute = 0;
  if (zone >= 0) {
    const int64_t colon = index_of(s, ':', zone);
    PARSE(parse_int(s, zone + 1, colon < 0 ? s.size : colon, &zone_hour, bad));
    if (colon >= 0) PARSE(parse_int(s, colon + 1, s.size, &zone_minute, bad));
  }
  clock_text t = {0, 0, 0, 0};
  PARSE(parse_clock(s, zone < 0 ? s.size : zone, &t, bad));
  if (t.hour > 23 || t.minute > 59 || t.second > 59) return SFI_PARSE_NULL;
  t.hour += sign * zone_hour;
  t.minute += sign * zone_minute;
  *millis = t.hour * (int32_t)SFI_MILLIS_PER_HOUR + t.minute * (int32_t)SFI_MILLIS_PER_MINUTE +
            t.second * (int32_t)SFI_MILLIS_PER_SECOND + t.millis;
  return SFI_PARSED;
}

/* --- TIMESTAMP: yyyy-[MM][M]-[dd][d], then optionally " [HH][H]:[mm][m]:[ss][s]" and a fraction */

/* What was read; a field that is missing has -1 as `has`. */
typedef struct field {
  bool has;
  int64_t value;
} field;

typedef struct timestamp_text {
  int64_t year;
  field month, day, hour, minute, second, nanos;
} timestamp_text;

/* Digits from `at` on, at most 19; false when there is none. Numbers too big for the calendar are cut to one that is. */
static bool read_digits(span s, int64_t *at, int64_t *value) {
  int64_t i = *at, v = 0;
  for (; i < s.size && i < *at + 19 && is_digit(s.p[i]); i++) {
    v = v * 10 + (s.p[i] - '0');
    if (v > INT64_C(10000000000000)) v = INT64_C(10000000000000);
  }
  if (i == *at) return false;
  *at = i;
  *value = v;
  return true;
}

/* "[MM][M]": two digits, which the second form may repeat in any width; or one digit; or, through the second form alone, a
 * negative number, which no field can take; or nothing. */
static void read_pair(span s, int64_t *at, field *out) {
  int64_t end = *at, value = 0;
  if (s.size - *at >= 2 && is_digit(s.p[*at]) && is_digit(s.p[*at + 1])) {
    out->has = true;
    out->value = (s.p[*at] - '0') * 10 + (s.p[*at + 1] - '0');
    *at += 2;
    end = *at;
    if (read_digits(s, &end, &value) && value == out->value) *at = end;
  } else if (read_digits(s, &end, &value)) {
    *out = (field){true, value};
    *at = end;
  } else if (s.size - *at >= 2 && s.p[*at] == '-') {
    end = *at + 1;
    if (!read_digits(s, &end, &value) || value == 0) return;
    *out = (field){true, -value};
    *at = end;
  }
}

static bool read_char(span s, int64_t *at, uint8_t c) {
  if (*at >= s.size || s.p[*at] != c) return false;
  (*at)++;
  return true;
}

static bool read_year(span s, int64_t *at, int64_t *year) {
  const bool plus = read_char(s, at, '+');
  const int64_t from = *at;
  if (!read_digits(s, at, year)) return false;
  return plus ? *at - from > 4 : *at - from == 4;
}

static void read_fraction(span s, int64_t *at, field *out) {
  if (!read_char(s, at, '.')) return;
  int64_t v = 0;
  int n = 0;
  for (; n < 9 && *at < s.size && is_digit(s.p[*at]); n++, (*at)++) v = v * 10 + (s.p[*at] - '0');
  for (; n < 9; n++) v *= 10;
  *out = (field){true, v};
}

static bool read_timestamp(span s, timestamp_text *t) {
  int64_t at = 0;
  if (!read_year(s, &at, &t->year) || !read_char(s, &at, '-')) return false;
  read_pair(s, &at, &t->month);
  if (!read_char(s, &at, '-')) return false;
  read_pair(s, &at, &t->day);
  if (at == s.size) return true;
  if (!read_char(s, &at, ' ')) return false;
  read_pair(s, &at, &t->hour);
  if (!read_char(s, &at, ':')) return false;
  read_pair(s, &at, &t->minute);
  if (!read_char(s, &at, ':')) return false;
  read_pair(s, &at, &t->second);
  read_fraction(s, &at, &t->nanos);
  return at == s.size;
}

static bool within(field f, int64_t low, int64_t high) { return !f.has || (f.value >= low && f.value <= high); }

/* java.time's smart resolver: days beyond the month's end mean its last day, 24:00 means the midnight after. */
static bool resolve(timestamp_text *t, int64_t *days) {
  if (t->year < 1 || t->year > 999999999) return false;
  if (!within(t->month, 1, 12) || !within(t->day, 1, 31)) return false;
  const bool dated = t->month.has && t->day.has;
  const int32_t month = t->month.has ? (int32_t)t->month.value : 1;
  int32_t day = t->day.has ? (int32_t)t->day.value : 1;
  const int32_t last = month_length(t->year, month);
  if (dated && day > last) day = last;
  *days = sfi_local_days(t->year, month, day);
  const bool gaps = (!t->minute.has && (t->second.has || t->nanos.has)) ||
                    (t->minute.has && !t->second.has && t->nanos.has);
  if (t->hour.has && !gaps && t->hour.value == 24 && t->minute.value == 0 && t->second.value == 0 &&
      t->nanos.value == 0) {
    t->hour.value = 0;
    *days += dated;
  }
  return within(t->hour, 0, 23) && within(t->minute, 0, 59) && within(t->second, 0, 59);
}

static int64_t power_of_ten(int n) {
  int64_t v = 1;
  while (n-- > 0) v *= 10;
  return v;
}

static int two_at(const uint8_t *p, int32_t *out) {
  *out = (p[0] - '0') * 10 + (p[1] - '0');
  return is_digit(p[0]) && is_digit(p[1]);
}

/* yyyy-MM-dd HH:mm:ss with or without a fraction, all in range: nearly every text there is. */
static bool read_canonical(span s, int64_t *days, int32_t *seconds, int64_t *nanos) {
  if (s.size < 19 || s.size == 20 || s.size > 29) return false;
  const uint8_t *p = s.p;
  if (p[4] != '-' || p[7] != '-' || p[10] != ' ' || p[13] != ':' || p[16] != ':') return false;
  int32_t century, year, month, day, hour, minute, second;
  const bool digits = two_at(p, &century) & two_at(p + 2, &year) & two_at(p + 5, &month) & two_at(p + 8, &day) &
                      two_at(p + 11, &hour) & two_at(p + 14, &minute) & two_at(p + 17, &second);
  year += century * 100;
  if (!digits || year < 1 || month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59) {
    return false;
  }
  *nanos = 0;
  if (s.size > 19) {
    if (p[19] != '.') return false;
    for (int64_t i = 20; i < s.size; i++) {
      if (!is_digit(p[i])) return false;
      *nanos = *nanos * 10 + (p[i] - '0');
    }
    *nanos *= power_of_ten((int)(29 - s.size));
  }
  *days = sfi_local_days(year, month, day);
  *seconds = hour * 3600 + minute * 60 + second;
  return true;
}

bool sfi_parse_timestamp(const sf_view *text, int32_t precision, int64_t *millis, int32_t *nanos) {
  const span s = {text->data, text->size};
  int64_t days, fraction;
  int32_t seconds;
  if (!read_canonical(s, &days, &seconds, &fraction)) {
    timestamp_text t = {0};
    if (!read_timestamp(s, &t) || !resolve(&t, &days)) return false;
    seconds = (int32_t)(t.hour.value * 3600 + t.minute.value * 60 + t.second.value);
    fraction = t.nanos.value;
  }
  if (precision < 9) fraction -= fraction % power_of_ten(9 - precision);
  *millis = days * SFI_MILLIS_PER_DAY + seconds * SFI_MILLIS_PER_SECOND + fraction / 1000000;
  *nanos = (int32_t)(fraction % 1000000);
  return true;
}
