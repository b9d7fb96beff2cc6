/* The keys of a batch's rows, written, hashed and looked up together: memory is asked for ahead of its use, and a store once
 * for all that it is needed for. */
#ifndef SFI_STATE_BATCH_KEYS_H
#define SFI_STATE_BATCH_KEYS_H

#include "state/state_internal.h"
#include "streamfusion/binary_row.h"

typedef struct sfi_batch_keys {
  sf_pool *pool; /* borrowed */
  sfi_bytes bytes;
  int64_t room;    /* rows */
  size_t *ends;    /* of the keys in bytes */
  int32_t *hashes;
  sfi_key *places; /* where each key was when it was looked up */
  int64_t n;       /* rows of the batch */
  int64_t drops;   /* of the state at that time */
} sfi_batch_keys;

/* Writes and hashes the keys of all rows; of their places the key groups are set. */
SF_MUST_CHECK sf_status sfi_batch_keys_write(sfi_batch_keys *k, const sf_state *state, sf_row_writer *writer,
                                             const sf_batch *batch, sf_error *err);
/* Looks up the keys of all rows. With a store they all have an entry afterwards, which stays where it is during the batch. */
SF_MUST_CHECK sf_status sfi_batch_keys_find(sfi_batch_keys *k, sf_state *state, sf_row_writer *writer,
                                            const sf_batch *batch, sf_error *err);
void sfi_batch_keys_drop(sfi_batch_keys *k);

static inline const uint8_t *sfi_batch_key(const sfi_batch_keys *k, int64_t row, size_t *size) {
  size_t begin = row == 0 ? 0 : k->ends[row - 1];
  *size = k->ends[row] - begin;
  return k->bytes.data + begin;
}

/* As sfi_state_find, for a row's key, when rows are taken in order. */
static inline sf_status sfi_batch_key_find(const sfi_batch_keys *k, sf_state *state, int64_t row, sfi_key *out,
                                           sf_error *err) {
  enum { AHEAD = 8 };
  if (row + AHEAD < k->n && k->places[row + AHEAD].id != SFI_NO_ENTRY) {
    const sfi_key *later = &k->places[row + AHEAD];
    sfi_state_fetch(state, later->group, 0, later->id);
  }
  *out = k->places[row];
  if (out->id != SFI_NO_ENTRY && state->drops == k->drops) return SF_OK;
  size_t size = 0;
  const uint8_t *key = sfi_batch_key(k, row, &size);
  if (sfi_state_is_at(state, key, size, *out)) return SF_OK;
  return sfi_state_find(state, key, size, k->hashes[row], out, err);
}

/* As sfi_state_insert, for a key that was not found. */
static inline sf_status sfi_batch_key_insert(const sfi_batch_keys *k, sf_state *state, int64_t row, sfi_key *key_io,
                                             sf_error *err) {
  size_t size = 0;
  const uint8_t *key = sfi_batch_key(k, row, &size);
  return sfi_state_insert(state, key, size, k->hashes[row], key_io, err);
}

#endif
