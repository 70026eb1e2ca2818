/* The body of ref/block_tridiag.c for one type. The includer sets REAL, TYPE, FMA, EPSILON, LEAST, GREATEST and
 * OF(name). The first k rows and columns of an array are used. */

typedef struct OF(matrix) {
    REAL at[K][K];
} OF(matrix);

typedef struct OF(vector) {
    REAL at[K];
} OF(vector);

/* A block row. number: that of the block row in the whole system. */
typedef struct OF(row) {
    OF(matrix) a, b, c;
    OF(vector) d;
    size_t number;
} OF(row);

/* A block row in terms of two others: x = d - l x[p] - c x[i+1]. */
typedef struct OF(solved) {
    OF(matrix) l, c;
    OF(vector) d;
} OF(solved);

/* ------------------------------------------------------------------------------- products */

/* Returns y - a b. */
static OF(matrix) OF(subtract)(size_t k, OF(matrix) y, const OF(matrix) * a, const OF(matrix) * b) {
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            for (size_t m = 0; m < k; m++) y.at[i][j] = FMA(-a->at[i][m], b->at[m][j], y.at[i][j]);
    return y;
}

/* Returns (-a) b. */
static OF(matrix) OF(negative)(size_t k, const OF(matrix) * a, const OF(matrix) * b) {
    OF(matrix) y = {0};
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            y.at[i][j] = -a->at[i][0] * b->at[0][j];
            for (size_t m = 1; m < k; m++) y.at[i][j] = FMA(-a->at[i][m], b->at[m][j], y.at[i][j]);
        }
    return y;
}

/* Returns y - a v. */
static OF(vector) OF(subtract_vector)(size_t k, OF(vector) y, const OF(matrix) * a, const OF(vector) * v) {
    for (size_t i = 0; i < k; i++)
        for (size_t m = 0; m < k; m++) y.at[i] = FMA(-a->at[i][m], v->at[m], y.at[i]);
    return y;
}

/* Returns (a + b) + c. */
static OF(matrix) OF(sum)(size_t k, const OF(matrix) * a, const OF(matrix) * b, const OF(matrix) * c) {
    OF(matrix) y = {0};
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) y.at[i][j] = (a->at[i][j] + b->at[i][j]) + c->at[i][j];
    return y;
}

/* ---------------------------------------------------------------------------- pivot blocks */

/* Right-hand sides of a pivot block: the columns of two matrices and a vector. */
enum { OF(columns) = 2 * K + 1 };

static void OF(exchange)(REAL *a, REAL *b, size_t count) {
    for (size_t j = 0; j < count; j++) {
        const REAL v = a[j];
        a[j] = b[j];
        b[j] = v;
    }
}

/* Returns R(p, b). */
static REAL OF(reciprocal)(bool *lost, REAL p, REAL b) {
    const REAL size = p < 0 ? -p : p, least = FMA(EPSILON, b, LEAST);
    if (!(size <= least) && !(size >= GREATEST)) return 1 / p;
    *lost = true;
    return (REAL)NAN;
}

/* Computes F(p, b, (l, c, d)) in place. */
static void OF(solve_block)(faults *f, size_t number, size_t k, OF(matrix) p, const OF(matrix) * b, OF(solved) * y) {
    REAL right[K][OF(columns)], scale[K], r[K];
    bool lost = false;
    for (size_t i = 0; i < k; i++) {
        scale[i] = b->at[i][0] < 0 ? -b->at[i][0] : b->at[i][0];
        for (size_t j = 1; j < k; j++) {
            const REAL size = b->at[i][j] < 0 ? -b->at[i][j] : b->at[i][j];
            if (size > scale[i]) scale[i] = size;
        }
        memcpy(right[i], y->l.at[i], sizeof y->l.at[i]);
        memcpy(right[i] + K, y->c.at[i], sizeof y->c.at[i]);
        right[i][2 * (size_t)K] = y->d.at[i];
    }
    for (size_t j = 0; j < k; j++) {
        for (size_t i = j + 1; i < k; i++) {
            const REAL own = p.at[j][j] < 0 ? -p.at[j][j] : p.at[j][j];
            if (!((p.at[i][j] < 0 ? -p.at[i][j] : p.at[i][j]) > own)) continue;
            OF(exchange)(p.at[i], p.at[j], k);
            OF(exchange)(right[i], right[j], OF(columns));
            OF(exchange)(&scale[i], &scale[j], 1);
        }
        r[j] = OF(reciprocal)(&lost, p.at[j][j], scale[j]);
        for (size_t i = j + 1; i < k; i++) {
            const REAL m = p.at[i][j] * r[j];
            for (size_t q = j + 1; q < k; q++) p.at[i][q] = FMA(-m, p.at[j][q], p.at[i][q]);
            for (size_t q = 0; q < OF(columns); q++) right[i][q] = FMA(-m, right[j][q], right[i][q]);
        }
    }
    for (size_t j = k; j-- > 0;)
        for (size_t q = 0; q < OF(columns); q++) {
            right[j][q] *= r[j];
            for (size_t i = 0; i < j; i++) right[i][q] = FMA(-p.at[i][j], right[j][q], right[i][q]);
        }
    for (size_t i = 0; i < k; i++) {
        memcpy(y->l.at[i], right[i], sizeof y->l.at[i]);
        memcpy(y->c.at[i], right[i] + K, sizeof y->c.at[i]);
        y->d.at[i] = right[i][2 * (size_t)K];
    }
    if (lost) note(&f->pivot, number);
}

/* --------------------------------------------------------------------------------- chunks */

/* Eliminates a chunk of n block rows: all rows but the last are solved, and the last one is changed to the row of the
 * separator. */
static void OF(eliminate)(faults *f, size_t k, OF(row) * rows, size_t n, OF(solved) * solved) {
    for (size_t i = 0; i < n; i++) {
        OF(row) *const row = &rows[i];
        const OF(matrix) b = row->b;
        if (i > 0) {
            const OF(solved) *const up = &solved[i - 1];
            row->b = OF(subtract)(k, row->b, &row->a, &up->c);
            row->d = OF(subtract_vector)(k, row->d, &row->a, &up->d);
            row->a = OF(negative)(k, &row->a, &up->l);
        }
        if (i + 1 == n) break;
        solved[i] = (OF(solved)){row->a, row->c, row->d};
        OF(solve_block)(f, row->number, k, row->b, &b, &solved[i]);
    }
}

/* Completes the row of a separator with an eliminated chunk of n block rows after it. */
static void OF(complete)(size_t k, OF(row) * separator, const OF(solved) * next, size_t n) {
    if (n == 1) return;
    const OF(matrix) c = separator->c;
    OF(solved) first = next[n - 2];
    for (size_t i = n - 2; i-- > 0;) {
        first.l = OF(subtract)(k, next[i].l, &next[i].c, &first.l);
        first.d = OF(subtract_vector)(k, next[i].d, &next[i].c, &first.d);
        first.c = OF(negative)(k, &next[i].c, &first.c);
    }
    separator->b = OF(subtract)(k, separator->b, &c, &first.l);
    separator->d = OF(subtract_vector)(k, separator->d, &c, &first.d);
    separator->c = OF(negative)(k, &c, &first.c);
}

/* Computes x of the n block rows of a chunk except the last, whose x is stored. */
static void OF(substitute)(size_t k, const OF(solved) * solved, size_t n, const OF(vector) * before, OF(vector) * x) {
    for (size_t i = n - 1; i-- > 0;) {
        x[i] = OF(subtract_vector)(k, solved[i].d, &solved[i].l, before);
        x[i] = OF(subtract_vector)(k, x[i], &solved[i].c, &x[i + 1]);
    }
}

/* --------------------------------------------------------------------------------- levels */

/* Solves at most WEFT_BLOCK_TRIDIAG_BASE block rows with open ends. L is +0, and x[p] does not appear. */
static void OF(solve_open)(faults *f, size_t k, OF(row) * rows, size_t n, OF(solved) * solved, OF(vector) * x) {
    const OF(matrix) b = rows[n - 1].b;
    memset(&rows[0].a, 0, sizeof rows[0].a);
    OF(eliminate)(f, k, rows, n, solved);
    OF(solved) last = {.d = rows[n - 1].d};
    OF(solve_block)(f, rows[n - 1].number, k, rows[n - 1].b, &b, &last);
    x[n - 1] = last.d;
    for (size_t i = n - 1; i-- > 0;) x[i] = OF(subtract_vector)(k, solved[i].d, &solved[i].c, &x[i + 1]);
}

/* Solves at most WEFT_BLOCK_TRIDIAG_BASE block rows of a periodic system. */
static void OF(solve_ring)(faults *f, size_t k, OF(row) * rows, size_t n, OF(solved) * solved, OF(vector) * x) {
    OF(row) *const last = &rows[n - 1];
    const OF(matrix) b = last->b;
    if (n > 1) {
        OF(eliminate)(f, k, rows, n, solved);
        OF(complete)(k, last, solved, n);
    }
    const OF(matrix) p = OF(sum)(k, &last->a, &last->b, &last->c);
    OF(solved) y = {.d = last->d};
    OF(solve_block)(f, last->number, k, p, &b, &y);
    x[n - 1] = y.d;
    OF(substitute)(k, solved, n, &y.d, x);
}

/* Solves a level. The arrays must have space for the levels above, after the n rows. */
static void OF(solve)(faults *f, size_t k, bool periodic, OF(row) * rows, size_t n, OF(solved) * solved,
                      OF(vector) * x) {
    if (n <= WEFT_BLOCK_TRIDIAG_BASE) {
        (periodic ? OF(solve_ring) : OF(solve_open))(f, k, rows, n, solved, x);
        return;
    }
    const size_t chunks = chunks_of(n);
    OF(row) *const separators = rows + n;
    OF(vector) *const y = x + n, none = {{0}};
    if (!periodic) {
        memset(&rows[0].a, 0, sizeof rows[0].a);
        memset(&rows[n - 1].c, 0, sizeof rows[n - 1].c);
    }
    for (size_t j = 0; j < chunks; j++) {
        OF(eliminate)(f, k, rows + j * CHUNK, chunk_length(n, j), solved + j * CHUNK);
        separators[j] = rows[last_row(n, j)];
    }
    for (size_t j = 0; j + !periodic < chunks; j++) {
        const size_t next = j + 1 < chunks ? j + 1 : 0;
        OF(complete)(k, &separators[j], solved + next * CHUNK, chunk_length(n, next));
    }
    OF(solve)(f, k, periodic, separators, chunks, solved + n, y);
    for (size_t j = 0; j < chunks; j++) {
        x[last_row(n, j)] = y[j];
        OF(substitute)
        (k, solved + j * CHUNK, chunk_length(n, j),
         j > 0      ? &y[j - 1]
         : periodic ? &y[chunks - 1]
                    : &none,
         x + j * CHUNK);
    }
}

/* ----------------------------------------------------------------------------- one system */

/* Returns the address of element i of a line, of `values` values. */
static const REAL *OF(element)(weft_lines lines, size_t system, size_t i, size_t values) {
    return (const REAL *)lines.p + (system * lines.line + i * lines.step) * values;
}

static OF(matrix) OF(block)(const block_tridiag_call *c, weft_lines lines, size_t system, size_t i) {
    OF(matrix) m = {0};
    const REAL *p = OF(element)(lines, system, i, c->block * c->block);
    for (size_t r = 0; r < c->block; r++) memcpy(m.at[r], p + r * c->block, c->block * sizeof *p);
    return m;
}

static OF(row) OF(row_of_blocks)(const block_tridiag_call *c, size_t system, size_t i) {
    OF(row)
    row = {OF(block)(c, c->a, system, i), OF(block)(c, c->b, system, i), OF(block)(c, c->c, system, i), {{0}}, i};
    memcpy(row.d.at, OF(element)(c->d, system, i, c->block), c->block * sizeof(REAL));
    return row;
}

/* Returns the block row of rows u = 2 i and v = u + 1 of a pentadiagonal system. */
static OF(row) OF(row_of_pair)(const block_tridiag_call *c, size_t system, size_t i) {
    const weft_lines lines[5] = {c->e, c->a, c->b, c->c, c->f};
    REAL v[2][5] = {{0, 0, 1}, {0, 0, 1}}; /* e, a, b, c and f of the two rows */
    OF(row) row = {.number = i};
    for (size_t r = 0; r < 2; r++) {
        const size_t at = 2 * i + r;
        if (at == c->n) break;
        row.d.at[r] = *OF(element)(c->d, system, at, 1);
        for (size_t j = 0; j < 5; j++) {
            const bool inside = c->periodic || (at + j >= 2 && at + j < c->n + 2);
            v[r][j] = inside ? *OF(element)(lines[j], system, at, 1) : 0;
        }
    }
    row.a = (OF(matrix)){{{v[0][0], v[0][1]}, {0, v[1][0]}}};
    row.b = (OF(matrix)){{{v[0][2], v[0][3]}, {v[1][1], v[1][2]}}};
    row.c = (OF(matrix)){{{v[0][4], 0}, {v[1][3], v[1][4]}}};
    return row;
}

static void OF(store)(const block_tridiag_call *c, size_t system, size_t row, const OF(vector) * x) {
    for (size_t r = 0; r < c->block; r++) {
        const size_t i = c->pentadiagonal ? 2 * row + r : row, values = c->pentadiagonal ? 1 : c->block;
        if (i == c->n) return;
        const size_t at = (system * c->d.line + i * c->d.step) * values + (c->pentadiagonal ? 0 : r);
        ref_store_real(TYPE, (double)x->at[r], (REAL *)c->x + at);
    }
}

static weft_status OF(solve_system)(const block_tridiag_call *c, size_t system, faults *f, weft_error *error) {
    const size_t n = c->pentadiagonal ? c->n / 2 + c->n % 2 : c->n;
    const size_t capacity = n + n / (CHUNK - 1) + WEFT_BLOCK_TRIDIAG_LEVELS; /* block rows of all levels */
    OF(row) *const rows = calloc(capacity, sizeof *rows);
    OF(solved) *const solved = calloc(capacity, sizeof *solved);
    OF(vector) *const x = calloc(capacity, sizeof *x);
    const bool good = rows && solved && x;
    for (size_t i = 0; good && i < n; i++)
        rows[i] = (c->pentadiagonal ? OF(row_of_pair) : OF(row_of_blocks))(c, system, i);
    if (good) OF(solve)(f, c->block, c->periodic, rows, n, solved, x);
    for (size_t i = 0; good && i < n; i++) {
        for (size_t r = 0; r < c->block; r++)
            if (!isfinite(x[i].at[r])) note(&f->value, i);
        OF(store)(c, system, i, &x[i]);
    }
    free(rows);
    free(solved);
    free(x);
    RETURN_IF(!good, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for a system of %zu block rows", n);
    return WEFT_OK;
}

#undef REAL
#undef TYPE
#undef FMA
#undef EPSILON
#undef LEAST
#undef GREATEST
#undef OF
