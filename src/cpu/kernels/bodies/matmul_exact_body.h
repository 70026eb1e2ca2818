/* Kernels of exact matrix products (ORDER.md 31). The integers of 31.1 are f64 values. A sum of their products is
 * exact as long as it is below 2^53, in any order and with or without fused multiply-adds.
 *
 * f32: an integer has 24 bits, a product 48. A chain of 31 products and a rest of at most 2^39 stays below 2^53. Then
 * the nearest multiple of 2^40 moves to a second sum, whose multiples of 2^40 stay exact up to 2^93.
 * f16, bf16: an integer has 13 bits. The sums are those of f32.
 * f64: an integer is cut into three signed digits to base 2^18, the highest first. Products of digits are below
 * 2^35, and those of equal weight are added to one of five sums. After at most 2^15 terms the sums are reduced to
 * digits to base 2^18, and what exceeds the fifth moves to a sixth. */

#include "cpu/kernels/bodies/matmul_exact_parts.h"

/* Sums per element: for f32 the chain and its multiples of 2^40; for f64 the weights 2^0, 2^18, 2^36, 2^54, 2^72,
 * 2^108. */
enum {
    EXACT_SUMS_F32 = 2,
    EXACT_SUMS_F64 = 6,
    EXACT_DIGITS = 3,
    EXACT_CHAIN = 31,
    EXACT_TERMS = 1 << 15,
    CHAIN_LOG = 40
};

#if defined(__AVX512F__) || defined(__aarch64__)
enum { EXACT_ROWS = 4 }; /* 5 x 4 sums, and 3 digits of B, in 32 registers */
#else
enum { EXACT_ROWS = 2 }; /* 5 x 2 sums, and 3 digits of B, in 16 registers */
#endif
enum { TILE_COLUMNS = TILE_VECTORS * EXACT_WIDTH };

INLINE vector_f64 nearest_multiples(vector_f64 x, int log) {
    const double large = 0x3p51 * weft_power_of_two(log);
    return (x + large) - large;
}

FIND_EXPONENTS(f16, uint16_t)
FIND_EXPONENTS(bf16, uint16_t)
FIND_EXPONENTS(f32, uint32_t)
FIND_EXPONENTS(f64, uint64_t)

enum { EXACT_WIDEST = (int)TILE_ROWS > (int)TILE_COLUMNS ? TILE_ROWS : TILE_COLUMNS };

/* Replaces the elements of a panel, which have the exponents of f32, by their integers. */
INLINE void round_panel(const int *exponents, size_t lanes, size_t width, int digits, size_t terms, double *panel) {
    double first[EXACT_WIDEST], second[EXACT_WIDEST];
    find_factors(exponents, lanes, width, digits, first, second);
    for (size_t i = 0; i < width; i++) first[i] *= second[i];
    for (size_t t = 0; t < terms; t++)
        for (size_t i = 0; i < width; i++)
            panel[t * width + i] = nearest_multiple(panel[t * width + i] * first[i], 0);
}

static void matmul_pack_exact_f32(const void *from, size_t ld, bool across, bool of_a, const int *exponents,
                                  size_t lanes, size_t terms, void *to, size_t width) {
    double *panel = to;
    (void)of_a;
    for (size_t l = 0; l < lanes; l += width, panel += width * terms) {
        const size_t left = lanes - l < width ? lanes - l : width;
        matmul_pack_f32_in_f64(exact_lane(from, sizeof(float), ld, across, l), ld, across, left, terms, panel, width);
        round_panel(exponents + l, left, width, 24, terms, panel);
    }
}

/* Packs 16-bit elements through a buffer of f32, HALF_TERMS terms at a time. */
#define PACK_EXACT_HALF(name)                                                                                       \
    static void matmul_pack_exact_##name(const void *from, size_t ld, bool across, bool of_a, const int *exponents, \
                                         size_t lanes, size_t terms, void *to, size_t width) {                      \
        enum { HALF_TERMS = 64 };                                                                                   \
        float buffer[EXACT_WIDEST * HALF_TERMS];                                                                    \
        double *panel = to;                                                                                         \
        (void)of_a;                                                                                                 \
        for (size_t l = 0; l < lanes; l += width, panel += width * terms) {                                         \
            const size_t left = lanes - l < width ? lanes - l : width;                                              \
            const uint16_t *x = (const uint16_t *)from + (across ? l : l * ld);                                     \
            for (size_t t = 0; t < terms; t += HALF_TERMS) {                                                        \
                const size_t count = terms - t < HALF_TERMS ? terms - t : HALF_TERMS;                               \
                const size_t runs = across ? count : left, length = across ? left : count;                          \
                const uint16_t *at = x + (across ? t * ld : t);                                                     \
                for (size_t i = 0; i < runs; i++)                                                                   \
                    for (size_t k = 0; k < length; k++)                                                             \
                        buffer[i * length + k] = weft_from_bits_##name(at[i * ld + k]);                             \
                matmul_pack_f32_in_f64(buffer, length, across, left, count, panel + t * width, width);              \
            }                                                                                                       \
            round_panel(exponents + l, left, width, 13, terms, panel);                                              \
        }                                                                                                           \
    }
PACK_EXACT_HALF(f16)
PACK_EXACT_HALF(bf16)

/* Packs the elements of a panel at its end, and then replaces them by their digits from its start on. */
static void matmul_pack_exact_f64(const void *from, size_t ld, bool across, bool of_a, const int *exponents,
                                  size_t lanes, size_t terms, void *to, size_t width) {
    double first[EXACT_WIDEST], second[EXACT_WIDEST], value[EXACT_WIDEST], *panel = to;
    (void)of_a;
    for (size_t l = 0; l < lanes; l += width, panel += EXACT_DIGITS * width * terms) {
        const size_t left = lanes - l < width ? lanes - l : width;
        double *elements = panel + (EXACT_DIGITS - 1) * width * terms;
        matmul_pack_f64(exact_lane(from, sizeof(double), ld, across, l), ld, across, left, terms, elements, width);
        find_factors(exponents + l, left, width, 53, first, second);
        for (size_t t = 0; t < terms; t++) {
            double *digits = panel + EXACT_DIGITS * width * t;
            memcpy(value, elements + t * width, width * sizeof *value);
            for (size_t i = 0; i < width; i++) {
                const double v = value[i] * first[i] * second[i], high = nearest_multiple(v, 36);
                const double middle = nearest_multiple(v - high, 18);
                digits[i] = high * 0x1p-36;
                digits[width + i] = middle * 0x1p-18;
                digits[2 * width + i] = nearest_multiple(v - high - middle, 0);
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------- tiles */

/* Adds x to the values at p. */
INLINE void add_to(double *p, vector_f64 x) {
    vector_f64 sum;
    memcpy(&sum, p, sizeof sum);
    sum += x;
    memcpy(p, &sum, sizeof sum);
}

/* The chains of a tile, which stay in registers, are followed by their multiples of 2^40. */
static void matmul_exact_tile_f32(size_t terms, const void *a, const void *b, bool first, void *sums,
                                  const void *next) {
    const double *x = a;
    const double *y = b;
    double *const chains = sums;
    vector_f64 s[TILE_ROWS][TILE_VECTORS];
    (void)next;
    if (first) memset(sums, 0, EXACT_SUMS_F32 * TILE_ROWS * TILE_COLUMNS * sizeof *chains);
#pragma GCC unroll 16
    for (size_t i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 4
        for (size_t j = 0; j < TILE_VECTORS; j++)
            memcpy(&s[i][j], chains + (i * TILE_VECTORS + j) * EXACT_WIDTH, sizeof s[i][j]);
    while (terms > 0) {
        size_t count = terms < EXACT_CHAIN ? terms : EXACT_CHAIN;
        terms -= count;
        for (; count > 0; count--, x += TILE_ROWS, y += TILE_COLUMNS) {
            vector_f64 v[TILE_VECTORS];
#pragma GCC unroll 4
            for (size_t j = 0; j < TILE_VECTORS; j++) memcpy(&v[j], y + j * EXACT_WIDTH, sizeof v[j]);
#pragma GCC unroll 16
            for (size_t i = 0; i < TILE_ROWS; i++) {
                const vector_f64 u = hidden_f64(x)[i] - (vector_f64){0};
#pragma GCC unroll 4
                for (size_t j = 0; j < TILE_VECTORS; j++) s[i][j] = exact_term(u, v[j], s[i][j]);
            }
        }
        double *at = chains + TILE_ROWS * TILE_COLUMNS;
        __asm__("" : "+r"(at)); /* the multiples do not stay in registers */
#pragma GCC unroll 16
        for (size_t i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 4
            for (size_t j = 0; j < TILE_VECTORS; j++, at += EXACT_WIDTH) {
                const vector_f64 moved = nearest_multiples(s[i][j], 40);
                s[i][j] -= moved;
                add_to(at, moved);
            }
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 4
        for (size_t j = 0; j < TILE_VECTORS; j++)
            memcpy(chains + (i * TILE_VECTORS + j) * EXACT_WIDTH, &s[i][j], sizeof s[i][j]);
}

/* Reduces sums to digits. at[w] is the sum of weight w of one vector of elements; sums are `plane` values apart. */
INLINE void exact_reduce(vector_f64 *s, double *at, size_t plane) {
    static const int bits[] = {18, 18, 18, 18, 36};
    vector_f64 highest;
    memcpy(&highest, at + 5 * plane, sizeof highest);
#pragma GCC unroll 5
    for (size_t w = 0; w < 5; w++) {
        const vector_f64 moved = nearest_multiples(s[w], bits[w]);
        vector_f64 *const next = w < 4 ? &s[w + 1] : &highest;
        s[w] -= moved;
        *next += moved * weft_power_of_two(-bits[w]);
        memcpy(at + w * plane, &s[w], sizeof s[w]);
    }
    memcpy(at + 5 * plane, &highest, sizeof highest);
}

/* The tile consists of six sums per element, each with rows of one vector. A packed term has three digits for each
 * lane. */
static void matmul_exact_tile_f64(size_t terms, const void *a, const void *b, bool first, void *sums,
                                  const void *next) {
    enum { PLANE = EXACT_ROWS * EXACT_WIDTH };
    const double *x = a;
    const double *y = b;
    (void)next;
    double *const at = sums;
    if (first) memset(sums, 0, EXACT_SUMS_F64 * PLANE * sizeof *at);
    for (size_t left = terms; left > 0;) {
        vector_f64 s[EXACT_ROWS][5];
        size_t count = left < EXACT_TERMS ? left : EXACT_TERMS;
        left -= count;
#pragma GCC unroll 4
        for (size_t i = 0; i < EXACT_ROWS; i++)
#pragma GCC unroll 5
            for (size_t w = 0; w < 5; w++) memcpy(&s[i][w], at + w * PLANE + i * EXACT_WIDTH, sizeof s[i][w]);
        for (; count > 0; count--, x += EXACT_DIGITS * EXACT_ROWS, y += EXACT_DIGITS * EXACT_WIDTH) {
            vector_f64 v[EXACT_DIGITS];
#pragma GCC unroll 3
            for (size_t d = 0; d < EXACT_DIGITS; d++) memcpy(&v[d], y + d * EXACT_WIDTH, sizeof v[d]);
#pragma GCC unroll 4
            for (size_t i = 0; i < EXACT_ROWS; i++)
#pragma GCC unroll 3
                for (size_t d = 0; d < EXACT_DIGITS; d++) {
                    const vector_f64 u = hidden_f64(x)[d * EXACT_ROWS + i] - (vector_f64){0};
#pragma GCC unroll 3
                    for (size_t e = 0; e < EXACT_DIGITS; e++) s[i][4 - d - e] = exact_term(u, v[e], s[i][4 - d - e]);
                }
        }
#pragma GCC unroll 4
        for (size_t i = 0; i < EXACT_ROWS; i++) exact_reduce(s[i], at + i * EXACT_WIDTH, PLANE);
    }
}

/* ----------------------------------------------------------------------------------------- the end */

static void matmul_finish_exact_f32(double alpha, double beta, const int *row_exponents, const int *column_exponents,
                                    size_t rows, size_t columns, const void *sums, void *c, size_t ldc) {
    const double *chain = sums, *multiple = chain + TILE_ROWS * TILE_COLUMNS;
    float *to = c;
    for (size_t i = 0; i < rows; i++, chain += TILE_COLUMNS, multiple += TILE_COLUMNS, to += ldc)
        if (row_exponents[i] != WEFT_EXACT_SPECIAL)
            exact_finish_row_f32(alpha, beta, row_exponents[i], column_exponents, columns, TILE_COLUMNS, chain,
                                 multiple, CHAIN_LOG, to);
}

/* digits: those of the type of C, f16 or bf16. */
INLINE void finish_exact_half(double alpha, double beta, const int *row_exponents, const int *column_exponents,
                              size_t rows, size_t columns, const double *chain, uint16_t *to, size_t ldc,
                              int digits) {
    const double *multiple = chain + TILE_ROWS * TILE_COLUMNS;
    for (size_t i = 0; i < rows; i++, chain += TILE_COLUMNS, multiple += TILE_COLUMNS, to += ldc)
        for (size_t j = 0; j < columns; j++) {
            if (row_exponents[i] == WEFT_EXACT_SPECIAL || column_exponents[j] == WEFT_EXACT_SPECIAL) continue;
            const int exponent = row_exponents[i] + column_exponents[j] - 26;
            if (alpha == 1 && beta == 0) {
                const double value = weft_sum_to_odd(multiple[j], chain[j]) * weft_power_of_two(exponent);
                to[j] = weft_half_bits(value, digits);
                continue;
            }
            const double before = beta == 0      ? 0
                                  : digits == 11 ? (double)weft_from_bits_f16(to[j])
                                                 : (double)weft_from_bits_bf16(to[j]);
            weft_exact x = chain_integer(chain[j], multiple[j], CHAIN_LOG, exponent);
            to[j] = (uint16_t)exact_element(alpha, beta, &x, before, digits);
        }
}

/* ORDER.md 31.3 without terms: beta * c, which is exact in f64, is rounded once. */
#define FINISH_HALF(name, digits)                                                                             \
    static void matmul_finish_exact_##name(double alpha, double beta, const int *row_exponents,               \
                                           const int *column_exponents, size_t rows, size_t columns,          \
                                           const void *sums, void *c, size_t ldc) {                           \
        finish_exact_half(alpha, beta, row_exponents, column_exponents, rows, columns, sums, c, ldc, digits); \
    }                                                                                                         \
    static void matmul_scale_##name(double beta, size_t columns, void *c) {                                   \
        uint16_t *to = c;                                                                                     \
        for (size_t j = 0; j < columns; j++)                                                                  \
            to[j] = beta == 0 ? 0 : weft_half_bits(beta * (double)weft_from_bits_##name(to[j]), digits);      \
    }
FINISH_HALF(f16, 11)
FINISH_HALF(bf16, 8)

static void matmul_finish_exact_f64(double alpha, double beta, const int *row_exponents, const int *column_exponents,
                                    size_t rows, size_t columns, const void *sums, void *c, size_t ldc) {
    static const unsigned shifts[] = {0, 18, 36, 54, 72, 108};
    const double *at = sums;
    double *to = c;
    for (size_t i = 0; i < rows; i++, at += EXACT_WIDTH, to += ldc)
        for (size_t j = 0; j < columns; j++) {
            if (row_exponents[i] == WEFT_EXACT_SPECIAL || column_exponents[j] == WEFT_EXACT_SPECIAL) continue;
            weft_exact x = exact_integer(at + j, (size_t)EXACT_ROWS * EXACT_WIDTH, EXACT_SUMS_F64, shifts);
            x.exponent = row_exponents[i] + column_exponents[j] - 106;
            to[j] = weft_from_bits_f64(alpha == 1 && beta == 0
                                           ? weft_exact_bits(&x, 53)
                                           : exact_element(alpha, beta, &x, beta == 0 ? 0 : to[j], 53));
        }
}
