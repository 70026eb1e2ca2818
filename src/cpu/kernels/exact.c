/* Terms of exact sums (ORDER.md 30); compiled once per instruction set level.
 *
 * A block of terms is less than 2^E in magnitude. Adding and subtracting 1.5 2^(q + 52) rounds a term to a multiple
 * of 2^q. With q = E - 42, the sum of 2^11 such multiples is a multiple of 2^q of at most 2^53 2^q: f64 computes it
 * exactly in any order. What the rounding dropped is at most 2^(q - 1) and exact too; it is folded again. */
#include "arith/exact.h"
#include "cpu/kernels/vectors.h"

enum {
    LANES = VECTOR_BYTES / 8,
    GROUP = COLUMN_VECTORS / 2 * LANES, /* terms that are added at a time */
    BLOCK_LOG = 11,
    BLOCK = 1 << BLOCK_LOG,
    SPACING = 53 - BLOCK_LOG,
    CARRY_BLOCKS = 1 << 15, /* blocks after which carries are propagated; each adds at most 2^45 to a word */
    FOLDS = 3,
    LEAST = -1074 /* every f64 is a multiple of 2^LEAST */
};

/* Bounds of the terms of a block that is folded. A product in this range has an exact remainder that is not
 * subnormal. */
#define TERM_LEAST 0x1p-900
#define TERM_GREATEST 0x1p1000

typedef float vector_narrow __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef int64_t vector_i64 __attribute__((vector_size(VECTOR_BYTES)));

/* Terms of one kind. y is x unless the terms are products. */
typedef struct source {
    exact_terms terms;
    weft_dtype dtype;
    const void *x, *y;
} source;

/* A term of vectors: value + rest. rest is 0 unless the terms are products of f64. */
typedef struct term {
    vector_f64 value, rest;
} term;

INLINE bool is_product(source s) { return s.terms == EXACT_SQUARES || s.terms == EXACT_PRODUCTS; }
INLINE bool has_rest(source s) { return is_product(s) && s.dtype == WEFT_F64; }

INLINE vector_f64 magnitudes(vector_f64 v) { return (vector_f64)((vector_i64)v & INT64_MAX); }

INLINE vector_f64 load(weft_dtype dtype, const void *x, size_t i) {
    vector_narrow narrow;
    vector_f64 v;
    if (dtype == WEFT_F64) {
        memcpy(&v, (const double *)x + i, sizeof v);
        return v;
    }
    memcpy(&narrow, (const float *)x + i, sizeof narrow);
    return __builtin_convertvector(narrow, vector_f64);
}

INLINE double load_one(weft_dtype dtype, const void *x, size_t i) {
    return dtype == WEFT_F64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

INLINE term load_term(source s, size_t i) {
    const vector_f64 x = load(s.dtype, s.x, i), y = s.terms == EXACT_PRODUCTS ? load(s.dtype, s.y, i) : x;
    term t = {x, x - x};
    if (s.terms == EXACT_MAGNITUDES) t.value = magnitudes(x);
    if (is_product(s)) t.value = x * y;
    if (has_rest(s))
        for (size_t l = 0; l < LANES; l++) t.rest[l] = fma_f64(x[l], y[l], -t.value[l]);
    return t;
}

/* ---------------------------------------------------------------------------------- single terms */

INLINE void enter(int64_t *state, weft_exact_term t) {
    state[EXACT_OTHERS] |= t.other;
    if (t.counter >= 0)
        state[t.counter]++;
    else
        for (int i = 0; i < WEFT_EXACT_PIECES; i++) state[t.first + i] += t.piece[i];
}

static void enter_value(int64_t *state, double v) {
    weft_exact_term t = weft_exact_product(v, 1);
    t.other = v != 0;
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

/* Greatest and least magnitude of a block's terms. NaNs have no effect. */
typedef struct extent {
    double greatest, least;
} extent;

INLINE extent measure(source s, size_t n) {
    vector_f64 greatest[2] = {{0}}, least[2] = {{0}};
    extent e = {0, TERM_GREATEST};
    for (size_t k = 0; k < 2; k++) least[k] = least[k] + TERM_GREATEST;
    for (size_t i = 0; i < n; i += 2 * LANES)
        for (size_t k = 0; k < 2; k++) {
            const vector_f64 x = load(s.dtype, s.x, i + k * LANES);
            const vector_f64 y = s.terms == EXACT_PRODUCTS ? load(s.dtype, s.y, i + k * LANES) : x;
            const vector_f64 v = magnitudes(is_product(s) ? x * y : x);
            for (size_t l = 0; l < LANES; l++) greatest[k][l] = v[l] > greatest[k][l] ? v[l] : greatest[k][l];
            if (has_rest(s))
                for (size_t l = 0; l < LANES; l++) least[k][l] = v[l] < least[k][l] ? v[l] : least[k][l];
        }
    for (size_t k = 0; k < 2; k++)
        for (size_t l = 0; l < LANES; l++) {
            if (greatest[k][l] > e.greatest) e.greatest = greatest[k][l];
            if (least[k][l] < e.least) e.least = least[k][l];
        }
    return e;
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

/* Adds terms of which none is a number other than zero. */
static void add_zeros(source s, size_t n, int64_t *state) {
    bool positive = false, nan = false;
    for (size_t i = 0; i < n; i++) {
        const double x = load_one(s.dtype, s.x, i);
        const double v = s.terms == EXACT_PRODUCTS ? x * load_one(s.dtype, s.y, i) : x;
        positive |= !__builtin_signbit(v);
        nan |= v != v;
    }
    state[EXACT_OTHERS] |= positive || s.terms == EXACT_MAGNITUDES || s.terms == EXACT_SQUARES;
    if (nan) add_singly(s, n, state);
}

/* The numbers 1.5 2^(q + 52) of the folds. */
typedef struct anchors {
    double at[FOLDS];
} anchors;

INLINE anchors anchors_of(double greatest) {
    anchors a;
    int q = (int)(weft_bits_f64(greatest) >> 52) - 1022;
    for (int f = 0; f < FOLDS; f++) {
        q -= SPACING + (f == 2);
        a.at[f] = 1.5 * weft_from_bits_f64((uint64_t)((q > LEAST ? q : LEAST) + 52 + 1023) << 52);
    }
    return a;
}

/* Adds the multiples of 2^q nearest to v to *sum. Returns the rest of v. */
INLINE vector_f64 fold(vector_f64 v, double anchor, vector_f64 *sum) {
    const vector_f64 multiple = (v + anchor) - anchor;
    *sum += multiple;
    return v - multiple;
}

INLINE double fold_one(double v, double anchor) { return v - ((v + anchor) - anchor); }

/* Adds what the folds of a block have left. */
static __attribute__((noinline)) void add_rests(source s, size_t n, anchors a, int64_t *state) {
    for (size_t i = 0; i < n; i += LANES) {
        const term t = load_term(s, i);
        for (size_t l = 0; l < LANES; l++) {
            const double value = fold_one(fold_one(t.value[l], a.at[0]), a.at[1]);
            if (value != 0) enter_value(state, value);
            if (!has_rest(s)) continue;
            const double rest = fold_one(fold_one(t.rest[l], a.at[1]), a.at[2]);
            if (rest != 0) enter_value(state, rest);
        }
    }
}

INLINE double total(const vector_f64 *sums) {
    const vector_f64 sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    double all = 0;
    for (size_t l = 0; l < LANES; l++) all += sum[l];
    return all;
}

/* Adds n terms that are in the range of a fold. n must be a multiple of GROUP. */
INLINE void add_folded(source s, size_t n, double greatest, int64_t *state) {
    vector_f64 sums[FOLDS][COLUMN_VECTORS / 2] = {{{0}}};
    vector_i64 left = {0};
    const anchors a = anchors_of(greatest);
    for (size_t i = 0; i < n; i += GROUP)
#pragma GCC unroll 4
        for (size_t k = 0; k < COLUMN_VECTORS / 2; k++) {
            term t = load_term(s, i + k * LANES);
            t.value = fold(fold(t.value, a.at[0], &sums[0][k]), a.at[1], &sums[1][k]);
            left |= (vector_i64)t.value;
            if (!has_rest(s)) continue;
            t.rest = fold(fold(t.rest, a.at[1], &sums[1][k]), a.at[2], &sums[2][k]);
            left |= (vector_i64)t.rest;
        }
    double folded[FOLDS];
    int64_t some = 0;
    for (size_t l = 0; l < LANES; l++) some |= left[l] & INT64_MAX;
    for (int f = 0; f < FOLDS; f++) folded[f] = total(sums[f]);
    if (folded[0] != folded[0]) {
        add_singly(s, n, state); /* a term is NaN */
        return;
    }
    state[EXACT_OTHERS] = 1;
    for (int f = 0; f < (has_rest(s) ? 3 : 2); f++) enter_value(state, folded[f]);
    if (some) add_rests(s, n, a, state);
}

/* Adds a block. Its last n - present terms are zeros that fill it. */
INLINE void add_block(source s, size_t n, size_t present, int64_t *state) {
    const extent e = measure(s, n);
    const bool apart = has_rest(s) && (!FMA_INSTRUCTION || (e.least < TERM_LEAST && has_small_product(s, present)));
    if (apart || e.greatest >= TERM_GREATEST)
        add_singly(s, present, state);
    else if (e.greatest > 0)
        add_folded(s, n, e.greatest, state);
    else
        add_zeros(s, present, state);
}

INLINE const void *at(weft_dtype dtype, const void *x, size_t i) {
    return (const char *)x + i * element_bytes(dtype);
}

INLINE void add(source s, size_t n, int64_t *state) {
    const void *const x = s.x, *const y = s.terms == EXACT_PRODUCTS ? s.y : s.x;
    const size_t rest = n % GROUP, whole = n - rest;
    double last[2][GROUP] = {{0}};
    for (size_t i = 0, blocks = 1; i < whole; i += BLOCK, blocks++) {
        const size_t count = whole - i < BLOCK ? whole - i : BLOCK;
        s.x = at(s.dtype, x, i);
        s.y = at(s.dtype, y, i);
        add_block(s, count, count, state);
        if (blocks % CARRY_BLOCKS == 0) weft_exact_carry(state);
    }
    if (rest) {
        s.x = memcpy(last[0], at(s.dtype, x, whole), rest * element_bytes(s.dtype));
        s.y = memcpy(last[1], at(s.dtype, y, whole), rest * element_bytes(s.dtype));
        add_block(s, GROUP, rest, state);
    }
    weft_exact_carry(state);
}

#define KERNEL(kind, ID, name)                                                              \
    static void kind##_##name(const void *x, const void *y, size_t n, int64_t *state) {     \
        add((source){.terms = EXACT_##kind, .dtype = WEFT_##ID, .x = x, .y = y}, n, state); \
    }
#define KERNELS(kind)      \
    KERNEL(kind, F32, f32) \
    KERNEL(kind, F64, f64)
KERNELS(VALUES)
KERNELS(MAGNITUDES)
KERNELS(SQUARES)
KERNELS(PRODUCTS)

#define ENTRY(kind) [EXACT_##kind] = {[WEFT_F32] = kind##_f32, [WEFT_F64] = kind##_f64}
const exact_kernels LEVELED(cpu_exact) = {.add = {ENTRY(VALUES), ENTRY(MAGNITUDES), ENTRY(SQUARES), ENTRY(PRODUCTS)}};
