/* One sweep in REAL arithmetic, called SWEEP. Included once for each type. */
static void SWEEP(const laplace_call *c, const REAL *u, REAL *v) {
    const size_t x = 1, y = c->nx, z = c->nx * c->ny;
    const REAL sixth = (REAL)1 / 6;
    for (size_t k = 0; k < c->nz; k++)
        for (size_t j = 0; j < c->ny; j++)
            for (size_t i = 0; i < c->nx; i++) {
                const size_t p = i * x + j * y + k * z;
                if (is_face(c, i, j, k)) continue;
                REAL sum = u[p - x] + u[p + x];
                sum = sum + u[p - y];
                sum = sum + u[p + y];
                sum = sum + u[p - z];
                sum = sum + u[p + z];
                ref_store_real(c->dtype, sum * sixth, &v[p]);
            }
}
#undef REAL
#undef SWEEP
