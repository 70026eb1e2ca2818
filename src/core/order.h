/* Constants of the canonical order (ORDER.md), shared by the specification and the fast backends. Constants and
 * index maps only: no arithmetic on data, no tuning. */
#ifndef WEFT_CORE_ORDER_H
#define WEFT_CORE_ORDER_H

#include <stddef.h>

/* Lanes per row. A row of f32 or f64 is 512 bytes: one 16-byte load per thread of a warp. Element types narrower
 * than 4 bytes also have 128 lanes. */
#define WEFT_LANES(element_bytes) ((element_bytes) == 8 ? 64 : 128)
#define WEFT_LANES_MAX 128

/* Maximum number of lanes of weft_reduce_lanes (ORDER.md 3.4). */
#define WEFT_REDUCE_LANES_MAX 1024

/* Rows per tile. */
#define WEFT_TILE_ROWS 32
#define WEFT_TILE(element_bytes) (WEFT_LANES(element_bytes) * WEFT_TILE_ROWS)

/* If a sum of squares is outside [NORM2_LOW, NORM2_HIGH], it is computed again with the elements multiplied by
 * NORM2_UP (too low) or NORM2_DOWN (too high). Both are powers of two and inverse to each other. */
#define WEFT_NORM2_LOW 0x1p-900
#define WEFT_NORM2_HIGH 0x1.fffffffffffffp1023
#define WEFT_NORM2_UP 0x1p600
#define WEFT_NORM2_DOWN 0x1p-600

/* Terms of an exact sum, and the value that is computed from the sum (ORDER.md 30). */
typedef enum exact_terms { EXACT_VALUES, EXACT_MAGNITUDES, EXACT_SQUARES, EXACT_PRODUCTS } exact_terms;
typedef enum exact_finish { EXACT_TOTAL, EXACT_MEAN, EXACT_ROOT, EXACT_VARIANCE } exact_finish;

/* State of an exact sum (ORDER.md 30), int64 words. Word i < EXACT_DIGITS has the weight 2^(32 i - EXACT_POINT); the
 * others count terms. Adding two states word by word merges them. A term is a multiple of 2^-2148 and less than
 * 2^2048, and 2^64 terms are less than 2^2112. */
#define WEFT_EXACT_DIGITS 136
#define WEFT_EXACT_POINT 2176
enum {
    EXACT_NANS = WEFT_EXACT_DIGITS, /* terms that are NaN */
    EXACT_PLUS,                     /* terms that are +Inf */
    EXACT_MINUS,                    /* terms that are -Inf */
    EXACT_OTHERS,                   /* not 0 if some term is not -0.0 */
    EXACT_COUNT,                    /* all terms */
    WEFT_EXACT_WORDS
};

/* Elements of a scan group, and the number of levels that suffices for any size_t. */
#define WEFT_SCAN_GROUP 16
#define WEFT_SCAN_LEVELS 17

/* Maximum number of histogram bins: bin numbers, plus one for elements in no bin, fit in 32 bits. */
#define WEFT_BINS_MAX (UINT32_MAX - 1)

/* Maximum number of patterns of weft_match, and maximum bytes of a pattern. */
#define WEFT_PATTERNS_MAX 10000
#define WEFT_PATTERN_BYTES_MAX 256

/* A matrix product is split along k into parts. The part length is the smallest power of two, at least MATMUL_PART,
 * for which all parts together have at most MATMUL_VALUES values. If a factor is a vector, MATMUL_VECTOR_PART and
 * MATMUL_VECTOR_VALUES apply instead. */
#define WEFT_MATMUL_PART 1024
#define WEFT_MATMUL_VALUES 4194304
#define WEFT_MATMUL_VECTOR_PART 256
#define WEFT_MATMUL_VECTOR_VALUES 262144

/* Returns the terms per part of a product of m x n elements with k terms each; m, n, k >= 1. Returns at least k if
 * the product is not split. */
static inline size_t weft_matmul_part(size_t m, size_t n, size_t k) {
    const int vector = m == 1 || n == 1;
    const size_t values = vector ? WEFT_MATMUL_VECTOR_VALUES : WEFT_MATMUL_VALUES;
    size_t part = vector ? WEFT_MATMUL_VECTOR_PART : WEFT_MATMUL_PART;
    if (m > values / n) return k;
    while (part < k && (k - 1) / part + 1 > values / (m * n)) part *= 2;
    return part;
}

/* A convolution with at most CONVOLVE_DIRECT taps is computed term by term, a longer one by FFT in blocks of
 * weft_convolve_block points. A block has at least four times the taps, or at least twice if it has
 * WEFT_CONVOLVE_LARGE points (the capacity of a multiprocessor), but no more than all `outputs` need. */
#define WEFT_CONVOLVE_DIRECT 64
#define WEFT_CONVOLVE_SMALL 1024
#define WEFT_CONVOLVE_LARGE(real_bytes) ((size_t)65536 / (real_bytes))

static inline size_t weft_convolve_block(size_t outputs, size_t taps, size_t real_bytes) {
    const size_t large = WEFT_CONVOLVE_LARGE(real_bytes);
    size_t block = WEFT_CONVOLVE_SMALL;
    while (block / 4 < taps && !(block == large && block / 2 >= taps)) block *= 2;
    while (block / 2 >= outputs) block /= 2;
    return block;
}

/* A two-dimensional convolution with at most CONVOLVE2D_DIRECT taps is computed term by term, others by FFT in blocks
 * of weft_convolve2d_block points along each axis (ORDER.md 15.6). `extended`: values of the array along the axis
 * that the results depend on. */
#define WEFT_CONVOLVE2D_DIRECT 256
#define WEFT_CONVOLVE2D_SMALL 256

static inline size_t weft_convolve2d_block(size_t extended, size_t taps) {
    size_t block = WEFT_CONVOLVE2D_SMALL;
    while (block / 4 < taps) block *= 2;
    while (block / 2 >= extended) block /= 2;
    return block;
}

/* Tridiagonal systems: rows per chunk, maximum rows solved by cyclic reduction, and the number of chunk levels that
 * suffices for any size_t. */
#define WEFT_TRIDIAG_CHUNK 16
#define WEFT_TRIDIAG_BASE 32
#define WEFT_TRIDIAG_LEVELS 16

/* Block-tridiagonal systems: block rows per chunk, maximum block rows that are one chunk, the largest block, and the
 * number of chunk levels that suffices for any size_t. */
#define WEFT_BLOCK_TRIDIAG_CHUNK 8
#define WEFT_BLOCK_TRIDIAG_BASE 32
#define WEFT_BLOCK_TRIDIAG_MAX 4
#define WEFT_BLOCK_TRIDIAG_LEVELS 22

/* A pivot p of a row with diagonal b is lost unless EPSILON |b| + LEAST < |p| < GREATEST. Within these bounds 1/p
 * is a normal number. */
#define WEFT_TRIDIAG_EPSILON_F32 0x1p-23f
#define WEFT_TRIDIAG_LEAST_F32 0x1p-126f
#define WEFT_TRIDIAG_GREATEST_F32 0x1p126f
#define WEFT_TRIDIAG_EPSILON_F64 0x1p-52
#define WEFT_TRIDIAG_LEAST_F64 0x1p-1022
#define WEFT_TRIDIAG_GREATEST_F64 0x1p1022

/* Tridiagonal systems with pivoting: rows per chunk. */
#define WEFT_TRIDIAG_PIVOT_CHUNK 16

/* Columns of an equation of ORDER.md 26, before the right-hand side. Of a run: the unknowns before and at its first
 * row (LEFT), at and after its last row (RIGHT). Of a row that is swept: the unknown that is eliminated and the next
 * two (INNER). Of two adjacent runs: the unknowns of their border (BORDER) and the outer ones (LEFT, FAR). */
enum {
    PIVOT_LEFT_0,
    PIVOT_LEFT_1,
    PIVOT_RIGHT_0,
    PIVOT_RIGHT_1,
    PIVOT_INNER_0 = PIVOT_RIGHT_0,
    PIVOT_INNER_1,
    PIVOT_INNER_2,
    PIVOT_BORDER_0 = PIVOT_RIGHT_0,
    PIVOT_BORDER_1,
    PIVOT_FAR_0,
    PIVOT_FAR_1,
    PIVOT_COLUMNS
};

/* Maximum dimensions of a grid of weft_heat, and the range of lambda: the quotient of two lambdas does not overflow
 * in f32. */
#define WEFT_AXES_MAX 3
#define WEFT_HEAT_LAMBDA_LEAST 0x1p-60
#define WEFT_HEAT_LAMBDA_GREATEST 0x1p60

/* Multigrid: default over-relaxation factor of a cycle, maximum number of grids, and number of points on the next
 * grid. A direction of more than 3 points keeps every other point and the last one. */
#define WEFT_MULTIGRID_OMEGA 1.1875
#define WEFT_MULTIGRID_GRIDS 64
#define WEFT_MULTIGRID_HALVED(n) ((n) > 3 ? (n) / 2 + 1 : (n))

/* A Philox block has four 32-bit words; an 8-byte sample uses two words, any other sample one. A stream has
 * SAMPLES_MAX samples, whose blocks use the lower half of the block numbers. Block FURTHER_BLOCKS + i belongs to
 * sample i alone, for further words when its own do not suffice. */
#define WEFT_BLOCK_WORDS 4
#define WEFT_SAMPLE_WORDS(element_bytes) ((element_bytes) == 8 ? 2 : 1)
#define WEFT_SAMPLES_MAX (UINT64_C(1) << 63)
#define WEFT_FURTHER_BLOCKS (UINT64_C(1) << 63)

/* Rounds of Philox4x32 for normal_fast and lognormal_fast. All other words are those of Philox4x32-10. */
#define WEFT_FAST_ROUNDS 7

/* First Philox block number used for Sobol points, one block per coordinate; between the blocks of samples and
 * FURTHER_BLOCKS. SOBOL_BITS: bits of a coordinate before its conversion to the result type. */
#define WEFT_SOBOL_BLOCKS (UINT64_C(1) << 62)
#define WEFT_SOBOL_BITS 64

/* Relative step of the central differences of a price: a number x is changed by x * WEFT_PRICE_BUMP. */
#define WEFT_PRICE_BUMP 0x1p-7

/* Half width of a 95 % confidence interval in standard errors: the 0.975 quantile of the normal distribution. */
#define WEFT_PRICE_INTERVAL 1.959963984540054

/* Bit pattern that is stored for every NaN result. */
#define WEFT_NAN_F16 UINT16_C(0x7e00)
#define WEFT_NAN_BF16 UINT16_C(0x7fc0)
#define WEFT_NAN_F32 UINT32_C(0x7fc00000)
#define WEFT_NAN_F64 UINT64_C(0x7ff8000000000000)

#endif
