#include "aggregate/aggregate_internal.h"

#include <time.h>

#include "column/type_internal.h"
#include "expr/decimal.h"

/* --- cells */

static int64_t load_long(const sfi_aggregate *a, const uint8_t *record, int i) {
  int64_t v;
  memcpy(&v, record + a->offsets[i], sizeof v);
  return v;
}
static void add_long(const sfi_aggregate *a, uint8_t *record, int i, int64_t by) {
  int64_t v = (int64_t)((uint64_t)load_long(a, record, i) + (uint64_t)by);
  memcpy(record + a->offsets[i], &v, sizeof v);
}

sf_status sfi_keep(const sfi_aggregate *a, const sfi_accumulators *acc, int i, const sfi_scalar *value, sf_error *err) {
  if (a->types[i]->layout != SF_LAYOUT_VIEW) {
    sfi_store(a, acc->record, i, *value);
    return SF_OK;
  }
  sfi_cell_set_null(acc->record, a->cells[i], value->null);
  sf_view view = {NULL, 0, 0};
  if (!value->null) view = value->v;
  return sfi_state_set_bytes(acc->state, acc->record + a->offsets[i], view, err);
}

/* --- the function's own maps */

sf_status sfi_own_find(const sfi_aggregate *a, const sfi_accumulators *acc, int map, uint32_t key_size, bool *found_out,
                       sf_view *out, sf_error *err) {
  int32_t index = a->maps[map];
  uint32_t id = SFI_NO_ENTRY;
  SF_TRY(sfi_map_find_live(acc->state, index, acc->key, acc->scratch->key.data, key_size, &id, err));
  *found_out = id != SFI_NO_ENTRY;
  if (!*found_out) return SF_OK;
  const uint8_t *record = sfi_entry_record(sfi_state_entry(acc->state, acc->key.group, 1 + index, id));
  memcpy(out, record + sfi_table_type(acc->state, 1 + index)->offsets[0], sizeof *out);
  return SF_OK;
}

sf_status sfi_own_cell(const sfi_aggregate *a, const sfi_accumulators *acc, int map, uint32_t key_size, uint8_t **out,
                       sf_error *err) {
  int32_t index = a->maps[map];
  const uint8_t *key = acc->scratch->key.data;
  uint32_t id = SFI_NO_ENTRY;
  bool added = false;
  SF_TRY(sfi_map_upsert(acc->state, index, acc->key, key, key_size, &id, &added, err));
  uint8_t *record = NULL;
  SF_TRY(sfi_state_write(acc->state, acc->key.group, 1 + index, id, &record, err));
  const sfi_record_type *type = sfi_table_type(acc->state, 1 + index);
  sfi_record_stamp(type, record, acc->state->now);
  *out = record + type->offsets[0];
  return SF_OK;
}

sf_status sfi_own_put(const sfi_aggregate *a, const sfi_accumulators *acc, int map, uint32_t key_size, sf_view bytes,
                      sf_error *err) {
  uint8_t *cell = NULL;
  SF_TRY(sfi_own_cell(a, acc, map, key_size, &cell, err));
  return sfi_state_set_bytes(acc->state, cell, bytes, err);
}

sf_status sfi_own_remove(const sfi_aggregate *a, const sfi_accumulators *acc, int map, uint32_t key_size, sf_error *err) {
  int32_t index = a->maps[map];
  uint32_t id = SFI_NO_ENTRY;
  SF_TRY(sfi_map_find_live(acc->state, index, acc->key, acc->scratch->key.data, key_size, &id, err));
  return id == SFI_NO_ENTRY ? SF_OK : sfi_map_remove(acc->state, index, acc->key, id, err);
}

/* --- sums */

/* The argument in the layout of the sum: Flink widens before it adds, where sum and argument differ. */
static sfi_scalar widen(const sfi_aggregate *a, const sfi_scalar *arg) {
  sfi_scalar out = *arg;
  sf_layout from = a->arg_type->layout, to = a->types[0]->layout;
  if (from == SF_LAYOUT_FLOAT && to == SF_LAYOUT_DOUBLE) out.d = (double)arg->f;
  if (from != SF_LAYOUT_INT128 && to == SF_LAYOUT_INT128) out.w = arg->i;
  return out;
}

static int64_t wrap(sf_layout layout, int64_t v) {
  switch (layout) {
    case SF_LAYOUT_INT8: return (int8_t)v;
    case SF_LAYOUT_INT16: return (int16_t)v;
    case SF_LAYOUT_INT32: return (int32_t)v;
    default: return v;
  }
}

/* sum + arg or sum - arg; NULL where a DECIMAL gets too large. Neither is NULL. */
static sfi_scalar plus(const sfi_aggregate *a, sfi_scalar sum, sfi_scalar arg, bool minus) {
  const sf_type *type = a->types[0];
  switch (type->layout) {
    case SF_LAYOUT_FLOAT: sum.f = minus ? sum.f - arg.f : sum.f + arg.f; break;
    case SF_LAYOUT_DOUBLE: sum.d = minus ? sum.d - arg.d : sum.d + arg.d; break;
    case SF_LAYOUT_INT128:
      sum.null = !sfi_decimal_add(sum.w, type->scale, minus ? -arg.w : arg.w, type->scale,
                                  (sfi_digits){type->precision, type->scale}, &sum.w);
      break;
    default: {
      uint64_t x = (uint64_t)sum.i, y = (uint64_t)arg.i;
      sum.i = wrap(type->layout, (int64_t)(minus ? x - y : x + y));
    }
  }
  return sum;
}

/* SUM starts over from the argument when the sum is NULL, the others keep the NULL. */
static void sum_up(const sfi_aggregate *a, uint8_t *record, const sfi_scalar *arg, bool minus) {
  sfi_scalar sum = sfi_load(a, record, 0), value = widen(a, arg);
  bool restarts = a->kind == KIND(SUM) || a->kind == KIND(SUM_RETRACT);
  if (!sum.null) {
    sfi_store(a, record, 0, plus(a, sum, value, minus));
  } else if (restarts && minus) {
    sfi_store(a, record, 0, plus(a, (sfi_scalar){.w = 0}, value, true));
  } else if (restarts) {
    sfi_store(a, record, 0, value);
  }
}

static sfi_scalar average(const sfi_aggregate *a, const uint8_t *record) {
  sfi_scalar out = {.w = 0, .null = true}, sum = sfi_load(a, record, 0);
  int64_t count = load_long(a, record, 1);
  if (count == 0 || sum.null) return out;
  const sf_type *from = a->types[0], *to = a->result_type;
  out.null = false;
  if (from->layout == SF_LAYOUT_DOUBLE) {
    double quotient = sum.d / (double)count;
    if (to->layout == SF_LAYOUT_FLOAT) out.f = (float)quotient;
    else out.d = quotient;
  } else if (from->layout == SF_LAYOUT_INT128) {
    out.null = !sfi_decimal_divide(sum.w, from->scale, count, 0, (sfi_digits){to->precision, to->scale}, &out.w);
  } else {
    int64_t quotient = count == -1 ? (int64_t)(0 - (uint64_t)sum.i) : sum.i / count;
    out.i = wrap(to->layout, quotient);
  }
  return out;
}

/* --- extremes */

static bool is_max(const sfi_aggregate *a) { return a->kind == KIND(MAX) || a->kind == KIND(MAX_RETRACT); }

static sf_status extreme(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg, sf_error *err) {
  sfi_scalar best = sfi_load(a, acc->record, 0);
  sf_layout layout = a->types[0]->layout;
  bool better = best.null || (is_max(a) ? sfi_scalar_less(layout, &best, arg) : sfi_scalar_less(layout, arg, &best));
  return better ? sfi_keep(a, acc, 0, arg, err) : SF_OK;
}

static sf_status user_key(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg, sf_error *err) {
  acc->scratch->key.size = 0;
  return sfi_scalar_encode(a->arg_type, arg, &acc->scratch->key, err);
}

/* Adds to the count of a value in the map, which goes at 0; *count_out is the new one. */
static sf_status count_value(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg, int64_t by,
                             int64_t *count_out, sf_error *err) {
  SF_TRY(user_key(a, acc, arg, err));
  uint32_t size = (uint32_t)acc->scratch->key.size;
  uint32_t id = SFI_NO_ENTRY;
  SF_TRY(sfi_map_find_live(acc->state, a->maps[0], acc->key, acc->scratch->key.data, size, &id, err));
  const sfi_record_type *type = sfi_table_type(acc->state, 1 + a->maps[0]);
  int32_t offset = type->offsets[0];
  int64_t count = 0;
  if (id != SFI_NO_ENTRY) {
    memcpy(&count, sfi_entry_record(sfi_state_entry(acc->state, acc->key.group, 1 + a->maps[0], id)) + offset, 8);
  }
  *count_out = count += by;
  if (count == 0) return id == SFI_NO_ENTRY ? SF_OK : sfi_map_remove(acc->state, a->maps[0], acc->key, id, err);
  if (id == SFI_NO_ENTRY) SF_TRY(sfi_map_insert(acc->state, a->maps[0], acc->key, acc->scratch->key.data, size, &id, err));
  uint8_t *record = NULL;
  SF_TRY(sfi_state_write(acc->state, acc->key.group, 1 + a->maps[0], id, &record, err));
  memcpy(record + offset, &count, 8);
  sfi_record_stamp(type, record, acc->state->now);
  return SF_OK;
}

static int compare_for(const sfi_aggregate *a, const sfi_scalar *x, const sfi_scalar *y) {
  int c = sfi_scalar_compare(a->types[0]->layout, x, y);
  return is_max(a) ? c : -c;
}

static sf_status retractable_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg,
                                        sf_error *err) {
  int64_t count = 0;
  sfi_scalar best = sfi_load(a, acc->record, 0);
  if (load_long(a, acc->record, 1) == 0 || best.null || compare_for(a, &best, arg) < 0) SF_TRY(sfi_keep(a, acc, 0, arg, err));
  SF_TRY(count_value(a, acc, arg, 1, &count, err));
  if (count == 1) add_long(a, acc->record, 1, 1);
  return SF_OK;
}

typedef struct best_value {
  const sfi_aggregate *a;
  const sfi_accumulators *acc;
  sfi_scalar value;
} best_value;

static sf_status keep_better(void *context, const uint8_t *user_key, uint32_t size, sf_error *err) {
  best_value *best = context;
  const sfi_aggregate *a = best->a;
  sfi_scalar value;
  SF_TRY(sfi_scalar_decode(a->arg_type, user_key, size, &value, err));
  if (!best->value.null && compare_for(a, &best->value, &value) >= 0) return SF_OK;
  best->value = value;
  if (a->arg_type->layout != SF_LAYOUT_VIEW) return SF_OK;
  sfi_bytes *copy = &best->acc->scratch->value;
  copy->size = 0;
  SF_TRY(sfi_bytes_extend(copy, value.v.size, err));
  if (value.v.size > 0) memcpy(copy->data, value.v.data, value.v.size);
  best->value.v.data = copy->data;
  return SF_OK;
}

/* The best of all values in the map. */
static sf_status search_best(const sfi_aggregate *a, const sfi_accumulators *acc, sf_error *err) {
  best_value best = {a, acc, {.w = 0, .null = true}};
  SF_TRY(sfi_map_visit(acc->state, a->maps[0], acc->key, keep_better, &best, err));
  if (best.value.null) add_long(a, acc->record, 1, -load_long(a, acc->record, 1));
  return sfi_keep(a, acc, 0, &best.value, err);
}

static sf_status retractable_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg,
                                     sf_error *err) {
  int64_t count = 0;
  SF_TRY(count_value(a, acc, arg, -1, &count, err));
  if (count != 0) return SF_OK;
  add_long(a, acc->record, 1, -1);
  if (load_long(a, acc->record, 1) == 0) return sfi_keep(a, acc, 0, &(sfi_scalar){.null = true}, err);
  sfi_scalar best = sfi_load(a, acc->record, 0);
  bool was_best = !best.null && sfi_scalar_compare(a->types[0]->layout, &best, arg) == 0;
  return was_best ? search_best(a, acc, err) : SF_OK;
}

/* MaxWithRetractAggFunction.merge for one value: whether the best one has gone. */
static sf_status merge_value(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_counted_value *entry,
                             bool *best_gone, sf_error *err) {
  int64_t merged = 0;
  SF_TRY(count_value(a, acc, &entry->value, entry->count, &merged, err));
  int64_t before = merged - entry->count;
  if (merged > 0 && before <= 0) add_long(a, acc->record, 1, 1);
  if (merged > 0 || before <= 0) return SF_OK;
  add_long(a, acc->record, 1, -1);
  sfi_scalar best = sfi_load(a, acc->record, 0);
  if (!best.null && sfi_scalar_compare(a->types[0]->layout, &entry->value, &best) == 0) *best_gone = true;
  return SF_OK;
}

static sf_status retractable_merge(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *other,
                                   const sfi_counted_value *entries, int64_t n, sf_error *err) {
  sfi_scalar best = sfi_load(a, acc->record, 0);
  bool counts = other[1].i > 0 && !other[0].null;
  if (load_long(a, acc->record, 1) == 0 || (counts && (best.null || compare_for(a, &best, &other[0]) < 0))) {
    SF_TRY(sfi_keep(a, acc, 0, &other[0], err));
  }
  bool best_gone = false;
  for (int64_t i = 0; i < n; i++) SF_TRY(merge_value(a, acc, &entries[i], &best_gone, err));
  return best_gone ? search_best(a, acc, err) : SF_OK;
}

/* --- first and last */

/* The order of a first value that there is not; otherwise it is the time when the value came. */
#define NO_FIRST_VALUE INT64_MAX

int64_t sfi_current_millis(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static sf_status first_value(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg, sf_error *err) {
  if (load_long(a, acc->record, 1) != NO_FIRST_VALUE) return SF_OK;
  add_long(a, acc->record, 1, sfi_current_millis() - NO_FIRST_VALUE);
  return sfi_keep(a, acc, 0, arg, err);
}

/* --- a single value */

static sf_status more_than_one(sf_error *err) {
  return sf_fail(err, SF_TABLE_RUNTIME, "SingleValueAggFunction received more than one element.");
}

static void add_int(const sfi_aggregate *a, uint8_t *record, int i, int64_t by) {
  sfi_store(a, record, i, (sfi_scalar){.i = wrap(SF_LAYOUT_INT32, sfi_load(a, record, i).i + by)});
}

static sf_status single_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg,
                                   sf_error *err) {
  if (sfi_load(a, acc->record, 1).i > 0) return more_than_one(err);
  add_int(a, acc->record, 1, 1);
  return sfi_keep(a, acc, 0, arg, err);
}

static sf_status single_retract(const sfi_aggregate *a, const sfi_accumulators *acc, sf_error *err) {
  int64_t count = sfi_load(a, acc->record, 1).i;
  if (count != 0 && count != 1) return more_than_one(err);
  add_int(a, acc->record, 1, -1);
  return sfi_keep(a, acc, 0, &(sfi_scalar){.null = true}, err);
}

static sf_status single_merge(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *other, sf_error *err) {
  int64_t count = sfi_load(a, acc->record, 1).i, both = wrap(SF_LAYOUT_INT32, count + other[1].i);
  if (both > 1) return more_than_one(err);
  bool takes = both != 0 || count == 0 || other[1].i > 0;
  add_int(a, acc->record, 1, other[1].i);
  return sfi_keep(a, acc, 0, takes ? &other[0] : &(sfi_scalar){.null = true}, err);
}

/* --- the functions */

static bool starts_null(const sfi_aggregate *a) {
  switch (a->kind) {
    case KIND(SUM):
    case KIND(SUM_RETRACT):
    case KIND(MIN):
    case KIND(MAX):
    case KIND(MIN_RETRACT):
    case KIND(MAX_RETRACT):
    case KIND(FIRST_VALUE):
    case KIND(LAST_VALUE):
    case KIND(SINGLE_VALUE):
    case KIND(FIRST_VALUE_RETRACT):
    case KIND(LAST_VALUE_RETRACT): return true;
    default: return false;
  }
}

static bool is_json(const sfi_aggregate *a) { return sfi_aggregate_gathers(a) && a->kind != KIND(LISTAGG_RETRACT); }

sf_status sfi_aggregate_init(const sfi_aggregate *a, const sfi_accumulators *acc, sf_error *err) {
  uint8_t *record = acc->record;
  if (starts_null(a)) sfi_cell_set_null(record, a->cells[0], true);
  switch (a->kind) {
    case KIND(FIRST_VALUE): add_long(a, record, 1, NO_FIRST_VALUE); return SF_OK;
    case KIND(LAST_VALUE): add_long(a, record, 1, INT64_MIN); return SF_OK;
    case KIND(FIRST_VALUE_RETRACT):
    case KIND(LAST_VALUE_RETRACT): sfi_cell_set_null(record, a->cells[1], true); return SF_OK;
    case KIND(LISTAGG):
    case KIND(LISTAGG_RETRACT): return sfi_text_init(a, acc, err);
    default: return SF_OK;
  }
}

/* NULL changes nothing. */
static bool skips(const sfi_aggregate *a, const sfi_scalar *arg) {
  return arg->null && a->kind != KIND(COUNT_STAR) && a->kind != KIND(SINGLE_VALUE) && a->kind != KIND(LISTAGG) && !is_json(a);
}

sf_status sfi_aggregate_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args,
                                   sf_error *err) {
  const sfi_scalar *arg = &args[0];
  if (skips(a, arg)) return SF_OK;
  switch (a->kind) {
    case KIND(COUNT_STAR):
    case KIND(COUNT): add_long(a, acc->record, 0, 1); return SF_OK;
    case KIND(SUM):
    case KIND(SUM0): sum_up(a, acc->record, arg, false); return SF_OK;
    case KIND(SUM_RETRACT):
    case KIND(AVG):
      sum_up(a, acc->record, arg, false);
      add_long(a, acc->record, 1, 1);
      return SF_OK;
    case KIND(MIN):
    case KIND(MAX): return extreme(a, acc, arg, err);
    case KIND(FIRST_VALUE): return first_value(a, acc, arg, err);
    case KIND(LAST_VALUE): return sfi_keep(a, acc, 0, arg, err);
    case KIND(MIN_RETRACT):
    case KIND(MAX_RETRACT): return retractable_accumulate(a, acc, arg, err);
    case KIND(SINGLE_VALUE): return single_accumulate(a, acc, arg, err);
    case KIND(LISTAGG): return sfi_text_accumulate(a, acc, args, err);
    case KIND(FIRST_VALUE_RETRACT):
    case KIND(LAST_VALUE_RETRACT): return sfi_ordered_accumulate(a, acc, arg, err);
    case KIND(LISTAGG_RETRACT): return sfi_texts_accumulate(a, acc, args, err);
    case KIND(JSON_ARRAY_ABSENT):
    case KIND(JSON_ARRAY_NULL): return sfi_json_array_accumulate(a, acc, arg, err);
    case KIND(JSON_OBJECT_ABSENT):
    case KIND(JSON_OBJECT_NULL): return sfi_json_object_accumulate(a, acc, args, err);
    default: return sf_fail(err, SF_INTERNAL, "Unknown aggregate %d", (int)a->kind);
  }
}

sf_status sfi_aggregate_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *args,
                                sf_error *err) {
  const sfi_scalar *arg = &args[0];
  if (skips(a, arg)) return SF_OK;
  switch (a->kind) {
    case KIND(COUNT_STAR):
    case KIND(COUNT): add_long(a, acc->record, 0, -1); return SF_OK;
    case KIND(SUM0): sum_up(a, acc->record, arg, true); return SF_OK;
    case KIND(SUM_RETRACT):
    case KIND(AVG):
      sum_up(a, acc->record, arg, true);
      add_long(a, acc->record, 1, -1);
      return SF_OK;
    case KIND(MIN):
    case KIND(MAX): return SF_OK; /* of what only grows or shrinks: Flink's planner has made sure */
    case KIND(MIN_RETRACT):
    case KIND(MAX_RETRACT): return retractable_retract(a, acc, arg, err);
    case KIND(SINGLE_VALUE): return single_retract(a, acc, err);
    case KIND(FIRST_VALUE_RETRACT):
    case KIND(LAST_VALUE_RETRACT): return sfi_ordered_retract(a, acc, arg, err);
    case KIND(LISTAGG_RETRACT): return sfi_texts_retract(a, acc, args, err);
    case KIND(JSON_ARRAY_ABSENT):
    case KIND(JSON_ARRAY_NULL): return sfi_json_array_retract(a, acc, arg, err);
    case KIND(JSON_OBJECT_ABSENT):
    case KIND(JSON_OBJECT_NULL): return sfi_json_object_retract(a, acc, arg, err);
    default: return sf_fail(err, SF_TABLE, "An aggregate without retraction was given a row to retract");
  }
}

/* SUM starts from the other sum when it is NULL, and takes no NULL; the others become NULL. */
static void merge_sum(const sfi_aggregate *a, uint8_t *record, const sfi_scalar *other) {
  bool restarts = a->kind == KIND(SUM) || a->kind == KIND(SUM_RETRACT);
  sfi_scalar sum = sfi_load(a, record, 0);
  if (restarts && (sum.null || other->null)) {
    if (!other->null) sfi_store(a, record, 0, *other);
  } else if (!sum.null) {
    sfi_store(a, record, 0, other->null ? *other : plus(a, sum, *other, false));
  }
}

bool sfi_aggregate_merges(const sfi_aggregate *a) {
  switch (a->kind) {
    case KIND(FIRST_VALUE):
    case KIND(LAST_VALUE):
    case KIND(FIRST_VALUE_RETRACT):
    case KIND(LAST_VALUE_RETRACT):
    case KIND(LISTAGG_RETRACT):
    case KIND(JSON_ARRAY_ABSENT): /* nor in Flink */
    case KIND(JSON_ARRAY_NULL):
    case KIND(JSON_OBJECT_ABSENT):
    case KIND(JSON_OBJECT_NULL): return false;
    default: return true;
  }
}

sf_status sfi_aggregate_merge(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *other,
                              const sfi_counted_value *entries, int64_t n_entries, sf_error *err) {
  switch (a->kind) {
    case KIND(COUNT_STAR):
    case KIND(COUNT): add_long(a, acc->record, 0, other[0].i); return SF_OK;
    case KIND(SUM):
    case KIND(SUM0): merge_sum(a, acc->record, &other[0]); return SF_OK;
    case KIND(SUM_RETRACT):
    case KIND(AVG):
      merge_sum(a, acc->record, &other[0]);
      add_long(a, acc->record, 1, other[1].i);
      return SF_OK;
    case KIND(MIN):
    case KIND(MAX): return other[0].null ? SF_OK : extreme(a, acc, &other[0], err);
    case KIND(MIN_RETRACT):
    case KIND(MAX_RETRACT): return retractable_merge(a, acc, other, entries, n_entries, err);
    case KIND(SINGLE_VALUE): return single_merge(a, acc, other, err);
    case KIND(LISTAGG): return sfi_text_merge(a, acc, other, err);
    default: return sf_fail(err, SF_INTERNAL, "Unknown aggregate %d", (int)a->kind);
  }
}

sf_status sfi_aggregate_gather(const sfi_aggregate *a, const sfi_accumulators *acc, sfi_bytes *out, bool *null_out,
                               sf_error *err) {
  *null_out = false;
  if (a->kind == KIND(LISTAGG_RETRACT)) return sfi_texts_gather(a, acc, out, null_out, err);
  return sfi_aggregate_has_lists(a) ? sfi_json_array_gather(a, acc, out, err) : sfi_json_object_gather(a, acc, out, err);
}

void sfi_aggregate_read(const sfi_aggregate *a, const uint8_t *record, sfi_scalar *out) {
  switch (a->kind) {
    case KIND(AVG): *out = average(a, record); return;
    case KIND(SUM_RETRACT):
    case KIND(MIN_RETRACT):
    case KIND(MAX_RETRACT): {
      int64_t n = load_long(a, record, 1);
      if (a->kind == KIND(SUM_RETRACT) ? n != 0 : n > 0) break;
      *out = (sfi_scalar){.w = 0, .null = true};
      return;
    }
    default: break;
  }
  int value = a->kind == KIND(LISTAGG) ? 1 : 0;
  sfi_scalar_read(record, a->cells[value], a->offsets[value], a->types[value]->layout, out);
}

/* --- from the plan */

static bool is_number(const sf_type *type) {
  switch (type->kind) {
    case SF_TYPE_TINYINT:
    case SF_TYPE_SMALLINT:
    case SF_TYPE_INTEGER:
    case SF_TYPE_BIGINT:
    case SF_TYPE_FLOAT:
    case SF_TYPE_DOUBLE:
    case SF_TYPE_DECIMAL: return true;
    default: return false;
  }
}

static bool is_comparable(const sf_type *type) {
  switch (type->kind) {
    case SF_TYPE_BOOLEAN:
    case SF_TYPE_CHAR:
    case SF_TYPE_VARCHAR:
    case SF_TYPE_DATE:
    case SF_TYPE_TIME:
    case SF_TYPE_TIMESTAMP:
    case SF_TYPE_TIMESTAMP_LTZ: return true;
    default: return is_number(type);
  }
}

static bool is_text(const sf_type *type) { return type->kind == SF_TYPE_CHAR || type->kind == SF_TYPE_VARCHAR; }

/* Argument, first accumulator and result are alike. */
static bool keeps_values(const sfi_aggregate *a) {
  sf_layout layout = a->arg_type->layout;
  return sf_layout_width(layout) != 0 && a->types[0]->layout == layout && a->result_type->layout == layout;
}

static bool takes_sum(const sfi_aggregate *a) {
  const sf_type *arg = a->arg_type, *sum = a->types[0];
  if (!is_number(arg) || sum->kind != arg->kind || a->result_type->layout != sum->layout) return false;
  return arg->kind != SF_TYPE_DECIMAL || (sum->precision == SFI_MAX_PRECISION && sum->scale == arg->scale);
}

static bool takes_average(const sfi_aggregate *a) {
  const sf_type *arg = a->arg_type, *sum = a->types[0];
  if (!is_number(arg)) return false;
  if (arg->kind == SF_TYPE_DECIMAL) {
    return sum->layout == SF_LAYOUT_INT128 && sum->scale == arg->scale && a->result_type->layout == SF_LAYOUT_INT128;
  }
  if (a->result_type->kind != arg->kind) return false;
  if (arg->layout == SF_LAYOUT_FLOAT || arg->layout == SF_LAYOUT_DOUBLE) return sum->kind == SF_TYPE_DOUBLE;
  return sum->kind == SF_TYPE_BIGINT;
}

/* n of them, the second of that kind. */
static bool has_accumulators(const sfi_aggregate *a, int32_t n, sf_type_kind second) {
  return a->n_cells == n && (n < 2 || a->types[1]->kind == second);
}

/* Whether the accumulators are those of Flink for this argument. */
static bool takes(const sfi_aggregate *a) {
  const sf_type *arg = a->arg_type;
  switch (a->kind) {
    case KIND(COUNT_STAR):
    case KIND(COUNT):
      return has_accumulators(a, 1, SF_TYPE_BIGINT) && a->types[0]->kind == SF_TYPE_BIGINT &&
             a->result_type->kind == SF_TYPE_BIGINT;
    case KIND(SUM):
    case KIND(SUM0): return has_accumulators(a, 1, SF_TYPE_BIGINT) && takes_sum(a);
    case KIND(SUM_RETRACT): return has_accumulators(a, 2, SF_TYPE_BIGINT) && takes_sum(a);
    case KIND(AVG): return has_accumulators(a, 2, SF_TYPE_BIGINT) && takes_average(a);
    case KIND(MIN):
    case KIND(MAX): return has_accumulators(a, 1, SF_TYPE_BIGINT) && is_comparable(arg) && keeps_values(a);
    case KIND(MIN_RETRACT):
    case KIND(MAX_RETRACT):
    case KIND(FIRST_VALUE_RETRACT): /* binary strings as keys of a Java map are another matter */
    case KIND(LAST_VALUE_RETRACT): return has_accumulators(a, 2, SF_TYPE_BIGINT) && is_comparable(arg) && keeps_values(a);
    case KIND(FIRST_VALUE):
    case KIND(LAST_VALUE): return has_accumulators(a, 2, SF_TYPE_BIGINT) && keeps_values(a);
    case KIND(SINGLE_VALUE): return has_accumulators(a, 2, SF_TYPE_INTEGER) && keeps_values(a);
    case KIND(LISTAGG):
      return has_accumulators(a, 2, SF_TYPE_VARCHAR) && a->types[0]->kind == SF_TYPE_VARCHAR && is_text(arg) &&
             is_text(a->result_type);
    case KIND(LISTAGG_RETRACT):
      return has_accumulators(a, a->delimiter < 0 ? 0 : 1, SF_TYPE_VARCHAR) && is_text(arg) && is_text(a->result_type) &&
             (a->delimiter < 0 || a->types[0]->kind == SF_TYPE_VARCHAR);
    case KIND(JSON_ARRAY_ABSENT):
    case KIND(JSON_ARRAY_NULL):
      return a->delimiter < 0 && has_accumulators(a, 0, SF_TYPE_VARCHAR) && is_text(arg) && is_text(a->result_type);
    case KIND(JSON_OBJECT_ABSENT):
    case KIND(JSON_OBJECT_NULL):
      return a->delimiter >= 0 && has_accumulators(a, 0, SF_TYPE_VARCHAR) && is_text(arg) && is_text(a->result_type);
    default: return false;
  }
}

static sf_status check_column(const sf_type *row, int32_t column, sf_error *err) {
  if (column >= 0 && column < row->n_children) return SF_OK;
  return sf_fail(err, SF_INVALID, "An aggregate refers to column %d of %d", column, row->n_children);
}

static sf_status prepare(const Streamfusion__Plan__AggregateCall *call, const sf_type *input_type, sfi_aggregate *out,
                         sf_error *err) {
  if (call->n_args > (sfi_aggregate_is_long(out) ? SFI_MAX_ARGS : 1) || call->n_accumulators > SFI_MAX_ACCUMULATORS || call->result == NULL ||
      (call->n_args == 0) != (call->kind == KIND(COUNT_STAR))) {
    return sf_fail(err, SF_UNSUPPORTED, "Aggregate %d with %zu arguments", (int)call->kind, call->n_args);
  }
  for (size_t i = 0; i < call->n_args; i++) SF_TRY(check_column(input_type, call->args[i], err));
  if (call->n_args > 0) {
    out->arg = call->args[0];
    out->arg_type = input_type->children[out->arg];
  }
  if (call->n_args > 1) {
    out->delimiter = call->args[1];
    if (!is_text(input_type->children[out->delimiter])) return sf_fail(err, SF_UNSUPPORTED, "A second argument that is no text");
  }
  if (call->filter > 0) {
    out->filter = call->filter - 1;
    SF_TRY(check_column(input_type, out->filter, err));
    if (input_type->children[out->filter]->layout != SF_LAYOUT_BOOL) {
      return sf_fail(err, SF_INVALID, "The filter of an aggregate is no BOOLEAN");
    }
  }
  SF_TRY(sfi_type_from_message(call->result, &out->result_type, err));
  for (; out->n_cells < (int32_t)call->n_accumulators; out->n_cells++) {
    SF_TRY(sfi_type_from_message(call->accumulators[out->n_cells], &out->types[out->n_cells], err));
  }
  if (!takes(out)) return sf_fail(err, SF_UNSUPPORTED, "Aggregate %d does not take these types", (int)call->kind);
  return SF_OK;
}

static int32_t maps_of(Streamfusion__Plan__AggregateKind kind) {
  switch (kind) {
    case KIND(MIN_RETRACT):
    case KIND(MAX_RETRACT):
    case KIND(JSON_ARRAY_ABSENT):
    case KIND(JSON_ARRAY_NULL):
    case KIND(JSON_OBJECT_ABSENT):
    case KIND(JSON_OBJECT_NULL): return 1;
    case KIND(FIRST_VALUE_RETRACT):
    case KIND(LAST_VALUE_RETRACT):
    case KIND(LISTAGG_RETRACT): return 2;
    default: return 0;
  }
}

sf_status sfi_aggregate_prepare(const Streamfusion__Plan__AggregateCall *call, const sf_type *input_type,
                                sfi_aggregate *out, sf_error *err) {
  int32_t n_maps = maps_of(call->kind);
  *out = (sfi_aggregate){.kind = call->kind,
                         .arg = -1,
                         .delimiter = -1,
                         .filter = -1,
                         .distinct = call->distinct - 1,
                         .n_maps = n_maps,
                         .nested = n_maps > 0 || call->kind == KIND(FIRST_VALUE) || call->kind == KIND(LAST_VALUE),
                         .views_first = call->kind == KIND(LISTAGG_RETRACT),
                         .emitted = call->emitted};
  sf_status st = prepare(call, input_type, out, err);
  if (st != SF_OK) sfi_aggregate_drop(out);
  return st;
}

void sfi_aggregate_drop(sfi_aggregate *a) {
  sf_type_release(a->result_type);
  a->result_type = NULL;
  for (int i = 0; i < SFI_MAX_ACCUMULATORS; i++) {
    sf_type_release(a->types[i]);
    a->types[i] = NULL;
  }
}
