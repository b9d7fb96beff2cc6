/* Nanoseconds per record of decoding and encoding the public Nexmark shape: json_bench [rounds]. A round takes all batches,
 * which are too many for caches and branch predictors to learn by heart; the best round counts. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "../src/json_internal.h"
#include "../test/json_types.h"

#define RECORDS 4096
#define BATCHES 32
#define CHECK(call)                                                     \
  do {                                                                  \
    if ((call) != SF_OK) {                                              \
      fprintf(stderr, "%s: %s\n", #call, err.message);                  \
      exit(1);                                                          \
    }                                                                   \
  } while (0)

extern const sf_format *sf_format_init(const sf_format_host *host);

static uint64_t seed = 42;
static uint32_t below(uint32_t n) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)((seed >> 33) % n);
}

static const char *letters(char *buf, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) buf[i] = (char)('a' + below(26));
  buf[n] = 0;
  return buf;
}

static int event(char *to, int64_t i) {
  char a[600], b[600], c[600];
  int ms = (int)(i / 10), sec = ms / 1000 % 60, minute = ms / 60000 % 60;
  char at[32];
  snprintf(at, sizeof at, "2025-01-01 00:%02d:%02d.%03d", minute, sec, ms % 1000);
  int kind = (int)(i % 50);
  if (kind == 0) {
    return sprintf(to,
                   "{\"event_type\":0,\"person\":{\"id\":%u,\"name\":\"%s\",\"emailAddress\":\"%s@%s.com\","
                   "\"creditCard\":\"1234 5678 9012 3456\",\"city\":\"Phoenix\",\"state\":\"AZ\",\"dateTime\":\"%s\","
                   "\"extra\":\"%s\"},\"auction\":null,\"bid\":null}",
                   1000 + below(100000), letters(a, 10), letters(b, 7), "mail", at, letters(c, 60));
  }
  if (kind < 4) {
    return sprintf(to,
                   "{\"event_type\":1,\"person\":null,\"auction\":{\"id\":%u,\"itemName\":\"%s\",\"description\":\"%s\","
                   "\"initialBid\":%u,\"reserve\":%u,\"dateTime\":\"%s\",\"expires\":\"%s\",\"seller\":%u,"
                   "\"category\":%u,\"extra\":\"%s\"},\"bid\":null}",
                   1000 + below(100000), letters(a, 3 + below(17)), letters(b, 3 + below(97)), below(10000000),
                   below(10000000), at, at, 1000 + below(10000), 10 + below(5), letters(c, 300));
  }
  char channel[32], url[2048];
  if (below(2) == 0) {
    snprintf(channel, sizeof channel, "Google");
    snprintf(url, sizeof url, "https://www.nexmark.com/googl/%s/item.htm?query=1", letters(a, 5));
  } else {
    uint32_t number = below(10000);
    snprintf(channel, sizeof channel, "channel-%u", number);
    snprintf(url, sizeof url, "https://www.nexmark.com/%s/%s/%s/item.htm?query=1&channel_id=%u", letters(a, 5),
             letters(b, 4), letters(c, 5), number * 1000);
  }
  return sprintf(to,
                 "{\"event_type\":2,\"person\":null,\"auction\":null,\"bid\":{\"auction\":%u,\"bidder\":%u,\"price\":%u,"
                 "\"channel\":\"%s\",\"url\":\"%s\",\"dateTime\":\"%s\",\"extra\":\"%s\"}}",
                 1000 + below(100000), 1000 + below(10000), 100 + below(1000) * (1 + below(100000)), channel, url, at,
                 letters(a, 40 + below(60)));
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void release_decoded(const sf_format_host *host, sf_pool *pool, sf_decoded *decoded) {
  for (int32_t i = 0; i < decoded->n_columns; i++) host->column_release(decoded->columns[i]);
  host->pool_free(pool, decoded->columns);
  host->pool_free(pool, decoded->punt_rows);
}

static void bench_decode(const char *name, const sf_format *format, sf_pool *pool, const sf_format_spec *spec,
                         const sf_records *batches, size_t bytes, int rounds) {
  const sf_format_host *host = sf_format_host_table();
  sf_error err;
  sf_decoder *decoder = NULL;
  CHECK(format->decoder_create(host, pool, spec, &decoder, &err));
  double best = 1e18;
  int64_t punts = 0;
  for (int i = 0; i < rounds; i++) {
    double start = now();
    punts = 0;
    for (int k = 0; k < BATCHES; k++) {
      sf_decoded decoded;
      CHECK(format->decode(decoder, &batches[k], &decoded, &err));
      punts += decoded.n_punts;
      release_decoded(host, pool, &decoded);
    }
    double took = now() - start;
    if (took < best) best = took;
  }
  format->decoder_destroy(decoder);
  printf("decode %-10s %7.1f ns/record %6.2f GB/s %" PRId64 " punts\n", name, best / (RECORDS * BATCHES),
         (double)bytes / best, punts);
}

static void bench_encode(const sf_format *format, sf_pool *pool, const sf_format_spec *spec, const sf_records *batches,
                         int rounds) {
  const sf_format_host *host = sf_format_host_table();
  sf_error err;
  sf_decoder *decoder = NULL;
  sf_encoder *encoder = NULL;
  static sf_decoded decoded[BATCHES];
  CHECK(format->decoder_create(host, pool, spec, &decoder, &err));
  for (int k = 0; k < BATCHES; k++) CHECK(format->decode(decoder, &batches[k], &decoded[k], &err));
  CHECK(format->encoder_create(host, pool, spec, &encoder, &err));
  double best = 1e18;
  int64_t bytes = 0;
  for (int i = 0; i < rounds; i++) {
    double start = now();
    bytes = 0;
    for (int k = 0; k < BATCHES; k++) {
      sf_encoded encoded;
      CHECK(format->encode(encoder, (const sf_column *const *)decoded[k].columns, RECORDS, &encoded, &err));
      bytes += encoded.offsets[RECORDS];
      host->buffer_release(encoded.data);
      host->pool_free(pool, encoded.offsets);
      host->pool_free(pool, encoded.punt_rows);
    }
    double took = now() - start;
    if (took < best) best = took;
  }
  printf("encode            %7.1f ns/record %6.2f GB/s\n", best / (RECORDS * BATCHES), (double)bytes / best);
  for (int k = 0; k < BATCHES; k++) release_decoded(host, pool, &decoded[k]);
  format->decoder_destroy(decoder);
  format->encoder_destroy(encoder);
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 10;
  const sf_format_host *host = sf_format_host_table();
  const sf_format *format = sf_format_init(host);
  sf_error err;
  sf_pool *pool = NULL;
  CHECK(sf_pool_create("bench", -1, NULL, &pool, &err));
  static int32_t offsets[BATCHES][RECORDS], sizes[BATCHES][RECORDS];
  static sf_records records[BATCHES];
  size_t bytes = 0;
  for (int32_t k = 0; k < BATCHES; k++) {
    sf_buffer *buffer = NULL;
    CHECK(sf_buffer_create(pool, RECORDS * 1200, &buffer, &err));
    char *data = (char *)sf_buffer_data(buffer);
    int32_t at = 0;
    for (int32_t i = 0; i < RECORDS; i++) {
      offsets[k][i] = at;
      at += sizes[k][i] = event(data + at, k * RECORDS + i);
    }
    bytes += (size_t)at;
    records[k] = (sf_records){buffer, offsets[k], sizes[k], RECORDS};
  }
  sf_type *type = json_type_of(NEXMARK_TYPE);
  printf("%d records, %.1f bytes on average\n", RECORDS * BATCHES, (double)bytes / (RECORDS * BATCHES));

  /* q0: five fields of the bid, and what the rowtime is made of. */
  static const int32_t q0[][2] = {{1, 6}, {2, 5}, {3, 0}, {3, 1}, {3, 2}, {3, 5}, {3, 6}};
  static const int32_t event_type[] = {0};
  const int32_t *paths[8] = {event_type};
  int32_t lengths[8] = {1, 2, 2, 2, 2, 2, 2, 2};
  for (int i = 0; i < 7; i++) paths[i + 1] = q0[i];
  sf_format_spec all = {.row_type = type};
  sf_format_spec narrow = {.row_type = type, .n_paths = 8, .paths = paths, .path_lengths = lengths};
  const bool read[4] = {true, false, false, false};
  sf_format_spec check = {.row_type = type, .read = read};
  bench_decode("all", format, pool, &all, records, bytes, rounds);
  bench_decode("q0", format, pool, &narrow, records, bytes, rounds);
  bench_decode("check only", format, pool, &check, records, bytes, rounds);
  bench_encode(format, pool, &all, records, rounds);
  sf_type_release(type);
  for (int k = 0; k < BATCHES; k++) sf_buffer_release(records[k].buffer);
  sf_pool_release(pool);
  return 0;
}
