/* Body of cpu/kernels/reduce_extremes.c for one type (cpu/kernels/bodies/each_type.h): minimum, maximum and largest
 * magnitude, computed on integer keys whose order is the total order (ORDER.md 1.4). An integer is its own key. A
 * float has the key of arith/bits.h, with NaN first (minimum) or last (maximum).
 *
 * Elements are compared as integers, those of a float type by their bits, without branches. A chunk is read as one
 * stream: hardware prefetchers follow it longer than several streams of a page each. */

/* Extremes of some elements. As signed integers, the bits of floats >= +0 ascend, those of negative floats are less,
 * and the least ones are those of the negative float of least magnitude. As unsigned integers, the greatest ones are
 * those of the negative float of greatest magnitude. A NaN is beyond the infinity of its sign. */
typedef struct OF(span) {
    LANE greatest, least;
    U unsigned_greatest; /* floats only */
} OF(span);

INLINE OF(span) OF(extended)(OF(span) s, OF(span) by) {
    s.greatest = by.greatest > s.greatest ? by.greatest : s.greatest;
    s.least = by.least < s.least ? by.least : s.least;
    s.unsigned_greatest = by.unsigned_greatest > s.unsigned_greatest ? by.unsigned_greatest : s.unsigned_greatest;
    return s;
}

INLINE OF(span) OF(span_of)(const T *x) {
    LANE bits;
    memcpy(&bits, x, sizeof bits);
    return (OF(span)){bits, bits, (U)bits};
}

/* A span in each lane. Members that the caller does not use are not computed. */
#define LANES (VECTOR_BYTES / sizeof(T))
typedef LANE OF(lanes) __attribute__((vector_size(VECTOR_BYTES)));
typedef U OF(unsigned_lanes) __attribute__((vector_size(VECTOR_BYTES)));

INLINE OF(lanes) OF(greater)(OF(lanes) a, OF(lanes) b) {
    const OF(lanes) chosen = (OF(lanes))(b > a);
    if (!CHOOSES(T)) return (b & chosen) | (a & ~chosen);
    for (size_t l = 0; l < LANES; l++) a[l] = b[l] > a[l] ? b[l] : a[l];
    return a;
}

INLINE OF(lanes) OF(lesser)(OF(lanes) a, OF(lanes) b) {
    const OF(lanes) chosen = (OF(lanes))(b < a);
    if (!CHOOSES(T)) return (b & chosen) | (a & ~chosen);
    for (size_t l = 0; l < LANES; l++) a[l] = b[l] < a[l] ? b[l] : a[l];
    return a;
}

INLINE OF(unsigned_lanes) OF(unsigned_greater)(OF(unsigned_lanes) a, OF(unsigned_lanes) b) {
    const OF(unsigned_lanes) chosen = (OF(unsigned_lanes))(b > a);
    if (!CHOOSES(T)) return (b & chosen) | (a & ~chosen);
    for (size_t l = 0; l < LANES; l++) a[l] = b[l] > a[l] ? b[l] : a[l];
    return a;
}

typedef struct OF(spans) {
    OF(lanes) greatest, least;
    OF(unsigned_lanes) unsigned_greatest;
} OF(spans);

INLINE void OF(extend)(OF(spans) * s, OF(lanes) v) {
    s->greatest = OF(greater)(s->greatest, v);
    s->least = OF(lesser)(s->least, v);
    s->unsigned_greatest = OF(unsigned_greater)(s->unsigned_greatest, (OF(unsigned_lanes))v);
}

INLINE void OF(extend_by_row)(OF(spans) s[ROW_VECTORS], const T *x) {
#pragma GCC unroll 4
    for (size_t k = 0; k < ROW_VECTORS; k++) {
        OF(lanes) v;
        memcpy(&v, x + k * LANES, sizeof v);
        OF(extend)(&s[k], v);
    }
}

/* Return the extremes of v[0..n). They are not inlined, because GCC otherwise extracts the lanes of all vectors in
 * each iteration of the loop that computes them. */
static __attribute__((noinline, pure)) LANE OF(greatest_in)(const LANE *v, size_t n) {
    LANE greatest = v[0];
    for (size_t i = 1; i < n; i++) greatest = v[i] > greatest ? v[i] : greatest;
    return greatest;
}

static __attribute__((noinline, pure)) LANE OF(least_in)(const LANE *v, size_t n) {
    LANE least = v[0];
    for (size_t i = 1; i < n; i++) least = v[i] < least ? v[i] : least;
    return least;
}

static __attribute__((noinline, pure)) U OF(unsigned_greatest_in)(const U *v, size_t n) {
    U greatest = v[0];
    for (size_t i = 1; i < n; i++) greatest = v[i] > greatest ? v[i] : greatest;
    return greatest;
}

INLINE OF(span) OF(combined)(const OF(spans) s[ROW_VECTORS]) {
    enum { N = ROW_VECTORS * LANES };
    LANE greatest[N], least[N];
    U unsigned_greatest[N];
#pragma GCC unroll 4
    for (size_t k = 0; k < ROW_VECTORS; k++) {
        memcpy(greatest + k * LANES, &s[k].greatest, VECTOR_BYTES);
        memcpy(least + k * LANES, &s[k].least, VECTOR_BYTES);
        memcpy(unsigned_greatest + k * LANES, &s[k].unsigned_greatest, VECTOR_BYTES);
    }
    return (OF(span)){OF(greatest_in)(greatest, N), OF(least_in)(least, N),
                      OF(unsigned_greatest_in)(unsigned_greatest, N)};
}

/* Extends the spans by x[0..n), n >= a row. The last row may overlap the row before it. */
INLINE void OF(extend_by_rows)(OF(spans) s[ROW_VECTORS], const T *x, size_t n, bool prefetch) {
    const size_t row = ROW_VECTORS * LANES;
    for (size_t i = 0; i < n; i += row) {
        const T *const at = x + (i < n - row ? i : n - row);
        if (prefetch) prefetch_after((const char *)at, row * sizeof(T));
        OF(extend_by_row)(s, at);
    }
}

/* Returns the span of x[0..n), n >= 1. */
INLINE OF(span) OF(find_span)(const T *x, size_t n, bool prefetch) {
    const size_t row = ROW_VECTORS * LANES;
    OF(span) all = OF(span_of)(x);
    if (n < row || !COMPARES(T)) {
        for (size_t i = 1; i < n; i++) all = OF(extended)(all, OF(span_of)(x + i));
        return all;
    }
    OF(spans) s[ROW_VECTORS];
    for (size_t k = 0; k < ROW_VECTORS; k++)
        s[k] = (OF(spans)){all.greatest - (OF(lanes)){0}, all.least - (OF(lanes)){0},
                           all.unsigned_greatest - (OF(unsigned_lanes)){0}};
    if (prefetch)
        OF(extend_by_rows)(s, x, n, true);
    else
        OF(extend_by_rows)(s, x, n, false);
    return OF(combined)(s);
}

#undef LANES

#if IS_FLOAT
typedef U OF(key);
INLINE U OF(magnitude_bits)(U bits) { return (U)(bits << 1) >> 1; }
INLINE U OF(key_of)(bool highest, T x) {
    const U is_nan = OF(magnitude_bits)(OF(weft_bits)(x)) > OF(weft_bits)((T)__builtin_inf());
    return highest ? OF(weft_key)(x) | (0 - is_nan) : OF(weft_key)(x) & (is_nan - 1);
}

INLINE U OF(best_key)(bool highest, OF(span) s) {
    const U infinity = OF(weft_bits)((T)__builtin_inf()), sign = ~((U)-1 >> 1);
    U bits = highest ? (U)(s.greatest >= 0 ? s.greatest : s.least) : s.least < 0 ? s.unsigned_greatest : (U)s.least;
    if (s.greatest > (LANE)infinity || s.unsigned_greatest > (infinity | sign)) bits = infinity + 1;
    return OF(key_of)(highest, OF(weft_from_bits)(bits));
}

INLINE U OF(best_magnitude)(OF(span) s) {
    const U positive = s.greatest >= 0 ? (U)s.greatest : 0;
    const U negative = s.least < 0 ? OF(magnitude_bits)(s.unsigned_greatest) : 0;
    return positive > negative ? positive : negative;
}
#else
typedef T OF(key);
INLINE T OF(key_of)(bool highest, T x) {
    (void)highest;
    return x;
}

INLINE T OF(best_key)(bool highest, OF(span) s) { return highest ? s.greatest : s.least; }

INLINE U OF(magnitude_of)(T x) {
    const bool negative = IS_SIGNED && (U)x >> (8 * sizeof(U) - 1);
    return negative ? (U)(0 - (U)x) : (U)x;
}

INLINE U OF(best_magnitude)(OF(span) s) {
    const U high = OF(magnitude_of)(s.greatest), low = OF(magnitude_of)(s.least);
    return high > low ? high : low;
}
#endif

/* Returns the key as 64 bits in unsigned order. */
INLINE uint64_t OF(wide_key)(OF(key) key) { return (uint64_t)key ^ (uint64_t)IS_SIGNED << 63; }

/* Finds the best key. If the index is requested, proceeds block by block and records the first block that contains
 * it. Only that block is searched for the element. */
INLINE void OF(find)(bool highest, const reduce_chunk *p, partial *out) {
    const T *x = p->x;
    const size_t block = p->locate ? BLOCK : p->n;
    OF(key) best = OF(key_of)(highest, x[0]);
    size_t at = 0;
    for (size_t first = 0; first < p->n; first += block) {
        const size_t n = p->n - first < block ? p->n - first : block;
        const OF(key) key = OF(best_key)(highest, OF(find_span)(x + first, n, p->prefetch));
        if (highest ? key > best : key < best) best = key, at = first;
    }
    while (p->locate && OF(key_of)(highest, x[at]) != best) at++;
    *out = (partial){.u64 = OF(wide_key)(best), .index = p->first + at};
}

static void OF(lowest)(const reduce_chunk *p, partial *out) { OF(find)(false, p, out); }
static void OF(highest)(const reduce_chunk *p, partial *out) { OF(find)(true, p, out); }

/* Keys of magnitudes: the bits of a non-negative float, or an unsigned integer. The bits of a NaN are greater than
 * those of Inf. */
static void OF(magnitude)(const reduce_chunk *p, partial *out) {
    out->u64 = OF(best_magnitude)(OF(find_span)(p->x, p->n, p->prefetch));
}
