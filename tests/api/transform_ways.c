/* Tests that weft_fft returns the same bits in each way in which a CPU computes it: as a whole, and in two passes,
 * which several threads share (cpu_transform_way). Few arrays of weft verify are long enough for two passes. The
 * argument is the device's name. */
#include "tests/expect.h"
#include "tests/values.h"

enum { LEAST_LOG = 15, MOST_LOG = 17, THREADS = 7 };
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

int main(int argc, char **argv) {
    weft_context *ctx;
    if (!EXPECT(weft_open(&ctx, argc > 1 ? argv[1] : "cpu") == WEFT_OK, "%s", weft_last_error(NULL)))
        return expect_end();
    for (int log = LEAST_LOG; log <= MOST_LOG; log++)
        for (int kind = WEFT_C2C; kind <= WEFT_C2R; kind++) {
            compare(ctx, (weft_fft_kind)kind, WEFT_F32, (size_t)1 << log);
            compare(ctx, (weft_fft_kind)kind, WEFT_F64, (size_t)1 << log);
        }
    weft_close(ctx);
    return expect_end();
}
