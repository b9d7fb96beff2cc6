/* Encoder under libFuzzer: arbitrary bytes as strings and raw values of every type; whatever is written without a punt must
 * be one line of JSON that the decoder accepts. */
#include "../test/json_types.h"
#include "json_internal.h"
#include "streamfusion/builder.h"

extern const sf_format *sf_format_init(const sf_format_host *host);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)     \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

typedef struct reader {
  const uint8_t *at;
  size_t left;
} reader;

static uint64_t take(reader *r, size_t size) {
  uint64_t value = 0;
  if (size > r->left) size = r->left;
  memcpy(&value, r->at, size);
  r->at += size;
  r->left -= size;
  return value;
}

static void append(sf_column_builder *b, const sf_type *type, reader *r);

static void append_nested(sf_column_builder *b, const sf_type *type, reader *r) {
  int64_t rounds = type->kind == SF_TYPE_ROW ? 1 : (int64_t)(take(r, 1) % 4);
  for (int64_t i = 0; i < rounds; i++) {
    for (int32_t k = 0; k < type->n_children; k++) append(sf_column_builder_child(b, k), type->children[k], r);
  }
  REQUIRE(sf_column_builder_end(b, NULL) == SF_OK);
}

static void append(sf_column_builder *b, const sf_type *type, reader *r) {
  if (take(r, 1) % 8 == 0) {
    REQUIRE(sf_column_builder_null(b, NULL) == SF_OK);
    return;
  }
  double number;
  uint64_t bits;
  size_t size;
  switch (type->layout) {
    case SF_LAYOUT_VIEW:
      size = take(r, 1) % 80;
      if (size > r->left) size = r->left;
      REQUIRE(sf_column_builder_bytes(b, r->at, size, NULL) == SF_OK);
      r->at += size;
      r->left -= size;
      return;
    case SF_LAYOUT_BOOL: REQUIRE(sf_column_builder_int(b, (int64_t)(take(r, 1) & 1), NULL) == SF_OK); return;
    case SF_LAYOUT_INT8: REQUIRE(sf_column_builder_int(b, (int8_t)take(r, 1), NULL) == SF_OK); return;
    case SF_LAYOUT_INT16: REQUIRE(sf_column_builder_int(b, (int16_t)take(r, 2), NULL) == SF_OK); return;
    case SF_LAYOUT_INT32:
      bits = take(r, 4);
      if (type->kind == SF_TYPE_DATE) bits %= 2932896;
      if (type->kind == SF_TYPE_TIME) bits %= 86400000;
      REQUIRE(sf_column_builder_int(b, (int32_t)bits, NULL) == SF_OK);
      return;
    case SF_LAYOUT_INT64:
      bits = take(r, 8);
      if (type->kind == SF_TYPE_DECIMAL) bits = bits % 2000000 - 1000000;
      if (type->kind == SF_TYPE_TIMESTAMP) {
        bits %= UINT64_C(253402300800000); /* the decoder leaves years of five digits to the host */
        REQUIRE(sf_column_builder_timestamp(b, (int64_t)bits, 0, NULL) == SF_OK);
      } else {
        REQUIRE(sf_column_builder_int(b, (int64_t)bits, NULL) == SF_OK);
      }
      return;
    case SF_LAYOUT_INT128: REQUIRE(sf_column_builder_int128(b, (int64_t)take(r, 8), NULL) == SF_OK); return;
    case SF_LAYOUT_FLOAT:
    case SF_LAYOUT_DOUBLE:
      bits = take(r, 8);
      memcpy(&number, &bits, 8);
      if (type->layout == SF_LAYOUT_FLOAT) number = (double)(float)(int64_t)bits;
      REQUIRE(sf_column_builder_double(b, number, NULL) == SF_OK);
      return;
    case SF_LAYOUT_TIMESTAMP:
      bits = take(r, 8) % UINT64_C(253402300800000);
      REQUIRE(sf_column_builder_timestamp(b, (int64_t)bits, (int32_t)(take(r, 4) % 1000000), NULL) == SF_OK);
      return;
    case SF_LAYOUT_ROW:
    case SF_LAYOUT_LIST:
    case SF_LAYOUT_MAP: append_nested(b, type, r); return;
    case SF_LAYOUT_NULL: REQUIRE(sf_column_builder_null(b, NULL) == SF_OK); return;
  }
}

static bool contains(const uint8_t *data, size_t size, const char *word) {
  for (size_t i = 0; i + strlen(word) <= size; i++) {
    if (memcmp(data + i, word, strlen(word)) == 0) return true;
  }
  return false;
}

/* The text must be one record that the decoder settles; only words for numbers that are not finite are for the host. That
 * values come back equal is for the parity tests. */
static void decodes(sf_pool *pool, const sf_format_spec *spec, const sf_encoded *text) {
  const sf_format *format = sf_format_init(sf_format_host_table());
  const uint8_t *data = sf_buffer_data(text->data);
  size_t size = (size_t)text->offsets[1];
  for (size_t i = 0; i < size; i++) REQUIRE(data[i] >= 0x20);
  int32_t offset = 0, length = (int32_t)size;
  sf_records records = {text->data, &offset, &length, 1};
  sf_decoder *decoder = NULL;
  sf_decoded out;
  REQUIRE(format->decoder_create(sf_format_host_table(), pool, spec, &decoder, NULL) == SF_OK);
  REQUIRE(format->decode(decoder, &records, &out, NULL) == SF_OK);
  bool finite = !contains(data, size, "\"NaN\"") && !contains(data, size, "Infinity\"");
  REQUIRE(out.n_rows == 1 && out.n_punts <= (finite ? 0 : 1));
  format->decoder_destroy(decoder);
  for (int32_t i = 0; i < out.n_columns; i++) sf_column_release(out.columns[i]);
  sf_pool_free(pool, out.columns);
  sf_pool_free(pool, out.punt_rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const sf_format *format = sf_format_init(sf_format_host_table());
  reader r = {data, size};
  uint64_t choice = take(&r, 1);
  int64_t live = sf_live_objects();
  sf_pool *pool = NULL;
  REQUIRE(sf_pool_create("fuzz", -1, NULL, &pool, NULL) == SF_OK);
  sf_type *type = json_type_of("r(a:s,b:i8,c:f8,d:f4,e:D6.3,f:D30.9,g:T3,h:T9,i:d,j:t,k:y,l:b,m:m(s,r(x:i1,y:a(i2))),n:n)");
  sf_format_option options[4] = {{"map-null-key.mode", (choice & 1) != 0 ? "LITERAL" : "DROP"},
                                 {"encode.ignore-null-fields", (choice & 2) != 0 ? "true" : "false"},
                                 {"encode.decimal-as-plain-number", (choice & 4) != 0 ? "true" : "false"},
                                 {"timestamp-format.standard", (choice & 8) != 0 ? "ISO-8601" : "SQL"}};
  sf_format_spec spec = {.row_type = type, .n_options = 4, .options = options, .double_to_string_legacy = (choice & 16) != 0};
  sf_column *columns[16];
  for (int32_t i = 0; i < type->n_children; i++) {
    sf_column_builder *b = NULL;
    REQUIRE(sf_column_builder_create(pool, type->children[i], &b, NULL) == SF_OK);
    append(b, type->children[i], &r);
    REQUIRE(sf_column_builder_finish(b, &columns[i], NULL) == SF_OK);
    sf_column_builder_destroy(b);
  }
  sf_encoder *encoder = NULL;
  sf_encoded text;
  REQUIRE(format->encoder_create(sf_format_host_table(), pool, &spec, &encoder, NULL) == SF_OK);
  REQUIRE(format->encode(encoder, (const sf_column *const *)columns, 1, &text, NULL) == SF_OK);
  if (text.n_punts == 0) decodes(pool, &spec, &text);
  format->encoder_destroy(encoder);
  sf_buffer_release(text.data);
  sf_pool_free(pool, text.offsets);
  sf_pool_free(pool, text.punt_rows);
  for (int32_t i = 0; i < type->n_children; i++) sf_column_release(columns[i]);
  sf_type_release(type);
  sf_pool_release(pool);
  REQUIRE(sf_live_objects() == live);
  return 0;
}
