/* Convolution by direct summation (ORDER.md 15.2).
 *
 * A block of direct_kernel computes a tile of results of a row, and holds the signal values that they need in shared
 * memory. A thread computes GROUPS vectors of 16 bytes of results. For one vector of taps it needs one vector of the
 * signal and its predecessor, which is also the vector for the next taps. Each vector of taps thus requires one
 * 16-byte load of the signal from shared memory. */
#include "core/order.h"
#include "cuda/convolve/convolve_elements.cuh"
#include "cuda/convolve/convolve_kernels.h"

#define DIRECT_THREADS 256
#define GROUPS 4
#define LONG_ROW 4 /* tiles from which on direct_kernel computes rows, if there are several */

/* ---------------------------------------------------------------------------------- the kernel */

template <typename E> struct direct_shape {
    static constexpr int VECTOR = vector<E>::LENGTH;
    static constexpr int TILE = DIRECT_THREADS * GROUPS * VECTOR;
    static constexpr int HALO = WEFT_CONVOLVE_DIRECT; /* maximum number of values before a tile; full vectors */
};

/* Applies all taps. `x` begins `halo` values before the tile. */
template <typename E>
static __device__ __forceinline__ void all_taps(const E *x, const E *taps, int m, int halo, vector<E> (&c)[GROUPS]) {
    constexpr int VECTOR = direct_shape<E>::VECTOR;
    vector<E> upper[GROUPS];
    const E *own = x + halo + threadIdx.x * VECTOR;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) upper[g] = *(const vector<E> *)(own + g * DIRECT_THREADS * VECTOR);
    for (int j = 0; j < m; j += VECTOR) {
        const vector<E> h = *(const vector<E> *)(taps + j);
        const int count = m - j;
        own -= VECTOR;
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            const vector<E> lower = *(const vector<E> *)(own + g * DIRECT_THREADS * VECTOR);
            add_taps(upper[g], lower, h, count, c[g]);
            upper[g] = lower;
        }
    }
}

/* Returns result i, summed over the taps that overlap the signal. */
template <typename E>
static __device__ __forceinline__ E one_by_one(const E *x, uint64_t n, bool aligned, const E *h, uint64_t m,
                                               uint64_t i) {
    E c = zero(E());
    for (uint64_t k = i < n ? 0 : i - n + 1; k < m && k <= i; k++)
        c = enter(element(x, (int64_t)(i - k), aligned), element(h, (int64_t)k, false), c);
    return c;
}

/* Computes the results of short rows, one per thread. */
template <typename E>
static __global__ void __launch_bounds__(DIRECT_THREADS) short_rows_kernel(const convolve_params j) {
    const uint64_t i = (uint64_t)blockIdx.x * DIRECT_THREADS + threadIdx.x, results = j.rows * j.count;
    if (i >= results) return;
    const uint64_t row = results <= UINT32_MAX ? (uint32_t)i / (uint32_t)j.count : i / j.count;
    put((E *)j.y, i, j.y_aligned,
        canonical(one_by_one((const E *)j.x + row * j.x_step, j.n, j.x_aligned, (const E *)j.h + row * j.h_step, j.m,
                             j.first + (i - row * j.count))));
}

template <typename E>
static __global__ void __launch_bounds__(DIRECT_THREADS) direct_kernel(const convolve_params j) {
    typedef direct_shape<E> shape;
    __shared__ __align__(16) unsigned char value_bytes[(shape::HALO + shape::VECTOR + shape::TILE) * sizeof(E)];
    __shared__ __align__(16) unsigned char tap_bytes[shape::HALO * sizeof(E)];
    E *values = (E *)value_bytes, *taps = (E *)tap_bytes;
    const uint32_t tiles = (uint32_t)((j.count - 1) / shape::TILE + 1), row = blockIdx.x / tiles;
    const uint64_t start = (uint64_t)(blockIdx.x % tiles) * shape::TILE; /* index in the results of the row */
    const uint64_t i = j.first + start;
    const int m = (int)j.m, halo = (m + shape::VECTOR - 1) / shape::VECTOR * shape::VECTOR;
    const E *signal = (const E *)j.x + row * j.x_step, *h = (const E *)j.h + row * j.h_step;
    E *y = (E *)j.y + row * j.count + start;
    if (i < (uint64_t)halo || i + shape::TILE > j.n || start + shape::TILE > j.count) {
        for (int k = threadIdx.x; k < shape::TILE && start + k < j.count; k += DIRECT_THREADS)
            put(y, k, j.y_aligned, canonical(one_by_one(signal, j.n, j.x_aligned, h, j.m, i + k)));
        return;
    }
    const E *x = signal + (i - halo);
    E read[GROUPS * shape::VECTOR];
#pragma unroll
    for (int k = 0; k < GROUPS * shape::VECTOR; k++)
        read[k] = element(x, k * DIRECT_THREADS + threadIdx.x, j.x_aligned);
#pragma unroll
    for (int k = 0; k < GROUPS * shape::VECTOR; k++) values[k * DIRECT_THREADS + threadIdx.x] = read[k];
    if (threadIdx.x < halo) values[shape::TILE + threadIdx.x] = element(x, shape::TILE + threadIdx.x, j.x_aligned);
    if (threadIdx.x < m) taps[threadIdx.x] = element(h, threadIdx.x, false);
    __syncthreads();
    vector<E> c[GROUPS];
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
#pragma unroll
        for (int r = 0; r < shape::VECTOR; r++) c[g].e[r] = zero(E());
    all_taps(values, taps, m, halo, c);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        const int at = (g * DIRECT_THREADS + threadIdx.x) * shape::VECTOR;
#pragma unroll
        for (int r = 0; r < shape::VECTOR; r++) c[g].e[r] = canonical(c[g].e[r]);
        if ((uintptr_t)y % 16 == 0) {
            put_vector(y + at, c[g]);
        } else {
#pragma unroll
            for (int r = 0; r < shape::VECTOR; r++) put(y, at + r, j.y_aligned, c[g].e[r]);
        }
    }
}

/* Computes h' of ORDER.md 15.1 for each row of h. */
template <typename T, bool COMPLEX>
static __global__ void __launch_bounds__(DIRECT_THREADS) turn_kernel(const convolve_params j) {
    const uint64_t i = (uint64_t)blockIdx.x * DIRECT_THREADS + threadIdx.x;
    if (i >= j.rows * j.m) return;
    const uint64_t start = i / j.m * j.m, from = start + (j.m - 1) - (i - start);
    const T *h = (const T *)j.h;
    T *to = (T *)j.filter;
    if (COMPLEX) {
        to[2 * i] = h[2 * from];
        to[2 * i + 1] = -h[2 * from + 1];
    } else {
        to[i] = h[from];
    }
}

/* --------------------------------------------------------------------------------- launches */

/* Rows of several tiles have tiles whose taps all overlap the signal, which direct_kernel computes faster. */
template <typename E> static fft_launch direct_launch(const convolve_params *j) {
    const uint64_t tiles = (j->count - 1) / direct_shape<E>::TILE + 1, results = j->rows * j->count;
    if (j->rows > 1 && tiles < LONG_ROW)
        return fft_launch{(const void *)short_rows_kernel<E>, (results - 1) / DIRECT_THREADS + 1, DIRECT_THREADS, 0};
    return fft_launch{(const void *)direct_kernel<E>, j->rows * tiles, DIRECT_THREADS, 0};
}

fft_launch cuda_convolve_direct(weft_dtype dtype, bool is_complex, const convolve_params *j) {
    if (dtype == WEFT_F32) return is_complex ? direct_launch<number<float>>(j) : direct_launch<float>(j);
    return is_complex ? direct_launch<number<double>>(j) : direct_launch<double>(j);
}

fft_launch cuda_convolve_turn(weft_dtype dtype, bool is_complex, const convolve_params *j) {
    const void *f32 = is_complex ? (const void *)turn_kernel<float, true> : (const void *)turn_kernel<float, false>;
    const void *f64 = is_complex ? (const void *)turn_kernel<double, true> : (const void *)turn_kernel<double, false>;
    return fft_launch{dtype == WEFT_F32 ? f32 : f64, (j->rows * j->m - 1) / DIRECT_THREADS + 1, DIRECT_THREADS, 0};
}
