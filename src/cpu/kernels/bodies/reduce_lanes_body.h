/* Rows of lanes (ORDER.md 3.4) of REAL, float or double. The includer defines REAL, VECTOR (of REAL), OWN_TYPE (its
 * dtype) and OF(name). Every function is inlined with a constant element type and operator. */
#define WIDTH (sizeof(VECTOR) / sizeof(REAL))

INLINE REAL OF(combine)(bool product, REAL a, REAL b) { return product ? a * b : a + b; }
INLINE VECTOR OF(combine_vectors)(bool product, VECTOR a, VECTOR b) { return product ? a * b : a + b; }

INLINE VECTOR OF(load_lanes)(weft_dtype dtype, const char *x) {
    VECTOR v;
    if (dtype != OWN_TYPE) return (VECTOR)widened_f32(x);
    memcpy(&v, x, sizeof v);
    return v;
}

INLINE REAL OF(load_lane)(weft_dtype dtype, const char *x) {
    return dtype == WEFT_F32 ? (REAL) * (const float *)(const void *)x : (REAL) * (const double *)(const void *)x;
}

/* Returns WIDTH lanes of the reduction of 2^level rows, which are `row` bytes apart. Its loops end by comparisons
 * alone: GCC ignores the request to unroll a loop whose condition the sanitizers check. */
INLINE VECTOR OF(reduce_vectors)(bool product, weft_dtype dtype, const char *x, size_t row, int level) {
    VECTOR waiting[CACHE_LEVEL + 1], v = {0};
    const int rows = 1 << level;
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        const int carries = __builtin_ctz(~(unsigned)r);
        v = OF(load_lanes)(dtype, x + (size_t)r * row);
#pragma GCC unroll 4
        for (int k = 0; k < carries; k++) v = OF(combine_vectors)(product, waiting[k], v);
        waiting[carries] = v;
    }
    return v;
}

/* Returns one lane of the reduction of 2^level rows. */
INLINE REAL OF(reduce_lane)(bool product, weft_dtype dtype, const char *x, size_t row, int level) {
    REAL waiting[CACHE_LEVEL + 1], v = 0;
    for (int r = 0; r < 1 << level; r++) {
        int k = 0;
        v = OF(load_lane)(dtype, x + (size_t)r * row);
        for (; r >> k & 1; k++) v = OF(combine)(product, waiting[k], v);
        waiting[k] = v;
    }
    return v;
}

/* Pushes the reduction of 2^level rows at x on the binary counter: combines it with the held rows of the levels from
 * `level` to carry - 1, and holds the result at level `carry`. Prefetches the rows that are `ahead` bytes after x, or
 * none if it is 0. */
INLINE void OF(push)(bool product, weft_dtype dtype, const char *x, size_t lanes, int level, int carry, size_t ahead,
                     REAL *held) {
    const size_t size = element_bytes(dtype), row = lanes * size;
    size_t l = 0;
    for (; l + WIDTH <= lanes; l += WIDTH) {
        if (ahead) prefetch(x + ahead + (l << level) * size, (WIDTH << level) * size);
        VECTOR before, v = OF(reduce_vectors)(product, dtype, x + l * size, row, level);
        for (int k = level; k < carry; k++) {
            memcpy(&before, held + (size_t)k * lanes + l, sizeof before);
            v = OF(combine_vectors)(product, before, v);
        }
        memcpy(held + (size_t)carry * lanes + l, &v, sizeof v);
    }
    for (; l < lanes; l++) {
        REAL v = OF(reduce_lane)(product, dtype, x + l * size, row, level);
        for (int k = level; k < carry; k++) v = OF(combine)(product, held[(size_t)k * lanes + l], v);
        held[(size_t)carry * lanes + l] = v;
    }
}

/* Combines the rows of the counter from the right, so that odd ones go to the next level unchanged. `done` is the
 * number of rows that were pushed, at least 1. */
INLINE void OF(collect)(bool product, size_t done, size_t lanes, const REAL *held, REAL *to) {
    int k = __builtin_ctzll(done);
    memcpy(to, held + (size_t)k * lanes, lanes * sizeof *to);
    while (done >> ++k)
        if (done >> k & 1)
            for (size_t l = 0; l < lanes; l++) to[l] = OF(combine)(product, held[(size_t)k * lanes + l], to[l]);
}

/* Reduces the rows of a part in batches of 2^level rows. */
INLINE void OF(reduce_rows)(bool product, weft_dtype dtype, const lane_rows *p, int level) {
    const size_t lanes = p->lanes, row = lanes * element_bytes(dtype), batches = p->rows >> level,
                 batch = row << level;
    const size_t ahead = p->prefetch && row >= PREFETCHED_ROW ? batch + AHEAD : 0;
    const char *x = p->x;
    for (size_t b = 0; b < batches; b++, x += batch)
        OF(push)(product, dtype, x, lanes, level, level + __builtin_ctzll(~b), ahead, p->held);
    size_t done = batches << level;
    for (; done < p->rows; done++, x += row)
        OF(push)(product, dtype, x, lanes, 0, __builtin_ctzll(~done), 0, p->held);
    if (p->tail) OF(push)(product, dtype, p->tail, lanes, 0, __builtin_ctzll(~done), 0, p->held);
    OF(collect)(product, done + (p->tail != NULL), lanes, p->held, p->to);
}

INLINE void OF(rows)(bool product, weft_dtype dtype, const lane_rows *p) {
    if (p->prefetch)
        OF(reduce_rows)(product, dtype, p, MEMORY_LEVEL);
    else
        OF(reduce_rows)(product, dtype, p, CACHE_LEVEL);
}

#undef WIDTH
#undef REAL
#undef VECTOR
#undef OWN_TYPE
#undef OF
