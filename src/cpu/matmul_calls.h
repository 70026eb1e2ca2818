/* What the kernels of matrix products are given and give. */
#ifndef WEFT_CPU_MATMUL_CALLS_H
#define WEFT_CPU_MATMUL_CALLS_H

#include <stdbool.h>
#include <stddef.h>

/* Takes `terms` terms of a tile's chains. Term t has its rows' elements at a + t * step_a and its columns' at
 * b + t * step_b; the sums stand row by row, and are taken as +0 if `first`. */
typedef void matmul_chains(size_t terms, const void *a, size_t step_a, const void *b, size_t step_b, bool first,
                           void *sums);

typedef struct matmul_shape {
    size_t rows, columns;
    matmul_chains *run;
} matmul_shape;

/* For a type of elements and one of chains. */
typedef struct matmul_kernel {
    size_t bytes;            /* of a value of a chain */
    size_t slack;            /* bytes that pack may write behind what it was given */
    matmul_shape tile, tall; /* tall: a product with a vector */
    /* Brings `lanes` rows of A or columns of B to panels of `width`. across: a term's lanes lie side by side, and
     * terms are ld apart; else a lane's terms do, and lanes are ld apart. */
    void (*pack)(const void *from, size_t ld, bool across, size_t lanes, size_t terms, void *to, size_t width);
    void (*join)(size_t n, void *sums, const void *others);
    void (*finish)(double alpha, double beta, size_t rows, size_t columns, const void *sums, size_t ld, void *c,
                   size_t ldc);
    void (*scale)(double beta, size_t columns, void *c);
} matmul_kernel;

typedef struct matmul_kernels {
    matmul_kernel f32, f32_in_f64, f64;
} matmul_kernels;

#endif
