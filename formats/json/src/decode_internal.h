/* The decoder's compiled plan: a tree of nodes, one per type in the row type, and the columns that it fills.
 *
 * Slots. All columns that grow together belong to one domain: the root domain has a slot per record, each ARRAY or MAP
 * opens a domain with a slot per element. Validity starts all zero, so a value that is absent, NULL, or inside an absent
 * ROW costs nothing. */
#ifndef SF_JSON_DECODE_INTERNAL_H
#define SF_JSON_DECODE_INTERNAL_H

#include "json_internal.h"

typedef enum sfi_op {
  SFI_OP_BOOLEAN,
  SFI_OP_INT8,
  SFI_OP_INT16,
  SFI_OP_INT32, /* INTEGER, INTERVAL_YEAR_MONTH */
  SFI_OP_INT64, /* BIGINT, INTERVAL_DAY_TIME */
  SFI_OP_FLOAT,
  SFI_OP_DOUBLE,
  SFI_OP_DECIMAL,
  SFI_OP_STRING,
  SFI_OP_BINARY,
  SFI_OP_DATE,
  SFI_OP_TIME,
  SFI_OP_TIMESTAMP, /* and TIMESTAMP_LTZ: node->zulu */
  SFI_OP_ROW,
  SFI_OP_ARRAY,
  SFI_OP_MAP, /* and MULTISET */
  SFI_OP_NULL
} sfi_op;

typedef struct sfi_node sfi_node;
typedef struct sfi_field sfi_field;

/* Columns that share one slot number. */
typedef struct sfi_domain {
  sfi_node **members;
  int32_t n_members;
  int64_t capacity;
  int64_t length;    /* slots in use; root: the current record */
  int64_t committed; /* length behind the last record that was not punted */
} sfi_domain;

#define SFI_PATTERN_SIZE 32

/* A field of a ROW. `pattern` is its key as canonical writers spell it: quote, name, quote, colon. */
struct sfi_field {
  uint8_t pattern[SFI_PATTERN_SIZE]; /* zero padded; the first 32 bytes when longer */
  uint32_t mask;                     /* one bit per pattern byte in use */
  uint32_t size;                     /* of the whole key text */
  int32_t next;                      /* field that followed this one last time: the prediction */
  uint32_t name_size;
  const uint8_t *name;               /* borrowed from the type */
  sfi_node *node;
  uint32_t seen;                     /* stamp of the object that had this field last (rows of more than 64 fields) */
  bool plain_name;                   /* no quote, backslash or control character: the pattern can match */
};

struct sfi_node {
  uint8_t op;
  bool build;          /* produces a column; otherwise input is only checked */
  bool zulu;           /* TIMESTAMP_LTZ: text ends in Z */
  bool wide;           /* DECIMAL p > 18; TIMESTAMP p > 3 */
  int32_t domain;
  int32_t precision;
  int32_t scale;
  uint8_t *validity;   /* data of the buffers below */
  void *values;
  int32_t *aux;
  /* ROW */
  int32_t n_fields;
  int32_t first;       /* predicted first field */
  sfi_field *fields;
  uint32_t stamp;
  /* by hash of name size and leading bytes: field index + 1, or 0; n_slots is a power of two */
  uint32_t n_slots;
  int32_t *slots;
  /* ARRAY: element; MAP: key, value */
  sfi_node *child[2];
  int32_t child_domain;
  int64_t offsets_done; /* entries of aux that are written */
  /* storage of the batch being built */
  const sf_type *type;  /* borrowed from the row type, which the decoder retains */
  size_t width;
  sf_buffer *validity_buffer;
  sf_buffer *values_buffer;
  sf_buffer *aux_buffer;
};

/* An entry of the map being decoded. */
typedef struct sfi_map_entry {
  sf_view key;
  const uint8_t *value; /* where its text starts */
  const uint8_t *end;   /* and ends */
  uint32_t hash;        /* as java.util.HashMap spreads it */
} sfi_map_entry;

struct sf_decoder {
  const sf_format_host *host;
  sf_pool *pool;
  sf_type *row_type;
  sfi_json_options options;
  sfi_node *root;
  sfi_node *nodes; /* all of them; root is nodes[0] */
  int32_t n_nodes;
  sfi_field *all_fields;
  sfi_domain *domains;
  int32_t n_domains;
  bool has_decimal;
  /* Bytes that are not in the input as they are: unescaped strings, base64. */
  sf_buffer **arena;
  int32_t n_arena;
  int32_t arena_capacity;
  uint8_t *arena_next;
  size_t arena_left;
  /* Stack of map entries. */
  sfi_map_entry *entries;
  int64_t n_entries;
  int64_t entries_capacity;
  /* Order of entries while one map is arranged. */
  int32_t *order;
  int64_t order_capacity;
  /* A container that becomes a string, while it is written. */
  uint8_t *scratch;
  size_t scratch_capacity;
  bool legacy_doubles;
  /* The record at hand. */
  const uint8_t *end;
  sf_status status; /* failed allocation: ends the batch, unlike a punt */
  sf_error *err;
  /* Decodes one record's text into slot `row`; false: punt (or status is set). Chosen for the processor at create. */
  bool (*decode_record)(sf_decoder *d, const uint8_t *begin, const uint8_t *end, int64_t row);
};

/* decode_plan.c */
sf_status sfi_decode_plan_build(sf_decoder *d, const sf_format_spec *spec, sf_error *err);
void sfi_decode_plan_release(sf_decoder *d);
/* Index of the field, or -1. */
int32_t sfi_decode_find_field(const sfi_node *row, const uint8_t *name, uint32_t size);

/* decode_output.c: storage of the columns. All set d->status on failure. */
sf_status sfi_decode_begin(sf_decoder *d, int64_t n, sf_error *err);
/* Makes room for slot domain->length; false on failure. */
bool sfi_decode_grow(sf_decoder *d, int32_t domain);
/* Takes back everything that the record in `row` has written. */
void sfi_decode_rollback(sf_decoder *d, int64_t row);
void sfi_decode_commit(sf_decoder *d);
/* Hands out the columns of the root ROW's fields; `input` is what views refer to. */
sf_status sfi_decode_finish(sf_decoder *d, int64_t n, sf_buffer *input, sf_decoded *out, sf_error *err);
void sfi_decode_reset(sf_decoder *d);
/* Room in the arena: the caller uses up to `size` bytes and reports how many with sfi_decode_arena_take. NULL on failure. */
uint8_t *sfi_decode_arena_reserve(sf_decoder *d, size_t size);
static inline void sfi_decode_arena_take(sf_decoder *d, size_t used) {
  d->arena_next += used;
  d->arena_left -= used;
}

/* decode_slow.c: what the hot loop leaves to functions. Texts are [begin, end), already delimited. */

/* Unescapes a string's raw text; false: lone surrogate, unknown escape or ill-formed UTF-8 (punt), or status set. */
bool sfi_decode_unescape(sf_decoder *d, const uint8_t *begin, const uint8_t *end, sf_view *out);
/* Base64 text without line breaks, padded. */
bool sfi_decode_base64(sf_decoder *d, const uint8_t *begin, const uint8_t *end, sf_view *out);
/* Brings the entries from `from` on into the iteration order of the java.util.HashMap that stock Flink collects them
 * in (d->order). False: punt (repeated key, a bucket long enough to become a tree) or status set. */
bool sfi_decode_map_order(sf_decoder *d, int64_t from);
uint32_t sfi_decode_key_hash(const uint8_t *key, uint32_t size);

/* decode_compact.c: an object or array whose extent and grammar have been checked, as the text of its JsonNode. False: punt
 * (a repeated key, a number whose text depends on the kind of node, half a surrogate pair) or status set. */
bool sfi_decode_compact(sf_decoder *d, const uint8_t *begin, const uint8_t *end, sf_view *out);
bool sfi_decode_reserve_entries(sf_decoder *d, int64_t n);
static inline bool sfi_same_key(const sfi_map_entry *a, const sfi_map_entry *b) {
  return a->hash == b->hash && a->key.size == b->key.size && memcmp(a->key.data, b->key.data, a->key.size) == 0;
}

/* decode_generic.c, decode_avx2.c: the same code for two instruction sets. */
bool sfi_decode_record_generic(sf_decoder *d, const uint8_t *begin, const uint8_t *end, int64_t row);
#if defined(__x86_64__)
bool sfi_decode_record_avx2(sf_decoder *d, const uint8_t *begin, const uint8_t *end, int64_t row);
#endif

#endif
