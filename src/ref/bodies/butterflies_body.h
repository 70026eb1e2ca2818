/* The transforms F and G of ORDER.md 14.3 and 15.3, in place. The includer sets REAL, FMA and OF(name). */

typedef struct OF(number) {
    REAL re, im;
} OF(number);

/* Replaces (a, b) by (a + w b, a - w b). */
static void OF(butterfly)(OF(number) * a, OF(number) * b, OF(number) w) {
    const OF(number) t = {FMA(b->re, w.re, FMA(-b->im, w.im, a->re)), FMA(b->im, w.re, FMA(b->re, w.im, a->im))};
    const OF(number) u = {FMA(2, a->re, -t.re), FMA(2, a->im, -t.im)};
    *a = t;
    *b = u;
}

static inline void OF(undo_butterfly)(OF(number) * a, OF(number) * b, OF(number) w) {
    const OF(number) s = {a->re + b->re, a->im + b->im}, d = {a->re - b->re, a->im - b->im};
    *a = s;
    *b = (OF(number)){FMA(d.re, w.re, d.im * w.im), FMA(d.im, w.re, -(d.re * w.im))};
}

/* Returns T[0 .. n/2), at least T[0], or NULL without memory. `direction` -1 gives the complex conjugates. */
static OF(number) * OF(make_twiddles)(size_t n, REAL direction) {
    const size_t count = n > 1 ? n / 2 : 1;
    OF(number) *w = malloc(count * sizeof *w);
    for (size_t k = 0; w && k < count; k++) {
        OF(ref_twiddle)(k, &w[k].re, &w[k].im);
        w[k].im *= direction;
    }
    return w;
}

static void OF(forward)(size_t n, const OF(number) * w, OF(number) * z) {
    for (size_t blocks = 1, length = n; length > 1; blocks *= 2, length /= 2)
        for (size_t q = 0; q < blocks; q++)
            for (size_t j = 0; j < length / 2; j++)
                OF(butterfly)(&z[q * length + j], &z[q * length + j + length / 2], w[q]);
}

static inline void OF(backward)(size_t n, const OF(number) * w, OF(number) * z) {
    for (size_t length = 2; length <= n; length *= 2)
        for (size_t q = 0; q < n / length; q++)
            for (size_t j = 0; j < length / 2; j++)
                OF(undo_butterfly)(&z[q * length + j], &z[q * length + j + length / 2], w[q]);
}
