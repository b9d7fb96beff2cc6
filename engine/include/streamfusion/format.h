/* The format ABI. A format is its own shared library that links nothing of the engine: it exports one symbol,
 * sf_format_init, and gets the engine's functions in a table. Both tables are append-only; `abi_version` rises when a
 * meaning changes, and either side may refuse, which is an ordinary fallback for the planner. */
#ifndef STREAMFUSION_FORMAT_H
#define STREAMFUSION_FORMAT_H

#include "streamfusion/column.h"
#include "streamfusion/java_number.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SF_FORMAT_ABI_VERSION 1

/* What the engine offers to a format. */
typedef struct sf_format_host {
  uint32_t abi_version;
  uint32_t size; /* of this struct, for appended members */
  sf_status (*pool_alloc)(sf_pool *pool, size_t size, void **out, sf_error *err);
  sf_status (*pool_realloc)(sf_pool *pool, void *old, size_t size, void **out, sf_error *err);
  void (*pool_free)(sf_pool *pool, void *ptr);
  void (*live_add)(int64_t delta);
  sf_status (*buffer_create)(sf_pool *pool, size_t size, sf_buffer **out, sf_error *err);
  sf_status (*buffer_resize)(sf_buffer **buffer, size_t size, sf_error *err);
  sf_buffer *(*buffer_retain)(sf_buffer *buffer);
  void (*buffer_release)(sf_buffer *buffer);
  uint8_t *(*buffer_data)(const sf_buffer *buffer);
  size_t (*buffer_size)(const sf_buffer *buffer);
  sf_status (*column_create)(const sf_column_spec *spec, sf_column **out, sf_error *err);
  sf_status (*column_create_null)(sf_pool *pool, const sf_type *type, int64_t length, sf_column **out, sf_error *err);
  void (*column_release)(sf_column *column);
  sf_pool *(*pool_retain)(sf_pool *pool);
  void (*pool_release)(sf_pool *pool);
  sf_type *(*type_retain)(const sf_type *type);
  void (*type_release)(const sf_type *type);
  /* java_number.h */
  size_t (*double_text)(double value, bool legacy, char *buf);
  size_t (*float_text)(float value, bool legacy, char *buf);
  size_t (*decimal_text)(__int128 unscaled, int32_t scale, bool plain, char *buf);
  bool (*parse_double)(const uint8_t *text, size_t size, double *out);
  bool (*parse_float)(const uint8_t *text, size_t size, float *out);
  sf_decimal_parse (*parse_decimal)(const uint8_t *text, size_t size, int32_t precision, int32_t scale, __int128 *out);
} sf_format_host;

typedef struct sf_format_option {
  const char *key;
  const char *value;
} sf_format_option;

/* Parsed streamfusion.plan.Format; borrowed during create. */
typedef struct sf_format_spec {
  const sf_type *row_type;          /* ROW of all physical fields */
  const bool *read;                 /* per top-level field; NULL: all */
  int32_t n_paths;                  /* nested narrowing: each path a list of field indices from the top */
  const int32_t *const *paths;
  const int32_t *path_lengths;
  int32_t n_options;
  const sf_format_option *options;
  bool double_to_string_legacy;     /* JDK <= 18 */
  int32_t n_transitions;            /* session zone, see plan.proto Zone */
  int32_t zone_initial_offset;
  const int64_t *zone_transitions;
  const int32_t *zone_offsets;
} sf_format_spec;

typedef struct sf_decoder sf_decoder;
typedef struct sf_encoder sf_encoder;

/* Input records: record i is data[offset[i] .. offset[i]+size[i]); size < 0 is a NULL value (Kafka tombstone). The buffer
 * has 64 readable bytes of slack behind its end. Decoders may keep references to it (views): they retain it. */
typedef struct sf_records {
  sf_buffer *buffer;
  const int32_t *offsets;
  const int32_t *sizes;
  int64_t n;
} sf_records;

/* Result of one decode call. A record that the format does not settle natively (malformed, or rare enough that the host's
 * own deserializer shall decide: value, skip or exception) is a punt: its row is present in the columns as all NULL, and
 * its record index is listed. The connector runs the host's deserializer on it, then puts in the row, drops it, or fails. */
typedef struct sf_decoded {
  int64_t n_rows;
  int32_t n_columns;
  sf_column **columns;        /* one per top-level field, owned by the caller afterwards (array too: pool_free) */
  int32_t *row_record;        /* per row the record that it came from; NULL: row i is record i. pool_free */
  int64_t n_punts;
  int32_t *punt_rows;         /* ascending rows; pool_free; NULL when none */
} sf_decoded;

/* Output of encode: the text of row i is data[offsets[i] .. offsets[i+1]). Rows that the format does not settle natively
 * are punted: empty range, listed in punt_rows. */
typedef struct sf_encoded {
  sf_buffer *data;            /* owned by the caller afterwards */
  int64_t *offsets;           /* n+1; pool_free */
  int64_t n_punts;
  int32_t *punt_rows;         /* pool_free; NULL when none */
} sf_encoded;

typedef struct sf_format {
  uint32_t abi_version;
  uint32_t size;
  const char *name;
  /* SF_UNSUPPORTED with a reason: the planner falls back. pool is retained by the codec. Single-threaded codecs. */
  sf_status (*decoder_create)(const sf_format_host *host, sf_pool *pool, const sf_format_spec *spec, sf_decoder **out,
                              sf_error *err);
  sf_status (*decode)(sf_decoder *decoder, const sf_records *records, sf_decoded *out, sf_error *err);
  void (*decoder_destroy)(sf_decoder *decoder);
  sf_status (*encoder_create)(const sf_format_host *host, sf_pool *pool, const sf_format_spec *spec, sf_encoder **out,
                              sf_error *err);
  /* Encodes rows [0, n) of the columns (one per top-level field; never const). */
  sf_status (*encode)(sf_encoder *encoder, const sf_column *const *columns, int64_t n, sf_encoded *out, sf_error *err);
  void (*encoder_destroy)(sf_encoder *encoder);
} sf_format;

/* Exported by every format library. Returns NULL when it does not speak host->abi_version. Static storage. */
typedef const sf_format *(*sf_format_init_fn)(const sf_format_host *host);
#define SF_FORMAT_INIT_SYMBOL "sf_format_init"

/* Engine side: the table for format libraries. Static storage. */
SF_EXPORT const sf_format_host *sf_format_host_table(void);
/* Engine side: decodes and verifies a serialized streamfusion.plan.Format. */
SF_EXPORT SF_MUST_CHECK sf_status sf_format_spec_decode(const uint8_t *bytes, size_t size, const sf_format_spec **out,
                                                        sf_error *err);
/* Name of the format in a spec made by sf_format_spec_decode; borrowed from it. */
SF_EXPORT const char *sf_format_spec_name(const sf_format_spec *spec);
SF_EXPORT void sf_format_spec_destroy(const sf_format_spec *spec); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
