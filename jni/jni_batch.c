/* Batches: lifetime, description for readers, building from buffers and from binary rows, writing as binary rows. */
#include <stdlib.h>
#include <string.h>

#include "glue.h"
#include "streamfusion/binary_row.h"
#include "streamfusion/builder.h"
#include "streamfusion/exchange.h"

/* --- description */

#define DESCRIBED 6

static const sf_column *const *children_of(const sf_column *c) { return (const sf_column *const *)c->children; }

int64_t sfj_describe_size(const sf_column *const *columns, int32_t n) {
  int64_t longs = 0;
  for (int32_t i = 0; i < n; i++) longs += DESCRIBED + sfj_describe_size(children_of(columns[i]), columns[i]->n_children);
  return longs;
}

static jlong *describe(const sf_column *const *columns, int32_t n, jlong *out) {
  for (int32_t i = 0; i < n; i++) {
    const sf_column *c = columns[i];
    out[0] = (jlong)c->type->kind | (jlong)c->type->layout << 8 | (jlong)c->is_const << 16;
    out[1] = sfj_handle(c->validity);
    out[2] = sfj_handle(c->values);
    out[3] = sfj_handle(c->aux);
    out[4] = c->length;
    out[5] = c->n_children;
    out = describe(children_of(c), c->n_children, out + DESCRIBED);
  }
  return out;
}

void sfj_describe(const sf_column *const *columns, int32_t n, jlong *out) { describe(columns, n, out); }

static jint batch_describe(JNIEnv *env, jclass type, jlong handle, jlongArray out) {
  (void)type;
  const sf_batch *batch = sfj_ptr(handle);
  const sf_column *const *columns = (const sf_column *const *)batch->columns;
  int64_t n = sfj_describe_size(columns, batch->n_columns);
  if (n > INT32_MAX) {
    sfj_throw_new(env, SF_UNSUPPORTED, "A batch of too many columns");
    return 0;
  }
  if ((*env)->GetArrayLength(env, out) < n) return (jint)n;
  jlong *longs = malloc((size_t)n * sizeof *longs + 1);
  if (longs == NULL) {
    sfj_throw_new(env, SF_NOMEM, "No memory to describe a batch");
    return 0;
  }
  sfj_describe(columns, batch->n_columns, longs);
  (*env)->SetLongArrayRegion(env, out, 0, (jsize)n, longs);
  free(longs);
  return (jint)n;
}

/* --- lifetime and headers */

static void batch_retain(JNIEnv *env, jclass type, jlong batch) {
  (void)env;
  (void)type;
  sf_batch_retain(sfj_ptr(batch));
}

static void batch_release(JNIEnv *env, jclass type, jlong batch) {
  (void)env;
  (void)type;
  sf_batch_release(sfj_ptr(batch));
}

static jint batch_row_count(JNIEnv *env, jclass type, jlong batch) {
  (void)env;
  (void)type;
  return (jint)((const sf_batch *)sfj_ptr(batch))->length;
}

static jlong batch_row_kinds(JNIEnv *env, jclass type, jlong batch) {
  (void)env;
  (void)type;
  return sfj_handle(((const sf_batch *)sfj_ptr(batch))->row_kinds);
}

static jlongArray batch_marks(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  const sf_batch *batch = sfj_ptr(handle);
  if (batch->n_marks == 0) return NULL;
  jlongArray marks = (*env)->NewLongArray(env, (jsize)(batch->n_marks * 2));
  for (int64_t i = 0; marks != NULL && i < batch->n_marks; i++) {
    jlong pair[2] = {batch->marks[i].row, batch->marks[i].watermark};
    (*env)->SetLongArrayRegion(env, marks, (jsize)(2 * i), 2, pair);
  }
  return marks;
}

/* --- from buffers that Java has filled: five longs a column, depth-first */

enum { B_VALIDITY, B_NULLS, B_VALUES, B_AUX, B_BYTES, B_LONGS };

typedef struct filled {
  jlong *longs; /* of the column at hand; a handle is set to 0 when its reference is handed on */
  jlong *end;
} filled;

/* Views come with offsets into their bytes. */
static void place_views(sf_view *views, int64_t length, const sf_buffer *bytes) {
  static const uint8_t nothing[1];
  const uint8_t *base = bytes == NULL ? nothing : sf_buffer_data(bytes);
  for (int64_t i = 0; i < length; i++) views[i].data = base + (views[i].size == 0 ? 0 : (uintptr_t)views[i].data);
}

static sf_status build(const sf_type *type, int64_t length, filled *from, sf_column **out, sf_error *err);

static sf_status build_children(const sf_type *type, int64_t length, const int32_t *offsets, filled *from,
                                sf_column **children, sf_error *err) {
  if (type->n_children == 0) return SF_OK;
  int64_t inner = type->layout == SF_LAYOUT_ROW ? length : offsets[length];
  for (int32_t i = 0; i < type->n_children; i++) SF_TRY(build(type->children[i], inner, from, &children[i], err));
  return SF_OK;
}

static sf_status build(const sf_type *type, int64_t length, filled *from, sf_column **out, sf_error *err) {
  if (from->end - from->longs < B_LONGS) return sf_fail(err, SF_INVALID, "Too few buffers for the row type");
  jlong *longs = from->longs;
  from->longs += B_LONGS;
  sf_buffer *validity = sfj_ptr(longs[B_VALIDITY]), *values = sfj_ptr(longs[B_VALUES]);
  sf_buffer *aux = sfj_ptr(longs[B_AUX]), *bytes = sfj_ptr(longs[B_BYTES]);
  bool offsets = type->layout == SF_LAYOUT_LIST || type->layout == SF_LAYOUT_MAP;
  if ((length > 0 && values == NULL && sf_layout_width(type->layout) > 0) || (offsets && aux == NULL)) {
    return sf_fail(err, SF_INVALID, "A column of %lld rows has no values", (long long)length);
  }
  if (type->layout == SF_LAYOUT_VIEW && values != NULL) {
    place_views((sf_view *)(void *)sf_buffer_data(values), length, bytes);
  }
  sf_column **children = calloc((size_t)type->n_children + 1, sizeof *children);
  if (children == NULL) return sf_fail(err, SF_NOMEM, "No memory for a column");
  sf_status st = build_children(type, length, aux == NULL ? NULL : (const int32_t *)(void *)sf_buffer_data(aux), from,
                                children, err);
  if (st != SF_OK) {
    for (int32_t i = 0; i < type->n_children; i++) sf_column_release(children[i]);
    free(children);
    return st;
  }
  sf_buffer *buffers[4];
  int32_t n = 0;
  if (validity != NULL) buffers[n++] = validity;
  if (values != NULL) buffers[n++] = values;
  if (aux != NULL) buffers[n++] = aux;
  if (bytes != NULL) buffers[n++] = bytes;
  const sf_column_spec spec = {
      .type = type,
      .length = length,
      .null_count = type->layout == SF_LAYOUT_NULL ? length : longs[B_NULLS],
      .validity = validity == NULL ? NULL : sf_buffer_data(validity),
      .values = values == NULL ? NULL : sf_buffer_data(values),
      .aux = aux == NULL ? NULL : sf_buffer_data(aux),
      .n_children = type->n_children,
      .children = children,
      .n_buffers = n,
      .buffers = buffers,
  };
  longs[B_VALIDITY] = longs[B_VALUES] = longs[B_AUX] = longs[B_BYTES] = 0;
  st = sf_column_create(&spec, out, err);
  free(children);
  return st;
}

/* Takes over all buffers of the description, also on failure. Returns NULL with an exception thrown. */
static jlong *take_description(JNIEnv *env, jlongArray description, filled *out) {
  jsize n = (*env)->GetArrayLength(env, description);
  jlong *longs = malloc(((size_t)n + 1) * sizeof *longs);
  if (longs == NULL) {
    sfj_throw_new(env, SF_NOMEM, "No memory for a batch");
    return NULL;
  }
  (*env)->GetLongArrayRegion(env, description, 0, n, longs);
  *out = (filled){longs, longs + n / B_LONGS * B_LONGS};
  return longs;
}

/* Releases what nobody took. */
static void free_description(jlong *longs, const jlong *end) {
  for (jlong *at = longs; at < end; at += B_LONGS) {
    sf_buffer_release(sfj_ptr(at[B_VALIDITY]));
    sf_buffer_release(sfj_ptr(at[B_VALUES]));
    sf_buffer_release(sfj_ptr(at[B_AUX]));
    sf_buffer_release(sfj_ptr(at[B_BYTES]));
  }
  free(longs);
}

static jlong column_from_buffers(JNIEnv *env, jclass type, jlong column_type, jint rows, jlongArray description) {
  (void)type;
  filled from;
  jlong *longs = take_description(env, description, &from);
  if (longs == NULL) return 0;
  sf_error err;
  sf_column *column = NULL;
  if (build(sfj_ptr(column_type), rows, &from, &column, &err) != SF_OK) sfj_throw(env, &err);
  free_description(longs, from.end);
  return sfj_handle(column);
}

static sf_status build_batch(const sf_type *row_type, int64_t rows, filled *from, jlong *row_kinds, sf_batch **out,
                             sf_error *err) {
  sf_column **columns = calloc((size_t)row_type->n_children + 1, sizeof *columns);
  if (columns == NULL) return sf_fail(err, SF_NOMEM, "No memory for a batch");
  sf_status st = SF_OK;
  for (int32_t i = 0; i < row_type->n_children && st == SF_OK; i++) {
    st = build(row_type->children[i], rows, from, &columns[i], err);
  }
  if (st == SF_OK) {
    sf_buffer *kinds = sfj_ptr(*row_kinds);
    *row_kinds = 0;
    st = sf_batch_create(row_type, rows, columns, kinds, NULL, 0, out, err);
  }
  for (int32_t i = 0; i < row_type->n_children; i++) sf_column_release(columns[i]);
  free(columns);
  return st;
}

static jlong batch_from_buffers(JNIEnv *env, jclass type, jlong row_type, jint rows, jlongArray description,
                                jlong row_kinds) {
  (void)type;
  filled from;
  jlong *longs = take_description(env, description, &from);
  sf_batch *batch = NULL;
  sf_error err;
  if (longs != NULL) {
    if (build_batch(sfj_ptr(row_type), rows, &from, &row_kinds, &batch, &err) != SF_OK) sfj_throw(env, &err);
    free_description(longs, from.end);
  }
  sf_buffer_release(sfj_ptr(row_kinds));
  return sfj_handle(batch);
}

/* --- binary rows */

static sf_status read_rows(sf_pool *pool, const sf_type *row_type, const uint8_t *bytes, size_t size, int64_t rows,
                           const jlong *marks, jsize n_marks, sf_batch **out, sf_error *err) {
  sf_batch_builder *builder = NULL;
  SF_TRY(sf_batch_builder_create(pool, row_type, &builder, err));
  sf_status st = SF_OK;
  SF_GOTO(sf_batch_builder_binary_rows(builder, bytes, size, rows, err));
  for (jsize i = 0; i < n_marks; i++) SF_GOTO(sf_batch_builder_mark(builder, marks[i], err));
  st = sf_batch_builder_finish(builder, out, err);
cleanup:
  sf_batch_builder_destroy(builder);
  return st;
}

static jlong batch_from_binary_rows(JNIEnv *env, jclass type, jlong pool, jlong row_type, jlong address, jlong size,
                                    jint rows, jlongArray marks) {
  (void)type;
  jsize n_marks = marks == NULL ? 0 : (*env)->GetArrayLength(env, marks);
  jlong *copy = malloc(((size_t)n_marks + 1) * sizeof *copy);
  if (copy == NULL) {
    sfj_throw_new(env, SF_NOMEM, "No memory for marks");
    return 0;
  }
  if (n_marks > 0) (*env)->GetLongArrayRegion(env, marks, 0, n_marks, copy);
  sf_error err;
  sf_batch *batch = NULL;
  if (read_rows(sfj_ptr(pool), sfj_ptr(row_type), sfj_ptr(address), (size_t)size, rows, copy, n_marks, &batch, &err) !=
      SF_OK) {
    sfj_throw(env, &err);
  }
  free(copy);
  return sfj_handle(batch);
}

/* Writer with room for one chunk of rows. */
typedef struct row_chunks {
  sf_row_writer *writer;
  uint8_t *bytes;
  size_t capacity;
} row_chunks;

/* A chunk ends behind the row that reaches this size, so that its Java array is an ordinary one for every collector. */
#define CHUNK_BYTES ((size_t)192 << 10)

static jlong row_writer_create(JNIEnv *env, jclass type, jlong pool, jlong row_type) {
  (void)type;
  sf_error err;
  row_chunks *chunks = calloc(1, sizeof *chunks);
  if (chunks == NULL) {
    sfj_throw_new(env, SF_NOMEM, "No memory for a row writer");
    return 0;
  }
  if (sf_row_writer_create(sfj_ptr(pool), sfj_ptr(row_type), NULL, -1, SF_ROW_SERIALIZER, &chunks->writer, &err) !=
      SF_OK) {
    free(chunks);
    sfj_throw(env, &err);
    return 0;
  }
  return sfj_handle(chunks);
}

static void row_writer_close(JNIEnv *env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  row_chunks *chunks = sfj_ptr(handle);
  if (chunks == NULL) return;
  sf_row_writer_destroy(chunks->writer);
  free(chunks->bytes);
  free(chunks);
}

static sf_status append_row(row_chunks *chunks, size_t used, const uint8_t *row, size_t size, sf_error *err) {
  if (size > (size_t)INT32_MAX - CHUNK_BYTES) return sf_fail(err, SF_UNSUPPORTED, "A row of %zu bytes", size);
  if (used + size > chunks->capacity) {
    size_t capacity = (used + size) * 2;
    uint8_t *grown = realloc(chunks->bytes, capacity);
    if (grown == NULL) return sf_fail(err, SF_NOMEM, "No memory for %zu bytes of rows", capacity);
    chunks->bytes = grown;
    chunks->capacity = capacity;
  }
  memcpy(chunks->bytes + used, row, size);
  return SF_OK;
}

/* Rows [from, from + result) of the batch: bytes into chunks->bytes, where each ends into ends[]. */
static sf_status write_chunk(row_chunks *chunks, const sf_batch *batch, int64_t from, int32_t *ends, int64_t room,
                             int64_t *rows_out, sf_error *err) {
  int64_t rows = batch->length - from < room ? batch->length - from : room;
  size_t used = 0;
  int64_t i = 0;
  while (i < rows && used < CHUNK_BYTES) {
    const uint8_t *row = NULL;
    size_t size = 0;
    SF_TRY(sf_row_writer_write(chunks->writer, batch, from + i, &row, &size, err));
    SF_TRY(append_row(chunks, used, row, size, err));
    used += size;
    ends[i++] = (int32_t)used;
  }
  *rows_out = i;
  return SF_OK;
}

static jbyteArray row_writer_write(JNIEnv *env, jclass type, jlong writer, jlong handle, jint from, jintArray ends) {
  (void)type;
  row_chunks *chunks = sfj_ptr(writer);
  const sf_batch *batch = sfj_ptr(handle);
  jsize room = (*env)->GetArrayLength(env, ends);
  int32_t *local = malloc(((size_t)room + 1) * sizeof *local);
  if (local == NULL) {
    sfj_throw_new(env, SF_NOMEM, "No memory for row offsets");
    return NULL;
  }
  sf_error err;
  int64_t rows = 0;
  jbyteArray bytes = NULL;
  if (from < 0 || from >= batch->length || room == 0) {
    sfj_throw_new(env, SF_INVALID, "No such rows in the batch");
  } else if (write_chunk(chunks, batch, from, local, room, &rows, &err) != SF_OK) {
    sfj_throw(env, &err);
  } else {
    bytes = (*env)->NewByteArray(env, local[rows - 1]);
  }
  if (bytes != NULL) {
    (*env)->SetByteArrayRegion(env, bytes, 0, local[rows - 1], (const jbyte *)chunks->bytes);
    (*env)->SetIntArrayRegion(env, ends, 0, (jsize)rows, (const jint *)local);
  }
  free(local);
  return bytes;
}

/* --- records that cross the network */

static jlong batch_record_size(JNIEnv *env, jclass type, jlong handle) {
  (void)type;
  const sf_batch *batch = sfj_ptr(handle);
  sf_error err;
  size_t size = 0;
  if (sf_record_size(batch, (sf_record_range){0, batch->length, true}, &size, &err) != SF_OK) sfj_throw(env, &err);
  return (jlong)size;
}

static sf_status write_record(const sf_batch *batch, sf_record_range range, uint8_t **bytes_out, size_t *size_out,
                              sf_error *err) {
  size_t size = 0;
  SF_TRY(sf_record_size(batch, range, &size, err));
  if (size > (size_t)INT32_MAX - 64) { /* the longest array of Java */
    return sf_fail(err, SF_UNSUPPORTED, "Rows of %zu bytes are too long for a record of Flink's network", size);
  }
  uint8_t *bytes = malloc(size);
  if (bytes == NULL) return sf_fail(err, SF_NOMEM, "No memory for a record of %zu bytes", size);
  sf_status st = sf_record_write(batch, range, bytes, size, err);
  if (st != SF_OK) {
    free(bytes);
    return st;
  }
  *bytes_out = bytes;
  *size_out = size;
  return SF_OK;
}

static jbyteArray batch_write_record(JNIEnv *env, jclass type, jlong handle, jint from, jint rows, jboolean with_marks) {
  (void)type;
  sf_error err;
  uint8_t *bytes = NULL;
  size_t size = 0;
  if (write_record(sfj_ptr(handle), (sf_record_range){from, rows, with_marks}, &bytes, &size, &err) != SF_OK) {
    sfj_throw(env, &err);
    return NULL;
  }
  jbyteArray record = (*env)->NewByteArray(env, (jsize)size);
  if (record != NULL) (*env)->SetByteArrayRegion(env, record, 0, (jsize)size, (const jbyte *)bytes);
  free(bytes);
  return record;
}

static jlong batch_read_record(JNIEnv *env, jclass type, jlong pool, jlong row_type, jbyteArray record) {
  (void)type;
  jsize size = (*env)->GetArrayLength(env, record);
  sf_error err;
  sf_buffer *buffer = NULL;
  sf_batch *batch = NULL;
  sf_status st = sf_buffer_create(sfj_ptr(pool), (size_t)size, &buffer, &err);
  if (st == SF_OK) {
    (*env)->GetByteArrayRegion(env, record, 0, size, (jbyte *)sf_buffer_data(buffer));
    st = sf_record_read(sfj_ptr(pool), sfj_ptr(row_type), buffer, &batch, &err);
  }
  if (st != SF_OK) sfj_throw(env, &err);
  return sfj_handle(batch);
}

sfj_natives sfj_batch_natives(void) {
  static const JNINativeMethod methods[] = {
      SFJ_NATIVE("batchRetain", "(J)V", batch_retain),
      SFJ_NATIVE("batchRelease", "(J)V", batch_release),
      SFJ_NATIVE("batchRowCount", "(J)I", batch_row_count),
      SFJ_NATIVE("batchDescribe", "(J[J)I", batch_describe),
      SFJ_NATIVE("batchRowKinds", "(J)J", batch_row_kinds),
      SFJ_NATIVE("batchMarks", "(J)[J", batch_marks),
      SFJ_NATIVE("batchFromBuffers", "(JI[JJ)J", batch_from_buffers),
      SFJ_NATIVE("columnFromBuffers", "(JI[J)J", column_from_buffers),
      SFJ_NATIVE("batchFromBinaryRows", "(JJJJI[J)J", batch_from_binary_rows),
      SFJ_NATIVE("batchRecordSize", "(J)J", batch_record_size),
      SFJ_NATIVE("batchWriteRecord", "(JIIZ)[B", batch_write_record),
      SFJ_NATIVE("batchReadRecord", "(JJ[B)J", batch_read_record),
      SFJ_NATIVE("rowWriterCreate", "(JJ)J", row_writer_create),
      SFJ_NATIVE("rowWriterWrite", "(JJI[I)[B", row_writer_write),
      SFJ_NATIVE("rowWriterClose", "(J)V", row_writer_close),
  };
  return (sfj_natives){methods, sizeof methods / sizeof methods[0]};
}
