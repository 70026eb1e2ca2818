/* Scans of many vectors on a GPU (ORDER.md 6, 32): three kernels.
 *
 *     rows      vectors are contiguous: a block scans a tile of 16^3 elements at a time, of one vector or of several
 *               short ones, which it reads and writes through shared memory
 *     columns   adjacent vectors are adjacent in memory: a block scans tiles of 16^2 elements of 32 vectors
 *     tickets   the same, for few vectors: each block scans any tiles, and finds the totals before them in memory
 *
 * A thread scans a group of 16 elements. A block takes the tiles of a vector one after the other, and keeps what the
 * prefixes of the next tiles need: for each level the steps of the open group of totals (axis_levels).
 *
 * Traffic: each element is read and written once. */
#ifndef WEFT_CUDA_SCAN_AXIS_CUH
#define WEFT_CUDA_SCAN_AXIS_CUH

#include "cuda/copy_view/view_offsets.cuh"
#include "cuda/runtime/device.cuh"
#include "cuda/scan/scan_look_back.cuh"
#include "cuda/scan/scan_ops.cuh"
#include "cuda/scan_axis/axis_params.h"

#include <cuda_pipeline.h>

#define AXIS_GROUP WEFT_SCAN_GROUP
#define AXIS_LANES 0xffffffffu

/* ------------------------------------------------------------------------------------- levels */

/* Totals of tiles, level by level. Level 0 contains the totals of tiles; the total of 16 values of a level is a value
 * of the next one. For each level: 1, 2, 4 and 8 values of the open group before the steps of ORDER.md 6.2 with the
 * distances 1, 2, 4 and 8, which the next steps need; and the prefix of the group. Values of one level are `apart`
 * values apart. */
template <class A> struct axis_levels {
    static constexpr int VALUES = AXIS_GROUP;
    A *values;
    uint32_t apart;
    __device__ __forceinline__ A &at(uint32_t level, uint32_t i) const {
        return values[(level * VALUES + i) * apart];
    }
    __device__ __forceinline__ A &prefix(uint32_t level) const { return at(level, VALUES - 1); }
};

template <class A>
static __device__ __forceinline__ void start_levels(const axis_levels<A> &l, uint32_t levels, A init) {
    for (uint32_t k = 0; k < levels; k++) l.prefix(k) = init;
}

/* Adds the total of tile number `tile`. Returns the prefix of the tile after it (ORDER.md 6.3). */
template <class Op>
static __device__ __forceinline__ typename Op::value add_tile(const Op &op, const axis_levels<typename Op::value> &l,
                                                              uint32_t levels, uint64_t tile,
                                                              typename Op::value total) {
    typedef typename Op::value A;
    for (uint32_t level = 0; level < levels; level++, tile /= AXIS_GROUP) {
        const uint32_t digit = (uint32_t)(tile % AXIS_GROUP);
#pragma unroll
        for (uint32_t w = 1; w < AXIS_GROUP; w *= 2) {
            A &held = l.at(level, w - 1 + digit % w);
            const A left = held;
            held = total;
            if (digit >= w) total = op.combine(left, total);
        }
        if (digit == AXIS_GROUP - 1) continue;
        const A v = op.combine(l.prefix(level), total);
        for (uint32_t below = 0; below < level; below++) l.prefix(below) = v;
        return v;
    }
    return total; /* not reached: 16^levels > number of tiles */
}

template <class Op> static __device__ __forceinline__ typename Op::value initial(const Op &op, const axis_params &a) {
    typename Op::result init;
    if (!a.scan.has_init) return op.identity();
    memcpy(&init, &a.scan.init, sizeof init);
    return op.enter(init);
}

/* Returns result number j of a group, of elements `first` + 0 ... 15, from its scan v, its prefix and the one of the
 * next group. */
template <class Op>
static __device__ __forceinline__ typename Op::result
axis_result(const Op &op, const axis_params &a, uint64_t first, int j, const typename Op::value (&v)[AXIS_GROUP],
            typename Op::value prefix, typename Op::value next) {
    if (a.scan.exclusive) {
        if (j > 0) return op.store(op.combine(prefix, v[j - 1]));
        return first == 0 && !a.scan.has_init ? op.empty() : op.store(prefix);
    }
    return op.store(j < AXIS_GROUP - 1 ? op.combine(prefix, v[j]) : next);
}

/* --------------------------------------------------------------------------------------- rows */

/* Value of the lane `distance` before this one. */
template <class A> static __device__ __forceinline__ A lane_before(A v, uint32_t distance) {
    return __shfl_up_sync(AXIS_LANES, v, distance);
}

/* Scans up to 16 values, one in each of adjacent lanes; `digit` is the number of the lane's value. */
template <class Op>
static __device__ __forceinline__ typename Op::value scan_digits(const Op &op, uint32_t digit, typename Op::value v) {
#pragma unroll
    for (uint32_t w = 1; w < AXIS_GROUP; w *= 2) {
        const typename Op::value left = lane_before(v, w);
        if (digit >= w) v = op.combine(left, v);
    }
    return v;
}

/* Index of an element of a tile in shared memory: the groups of adjacent threads begin in different banks. */
static __device__ __forceinline__ uint32_t row_index(uint32_t i) { return i + i / AXIS_GROUP; }

template <class Op> struct row_shared {
    static constexpr size_t WIDEST = sizeof(typename Op::element) > sizeof(typename Op::result)
                                         ? sizeof(typename Op::element)
                                         : sizeof(typename Op::result);
    static constexpr int BUFFERS = WIDEST == 8 ? 1 : 2; /* of tiles */
    alignas(16) char elements[BUFFERS][(ROWS_TILE + ROWS_TILE / AXIS_GROUP) * WIDEST];
    typename Op::value next[ROWS_THREADS / AXIS_GROUP]; /* prefixes after each group of groups */
    typename Op::value tile;                            /* prefix of the tile */
    int64_t from[ROWS_THREADS], to[ROWS_THREADS];
};

/* Returns the prefixes of the thread's group and of the next one; `total` is the total of the group. Called by all
 * threads of the block, which have tile number `tile` of their vectors. */
template <class Op>
static __device__ __forceinline__ void
row_prefixes(const Op &op, const axis_params &a, row_shared<Op> &s, const axis_levels<typename Op::value> &levels,
             uint64_t tile, typename Op::value total, typename Op::value &prefix, typename Op::value &next) {
    typedef typename Op::value A;
    const uint32_t slots = 1u << a.slots_log2, slot = threadIdx.x & (slots - 1), digit = slot % AXIS_GROUP;
    const uint32_t sixteen = threadIdx.x / AXIS_GROUP, sixteens = slots / AXIS_GROUP; /* sixteens: of a vector */
    const A before = s.tile;
    const A groups = scan_digits(op, digit, total), left = lane_before(groups, 1);
    const bool several = slots > AXIS_GROUP; /* groups of groups */
    A up = before, up_next = before;
    if (several) {
        __syncthreads();
        if (digit == AXIS_GROUP - 1) s.next[sixteen] = groups;
        __syncthreads();
        if (threadIdx.x < 32) {
            const uint32_t own = threadIdx.x % AXIS_GROUP, own_digit = own & (sixteens - 1);
            const A scanned = scan_digits(op, own_digit, s.next[own]);
            A v = op.combine(before, scanned);
            if (own_digit == AXIS_GROUP - 1 && threadIdx.x < AXIS_GROUP && a.levels > 0)
                s.tile = v = add_tile(op, levels, a.levels, tile, scanned);
            __syncwarp();
            if (threadIdx.x < AXIS_GROUP) s.next[own] = v;
        }
        __syncthreads();
        if (slot / AXIS_GROUP > 0) up = s.next[sixteen - 1];
        up_next = s.next[sixteen];
    }
    prefix = digit == 0 ? up : op.combine(up, left);
    next = digit == AXIS_GROUP - 1 && several ? up_next : op.combine(up, groups);
}

/* Copies an element to shared memory, without waiting if its size allows it. */
template <class T> static __device__ __forceinline__ void fetch(const T *from, T *to) {
    if constexpr (sizeof(T) >= 4)
        __pipeline_memcpy_async(to, from, sizeof(T));
    else
        *to = *from;
}

/* Starts to copy a tile of the rows from number `first` on to shared memory. */
template <class Op>
static __device__ __forceinline__ void fetch_tile(const axis_params &a, row_shared<Op> &s, uint64_t first,
                                                  uint64_t tile) {
    typedef typename Op::element T;
    const uint64_t start = tile * ROWS_TILE, left = a.n - start;
    const uint32_t row_log2 = a.slots_log2 + 4;
#pragma unroll
    for (uint32_t k = 0; k < AXIS_GROUP; k++) {
        const uint32_t i = threadIdx.x + k * ROWS_THREADS, row = i >> row_log2, at = i & ((1u << row_log2) - 1);
        if (at < left && first + row < a.vectors)
            fetch((const T *)(a.x + s.from[row]) + start + at,
                  (T *)s.elements[tile % row_shared<Op>::BUFFERS] + row_index(i));
    }
    __pipeline_commit();
}

template <class Op>
static __global__ void __launch_bounds__(ROWS_THREADS, sizeof(typename Op::value) == 8 ? 3 : 4)
    axis_rows_kernel(const __grid_constant__ axis_params a) {
    typedef typename Op::element T;
    typedef typename Op::result R;
    typedef typename Op::value A;
    __shared__ row_shared<Op> s;
    const axis_levels<A> levels = {(A *)dynamic_shared(), 1};
    const Op op(a.scan);
    const uint32_t row_log2 = a.slots_log2 + 4, rows = ROWS_TILE >> row_log2, slots = 1u << a.slots_log2;
    const uint64_t tiles = (a.n - 1) / ROWS_TILE + 1;
    for (uint64_t block = blockIdx.x; block < a.blocks; block += gridDim.x) {
        __syncthreads();
        if (threadIdx.x < rows && block * rows + threadIdx.x < a.vectors) {
            int64_t from = 0, to = 0;
            view_offsets(a.outer, block * rows + threadIdx.x, from, to);
            s.from[threadIdx.x] = from;
            s.to[threadIdx.x] = to;
        }
        if (threadIdx.x == 0) {
            s.tile = initial(op, a);
            start_levels(levels, a.levels, s.tile);
        }
        __syncthreads();
        fetch_tile<Op>(a, s, block * rows, 0);
        for (uint64_t tile = 0; tile < tiles; tile++) {
            const uint64_t start = tile * ROWS_TILE, left = a.n - start;
            char *const elements = s.elements[tile % row_shared<Op>::BUFFERS];
            A v[AXIS_GROUP], prefix, next;
            if (row_shared<Op>::BUFFERS == 1 && tile > 0) {
                __syncthreads();
                fetch_tile<Op>(a, s, block * rows, tile);
            }
            __pipeline_wait_prior(0);
            __syncthreads();
            if (row_shared<Op>::BUFFERS > 1 && tile + 1 < tiles) fetch_tile<Op>(a, s, block * rows, tile + 1);
            const uint32_t own = threadIdx.x * AXIS_GROUP, in_row = (threadIdx.x & (slots - 1)) * AXIS_GROUP;
#pragma unroll
            for (uint32_t j = 0; j < AXIS_GROUP; j++)
                v[j] = in_row + j < left ? op.load(((const T *)elements)[row_index(own) + j]) : op.identity();
            scan_registers(op, v);
            row_prefixes(op, a, s, levels, tile, v[AXIS_GROUP - 1], prefix, next);
            __syncthreads();
#pragma unroll
            for (int j = 0; j < AXIS_GROUP; j++)
                ((R *)elements)[row_index(own) + j] = axis_result(op, a, start + in_row, j, v, prefix, next);
            __syncthreads();
#pragma unroll
            for (uint32_t k = 0; k < AXIS_GROUP; k++) {
                const uint32_t i = threadIdx.x + k * ROWS_THREADS, row = i >> row_log2,
                               at = i & ((1u << row_log2) - 1);
                if (at < left && block * rows + row < a.vectors)
                    ((R *)(a.y + s.to[row]))[start + at] = ((const R *)elements)[row_index(i)];
            }
        }
    }
}

/* ------------------------------------------------------------------------------------- columns */

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

/* Loads the elements of a group: `left` elements from x on. */
template <class T>
static __device__ __forceinline__ void load_group(const axis_params &a, const char *x, uint32_t left,
                                                  T (&element)[AXIS_GROUP]) {
#pragma unroll
    for (uint32_t j = 0; j < AXIS_GROUP; j++)
        if (j < left) element[j] = *(const T *)(x + j * a.x_stride);
}

template <class Op>
static __device__ __forceinline__ void scan_elements(const Op &op, const typename Op::element (&element)[AXIS_GROUP],
                                                     uint32_t left, typename Op::value (&v)[AXIS_GROUP]) {
#pragma unroll
    for (uint32_t j = 0; j < AXIS_GROUP; j++) v[j] = j < left ? op.load(element[j]) : op.identity();
    scan_registers(op, v);
}

template <class Op>
static __device__ __forceinline__ void store_group(const Op &op, const axis_params &a, char *y, uint64_t first,
                                                   uint32_t left, const typename Op::value (&v)[AXIS_GROUP],
                                                   typename Op::value prefix, typename Op::value next) {
#pragma unroll
    for (uint32_t j = 0; j < AXIS_GROUP; j++)
        if (j < left)
            *(typename Op::result *)(y + j * a.y_stride) = axis_result(op, a, first, (int)j, v, prefix, next);
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

/* ---------------------------------------------------------------------------------- few columns */

/* Returns total number `index` of a level of a column, for which it waits. */
template <class A>
static __device__ __forceinline__ A published_total(const axis_params &a, uint32_t level, uint64_t index,
                                                    uint64_t column, unsigned epoch) {
    const uint64_t at = (a.scan.totals.level_start[level] + index) * a.columns + column;
    scan_words<A> w = scan_words<A>::load(a.scan.totals.words, at, a.scan.totals.stride);
    while (!w.holds(epoch)) w = scan_words<A>::load(a.scan.totals.words, at, a.scan.totals.stride);
    return w.value();
}

template <class A>
static __device__ __forceinline__ void publish_total(const axis_params &a, uint32_t level, uint64_t index,
                                                     uint64_t column, unsigned epoch, A total) {
    const uint64_t at = (a.scan.totals.level_start[level] + index) * a.columns + column;
    scan_words<A>::pack(total, epoch).store(a.scan.totals.words, at, a.scan.totals.stride);
}

template <class A> struct ticket_shared {
    column_shared<A> groups;
    A before[SCAN_GRID_LEVELS][AXIS_GROUP - 1][32]; /* for each level the totals before the tile in its group */
    unsigned later;                                 /* the ticket after the current one */
};

/* The part of a thread of the tile that a ticket stands for: the first `left` elements of a group of `column`. */
struct ticket_part {
    unsigned tile, column;
    uint32_t left;
    /* Number of the first element of the group. */
    __device__ __forceinline__ uint64_t first() const {
        return (uint64_t)tile * COLUMNS_TILE + threadIdx.x / 32 * AXIS_GROUP;
    }
    __device__ __forceinline__ bool exists(const axis_params &a) const { return (uint64_t)tile * COLUMNS_TILE < a.n; }
};

static __device__ __forceinline__ ticket_part part_of(const axis_params &a, unsigned ticket) {
    const unsigned blocks = (unsigned)a.column_blocks;
    ticket_part p = {ticket / blocks, ticket % blocks * 32 + threadIdx.x % 32, 0};
    if (p.column < a.vectors) p.left = group_length(a, p.first());
    return p;
}

static __device__ __forceinline__ unsigned take_ticket(const axis_params &a) {
    return atomicAdd(&a.scan.totals.control->ticket, 1u);
}

template <class T>
static __device__ __forceinline__ void load_part(const axis_params &a, const ticket_part &p,
                                                 T (&element)[AXIS_GROUP]) {
    int64_t from = 0, to = 0;
    if (p.left > 0) view_offsets(a.outer, p.column, from, to);
    load_group(a, a.x + from + (int64_t)p.first() * a.x_stride, p.left, element);
}

/* Scans the totals of the groups of a tile. Publishes and returns the total of the tile. Called by a warp. */
template <class Op>
static __device__ __forceinline__ typename Op::value publish_tile(const Op &op, const axis_params &a,
                                                                  const ticket_part &p, unsigned epoch,
                                                                  typename Op::value (*total)[32]) {
    const uint32_t lane = threadIdx.x % 32;
    typename Op::value v[AXIS_GROUP];
#pragma unroll
    for (uint32_t k = 0; k < AXIS_GROUP; k++) v[k] = total[k][lane];
    scan_registers(op, v);
    publish_total(a, 0, p.tile, p.column, epoch, v[AXIS_GROUP - 1]);
#pragma unroll
    for (uint32_t k = 1; k < AXIS_GROUP; k++) total[k][lane] = v[k];
    return v[AXIS_GROUP - 1];
}

/* Warps 1 to 15 wait for the published totals before a tile, of levels `first` to `end` - 1: warp j + 1 for total j
 * of each level. */
template <class A>
static __device__ __forceinline__ void find_totals(const axis_params &a, const ticket_part &p, unsigned epoch,
                                                   uint32_t first, uint32_t end, A (*found)[AXIS_GROUP - 1][32]) {
    const uint32_t j = threadIdx.x / 32 - 1, lane = threadIdx.x % 32;
#pragma unroll 1
    for (uint32_t level = first; level < end; level++) {
        const uint64_t number = p.tile >> 4 * level;
        const uint32_t digit = number & (AXIS_GROUP - 1);
        if (j < digit) found[level][j][lane] = published_total<A>(a, level, number - digit + j, p.column, epoch);
    }
}

/* Publishes the total of level `level` + 1 that ends with a tile. `total`: of level `level`. */
template <class Op>
static __device__ __forceinline__ typename Op::value
publish_level(const Op &op, const axis_params &a, const ticket_part &p, unsigned epoch, uint32_t level,
              typename Op::value total, const typename Op::value (*found)[AXIS_GROUP - 1][32]) {
    typename Op::value v[AXIS_GROUP];
#pragma unroll
    for (uint32_t j = 0; j < AXIS_GROUP - 1; j++) v[j] = found[level][j][threadIdx.x % 32];
    v[AXIS_GROUP - 1] = total;
    scan_registers(op, v);
    publish_total(a, level + 1, p.tile >> 4 * (level + 1), p.column, epoch, v[AXIS_GROUP - 1]);
    return v[AXIS_GROUP - 1];
}

/* Returns the prefix of a tile from the totals before it, and sets `next` to the one of the tile after it. `total` is
 * the total of level `open` that ends with the tile; the tile does not complete a group of that level. */
template <class Op>
static __device__ __forceinline__ typename Op::value
prefix_of_tile(const Op &op, const axis_params &a, const ticket_part &p, uint32_t open, typename Op::value total,
               const typename Op::value (*found)[AXIS_GROUP - 1][32], typename Op::value &next) {
    typedef typename Op::value A;
    A before = initial(op, a);
#pragma unroll 1
    for (uint32_t level = (uint32_t)a.scan.totals.levels; level-- > 0;) {
        const uint32_t digit = p.tile >> 4 * level & (AXIS_GROUP - 1);
        A v[AXIS_GROUP], own = total, group = total;
#pragma unroll
        for (uint32_t j = 0; j < AXIS_GROUP; j++) {
            v[j] = total;
            if (j < digit) v[j] = found[level][j][threadIdx.x % 32];
        }
        scan_registers(op, v);
#pragma unroll
        for (uint32_t j = 0; j < AXIS_GROUP; j++) {
            if (j + 1 == digit) group = v[j];
            if (j == digit) own = v[j];
        }
        if (level == open) next = op.combine(before, own);
        if (digit > 0) before = op.combine(before, group);
    }
    return before;
}

/* Computes the prefix of each group of a tile, and the one after the last group. Called by all threads of the block.
 * `total`, of warp 0: of the tile; s.groups.total: the scan of the totals of its groups. */
template <class Op>
static __device__ __forceinline__ void ticket_prefixes(const Op &op, const axis_params &a, const ticket_part &p,
                                                       unsigned epoch, typename Op::value total,
                                                       ticket_shared<typename Op::value> &s) {
    typedef typename Op::value A;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, levels = (uint32_t)a.scan.totals.levels;
    uint32_t open = 0;
    A next = op.identity();
    /* Totals of higher levels that the tile completes are published before others of that level are waited for. */
    for (uint32_t number = p.tile; (number & (AXIS_GROUP - 1)) == AXIS_GROUP - 1; number >>= 4, open++) {
        if (warp > 0) find_totals(a, p, epoch, open, open + 1, s.before);
        __syncthreads();
        if (warp == 0) total = publish_level(op, a, p, epoch, open, total, s.before);
    }
    if (warp > 0) find_totals(a, p, epoch, open, levels, s.before);
    __syncthreads();
    if (warp > 0) return;
    const A before = prefix_of_tile(op, a, p, open, total, s.before, next);
    s.groups.prefix[0][lane] = before;
#pragma unroll
    for (uint32_t k = 1; k < AXIS_GROUP; k++)
        s.groups.prefix[k][lane] = op.combine(before, s.groups.total[k - 1][lane]);
    s.groups.prefix[AXIS_GROUP][lane] = next;
}

/* Blocks take the tiles by ticket, in the order of the elements, and publish their totals. A block processes its
 * tickets in their order, so that a tile waits only for tiles of blocks that run. While it waits, it loads the tile
 * of its next ticket, and takes the one after that. */
template <class Op>
static __global__ void __launch_bounds__(COLUMNS_THREADS, sizeof(typename Op::value) == 8 ? 1 : 2)
    axis_tickets_kernel(const __grid_constant__ axis_params a) {
    typedef typename Op::value A;
    __shared__ ticket_shared<A> s;
    const Op op(a.scan);
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned epoch = *(volatile unsigned *)&a.scan.totals.control->epoch + 1;
    typename Op::element element[AXIS_GROUP];
    if (threadIdx.x == 0) s.later = take_ticket(a);
    __syncthreads();
    ticket_part p = part_of(a, s.later);
    load_part(a, p, element);
    __syncthreads();
    if (threadIdx.x == 0) s.later = take_ticket(a);
    while (p.exists(a)) {
        unsigned after_next = 0;
        A v[AXIS_GROUP], total = op.identity();
        scan_elements(op, element, p.left, v);
        s.groups.total[warp][lane] = v[AXIS_GROUP - 1];
        __syncthreads();
        const ticket_part next = part_of(a, s.later);
        if (warp == 0) total = publish_tile(op, a, p, epoch, s.groups.total);
        if (threadIdx.x == 0) after_next = take_ticket(a);
        load_part(a, next, element);
        ticket_prefixes(op, a, p, epoch, total, s);
        if (threadIdx.x == 0) s.later = after_next;
        __syncthreads();
        int64_t from = 0, to = 0;
        if (p.left > 0) view_offsets(a.outer, p.column, from, to);
        store_group(op, a, a.y + to + (int64_t)p.first() * a.y_stride, p.first(), p.left, v,
                    s.groups.prefix[warp][lane], s.groups.prefix[warp + 1][lane]);
        p = next;
    }
    if (threadIdx.x == 0) scan_finish_launch(a.scan.totals, true);
}

/* ----------------------------------------------------------------------------------- launches */

template <class Op> struct axis_of {
    static axis_launch launch(const char *) {
        typedef typename Op::value A;
        return axis_launch{axis_rows_kernel<Op>, axis_columns_kernel<Op>, axis_tickets_kernel<Op>,
                           axis_levels<A>::VALUES * sizeof(A), 32 * axis_levels<A>::VALUES * sizeof(A)};
    }
};

#endif
