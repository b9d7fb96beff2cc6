/* What tests of the pool need besides its public functions. */
#ifndef SFI_MEMORY_POOL_INTERNAL_H
#define SFI_MEMORY_POOL_INTERNAL_H

#include "streamfusion/memory.h"

/* Most bytes of freed blocks that the pool keeps for reuse (0 under AddressSanitizer unless set). */
void sfi_pool_set_cache_limit(sf_pool *pool, int64_t bytes);
int64_t sfi_pool_cached(sf_pool *pool);

#endif
