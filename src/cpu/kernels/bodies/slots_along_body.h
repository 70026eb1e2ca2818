/* Transforms whose slots contain adjacent numbers of one transform, for one element type; included after
 * cpu/kernels/bodies/slots_across_body.h.
 *
 * The first stages of the rows combine slots, whose lanes they treat alike. The last log2 WIDTH stages combine
 * numbers of one slot. Before them, slots and lanes of WIDTH rows are exchanged, so that the lanes are rows, whose
 * results are adjacent. */

/* Stores the first `count` numbers of a vector, less than COMPLEX. */
INLINE void OF(store_some)(REAL *p, VECTOR v, size_t count) {
#pragma GCC unroll 8
    for (size_t i = 0; i + 1 < COMPLEX; i++)
        if (i < count) memcpy(p + 2 * i, (const REAL *)&v + 2 * i, 2 * sizeof(REAL));
}

/* Computes the passes, and the stages of the rows that combine slots, of the numbers x of a transform. Returns the
 * buffer of the results. */
static const REAL *OF(far_stages)(const slots_call *w, const REAL *x, REAL *const z[2]) {
    const size_t length = w->length / WIDTH;
    const int stages = OF(stages_at_once)(length, false);
    OF(last_passes) *const last = OF(last_passes_of)(w, length, stages);
    const size_t passes = w->call->count - (last != NULL);
    REAL *const passed = OF(slot_radices)(w, passes, x, z), *const other = passed == z[0] ? z[1] : z[0];
    REAL *const results = last ? other : passed;
    if (last) last(w, passes ? passed : x, results);
    for (size_t q = 0; q < w->m && (length > 8 || (!last && length > 1)); q++) {
        if (!last && stages == 1)
            OF(row_start)(w, results, q, length, 1, true);
        else if (!last && stages == 2)
            OF(row_start)(w, results, q, length, 2, true);
        else if (!last)
            OF(row_start)(w, results, q, length, 3, true);
        if (length > 8) OF(last_stages)(results + 2 * WIDTH * q * length, length, stages, w->twiddles);
    }
    return results;
}

/* The slots of rows whose lanes are exchanged with rows. If there are few rows, each is divided into `parts`, which
 * become rows: part p of row q is number q + m p of `count` rows of `blocks` slots. */
typedef struct OF(turned) {
    const slots_call *call;
    const REAL *z;
    size_t parts, count, blocks;
} OF(turned);

/* Returns the first of `parts` blocks of the block numbers of part p. */
INLINE size_t OF(first_of_part)(const OF(turned) * t, size_t p, size_t parts) {
    return t->blocks * OF(mirrored_in)(p, parts);
}

/* Returns the number of the first slot of a row. Rows after the last one repeat it. */
INLINE size_t OF(slot_of_row)(const OF(turned) * t, size_t row, size_t parts) {
    const size_t m = t->call->m, wanted = row < t->count ? row : t->count - 1, p = parts > 1 ? wanted / m : 0;
    return (wanted - p * m) * parts * t->blocks + OF(first_of_part)(t, p, parts);
}

/* Loads slot r of WIDTH rows from `first` on, and exchanges slots and lanes. from: the first slots, if parts > 1. */
INLINE void OF(turn_rows)(const OF(turned) * t, const size_t *from, size_t first, size_t r, size_t parts,
                          bool multiplied, OF(pair) * v) {
    const OF(row_factors) f = OF(factors_of)(t->call->call);
    VECTOR re[WIDTH], im[WIDTH];
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++) {
        const size_t at = r + (parts > 1 ? from[l] : OF(slot_of_row)(t, first + VALUE_OF(l), 1));
        OF(pair) slot = OF(load_pair)(t->z + 2 * WIDTH * at);
        if (multiplied) slot = OF(factored)(slot, &f, at, true);
        re[l] = slot.re;
        im[l] = slot.im;
    }
    OF(transpose_reals)(re);
    OF(transpose_reals)(im);
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++) v[VALUE_OF(l)] = (OF(pair)){re[l], im[l]};
}

/* Stores `count` of the numbers of a slot as adjacent results; count > COMPLEX. */
INLINE void OF(store_results)(const slots_call *w, OF(pair) v, size_t count, REAL scale, OF(pair) * sums, REAL *y) {
#define FROM(l, result) (LANE)(LANE_OF(result) + (l & 1) * WIDTH)
#define FROM_LOWER(l) FROM(l, l / 2)
#define FROM_UPPER(l) FROM(l, l / 2 + WIDTH / 2)
    const LANES lower = EACH_LANE(FROM_LOWER), upper = EACH_LANE(FROM_UPPER);
#undef FROM
#undef FROM_LOWER
#undef FROM_UPPER
    if (w->call->exchange_out) v = (OF(pair)){v.im * OF(fill)(scale), v.re * OF(fill)(scale)};
    const VECTOR a = OF(rearrange)(v.re, v.im, lower), b = OF(rearrange)(v.re, v.im, upper);
    OF(watch_slot)(v, sums);
    OF(store)(y, a);
    if (count >= WIDTH)
        OF(store)(y + WIDTH, b);
    else
        OF(store_some)(y + WIDTH, b, count - COMPLEX);
}

/* Returns the twiddles of part p, w[k + times first_of_part(p)], in the lanes of its rows. */
INLINE OF(pair)
    OF(twiddle_of_parts)(const OF(turned) * t, const OF(number) * w, size_t k, size_t times, size_t parts) {
    const LANES rows = EACH_LANE(VALUE_OF);
    OF(pair) v = OF(spread_pair)(w[k]);
#pragma GCC unroll 4
    for (size_t p = 1; p < parts; p++) {
        const LANES after = (LANES)(rows >= (LANE)(p * t->call->m));
        const OF(pair) own = OF(spread_pair)(w[k + times * OF(first_of_part)(t, p, parts)]);
        v.re = (VECTOR)(((LANES)own.re & after) | ((LANES)v.re & ~after));
        v.im = (VECTOR)(((LANES)own.im & after) | ((LANES)v.im & ~after));
    }
    return v;
}

/* Returns OF(twiddles_of) block `times` r + k of the first part, and those of the others. */
INLINE OF(block_twiddles)
    OF(twiddles_of_parts)(const OF(turned) * t, size_t r, size_t times, size_t k, int stages, size_t parts) {
    const OF(number) *const w = t->call->twiddles;
    const size_t at = times * r + k;
    OF(block_twiddles) v = {.first = OF(twiddle_of_parts)(t, w, at, times, parts)};
    if (stages > 1) v.second = OF(twiddle_of_parts)(t, w, 2 * at, 2 * times, parts);
    if (stages > 2) {
        v.third[0] = OF(twiddle_of_parts)(t, w, 4 * at, 4 * times, parts);
        v.third[1] = OF(twiddle_of_parts)(t, w, 4 * at + 2, 4 * times, parts);
    }
    return v;
}

/* Computes the stages of WIDTH pairs that are block r, which is `low` modulo 4. */
INLINE void OF(near_stages)(const OF(turned) * t, OF(pair) * v, size_t r, size_t low, size_t parts) {
    if (WIDTH < 16) {
        OF(pair_stages)(v, OF(twiddles_of_parts)(t, r, 1, 0, OF(WIDTH_LOG), parts), low, OF(WIDTH_LOG));
        return;
    }
    const OF(pair) first = OF(twiddle_of_parts)(t, t->call->twiddles, r, 1, parts);
#pragma GCC unroll 8
    for (size_t i = 0; i < WIDTH / 2; i++) OF(pair_butterfly)(&v[i], &v[i + WIDTH / 2], first, low);
#pragma GCC unroll 2
    for (size_t i = 0; i < 2; i++)
        OF(pair_stages)(v + WIDTH / 2 * i, OF(twiddles_of_parts)(t, r, 2, i, 3, parts), (2 * low + i) % 4, 3);
}

/* Computes the stages within slots, for slot r of WIDTH rows from `first` on, and stores the results. column: r with
 * its digits in reverse order. In this order, the next ones overwrite the numbers that a slot has too many if there
 * are fewer rows; those of the last slot are not followed by others. */
INLINE void OF(finish_rows)(const OF(turned) * t, const size_t *from, size_t first, size_t r, size_t low,
                            size_t column, size_t parts, bool multiplied, OF(pair) * sums, REAL *y) {
    const size_t blocks = t->blocks, n = t->call->call->n;
    const bool last = column + 1 == blocks && blocks > 1;
    const REAL scale = 1 / (REAL)t->call->length;
    OF(pair) v[WIDTH];
    OF(turn_rows)(t, from, first, r, parts, multiplied, v);
    OF(near_stages)(t, v, r, low, parts);
#pragma GCC unroll 16
    for (size_t c = 0; c < WIDTH; c++) {
        const size_t at = first + t->count * (c * blocks + column), count = last ? t->count : n - at;
        OF(store_results)(t->call, v[OF(mirrored_in)(c, WIDTH)], count, scale, sums, y + 2 * at);
    }
}

/* Computes the last stages of WIDTH rows from `first` on, in the order of the results. */
INLINE void OF(last_rows)(const OF(turned) * t, size_t first, size_t parts, bool multiplied, OF(pair) * sums,
                          REAL *y) {
    const size_t quarter = t->blocks < 4 ? 1 : t->blocks / 4;
    size_t from[WIDTH], column = 0;
    for (size_t l = 0; parts > 1 && l < WIDTH; l++) from[l] = OF(slot_of_row)(t, first + VALUE_OF(l), parts);
    if (multiplied) {
        OF(finish_rows)(t, from, first, 0, 0, 0, 1, true, sums, y);
        return;
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        const size_t low = OF(mirrored_in)(i, 4);
        size_t r = low;
        for (size_t left = low < t->blocks ? quarter : 0; left > 0; left--, column++) {
            OF(finish_rows)(t, from, first, r, low, column, parts, false, sums, y);
            r = 4 * OF(next_row)(r / 4, quarter) + low;
        }
    }
}

/* Computes the last stages of all rows. Returns true if all results are finite. */
INLINE bool OF(all_rows)(const OF(turned) * t, size_t parts, bool multiplied, REAL *y) {
    OF(pair) sums = {{0}, {0}};
    for (size_t q = 0; q < t->count; q += WIDTH) {
        const size_t first = q + WIDTH <= t->count || t->count < WIDTH ? q : t->count - WIDTH; /* some once more */
        OF(last_rows)(t, first, parts, multiplied, &sums, y);
    }
    return OF(all_finite)(sums);
}

/* Each number of parts is a function of its own. */
NOINLINE bool OF(rows_of_a_slot)(const OF(turned) * t, REAL *y) { return OF(all_rows)(t, 1, true, y); }
NOINLINE bool OF(rows_of_1_part)(const OF(turned) * t, REAL *y) { return OF(all_rows)(t, 1, false, y); }
NOINLINE bool OF(rows_of_2_parts)(const OF(turned) * t, REAL *y) {
    return WIDTH >= 8 && OF(all_rows)(t, 2, false, y);
}
NOINLINE bool OF(rows_of_4_parts)(const OF(turned) * t, REAL *y) {
    return WIDTH >= 16 && OF(all_rows)(t, 4, false, y);
}

static void OF(transform_along)(const slots_call *w, const REAL *x, REAL *y) {
    const size_t n = w->call->n;
    REAL *const z[2] = {w->buffer, (REAL *)w->buffer + 2 * n};
    const REAL *const results = OF(far_stages)(w, x, z);
    const OF(turned) t = {w, results, w->parts, w->parts * w->m, w->length / WIDTH / w->parts};
    const bool finite = (w->length == WIDTH ? OF(rows_of_a_slot)
                         : w->parts == 1    ? OF(rows_of_1_part)
                         : w->parts == 2    ? OF(rows_of_2_parts)
                                            : OF(rows_of_4_parts))(&t, y);
    if (!finite) OF(make_canonical)(y, 2 * n);
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
