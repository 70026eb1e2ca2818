/* Parameters of one launch of a scan kernel, and the geometry of such a launch. */
#ifndef WEFT_CUDA_SCAN_PARAMS_H
#define WEFT_CUDA_SCAN_PARAMS_H

#include "core/order.h"

#include <stddef.h>
#include <stdint.h>

#define SCAN_THREADS 256
#define SCAN_WARPS (SCAN_THREADS / 32)
#define SCAN_TILE (SCAN_THREADS * WEFT_SCAN_GROUP)
#define SCAN_PART (32 * WEFT_SCAN_GROUP) /* elements of a tile that one warp processes */
#define SCAN_GRID_LEVELS 8               /* 16^8 tiles: 2^44 elements */
/* Tuning: shared memory for a block's elements, and blocks that a multiprocessor should hold. */
#define SCAN_BUFFER_BYTES (64 << 10)
#define SCAN_BLOCKS 3
#define SCAN_TILES_MAX 16 /* maximum number of tiles of a block */

/* State shared by the launches of a context. Initially all zero; every scan leaves it ready for the next. */
struct scan_control {
    unsigned ticket; /* tiles taken by this launch */
    unsigned done;   /* blocks finished by this launch */
    unsigned epoch;  /* completed scans; words that this scan publishes contain epoch + 1 */
};

/* Workspace for published totals: for each row of an array, the totals of its tiles, level by level
 * (scan_look_back.cuh). */
struct published {
    scan_control *control;
    uint64_t *words;
    uint64_t words_held;                    /* capacity of `words`, in words */
    uint64_t row_words;                     /* words per row */
    uint32_t stride;                        /* words from one total to the next */
    int levels;                             /* hexadecimal digits of the number of tiles of a row */
    uint64_t level_start[SCAN_GRID_LEVELS]; /* index of each level's first total */
};

/* One launch: the whole scan, or a chunk of full tiles of an input in host memory. */
struct scan_params {
    const void *x;
    void *y;
    uint64_t n;           /* elements of this launch */
    uint32_t first_tile;  /* number of its first tile in the whole scan */
    uint32_t block_tiles; /* tiles of a block: a power of two, at most 16 */
    bool last;            /* no further chunk follows */
    bool exclusive, has_init;
    bool vectors;               /* x and y are aligned to 16 bytes */
    uint64_t xor_mask;          /* XOR mask of operators that share another's kernels (gpu_scan_xor_mask) */
    uint64_t init;              /* bits of the initial value, of the result type */
    uint32_t prefetch_distance; /* blocks: each block prefetches to L2 the input of the block `prefetch_distance`
                                   positions later; 0: none */
    published totals;
};

/* A kernel and the shared memory of its blocks: with one tile, and for each further tile. */
typedef struct scan_launch {
    const void *kernel;
    size_t shared_bytes, tile_bytes;
    /* The operator's template and its arguments, as text for the kernels of formulas. */
    const char *op = NULL, *types = NULL;
} scan_launch;

#endif
