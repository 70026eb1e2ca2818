/* Transposition of a square of WIDTH vectors in registers, for one type. The includer defines VECTOR, LANES (the
 * vector of integers of its size), LANE (an integer of that size), WIDTH and OF(name). */
#ifndef __clang__
INLINE LANES OF(lane_numbers)(void) {
    static const LANE numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    LANES v;
    memcpy(&v, numbers, sizeof v);
    return v;
}
#endif

/* Exchanges the off-diagonal blocks of `distance` lanes of two rows of a matrix: one step of a transposition. */
INLINE void OF(cross)(size_t distance, VECTOR *a, VECTOR *b) {
#ifdef __clang__
    VECTOR low, high;
    for (size_t l = 0; l < WIDTH; l++) {
        low[l] = l & distance ? (*b)[l - distance] : (*a)[l];
        high[l] = l & distance ? (*b)[l] : (*a)[l + distance];
    }
#else
    const LANES number = OF(lane_numbers)();
    const LANES other = (LANES)((number & (LANE)distance) != 0) & (LANE)(WIDTH - distance);
    const VECTOR low = __builtin_shuffle(*a, *b, number + other);
    const VECTOR high = __builtin_shuffle(*a, *b, number + other + (LANE)distance);
#endif
    *a = low;
    *b = high;
}

/* Transposes: lane l of vector i becomes lane i of vector l. */
INLINE void OF(transpose)(VECTOR *v) {
#pragma GCC unroll 4
    for (size_t distance = 1; distance < WIDTH; distance *= 2)
#pragma GCC unroll 16
        for (size_t i = 0; i < WIDTH; i++)
            if (!(i & distance)) OF(cross)(distance, &v[i], &v[i + distance]);
}
