/* Copying a string up to what must be escaped, with AVX2. */
#include "encode_internal.h"

#if defined(__AVX2__)
#include <immintrin.h>

/* A bit per byte that cannot be written as it is. Signed: bytes >= 0x80 are below a space, too. */
static inline uint32_t special32(__m256i v) {
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\'), space = _mm256_set1_epi8(' ');
  return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(
      _mm256_or_si256(_mm256_cmpeq_epi8(v, quote), _mm256_cmpeq_epi8(v, backslash)), _mm256_cmpgt_epi8(space, v)));
}

static inline uint32_t special16(__m128i v) {
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(' ');
  return (uint32_t)_mm_movemask_epi8(
      _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)), _mm_cmpgt_epi8(space, v)));
}

/* Where the first hit of a last piece lies, which starts at `start` and overlaps bytes without hits. */
static inline size_t hit_from(size_t start, uint32_t mask, size_t size) {
  return mask == 0 ? size : start + (size_t)__builtin_ctz(mask);
}

static inline uint32_t copy32(uint8_t *to, const uint8_t *from) {
  __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)from);
  _mm256_storeu_si256((__m256i *)(void *)to, v);
  return special32(v);
}

/* Below 32 bytes: two moves that overlap. */
static inline size_t copy_short(uint8_t *to, const uint8_t *from, size_t size) {
  if (size >= 16) {
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)from);
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(from + size - 16));
    _mm_storeu_si128((__m128i *)(void *)to, low);
    _mm_storeu_si128((__m128i *)(void *)(to + size - 16), high);
    uint32_t mask = special16(low);
    return mask != 0 ? (size_t)__builtin_ctz(mask) : hit_from(size - 16, special16(high), size);
  }
  if (size >= 8) {
    uint64_t low = sfi_load64(from), high = sfi_load64(from + size - 8);
    memcpy(to, &low, 8);
    memcpy(to + size - 8, &high, 8);
    uint32_t mask = special16(_mm_set_epi64x((long long)high, (long long)low));
    return (mask & 0xff) != 0 ? (size_t)__builtin_ctz(mask) : hit_from(size - 8, mask >> 8, size);
  }
  if (size >= 4) {
    uint32_t low = sfi_load32(from), high = sfi_load32(from + size - 4);
    memcpy(to, &low, 4);
    memcpy(to + size - 4, &high, 4);
    uint32_t mask = special16(_mm_cvtsi64_si128((long long)((uint64_t)high << 32 | low))) & 0xff;
    return (mask & 0xf) != 0 ? (size_t)__builtin_ctz(mask) : hit_from(size - 4, mask >> 4, size);
  }
  for (size_t i = 0; i < size; i++) {
    to[i] = from[i];
    if ((int8_t)from[i] < ' ' || from[i] == '"' || from[i] == '\\') return i;
  }
  return size;
}

size_t sfi_copy_plain_avx2(uint8_t *to, const uint8_t *from, size_t size) {
  if (size < 32) return copy_short(to, from, size);
  size_t i = 0;
  for (; i + 32 <= size; i += 32) {
    uint32_t mask = copy32(to + i, from + i);
    if (mask != 0) return i + (size_t)__builtin_ctz(mask);
  }
  return i == size ? size : hit_from(size - 32, copy32(to + size - 32, from + size - 32), size);
}
#endif
