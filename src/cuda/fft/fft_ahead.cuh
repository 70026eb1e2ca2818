/* Passes of odd radices with a constant product M, as in fft_fixed.cuh, by blocks that copy the arrays of their next
 * tile to shared memory while they compute one. A tile consists of ARRAYS arrays of N = M REST numbers; position
 * REST a + r consists of numbers r, REST + r, ... of array a. */
#ifndef WEFT_CUDA_FFT_AHEAD_CUH
#define WEFT_CUDA_FFT_AHEAD_CUH

#include "cuda/fft/fft_fixed.cuh"

#include <cuda_pipeline.h>

/* Bytes of the numbers of a tile, at most, if it has several arrays. */
template <typename T, int M> static constexpr __host__ __device__ int ahead_bytes() {
    return TOGETHER_BYTES << (sizeof(T) == 4 && M % 5 == 0);
}

/* Starts to copy ALL bytes to shared memory, PART at once. */
template <int ALL, int PART, int THREADS>
static __device__ __forceinline__ void copy_parts(void *to, const void *from) {
    const char *const x = (const char *)from + threadIdx.x * PART;
    char *const slot = (char *)to + threadIdx.x * PART;
#pragma unroll
    for (int i = 0; i < ALL / PART; i += THREADS)
        if (ALL / PART - i >= THREADS || threadIdx.x < ALL / PART - i)
            __pipeline_memcpy_async(slot + i * PART, x + i * PART, PART);
}

/* Starts to copy COUNT arrays of N numbers to shared memory, from array `first` on. If only `left` arrays follow, the
 * last one is repeated. */
template <int N, int COUNT, int THREADS, typename T>
static __device__ __forceinline__ void copy_ahead(const radix_params<T> &j, uint64_t first, uint32_t left,
                                                  number<T> *to) {
    constexpr int BYTES = N * COUNT * (int)sizeof(number<T>);
    const T *const x = j.x + first * j.x_step;
    if (BYTES % 16 == 0 && (uintptr_t)x % 16 == 0 && j.x_step == 2 * N && left >= COUNT) {
        copy_parts<BYTES, 16, THREADS>(to, x);
    } else {
#pragma unroll 1
        for (uint32_t i = threadIdx.x; i < N * COUNT; i += THREADS) {
            const T *const from = x + min(i / N, left - 1) * j.x_step + 2 * (i % N);
            if (j.x_aligned) {
                __pipeline_memcpy_async(to + i, from, sizeof(number<T>));
            } else {
                __pipeline_memcpy_async(&to[i].re, from, sizeof(T));
                __pipeline_memcpy_async(&to[i].im, from + 1, sizeof(T));
            }
        }
    }
    __pipeline_commit();
}

/* The tile of a block: the first one has the block's number, and every gridDim.x-th one follows. AHEAD: its numbers
 * are copied to shared memory; otherwise the first group loads them, and no other tile follows. */
template <typename T, int M, int REST_, int ARRAYS_, int THREADS_, bool AHEAD_> struct ahead_tile {
    static constexpr int REST = REST_, ARRAYS = ARRAYS_, THREADS = THREADS_, N = M * REST, WIDTH = ARRAYS * REST;
    static constexpr bool WHOLE = true, AHEAD = AHEAD_;
    number<T> *ahead; /* numbers of the tile, before the first group; then of the next one */
    uint64_t array;   /* the first one */
    uint32_t left;    /* arrays from it on */

    __device__ __forceinline__ ahead_tile(const together_params<T> &l, uint32_t batch, number<T> *shared)
        : ahead(shared), array(blockIdx.x * ARRAYS), left(batch - blockIdx.x * ARRAYS) {
        if constexpr (AHEAD) copy_ahead<N, ARRAYS, THREADS>(l.j, array, left, ahead);
    }
    /* Waits for the numbers of the tile. */
    __device__ __forceinline__ void wait() const {
        if constexpr (!AHEAD) return;
        __pipeline_wait_prior(0);
        __syncthreads();
    }
    __device__ __forceinline__ void copy_next(const together_params<T> &l) const {
        const uint32_t step = gridDim.x * ARRAYS;
        if (AHEAD && left > step) copy_ahead<N, ARRAYS, THREADS>(l.j, array + step, left - step, ahead);
    }
    /* Moves on to the next tile. Returns false after the last one. */
    __device__ __forceinline__ bool next() {
        const uint32_t step = gridDim.x * ARRAYS;
        if (!AHEAD || left <= step) return false;
        array += step;
        left -= step;
        return true;
    }
    __device__ __forceinline__ uint32_t s(const together_params<T> &) const { return 1; }
    __device__ __forceinline__ uint32_t rest(const together_params<T> &) const { return REST; }
    __device__ __forceinline__ position<T> at(const together_params<T> &l, uint32_t w) const {
        const uint64_t own = array + min(w / REST, left - 1);
        return {l.j.x + own * l.j.x_step + 2 * (w % REST), l.j.y + own * l.j.y_step, w % REST, 0};
    }
    /* Returns number i REST of position w. */
    __device__ __forceinline__ const number<T> *from(uint32_t w, uint32_t i) const {
        return ahead + w / REST * N + w % REST + i * REST;
    }
};

/* Numbers that a thread does not compute would be those of the tile before, and take registers. */
template <int COUNT, typename T> static __device__ __forceinline__ void clear(number<T> *v) {
#pragma unroll
    for (int c = 0; c < COUNT; c++) v[c] = number<T>{0, 0};
}

/* Reads the numbers of unit i of position w. */
template <class g, typename T, typename Block>
static __device__ __forceinline__ void ahead_read(const together_params<T> &l, const number<T> *shared,
                                                  const Block &block, uint32_t w, uint32_t i, number<T> *v) {
    if constexpr (g::IS_FIRST && Block::AHEAD) {
        const number<T> *const from = block.from(w, i);
#pragma unroll
        for (int c = 0; c < g::HELD; c++) v[c] = from[c * g::UNITS * Block::REST];
        swap_parts<g::HELD>(v, l.j.exchange_in);
    } else if constexpr (g::IS_FIRST) {
        load_unit<g>(l, block, block.at(l, w), i, v);
    } else {
        read_unit<g>(shared, block, w, i, v);
    }
}

/* Computes a group for ahead_passes: moves the numbers of units from block.ahead to `shared`, or stores the results.
 */
template <class g, int PASS, bool STORES, typename T, typename Block>
static __device__ __forceinline__ void ahead_group(const together_params<T> &l, number<T> *shared,
                                                   const Block &block) {
#pragma unroll 1
    for (uint32_t b = afresh(threadIdx.x); b < g::UNITS * Block::WIDTH; b += Block::THREADS) {
        const uint32_t w = STORES ? b / g::UNITS : b % Block::WIDTH, i = STORES ? b % g::UNITS : b / Block::WIDTH;
        if (STORES && w >= block.left) break;
        number<T> v[g::HELD];
        ahead_read<g>(l, shared, block, w, i, v);
        compute_unit<g, PASS>(l, block, block.at(l, w), i, v);
        if constexpr (STORES)
            store_last<T, g::HELD>(l, block.at(l, w), i, v);
        else
            write_unit<g>(shared, block, w, i, v);
    }
}

/* Computes a group for ahead_passes. A thread reads the numbers of all its units before it writes results: in place,
 * or to hide the latency of loads. */
template <class g, int PASS, typename T, typename Block>
static __device__ __forceinline__ void ahead_group_at_once(const together_params<T> &l, number<T> *shared,
                                                           const Block &block) {
    constexpr int THREADS = Block::THREADS, WIDTH = Block::WIDTH, ALL = g::UNITS * WIDTH;
    constexpr int ROUNDS = (ALL - 1) / THREADS + 1;
    constexpr bool IN_PLACE = !g::IS_FIRST;
    static_assert(ROUNDS * g::HELD * sizeof(T) <= 160, "the numbers of all rounds are in registers");
    number<T> v[ROUNDS * g::HELD];
    const uint32_t thread = afresh(threadIdx.x);
    const auto compute = [&](uint32_t b, number<T> *own) {
        compute_unit<g, PASS>(l, block, block.at(l, b % WIDTH), b / WIDTH, own);
    };
#pragma unroll
    for (int n = 0; n < ROUNDS; n++) {
        const uint32_t b = thread + (uint32_t)(n * THREADS);
        number<T> *const own = v + n * g::HELD;
        if ((n + 1) * THREADS <= ALL || b < ALL) {
            ahead_read<g>(l, shared, block, b % WIDTH, b / WIDTH, own);
            if (IN_PLACE) compute(b, own);
        } else {
            clear<g::HELD>(own);
        }
    }
    if constexpr (IN_PLACE) __syncthreads();
#pragma unroll
    for (int n = 0; n < ROUNDS; n++) {
        const uint32_t b = thread + (uint32_t)(n * THREADS);
        number<T> *const own = v + n * g::HELD;
        if ((n + 1) * THREADS <= ALL || b < ALL) {
            if (!IN_PLACE) compute(b, own);
            write_unit<g>(shared, block, b % WIDTH, b / WIDTH, own);
        }
    }
}

/* As fixed_passes, for a tile. The first group moves its numbers from block.ahead to `shared`, which other groups
 * read and write. Block is derived from ahead_tile, with the constants APART (see fixed_passes); KEEPS: results stay
 * in shared memory, and a barrier of the block follows. */
template <class g, int PASS = 0, typename T, typename Block>
static __device__ __forceinline__ void ahead_passes(const together_params<T> &l, number<T> *shared,
                                                    const Block &block) {
    constexpr bool STORES = g::IS_LAST && !Block::KEEPS;
    if constexpr (STORES || (g::IS_FIRST && Block::AHEAD))
        ahead_group<g, PASS, STORES>(l, shared, block);
    else
        ahead_group_at_once<g, PASS>(l, shared, block);
    if constexpr (g::IS_FIRST || !g::IS_LAST || Block::KEEPS) __syncthreads();
    if constexpr (g::IS_FIRST) block.copy_next(l);
    if constexpr (!g::IS_LAST) ahead_passes<typename g::next, PASS + g::PASSES>(l, shared, block);
}

/* Returns the blocks for so many tiles: those that are resident at once, `resident` in a multiprocessor or as many as
 * fit in shared memory, of which 1 KiB for each is reserved. resident == 0: one for each tile. */
static inline uint64_t ahead_blocks(const gpu *g, uint64_t tiles, unsigned resident, size_t bytes) {
    const size_t reserved = 1024, fit = (g->shared_bytes + reserved) / (bytes + reserved);
    return resident == 0 ? tiles : min_u64(tiles, (uint64_t)g->multiprocessors * min_u64(resident, fit));
}

#endif
