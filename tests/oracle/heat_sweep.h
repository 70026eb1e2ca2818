/* Computes a sweep along an axis in one type, in place in ARRAYS[2]. The right-hand side is in a local array, so that
 * ARRAYS[1] is not changed. The includer defines REAL, TYPE, FMA, ARRAYS and SWEEP. */
static void SWEEP(const problem *p, size_t axis) {
    static REAL d[MOST];
    const bool doubled = p->method == WEFT_CRANK_NICOLSON;
    const size_t neighbour_axis = doubled && p->dimensions == 2 ? 1 - axis : axis;
    const REAL own = (REAL)p->lambda[axis], other = (REAL)p->lambda[neighbour_axis], off = -1;
    const REAL diagonal = doubled ? 2 + 2 * own : 2 + own, ratio = own / other, centre = 2 * other - 2;
    size_t along = 1, across = 1;
    uint64_t singular;
    for (size_t i = 0; i < axis; i++) along *= p->shape[i];
    for (size_t i = 0; i < neighbour_axis; i++) across *= p->shape[i];
    REAL *const u = ARRAYS[2];
    for (size_t i = 0; i < points(p); i++) {
        const size_t position = i / across % p->shape[neighbour_axis];
        const REAL before = position ? u[i - across] : 0,
                   after = position + 1 < p->shape[neighbour_axis] ? u[i + across] : 0;
        d[i] = doubled ? ratio * FMA(centre, u[i], before + after) : own * u[i];
    }
    for (size_t i = 0; i < points(p); i += along * p->shape[axis])
        EXPECT_STATUS(ctx,
                      weft_tridiag(ctx, WEFT_OPEN_ENDS, TYPE, along, p->shape[axis], (weft_lines){&off, 0, 0},
                                   (weft_lines){&diagonal, 0, 0}, (weft_lines){&off, 0, 0},
                                   (weft_lines){d + i, along, 1}, u + i, &singular),
                      WEFT_OK);
}
#undef REAL
#undef TYPE
#undef FMA
#undef ARRAYS
#undef SWEEP
