/* Reductions along axes (cpu/reduce_axes.c). */
#ifndef WEFT_CPU_AXES_H
#define WEFT_CPU_AXES_H

#include "cpu/common/columns.h"
#include "cpu/common/planes.h"
#include "cpu/common/reduce_kernel.h"

enum {
    AXES_ROWS = 256, /* most vectors that are reduced by one call of a kernel of segments */
    AXES_ITEM_BYTES = 1 << 18,
    AXES_SCRATCH_BYTES = 1 << 18, /* of the vectors that a thread gathers */
    AXES_PARTS = 16               /* parts for each thread, if there are fewer blocks */
};

/* A call. Exact sums use `exact`, other reductions `r`. */
typedef struct axes {
    cpu_context *ctx;
    const reduce_axes_call *c;
    weft_dtype half;          /* f16 or bf16 if the elements are converted to f32, else WEFT_DEFAULT */
    size_t size, result_size; /* bytes of an element, after the conversion, and of a result */
    int threads;
    reduction r;
    exact_call exact;
    /* Kernel of segments, or NULL. */
    segment_kernel *segments;
    segment_params segment;
    weft_dtype computed;         /* type of the results of the kernels of segments and columns */
    const column_kernel *column; /* or NULL */
    column_products *products;   /* of dot products, if there is a kernel of columns */
    view_dimension outer[WEFT_DIMENSIONS_MAX];
    vectors vectors; /* its outer dimensions are `outer`; the last one is that of the rows or columns */
    /* Second operand of dot products: its vectors have the numbers of `vectors`. */
    vectors factor;
    view_dimension factor_inner[WEFT_DIMENSIONS_MAX], factor_outer[WEFT_DIMENSIONS_MAX];
    uint64_t *offsets; /* multiples of n, for the kernel of segments */
    char *scratch;     /* scratch_bytes for each thread */
    size_t scratch_bytes;
} axes;

/* Copies elements [first, first + n) of vectors v ... v + count - 1 of an operand to rows of `row` bytes at `to`.
 * Converts f16 and bf16 to f32. */
void axes_gather(const axes *j, const vectors *operand, size_t v, size_t count, size_t first, size_t n, char *to,
                 size_t row);

/* Writes the results of vectors v ... v + count - 1. */
void axes_store(const axes *j, size_t v, size_t count, const void *results);

/* Rounds `count` values of type j->computed to the type of the results. */
void axes_round(const axes *j, size_t count, const void *values, void *results);

/* Reduces vectors that a thread reads as rows: in place if `direct`, else gathered. n >= 1. */
weft_status axes_reduce_rows(axes *j, bool direct, weft_error *error);

/* Reduces blocks of vectors, and parts of them if there are few: columns with j->column, or vectors that are gathered
 * tile by tile. n >= 1. */
weft_status axes_reduce_blocks(axes *j, weft_error *error);

#endif
