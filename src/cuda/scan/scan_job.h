/* What one launch of a scan kernel is told, and the geometry of such a launch. */
#ifndef WEFT_CUDA_SCAN_JOB_H
#define WEFT_CUDA_SCAN_JOB_H

#include "core/order.h"

#include <stddef.h>
#include <stdint.h>

#define SCAN_THREADS 256
#define SCAN_WARPS (SCAN_THREADS / 32)
#define SCAN_TILE (SCAN_THREADS * WEFT_SCAN_GROUP)
#define SCAN_PART (32 * WEFT_SCAN_GROUP) /* elements of a tile that one warp has */
#define SCAN_GRID_LEVELS 8               /* 16^8 tiles: 2^44 elements */
/* Tuning: shared memory of a block's elements, and blocks that a multiprocessor is to hold. */
#define SCAN_BUFFER_BYTES (64 << 10)
#define SCAN_BLOCKS 3
#define SCAN_TILES_MAX 16 /* tiles of a block, at most */

/* What the launches of a context share. All zero at first; every scan leaves it ready for the next. */
struct scan_control {
    unsigned ticket; /* tiles taken by this launch */
    unsigned done;   /* blocks finished by this launch */
    unsigned epoch;  /* scans before this one: tells the words that this scan has published */
};

/* Where totals are published: of each row of an array those of its tiles, level by level (scan_look_back.cuh). */
struct published {
    scan_control *control;
    uint64_t *words;
    uint64_t words_held;                    /* memory behind `words` */
    uint64_t row_words;                     /* of a row */
    uint32_t stride;                        /* words from total to total */
    int levels;                             /* hexadecimal digits of the number of all tiles */
    uint64_t level_start[SCAN_GRID_LEVELS]; /* in totals */
};

/* One launch: the whole scan, or a chunk of whole tiles of an input in host memory. */
struct scan_job {
    const void *x;
    void *y;
    uint64_t n;           /* elements of this launch */
    uint32_t first_tile;  /* number of its first tile in the whole scan */
    uint32_t block_tiles; /* of a block: a power of two, at most 16 */
    bool last;            /* no chunk follows */
    bool exclusive, has_init;
    bool vectors;   /* x and y are aligned to 16 bytes */
    uint64_t flip;  /* operators that are another's mirror image; see there */
    uint64_t init;  /* bits of the initial value, of the result type */
    uint32_t ahead; /* blocks: a block brings the elements of the one so many behind it to the L2 cache, unless 0 */
    published totals;
};

/* A kernel and the shared memory of its blocks: with one tile, and more for each further tile. */
typedef struct scan_launch {
    const void *kernel;
    size_t shared_bytes, tile_bytes;
    const char *op = NULL,
               *types = NULL; /* the operator, a template, and its arguments, as a formula's kernel has them */
} scan_launch;

#endif
