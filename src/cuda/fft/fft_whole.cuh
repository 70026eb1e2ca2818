/* Transforms of n = m 2^k values whose arrays fit in shared memory, in one pass over memory (ORDER.md 14.8). A block
 * transforms 2^arrays_log arrays: passes of odd radices, whose results are m rows of 2^k numbers in each array, then
 * the rows. */
#ifndef WEFT_CUDA_FFT_WHOLE_CUH
#define WEFT_CUDA_FFT_WHOLE_CUH

#include "cuda/fft/fft_calls.h"
#include "cuda/fft/fft_together.cuh"
#include "cuda/fft/stages.cuh"
#include "cuda/fft/transforms.h"

/* log2 of the longest rows, which 3 x 2^10 has, and of rows that are transformed in registers. */
enum { WHOLE_ROWS_LOG = 10, SHORT_ROWS_LOG = 4 };

/* radices: positions are the numbers of a row. Number i of position w is number w of row i of the block: those of the
 * rows i of its arrays, one after another. */
template <typename T> struct whole_params {
    together_params<T> radices;
    fft_params rows;  /* batch: of the arrays; n: of an array */
    view_length each; /* n */
    int log, arrays_log;
    uint32_t apart, half; /* those of halves */
};

/* Lines that the threads of a warp transform together: those after the last one are transformed, but not stored. */
template <int LOG>
static constexpr int OF_WARP = line<LOG>::THREADS > 1 && line<LOG>::THREADS < 32 ? 32 / line<LOG>::THREADS : 1;

/* A line of a block: line `at` is the part of row at >> arrays_log that belongs to array at % 2^arrays_log. t: of the
 * thread in the line. */
template <int LOG> struct whole_line {
    uint32_t row, array;
    int t;
    __device__ __forceinline__ whole_line(uint32_t at, int arrays_log)
        : row(at >> arrays_log), array(at & ((1u << arrays_log) - 1)),
          t((int)(afresh(threadIdx.x) % line<LOG>::THREADS)) {}
};

/* Transforms a line; apart: of halves. */
template <int LOG, typename T>
static __device__ __forceinline__ void transform_line(const whole_params<T> &p, const whole_line<LOG> &own,
                                                      uint32_t apart, number<T> *shared, number<T> *v) {
    typedef line<LOG> l;
    const padded_in_warps at{{(int)(own.row * apart) + padded::apart((int)(own.array << LOG))}};
    const number<T> *const x = shared + at.start(l::template index_of<0>(own.t, 0));
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = x[padded::apart(l::template index_of<0>(0, i))];
    phases_from<LOG>(v, shared, own.t, (const number<T> *)afresh(p.rows.table), 0, at);
    finish<l::HELD>(p.rows, v);
}

/* Stores the results of a line in shared memory, in the order of y; m: the rows. */
template <int LOG, typename T>
static __device__ __forceinline__ void keep_line(const whole_params<T> &p, const whole_line<LOG> &own, uint32_t m,
                                                 const number<T> *v, number<T> *to) {
    const uint32_t step = afresh(m);
    const uint32_t first = own.array * p.each.n + own.row + step * (uint32_t)natural_index<LOG>(own.t, 0);
#pragma unroll
    for (int i = 0; i < line<LOG>::HELD; i++)
        to[padded::apart((int)(first + step * (uint32_t)natural_index<LOG>(0, i)))] = v[i];
}

/* Stores the results of the arrays of a block, from array `array` on. */
template <typename T>
static __device__ __forceinline__ void store_arrays(const whole_params<T> &p, uint64_t array, int arrays_log,
                                                    const number<T> *from) {
    const fft_params &j = p.rows;
    const uint32_t count = (uint32_t)min((uint64_t)1 << arrays_log, j.batch - array) * p.each.n;
    T *const y = p.radices.j.y + array * p.radices.j.y_step;
    from += padded::apart((int)threadIdx.x);
    if (p.radices.j.y_step == 2 * j.n) {
#pragma unroll 4
        for (uint32_t i = threadIdx.x; i < count; i += blockDim.x, from += padded::apart((int)blockDim.x))
            store_number(y, i, p.radices.j.y_aligned, *from);
        return;
    }
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x, from += padded::apart((int)blockDim.x)) {
        uint32_t above = i;
        const uint32_t index = split_index(p.each, above);
        store_number(y + above * p.radices.j.y_step, index, p.radices.j.y_aligned, *from);
    }
}

/* Sets all parameters but the shape of a block. */
template <typename T>
static whole_params<T> whole_params_of(const fft_pass_call *c, const void *x, void *y, const void *table) {
    whole_params<T> p;
    memset(&p, 0, sizeof p);
    p.log = gpu_log2(c->n / points_of(c));
    p.radices = together_params_of<T>(c, x, y);
    p.rows.table = table;
    p.rows.batch = c->batch;
    p.rows.n = c->n;
    p.rows.scale = c->exchange_out ? 1 / (double)((size_t)1 << p.log) : 1;
    p.rows.swap_out = c->exchange_out;
    p.each = view_length_of(c->n);
    return p;
}

#endif
