/* Sorts of many short vectors (ORDER.md 32) by bitonic networks (K. E. Batcher, Sorting networks and their
 * applications, 1968). A key becomes an item, an unsigned number by which it is sorted. Items are unique or have
 * equal keys, so that the network need not be stable:
 *
 *   - Keys alone: the item is the code of the key (arith/sort_code.h), from which the key is restored. The items of
 *     NaNs are greater than those of all numbers and contain the index of the NaN, which is read again.
 *   - Indices: the item is the code, followed by the index.
 *
 * A block sorts SORT_TILE items: one vector, or several that are padded to a power of two. A thread holds SORT_EACH
 * adjacent items. Threads of a warp exchange them by shuffles, others in shared memory. */
#ifndef WEFT_CUDA_SORT_AXIS_CUH
#define WEFT_CUDA_SORT_AXIS_CUH

#include "cuda/copy_view/view_offsets.cuh"
#include "cuda/sort_axis/sort_axis_params.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------- items */

struct sort_pair {
    uint64_t code;
    uint32_t index;
};

static __device__ __forceinline__ bool item_less(uint32_t a, uint32_t b) { return a < b; }
static __device__ __forceinline__ bool item_less(uint64_t a, uint64_t b) { return a < b; }
static __device__ __forceinline__ bool item_less(const sort_pair &a, const sort_pair &b) {
    return a.code < b.code || (a.code == b.code && a.index < b.index);
}

template <class Item> static __device__ __forceinline__ Item item_xor(Item v, uint32_t mask) {
    return __shfl_xor_sync(~0u, v, mask);
}
template <> __device__ __forceinline__ sort_pair item_xor<sort_pair>(sort_pair v, uint32_t mask) {
    return sort_pair{__shfl_xor_sync(~0u, v.code, mask), __shfl_xor_sync(~0u, v.index, mask)};
}

/* The conversions between keys, of type `word` or narrower, and items. */
template <class Item, bool INDICES> struct sort_items;

template <class Word> struct sort_key_items {
    typedef Word word;
    /* Greater than the items of `SORT_TILE` NaNs, or equal to the item of the greatest key. */
    static __device__ __forceinline__ Word padding(uint32_t) { return (Word) ~(Word)0; }
    static __device__ __forceinline__ Word item(Word rank, Word greatest, uint32_t index) {
        return rank > greatest ? greatest + 1 + index : rank;
    }
};
template <> struct sort_items<uint32_t, false> : sort_key_items<uint32_t> {};
template <> struct sort_items<uint64_t, false> : sort_key_items<uint64_t> {};

template <> struct sort_items<uint32_t, true> {
    typedef uint32_t word; /* an integer of at most 16 bits */
    static __device__ __forceinline__ uint32_t padding(uint32_t index) { return ~0u << 16 | index; }
    static __device__ __forceinline__ uint32_t item(uint32_t rank, uint32_t, uint32_t index) {
        return rank << 16 | index;
    }
    static __device__ __forceinline__ uint32_t index(uint32_t item) { return item & 0xffff; }
    static __device__ __forceinline__ uint32_t moved(uint32_t item, uint32_t by) { return item + by; }
};
template <> struct sort_items<uint64_t, true> {
    typedef uint32_t word;
    static __device__ __forceinline__ uint64_t padding(uint32_t index) { return (uint64_t)~0u << 32 | index; }
    static __device__ __forceinline__ uint64_t item(uint32_t rank, uint32_t greatest, uint32_t index) {
        return (uint64_t)(rank > greatest ? ~0u : rank) << 32 | index;
    }
    static __device__ __forceinline__ uint32_t index(uint64_t item) { return (uint32_t)item; }
    static __device__ __forceinline__ uint64_t moved(uint64_t item, uint32_t by) { return item + by; }
};
template <> struct sort_items<sort_pair, true> {
    typedef uint64_t word;
    static __device__ __forceinline__ sort_pair padding(uint32_t index) { return sort_pair{~(uint64_t)0, index}; }
    static __device__ __forceinline__ sort_pair item(uint64_t rank, uint64_t greatest, uint32_t index) {
        return sort_pair{rank > greatest ? ~(uint64_t)0 : rank, index};
    }
    static __device__ __forceinline__ uint32_t index(const sort_pair &item) { return item.index; }
    static __device__ __forceinline__ sort_pair moved(const sort_pair &item, uint32_t by) {
        return sort_pair{item.code, item.index + by};
    }
};

static __device__ __forceinline__ uint32_t rank_of(const sort_axis_rule &r, uint32_t key) {
    return weft_sort_rank_32((uint32_t)r.fold, (uint32_t)r.xor_mask, (uint32_t)r.add, key << r.shift);
}
static __device__ __forceinline__ uint64_t rank_of(const sort_axis_rule &r, uint64_t key) {
    return weft_sort_rank_64(r.fold, r.xor_mask, r.add, key);
}
static __device__ __forceinline__ uint32_t key_of(const sort_axis_rule &r, uint32_t rank) {
    return weft_sort_key_32((uint32_t)r.fold, (uint32_t)r.xor_mask, (uint32_t)r.add, rank) >> r.shift;
}
static __device__ __forceinline__ uint64_t key_of(const sort_axis_rule &r, uint64_t rank) {
    return weft_sort_key_64(r.fold, r.xor_mask, r.add, rank);
}

/* --------------------------------------------------------------------------------------- memory */

static __device__ __forceinline__ void load_word(const char *p, uint32_t bytes, uint32_t &v) {
    v = bytes == 4 ? *(const uint32_t *)p : bytes == 2 ? *(const uint16_t *)p : *(const uint8_t *)p;
}
static __device__ __forceinline__ void load_word(const char *p, uint32_t, uint64_t &v) { v = *(const uint64_t *)p; }

static __device__ __forceinline__ void store_word(char *p, uint32_t bytes, uint64_t v) {
    if (bytes == 8)
        *(uint64_t *)p = v;
    else if (bytes == 4)
        *(uint32_t *)p = (uint32_t)v;
    else if (bytes == 2)
        *(uint16_t *)p = (uint16_t)v;
    else
        *(uint8_t *)p = (uint8_t)v;
}

/* Load and store SORT_EACH adjacent words at an address that is a multiple of 16. */
template <class Word> static __device__ __forceinline__ void load_adjacent(const char *p, Word (&v)[SORT_EACH]) {
    uint4 parts[sizeof v / 16];
#pragma unroll
    for (uint32_t k = 0; k < sizeof v / 16; k++) parts[k] = ((const uint4 *)p)[k];
    memcpy(v, parts, sizeof v);
}
template <class Word> static __device__ __forceinline__ void store_adjacent(char *p, const Word (&v)[SORT_EACH]) {
    uint4 parts[sizeof v / 16];
    memcpy(parts, v, sizeof v);
#pragma unroll
    for (uint32_t k = 0; k < sizeof v / 16; k++) ((uint4 *)p)[k] = parts[k];
}

/* Items in shared memory, with gaps that avoid bank conflicts between threads that access their own items. */
template <class Item> struct sort_shared {
    enum { GAP = 128 / sizeof(Item) };
    Item items[SORT_TILE + SORT_TILE / GAP];
    __device__ __forceinline__ Item &at(uint32_t i) { return items[i + i / GAP]; }
};

/* Position of a thread's elements: the vector, its number in the tile, and the first element. With DIRECT, the
 * elements are adjacent and aligned, and otherwise as many elements apart as the vector has threads. */
struct sort_lane {
    uint32_t slot, first;
    bool present;
    uint32_t index; /* of the vector's first element in the vector of which it is a tile */
    int64_t x, y;   /* offsets of the vector */
};

/* Adjacent threads have adjacent elements of a vector, or, with `across`, the same elements of adjacent vectors. */
static __device__ __forceinline__ sort_lane lane_of(const sort_axis_params &a, bool across, uint64_t tile) {
    const uint32_t tile_log2 = SORT_THREADS_LOG2 - a.threads_log2; /* of the number of vectors of a tile */
    const uint32_t slot = across ? threadIdx.x & ((1u << tile_log2) - 1) : threadIdx.x >> a.threads_log2;
    const uint32_t first = across ? threadIdx.x >> tile_log2 : threadIdx.x & ((1u << a.threads_log2) - 1);
    const uint64_t vector = (tile << tile_log2) + slot;
    sort_lane lane = {slot, first, vector < a.vectors, 0, 0, 0};
    if (a.stores_items) lane.index = a.first_index + (uint32_t)(vector % a.vector_tiles) * SORT_TILE;
    if (lane.present) view_offsets(a.outer, vector, lane.x, lane.y);
    return lane;
}

template <bool DIRECT>
static __device__ __forceinline__ uint32_t element_of(const sort_axis_params &a, const sort_lane &lane, uint32_t r) {
    return DIRECT ? lane.first * SORT_EACH + r : (r << a.threads_log2) + lane.first;
}

/* Waits for the threads that access the same vectors. */
static __device__ __forceinline__ void wait_for_vectors(const sort_axis_params &a) {
    if (a.across_x || a.across_y || a.threads_log2 > 5)
        __syncthreads();
    else
        __syncwarp();
}

template <class Item, bool INDICES, bool DIRECT>
static __device__ __forceinline__ void load_items(const sort_axis_params &a, const sort_lane &lane,
                                                  Item (&v)[SORT_EACH]) {
    typedef sort_items<Item, INDICES> items;
    typedef typename items::word word;
    if (DIRECT) {
        word keys[SORT_EACH] = {0};
        const uint32_t first = element_of<DIRECT>(a, lane, 0);
        if (lane.present) load_adjacent(a.x + lane.x + first * sizeof(word), keys);
#pragma unroll
        for (uint32_t r = 0; r < SORT_EACH; r++)
            v[r] = items::item(rank_of(a.rule, keys[r]), (word)a.rule.greatest, first + r);
    } else {
#pragma unroll
        for (uint32_t r = 0; r < SORT_EACH; r++) {
            const uint32_t i = element_of<DIRECT>(a, lane, r);
            v[r] = items::padding(i);
            if (!lane.present || i >= a.n) continue;
            word key;
            load_word(a.x + lane.x + (int64_t)i * a.x_stride, a.bytes, key);
            v[r] = items::item(rank_of(a.rule, key), (word)a.rule.greatest, i);
        }
    }
}

/* Stores results, or the items of keys alone. */
template <bool DIRECT, class Word>
static __device__ __forceinline__ void store_words(const sort_axis_params &a, const sort_lane &lane,
                                                   const Word (&v)[SORT_EACH]) {
    if (!lane.present) return;
    if (DIRECT) {
        char *const y = a.y + lane.y + (size_t)element_of<DIRECT>(a, lane, 0) * a.result_bytes;
        if (a.result_bytes == sizeof(Word)) return store_adjacent(y, v);
        uint64_t wide[SORT_EACH];
#pragma unroll
        for (uint32_t r = 0; r < SORT_EACH; r++) wide[r] = v[r];
        store_adjacent(y, wide);
    } else {
#pragma unroll
        for (uint32_t r = 0; r < SORT_EACH; r++) {
            const uint32_t i = element_of<DIRECT>(a, lane, r);
            if (i < a.n) store_word(a.y + lane.y + (int64_t)i * a.y_stride, a.result_bytes, v[r]);
        }
    }
}

/* Stores the results of items: of keys alone, keys or ranks. */
template <class Item, bool INDICES, bool DIRECT> struct sort_store {
    /* Reads NaNs again, all before the first key of the vector is stored, since y may be x. */
    static __device__ __forceinline__ void store(const sort_axis_params &a, const sort_lane &lane,
                                                 Item (&v)[SORT_EACH]) {
        const Item greatest = (Item)a.rule.greatest;
        const uint32_t left = lane.present ? a.n : 0;
#pragma unroll
        for (uint32_t r = 0; r < SORT_EACH; r++) {
            if (v[r] > greatest && element_of<DIRECT>(a, lane, r) < left) {
                load_word(a.x + lane.x + (int64_t)(v[r] - greatest - 1) * a.x_stride, a.bytes, v[r]);
                if (a.stores_items) v[r] = rank_of(a.rule, v[r]);
            } else if (!a.stores_items) {
                v[r] = key_of(a.rule, v[r]);
            }
        }
        if (a.has_nans) wait_for_vectors(a);
        store_words<DIRECT>(a, lane, v);
    }
};

/* Stores the index of each item, or the item with the index in the longer vector. */
template <class Item, bool DIRECT> struct sort_store<Item, true, DIRECT> {
    typedef sort_items<Item, true> items;
    static __device__ __forceinline__ void store(const sort_axis_params &a, const sort_lane &lane,
                                                 Item (&v)[SORT_EACH]) {
        if (!a.stores_items) {
            uint32_t index[SORT_EACH];
#pragma unroll
            for (uint32_t r = 0; r < SORT_EACH; r++) index[r] = items::index(v[r]);
            return store_words<DIRECT>(a, lane, index);
        }
#pragma unroll
        for (uint32_t r = 0; r < SORT_EACH; r++) {
            const uint32_t i = element_of<DIRECT>(a, lane, r);
            Item *const y = (Item *)(a.y + lane.y + (int64_t)i * a.y_stride);
            if (lane.present && i < a.n) *y = items::moved(v[r], lane.index);
        }
    }
};

/* -------------------------------------------------------------------------------------- network */

static __device__ __forceinline__ void exchange(uint32_t &a, uint32_t &b) {
    const uint32_t first = a;
    a = min(first, b);
    b = max(first, b);
}
template <class Item> static __device__ __forceinline__ void exchange(Item &a, Item &b) {
    const Item first = a;
    const bool swaps = item_less(b, a);
    a = swaps ? b : a;
    b = swaps ? first : b;
}

/* Returns the lesser item, or the greater one. */
static __device__ __forceinline__ uint32_t one_of(bool greater, uint32_t own, uint32_t other) {
    return greater ? max(own, other) : min(own, other);
}
template <class Item>
static __device__ __forceinline__ Item one_of(bool greater, const Item &own, const Item &other) {
    return item_less(other, own) != greater ? other : own;
}

/* Sorts a thread's items by merge exchange, one step per line. */
template <class Item> static __device__ __forceinline__ void sort_own(Item (&v)[SORT_EACH]) {
    static_assert(SORT_EACH == 8, "the network is for 8 items");
    exchange(v[0], v[1]), exchange(v[2], v[3]), exchange(v[4], v[5]), exchange(v[6], v[7]);
    exchange(v[0], v[2]), exchange(v[1], v[3]), exchange(v[4], v[6]), exchange(v[5], v[7]);
    exchange(v[1], v[2]), exchange(v[5], v[6]);
    exchange(v[0], v[4]), exchange(v[1], v[5]), exchange(v[2], v[6]), exchange(v[3], v[7]);
    exchange(v[2], v[4]), exchange(v[3], v[5]);
    exchange(v[1], v[2]), exchange(v[3], v[4]), exchange(v[5], v[6]);
}

/* Sorts a thread's items, which are bitonic. */
template <class Item> static __device__ __forceinline__ void merge_own(Item (&v)[SORT_EACH]) {
#pragma unroll
    for (int distance = SORT_EACH / 2; distance > 0; distance /= 2)
#pragma unroll
        for (int i = 0; i < SORT_EACH; i++)
            if (!(i & distance)) exchange(v[i], v[i + distance]);
}

/* Sets other[r] to item r of the thread whose number differs in the bits `mask`, or, with `reversed`, to its item
 * SORT_EACH - 1 - r. */
template <class Item>
static __device__ __forceinline__ void items_of(uint32_t mask, bool reversed, sort_shared<Item> &s,
                                                const Item (&v)[SORT_EACH], Item (&other)[SORT_EACH]) {
    if (mask < 32) {
#pragma unroll
        for (uint32_t r = 0; r < SORT_EACH; r++) other[r] = item_xor(reversed ? v[SORT_EACH - 1 - r] : v[r], mask);
        return;
    }
    const uint32_t flip = reversed ? SORT_EACH - 1 : 0;
    __syncthreads();
#pragma unroll
    for (uint32_t r = 0; r < SORT_EACH; r++) s.at(threadIdx.x * SORT_EACH + r) = v[r];
    __syncthreads();
#pragma unroll
    for (uint32_t r = 0; r < SORT_EACH; r++) other[r] = s.at((threadIdx.x ^ mask) * SORT_EACH + (r ^ flip));
}

/* Sorts the items of each vector. Merges groups of threads: the first step compares each half with the reverse of the
 * other one, which leaves two bitonic halves. */
template <class Item>
static __device__ __forceinline__ void sort_vectors(const sort_axis_params &a, sort_shared<Item> &s,
                                                    Item (&v)[SORT_EACH]) {
    Item other[SORT_EACH];
    sort_own(v);
#pragma unroll 1
    for (uint32_t half = 1; half < 1u << a.threads_log2; half *= 2) {
        items_of(2 * half - 1, true, s, v, other);
#pragma unroll
        for (uint32_t r = 0; r < SORT_EACH; r++) v[r] = one_of((threadIdx.x & half) != 0, v[r], other[r]);
#pragma unroll 1
        for (uint32_t distance = half / 2; distance > 0; distance /= 2) {
            items_of(distance, false, s, v, other);
#pragma unroll
            for (uint32_t r = 0; r < SORT_EACH; r++) v[r] = one_of((threadIdx.x & distance) != 0, v[r], other[r]);
        }
        merge_own(v);
    }
}

/* Moves items from the threads of one arrangement to those of another one. Element r of a thread is element
 * r * r_step + first of vector `slot`. */
template <class Item>
static __device__ __forceinline__ void rearrange(const sort_axis_params &a, sort_shared<Item> &s, uint32_t from,
                                                 uint32_t from_step, uint32_t to, uint32_t to_step,
                                                 Item (&v)[SORT_EACH]) {
    wait_for_vectors(a);
#pragma unroll
    for (uint32_t r = 0; r < SORT_EACH; r++) s.at(from + r * from_step) = v[r];
    wait_for_vectors(a);
#pragma unroll
    for (uint32_t r = 0; r < SORT_EACH; r++) v[r] = s.at(to + r * to_step);
}

template <class Item, bool INDICES, bool DIRECT>
static __global__ void __launch_bounds__(SORT_THREADS) sort_axis_kernel(const __grid_constant__ sort_axis_params a) {
    __shared__ sort_shared<Item> s;
    const uint32_t own = threadIdx.x * SORT_EACH, step = 1u << a.threads_log2;
    for (uint64_t tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
        Item v[SORT_EACH];
        const sort_lane from = lane_of(a, a.across_x, tile), to = lane_of(a, a.across_y, tile);
        load_items<Item, INDICES, DIRECT>(a, from, v);
        /* Threads of a vector may hold its items in any order. */
        if (a.across_x) rearrange(a, s, from.slot * step * SORT_EACH + from.first, step, own, 1, v);
        sort_vectors(a, s, v);
        if (!DIRECT) rearrange(a, s, own, 1, to.slot * step * SORT_EACH + to.first, step, v);
        sort_store<Item, INDICES, DIRECT>::store(a, to, v);
    }
}

#endif
