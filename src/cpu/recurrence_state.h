/* What a recurrence knows of the elements before, and of a part's: the maps of ORDER.md 9.2. */
#ifndef WEFT_CPU_RECURRENCE_STATE_H
#define WEFT_CPU_RECURRENCE_STATE_H

#include "core/order.h"

enum {
    RECURRENCE_BLOCK = WEFT_SCAN_GROUP * WEFT_SCAN_GROUP, /* elements of a map of level 2 */
    RECURRENCE_TILE = RECURRENCE_BLOCK * WEFT_SCAN_GROUP, /* elements of a map of level 3 */
    RECURRENCE_TILES_MAX = 8,                             /* in a part of f32; of f64 half as many */
    RECURRENCE_LEVELS = WEFT_SCAN_LEVELS - 3              /* from that of the tiles up */
};

/* A part's tiles. Block b of a tile is column b: all that is done for the groups of a block is done for those of
 * sixteen blocks at once, without moving lanes.
 *   group[t].s[g][b]   the maps of groups 0 .. g of block b, one after the other
 *   block[t].s[b]      the maps of blocks 0 .. b
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

/* How far a row has come, at tile i, in base 16: at each level k from that of the tiles up
 *   digit[k]            of i
 *   prefix[k]           the value before i's digits up to k; above the highest digit the initial value
 *   stages_s[k][r][j]   the scan of the digit's group so far: value j after the distances below 2^r, so that the
 *                       next value is joined to at most four of these for its own scan; stages_u likewise */
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
