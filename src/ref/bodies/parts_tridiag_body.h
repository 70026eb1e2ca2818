/* The body of ref/parts/parts_tridiag.c for one type. The includer sets REAL and OF(name). */

/* Runs a stage on the rows of a part. */
static outcome OF(run_stage)(const tridiag_call *call, const void *part, faults *f, OF(row) * rows, size_t *number,
                             REAL *x) {
    const tridiag_part *p = part;
    REAL *const *out = (REAL *const *)p->separators;
    const size_t n = call->n, chunks = chunks_of(n);
    for (size_t i = 0; i < n; i++) number[i] = number_of(p, i);
    if (p->begins) rows[0].a = 0;
    if (p->ends) rows[n - 1].c = 0;
    if (p->stage == TRIDIAG_LEVEL) {
        OF(solve)(f, call->periodic, rows, n, number, x);
        return SOLVED;
    }
    OF(separate)(f, false, rows, n, number, rows + n);
    if (p->stage == TRIDIAG_EXPAND) {
        OF(substitute)(rows, n, *(const REAL *)p->before, out[3], x);
        return SOLVED;
    }
    const OF(row) first = OF(first_row)(rows, chunk_length(n, 0));
    memcpy(p->head, (REAL[]){first.a, first.c, first.d}, 3 * sizeof(REAL));
    for (size_t j = 0; j < chunks; j++) {
        const OF(row) s = rows[n + j];
        out[0][j] = s.a, out[1][j] = s.b, out[2][j] = s.c, out[3][j] = s.d;
    }
    return PARTLY;
}

#undef REAL
#undef OF
