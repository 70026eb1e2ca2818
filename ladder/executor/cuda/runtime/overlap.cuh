/* Replaces src/cuda/runtime/overlap.cuh for the executor, whose kernels run one after another. */
#ifndef WEFT_EXECUTOR_CUDA_OVERLAP_CUH
#define WEFT_EXECUTOR_CUDA_OVERLAP_CUH

#include "cuda/runtime/gpu.h"

static inline void wait_for_stream() {}

template <class... P>
static cudaError_t launch_early(const gpu *, bool, void (*kernel)(P...), unsigned blocks, unsigned threads,
                                size_t shared_bytes, P... params) {
    emulated::launch(emulated::geometry(dim3(blocks), dim3(threads), shared_bytes), kernel, params...);
    return cudaGetLastError();
}

static inline cudaError_t launch_early(const gpu *, bool, const void *kernel, unsigned blocks, unsigned threads,
                                       size_t shared_bytes, void **arguments) {
    return cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), arguments, shared_bytes, 0);
}

#endif
