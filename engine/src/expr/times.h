/* Operands and results of kernels over times. */
#ifndef SFI_EXPR_TIMES_H
#define SFI_EXPR_TIMES_H

#include "expr/calendar.h"

static inline bool sfi_is_timestamp(const sf_type *t) { return t->kind == SF_TYPE_TIMESTAMP; }
static inline bool sfi_is_ltz(const sf_type *t) { return t->kind == SF_TYPE_TIMESTAMP_LTZ; }

/* A TIMESTAMP or TIMESTAMP_LTZ operand, const or not. */
typedef struct sfi_times {
  const int64_t *millis;
  const int32_t *nanos; /* of the milli; NULL: none */
  int64_t step;
} sfi_times;

static inline sfi_times sfi_times_of(const sf_column *c) {
  return (sfi_times){c->values, c->type->layout == SF_LAYOUT_TIMESTAMP ? c->aux : NULL, c->is_const ? 0 : 1};
}
static inline int64_t sfi_millis_at(sfi_times t, int64_t i) { return t.millis[i * t.step]; }
static inline int32_t sfi_nanos_at(sfi_times t, int64_t i) { return t.nanos == NULL ? 0 : t.nanos[i * t.step]; }

/* A column of call->type: TIMESTAMP, TIMESTAMP_LTZ, or anything of fixed width (nanos is then NULL). */
typedef struct sfi_times_out {
  sf_buffer *values, *aux, *validity; /* validity: NULL until a row is set to NULL */
  int64_t *millis;
  int32_t *ints;  /* values as 32-bit integers */
  int32_t *nanos; /* NULL when the type has no room for them */
} sfi_times_out;

sf_status sfi_times_begin(const sfi_call *call, const sfi_eval *ev, sfi_times_out *out, sf_error *err);
sf_status sfi_times_null(const sfi_eval *ev, sfi_times_out *out, int64_t row, sf_error *err);
static inline void sfi_times_set(sfi_times_out *out, int64_t row, int64_t millis, int32_t nanos) {
  out->millis[row] = millis;
  if (out->nanos != NULL) out->nanos[row] = nanos;
}
/* Hands the column over when st is SF_OK, else frees everything and returns st. For strict calls. */
sf_status sfi_times_finish(const sfi_call *call, sfi_eval *ev, sfi_times_out *out, sf_status st, sf_column **column,
                           sf_error *err);

#endif
