/* Compares sums with sums in 113-bit precision: the error must be within the bound given in docs/ops/reduce.md. */
#include "core/types.h"
#include "tests/oracle/oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct sums {
    wide sum, magnitudes, squares, dot, dot_magnitudes, deviations;
} sums;

/* Computes a square root by Newton's iteration from the f64 root: 106 bits. */
static wide root(wide x) {
    const double start = sqrt((double)x);
    return start > 0 ? (start + x / start) / 2 : 0;
}

static sums exact(weft_dtype dtype, size_t n, const void *x, const void *y) {
    sums s = {0};
    for (size_t i = 0; i < n; i++) {
        const wide a = oracle_element(dtype, x, i), b = oracle_element(dtype, y, i);
        s.sum += a;
        s.magnitudes += oracle_magnitude(a);
        s.squares += a * a;
        s.dot += a * b;
        s.dot_magnitudes += oracle_magnitude(a * b);
    }
    for (size_t i = 0; i < n; i++) {
        const wide d = oracle_element(dtype, x, i) - s.sum / (wide)n;
        s.deviations += d * d;
    }
    return s;
}

static void within(const char *what, weft_dtype dtype, input_kind kind, size_t n, double found, wide truth,
                   wide bound) {
    const wide error = oracle_magnitude((wide)found - truth);
    EXPECT(error <= bound, "%s of %s, n = %zu, input %s: %a, exact %a, error %g, bound %g", what,
           weft_dtype_name(dtype), n, input_name(kind), found, (double)truth, (double)error, (double)bound);
}

static double reduced(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                      const void *x) {
    weft_dtype type = WEFT_DEFAULT;
    union {
        float f32;
        double f64;
    } out = {.f64 = 0};
    EXPECT_STATUS(NULL, weft_reduce_result(op, dtype, accumulate, &type), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, op, dtype, accumulate, n, x, &out), WEFT_OK);
    return type == WEFT_F32 ? out.f32 : out.f64;
}

static void check_floats(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, input_kind kind, size_t n,
                         const void *x, const void *y, const sums *s) {
    const bool narrow = dtype == WEFT_F32 && accumulate == WEFT_DEFAULT;
    const double factor = oracle_factor(n, narrow ? (double)FLT_EPSILON : DBL_EPSILON);
    within("sum", dtype, kind, n, reduced(ctx, WEFT_SUM, dtype, accumulate, n, x), s->sum, factor * s->magnitudes);
    double dot = 0;
    float dot32 = 0;
    EXPECT_STATUS(ctx, weft_dot(ctx, dtype, accumulate, n, x, y, narrow ? (void *)&dot32 : &dot), WEFT_OK);
    within("dot", dtype, kind, n, narrow ? dot32 : dot, s->dot, factor * s->dot_magnitudes + FLT_MIN * (wide)DBL_MIN);
}

/* Checks statistics. They are evaluated in f64; f32 results are rounded once more. */
static void check_statistics(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, input_kind kind, size_t n,
                             const void *x, const sums *s) {
    const bool narrow = dtype == WEFT_F32 && accumulate == WEFT_DEFAULT;
    const double factor = oracle_factor(n, DBL_EPSILON) + DBL_EPSILON, last = narrow ? (double)FLT_EPSILON / 2 : 0;
    const wide mean = s->sum / (wide)n;
    within("mean", dtype, kind, n, reduced(ctx, WEFT_MEAN, dtype, accumulate, n, x), mean,
           factor * s->magnitudes / (wide)n + last * oracle_magnitude(mean));
    within("norm1", dtype, kind, n, reduced(ctx, WEFT_NORM1, dtype, accumulate, n, x), s->magnitudes,
           (factor + last) * s->magnitudes);
    const wide norm2 = root(s->squares);
    within("norm2", dtype, kind, n, reduced(ctx, WEFT_NORM2, dtype, accumulate, n, x), norm2,
           (factor + last) * norm2);
    const wide variance = s->deviations / (wide)n, slip = factor * s->magnitudes / (wide)n;
    double found = 0;
    float found32 = 0;
    EXPECT_STATUS(ctx, weft_variance(ctx, dtype, accumulate, n, 0, x, narrow ? (void *)&found32 : &found), WEFT_OK);
    within("variance", dtype, kind, n, narrow ? found32 : found, variance,
           (factor + 4 * DBL_EPSILON + last) * variance + slip * slip + (wide)DBL_TRUE_MIN);
}

static void check_type(weft_context *ctx, weft_dtype dtype, void *x, void *y) {
    static const size_t sizes[] = {1, 2, 100, 4095, 4097, 20557, 262145};
    static const input_kind kinds[] = {INPUT_MIXED, INPUT_UNIFORM,  INPUT_CANCEL,
                                       INPUT_EQUAL, INPUT_PATTERNS, INPUT_SMALL};
    const bool floats = type_is_float(dtype);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const size_t n = sizes[s];
            if (!input_fits(kinds[k], dtype) || (floats && kinds[k] == INPUT_PATTERNS)) continue;
            input_fill(kinds[k], dtype, 1, n, x);
            input_fill(kinds[k], dtype, 2, n, y);
            const sums truth = exact(dtype, n, x, y);
            for (int wider = 0; wider <= (dtype == WEFT_F32); wider++) {
                const weft_dtype accumulate = wider ? WEFT_F64 : WEFT_DEFAULT;
                if (floats) check_floats(ctx, dtype, accumulate, kinds[k], n, x, y, &truth);
                check_statistics(ctx, dtype, accumulate, kinds[k], n, x, &truth);
            }
        }
}

int main(int argc, char **argv) {
    static double x[262145], y[262145];
    weft_context *ctx = oracle_open(argc, argv);
    for (int d = WEFT_I8; d <= WEFT_F64; d++) check_type(ctx, (weft_dtype)d, x, y);
    weft_close(ctx);
    return expect_end();
}
