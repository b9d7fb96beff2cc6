/* Helpers of the json format's tests. */
#ifndef SF_JSON_SUPPORT_H
#define SF_JSON_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_internal.h"
#include "json_print.h"
#include "json_types.h"

extern const sf_format *sf_format_init(const sf_format_host *host);

#define OK(call)                                                     \
  do {                                                               \
    sf_status ok_status_ = (call);                                   \
    if (ok_status_ != SF_OK) fail_msg("%s: %s", #call, err.message); \
  } while (0)

static int64_t support_live;
static inline int note_live(void **state) {
  (void)state;
  support_live = sf_live_objects();
  return 0;
}
static inline int check_live(void **state) {
  (void)state;
  return sf_live_objects() == support_live ? 0 : 1;
}
#define TEST(function) cmocka_unit_test_setup_teardown(function, note_live, check_live)

/* A codec over one type, with its pool. Options are key, value pairs up to NULL. */
typedef struct codec {
  sf_pool *pool;
  sf_type *type;
  sf_format_spec spec;
  sf_format_option options[8];
  sf_decoder *decoder;
  sf_encoder *encoder;
  sf_decoded decoded;
  sf_buffer *input;
  json_text text;
} codec;

static inline void codec_open_with(codec *c, const char *type, const char *const *options, const sf_format_spec *reads,
                                   bool generic);

static inline void codec_open(codec *c, const char *type, const char *const *options) {
  codec_open_with(c, type, options, NULL, false);
}

static inline void codec_drop_rows(codec *c) {
  for (int32_t i = 0; i < c->decoded.n_columns; i++) sf_column_release(c->decoded.columns[i]);
  sf_pool_free(c->pool, c->decoded.columns);
  sf_pool_free(c->pool, c->decoded.punt_rows);
  memset(&c->decoded, 0, sizeof c->decoded);
  sf_buffer_release(c->input);
  c->input = NULL;
}

static inline void codec_close(codec *c) {
  const sf_format *format = sf_format_init(sf_format_host_table());
  codec_drop_rows(c);
  format->decoder_destroy(c->decoder);
  format->encoder_destroy(c->encoder);
  sf_type_release(c->type);
  sf_pool_release(c->pool);
  free(c->text.data);
}

/* Decodes n records, replacing the rows at hand. NULL records are NULL values. */
static inline void codec_decode(codec *c, const char *const *records, int64_t n) {
  sf_error err = {.message = ""};
  const sf_format *format = sf_format_init(sf_format_host_table());
  int32_t offsets[4096], sizes[4096];
  size_t size = 0;
  codec_drop_rows(c);
  for (int64_t i = 0; i < n; i++) {
    offsets[i] = (int32_t)size;
    sizes[i] = records[i] == NULL ? -1 : (int32_t)strlen(records[i]);
    if (records[i] != NULL) size += strlen(records[i]);
  }
  OK(sf_buffer_create(c->pool, size, &c->input, &err));
  for (int64_t i = 0; i < n; i++) {
    if (records[i] != NULL && sizes[i] > 0) memcpy(sf_buffer_data(c->input) + offsets[i], records[i], (size_t)sizes[i]);
  }
  sf_records in = {c->input, offsets, sizes, n};
  OK(format->decode(c->decoder, &in, &c->decoded, &err));
}

/* Text of row i, or "PUNT". */
static inline const char *codec_row(codec *c, int64_t i) {
  const char *row = print_row(&c->text, c->decoded.columns, c->decoded.n_columns, i);
  for (int64_t k = 0; k < c->decoded.n_punts; k++) {
    if (c->decoded.punt_rows[k] == i) return "PUNT";
  }
  return row;
}

/* The text of a record decoded alone. */
static inline const char *codec_one(codec *c, const char *record) {
  codec_decode(c, &record, 1);
  return codec_row(c, 0);
}

/* Encodes the rows at hand; the text of row i ("PUNT" for punts) goes to `rows`, which the caller frees one by one. */
static inline void codec_encode(codec *c, char **rows) {
  sf_error err = {.message = ""};
  const sf_format *format = sf_format_init(sf_format_host_table());
  sf_encoded out;
  OK(format->encode(c->encoder, (const sf_column *const *)c->decoded.columns, c->decoded.n_rows, &out, &err));
  for (int64_t i = 0; i < c->decoded.n_rows; i++) {
    size_t size = (size_t)(out.offsets[i + 1] - out.offsets[i]);
    rows[i] = calloc(size + 5, 1);
    assert_non_null(rows[i]);
    memcpy(rows[i], sf_buffer_data(out.data) + out.offsets[i], size);
  }
  for (int64_t k = 0; k < out.n_punts; k++) {
    assert_string_equal("", rows[out.punt_rows[k]]);
    strcpy(rows[out.punt_rows[k]], "PUNT");
  }
  sf_buffer_release(out.data);
  sf_pool_free(c->pool, out.offsets);
  sf_pool_free(c->pool, out.punt_rows);
}

#include "decode_internal.h"

static inline void codec_open_with(codec *c, const char *type, const char *const *options, const sf_format_spec *reads,
                                   bool generic) {
  sf_error err = {.message = ""};
  memset(c, 0, sizeof *c);
  OK(sf_pool_create("json", -1, NULL, &c->pool, &err));
  c->type = json_type_of(type);
  assert_non_null(c->type);
  if (reads != NULL) c->spec = *reads;
  c->spec.row_type = c->type;
  for (; options != NULL && options[c->spec.n_options * 2] != NULL; c->spec.n_options++) {
    int32_t i = c->spec.n_options;
    c->options[i] = (sf_format_option){options[i * 2], options[i * 2 + 1]};
  }
  c->spec.options = c->options;
  const sf_format *format = sf_format_init(sf_format_host_table());
  OK(format->decoder_create(sf_format_host_table(), c->pool, &c->spec, &c->decoder, &err));
  OK(format->encoder_create(sf_format_host_table(), c->pool, &c->spec, &c->encoder, &err));
  if (generic) c->decoder->decode_record = sfi_decode_record_generic;
}

#endif
