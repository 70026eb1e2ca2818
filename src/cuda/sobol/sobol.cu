/* weft_sobol (ORDER.md 24). A small kernel computes the direction numbers and keys of the call's coordinates, which
 * then stay in the caches. A thread computes one coordinate of every 2^k-th point, so that adjacent threads write
 * adjacent elements. From one of its points to the next, the words differ by two direction numbers, which stay in
 * registers. All other arithmetic is in arith/sobol.h. */
#include "arith/samples.h"
#include "arith/sobol.h"
#include "cuda/runtime/arrays.h"
#include "cuda/sobol/sobol_tables.h"

enum {
    THREADS = 256,
    ROUND_BITS = 6,     /* a thread has 2^ROUND_BITS points */
    UNIT_THREADS = 1024 /* minimum number of threads of a unit, the 2^(k + ROUND_BITS) points that share one k */
};

static __device__ const weft_sobol_line LINES[] = {
#define DIRECTIONS(degree, inner, ...) {degree, inner, {__VA_ARGS__}},
#include "core/sobol.def"
};

/* -------------------------------------------------------------------------------- kernels */

/* One thread per coordinate. */
static __global__ void sobol_tables_kernel(uint64_t seed, uint64_t stream, bool scrambled, uint32_t dimensions,
                                           unsigned bits, uint64_t *directions, uint64_t *keys) {
    const uint32_t j = blockIdx.x * THREADS + threadIdx.x;
    if (j >= dimensions) return;
    keys[j] = scrambled ? weft_sobol_key(seed, stream, j) : 0;
    weft_sobol_directions(j == 0 ? nullptr : &LINES[j - 1], bits, dimensions, directions + j);
}

/* Words of the points of elements T: f32 needs the upper half only. If OWEN, the bits of each half are reversed, as
 * weft_scramble_reversed needs them. */
template <class T> struct sobol_word;
template <> struct sobol_word<float> {
    typedef uint32_t word;
    static __device__ __forceinline__ word load(const uint64_t *v) { return ((const uint32_t *)v)[1]; }
    static __device__ __forceinline__ word reversed(word w) { return weft_reverse_32(w); }
    template <bool OWEN> static __device__ __forceinline__ float finish(word w, uint64_t key) {
        const uint32_t high = (uint32_t)(key >> 32);
        w = OWEN ? weft_reverse_32(weft_scramble_reversed(w, high, (uint32_t)key)) : w ^ high;
        return weft_unit_f32(&w);
    }
};
template <> struct sobol_word<double> {
    typedef uint64_t word;
    static __device__ __forceinline__ word load(const uint64_t *v) { return *v; }
    static __device__ __forceinline__ word reversed(word w) {
        return (uint64_t)weft_reverse_32((uint32_t)(w >> 32)) << 32 | weft_reverse_32((uint32_t)w);
    }
    template <bool OWEN> static __device__ __forceinline__ double finish(word w, uint64_t key) {
        if (!OWEN) w ^= key;
        uint32_t high = (uint32_t)(w >> 32), low = (uint32_t)w;
        if (OWEN) {
            high = weft_reverse_32(weft_scramble_reversed(high, (uint32_t)(key >> 32), (uint32_t)key));
            const uint32_t own = weft_scramble_addend(high, (uint32_t)key);
            low = weft_reverse_32(weft_scramble_reversed(low, own, own >> 16));
        }
        return weft_unit_of_halves(high, low);
    }
};

/* A call: the coordinates of points first ... first + n - 1 to out. A unit has the points whose numbers have the same
 * bits from k + ROUND_BITS on, `blocks` thread blocks, and one thread for each coordinate of its first 2^k points. */
template <class T> struct sobol_params {
    uint64_t first, n;
    uint32_t dimensions, blocks;
    unsigned k, bits; /* bits: of the number of the last point */
    const uint64_t *__restrict__ directions, *__restrict__ keys;
    T *__restrict__ out;
};

/* Returns the direction number for a bit, or 0 if no point has it. */
template <class T>
static __device__ __forceinline__ typename sobol_word<T>::word direction(const sobol_params<T> &p, uint32_t j,
                                                                         unsigned bit) {
    return bit < p.bits ? sobol_word<T>::load(p.directions + (uint64_t)bit * p.dimensions + j) : 0;
}

/* Returns the sum of the direction numbers of the bits of a Gray code: gray << shift. */
template <class T, class INTEGER>
static __device__ __forceinline__ typename sobol_word<T>::word word_of(const sobol_params<T> &p, uint32_t j,
                                                                       INTEGER gray, unsigned shift) {
    typename sobol_word<T>::word word = 0;
#pragma unroll 4
    for (; gray; gray >>= 1, shift++)
        if (gray & 1) word ^= direction(p, j, shift);
    return word;
}

/* One coordinate of the points of a thread. */
template <class T> struct sobol_line {
    typename sobol_word<T>::word word,
        step[ROUND_BITS]; /* of the first point; the differences of successive points */
    uint64_t key, at;     /* at: number of the first point in the call */
    T *to;
};

/* Writes a coordinate of all points of a thread. WHOLE: all points of the unit belong to the call. */
template <class T, bool OWEN, bool WHOLE>
static __device__ __forceinline__ void write_line(const sobol_params<T> &p, uint32_t unit_threads, sobol_line<T> v) {
#pragma unroll 1
    for (int i = 1;; i++) {
#pragma unroll
        for (int round = 1; round <= 8; round++) {
            if (WHOLE || v.at < p.n) *v.to = sobol_word<T>::template finish<OWEN>(v.word, v.key);
            if (!WHOLE) v.at += (uint64_t)1 << p.k;
            v.to += unit_threads;
            if (round < 8) v.word ^= v.step[round % 2 ? 0 : round % 4 ? 1 : 2];
        }
        if (i == 1 << (ROUND_BITS - 3)) return;
        v.word ^= i % 2 ? v.step[3] : i % 4 ? v.step[4] : v.step[5];
    }
}

/* With h = floor(point / 2^k), h ^ (h + 1) has ones up to bit t, where t is the number of trailing zeros of h + 1.
 * The Gray codes of a thread's point and its next one therefore differ in the bits k + t and k - 1. The first h of a
 * thread is a multiple of 2^ROUND_BITS. */
template <class T, bool OWEN>
static __global__ void __launch_bounds__(THREADS) sobol_kernel(const __grid_constant__ sobol_params<T> p) {
    typedef sobol_word<T> of;
    const uint32_t unit_threads = p.dimensions << p.k, id = blockIdx.x % p.blocks * THREADS + threadIdx.x;
    if (id >= unit_threads) return;
    const uint32_t j = id % p.dimensions, local = id / p.dimensions;
    const unsigned bits = p.k + ROUND_BITS; /* of a point's number in its unit */
    const uint64_t unit = (p.first >> bits) + blockIdx.x / p.blocks, start = (unit << bits) - p.first;
    const typename of::word lower = p.k > 0 ? direction(p, j, p.k - 1) : 0;
    sobol_line<T> v;
    v.key = p.keys[j];
    v.word = word_of(p, j, local ^ local >> 1, 0) ^ word_of(p, j, unit ^ unit >> 1, bits);
    if (unit & 1) v.word ^= direction(p, j, bits - 1);
#pragma unroll
    for (int t = 0; t < ROUND_BITS; t++) {
        v.step[t] = direction(p, j, p.k + t) ^ lower;
        if (OWEN) v.step[t] = of::reversed(v.step[t]);
    }
    if (OWEN) v.word = of::reversed(v.word);
    v.at = start + local; /* modulo 2^64 */
    v.to = p.out + v.at * p.dimensions + j;
    if (start < p.n && p.n - start >= (uint64_t)1 << bits)
        write_line<T, OWEN, true>(p, unit_threads, v);
    else
        write_line<T, OWEN, false>(p, unit_threads, v);
}

/* ------------------------------------------------------------------------------- launching */

weft_status gpu_sobol_tables(const gpu *g, uint64_t seed, uint64_t stream, bool scrambled, size_t dimensions,
                             unsigned bits, uint64_t *tables, weft_error *error) {
    const unsigned blocks = ((unsigned)dimensions - 1) / THREADS + 1;
    sobol_tables_kernel<<<blocks, THREADS, 0, g->stream>>>(seed, stream, scrambled, (uint32_t)dimensions, bits,
                                                           tables, tables + bits * dimensions);
    CUDA_TRY(cudaGetLastError(), "sobol");
    return WEFT_OK;
}

template <class T, bool OWEN>
static weft_status launch(const gpu *g, const sobol_call *c, unsigned bits, const uint64_t *tables, void *out,
                          weft_error *error) {
    sobol_params<T> p = {c->first, c->n,   (uint32_t)c->dimensions,       0,       0,
                         bits,     tables, tables + bits * c->dimensions, (T *)out};
    while (p.dimensions << p.k < UNIT_THREADS) p.k++;
    p.blocks = ((p.dimensions << p.k) - 1) / THREADS + 1;
    const unsigned shift = p.k + ROUND_BITS;
    const uint64_t units = ((c->first + (c->n - 1)) >> shift) - (c->first >> shift) + 1;
    sobol_kernel<T, OWEN><<<(unsigned)(units * p.blocks), THREADS, 0, g->stream>>>(p);
    CUDA_TRY(cudaGetLastError(), "sobol");
    return WEFT_OK;
}

template <class T>
static weft_status launch_type(const gpu *g, const sobol_call *c, unsigned bits, const uint64_t *tables, void *out,
                               weft_error *error) {
    return c->scrambling == WEFT_OWEN ? launch<T, true>(g, c, bits, tables, out, error)
                                      : launch<T, false>(g, c, bits, tables, out, error);
}

weft_status cuda_sobol(void *state, const sobol_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const uint64_t last = c->first + (c->n - 1);
    unsigned bits = 0;
    while (last >> bits) bits++; /* at most 63 */
    gpu_array out = {"out", c->out, c->n * c->dimensions * cuda_type_bytes(c->dtype), ARRAY_OUT, false, NULL};
    void *scratch;
    RETURN_IF_ERROR(arrays_copy_in(g, "sobol", &out, 1, sobol_table_bytes(bits, c->dimensions), &scratch, error));
    uint64_t *const tables = (uint64_t *)scratch;
    RETURN_IF_ERROR(gpu_sobol_tables(g, c->seed, c->stream, c->scrambling != WEFT_UNSCRAMBLED, c->dimensions, bits,
                                     tables, error));
    if (c->dtype == WEFT_F32)
        RETURN_IF_ERROR(launch_type<float>(g, c, bits, tables, out.at, error));
    else
        RETURN_IF_ERROR(launch_type<double>(g, c, bits, tables, out.at, error));
    return arrays_copy_out(g, "sobol", &out, 1, error);
}
