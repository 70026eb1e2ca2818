/* Rows of a sweep in REAL arithmetic (ORDER.md 7.1); included once for each type. NOT_A_NUMBER is the NaN that is
 * stored. LANES is the result of a comparison of two VECTOR. */
#define WIDTH (VECTOR_BYTES / sizeof(REAL))

static void OF(row)(size_t n, const void *middle, const void *south, const void *north, const void *below,
                    const void *above, void *to) {
    const REAL *restrict m = middle, *restrict s = south, *restrict r = north, *restrict b = below,
                         *restrict a = above;
    REAL *restrict v = to;
    memcpy(v, m, sizeof *v);
    for (size_t i = 1; i + 1 < n; i++) {
        const REAL mean = (((((m[i - 1] + m[i + 1]) + s[i]) + r[i]) + b[i]) + a[i]) * ((REAL)1 / 6);
        v[i] = mean == mean ? mean : NOT_A_NUMBER;
    }
    memcpy(v + n - 1, m + n - 1, sizeof *v);
}

/* ---------------------------------------------------------------------- rows of two planes */

/* The rows of a stencil_pair. */
typedef struct OF(rows) {
    const REAL *middle[2], *south[2], *north[2], *below, *above;
    REAL *to[2];
} OF(rows);

INLINE VECTOR OF(load)(const REAL *x) {
    VECTOR v;
    memcpy(&v, x, sizeof v);
    return v;
}

INLINE VECTOR OF(canonical)(VECTOR v) {
    const VECTOR nan = NOT_A_NUMBER - (VECTOR){0};
    const LANES is_number = v == v;
    return (VECTOR)(((LANES)v & is_number) | ((LANES)nan & ~is_number));
}

/* Computes WIDTH points of both rows, beginning at point i. west, middle, east: points i - 1, i and i + 1 of each
 * row, and the following ones. */
INLINE void OF(compute)(const OF(rows) * r, size_t i, const VECTOR west[2], const VECTOR middle[2],
                        const VECTOR east[2], bool stored) {
    for (int q = 0; q < 2; q++) {
        const VECTOR below = q ? middle[0] : OF(load)(r->below + i), above = q ? OF(load)(r->above + i) : middle[1];
        const VECTOR along_y = ((west[q] + east[q]) + OF(load)(r->south[q] + i)) + OF(load)(r->north[q] + i);
        VECTOR mean = ((along_y + below) + above) * ((REAL)1 / 6);
        if (stored) mean = OF(canonical)(mean);
        memcpy(r->to[q] + i, &mean, sizeof mean);
    }
}

INLINE void OF(compute_at)(const OF(rows) * r, size_t i, bool stored) {
    const VECTOR west[2] = {OF(load)(r->middle[0] + i - 1), OF(load)(r->middle[1] + i - 1)};
    const VECTOR middle[2] = {OF(load)(r->middle[0] + i), OF(load)(r->middle[1] + i)};
    const VECTOR east[2] = {OF(load)(r->middle[0] + i + 1), OF(load)(r->middle[1] + i + 1)};
    OF(compute)(r, i, west, middle, east, stored);
}

#if VECTOR_BYTES == 64 && !defined(__clang__)
/* Returns lanes first, first + 1, ... of the concatenation of a and b. */
INLINE VECTOR OF(lanes_from)(VECTOR a, VECTOR b, int first) {
    static const int8_t numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    LANES lanes;
    for (size_t l = 0; l < WIDTH; l++) lanes[l] = numbers[l] + first;
    return __builtin_shuffle(a, b, lanes);
}

/* Computes vectors of points from point i on while the row also has the vector after. Returns the next point. Each
 * vector of `middle` is loaded once: loads of `west` and `east` would cross the boundaries of cache lines. */
INLINE size_t OF(compute_in_registers)(const OF(rows) * r, size_t i, size_t n, bool stored) {
    VECTOR west[2], east[2], before[2], middle[2], after[2];
    for (int q = 0; q < 2; q++) {
        before[q] = r->middle[q][i - 1] - (VECTOR){0};
        if (i + WIDTH <= n) middle[q] = OF(load)(r->middle[q] + i);
    }
    for (; i + 2 * WIDTH <= n; i += WIDTH) {
        for (int q = 0; q < 2; q++) {
            after[q] = OF(load)(r->middle[q] + i + WIDTH);
            west[q] = OF(lanes_from)(before[q], middle[q], WIDTH - 1);
            east[q] = OF(lanes_from)(middle[q], after[q], 1);
        }
        OF(compute)(r, i, west, middle, east, stored);
        for (int q = 0; q < 2; q++) {
            before[q] = middle[q];
            middle[q] = after[q];
        }
    }
    return i;
}
#else
INLINE size_t OF(compute_in_registers)(const OF(rows) * r, size_t i, size_t n, bool stored) {
    (void)r, (void)n, (void)stored;
    return i;
}
#endif

/* Computes the points that have neighbours. The first and the last vector overlap others, so that the stores between
 * are aligned. */
INLINE void OF(compute_inside)(const OF(rows) * r, size_t n, bool stored) {
    size_t i = WIDTH - (uintptr_t)r->to[0] % VECTOR_BYTES / sizeof(REAL);
    OF(compute_at)(r, 1, stored);
    i = OF(compute_in_registers)(r, i, n, stored);
    for (; i + WIDTH < n; i += WIDTH) OF(compute_at)(r, i, stored);
    OF(compute_at)(r, n - 1 - WIDTH, stored);
}

static void OF(pair)(size_t n, const stencil_pair *p) {
    OF(rows) r = {.below = p->below, .above = p->above};
    if (n < WIDTH + 2) {
        OF(row)(n, p->middle[0], p->south[0], p->north[0], p->below, p->middle[1], p->to[0]);
        OF(row)(n, p->middle[1], p->south[1], p->north[1], p->middle[0], p->above, p->to[1]);
        return;
    }
    for (int q = 0; q < 2; q++) {
        r.middle[q] = p->middle[q];
        r.south[q] = p->south[q];
        r.north[q] = p->north[q];
        r.to[q] = p->to[q];
        memcpy(r.to[q], r.middle[q], sizeof(REAL));
        memcpy(r.to[q] + n - 1, r.middle[q] + n - 1, sizeof(REAL));
    }
    if (p->stored)
        OF(compute_inside)(&r, n, true);
    else
        OF(compute_inside)(&r, n, false);
}
#undef REAL
#undef VECTOR
#undef LANES
#undef WIDTH
#undef NOT_A_NUMBER
#undef OF
