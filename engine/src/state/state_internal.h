/* Keyed state: tables of entries in pages that snapshots share (copy on write), and records, which are values in the form
 * in which operators compute with them. */
#ifndef SFI_STATE_STATE_INTERNAL_H
#define SFI_STATE_STATE_INTERNAL_H

#include <pthread.h>
#include <string.h>

#include "streamfusion/column.h"
#include "streamfusion/key_group.h"
#include "streamfusion/state.h"

/* --- slab.c: small blocks without headers, all gone at once in the end. Not thread-safe. */

#define SFI_SLAB_LARGEST 8192
#define SFI_SLAB_STEP 16

typedef struct sfi_slab {
  sf_pool *pool; /* borrowed */
  void *chunks;  /* linked through their first word, the second is the size */
  void *spare;   /* chunks that are empty, linked likewise */
  uint8_t *next;
  size_t left;
  size_t chunk_size;
  void *free[SFI_SLAB_LARGEST / SFI_SLAB_STEP + 1]; /* by size class, linked through their first word */
  struct sfi_large *large;
} sfi_slab;

void sfi_slab_init(sfi_slab *slab, sf_pool *pool);
SF_MUST_CHECK sf_status sfi_slab_alloc(sfi_slab *slab, size_t size, void **out, sf_error *err);
void sfi_slab_free(sfi_slab *slab, void *block, size_t size);
/* All blocks go. Chunks stay for the blocks to come, as many as there were since the last time. */
void sfi_slab_empty(sfi_slab *slab);
void sfi_slab_destroy(sfi_slab *slab);

/* --- record.c: the value of an entry. [words of NULL bits][cells], a cell having 8 or 16 bytes:
 *   integers of all kinds, sign-extended to int64, BOOLEAN 0 or 1; FLOAT as float, DOUBLE as double
 *   INT128 as __int128; TIMESTAMP as sfi_timestamp; VIEW as sf_view, whose bytes the state owns, with `reserved` free ones behind */

typedef struct sfi_timestamp {
  int64_t millis;
  int64_t nanos;
} sfi_timestamp;

typedef enum sfi_field_kind {
  SFI_FIELD_CELL, /* a value */
  SFI_FIELD_VIEW, /* RAW that stands for a view in another state: nothing here */
  SFI_FIELD_ROW   /* nested row of the n_children fields that follow */
} sfi_field_kind;

typedef struct sfi_field {
  sfi_field_kind kind;
  sf_layout layout;   /* CELL */
  int32_t cell;       /* CELL */
  int32_t n_children; /* ROW */
} sfi_field;

typedef enum sfi_value_form {
  SFI_VALUE_ROW,       /* RowDataSerializer */
  SFI_VALUE_LONG,      /* one cell: LongSerializer */
  SFI_VALUE_LONG_ARRAY, /* all cells: ArrayDataSerializer of BIGINT NOT NULL */
  SFI_VALUE_BYTES      /* one cell, a view of the serializer's bytes */
} sfi_value_form;

/* How values look in memory and in snapshots. The arrays belong to whoever made it. */
typedef struct sfi_record_type {
  sfi_value_form form;
  int32_t n_fields; /* top-level fields and children, depth first */
  const sfi_field *fields;
  int32_t n_top;
  int32_t n_cells;
  const int32_t *offsets;   /* of cells */
  const sf_layout *layouts; /* of cells */
  int32_t stamp;            /* offset of the time of the last write (int64 milliseconds), 0: without time to live */
  size_t size;              /* of a record */
} sfi_record_type;

/* TtlUtils.expired */
static inline bool sfi_record_expired(const sfi_record_type *type, const uint8_t *record, int64_t ttl, int64_t now) {
  if (type->stamp == 0) return false;
  int64_t written;
  memcpy(&written, record + type->stamp, sizeof written);
  return written > INT64_MAX - ttl ? INT64_MAX <= now : written + ttl <= now;
}
static inline void sfi_record_stamp(const sfi_record_type *type, uint8_t *record, int64_t now) {
  if (type->stamp != 0) memcpy(record + type->stamp, &now, sizeof now);
}

static inline size_t sfi_cell_size(sf_layout layout) {
  return layout == SF_LAYOUT_INT128 || layout == SF_LAYOUT_TIMESTAMP || layout == SF_LAYOUT_VIEW ? 16 : 8;
}
static inline bool sfi_cell_null(const uint8_t *record, int32_t cell) { return sf_bit_get(record, cell); }
static inline void sfi_cell_set_null(uint8_t *record, int32_t cell, bool null) {
  if (null) sf_bit_set(record, cell);
  else sf_bit_clear(record, cell);
}

typedef struct sfi_bytes { /* growing; owned by whoever has it, freed with sf_pool_free(pool, data) */
  sf_pool *pool;
  uint8_t *data;
  size_t size;
  size_t room;
} sfi_bytes;
SF_MUST_CHECK sf_status sfi_bytes_extend(sfi_bytes *b, size_t more, sf_error *err); /* zeroed */

/* Appends the value in the bytes of Flink's serializer. */
SF_MUST_CHECK sf_status sfi_record_encode(const sfi_record_type *type, const uint8_t *record, sfi_bytes *out,
                                          sf_error *err);
/* Fills a zeroed record from such bytes; views refer to them. */
SF_MUST_CHECK sf_status sfi_record_decode(const sfi_record_type *type, const uint8_t *bytes, size_t size, uint8_t *record,
                                          sf_error *err);

/* --- table.c: entries of one key group of one state */

#define SFI_PAGE_ENTRIES 16
#define SFI_INLINE_KEY 16 /* a row of one number */
#define SFI_NO_ENTRY UINT32_MAX
#define SFI_NULL_KEY (UINT32_MAX - 1) /* size of the user key NULL */

/* Followed by the record. */
typedef struct sfi_entry {
  union {
    const uint8_t *bytes; /* owned by the state, immutable */
    uint8_t inlined[SFI_INLINE_KEY];
  } key;
  uint32_t key_size; /* SFI_NO_ENTRY: the entry is free; SFI_NULL_KEY */
  uint32_t owner;    /* maps: the entry of the key; keys: SFI_WITH_VALUE or SFI_WITHOUT_VALUE */
} sfi_entry;
/* A key has no value when it was restored with map entries alone: what Flink leaves where values have expired. */
#define SFI_WITH_VALUE 1
#define SFI_WITHOUT_VALUE 2

typedef struct sfi_page {
  int64_t epoch; /* of the state when this copy was made */
  int64_t reserved;
} sfi_page;

typedef struct sfi_slot {
  uint32_t hash;
  uint32_t id; /* SFI_NO_ENTRY: empty */
} sfi_slot;

typedef struct sfi_link { /* entries of one owner, of maps only; snapshots do without */
  uint32_t previous;
  uint32_t next;
} sfi_link;

typedef struct sfi_table {
  sfi_page **pages;
  uint32_t page_room;
  uint32_t used; /* entries ever in use: ids are below */
  uint32_t live;
  uint32_t free; /* first free entry, linked through `owner`; SFI_NO_ENTRY: none */
  sfi_slot *index;
  uint32_t index_mask; /* size - 1; index NULL: 0 */
  sfi_link *links;     /* maps */
  uint32_t *heads;     /* keys: per entry the first entry of each map */
  uint8_t *marks;      /* with a store: SFI_MARK_... of each entry */
  uint8_t *complete;   /* keys, with a store: per entry and map whether all of the map that is in the store is here too */
  uint32_t side_room;  /* entries that the arrays beside the pages have room for */
} sfi_table;

/* What a cache knows of an entry. */
#define SFI_MARK_CHANGED 1 /* the store has something else */
#define SFI_MARK_STORED 2  /* the store has a value of it, or had one */
#define SFI_MARK_ABSENT 4  /* of a map: known not to be there */
#define SFI_MARK_LISTED 16 /* while changes are written: has been met among them */
#define SFI_MARK_USED 8    /* since the cache has last looked for what to drop */

/* A map, or a list or value beside the key's own, which is the entry NULL of a map that has no others. */
typedef struct sfi_map_type {
  sfi_record_type record;
  int32_t entries_state; /* index in snapshots of the entries, or -1 */
  int32_t null_state;    /* of the entry of the key NULL, or -1 */
} sfi_map_type;

typedef struct sfi_retired {
  void *block;
  size_t size;
  int64_t epoch;
} sfi_retired;

struct sf_state {
  sf_pool *pool; /* retained */
  int64_t references; /* the operator's and those of snapshots; guarded by lock */
  pthread_mutex_t lock;
  sf_snapshot *live; /* guarded by lock */
  sf_key_groups groups;
  const sfi_record_type *value; /* owned, as all that it refers to */
  int32_t n_maps;
  sfi_map_type *maps;
  int32_t n_tables;  /* of a key group: 1 + n_maps */
  sfi_table *tables; /* by key group, keys first */
  bool values_first; /* a key that has no value has nothing in its maps either */
  int64_t ttl;       /* milliseconds that a value or map entry lives after its last write, 0: for ever */
  int64_t now;       /* milliseconds since the epoch, kept up by the operator when there is a ttl */
  int32_t sweep_group; /* where looking for what has expired goes on */
  int32_t sweep_table;
  uint32_t sweep_id;
  sfi_slab slab;
  int64_t epoch;
  int64_t newest_live; /* epoch of the newest snapshot that may be live, -1: none */
  sfi_retired *retired; /* [first, end), ascending epochs */
  size_t retired_first;
  size_t retired_end;
  size_t retired_room;
  int64_t retired_bytes;
  int64_t held;            /* bytes of all entries, about */
  int64_t drops;           /* of keys, so far: where keys are does not change without */
  struct sfi_cache *cache; /* owned; NULL: all entries are in memory */
};

/* Types are copied deeply. With a ttl all of them have stamps. */
SF_MUST_CHECK sf_status sfi_state_create(sf_pool *pool, sf_key_groups groups, int64_t ttl, const sfi_record_type *value,
                                         int32_t n_maps, const sfi_map_type *maps, sf_state **out, sf_error *err);
/* The operator lets go of it. NULL is allowed. */
void sfi_state_close(sf_state *state);
/* Frees what nobody refers to any more; pointers to bytes in records are valid until then. */
void sfi_state_reclaim(sf_state *state);
/* The same where a lot has gathered: between rows or keys, so that a batch of changes to large values does not keep them all. */
static inline void sfi_state_reclaim_much(sf_state *state);

/* A key: where it is, or would be. */
typedef struct sfi_key {
  int32_t group; /* from groups.first */
  uint32_t id;   /* SFI_NO_ENTRY: not there */
} sfi_key;

static inline sfi_table *sfi_state_table(const sf_state *state, int32_t group, int32_t table) {
  return &state->tables[(int64_t)group * state->n_tables + table];
}
static inline const sfi_record_type *sfi_table_type(const sf_state *state, int32_t table) {
  return table == 0 ? state->value : &state->maps[table - 1].record;
}
static inline size_t sfi_stride(const sf_state *state, int32_t table) {
  return sizeof(sfi_entry) + sfi_table_type(state, table)->size;
}
static inline sfi_entry *sfi_page_entry(const sfi_page *page, size_t stride, uint32_t id) {
  return (sfi_entry *)(void *)((uint8_t *)(uintptr_t)(page + 1) + (id % SFI_PAGE_ENTRIES) * stride);
}
static inline const sfi_entry *sfi_state_entry(const sf_state *state, int32_t group, int32_t table, uint32_t id) {
  return sfi_page_entry(sfi_state_table(state, group, table)->pages[id / SFI_PAGE_ENTRIES], sfi_stride(state, table), id);
}
/* Has memory that will be used soon fetched. GCC takes functions that do nothing but prefetch for pure ones and drops their calls:
 * the empty instruction is an effect in its eyes. */
static inline void sfi_fetch(const void *at) {
  __builtin_prefetch(at, 1);
  __asm__ volatile("");
}
static inline void sfi_state_fetch(const sf_state *state, int32_t group, int32_t table, uint32_t id) {
  enum { LINE = 64, MOST_LINES = 4 }; /* what is further away the processor finds out by itself */
  size_t stride = sfi_stride(state, table);
  const char *at = (const char *)sfi_state_entry(state, group, table, id);
  for (size_t i = 0; i < MOST_LINES && i * LINE < stride; i++) sfi_fetch(at + i * LINE);
}
static inline const uint8_t *sfi_entry_key(const sfi_entry *entry) {
  return entry->key_size <= SFI_INLINE_KEY ? entry->key.inlined : entry->key.bytes;
}
static inline uint8_t *sfi_entry_record(const sfi_entry *entry) { return (uint8_t *)(uintptr_t)(entry + 1); }

/* Looks up a key (its serialized row without size) with its row hash. SF_INVALID: of a key group that is not here. With a
 * store the key is read from there if need be, and has an entry in any case. */
SF_MUST_CHECK sf_status sfi_state_find(sf_state *state, const uint8_t *key, size_t size, int32_t hash, sfi_key *out,
                                       sf_error *err);
/* The same, in memory only. */
SF_MUST_CHECK sf_status sfi_state_locate(const sf_state *state, const uint8_t *key, size_t size, int32_t hash, sfi_key *out,
                                         sf_error *err);
/* With a store: the key gets an entry, which the next sfi_state_read_wanted reads unless it is known. Otherwise as
 * sfi_state_locate. */
SF_MUST_CHECK sf_status sfi_state_want(sf_state *state, const uint8_t *key, size_t size, int32_t hash, sfi_key *out,
                                       sf_error *err);
/* Where a key with this hash is looked for, and what stands there: to be fetched ahead. NULL where there is nothing. Groups need not be
 * checked. */
const void *sfi_state_slot_of(const sf_state *state, int32_t group, int32_t hash);
const void *sfi_state_entry_behind(const sf_state *state, int32_t group, int32_t hash);
/* Whether the key that was located is (still) at that place. */
bool sfi_state_is_at(const sf_state *state, const uint8_t *key, size_t size, sfi_key place);
/* Adds the key that was not found, without value; its record is zeroed. */
SF_MUST_CHECK sf_status sfi_state_insert(sf_state *state, const uint8_t *key, size_t size, int32_t hash, sfi_key *key_io,
                                         sf_error *err);
static inline bool sfi_state_has_value(const sf_state *state, sfi_key key) {
  return sfi_state_entry(state, key.group, 0, key.id)->owner == SFI_WITH_VALUE;
}
static inline bool sfi_state_expired(const sf_state *state, int32_t group, int32_t table, uint32_t id) {
  return state->ttl > 0 && sfi_record_expired(sfi_table_type(state, table),
                                              sfi_entry_record(sfi_state_entry(state, group, table, id)), state->ttl,
                                              state->now);
}
/* Takes the value of a key away; its map entries stay. */
SF_MUST_CHECK sf_status sfi_state_clear_value(sf_state *state, sfi_key key, sf_error *err);
/* After a batch of so many rows: removes some of what has expired, or what the cache has no room for. */
SF_MUST_CHECK sf_status sfi_state_settle(sf_state *state, int64_t rows, sf_error *err);
/* As sfi_state_write for a key, which has a value from now on. */
SF_MUST_CHECK sf_status sfi_state_write_value(sf_state *state, sfi_key key, uint8_t **record_out, sf_error *err);
/* The record of an entry, to be changed: valid until the next insertion or snapshot. */
SF_MUST_CHECK sf_status sfi_state_write(sf_state *state, int32_t group, int32_t table, uint32_t id, uint8_t **record_out,
                                        sf_error *err);
/* The same for a record that may turn out to stay as it is; if not, sfi_state_changed must follow. */
SF_MUST_CHECK sf_status sfi_state_own(sf_state *state, int32_t group, int32_t table, uint32_t id, uint8_t **record_out,
                                      sf_error *err);
SF_MUST_CHECK sf_status sfi_state_changed(sf_state *state, int32_t group, int32_t table, uint32_t id, sf_error *err);
/* Removes a key with its value and all its map entries. */
SF_MUST_CHECK sf_status sfi_state_remove(sf_state *state, sfi_key key, sf_error *err);
/* Removes everything at once from a state that has no store and no snapshots; tables stay as large as they are. */
void sfi_state_empty(sf_state *state);
/* Sets a VIEW cell of a record obtained from sfi_state_write: copies the bytes. */
SF_MUST_CHECK sf_status sfi_state_set_bytes(sf_state *state, uint8_t *cell, sf_view view, sf_error *err);
/* Appends to the bytes of such a cell, in place while there is room: what a snapshot has seen of them stays as it was. The parts
 * are none of the cell's own bytes. */
SF_MUST_CHECK sf_status sfi_state_append_bytes(sf_state *state, uint8_t *cell, const sf_view *parts, int32_t n, sf_error *err);

/* Looks up an entry by the user key's serialized bytes; size SFI_NULL_KEY: NULL. SFI_NO_ENTRY: it is not there, or has
 * expired, and then it is removed. */
SF_MUST_CHECK sf_status sfi_map_find_live(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                                          uint32_t *id_out, sf_error *err);
/* To be fetched ahead, with hashes of sfi_map_hash, in two steps as those of keys. */
uint32_t sfi_map_hash(uint32_t owner, const uint8_t *user_key, uint32_t size);
const void *sfi_map_slot_of(const sf_state *state, int32_t map, int32_t group, uint32_t hash);
const void *sfi_map_entry_behind(const sf_state *state, int32_t map, int32_t group, uint32_t hash);
/* What adding an entry to the key's map changes beside it. */
static inline const void *sfi_map_link_of(const sf_state *state, int32_t map, sfi_key key) {
  uint32_t newest = sfi_state_table(state, key.group, 0)->heads[(int64_t)key.id * state->n_maps + map];
  return newest == SFI_NO_ENTRY ? NULL : &sfi_state_table(state, key.group, 1 + map)->links[newest];
}
/* Adds an entry that was not found; its record is zeroed. */
SF_MUST_CHECK sf_status sfi_map_insert(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                                       uint32_t *id_out, sf_error *err);
/* Both in one. */
SF_MUST_CHECK sf_status sfi_map_upsert(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                                       uint32_t *id_out, bool *added_out, sf_error *err);
SF_MUST_CHECK sf_status sfi_map_remove(sf_state *state, int32_t map, sfi_key key, uint32_t id, sf_error *err);
/* With a store: has the entry read by the next sfi_state_read_wanted, unless it is known. sfi_map_find_live does as well without,
 * but reads one at a time. */
SF_MUST_CHECK sf_status sfi_map_want(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                                     sf_error *err);
SF_MUST_CHECK sf_status sfi_state_read_wanted(sf_state *state, sf_error *err);
/* sfi_map_find_live in two steps, for many entries at once. First *id_out becomes where the entry is, or would be; with a store
 * sfi_state_read_wanted is to follow. Then it is found there, as long as nothing was done to this very entry in between and no batch
 * has ended. */
SF_MUST_CHECK sf_status sfi_map_want_place(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                                           uint32_t *id_out, sf_error *err);
SF_MUST_CHECK sf_status sfi_map_find_at(sf_state *state, int32_t map, sfi_key key, uint32_t place, uint32_t *id_out,
                                        sf_error *err);
/* The same for an entry that is added, zeroed, when it is not found. */
SF_MUST_CHECK sf_status sfi_map_upsert_at(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                                          uint32_t place, uint32_t *id_out, bool *added_out, sf_error *err);
/* Calls `visit` for the user key of each entry that has not expired; the bytes are borrowed for the call. */
typedef sf_status (*sfi_map_visitor)(void *context, const uint8_t *user_key, uint32_t size, sf_error *err);
SF_MUST_CHECK sf_status sfi_map_visit(sf_state *state, int32_t map, sfi_key key, sfi_map_visitor visit, void *context,
                                      sf_error *err);

SF_MUST_CHECK sf_status sfi_state_retire(sf_state *state, void *block, size_t size, sf_error *err);

#define SFI_MUCH_RETIRED ((int64_t)8 << 20)
static inline void sfi_state_reclaim_much(sf_state *state) {
  if (state->retired_bytes > SFI_MUCH_RETIRED) sfi_state_reclaim(state);
}

/* A step of a hash: both halves of the product, since Flink writes numbers with their last byte last: what differs between the keys is
 * high up in the word, and the lower half of a product has nothing of it. */
static inline uint64_t sfi_fold(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline void sfi_put32(uint8_t *p, uint32_t v) { /* big endian */
  v = __builtin_bswap32(v);
  memcpy(p, &v, sizeof v);
}
static inline void sfi_put64(uint8_t *p, uint64_t v) {
  v = __builtin_bswap64(v);
  memcpy(p, &v, sizeof v);
}
static inline uint32_t sfi_get32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return __builtin_bswap32(v);
}
static inline uint64_t sfi_get64(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return __builtin_bswap64(v);
}

#endif
