/* Parameters of one launch of a compaction kernel, and the geometry of such a launch. */
#ifndef WEFT_CUDA_COMPACT_PARAMS_H
#define WEFT_CUDA_COMPACT_PARAMS_H

#include "core/compare.h"

#include <stdint.h>

#define COMPACT_THREADS 256
#define COMPACT_WARPS (COMPACT_THREADS / 32)

/* Tuning: elements of a thread, blocks per multiprocessor, tiles per multiprocessor that are prefetched to L2, and
 * number of groups of 32 tiles that look-back loads at once (compact.cuh). With more blocks a thread has too few
 * registers for flags, for lengths, and for both sides of wide elements. */
#define COMPACT_ITEMS(size) ((size) == 8 ? 16 : 32)
#define COMPACT_BLOCKS(by, to, size)                                                      \
    ((by) == BY_FLAGS || (to) == TO_LENGTHS || ((to) == TO_BOTH_SIDES && (size) == 8) ? 3 \
     : (to) == TO_BOTH_SIDES && (size) == 4                                           ? 4 \
                                                                                      : 5)
#define COMPACT_PREFETCH_DISTANCE(by, to) ((to) == TO_BOTH_SIDES ? 1 : (by) == BY_FLAGS || (to) == TO_LENGTHS ? 2 : 3)
#define COMPACT_LOOKS 1
#define COMPACT_GROUP 16    /* tiles that are also counted together, at least, and an even number of them */
#define COMPACT_GROUPS 2048 /* at most */
#define COMPACT_TILE(size) (COMPACT_THREADS * COMPACT_ITEMS(size))

/* How an element is marked, and which output is written. */
typedef enum compact_by { BY_FLAGS, BY_COMPARISON, BY_RUNS } compact_by;
typedef enum compact_to { TO_VALUES, TO_INDICES, TO_BOTH_SIDES, TO_LENGTHS } compact_to;

struct compact_params {
    const void *x;
    const uint8_t *flags;
    uint64_t n;
    uint32_t tile;              /* elements of a tile of the compaction */
    uint32_t prefetch_distance; /* tiles: each block prefetches to L2 the tile `prefetch_distance` positions after its
                                   own */
    comparator compare;
    void *y;
    uint64_t *lengths;
    uint64_t *count;  /* number of marked elements */
    unsigned *ticket; /* 0 before the launch */
    uint64_t *words;  /* 0 before the launch; one for each tile, two with lengths */
    uint64_t *groups; /* partition: the marked elements before each group of `group_tiles` tiles, and all */
    uint32_t group_tiles, group_count;
};

#endif
