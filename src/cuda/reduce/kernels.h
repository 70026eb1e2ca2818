/* The kernels, each for a type of elements; NULL where there is none. All take one `job`. */
#ifndef WEFT_CUDA_KERNELS_H
#define WEFT_CUDA_KERNELS_H

#include "weft.h"

/* What a kernel does with elements, tile by tile. */
typedef enum kernel_kind {
    KERNEL_TREE, /* folds them in the canonical tree (tree.cuh) */
    KERNEL_FREE, /* folds vectors of 16 bytes in any order (free.cuh) */
    KERNEL_SCAN  /* (scan_tiles.cuh) */
} kernel_kind;

typedef struct kernel {
    const void *function;
    kernel_kind kind;
    const char *op = NULL;    /* the operator's type, as a formula's kernel names it (map_text.cu) */
    const char *types = NULL; /* of a scan: the arguments of that type, which is a template */
} kernel;

#define TREE_KERNEL(...) (kernel{(const void *)tree_kernel<__VA_ARGS__>, KERNEL_TREE, #__VA_ARGS__})
#define FREE_KERNEL(...) (kernel{(const void *)free_kernel<__VA_ARGS__>, KERNEL_FREE, #__VA_ARGS__})

/* Canonical tree, sums.cu: sum and product in the type `result` (f32 or f64); sums of |x| in f64. */
kernel cuda_sum_kernel(weft_dtype dtype, weft_dtype result);
kernel cuda_product_kernel(weft_dtype dtype, weft_dtype result);
kernel cuda_magnitudes_kernel(weft_dtype dtype);

/* Canonical tree, variance.cu: sums of (x - *reference)^2, or of x^2 with no reference; sums of
 * (x s)^2 for f64, where s is the scale that the sum of squares *reference asks for. */
kernel cuda_deviations_kernel(weft_dtype dtype);
kernel cuda_rescaled_squares_kernel(void);

/* Free order, integers.cu: sum and product modulo 2^64, number of elements that are not zero, and
 * the bits of 64-bit words joined by WEFT_AND, WEFT_OR or WEFT_XOR. */
kernel cuda_integer_sum_kernel(weft_dtype dtype);
kernel cuda_integer_product_kernel(weft_dtype dtype);
kernel cuda_count_kernel(weft_dtype dtype);
kernel cuda_bits_kernel(weft_op op);

/* Free order, extremes.cu: the least key (job.mask, job.flip), its place, the largest |x| of a signed
 * integer. */
kernel cuda_extreme_kernel(weft_dtype dtype);
kernel cuda_place_kernel(weft_dtype dtype);
kernel cuda_largest_magnitude_kernel(weft_dtype dtype);

#endif
