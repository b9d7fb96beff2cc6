/* Keyed state of operators: restoring and snapshots. */
#include <stdlib.h>

#include "glue.h"
#include "streamfusion/state.h"

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

static jlong keys(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  const sf_state *state = state_of(env, handle);
  return state == NULL ? 0 : sf_state_keys(state);
}

static jlong map_entries(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  const sf_state *state = state_of(env, handle);
  return state == NULL ? 0 : sf_state_map_entries(state);
}

sfj_natives sfj_state_natives(void) {
  static const JNINativeMethod methods[] = {
      SFJ_NATIVE("operatorOpenState", "(JIII)V", open_state),
      SFJ_NATIVE("stateRestore", "(JI[BI)V", restore),
      SFJ_NATIVE("stateKeys", "(J)J", keys),
      SFJ_NATIVE("stateMapEntries", "(J)J", map_entries),
      SFJ_NATIVE("stateSnapshot", "(J)J", snapshot),
      SFJ_NATIVE("snapshotRead", "(J)[B", snapshot_read),
      SFJ_NATIVE("snapshotRelease", "(J)V", snapshot_release),
  };
  return (sfj_natives){methods, sizeof methods / sizeof methods[0]};
}
