/* The body of ref/laplace_solve.c in REAL arithmetic. Included once for each type. */

/* Returns the weighted sum of the six adjacent points, plus the right-hand side. Sets *weights to the sum of the
 * weights. On the first grid all weights are 1 and there is no right-hand side. */
static REAL OF(around)(const grid *g, int level, size_t i, size_t j, size_t k, REAL *weights) {
    const REAL *e = g->e, *right = g->g;
    const size_t p = index_of(g, i, j, k), step[] = {1, g->of[0].n, g->of[0].n * g->of[1].n}, at[] = {i, j, k};
    REAL sum = 0;
    *weights = 6;
    for (int d = 0; d < 3; d++) {
        const REAL before = (REAL)weight_before(&g->of[d], at[d]), after = (REAL)weight_after(&g->of[d], at[d]);
        const REAL a = level == 0 ? e[p - step[d]] : before * e[p - step[d]];
        const REAL b = level == 0 ? e[p + step[d]] : after * e[p + step[d]];
        sum = d == 0 ? a : sum + a;
        sum = sum + b;
        *weights = d == 0 ? before + after : *weights + (before + after);
    }
    return level == 0 ? sum : sum + right[p];
}

static bool OF(is_inside)(const grid *g, size_t i, size_t j, size_t k) {
    return i > 0 && i + 1 < g->of[0].n && j > 0 && j + 1 < g->of[1].n && k > 0 && k + 1 < g->of[2].n;
}

static void OF(relax_point)(grid *g, int level, REAL omega, size_t i, size_t j, size_t k) {
    const REAL sixth = (REAL)1 / 6;
    REAL *e = (REAL *)g->e + index_of(g, i, j, k), weights;
    const REAL sum = OF(around)(g, level, i, j, k, &weights);
    const REAL wanted = level == 0 ? sum * sixth : sum / weights;
    const REAL now = *e + omega * (wanted - *e);
    ref_store_real(sizeof now == 4 ? WEFT_F32 : WEFT_F64, now, e);
}

/* Makes a sweep: first the points with even i + j + k, then the others. */
static void OF(relax)(grid *g, int level, REAL omega) {
    for (size_t colour = 0; colour < 2; colour++)
        for (size_t k = 0; k < g->of[2].n; k++)
            for (size_t j = 0; j < g->of[1].n; j++)
                for (size_t i = 0; i < g->of[0].n; i++)
                    if (OF(is_inside)(g, i, j, k) && (i + j + k) % 2 == colour)
                        OF(relax_point)(g, level, omega, i, j, k);
}

/* Computes the residual of the interior points. On the faces it stays +0. */
static void OF(find_residual)(grid *g, int level) {
    const REAL sixth = (REAL)1 / 6, *e = g->e;
    REAL *r = g->r;
    for (size_t k = 0; k < g->of[2].n; k++)
        for (size_t j = 0; j < g->of[1].n; j++)
            for (size_t i = 0; i < g->of[0].n; i++) {
                const size_t p = index_of(g, i, j, k);
                REAL weights;
                if (!OF(is_inside)(g, i, j, k)) continue;
                const REAL sum = OF(around)(g, level, i, j, k, &weights);
                r[p] = level == 0 ? sum * sixth - e[p] : sum - weights * e[p];
            }
}

/* ------------------------------------------------------------------------- between the grids */

static REAL OF(combined)(const axis *a, const axis *next, size_t i, const REAL three[3]) {
    const REAL x = (REAL)part(a, next, i, 0) * three[0], y = (REAL)part(a, next, i, 1) * three[1];
    return (x + y) + (REAL)part(a, next, i, 2) * three[2];
}

/* Returns the weighted residual around a point of the next grid, combined along y, then z, then x. */
static REAL OF(residual_round)(const grid *g, const grid *next, const size_t at[3]) {
    const REAL *r = g->r;
    size_t centre[3];
    REAL x[3];
    for (int d = 0; d < 3; d++) centre[d] = g->of[d].halved ? 2 * at[d] : at[d];
    for (size_t i = 0; i < 3; i++) {
        REAL z[3];
        for (size_t k = 0; k < 3; k++) {
            REAL y[3];
            for (size_t j = 0; j < 3; j++)
                y[j] = r[index_of(g, centre[0] + i - 1, centre[1] + j - 1, centre[2] + k - 1)];
            z[k] = OF(combined)(&g->of[1], &next->of[1], at[1], y);
        }
        x[i] = OF(combined)(&g->of[2], &next->of[2], at[2], z);
    }
    return OF(combined)(&g->of[0], &next->of[0], at[0], x);
}

static void OF(restrict_residual)(const grid *g, int level, grid *next) {
    const REAL scale = level == 0 ? 24 : 4;
    for (size_t k = 1; k + 1 < next->of[2].n; k++)
        for (size_t j = 1; j + 1 < next->of[1].n; j++)
            for (size_t i = 1; i + 1 < next->of[0].n; i++)
                ((REAL *)next->g)[index_of(next, i, j, k)] =
                    scale * OF(residual_round)(g, next, (const size_t[]){i, j, k});
}

/* Returns the value at point i of the finer grid of a direction, interpolated from a value and the next one. */
static REAL OF(between)(const axis *a, size_t i, const REAL two[2]) {
    if (!a->halved || i % 2 == 0) return two[0];
    return (REAL)share(a, i, 0) * two[0] + (REAL)share(a, i, 1) * two[1];
}

/* Returns the next grid's value, interpolated at a point of this grid along y, then z, then x. */
static REAL OF(correction)(const grid *g, const grid *next, const size_t at[3]) {
    const REAL *e = next->e;
    size_t from[3], to[3];
    REAL x[2];
    for (int d = 0; d < 3; d++) {
        from[d] = g->of[d].halved ? at[d] / 2 : at[d];
        to[d] = g->of[d].halved && at[d] % 2 ? from[d] + 1 : from[d];
    }
    for (size_t i = 0; i < 2; i++) {
        REAL z[2];
        for (size_t k = 0; k < 2; k++) {
            REAL y[2];
            for (size_t j = 0; j < 2; j++)
                y[j] = e[index_of(next, i ? to[0] : from[0], j ? to[1] : from[1], k ? to[2] : from[2])];
            z[k] = OF(between)(&g->of[1], at[1], y);
        }
        x[i] = OF(between)(&g->of[2], at[2], z);
    }
    return OF(between)(&g->of[0], at[0], x);
}

static void OF(correct)(grid *g, const grid *next) {
    for (size_t k = 1; k + 1 < g->of[2].n; k++)
        for (size_t j = 1; j + 1 < g->of[1].n; j++)
            for (size_t i = 1; i + 1 < g->of[0].n; i++) {
                REAL *e = (REAL *)g->e + index_of(g, i, j, k);
                *e = *e + OF(correction)(g, next, (const size_t[]){i, j, k});
            }
}

/* --------------------------------------------------------------------------------- a cycle */

static void OF(cycle)(grid *g, int count, int level, REAL omega) {
    OF(relax)(g, level, omega);
    if (level + 1 < count) {
        OF(find_residual)(g, level);
        OF(restrict_residual)(g, level, g + 1);
        memset(g[1].e, 0, points(&g[1]) * sizeof(REAL));
        OF(cycle)(g + 1, count, level + 1, omega);
        OF(correct)(g, g + 1);
    }
    OF(relax)(g, level, omega);
}
#undef REAL
#undef OF
