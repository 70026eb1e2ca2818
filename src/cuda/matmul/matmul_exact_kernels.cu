/* Kernels of exact products (matmul_exact.h): magnitudes, planes, products of planes, and the end. */
#include "arith/exact_product.h"
#include "cuda/matmul/matmul_exact.h"

enum { WARP = 32, THREADS = 256 };
static uint64_t div_up(uint64_t n, uint64_t size) { return (n - 1) / size + 1; }

/* Returns true if a launch can have this number of blocks. */
static bool fits(uint64_t blocks) { return blocks <= 0x7fffffff; }

/* Elements of 16 bits. */
struct exact_f16 {
    uint16_t bits;
};
struct exact_bf16 {
    uint16_t bits;
};

/* Bits of a magnitude; the type in which an element is scaled to an integer of at most BITS bits, and in which its
 * value is exact; the digits of the element. VECTOR elements are loaded at a time where they are adjacent, and
 * COLUMNS are stored by a thread. */
template <class E> struct exact_type;
template <> struct exact_type<exact_f16> {
    typedef uint32_t word;
    typedef float real;
    enum { PLANES = EXACT_PLANES_HALF, LIMBS = 2, BITS = 13, DIGITS = 11, VECTOR = 4, COLUMNS = 4 };
    static __device__ __forceinline__ int exponent(word bits) { return weft_exact_exponent_f16(bits); }
};
template <> struct exact_type<exact_bf16> {
    typedef uint32_t word;
    typedef float real;
    enum { PLANES = EXACT_PLANES_HALF, LIMBS = 2, BITS = 13, DIGITS = 8, VECTOR = 4, COLUMNS = 4 };
    static __device__ __forceinline__ int exponent(word bits) { return weft_exact_exponent_bf16(bits); }
};
template <> struct exact_type<float> {
    typedef uint32_t word;
    typedef float real;
    enum { PLANES = EXACT_PLANES_F32, LIMBS = 2, BITS = 24, DIGITS = 24, VECTOR = 1, COLUMNS = 4 };
    static __device__ __forceinline__ int exponent(word bits) { return weft_exact_exponent_f32(bits); }
};
template <> struct exact_type<double> {
    typedef uint64_t word;
    typedef double real;
    enum { PLANES = EXACT_PLANES_F64, LIMBS = 4, BITS = 53, DIGITS = 53, VECTOR = 1, COLUMNS = 2 };
    static __device__ __forceinline__ int exponent(word bits) { return weft_exact_exponent_f64(bits); }
};

static __device__ __forceinline__ uint32_t magnitude_of(exact_f16 x) { return x.bits & 0x7fffu; }
static __device__ __forceinline__ uint32_t magnitude_of(exact_bf16 x) { return x.bits & 0x7fffu; }
static __device__ __forceinline__ uint32_t magnitude_of(float x) { return weft_bits_f32(x) & 0x7fffffffu; }
static __device__ __forceinline__ uint64_t magnitude_of(double x) { return weft_bits_f64(x) & ~(UINT64_C(1) << 63); }

static __device__ __forceinline__ float value_of(exact_f16 x) { return weft_from_bits_f16(x.bits); }
static __device__ __forceinline__ float value_of(exact_bf16 x) { return weft_from_bits_bf16(x.bits); }
static __device__ __forceinline__ float value_of(float x) { return x; }
static __device__ __forceinline__ double value_of(double x) { return x; }

/* N adjacent elements, which are aligned together. */
template <class E, int N> struct __align__(sizeof(E) * N) several { E at[N]; };

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

#define EXACT_LARGE 12582912.0f /* 1.5 * 2^23: the sum with |x| <= 2^22 is rounded to an integer */

/* Returns u modulo m, in [-m / 2 - 1, m / 2 + 1], for |u| <= 2^24: u / m has an error of at most 1 / m. */
static __device__ __forceinline__ float reduce(float u, float m, float inverse) {
    const float quotient = __fmaf_rn(u, inverse, EXACT_LARGE) - EXACT_LARGE;
    return __fmaf_rn(-quotient, m, u);
}

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
        const int power = exponent == WEFT_EXACT_SPECIAL ? 0 : (int)exact_type<E>::BITS - exponent, half = power / 2;
        factors[threadIdx.x][0] = exponent == WEFT_EXACT_SPECIAL ? (real)0 : power_of_two(real(), half);
        factors[threadIdx.x][1] = power_of_two(real(), power - half);
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
#pragma unroll 1
    for (int r = 0; r < exact_type<E>::PLANES; r++, to += padded * j.padded_terms) {
        uint32_t packed[RUN / 4];
#pragma unroll
        for (int i = 0; i < RUN; i++) {
            const uint32_t byte = digits[i].plane(j.moduli, r) & 255;
            packed[i / 4] = i % 4 == 0 ? byte : packed[i / 4] | byte << i % 4 * 8;
        }
        uint4 all;
        all.x = packed[0], all.y = packed[1], all.z = packed[2], all.w = packed[3];
        *(uint4 *)to = all;
    }
}

/* --------------------------------------------------------------------------- products of planes */

/* A block has SIDE x SIDE sums of one product, a thread 4 x 4. WORDS words of 4 terms are staged at a time. */
enum { SIDE = 64, WORDS = EXACT_TERM_PADDING / 4 };

static __global__ void __launch_bounds__(THREADS) sums_kernel(const __grid_constant__ exact_params j) {
    __shared__ int a[WORDS][SIDE + 1], b[WORDS][SIDE + 1];
    const uint64_t row_tiles = (j.padded_rows + SIDE - 1) / SIDE, column_tiles = (j.padded_columns + SIDE - 1) / SIDE;
    const uint64_t row = blockIdx.x / column_tiles % row_tiles * SIDE, column = blockIdx.x % column_tiles * SIDE;
    const uint64_t product = blockIdx.x / column_tiles / row_tiles, words = j.padded_terms / 4;
    const int *x = (const int *)j.planes_a + product * j.padded_rows * words;
    const int *y = (const int *)j.planes_b + product * j.padded_columns * words;
    const int mine = threadIdx.x / 16, mine_too = threadIdx.x % 16;
    int sums[4][4] = {};
    for (uint64_t first = 0; first < words; first += WORDS) {
        for (int i = threadIdx.x; i < SIDE * WORDS; i += THREADS) {
            const int line = i / WORDS, word = i % WORDS;
            a[word][line] = row + line < j.padded_rows ? x[(row + line) * words + first + word] : 0;
            b[word][line] = column + line < j.padded_columns ? y[(column + line) * words + first + word] : 0;
        }
        __syncthreads();
        for (int word = 0; word < WORDS; word++)
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    sums[p][q] = __dp4a(a[word][mine + 16 * p], b[word][mine_too + 16 * q], sums[p][q]);
        __syncthreads();
    }
    int32_t *to = j.sums + product * j.padded_rows * j.padded_columns;
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++) {
            const uint64_t r = row + mine + 16 * p, c = column + mine_too + 16 * q;
            if (r < j.padded_rows && c < j.padded_columns) to[r * j.padded_columns + c] = sums[p][q];
        }
}

/* --------------------------------------------------------------------------------------- the end */

/* Returns the integer I of ORDER.md 31.2 from the sums of h h', l l' and (h + l)(h' + l'). */
static __device__ __forceinline__ int64_t joined(const int32_t *sum) {
    const int64_t high = sum[0], low = sum[1], both = sum[2];
    return (high << 14) + ((both - high - low) << 7) + low;
}

/* Returns, in 32-bit words, the integer I of ORDER.md 31.2 modulo 2^(32 LIMBS) from the sums of the residues. With
 * y = sum * weight modulo m, I = sum of y * product / m - q * product, where q is the integer nearest to the sum of
 * y / m: |I| is less than 0.35 products. y + 128 and 16 - q are not negative; `offset` corrects both. */
template <class E>
static __device__ __forceinline__ void exact_integer(const exact_moduli &t, const int32_t *sum, uint32_t *words) {
    enum { LIMBS = exact_type<E>::LIMBS };
    if (exact_type<E>::PLANES == EXACT_PLANES_HALF) {
        const int64_t v = joined(sum);
        words[0] = (uint32_t)v, words[1] = (uint32_t)((uint64_t)v >> 32);
        return;
    }
    uint64_t limbs[LIMBS];
    float quotient = 0;
#pragma unroll
    for (int k = 0; k < LIMBS; k++) limbs[k] = t.offset[k];
#pragma unroll
    for (int r = 0; r < exact_type<E>::PLANES; r++) {
        const int high = (sum[r] + (1 << 14)) >> 15, low = sum[r] - (high << 15);
        const int u = high * t.weight_high[r] + low * t.weight[r]; /* |u| < 2^22 */
        const float v = weft_from_bits_f32((uint32_t)(u + 0x4b400000)) - EXACT_LARGE;
        const float y = reduce(v, t.m[r], t.inverse[r]);
        quotient = __fmaf_rn(y, t.inverse[r], quotient);
        const uint32_t digit = __float_as_uint(y + (EXACT_LARGE + 128)) - 0x4b400000u;
#pragma unroll
        for (int k = 0; k < LIMBS; k++) limbs[k] += (uint64_t)digit * t.share[r][k];
    }
    const uint32_t back = 0x4b400000u + 16 - __float_as_uint(quotient + EXACT_LARGE);
    uint64_t carry = 0;
#pragma unroll
    for (int k = 0; k < LIMBS; k++) {
        carry += limbs[k] + (uint64_t)back * t.product[k];
        words[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* An integer of 192 bits in two's complement, lowest word first. */
template <class E> static __device__ __forceinline__ void extend(const uint32_t *words, uint64_t *w) {
    enum { LIMBS = exact_type<E>::LIMBS };
    const uint64_t sign = (uint64_t)0 - (words[LIMBS - 1] >> 31);
    for (int k = 0; k < 3; k++)
        w[k] = 2 * k + 1 < LIMBS
                   ? (uint64_t)words[2 * k + 1 < LIMBS ? 2 * k + 1 : 0] << 32 | words[2 * k < LIMBS ? 2 * k : 0]
                   : sign;
}

static __device__ __forceinline__ void store_bits(exact_f16 *to, uint64_t bits) { to->bits = (uint16_t)bits; }
static __device__ __forceinline__ void store_bits(exact_bf16 *to, uint64_t bits) { to->bits = (uint16_t)bits; }
static __device__ __forceinline__ void store_bits(float *to, uint64_t bits) {
    *to = weft_from_bits_f32((uint32_t)bits);
}
static __device__ __forceinline__ void store_bits(double *to, uint64_t bits) { *to = weft_from_bits_f64(bits); }

/* Returns I * 2^exponent, rounded. */
template <class E> static __device__ __forceinline__ uint64_t rounded(const uint64_t *w, int exponent) {
    enum { DIGITS = exact_type<E>::DIGITS };
    const bool negative = w[2] >> 63, narrow = exact_type<E>::LIMBS == 2;
    const uint64_t low = negative ? (uint64_t)0 - w[0] : w[0];
    const uint64_t high = narrow ? 0 : negative ? ~w[1] + (w[0] == 0) : w[1];
    if ((low | high) == 0) return 0;
    const int shift = 64 - weft_bit_length(high ? high : low);
    const uint64_t top = high == 0 ? low << shift : shift == 0 ? high : high << shift | low >> (64 - shift);
    const bool more = high != 0 && low << shift != 0;
    const uint64_t bits = weft_exact_round(top, more, exponent + (high ? 64 : 0) - shift, DIGITS);
    return bits | (uint64_t)negative << weft_sign_bit(DIGITS);
}

/* Stores an element from its integer, for any alpha, beta and number of parts. */
template <class E> static __device__ void store_any(const exact_params &j, const uint64_t *w, int exponent, E *to) {
    weft_exact x;
    x.negative = w[2] >> 63;
    x.exponent = exponent;
    uint64_t carry = x.negative;
    for (int k = 0; k < WEFT_PRODUCT_WORDS; k++) {
        x.w[k] = k >= 3 ? 0 : x.negative ? ~w[k < 3 ? k : 0] + carry : w[k < 3 ? k : 0];
        carry = carry && x.w[k] == 0;
    }
    const double before = j.beta == 0 ? 0 : (double)value_of(*to);
    if (weft_is_finite(j.alpha) && weft_is_finite(j.beta) && weft_is_finite(before)) {
        store_bits(to, weft_exact_end(&x, j.alpha, j.beta, before, exact_type<E>::DIGITS));
        return;
    }
    const double s = weft_exact_length(&x) == 0 ? 0 : x.negative ? -1 : 1;
    store_bits(to, weft_bits_of(weft_exact_not_finite(j.alpha, s, j.beta, before), exact_type<E>::DIGITS));
}

/* Stores a special element (ORDER.md 31.4). */
template <class E>
static __device__ void store_special(const exact_params &j, uint64_t item, uint64_t row, uint64_t column, E *to) {
    const E *x = (const E *)j.a.p + item * j.a.stride + row * (j.a.across ? 1 : j.a.ld);
    const E *y = (const E *)j.b.p + item * j.b.stride + column * (j.b.across ? 1 : j.b.ld);
    const uint64_t step_x = j.a.across ? j.a.ld : 1, step_y = j.b.across ? j.b.ld : 1;
    double s = 0;
    for (uint64_t l = 0; l < j.k; l++) {
        const double u = (double)value_of(x[l * step_x]), v = (double)value_of(y[l * step_y]);
        if (!weft_is_finite(u) || !weft_is_finite(v)) s += u * v;
    }
    const double before = j.beta == 0 ? 0 : (double)value_of(*to);
    store_bits(to, weft_bits_of(weft_exact_not_finite(j.alpha, s, j.beta, before), exact_type<E>::DIGITS));
}

/* Adds the integers of the parts before to that of this part. If parts follow, stores the sum and returns false. */
static __device__ bool add_parts(const exact_params &j, uint64_t at, uint64_t *w) {
    const uint64_t plane = j.items * j.rows * j.columns;
    uint64_t carry = 0;
    for (int k = 0; k < 3 && !j.first; k++) {
        const uint64_t part = w[k] + carry;
        carry = part < carry;
        w[k] = part + j.wide[k * plane + at];
        carry += w[k] < part;
    }
    for (int k = 0; k < 3 && !j.last; k++) j.wide[k * plane + at] = w[k];
    return j.last;
}

struct position {
    uint64_t group, row, item;
};

/* Splits the number of a thread. Divisions of 64 bits take much of the time of a result. */
static __device__ __forceinline__ position position_of(uint64_t thread, uint64_t groups, uint64_t rows) {
    position p;
    if (((thread | groups | rows) >> 32) == 0) {
        const uint32_t line = (uint32_t)thread / (uint32_t)groups;
        p.group = (uint32_t)thread % (uint32_t)groups;
        p.row = line % (uint32_t)rows, p.item = line / (uint32_t)rows;
    } else {
        const uint64_t line = thread / groups;
        p.group = thread % groups;
        p.row = line % rows, p.item = line / rows;
    }
    return p;
}

/* A thread has COLUMNS adjacent columns. PLAIN: alpha = 1, beta = 0, and one part. */
template <class E, bool PLAIN>
static __global__ void __launch_bounds__(THREADS) finish_kernel(const __grid_constant__ exact_params j) {
    typedef typename exact_type<E>::word word;
    enum { PLANES = exact_type<E>::PLANES, COLUMNS = exact_type<E>::COLUMNS };
    const position at = position_of((uint64_t)blockIdx.x * THREADS + threadIdx.x, j.padded_columns / COLUMNS, j.rows);
    const uint64_t column = at.group * COLUMNS, row = at.row, item = at.item;
    if (item >= j.items || column >= j.columns) return;
    const int32_t *sums = j.sums + (item * PLANES * j.padded_rows + row) * j.padded_columns + column;
    int32_t sum[COLUMNS][PLANES];
#pragma unroll
    for (int r = 0; r < PLANES; r++) {
        const several<int32_t, COLUMNS> v =
            *(const several<int32_t, COLUMNS> *)(sums + r * j.padded_rows * j.padded_columns);
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) sum[i][r] = v.at[i];
    }
    const int row_exponent =
        exact_type<E>::exponent(((const word *)j.magnitudes_a)[(j.item + item) * j.m + j.row + row]);
    const word *magnitudes = (const word *)j.magnitudes_b + (j.item + item) * j.n + j.column + column;
    E *to = (E *)j.c + (j.item + item) * j.stride_c + (j.row + row) * j.ldc + j.column + column;
    several<E, COLUMNS> results;
    uint32_t found = 0; /* bit i: column i is in `results` */
#pragma unroll
    for (int i = 0; i < COLUMNS; i++) {
        if (column + i >= j.columns) break;
        const int column_exponent = exact_type<E>::exponent(magnitudes[i]);
        if (row_exponent == WEFT_EXACT_SPECIAL || column_exponent == WEFT_EXACT_SPECIAL) {
            if (j.last) store_special(j, j.item + item, j.row + row, j.column + column + i, to + i);
            continue;
        }
        const int exponent = row_exponent + column_exponent - 2 * (int)exact_type<E>::BITS;
        uint32_t words[exact_type<E>::LIMBS];
        uint64_t w[3];
        exact_integer<E>(j.moduli, sum[i], words);
        extend<E>(words, w);
        if (PLAIN) {
            store_bits(&results.at[i], rounded<E>(w, exponent));
            found |= 1u << i;
        } else if (add_parts(j, (item * j.rows + row) * j.columns + column + i, w))
            store_any(j, w, exponent, to + i);
    }
    if (found == (1u << COLUMNS) - 1 && (uintptr_t)to % sizeof results == 0) {
        *(several<E, COLUMNS> *)to = results;
        return;
    }
#pragma unroll
    for (int i = 0; i < COLUMNS; i++)
        if (found >> i & 1) to[i] = results.at[i];
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

template <class E> static cudaError_t finish(const gpu *g, const exact_params *j) {
    const uint64_t threads = j->padded_columns / exact_type<E>::COLUMNS * j->rows * j->items;
    const uint64_t blocks = div_up(threads, THREADS);
    if (!fits(blocks)) return cudaErrorInvalidConfiguration;
    if (j->alpha == 1 && j->beta == 0 && j->first && j->last)
        finish_kernel<E, true><<<(unsigned)blocks, THREADS, 0, g->stream>>>(*j);
    else
        finish_kernel<E, false><<<(unsigned)blocks, THREADS, 0, g->stream>>>(*j);
    return cudaGetLastError();
}

/* Calls a function for the type of the elements. */
#define BY_TYPE(function, ...)                                \
    (dtype == WEFT_F16    ? function<exact_f16>(__VA_ARGS__)  \
     : dtype == WEFT_BF16 ? function<exact_bf16>(__VA_ARGS__) \
     : dtype == WEFT_F32  ? function<float>(__VA_ARGS__)      \
                          : function<double>(__VA_ARGS__))

cudaError_t cuda_exact_magnitudes(const gpu *g, weft_dtype dtype, const exact_params *j) {
    return BY_TYPE(find_magnitudes, g, j);
}

cudaError_t cuda_exact_planes(const gpu *g, weft_dtype dtype, const exact_params *j, bool of_a) {
    return BY_TYPE(find_planes, g, j, of_a);
}

cudaError_t cuda_exact_sums(const gpu *g, uint64_t products, const exact_params *j) {
    const uint64_t blocks = div_up(j->padded_rows, SIDE) * div_up(j->padded_columns, SIDE) * products;
    if (!fits(blocks)) return cudaErrorInvalidConfiguration;
    sums_kernel<<<(unsigned)blocks, THREADS, 0, g->stream>>>(*j);
    return cudaGetLastError();
}

cudaError_t cuda_exact_finish(const gpu *g, weft_dtype dtype, const exact_params *j) { return BY_TYPE(finish, g, j); }
