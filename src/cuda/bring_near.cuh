/* Memory on its way before it is asked for. */
#ifndef WEFT_CUDA_BRING_NEAR_CUH
#define WEFT_CUDA_BRING_NEAR_CUH

#include <stdint.h>

/* Starts to bring `bytes` of memory, all but the ends, to the L2 cache, where the block finds them that takes them
 * some time later: memory stays busy while blocks wait for one another. One thread. */
static __device__ __forceinline__ void bring_near(const void *p, uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
    const uintptr_t at = ((uintptr_t)p + 15) / 16 * 16;
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(at), "r"(bytes - 16) : "memory");
#endif
}

#endif
