/* CAST and TRY_CAST among DATE, TIME, TIMESTAMP and TIMESTAMP_LTZ: the rules of
 * org.apache.flink.table.planner.functions.casting and what they call in DateTimeUtils. None of them fails.
 *
 * Plain timestamps before 1970 become the day after and a negative time, for Flink's division truncates; those with a zone
 * go through java.time and become what one expects. */
#include "expr/text.h"
#include "expr/times.h"

/* Instant of a local time in the session zone, as LocalDateTime.atZone resolves gaps and overlaps. */
static inline int64_t instant_of(const sfi_eval *ev, int64_t local) {
  return local - sfi_zone_offset_of_local(ev->session, local);
}

static inline int64_t local_of(const sfi_eval *ev, int64_t instant) {
  return instant + sfi_zone_offset_of_instant(ev->session, instant);
}

/* --- from DATE and TIME */

static bool accepts_from_date(const sfi_call *call) {
  if (call->n_args != 1 || (!sfi_is_timestamp(call->type) && !sfi_is_ltz(call->type))) return false;
  return call->arg_types[0]->kind == SF_TYPE_DATE || call->arg_types[0]->kind == SF_TYPE_TIME;
}

static sf_status run_from_date(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                               sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_ints in = sfi_ints_of(args[0]);
  const int64_t unit = args[0]->type->kind == SF_TYPE_DATE ? SFI_MILLIS_PER_DAY : 1;
  const bool ltz = sfi_is_ltz(call->type);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    const int64_t local = sfi_int_at(in, i) * unit;
    sfi_times_set(&t, i, ltz ? instant_of(ev, local) : local, 0);
  }
  return sfi_times_finish(call, ev, &t, SF_OK, out, err);
}

/* --- to DATE and TIME */

static bool accepts_to_date(const sfi_call *call) {
  if (call->n_args != 1 || (!sfi_is_timestamp(call->arg_types[0]) && !sfi_is_ltz(call->arg_types[0]))) return false;
  return call->type->kind == SF_TYPE_DATE || call->type->kind == SF_TYPE_TIME;
}

/* toInternal(LocalDate): day numbers so old that its division goes wrong are not those of java.time. */
static inline int32_t internal_date(int64_t days) {
  if (days > -2400000 && days < 700000000) return (int32_t)days;
  int64_t year;
  int32_t month, day;
  sfi_local_date(days, &year, &month, &day);
  return sfi_days_of_date((int32_t)year, month, day);
}

static inline int32_t cut_time(int32_t millis, int32_t precision) {
  const int32_t unit = precision == 0 ? 1000 : precision == 1 ? 100 : precision == 2 ? 10 : 1;
  return millis / unit * unit;
}

static sf_status run_to_date(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                             sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_times in = sfi_times_of(args[0]);
  const bool ltz = sfi_is_ltz(args[0]->type), date = call->type->kind == SF_TYPE_DATE;
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    const int64_t millis = sfi_millis_at(in, i);
    if (!ltz) {
      t.ints[i] = date ? (int32_t)(millis / SFI_MILLIS_PER_DAY)
                       : cut_time((int32_t)(millis % SFI_MILLIS_PER_DAY), call->type->precision);
      continue;
    }
    const int64_t local = local_of(ev, millis);
    t.ints[i] = date ? internal_date(sfi_floor_div(local, SFI_MILLIS_PER_DAY))
                     : cut_time((int32_t)sfi_floor_mod(local, SFI_MILLIS_PER_DAY), call->type->precision);
  }
  return sfi_times_finish(call, ev, &t, SF_OK, out, err);
}

/* --- among timestamps */

static bool accepts_timestamps(const sfi_call *call) {
  return call->n_args == 1 && (sfi_is_timestamp(call->type) || sfi_is_ltz(call->type)) &&
         (sfi_is_timestamp(call->arg_types[0]) || sfi_is_ltz(call->arg_types[0]));
}

static int64_t power_of_ten(int32_t n) {
  int64_t v = 1;
  while (n-- > 0) v *= 10;
  return v;
}

/* DateTimeUtils.truncate: nothing happens to a time whose nanoseconds of the second, written without leading zeros, have no
 * more digits than the precision. */
static inline void truncate_to(int32_t precision, int64_t *millis, int32_t *nanos) {
  const int64_t of_second = sfi_floor_mod(*millis, 1000) * 1000000 + *nanos;
  if (of_second < power_of_ten(precision)) return;
  if (precision <= 3) {
    const int64_t unit = power_of_ten(3 - precision);
    *millis = *millis / unit * unit;
    *nanos = 0;
  } else {
    const int32_t unit = (int32_t)power_of_ten(9 - precision);
    *nanos = *nanos / unit * unit;
  }
}

static sf_status run_timestamps(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_times in = sfi_times_of(args[0]);
  const bool from_ltz = sfi_is_ltz(args[0]->type), to_ltz = sfi_is_ltz(call->type);
  const int32_t precision = call->type->precision;
  const bool shorter = args[0]->type->precision > precision;
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    int64_t millis = sfi_millis_at(in, i);
    int32_t nanos = sfi_nanos_at(in, i);
    if (from_ltz && !to_ltz) millis = local_of(ev, millis);
    if (to_ltz && !from_ltz) millis = instant_of(ev, millis);
    if (shorter) truncate_to(precision, &millis, &nanos);
    sfi_times_set(&t, i, millis, nanos);
  }
  return sfi_times_finish(call, ev, &t, SF_OK, out, err);
}

#define CASTS(cast)                                                                                                   \
  {.name = cast, .signature = "(DATE, TIME) -> TIMESTAMP, TIMESTAMP_LTZ", .flags = SFI_STRICT,                          \
   .accepts = accepts_from_date, .kernel = run_from_date},                                                            \
      {.name = cast, .signature = "(TIMESTAMP, TIMESTAMP_LTZ) -> DATE, TIME", .flags = SFI_STRICT,                      \
       .accepts = accepts_to_date, .kernel = run_to_date},                                                            \
      {.name = cast, .signature = "(TIMESTAMP, TIMESTAMP_LTZ) -> TIMESTAMP, TIMESTAMP_LTZ", .flags = SFI_STRICT,        \
       .accepts = accepts_timestamps, .kernel = run_timestamps},

const sfi_function sfi_cast_time_functions[] = {CASTS("CAST") CASTS("TRY_CAST"){.name = NULL}};
