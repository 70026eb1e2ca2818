/* Passes of odd radices (ORDER.md 14.8): one in registers, or several together in shared memory (fft_together.cuh).
 */
#include "cuda/fft/fft_calls.h"
#include "cuda/fft/fft_together.cuh"

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

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* Returns the numbers of a block; the slot of a position is its number. As parameters of the kernel, `apart` and
 * `half` would take more registers: with 61 in place of 56 (f32), fewer blocks are resident. */
template <typename T> static __device__ __forceinline__ halves<T> halves_of(const together_params<T> &l) {
    const uint32_t apart = (1u << l.width_log) | 1;
    return {(number<T> *)dynamic_shared, apart, (uint32_t)l.points * apart};
}

/* The positions of a block: adjacent threads have adjacent ones. `along`: they have adjacent numbers of one position,
 * because those of adjacent positions are far apart in memory. own: the position of the thread; left: of the
 * positions from the first one of the block on. */
template <typename T> struct in_order {
    bool along;
    const position<T> &own;
    uint32_t left;
    template <int P, role ROLE>
    __device__ __forceinline__ void run(const together_params<T> &l, int pass, int done) const {
        const uint32_t width = 1u << l.width_log, each = l.each[pass].n;
        const halves<T> shared = halves_of(l);
        if (ROLE != MIDDLE && along) {
            for (uint32_t b = threadIdx.x; b < each << l.width_log; b += blockDim.x) {
                uint32_t w = b;
                const uint32_t i = split_index(l.each[pass], w);
                if (w >= left) return;
                const position<T> at = position_at(l, (blockIdx.x << l.width_log) + w);
                transform_some<T, P, ROLE>(l, shared, pass, done, false, at, w, i);
            }
            return;
        }
        const uint32_t w = threadIdx.x & (width - 1);
        if (w >= left) return;
        for (uint32_t i = threadIdx.x >> l.width_log; i < each; i += blockDim.x >> l.width_log)
            transform_some<T, P, ROLE>(l, shared, pass, done, false, own, w, i);
    }
};

template <typename T, int MOST>
static __global__ void __launch_bounds__(TOGETHER_THREADS, TOGETHER_RESIDENT<T, MOST>)
    together_kernel(const __grid_constant__ together_params<T> l) {
    const uint32_t width = 1u << l.width_log, first = blockIdx.x << l.width_log;
    const uint32_t left = (uint32_t)l.j.all - first, w = threadIdx.x & (width - 1);
    const position<T> own = position_at(l, first + (w < left ? w : 0));
    int pass = 1, done = l.p[0];
    wait_for_stream();
    run_radix<MOST, FIRST>(l, 0, 1, in_order<T>{l.rest.n < 3, own, left});
    for (; pass < l.passes - 1; done *= l.p[pass++]) {
        __syncthreads();
        run_radix<MOST, MIDDLE>(l, pass, done, in_order<T>{false, own, left});
    }
    __syncthreads();
    run_radix<MOST, LAST>(l, pass, done, in_order<T>{l.positions.n < 3, own, left});
}

/* ------------------------------------------------------------------------------------- launches */

/* Returns how many of `count` passes the next launch computes, of as few launches as possible: as many as it must
 * for about the same number of points in all. */
size_t cuda_fft_radices(size_t n, size_t count, const fft_radix *radices) {
    const size_t most = max_u64(passes_together(n, count, radices), 1);
    size_t launches = 0;
    for (size_t i = 0; i < count; launches++) i += max_u64(passes_together(n, count - i, radices + i), 1);
    double all = 1, points = 1;
    for (size_t i = 0; i < count; i++) all *= (double)radices[i].points->p;
    for (size_t i = 0; i < most; i++) {
        points *= (double)radices[i].points->p;
        if (pow(points, (double)launches) >= all * (1 - 1e-9)) return i + 1;
    }
    return most;
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
    return launch_passes(g, kernel, (l.j.all - 1) / TOGETHER_THREADS + 1, TOGETHER_THREADS, 0, l, error);
}

/* Returns the bytes of shared memory: one half for two passes. */
template <typename T> static size_t shared_bytes(const together_params<T> *l) {
    const size_t half = (size_t)l->points * ((1u << l->width_log) | 1) * sizeof(number<T>);
    return l->passes == 2 ? half : 2 * half;
}

/* Sets the positions of a block: at least 64 bytes wide, if shared memory suffices and there are other passes.
 * Returns its threads, a multiple of the positions. */
template <typename T> static unsigned choose_shape(const gpu *g, together_params<T> *l) {
    const size_t least = l->points > TOGETHER_MOST ? 1 : 64 / sizeof(number<T>);
    l->width_log = 7;
    while (1u << l->width_log > least && (size_t)l->points * sizeof(number<T>) << l->width_log > TOGETHER_BYTES)
        l->width_log--;
    while (l->width_log > 0 && shared_bytes(l) > g->shared_bytes) l->width_log--;
    const size_t work = (size_t)(l->points / l->p[l->passes - 1]) << l->width_log;
    const size_t rounds = (work - 1) / TOGETHER_THREADS + 1, step = max_u64(32, (uint64_t)1 << l->width_log);
    return (unsigned)(((work - 1) / rounds / step + 1) * step);
}

bool cuda_fft_takes_radices(const gpu *g, const fft_pass_call *c) {
    if (cuda_fft_has_radices(g, c)) return true;
    const size_t halves = c->count == 2 ? 1 : 2;
    return c->count > 1 && c->count <= TOGETHER_PASSES && c->radices->points->p <= TOGETHER_RADIX &&
           halves * points_of(c) * 2 * cuda_type_bytes(c->dtype) <= g->shared_bytes;
}

template <typename T>
static weft_status run_together(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    together_params<T> l = together_params_of<T>(c, x, y);
    const unsigned threads = choose_shape(g, &l);
    void (*const kernel)(together_params<T>) = l.p[0] <= 7 ? together_kernel<T, 7> : together_kernel<T, 13>;
    return launch_passes(g, kernel, ((l.j.all - 1) >> l.width_log) + 1, threads, shared_bytes(&l), l, error);
}

weft_status cuda_fft_run_radices(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    if (cuda_fft_has_radices(g, c)) return cuda_fft_run_fixed_radices(g, c, x, y, error);
    if (c->dtype == WEFT_F32)
        return c->count == 1 ? run_single<float>(g, c, x, y, error) : run_together<float>(g, c, x, y, error);
    return c->count == 1 ? run_single<double>(g, c, x, y, error) : run_together<double>(g, c, x, y, error);
}
