/* FIRST_VALUE and LAST_VALUE with retraction. Accumulators: the value and its order, which is the time when it came; the maps
 * have the orders of each value, and the values of each order, as lists. */
#include "aggregate/aggregate_internal.h"

enum { VALUE, ORDER };            /* accumulators */
enum { VALUE_ORDERS, ORDER_VALUES }; /* maps */

static const sf_type order_type = {.kind = SF_TYPE_BIGINT, .layout = SF_LAYOUT_INT64};

static bool is_first(const sfi_aggregate *a) { return a->kind == KIND(FIRST_VALUE_RETRACT); }

static const sf_type *key_type(const sfi_aggregate *a, int map) { return map == VALUE_ORDERS ? a->arg_type : &order_type; }
static const sf_type *list_type(const sfi_aggregate *a, int map) { return map == VALUE_ORDERS ? &order_type : a->arg_type; }

/* Reads the list of a key into the scratch list, which is empty when there is none. */
static sf_status find_list(const sfi_aggregate *a, const sfi_accumulators *acc, int map, const sfi_scalar *key,
                           bool *found_out, sf_error *err) {
  sfi_scratch *scratch = acc->scratch;
  sf_view bytes = {NULL, 0, 0};
  scratch->key.size = 0;
  scratch->list.n = 0;
  SF_TRY(sfi_scalar_encode(key_type(a, map), key, &scratch->key, err));
  SF_TRY(sfi_own_find(a, acc, map, (uint32_t)scratch->key.size, found_out, &bytes, err));
  return *found_out ? sfi_value_list_read(&scratch->list, list_type(a, map), bytes, err) : SF_OK;
}

/* Writes the scratch list to the key that was looked for last; an empty one goes. */
static sf_status put_list(const sfi_aggregate *a, const sfi_accumulators *acc, int map, sf_error *err) {
  sfi_scratch *scratch = acc->scratch;
  uint32_t size = (uint32_t)scratch->key.size;
  if (scratch->list.n == 0) return sfi_own_remove(a, acc, map, size, err);
  scratch->value.size = 0;
  SF_TRY(sfi_value_list_write(&scratch->list, list_type(a, map), &scratch->value, err));
  if (scratch->value.size > INT32_MAX) return sf_fail(err, SF_RUNTIME, "A list of FIRST_VALUE or LAST_VALUE gets too large");
  return sfi_own_put(a, acc, map, size, (sf_view){scratch->value.data, (uint32_t)scratch->value.size, 0}, err);
}

static sf_status append(const sfi_aggregate *a, const sfi_accumulators *acc, int map, const sfi_scalar *key,
                        const sfi_scalar *value, sf_error *err) {
  sfi_scratch *scratch = acc->scratch;
  uint8_t *cell = NULL;
  bool done = false;
  scratch->key.size = 0;
  SF_TRY(sfi_scalar_encode(key_type(a, map), key, &scratch->key, err));
  SF_TRY(sfi_own_cell(a, acc, map, (uint32_t)scratch->key.size, &cell, err));
  SF_TRY(sfi_value_list_append(acc->state, cell, list_type(a, map), value, &done, err));
  if (done) return SF_OK;
  sf_view bytes;
  memcpy(&bytes, cell, sizeof bytes);
  scratch->list.n = 0;
  if (bytes.size > 0) SF_TRY(sfi_value_list_read(&scratch->list, list_type(a, map), bytes, err));
  SF_TRY(sfi_value_list_add(&scratch->list, *value, err));
  return put_list(a, acc, map, err);
}

static sf_status keep_value(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *value,
                            const sfi_scalar *order, sf_error *err) {
  sfi_store(a, acc->record, ORDER, *order);
  return sfi_keep(a, acc, VALUE, value, err);
}

sf_status sfi_ordered_accumulate(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg, sf_error *err) {
  sfi_scalar now = {.i = sfi_current_millis()}, order = sfi_load(a, acc->record, ORDER);
  SF_TRY(append(a, acc, VALUE_ORDERS, arg, &now, err));
  bool takes_its_place = order.null || (is_first(a) ? order.i > now.i : order.i <= now.i);
  if (takes_its_place) SF_TRY(keep_value(a, acc, arg, &now, err));
  return append(a, acc, ORDER_VALUES, &now, arg, err);
}

typedef struct next_order {
  bool first;
  int64_t from;
  sfi_scalar best;
} next_order;

static sf_status try_order(void *context, const uint8_t *user_key, uint32_t size, sf_error *err) {
  next_order *next = context;
  sfi_scalar order;
  SF_TRY(sfi_scalar_decode(&order_type, user_key, size, &order, err));
  bool better = next->first ? order.i >= next->from && order.i < next->best.i
                            : order.i <= next->from && order.i > next->best.i;
  if (better) next->best = order;
  return SF_OK;
}

/* The value that comes after, or before, the one that has gone. */
static sf_status replace_value(const sfi_aggregate *a, const sfi_accumulators *acc, int64_t from, sf_error *err) {
  int64_t none = is_first(a) ? INT64_MAX : INT64_MIN;
  next_order next = {.first = is_first(a), .from = from, .best = {.i = none}};
  SF_TRY(sfi_map_visit(acc->state, a->maps[ORDER_VALUES], acc->key, try_order, &next, err));
  sfi_scalar null = {.w = 0, .null = true};
  if (next.best.i == none) return keep_value(a, acc, &null, &null, err);
  bool found = false;
  SF_TRY(find_list(a, acc, ORDER_VALUES, &next.best, &found, err));
  const sfi_value_list *list = &acc->scratch->list;
  if (list->n == 0) return sf_fail(err, SF_NULL_POINTER, "The values of a time are no longer there");
  return keep_value(a, acc, &list->values[is_first(a) ? 0 : list->n - 1], &next.best, err);
}

sf_status sfi_ordered_retract(const sfi_aggregate *a, const sfi_accumulators *acc, const sfi_scalar *arg, sf_error *err) {
  bool found = false;
  SF_TRY(find_list(a, acc, VALUE_ORDERS, arg, &found, err));
  if (acc->scratch->list.n == 0) return SF_OK;
  sfi_scalar order = acc->scratch->list.values[0];
  sfi_value_list_remove(&acc->scratch->list, 0);
  SF_TRY(put_list(a, acc, VALUE_ORDERS, err));
  SF_TRY(find_list(a, acc, ORDER_VALUES, &order, &found, err));
  if (!found) return SF_OK;
  int32_t index = sfi_value_list_index_of(&acc->scratch->list, a->arg_type, arg);
  if (index >= 0) {
    sfi_value_list_remove(&acc->scratch->list, index);
    SF_TRY(put_list(a, acc, ORDER_VALUES, err));
  }
  sfi_scalar value = sfi_load(a, acc->record, VALUE);
  if (value.null || sfi_scalar_compare(a->arg_type->layout, &value, arg) != 0) return SF_OK;
  return replace_value(a, acc, sfi_load(a, acc->record, ORDER).i, err);
}
