/* The canonical tree (ORDER.md 2) as a kernel, for operations whose order of combination is fixed.
 *
 * A warp takes a tile at a time. Thread t owns the V = L/32 adjacent lanes t*V .. t*V + V - 1, so that
 * a row of f32 or f64 is one 16-byte load by each thread. A thread has the loads of several rows in flight. Every
 * byte of the input is read once, and nothing but a few partial values is written.
 *
 * An operator Op has
 *     element, value      types of the input and of lanes
 *     INPUTS              1, or 2 for x and y
 *     Op(params)          takes its parameters
 *     idle()              true if the launch has nothing to do (equal in all threads)
 *     identity()          value of a lane without elements
 *     step(lane, x, y)    adds an element to a lane
 *     combine(a, b)       combines two lanes
 *     resolve(params, v)  last correction of a chunk's value */
#ifndef WEFT_CUDA_TREE_CUH
#define WEFT_CUDA_TREE_CUH

#include "core/order.h"
#include "cuda/reduce/combine.cuh"

/* Return lane + x y, rounded once. */
static __device__ __forceinline__ float fused(float x, float y, float lane) { return fmaf(x, y, lane); }
static __device__ __forceinline__ double fused(double x, double y, double lane) { return fma(x, y, lane); }
static __device__ __forceinline__ uint64_t fused(uint64_t x, uint64_t y, uint64_t lane) { return x * y + lane; }

/* V adjacent elements, loaded by one instruction through the read-only cache. */
template <class T, int V> struct pack { T element[V]; };

template <class T, int V> static __device__ __forceinline__ pack<T, V> load_pack(const T *p) {
    pack<T, V> v;
    if (sizeof v == 16) {
        const uint4 raw = __ldg((const uint4 *)p);
        memcpy(&v, &raw, sizeof v);
    } else if (sizeof v == 8) {
        const uint2 raw = __ldg((const uint2 *)p);
        memcpy(&v, &raw, sizeof v);
    } else {
        const unsigned raw = __ldg((const unsigned *)p);
        memcpy(&v, &raw, sizeof v);
    }
    return v;
}

/* Geometry of an operator's tiles. */
template <class Op> struct tile_shape {
    static constexpr int LANES = WEFT_LANES(sizeof(typename Op::element));
    static constexpr int OWN = LANES / WARP; /* lanes per thread */
    static constexpr int ELEMENTS = LANES * WEFT_TILE_ROWS;
    static constexpr int BATCH = TREE_ROWS; /* rows whose loads are in flight at the same time */
    static constexpr int CHECKED_BATCH = 8 / Op::INPUTS;
};

/* Takes the rows of a full tile with vector loads; x and y point to this thread's lanes. */
template <class Op>
static __device__ __forceinline__ void take_full_tile(const Op &op, const typename Op::element *x,
                                                      const typename Op::element *y, typename Op::value *lane) {
    typedef tile_shape<Op> shape;
    typedef pack<typename Op::element, shape::OWN> row;
#pragma unroll 1
    for (int top = 0; top < WEFT_TILE_ROWS; top += shape::BATCH) {
        row of_x[shape::BATCH], of_y[shape::BATCH];
#pragma unroll
        for (int r = 0; r < shape::BATCH; r++) {
            of_x[r] = load_pack<typename Op::element, shape::OWN>(x + (top + r) * shape::LANES);
            of_y[r] =
                Op::INPUTS == 2 ? load_pack<typename Op::element, shape::OWN>(y + (top + r) * shape::LANES) : of_x[r];
        }
#pragma unroll
        for (int r = 0; r < shape::BATCH; r++)
#pragma unroll
            for (int l = 0; l < shape::OWN; l++) lane[l] = op.step(lane[l], of_x[r].element[l], of_y[r].element[l]);
    }
}

/* Takes the rows of a tile element by element: for a tail tile of `count` elements, and for inputs that are not
 * aligned to 16 bytes. `column` is the thread's first lane. */
template <class Op>
static __device__ __forceinline__ void take_any_tile(const Op &op, const typename Op::element *x,
                                                     const typename Op::element *y, uint32_t column, uint32_t count,
                                                     typename Op::value *lane) {
    typedef tile_shape<Op> shape;
#pragma unroll 1
    for (uint32_t top = 0; top < WEFT_TILE_ROWS && top * shape::LANES < count; top += shape::CHECKED_BATCH) {
        typename Op::element of_x[shape::CHECKED_BATCH][shape::OWN], of_y[shape::CHECKED_BATCH][shape::OWN];
#pragma unroll
        for (uint32_t r = 0; r < shape::CHECKED_BATCH; r++)
#pragma unroll
            for (uint32_t l = 0; l < shape::OWN; l++) {
                const uint32_t i = (top + r) * shape::LANES + l;
                if (column + i < count) {
                    of_x[r][l] = __ldg(x + i);
                    of_y[r][l] = Op::INPUTS == 2 ? __ldg(y + i) : of_x[r][l];
                }
            }
#pragma unroll
        for (uint32_t r = 0; r < shape::CHECKED_BATCH; r++)
#pragma unroll
            for (uint32_t l = 0; l < shape::OWN; l++)
                if (column + (top + r) * shape::LANES + l < count) lane[l] = op.step(lane[l], of_x[r][l], of_y[r][l]);
    }
}

/* Combines the lanes of a tile by halves (ORDER.md 2.3); every thread returns the tile's value. Each of `threads`
 * threads, a power of two and at least OWN, has OWN adjacent lanes.
 *
 * With 32 threads, lane l is combined with lane l + L/2 first, so thread t exchanges with t + 16, then t + 8, ...
 * t + 1, and a thread's own lanes are combined last. While a thread holds several lanes, the two that exchange
 * divide them: each keeps one half and sends the other. This takes V - 1 shuffles instead of V at every
 * distance.
 *
 *     V = 4      lanes held by a thread      at distance 16       at 8     then
 *     thread  0        a b c d               a+a' b+b'            a        4, 2, 1: one value each;
 *     thread  8        a b c d               a+a' b+b'              b      16: a with c, b with d;
 *     thread 16        a'b'c'd'                        c+c' d+d'  c        8:  (ac) with (bd)
 *     thread 24        a'b'c'd'                        c+c' d+d'    d
 *
 * a + b and b + a have the same bits (except a NaN's payload, which no result keeps), so it does not
 * matter which of the two is the left operand. UNROLL: distances of single values in a row without a loop. */
template <int OWN, int UNROLL, class Op>
static __device__ __forceinline__ typename Op::value combine_lanes_of(const Op &op, int threads,
                                                                      typename Op::value *lane) {
    int distance = threads / 2;
#pragma unroll
    for (int half = OWN / 2; half >= 1; half /= 2) {
        const bool upper = threadIdx.x & distance;
#pragma unroll
        for (int l = 0; l < half; l++) {
            const typename Op::value keep = upper ? lane[l + half] : lane[l];
            const typename Op::value send = upper ? lane[l] : lane[l + half];
            lane[l] = op.combine(keep, across(send, distance));
        }
        distance /= 2;
    }
    typename Op::value v = lane[0];
#pragma unroll UNROLL
    for (; distance >= 1; distance /= 2) v = op.combine(v, across(v, distance));
    distance = threads / 2;
#pragma unroll
    for (int half = OWN / 2; half >= 1; half /= 2) {
        v = op.combine(v, across(v, distance));
        distance /= 2;
    }
    return v;
}

/* Combines the lanes of a tile between the threads of a warp. */
template <class Op>
static __device__ __forceinline__ typename Op::value combine_lanes(const Op &op, typename Op::value *lane) {
    return combine_lanes_of<tile_shape<Op>::OWN, WARP>(op, WARP, lane);
}

template <class Op>
static __device__ __forceinline__ typename Op::value tile_value(const Op &op, const reduce_params &j, uint64_t tile) {
    typedef tile_shape<Op> shape;
    const uint32_t column = threadIdx.x % WARP * shape::OWN;
    const uint64_t start = tile * shape::ELEMENTS, count = j.n - start;
    const typename Op::element *x = (const typename Op::element *)j.x + start + column;
    const typename Op::element *y = (const typename Op::element *)j.y + (Op::INPUTS == 2 ? start + column : 0);
    typename Op::value lane[shape::OWN];
#pragma unroll
    for (int l = 0; l < shape::OWN; l++) lane[l] = op.identity();
    if (j.vectors && count >= shape::ELEMENTS)
        take_full_tile(op, x, y, lane);
    else
        take_any_tile(op, x, y, column, count < shape::ELEMENTS ? (uint32_t)count : shape::ELEMENTS, lane);
    return combine_lanes(op, lane);
}

/* Returns the dyadic reduction of this warp's tiles. Thread k holds level k of the binary counter. */
template <class Op>
static __device__ __forceinline__ typename Op::value warp_value(const Op &op, const reduce_params &j, warp_tiles s) {
    typename Op::value held = op.identity(), v;
#pragma unroll 1
    for (uint64_t t = 0; t < s.count; t++) {
        v = tile_value(op, j, s.begin + t);
        int level = 0;
        for (; t >> level & 1; level++) v = op.combine(from_lane(held, level), v);
        if (threadIdx.x % WARP == level) held = v;
    }
    int level = __ffsll((long long)s.count) - 1;
    v = from_lane(held, level);
    for (level++; s.count >> level; level++)
        if (s.count >> level & 1) v = op.combine(from_lane(held, level), v);
    return v;
}

template <class Op>
static __global__ void __launch_bounds__(WARPS_MAX *WARP, TREE_BLOCKS)
    tree_kernel(const __grid_constant__ reduce_params j) {
    const Op op(j);
    if (op.idle()) return;
    const warp_tiles s = tiles_of_warp(j);
    finish_block(op, j, s.count ? warp_value(op, j, s) : op.identity(), s.present);
}

/* Default members of operators. */
struct plain_operator {
    static constexpr int INPUTS = 1;
    __device__ bool idle() const { return false; }
    template <class Value> __device__ void resolve(const reduce_params &, Value &) const {}
};

/* Operators whose lanes are sums. The identity is -0.0 because -0.0 + x is x for every x. */
template <class A> struct sum_operator : plain_operator {
    typedef A value;
    __device__ A identity() const { return (A)-0.0; }
    __device__ A combine(A a, A b) const { return a + b; }
};

#endif
