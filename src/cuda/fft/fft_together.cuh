/* Several passes of odd radices computed together in shared memory (ORDER.md 14.8). A pass has n/p positions
 * u = q R + r in each array, and position u needs p numbers, R apart. With P, the product of the radices of several
 * passes, and R = n / (s P), the P numbers z[(q P + i) R + r] of position u = q R + r become numbers u + s R i, i <
 * P. Within them the passes are those of a transform of P values, except that q + s k replaces q in the factors of
 * block k. Positions of all arrays are numbered in order. */
#ifndef WEFT_CUDA_FFT_TOGETHER_CUH
#define WEFT_CUDA_FFT_TOGETHER_CUH

#include "core/types.h"
#include "cuda/copy_view/device_views.h"
#include "cuda/copy_view/view_index.cuh"
#include "cuda/fft/fft_radices.cuh"
#include "cuda/runtime/overlap.cuh"

#include <string.h>

enum {
    WHOLE_MOST = 4096,       /* longest arrays that one launch transforms, unless fft_phases.cu does */
    TOGETHER_MOST = 729,     /* P of passes that are computed together */
    TOGETHER_PASSES = 7,     /* 3^7 = 2187, of a whole transform; others have at most 6 */
    TOGETHER_RADIX = 13,     /* their largest radix */
    TOGETHER_THREADS = 256,  /* of a block, at most */
    TOGETHER_BYTES = 1 << 14 /* of the numbers of a block; more if P is large */
};

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

template <typename T> struct together_params {
    radix_params<T> j;
    int passes, points, width_log; /* points: P; a block computes 2^width_log positions */
    view_length positions, rest;   /* those of j */
    int p[TOGETHER_PASSES];
    view_length each[TOGETHER_PASSES], block[TOGETHER_PASSES]; /* see transform_some */
    const number<T> *twiddles[TOGETHER_PASSES];                /* the first one may be NULL */
    radix_constants<T, TOGETHER_RADIX / 2 + 1> constants[TOGETHER_PASSES];
};

/* A position: its numbers, the array of its results, u and q. */
template <typename T> struct position {
    const T *x;
    T *y;
    uint32_t u, q;
};

/* The numbers of a block in shared memory: number i of position w is i apart + slot. The slot is w, or depends on it;
 * `apart` and the slots avoid bank conflicts. Passes read one half of the memory and write the other. half: its
 * numbers. */
template <typename T> struct halves {
    number<T> *numbers;
    uint32_t apart, half;
};

/* Returns the half that a pass writes. */
template <typename T> static __device__ __forceinline__ number<T> *half_of(const halves<T> &shared, int pass) {
    return shared.numbers + (pass % 2 ? shared.half : 0);
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

/* Multiplies the results k, k + P / p, ... of a position by their factors and by the scale, after the last pass. */
template <typename T, int P>
static __device__ __forceinline__ void scale_last(const together_params<T> &l, const position<T> &at, uint32_t k,
                                                  number<T> *v) {
    const radix_params<T> &j = l.j;
    const uint32_t step_bytes = l.positions.n * (uint32_t)(l.points / P) * (uint32_t)sizeof(number<T>);
    if (j.factors) {
        const T *const factors = (const T *)(j.factors + at.u + l.positions.n * k);
#pragma unroll
        for (int c = 0; c < P; c++)
            v[c] = multiply(v[c], *(const number<T> *)stepped(factors, step_bytes, (uint32_t)c));
    }
    if (j.scaled)
#pragma unroll
        for (int c = 0; c < P; c++) v[c] = number<T>{v[c].re * j.scale, v[c].im * j.scale};
}

/* Stores the results k, k + P / p, ... of a position. */
template <typename T, int P>
static __device__ __forceinline__ void store_last(const together_params<T> &l, const position<T> &at, uint32_t k,
                                                  number<T> *v) {
    const radix_params<T> &j = l.j;
    const uint32_t step_bytes = l.positions.n * (uint32_t)(l.points / P) * (uint32_t)sizeof(number<T>);
    swap_parts<P>(v, j.exchange_out);
    if (j.ends)
#pragma unroll
        for (int c = 0; c < P; c++) v[c] = number<T>{canonical_result(v[c].re), canonical_result(v[c].im)};
    T *const y = at.y + 2 * (uint64_t)(at.u + l.positions.n * k);
    store_numbers<P>(v, j.y_aligned, false, [=](int c) { return stepped(y, step_bytes, (uint32_t)c); });
}

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

typedef enum role { FIRST, MIDDLE, LAST } role;

/* Transforms P numbers of a position: for k and r, with i = k B + r and B = l.block[pass].n, numbers (k P + c) B + r
 * become numbers (k + done c) B + r; done: the product of the radices before. `keep`: the results of the last pass
 * stay in shared memory, multiplied by their factors. */
template <typename T, int P, role ROLE>
static __device__ __forceinline__ void transform_some(const together_params<T> &l, const halves<T> &shared, int pass,
                                                      int done, bool keep, const position<T> &at, uint32_t slot,
                                                      uint32_t i) {
    const uint32_t apart = shared.apart, block = l.block[pass].n;
    number<T> v[P], b[P];
    uint32_t k = ROLE == FIRST ? 0 : i;
    const uint32_t r = ROLE == FIRST ? i : ROLE == LAST ? 0 : split_index(l.block[pass], k);
    if constexpr (ROLE == FIRST) {
        load_first<T, P>(l, at, i, v);
    } else {
        const number<T> *const from = half_of(shared, pass - 1) + (k * P * block + r) * apart + slot;
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
    if (ROLE == LAST || (ROLE == FIRST && keep && l.passes == 1)) scale_last<T, P>(l, at, k, b);
    if (ROLE == LAST && !keep) {
        store_last<T, P>(l, at, k, b);
    } else {
        number<T> *const to = half_of(shared, pass) + (k * block + r) * apart + slot;
#pragma unroll
        for (int c = 0; c < P; c++) to[c * done * block * apart] = b[c];
    }
}

/* Computes a pass. positions.template run<P, ROLE>(l, pass, done) calls transform_some for all positions of the
 * block, l.each[pass].n times for each. MOST: the largest radix of all passes, or 7 if it is smaller: without the
 * larger ones more threads fit. */
template <int MOST, role ROLE, typename T, typename Positions>
static __device__ __forceinline__ void run_radix(const together_params<T> &l, int pass, int done,
                                                 const Positions &positions) {
    switch (l.p[pass]) {
    case 3: positions.template run<3, ROLE>(l, pass, done); break;
    case 5: positions.template run<5, ROLE>(l, pass, done); break;
    case 7: positions.template run<7, ROLE>(l, pass, done); break;
    case 11:
        if constexpr (MOST >= 11) positions.template run<11, ROLE>(l, pass, done);
        break;
    case 13:
        if constexpr (MOST >= 13) positions.template run<13, ROLE>(l, pass, done);
        break;
    default: break;
    }
}

/* Blocks in a multiprocessor, bounded by registers. */
template <typename T, int MOST> static constexpr int TOGETHER_RESIDENT = MOST > 7 ? 1 : 16 / (int)sizeof(T);

/* ------------------------------------------------------------------------------------ parameters */

/* Returns how many of `count` passes over n values can be computed together, or 0. */
static inline size_t passes_together(size_t n, size_t count, const fft_radix *radices) {
    const size_t longest = (size_t)1 << 28; /* counts and offsets in bytes have 32 bits */
    size_t taken = 0, points = 1;
    while (n <= longest && taken < count && taken < TOGETHER_PASSES && radices[taken].points->p <= TOGETHER_RADIX) {
        points *= radices[taken].points->p;
        if (points > TOGETHER_MOST) break;
        taken++;
    }
    return taken;
}

/* Returns the product of the radices of a call. */
static inline size_t points_of(const fft_pass_call *c) {
    const fft_radix *const last = c->radices + c->count - 1;
    return last->s * last->points->p / c->radices->s;
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

/* Sets all parameters but width_log. */
template <typename T> static together_params<T> together_params_of(const fft_pass_call *c, const void *x, void *y) {
    together_params<T> l;
    memset(&l, 0, sizeof l);
    l.passes = (int)c->count;
    l.points = (int)points_of(c);
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
    return l;
}

template <class Params>
static weft_status launch_passes(const gpu *g, void (*kernel)(Params), uint64_t blocks, unsigned threads,
                                 size_t shared, const Params &l, weft_error *error) {
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)kernel, "fft", error));
    CUDA_TRY(launch_early(g, true, kernel, (unsigned)blocks, threads, shared, l), "fft");
    return WEFT_OK;
}

#endif
