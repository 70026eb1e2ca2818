/* Rows of the right-hand side of a time step in REAL arithmetic (ORDER.md 23.2). The includer defines REAL, FUSED
 * and OF(name). A missing adjacent row is 0. */
static void OF(scale)(size_t n, double centre, const void *u, void *to) {
    const REAL *restrict x = u, k = (REAL)centre;
    REAL *restrict d = to;
    for (size_t i = 0; i < n; i++) d[i] = k * x[i];
}

INLINE void OF(side_between)(size_t n, REAL ratio, REAL centre, const REAL *before, const REAL *restrict u,
                             const REAL *after, REAL *restrict d) {
    for (size_t i = 0; i < n; i++) {
        const REAL below = before ? before[i] : 0, above = after ? after[i] : 0;
        d[i] = ratio * FUSED(centre, u[i], below + above);
    }
}

static void OF(side)(size_t n, double ratio, double centre, const void *before, const void *u, const void *after,
                     void *to) {
    if (before && after)
        OF(side_between)(n, (REAL)ratio, (REAL)centre, before, u, after, to);
    else if (before)
        OF(side_between)(n, (REAL)ratio, (REAL)centre, before, u, NULL, to);
    else
        OF(side_between)(n, (REAL)ratio, (REAL)centre, NULL, u, after, to);
}
#undef REAL
#undef FUSED
#undef OF
