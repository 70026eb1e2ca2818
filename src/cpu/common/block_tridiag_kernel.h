/* Interface of the kernels of weft_block_tridiag and weft_pentadiag. They operate on vectors whose lanes are systems,
 * or chunks of one system. Rows are block rows. */
#ifndef WEFT_CPU_BLOCK_TRIDIAG_KERNEL_H
#define WEFT_CPU_BLOCK_TRIDIAG_KERNEL_H

#include "cpu/common/tridiag_kernel.h"

enum {
    BLOCK_SIZES = WEFT_BLOCK_TRIDIAG_MAX - 1,
    BLOCK_ALONE_BYTES = 1 << 18 /* bytes of L, C and D of the longest system that is solved without reduction */
};

/* Returns the values per row of a, b, c and d, and of L, C and D. */
static inline size_t block_row_values(size_t block) { return 3 * block * block + block; }
static inline size_t block_solved_values(size_t block) { return 2 * block * block + block; }

/* Corresponding rows of several lanes. Value v of element i of lane l is at p[i * step + l * line + v], in values.
 * The elements are blocks or, if `pentadiagonal`, scalars: two for each row. */
typedef struct block_lanes {
    size_t count, rows; /* number of lanes, at most `width`; rows per lane */
    bool pentadiagonal;
    bool odd; /* pentadiagonal: the last row of the system, which has position.n rows, contains one element */
    weft_lines e, a, b, c, f, d;
    size_t without_a; /* number of lanes, from the first one on, whose first row has a = 0 */
    void *workspace;  /* for solve: block_workspace values for each lane of a vector, aligned to 64 bytes */
    tridiag_position position;
} block_lanes;

/* Results of the reduction of chunks, one block (or vector, for d) per chunk in each array. a, b, c, d: row of the
 * separator. first_l, first_c, first_d: first row of the chunk in terms of separators. */
typedef struct block_reduced {
    void *a, *b, *c, *d, *first_l, *first_c, *first_d;
} block_reduced;

/* Kernels for one type and size of block. */
typedef struct block_kernel {
    size_t width; /* lanes per vector */
    /* Solves systems of at most block_alone rows, one per lane. x has the layout of d. */
    void (*solve)(const block_lanes *in, bool periodic, void *x);
    /* Reduces chunks, one per lane. If the lanes are chunks of one system, completes all separators but the last. */
    void (*reduce)(const block_lanes *in, const block_reduced *out);
    /* Completes `count` separators with the first rows of the chunks that follow them. */
    void (*link)(size_t count, const block_reduced *separators, const block_reduced *next);
    /* Solves chunks, given x of the separator before each chunk (`before`) and of its own (`own`). */
    void (*expand)(const block_lanes *in, const void *before, const void *own, void *x);
} block_kernel;

typedef struct block_kernels {
    block_kernel f32[BLOCK_SIZES], f64[BLOCK_SIZES]; /* by block - 2 */
} block_kernels;

/* Returns the most rows of a system that is solved without reduction; at least WEFT_BLOCK_TRIDIAG_BASE. */
static inline size_t block_alone(size_t block, size_t width, size_t size) {
    const size_t most = (size_t)WEFT_BLOCK_TRIDIAG_CHUNK * WEFT_BLOCK_TRIDIAG_BASE;
    const size_t fit = BLOCK_ALONE_BYTES / (block_solved_values(block) * width * size);
    return fit < most ? fit : most;
}

/* Returns the values per lane of the workspace of `solve` for systems of n rows. */
static inline size_t block_workspace(size_t block, size_t n) {
    return WEFT_BLOCK_TRIDIAG_BASE * block_row_values(block) +
           (n > WEFT_BLOCK_TRIDIAG_BASE ? n : 0) * block_solved_values(block);
}

#endif
