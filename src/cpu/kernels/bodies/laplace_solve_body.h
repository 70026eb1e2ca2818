/* Row kernels of relaxation, restriction and interpolation in REAL arithmetic (ORDER.md 7.3 to 7.8); included once
 * for each type. NOT_A_NUMBER is the NaN that is stored in the caller's grid. */

/* ------------------------------------------------------------------------- the first grid */

/* Returns the new value of point i in a sweep of weft_laplace. */
INLINE REAL OF(mean)(const REAL *u, const REAL *s, const REAL *r, const REAL *b, const REAL *a, size_t i) {
    return (((((u[i - 1] + u[i + 1]) + s[i]) + r[i]) + b[i]) + a[i]) * ((REAL)1 / 6);
}

static void OF(relax)(const stencil_rows *rows, size_t first, double omega, void *row) {
    const REAL *restrict s = rows->south, *restrict r = rows->north, *restrict b = rows->below,
                         *restrict a = rows->above;
    const REAL w = (REAL)omega;
    REAL *restrict u = row;
    for (size_t i = first; i + 1 < rows->n; i += 2) {
        const REAL v = u[i] + w * (OF(mean)(u, s, r, b, a, i) - u[i]);
        u[i] = v == v ? v : NOT_A_NUMBER;
    }
}

static void OF(find_residual)(const stencil_rows *rows, const void *row, void *to) {
    const REAL *restrict s = rows->south, *restrict r = rows->north, *restrict b = rows->below,
                         *restrict a = rows->above, *restrict u = row;
    REAL *restrict v = to;
    v[0] = v[rows->n - 1] = 0;
    for (size_t i = 1; i + 1 < rows->n; i++) v[i] = OF(mean)(u, s, r, b, a, i) - u[i];
}

/* ------------------------------------------------------------------------- the other grids */

/* A row, its adjacent rows, and the weights of its equations. */
typedef struct OF(line) {
    const REAL *e, *s, *r, *b, *a, *g, *before, *after;
    REAL south, north, below, above, across, along;
} OF(line);

INLINE OF(line) OF(line_of)(const stencil_rows *rows, const void *row) {
    const stencil_weights *w = rows->weights;
    const REAL south = (REAL)w->south, north = (REAL)w->north, below = (REAL)w->below, above = (REAL)w->above;
    return (OF(line)){.e = row,
                      .s = rows->south,
                      .r = rows->north,
                      .b = rows->below,
                      .a = rows->above,
                      .g = rows->right,
                      .before = w->before,
                      .after = w->after,
                      .south = south,
                      .north = north,
                      .below = below,
                      .above = above,
                      .across = south + north,
                      .along = below + above};
}

/* Returns the weighted sum of the points adjacent to point i plus its right-hand side. */
INLINE REAL OF(around)(const OF(line) * l, size_t i) {
    const REAL x = l->before[i] * l->e[i - 1] + l->after[i] * l->e[i + 1];
    return ((((x + l->south * l->s[i]) + l->north * l->r[i]) + l->below * l->b[i]) + l->above * l->a[i]) + l->g[i];
}

INLINE REAL OF(weights)(const OF(line) * l, size_t i) {
    return ((l->before[i] + l->after[i]) + l->across) + l->along;
}

static void OF(relax_weighted)(const stencil_rows *rows, size_t first, double omega, void *row) {
    const OF(line) l = OF(line_of)(rows, row);
    const REAL w = (REAL)omega;
    REAL *e = row;
    for (size_t i = first; i + 1 < rows->n; i += 2) e[i] = e[i] + w * (OF(around)(&l, i) / OF(weights)(&l, i) - e[i]);
}

static void OF(find_residual_weighted)(const stencil_rows *rows, const void *row, void *to) {
    const OF(line) l = OF(line_of)(rows, row);
    REAL *restrict v = to;
    v[0] = v[rows->n - 1] = 0;
    for (size_t i = 1; i + 1 < rows->n; i++) v[i] = OF(around)(&l, i) - OF(weights)(&l, i) * l.e[i];
}

/* ----------------------------------------------------------------------- between the grids */

static void OF(combine_three)(size_t n, const weft_parts *parts, const void *const from[3], void *to) {
    const REAL before = (REAL)parts->before, middle = (REAL)parts->middle, after = (REAL)parts->after;
    const REAL *restrict x = from[0], *restrict y = from[1], *restrict z = from[2];
    REAL *restrict v = to;
    for (size_t i = 0; i < n; i++) v[i] = (before * x[i] + middle * y[i]) + after * z[i];
}

static void OF(combine_two)(size_t n, const weft_shares *shares, const void *const from[2], void *to) {
    const REAL before = (REAL)shares->before, after = (REAL)shares->after;
    const REAL *restrict x = from[0], *restrict y = from[1];
    REAL *restrict v = to;
    for (size_t i = 0; i < n; i++) v[i] = before * x[i] + after * y[i];
}

INLINE REAL OF(narrowed)(weft_parts p, const REAL *x, size_t centre) {
    return ((REAL)p.before * x[centre - 1] + (REAL)p.middle * x[centre]) + (REAL)p.after * x[centre + 1];
}

/* Restricts a combined row along x to the interior of a row of the next grid, times `scale`. */
static void OF(narrow)(weft_axis x, double scale, const void *from, void *to) {
    const REAL *restrict f = from;
    const size_t last = WEFT_MULTIGRID_HALVED(x.n) - 2, step = weft_axis_is_halved(x) ? 2 : 1;
    const weft_parts inside = weft_axis_parts(x, 0);
    REAL *restrict v = to;
    for (size_t i = 1; i < last; i++) v[i] = (REAL)scale * OF(narrowed)(inside, f, step * i);
    v[last] = (REAL)scale * OF(narrowed)(weft_axis_parts(x, last), f, step * last);
}

/* Interpolates a combined row of the next grid along x and adds it to the interior of a row of this grid. */
static void OF(widen)(weft_axis x, const void *from, void *row) {
    const REAL *restrict f = from;
    REAL *restrict e = row;
    const size_t last = x.n - 2;
    if (!weft_axis_is_halved(x)) {
        e[1] = e[1] + f[1];
        return;
    }
    for (size_t i = 2; i <= last; i += 2) e[i] = e[i] + f[i / 2];
    for (size_t i = 1; i < last; i += 2) e[i] = e[i] + ((REAL)0.5 * f[i / 2] + (REAL)0.5 * f[i / 2 + 1]);
    if (last % 2 == 0) return;
    const weft_shares s = weft_axis_shares(x, last);
    e[last] = e[last] + ((REAL)s.before * f[last / 2] + (REAL)s.after * f[last / 2 + 1]);
}
#undef REAL
#undef OF
#undef NOT_A_NUMBER
