/* The canonical tree (ORDER.md 2), for REAL float (tree_f32) or double (tree_f64). */
#ifndef WEFT_REF_TREE_H
#define WEFT_REF_TREE_H

#include "ref/array.h"

/* How element i enters a lane, and how two partial results join. */
typedef struct terms_f32 {
    float identity;
    float (*step)(const struct terms_f32 *t, float lane, size_t i);
    float (*join)(float a, float b);
    array x, y;
} terms_f32;

typedef struct terms_f64 {
    double identity;
    double (*step)(const struct terms_f64 *t, double lane, size_t i);
    double (*join)(double a, double b);
    array x, y;
    double parameter; /* the mean for variance, the scale for norm2 */
} terms_f64;

/* The tree over elements 0 .. n-1, n >= 1. The elements' type alone settles the lanes. */
float tree_f32(const terms_f32 *t, size_t n);
double tree_f64(const terms_f64 *t, size_t n);

#endif
