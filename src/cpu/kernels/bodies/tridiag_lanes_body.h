/* Operations on the lanes of a vector, for the kernels of tridiagonal systems, for one type. The includer defines
 * REAL, LANE (the unsigned integer of its size), FUSED, NOT_A_NUMBER and INFINITE (bit patterns) and OF(name).
 * tridiag_lanes_end.h undefines them. */
#define WIDTH (VECTOR_BYTES / sizeof(REAL))
#define VECTOR OF(vector)
#define LANES OF(lanes)
#define NOWHERE ((LANE) ~(LANE)0)

typedef REAL VECTOR __attribute__((vector_size(VECTOR_BYTES)));
typedef LANE LANES __attribute__((vector_size(VECTOR_BYTES)));

enum { OF(width) = WIDTH };

/* Returns the value in every lane; v - 0 is v, also for -0.0. */
INLINE VECTOR OF(splat)(REAL value) { return value - (VECTOR){0}; }

/* Returns fma(x, y, z) in each lane. Without an instruction for it, this is much code, which is not inlined. */
FUSED_INLINE VECTOR OF(fused)(VECTOR x, VECTOR y, VECTOR z) {
    for (size_t l = 0; l < WIDTH; l++) z[l] = FUSED(x[l], y[l], z[l]);
    return z;
}

INLINE VECTOR OF(magnitude)(VECTOR v) { return (VECTOR)((LANES)v & (NOWHERE >> 1)); }

/* Returns a in the lanes where the mask is set, else b. */
INLINE VECTOR OF(select)(LANES mask, VECTOR a, VECTOR b) { return (VECTOR)((mask & (LANES)a) | (~mask & (LANES)b)); }

INLINE bool OF(any)(LANES mask) {
    uint64_t words[VECTOR_BYTES / 8], all = 0;
    memcpy(words, &mask, sizeof words);
    for (size_t i = 0; i < VECTOR_BYTES / 8; i++) all |= words[i];
    return all != 0;
}

/* ------------------------------------------------------------------------------- transposing */

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

/* --------------------------------------------------------------------------------- faults */

/* Reports the first row of each of `count` lanes that lost its pivot; lost[l] is NOWHERE if there is none. */
INLINE void OF(report_lost)(const tridiag_position *position, size_t count, LANES lost) {
    if (!OF(any)(~lost)) return;
    for (size_t l = 0; l < count; l++)
        if (lost[l] != NOWHERE) tridiag_report(position, l, false, (size_t)lost[l]);
}

/* Canonicalizes the NaNs of x and reports values that are not finite. x has `values` vectors for each of `rows`
 * rows, of which the first one is row `first`. */
INLINE void OF(finish)(const tridiag_position *position, size_t count, size_t first, size_t rows, size_t values,
                       VECTOR *x) {
    const VECTOR nan = (VECTOR)((LANES){0} + (LANE)NOT_A_NUMBER);
    LANES odd = {0};
    for (size_t i = 0; i < rows * values; i++) {
        odd |= (LANES)(((LANES)x[i] & (LANE)INFINITE) == (LANE)INFINITE);
        x[i] = OF(select)((LANES)(x[i] == x[i]), x[i], nan);
    }
    if (!OF(any)(odd)) return;
    for (size_t l = 0; l < count; l++)
        for (size_t i = rows * values; i-- > 0;)
            if (((LANES)x[i] & (LANE)INFINITE)[l] == (LANE)INFINITE)
                tridiag_report(position, l, true, first + i / values);
}
