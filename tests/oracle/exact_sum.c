/* Compares exact sums and variances (WEFT_EXACT_SUM) with MPFR: numbers of 4500 bits, in which every sum of the test
 * is exact. Also checks that the bits do not depend on the order of the elements, nor on the chunks in which a source
 * gives them. */
#include "tests/oracle/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 4500, MOST = 5003, LONG = 100003, KINDS = 14 };
enum { SUM, MEAN, NORM1, NORM2, DOT, VARIANCE, SAMPLE, RESULTS }; /* VARIANCE: ddof = 0. SAMPLE: ddof = 1 */
static const char *const NAMES[] = {"sum", "mean", "norm1", "norm2", "dot", "variance", "sample variance"};
static const weft_op OPS[] = {WEFT_SUM, WEFT_MEAN, WEFT_NORM1, WEFT_NORM2};

static weft_context *ctx;

/* ------------------------------------------------------------------------------------ inputs */

static uint64_t state;

static uint64_t draw(uint64_t below) { return (input_random(state++, 1) >> 11) % below; }
static double unit(void) { return (double)(input_random(state++, 2) >> 11) * 0x1p-53; }
static double sign(void) { return draw(2) ? 1 : -1; }
static double scaled(long from, long to) {
    return sign() * ldexp(0.5 + unit() / 2, (int)(from + (long)draw((uint64_t)(to - from + 1))));
}

/* Returns an element of an input of this kind. f32 elements have exponents of f32. */
static double element(int kind, bool narrow) {
    const long low = narrow ? -149 : -1074, high = narrow ? 128 : 1024;
    switch (kind) {
    case 0: return unit();
    case 1: return scaled(-60, 60);
    case 2: return scaled(low, high);                            /* the whole range */
    case 3: return sign() * ldexp((double)draw(1024), (int)low); /* subnormal */
    case 4: return scaled(high, high);                           /* sums beyond the largest number, and back */
    case 5: return scaled(low / 2 - 40, low / 2 + 10);           /* products that underflow */
    case 6: return scaled(high / 2 - 10, high / 2 + 10);         /* products that overflow */
    case 7: return sign() * 0.0;
    case 8: return -0.0;
    case 9: return draw(40) ? scaled(-2, 2) : draw(2) ? (double)INFINITY : -0.0;
    case 10: return draw(40) ? scaled(-2, 2) : draw(3) ? -(double)INFINITY : (double)NAN;
    case 11: return (double)(int64_t)(draw(1 << 20)) - (1 << 19); /* integers: many ties in f32 */
    case 12: return narrow ? 0x1p23 + (double)draw(8) : 1e15 + (double)draw(8) * 0.125; /* variances that cancel */
    default: return 0.1;
    }
}

static void put(bool narrow, void *x, size_t i, double v) {
    if (narrow)
        ((float *)x)[i] = (float)v;
    else
        ((double *)x)[i] = v;
}

static double get(bool narrow, const void *x, size_t i) {
    return narrow ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void swap(bool narrow, void *x, size_t i, size_t k) {
    const double v = get(narrow, x, i);
    put(narrow, x, i, get(narrow, x, k));
    put(narrow, x, k, v);
}

/* Fills x and y. With `cancels`, the second half of x is minus the first, and y repeats its first half; the sum is
 * that of the last element, which is tiny. */
static void fill(int kind, bool narrow, bool cancels, size_t n, void *x, void *y) {
    const size_t half = n / 2;
    for (size_t i = 0; i < n; i++) {
        put(narrow, x, i, element(kind, narrow));
        put(narrow, y, i, element(kind, narrow));
    }
    for (size_t i = 0; cancels && i < half; i++) {
        put(narrow, x, half + i, -get(narrow, x, i));
        put(narrow, y, half + i, get(narrow, y, i));
    }
    for (size_t i = 0; cancels && i < n; i++) {
        const size_t k = draw(n);
        swap(narrow, x, i, k);
        swap(narrow, y, i, k);
    }
}

/* ------------------------------------------------------------------------------------- truth */

static void add_term(mpfr_t total, double x, double y) {
    mpfr_t term;
    mpfr_init2(term, 106);
    mpfr_set_d(term, x, MPFR_RNDN);
    mpfr_mul_d(term, term, y, MPFR_RNDN);
    mpfr_add(total, total, term, MPFR_RNDN);
    mpfr_clear(term);
}

/* Returns total, rounded once. `inexact` is not 0 if the value is not exactly `total`, which was rounded toward zero:
 * a number between `total` and its neighbour is rounded instead. */
static double rounded(mpfr_t total, int inexact, bool narrow) {
    if (inexact) {
        mpfr_prec_round(total, BITS + 2, MPFR_RNDN);
        mpfr_sgn(total) < 0 ? mpfr_nextbelow(total) : mpfr_nextabove(total);
    }
    return narrow ? (double)mpfr_get_flt(total, MPFR_RNDN) : mpfr_get_d(total, MPFR_RNDN);
}

static double true_variance(size_t ddof, bool narrow, size_t n, const void *x) {
    bool finite = true;
    mpfr_t sum, squares;
    mpfr_inits2(BITS, sum, squares, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    mpfr_set_zero(squares, 1);
    for (size_t i = 0; i < n; i++) {
        const double v = get(narrow, x, i);
        finite = finite && isfinite(v);
        add_term(sum, v, 1);
        add_term(squares, v, v);
    }
    mpfr_mul_ui(squares, squares, n, MPFR_RNDN);
    mpfr_sqr(sum, sum, MPFR_RNDN);
    mpfr_sub(squares, squares, sum, MPFR_RNDN);
    const bool zero = mpfr_zero_p(squares) != 0;
    const int inexact = mpfr_div_ui(squares, squares, n * (n - ddof), MPFR_RNDZ);
    const double v = !finite ? (double)NAN : zero ? 0 : rounded(squares, inexact, narrow);
    mpfr_clears(sum, squares, (mpfr_ptr)0);
    return v;
}

static double truth(int what, bool narrow, size_t n, const void *x, const void *y) {
    if (what == VARIANCE || what == SAMPLE) return true_variance(what == SAMPLE, narrow, n, x);
    bool all_minus = n > 0;
    int inexact = 0;
    mpfr_t total;
    mpfr_init2(total, BITS);
    mpfr_set_zero(total, 1);
    for (size_t i = 0; i < n; i++) {
        const double v = get(narrow, x, i);
        const double a = what == NORM1 ? fabs(v) : v, b = what == NORM2 ? v : what == DOT ? get(narrow, y, i) : 1;
        all_minus = all_minus && (a == 0 || b == 0) && isfinite(a) && isfinite(b) && !signbit(a) != !signbit(b);
        add_term(total, a, b);
    }
    const bool zero = mpfr_zero_p(total) != 0;
    if (what == MEAN) inexact = mpfr_div_ui(total, total, n, MPFR_RNDZ);
    if (what == NORM2) inexact = mpfr_sqrt(total, total, MPFR_RNDZ);
    const double v = zero ? (all_minus ? -0.0 : 0.0) : rounded(total, inexact, narrow);
    mpfr_clear(total);
    return v;
}

/* ------------------------------------------------------------------------------------- checks */

static weft_status compute(int what, weft_dtype dtype, size_t n, const void *x, const void *y, void *out) {
    if (what == DOT) return weft_dot(ctx, dtype, WEFT_EXACT_SUM, n, x, y, out);
    if (what >= VARIANCE) return weft_variance(ctx, dtype, WEFT_EXACT_SUM, n, what == SAMPLE, x, out);
    return weft_reduce(ctx, OPS[what], dtype, WEFT_EXACT_SUM, n, x, out);
}

static double computed(int what, bool narrow, size_t n, const void *x, const void *y) {
    double out[1] = {0};
    EXPECT_STATUS(ctx, compute(what, narrow ? WEFT_F32 : WEFT_F64, n, x, y, out), WEFT_OK);
    return get(narrow, out, 0);
}

/* Returns the result of two sources that give the elements in chunks. */
static double streamed(int what, bool narrow, size_t n, const void *x, const void *y) {
    const weft_dtype dtype = narrow ? WEFT_F32 : WEFT_F64;
    weft_channel of_x, of_y;
    const weft_source from_x = weft_source_memory(&of_x, dtype, n, x),
                      from_y = weft_source_memory(&of_y, dtype, n, y);
    double out[1] = {0};
    EXPECT_STATUS(ctx,
                  what == DOT        ? weft_dot_source(ctx, WEFT_EXACT_SUM, &from_x, &from_y, out)
                  : what >= VARIANCE ? weft_variance_source(ctx, WEFT_EXACT_SUM, what == SAMPLE, &from_x, out)
                                     : weft_reduce_source(ctx, OPS[what], WEFT_EXACT_SUM, &from_x, out),
                  WEFT_OK);
    return get(narrow, out, 0);
}

static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)); }

static void check(int kind, bool narrow, bool cancels, size_t n) {
    static double x[MOST], y[MOST];
    const int results = n > 1 ? RESULTS : SAMPLE;
    double wanted[RESULTS];
    fill(kind, narrow, cancels, n, x, y);
    for (int what = 0; what < results; what++) {
        const double found = computed(what, narrow, n, x, y);
        wanted[what] = truth(what, narrow, n, x, y);
        EXPECT(same(found, wanted[what]), "%s of %s, kind %d%s, n = %zu: %a, wanted %a", NAMES[what],
               narrow ? "f32" : "f64", kind, cancels ? ", cancelling" : "", n, found, wanted[what]);
        const double by_chunks = streamed(what, narrow, n, x, y);
        EXPECT(same(by_chunks, found), "%s of a source: %a, of the array: %a", NAMES[what], by_chunks, found);
    }
    for (size_t i = 0; i < n; i++) {
        const size_t k = draw(n);
        swap(narrow, x, i, k);
        swap(narrow, y, i, k);
    }
    for (int what = 0; what < results; what++) {
        const double found = computed(what, narrow, n, x, y);
        EXPECT(same(found, wanted[what]), "%s of a permutation of n = %zu: %a, wanted %a", NAMES[what], n, found,
               wanted[what]);
    }
}

/* Checks a variance of 10^5 elements whose mean is about 10^15 times the deviation from it. */
static void check_long(void) {
    static double x[LONG];
    for (size_t i = 0; i < LONG; i++) x[i] = element(12, false);
    const double found = computed(SAMPLE, false, LONG, x, NULL), wanted = truth(SAMPLE, false, LONG, x, NULL);
    EXPECT(same(found, wanted), "variance of %d elements: %a, wanted %a", (int)LONG, found, wanted);
}

/* Checks variances that are half way between two numbers, and just above and below, and n - ddof = 1. */
static void check_variance_ties(void) {
    const double a = 0x1p27 - 1,
                 square = a * a - 1; /* a^2 is half way between two numbers, of which the lower is even */
    const struct {
        size_t n, ddof;
        double x[3], wanted;
    } cases[] = {{2, 0, {a, 0}, square / 4},
                 {2, 0, {a, -0x1p-300}, (square + 2) / 4},
                 {2, 0, {a, 0x1p-300}, square / 4},
                 {2, 0, {-a, 0x1p-300}, (square + 2) / 4},
                 {2, 1, {0, 0x1p-537}, 0},
                 {2, 1, {0, 3 * 0x1p-538}, 0x1p-1074}, /* 9/8 of the smallest number */
                 {3, 2, {0, 0, 3}, 6},
                 {3, 2, {0x1p1000, 0x1p1000, -0x1p1000}, (double)INFINITY},
                 {1, 0, {0x1p1000}, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double out;
        EXPECT_STATUS(ctx, weft_variance(ctx, WEFT_F64, WEFT_EXACT_SUM, cases[c].n, cases[c].ddof, cases[c].x, &out),
                      WEFT_OK);
        EXPECT(same(out, cases[c].wanted), "variance %zu: %a, wanted %a", c, out, cases[c].wanted);
    }
}

/* Returns the exact sum of each segment, by weft_segmented_reduce or by indices of segments in a shuffled order. */
static void sum_segments(bool scatters, bool narrow, size_t n, const void *x, size_t segments,
                         const uint64_t *offsets, double *sums) {
    static double values[MOST], out[MOST];
    static uint64_t index[MOST];
    const weft_dtype dtype = narrow ? WEFT_F32 : WEFT_F64;
    for (size_t s = 0; s < segments; s++)
        for (size_t i = offsets[s]; i < offsets[s + 1]; i++) index[i] = s;
    for (size_t i = 0; i < n; i++) put(narrow, values, i, get(narrow, x, i));
    for (size_t i = 0; scatters && i < n; i++) {
        const size_t k = draw(n);
        const uint64_t of_i = index[i];
        swap(narrow, values, i, k);
        index[i] = index[k];
        index[k] = of_i;
    }
    EXPECT_STATUS(ctx,
                  scatters
                      ? weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, dtype, WEFT_EXACT_SUM, WEFT_U64, n, 1,
                                            segments, values, index, NULL, out)
                      : weft_segmented_reduce(ctx, WEFT_SUM, dtype, WEFT_EXACT_SUM, n, x, segments, offsets, out),
                  WEFT_OK);
    for (size_t s = 0; s < segments; s++) sums[s] = get(narrow, out, s);
}

/* Checks the sums of segments of up to 40 elements, and of one long segment. */
static void check_segments(int kind, bool narrow, bool cancels, bool scatters) {
    static double x[MOST], y[MOST], sums[MOST];
    static uint64_t offsets[MOST + 1];
    size_t segments = 0;
    fill(kind, narrow, cancels, MOST, x, y);
    while (offsets[segments] < MOST) {
        const size_t left = MOST - offsets[segments], length = segments == 9 ? 700 : draw(41);
        offsets[segments + 1] = offsets[segments] + (length < left ? length : left);
        segments++;
    }
    sum_segments(scatters, narrow, MOST, x, segments, offsets, sums);
    for (size_t s = 0; s < segments; s++) {
        const size_t length = offsets[s + 1] - offsets[s];
        const double wanted =
            truth(SUM, narrow, length, (const char *)x + offsets[s] * (narrow ? sizeof(float) : sizeof(double)), y);
        EXPECT(same(sums[s], wanted), "segment %zu of %zu %s, kind %d%s: %a, wanted %a", s, length,
               narrow ? "f32" : "f64", kind, scatters ? ", by indices" : "", sums[s], wanted);
    }
}

/* Checks sums that are half way between two numbers, and just above and below. */
static void check_ties(bool narrow) {
    const double half = narrow ? 0x1p-24 : 0x1p-53, tiny = narrow ? 0x1p-149 : 0x1p-1074;
    const double cases[][4] = {{1, half, 0, 1},
                               {1, half, tiny, 1 + 2 * half},
                               {1, half, -tiny, 1},
                               {1 + 2 * half, half, 0, 1 + 4 * half},
                               {1 + 2 * half, half, -tiny, 1 + 2 * half},
                               {-1, -half, -tiny, -1 - 2 * half}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double x[3];
        for (size_t i = 0; i < 3; i++) put(narrow, x, i, cases[c][i]);
        const double found = computed(SUM, narrow, 3, x, x);
        EXPECT(same(found, cases[c][3]), "tie %zu of %s: %a, wanted %a", c, narrow ? "f32" : "f64", found,
               cases[c][3]);
    }
}

int main(int argc, char **argv) {
    static const size_t sizes[] = {1, 2, 3, 10, 63, 64, 65, 1000, MOST};
    ctx = oracle_open(argc, argv);
    check_long();
    check_variance_ties();
    for (int narrow = 0; narrow < 2; narrow++) {
        check_ties(narrow);
        for (int kind = 0; kind < KINDS; kind++)
            for (int turn = 0; turn < 4; turn++) check_segments(kind, narrow, turn / 2, turn % 2);
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int turn = 0; turn < (sizes[s] < 100 ? 8 : 2); turn++) check(kind, narrow, turn % 2, sizes[s]);
    }
    weft_close(ctx);
    return expect_end();
}
