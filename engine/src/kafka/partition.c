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

sf_status sf_kafka_partition_rows(sf_pool *pool, const sf_kafka_rows *rows, int32_t partitions, int32_t *order_out,
                                  int32_t *counts_out, sf_error *err) {
  if (rows->keys == NULL || partitions <= 0) return sf_fail(err, SF_INVALID, "rows without keys have no partition");
  void *memory;
  size_t of_row = (size_t)rows->n * sizeof(int32_t);
  SF_TRY(sf_pool_alloc(pool, of_row + (size_t)partitions * sizeof(int32_t), &memory, err));
  int32_t *partition = memory;
  int32_t *next = partition + rows->n;
  memset(counts_out, 0, (size_t)partitions * sizeof(int32_t));
  for (int64_t i = 0; i < rows->n; i++) {
    const uint8_t *key = rows->keys + rows->key_offsets[i];
    partition[i] = sf_kafka_partition_for_key(key, (size_t)(rows->key_offsets[i + 1] - rows->key_offsets[i]), partitions);
    counts_out[partition[i]]++;
  }
  int32_t start = 0;
  for (int32_t p = 0; p < partitions; p++) {
    next[p] = start;
    start += counts_out[p];
  }
  for (int64_t i = 0; i < rows->n; i++) order_out[next[partition[i]]++] = (int32_t)i;
  sf_pool_free(pool, memory);
  return SF_OK;
}
