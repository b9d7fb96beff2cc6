/* Key partitioning of the Kafka producer: org.apache.kafka.common.utils.Utils.murmur2 and BuiltInPartitioner. */
#include <string.h>

#include "streamfusion/kafka_records.h"

static uint32_t murmur2(const uint8_t *data, size_t size) {
  const uint32_t m = 0x5bd1e995u;
  uint32_t h = 0x9747b28cu ^ (uint32_t)size;
  size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    uint32_t k = (uint32_t)data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16 | (uint32_t)data[i + 3] << 24;
    k *= m;
    k ^= k >> 24;
    k *= m;
    h *= m;
    h ^= k;
  }
  switch (size - i) {
    case 3:
      h ^= (uint32_t)data[i + 2] << 16;
      /* fallthrough */
    case 2:
      h ^= (uint32_t)data[i + 1] << 8;
      /* fallthrough */
    case 1:
      h ^= data[i];
      h *= m;
      break;
    default:
      break;
  }
  h ^= h >> 13;
  h *= m;
  h ^= h >> 15;
  return h;
}

int32_t sf_kafka_partition_for_key(const uint8_t *key, size_t size, int32_t partitions) {
  return (int32_t)(murmur2(key, size) & 0x7fffffffu) % partitions;
}

/* Counting sort; `next` has n_groups entries, `sorted` as many as rows. */
static void sort_by_group(const int32_t *groups, int64_t n, int32_t n_groups, int32_t *order, int32_t *next,
                          int32_t *sorted, int32_t *counts_out) {
  memset(counts_out, 0, (size_t)n_groups * sizeof(int32_t));
  for (int64_t i = 0; i < n; i++) counts_out[groups[i]]++;
  int32_t start = 0;
  for (int32_t g = 0; g < n_groups; g++) {
    next[g] = start;
    start += counts_out[g];
  }
  for (int64_t i = 0; i < n; i++) sorted[next[groups[i]]++] = order[i];
  if (n > 0) memcpy(order, sorted, (size_t)n * sizeof(int32_t));
}

sf_status sf_kafka_group_rows(sf_pool *pool, const int32_t *groups, int64_t n, int32_t n_groups, int32_t *order,
                              int32_t *counts_out, sf_error *err) {
  for (int64_t i = 0; i < n; i++) {
    if (groups[i] < 0 || groups[i] >= n_groups) {
      return sf_fail(err, SF_INVALID, "group %d among %d", (int)groups[i], (int)n_groups);
    }
  }
  void *memory;
  SF_TRY(sf_pool_alloc(pool, ((size_t)n + (size_t)n_groups) * sizeof(int32_t), &memory, err));
  int32_t *next = memory;
  sort_by_group(groups, n, n_groups, order, next, next + n_groups, counts_out);
  sf_pool_free(pool, memory);
  return SF_OK;
}

sf_status sf_kafka_partition_rows(sf_pool *pool, const sf_kafka_rows *rows, int64_t n, int32_t partitions,
                                  int32_t *order, int32_t *counts_out, sf_error *err) {
  if (rows->keys == NULL || partitions <= 0) return sf_fail(err, SF_INVALID, "rows without keys have no partition");
  void *memory;
  SF_TRY(sf_pool_alloc(pool, (size_t)n * sizeof(int32_t), &memory, err));
  int32_t *partition = memory;
  for (int64_t i = 0; i < n; i++) {
    int64_t row = order[i];
    const uint8_t *key = rows->keys + rows->key_offsets[row];
    size_t size = (size_t)(rows->key_offsets[row + 1] - rows->key_offsets[row]);
    partition[i] = sf_kafka_partition_for_key(key, size, partitions);
  }
  sf_status st = sf_kafka_group_rows(pool, partition, n, partitions, order, counts_out, err);
  sf_pool_free(pool, memory);
  return st;
}
