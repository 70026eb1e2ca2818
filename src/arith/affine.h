/* The maps of recurrences (ORDER.md 9.2, 9.3) by ones and sixteens, for what puts a row together from parts that
 * were solved elsewhere: ranks, pieces. */
#ifndef WEFT_ARITH_AFFINE_H
#define WEFT_ARITH_AFFINE_H

#include "core/order.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The map w -> S w + U, or the element with s and u; as bits of the type. */
typedef struct affine {
    uint64_t s, u;
} affine;

/* What stands before a place: of each level the maps behind the last full group. */
typedef struct affine_chain {
    bool f32; /* else f64 */
    size_t count[WEFT_SCAN_LEVELS];
    affine maps[WEFT_SCAN_LEVELS][WEFT_SCAN_GROUP];
} affine_chain;

#define REAL float
#define FUSED fmaf
#define OF(name) name##_f32
#include "arith/affine_body.h"

#define REAL double
#define FUSED fma
#define OF(name) name##_f64
#include "arith/affine_body.h"

/* The map of a full group: of elements, or of maps of the level below. */
static inline affine affine_join(bool f32, const affine *maps, bool elements) {
    if (f32) return elements ? affine_of_elements_f32(maps) : affine_of_maps_f32(maps, WEFT_SCAN_GROUP);
    return elements ? affine_of_elements_f64(maps) : affine_of_maps_f64(maps, WEFT_SCAN_GROUP);
}

/* On over a map of level `level`, which is that of 16^level elements. */
static inline void affine_append(affine_chain *c, unsigned level, affine next) {
    for (;; level++) {
        c->maps[level][c->count[level]] = next;
        if (++c->count[level] < WEFT_SCAN_GROUP) return;
        next = affine_join(c->f32, c->maps[level], level == 0);
        c->count[level] = 0;
    }
}

/* The value before the group of elements that is under way, from that before the first element. */
static inline uint64_t affine_before(const affine_chain *c, uint64_t value) {
    for (unsigned level = WEFT_SCAN_LEVELS - 1; level > 0; level--) {
        if (c->count[level] == 0) continue;
        value = c->f32 ? affine_apply_maps_f32(c->maps[level], c->count[level], value)
                       : affine_apply_maps_f64(c->maps[level], c->count[level], value);
    }
    return value;
}

#endif
