/* The canonical tree (ORDER.md 2), for REAL float (tree_f32) or double (tree_f64). */
#ifndef WEFT_REF_TREE_H
#define WEFT_REF_TREE_H

#include "ref/common/array.h"

/* The step that adds element i to a lane, and the operation that combines two partial results. */
typedef struct terms_f32 {
    float identity;
    float (*step)(const struct terms_f32 *t, float lane, size_t i);
    float (*combine)(float a, float b);
    array x, y;
} terms_f32;

typedef struct terms_f64 {
    double identity;
    double (*step)(const struct terms_f64 *t, double lane, size_t i);
    double (*combine)(double a, double b);
    array x, y;
    double parameter; /* the mean for variance, the scale for norm2 */
} terms_f64;

/* Return the value of the tree over elements 0 .. n-1. n must be at least 1. The number of lanes depends only on the
 * elements' type. */
float tree_f32(const terms_f32 *t, size_t n);
double tree_f64(const terms_f64 *t, size_t n);

#endif
