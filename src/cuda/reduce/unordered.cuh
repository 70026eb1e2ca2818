/* Reductions whose order does not matter: integers, bits, minimum and maximum, counts.
 *
 * The input is a sequence of 16-byte vectors that begin on 16-byte boundaries, whatever the element's
 * type; the first and the last may be incomplete. A warp takes adjacent tiles of UNORDERED_ROWS rows of 32 vectors;
 * each thread has one accumulator for all its vectors, and the warp combines them at its end.
 *
 *     address        16 k                       16 (k+1)
 *                     | . . . x0 x1 x2 x3 x4 ... | ...        skip = 3 elements precede x
 *
 * An operator Op has
 *     element, value               types of the input and of accumulators
 *     Op(params)                   takes its parameters
 *     start(where)                 an empty accumulator, of a thread whose first vector is `where`
 *     take(v, vector, where)       adds the vector with index `where` to v; in ascending order
 *     combine(a, b)                combines two accumulators
 *     absent()                     the identity as an element, for incomplete vectors
 *     resolve(params, v)           last correction of a chunk's value */
#ifndef WEFT_CUDA_UNORDERED_CUH
#define WEFT_CUDA_UNORDERED_CUH

#include "cuda/reduce/combine.cuh"

#define UNORDERED_TILE (UNORDERED_ROWS * WARP)
/* Marks a thread without vectors; not a valid vector index. */
#define NOWHERE UINT64_MAX

template <class T> union vector {
    static constexpr int ELEMENTS = 16 / sizeof(T);
    uint4 raw;
    uint32_t word[4];
    uint64_t pair[2];
    T element[ELEMENTS];
};

/* View of the elements of a launch as 16-byte vectors. */
template <class T> struct vectors {
    const vector<T> *at;           /* vector 0 */
    uint64_t begin, end;           /* valid elements begin .. end - 1, counted from vector 0 */
    uint64_t count;                /* number of vectors, complete or not */
    uint64_t full_begin, full_end; /* range of complete vectors */

    __device__ explicit vectors(const reduce_params &j) {
        at = (const vector<T> *)((const T *)j.x - j.skip);
        begin = j.skip;
        end = j.skip + j.n;
        count = (end + vector<T>::ELEMENTS - 1) / vector<T>::ELEMENTS;
        full_begin = begin > 0;
        full_end = end / vector<T>::ELEMENTS;
    }
    /* Returns true if the `number` vectors from `first` on are all complete. */
    __device__ bool complete(uint64_t first, uint64_t number) const {
        return first >= full_begin && first + number <= full_end;
    }
    __device__ vector<T> load(uint64_t i) const {
        vector<T> v;
        v.raw = __ldg(&at[i].raw);
        return v;
    }
    __device__ vector<T> load_incomplete(uint64_t i, T absent) const {
        vector<T> v;
        for (int e = 0; e < vector<T>::ELEMENTS; e++) {
            const uint64_t element = i * vector<T>::ELEMENTS + e;
            v.element[e] = element >= begin && element < end ? __ldg((const T *)at + element) : absent;
        }
        return v;
    }
};

/* Takes vectors that are WARP apart. The first one has index `where`. */
template <class Op>
static __device__ __forceinline__ void take_rows(const Op &op, typename Op::value &v,
                                                 const vector<typename Op::element> (&row)[UNORDERED_LOADS],
                                                 uint64_t where) {
#pragma unroll
    for (int r = 0; r < UNORDERED_LOADS; r++) op.take(v, row[r], where + r * WARP);
}

/* Takes a tile of complete vectors; the thread's first vector is `own`. */
template <class Op>
static __device__ __forceinline__ void take_full_tile(const Op &op, const vectors<typename Op::element> &x,
                                                      uint64_t own, typename Op::value &v) {
#pragma unroll 1
    for (int top = 0; top < UNORDERED_ROWS; top += UNORDERED_LOADS) {
        vector<typename Op::element> row[UNORDERED_LOADS];
#pragma unroll
        for (int r = 0; r < UNORDERED_LOADS; r++) row[r] = x.load(own + (top + r) * WARP);
        take_rows(op, v, row, own + top * WARP);
    }
}

/* Takes the complete vectors of any tile; those of a thread are in adjacent rows. */
template <class Op>
static __device__ __forceinline__ void take_any_tile(const Op &op, const vectors<typename Op::element> &x,
                                                     uint64_t own, typename Op::value &v) {
    int row = own < x.full_begin, rows = 0;
    if (own < x.full_end) {
        const uint64_t left = (x.full_end - own + WARP - 1) / WARP;
        rows = left < UNORDERED_ROWS ? (int)left : UNORDERED_ROWS;
    }
#pragma unroll 1
    for (; row < rows; row += UNORDERED_LOADS) {
        vector<typename Op::element> held[UNORDERED_LOADS];
#pragma unroll
        for (int r = 0; r < UNORDERED_LOADS; r++)
            if (row + r < rows) held[r] = x.load(own + (row + r) * WARP);
#pragma unroll
        for (int r = 0; r < UNORDERED_LOADS; r++)
            if (row + r < rows) op.take(v, held[r], own + (row + r) * WARP);
    }
}

/* Takes vector `edge` if it is incomplete and belongs to this thread in the tile that starts at `tile`. */
template <class Op>
static __device__ __forceinline__ void take_edge(const Op &op, const vectors<typename Op::element> &x, uint64_t tile,
                                                 uint64_t edge, typename Op::value &v) {
    const bool here = edge >= tile && edge - tile < UNORDERED_TILE && edge % WARP == threadIdx.x % WARP;
    if (!here || x.complete(edge, 1)) return;
    typename Op::value alone = op.start(edge);
    op.take(alone, x.load_incomplete(edge, op.absent()), edge);
    v = op.combine(v, alone);
}

template <class Op>
static __device__ __forceinline__ typename Op::value unordered_warp_value(const Op &op, const reduce_params &j,
                                                                          warp_tiles s) {
    const vectors<typename Op::element> x(j);
    const uint64_t own = s.begin * UNORDERED_TILE + threadIdx.x % WARP;
    typename Op::value v = op.start(s.count && own < x.count ? own : NOWHERE);
#pragma unroll 1
    for (uint64_t t = 0; t < s.count; t++) {
        const uint64_t tile = (s.begin + t) * UNORDERED_TILE;
        if (x.complete(tile, UNORDERED_TILE)) {
            take_full_tile(op, x, own + t * UNORDERED_TILE, v);
        } else {
            take_any_tile(op, x, own + t * UNORDERED_TILE, v);
            take_edge(op, x, tile, 0, v);
            if (x.count > 1) take_edge(op, x, tile, x.count - 1, v);
        }
    }
#pragma unroll
    for (int distance = WARP / 2; distance >= 1; distance /= 2) v = op.combine(v, across(v, distance));
    return v;
}

/* Default members of operators. */
struct unordered_operator {
    template <class Value> __device__ void resolve(const reduce_params &, Value &) const {}
};

template <class Op>
static __global__ void __launch_bounds__(WARPS_MAX *WARP, UNORDERED_BLOCKS)
    unordered_kernel(const __grid_constant__ reduce_params j) {
    const Op op(j);
    const warp_tiles s = tiles_of_warp(j);
    finish_block(op, j, unordered_warp_value(op, j, s), s.present);
}

#endif
