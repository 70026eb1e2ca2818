/* Body of cpu/kernels/segmented_reduce.c for sums and products in REAL, float or double. The includer defines VECTOR
 * (of REAL), OWN_TYPE (its dtype), LANE (the integer of REAL's size), MEMBER (of partial) and OF(name).
 *
 * A segment of at most one row has at most one element per lane. Lanes without elements contain the identity, so
 * combining them changes nothing. The halving of ORDER.md 2.3 therefore starts with the smallest number of lanes
 * that contains all elements. */
#define WIDTH (sizeof(VECTOR) / sizeof(REAL))
#define LANES OF(reduce_lanes)

typedef LANE LANES __attribute__((vector_size(sizeof(VECTOR))));

/* Loads WIDTH elements at x. */
INLINE VECTOR OF(reduce_load)(weft_dtype dtype, const char *x) {
    VECTOR v;
    if (dtype == OWN_TYPE) {
        memcpy(&v, x, sizeof v);
        return v;
    }
#define TYPE(ID, name, ctype, kind, npy)                                  \
    if (dtype == WEFT_##ID) {                                             \
        ctype narrow __attribute__((vector_size(WIDTH * sizeof(ctype)))); \
        memcpy(&narrow, x, sizeof narrow);                                \
        v = __builtin_convertvector(narrow, VECTOR);                      \
    }
#include "core/types.def"
    return v;
}

/* Returns v[l + distance] in each lane l < distance. Uses a shuffle, because GCC would go through memory. */
INLINE VECTOR OF(reduce_upper)(VECTOR v, LANES number, size_t distance) {
#ifdef __clang__
    (void)number;
    VECTOR upper = v;
    for (size_t l = 0; l < distance; l++) upper[l] = v[l + distance];
    return upper;
#else
    return __builtin_shuffle(v, number + (LANE)distance);
#endif
}

/* Combines the lanes of `vectors` vectors (ORDER.md 2.3). */
INLINE REAL OF(lanes_of_segment)(step how, size_t vectors, VECTOR *v, LANES number) {
    for (size_t width = vectors / 2; width > 0; width /= 2)
        for (size_t k = 0; k < width; k++) v[k] = how == STEP_MULTIPLY ? v[k] * v[k + width] : v[k] + v[k + width];
#pragma GCC unroll 4
    for (size_t width = WIDTH / 2; width > 0; width /= 2) {
        const VECTOR upper = OF(reduce_upper)(v[0], number, width);
        v[0] = how == STEP_MULTIPLY ? v[0] * upper : v[0] + upper;
    }
    return v[0][0];
}

/* Reduces n elements at x, 1 <= n <= lanes. All `lanes` elements must be readable. */
INLINE REAL OF(reduce_row)(step how, weft_dtype dtype, size_t lanes, const char *x, size_t n) {
    static const LANE numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const VECTOR identity = (how == STEP_MULTIPLY ? (REAL)1 : (REAL)-0.0) - (VECTOR){0};
    const size_t vectors = lanes / WIDTH;
    VECTOR v[WEFT_LANES_MAX / WIDTH];
    LANES first, number;
    memcpy(&first, numbers, sizeof first);
    number = first;
#pragma GCC unroll 16
    for (size_t k = 0; k < vectors; k++) {
        const LANES there = (LANES)(number < (LANE)n);
        v[k] = OF(reduce_load)(dtype, x + k * WIDTH * element_bytes(dtype));
        v[k] = (VECTOR)(((LANES)v[k] & there) | ((LANES)identity & ~there));
        number += (LANE)WIDTH;
    }
    return OF(lanes_of_segment)(how, vectors, v, first);
}

/* Reduces a segment of at most one row; `readable` elements at x may be read. */
INLINE REAL OF(reduce_short)(step how, weft_dtype dtype, const char *x, size_t n, size_t readable) {
    const size_t most = WEFT_LANES(element_bytes(dtype)), lanes = n <= 16 ? 16 : n <= 32 ? 32 : n <= 64 ? 64 : most;
    _Alignas(64) char filled[512];
    if (readable < lanes) x = memcpy(memset(filled, 0, sizeof filled), x, n * element_bytes(dtype));
    switch (lanes) {
    case 16: return OF(reduce_row)(how, dtype, 16, x, n);
    case 32: return OF(reduce_row)(how, dtype, 32, x, n);
    case 64: return OF(reduce_row)(how, dtype, 64, x, n);
    default: return OF(reduce_row)(how, dtype, most, x, n);
    }
}

/* Returns lanes [offset, offset + half) of every 2 * half lanes of the concatenation of a and b. */
INLINE VECTOR OF(reduce_halves)(VECTOR a, VECTOR b, LANES number, size_t half, size_t offset) {
#ifdef __clang__
    (void)number;
    VECTOR v;
    for (size_t l = 0; l < WIDTH; l++) {
        const size_t from = l / half * 2 * half + l % half + offset;
        v[l] = from < WIDTH ? a[from] : b[from - WIDTH];
    }
    return v;
#else
    const LANES within = number & (LANE)(half - 1);
    return __builtin_shuffle(a, b, 2 * (number - within) + within + (LANE)offset);
#endif
}

/* Reduces WIDTH adjacent segments of 1 to SHORT elements. SHORT elements at the last one must be readable. Each step
 * of ORDER.md 2.3 combines the halves of the lanes of all segments. */
INLINE VECTOR OF(reduce_group)(step how, weft_dtype dtype, const char *x, const uint64_t *offsets) {
    static const LANE numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const VECTOR identity = (how == STEP_MULTIPLY ? (REAL)1 : (REAL)-0.0) - (VECTOR){0};
    VECTOR values[SHORT]; /* WIDTH of them are used; WIDTH <= SHORT */
    LANES number;
    memcpy(&number, numbers, sizeof number);
#pragma GCC unroll 16
    for (size_t g = 0; g < WIDTH; g++) {
        const char *const from = x + offsets[g] * element_bytes(dtype);
        const LANE n = (LANE)length_of(offsets, g);
        VECTOR v[SHORT / WIDTH];
#pragma GCC unroll 4
        for (size_t k = 0; k < SHORT / WIDTH; k++) {
            const LANES there = (LANES)(number + (LANE)(k * WIDTH) < n);
            v[k] = OF(reduce_load)(dtype, from + k * WIDTH * element_bytes(dtype));
            v[k] = (VECTOR)(((LANES)v[k] & there) | ((LANES)identity & ~there));
        }
#pragma GCC unroll 4
        for (size_t width = SHORT / WIDTH / 2; width > 0; width /= 2)
            for (size_t k = 0; k < width; k++)
                v[k] = how == STEP_MULTIPLY ? v[k] * v[k + width] : v[k] + v[k + width];
        values[g] = v[0];
    }
#pragma GCC unroll 4
    for (size_t half = WIDTH / 2; half > 0; half /= 2)
#pragma GCC unroll 8
        for (size_t k = 0; k < half; k++) {
            const VECTOR a = OF(reduce_halves)(values[2 * k], values[2 * k + 1], number, half, 0);
            const VECTOR b = OF(reduce_halves)(values[2 * k], values[2 * k + 1], number, half, half);
            values[k] = how == STEP_MULTIPLY ? a * b : a + b;
        }
    return values[0];
}

/* Returns true if reduce_group can reduce the next WIDTH of `left` segments. */
INLINE bool OF(group_is_short)(const uint64_t *offsets, size_t left) {
    uint64_t longer = 0;
    if (left < WIDTH || offsets[left] - offsets[WIDTH - 1] < SHORT) return false;
    for (size_t g = 0; g < WIDTH; g++) longer |= length_of(offsets, g) - 1;
    return longer < SHORT;
}

/* Returns the sum or product of a segment of at most `longest` elements; `readable` elements at x may be read. */
INLINE REAL OF(reduce_segment)(step how, weft_dtype dtype, const segment_params *params, const char *x, size_t n,
                               size_t readable) {
    partial value = {.MEMBER = how == STEP_MULTIPLY ? (REAL)1 : (REAL)0}; /* value of an empty segment */
    if (n > WEFT_LANES(element_bytes(dtype)))
        params->whole(&(reduce_chunk){.x = x, .n = n}, &value);
    else if (n > 0)
        value.MEMBER = OF(reduce_short)(how, dtype, x, n, readable);
    return value.MEMBER;
}

/* Writes sums or products, or, with `mean`, sums divided by the numbers of elements. */
INLINE void OF(segments)(step how, bool mean, weft_dtype dtype, const segment_params *params, const uint64_t *offsets,
                         size_t count, size_t longest, REAL *out) {
    for (size_t s = 0, end; s < count; s = end) {
        end = count - s < WIDTH ? count : s + WIDTH;
        if (OF(group_is_short)(offsets + s, count - s)) {
            const VECTOR values = OF(reduce_group)(how, dtype, params->x, offsets + s);
            REAL value[WIDTH];
            memcpy(value, &values, sizeof value);
            for (size_t g = 0; g < WIDTH; g++)
                out[s + g] = OF(weft_canonical)(mean ? value[g] / (REAL)length_of(offsets, s + g) : value[g]);
            continue;
        }
        for (size_t i = s; i < end; i++) {
            const size_t n = length_of(offsets, i), readable = (size_t)(offsets[count] - offsets[i]);
            const char *x = n > 0 ? (const char *)params->x + offsets[i] * element_bytes(dtype) : NULL;
            if (n > longest) continue;
            const REAL value = OF(reduce_segment)(how, dtype, params, x, n, readable);
            out[i] = OF(weft_canonical)(mean ? value / (REAL)n : value);
        }
    }
}

#undef WIDTH
#undef LANES
#undef REAL
#undef OWN_TYPE
#undef VECTOR
#undef LANE
#undef MEMBER
#undef OF
