/* Decoder under libFuzzer: any bytes as records of several types, both inner loops; their rows must agree, and rows that
 * were settled must encode and decode to themselves. */
#include "../test/json_print.h"
#include "../test/json_types.h"
#include "decode_internal.h"

extern const sf_format *sf_format_init(const sf_format_host *host);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const TYPES[] = {
    "r(a:i8,b:s,c:r(x:f8,y:T3,z:D20.4),d:a(i4),e:m(s,a(s)))",
    "r(a:i1,b:i2,c:i4,d:f4,e:b,f:y,g:d,h:t,i:L9,j:u(s),k:n,l:D5.2)",
    NEXMARK_TYPE,
};

#define REQUIRE(condition)     \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

/* Records are the input's lines. */
static int64_t split(const uint8_t *data, size_t size, int32_t *offsets, int32_t *sizes, int64_t max) {
  int64_t n = 0;
  size_t start = 0;
  for (size_t i = 0; i <= size && n < max; i++) {
    if (i < size && data[i] != '\n') continue;
    offsets[n] = (int32_t)start;
    sizes[n++] = (int32_t)(i - start);
    start = i + 1;
  }
  return n;
}

static sf_decoded decode(sf_pool *pool, const sf_format_spec *spec, const sf_records *records, bool generic) {
  const sf_format *format = sf_format_init(sf_format_host_table());
  sf_decoder *decoder = NULL;
  sf_decoded out;
  REQUIRE(format->decoder_create(sf_format_host_table(), pool, spec, &decoder, NULL) == SF_OK);
  if (generic) decoder->decode_record = sfi_decode_record_generic;
  REQUIRE(format->decode(decoder, records, &out, NULL) == SF_OK);
  format->decoder_destroy(decoder);
  return out;
}

static void release(sf_pool *pool, sf_decoded *decoded) {
  for (int32_t i = 0; i < decoded->n_columns; i++) sf_column_release(decoded->columns[i]);
  sf_pool_free(pool, decoded->columns);
  sf_pool_free(pool, decoded->punt_rows);
}

/* Same punts; same rows. */
static void compare(const sf_decoded *a, const sf_decoded *b) {
  json_text left = {0}, right = {0};
  REQUIRE(a->n_rows == b->n_rows && a->n_punts == b->n_punts);
  for (int64_t i = 0; i < a->n_punts; i++) REQUIRE(a->punt_rows[i] == b->punt_rows[i]);
  for (int64_t i = 0; i < a->n_rows; i++) {
    REQUIRE(strcmp(print_row(&left, a->columns, a->n_columns, i), print_row(&right, b->columns, b->n_columns, i)) == 0);
  }
  free(left.data);
  free(right.data);
}

/* What has been settled survives writing and reading. */
static void round_trip(sf_pool *pool, const sf_format_spec *spec, const sf_decoded *rows) {
  const sf_format *format = sf_format_init(sf_format_host_table());
  sf_encoder *encoder = NULL;
  sf_encoded text;
  REQUIRE(format->encoder_create(sf_format_host_table(), pool, spec, &encoder, NULL) == SF_OK);
  REQUIRE(format->encode(encoder, (const sf_column *const *)rows->columns, rows->n_rows, &text, NULL) == SF_OK);
  format->encoder_destroy(encoder);
  REQUIRE(text.n_punts == 0);
  int32_t offsets[64], sizes[64];
  for (int64_t i = 0; i < rows->n_rows; i++) {
    offsets[i] = (int32_t)text.offsets[i];
    sizes[i] = (int32_t)(text.offsets[i + 1] - text.offsets[i]);
  }
  sf_records records = {text.data, offsets, sizes, rows->n_rows};
  sf_decoded again = decode(pool, spec, &records, false);
  sf_decoded settled = *rows;
  settled.n_punts = 0;
  compare(&settled, &again);
  release(pool, &again);
  sf_buffer_release(text.data);
  sf_pool_free(pool, text.offsets);
  sf_pool_free(pool, text.punt_rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  uint8_t choice = *data++;
  size--;
  int64_t live = sf_live_objects();
  sf_pool *pool = NULL;
  sf_buffer *input = NULL;
  REQUIRE(sf_pool_create("fuzz", -1, NULL, &pool, NULL) == SF_OK);
  REQUIRE(sf_buffer_create(pool, size, &input, NULL) == SF_OK);
  memcpy(sf_buffer_data(input), data, size);
  int32_t offsets[64], sizes[64];
  sf_records records = {input, offsets, sizes, split(data, size, offsets, sizes, 64)};
  sf_type *type = json_type_of(TYPES[choice % 3]);
  sf_format_option options[2] = {{"decode.json-parser.enabled", (choice & 64) != 0 ? "false" : "true"},
                                 {"timestamp-format.standard", (choice & 128) != 0 ? "ISO-8601" : "SQL"}};
  sf_format_spec spec = {.row_type = type, .n_options = 2, .options = options};
  sf_decoded fast = decode(pool, &spec, &records, false), generic = decode(pool, &spec, &records, true);
  compare(&fast, &generic);
  round_trip(pool, &spec, &fast);
  release(pool, &fast);
  release(pool, &generic);
  sf_type_release(type);
  sf_buffer_release(input);
  sf_pool_release(pool);
  REQUIRE(sf_live_objects() == live);
  return 0;
}
