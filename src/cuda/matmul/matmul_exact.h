/* Exact products (ORDER.md 31) by planes of int8, which are multiplied as matrices with sums in int32. f32, f64: the
 * integers of the factors are reduced modulo pairwise coprime numbers of at most 8 bits, one plane of residues for
 * each, and the Chinese remainder theorem gives the integers of the product (K. Ozaki, Y. Uchino, T. Imamura, 2025:
 * Ozaki scheme II). f16, bf16: the integers of 13 bits are 128 h + l, and the planes are h, l and h + l: three
 * products give the four products of h and l (A. Karatsuba, Yu. Ofman, 1962). */
#ifndef WEFT_CUDA_MATMUL_EXACT_H
#define WEFT_CUDA_MATMUL_EXACT_H

#include "cuda/matmul/matmul_params.h"
#include "cuda/runtime/gpu.h"

enum { EXACT_PLANES_HALF = 3, EXACT_PLANES_F32 = 8, EXACT_PLANES_F64 = 16, EXACT_MODULI_MAX = 16 };
enum { EXACT_LIMBS_MAX = 4 };

/* Maximum number of terms of a part of k: the integers of a part are below half the product of the moduli, and the
 * int32 sums below 2^29 (f16, bf16: 2^16 terms of at most 127^2 are below 2^30). The emulated GPU of the tests uses
 * shorter parts. */
#ifndef EXACT_TERMS_F32
#define EXACT_TERMS_F32 ((uint64_t)1 << 14)
#define EXACT_TERMS_F64 ((uint64_t)1 << 15)
#define EXACT_TERMS_HALF ((uint64_t)1 << 16)
#endif

/* Constants of the moduli. Residues are in [-m / 2, m / 2]. Limbs are the 32-bit words of a number. */
struct exact_moduli {
    float m[EXACT_MODULI_MAX], inverse[EXACT_MODULI_MAX];            /* inverse: 1 / m */
    float power[EXACT_MODULI_MAX][3];                                /* residues of 2^14, 2^28, 2^42 */
    int32_t weight_high[EXACT_MODULI_MAX], weight[EXACT_MODULI_MAX]; /* 2^15 * weight, and the weight: the
                                                                        inverse of (product / m) modulo m */
    uint32_t share[EXACT_MODULI_MAX][EXACT_LIMBS_MAX];               /* product / m */
    uint32_t product[EXACT_LIMBS_MAX], offset[EXACT_LIMBS_MAX];      /* offset: see exact_integer */
};

/* A block of rows and columns of C, for some items of the batch, and one part of k. */
struct exact_params {
    matmul_factor a, b;
    void *c;
    uint64_t ldc, stride_c, m, n, k;
    double alpha, beta;
    uint64_t item, items;            /* the first item and the number of items */
    uint64_t row, rows, padded_rows; /* padded: a multiple of EXACT_PADDING */
    uint64_t column, columns, padded_columns;
    uint64_t term, terms, padded_terms;
    bool first, last;                  /* the part is the first one, or the last one, of k */
    bool whole;                        /* magnitudes and planes are found at once (cuda_exact_lines) */
    bool small;                        /* the sums of the block have at most EXACT_SMALL_SUMS bytes */
    void *magnitudes_a, *magnitudes_b; /* bits of the greatest magnitudes: m and n per item, of all items */
    int8_t *planes_a, *planes_b;       /* by item, plane, row or column, term */
    int32_t *sums;                     /* by item, plane, row, column */
    uint64_t *wide; /* integers of the parts before: three words per element, by word, item, row, column */
    exact_moduli moduli;
};
enum { EXACT_PADDING = 16, EXACT_TERM_PADDING = 32 };
/* Up to this size of the sums in bytes, kernels start early (overlap.cuh), and sums are read as data that is not read
 * again. In larger blocks both make products slower. */
#define EXACT_SMALL_SUMS ((uint64_t)1 << 27)

/* matmul_exact_planes.cu, matmul_exact_kernels.cu: launches. */
cudaError_t cuda_exact_magnitudes(const gpu *g, weft_dtype dtype, const exact_params *j);
/* Splits B, and A if `of_a`. */
cudaError_t cuda_exact_planes(const gpu *g, weft_dtype dtype, const exact_params *j, bool of_a);
/* Returns true if lines of this length fit in shared memory, so that cuda_exact_lines can be called. */
bool cuda_exact_lines_fit(const gpu *g, weft_dtype dtype, uint64_t padded_terms);
/* Finds the magnitudes of B, and of A if `of_a`, and splits them. The lines must be whole: one part of k. */
weft_status cuda_exact_lines(const gpu *g, weft_dtype dtype, const exact_params *j, bool of_a, weft_error *error);
/* Multiplies the planes, `products` pairs of matrices, without a library. */
cudaError_t cuda_exact_sums(const gpu *g, uint64_t products, const exact_params *j);
cudaError_t cuda_exact_finish(const gpu *g, weft_dtype dtype, const exact_params *j);

/* Workspace of a product, and the sizes of the blocks that fit in it. */
struct exact_plan {
    uint64_t items, rows, columns, terms; /* maxima of a block */
    int planes;
    size_t magnitudes_a, magnitudes_b, planes_a, planes_b, sums, wide, library, bytes; /* offsets; total */
};
exact_plan cuda_matmul_exact_plan(const matmul_call *c, size_t limit);

/* Computes the product of arrays in GPU memory. */
weft_status cuda_matmul_exact(gpu *g, const matmul_call *c, const exact_plan *plan, const matmul_factor *a,
                              const matmul_factor *b, void *to, void *workspace, weft_error *error);

#endif
