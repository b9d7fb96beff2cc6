/* Tables as the cache and the restoring of state see them: entries, whatever is known of them. */
#ifndef SFI_STATE_TABLE_INTERNAL_H
#define SFI_STATE_TABLE_INTERNAL_H

#include "state/state_internal.h"

/* First entry of a key's map, and the one after; SFI_NO_ENTRY at the end. Newest first. */
static inline uint32_t sfi_map_first(const sf_state *state, int32_t map, sfi_key key) {
  return sfi_state_table(state, key.group, 0)->heads[(int64_t)key.id * state->n_maps + map];
}
static inline uint32_t sfi_map_next(const sf_state *state, int32_t map, sfi_key key, uint32_t id) {
  return sfi_state_table(state, key.group, 1 + map)->links[id].next;
}
static inline uint8_t *sfi_marks(const sf_state *state, int32_t group, int32_t table, uint32_t id) {
  return &sfi_state_table(state, group, table)->marks[id];
}
static inline uint8_t *sfi_map_complete(const sf_state *state, int32_t map, sfi_key key) {
  return &sfi_state_table(state, key.group, 0)->complete[(int64_t)key.id * state->n_maps + map];
}

/* Entry of a map, also one that is known to be absent. */
uint32_t sfi_map_locate(const sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size);
/* Adds an entry that was not located. */
SF_MUST_CHECK sf_status sfi_map_add(sf_state *state, int32_t map, sfi_key key, const uint8_t *user_key, uint32_t size,
                                    uint32_t *id_out, sf_error *err);
/* Takes entries out of memory; a key's map entries go with it. */
SF_MUST_CHECK sf_status sfi_map_drop(sf_state *state, int32_t map, sfi_key key, uint32_t id, sf_error *err);
SF_MUST_CHECK sf_status sfi_state_drop(sf_state *state, sfi_key key, sf_error *err);
/* Decodes a value, in the bytes of its serializer, into an entry; bytes of views become the state's own. */
SF_MUST_CHECK sf_status sfi_state_fill(sf_state *state, int32_t table, sfi_key key, uint32_t id, const uint8_t *bytes,
                                       size_t size, sf_error *err);
/* Appends the key of an entry as it is in savepoints and in RocksDB: key group, key, namespace; the user key follows. */
SF_MUST_CHECK sf_status sfi_write_key(const sf_state *state, int32_t group, const sfi_entry *key, sfi_bytes *out,
                                      sf_error *err);
int32_t sfi_state_count(const sf_state *state); /* of states in snapshots */

#endif
