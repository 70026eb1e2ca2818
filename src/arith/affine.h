/* The maps of recurrences (ORDER.md 9.2, 9.3), one map or a group of 16 at a time. Used to combine the parts of a
 * row that were solved separately, by ranks or in chunks. */
#ifndef WEFT_ARITH_AFFINE_H
#define WEFT_ARITH_AFFINE_H

#include "core/order.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The map w -> S w + U, or an element with s and u, as bits of the type. */
typedef struct affine {
    uint64_t s, u;
} affine;

/* Prefix of a position: for each level, the maps after the last full group of that level. */
typedef struct affine_chain {
    bool f32; /* type: f32 if true, else f64 */
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

/* Returns the map of a full group of elements, or of maps of the level below. */
static inline affine affine_combine(bool f32, const affine *maps, bool elements) {
    if (f32) return elements ? affine_of_elements_f32(maps) : affine_of_maps_f32(maps, WEFT_SCAN_GROUP);
    return elements ? affine_of_elements_f64(maps) : affine_of_maps_f64(maps, WEFT_SCAN_GROUP);
}

/* Appends `next`, the map of a block of 16^level elements. */
static inline void affine_append(affine_chain *c, unsigned level, affine next) {
    for (;; level++) {
        c->maps[level][c->count[level]] = next;
        if (++c->count[level] < WEFT_SCAN_GROUP) return;
        next = affine_combine(c->f32, c->maps[level], level == 0);
        c->count[level] = 0;
    }
}

/* Returns the value before the current group of elements. `value` is the value before the first element. */
static inline uint64_t affine_before(const affine_chain *c, uint64_t value) {
    for (unsigned level = WEFT_SCAN_LEVELS - 1; level > 0; level--) {
        if (c->count[level] == 0) continue;
        value = c->f32 ? affine_apply_maps_f32(c->maps[level], c->count[level], value)
                       : affine_apply_maps_f64(c->maps[level], c->count[level], value);
    }
    return value;
}

#endif
