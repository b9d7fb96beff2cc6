/* Key groups: which group a key is in, and which subtask owns a group. Reproduces o.a.f.runtime.state.KeyGroupRangeAssignment
 * for keys that are BinaryRowData, as all keys of SQL operators are. */
#ifndef STREAMFUSION_KEY_GROUP_H
#define STREAMFUSION_KEY_GROUP_H

#include "streamfusion/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* KeyGroupRangeAssignment.computeKeyGroupForKeyHash: 0 to max_parallelism - 1.
 * key_hash: BinaryRowData.hashCode() of the key, as sf_binary_row_hash or sf_key_hasher_hash give it. */
static inline int32_t sf_key_group(int32_t key_hash, int32_t max_parallelism) {
  uint32_t h = (uint32_t)key_hash * 0xcc9e2d51u; /* MathUtils.murmurHash */
  h = (h << 15 | h >> 17) * 0x1b873593u;
  h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
  h ^= 4;
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  if (h > INT32_MAX) h = h == 0x80000000u ? 0 : 0u - h;
  return (int32_t)h % max_parallelism;
}

/* KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup: the subtask, and so the channel of an exchange.
 * max_parallelism <= 32768, as Flink demands. */
static inline int32_t sf_key_group_owner(int32_t key_group, int32_t max_parallelism, int32_t parallelism) {
  return key_group * parallelism / max_parallelism;
}

typedef struct sf_key_hasher sf_key_hasher;
/* Hashes the key that Flink's generated projection makes of `fields` (n_fields of them, maybe none) of the row type. */
SF_EXPORT SF_MUST_CHECK sf_status sf_key_hasher_create(sf_pool *pool, const sf_type *row_type, const int32_t *fields,
                                                       int32_t n_fields, sf_key_hasher **out, sf_error *err);
SF_EXPORT void sf_key_hasher_destroy(sf_key_hasher *hasher); /* NULL is allowed */
/* BinaryRowData.hashCode() of the keys of rows [from, from + n) of the batch, into hashes_out[0..n). */
SF_EXPORT SF_MUST_CHECK sf_status sf_key_hasher_hash(sf_key_hasher *hasher, const sf_batch *batch, int64_t from, int64_t n,
                                                     int32_t *hashes_out, sf_error *err);

#ifdef __cplusplus
}
#endif
#endif
