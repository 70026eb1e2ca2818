/* Blocks of a convolution (ORDER.md 15.3) that fit in the registers and the shared memory of one multiprocessor. The
 * signal is read once, transformed, multiplied by the filter's transform and transformed back, and the results are
 * written. The transform is never reordered: the forward stages leave each number in a register, the filter's
 * transform is stored in that layout, and the backward stages start from it. */
#include "cuda/convolve/convolve_items.cuh"
#include "cuda/convolve/convolve_kernels.h"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* Several short items share a thread block. */
template <typename T, int LOG> struct block_shape {
    static constexpr int LEAST = 1024 / sizeof(T);
    static constexpr int THREADS = line<LOG>::THREADS < LEAST ? LEAST : line<LOG>::THREADS;
    static constexpr int ITEMS = THREADS / line<LOG>::THREADS;
    /* Blocks in a multiprocessor, bounded by registers. */
    static constexpr int MOST = (sizeof(T) == 4 ? 768 : 512) / THREADS, RESIDENT = MOST > 1 ? MOST : 1;
};

/* Returns the view of an item. ROWS: those of the call are numbered through all rows, from 0 on; else it is number
 * `item` of the only row. */
template <typename T, bool COMPLEX, bool ROWS>
static __device__ __forceinline__ item_view<T, COMPLEX> view_of(const convolve_params &j, uint64_t item) {
    if (!ROWS) return item_view<T, COMPLEX>(j, 0, item);
    const uint64_t row = j.items <= UINT32_MAX ? (uint32_t)item / (uint32_t)j.row_items : item / j.row_items;
    return item_view<T, COMPLEX>(j, row, j.item + (item - row * j.row_items));
}

/* Loads the numbers of an item. If all of them are in the signal, no bounds are checked. */
template <typename T, bool COMPLEX, int LOG, bool ROWS>
static __device__ __forceinline__ void take_item(const convolve_params &j, uint64_t item, int t, number<T> *v) {
    typedef line<LOG> l;
    const item_view<T, COMPLEX> view = view_of<T, COMPLEX, ROWS>(j, item);
    if (COMPLEX || !view.inside) {
#pragma unroll
        for (int i = 0; i < l::HELD; i++) v[i] = view.take(l::template index<0>(t, i));
        return;
    }
    const T *x = view.x + view.from + t, *next = x + j.step;
#pragma unroll
    for (int i = 0; i < l::HELD; i++) {
        v[i].re = __ldg(x + l::template index_of<0>(0, i));
        v[i].im = __ldg(next + l::template index_of<0>(0, i));
    }
}

template <typename T, bool COMPLEX, int LOG, bool ROWS>
static __device__ __forceinline__ void give_item(const convolve_params &j, uint64_t item, int t, const number<T> *v) {
    typedef line<LOG> l;
    const item_view<T, COMPLEX> view = view_of<T, COMPLEX, ROWS>(j, item);
    if (COMPLEX || !view.wanted) {
#pragma unroll
        for (int i = 0; i < l::HELD; i++) view.give(l::template index<0>(t, i), v[i]);
        return;
    }
    T *y = view.y + view.to + t, *next = y + j.step;
    const int first = (int)j.m - 1 - t;
#pragma unroll
    for (int i = 0; i < l::HELD; i++)
        if (l::template index_of<0>(0, i) >= first) {
            __stcg(y + l::template index_of<0>(0, i), canonical(v[i].re));
            __stcg(next + l::template index_of<0>(0, i), canonical(v[i].im));
        }
}

/* Convolves one item. An item past the last one is computed, for several rows as the last one, but not stored,
 * because its threads take part in the block's barriers. */
template <typename T, bool COMPLEX, int LOG, bool ROWS>
static __global__ void __launch_bounds__(block_shape<T, LOG>::THREADS, block_shape<T, LOG>::RESIDENT)
    block_kernel(const convolve_params j) {
    typedef line<LOG> l;
    number<T> *shared = (number<T> *)dynamic_shared;
    const number<T> *table = (const number<T> *)j.table;
    const T *filter = (const T *)j.filter;
    const int t = threadIdx.x % l::THREADS, which = threadIdx.x / l::THREADS;
    const uint64_t number_of_item = (uint64_t)blockIdx.x * block_shape<T, LOG>::ITEMS + which;
    const bool there = number_of_item < j.items;
    const uint64_t item = !ROWS ? j.item + number_of_item : there ? number_of_item : j.items - 1;
    const padded at{which * padded_size<LOG>()};
    number<T> v[l::HELD];
    take_item<T, COMPLEX, LOG, ROWS>(j, item, t, v);
    phases_from<LOG>(v, shared, t, table, 0, at);
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = multiply(v[i], load_number(filter, i * l::THREADS + t, true));
    phases_back<LOG>(v, shared, afresh(t), afresh(table), 0, at);
    if (there) give_item<T, COMPLEX, LOG, ROWS>(j, afresh(item), afresh(t), v);
}

template <typename T, bool COMPLEX, int LOG>
static __global__ void __launch_bounds__(line<LOG>::THREADS) filter_kernel(const convolve_params j) {
    typedef line<LOG> l;
    number<T> *shared = (number<T> *)dynamic_shared;
    const int t = threadIdx.x;
    const T scale = (T)j.scale;
    number<T> v[l::HELD];
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = take_tap<T, COMPLEX>(j, l::template index<0>(t, i));
    phases_from<LOG>(v, shared, t, (const number<T> *)j.table, 0, padded{0});
#pragma unroll
    for (int i = 0; i < l::HELD; i++) {
        v[i].re *= scale;
        v[i].im *= scale;
        store_number((T *)j.filter, i * l::THREADS + t, true, v[i]);
    }
}

/* --------------------------------------------------------------------------------- launches */

template <typename T, bool COMPLEX, int LOG>
static fft_launch find(int log, bool of_filter, const convolve_params *j) {
    constexpr unsigned bytes = padded_size<LOG>() * sizeof(number<T>);
    constexpr int items = block_shape<T, LOG>::ITEMS;
    if (log == LOG && of_filter)
        return fft_launch{(const void *)filter_kernel<T, COMPLEX, LOG>, 1, line<LOG>::THREADS, bytes};
    const void *kernel = (const void *)block_kernel<T, COMPLEX, LOG, false>;
    if constexpr (LOG <= ROWS_LOG)
        if (j->rows > 1) kernel = (const void *)block_kernel<T, COMPLEX, LOG, true>;
    if (log == LOG)
        return fft_launch{kernel, (j->items - 1) / items + 1, block_shape<T, LOG>::THREADS, items * bytes};
    if constexpr (LOG > BLOCK_LOG_MIN) return find<T, COMPLEX, LOG - 1>(log, of_filter, j);
    return fft_launch{};
}

static fft_launch find_any(weft_dtype dtype, bool is_complex, int log, bool of_filter, const convolve_params *j) {
    if (dtype == WEFT_F32)
        return is_complex ? find<float, true, BLOCK_LOG_F32>(log, of_filter, j)
                          : find<float, false, BLOCK_LOG_F32>(log, of_filter, j);
    return is_complex ? find<double, true, BLOCK_LOG_F64>(log, of_filter, j)
                      : find<double, false, BLOCK_LOG_F64>(log, of_filter, j);
}

fft_launch cuda_convolve_blocks(weft_dtype dtype, bool is_complex, int log, const convolve_params *j) {
    return find_any(dtype, is_complex, log, false, j);
}

fft_launch cuda_convolve_block_filter(weft_dtype dtype, bool is_complex, int log, const convolve_params *j) {
    return find_any(dtype, is_complex, log, true, j);
}
