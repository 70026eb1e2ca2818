/* Transforms whose slots contain numbers of WIDTH transforms each, for one element type; included after
 * cpu/kernels/bodies/slots_body.h.
 *
 * The numbers are transposed to slots, and the results back. Each step between them reads one of two buffers of n
 * slots and writes the other one, or the same. The last one stores the results in their order. */

/* Computes the last stages of a row, of blocks of 2^stages slots, and stores its results `apart` slots apart. The
 * blocks are four or more. */
INLINE void OF(row_end)(const REAL *z, size_t length, const OF(number) * w, int stages, size_t apart, REAL *y) {
    const size_t count = (size_t)1 << stages, blocks = length >> stages;
#pragma GCC unroll 4
    for (size_t low = 0; low < 4; low++) {
        size_t column = OF(mirrored_in)(low, 4) * (blocks / 4); /* k with its digits in reverse order */
        for (size_t k = low; k < blocks; k += 4, column = OF(next_row)(column, blocks / 4)) {
            const OF(block_twiddles) t = OF(twiddles_of)(w, k, stages);
            OF(pair) v[8];
#pragma GCC unroll 8
            for (size_t i = 0; i < count; i++) v[i] = OF(load_pair)(z + 2 * WIDTH * (k * count + i));
            OF(pair_stages)(v, t, low, stages);
            OF(store_row)(v, count, apart * blocks, y + 2 * WIDTH * apart * column);
        }
    }
}

/* Transforms rows of 2^stages slots. */
INLINE void OF(short_rows_across)(const slots_call *w, const REAL *z, int stages, REAL *y) {
    const size_t count = (size_t)1 << stages, m = w->m;
    const OF(row_factors) f = OF(factors_of)(w->call);
    const OF(block_twiddles) t = OF(twiddles_of)(w->twiddles, 0, stages);
    for (size_t q = 0; q < m; q++) {
        OF(pair) v[8];
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++)
            v[i] = OF(factored)(OF(load_pair)(z + 2 * WIDTH * (q * count + i)), &f, q * count + i, false);
        OF(pair_stages)(v, t, 0, stages);
        OF(store_row)(v, count, m, y + 2 * WIDTH * q);
    }
}

/* Each length is a function of its own. */
NOINLINE void OF(short_rows_2)(const slots_call *w, const REAL *z, REAL *y) { OF(short_rows_across)(w, z, 1, y); }
NOINLINE void OF(short_rows_4)(const slots_call *w, const REAL *z, REAL *y) { OF(short_rows_across)(w, z, 2, y); }
NOINLINE void OF(short_rows_8)(const slots_call *w, const REAL *z, REAL *y) { OF(short_rows_across)(w, z, 3, y); }

/* Computes the stages of rows from stage `done` on, from z to y. Result c of row q is slot q + m c. */
static void OF(finish_across)(const slots_call *w, REAL *z, int done, REAL *y) {
    const size_t length = w->length;
    const int log = transform_log2(length), end = log % 3 == 0 ? 3 : 2;
    for (size_t q = 0; q < w->m; q++) {
        REAL *const row = z + 2 * WIDTH * q * length, *const to = y + 2 * WIDTH * q;
        for (int now = done; now < log - end; now += 3)
            OF(pair_sweep)(row, length >> now, 0, (size_t)1 << now, w->twiddles, 3);
        end == 3 ? OF(row_end)(row, length, w->twiddles, 3, w->m, to)
                 : OF(row_end)(row, length, w->twiddles, 2, w->m, to);
    }
}

/* Transforms the rows of WIDTH transforms from z to y. */
static void OF(rows_across)(const slots_call *w, REAL *z, REAL *y) {
    const int log = transform_log2(w->length), stages = OF(stages_at_once)(w->length, true);
    if (log <= 3) {
        (log == 1 ? OF(short_rows_2) : log == 2 ? OF(short_rows_4) : OF(short_rows_8))(w, z, y);
        return;
    }
    for (size_t q = 0; q < w->m; q++)
        stages == 3 ? OF(row_start)(w, z, q, w->length, 3, false) : OF(row_start)(w, z, q, w->length, 2, false);
    OF(finish_across)(w, z, stages, y);
}

/* Loads the numbers of WIDTH transforms, `step` reals apart, to n slots. If n is less than COMPLEX, the numbers that
 * follow it become slots too. */
INLINE void OF(load_across)(const REAL *x, size_t n, size_t step, bool inverse, REAL *z) {
    const size_t last = n < COMPLEX ? 0 : n - COMPLEX;
    for (size_t next = 0; next < n; next += COMPLEX) {
        const size_t at = next < last ? next : last; /* some numbers once more */
        const REAL *from = x + 2 * at;
        REAL *const to = z + 2 * WIDTH * at;
        VECTOR v[WIDTH];
#pragma GCC unroll 16
        for (size_t l = 0; l < WIDTH; l++, from += step) v[l] = OF(load)(from);
        OF(transpose_reals)(v);
#pragma GCC unroll 8
        for (size_t i = 0; i < COMPLEX; i++)
            OF(store_pair)(to + 2 * WIDTH * i, (OF(pair)){v[2 * i + inverse], v[2 * i + !inverse]});
    }
}

/* Stores n slots as the results of WIDTH transforms, `step` reals apart. Returns true if all are finite. */
INLINE bool OF(store_across)(const REAL *z, size_t n, REAL scale, bool inverse, size_t step, REAL *y) {
    const size_t last = n < COMPLEX ? 0 : n - COMPLEX;
    OF(pair) sums = {{0}, {0}};
    for (size_t next = 0; next < n; next += COMPLEX) {
        const size_t at = next < last ? next : last;
        const REAL *const from = z + 2 * WIDTH * at;
        REAL *to = y + 2 * at;
        VECTOR v[WIDTH];
#pragma GCC unroll 8
        for (size_t i = 0; i < COMPLEX; i++) {
            const OF(pair) value = OF(load_pair)(from + 2 * WIDTH * i);
            OF(watch_slot)(value, &sums);
            v[2 * i + inverse] = inverse ? value.re * OF(fill)(scale) : value.re;
            v[2 * i + !inverse] = inverse ? value.im * OF(fill)(scale) : value.im;
        }
        OF(transpose_reals)(v);
#pragma GCC unroll 16
        for (size_t l = 0; l < WIDTH; l++, to += step) OF(store)(to, v[l]);
    }
    return OF(all_finite)(sums);
}

_Static_assert(2 * SLOT_LEAST >= COMPLEX, "a vector reaches only the transform after its own");

/* Copies the arrays of `count` transforms, `step` reals apart, to WIDTH contiguous ones; the last ones repeat one. */
INLINE void OF(copy_few)(const REAL *x, size_t n, size_t step, size_t count, REAL *to) {
    for (size_t l = 0; l < WIDTH; l++)
        memcpy(to + 2 * n * l, x + (l < count ? l : count - 1) * step, 2 * n * sizeof *to);
}

/* Transforms the slots in z[0]. Returns the buffer of the results. */
static REAL *OF(results_across)(const slots_call *w, REAL *const z[2]) {
    const int stages = OF(stages_at_once)(w->length, true);
    OF(last_passes) *const last = OF(last_passes_of)(w, w->length, stages);
    REAL *const passed = OF(slot_radices)(w, w->call->count - (last != NULL), NULL, z);
    REAL *const other = passed == z[0] ? z[1] : z[0];
    if (!last && w->length == 1) return passed;
    last ? last(w, passed, other) : OF(rows_across)(w, passed, other);
    if (!last || w->length >> stages == 1) return other;
    OF(finish_across)(w, other, stages, passed);
    return passed;
}

/* Transforms `count` arrays from number `first` on. Arrays that are not contiguous, fewer than WIDTH, or so short
 * that a vector reaches numbers that must not be read or written, are copied from and to the buffer that contains no
 * slots. Such short results overwrite what is between them and the next ones: that of R2C is written afterwards. */
static void OF(transforms_across)(const slots_call *w, size_t first, size_t count) {
    const fft_pass_call *const c = w->call;
    const size_t n = c->n, slots = n < COMPLEX ? COMPLEX : n;
    const bool few_in = count < WIDTH || (n < COMPLEX && first + WIDTH == c->batch);
    const bool few_out = count < WIDTH || (n < COMPLEX && (first + WIDTH == w->to || c->x == c->y));
    const REAL *x = (const REAL *)c->x + first * c->x_step,
               scale = (REAL)(w->length == 1 ? c->scale : 1 / (double)w->length);
    REAL *const y = (REAL *)c->y + first * c->y_step;
    REAL *const z[2] = {w->buffer, (REAL *)w->buffer + 2 * WIDTH * slots};
    if (few_in) {
        OF(copy_few)(x, n, c->x_step, count, z[1]);
        memset(z[1] + 2 * WIDTH * n, 0, 2 * (slots - n) * sizeof *x);
        x = z[1];
    }
    const size_t x_step = few_in ? 2 * n : c->x_step, y_step = few_out ? 2 * n : c->y_step;
    c->exchange_in ? OF(load_across)(x, n, x_step, true, z[0]) : OF(load_across)(x, n, x_step, false, z[0]);
    REAL *const results = OF(results_across)(w, z);
    REAL *const to = !few_out ? y : results == z[0] ? z[1] : z[0];
    if (n < COMPLEX) memset(results + 2 * WIDTH * n, 0, 2 * WIDTH * (COMPLEX - n) * sizeof *results);
    const bool finite = c->exchange_out ? OF(store_across)(results, n, scale, true, y_step, to)
                                        : OF(store_across)(results, n, scale, false, y_step, to);
    for (size_t l = 0; few_out && l < count; l++) memcpy(y + l * c->y_step, to + l * 2 * n, 2 * n * sizeof *y);
    if (finite) return;
    for (size_t l = 0; l < count; l++) OF(make_canonical)(y + l * c->y_step, 2 * n);
}
