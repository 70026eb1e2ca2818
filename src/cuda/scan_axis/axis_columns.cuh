/* Scans of vectors that are adjacent in memory: a block scans 32 columns. */
#ifndef WEFT_CUDA_AXIS_COLUMNS_CUH
#define WEFT_CUDA_AXIS_COLUMNS_CUH

#include "cuda/scan_axis/axis_levels.cuh"

template <class A> struct column_shared {
    A total[COLUMNS_SLOTS][32];
    A prefix[2 * COLUMNS_SLOTS][32];
};

/* Scans the totals of the groups of a tile of a column. Stores the prefix of each group and the one after the last
 * group. Returns the latter. */
template <class Op>
static __device__ __forceinline__ typename Op::value
column_prefixes(const Op &op, const axis_params &a, const typename Op::value (*total)[32],
                typename Op::value (*prefix)[32], const axis_levels<typename Op::value> &levels, uint64_t tile,
                typename Op::value before) {
    const uint32_t slots = 1u << a.slots_log2, lane = threadIdx.x % 32;
    typename Op::value v[AXIS_GROUP];
#pragma unroll
    for (uint32_t k = 0; k < AXIS_GROUP; k++) v[k] = k < slots ? total[k][lane] : op.identity();
    scan_registers(op, v);
    prefix[0][lane] = before;
#pragma unroll
    for (uint32_t k = 1; k < AXIS_GROUP; k++)
        if (k <= slots) prefix[k][lane] = op.combine(before, v[k - 1]);
    if (slots < AXIS_GROUP) return before;
    const typename Op::value next = a.levels > 0 ? add_tile(op, levels, a.levels, tile, v[AXIS_GROUP - 1])
                                                 : op.combine(before, v[AXIS_GROUP - 1]);
    prefix[AXIS_GROUP][lane] = next;
    return next;
}

/* Loads the elements of a group: `left` elements from x on. Whole groups, here and below, need no comparisons, and
 * the addresses of their elements only additions. */
template <class T>
static __device__ __forceinline__ void load_group(const axis_params &a, const char *x, uint32_t left,
                                                  T (&element)[AXIS_GROUP]) {
    if (left == AXIS_GROUP) {
#pragma unroll
        for (uint32_t j = 0; j < AXIS_GROUP; j++, x += a.x_stride) element[j] = *(const T *)x;
    } else if (left > 0) {
#pragma unroll
        for (uint32_t j = 0; j < AXIS_GROUP; j++, x += a.x_stride)
            if (j < left) element[j] = *(const T *)x;
    }
}

template <class Op>
static __device__ __forceinline__ void scan_elements(const Op &op, const typename Op::element (&element)[AXIS_GROUP],
                                                     uint32_t left, typename Op::value (&v)[AXIS_GROUP]) {
    if (left == AXIS_GROUP) {
#pragma unroll
        for (uint32_t j = 0; j < AXIS_GROUP; j++) v[j] = op.load(element[j]);
    } else {
#pragma unroll
        for (uint32_t j = 0; j < AXIS_GROUP; j++) v[j] = j < left ? op.load(element[j]) : op.identity();
    }
    scan_registers(op, v);
}

template <class Op>
static __device__ __forceinline__ void store_group(const Op &op, const axis_params &a, char *y, uint64_t first,
                                                   uint32_t left, const typename Op::value (&v)[AXIS_GROUP],
                                                   typename Op::value prefix, typename Op::value next) {
    typedef typename Op::result R;
    if (left == AXIS_GROUP && !a.scan.exclusive) {
#pragma unroll
        for (uint32_t j = 0; j < AXIS_GROUP; j++, y += a.y_stride)
            *(R *)y = op.store(j < AXIS_GROUP - 1 ? op.combine(prefix, v[j]) : next);
    } else if (left > 0) {
#pragma unroll
        for (uint32_t j = 0; j < AXIS_GROUP; j++, y += a.y_stride)
            if (j < left) *(R *)y = axis_result(op, a, first, (int)j, v, prefix, next);
    }
}

/* Returns the number of elements of the group that begins at element `first`. */
static __device__ __forceinline__ uint32_t group_length(const axis_params &a, uint64_t first) {
    return first >= a.n ? 0 : (uint32_t)min((uint64_t)AXIS_GROUP, a.n - first);
}

/* A block takes the tiles of 32 columns one after the other, and loads a tile before it scans the one before. */
template <class Op>
static __global__ void __launch_bounds__(COLUMNS_THREADS, sizeof(typename Op::value) == 8 ? 1 : 2)
    axis_columns_kernel(const __grid_constant__ axis_params a) {
    typedef typename Op::value A;
    __shared__ column_shared<A> s;
    const Op op(a.scan);
    const uint32_t slots = 1u << a.slots_log2, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t slot = warp & (slots - 1), part = warp >> a.slots_log2, parts = COLUMNS_SLOTS >> a.slots_log2;
    const axis_levels<A> levels = {(A *)dynamic_shared() + lane, 32}; /* with several tiles there is one part */
    const uint64_t tiles = (a.n - 1) / COLUMNS_TILE + 1;
    A(*const prefix)[32] = s.prefix + part * (slots + 1);
    for (uint64_t block = blockIdx.x; block < a.blocks; block += gridDim.x) {
        const uint64_t vector = (block * parts + part) * 32 + lane;
        const bool present = vector < a.vectors;
        int64_t from = 0, to = 0;
        A before = initial(op, a);
        typename Op::element element[AXIS_GROUP];
        if (present) view_offsets(a.outer, vector, from, to);
        if (warp == 0) start_levels(levels, a.levels, before);
        uint64_t first = slot * AXIS_GROUP;
        uint32_t left = present ? group_length(a, first) : 0;
        load_group(a, a.x + from + (int64_t)first * a.x_stride, left, element);
        for (uint64_t tile = 0; tile < tiles; tile++, first += COLUMNS_TILE) {
            const uint32_t own = left;
            A v[AXIS_GROUP];
            scan_elements(op, element, own, v);
            left = present ? group_length(a, first + COLUMNS_TILE) : 0;
            load_group(a, a.x + from + (int64_t)(first + COLUMNS_TILE) * a.x_stride, left, element);
            s.total[warp][lane] = v[AXIS_GROUP - 1];
            __syncthreads();
            if (slot == 0) before = column_prefixes(op, a, s.total + warp, prefix, levels, tile, before);
            __syncthreads();
            store_group(op, a, a.y + to + (int64_t)first * a.y_stride, first, own, v, prefix[slot][lane],
                        prefix[slot + 1][lane]);
        }
    }
}

#endif
