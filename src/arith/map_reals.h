/* The body of arith/map.h for a float type T. MATH(name) is the C library's function for T. */

WEFT_ARITH T OF(weft_map)(map_op op, T a, T b, T c) {
    switch (op) {
    case MAP_ADD: return a + b;
    case MAP_SUBTRACT: return a - b;
    case MAP_MULTIPLY: return a * b;
    case MAP_DIVIDE: return a / b;
    case MAP_NEGATE: return -a;
    case MAP_LESS: return (T)(a < b);
    case MAP_AT_MOST: return (T)(a <= b);
    case MAP_EQUAL: return (T)(a == b);
    case MAP_DIFFERENT: return (T)(a != b);
    case MAP_AND: return (T)((a != 0) & (b != 0));
    case MAP_OR: return (T)((a != 0) | (b != 0));
    case MAP_NOT: return (T)(a == 0);
    case MAP_SELECT: return a != 0 ? b : c;
    case MAP_ABS: return MATH(fabs)(a);
    case MAP_MIN: return OF(weft_min_key)(a) <= OF(weft_min_key)(b) ? a : b;
    case MAP_MAX: return OF(weft_max_key)(a) >= OF(weft_max_key)(b) ? a : b;
    case MAP_FLOOR: return MATH(floor)(a);
    case MAP_SQRT: return MATH(sqrt)(a);
    case MAP_FMA: return MATH(fma)(a, b, c);
    case MAP_EXP: return OF(weft_exp)(a);
    case MAP_LOG: return OF(weft_log)(a);
    case MAP_SIN: return OF(weft_sin)(a);
    case MAP_COS: return OF(weft_cos)(a);
    case MAP_POW: return OF(weft_pow)(a, b);
    case MAP_ERF: return OF(weft_erf)(a);
    default: return a; /* MAP_COPY */
    }
}

#undef T
#undef OF
#undef MATH
