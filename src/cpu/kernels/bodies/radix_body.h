/* Passes of transforms of any length (fft_pass_call; ORDER.md 14.7 to 14.11) for one element type; included after
 * cpu/kernels/bodies/complex_body.h and cpu/kernels/bodies/points_body.h.
 *
 * A pass of radix p has n/p positions u = q R + r in each array, and those of all arrays are numbered in order.
 * Position u needs p numbers, R apart, and writes p numbers, s R apart. The lanes of a vector are adjacent positions.
 * If R is at least the number of lanes, those of one q are computed together: their numbers are adjacent, and they
 * have one twiddle factor. Otherwise the lanes gather their numbers one by one. */

/* A pass of radix p. rest: R. */
typedef struct OF(radix_pass) {
    const fft_pass_call *call;
    const OF(number) * twiddles;
    size_t p, s, rest;
    bool ends; /* its numbers are results */
    OF(angles) angles;
} OF(radix_pass);

INLINE VECTOR OF(finish)(const OF(radix_pass) * j, VECTOR v) {
    if (j->call->scale != 0) v = v * OF(fill)((REAL)j->call->scale);
    if (j->call->exchange_out) v = OF(swap_parts)(v);
    return j->ends ? OF(canonical)(v) : v;
}

/* Computes COMPLEX positions from q R + r on of an array; r + COMPLEX <= R. */
INLINE void OF(radix_row)(const OF(radix_pass) * j, size_t p, size_t array, size_t q, size_t r) {
    const REAL *const x = (const REAL *)j->call->x + array * j->call->x_step + 2 * (q * p * j->rest + r);
    REAL *const y = (REAL *)j->call->y + array * j->call->y_step;
    const OF(number) *const w = j->twiddles;
    VECTOR a[FFT_RADIX_MOST], b[FFT_RADIX_MOST];
#pragma GCC unroll 13
    for (size_t c = 0; c < p; c++) {
        a[c] = OF(load)(x + 2 * c * j->rest);
        if (j->call->exchange_in) a[c] = OF(swap_parts)(a[c]);
        if (!w || c == 0) continue;
        const OF(number) t = w[(c - 1) * j->s + q];
        const VECTOR crossed = OF(negate_parts)(OF(fill)(t.im), false);
        a[c] = OF(multiply_add)(a[c], OF(fill)(t.re), OF(swap_parts)(a[c]) * crossed);
    }
    OF(points)(&j->angles, p, a, b);
#pragma GCC unroll 13
    for (size_t c = 0; c < p; c++) {
        const size_t at = 2 * ((q + j->s * c) * j->rest + r);
        if (j->call->factors) b[c] = OF(multiply)(b[c], OF(load)((const REAL *)j->call->factors + at));
        OF(store)(y + at, OF(finish)(j, b[c]));
    }
}

/* ---------------------------------------------------------------- lanes with addresses of their own */

typedef uint64_t OF(words) __attribute__((vector_size(VECTOR_BYTES)));

/* Loads a number for each lane, `at` reals after its address. */
INLINE VECTOR OF(gather)(const REAL *const *p, size_t at) {
    VECTOR v = {0};
    OF(words) words = (OF(words))v;
#pragma GCC unroll 8
    for (size_t l = 0; l < COMPLEX; l++)
        if (sizeof(REAL) == sizeof(float)) {
            uint64_t word;
            memcpy(&word, p[l] + at, sizeof word);
            words[l % (VECTOR_BYTES / 8)] = word;
        } else {
            v[2 * l] = p[l][at];
            v[2 * l + 1] = p[l][at + 1];
        }
    return sizeof(REAL) == sizeof(float) ? (VECTOR)words : v;
}

/* Stores the numbers of the first `count` lanes, `at` reals after their addresses. */
INLINE void OF(scatter)(REAL *const *p, size_t at, VECTOR v, size_t count) {
    OF(number) all[COMPLEX];
    memcpy(all, &v, sizeof v);
    for (size_t l = 0; l < count; l++) memcpy(p[l] + at, &all[l], sizeof *all);
}

/* Position q R + r of an array. */
typedef struct OF(position) {
    size_t array, q, r;
} OF(position);

INLINE OF(position) OF(position_of)(const OF(radix_pass) * j, size_t u) {
    const size_t rows = j->s * j->rest;
    return (OF(position)){u / rows, u % rows / j->rest, u % rows % j->rest};
}

INLINE void OF(advance)(const OF(radix_pass) * j, OF(position) * at) {
    if (++at->r == j->rest) at->q++, at->r = 0;
    if (at->q == j->s) at->array++, at->q = 0;
}

/* Computes `count` positions from *from on, and advances it; count <= COMPLEX. The other lanes repeat the last
 * position. */
INLINE void OF(radix_lanes)(const OF(radix_pass) * j, size_t p, OF(position) * from, size_t count) {
    const fft_pass_call *const c = j->call;
    const size_t rows = j->s * j->rest;
    const REAL *x[COMPLEX], *w[COMPLEX], *factors[COMPLEX];
    REAL *y[COMPLEX];
    for (size_t l = 0; l < COMPLEX; l++) {
        const size_t r = from->q * j->rest + from->r;
        x[l] = (const REAL *)c->x + from->array * c->x_step + 2 * (r + from->q * (p - 1) * j->rest);
        y[l] = (REAL *)c->y + from->array * c->y_step + 2 * r;
        w[l] = (const REAL *)j->twiddles + 2 * from->q;
        factors[l] = (const REAL *)c->factors + 2 * r;
        if (l + 1 < count) OF(advance)(j, from);
    }
    OF(advance)(j, from);
    VECTOR a[FFT_RADIX_MOST], b[FFT_RADIX_MOST];
#pragma GCC unroll 13
    for (size_t i = 0; i < p; i++) {
        a[i] = OF(gather)(x, 2 * i * j->rest);
        if (c->exchange_in) a[i] = OF(swap_parts)(a[i]);
        if (j->twiddles && i > 0) a[i] = OF(multiply)(a[i], OF(gather)(w, 2 * (i - 1) * j->s));
    }
    OF(points)(&j->angles, p, a, b);
    const bool adjacent = y[COMPLEX - 1] - y[0] == (ptrdiff_t)(2 * (COMPLEX - 1)) && count == COMPLEX;
#pragma GCC unroll 13
    for (size_t i = 0; i < p; i++) {
        const size_t at = 2 * i * rows;
        if (c->factors) b[i] = OF(multiply)(b[i], OF(gather)(factors, at));
        if (adjacent)
            OF(store)(y[0] + at, OF(finish)(j, b[i]));
        else
            OF(scatter)(y, at, OF(finish)(j, b[i]), count);
    }
}

/* ------------------------------------------------------------------------------------- all positions */

/* Computes positions [from, to) of one q: u is the first of its R positions. */
INLINE void OF(radix_rows)(const OF(radix_pass) * j, size_t p, size_t u, size_t from, size_t to) {
    const size_t array = u / (j->s * j->rest), q = u / j->rest % j->s;
    if (to - from < COMPLEX) {
        OF(position) first = {array, q, from - u};
        OF(radix_lanes)(j, p, &first, to - from);
        return;
    }
    size_t at = from;
    for (; at + COMPLEX <= to; at += COMPLEX) OF(radix_row)(j, p, array, q, at - u);
    if (at < to) OF(radix_row)(j, p, array, q, to - COMPLEX - u); /* some positions once more */
}

INLINE void OF(radix_range)(const OF(radix_pass) * j, size_t p, size_t from, size_t to) {
    if (j->rest < COMPLEX) {
        OF(position) at = OF(position_of)(j, from);
        for (size_t u = from; u < to; u += COMPLEX) OF(radix_lanes)(j, p, &at, to - u < COMPLEX ? to - u : COMPLEX);
        return;
    }
    for (size_t u = from / j->rest * j->rest; u < to; u += j->rest)
        OF(radix_rows)(j, p, u, u < from ? from : u, u + j->rest < to ? u + j->rest : to);
}

/* Each radix up to 13 is a function of its own. */
#define RADIX(p)                                                                                            \
    static __attribute__((noinline)) void OF(radix_##p)(const OF(radix_pass) * j, size_t from, size_t to) { \
        OF(radix_range)(j, p, from, to);                                                                    \
    }
FFT_EACH_SHORT_RADIX(RADIX)
#undef RADIX

static __attribute__((noinline)) void OF(radix_large)(const OF(radix_pass) * j, size_t from, size_t to) {
    if (j->p < 17) __builtin_unreachable(); /* otherwise GCC for POWER warns of points that are not set */
    OF(radix_range)(j, j->p, from, to);
}

static void OF(radix)(const fft_pass_call *c, size_t from, size_t to) {
    const fft_points *const points = c->radices->points;
    OF(radix_pass) j;
    j.call = c;
    j.p = points->p;
    j.s = c->radices->s;
    j.rest = c->n / (j.s * j.p);
    j.twiddles = c->radices->twiddles;
    j.ends = !c->factors && j.rest == 1;
    OF(set_angles)(&j.angles, points);
    switch (j.p) {
#define RADIX(p) \
    case p: OF(radix_##p)(&j, from, to); break;
        FFT_EACH_SHORT_RADIX(RADIX)
#undef RADIX
    default: OF(radix_large)(&j, from, to);
    }
}

/* Loads numbers [at, at + COMPLEX) of rows [first, first + COMPLEX) as columns. Rows after the last one repeat it. */
INLINE void OF(load_columns)(const fft_pass_call *c, const REAL *x, size_t first, size_t at, VECTOR *v) {
#pragma GCC unroll 8
    for (size_t i = 0; i < COMPLEX; i++) {
        const size_t row = first + i < c->count ? first + i : c->count - 1;
        v[i] = OF(load)(x + 2 * (row * (c->n / c->count) + at));
    }
    OF(transpose)(v);
}

/* The two functions store numbers [from, to) of all rows as columns; to - from is a multiple of COMPLEX. Of fewer
 * rows than lanes, the numbers that a vector has too many are overwritten by the next one. */
static void OF(transpose_few)(const fft_pass_call *c, const REAL *x, REAL *y, size_t from, size_t to) {
    const size_t rows = c->count;
    VECTOR v[COMPLEX];
    for (size_t at = from; at < to; at += COMPLEX) {
        OF(load_columns)(c, x, 0, at, v);
#pragma GCC unroll 8
        for (size_t i = 0; i < COMPLEX; i++) {
            REAL *const p = y + 2 * (at + i) * rows;
            if ((at + i) * rows + COMPLEX <= to * rows)
                OF(store)(p, v[i]);
            else
                memcpy(p, &v[i], 2 * rows * sizeof(REAL));
        }
    }
}

static void OF(transpose_many)(const fft_pass_call *c, const REAL *x, REAL *y, size_t from, size_t to) {
    const size_t rows = c->count, block = 8 * COMPLEX; /* rows whose cache lines are read completely */
    VECTOR v[COMPLEX];
    for (size_t above = 0; above < rows; above += block)
        for (size_t at = from; at < to; at += COMPLEX)
            for (size_t row = above; row < rows && row < above + block; row += COMPLEX) {
                const size_t first = row + COMPLEX <= rows ? row : rows - COMPLEX; /* some rows once more */
                OF(load_columns)(c, x, first, at, v);
#pragma GCC unroll 8
                for (size_t i = 0; i < COMPLEX; i++) OF(store)(y + 2 * ((at + i) * rows + first), v[i]);
            }
}

static void OF(transpose_rows)(const fft_pass_call *c, size_t array, size_t from, size_t to) {
    const REAL *const x = (const REAL *)c->x + array * c->x_step;
    REAL *const y = (REAL *)c->y + array * c->y_step;
    /* cppcheck-suppress zerodivcond ; there is a row, so `rows < COMPLEX` is never true for vectors of one number */
    const size_t rows = c->count, length = c->n / c->count;
    if (length >= COMPLEX) {
        (rows < COMPLEX ? OF(transpose_few) : OF(transpose_many))(c, x, y, from, to);
        return;
    }
    for (size_t i = from; i < to; i++)
        for (size_t q = 0; q < rows; q++)
            memcpy(y + 2 * (i * rows + q), x + 2 * (q * length + i), sizeof(OF(number)));
}

/* ------------------------------------------------------------------------------------ products */

/* Computes `count` products at a time; count <= COMPLEX. */
INLINE void OF(multiply_some)(const fft_pass_call *c, const REAL *x, REAL *y, size_t i, size_t count) {
    const REAL *const factors = c->factors;
    VECTOR v = {0}, w = {0};
    memcpy(&v, x + 2 * i, 2 * count * sizeof(REAL));
    memcpy(&w, factors + 2 * i, 2 * count * sizeof(REAL));
    v = OF(multiply)(c->exchange_in ? OF(swap_parts)(v) : v, w);
    if (c->scale != 0) v = v * OF(fill)((REAL)c->scale);
    v = OF(canonical)(c->exchange_out ? OF(swap_parts)(v) : v);
    memcpy(y + 2 * i, &v, 2 * count * sizeof(REAL));
}

static void OF(multiply_range)(const fft_pass_call *c, size_t array, size_t from, size_t to) {
    const REAL *const x = (const REAL *)c->x + array * c->x_step;
    REAL *const y = (REAL *)c->y + array * c->y_step;
    const size_t end = to < c->n ? to : c->n;
    size_t at = from;
    for (; at + COMPLEX <= end; at += COMPLEX) OF(multiply_some)(c, x, y, at, COMPLEX);
    if (at < end) OF(multiply_some)(c, x, y, at, end - at);
    for (size_t i = from > c->n ? from : end; i < to; i++) y[2 * i] = y[2 * i + 1] = 0;
}

/* --------------------------------------------------------------------------- real and complex */

/* Both for odd n. */
static void OF(extend)(const fft_pass_call *c, size_t array, size_t from, size_t to) {
    const REAL *const x = (const REAL *)c->x + array * c->x_step;
    REAL *const y = (REAL *)c->y + array * c->y_step;
    for (size_t f = from; f < to; f++) {
        const size_t at = f <= c->n / 2 ? f : c->n - f;
        y[2 * f] = x[c->to_real ? 2 * at : f];
        y[2 * f + 1] = !c->to_real || f == 0 ? 0 : at == f ? x[2 * at + 1] : -x[2 * at + 1];
    }
}

static void OF(reduce)(const fft_pass_call *c, size_t array, size_t from, size_t to) {
    const REAL *const x = (const REAL *)c->x + array * c->x_step;
    REAL *const y = (REAL *)c->y + array * c->y_step;
    for (size_t f = from; f < to; f++) {
        if (c->to_real) {
            y[f] = x[2 * f];
        } else {
            y[2 * f] = x[2 * f];
            y[2 * f + 1] = f ? x[2 * f + 1] : 0;
        }
    }
}

/* The pairs of a real transform of 2n values, all at once. */
static void OF(pairs)(const fft_pass_call *c, size_t array) {
    const transform_plan plan = {.n = c->n, .half_twiddles = (void *)c->factors};
    REAL *const y = (REAL *)c->y + array * c->y_step;
    const bool split = c->kind == FFT_SPLIT;
    const transform_pass p = {.plan = &plan, .x = split ? y : (const REAL *)c->x + array * c->x_step, .y = y};
    (split ? OF(split) : OF(combine))(&p);
}

static void OF(run_pass)(const fft_pass_call *c, size_t array, size_t from, size_t to) {
    switch (c->kind) {
    case FFT_RADICES: OF(radix)(c, from, to); break;
    case FFT_ROWS: OF(transpose_rows)(c, array, from, to); break;
    case FFT_PRODUCT: OF(multiply_range)(c, array, from, to); break;
    case FFT_EXTEND: OF(extend)(c, array, from, to); break;
    case FFT_REDUCE: OF(reduce)(c, array, from, to); break;
    case FFT_SPLIT:
    case FFT_COMBINE: OF(pairs)(c, array); break;
    case FFT_CHIRP: break; /* not accepted by cpu_fft_takes_whole */
    }
}
