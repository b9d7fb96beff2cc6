/* Results of kernels over times. */
#include "expr/times.h"

sf_status sfi_times_begin(const sfi_call *call, const sfi_eval *ev, sfi_times_out *out, sf_error *err) {
  *out = (sfi_times_out){0};
  SF_TRY(sfi_values_create(ev, call->type->layout, &out->values, err));
  out->millis = (int64_t *)(void *)sf_buffer_data(out->values);
  out->ints = (int32_t *)(void *)sf_buffer_data(out->values);
  if (call->type->layout != SF_LAYOUT_TIMESTAMP) return SF_OK;
  const sf_status st = sfi_values_create(ev, SF_LAYOUT_INT32, &out->aux, err);
  if (st != SF_OK) {
    sf_buffer_release(out->values);
    return st;
  }
  out->nanos = (int32_t *)(void *)sf_buffer_data(out->aux);
  return SF_OK;
}

sf_status sfi_times_null(const sfi_eval *ev, sfi_times_out *out, int64_t row, sf_error *err) {
  if (out->validity == NULL) SF_TRY(sfi_validity_create(ev, true, &out->validity, err));
  sf_bit_clear(sf_buffer_data(out->validity), row);
  return SF_OK;
}

sf_status sfi_times_finish(const sfi_call *call, sfi_eval *ev, sfi_times_out *out, sf_status st, sf_column **column,
                           sf_error *err) {
  if (st != SF_OK) {
    sf_buffer_release(out->values);
    sf_buffer_release(out->aux);
    sf_buffer_release(out->validity);
    return st;
  }
  if (out->validity == NULL) return sfi_finish_strict(call, ev, out->values, out->aux, column, err);
  return sfi_finish(call, ev, out->validity, out->values, out->aux, NULL, 0, column, err);
}
