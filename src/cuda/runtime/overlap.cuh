/* Launches that overlap with the end of the kernel before them in the stream (programmatic dependent launch, sm_90
 * and later): their blocks start while that kernel completes, which hides 1 or 2 us of each launch. The executor that
 * emulates a GPU in the tests has its own version of this file (ladder/executor/cuda/runtime/overlap.cuh). */
#ifndef WEFT_CUDA_OVERLAP_CUH
#define WEFT_CUDA_OVERLAP_CUH

#include "cuda/runtime/gpu.h"

/* Waits until all work before the kernel in the stream has completed and its writes are visible. Returns at once in a
 * kernel that was not launched early. A kernel of launch_early must call it before its first access to global memory:
 * it may read what the kernel before writes, and overwrite what that kernel still reads. */
static __device__ __forceinline__ void wait_for_stream() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* A launch on the context's stream of a kernel that must call wait_for_stream. It starts early if `early` is true and
 * the code of the kernel can wait (gpu.h). In a captured graph it never does: programs that read the edges of a graph
 * may not expect programmatic ones. */
struct early_launch {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    cudaError_t fault = cudaSuccess;
    early_launch(const gpu *g, bool early, unsigned blocks, unsigned threads, size_t shared_bytes) {
        cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        config.gridDim = dim3(blocks), config.blockDim = dim3(threads);
        config.dynamicSmemBytes = shared_bytes, config.stream = g->stream;
        config.attrs = &attribute;
        if (!early || !g->has_sm_90) return;
        fault = cudaStreamIsCapturing(g->stream, &capture);
        config.numAttrs = capture == cudaStreamCaptureStatusNone;
    }
    early_launch(const early_launch &) = delete;
};

template <class... P>
static cudaError_t launch_early(const gpu *g, bool early, void (*kernel)(P...), unsigned blocks, unsigned threads,
                                size_t shared_bytes, P... params) {
    const early_launch l(g, early, blocks, threads, shared_bytes);
    return l.fault != cudaSuccess ? l.fault : cudaLaunchKernelEx(&l.config, kernel, params...);
}

/* Launches a kernel by its address. */
static inline cudaError_t launch_early(const gpu *g, bool early, const void *kernel, unsigned blocks,
                                       unsigned threads, size_t shared_bytes, void **arguments) {
    const early_launch l(g, early, blocks, threads, shared_bytes);
    return l.fault != cudaSuccess ? l.fault : cudaLaunchKernelExC(&l.config, kernel, arguments);
}

#endif
