/* Body of cpu/kernels/columns.c for sums, products and means of T in REAL, float or double. The includer
 * defines T, IS_FLOAT, MEANS (define means), REAL, REAL_OF(name) and TREE(name). */
#define ACC REAL
#define LANES WEFT_LANES(sizeof(T))
#define NAME(name) TREE(name)

INLINE REAL NAME(combine)(weft_op op, REAL a, REAL b) { return op == WEFT_PROD ? a * b : a + b; }

/* fma(x, y, -0.0) is the rounded product. */
INLINE REAL NAME(load)(weft_op op, T x, T y) { return op == PRODUCTS ? (REAL)x * (REAL)y : (REAL)x; }

/* The products of two f32 are exact in f64. */
INLINE REAL NAME(step)(weft_op op, REAL value, T x, T y) {
    if (op != PRODUCTS) return NAME(combine)(op, value, (REAL)x);
    if (!FMA_INSTRUCTION && sizeof(T) < sizeof(REAL)) return value + (REAL)x * (REAL)y;
    return REAL_OF(fma)((REAL)x, (REAL)y, value);
}

#include "cpu/kernels/bodies/columns_body.h"

INLINE void TREE(finish)(weft_op op, void *tiles, size_t count, size_t columns, size_t n, REAL *out) {
    TREE(pairs)(op, tiles, count, columns);
    for (size_t k = 0; k < columns; k++) {
        const REAL value = n ? ((const REAL *)tiles)[k] : op == WEFT_PROD ? (REAL)1 : (REAL)0;
        out[k] = REAL_OF(weft_canonical)(op == WEFT_MEAN ? value / (REAL)n : value);
    }
}

#if MEANS
ROWS_KERNEL(TREE, WEFT_MEAN, means)
#endif
#if IS_FLOAT
static void TREE(dots)(const char *const *x, const char *const *y, bool repeats, size_t n, size_t columns,
                       void *out) {
    if (repeats)
        TREE(tile)(PRODUCTS, (column_rows){x, y, true}, n, columns, out);
    else
        TREE(tile)(PRODUCTS, (column_rows){x, y, false}, n, columns, out);
}
ROWS_KERNEL(TREE, WEFT_SUM, sums)
ROWS_KERNEL(TREE, WEFT_PROD, products)
#endif
