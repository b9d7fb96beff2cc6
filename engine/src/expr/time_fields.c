/* EXTRACT, FLOOR_TIME and CEIL_TIME: ExtractCallGen, FloorCeilCallGen and what they call in DateTimeUtils.
 *
 * Divisions truncate, so times of day before 1970 come out negative and the day is the one after; TIMESTAMP_LTZ is read with
 * the offset that java.util.TimeZone gives for the instant. */
#include "expr/text.h"
#include "expr/times.h"

/* Remainder and divisor that give a time-of-day unit: (millis % in) / by. */
typedef struct clock_unit {
  int64_t in, by;
} clock_unit;

static bool clock_unit_of(sfi_unit unit, clock_unit *out) {
  switch (unit) {
    case SFI_HOUR: *out = (clock_unit){SFI_MILLIS_PER_DAY, SFI_MILLIS_PER_HOUR}; return true;
    case SFI_MINUTE: *out = (clock_unit){SFI_MILLIS_PER_HOUR, SFI_MILLIS_PER_MINUTE}; return true;
    case SFI_SECOND: *out = (clock_unit){SFI_MILLIS_PER_MINUTE, SFI_MILLIS_PER_SECOND}; return true;
    case SFI_MILLISECOND: *out = (clock_unit){SFI_MILLIS_PER_SECOND, 1}; return true;
    default: return false;
  }
}

/* Constant divisors, so that the compiler multiplies. */
static inline int64_t clock_field(sfi_unit unit, int64_t millis) {
  switch (unit) {
    case SFI_HOUR: return millis % SFI_MILLIS_PER_DAY / SFI_MILLIS_PER_HOUR;
    case SFI_MINUTE: return millis % SFI_MILLIS_PER_HOUR / SFI_MILLIS_PER_MINUTE;
    case SFI_SECOND: return millis % SFI_MILLIS_PER_MINUTE / SFI_MILLIS_PER_SECOND;
    default: return millis % SFI_MILLIS_PER_SECOND;
  }
}

/* --- EXTRACT */

static inline int64_t extract_timestamp(sfi_unit unit, int64_t millis, int32_t nanos) {
  switch (unit) {
    case SFI_HOUR: return clock_field(SFI_HOUR, millis);
    case SFI_MINUTE: return clock_field(SFI_MINUTE, millis);
    case SFI_SECOND: return clock_field(SFI_SECOND, millis);
    case SFI_MILLISECOND: return clock_field(SFI_MILLISECOND, millis);
    case SFI_MICROSECOND: return millis % SFI_MILLIS_PER_SECOND * 1000 + nanos / 1000;
    case SFI_NANOSECOND: return millis % SFI_MILLIS_PER_SECOND * 1000000 + nanos;
    case SFI_EPOCH: return millis / SFI_MILLIS_PER_SECOND;
    default: return sfi_extract_date(unit, (int32_t)(millis / SFI_MILLIS_PER_DAY));
  }
}

static bool accepts_extract_timestamp(const sfi_call *call) {
  if (call->n_args != 2 || call->type->kind != SF_TYPE_BIGINT) return false;
  if (!sfi_is_timestamp(call->arg_types[1]) && !sfi_is_ltz(call->arg_types[1])) return false;
  return sfi_unit_operand(call, 0) != SFI_UNIT_NONE;
}

static sf_status run_extract_timestamp(const sfi_call *call, sfi_eval *ev, const sf_column *const *args,
                                       sf_column **out, sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_times in = sfi_times_of(args[1]);
  const sfi_unit unit = sfi_unit_of(args[0]->values);
  if (sfi_is_ltz(args[1]->type)) {
    for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
      const int64_t millis = sfi_millis_at(in, i);
      t.millis[i] = extract_timestamp(unit, millis + sfi_zone_util_offset(ev->session, millis), sfi_nanos_at(in, i));
    }
  } else if (unit == SFI_HOUR && sfi_dense(ev) && in.step == 1) {
    for (int64_t i = 0; i < ev->length; i++) t.millis[i] = clock_field(SFI_HOUR, in.millis[i]);
  } else {
    for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
      t.millis[i] = extract_timestamp(unit, sfi_millis_at(in, i), sfi_nanos_at(in, i));
    }
  }
  return sfi_times_finish(call, ev, &t, SF_OK, out, err);
}

/* DATE, TIME and the intervals: values are one integer. */
static inline int64_t extract_integer(sf_type_kind kind, sfi_unit unit, int64_t v) {
  switch (kind) {
    case SF_TYPE_DATE: return unit == SFI_EPOCH ? v * 86400 : sfi_extract_date(unit, (int32_t)v);
    case SF_TYPE_TIME: return clock_field(unit, v);
    case SF_TYPE_INTERVAL_DAY_TIME: return unit == SFI_DAY ? v / SFI_MILLIS_PER_DAY : clock_field(unit, v);
    default: return unit == SFI_YEAR ? v / 12 : unit == SFI_MONTH ? v % 12 : (v % 12 - 1) / 3 + 1;
  }
}

static bool accepts_extract_integer(const sfi_call *call) {
  if (call->n_args != 2 || call->type->kind != SF_TYPE_BIGINT) return false;
  const sfi_unit unit = sfi_unit_operand(call, 0);
  clock_unit clock;
  switch (call->arg_types[1]->kind) {
    case SF_TYPE_DATE: return unit == SFI_EPOCH || sfi_unit_of_date(unit);
    case SF_TYPE_TIME: return clock_unit_of(unit, &clock);
    case SF_TYPE_INTERVAL_DAY_TIME: return unit == SFI_DAY || clock_unit_of(unit, &clock);
    case SF_TYPE_INTERVAL_YEAR_MONTH: return unit == SFI_YEAR || unit == SFI_MONTH || unit == SFI_QUARTER;
    default: return false;
  }
}

static sf_status run_extract_integer(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                     sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_ints in = sfi_ints_of(args[1]);
  const sfi_unit unit = sfi_unit_of(args[0]->values);
  const sf_type_kind kind = args[1]->type->kind;
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) t.millis[i] = extract_integer(kind, unit, sfi_int_at(in, i));
  return sfi_times_finish(call, ev, &t, SF_OK, out, err);
}

/* --- FLOOR, CEIL */

static bool unit_of_rounding(sfi_unit unit) {
  clock_unit clock;
  switch (unit) {
    case SFI_MILLENNIUM:
    case SFI_CENTURY:
    case SFI_DECADE:
    case SFI_YEAR:
    case SFI_QUARTER:
    case SFI_MONTH:
    case SFI_WEEK:
    case SFI_DAY: return true;
    default: return clock_unit_of(unit, &clock);
  }
}

static int64_t floor_to(int64_t v, int64_t by) { return v - sfi_floor_mod(v, by); }

static int64_t width_of(sfi_unit unit) {
  clock_unit clock = {1, SFI_MILLIS_PER_DAY};
  clock_unit_of(unit, &clock);
  return clock.by;
}

/* SqlFunctionUtils.floor and ceil of longs. */
static inline int64_t round_clock(sfi_unit unit, int64_t millis, bool floor) {
  const int64_t by = width_of(unit);
  return floor_to(floor ? millis : millis + by - 1, by);
}

static inline int64_t round_timestamp(sfi_unit unit, int64_t millis, int32_t nanos, bool floor) {
  if (unit == SFI_MILLISECOND) return millis + (!floor && nanos > 0);
  if (unit == SFI_DAY || !sfi_unit_of_date(unit)) return round_clock(unit, millis, floor);
  return sfi_floor_date(unit, (int32_t)(millis / SFI_MILLIS_PER_DAY), floor) * SFI_MILLIS_PER_DAY;
}

/* timestampFloor and timestampCeil: one offset for both directions. */
static inline int64_t round_ltz(const sf_session *session, sfi_unit unit, int64_t millis, bool floor) {
  const int64_t offset = sfi_zone_util_offset(session, millis), local = millis + offset;
  if (unit == SFI_DAY || !sfi_unit_of_date(unit)) {
    const int64_t by = width_of(unit), down = floor_to(local, by);
    return (floor || down == local ? down : down + by) - offset;
  }
  return sfi_floor_date(unit, (int32_t)(local / SFI_MILLIS_PER_DAY), floor) * SFI_MILLIS_PER_DAY - offset;
}

static bool accepts_round_timestamp(const sfi_call *call) {
  if (call->n_args != 2 || call->type->kind != call->arg_types[0]->kind) return false;
  if (!sfi_is_timestamp(call->type) && !sfi_is_ltz(call->type)) return false;
  return unit_of_rounding(sfi_unit_operand(call, 1));
}

static sf_status run_round_timestamp(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, bool floor,
                                     sf_column **out, sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_times in = sfi_times_of(args[0]);
  const sfi_unit unit = sfi_unit_of(args[1]->values);
  const bool ltz = sfi_is_ltz(args[0]->type);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    const int64_t millis = sfi_millis_at(in, i);
    sfi_times_set(&t, i,
                  ltz ? round_ltz(ev->session, unit, millis, floor)
                      : round_timestamp(unit, millis, sfi_nanos_at(in, i), floor),
                  0);
  }
  return sfi_times_finish(call, ev, &t, SF_OK, out, err);
}

static sf_status run_floor_timestamp(const sfi_call *call, sfi_eval *ev, const sf_column *const *args,
                                     sf_column **out, sf_error *err) {
  return run_round_timestamp(call, ev, args, true, out, err);
}

static sf_status run_ceil_timestamp(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                    sf_error *err) {
  return run_round_timestamp(call, ev, args, false, out, err);
}

/* DATE stays what it is under units of the clock; TIME knows no others. */
static bool accepts_round_integer(const sfi_call *call) {
  if (call->n_args != 2 || call->type->kind != call->arg_types[0]->kind) return false;
  const sfi_unit unit = sfi_unit_operand(call, 1);
  clock_unit clock;
  if (call->type->kind == SF_TYPE_DATE) return unit_of_rounding(unit);
  return call->type->kind == SF_TYPE_TIME && clock_unit_of(unit, &clock);
}

static inline int32_t round_time(sfi_unit unit, int32_t time, bool floor) {
  const int32_t by = (int32_t)width_of(unit);
  int32_t rest = time % by;
  if (floor && rest < 0) rest += by;
  if (!floor && rest > 0) rest -= by;
  return time - rest;
}

static sf_status run_round_integer(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, bool floor,
                                   sf_column **out, sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_ints in = sfi_ints_of(args[0]);
  const sfi_unit unit = sfi_unit_of(args[1]->values);
  const bool date = call->type->kind == SF_TYPE_DATE;
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    const int32_t v = (int32_t)sfi_int_at(in, i);
    t.ints[i] = !date ? round_time(unit, v, floor) : sfi_unit_of_date(unit) ? sfi_floor_date(unit, v, floor) : v;
  }
  return sfi_times_finish(call, ev, &t, SF_OK, out, err);
}

static sf_status run_floor_integer(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                   sf_error *err) {
  return run_round_integer(call, ev, args, true, out, err);
}

static sf_status run_ceil_integer(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                  sf_error *err) {
  return run_round_integer(call, ev, args, false, out, err);
}

const sfi_function sfi_time_field_functions[] = {
    {.name = "EXTRACT", .signature = "(literal unit, TIMESTAMP or TIMESTAMP_LTZ) -> BIGINT", .flags = SFI_STRICT,
     .accepts = accepts_extract_timestamp, .kernel = run_extract_timestamp},
    {.name = "EXTRACT", .signature = "(literal unit, DATE, TIME or INTERVAL) -> BIGINT", .flags = SFI_STRICT,
     .accepts = accepts_extract_integer, .kernel = run_extract_integer},
    {.name = "FLOOR_TIME", .signature = "(TIMESTAMP or TIMESTAMP_LTZ, literal unit) -> same", .flags = SFI_STRICT,
     .accepts = accepts_round_timestamp, .kernel = run_floor_timestamp},
    {.name = "FLOOR_TIME", .signature = "(DATE or TIME, literal unit) -> same", .flags = SFI_STRICT,
     .accepts = accepts_round_integer, .kernel = run_floor_integer},
    {.name = "CEIL_TIME", .signature = "(TIMESTAMP or TIMESTAMP_LTZ, literal unit) -> same", .flags = SFI_STRICT,
     .accepts = accepts_round_timestamp, .kernel = run_ceil_timestamp},
    {.name = "CEIL_TIME", .signature = "(DATE or TIME, literal unit) -> same", .flags = SFI_STRICT,
     .accepts = accepts_round_integer, .kernel = run_ceil_integer},
    {.name = NULL},
};
