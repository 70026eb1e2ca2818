/* Terms of exact sums (ORDER.md 30); compiled once per instruction set level.
 *
 * Adding C = 1.5 2^(q + 52) to a term of at most 2^(q + 51) in magnitude rounds it to a multiple of 2^q. The sum and
 * C have the same exponent, so that the difference of their bits is that multiple in units of 2^q: an integer, and
 * blocks of such integers are summed exactly. What the rounding dropped is exact too, and is folded again with a
 * smaller q. */
#include "arith/exact.h"
#include "cpu/kernels/vectors.h"

enum {
    LANES = VECTOR_BYTES / 8,
    GROUP = 4 * LANES, /* terms that are added at a time */
    BLOCK = 1 << 11,   /* 2^11 integers of 2^51, and again of 2^50, fit in 63 bits */
    SPACING = 51,
    FOLDS = 3,
    LEAST = -1074 /* every f64 is a multiple of 2^LEAST */
};

/* Bounds of the terms of a block that is folded. A product in this range has an exact remainder that is not
 * subnormal. */
#define TERM_LEAST 0x1p-900
#define TERM_GREATEST 0x1p1000

typedef int64_t vector_i64 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t vector_u64 __attribute__((vector_size(VECTOR_BYTES)));

/* Terms of one kind. y is x unless the terms are products. */
typedef struct source {
    exact_terms terms;
    weft_dtype dtype;
    const void *x, *y;
} source;

/* A term of vectors: value + rest. rest is 0 unless the terms are products of f64. x and y are the factors. */
typedef struct term {
    vector_f64 x, y, value, rest;
} term;

INLINE bool is_product(source s) { return s.terms == EXACT_SQUARES || s.terms == EXACT_PRODUCTS; }
INLINE bool has_rest(source s) { return is_product(s) && s.dtype == WEFT_F64; }

INLINE vector_f64 magnitude(vector_f64 v) { return (vector_f64)((vector_i64)v & INT64_MAX); }

INLINE vector_f64 load(weft_dtype dtype, const void *x, size_t i) {
    vector_f64 v;
    if (dtype == WEFT_F32) return widened_f32((const float *)x + i);
    memcpy(&v, (const double *)x + i, sizeof v);
    return v;
}

INLINE double load_one(weft_dtype dtype, const void *x, size_t i) {
    return dtype == WEFT_F64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

INLINE vector_f64 fused(vector_f64 x, vector_f64 y, vector_f64 z) {
    for (size_t l = 0; l < LANES; l++) z[l] = fma_f64(x[l], y[l], z[l]);
    return z;
}

INLINE term load_term(source s, size_t i) {
    const vector_f64 x = load(s.dtype, s.x, i), y = s.terms == EXACT_PRODUCTS ? load(s.dtype, s.y, i) : x;
    term t = {x, y, x, {0}};
    if (s.terms == EXACT_MAGNITUDES) t.value = magnitude(x);
    if (is_product(s)) t.value = x * y;
    if (has_rest(s)) t.rest = fused(x, y, -t.value);
    return t;
}

/* ---------------------------------------------------------------------------------- single terms */

INLINE void enter(int64_t *state, weft_exact_term t) {
    state[EXACT_OTHERS] |= t.other;
    if (t.counter >= 0)
        state[t.counter]++;
    else
        for (int i = 0; i < WEFT_EXACT_TERM_DIGITS; i++) state[t.first + i] += t.digit[i];
}

static void enter_value(int64_t *state, double v) {
    weft_exact_term t = weft_exact_product(v, 1);
    t.other = v != 0;
    enter(state, t);
}

/* Adds sum 2^q. */
static void enter_multiple(int64_t *state, int64_t sum, int q) {
    weft_exact_term t = {-1, false, 0, {0}};
    if (sum == 0) return;
    weft_exact_cut(&t, (uint64_t)(sum < 0 ? -sum : sum), sum < 0, q);
    enter(state, t);
}

/* Adds the terms one by one, in integers. */
static __attribute__((noinline)) void add_singly(source s, size_t n, int64_t *state) {
    for (size_t i = 0; i < n; i++) {
        double x = load_one(s.dtype, s.x, i), y = 1;
        if (s.terms == EXACT_MAGNITUDES) x = __builtin_fabs(x);
        if (s.terms == EXACT_SQUARES) y = x;
        if (s.terms == EXACT_PRODUCTS) y = load_one(s.dtype, s.y, i);
        enter(state, weft_exact_product(x, y));
    }
}

/* ---------------------------------------------------------------------------------- blocks */

/* Returns the greatest magnitude of a block's terms. A NaN has no effect. */
static double greatest_term(source s, size_t n) {
    double greatest = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = load_one(s.dtype, s.x, i), y = s.terms == EXACT_PRODUCTS ? load_one(s.dtype, s.y, i) : x;
        const double v = __builtin_fabs(is_product(s) ? x * y : x);
        greatest = v > greatest ? v : greatest;
    }
    return greatest;
}

/* Returns true if a product has underflowed, or its remainder might. */
static bool has_small_product(source s, size_t n) {
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        const double x = load_one(s.dtype, s.x, i), y = s.terms == EXACT_PRODUCTS ? load_one(s.dtype, s.y, i) : x;
        found |= (__builtin_fabs(x * y) < TERM_LEAST) & (x != 0) & (y != 0);
    }
    return found;
}

/* Returns true if some term is not -0.0. */
static bool has_other(source s, size_t n) {
    bool found = s.terms == EXACT_MAGNITUDES || s.terms == EXACT_SQUARES;
    for (size_t i = 0; i < n && !found; i++)
        found =
            weft_exact_product(load_one(s.dtype, s.x, i), s.terms == EXACT_PRODUCTS ? load_one(s.dtype, s.y, i) : 1)
                .other;
    return found;
}

/* Terms are less than 2^top; fold f adds and subtracts at[f] = 1.5 2^(q[f] + 52). */
typedef struct anchors {
    int top, q[FOLDS];
    double at[FOLDS];
} anchors;

static void set_anchors(anchors *a, int top) {
    a->top = top;
    for (int f = 0; f < FOLDS; f++) {
        const int q = top - SPACING * (f + 1) + 1;
        a->q[f] = q > LEAST ? q : LEAST;
        a->at[f] = 1.5 * weft_from_bits_f64((uint64_t)(a->q[f] + 52 + 1023) << 52);
    }
}

INLINE double fold_one(double v, double anchor) { return v - ((v + anchor) - anchor); }

/* Adds what the folds of a block have left. */
INLINE void add_rests(source s, size_t n, const anchors *a, int64_t *state) {
    for (size_t i = 0; i < n; i += LANES) {
        const term t = load_term(s, i);
        for (size_t l = 0; l < LANES; l++) {
            double value = t.value[l];
            value = fold_one(fold_one(value, a->at[0]), a->at[1]);
            if (value != 0) enter_value(state, value);
            if (!has_rest(s)) continue;
            const double rest = fold_one(fold_one(t.rest[l], a->at[1]), a->at[2]);
            if (rest != 0) enter_value(state, rest);
        }
    }
}

/* Result of the folds of a block. */
typedef struct folded {
    int64_t sums[FOLDS]; /* in units of 2^q */
    bool beyond;         /* a term is too large for its anchor, or not finite: the sums are not valid */
    bool left;           /* some term is not a multiple of the least 2^q */
    bool small;          /* some product is less than TERM_LEAST */
} folded;

/* Adds the multiples of 2^q of v to *sum. Returns the rest of v. */
INLINE vector_f64 fold(vector_f64 v, double anchor, vector_u64 *sum) {
    const vector_f64 at = anchor - (vector_f64){0}, shifted = v + at;
    *sum += (vector_u64)shifted;
    return v - (shifted - at);
}

/* Adds the multiples of 2^q of a term's value to *sum. Sets bits of *beyond if the value is too large. Returns the
 * rest of the value. If a product has no rest, it is not computed: both fused multiply-adds are exact or round as the
 * sum of the product and the anchor does. */
INLINE vector_f64 fold_value(source s, term t, double anchor, vector_u64 *sum, vector_u64 *beyond) {
    const bool products = FMA_INSTRUCTION && is_product(s) && !has_rest(s);
    const vector_f64 at = anchor - (vector_f64){0}, shifted = products ? fused(t.x, t.y, at) : t.value + at;
    *sum += (vector_u64)shifted;
    *beyond |= (vector_u64)shifted ^ (vector_u64)at;
    return products ? fused(t.x, t.y, at - shifted) : t.value - (shifted - at);
}

/* Adds the multiples of 2^q of v to *sum. Sets bits of *left, other than the sign, if v has a rest. */
INLINE void fold_last(vector_f64 v, double anchor, vector_u64 *sum, vector_u64 *left) {
    const vector_f64 at = anchor - (vector_f64){0}, shifted = v + at;
    *sum += (vector_u64)shifted;
    *left |= (vector_u64)(shifted - at) ^ (vector_u64)v;
}

/* Folds n terms; n must be a multiple of GROUP. */
INLINE folded fold_block(source s, size_t n, const anchors *a) {
    vector_u64 sums[FOLDS] = {{0}}, beyond = {0}, left = {0};
    vector_i64 small = {0};
    for (size_t i = 0; i < n; i += GROUP)
#pragma GCC unroll 4
        for (size_t k = 0; k < GROUP; k += LANES) {
            const term t = load_term(s, i + k);
            if (has_rest(s)) small |= magnitude(t.value) < TERM_LEAST;
            fold_last(fold_value(s, t, a->at[0], &sums[0], &beyond), a->at[1], &sums[1], &left);
            if (has_rest(s)) fold_last(fold(t.rest, a->at[1], &sums[1]), a->at[2], &sums[2], &left);
        }
    folded r = {{0}, false, false, false};
    uint64_t all_beyond = 0;
    for (size_t l = 0; l < LANES; l++) {
        for (int f = 0; f < FOLDS; f++) r.sums[f] = (int64_t)((uint64_t)r.sums[f] + sums[f][l]);
        all_beyond |= beyond[l];
        r.left |= left[l] << 1 != 0;
        r.small |= small[l] != 0;
    }
    r.beyond = all_beyond >> 52 != 0;
    const uint64_t counts[FOLDS] = {n, n + has_rest(s) * n, has_rest(s) * n};
    for (int f = 0; f < FOLDS; f++) r.sums[f] = (int64_t)((uint64_t)r.sums[f] - counts[f] * weft_bits_f64(a->at[f]));
    return r;
}

/* Adds a block. Its last n - present terms are zeros that fill it. The anchors are those of the previous block, and
 * change if they do not fit. */
INLINE void add_block(source s, size_t n, size_t present, anchors *a, int64_t *state) {
    if (has_rest(s) && !FMA_INSTRUCTION) {
        add_singly(s, present, state);
        return;
    }
    folded r = fold_block(s, n, a);
    if (r.beyond || r.left) {
        const double greatest = greatest_term(s, n);
        const int top = (int)(weft_bits_f64(greatest) >> 52) - 1022;
        if (greatest < TERM_GREATEST && top != a->top) {
            set_anchors(a, top);
            r = fold_block(s, n, a);
        }
    }
    if (r.beyond || (r.small && has_small_product(s, present))) {
        add_singly(s, present, state);
        return;
    }
    if (!state[EXACT_OTHERS]) state[EXACT_OTHERS] = has_other(s, present);
    for (int f = 0; f < FOLDS; f++) enter_multiple(state, r.sums[f], a->q[f]);
    if (r.left) add_rests(s, n, a, state);
}

/* ---------------------------------------------------------------------------------- blocks of f32 values */

/* Folds in f32 have twice as many terms in a vector. 2^8 integers of 2^22 in a lane fit in 31 bits. */
enum {
    SHORT_LANES = VECTOR_BYTES / 4,
    SHORT_GROUP = 4 * SHORT_LANES,
    SHORT_BLOCK = SHORT_LANES << 8,
    SHORT_SPACING = 22,
    SHORT_FOLDS = 2,
    SHORT_TOP = 124,   /* the anchors of greater terms are not finite */
    SHORT_LEAST = -149 /* every f32 is a multiple of 2^SHORT_LEAST */
};

typedef uint32_t vector_u32 __attribute__((vector_size(VECTOR_BYTES)));

/* Terms are less than 2^top; fold f adds and subtracts at[f] = 1.5 2^(q[f] + 23). */
typedef struct short_anchors {
    int top, q[SHORT_FOLDS];
    float at[SHORT_FOLDS];
} short_anchors;

static void set_short_anchors(short_anchors *a, int top) {
    a->top = top;
    for (int f = 0; f < SHORT_FOLDS; f++) {
        const int q = top - SHORT_SPACING * (f + 1) + 1;
        a->q[f] = q > SHORT_LEAST ? q : SHORT_LEAST;
        a->at[f] = 1.5f * weft_from_bits_f32((uint32_t)(a->q[f] + 23 + 127) << 23);
    }
}

/* Returns the least number that is above the exponents of all terms. That of a NaN or an infinity is 129. */
static int top_of(const float *x, size_t n) {
    uint32_t greatest = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = weft_bits_f32(x[i]) & INT32_MAX;
        greatest = bits > greatest ? bits : greatest;
    }
    return (int)(greatest >> 23) - 126;
}

/* Adds both multiples of v to the sums. Sets bits of *beyond if v is too large, and bits of *left, other than the
 * sign, if v has a rest. */
INLINE void fold_short(vector_f32 v, const short_anchors *a, vector_u32 *sums, vector_u32 *beyond, vector_u32 *left) {
    const vector_f32 first = a->at[0] - (vector_f32){0}, second = a->at[1] - (vector_f32){0};
    const vector_f32 shifted = v + first, rest = v - (shifted - first);
    const vector_f32 shifted_rest = rest + second;
    sums[0] += (vector_u32)shifted;
    sums[1] += (vector_u32)shifted_rest;
    *beyond |= (vector_u32)shifted ^ (vector_u32)first;
    *left |= (vector_u32)(shifted_rest - second) ^ (vector_u32)rest;
}

/* Folds n terms; n must be a multiple of SHORT_GROUP. Returns false if a term is too large for its anchor, is not
 * finite, or is not a multiple of the least 2^q: then the sums are not valid. */
INLINE bool fold_short_block(source s, size_t n, const short_anchors *a, int64_t *sums) {
    vector_u32 all[SHORT_FOLDS] = {{0}}, beyond = {0}, left = {0};
    const float *const x = s.x;
    for (size_t i = 0; i < n; i += SHORT_GROUP)
#pragma GCC unroll 4
        for (size_t k = 0; k < SHORT_GROUP; k += SHORT_LANES) {
            vector_f32 v;
            memcpy(&v, x + i + k, sizeof v);
            if (s.terms == EXACT_MAGNITUDES) v = (vector_f32)((vector_u32)v & (uint32_t)INT32_MAX);
            fold_short(v, a, all, &beyond, &left);
        }
    uint32_t any_beyond = 0, any_left = 0;
    for (size_t l = 0; l < SHORT_LANES; l++) any_beyond |= beyond[l], any_left |= left[l];
    for (int f = 0; f < SHORT_FOLDS; f++) {
        const uint32_t anchors = (uint32_t)(n / SHORT_LANES) * weft_bits_f32(a->at[f]); /* of a lane */
        sums[f] = 0;
        for (size_t l = 0; l < SHORT_LANES; l++) sums[f] += (int32_t)(all[f][l] - anchors);
    }
    return any_beyond >> 23 == 0 && any_left << 1 == 0;
}

/* Adds a block of f32 values. Returns false if it must be added by add_block. */
INLINE bool add_short_block(source s, size_t n, short_anchors *a, int64_t *state) {
    int64_t sums[SHORT_FOLDS];
    if (!fold_short_block(s, n, a, sums)) {
        const int top = top_of(s.x, n);
        if (top > SHORT_TOP || top == a->top) return false;
        set_short_anchors(a, top);
        if (!fold_short_block(s, n, a, sums)) return false;
    }
    if (!state[EXACT_OTHERS]) state[EXACT_OTHERS] = has_other(s, n);
    for (int f = 0; f < SHORT_FOLDS; f++) enter_multiple(state, sums[f], a->q[f]);
    return true;
}

/* ---------------------------------------------------------------------------------- arrays */

INLINE const void *at(weft_dtype dtype, const void *x, size_t i) {
    return (const char *)x + i * element_bytes(dtype);
}

/* Returns the part of a source that begins at term i. */
INLINE source part_of(source s, size_t i) {
    if (s.terms == EXACT_PRODUCTS) s.y = at(s.dtype, s.y, i);
    s.x = at(s.dtype, s.x, i);
    return s;
}

/* Adds n terms; n must be a multiple of GROUP. */
INLINE void add_blocks(source s, size_t n, anchors *a, int64_t *state) {
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t count = n - i < BLOCK ? n - i : BLOCK;
        add_block(part_of(s, i), count, count, a, state);
    }
}

/* Adds the whole groups among the first n values. Returns their number of terms. */
INLINE size_t add_short_blocks(source s, size_t n, anchors *a, int64_t *state) {
    const size_t whole = n - n % SHORT_GROUP;
    short_anchors b;
    set_short_anchors(&b, 0);
    for (size_t i = 0; i < whole; i += SHORT_BLOCK) {
        const size_t count = whole - i < SHORT_BLOCK ? whole - i : SHORT_BLOCK;
        const source part = part_of(s, i);
        if (!add_short_block(part, count, &b, state)) add_blocks(part, count, a, state);
    }
    return whole;
}

INLINE void add(source s, size_t n, int64_t *state) {
    double last[2][GROUP] = {{0}};
    anchors a;
    set_anchors(&a, 0);
    if (s.dtype == WEFT_F32 && !is_product(s)) {
        const size_t done = add_short_blocks(s, n, &a, state);
        s = part_of(s, done);
        n -= done;
    }
    const size_t rest = n % GROUP, whole = n - rest;
    add_blocks(s, whole, &a, state);
    s = part_of(s, whole);
    if (rest) {
        s.x = memcpy(last[0], s.x, rest * element_bytes(s.dtype));
        if (s.terms == EXACT_PRODUCTS) s.y = memcpy(last[1], s.y, rest * element_bytes(s.dtype));
        add_block(s, GROUP, rest, &a, state);
    }
    weft_exact_carry(state);
}

#define KERNEL(kernel, kind, ID, name)                                                      \
    static void kernel##_##name(const void *x, const void *y, size_t n, int64_t *state) {   \
        add((source){.terms = EXACT_##kind, .dtype = WEFT_##ID, .x = x, .y = y}, n, state); \
    }
#define KERNELS(kernel, kind)      \
    KERNEL(kernel, kind, F32, f32) \
    KERNEL(kernel, kind, F64, f64)
KERNELS(values, VALUES)
KERNELS(magnitudes, MAGNITUDES)
KERNELS(squares, SQUARES)
KERNELS(dot, PRODUCTS)

#define ENTRY(kernel, kind) [EXACT_##kind] = {[WEFT_F32] = kernel##_f32, [WEFT_F64] = kernel##_f64}
const exact_kernels LEVELED(cpu_exact) = {
    .add = {ENTRY(values, VALUES), ENTRY(magnitudes, MAGNITUDES), ENTRY(squares, SQUARES), ENTRY(dot, PRODUCTS)}};
