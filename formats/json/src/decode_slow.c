/* What the decoder's inner loop leaves to functions: escapes, base64, map order. */
#include "decode_internal.h"

static uint32_t hex_value(uint8_t c) { return c <= '9' ? (uint32_t)(c - '0') : (uint32_t)((c | 0x20) - 'a' + 10); }

static uint32_t hex4(const uint8_t *p) {
  return hex_value(p[0]) << 12 | hex_value(p[1]) << 8 | hex_value(p[2]) << 4 | hex_value(p[3]);
}

static uint8_t *put_utf8(uint8_t *to, uint32_t code) {
  if (code < 0x80) {
    *to++ = (uint8_t)code;
  } else if (code < 0x800) {
    *to++ = (uint8_t)(0xC0 | code >> 6);
    *to++ = (uint8_t)(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *to++ = (uint8_t)(0xE0 | code >> 12);
    *to++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
    *to++ = (uint8_t)(0x80 | (code & 0x3F));
  } else {
    *to++ = (uint8_t)(0xF0 | code >> 18);
    *to++ = (uint8_t)(0x80 | (code >> 12 & 0x3F));
    *to++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
    *to++ = (uint8_t)(0x80 | (code & 0x3F));
  }
  return to;
}

/* At the backslash of \uXXXX; NULL: half a surrogate pair, which becomes a '?' in Flink's strings (rare). */
static const uint8_t *unescape_unicode(const uint8_t *p, const uint8_t *end, uint8_t **to) {
  uint32_t code = hex4(p + 2);
  p += 6;
  if (code >= 0xD800 && code <= 0xDFFF) {
    if (code > 0xDBFF || end - p < 6 || p[0] != '\\' || p[1] != 'u') return NULL;
    uint32_t low = hex4(p + 2);
    if (low < 0xDC00 || low > 0xDFFF) return NULL;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    p += 6;
  }
  *to = put_utf8(*to, code);
  return p;
}

static uint8_t simple_escape(uint8_t c) {
  switch (c) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c;
  }
}

bool sfi_decode_unescape(sf_decoder *d, const uint8_t *begin, const uint8_t *end, sf_view *out) {
  uint8_t *start = sfi_decode_arena_reserve(d, (size_t)(end - begin)); /* no escape is shorter than what it means */
  if (start == NULL) return false;
  uint8_t *to = start;
  const uint8_t *p = begin;
  while (p < end) {
    const uint8_t *backslash = memchr(p, '\\', (size_t)(end - p));
    size_t plain = (size_t)((backslash == NULL ? end : backslash) - p);
    memcpy(to, p, plain);
    to += plain;
    p += plain;
    if (p == end) break;
    if (p[1] == 'u') {
      p = unescape_unicode(p, end, &to);
      if (p == NULL) return false;
    } else {
      *to++ = simple_escape(p[1]);
      p += 2;
    }
  }
  *out = (sf_view){.data = start, .size = (uint32_t)(to - start), .reserved = 0};
  sfi_decode_arena_take(d, (size_t)(to - start));
  return true;
}

/* Six bits, or 64 for anything outside the alphabet. */
static uint32_t base64_value(uint8_t c) {
  if (c >= 'A' && c <= 'Z') return (uint32_t)(c - 'A');
  if (c >= 'a' && c <= 'z') return (uint32_t)(c - 'a' + 26);
  if (c >= '0' && c <= '9') return (uint32_t)(c - '0' + 52);
  return c == '+' ? 62 : c == '/' ? 63 : 64;
}

bool sfi_decode_base64(sf_decoder *d, const uint8_t *begin, const uint8_t *end, sf_view *out) {
  size_t size = (size_t)(end - begin);
  if (size % 4 != 0) return false;
  uint8_t *start = sfi_decode_arena_reserve(d, size / 4 * 3);
  if (start == NULL) return false;
  uint8_t *to = start;
  for (const uint8_t *p = begin; p < end; p += 4) {
    int pad = p + 4 == end ? (p[3] == '=') + (p[3] == '=' && p[2] == '=') : 0;
    uint32_t a = base64_value(p[0]), b = base64_value(p[1]);
    uint32_t c = pad > 1 ? 0 : base64_value(p[2]), e = pad > 0 ? 0 : base64_value(p[3]);
    if ((a | b | c | e) > 63) return false;
    uint32_t bits = a << 18 | b << 12 | c << 6 | e;
    if ((pad == 1 && (bits & 0xFF) != 0) || (pad == 2 && (bits & 0xFFFF) != 0)) return false;
    *to++ = (uint8_t)(bits >> 16);
    if (pad < 2) *to++ = (uint8_t)(bits >> 8);
    if (pad < 1) *to++ = (uint8_t)bits;
  }
  *out = (sf_view){.data = start, .size = (uint32_t)(to - start), .reserved = 0};
  sfi_decode_arena_take(d, (size_t)(to - start));
  return true;
}

static uint32_t rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }

static uint32_t mix(uint32_t hash, uint32_t k) {
  hash ^= rotate(k * 0xCC9E2D51u, 15) * 0x1B873593u;
  return rotate(hash, 13) * 5 + 0xE6546B64u;
}

/* BinaryStringData.hashCode (Murmur3 with the tail taken byte by byte, sign extended), spread as HashMap.hash does. */
uint32_t sfi_decode_key_hash(const uint8_t *key, uint32_t size) {
  uint32_t hash = 42, i = 0;
  for (; i + 4 <= size; i += 4) hash = mix(hash, sfi_load32(key + i));
  for (; i < size; i++) hash = mix(hash, (uint32_t)(int32_t)(int8_t)key[i]);
  hash ^= size;
  hash ^= hash >> 16;
  hash *= 0x85EBCA6Bu;
  hash ^= hash >> 13;
  hash *= 0xC2B2AE35u;
  hash ^= hash >> 16;
  return hash ^ hash >> 16;
}

/* From the ninth entry on a bucket becomes a tree (or the table grows early). */
#define MAX_BUCKET 8

static bool fail_memory(sf_decoder *d, sf_status status) {
  d->status = status;
  return status == SF_OK;
}

static bool reserve_order(sf_decoder *d, int64_t n) {
  if (n <= d->order_capacity) return true;
  void *grown = NULL;
  if (!fail_memory(d, d->host->pool_realloc(d->pool, d->order, (size_t)n * sizeof *d->order, &grown, d->err))) return false;
  d->order = grown;
  d->order_capacity = n;
  return true;
}

bool sfi_decode_reserve_entries(sf_decoder *d, int64_t n) {
  if (n <= d->entries_capacity) return true;
  void *grown = NULL;
  if (!fail_memory(d, d->host->pool_realloc(d->pool, d->entries, (size_t)n * sizeof *d->entries, &grown, d->err))) {
    return false;
  }
  d->entries = grown;
  d->entries_capacity = n;
  return true;
}

/* Bucket sizes of the first n entries in a table of `buckets`, in d->order; false when one is too long. */
static bool count_buckets(sf_decoder *d, const sfi_map_entry *entries, int64_t n, int64_t buckets) {
  memset(d->order, 0, (size_t)buckets * sizeof *d->order);
  for (int64_t i = 0; i < n; i++) {
    if (++d->order[entries[i].hash & (uint32_t)(buckets - 1)] > MAX_BUCKET) return false;
  }
  return true;
}

bool sfi_decode_map_order(sf_decoder *d, int64_t from) {
  int64_t n = d->n_entries - from, buckets = 16;
  if (n < 2) return true;
  while (n > buckets / 4 * 3) buckets *= 2;
  if (buckets > (int64_t)1 << 30) return false;
  if (!reserve_order(d, buckets) || !sfi_decode_reserve_entries(d, d->n_entries + n)) return false;
  sfi_map_entry *entries = d->entries + from, *sorted = entries + n;
  for (int64_t table = 16; table < buckets; table *= 2) {
    if (!count_buckets(d, entries, table / 4 * 3 + 1, table)) return false;
  }
  if (!count_buckets(d, entries, n, buckets)) return false;
  int32_t next = 0;
  for (int64_t i = 0; i < buckets; i++) {
    int32_t size = d->order[i];
    d->order[i] = next;
    next += size;
  }
  for (int64_t i = 0; i < n; i++) sorted[d->order[entries[i].hash & (uint32_t)(buckets - 1)]++] = entries[i];
  for (int64_t i = 1; i < n; i++) {
    /* Equal keys share a bucket; all entries of a bucket are neighbours. */
    for (int64_t k = i - 1; k >= 0 && k >= i - MAX_BUCKET; k--) {
      if (sfi_same_key(&sorted[i], &sorted[k])) return false;
    }
  }
  memcpy(entries, sorted, (size_t)n * sizeof *entries);
  return true;
}
