/* Distances of the elements of a formula over views, as parameters of kernels: the number of an element is divided
 * into its indices, and each index multiplied by the distances of its dimension. */
#ifndef WEFT_CUDA_MAP_LAYOUT_H
#define WEFT_CUDA_MAP_LAYOUT_H

#include "cuda/copy_view/view_length.h"
#include "formula/formula.h"
#include "weft.h"

/* The last dimension varies fastest. A dimension has one distance for each leaf, in the units of map_dimension, then
 * that of the values. */
typedef struct map_layout {
    uint32_t count, leaves;
    view_length lengths[WEFT_DIMENSIONS_MAX];
    int64_t distances[WEFT_DIMENSIONS_MAX * (MAP_LEAVES + 1)]; /* [count][leaves + 1] */
} map_layout;

/* Maximum number of distances that a compiled kernel takes as parameters, for example of 5 dimensions and 24 leaves.
 * Other formulas are interpreted. */
#define FORMULA_DISTANCES 128

/* The layout of a compiled kernel, which contains the numbers of dimensions and leaves. */
typedef struct formula_views {
    uint32_t n; /* elements, or packs of elements */
    void *out;
    int64_t imaginary; /* bytes from the real part of a complex value to its imaginary part, if PARTS_APART */
    view_length lengths[WEFT_DIMENSIONS_MAX];
    int64_t distances[FORMULA_DISTANCES];
} formula_views;

#endif
