/* Segmented reduction on a GPU: two kernels, by the length of a segment.
 *
 *     up to a row      1, 2, 4, ... lanes of a warp, eight elements each; so a warp reduces up to 32 segments at once
 *     up to 8 rows     a warp, one segment after the other
 *     up to 4 tiles    a warp of the second kernel
 *     longer           items of 32 tiles, a block each; the block that ends last combines the items' values
 *
 * The first kernel reduces the short segments and lists the others for the second. Both are launched early
 * (overlap.cuh), before the host knows whether the offsets are valid: the kernels write nothing if they are not.
 * Lanes and tiles are those of ORDER.md 2, counted from the segment's first element. Operators whose results do not
 * depend on order also use this tree. An operator has the members that scan_tiles.cuh describes. */
#ifndef WEFT_CUDA_SEGMENTED_REDUCE_CUH
#define WEFT_CUDA_SEGMENTED_REDUCE_CUH

#include "cuda/reduce/tree.cuh"
#include "cuda/runtime/overlap.cuh"
#include "cuda/segmented/segments.cuh"

/* Adapts an operator of scans to the canonical tree. */
template <class Scan> struct tree_operator : Scan {
    static constexpr int INPUTS = 1;
    typedef typename Scan::element T;
    typedef typename Scan::value A;
    static constexpr uint64_t ROW = WEFT_LANES(sizeof(T)), TILE = ROW * WEFT_TILE_ROWS;
    static constexpr uint64_t SHORT = REDUCE_SHORT_ROWS * ROW, MIDDLE = REDUCE_MIDDLE_TILES * TILE;
    __device__ explicit tree_operator(const scan_params &j) : Scan(j) {}
    __device__ A step(A lane, T x, T) const { return this->combine(lane, this->load(x)); }
};

/* ---------------------------------------------------------------------------- short segments */

/* Reduces the segments of `members`, lanes of this warp, which have at most 8 LANES elements, by LANES lanes each. A
 * lane of ORDER.md 2.1 has at most one element, and a lane without one does not change the result, so the halving
 * begins with 8 LANES lanes of the tree. Thread t holds lanes t, t + LANES, ... of the tree. Three steps of the
 * halving are within a thread, the others between threads. */
template <class Op, int LANES>
static __device__ __forceinline__ void reduce_class(const Op &op, const segments_params &a, segment own,
                                                    unsigned members, uint8_t *order, typename Op::result *results) {
    typedef typename Op::value A;
    const int lane = threadIdx.x % 32, count = __popc(members);
    if (count == 0) return;
    if (members >> lane & 1) order[__popc(members & ((1u << lane) - 1))] = (uint8_t)lane;
    __syncwarp();
    for (int first = 0; first < count; first += 32 / LANES) {
        const int number = first + lane / LANES;
        const int owner = number < count ? order[number] : 0;
        const uint64_t begin = __shfl_sync(ALL_LANES, own.begin, owner);
        const int length = __shfl_sync(ALL_LANES, (int)own.length, owner);
        const typename Op::element *x = (const typename Op::element *)a.x + begin + lane % LANES;
        const int left = number < count ? length - lane % LANES : 0;
        A v[8];
#pragma unroll
        for (int k = 0; k < 8; k++) v[k] = k * LANES < left ? op.load(x[k * LANES]) : op.identity();
#pragma unroll
        for (int half = 4; half >= 1; half /= 2)
#pragma unroll
            for (int k = 0; k < half; k++) v[k] = op.combine(v[k], v[k + half]);
#pragma unroll
        for (int distance = LANES / 2; distance >= 1; distance /= 2) v[0] = op.combine(v[0], across(v[0], distance));
        if (lane % LANES == 0 && number < count) results[owner] = op.store(v[0]);
    }
    __syncwarp();
}

/* Reduces the segments of `members`, which have at most REDUCE_SHORT_ROWS rows. Thread t holds lanes t, t + 32, ...
 * of the tree, and loads eight elements at a time, wherever the segment begins. */
template <class Op>
static __device__ __forceinline__ void reduce_rows(const Op &op, const segments_params &a, segment own,
                                                   unsigned members, typename Op::result *results) {
    constexpr int HELD = (int)Op::ROW / 32, ROWS = 8 / HELD;
    typedef typename Op::element T;
    const int lane = threadIdx.x % 32;
    for (; members; members &= members - 1) {
        const int owner = __ffs((int)members) - 1;
        const T *x = (const T *)a.x + __shfl_sync(ALL_LANES, own.begin, owner) + lane;
        const int left = __shfl_sync(ALL_LANES, (int)own.length, owner) - lane;
        typename Op::value v[HELD];
#pragma unroll
        for (int k = 0; k < HELD; k++) v[k] = op.identity();
        for (int top = 0; top < left; top += 256) {
            T batch[8];
#pragma unroll
            for (int k = 0; k < 8; k++)
                if (top + 32 * k < left) batch[k] = __ldg(x + top + 32 * k);
#pragma unroll
            for (int k = 0; k < 8; k++)
                if (top + 32 * k < left) v[k % HELD] = op.step(v[k % HELD], batch[k], batch[k]);
        }
        static_assert(ROWS * HELD == 8, "eight elements are full rows");
#pragma unroll
        for (int half = HELD / 2; half >= 1; half /= 2)
#pragma unroll
            for (int k = 0; k < half; k++) v[k] = op.combine(v[k], v[k + half]);
        __syncwarp();
#pragma unroll
        for (int distance = 16; distance >= 1; distance /= 2) v[0] = op.combine(v[0], across(v[0], distance));
        if (lane == 0) results[owner] = op.store(v[0]);
    }
    __syncwarp();
}

/* Returns the mask of lanes whose segments have more than `low` and at most `high` elements. */
static __device__ __forceinline__ unsigned members_of(segment own, uint64_t low, uint64_t high) {
    return __ballot_sync(ALL_LANES, own.length > low && own.length <= high);
}

/* Lists the segments that are left to the next kernel. */
template <class Op>
static __device__ __forceinline__ void list_others(const segments_params &a, uint64_t s, segment own) {
    const int lane = threadIdx.x % 32;
    const unsigned middle = members_of(own, Op::SHORT, Op::MIDDLE);
    if (middle) {
        unsigned long long index = 0;
        if (lane == 0) index = atomicAdd(&a.lists->middle, (unsigned long long)__popc(middle));
        index = __shfl_sync(ALL_LANES, index, 0) + __popc(middle & ((1u << lane) - 1));
        if (middle >> lane & 1) a.middle[index] = s;
    }
    if (own.length > Op::MIDDLE) append_long(a, s, (own.length - 1) / (REDUCE_ITEM_TILES * Op::TILE) + 1, 0);
}

template <class Scan>
static __global__ void __launch_bounds__(SEGMENT_THREADS, REDUCE_SHORT_BLOCKS(sizeof(typename Scan::value)))
    reduce_short_kernel(const __grid_constant__ segments_params a) {
    typedef tree_operator<Scan> Op;
    __shared__ typename Op::result results[SEGMENT_WARPS][32];
    __shared__ uint8_t order[SEGMENT_WARPS][32];
    const Op op(a.scan);
    wait_for_stream();
    if (a.found->bad) return;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t number = segments_number(a), warps = (uint64_t)gridDim.x * SEGMENT_WARPS;
    const uint64_t many = min((uint64_t)32, (number + warps - 1) / warps); /* segments that a warp takes at a time */
    for (uint64_t first = ((uint64_t)blockIdx.x * SEGMENT_WARPS + warp) * many; first < number;
         first += warps * many) {
        const uint64_t s = first + lane;
        const segment own = segment_at(a, s, lane < many && s < number);
        results[warp][lane] = op.empty();
        __syncwarp();
        reduce_class<Op, 1>(op, a, own, members_of(own, 0, 8), order[warp], results[warp]);
        reduce_class<Op, 2>(op, a, own, members_of(own, 8, 16), order[warp], results[warp]);
        reduce_class<Op, 4>(op, a, own, members_of(own, 16, 32), order[warp], results[warp]);
        reduce_class<Op, 8>(op, a, own, members_of(own, 32, 64), order[warp], results[warp]);
        if (Op::ROW == 128) reduce_class<Op, 16>(op, a, own, members_of(own, 64, 128), order[warp], results[warp]);
        reduce_rows(op, a, own, members_of(own, Op::ROW, Op::SHORT), results[warp]);
        if (own.present && own.length <= Op::SHORT) ((typename Op::result *)a.y)[s] = results[warp][lane];
        list_others<Op>(a, s, own);
        __syncwarp();
    }
}

/* ----------------------------------------------------------------------------- long segments */

/* Returns the parameters by which the kernels of the tree read a segment. */
template <class Op> static __device__ __forceinline__ reduce_params tree_params(const segments_params &a, segment g) {
    reduce_params j;
    j.x = (const typename Op::element *)a.x + g.begin;
    j.y = NULL;
    j.n = g.length;
    j.vectors = (uintptr_t)j.x % (WEFT_LANES(sizeof(typename Op::element)) / 32 * sizeof(typename Op::element)) == 0;
    return j;
}

/* Loads a value that another block has written, not from the L1 cache. */
template <class A> static __device__ __forceinline__ A load_fresh(const A *p) {
    A v;
    if (sizeof v == 8) {
        const unsigned long long bits = __ldcg((const unsigned long long *)p);
        memcpy(&v, &bits, sizeof v);
    } else {
        const unsigned bits = __ldcg((const unsigned *)p);
        memcpy(&v, &bits, sizeof v);
    }
    return v;
}

/* Reduces v[0 .. count) to v[0] by the dyadic tree, in place, eight values to one in each round. All threads of the
 * block read eight values before one of them writes. They write at lower indices than are still to be read. */
template <class Op> static __device__ void reduce_items(const Op &op, typename Op::value *v, uint32_t count) {
    while (count > 1) {
        const uint32_t groups = (count + 7) / 8;
        for (uint32_t first = 0; first < groups; first += SEGMENT_THREADS) {
            const uint32_t i = first + threadIdx.x;
            typename Op::value eight[8], reduced = op.identity();
            if (i < groups) {
#pragma unroll
                for (uint32_t k = 0; k < 8; k++)
                    if (8 * i + k < count) eight[k] = load_fresh(v + 8 * i + k);
                reduced = reduce_eight(op, eight, count - 8 * i);
            }
            __syncthreads();
            if (i < groups) v[i] = reduced;
        }
        __threadfence();
        __syncthreads();
        count = groups;
    }
}

/* Reduces one item: up to 32 tiles of a segment, with as few tiles per warp as possible. Must be called by the whole
 * block. */
template <class Op>
static __device__ __forceinline__ void reduce_item(const Op &op, const segments_params &a, uint32_t longs,
                                                   uint32_t item, typename Op::value *area, bool *is_last) {
    const uint32_t index = find_long(a, longs, item), warp = threadIdx.x / 32;
    const uint64_t s = a.longs[index].segment;
    const segment own = segment_at(a, s, true);
    const uint64_t tiles = (own.length - 1) / Op::TILE + 1, items = (tiles - 1) / REDUCE_ITEM_TILES + 1;
    const uint64_t begin = (uint64_t)(item - a.longs[index].item) * REDUCE_ITEM_TILES;
    const uint32_t left = (uint32_t)min((uint64_t)REDUCE_ITEM_TILES, tiles - begin);
    uint32_t per_warp = 1;
    while (per_warp * SEGMENT_WARPS < left) per_warp *= 2;
    warp_tiles part = {begin + warp * per_warp, 0, (left - 1) / per_warp + 1};
    if (warp < part.present) part.count = min(per_warp, left - warp * per_warp);
    typename Op::value v = op.identity();
    if (part.count) v = warp_value(op, tree_params<Op>(a, own), part);
    if (threadIdx.x % 32 == 0) area[warp] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        v = reduce_eight(op, area, part.present);
        *is_last = false;
        if (items == 1) {
            ((typename Op::result *)a.y)[s] = op.store(v);
        } else {
            ((typename Op::value *)a.partials)[item] = v;
            __threadfence();
            *is_last = atomicAdd(&a.longs[index].done, 1) == items - 1;
            __threadfence();
        }
    }
    __syncthreads();
    if (*is_last) {
        typename Op::value *partials = (typename Op::value *)a.partials + a.longs[index].item;
        reduce_items(op, partials, (uint32_t)items);
        if (threadIdx.x == 0) ((typename Op::result *)a.y)[s] = op.store(load_fresh(partials));
    }
    __syncthreads();
}

/* Reduces the segments of at most REDUCE_MIDDLE_TILES tiles, one after the other. A warp takes up to 32 segments from
 * the list at a time, and loads their offsets at once. Its first ones are given by its number, the next ones by a
 * counter, so that no warp waits for one with longer segments. */
template <class Op> static __device__ __forceinline__ void reduce_middle(const Op &op, const segments_params &a) {
    const uint64_t number = a.lists->middle, warps = (uint64_t)gridDim.x * SEGMENT_WARPS;
    const uint64_t many = min((uint64_t)32, number / (warps * REDUCE_TAKES) + 1);
    const int lane = threadIdx.x % 32;
    uint64_t first = ((uint64_t)blockIdx.x * SEGMENT_WARPS + threadIdx.x / 32) * many;
    while (first < number) {
        unsigned long long next = 0; /* arrives while the segments are reduced */
        if (lane == 0) next = atomicAdd(&a.lists->taken, (unsigned long long)many);
        const bool mine = lane < many && first + lane < number;
        const uint64_t s = mine ? a.middle[first + lane] : 0;
        const segment own = segment_at(a, s, mine);
        typename Op::value kept = op.identity();
        for (int k = 0; k < (int)min(many, number - first); k++) {
            const segment g = {__shfl_sync(ALL_LANES, own.begin, k), __shfl_sync(ALL_LANES, own.length, k), true};
            const warp_tiles all = {0, (g.length - 1) / Op::TILE + 1, 1};
            const typename Op::value v = warp_value(op, tree_params<Op>(a, g), all);
            if (lane == k) kept = v;
        }
        if (mine) ((typename Op::result *)a.y)[s] = op.store(kept);
        first = warps * many + __shfl_sync(ALL_LANES, next, 0);
    }
}

template <class Scan>
static __global__ void __launch_bounds__(SEGMENT_THREADS, TREE_BLOCKS)
    reduce_long_kernel(const __grid_constant__ segments_params a) {
    typedef tree_operator<Scan> Op;
    __shared__ typename Op::value area[SEGMENT_WARPS];
    __shared__ bool is_last;
    const Op op(a.scan);
    wait_for_stream();
    const uint32_t longs = (uint32_t)(a.lists->longs >> 32), items = (uint32_t)a.lists->longs;
    for (uint32_t item = blockIdx.x; item < items; item += gridDim.x) reduce_item(op, a, longs, item, area, &is_last);
    reduce_middle(op, a);
}

#endif
