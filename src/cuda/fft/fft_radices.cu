/* Passes of odd radices (ORDER.md 14.8). A pass has n/p positions u = q R + r in each array, and position u needs p
 * numbers, R apart. Several passes are computed together in shared memory: with P, the product of their radices, and
 * R = n / (s P), the P numbers z[(q P + i) R + r] of position u = q R + r become numbers u + s R i, i < P. Within
 * them the passes are those of a transform of P values, except that q + s k replaces q in the factors of block k.
 * Positions of all arrays are numbered in order. */
#include "core/types.h"
#include "cuda/copy_view/device_views.h"
#include "cuda/copy_view/view_index.cuh"
#include "cuda/fft/fft_calls.h"
#include "cuda/fft/fft_radices.cuh"
#include "cuda/runtime/overlap.cuh"

#include <string.h>

static const char NAME[] = "fft";

enum {
    TOGETHER_MOST = 729,     /* P of passes that are computed together */
    TOGETHER_PASSES = 6,     /* 3^6 = 729 */
    TOGETHER_RADIX = 13,     /* their largest radix */
    TOGETHER_THREADS = 256,  /* of a block, at most */
    TOGETHER_BYTES = 1 << 14 /* of the numbers of a block; more if P is large */
};
static const size_t TOGETHER_N = (size_t)1 << 28; /* longest transform: counts and offsets in bytes have 32 bits */

/* Parameters of a single pass and of several together. Steps are in reals. */
template <typename T> struct radix_params {
    const T *x;
    T *y;
    const number<T> *factors; /* or NULL */
    uint64_t all, positions;  /* positions: of an array */
    uint64_t x_step, y_step, s, rest;
    bool x_aligned, y_aligned; /* to full complex numbers */
    bool exchange_in, exchange_out, scaled, ends;
    T scale;
};

/* --------------------------------------------------------------------------------- a single pass */

template <typename T> struct single_params {
    radix_params<T> j;
    const number<T> *twiddles; /* or NULL */
    int p;
    radix_constants<T, RADIX_POINTS> points;
};

/* Returns a / b; `narrow`: a < 2^32. A division of 64 bits takes about 100 instructions. */
static __device__ __forceinline__ uint64_t divided(uint64_t a, uint64_t b, bool narrow) {
    return narrow ? (uint32_t)a / (uint32_t)b : a / b;
}

/* Stores a number of y, with its factor. */
template <typename T>
static __device__ __forceinline__ void store_result(const radix_params<T> &j, T *y, uint64_t at, number<T> v) {
    if (j.factors) v = multiply(v, j.factors[at]);
    if (j.scaled) v = number<T>{v.re * j.scale, v.im * j.scale};
    if (j.exchange_out) v = swapped(v);
    if (j.ends) v = number<T>{canonical(v.re), canonical(v.im)};
    store_number(y, at, j.y_aligned, v);
}

/* Each thread computes one position. P: p, or 0 for any p. */
template <typename T, int P>
static __global__ void __launch_bounds__(TOGETHER_THREADS) single_kernel(const __grid_constant__ single_params<T> l) {
    const radix_params<T> &j = l.j;
    const int p = P ? P : l.p;
    const uint64_t at = (uint64_t)blockIdx.x * TOGETHER_THREADS + threadIdx.x;
    number<T> v[P ? P : FFT_RADIX_MOST];
    wait_for_stream();
    if (at >= j.all) return;
    const bool narrow = j.all <= UINT32_MAX;
    const uint64_t array = divided(at, j.positions, narrow), u = at - array * j.positions;
    const uint64_t q = divided(u, j.rest, narrow);
    const T *const x = j.x + array * j.x_step + 2 * (u + q * (uint64_t)(p - 1) * j.rest);
    T *const y = j.y + array * j.y_step;
#pragma unroll
    for (int c = 0; c < p; c++) {
        v[c] = load_number(x, (uint64_t)c * j.rest, j.x_aligned);
        if (j.exchange_in) v[c] = swapped(v[c]);
        if (c > 0 && l.twiddles) v[c] = multiply(v[c], l.twiddles[(uint64_t)(c - 1) * j.s + q]);
    }
    transform_points<T, P>(l.points, p, v,
                           [&](int c, number<T> b) { store_result(j, y, u + (uint64_t)c * j.positions, b); });
}

/* ----------------------------------------------------------------------------- passes together */

template <typename T> struct together_params {
    radix_params<T> j;
    int passes, points, width_log; /* points: P; a block computes 2^width_log positions */
    view_length positions, rest;   /* those of j */
    int p[TOGETHER_PASSES];
    view_length each[TOGETHER_PASSES], block[TOGETHER_PASSES]; /* see run_pass */
    const number<T> *twiddles[TOGETHER_PASSES];                /* the first one may be NULL */
    radix_constants<T, TOGETHER_RADIX / 2 + 1> constants[TOGETHER_PASSES];
};

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* A position: its numbers, the array of its results, u and q. */
template <typename T> struct position {
    const T *x;
    T *y;
    uint32_t u, q;
};

/* As split_index, for any length. */
static __device__ __forceinline__ uint32_t split(const view_length &length, uint32_t &i) {
    return length.n == 1 ? 0 : split_index(length, i);
}

/* Returns position `at` of all arrays. */
template <typename T>
static __device__ __forceinline__ position<T> position_at(const together_params<T> &l, uint32_t at) {
    uint32_t array = at;
    const uint32_t u = split(l.positions, array);
    uint32_t q = u;
    (void)split(l.rest, q);
    const uint32_t first = u + q * (uint32_t)(l.points - 1) * l.rest.n;
    return {l.j.x + array * l.j.x_step + 2 * (uint64_t)first, l.j.y + array * l.j.y_step, u, q};
}

/* The numbers of a block in shared memory: number i of its position w is i (width + 1) + w, which avoids bank
 * conflicts. Passes read one half and write the other. */
template <typename T> static __device__ __forceinline__ number<T> *half_of(const together_params<T> &l, int pass) {
    return (number<T> *)dynamic_shared + (pass % 2 ? l.points * ((1 << l.width_log) + 1) : 0);
}

/* Loads the P numbers of a position for the first pass: i, i + P / p, ... */
template <typename T, int P>
static __device__ __forceinline__ void load_first(const together_params<T> &l, const position<T> &at, uint32_t i,
                                                  number<T> *v) {
    const uint32_t step_bytes = l.each[0].n * l.rest.n * (uint32_t)sizeof(number<T>);
    const T *const x = at.x + 2 * (uint64_t)(i * l.rest.n);
    load_numbers<P>(v, l.j.x_aligned, false, [=](int c) { return stepped(x, step_bytes, (uint32_t)c); });
    swap_parts<P>(v, l.j.exchange_in);
}

/* Stores the results k, k + P / p, ... of a position after the last pass. */
template <typename T, int P>
static __device__ __forceinline__ void store_last(const together_params<T> &l, const position<T> &at, uint32_t k,
                                                  number<T> *v) {
    const radix_params<T> &j = l.j;
    const uint32_t first = at.u + l.positions.n * k;
    const uint32_t step_bytes = l.positions.n * (uint32_t)(l.points / P) * (uint32_t)sizeof(number<T>);
    if (j.factors) {
        const T *const factors = (const T *)(j.factors + first);
#pragma unroll
        for (int c = 0; c < P; c++)
            v[c] = multiply(v[c], *(const number<T> *)stepped(factors, step_bytes, (uint32_t)c));
    }
    if (j.scaled)
#pragma unroll
        for (int c = 0; c < P; c++) v[c] = number<T>{v[c].re * j.scale, v[c].im * j.scale};
    swap_parts<P>(v, j.exchange_out);
    if (j.ends)
#pragma unroll
        for (int c = 0; c < P; c++) v[c] = number<T>{canonical(v[c].re), canonical(v[c].im)};
    T *const y = at.y + 2 * (uint64_t)first;
    store_numbers<P>(v, j.y_aligned, false, [=](int c) { return stepped(y, step_bytes, (uint32_t)c); });
}

typedef enum role { FIRST, MIDDLE, LAST } role;

/* Transforms P numbers of position w of the block: for k and r, with i = k B + r and B = l.block[pass].n, numbers
 * (k P + c) B + r become numbers (k + done c) B + r; done: the product of the radices before. */
template <typename T, int P, role ROLE>
static __device__ __forceinline__ void transform_some(const together_params<T> &l, int pass, int done,
                                                      const position<T> &at, uint32_t w, uint32_t i) {
    const uint32_t apart = (1u << l.width_log) + 1, block = l.block[pass].n;
    number<T> v[P], b[P];
    uint32_t k = ROLE == FIRST ? 0 : i;
    const uint32_t r = ROLE == FIRST ? i : ROLE == LAST ? 0 : split_index(l.block[pass], k);
    if constexpr (ROLE == FIRST) {
        load_first<T, P>(l, at, i, v);
    } else {
        const number<T> *const from = half_of(l, pass - 1) + (k * P * block + r) * apart + w;
#pragma unroll
        for (int c = 0; c < P; c++) v[c] = from[c * block * apart];
    }
    if (l.twiddles[pass]) {
        const uint32_t step_bytes = (uint32_t)l.j.s * (uint32_t)done * (uint32_t)sizeof(number<T>);
        const T *const twiddles = (const T *)(l.twiddles[pass] + at.q + (uint32_t)l.j.s * k);
#pragma unroll
        for (int c = 1; c < P; c++)
            v[c] = multiply(v[c], *(const number<T> *)stepped(twiddles, step_bytes, (uint32_t)(c - 1)));
    }
    transform_points<T, P>(l.constants[pass], P, v, [&](int c, number<T> result) { b[c] = result; });
    if constexpr (ROLE == LAST) {
        store_last<T, P>(l, at, k, b);
    } else {
        number<T> *const to = half_of(l, pass) + (k * block + r) * apart + w;
#pragma unroll
        for (int c = 0; c < P; c++) to[c * done * block * apart] = b[c];
    }
}

/* Computes a pass of all positions of the block, l.each[pass].n times p numbers of each. Adjacent threads have
 * adjacent positions. `along`: they have adjacent numbers of one position, because those of adjacent positions are
 * far apart in memory. own: the position of the thread. */
template <typename T, int P, role ROLE>
static __device__ __forceinline__ void run_pass(const together_params<T> &l, int pass, int done, bool along,
                                                const position<T> &own, uint32_t left) {
    const uint32_t width = 1u << l.width_log, each = l.each[pass].n;
    if (ROLE != MIDDLE && along) {
        for (uint32_t b = threadIdx.x; b < each << l.width_log; b += blockDim.x) {
            uint32_t w = b;
            const uint32_t i = split_index(l.each[pass], w);
            if (w >= left) return;
            transform_some<T, P, ROLE>(l, pass, done, position_at(l, (blockIdx.x << l.width_log) + w), w, i);
        }
        return;
    }
    const uint32_t w = threadIdx.x & (width - 1);
    if (w >= left) return;
    for (uint32_t i = threadIdx.x >> l.width_log; i < each; i += blockDim.x >> l.width_log)
        transform_some<T, P, ROLE>(l, pass, done, own, w, i);
}

template <typename T, int MOST, role ROLE>
static __device__ __forceinline__ void run_radix(const together_params<T> &l, int pass, int done, bool along,
                                                 const position<T> &own, uint32_t left) {
    switch (l.p[pass]) {
    case 3: run_pass<T, 3, ROLE>(l, pass, done, along, own, left); break;
    case 5: run_pass<T, 5, ROLE>(l, pass, done, along, own, left); break;
    case 7: run_pass<T, 7, ROLE>(l, pass, done, along, own, left); break;
    case 11:
        if constexpr (MOST >= 11) run_pass<T, 11, ROLE>(l, pass, done, along, own, left);
        break;
    case 13:
        if constexpr (MOST >= 13) run_pass<T, 13, ROLE>(l, pass, done, along, own, left);
        break;
    default: break;
    }
}

/* MOST: the largest radix of all passes, or 7 if it is smaller: without the larger ones more threads fit. */
template <typename T, int MOST>
static __global__ void __launch_bounds__(TOGETHER_THREADS, MOST > 7 ? 1 : 16 / sizeof(T))
    together_kernel(const __grid_constant__ together_params<T> l) {
    const uint32_t width = 1u << l.width_log, first = blockIdx.x << l.width_log;
    const uint32_t left = (uint32_t)l.j.all - first, w = threadIdx.x & (width - 1);
    const position<T> own = position_at(l, first + (w < left ? w : 0));
    int pass = 1, done = l.p[0];
    wait_for_stream();
    run_radix<T, MOST, FIRST>(l, 0, 1, l.rest.n < 3, own, left);
    for (; pass < l.passes - 1; done *= l.p[pass++]) {
        __syncthreads();
        run_radix<T, MOST, MIDDLE>(l, pass, done, false, own, left);
    }
    __syncthreads();
    run_radix<T, MOST, LAST>(l, pass, done, l.positions.n < 3, own, left);
}

/* ------------------------------------------------------------------------------------- launches */

size_t cuda_fft_radices(size_t n, size_t count, const fft_radix *radices) {
    size_t taken = 0, points = 1;
    while (n <= TOGETHER_N && taken < count && taken < TOGETHER_PASSES &&
           radices[taken].points->p <= TOGETHER_RADIX) {
        points *= radices[taken].points->p;
        if (points > TOGETHER_MOST) break;
        taken++;
    }
    return taken > 0 ? taken : 1;
}

/* Sets what depends on the call; points: the product of its radices. */
template <typename T>
static radix_params<T> params_of(const fft_pass_call *c, const void *x, void *y, size_t points) {
    radix_params<T> j;
    memset(&j, 0, sizeof j);
    j.x = (const T *)x;
    j.y = (T *)y;
    j.factors = (const number<T> *)c->factors;
    j.positions = c->n / points;
    j.all = c->batch * j.positions;
    j.x_step = c->x_step;
    j.y_step = c->y_step;
    j.s = c->radices->s;
    j.rest = j.positions / j.s;
    j.x_aligned = (uintptr_t)x % sizeof(number<T>) == 0 && c->x_step % 2 == 0;
    j.y_aligned = (uintptr_t)y % sizeof(number<T>) == 0 && c->y_step % 2 == 0;
    j.exchange_in = c->exchange_in;
    j.exchange_out = c->exchange_out;
    j.scaled = c->scale != 0;
    j.scale = (T)c->scale;
    j.ends = !c->factors && j.rest == 1;
    return j;
}

template <typename T, int COUNT>
static void set_constants(const fft_points *points, radix_constants<T, COUNT> *constants) {
    for (size_t k = 1; k <= points->p / 2; k++) {
        constants->cosine[k] = (T)points->cosine[k];
        constants->sine[k] = (T)points->sine[k];
    }
}

template <class Params>
static weft_status launch(const gpu *g, void (*kernel)(Params), uint64_t blocks, unsigned threads, size_t shared,
                          const Params &l, weft_error *error) {
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)kernel, NAME, error));
    CUDA_TRY(launch_early(g, true, kernel, (unsigned)blocks, threads, shared, l), NAME);
    return WEFT_OK;
}

template <typename T>
static weft_status run_single(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    const size_t p = c->radices->points->p;
    single_params<T> l;
    memset(&l, 0, sizeof l);
    l.p = (int)p;
    l.j = params_of<T>(c, x, y, p);
    l.twiddles = (const number<T> *)c->radices->twiddles;
    set_constants(c->radices->points, &l.points);
    void (*const kernel)(single_params<T>) = p == 3    ? single_kernel<T, 3>
                                             : p == 5  ? single_kernel<T, 5>
                                             : p == 7  ? single_kernel<T, 7>
                                             : p == 11 ? single_kernel<T, 11>
                                             : p == 13 ? single_kernel<T, 13>
                                                       : single_kernel<T, 0>;
    return launch(g, kernel, (l.j.all - 1) / TOGETHER_THREADS + 1, TOGETHER_THREADS, 0, l, error);
}

/* Returns the bytes of shared memory: one half for two passes. */
template <typename T> static size_t shared_bytes(const together_params<T> *l) {
    const size_t half = (size_t)l->points * ((1u << l->width_log) + 1) * sizeof(number<T>);
    return l->passes == 2 ? half : 2 * half;
}

/* Sets the positions of a block: at least 64 bytes wide, if shared memory suffices. Returns its threads, a multiple
 * of the positions. */
template <typename T> static unsigned choose_shape(const gpu *g, together_params<T> *l) {
    const size_t least = 64 / sizeof(number<T>);
    l->width_log = 7;
    while (1u << l->width_log > least && (size_t)l->points * sizeof(number<T>) << l->width_log > TOGETHER_BYTES)
        l->width_log--;
    while (l->width_log > 0 && shared_bytes(l) > g->shared_bytes) l->width_log--;
    const size_t work = (size_t)(l->points / l->p[l->passes - 1]) << l->width_log;
    const size_t rounds = (work - 1) / TOGETHER_THREADS + 1, step = max_u64(32, (uint64_t)1 << l->width_log);
    return (unsigned)(((work - 1) / rounds / step + 1) * step);
}

template <typename T>
static weft_status run_together(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    together_params<T> l;
    memset(&l, 0, sizeof l);
    l.passes = (int)c->count;
    l.points = 1;
    for (int i = 0; i < l.passes; i++) l.points *= (int)c->radices[i].points->p;
    for (int i = 0, done = 1; i < l.passes; done *= l.p[i++]) {
        l.p[i] = (int)c->radices[i].points->p;
        l.each[i] = view_length_of((uint64_t)(l.points / l.p[i]));
        l.block[i] = view_length_of((uint64_t)(l.points / (l.p[i] * done)));
        l.twiddles[i] = (const number<T> *)c->radices[i].twiddles;
        set_constants(c->radices[i].points, &l.constants[i]);
    }
    l.j = params_of<T>(c, x, y, (size_t)l.points);
    l.positions = view_length_of(l.j.positions);
    l.rest = view_length_of(l.j.rest);
    const unsigned threads = choose_shape(g, &l);
    void (*const kernel)(together_params<T>) = l.p[0] <= 7 ? together_kernel<T, 7> : together_kernel<T, 13>;
    return launch(g, kernel, ((l.j.all - 1) >> l.width_log) + 1, threads, shared_bytes(&l), l, error);
}

weft_status cuda_fft_run_radices(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    if (c->dtype == WEFT_F32)
        return c->count == 1 ? run_single<float>(g, c, x, y, error) : run_together<float>(g, c, x, y, error);
    return c->count == 1 ? run_single<double>(g, c, x, y, error) : run_together<double>(g, c, x, y, error);
}
