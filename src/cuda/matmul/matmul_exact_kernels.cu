/* Kernels of exact products (matmul_exact.h): products of planes, and the end. */
#include "cuda/matmul/matmul_exact.cuh"
#include "cuda/runtime/overlap.cuh"

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

static __device__ __forceinline__ void store_bits(f16 *to, uint64_t bits) { to->bits = (uint16_t)bits; }
static __device__ __forceinline__ void store_bits(bf16 *to, uint64_t bits) { to->bits = (uint16_t)bits; }
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

/* Load adjacent sums that the cache need not keep. */
static __device__ __forceinline__ several<int32_t, 4> load_once(const several<int32_t, 4> *sums) {
    const uint4 v = __ldcs((const uint4 *)sums);
    return several<int32_t, 4>{{(int32_t)v.x, (int32_t)v.y, (int32_t)v.z, (int32_t)v.w}};
}
static __device__ __forceinline__ several<int32_t, 2> load_once(const several<int32_t, 2> *sums) {
    const uint2 v = __ldcs((const uint2 *)sums);
    return several<int32_t, 2>{{(int32_t)v.x, (int32_t)v.y}};
}

/* A thread has COLUMNS adjacent columns. PLAIN: alpha = 1, beta = 0, and one part. SMALL: see exact_params. */
template <class E, bool PLAIN, bool SMALL>
static __global__ void __launch_bounds__(THREADS) finish_kernel(const __grid_constant__ exact_params j) {
    typedef typename exact_type<E>::word word;
    enum { PLANES = exact_type<E>::PLANES, COLUMNS = exact_type<E>::COLUMNS };
    const position at = position_of((uint64_t)blockIdx.x * THREADS + threadIdx.x, j.padded_columns / COLUMNS, j.rows);
    const uint64_t column = at.group * COLUMNS, row = at.row, item = at.item;
    wait_for_stream();
    if (item >= j.items || column >= j.columns) return;
    const int32_t *sums = j.sums + (item * PLANES * j.padded_rows + row) * j.padded_columns + column;
    int32_t sum[COLUMNS][PLANES];
#pragma unroll
    for (int r = 0; r < PLANES; r++) {
        const auto *const plane = (const several<int32_t, COLUMNS> *)(sums + r * j.padded_rows * j.padded_columns);
        const several<int32_t, COLUMNS> v = SMALL ? load_once(plane) : *plane;
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

template <class E> static cudaError_t finish(const gpu *g, const exact_params *j) {
    const uint64_t threads = j->padded_columns / exact_type<E>::COLUMNS * j->rows * j->items;
    const uint64_t blocks = div_up(threads, THREADS);
    if (!fits(blocks)) return cudaErrorInvalidConfiguration;
    const bool plain = j->alpha == 1 && j->beta == 0 && j->first && j->last;
    return launch_early(g, j->small,
                        !plain     ? finish_kernel<E, false, false>
                        : j->small ? finish_kernel<E, true, true>
                                   : finish_kernel<E, true, false>,
                        (unsigned)blocks, THREADS, 0, *j);
}

cudaError_t cuda_exact_sums(const gpu *g, uint64_t products, const exact_params *j) {
    const uint64_t blocks = div_up(j->padded_rows, SIDE) * div_up(j->padded_columns, SIDE) * products;
    if (!fits(blocks)) return cudaErrorInvalidConfiguration;
    sums_kernel<<<(unsigned)blocks, THREADS, 0, g->stream>>>(*j);
    return cudaGetLastError();
}

cudaError_t cuda_exact_finish(const gpu *g, weft_dtype dtype, const exact_params *j) { return BY_TYPE(finish, g, j); }
