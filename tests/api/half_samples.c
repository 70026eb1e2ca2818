/* Tests weft_random of f16 and bf16: samples are those of f32, rounded once, but uniform ones stay below b. Also
 * across the parts in which they are computed.
 *
 * Usage: api_half_samples DEVICE. */
#include "arith/halves.h"
#include "core/types.h"
#include "tests/expect.h"

#include <string.h>

enum { MOST = 600001, SEED = 5, STREAM = 7 };

static weft_context *ctx, *cpu;
static float single[MOST];
static uint16_t found[MOST];

static uint16_t rounded(weft_dtype dtype, float v) {
    return dtype == WEFT_F16 ? weft_round_f16(v) : weft_round_bf16(v);
}

static float value(weft_dtype dtype, uint16_t bits) {
    return dtype == WEFT_F16 ? weft_from_bits_f16(bits) : weft_from_bits_bf16(bits);
}

/* Returns the bits of the greatest finite number below b, by trying all of them. */
static uint16_t below(weft_dtype dtype, float b) {
    uint32_t best = 0;
    bool any = false;
    for (uint32_t bits = 0; bits < 1 << 16; bits++) {
        const float v = value(dtype, (uint16_t)bits);
        const bool better = !any || v > value(dtype, (uint16_t)best) ||
                            (v == 0 && value(dtype, (uint16_t)best) == 0 && bits < best); /* +0, not -0 */
        if (!(v < b) || v < -1e38F * 3.4F || !better) continue;
        best = bits;
        any = true;
    }
    return (uint16_t)best;
}

/* Compares n samples. a and b are values of the type. */
static void check(weft_distribution distribution, weft_dtype dtype, uint64_t first, size_t n, double a, double b) {
    const bool uniform = distribution == WEFT_UNIFORM;
    const uint16_t last = uniform ? below(dtype, (float)b) : 0;
    size_t different = 0, limited = 0;
    EXPECT_STATUS(cpu, weft_random(cpu, distribution, WEFT_F32, SEED, STREAM, first, n, a, b, single), WEFT_OK);
    memset(found, 0x5a, sizeof found);
    EXPECT_STATUS(ctx, weft_random(ctx, distribution, dtype, SEED, STREAM, first, n, a, b, found), WEFT_OK);
    for (size_t i = 0; i < n; i++) {
        uint16_t expected = rounded(dtype, single[i]);
        const bool exceeds = uniform && !(value(dtype, expected) < (float)b);
        if (exceeds) expected = last;
        limited += exceeds;
        different += found[i] != expected;
    }
    EXPECT(different == 0, "%s of %s from %llu: %zu of %zu samples differ", weft_distribution_name(distribution),
           weft_dtype_name(dtype), (unsigned long long)first, different, n);
    EXPECT(n == MOST || found[n] == 0x5a5a, "a sample too many was written");
    EXPECT(!uniform || n < 100000 || limited > 0, "no sample was rounded to b");
}

static void refused(weft_dtype dtype, double a, double b, const char *words) {
    EXPECT_ERROR(ctx, weft_random(ctx, WEFT_UNIFORM, dtype, 1, 0, 0, 3, a, b, found), WEFT_INVALID, words);
}

int main(int argc, char **argv) {
    static const weft_dtype types[] = {WEFT_F16, WEFT_BF16};
    const char *const device = argc > 1 ? argv[1] : "cpu";
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return expect_end();
    if (!EXPECT_STATUS(NULL, weft_open(&cpu, "cpu"), WEFT_OK)) return expect_end();
    for (size_t t = 0; t < 2; t++) {
        const weft_dtype dtype = types[t];
        check(WEFT_UNIFORM, dtype, 5, MOST, 0, 1);
        check(WEFT_UNIFORM, dtype, 0, 2000, -0.5, 0);
        check(WEFT_UNIFORM, dtype, 1, 2001, -3, -1);
        check(WEFT_UNIFORM, dtype, 1, 7, -1, 0x1p-24);
        check(WEFT_NORMAL, dtype, 3, 4001, 0.3, 2);
        check(WEFT_LOGNORMAL, dtype, 0, 4001, 8, 3); /* f16: some overflow to infinity */
        check(WEFT_EXPONENTIAL, dtype, 9, 4001, 0.01, 0);
        check(WEFT_NORMAL_FAST, dtype, 2, 4001, 0, 1);
        check(WEFT_LOGNORMAL_FAST, dtype, 0, 4001, 0, 1);
        EXPECT_STATUS(ctx, weft_random(ctx, WEFT_NORMAL, dtype, 1, 0, 0, 0, 0, 1, NULL), WEFT_OK);
        refused(dtype, 1, 1.0001, "is not less than b = 1.0001");
        refused(dtype, 0, 1e39, "both must be finite in");
    }
    refused(WEFT_F16, 0, 70000, "a = 0, b = 70000: both must be finite in f16");
    refused(WEFT_BF16, -3e38, 3e38, "b - a overflows in bf16");
    EXPECT_ERROR(ctx, weft_random(ctx, WEFT_BERNOULLI, WEFT_F16, 1, 0, 0, 3, 0.5, 0, found), WEFT_UNSUPPORTED,
                 "samples of bernoulli must have type u8, not f16");
    /* The parameters are rounded to the type first. */
    uint16_t other[2000];
    EXPECT_STATUS(ctx, weft_random(ctx, WEFT_UNIFORM, WEFT_F16, 1, 0, 0, 2000, 0.1, 0.3, other), WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_random(ctx, WEFT_UNIFORM, WEFT_F16, 1, 0, 0, 2000, (double)weft_from_bits_f16(0x2e66),
                              (double)weft_from_bits_f16(0x34cd), found),
                  WEFT_OK);
    EXPECT(memcmp(other, found, sizeof other) == 0, "0.1 and 0.3 are not rounded to f16");
    weft_close(cpu);
    weft_close(ctx);
    return expect_end();
}
