/* Transforms of p values in the lanes of vectors of interleaved numbers, for one element type; included after
 * cpu/kernels/bodies/complex_body.h. */

/* C(k) and S(k) of ORDER.md 14.9, 1 <= k <= p/2. */
typedef struct OF(angles) {
    REAL cosine[FFT_RADIX_MOST / 2 + 1], sine[FFT_RADIX_MOST / 2 + 1];
} OF(angles);

INLINE void OF(set_angles)(OF(angles) * t, const fft_points *points) {
    for (size_t k = 1; k <= points->p / 2; k++) {
        t->cosine[k] = (REAL)points->cosine[k];
        t->sine[k] = (REAL)points->sine[k];
    }
}

/* ORDER.md 14.9. Replaces a[k] by the sum and a[p - k] by the difference of the two, 1 <= k <= p/2. */
INLINE void OF(points)(const OF(angles) * t, size_t p, VECTOR *a, VECTOR *b) {
    const REAL *const cosine = t->cosine, *const sine = t->sine;
    const size_t half = p / 2;
    VECTOR sum = a[0]; /* cppcheck-suppress uninitvar ; p >= 3, so the callers have set it */
#pragma GCC unroll 6
    for (size_t k = 1; k <= half; k++) {
        const VECTOR difference = a[k] - a[p - k];
        a[k] = a[k] + a[p - k];
        a[p - k] = difference;
        sum = sum + a[k];
    }
    b[0] = sum;
    if (p == 3) { /* the last steps are fused */
        const VECTOR u = OF(multiply_add)(OF(fill)(cosine[1]), a[1], a[0]), d = OF(swap_parts)(a[2]);
        const VECTOR crossed = OF(negate_parts)(OF(fill)(sine[1]), true);
        b[1] = OF(multiply_add)(crossed, d, u);
        b[2] = OF(multiply_add)(-crossed, d, u);
        return;
    }
#pragma GCC unroll 6
    for (size_t c = 1; c <= half; c++) {
        VECTOR u = OF(multiply_add)(OF(fill)(cosine[c]), a[1], a[0]), v = OF(fill)(sine[c]) * a[p - 1];
#pragma GCC unroll 6
        for (size_t k = 2; k <= half; k++) {
            const size_t angle = c * k % p;
            const bool beyond = angle > half; /* of half a turn: the sine is that of the other side, negated */
            const size_t at = beyond ? p - angle : angle;
            u = OF(multiply_add)(OF(fill)(cosine[at]), a[k], u);
            v = OF(multiply_add)(OF(fill)(beyond ? -sine[at] : sine[at]), a[p - k], v);
        }
        const VECTOR turned = OF(negate_parts)(OF(swap_parts)(v), true); /* -i v */
        b[c] = u + turned;
        b[p - c] = u - turned;
    }
}
