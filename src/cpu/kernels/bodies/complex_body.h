/* Vectors of complex numbers with interleaved real and imaginary parts. The includer defines REAL,
 * REAL_BYTES, LANE (the unsigned integer of its size), FUSED, FUSED_LANES, CANONICAL, NAN_BITS and OF(name). */
#define WIDTH (VECTOR_BYTES / sizeof(REAL))
#define COMPLEX (WIDTH / 2)
#define VECTOR OF(complex_vector)
#define LANES OF(complex_lanes)

typedef REAL VECTOR __attribute__((vector_size(VECTOR_BYTES)));
typedef LANE LANES __attribute__((vector_size(VECTOR_BYTES)));

#include "cpu/kernels/bodies/each_lane.h"

/* A complex number. One of a table of twiddles contains a scale c and a slope t (ORDER.md 14.1). */
typedef struct OF(number) {
    REAL re, im;
} OF(number);

/* One twiddle per complex lane: its scale twice, its slope twice. */
typedef struct OF(twiddle) {
    VECTOR scale, slope;
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

/* As constants, they make one instruction of each exchange of parts. */
INLINE LANES OF(lane_numbers)(void) {
#define NUMBER(lane) lane
    return (LANES)EACH_LANE(NUMBER);
#undef NUMBER
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

/* Returns a mask: all bits of the imaginary parts if `odd`, else of the real parts. */
INLINE LANES OF(mask_of_parts)(bool odd) { return ((OF(lane_numbers)() & 1) - 1) ^ ((LANES){0} - (LANE)odd); }

/* Negates the lanes of a mask. */
INLINE VECTOR OF(negate_lanes)(VECTOR v, LANES mask) {
    return (VECTOR)((LANES)v ^ (mask & (LANE)1 << (8 * sizeof(REAL) - 1)));
}

/* Negates the imaginary parts if `odd`, else the real parts. */
INLINE VECTOR OF(negate_parts)(VECTOR v, bool odd) { return OF(negate_lanes)(v, OF(mask_of_parts)(odd)); }

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

/* Returns the twiddle of a table in all lanes. */
INLINE OF(twiddle) OF(spread)(OF(number) w) { return (OF(twiddle)){OF(fill)(w.re), OF(fill)(w.im)}; }

/* Loads one twiddle per lane. */
INLINE OF(twiddle) OF(each)(const REAL *w) {
    const VECTOR v = OF(load)(w);
    return (OF(twiddle)){OF(twice_re)(v), OF(twice_im)(v)};
}

/* Returns the vector of `low` (see below) of a block that all lanes share. */
INLINE LANES OF(in_all)(size_t low) { return (LANES){0} + (LANE)low; }

/* Returns z of ORDER.md 14.2, with its parts exchanged if the number of quarter turns is odd, and the scale with the
 * signs of its products. `low` is k mod 4 in each lane, and gives the quarter turns of block k. If it is constant,
 * they need no instructions. inverse: with the conjugates of the twiddles. */
INLINE VECTOR OF(turn_by)(VECTOR b, OF(twiddle) w, LANES low, bool inverse, VECTOR *scale) {
    const LANES odd = (LANES){0} - ((low ^ low >> 1) & 1), half = (LANES){0} - (low & low >> 1);
    const LANES crossed = (LANES)OF(swap_parts)(b), straight = (LANES)b;
    const VECTOR x = (VECTOR)((odd & crossed) | (~odd & straight)), y = (VECTOR)((odd & straight) | (~odd & crossed));
    *scale = OF(negate_lanes)(w.scale, half ^ (odd & OF(mask_of_parts)(!inverse)));
    return OF(multiply_add)(y, OF(negate_lanes)(w.slope, odd ^ OF(mask_of_parts)(inverse)), x);
}

/* Replaces (a, b) by (a + w b, a - w b) (ORDER.md 14.2). */
INLINE void OF(butterfly)(VECTOR *a, VECTOR *b, OF(twiddle) w, LANES low, bool inverse) {
    VECTOR scale;
    const VECTOR z = OF(turn_by)(*b, w, low, inverse, &scale);
    *b = OF(multiply_add)(scale, -z, *a);
    *a = OF(multiply_add)(scale, z, *a);
}

/* ORDER.md 15.3. */
INLINE void OF(undo_butterfly)(VECTOR *a, VECTOR *b, OF(twiddle) w, LANES low) {
    VECTOR scale;
    const VECTOR z = OF(turn_by)(*a - *b, w, low, true, &scale);
    *a = *a + *b;
    *b = scale * z;
}

/* Two stages on four values (radix 4), with the twiddles of block k and of block 2k; block 2k + 1 has those of 2k. */
INLINE void OF(forth)(VECTOR v[4], OF(twiddle) w, OF(twiddle) w2, LANES low, bool inverse) {
    const LANES low2 = low << 1 & 3;
    OF(butterfly)(&v[0], &v[2], w, low, inverse);
    OF(butterfly)(&v[1], &v[3], w, low, inverse);
    OF(butterfly)(&v[0], &v[1], w2, low2, inverse);
    OF(butterfly)(&v[2], &v[3], w2, low2 | 1, inverse);
}

INLINE void OF(back)(VECTOR v[4], OF(twiddle) w, OF(twiddle) w2, LANES low) {
    const LANES low2 = low << 1 & 3;
    OF(undo_butterfly)(&v[0], &v[1], w2, low2);
    OF(undo_butterfly)(&v[2], &v[3], w2, low2 | 1);
    OF(undo_butterfly)(&v[0], &v[2], w, low);
    OF(undo_butterfly)(&v[1], &v[3], w, low);
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

/* OF(turn_by) for scalars. */
INLINE OF(number) OF(turn_number)(OF(number) b, OF(number) w, size_t low, bool inverse, OF(number) * scale) {
    const bool odd = low == 1 || low == 2, half = low == 3;
    const REAL slope = inverse ? -w.im : w.im;
    const OF(number) z = {FUSED(-slope, b.im, b.re), FUSED(slope, b.re, b.im)};
    *scale = (OF(number)){half || (odd && inverse) ? -w.re : w.re, half || (odd && !inverse) ? -w.re : w.re};
    return odd ? (OF(number)){z.im, z.re} : z;
}

/* OF(butterfly) for scalars. */
INLINE void OF(butterfly_of)(OF(number) * a, OF(number) * b, OF(number) w, size_t low, bool inverse) {
    OF(number) scale;
    const OF(number) z = OF(turn_number)(*b, w, low, inverse, &scale);
    *b = (OF(number)){FUSED(-scale.re, z.re, a->re), FUSED(-scale.im, z.im, a->im)};
    *a = (OF(number)){FUSED(scale.re, z.re, a->re), FUSED(scale.im, z.im, a->im)};
}
