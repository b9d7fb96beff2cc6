#include "streamfusion/status.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(sf_error *err, sf_status status, int64_t row, const char *fmt, va_list args) {
  if (err == NULL) return;
  err->status = status;
  err->row = row;
  if (vsnprintf(err->message, sizeof err->message, fmt, args) < 0) err->message[0] = '\0';
}

sf_status sf_fail(sf_error *err, sf_status status, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fill(err, status, -1, fmt, args);
  va_end(args);
  return status;
}

sf_status sf_fail_row(sf_error *err, sf_status status, int64_t row, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fill(err, status, row, fmt, args);
  va_end(args);
  return status;
}

const char *sf_status_name(sf_status status) {
  switch (status) {
    case SF_OK: return "OK";
    case SF_NOMEM: return "NOMEM";
    case SF_LIMIT: return "LIMIT";
    case SF_INVALID: return "INVALID";
    case SF_UNSUPPORTED: return "UNSUPPORTED";
    case SF_CORRUPT: return "CORRUPT";
    case SF_ARITHMETIC: return "ARITHMETIC";
    case SF_NUMBER_FORMAT: return "NUMBER_FORMAT";
    case SF_DATE_TIME: return "DATE_TIME";
    case SF_TABLE_RUNTIME: return "TABLE_RUNTIME";
    case SF_HOST: return "HOST";
    case SF_CANCELLED: return "CANCELLED";
    case SF_INTERNAL: return "INTERNAL";
    case SF_RUNTIME: return "RUNTIME";
    case SF_NULL_POINTER: return "NULL_POINTER";
    case SF_CONSTRAINT: return "CONSTRAINT";
    case SF_TABLE: return "TABLE";
  }
  return "UNKNOWN";
}
