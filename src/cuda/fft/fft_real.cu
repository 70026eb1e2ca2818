/* Kernels of real transforms (ORDER.md 14.5): the last pass of a forward transform together with the computation of
 * pairs, pairs as a pass of their own, and transforms of one value. */
#include "cuda/fft/fft_passes.h"
#include "cuda/fft/stages.cuh"
#include "cuda/runtime/overlap.cuh"

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
    wait_for_stream();
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

/* ------------------------------------------------------------------- passes that compute pairs */

template <int LOG, bool NARROW> static constexpr int SPLIT_BYTES = LOG <= 6 ? 256 : NARROW || LOG >= 10 ? 64 : 128;

/* A block has SIDE adjacent lines, and the SIDE lines with the other numbers of their pairs. */
template <typename T, int LOG, bool NARROW> struct split_shape : lines_shape<T, LOG, SPLIT_BYTES<LOG, NARROW>> {
    static constexpr int SIDE = split_shape::WIDTH / 2;
};

/* Returns the line of slot s: first + s, or the line of the other numbers of the pairs of slot s - side. Line 0 has
 * the pairs of line 0, and line lines / 2 its own: they share two slots. */
static __device__ __forceinline__ uint64_t split_line(uint64_t lines, uint64_t first, int s, int side) {
    const uint64_t c = first + (uint64_t)(s % side);
    return s < side ? c : c == 0 ? lines / 2 : lines - c;
}

/* A thread of a pass over lines of numbers f = line + lines * k, k < 2^LOG. The pair of number k of a line, n - f, is
 * number 2^LOG - 1 - k of line `lines - line`. A thread of slot s and the thread of slot s + SIDE or s - SIDE with
 * the complement of its index are SIDE lanes apart in a warp. The bits of k are those of the thread's index and of
 * the register's, so the pair of register i is in register HELD - 1 - i of the other thread. Each of the two computes
 * the pairs whose first number is in the lower half of its own line. Lines 0 and lines / 2 have pairs in themselves.
 * Their threads, `special`, run the code for other lines on valid addresses, to take part in shuffles, and replace
 * the results. */
template <typename T, int LOG, bool NARROW> struct split_thread {
    typedef split_shape<T, LOG, NARROW> shape;
    typedef line<LOG> l;
    int slot, index;
    bool special;
    uint32_t step_bytes;             /* distance of numbers of a line */
    uint64_t array, first, lines, f; /* f: number 0 of the line, `lines` for special threads of slot SIDE */
    __device__ __forceinline__ explicit split_thread(const fft_params &j) {
        const int lines_log = log2_of(j.n) - LOG, tiles_log = lines_log - log2_of(shape::WIDTH);
        slot = threadIdx.x % shape::WIDTH;
        index = threadIdx.x / shape::WIDTH;
        if (slot >= shape::SIDE) index = l::THREADS - 1 - index;
        array = blockIdx.x >> tiles_log;
        first = (blockIdx.x & ((1u << tiles_log) - 1)) * shape::SIDE;
        lines = j.n >> LOG;
        step_bytes = (uint32_t)(lines * sizeof(number<T>));
        const uint64_t c = first + slot % shape::SIDE;
        special = c == 0;
        f = slot < shape::SIDE ? c : lines - c;
    }
};

/* Exchanges number i with the thread of the line that has the pairs, for all i that `sent(i)` selects. */
template <int SIDE, int COUNT, typename T, typename Sent>
static __device__ __forceinline__ void exchange_pairs(number<T> *v, Sent sent) {
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (sent(i)) {
            v[i].re = __shfl_xor_sync(~0u, v[i].re, SIDE);
            v[i].im = __shfl_xor_sync(~0u, v[i].im, SIDE);
        }
}

/* ---------------------------------------------------------------------- pairs, then their columns */

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

/* Computes columns 0 and lines / 2, in shared memory, by all threads of the block. */
template <typename T, int LOG, typename Shape>
static __device__ __forceinline__ void load_special(const fft_params &j, const T *x, number<T> *shared) {
    const uint64_t lines = j.n >> LOG;
#pragma unroll
    for (int i = 0; i < (2 << LOG) / Shape::THREADS; i++) {
        const int number = i * Shape::THREADS + (int)threadIdx.x, second = number >> LOG, k = number % (1 << LOG);
        shared[side_by_side<Shape::WIDTH>{second * Shape::SIDE}.start(k)] =
            combined(j, x, (second ? lines / 2 : 0) + lines * k);
    }
}

/* The first pass of C2R. Columns as in columns_kernel, and those with the other numbers of their pairs. In the first
 * phase, bit bits(0) - 1 of a register's index is the highest bit of the index in the column. */
template <typename T, int LOG, bool NARROW>
static __global__ void __launch_bounds__(split_shape<T, LOG, NARROW>::THREADS, split_shape<T, LOG, NARROW>::RESIDENT)
    combine_columns_kernel(const fft_params j) {
    typedef split_shape<T, LOG, NARROW> shape;
    typedef line<LOG> l;
    typedef side_by_side<shape::WIDTH> columns;
    constexpr int UPPER = 1 << (l::bits(0) - 1), NEXT = UPPER / 2;
    number<T> *shared = (number<T> *)dynamic_shared;
    const split_thread<T, LOG, NARROW> at(j);
    const T *x = (const T *)j.x + 2 * at.array * j.x_step;
    const uint64_t f = at.f + at.lines * l::template index_of<0>(at.index, 0);
    const T *low = x + 2 * f, *high = x + 2 * (j.n - f - at.lines * l::template index_of<0>(0, l::HELD - 1));
    const uint32_t k = (uint32_t)(mirrored(f, log2_of(j.n)) / 2);
    number<T> v[l::HELD];
    wait_for_stream();
    load_numbers<l::HELD>(v, j.x_aligned, true, [=](int i) {
        return stepped(i & UPPER ? high : low, at.step_bytes, l::template index_of<0>(0, i));
    });
#pragma unroll
    for (int i = 0; i < l::HELD; i++) {
        if (i & (UPPER | NEXT)) continue;
        number<T> w[2]; /* of registers i and i + NEXT, whose f are below and from n / 4 on */
        load_twiddles<2>((const number<T> *)j.table, k + (uint32_t)(mirrored(l::template index_of<0>(0, i), LOG) / 2),
                         w);
        part(v[i], v[l::HELD - 1 - i], w[0], false, true);
        part(v[i + NEXT], v[l::HELD - 1 - i - NEXT], w[1], true, true);
    }
    exchange_pairs<shape::SIDE, l::HELD>(v, [](int i) { return (i & UPPER) != 0; });
    if (at.first == 0) {
        load_special<T, LOG, shape>(j, x, shared);
        __syncthreads();
        const number<T> *own = shared + columns{at.slot}.start(l::template index_of<0>(at.index, 0));
#pragma unroll
        for (int i = 0; i < l::HELD; i++)
            if (at.special) v[i] = own[columns::apart(l::template index_of<0>(0, i))];
    }
    const uint64_t column = split_line(at.lines, at.first, at.slot, shape::SIDE);
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = swapped(v[i]);
    phases_from<LOG>(v, shared, at.index, (const number<T> *)j.table, 0, columns{at.slot});
    T *y =
        (T *)j.y + 2 * (at.array * j.y_step + column + at.lines * l::template index_of<l::PHASES - 1>(at.index, 0));
    store_numbers<l::HELD>(v, j.y_aligned, false, [=](int i) {
        return stepped(y, at.step_bytes, l::template index_of<l::PHASES - 1>(0, i));
    });
}

/* ----------------------------------------------------------------------- rows, then their pairs */

/* Computes and stores the pair of number k < 2^(LOG - 1) of line 0 or, `second`, of line lines / 2. Both lines are in
 * shared memory, in natural order. */
template <typename T, int LOG, typename Row>
static __device__ __forceinline__ void store_special(const fft_params &j, const number<T> *shared, Row row,
                                                     bool second, int k, T *y) {
    constexpr int LENGTH = 1 << LOG;
    const uint64_t lines = j.n >> LOG, f = (second ? lines / 2 : 0) + lines * k;
    number<T> a = shared[row.start(k)], b = shared[row.start(second ? LENGTH - 1 - k : (LENGTH - k) % LENGTH)];
    if (f == 0)
        part_first<T, false>(a.re, a.im, a, b);
    else
        part_pair<T, false>(j, f, a, b);
    store_number(y, f, j.y_aligned, a);
    store_number(y, j.n - f, j.y_aligned, b);
    if (f == 0) {
        a = b = shared[row.start(LENGTH / 2)];
        part_pair<T, false>(j, j.n / 2, a, b);
        store_number(y, j.n / 2, j.y_aligned, a);
    }
}

/* Computes and stores the pairs of which the thread has the first numbers, in its even registers after the last
 * phase: the lowest bit of a register's index is the highest of the natural index. Twiddles of registers i and i + 2
 * are adjacent. */
template <typename T, int LOG, bool NARROW>
static __device__ __forceinline__ void store_pairs(const fft_params &j, const split_thread<T, LOG, NARROW> &at,
                                                   number<T> *v, T *y) {
    typedef line<LOG> l;
    const uint64_t f = at.f + at.lines * natural_index<LOG>(at.index, 0);
    T *low = y + 2 * f, *high = y + 2 * (j.n - f - at.lines * natural_index<LOG>(0, l::HELD - 1));
    const uint32_t k = (uint32_t)(mirrored(f, log2_of(j.n)) / 2);
#pragma unroll
    for (int i = 0; i < l::HELD; i += 4) {
        number<T> w[2]; /* of registers i and i + 2, whose f are below and from n / 4 on */
        load_twiddles<2>((const number<T> *)j.table, k + (uint32_t)(l::template index_of<l::PHASES - 1>(0, i) / 2),
                         w);
        part(v[i], v[l::HELD - 1 - i], w[0], false, false);
        part(v[i + 2], v[l::HELD - 3 - i], w[1], true, false);
    }
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = finished(v[i], (T)0.5);
    store_numbers<l::HELD>(v, j.y_aligned, true, [=](int i) {
        return stepped(i % 2 ? high : low, at.step_bytes, (uint32_t)natural_index<LOG>(0, i));
    });
}

/* The last pass of R2C. Rows as in rows_kernel, and those with the other numbers of their pairs. Writes the n + 1
 * results. */
template <typename T, int LOG, bool NARROW>
static __global__ void __launch_bounds__(split_shape<T, LOG, NARROW>::THREADS, split_shape<T, LOG, NARROW>::RESIDENT)
    split_rows_kernel(const fft_params j) {
    typedef split_shape<T, LOG, NARROW> shape;
    typedef line<LOG> l;
    typedef side_by_side<shape::WIDTH, shape::ROW> rows;
    number<T> *shared = (number<T> *)dynamic_shared;
    const number<T> *table = (const number<T> *)j.table;
    const split_thread<T, LOG, NARROW> at(j);
    const int digits = log2_of(at.lines), t = threadIdx.x % l::THREADS, c = threadIdx.x / l::THREADS;
    const uint64_t row = mirrored(split_line(at.lines, at.first, c, shape::SIDE), digits);
    const T *x = (const T *)j.x + 2 * (at.array * j.x_step + (row << LOG) + l::template index_of<0>(t, 0));
    T *y = (T *)j.y + 2 * at.array * j.y_step;
    number<T> v[l::HELD];
    wait_for_stream();
    load_numbers<l::HELD>(v, j.x_aligned, false, [=](int i) { return x + 2 * l::template index_of<0>(0, i); });
    phase<LOG, 0>(v, t, table, (uint32_t)row);
    exchange<LOG, 0, 1>(v, shared, t, at.index, rows{c}, rows{at.slot});
    phases_from<LOG, 1>(v, shared, at.index, table,
                        (uint32_t)mirrored(split_line(at.lines, at.first, at.slot, shape::SIDE), digits),
                        rows{at.slot});
    if (at.first == 0) {
        __syncthreads();
        number<T> *own = shared + rows{at.slot}.start((int)natural_index<LOG>(at.index, 0));
#pragma unroll
        for (int i = 0; i < l::HELD; i++)
            if (at.special) own[rows::apart((int)natural_index<LOG>(0, i))] = v[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ((1 << LOG) - 1) / shape::THREADS + 1; i++) {
            const int pair = i * shape::THREADS + (int)threadIdx.x, half = 1 << (LOG - 1);
            if (pair < 2 * half)
                store_special<T, LOG>(j, shared, rows{pair / half * shape::SIDE}, pair >= half, pair % half, y);
        }
    }
    exchange_pairs<shape::SIDE, l::HELD>(v, [](int i) { return i % 2 != 0; });
    if (!at.special) store_pairs(j, at, v, y);
}

/* ------------------------------------------------------------------------------ launches */

template <typename T, int LOG, bool NARROW> struct split_rows_pass {
    typedef split_shape<T, LOG, NARROW> shape;
    static fft_launch launch(const fft_params *j) {
        return shape::launch((const void *)split_rows_kernel<T, LOG, NARROW>, j, true);
    }
};

template <typename T, int LOG, bool NARROW> struct combine_columns_pass {
    typedef split_shape<T, LOG, NARROW> shape;
    static fft_launch launch(const fft_params *j) {
        return shape::launch((const void *)combine_columns_kernel<T, LOG, NARROW>, j, false);
    }
};

fft_launch cuda_fft_combine_columns(weft_dtype dtype, int log, unsigned blocks, const fft_params *j) {
    return dtype == WEFT_F32 ? find_pass<combine_columns_pass, float, FFT_PASS_LOG_MAX>(log, blocks, j)
                             : find_pass<combine_columns_pass, double, FFT_PASS_LOG_MAX>(log, blocks, j);
}

fft_launch cuda_fft_split_rows(weft_dtype dtype, int log, unsigned blocks, const fft_params *j) {
    return dtype == WEFT_F32 ? find_pass<split_rows_pass, float, FFT_PASS_LOG_MAX>(log, blocks, j)
                             : find_pass<split_rows_pass, double, FFT_PASS_LOG_MAX>(log, blocks, j);
}

static fft_launch parts_launch(const void *kernel, const fft_params *j) {
    const uint64_t pairs = j->n > 1 ? j->n / 2 : 1;
    return fft_launch{kernel, (j->batch * pairs - 1) / PARTS_THREADS + 1, PARTS_THREADS, 0, true};
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
