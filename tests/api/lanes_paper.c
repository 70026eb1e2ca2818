/* Tests weft_reduce_lanes with the examples of WG21 P4016R0 and the reference values of its demonstrators (README.md,
 * demonstrators/sg14, appendix K), and the arguments that it rejects. The argument is the device's name. */
#include "tests/expect.h"

#include <stdint.h>

enum { GOLDEN_N = 1000000 };
static weft_context *ctx;

static double sum(size_t n, size_t lanes, const double *x) {
    double total = -1;
    EXPECT_STATUS(ctx, weft_reduce_lanes(ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, n, lanes, x, &total), WEFT_OK);
    return total;
}

static uint64_t bits_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Writes the data set of the demonstrators: the upper 53 bits of D. Knuth's generator MMIX, as numbers of [-1, 1). */
static void fill_golden(double *x) {
    uint64_t state = UINT64_C(0x243F6A8885A308D3);
    for (size_t i = 0; i < GOLDEN_N; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = ((double)(state >> 11) - 0x1p52) * 0x1p-52;
    }
}

static void golden_values(void) {
    static const uint64_t first[] = {UINT64_C(0x3fd37de3b20e9fdc), UINT64_C(0xbfd2e1595e76077c),
                                     UINT64_C(0xbfd5c999955b530c), UINT64_C(0xbfe6be1806d7224e),
                                     UINT64_C(0x3fef95133e17376e)};
    static double x[GOLDEN_N + 1];
    for (size_t offset = 0; offset < 2; offset++) { /* the alignment has no effect */
        fill_golden(x + offset);
        for (size_t i = 0; i < sizeof first / sizeof *first; i++)
            EXPECT(bits_of(x[offset + i]) == first[i], "element %zu is %a", i, x[offset + i]);
        EXPECT(bits_of(sum(GOLDEN_N, 16, x + offset)) == UINT64_C(0x40618f71f6379380), "16 lanes");
        EXPECT(bits_of(sum(GOLDEN_N, 128, x + offset)) == UINT64_C(0x40618f71f6379397), "128 lanes");
    }
}

/* Checks the example of 1.2 for one to six lanes, and that of K.3.1, 1000 times the same four values. */
static void cancellation(void) {
    enum { TIMES = 1000 };
    static const double x[] = {1e16, 1, 1, -1e16, 1, 1}, sums[] = {2, 0, 4, 2, 1, 2};
    static const double four[] = {1e16, 1, -1e16, 1};
    static double many[4 * TIMES];
    for (size_t lanes = 1; lanes <= 6; lanes++)
        EXPECT(sum(6, lanes, x) == sums[lanes - 1], "%zu lanes: %g", lanes, sum(6, lanes, x));
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) many[i] = four[i % 4];
    EXPECT(sum(4 * TIMES, 1, many) == 0, "1 lane: %g", sum(4 * TIMES, 1, many));
    EXPECT(sum(4 * TIMES, 2, many) == 2 * TIMES, "2 lanes: %g", sum(4 * TIMES, 2, many));
}

/* Checks that an absent operand is not a zero: x + 0 would lose the sign of -0, and -0 is the identity of a sum. */
static void absence(void) {
    double x[7], product = -1;
    for (size_t i = 0; i < 7; i++) x[i] = -0.0;
    for (size_t lanes = 1; lanes <= 1024; lanes *= 2)
        for (size_t n = 1; n <= 7; n++)
            EXPECT(bits_of(sum(n, lanes, x)) == bits_of(-0.0), "n = %zu, %zu lanes", n, lanes);
    x[0] = 5e-324;
    EXPECT_STATUS(ctx, weft_reduce_lanes(ctx, WEFT_PROD, WEFT_F64, WEFT_DEFAULT, 1, 4, x, &product), WEFT_OK);
    EXPECT(product == 5e-324, "a product of one element is %a", product);
}

static void empty(void) {
    const double none = 0;
    float narrow = -1;
    double wide = -1;
    EXPECT(bits_of(sum(0, 16, NULL)) == 0, "an empty sum");
    EXPECT(bits_of(sum(0, 16, &none)) == 0, "an empty sum");
    EXPECT_STATUS(ctx, weft_reduce_lanes(ctx, WEFT_PROD, WEFT_F32, WEFT_DEFAULT, 0, 16, NULL, &narrow), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce_lanes(ctx, WEFT_PROD, WEFT_F32, WEFT_F64, 0, 16, NULL, &wide), WEFT_OK);
    EXPECT(narrow == 1 && wide == 1, "empty products: %g, %g", (double)narrow, wide);
}

static void types(void) {
    const uint64_t nan = UINT64_C(0x7ff8000000000000);
    const float x[] = {0x1p24f, 1, 1, 1};
    const double payload[] = {1, from_bits(UINT64_C(0xfff4000000000123)), 2};
    float narrow = -1;
    double wide = -1;
    EXPECT_STATUS(ctx, weft_reduce_lanes(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 4, 1, x, &narrow), WEFT_OK);
    EXPECT(narrow == 0x1p24f + 2, "accumulated in f32: %a", (double)narrow);
    EXPECT_STATUS(ctx, weft_reduce_lanes(ctx, WEFT_SUM, WEFT_F32, WEFT_F64, 4, 1, x, &wide), WEFT_OK);
    EXPECT(wide == 0x1p24 + 3, "accumulated in f64: %a", wide);
    EXPECT(bits_of(sum(3, 2, payload)) == nan, "a NaN is not canonical: %a", sum(3, 2, payload));
}

static void refused(void) {
    const double x[3] = {1, 2, 3};
    double out = 7;
#define REFUSED(status, op, dtype, accumulate, n, lanes, x, out, words) \
    EXPECT_ERROR(ctx, weft_reduce_lanes(ctx, op, dtype, accumulate, n, lanes, x, out), status, words)
    EXPECT_ERROR(NULL, weft_reduce_lanes(NULL, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, 3, 16, x, &out), WEFT_INVALID,
                 "ctx is NULL");
    REFUSED(WEFT_INVALID, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, 3, 0, x, &out,
            "invalid number of lanes 0: expected 1 to 1024");
    REFUSED(WEFT_INVALID, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, 0, 1025, x, &out,
            "invalid number of lanes 1025: expected 1 to 1024");
    REFUSED(WEFT_UNSUPPORTED, WEFT_MAX, WEFT_F64, WEFT_DEFAULT, 3, 16, x, &out,
            "max by lanes is not defined: expected sum or prod");
    REFUSED(WEFT_UNSUPPORTED, WEFT_MEAN, WEFT_F64, WEFT_DEFAULT, 3, 16, x, &out,
            "mean by lanes is not defined: expected sum or prod");
    REFUSED(WEFT_INVALID, (weft_op)16, WEFT_F64, WEFT_DEFAULT, 3, 16, x, &out, "invalid op 16");
    REFUSED(WEFT_INVALID, WEFT_SUM, (weft_dtype)17, WEFT_DEFAULT, 3, 16, x, &out, "invalid dtype 17");
    REFUSED(WEFT_UNSUPPORTED, WEFT_SUM, WEFT_I32, WEFT_DEFAULT, 1, 16, x, &out,
            "requires f32 or f64 elements, not i32");
    REFUSED(WEFT_UNSUPPORTED, WEFT_SUM, WEFT_F16, WEFT_DEFAULT, 1, 16, x, &out,
            "requires f32 or f64 elements, not f16");
    REFUSED(WEFT_UNSUPPORTED, WEFT_SUM, WEFT_F64, WEFT_EXACT_SUM, 3, 16, x, &out, "cannot accumulate");
    REFUSED(WEFT_UNSUPPORTED, WEFT_SUM, WEFT_F64, WEFT_F32, 3, 16, x, &out, "cannot accumulate in f32");
    REFUSED(WEFT_INVALID, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, 3, 16, NULL, &out, "x is NULL");
    REFUSED(WEFT_INVALID, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, 3, 16, x, NULL, "out is NULL");
    REFUSED(WEFT_INVALID, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, 3, 16, (const char *)x + 4, &out, "x");
    REFUSED(WEFT_INVALID, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, 3, 16, x, (double *)x + 2, "overlap");
    EXPECT(out == 7, "a refused call wrote %g", out);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    golden_values();
    cancellation();
    absence();
    empty();
    types();
    refused();
    weft_close(ctx);
    return expect_end();
}
