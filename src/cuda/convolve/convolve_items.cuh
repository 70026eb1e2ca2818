/* An item of a convolution by transforms (ORDER.md 15.3): a block of complex values, or a pair of blocks of real
 * values. A pair forms the real and the imaginary parts of the item's numbers. */
#ifndef WEFT_CUDA_CONVOLVE_ITEMS_CUH
#define WEFT_CUDA_CONVOLVE_ITEMS_CUH

#include "cuda/convolve/convolve_params.h"
#include "cuda/fft/stages.cuh"

/* View of one item of a row for one thread: the positions of its numbers and results, and whether all of them are in
 * range. */
template <typename T, bool COMPLEX> struct item_view {
    const convolve_params &j;
    const T *x;          /* the row */
    T *y;                /* its results */
    int64_t from, to;    /* index of number 0 in the signal, and in the requested results; both may be negative */
    bool inside, wanted; /* inside: all numbers are in the signal; wanted: all results are requested */

    __device__ __forceinline__ item_view(const convolve_params &params, uint64_t row, uint64_t item) : j(params) {
        x = (const T *)j.x + row * j.x_step * (COMPLEX ? 2 : 1);
        y = (T *)j.y + row * j.count * (COMPLEX ? 2 : 1);
        const int64_t first = (int64_t)((COMPLEX ? item : 2 * item) * j.step), before = (int64_t)(j.m - 1);
        const int64_t reach = COMPLEX ? 0 : (int64_t)j.step;
        from = first - before;
        to = from - (int64_t)j.first;
        inside = from >= 0 && from + reach + (int64_t)j.size <= (int64_t)j.n;
        wanted = to + before >= 0 && to + reach + (int64_t)j.size <= (int64_t)j.count;
    }

    /* Returns value i of the signal, or 0 outside it. */
    __device__ __forceinline__ T value_or_zero(int64_t i) const {
        return inside || (i >= 0 && i < (int64_t)j.n) ? __ldg(x + i) : (T)0;
    }

    __device__ __forceinline__ number<T> take(int64_t index) const {
        number<T> v;
        v.re = v.im = 0;
        if (COMPLEX) {
            const int64_t i = from + index;
            if (inside || (i >= 0 && i < (int64_t)j.n)) v = load_number(x, (uint64_t)i, j.x_aligned);
        } else {
            v.re = value_or_zero(from + index);
            v.im = value_or_zero(from + index + (int64_t)j.step);
        }
        return v;
    }

    __device__ __forceinline__ void give_value(int64_t i, T v) const {
        if (wanted || (i >= 0 && i < (int64_t)j.count)) __stcg(y + i, canonical(v));
    }

    /* Stores the results of number `index`; the first m - 1 numbers have none. */
    __device__ __forceinline__ void give(int64_t index, number<T> v) const {
        if (index < (int64_t)(j.m - 1)) return;
        const int64_t i = to + index;
        if (!COMPLEX) {
            give_value(i, v.re);
            give_value(i + (int64_t)j.step, v.im);
        } else if (wanted || (i >= 0 && i < (int64_t)j.count)) {
            v.re = canonical(v.re);
            v.im = canonical(v.im);
            store_number(y, (uint64_t)i, j.y_aligned, v);
        }
    }
};

/* Returns tap `index`, or 0 after the last. */
template <typename T, bool COMPLEX>
static __device__ __forceinline__ number<T> take_tap(const convolve_params &j, uint64_t index) {
    number<T> v;
    v.re = v.im = 0;
    if (index >= j.m) return v;
    if (COMPLEX)
        v = load_number((const T *)j.h, index, false);
    else
        v.re = __ldg((const T *)j.h + index);
    return v;
}

#endif
