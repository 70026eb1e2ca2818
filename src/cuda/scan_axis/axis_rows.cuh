/* Scans of contiguous vectors by tiles in shared memory. */
#ifndef WEFT_CUDA_AXIS_ROWS_CUH
#define WEFT_CUDA_AXIS_ROWS_CUH

#include "cuda/scan_axis/axis_levels.cuh"

#include <cuda_pipeline.h>

#define AXIS_LANES 0xffffffffu

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

/* Index of an element of a tile in shared memory. With quads, the quads of 8 adjacent threads are in different banks;
 * otherwise, the groups of adjacent threads begin in different banks. */
template <bool QUADS> static __device__ __forceinline__ uint32_t row_index(uint32_t i) {
    return QUADS ? i + i / 32 * 4 : i + i / AXIS_GROUP;
}

template <class Op> struct row_shared {
    /* Elements and results of 4 bytes are read and written in shared memory by four. */
    static constexpr bool QUADS = sizeof(typename Op::element) == 4 && sizeof(typename Op::result) == 4;
    static constexpr size_t WIDEST = sizeof(typename Op::element) > sizeof(typename Op::result)
                                         ? sizeof(typename Op::element)
                                         : sizeof(typename Op::result);
    static constexpr int BUFFERS = WIDEST == 8 ? 1 : 2; /* of tiles */
    alignas(16) char elements[BUFFERS][(ROWS_TILE + ROWS_TILE / (QUADS ? 8 : AXIS_GROUP)) * WIDEST];
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

/* Position of element number i of a tile: its row in the tile, and its index in the part of the row. */
struct row_position {
    uint32_t row, at;
    __device__ row_position(const axis_params &a, uint32_t i)
        : row(i >> (a.slots_log2 + 4)), at(i & ((1u << (a.slots_log2 + 4)) - 1)) {}
    /* Returns true if the element exists. left: elements of a row from the tile on; first: number of the tile's first
     * row. */
    __device__ bool exists(const axis_params &a, uint64_t left, uint64_t first) const {
        return at < left && first + row < a.vectors;
    }
};

/* Starts to copy a tile of the rows from number `first` on to shared memory. */
template <class Op>
static __device__ __forceinline__ void fetch_tile(const axis_params &a, row_shared<Op> &s, uint64_t first,
                                                  uint64_t tile) {
    typedef typename Op::element T;
    constexpr bool QUADS = row_shared<Op>::QUADS;
    const uint64_t start = tile * ROWS_TILE, left = a.n - start;
    T *const elements = (T *)s.elements[tile % row_shared<Op>::BUFFERS];
    if (QUADS && a.quads) {
#pragma unroll
        for (uint32_t k = 0; k < AXIS_GROUP; k += 4) {
            const uint32_t i = threadIdx.x * 4 + k * ROWS_THREADS;
            const row_position p(a, i);
            if (p.exists(a, left, first))
                fetch((const uint4 *)((const T *)(a.x + s.from[p.row]) + start + p.at),
                      (uint4 *)(elements + row_index<QUADS>(i)));
        }
    } else {
#pragma unroll
        for (uint32_t k = 0; k < AXIS_GROUP; k++) {
            const uint32_t i = threadIdx.x + k * ROWS_THREADS;
            const row_position p(a, i);
            if (p.exists(a, left, first))
                fetch((const T *)(a.x + s.from[p.row]) + start + p.at, elements + row_index<QUADS>(i));
        }
    }
    __pipeline_commit();
}

/* Writes the results of a tile. */
template <class Op>
static __device__ __forceinline__ void write_tile(const axis_params &a, const row_shared<Op> &s, uint64_t first,
                                                  uint64_t tile) {
    typedef typename Op::result R;
    constexpr bool QUADS = row_shared<Op>::QUADS;
    const uint64_t start = tile * ROWS_TILE, left = a.n - start;
    const R *const results = (const R *)s.elements[tile % row_shared<Op>::BUFFERS];
    if (QUADS && a.quads) {
#pragma unroll
        for (uint32_t k = 0; k < AXIS_GROUP; k += 4) {
            const uint32_t i = threadIdx.x * 4 + k * ROWS_THREADS;
            const row_position p(a, i);
            if (p.exists(a, left, first))
                *(uint4 *)((R *)(a.y + s.to[p.row]) + start + p.at) = *(const uint4 *)(results + row_index<QUADS>(i));
        }
    } else {
#pragma unroll
        for (uint32_t k = 0; k < AXIS_GROUP; k++) {
            const uint32_t i = threadIdx.x + k * ROWS_THREADS;
            const row_position p(a, i);
            if (p.exists(a, left, first)) ((R *)(a.y + s.to[p.row]))[start + p.at] = results[row_index<QUADS>(i)];
        }
    }
}

/* Copies the thread's group between shared memory and registers. */
template <bool QUADS, class T>
static __device__ __forceinline__ void load_own(const T *elements, T (&own)[AXIS_GROUP]) {
    const uint32_t first = threadIdx.x * AXIS_GROUP;
#pragma unroll
    for (uint32_t j = 0; j < AXIS_GROUP; j += QUADS ? 4 : 1)
        if constexpr (QUADS) {
            const uint4 quad = *(const uint4 *)(elements + row_index<QUADS>(first + j));
            memcpy(own + j, &quad, sizeof quad);
        } else {
            own[j] = elements[row_index<QUADS>(first) + j];
        }
}
template <bool QUADS, class R>
static __device__ __forceinline__ void store_own(R *results, const R (&own)[AXIS_GROUP]) {
    const uint32_t first = threadIdx.x * AXIS_GROUP;
#pragma unroll
    for (uint32_t j = 0; j < AXIS_GROUP; j += QUADS ? 4 : 1)
        if constexpr (QUADS) {
            uint4 quad;
            memcpy(&quad, own + j, sizeof quad);
            *(uint4 *)(results + row_index<QUADS>(first + j)) = quad;
        } else {
            results[row_index<QUADS>(first) + j] = own[j];
        }
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
    constexpr bool QUADS = row_shared<Op>::QUADS;
    const uint32_t slots = 1u << a.slots_log2, rows = ROWS_THREADS >> a.slots_log2;
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
            const uint32_t in_row = (threadIdx.x & (slots - 1)) * AXIS_GROUP;
            T element[AXIS_GROUP];
            load_own<QUADS>((const T *)elements, element);
#pragma unroll
            for (uint32_t j = 0; j < AXIS_GROUP; j++) v[j] = in_row + j < left ? op.load(element[j]) : op.identity();
            scan_registers(op, v);
            row_prefixes(op, a, s, levels, tile, v[AXIS_GROUP - 1], prefix, next);
            __syncthreads();
            R result[AXIS_GROUP];
#pragma unroll
            for (int j = 0; j < AXIS_GROUP; j++) result[j] = axis_result(op, a, start + in_row, j, v, prefix, next);
            store_own<QUADS>((R *)elements, result);
            __syncthreads();
            write_tile<Op>(a, s, block * rows, tile);
        }
    }
}

#endif
