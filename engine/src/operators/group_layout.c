/* How the state of a GROUP BY looks. States in snapshots: 0 accState; then, for distinct view i, 1 + 2 i the map
 * distinctAcc_<i> and 2 + 2 i its _null_state; then the views of the calls themselves, in their order and in that of the fields of
 * their accumulators: the map of a MIN or MAX with retraction, the two maps of a FIRST_VALUE or LAST_VALUE, the map of a
 * JSON_OBJECTAGG, the two lists of a LISTAGG and that of a JSON_ARRAYAGG, each of which is the entry NULL of a map without others. */
#include "operators/group_calls.h"

/* Record types under construction: arrays of the operator's pool. */
typedef struct layout_builder {
  sfi_field *fields;
  int32_t *offsets;
  sf_layout *layouts;
  sfi_record_type type;
} layout_builder;

static void add_field(layout_builder *b, sfi_field field) { b->fields[b->type.n_fields++] = field; }

static int32_t add_cell(layout_builder *b, sf_layout layout, bool field) {
  int32_t cell = b->type.n_cells++;
  b->offsets[cell] = (int32_t)b->type.size;
  b->layouts[cell] = layout;
  b->type.size += sfi_cell_size(layout);
  if (field) add_field(b, (sfi_field){.kind = SFI_FIELD_CELL, .layout = layout, .cell = cell});
  return cell;
}

static sf_status layout_new(sf_pool *pool, int32_t cells, int32_t fields, layout_builder *b, sf_error *err) {
  *b = (layout_builder){.type = {.size = sf_bitmap_bytes(cells)}};
  void *memory = NULL;
  size_t n_cells = (size_t)cells, n_fields = (size_t)fields;
  SF_TRY(sf_pool_alloc(pool, n_fields * sizeof(sfi_field) + n_cells * (sizeof(int32_t) + sizeof(sf_layout)), &memory, err));
  b->fields = memory;
  b->offsets = (int32_t *)(void *)(b->fields + n_fields);
  b->layouts = (sf_layout *)(void *)(b->offsets + n_cells);
  b->type.fields = b->fields;
  b->type.offsets = b->offsets;
  b->type.layouts = b->layouts;
  return SF_OK;
}

/* Values with time to live have the time of their last write behind the cells. */
static void add_stamp(int64_t ttl, layout_builder *b) {
  if (ttl <= 0) return;
  b->type.stamp = (int32_t)b->type.size;
  b->type.size += sizeof(int64_t);
}

enum { FIELDS_OF_CALL = 1 + SFI_MAX_ACCUMULATORS + SFI_MAX_AGGREGATE_MAPS };

/* accState: the accumulators of all calls, then a RAW field for each distinct view. */
static sf_status value_layout(sfi_group_calls *g, layout_builder *b, sf_error *err) {
  SF_TRY(layout_new(g->pool, SFI_MAX_ACCUMULATORS * g->n_calls, FIELDS_OF_CALL * g->n_calls + g->n_views, b, err));
  b->type.form = SFI_VALUE_ROW;
  for (int32_t i = 0; i < g->n_calls; i++) {
    sfi_aggregate *a = &g->calls[i];
    if (a->nested) add_field(b, (sfi_field){.kind = SFI_FIELD_ROW, .n_children = a->n_cells + a->n_maps});
    for (int32_t k = 0; a->views_first && k < a->n_maps; k++) add_field(b, (sfi_field){.kind = SFI_FIELD_VIEW});
    for (int32_t k = 0; k < a->n_cells; k++) {
      a->cells[k] = add_cell(b, a->types[k]->layout, true);
      a->offsets[k] = b->offsets[a->cells[k]];
    }
    for (int32_t k = 0; !a->views_first && k < a->n_maps; k++) add_field(b, (sfi_field){.kind = SFI_FIELD_VIEW});
    b->type.n_top += a->nested ? 1 : a->n_cells;
  }
  for (int32_t i = 0; i < g->n_views; i++) add_field(b, (sfi_field){.kind = SFI_FIELD_VIEW});
  b->type.n_top += g->n_views;
  return SF_OK;
}

/* Maps from values to `n` longs. */
static sf_status map_layout(sf_pool *pool, int32_t n, int64_t ttl, layout_builder *b, sf_error *err) {
  SF_TRY(layout_new(pool, n, 0, b, err));
  b->type.form = n == 1 ? SFI_VALUE_LONG : SFI_VALUE_LONG_ARRAY;
  for (int32_t i = 0; i < n; i++) add_cell(b, SF_LAYOUT_INT64, false);
  add_stamp(ttl, b);
  return SF_OK;
}

/* A map or list of a call. */
static sf_status own_layout(const sfi_group_calls *g, const sfi_aggregate *a, int64_t ttl, layout_builder *b, sf_error *err) {
  if (a->n_maps == 1 && !sfi_aggregate_gathers(a)) return map_layout(g->pool, 1, ttl, b, err);
  SF_TRY(layout_new(g->pool, 1, 0, b, err));
  b->type.form = SFI_VALUE_BYTES;
  add_cell(b, SF_LAYOUT_VIEW, false);
  add_stamp(ttl, b);
  return SF_OK;
}

/* Views and the maps of calls; without calls those of the views alone. */
static int32_t count_maps(const sfi_group_calls *g, bool of_calls) {
  int32_t n = g->n_views;
  for (int32_t i = 0; of_calls && i < g->n_calls; i++) n += g->calls[i].n_maps;
  return n;
}

/* `builders`: one for the value, then one for each map. */
static sf_status layouts(sfi_group_calls *g, int64_t ttl, bool of_calls, layout_builder *builders, sfi_map_type *maps,
                         sf_error *err) {
  if (of_calls) SF_TRY(value_layout(g, &builders[0], err));
  else SF_TRY(layout_new(g->pool, 0, 0, &builders[0], err));
  add_stamp(ttl, &builders[0]);
  int32_t state = 1, map = 0;
  for (; map < g->n_views; map++, state += 2) {
    SF_TRY(map_layout(g->pool, g->retracts ? g->views[map].n_calls : 1, ttl, &builders[1 + map], err));
    maps[map] = (sfi_map_type){builders[1 + map].type, state, state + 1};
  }
  for (int32_t i = 0; of_calls && i < g->n_calls; i++) {
    sfi_aggregate *a = &g->calls[i];
    bool lists = sfi_aggregate_has_lists(a);
    for (int32_t k = 0; k < a->n_maps; k++, map++, state++) {
      SF_TRY(own_layout(g, a, ttl, &builders[1 + map], err));
      maps[map] = (sfi_map_type){builders[1 + map].type, lists ? -1 : state, lists ? state : -1};
      a->maps[k] = map;
    }
  }
  return SF_OK;
}

static sf_status open_state(sfi_group_calls *g, sf_key_groups groups, int64_t ttl, bool of_calls, sf_state **out, sf_error *err) {
  int32_t n = count_maps(g, of_calls);
  size_t builders_size = (size_t)(1 + n) * sizeof(layout_builder);
  void *memory = NULL;
  SF_TRY(sf_pool_alloc(g->pool, builders_size + (size_t)n * sizeof(sfi_map_type), &memory, err));
  memset(memory, 0, builders_size);
  layout_builder *builders = memory;
  sfi_map_type *maps = (sfi_map_type *)(void *)(builders + 1 + n);
  sf_status st = layouts(g, ttl, of_calls, builders, maps, err);
  if (st == SF_OK) st = sfi_state_create(g->pool, groups, ttl, &builders[0].type, n, maps, out, err);
  for (int32_t i = 0; i <= n; i++) sf_pool_free(g->pool, builders[i].fields);
  sf_pool_free(g->pool, memory);
  return st;
}

sf_status sfi_group_calls_open(sfi_group_calls *g, sf_key_groups groups, int64_t ttl, sf_state **out, sf_error *err) {
  SF_TRY(open_state(g, groups, ttl, true, out, err));
  /* GroupAggFunction and those of mini-batches write the accumulators with each row, after the maps, and clear all of them together. With
   * a time-to-live the parts of a key may go one by one. */
  (*out)->values_first = ttl <= 0;
  return SF_OK;
}

sf_status sfi_group_calls_open_views(sfi_group_calls *g, sf_key_groups groups, int64_t ttl, sf_state **out, sf_error *err) {
  return open_state(g, groups, ttl, false, out, err);
}
