/* Compares quantiles with a sort of all elements and with operations in `wide` that are rounded one by one, and tests
 * the rules of ORDER.md 32.4 as literal expectations. tests/oracle/view_loops.c tests other strides. */
#include "core/types.h"
#include "tests/oracle/oracle.h"
#include "verify/sorted.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { N = 5003, Q = 40, METHODS = WEFT_MIDPOINT + 1 };
static weft_context *ctx;
static uint64_t x[N], sorted[N], y[Q];
static weft_dtype type; /* of x */

#define COUNT(array) (sizeof(array) / sizeof *(array))

static weft_dtype result_of(weft_quantile_method method) {
    return (method == WEFT_LINEAR || method == WEFT_MIDPOINT) && !type_is_real(type) ? WEFT_F64 : type;
}

/* Computes quantiles of x[0..n) to y. */
static weft_status compute(weft_quantile_method method, size_t n, size_t count, const double *q) {
    weft_view from, to;
    EXPECT_STATUS(ctx, weft_view_of(type, 1, &n, x, &from), WEFT_OK);
    EXPECT_STATUS(ctx, weft_view_of(result_of(method), 1, &count, y, &to), WEFT_OK);
    return weft_quantile_axis(ctx, method, &from, 0, count, q, &to);
}

/* ---------------------------------------------------------------------------------- expected */

static int compare(const void *a, const void *b) {
    const uint64_t i = sorted_key(type, a, 0), j = sorted_key(type, b, 0);
    return (i > j) - (i < j);
}

/* Rounds to the digits of binary64, for any exponent above its least one. */
static wide rounded(wide v) {
    const wide scale = oracle_magnitude(v) > 1 ? 0x1p100 : 1;
    return (wide)(double)(v / scale) * scale;
}

/* Returns the mean of a < b, finite numbers, whose differences may be above DBL_MAX. */
static double finite_mean(wide a, wide b, wide w) {
    const wide d = rounded(b - a);
    return (double)(w < 0.5 ? a + rounded(d * w) : b - rounded(d * rounded(1 - w)));
}

static double mean(double a, double b, double w) {
    if (a == b) return a;
    if (a == -INFINITY && b == INFINITY) return NAN;
    if (a == -INFINITY) return a;
    return b == INFINITY ? b : finite_mean(a, b, w);
}

/* Stores quantile q of the sorted elements, n of them. */
static void expect_quantile(weft_quantile_method method, size_t n, double q, void *out) {
    const size_t size = weft_dtype_size(type);
    const double position = (double)((wide)q * (wide)(n - 1));
    size_t below = 0; /* floor(position), by counting */
    while (below + 1 < n && (double)(below + 1) <= position) below++;
    const double g = position - (double)below;
    const size_t above = below + (g > 0);
    const double middle = g == 0 ? 0 : method == WEFT_MIDPOINT ? 0.5 : g;
    const double a = (double)oracle_element(type, sorted, below), b = (double)oracle_element(type, sorted, above);
    const size_t nearest = g < 0.5 ? below : g > 0.5 ? above : below % 2 ? above : below;
    const size_t moved = method == WEFT_LOWER ? below : method == WEFT_HIGHER ? above : nearest;
    if (type_is_real(type) && isnan((double)oracle_element(type, sorted, n - 1)))
        oracle_store(type, NAN, out);
    else if (method == WEFT_LINEAR || method == WEFT_MIDPOINT)
        oracle_store(result_of(method), middle > 0 ? mean(a, b, middle) : a, out);
    else
        memcpy(out, (char *)sorted + moved * size, size);
}

/* ------------------------------------------------------------------------------------- cases */

/* Returns numbers from 0 to 1, among them positions of elements and the middle between two. */
static void choose(uint64_t seed, size_t n, double *q) {
    const double simple[] = {0, 1, 0.5, 0.25, 0.75, 0.1, DBL_TRUE_MIN, 1 - DBL_EPSILON / 2, -0.0};
    for (size_t k = 0; k < Q; k++) {
        const double uniform = (double)(input_random(seed, k) >> 11) * 0x1p-53;
        const size_t halves = n > 1 ? 2 * (n - 1) : 1;
        if (k < COUNT(simple))
            q[k] = simple[k];
        else
            q[k] = k % 2 ? uniform : (double)(input_random(seed, k) % (halves + 1)) / (double)halves;
    }
}

static void check(input_kind kind, size_t n) {
    const size_t size = weft_dtype_size(type);
    double q[Q];
    choose(n, n, q);
    memcpy(sorted, x, n * size);
    qsort(sorted, n, size, compare);
    for (int m = 0; m < METHODS; m++) {
        const weft_quantile_method method = (weft_quantile_method)m;
        const size_t bytes = weft_dtype_size(result_of(method));
        EXPECT_STATUS(ctx, compute(method, n, Q, q), WEFT_OK);
        for (size_t k = 0; k < Q; k++) {
            uint64_t expected = 0;
            expect_quantile(method, n, q[k], &expected);
            EXPECT(memcmp((char *)y + k * bytes, &expected, bytes) == 0, "%s, n = %zu, input %s, method %d: q = %a",
                   weft_dtype_name(type), n, input_name(kind), m, q[k]);
        }
    }
}

/* ---------------------------------------------------------------------------------- literals */

/* Checks one quantile of floats. NaN: the canonical one. */
static void literal(weft_dtype dtype, size_t n, const double *values, weft_quantile_method method, double q,
                    double expected) {
    type = dtype;
    for (size_t i = 0; i < n; i++) oracle_store(dtype, values[i], (char *)x + i * weft_dtype_size(dtype));
    uint64_t bits = 0;
    oracle_store(dtype, expected, &bits);
    EXPECT_STATUS(ctx, compute(method, n, 1, &q), WEFT_OK);
    EXPECT(memcmp(y, &bits, weft_dtype_size(dtype)) == 0, "%s, method %d, q = %g: not %g", weft_dtype_name(dtype),
           (int)method, q, expected);
}
#define LITERAL(method, q, expected, ...)                               \
    do {                                                                \
        const double values[] = {__VA_ARGS__};                          \
        literal(WEFT_F16, COUNT(values), values, method, q, expected);  \
        literal(WEFT_BF16, COUNT(values), values, method, q, expected); \
        literal(WEFT_F32, COUNT(values), values, method, q, expected);  \
        literal(WEFT_F64, COUNT(values), values, method, q, expected);  \
    } while (0)
#define LITERAL_F64(method, q, expected, ...)                          \
    do {                                                               \
        const double values[] = {__VA_ARGS__};                         \
        literal(WEFT_F64, COUNT(values), values, method, q, expected); \
    } while (0)

static void literals(void) {
    LITERAL(WEFT_LINEAR, 0.5, 2.5, 4, 1, 3, 2);
    LITERAL(WEFT_LOWER, 0.5, 2, 4, 1, 3, 2);
    LITERAL(WEFT_HIGHER, 0.5, 3, 4, 1, 3, 2);
    LITERAL(WEFT_NEAREST, 0.5, 3, 4, 1, 3, 2);
    LITERAL(WEFT_NEAREST, 0.5, 1, 4, 1);
    LITERAL(WEFT_NEAREST, 0.75, 5, 5, 1, 2);
    LITERAL(WEFT_NEAREST, 0.25, 1, 5, 1, 2);
    LITERAL(WEFT_MIDPOINT, 0.25, 1.5, 4, 1, 3, 2);
    LITERAL(WEFT_MIDPOINT, 0.5, 2, 1, 2, 3);
    LITERAL(WEFT_LINEAR, 0.25, 1.75, 4, 1, 3, 2);
    LITERAL(WEFT_LINEAR, 0, 1, 4, 1, 3, 2);
    LITERAL(WEFT_LINEAR, 1, 4, 4, 1, 3, 2);
    LITERAL(WEFT_LINEAR, 0.3, 7, 7);
    LITERAL(WEFT_HIGHER, 0.3, 7, 7);
    LITERAL(WEFT_LOWER, 0, -0.0, 0, 0, -0.0);
    LITERAL(WEFT_LINEAR, 0.25, -0.0, 0, 0, -0.0);
    LITERAL(WEFT_LINEAR, 0.75, 0, 0, 0, -0.0);
    for (int m = 0; m < METHODS; m++) LITERAL((weft_quantile_method)m, 0, NAN, 4, 1, NAN, 2);
}

static void infinities(void) {
    const double inf = INFINITY, most = DBL_MAX;
    LITERAL(WEFT_LINEAR, 0.25, NAN, inf, -inf);
    LITERAL(WEFT_MIDPOINT, 0.5, NAN, inf, -inf, inf, -inf);
    LITERAL(WEFT_LINEAR, 0, -inf, inf, -inf);
    LITERAL(WEFT_LINEAR, 0.5, -inf, inf, -inf, -inf);
    LITERAL(WEFT_MIDPOINT, 0.5, inf, inf, 1, inf, 1);
    LITERAL(WEFT_LINEAR, 0.75, inf, inf, inf, 1);
    LITERAL(WEFT_LINEAR, 0.75, 1, -inf, 1, 1);
    LITERAL(WEFT_LINEAR, 0.875, inf, inf, inf, inf);
    LITERAL(WEFT_LINEAR, 0.125, -inf, -inf, 1, 1);
    LITERAL(WEFT_LOWER, 0.5, -inf, inf, -inf);
    LITERAL_F64(WEFT_LINEAR, 0.5, 0, most, -most);
    LITERAL_F64(WEFT_LINEAR, 0.25, -most / 2, most, -most);
    LITERAL_F64(WEFT_LINEAR, 0.75, most / 2, most, -most);
    LITERAL_F64(WEFT_MIDPOINT, 0.1, 0, most, -most);
    LITERAL_F64(WEFT_HIGHER, 0.1, most, most, -most);
}

static double first_number(void) {
    double v;
    memcpy(&v, y, sizeof v);
    return v;
}

/* Elements of 64 bits are rounded before the mean is computed, and results of f32, f16 and bf16 once after it. */
static void roundings(void) {
    const double quarter = 0.25, half = 0.5, zero = 0;
    type = WEFT_U64;
    x[0] = UINT64_MAX, x[1] = (UINT64_C(1) << 53) + 1;
    EXPECT_STATUS(ctx, compute(WEFT_LINEAR, 2, 1, &zero), WEFT_OK);
    EXPECT(first_number() == 0x1p53, "2^53 + 1 is %a", first_number());
    EXPECT_STATUS(ctx, compute(WEFT_LOWER, 2, 1, &half), WEFT_OK);
    EXPECT(y[0] == x[1], "the lower element is %llu", (unsigned long long)y[0]);
    x[1] = 0;
    EXPECT_STATUS(ctx, compute(WEFT_LINEAR, 2, 1, &quarter), WEFT_OK);
    EXPECT(first_number() == 0x1p62, "a quarter of 2^64 - 1 is %a", first_number());
    type = WEFT_I64;
    x[0] = (uint64_t)INT64_MIN, x[1] = (uint64_t)INT64_MAX;
    EXPECT_STATUS(ctx, compute(WEFT_MIDPOINT, 2, 1, &quarter), WEFT_OK);
    EXPECT(first_number() == 0, "the middle of i64 is %a", first_number());
    literal(WEFT_F32, 2, (const double[]){1, 1 + 0x1p-23}, WEFT_LINEAR, 0.5, 1);
    literal(WEFT_F32, 2, (const double[]){1 + 0x1p-23, 1 + 0x1p-22}, WEFT_LINEAR, 0.5, 1 + 0x1p-22);
    literal(WEFT_F32, 2, (const double[]){-FLT_MAX, FLT_MAX}, WEFT_LINEAR, 0.25, -FLT_MAX / 2);
    /* In f32 the mean would be the middle of two numbers, which is rounded to the even one. */
    literal(WEFT_F16, 2, (const double[]){1, 1 + 0x1p-10}, WEFT_LINEAR, 0.5 + 0x1p-30, 1 + 0x1p-10);
    literal(WEFT_BF16, 2, (const double[]){1, 1 + 0x1p-7}, WEFT_LINEAR, 0.5 + 0x1p-30, 1 + 0x1p-7);
    literal(WEFT_F16, 2, (const double[]){-65504, 65504}, WEFT_LINEAR, 0.25, -32752);
    literal(WEFT_F16, 2, (const double[]){0, 0x1p-24}, WEFT_MIDPOINT, 0.5, 0);
    literal(WEFT_F16, 2, (const double[]){0x1p-24, 0x1p-23}, WEFT_MIDPOINT, 0.5, 0x1p-23);
}

int main(int argc, char **argv) {
    static const size_t lengths[] = {1, 2, 3, 4, 5, 8, 31, 100, 512, 2048, 2049, N};
    ctx = oracle_open(argc, argv);
    for (int d = WEFT_I8; d <= WEFT_BF16; d++)
        for (int k = 0; k < INPUT_COUNT; k++)
            for (size_t i = 0; i < COUNT(lengths); i++) {
                if (d == WEFT_EXACT_SUM || !input_fits((input_kind)k, (weft_dtype)d)) continue;
                type = (weft_dtype)d;
                input_fill((input_kind)k, type, i, lengths[i], x);
                check((input_kind)k, lengths[i]);
            }
    literals();
    infinities();
    roundings();
    weft_close(ctx);
    return expect_end();
}
