/* Body of cpu/kernels/columns.c for one type (cpu/kernels/bodies/each_type.h): operators of free order.
 * Integers are extended to 64 bits; floats are replaced by keys. */
#define FREE(name) OF(free_##name)
#define NAME(name) FREE(name)
#define LANES 8 /* independent values, so that operations do not wait for each other */

#if IS_FLOAT
#define ACC U
INLINE U NAME(load)(weft_op op, T x, T y) {
    (void)y;
    return op == WEFT_MAX ? OF(weft_max_key)(x) : OF(weft_min_key)(x);
}
#else
#define ACC WIDE
INLINE WIDE NAME(load)(weft_op op, T x, T y) {
    (void)op, (void)y;
    return (WIDE)x;
}
#endif

INLINE ACC NAME(combine)(weft_op op, ACC a, ACC b) {
    switch (op) {
    case WEFT_SUM: return (ACC)((uint64_t)a + (uint64_t)b);
    case WEFT_PROD: return (ACC)((uint64_t)a * (uint64_t)b);
    case WEFT_MIN: return b < a ? b : a;
    case WEFT_MAX: return b > a ? b : a;
    case WEFT_AND: return a & b;
    case WEFT_OR: return a | b;
    default: return a ^ b;
    }
}

INLINE ACC NAME(step)(weft_op op, ACC value, T x, T y) { return NAME(combine)(op, value, NAME(load)(op, x, y)); }

#include "cpu/kernels/bodies/columns_body.h"

#if IS_FLOAT

INLINE void FREE(finish)(weft_op op, void *tiles, size_t count, size_t columns, size_t n, T *out) {
    FREE(pairs)(op, tiles, count, columns);
    for (size_t k = 0; k < columns; k++)
        out[k] = n                ? OF(weft_from_key)(((const U *)tiles)[k])
                 : op == WEFT_MAX ? (T)-__builtin_inf()
                                  : (T)__builtin_inf();
}

#else

/* Returns the result without elements, in the lowest bits. */
INLINE uint64_t FREE(identity)(weft_op op) {
    const U sign = (U)((U)IS_SIGNED << (8 * sizeof(T) - 1));
    switch (op) {
    case WEFT_PROD: return 1;
    case WEFT_MIN: return (U)~sign;
    case WEFT_MAX: return sign;
    case WEFT_AND: return UINT64_MAX;
    default: return 0;
    }
}

INLINE void FREE(finish)(weft_op op, void *tiles, size_t count, size_t columns, size_t n, void *out) {
    FREE(pairs)(op, tiles, count, columns);
    for (size_t k = 0; k < columns; k++) {
        const uint64_t value = n ? (uint64_t)((const WIDE *)tiles)[k] : FREE(identity)(op);
        if (op == WEFT_SUM || op == WEFT_PROD)
            ((uint64_t *)out)[k] = value;
        else
            ((T *)out)[k] = (T)value;
    }
}

ROWS_KERNEL(FREE, WEFT_SUM, sums)
ROWS_KERNEL(FREE, WEFT_PROD, products)
ROWS_KERNEL(FREE, WEFT_AND, ands)
ROWS_KERNEL(FREE, WEFT_OR, ors)
ROWS_KERNEL(FREE, WEFT_XOR, xors)

#endif

ROWS_KERNEL(FREE, WEFT_MIN, minima)
ROWS_KERNEL(FREE, WEFT_MAX, maxima)

#undef FREE
