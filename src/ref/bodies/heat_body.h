/* The body of ref/heat.c for one type. The includer sets REAL, FMA and OF(name). */

/* Returns the right-hand side of a point. `position` is its position among n along the neighbour axis, `step` the
 * stride of that axis. The value is lambda u for backward Euler. For Crank-Nicolson it is fma(2 lambda - 2, u, before
 * + after), with the lambda of the neighbour axis, times the ratio of the lambdas. */
static REAL OF(right_side)(const sweep *s, const REAL *u, size_t step, size_t position, size_t n) {
    const heat_call *c = s->call;
    const REAL own = (REAL)c->lambda[s->axis], other = (REAL)c->lambda[s->neighbour_axis];
    const REAL before = position > 0 ? *(u - step) : 0, after = position + 1 < n ? *(u + step) : 0;
    if (c->method == WEFT_BACKWARD_EULER) return own * *u;
    return own / other * FMA(2 * other - 2, *u, before + after);
}

static void OF(right_sides)(const sweep *s, const REAL *u, REAL *d) {
    const size_t n = s->call->n[s->neighbour_axis], step = distance(s->call, s->neighbour_axis),
                 points = points_of(s->call);
    for (size_t first = 0; first < points; first += n * step)
        for (size_t position = 0; position < n; position++)
            for (size_t i = first + position * step; i < first + (position + 1) * step; i++)
                d[i] = OF(right_side)(s, u + i, step, position, n);
}

static weft_status OF(sweep)(const sweep *s, REAL *u, REAL *d, weft_error *error) {
    const heat_call *c = s->call;
    const size_t n = c->n[s->axis], step = distance(c, s->axis), points = points_of(c);
    const REAL m = c->method == WEFT_BACKWARD_EULER ? (REAL)c->lambda[s->axis] : 2 * (REAL)c->lambda[s->axis];
    const REAL off = -1, diagonal = 2 + m;
    const weft_lines off_diagonal = {&off, 0, 0}, middle = {&diagonal, 0, 0};
    uint64_t singular;
    OF(right_sides)(s, u, d);
    for (size_t first = 0; first < points; first += n * step)
        for (size_t i = first; i < first + step; i++) {
            const weft_lines right = {d + i, step, 0};
            const tridiag_call line = {c->dtype, false,        1,     n,     off_diagonal,
                                       middle,   off_diagonal, right, u + i, &singular};
            RETURN_IF_ERROR(ref_tridiag(NULL, &line, error));
        }
    return WEFT_OK;
}
#undef REAL
#undef FMA
#undef OF
