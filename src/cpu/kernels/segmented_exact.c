/* Exact sums of segments (ORDER.md 30); compiled once per instruction set level.
 *
 * The lanes of a vector have sums of their own, each an f64 (f32 elements) or a pair of f64, and so does each step
 * that adds lanes. These sums are used if no step has rounded: then no order matters. Otherwise, and for segments of
 * more than FEW elements, the kernel of weft_reduce adds the terms to a state. */
#include "arith/exact_pair.h"
#include "core/byte_order.h"
#include "cpu/kernels/vectors.h"

enum {
    LANES = VECTOR_BYTES / 8,
    FEW = 1 << 12,
    CHUNK = 1 << 16 /* terms that a state takes at a time */
};

typedef float vector_narrow __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef uint64_t vector_u64 __attribute__((vector_size(VECTOR_BYTES)));

/* weft_exact_pair of each lane. */
typedef struct pairs {
    vector_f64 high, low;
    vector_u64 lost;
} pairs;

/* Elements of one segment. `readable` elements at x may be read. */
typedef struct segment {
    const char *x;
    size_t n, readable;
    double init; /* a further term; -0.0 without one */
} segment;

INLINE vector_u64 lane_numbers(void) {
    static const uint64_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    vector_u64 number;
    memcpy(&number, numbers, sizeof number);
    return number;
}

INLINE vector_f64 load(weft_dtype dtype, const char *x) {
    vector_narrow narrow;
    vector_f64 v;
    if (dtype == WEFT_F64) {
        memcpy(&v, x, sizeof v);
        return v;
    }
    memcpy(&narrow, x, sizeof narrow);
    return __builtin_convertvector(narrow, vector_f64);
}

/* Loads the last elements of a segment, less than a vector. */
INLINE vector_f64 load_last(weft_dtype dtype, segment s, size_t i) {
    _Alignas(64) char filled[VECTOR_BYTES] = {0};
    const vector_u64 there = (vector_u64)(lane_numbers() < (uint64_t)(s.n - i));
    const char *x = s.x + i * element_bytes(dtype);
    if (s.readable - i < LANES) x = memcpy(filled, x, (s.n - i) * element_bytes(dtype));
    const vector_u64 bits = (vector_u64)load(dtype, x);
    return (vector_f64)((bits & there) | (~there & UINT64_C(1) << 63));
}

/* weft_two_sum of each lane. */
INLINE vector_f64 two_sum(vector_f64 a, vector_f64 b, vector_f64 *rest) {
    const vector_f64 sum = a + b, part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
}

/* weft_exact_pair_add of each lane. */
INLINE void add(pairs *p, vector_f64 x, bool single) {
    vector_f64 rest;
    p->high = two_sum(p->high, x, &rest);
    if (!single) p->low = two_sum(p->low, rest, &rest);
    p->lost |= (vector_u64)rest;
}

/* Returns v[l + distance] in each lane l < distance. Uses a shuffle, because GCC would go through memory. */
INLINE vector_u64 upper(vector_u64 v, size_t distance) {
#ifdef __clang__
    vector_u64 to = v;
    for (size_t l = 0; l < distance; l++) to[l] = v[l + distance];
    return to;
#else
    return __builtin_shuffle(v, lane_numbers() + distance);
#endif
}

INLINE weft_exact_pair add_lanes(pairs p, bool single) {
#pragma GCC unroll 4
    for (size_t width = LANES / 2; width > 0; width /= 2) {
        const vector_f64 high = (vector_f64)upper((vector_u64)p.high, width);
        const vector_f64 low = (vector_f64)upper((vector_u64)p.low, width);
        p.lost |= upper(p.lost, width);
        add(&p, high, single);
        if (single) continue;
        vector_f64 rest;
        p.low = two_sum(p.low, low, &rest);
        p.lost |= (vector_u64)rest;
    }
    return (weft_exact_pair){p.high[0], p.low[0], p.lost[0] << 1};
}

INLINE weft_exact_pair sum_of(weft_dtype dtype, segment s, bool single) {
    pairs p = {.high = -0.0 - (vector_f64){0}};
    size_t i = 0;
    p.high[0] = s.init;
    for (; i + LANES <= s.n; i += LANES) add(&p, load(dtype, s.x + i * element_bytes(dtype)), single);
    if (i < s.n) add(&p, load_last(dtype, s, i), single);
    return add_lanes(p, single);
}

static __attribute__((noinline)) uint64_t sum_in_state(weft_dtype dtype, segment s, const void *init,
                                                       const segment_params *params) {
    int64_t state[WEFT_EXACT_WORDS] = {0};
    for (size_t i = 0; i < s.n; i += CHUNK)
        params->add(s.x + i * element_bytes(dtype), NULL, s.n - i < CHUNK ? s.n - i : CHUNK, state);
    if (init) params->add(init, NULL, 1, state);
    state[EXACT_COUNT] = (int64_t)s.n;
    return weft_exact_finish(state, params->mean ? EXACT_MEAN : EXACT_TOTAL, dtype == WEFT_F32);
}

/* Returns the bits of the sum or mean of a segment, or of nothing and init. */
INLINE uint64_t reduce_segment(weft_dtype dtype, segment s, const void *init, const segment_params *params) {
    const bool narrow = dtype == WEFT_F32, mean = params->mean;
    uint64_t bits = 0;
    if (s.n == 0) {
        if (init) bits = bits_load(init, element_bytes(dtype));
        return mean ? (narrow ? WEFT_NAN_F32 : WEFT_NAN_F64) : bits;
    }
    s.init = !init ? -0.0 : narrow ? (double)*(const float *)init : *(const double *)init;
    if (s.n > FEW) return sum_in_state(dtype, s, init, params);
    if (narrow && weft_exact_pair_finish(sum_of(dtype, s, true), mean, s.n, narrow, &bits)) return bits;
    if (weft_exact_pair_finish(sum_of(dtype, s, false), mean, s.n, narrow, &bits)) return bits;
    return sum_in_state(dtype, s, init, params);
}

INLINE void segments(weft_dtype dtype, const segment_params *params, const uint64_t *offsets, size_t count,
                     size_t longest, char *out) {
    const size_t size = element_bytes(dtype), stride = params->init_stride * size;
    for (size_t s = 0; s < count; s++) {
        const size_t n = (size_t)(offsets[s + 1] - offsets[s]), readable = (size_t)(offsets[count] - offsets[s]);
        const char *const init = params->init ? (const char *)params->init + s * stride : NULL;
        const char *const x = n > 0 ? (const char *)params->x + offsets[s] * size : NULL;
        if (n > longest) continue;
        const uint64_t bits = reduce_segment(dtype, (segment){x, n, readable, -0.0}, init, params);
        bits_store(out + s * size, size, bits);
    }
}

static void sums_f32(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest, void *out) {
    segments(WEFT_F32, params, offsets, count, longest, out);
}
static void sums_f64(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest, void *out) {
    segments(WEFT_F64, params, offsets, count, longest, out);
}

const exact_segment_kernels LEVELED(cpu_exact_segments) = {{[WEFT_F32] = sums_f32, [WEFT_F64] = sums_f64}};
