/* The canonical tree (ORDER.md 2) over a distributed array, or over the paths of a simulation. A rank computes the
 * roots of the largest aligned subtrees in its slice, of which there are O(log n). A tile that crosses a slice
 * border belongs to the rank with its first element; the other ranks send their elements of the tile to that rank.
 * All ranks gather all roots, and each rank combines them in the order of the tree. */
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

/* Parameters of a tree: its leaves, and the operation that combines its roots. */
typedef struct forest {
    weft_dist *d;
    leaf_kind kind;
    weft_op op;       /* for LEAF_REDUCE */
    tree_kind tree;   /* for LEAF_TREE */
    double parameter; /* for LEAF_TREE */
    weft_dtype dtype, accumulate;
    bool narrow;                    /* roots are f32 */
    const char *x, *y;              /* y: for LEAF_DOT */
    const struct price_call *paths; /* for LEAF_PATHS, whose dtype must be f64 */
} forest;

/* Computes the value of the tree over the whole array, which must not be empty. LEAF_PATHS returns ROOT_VALUES
 * values. */
weft_status forest_run(const forest *f, root *value);

#endif
