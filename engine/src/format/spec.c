/* From a serialized streamfusion.plan.Format to the struct that format libraries read. */
#include <limits.h>
#include <stdlib.h>

#include "base/wire.h"
#include "plan.pb-c.h"
#include "streamfusion/format.h"

/* The spec points into the unpacked message, which therefore lives as long; first, so that a spec is a decoded_spec. */
typedef struct decoded_spec {
  sf_format_spec spec;
  Streamfusion__Plan__Format *message;
  sf_type *row_type;
  bool *read;
  const int32_t **paths;
  int32_t *path_lengths;
  sf_format_option *options;
} decoded_spec;

static sf_status decode_type(const Streamfusion__Plan__Format *message, sf_type **out, sf_error *err) {
  if (message->row_type == NULL) return sf_fail(err, SF_INVALID, "Format %s has no row type", message->name);
  size_t size = streamfusion__plan__type__get_packed_size(message->row_type);
  uint8_t *bytes = malloc(size + 1);
  if (bytes == NULL) return sf_fail(err, SF_NOMEM, "No memory for the row type of format %s", message->name);
  streamfusion__plan__type__pack(message->row_type, bytes);
  sf_status st = sf_type_decode(bytes, size, out, err);
  free(bytes);
  if (st == SF_OK && (*out)->kind != SF_TYPE_ROW) {
    return sf_fail(err, SF_INVALID, "Format %s needs a ROW type", message->name);
  }
  return st;
}

static sf_status fill_read(decoded_spec *d, sf_error *err) {
  const Streamfusion__Plan__Format *message = d->message;
  if (message->n_read == 0) return SF_OK;
  if (message->n_read != (size_t)d->row_type->n_children) {
    return sf_fail(err, SF_INVALID, "Format %s: %zu read flags for %d fields", message->name, message->n_read,
                   d->row_type->n_children);
  }
  d->read = malloc(message->n_read * sizeof *d->read);
  if (d->read == NULL) return sf_fail(err, SF_NOMEM, "No memory for format %s", message->name);
  for (size_t i = 0; i < message->n_read; i++) d->read[i] = message->read[i] != 0;
  d->spec.read = d->read;
  return SF_OK;
}

/* A path must lead through rows. */
static sf_status check_path(const sf_type *type, const Streamfusion__Plan__ReadPath *path, const char *name,
                            sf_error *err) {
  for (size_t i = 0; i < path->n_indices; i++) {
    if (type->kind != SF_TYPE_ROW || path->indices[i] < 0 || path->indices[i] >= type->n_children) {
      return sf_fail(err, SF_INVALID, "Format %s: a read path leads outside of the row type", name);
    }
    type = type->children[path->indices[i]];
  }
  return SF_OK;
}

static sf_status fill_paths(decoded_spec *d, sf_error *err) {
  const Streamfusion__Plan__Format *message = d->message;
  size_t n = message->n_paths;
  if (n == 0) return SF_OK;
  d->paths = malloc(n * sizeof *d->paths);
  d->path_lengths = malloc(n * sizeof *d->path_lengths);
  if (d->paths == NULL || d->path_lengths == NULL || n > INT32_MAX) {
    return sf_fail(err, SF_NOMEM, "No memory for format %s", message->name);
  }
  for (size_t i = 0; i < n; i++) {
    SF_TRY(check_path(d->row_type, message->paths[i], message->name, err));
    d->paths[i] = message->paths[i]->indices;
    d->path_lengths[i] = (int32_t)message->paths[i]->n_indices;
  }
  d->spec.n_paths = (int32_t)n;
  d->spec.paths = d->paths;
  d->spec.path_lengths = d->path_lengths;
  return SF_OK;
}

static sf_status fill_options(decoded_spec *d, sf_error *err) {
  const Streamfusion__Plan__Format *message = d->message;
  size_t n = message->n_options;
  d->options = malloc((n + 1) * sizeof *d->options);
  if (d->options == NULL || n > INT32_MAX) return sf_fail(err, SF_NOMEM, "No memory for format %s", message->name);
  for (size_t i = 0; i < n; i++) {
    d->options[i] = (sf_format_option){message->options[i]->key, message->options[i]->value};
  }
  d->spec.n_options = (int32_t)n;
  d->spec.options = d->options;
  return SF_OK;
}

static sf_status fill_session(decoded_spec *d, sf_error *err) {
  const Streamfusion__Plan__SessionSettings *session = d->message->session;
  if (session == NULL) return SF_OK;
  d->spec.double_to_string_legacy = session->double_to_string_legacy != 0;
  const Streamfusion__Plan__Zone *zone = session->zone;
  if (zone == NULL) return SF_OK;
  if (zone->n_transition_epoch_seconds != zone->n_offset_after || zone->n_offset_after > INT32_MAX) {
    return sf_fail(err, SF_INVALID, "Zone %s: %zu transitions with %zu offsets", zone->id,
                   zone->n_transition_epoch_seconds, zone->n_offset_after);
  }
  d->spec.n_transitions = (int32_t)zone->n_offset_after;
  d->spec.zone_initial_offset = zone->initial_offset;
  d->spec.zone_transitions = zone->transition_epoch_seconds;
  d->spec.zone_offsets = zone->offset_after;
  return SF_OK;
}

static sf_status fill(decoded_spec *d, const uint8_t *bytes, size_t size, sf_error *err) {
  ProtobufCMessage *message = NULL;
  SF_TRY(sfi_wire_unpack(&streamfusion__plan__format__descriptor, bytes, size, SFI_WIRE_MAX_DEPTH, &message, err));
  d->message = (Streamfusion__Plan__Format *)(void *)message;
  SF_TRY(decode_type(d->message, &d->row_type, err));
  d->spec.row_type = d->row_type;
  SF_TRY(fill_read(d, err));
  SF_TRY(fill_paths(d, err));
  SF_TRY(fill_options(d, err));
  return fill_session(d, err);
}

sf_status sf_format_spec_decode(const uint8_t *bytes, size_t size, const sf_format_spec **out, sf_error *err) {
  *out = NULL;
  decoded_spec *d = calloc(1, sizeof *d);
  if (d == NULL) return sf_fail(err, SF_NOMEM, "No memory for a format");
  sf_live_add(1);
  sf_status st = fill(d, bytes, size, err);
  if (st != SF_OK) {
    sf_format_spec_destroy(&d->spec);
    return st;
  }
  *out = &d->spec;
  return SF_OK;
}

const char *sf_format_spec_name(const sf_format_spec *spec) {
  return ((const decoded_spec *)(const void *)spec)->message->name;
}

void sf_format_spec_destroy(const sf_format_spec *spec) {
  if (spec == NULL) return;
  union {
    const sf_format_spec *in;
    decoded_spec *out;
  } owner = {.in = spec}; /* handed out const, made here */
  decoded_spec *d = owner.out;
  if (d->message != NULL) streamfusion__plan__format__free_unpacked(d->message, NULL);
  sf_type_release(d->row_type);
  free(d->read);
  free(d->paths);
  free(d->path_lengths);
  free(d->options);
  free(d);
  sf_live_add(-1);
}
