/* The last step of sort_buckets.cu: a block sorts a range of at most CAPACITY keys in shared memory. */
#ifndef WEFT_CUDA_SORT_BUCKETS_LOCAL_CUH
#define WEFT_CUDA_SORT_BUCKETS_LOCAL_CUH

#include "cuda/runtime/warp_reduce.cuh"
#include "cuda/sort/sort_buckets.cuh"

enum {
    CELL_BITS = 12,
    CELLS = 1 << CELL_BITS, /* at most */
    FEW_CELLS = CELLS / 2,  /* at least: 4 for each thread */
    RUN = 16,               /* keys that a thread sorts */
    FEW_KEYS = RUN / 2 + 1, /* keys of a cell that are in at most two halves of runs */
    MOST_STEPS = 24         /* more steps of merging take longer than a bitonic sort */
};

/* Shared memory: the keys, what the warps tell one another, and the number of keys of each cell, then the index of
 * its first key. A word is left free after each run, so that threads that read their runs have different banks. */
template <class Bits> struct local_memory {
    enum { KEYS = sort_sizes<Bits>::CAPACITY + 4 * RUN, WARPS = SORT_THREADS / 32 };
    Bits *const keys, *const differ;
    uint32_t *const cells, *const sums;
    __device__ __forceinline__ local_memory()
        : keys((Bits *)dynamic_shared()), differ(keys + KEYS + KEYS / RUN), cells((uint32_t *)(differ + WARPS)),
          sums(cells + CELLS) {}
    __device__ __forceinline__ Bits &key(uint32_t i) const { return keys[i + i / RUN]; }
    static size_t bytes() {
        static_assert((KEYS + KEYS / RUN + WARPS) * sizeof(Bits) % 16 == 0, "cells are read 16 bytes at a time");
        return (KEYS + KEYS / RUN + WARPS) * sizeof(Bits) + (CELLS + WARPS) * sizeof(uint32_t);
    }
};

/* Replaces the numbers of keys of the cells by the index of the first key of each. A thread has 4 * EACH cells.
 * Returns true in threads with a cell of more than FEW_KEYS keys. */
template <int EACH> static __device__ __forceinline__ bool start_cells(uint32_t *cells, uint32_t *sums) {
    uint4 *const mine = (uint4 *)cells + threadIdx.x * EACH;
    uint4 v[EACH];
    uint32_t sum = 0, most = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        v[i] = mine[i];
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
        most = max(max(max(v[i].x, v[i].y), max(v[i].z, v[i].w)), most);
    }
    uint32_t at = sum_before<SORT_THREADS>(sum, sums);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        mine[i] = uint4{at, at + v[i].x, at + v[i].x + v[i].y, at + v[i].x + v[i].y + v[i].z};
        at = mine[i].w + v[i].w;
    }
    return most > FEW_KEYS;
}

template <class Bits> static __device__ __forceinline__ void exchange(Bits &a, Bits &b) {
    const Bits least = min(a, b);
    b = max(a, b);
    a = least;
}

/* A step of odd-even merging (K. E. Batcher, 1968), which merges sorted sequences of P keys. */
template <int P, int DISTANCE, class Bits> static __device__ __forceinline__ void merge_step(Bits (&v)[RUN]) {
#pragma unroll
    for (int i = DISTANCE % P; i < RUN - DISTANCE; i++)
        if ((i - DISTANCE % P) / DISTANCE % 2 == 0 && i / (2 * P) == (i + DISTANCE) / (2 * P))
            exchange(v[i], v[i + DISTANCE]);
}

/* Merges the two sorted halves of a run. */
template <class Bits> static __device__ __forceinline__ void merge_halves(Bits (&v)[RUN]) {
    merge_step<8, 8>(v), merge_step<8, 4>(v), merge_step<8, 2>(v), merge_step<8, 1>(v);
}

template <class Bits> static __device__ __forceinline__ void sort_run(Bits (&v)[RUN]) {
    merge_step<1, 1>(v);
    merge_step<2, 2>(v), merge_step<2, 1>(v);
    merge_step<4, 4>(v), merge_step<4, 2>(v), merge_step<4, 1>(v);
    merge_halves(v);
}

/* Sorts keys of which few are far from where they belong: runs of RUN keys are sorted, and then merged with halves of
 * their neighbours in turn, until all are in order: after two steps if no cell has more than FEW_KEYS keys. Returns
 * false if that takes many steps. The keys from `count` on are greatest. */
template <class Bits>
static __device__ __forceinline__ bool sort_cells(const local_memory<Bits> &memory, uint32_t count, bool crowded) {
    for (uint32_t s = 0; s < MOST_STEPS; s++) {
        const uint32_t first = threadIdx.x * RUN + s % 2 * (RUN / 2), middle = first + RUN / 2;
        const bool moves = first < count && (s < 2 || memory.key(middle - 1) > memory.key(middle));
        if (moves) {
            Bits v[RUN];
#pragma unroll
            for (int i = 0; i < RUN; i++) v[i] = memory.key(first + i);
            if (s == 0)
                sort_run(v);
            else
                merge_halves(v);
#pragma unroll
            for (int i = 0; i < RUN; i++) memory.key(first + i) = v[i];
        }
        if (!__syncthreads_or(moves) || (s == 1 && !crowded)) return true;
    }
    return false;
}

/* Sorts all keys. */
template <class Bits>
static __device__ __forceinline__ void sort_bitonic(const local_memory<Bits> &memory, uint32_t count) {
    const uint32_t all = 1u << bits_of(count - 1);
    for (uint32_t i = count + threadIdx.x; i < all; i += SORT_THREADS) memory.key(i) = (Bits) ~(Bits)0;
    for (uint32_t size = 2; size <= all; size *= 2)
        for (uint32_t stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < all / 2; i += SORT_THREADS) {
                const uint32_t a = 2 * i - (i & (stride - 1));
                const Bits x = memory.key(a), y = memory.key(a + stride);
                if ((x > y) == ((a & size) == 0)) memory.key(a) = y, memory.key(a + stride) = x;
            }
        }
    __syncthreads();
}

/* Calls f(k, i) for each key i of the thread. Rows after the last key are skipped four at a time. */
template <int PER, class F> static __device__ __forceinline__ void for_keys(uint32_t count, F f) {
#pragma unroll
    for (int k = 0; k < PER; k++) {
        const uint32_t i = k * SORT_THREADS + threadIdx.x;
        if (k % 4 == 0 && k * SORT_THREADS >= count) break;
        if (i < count) f(k, i);
    }
}

enum state_of_cells { SORTED, SPARSE /* no cell has more than FEW_KEYS keys */, CROWDED };

/* Sorts a range, of which the thread has the keys v, and loads those of the next range. The keys are distributed to
 * cells by the highest bits in which they differ. There are about as many cells as keys. Then those of each cell are
 * sorted. */
template <class Bits, bool FLOAT> struct range_sorter {
    enum { PER = sort_sizes<Bits>::PER };
    const level_params<Bits, FLOAT> &j;
    const local_memory<Bits> memory;
    Bits v[PER], first;

    __device__ __forceinline__ explicit range_sorter(const level_params<Bits, FLOAT> &params) : j(params) {}
    __device__ __forceinline__ void load(const key_range<Bits> &r) {
        const Bits *const from = j.buffers[r.buffer] + r.start;
        if (r.count > 0) first = from[0];
        for_keys<PER>(r.count, [&](int k, uint32_t i) { v[k] = __ldcs(from + i); });
    }
    __device__ __forceinline__ void store(const key_range<Bits> &r) const {
        Bits *const to = j.buffers[IN_SORTED] + r.start;
        for_keys<PER>(r.count, [&](int, uint32_t i) { to[i] = j.order.key(memory.key(i)); });
    }
    /* Returns the bits in which the keys differ. */
    __device__ __forceinline__ Bits differing(const key_range<Bits> &r) const {
        Bits differ = 0;
        for_keys<PER>(r.count, [&](int k, uint32_t) { differ |= v[k] ^ first; });
        differ = warp_or(differ);
        if (threadIdx.x % 32 == 0) memory.differ[threadIdx.x / 32] = differ;
        __syncthreads();
        return warp_or(memory.differ[threadIdx.x % (SORT_THREADS / 32)]);
    }
    /* Copies the keys to shared memory by cells. */
    __device__ __forceinline__ state_of_cells distribute(const key_range<Bits> &r) const {
        uint32_t *const cells = memory.cells;
        const bool few = r.count <= FEW_CELLS;
        for (uint32_t c = threadIdx.x; c < (few ? FEW_CELLS : CELLS); c += SORT_THREADS) cells[c] = 0;
        const uint32_t of_keys = r.bits == 0 ? 0 : bits_of(differing(r));
        if (of_keys == 0) { /* equal keys, or NaNs */
            for_keys<PER>(r.count, [&](int k, uint32_t i) { memory.key(i) = v[k]; });
            return SORTED;
        }
        const uint32_t bits = min(of_keys, (uint32_t)(few ? CELL_BITS - 1 : CELL_BITS)), shift = of_keys - bits;
        uint32_t at[PER]; /* the cell, and the number of keys in it before this one */
        for_keys<PER>(r.count, [&](int k, uint32_t) {
            const uint32_t cell = (uint32_t)(v[k] >> shift) & ((1u << bits) - 1);
            at[k] = cell << 16 | atomicAdd(&cells[cell], 1);
        });
        __syncthreads();
        const bool crowded =
            __syncthreads_or(few ? start_cells<1>(cells, memory.sums) : start_cells<2>(cells, memory.sums));
        for_keys<PER>(r.count, [&](int k, uint32_t) { memory.key(cells[at[k] >> 16] + (at[k] & 0xffff)) = v[k]; });
        if (threadIdx.x < 2 * RUN) memory.key(r.count + threadIdx.x) = (Bits) ~(Bits)0;
        return shift == 0 ? SORTED : crowded ? CROWDED : SPARSE;
    }
    __device__ __forceinline__ void sort(const key_range<Bits> &r, const key_range<Bits> &next) {
        const state_of_cells state = distribute(r);
        __syncthreads();
        load(next);
        if (state != SORTED && !sort_cells(memory, r.count, state == CROWDED)) sort_bitonic(memory, r.count);
        store(r);
        __syncthreads();
    }
};

/* Sorts, or copies, the ranges that a level has left, to the sorted array. Clears the counts for the next level. */
template <class Bits, bool FLOAT>
__global__ void __launch_bounds__(SORT_THREADS, MOVING_BLOCKS)
    sort_ranges_kernel(const __grid_constant__ level_params<Bits, FLOAT> j) {
    range_sorter<Bits, FLOAT> sorter(j);
    wait_for_stream();
    const uint32_t parts = j.state->levels[j.level].parts, counts = j.state->levels[j.level + 1].ranges * DIGITS;
    for (uint32_t i = blockIdx.x * SORT_THREADS + threadIdx.x; i < counts; i += gridDim.x * SORT_THREADS)
        j.counts[i] = 0;
    if (blockIdx.x >= parts) return;
    key_range<Bits> r = j.parts[blockIdx.x];
    sorter.load(r);
    for (uint32_t i = blockIdx.x; i < parts; i += gridDim.x) {
        key_range<Bits> next = {};
        if (i + gridDim.x < parts) next = j.parts[i + gridDim.x];
        sorter.sort(r, next);
        r = next;
    }
}

#endif
