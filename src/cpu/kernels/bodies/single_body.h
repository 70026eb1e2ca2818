/* One transform of n = m 2^k values with an odd m > 1 (ORDER.md 14.8), for one element type; included after
 * cpu/kernels/bodies/points_body.h.
 *
 * A pass of radix p has n/p positions u = q R + r. Position u reads p numbers, R apart, from number u + q (p - 1) R
 * on, and writes numbers u + c n/p: the results of adjacent positions are adjacent. The lanes of a vector are
 * adjacent positions, of one q if R is at least the number of lanes. The last vector computes some positions once
 * more.
 *
 * The lanes of the rows are adjacent rows. Rows of up to 8 numbers are computed in registers, others in a buffer. */

typedef struct OF(single_pass) {
    const REAL *x, *twiddles, *factors; /* twiddles: NULL in the first pass; factors: of the results, or NULL */
    REAL *y;
    size_t s, rest, positions; /* rest: R; positions: n/p */
    REAL scale;
    bool plain;        /* the results are stored as they are: neither factors nor scaled nor ends */
    bool scaled, ends; /* ends: the results are those of the transform */
    bool inverse;
    OF(angles) angles;
} OF(single_pass);

/* ---------------------------------------------------------------------------------- memory and lanes */

/* Loads number at[l] of x for each lane l, by loads of 16 bytes (f64) or of 8 (f32). */
INLINE VECTOR OF(load_numbers)(const REAL *x, const size_t *at) {
    single_half low, high;
    if (sizeof(REAL) == sizeof(double)) {
        memcpy(&low, x + 2 * at[0], sizeof low);
        memcpy(&high, x + 2 * at[1], sizeof high);
    } else {
        double w[4];
#pragma GCC unroll 4
        for (size_t l = 0; l < 4; l++) memcpy(&w[l], x + 2 * at[l % COMPLEX], sizeof *w);
        low = (single_half){w[0], w[1]};
        high = (single_half){w[2], w[3]};
    }
    VECTOR v = (VECTOR)single_join(low, high);
    KEEP_IN_REGISTER(v);
    return v;
}

/* Loads `count` adjacent numbers; other lanes repeat the last one. */
INLINE VECTOR OF(load_some)(const REAL *x, size_t count) {
    size_t at[COMPLEX];
    if (count == COMPLEX) return OF(load)(x);
    for (size_t l = 0; l < COMPLEX; l++) at[l] = l < count ? l : count - 1;
    return OF(load_numbers)(x, at);
}

/* Stores the first `count` numbers of v. */
INLINE void OF(store_some)(REAL *y, VECTOR v, size_t count) {
    if (count == COMPLEX) {
        OF(store)(y, v);
        return;
    }
#pragma GCC unroll 4
    for (size_t l = 0; l + 1 < COMPLEX; l++) {
        const OF(number) number = {v[2 * l], v[2 * l + 1]};
        if (l < count) memcpy(y + 2 * l, &number, sizeof number);
    }
}

/* --------------------------------------------------------------------------------------- the radices */

/* Stores `count` results of a pass, from number `at` on. */
INLINE void OF(store_passed)(const OF(single_pass) * j, VECTOR v, size_t at, size_t count) {
    if (j->plain) {
        OF(store_some)(j->y + 2 * at, v, count);
        return;
    }
    if (j->factors) v = OF(multiply)(v, OF(load_some)(j->factors + 2 * at, count));
    if (j->scaled) v = v * OF(fill)(j->scale);
    if (j->ends) v = OF(canonical)(j->inverse ? OF(swap_parts)(v) : v);
    OF(store_some)(j->y + 2 * at, v, count);
}

/* Computes all positions; R is at least COMPLEX. */
INLINE void OF(long_positions)(const OF(single_pass) * j, size_t p, bool first) {
    const size_t rest = j->rest, positions = j->positions;
    VECTOR re[FFT_RADIX_MOST], crossed[FFT_RADIX_MOST], a[FFT_RADIX_MOST], b[FFT_RADIX_MOST];
    for (size_t q = 0; q < (first ? 1 : j->s); q++) {
#pragma GCC unroll 13
        for (size_t c = 1; c < p && !first; c++) {
            const REAL *const w = j->twiddles + 2 * ((c - 1) * j->s + q);
            re[c] = OF(fill)(w[0]);
            crossed[c] = OF(negate_parts)(OF(fill)(w[1]), false);
        }
        for (size_t next = 0; next < rest; next += COMPLEX) {
            const size_t r = next + COMPLEX <= rest ? next : rest - COMPLEX;
            const REAL *const x = j->x + 2 * (q * p * rest + r);
#pragma GCC unroll 13
            for (size_t c = 0; c < p; c++) {
                a[c] = OF(load)(x + 2 * c * rest);
                if (first && j->inverse) a[c] = OF(swap_parts)(a[c]);
                if (!first && c > 0) a[c] = OF(multiply_add)(a[c], re[c], OF(swap_parts)(a[c]) * crossed[c]);
            }
            OF(points)(&j->angles, p, a, b);
#pragma GCC unroll 13
            for (size_t c = 0; c < p; c++) OF(store_passed)(j, b[c], q * rest + r + c * positions, COMPLEX);
        }
    }
}

/* Computes `count` positions from u on; R is less than COMPLEX. */
INLINE void OF(short_positions)(const OF(single_pass) * j, size_t p, size_t u, size_t count, bool first) {
    const size_t rest = COMPLEX == 2 ? 1 : j->rest;
    size_t q[COMPLEX], from[COMPLEX];
    VECTOR a[FFT_RADIX_MOST], b[FFT_RADIX_MOST];
#pragma GCC unroll 4
    for (size_t l = 0; l < COMPLEX; l++) {
        const size_t v = u + (l < count ? l : count - 1);
        q[l] = rest == 1 ? v : rest == 2 ? v / 2 : v / 3;
        from[l] = v + q[l] * (p - 1) * rest;
    }
#pragma GCC unroll 13
    for (size_t c = 0; c < p; c++) {
        a[c] = OF(load_numbers)(j->x + 2 * c * rest, from);
        if (first && j->inverse) a[c] = OF(swap_parts)(a[c]);
        if (first || c == 0) continue;
        const REAL *const w = j->twiddles + 2 * (c - 1) * j->s;
        a[c] = OF(multiply)(a[c], count == COMPLEX && rest == 1 ? OF(load)(w + 2 * u) : OF(load_numbers)(w, q));
    }
    OF(points)(&j->angles, p, a, b);
#pragma GCC unroll 13
    for (size_t c = 0; c < p; c++) OF(store_passed)(j, b[c], u + c * j->positions, count);
}

INLINE void OF(single_positions)(const OF(single_pass) * j, size_t p, bool first) {
    const size_t positions = j->positions;
    if (j->rest >= COMPLEX)
        OF(long_positions)(j, p, first);
    else if (positions < COMPLEX)
        OF(short_positions)(j, p, 0, positions, first);
    else
        for (size_t u = 0; u < positions; u += COMPLEX)
            OF(short_positions)(j, p, u + COMPLEX <= positions ? u : positions - COMPLEX, COMPLEX, first);
}

/* Each radix up to 13 is a function of its own. */
#define RADIX(p)                                                                                        \
    NOINLINE void OF(single_first_##p)(const OF(single_pass) * j) { OF(single_positions)(j, p, true); } \
    NOINLINE void OF(single_radix_##p)(const OF(single_pass) * j) { OF(single_positions)(j, p, false); }
FFT_EACH_SHORT_RADIX(RADIX)
#undef RADIX

NOINLINE void OF(single_large)(const OF(single_pass) * j, size_t p) {
    if (p < 17) __builtin_unreachable(); /* otherwise GCC warns of points that are not set */
    j->twiddles ? OF(single_positions)(j, p, false) : OF(single_positions)(j, p, true);
}

INLINE void OF(run_single_pass)(const OF(single_pass) * j, size_t p) {
    const bool first = !j->twiddles;
    switch (p) {
#define RADIX(p) \
    case p: (first ? OF(single_first_##p) : OF(single_radix_##p))(j); break;
        FFT_EACH_SHORT_RADIX(RADIX)
#undef RADIX
    default: OF(single_large)(j, p);
    }
}

/* ------------------------------------------------------------------------------------------ the rows */

/* The m rows of 2^k numbers in z, and the results y. buffer: one of 2^k vectors. */
typedef struct OF(single_rows) {
    const REAL *z;
    REAL *y, *buffer;
    const OF(number) * twiddles;
    size_t m, length;
    REAL scale; /* 1 / length */
    bool inverse;
} OF(single_rows);

/* Returns the twiddles of the stages on `count` vectors of block q: those of stage s from number 2^s - 1 on. */
INLINE void OF(stage_twiddles)(const OF(number) * w, size_t count, size_t q, OF(twiddle) * t) {
#pragma GCC unroll 4
    for (size_t blocks = 1; blocks < count; blocks *= 2)
#pragma GCC unroll 4
        for (size_t i = 0; i < blocks; i++) t[blocks - 1 + i] = OF(spread)(w[q * blocks + i]);
}

/* Computes the stages on `count` vectors of a block, which is `low` modulo 4. */
INLINE void OF(single_stages)(VECTOR *v, size_t count, const OF(twiddle) * t, size_t low) {
#pragma GCC unroll 4
    for (size_t blocks = 1; blocks < count; blocks *= 2) {
        const size_t half = count / blocks / 2;
#pragma GCC unroll 4
        for (size_t i = 0; i < count / 2; i++) {
            const size_t b = i / half, at = 2 * half * b + i % half;
            OF(butterfly)(&v[at], &v[at + half], t[blocks - 1 + b], OF(in_all)((low * blocks + b) % 4), false);
        }
    }
}

/* Returns true if there are fewer rows than lanes. Then they are three: m is odd. */
INLINE bool OF(three_rows)(const OF(single_rows) * r) { return COMPLEX > 3 && r->m == 3; }

/* Sets the indices of the first numbers of the rows in the lanes. Rows after the last one repeat it. */
INLINE void OF(set_rows)(const OF(single_rows) * r, size_t first, size_t *at) {
    for (size_t l = 0; l < COMPLEX; l++) at[l] = (first + l < r->m ? first + l : r->m - 1) * r->length;
}

/* Stores result c of the rows from `first` on. */
INLINE void OF(store_column)(const OF(single_rows) * r, VECTOR v, size_t first, size_t c) {
    if (r->inverse) v = OF(swap_parts)(v * OF(fill)(r->scale));
    OF(store_some)(r->y + 2 * (first + r->m * c), OF(canonical)(v), OF(three_rows)(r) ? 3 : COMPLEX);
}

/* Returns the first of the next rows: the last vector computes some once more. */
INLINE size_t OF(rows_from)(const OF(single_rows) * r, size_t q) {
    return OF(three_rows)(r) || q + COMPLEX <= r->m ? q : r->m - COMPLEX;
}

/* Transforms rows of `length` numbers, at most 8. */
INLINE void OF(short_rows)(const OF(single_rows) * r, size_t length) {
    OF(twiddle) t[7];
    OF(stage_twiddles)(r->twiddles, length, 0, t);
    for (size_t q = 0; q < r->m; q += COMPLEX) {
        const size_t first = OF(rows_from)(r, q);
        size_t at[COMPLEX];
        VECTOR v[8];
        OF(set_rows)(r, first, at);
#pragma GCC unroll 8
        for (size_t i = 0; i < length; i++) v[i] = OF(load_numbers)(r->z + 2 * i, at);
        OF(single_stages)(v, length, t, 0);
#pragma GCC unroll 8
        for (size_t c = 0; c < length; c++)
            OF(store_column)(r, v[transform_mirrored(c, transform_log2(length))], first, c);
    }
}

NOINLINE void OF(rows_of_2)(const OF(single_rows) * r) { OF(short_rows)(r, 2); }
NOINLINE void OF(rows_of_4)(const OF(single_rows) * r) { OF(short_rows)(r, 4); }
NOINLINE void OF(rows_of_8)(const OF(single_rows) * r) { OF(short_rows)(r, 8); }

/* Computes the first stages of the rows at `at`, to the buffer. */
INLINE void OF(first_stages)(const OF(single_rows) * r, const size_t *at, int stages) {
    const size_t count = (size_t)1 << stages, step = r->length >> stages;
    OF(twiddle) t[7];
    OF(stage_twiddles)(r->twiddles, count, 0, t);
    for (size_t e = 0; e < step; e++) {
        VECTOR v[8];
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++) v[i] = OF(load_numbers)(r->z + 2 * (e + i * step), at);
        OF(single_stages)(v, count, t, 0);
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++) OF(store)(r->buffer + WIDTH * (e + i * step), v[i]);
    }
}

/* Computes the next stages of `blocks` blocks in the buffer. */
INLINE void OF(next_stages)(const OF(single_rows) * r, size_t blocks, int stages) {
    const size_t count = (size_t)1 << stages, size = r->length / blocks, step = size >> stages;
#pragma GCC unroll 4
    for (size_t low = 0; low < 4; low++)
        for (size_t q = low; q < blocks; q += 4) {
            REAL *const z = r->buffer + WIDTH * size * q;
            OF(twiddle) t[7];
            OF(stage_twiddles)(r->twiddles, count, q, t);
            for (size_t e = 0; e < step; e++) {
                VECTOR v[8];
#pragma GCC unroll 8
                for (size_t i = 0; i < count; i++) v[i] = OF(load)(z + WIDTH * (e + i * step));
                OF(single_stages)(v, count, t, low);
#pragma GCC unroll 8
                for (size_t i = 0; i < count; i++) OF(store)(z + WIDTH * (e + i * step), v[i]);
            }
        }
}

/* Computes the last stages, of blocks of 2^stages vectors, and stores the results of the rows from `first` on. */
INLINE void OF(final_stages)(const OF(single_rows) * r, size_t first, int stages) {
    const size_t count = (size_t)1 << stages, blocks = r->length >> stages;
#pragma GCC unroll 4
    for (size_t low = 0; low < 4; low++) {
        size_t column = transform_mirrored(low, 2) * (blocks / 4); /* q with its digits in reverse order */
        for (size_t q = low; q < blocks; q += 4) {
            OF(twiddle) t[7];
            VECTOR v[8];
            OF(stage_twiddles)(r->twiddles, count, q, t);
#pragma GCC unroll 8
            for (size_t i = 0; i < count; i++) v[i] = OF(load)(r->buffer + WIDTH * (count * q + i));
            OF(single_stages)(v, count, t, low);
#pragma GCC unroll 8
            for (size_t c = 0; c < count; c++)
                OF(store_column)(r, v[transform_mirrored(c, stages)], first, column + blocks * c);
            size_t digit = blocks / 8; /* increments `column` as a bit-reversed counter */
            for (; column & digit; digit /= 2) column -= digit;
            column += digit;
        }
    }
}

NOINLINE void OF(next_stages_2)(const OF(single_rows) * r, size_t blocks) { OF(next_stages)(r, blocks, 2); }
NOINLINE void OF(next_stages_3)(const OF(single_rows) * r, size_t blocks) { OF(next_stages)(r, blocks, 3); }
NOINLINE void OF(final_stages_2)(const OF(single_rows) * r, size_t first) { OF(final_stages)(r, first, 2); }
NOINLINE void OF(final_stages_3)(const OF(single_rows) * r, size_t first) { OF(final_stages)(r, first, 3); }

/* Transforms rows of 16 or more numbers. All steps but the last have three stages, or two if the rest would not be a
 * multiple of three. */
static void OF(long_rows)(const OF(single_rows) * r) {
    const int log = transform_log2(r->length), start = log % 3 == 0 ? 3 : 2;
    for (size_t q = 0; q < r->m; q += COMPLEX) {
        const size_t first = OF(rows_from)(r, q);
        size_t at[COMPLEX];
        OF(set_rows)(r, first, at);
        start == 3 ? OF(first_stages)(r, at, 3) : OF(first_stages)(r, at, 2);
        int done = start;
        if (log % 3 == 1 && log > 4) OF(next_stages_2)(r, (size_t)1 << done), done += 2;
        for (; log - done > 3; done += 3) OF(next_stages_3)(r, (size_t)1 << done);
        log == 4 ? OF(final_stages_2)(r, first) : OF(final_stages_3)(r, first);
    }
}

static void OF(run_single_rows)(const OF(single_rows) * r) {
    switch (r->length) {
    case 2: OF(rows_of_2)(r); break;
    case 4: OF(rows_of_4)(r); break;
    case 8: OF(rows_of_8)(r); break;
    default: OF(long_rows)(r);
    }
}

/* ------------------------------------------------------------------------------------- the transform */

static void OF(single)(const single_call *w) {
    const fft_pass_call *const c = w->call;
    const size_t length = c->n & -c->n, reals = (2 * c->n + WIDTH - 1) / WIDTH * WIDTH;
    REAL *const z[2] = {w->buffer, (REAL *)w->buffer + reals};
    size_t rest[SLOT_PASSES], at = 0;
    rest[c->count - 1] = length;
    for (size_t i = c->count - 1; i > 0; i--) rest[i - 1] = rest[i] * c->radices[i].points->p;
    OF(single_pass) j;
    j.x = w->x;
    j.inverse = c->exchange_in;
    for (size_t i = 0; i < c->count; i++, at = 1 - at) {
        const fft_radix *const radix = &c->radices[i];
        const bool last = i + 1 == c->count;
        j.ends = last && length == 1;
        j.y = j.ends ? w->y : z[at];
        j.s = radix->s;
        j.rest = rest[i];
        j.positions = radix->s * rest[i];
        j.twiddles = radix->twiddles;
        j.factors = last ? c->factors : NULL;
        j.scaled = last && c->scale != 0;
        j.scale = (REAL)c->scale;
        j.plain = !last;
        OF(set_angles)(&j.angles, radix->points);
        OF(run_single_pass)(&j, radix->points->p);
        j.x = j.y;
    }
    if (length == 1) return;
    const OF(single_rows) rows = {.z = j.x,
                                  .y = w->y,
                                  .buffer = (REAL *)w->buffer + 2 * reals,
                                  .twiddles = w->twiddles,
                                  .m = c->n >> transform_log2(length),
                                  .length = length,
                                  .scale = (REAL)w->scale,
                                  .inverse = c->exchange_in};
    OF(run_single_rows)(&rows);
}
