/* Copies between views on a GPU (ORDER.md 32.1): three kernels.
 *
 *     list     any view: threads take the elements in the order of y. Rows that are contiguous in x and in y are
 *              copied in elements of up to 16 bytes
 *     tiles    another dimension than the last one has the smallest distance in x: a block copies a tile of both
 *              dimensions through shared memory, so that it reads and writes adjacent elements
 *     squares  the same for elements of up to 4 bytes that are contiguous in x and in y along these dimensions: a
 *              thread loads words of 2 or 4 elements and transposes squares of elements in its registers
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
/* Sides of a tile of squares: words of a dimension; bytes of a dimension whose other one is short. */
static constexpr uint32_t COPY_WORDS = 32, COPY_LONG_BYTES = 1024;

/* A tile: its first element in x and in y, elements of both dimensions from there on. */
struct copy_tile {
    const char *x;
    char *y;
    uint64_t a_left, b_left;
};

template <class Index>
static __device__ __forceinline__ void split_tile(const copy_tiles_params &p, Index t, uint64_t &a, uint64_t &b,
                                                  uint64_t &other) {
    const Index row = t / (Index)p.a_tiles, rest = row / (Index)p.b_tiles;
    a = t - row * (Index)p.a_tiles;
    b = row - rest * (Index)p.b_tiles;
    other = rest;
}

/* Returns tile number t, for tiles of A x B elements. */
template <uint32_t A, uint32_t B>
static __device__ __forceinline__ copy_tile find_tile(const copy_tiles_params &p, uint64_t t) {
    uint64_t a, b, other;
    int64_t from = 0, to = 0;
    if (p.tiles <= UINT32_MAX)
        split_tile<uint32_t>(p, (uint32_t)t, a, b, other);
    else
        split_tile<uint64_t>(p, t, a, b, other);
    view_offsets(p.d, other, from, to);
    a *= A;
    b *= B;
    return copy_tile{p.x + from + (int64_t)a * p.a_x + (int64_t)b * p.b_x,
                     p.y + to + (int64_t)a * p.a_y + (int64_t)b * p.b_y, p.a_n - a, p.b_n - b};
}

template <class Word, uint32_t A, uint32_t B>
static __global__ void __launch_bounds__(COPY_THREADS)
    copy_tiles_kernel(const __grid_constant__ copy_tiles_params p) {
    __shared__ Word tile[B][A + 1];
    const uint32_t of_a = threadIdx.x % A, from_b = threadIdx.x / A, of_b = threadIdx.x % B, from_a = threadIdx.x / B;
    for (uint64_t t = blockIdx.x; t < p.tiles; t += gridDim.x) {
        const copy_tile at = find_tile<A, B>(p, t);
        const uint32_t a_left = (uint32_t)min((uint64_t)A, at.a_left), b_left = (uint32_t)min((uint64_t)B, at.b_left);
        if (of_a < a_left) {
#pragma unroll
            for (uint32_t k = 0; k < B; k += COPY_THREADS / A)
                if (from_b + k < b_left)
                    tile[from_b + k][of_a] =
                        *(const Word *)(at.x + (int64_t)of_a * p.a_x + (int64_t)(from_b + k) * p.b_x);
        }
        __syncthreads();
        if (of_b < b_left) {
#pragma unroll
            for (uint32_t k = 0; k < A; k += COPY_THREADS / B)
                if (from_a + k < a_left)
                    *(Word *)(at.y + (int64_t)of_b * p.b_y + (int64_t)(from_a + k) * p.a_y) = tile[of_b][from_a + k];
        }
        __syncthreads();
    }
}

/* Transposes R x R elements of `bits` bits: R words of R elements each, where the element with the lowest address has
 * the lowest bits. Exchanges blocks of half the side, then of a quarter. */
template <uint32_t bits, class Word, uint32_t R>
static __device__ __forceinline__ void transpose_square(Word (&word)[R]) {
#pragma unroll
    for (uint32_t half = R / 2; half >= 1; half /= 2) {
        const uint32_t shift = half * bits;
        const Word low = (Word)-1 / (((Word)1 << shift) + 1); /* of each 2 x shift bits the lower half */
#pragma unroll
        for (uint32_t r = 0; r < R; r++) {
            if (r & half) continue;
            const Word changed = ((word[r] >> shift) ^ word[r + half]) & low;
            word[r + half] ^= changed;
            word[r] ^= changed << shift;
        }
    }
}

/* A tile is I x J squares of R x R elements, which have R words of one dimension in x and of the other one in y. */
template <class Element, class Word, uint32_t I, uint32_t J>
static __global__ void __launch_bounds__(COPY_THREADS)
    copy_squares_kernel(const __grid_constant__ copy_tiles_params p) {
    constexpr uint32_t R = sizeof(Word) / sizeof(Element), SQUARES = I * J / COPY_THREADS; /* of a thread */
    __shared__ Word tile[R][I][J + 1];
    const uint32_t i = threadIdx.x % I, from_j = threadIdx.x / I, j = threadIdx.x % J, from_a = threadIdx.x / J;
    for (uint64_t t = blockIdx.x; t < p.tiles; t += gridDim.x) {
        const copy_tile at = find_tile<I * R, J * R>(p, t);
        const uint32_t i_left = (uint32_t)min((uint64_t)I, at.a_left / R),
                       j_left = (uint32_t)min((uint64_t)J, at.b_left / R);
        Word word[SQUARES][R];
#pragma unroll
        for (uint32_t k = 0; k < SQUARES; k++) {
            const uint32_t row = from_j + k * (COPY_THREADS / I);
            if (i >= i_left || row >= j_left) continue;
#pragma unroll
            for (uint32_t r = 0; r < R; r++)
                word[k][r] = *(const Word *)(at.x + (size_t)i * sizeof(Word) + (int64_t)(row * R + r) * p.b_x);
        }
#pragma unroll
        for (uint32_t k = 0; k < SQUARES; k++) {
            const uint32_t row = from_j + k * (COPY_THREADS / I);
            if (i >= i_left || row >= j_left) continue;
            transpose_square<8 * sizeof(Element)>(word[k]);
#pragma unroll
            for (uint32_t r = 0; r < R; r++) tile[r][i][row] = word[k][r];
        }
        __syncthreads();
        if (j < j_left) {
#pragma unroll
            for (uint32_t k = 0; k < I * R; k += COPY_THREADS / J) {
                const uint32_t a = from_a + k;
                if (a < i_left * R)
                    *(Word *)(at.y + (size_t)j * sizeof(Word) + (int64_t)a * p.a_y) = tile[a % R][a / R][j];
            }
        }
        __syncthreads();
    }
}

#endif
