/* Flink's RocksDB as a store. The library inside frocksdbjni exports RocksDB's whole C interface; its structs for databases
 * and column families hold the pointer that Java calls the native handle, and those for options begin with the object that
 * Java's handle points to. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <string.h>

#include "streamfusion/state_store.h"

#define WRITE_CHUNK ((size_t)1 << 20) /* of changes that are written together */
#define READ_CHUNK 1024               /* keys that are looked up together */

typedef struct handle { /* rocksdb_t, rocksdb_column_family_handle_t */
  void *object;
  uint64_t unused[3]; /* newer versions have flags here, which only destructors read */
} handle;

typedef struct functions {
  void (*multi_get)(handle *db, const void *options, handle *family, size_t n, const char *const *keys, const size_t *sizes,
                    void **values, char **errors, const bool sorted);
  const char *(*pinned_value)(const void *pinned, size_t *size);
  void (*pinned_destroy)(void *pinned);
  void *(*iterator_create)(handle *db, const void *options, handle *family);
  void (*iterator_seek)(void *iterator, const char *key, size_t size);
  unsigned char (*iterator_valid)(const void *iterator);
  void (*iterator_next)(void *iterator);
  const char *(*iterator_key)(const void *iterator, size_t *size);
  const char *(*iterator_value)(const void *iterator, size_t *size);
  void (*iterator_error)(const void *iterator, char **error);
  void (*iterator_destroy)(void *iterator);
  void *(*batch_create)(void);
  void (*batch_put)(void *batch, handle *family, const char *key, size_t key_size, const char *value, size_t value_size);
  void (*batch_delete)(void *batch, handle *family, const char *key, size_t key_size);
  void (*batch_clear)(void *batch);
  void (*batch_destroy)(void *batch);
  void (*write)(handle *db, const void *options, void *batch, char **error);
  void (*free)(void *memory);
} functions;

/* In the order of the members. */
static const char *const names[] = {
    "rocksdb_batched_multi_get_cf", "rocksdb_pinnableslice_value", "rocksdb_pinnableslice_destroy",
    "rocksdb_create_iterator_cf",   "rocksdb_iter_seek",           "rocksdb_iter_valid",
    "rocksdb_iter_next",            "rocksdb_iter_key",            "rocksdb_iter_value",
    "rocksdb_iter_get_error",       "rocksdb_iter_destroy",        "rocksdb_writebatch_create",
    "rocksdb_writebatch_put_cf",    "rocksdb_writebatch_delete_cf", "rocksdb_writebatch_clear",
    "rocksdb_writebatch_destroy",   "rocksdb_write",               "rocksdb_free"};
_Static_assert(sizeof(functions) == sizeof names, "a name for each function");

typedef struct rocksdb {
  sf_pool *pool; /* retained */
  void *library; /* a reference that keeps it loaded */
  functions call;
  handle db;
  handle *families;
  const void *read_options;
  const void *write_options;
  void *batch;       /* owned */
  size_t batch_size; /* bytes in it */
  const char *keys[READ_CHUNK];
  size_t sizes[READ_CHUNK];
  void *values[READ_CHUNK];
  char *errors[READ_CHUNK];
} rocksdb;

/* Takes over the text. */
static sf_status failed(const rocksdb *r, const char *what, char *text, sf_error *err) {
  sf_status st = sf_fail(err, SF_RUNTIME, "RocksDB could not %s: %s", what, text);
  r->call.free(text);
  return st;
}

/* --- reading */

/* What the library has returned for n keys, freed here. */
static sf_status take_values(rocksdb *r, size_t first, size_t n, sf_store_found found, void *to, sf_error *err) {
  sf_status st = SF_OK;
  for (size_t i = 0; i < n; i++) {
    if (r->errors[i] != NULL) {
      if (st == SF_OK) st = failed(r, "read", r->errors[i], err);
      else r->call.free(r->errors[i]);
    }
    if (r->values[i] == NULL) continue;
    sf_slice value = {NULL, 0};
    value.data = (const uint8_t *)r->call.pinned_value(r->values[i], &value.size);
    if (st == SF_OK) st = found(to, first + i, value, err);
    r->call.pinned_destroy(r->values[i]);
  }
  return st;
}

static sf_status get(void *context, int32_t state, size_t n, const sf_slice *keys, sf_store_found found, void *to,
                     sf_error *err) {
  rocksdb *r = context;
  for (size_t first = 0; first < n; first += READ_CHUNK) {
    size_t count = n - first < READ_CHUNK ? n - first : READ_CHUNK;
    for (size_t i = 0; i < count; i++) {
      r->keys[i] = (const char *)keys[first + i].data;
      r->sizes[i] = keys[first + i].size;
      r->values[i] = NULL;
      r->errors[i] = NULL;
    }
    r->call.multi_get(&r->db, r->read_options, &r->families[state], count, r->keys, r->sizes, r->values, r->errors, false);
    SF_TRY(take_values(r, first, count, found, to, err));
  }
  return SF_OK;
}

static sf_status scan_on(rocksdb *r, void *iterator, sf_slice prefix, sf_store_entry entry, void *to, sf_error *err) {
  r->call.iterator_seek(iterator, (const char *)prefix.data, prefix.size);
  for (; r->call.iterator_valid(iterator); r->call.iterator_next(iterator)) {
    sf_slice key, value;
    key.data = (const uint8_t *)r->call.iterator_key(iterator, &key.size);
    if (key.size < prefix.size || memcmp(key.data, prefix.data, prefix.size) != 0) break;
    value.data = (const uint8_t *)r->call.iterator_value(iterator, &value.size);
    SF_TRY(entry(to, key, value, err));
  }
  char *error = NULL;
  r->call.iterator_error(iterator, &error);
  return error == NULL ? SF_OK : failed(r, "iterate", error, err);
}

static sf_status scan(void *context, int32_t state, sf_slice prefix, sf_store_entry entry, void *to, sf_error *err) {
  rocksdb *r = context;
  void *iterator = r->call.iterator_create(&r->db, r->read_options, &r->families[state]);
  sf_status st = scan_on(r, iterator, prefix, entry, to, err);
  r->call.iterator_destroy(iterator);
  return st;
}

static sf_status walk_on(rocksdb *r, void *iterator, sf_slice last, size_t n, sf_store_entry entry, void *to, sf_error *err) {
  const uint8_t *data = last.data == NULL ? (const uint8_t *)"" : last.data;
  r->call.iterator_seek(iterator, (const char *)data, last.data == NULL ? 0 : last.size);
  for (size_t i = 0; i < n && r->call.iterator_valid(iterator); r->call.iterator_next(iterator)) {
    sf_slice key, value;
    key.data = (const uint8_t *)r->call.iterator_key(iterator, &key.size);
    if (i == 0 && last.data != NULL && key.size == last.size && memcmp(key.data, last.data, key.size) == 0) {
      last.data = NULL;
      continue;
    }
    value.data = (const uint8_t *)r->call.iterator_value(iterator, &value.size);
    SF_TRY(entry(to, key, value, err));
    last.data = NULL;
    i++;
  }
  char *error = NULL;
  r->call.iterator_error(iterator, &error);
  return error == NULL ? SF_OK : failed(r, "iterate", error, err);
}

static sf_status walk(void *context, int32_t state, sf_slice last, size_t n, sf_store_entry entry, void *to, sf_error *err) {
  rocksdb *r = context;
  void *iterator = r->call.iterator_create(&r->db, r->read_options, &r->families[state]);
  sf_status st = walk_on(r, iterator, last, n, entry, to, err);
  r->call.iterator_destroy(iterator);
  return st;
}

/* --- writing */

static sf_status commit(void *context, sf_error *err) {
  rocksdb *r = context;
  if (r->batch_size == 0) return SF_OK;
  char *error = NULL;
  r->call.write(&r->db, r->write_options, r->batch, &error);
  r->call.batch_clear(r->batch);
  r->batch_size = 0;
  return error == NULL ? SF_OK : failed(r, "write", error, err);
}

static sf_status put(void *context, int32_t state, sf_slice key, sf_slice value, sf_error *err) {
  rocksdb *r = context;
  r->call.batch_put(r->batch, &r->families[state], (const char *)key.data, key.size, (const char *)value.data, value.size);
  r->batch_size += key.size + value.size + 1;
  return r->batch_size < WRITE_CHUNK ? SF_OK : commit(r, err);
}

static sf_status discard(void *context, int32_t state, sf_slice key, sf_error *err) {
  rocksdb *r = context;
  r->call.batch_delete(r->batch, &r->families[state], (const char *)key.data, key.size);
  r->batch_size += key.size + 1;
  return r->batch_size < WRITE_CHUNK ? SF_OK : commit(r, err);
}

/* --- life cycle */

static void close_store(void *context) {
  rocksdb *r = context;
  if (r->batch != NULL) r->call.batch_destroy(r->batch);
  if (r->library != NULL) dlclose(r->library);
  sf_pool *pool = r->pool;
  sf_pool_free(pool, r->families);
  sf_pool_free(pool, r);
  sf_pool_release(pool);
}

/* The library is the one that the database's virtual functions are in. */
static sf_status bind(rocksdb *r, sf_error *err) {
  const void *vtable = NULL;
  memcpy(&vtable, r->db.object, sizeof vtable);
  Dl_info info;
  if (dladdr(vtable, &info) == 0 || info.dli_fname == NULL) {
    return sf_fail(err, SF_UNSUPPORTED, "The library of the RocksDB state backend is not among those that are loaded");
  }
  r->library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (r->library == NULL) return sf_fail(err, SF_UNSUPPORTED, "The RocksDB library cannot be used: %s", dlerror());
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    void *symbol = dlsym(r->library, names[i]);
    if (symbol == NULL) return sf_fail(err, SF_UNSUPPORTED, "The RocksDB library %s lacks %s", info.dli_fname, names[i]);
    memcpy((char *)&r->call + i * sizeof symbol, &symbol, sizeof symbol);
  }
  r->batch = r->call.batch_create();
  return SF_OK;
}

sf_status sf_rocksdb_store(sf_pool *pool, const sf_rocksdb *rocks, sf_store *out, sf_error *err) {
  void *memory = NULL;
  *out = (sf_store){.context = NULL};
  SF_TRY(sf_pool_alloc(pool, sizeof(rocksdb), &memory, err));
  rocksdb *r = memory;
  memset(r, 0, sizeof *r);
  r->pool = sf_pool_retain(pool);
  r->db.object = rocks->db;
  r->read_options = rocks->read_options;
  r->write_options = rocks->write_options;
  sf_status st = sf_pool_alloc(pool, (size_t)rocks->n_families * sizeof(handle), &memory, err);
  if (st == SF_OK) {
    r->families = memory;
    for (int32_t i = 0; i < rocks->n_families; i++) r->families[i] = (handle){.object = rocks->families[i]};
    st = bind(r, err);
  }
  if (st != SF_OK) {
    close_store(r);
    return st;
  }
  *out = (sf_store){r, rocks->n_families, get, scan, walk, put, discard, commit, close_store};
  return SF_OK;
}
