/* Passes of a transform (cpu/common/transform.h) for one element type; included after
 * cpu/kernels/bodies/complex_body.h.
 *
 * A sweep computes two stages (radix 4) over the vectors of a tile: in each block of `length` vectors, it combines
 * corresponding vectors of the four quarters. If the number of stages is odd, the first stage is computed
 * separately. */

/* Vectors of a tile, `step` reals apart. */
typedef struct OF(vectors) {
    REAL *p;
    size_t step;
} OF(vectors);

INLINE OF(vectors) OF(in_buffer)(const transform_pass *p) { return (OF(vectors)){p->buffer, WIDTH}; }

INLINE void OF(load_four)(const OF(vectors) * x, size_t row, size_t quarter, VECTOR v[4]) {
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) v[i] = OF(load)(x->p + (row + i * quarter) * x->step);
}

INLINE void OF(store_four)(const OF(vectors) * y, size_t row, size_t quarter, const VECTOR v[4]) {
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) OF(store)(y->p + (row + i * quarter) * y->step, v[i]);
}

/* ------------------------------------------------------------------------------------ stages */

/* Computes one stage, of one block of `length` vectors, or undoes it. */
INLINE void OF(stage)(OF(vectors) x, OF(vectors) y, size_t length, OF(twiddle) w, LANES low, bool undo,
                      bool inverse) {
    for (size_t r = 0; r < length / 2; r++) {
        VECTOR a = OF(load)(x.p + r * x.step), b = OF(load)(x.p + (r + length / 2) * x.step);
        if (undo)
            OF(undo_butterfly)(&a, &b, w, low);
        else
            OF(butterfly)(&a, &b, w, low, inverse);
        OF(store)(y.p + r * y.step, a);
        OF(store)(y.p + (r + length / 2) * y.step, b);
    }
}

/* The twiddles of two stages of block k: its own, and those of block 2k. */
typedef struct OF(two_stages) {
    OF(twiddle) first, second;
} OF(two_stages);

/* Sweeps one block of `length` vectors from vector `at` on; low: see OF(turn_by). */
INLINE void OF(sweep_block)(OF(vectors) x, OF(vectors) y, size_t at, size_t length, OF(two_stages) w, LANES low,
                            bool undo, bool inverse) {
    for (size_t j = at; j < at + length / 4; j++) {
        VECTOR v[4];
        OF(load_four)(&x, j, length / 4, v);
        if (undo)
            OF(back)(v, w.first, w.second, low);
        else
            OF(forth)(v, w.first, w.second, low, inverse);
        OF(store_four)(&y, j, length / 4, v);
    }
}

/* Sweeps block k of all lanes, with code of its own for each number of quarter turns. */
INLINE void OF(sweep_turned)(OF(vectors) x, OF(vectors) y, size_t k, size_t length, OF(two_stages) w, bool undo,
                             bool inverse) {
    switch (k % 4) {
    case 0: OF(sweep_block)(x, y, k * length, length, w, OF(in_all)(0), undo, inverse); break;
    case 1: OF(sweep_block)(x, y, k * length, length, w, OF(in_all)(1), undo, inverse); break;
    case 2: OF(sweep_block)(x, y, k * length, length, w, OF(in_all)(2), undo, inverse); break;
    default: OF(sweep_block)(x, y, k * length, length, w, OF(in_all)(3), undo, inverse);
    }
}

/* ---------------------------------------------------- stages down columns: one twiddle for all lanes */

INLINE void OF(sweep)(OF(vectors) x, OF(vectors) y, size_t length, size_t blocks, const OF(number) * w, bool undo,
                      bool inverse) {
    for (size_t k = 0; k < blocks; k++)
        OF(sweep_turned)(x, y, k, length, (OF(two_stages)){OF(spread)(w[k]), OF(spread)(w[2 * k])}, undo, inverse);
}

/* The first sweep reads from x, the last one writes to y; the others use the buffer. */
INLINE void OF(column_tile)(const transform_pass *p, size_t tile, bool inverse) {
    const OF(number) *w = p->plan->twiddles;
    const size_t rows = p->plan->rows, step = 2 * p->plan->columns;
    const OF(vectors) buffer = OF(in_buffer)(p), to = {(REAL *)p->y + tile * WIDTH, step};
    OF(vectors) from = {(REAL *)p->x + tile * WIDTH, step};
    size_t length = rows;
    if (transform_log2(rows) % 2) {
        OF(stage)(from, buffer, rows, OF(spread)(w[0]), OF(in_all)(0), false, inverse);
        from = buffer;
        length /= 2;
    }
    for (; length >= 4; length /= 4, from = buffer)
        OF(sweep)(from, length == 4 ? to : buffer, length, rows / length, w, false, inverse);
}

static void OF(columns)(const transform_pass *p) {
    for (size_t tile = p->from; tile < p->to; tile++)
        if (p->inverse)
            OF(column_tile)(p, tile, true);
        else
            OF(column_tile)(p, tile, false);
}

static void OF(columns_back)(const transform_pass *p) {
    const OF(number) *w = p->plan->twiddles;
    const size_t rows = p->plan->rows, step = 2 * p->plan->columns;
    for (size_t tile = p->from; tile < p->to; tile++) {
        const OF(vectors) buffer = OF(in_buffer)(p), to = {(REAL *)p->y + tile * WIDTH, step};
        OF(vectors) from = {(REAL *)p->x + tile * WIDTH, step};
        for (size_t length = 4; length <= rows; length *= 4, from = buffer)
            OF(sweep)(from, length == rows ? to : buffer, length, rows / length, w, true, false);
        if (transform_log2(rows) % 2) OF(stage)(buffer, to, rows, OF(spread)(w[0]), OF(in_all)(0), true, false);
    }
}

/* ------------------------------------------------------ stages along rows: each lane has its own row */

/* Returns the address of the row for a lane, which is row tile * COMPLEX + lane, or the last one. */
INLINE const REAL *OF(row)(const transform_pass *p, const void *x, size_t tile, size_t lane) {
    const transform_plan *const plan = p->plan;
    const size_t row = transform_row(plan, tile * COMPLEX + lane);
    return (const REAL *)x + 2 * plan->columns * (plan->in_order ? row : transform_block(plan, row));
}

static void OF(take_rows)(const transform_pass *p, size_t tile) {
    const REAL *rows[COMPLEX];
    REAL *to = p->buffer;
    for (size_t c = 0; c < COMPLEX; c++) rows[c] = OF(row)(p, p->x, tile, c);
    for (size_t at = 0; at < 2 * p->plan->columns; at += WIDTH, to += COMPLEX * WIDTH) {
        VECTOR v[COMPLEX];
#pragma GCC unroll 8
        for (size_t c = 0; c < COMPLEX; c++) v[c] = OF(load)(rows[c] + at);
        OF(transpose)(v);
#pragma GCC unroll 8
        for (size_t c = 0; c < COMPLEX; c++) OF(store)(to + c * WIDTH, v[c]);
    }
}

static void OF(give_rows)(const transform_pass *p, size_t tile) {
    REAL *rows[COMPLEX];
    const REAL *from = p->buffer;
    for (size_t c = 0; c < COMPLEX; c++) rows[c] = (REAL *)OF(row)(p, p->y, tile, c);
    for (size_t at = 0; at < 2 * p->plan->columns; at += WIDTH, from += COMPLEX * WIDTH) {
        VECTOR v[COMPLEX];
#pragma GCC unroll 8
        for (size_t c = 0; c < COMPLEX; c++) v[c] = OF(load)(from + c * WIDTH);
        OF(transpose)(v);
#pragma GCC unroll 8
        for (size_t c = 0; c < COMPLEX; c++) OF(store)(rows[c] + at, v[c]);
    }
}

INLINE OF(two_stages) OF(each_of_two)(const REAL *w) { return (OF(two_stages)){OF(each)(w), OF(each)(w + WIDTH)}; }

/* Sweeps blocks of `length` vectors in the buffer, after at least two stages, so that the rows of all lanes have the
 * same quarter turns. w has two vectors of twiddles per block. */
INLINE void OF(lane_sweep)(REAL *buffer, size_t length, size_t blocks, const REAL *w, bool undo, bool inverse) {
    const OF(vectors) x = {buffer, WIDTH};
    for (size_t k = 0; k < blocks; k++, w += 2 * WIDTH)
        OF(sweep_turned)(x, x, k, length, OF(each_of_two)(w), undo, inverse);
}

/* Computes the first two or three stages of the rows, whose blocks have the given numbers mod 4, or undoes them. */
INLINE void OF(upper_stages_of)(OF(vectors) x, size_t columns, const REAL *w, LANES low, bool undo, bool inverse) {
    if (transform_log2(columns) % 2 == 0) {
        OF(sweep_block)(x, x, 0, columns, OF(each_of_two)(w), low, undo, inverse);
        return;
    }
    if (!undo) OF(stage)(x, x, columns, OF(each)(w), low, false, inverse);
#pragma GCC unroll 2
    for (LANE k = 0; k < 2; k++) {
        const OF(two_stages) twiddles = OF(each_of_two)(w + (1 + 2 * k) * WIDTH);
        OF(sweep_block)(x, x, k * (columns / 2), columns / 2, twiddles, (low << 1 & 3) | k, undo, inverse);
    }
    if (undo) OF(stage)(x, x, columns, OF(each)(w), low, true, inverse);
}

/* Returns the number mod 4 of the block of each lane's row: the two highest digits of the row's number, reversed. */
INLINE LANES OF(low_of_rows)(const transform_plan *plan, size_t tile) {
    const LANES row = OF(in_all)(plan->first + tile * COMPLEX) + OF(lane_numbers)() / 2;
    const LANES high = row << 2 >> transform_log2(plan->blocks) & 3;
    return high >> 1 | (high & 1) << 1;
}

/* The last case is that of few rows, and of rows from any number on. */
INLINE void OF(upper_stages)(const transform_pass *p, size_t tile, bool undo, bool inverse) {
    const REAL *w = (const REAL *)p->plan->lane_twiddles + tile * p->plan->tile_twiddles * WIDTH;
    const OF(vectors) x = OF(in_buffer)(p);
    const size_t columns = p->plan->columns;
    const LANES low = OF(low_of_rows)(p->plan, tile);
    switch (FMA_INSTRUCTION && low[0] == low[WIDTH - 1] ? low[0] : 4) {
    case 0: OF(upper_stages_of)(x, columns, w, OF(in_all)(0), undo, inverse); break;
    case 1: OF(upper_stages_of)(x, columns, w, OF(in_all)(1), undo, inverse); break;
    case 2: OF(upper_stages_of)(x, columns, w, OF(in_all)(2), undo, inverse); break;
    case 3: OF(upper_stages_of)(x, columns, w, OF(in_all)(3), undo, inverse); break;
    default: OF(upper_stages_of)(x, columns, w, low, undo, inverse);
    }
}

static __attribute__((noinline)) void OF(upper_forward)(const transform_pass *p, size_t tile) {
    OF(upper_stages)(p, tile, false, false);
}

static __attribute__((noinline)) void OF(upper_inverse)(const transform_pass *p, size_t tile) {
    OF(upper_stages)(p, tile, false, true);
}

static __attribute__((noinline)) void OF(upper_undone)(const transform_pass *p, size_t tile) {
    OF(upper_stages)(p, tile, true, false);
}

/* Computes all stages but the last two in the buffer. Returns the twiddles of the last two stages. */
INLINE const REAL *OF(all_but_two_stages)(const transform_pass *p, size_t tile, bool inverse) {
    const size_t columns = p->plan->columns, upper = transform_log2(columns) % 2 ? 3 : 2;
    const REAL *w = (const REAL *)p->plan->lane_twiddles + tile * p->plan->tile_twiddles * WIDTH;
    inverse ? OF(upper_inverse)(p, tile) : OF(upper_forward)(p, tile);
    w += (upper == 3 ? 5 : 2) * WIDTH;
    for (size_t length = columns >> upper; length > 4; w += 2 * WIDTH * (columns / length), length /= 4)
        OF(lane_sweep)(p->buffer, length, columns / length, w, false, inverse);
    return w;
}

/* Computes the last two stages of four vectors, which are block k of each row. */
INLINE void OF(forth_turned)(VECTOR v[4], OF(two_stages) w, size_t k, bool inverse) {
    switch (k % 4) {
    case 0: OF(forth)(v, w.first, w.second, OF(in_all)(0), inverse); break;
    case 1: OF(forth)(v, w.first, w.second, OF(in_all)(1), inverse); break;
    case 2: OF(forth)(v, w.first, w.second, OF(in_all)(2), inverse); break;
    default: OF(forth)(v, w.first, w.second, OF(in_all)(3), inverse);
    }
}

/* Computes the last two stages and writes the results in natural order. Result r of the row in lane `lane` has index
 * m(r) * rows + tile * COMPLEX + lane. `at` is m(r) for r = 4k. reals: of the lanes that have a row. */
INLINE void OF(row_tile)(const transform_pass *p, size_t tile, bool inverse, size_t reals) {
    const size_t columns = p->plan->columns, rows = p->plan->rows;
    const REAL *w = OF(all_but_two_stages)(p, tile, inverse);
    const OF(vectors) buffer = OF(in_buffer)(p);
    const VECTOR scale = OF(fill)((REAL)p->scale);
    REAL *y = (REAL *)p->y + tile * WIDTH;
    for (size_t k = 0, at = 0; k < columns / 4; k++, w += 2 * WIDTH) {
        static const size_t quarters[] = {0, 2, 1, 3};
        VECTOR v[4];
        OF(load_four)(&buffer, 4 * k, 1, v);
        OF(forth_turned)(v, OF(each_of_two)(w), k, inverse);
#pragma GCC unroll 4
        for (size_t i = 0; i < 4; i++)
            OF(store_reals)(y + 2 * rows * (at + quarters[i] * (columns / 4)), OF(canonical)(v[i] * scale), reals);
        size_t digit = columns / 8; /* increments `at` as a bit-reversed counter */
        for (; at & digit; digit /= 2) at -= digit;
        at += digit;
    }
}

static void OF(rows)(const transform_pass *p) {
    for (size_t tile = p->from; tile < p->to; tile++) {
        const size_t left = p->plan->rows - tile * COMPLEX;
        OF(take_rows)(p, tile);
        if (left < COMPLEX)
            OF(row_tile)(p, tile, p->inverse, 2 * left);
        else if (p->inverse)
            OF(row_tile)(p, tile, true, WIDTH);
        else
            OF(row_tile)(p, tile, false, WIDTH);
    }
}

/* Computes all row stages of a tile in the buffer. */
static void OF(row_stages)(const transform_pass *p, size_t tile) {
    const REAL *w = OF(all_but_two_stages)(p, tile, false);
    OF(lane_sweep)(p->buffer, 4, p->plan->columns / 4, w, false, false);
}

static void OF(row_stages_back)(const transform_pass *p, size_t tile) {
    const size_t columns = p->plan->columns, upper = transform_log2(columns) % 2 ? 3 : 2;
    const REAL *w = (const REAL *)p->plan->lane_twiddles + (tile + 1) * p->plan->tile_twiddles * WIDTH;
    for (size_t length = 4; length <= columns >> upper; length *= 4) {
        w -= 2 * WIDTH * (columns / length);
        OF(lane_sweep)(p->buffer, length, columns / length, w, true, false);
    }
    OF(upper_undone)(p, tile);
}

static void OF(filter)(const transform_pass *p) {
    const VECTOR scale = OF(fill)((REAL)p->scale);
    for (size_t tile = p->from; tile < p->to; tile++) {
        const REAL *buffer = p->buffer;
        REAL *y = (REAL *)p->y + tile * p->plan->columns * WIDTH;
        OF(take_rows)(p, tile);
        OF(row_stages)(p, tile);
        for (size_t at = 0; at < p->plan->columns * WIDTH; at += WIDTH)
            OF(store)(y + at, OF(load)(buffer + at) * scale);
    }
}

static void OF(product)(const transform_pass *p) {
    for (size_t tile = p->from; tile < p->to; tile++) {
        REAL *buffer = p->buffer;
        const REAL *by = (const REAL *)p->by + tile * p->plan->columns * WIDTH;
        OF(take_rows)(p, tile);
        OF(row_stages)(p, tile);
        for (size_t at = 0; at < p->plan->columns * WIDTH; at += WIDTH)
            OF(store)(buffer + at, OF(multiply)(OF(load)(buffer + at), OF(load)(by + at)));
        OF(row_stages_back)(p, tile);
        OF(give_rows)(p, tile);
    }
}

/* -------------------------------------------------------------------------- real transforms */

/* Compute e' and the conjugate of o' of ORDER.md 14.5. Their quarter turns are those of 14.2 with the given `low`: 1
 * if 4 f < n, and otherwise 3. */
INLINE void OF(part_of)(OF(number) * f, OF(number) * g, OF(number) w, size_t low, bool inverse) {
    const OF(number) e = {f->re + g->re, f->im - g->im}, o = {f->re - g->re, f->im + g->im};
    OF(number) scale;
    const OF(number) z = OF(turn_number)(o, w, low, inverse, &scale);
    *f = (OF(number)){FUSED(scale.re, z.re, e.re), FUSED(scale.im, z.im, e.im)};
    *g = (OF(number)){FUSED(-scale.re, z.re, e.re), FUSED(scale.im, z.im, -e.im)};
}

INLINE void OF(part)(VECTOR *f, VECTOR *g, OF(twiddle) w, LANES low, bool inverse) {
    const VECTOR conjugate = OF(negate_parts)(*g, true), e = *f + conjugate;
    VECTOR scale;
    const VECTOR z = OF(turn_by)(*f - conjugate, w, low, inverse, &scale);
    *f = OF(multiply_add)(scale, z, e);
    *g = OF(multiply_add)(OF(negate_parts)(scale, false), z, OF(negate_parts)(e, true));
}

/* Computes the pairs f, n - f by vectors, from number f on while they do not exceed `end`. Returns the next f. */
INLINE size_t OF(part_vectors)(const transform_pass *p, size_t f, size_t end, LANES low, bool inverse, REAL factor) {
    const REAL *w = p->plan->half_twiddles, *x = p->x;
    REAL *y = p->y;
    for (; f + COMPLEX <= end; f += COMPLEX) {
        const size_t g = p->plan->n - f - (COMPLEX - 1);
        VECTOR a = OF(load)(x + 2 * f), b = OF(reverse)(OF(load)(x + 2 * g));
        OF(part)(&a, &b, OF(each)(w + 2 * f), low, inverse);
        OF(store)(y + 2 * f, OF(canonical)(a * factor));
        OF(store)(y + 2 * g, OF(reverse)(OF(canonical)(b * factor)));
    }
    return f;
}

/* Computes the pairs f, n - f for f in [1, n/2]: by vectors while the two vectors do not overlap. */
INLINE void OF(parts)(const transform_pass *p, bool inverse, REAL factor) {
    const size_t n = p->plan->n, half = (n + 1) / 2, quarter = (n + 3) / 4;
    const REAL *w = p->plan->half_twiddles, *x = p->x;
    REAL *y = p->y;
    size_t f = OF(part_vectors)(p, 1, quarter, OF(in_all)(1), inverse, factor);
    const LANES above = (LANES)(OF(lane_numbers)() / 2 >= OF(in_all)(quarter > f ? quarter - f : 0));
    f = OF(part_vectors)(p, f, f + COMPLEX < half ? f + COMPLEX : half, (above & 2) | 1, inverse, factor);
    f = OF(part_vectors)(p, f, half, OF(in_all)(3), inverse, factor);
    for (; f <= n / 2; f++) {
        const size_t g = n - f;
        OF(number) a = {x[2 * f], x[2 * f + 1]}, b = {x[2 * g], x[2 * g + 1]};
        OF(part_of)(&a, &b, (OF(number)){w[2 * f], w[2 * f + 1]}, 4 * f < n ? 1 : 3, inverse);
        const OF(number) results[] = {a, b};
        for (size_t i = 0; i < (g > f ? 2 : 1); i++) {
            y[2 * (i ? g : f)] = CANONICAL(results[i].re * factor);
            y[2 * (i ? g : f) + 1] = CANONICAL(results[i].im * factor);
        }
    }
}

static void OF(split)(const transform_pass *p) {
    const size_t n = p->plan->n;
    REAL *y = p->y;
    const OF(number) z = {y[0], y[1]};
    OF(parts)(p, false, (REAL)0.5);
    y[0] = CANONICAL(z.re + z.im);
    y[2 * n] = CANONICAL(z.re - z.im);
    y[1] = y[2 * n + 1] = 0;
}

static void OF(combine)(const transform_pass *p) {
    const size_t n = p->plan->n;
    const REAL *x = p->x;
    REAL *y = p->y;
    y[0] = x[0] + x[2 * n];
    y[1] = x[0] - x[2 * n];
    OF(parts)(p, true, 1);
}
