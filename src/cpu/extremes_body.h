/* The body of cpu/extremes.c for one type (cpu/each_type.h): minimum, maximum and largest magnitude,
 * by integer keys whose order is the total order (docs/ORDER.md 1.4). An integer is its own key. A
 * float has the keys of arith/bits.h, where a NaN is before all or behind all; that is
 * computed from its bits without a choice or a comparison of floats, which would keep compilers from
 * making vector code of the loops. */

#if IS_FLOAT
typedef U OF(key);
INLINE U OF(magnitude_key)(T x) { return (U)(OF(weft_bits)(x) << 1) >> 1; }
INLINE bool OF(is_nan)(T x) { return OF(magnitude_key)(x) > OF(weft_bits)((T)__builtin_inf()); }
INLINE U OF(low_key)(T x) { return OF(weft_key)(x) & ((U)OF(is_nan)(x) - 1); }
INLINE U OF(high_key)(T x) { return OF(weft_key)(x) | (0 - (U)OF(is_nan)(x)); }
#else
typedef T OF(key);
INLINE T OF(low_key)(T x) { return x; }
INLINE T OF(high_key)(T x) { return x; }
#if IS_SIGNED
INLINE U OF(magnitude_key)(T x) { return x < 0 ? (U)(0 - (U)x) : (U)x; }
#else
INLINE U OF(magnitude_key)(T x) { return x; }
#endif
#endif

/* The key as 64 bits in unsigned order. */
INLINE uint64_t OF(wide_key)(OF(key) key) { return (uint64_t)key ^ (uint64_t)IS_SIGNED << 63; }

static OF(key) OF(least)(const T *x, size_t n) {
    OF(key) best = OF(low_key)(x[0]);
    for (size_t i = 0; i < n; i++) {
        const OF(key) key = OF(low_key)(x[i]);
        best = key < best ? key : best;
    }
    return best;
}

static OF(key) OF(greatest)(const T *x, size_t n) {
    OF(key) best = OF(high_key)(x[0]);
    for (size_t i = 0; i < n; i++) {
        const OF(key) key = OF(high_key)(x[i]);
        best = key > best ? key : best;
    }
    return best;
}

/* Block by block, remembering the first block that has the best key; only that one is searched for
 * the element, and only if the index is wanted. */
static void OF(lowest)(const piece *p, partial *out) {
    const T *x = p->x;
    OF(key) best = OF(low_key)(x[0]);
    size_t at = 0;
    for (size_t first = 0; first < p->n; first += BLOCK) {
        const OF(key) key = OF(least)(x + first, p->n - first < BLOCK ? p->n - first : BLOCK);
        if (key < best) best = key, at = first;
    }
    while (p->locate && OF(low_key)(x[at]) != best) at++;
    *out = (partial){.u64 = OF(wide_key)(best), .index = p->first + at};
}

static void OF(highest)(const piece *p, partial *out) {
    const T *x = p->x;
    OF(key) best = OF(high_key)(x[0]);
    size_t at = 0;
    for (size_t first = 0; first < p->n; first += BLOCK) {
        const OF(key) key = OF(greatest)(x + first, p->n - first < BLOCK ? p->n - first : BLOCK);
        if (key > best) best = key, at = first;
    }
    while (p->locate && OF(high_key)(x[at]) != best) at++;
    *out = (partial){.u64 = OF(wide_key)(best), .index = p->first + at};
}

/* As bits of a non-negative float or as an unsigned integer: the NaNs are past the bits of Inf. */
static void OF(magnitude)(const piece *p, partial *out) {
    const T *x = p->x;
    U best = 0;
    for (size_t i = 0; i < p->n; i++) {
        const U key = OF(magnitude_key)(x[i]);
        best = key > best ? key : best;
    }
    out->u64 = best;
}
