/* Tests random numbers: published words of Philox, every distribution as the inverse of its distribution function,
 * the least and the greatest words, integers without bias, parts of a stream, moments, and the Kolmogorov-Smirnov
 * test. All seeds are fixed, so the results do not vary between runs. */
#include "arith/samples.h"
#include "tests/oracle/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { N = 1 << 17, FEW = 4000 };
static weft_context *ctx;
static double reals[N];
static float shorts[N];
static uint32_t words[2 * N];
static uint64_t whole[N];
static uint8_t truths[N];

/* Returns elements of a distribution as f64, generated in the given type. */
static const double *draw(weft_distribution distribution, weft_dtype dtype, uint64_t seed, double a, double b) {
    void *const out = dtype == WEFT_F32 ? (void *)shorts : reals;
    EXPECT_STATUS(ctx, weft_random(ctx, distribution, dtype, seed, 3, 1, N, a, b, out), WEFT_OK);
    for (size_t i = 0; dtype == WEFT_F32 && i < N; i++) reals[i] = (double)shorts[i];
    return reals;
}

/* Draws the words that samples 1, 2, ... are made from. */
static void draw_words(weft_dtype dtype, uint64_t seed) {
    const bool is_long = dtype == WEFT_F64;
    const weft_dtype integers = is_long ? WEFT_U64 : WEFT_U32;
    EXPECT_STATUS(ctx, weft_random_integers(ctx, integers, seed, 3, 1, N, NULL, NULL, words), WEFT_OK);
}

/* ---------------------------------------------------------------------------------- words */

/* Checks Random123's result for a counter and a key of zeros, as 32-bit and as 64-bit integers. */
static void known_words(void) {
    static const uint32_t answer[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    uint32_t u32[4];
    uint64_t u64[2];
    int32_t i32[4];
    EXPECT_STATUS(ctx, weft_random_integers(ctx, WEFT_U32, 0, 0, 0, 4, NULL, NULL, u32), WEFT_OK);
    EXPECT_STATUS(ctx, weft_random_integers(ctx, WEFT_U64, 0, 0, 0, 2, NULL, NULL, u64), WEFT_OK);
    EXPECT_STATUS(ctx, weft_random_integers(ctx, WEFT_I32, 0, 0, 0, 4, NULL, NULL, i32), WEFT_OK);
    for (int i = 0; i < 4; i++) {
        EXPECT(u32[i] == answer[i], "word %d is 0x%08" PRIx32, i, u32[i]);
        EXPECT((uint32_t)(u64[i / 2] >> (i % 2 * 32)) == answer[i], "half %d of 0x%016" PRIx64, i, u64[i / 2]);
        EXPECT((uint32_t)i32[i] == answer[i] - UINT32_C(0x80000000), "%d: %" PRId32 " of all i32", i, i32[i]);
    }
}

/* Checks that the counter consists of the block's number and the stream, and that the key is the seed. */
static void counter_and_key(void) {
    const uint64_t seed = UINT64_C(0x299f31d0a4093822), stream = UINT64_C(0x0370734413198a2e);
    const uint64_t block = UINT64_C(0x123456789abcdef);
    const weft_philox_block wanted = weft_philox(block, stream, seed);
    uint32_t found[4];
    EXPECT_STATUS(ctx, weft_random_integers(ctx, WEFT_U32, seed, stream, 4 * block, 4, NULL, NULL, found), WEFT_OK);
    EXPECT(memcmp(found, wanted.v, sizeof found) == 0, "words of another counter or key");
}

/* --------------------------------------------------------------------------- distributions */

static double middle(weft_dtype dtype, size_t i) {
    return dtype == WEFT_F64 ? ((double)(weft_word_64(words + 2 * i) >> 12) + 0.5) / 0x1p52
                             : ((double)words[i] + 0.5) / 0x1p32;
}

/* Returns true if the quotient is within `units` of the type's epsilon of 1. */
static bool is_near(weft_dtype dtype, long double quotient, double units) {
    return fabsl(quotient - 1) <= (long double)units * (dtype == WEFT_F32 ? 0x1p-23L : 0x1p-52L);
}

/* Checks that the distribution function at the sample gives back p. Its relative error is that of the sample,
 * multiplied by the growth of the function there. */
static void inverses(weft_dtype dtype, uint64_t seed) {
    const double *x;
    draw_words(dtype, seed);
    x = draw(WEFT_NORMAL, dtype, seed, 0, 1);
    for (size_t i = 0; i < FEW; i++) {
        const double p = middle(dtype, i);
        const bool low = p < 0.5;
        const long double tail = erfcl((low ? -1 : 1) * (long double)x[i] / sqrtl(2)) / 2;
        EXPECT(is_near(dtype, tail / (low ? p : 1 - p), 3 + 3 * x[i] * x[i]), "normal at %.17g: %.17g", p, x[i]);
    }
    x = draw(WEFT_EXPONENTIAL, dtype, seed, 3, 0);
    for (size_t i = 0; i < FEW; i++) {
        const double p = middle(dtype, i);
        EXPECT(is_near(dtype, -logl(p) / 3 / x[i], 1.5), "exponential at %.17g: %.17g", p, x[i]);
    }
}

/* Checks mean and deviation, and the log-normal distribution. */
static void transformed(weft_dtype dtype, uint64_t seed) {
    static double z[FEW];
    memcpy(z, draw(WEFT_NORMAL, WEFT_F64, seed, 0, 1), sizeof z);
    if (dtype == WEFT_F32) {
        draw_words(dtype, seed);
        for (size_t i = 0; i < FEW; i++) z[i] = weft_probit_f64(middle(dtype, i));
    }
    const double *x = draw(WEFT_NORMAL, dtype, seed, 100, 15);
    for (size_t i = 0; i < FEW; i++)
        EXPECT(is_near(dtype, (100 + 15 * (long double)z[i]) / x[i], 2), "normal: %.17g of %.17g", x[i], z[i]);
    x = draw(WEFT_LOGNORMAL, dtype, seed, 0.5, 0.25);
    for (size_t i = 0; i < FEW; i++)
        EXPECT(is_near(dtype, expl(0.5L + 0.25L * z[i]) / x[i], 4), "lognormal: %.17g of %.17g", x[i], z[i]);
}

static void uniforms(weft_dtype dtype, uint64_t seed) {
    draw_words(dtype, seed);
    const double *x = draw(WEFT_UNIFORM, dtype, seed, 0, 1);
    for (size_t i = 0; i < FEW; i++) {
        const double u = dtype == WEFT_F64 ? (double)(weft_word_64(words + 2 * i) >> 11) / 0x1p53
                                           : (double)(words[i] >> 8) / 0x1p24;
        EXPECT(x[i] == u, "uniform: %.17g, wanted %.17g", x[i], u);
    }
    /* The bounds are adjacent numbers. Values between them round to either, but the upper bound must not occur. */
    const double upper = dtype == WEFT_F64 ? 1 + 0x1p-52 : 1 + 0x1p-23;
    x = draw(WEFT_UNIFORM, dtype, seed, 1, upper);
    for (size_t i = 0; i < N; i++)
        if (x[i] != 1) EXPECT(false, "uniform in [1, %.17g): %.17g", upper, x[i]);
    x = draw(WEFT_UNIFORM, dtype, seed, -0x1p-149, 0);
    for (size_t i = 0; i < FEW; i++) EXPECT(x[i] >= -0x1p-149 && x[i] < 0, "uniform below 0: %.17g", x[i]);
}

/* ----------------------------------------------------------------------------- extreme words */

static void extreme_words(void) {
    static const uint32_t least[2] = {0, 0}, most[2] = {UINT32_MAX, UINT32_MAX};
    const double p32 = weft_middle_f32(least), p64 = weft_middle_f64(least);
    EXPECT(weft_uniform_f32(least, -3, 5) == -3 && weft_uniform_f32(most, -3, 5) == 5 - 0x1p-21f, "uniform f32");
    EXPECT(weft_uniform_f64(least, -3, 5) == -3 && weft_uniform_f64(most, -3, 5) == 5 - 0x1p-50, "uniform f64");
    EXPECT(p32 == 0x1p-33 && weft_middle_f32(most) == 1 - p32, "middles of f32: %a, %a", p32, weft_middle_f32(most));
    EXPECT(p64 == 0x1p-53 && weft_middle_f64(most) == 1 - p64, "middles of f64: %a, %a", p64, weft_middle_f64(most));
    const double z = weft_normal(p64, 0, 1);
    EXPECT(z < -8.2 && z > -8.3 && weft_normal(1 - p64, 0, 1) == -z, "the farthest normal: %.17g", z);
    EXPECT(weft_normal(p32, 0, 1) < -6.2 && weft_normal(p32, 0, 1) > -6.4, "of f32: %.17g", weft_normal(p32, 0, 1));
    EXPECT(weft_lognormal(p64, 0, 1) > 0 && weft_lognormal(1 - p64, 0, 1) < 4000, "lognormal");
    EXPECT(weft_exponential(p64, 1) > 36.7 && weft_exponential(p64, 1) < 36.8, "the greatest exponential");
    EXPECT(weft_exponential(1 - p64, 1) >= 0x1p-53 && weft_exponential(1 - p32, 1) >= 0x1p-33, "and the least");
    EXPECT(weft_scaled_32(0, 5) >> 32 == 0 && weft_scaled_32(UINT32_MAX, 5) >> 32 == 5, "integers of 32 bits");
    EXPECT(weft_scaled_32(UINT32_MAX, UINT32_MAX) == (uint64_t)UINT32_MAX << 32, "all of them");
    EXPECT(weft_scaled_64(0, 5).high == 0 && weft_scaled_64(UINT64_MAX, 5).high == 5, "integers of 64 bits");
    const weft_scaled all = weft_scaled_64(UINT64_MAX, UINT64_MAX);
    EXPECT(all.high == UINT64_MAX && all.low == 0, "all of them");
    const weft_chance never = weft_chance_of(0), always = weft_chance_of(1);
    EXPECT(never.whole == 0 && !weft_bernoulli_tie(&never, 1, 2, 3), "probability 0");
    EXPECT(always.whole == UINT32_MAX && weft_bernoulli_tie(&always, 1, 2, 3), "probability 1");
}

/* -------------------------------------------------------------------------------- integers */

/* Returns true if `count` of N is within 4.5 standard deviations of the expectation for probability p. */
static bool is_likely(size_t count, double p) { return fabs((double)count - N * p) <= 4.5 * sqrt(N * p * (1 - p)); }

/* Checks 3 * 2^30 values of 32 bits and 3 * 2^62 of 64. A multiplication alone would give every third value twice as
 * often as the others. */
static void unbiased(void) {
    const uint32_t last_32 = (UINT32_C(3) << 30) - 1, zero_32 = 0;
    const uint64_t last_64 = (UINT64_C(3) << 62) - 1, zero_64 = 0;
    size_t short_counts[3] = {0}, long_counts[3] = {0};
    EXPECT_STATUS(ctx, weft_random_integers(ctx, WEFT_U32, 5, 0, 0, N, &zero_32, &last_32, words), WEFT_OK);
    EXPECT_STATUS(ctx, weft_random_integers(ctx, WEFT_U64, 5, 0, 0, N, &zero_64, &last_64, whole), WEFT_OK);
    for (size_t i = 0; i < N; i++) {
        EXPECT(words[i] <= last_32 && whole[i] <= last_64, "sample %zu is outside", i);
        short_counts[words[i] % 3]++;
        long_counts[whole[i] % 3]++;
    }
    for (int r = 0; r < 3; r++) {
        EXPECT(is_likely(short_counts[r], 1.0 / 3), "32 bits, remainder %d: %zu of %d", r, short_counts[r], N);
        EXPECT(is_likely(long_counts[r], 1.0 / 3), "64 bits, remainder %d: %zu of %d", r, long_counts[r], N);
    }
}

static void dice(void) {
    const int64_t lower = -2, upper = 3, only = INT64_MIN;
    const int64_t *const x = (const int64_t *)whole;
    size_t counts[6] = {0};
    EXPECT_STATUS(ctx, weft_random_integers(ctx, WEFT_I64, 9, 0, 0, N, &lower, &upper, whole), WEFT_OK);
    for (size_t i = 0; i < N; i++)
        if (EXPECT(x[i] >= lower && x[i] <= upper, "a die shows %" PRId64, x[i])) counts[x[i] - lower]++;
    for (int v = 0; v < 6; v++) EXPECT(is_likely(counts[v], 1.0 / 6), "face %d: %zu of %d", v, counts[v], N);
    EXPECT_STATUS(ctx, weft_random_integers(ctx, WEFT_I64, 9, 0, 0, FEW, &only, &only, whole), WEFT_OK);
    for (size_t i = 0; i < FEW; i++) EXPECT(x[i] == only, "of one value: %" PRId64, x[i]);
}

static void bernoulli(void) {
    static const double chances[] = {0.5, 0.3, 0.001, 0, 1};
    for (size_t k = 0; k < sizeof chances / sizeof *chances; k++) {
        size_t count = 0;
        EXPECT_STATUS(ctx, weft_random(ctx, WEFT_BERNOULLI, WEFT_U8, k, 0, 0, N, chances[k], 0, truths), WEFT_OK);
        for (size_t i = 0; i < N; i++) count += EXPECT(truths[i] <= 1, "%d", truths[i]) && truths[i];
        EXPECT(is_likely(count, chances[k]), "probability %g: %zu of %d", chances[k], count, N);
    }
}

/* Checks probabilities at a sample's word in units of 2^-32. A probability between two words is not decided by that
 * word alone. */
static void ties(void) {
    enum { TIES = 2000 };
    size_t count = 0;
    EXPECT_STATUS(ctx, weft_random_integers(ctx, WEFT_U32, 4, 0, 0, TIES, NULL, NULL, words), WEFT_OK);
    for (size_t i = 0; i < TIES; i++) {
        const double units[] = {words[i], words[i] + 1.0, words[i] + 0.25};
        for (int k = 0; k < 3; k++)
            EXPECT_STATUS(ctx,
                          weft_random(ctx, WEFT_BERNOULLI, WEFT_U8, 4, 0, i, 1, units[k] * 0x1p-32, 0, &truths[k]),
                          WEFT_OK);
        EXPECT(truths[0] == 0 && truths[1] == 1, "sample %zu at its border: %d, %d", i, truths[0], truths[1]);
        count += truths[2];
    }
    EXPECT(fabs((double)count - TIES * 0.25) < 4.5 * sqrt(TIES * 0.1875), "a quarter of %d ties: %zu", TIES, count);
}

/* ------------------------------------------------------------------------ parts of a stream */

static void make(int kind, uint64_t first, size_t n, void *out) {
    const uint32_t lower = 0, upper = UINT32_C(3) << 30;
    weft_status status;
    if (kind < WEFT_BERNOULLI)
        status = weft_random(ctx, (weft_distribution)kind, WEFT_F32, 8, 1, first, n, 1, 2, out);
    else if (kind < 2 * WEFT_BERNOULLI)
        status = weft_random(ctx, (weft_distribution)(kind - WEFT_BERNOULLI), WEFT_F64, 8, 1, first, n, 1, 2, out);
    else if (kind == 2 * WEFT_BERNOULLI)
        status = weft_random(ctx, WEFT_BERNOULLI, WEFT_U8, 8, 1, first, n, 0.5, 0, out);
    else
        status = weft_random_integers(ctx, WEFT_U32, 8, 1, first, n, &lower, &upper, out);
    EXPECT(status == WEFT_OK, "kind %d: %s", kind, weft_last_error(ctx));
}

static void parts(void) {
    enum { ALL = 70001 };
    static char in_one[ALL * 8], in_parts[ALL * 8];
    static const size_t lengths[] = {1, 2, 3, 4, 5, 7, 1023, 1025, 9999};
    for (int kind = 0; kind < 2 * WEFT_BERNOULLI + 2; kind++) {
        const size_t size = kind == 2 * WEFT_BERNOULLI                            ? 1
                            : kind >= WEFT_BERNOULLI && kind < 2 * WEFT_BERNOULLI ? 8
                                                                                  : 4;
        const uint64_t first = (UINT64_C(1) << 34) - 35000;
        make(kind, first, ALL, in_one);
        size_t from = 0;
        for (size_t part = 0; from < ALL; part++) {
            const size_t wanted = lengths[part % 9], n = ALL - from < wanted ? ALL - from : wanted;
            make(kind, first + from, n, in_parts + from * size);
            from += n;
        }
        EXPECT(memcmp(in_one, in_parts, ALL * size) == 0, "kind %d differs in parts", kind);
    }
}

/* ------------------------------------------------------------------------------ statistics */

static int rising(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double uniform_function(double x) { return x; }
static double normal_function(double x) { return erfc(-x / sqrt(2)) / 2; }
static double lognormal_function(double x) { return normal_function(log(x)); }
static double exponential_function(double x) { return -expm1(-x); }

/* Checks the greatest distance from the distribution function, times sqrt(N). It exceeds 1.95 in one of a thousand
 * cases and 0.44 in all but one. */
static void kolmogorov_smirnov(weft_distribution distribution, weft_dtype dtype, double (*function)(double)) {
    double distance = 0;
    draw(distribution, dtype, 17, distribution == WEFT_EXPONENTIAL, 1);
    qsort(reals, N, sizeof *reals, rising);
    for (size_t i = 0; i < N; i++) {
        const double f = function(reals[i]);
        distance = fmax(distance, fmax(f - (double)i / N, (double)(i + 1) / N - f));
    }
    EXPECT(distance * sqrt(N) > 0.44 && distance * sqrt(N) < 1.95, "%s %s: Kolmogorov-Smirnov distance %g / sqrt(n)",
           weft_distribution_name(distribution), weft_dtype_name(dtype), distance * sqrt(N));
}

/* Checks that the raw moments 1 to 4 are each within 4.5 standard deviations of their expectation. */
static void moments(weft_distribution distribution, weft_dtype dtype, const double exact[8]) {
    const double *x = draw(distribution, dtype, 23, distribution == WEFT_EXPONENTIAL, 1);
    for (int k = 1; k <= 4; k++) {
        double sum = 0;
        for (size_t i = 0; i < N; i++) sum += pow(x[i], k);
        const double deviation = sqrt((exact[2 * k - 1] - exact[k - 1] * exact[k - 1]) / N);
        EXPECT(fabs(sum / N - exact[k - 1]) < 4.5 * deviation, "%s %s: moment %d is %.8g, not %.8g +- %.2g",
               weft_distribution_name(distribution), weft_dtype_name(dtype), k, sum / N, exact[k - 1], deviation);
    }
}

static void statistics(weft_dtype dtype) {
    static const double uniform[8] = {1 / 2.0, 1 / 3.0, 1 / 4.0, 1 / 5.0, 1 / 6.0, 1 / 7.0, 1 / 8.0, 1 / 9.0};
    static const double normal[8] = {0, 1, 0, 3, 0, 15, 0, 105};
    static const double exponential[8] = {1, 2, 6, 24, 120, 720, 5040, 40320};
    kolmogorov_smirnov(WEFT_UNIFORM, dtype, uniform_function);
    kolmogorov_smirnov(WEFT_NORMAL, dtype, normal_function);
    kolmogorov_smirnov(WEFT_LOGNORMAL, dtype, lognormal_function);
    kolmogorov_smirnov(WEFT_EXPONENTIAL, dtype, exponential_function);
    moments(WEFT_UNIFORM, dtype, uniform);
    moments(WEFT_NORMAL, dtype, normal);
    moments(WEFT_EXPONENTIAL, dtype, exponential);
}

/* Checks that two streams, or two seeds, are independent: the correlation of uniform numbers is within statistical
 * limits. */
static void independent(uint64_t seed, uint64_t stream) {
    static double other[N];
    double sum = 0;
    EXPECT_STATUS(ctx, weft_random(ctx, WEFT_UNIFORM, WEFT_F64, 0, 0, 0, N, -1, 1, reals), WEFT_OK);
    EXPECT_STATUS(ctx, weft_random(ctx, WEFT_UNIFORM, WEFT_F64, seed, stream, 0, N, -1, 1, other), WEFT_OK);
    for (size_t i = 0; i < N; i++) sum += reals[i] * other[i];
    EXPECT(fabs(sum) < 4.5 * sqrt(N) / 3, "seed %" PRIu64 ", stream %" PRIu64 ": correlation %g", seed, stream,
           3 * sum / N);
}

int main(int argc, char **argv) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64};
    ctx = oracle_open(argc, argv);
    known_words();
    counter_and_key();
    extreme_words();
    for (int t = 0; t < 2; t++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            inverses(types[t], seed);
            transformed(types[t], seed);
            uniforms(types[t], seed);
        }
        statistics(types[t]);
    }
    unbiased();
    dice();
    bernoulli();
    ties();
    parts();
    independent(1, 0);
    independent(0, 1);
    independent(UINT64_C(1) << 63, 0);
    weft_close(ctx);
    return expect_end();
}
