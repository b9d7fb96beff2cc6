/* Copying a string up to what must be escaped, for any processor. */
#include "encode_internal.h"

#define EVERY_BYTE(x) (UINT64_C(0x0101010101010101) * (x))

static inline size_t find_special(const uint8_t *p, size_t size) {
  for (size_t i = 0; i < size; i += 8) {
    uint64_t v = sfi_load64(p + i);
    uint64_t q = v ^ EVERY_BYTE('"'), b = v ^ EVERY_BYTE('\\');
    /* Subtracting finds a first hit exactly; borrows only reach bytes behind it. */
    uint64_t hits = (((q - EVERY_BYTE(1)) & ~q) | ((b - EVERY_BYTE(1)) & ~b) | ((v - EVERY_BYTE(0x20)) & ~v) | v) &
                    EVERY_BYTE(0x80);
    if (hits != 0) {
      i += (size_t)(__builtin_ctzll(hits) >> 3);
      return i < size ? i : size;
    }
  }
  return size;
}

size_t sfi_copy_plain_generic(uint8_t *to, const uint8_t *from, size_t size) {
  if (size > 0) memcpy(to, from, size);
  return find_special(to, size); /* the copy has slack behind it, the original perhaps not */
}
