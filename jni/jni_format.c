/* Formats: libraries behind the format ABI, their decoders and encoders. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "glue.h"
#include "streamfusion/format.h"

/* --- libraries */

static sf_status format_load(const char *path, const sf_format **out, sf_error *err) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char *why = dlerror();
    return sf_fail(err, SF_UNSUPPORTED, "Format library %s cannot be opened: %s", path, why == NULL ? "unknown" : why);
  }
  sf_format_init_fn init = NULL;
  void *symbol = dlsym(library, SF_FORMAT_INIT_SYMBOL);
  memcpy(&init, &symbol, sizeof init); /* POSIX's way from an object to a function pointer */
  const sf_format *format = init == NULL ? NULL : init(sf_format_host_table());
  if (format == NULL || format->abi_version != SF_FORMAT_ABI_VERSION || format->size < sizeof(sf_format)) {
    dlclose(library);
    return sf_fail(err, SF_UNSUPPORTED, "Format library %s does not speak version %d of the format interface", path,
                   SF_FORMAT_ABI_VERSION);
  }
  *out = format;
  return SF_OK;
}

static jlong format_open(JNIEnv *env, jclass type, jstring path) {
  (void)type;
  const char *text = sfj_text(env, path);
  if (text == NULL) return 0;
  sf_error err;
  const sf_format *format = NULL;
  sf_status st = format_load(text, &format, &err);
  (*env)->ReleaseStringUTFChars(env, path, text);
  if (st != SF_OK) sfj_throw(env, &err);
  return sfj_handle(format);
}

/* The parsed Format message, or NULL with an exception thrown. */
static const sf_format_spec *read_spec(JNIEnv *env, jbyteArray plan) {
  size_t size = 0;
  uint8_t *bytes = sfj_bytes(env, plan, &size);
  if (bytes == NULL) return NULL;
  sf_error err;
  const sf_format_spec *spec = NULL;
  if (sf_format_spec_decode(bytes, size, &spec, &err) != SF_OK) sfj_throw(env, &err);
  free(bytes);
  return spec;
}

/* --- decoding */

typedef struct decoder_handle {
  const sf_format *format;
  sf_decoder *decoder;
  sf_pool *pool;
  int32_t *ints; /* room for offsets and sizes */
  jsize room;    /* records that fit */
} decoder_handle;

typedef struct decoded_handle {
  sf_decoded result;
  sf_pool *pool;
} decoded_handle;

static void decoder_free(decoder_handle *d) {
  if (d == NULL) return;
  if (d->decoder != NULL) d->format->decoder_destroy(d->decoder);
  sf_pool_release(d->pool);
  free(d->ints);
  free(d);
}

static jlong decoder_create(JNIEnv *env, jclass type, jlong format, jlong pool, jbyteArray plan) {
  (void)type;
  const sf_format_spec *spec = read_spec(env, plan);
  if (spec == NULL) return 0;
  sf_error err;
  sf_status st = SF_OK;
  decoder_handle *d = calloc(1, sizeof *d);
  if (d == NULL) {
    st = sf_fail(&err, SF_NOMEM, "No memory for a decoder");
  } else {
    d->format = sfj_ptr(format);
    d->pool = sf_pool_retain(sfj_ptr(pool));
    st = d->format->decoder_create(sf_format_host_table(), d->pool, spec, &d->decoder, &err);
  }
  sf_format_spec_destroy(spec);
  if (st == SF_OK) return sfj_handle(d);
  decoder_free(d);
  sfj_throw(env, &err);
  return 0;
}

static void decoder_close(JNIEnv *env, jclass type, jlong decoder) {
  (void)env;
  (void)type;
  decoder_free(sfj_ptr(decoder));
}

static void decoded_clear(decoded_handle *d) {
  for (int32_t i = 0; d->result.columns != NULL && i < d->result.n_columns; i++) {
    sf_column_release(d->result.columns[i]);
  }
  sf_pool_free(d->pool, d->result.columns);
  sf_pool_free(d->pool, d->result.row_record);
  sf_pool_free(d->pool, d->result.punt_rows);
  sf_pool_release(d->pool);
  free(d);
}

static bool read_records(JNIEnv *env, decoder_handle *d, jintArray offsets, jintArray sizes, jint n) {
  if (n > d->room) {
    int32_t *grown = realloc(d->ints, (size_t)n * 2 * sizeof *grown);
    if (grown == NULL) {
      sfj_throw_new(env, SF_NOMEM, "No memory for the records to decode");
      return false;
    }
    d->ints = grown;
    d->room = n;
  }
  if (n == 0) return true;
  (*env)->GetIntArrayRegion(env, offsets, 0, n, (jint *)d->ints);
  if ((*env)->ExceptionCheck(env)) return false;
  (*env)->GetIntArrayRegion(env, sizes, 0, n, (jint *)(d->ints + n));
  return !(*env)->ExceptionCheck(env);
}

static jlong decode(JNIEnv *env, jclass type, jlong decoder, jlong buffer, jintArray offsets, jintArray sizes, jint n) {
  (void)type;
  decoder_handle *d = sfj_ptr(decoder);
  if (!read_records(env, d, offsets, sizes, n)) return 0;
  decoded_handle *decoded = calloc(1, sizeof *decoded);
  if (decoded == NULL) {
    sfj_throw_new(env, SF_NOMEM, "No memory for decoded records");
    return 0;
  }
  decoded->pool = sf_pool_retain(d->pool);
  const sf_records records = {sfj_ptr(buffer), d->ints, d->ints + n, n};
  sf_error err;
  if (d->format->decode(d->decoder, &records, &decoded->result, &err) == SF_OK) return sfj_handle(decoded);
  decoded->result = (sf_decoded){0}; /* a failed call hands nothing out */
  decoded_clear(decoded);
  sfj_throw(env, &err);
  return 0;
}

static jint decoded_count(JNIEnv *env, jclass type, jlong decoded, jint what) {
  (void)env;
  (void)type;
  const sf_decoded *d = &((const decoded_handle *)sfj_ptr(decoded))->result;
  return (jint)(what == 0 ? d->n_rows : d->n_punts);
}

static jintArray decoded_punt_rows(JNIEnv *env, jclass type, jlong decoded) {
  (void)type;
  const sf_decoded *d = &((const decoded_handle *)sfj_ptr(decoded))->result;
  return sfj_new_ints(env, d->punt_rows, d->n_punts, true);
}

static jintArray decoded_row_records(JNIEnv *env, jclass type, jlong decoded) {
  (void)type;
  const sf_decoded *d = &((const decoded_handle *)sfj_ptr(decoded))->result;
  return d->row_record == NULL ? NULL : sfj_new_ints(env, d->row_record, d->n_rows, false);
}

static void decoded_release(JNIEnv *env, jclass type, jlong decoded) {
  (void)env;
  (void)type;
  decoded_clear(sfj_ptr(decoded));
}

/* --- from decoded columns to a batch without the punted rows */

typedef struct kept_rows {
  int32_t *rows;    /* of the decoded columns */
  int32_t *records; /* that each came from */
  int64_t n;
} kept_rows;

static void keep_rows(const sf_decoded *d, kept_rows *kept) {
  int64_t punt = 0;
  for (int32_t row = 0; row < d->n_rows; row++) {
    if (punt < d->n_punts && d->punt_rows[punt] == row) {
      punt++;
      continue;
    }
    kept->rows[kept->n] = row;
    kept->records[kept->n++] = d->row_record == NULL ? row : d->row_record[row];
  }
}

static sf_status kept_batch(sf_pool *pool, const sf_decoded *d, const kept_rows *kept, const sf_type *row_type,
                            sf_batch **out, sf_error *err) {
  if (d->n_columns != row_type->n_children) {
    return sf_fail(err, SF_INVALID, "%d columns were decoded for a row type of %d", d->n_columns,
                   row_type->n_children);
  }
  sf_batch *all = NULL;
  SF_TRY(sf_batch_create(row_type, d->n_rows, d->columns, NULL, NULL, 0, &all, err));
  sf_status st = sf_batch_filter(pool, all, kept->rows, kept->n, out, err);
  sf_batch_release(all);
  return st;
}

static sf_batch *to_batch(JNIEnv *env, sf_pool *pool, const sf_decoded *d, const sf_type *row_type,
                          jintArray kept_records) {
  size_t room = (size_t)d->n_rows + 1;
  kept_rows kept = {malloc(room * sizeof *kept.rows), malloc(room * sizeof *kept.records), 0};
  sf_error err;
  sf_status st = SF_OK;
  sf_batch *batch = NULL;
  if (kept.rows == NULL || kept.records == NULL) {
    st = sf_fail(&err, SF_NOMEM, "No memory for decoded rows");
  } else {
    keep_rows(d, &kept);
    st = kept_batch(pool, d, &kept, row_type, &batch, &err);
  }
  if (st != SF_OK) {
    sfj_throw(env, &err);
  } else if (kept_records != NULL) {
    (*env)->SetIntArrayRegion(env, kept_records, 0, (jsize)kept.n, (const jint *)kept.records);
    if ((*env)->ExceptionCheck(env)) { /* the array is too short */
      sf_batch_release(batch);
      batch = NULL;
    }
  }
  free(kept.rows);
  free(kept.records);
  return batch;
}

static jlong decoded_to_batch(JNIEnv *env, jclass type, jlong handle, jlong pool, jlong row_type,
                              jintArray kept_records) {
  (void)type;
  decoded_handle *decoded = sfj_ptr(handle);
  sf_batch *batch = to_batch(env, sfj_ptr(pool), &decoded->result, sfj_ptr(row_type), kept_records);
  decoded_clear(decoded);
  return sfj_handle(batch);
}

/* --- encoding */

typedef struct encoder_handle {
  const sf_format *format;
  sf_encoder *encoder;
  sf_pool *pool;
} encoder_handle;

typedef struct encoded_handle {
  sf_encoded result;
  sf_pool *pool;
} encoded_handle;

static void encoder_free(encoder_handle *e) {
  if (e == NULL) return;
  if (e->encoder != NULL) e->format->encoder_destroy(e->encoder);
  sf_pool_release(e->pool);
  free(e);
}

static jlong encoder_create(JNIEnv *env, jclass type, jlong format, jlong pool, jbyteArray plan) {
  (void)type;
  const sf_format_spec *spec = read_spec(env, plan);
  if (spec == NULL) return 0;
  sf_error err;
  sf_status st = SF_OK;
  encoder_handle *e = calloc(1, sizeof *e);
  if (e == NULL) {
    st = sf_fail(&err, SF_NOMEM, "No memory for an encoder");
  } else {
    e->format = sfj_ptr(format);
    e->pool = sf_pool_retain(sfj_ptr(pool));
    st = e->format->encoder_create(sf_format_host_table(), e->pool, spec, &e->encoder, &err);
  }
  sf_format_spec_destroy(spec);
  if (st == SF_OK) return sfj_handle(e);
  encoder_free(e);
  sfj_throw(env, &err);
  return 0;
}

static void encoder_close(JNIEnv *env, jclass type, jlong encoder) {
  (void)env;
  (void)type;
  encoder_free(sfj_ptr(encoder));
}

static void encoded_clear(encoded_handle *e) {
  sf_buffer_release(e->result.data);
  sf_pool_free(e->pool, e->result.offsets);
  sf_pool_free(e->pool, e->result.punt_rows);
  sf_pool_release(e->pool);
  free(e);
}

static sf_status encode_columns(encoder_handle *e, const sf_batch *batch, const int32_t *picked, int32_t n,
                                sf_encoded *out, sf_error *err) {
  const sf_column **columns = calloc((size_t)n + 1, sizeof *columns);
  if (columns == NULL) return sf_fail(err, SF_NOMEM, "No memory to encode a batch");
  sf_status st = SF_OK;
  for (int32_t i = 0; i < n && st == SF_OK; i++) {
    int32_t column = picked == NULL ? i : picked[i];
    if (column < 0 || column >= batch->n_columns) {
      st = sf_fail(err, SF_INVALID, "No column %d among %d to encode", (int)column, (int)batch->n_columns);
    } else {
      columns[i] = batch->columns[column];
    }
  }
  if (st == SF_OK) st = e->format->encode(e->encoder, columns, batch->length, out, err);
  free(columns);
  return st;
}

static jlong encode(JNIEnv *env, jclass type, jlong encoder, jlong handle, jintArray columns) {
  (void)type;
  encoder_handle *e = sfj_ptr(encoder);
  const sf_batch *batch = sfj_ptr(handle);
  jsize n = 0;
  int32_t *picked = sfj_ints(env, columns, &n);
  encoded_handle *encoded = picked == NULL ? NULL : calloc(1, sizeof *encoded);
  if (encoded == NULL) {
    if (picked != NULL) sfj_throw_new(env, SF_NOMEM, "No memory for encoded rows");
    free(picked);
    return 0;
  }
  encoded->pool = sf_pool_retain(e->pool);
  sf_error err;
  sf_status st = columns == NULL ? encode_columns(e, batch, NULL, batch->n_columns, &encoded->result, &err)
                                 : encode_columns(e, batch, picked, n, &encoded->result, &err);
  free(picked);
  if (st == SF_OK) return sfj_handle(encoded);
  encoded->result = (sf_encoded){0}; /* a failed call hands nothing out */
  encoded_clear(encoded);
  sfj_throw(env, &err);
  return 0;
}

static jlong encoded_data(JNIEnv *env, jclass type, jlong encoded) {
  (void)env;
  (void)type;
  const sf_buffer *data = ((const encoded_handle *)sfj_ptr(encoded))->result.data;
  return data == NULL ? 0 : sfj_handle(sf_buffer_data(data));
}

static jlong encoded_offsets(JNIEnv *env, jclass type, jlong encoded) {
  (void)env;
  (void)type;
  return sfj_handle(((const encoded_handle *)sfj_ptr(encoded))->result.offsets);
}

static jintArray encoded_punt_rows(JNIEnv *env, jclass type, jlong encoded) {
  (void)type;
  const sf_encoded *e = &((const encoded_handle *)sfj_ptr(encoded))->result;
  return sfj_new_ints(env, e->punt_rows, e->n_punts, true);
}

static void encoded_release(JNIEnv *env, jclass type, jlong encoded) {
  (void)env;
  (void)type;
  encoded_clear(sfj_ptr(encoded));
}

sfj_natives sfj_format_natives(void) {
  static const JNINativeMethod methods[] = {
      SFJ_NATIVE("formatOpen", "(Ljava/lang/String;)J", format_open),
      SFJ_NATIVE("decoderCreate", "(JJ[B)J", decoder_create),
      SFJ_NATIVE("decode", "(JJ[I[II)J", decode),
      SFJ_NATIVE("decodedCount", "(JI)I", decoded_count),
      SFJ_NATIVE("decodedPuntRows", "(J)[I", decoded_punt_rows),
      SFJ_NATIVE("decodedRowRecords", "(J)[I", decoded_row_records),
      SFJ_NATIVE("decodedToBatch", "(JJJ[I)J", decoded_to_batch),
      SFJ_NATIVE("decodedRelease", "(J)V", decoded_release),
      SFJ_NATIVE("decoderClose", "(J)V", decoder_close),
      SFJ_NATIVE("encoderCreate", "(JJ[B)J", encoder_create),
      SFJ_NATIVE("encode", "(JJ[I)J", encode),
      SFJ_NATIVE("encodedData", "(J)J", encoded_data),
      SFJ_NATIVE("encodedOffsets", "(J)J", encoded_offsets),
      SFJ_NATIVE("encodedPuntRows", "(J)[I", encoded_punt_rows),
      SFJ_NATIVE("encodedRelease", "(J)V", encoded_release),
      SFJ_NATIVE("encoderClose", "(J)V", encoder_close),
  };
  return (sfj_natives){methods, sizeof methods / sizeof methods[0]};
}
