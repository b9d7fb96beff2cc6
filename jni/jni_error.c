/* From a status to the exception that stock Flink would throw. */
#include <stdio.h>
#include <string.h>

#include "glue.h"

/* The exception that an upcall has thrown, on its way from sfj_keep_pending to the sfj_throw that ends the native call.
 * Both happen on the same thread, with only engine code between them, which cannot run with a pending exception. */
static _Thread_local jthrowable kept;

static const char *class_of(sf_status status) {
  switch (status) {
    case SF_NOMEM: return "java/lang/OutOfMemoryError";
    case SF_LIMIT: return "tech/streamfusion/runtime/NativeMemoryLimitException";
    case SF_INVALID: return "java/lang/IllegalArgumentException";
    case SF_UNSUPPORTED: return "java/lang/UnsupportedOperationException";
    case SF_CORRUPT: return "java/io/IOException";
    case SF_ARITHMETIC: return "java/lang/ArithmeticException";
    case SF_NUMBER_FORMAT: return "java/lang/NumberFormatException";
    case SF_DATE_TIME: return "java/time/DateTimeException";
    case SF_TABLE_RUNTIME: return "org/apache/flink/table/api/TableRuntimeException";
    case SF_RUNTIME: return "java/lang/RuntimeException";
    case SF_NULL_POINTER: return "java/lang/NullPointerException";
    case SF_CONSTRAINT: return "org/apache/flink/table/runtime/operators/sink/constraint/EnforcerException";
    case SF_TABLE: return "org/apache/flink/table/api/TableException";
    case SF_CANCELLED: return "java/util/concurrent/CancellationException";
    case SF_OK:
    case SF_HOST:
    case SF_INTERNAL: break;
  }
  return "java/lang/IllegalStateException";
}

static void drop_kept(JNIEnv *env) {
  if (kept == NULL) return;
  (*env)->DeleteGlobalRef(env, kept);
  kept = NULL;
}

sf_status sfj_keep_pending(JNIEnv *env, sf_status status, sf_error *err) {
  jthrowable pending = (*env)->ExceptionOccurred(env);
  (*env)->ExceptionClear(env);
  drop_kept(env); /* an earlier one that the engine got over */
  kept = (jthrowable)(*env)->NewGlobalRef(env, pending);
  (*env)->DeleteLocalRef(env, pending);
  return sf_fail(err, status, "The host's code has thrown an exception");
}

/* EnforcerException formats its message: (format, column name), the message goes in as the one argument. */
static jthrowable new_formatting(JNIEnv *env, jclass type, jstring message) {
  jmethodID create = (*env)->GetMethodID(env, type, "<init>", "(Ljava/lang/String;Ljava/lang/String;)V");
  jstring format = create == NULL ? NULL : (*env)->NewStringUTF(env, "%s");
  if (format == NULL) return NULL;
  return (jthrowable)(*env)->NewObject(env, type, create, format, message);
}

void sfj_throw(JNIEnv *env, const sf_error *err) {
  if (kept != NULL && (err->status == SF_HOST || err->status == SF_LIMIT)) {
    jthrowable local = (jthrowable)(*env)->NewLocalRef(env, kept);
    drop_kept(env);
    (*env)->Throw(env, local);
    (*env)->DeleteLocalRef(env, local);
    return;
  }
  drop_kept(env);
  if ((*env)->ExceptionCheck(env)) return; /* a JNI call of the glue has failed by itself */
  jclass type = (*env)->FindClass(env, class_of(err->status));
  if (type == NULL) return; /* NoClassDefFoundError is pending */
  jstring message = sfj_string(env, err->message, strlen(err->message));
  if (message == NULL) return;
  jthrowable exception = err->status == SF_CONSTRAINT ? new_formatting(env, type, message) : NULL;
  if (err->status != SF_CONSTRAINT) {
    jmethodID create = (*env)->GetMethodID(env, type, "<init>", "(Ljava/lang/String;)V");
    if (create != NULL) exception = (jthrowable)(*env)->NewObject(env, type, create, message);
  }
  if (exception != NULL) (*env)->Throw(env, exception);
}

void sfj_throw_new(JNIEnv *env, sf_status status, const char *message) {
  sf_error err = {.status = status, .row = -1};
  snprintf(err.message, sizeof err.message, "%s", message);
  sfj_throw(env, &err);
}
