/* Parameters of one launch of a reduction kernel, and the constants that tune such a launch. They affect speed only:
 * the bits of a result are fixed by ORDER.md. */
#ifndef WEFT_CUDA_REDUCE_PARAMS_H
#define WEFT_CUDA_REDUCE_PARAMS_H

#include "weft.h"

/* Maximum number of warps per block. Short inputs use fewer, so that more multiprocessors take part. */
#define WARPS_MAX 8
/* Maximum number of blocks per launch. Each block leaves one partial result, and the last block reduces them. More
 * blocks shorten the tail at the end of the launch, but lengthen this reduction. */
#define PARTIALS_MAX 4096
/* Rows (tree.cuh) or vectors (unordered.cuh) that a thread has in flight, and blocks of WARPS_MAX warps that must fit
 * on a multiprocessor, which bounds the registers. Measured on an H200: with 16 rows, 2 blocks reach 98 % of its read
 * bandwidth, 3 reach 97 % (dot: 92 %), 4 reach 95 % and less. */
#define TREE_ROWS 16
#define TREE_BLOCKS 2
#define UNORDERED_LOADS 8
#define UNORDERED_BLOCKS 3

/* Rows of a tile of unordered.cuh; a row is 16 bytes for each thread of a warp. */
#define UNORDERED_ROWS 32

/* Exact sums (exact.cu): warps of a block, maximum blocks per multiprocessor, and bytes that a thread loads at a
 * time. */
#define EXACT_WARPS 8
#define EXACT_BLOCKS 3
#define EXACT_BATCH_BYTES 64

/* Operation of the last thread on the reduced value (finish.cuh). */
typedef enum finish_kind {
    FINISH_STORE,     /* stores the value; for an integer its low bytes */
    FINISH_MEAN,      /* divided by the number of elements */
    FINISH_VARIANCE,  /* divided by (number of elements - ddof) */
    FINISH_ROOT,      /* square root */
    FINISH_ROOT_MEAN, /* square root of the value divided by the number of elements */
    FINISH_RESCALE,   /* square root divided by weft_norm2_scale(*reference) */
    FINISH_ANY,       /* 1 if a count is greater than 0 */
    FINISH_ALL,       /* 1 if a count is the number of elements */
    FINISH_AND,       /* reduces 64 bits to the width of an element by AND */
    FINISH_OR,        /* reduces 64 bits to the width of an element by OR */
    FINISH_XOR,       /* reduces 64 bits to the width of an element by XOR */
    FINISH_KEY,       /* the element with this key */
    FINISH_MAGNITUDE, /* the magnitude with this key, as a real number */
} finish_kind;

typedef struct reduce_params {
    /* Elements of this launch. A long input in host memory is processed in several launches, called chunks; each but
     * the last has the same power of two of tiles. */
    const void *x, *y; /* y: dot only */
    uint64_t n;
    uint64_t first; /* index of x[0] in the whole input */
    uint64_t chunk; /* index of this chunk */
    bool last;      /* true for the last chunk */

    /* Geometry. */
    uint64_t tiles;
    uint32_t warp_tiles_log2; /* a warp takes 2^warp_tiles_log2 adjacent tiles */
    uint32_t skip;            /* unordered: elements between the last 16-byte boundary and x */
    bool vectors;             /* tree: x and y are aligned for vector loads */

    /* Parameters of the operator. Each operator documents which ones it uses. */
    uint64_t mask, xor_mask;
    const double *reference;

    /* Scratch memory. */
    void *partials;   /* one value per block */
    void *stack;      /* values of finished chunks, by level of the tree over chunks */
    unsigned *ticket; /* number of finished blocks; 0 between launches */
    int64_t *exact;   /* state of an exact sum; 0 between calls */
    int64_t *values;  /* FINISH_VARIANCE of an exact sum of squares: state of the sum of the elements; else NULL */

    /* Finish. */
    finish_kind finish;
    weft_dtype dtype, result;
    uint32_t result_bytes;
    uint64_t total, ddof; /* total: number of elements of the whole input */
    double *keep; /* device address of the f64 that FINISH_MEAN and FINISH_ROOT leave for a second launch, or NULL */
    void *out;    /* NULL if only `keep` is needed */
} reduce_params;

#endif
