/* The scan of an array (scan_tiles.cuh): all elements of a block are copied to shared memory at once, asynchronously.
 */
#ifndef WEFT_CUDA_SCAN_CUH
#define WEFT_CUDA_SCAN_CUH

#include "cuda/scan/scan_tiles.cuh"

#include <cuda_pipeline.h>

/* Copies those of the warp's 512 elements at x whose number is at least `from` and less than `to` to its buffer;
 * elements of 4 bytes or more asynchronously. Other entries are set to zero. */
template <class T>
static __device__ __forceinline__ void scan_fetch_elements(const T *x, int from, int to, uint4 *buffer) {
    T *elements = (T *)buffer;
#pragma unroll 4
    for (int r = 0; r < WEFT_SCAN_GROUP; r++) {
        const int i = r * 32 + threadIdx.x % 32;
        T *at = &elements[scan_element_index<T>(i)];
        if (i < from || i >= to)
            *at = T(0);
        else if constexpr (sizeof(T) >= 4)
            __pipeline_memcpy_async(at, x + i, sizeof(T));
        else
            *at = x[i];
    }
}

/* Starts to copy the warp's 512 elements at x, which must be aligned to 16 bytes, to its buffer. */
template <class T> static __device__ __forceinline__ void scan_fetch_chunks(const T *x, uint4 *buffer) {
    constexpr int CHUNKS = sizeof(T);
#pragma unroll
    for (int r = 0; r < CHUNKS; r++) {
        const int c = r * 32 + threadIdx.x % 32;
        __pipeline_memcpy_async(&buffer[scan_chunk_index<CHUNKS>(c / CHUNKS, c % CHUNKS)], (const uint4 *)x + c, 16);
    }
}

/* Starts to copy the warp's 512 elements in 16-byte chunks if that is possible; otherwise copies them one by one.
 * The prefixes of elements after the end of x are never stored. */
template <class T>
static __device__ __forceinline__ void scan_fetch(const scan_params &a, uint64_t start, uint4 *buffer) {
    const T *x = (const T *)a.x + start;
    if (scan_in_chunks(a, start))
        scan_fetch_chunks(x, buffer);
    else
        scan_fetch_elements(x, 0, start < a.n ? (int)min((uint64_t)SCAN_PART, a.n - start) : 0, buffer);
}

/* The array a.x as the source of a scan. */
template <class T> struct scan_array {
    template <class Part>
    __device__ __forceinline__ void fill(const scan_params &a, uint64_t start, int tiles,
                                         Part (*buffer)[SCAN_WARPS]) const {
        const int warp = threadIdx.x / 32;
        for (int t = 0; t < tiles; t++) scan_fetch<T>(a, start + t * SCAN_TILE + warp * SCAN_PART, buffer[t][warp]);
        __pipeline_commit();
        const uint64_t prefetch = threadIdx.x == 0 ? scan_prefetch_start(a, start) : 0;
        if (prefetch) prefetch_l2((const T *)a.x + prefetch, a.block_tiles * SCAN_TILE * (uint32_t)sizeof(T));
        __pipeline_wait_prior(0);
    }
};

template <class Op>
static __global__ void __launch_bounds__(SCAN_THREADS, SCAN_BLOCKS)
    scan_kernel(const __grid_constant__ scan_params a) {
    scan_from<Op>(scan_array<typename Op::element>(), a);
}

/* Launch parameters of the kernel for an operator. */
template <class Op> struct scan_of {
    static scan_launch launch(const char *types) {
        return scan_launch{(const void *)scan_kernel<Op>, sizeof(scan_shared<Op>),
                           sizeof(scan_shared<Op>().buffer[0]), Op::NAME, types};
    }
};

#endif
