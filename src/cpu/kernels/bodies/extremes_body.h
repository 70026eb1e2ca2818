/* Body of cpu/kernels/reduce_extremes.c for one type (cpu/kernels/bodies/each_type.h): minimum, maximum and largest
 * magnitude, computed on integer keys whose order is the total order (ORDER.md 1.4). An integer is its own key. A
 * float has the key of arith/bits.h, with NaN first (minimum) or last (maximum). Keys are computed from the bits
 * without branches or float comparisons, which would prevent compilers from vectorizing the loops. */

#if IS_FLOAT
typedef U OF(key);
INLINE U OF(magnitude_key)(T x) { return (U)(OF(weft_bits)(x) << 1) >> 1; }
INLINE U OF(key_of)(bool highest, T x) {
    const U is_nan = OF(magnitude_key)(x) > OF(weft_bits)((T)__builtin_inf());
    return highest ? OF(weft_key)(x) | (0 - is_nan) : OF(weft_key)(x) & (is_nan - 1);
}
#else
typedef T OF(key);
INLINE T OF(key_of)(bool highest, T x) {
    (void)highest;
    return x;
}
#if IS_SIGNED
INLINE U OF(magnitude_key)(T x) { return x < 0 ? (U)(0 - (U)x) : (U)x; }
#else
INLINE U OF(magnitude_key)(T x) { return x; }
#endif
#endif

/* Returns the key as 64 bits in unsigned order. */
INLINE uint64_t OF(wide_key)(OF(key) key) { return (uint64_t)key ^ (uint64_t)IS_SIGNED << 63; }

INLINE bool OF(beats)(bool highest, OF(key) a, OF(key) b) { return highest ? a > b : a < b; }
INLINE OF(key) OF(better)(bool highest, OF(key) a, OF(key) b) { return OF(beats)(highest, a, b) ? a : b; }

/* Returns the best key of a block, n >= 1. Each quarter has its own best key, so that the comparisons of different
 * quarters are independent. */
INLINE OF(key) OF(best_key)(bool highest, const T *x, size_t n) {
    const size_t quarter = n / 4;
    OF(key) best = OF(key_of)(highest, x[n - 1]), best1 = best, best2 = best, best3 = best;
    for (size_t i = 0; i < quarter; i++) {
        best = OF(better)(highest, best, OF(key_of)(highest, x[i]));
        best1 = OF(better)(highest, best1, OF(key_of)(highest, x[quarter + i]));
        best2 = OF(better)(highest, best2, OF(key_of)(highest, x[2 * quarter + i]));
        best3 = OF(better)(highest, best3, OF(key_of)(highest, x[3 * quarter + i]));
    }
    for (size_t i = 4 * quarter; i < n; i++) best = OF(better)(highest, best, OF(key_of)(highest, x[i]));
    return OF(better)(highest, OF(better)(highest, best, best1), OF(better)(highest, best2, best3));
}

/* Finds the best key block by block and records the first block that contains it. Only that block is searched for
 * the element, and only if the index is requested. */
INLINE void OF(find)(bool highest, const reduce_chunk *p, partial *out) {
    const T *x = p->x;
    OF(key) best = OF(key_of)(highest, x[0]);
    size_t at = 0;
    for (size_t first = 0; first < p->n; first += BLOCK) {
        const OF(key) key = OF(best_key)(highest, x + first, p->n - first < BLOCK ? p->n - first : BLOCK);
        if (OF(beats)(highest, key, best)) best = key, at = first;
    }
    while (p->locate && OF(key_of)(highest, x[at]) != best) at++;
    *out = (partial){.u64 = OF(wide_key)(best), .index = p->first + at};
}

static void OF(lowest)(const reduce_chunk *p, partial *out) { OF(find)(false, p, out); }
static void OF(highest)(const reduce_chunk *p, partial *out) { OF(find)(true, p, out); }

/* Keys of magnitudes: the bits of a non-negative float, or an unsigned integer. The bits of a NaN are greater than
 * those of Inf. */
static void OF(magnitude)(const reduce_chunk *p, partial *out) {
    const T *x = p->x;
    U best = 0;
    for (size_t i = 0; i < p->n; i++) {
        const U key = OF(magnitude_key)(x[i]);
        best = key > best ? key : best;
    }
    out->u64 = best;
}
