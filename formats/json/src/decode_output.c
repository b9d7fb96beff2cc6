/* Storage of the columns under construction, and their hand-over. */
#include "decode_internal.h"

#define FIRST_ELEMENTS 1024
#define ARENA_CHUNK ((size_t)64 << 10)

static sf_status fail(sf_decoder *d, sf_status status) {
  if (d->status == SF_OK) d->status = status;
  return status;
}

/* Grows a buffer (NULL: creates it) to `size` bytes, zeroing what is new. */
static sf_status grow_buffer(sf_decoder *d, sf_buffer **buffer, size_t old_size, size_t size, void *data_out) {
  if (*buffer == NULL) {
    SF_TRY(d->host->buffer_create(d->pool, size, buffer, d->err));
    old_size = 0;
  } else {
    SF_TRY(d->host->buffer_resize(buffer, size, d->err));
  }
  uint8_t *data = d->host->buffer_data(*buffer);
  memset(data + old_size, 0, size - old_size);
  memcpy(data_out, &data, sizeof data);
  return SF_OK;
}

static sf_status grow_member(sf_decoder *d, sfi_node *node, int64_t from, int64_t to) {
  SF_TRY(grow_buffer(d, &node->validity_buffer, sf_bitmap_bytes(from), sf_bitmap_bytes(to), &node->validity));
  if (node->width > 0) {
    SF_TRY(grow_buffer(d, &node->values_buffer, (size_t)from * node->width, (size_t)to * node->width, &node->values));
  }
  if (node->op == SFI_OP_ARRAY || node->op == SFI_OP_MAP) {
    size_t old_size = from == 0 ? 0 : ((size_t)from + 1) * sizeof(int32_t);
    SF_TRY(grow_buffer(d, &node->aux_buffer, old_size, ((size_t)to + 1) * sizeof(int32_t), &node->aux));
  } else if (node->op == SFI_OP_TIMESTAMP && node->wide) {
    SF_TRY(grow_buffer(d, &node->aux_buffer, (size_t)from * sizeof(int32_t), (size_t)to * sizeof(int32_t), &node->aux));
  }
  return SF_OK;
}

static sf_status grow_domain(sf_decoder *d, sfi_domain *domain, int64_t capacity) {
  for (int32_t i = 0; i < domain->n_members; i++) {
    SF_TRY(grow_member(d, domain->members[i], domain->capacity, capacity));
  }
  domain->capacity = capacity;
  return SF_OK;
}

bool sfi_decode_grow(sf_decoder *d, int32_t index) {
  sfi_domain *domain = &d->domains[index];
  int64_t capacity = domain->capacity < FIRST_ELEMENTS ? FIRST_ELEMENTS : domain->capacity * 2;
  return fail(d, grow_domain(d, domain, capacity)) == SF_OK;
}

sf_status sfi_decode_begin(sf_decoder *d, int64_t n, sf_error *err) {
  d->status = SF_OK;
  d->err = err;
  return grow_domain(d, &d->domains[0], n);
}

void sfi_decode_reset(sf_decoder *d) {
  for (int32_t i = 0; i < d->n_nodes; i++) {
    sfi_node *node = &d->nodes[i];
    d->host->buffer_release(node->validity_buffer);
    d->host->buffer_release(node->values_buffer);
    d->host->buffer_release(node->aux_buffer);
    node->validity_buffer = node->values_buffer = node->aux_buffer = NULL;
    node->validity = NULL;
    node->values = NULL;
    node->aux = NULL;
    node->offsets_done = 0;
  }
  for (int32_t i = 0; i < d->n_domains; i++) d->domains[i].capacity = d->domains[i].length = d->domains[i].committed = 0;
  for (int32_t i = 0; i < d->n_arena; i++) d->host->buffer_release(d->arena[i]);
  d->n_arena = 0;
  d->arena_next = NULL;
  d->arena_left = 0;
  d->n_entries = 0;
  d->err = NULL;
}

static void clear_slot(sfi_node *node, int64_t slot) {
  sf_bit_clear(node->validity, slot);
  if (node->width > 0) memset((uint8_t *)node->values + (size_t)slot * node->width, 0, node->width);
  if (node->aux == NULL) return;
  if (node->op == SFI_OP_TIMESTAMP) {
    node->aux[slot] = 0;
  } else if (node->offsets_done > slot + 1) {
    node->offsets_done = slot + 1;
  }
}

void sfi_decode_rollback(sf_decoder *d, int64_t row) {
  d->n_entries = 0;
  d->domains[0].committed = row;
  d->domains[0].length = row + 1;
  for (int32_t k = 0; k < d->n_domains; k++) {
    sfi_domain *domain = &d->domains[k];
    for (int32_t i = 0; i < domain->n_members; i++) {
      sfi_node *node = domain->members[i];
      /* The slot behind the last may have been written, too: an element that failed. */
      for (int64_t slot = domain->committed; slot <= domain->length && slot < domain->capacity; slot++) {
        clear_slot(node, slot);
      }
    }
    if (k > 0) domain->length = domain->committed;
  }
}

void sfi_decode_commit(sf_decoder *d) {
  for (int32_t k = 1; k < d->n_domains; k++) d->domains[k].committed = d->domains[k].length;
}

uint8_t *sfi_decode_arena_reserve(sf_decoder *d, size_t size) {
  if (size <= d->arena_left && d->arena_next != NULL) return d->arena_next;
  if (d->n_arena == d->arena_capacity) {
    int32_t capacity = d->arena_capacity == 0 ? 8 : d->arena_capacity * 2;
    void *grown = NULL;
    if (fail(d, d->host->pool_realloc(d->pool, d->arena, (size_t)capacity * sizeof *d->arena, &grown, d->err)) != SF_OK) {
      return NULL;
    }
    d->arena = grown;
    d->arena_capacity = capacity;
  }
  size_t chunk = size > ARENA_CHUNK ? size : ARENA_CHUNK;
  if (fail(d, d->host->buffer_create(d->pool, chunk, &d->arena[d->n_arena], d->err)) != SF_OK) return NULL;
  d->arena_next = d->host->buffer_data(d->arena[d->n_arena++]);
  d->arena_left = chunk;
  return d->arena_next;
}

static int64_t count_valid(const uint8_t *validity, int64_t n) {
  int64_t valid = 0;
  for (size_t i = 0; i < sf_bitmap_bytes(n) / 8; i++) {
    uint64_t word = sfi_load64(validity + i * 8);
    int64_t rest = n - (int64_t)i * 64;
    if (rest < 64) word &= (UINT64_C(1) << rest) - 1;
    valid += __builtin_popcountll(word);
  }
  return valid;
}

static void finish_offsets(sfi_node *node, int64_t n, int64_t end) {
  while (node->offsets_done <= n) node->aux[node->offsets_done++] = (int32_t)end;
}

static sf_status finish_node(sf_decoder *d, sfi_node *node, int64_t n, sf_buffer *input, sf_column **out, sf_error *err);

static int32_t child_count(const sfi_node *node) {
  return node->op == SFI_OP_ROW ? node->n_fields : node->op == SFI_OP_ARRAY ? 1 : node->op == SFI_OP_MAP ? 2 : 0;
}

static sf_status finish_children(sf_decoder *d, sfi_node *node, int64_t n, sf_buffer *input, sf_column **children,
                                 sf_error *err) {
  if (child_count(node) == 0) return SF_OK;
  int64_t length = node->op == SFI_OP_ROW ? n : d->domains[node->child_domain].length;
  if (node->op != SFI_OP_ROW) finish_offsets(node, n, length);
  for (int32_t i = 0; i < child_count(node); i++) {
    sfi_node *child = node->op == SFI_OP_ROW ? node->fields[i].node : node->child[i];
    SF_TRY(finish_node(d, child, length, input, &children[i], err));
  }
  return SF_OK;
}

/* Moves the node's buffers, and for views references to the input and the arena, into a column. */
static sf_status make_column(sf_decoder *d, sfi_node *node, int64_t n, sf_buffer *input, sf_column **children,
                             sf_buffer **buffers, sf_column **out, sf_error *err) {
  int64_t nulls = n - count_valid(node->validity, n);
  int32_t n_buffers = 0;
  if (nulls > 0) {
    buffers[n_buffers++] = node->validity_buffer;
  } else {
    d->host->buffer_release(node->validity_buffer);
  }
  if (node->values_buffer != NULL) buffers[n_buffers++] = node->values_buffer;
  if (node->aux_buffer != NULL) buffers[n_buffers++] = node->aux_buffer;
  if (node->type->layout == SF_LAYOUT_VIEW) {
    if (node->op == SFI_OP_STRING) buffers[n_buffers++] = d->host->buffer_retain(input);
    for (int32_t i = 0; i < d->n_arena; i++) buffers[n_buffers++] = d->host->buffer_retain(d->arena[i]);
  }
  sf_column_spec spec = {.type = node->type,
                         .length = n,
                         .null_count = nulls,
                         .validity = nulls > 0 ? node->validity : NULL,
                         .values = node->values,
                         .aux = node->aux,
                         .n_children = child_count(node),
                         .children = children,
                         .n_buffers = n_buffers,
                         .buffers = buffers};
  node->validity_buffer = node->values_buffer = node->aux_buffer = NULL;
  return d->host->column_create(&spec, out, err);
}

static sf_status finish_node(sf_decoder *d, sfi_node *node, int64_t n, sf_buffer *input, sf_column **out, sf_error *err) {
  if (!node->build || node->op == SFI_OP_NULL) return d->host->column_create_null(d->pool, node->type, n, out, err);
  if (node->validity_buffer == NULL) SF_TRY(grow_member(d, node, 0, n)); /* no element has come */
  int32_t n_children = child_count(node);
  size_t children_bytes = (size_t)n_children * sizeof(sf_column *);
  void *memory = NULL;
  SF_TRY(d->host->pool_alloc(d->pool, children_bytes + ((size_t)d->n_arena + 4) * sizeof(sf_buffer *), &memory, err));
  sf_column **children = memory;
  memset(children, 0, children_bytes);
  sf_status st = finish_children(d, node, n, input, children, err);
  if (st == SF_OK) {
    st = make_column(d, node, n, input, children, (sf_buffer **)((uint8_t *)memory + children_bytes), out, err);
  } else {
    for (int32_t i = 0; i < n_children; i++) d->host->column_release(children[i]);
  }
  d->host->pool_free(d->pool, memory);
  return st;
}

sf_status sfi_decode_finish(sf_decoder *d, int64_t n, sf_buffer *input, sf_decoded *out, sf_error *err) {
  int32_t n_columns = d->root->n_fields;
  void *memory = NULL;
  SF_TRY(d->host->pool_alloc(d->pool, (size_t)n_columns * sizeof(sf_column *), &memory, err));
  sf_column **columns = memory;
  for (int32_t i = 0; i < n_columns; i++) {
    sf_status st = finish_node(d, d->root->fields[i].node, n, input, &columns[i], err);
    if (st == SF_OK) continue;
    for (int32_t k = 0; k < i; k++) d->host->column_release(columns[k]);
    d->host->pool_free(d->pool, memory);
    return st;
  }
  out->columns = columns;
  out->n_columns = n_columns;
  out->n_rows = n;
  return SF_OK;
}
