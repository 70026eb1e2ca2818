/* Tests that the caller's floating-point mode is neither used nor changed, on the calling thread and on threads that
 * were started under another mode. The argument is the device's name. */
#include "tests/expect.h"
#include "verify/inputs.h"

#include <fenv.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { N = 300007, N_REF = 20011, ANSWERS = 40 };
static size_t n = N; /* number of elements; N_REF for the specification, which has one thread */
static float x[N];
static double y[N], z[N]; /* z is the output of operations */
static uint8_t heads[N];

typedef struct answers {
    uint64_t bits[ANSWERS];
} answers;

/* Edge of the matrices, large enough for several threads. Products of one half and subnormals would be flushed to 0
 * in flushing mode. */
enum { SIDE = 70 };
static weft_status multiply(weft_context *ctx, weft_dtype dtype, const void *from) {
    const double half = 0.5, other = 1.5;
    const float half32 = 0.5f, other32 = 1.5f;
    memset(z, 0, sizeof z);
    input_fill(INPUT_SUBNORMAL, dtype, 9, SIDE * SIDE, z);
    return weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_TRANSPOSE, dtype, WEFT_DEFAULT, SIDE, SIDE, SIDE,
                       dtype == WEFT_F32 ? (const void *)&half32 : &half, from, SIDE, from, SIDE,
                       dtype == WEFT_F32 ? (const void *)&other32 : &other, z, SIDE);
}

/* Evaluates a formula: its values to z, and their sum. */
static void evaluate(weft_context *ctx, const char *formula, weft_dtype dtype, const void *elements, uint64_t *sum) {
    const weft_binding binding = {"x", dtype, elements, NULL};
    weft_expr *expr = NULL;
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, formula, &expr), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map(ctx, expr, dtype, n, &binding, 1, z), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map_reduce(ctx, WEFT_SUM, expr, dtype, WEFT_DEFAULT, n, &binding, 1, sum), WEFT_OK);
    weft_expr_free(expr);
}

static answers ask(weft_context *ctx) {
    static const weft_op ops[] = {WEFT_SUM, WEFT_MEAN, WEFT_NORM1, WEFT_NORM2};
    answers a = {{0}};
    int k = 0;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        EXPECT_STATUS(ctx, weft_reduce(ctx, ops[i], WEFT_F32, WEFT_DEFAULT, n, x, &a.bits[k++]), WEFT_OK);
        EXPECT_STATUS(ctx, weft_reduce(ctx, ops[i], WEFT_F64, WEFT_DEFAULT, n, y, &a.bits[k++]), WEFT_OK);
    }
    EXPECT_STATUS(ctx, weft_dot(ctx, WEFT_F64, WEFT_DEFAULT, n, y, y, &a.bits[k++]), WEFT_OK);
    EXPECT_STATUS(ctx, weft_variance(ctx, WEFT_F32, WEFT_DEFAULT, n, 1, x, &a.bits[k++]), WEFT_OK);
    EXPECT_STATUS(ctx, weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, n, x, NULL, z), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, n, z, &a.bits[k++]), WEFT_OK);
    EXPECT_STATUS(ctx, weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, n, y, NULL, z), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U64, WEFT_DEFAULT, n, z, &a.bits[k++]), WEFT_OK);
    const double off = -1, diagonal = 3;
    const weft_lines off_diagonal = {&off, 0, 0}, middle = {&diagonal, 0, 0};
    uint64_t singular;
    EXPECT_STATUS(ctx,
                  weft_tridiag(ctx, WEFT_OPEN_ENDS, WEFT_F64, 1, n, off_diagonal, middle, off_diagonal,
                               (weft_lines){y, 1, n}, z, &singular),
                  WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U64, WEFT_DEFAULT, n, z, &a.bits[k++]), WEFT_OK);
    EXPECT_STATUS(ctx, multiply(ctx, WEFT_F32, x), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, SIDE * SIDE, z, &a.bits[k++]), WEFT_OK);
    EXPECT_STATUS(ctx, multiply(ctx, WEFT_F64, y + n / 2), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U64, WEFT_DEFAULT, SIDE * SIDE, z, &a.bits[k++]), WEFT_OK);
    EXPECT_STATUS(ctx, weft_recurrence(ctx, WEFT_FORWARD, WEFT_F32, 1, n, x, x, NULL, z), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, n, z, &a.bits[k++]), WEFT_OK);
    EXPECT_STATUS(ctx, weft_recurrence(ctx, WEFT_REVERSE, WEFT_F64, 1, n, y, y, NULL, z), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U64, WEFT_DEFAULT, n, z, &a.bits[k++]), WEFT_OK);
    for (size_t i = 0; i < n; i++) heads[i] = i % 97 == 0 || i % 4111 == 0;
    EXPECT_STATUS(ctx,
                  weft_segmented_reduce_heads(ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, n, y, heads, z, &a.bits[k++]),
                  WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_segmented_scan_heads(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, n, y, heads, z),
                  WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U64, WEFT_DEFAULT, n, z, &a.bits[k++]), WEFT_OK);
    /* A subnormal must not be treated as 0, whatever mode the caller has set. */
    const double zero = 0;
    EXPECT_STATUS(ctx, weft_select_if(ctx, WEFT_GT, WEFT_F64, n, y, &zero, z, &a.bits[k++]), WEFT_OK);
    EXPECT_STATUS(ctx, weft_unique(ctx, WEFT_F64, n, y, z, &a.bits[k++]), WEFT_OK);
    const float lower = -0x1p-127f, upper = 0x1p-127f; /* subnormal, like the elements of x */
    uint64_t counts[77];
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, WEFT_F32, n, x, 77, &lower, &upper, counts), WEFT_OK);
    for (int i = 0; i < 77; i++) a.bits[k] = a.bits[k] * 31 + counts[i];
    k++;
    for (int d = WEFT_UNIFORM; d <= WEFT_EXPONENTIAL; d++) {
        const double a_of_d = d == WEFT_EXPONENTIAL ? 0x1p1023 : d == WEFT_LOGNORMAL ? -740 : 0.1;
        EXPECT_STATUS(ctx, weft_random(ctx, (weft_distribution)d, WEFT_F64, 1, 2, 3, n, a_of_d, 1, z), WEFT_OK);
        EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U64, WEFT_DEFAULT, n, z, &a.bits[k++]), WEFT_OK);
    }
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, WEFT_F64, 1, 1 << 17, y, z), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U64, WEFT_DEFAULT, 1 << 18, z, &a.bits[k++]), WEFT_OK);
    for (size_t taps = 11; taps <= 511; taps += 250) {
        EXPECT_STATUS(ctx, weft_convolve(ctx, WEFT_SAME, WEFT_F32, WEFT_REAL, n, x, taps, x, z), WEFT_OK);
        EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, n, z, &a.bits[k++]), WEFT_OK);
    }
    evaluate(ctx, "x*0.3 + x^3/7", WEFT_F32, x, &a.bits[k++]);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, n, z, &a.bits[k++]), WEFT_OK);
    evaluate(ctx, "exp(x)/3 + (x != 0)", WEFT_F64, y, &a.bits[k++]);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_XOR, WEFT_U64, WEFT_DEFAULT, n, z, &a.bits[k++]), WEFT_OK);
    return a;
}

/* Returns the mode of this thread as one number: rounding and, on x86, flushing of subnormals. */
static unsigned mode(void) {
    unsigned found = (unsigned)fegetround();
#if defined(__x86_64__)
    found |= (_mm_getcsr() & 0xffc0u) << 16;
#endif
    return found;
}

/* Returns true if this thread flushes subnormals to 0. */
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
    if (strcmp(device, "ref") == 0) n = N_REF;
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    input_fill(INPUT_SUBNORMAL, WEFT_F32, 1, n, x);
    input_fill(INPUT_MIXED, WEFT_F64, 2, n, y);
    input_fill(INPUT_SUBNORMAL, WEFT_F64, 3, n / 2, y); /* if subnormals were flushed, the first tiles would be 0 */
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 1), WEFT_OK);
    const answers alone = ask(ctx);
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 7), WEFT_OK);
    check(ctx, &alone, "threads in a foreign mode");
    for (int threads = 1; threads <= 5; threads += 2) {
        EXPECT_STATUS(ctx, weft_set_threads(ctx, threads), WEFT_OK);
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
            /* In the first iteration, new threads are started under another mode. */
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
