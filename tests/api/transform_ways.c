/* Tests that weft_fft returns the same bits in each way in which a CPU computes it: as a whole, and in two passes,
 * which several threads share (cpu_transform_way). Few arrays of weft verify are long enough for two passes. Short
 * transforms whose sums overflow are compared with the specification: the kernels in registers look for NaNs in half
 * of the results. The argument is the device's name. */
#include "tests/expect.h"
#include "tests/values.h"

#include <float.h>

enum { LEAST_LOG = 15, MOST_LOG = 17, THREADS = 7, SEEDS = 300 };
enum {
    MOST = 2 << MOST_LOG, /* reals of the longest array */
    SPARE = 2             /* reals that the complex side of R2C has more */
};

static double input[MOST + SPARE], whole[MOST + SPARE], shared[MOST + SPARE];

static void transform(weft_context *ctx, int threads, weft_fft_kind kind, weft_dtype dtype, size_t n, double *y) {
    memset(y, 0, sizeof whole);
    EXPECT_STATUS(ctx, weft_set_threads(ctx, threads), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, kind, dtype, 1, n, input, y), WEFT_OK);
}

/* n: complex values that are transformed; a real transform has 2 n values. */
static void compare(weft_context *ctx, weft_fft_kind kind, weft_dtype dtype, size_t n) {
    const bool real = kind == WEFT_R2C || kind == WEFT_C2R;
    store_values(dtype, 2 * n + (real ? SPARE : 0), 1, -1, 1, input);
    transform(ctx, 1, kind, dtype, real ? 2 * n : n, whole);
    transform(ctx, THREADS, kind, dtype, real ? 2 * n : n, shared);
    EXPECT(memcmp(whole, shared, sizeof whole) == 0, "kind %d of %zu values of type %s differs", (int)kind, n,
           dtype == WEFT_F32 ? "f32" : "f64");
}

/* Some results are Inf or NaN, mostly in few of the values: infinities arise in the last stages. */
static void compare_overflows(weft_context *ctx, weft_context *spec, weft_dtype dtype, size_t n) {
    const double most = (dtype == WEFT_F32 ? FLT_MAX : DBL_MAX) / (n == 16 ? 4 : 5.5);
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        store_values(dtype, 2 * n, seed, -most, most, input);
        EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, dtype, 1, n, input, whole), WEFT_OK);
        EXPECT_STATUS(spec, weft_fft(spec, WEFT_C2C, dtype, 1, n, input, shared), WEFT_OK);
        EXPECT(memcmp(whole, shared, 2 * n * (dtype == WEFT_F32 ? sizeof(float) : sizeof(double))) == 0,
               "%zu values of type %s, seed %d, differ", n, dtype == WEFT_F32 ? "f32" : "f64", (int)seed);
    }
}

int main(int argc, char **argv) {
    weft_context *ctx, *spec;
    if (!EXPECT(weft_open(&ctx, argc > 1 ? argv[1] : "cpu") == WEFT_OK, "%s", weft_last_error(NULL)) ||
        !EXPECT(weft_open(&spec, "ref") == WEFT_OK, "%s", weft_last_error(NULL)))
        return expect_end();
    for (int log = LEAST_LOG; log <= MOST_LOG; log++)
        for (int kind = WEFT_C2C; kind <= WEFT_C2R; kind++) {
            compare(ctx, (weft_fft_kind)kind, WEFT_F32, (size_t)1 << log);
            compare(ctx, (weft_fft_kind)kind, WEFT_F64, (size_t)1 << log);
        }
    for (size_t n = 16; n <= 32; n *= 2) {
        compare_overflows(ctx, spec, WEFT_F32, n);
        compare_overflows(ctx, spec, WEFT_F64, n);
    }
    weft_close(spec);
    weft_close(ctx);
    return expect_end();
}
