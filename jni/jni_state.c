/* Keyed state of operators: restoring, snapshots, and state that is in Flink's RocksDB. */
#include <stdlib.h>

#include "glue.h"
#include "streamfusion/state_store.h"

/* The state of an operator handle; NULL with an exception thrown. */
static sf_state *state_of(JNIEnv *env, jlong handle) {
  sf_state *state = sf_operator_state(sfj_operator(handle));
  if (state == NULL) sfj_throw_new(env, SF_INVALID, "The operator has no open keyed state");
  return state;
}

static void open_state(JNIEnv *env, jclass type, jlong handle, jint first, jint n, jint max) {
  (void)type;
  sf_error err;
  if (sf_operator_open_state(sfj_operator(handle), (sf_key_groups){first, n, max}, &err) != SF_OK) sfj_throw(env, &err);
}

static void restore(JNIEnv *env, jclass type, jlong handle, jint index, jbyteArray entries, jint size) {
  (void)type;
  sf_state *state = state_of(env, handle);
  if (state == NULL) return;
  size_t length = 0;
  uint8_t *bytes = sfj_bytes(env, entries, &length);
  if (bytes == NULL) return;
  sf_error err;
  if (size < 0 || (size_t)size > length) sfj_throw_new(env, SF_INVALID, "Entries beyond the end of an array");
  else if (sf_state_restore(state, index, bytes, (size_t)size, &err) != SF_OK) sfj_throw(env, &err);
  free(bytes);
}

static jlong snapshot(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  sf_state *state = state_of(env, handle);
  if (state == NULL) return 0;
  sf_error err;
  sf_snapshot *s = NULL;
  if (sf_state_snapshot(state, &s, &err) != SF_OK) sfj_throw(env, &err);
  return sfj_handle(s);
}

static jbyteArray snapshot_read(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  const uint8_t *bytes = NULL;
  size_t size = 0;
  sf_error err;
  if (sf_snapshot_read(sfj_ptr(handle), &bytes, &size, &err) != SF_OK) {
    sfj_throw(env, &err);
    return NULL;
  }
  if (size == 0) return NULL;
  if (size > INT32_MAX) {
    sfj_throw_new(env, SF_UNSUPPORTED, "An entry of keyed state is larger than a Java array can be");
    return NULL;
  }
  jbyteArray array = (*env)->NewByteArray(env, (jsize)size);
  if (array != NULL) (*env)->SetByteArrayRegion(env, array, 0, (jsize)size, (const jbyte *)bytes);
  return array;
}

static void snapshot_release(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  sf_snapshot_release(sfj_ptr(handle));
}

/* The state with the RocksDB that `handles` describe: database, read options, write options, column families. */
static sf_status use_rocksdb(jlong pool, sf_state *state, const jlong *handles, jsize n, jlong cache_bytes, sf_error *err) {
  enum { FIXED = 3, MOST = 1024 };
  if (n < FIXED || n > MOST) return sf_fail(err, SF_INVALID, "%d handles of RocksDB objects", (int)n);
  void *families[MOST];
  for (jsize i = FIXED; i < n; i++) families[i - FIXED] = sfj_ptr(handles[i]);
  sf_rocksdb rocks = {sfj_ptr(handles[0]), n - FIXED, families, sfj_ptr(handles[1]), sfj_ptr(handles[2])};
  sf_store store;
  SF_TRY(sf_rocksdb_store(sfj_ptr(pool), &rocks, &store, err));
  return sf_state_use_store(state, &store, cache_bytes, err);
}

static void open_rocksdb(JNIEnv *env, jclass type, jlong handle, jlong pool, jlongArray handles, jlong cache_bytes) {
  (void)type;
  sf_state *state = state_of(env, handle);
  if (state == NULL) return;
  jsize n = (*env)->GetArrayLength(env, handles);
  jlong *array = (*env)->GetLongArrayElements(env, handles, NULL);
  if (array == NULL) return;
  sf_error err;
  sf_status st = use_rocksdb(pool, state, array, n, cache_bytes, &err);
  (*env)->ReleaseLongArrayElements(env, handles, array, JNI_ABORT);
  if (st != SF_OK) sfj_throw(env, &err);
}

static void flush(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  sf_state *state = state_of(env, handle);
  sf_error err;
  if (state != NULL && sf_state_flush(state, &err) != SF_OK) sfj_throw(env, &err);
}

static void counts(JNIEnv *env, jclass type, jlong handle, jlong pool, jlongArray out) {
  (void)type;
  const sf_operator *op = sfj_operator(handle);
  const sf_state *state = sf_operator_state(op);
  int64_t rows = -1, keys = 0;
  (void)sf_operator_bundle(op, &rows, &keys);
  sf_cache_counts cache = {0};
  if (state != NULL) cache = sf_state_cache_counts(state);
  const jlong values[] = {(jlong)sf_pool_used(sfj_ptr(pool)),
                          state == NULL ? 0 : sf_state_keys(state),
                          state == NULL ? 0 : sf_state_map_entries(state),
                          cache.bytes,
                          cache.hits,
                          cache.reads,
                          cache.writes,
                          cache.flushes,
                          rows,
                          keys};
  (*env)->SetLongArrayRegion(env, out, 0, (jsize)(sizeof values / sizeof values[0]), values);
}

sfj_natives sfj_state_natives(void) {
  static const JNINativeMethod methods[] = {
      SFJ_NATIVE("operatorOpenState", "(JIII)V", open_state),
      SFJ_NATIVE("stateRestore", "(JI[BI)V", restore),
      SFJ_NATIVE("stateUseRocksDb", "(JJ[JJ)V", open_rocksdb),
      SFJ_NATIVE("stateFlush", "(J)V", flush),
      SFJ_NATIVE("operatorCounts", "(JJ[J)V", counts),
      SFJ_NATIVE("stateSnapshot", "(J)J", snapshot),
      SFJ_NATIVE("snapshotRead", "(J)[B", snapshot_read),
      SFJ_NATIVE("snapshotRelease", "(J)V", snapshot_release),
  };
  return (sfj_natives){methods, sizeof methods / sizeof methods[0]};
}
