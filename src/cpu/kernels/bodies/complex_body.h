/* Vectors of complex numbers with interleaved real and imaginary parts. The includer defines REAL,
 * REAL_BYTES, LANE (the unsigned integer of its size), FUSED, FUSED_LANES, CANONICAL, NAN_BITS and OF(name). */
#define WIDTH (VECTOR_BYTES / sizeof(REAL))
#define COMPLEX (WIDTH / 2)
#define VECTOR OF(complex_vector)
#define LANES OF(complex_lanes)

typedef REAL VECTOR __attribute__((vector_size(VECTOR_BYTES)));
typedef LANE LANES __attribute__((vector_size(VECTOR_BYTES)));

typedef struct OF(number) {
    REAL re, im;
} OF(number);

/* One twiddle per complex lane: its real part twice, its imaginary part twice. */
typedef struct OF(twiddle) {
    VECTOR re, im;
} OF(twiddle);

INLINE VECTOR OF(load)(const REAL *p) {
    VECTOR v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void OF(store)(REAL *p, VECTOR v) { memcpy(p, &v, sizeof v); }

/* Stores the first `count` parts of v. */
INLINE void OF(store_reals)(REAL *p, VECTOR v, size_t count) { memcpy(p, &v, count * sizeof *p); }

INLINE VECTOR OF(fill)(REAL value) { return value - (VECTOR){0}; }

INLINE VECTOR OF(multiply_add)(VECTOR x, VECTOR y, VECTOR z) { return FUSED_LANES(x, y, z); }

/* ----------------------------------------------------------------------------- moving lanes */

INLINE LANES OF(lane_numbers)(void) {
    static const LANE numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    LANES v;
    memcpy(&v, numbers, sizeof v);
    return v;
}

/* Returns a vector whose lane l is lane from[l] of the concatenation of a and b. `from` must be constant. */
INLINE VECTOR OF(pick)(VECTOR a, VECTOR b, LANES from) {
#ifdef __clang__
    const LANES of_a = (LANES)(from < WIDTH);
    return (VECTOR)((of_a & (LANES)__builtin_shufflevector(a, from)) |
                    (~of_a & (LANES)__builtin_shufflevector(b, from)));
#else
    return __builtin_shuffle(a, b, from);
#endif
}

INLINE VECTOR OF(swap_parts)(VECTOR v) { return OF(pick)(v, v, OF(lane_numbers)() ^ (LANE)1); }
INLINE VECTOR OF(twice_re)(VECTOR v) { return OF(pick)(v, v, OF(lane_numbers)() & ~(LANE)1); }
INLINE VECTOR OF(twice_im)(VECTOR v) { return OF(pick)(v, v, OF(lane_numbers)() | (LANE)1); }
INLINE VECTOR OF(reverse)(VECTOR v) { return OF(pick)(v, v, OF(lane_numbers)() ^ (LANE)(WIDTH - 2)); }

/* Negates the imaginary parts if `odd`, else the real parts. */
INLINE VECTOR OF(negate_parts)(VECTOR v, bool odd) {
    const LANES number = OF(lane_numbers)() & 1, sign = (LANES){0} + ((LANE)1 << (8 * sizeof(REAL) - 1));
    return (VECTOR)((LANES)v ^ (sign * (odd ? number : 1 - number)));
}

/* Transposes COMPLEX vectors in place, as a matrix of complex numbers: 2 x 2 blocks of doubling size. */
INLINE void OF(transpose)(VECTOR *v) {
    const LANES number = OF(lane_numbers)();
#pragma GCC unroll 4
    for (size_t d = 1; d < COMPLEX; d *= 2) {
        const LANE real = (LANE)(2 * d); /* lanes per row of a block */
        const LANES low = number + (number & real) * (LANE)((WIDTH - 2 * d) / (2 * d));
#pragma GCC unroll 8
        for (size_t i = 0; i < COMPLEX; i++) {
            if (i & d) continue;
            const VECTOR a = v[i], b = v[i + d];
            v[i] = OF(pick)(a, b, low);
            v[i + d] = OF(pick)(a, b, low + real);
        }
    }
}

/* ------------------------------------------------------------------------------- arithmetic */

INLINE OF(twiddle) OF(spread)(OF(number) w) { return (OF(twiddle)){OF(fill)(w.re), OF(fill)(w.im)}; }

/* Loads one twiddle per lane. */
INLINE OF(twiddle) OF(each)(const REAL *w) {
    const VECTOR v = OF(load)(w);
    return (OF(twiddle)){OF(twice_re)(v), OF(twice_im)(v)};
}

/* Returns -i w. If w is T[2k], this is T[2k + 1]. */
INLINE OF(twiddle) OF(rotated)(OF(twiddle) w) { return (OF(twiddle)){w.im, -w.re}; }

/* Replaces (a, b) by (a + w b, a - w b), with the conjugate of w if `inverse` (ORDER.md 14.2). */
INLINE void OF(butterfly)(VECTOR *a, VECTOR *b, OF(twiddle) w, bool inverse) {
    const VECTOR crossed = OF(negate_parts)(w.im, inverse); /* -im, im, ... */
    const VECTOR t = OF(multiply_add)(*b, w.re, OF(multiply_add)(OF(swap_parts)(*b), crossed, *a));
    *b = OF(multiply_add)(OF(fill)(2), *a, -t);
    *a = t;
}

INLINE void OF(undo_butterfly)(VECTOR *a, VECTOR *b, OF(twiddle) w) {
    const VECTOR d = *a - *b;
    *a = *a + *b;
    *b = OF(multiply_add)(d, w.re, OF(swap_parts)(d) * OF(negate_parts)(w.im, true));
}

/* Two stages on four values (radix 4), with the twiddles of block K and of block 2K; that of block 2K + 1 is
 * derived. */
INLINE void OF(forth)(VECTOR v[4], OF(twiddle) w, OF(twiddle) w2, bool inverse) {
    const OF(twiddle) w3 = OF(rotated)(w2);
    OF(butterfly)(&v[0], &v[2], w, inverse);
    OF(butterfly)(&v[1], &v[3], w, inverse);
    OF(butterfly)(&v[0], &v[1], w2, inverse);
    OF(butterfly)(&v[2], &v[3], w3, inverse);
}

INLINE void OF(back)(VECTOR v[4], OF(twiddle) w, OF(twiddle) w2) {
    OF(undo_butterfly)(&v[0], &v[1], w2);
    OF(undo_butterfly)(&v[2], &v[3], OF(rotated)(w2));
    OF(undo_butterfly)(&v[0], &v[2], w);
    OF(undo_butterfly)(&v[1], &v[3], w);
}

/* Computes P of ORDER.md 15.3. */
INLINE VECTOR OF(multiply)(VECTOR z, VECTOR h) {
    return OF(multiply_add)(z, OF(twice_re)(h), OF(swap_parts)(z) * OF(negate_parts)(OF(twice_im)(h), false));
}

/* Replaces NaNs by the canonical one. GCC 12 does not make one instruction of the selection. */
INLINE VECTOR OF(canonical)(VECTOR v) {
#if defined(__AVX512F__) && VECTOR_BYTES == 64 && !defined(__clang__)
    const VECTOR nan = (VECTOR)((LANES){0} + (LANE)NAN_BITS);
    if (REAL_BYTES == 4) {
        const vector_f32 x = (vector_f32)v;
        return (VECTOR)__builtin_ia32_blendmps_512_mask(x, (vector_f32)nan,
                                                        __builtin_ia32_cmpps512_mask(x, x, 3, (unsigned short)-1, 4));
    }
    const vector_f64 x = (vector_f64)v;
    return (VECTOR)__builtin_ia32_blendmpd_512_mask(x, (vector_f64)nan,
                                                    __builtin_ia32_cmppd512_mask(x, x, 3, (unsigned char)-1, 4));
#elif defined(__AVX__) && VECTOR_BYTES == 32 && !defined(__clang__)
    typedef float floats __attribute__((vector_size(32)));
    typedef double doubles __attribute__((vector_size(32)));
    const VECTOR nan = (VECTOR)((LANES){0} + (LANE)NAN_BITS);
    if (REAL_BYTES == 4)
        return (VECTOR)__builtin_ia32_blendvps256((floats)v, (floats)nan,
                                                  __builtin_ia32_cmpps256((floats)v, (floats)v, 3));
    return (VECTOR)__builtin_ia32_blendvpd256((doubles)v, (doubles)nan,
                                              __builtin_ia32_cmppd256((doubles)v, (doubles)v, 3));
#else
    const LANES is_number = (LANES)(v == v);
    return (VECTOR)((is_number & (LANES)v) | (~is_number & (LANE)NAN_BITS));
#endif
}

/* Computes the butterfly for scalars. */
INLINE void OF(butterfly_of)(OF(number) * a, OF(number) * b, OF(number) w) {
    const OF(number)
        t = {FUSED(b->re, w.re, FUSED(-b->im, w.im, a->re)), FUSED(b->im, w.re, FUSED(b->re, w.im, a->im))};
    *b = (OF(number)){FUSED(2, a->re, -t.re), FUSED(2, a->im, -t.im)};
    *a = t;
}
