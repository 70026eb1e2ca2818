/* Passes of odd radices (ORDER.md 14.8). A pass has n/p positions u = q R + r in each array, and position u needs p
 * numbers, R apart. Several passes are computed together in shared memory: with P, the product of their radices, and
 * R = n / (s P), the P numbers z[(q P + i) R + r] of position u = q R + r become numbers u + s R i, i < P. Within
 * them the passes are those of a transform of P values, except that q + s k replaces q in the factors of block k.
 *
 * A block computes `width` adjacent positions; those of all arrays are numbered in order. */
#include "cuda/fft/fft_lengths.h"
#include "cuda/fft/fft_radices.cuh"
#include "cuda/runtime/overlap.cuh"

#include <string.h>

static const char NAME[] = "fft";

enum {
    TOGETHER_MOST = 729,     /* P of passes that are computed together */
    TOGETHER_PASSES = 6,     /* 3^6 = 729 */
    TOGETHER_RADIX = 13,     /* their largest radix */
    TOGETHER_NUMBERS = 4096, /* of a block, for f32; more if P is large */
    LARGE_THREADS = 256
};

/* Threads of a block, at most: the numbers of a position must fit in registers. */
template <typename T> static constexpr int TOGETHER_THREADS = 2048 / sizeof(T);

/* What all passes have in common. Steps are in reals. */
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

/* A position: where its numbers start, and the factors W(q, s p). */
template <typename T> struct position {
    const T *x;
    T *y;
    uint64_t u, q;
};

/* Returns a / b; `narrow`: a < 2^32. A division of 64 bits takes about 100 instructions. */
static __device__ __forceinline__ uint64_t divided(uint64_t a, uint64_t b, bool narrow) {
    return narrow ? (uint32_t)a / (uint32_t)b : a / b;
}

/* Returns position `at` of all arrays. points: P. */
template <typename T>
static __device__ __forceinline__ position<T> position_at(const radix_params<T> &j, uint64_t at, int points) {
    const bool narrow = j.all <= UINT32_MAX;
    const uint64_t array = divided(at, j.positions, narrow), u = at - array * j.positions;
    const uint64_t q = divided(u, j.rest, narrow);
    return {j.x + array * j.x_step + 2 * (u + q * (uint64_t)(points - 1) * j.rest), j.y + array * j.y_step, u, q};
}

template <typename T>
static __device__ __forceinline__ number<T> load_value(const radix_params<T> &j, const position<T> &at, int i) {
    const number<T> v = load_number(at.x, (uint64_t)i * j.rest, j.x_aligned);
    return j.exchange_in ? swapped(v) : v;
}

template <typename T>
static __device__ __forceinline__ void store_result(const radix_params<T> &j, const position<T> &at, int i,
                                                    number<T> v) {
    const uint64_t index = at.u + (uint64_t)i * j.positions;
    if (j.factors) v = multiply(v, j.factors[index]);
    if (j.scaled) v = number<T>{v.re * j.scale, v.im * j.scale};
    if (j.exchange_out) v = swapped(v);
    if (j.ends) v = number<T>{canonical(v.re), canonical(v.im)};
    store_number(at.y, index, j.y_aligned, v);
}

/* -------------------------------------------------------------------------------- one large radix */

template <typename T> struct large_params {
    radix_params<T> j;
    const number<T> *twiddles; /* or NULL */
    int p;
    radix_constants<T, RADIX_POINTS> points;
};

template <typename T>
static __global__ void __launch_bounds__(LARGE_THREADS) large_kernel(const __grid_constant__ large_params<T> l) {
    const uint64_t at = (uint64_t)blockIdx.x * LARGE_THREADS + threadIdx.x;
    wait_for_stream();
    if (at >= l.j.all) return;
    const position<T> from = position_at(l.j, at, l.p);
    transform_points<T, 0>(
        l.points, l.p,
        [&](int c) {
            const number<T> v = load_value(l.j, from, c);
            return c > 0 && l.twiddles ? multiply(v, l.twiddles[(uint64_t)(c - 1) * l.j.s + from.q]) : v;
        },
        [&](int c, number<T> v) { store_result(l.j, from, c, v); });
}

/* ----------------------------------------------------------------------------- passes together */

template <typename T> struct together_params {
    radix_params<T> j;
    int passes, points, width_log; /* points: P */
    int p[TOGETHER_PASSES];
    const number<T> *twiddles[TOGETHER_PASSES]; /* the first one may be NULL */
    radix_constants<T, TOGETHER_RADIX / 2 + 1> constants[TOGETHER_PASSES];
};

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* The numbers of a block in shared memory: number i of its position w is i (width + 1) + w, which avoids bank
 * conflicts. Passes read one half and write the other. */
template <typename T>
static __device__ __forceinline__ number<T> *shared_at(const together_params<T> &l, int pass, int i, int w) {
    const int apart = (1 << l.width_log) + 1;
    return (number<T> *)dynamic_shared + (pass % 2 ? l.points * apart : 0) + i * apart + w;
}

/* Computes pass `pass`, of radix P; done: the product of the radices before it. Threads are adjacent along positions,
 * unless numbers of one position are adjacent in memory, but not those of adjacent positions. */
template <typename T, int P>
static __device__ __forceinline__ void run_pass(const together_params<T> &l, int pass, int done) {
    const bool first = pass == 0, last = pass == l.passes - 1;
    const int each = l.points / P, rest = each / done, width = 1 << l.width_log;
    const bool along = (first && l.j.rest < 3) || (last && l.j.positions < 3);
    const number<T> *const twiddles = l.twiddles[pass];
    for (int b = threadIdx.x; b < each << l.width_log; b += blockDim.x) {
        const int w = along ? b / each : b & (width - 1), i = along ? b - w * each : b >> l.width_log;
        const int k = i / rest, r = i - k * rest;
        const uint64_t at = ((uint64_t)blockIdx.x << l.width_log) + w;
        if (at >= l.j.all) continue;
        const position<T> from = position_at(l.j, at, l.points);
        const uint64_t factor = from.q + l.j.s * k, apart = l.j.s * done;
        transform_points<T, P>(
            l.constants[pass], P,
            [&](int c) {
                const int index = (k * P + c) * rest + r;
                const number<T> v = first ? load_value(l.j, from, index) : *shared_at(l, pass - 1, index, w);
                return c > 0 && twiddles ? multiply(v, twiddles[factor + (c - 1) * apart]) : v;
            },
            [&](int c, number<T> v) {
                const int index = (k + done * c) * rest + r;
                if (last)
                    store_result(l.j, from, index, v);
                else
                    *shared_at(l, pass, index, w) = v;
            });
    }
}

/* MOST: the largest radix of all passes, or 7 if it is smaller: a kernel without the larger ones needs half of the
 * registers. */
template <typename T, int MOST>
static __global__ void __launch_bounds__(TOGETHER_THREADS<T>)
    together_kernel(const __grid_constant__ together_params<T> l) {
    wait_for_stream();
    for (int pass = 0, done = 1; pass < l.passes; done *= l.p[pass++]) {
        if (pass > 0) __syncthreads();
        switch (l.p[pass]) {
        case 3: run_pass<T, 3>(l, pass, done); break;
        case 5: run_pass<T, 5>(l, pass, done); break;
        case 7: run_pass<T, 7>(l, pass, done); break;
        case 11:
            if constexpr (MOST >= 11) run_pass<T, 11>(l, pass, done);
            break;
        case 13:
            if constexpr (MOST >= 13) run_pass<T, 13>(l, pass, done);
            break;
        default: break;
        }
    }
}

/* ------------------------------------------------------------------------------------- launches */

size_t cuda_fft_radices(weft_dtype dtype, size_t count, const fft_radix *radices) {
    size_t taken = 0, points = 1;
    (void)dtype;
    while (taken < count && taken < TOGETHER_PASSES && radices[taken].points->p <= TOGETHER_RADIX) {
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
static weft_status run_large(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    large_params<T> l;
    memset(&l, 0, sizeof l);
    l.p = (int)c->radices->points->p;
    l.j = params_of<T>(c, x, y, c->radices->points->p);
    l.twiddles = (const number<T> *)c->radices->twiddles;
    set_constants(c->radices->points, &l.points);
    return launch(g, large_kernel<T>, (l.j.all - 1) / LARGE_THREADS + 1, LARGE_THREADS, 0, l, error);
}

/* Returns the bytes of shared memory. One pass needs none, two need one half. */
template <typename T> static size_t shared_bytes(const together_params<T> *l) {
    const size_t halves = l->passes == 1 ? 0 : l->passes == 2 ? 1 : 2;
    return halves * (size_t)l->points * ((1u << l->width_log) + 1) * sizeof(number<T>);
}

/* Sets the positions of a block: at least 64 bytes wide, if shared memory suffices. Returns its threads. */
template <typename T> static unsigned choose_shape(const gpu *g, together_params<T> *l) {
    const size_t numbers = TOGETHER_NUMBERS * sizeof(float) / sizeof(T), least = 64 / sizeof(number<T>);
    int smallest = l->p[0];
    for (int i = 1; i < l->passes; i++) smallest = l->p[i] < smallest ? l->p[i] : smallest;
    l->width_log = 10;
    while (1u << l->width_log > least && (size_t)l->points << l->width_log > numbers) l->width_log--;
    while (l->width_log > 0 && shared_bytes(l) > g->shared_bytes) l->width_log--;
    const size_t work = (size_t)(l->points / smallest) << l->width_log, rounds = (work - 1) / TOGETHER_THREADS<T> + 1;
    const unsigned threads = (unsigned)((work - 1) / rounds / 32 + 1) * 32;
    return threads < TOGETHER_THREADS<T> ? threads : TOGETHER_THREADS<T>;
}

template <typename T>
static weft_status run_together(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    together_params<T> l;
    memset(&l, 0, sizeof l);
    l.passes = (int)c->count;
    l.points = 1;
    for (int i = 0; i < l.passes; i++) {
        l.p[i] = (int)c->radices[i].points->p;
        l.points *= l.p[i];
        l.twiddles[i] = (const number<T> *)c->radices[i].twiddles;
        set_constants(c->radices[i].points, &l.constants[i]);
    }
    l.j = params_of<T>(c, x, y, (size_t)l.points);
    const unsigned threads = choose_shape(g, &l);
    void (*const kernel)(together_params<T>) = l.p[0] <= 7 ? together_kernel<T, 7> : together_kernel<T, 13>;
    return launch(g, kernel, ((l.j.all - 1) >> l.width_log) + 1, threads, shared_bytes(&l), l, error);
}

weft_status cuda_fft_run_radices(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    const bool large = c->radices->points->p > TOGETHER_RADIX;
    if (c->dtype == WEFT_F32)
        return large ? run_large<float>(g, c, x, y, error) : run_together<float>(g, c, x, y, error);
    return large ? run_large<double>(g, c, x, y, error) : run_together<double>(g, c, x, y, error);
}
