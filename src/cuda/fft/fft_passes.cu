/* Kernels of weft_fft (ORDER.md 14). A long transform takes two or more passes over memory. Passes before the last
 * one work on columns: lines of 2^LOG numbers with a constant step between them. The last pass works on rows, lines
 * of adjacent numbers, and writes every result in natural order. A block processes WIDTH lines: adjacent columns, or
 * rows whose results are adjacent, so that it reads and writes full segments of memory. */
#include "cuda/fft/fft_passes.h"
#include "cuda/fft/stages.cuh"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* --------------------------------------------------------------------------------- columns */

/* Returns number f of the transform that gives the real results of the n + 1 numbers at x. */
template <typename T>
static __device__ __forceinline__ number<T> combined(const fft_params &j, const T *x, uint64_t f) {
    const uint64_t g = j.n - f, low = f < g ? f : g;
    number<T> a = load_number(x, low, j.x_aligned), b = load_number(x, j.n - low, j.x_aligned);
    if (f == 0)
        part_first<T, true>(a.re, b.re, a, b);
    else
        part_pair<T, true>(j, low, a, b);
    return f <= g ? a : b;
}

/* Reads and writes every number once. If COMBINE, a number is computed from its pair; the blocks of paired columns
 * are adjacent, so that the second read finds the numbers in the L2 cache. */
template <typename T, int LOG, bool NARROW, bool COMBINE>
static __global__ void __launch_bounds__(pass_shape<T, LOG, NARROW>::THREADS, pass_shape<T, LOG, NARROW>::RESIDENT)
    columns_kernel(const fft_params j) {
    typedef pass_shape<T, LOG, NARROW> shape;
    typedef line<LOG> l;
    number<T> *shared = (number<T> *)dynamic_shared;
    const int c = threadIdx.x % shape::WIDTH, t = threadIdx.x / shape::WIDTH;
    const uint64_t step = j.n / j.blocks >> LOG, tiles = step / shape::WIDTH;
    const uint64_t block = blockIdx.x / tiles % j.blocks, array = blockIdx.x / tiles / j.blocks;
    const uint64_t at = blockIdx.x % tiles, tile = !COMBINE ? at : at % 2 ? tiles - 1 - at / 2 : at / 2;
    const uint64_t first = block * (step << LOG) + tile * shape::WIDTH + c;
    const T *x = (const T *)j.x + 2 * array * j.x_step;
    T *y = (T *)j.y + 2 * array * j.y_step;
    number<T> v[l::HELD];
#pragma unroll
    for (int i = 0; i < l::HELD; i++)
        if constexpr (COMBINE)
            v[i] = swapped(combined(j, x, first + l::template index<0>(t, i) * step), j.swap_in);
        else
            v[i] = swapped(load_number(x, first + l::template index<0>(t, i) * step, j.x_aligned), j.swap_in);
    phases_from<LOG>(v, shared, t, (const number<T> *)j.table, (uint32_t)block, side_by_side<shape::WIDTH>{c});
#pragma unroll
    for (int i = 0; i < l::HELD; i++)
        store_number(y, first + l::template index<l::PHASES - 1>(t, i) * step, j.y_aligned, v[i]);
}

/* ------------------------------------------------------------------------------------ rows */

/* In the first phase adjacent threads hold adjacent numbers of a row. After it they hold the numbers of equal index
 * in rows whose results are adjacent. */
template <typename T, int LOG, bool NARROW>
static __global__ void __launch_bounds__(pass_shape<T, LOG, NARROW>::THREADS, pass_shape<T, LOG, NARROW>::RESIDENT)
    rows_kernel(const fft_params j) {
    typedef pass_shape<T, LOG, NARROW> shape;
    typedef line<LOG> l;
    typedef side_by_side<shape::WIDTH + 1> rows;
    number<T> *shared = (number<T> *)dynamic_shared;
    const number<T> *table = (const number<T> *)j.table;
    const int digits = 63 - __clzll(j.blocks);
    const uint64_t tiles = j.blocks / shape::WIDTH, array = blockIdx.x / tiles;
    const uint64_t first = blockIdx.x % tiles * shape::WIDTH;
    const T *x = (const T *)j.x + 2 * array * j.x_step;
    T *y = (T *)j.y + 2 * array * j.y_step;
    number<T> v[l::HELD];
    const int t = threadIdx.x % l::THREADS, c = threadIdx.x / l::THREADS;
    const uint64_t row = mirrored(first + c, digits);
#pragma unroll
    for (int i = 0; i < l::HELD; i++)
        v[i] = swapped(load_number(x, (row << LOG) + l::template index<0>(t, i), j.x_aligned), j.swap_in);
    phase<LOG, 0>(v, t, table, (uint32_t)row);
    const int d = threadIdx.x % shape::WIDTH, u = threadIdx.x / shape::WIDTH;
    exchange<LOG, 0, 1>(v, shared, t, u, rows{c}, rows{d});
    phases_from<LOG, 1>(v, shared, u, table, (uint32_t)mirrored(first + d, digits), rows{d});
#pragma unroll
    for (int i = 0; i < l::HELD; i++) {
        const uint64_t index = mirrored(l::template index<l::PHASES - 1>(u, i), LOG);
        store_number(y, first + d + index * j.blocks, j.y_aligned, finished(v[i], (T)j.scale, j.swap_out));
    }
}

/* ------------------------------------------------------------------------------------ full */

/* Threads of a block, and the number of transforms that it computes. */
template <int LOG> struct full_shape {
    static constexpr int THREADS = line<LOG>::THREADS < 128 ? 128 : line<LOG>::THREADS;
    static constexpr int ARRAYS = THREADS / line<LOG>::THREADS;
};

/* Returns the position of natural index `index` in shared memory. It is XORed, within its group of 16, with the bits
 * in which the indexes of adjacent threads differ, to avoid bank conflicts. */
template <int LOG> static __device__ __forceinline__ int moved(int index) {
    constexpr int SHIFT = LOG - line<LOG>::bits(line<LOG>::PHASES - 1) - 4;
    return SHIFT < 1 ? index : index ^ ((index >> (SHIFT < 1 ? 0 : SHIFT)) & 15);
}

/* Position of number i of a thread when short arrays are read or written. Adjacent threads access adjacent numbers,
 * whichever array they belong to; shared memory redistributes them. */
template <int LOG> struct in_turn {
    int array, index;
    __device__ __forceinline__ explicit in_turn(int i) {
        const int number = i * full_shape<LOG>::THREADS + (int)threadIdx.x;
        array = number >> LOG;
        index = number & ((1 << LOG) - 1);
    }
};

template <typename T, int LOG>
static __device__ __forceinline__ void take_short(const fft_params &j, uint64_t first, number<T> *shared,
                                                  number<T> *v) {
    typedef line<LOG> l;
    const T *x = (const T *)j.x + 2 * first * j.x_step;
#pragma unroll
    for (int i = 0; i < l::HELD; i++) {
        const in_turn<LOG> k(i);
        v[i].re = v[i].im = 0;
        if (first + k.array < j.batch) v[i] = load_number(x, k.array * j.x_step + k.index, j.x_aligned);
    }
#pragma unroll
    for (int i = 0; i < l::HELD; i++) {
        const in_turn<LOG> k(i);
        shared[k.array * padded_size<LOG>() + padded::apart(k.index)] = v[i];
    }
    __syncthreads();
}

template <typename T, int LOG>
static __global__ void __launch_bounds__(full_shape<LOG>::THREADS, 4096 / sizeof(T) / full_shape<LOG>::THREADS)
    full_kernel(const fft_params j) {
    typedef line<LOG> l;
    constexpr bool SHORT = LOG < 8;
    number<T> *shared = (number<T> *)dynamic_shared;
    const int t = threadIdx.x % l::THREADS, which = threadIdx.x / l::THREADS;
    const uint64_t first = (uint64_t)blockIdx.x * full_shape<LOG>::ARRAYS, array = first + which;
    const bool there = array < j.batch;
    const padded at{which * padded_size<LOG>()};
    number<T> v[l::HELD];
    if (SHORT) take_short<T, LOG>(j, first, shared, v);
    const T *x = (const T *)j.x + 2 * (array * j.x_step + (SHORT ? 0 : l::template index_of<0>(t, 0)));
    const number<T> *own = shared + at.start(l::template index_of<0>(t, 0));
#pragma unroll
    for (int i = 0; i < l::HELD; i++) {
        if (SHORT)
            v[i] = own[padded::apart(l::template index_of<0>(0, i))];
        else if (there)
            v[i] = load_number(x, l::template index_of<0>(0, i), j.x_aligned);
        else
            v[i].re = v[i].im = 0;
        v[i] = swapped(v[i], j.swap_in);
    }
    phases_from<LOG>(v, shared, t, (const number<T> *)j.table, 0, at);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < l::HELD; i++)
        shared[at.first + moved<LOG>((int)mirrored(l::template index<l::PHASES - 1>(t, i), LOG))] = v[i];
    __syncthreads();
    T *y = (T *)j.y + 2 * ((SHORT ? first : array) * j.y_step);
#pragma unroll
    for (int i = 0; i < l::HELD; i++) {
        const in_turn<LOG> k(i);
        const int index = t + i * l::THREADS;
        if (SHORT ? first + k.array >= j.batch : !there) continue;
        const number<T> w =
            SHORT ? shared[k.array * padded_size<LOG>() + moved<LOG>(k.index)] : shared[at.first + moved<LOG>(index)];
        store_number(y, SHORT ? k.array * j.y_step + k.index : index, j.y_aligned,
                     finished(w, (T)j.scale, j.swap_out));
    }
}

/* ------------------------------------------------------------------------------ launches */

template <typename T, int LOG> static fft_launch full_launch(const fft_params *j) {
    const uint64_t arrays = full_shape<LOG>::ARRAYS;
    return fft_launch{(const void *)full_kernel<T, LOG>, (j->batch - 1) / arrays + 1, full_shape<LOG>::THREADS,
                      (unsigned)(arrays * padded_size<LOG>() * sizeof(number<T>))};
}

template <typename T, int LOG, bool NARROW, bool COMBINE> static fft_launch columns_launch(const fft_params *j) {
    typedef pass_shape<T, LOG, NARROW> shape;
    return fft_launch{(const void *)columns_kernel<T, LOG, NARROW, COMBINE>,
                      j->batch * ((j->n >> LOG) / shape::WIDTH), shape::THREADS,
                      (unsigned)(((size_t)shape::WIDTH << LOG) * sizeof(number<T>))};
}

template <typename T, int LOG, bool NARROW> static fft_launch rows_launch(const fft_params *j) {
    typedef pass_shape<T, LOG, NARROW> shape;
    return fft_launch{(const void *)rows_kernel<T, LOG, NARROW>, j->batch * (j->blocks / shape::WIDTH),
                      shape::THREADS, (unsigned)(((size_t)(shape::WIDTH + 1) << LOG) * sizeof(number<T>))};
}

template <typename T, int LOG> static fft_launch find_full(int log, const fft_params *j) {
    if (log == LOG) return full_launch<T, LOG>(j);
    if constexpr (LOG > 0) return find_full<T, LOG - 1>(log, j);
    return fft_launch{};
}

template <typename T, int LOG, bool COMBINE>
static fft_launch find_columns(int log, unsigned blocks, const fft_params *j) {
    if (log == LOG)
        return fitting(columns_launch<T, LOG, false, COMBINE>(j),
                       columns_launch<T, LOG, HAS_NARROW<T, LOG>, COMBINE>(j), blocks);
    if constexpr (LOG > FFT_PASS_LOG_MIN) return find_columns<T, LOG - 1, COMBINE>(log, blocks, j);
    return fft_launch{};
}

template <typename T, int LOG> static fft_launch find_rows(int log, unsigned blocks, const fft_params *j) {
    if (log == LOG) return fitting(rows_launch<T, LOG, false>(j), rows_launch<T, LOG, HAS_NARROW<T, LOG>>(j), blocks);
    if constexpr (LOG > FFT_PASS_LOG_MIN) return find_rows<T, LOG - 1>(log, blocks, j);
    return fft_launch{};
}

fft_launch cuda_fft_full(weft_dtype dtype, int log, const fft_params *j) {
    return dtype == WEFT_F32 ? find_full<float, FFT_FULL_LOG_F32>(log, j)
                             : find_full<double, FFT_FULL_LOG_F64>(log, j);
}

fft_launch cuda_fft_columns(weft_dtype dtype, int log, unsigned blocks, const fft_params *j) {
    return dtype == WEFT_F32 ? find_columns<float, FFT_PASS_LOG_F32, false>(log, blocks, j)
                             : find_columns<double, FFT_PASS_LOG_MAX, false>(log, blocks, j);
}

fft_launch cuda_fft_combine_columns(weft_dtype dtype, int log, unsigned blocks, const fft_params *j) {
    return dtype == WEFT_F32 ? find_columns<float, FFT_PASS_LOG_MAX, true>(log, blocks, j)
                             : find_columns<double, FFT_PASS_LOG_MAX, true>(log, blocks, j);
}

fft_launch cuda_fft_rows(weft_dtype dtype, int log, unsigned blocks, const fft_params *j) {
    return dtype == WEFT_F32 ? find_rows<float, FFT_PASS_LOG_F32>(log, blocks, j)
                             : find_rows<double, FFT_PASS_LOG_MAX>(log, blocks, j);
}
