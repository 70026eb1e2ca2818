/* The weights of multigrid's grids (ORDER.md 7.6, 7.7), in f64. Kernels round them to their type. */
#ifndef WEFT_ARITH_MULTIGRID_H
#define WEFT_ARITH_MULTIGRID_H

#include "arith/arith.h"
#include "core/order.h"

#include <stdbool.h>

/* One direction of a grid: n points at equal distances, except that the distance of the last two is `end` times as
 * large. `stiff` is the square of the ratio of the other directions' distances to this one's, if they have been
 * coarsened further. */
typedef struct weft_axis {
    uint64_t n;
    double end, stiff;
} weft_axis;

WEFT_ARITH bool weft_axis_is_halved(weft_axis a) { return a.n > 3; }

/* Returns the direction on the next coarser grid. */
WEFT_ARITH weft_axis weft_axis_next(weft_axis a) {
    if (!weft_axis_is_halved(a)) {
        a.stiff = 4 * a.stiff;
        return a;
    }
    a.end = a.n % 2 == 0 ? a.end / 2 : (1 + a.end) / 2;
    a.n = WEFT_MULTIGRID_HALVED(a.n);
    return a;
}

/* Return the weight, in the equation of point i, of the point before it and of the point after it. */
WEFT_ARITH double weft_axis_before(weft_axis a, uint64_t i) {
    return i + 2 == a.n ? a.stiff * (2 / (1 + a.end)) : a.stiff;
}
WEFT_ARITH double weft_axis_after(weft_axis a, uint64_t i) {
    return i + 2 == a.n ? a.stiff * (2 / (a.end * (1 + a.end))) : a.stiff;
}

/* Weights with which a point of odd number interpolates the values of the next grid before and after it. */
typedef struct weft_shares {
    double before, after;
} weft_shares;

WEFT_ARITH weft_shares weft_axis_shares(weft_axis a, uint64_t i) {
    weft_shares s = {0.5, 0.5};
    if (i + 2 == a.n) {
        s.before = a.end / (1 + a.end);
        s.after = 1 / (1 + a.end);
    }
    return s;
}

/* Weights with which point i of the next grid restricts the residual: before its position, at it and after it. */
typedef struct weft_parts {
    double before, middle, after;
} weft_parts;

WEFT_ARITH weft_parts weft_axis_parts(weft_axis a, uint64_t i) {
    weft_parts p = {0.25, 0.5, 0.25};
    if (!weft_axis_is_halved(a)) {
        p.before = p.after = 0;
        p.middle = 1;
    } else if (i + 2 == WEFT_MULTIGRID_HALVED(a.n)) {
        const double all = a.n % 2 == 0 ? 2 + a.end : 3 + a.end;
        p.before = 1 / all;
        p.middle = (a.n % 2 == 0 ? 1 + a.end : 2) / all;
        p.after = (a.n % 2 == 0 ? 0 : a.end) / all;
    }
    return p;
}

#endif
