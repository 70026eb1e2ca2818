/* Kernels of real transforms (ORDER.md 14.5): the last pass of a forward transform together with the computation of
 * pairs, pairs as a pass of their own, and transforms of one value. */
#include "cuda/fft/fft_passes.h"
#include "cuda/fft/stages.cuh"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* ------------------------------------------------------------------------------------ pairs */

#define PARTS_THREADS 256

/* Computes the pair f, n - f; 1 <= f <= n/2. */
template <typename T, bool INVERSE>
static __device__ __forceinline__ void pair_of(const fft_params &j, const T *x, T *y, uint64_t f) {
    const uint64_t g = j.n - f;
    number<T> a = load_number(x, f, j.x_aligned), b = load_number(x, g, j.x_aligned);
    part_pair<T, INVERSE>(j, f, a, b);
    store_number(y, f, j.y_aligned, a);
    if (g > f) store_number(y, g, j.y_aligned, b);
}

/* Computes f = 0, together with f = n: two real values. */
template <typename T, bool INVERSE>
static __device__ __forceinline__ void real_pair_of(const fft_params &j, const T *x, T *y) {
    number<T> a, b;
    part_first<T, INVERSE>(__ldcg(x), __ldcg(x + (INVERSE ? 2 * j.n : 1)), a, b);
    store_number(y, 0, j.y_aligned, a);
    if (!INVERSE) store_number(y, j.n, j.y_aligned, b);
}

/* Each thread computes one pair of one array; the first thread of an array computes f = 0 and f = n/2. */
template <typename T, bool INVERSE>
static __global__ void __launch_bounds__(PARTS_THREADS) parts_kernel(const fft_params j) {
    const uint64_t at = (uint64_t)blockIdx.x * PARTS_THREADS + threadIdx.x;
    const int digits = j.n > 1 ? 62 - __clzll(j.n) : 0;
    const uint64_t array = at >> digits, f = at & (((uint64_t)1 << digits) - 1);
    if (array >= j.batch) return;
    const T *x = (const T *)(INVERSE ? j.x : j.y) + 2 * array * (INVERSE ? j.x_step : j.y_step);
    T *y = (T *)j.y + 2 * array * j.y_step;
    if (f > 0) {
        pair_of<T, INVERSE>(j, x, y, f);
        return;
    }
    real_pair_of<T, INVERSE>(j, x, y);
    if (j.n > 1) pair_of<T, INVERSE>(j, x, y, j.n / 2);
}

/* Transforms of one value, to or from a real one. */
template <typename T, bool FROM_REAL>
static __global__ void __launch_bounds__(PARTS_THREADS) single_kernel(const fft_params j) {
    const uint64_t i = (uint64_t)blockIdx.x * PARTS_THREADS + threadIdx.x;
    if (i >= j.batch) return;
    const T v = canonical(((const T *)j.x)[FROM_REAL ? i : 2 * i]);
    ((T *)j.y)[FROM_REAL ? 2 * i : i] = v;
    if (FROM_REAL) ((T *)j.y)[2 * i + 1] = 0;
}

/* ----------------------------------------------------------------------- rows, then their pairs */

/* Geometry by type and length: a block has SIDE adjacent lines, and the SIDE lines with the other numbers of their
 * pairs. */
template <typename T, int LOG, bool NARROW> struct split_shape {
    static constexpr int BYTES = LOG <= 6 ? 128 : NARROW || LOG >= 10 ? 32 : 64;
    static constexpr int SIDE = BYTES / (2 * sizeof(T)), LINES = 2 * SIDE;
    static constexpr int THREADS = LINES * line<LOG>::THREADS;
    static constexpr int RESIDENT = 4096 / sizeof(T) / THREADS;
};

/* Returns the line, of the results, of slot s: first + s, or the line of the other numbers of the pairs of slot
 * s - side. Line 0 has the pairs of line 0, and line blocks / 2 its own: they share two slots. */
static __device__ __forceinline__ uint64_t split_line(uint64_t blocks, uint64_t first, int s, int side) {
    const uint64_t c = first + (uint64_t)(s % side);
    return s < side ? c : c == 0 ? blocks / 2 : blocks - c;
}

/* A pair of numbers in shared memory: slots and indexes in the line. */
struct split_pair {
    int slot, index, other_slot, other_index;
};

/* Returns the pair of slot d, number `index`; slot 0 of the first block has the pairs of two lines. */
template <int LOG> static __device__ __forceinline__ split_pair pair_in(bool two_lines, int d, int index, int side) {
    constexpr int LENGTH = 1 << LOG, HALF = LENGTH / 2;
    split_pair p = {d, index, d + side, LENGTH - 1 - index};
    if (two_lines && index < HALF) p = {0, index, 0, (LENGTH - index) % LENGTH};
    if (two_lines && index >= HALF) p = {side, index - HALF, side, LENGTH - 1 - (index - HALF)};
    return p;
}

/* Computes and writes a pair. f is the position of its first number in the result. */
template <typename T, int LOG, typename Rows>
static __device__ __forceinline__ void store_split(const fft_params &j, const number<T> *shared, split_pair p,
                                                   uint64_t f, T *y) {
    const uint64_t g = j.n - f;
    number<T> a = shared[Rows{p.slot}.start(p.index)], b = shared[Rows{p.other_slot}.start(p.other_index)];
    if (f == 0) {
        part_first<T, false>(a.re, a.im, a, b);
        store_number(y, j.n, j.y_aligned, b);
        store_number(y, 0, j.y_aligned, a);
        a = b = shared[Rows{0}.start(1 << (LOG - 1))];
        part_pair<T, false>(j, j.n / 2, a, b);
        store_number(y, j.n / 2, j.y_aligned, a);
        return;
    }
    if (f < g)
        part_pair<T, false>(j, f, a, b);
    else
        part_pair<T, false>(j, g, b, a);
    store_number(y, f, j.y_aligned, a);
    store_number(y, g, j.y_aligned, b);
}

/* Rows as in rows_kernel, of the lines of both numbers of pairs. Writes the n + 1 results. */
template <typename T, int LOG, bool NARROW>
static __global__ void __launch_bounds__(split_shape<T, LOG, NARROW>::THREADS, split_shape<T, LOG, NARROW>::RESIDENT)
    split_rows_kernel(const fft_params j) {
    typedef split_shape<T, LOG, NARROW> shape;
    typedef line<LOG> l;
    typedef side_by_side<shape::LINES + 1> rows;
    number<T> *shared = (number<T> *)dynamic_shared;
    const number<T> *table = (const number<T> *)j.table;
    const int digits = 63 - __clzll(j.blocks);
    const uint64_t tiles = j.blocks / shape::LINES, array = blockIdx.x / tiles;
    const uint64_t first = blockIdx.x % tiles * shape::SIDE;
    const T *x = (const T *)j.x + 2 * array * j.x_step;
    T *y = (T *)j.y + 2 * array * j.y_step;
    number<T> v[l::HELD];
    const int t = threadIdx.x % l::THREADS, c = threadIdx.x / l::THREADS;
    const uint64_t row = mirrored(split_line(j.blocks, first, c, shape::SIDE), digits);
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = load_number(x, (row << LOG) + l::template index<0>(t, i), j.x_aligned);
    phase<LOG, 0>(v, t, table, (uint32_t)row);
    const int d = threadIdx.x % shape::LINES, u = threadIdx.x / shape::LINES;
    exchange<LOG, 0, 1>(v, shared, t, u, rows{c}, rows{d});
    phases_from<LOG, 1>(v, shared, u, table, (uint32_t)mirrored(split_line(j.blocks, first, d, shape::SIDE), digits),
                        rows{d});
    __syncthreads();
#pragma unroll
    for (int i = 0; i < l::HELD; i++)
        shared[rows{d}.start((int)mirrored(l::template index<l::PHASES - 1>(u, i), LOG))] = v[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < l::HELD / 2; i++) {
        const int at = i * shape::THREADS + (int)threadIdx.x, s = at % shape::SIDE, index = at / shape::SIDE;
        const split_pair p = pair_in<LOG>(first + s == 0, s, index, shape::SIDE);
        const uint64_t f = split_line(j.blocks, first, p.slot, shape::SIDE) + (uint64_t)p.index * j.blocks;
        store_split<T, LOG, rows>(j, shared, p, f, y);
    }
}

/* ------------------------------------------------------------------------------ launches */

template <typename T, int LOG, bool NARROW> static fft_launch split_rows_launch(const fft_params *j) {
    typedef split_shape<T, LOG, NARROW> shape;
    return fft_launch{(const void *)split_rows_kernel<T, LOG, NARROW>, j->batch * (j->blocks / shape::LINES),
                      shape::THREADS, (unsigned)(((size_t)(shape::LINES + 1) << LOG) * sizeof(number<T>))};
}

template <typename T, int LOG> static fft_launch find_split_rows(int log, unsigned blocks, const fft_params *j) {
    if (log == LOG)
        return fitting(split_rows_launch<T, LOG, false>(j), split_rows_launch<T, LOG, (LOG > 6 && LOG < 10)>(j),
                       blocks);
    if constexpr (LOG > FFT_PASS_LOG_MIN) return find_split_rows<T, LOG - 1>(log, blocks, j);
    return fft_launch{};
}

fft_launch cuda_fft_split_rows(weft_dtype dtype, int log, unsigned blocks, const fft_params *j) {
    return dtype == WEFT_F32 ? find_split_rows<float, FFT_PASS_LOG_MAX>(log, blocks, j)
                             : find_split_rows<double, FFT_PASS_LOG_MAX>(log, blocks, j);
}

static fft_launch parts_launch(const void *kernel, const fft_params *j) {
    const uint64_t pairs = j->n > 1 ? j->n / 2 : 1;
    return fft_launch{kernel, (j->batch * pairs - 1) / PARTS_THREADS + 1, PARTS_THREADS, 0};
}

fft_launch cuda_fft_split(weft_dtype dtype, const fft_params *j) {
    return parts_launch(
        dtype == WEFT_F32 ? (const void *)parts_kernel<float, false> : (const void *)parts_kernel<double, false>, j);
}

fft_launch cuda_fft_combine(weft_dtype dtype, const fft_params *j) {
    return parts_launch(
        dtype == WEFT_F32 ? (const void *)parts_kernel<float, true> : (const void *)parts_kernel<double, true>, j);
}

fft_launch cuda_fft_single(weft_dtype dtype, bool from_real, const fft_params *j) {
    const void *f32 =
        from_real ? (const void *)single_kernel<float, true> : (const void *)single_kernel<float, false>;
    const void *f64 =
        from_real ? (const void *)single_kernel<double, true> : (const void *)single_kernel<double, false>;
    return fft_launch{dtype == WEFT_F32 ? f32 : f64, (j->batch - 1) / PARTS_THREADS + 1, PARTS_THREADS, 0};
}
