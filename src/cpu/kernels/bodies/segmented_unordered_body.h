/* Body of cpu/kernels/segmented_reduce.c for one type (cpu/kernels/bodies/each_type.h): operators of free order, by a
 * plain loop. */

/* ------------------------------------------------------------------------- minimum and maximum */

#if IS_FLOAT
typedef U OF(reduce_key);
INLINE U OF(reduce_key_of)(bool highest, T x) { return highest ? OF(weft_max_key)(x) : OF(weft_min_key)(x); }
INLINE T OF(reduce_from_key)(U key) { return OF(weft_from_key)(key); }
INLINE T OF(reduce_nothing)(bool highest) { return highest ? (T)-__builtin_inf() : (T)__builtin_inf(); }
#else
typedef T OF(reduce_key);
INLINE T OF(reduce_key_of)(bool highest, T x) {
    (void)highest;
    return x;
}
INLINE T OF(reduce_from_key)(T key) { return key; }
INLINE T OF(reduce_nothing)(bool highest) {
    const U sign = (U)((U)IS_SIGNED << (8 * sizeof(T) - 1));
    return (T)(highest ? sign : (U)~sign);
}
#endif

/* Returns the minimum or maximum, n >= 1. The kernel of weft_reduce returns a 64-bit key, for signed integers with
 * the sign bit inverted. */
INLINE T OF(extreme)(bool highest, const segment_params *params, const T *x, size_t n) {
    if (n > FEW) {
        partial found;
        params->whole(&(reduce_chunk){.x = x, .n = n}, &found);
        return OF(reduce_from_key)((OF(reduce_key))(found.u64 ^ (uint64_t)IS_SIGNED << 63));
    }
    OF(reduce_key) best = OF(reduce_key_of)(highest, x[0]);
    for (size_t i = 1; i < n; i++) {
        const OF(reduce_key) key = OF(reduce_key_of)(highest, x[i]);
        best = (highest ? key > best : key < best) ? key : best;
    }
    return OF(reduce_from_key)(best);
}

INLINE void OF(extremes)(bool highest, const segment_params *params, const uint64_t *offsets, size_t count,
                         size_t longest, T *out) {
    for (size_t s = 0; s < count; s++) {
        const size_t n = length_of(offsets, s);
        if (n == 0)
            out[s] = OF(reduce_nothing)(highest);
        else if (n <= longest)
            out[s] = OF(extreme)(highest, params, (const T *)params->x + offsets[s], n);
    }
}

static void OF(minima)(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest,
                       void *out) {
    OF(extremes)(false, params, offsets, count, longest, out);
}
static void OF(maxima)(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest,
                       void *out) {
    OF(extremes)(true, params, offsets, count, longest, out);
}

/* --------------------------------------------------------- integer sums and products, bits */

#if !IS_FLOAT

INLINE uint64_t OF(reduce_combine)(weft_op op, uint64_t a, uint64_t b) {
    switch (op) {
    case WEFT_SUM: return a + b;
    case WEFT_PROD: return a * b;
    case WEFT_AND: return a & b;
    case WEFT_OR: return a | b;
    default: return a ^ b;
    }
}

/* Reduces one segment. The bitwise kernels of weft_reduce combine 64-bit words; the elements within the resulting
 * word are combined here. */
INLINE uint64_t OF(reduce_one)(weft_op op, const segment_params *params, const T *x, size_t n) {
    const bool bits = op == WEFT_AND || op == WEFT_OR || op == WEFT_XOR;
    uint64_t value = op == WEFT_PROD ? 1 : op == WEFT_AND ? UINT64_MAX : 0;
    if (n > FEW) {
        partial found;
        params->whole(&(reduce_chunk){.x = x, .n = bits ? n * sizeof(T) : n}, &found);
        for (size_t half = 32; bits && half >= 8 * sizeof(T); half /= 2)
            found.u64 = OF(reduce_combine)(op, found.u64, found.u64 >> half);
        return found.u64;
    }
    for (size_t i = 0; i < n; i++) value = OF(reduce_combine)(op, value, (uint64_t)(WIDE)x[i]);
    return value;
}

INLINE void OF(reduce_integers)(weft_op op, const segment_params *params, const uint64_t *offsets, size_t count,
                                size_t longest, void *out) {
    for (size_t s = 0; s < count; s++) {
        const size_t n = length_of(offsets, s);
        if (n > longest) continue;
        const T *x = n > 0 ? (const T *)params->x + offsets[s] : NULL;
        const uint64_t value = OF(reduce_one)(op, params, x, n);
        if (op == WEFT_SUM || op == WEFT_PROD)
            ((uint64_t *)out)[s] = value;
        else
            ((T *)out)[s] = (T)value;
    }
}

static void OF(sums)(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest, void *out) {
    OF(reduce_integers)(WEFT_SUM, params, offsets, count, longest, out);
}
static void OF(products)(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest,
                         void *out) {
    OF(reduce_integers)(WEFT_PROD, params, offsets, count, longest, out);
}
static void OF(ands)(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest, void *out) {
    OF(reduce_integers)(WEFT_AND, params, offsets, count, longest, out);
}
static void OF(ors)(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest, void *out) {
    OF(reduce_integers)(WEFT_OR, params, offsets, count, longest, out);
}
static void OF(xors)(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest, void *out) {
    OF(reduce_integers)(WEFT_XOR, params, offsets, count, longest, out);
}

#endif
