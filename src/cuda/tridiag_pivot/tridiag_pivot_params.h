/* Parameters of one launch of a kernel of weft_tridiag_pivot, and the geometry of such launches. */
#ifndef WEFT_CUDA_TRIDIAG_PIVOT_PARAMS_H
#define WEFT_CUDA_TRIDIAG_PIVOT_PARAMS_H

#include "cuda/tridiag/tridiag_params.h"

/* Tuning parameters. THREADS: maximum threads of a block, and the runs of a block that has a part of a system; a
 * power of two. SIDE: systems of a block that has parts of systems whose rows are not adjacent; a power of two. */
#define TRIDIAG_PIVOT_THREADS(element_bytes) (1024 / (element_bytes))
#define TRIDIAG_PIVOT_SIDE 8

/* Values of a run and of a border (ORDER.md 26.2, 26.5): two equations each. Values of a pair: x before and after a
 * border. */
#define TRIDIAG_RUN_VALUES 10
#define TRIDIAG_BORDER_VALUES 13
#define TRIDIAG_PAIR_VALUES 2

typedef enum pivot_stage {
    PIVOT_SOLVE,  /* the block has all runs of its systems */
    PIVOT_REDUCE, /* combines the runs of the block to one */
    PIVOT_EXPAND  /* computes x, or pairs, from the pairs of the first and of the last border of the block */
} pivot_stage;

/* The runs of a level are chunks, or the results of the blocks of the level below. */
typedef struct tridiag_pivot_params {
    tridiag_params rows;     /* `side`: systems of a block */
    uint64_t runs, blocks;   /* per system */
    uint32_t nodes;          /* maximum runs of a system in a block */
    uint64_t chunks;         /* per run */
    const void *in_runs;     /* value v of run r of system s: element (v * systems + s) * runs + r */
    void *out_runs;          /* PIVOT_REDUCE: the runs of the blocks */
    const void *outer_pairs; /* PIVOT_EXPAND: value v of border b: element (v * systems + s) * (blocks + 1) + b */
    void *pairs;             /* of the borders of in_runs: element (v * systems + s) * (runs + 1) + r */
} tridiag_pivot_params;

/* Elements of shared memory for the tree of runs of `side` systems, and for the rows of one array: an even number of
 * chunks, because tridiag_at permutes the vectors of 128 bytes. */
#define TRIDIAG_TREE_ELEMENTS(side, nodes) ((TRIDIAG_RUN_VALUES + TRIDIAG_BORDER_VALUES) * (side) * (nodes))
#define TRIDIAG_TILE_ELEMENTS(side, nodes) (((side) * (nodes) + 1) / 2 * 2 * TRIDIAG_CHUNK)

/* Return the kernels by template arguments. */
const void *tridiag_pivot_chunks_kernel(bool f32, bool adjacent, pivot_stage stage);
const void *tridiag_pivot_runs_kernel(bool f32, pivot_stage stage);

#endif
