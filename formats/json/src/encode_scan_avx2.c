/* Finding what must be escaped, with AVX2. */
#include "encode_internal.h"

#if defined(__AVX2__)
#include <immintrin.h>

size_t sfi_find_escape_avx2(const uint8_t *p, size_t size) {
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\'), space = _mm256_set1_epi8(' ');
  for (size_t i = 0; i < size; i += 32) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
    /* Signed: bytes >= 0x80 are below a space, too. */
    __m256i hits = _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(v, quote), _mm256_cmpeq_epi8(v, backslash)),
                                   _mm256_cmpgt_epi8(space, v));
    uint32_t mask = (uint32_t)_mm256_movemask_epi8(hits);
    if (mask != 0) {
      i += (size_t)__builtin_ctz(mask);
      return i < size ? i : size;
    }
  }
  return size;
}
#endif
