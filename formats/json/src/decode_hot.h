/* The decoder's inner loop, included once per instruction set by a file that defines SFI_ENTRY.
 *
 * Functions take the position of a value's first byte, below the record's end, and return the position behind the value
 * (perhaps beyond the end, which the caller checks at the next delimiter) or NULL to punt. They write straight into slots;
 * a punt takes back what was written.
 *
 * What stock does, and where it shows here:
 * - Jackson stops behind the object: what follows in the record is not looked at.
 * - JsonParserToRowDataConverters counts the fields that it has found, and skips all keys once it has found as many as the
 *   row has. A repeated key counts twice, so that a later field may be missed: repeated keys are punts, unless all fields
 *   have been found. The tree deserializer keeps the last of repeated keys: always a punt.
 * - NULL goes into any field, also a NOT NULL one. A missing field is NULL. */
#include "decode_scalar.h"

static const uint8_t *convert(sf_decoder *d, sfi_node *node, const uint8_t *p, int64_t slot);

/* At a key that was not predicted: finds its field (NULL: unknown) and returns the position of the value. */
static __attribute__((noinline)) const uint8_t *find_field(sf_decoder *d, sfi_node *row, const uint8_t *p,
                                                           sfi_field **out, int32_t *prediction) {
  bool escaped = false;
  const uint8_t *name = p + 1;
  const uint8_t *close = string_end(name, d->end, &escaped);
  if (close == NULL || close - p > 10000) return NULL;
  sf_view key = {.data = name, .size = (uint32_t)(close - name)};
  if (escaped && !sfi_decode_unescape(d, name, close, &key)) return NULL;
  int32_t index = sfi_decode_find_field(row, key.data, key.size);
  *out = NULL;
  if (index >= 0) {
    *out = &row->fields[index];
    *prediction = index;
  }
  p = skip_space(close + 1, d->end);
  return *p == ':' ? skip_space(p + 1, d->end) : NULL;
}

/* Notes that the field has come; false when it had come before in this object. */
static inline bool first_time(sfi_node *row, sfi_field *field, uint64_t *seen) {
  if (SFI_LIKELY(row->n_fields <= 64)) {
    uint64_t bit = UINT64_C(1) << (field - row->fields);
    if (SFI_UNLIKELY((*seen & bit) != 0)) return false;
    *seen |= bit;
    return true;
  }
  if (field->seen == row->stamp) return false;
  field->seen = row->stamp;
  return true;
}

static void next_stamp(sfi_node *row) {
  if (++row->stamp != 0) return;
  for (int32_t i = 0; i < row->n_fields; i++) row->fields[i].seen = 0;
  row->stamp = 1;
}

/* Behind a value: steps over a comma to the next key (*more) or over the closing brace. */
static inline const uint8_t *next_key(const uint8_t *p, const uint8_t *end, bool *more) {
  if (SFI_UNLIKELY(*p <= ' ')) p = skip_space(p, end);
  if (SFI_UNLIKELY(p >= end)) return NULL;
  *more = *p == ',';
  if (!*more) return *p == '}' ? p + 1 : NULL;
  p++;
  if (SFI_UNLIKELY(*p != '"')) p = skip_space(p, end);
  return p < end && *p == '"' ? p : NULL;
}

/* Behind the opening brace of a ROW. */
static const uint8_t *convert_row(sf_decoder *d, sfi_node *row, const uint8_t *p, int64_t slot) {
  const uint8_t *end = d->end;
  uint64_t seen = 0;
  int32_t count = 0;
  int32_t *prediction = &row->first;
  bool more = true;
  if (SFI_UNLIKELY(row->n_fields > 64)) next_stamp(row);
  if (SFI_UNLIKELY(*p != '"')) {
    p = skip_space(p, end);
    if (p >= end) return NULL;
    more = *p == '"';
    if (!more && *p++ != '}') return NULL;
  }
  while (more) {
    sfi_field *field = NULL;
    if (SFI_LIKELY(count < row->n_fields)) {
      field = &row->fields[*prediction];
      if (SFI_LIKELY(matches(field, p, end))) {
        p += field->size;
      } else {
        p = find_field(d, row, p, &field, prediction);
      }
    } else if (d->options.tree && count > 0) {
      int32_t unused;
      p = find_field(d, row, p, &field, &unused);
    } else {
      p = skip_key(p, end);
    }
    if (SFI_UNLIKELY(p == NULL)) return NULL;
    if (SFI_UNLIKELY(*p <= ' ')) p = skip_space(p, end);
    if (SFI_UNLIKELY(p >= end)) return NULL;
    if (SFI_LIKELY(field != NULL)) {
      if (SFI_UNLIKELY(!first_time(row, field, &seen))) return NULL;
      count++;
      prediction = &field->next;
      p = convert(d, field->node, p, slot);
    } else {
      p = skip_value(p, end);
    }
    if (SFI_UNLIKELY(p == NULL)) return NULL;
    p = next_key(p, end, &more);
    if (SFI_UNLIKELY(p == NULL)) return NULL;
  }
  if (SFI_UNLIKELY(p > end)) return NULL;
  if (SFI_UNLIKELY(count < row->n_fields && d->options.fail_on_missing_field)) return NULL;
  if (row->build) set_valid(row, slot);
  return p;
}

/* Opens the range of an ARRAY or MAP in its slot. */
static inline void begin_range(sf_decoder *d, sfi_node *node, int64_t slot) {
  int32_t start = (int32_t)d->domains[node->child_domain].length;
  while (node->offsets_done <= slot) node->aux[node->offsets_done++] = start;
}

static inline void end_range(sf_decoder *d, sfi_node *node, int64_t slot) {
  node->aux[slot + 1] = (int32_t)d->domains[node->child_domain].length;
  node->offsets_done = slot + 2;
  set_valid(node, slot);
}

/* Slot for the next element, or -1. */
static inline int64_t element_slot(sf_decoder *d, sfi_node *node) {
  sfi_domain *domain = &d->domains[node->child_domain];
  if (SFI_UNLIKELY(domain->length >= domain->capacity) && !sfi_decode_grow(d, node->child_domain)) return -1;
  return domain->length;
}

/* Behind the opening bracket of an ARRAY. */
static const uint8_t *convert_array(sf_decoder *d, sfi_node *node, const uint8_t *p, int64_t slot) {
  const uint8_t *end = d->end;
  if (node->build) begin_range(d, node, slot);
  p = skip_space(p, end);
  if (p >= end) return NULL;
  if (*p == ']') {
    p++;
  } else {
    for (;;) {
      int64_t element = node->build ? element_slot(d, node) : 0;
      if (element < 0) return NULL;
      p = convert(d, node->child[0], p, element);
      if (p == NULL) return NULL;
      if (node->build) d->domains[node->child_domain].length++;
      p = skip_space(p, end);
      if (p >= end) return NULL;
      if (*p == ']') break;
      if (*p != ',') return NULL;
      p = skip_space(p + 1, end);
      if (p >= end) return NULL;
    }
    p++;
  }
  if (node->build) end_range(d, node, slot);
  return p;
}

static bool push_entry(sf_decoder *d, const sfi_map_entry *entry) {
  if (d->n_entries == d->entries_capacity) {
    int64_t capacity = d->entries_capacity == 0 ? 64 : d->entries_capacity * 2;
    void *grown = NULL;
    d->status = d->host->pool_realloc(d->pool, d->entries, (size_t)capacity * sizeof *entry, &grown, d->err);
    if (d->status != SF_OK) return false;
    d->entries = grown;
    d->entries_capacity = capacity;
  }
  d->entries[d->n_entries++] = *entry;
  return true;
}

/* At the first byte of an entry: reads its key, and the extent of its value when it is built. */
static const uint8_t *map_entry(sf_decoder *d, sfi_node *node, const uint8_t *p) {
  bool escaped = false;
  const uint8_t *end = d->end;
  if (*p != '"') return NULL;
  const uint8_t *name = p + 1;
  const uint8_t *close = string_end(name, end, &escaped);
  if (close == NULL || close - name > 10000) return NULL;
  p = skip_space(close + 1, end);
  if (*p != ':') return NULL;
  p = skip_space(p + 1, end);
  if (p >= end) return NULL;
  if (!node->build) return convert(d, node->child[1], p, 0);
  sfi_map_entry entry = {.key = {.data = name, .size = (uint32_t)(close - name)}, .value = p};
  if (escaped && !sfi_decode_unescape(d, name, close, &entry.key)) return NULL;
  entry.hash = sfi_decode_key_hash(entry.key.data, entry.key.size);
  p = skip_value(p, end);
  if (p == NULL || p > end) return NULL;
  entry.end = p;
  return push_entry(d, &entry) ? p : NULL;
}

/* Writes the entries from `from` on into the map's range, in the order that they are in. */
static bool write_entries(sf_decoder *d, sfi_node *node, int64_t from) {
  int64_t n = d->n_entries;
  for (int64_t i = from; i < n; i++) {
    sfi_map_entry entry = d->entries[i]; /* a nested map may move them */
    int64_t element = element_slot(d, node);
    if (element < 0) return false;
    ((sf_view *)node->child[0]->values)[element] = entry.key;
    set_valid(node->child[0], element);
    if (convert(d, node->child[1], entry.value, element) != entry.end) return false;
    d->domains[node->child_domain].length++;
  }
  return true;
}

/* Behind the opening brace of a MAP or MULTISET. Stock collects the entries in a HashMap, whose iteration order is that of
 * the column: it shows when a map is written again. So entries are located first and converted in that order. */
static const uint8_t *convert_map(sf_decoder *d, sfi_node *node, const uint8_t *p, int64_t slot) {
  const uint8_t *end = d->end;
  int64_t from = d->n_entries;
  if (node->build) begin_range(d, node, slot);
  p = skip_space(p, end);
  if (p >= end) return NULL;
  if (*p != '}') {
    bool more = true;
    while (more) {
      p = map_entry(d, node, p);
      if (p == NULL) return NULL;
      p = next_key(p, end, &more);
      if (p == NULL) return NULL;
    }
  } else {
    p++;
  }
  if (!node->build) return p;
  if (!sfi_decode_map_order(d, from) || !write_entries(d, node, from)) return NULL;
  d->n_entries = from;
  end_range(d, node, slot);
  return p;
}

static const uint8_t *convert(sf_decoder *d, sfi_node *node, const uint8_t *p, int64_t slot) {
  if (sfi_load32(p) == SFI_NULL_TEXT) return p + 4;
  switch ((sfi_op)node->op) {
    case SFI_OP_INT8:
    case SFI_OP_INT16:
    case SFI_OP_INT32:
    case SFI_OP_INT64: return convert_integer(node, p, slot);
    case SFI_OP_STRING: return convert_string(d, node, p, slot);
    case SFI_OP_TIMESTAMP: return convert_timestamp(d, node, p, slot);
    case SFI_OP_ROW: return *p == '{' ? convert_row(d, node, p + 1, slot) : NULL;
    case SFI_OP_BOOLEAN: return convert_boolean(node, p, slot);
    case SFI_OP_FLOAT: return convert_float(d, node, p, slot);
    case SFI_OP_DOUBLE: return convert_double(d, node, p, slot);
    case SFI_OP_DECIMAL: return convert_decimal(d, node, p, slot);
    case SFI_OP_BINARY: return convert_binary(d, node, p, slot);
    case SFI_OP_DATE: return convert_date(node, p, slot);
    case SFI_OP_TIME: return convert_time(node, p, slot);
    case SFI_OP_ARRAY: return *p == '[' ? convert_array(d, node, p + 1, slot) : NULL;
    case SFI_OP_MAP: return *p == '{' ? convert_map(d, node, p + 1, slot) : NULL;
    case SFI_OP_NULL: return *p == '{' || *p == '[' ? NULL : skip_scalar(p, d->end);
  }
  return NULL;
}

bool SFI_ENTRY(sf_decoder *d, const uint8_t *begin, const uint8_t *end, int64_t row) {
  d->end = end;
  const uint8_t *p = skip_space(begin, end);
  if (p >= end || *p != '{') return false;
  return convert_row(d, d->root, p + 1, row) != NULL;
}
