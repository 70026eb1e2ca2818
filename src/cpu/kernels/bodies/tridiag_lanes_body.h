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
    LANE_LOOP
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

#include "cpu/kernels/bodies/transpose_body.h"

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
