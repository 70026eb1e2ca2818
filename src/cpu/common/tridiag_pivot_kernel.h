/* Interface of the kernels of weft_tridiag_pivot (ORDER.md 26). The lanes of a vector are systems, or chunks of one
 * system. */
#ifndef WEFT_CPU_TRIDIAG_PIVOT_KERNEL_H
#define WEFT_CPU_TRIDIAG_PIVOT_KERNEL_H

#include "cpu/common/tridiag_kernel.h"

enum {
    TRIDIAG_RUN_VALUES = 10,    /* two equations: four coefficients and the right-hand side */
    TRIDIAG_BORDER_VALUES = 13, /* two pivot equations, one of seven values and one of six */
    TRIDIAG_PAIR_VALUES = 2     /* x before and after a border */
};

/* A tree of runs of one system, or of one system per lane. Each array contains one value after the other, `stride`
 * elements apart. A value has `lanes` elements per run. */
typedef struct tridiag_tree {
    size_t runs, lanes; /* lanes: 1 or the width of a vector */
    size_t stride;      /* at least runs * lanes + 2 vectors */
    void *run;          /* TRIDIAG_RUN_VALUES; those of the chunks are overwritten by those of the levels above */
    void *border;       /* TRIDIAG_BORDER_VALUES, level after level */
    void *pairs[2];     /* TRIDIAG_PAIR_VALUES of the borders before, between and after runs, for two levels */
    /* Position for fault reports: number of the first chunk; chunks per run; rows of a system; number of the first
     * system; systems (lanes that are used) */
    size_t first_chunk, chunks, n, first_system, systems;
    _Atomic uint64_t *faults;
} tridiag_tree;

/* Consecutive rows of a system, or of the systems of all lanes: whole chunks. */
typedef struct tridiag_block {
    weft_lines a, b, c, d;
    void *x; /* in the layout of d */
    size_t first_row, rows;
    bool begins, ends; /* a of the first row, or c of the last row, is taken as 0 */
} tridiag_block;

typedef struct tridiag_pivot_kernel {
    size_t width; /* lanes per vector */
    /* Reduces the chunks of a block to the run 0 of the tree, which has one run per chunk. */
    void (*reduce)(const tridiag_block *in, const tridiag_tree *tree);
    /* Combines all runs of a tree to run 0. */
    void (*combine)(const tridiag_tree *tree);
    /* Computes x of the first and of the last row from run 0, and the pairs of the first and of the last border. */
    void (*solve)(const tridiag_tree *tree, bool periodic);
    /* Computes the pairs of all borders, from those of the first and of the last one. */
    void (*substitute)(const tridiag_tree *tree);
    /* Computes x of a block that was reduced, from the pairs of its first and of its last border. */
    void (*expand)(const tridiag_block *in, const tridiag_tree *tree);
    /* Solves systems of one row. */
    void (*solve_row)(const tridiag_block *in, const tridiag_tree *tree);
} tridiag_pivot_kernel;

typedef struct tridiag_pivot_kernels {
    tridiag_pivot_kernel f32, f64;
} tridiag_pivot_kernels;

/* Returns the number of levels of a tree above its runs. */
static inline size_t tridiag_tree_levels(size_t runs) {
    size_t levels = 0;
    for (; runs > 1; runs -= runs / 2) levels++;
    return levels;
}

/* Returns the array of pairs of a level, 0 for the runs. The first and the last pair of the last level, and the pairs
 * of level 0, are those that the kernels exchange with their caller. */
static inline void *tridiag_pairs(const tridiag_tree *tree, size_t level) { return tree->pairs[level % 2]; }

/* Returns the first row of a chunk: a last chunk of one row has one more. */
static inline size_t tridiag_pivot_first_row(size_t n, size_t chunk) {
    const size_t first = chunk * WEFT_TRIDIAG_PIVOT_CHUNK;
    return first + 1 == n && first ? first - 1 : first;
}

#endif
