/* Entries of a store that are in memory. An entry of a key without value, or of a map with SFI_MARK_ABSENT, says that the
 * store is known to have nothing. Entries leave memory between batches only, so that places stay valid within one. */
#ifndef SFI_STATE_CACHE_H
#define SFI_STATE_CACHE_H

#include "state/store_filter.h"
#include "state/table_internal.h"
#include "streamfusion/state_store.h"

typedef struct sfi_place {
  int32_t group;
  int32_t table;
  uint32_t id;
} sfi_place;

typedef struct sfi_places { /* growing */
  sfi_place *at;
  size_t n;
  size_t room;
} sfi_places;

typedef struct sfi_change { /* an entry to be written, by where it comes in the store */
  uint64_t table;           /* and the key group, and the entry of the key whose map it is in */
  uint64_t key;             /* bytes of its own key */
  sfi_place place;
} sfi_change;

typedef struct sfi_cache {
  sf_store store; /* owned */
  sfi_store_filter filter;
  int64_t budget; /* bytes of entries */
  bool failed;    /* the store has failed: what is in memory is no longer known to be right */
  bool uncommitted;   /* entries have been written alone */
  sfi_places changed; /* entries that are marked so, and others that were */
  sfi_change *ordered; /* those that are being written */
  size_t ordered_room;
  sfi_places wanted; /* entries that are to be read */
  sfi_bytes bytes;    /* keys and values on their way */
  sfi_bytes record;   /* a value that gets no entry */
  size_t *ends;       /* of keys in bytes; these four are scratch of sfi_cache_read */
  sf_slice *slices;
  size_t *indices;
  uint64_t *hashes;
  size_t scratch_room;
  sfi_place hand; /* where eviction goes on */
  sf_cache_counts counts;
} sfi_cache;

void sfi_cache_close(sf_state *state);
/* Notes that an entry differs from the store. */
SF_MUST_CHECK sf_status sfi_cache_change(sf_state *state, sfi_place place, sf_error *err);
/* Notes that an entry is to be read by the next sfi_cache_read. */
SF_MUST_CHECK sf_status sfi_cache_want(sf_state *state, sfi_place place, sf_error *err);
SF_MUST_CHECK sf_status sfi_cache_read(sf_state *state, sf_error *err);
/* After a batch of so many rows: makes room when there is more than the budget in memory. */
SF_MUST_CHECK sf_status sfi_cache_settle(sf_state *state, int64_t rows, sf_error *err);
/* Visits the entries of a key's map that are in the store only. */
SF_MUST_CHECK sf_status sfi_cache_visit(sf_state *state, int32_t map, sfi_key key, sfi_map_visitor visit, void *context,
                                        sf_error *err);
/* Removes a key's value and maps. */
SF_MUST_CHECK sf_status sfi_cache_remove(sf_state *state, sfi_key key, sf_error *err);

#endif
