/* The encoder behind the format ABI: reproduces JsonRowDataSerializationSchema. */
#include "encode_internal.h"

static sf_status alloc_zeroed(sf_encoder *e, size_t size, void *out, sf_error *err) {
  void *memory = NULL;
  SF_TRY(e->host->pool_alloc(e->pool, size, &memory, err));
  memset(memory, 0, size);
  memcpy(out, &memory, sizeof memory);
  return SF_OK;
}

static void release_writer(sf_encoder *e, sfi_writer *writer) {
  if (writer == NULL) return;
  for (int32_t i = 0; writer->children != NULL && i < writer->n_children; i++) release_writer(e, writer->children[i]);
  e->host->pool_free(e->pool, writer->children);
  e->host->pool_free(e->pool, writer->key);
  e->host->pool_free(e->pool, writer);
}

/* Comma, quoted name, colon. */
static sf_status make_key(sf_encoder *e, sfi_writer *writer, const char *name, sf_error *err) {
  size_t size = strlen(name);
  SF_TRY(alloc_zeroed(e, size * 6 + SFI_SHORT_KEY + 16, &writer->key, err));
  uint8_t *to = writer->key;
  *to++ = ',';
  *to++ = '"';
  to = sfi_encode_escaped_text(to, (const uint8_t *)name, size, true);
  if (to == NULL) return sfi_json_fail(err, SF_UNSUPPORTED, "json: a field name is not UTF-8");
  *to++ = '"';
  *to++ = ':';
  writer->key_size = (uint32_t)(to - writer->key);
  return SF_OK;
}

static sf_status make_writer(sf_encoder *e, const sf_type *type, sfi_writer **out, sf_error *err) {
  if (type->layout == SF_LAYOUT_MAP && type->children[0]->kind != SF_TYPE_CHAR &&
      type->children[0]->kind != SF_TYPE_VARCHAR) {
    return sfi_json_fail(err, SF_UNSUPPORTED, "JSON format doesn't support non-string as key type of map");
  }
  SF_TRY(alloc_zeroed(e, sizeof **out, out, err)); /* reachable from the root at once, so released with it */
  sfi_writer *writer = *out;
  writer->type = type;
  if (type->n_children == 0) return SF_OK;
  SF_TRY(alloc_zeroed(e, (size_t)type->n_children * sizeof *writer->children, &writer->children, err));
  writer->n_children = type->n_children;
  for (int32_t i = 0; i < type->n_children; i++) {
    SF_TRY(make_writer(e, type->children[i], &writer->children[i], err));
    if (type->kind == SF_TYPE_ROW) SF_TRY(make_key(e, writer->children[i], type->field_names[i], err));
  }
  return SF_OK;
}

static sf_status create_parts(sf_encoder *e, const sf_format_spec *spec, const char *literal, sf_error *err) {
  if (e->row_type->kind != SF_TYPE_ROW) return sfi_json_fail(err, SF_INVALID, "json: the format's type is not a ROW");
  size_t size = strlen(literal) + 1;
  SF_TRY(alloc_zeroed(e, size, &e->map_null_literal, err));
  memcpy(e->map_null_literal, literal, size);
  return make_writer(e, spec->row_type, &e->root, err);
}

sf_status sfi_json_encoder_create(const sf_format_host *host, sf_pool *pool, const sf_format_spec *spec,
                                  sf_encoder **out, sf_error *err) {
  *out = NULL;
  sfi_json_options options;
  SF_TRY(sfi_json_options_read(spec, &options, err));
  void *memory = NULL;
  SF_TRY(host->pool_alloc(pool, sizeof(sf_encoder), &memory, err));
  sf_encoder *e = memory;
  memset(e, 0, sizeof *e);
  e->host = host;
  e->pool = host->pool_retain(pool);
  e->row_type = host->type_retain(spec->row_type);
  e->options = options;
  e->options.map_null_literal = NULL;
  e->legacy_doubles = spec->double_to_string_legacy;
  e->last_day = INT64_MIN;
  e->bytes_per_row = 256;
  e->copy_plain = sfi_copy_plain_generic;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) e->copy_plain = sfi_copy_plain_avx2;
#endif
  host->live_add(1);
  sf_status st = create_parts(e, spec, options.map_null_literal, err);
  if (st != SF_OK) {
    sfi_json_encoder_destroy(e);
    return st;
  }
  *out = e;
  return SF_OK;
}

void sfi_json_encoder_destroy(sf_encoder *e) {
  if (e == NULL) return;
  const sf_format_host *host = e->host;
  sf_pool *pool = e->pool;
  release_writer(e, e->root);
  host->buffer_release(e->buffer);
  host->pool_free(pool, e->map_null_literal);
  host->pool_free(pool, e->key_slots);
  host->type_release(e->row_type);
  host->pool_free(pool, e);
  host->live_add(-1);
  host->pool_release(pool);
}

bool sfi_encode_grow(sf_encoder *e, size_t more) {
  size_t capacity = e->capacity + e->capacity / 2;
  if (capacity < e->size + more + 64) capacity = e->size + more + 64;
  e->status = e->host->buffer_resize(&e->buffer, capacity, e->err);
  if (e->status != SF_OK) return false;
  e->capacity = capacity;
  e->data = e->host->buffer_data(e->buffer);
  return true;
}

static sf_status encode_rows(sf_encoder *e, const sf_column *const *columns, int64_t n, sf_encoded *out, sf_error *err) {
  int64_t punts_capacity = 0;
  for (int64_t row = 0; row < n; row++) {
    out->offsets[row] = (int64_t)e->size;
    size_t start = e->size;
    if (SFI_LIKELY(sfi_encode_row(e, e->root, columns, row))) continue;
    if (e->status != SF_OK) return e->status;
    e->punt = false;
    e->size = start;
    if (out->n_punts == punts_capacity) {
      punts_capacity = punts_capacity == 0 ? 64 : punts_capacity * 2;
      void *grown = NULL;
      SF_TRY(e->host->pool_realloc(e->pool, out->punt_rows, (size_t)punts_capacity * sizeof(int32_t), &grown, err));
      out->punt_rows = grown;
    }
    out->punt_rows[out->n_punts++] = (int32_t)row;
  }
  out->offsets[n] = (int64_t)e->size;
  return SF_OK;
}

static sf_status begin(sf_encoder *e, int64_t n, sf_encoded *out, sf_error *err) {
  e->status = SF_OK;
  e->err = err;
  e->size = 0;
  void *memory = NULL;
  SF_TRY(e->host->pool_alloc(e->pool, ((size_t)n + 1) * sizeof(int64_t), &memory, err));
  out->offsets = memory;
  e->capacity = (size_t)n * (e->bytes_per_row + e->bytes_per_row / 8) + 1024;
  SF_TRY(e->host->buffer_create(e->pool, e->capacity, &e->buffer, err));
  e->data = e->host->buffer_data(e->buffer);
  return SF_OK;
}

sf_status sfi_json_encode(sf_encoder *e, const sf_column *const *columns, int64_t n, sf_encoded *out, sf_error *err) {
  memset(out, 0, sizeof *out);
  if (n < 0 || n > INT32_MAX) return sfi_json_fail(err, SF_INVALID, "json: too many rows at once");
  sf_status st = begin(e, n, out, err);
  if (st == SF_OK) st = encode_rows(e, columns, n, out, err);
  if (st == SF_OK) {
    if (n > 0) e->bytes_per_row = e->size / (size_t)n;
    out->data = e->buffer;
    e->buffer = NULL;
  } else {
    e->host->buffer_release(e->buffer);
    e->buffer = NULL;
    e->host->pool_free(e->pool, out->offsets);
    e->host->pool_free(e->pool, out->punt_rows);
    memset(out, 0, sizeof *out);
  }
  e->data = NULL;
  e->capacity = 0;
  e->err = NULL;
  return st;
}
