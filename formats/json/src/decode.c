/* The decoder behind the format ABI: reproduces JsonParserRowDataDeserializationSchema (decode.json-parser.enabled, the
 * default) and JsonRowDataDeserializationSchema (`tree` in what follows).
 *
 * A record is decoded natively only when both Jackson and Flink's converters would certainly produce this very row;
 * everything else is a punt. What the two schemas do alike on such records is in decode_hot.h. */
#include "decode_internal.h"

void sfi_json_decoder_destroy(sf_decoder *d) {
  if (d == NULL) return;
  sfi_decode_reset(d);
  sfi_decode_plan_release(d);
  const sf_format_host *host = d->host;
  sf_pool *pool = d->pool;
  host->pool_free(pool, d->arena);
  host->pool_free(pool, d->entries);
  host->pool_free(pool, d->order);
  host->pool_free(pool, d->scratch);
  host->type_release(d->row_type);
  host->pool_free(pool, d);
  host->live_add(-1);
  host->pool_release(pool);
}

static void choose_code(sf_decoder *d) {
  d->decode_record = sfi_decode_record_generic;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) {
    d->decode_record = sfi_decode_record_avx2;
  }
#endif
}

sf_status sfi_json_decoder_create(const sf_format_host *host, sf_pool *pool, const sf_format_spec *spec,
                                  sf_decoder **out, sf_error *err) {
  *out = NULL;
  sfi_json_options options;
  SF_TRY(sfi_json_options_read(spec, &options, err));
  void *memory = NULL;
  SF_TRY(host->pool_alloc(pool, sizeof(sf_decoder), &memory, err));
  sf_decoder *d = memory;
  memset(d, 0, sizeof *d);
  d->host = host;
  d->pool = host->pool_retain(pool);
  d->row_type = host->type_retain(spec->row_type);
  d->options = options;
  d->options.map_null_literal = NULL; /* borrowed, and of no use here */
  d->legacy_doubles = spec->double_to_string_legacy;
  host->live_add(1);
  choose_code(d);
  sf_status st = sfi_decode_plan_build(d, spec, err);
  if (st != SF_OK) {
    sfi_json_decoder_destroy(d);
    return st;
  }
  *out = d;
  return SF_OK;
}

typedef struct punt_list {
  int32_t *rows;
  int64_t n;
  int64_t capacity;
} punt_list;

static sf_status add_punt(sf_decoder *d, punt_list *punts, int64_t row, sf_error *err) {
  if (punts->n == punts->capacity) {
    int64_t capacity = punts->capacity == 0 ? 64 : punts->capacity * 2;
    void *grown = NULL;
    SF_TRY(d->host->pool_realloc(d->pool, punts->rows, (size_t)capacity * sizeof(int32_t), &grown, err));
    punts->rows = grown;
    punts->capacity = capacity;
  }
  punts->rows[punts->n++] = (int32_t)row;
  return SF_OK;
}

static sf_status decode_rows(sf_decoder *d, const sf_records *records, punt_list *punts, sf_error *err) {
  const uint8_t *data = d->host->buffer_data(records->buffer);
  for (int64_t i = 0; i < records->n; i++) {
    /* NULL and empty values give no row in Flink: left to the host like all that is not one object. */
    bool settled = false;
    if (SFI_LIKELY(records->sizes[i] > 0)) {
      const uint8_t *begin = data + records->offsets[i];
      settled = d->decode_record(d, begin, begin + records->sizes[i], i);
    }
    if (SFI_LIKELY(settled)) {
      sfi_decode_commit(d);
      continue;
    }
    if (d->status != SF_OK) return d->status;
    sfi_decode_rollback(d, i);
    SF_TRY(add_punt(d, punts, i, err));
  }
  return SF_OK;
}

sf_status sfi_json_decode(sf_decoder *d, const sf_records *records, sf_decoded *out, sf_error *err) {
  memset(out, 0, sizeof *out);
  if (records->n < 0 || records->n > INT32_MAX) return sfi_json_fail(err, SF_INVALID, "json: too many records at once");
  punt_list punts = {0};
  sf_status st = sfi_decode_begin(d, records->n, err);
  if (st == SF_OK) st = decode_rows(d, records, &punts, err);
  if (st == SF_OK) st = sfi_decode_finish(d, records->n, records->buffer, out, err);
  sfi_decode_reset(d);
  if (st != SF_OK) {
    d->host->pool_free(d->pool, punts.rows);
    return st;
  }
  out->n_punts = punts.n;
  out->punt_rows = punts.rows;
  return SF_OK;
}
