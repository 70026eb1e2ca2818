/* Parameters of the kernels that reduce many vectors. Nothing here affects a result, except the finish of `j`. */
#ifndef WEFT_CUDA_AXES_PARAMS_H
#define WEFT_CUDA_AXES_PARAMS_H

#include "cuda/copy_view/device_views.h"

#define AXES_THREADS 256
#define FOLD_THREADS 512
#define AXES_TILES 4
#define VARIANCE_BATCH 2 /* variances: packs of a vector that a thread holds */
/* Adjacent elements of `size` bytes that a thread loads from a contiguous vector, and threads that take a tile of it.
 */
#define AXES_OWN(size) ((size) == 2 ? 8 : WEFT_LANES(size) / 32)
#define AXES_TILE_THREADS(size) (WEFT_LANES(size) / AXES_OWN(size))

struct axes_params {
    /* The operator's parameters and the finish. `reference` and `keep` point to values of vector 0; `out` is not NULL
     * if results are stored. x and y are not used. f16 and bf16 elements are f32 to it. */
    reduce_params j;
    uint32_t digits; /* of the f16 or bf16 to which results of type j.result are rounded, or 0 */
    const char *x;
    char *y;
    uint64_t n, tiles;       /* of a vector */
    int64_t stride;          /* bytes between adjacent elements of a vector */
    uint64_t vectors, packs; /* a pack is V adjacent vectors, for each of which a thread computes */
    uint32_t pack;           /* V */
    int64_t y_apart;         /* bytes between the results of a pack */
    view_dims outer;         /* of packs */
    uint32_t columns_log2, slots_log2, sequences; /* reduce_axes.cuh */
    uint64_t column_blocks;                       /* 2^columns_log2 packs each */
    uint32_t threads;                             /* of a block */
    uint64_t blocks;
    /* Rows: 2^slots_log2 threads take a tile. If run.n is not 0, a vector is divided into runs of so many packs of
     * elements, which are run_stride bytes apart. */
    view_length run;
    int64_t run_stride;
    /* Second operand of products: its first element, and the distances of its elements as those of x. factor_repeats:
     * the vectors of a pack have the same elements. */
    const char *factor;
    int64_t factor_stride, factor_run_stride;
    view_dims factor_outer;
    bool factor_repeats;
    void *partials;             /* values of tiles: [tile][vector] */
    uint32_t fold_log2;         /* fold_kernel: a thread combines 2^fold_log2 tiles */
    uint32_t fold_columns_log2; /* fold_kernel: vectors of a block */
};

typedef void (*axes_function)(axes_params);

/* The kernels of one operator and its types. */
struct axes_launch {
    axes_function vectors, packs; /* packs: NULL, or for packs of `pack` vectors */
    /* Contiguous vectors, loaded in packs of `own` elements: a group of threads takes a tile, or AXES_TILES vectors
     * of one tile. NULL if there are none. */
    axes_function tile_rows, short_rows;
    axes_function fold;
    uint32_t pack, lanes, own, value_bytes; /* lanes: of a sequence */
};

/* axes_sums.cu: in the type `accumulate`; sums of magnitudes in f64. */
axes_launch cuda_axes_sum(weft_dtype dtype, weft_dtype accumulate);
axes_launch cuda_axes_product(weft_dtype dtype, weft_dtype accumulate);
axes_launch cuda_axes_magnitudes(weft_dtype dtype);
/* axes_dots.cu: sums of products in the type `accumulate`, or modulo 2^64. */
axes_launch cuda_axes_dot(weft_dtype dtype, weft_dtype accumulate);
/* axes_deviations.cu: sums of (x - reference)^2, or of x^2 without a reference; sums of (x s)^2 of f64, where s is
 * weft_norm2_scale(reference). */
axes_launch cuda_axes_deviations(weft_dtype dtype);
axes_launch cuda_axes_rescaled_squares(void);
/* Variances of contiguous vectors of at most AXES_TILE_THREADS x VARIANCE_BATCH packs. Only short_rows is set. */
axes_launch cuda_axes_variance(weft_dtype dtype);
/* axes_integers.cu: modulo 2^64; number of nonzero elements; bits after an XOR with j.xor_mask. */
axes_launch cuda_axes_integer_sum(weft_dtype dtype);
axes_launch cuda_axes_integer_product(weft_dtype dtype);
axes_launch cuda_axes_count(weft_dtype dtype);
axes_launch cuda_axes_or(weft_dtype dtype);
axes_launch cuda_axes_xor(weft_dtype dtype);
/* axes_extremes.cu: the least key, the index of the first element that has it, the largest |x| of signed integers,
 * f16 and bf16. */
axes_launch cuda_axes_extreme(weft_dtype dtype);
axes_launch cuda_axes_extreme_index(weft_dtype dtype);
axes_launch cuda_axes_largest_magnitude(weft_dtype dtype);

#endif
