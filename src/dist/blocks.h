/* Aligned blocks of 16^level elements, which prefixes of scans and recurrences are made of (ORDER.md 6, 9). */
#ifndef WEFT_DIST_BLOCKS_H
#define WEFT_DIST_BLOCKS_H

#include "dist/dist.h"

/* Blocks of a slice at most: a rising and a falling staircase. */
enum { BLOCKS_MAX = 2 * (WEFT_SCAN_GROUP - 1) * WEFT_SCAN_LEVELS };

static inline uint64_t block_of(unsigned level) { return UINT64_C(1) << (4 * level); }

/* The level of the greatest block that begins at `at` and ends at `end` or before. */
static inline unsigned level_at(uint64_t at, uint64_t end) {
    unsigned level = 0;
    while (level < 15 && at % block_of(level + 1) == 0 && end - at >= block_of(level + 1)) level++;
    return level;
}

/* How many blocks [at, end) is cut in. */
static inline int count_blocks(uint64_t at, uint64_t end) {
    int count = 0;
    for (; at < end; at += block_of(level_at(at, end))) count++;
    return count;
}

/* The end of the longest piece of [at, end) that is a function of what stands before `at` and of itself: to the end
 * of the group that is under way, or as far as the greatest power of 16 that divides `at` reaches. */
static inline uint64_t piece_end(uint64_t at, uint64_t end) {
    uint64_t block = WEFT_SCAN_GROUP;
    const uint64_t group = at / block * block + block;
    if (at % block) return end < group ? end : group;
    while (block < end - at && at % (block * WEFT_SCAN_GROUP) == 0) block *= WEFT_SCAN_GROUP;
    return end - at < block ? end : at + block;
}

#endif
