/* What libweft_dist puts together: parts of operations whose whole is spread over ranks. Exported to it alone, with a
 * symbol version of its own (cmake/weft.map), so that only a library of the same release finds them. Arguments come
 * from libweft_dist, which has checked them. */
#ifndef WEFT_CORE_PARTS_H
#define WEFT_CORE_PARTS_H

#include "weft.h"

/* The sums that mean, norms and variance are made of: the tree of docs/ORDER.md 2 in f64, with join a + b. */
typedef enum tree_kind {
    TREE_SUM,        /* lane + x */
    TREE_MAGNITUDES, /* lane + |x| */
    TREE_DEVIATIONS, /* fma(d, d, lane), d = x - parameter */
    TREE_RESCALED    /* fma(s, s, lane), s = x times what a sum of squares `parameter` asks for (3.3); f64 only */
} tree_kind;

/* That tree over x[0..n), n >= 1. */
WEFT_API weft_status weft_part_tree(weft_context *ctx, tree_kind kind, weft_dtype dtype, size_t n, const void *x,
                                    double parameter, double *value);

/* weft_map of elements first, first + 1, ... of longer arrays, of which n are at hand. */
WEFT_API weft_status weft_part_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, uint64_t first,
                                   size_t n, const weft_binding *bindings, size_t count, void *out);

#endif
