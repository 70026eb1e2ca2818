/* The canonical tree (ORDER.md 2) over an array that is spread, or over the paths of a simulation. A rank
 * computes the roots of the greatest aligned subtrees that lie in its slice, which are O(log n); a tile that a border
 * cuts belongs to the rank with its first element, to which the others send their part of it. All ranks get all roots
 * and join them alone, in the tree's order. */
#ifndef WEFT_DIST_FOREST_H
#define WEFT_DIST_FOREST_H

#include "core/parts.h"
#include "dist/dist.h"

typedef union root {
    float f32;
    double f64;
    uint64_t bits;
} root;

typedef enum leaf_kind { LEAF_REDUCE, LEAF_DOT, LEAF_TREE, LEAF_PATHS } leaf_kind;

/* What a tree is made of, and how its roots join. */
typedef struct forest {
    weft_dist *d;
    leaf_kind kind;
    weft_op op;       /* LEAF_REDUCE */
    tree_kind tree;   /* LEAF_TREE */
    double parameter; /* likewise */
    weft_dtype dtype, accumulate;
    bool narrow;                    /* roots are f32 */
    const char *x, *y;              /* y: LEAF_DOT */
    const struct price_call *paths; /* LEAF_PATHS, whose dtype is f64 */
} forest;

/* The value of the tree over the whole array, which is not empty; of paths all ROOT_VALUES. */
weft_status forest_run(const forest *f, root *value);

#endif
