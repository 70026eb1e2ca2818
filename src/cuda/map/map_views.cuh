/* The kernel of a map over views, for a formula F that was compiled from text (map_text.cu). It has the members of a
 * formula of arrays (map_values.cuh), but takes positions instead of numbers of elements, and
 *     DIMENSIONS, LEAVES     of the layout
 *     position               distances of an element: view_position<LEAVES>
 *     part                   the type of the values, or of the parts of complex ones; then value is
 * complex_parts<part> PARTS_APART            true if the parts of complex values are not adjacent
 *
 * A thread computes ROWS packs of V adjacent values, which are THREADS packs apart. In the last dimension, V elements
 * of each array are adjacent, or one element is repeated. With V = 1 the distances are arbitrary. */
#ifndef WEFT_CUDA_MAP_VIEWS_CUH
#define WEFT_CUDA_MAP_VIEWS_CUH

#include "cuda/copy_view/view_index.cuh"
#include "cuda/map/map_values.cuh"

/* Distances from the first element: x[k] of leaf k, x[LEAVES] of the value. */
template <int LEAVES> struct view_position { int64_t x[LEAVES + 1]; };

/* Adjacent parts of a complex number. */
template <class T> struct alignas(2 * sizeof(T)) complex_parts { T re, im; };

/* Loads V elements of an array, at a distance in bytes. */
template <class T, int V>
static __device__ __forceinline__ packed<T, V> load_at(const formula_operand &o, int64_t distance) {
    return *(const packed<T, V> *)((const char *)o.array + distance);
}

template <class F>
static __device__ __forceinline__ typename F::position position_of(const formula_views &v, uint32_t i) {
    typename F::position p;
#pragma unroll
    for (int l = 0; l <= F::LEAVES; l++) p.x[l] = 0;
#pragma unroll
    for (int k = F::DIMENSIONS - 1; k >= 0; k--) {
        const uint32_t index = next_index(v.lengths, k, i);
#pragma unroll
        for (int l = 0; l <= F::LEAVES; l++) p.x[l] += (int64_t)index * v.distances[k * (F::LEAVES + 1) + l];
    }
    return p;
}

/* Stores V values at a distance from the first one. */
template <class F, int V>
static __device__ __forceinline__ void store_at(const formula_views &v, int64_t distance,
                                                const packed<typename F::value, V> &values) {
    char *const to = (char *)v.out + distance;
    if constexpr (F::PARTS_APART) {
        packed<typename F::part, V> re, im;
#pragma unroll
        for (int e = 0; e < V; e++) re.element[e] = values.element[e].re, im.element[e] = values.element[e].im;
        *(packed<typename F::part, V> *)to = re;
        *(packed<typename F::part, V> *)(to + v.imaginary) = im;
    } else {
        *(packed<typename F::value, V> *)to = values;
    }
}

/* All loads are before the first store, so that `out` may be one of the arrays. Packs after the last one are replaced
 * by the thread's first. */
template <class F, int V, int ROWS> static __device__ __forceinline__ void map_views(const formula_params &f) {
    const uint32_t own = blockIdx.x * (FORMULA_THREADS * ROWS) + threadIdx.x;
    typename F::template loads<V> l[ROWS];
    typename F::position p[ROWS];
    if (own >= f.views.n) return;
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
        const uint32_t i = own + r * FORMULA_THREADS;
        p[r] = position_of<F>(f.views, i < f.views.n ? i : own);
        l[r] = F::template load<V>(f.operands, p[r]);
    }
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++)
        if (own + r * FORMULA_THREADS < f.views.n)
            store_at<F, V>(f.views, p[r].x[F::LEAVES], values_of<F, V>(l[r], f.operands, p[r]));
}

#endif
