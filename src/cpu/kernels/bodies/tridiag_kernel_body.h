/* Body of cpu/kernels/tridiag.c for one type. The includer defines EPSILON, LEAST, GREATEST and the macros that
 * tridiag_lanes_body.h requires. */
#include "cpu/kernels/bodies/tridiag_rows_body.h"

#include "cpu/kernels/bodies/tridiag_reciprocal_body.h"

/* -------------------------------------------------------------------------------- elimination */

/* Eliminates a chunk of k rows in place; the last row becomes the separator. Row i is reported in `lost` as first
 * + i. */
INLINE void OF(eliminate)(LANES *lost, size_t first, size_t k, OF(rows) v) {
    VECTOR a = OF(splat)(-1), c = OF(splat)(0), d = c;
    for (size_t i = 0; i + 1 < k; i++) {
        const VECTOR r = OF(reciprocal)(lost, first + i, OF(fused)(-v.a[i], c, v.b[i]), v.b[i]);
        d = OF(fused)(-v.a[i], d, v.d[i]) * r;
        a = -(v.a[i] * a) * r;
        c = v.c[i] * r;
        v.a[i] = a, v.c[i] = c, v.d[i] = d;
    }
    v.b[k - 1] = OF(fused)(-v.a[k - 1], c, v.b[k - 1]);
    v.d[k - 1] = OF(fused)(-v.a[k - 1], d, v.d[k - 1]);
    v.a[k - 1] = -(v.a[k - 1] * a);
}

/* Computes the first row of an eliminated chunk in terms of separators. */
INLINE void OF(first_row)(size_t k, OF(rows) v, VECTOR *a, VECTOR *c, VECTOR *d) {
    *a = *d = OF(splat)(0);
    *c = OF(splat)(-1);
    if (k == 1) return;
    *a = v.a[k - 2], *c = v.c[k - 2], *d = v.d[k - 2];
    for (size_t i = k - 2; i-- > 0;) {
        *a = OF(fused)(-v.c[i], *a, v.a[i]);
        *d = OF(fused)(-v.c[i], *d, v.d[i]);
        *c = -(v.c[i] * *c);
    }
}

/* Computes x of an eliminated chunk, in d. */
INLINE void OF(substitute)(size_t k, OF(rows) v, VECTOR before, VECTOR own) {
    v.d[k - 1] = own;
    for (size_t i = k - 1; i-- > 0;) v.d[i] = own = OF(fused)(-v.c[i], own, OF(fused)(-v.a[i], before, v.d[i]));
}

/* Combines the separator at index i with the first row of the next chunk. */
INLINE void OF(combine)(OF(rows) v, size_t i, VECTOR a, VECTOR c, VECTOR d) {
    const VECTOR own = v.c[i];
    v.b[i] = OF(fused)(-own, a, v.b[i]);
    v.d[i] = OF(fused)(-own, d, v.d[i]);
    v.c[i] = -(own * c);
}

/* ------------------------------------------------------------------------ at most 32 rows */

/* Returns the number in the whole system of row i: i itself (scale 1), or the separator of chunk i. */
INLINE size_t OF(number)(size_t i, size_t scale, size_t n) { return ((i + 1) * scale < n ? (i + 1) * scale : n) - 1; }

/* Coefficients and right-hand side of the last row of a periodic system, and the column e of its x in the other
 * rows. */
typedef struct OF(border) {
    VECTOR a, b, c, d, *e;
} OF(border);

/* Eliminates rows w - 1, 3 w - 1, ... of the rows w - 1, 2 w - 1, ... that are left. */
INLINE void OF(eliminate_half)(LANES *lost, size_t n, size_t w, size_t scale, size_t all, OF(rows) v,
                               const VECTOR *diagonal, VECTOR *e) {
    for (size_t i = w - 1; i < n; i += 2 * w) {
        const VECTOR r = OF(reciprocal)(lost, OF(number)(i, scale, all), v.b[i], diagonal[i]);
        v.a[i] *= r, v.c[i] *= r, v.d[i] *= r;
        if (e) e[i] *= r;
    }
    for (size_t i = 2 * w - 1; i < n; i += 2 * w) {
        const bool there = i + w < n;
        const size_t up = i - w, down = there ? i + w : i;
        const VECTOR zero = OF(splat)(0), a = v.a[i], c = v.c[i];
        v.a[i] = -(a * v.a[up]);
        v.b[i] = OF(fused)(-c, there ? v.a[down] : zero, OF(fused)(-a, v.c[up], v.b[i]));
        v.c[i] = -(c * (there ? v.c[down] : zero));
        v.d[i] = OF(fused)(-c, there ? v.d[down] : zero, OF(fused)(-a, v.d[up], v.d[i]));
        if (e) e[i] = OF(fused)(-c, there ? e[down] : zero, OF(fused)(-a, e[up], e[i]));
    }
}

/* Subtracts the eliminated first row, and the last row if it was eliminated, from the border row. */
INLINE void OF(eliminate_border)(OF(border) * border, OF(rows) v, size_t n, size_t w) {
    const size_t first = w - 1, last = n / w * w - 1;
    border->b = OF(fused)(-border->c, border->e[first], border->b);
    border->d = OF(fused)(-border->c, v.d[first], border->d);
    border->c = -(border->c * v.c[first]);
    if (n / w % 2 == 0) return;
    border->b = OF(fused)(-border->a, border->e[last], border->b);
    border->d = OF(fused)(-border->a, v.d[last], border->d);
    border->a = -(border->a * v.a[last]);
}

/* Solves n rows in the order of cyclic reduction, and then the border row of a periodic system, if there is one. x is
 * in d. */
static void OF(reduce_cyclically)(LANES *lost, size_t n, size_t scale, size_t all, OF(rows) v, OF(border) * border) {
    VECTOR diagonal[WEFT_TRIDIAG_BASE], last = OF(splat)(0);
    VECTOR *const e = border ? border->e : NULL;
    const VECTOR own = border ? border->b : last;
    size_t w = 1;
    memcpy(diagonal, v.b, n * sizeof *diagonal);
    v.a[0] = v.c[n - 1] = OF(splat)(0);
    for (; w <= n; w *= 2) {
        OF(eliminate_half)(lost, n, w, scale, all, v, diagonal, e);
        if (border) OF(eliminate_border)(border, v, n, w);
    }
    if (border) {
        last = border->d * OF(reciprocal)(lost, OF(number)(n, scale, all), border->b, own);
        v.d[n] = last;
    }
    while (w /= 2)
        for (size_t i = w - 1; i < n; i += 2 * w) {
            const VECTOR before = i >= w ? v.d[i - w] : OF(splat)(0), after = i + w < n ? v.d[i + w] : OF(splat)(0);
            if (border) v.d[i] = OF(fused)(-e[i], last, v.d[i]);
            v.d[i] = OF(fused)(-v.c[i], after, OF(fused)(-v.a[i], before, v.d[i]));
        }
}

/* Solves n rows, with x in d. They are the whole system, or the separators of a system of `all` rows. */
static void OF(solve_base)(LANES *lost, bool periodic, size_t n, size_t scale, size_t all, OF(rows) v) {
    VECTOR e[WEFT_TRIDIAG_BASE];
    if (!periodic) {
        OF(reduce_cyclically)(lost, n, scale, all, v, NULL);
        return;
    }
    if (n == 1) {
        v.d[0] *= OF(reciprocal)(lost, OF(number)(0, scale, all), (v.a[0] + v.b[0]) + v.c[0], v.b[0]);
        return;
    }
    OF(border) border = {v.a[n - 1], v.b[n - 1], v.c[n - 1], v.d[n - 1], e};
    for (size_t i = 0; i + 1 < n; i++) e[i] = OF(splat)(0);
    e[n - 2] = v.c[n - 2];
    e[0] = n == 2 ? v.a[0] + v.c[0] : v.a[0];
    OF(reduce_cyclically)(lost, n - 1, scale, all, v, &border);
}

/* ----------------------------------------------------------------------------------- kernels */

/* A full chunk uses code with a constant length. */
INLINE void OF(load_and_eliminate)(const tridiag_lanes *in, LANES *lost, size_t first, size_t k, OF(rows) v) {
    if (k == CHUNK) {
        OF(load_rows)(in, first, CHUNK, v);
        OF(eliminate)(lost, first, CHUNK, v);
    } else {
        OF(load_rows)(in, first, k, v);
        OF(eliminate)(lost, first, k, v);
    }
}

/* Solves systems of more than WEFT_TRIDIAG_BASE rows. */
static void OF(solve_chunks)(const tridiag_lanes *in, bool periodic, LANES *lost, OF(rows) v) {
    const size_t n = in->rows, chunks = (n - 1) / CHUNK + 1;
    VECTOR workspace[4][WEFT_TRIDIAG_BASE], a, c, d, before;
    const OF(rows) separators = {workspace[0], workspace[1], workspace[2], workspace[3]};
    for (size_t j = 0; j < chunks; j++) {
        const size_t first = j * CHUNK, k = n - first < CHUNK ? n - first : CHUNK, last = first + k - 1;
        OF(load_and_eliminate)(in, lost, first, k, OF(after)(v, first));
        workspace[0][j] = v.a[last], workspace[1][j] = v.b[last], workspace[2][j] = v.c[last],
        workspace[3][j] = v.d[last];
        if (j == 0) continue;
        OF(first_row)(k, OF(after)(v, first), &a, &c, &d);
        OF(combine)(separators, j - 1, a, c, d);
    }
    if (periodic) {
        OF(first_row)(CHUNK, v, &a, &c, &d);
        OF(combine)(separators, chunks - 1, a, c, d);
    }
    OF(solve_base)(lost, periodic, chunks, CHUNK, n, separators);
    before = periodic ? separators.d[chunks - 1] : OF(splat)(0);
    for (size_t j = 0; j < chunks; before = separators.d[j++]) {
        const size_t first = j * CHUNK, k = n - first < CHUNK ? n - first : CHUNK;
        OF(substitute)(k, OF(after)(v, first), before, separators.d[j]);
    }
}

static void OF(solve)(const tridiag_lanes *in, bool periodic, void *x) {
    VECTOR(*const workspace)[TRIDIAG_ALONE] = in->workspace;
    const OF(rows) v = {workspace[0], workspace[1], workspace[2], workspace[3]};
    const size_t n = in->rows;
    LANES lost = ~(LANES){0};
    if (n > WEFT_TRIDIAG_BASE) {
        OF(solve_chunks)(in, periodic, &lost, v);
    } else {
        for (size_t i = 0; i < n; i += CHUNK) OF(load_rows)(in, i, n - i < CHUNK ? n - i : CHUNK, OF(after)(v, i));
        OF(solve_base)(&lost, periodic, n, 1, n, v);
    }
    OF(report_lost)(&in->position, in->count, lost);
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t rows = n - i < CHUNK ? n - i : CHUNK;
        OF(finish)(&in->position, in->count, i, rows, 1, v.d + i);
        OF(store)(in->d, x, in->count, i, rows, v.d + i);
    }
}

static void OF(reduce)(const tridiag_lanes *in, const tridiag_reduced *out) {
    VECTOR workspace[4][CHUNK], first_a, first_c, first_d;
    const OF(rows) v = {workspace[0], workspace[1], workspace[2], workspace[3]};
    const size_t last = in->rows - 1, bytes = in->count * sizeof(REAL);
    LANES lost = ~(LANES){0};
    OF(load_and_eliminate)(in, &lost, 0, in->rows, v);
    OF(first_row)(in->rows, v, &first_a, &first_c, &first_d);
    OF(report_lost)(&in->position, in->count, lost);
    memcpy(out->a, &v.a[last], bytes);
    memcpy(out->b, &v.b[last], bytes);
    memcpy(out->c, &v.c[last], bytes);
    memcpy(out->d, &v.d[last], bytes);
    memcpy(out->first_a, &first_a, bytes);
    memcpy(out->first_c, &first_c, bytes);
    memcpy(out->first_d, &first_d, bytes);
}

static void OF(link)(size_t count, const tridiag_reduced *separators, const tridiag_reduced *next) {
    REAL *b = separators->b, *c = separators->c, *d = separators->d;
    const REAL *first_a = next->first_a, *first_c = next->first_c, *first_d = next->first_d;
    for (size_t i = 0; i < count; i++) {
        const REAL own = c[i];
        b[i] = FUSED(-own, first_a[i], b[i]);
        d[i] = FUSED(-own, first_d[i], d[i]);
        c[i] = -(own * first_c[i]);
    }
}

static void OF(expand)(const tridiag_lanes *in, const void *before, const void *own, void *x) {
    VECTOR workspace[4][CHUNK], x_before = {0}, x_own = {0};
    const OF(rows) v = {workspace[0], workspace[1], workspace[2], workspace[3]};
    LANES lost = ~(LANES){0};
    memcpy(&x_before, before, in->count * sizeof(REAL));
    memcpy(&x_own, own, in->count * sizeof(REAL));
    OF(load_and_eliminate)(in, &lost, 0, in->rows, v);
    if (in->rows == CHUNK)
        OF(substitute)(CHUNK, v, x_before, x_own);
    else
        OF(substitute)(in->rows, v, x_before, x_own);
    OF(finish)(&in->position, in->count, 0, in->rows, 1, v.d);
    OF(store)(in->d, x, in->count, 0, in->rows, v.d);
}

#include "cpu/kernels/bodies/tridiag_factors_body.h"

#include "cpu/kernels/bodies/tridiag_lanes_end.h"
