/* JSON containers as the value of a string field: what readValueAsTree().toString() gives. */
#include "decode_skip.h"

#define MAX_KEYS 64 /* of one object: they are compared with each other */

typedef struct compactor {
  sf_decoder *d;
  uint8_t *to;
  int depth;
  int64_t keys_from[SFI_MAX_DEPTH]; /* per open object, where its keys start in d->entries */
} compactor;

/* The longest that a byte of input may get: 1e5 becomes 100000.0, a control character six bytes. */
#define GROWTH 10
#define MAX_CONTAINER (1 << 20)

static bool reserve_scratch(sf_decoder *d, size_t size) {
  if (size <= d->scratch_capacity) return true;
  void *grown = NULL;
  d->status = d->host->pool_realloc(d->pool, d->scratch, size, &grown, d->err);
  if (d->status != SF_OK) return false;
  d->scratch = grown;
  d->scratch_capacity = size;
  return true;
}

static bool note_key(compactor *c, sf_view key) {
  sf_decoder *d = c->d;
  if (d->n_entries == d->entries_capacity && !sfi_decode_reserve_entries(d, d->n_entries * 2 + 64)) return false;
  d->entries[d->n_entries++] = (sfi_map_entry){.key = key, .hash = sfi_decode_key_hash(key.data, key.size)};
  return true;
}

/* Forgets the keys of the object that ends; false when one came twice. */
static bool close_object(compactor *c) {
  sf_decoder *d = c->d;
  int64_t from = c->keys_from[--c->depth], to = d->n_entries;
  if (to - from > MAX_KEYS) return false;
  for (int64_t i = from + 1; i < to; i++) {
    for (int64_t k = from; k < i; k++) {
      if (sfi_same_key(&d->entries[i], &d->entries[k])) return false;
    }
  }
  d->n_entries = from;
  return true;
}

static const uint8_t *compact_string(compactor *c, const uint8_t *p, const uint8_t *end) {
  bool escaped = false;
  const uint8_t *close = string_end(p + 1, end, &escaped);
  if (close == NULL) return NULL;
  sf_view text = {.data = p + 1, .size = (uint32_t)(close - p - 1), .reserved = 0};
  if (escaped && !sfi_decode_unescape(c->d, p + 1, close, &text)) return NULL;
  *c->to++ = '"';
  c->to = sfi_encode_escaped_text(c->to, text.data, text.size, false);
  if (c->to == NULL) return NULL;
  *c->to++ = '"';
  p = skip_space(close + 1, end);
  if (p < end && *p == ':' && !note_key(c, text)) return NULL;
  return p;
}

static const uint8_t *compact_number(compactor *c, const uint8_t *p, const uint8_t *end) {
  const sf_decoder *d = c->d;
  number n;
  const uint8_t *behind = parse_number(p, end, &n);
  if (behind == NULL) return NULL;
  if (!n.fractional) {
    if (n.negative && n.mantissa == 0) return NULL; /* an IntNode 0 */
    memcpy(c->to, p, (size_t)(behind - p));
    c->to += behind - p;
    return behind;
  }
  double value;
  if (d->has_decimal) return NULL; /* a DecimalNode, which keeps more digits */
  if (!d->host->parse_double(p, (size_t)(behind - p), &value) || __builtin_isinf(value)) return NULL;
  c->to += d->host->double_text(value, d->legacy_doubles, (char *)c->to);
  return behind;
}

static const uint8_t *compact_word(compactor *c, const uint8_t *p) {
  size_t size = *p == 'f' ? 5 : 4;
  memcpy(c->to, p, size);
  c->to += size;
  return p + size;
}

/* Writes one token; NULL: punt. */
static const uint8_t *compact_token(compactor *c, const uint8_t *p, const uint8_t *end) {
  switch (*p) {
    case ' ':
    case '\t':
    case '\r':
    case '\n': return p + 1;
    case '"': return compact_string(c, p, end);
    case '{':
      c->keys_from[c->depth++] = c->d->n_entries;
      break;
    case '}':
      if (!close_object(c)) return NULL;
      break;
    case '[':
    case ']':
    case ',':
    case ':': break;
    case 't':
    case 'f':
    case 'n': return compact_word(c, p);
    default: return compact_number(c, p, end);
  }
  *c->to++ = *p;
  return p + 1;
}

bool sfi_decode_compact(sf_decoder *d, const uint8_t *begin, const uint8_t *end, sf_view *out) {
  if (end - begin > MAX_CONTAINER) return false;
  if (!reserve_scratch(d, (size_t)(end - begin) * GROWTH + 64)) return false;
  compactor c = {.d = d, .to = d->scratch};
  for (const uint8_t *p = begin; p < end;) {
    p = compact_token(&c, p, end);
    if (p == NULL) return false;
  }
  size_t size = (size_t)(c.to - d->scratch);
  uint8_t *copy = sfi_decode_arena_reserve(d, size);
  if (copy == NULL) return false;
  memcpy(copy, d->scratch, size);
  sfi_decode_arena_take(d, size);
  *out = (sf_view){.data = copy, .size = (uint32_t)size, .reserved = 0};
  return true;
}
