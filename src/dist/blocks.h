/* Aligned blocks of 16^level elements, of which prefixes of scans and recurrences consist (ORDER.md 6, 9). */
#ifndef WEFT_DIST_BLOCKS_H
#define WEFT_DIST_BLOCKS_H

#include "dist/dist.h"

/* Maximum number of blocks of a slice, whose levels first ascend and then descend. */
enum { BLOCKS_MAX = 2 * (WEFT_SCAN_GROUP - 1) * WEFT_SCAN_LEVELS };

static inline uint64_t block_of(unsigned level) { return UINT64_C(1) << (4 * level); }

/* Returns the level of the largest block that begins at `at` and ends at `end` or before. */
static inline unsigned level_at(uint64_t at, uint64_t end) {
    unsigned level = 0;
    while (level < 15 && at % block_of(level + 1) == 0 && end - at >= block_of(level + 1)) level++;
    return level;
}

/* Returns the number of blocks that [at, end) is divided into. */
static inline int count_blocks(uint64_t at, uint64_t end) {
    int count = 0;
    for (; at < end; at += block_of(level_at(at, end))) count++;
    return count;
}

/* Returns the end of the longest chunk of [at, end) that can be computed from the prefix before `at` and its own
 * elements alone. If `at` is inside a group of 16, the chunk ends with the group. Otherwise its length is at most
 * the greatest power of 16 that divides `at`. */
static inline uint64_t part_end(uint64_t at, uint64_t end) {
    uint64_t block = WEFT_SCAN_GROUP;
    const uint64_t group = at / block * block + block;
    if (at % block) return end < group ? end : group;
    while (block < end - at && at % (block * WEFT_SCAN_GROUP) == 0) block *= WEFT_SCAN_GROUP;
    return end - at < block ? end : at + block;
}

#endif
