/* Copies between views on a GPU (ORDER.md 32.1): two kernels.
 *
 *     list   any view: threads take the elements in the order of y. Rows that are contiguous in x and in y are copied
 *            in elements of up to 16 bytes
 *     tiles  another dimension than the last one has the smallest distance in x: a block copies a tile of both
 *            dimensions through shared memory, so that it reads and writes adjacent elements
 *
 * Traffic: each element is read and written once. */
#ifndef WEFT_CUDA_COPY_VIEW_CUH
#define WEFT_CUDA_COPY_VIEW_CUH

#include "cuda/copy_view/view_offsets.cuh"

#define COPY_THREADS 256
#define COPY_EACH 4 /* elements that a thread has in flight */

struct copy_list_params {
    view_dims d;
    uint64_t n;
    const char *x;
    char *y;
};

template <class Word>
static __global__ void __launch_bounds__(COPY_THREADS) copy_list_kernel(const __grid_constant__ copy_list_params a) {
    const uint64_t stride = (uint64_t)gridDim.x * (COPY_THREADS * COPY_EACH);
    for (uint64_t first = (uint64_t)blockIdx.x * (COPY_THREADS * COPY_EACH) + threadIdx.x; first < a.n;
         first += stride) {
        Word word[COPY_EACH];
        int64_t to[COPY_EACH];
#pragma unroll
        for (int k = 0; k < COPY_EACH; k++) {
            const uint64_t i = first + k * COPY_THREADS;
            int64_t from = to[k] = 0;
            if (i >= a.n) continue;
            view_offsets(a.d, i, from, to[k]);
            word[k] = *(const Word *)(a.x + from);
        }
#pragma unroll
        for (int k = 0; k < COPY_EACH; k++)
            if (first + k * COPY_THREADS < a.n) *(Word *)(a.y + to[k]) = word[k];
    }
}

/* Dimension `a` has the smallest distance in x, dimension `b` in y. `d` contains the others. */
struct copy_tiles_params {
    view_dims d;
    uint64_t a_n, b_n, a_tiles, b_tiles, tiles; /* tiles: all */
    int64_t a_x, a_y, b_x, b_y;
    const char *x;
    char *y;
};

/* Sides of a tile: elements of a dimension, and of a dimension that is short, or whose other one is short. */
static constexpr uint32_t COPY_SIDE = 64, COPY_SIDE_8 = 32, COPY_SHORT = 16, COPY_LONG = 256;

template <class Index>
static __device__ __forceinline__ void split_tile(const copy_tiles_params &p, Index t, uint64_t &a, uint64_t &b,
                                                  uint64_t &other) {
    const Index row = t / (Index)p.a_tiles, rest = row / (Index)p.b_tiles;
    a = t - row * (Index)p.a_tiles;
    b = row - rest * (Index)p.b_tiles;
    other = rest;
}

template <class Word, uint32_t A, uint32_t B>
static __global__ void __launch_bounds__(COPY_THREADS)
    copy_tiles_kernel(const __grid_constant__ copy_tiles_params p) {
    __shared__ Word tile[B][A + 1];
    for (uint64_t t = blockIdx.x; t < p.tiles; t += gridDim.x) {
        uint64_t a, b, other;
        int64_t from = 0, to = 0;
        if (p.tiles <= UINT32_MAX)
            split_tile<uint32_t>(p, (uint32_t)t, a, b, other);
        else
            split_tile<uint64_t>(p, t, a, b, other);
        view_offsets(p.d, other, from, to);
        a *= A;
        b *= B;
        const uint32_t a_left = (uint32_t)min((uint64_t)A, p.a_n - a), b_left = (uint32_t)min((uint64_t)B, p.b_n - b);
        const char *const x = p.x + from + (int64_t)a * p.a_x + (int64_t)b * p.b_x;
        char *const y = p.y + to + (int64_t)a * p.a_y + (int64_t)b * p.b_y;
        const uint32_t of_a = threadIdx.x % A, from_b = threadIdx.x / A, of_b = threadIdx.x % B,
                       from_a = threadIdx.x / B;
        if (of_a < a_left) {
#pragma unroll
            for (uint32_t k = 0; k < B; k += COPY_THREADS / A)
                if (from_b + k < b_left)
                    tile[from_b + k][of_a] =
                        *(const Word *)(x + (int64_t)of_a * p.a_x + (int64_t)(from_b + k) * p.b_x);
        }
        __syncthreads();
        if (of_b < b_left) {
#pragma unroll
            for (uint32_t k = 0; k < A; k += COPY_THREADS / B)
                if (from_a + k < a_left)
                    *(Word *)(y + (int64_t)of_b * p.b_y + (int64_t)(from_a + k) * p.a_y) = tile[of_b][from_a + k];
        }
        __syncthreads();
    }
}

#endif
