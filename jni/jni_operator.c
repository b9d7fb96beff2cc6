/* Operators and single expressions. */
#include <stdlib.h>

#include "glue.h"
#include "streamfusion/operator.h"

/* An engine operator with its host kernels and the output that Java has not fetched yet. */
typedef struct operator_handle {
  sf_operator *op;
  sf_host host;
  sf_batch **pending; /* [next, end) are owned */
  size_t next;
  size_t end;
  size_t capacity;
} operator_handle;

sf_operator *sfj_operator(jlong handle) { return ((const operator_handle *)sfj_ptr(handle))->op; }

static sf_status collect(void *context, sf_batch *batch, sf_error *err) {
  operator_handle *o = context;
  if (o->end == o->capacity) {
    size_t capacity = o->capacity == 0 ? 4 : o->capacity * 2;
    sf_batch **grown = realloc(o->pending, capacity * sizeof *grown);
    if (grown == NULL) {
      sf_batch_release(batch);
      return sf_fail(err, SF_NOMEM, "No memory for the output of an operator");
    }
    o->pending = grown;
    o->capacity = capacity;
  }
  o->pending[o->end++] = batch;
  return SF_OK;
}

static void drop_pending(operator_handle *o) {
  while (o->next < o->end) sf_batch_release(o->pending[o->next++]);
  o->next = o->end = 0;
}

static jlong poll_pending(operator_handle *o) {
  if (o->next == o->end) {
    o->next = o->end = 0;
    return 0;
  }
  return sfj_handle(o->pending[o->next++]);
}

/* What a call has emitted, first batch first; on failure nothing of it. */
static jlong emitted(JNIEnv *env, operator_handle *o, sf_status st, const sf_error *err) {
  if (st == SF_OK) return poll_pending(o);
  drop_pending(o);
  sfj_throw(env, err);
  return 0;
}

static void operator_free(JNIEnv *env, operator_handle *o) {
  if (o == NULL) return;
  drop_pending(o);
  free(o->pending);
  sf_operator_destroy(o->op);
  sfj_host_close(env, &o->host);
  free(o);
}

static jlong operator_create(JNIEnv *env, jclass type, jlong pool, jbyteArray plan, jobject kernels) {
  (void)type;
  size_t size = 0;
  uint8_t *bytes = sfj_bytes(env, plan, &size);
  if (bytes == NULL) return 0;
  sf_error err;
  sf_status st = SF_OK;
  operator_handle *o = calloc(1, sizeof *o);
  if (o == NULL) st = sf_fail(&err, SF_NOMEM, "No memory for an operator");
  if (st == SF_OK) st = sfj_host_open(env, kernels, &o->host, &err);
  if (st == SF_OK) st = sf_operator_create(sfj_ptr(pool), kernels == NULL ? NULL : &o->host, bytes, size, &o->op, &err);
  free(bytes);
  if (st == SF_OK) return sfj_handle(o);
  operator_free(env, o);
  sfj_throw(env, &err);
  return 0;
}

static jlong operator_process(JNIEnv *env, jclass type, jlong handle, jint input, jlong batch) {
  (void)type;
  operator_handle *o = sfj_ptr(handle);
  const sf_collector out = {o, collect};
  sf_error err;
  return emitted(env, o, sf_operator_process(o->op, input, sfj_ptr(batch), &out, &err), &err);
}

static jlong operator_poll(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  return poll_pending(sfj_ptr(handle));
}

static jlong operator_watermark(JNIEnv *env, jclass type, jlong handle, jlong watermark) {
  (void)type;
  operator_handle *o = sfj_ptr(handle);
  const sf_collector out = {o, collect};
  sf_error err;
  return emitted(env, o, sf_operator_watermark(o->op, watermark, &out, &err), &err);
}

static jlong operator_timer(JNIEnv *env, jclass type, jlong handle, jlong millis) {
  (void)type;
  operator_handle *o = sfj_ptr(handle);
  const sf_collector out = {o, collect};
  sf_error err;
  return emitted(env, o, sf_operator_timer(o->op, millis, &out, &err), &err);
}

static jlong operator_before_barrier(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  operator_handle *o = sfj_ptr(handle);
  const sf_collector out = {o, collect};
  sf_error err;
  return emitted(env, o, sf_operator_before_barrier(o->op, &out, &err), &err);
}

static jlong operator_finish(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  operator_handle *o = sfj_ptr(handle);
  const sf_collector out = {o, collect};
  sf_error err;
  return emitted(env, o, sf_operator_finish(o->op, &out, &err), &err);
}

static void operator_close(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  operator_free(env, sfj_ptr(handle));
}

static jlongArray operator_types(JNIEnv *env, jclass type, jbyteArray plan) {
  (void)type;
  size_t size = 0;
  uint8_t *bytes = sfj_bytes(env, plan, &size);
  if (bytes == NULL) return NULL;
  sf_error err;
  sf_type *input = NULL, *output = NULL;
  sf_status st = sf_operator_plan_types(bytes, size, &input, &output, &err);
  free(bytes);
  if (st != SF_OK) {
    sfj_throw(env, &err);
    return NULL;
  }
  jlongArray types = (*env)->NewLongArray(env, 2);
  if (types == NULL) {
    sf_type_release(input);
    sf_type_release(output);
    return NULL;
  }
  jlong handles[2] = {sfj_handle(input), sfj_handle(output)};
  (*env)->SetLongArrayRegion(env, types, 0, 2, handles);
  return types;
}

/* --- single expressions */

typedef struct expr_handle {
  sf_expr *expr;
  sf_session *session;
  sf_host host;
} expr_handle;

static void expr_free(JNIEnv *env, expr_handle *e) {
  if (e == NULL) return;
  sf_expr_destroy(e->expr);
  sf_session_destroy(e->session);
  sfj_host_close(env, &e->host);
  free(e);
}

static jlong expr_create(JNIEnv *env, jclass type, jlong pool, jbyteArray session, jlong input_type, jbyteArray plan,
                         jobject kernels) {
  (void)type;
  size_t session_size = 0, size = 0;
  uint8_t *session_bytes = sfj_bytes(env, session, &session_size);
  if (session_bytes == NULL) return 0;
  uint8_t *bytes = sfj_bytes(env, plan, &size);
  if (bytes == NULL) {
    free(session_bytes);
    return 0;
  }
  sf_error err;
  sf_status st = SF_OK;
  expr_handle *e = calloc(1, sizeof *e);
  if (e == NULL) st = sf_fail(&err, SF_NOMEM, "No memory for an expression");
  if (st == SF_OK) st = sfj_host_open(env, kernels, &e->host, &err);
  if (st == SF_OK) st = sf_session_create(session_bytes, session_size, &e->session, &err);
  if (st == SF_OK) {
    st = sf_expr_compile(sfj_ptr(pool), e->session, kernels == NULL ? NULL : &e->host, sfj_ptr(input_type), bytes, size,
                         &e->expr, &err);
  }
  free(session_bytes);
  free(bytes);
  if (st == SF_OK) return sfj_handle(e);
  expr_free(env, e);
  sfj_throw(env, &err);
  return 0;
}

static jlong expr_max(JNIEnv *env, jclass type, jlong handle, jlong batch) {
  (void)type;
  const expr_handle *e = sfj_ptr(handle);
  int64_t max = 0, row = -1;
  sf_error err;
  if (sf_expr_max_int64(e->expr, sfj_ptr(batch), &max, &row, &err) != SF_OK) sfj_throw(env, &err);
  return row < 0 ? INT64_MIN : max;
}

static void expr_close(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  expr_free(env, sfj_ptr(handle));
}

static jboolean expr_supports(JNIEnv *env, jclass type, jbyteArray plan) {
  (void)type;
  size_t size = 0;
  uint8_t *bytes = sfj_bytes(env, plan, &size);
  if (bytes == NULL) return JNI_FALSE;
  jboolean supports = sf_expr_supports(bytes, size) ? JNI_TRUE : JNI_FALSE;
  free(bytes);
  return supports;
}

static jobjectArray expr_function(JNIEnv *env, jclass type, jint i) {
  (void)type;
  const char *name = NULL, *signature = NULL;
  if (!sf_expr_function(i, &name, &signature)) return NULL;
  jobjectArray pair = (*env)->NewObjectArray(env, 2, sfj_ids_get()->string, NULL);
  jstring first = pair == NULL ? NULL : (*env)->NewStringUTF(env, name);
  jstring second = first == NULL ? NULL : (*env)->NewStringUTF(env, signature);
  if (second == NULL) return NULL;
  (*env)->SetObjectArrayElement(env, pair, 0, first);
  (*env)->SetObjectArrayElement(env, pair, 1, second);
  return pair;
}

sfj_natives sfj_operator_natives(void) {
  static const JNINativeMethod methods[] = {
      SFJ_NATIVE("operatorCreate", "(J[BLtech/streamfusion/runtime/HostKernels;)J", operator_create),
      SFJ_NATIVE("operatorTypes", "([B)[J", operator_types),
      SFJ_NATIVE("operatorProcess", "(JIJ)J", operator_process),
      SFJ_NATIVE("operatorPoll", "(J)J", operator_poll),
      SFJ_NATIVE("operatorWatermark", "(JJ)J", operator_watermark),
      SFJ_NATIVE("operatorTimer", "(JJ)J", operator_timer),
      SFJ_NATIVE("operatorBeforeBarrier", "(J)J", operator_before_barrier),
      SFJ_NATIVE("operatorFinish", "(J)J", operator_finish),
      SFJ_NATIVE("operatorClose", "(J)V", operator_close),
      SFJ_NATIVE("exprCreate", "(J[BJ[BLtech/streamfusion/runtime/HostKernels;)J", expr_create),
      SFJ_NATIVE("exprMax", "(JJ)J", expr_max),
      SFJ_NATIVE("exprClose", "(J)V", expr_close),
      SFJ_NATIVE("exprSupports", "([B)Z", expr_supports),
      SFJ_NATIVE("exprFunction", "(I)[Ljava/lang/String;", expr_function),
  };
  return (sfj_natives){methods, sizeof methods / sizeof methods[0]};
}
