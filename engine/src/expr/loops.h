/* Helpers of numeric kernels: function multi-versioning and operands brought to one layout. */
#ifndef SFI_EXPR_LOOPS_H
#define SFI_EXPR_LOOPS_H

#include "expr/kernel.h"

/* Compiles a loop twice, for x86-64-v3 (AVX2) and for the baseline; chosen when the library is loaded. The resolver runs
 * before a sanitizer's runtime is ready, so instrumented builds take the baseline only. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SFI_VECTOR __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SFI_VECTOR
#endif

/* An operand as plain values of one layout. */
typedef struct sfi_operand {
  const void *values;
  bool is_const;
  sf_buffer *owned; /* converted values, or NULL */
} sfi_operand;

/* The operand's values in another numeric layout, converted as Java widens and narrows primitives (integers may go to
 * FLOAT and DOUBLE, narrower integers and floats to wider ones). Release with sfi_operand_close. */
sf_status sfi_operand_open(const sfi_eval *ev, const sf_column *column, sf_layout layout, sfi_operand *out,
                           sf_error *err);
/* The same for any numeric operand: a DECIMAL becomes the number it stands for, as Flink casts it (not its unscaled
 * value). Targets: INT8..INT64, FLOAT, DOUBLE. */
sf_status sfi_number_open(const sfi_eval *ev, const sf_column *column, sf_layout layout, sfi_operand *out,
                          sf_error *err);
void sfi_operand_close(sfi_operand *operand);

/* Writes n values of layout `from` as layout `to` (BOOL, INT8..INT64, FLOAT, DOUBLE; INT128 from integers), converted
 * like Java's primitive casts: integers wrap, floating-point numbers saturate, NaN becomes 0, and a floating-point
 * number on its way to INT8 or INT16 passes through INT32. False: no such conversion. */
bool sfi_convert(const void *from_values, sf_layout from, void *to_values, sf_layout to, int64_t n);

#endif
