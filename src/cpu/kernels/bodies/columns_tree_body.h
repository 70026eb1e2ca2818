/* Body of cpu/kernels/columns.c for sums, products and means of T in REAL, float or double. The includer
 * defines T, IS_FLOAT, MEANS (define means), REAL, REAL_OF(name) and TREE(name). */
#define ACC REAL
#define LANES WEFT_LANES(sizeof(T))
#define NAME(name) TREE(name)

INLINE REAL NAME(load)(weft_op op, T x) {
    (void)op;
    return (REAL)x;
}

INLINE REAL NAME(combine)(weft_op op, REAL a, REAL b) { return op == WEFT_PROD ? a * b : a + b; }

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
ROWS_KERNEL(TREE, WEFT_SUM, sums)
ROWS_KERNEL(TREE, WEFT_PROD, products)
#endif
