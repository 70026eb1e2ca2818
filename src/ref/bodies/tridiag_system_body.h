/* The body of ref/tridiag_system.h for one type. The includer sets REAL, TYPE and OF(name). */

/* A row of a system. For an eliminated row of a chunk of weft_tridiag, x + a x[p] + c x[i+1] = d. e is the
 * coefficient of the last x of a periodic system. */
typedef struct OF(row) {
    REAL a, b, c, d, e;
} OF(row);

static REAL OF(element)(weft_lines lines, size_t system, size_t i) {
    return ((const REAL *)lines.p)[system * lines.line + i * lines.step];
}

/* Computes x of the rows of a system, or a stage of that. number[i] is the number of row i in the whole system. The
 * arrays have space for the rows of all levels of weft_tridiag. */
typedef outcome OF(solver)(const tridiag_call *c, const void *part, faults *f, OF(row) * rows, size_t *number,
                           REAL *x);

/* Loads the rows of a system, runs the solver, and stores x. */
static weft_status OF(system)(const tridiag_call *c, size_t system, OF(solver) * run, const void *part, faults *f,
                              weft_error *error) {
    const size_t capacity = c->n + c->n / (WEFT_TRIDIAG_CHUNK - 1) + WEFT_TRIDIAG_LEVELS; /* rows of all levels */
    OF(row) *rows = calloc(capacity, sizeof *rows);
    size_t *number = calloc(capacity, sizeof *number);
    REAL *x = calloc(capacity, sizeof *x);
    outcome end = rows && number && x ? SOLVED : NO_MEMORY;
    for (size_t i = 0; end == SOLVED && i < c->n; i++) {
        rows[i] = (OF(row)){OF(element)(c->a, system, i), OF(element)(c->b, system, i), OF(element)(c->c, system, i),
                            OF(element)(c->d, system, i), 0};
        number[i] = i;
    }
    if (end == SOLVED) end = run(c, part, f, rows, number, x);
    for (size_t i = 0; end == SOLVED && i < c->n; i++) {
        if (!isfinite(x[i])) note(&f->value, number[i]);
        ref_store_real(TYPE, (double)x[i], (REAL *)c->x + system * c->d.line + i * c->d.step);
    }
    free(rows);
    free(number);
    free(x);
    RETURN_IF(end == NO_MEMORY, WEFT_OUT_OF_MEMORY,
              "cannot allocate host memory for a tridiagonal system of %zu rows", c->n);
    return WEFT_OK;
}

#undef REAL
#undef TYPE
#undef OF
