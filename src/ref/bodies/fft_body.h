/* The body of ref/fft.c for REAL; see ref/bodies/butterflies_body.h. */

static void OF(store)(REAL re, REAL im, REAL *y) {
    ref_store_real(DTYPE, re, y);
    ref_store_real(DTYPE, im, y + 1);
}

static void OF(complex_transform)(size_t n, const OF(factor) * w, REAL scale, OF(number) * z, const REAL *x,
                                  REAL *y) {
    for (size_t j = 0; j < n; j++) z[j] = (OF(number)){x[2 * j], x[2 * j + 1]};
    OF(forward)(n, w, z);
    for (size_t f = 0; f < n; f++) {
        const OF(number) v = z[mirrored(f, n)];
        OF(store)(v.re * scale, v.im * scale, y + 2 * f);
    }
}

/* Computes e' and the conjugate of o' of ORDER.md 14.5 for number f of n values. */
static void OF(part)(size_t f, size_t n, bool inverse, OF(number) * a, OF(number) * b) {
    const OF(number) e = {a->re + b->re, a->im - b->im}, o = {a->re - b->re, a->im + b->im};
    OF(factor) w = {.turns = 4 * f < n / 2 ? 1 : 2};
    OF(number) x, c;
    OF(ref_half)(f, n / 2, &w.scale, &w.slope);
    OF(turn_by)(o, inverse ? OF(conjugate)(w) : w, &x, &c);
    *a = (OF(number)){FMA(c.re, x.re, e.re), FMA(c.im, x.im, e.im)};
    *b = (OF(number)){FMA(-c.re, x.re, e.re), FMA(c.im, x.im, -e.im)};
}

static void OF(from_real)(size_t n, const OF(factor) * w, OF(number) * z, const REAL *x, REAL *y) {
    const size_t half = n / 2;
    if (n == 1) {
        OF(store)(x[0], 0, y);
        return;
    }
    for (size_t j = 0; j < half; j++) z[j] = (OF(number)){x[2 * j], x[2 * j + 1]};
    OF(forward)(half, w, z);
    OF(store)(z[0].re + z[0].im, 0, y);
    OF(store)(z[0].re - z[0].im, 0, y + 2 * half);
    for (size_t f = 1; f <= half / 2; f++) {
        const size_t g = half - f;
        OF(number) t = z[mirrored(f, half)], u = z[mirrored(g, half)];
        OF(part)(f, n, false, &t, &u);
        OF(store)(t.re / 2, t.im / 2, y + 2 * f);
        if (g > f) OF(store)(u.re / 2, u.im / 2, y + 2 * g);
    }
}

/* w must contain the complex conjugates of the twiddles. */
static void OF(to_real)(size_t n, const OF(factor) * w, OF(number) * z, const REAL *x, REAL *y) {
    const size_t half = n / 2;
    const REAL scale = (REAL)1 / (REAL)n;
    if (n == 1) {
        ref_store_real(DTYPE, x[0], y);
        return;
    }
    z[0] = (OF(number)){x[0] + x[2 * half], x[0] - x[2 * half]};
    for (size_t f = 1; f <= half / 2; f++) {
        const size_t g = half - f;
        OF(number) t = {x[2 * f], x[2 * f + 1]}, u = {x[2 * g], x[2 * g + 1]};
        OF(part)(f, n, true, &t, &u);
        z[f] = t;
        if (g > f) z[g] = u;
    }
    OF(forward)(half, w, z);
    for (size_t j = 0; j < half; j++) {
        const OF(number) v = z[mirrored(j, half)];
        OF(store)(v.re * scale, v.im * scale, y + 2 * j);
    }
}

#include "ref/bodies/fft_lengths_body.h"

/* Transforms x to y; n is a power of two. Overwrites the n numbers of z. */
static bool OF(transform)(const fft_call *c, const OF(factor) * w, OF(number) * z, const REAL *x, REAL *y) {
    if (c->kind == WEFT_R2C)
        OF(from_real)(c->n, w, z, x, y);
    else if (c->kind == WEFT_C2R)
        OF(to_real)(c->n, w, z, x, y);
    else
        OF(complex_transform)(c->n, w, c->kind == WEFT_C2C ? 1 : (REAL)1 / (REAL)c->n, z, x, y);
    return true;
}

/* Transforms x to y; n is not a power of two. Overwrites the n numbers of z and of t. Returns false without memory.
 */
static bool OF(transform_other)(const fft_call *c, OF(number) * t, OF(number) * z, const REAL *x, REAL *y) {
    if (c->kind == WEFT_R2C) return OF(from_real_other)(c->n, x, z, t, y);
    if (c->kind == WEFT_C2R) return OF(to_real_other)(c->n, x, z, t, y);
    return OF(complex_other)(c->n, c->kind == WEFT_C2C_INVERSE, x, z, t, y);
}

static weft_status OF(fft)(const fft_call *c, weft_error *error) {
    const bool forward = c->kind == WEFT_C2C || c->kind == WEFT_R2C, power = is_power_of_two(c->n);
    OF(number) *z = calloc(c->n, sizeof *z);
    OF(number) *const t = malloc(c->n * sizeof *t);
    OF(factor) *const w = OF(make_twiddles)(power ? c->n : 1, !forward);
    const size_t half = 2 * (c->n / 2 + 1); /* reals of the complex side of a real transform */
    const size_t x_step = c->kind == WEFT_R2C ? c->n : c->kind == WEFT_C2R ? half : 2 * c->n;
    const size_t y_step = c->kind == WEFT_C2R ? c->n : c->kind == WEFT_R2C ? half : 2 * c->n;
    bool done = w && z && t;
    for (size_t b = 0; done && b < c->batch; b++) {
        const REAL *x = (const REAL *)c->x + b * x_step;
        REAL *y = (REAL *)c->y + b * y_step;
        done = power ? OF(transform)(c, w, z, x, y) : OF(transform_other)(c, t, z, x, y);
    }
    free(w);
    free(t);
    free(z);
    RETURN_IF(!done, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the transform of %zu values", c->n);
    return WEFT_OK;
}

/* Computes the stages of a block in place; it is block `number` of its first stage. */
static void OF(block_stages)(size_t n, size_t number, bool inverse, OF(number) * z) {
    for (size_t length = n; length > 1; length /= 2)
        for (size_t q = 0; q < n / length; q++) {
            const OF(factor) w = OF(twiddle)(number * (n / length) + q);
            for (size_t j = 0; j < length / 2; j++) OF(butterfly)
            (&z[q * length + j], &z[q * length + j + length / 2], inverse ? OF(conjugate)(w) : w);
        }
}

static weft_status OF(blocks)(const fft_blocks_call *c, weft_error *error) {
    const REAL scale = c->inverse ? (REAL)1 / (REAL)(c->blocks * c->n) : 1;
    OF(number) *const z = malloc(c->n * sizeof *z);
    RETURN_IF(!z, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", c->n * sizeof *z);
    for (size_t i = 0; i < c->count; i++) {
        memcpy(z, (const OF(number) *)c->x + i * c->n, c->n * sizeof *z);
        OF(block_stages)(c->n, mirrored(c->first + i, c->blocks), c->inverse, z);
        for (size_t f = 0; f < c->n; f++) {
            const OF(number) v = z[mirrored(f, c->n)];
            OF(store)(v.re * scale, v.im * scale, (REAL *)c->y + 2 * (f * c->count + i));
        }
    }
    free(z);
    return WEFT_OK;
}
