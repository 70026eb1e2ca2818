/* The canonical tree (ORDER.md 2) for lanes of f32 (tree_f32) and of f64 (tree_f64). */
#ifndef WEFT_CPU_TREE_H
#define WEFT_CPU_TREE_H

#include "cpu/kernels/vectors.h"

/* Operation that adds an element to a lane. s and m are the kernel's parameter, y is the second array. */
typedef enum step {
    STEP_ADD,       /* lane + x */
    STEP_MULTIPLY,  /* lane * x */
    STEP_MAGNITUDE, /* lane + |x| */
    STEP_SQUARE,    /* fma(x s, x s, lane), s the parameter */
    STEP_DEVIATION, /* fma(x - m, x - m, lane), m the parameter */
    STEP_PRODUCT,   /* fma(x, y, lane) */
    STEP_DIFFERENCE /* fma(x - y, x - y, lane) */
} step;

/* Returns true if the operation has a second array. */
INLINE bool has_y(step how) { return how == STEP_PRODUCT || how == STEP_DIFFERENCE; }

/* Returns true if x y and x x are exact in f64: elements of at most 24 bits, including subnormal f32, since the
 * least product is 2^-298. Squares that norm2 scales are exact as well where it matters: with the factor 2^600, all
 * elements are zero (the least other sum is 2^-298); with 2^-600, the sum is Inf or NaN. */
INLINE bool exact_products(weft_dtype dtype) { return element_bytes(dtype) <= 2 || dtype == WEFT_F32; }

/* Vectors of lanes in registers at a time. AVX-512 has registers for all vectors of a row of f32 in f64: then such a
 * row is read once and in order. */
#define COLUMN_VECTORS_MAX (VECTOR_BYTES == 64 ? 2 * COLUMN_VECTORS : COLUMN_VECTORS)

#define REAL float
#define VECTOR vector_f32
#define FUSED fma_f32
#define OWN_TYPE WEFT_F32
#define OF(name) name##_f32
#include "cpu/kernels/bodies/tree_body.h"

#define REAL double
#define VECTOR vector_f64
#define FUSED fma_f64
#define OWN_TYPE WEFT_F64
#define OF(name) name##_f64
#include "cpu/kernels/bodies/tree_body.h"

#endif
