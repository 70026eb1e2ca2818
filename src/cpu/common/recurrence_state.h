/* State of a recurrence after a prefix of a row, and the maps (ORDER.md 9.2) of a part. */
#ifndef WEFT_CPU_RECURRENCE_STATE_H
#define WEFT_CPU_RECURRENCE_STATE_H

#include "core/order.h"

enum {
    RECURRENCE_BLOCK = WEFT_SCAN_GROUP * WEFT_SCAN_GROUP, /* elements per map of level 2 */
    RECURRENCE_TILE = RECURRENCE_BLOCK * WEFT_SCAN_GROUP, /* elements per map of level 3 */
    RECURRENCE_TILES_MAX = 8,                             /* tiles per part for f32; half as many for f64 */
    RECURRENCE_LEVELS = WEFT_SCAN_LEVELS - 3              /* levels from that of the tiles up */
};

/* Maps of the tiles of a part. Block b of a tile is column b: every operation on the groups of a block is done for
 * sixteen blocks at once, without moving lanes.
 *   group[t].s[g][b]   composition of the maps of groups 0 .. g of block b
 *   block[t].s[b]      composition of the maps of blocks 0 .. b
 *   before[t]          the value before the tile */
#define RECURRENCE_MAPS(A, TILES)                     \
    struct {                                          \
        struct {                                      \
            A s[WEFT_SCAN_GROUP][WEFT_SCAN_GROUP];    \
            A u[WEFT_SCAN_GROUP][WEFT_SCAN_GROUP];    \
        } group[TILES];                               \
        struct {                                      \
            A s[WEFT_SCAN_GROUP], u[WEFT_SCAN_GROUP]; \
        } block[TILES];                               \
        A before[TILES];                              \
    }

typedef union recurrence_maps {
    RECURRENCE_MAPS(float, RECURRENCE_TILES_MAX) f32;
    RECURRENCE_MAPS(double, RECURRENCE_TILES_MAX / 2) f64;
} recurrence_maps;

/* State of a row before tile i, with i in base 16. For each level k from that of the tiles up:
 *   digit[k]            digit k of i
 *   prefix[k]           value before tile i with its digits below k set to 0; above the highest digit the initial
 * value stages_s[k][r][j]   S of the scan of the digit's group so far: value j after the distances below 2^r. The
 * next value is combined with at most four of these to obtain its own scan. stages_u: U. */
#define RECURRENCE_STATE(A)                                \
    struct {                                               \
        unsigned digit[RECURRENCE_LEVELS];                 \
        A prefix[RECURRENCE_LEVELS + 1];                   \
        A stages_s[RECURRENCE_LEVELS][4][WEFT_SCAN_GROUP]; \
        A stages_u[RECURRENCE_LEVELS][4][WEFT_SCAN_GROUP]; \
    }

typedef union recurrence_state {
    RECURRENCE_STATE(float) f32;
    RECURRENCE_STATE(double) f64;
} recurrence_state;

#endif
