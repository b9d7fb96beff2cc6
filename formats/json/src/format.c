/* The library's entry point and its options. */
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "json_internal.h"

sf_status sfi_json_fail(sf_error *err, sf_status status, const char *fmt, ...) {
  if (err != NULL) {
    err->status = status;
    err->row = -1;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
  }
  return status;
}

static bool parse_bool(const char *text, bool *out) {
  if (strcasecmp(text, "true") == 0) {
    *out = true;
  } else if (strcasecmp(text, "false") == 0) {
    *out = false;
  } else {
    return false;
  }
  return true;
}

static bool parse_null_key_mode(const char *text, sfi_map_null_key *out) {
  if (strcasecmp(text, "FAIL") == 0) {
    *out = SFI_NULL_KEY_FAIL;
  } else if (strcasecmp(text, "DROP") == 0) {
    *out = SFI_NULL_KEY_DROP;
  } else if (strcasecmp(text, "LITERAL") == 0) {
    *out = SFI_NULL_KEY_LITERAL;
  } else {
    return false;
  }
  return true;
}

static bool read_option(const sf_format_option *option, sfi_json_options *out, bool *known) {
  const char *key = option->key, *value = option->value;
  *known = true;
  if (strcmp(key, "fail-on-missing-field") == 0) return parse_bool(value, &out->fail_on_missing_field);
  if (strcmp(key, "ignore-parse-errors") == 0) return parse_bool(value, &out->ignore_parse_errors);
  if (strcmp(key, "encode.decimal-as-plain-number") == 0) return parse_bool(value, &out->plain_decimals);
  if (strcmp(key, "encode.ignore-null-fields") == 0) return parse_bool(value, &out->ignore_null_fields);
  if (strcmp(key, "map-null-key.mode") == 0) return parse_null_key_mode(value, &out->map_null_key);
  if (strcmp(key, "map-null-key.literal") == 0) {
    out->map_null_literal = value;
    return true;
  }
  if (strcmp(key, "timestamp-format.standard") == 0) {
    out->iso_timestamps = strcmp(value, "ISO-8601") == 0;
    return out->iso_timestamps || strcmp(value, "SQL") == 0;
  }
  if (strcmp(key, "decode.json-parser.enabled") == 0) {
    bool parser;
    if (!parse_bool(value, &parser)) return false;
    out->tree = !parser;
    return true;
  }
  *known = false;
  return false;
}

sf_status sfi_json_options_read(const sf_format_spec *spec, sfi_json_options *out, sf_error *err) {
  *out = (sfi_json_options){.map_null_literal = "null"};
  for (int32_t i = 0; i < spec->n_options; i++) {
    const sf_format_option *option = &spec->options[i];
    bool known;
    if (read_option(option, out, &known)) continue;
    if (known) {
      return sfi_json_fail(err, SF_UNSUPPORTED, "json: option '%s' has the unknown value '%s'", option->key, option->value);
    }
    return sfi_json_fail(err, SF_UNSUPPORTED, "json: option '%s' is not known", option->key);
  }
  if (out->fail_on_missing_field && out->ignore_parse_errors) {
    return sfi_json_fail(err, SF_INVALID, "json: fail-on-missing-field and ignore-parse-errors cannot both be true");
  }
  return SF_OK;
}

static const sf_format FORMAT = {
    .abi_version = SF_FORMAT_ABI_VERSION,
    .size = sizeof(sf_format),
    .name = "json",
    .decoder_create = sfi_json_decoder_create,
    .decode = sfi_json_decode,
    .decoder_destroy = sfi_json_decoder_destroy,
    .encoder_create = sfi_json_encoder_create,
    .encode = sfi_json_encode,
    .encoder_destroy = sfi_json_encoder_destroy,
};

SF_EXPORT const sf_format *sf_format_init(const sf_format_host *host);

const sf_format *sf_format_init(const sf_format_host *host) {
  if (host == NULL || host->abi_version != SF_FORMAT_ABI_VERSION || host->size < sizeof(sf_format_host)) return NULL;
  return &FORMAT;
}
