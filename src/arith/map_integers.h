/* The body of arith/map.h for an integer type T, whose unsigned type is U. Sums, differences and products wrap. */

WEFT_ARITH T OF(weft_map_magnitude)(T a) {
#if IS_SIGNED
    return a < 0 ? (T)(0 - (U)a) : a;
#else
    return a;
#endif
}

/* Returns the quotient rounded towards zero, or 0 if b is 0. The least integer divided by -1 wraps. */
WEFT_ARITH T OF(weft_map_quotient)(T a, T b) {
    if (b == 0) return 0;
#if IS_SIGNED
    if (b == -1) return (T)(0 - (U)a);
#endif
    return a / b;
}

WEFT_ARITH T OF(weft_map)(map_op op, T a, T b, T c) {
    switch (op) {
    case MAP_ADD: return (T)((U)a + (U)b);
    case MAP_SUBTRACT: return (T)((U)a - (U)b);
    case MAP_MULTIPLY: return (T)((U)a * (U)b);
    case MAP_DIVIDE: return OF(weft_map_quotient)(a, b);
    case MAP_NEGATE: return (T)(0 - (U)a);
    case MAP_LESS: return a < b;
    case MAP_AT_MOST: return a <= b;
    case MAP_EQUAL: return a == b;
    case MAP_DIFFERENT: return a != b;
    case MAP_AND: return (a != 0) & (b != 0);
    case MAP_OR: return (a != 0) | (b != 0);
    case MAP_NOT: return a == 0;
    case MAP_SELECT: return a != 0 ? b : c;
    case MAP_ABS: return OF(weft_map_magnitude)(a);
    case MAP_MIN: return b < a ? b : a;
    case MAP_MAX: return a < b ? b : a;
    default: return a; /* MAP_COPY, MAP_FLOOR; functions of real numbers are never called for integers */
    }
}

#undef T
#undef U
#undef OF
#undef IS_SIGNED
