/* GPU instructions of scans that C++ cannot express. The executor that emulates a GPU in the tests has its own
 * version of this file (ladder/executor/cuda/runtime/device.cuh). */
#ifndef WEFT_CUDA_DEVICE_CUH
#define WEFT_CUDA_DEVICE_CUH

#include <stdint.h>

/* Starts to prefetch `bytes` of memory, except 16 bytes at the ends, to the L2 cache, for a block that reads them
 * later. This keeps memory busy while blocks wait for one another. Must be called by one thread. */
static __device__ __forceinline__ void prefetch_l2(const void *p, uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
    const uintptr_t at = ((uintptr_t)p + 15) / 16 * 16;
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(at), "r"(bytes - 16) : "memory");
#endif
}

/* Stores a word that blocks exchange while they run. The access is atomic and relaxed: it does not order accesses to
 * other memory. */
static __device__ __forceinline__ void store_relaxed(uint64_t *word, uint64_t v) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(v) : "memory");
}

static __device__ __forceinline__ uint64_t load_relaxed(const uint64_t *word) {
    uint64_t v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(word) : "memory");
    return v;
}

/* Returns the block's dynamic shared memory. */
static __device__ __forceinline__ uint4 *dynamic_shared() {
    extern __shared__ uint4 dynamic[];
    return dynamic;
}

#endif
