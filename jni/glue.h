/* What the files of the JNI glue share. The glue turns handles, byte ranges and statuses into each other; it has no
 * logic of its own. A handle is the address of a native object. */
#ifndef SFJ_GLUE_H
#define SFJ_GLUE_H

#include <jni.h>
#include <stdint.h>

#include "streamfusion/batch.h"
#include "streamfusion/expr.h"
#include "streamfusion/operator.h"

/* Looked up once in JNI_OnLoad, never written afterwards. */
typedef struct sfj_ids {
  JavaVM *vm;
  jclass string;
  jmethodID string_from_bytes; /* String(byte[], Charset) */
  jobject utf8;
  jmethodID host_kernels_call;
  jmethodID reservation_grow;
  jmethodID reservation_shrink;
} sfj_ids;
const sfj_ids *sfj_ids_get(void);

/* An entry of JNINativeMethod, whose members are not const though JNI does not write them. A function pointer becomes a
 * void pointer, which POSIX allows and JNI asks for. */
#define SFJ_NATIVE(name, signature, function) {(char *)(intptr_t)(name), (char *)(intptr_t)(signature), (void *)(function)}

/* Natives of one file; registered together by JNI_OnLoad. */
typedef struct sfj_natives {
  const JNINativeMethod *methods;
  jint count;
} sfj_natives;
sfj_natives sfj_memory_natives(void);
sfj_natives sfj_batch_natives(void);
sfj_natives sfj_exchange_natives(void);
sfj_natives sfj_operator_natives(void);
sfj_natives sfj_format_natives(void);
sfj_natives sfj_kafka_natives(void);
sfj_natives sfj_state_natives(void);

/* The engine's operator of an operator handle (jni_operator.c). */
sf_operator *sfj_operator(jlong handle);

/* --- errors (jni_error.c) */

/* Throws the Java exception that err->status stands for; an exception kept by sfj_keep_pending is thrown unchanged. */
void sfj_throw(JNIEnv *env, const sf_error *err);
/* Fills a local error and throws. */
void sfj_throw_new(JNIEnv *env, sf_status status, const char *message);
/* An upcall has thrown: takes the exception out of the way of the engine, which goes on unwinding, and keeps it for the
 * sfj_throw at the end of the same native call. Returns `status` with err filled. */
sf_status sfj_keep_pending(JNIEnv *env, sf_status status, sf_error *err);

/* --- conversions (jni_memory.c) */

static inline void *sfj_ptr(jlong handle) { return (void *)(intptr_t)handle; }
static inline jlong sfj_handle(const void *ptr) { return (jlong)(intptr_t)ptr; }

/* Characters of a Java string, to be given back with ReleaseStringUTFChars; NULL with an exception thrown. */
const char *sfj_text(JNIEnv *env, jstring string);
/* Copy of a Java byte array; malloc'd, at least one byte, *size_out its length; NULL with an exception thrown. */
uint8_t *sfj_bytes(JNIEnv *env, jbyteArray array, size_t *size_out);
/* The same for int arrays. */
int32_t *sfj_ints(JNIEnv *env, jintArray array, jsize *n_out);
/* int32 values as a Java array; NULL when n is 0 and `empty_is_null`, or with an exception thrown. */
jintArray sfj_new_ints(JNIEnv *env, const int32_t *values, int64_t n, bool empty_is_null);
/* UTF-8 (not terminated, possibly malformed) as a Java string; NULL with an exception thrown. */
jstring sfj_string(JNIEnv *env, const char *utf8, size_t size);

/* --- columns (jni_batch.c): six longs a column as NativeEngine.batchDescribe documents, depth-first. */
int64_t sfj_describe_size(const sf_column *const *columns, int32_t n);
void sfj_describe(const sf_column *const *columns, int32_t n, jlong *out);

/* --- host kernels (jni_host.c) */
/* host->context becomes a global reference of `kernels`; to be dropped with sfj_host_close. A NULL object makes an
 * empty host. */
sf_status sfj_host_open(JNIEnv *env, jobject kernels, sf_host *host, sf_error *err);
void sfj_host_close(JNIEnv *env, sf_host *host);

#endif
