/* The caller's floating-point mode is neither used nor changed, on the calling thread and on those
 * that were started under another mode. Takes the device's name. */
#include "tests/expect.h"
#include "tests/inputs.h"

#include <fenv.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { N = 300007, ANSWERS = 13 };
static float x[N];
static double y[N], z[N]; /* z is what scan and tridiag write */

typedef struct answers {
    uint64_t bits[ANSWERS];
} answers;

static answers ask(weft_context *ctx) {
    static const weft_op ops[] = {WEFT_SUM, WEFT_MEAN, WEFT_NORM1, WEFT_NORM2};
    answers a = {{0}};
    int k = 0;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        EXPECT_STATUS(ctx, weft_reduce(ctx, ops[i], WEFT_F32, WEFT_DEFAULT, N, x, &a.bits[k++]), WEFT_OK);
        EXPECT_STATUS(ctx, weft_reduce(ctx, ops[i], WEFT_F64, WEFT_DEFAULT, N, y, &a.bits[k++]), WEFT_OK);
    }
    EXPECT_STATUS(ctx, weft_dot(ctx, WEFT_F64, WEFT_DEFAULT, N, y, y, &a.bits[k++]), WEFT_OK);
    EXPECT_STATUS(ctx, weft_variance(ctx, WEFT_F32, WEFT_DEFAULT, N, 1, x, &a.bits[k++]), WEFT_OK);
    EXPECT_STATUS(ctx, weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, N, x, NULL, z), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, N, z, &a.bits[k++]), WEFT_OK);
    EXPECT_STATUS(ctx, weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, N, y, NULL, z), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U64, WEFT_DEFAULT, N, z, &a.bits[k++]), WEFT_OK);
    const double off = -1, diagonal = 3;
    const weft_lines beside = {&off, 0, 0}, middle = {&diagonal, 0, 0};
    uint64_t singular;
    EXPECT_STATUS(ctx,
                  weft_tridiag(ctx, WEFT_F64, WEFT_OPEN_ENDS, 1, N, beside, middle, beside, (weft_lines){y, 1, N}, z,
                               &singular),
                  WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U64, WEFT_DEFAULT, N, z, &a.bits[k]), WEFT_OK);
    return a;
}

/* The mode of this thread as one number: rounding, and on x86 flushing of subnormals. */
static unsigned mode(void) {
    unsigned found = (unsigned)fegetround();
#if defined(__x86_64__)
    found |= (_mm_getcsr() & 0xffc0u) << 16;
#endif
    return found;
}

/* Whether subnormals are lost here. */
static bool flushes(void) {
    volatile double tiny = 0x1p-1022;
    return tiny / 2 == 0;
}

static void flush_subnormals(bool on) {
#if defined(__x86_64__)
    _mm_setcsr(on ? _mm_getcsr() | 0x8040u : _mm_getcsr() & ~0x8040u);
#else
    (void)on;
#endif
}

/* The program's own OpenMP threads, which weft takes over, have been left in a foreign mode. */
static void spoil_threads(void) {
#ifdef _OPENMP
#pragma omp parallel num_threads(7)
    {
        fesetround(FE_UPWARD);
        flush_subnormals(true);
    }
#endif
    fesetround(FE_TONEAREST);
    flush_subnormals(false);
}

static void check(weft_context *ctx, const answers *wanted, const char *what) {
    const unsigned before = mode();
    const answers found = ask(ctx);
    double out;
    EXPECT(mode() == before, "%s: the mode was 0x%x and is 0x%x", what, before, mode());
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, 1, NULL, &out), WEFT_INVALID);
    EXPECT(mode() == before, "%s: a failed call changed the mode from 0x%x to 0x%x", what, before, mode());
    for (int k = 0; k < ANSWERS; k++)
        EXPECT(found.bits[k] == wanted->bits[k], "%s: answer %d is 0x%llx, in the usual mode 0x%llx", what, k,
               (unsigned long long)found.bits[k], (unsigned long long)wanted->bits[k]);
}

int main(int argc, char **argv) {
    static const struct {
        int rounding;
        bool flush;
        const char *name;
    } modes[] = {{FE_UPWARD, false, "upward"},
                 {FE_DOWNWARD, false, "downward"},
                 {FE_TOWARDZERO, false, "toward zero"},
                 {FE_TONEAREST, true, "subnormals flushed"},
                 {FE_UPWARD, true, "upward, subnormals flushed"}};
    const char *device = argc > 1 ? argv[1] : "cpu";
    weft_context *ctx;
    EXPECT(!flushes() && fegetround() == FE_TONEAREST, "loading the library changed the mode to 0x%x", mode());
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    input_fill(INPUT_SUBNORMAL, WEFT_F32, 1, N, x);
    input_fill(INPUT_MIXED, WEFT_F64, 2, N, y);
    input_fill(INPUT_SUBNORMAL, WEFT_F64, 3, N / 2, y); /* flushed, the first tiles would be 0 */
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 1), WEFT_OK);
    const answers alone = ask(ctx);
    spoil_threads();
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 7), WEFT_OK);
    check(ctx, &alone, "threads in a foreign mode");
    for (int threads = 1; threads <= 5; threads += 2) {
        EXPECT_STATUS(ctx, weft_set_threads(ctx, threads), WEFT_OK);
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
            /* The first time round new threads start under a foreign mode. */
            fesetround(modes[i].rounding);
            flush_subnormals(modes[i].flush);
            const answers first = ask(ctx);
            fesetround(FE_TONEAREST);
            flush_subnormals(false);
            check(ctx, &first, "the usual mode");
            fesetround(modes[i].rounding);
            flush_subnormals(modes[i].flush);
            check(ctx, &first, modes[i].name);
            fesetround(FE_TONEAREST);
            flush_subnormals(false);
        }
    }
    weft_close(ctx);
    return expect_end();
}
