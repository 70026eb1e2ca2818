/* Reduction kernels by element type. `function` is NULL if there is none. All take one `reduce_params`. */
#ifndef WEFT_CUDA_KERNELS_H
#define WEFT_CUDA_KERNELS_H

#include "weft.h"

/* Algorithm of a kernel. */
typedef enum kernel_kind {
    KERNEL_TREE,      /* reduces by the canonical tree (tree.cuh) */
    KERNEL_UNORDERED, /* reduces vectors of 16 bytes in any order (unordered.cuh) */
    KERNEL_EXACT,     /* sums exactly (exact.cu) */
    KERNEL_SCAN       /* scan (scan_tiles.cuh) */
} kernel_kind;

typedef struct kernel {
    const void *function;
    kernel_kind kind;
    const char *op = NULL;    /* name of the operator's C++ type, used in a formula's kernel (map_text.cu) */
    const char *types = NULL; /* scans only: arguments of that type, which is a template */
} kernel;

#define TREE_KERNEL(...) (kernel{(const void *)tree_kernel<__VA_ARGS__>, KERNEL_TREE, #__VA_ARGS__})
#define UNORDERED_KERNEL(...) (kernel{(const void *)unordered_kernel<__VA_ARGS__>, KERNEL_UNORDERED, #__VA_ARGS__})

/* Canonical tree, sums.cu: sum and product in the type `result` (f32 or f64); sums of |x| in f64. */
kernel cuda_sum_kernel(weft_dtype dtype, weft_dtype result);
kernel cuda_product_kernel(weft_dtype dtype, weft_dtype result);
kernel cuda_magnitudes_kernel(weft_dtype dtype);

/* Canonical tree, variance.cu: sums of (x - *reference)^2, or of x^2 without a reference; sums of (x s)^2 for f64,
 * where s = weft_norm2_scale(*reference) and *reference is the sum of squares. */
kernel cuda_deviations_kernel(weft_dtype dtype);
kernel cuda_rescaled_squares_kernel(void);

/* Unordered, integers.cu: sum and product modulo 2^64, number of nonzero elements, and the bits of 64-bit words
 * combined by WEFT_AND, WEFT_OR or WEFT_XOR. */
kernel cuda_integer_sum_kernel(weft_dtype dtype);
kernel cuda_integer_product_kernel(weft_dtype dtype);
kernel cuda_count_kernel(weft_dtype dtype);
kernel cuda_bits_kernel(weft_op op);

/* Unordered, extremes.cu: the least key (params.mask, params.xor_mask), the index of the first element that has it,
 * and the largest |x| of a signed integer. */
kernel cuda_extreme_kernel(weft_dtype dtype);
kernel cuda_extreme_index_kernel(weft_dtype dtype);
kernel cuda_largest_magnitude_kernel(weft_dtype dtype);

#endif
