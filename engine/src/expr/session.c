/* Session settings: the time zone as a transition table, and how the running JDK prints doubles. */
#include <stdlib.h>
#include <string.h>

#include "expr/kernel.h"
#include "plan.pb-c.h"

/* The Gregorian calendar recurs with its days of the week, and with it the rules of summer time. */
#define MILLIS_OF_400_YEARS ((int64_t)146097 * 86400000)

/* offset[i] holds before transition i, the last one after all of them. All NULL: UTC. */
typedef struct zone_table {
  int32_t n_transitions;
  bool recurring; /* after the last transition come those of the 400 years before it, again and again */
  int64_t *instant; /* epoch millis of transition i */
  int64_t *local;   /* local millis from which the offset after transition i applies */
  int64_t *offset;  /* milliseconds, n_transitions + 1 */
} zone_table;

struct sf_session {
  bool double_legacy;
  zone_table zone;
  zone_table util_zone; /* holds before util_until */
  int64_t util_until;   /* epoch millis */
};

static void free_zone(zone_table *z) {
  free(z->instant);
  free(z->local);
  free(z->offset);
}

static sf_status read_zone(zone_table *s, const Streamfusion__Plan__Zone *zone, sf_error *err) {
  size_t n = zone->n_transition_epoch_seconds;
  if (n != zone->n_offset_after || n > INT32_MAX / 64) {
    return sf_fail(err, SF_INVALID, "zone %s: %zu transitions with %zu offsets", zone->id, n, zone->n_offset_after);
  }
  s->instant = malloc((n + 1) * sizeof *s->instant);
  s->local = malloc((n + 1) * sizeof *s->local);
  s->offset = malloc((n + 1) * sizeof *s->offset);
  if (s->instant == NULL || s->local == NULL || s->offset == NULL) return sf_fail(err, SF_NOMEM, "session settings");
  s->offset[0] = (int64_t)zone->initial_offset * 1000;
  for (size_t i = 0; i < n; i++) {
    int64_t seconds = zone->transition_epoch_seconds[i];
    if (seconds > INT64_MAX / 2000 || seconds < INT64_MIN / 2000 ||
        (i > 0 && seconds <= zone->transition_epoch_seconds[i - 1])) {
      return sf_fail(err, SF_INVALID, "zone %s: transition %zu is out of order", zone->id, i);
    }
    int64_t before = s->offset[i], after = (int64_t)zone->offset_after[i] * 1000;
    s->offset[i + 1] = after;
    s->instant[i] = seconds * 1000;
    /* java.time.ZonedDateTime.ofLocal: in a gap the local time moves forward by the gap, which is the offset before
     * the transition; in an overlap the earlier offset wins, which is the one before it too. */
    s->local[i] = s->instant[i] + (before > after ? before : after);
  }
  s->n_transitions = (int32_t)n;
  s->recurring = zone->recurring && n > 0;
  return SF_OK;
}

sf_status sf_session_create(const uint8_t *bytes, size_t size, sf_session **out, sf_error *err) {
  *out = NULL;
  Streamfusion__Plan__SessionSettings *settings =
      streamfusion__plan__session_settings__unpack(NULL, size, size == 0 ? (const uint8_t *)"" : bytes);
  if (settings == NULL) return sf_fail(err, SF_INVALID, "session settings do not parse");
  sf_status st = SF_OK;
  sf_session *s = calloc(1, sizeof *s);
  if (s == NULL) {
    st = sf_fail(err, SF_NOMEM, "session settings");
  } else {
    s->double_legacy = settings->double_to_string_legacy;
    if (settings->zone != NULL) st = read_zone(&s->zone, settings->zone, err);
    s->util_until = INT64_MIN;
    if (st == SF_OK && settings->util_zone != NULL) {
      st = read_zone(&s->util_zone, settings->util_zone, err);
      const int64_t until = settings->util_until_epoch_second;
      s->util_until = until > INT64_MAX / 1000 ? INT64_MAX : until < INT64_MIN / 1000 ? INT64_MIN : until * 1000;
    }
  }
  streamfusion__plan__session_settings__free_unpacked(settings, NULL);
  if (st != SF_OK) {
    if (s != NULL) {
      free_zone(&s->zone);
      free_zone(&s->util_zone);
      free(s);
    }
    return st;
  }
  sf_live_add(1);
  *out = s;
  return SF_OK;
}

void sf_session_destroy(sf_session *session) {
  if (session == NULL) return;
  free_zone(&session->zone);
  free_zone(&session->util_zone);
  free(session);
  sf_live_add(-1);
}

/* Offset after the last of `n` ascending keys that is <= value. */
static int64_t offset_at(const zone_table *s, const int64_t *keys, int64_t value) {
  int32_t low = 0, high = s->n_transitions;
  if (s->recurring && value > keys[high - 1]) {
    value -= ((value - keys[high - 1]) / MILLIS_OF_400_YEARS + 1) * MILLIS_OF_400_YEARS;
  }
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (keys[middle] <= value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return s->offset[low];
}

int64_t sfi_zone_offset_of_instant(const sf_session *session, int64_t epoch_millis) {
  if (session == NULL || session->zone.offset == NULL) return 0;
  return offset_at(&session->zone, session->zone.instant, epoch_millis);
}

int64_t sfi_zone_util_offset(const sf_session *session, int64_t epoch_millis) {
  if (session == NULL || epoch_millis >= session->util_until || session->util_zone.offset == NULL) {
    return sfi_zone_offset_of_instant(session, epoch_millis);
  }
  return offset_at(&session->util_zone, session->util_zone.instant, epoch_millis);
}

int64_t sfi_zone_offset_of_local(const sf_session *session, int64_t local_millis) {
  if (session == NULL || session->zone.offset == NULL) return 0;
  return offset_at(&session->zone, session->zone.local, local_millis);
}

bool sfi_session_double_legacy(const sf_session *session) { return session != NULL && session->double_legacy; }
