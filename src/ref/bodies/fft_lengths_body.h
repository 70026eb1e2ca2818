/* Transforms whose length is not a power of two (ORDER.md 14.7 to 14.10), for REAL; included by
 * ref/bodies/fft_body.h. */

static OF(number) OF(turn)(size_t a, size_t b) {
    OF(number) w;
    OF(ref_turn)(a, b, &w.re, &w.im);
    return w;
}

static OF(number) OF(product)(OF(number) z, OF(number) w) {
    return (OF(number)){FMA(z.re, w.re, -(z.im * w.im)), FMA(z.im, w.re, z.re * w.im)};
}

static OF(number) OF(exchanged)(OF(number) z) { return (OF(number)){z.im, z.re}; }
static OF(number) OF(scaled)(OF(number) z, REAL factor) { return (OF(number)){z.re * factor, z.im * factor}; }

/* ------------------------------------------------------------------------------- mixed radices */

/* Computes results c and p - c of p values. w[j]: W(j, p). */
static void OF(pair_of_points)(size_t p, size_t c, const OF(number) * w, const OF(number) * a, OF(number) * b) {
    OF(number) u = a[0], v = {0, 0};
    for (size_t j = 1; j <= p / 2; j++) {
        const REAL cosine = w[c * j % p].re, sine = -w[c * j % p].im;
        const OF(number) s = {a[j].re + a[p - j].re, a[j].im + a[p - j].im};
        const OF(number) d = {a[j].re - a[p - j].re, a[j].im - a[p - j].im};
        u = (OF(number)){FMA(cosine, s.re, u.re), FMA(cosine, s.im, u.im)};
        if (j == 1)
            v = (OF(number)){sine * d.re, sine * d.im};
        else
            v = (OF(number)){FMA(sine, d.re, v.re), FMA(sine, d.im, v.im)};
    }
    b[c] = (OF(number)){u.re + v.im, u.im - v.re};
    b[p - c] = (OF(number)){u.re - v.im, u.im + v.re};
}

/* Computes results 1 and 2 of three values, whose last steps are fused. */
static void OF(pair_of_three)(const OF(number) * w, const OF(number) * a, OF(number) * b) {
    const REAL cosine = w[1].re, sine = -w[1].im;
    const OF(number) s = {a[1].re + a[2].re, a[1].im + a[2].im}, d = {a[1].re - a[2].re, a[1].im - a[2].im};
    const OF(number) u = {FMA(cosine, s.re, a[0].re), FMA(cosine, s.im, a[0].im)};
    b[1] = (OF(number)){FMA(sine, d.im, u.re), FMA(-sine, d.re, u.im)};
    b[2] = (OF(number)){FMA(-sine, d.im, u.re), FMA(sine, d.re, u.im)};
}

/* Transforms p values. */
static void OF(points)(size_t p, const OF(number) * w, const OF(number) * a, OF(number) * b) {
    b[0] = a[0];
    for (size_t j = 1; j <= p / 2; j++) {
        b[0].re += a[j].re + a[p - j].re;
        b[0].im += a[j].im + a[p - j].im;
    }
    if (p == 3)
        OF(pair_of_three)(w, a, b);
    else
        for (size_t c = 1; c <= p / 2; c++) OF(pair_of_points)(p, c, w, a, b);
}

static void OF(radix_pass)(size_t p, size_t s, size_t rest, const OF(number) * z, OF(number) * out) {
    OF(number) w[RADIX_MOST], factor[RADIX_MOST], a[RADIX_MOST], b[RADIX_MOST];
    for (size_t j = 0; j < p; j++) w[j] = OF(turn)(j, p);
    for (size_t q = 0; q < s; q++) {
        for (size_t c = 0; c < p; c++) factor[c] = OF(turn)(c * q, s * p);
        for (size_t r = 0; r < rest; r++) {
            for (size_t c = 0; c < p; c++) {
                a[c] = z[(q * p + c) * rest + r];
                if (s > 1 && c > 0) a[c] = OF(product)(a[c], factor[c]);
            }
            OF(points)(p, w, a, b);
            for (size_t c = 0; c < p; c++) out[(q + s * c) * rest + r] = b[c];
        }
    }
}

/* Transforms the m rows of 2^k values and stores them as columns. */
static bool OF(transform_rows)(size_t m, size_t length, REAL scale, OF(number) * z, OF(number) * y) {
    OF(factor) *const w = OF(make_twiddles)(length, false);
    for (size_t q = 0; w && q < m; q++) {
        OF(forward)(length, w, z + q * length);
        for (size_t c = 0; c < length; c++) y[q + m * c] = OF(scaled)(z[q * length + mirrored(c, length)], scale);
    }
    free(w);
    return w;
}

/* Transforms the n values of z to y. Overwrites z. */
static bool OF(mixed_radices)(size_t n, bool inverse, REAL factor, OF(number) * z, OF(number) * y) {
    const size_t m = odd_part(n), length = n / m;
    OF(number) *from = z, *to = y;
    for (size_t s = 1, p; s < m; s *= p) {
        p = largest_factor(m / s);
        OF(radix_pass)(p, s, n / (s * p), from, to);
        OF(number) *const other = from;
        from = to;
        to = other;
    }
    for (size_t i = 0; i < n; i++) {
        OF(number) v = from[i];
        if (length > 1) v = OF(product)(v, OF(turn)(i / length * (i % length), n));
        z[i] = inverse ? OF(scaled)(v, factor) : v;
    }
    return OF(transform_rows)(m, length, inverse ? (REAL)1 / (REAL)length : 1, z, y);
}

/* ------------------------------------------------------------------------- large prime factors */

/* Transforms the M values of z in natural order, in place, or inversely. */
static bool OF(power_of_two)(size_t m, bool inverse, OF(number) * z) {
    OF(factor) *const w = OF(make_twiddles)(m, inverse);
    OF(number) *const y = malloc(m * sizeof *y);
    const bool made = w && y;
    if (made) {
        OF(forward)(m, w, z);
        for (size_t f = 0; f < m; f++) y[f] = OF(scaled)(z[mirrored(f, m)], inverse ? (REAL)1 / (REAL)m : 1);
        memcpy(z, y, m * sizeof *y);
    }
    free(w);
    free(y);
    return made;
}

/* Sets the n values of g. */
static void OF(chirp)(size_t n, OF(number) * g) {
    size_t square = 0; /* j^2 modulo 2 n */
    for (size_t j = 0; j < n; square = (square + 2 * j + 1) % (2 * n), j++) g[j] = OF(turn)(square, 2 * n);
}

/* Sets the m values of h to H, which is computed in f64. */
static bool OF(filter)(size_t n, size_t m, OF(number) * h) {
    number_f64 *const g = malloc(n * sizeof *g), *const wide = calloc(m, sizeof *wide);
    bool done = g && wide;
    if (done) {
        chirp_f64(n, g);
        for (size_t j = 0; j < n; j++) wide[j] = wide[(m - j) % m] = (number_f64){g[j].re, 0 - g[j].im};
        done = power_of_two_f64(m, false, wide);
        for (size_t f = 0; f < m; f++) h[f] = (OF(number)){(REAL)wide[f].re, (REAL)wide[f].im};
    }
    free(g);
    free(wide);
    return done;
}

/* Transforms the n values of z to y. */
static bool OF(by_convolution)(size_t n, bool inverse, REAL factor, const OF(number) * z, OF(number) * y) {
    size_t m = 1;
    while (m < 2 * n - 1) m *= 2;
    OF(number) *const g = malloc(n * sizeof *g), *const h = malloc(m * sizeof *h), *const u = calloc(m, sizeof *u);
    bool done = g && h && u;
    if (done) {
        OF(chirp)(n, g);
        for (size_t j = 0; j < n; j++) u[j] = OF(product)(z[j], g[j]);
        done = OF(filter)(n, m, h) && OF(power_of_two)(m, false, u);
        for (size_t f = 0; f < m; f++) u[f] = OF(product)(u[f], h[f]);
        done = done && OF(power_of_two)(m, true, u);
        for (size_t f = 0; f < n; f++) {
            y[f] = OF(product)(u[f], g[f]);
            if (inverse) y[f] = OF(scaled)(y[f], factor);
        }
    }
    free(g);
    free(h);
    free(u);
    return done;
}

/* Transforms the n values of z to y. Overwrites z. `halved`: half of the inverse's factor. */
static bool OF(other_length)(size_t n, bool inverse, bool halved, OF(number) * z, OF(number) * y) {
    const bool mixed = largest_factor(odd_part(n)) <= RADIX_MOST;
    const REAL factor = (REAL)(1.0 / (double)(mixed ? odd_part(n) : n)) / (halved ? 2 : 1);
    for (size_t j = 0; inverse && j < n; j++) z[j] = OF(exchanged)(z[j]);
    const bool done =
        mixed ? OF(mixed_radices)(n, inverse, factor, z, y) : OF(by_convolution)(n, inverse, factor, z, y);
    for (size_t f = 0; inverse && f < n; f++) y[f] = OF(exchanged)(y[f]);
    return done;
}

/* --------------------------------------------------------------------------- real and complex */

static bool OF(complex_other)(size_t n, bool inverse, const REAL *x, OF(number) * z, OF(number) * t, REAL *y) {
    for (size_t j = 0; j < n; j++) z[j] = (OF(number)){x[2 * j], x[2 * j + 1]};
    const bool done = OF(other_length)(n, inverse, false, z, t);
    for (size_t f = 0; f < n; f++) OF(store)(t[f].re, t[f].im, y + 2 * f);
    return done;
}

/* Computes the results of R2C from the transform t of the n / 2 pairs. */
static void OF(split_pairs)(size_t n, const OF(number) * t, REAL *y) {
    const size_t half = n / 2;
    OF(store)(t[0].re + t[0].im, 0, y);
    OF(store)(t[0].re - t[0].im, 0, y + 2 * half);
    for (size_t f = 1; f <= half / 2; f++) {
        OF(number) a = t[f], b = t[half - f];
        OF(part)(f, n, false, &a, &b);
        OF(store)(a.re / 2, a.im / 2, y + 2 * f);
        if (half - f > f) OF(store)(b.re / 2, b.im / 2, y + 2 * (half - f));
    }
}

static void OF(combine_pairs)(size_t n, const REAL *x, OF(number) * z) {
    const size_t half = n / 2;
    z[0] = (OF(number)){x[0] + x[2 * half], x[0] - x[2 * half]};
    for (size_t f = 1; f <= half / 2; f++) {
        const size_t g = half - f;
        OF(number) a = {x[2 * f], x[2 * f + 1]}, b = {x[2 * g], x[2 * g + 1]};
        OF(part)(f, n, true, &a, &b);
        z[f] = a;
        if (g > f) z[g] = b;
    }
}

static bool OF(from_real_other)(size_t n, const REAL *x, OF(number) * z, OF(number) * t, REAL *y) {
    const bool even = n % 2 == 0;
    const size_t count = even ? n / 2 : n;
    for (size_t j = 0; j < count; j++) z[j] = even ? (OF(number)){x[2 * j], x[2 * j + 1]} : (OF(number)){x[j], 0};
    const bool done = OF(other_length)(count, false, false, z, t);
    if (even) {
        OF(split_pairs)(n, t, y);
        return done;
    }
    for (size_t f = 0; f <= n / 2; f++) OF(store)(t[f].re, f ? t[f].im : 0, y + 2 * f);
    return done;
}

static bool OF(to_real_other)(size_t n, const REAL *x, OF(number) * z, OF(number) * t, REAL *y) {
    const bool even = n % 2 == 0;
    if (even) {
        OF(combine_pairs)(n, x, z);
    } else {
        z[0] = (OF(number)){x[0], 0};
        for (size_t f = 1; f <= n / 2; f++) {
            z[f] = (OF(number)){x[2 * f], x[2 * f + 1]};
            z[n - f] = (OF(number)){x[2 * f], -x[2 * f + 1]};
        }
    }
    const size_t count = even ? n / 2 : n;
    const bool done = OF(other_length)(count, true, even, z, t);
    for (size_t j = 0; j < count; j++) {
        if (even)
            OF(store)(t[j].re, t[j].im, y + 2 * j);
        else
            ref_store_real(DTYPE, t[j].re, y + j);
    }
    return done;
}
