/* Tests normal_fast and lognormal_fast: published words of Philox4x32-7, Box and Muller's method in long double on
 * the same words, exponentials, parts of a stream, moments, tails and independence. All seeds are fixed, so the
 * results do not vary between runs. */
#include "arith/fast_normals.h"
#include "arith/philox.h"
#include "tests/oracle/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { N = 1 << 20, BINS = 256 };
static weft_context *ctx;
static float x[N], y[N];

static void draw(weft_distribution distribution, uint64_t seed, uint64_t first, size_t n, double a, double b,
                 float *out) {
    EXPECT_STATUS(ctx, weft_random(ctx, distribution, WEFT_F32, seed, 3, first, n, a, b, out), WEFT_OK);
}

/* ---------------------------------------------------------------------------------- words */

/* Checks Random123's results for 7 rounds: counter, key, block. */
static void known_words(void) {
    static const uint32_t known[][10] = {{0, 0, 0, 0, 0, 0, 0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48},
                                         {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
                                          0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662},
                                         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
                                          0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}};
    for (int i = 0; i < 3; i++) {
        const uint32_t *k = known[i];
        const weft_philox_block b =
            weft_philox_of(7, (uint64_t)k[1] << 32 | k[0], (uint64_t)k[3] << 32 | k[2], (uint64_t)k[5] << 32 | k[4]);
        EXPECT(memcmp(b.v, k + 6, sizeof b.v) == 0, "words of 7 rounds, %d: %08" PRIx32, i, b.v[0]);
    }
}

/* ------------------------------------------------------------------------------- accuracy */

/* Returns the two normals of a pair of words in long double. u and the fraction of a quarter turn are those of f32.
 */
static void exact_pair(uint32_t v, uint32_t w, long double z[2]) {
    const long double u = (long double)fmaf((float)v, 0x1.fffffep-33f, 0x1p-33f);
    const int64_t low = w & 0x3fffffff, fraction = low < 1 << 29 ? low : low - (1 << 30);
    const long double turn = (long double)fmaf((float)fraction, 0x1p-30f, 0x1p-31f) * (acosl(-1) / 2);
    const long double r = sqrtl(-2 * logl(u)) * (w >> 31 ? -1 : 1);
    const bool exchanged = w >> 30 & 1;
    z[exchanged] = r * cosl(turn);
    z[!exchanged] = r * sinl(turn);
}

/* Checks that normals have a relative error of less than 2^-22, and that they are made of the words as specified. */
static void accurate(uint64_t seed) {
    const uint64_t block = (UINT64_C(1) << 32) - 1000;
    double worst = 0;
    draw(WEFT_NORMAL_FAST, seed, 4 * block, N / 4, 0, 1, x);
    for (size_t i = 0; i < N / 4; i += 2) {
        long double z[2];
        const weft_philox_block b = weft_philox_of(7, block + i / 4, 3, seed);
        exact_pair(b.v[i % 4], b.v[i % 4 + 1], z);
        for (int j = 0; j < 2; j++) worst = fmax(worst, (double)fabsl((long double)x[i + j] / z[j] - 1));
    }
    EXPECT(worst > 0x1p-25 && worst < 0x1p-22, "seed %" PRIu64 ": relative error %g", seed, worst);
    printf("seed %" PRIu64 ": relative error %.3f 2^-24\n", seed, worst * 0x1p24);
}

static void extreme_words(void) {
    const float least = weft_fast_square(UINT32_MAX), most = weft_fast_square(0);
    EXPECT(least > 0.7f && least < 0.75f && most == 33 * 0x1p23f, "squares of the radius: %a to %a", least, most);
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t corner = k / 2 * 0x20000000u - k % 2; /* ends of the range of the fraction */
        const weft_pair d = weft_fast_direction(corner), z = weft_fast_normals(sqrtf(most), corner);
        EXPECT(d.first != 0 && d.second != 0, "a factor of word %08" PRIx32 " is 0", corner);
        EXPECT(fabsf(z.first) < 6.77f && fabsf(z.second) < 6.77f, "word %08" PRIx32 ": %g, %g", corner, z.first,
               z.second);
    }
}

/* Checks that a sample is fma(b, z, a), for parameters at the limits of f32. */
static void affine(void) {
    static const double some[][2] = {{100, 15}, {-1e30, 3e38}, {1e-40, 1e-41}, {0, 0}, {0.1, 0.3}};
    draw(WEFT_NORMAL_FAST, 5, 1, N, 0, 1, x);
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        draw(WEFT_NORMAL_FAST, 5, 1, N, some[k][0], some[k][1], y);
        for (size_t i = 0; i < N; i++) {
            const float wanted = fmaf((float)some[k][1], x[i], (float)some[k][0]);
            if (weft_bits_f32(wanted) != weft_bits_f32(y[i]))
                EXPECT(false, "sample %zu: %a, not %a", i, y[i], wanted);
        }
    }
}

/* Checks that a lognormal_fast sample is the exponential of the normal_fast sample, within 1 unit in the last
 * position; Inf above the greatest number, and subnormal numbers and 0 below the least normal one. */
static void exponentials(void) {
    static const double some[][2] = {{0, 1}, {0.05, 0.2}, {80, 10}, {-100, 3}, {0, 60}, {1, 1e-3}};
    double worst = 0;
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        draw(WEFT_NORMAL_FAST, 6, 3, N / 4, some[k][0], some[k][1], x);
        draw(WEFT_LOGNORMAL_FAST, 6, 3, N / 4, some[k][0], some[k][1], y);
        for (size_t i = 0; i < N / 4; i++) {
            const long double exact = expl((long double)x[i]);
            const float nearest = (float)exact;
            if (isinf(nearest) || isinf(y[i])) {
                EXPECT(exact > 0x1.fffffcp127L && y[i] > 0x1.fffffcp127f, "exp(%a) is %a", x[i], y[i]);
                continue;
            }
            const float unit = fmaxf(nearest, 0x1p-126f) - nextafterf(fmaxf(nearest, 0x1p-126f), 0);
            worst = fmax(worst, (double)(fabsl((long double)y[i] - exact) / (long double)unit));
        }
    }
    EXPECT(worst > 0.5 && worst < 1, "exponentials are off by %g units in the last position", worst);
    printf("error of lognormal_fast: %g units\n", worst);
}

/* ------------------------------------------------------------------------ parts of a stream */

static void parts(weft_distribution distribution) {
    static const size_t lengths[] = {1, 2, 3, 4, 5, 7, 1023, 1025, 9999};
    const uint64_t first = (UINT64_C(1) << 34) - 35001;
    const size_t all = 70001;
    draw(distribution, 8, first, all, 0, 1, x);
    for (size_t part = 0, from = 0; from < all; part++) {
        const size_t wanted = lengths[part % 9], n = all - from < wanted ? all - from : wanted;
        draw(distribution, 8, first + from, n, 0, 1, y + from);
        from += n;
    }
    size_t wrong = 0;
    for (size_t i = 0; i < all; i++) wrong += weft_bits_f32(x[i]) != weft_bits_f32(y[i]);
    EXPECT(wrong == 0, "%s: %zu samples differ in parts", weft_distribution_name(distribution), wrong);
}

/* ------------------------------------------------------------------------------ statistics */

/* Sums over samples; those of products are over pairs. */
typedef struct sums {
    double power[4], product, product_of_squares;
    size_t n, beyond[7];
} sums;

static void add_samples(const float *z, size_t n, sums *s) {
    s->n += n;
    for (size_t i = 0; i < n; i++) {
        const double v = (double)z[i], size = fabs(v);
        s->power[0] += v;
        s->power[1] += v * v;
        s->power[2] += v * v * v;
        s->power[3] += v * v * v * v;
        for (int k = 1; k <= 6 && size > k; k++) s->beyond[k]++;
    }
    for (size_t i = 0; i < n; i += 2) {
        const double a = (double)z[i], b = (double)z[i + 1];
        s->product += a * b;
        s->product_of_squares += (a * a - 1) * (b * b - 1);
    }
}

/* Checks that a sum of n terms with this mean and variance is within 4.5 standard deviations of its expectation. */
static void expect_sum(const char *name, int k, double sum, double n, double mean, double variance) {
    const double off = (sum - n * mean) / sqrt(n * variance);
    EXPECT(fabs(off) < 4.5, "%s %d: %.10g is %.2f standard deviations off", name, k, sum, off);
    printf("%s %d: %.10g, %.2f standard deviations\n", name, k, sum, off);
}

/* Checks the moments, the number of samples beyond 1 to 6 standard deviations, and the correlation of pairs. At least
 * 10 samples must be expected in a tail. */
static void statistics(size_t blocks) {
    static const double moment[8] = {0, 1, 0, 3, 0, 15, 0, 105};
    sums s = {{0}, 0, 0, 0, {0}};
    for (size_t k = 0; k < blocks; k++) {
        draw(WEFT_NORMAL_FAST, 2026, k * (uint64_t)N, N, 0, 1, x);
        add_samples(x, N, &s);
    }
    const double n = (double)s.n;
    for (int k = 1; k <= 4; k++)
        expect_sum("moment", k, s.power[k - 1], n, moment[k - 1], moment[2 * k - 1] - moment[k - 1] * moment[k - 1]);
    for (int k = 1; k <= 6; k++) {
        const double p = erfc(k / sqrt(2));
        if (n * p >= 10) expect_sum("beyond", k, (double)s.beyond[k], n, p, p * (1 - p));
    }
    expect_sum("products of a pair", 1, s.product, n / 2, 0, 1);
    expect_sum("products of a pair", 2, s.product_of_squares, n / 2, 0, 4);
}

/* Checks the number of samples in intervals of equal probability by a chi-squared test. */
static void intervals(void) {
    size_t count[BINS] = {0};
    double squares = 0;
    draw(WEFT_NORMAL_FAST, 77, 0, N, 0, 1, x);
    for (size_t i = 0; i < N; i++) count[(int)(BINS * erfc(-(double)x[i] / sqrt(2)) / 2)]++;
    const double expected = (double)N / BINS;
    for (int k = 0; k < BINS; k++) squares += pow((double)count[k] - expected, 2) / expected;
    EXPECT(fabs(squares - (BINS - 1)) < 4.5 * sqrt(2 * (BINS - 1)), "chi squared: %g of %d", squares, BINS - 1);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    const bool is_slow = argc > 1 && strcmp(argv[1], "ref") == 0;
    known_words();
    for (uint64_t seed = 1; seed <= 3; seed++) accurate(seed);
    extreme_words();
    affine();
    exponentials();
    parts(WEFT_NORMAL_FAST);
    parts(WEFT_LOGNORMAL_FAST);
    statistics(is_slow ? 4 : 64);
    intervals();
    weft_close(ctx);
    return expect_end();
}
