/* Keyed state that is in a store: the same changes as with state in memory, the same entries in the store, whatever the size
 * of the cache; failures of the store. */
#include "aggregate_support.h"
#include "streamfusion/state_store.h"

enum { STATES = 8, LONGEST_KEY = 160, FILTERED = 16 * 4096 /* a cache with a small filter of what the store has */ };

/* --- a store in memory */

typedef struct fake_entry {
  uint8_t key[LONGEST_KEY];
  uint8_t *value; /* owned */
  size_t key_size, value_size;
} fake_entry;

typedef struct fake_store {
  fake_entry *entries[STATES]; /* by key */
  size_t n[STATES];
  int64_t calls_left; /* until one fails; negative: none does */
  int64_t scans;
  bool failed, closed;
} fake_store;

static int compare(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
  int c = memcmp(a, b, a_size < b_size ? a_size : b_size);
  return c != 0 ? c : (a_size > b_size) - (a_size < b_size);
}

/* Place of the first entry whose key is not smaller. */
static size_t place_of(const fake_store *f, int32_t state, sf_slice key) {
  size_t i = 0, end = f->n[state];
  while (i < end) {
    size_t middle = (i + end) / 2;
    const fake_entry *e = &f->entries[state][middle];
    if (compare(e->key, e->key_size, key.data, key.size) < 0) i = middle + 1;
    else end = middle;
  }
  return i;
}
static bool is_at(const fake_store *f, int32_t state, size_t i, sf_slice key) {
  return i < f->n[state] && compare(f->entries[state][i].key, f->entries[state][i].key_size, key.data, key.size) == 0;
}

static sf_status call(fake_store *f, sf_error *err) {
  assert_false(f->failed);
  assert_false(f->closed);
  if (f->calls_left < 0 || f->calls_left-- > 0) return SF_OK;
  f->failed = true;
  return sf_fail(err, SF_RUNTIME, "The fake store fails");
}

static sf_status fake_get(void *context, int32_t state, size_t n, const sf_slice *keys, sf_store_found found, void *to,
                          sf_error *err) {
  fake_store *f = context;
  SF_TRY(call(f, err));
  for (size_t i = n; i-- > 0;) { /* in any order */
    size_t at = place_of(f, state, keys[i]);
    if (!is_at(f, state, at, keys[i])) continue;
    const fake_entry *e = &f->entries[state][at];
    SF_TRY(found(to, i, (sf_slice){e->value, e->value_size}, err));
  }
  return SF_OK;
}

static sf_status fake_scan(void *context, int32_t state, sf_slice prefix, sf_store_entry entry, void *to, sf_error *err) {
  fake_store *f = context;
  SF_TRY(call(f, err));
  f->scans++;
  size_t begin = place_of(f, state, prefix), end = begin;
  while (end < f->n[state] && f->entries[state][end].key_size >= prefix.size &&
         memcmp(f->entries[state][end].key, prefix.data, prefix.size) == 0) {
    end++;
  }
  /* of the moment at which it began, as RocksDB's iterators */
  size_t size = (end - begin) * sizeof(fake_entry);
  fake_entry *copy = malloc(size + 1);
  if (size > 0) memcpy(copy, f->entries[state] + begin, size);
  for (size_t i = 0; i < end - begin; i++) {
    copy[i].value = malloc(copy[i].value_size + 1);
    memcpy(copy[i].value, f->entries[state][begin + i].value, copy[i].value_size);
  }
  sf_status st = SF_OK;
  for (size_t i = 0; i < end - begin && st == SF_OK; i++) {
    st = entry(to, (sf_slice){copy[i].key, copy[i].key_size}, (sf_slice){copy[i].value, copy[i].value_size}, err);
  }
  for (size_t i = 0; i < end - begin; i++) free(copy[i].value);
  free(copy);
  return st;
}

static sf_status fake_walk(void *context, int32_t state, sf_slice last, size_t n, sf_store_entry entry, void *to, sf_error *err) {
  fake_store *f = context;
  SF_TRY(call(f, err));
  size_t at = last.data == NULL ? 0 : place_of(f, state, last);
  if (last.data != NULL && is_at(f, state, at, last)) at++;
  for (size_t end = n < f->n[state] - at ? at + n : f->n[state]; at < end; at++) {
    const fake_entry *e = &f->entries[state][at];
    SF_TRY(entry(to, (sf_slice){e->key, e->key_size}, (sf_slice){e->value, e->value_size}, err));
  }
  return SF_OK;
}

static sf_status fake_put(void *context, int32_t state, sf_slice key, sf_slice value, sf_error *err) {
  fake_store *f = context;
  SF_TRY(call(f, err));
  assert_true(key.size <= LONGEST_KEY);
  size_t at = place_of(f, state, key), n = f->n[state];
  if (!is_at(f, state, at, key)) {
    f->entries[state] = realloc(f->entries[state], (n + 1) * sizeof(fake_entry));
    memmove(f->entries[state] + at + 1, f->entries[state] + at, (n - at) * sizeof(fake_entry));
    f->n[state]++;
    f->entries[state][at].value = NULL;
  }
  fake_entry *e = &f->entries[state][at];
  memcpy(e->key, key.data, key.size);
  free(e->value);
  e->value = malloc(value.size + 1);
  if (value.size > 0) memcpy(e->value, value.data, value.size);
  e->key_size = key.size;
  e->value_size = value.size;
  return SF_OK;
}

static sf_status fake_remove(void *context, int32_t state, sf_slice key, sf_error *err) {
  fake_store *f = context;
  SF_TRY(call(f, err));
  size_t at = place_of(f, state, key);
  assert_true(is_at(f, state, at, key)); /* nothing is removed for no reason */
  free(f->entries[state][at].value);
  memmove(f->entries[state] + at, f->entries[state] + at + 1, (f->n[state] - at - 1) * sizeof(fake_entry));
  f->n[state]--;
  return SF_OK;
}

static sf_status fake_commit(void *context, sf_error *err) { return call(context, err); }

static void fake_close(void *context) {
  fake_store *f = context;
  assert_false(f->closed);
  f->closed = true;
}

static void drop_store(fake_store *f) {
  for (int i = 0; i < STATES; i++) {
    for (size_t k = 0; k < f->n[i]; k++) free(f->entries[i][k].value);
    free(f->entries[i]);
  }
}

static size_t total(const fake_store *f) {
  size_t n = 0;
  for (int i = 0; i < STATES; i++) n += f->n[i];
  return n;
}

static sf_store store_of(fake_store *f, int32_t n_states) {
  f->closed = false;
  return (sf_store){f, n_states, fake_get, fake_scan, fake_walk, fake_put, fake_remove, fake_commit, fake_close};
}

/* --- the same rows with and without */

/* So few keys that the order of Java's map, which remembers its size, is the same in an operator that starts anew. */
#define BUNDLE 11
static plan_operator *bundled_plan(const sf_type *in, const sf_type *out) {
  plan_operator *o = retracting_plan(in, out);
  o->group_aggregate->bundle_size = BUNDLE;
  return o;
}
static plan_operator *bundled_distinct_plan(const sf_type *in, const sf_type *out) {
  plan_operator *o = distinct_retract(in, out);
  o->group_aggregate->bundle_size = BUNDLE;
  return o;
}

typedef plan_operator *(*plan_function)(const sf_type *in, const sf_type *out);

typedef struct shape {
  plan_function plan;
  sf_type *(*output)(void);
  int32_t n_states;
  bool retracts;
  bool timed; /* the state has the time at which rows came */
} shape;
static const shape extremes = {retracting_plan, retracting_output, 2, true, false};
static const shape distinct = {distinct_append, distinct_output, 5, false, false};
static const shape retracted_distinct = {distinct_retract, distinct_output, 5, true, false};
static const shape bundled = {bundled_plan, retracting_output, 2, true, false};
static const shape bundled_distinct = {bundled_distinct_plan, distinct_output, 5, true, false};
static const shape ordered = {ordered_with_delimiter, ordered_output, 7, true, true};

static void open_stored(fixture *f, const shape *s, fake_store *store, int64_t cache_bytes) {
  sf_error err;
  open_fixture(f, s->output(), s->plan);
  sf_store table = store_of(store, s->n_states);
  OK(sf_state_use_store(sf_operator_state(f->op), &table, cache_bytes, &err));
}

typedef struct row {
  int64_t k, v;
  const char *s;
} row;

static uint32_t next_random(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

static row random_row(uint32_t *seed) {
  static const char *const texts[] = {NULL, "", "x", "short", "a text that is not inlined", "another text that is not inlined"};
  return (row){next_random(seed) % 40, next_random(seed) % 25 - 5, texts[next_random(seed) % 6]};
}

static sf_batch *barrier(fixture *f) {
  sf_error err;
  sf_batch *result = NULL;
  sf_collector collector = {&result, keep_one};
  OK(sf_operator_before_barrier(f->op, &collector, &err));
  return result;
}

/* Entries of a snapshot are exactly those of the store. */
static void store_is_as(const fake_store *store, fixture *heap) {
  sf_error err;
  sf_snapshot *s = NULL;
  const uint8_t *bytes = NULL;
  size_t size = 0, n = 0;
  OK(sf_state_snapshot(sf_operator_state(heap->op), &s, &err));
  for (;;) {
    OK(sf_snapshot_read(s, &bytes, &size, &err));
    if (size == 0) break;
    for (const uint8_t *p = bytes; p < bytes + size; n++) {
      int32_t state = p[2] << 8 | p[3];
      sf_slice key = {p + 8, get32(p + 4)};
      sf_slice value = {key.data + key.size + 4, get32(key.data + key.size)};
      size_t at = place_of(store, state, key);
      assert_true(is_at(store, state, at, key));
      assert_int_equal(value.size, store->entries[state][at].value_size);
      assert_memory_equal(value.data, store->entries[state][at].value, value.size);
      p = value.data + value.size;
    }
  }
  sf_snapshot_release(s);
  assert_int_equal(n, total(store));
}

static char expected_text[1 << 22], stored_text[1 << 22];

/* Random rows, some of which go again, in batches; a flush now and then, and another operator over the same store. */
static void goes_as_in_memory(const shape *s, int64_t cache_bytes, uint32_t seed) {
  fixture heap, stored;
  fake_store store = {.calls_left = -1};
  sf_error err;
  row live[4096];
  size_t n_live = 0;
  open_fixture(&heap, s->output(), s->plan);
  open_stored(&stored, s, &store, cache_bytes);
  for (int batch = 0; batch < 70; batch++) {
    bool shrinks = batch % 20 >= 12;
    for (uint32_t i = 0, n = next_random(&seed) % 60; i < n; i++) {
      row r = random_row(&seed);
      uint8_t kind = SF_INSERT;
      if (s->retracts && n_live > 0 && next_random(&seed) % 8 < (shrinks ? 7 : 3)) {
        size_t at = next_random(&seed) % n_live;
        r = live[at];
        live[at] = live[--n_live];
        kind = SF_DELETE;
      } else {
        live[n_live++] = r;
      }
      add(&heap, kind, r.k, r.v, r.s);
      add(&stored, kind, r.k, r.v, r.s);
    }
    print_changes(run(&heap), expected_text);
    print_changes(run(&stored), stored_text);
    assert_string_equal(expected_text, stored_text);
    if (batch % 7 != 6) continue;
    print_changes(barrier(&heap), expected_text);
    print_changes(barrier(&stored), stored_text);
    assert_string_equal(expected_text, stored_text);
    OK(sf_state_flush(sf_operator_state(stored.op), &err));
    if (!s->timed) store_is_as(&store, &heap);
    if (batch % 14 != 13) continue;
    close_fixture(&stored);
    assert_true(store.closed);
    open_stored(&stored, s, &store, cache_bytes);
  }
  assert_true(total(&store) > 0);
  close_fixture(&stored);
  close_fixture(&heap);
  drop_store(&store);
}

static void everywhere(const shape *s) {
  for (uint32_t seed = 1; seed <= 4; seed++) {
    goes_as_in_memory(s, 0, seed); /* nothing but what is used stays */
    goes_as_in_memory(s, 6000, seed);
    goes_as_in_memory(s, FILTERED, seed);
    goes_as_in_memory(s, 1 << 20, seed);
  }
}
static void extremes_go_as_in_memory(void **state) {
  (void)state;
  everywhere(&extremes);
}
static void distinct_values_go_as_in_memory(void **state) {
  (void)state;
  everywhere(&distinct);
}
static void retracted_distinct_values_go_as_in_memory(void **state) {
  (void)state;
  everywhere(&retracted_distinct);
}

static void bundles_go_as_in_memory(void **state) {
  (void)state;
  everywhere(&bundled);
  everywhere(&bundled_distinct);
}
static void ordered_values_go_as_in_memory(void **state) {
  (void)state;
  everywhere(&ordered);
}

/* --- what is asked of the store */

static void what_is_in_memory_is_not_read(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  fake_store store = {.calls_left = -1};
  open_stored(&f, &distinct, &store, 1 << 20);
  for (int i = 0; i < 3; i++) {
    for (int64_t k = 0; k < 10; k++) add(&f, SF_INSERT, k, 5, "x");
    sf_batch_release(run(&f));
    sf_cache_counts counts = sf_state_cache_counts(sf_operator_state(f.op));
    assert_int_equal(0, counts.reads); /* the store is known to be empty */
    assert_int_equal(10 * i, counts.hits);
    assert_int_equal(0, counts.writes);
  }
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  assert_int_equal(30, sf_state_cache_counts(sf_operator_state(f.op)).writes);
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  assert_int_equal(30, sf_state_cache_counts(sf_operator_state(f.op)).writes);
  for (int64_t k = 0; k < 10; k++) add(&f, SF_INSERT, k, 5, "x"); /* has been seen: the aggregates change, the maps don't */
  sf_batch_release(run(&f));
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  assert_int_equal(40, sf_state_cache_counts(sf_operator_state(f.op)).writes);
  close_fixture(&f);

  open_stored(&f, &distinct, &store, 1 << 20); /* from here on the keys are in the store */
  for (int64_t k = 0; k < 10; k++) add(&f, SF_INSERT, k, 5, "x");
  sf_batch_release(run(&f));
  assert_int_equal(30, sf_state_cache_counts(sf_operator_state(f.op)).reads); /* keys, and an entry in each map of each */
  close_fixture(&f);
  drop_store(&store);
}

static int64_t reads_of(fixture *f, int64_t first, int64_t n, const char *changes) {
  int64_t before = sf_state_cache_counts(sf_operator_state(f->op)).reads;
  for (int64_t k = first; k < first + n; k++) add(f, SF_INSERT, k, 5, "x");
  if (changes == NULL) sf_batch_release(run(f));
  else changes_are(run(f), changes);
  return sf_state_cache_counts(sf_operator_state(f->op)).reads - before;
}

/* What was in the store before is learned in parts; until then everything is looked for. */
static void what_was_there_is_learned(void **state) {
  (void)state;
  enum { KEYS = 4500 };
  fixture f;
  sf_error err;
  fake_store store = {.calls_left = -1};
  open_stored(&f, &extremes, &store, 1 << 20);
  assert_int_equal(0, reads_of(&f, 0, KEYS, NULL));
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  assert_int_equal(KEYS, store.n[0]);
  close_fixture(&f);

  open_stored(&f, &extremes, &store, 1 << 20);
  assert_int_equal(1, reads_of(&f, KEYS, 1, "+I 4500 1 5 x"));
  assert_int_equal(2, reads_of(&f, 7, 1, "-U 7 1 5 x; +U 7 2 10 x")); /* a key, and the value in its map */
  assert_int_equal(2, reads_of(&f, KEYS - 1, 1, "-U 4499 1 5 x; +U 4499 2 10 x"));
  for (int64_t k = 2 * KEYS; k < 3 * KEYS; k += 500) (void)reads_of(&f, k, 500, NULL);
  assert_true(reads_of(&f, 3 * KEYS, 1000, NULL) < 100); /* the filter takes a few for known */
  for (int64_t k = 0; k < KEYS; k += 100) {
    char text[80];
    snprintf(text, sizeof text, "-U %lld 1 5 x; +U %lld 2 10 x", (long long)k, (long long)k);
    if (k != 7) (void)reads_of(&f, k, 1, text);
  }
  close_fixture(&f);
  drop_store(&store);
}

/* A key that comes and goes between two flushes leaves no trace; a map is searched in the store once, that of a new key never. */
static void what_has_come_and_gone_is_not_written(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  fake_store store = {.calls_left = -1};
  open_stored(&f, &extremes, &store, 1 << 20);
  add(&f, SF_INSERT, 1, 5, "b");
  add(&f, SF_DELETE, 1, 5, "b");
  changes_are(run(&f), "+I 1 1 5 b; -D 1 1 5 b");
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  assert_int_equal(0, sf_state_cache_counts(sf_operator_state(f.op)).writes);
  assert_int_equal(0, sf_state_keys(sf_operator_state(f.op)));
  for (int i = 0; i < 8; i++) add(&f, SF_INSERT, 1, 1, (const char *[]){"a", "b", "c", "d", "e", "f", "g", "h"}[i]);
  sf_batch_release(run(&f));
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  assert_int_equal(0, store.scans);
  close_fixture(&f);

  open_stored(&f, &extremes, &store, 1 << 20);
  add(&f, SF_DELETE, 1, 1, "h");
  add(&f, SF_DELETE, 1, 1, "g");
  add(&f, SF_DELETE, 1, 1, "f");
  changes_are(run(&f), "-U 1 8 8 h; +U 1 7 7 g; -U 1 7 7 g; +U 1 6 6 f; -U 1 6 6 f; +U 1 5 5 e");
  assert_int_equal(1, store.scans);
  close_fixture(&f);
  drop_store(&store);
}

static void the_cache_keeps_its_size(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  fake_store store = {.calls_left = -1};
  open_stored(&f, &extremes, &store, 40000);
  for (int64_t i = 0; i < 1000; i++) {
    add(&f, SF_INSERT, i, i, "a text that is not inlined");
    if (i % 20 == 19) sf_batch_release(run(&f));
    if (i % 20 == 19) assert_true(sf_state_cache_counts(sf_operator_state(f.op)).bytes <= 40000);
  }
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  assert_int_equal(1000, store.n[0]);
  assert_int_equal(1000, store.n[1]);
  assert_true(sf_state_keys(sf_operator_state(f.op)) > 0);
  close_fixture(&f);
  drop_store(&store);
}

/* A map that is larger than the cache is searched all the same. */
static void maps_may_be_larger_than_the_cache(void **state) {
  (void)state;
  fixture f;
  fake_store store = {.calls_left = -1};
  char texts[300][40];
  open_stored(&f, &extremes, &store, 10000);
  for (int i = 0; i < 300; i++) {
    sprintf(texts[i], "a text that is not inlined, %03d", i);
    add(&f, SF_INSERT, 1, 1, texts[i]);
    if (i % 20 == 19) sf_batch_release(run(&f));
  }
  add(&f, SF_DELETE, 1, 1, texts[299]);
  changes_are(run(&f), "-U 1 300 300 a text that is not inlined, 299; +U 1 299 299 a text that is not inlined, 298");
  for (int i = 0; i < 299; i++) {
    add(&f, SF_DELETE, 1, 1, texts[i]);
    if (i % 20 == 19) sf_batch_release(run(&f));
  }
  sf_batch_release(run(&f));
  sf_error err;
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  assert_int_equal(0, total(&store));
  close_fixture(&f);
  drop_store(&store);
}

/* --- time to live */

static const shape expiring = {ttl_plan, retracting_output, 2, true, false};

/* Sets the times of all values of a state, which stand `skip` bytes into them. */
static void age_stored(fake_store *store, int32_t state, size_t skip) {
  for (size_t i = 0; i < store->n[state]; i++) {
    memset(store->entries[state][i].value + skip, 0, 7);
    store->entries[state][i].value[skip + 7] = 1;
  }
}

static void stored_values_expire(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  fake_store store = {.calls_left = -1};
  open_stored(&f, &expiring, &store, 1 << 20);
  add(&f, SF_INSERT, 1, 5, "a string of some length");
  add(&f, SF_INSERT, 2, 7, "x");
  add(&f, SF_INSERT, 3, 1, "y");
  add(&f, SF_INSERT, 3, 1, "z");
  sf_batch_release(run(&f));
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  close_fixture(&f);

  open_stored(&f, &expiring, &store, 1 << 20); /* not expired */
  add(&f, SF_DELETE, 2, 7, "x");
  changes_are(run(&f), "-D 2 1 7 x");
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  close_fixture(&f);
  assert_int_equal(2, store.n[0]);

  age_stored(&store, 1, 1); /* the values behind MAX have expired, those of the keys have not */
  open_stored(&f, &expiring, &store, 0);
  add(&f, SF_INSERT, 3, 1, "w");
  add(&f, SF_DELETE, 3, 1, "w");
  changes_are(run(&f), "-U 3 2 2 z; +U 3 3 3 z; -U 3 3 3 z; +U 3 2 2 z");
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  close_fixture(&f);

  age_stored(&store, 0, 0); /* all have */
  open_stored(&f, &expiring, &store, 1 << 20);
  add(&f, SF_DELETE, 1, 5, "a string of some length");
  add(&f, SF_INSERT, 3, 1, "a");
  changes_are(run(&f), "+I 3 1 1 a");
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  assert_int_equal(1, store.n[0]);
  close_fixture(&f);
  drop_store(&store);
}

/* --- failures */

static sf_status attempt_with(fixture *f, const shape *s, fake_store *store, int64_t cache_bytes, sf_error *err) {
  sf_batch *result = NULL, *batch = NULL;
  sf_error other;
  sf_collector collector = {&result, keep_one};
  sf_store table = store_of(store, s->n_states);
  sf_status st = sf_state_use_store(sf_operator_state(f->op), &table, cache_bytes, err);
  for (int round = 0; round < 4 && st == SF_OK; round++) {
    uint8_t kind = round == 3 ? SF_DELETE : SF_INSERT;
    for (int64_t i = 0; i < 12; i++) add(f, kind, i % 4, i, i % 3 == 0 ? "a text that is not inlined" : "short");
    assert_int_equal(SF_OK, sf_batch_builder_finish(f->builder, &batch, &other));
    st = sf_operator_process(f->op, 0, batch, &collector, err);
    sf_batch_release(batch);
    sf_batch_release(result);
    result = NULL;
    if (st == SF_OK && round % 2 == 1) st = sf_state_flush(sf_operator_state(f->op), err);
  }
  return st;
}

static void store_may_fail(const shape *s, int64_t cache_bytes, int at_least) {
  int failures = 0;
  for (int64_t calls = 0;; calls++) {
    fixture f;
    sf_error err;
    fake_store store = {.calls_left = calls};
    open_fixture(&f, s->output(), s->plan);
    sf_status st = attempt_with(&f, s, &store, cache_bytes, &err);
    if (st != SF_OK) {
      assert_int_equal(SF_RUNTIME, st);
      assert_string_equal("The fake store fails", err.message);
      FAILS(SF_RUNTIME, sf_state_flush(sf_operator_state(f.op), &err)); /* and does not call it again */
      failures++;
    }
    close_fixture(&f);
    assert_true(store.closed);
    drop_store(&store);
    if (st == SF_OK) break;
  }
  assert_true(failures > at_least);
}

static void a_store_may_fail_at_any_call(void **state) {
  (void)state;
  store_may_fail(&extremes, 500, 50);
  store_may_fail(&ordered, 500, 50);
  store_may_fail(&extremes, FILTERED, 10);
}

static sf_status attempt(const shape *s, int64_t cache_bytes, sf_pool *pool, sf_error *err) {
  fake_store store = {.calls_left = -1};
  fixture f = {.pool = pool, .in = input_type(), .out = s->output()};
  sf_pool *free_pool = pool_of(-1);
  sf_error other;
  assert_int_equal(SF_OK, sf_batch_builder_create(free_pool, f.in, &f.builder, &other));
  sf_status st = SF_OK;
  SF_GOTO(create_operator(pool, s->plan(f.in, f.out), &f.op, err));
  SF_GOTO(sf_operator_open_state(f.op, all_groups, err));
  st = attempt_with(&f, s, &store, cache_bytes, err);
  assert_true(store.n[0] > 0 || st != SF_OK);
cleanup:
  sf_operator_destroy(f.op);
  sf_batch_builder_destroy(f.builder);
  sf_pool_release(free_pool);
  sf_type_release(f.in);
  sf_type_release(f.out);
  plan_reset();
  drop_store(&store);
  return st;
}

static sf_status attempt_extremes(sf_pool *pool, sf_error *err) { return attempt(&extremes, 500, pool, err); }
static sf_status attempt_ordered(sf_pool *pool, sf_error *err) { return attempt(&ordered, 500, pool, err); }
static sf_status attempt_filtered(sf_pool *pool, sf_error *err) { return attempt(&extremes, FILTERED, pool, err); }

static void memory_may_end_at_any_call(void **state) {
  (void)state;
  with_rising_limits(attempt_extremes);
  with_rising_limits(attempt_ordered);
  with_rising_limits(attempt_filtered);
}

static void damaged_values_are_refused(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  fake_store store = {.calls_left = -1};
  open_stored(&f, &extremes, &store, 1 << 20);
  add(&f, SF_INSERT, 1, 5, "b");
  sf_batch_release(run(&f));
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  close_fixture(&f);
  for (int32_t i = 0; i < 2; i++) {
    size_t size = store.entries[i][0].value_size;
    for (store.entries[i][0].value_size = 0; store.entries[i][0].value_size < size; store.entries[i][0].value_size++) {
      open_stored(&f, &extremes, &store, 1 << 20);
      add(&f, SF_INSERT, 1, 5, "b");
      sf_batch *batch = NULL;
      OK(sf_batch_builder_finish(f.builder, &batch, &err));
      FAILS(SF_CORRUPT, sf_operator_process(f.op, 0, batch, NULL, &err));
      sf_batch_release(batch);
      close_fixture(&f);
    }
  }
  drop_store(&store);
}

static void a_store_comes_first_or_not_at_all(void **state) {
  (void)state;
  fixture f;
  sf_error err;
  sf_snapshot *s = NULL;
  fake_store store = {.calls_left = -1};
  open_fixture(&f, retracting_output(), retracting_plan);
  sf_store table = store_of(&store, 3);
  FAILS(SF_INVALID, sf_state_use_store(sf_operator_state(f.op), &table, 0, &err)); /* it has two states */
  assert_true(store.closed);
  OK(sf_state_flush(sf_operator_state(f.op), &err));
  add(&f, SF_INSERT, 1, 5, "b");
  sf_batch_release(run(&f));
  table = store_of(&store, 2);
  FAILS(SF_INVALID, sf_state_use_store(sf_operator_state(f.op), &table, 0, &err));
  assert_true(store.closed);
  close_fixture(&f);
  open_stored(&f, &extremes, &store, 0);
  FAILS(SF_INVALID, sf_state_snapshot(sf_operator_state(f.op), &s, &err));
  FAILS(SF_INVALID, sf_state_restore(sf_operator_state(f.op), 0, (const uint8_t *)"", 0, &err));
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(extremes_go_as_in_memory), TEST(distinct_values_go_as_in_memory),
      TEST(retracted_distinct_values_go_as_in_memory), TEST(ordered_values_go_as_in_memory), TEST(bundles_go_as_in_memory),
      TEST(what_is_in_memory_is_not_read), TEST(what_was_there_is_learned),
      TEST(what_has_come_and_gone_is_not_written), TEST(the_cache_keeps_its_size),
      TEST(maps_may_be_larger_than_the_cache), TEST(stored_values_expire), TEST(a_store_may_fail_at_any_call),
      TEST(memory_may_end_at_any_call), TEST(damaged_values_are_refused), TEST(a_store_comes_first_or_not_at_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
