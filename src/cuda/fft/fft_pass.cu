/* Passes of transforms whose length is not a power of two (ORDER.md 14.7 to 14.11), and the kernels of products and
 * of real transforms: each thread computes one product or one pair. */
#include "core/types.h"
#include "cuda/fft/fft_calls.h"
#include "cuda/fft/real_parts.cuh"
#include "cuda/runtime/arrays.h"

#include <string.h>

static const char NAME[] = "fft";

enum { PASS_THREADS = 256 };

template <typename T> struct pass_params {
    const T *x;
    T *y;
    const number<T> *factors;   /* or NULL */
    uint64_t batch, positions;  /* positions: threads for each array */
    uint64_t n, x_step, y_step; /* steps in reals */
    bool x_aligned, y_aligned;  /* to full complex numbers */
    bool exchange_in, exchange_out, scaled, to_real, split;
    T scale;
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

/* Returns the number as a result, or as a number of the next pass. */
template <typename T>
static __device__ __forceinline__ void store_product(const pass_params<T> &j, T *y, uint64_t at, number<T> v) {
    v = multiply(v, j.factors[at]);
    if (j.scaled) v = number<T>{v.re * j.scale, v.im * j.scale};
    if (j.exchange_out) v = swapped(v);
    store_number(y, at, j.y_aligned, number<T>{canonical(v.re), canonical(v.im)});
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
        store_product(j, y, i, j.exchange_in ? swapped(v) : v);
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
        part(a, b, j.factors[f], 4 * f >= j.n, !j.split);
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

/* Returns the kernel, and sets the positions of an array. */
template <typename T> static void (*kernel_of(const fft_pass_call *c, uint64_t *positions))(pass_params<T>) {
    *positions = c->n;
    switch (c->kind) {
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

static weft_status run_kind(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    if (c->kind == FFT_CHIRP) return cuda_fft_run_chirp(g, c, x, y, error);
    if (c->whole) return cuda_fft_run_whole(g, c, x, y, error);
    if (c->kind == FFT_RADICES) return cuda_fft_run_radices(g, c, x, y, error);
    if (c->kind == FFT_ROWS) return cuda_fft_run_rows(g, c, x, y, error);
    return c->dtype == WEFT_F32 ? run<float>(g, c, x, y, error) : run<double>(g, c, x, y, error);
}

weft_status cuda_fft_pass(void *state, const fft_pass_call *c, weft_error *error) {
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
    RETURN_IF_ERROR(run_kind(g, c, x, arrays[0].at, error));
    return arrays_copy_out(g, NAME, arrays, count, error);
}
