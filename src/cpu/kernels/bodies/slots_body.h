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
INLINE OF(pair) OF(multiply_pair)(OF(pair) z, OF(pair) w) {
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

INLINE void OF(slot_radix)(const OF(slot_pass) * j, size_t p) {
    OF(point_vectors) t;
    OF(pair) w[FFT_RADIX_MOST];
#pragma GCC unroll 6
    for (size_t k = 1; k <= p / 2; k++) {
        t.cosine[k] = OF(fill)((REAL)j->points->cosine[k]);
        t.sine[k] = OF(fill)((REAL)j->points->sine[k]);
    }
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
RADIX(3)
RADIX(5)
RADIX(7)
RADIX(11)
RADIX(13)
#undef RADIX

static __attribute__((noinline)) void OF(slot_radix_large)(const OF(slot_pass) * j) {
    OF(slot_radix)(j, j->points->p);
}

/* Computes all passes. Without x, the slots are in z[0], else x contains numbers of one transform. Each pass writes
 * the buffer that the next one reads. Returns the buffer of the results. */
static REAL *OF(slot_radices)(const slots_call *w, const REAL *x, REAL *const z[2]) {
    const fft_pass_call *const c = w->call;
    size_t at = 0;
    for (size_t i = 0; i < c->count; i++, at = 1 - at) {
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
        case 3: OF(slot_radix_3)(&j); break;
        case 5: OF(slot_radix_5)(&j); break;
        case 7: OF(slot_radix_7)(&j); break;
        case 11: OF(slot_radix_11)(&j); break;
        case 13: OF(slot_radix_13)(&j); break;
        default: OF(slot_radix_large)(&j);
        }
    }
    return z[at];
}

/* --------------------------------------------------------------------------------------- the rows */

/* Returns slot `at` of the results of the passes, multiplied by its factor and by the scale. */
INLINE OF(pair) OF(scaled_slot)(const fft_pass_call *c, const REAL *z, size_t at, bool across) {
    const OF(number) *const factors = c->factors;
    OF(pair) v = OF(load_pair)(z + 2 * WIDTH * at);
    if (factors)
        v = OF(multiply_pair)(v, across ? OF(spread_pair)(factors[at])
                                        : OF(load_separated)((const REAL *)(factors + WIDTH * at), false));
    if (c->scale != 0) v = (OF(pair)){v.re * OF(fill)((REAL)c->scale), v.im * OF(fill)((REAL)c->scale)};
    return v;
}

/* Computes the first stages of F (ORDER.md 14.3) in a row of `length` slots from slot `first` on, whose lanes are
 * transforms. */
INLINE void OF(first_stages)(const fft_pass_call *c, REAL *z, size_t first, size_t length, const OF(number) * w,
                             int stages) {
    const size_t count = (size_t)1 << stages, step = length >> stages;
    const OF(block_twiddles) t = OF(twiddles_of)(w, 0, stages);
    for (size_t at = first; at < first + step; at++) {
        OF(pair) v[8];
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++) v[i] = OF(scaled_slot)(c, z, at + i * step, true);
        OF(pair_stages)(v, t, 0, stages);
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++) OF(store_pair)(z + 2 * WIDTH * (at + i * step), v[i]);
    }
}

/* Computes all stages of F from stage `done` on. */
static void OF(last_stages)(REAL *z, size_t length, int done, const OF(number) * w) {
    size_t blocks = (size_t)1 << done;
    for (int left = (3 - transform_log2(length / blocks) % 3) % 3; left > 0 && blocks < length; left--, blocks *= 4)
        OF(pair_sweep)(z, length / blocks, 0, blocks, w, 2);
    for (; blocks < length; blocks *= 8) OF(pair_sweep)(z, length / blocks, 0, blocks, w, 3);
}

/* Transforms the rows of WIDTH transforms. */
static void OF(rows_across)(const slots_call *w, REAL *z) {
    const size_t length = w->length;
    const int log = transform_log2(length), stages = log % 3 == 1 && log > 1 ? 2 : log % 3 ? log % 3 : 3;
    if (length == 1) return;
    for (size_t q = 0; q < w->m; q++) {
        if (stages == 1)
            OF(first_stages)(w->call, z, q * length, length, w->twiddles, 1);
        else if (stages == 2)
            OF(first_stages)(w->call, z, q * length, length, w->twiddles, 2);
        else
            OF(first_stages)(w->call, z, q * length, length, w->twiddles, 3);
        OF(last_stages)(z + 2 * WIDTH * q * length, length, stages, w->twiddles);
    }
}

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

/* -------------------------------------------------------------------- lanes that are transforms */

/* Copies `count` numbers, less than COMPLEX, of each of WIDTH transforms to vectors. */
NOINLINE void OF(load_end)(const REAL *const *from, size_t at, size_t count, VECTOR *v) {
    for (size_t l = 0; l < WIDTH; l++) {
        REAL numbers[WIDTH] = {0};
        for (size_t i = 0; i < 2 * count; i++) numbers[i] = from[l][2 * at + i];
        v[l] = OF(load)(numbers);
    }
}

/* Stores the first `count` numbers of a vector, less than COMPLEX. */
INLINE void OF(store_some)(REAL *p, VECTOR v, size_t count) {
#pragma GCC unroll 8
    for (size_t i = 0; i + 1 < COMPLEX; i++)
        if (i < count) memcpy(p + 2 * i, (const REAL *)&v + 2 * i, 2 * sizeof(REAL));
}

/* Loads the numbers of WIDTH transforms; the lanes from `count` on repeat the last transform. readable: the numbers
 * that follow those of a transform in memory. */
INLINE void OF(load_across)(const REAL *x, size_t n, size_t step, size_t count, bool inverse, size_t readable,
                            REAL *z) {
    const REAL *from[WIDTH];
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++) from[l] = x + (l < count ? l : count - 1) * step;
    for (size_t at = 0; at < n; at += COMPLEX) {
        const size_t left = n - at;
        VECTOR v[WIDTH];
        if (left + readable >= COMPLEX)
#pragma GCC unroll 16
            for (size_t l = 0; l < WIDTH; l++) v[l] = OF(load)(from[l] + 2 * at);
        else {
            VECTOR end[WIDTH];
            OF(load_end)(from, at, left, end);
#pragma GCC unroll 16
            for (size_t l = 0; l < WIDTH; l++) v[l] = end[l];
        }
        OF(transpose_reals)(v);
#pragma GCC unroll 8
        for (size_t i = 0; i < COMPLEX; i++) {
            if (i >= left) break;
            OF(store)(z + 2 * WIDTH * (at + i), v[2 * i + inverse]);
            OF(store)(z + 2 * WIDTH * (at + i) + WIDTH, v[2 * i + !inverse]);
        }
    }
}

/* Stores `left` numbers of each of `count` transforms, step reals apart: whole vectors in the first `vectors` lanes.
 */
INLINE void OF(store_numbers)(const VECTOR *v, size_t left, size_t count, size_t vectors, size_t step, REAL *y) {
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++) {
        if (l >= count) break;
        if (l < vectors)
            OF(store)(y + l * step, v[l]);
        else
            OF(store_some)(y + l * step, v[l], left);
    }
}

_Static_assert(2 * SLOT_LEAST >= COMPLEX, "a vector reaches only the transform after its own");

/* Returns the lanes in which a vector may be stored at the end of a transform: if a transform has fewer numbers than
 * a vector, those after its last one are overwritten by the next lane. */
INLINE size_t OF(vectors_at_end)(const fft_pass_call *c, size_t count) {
    return c->n < COMPLEX && c->y_step == 2 * c->n ? count - 1 : 0;
}

/* Stores the results of `count` transforms. Result q + m c is in the slot of row q whose number is that of c with its
 * digits in reverse order. Returns true if all are finite. */
INLINE bool OF(store_across)(const slots_call *w, const REAL *z, size_t count, bool inverse, REAL *y) {
    const size_t n = w->call->n, length = w->length, step = w->call->y_step;
    const size_t at_end = OF(vectors_at_end)(w->call, count);
    const VECTOR scale = OF(fill)(length == 1 ? (REAL)w->call->scale : 1 / (REAL)length);
    const REAL *from = z, *const end = z + 2 * WIDTH * n;
    OF(pair) sums = {{0}, {0}};
    size_t row = 0;
    for (size_t at = 0; at < n; at += COMPLEX) {
        VECTOR v[WIDTH];
#pragma GCC unroll 8
        for (size_t i = 0; i < COMPLEX; i++) {
            const OF(pair) value = OF(load_pair)(from);
            OF(watch_slot)(value, &sums);
            v[2 * i + inverse] = inverse ? value.re * scale : value.re;
            v[2 * i + !inverse] = inverse ? value.im * scale : value.im;
            from += 2 * WIDTH * length;
            if (from < end) continue;
            row = at + i + 1 < n ? OF(next_row)(row, length) : 0;
            from = z + 2 * WIDTH * row;
        }
        OF(transpose_reals)(v);
        if (count == WIDTH && at + COMPLEX <= n)
            OF(store_numbers)(v, COMPLEX, WIDTH, WIDTH, step, y + 2 * at);
        else
            OF(store_numbers)(v, n - at, count, at + COMPLEX <= n ? count : at_end, step, y + 2 * at);
    }
    return OF(all_finite)(sums);
}

static void OF(transforms_across)(const slots_call *w, size_t first, size_t count) {
    const fft_pass_call *const c = w->call;
    const size_t n = c->n, after = c->batch - first - count;
    const REAL *const x = (const REAL *)c->x + first * c->x_step;
    REAL *const y = (REAL *)c->y + first * c->y_step, *const z[2] = {w->buffer, (REAL *)w->buffer + 2 * WIDTH * n};
    c->exchange_in ? OF(load_across)(x, n, c->x_step, count, true, n * after, z[0])
                   : OF(load_across)(x, n, c->x_step, count, false, n * after, z[0]);
    REAL *const rows = OF(slot_radices)(w, NULL, z);
    OF(rows_across)(w, rows);
    if (c->exchange_out ? OF(store_across)(w, rows, count, true, y) : OF(store_across)(w, rows, count, false, y))
        return;
    for (size_t l = 0; l < count; l++) OF(make_canonical)(y + l * c->y_step, 2 * n);
}

/* ------------------------------------------------------------------ lanes of one transform */

/* Loads WIDTH slots of WIDTH rows from `first` on: slots r of the rows, whose lanes become those of WIDTH slots. Rows
 * after the last one repeat it. */
INLINE void OF(turn_rows)(const slots_call *w, const REAL *z, size_t first, size_t r, OF(pair) * v) {
    const size_t slots = w->length / WIDTH;
    VECTOR re[WIDTH], im[WIDTH];
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++) {
        const size_t row = first + VALUE_OF(l);
        const OF(pair) slot = OF(scaled_slot)(w->call, z, (row < w->m ? row : w->m - 1) * slots + r, false);
        re[l] = slot.re;
        im[l] = slot.im;
    }
    OF(transpose_reals)(re);
    OF(transpose_reals)(im);
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++) v[VALUE_OF(l)] = (OF(pair)){re[l], im[l]};
}

/* Stores result c of WIDTH rows from `first` on. If there are fewer rows, the numbers that a slot has too many are
 * overwritten by the next one. */
INLINE void OF(store_rows)(const slots_call *w, OF(pair) v, size_t first, size_t c, REAL scale, OF(pair) * sums,
                           REAL *y) {
#define FROM(l, result) (LANE)(LANE_OF(result) + (l & 1) * WIDTH)
#define FROM_LOWER(l) FROM(l, l / 2)
#define FROM_UPPER(l) FROM(l, l / 2 + WIDTH / 2)
    const LANES lower = EACH_LANE(FROM_LOWER), upper = EACH_LANE(FROM_UPPER);
#undef FROM
#undef FROM_LOWER
#undef FROM_UPPER
    const size_t n = w->call->n, at = first + w->m * c;
    if (w->call->exchange_out) v = (OF(pair)){v.im * OF(fill)(scale), v.re * OF(fill)(scale)};
    const VECTOR a = OF(rearrange)(v.re, v.im, lower), b = OF(rearrange)(v.re, v.im, upper);
    OF(watch_slot)(v, sums);
    if (at + WIDTH <= n) {
        OF(store)(y + 2 * at, a);
        OF(store)(y + 2 * at + WIDTH, b);
    } else if (at + COMPLEX <= n) {
        OF(store)(y + 2 * at, a);
        OF(store_some)(y + 2 * at + WIDTH, b, n - at - COMPLEX);
    } else {
        OF(store_some)(y + 2 * at, a, n - at);
    }
}

/* Transforms WIDTH rows of 2^stages numbers, at most 8, from `first` on. */
INLINE void OF(short_rows)(const slots_call *w, const REAL *z, size_t first, int stages, OF(pair) * sums, REAL *y) {
    const size_t length = (size_t)1 << stages;
    OF(pair) v[WIDTH > 8 ? WIDTH : 8];
#pragma GCC unroll 4
    for (size_t r = 0; r < length / WIDTH; r++) OF(turn_rows)(w, z, first, r, v + WIDTH * r);
    OF(pair_stages)(v, OF(twiddles_of)(w->twiddles, 0, stages), 0, stages);
#pragma GCC unroll 8
    for (size_t c = 0; c < length; c++)
        OF(store_rows)(w, v[OF(mirrored_in)(c, length)], first, c, 1 / (REAL)length, sums, y);
}

/* Transforms WIDTH rows of more numbers, in slots whose lanes are rows. */
INLINE void OF(long_rows)(const slots_call *w, const REAL *z, size_t first, REAL *rows, OF(pair) * sums, REAL *y) {
    const size_t length = w->length;
    for (size_t r = 0; r < length / WIDTH; r++) {
        OF(pair) v[WIDTH];
        OF(turn_rows)(w, z, first, r, v);
#pragma GCC unroll 16
        for (size_t i = 0; i < WIDTH; i++) OF(store_pair)(rows + 2 * WIDTH * (r * WIDTH + i), v[i]);
    }
    OF(last_stages)(rows, length, 0, w->twiddles);
    for (size_t c = 0, row = 0; c < length; c++, row = OF(next_row)(row, length))
        OF(store_rows)(w, OF(load_pair)(rows + 2 * WIDTH * row), first, c, 1 / (REAL)length, sums, y);
}

static void OF(transform_along)(const slots_call *w, const REAL *x, REAL *y) {
    const size_t n = w->call->n, m = w->m, length = w->length;
    REAL *const z[2] = {w->buffer, (REAL *)w->buffer + 2 * n}, *const rows = (REAL *)w->buffer + 4 * n;
    const REAL *const results = OF(slot_radices)(w, x, z);
    OF(pair) sums = {{0}, {0}};
    for (size_t q = 0; q < m; q += WIDTH) {
        const size_t first = q + WIDTH <= m || m < WIDTH ? q : m - WIDTH; /* some rows once more */
        if (length == 4 && WIDTH <= 4)
            OF(short_rows)(w, results, first, WIDTH <= 4 ? 2 : 3, &sums, y);
        else if (length == 8 && WIDTH <= 8)
            OF(short_rows)(w, results, first, 3, &sums, y);
        else
            OF(long_rows)(w, results, first, rows, &sums, y);
    }
    if (!OF(all_finite)(sums)) OF(make_canonical)(y, 2 * n);
}

static void OF(slots)(const slots_call *w) {
    const fft_pass_call *const c = w->call;
    if (!w->across)
        for (size_t b = w->from; b < w->to; b++)
            OF(transform_along)(w, (const REAL *)c->x + b * c->x_step, (REAL *)c->y + b * c->y_step);
    else
        for (size_t b = w->from; b < w->to; b += WIDTH)
            OF(transforms_across)(w, b, w->to - b < WIDTH ? w->to - b : WIDTH);
}
