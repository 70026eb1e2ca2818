/* Parameters of one launch of a recurrence kernel, and the geometry of such a launch. */
#ifndef WEFT_CUDA_RECURRENCE_PARAMS_H
#define WEFT_CUDA_RECURRENCE_PARAMS_H

#include "cuda/scan/scan_params.h"
#include "weft.h"

struct recurrence_params {
    const void *s, *u;
    const void *init; /* initial value of each row; NULL: init_value for all rows */
    uint64_t init_value;
    void *v;
    uint64_t rows, n;
    bool chunks;                /* rows can be moved in chunks of 16 bytes */
    uint32_t row_threads;       /* short rows: threads per row, a power of two */
    uint32_t block_tiles;       /* long rows: tiles of a block, a power of two */
    uint32_t row_blocks;        /* long rows: blocks of a row; with bulk copies its tiles */
    uint32_t prefetch_distance; /* long rows: each block prefetches to L2 the input of the block `prefetch_distance`
                                   tickets later */
    published totals;           /* long rows */
};

/* Kernels for rows of at most a tile, and for longer ones. */
struct recurrence_launch {
    const void *short_rows, *long_rows;
    const void *map;               /* computes the map of a long row from its published maps */
    size_t short_bytes;            /* shared memory of a block */
    size_t long_bytes, tile_bytes; /* with one tile, and for each further tile */
};

recurrence_launch cuda_recurrence_kernels(weft_dtype dtype, bool reverse);

/* Kernel for rows longer than a tile with bulk copies; NULL if there is none. */
struct recurrence_bulk {
    const void *kernel;
    size_t shared_bytes; /* of a block */
    unsigned threads;
    uint32_t map_words;  /* words from one published map to the next */
    uint64_t tiles_most; /* tiles of all rows */
};

recurrence_bulk cuda_recurrence_bulk(weft_dtype dtype, bool reverse);

#endif
