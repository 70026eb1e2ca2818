/* Tests arguments that weft_random and weft_random_integers reject: the error messages, and that nothing was written.
 * The argument is the device's name. */
#include "tests/expect.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum { N = 100 };
static const unsigned char POISON = 0x5a;
static const uint64_t END = UINT64_C(1) << 63;
static weft_context *ctx;
static double out[N];

static void names(void) {
    EXPECT(strcmp(weft_distribution_name(WEFT_LOGNORMAL), "lognormal") == 0, "%s",
           weft_distribution_name(WEFT_LOGNORMAL));
    EXPECT(strcmp(weft_distribution_name((weft_distribution)7), "unknown") == 0, "%s",
           weft_distribution_name((weft_distribution)7));
}

static void distributions(void) {
#define REFUSED(status, distribution, dtype, first, n, a, b, out, words) \
    EXPECT_ERROR(ctx, weft_random(ctx, distribution, dtype, 1, 2, first, n, a, b, out), status, words)
    EXPECT_ERROR(NULL, weft_random(NULL, WEFT_UNIFORM, WEFT_F32, 1, 2, 0, N, 0, 1, out), WEFT_INVALID, "ctx is NULL");
    REFUSED(WEFT_INVALID, (weft_distribution)7, WEFT_F32, 0, N, 0, 1, out, "invalid distribution 7");
    REFUSED(WEFT_INVALID, (weft_distribution)-1, WEFT_F32, 0, N, 0, 1, out, "invalid distribution -1");
    REFUSED(WEFT_INVALID, WEFT_NORMAL, (weft_dtype)14, 0, N, 0, 1, out, "invalid dtype 14");
    REFUSED(WEFT_UNSUPPORTED, WEFT_NORMAL, WEFT_I32, 0, N, 0, 1, out,
            "samples of normal must have type f32, f64, f16 or bf16, not i32");
    REFUSED(WEFT_UNSUPPORTED, WEFT_BERNOULLI, WEFT_F32, 0, N, 0.5, 1, out,
            "samples of bernoulli must have type u8, not f32");
    REFUSED(WEFT_UNSUPPORTED, WEFT_NORMAL_FAST, WEFT_F64, 0, N, 0, 1, out,
            "samples of normal_fast must have type f32, f16 or bf16, not f64");
    REFUSED(WEFT_UNSUPPORTED, WEFT_LOGNORMAL_FAST, WEFT_U8, 0, N, 0, 1, out,
            "samples of lognormal_fast must have type f32, f16 or bf16, not u8");
    REFUSED(
        WEFT_INVALID, WEFT_UNIFORM, WEFT_F32, END + 1, 0, 0, 1, out,
        "first = 9223372036854775809, n = 0: the range exceeds the samples of a stream, 0 to 9223372036854775807");
    REFUSED(WEFT_INVALID, WEFT_UNIFORM, WEFT_F32, END - 5, 6, 0, 1, out, "first = 9223372036854775803, n = 6");
    REFUSED(WEFT_INVALID, WEFT_UNIFORM, WEFT_F32, UINT64_MAX, SIZE_MAX, 0, 1, out, "the samples of a stream");
    REFUSED(WEFT_INVALID, WEFT_UNIFORM, WEFT_F64, 0, N, 0, 1, NULL, "out is NULL");
    REFUSED(WEFT_INVALID, WEFT_UNIFORM, WEFT_F64, 0, N, 0, 1, (char *)out + 4, "out is at");
    REFUSED(WEFT_INVALID, WEFT_UNIFORM, WEFT_F64, 0, SIZE_MAX / 4, 0, 1, out, "do not fit in memory");
#undef REFUSED
}

static void parameters(void) {
#define REFUSED(distribution, dtype, a, b, words) \
    EXPECT_ERROR(ctx, weft_random(ctx, distribution, dtype, 1, 2, 0, N, a, b, out), WEFT_INVALID, words)
    REFUSED(WEFT_UNIFORM, WEFT_F64, NAN, 1, "a = nan, b = 1: both must be finite in f64");
    REFUSED(WEFT_UNIFORM, WEFT_F64, 0, INFINITY, "a = 0, b = inf: both must be finite");
    REFUSED(WEFT_UNIFORM, WEFT_F32, 0, 1e39, "both must be finite in f32");
    REFUSED(WEFT_UNIFORM, WEFT_F64, 2, 2, "a = 2 is not less than b = 2 in f64");
    REFUSED(WEFT_UNIFORM, WEFT_F32, 1, 1 + 1e-9, "a = 1 is not less than b = 1.0000000010000001 in f32");
    REFUSED(WEFT_UNIFORM, WEFT_F32, -3e38, 3e38, "b - a overflows in f32");
    REFUSED(WEFT_UNIFORM, WEFT_F64, -DBL_MAX, DBL_MAX, "b - a overflows in f64");
    REFUSED(WEFT_NORMAL, WEFT_F64, -INFINITY, 1, "normal: invalid mean a = -inf: it must be finite");
    REFUSED(WEFT_NORMAL, WEFT_F32, 0, -0.5,
            "normal: invalid standard deviation b = -0.5: it must be finite and 0 or greater");
    REFUSED(WEFT_LOGNORMAL, WEFT_F64, 0, NAN, "lognormal: invalid standard deviation b = nan");
    REFUSED(WEFT_NORMAL_FAST, WEFT_F32, 1e39, 1, "normal_fast: invalid mean a = 1e+39: it must be finite in f32");
    REFUSED(
        WEFT_LOGNORMAL_FAST, WEFT_F32, 0, 1e39,
        "lognormal_fast: invalid standard deviation b = 9.9999999999999994e+38: it must be finite in f32 and 0 or "
        "greater");
    REFUSED(WEFT_NORMAL_FAST, WEFT_F32, 0, -1, "normal_fast: invalid standard deviation b = -1");
    REFUSED(WEFT_EXPONENTIAL, WEFT_F64, 0, 1,
            "exponential: invalid rate a = 0: it must be finite and greater than 0");
    REFUSED(WEFT_EXPONENTIAL, WEFT_F64, INFINITY, 1, "exponential: invalid rate a = inf");
    REFUSED(WEFT_BERNOULLI, WEFT_U8, 1.5, 0, "bernoulli: invalid probability a = 1.5: it must be in [0, 1]");
    REFUSED(WEFT_BERNOULLI, WEFT_U8, -1e-300, 0, "bernoulli: invalid probability a = -");
    REFUSED(WEFT_BERNOULLI, WEFT_U8, NAN, 0, "bernoulli: invalid probability a = nan");
#undef REFUSED
}

static void integers(void) {
    const int32_t three = 3, seven = 7, minus = -1;
    const uint64_t large = UINT64_MAX;
    const uint64_t small = 1;
#define REFUSED(status, dtype, first, n, lower, upper, out, words) \
    EXPECT_ERROR(ctx, weft_random_integers(ctx, dtype, 1, 2, first, n, lower, upper, out), status, words)
    EXPECT_ERROR(NULL, weft_random_integers(NULL, WEFT_I32, 1, 2, 0, N, NULL, NULL, out), WEFT_INVALID,
                 "ctx is NULL");
    REFUSED(WEFT_INVALID, (weft_dtype)14, 0, N, NULL, NULL, out, "invalid dtype 14");
    REFUSED(WEFT_UNSUPPORTED, WEFT_F64, 0, N, NULL, NULL, out,
            "random integers must have type i32, i64, u32 or u64, not f64");
    REFUSED(WEFT_UNSUPPORTED, WEFT_U8, 0, N, NULL, NULL, out, "or u64, not u8");
    REFUSED(WEFT_INVALID, WEFT_I32, END, 1, NULL, NULL, out, "first = 9223372036854775808, n = 1");
    REFUSED(WEFT_INVALID, WEFT_I32, 0, N, &seven, &three, out, "lower = 7 is greater than upper = 3");
    REFUSED(WEFT_INVALID, WEFT_I32, 0, N, NULL, (const char *)&seven + 1, out, "upper is at");
    REFUSED(WEFT_INVALID, WEFT_U32, 0, N, &minus, &three, out, "lower = 4294967295 is greater than upper = 3");
    REFUSED(WEFT_INVALID, WEFT_I64, 0, N, &small, &large, out, "lower = 1 is greater than upper = -1");
    REFUSED(WEFT_INVALID, WEFT_U64, 0, N, &large, &small, out,
            "lower = 18446744073709551615 is greater than upper = 1");
    REFUSED(WEFT_INVALID, WEFT_U64, 0, N, NULL, NULL, NULL, "out is NULL");
#undef REFUSED
}

static void nothing_was_written(void) {
    const unsigned char *bytes = (const unsigned char *)out;
    for (size_t i = 0; i < sizeof out; i++) EXPECT(bytes[i] == POISON, "byte %zu was written", i);
}

/* Tests the end of a stream, and calls for no samples. */
static void allowed(void) {
    EXPECT_STATUS(ctx, weft_random(ctx, WEFT_UNIFORM, WEFT_F32, 1, 2, 0, 0, 0, 1, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_random(ctx, WEFT_UNIFORM, WEFT_F32, 1, 2, END, 0, 0, 1, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_random_integers(ctx, WEFT_U64, 1, 2, 0, 0, NULL, NULL, NULL), WEFT_OK);
    nothing_was_written();
    EXPECT_STATUS(ctx, weft_random(ctx, WEFT_NORMAL, WEFT_F64, 1, 2, END - N, N, 5, 0, out), WEFT_OK);
    for (size_t i = 0; i < N; i++) EXPECT(out[i] == 5, "without deviation: %g", out[i]);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "ref";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    memset(out, POISON, sizeof out);
    names();
    distributions();
    parameters();
    integers();
    nothing_was_written();
    allowed();
    weft_close(ctx);
    return expect_end();
}
