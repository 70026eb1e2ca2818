/* Kernels of weft_convolve (ORDER.md 15) for one element type; included after cpu/kernels/bodies/complex_body.h. */

/* ---------------------------------------------------------------------------------- direct */

enum { OF(COLUMNS) = 8 }; /* vectors of results that are computed at a time */

/* Adds to c the terms of value i of the taps of one row that overlap the signal. */
INLINE OF(number)
    OF(add_row)(const direct_slice *s, const REAL *x, const REAL *h, size_t i, bool is_complex, OF(number) c) {
    for (size_t j = i < s->n ? 0 : i - s->n + 1; j < s->m && j <= i; j++) {
        if (!is_complex) {
            c.re = FUSED(x[i - j], h[j], c.re);
            continue;
        }
        const OF(number) v = {x[2 * (i - j)], x[2 * (i - j) + 1]};
        c.re = FUSED(-v.im, h[2 * j + 1], FUSED(v.re, h[2 * j], c.re));
        c.im = FUSED(v.re, h[2 * j + 1], FUSED(v.im, h[2 * j], c.im));
    }
    return c;
}

/* Computes value i from the taps that overlap the signal. */
INLINE OF(number) OF(value_at)(const direct_slice *s, size_t i, bool is_complex) {
    const size_t parts = is_complex ? 2 : 1;
    const REAL *x = s->x, *h = s->h;
    OF(number) c = {0, 0};
    for (size_t r = 0; r < s->rows; r++, x -= parts * s->row, h += parts * s->m)
        c = OF(add_row)(s, x, h, i, is_complex, c);
    return c;
}

INLINE void OF(one_by_one)(const direct_slice *s, size_t from, size_t to, bool is_complex) {
    REAL *y = s->y;
    for (size_t i = from; i < to; i++) {
        const OF(number) c = OF(value_at)(s, i, is_complex);
        REAL *at = y + (is_complex ? 2 : 1) * (i - s->from);
        at[0] = CANONICAL(c.re);
        if (is_complex) at[1] = CANONICAL(c.im);
    }
}

/* Stores a vector of results. With `streams`, p must be aligned to the vector. */
INLINE void OF(put)(REAL *p, VECTOR v, bool streams) {
    if (streams)
        stream_vector((unsigned char *)p, (const unsigned char *)&v);
    else
        OF(store)(p, v);
}

/* Computes `vectors` vectors of values whose taps all overlap the signal. The first one is value i. */
INLINE void OF(run_vectors)(const direct_slice *s, size_t i, size_t vectors, bool is_complex, bool streams) {
    const size_t parts = is_complex ? 2 : 1;
    const REAL *row = (const REAL *)s->x + parts * i, *h = s->h;
    REAL *y = (REAL *)s->y + parts * (i - s->from);
    VECTOR c[OF(COLUMNS)];
    if (streams) prefetch_after((const char *)row, vectors * VECTOR_BYTES);
    for (size_t k = 0; k < vectors; k++) c[k] = (VECTOR){0};
    for (size_t r = 0; r < s->rows; r++, row -= parts * s->row) {
        const REAL *x = row;
        for (size_t j = 0; j < s->m; j++, x -= parts, h += parts) {
            const VECTOR re = OF(fill)(h[0]);
            const VECTOR crossed = is_complex ? OF(negate_parts)(OF(fill)(h[1]), false) : re;
#pragma GCC unroll 8
            for (size_t k = 0; k < vectors; k++) {
                const VECTOR v = OF(load)(x + k * WIDTH);
                c[k] = OF(multiply_add)(v, re, c[k]);
                if (is_complex) c[k] = OF(multiply_add)(OF(swap_parts)(v), crossed, c[k]);
            }
        }
    }
#pragma GCC unroll 8
    for (size_t k = 0; k < vectors; k++) OF(put)(y + k * WIDTH, OF(canonical)(c[k]), streams);
}

/* Computes the values of full blocks of COLUMNS vectors from value i on. Returns the number of the next value. */
INLINE size_t OF(run_blocks)(const direct_slice *s, size_t i, size_t end, bool is_complex, bool streams) {
    const size_t block = OF(COLUMNS) * WIDTH / (is_complex ? 2 : 1);
    for (; end - i >= block; i += block) OF(run_vectors)(s, i, OF(COLUMNS), is_complex, streams);
    return i;
}

/* Computes full blocks with nontemporal stores from the first value on whose address is aligned; a vector computes
 * the values before it. Does nothing if no value has an aligned address. Returns the number of the next value. */
INLINE size_t OF(stream_blocks)(const direct_slice *s, size_t i, size_t end, bool is_complex) {
    const size_t parts = is_complex ? 2 : 1, lanes = WIDTH / parts, bytes = parts * sizeof(REAL);
    const size_t offset = (uintptr_t)((const REAL *)s->y + parts * (i - s->from)) % VECTOR_BYTES;
    const size_t before = (VECTOR_BYTES - offset) / bytes % lanes;
    if (offset % bytes != 0 || end - i < lanes) return i;
    OF(run_vectors)(s, i, 1, is_complex, false);
    i = OF(run_blocks)(s, i + before, end, is_complex, true);
    stream_fence();
    return i;
}

/* Computes the values at the ends one by one and those between by vectors. If the number of values between is not a
 * multiple of a vector, the last vector overlaps the one before. */
INLINE void OF(direct)(const direct_slice *s, bool is_complex) {
    const size_t lanes = WIDTH / (is_complex ? 2 : 1);
    const size_t whole = s->m - 1 < s->from ? s->from : s->m - 1 < s->to ? s->m - 1 : s->to;
    const size_t end = s->n < whole ? whole : s->n < s->to ? s->n : s->to;
    size_t i = whole;
    OF(one_by_one)(s, s->from, whole, is_complex);
    if (s->streams) i = OF(stream_blocks)(s, i, end, is_complex);
    i = OF(run_blocks)(s, i, end, is_complex, false);
    for (; end - i >= lanes; i += lanes) OF(run_vectors)(s, i, 1, is_complex, false);
    if (i < end && end - whole >= lanes) {
        OF(run_vectors)(s, end - lanes, 1, is_complex, false);
        i = end;
    }
    OF(one_by_one)(s, i, s->to, is_complex);
}

static void OF(direct_real)(const direct_slice *s) { OF(direct)(s, false); }
static void OF(direct_complex)(const direct_slice *s) { OF(direct)(s, true); }

/* ---------------------------------------------------------------------------- by transforms */

/* Finds the positions [*from, *to) of block q that are inside the signal; *at is the index in the signal of the
 * first one. */
INLINE void OF(reach)(const block_slice *s, size_t q, size_t *from, size_t *to, size_t *at) {
    const size_t before = s->m - 1, start = q * (s->size - before);
    *from = start < before ? before - start : 0;
    *at = start + *from - before;
    const size_t left = *at < s->n ? s->n - *at : 0;
    *to = *from + (left < s->size - *from ? left : s->size - *from);
}

static void OF(fill_block)(const block_slice *s) {
    size_t from, to, at, other_from, other_to, other_at;
    REAL *z = s->z;
    const REAL *x = s->x;
    OF(reach)(s, s->q, &from, &to, &at);
    OF(reach)(s, s->q + 1, &other_from, &other_to, &other_at);
    if (s->is_complex) {
        memset(z, 0, 2 * from * sizeof *z);
        memcpy(z + 2 * from, x + 2 * at, 2 * (to - from) * sizeof *z);
        memset(z + 2 * to, 0, 2 * (s->size - to) * sizeof *z);
        return;
    }
    if (from == 0 && other_to == s->size) { /* both blocks are entirely inside the signal */
        for (size_t j = 0; j < s->size; j++) {
            z[2 * j] = x[at + j];
            z[2 * j + 1] = x[other_at + j];
        }
        return;
    }
    memset(z, 0, 2 * s->size * sizeof *z);
    for (size_t j = from; j < to; j++) z[2 * j] = x[at + j - from];
    for (size_t j = other_from; j < other_to; j++) z[2 * j + 1] = x[other_at + j - other_from];
}

/* Finds the results of block q that the call requests: *count of them, starting at position *from of the block.
 * Returns the address of the first one in y. */
INLINE REAL *OF(wanted)(const block_slice *s, size_t q, size_t *from, size_t *count) {
    const size_t step = s->size - s->m + 1, start = q * step, end = s->first + s->count;
    const size_t low = start < s->first ? s->first : start, high = start + step < end ? start + step : end;
    *count = low < high ? high - low : 0;
    *from = low - start + (s->m - 1);
    return (REAL *)s->y + (s->is_complex ? 2 : 1) * (low - s->first);
}

static void OF(store_block)(const block_slice *s) {
    const REAL *z = s->z;
    size_t from, count;
    REAL *y = OF(wanted)(s, s->q, &from, &count);
    if (s->is_complex) {
        for (size_t i = 0; i < 2 * count; i++) y[i] = CANONICAL(z[2 * from + i]);
        return;
    }
    for (size_t i = 0; i < count; i++) y[i] = CANONICAL(z[2 * (from + i)]);
    y = OF(wanted)(s, s->q + 1, &from, &count);
    for (size_t i = 0; i < count; i++) y[i] = CANONICAL(z[2 * (from + i) + 1]);
}

/* ------------------------------------------------------------------------------- the kernels */

static const transform_kernels OF(kernels) = {
    .lanes = COMPLEX,
    .plain = OF(plain),
#if VECTOR_BYTES >= 32
    .registers = LEVELED(OF(cpu_registers)),
#endif
    .whole = OF(whole),
    .columns = OF(columns),
    .rows = OF(rows),
    .filter = OF(filter),
    .product = OF(product),
    .columns_back = OF(columns_back),
    .split = OF(split),
    .combine = OF(combine),
    .pass = OF(run_pass),
    .slots = OF(slots),
#if SINGLE_KERNELS
    .single = LEVELED(OF(cpu_single)),
#endif
    .direct_real = OF(direct_real),
    .direct_complex = OF(direct_complex),
    .fill_block = OF(fill_block),
    .store_block = OF(store_block),
};
