/* Selection of the first k elements of many vectors (ORDER.md 12.2, 32). An element becomes the item of the sort of
 * indices (sort_axis.cuh): its code in the order of the selection, followed by its index. Items are unique, so that
 * their order decides between equal elements. The first k items of a vector are found in one of three ways:
 *
 *   - TAKE, k <= TOP_K_FIRST: each thread sorts 8 items. Then the threads of a warp, or of a part of it, take the
 *     least of their first items k times. Of a longer vector, each warp takes from chunks. It skips those without
 *     an item that is less than the k-th so far. At the end the first warp takes from the lists of all warps.
 *   - SORT, n <= SORT_TILE: bitonic sort of the vector.
 *   - RADIX, k <= SORT_TILE: a block finds the digits of the k-th item, from the highest down, until at most
 *     SORT_TILE items begin with these digits or less. It collects and sorts them. Each digit is a pass.
 */
#ifndef WEFT_CUDA_TOP_K_AXIS_CUH
#define WEFT_CUDA_TOP_K_AXIS_CUH

#include "cuda/sort_axis/sort_axis.cuh"
#include "cuda/top_k_axis/top_k_axis_params.h"

enum top_k_way { TOP_K_TAKE, TOP_K_SORT, TOP_K_RADIX };

/* Returns the position in shared memory of the items of vector `slot` of a tile. */
static __device__ __forceinline__ uint32_t items_at(const top_k_axis_params &a, uint32_t slot) {
    return slot * SORT_EACH << a.keys.threads_log2;
}

static __device__ __forceinline__ uint32_t code_of(uint64_t item) { return (uint32_t)(item >> 32); }
static __device__ __forceinline__ uint64_t code_of(const sort_pair &item) { return item.code; }

/* Loads elements base + r threads of a vector. Those that do not exist are padding. */
template <class Item>
static __device__ __forceinline__ void load_chunk(const sort_axis_params &a, const sort_lane &lane, uint32_t base,
                                                  Item (&v)[SORT_EACH]) {
    typedef sort_items<Item, true> items;
#pragma unroll
    for (uint32_t r = 0; r < SORT_EACH; r++) {
        const uint32_t i = base + element_of<false>(a, lane, r);
        typename items::word key;
        v[r] = items::padding(i);
        if (!lane.present || i >= a.n) continue;
        load_word(a.x + lane.x + (int64_t)i * a.x_stride, a.bytes, key);
        v[r] = items::item(rank_of(a.rule, key), (typename items::word)a.rule.greatest, i);
    }
}

/* ----------------------------------------------------------------------------------------- taking */

static __device__ __forceinline__ bool item_same(uint64_t a, uint64_t b) { return a == b; }
static __device__ __forceinline__ bool item_same(const sort_pair &a, const sort_pair &b) {
    return a.code == b.code && a.index == b.index;
}

/* Writes the first k items of `lanes` adjacent threads to the list at s.at(list). Takes the items of the list so far
 * too if `again`. */
template <class Item>
static __device__ __forceinline__ void take_first(uint32_t k, uint32_t lanes, uint32_t list, bool again,
                                                  sort_shared<Item> &s, Item (&v)[SORT_EACH]) {
    const Item none = sort_items<Item, true>::padding(~0u);
    const uint32_t lane = threadIdx.x & (lanes - 1);
    Item earlier = again && lane < k ? s.at(list + lane) : none;
    sort_own(v);
    __syncwarp();
#pragma unroll 1
    for (uint32_t i = 0; i < k; i++) {
        Item first = one_of(false, v[0], earlier);
#pragma unroll 1
        for (uint32_t distance = lanes / 2; distance > 0; distance /= 2)
            first = one_of(false, first, item_xor(first, distance));
        if (item_same(first, earlier)) {
            earlier = none;
        } else if (item_same(first, v[0])) {
#pragma unroll
            for (uint32_t r = 1; r < SORT_EACH; r++) v[r - 1] = v[r];
            v[SORT_EACH - 1] = none;
        }
        if (lane == 0) s.at(list + i) = first;
    }
    __syncwarp();
}

/* Takes from the lists of all warps of a vector. */
template <class Item>
static __device__ __forceinline__ void combine_lists(const top_k_axis_params &a, uint32_t slot,
                                                     sort_shared<Item> &s) {
    const uint32_t first = items_at(a, slot), warps = 1u << (a.keys.threads_log2 - 5), lane = threadIdx.x % 32;
    Item v[SORT_EACH];
    __syncthreads();
    if ((threadIdx.x >> 5 & (warps - 1)) != 0) return;
#pragma unroll
    for (uint32_t w = 0; w < SORT_EACH; w++)
        v[w] =
            w < warps && lane < a.k ? s.at(first + w * 32 * SORT_EACH + lane) : sort_items<Item, true>::padding(~0u);
    take_first(a.k, 32, first, false, s, v);
}

template <class Item>
static __device__ __forceinline__ void take_tile(const top_k_axis_params &a, sort_shared<Item> &s, uint64_t tile) {
    const sort_lane lane = lane_of(a.keys, a.keys.across_x, tile);
    const uint32_t own = threadIdx.x * SORT_EACH, threads = 1u << a.keys.threads_log2, lanes = min(threads, 32u);
    const uint32_t list = own & ~(lanes * SORT_EACH - 1);
    for (uint32_t base = 0; base < a.keys.n; base += threads * SORT_EACH) {
        Item v[SORT_EACH];
        load_chunk(a.keys, lane, base, v);
        if (a.keys.across_x) rearrange(a.keys, s, items_at(a, lane.slot) + lane.first, threads, own, 1, v);
        if (base > 0) {
            const Item last = s.at(list + a.k - 1);
            bool any = false;
#pragma unroll
            for (uint32_t r = 0; r < SORT_EACH; r++) any |= item_less(v[r], last);
            if (!__any_sync(~0u, any)) continue;
        }
        take_first(a.k, lanes, list, base > 0, s, v);
    }
    if (threads > 32) combine_lists(a, threadIdx.x >> a.keys.threads_log2, s);
}

/* ---------------------------------------------------------------------------------------- sorting */

template <class Item>
static __device__ __forceinline__ void sort_tile(const top_k_axis_params &a, sort_shared<Item> &s, uint64_t tile) {
    const sort_lane lane = lane_of(a.keys, a.keys.across_x, tile);
    const uint32_t own = threadIdx.x * SORT_EACH, threads = 1u << a.keys.threads_log2;
    Item v[SORT_EACH];
    load_chunk(a.keys, lane, 0, v);
    if (a.keys.across_x) rearrange(a.keys, s, items_at(a, lane.slot) + lane.first, threads, own, 1, v);
    sort_vectors(a.keys, s, v);
    __syncthreads();
#pragma unroll
    for (uint32_t r = 0; r < SORT_EACH; r++) s.at(own + r) = v[r];
}

/* ----------------------------------------------------------------------------------- radix select */

enum { TOP_K_DIGIT_BITS = 8, TOP_K_COUNTERS = 1 << TOP_K_DIGIT_BITS, TOP_K_COPIES = 8 };
static_assert(TOP_K_COUNTERS == SORT_THREADS, "a thread has one counter");

/* Digit number `digit` of an item, from the highest. */
static __device__ __forceinline__ uint32_t digit_of(uint64_t item, uint32_t digit) {
    return (uint32_t)(item >> (56 - 8 * digit)) & 255;
}
static __device__ __forceinline__ uint32_t digit_of(const sort_pair &item, uint32_t digit) {
    return digit < 8 ? digit_of(item.code, digit) : item.index >> (88 - 8 * digit) & 255;
}

/* The greatest item that begins with the given digits of an item. */
static __device__ __forceinline__ uint64_t last_with(uint64_t item, uint32_t digits) {
    return digits < 8 ? item | ~(uint64_t)0 >> 8 * digits : item;
}
static __device__ __forceinline__ sort_pair last_with(const sort_pair &item, uint32_t digits) {
    return digits < 8 ? sort_pair{last_with(item.code, digits), ~0u}
                      : sort_pair{item.code, digits < 12 ? item.index | ~0u >> (8 * digits - 64) : item.index};
}

static __device__ __forceinline__ uint64_t with_digit(uint64_t item, uint32_t digit, uint32_t value) {
    return item | (uint64_t)value << (56 - 8 * digit);
}
static __device__ __forceinline__ sort_pair with_digit(const sort_pair &item, uint32_t digit, uint32_t value) {
    return digit < 8 ? sort_pair{with_digit(item.code, digit, value), item.index}
                     : sort_pair{item.code, item.index | value << (88 - 8 * digit)};
}

/* State of the selection from one vector, in shared memory. */
struct top_k_digits {
    uint32_t counts[TOP_K_COUNTERS * TOP_K_COPIES];
    uint32_t warps[SORT_THREADS / 32]; /* sums of the counts of each warp's digits */
    uint32_t digit, before, count;     /* of the k-th item; items with lower digits, and with this one */
    uint32_t collected;
};

/* Counts the items that begin with the digits of `prefix`, by their next digit. */
template <class Item>
static __device__ __forceinline__ void count_digits(const sort_axis_params &a, const sort_lane &lane,
                                                    const Item &prefix, uint32_t digits, top_k_digits &d) {
    const Item last = last_with(prefix, digits);
    for (uint32_t i = threadIdx.x; i < TOP_K_COUNTERS * TOP_K_COPIES; i += SORT_THREADS) d.counts[i] = 0;
    __syncthreads();
    for (uint32_t base = 0; base < a.n; base += SORT_TILE) {
        Item v[SORT_EACH];
        load_chunk(a, lane, base, v);
#pragma unroll
        for (uint32_t r = 0; r < SORT_EACH; r++)
            if (base + element_of<false>(a, lane, r) < a.n && !item_less(v[r], prefix) && !item_less(last, v[r]))
                atomicAdd(&d.counts[digit_of(v[r], digits) * TOP_K_COPIES + threadIdx.x % TOP_K_COPIES], 1u);
    }
    __syncthreads();
}

/* Finds the digit of item number `k` from 1 on of those that were counted. */
static __device__ __forceinline__ void find_digit(uint32_t k, top_k_digits &d) {
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t count = 0;
    for (uint32_t c = 0; c < TOP_K_COPIES; c++) count += d.counts[threadIdx.x * TOP_K_COPIES + c];
    uint32_t up_to = count;
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
        const uint32_t other = __shfl_up_sync(~0u, up_to, distance);
        if (lane >= distance) up_to += other;
    }
    if (lane == 31) d.warps[warp] = up_to;
    __syncthreads();
    for (uint32_t w = 0; w < warp; w++) up_to += d.warps[w];
    if (up_to - count < k && k <= up_to) {
        d.digit = threadIdx.x;
        d.before = up_to - count;
        d.count = count;
    }
    __syncthreads();
}

/* Writes the items up to `last` to shared memory, in any order. */
template <class Item>
static __device__ __forceinline__ void collect(const sort_axis_params &a, const sort_lane &lane, const Item &last,
                                               top_k_digits &d, sort_shared<Item> &s) {
    if (threadIdx.x == 0) d.collected = 0;
    __syncthreads();
    for (uint32_t base = 0; base < a.n; base += SORT_TILE) {
        Item v[SORT_EACH];
        load_chunk(a, lane, base, v);
#pragma unroll
        for (uint32_t r = 0; r < SORT_EACH; r++)
            if (base + element_of<false>(a, lane, r) < a.n && !item_less(last, v[r]))
                s.at(atomicAdd(&d.collected, 1u)) = v[r];
    }
    __syncthreads();
}

template <class Item>
static __device__ __forceinline__ void select_tile(const top_k_axis_params &a, sort_shared<Item> &s, uint64_t tile) {
    __shared__ top_k_digits d;
    const sort_lane lane = lane_of(a.keys, false, tile);
    const uint32_t own = threadIdx.x * SORT_EACH;
    uint32_t taken = 0, count = a.keys.n, digits = 0; /* items before the prefix, and with it */
    Item prefix = Item(), v[SORT_EACH];
    while (taken + count > SORT_TILE) {
        count_digits(a.keys, lane, prefix, digits, d);
        find_digit(a.k - taken, d);
        prefix = with_digit(prefix, digits++, d.digit);
        taken += d.before;
        count = d.count;
    }
    collect(a.keys, lane, last_with(prefix, digits), d, s);
#pragma unroll
    for (uint32_t r = 0; r < SORT_EACH; r++)
        v[r] = own + r < taken + count ? s.at(own + r) : sort_items<Item, true>::padding(~0u);
    sort_vectors(a.keys, s, v);
    __syncthreads();
#pragma unroll
    for (uint32_t r = 0; r < SORT_EACH; r++) s.at(own + r) = v[r];
}

/* ---------------------------------------------------------------------------------------- storing */

static __device__ __forceinline__ char *target_at(const top_k_target &t, uint64_t vector, uint64_t i) {
    int64_t x = 0, y = 0;
    view_offsets(t.outer, vector, x, y);
    return t.y + y + (int64_t)i * t.stride;
}

/* Stores one result. A NaN is read again, since its item has no payload. */
template <class Item>
static __device__ __forceinline__ void store_result(const top_k_axis_params &a, uint64_t vector, uint32_t i,
                                                    const Item &item) {
    typename sort_items<Item, true>::word key = code_of(item);
    const uint32_t index = sort_items<Item, true>::index(item);
    if (key > a.keys.rule.greatest) {
        int64_t x = 0, y = 0;
        view_offsets(a.keys.outer, vector, x, y);
        load_word(a.keys.x + x + (int64_t)index * a.keys.x_stride, a.keys.bytes, key);
    } else {
        key = key_of(a.keys.rule, key);
    }
    store_word(target_at(a.values, vector, i), a.values.bytes, key);
    if (a.indices.y) store_word(target_at(a.indices, vector, i), a.indices.bytes, index);
}

template <class Item>
static __device__ __forceinline__ void store_tile(const top_k_axis_params &a, sort_shared<Item> &s, uint64_t tile) {
    const uint32_t tile_log2 = SORT_THREADS_LOG2 - a.keys.threads_log2;
    const uint64_t first = tile << tile_log2, left = a.keys.vectors - first;
    const uint32_t count = left < 1u << tile_log2 ? (uint32_t)left : 1u << tile_log2;
    for (uint32_t i = threadIdx.x; i < count * a.k; i += SORT_THREADS) {
        const uint32_t slot = a.across ? i % count : i / a.k, at = a.across ? i / count : i % a.k;
        store_result(a, first + slot, at, s.at(items_at(a, slot) + at));
    }
}

template <class Item, top_k_way WAY>
static __global__ void __launch_bounds__(SORT_THREADS)
    top_k_axis_kernel(const __grid_constant__ top_k_axis_params a) {
    __shared__ sort_shared<Item> s;
    for (uint64_t tile = blockIdx.x; tile < a.keys.tiles; tile += gridDim.x) {
        if (WAY == TOP_K_TAKE) take_tile(a, s, tile);
        if (WAY == TOP_K_SORT) sort_tile(a, s, tile);
        if (WAY == TOP_K_RADIX) select_tile(a, s, tile);
        __syncthreads();
        store_tile(a, s, tile);
        __syncthreads();
    }
}

/* Stores the elements that are named by the first k indices of each vector's list, and these indices. */
static __global__ void __launch_bounds__(SORT_THREADS)
    top_k_take_kernel(const __grid_constant__ top_k_take_params a) {
    const uint64_t step = (uint64_t)gridDim.x * SORT_THREADS;
    for (uint64_t at = (uint64_t)blockIdx.x * SORT_THREADS + threadIdx.x; at < a.vectors * a.k; at += step) {
        const uint64_t vector = at / a.k, i = at % a.k, listed = vector * a.list_length + i;
        const uint64_t index =
            a.list_bytes == 4 ? ((const uint32_t *)a.list)[listed] : ((const uint64_t *)a.list)[listed];
        int64_t x = 0, y = 0;
        view_offsets(a.values.outer, vector, x, y);
        const char *const from = a.x + x + (int64_t)index * a.x_stride;
        uint64_t wide;
        uint32_t word;
        if (a.bytes == 8)
            load_word(from, 8, wide);
        else
            load_word(from, a.bytes, word), wide = word;
        store_word(target_at(a.values, vector, i), a.values.bytes, wide);
        if (a.indices.y) store_word(target_at(a.indices, vector, i), a.indices.bytes, index);
    }
}

#endif
