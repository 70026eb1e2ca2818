/* Replaces src/cuda/runtime/prefetch.cuh for the executor, which has no L2 cache. */
#ifndef WEFT_EXECUTOR_CUDA_PREFETCH_CUH
#define WEFT_EXECUTOR_CUDA_PREFETCH_CUH

#include "cuda_pipeline.h"

static __forceinline__ void copy_async_prefetching(void *to, const void *from) {
    __pipeline_memcpy_async(to, from, 16);
}

#endif
