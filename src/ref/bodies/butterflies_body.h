/* The transforms F and G of ORDER.md 14.3 and 15.3, in place. The includer sets REAL, FMA and OF(name). */

typedef struct OF(number) {
    REAL re, im;
} OF(number);

/* The factor (-i)^turns c (1 + i t). */
typedef struct OF(factor) {
    REAL scale, slope; /* c, t */
    unsigned turns;
} OF(factor);

static OF(factor) OF(conjugate)(OF(factor) w) { return (OF(factor)){w.scale, -w.slope, (4 - w.turns) % 4}; }

/* Sets x to b (1 + i t), with its parts exchanged if the number of turns is odd, and c to the scale with the signs of
 * the parts of (-i)^turns: w b is c.re x.re + i c.im x.im. */
static void OF(turn_by)(OF(number) b, OF(factor) w, OF(number) * x, OF(number) * c) {
    const OF(number) z = {FMA(-w.slope, b.im, b.re), FMA(w.slope, b.re, b.im)};
    *x = w.turns % 2 ? (OF(number)){z.im, z.re} : z;
    c->re = w.turns == 0 || w.turns == 1 ? w.scale : -w.scale;
    c->im = w.turns == 0 || w.turns == 3 ? w.scale : -w.scale;
}

/* Replaces (a, b) by (a + w b, a - w b). */
static void OF(butterfly)(OF(number) * a, OF(number) * b, OF(factor) w) {
    OF(number) x, c;
    OF(turn_by)(*b, w, &x, &c);
    *b = (OF(number)){FMA(-c.re, x.re, a->re), FMA(-c.im, x.im, a->im)};
    *a = (OF(number)){FMA(c.re, x.re, a->re), FMA(c.im, x.im, a->im)};
}

static inline void OF(undo_butterfly)(OF(number) * a, OF(number) * b, OF(factor) w) {
    const OF(number) s = {a->re + b->re, a->im + b->im}, d = {a->re - b->re, a->im - b->im};
    OF(number) x, c;
    OF(turn_by)(d, OF(conjugate)(w), &x, &c);
    *a = s;
    *b = (OF(number)){c.re * x.re, c.im * x.im};
}

/* Returns T[k]. */
static OF(factor) OF(twiddle)(size_t k) {
    static const unsigned turns[] = {0, 1, 1, 2};
    OF(factor) w = {.turns = turns[k % 4]};
    OF(ref_twiddle)(k, &w.scale, &w.slope);
    return w;
}

/* Returns T[0 .. n/2), at least T[0], or NULL without memory. */
static OF(factor) * OF(make_twiddles)(size_t n, bool conjugates) {
    const size_t count = n > 1 ? n / 2 : 1;
    OF(factor) *w = malloc(count * sizeof *w);
    for (size_t k = 0; w && k < count; k++) {
        w[k] = OF(twiddle)(k);
        if (conjugates) w[k] = OF(conjugate)(w[k]);
    }
    return w;
}

static void OF(forward)(size_t n, const OF(factor) * w, OF(number) * z) {
    for (size_t blocks = 1, length = n; length > 1; blocks *= 2, length /= 2)
        for (size_t q = 0; q < blocks; q++)
            for (size_t j = 0; j < length / 2; j++)
                OF(butterfly)(&z[q * length + j], &z[q * length + j + length / 2], w[q]);
}

static inline void OF(backward)(size_t n, const OF(factor) * w, OF(number) * z) {
    for (size_t length = 2; length <= n; length *= 2)
        for (size_t q = 0; q < n / length; q++)
            for (size_t j = 0; j < length / 2; j++)
                OF(undo_butterfly)(&z[q * length + j], &z[q * length + j + length / 2], w[q]);
}
