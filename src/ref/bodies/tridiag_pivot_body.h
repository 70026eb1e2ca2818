/* The body of ref/tridiag_pivot.c for one type. The includer sets REAL, FMA and OF(name). */

#define EQUATION OF(equation)

/* An equation: the sum of k[column] times the unknown of the column, over all columns, is d. */
typedef struct EQUATION {
    REAL k[PIVOT_COLUMNS], d;
} EQUATION;

/* The two equations of a run between its outer unknowns. Their columns are PIVOT_LEFT_0 .. PIVOT_RIGHT_1. */
typedef struct OF(run) {
    EQUATION list[2];
} OF(run);

/* The equations with which the two unknowns of a border are eliminated, the first one first. */
typedef struct OF(border) {
    EQUATION pivot[2];
} OF(border);

static REAL OF(magnitude)(REAL v) { return v < 0 ? -v : v; }
static REAL OF(quotient)(REAL v, REAL p) { return p == 0 ? (REAL)NAN : v / p; }

/* Eliminates the unknown of a column from the equations of a list: moves the pivot's equation to its front, and
 * subtracts a multiple of it from all others. The unknown is x[row]. Its pivot is lost if all coefficients are 0. */
static void OF(eliminate)(faults *f, EQUATION *list, size_t count, int column, size_t row) {
    for (size_t i = 1; i < count; i++)
        if (OF(magnitude)(list[i].k[column]) > OF(magnitude)(list[0].k[column])) {
            const EQUATION other = list[i];
            list[i] = list[0];
            list[0] = other;
        }
    const EQUATION *p = &list[0];
    bool lost = true;
    for (size_t i = 0; i < count; i++) lost = lost && list[i].k[column] == 0;
    if (lost) note(&f->pivot, row);
    for (size_t i = 1; i < count; i++) {
        EQUATION *e = &list[i];
        const REAL m = OF(quotient)(e->k[column], p->k[column]);
        for (int k = 0; k < PIVOT_COLUMNS; k++) e->k[k] = k == column ? 0 : FMA(-m, p->k[k], e->k[k]);
        e->d = FMA(-m, p->d, e->d);
    }
}

/* --------------------------------------------------------------------------------- chunks */

/* Eliminates the inner unknowns of the rows first .. last from two equations, those of the rows `first` and
 * first + 1, and the other rows. pivots[r - first], unless pivots is NULL, is the equation with which x[r] is
 * eliminated. */
static void OF(sweep)(faults *f, const OF(row) * rows, size_t first, size_t last, EQUATION *list, EQUATION *pivots) {
    for (size_t r = first + 2; r <= last; r++) {
        const OF(row) row = rows[r];
        EQUATION three[3] = {list[0], list[1], {.k = {[PIVOT_INNER_0] = row.a, row.b, row.c}, .d = row.d}};
        OF(eliminate)(f, three, 3, PIVOT_INNER_0, r - 1);
        if (pivots) pivots[r - 1 - first] = three[0];
        for (int i = 0; i < 2; i++) {
            EQUATION e = three[1 + i];
            e.k[PIVOT_INNER_0] = e.k[PIVOT_INNER_1], e.k[PIVOT_INNER_1] = e.k[PIVOT_INNER_2], e.k[PIVOT_INNER_2] = 0;
            list[i] = e;
        }
    }
}

static OF(run) OF(reduce_chunk)(faults *f, const OF(row) * rows, size_t n, size_t chunk) {
    const size_t first = first_row(n, chunk), last = last_row(n, chunk);
    const OF(row) u = rows[first], v = rows[first + 1];
    OF(run)
    run = {{{.k = {[PIVOT_LEFT_0] = u.a, u.b, u.c, 0}, .d = u.d}, {.k = {[PIVOT_LEFT_1] = v.a, v.b, v.c}, .d = v.d}}};
    OF(sweep)(f, rows, first, last, run.list, NULL);
    return run;
}

/* Computes x between the first and the last row of a chunk, whose x is known. */
static void OF(expand_chunk)(bool periodic, const OF(row) * rows, size_t n, size_t chunk, REAL *x) {
    const size_t first = first_row(n, chunk), last = last_row(n, chunk);
    const OF(row) u = rows[first], v = rows[first + 1];
    const REAL before = first ? x[first - 1] : periodic ? x[n - 1] : 0, own = x[first];
    EQUATION pivots[WEFT_TRIDIAG_PIVOT_CHUNK];
    faults known = {SIZE_MAX, SIZE_MAX}; /* the pivots are those of reduce_chunk */
    EQUATION list[2] = {{.k = {[PIVOT_INNER_0] = u.c}, .d = FMA(-u.b, own, FMA(-u.a, before, u.d))},
                        {.k = {[PIVOT_INNER_0] = v.b, v.c}, .d = FMA(-v.a, own, v.d)}};
    OF(sweep)(&known, rows, first, last, list, pivots);
    for (size_t r = last; r-- > first + 1;) {
        const EQUATION p = pivots[r - first];
        const REAL far = r + 2 < n ? x[r + 2] : periodic ? x[0] : 0;
        x[r] =
            OF(quotient)(FMA(-p.k[PIVOT_INNER_1], x[r + 1], FMA(-p.k[PIVOT_INNER_2], far, p.d)), p.k[PIVOT_INNER_0]);
    }
}

/* ----------------------------------------------------------------------------------- runs */

/* Returns the run of two adjacent runs, the second of which starts with the row `next`. */
static OF(run) OF(combine)(faults *f, OF(run) left, OF(run) right, size_t next, OF(border) * border) {
    EQUATION list[4] = {left.list[0], left.list[1]};
    for (int i = 0; i < 2; i++) {
        const EQUATION e = right.list[i];
        list[2 + i] = (EQUATION){
            .k = {[PIVOT_BORDER_0] = e.k[PIVOT_LEFT_0], e.k[PIVOT_LEFT_1], e.k[PIVOT_RIGHT_0], e.k[PIVOT_RIGHT_1]},
            .d = e.d};
    }
    OF(eliminate)(f, list, 4, PIVOT_BORDER_0, next - 1);
    OF(eliminate)(f, list + 1, 3, PIVOT_BORDER_1, next);
    *border = (OF(border)){{list[0], list[1]}};
    OF(run) run;
    for (int i = 0; i < 2; i++) {
        const EQUATION e = list[2 + i];
        run.list[i] =
            (EQUATION){.k = {e.k[PIVOT_LEFT_0], e.k[PIVOT_LEFT_1], e.k[PIVOT_FAR_0], e.k[PIVOT_FAR_1]}, .d = e.d};
    }
    return run;
}

/* Reduces chunks first .. first + count - 1 to a run. borders[j] is the border before chunk j. */
static OF(run)
    OF(reduce)(faults *f, const OF(row) * rows, size_t n, size_t first, size_t count, OF(border) * borders) {
    if (count == 1) return OF(reduce_chunk)(f, rows, n, first);
    const size_t half = half_of(count), next = first + half;
    const OF(run) left = OF(reduce)(f, rows, n, first, half, borders);
    const OF(run) right = OF(reduce)(f, rows, n, next, count - half, borders);
    return OF(combine)(f, left, right, first_row(n, next), &borders[next]);
}

/* Computes x of the rows of chunks first .. first + count - 1 from the outer unknowns. */
static void OF(expand)(bool periodic, const OF(row) * rows, size_t n, size_t first, size_t count,
                       const OF(border) * borders, REAL *x) {
    if (count == 1) {
        OF(expand_chunk)(periodic, rows, n, first, x);
        return;
    }
    const size_t half = half_of(count), next = first + half;
    const size_t begin = first_row(n, first), end = last_row(n, first + count - 1), row = first_row(n, next);
    const REAL outer[] = {begin      ? x[begin - 1]
                          : periodic ? x[n - 1]
                                     : 0,
                          x[begin], x[end],
                          end + 1 < n ? x[end + 1]
                          : periodic  ? x[0]
                                      : 0};
    const int columns[] = {PIVOT_LEFT_0, PIVOT_LEFT_1, PIVOT_FAR_0, PIVOT_FAR_1};
    for (int i = 1; i >= 0; i--) {
        const EQUATION p = borders[next].pivot[i];
        REAL v = p.d;
        for (int k = 0; k < 4; k++) v = FMA(-p.k[columns[k]], outer[k], v);
        if (i == 0) v = FMA(-p.k[PIVOT_BORDER_1], x[row], v);
        x[row - 1 + (size_t)i] = OF(quotient)(v, p.k[i == 0 ? PIVOT_BORDER_0 : PIVOT_BORDER_1]);
    }
    OF(expand)(periodic, rows, n, first, half, borders, x);
    OF(expand)(periodic, rows, n, next, count - half, borders, x);
}

/* Computes x of the first and of the last row from the run of all rows. */
static void OF(solve_top)(faults *f, OF(run) run, size_t n, REAL *x) {
    EQUATION list[2];
    for (int i = 0; i < 2; i++) {
        const REAL *k = run.list[i].k;
        list[i] = (EQUATION){.k = {k[PIVOT_LEFT_1] + k[PIVOT_RIGHT_1], k[PIVOT_LEFT_0] + k[PIVOT_RIGHT_0]},
                             .d = run.list[i].d};
    }
    OF(eliminate)(f, list, 2, 0, 0);
    if (list[1].k[1] == 0) note(&f->pivot, n - 1);
    x[n - 1] = OF(quotient)(list[1].d, list[1].k[1]);
    x[0] = OF(quotient)(FMA(-list[0].k[1], x[n - 1], list[0].d), list[0].k[0]);
}

static outcome OF(solve)(const tridiag_call *c, const void *unused, faults *f, OF(row) * rows, size_t *number,
                         REAL *x) {
    const size_t n = c->n, chunks = chunks_of(n);
    (void)unused;
    (void)number;
    if (!c->periodic) rows[0].a = rows[n - 1].c = 0;
    if (n == 1) {
        const REAL p = (rows[0].a + rows[0].b) + rows[0].c;
        if (p == 0) note(&f->pivot, 0);
        x[0] = OF(quotient)(rows[0].d, p);
        return SOLVED;
    }
    OF(border) *borders = calloc(chunks, sizeof *borders);
    if (!borders) return NO_MEMORY;
    OF(solve_top)(f, OF(reduce)(f, rows, n, 0, chunks, borders), n, x);
    OF(expand)(c->periodic, rows, n, 0, chunks, borders, x);
    free(borders);
    return SOLVED;
}

#undef EQUATION
#undef REAL
#undef FMA
#undef OF
