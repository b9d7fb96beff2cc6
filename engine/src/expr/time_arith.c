/* Times plus intervals, differences of times, and TO_TIMESTAMP_LTZ of numbers: ScalarOperatorGens.generateTemporalPlusMinus,
 * TimestampDiffCallGen, DateTimeUtils.toTimestampData. */
#include <math.h>

#include "expr/text.h"
#include "expr/times.h"

/* --- TIMESTAMP_PLUS(time, interval) */

static bool is_months(const sf_type *t) { return t->kind == SF_TYPE_INTERVAL_YEAR_MONTH; }
static bool is_interval(const sf_type *t) { return is_months(t) || t->kind == SF_TYPE_INTERVAL_DAY_TIME; }

static bool accepts_plus_timestamp(const sfi_call *call) {
  if (call->n_args != 2 || !is_interval(call->arg_types[1]) || call->type->kind != call->arg_types[0]->kind) return false;
  return sfi_is_timestamp(call->type) || sfi_is_ltz(call->type);
}

static sf_status run_plus_timestamp(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                    sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_times in = sfi_times_of(args[0]);
  const sfi_ints interval = sfi_ints_of(args[1]);
  if (is_months(args[1]->type)) {
    for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
      const int32_t months = (int32_t)sfi_int_at(interval, i);
      sfi_times_set(&t, i, sfi_add_months_to_millis(sfi_millis_at(in, i), months), sfi_nanos_at(in, i));
    }
  } else if (interval.step == 0 && in.step == 1 && t.nanos == NULL && sfi_dense(ev)) {
    const int64_t millis = *(const int64_t *)interval.p;
    for (int64_t i = 0; i < ev->length; i++) t.millis[i] = in.millis[i] + millis;
  } else {
    for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
      sfi_times_set(&t, i, sfi_millis_at(in, i) + sfi_int_at(interval, i), sfi_nanos_at(in, i));
    }
  }
  return sfi_times_finish(call, ev, &t, SF_OK, out, err);
}

/* DATE plus days to seconds is a DATE, or a TIMESTAMP where the planner says so; TIME stays within its day. */
static bool accepts_plus_integer(const sfi_call *call) {
  if (call->n_args != 2 || !is_interval(call->arg_types[1])) return false;
  const sf_type_kind from = call->arg_types[0]->kind, to = call->type->kind;
  if (from == SF_TYPE_DATE && to == SF_TYPE_TIMESTAMP) return !is_months(call->arg_types[1]);
  return from == to && (from == SF_TYPE_DATE || from == SF_TYPE_TIME);
}

/* Only whole days out of a column of intervals can overflow. */
static bool accepts_safe_plus_integer(const sfi_call *call) {
  if (!accepts_plus_integer(call)) return false;
  if (call->type->kind != SF_TYPE_DATE || is_months(call->arg_types[1])) return true;
  if (!sfi_is_literal(call, 1)) return false;
  const int64_t days = sfi_int_at(sfi_ints_of(sfi_const_arg(call, 1)), 0) / SFI_MILLIS_PER_DAY;
  return days == (int32_t)days;
}

static sf_status plus_integer_row(const sfi_call *call, int64_t v, int64_t interval, int64_t i, sfi_times_out *t,
                                  sf_error *err) {
  const bool months = is_months(call->arg_types[1]);
  if (call->type->kind == SF_TYPE_TIMESTAMP) {
    sfi_times_set(t, i, v * SFI_MILLIS_PER_DAY + interval, 0);
  } else if (call->type->kind == SF_TYPE_TIME) {
    t->ints[i] = months ? (int32_t)v
                        : (int32_t)((v + SFI_MILLIS_PER_DAY + interval % SFI_MILLIS_PER_DAY) % SFI_MILLIS_PER_DAY);
  } else if (months) {
    t->ints[i] = sfi_add_months_to_days((int32_t)v, (int32_t)interval);
  } else {
    const int64_t days = interval / SFI_MILLIS_PER_DAY;
    if (days != (int32_t)days) return sf_fail_row(err, SF_ARITHMETIC, i, "integer overflow");
    t->ints[i] = (int32_t)v + (int32_t)days;
  }
  return SF_OK;
}

static sf_status run_plus_integer(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                  sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_ints in = sfi_ints_of(args[0]), interval = sfi_ints_of(args[1]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (sfi_strict_valid(ev, i)) st = plus_integer_row(call, sfi_int_at(in, i), sfi_int_at(interval, i), i, &t, err);
  }
  return sfi_times_finish(call, ev, &t, st, out, err);
}

/* --- differences: MINUS(time, time) and TIMESTAMP_DIFF(unit, time, time) */

/* An operand as epoch millis; a DATE stands for its midnight, a TIME for a time of 1970-01-01. */
typedef struct moments {
  sfi_times times;
  sfi_ints ints;
  sf_type_kind kind;
} moments;

static moments moments_of(const sf_column *c) {
  moments m = {.kind = c->type->kind};
  if (sfi_is_timestamp(c->type) || sfi_is_ltz(c->type)) {
    m.times = sfi_times_of(c);
  } else {
    m.ints = sfi_ints_of(c);
  }
  return m;
}

static inline int64_t moment_at(const moments *m, int64_t i) {
  switch (m->kind) {
    case SF_TYPE_DATE: return sfi_int_at(m->ints, i) * SFI_MILLIS_PER_DAY;
    case SF_TYPE_TIME: return sfi_int_at(m->ints, i);
    default: return sfi_millis_at(m->times, i);
  }
}

static bool day_or_timestamp(sf_type_kind kind) { return kind == SF_TYPE_DATE || kind == SF_TYPE_TIMESTAMP; }

static bool can_subtract(sf_type_kind a, sf_type_kind b) {
  return (day_or_timestamp(a) && day_or_timestamp(b)) || (a == SF_TYPE_TIMESTAMP_LTZ && b == SF_TYPE_TIMESTAMP_LTZ);
}

static bool accepts_minus(const sfi_call *call) {
  return call->n_args == 2 && is_interval(call->type) && can_subtract(call->arg_types[0]->kind, call->arg_types[1]->kind);
}

/* Two dates are compared as days: for them the month arithmetic has an overload of its own. */
static inline int32_t months_between(const moments *a, const moments *b, int64_t i) {
  if (a->kind == SF_TYPE_DATE && b->kind == SF_TYPE_DATE) {
    return sfi_months_between_days((int32_t)sfi_int_at(a->ints, i), (int32_t)sfi_int_at(b->ints, i));
  }
  return sfi_months_between_millis(moment_at(a, i), moment_at(b, i));
}

static sf_status run_minus(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                           sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const moments a = moments_of(args[0]), b = moments_of(args[1]);
  const bool months = is_months(call->type);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    if (months) {
      t.ints[i] = months_between(&a, &b, i);
    } else {
      t.millis[i] = moment_at(&a, i) - moment_at(&b, i);
    }
  }
  return sfi_times_finish(call, ev, &t, SF_OK, out, err);
}

/* Months or millis in a unit of TIMESTAMP_DIFF; 0: not one. */
static int64_t months_in(sfi_unit unit) {
  return unit == SFI_YEAR ? 12 : unit == SFI_QUARTER ? 3 : unit == SFI_MONTH ? 1 : 0;
}
static int64_t millis_in(sfi_unit unit) {
  switch (unit) {
    case SFI_WEEK: return 7 * SFI_MILLIS_PER_DAY;
    case SFI_DAY: return SFI_MILLIS_PER_DAY;
    case SFI_HOUR: return SFI_MILLIS_PER_HOUR;
    case SFI_MINUTE: return SFI_MILLIS_PER_MINUTE;
    case SFI_SECOND: return SFI_MILLIS_PER_SECOND;
    default: return 0;
  }
}

static bool accepts_diff(const sfi_call *call) {
  if (call->n_args != 3 || call->type->kind != SF_TYPE_INTEGER) return false;
  const sfi_unit unit = sfi_unit_operand(call, 0);
  return day_or_timestamp(call->arg_types[1]->kind) && day_or_timestamp(call->arg_types[2]->kind) &&
         (months_in(unit) > 0 || millis_in(unit) > 0);
}

static sf_status run_diff(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                          sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const moments a = moments_of(args[1]), b = moments_of(args[2]);
  const sfi_unit unit = sfi_unit_of(args[0]->values);
  const int64_t months = months_in(unit), millis = millis_in(unit);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    t.ints[i] = months > 0 ? months_between(&a, &b, i) / (int32_t)months
                           : (int32_t)((moment_at(&a, i) - moment_at(&b, i)) / millis);
  }
  return sfi_times_finish(call, ev, &t, SF_OK, out, err);
}

/* --- TO_TIMESTAMP_LTZ(number[, 0 or 3]): seconds or millis; NULL outside the years 0 to 9999 */

#define FIRST_SECOND INT64_C(-62167219200)
#define LAST_SECOND INT64_C(253402300799)

static bool accepts_to_ltz(const sfi_call *call) {
  if (call->n_args < 1 || call->n_args > 2 || !sfi_is_ltz(call->type)) return false;
  const sf_type_kind from = call->arg_types[0]->kind;
  if (from < SF_TYPE_TINYINT || from > SF_TYPE_DECIMAL) return false;
  if (call->n_args == 1) return true;
  if (!sfi_is_int(call->arg_types[1]) || !sfi_is_literal(call, 1)) return false;
  const int64_t precision = sfi_int_at(sfi_ints_of(sfi_const_arg(call, 1)), 0);
  return precision == 0 || precision == 3;
}

/* Java's (long) of a double. */
static int64_t to_long(double v) {
  if (isnan(v)) return 0;
  if (v >= 9223372036854775807.0) return INT64_MAX;
  if (v <= -9223372036854775808.0) return INT64_MIN;
  return (int64_t)v;
}

static bool millis_of_double(double v, bool seconds, int64_t *millis) {
  if (seconds && !((double)FIRST_SECOND <= v && v <= (double)LAST_SECOND)) return false;
  *millis = to_long(seconds ? v * 1000 : v);
  return true;
}

/* The digits behind the point are dropped; what remains is cut to 64 bits. */
static int64_t whole_of_decimal(const sf_column *c, int64_t i) {
  __int128 v = c->type->layout == SF_LAYOUT_INT64 ? ((const int64_t *)c->values)[i] : ((const __int128 *)c->values)[i];
  for (int32_t s = 0; s < c->type->scale; s++) v /= 10;
  return (int64_t)v;
}

static bool millis_of_number(const sf_column *c, int64_t i, bool seconds, int64_t *millis) {
  switch (c->type->kind) {
    case SF_TYPE_FLOAT: return millis_of_double(((const float *)c->values)[i], seconds, millis);
    case SF_TYPE_DOUBLE: return millis_of_double(((const double *)c->values)[i], seconds, millis);
    case SF_TYPE_DECIMAL: *millis = whole_of_decimal(c, i) * (seconds ? 1000 : 1); return true;
    default: *millis = sfi_int_at((sfi_ints){c->values, 1, c->type->layout}, i);
  }
  if (!seconds) return true;
  if (*millis < FIRST_SECOND || *millis > LAST_SECOND) return false;
  *millis *= 1000;
  return true;
}

static sf_status run_to_ltz(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                            sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const bool seconds = call->n_args == 2 && sfi_int_at(sfi_ints_of(args[1]), 0) == 0;
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    int64_t millis = 0;
    const bool inside = millis_of_number(args[0], args[0]->is_const ? 0 : i, seconds, &millis) &&
                        millis >= FIRST_SECOND * 1000 && millis <= LAST_SECOND * 1000 + 999;
    sfi_times_set(&t, i, millis, 0);
    if (!inside) st = sfi_times_null(ev, &t, i, err);
  }
  return sfi_times_finish(call, ev, &t, st, out, err);
}

const sfi_function sfi_time_arith_functions[] = {
    {.name = "TIMESTAMP_PLUS", .signature = "(TIMESTAMP or TIMESTAMP_LTZ, INTERVAL) -> same", .flags = SFI_STRICT,
     .accepts = accepts_plus_timestamp, .kernel = run_plus_timestamp},
    {.name = "TIMESTAMP_PLUS", .signature = "(DATE or TIME, INTERVAL) -> same; (DATE, INTERVAL) -> TIMESTAMP",
     .flags = SFI_STRICT, .accepts = accepts_safe_plus_integer, .kernel = run_plus_integer},
    {.name = "TIMESTAMP_PLUS", .signature = "(DATE, INTERVAL DAY TO SECOND) -> DATE", .flags = SFI_STRICT | SFI_CAN_FAIL,
     .accepts = accepts_plus_integer, .kernel = run_plus_integer},
    {.name = "MINUS", .signature = "(DATE or TIMESTAMP, DATE or TIMESTAMP), (TIMESTAMP_LTZ, same) -> INTERVAL",
     .flags = SFI_STRICT, .accepts = accepts_minus, .kernel = run_minus},
    {.name = "TIMESTAMP_DIFF", .signature = "(literal unit, DATE or TIMESTAMP, DATE or TIMESTAMP) -> INTEGER",
     .flags = SFI_STRICT, .accepts = accepts_diff, .kernel = run_diff},
    {.name = "TO_TIMESTAMP_LTZ", .signature = "(number[, literal 0 or 3]) -> TIMESTAMP_LTZ(3)", .flags = SFI_STRICT,
     .accepts = accepts_to_ltz, .kernel = run_to_ltz},
    {.name = NULL},
};
