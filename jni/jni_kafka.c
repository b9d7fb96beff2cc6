/* Natives of tech.streamfusion.kafka.KafkaNative. That class may live in another class loader than the library's, so it
 * asks for its methods to be bound (NativeEngine.bindKafka). */
#include <stdlib.h>
#include <string.h>

#include "glue.h"
#include "streamfusion/assemble.h"
#include "streamfusion/kafka_reducer.h"
#include "streamfusion/kafka_records.h"

/* Slots of the `state` array, as in KafkaNative. */
enum {
  NUM_RECORDS,
  UNCOMPRESSED_BYTES,
  BASE_TIMESTAMP,
  MAX_TIMESTAMP,
  OFFSET_OF_MAX_TIMESTAMP,
  WRITE_LIMIT,
  HEADER_BYTES,
  COMPRESSED,
  COMPRESSION_RATIO,
  STICKY_BYTES,
  STICKY_LIMIT,
  RECORD_LIMIT,
  MAX_RECORD_BOUND,
  WRITTEN,
  STOP,
  STATE_SIZE
};

/* A batch on its way to the producer. */
typedef struct kafka_rows {
  sf_kafka_rows rows;
  sf_pool *pool;   /* retained */
  sf_batch *batch; /* retained: headers, row kinds */
  uint8_t *headers;        /* pool memory, as the next ones; NULL: none */
  int64_t *header_offsets;
  int64_t *timestamps;     /* NULLs are filled in by rows_now */
  const sf_column *timestamp_column;
  uint8_t *tombstones;
  int32_t *order;          /* NULL: row i at position i */
  uint8_t *scratch;
  size_t scratch_size;
} kafka_rows;

static void rows_free(kafka_rows *r) {
  sf_pool *pool = r->pool;
  sf_pool_free(pool, r->headers);
  sf_pool_free(pool, r->header_offsets);
  sf_pool_free(pool, r->timestamps);
  sf_pool_free(pool, r->tombstones);
  sf_pool_free(pool, r->order);
  sf_pool_free(pool, r->scratch);
  sf_batch_release(r->batch);
  sf_pool_free(pool, r);
  sf_pool_release(pool);
}

static sf_status check_column(const sf_batch *batch, jint index, sf_layout layout, sf_error *err) {
  if (index >= batch->n_columns || batch->columns[index]->type->layout != layout) {
    return sf_fail(err, SF_INVALID, "metadata column %d is not what the sink expects", (int)index);
  }
  return SF_OK;
}

static sf_status alloc(sf_pool *pool, size_t size, uint8_t **out, sf_error *err) {
  void *memory;
  SF_TRY(sf_pool_alloc(pool, size, &memory, err));
  *out = memory;
  return SF_OK;
}

static sf_status open_metadata(kafka_rows *r, jint headers_column, jint timestamp_column, bool tombstones,
                               sf_error *err) {
  const sf_batch *batch = r->batch;
  size_t n = (size_t)batch->length;
  if (headers_column >= 0) {
    SF_TRY(check_column(batch, headers_column, SF_LAYOUT_MAP, err));
    SF_TRY(sf_kafka_headers_encode(r->pool, batch->columns[headers_column], &r->headers, &r->header_offsets, err));
    r->rows.headers = r->headers;
    r->rows.header_offsets = r->header_offsets;
  }
  if (timestamp_column >= 0) {
    SF_TRY(check_column(batch, timestamp_column, SF_LAYOUT_INT64, err));
    void *memory;
    SF_TRY(sf_pool_alloc(r->pool, n * sizeof(int64_t), &memory, err));
    r->timestamps = memory;
    r->timestamp_column = batch->columns[timestamp_column];
    if (n > 0) memcpy(r->timestamps, r->timestamp_column->values, n * sizeof(int64_t));
    r->rows.timestamps = r->timestamps;
  }
  if (tombstones && batch->row_kinds != NULL) {
    SF_TRY(alloc(r->pool, n, &r->tombstones, err));
    for (size_t i = 0; i < n; i++) {
      r->tombstones[i] = batch->row_kinds[i] == SF_UPDATE_BEFORE || batch->row_kinds[i] == SF_DELETE;
    }
    r->rows.tombstones = r->tombstones;
  }
  return SF_OK;
}

static jlong rows_create(JNIEnv *env, jclass type, jlong pool, jlong batch, jlong value_data, jlong value_offsets,
                         jlong key_data, jlong key_offsets, jint headers_column, jint timestamp_column,
                         jboolean tombstones) {
  (void)type;
  sf_error err;
  void *memory;
  if (sf_pool_alloc(sfj_ptr(pool), sizeof(kafka_rows), &memory, &err) != SF_OK) {
    sfj_throw(env, &err);
    return 0;
  }
  kafka_rows *r = memory;
  memset(r, 0, sizeof *r);
  r->pool = sf_pool_retain(sfj_ptr(pool));
  r->batch = sf_batch_retain(sfj_ptr(batch));
  r->rows.n = r->batch->length;
  r->rows.values = sfj_ptr(value_data);
  r->rows.value_offsets = sfj_ptr(value_offsets);
  if (key_offsets != 0) {
    static const uint8_t empty = 0;
    r->rows.keys = key_data == 0 ? &empty : sfj_ptr(key_data);
    r->rows.key_offsets = sfj_ptr(key_offsets);
  }
  if (open_metadata(r, headers_column, timestamp_column, tombstones, &err) != SF_OK) {
    rows_free(r);
    sfj_throw(env, &err);
    return 0;
  }
  return sfj_handle(r);
}

static void rows_release(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  rows_free(sfj_ptr(handle));
}

static void rows_now(JNIEnv *env, jclass type, jlong handle, jlong now) {
  (void)env;
  (void)type;
  kafka_rows *r = sfj_ptr(handle);
  r->rows.now = now;
  if (r->timestamps == NULL || r->timestamp_column->null_count == 0) return;
  for (int64_t i = 0; i < r->rows.n; i++) {
    if (sf_column_is_null(r->timestamp_column, i)) r->timestamps[i] = now;
  }
}

/* Where the order of positions from.. is kept; the identity before the first sorting. */
static sf_status order_from(kafka_rows *r, int32_t from, int32_t **out, sf_error *err) {
  if (r->order == NULL) {
    void *memory;
    SF_TRY(sf_pool_alloc(r->pool, (size_t)r->rows.n * sizeof(int32_t), &memory, err));
    r->order = memory;
    for (int64_t i = 0; i < r->rows.n; i++) r->order[i] = (int32_t)i;
  }
  *out = r->order + from;
  return SF_OK;
}

/* Sorts positions from..to by group, or by the partition of the key if groups is NULL. */
static sf_status sort_range(kafka_rows *r, const int32_t *groups, int32_t from, int32_t to, int32_t n_groups,
                            int32_t *counts, sf_error *err) {
  int32_t *order;
  SF_TRY(order_from(r, from, &order, err));
  if (groups != NULL) return sf_kafka_group_rows(r->pool, groups, to - from, n_groups, order, counts, err);
  return sf_kafka_partition_rows(r->pool, &r->rows, to - from, n_groups, order, counts, err);
}

/* Sorts as sort_range and fills counts_out, whose length is the number of groups. */
static void sort_positions(JNIEnv *env, kafka_rows *r, const int32_t *groups, jint from, jint to,
                           jintArray counts_out) {
  jsize n_groups = (*env)->GetArrayLength(env, counts_out);
  sf_error err;
  void *counts;
  if (from < 0 || from > to || to > r->rows.n) {
    sfj_throw_new(env, SF_INVALID, "Positions to sort are out of range");
    return;
  }
  if (sf_pool_alloc(r->pool, (size_t)n_groups * sizeof(int32_t), &counts, &err) != SF_OK) {
    sfj_throw(env, &err);
    return;
  }
  if (sort_range(r, groups, from, to, n_groups, counts, &err) != SF_OK) {
    sfj_throw(env, &err);
  } else {
    (*env)->SetIntArrayRegion(env, counts_out, 0, n_groups, counts);
  }
  sf_pool_free(r->pool, counts);
}

static void rows_partition(JNIEnv *env, jclass type, jlong handle, jint from, jint to, jintArray counts_out) {
  (void)type;
  sort_positions(env, sfj_ptr(handle), NULL, from, to, counts_out);
}

static void rows_group(JNIEnv *env, jclass type, jlong handle, jint from, jint to, jintArray groups_in,
                       jintArray counts_out) {
  (void)type;
  jsize n = 0;
  int32_t *groups = sfj_ints(env, groups_in, &n);
  if (groups == NULL) return;
  if (n < to - from) {
    sfj_throw_new(env, SF_INVALID, "Fewer groups than positions");
  } else {
    sort_positions(env, sfj_ptr(handle), groups, from, to, counts_out);
  }
  free(groups);
}

static void load_state(const jlong *slots, sf_kafka_batch_state *s) {
  s->num_records = (int32_t)slots[NUM_RECORDS];
  s->uncompressed_bytes = (int32_t)slots[UNCOMPRESSED_BYTES];
  s->base_timestamp = slots[BASE_TIMESTAMP];
  s->max_timestamp = slots[MAX_TIMESTAMP];
  s->offset_of_max_timestamp = slots[OFFSET_OF_MAX_TIMESTAMP];
  s->write_limit = (int32_t)slots[WRITE_LIMIT];
  s->header_bytes = (int32_t)slots[HEADER_BYTES];
  s->compressed = (int32_t)slots[COMPRESSED];
  int32_t ratio_bits = (int32_t)slots[COMPRESSION_RATIO];
  memcpy(&s->compression_ratio, &ratio_bits, sizeof ratio_bits);
  s->sticky_bytes = (int32_t)slots[STICKY_BYTES];
  s->sticky_limit = (int32_t)slots[STICKY_LIMIT];
  s->record_limit = (int32_t)slots[RECORD_LIMIT];
  s->max_record_bound = (int32_t)slots[MAX_RECORD_BOUND];
}

static void store_state(const sf_kafka_batch_state *s, jlong *slots) {
  slots[NUM_RECORDS] = s->num_records;
  slots[UNCOMPRESSED_BYTES] = s->uncompressed_bytes;
  slots[BASE_TIMESTAMP] = s->base_timestamp;
  slots[MAX_TIMESTAMP] = s->max_timestamp;
  slots[OFFSET_OF_MAX_TIMESTAMP] = s->offset_of_max_timestamp;
  slots[STICKY_BYTES] = s->sticky_bytes;
  slots[MAX_RECORD_BOUND] = s->max_record_bound;
}

static sf_status ensure_scratch(kafka_rows *r, size_t size, sf_error *err) {
  if (size <= r->scratch_size) return SF_OK;
  void *memory;
  SF_TRY(sf_pool_realloc(r->pool, r->scratch, size, &memory, err));
  r->scratch = memory;
  r->scratch_size = size;
  return SF_OK;
}

static jint rows_fill(JNIEnv *env, jclass type, jlong handle, jint from, jint to, jlongArray state, jbyteArray out,
                      jint at, jint room) {
  (void)type;
  kafka_rows *r = sfj_ptr(handle);
  sf_error err;
  if (from < 0 || from > to || to > r->rows.n || room < 0) {
    sfj_throw_new(env, SF_INVALID, "Positions to fill from are out of range");
    return from;
  }
  if (ensure_scratch(r, (size_t)room, &err) != SF_OK) {
    sfj_throw(env, &err);
    return from;
  }
  jlong slots[STATE_SIZE];
  (*env)->GetLongArrayRegion(env, state, 0, STATE_SIZE, slots);
  if ((*env)->ExceptionCheck(env)) return from;
  sf_kafka_batch_state s;
  load_state(slots, &s);
  size_t written = 0;
  int64_t next = from;
  slots[STOP] = sf_kafka_fill(&r->rows, r->order, from, to, &s, r->scratch, (size_t)room, &written, &next);
  slots[WRITTEN] = (jlong)written;
  store_state(&s, slots);
  if (written > 0) (*env)->SetByteArrayRegion(env, out, at, (jsize)written, (const jbyte *)r->scratch);
  if (!(*env)->ExceptionCheck(env)) (*env)->SetLongArrayRegion(env, state, 0, STATE_SIZE, slots);
  return (jint)next;
}

static bool record_at(JNIEnv *env, const kafka_rows *r, jint position, sf_kafka_record *out) {
  if (position < 0 || position >= r->rows.n) {
    sfj_throw_new(env, SF_INVALID, "No record at this position");
    return false;
  }
  sf_kafka_rows_get(&r->rows, r->order == NULL ? position : r->order[position], out);
  return true;
}

static jbyteArray rows_bytes(JNIEnv *env, jclass type, jlong handle, jint position, jint what) {
  (void)type;
  sf_kafka_record record;
  if (!record_at(env, sfj_ptr(handle), position, &record)) return NULL;
  const uint8_t *data = what == 0 ? record.key : what == 1 ? record.value : record.headers;
  int32_t size = what == 0 ? record.key_size : what == 1 ? record.value_size : record.headers_size;
  if (size < 0 || (what == 2 && data == NULL)) return NULL;
  jbyteArray bytes = (*env)->NewByteArray(env, size);
  if (bytes != NULL && size > 0) (*env)->SetByteArrayRegion(env, bytes, 0, size, (const jbyte *)data);
  return bytes;
}

static jlong rows_timestamp(JNIEnv *env, jclass type, jlong handle, jint position) {
  (void)type;
  sf_kafka_record record;
  return record_at(env, sfj_ptr(handle), position, &record) ? record.timestamp : 0;
}

/* --- putting rows together */

typedef struct assembly {
  jsize n_parts;
  sf_batch_part *parts;
  int32_t **rows; /* malloc'd, per part */
  int32_t *part_of;
  int32_t *column_of;
} assembly;

static void assembly_free(assembly *a) {
  for (jsize p = 0; a->rows != NULL && p < a->n_parts; p++) free(a->rows[p]);
  free(a->rows);
  free(a->parts);
  free(a->part_of);
  free(a->column_of);
}

/* False with an exception thrown. */
static bool assembly_part(JNIEnv *env, assembly *a, jsize p, jlong batch, jobjectArray rows, jint length) {
  a->parts[p].batch = sfj_ptr(batch);
  jintArray picked = (jintArray)(*env)->GetObjectArrayElement(env, rows, p);
  if (picked == NULL) return !(*env)->ExceptionCheck(env);
  jsize n = 0;
  a->rows[p] = sfj_ints(env, picked, &n);
  (*env)->DeleteLocalRef(env, picked);
  if (a->rows[p] == NULL) return false;
  if (n != length) {
    sfj_throw_new(env, SF_INVALID, "A part has not as many rows as the result");
    return false;
  }
  a->parts[p].rows = a->rows[p];
  return true;
}

static bool assembly_open(JNIEnv *env, assembly *a, jint length, jlongArray batches, jobjectArray rows,
                          jintArray part_of, jintArray column_of) {
  memset(a, 0, sizeof *a);
  a->n_parts = (*env)->GetArrayLength(env, batches);
  a->parts = calloc((size_t)a->n_parts + 1, sizeof *a->parts);
  a->rows = calloc((size_t)a->n_parts + 1, sizeof *a->rows);
  if (a->parts == NULL || a->rows == NULL) {
    sfj_throw_new(env, SF_NOMEM, "No memory to assemble a batch");
    return false;
  }
  for (jsize p = 0; p < a->n_parts; p++) {
    jlong batch = 0;
    (*env)->GetLongArrayRegion(env, batches, p, 1, &batch);
    if (!assembly_part(env, a, p, batch, rows, length)) return false;
  }
  jsize n = 0;
  a->part_of = sfj_ints(env, part_of, &n);
  if (a->part_of == NULL) return false;
  a->column_of = sfj_ints(env, column_of, &n);
  return a->column_of != NULL;
}

static jlong assemble(JNIEnv *env, jclass type, jlong pool, jlong row_type, jint length, jlongArray batches,
                      jobjectArray rows, jintArray part_of, jintArray column_of) {
  (void)type;
  assembly a;
  sf_batch *out = NULL;
  if (assembly_open(env, &a, length, batches, rows, part_of, column_of)) {
    sf_error err;
    if (sf_batch_assemble(sfj_ptr(pool), sfj_ptr(row_type), length, a.parts, (int32_t)a.n_parts, a.part_of, a.column_of,
                          &out, &err) != SF_OK) {
      sfj_throw(env, &err);
      out = NULL;
    }
  }
  assembly_free(&a);
  return sfj_handle(out);
}

static jlong concat(JNIEnv *env, jclass type, jlong pool, jlongArray batches) {
  (void)type;
  jsize n = (*env)->GetArrayLength(env, batches);
  const sf_batch **list = calloc((size_t)n + 1, sizeof *list);
  if (list == NULL) {
    sfj_throw_new(env, SF_NOMEM, "No memory to concatenate batches");
    return 0;
  }
  for (jsize i = 0; i < n; i++) {
    jlong batch = 0;
    (*env)->GetLongArrayRegion(env, batches, i, 1, &batch);
    list[i] = sfj_ptr(batch);
  }
  sf_error err;
  sf_batch *out = NULL;
  if (sf_batch_concat(sfj_ptr(pool), list, (int32_t)n, &out, &err) != SF_OK) {
    sfj_throw(env, &err);
    out = NULL;
  }
  free((void *)(uintptr_t)list);
  return sfj_handle(out);
}

/* --- the last row of each key */

static jlong reducer_create(JNIEnv *env, jclass type, jlong pool, jlong row_type, jintArray key_columns, jlong max_keys) {
  (void)type;
  jsize n = 0;
  int32_t *keys = sfj_ints(env, key_columns, &n);
  if (keys == NULL) return 0;
  sf_error err;
  sf_kafka_reducer *out = NULL;
  if (sf_kafka_reducer_create(sfj_ptr(pool), sfj_ptr(row_type), keys, (int32_t)n, max_keys, &out, &err) != SF_OK) {
    sfj_throw(env, &err);
    out = NULL;
  }
  free(keys);
  return sfj_handle(out);
}

static void reducer_release(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  sf_kafka_reducer_destroy(sfj_ptr(handle));
}

static jint reducer_add(JNIEnv *env, jclass type, jlong handle, jlong batch, jint from) {
  (void)type;
  sf_error err;
  int64_t next = from;
  if (sf_kafka_reducer_add(sfj_ptr(handle), sfj_ptr(batch), from, &next, &err) != SF_OK) sfj_throw(env, &err);
  return (jint)next;
}

static jboolean reducer_full(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  return sf_kafka_reducer_full(sfj_ptr(handle));
}

static jlong reducer_take(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  sf_error err;
  sf_batch *out = NULL;
  if (sf_kafka_reducer_take(sfj_ptr(handle), &out, &err) != SF_OK) {
    sfj_throw(env, &err);
    out = NULL;
  }
  return sfj_handle(out);
}

static void bind_kafka(JNIEnv *env, jclass type, jclass target) {
  (void)type;
  static const JNINativeMethod methods[] = {
      SFJ_NATIVE("rowsCreate", "(JJJJJJIIZ)J", rows_create),
      SFJ_NATIVE("rowsRelease", "(J)V", rows_release),
      SFJ_NATIVE("rowsNow", "(JJ)V", rows_now),
      SFJ_NATIVE("rowsPartition", "(JII[I)V", rows_partition),
      SFJ_NATIVE("rowsGroup", "(JII[I[I)V", rows_group),
      SFJ_NATIVE("rowsFill", "(JII[J[BII)I", rows_fill),
      SFJ_NATIVE("rowsBytes", "(JII)[B", rows_bytes),
      SFJ_NATIVE("rowsTimestamp", "(JI)J", rows_timestamp),
      SFJ_NATIVE("assemble", "(JJI[J[[I[I[I)J", assemble),
      SFJ_NATIVE("concat", "(J[J)J", concat),
      SFJ_NATIVE("reducerCreate", "(JJ[IJ)J", reducer_create),
      SFJ_NATIVE("reducerRelease", "(J)V", reducer_release),
      SFJ_NATIVE("reducerAdd", "(JJI)I", reducer_add),
      SFJ_NATIVE("reducerFull", "(J)Z", reducer_full),
      SFJ_NATIVE("reducerTake", "(J)J", reducer_take),
  };
  (*env)->RegisterNatives(env, target, methods, sizeof methods / sizeof methods[0]); /* a failure throws */
}

sfj_natives sfj_kafka_natives(void) {
  static const JNINativeMethod methods[] = {SFJ_NATIVE("bindKafka", "(Ljava/lang/Class;)V", bind_kafka)};
  return (sfj_natives){methods, sizeof methods / sizeof methods[0]};
}
