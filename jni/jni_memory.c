/* Library identity, pools, buffers, types, and the conversions that all files use. */
#include <stdio.h>
#include <stdlib.h>

#include "glue.h"

#define STRINGIFY(x) #x
#define TEXT(x) STRINGIFY(x)

const char *sfj_text(JNIEnv *env, jstring string) {
  if (string == NULL) {
    sfj_throw_new(env, SF_NULL_POINTER, "A string argument is null");
    return NULL;
  }
  return (*env)->GetStringUTFChars(env, string, NULL);
}

uint8_t *sfj_bytes(JNIEnv *env, jbyteArray array, size_t *size_out) {
  jsize n = array == NULL ? 0 : (*env)->GetArrayLength(env, array);
  uint8_t *bytes = malloc((size_t)n + 1);
  if (bytes == NULL) {
    sfj_throw_new(env, SF_NOMEM, "No memory for a copy of a Java array");
    return NULL;
  }
  if (n > 0) (*env)->GetByteArrayRegion(env, array, 0, n, (jbyte *)bytes);
  *size_out = (size_t)n;
  return bytes;
}

int32_t *sfj_ints(JNIEnv *env, jintArray array, jsize *n_out) {
  jsize n = array == NULL ? 0 : (*env)->GetArrayLength(env, array);
  int32_t *ints = malloc(((size_t)n + 1) * sizeof *ints);
  if (ints == NULL) {
    sfj_throw_new(env, SF_NOMEM, "No memory for a copy of a Java array");
    return NULL;
  }
  if (n > 0) (*env)->GetIntArrayRegion(env, array, 0, n, (jint *)ints);
  *n_out = n;
  return ints;
}

jintArray sfj_new_ints(JNIEnv *env, const int32_t *values, int64_t n, bool empty_is_null) {
  if (n == 0 && empty_is_null) return NULL;
  jintArray array = (*env)->NewIntArray(env, (jsize)n);
  if (array != NULL && n > 0) (*env)->SetIntArrayRegion(env, array, 0, (jsize)n, (const jint *)values);
  return array;
}

jstring sfj_string(JNIEnv *env, const char *utf8, size_t size) {
  jbyteArray bytes = (*env)->NewByteArray(env, (jsize)size);
  if (bytes == NULL) return NULL;
  (*env)->SetByteArrayRegion(env, bytes, 0, (jsize)size, (const jbyte *)utf8);
  const sfj_ids *ids = sfj_ids_get();
  jobject string = (*env)->NewObject(env, ids->string, ids->string_from_bytes, bytes, ids->utf8);
  (*env)->DeleteLocalRef(env, bytes);
  return (jstring)string;
}

/* --- library */

static jstring build_info(JNIEnv *env, jclass type) {
  (void)type;
#if defined(__clang__)
  static const char compiler[] = __VERSION__;
#else
  static const char compiler[] = "gcc " __VERSION__;
#endif
#if defined(__x86_64__)
  const char *cpu = __builtin_cpu_supports("avx512f") ? "avx512" : __builtin_cpu_supports("avx2") ? "avx2" : "x86-64";
#else
  const char *cpu = "baseline";
#endif
  char info[256];
  int size = snprintf(info, sizeof info, "streamfusion %s for Flink %s, %s, %s", TEXT(SFJ_PROJECT_VERSION),
                      TEXT(SFJ_FLINK_LINE), compiler, cpu);
  return sfj_string(env, info, (size_t)size);
}

static jlong live_objects(JNIEnv *env, jclass type) {
  (void)env;
  (void)type;
  return sf_live_objects();
}

/* --- pools */

static JNIEnv *current_env(void) {
  JavaVM *vm = sfj_ids_get()->vm;
  JNIEnv *env = NULL;
  return (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) == JNI_OK ? env : NULL;
}

static sf_status reservation_grow(void *context, int64_t bytes, sf_error *err) {
  JNIEnv *env = current_env();
  if (env == NULL) return sf_fail(err, SF_INTERNAL, "Native memory was asked for on a thread that is not Java's");
  (*env)->CallVoidMethod(env, (jobject)context, sfj_ids_get()->reservation_grow, (jlong)bytes);
  return (*env)->ExceptionCheck(env) ? sfj_keep_pending(env, SF_LIMIT, err) : SF_OK;
}

static void reservation_shrink(void *context, int64_t bytes) {
  JNIEnv *env = current_env();
  if (env == NULL) return;
  (*env)->CallVoidMethod(env, (jobject)context, sfj_ids_get()->reservation_shrink, (jlong)bytes);
  if ((*env)->ExceptionCheck(env)) { /* giving back cannot fail; show it where uncaught exceptions go */
    (*env)->ExceptionDescribe(env);
    (*env)->ExceptionClear(env);
  }
}

static void reservation_release(void *context) {
  JNIEnv *env = current_env();
  if (env != NULL) (*env)->DeleteGlobalRef(env, (jobject)context);
}

static jlong pool_create(JNIEnv *env, jclass type, jstring name, jlong limit, jobject reservation) {
  (void)type;
  const char *text = sfj_text(env, name);
  if (text == NULL) return 0;
  sf_reservation asked = {NULL, reservation_grow, reservation_shrink, reservation_release};
  if (reservation != NULL) asked.context = (*env)->NewGlobalRef(env, reservation);
  sf_error err;
  sf_pool *pool = NULL;
  sf_status st = sf_pool_create(text, limit, reservation == NULL ? NULL : &asked, &pool, &err);
  (*env)->ReleaseStringUTFChars(env, name, text);
  if (st != SF_OK) {
    if (asked.context != NULL) (*env)->DeleteGlobalRef(env, (jobject)asked.context);
    sfj_throw(env, &err);
  }
  return sfj_handle(pool);
}

static void pool_release(JNIEnv *env, jclass type, jlong pool) {
  (void)env;
  (void)type;
  sf_pool_release(sfj_ptr(pool));
}

static jlong pool_used(JNIEnv *env, jclass type, jlong pool) {
  (void)env;
  (void)type;
  return sf_pool_used(sfj_ptr(pool));
}

/* --- types */

static jlong type_create(JNIEnv *env, jclass type, jbyteArray plan) {
  (void)type;
  size_t size = 0;
  uint8_t *bytes = sfj_bytes(env, plan, &size);
  if (bytes == NULL) return 0;
  sf_error err;
  sf_type *created = NULL;
  if (sf_type_decode(bytes, size, &created, &err) != SF_OK) sfj_throw(env, &err);
  free(bytes);
  return sfj_handle(created);
}

static void type_release(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  sf_type_release(sfj_ptr(handle));
}

/* --- raw memory */

static jlong buffer_create(JNIEnv *env, jclass type, jlong pool, jlong size) {
  (void)type;
  if (size < 0) {
    sfj_throw_new(env, SF_INVALID, "A buffer of negative size");
    return 0;
  }
  sf_error err;
  sf_buffer *buffer = NULL;
  if (sf_buffer_create(sfj_ptr(pool), (size_t)size, &buffer, &err) != SF_OK) sfj_throw(env, &err);
  return sfj_handle(buffer);
}

static jlong buffer_address(JNIEnv *env, jclass type, jlong buffer) {
  (void)env;
  (void)type;
  return sfj_handle(sf_buffer_data(sfj_ptr(buffer)));
}

static void copy_in(JNIEnv *env, jclass type, jbyteArray array, jint from, jlong address, jint length) {
  (void)type;
  (*env)->GetByteArrayRegion(env, array, from, length, sfj_ptr(address));
}

static void copy_out(JNIEnv *env, jclass type, jlong address, jbyteArray array, jint from, jint length) {
  (void)type;
  (*env)->SetByteArrayRegion(env, array, from, length, sfj_ptr(address));
}

static void buffer_release(JNIEnv *env, jclass type, jlong buffer) {
  (void)env;
  (void)type;
  sf_buffer_release(sfj_ptr(buffer));
}


sfj_natives sfj_memory_natives(void) {
  static const JNINativeMethod methods[] = {
      SFJ_NATIVE("buildInfo", "()Ljava/lang/String;", build_info),
      SFJ_NATIVE("liveObjects", "()J", live_objects),
      SFJ_NATIVE("poolCreate", "(Ljava/lang/String;JLtech/streamfusion/runtime/MemoryReservation;)J", pool_create),
      SFJ_NATIVE("poolRelease", "(J)V", pool_release),
      SFJ_NATIVE("poolUsed", "(J)J", pool_used),
      SFJ_NATIVE("typeCreate", "([B)J", type_create),
      SFJ_NATIVE("typeRelease", "(J)V", type_release),
      SFJ_NATIVE("bufferCreate", "(JJ)J", buffer_create),
      SFJ_NATIVE("bufferAddress", "(J)J", buffer_address),
      SFJ_NATIVE("copyIn", "([BIJI)V", copy_in),
      SFJ_NATIVE("copyOut", "(J[BII)V", copy_out),
      SFJ_NATIVE("bufferRelease", "(J)V", buffer_release),
  };
  return (sfj_natives){methods, sizeof methods / sizeof methods[0]};
}
