/* Passes of transforms whose length is not a power of two (ORDER.md 14.7 to 14.11). Each thread computes all numbers
 * of one position: p numbers of a pass of radix p, one product, one pair. */
#include "core/types.h"
#include "core/view_dimensions.h"
#include "cuda/fft/real_parts.cuh"
#include "cuda/runtime/arrays.h"

#include <string.h>

static const char NAME[] = "fft";

enum { PASS_THREADS = 256, POINTS = FFT_RADIX_MOST / 2 + 1 };

template <typename T> struct pass_params {
    const T *x;
    T *y;
    const number<T> *twiddles, *factors; /* or NULL */
    uint64_t batch, positions;           /* positions: threads for each array */
    uint64_t n, x_step, y_step;          /* steps in reals */
    uint64_t s, rest;                    /* R of 14.8 */
    int p;
    bool x_aligned, y_aligned; /* to full complex numbers */
    bool exchange_in, exchange_out, scaled, ends, to_real, split;
    T scale, cosine[POINTS], sine[POINTS];
};

/* ------------------------------------------------------------------------------------ positions */

/* Returns a / b; `narrow`: a < 2^32. A division of 64 bits takes about 100 instructions. */
static __device__ __forceinline__ uint64_t divided(uint64_t a, uint64_t b, bool narrow) {
    return narrow ? (uint32_t)a / (uint32_t)b : a / b;
}

/* Calls body(array, position) for all positions of all arrays. */
template <typename T, typename Body>
static __device__ __forceinline__ void for_positions(const pass_params<T> &j, Body body) {
    const uint64_t all = j.batch * j.positions;
    const bool narrow = all <= UINT32_MAX;
    for (uint64_t i = (uint64_t)blockIdx.x * PASS_THREADS + threadIdx.x; i < all;
         i += (uint64_t)gridDim.x * PASS_THREADS) {
        const uint64_t array = divided(i, j.positions, narrow);
        body(array, i - array * j.positions);
    }
}

/* -------------------------------------------------------------------------------------- radices */

/* Returns number `at` of x, with its product with W(c q, s p). */
template <typename T>
static __device__ __forceinline__ number<T> factor_of_radix(const pass_params<T> &j, const T *x, uint64_t at, int c,
                                                            uint64_t q) {
    number<T> v = load_number(x, at, j.x_aligned);
    if (j.exchange_in) v = swapped(v);
    return c > 0 && j.twiddles ? multiply(v, j.twiddles[(uint64_t)(c - 1) * j.s + q]) : v;
}

template <typename T>
static __device__ __forceinline__ void store_result(const pass_params<T> &j, T *y, uint64_t at, number<T> v) {
    if (j.factors) v = multiply(v, j.factors[at]);
    if (j.scaled) v = number<T>{v.re * j.scale, v.im * j.scale};
    if (j.exchange_out) v = swapped(v);
    if (j.ends) v = number<T>{canonical(v.re), canonical(v.im)};
    store_number(y, at, j.y_aligned, v);
}

/* Transforms the p numbers of position q R + r (14.9). P: p, or 0 for any p. */
template <typename T, int P>
static __device__ __forceinline__ void transform_points(const pass_params<T> &j, const T *x, T *y, uint64_t q,
                                                        uint64_t r) {
    const int p = P ? P : j.p, half = p / 2;
    const uint64_t from = q * (uint64_t)p * j.rest + r;
    number<T> s[P ? P / 2 + 1 : POINTS], d[P ? P / 2 + 1 : POINTS];
    const number<T> first = factor_of_radix(j, x, from, 0, q);
    number<T> sum = first;
#pragma unroll
    for (int k = 1; k <= half; k++) {
        const number<T> a = factor_of_radix(j, x, from + (uint64_t)k * j.rest, k, q);
        const number<T> b = factor_of_radix(j, x, from + (uint64_t)(p - k) * j.rest, p - k, q);
        s[k] = number<T>{a.re + b.re, a.im + b.im};
        d[k] = number<T>{a.re - b.re, a.im - b.im};
        sum = number<T>{sum.re + s[k].re, sum.im + s[k].im};
    }
    store_result(j, y, q * j.rest + r, sum);
#pragma unroll
    for (int c = 1; c <= half; c++) {
        number<T> u = {fma(j.cosine[c], s[1].re, first.re), fma(j.cosine[c], s[1].im, first.im)};
        number<T> v = {j.sine[c] * d[1].re, j.sine[c] * d[1].im};
#pragma unroll
        for (int k = 2; k <= half; k++) {
            const int angle = c * k % p, at = angle > half ? p - angle : angle;
            const T sine = angle > half ? -j.sine[at] : j.sine[at];
            u = number<T>{fma(j.cosine[at], s[k].re, u.re), fma(j.cosine[at], s[k].im, u.im)};
            v = number<T>{fma(sine, d[k].re, v.re), fma(sine, d[k].im, v.im)};
        }
        store_result(j, y, (q + j.s * (uint64_t)c) * j.rest + r, number<T>{u.re + v.im, u.im - v.re});
        store_result(j, y, (q + j.s * (uint64_t)(p - c)) * j.rest + r, number<T>{u.re - v.im, u.im + v.re});
    }
}

template <typename T, int P>
static __global__ void __launch_bounds__(PASS_THREADS) radix_kernel(const pass_params<T> j) {
    for_positions(j, [&](uint64_t array, uint64_t u) {
        const uint64_t q = divided(u, j.rest, j.positions <= UINT32_MAX);
        transform_points<T, P>(j, j.x + array * j.x_step, j.y + array * j.y_step, q, u - q * j.rest);
    });
}

/* --------------------------------------------------------------------------- products, pairs, reals */

template <typename T> static __global__ void __launch_bounds__(PASS_THREADS) product_kernel(const pass_params<T> j) {
    for_positions(j, [&](uint64_t array, uint64_t i) {
        T *const y = j.y + array * j.y_step;
        if (i >= j.n) {
            store_number(y, i, j.y_aligned, number<T>{0, 0});
            return;
        }
        const number<T> v = load_number(j.x + array * j.x_step, i, j.x_aligned);
        store_result(j, y, i, j.exchange_in ? swapped(v) : v);
    });
}

/* Computes the pair f, n - f; number 0 together with number n. */
template <typename T> static __global__ void __launch_bounds__(PASS_THREADS) pairs_kernel(const pass_params<T> j) {
    for_positions(j, [&](uint64_t array, uint64_t f) {
        T *const y = j.y + array * j.y_step;
        const T *const x = j.x + array * j.x_step;
        const uint64_t g = j.n - f;
        number<T> a, b;
        if (f == 0) {
            const T first = __ldcg(x), second = __ldcg(x + (j.split ? 1 : 2 * j.n));
            if (j.split)
                part_first<T, false>(first, second, a, b);
            else
                part_first<T, true>(first, second, a, b);
            store_number(y, 0, j.y_aligned, a);
            if (j.split) store_number(y, j.n, j.y_aligned, b);
            return;
        }
        a = load_number(x, f, j.x_aligned);
        b = load_number(x, g, j.x_aligned);
        part(a, b, j.factors[f], !j.split);
        store_number(y, f, j.y_aligned, finished(a, j.scale));
        if (g > f) store_number(y, g, j.y_aligned, finished(b, j.scale));
    });
}

template <typename T> static __global__ void __launch_bounds__(PASS_THREADS) extend_kernel(const pass_params<T> j) {
    for_positions(j, [&](uint64_t array, uint64_t f) {
        const T *const x = j.x + array * j.x_step;
        const uint64_t at = f <= j.n / 2 ? f : j.n - f;
        number<T> v = {__ldcg(x + (j.to_real ? 2 * at : f)), 0};
        if (j.to_real && f > 0) v.im = at == f ? __ldcg(x + 2 * at + 1) : -__ldcg(x + 2 * at + 1);
        store_number(j.y + array * j.y_step, f, j.y_aligned, v);
    });
}

template <typename T> static __global__ void __launch_bounds__(PASS_THREADS) reduce_kernel(const pass_params<T> j) {
    for_positions(j, [&](uint64_t array, uint64_t f) {
        const number<T> v = load_number(j.x + array * j.x_step, f, j.x_aligned);
        T *const y = j.y + array * j.y_step;
        if (j.to_real)
            __stcg(y + f, v.re);
        else
            store_number(y, f, j.y_aligned, number<T>{v.re, f > 0 ? v.im : (T)0});
    });
}

/* ------------------------------------------------------------------------------------- launches */

template <typename T> static void (*radix_of(size_t p))(pass_params<T>) {
    return p == 3    ? radix_kernel<T, 3>
           : p == 5  ? radix_kernel<T, 5>
           : p == 7  ? radix_kernel<T, 7>
           : p == 11 ? radix_kernel<T, 11>
           : p == 13 ? radix_kernel<T, 13>
                     : radix_kernel<T, 0>;
}

/* Returns the kernel, and sets the positions of an array. */
template <typename T> static void (*kernel_of(const fft_pass_call *c, uint64_t *positions))(pass_params<T>) {
    *positions = c->n;
    switch (c->kind) {
    case FFT_RADIX: *positions = c->n / c->points->p; return radix_of<T>(c->points->p);
    case FFT_PRODUCT: *positions = c->count; return product_kernel<T>;
    case FFT_EXTEND: return extend_kernel<T>;
    case FFT_REDUCE: *positions = c->to_real ? c->n : c->n / 2 + 1; return reduce_kernel<T>;
    default: *positions = c->n / 2 + 1; return pairs_kernel<T>;
    }
}

template <typename T> static pass_params<T> params_of(const fft_pass_call *c, const void *x, void *y) {
    pass_params<T> j;
    memset(&j, 0, sizeof j);
    j.x = (const T *)x;
    j.y = (T *)y;
    j.twiddles = (const number<T> *)c->twiddles;
    j.factors = (const number<T> *)c->factors;
    j.batch = c->batch;
    j.n = c->n;
    j.x_step = c->x_step;
    j.y_step = c->y_step;
    j.x_aligned = (uintptr_t)x % sizeof(number<T>) == 0 && c->x_step % 2 == 0;
    j.y_aligned = (uintptr_t)y % sizeof(number<T>) == 0 && c->y_step % 2 == 0;
    j.exchange_in = c->exchange_in;
    j.exchange_out = c->exchange_out;
    j.scaled = c->scale != 0;
    j.to_real = c->to_real;
    j.split = c->kind == FFT_SPLIT;
    j.scale = c->kind == FFT_SPLIT ? (T)0.5 : c->kind == FFT_COMBINE ? (T)1 : (T)c->scale;
    j.ends = c->kind == FFT_PRODUCT;
    if (c->kind != FFT_RADIX) return j;
    j.s = c->s;
    j.p = (int)c->points->p;
    j.rest = c->n / (c->s * c->points->p);
    j.ends = !c->factors && j.rest == 1;
    for (int k = 1; k <= j.p / 2; k++) {
        j.cosine[k] = (T)c->points->cosine[k];
        j.sine[k] = (T)c->points->sine[k];
    }
    return j;
}

template <typename T>
static weft_status run(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    pass_params<T> j = params_of<T>(c, x, y);
    void (*const kernel)(pass_params<T>) = kernel_of<T>(c, &j.positions);
    const uint64_t blocks = (j.batch * j.positions - 1) / PASS_THREADS + 1;
    kernel<<<(unsigned)min_u64(blocks, INT32_MAX), PASS_THREADS, 0, g->stream>>>(j);
    CUDA_TRY(cudaGetLastError(), NAME);
    return WEFT_OK;
}

/* Stores rows as columns. Elements of 8 bytes require addresses that are multiples of 8. */
static weft_status transpose(void *state, const fft_pass_call *c, weft_error *error) {
    const ptrdiff_t size = (ptrdiff_t)cuda_type_bytes(c->dtype), number = 2 * size, rows = (ptrdiff_t)c->count;
    const size_t length = c->n / c->count;
    const bool aligned = ((uintptr_t)c->x | (uintptr_t)c->y) % 8 == 0;
    copy_view_call copy;
    memset(&copy, 0, sizeof copy);
    copy.element = aligned ? 8 : (size_t)size;
    copy.x = c->x;
    copy.y = c->y;
    copy.dimensions[0] = view_dimension{c->batch, (ptrdiff_t)c->x_step * size, (ptrdiff_t)c->y_step * size};
    copy.dimensions[1] = view_dimension{length, number, rows * number};
    copy.dimensions[2] = view_dimension{c->count, (ptrdiff_t)length * number, number};
    copy.dimensions[3] =
        view_dimension{(size_t)number / copy.element, (ptrdiff_t)copy.element, (ptrdiff_t)copy.element};
    copy.count = view_merge(4, copy.dimensions);
    return cuda_copy_view(state, &copy, error);
}

weft_status cuda_fft_pass(void *state, const fft_pass_call *c, weft_error *error) {
    if (c->kind == FFT_TRANSPOSE) return transpose(state, c, error);
    gpu *const g = (gpu *)state;
    const current_device scope(g->device);
    const size_t size = cuda_type_bytes(c->dtype);
    gpu_array arrays[] = {{"y", c->y, c->batch * c->y_step * size, ARRAY_OUT, false, NULL},
                          {"x", c->x, c->batch * c->x_step * size, ARRAY_IN, false, NULL}};
    const int count = c->kind == FFT_SPLIT ? 1 : 2;
    if (c->kind == FFT_SPLIT) arrays[0].use = ARRAY_BOTH;
    void *unused;
    RETURN_IF_ERROR(arrays_copy_in(g, NAME, arrays, count, 0, &unused, error));
    const void *const x = c->kind == FFT_SPLIT ? arrays[0].at : arrays[1].at;
    RETURN_IF_ERROR(c->dtype == WEFT_F32 ? run<float>(g, c, x, arrays[0].at, error)
                                         : run<double>(g, c, x, arrays[0].at, error));
    return arrays_copy_out(g, NAME, arrays, count, error);
}
