/* Blocks of a convolution (ORDER.md 15.3) that are too long for one multiprocessor: the column passes of
 * fft_passes.cu, a pass along rows that also multiplies by the filter's transform, and column passes backward. */
#include "cuda/convolve/convolve_items.cuh"
#include "cuda/convolve/convolve_kernels.h"

#define FILL_THREADS 256

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* -------------------------------------------------------------- copies to and from the numbers */

/* A thread of these kernels copies number `index` of an item. If `items` is 0, fill_kernel copies the taps. */
template <typename T, bool COMPLEX>
static __global__ void __launch_bounds__(FILL_THREADS) fill_kernel(const convolve_params j) {
    const uint64_t i = (uint64_t)blockIdx.x * FILL_THREADS + threadIdx.x, item = i / j.size, index = i % j.size;
    T *numbers = (T *)j.numbers;
    if (j.items == 0 && item == 0) store_number(numbers, i, true, take_tap<T, COMPLEX>(j, index));
    if (item < j.items)
        store_number(numbers, i, true, item_view<T, COMPLEX>(j, 0, j.item + item).take((int64_t)index));
}

template <typename T, bool COMPLEX>
static __global__ void __launch_bounds__(FILL_THREADS) give_kernel(const convolve_params j) {
    const uint64_t i = (uint64_t)blockIdx.x * FILL_THREADS + threadIdx.x, item = i / j.size, index = i % j.size;
    if (item < j.items)
        item_view<T, COMPLEX>(j, 0, j.item + item).give((int64_t)index, load_number((const T *)j.numbers, i, true));
}

/* ------------------------------------------------------------------------------------ rows */

template <int LOG> struct row_shape {
    static constexpr int THREADS = line<LOG>::THREADS < 128 ? 128 : line<LOG>::THREADS;
    static constexpr int ROWS = THREADS / line<LOG>::THREADS;
};

/* Transforms rows; rows are counted through all items. The filter's transform is stored in the order in which threads
 * read it. */
template <typename T, int LOG, bool OF_FILTER>
static __global__ void __launch_bounds__(row_shape<LOG>::THREADS) row_kernel(const convolve_params j) {
    typedef line<LOG> l;
    number<T> *shared = (number<T> *)dynamic_shared;
    const int t = threadIdx.x % l::THREADS, which = threadIdx.x / l::THREADS;
    const uint64_t number_of_row = (uint64_t)blockIdx.x * row_shape<LOG>::ROWS + which,
                   row = number_of_row % j.blocks;
    const padded at{which * padded_size<LOG>()};
    const number<T> *table = (const number<T> *)j.table;
    T *numbers = (T *)j.numbers + 2 * (number_of_row << LOG), *filter = (T *)j.filter + 2 * (row << LOG);
    number<T> v[l::HELD];
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = load_number(numbers, l::template index<0>(t, i), true);
    phases_from<LOG>(v, shared, t, table, (uint32_t)row, at);
    if constexpr (OF_FILTER) {
#pragma unroll
        for (int i = 0; i < l::HELD; i++) {
            v[i].re *= (T)j.scale;
            v[i].im *= (T)j.scale;
            store_number(filter, i * l::THREADS + t, true, v[i]);
        }
    } else {
#pragma unroll
        for (int i = 0; i < l::HELD; i++) v[i] = multiply(v[i], load_number(filter, i * l::THREADS + t, true));
        phases_back<LOG>(v, shared, t, afresh(table), (uint32_t)row, at);
#pragma unroll
        for (int i = 0; i < l::HELD; i++) store_number(numbers, l::template index<0>(t, i), true, v[i]);
    }
}

/* ------------------------------------------------------------------------ columns, backward */

template <typename T, int LOG>
static __global__ void __launch_bounds__(pass_shape<T, LOG>::THREADS, pass_shape<T, LOG>::RESIDENT)
    columns_back_kernel(const fft_params j) {
    typedef pass_shape<T, LOG> shape;
    typedef line<LOG> l;
    number<T> *shared = (number<T> *)dynamic_shared;
    const int c = threadIdx.x % shape::WIDTH, t = threadIdx.x / shape::WIDTH;
    const uint64_t step = j.n / j.blocks >> LOG, tiles = step / shape::WIDTH;
    const uint64_t block = blockIdx.x / tiles % j.blocks, array = blockIdx.x / tiles / j.blocks;
    T *z = (T *)j.y + 2 * (array * j.n + block * (step << LOG) + blockIdx.x % tiles * shape::WIDTH + c);
    number<T> v[l::HELD];
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = load_number(z, l::template index<l::PHASES - 1>(t, i) * step, true);
    phases_back<LOG>(v, shared, t, (const number<T> *)j.table, (uint32_t)block, side_by_side<shape::WIDTH>{c});
#pragma unroll
    for (int i = 0; i < l::HELD; i++) store_number(z, l::template index<0>(t, i) * step, true, v[i]);
}

/* --------------------------------------------------------------------------------- launches */

static fft_launch number_launch(const void *kernel, const convolve_params *j) {
    return fft_launch{kernel, ((j->items ? j->items : 1) * j->size - 1) / FILL_THREADS + 1, FILL_THREADS, 0};
}

fft_launch cuda_convolve_fill(weft_dtype dtype, bool is_complex, const convolve_params *j) {
    const void *f32 = is_complex ? (const void *)fill_kernel<float, true> : (const void *)fill_kernel<float, false>;
    const void *f64 = is_complex ? (const void *)fill_kernel<double, true> : (const void *)fill_kernel<double, false>;
    return number_launch(dtype == WEFT_F32 ? f32 : f64, j);
}

fft_launch cuda_convolve_give(weft_dtype dtype, bool is_complex, const convolve_params *j) {
    const void *f32 = is_complex ? (const void *)give_kernel<float, true> : (const void *)give_kernel<float, false>;
    const void *f64 = is_complex ? (const void *)give_kernel<double, true> : (const void *)give_kernel<double, false>;
    return number_launch(dtype == WEFT_F32 ? f32 : f64, j);
}

template <typename T, int LOG, bool OF_FILTER> static fft_launch find_row(int log, const convolve_params *j) {
    constexpr int rows = row_shape<LOG>::ROWS;
    if (log == LOG)
        return fft_launch{(const void *)row_kernel<T, LOG, OF_FILTER>, (j->items ? j->items : 1) * j->blocks / rows,
                          row_shape<LOG>::THREADS, (unsigned)(rows * padded_size<LOG>() * sizeof(number<T>))};
    if constexpr (LOG > FFT_PASS_LOG_MIN) return find_row<T, LOG - 1, OF_FILTER>(log, j);
    return fft_launch{};
}

fft_launch cuda_convolve_row_filter(weft_dtype dtype, int log, const convolve_params *j) {
    return dtype == WEFT_F32 ? find_row<float, FFT_PASS_LOG_MAX, true>(log, j)
                             : find_row<double, FFT_PASS_LOG_MAX, true>(log, j);
}

fft_launch cuda_convolve_row_product(weft_dtype dtype, int log, const convolve_params *j) {
    return dtype == WEFT_F32 ? find_row<float, FFT_PASS_LOG_MAX, false>(log, j)
                             : find_row<double, FFT_PASS_LOG_MAX, false>(log, j);
}

template <typename T, int LOG> static fft_launch find_columns_back(int log, const fft_params *j) {
    typedef pass_shape<T, LOG> shape;
    if (log == LOG)
        return fft_launch{(const void *)columns_back_kernel<T, LOG>, j->batch * ((j->n >> LOG) / shape::WIDTH),
                          shape::THREADS, (unsigned)(((size_t)shape::WIDTH << LOG) * sizeof(number<T>))};
    if constexpr (LOG > FFT_PASS_LOG_MIN) return find_columns_back<T, LOG - 1>(log, j);
    return fft_launch{};
}

fft_launch cuda_convolve_columns_back(weft_dtype dtype, int log, const fft_params *j) {
    return dtype == WEFT_F32 ? find_columns_back<float, FFT_PASS_LOG_MAX>(log, j)
                             : find_columns_back<double, FFT_PASS_LOG_MAX>(log, j);
}
