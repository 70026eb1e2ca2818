/* Reductions whose elements are a formula's values (map_values.cuh). They use the operators, tiles and reduction
 * trees of tree.cuh and unordered.cuh. An element is computed instead of loaded, so that values are never stored in
 * memory. */
#ifndef WEFT_CUDA_MAP_REDUCE_CUH
#define WEFT_CUDA_MAP_REDUCE_CUH

#include "cuda/map/map_values.cuh"
#include "cuda/reduce/tree.cuh"
#include "cuda/reduce/unordered.cuh"

/* Op over the values of F. A thread has ROWS rows or vectors in flight. */
template <class Op, class F, int ROWS> struct computed : Op {
    static constexpr int BATCH = ROWS;
    typedef F formula;
    const formula_operand *operands;
    __device__ explicit computed(const formula_params &f) : Op(f.j), operands(f.operands) {}

    template <class Value> __device__ void resolve(const reduce_params &j, Value &v) const { Op::resolve(j, v); }
    /* Finds the first element with the least key in the vector v.where (extremes.cuh). */
    __device__ void resolve(const reduce_params &j, located &v) const {
        typedef typename Op::element element;
        uint64_t i = v.where * vector<element>::ELEMENTS;
        while (i + 1 < j.n && this->order.of((element)value_at<F>(operands, i)) != v.key) i++;
        v.where = i;
    }
};

/* ------------------------------------------------------------------------------ canonical tree */

template <class Op, class F, int ROWS>
static __device__ __forceinline__ void take_full_tile(const computed<Op, F, ROWS> &op, uint64_t start,
                                                      typename Op::value *lane) {
    typedef tile_shape<Op> shape;
#pragma unroll 1
    for (int top = 0; top < WEFT_TILE_ROWS; top += ROWS) {
        typename F::template loads<shape::OWN> l[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            l[r] = F::template load<shape::OWN>(op.operands, start + (top + r) * shape::LANES);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int e = 0; e < shape::OWN; e++) {
                const typename Op::element x = F::at(l[r], op.operands, start + (top + r) * shape::LANES, e);
                lane[e] = op.step(lane[e], x, x);
            }
    }
}

/* Takes a tail tile of `count` elements, or a tile of unaligned arrays. */
template <class Op, class F, int ROWS>
static __device__ __forceinline__ void take_any_tile(const computed<Op, F, ROWS> &op, uint64_t start, uint32_t column,
                                                     uint32_t count, typename Op::value *lane) {
    typedef tile_shape<Op> shape;
#pragma unroll 1
    for (uint32_t row = 0; row < WEFT_TILE_ROWS && row * shape::LANES < count; row++)
#pragma unroll
        for (uint32_t e = 0; e < shape::OWN; e++)
            if (column + row * shape::LANES + e < count) {
                const typename Op::element x = value_at<F>(op.operands, start + row * shape::LANES + e);
                lane[e] = op.step(lane[e], x, x);
            }
}

/* Returns the value of a tile, as tile_value in tree.cuh does for elements in memory. */
template <class Op, class F, int ROWS>
static __device__ __forceinline__ typename Op::value tile_value(const computed<Op, F, ROWS> &op,
                                                                const reduce_params &j, uint64_t tile) {
    typedef tile_shape<Op> shape;
    const uint32_t column = threadIdx.x % WARP * shape::OWN;
    const uint64_t start = tile * shape::ELEMENTS, count = j.n - start;
    typename Op::value lane[shape::OWN];
#pragma unroll
    for (int l = 0; l < shape::OWN; l++) lane[l] = op.identity();
    if (j.vectors && count >= shape::ELEMENTS)
        take_full_tile(op, start + column, lane);
    else
        take_any_tile(op, start + column, column, count < shape::ELEMENTS ? (uint32_t)count : shape::ELEMENTS, lane);
    return combine_lanes(op, lane);
}

template <class Op, class F, int ROWS> static __device__ __forceinline__ void reduce_tree(const formula_params &f) {
    const computed<Op, F, ROWS> op(f);
    if (op.idle()) return;
    const warp_tiles s = tiles_of_warp(f.j);
    finish_block(op, f.j, s.count ? warp_value(op, f.j, s) : op.identity(), s.present);
}

/* ----------------------------------------------------------------------------------- unordered */

/* The operator's elements are the bytes or words of the values: each value has sizeof(value) / sizeof(element) of
 * them, and a vector is 16 bytes of values. */
template <class Op, class F> struct value_vectors {
    typedef typename F::value value;
    static constexpr int VALUES = 16 / sizeof(value);
    typedef typename F::template loads<VALUES> loads;
    const formula_operand *o;
    uint64_t n; /* number of values */
    bool aligned;

    __device__ explicit value_vectors(const formula_params &f)
        : o(f.operands), n(f.j.n * sizeof(typename Op::element) / sizeof(value)), aligned(f.j.vectors) {}
    __device__ vector<typename Op::element> of(const loads &l, uint64_t i) const {
        const packed<value, VALUES> values = values_of<F, VALUES>(l, o, i * VALUES);
        vector<typename Op::element> v;
        memcpy(&v, &values, sizeof v);
        return v;
    }
    /* Computes a vector that may be incomplete. */
    __device__ vector<typename Op::element> vector_at(uint64_t i, typename Op::element absent) const {
        vector<typename Op::element> v;
        for (int e = 0; e < vector<typename Op::element>::ELEMENTS; e++) v.element[e] = absent;
#pragma unroll
        for (int k = 0; k < VALUES; k++)
            if (i * VALUES + k < n) {
                const value x = value_at<F>(o, i * VALUES + k);
                memcpy((char *)&v + k * sizeof x, &x, sizeof x);
            }
        return v;
    }
};

/* Takes a tile of complete vectors; the thread's first vector is `own`. */
template <class Op, class F, int ROWS>
static __device__ __forceinline__ void take_full_tile(const computed<Op, F, ROWS> &op, const value_vectors<Op, F> &x,
                                                      uint64_t own, typename Op::value &v) {
#pragma unroll 1
    for (int top = 0; top < UNORDERED_ROWS; top += ROWS) {
        typename value_vectors<Op, F>::loads l[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            l[r] = F::template load<value_vectors<Op, F>::VALUES>(x.o, (own + (top + r) * WARP) * x.VALUES);
#pragma unroll
        for (int r = 0; r < ROWS; r++) op.take(v, x.of(l[r], own + (top + r) * WARP), own + (top + r) * WARP);
    }
}

template <class Op, class F, int ROWS>
static __device__ __forceinline__ typename Op::value
computed_warp_value(const computed<Op, F, ROWS> &op, const value_vectors<Op, F> &x, warp_tiles s) {
    const uint64_t own = s.begin * UNORDERED_TILE + threadIdx.x % WARP, count = (x.n + x.VALUES - 1) / x.VALUES;
    typename Op::value v = op.start(s.count && own < count ? own : NOWHERE);
#pragma unroll 1
    for (uint64_t t = 0; t < s.count; t++) {
        const uint64_t tile = own + t * UNORDERED_TILE;
        if (x.aligned && (s.begin + t + 1) * UNORDERED_TILE <= x.n / x.VALUES)
            take_full_tile(op, x, tile, v);
        else
#pragma unroll 1
            for (uint64_t i = tile; i < count && i < tile + UNORDERED_TILE; i += WARP)
                op.take(v, x.vector_at(i, op.absent()), i);
    }
#pragma unroll
    for (int distance = WARP / 2; distance >= 1; distance /= 2) v = op.combine(v, across(v, distance));
    return v;
}

template <class Op, class F, int ROWS>
static __device__ __forceinline__ void reduce_unordered(const formula_params &f) {
    const computed<Op, F, ROWS> op(f);
    const warp_tiles s = tiles_of_warp(f.j);
    finish_block(op, f.j, computed_warp_value(op, value_vectors<Op, F>(f), s), s.present);
}

#endif
