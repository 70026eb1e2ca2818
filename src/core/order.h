/* The numbers of the canonical order (ORDER.md), shared by the specification and the fast
 * backends. Numbers and index maps only: no arithmetic on data, no tuning. */
#ifndef WEFT_CORE_ORDER_H
#define WEFT_CORE_ORDER_H

#include <stddef.h>

/* A row is one 512-byte load by a warp of f32 or f64: its elements are the lanes. Elements
 * narrower than 4 bytes keep 128 lanes. */
#define WEFT_LANES(element_bytes) ((element_bytes) == 8 ? 64 : 128)
#define WEFT_LANES_MAX 128

/* Rows of a tile. */
#define WEFT_TILE_ROWS 32
#define WEFT_TILE(element_bytes) (WEFT_LANES(element_bytes) * WEFT_TILE_ROWS)

/* A sum of squares outside [NORM2_LOW, NORM2_HIGH] is taken again with the elements multiplied by
 * NORM2_UP (too low) or NORM2_DOWN (too high); both are powers of two, each other's inverse. */
#define WEFT_NORM2_LOW 0x1p-900
#define WEFT_NORM2_HIGH 0x1.fffffffffffffp1023
#define WEFT_NORM2_UP 0x1p600
#define WEFT_NORM2_DOWN 0x1p-600

/* Values of a scan's group, and levels enough for any size_t. */
#define WEFT_SCAN_GROUP 16
#define WEFT_SCAN_LEVELS 17

/* Bins of a histogram: a bin's number, and one more for what lies in none, fit in 32 bits. */
#define WEFT_BINS_MAX (UINT32_MAX - 1)

/* What is looked for in a text: so many patterns, of so many bytes each. */
#define WEFT_PATTERNS_MAX 10000
#define WEFT_PATTERN_BYTES_MAX 256

/* A matrix product is cut along k in parts of a power of two of at least MATMUL_PART terms, where it has at most
 * MATMUL_VALUES values of parts in all; where a factor is a vector, the other two hold. */
#define WEFT_MATMUL_PART 1024
#define WEFT_MATMUL_VALUES 4194304
#define WEFT_MATMUL_VECTOR_PART 256
#define WEFT_MATMUL_VECTOR_VALUES 262144

/* The terms of a part of a product of m x n elements with k terms each, all of them at least 1; k or more where it is
 * not cut. */
static inline size_t weft_matmul_part(size_t m, size_t n, size_t k) {
    const int vector = m == 1 || n == 1;
    const size_t values = vector ? WEFT_MATMUL_VECTOR_VALUES : WEFT_MATMUL_VALUES;
    size_t part = vector ? WEFT_MATMUL_VECTOR_PART : WEFT_MATMUL_PART;
    if (m > values / n) return k;
    while (part < k && (k - 1) / part + 1 > values / (m * n)) part *= 2;
    return part;
}

/* A convolution with at most so many taps is computed term by term, a longer one by the transform, in blocks of
 * WEFT_CONVOLVE_BLOCK points: at least four times the taps, or twice where that still is WEFT_CONVOLVE_LARGE (what
 * a multiprocessor holds), but no more than all `outputs` need. */
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

/* Rows of a chunk of a tridiagonal system, rows that are solved by cyclic reduction, and levels of chunks enough
 * for any size_t. */
#define WEFT_TRIDIAG_CHUNK 16
#define WEFT_TRIDIAG_BASE 32
#define WEFT_TRIDIAG_LEVELS 16

/* A pivot p of a row with diagonal b is lost unless EPSILON |b| + LEAST < |p| < GREATEST; then 1/p is normal. */
#define WEFT_TRIDIAG_EPSILON_F32 0x1p-23f
#define WEFT_TRIDIAG_LEAST_F32 0x1p-126f
#define WEFT_TRIDIAG_GREATEST_F32 0x1p126f
#define WEFT_TRIDIAG_EPSILON_F64 0x1p-52
#define WEFT_TRIDIAG_LEAST_F64 0x1p-1022
#define WEFT_TRIDIAG_GREATEST_F64 0x1p1022

/* Axes of a grid that is stepped in time, and between what lambda lies: no quotient of two overflows in f32. */
#define WEFT_AXES_MAX 3
#define WEFT_HEAT_LAMBDA_LEAST 0x1p-60
#define WEFT_HEAT_LAMBDA_GREATEST 0x1p60

/* The factor of over-relaxation in a cycle of multigrid, where the caller has none. A direction of more than 3 points
 * has on the next grid every other of them and the last. */
#define WEFT_MULTIGRID_OMEGA 1.1875
#define WEFT_MULTIGRID_GRIDS 64
#define WEFT_MULTIGRID_HALVED(n) ((n) > 3 ? (n) / 2 + 1 : (n))

/* A block of Philox has four words of 32 bits; a sample of 8 bytes takes two of them, any other one. A stream has
 * SAMPLES_MAX samples, in blocks whose numbers leave the upper half free: block FURTHER_BLOCKS + i belongs to sample
 * i alone, which draws from it what its own words leave open. */
#define WEFT_BLOCK_WORDS 4
#define WEFT_SAMPLE_WORDS(element_bytes) ((element_bytes) == 8 ? 2 : 1)
#define WEFT_SAMPLES_MAX (UINT64_C(1) << 63)
#define WEFT_FURTHER_BLOCKS (UINT64_C(1) << 63)

/* Numbers of the first blocks of Philox that belong to Sobol points, a block for each coordinate: between the words
 * of samples and what these draw beyond them. Bits of a coordinate, of which the types keep some. */
#define WEFT_SOBOL_BLOCKS (UINT64_C(1) << 62)
#define WEFT_SOBOL_BITS 64

/* Central differences of a price: a number x is moved by x * WEFT_PRICE_BUMP. */
#define WEFT_PRICE_BUMP 0x1p-7

/* What half of a 95 % interval is, in standard errors: the 0.975 quantile of the normal distribution. */
#define WEFT_PRICE_INTERVAL 1.959963984540054

/* The NaN that is stored for every NaN result. */
#define WEFT_NAN_F32 UINT32_C(0x7fc00000)
#define WEFT_NAN_F64 UINT64_C(0x7ff8000000000000)

#endif
