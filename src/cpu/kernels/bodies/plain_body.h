/* Transforms of at most WIDTH values (transform_kernels.plain), for one element type; included after
 * cpu/kernels/bodies/whole_body.h.
 *
 * WIDTH transforms at a time are computed in the lanes of vectors. n pairs contain the values of WIDTH transforms in
 * order. The exchange of the log2 n lower bits of the number of a lane with the bits of the number of its pair gives
 * each value of the transforms a pair of its own. Afterwards the exchange is undone. The remaining transforms are
 * computed value by value. */

INLINE size_t OF(mirrored_in)(size_t f, size_t n) {
    size_t m = 0;
    for (; n > 1; n /= 2, f /= 2) m = 2 * m + f % 2;
    return m;
}

/* Computes one transform of n values; n must be constant. */
INLINE void OF(plain_values)(const REAL *x, REAL *y, size_t n, const OF(number) * twiddles, bool inverse,
                             REAL scale) {
    OF(number) z[WIDTH];
    memcpy(z, x, n * sizeof *z);
#pragma GCC unroll 4
    for (size_t blocks = 1; blocks < n; blocks *= 2) {
        const size_t half = n / blocks / 2;
#pragma GCC unroll 8
        for (size_t i = 0; i < n / 2; i++) {
            const size_t q = i / half, j = 2 * half * q + i % half;
            OF(butterfly_of)(&z[j], &z[j + half], twiddles[q], q % 4, inverse);
        }
    }
#pragma GCC unroll 16
    for (size_t f = 0; f < n; f++) {
        const OF(number) v = z[OF(mirrored_in)(f, n)];
        y[2 * f] = CANONICAL(v.re * scale);
        y[2 * f + 1] = CANONICAL(v.im * scale);
    }
}

/* Exchanges the bits of the number of a lane whose values are less than n with those of the number of its pair. */
INLINE void OF(exchange_lanes)(OF(pair) * v, size_t n) {
#pragma GCC unroll 4
    for (size_t bit = 1; bit < n; bit *= 2) {
        const LANES number = (LANES)OF(lane_numbers)(),
                    low = number + (number & (LANE)bit) / (LANE)bit * (LANE)(WIDTH - bit);
#pragma GCC unroll 16
        for (size_t i = 0; i < n; i++) {
            if (i & bit) continue;
            const OF(pair) a = v[i], b = v[i + bit];
            v[i] = (OF(pair)){OF(rearrange)(a.re, b.re, low), OF(rearrange)(a.im, b.im, low)};
            v[i + bit] =
                (OF(pair)){OF(rearrange)(a.re, b.re, low + (LANE)bit), OF(rearrange)(a.im, b.im, low + (LANE)bit)};
        }
    }
}

/* Computes WIDTH transforms of n values; n must be constant. */
INLINE void OF(plain_lanes)(const REAL *x, REAL *y, size_t n, const OF(number) * twiddles, bool inverse, REAL scale) {
    const LANES even = OF(lane_numbers)() * 2, lower = OF(lane_numbers)() / 2 + (OF(lane_numbers)() & 1) * WIDTH;
    const VECTOR factor = OF(fill)(scale);
    OF(pair) v[WIDTH], t[WIDTH];
#pragma GCC unroll 16
    for (size_t i = 0; i < n; i++) {
        const VECTOR a = OF(load)(x + 2 * WIDTH * i), b = OF(load)(x + 2 * WIDTH * i + WIDTH);
        const VECTOR re = OF(rearrange)(a, b, even), im = OF(rearrange)(a, b, even + 1);
        v[i] = inverse ? (OF(pair)){im, re} : (OF(pair)){re, im};
    }
    OF(exchange_lanes)(v, n);
#pragma GCC unroll 4
    for (size_t blocks = 1; blocks < n; blocks *= 2) {
        const size_t half = n / blocks / 2;
#pragma GCC unroll 8
        for (size_t i = 0; i < n / 2; i++) {
            const size_t q = i / half, j = 2 * half * q + i % half;
            OF(pair_butterfly)(&v[j], &v[j + half], OF(spread_pair)(twiddles[q]), q % 4);
        }
    }
#pragma GCC unroll 16
    for (size_t f = 0; f < n; f++) t[f] = v[OF(mirrored_in)(f, n)];
    OF(exchange_lanes)(t, n);
#pragma GCC unroll 16
    for (size_t i = 0; i < n; i++) {
        const VECTOR re = inverse ? t[i].im : t[i].re, im = inverse ? t[i].re : t[i].im;
        const VECTOR a = OF(rearrange)(re, im, lower), b = OF(rearrange)(re, im, lower + (LANE)(WIDTH / 2));
        OF(store)(y + 2 * WIDTH * i, OF(canonical)(inverse ? a * factor : a));
        OF(store)(y + 2 * WIDTH * i + WIDTH, OF(canonical)(inverse ? b * factor : b));
    }
}

/* Computes the transforms of the pass; n must be constant. */
INLINE void OF(plain_transforms)(const transform_pass *p, size_t n) {
    const OF(number) *w = p->plan->twiddles;
    const REAL *x = (const REAL *)p->x + 2 * n * p->from, scale = (REAL)p->scale;
    REAL *y = (REAL *)p->y + 2 * n * p->from;
    size_t left = p->to - p->from;
    for (; left >= WIDTH; left -= WIDTH, x += 2 * n * WIDTH, y += 2 * n * WIDTH)
        p->inverse ? OF(plain_lanes)(x, y, n, w, true, scale) : OF(plain_lanes)(x, y, n, w, false, scale);
    for (; left > 0; left--, x += 2 * n, y += 2 * n)
        p->inverse ? OF(plain_values)(x, y, n, w, true, scale) : OF(plain_values)(x, y, n, w, false, scale);
}

/* Each length is a function of its own. */
static __attribute__((noinline)) void OF(plain_1)(const transform_pass *p) { OF(plain_transforms)(p, 1); }
static __attribute__((noinline)) void OF(plain_2)(const transform_pass *p) { OF(plain_transforms)(p, 2); }
static __attribute__((noinline)) void OF(plain_4)(const transform_pass *p) {
    OF(plain_transforms)(p, WIDTH < 4 ? 1 : 4);
}
static __attribute__((noinline)) void OF(plain_8)(const transform_pass *p) {
    OF(plain_transforms)(p, WIDTH < 8 ? 1 : 8);
}
static __attribute__((noinline)) void OF(plain_16)(const transform_pass *p) {
    OF(plain_transforms)(p, WIDTH < 16 ? 1 : 16);
}

static void OF(plain)(const transform_pass *p) {
    void (*const lengths[])(const transform_pass *) = {OF(plain_1), OF(plain_2), OF(plain_4), OF(plain_8),
                                                       OF(plain_16)};
    lengths[transform_log2(p->plan->n)](p);
}
