/* Kernels of exact products (matmul_exact.h): magnitudes and planes, at once for whole lines in shared memory,
 * otherwise by two kernels. */
#include "cuda/matmul/matmul_exact.cuh"
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/overlap.cuh"

static __device__ __forceinline__ void raise(uint32_t *p, uint32_t v) { atomicMax(p, v); }
static __device__ __forceinline__ void raise(uint64_t *p, uint64_t v) {
    atomicMax((unsigned long long *)p, (unsigned long long)v);
}

/* ------------------------------------------------------------------------------------ magnitudes */

/* Terms of a thread if lines are adjacent, in a large factor or in a small one; and vectors of a warp if terms are
 * adjacent. */
enum { TERMS_ACROSS = 64, TERMS_ACROSS_SMALL = 16, VECTORS_ALONG = 256, SMALL_FACTOR = 1 << 24 };

/* The greatest magnitudes of a factor's lines. */
struct magnitudes_params {
    matmul_factor f;
    uint64_t lines, terms, items, parts; /* parts: of a line, one per thread or warp */
    uint32_t part_terms, blocks;
    void *to;
};

/* Lines are adjacent: a thread has a part of one line, a block THREADS lines. */
template <class E> static __device__ void magnitudes_across(const magnitudes_params &p, uint64_t block) {
    typedef typename exact_type<E>::word word;
    const uint64_t groups = (p.lines + THREADS - 1) / THREADS;
    const uint64_t line = block % groups * THREADS + threadIdx.x, part = block / groups % p.parts;
    const uint64_t item = block / groups / p.parts;
    const uint64_t first = part * p.part_terms, left = p.terms - first;
    const uint32_t count = left < p.part_terms ? (uint32_t)left : p.part_terms;
    if (line >= p.lines) return;
    const E *x = (const E *)p.f.p + item * p.f.stride + first * p.f.ld + line;
    word most = 0;
#pragma unroll 16
    for (uint32_t t = 0; t < count; t++) {
        const word v = magnitude_of(x[t * p.f.ld]);
        most = v > most ? v : most;
    }
    raise((word *)p.to + item * p.lines + line, most);
}

/* Terms are adjacent: a warp has a part of one line. */
template <class E> static __device__ void magnitudes_along(const magnitudes_params &p, uint64_t block) {
    typedef typename exact_type<E>::word word;
    enum { VECTOR = exact_type<E>::VECTOR };
    const uint64_t warp = (block * THREADS + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    const uint64_t part = warp % p.parts, line = warp / p.parts % p.lines, item = warp / p.parts / p.lines;
    if (item >= p.items) return;
    const uint64_t first = part * p.part_terms, left = p.terms - first;
    const uint32_t count = left < p.part_terms ? (uint32_t)left : p.part_terms;
    const uint32_t whole = VECTOR == 1 || p.f.vectors ? count / VECTOR * VECTOR : 0; /* in vectors */
    const E *x = (const E *)p.f.p + item * p.f.stride + line * p.f.ld + first;
    word most = 0;
#pragma unroll 8
    for (uint32_t t = (uint32_t)lane * VECTOR; t < whole; t += WARP * VECTOR) {
        const several<E, VECTOR> v = *(const several<E, VECTOR> *)(x + t);
#pragma unroll
        for (int i = 0; i < VECTOR; i++) most = magnitude_of(v.at[i]) > most ? magnitude_of(v.at[i]) : most;
    }
#pragma unroll 8
    for (uint32_t t = whole + (uint32_t)lane; t < count; t += WARP) {
        const word v = magnitude_of(x[t]);
        most = v > most ? v : most;
    }
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        const word other = __shfl_xor_sync(0xffffffffu, most, distance);
        most = other > most ? other : most;
    }
    if (lane == 0) raise((word *)p.to + item * p.lines + line, most);
}

/* The first blocks are those of A. */
template <class E>
static __global__ void __launch_bounds__(THREADS)
    magnitudes_kernel(const __grid_constant__ magnitudes_params a, const __grid_constant__ magnitudes_params b) {
    const bool of_a = blockIdx.x < a.blocks;
    const magnitudes_params &p = of_a ? a : b;
    const uint64_t block = of_a ? blockIdx.x : blockIdx.x - a.blocks;
    if (p.f.across)
        magnitudes_across<E>(p, block);
    else
        magnitudes_along<E>(p, block);
}

/* ---------------------------------------------------------------------------------------- planes */

/* A block has LINES lines and LINE_TERMS terms. A thread loads elements in the order of memory, and then splits RUN
 * adjacent terms of a line into planes. Runs are RUN + 1 words apart in shared memory, and lines an odd number of
 * words, so that few banks conflict. */
enum { LINES = 32, LINE_TERMS = 128, RUN = 16, RUNS = LINE_TERMS / RUN, LINE_WORDS = RUNS * (RUN + 1) + 1 };
static_assert(LINES * RUNS == THREADS, "one run per thread");

/* Returns the integer of x (ORDER.md 31.1): x * 2^power, rounded, with 2^power = first * second. It fits in the type.
 */
static __device__ __forceinline__ float integer_of(float x, float first, float second) {
    return rintf(x * first * second);
}
static __device__ __forceinline__ double integer_of(double x, double first, double second) {
    return rint(x * first * second);
}

static __device__ __forceinline__ float power_of_two(float, int e) {
    return weft_from_bits_f32((uint32_t)(e + 127) << 23);
}
static __device__ __forceinline__ double power_of_two(double, int e) { return weft_power_of_two(e); }

/* Returns the residue of u modulo number r, as an int8 in the lowest bits; `low` has the lowest 8 bits of u. The
 * lowest bits of quotient + EXACT_LARGE are those of the quotient. */
static __device__ __forceinline__ uint32_t residue_of(const exact_moduli &t, int r, float u, uint32_t low) {
    const uint32_t quotient = __float_as_uint(__fmaf_rn(u, t.inverse[r], EXACT_LARGE));
    return low - quotient * (uint32_t)t.m[r];
}

/* An integer. plane(t, r) is that of plane r, an int8 in the lowest bits: a residue, or for integers below 2^13 in
 * magnitude h, l or h + l of 128 h + l, where |l| <= 64. |h + l| <= 127, because h = 64 implies l < 0, and h = -64
 * implies l > 0. */
template <class E> struct exact_digits {
    int h, l;
    __device__ __forceinline__ void set(float x) {
        const int v = (int)x;
        h = (v + 64) >> 7;
        l = v - (h << 7);
    }
    __device__ __forceinline__ uint32_t plane(const exact_moduli &, int r) const {
        return (uint32_t)(r == 0 ? h : r == 1 ? l : h + l);
    }
};
template <> struct exact_digits<float> {
    float v;
    int low;
    __device__ __forceinline__ void set(float x) { v = x, low = (int)x; }
    __device__ __forceinline__ uint32_t plane(const exact_moduli &t, int r) const {
        return residue_of(t, r, v, (uint32_t)low);
    }
};
template <> struct exact_digits<double> {
    float v[4];     /* base 2^14, the lowest first, at most 2^13 in magnitude */
    uint32_t bytes; /* the lowest 8 bits of each */
    __device__ __forceinline__ void set(double x) {
        long long left = (long long)x;
        bytes = 0;
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const int digit = (int)((unsigned)left << 18) >> 18; /* the lowest 14 bits, with sign */
            v[i] = (float)digit;
            bytes |= ((uint32_t)digit & 255) << 8 * i;
            left = (left - digit) >> 14;
        }
        v[3] = (float)(int)left;
        bytes |= (uint32_t)left << 24;
    }
    __device__ __forceinline__ uint32_t plane(const exact_moduli &t, int r) const {
        const float *const power = t.power[r]; /* the sum of the digits times the residues of their powers is exact */
        uint32_t powers = 1;
#pragma unroll
        for (int i = 0; i < 3; i++) powers |= ((uint32_t)(int)power[i] & 255) << 8 * (i + 1);
        return residue_of(t, r, __fmaf_rn(v[3], power[2], __fmaf_rn(v[2], power[1], __fmaf_rn(v[1], power[0], v[0]))),
                          (uint32_t)__dp4a((int)bytes, (int)powers, 0));
    }
};

/* Stores a run of integers, one vector in each plane. `plane`: bytes of a plane. */
template <class E>
static __device__ __forceinline__ void store_run(const exact_digits<E> *digits, const exact_moduli &t, uint64_t plane,
                                                 int8_t *to) {
#pragma unroll 1
    for (int r = 0; r < exact_type<E>::PLANES; r++, to += plane) {
        uint32_t packed[RUN / 4];
#pragma unroll
        for (int i = 0; i < RUN; i++) {
            const uint32_t byte = digits[i].plane(t, r) & 255;
            packed[i / 4] = i % 4 == 0 ? byte : packed[i / 4] | byte << i % 4 * 8;
        }
        uint4 all;
        all.x = packed[0], all.y = packed[1], all.z = packed[2], all.w = packed[3];
        *(uint4 *)to = all;
    }
}

/* Sets the two factors of a line's integers, both 0 if the line has an infinity or a NaN. */
template <class E, class R> static __device__ __forceinline__ void set_factors(int exponent, R *factors) {
    const int power = exponent == WEFT_EXACT_SPECIAL ? 0 : (int)exact_type<E>::BITS - exponent, half = power / 2;
    factors[0] = exponent == WEFT_EXACT_SPECIAL ? (R)0 : power_of_two(R(), half);
    factors[1] = power_of_two(R(), power - half);
}

/* The first blocks are those of A. */
template <class E>
static __global__ void __launch_bounds__(THREADS, sizeof(typename exact_type<E>::real) == sizeof(float) ? 4 : 2)
    planes_kernel(const __grid_constant__ exact_params j, uint32_t blocks_of_a) {
    typedef typename exact_type<E>::word word;
    typedef typename exact_type<E>::real real;
    __shared__ real tile[LINES * LINE_WORDS];
    const bool of_a = blockIdx.x < blocks_of_a;
    const uint32_t block = of_a ? blockIdx.x : blockIdx.x - blocks_of_a;
    const matmul_factor &f = of_a ? j.a : j.b;
    const uint64_t lines = of_a ? j.rows : j.columns, padded = of_a ? j.padded_rows : j.padded_columns;
    const uint64_t term_groups = (j.padded_terms + LINE_TERMS - 1) / LINE_TERMS,
                   line_groups = (padded + LINES - 1) / LINES;
    const uint64_t first_term = block % term_groups * LINE_TERMS;
    const uint64_t first_line = block / term_groups % line_groups * LINES, item = block / term_groups / line_groups;
    const uint64_t line_of_c = (of_a ? j.row : j.column) + first_line;
    const word *magnitudes =
        (const word *)(of_a ? j.magnitudes_a : j.magnitudes_b) + (j.item + item) * (of_a ? j.m : j.n) + line_of_c;
    const E *x = (const E *)f.p + (j.item + item) * f.stride;
    __shared__ real factors[LINES][2];
    if (threadIdx.x < LINES) {
        const int exponent =
            first_line + threadIdx.x < lines ? exact_type<E>::exponent(magnitudes[threadIdx.x]) : WEFT_EXACT_SPECIAL;
        set_factors<E>(exponent, factors[threadIdx.x]);
    }
    __syncthreads();
    enum { VECTOR = exact_type<E>::VECTOR };
#pragma unroll 8
    for (int i = threadIdx.x * VECTOR; i < LINES * LINE_TERMS; i += THREADS * VECTOR) {
        const int line = f.across ? i % LINES : i / LINE_TERMS, term = f.across ? i / LINES : i % LINE_TERMS;
        const int last_line = f.across ? line + VECTOR - 1 : line, last_term = f.across ? term : term + VECTOR - 1;
        const uint64_t t = j.term + first_term + term, l = line_of_c + line;
        const uint64_t at = f.across ? t * f.ld + l : l * f.ld + t;
        const bool whole =
            VECTOR > 1 && f.vectors && first_line + last_line < lines && first_term + last_term < j.terms;
        several<E, VECTOR> loaded = {};
        if (whole) loaded = *(const several<E, VECTOR> *)(x + at);
#pragma unroll
        for (int e = 0; e < VECTOR; e++) {
            const int its_line = f.across ? line + e : line, its_term = f.across ? term : term + e;
            real v = 0;
            if (factors[its_line][0] != 0 && first_term + its_term < j.terms) {
                const real element = value_of(whole ? loaded.at[e] : x[at + e]);
                v = integer_of(element, factors[its_line][0], factors[its_line][1]);
            }
            tile[its_line * LINE_WORDS + its_term / RUN * (RUN + 1) + its_term % RUN] = v;
        }
    }
    __syncthreads();
    const int line = threadIdx.x / RUNS, run = threadIdx.x % RUNS;
    const uint64_t term = first_term + run * RUN;
    if (first_line + line >= padded || term >= j.padded_terms) return;
    exact_digits<E> digits[RUN];
#pragma unroll
    for (int i = 0; i < RUN; i++) digits[i].set(tile[line * LINE_WORDS + run * (RUN + 1) + i]);
    int8_t *to = (of_a ? j.planes_a : j.planes_b) +
                 (item * exact_type<E>::PLANES * padded + first_line + line) * j.padded_terms + term;
    store_run(digits, j.moduli, padded * j.padded_terms, to);
}

/* ----------------------------------------------------------------------------------- whole lines */

/* A block has COUNT lines with all their terms, if these fit in shared memory: it reads a factor once. Runs are RUN +
 * 1 words apart there. Lines are an even number of words of 4 bytes apart that is not divided by 4, so that two terms
 * of 16 adjacent lines are in different banks. */
enum { MOST_LINES = 16, FEWEST_LINES = 8 };
template <class E> struct lines_type {
    enum {
        LINE_THREADS = sizeof(typename exact_type<E>::real) == sizeof(float) ? 1024 : 512,
        BATCH = 8 /* elements that a thread loads at a time */
    };
};

template <class R> static __host__ __device__ uint32_t words_of_line(uint64_t terms) {
    return (uint32_t)((terms / RUN * (RUN + 1) + 31) / 32 * 32 + 8 / sizeof(R));
}

/* Copies the lines to shared memory, and returns the greatest magnitude of the thread's elements, all of line `line`.
 * The first `exist` lines are those of the factor; others are zeros. */
template <class E, int COUNT>
static __device__ __forceinline__ typename exact_type<E>::word
load_lines(const E *x, const matmul_factor &f, uint32_t line, bool exists, uint32_t terms, uint32_t padded,
           typename exact_type<E>::real *tile) {
    enum { BATCH = lines_type<E>::BATCH, STEP = lines_type<E>::LINE_THREADS / COUNT };
    const uint64_t step = f.across ? f.ld : 1;
    const uint32_t first = f.across ? threadIdx.x / COUNT : threadIdx.x / (WARP * COUNT) * WARP + threadIdx.x % WARP;
    typename exact_type<E>::word most = 0;
    x += line * (f.across ? 1 : f.ld);
    for (uint32_t t = first; t < padded; t += STEP * BATCH) {
        E loaded[BATCH];
#pragma unroll
        for (int e = 0; e < BATCH; e++) {
            const uint32_t term = t + (uint32_t)e * STEP;
            loaded[e] = exists && term < terms ? x[term * step] : E();
        }
#pragma unroll
        for (int e = 0; e < BATCH; e++) {
            const uint32_t term = t + (uint32_t)e * STEP;
            most = magnitude_of(loaded[e]) > most ? magnitude_of(loaded[e]) : most;
            if (term < padded) tile[term / RUN * (RUN + 1) + term % RUN] = value_of(loaded[e]);
        }
    }
    return most;
}

/* The first blocks are those of A. Stores the magnitudes and the planes. */
template <class E, int COUNT>
static __global__ void __launch_bounds__(lines_type<E>::LINE_THREADS)
    lines_kernel(const __grid_constant__ exact_params j, uint32_t blocks_of_a) {
    typedef typename exact_type<E>::word word;
    typedef typename exact_type<E>::real real;
    __shared__ word most[COUNT];
    __shared__ real factors[COUNT][2];
    real *const tile = (real *)dynamic_shared();
    const bool of_a = blockIdx.x < blocks_of_a;
    const uint32_t block = of_a ? blockIdx.x : blockIdx.x - blocks_of_a;
    const matmul_factor &f = of_a ? j.a : j.b;
    const uint64_t lines = of_a ? j.rows : j.columns, padded = of_a ? j.padded_rows : j.padded_columns;
    const uint64_t groups = (padded + COUNT - 1) / COUNT;
    const uint64_t first_line = block % groups * COUNT, item = block / groups;
    const uint64_t line_of_c = (of_a ? j.row : j.column) + first_line;
    const uint32_t words = words_of_line<real>(j.padded_terms), terms = (uint32_t)j.padded_terms;
    if (threadIdx.x < COUNT) most[threadIdx.x] = 0;
    wait_for_stream();
    __syncthreads();
    {
        const uint32_t line = f.across ? threadIdx.x % COUNT : threadIdx.x / WARP % COUNT;
        const E *x = (const E *)f.p + (j.item + item) * f.stride + line_of_c * (f.across ? 1 : f.ld);
        word own = load_lines<E, COUNT>(x, f, line, first_line + line < lines, (uint32_t)j.terms, terms,
                                        tile + line * words);
        for (int distance = f.across ? 0 : WARP / 2; distance > 0; distance /= 2) {
            const word other = __shfl_xor_sync(0xffffffffu, own, distance);
            own = other > own ? other : own;
        }
        if (f.across || threadIdx.x % WARP == 0) raise(&most[line], own);
    }
    __syncthreads();
    if (threadIdx.x < COUNT) {
        word *magnitudes = (word *)(of_a ? j.magnitudes_a : j.magnitudes_b) + (j.item + item) * (of_a ? j.m : j.n);
        const bool exists = first_line + threadIdx.x < lines;
        if (exists) magnitudes[line_of_c + threadIdx.x] = most[threadIdx.x];
        set_factors<E>(exists ? exact_type<E>::exponent(most[threadIdx.x]) : WEFT_EXACT_SPECIAL,
                       factors[threadIdx.x]);
    }
    __syncthreads();
    int8_t *planes = (of_a ? j.planes_a : j.planes_b) + (item * exact_type<E>::PLANES * padded + first_line) * terms;
    const uint32_t runs = terms / RUN;
    for (uint32_t i = threadIdx.x; i < COUNT * runs; i += lines_type<E>::LINE_THREADS) {
        const uint32_t line = i / runs, run = i % runs;
        if (first_line + line >= padded) return;
        const real first = factors[line][0], second = factors[line][1];
        const real *values = tile + line * words + run * (RUN + 1);
        exact_digits<E> digits[RUN];
#pragma unroll
        for (int k = 0; k < RUN; k++) digits[k].set(first != 0 ? integer_of(values[k], first, second) : 0);
        store_run(digits, j.moduli, padded * terms, planes + (uint64_t)line * terms + run * RUN);
    }
}

/* --------------------------------------------------------------------------------------- launches */

template <class E> static magnitudes_params magnitudes_of(const exact_params *j, bool of_a) {
    magnitudes_params p;
    p.f = of_a ? j->a : j->b;
    p.lines = of_a ? j->m : j->n, p.terms = j->k, p.items = j->items;
    p.to = of_a ? j->magnitudes_a : j->magnitudes_b;
    const bool small = p.lines * p.terms <= SMALL_FACTOR;
    p.part_terms = !p.f.across ? VECTORS_ALONG * exact_type<E>::VECTOR : small ? TERMS_ACROSS_SMALL : TERMS_ACROSS;
    p.parts = div_up(p.terms, p.part_terms);
    const uint64_t parts = p.parts * p.items;
    const uint64_t blocks = p.f.across ? div_up(p.lines, THREADS) * parts : div_up(p.lines * parts, THREADS / WARP);
    p.blocks = fits(blocks) ? (uint32_t)blocks : 0;
    return p;
}

template <class E> static cudaError_t find_magnitudes(const gpu *g, const exact_params *j) {
    const magnitudes_params a = magnitudes_of<E>(j, true), b = magnitudes_of<E>(j, false);
    if (a.blocks == 0 || b.blocks == 0 || !fits((uint64_t)a.blocks + b.blocks)) return cudaErrorInvalidConfiguration;
    magnitudes_kernel<E><<<a.blocks + b.blocks, THREADS, 0, g->stream>>>(a, b);
    return cudaGetLastError();
}

template <class E> static cudaError_t find_planes(const gpu *g, const exact_params *j, bool of_a) {
    const uint64_t groups = div_up(j->padded_terms, LINE_TERMS) * j->items;
    const uint64_t blocks_of_a = of_a ? groups * div_up(j->padded_rows, LINES) : 0;
    const uint64_t blocks = blocks_of_a + groups * div_up(j->padded_columns, LINES);
    if (!fits(blocks)) return cudaErrorInvalidConfiguration;
    planes_kernel<E><<<(unsigned)blocks, THREADS, 0, g->stream>>>(*j, (uint32_t)blocks_of_a);
    return cudaGetLastError();
}

/* Returns the bytes of `count` lines in shared memory, with those of their magnitudes and factors. */
template <class E> static size_t bytes_of_lines(uint64_t padded_terms, uint32_t count) {
    typedef typename exact_type<E>::real real;
    return count * (words_of_line<real>(padded_terms) + 4) * sizeof(real);
}

template <class E> static bool lines_fit(const gpu *g, uint64_t padded_terms) {
    return padded_terms <= UINT16_MAX && bytes_of_lines<E>(padded_terms, FEWEST_LINES) <= g->shared_bytes;
}

template <class E, int COUNT>
static weft_status launch_lines(const gpu *g, const exact_params *j, bool of_a, weft_error *error) {
    typedef typename exact_type<E>::real real;
    const uint64_t blocks_of_a = of_a ? div_up(j->padded_rows, COUNT) * j->items : 0;
    const uint64_t blocks = blocks_of_a + div_up(j->padded_columns, COUNT) * j->items;
    const size_t shared = COUNT * words_of_line<real>(j->padded_terms) * sizeof(real);
    if (!fits(blocks)) CUDA_TRY(cudaErrorInvalidConfiguration, "matmul");
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)lines_kernel<E, COUNT>, "matmul", error));
    CUDA_TRY(launch_early(g, j->small, lines_kernel<E, COUNT>, (unsigned)blocks, lines_type<E>::LINE_THREADS, shared,
                          *j, (uint32_t)blocks_of_a),
             "matmul");
    return WEFT_OK;
}

/* Blocks have more lines if they fit, and if there are then enough blocks for most multiprocessors. */
template <class E> static weft_status split_lines(const gpu *g, const exact_params *j, bool of_a, weft_error *error) {
    const uint64_t blocks = (j->padded_rows + j->padded_columns) / MOST_LINES * j->items;
    const bool most = bytes_of_lines<E>(j->padded_terms, MOST_LINES) <= g->shared_bytes &&
                      blocks * 4 >= (unsigned)g->multiprocessors * 3u;
    return most ? launch_lines<E, MOST_LINES>(g, j, of_a, error) : launch_lines<E, FEWEST_LINES>(g, j, of_a, error);
}

cudaError_t cuda_exact_magnitudes(const gpu *g, weft_dtype dtype, const exact_params *j) {
    return BY_TYPE(find_magnitudes, g, j);
}

cudaError_t cuda_exact_planes(const gpu *g, weft_dtype dtype, const exact_params *j, bool of_a) {
    return BY_TYPE(find_planes, g, j, of_a);
}

bool cuda_exact_lines_fit(const gpu *g, weft_dtype dtype, uint64_t padded_terms) {
    return BY_TYPE(lines_fit, g, padded_terms);
}

weft_status cuda_exact_lines(const gpu *g, weft_dtype dtype, const exact_params *j, bool of_a, weft_error *error) {
    return BY_TYPE(split_lines, g, j, of_a, error);
}
