/* A copy to shared memory that also prefetches to L2. The executor that emulates a GPU in the tests has its own
 * version of this file (ladder/executor/cuda/runtime/prefetch.cuh). */
#ifndef WEFT_CUDA_PREFETCH_CUH
#define WEFT_CUDA_PREFETCH_CUH

#include <cuda_pipeline.h>
#include <stdint.h>

/* Starts to copy 16 bytes, as __pipeline_memcpy_async does, and to prefetch the 256 bytes, aligned to 256, that
 * contain them. For warps that read rows far apart in memory, 128 bytes of each row at a time: each page of DRAM that
 * is opened then transfers 256 bytes. Both addresses must be multiples of 16. */
static __device__ __forceinline__ void copy_async_prefetching(void *to, const void *from) {
#if __CUDA_ARCH__ >= 800
    const uint32_t shared = (uint32_t)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
#else
    __pipeline_memcpy_async(to, from, 16);
#endif
}

#endif
