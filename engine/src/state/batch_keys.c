#include "state/batch_keys.h"

#define AHEAD 16 /* rows whose memory is on its way at a time */

void sfi_batch_keys_drop(sfi_batch_keys *k) {
  sf_pool_free(k->pool, k->bytes.data);
  sf_pool_free(k->pool, k->ends);
  sf_pool_free(k->pool, k->hashes);
  sf_pool_free(k->pool, k->places);
}

static sf_status grow(sfi_batch_keys *k, int64_t rows, sf_error *err) {
  k->bytes = (sfi_bytes){k->pool, k->bytes.data, 0, k->bytes.room};
  if (rows <= k->room) return SF_OK;
  size_t n = (size_t)rows;
  void *memory = NULL;
  SF_TRY(sf_pool_realloc(k->pool, k->ends, n * sizeof *k->ends, &memory, err));
  k->ends = memory;
  SF_TRY(sf_pool_realloc(k->pool, k->hashes, n * sizeof *k->hashes, &memory, err));
  k->hashes = memory;
  SF_TRY(sf_pool_realloc(k->pool, k->places, n * sizeof *k->places, &memory, err));
  k->places = memory;
  k->room = rows;
  return SF_OK;
}

sf_status sfi_batch_keys_write(sfi_batch_keys *k, const sf_state *state, sf_row_writer *writer, const sf_batch *batch,
                               sf_error *err) {
  SF_TRY(grow(k, batch->length, err));
  k->n = batch->length;
  for (int64_t row = 0; row < batch->length; row++) {
    const uint8_t *key = NULL;
    size_t size = 0, at = k->bytes.size;
    SF_TRY(sf_row_writer_write(writer, batch, row, &key, &size, err));
    SF_TRY(sfi_bytes_extend(&k->bytes, size, err));
    memcpy(k->bytes.data + at, key, size);
    k->ends[row] = k->bytes.size;
    k->hashes[row] = sf_binary_row_hash(key, size);
    k->places[row].group = sf_key_group(k->hashes[row], state->groups.max) - state->groups.first;
  }
  return SF_OK;
}

static sf_status locate(sfi_batch_keys *k, sf_state *state, int64_t row, sf_error *err) {
  size_t size = 0;
  const uint8_t *key = sfi_batch_key(k, row, &size);
  return sfi_state_want(state, key, size, k->hashes[row], &k->places[row], err);
}

sf_status sfi_batch_keys_find(sfi_batch_keys *k, sf_state *state, sf_row_writer *writer, const sf_batch *batch,
                              sf_error *err) {
  SF_TRY(sfi_batch_keys_write(k, state, writer, batch, err));
  for (int64_t first = 0; first < batch->length; first += AHEAD) {
    int64_t end = first + AHEAD < batch->length ? first + AHEAD : batch->length;
    for (int64_t row = first; row < end; row++) sfi_fetch(sfi_state_slot_of(state, k->places[row].group, k->hashes[row]));
    for (int64_t row = first; row < end; row++) sfi_fetch(sfi_state_entry_behind(state, k->places[row].group, k->hashes[row]));
    for (int64_t row = first; row < end; row++) SF_TRY(locate(k, state, row, err));
  }
  k->drops = state->drops;
  return sfi_state_read_wanted(state, err);
}
