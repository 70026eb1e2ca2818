/* What one launch of a reduction kernel is told, and the constants that tune such a launch. Nothing
 * here enters a result: ORDER.md fixes the bits, these numbers only the speed. */
#ifndef WEFT_CUDA_JOB_H
#define WEFT_CUDA_JOB_H

#include "weft.h"

/* Warps of a block, at most; short inputs take fewer, so that more multiprocessors take part. */
#define WARPS_MAX 8
/* Blocks of a launch, at most; each leaves one partial result, and the last block folds them. More
 * blocks have a shorter tail at the end of the launch, and a longer fold. */
#define PARTIALS_MAX 4096
/* Rows (tree.cuh) or vectors (free.cuh) that a thread has in flight, and blocks of WARPS_MAX warps that a
 * multiprocessor must be able to hold, which bounds the registers. Measured on an H200: with 16 rows, 2
 * blocks reach 98 % of its reading speed, 3 reach 97 % (dot: 92 %), 4 reach 95 % and less. */
#define TREE_ROWS 16
#define TREE_BLOCKS 2
#define FREE_LOADS 8
#define FREE_BLOCKS 3

/* Rows of a tile in free order (free.cuh), where a row is 16 bytes for each thread of a warp. */
#define FREE_ROWS 32

/* What the last thread makes of the folded value (finish.cuh). */
typedef enum finish_kind {
    FINISH_STORE,     /* the value itself, its low bytes for an integer */
    FINISH_MEAN,      /* divided by the number of elements */
    FINISH_VARIANCE,  /* divided by the number of elements less ddof */
    FINISH_ROOT,      /* square root */
    FINISH_ROOT_MEAN, /* square root of the value divided by the number of elements */
    FINISH_RESCALE,   /* square root over the scale that `keep` asks for */
    FINISH_ANY,       /* whether a count is more than 0 */
    FINISH_ALL,       /* whether a count is that of all elements */
    FINISH_AND,       /* 64 bits joined to the width of an element */
    FINISH_OR,        /* likewise */
    FINISH_XOR,       /* likewise */
    FINISH_KEY,       /* the element that has this key */
    FINISH_MAGNITUDE, /* likewise, as a real number */
} finish_kind;

typedef struct job {
    /* The elements of this launch. A long input in host memory comes in several launches, called
     * chunks; each but the last has the same power of two of tiles. */
    const void *x, *y; /* y: dot only */
    uint64_t n;
    uint64_t first; /* index of x[0] in the whole input */
    uint64_t chunk; /* number of this chunk */
    bool last;      /* no chunk follows */

    /* Geometry. */
    uint64_t tiles;
    uint32_t run_log2; /* a warp takes 2^run_log2 adjacent tiles */
    uint32_t skip;     /* free order: elements that x lacks to start on a 16-byte boundary */
    bool vectors;      /* tree: x and y are aligned for vector loads */

    /* Parameters of the operator; an operator names those it uses. */
    uint64_t mask, flip;
    const double *reference;

    /* Scratch memory. */
    void *partials;   /* one value a block */
    void *stack;      /* values of finished chunks, by level of the tree over chunks */
    unsigned *ticket; /* blocks that are done; 0 between launches */

    /* The end. */
    finish_kind finish;
    weft_dtype dtype, result;
    uint32_t result_bytes;
    uint64_t total, ddof; /* elements of the whole input */
    double *keep;         /* where FINISH_MEAN and FINISH_ROOT leave their f64 on the device, or NULL */
    void *out;            /* NULL: only `keep` is wanted */
} job;

#endif
