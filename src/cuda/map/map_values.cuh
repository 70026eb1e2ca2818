/* The kernel of a map, for a formula F that was compiled from text (map_text.cu):
 *     value             the type of its values
 *     loads<V>          elements of its arrays at V adjacent positions
 *     load<V>(o, i)     reads them from element i on, a multiple of V
 *     at(l, o, i, e)    the value at element i + e as it is stored
 *
 *     block      | THREADS vectors | THREADS vectors | ... ROWS times      all loads first, then the values
 *                  thread t has vector t of each row
 *
 * A thread reads all operands of an element before it writes its result, so that `out` may be one of the arrays. */
#ifndef WEFT_CUDA_MAP_VALUES_CUH
#define WEFT_CUDA_MAP_VALUES_CUH

#include "arith/halves.h"
#include "arith/map.h"
#include "cuda/map/map_formula.h"
#include "cuda/runtime/canonical.cuh"

template <class T, int V> struct alignas(FORMULA_ALIGNMENT(V * sizeof(T))) packed { T element[V]; };

/* Loads elements i .. i + V - 1 of an array. */
template <class T, int V>
static __device__ __forceinline__ packed<T, V> load_packed(const formula_operand &o, uint64_t i) {
    return *(const packed<T, V> *)((const T *)o.array + i);
}

/* Computes the values at elements i .. i + V - 1. Position: the number of an element, or its position in views. */
template <class F, int V, class Position>
static __device__ __forceinline__ packed<typename F::value, V>
values_of(const typename F::template loads<V> &l, const formula_operand *o, const Position &i) {
    packed<typename F::value, V> values;
#pragma unroll
    for (int e = 0; e < V; e++) values.element[e] = F::at(l, o, i, e);
    return values;
}

template <class F>
static __device__ __forceinline__ typename F::value value_at(const formula_operand *o, uint64_t i) {
    return F::at(F::template load<1>(o, i), o, i, 0);
}

template <class F, int V, int ROWS>
static __device__ __forceinline__ void map_full_block(const formula_params &f, uint64_t first) {
    typename F::template loads<V> l[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        l[r] = F::template load<V>(f.operands, first + (r * FORMULA_THREADS + threadIdx.x) * V);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const uint64_t i = first + (r * FORMULA_THREADS + threadIdx.x) * V;
        *(packed<typename F::value, V> *)((typename F::value *)f.j.out + i) = values_of<F, V>(l[r], f.operands, i);
    }
}

template <class F, int V, int ROWS> static __device__ __forceinline__ void map_values(const formula_params &f) {
    constexpr uint32_t ELEMENTS = FORMULA_THREADS * V * ROWS;
    for (uint64_t first = (uint64_t)blockIdx.x * ELEMENTS; first < f.j.n; first += (uint64_t)gridDim.x * ELEMENTS) {
        const uint64_t count = f.j.n - first;
        if (f.j.vectors && count >= ELEMENTS) {
            map_full_block<F, V, ROWS>(f, first);
            continue;
        }
#pragma unroll 1
        for (uint32_t k = threadIdx.x; k < ELEMENTS && k < count; k += FORMULA_THREADS)
            ((typename F::value *)f.j.out)[first + k] = value_at<F>(f.operands, first + k);
    }
}

#endif
