/* Host kernels: from an engine call to HostKernels.call. */
#include <stdlib.h>

#include "glue.h"

static sf_status call_java(JNIEnv *env, jobject kernels, int32_t kernel, const sf_type *result_type, jlongArray columns,
                           int64_t length, const int32_t *selected, int64_t n_selected, sf_column **out,
                           sf_error *err) {
  const sfj_ids *ids = sfj_ids_get();
  jlong column = (*env)->CallLongMethod(env, kernels, ids->host_kernels_call, (jint)kernel, columns,
                                        sfj_handle(result_type), (jint)length, sfj_handle(selected),
                                        (jint)(selected == NULL ? length : n_selected));
  if ((*env)->ExceptionCheck(env)) return sfj_keep_pending(env, SF_HOST, err);
  if (column == 0) return sf_fail(err, SF_INTERNAL, "Host kernel %d returned no column", (int)kernel);
  *out = sfj_ptr(column);
  return SF_OK;
}

static sf_status host_call(void *context, int32_t kernel, const sf_type *result_type, const sf_column *const *args,
                           int32_t n_args, int64_t length, const int32_t *selected, int64_t n_selected,
                           sf_column **out, sf_error *err) {
  *out = NULL;
  JavaVM *vm = sfj_ids_get()->vm;
  JNIEnv *env = NULL;
  if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK) {
    return sf_fail(err, SF_INTERNAL, "A host kernel was called on a thread that is not Java's");
  }
  int64_t n = sfj_describe_size(args, n_args);
  if (n > INT32_MAX || length > INT32_MAX) return sf_fail(err, SF_UNSUPPORTED, "A host kernel of too many arguments");
  jlong *longs = malloc(((size_t)n + 1) * sizeof *longs);
  if (longs == NULL) return sf_fail(err, SF_NOMEM, "No memory to describe a host kernel's arguments");
  sfj_describe(args, n_args, longs);
  jlongArray columns = (*env)->NewLongArray(env, (jsize)n);
  sf_status st = SF_OK;
  if (columns == NULL) {
    st = sfj_keep_pending(env, SF_HOST, err);
  } else {
    (*env)->SetLongArrayRegion(env, columns, 0, (jsize)n, longs);
    st = call_java(env, (jobject)context, kernel, result_type, columns, length, selected, n_selected, out, err);
    (*env)->DeleteLocalRef(env, columns);
  }
  free(longs);
  return st;
}

sf_status sfj_host_open(JNIEnv *env, jobject kernels, sf_host *host, sf_error *err) {
  *host = (sf_host){NULL, NULL};
  if (kernels == NULL) return SF_OK;
  host->context = (*env)->NewGlobalRef(env, kernels);
  if (host->context == NULL) return sf_fail(err, SF_NOMEM, "No global reference for host kernels");
  host->call = host_call;
  return SF_OK;
}

void sfj_host_close(JNIEnv *env, sf_host *host) {
  if (host->context != NULL) (*env)->DeleteGlobalRef(env, (jobject)host->context);
  *host = (sf_host){NULL, NULL};
}
