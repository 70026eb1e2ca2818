/* Whole transforms of n = m 2^k values with an odd m >= 1 (ORDER.md 14.3, 14.8) in buffers that fit in the cache, for
 * one element type; included after cpu/kernels/bodies/radix_body.h.
 *
 * A slot is a pair of vectors: WIDTH complex numbers that all passes treat alike. The lanes are either the numbers at
 * one position of WIDTH transforms (n slots), or, if 2^k is a multiple of WIDTH, adjacent numbers of one transform
 * (n / WIDTH slots). In both cases the passes of the radices are those of single numbers, with a slot in place of a
 * number and R divided by the numbers of a transform in a slot. For the rows, the lanes of a slot are then WIDTH
 * transforms, or WIDTH rows of one transform. */

/* A pass of radix p over slots. rest: R, in slots. */
typedef struct OF(slot_pass) {
    const REAL *x;
    REAL *y;
    const fft_points *points;
    size_t s, rest;
    const OF(number) * twiddles; /* NULL in the first pass */
    bool along, inverse;         /* x contains interleaved numbers; its parts are exchanged */
} OF(slot_pass);

/* Transposes WIDTH vectors in place. For f32, the first step interleaves vectors, which is one instruction, and
 * leaves the two middle vectors of four exchanged. */
INLINE void OF(transpose_reals)(VECTOR *v) {
    const LANES number = OF(lane_numbers)();
#pragma GCC unroll 4
    for (size_t d = 1; d < WIDTH; d *= 2) {
        const bool interleaves = sizeof(REAL) == 4 && d == 1;
        const LANES low = interleaves ? (number & ~(LANE)3) + (number & 3) / 2 + (number & 1) * (LANE)WIDTH
                                      : number + (number & (LANE)d) / (LANE)d * (LANE)(WIDTH - d);
        const LANES high = low + (LANE)(interleaves ? 2 : d);
#pragma GCC unroll 16
        for (size_t i = 0; i < WIDTH; i++) {
            if (i & d) continue;
            const VECTOR a = v[i], b = v[i + d];
            v[i] = OF(rearrange)(a, b, low);
            v[i + d] = OF(rearrange)(a, b, high);
        }
    }
    if (sizeof(REAL) == 4)
#pragma GCC unroll 4
        for (size_t i = 0; i < WIDTH; i += 4) {
            const VECTOR second = v[i + 1];
            v[i + 1] = v[i + 2];
            v[i + 2] = second;
        }
}

/* ------------------------------------------------------------------------------------ the radices */

/* Computes P of ORDER.md 15.3. */
FUSED_INLINE OF(pair) OF(multiply_pair)(OF(pair) z, OF(pair) w) {
    return (OF(pair)){OF(multiply_add)(z.re, w.re, -(z.im * w.im)), OF(multiply_add)(z.im, w.re, z.re * w.im)};
}

/* C(k) and S(k) of ORDER.md 14.9 in all lanes. */
typedef struct OF(point_vectors) {
    VECTOR cosine[FFT_RADIX_MOST / 2 + 1], sine[FFT_RADIX_MOST / 2 + 1];
} OF(point_vectors);

/* ORDER.md 14.9. Overwrites a. */
INLINE void OF(slot_points)(const OF(point_vectors) * t, size_t p, OF(pair) * a, OF(pair) * b) {
    const size_t half = p / 2;
    b[0] = a[0]; /* cppcheck-suppress uninitvar ; p >= 3, so the callers have set it */
#pragma GCC unroll 6
    for (size_t k = 1; k <= half; k++) {
        const OF(pair) v = a[k], w = a[p - k];
        a[k] = (OF(pair)){v.re + w.re, v.im + w.im};
        a[p - k] = (OF(pair)){v.re - w.re, v.im - w.im};
        b[0] = (OF(pair)){b[0].re + a[k].re, b[0].im + a[k].im};
    }
#pragma GCC unroll 6
    for (size_t c = 1; c <= half; c++) {
        const VECTOR cosine = t->cosine[c], sine = t->sine[c];
        OF(pair) u = {OF(multiply_add)(cosine, a[1].re, a[0].re), OF(multiply_add)(cosine, a[1].im, a[0].im)};
        if (p == 3) { /* the last steps are fused */
            const OF(pair) d = a[2];
            b[1] = (OF(pair)){OF(multiply_add)(sine, d.im, u.re), OF(multiply_add)(sine, -d.re, u.im)};
            b[2] = (OF(pair)){OF(multiply_add)(sine, -d.im, u.re), OF(multiply_add)(sine, d.re, u.im)};
            return;
        }
        OF(pair) v = {sine * a[p - 1].re, sine * a[p - 1].im};
#pragma GCC unroll 6
        for (size_t k = 2; k <= half; k++) {
            const size_t angle = c * k % p;
            const bool beyond = angle > half; /* of half a turn: the sine is that of the other side, negated */
            const VECTOR cos = t->cosine[beyond ? p - angle : angle], sin = t->sine[beyond ? p - angle : angle];
            u = (OF(pair)){OF(multiply_add)(cos, a[k].re, u.re), OF(multiply_add)(cos, a[k].im, u.im)};
            v.re = OF(multiply_add)(beyond ? -sin : sin, a[p - k].re, v.re);
            v.im = OF(multiply_add)(beyond ? -sin : sin, a[p - k].im, v.im);
        }
        b[c] = (OF(pair)){u.re + v.im, u.im - v.re};
        b[p - c] = (OF(pair)){u.re - v.im, u.im + v.re};
    }
}

INLINE OF(pair) OF(load_slot)(const REAL *p, bool along, bool inverse) {
    return along ? OF(load_separated)(p, inverse) : OF(load_pair)(p);
}

/* Computes positions q R to q R + R - 1 of a pass, with the twiddle factors w. along: x contains interleaved
 * numbers. */
INLINE void OF(slot_positions)(const OF(slot_pass) * j, size_t p, size_t q, const OF(point_vectors) * t,
                               const OF(pair) * w, bool along, bool inverse) {
    const size_t rest = j->rest, apart = j->s * rest;
    const REAL *const x = j->x + 2 * WIDTH * q * p * rest;
    REAL *const y = j->y + 2 * WIDTH * q * rest;
    for (size_t r = 0; r < rest; r++) {
        OF(pair) a[FFT_RADIX_MOST], b[FFT_RADIX_MOST];
        a[0] = OF(load_slot)(x + 2 * WIDTH * r, along, inverse);
#pragma GCC unroll 13
        for (size_t c = 1; c < p; c++) {
            a[c] = OF(load_slot)(x + 2 * WIDTH * (c * rest + r), along, inverse);
            if (w) a[c] = OF(multiply_pair)(a[c], w[c]);
        }
        OF(slot_points)(t, p, a, b);
#pragma GCC unroll 13
        for (size_t c = 0; c < p; c++) OF(store_pair)(y + 2 * WIDTH * (c * apart + r), b[c]);
    }
}

INLINE void OF(set_points)(const fft_points *points, size_t p, OF(point_vectors) * t) {
#pragma GCC unroll 6
    for (size_t k = 1; k <= p / 2; k++) {
        t->cosine[k] = OF(fill)((REAL)points->cosine[k]);
        t->sine[k] = OF(fill)((REAL)points->sine[k]);
    }
}

INLINE void OF(slot_radix)(const OF(slot_pass) * j, size_t p) {
    OF(point_vectors) t;
    OF(pair) w[FFT_RADIX_MOST];
    OF(set_points)(j->points, p, &t);
    if (!j->twiddles) {
        j->along ? OF(slot_positions)(j, p, 0, &t, NULL, true, j->inverse)
                 : OF(slot_positions)(j, p, 0, &t, NULL, false, false);
        return;
    }
    for (size_t q = 0; q < j->s; q++) {
#pragma GCC unroll 13
        for (size_t c = 1; c < p; c++) w[c] = OF(spread_pair)(j->twiddles[(c - 1) * j->s + q]);
        OF(slot_positions)(j, p, q, &t, w, false, false);
    }
}

/* Each radix up to 13 is a function of its own. */
#define RADIX(p) \
    static __attribute__((noinline)) void OF(slot_radix_##p)(const OF(slot_pass) * j) { OF(slot_radix)(j, p); }
FFT_EACH_SHORT_RADIX(RADIX)
#undef RADIX

static __attribute__((noinline)) void OF(slot_radix_large)(const OF(slot_pass) * j) {
    OF(slot_radix)(j, j->points->p);
}

/* Computes the first `passes` passes. Without x, the slots are in z[0], else x contains numbers of one transform.
 * Each pass writes the buffer that the next one reads. Returns the buffer of the results. */
static REAL *OF(slot_radices)(const slots_call *w, size_t passes, const REAL *x, REAL *const z[2]) {
    const fft_pass_call *const c = w->call;
    size_t at = 0;
    for (size_t i = 0; i < passes; i++, at = 1 - at) {
        const fft_radix *const radix = &c->radices[i];
        const size_t p = radix->points->p;
        const OF(slot_pass) j = {.x = x && i == 0 ? x : z[at],
                                 .y = z[1 - at],
                                 .points = radix->points,
                                 .s = radix->s,
                                 .rest = w->rest[i],
                                 .twiddles = radix->twiddles,
                                 .along = x,
                                 .inverse = c->exchange_in};
        switch (p) {
#define RADIX(p) \
    case p: OF(slot_radix_##p)(&j); break;
            FFT_EACH_SHORT_RADIX(RADIX)
#undef RADIX
        default: OF(slot_radix_large)(&j);
        }
    }
    return z[at];
}

/* --------------------------------------------------------------------------------------- the rows */

/* Factors of the numbers of the rows, and the scale of an inverse. */
typedef struct OF(row_factors) {
    VECTOR scale;
    const OF(number) * each;
    bool scaled;
} OF(row_factors);

INLINE OF(row_factors) OF(factors_of)(const fft_pass_call *c) {
    return (OF(row_factors)){OF(fill)((REAL)c->scale), c->factors, c->scale != 0};
}

/* Multiplies slot `at` by its factors and by the scale. along: its lanes are not transforms. */
INLINE OF(pair) OF(factored)(OF(pair) v, const OF(row_factors) * f, size_t at, bool along) {
    v = OF(multiply_pair)(v, along ? OF(load_separated)((const REAL *)(f->each + WIDTH * at), false)
                                   : OF(spread_pair)(f->each[at]));
    return f->scaled ? (OF(pair)){v.re * f->scale, v.im * f->scale} : v;
}

/* Stores a row of `count` slots in the order of its results, `apart` slots apart. */
INLINE void OF(store_row)(const OF(pair) * v, size_t count, size_t apart, REAL *y) {
#pragma GCC unroll 8
    for (size_t i = 0; i < count; i++) OF(store_pair)(y + 2 * WIDTH * apart * i, v[OF(mirrored_in)(i, count)]);
}

/* Computes all stages of F from stage `done` on. */
static void OF(last_stages)(REAL *z, size_t length, int done, const OF(number) * w) {
    size_t blocks = (size_t)1 << done;
    for (int left = (3 - transform_log2(length / blocks) % 3) % 3; left > 0 && blocks < length; left--, blocks *= 4)
        OF(pair_sweep)(z, length / blocks, 0, blocks, w, 2);
    for (; blocks < length; blocks *= 8) OF(pair_sweep)(z, length / blocks, 0, blocks, w, 3);
}

/* Computes the first stages of row q of `length` slots, in place. */
INLINE void OF(row_start)(const slots_call *w, REAL *z, size_t q, size_t length, int stages, bool along) {
    const size_t count = (size_t)1 << stages, step = length >> stages, first = q * length;
    const OF(row_factors) f = OF(factors_of)(w->call);
    const OF(block_twiddles) t = OF(twiddles_of)(w->twiddles, 0, stages);
    for (size_t at = first; at < first + step; at++) {
        OF(pair) v[8];
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++)
            v[i] = OF(factored)(OF(load_pair)(z + 2 * WIDTH * (at + i * step)), &f, at + i * step, along);
        OF(pair_stages)(v, t, 0, stages);
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++) OF(store_pair)(z + 2 * WIDTH * (at + i * step), v[i]);
    }
}

/* Returns how many stages of rows of `length` slots are computed first, at most three: those after them are computed
 * two or three at a time. in_order: only the last ones may be two then (OF(finish_across)). */
INLINE int OF(stages_at_once)(size_t length, bool in_order) {
    const int log = transform_log2(length), end = in_order && log > 3 ? log % 3 == 0 ? 3 : 2 : 0;
    return log <= 3 ? log : (log - end) % 3 == 0 ? 3 : 2;
}

/* ---------------------------------------------------------------------- the last pass and the rows */

/* Computes the last pass, of radix p, and the first `stages` stages of the rows. whole: these are all that combine
 * slots; without `along` the results are then stored in order. only: it is the first pass too. along: the lanes are
 * not transforms; x then contains interleaved numbers if `only`, whose parts are exchanged if `inverse`. */
INLINE void OF(radix_and_rows)(const slots_call *w, const REAL *x, size_t p, int stages, bool whole, bool only,
                               bool along, bool inverse, REAL *y) {
    const fft_radix *const radix = w->call->radices + w->call->count - 1;
    const OF(number) *const twiddles = radix->twiddles;
    const OF(row_factors) f = OF(factors_of)(w->call);
    const OF(block_twiddles) t = OF(twiddles_of)(w->twiddles, 0, stages);
    const size_t count = (size_t)1 << stages, length = whole ? count : along ? w->length / WIDTH : w->length;
    const size_t step = whole ? 1 : length >> stages, s = only ? 1 : radix->s;
    OF(point_vectors) points;
    OF(set_points)(radix->points, p, &points);
    for (size_t q = 0; q < s; q++)
        for (size_t first = 0; first < step; first++) {
            OF(pair) rows[3 * 8];
#pragma GCC unroll 8
            for (size_t i = 0; i < count; i++) {
                const size_t at = first + i * step;
                OF(pair) a[5], b[5];
#pragma GCC unroll 5
                for (size_t c = 0; c < p; c++) {
                    a[c] = OF(load_slot)(x + 2 * WIDTH * ((q * p + c) * length + at), along && only, inverse);
                    if (c > 0 && !only) a[c] = OF(multiply_pair)(a[c], OF(spread_pair)(twiddles[(c - 1) * s + q]));
                }
                OF(slot_points)(&points, p, a, b);
#pragma GCC unroll 5
                for (size_t c = 0; c < p; c++)
                    rows[c * count + i] = OF(factored)(b[c], &f, (q + s * c) * length + at, along);
            }
#pragma GCC unroll 5
            for (size_t c = 0; c < p; c++) {
                REAL *const to = y + 2 * WIDTH * ((q + s * c) * length + first);
                OF(pair) *const row = rows + c * count;
                OF(pair_stages)(row, t, 0, stages);
                if (!along && whole) {
                    OF(store_row)(row, count, p * s, y + 2 * WIDTH * (q + s * c));
                    continue;
                }
#pragma GCC unroll 8
                for (size_t i = 0; i < count; i++) OF(store_pair)(to + 2 * WIDTH * step * i, row[i]);
            }
        }
}

typedef void OF(last_passes)(const slots_call *w, const REAL *x, REAL *y);

/* Each radix and number of stages is a function of its own. */
#define LAST(name, p, stages, whole)                                                                 \
    NOINLINE void OF(name)(const slots_call *w, const REAL *x, REAL *y) {                            \
        w->m == p ? OF(radix_and_rows)(w, x, p, stages, whole, true, false, false, y)                \
                  : OF(radix_and_rows)(w, x, p, stages, whole, false, false, false, y);              \
    }                                                                                                \
    NOINLINE void OF(name##_along)(const slots_call *w, const REAL *x, REAL *y) {                    \
        if (w->m != p)                                                                               \
            OF(radix_and_rows)(w, x, p, stages, whole, false, true, false, y);                       \
        else                                                                                         \
            w->call->exchange_in ? OF(radix_and_rows)(w, x, p, stages, whole, true, true, true, y)   \
                                 : OF(radix_and_rows)(w, x, p, stages, whole, true, true, false, y); \
    }
LAST(radix_3_rows_2, 3, 1, true)
LAST(radix_3_rows_4, 3, 2, true)
LAST(radix_3_rows_8, 3, 3, true)
LAST(radix_3_stages_2, 3, 2, false)
LAST(radix_3_stages_3, 3, 3, false)
LAST(radix_5_rows_2, 5, 1, true)
LAST(radix_5_rows_4, 5, 2, true)
#undef LAST

/* Returns a function that computes the last pass and the first `stages` stages of the rows, of `length` slots. NULL:
 * none does. */
static OF(last_passes) * OF(last_passes_of)(const slots_call *w, size_t length, int stages) {
    if (!FMA_INSTRUCTION) return NULL; /* their code would be large */
    const size_t p = w->call->radices[w->call->count - 1].points->p;
#define FUNCTION(name) (w->across ? OF(name) : OF(name##_along))
    if (p == 3 && length <= 8)
        return length == 2   ? FUNCTION(radix_3_rows_2)
               : length == 4 ? FUNCTION(radix_3_rows_4)
               : length == 8 ? FUNCTION(radix_3_rows_8)
                             : NULL;
    if (p == 3) return stages == 2 ? FUNCTION(radix_3_stages_2) : FUNCTION(radix_3_stages_3);
    if (p == 5) return length == 2 ? FUNCTION(radix_5_rows_2) : length == 4 ? FUNCTION(radix_5_rows_4) : NULL;
    return NULL;
#undef FUNCTION
}

/* -------------------------------------------------------------------------------------- the results */

/* Multiplies each lane by 0 and adds it to `sums`, which are then NaN if a lane is infinite or NaN. Results are
 * stored before they are made canonical, which few need. */
INLINE void OF(watch_slot)(OF(pair) v, OF(pair) * sums) {
    sums->re = OF(multiply_add)(v.re, (VECTOR){0}, sums->re);
    sums->im = OF(multiply_add)(v.im, (VECTOR){0}, sums->im);
}

INLINE bool OF(all_finite)(OF(pair) sums) {
    const VECTOR sum = sums.re + sums.im;
    REAL total = 0;
    for (size_t l = 0; l < WIDTH; l++) total += sum[l];
    return total == total;
}

/* Makes results canonical. */
NOINLINE void OF(make_canonical)(REAL *y, size_t reals) {
    for (size_t i = 0; i < reals; i++) y[i] = CANONICAL(y[i]);
}

/* Increments `row` as a counter below `length` with its binary digits in reverse order. */
INLINE size_t OF(next_row)(size_t row, size_t length) {
    size_t digit = length / 2;
    for (; row & digit; digit /= 2) row -= digit;
    return row + digit;
}
