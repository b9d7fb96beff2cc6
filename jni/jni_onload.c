/* Entry of the library: binds NativeEngine's methods and looks up what upcalls need. */
#include "glue.h"

#define SFJ_VERSION JNI_VERSION_1_8

static sfj_ids ids;

const sfj_ids *sfj_ids_get(void) { return &ids; }

static bool register_natives(JNIEnv *env) {
  jclass engine = (*env)->FindClass(env, "tech/streamfusion/runtime/NativeEngine");
  if (engine == NULL) return false;
  const sfj_natives tables[] = {sfj_memory_natives(),   sfj_batch_natives(),  sfj_exchange_natives(), sfj_state_natives(),
                                sfj_operator_natives(), sfj_format_natives(), sfj_kafka_natives()};
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    if ((*env)->RegisterNatives(env, engine, tables[i].methods, tables[i].count) != JNI_OK) return false;
  }
  (*env)->DeleteLocalRef(env, engine);
  return true;
}

static bool method(JNIEnv *env, const char *class_name, const char *name, const char *signature, jmethodID *out) {
  jclass type = (*env)->FindClass(env, class_name);
  if (type == NULL) return false;
  *out = (*env)->GetMethodID(env, type, name, signature);
  (*env)->DeleteLocalRef(env, type);
  return *out != NULL;
}

static bool find_utf8(JNIEnv *env) {
  jclass charsets = (*env)->FindClass(env, "java/nio/charset/StandardCharsets");
  if (charsets == NULL) return false;
  jfieldID field = (*env)->GetStaticFieldID(env, charsets, "UTF_8", "Ljava/nio/charset/Charset;");
  if (field == NULL) return false;
  jobject utf8 = (*env)->GetStaticObjectField(env, charsets, field);
  ids.utf8 = utf8 == NULL ? NULL : (*env)->NewGlobalRef(env, utf8);
  jclass string = (*env)->FindClass(env, "java/lang/String");
  ids.string = string == NULL ? NULL : (jclass)(*env)->NewGlobalRef(env, string);
  (*env)->DeleteLocalRef(env, charsets);
  return ids.utf8 != NULL && ids.string != NULL &&
         method(env, "java/lang/String", "<init>", "([BLjava/nio/charset/Charset;)V", &ids.string_from_bytes);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
  (void)reserved;
  JNIEnv *env = NULL;
  if ((*vm)->GetEnv(vm, (void **)&env, SFJ_VERSION) != JNI_OK) return JNI_ERR;
  ids.vm = vm;
  bool ok = find_utf8(env) &&
            method(env, "tech/streamfusion/runtime/HostKernels", "call", "(I[JJIJI)J", &ids.host_kernels_call) &&
            method(env, "tech/streamfusion/runtime/MemoryReservation", "grow", "(J)V", &ids.reservation_grow) &&
            method(env, "tech/streamfusion/runtime/MemoryReservation", "shrink", "(J)V", &ids.reservation_shrink) &&
            register_natives(env);
  return ok ? SFJ_VERSION : JNI_ERR; /* on failure the exception is pending */
}

JNIEXPORT void JNICALL JNI_OnUnload(JavaVM *vm, void *reserved) {
  (void)reserved;
  JNIEnv *env = NULL;
  if ((*vm)->GetEnv(vm, (void **)&env, SFJ_VERSION) != JNI_OK) return;
  (*env)->DeleteGlobalRef(env, ids.utf8);
  (*env)->DeleteGlobalRef(env, ids.string);
}
