/* weft_sobol (ORDER.md 24). A small kernel computes the direction numbers and keys of the call's coordinates, which
 * then stay in the caches. Points are written in rows of 2^k points. A thread has the same adjacent elements of
 * successive rows, so that adjacent threads write adjacent elements. From one row to the next, a word changes by two
 * direction numbers, which stay in registers. A thread block writes few rows and ends: blocks that stay resident
 * drift apart, and memory receives writes to many distant addresses. All other arithmetic is in arith/sobol.h. */
#include "arith/samples.h"
#include "arith/sobol.h"
#include "cuda/runtime/arrays.h"
#include "cuda/sobol/sobol_tables.h"

enum {
    TABLE_THREADS = 64,
    THREADS = 256,
    ROUND_BITS = 6,  /* a unit has 2^ROUND_BITS rows */
    UNROLL_BITS = 3, /* 2^UNROLL_BITS rows are unrolled */
    ROW = 1024,      /* minimum number of elements of a row */
    STORE_BYTES = 8  /* of a store, if out is aligned */
};

static __device__ const weft_sobol_line LINES[] = {
#define DIRECTIONS(degree, inner, ...) {degree, inner, {__VA_ARGS__}},
#include "core/sobol.def"
};

/* -------------------------------------------------------------------------------- kernels */

/* One thread per coordinate. Direction numbers are computed from earlier ones, which are in shared memory. */
static __global__ void __launch_bounds__(TABLE_THREADS)
    sobol_tables_kernel(uint64_t seed, uint64_t stream, bool scrambled, uint32_t dimensions, unsigned bits,
                        uint64_t *directions, uint64_t *keys) {
    __shared__ uint64_t computed[WEFT_SOBOL_BITS][TABLE_THREADS];
    const uint32_t j = blockIdx.x * TABLE_THREADS + threadIdx.x;
    if (j >= dimensions) return;
    keys[j] = scrambled ? weft_sobol_key(seed, stream, j) : 0;
    weft_sobol_directions(j == 0 ? nullptr : &LINES[j - 1], bits, TABLE_THREADS, &computed[0][threadIdx.x]);
    for (unsigned b = 0; b < bits; b++) directions[b * dimensions + j] = computed[b][threadIdx.x];
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

/* A call: the coordinates of points first ... first + n - 1 to out. A row has the coordinates of 2^k points, whose
 * numbers differ in the lowest k bits only. A unit is 2^ROUND_BITS rows, whose points have the same bits from
 * k + ROUND_BITS on. It has `blocks` thread blocks, and one thread for V adjacent elements of each row. */
template <class T> struct sobol_params {
    uint64_t first, n;
    uint32_t dimensions, blocks;
    unsigned k, bits; /* bits: number of bits in the tables, at least k + ROUND_BITS */
    const uint64_t *__restrict__ directions, *__restrict__ keys;
    T *__restrict__ out;
};

template <class T>
static __device__ __forceinline__ typename sobol_word<T>::word direction(const sobol_params<T> &p, uint32_t j,
                                                                         unsigned bit) {
    return sobol_word<T>::load(p.directions + (bit * p.dimensions + j));
}

/* The elements of a thread: V adjacent ones of each row. */
template <class T, int V> struct sobol_lanes {
    typedef typename sobol_word<T>::word word_type;
    /* word: those of the first row. step[t]: difference to row r + 1, where r + 1 has t trailing zeros. */
    word_type word[V], step[ROUND_BITS][V];
    uint64_t key[V], at; /* at: index of the first element in out, modulo 2^64 */
};

/* Write adjacent elements. Caches evict them first, and keep the tables. */
static __device__ __forceinline__ void write(float *to, const float (&x)[1]) { __stcs(to, x[0]); }
static __device__ __forceinline__ void write(float *to, const float (&x)[2]) {
    __stcs((float2 *)to, make_float2(x[0], x[1]));
}
static __device__ __forceinline__ void write(double *to, const double (&x)[1]) { __stcs(to, x[0]); }

/* Writes the elements of a thread. FULL: all points of the unit belong to the call, and out is aligned. */
template <class T, bool OWEN, int V, bool FULL>
static __device__ __forceinline__ void write_lanes(const sobol_params<T> &p, uint32_t row, sobol_lanes<T, V> v) {
    const uint64_t end = p.n * p.dimensions;
    T *to = p.out + v.at;
#pragma unroll 1
    for (int i = 1;; i++) {
#pragma unroll
        for (int round = 1; round <= 1 << UNROLL_BITS; round++) {
            T x[V];
#pragma unroll
            for (int l = 0; l < V; l++) x[l] = sobol_word<T>::template finish<OWEN>(v.word[l], v.key[l]);
            if (FULL) write(to, x);
#pragma unroll
            for (int l = 0; l < V && !FULL; l++)
                if (v.at + l < end) to[l] = x[l];
            v.at += row;
            to += row;
#pragma unroll
            for (int l = 0; l < V && round < 1 << UNROLL_BITS; l++)
                v.word[l] ^= v.step[round % 2 ? 0 : round % 4 ? 1 : 2][l];
        }
        if (i == 1 << (ROUND_BITS - UNROLL_BITS)) return;
#pragma unroll
        for (int l = 0; l < V; l++) {
            typename sobol_word<T>::word step = v.step[ROUND_BITS - 1][l];
#pragma unroll
            for (int t = ROUND_BITS - 2; t >= UNROLL_BITS; t--)
                if (i >> (t - UNROLL_BITS) & 1) step = v.step[t][l];
            v.word[l] ^= step;
        }
    }
}
static_assert(UNROLL_BITS == 3, "the steps between unrolled rows");

/* Computes words, steps and keys of elements id ... id + V - 1 of a unit's rows. With h = floor(point / 2^k),
 * h ^ (h + 1) has ones up to bit t, where t is the number of trailing zeros of h + 1. The Gray codes of points of
 * successive rows therefore differ in the bits k + t and k - 1. */
template <class T, bool OWEN, int V>
static __device__ __forceinline__ sobol_lanes<T, V> begin_lanes(const sobol_params<T> &p, uint64_t unit,
                                                                uint32_t id) {
    typedef typename sobol_word<T>::word word_type;
    const unsigned upper = p.k + ROUND_BITS - 1; /* lowest bit of the Gray code that depends on the unit */
    uint32_t j[V], gray[V];                      /* gray: the lowest k bits of the Gray code of the point */
    sobol_lanes<T, V> v;
#pragma unroll
    for (int l = 0; l < V; l++) {
        const uint32_t point = (id + l) / p.dimensions;
        j[l] = (id + l) % p.dimensions;
        gray[l] = point ^ point >> 1;
        v.key[l] = p.keys[j[l]];
        v.word[l] = 0;
        const word_type lower = p.k > 0 ? direction(p, j[l], p.k - 1) : 0;
#pragma unroll
        for (int t = 0; t < ROUND_BITS; t++) v.step[t][l] = direction(p, j[l], p.k + t) ^ lower;
    }
#pragma unroll 2
    for (unsigned b = 0; b < p.k; b++)
#pragma unroll
        for (int l = 0; l < V; l++)
            if (gray[l] >> b & 1) v.word[l] ^= direction(p, j[l], b);
#pragma unroll 2
    for (unsigned b = upper; b < p.bits; b++)
#pragma unroll
        for (int l = 0; l < V; l++)
            if ((unit ^ unit << 1) >> (b - upper) & 1) v.word[l] ^= direction(p, j[l], b);
#pragma unroll
    for (int l = 0; l < V && OWEN; l++) {
        v.word[l] = sobol_word<T>::reversed(v.word[l]);
#pragma unroll
        for (int t = 0; t < ROUND_BITS; t++) v.step[t][l] = sobol_word<T>::reversed(v.step[t][l]);
    }
    return v;
}

template <class T, bool OWEN, int V>
static __global__ void __launch_bounds__(THREADS) sobol_kernel(const __grid_constant__ sobol_params<T> p) {
    const uint32_t row = p.dimensions << p.k, id = (blockIdx.x % p.blocks * THREADS + threadIdx.x) * V;
    if (id >= row) return;
    const unsigned bits = p.k + ROUND_BITS;
    const uint64_t unit = (p.first >> bits) + blockIdx.x / p.blocks, start = (unit << bits) - p.first;
    sobol_lanes<T, V> v = begin_lanes<T, OWEN, V>(p, unit, id);
    v.at = start * p.dimensions + id;
    if (start < p.n && p.n - start >= (uint64_t)1 << bits)
        write_lanes<T, OWEN, V, true>(p, row, v);
    else
        write_lanes<T, OWEN, V, false>(p, row, v);
}

/* ------------------------------------------------------------------------------- launching */

weft_status gpu_sobol_tables(const gpu *g, uint64_t seed, uint64_t stream, bool scrambled, size_t dimensions,
                             unsigned bits, uint64_t *tables, weft_error *error) {
    const unsigned blocks = ((unsigned)dimensions - 1) / TABLE_THREADS + 1;
    sobol_tables_kernel<<<blocks, TABLE_THREADS, 0, g->stream>>>(seed, stream, scrambled, (uint32_t)dimensions, bits,
                                                                 tables, tables + bits * dimensions);
    CUDA_TRY(cudaGetLastError(), "sobol");
    return WEFT_OK;
}

template <class T, bool OWEN, int V> static weft_status launch(const gpu *g, sobol_params<T> p, weft_error *error) {
    p.blocks = ((p.dimensions << p.k) / V - 1) / THREADS + 1;
    const unsigned shift = p.k + ROUND_BITS;
    const uint64_t units = ((p.first + (p.n - 1)) >> shift) - (p.first >> shift) + 1;
    sobol_kernel<T, OWEN, V><<<(unsigned)(units * p.blocks), THREADS, 0, g->stream>>>(p);
    CUDA_TRY(cudaGetLastError(), "sobol");
    return WEFT_OK;
}

/* Selects the kernel. A row begins at a multiple of 2^k points, and 2^k points have an even number of elements. So
 * all rows have the alignment that point 0 would have. */
template <class T>
static weft_status launch_type(const gpu *g, const sobol_call *c, unsigned k, unsigned bits, const uint64_t *tables,
                               void *out, weft_error *error) {
    constexpr int V = STORE_BYTES / sizeof(T);
    const bool owen = c->scrambling == WEFT_OWEN;
    const sobol_params<T> p = {c->first, c->n,   (uint32_t)c->dimensions,       0,       k,
                               bits,     tables, tables + bits * c->dimensions, (T *)out};
    if (((uintptr_t)out - c->first * c->dimensions * sizeof(T)) % STORE_BYTES) /* modulo 2^64 */
        return owen ? launch<T, true, 1>(g, p, error) : launch<T, false, 1>(g, p, error);
    return owen ? launch<T, true, V>(g, p, error) : launch<T, false, V>(g, p, error);
}

weft_status cuda_sobol(void *state, const sobol_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const uint64_t last = c->first + (c->n - 1);
    unsigned k = 0;
    while (c->dimensions << k < ROW || (c->dimensions << k) % 2) k++; /* even, for stores of two elements */
    unsigned bits = k + ROUND_BITS;
    while (last >> bits) bits++; /* at most 63 */
    gpu_array out = {"out", c->out, c->n * c->dimensions * cuda_type_bytes(c->dtype), ARRAY_OUT, false, NULL};
    void *scratch;
    RETURN_IF_ERROR(arrays_copy_in(g, "sobol", &out, 1, sobol_table_bytes(bits, c->dimensions), &scratch, error));
    uint64_t *const tables = (uint64_t *)scratch;
    RETURN_IF_ERROR(gpu_sobol_tables(g, c->seed, c->stream, c->scrambling != WEFT_UNSCRAMBLED, c->dimensions, bits,
                                     tables, error));
    if (c->dtype == WEFT_F32)
        RETURN_IF_ERROR(launch_type<float>(g, c, k, bits, tables, out.at, error));
    else
        RETURN_IF_ERROR(launch_type<double>(g, c, k, bits, tables, out.at, error));
    return arrays_copy_out(g, "sobol", &out, 1, error);
}
