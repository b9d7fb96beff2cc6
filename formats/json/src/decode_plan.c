/* Compiles the row type into the decoder's node tree. */
#include "decode_internal.h"

typedef struct counts {
  int32_t nodes;
  int32_t fields;
  int32_t domains;
} counts;

static void count(const sf_type *type, counts *c) {
  c->nodes++;
  if (type->kind == SF_TYPE_ROW) c->fields += type->n_children;
  if (type->layout == SF_LAYOUT_LIST || type->layout == SF_LAYOUT_MAP) c->domains++;
  for (int32_t i = 0; i < type->n_children; i++) count(type->children[i], c);
}

typedef struct plan_builder {
  sf_decoder *d;
  int32_t next_node;
  int32_t next_field;
  int32_t next_domain;
  sf_error *err;
} plan_builder;

static sf_status alloc_zeroed(sf_decoder *d, size_t size, void *out, sf_error *err) {
  void *memory = NULL;
  SF_TRY(d->host->pool_alloc(d->pool, size, &memory, err));
  memset(memory, 0, size);
  memcpy(out, &memory, sizeof memory);
  return SF_OK;
}

static uint32_t name_hash(const uint8_t *name, uint32_t size) {
  uint64_t head = 0;
  memcpy(&head, name, size < 8 ? size : 8);
  uint64_t tail = size > 0 ? name[size - 1] : 0;
  return (uint32_t)(((head ^ (tail << 56) ^ size) * UINT64_C(0x9E3779B97F4A7C15)) >> 40);
}

int32_t sfi_decode_find_field(const sfi_node *row, const uint8_t *name, uint32_t size) {
  uint32_t mask = row->n_slots - 1;
  for (uint32_t slot = name_hash(name, size) & mask;; slot = (slot + 1) & mask) {
    int32_t entry = row->slots[slot];
    if (entry == 0) return -1;
    const sfi_field *field = &row->fields[entry - 1];
    if (field->name_size == size && memcmp(field->name, name, size) == 0) return entry - 1;
  }
}

/* The key text as canonical writers spell it, or no pattern at all when the name would have to be escaped. */
static void make_pattern(sfi_field *field) {
  field->plain_name = true;
  for (uint32_t i = 0; i < field->name_size; i++) {
    if (field->name[i] < 0x20 || field->name[i] == '"' || field->name[i] == '\\') field->plain_name = false;
  }
  field->size = field->name_size + 3;
  if (!field->plain_name) {
    field->mask = 1; /* a zero byte where input has a quote: never matches */
    return;
  }
  uint8_t *pattern = field->pattern;
  uint32_t room = SFI_PATTERN_SIZE - 1;
  pattern[0] = '"';
  memcpy(pattern + 1, field->name, field->name_size < room ? field->name_size : room);
  if (field->name_size + 1 < SFI_PATTERN_SIZE) pattern[field->name_size + 1] = '"';
  if (field->name_size + 2 < SFI_PATTERN_SIZE) pattern[field->name_size + 2] = ':';
  field->mask = field->size >= SFI_PATTERN_SIZE ? UINT32_MAX : (1u << field->size) - 1;
}

static sf_status build_slots(plan_builder *b, sfi_node *node) {
  node->n_slots = 4;
  while ((int64_t)node->n_slots < (int64_t)node->n_fields * 2) node->n_slots *= 2;
  SF_TRY(alloc_zeroed(b->d, node->n_slots * sizeof *node->slots, &node->slots, b->err));
  for (int32_t i = 0; i < node->n_fields; i++) {
    uint32_t slot = name_hash(node->fields[i].name, node->fields[i].name_size) & (node->n_slots - 1);
    while (node->slots[slot] != 0) slot = (slot + 1) & (node->n_slots - 1);
    node->slots[slot] = i + 1;
  }
  return SF_OK;
}

static sf_status scalar_op(const sf_type *type, sfi_node *node, sf_error *err) {
  switch (type->kind) {
    case SF_TYPE_BOOLEAN: node->op = SFI_OP_BOOLEAN; return SF_OK;
    case SF_TYPE_TINYINT: node->op = SFI_OP_INT8; return SF_OK;
    case SF_TYPE_SMALLINT: node->op = SFI_OP_INT16; return SF_OK;
    case SF_TYPE_INTEGER:
    case SF_TYPE_INTERVAL_YEAR_MONTH: node->op = SFI_OP_INT32; return SF_OK;
    case SF_TYPE_BIGINT:
    case SF_TYPE_INTERVAL_DAY_TIME: node->op = SFI_OP_INT64; return SF_OK;
    case SF_TYPE_FLOAT: node->op = SFI_OP_FLOAT; return SF_OK;
    case SF_TYPE_DOUBLE: node->op = SFI_OP_DOUBLE; return SF_OK;
    case SF_TYPE_DECIMAL: node->op = SFI_OP_DECIMAL; return SF_OK;
    case SF_TYPE_CHAR:
    case SF_TYPE_VARCHAR: node->op = SFI_OP_STRING; return SF_OK;
    case SF_TYPE_BINARY:
    case SF_TYPE_VARBINARY: node->op = SFI_OP_BINARY; return SF_OK;
    case SF_TYPE_DATE: node->op = SFI_OP_DATE; return SF_OK;
    case SF_TYPE_TIME: node->op = SFI_OP_TIME; return SF_OK;
    case SF_TYPE_TIMESTAMP_LTZ: node->zulu = true; node->op = SFI_OP_TIMESTAMP; return SF_OK;
    case SF_TYPE_TIMESTAMP: node->op = SFI_OP_TIMESTAMP; return SF_OK;
    case SF_TYPE_NULL: node->op = SFI_OP_NULL; return SF_OK;
    case SF_TYPE_ROW:
    case SF_TYPE_ARRAY:
    case SF_TYPE_MAP:
    case SF_TYPE_MULTISET: break;
  }
  return sfi_json_fail(err, SF_UNSUPPORTED, "json: type kind %d is not supported", (int)type->kind);
}

static size_t layout_width(sf_layout layout) {
  switch (layout) {
    case SF_LAYOUT_BOOL:
    case SF_LAYOUT_INT8: return 1;
    case SF_LAYOUT_INT16: return 2;
    case SF_LAYOUT_INT32:
    case SF_LAYOUT_FLOAT: return 4;
    case SF_LAYOUT_INT64:
    case SF_LAYOUT_DOUBLE:
    case SF_LAYOUT_TIMESTAMP: return 8;
    case SF_LAYOUT_INT128:
    case SF_LAYOUT_VIEW: return 16;
    case SF_LAYOUT_ROW:
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP:
    case SF_LAYOUT_NULL: return 0;
  }
  return 0;
}

static sf_status build(plan_builder *b, const sf_type *type, int32_t domain, sfi_node **out);

static sf_status build_row(plan_builder *b, sfi_node *node) {
  const sf_type *type = node->type;
  node->op = SFI_OP_ROW;
  node->n_fields = type->n_children;
  node->fields = b->d->all_fields + b->next_field;
  b->next_field += type->n_children;
  for (int32_t i = 0; i < type->n_children; i++) {
    sfi_field *field = &node->fields[i];
    size_t name_size = strlen(type->field_names[i]);
    if (name_size > 10000) return sfi_json_fail(b->err, SF_UNSUPPORTED, "json: a field name of %zu bytes", name_size);
    field->name = (const uint8_t *)type->field_names[i];
    field->name_size = (uint32_t)name_size;
    field->next = i + 1 < type->n_children ? i + 1 : 0;
    make_pattern(field);
    SF_TRY(build(b, type->children[i], node->domain, &field->node));
  }
  return build_slots(b, node);
}

static sf_status build_collection(plan_builder *b, sfi_node *node) {
  const sf_type *type = node->type;
  bool map = type->layout == SF_LAYOUT_MAP;
  node->op = map ? SFI_OP_MAP : SFI_OP_ARRAY;
  node->child_domain = b->next_domain++;
  if (map && type->children[0]->kind != SF_TYPE_CHAR && type->children[0]->kind != SF_TYPE_VARCHAR) {
    return sfi_json_fail(b->err, SF_UNSUPPORTED, "JSON format doesn't support non-string as key type of map");
  }
  for (int32_t i = 0; i < (map ? 2 : 1); i++) {
    SF_TRY(build(b, type->children[i], node->child_domain, &node->child[i]));
  }
  return SF_OK;
}

static sf_status build(plan_builder *b, const sf_type *type, int32_t domain, sfi_node **out) {
  sfi_node *node = &b->d->nodes[b->next_node++];
  node->type = type;
  node->domain = domain;
  node->precision = type->precision;
  node->scale = type->scale;
  node->wide = type->layout == SF_LAYOUT_INT128 || type->layout == SF_LAYOUT_TIMESTAMP;
  node->width = layout_width(type->layout);
  *out = node;
  if (type->kind == SF_TYPE_DECIMAL) b->d->has_decimal = true;
  if (type->kind == SF_TYPE_ROW) return build_row(b, node);
  if (type->layout == SF_LAYOUT_LIST || type->layout == SF_LAYOUT_MAP) return build_collection(b, node);
  return scalar_op(type, node, b->err);
}

static void read_whole(sfi_node *node) {
  node->build = true;
  for (int32_t i = 0; i < node->n_fields; i++) read_whole(node->fields[i].node);
  for (int i = 0; i < 2; i++) {
    if (node->child[i] != NULL) read_whole(node->child[i]);
  }
}

static sf_status read_path(sf_decoder *d, const int32_t *path, int32_t length, sf_error *err) {
  sfi_node *node = d->root;
  for (int32_t i = 0; i < length; i++) {
    if (node->op != SFI_OP_ROW || path[i] < 0 || path[i] >= node->n_fields) {
      return sfi_json_fail(err, SF_INVALID, "json: step %d of a read path leaves the row type", (int)i);
    }
    node = node->fields[path[i]].node;
    node->build = true;
  }
  read_whole(node);
  return SF_OK;
}

/* A field that is read is read whole unless paths lead into it. */
static sf_status mark_read(sf_decoder *d, const sf_format_spec *spec, sf_error *err) {
  for (int32_t i = 0; i < d->root->n_fields; i++) {
    if (spec->read != NULL && !spec->read[i]) continue;
    bool narrowed = false;
    for (int32_t k = 0; k < spec->n_paths; k++) {
      if (spec->path_lengths[k] < 1 || spec->paths[k][0] != i) continue;
      narrowed = true;
      SF_TRY(read_path(d, spec->paths[k], spec->path_lengths[k], err));
    }
    if (!narrowed) read_whole(d->root->fields[i].node);
  }
  return SF_OK;
}

static bool has_column(const sfi_node *node) { return node->build && node->op != SFI_OP_NULL; }

/* Lists the columns of each domain. */
static sf_status fill_domains(sf_decoder *d, sf_error *err) {
  for (int32_t i = 0; i < d->n_nodes; i++) {
    if (has_column(&d->nodes[i])) d->domains[d->nodes[i].domain].n_members++;
  }
  for (int32_t k = 0; k < d->n_domains; k++) {
    sfi_domain *domain = &d->domains[k];
    if (domain->n_members == 0) continue;
    SF_TRY(alloc_zeroed(d, (size_t)domain->n_members * sizeof *domain->members, &domain->members, err));
    int32_t next = 0;
    for (int32_t i = 0; i < d->n_nodes; i++) {
      if (has_column(&d->nodes[i]) && d->nodes[i].domain == k) domain->members[next++] = &d->nodes[i];
    }
  }
  return SF_OK;
}

sf_status sfi_decode_plan_build(sf_decoder *d, const sf_format_spec *spec, sf_error *err) {
  if (d->row_type->kind != SF_TYPE_ROW) return sfi_json_fail(err, SF_INVALID, "json: the format's type is not a ROW");
  counts c = {.domains = 1};
  count(d->row_type, &c);
  SF_TRY(alloc_zeroed(d, (size_t)c.nodes * sizeof *d->nodes, &d->nodes, err));
  d->n_nodes = c.nodes;
  SF_TRY(alloc_zeroed(d, (size_t)c.fields * sizeof *d->all_fields, &d->all_fields, err));
  SF_TRY(alloc_zeroed(d, (size_t)c.domains * sizeof *d->domains, &d->domains, err));
  d->n_domains = c.domains;
  plan_builder b = {.d = d, .next_domain = 1, .err = err};
  SF_TRY(build(&b, d->row_type, 0, &d->root));
  SF_TRY(mark_read(d, spec, err));
  return fill_domains(d, err);
}

void sfi_decode_plan_release(sf_decoder *d) {
  for (int32_t i = 0; i < d->n_nodes; i++) d->host->pool_free(d->pool, d->nodes[i].slots);
  for (int32_t i = 0; i < d->n_domains; i++) d->host->pool_free(d->pool, d->domains[i].members);
  d->host->pool_free(d->pool, d->nodes);
  d->host->pool_free(d->pool, d->all_fields);
  d->host->pool_free(d->pool, d->domains);
}
