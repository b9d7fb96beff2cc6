/* Hash exchanges: sf_scatter, and what belongs to them behind the edge. */
#include <stdlib.h>

#include "glue.h"
#include "streamfusion/exchange.h"

/* `keys` becomes a copy, to be freed; with an exception thrown it is NULL. */
static sf_scatter_spec exchange_spec(JNIEnv *env, jlong row_type, jintArray fields, jint channels, jint max_parallelism,
                                     int32_t **keys) {
  jsize n = 0;
  *keys = sfj_ints(env, fields, &n);
  return (sf_scatter_spec){.row_type = sfj_ptr(row_type),
                           .keys = *keys,
                           .n_keys = n,
                           .channels = channels,
                           .max_parallelism = max_parallelism,
                           .record_rows = 1,
                           .record_bytes = 1};
}

static jlong scatter_create(JNIEnv *env, jclass type, jlong pool, jlong row_type, jintArray fields, jint channels,
                            jint max_parallelism, jint record_rows, jint record_bytes) {
  (void)type;
  int32_t *keys = NULL;
  sf_scatter_spec spec = exchange_spec(env, row_type, fields, channels, max_parallelism, &keys);
  if (keys == NULL) return 0;
  spec.record_rows = record_rows;
  spec.record_bytes = record_bytes;
  sf_error err;
  sf_scatter *scatter = NULL;
  if (sf_scatter_create(sfj_ptr(pool), &spec, &scatter, &err) != SF_OK) sfj_throw(env, &err);
  free(keys);
  return sfj_handle(scatter);
}

static void scatter_add(JNIEnv *env, jclass type, jlong scatter, jlong batch, jint from, jint rows) {
  (void)type;
  sf_error err;
  if (sf_scatter_add(sfj_ptr(scatter), sfj_ptr(batch), from, rows, &err) != SF_OK) sfj_throw(env, &err);
}

static sf_status take(sf_scatter *scatter, bool all, sf_scatter_record *record, uint8_t **bytes_out, sf_error *err) {
  SF_TRY(sf_scatter_next(scatter, all, record, err));
  if (record->rows == 0) return SF_OK;
  if (record->size > (size_t)INT32_MAX - 64) { /* the longest array of Java */
    return sf_fail(err, SF_UNSUPPORTED, "Rows of %zu bytes are too long for a record of Flink's network", record->size);
  }
  uint8_t *bytes = malloc(record->size);
  if (bytes == NULL) return sf_fail(err, SF_NOMEM, "No memory for a record of %zu bytes", record->size);
  sf_status st = sf_scatter_take(scatter, record, bytes, err);
  if (st == SF_OK) *bytes_out = bytes;
  else free(bytes);
  return st;
}

static jbyteArray scatter_next(JNIEnv *env, jclass type, jlong scatter, jboolean all, jintArray target) {
  (void)type;
  sf_error err;
  sf_scatter_record record;
  uint8_t *bytes = NULL;
  if (take(sfj_ptr(scatter), all, &record, &bytes, &err) != SF_OK) {
    sfj_throw(env, &err);
    return NULL;
  }
  if (bytes == NULL) return NULL;
  const jint described[2] = {record.channel, (jint)record.rows};
  (*env)->SetIntArrayRegion(env, target, 0, 2, described);
  jbyteArray array = (*env)->ExceptionCheck(env) ? NULL : (*env)->NewByteArray(env, (jsize)record.size);
  if (array != NULL) (*env)->SetByteArrayRegion(env, array, 0, (jsize)record.size, (const jbyte *)bytes);
  free(bytes);
  return array;
}

static void scatter_close(JNIEnv *env, jclass type, jlong scatter) {
  (void)env;
  (void)type;
  sf_scatter_destroy(sfj_ptr(scatter));
}

static jlong batch_select(JNIEnv *env, jclass type, jlong pool, jlong batch, jintArray fields, jint channels,
                          jint max_parallelism, jint subtask) {
  (void)type;
  const sf_batch *rows = sfj_ptr(batch);
  int32_t *keys = NULL;
  sf_scatter_spec spec = exchange_spec(env, sfj_handle(rows->type), fields, channels, max_parallelism, &keys);
  if (keys == NULL) return 0;
  sf_error err;
  sf_batch *selected = NULL;
  if (sf_scatter_select(sfj_ptr(pool), &spec, rows, subtask, &selected, &err) != SF_OK) sfj_throw(env, &err);
  free(keys);
  return sfj_handle(selected);
}

static jlong batch_concat(JNIEnv *env, jclass type, jlong pool, jlongArray batches, jint n) {
  (void)type;
  const sf_batch **parts = malloc(((size_t)n + 1) * sizeof *parts);
  if (parts == NULL) {
    sfj_throw_new(env, SF_NOMEM, "No memory for a list of batches");
    return 0;
  }
  sf_batch *joined = NULL;
  jlong *handles = (*env)->GetLongArrayElements(env, batches, NULL);
  if (handles != NULL) {
    for (jint i = 0; i < n; i++) parts[i] = sfj_ptr(handles[i]);
    (*env)->ReleaseLongArrayElements(env, batches, handles, JNI_ABORT);
    sf_error err;
    if (sf_batch_concat(sfj_ptr(pool), parts, n, &joined, &err) != SF_OK) sfj_throw(env, &err);
  }
  free(parts);
  return sfj_handle(joined);
}

sfj_natives sfj_exchange_natives(void) {
  static const JNINativeMethod methods[] = {
      SFJ_NATIVE("scatterCreate", "(JJ[IIIII)J", scatter_create),
      SFJ_NATIVE("scatterAdd", "(JJII)V", scatter_add),
      SFJ_NATIVE("scatterNext", "(JZ[I)[B", scatter_next),
      SFJ_NATIVE("scatterClose", "(J)V", scatter_close),
      SFJ_NATIVE("batchSelect", "(JJ[IIII)J", batch_select),
      SFJ_NATIVE("batchConcat", "(J[JI)J", batch_concat),
  };
  return (sfj_natives){methods, sizeof methods / sizeof methods[0]};
}
