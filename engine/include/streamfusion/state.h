/* Keyed state of one operator in native memory, with Flink's heap state backend as its model: snapshots and restored
 * entries have the bytes of Flink's canonical savepoints, so that any backend of Flink reads them.
 *
 * An operator has one value per key (its accumulators, `accState` and the like) and any number of maps per key. In
 * snapshots that makes a list of states, whose order the operator documents; the host knows their names and serializers.
 *
 * The state belongs to the operator and its thread. A snapshot may be read and released by another thread, one at a time,
 * while the operator goes on, and also when the operator is gone. */
#ifndef STREAMFUSION_STATE_H
#define STREAMFUSION_STATE_H

#include "streamfusion/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sf_state sf_state;
typedef struct sf_snapshot sf_snapshot;

/* The key groups [first, first + n) of `max` (Flink's maximum parallelism). */
typedef struct sf_key_groups {
  int32_t first;
  int32_t n;
  int32_t max;
} sf_key_groups;

/* Adds entries of state `index`, back to back: i32 size, key, i32 size, value, all big endian, keys and values as in a
 * canonical savepoint (key group prefix, key, namespace, user key of a map). Entries must be new.
 * SF_CORRUPT: damaged, of another type, or of a key group that is not here. */
SF_EXPORT SF_MUST_CHECK sf_status sf_state_restore(sf_state *state, int32_t index, const uint8_t *entries, size_t size,
                                                   sf_error *err);
/* Keys that have something, and entries of all maps. */
SF_EXPORT int64_t sf_state_keys(const sf_state *state);
SF_EXPORT int64_t sf_state_map_entries(const sf_state *state);

/* A consistent view of everything at this moment. Takes time and memory for a pointer per 16 entries; what the operator
 * changes afterwards it copies first, 16 entries at a time. Owned by the caller. */
SF_EXPORT SF_MUST_CHECK sf_status sf_state_snapshot(sf_state *state, sf_snapshot **out, sf_error *err);
/* The next entries, ordered by key group and then by state, back to back: u16 key group, u16 state, i32 size, key, i32
 * size, value, all big endian. Borrowed until the next call; *size_out 0: that was all. */
SF_EXPORT SF_MUST_CHECK sf_status sf_snapshot_read(sf_snapshot *snapshot, const uint8_t **bytes_out, size_t *size_out,
                                                   sf_error *err);
SF_EXPORT void sf_snapshot_release(sf_snapshot *snapshot); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
