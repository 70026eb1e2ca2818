/* Kernels of weft_fft (ORDER.md 14). A long transform takes two or more passes over memory. Passes before the last
 * one work on columns: lines of 2^LOG numbers with a constant step between them. The last pass works on rows, lines
 * of adjacent numbers, and writes every result in natural order. A block processes WIDTH lines: adjacent columns, or
 * rows whose results are adjacent, so that it reads and writes full segments of memory. */
#include "cuda/fft/fft_full.cuh"
#include "cuda/fft/fft_passes.h"
#include "cuda/runtime/overlap.cuh"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* --------------------------------------------------------------------------------- columns */

/* Reads and writes every number once. All counts are powers of two. */
template <typename T, int LOG, bool NARROW>
static __global__ void __launch_bounds__(pass_shape<T, LOG, NARROW>::THREADS, pass_shape<T, LOG, NARROW>::RESIDENT)
    columns_kernel(const fft_params j) {
    typedef pass_shape<T, LOG, NARROW> shape;
    typedef line<LOG> l;
    number<T> *shared = (number<T> *)dynamic_shared;
    const int c = threadIdx.x % shape::WIDTH, t = threadIdx.x / shape::WIDTH;
    const int blocks_log = log2_of(j.blocks), step_log = log2_of(j.n) - blocks_log - LOG;
    const int tiles_log = step_log - log2_of(shape::WIDTH);
    const uint32_t tile = blockIdx.x & ((1u << tiles_log) - 1);
    const uint32_t block = blockIdx.x >> tiles_log & (uint32_t)(j.blocks - 1);
    const uint64_t array = blockIdx.x >> (tiles_log + blocks_log), step = j.n >> (blocks_log + LOG);
    const uint32_t step_bytes = (uint32_t)(step * sizeof(number<T>));
    const uint32_t above = block_above(j, (uint32_t)array) << blocks_log;
    const uint64_t first = (uint64_t)block * (step << LOG) + tile * shape::WIDTH + c;
    const T *x = (const T *)j.x + 2 * (array * j.x_step + first + l::template index_of<0>(t, 0) * step);
    T *y = (T *)j.y + 2 * (array * j.y_step + first + l::template index_of<l::PHASES - 1>(t, 0) * step);
    number<T> v[l::HELD];
    wait_for_stream();
    load_numbers<l::HELD>(v, j.x_aligned, j.blocks == 1,
                          [=](int i) { return stepped(x, step_bytes, l::template index_of<0>(0, i)); });
    swap_parts<l::HELD>(v, j.swap_in);
    phases_from<LOG>(v, shared, t, (const number<T> *)j.table, above + block, side_by_side<shape::WIDTH>{c});
    store_numbers<l::HELD>(v, j.y_aligned, false,
                           [=](int i) { return stepped(y, step_bytes, l::template index_of<l::PHASES - 1>(0, i)); });
}

/* -------------------------------------------------------------------------- along one axis */

/* Transforms columns completely: result k of a column is in its row k. There are any number of columns; those after
 * the last one read the last one. Reads and writes every number once, also in place. */
template <typename T, int LOG, bool NARROW>
static __global__ void __launch_bounds__(pass_shape<T, LOG, NARROW>::THREADS, pass_shape<T, LOG, NARROW>::RESIDENT)
    axis_kernel(const fft_params j) {
    typedef pass_shape<T, LOG, NARROW> shape;
    typedef line<LOG> l;
    number<T> *shared = (number<T> *)dynamic_shared;
    const int c = threadIdx.x % shape::WIDTH, t = threadIdx.x / shape::WIDTH;
    const uint32_t columns = (uint32_t)j.columns, tiles = (columns - 1) / shape::WIDTH + 1;
    const uint32_t array = blockIdx.x / tiles, column = (blockIdx.x - array * tiles) * shape::WIDTH + c;
    const uint32_t step_bytes = columns * (uint32_t)sizeof(number<T>);
    const uint64_t first = array * j.x_step + min(column, columns - 1);
    const T *x = (const T *)j.x + 2 * (first + l::template index_of<0>(t, 0) * j.columns);
    T *y = (T *)j.y + 2 * (first + natural_index<LOG>(t, 0) * j.columns);
    number<T> v[l::HELD];
    wait_for_stream();
    load_numbers<l::HELD>(v, j.x_aligned, false,
                          [=](int i) { return stepped(x, step_bytes, l::template index_of<0>(0, i)); });
    swap_parts<l::HELD>(v, j.swap_in);
    phases_from<LOG>(v, shared, t, (const number<T> *)j.table, 0, side_by_side<shape::WIDTH>{c});
    finish<l::HELD>(j, v);
    if (column < columns)
        store_numbers<l::HELD>(v, j.y_aligned, false,
                               [=](int i) { return stepped(y, step_bytes, (uint32_t)natural_index<LOG>(0, i)); });
}

/* ------------------------------------------------------------------------------------ rows */

/* In the first phase adjacent threads hold adjacent numbers of a row. After it they hold the numbers of equal index
 * in rows whose results are adjacent. */
template <typename T, int LOG, bool NARROW>
static __global__ void __launch_bounds__(pass_shape<T, LOG, NARROW>::THREADS, pass_shape<T, LOG, NARROW>::RESIDENT)
    rows_kernel(const fft_params j) {
    typedef pass_shape<T, LOG, NARROW> shape;
    typedef line<LOG> l;
    typedef side_by_side<shape::WIDTH, shape::ROW> rows;
    number<T> *shared = (number<T> *)dynamic_shared;
    const number<T> *table = (const number<T> *)j.table;
    const int digits = log2_of(j.blocks), tiles_log = digits - log2_of(shape::WIDTH);
    const uint64_t array = blockIdx.x >> tiles_log;
    const uint32_t first = (blockIdx.x & ((1u << tiles_log) - 1)) * shape::WIDTH;
    const int t = threadIdx.x % l::THREADS, c = threadIdx.x / l::THREADS;
    const int d = threadIdx.x % shape::WIDTH, u = threadIdx.x / shape::WIDTH;
    const uint64_t row = mirrored(first + c, digits);
    const uint32_t step_bytes = (uint32_t)(j.blocks * sizeof(number<T>));
    const T *x = (const T *)j.x + 2 * (array * j.x_step + (row << LOG) + l::template index_of<0>(t, 0));
    T *y = (T *)j.y + 2 * (array * j.y_step + first + d + (natural_index<LOG>(u, 0) << digits));
    number<T> v[l::HELD];
    wait_for_stream();
    load_numbers<l::HELD>(v, j.x_aligned, false, [=](int i) { return x + 2 * l::template index_of<0>(0, i); });
    phase<LOG, 0>(v, t, table, (uint32_t)row);
    exchange<LOG, 0, 1>(v, shared, t, u, rows{c}, rows{d});
    phases_from<LOG, 1>(v, shared, u, table, (uint32_t)mirrored(first + d, digits), rows{d});
    finish<l::HELD>(j, v);
    store_numbers<l::HELD>(v, j.y_aligned, true,
                           [=](int i) { return stepped(y, step_bytes, (uint32_t)natural_index<LOG>(0, i)); });
}

/* ----------------------------------------------------------------------------------- short */

#define SHORT_LOG 7 /* log2 of the longest transforms of which a warp computes several, from adjacent numbers */
#define SHORT_THREADS 128

/* Position of a number of a warp in shared memory: the lines of `padded`, which have no padding if they are shorter
 * than 16 numbers. */
template <int LOG> static constexpr __host__ __device__ int short_position(int number) {
    return LOG < 4 ? number : padded::apart(number);
}

/* Adjacent threads read and write adjacent numbers, whichever array they belong to; shared memory redistributes
 * them within each warp. Arrays at x are adjacent. */
template <typename T, int LOG>
static __global__ void __launch_bounds__(SHORT_THREADS, 4096 / sizeof(T) / SHORT_THREADS)
    short_kernel(const fft_params j) {
    typedef line<LOG> l;
    constexpr int SHARE = 32 * l::HELD; /* numbers of a warp */
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = lane % l::THREADS, line_at = lane / l::THREADS;
    const uint64_t share = ((uint64_t)blockIdx.x * (SHORT_THREADS / 32) + warp) * SHARE, count = j.batch << LOG;
    const bool full = share + SHARE <= count, adjacent = full && j.y_aligned && j.y_step == 1 << LOG;
    number<T> *shared = (number<T> *)dynamic_shared + warp * short_position<LOG>(SHARE);
    number<T> *adjacent_numbers = shared + short_position<LOG>(lane);
    const padded_in_warps at{{line_at * padded_size<LOG>()}};
    const T *x = (const T *)j.x + 2 * (share + lane);
    number<T> v[l::HELD];
    wait_for_stream();
    if (full && j.x_aligned) {
#pragma unroll
        for (int i = 0; i < l::HELD; i++) v[i] = load_aligned(x, 32 * i);
    } else {
#pragma unroll
        for (int i = 0; i < l::HELD; i++) {
            v[i] = number<T>{0, 0};
            if (share + lane + 32 * i < count) v[i] = load_number(x, 32 * i, j.x_aligned);
        }
    }
    swap_parts<l::HELD>(v, j.swap_in);
#pragma unroll
    for (int i = 0; i < l::HELD; i++) adjacent_numbers[short_position<LOG>(32 * i)] = v[i];
    __syncwarp();
    const number<T> *own = shared + at.start(l::template index_of<0>(t, 0));
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = own[padded::apart(l::template index_of<0>(0, i))];
    phases_from<LOG>(v, shared, t, (const number<T> *)j.table, 0, at);
    __syncwarp();
    number<T> *results = shared + at.start((int)natural_index<LOG>(t, 0));
#pragma unroll
    for (int i = 0; i < l::HELD; i++) results[padded::apart((int)natural_index<LOG>(0, i))] = v[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = adjacent_numbers[short_position<LOG>(32 * i)];
    finish<l::HELD>(j, v);
    if (adjacent) {
        T *y = (T *)j.y + 2 * (share + lane);
#pragma unroll
        for (int i = 0; i < l::HELD; i++) store_aligned(y, 32 * i, v[i]);
    } else {
#pragma unroll
        for (int i = 0; i < l::HELD; i++) {
            const uint64_t k = share + lane + 32 * i;
            if (k < count) store_number((T *)j.y, (k >> LOG) * j.y_step + k % (1 << LOG), j.y_aligned, v[i]);
        }
    }
}

/* ------------------------------------------------------------------------------------ full */

template <typename T, int LOG>
static __global__ void __launch_bounds__(full_shape<LOG>::THREADS, 4096 / sizeof(T) / full_shape<LOG>::THREADS)
    full_kernel(const fft_params j) {
    typedef line<LOG> l;
    number<T> *shared = (number<T> *)dynamic_shared;
    const int t = threadIdx.x % l::THREADS, which = threadIdx.x / l::THREADS;
    const uint64_t array = (uint64_t)blockIdx.x * full_shape<LOG>::ARRAYS + which;
    const bool there = array < j.batch;
    const padded_in_warps at{{which * padded_size<LOG>()}};
    const T *x = (const T *)j.x + 2 * ((there ? array : 0) * j.x_step + l::template index_of<0>(t, 0));
    T *y = (T *)j.y + 2 * (array * j.y_step + t);
    number<T> v[l::HELD];
    wait_for_stream();
    load_numbers<l::HELD>(v, j.x_aligned, false, [=](int i) { return x + 2 * l::template index_of<0>(0, i); });
    swap_parts<l::HELD>(v, j.swap_in);
    phases_from<LOG>(v, shared, t, (const number<T> *)j.table, 0, at);
    padded_in_warps::wait<LOG>();
    number<T> *own = shared + at.first;
    const int result = moved<T, LOG>((int)natural_index<LOG>(t, 0)), first = moved<T, LOG>(t);
#pragma unroll
    for (int i = 0; i < l::HELD; i++) own[result ^ moved<T, LOG>((int)natural_index<LOG>(0, i))] = v[i];
    padded_in_warps::wait<LOG>();
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = own[first ^ moved<T, LOG>(i * l::THREADS)];
    finish<l::HELD>(j, v);
    if (there) store_numbers<l::HELD>(v, j.y_aligned, false, [=](int i) { return y + 2 * i * l::THREADS; });
}

/* ------------------------------------------------------------------------------ launches */

template <typename T, int LOG> static fft_launch short_launch(const fft_params *j) {
    const uint64_t numbers = SHORT_THREADS * line<LOG>::HELD;
    return fft_launch{(const void *)short_kernel<T, LOG>, ((j->batch << LOG) - 1) / numbers + 1, SHORT_THREADS,
                      (unsigned)(short_position<LOG>(numbers) * sizeof(number<T>)), true};
}

template <typename T, int LOG> static fft_launch full_launch(const fft_params *j) {
    const uint64_t arrays = full_shape<LOG>::ARRAYS;
    return fft_launch{(const void *)full_kernel<T, LOG>, (j->batch - 1) / arrays + 1, full_shape<LOG>::THREADS,
                      (unsigned)(arrays * padded_size<LOG>() * sizeof(number<T>)), true};
}

template <typename T, int LOG, bool NARROW> struct columns_pass {
    typedef pass_shape<T, LOG, NARROW> shape;
    static fft_launch launch(const fft_params *j) {
        return shape::launch((const void *)columns_kernel<T, LOG, NARROW>, j, false);
    }
};

template <typename T, int LOG, bool NARROW> struct axis_pass {
    typedef pass_shape<T, LOG, NARROW> shape;
    static fft_launch launch(const fft_params *j) {
        fft_launch all = shape::launch((const void *)axis_kernel<T, LOG, NARROW>, j, false);
        all.blocks = j->batch * ((j->columns - 1) / shape::WIDTH + 1);
        return all;
    }
};

template <typename T, int LOG, bool NARROW> struct rows_pass {
    typedef pass_shape<T, LOG, NARROW> shape;
    static fft_launch launch(const fft_params *j) {
        return shape::launch((const void *)rows_kernel<T, LOG, NARROW>, j, true);
    }
};

template <typename T, int LOG> static fft_launch find_full(int log, const fft_params *j) {
    if constexpr (LOG <= SHORT_LOG)
        if (log == LOG) return short_launch<T, LOG>(j);
    if constexpr (LOG > SHORT_LOG)
        if (log == LOG) return full_launch<T, LOG>(j);
    if constexpr (LOG > 0) return find_full<T, LOG - 1>(log, j);
    return fft_launch{};
}

fft_launch cuda_fft_full(weft_dtype dtype, int log, const fft_params *j) {
    return dtype == WEFT_F32 ? find_full<float, FFT_FULL_LOG_F32>(log, j)
                             : find_full<double, FFT_FULL_LOG_F64>(log, j);
}

fft_launch cuda_fft_columns(weft_dtype dtype, int log, unsigned blocks, const fft_params *j) {
    return dtype == WEFT_F32 ? find_pass<columns_pass, float, FFT_PASS_LOG_F32>(log, blocks, j)
                             : find_pass<columns_pass, double, FFT_PASS_LOG_MAX>(log, blocks, j);
}

fft_launch cuda_fft_axis(weft_dtype dtype, int log, unsigned blocks, const fft_params *j) {
    return dtype == WEFT_F32 ? find_pass<axis_pass, float, FFT_COLUMNS_LOG>(log, blocks, j)
                             : find_pass<axis_pass, double, FFT_COLUMNS_LOG>(log, blocks, j);
}

fft_launch cuda_fft_rows(weft_dtype dtype, int log, unsigned blocks, const fft_params *j) {
    return dtype == WEFT_F32 ? find_pass<rows_pass, float, FFT_PASS_LOG_F32>(log, blocks, j)
                             : find_pass<rows_pass, double, FFT_PASS_LOG_MAX>(log, blocks, j);
}
