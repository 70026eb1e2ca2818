/* State of a scan after a prefix of the array: all that the next part needs. */
#ifndef WEFT_CPU_SCAN_STATE_H
#define WEFT_CPU_SCAN_STATE_H

#include "core/order.h"

#include <stdint.h>

enum {
    SCAN_BLOCK = WEFT_SCAN_GROUP * WEFT_SCAN_GROUP, /* elements per value of level 2 */
    SCAN_TILE = SCAN_BLOCK * WEFT_SCAN_GROUP,       /* elements per value of level 3 */
    SCAN_TILES_MAX = 64                             /* tiles per part */
};

/* State at position i, a multiple of 256, with i in base 16. For each level k from that of the blocks up:
 *   digit[k]    digit k of i
 *   prefix[k]   P_k(i / 16^k) of ORDER.md 6.3; above the highest digit the initial value
 *   stages[k]   the scan of the digit's group so far: stages[k][s][j] is value j after the distances
 *               below 2^s. The next value is combined with at most four of these to obtain its own scan */
#define ODOMETER(A)                                     \
    struct {                                            \
        unsigned digit[WEFT_SCAN_LEVELS];               \
        A prefix[WEFT_SCAN_LEVELS + 1];                 \
        A stages[WEFT_SCAN_LEVELS][4][WEFT_SCAN_GROUP]; \
    }

typedef union scan_state {
    ODOMETER(float) f32;
    ODOMETER(double) f64;
    ODOMETER(uint8_t) u8;
    ODOMETER(uint16_t) u16;
    ODOMETER(uint32_t) u32;
    ODOMETER(uint64_t) u64;
} scan_state;

/* Totals of the tiles of a part. */
typedef union scan_totals {
    float f32[SCAN_TILES_MAX];
    double f64[SCAN_TILES_MAX];
    uint8_t u8[SCAN_TILES_MAX];
    uint16_t u16[SCAN_TILES_MAX];
    uint32_t u32[SCAN_TILES_MAX];
    uint64_t u64[SCAN_TILES_MAX];
} scan_totals;

#endif
