/* What one launch of a compaction kernel is told, and the geometry of such a launch. */
#ifndef WEFT_CUDA_COMPACT_JOB_H
#define WEFT_CUDA_COMPACT_JOB_H

#include "core/compare.h"

#include <stdint.h>

#define COMPACT_THREADS 256
#define COMPACT_WARPS (COMPACT_THREADS / 32)

/* Tuning: elements of a thread, blocks of a multiprocessor, tiles of a multiprocessor that are brought to the L2
 * cache ahead of their time, and how often 32 tiles are looked at at once (compact.cuh). */
#define COMPACT_ITEMS(size) ((size) == 8 ? 16 : 32)
#define COMPACT_BLOCKS 3
#define COMPACT_AHEAD 2
#define COMPACT_LOOKS 1
#define COMPACT_TILE(size) (COMPACT_THREADS * COMPACT_ITEMS(size))

/* What marks an element, and what is written of the marked ones. */
typedef enum compact_by { BY_FLAGS, BY_COMPARISON, BY_RUNS } compact_by;
typedef enum compact_to { TO_VALUES, TO_INDICES, TO_BOTH_SIDES, TO_LENGTHS } compact_to;

struct compact_job {
    const void *x;
    const uint8_t *flags;
    uint64_t n;
    uint32_t ahead; /* tiles: a block brings that so many behind its own to the L2 cache */
    comparator compare;
    void *y;
    uint64_t *lengths;
    uint64_t *count;     /* how many are marked */
    const uint64_t *all; /* the same, known before: the other side begins there */
    unsigned *ticket;    /* 0 before the launch */
    uint64_t *words;     /* likewise; one for each tile, two with lengths */
};

#endif
