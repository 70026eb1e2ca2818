/* Systems with a common constant matrix, included in cpu/kernels/bodies/tridiag_kernel_body.h. If a, b and c are
 * constants, the elimination factors are equal for all systems. They are computed once, with the operations of
 * ORDER.md 16; each system then needs only the operations on d. */

enum { OF(chunk) = WEFT_TRIDIAG_CHUNK, OF(base) = WEFT_TRIDIAG_BASE, OF(levels) = 5 }; /* 2^levels is base */

typedef struct OF(factors) {
    REAL left[2];                                              /* a of the first row, and of all other rows */
    REAL a[TRIDIAG_ALONE], c[TRIDIAG_ALONE], r[TRIDIAG_ALONE]; /* L, C and r of rows that are not separators */
    REAL link[OF(base)];                                       /* c of separators before they are linked */
    /* The rows that cyclic reduction solves: A, C and r of each row when it is eliminated, and a and c of the rows
     * that remain at a level. */
    REAL base_a[OF(base)], base_c[OF(base)], base_r[OF(base)];
    struct {
        REAL a[OF(base)], c[OF(base)];
    } level[OF(levels)];
} OF(factors);

_Static_assert(sizeof(OF(factors)) <= TRIDIAG_FACTORS_BYTES, "the workspace is large enough for the factors");

/* ------------------------------------------------------------------------------------ the matrix */

/* Rows that cyclic reduction solves: all rows of a short system, or the separators. */
typedef struct OF(matrix) {
    REAL a[OF(base)], b[OF(base)], c[OF(base)];
} OF(matrix);

/* Computes *r = 1/p. Returns true if the pivot p of a row with diagonal b is not lost. */
static bool OF(good_pivot)(REAL p, REAL b, REAL *r) {
    const REAL size = p < 0 ? -p : p, least = FUSED((REAL)EPSILON, b < 0 ? -b : b, (REAL)LEAST);
    *r = 1 / p;
    return size > least && size < (REAL)GREATEST;
}

/* Eliminates rows first .. first + k - 1; the last one becomes row j of m. */
static bool OF(factor_chunk)(OF(factors) * f, REAL b, REAL c, size_t first, size_t k, size_t j, OF(matrix) * m) {
    REAL left = -1, right = 0;
    bool good = true;
    for (size_t i = first; i + 1 < first + k; i++) {
        const REAL a = f->left[i > 0];
        good &= OF(good_pivot)(FUSED(-a, right, b), b, &f->r[i]);
        f->a[i] = left = -(a * left) * f->r[i];
        f->c[i] = right = c * f->r[i];
    }
    m->a[j] = -(f->left[1] * left);
    m->b[j] = FUSED(-f->left[1], right, b);
    m->c[j] = c;
    return good;
}

/* Links row j - 1 of m with chunk j. */
static void OF(factor_link)(OF(factors) * f, size_t k, size_t j, OF(matrix) * m) {
    const REAL *a = f->a + j * OF(chunk), *c = f->c + j * OF(chunk), own = m->c[j - 1];
    REAL first_a = k > 1 ? a[k - 2] : 0, first_c = k > 1 ? c[k - 2] : -1;
    for (size_t i = k > 1 ? k - 2 : 0; i-- > 0;) {
        first_a = FUSED(-c[i], first_a, a[i]);
        first_c = -(c[i] * first_c);
    }
    f->link[j - 1] = own;
    m->b[j - 1] = FUSED(-own, first_a, m->b[j - 1]);
    m->c[j - 1] = -(own * first_c);
}

/* Eliminates the rows of m in the order of cyclic reduction. */
static bool OF(factor_base)(OF(factors) * f, OF(matrix) * m, size_t n) {
    REAL *a = f->base_a, *b = m->b, *c = f->base_c, diagonal[OF(base)];
    bool good = true;
    memcpy(a, m->a, n * sizeof *a);
    memcpy(c, m->c, n * sizeof *c);
    memcpy(diagonal, b, n * sizeof *b);
    a[0] = c[n - 1] = 0;
    for (size_t w = 1, l = 0; w <= n; w *= 2, l++) {
        for (size_t i = w - 1; i < n; i += 2 * w) {
            good &= OF(good_pivot)(b[i], diagonal[i], &f->base_r[i]);
            a[i] *= f->base_r[i];
            c[i] *= f->base_r[i];
        }
        for (size_t i = 2 * w - 1; i < n; i += 2 * w) {
            const REAL own_a = f->level[l].a[i] = a[i], own_c = f->level[l].c[i] = c[i];
            const bool there = i + w < n;
            a[i] = -(own_a * a[i - w]);
            b[i] = FUSED(-own_c, there ? a[i + w] : 0, FUSED(-own_a, c[i - w], b[i]));
            c[i] = -(own_c * (there ? c[i + w] : 0));
        }
    }
    return good;
}

static bool OF(factor)(const void *a, const void *b, const void *c, size_t n, void *factors) {
    OF(factors) *f = factors;
    OF(matrix) m;
    const REAL middle = *(const REAL *)b, right = *(const REAL *)c;
    bool good = true;
    f->left[0] = 0;
    f->left[1] = *(const REAL *)a;
    if (n <= OF(base)) {
        for (size_t i = 0; i < n; i++) m.a[i] = f->left[1], m.b[i] = middle, m.c[i] = right;
        return OF(factor_base)(f, &m, n);
    }
    const size_t chunks = (n - 1) / OF(chunk) + 1;
    for (size_t j = 0; j < chunks; j++) {
        const size_t first = j * OF(chunk), k = n - first < OF(chunk) ? n - first : OF(chunk);
        good &= OF(factor_chunk)(f, middle, right, first, k, j, &m);
        if (j > 0) OF(factor_link)(f, k, j, &m);
    }
    return good & OF(factor_base)(f, &m, chunks);
}

/* ---------------------------------------------------------------------------------- the systems */

/* Eliminates d of k rows; returns d of their separator. */
INLINE VECTOR OF(forward)(const OF(factors) * f, size_t first, size_t k, VECTOR *d) {
    VECTOR up = OF(splat)(0);
    for (size_t i = 0; i + 1 < k; i++)
        d[i] = up = OF(fused)(OF(splat)(-f->left[first + i > 0]), up, d[i]) * OF(splat)(f->r[first + i]);
    return OF(fused)(OF(splat)(-f->left[1]), up, d[k - 1]);
}

/* Returns D of a chunk's first row in terms of separators. */
INLINE VECTOR OF(first_d)(const OF(factors) * f, size_t first, size_t k, const VECTOR *d) {
    VECTOR value = k > 1 ? d[k - 2] : OF(splat)(0);
    for (size_t i = k > 1 ? k - 2 : 0; i-- > 0;) value = OF(fused)(OF(splat)(-f->c[first + i]), value, d[i]);
    return value;
}

INLINE void OF(backward)(const OF(factors) * f, size_t first, size_t k, VECTOR *d, VECTOR before, VECTOR own) {
    d[k - 1] = own;
    for (size_t i = k - 1; i-- > 0;)
        d[i] = own =
            OF(fused)(OF(splat)(-f->c[first + i]), own, OF(fused)(OF(splat)(-f->a[first + i]), before, d[i]));
}

static void OF(solve_base_factored)(const OF(factors) * f, size_t n, VECTOR *d) {
    const VECTOR zero = OF(splat)(0);
    size_t w = 1;
    for (size_t l = 0; w <= n; w *= 2, l++) {
        for (size_t i = w - 1; i < n; i += 2 * w) d[i] *= OF(splat)(f->base_r[i]);
        for (size_t i = 2 * w - 1; i < n; i += 2 * w)
            d[i] = OF(fused)(OF(splat)(-f->level[l].c[i]), i + w < n ? d[i + w] : zero,
                             OF(fused)(OF(splat)(-f->level[l].a[i]), d[i - w], d[i]));
    }
    while (w /= 2)
        for (size_t i = w - 1; i < n; i += 2 * w)
            d[i] = OF(fused)(OF(splat)(-f->base_c[i]), i + w < n ? d[i + w] : zero,
                             OF(fused)(OF(splat)(-f->base_a[i]), i >= w ? d[i - w] : zero, d[i]));
}

/* Solves systems of more than `base` rows. Full chunks use code with a constant length. */
static void OF(solve_chunks_factored)(const OF(factors) * f, size_t n, VECTOR *d) {
    const size_t chunks = (n - 1) / OF(chunk) + 1;
    VECTOR separators[OF(base)], before = OF(splat)(0);
    for (size_t j = 0; j < chunks; j++) {
        const size_t first = j * OF(chunk), k = n - first < OF(chunk) ? n - first : OF(chunk);
        const bool whole = k == OF(chunk);
        VECTOR *rows = d + first;
        separators[j] = whole ? OF(forward)(f, first, OF(chunk), rows) : OF(forward)(f, first, k, rows);
        if (j == 0) continue;
        const VECTOR next = whole ? OF(first_d)(f, first, OF(chunk), rows) : OF(first_d)(f, first, k, rows);
        separators[j - 1] = OF(fused)(OF(splat)(-f->link[j - 1]), next, separators[j - 1]);
    }
    OF(solve_base_factored)(f, chunks, separators);
    for (size_t j = 0; j < chunks; before = separators[j++]) {
        const size_t first = j * OF(chunk);
        if (n - first < OF(chunk))
            OF(backward)(f, first, n - first, d + first, before, separators[j]);
        else
            OF(backward)(f, first, OF(chunk), d + first, before, separators[j]);
    }
}

/* Solves the systems of one vector, with x in d. */
INLINE void OF(solve_rows_factored)(const OF(factors) * f, size_t n, VECTOR *d) {
    if (n > OF(base))
        OF(solve_chunks_factored)(f, n, d);
    else
        OF(solve_base_factored)(f, n, d);
}

/* Load and store the rows of all vectors. Vector q starts at d[q * pitch]. */
static void OF(load_systems)(const tridiag_lanes *in, VECTOR *d, size_t pitch) {
    for (size_t i = 0; i < in->rows; i += OF(chunk))
        OF(load_lines)(in->d, in->count, i, in->rows - i < OF(chunk) ? in->rows - i : OF(chunk), 0, d + i, pitch);
}

static void OF(store_systems)(const tridiag_lanes *in, void *x, const VECTOR *d, size_t pitch) {
    for (size_t i = 0; i < in->rows; i += OF(chunk)) {
        const size_t rows = in->rows - i < OF(chunk) ? in->rows - i : OF(chunk);
        OF(store_lines)(in->d, in->streams, x, in->count, i, rows, d + i, pitch);
    }
}

static void OF(solve_factored)(const tridiag_lanes *in, const void *factors, void *x) {
    VECTOR *const d = in->workspace;
    const size_t n = in->rows, pitch = n + 1;
    OF(load_systems)(in, d, pitch);
    for (size_t q = 0; q * WIDTH < in->count; q++) {
        const tridiag_lanes one = OF(column)(in, q);
        OF(solve_rows_factored)(factors, n, d + q * pitch);
        OF(finish)(&one.position, one.count, 0, n, 1, d + q * pitch);
    }
    OF(store_systems)(in, x, d, pitch);
}

/* ----------------------------------------------------------------------------------- time steps */

/* Replaces u by the right-hand side of a time step. */
INLINE void OF(right_side)(const tridiag_side *side, size_t n, VECTOR *u) {
    const VECTOR centre = OF(splat)((REAL)side->centre), ratio = OF(splat)((REAL)side->ratio), zero = OF(splat)(0);
    VECTOR before = zero;
    for (size_t i = 0; i < n; i++) {
        const VECTOR own = u[i];
        if (side->neighbours)
            u[i] = ratio * OF(fused)(centre, own, before + (i + 1 < n ? u[i + 1] : zero));
        else
            u[i] = centre * own;
        before = own;
    }
}

INLINE void OF(canonical_rows)(size_t n, VECTOR *x) {
    const VECTOR nan = (VECTOR)((LANES){0} + (LANE)NOT_A_NUMBER);
    for (size_t i = 0; i < n; i++) x[i] = OF(select)((LANES)(x[i] == x[i]), x[i], nan);
}

static void OF(make_steps)(const tridiag_lanes *in, const void *factors, const tridiag_side *side, size_t steps,
                           void *x) {
    VECTOR *const u = in->workspace;
    const size_t n = in->rows, pitch = n + 1;
    OF(load_systems)(in, u, pitch);
    for (size_t q = 0; q * WIDTH < in->count; q++) {
        VECTOR *const rows = u + q * pitch;
        for (size_t step = 0; step < steps; step++) {
            OF(right_side)(side, n, rows);
            OF(solve_rows_factored)(factors, n, rows);
        }
        OF(canonical_rows)(n, rows);
    }
    OF(store_systems)(in, x, u, pitch);
}
