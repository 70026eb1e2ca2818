/* The body of ref/tridiag_levels.h for one type. The includer sets REAL, FMA, EPSILON, LEAST, GREATEST and OF(name).
 */

/* Returns R(p, b) for a pivot of row `row` of the whole system. Records a lost pivot. */
static REAL OF(reciprocal)(faults *f, size_t row, REAL p, REAL b) {
    const REAL size = p < 0 ? -p : p;
    const REAL least = FMA(EPSILON, b < 0 ? -b : b, LEAST);
    if (!(size <= least) && !(size >= GREATEST)) return 1 / p;
    note(&f->pivot, row);
    return (REAL)NAN;
}

/* ------------------------------------------------------------------------ at most 32 rows */

/* Eliminates every second row: rows w - 1, 3 w - 1, ... of the rows w - 1, 2 w - 1, ... that are left. x of an
 * eliminated row i is d - a x[i-w] - c x[i+w] - e y, where y is x of the border row. */
static void OF(eliminate_half)(faults *f, OF(row) * rows, size_t n, size_t w, const REAL *diagonal,
                               const size_t *number) {
    for (size_t i = w - 1; i < n; i += 2 * w) {
        const REAL r = OF(reciprocal)(f, number[i], rows[i].b, diagonal[i]);
        rows[i] = (OF(row)){rows[i].a * r, rows[i].b, rows[i].c * r, rows[i].d * r, rows[i].e * r};
    }
    for (size_t i = 2 * w - 1; i < n; i += 2 * w) {
        const OF(row) self = rows[i], u = rows[i - w], v = i + w < n ? rows[i + w] : (OF(row)){0};
        rows[i].a = -(self.a * u.a);
        rows[i].b = FMA(-self.c, v.a, FMA(-self.a, u.c, self.b));
        rows[i].c = -(self.c * v.c);
        rows[i].d = FMA(-self.c, v.d, FMA(-self.a, u.d, self.d));
        rows[i].e = FMA(-self.c, v.e, FMA(-self.a, u.e, self.e));
    }
}

/* Subtracts the eliminated first row, and the last row if it was eliminated, from the border row. Its c belongs to
 * the first row that is left, its a to the last one. */
static void OF(eliminate_border)(OF(row) * border, const OF(row) * rows, size_t n, size_t w) {
    const OF(row) first = rows[w - 1], last = rows[n / w * w - 1];
    border->b = FMA(-border->c, first.e, border->b);
    border->d = FMA(-border->c, first.d, border->d);
    border->c = -(border->c * first.c);
    if (n / w % 2 == 0) return;
    border->b = FMA(-border->a, last.e, border->b);
    border->d = FMA(-border->a, last.d, border->d);
    border->a = -(border->a * last.a);
}

/* Solves n rows in the order of cyclic reduction, and then the border row of a periodic system, if there is one:
 * border points to row n. number[i] is the number of row i in the whole system. */
static void OF(reduce_cyclically)(faults *f, OF(row) * rows, size_t n, OF(row) * border, const size_t *number,
                                  REAL *x) {
    REAL diagonal[WEFT_TRIDIAG_BASE], y = 0;
    size_t w = 1;
    for (size_t i = 0; i < n; i++) diagonal[i] = rows[i].b;
    if (border) diagonal[n] = border->b;
    rows[0].a = 0;
    rows[n - 1].c = 0;
    for (; w <= n; w *= 2) {
        OF(eliminate_half)(f, rows, n, w, diagonal, number);
        if (border) OF(eliminate_border)(border, rows, n, w);
    }
    if (border) x[n] = y = border->d * OF(reciprocal)(f, number[n], border->b, diagonal[n]);
    while (w /= 2)
        for (size_t i = w - 1; i < n; i += 2 * w) {
            const REAL before = i >= w ? x[i - w] : 0, after = i + w < n ? x[i + w] : 0;
            const REAL rest = border ? FMA(-rows[i].e, y, rows[i].d) : rows[i].d;
            x[i] = FMA(-rows[i].c, after, FMA(-rows[i].a, before, rest));
        }
}

static void OF(solve_base)(faults *f, bool periodic, OF(row) * rows, size_t n, const size_t *number, REAL *x) {
    for (size_t i = 0; i < n; i++) rows[i].e = 0;
    if (!periodic) {
        OF(reduce_cyclically)(f, rows, n, NULL, number, x);
        return;
    }
    if (n == 1) {
        x[0] = rows[0].d * OF(reciprocal)(f, number[0], (rows[0].a + rows[0].b) + rows[0].c, rows[0].b);
        return;
    }
    rows[0].e = rows[0].a;
    rows[n - 2].e = n == 2 ? rows[0].a + rows[0].c : rows[n - 2].c;
    OF(reduce_cyclically)(f, rows, n - 1, &rows[n - 1], number, x);
}

/* --------------------------------------------------------------------------------- chunks */

/* Eliminates a chunk: expresses all rows but the last by their adjacent rows, and the last row by the separators. */
static void OF(eliminate)(faults *f, OF(row) * rows, size_t k, const size_t *number) {
    OF(row) up = {.a = -1};
    for (size_t i = 0; i + 1 < k; i++) {
        const OF(row) self = rows[i];
        const REAL r = OF(reciprocal)(f, number[i], FMA(-self.a, up.c, self.b), self.b);
        up = (OF(row)){.a = -(self.a * up.a) * r, .c = self.c * r, .d = FMA(-self.a, up.d, self.d) * r};
        rows[i] = up;
    }
    OF(row) *last = &rows[k - 1];
    last->b = FMA(-last->a, up.c, last->b);
    last->d = FMA(-last->a, up.d, last->d);
    last->a = -(last->a * up.a);
}

/* Returns the first row of an eliminated chunk, in terms of the separators. */
static OF(row) OF(first_row)(const OF(row) * rows, size_t k) {
    if (k == 1) return (OF(row)){.c = -1};
    OF(row) first = rows[k - 2];
    for (size_t i = k - 2; i-- > 0;) {
        first.a = FMA(-rows[i].c, first.a, rows[i].a);
        first.d = FMA(-rows[i].c, first.d, rows[i].d);
        first.c = -(rows[i].c * first.c);
    }
    return first;
}

/* Eliminates the chunks of n rows and completes their separators. Without `round` (open ends) the last separator is
 * not completed. */
static void OF(separate)(faults *f, bool round, OF(row) * rows, size_t n, const size_t *number,
                         OF(row) * separators) {
    const size_t chunks = chunks_of(n);
    for (size_t j = 0; j < chunks; j++)
        OF(eliminate)(f, rows + j * WEFT_TRIDIAG_CHUNK, chunk_length(n, j), number + j * WEFT_TRIDIAG_CHUNK);
    for (size_t j = 0; j < chunks; j++) {
        const size_t at = last_row(n, j), next = j + 1 < chunks ? j + 1 : 0;
        separators[j] = rows[at];
        if (next == 0 && !round) continue;
        const OF(row) first = OF(first_row)(rows + next * WEFT_TRIDIAG_CHUNK, chunk_length(n, next));
        const REAL c = rows[at].c;
        separators[j].b = FMA(-c, first.a, separators[j].b);
        separators[j].d = FMA(-c, first.d, separators[j].d);
        separators[j].c = -(c * first.c);
    }
}

/* Computes x of n rows between the separators, whose x is y. `before` is x of the separator before the first row. */
static void OF(substitute)(const OF(row) * rows, size_t n, REAL before, const REAL *y, REAL *x) {
    for (size_t j = 0; j < chunks_of(n); before = y[j++]) {
        const size_t start = j * WEFT_TRIDIAG_CHUNK;
        size_t i = last_row(n, j);
        for (x[i] = y[j]; i-- > start;) x[i] = FMA(-rows[i].c, x[i + 1], FMA(-rows[i].a, before, rows[i].d));
    }
}

/* Solves a level. rows, number and x must have space for the levels above, after the n rows. */
static void OF(solve)(faults *f, bool periodic, OF(row) * rows, size_t n, size_t *number, REAL *x) {
    if (n <= WEFT_TRIDIAG_BASE) {
        OF(solve_base)(f, periodic, rows, n, number, x);
        return;
    }
    const size_t chunks = chunks_of(n);
    REAL *y = x + n;
    if (!periodic) rows[0].a = rows[n - 1].c = 0;
    for (size_t j = 0; j < chunks; j++) number[n + j] = number[last_row(n, j)];
    OF(separate)(f, periodic, rows, n, number, rows + n);
    OF(solve)(f, periodic, rows + n, chunks, number + n, y);
    OF(substitute)(rows, n, periodic ? y[chunks - 1] : 0, y, x);
}

#undef REAL
#undef FMA
#undef EPSILON
#undef LEAST
#undef GREATEST
#undef OF
