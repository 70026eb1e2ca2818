/* Kernels of weft_block_tridiag for one type and K x K blocks. The includer defines K, IN(name), and what
 * tridiag_lanes_body.h requires. Matrices are stored row by row. */
#define KK (K * K)
#define UNROLLED _Pragma("GCC unroll 4")

/* Rows: element j of row i is at a[i * KK + j], or d[i * K + j]. */
typedef struct IN(rows) {
    VECTOR *a, *b, *c, *d;
} IN(rows);

/* Rows in terms of two others: x = d - l x[p] - c x[i+1]. */
typedef struct IN(solved) {
    VECTOR *l, *c, *d;
} IN(solved);

INLINE IN(rows) IN(row_at)(IN(rows) v, size_t i) {
    return (IN(rows)){v.a + i * KK, v.b + i * KK, v.c + i * KK, v.d + i * K};
}
INLINE IN(solved) IN(solved_at)(IN(solved) v, size_t i) {
    return (IN(solved)){v.l + i * KK, v.c + i * KK, v.d + i * K};
}

/* ------------------------------------------------------------------------------- products */

/* Computes y - a b in y, which has `columns` columns. */
INLINE void IN(subtract)(size_t columns, VECTOR *y, const VECTOR *a, const VECTOR *b) {
    UNROLLED for (size_t i = 0; i < K; i++) UNROLLED for (size_t j = 0; j < columns; j++)
        UNROLLED for (size_t m = 0; m < K; m++) y[i * columns + j] =
            OF(fused)(-a[i * K + m], b[m * columns + j], y[i * columns + j]);
}

/* Computes y = (-a) b. */
INLINE void IN(negative)(VECTOR *y, const VECTOR *a, const VECTOR *b) {
    UNROLLED for (size_t i = 0; i < K; i++) UNROLLED for (size_t j = 0; j < K; j++) {
        y[i * K + j] = -a[i * K] * b[j];
        UNROLLED for (size_t m = 1; m < K; m++) y[i * K + j] = OF(fused)(-a[i * K + m], b[m * K + j], y[i * K + j]);
    }
}

/* ---------------------------------------------------------------------------- pivot blocks */

INLINE void IN(exchange)(LANES mask, VECTOR *a, VECTOR *b, size_t count) {
    UNROLLED for (size_t j = 0; j < count; j++) {
        const VECTOR old = a[j];
        a[j] = OF(select)(mask, b[j], old);
        b[j] = OF(select)(mask, old, b[j]);
    }
}

/* Computes F(p, b, y) of ORDER.md 27.2 in place, for y = (l, c, d); l is left out if it is NULL, c as well. p is
 * overwritten. */
INLINE void IN(solve_block)(LANES *lost, size_t row, VECTOR *p, const VECTOR *b, VECTOR *l, VECTOR *c, VECTOR *d) {
    VECTOR scale[K], r[K];
    UNROLLED for (size_t i = 0; i < K; i++) {
        scale[i] = OF(magnitude)(b[i * K]);
        UNROLLED for (size_t j = 1; j < K; j++) {
            const VECTOR size = OF(magnitude)(b[i * K + j]);
            scale[i] = OF(select)((LANES)(size > scale[i]), size, scale[i]);
        }
    }
    UNROLLED for (size_t j = 0; j < K; j++) {
        UNROLLED for (size_t i = j + 1; i < K; i++) {
            const LANES greater = (LANES)(OF(magnitude)(p[i * K + j]) > OF(magnitude)(p[j * K + j]));
            if (!OF(any)(greater)) continue;
            IN(exchange)(greater, p + i * K, p + j * K, K);
            if (l) IN(exchange)(greater, l + i * K, l + j * K, K);
            if (c) IN(exchange)(greater, c + i * K, c + j * K, K);
            IN(exchange)(greater, d + i, d + j, 1);
            IN(exchange)(greater, scale + i, scale + j, 1);
        }
        r[j] = OF(reciprocal)(lost, row, p[j * K + j], scale[j]);
        UNROLLED for (size_t i = j + 1; i < K; i++) {
            const VECTOR m = -(p[i * K + j] * r[j]);
            UNROLLED for (size_t q = j + 1; q < K; q++) p[i * K + q] = OF(fused)(m, p[j * K + q], p[i * K + q]);
            UNROLLED for (size_t q = 0; q < K; q++) {
                if (l) l[i * K + q] = OF(fused)(m, l[j * K + q], l[i * K + q]);
                if (c) c[i * K + q] = OF(fused)(m, c[j * K + q], c[i * K + q]);
            }
            d[i] = OF(fused)(m, d[j], d[i]);
        }
    }
    UNROLLED for (size_t j = K; j-- > 0;) {
        UNROLLED for (size_t q = 0; q < K; q++) {
            if (l) l[j * K + q] *= r[j];
            if (c) c[j * K + q] *= r[j];
        }
        d[j] *= r[j];
        UNROLLED for (size_t i = 0; i < j; i++) {
            UNROLLED for (size_t q = 0; q < K; q++) {
                if (l) l[i * K + q] = OF(fused)(-p[i * K + j], l[j * K + q], l[i * K + q]);
                if (c) c[i * K + q] = OF(fused)(-p[i * K + j], c[j * K + q], c[i * K + q]);
            }
            d[i] = OF(fused)(-p[i * K + j], d[j], d[i]);
        }
    }
}

/* --------------------------------------------------------------------------------- chunks */

/* Row `i` of the lanes is row (i + 1) * scale - 1 of a level of n rows, or its last row. */
typedef struct IN(numbers) {
    size_t first, scale, n;
} IN(numbers);

INLINE size_t IN(number)(IN(numbers) numbers, size_t i) {
    const size_t end = (numbers.first + i + 1) * numbers.scale;
    return (end < numbers.n ? end : numbers.n) - 1;
}

/* Eliminates a chunk of n rows: all rows but the last are solved, to s, which may be v, and the last one becomes the
 * row of the separator. Without with_l, L is not computed. */
INLINE void IN(eliminate)(LANES *lost, IN(numbers) numbers, size_t n, bool with_l, IN(rows) v, IN(solved) s) {
    VECTOR l[KK], c[KK], d[K];
    for (size_t i = 0; i < n; i++) {
        const IN(rows) row = IN(row_at)(v, i);
        const IN(solved) to = IN(solved_at)(s, i);
        VECTOR p[KK], left[KK], right[K];
        memcpy(p, row.b, sizeof p);
        memcpy(right, row.d, sizeof right);
        if (with_l) memcpy(left, row.a, sizeof left);
        if (i > 0) {
            if (with_l) IN(negative)(left, row.a, l);
            IN(subtract)(K, p, row.a, c);
            IN(subtract)(1, right, row.a, d);
        }
        if (i + 1 == n) {
            if (with_l) memcpy(row.a, left, sizeof left);
            memcpy(row.b, p, sizeof p);
            memcpy(row.d, right, sizeof right);
            return;
        }
        if (with_l) memcpy(l, left, sizeof l);
        memcpy(c, row.c, sizeof c);
        memcpy(d, right, sizeof d);
        IN(solve_block)(lost, IN(number)(numbers, i), p, row.b, with_l ? l : NULL, c, d);
        if (with_l) memcpy(to.l, l, sizeof l);
        memcpy(to.c, c, sizeof c);
        memcpy(to.d, d, sizeof d);
    }
}

/* Computes the first row of an eliminated chunk of n > 1 rows in terms of separators. */
INLINE void IN(first_row)(size_t n, IN(solved) s, VECTOR *l, VECTOR *c, VECTOR *d) {
    const IN(solved) last = IN(solved_at)(s, n - 2);
    memcpy(l, last.l, KK * sizeof *l);
    memcpy(c, last.c, KK * sizeof *c);
    memcpy(d, last.d, K * sizeof *d);
    for (size_t i = n - 2; i-- > 0;) {
        const IN(solved) row = IN(solved_at)(s, i);
        VECTOR next_l[KK], next_c[KK], next_d[K];
        memcpy(next_l, row.l, sizeof next_l);
        memcpy(next_d, row.d, sizeof next_d);
        IN(subtract)(K, next_l, row.c, l);
        IN(subtract)(1, next_d, row.c, d);
        IN(negative)(next_c, row.c, c);
        memcpy(l, next_l, sizeof next_l);
        memcpy(c, next_c, sizeof next_c);
        memcpy(d, next_d, sizeof next_d);
    }
}

/* Completes the row of a separator with the first row of the next chunk. */
INLINE void IN(complete)(IN(rows) separator, const VECTOR *l, const VECTOR *c, const VECTOR *d) {
    VECTOR own[KK];
    memcpy(own, separator.c, sizeof own);
    IN(subtract)(K, separator.b, own, l);
    IN(subtract)(1, separator.d, own, d);
    IN(negative)(separator.c, own, c);
}

/* Computes x of the rows of an eliminated chunk before the last one, in d. `own` is x of the last row. Without
 * with_l, there is no separator before the chunk. */
INLINE void IN(substitute)(size_t n, bool with_l, IN(solved) s, const VECTOR *before, const VECTOR *own) {
    VECTOR x[K];
    memcpy(x, own, sizeof x);
    for (size_t i = n - 1; i-- > 0;) {
        const IN(solved) row = IN(solved_at)(s, i);
        if (with_l) IN(subtract)(1, row.d, row.l, before);
        IN(subtract)(1, row.d, row.c, x);
        memcpy(x, row.d, sizeof x);
    }
}

/* ------------------------------------------------------------------------ at most 32 rows */

/* Solves n rows in place, with x in v.d. */
static void IN(solve_base)(LANES *lost, bool periodic, IN(numbers) numbers, size_t n, IN(rows) v) {
    const IN(rows) last = IN(row_at)(v, n - 1);
    const IN(solved) s = {v.a, v.c, v.d};
    VECTOR b[KK], x[K];
    memcpy(b, last.b, sizeof b);
    if (!periodic) {
        IN(eliminate)(lost, numbers, n, false, v, s);
    } else {
        if (n > 1) {
            VECTOR l[KK], c[KK], d[K];
            IN(eliminate)(lost, numbers, n, true, v, s);
            IN(first_row)(n, s, l, c, d);
            IN(complete)(last, l, c, d);
        }
        for (size_t j = 0; j < KK; j++) last.b[j] = (last.a[j] + last.b[j]) + last.c[j];
    }
    memcpy(x, last.d, sizeof x);
    IN(solve_block)(lost, IN(number)(numbers, n - 1), last.b, b, NULL, NULL, x);
    memcpy(last.d, x, sizeof x);
    if (periodic)
        IN(substitute)(n, true, s, x, x);
    else
        IN(substitute)(n, false, s, NULL, x);
}

/* ------------------------------------------------------------------------------- memory */

/* Returns true if row `end` - 1 of lane 0 is the last one of the system, and contains one element. The other lanes
 * end at the same row, or there are none. */
INLINE bool IN(is_cut)(const block_lanes *in, size_t end) {
    return in->odd && in->position.first_row + end == in->position.n;
}

#if K == 2
/* Loads `rows` rows of two scalar elements each, starting at row `first`. */
static void IN(load_pairs)(const block_lanes *in, size_t first, size_t rows, IN(rows) v) {
    enum { E, A, B, C, F, DIAGONALS };
    const weft_lines lines[DIAGONALS] = {in->e, in->a, in->b, in->c, in->f};
    const bool cut = IN(is_cut)(in, first + rows);
    const size_t last = 2 * rows - 1;
    const VECTOR zero = OF(splat)(0);
    VECTOR t[DIAGONALS][2 * CHUNK];
    for (int j = 0; j < DIAGONALS; j++) OF(load)(lines[j], in->count, 2 * first, 2 * rows - cut, 1, t[j]);
    OF(load)(in->d, in->count, 2 * first, 2 * rows - cut, 1, v.d);
    if (cut) {
        for (int j = 0; j < DIAGONALS; j++) t[j][last] = OF(splat)(j == B ? 1 : 0);
        t[C][last - 1] = v.d[last] = zero;
    }
    for (size_t i = 0; i < rows; i++) {
        VECTOR *const a = v.a + 4 * i, *const b = v.b + 4 * i, *const c = v.c + 4 * i;
        const size_t up = 2 * i, low = up + 1;
        a[0] = t[E][up], a[1] = t[A][up], a[2] = zero, a[3] = t[E][low];
        b[0] = t[B][up], b[1] = t[C][up], b[2] = t[A][low], b[3] = t[B][low];
        c[0] = t[F][up], c[1] = zero, c[2] = t[C][low], c[3] = t[F][low];
    }
    for (size_t l = 0; in->odd && l < in->count; l++) { /* f of the row before the last one is outside the system */
        const size_t i = in->position.n - 2 - (in->position.first_row + first + l * in->position.lane_rows);
        if (i < rows) v.c[4 * i + 3][l] = 0;
    }
}

#endif

/* Loads `rows` rows, at most a chunk, starting at row `first`. Missing lanes get rows x = 0. */
static void IN(load_rows)(const block_lanes *in, size_t first, size_t rows, IN(rows) v) {
#if K == 2
    if (in->pentadiagonal) IN(load_pairs)(in, first, rows, v);
#endif
    if (K > 2 || !in->pentadiagonal) {
        OF(load)(in->a, in->count, first, rows, KK, v.a);
        OF(load)(in->b, in->count, first, rows, KK, v.b);
        OF(load)(in->c, in->count, first, rows, KK, v.c);
        OF(load)(in->d, in->count, first, rows, K, v.d);
    }
    for (size_t l = in->count; l < WIDTH; l++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < K; j++) v.b[i * KK + j * (K + 1)][l] = 1;
    for (size_t j = 0; first == 0 && j < KK; j++)
        for (size_t l = 0; l < in->without_a; l++) v.a[j][l] = 0;
    for (size_t j = 0; first + rows == in->rows && j < KK; j++)
        for (size_t l = in->with_c; l < WIDTH; l++) v.c[(rows - 1) * KK + j][l] = 0;
}

/* Canonicalizes, reports and stores x of `rows` rows. */
static void IN(store_rows)(const block_lanes *in, void *x, size_t first, size_t rows, VECTOR *v) {
    OF(finish)(&in->position, in->count, first, rows, K, v);
    if (K == 2 && in->pentadiagonal)
        OF(store)(in->d, x, in->count, 2 * first, 2 * rows - IN(is_cut)(in, first + rows), 1, v);
    else
        OF(store)(in->d, x, in->count, first, rows, K, v);
}

/* ----------------------------------------------------------------------------------- kernels */

/* Loads and eliminates a chunk of n rows. A full chunk uses code with a constant length. */
static void IN(eliminate_chunk)(const block_lanes *in, LANES *lost, size_t first, size_t n, IN(rows) v,
                                IN(solved) s) {
    const IN(numbers) numbers = {first, 1, SIZE_MAX};
    IN(load_rows)(in, first, n, v);
    IN(eliminate)(lost, numbers, n, true, v, s);
}

/* Solves systems of more than BASE rows. v has space for the rows of the separators, s for all rows. */
static void IN(solve_chunks)(const block_lanes *in, bool periodic, LANES *lost, IN(rows) v, IN(solved) s) {
    const size_t n = in->rows, chunks = (n - 1) / CHUNK + 1;
    VECTOR t[CHUNK * (3 * KK + K)], l[KK], c[KK], d[K], before[K] = {{0}};
    const IN(rows) chunk = {t, t + CHUNK * KK, t + 2 * CHUNK * KK, t + 3 * CHUNK * KK};
    for (size_t j = 0; j < chunks; j++) {
        const size_t first = j * CHUNK, k = n - first < CHUNK ? n - first : CHUNK;
        const IN(rows) to = IN(row_at)(v, j), last = IN(row_at)(chunk, k - 1);
        IN(eliminate_chunk)(in, lost, first, k, chunk, IN(solved_at)(s, first));
        memcpy(to.a, last.a, sizeof l);
        memcpy(to.b, last.b, sizeof l);
        memcpy(to.c, last.c, sizeof l);
        memcpy(to.d, last.d, sizeof d);
        if (j == 0 || k == 1) continue;
        IN(first_row)(k, IN(solved_at)(s, first), l, c, d);
        IN(complete)(IN(row_at)(v, j - 1), l, c, d);
    }
    if (periodic) {
        IN(first_row)(CHUNK, s, l, c, d);
        IN(complete)(IN(row_at)(v, chunks - 1), l, c, d);
    }
    IN(solve_base)(lost, periodic, (IN(numbers)){0, CHUNK, n}, chunks, v);
    if (periodic) memcpy(before, v.d + (chunks - 1) * K, sizeof before);
    for (size_t j = 0; j < chunks; j++) {
        const size_t first = j * CHUNK, k = n - first < CHUNK ? n - first : CHUNK;
        const VECTOR *const own = v.d + j * K;
        IN(substitute)(k, true, IN(solved_at)(s, first), before, own);
        memcpy(s.d + (first + k - 1) * K, own, sizeof d);
        memcpy(before, own, sizeof before);
    }
}

static void IN(solve)(const block_lanes *in, bool periodic, void *x) {
    const size_t n = in->rows;
    VECTOR *const w = in->workspace, *const rest = w + BASE * (3 * KK + K);
    const IN(rows) v = {w, w + BASE * KK, w + 2 * BASE * KK, w + 3 * BASE * KK};
    const IN(solved) s = {rest, rest + n * KK, rest + 2 * n * KK};
    LANES lost = ~(LANES){0};
    if (n > BASE) {
        IN(solve_chunks)(in, periodic, &lost, v, s);
    } else {
        for (size_t i = 0; i < n; i += CHUNK) IN(load_rows)(in, i, n - i < CHUNK ? n - i : CHUNK, IN(row_at)(v, i));
        IN(solve_base)(&lost, periodic, (IN(numbers)){0, 1, n}, n, v);
    }
    OF(report_lost)(&in->position, in->count, lost);
    for (size_t i = 0; i < n; i += CHUNK)
        IN(store_rows)(in, x, i, n - i < CHUNK ? n - i : CHUNK, (n > BASE ? s.d : v.d) + i * K);
}

/* Completes the separators of all lanes except the last with the first row of the chunk in the next lane. */
INLINE void IN(complete_lanes)(size_t count, IN(rows) separator, const VECTOR *l, const VECTOR *c, const VECTOR *d) {
    VECTOR next_l[KK], next_c[KK], next_d[K], old_b[KK], old_c[KK], old_d[K];
    LANES mask;
    for (size_t i = 0; i < WIDTH; i++) mask[i] = i + 1 < count ? NOWHERE : 0;
    for (size_t j = 0; j < KK; j++) {
        next_l[j] = OF(next_lane)(l[j]), next_c[j] = OF(next_lane)(c[j]);
        old_b[j] = separator.b[j], old_c[j] = separator.c[j];
    }
    for (size_t j = 0; j < K; j++) next_d[j] = OF(next_lane)(d[j]), old_d[j] = separator.d[j];
    IN(complete)(separator, next_l, next_c, next_d);
    for (size_t j = 0; j < KK; j++) {
        separator.b[j] = OF(select)(mask, separator.b[j], old_b[j]);
        separator.c[j] = OF(select)(mask, separator.c[j], old_c[j]);
    }
    for (size_t j = 0; j < K; j++) separator.d[j] = OF(select)(mask, separator.d[j], old_d[j]);
}

static void IN(reduce)(const block_lanes *in, const block_reduced *out) {
    VECTOR t[CHUNK * (3 * KK + K)], l[KK] = {{0}}, c[KK] = {{0}}, d[K] = {{0}};
    const IN(rows) v = {t, t + CHUNK * KK, t + 2 * CHUNK * KK, t + 3 * CHUNK * KK};
    const IN(rows) last = IN(row_at)(v, in->rows - 1);
    const weft_lines matrices = {NULL, KK, KK}, vectors = {NULL, K, K};
    LANES lost = ~(LANES){0};
    IN(eliminate_chunk)(in, &lost, 0, in->rows, v, (IN(solved)){v.a, v.c, v.d});
    OF(report_lost)(&in->position, in->count, lost);
    if (in->rows > 1) {
        IN(first_row)(in->rows, (IN(solved)){v.a, v.c, v.d}, l, c, d);
        if (in->position.lane_rows && in->count > 1) IN(complete_lanes)(in->count, last, l, c, d);
    }
    OF(store)(matrices, out->a, in->count, 0, 1, KK, last.a);
    OF(store)(matrices, out->b, in->count, 0, 1, KK, last.b);
    OF(store)(matrices, out->c, in->count, 0, 1, KK, last.c);
    OF(store)(vectors, out->d, in->count, 0, 1, K, last.d);
    const size_t firsts = in->position.lane_rows ? 1 : in->count; /* those that `link` uses */
    OF(store)(matrices, out->first_l, firsts, 0, 1, KK, l);
    OF(store)(matrices, out->first_c, firsts, 0, 1, KK, c);
    OF(store)(vectors, out->first_d, firsts, 0, 1, K, d);
}

static void IN(link)(size_t count, const block_reduced *separators, const block_reduced *next) {
    REAL *b = separators->b, *c = separators->c, *d = separators->d;
    const REAL *first_l = next->first_l, *first_c = next->first_c, *first_d = next->first_d;
    for (size_t s = 0; s < count; s++, b += KK, c += KK, d += K, first_l += KK, first_c += KK, first_d += K) {
        REAL own[KK];
        memcpy(own, c, sizeof own);
        for (size_t i = 0; i < K; i++) {
            for (size_t j = 0; j < K; j++) {
                c[i * K + j] = -own[i * K] * first_c[j];
                for (size_t m = 1; m < K; m++)
                    c[i * K + j] = FUSED(-own[i * K + m], first_c[m * K + j], c[i * K + j]);
                for (size_t m = 0; m < K; m++)
                    b[i * K + j] = FUSED(-own[i * K + m], first_l[m * K + j], b[i * K + j]);
            }
            for (size_t m = 0; m < K; m++) d[i] = FUSED(-own[i * K + m], first_d[m], d[i]);
        }
    }
}

static void IN(expand)(const block_lanes *in, const void *before, const void *own, void *x) {
    VECTOR t[CHUNK * (3 * KK + K)], x_before[K], x_own[K];
    const IN(rows) v = {t, t + CHUNK * KK, t + 2 * CHUNK * KK, t + 3 * CHUNK * KK};
    const IN(solved) s = {v.a, v.c, v.d};
    LANES lost = ~(LANES){0};
    OF(load)((weft_lines){before, K, K}, in->count, 0, 1, K, x_before);
    OF(load)((weft_lines){own, K, K}, in->count, 0, 1, K, x_own);
    IN(eliminate_chunk)(in, &lost, 0, in->rows, v, s);
    IN(substitute)(in->rows, true, s, x_before, x_own);
    memcpy(v.d + (in->rows - 1) * K, x_own, sizeof x_own);
    IN(store_rows)(in, x, 0, in->rows, v.d);
}

#undef K
#undef KK
#undef IN
#undef UNROLLED
