/* Status codes and error details. Every function that can fail returns an sf_status and, when the caller
 * passes a non-NULL sf_error, describes the first failure there. Nothing in the engine aborts. */
#ifndef STREAMFUSION_STATUS_H
#define STREAMFUSION_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SF_EXPORT __attribute__((visibility("default")))
#define SF_MUST_CHECK __attribute__((warn_unused_result))
#define SF_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

typedef enum sf_status {
  SF_OK = 0,
  SF_NOMEM = 1,        /* malloc failed                          -> OutOfMemoryError */
  SF_LIMIT = 2,        /* pool limit or refused reservation      -> NativeMemoryLimitException */
  SF_INVALID = 3,      /* the caller broke a contract            -> IllegalArgumentException */
  SF_UNSUPPORTED = 4,  /* not implemented natively: fall back    -> UnsupportedOperationException */
  SF_CORRUPT = 5,      /* bytes from outside do not parse        -> IOException */
  SF_ARITHMETIC = 6,   /* division by zero and the like          -> ArithmeticException */
  SF_NUMBER_FORMAT = 7,/* failing numeric CAST of a string       -> NumberFormatException */
  SF_DATE_TIME = 8,    /* failing temporal CAST                  -> DateTimeException */
  SF_TABLE_RUNTIME = 9,/* Flink's TableRuntimeException */
  SF_HOST = 10,        /* a host callback failed; its Java exception is pending or stored by the glue */
  SF_CANCELLED = 11,
  SF_INTERNAL = 12,    /* a bug of ours                          -> IllegalStateException */
  SF_RUNTIME = 13,     /* where Flink throws a bare RuntimeException, e.g. for a NULL rowtime */
  SF_NULL_POINTER = 14,/* where Flink runs into a NullPointerException */
  SF_CONSTRAINT = 15,  /* a sink constraint is broken: o.a.f.table.runtime.operators.sink.constraint.EnforcerException,
                          whose constructor formats: pass ("%s", message) */
  SF_TABLE = 16        /* Flink's TableException, e.g. for a failing CAST to BOOLEAN */
} sf_status;

#define SF_ERROR_MESSAGE_SIZE 1024

/* Caller-allocated, no resources inside: copying is fine, there is nothing to free. */
typedef struct sf_error {
  sf_status status;
  int64_t row; /* row of the batch or record of the input that failed, -1 unknown */
  char message[SF_ERROR_MESSAGE_SIZE];
} sf_error;

/* Fills *err (when not NULL) and returns status, so that callers write `return sf_fail(err, SF_X, ...)`.
 * Messages name the operator, column, option or record and the remedy where there is one. */
SF_EXPORT sf_status sf_fail(sf_error *err, sf_status status, const char *fmt, ...) SF_PRINTF(3, 4);
/* As sf_fail, with the failing row. */
SF_EXPORT sf_status sf_fail_row(sf_error *err, sf_status status, int64_t row, const char *fmt, ...)
    SF_PRINTF(4, 5);
SF_EXPORT const char *sf_status_name(sf_status status);

/* Propagates a failure out of the enclosing function; use only where nothing needs releasing. */
#define SF_TRY(expr)                    \
  do {                                  \
    sf_status sf_try_ = (expr);         \
    if (sf_try_ != SF_OK) return sf_try_; \
  } while (0)

/* Propagates to a local `cleanup:` label through a local variable `st`. */
#define SF_GOTO(expr)                \
  do {                               \
    st = (expr);                     \
    if (st != SF_OK) goto cleanup;   \
  } while (0)

#ifdef __cplusplus
}
#endif
#endif
