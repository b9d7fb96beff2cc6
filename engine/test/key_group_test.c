/* Keys, their hash codes and key groups against those of Flink's generated key selectors. */
#include <stdlib.h>

#include "golden_rows.h"
#include "streamfusion/binary_row.h"
#include "streamfusion/key_group.h"

enum { MAX_KEY_FIELDS = 64 };

typedef struct golden_key {
  char fields_text[256];
  int32_t fields[MAX_KEY_FIELDS];
  int32_t n_fields;
  long hash, group_of_128, group_of_32768, owner_of_8, owner_of_7;
  const char *hex;
} golden_key;

static void parse_fields(golden_key *k) {
  k->n_fields = 0;
  if (k->fields_text[0] == '-') return;
  for (char *at = k->fields_text; *at != 0;) {
    k->fields[k->n_fields++] = (int32_t)strtol(at, &at, 10);
    if (*at == ',') at++;
  }
}

static bool next_key(FILE *file, golden_key *k) {
  static char line[16384];
  if (fgets(line, sizeof line, file) == NULL) return false;
  int hex = 0;
  assert_int_equal(6, sscanf(line, "%255s %ld %ld %ld %ld %ld %n", k->fields_text, &k->hash, &k->group_of_128,
                             &k->group_of_32768, &k->owner_of_8, &k->owner_of_7, &hex));
  k->hex = line + hex;
  parse_fields(k);
  return true;
}

static void expect_key_bytes(sf_row_writer *w, const sf_batch *batch, int64_t row, const golden_key *k) {
  const uint8_t *bytes = NULL;
  size_t size = 0;
  OK(sf_row_writer_write(w, batch, row, &bytes, &size, &err));
  assert_int_equal(2 * size, strcspn(k->hex, "\r\n"));
  for (size_t i = 0; i < size; i++) {
    char pair[3] = {k->hex[2 * i], k->hex[2 * i + 1], 0};
    assert_int_equal(strtol(pair, NULL, 16), bytes[i]);
  }
}

static void keys_are_those_of_flinks_selectors(void **state) {
  (void)state;
  sf_pool *pool = pool_of(-1);
  sf_type *type = golden_type();
  sf_batch *batch = golden_batch(pool, type);
  FILE *file = fopen(GOLDEN_DIR "/key_hashes.txt", "r");
  assert_non_null(file);
  golden_key k;
  sf_key_hasher *hasher = NULL;
  sf_row_writer *writer = NULL;
  int32_t hashes[N_ROWS];
  int n = 0;
  for (; next_key(file, &k); n++) {
    int64_t row = n % N_ROWS;
    if (row == 0) {
      sf_key_hasher_destroy(hasher);
      sf_row_writer_destroy(writer);
      OK(sf_key_hasher_create(pool, type, k.fields, k.n_fields, &hasher, &err));
      OK(sf_row_writer_create(pool, type, k.fields, k.n_fields, SF_ROW_PROJECTION, &writer, &err));
      OK(sf_key_hasher_hash(hasher, batch, 0, N_ROWS, hashes, &err));
    }
    expect_key_bytes(writer, batch, row, &k);
    assert_int_equal(k.hash, hashes[row]);
    int32_t alone = 0;
    OK(sf_key_hasher_hash(hasher, batch, row, 1, &alone, &err));
    assert_int_equal(k.hash, alone);
    assert_int_equal(k.group_of_128, sf_key_group(alone, 128));
    assert_int_equal(k.group_of_32768, sf_key_group(alone, 32768));
    assert_int_equal(k.owner_of_8, sf_key_group_owner(sf_key_group(alone, 128), 128, 8));
    assert_int_equal(k.owner_of_7, sf_key_group_owner(sf_key_group(alone, 300), 300, 7));
  }
  fclose(file);
  assert_int_equal(32 * N_ROWS, n);
  sf_key_hasher_destroy(hasher);
  sf_row_writer_destroy(writer);
  sf_batch_release(batch);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

/* Blocks of slots, written in columns, against rows written one by one. */
static void long_batches_hash_as_their_rows(void **state) {
  (void)state;
  enum { ROWS = 1000 };
  sf_pool *pool = pool_of(-1);
  sf_type *fields[3] = {scalar(SF_TYPE_BIGINT, 0, 0, 0), scalar(SF_TYPE_SMALLINT, 0, 0, 0), scalar(SF_TYPE_NULL, 0, 0, 0)};
  sf_type *type = nested(SF_TYPE_ROW, 3, fields);
  sf_batch_builder *b = NULL;
  OK(sf_batch_builder_create(pool, type, &b, &err));
  for (int i = 0; i < ROWS; i++) {
    if (i % 7 == 3) OK(sf_column_builder_null(sf_batch_builder_column(b, 0), &err));
    else OK(sf_column_builder_int(sf_batch_builder_column(b, 0), i * 1000003LL, &err));
    OK(sf_column_builder_int(sf_batch_builder_column(b, 1), i - 500, &err));
    OK(sf_column_builder_null(sf_batch_builder_column(b, 2), &err));
    OK(sf_batch_builder_end_row(b, (uint8_t)(i % 4), &err));
  }
  sf_batch *batch = NULL;
  OK(sf_batch_builder_finish(b, &batch, &err));
  sf_batch_builder_destroy(b);
  const int32_t key[3] = {2, 1, 0}, none[1] = {3};
  sf_key_hasher *hasher = NULL;
  sf_row_writer *writer = NULL;
  OK(sf_key_hasher_create(pool, type, key, 3, &hasher, &err));
  OK(sf_row_writer_create(pool, type, key, 3, SF_ROW_PROJECTION, &writer, &err));
  static int32_t hashes[ROWS];
  OK(sf_key_hasher_hash(hasher, batch, 5, ROWS - 5, hashes, &err));
  for (int i = 5; i < ROWS; i++) {
    const uint8_t *bytes = NULL;
    size_t size = 0;
    OK(sf_row_writer_write(writer, batch, i, &bytes, &size, &err));
    assert_int_equal(sf_binary_row_hash(bytes, size), hashes[i - 5]);
  }
  FAILS(SF_INVALID, sf_key_hasher_hash(hasher, batch, 1, ROWS, hashes, &err));
  sf_key_hasher_destroy(hasher);
  sf_row_writer_destroy(writer);
  FAILS(SF_INVALID, sf_key_hasher_create(pool, type, none, 1, &hasher, &err));
  assert_null(hasher);
  sf_batch_release(batch);
  sf_type_release(type);
  assert_int_equal(0, sf_pool_used(pool));
  sf_pool_release(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(keys_are_those_of_flinks_selectors),
      TEST(long_batches_hash_as_their_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
