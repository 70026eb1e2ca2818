/* Sorts of many vectors of several tiles (ORDER.md 32): the tiles are sorted as in sort_axis.cuh, and each pass
 * merges pairs of sorted runs, all vectors at once. The items of keys alone are ranks here. The ranks of NaNs are
 * equal in comparisons, so the merge is stable. The last pass stores the results. */
#ifndef WEFT_CUDA_SORT_AXIS_MERGE_CUH
#define WEFT_CUDA_SORT_AXIS_MERGE_CUH

#include "cuda/merge/merge_path.cuh"
#include "cuda/runtime/resident.h"
#include "cuda/sort_axis/sort_axis.cuh"

/* A thread merges ITEMS items of a tile. More of them take fewer searches, but more registers and shared memory. */
template <class Item> struct sort_merge_tile {
    enum { ITEMS = sizeof(Item) <= 8 ? 16 : 8, THREADS = 256, SIZE = THREADS * ITEMS };
};

/* Conversions of items, and their order. */
template <class Item, bool INDICES> struct sort_merged {
    Item greatest;
    __device__ explicit sort_merged(const sort_axis_rule &rule) : greatest((Item)rule.greatest) {}
    __device__ __forceinline__ bool operator()(Item b, Item a) const { return b < a && b <= greatest; }
    static __device__ __forceinline__ Item result(const sort_axis_rule &rule, Item v) { return key_of(rule, v); }
};
template <class Item> struct sort_merged<Item, true> {
    __device__ explicit sort_merged(const sort_axis_rule &) {}
    __device__ __forceinline__ bool operator()(const Item &b, const Item &a) const { return item_less(b, a); }
    static __device__ __forceinline__ uint32_t result(const sort_axis_rule &, const Item &v) {
        return sort_items<Item, true>::index(v);
    }
};

/* A pair of runs and the part of its result that a tile has. */
struct sort_pair_of_runs {
    uint64_t vector, from;  /* from: the first item of the pair in a.from */
    uint32_t begin, na, nb; /* begin: the first item in the vector; lengths of the runs */
    uint32_t d, count;      /* the first result in the pair, and how many */
};

static __device__ __forceinline__ sort_pair_of_runs runs_of(const sort_merge_params &a, uint32_t size,
                                                            uint64_t tile) {
    sort_pair_of_runs r;
    r.vector = tile / a.vector_tiles;
    const uint32_t first = (uint32_t)(tile - r.vector * a.vector_tiles) * size;
    r.begin = first / (2 * a.run) * (2 * a.run);
    r.na = min(a.n - r.begin, a.run);
    r.nb = min(a.n - r.begin - r.na, a.run);
    r.d = first - r.begin;
    r.count = min(size, r.na + r.nb - r.d);
    r.from = r.vector * a.n + r.begin;
    return r;
}

template <class Item, bool INDICES>
static __global__ void __launch_bounds__(SORT_THREADS)
    sort_split_kernel(const __grid_constant__ sort_merge_params a) {
    const uint64_t tile = (uint64_t)blockIdx.x * SORT_THREADS + threadIdx.x;
    if (tile >= a.tiles) return;
    const sort_pair_of_runs r = runs_of(a, sort_merge_tile<Item>::SIZE, tile);
    const Item *const from = (const Item *)a.from + r.from;
    a.splits[tile] = split(from, r.na, from + r.na, r.nb, r.d, sort_merged<Item, INDICES>(a.rule));
}

/* Stores the results of a tile, or its items, from `to` on. */
template <class Item, bool FULL, class Word, class Result>
static __device__ __forceinline__ void store_merged(const Item *tile, uint32_t count, Word *to,
                                                    const Result &result) {
    typedef sort_merge_tile<Item> shape;
#pragma unroll
    for (uint32_t s = 0; s < shape::ITEMS; s++) {
        const uint32_t i = s * shape::THREADS + threadIdx.x;
        if (FULL || i < count) to[i] = (Word)result(tile[i + i / shape::ITEMS]);
    }
}

template <class Item, bool INDICES, bool FULL>
static __device__ __forceinline__ void merge_runs(const sort_merge_params &a, const sort_pair_of_runs &r,
                                                  uint32_t from_a, extent size, Item *tile) {
    typedef sort_merged<Item, INDICES> order;
    typedef sort_merge_tile<Item> shape;
    const Item *const first_a = (const Item *)a.from + r.from + from_a;
    const Item *const first_b = (const Item *)a.from + r.from + r.na + (r.d - from_a);
    const uint32_t own = threadIdx.x * shape::ITEMS;
    Item v[shape::ITEMS];
    load_parts<shape::THREADS, FULL>(first_a, first_b, size, v);
#pragma unroll
    for (uint32_t s = 0; s < shape::ITEMS; s++) {
        const uint32_t i = s * shape::THREADS + threadIdx.x;
        if (FULL || i < size.all) tile[i] = v[s];
    }
    __syncthreads();
    merge_items<shape::ITEMS>(tile, size, FULL ? own : min(own, size.all), order(a.rule), v);
    __syncthreads();
#pragma unroll
    for (uint32_t s = 0; s < shape::ITEMS; s++) tile[own + own / shape::ITEMS + s] = v[s];
    __syncthreads();
    if (!a.last)
        return store_merged<Item, FULL>(tile, size.all, (Item *)a.to + r.from + r.d, [](const Item &v) { return v; });
    const auto result = [&](const Item &v) { return order::result(a.rule, v); };
    int64_t x = 0, y = 0;
    view_offsets(a.outer, r.vector, x, y);
    char *const to = (char *)a.to + y + (int64_t)(r.begin + r.d) * a.result_bytes;
    switch (a.result_bytes) {
    case 1: return store_merged<Item, FULL>(tile, size.all, (uint8_t *)to, result);
    case 2: return store_merged<Item, FULL>(tile, size.all, (uint16_t *)to, result);
    case 4: return store_merged<Item, FULL>(tile, size.all, (uint32_t *)to, result);
    default: return store_merged<Item, FULL>(tile, size.all, (uint64_t *)to, result);
    }
}

/* Merges one tile per block. */
template <class Item, bool INDICES>
static __global__ void __launch_bounds__(sort_merge_tile<Item>::THREADS,
                                         RESIDENT_BLOCKS(SORT_MERGE_BLOCKS(sizeof(Item)),
                                                         sort_merge_tile<Item>::THREADS))
    sort_merge_kernel(const __grid_constant__ sort_merge_params a) {
    typedef sort_merge_tile<Item> shape;
    /* A gap after the results of each thread avoids bank conflicts. */
    __shared__ Item tile[shape::SIZE + shape::SIZE / shape::ITEMS];
    const sort_pair_of_runs r = runs_of(a, shape::SIZE, blockIdx.x);
    const uint32_t from_a = a.splits[blockIdx.x];
    const uint32_t to_a = r.d + r.count < r.na + r.nb ? a.splits[blockIdx.x + 1] : r.na;
    const extent size = {to_a - from_a, r.count};
    if (r.count == shape::SIZE)
        merge_runs<Item, INDICES, true>(a, r, from_a, size, tile);
    else
        merge_runs<Item, INDICES, false>(a, r, from_a, size, tile);
}

#endif
