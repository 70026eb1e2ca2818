/* Tests closed forms, and the rules of ORDER.md 1.3 to 1.6 and 3 as literal expectations. */
#include "tests/oracle/oracle.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static weft_context *ctx;

static uint32_t bits32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t bits64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float from32(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double from64(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Check the bits of an operator's result on an array of doubles or floats. */
#define IS_F64(op, x, n, wanted) is((op), WEFT_F64, (x), (n), bits64(wanted), __LINE__)
#define IS_F32(op, x, n, wanted) is((op), WEFT_F32, (x), (n), bits32(wanted), __LINE__)
#define IS_WHOLE(op, dtype, x, n, wanted) is((op), (dtype), (x), (n), (uint64_t)(wanted), __LINE__)

static void is(weft_op op, weft_dtype dtype, const void *x, size_t n, uint64_t wanted, int line) {
    uint64_t found = 0;
    const weft_status status = weft_reduce(ctx, op, dtype, WEFT_DEFAULT, n, x, &found);
    expect(status == WEFT_OK && found == wanted, __FILE__, line, weft_op_name(op),
           "%s of %zu %s: 0x%" PRIx64 ", wanted 0x%" PRIx64 " (%s)", weft_op_name(op), n, weft_dtype_name(dtype),
           found, wanted, weft_last_error(ctx));
}

static double dot64(const double *x, const double *y, size_t n) {
    double found = NAN;
    EXPECT_STATUS(ctx, weft_dot(ctx, WEFT_F64, WEFT_DEFAULT, n, x, y, &found), WEFT_OK);
    return found;
}

static double variance64(const double *x, size_t n, size_t ddof) {
    double found = NAN;
    EXPECT_STATUS(ctx, weft_variance(ctx, WEFT_F64, WEFT_DEFAULT, n, ddof, x, &found), WEFT_OK);
    return found;
}

static void nothing(void) {
    IS_F64(WEFT_SUM, NULL, 0, 0.0);
    IS_F32(WEFT_SUM, NULL, 0, 0.0f);
    IS_F64(WEFT_PROD, NULL, 0, 1.0);
    IS_F32(WEFT_PROD, NULL, 0, 1.0f);
    IS_F64(WEFT_NORM1, NULL, 0, 0.0);
    IS_F64(WEFT_NORM2, NULL, 0, 0.0);
    IS_F64(WEFT_NORMINF, NULL, 0, 0.0);
    IS_WHOLE(WEFT_SUM, WEFT_I8, NULL, 0, 0);
    IS_WHOLE(WEFT_PROD, WEFT_U16, NULL, 0, 1);
    IS_WHOLE(WEFT_AND, WEFT_I16, NULL, 0, 0xffff);
    IS_WHOLE(WEFT_AND, WEFT_U64, NULL, 0, UINT64_MAX);
    IS_WHOLE(WEFT_OR, WEFT_U32, NULL, 0, 0);
    IS_WHOLE(WEFT_XOR, WEFT_I32, NULL, 0, 0);
    IS_WHOLE(WEFT_ANY, WEFT_F32, NULL, 0, 0);
    IS_WHOLE(WEFT_ALL, WEFT_F32, NULL, 0, 1);
    IS_WHOLE(WEFT_COUNT_NONZERO, WEFT_I64, NULL, 0, 0);
    EXPECT(bits64(dot64(NULL, NULL, 0)) == 0, "the empty dot is %a", dot64(NULL, NULL, 0));
    double out = 0;
    EXPECT_ERROR(ctx, weft_reduce(ctx, WEFT_MIN, WEFT_F64, WEFT_DEFAULT, 0, NULL, &out), WEFT_EMPTY,
                 "min of 0 elements");
    EXPECT_ERROR(ctx, weft_reduce(ctx, WEFT_MEAN, WEFT_I8, WEFT_DEFAULT, 0, NULL, &out), WEFT_EMPTY,
                 "mean of 0 elements");
    EXPECT_ERROR(ctx, weft_variance(ctx, WEFT_F64, WEFT_DEFAULT, 2, 2, &out, &out), WEFT_EMPTY, "ddof 2");
}

static void negative_zeros(void) {
    static double minus64[5000];
    static float minus32[5000];
    for (size_t i = 0; i < COUNT(minus64); i++) minus32[i] = -0.0f, minus64[i] = -0.0;
    static const size_t sizes[] = {1, 63, 64, 128, 129, 2048, 4097, 5000};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        IS_F64(WEFT_SUM, minus64, sizes[s], -0.0);
        IS_F32(WEFT_SUM, minus32, sizes[s], -0.0f);
        IS_F64(WEFT_MEAN, minus64, sizes[s], -0.0);
        IS_F64(WEFT_NORM1, minus64, sizes[s], 0.0);
        IS_F64(WEFT_NORM2, minus64, sizes[s], 0.0);
        IS_F64(WEFT_NORMINF, minus64, sizes[s], 0.0);
    }
    const double zeros[] = {0.0, -0.0, 0.0, -0.0};
    IS_F64(WEFT_MIN, zeros, 4, -0.0);
    IS_F64(WEFT_MAX, zeros, 4, 0.0);
    IS_F64(WEFT_MAX, zeros + 1, 1, -0.0);
    IS_WHOLE(WEFT_ARGMIN, WEFT_F64, zeros, 4, 1);
    IS_WHOLE(WEFT_ARGMAX, WEFT_F64, zeros + 1, 3, 1);
    IS_F64(WEFT_SUM, zeros, 4, 0.0);
    IS_WHOLE(WEFT_ANY, WEFT_F64, zeros, 4, 0);
    IS_WHOLE(WEFT_COUNT_NONZERO, WEFT_F32, minus32, 5000, 0);
}

/* Checks that the result is 0x7fc00000 or 0x7ff8000000000000 for every NaN in the input, and that a NaN takes
 * precedence over infinities. */
static void not_a_number(void) {
    static const uint32_t nans32[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0x7fffffff};
    static const uint64_t nans64[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000),
                                      UINT64_C(0x7ff0000000000001), UINT64_C(0xfff0123456789abc),
                                      UINT64_C(0x7fffffffffffffff)};
    static const weft_op ops[] = {WEFT_SUM,  WEFT_PROD,  WEFT_MIN,   WEFT_MAX,
                                  WEFT_MEAN, WEFT_NORM1, WEFT_NORM2, WEFT_NORMINF};
    const float nan32 = from32(0x7fc00000);
    const double nan64 = from64(UINT64_C(0x7ff8000000000000));
    for (size_t k = 0; k < COUNT(nans32); k++) {
        float x[] = {1, INFINITY, 0, -INFINITY, 2};
        double y[] = {1, INFINITY, 0, -INFINITY, 2};
        memcpy(&x[2], &nans32[k], sizeof x[2]);
        memcpy(&y[2], &nans64[k], sizeof y[2]);
        for (size_t o = 0; o < COUNT(ops); o++) {
            IS_F32(ops[o], x, 5, nan32);
            IS_F64(ops[o], y, 5, nan64);
            IS_F32(ops[o], x + 2, 1, nan32);
            IS_F64(ops[o], y + 2, 1, nan64);
        }
        IS_WHOLE(WEFT_ARGMIN, WEFT_F32, x, 5, 2);
        IS_WHOLE(WEFT_ARGMAX, WEFT_F64, y, 5, 2);
        IS_WHOLE(WEFT_ANY, WEFT_F32, x + 2, 1, 1);
        IS_WHOLE(WEFT_ALL, WEFT_F64, y + 2, 1, 1);
        IS_WHOLE(WEFT_COUNT_NONZERO, WEFT_F64, y, 5, 5);
        EXPECT(bits64(dot64(y, y, 5)) == bits64(nan64), "dot with a NaN is %a", dot64(y, y, 5));
        EXPECT(bits64(variance64(y, 5, 1)) == bits64(nan64), "variance with a NaN is %a", variance64(y, 5, 1));
    }
    const double opposite[] = {INFINITY, 1, -INFINITY};
    IS_F64(WEFT_SUM, opposite, 3, nan64); /* x86 generates a negative NaN here */
    IS_F64(WEFT_SUM, opposite, 2, INFINITY);
    IS_F64(WEFT_NORM2, opposite, 3, INFINITY);
    const double zero_times[] = {0, INFINITY};
    IS_F64(WEFT_PROD, zero_times, 2, nan64);
    EXPECT(bits64(variance64(opposite, 2, 0)) == bits64(nan64), "variance with Inf is %a",
           variance64(opposite, 2, 0));
}

static void integers(void) {
    static const int8_t low[] = {-128, -128};
    static const uint8_t high[] = {255, 255};
    static const int64_t wrap[] = {INT64_MAX, 1};
    static const int16_t ties[] = {3, -7, 3, -7};
    static const uint64_t large[] = {UINT64_MAX, 0};
    IS_WHOLE(WEFT_SUM, WEFT_I8, low, 2, -256);
    IS_WHOLE(WEFT_SUM, WEFT_U8, high, 2, 510);
    IS_WHOLE(WEFT_PROD, WEFT_U8, high, 2, 65025);
    IS_WHOLE(WEFT_SUM, WEFT_I64, wrap, 2, INT64_MIN);
    IS_WHOLE(WEFT_MIN, WEFT_I16, ties, 4, (uint16_t)-7);
    IS_WHOLE(WEFT_ARGMIN, WEFT_I16, ties, 4, 1);
    IS_WHOLE(WEFT_ARGMAX, WEFT_I16, ties, 4, 0);
    IS_WHOLE(WEFT_MAX, WEFT_U64, large, 2, UINT64_MAX);
    IS_WHOLE(WEFT_MEAN, WEFT_I8, low, 2, bits64(-128));
    IS_WHOLE(WEFT_NORMINF, WEFT_I8, low, 2, bits64(128));
    IS_WHOLE(WEFT_NORM1, WEFT_U64, large, 2, bits64(0x1p64));
    IS_WHOLE(WEFT_NORM2, WEFT_I8, low, 1, bits64(128));
}

static void closed_forms(void) {
    enum { N = 100000 };
    static float f32[N];
    static double f64[N], two[N];
    static int32_t i32[N];
    for (int i = 0; i < N; i++) i32[i] = i + 1, f64[i] = i + 1, f32[i] = (float)(i % 100), two[i] = 2;
    IS_WHOLE(WEFT_SUM, WEFT_I32, i32, N, (uint64_t)N * (N + 1) / 2);
    IS_F64(WEFT_SUM, f64, N, (double)N * (N + 1) / 2);
    IS_F64(WEFT_MEAN, f64, N, (N + 1) / 2.0);
    IS_F32(WEFT_SUM, f32, N, 4950000.0f);
    IS_F32(WEFT_MAX, f32, N, 99.0f);
    EXPECT(dot64(f64, two, 1024) == 1025.0 * 1024, "dot of 1..1024 and 2: %a", dot64(f64, two, 1024));
    for (int i = 0; i < 1024; i++) f64[i] = i;
    EXPECT(dot64(f64, two, 1024) == 1024.0 * 1023, "the first program: %a", dot64(f64, two, 1024));
    IS_F64(WEFT_PROD, two, 1000, 0x1p1000);
    EXPECT(variance64(two, N, 0) == 0, "variance of a constant: %a", variance64(two, N, 0));
    for (int i = 0; i < N; i++) f64[i] = 1e9 + (i % 2 ? 1 : -1);
    EXPECT(variance64(f64, N, 0) == 1, "variance of 1e9 +- 1: %a", variance64(f64, N, 0));
    const double small[] = {2, 4, 4, 4, 5, 5, 7, 9};
    EXPECT(variance64(small, 8, 0) == 4, "population variance: %a", variance64(small, 8, 0));
    EXPECT(variance64(small, 8, 1) == 32.0 / 7, "sample variance: %a", variance64(small, 8, 1));
}

/* Checks the triangle 3, 4, 5 at magnitudes whose squares are out of the range of f64, and the ends of the range. */
static void norms(void) {
    static const double scales[] = {1,         0x1p664, 0x1p-664, 0x1p1000, 0x1p-1000,
                                    0x1p-1070, 0x1p450, 0x1p-450, 0x1p-451};
    for (size_t i = 0; i < COUNT(scales); i++) {
        const double x[] = {3 * scales[i], -4 * scales[i]};
        IS_F64(WEFT_NORM2, x, 2, 5 * scales[i]);
    }
    const double big[] = {3e200, 4e200}, small[] = {3e-200, 4e-200}, ends[] = {DBL_MAX}, least[] = {DBL_TRUE_MIN};
    double found = 0;
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_NORM2, WEFT_F64, WEFT_DEFAULT, 2, big, &found), WEFT_OK);
    EXPECT(fabs(found - 5e200) <= 1e185, "norm2 of 3e200, 4e200: %g", found);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_NORM2, WEFT_F64, WEFT_DEFAULT, 2, small, &found), WEFT_OK);
    EXPECT(fabs(found - 5e-200) <= 1e-215, "norm2 of 3e-200, 4e-200: %g", found);
    IS_F64(WEFT_NORM2, ends, 1, DBL_MAX);
    IS_F64(WEFT_NORM2, least, 1, DBL_TRUE_MIN);
    IS_F64(WEFT_NORMINF, ends, 1, DBL_MAX);
    const double twice[] = {DBL_MAX, DBL_MAX};
    IS_F64(WEFT_NORM2, twice, 2, INFINITY);
}

/* Checks cases in which the order of operations matters: elements l and l + 64 of f64 are combined first, then the
 * halves. */
static void order(void) {
    double x[128] = {0};
    x[0] = 1e308, x[32] = -1e308, x[1] = 1e308, x[33] = -1e308;
    IS_F64(WEFT_SUM, x, 64, 0.0);
    x[32] = 1e308, x[33] = x[1] = -1e308;
    IS_F64(WEFT_SUM, x, 64, from64(UINT64_C(0x7ff8000000000000)));
    double y[128] = {0};
    y[0] = 1, y[64] = 0x1p-53, y[1] = 0x1p-53; /* lane 0: 1 + 2^-53 is 1, twice */
    IS_F64(WEFT_SUM, y, 128, 1.0);
    y[64] = 0, y[2] = 0x1p-53; /* lanes 1 and 2 are combined only after lanes 0 and 2 */
    IS_F64(WEFT_SUM, y, 128, 1.0);
    y[1] = y[2] = 0, y[3] = y[35] = 0x1p-53; /* lanes 3 and 35 are combined first */
    IS_F64(WEFT_SUM, y, 128, 1 + 0x1p-52);
    double fused[65] = {-1 - 0x1p-29}, with[65] = {1};
    fused[64] = with[64] = 1 + 0x1p-30; /* its square is 1 + 2^-29 + 2^-60 */
    EXPECT(dot64(fused, with, 65) == 0x1p-60, "a product is rounded before it is added: %a", dot64(fused, with, 65));
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    nothing();
    negative_zeros();
    not_a_number();
    integers();
    closed_forms();
    norms();
    order();
    weft_close(ctx);
    return expect_end();
}
