/* Compares Fourier transforms and convolutions with sums in 113-bit precision, and every twiddle factor with its
 * exact value; and tests the rules of ORDER.md 14 and 9 as literal expectations. */
#include "arith/turns.h"
#include "tests/oracle/oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { LONGEST = 1 << 15, N = 1 << 12 };
static weft_context *ctx;
static double x[2 * LONGEST + 2], h[2 * LONGEST + 2], y[2 * LONGEST + 2], z[2 * LONGEST + 2];

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct wide_number {
    wide re, im;
} wide_number;

/* Returns real number i of an array. */
static double real(weft_dtype dtype, const void *v, size_t i) {
    return dtype == WEFT_F32 ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

static wide_number number(weft_dtype dtype, const void *v, size_t i) {
    return (wide_number){real(dtype, v, 2 * i), real(dtype, v, 2 * i + 1)};
}

static double unit(weft_dtype dtype) { return dtype == WEFT_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2; }

static wide_number times(wide_number a, wide_number b) {
    return (wide_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Returns exp(-2 pi i f / n), by the series around the nearest eighth of the circle. */
static wide_number make_turn(size_t f, size_t n) {
    const wide high = 0x1.921fb54442d18p+1, low = 0x1.1a62633145c06p-53,
               rest = 0x1.c1cd129024e09p-106; /* three parts of pi */
    const size_t eighth = (8 * (f % n) + n / 2) / n;
    const wide angle = -2 * (high + (low + rest)) * ((wide)(f % n) - (wide)eighth * (wide)n / 8) / (wide)n;
    const wide half = 0x1.6a09e667f3bcdp-1;
    const wide near = (half + 1 / (2 * half)) / 2,
               root = (near + 1 / (2 * near)) / 2; /* sqrt(1/2), by Newton's method */
    const wide_number starts[] = {{1, 0},  {root, -root}, {0, -1}, {-root, -root},
                                  {-1, 0}, {-root, root}, {0, 1},  {root, root}};
    wide_number sum = {1, angle}, term = {1, angle};
    for (int k = 2; k < 40; k += 2) {
        term.re = -term.re * angle * angle / ((wide)k * (k - 1));
        term.im = -term.im * angle * angle / ((wide)k * (k + 1));
        sum.re += term.re;
        sum.im += term.im;
    }
    return times(sum, starts[eighth % 8]);
}

static wide_number turns[LONGEST];

static wide_number turn(size_t f, size_t n) { return turns[f * (LONGEST / n)]; }

/* Computes the transform of v[0], v[step], ... to `out` by J. Cooley and J. Tukey's recursion, which replaces the sum
 * over all elements. */
static void wide_transform(size_t n, const wide_number *v, size_t step, bool inverse, wide_number *out) {
    if (n == 1) {
        *out = *v;
        return;
    }
    wide_transform(n / 2, v, 2 * step, inverse, out);
    wide_transform(n / 2, v + step, 2 * step, inverse, out + n / 2);
    for (size_t f = 0; f < n / 2; f++) {
        wide_number w = turn(f, n);
        if (inverse) w.im = -w.im;
        const wide_number a = out[f], b = times(w, out[f + n / 2]);
        out[f] = (wide_number){a.re + b.re, a.im + b.im};
        out[f + n / 2] = (wide_number){a.re - b.re, a.im - b.im};
    }
}

/* --------------------------------------------------------------------------------- twiddles */

static double nearest(weft_dtype dtype, wide v) { return dtype == WEFT_F32 ? (double)(float)v : (double)v; }

/* Checks a 1 at index 1: every stage except the last leaves it unchanged, and that one multiplies it by a twiddle
 * factor. Its greater part is the scale of ORDER.md 14.1, and the other one the product of the scale and the slope.
 */
static void twiddles(weft_dtype dtype, size_t n) {
    memset(x, 0, sizeof x);
    if (dtype == WEFT_F32)
        ((float *)x)[2] = 1;
    else
        x[2] = 1;
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, dtype, 1, n, x, y), WEFT_OK);
    for (size_t f = 0; f < n; f++) {
        const wide_number w = turn(f, n);
        const wide parts[] = {w.re, w.im};
        const bool diagonal = 8 * f % n == 0 && 4 * f % n != 0;
        const int great = diagonal ? 8 * f / n % 4 == 1 : fabs((double)w.im) > fabs((double)w.re);
        double expected[2];
        expected[great] = nearest(dtype, parts[great]);
        expected[!great] = nearest(dtype, parts[!great] / (wide)expected[great]) * expected[great];
        if (dtype == WEFT_F32) expected[!great] = (double)(float)expected[!great];
        const bool exact = (4 * f) % n == 0; /* where the series leaves a remainder instead of 0 */
        const double a = real(dtype, y, 2 * f), b = real(dtype, y, 2 * f + 1);
        const bool right = exact ? fabs(a - expected[0]) < 1e-30 && fabs(b - expected[1]) < 1e-30
                                 : a == expected[0] && b == expected[1];
        if (!right)
            EXPECT(false, "%s: twiddle %zu of %zu is %a %a, not %a %a", weft_dtype_name(dtype), f, n, a, b,
                   expected[0], expected[1]);
        if (!right) return;
    }
}

/* Checks a 1 at index r < n/m of n values, where m is the first radix or the product of all odd ones: results 0 to m
 * - 1 are W(q r, n) of ORDER.md 14.8. */
static void factors(weft_dtype dtype, size_t n, size_t m) {
    for (size_t r = 0; r < n / m; r++) {
        memset(x, 0, sizeof x);
        if (dtype == WEFT_F32)
            ((float *)x)[2 * r] = 1;
        else
            x[2 * r] = 1;
        EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, dtype, 1, n, x, y), WEFT_OK);
        for (size_t q = 0; q < m; q++) {
            const wide_number w = make_turn(q * r, n);
            const double re = dtype == WEFT_F32 ? (double)(float)w.re : (double)w.re;
            const double im = dtype == WEFT_F32 ? (double)(float)w.im : (double)w.im;
            const double a = real(dtype, y, 2 * q), b = real(dtype, y, 2 * q + 1);
            const bool right = 4 * q * r % n == 0 ? fabs(a - re) < 1e-30 && fabs(b - im) < 1e-30 : a == re && b == im;
            EXPECT(right, "%s: W(%zu, %zu) is %a %a, exactly %a %a", weft_dtype_name(dtype), q * r, n, a, b, re, im);
        }
    }
}

/* Checks pairs whose high part is halfway between two f32, so that the low part decides the rounding. These are too
 * rare among twiddle factors to occur in a transform. */
static void roundings(void) {
    static const struct {
        double hi, lo;
        float nearest;
    } pairs[] = {{1 + 0x1p-24, 0x1p-80, 1 + 0x1p-23F},
                 {1 + 0x1p-24, -0x1p-80, 1},
                 {1 + 0x3p-24, 0x1p-80, 1 + 0x1p-22F},
                 {1 + 0x3p-24, -0x1p-80, 1 + 0x1p-23F},
                 {-1 - 0x1p-24, 0x1p-80, -1},
                 {-1 - 0x1p-24, -0x1p-80, -1 - 0x1p-23F},
                 {1 + 0x1p-24, 0, 1},
                 {1 + 0x3p-24, 0, 1 + 0x1p-22F},
                 {0.5 + 0x1p-52, -0x1p-80, 0.5F},
                 {0, 0, 0}};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const float found = weft_pair_f32(weft_pair_of(pairs[i].hi, pairs[i].lo));
        EXPECT(found == pairs[i].nearest, "%a + %a to f32 is %a, not %a", pairs[i].hi, pairs[i].lo, (double)found,
               (double)pairs[i].nearest);
    }
}

/* --------------------------------------------------------------------------------- accuracy */

/* Returns the relative error of y in the Euclidean norm, compared with `exact`, in units of eps/2. */
static double error_of(weft_dtype dtype, size_t n, const void *found, const wide_number *exact) {
    wide error = 0, norm = 0;
    for (size_t f = 0; f < n; f++) {
        const wide_number v = number(dtype, found, f);
        const wide re = v.re - exact[f].re, im = v.im - exact[f].im;
        error += re * re + im * im;
        norm += exact[f].re * exact[f].re + exact[f].im * exact[f].im;
    }
    return norm > 0 ? sqrt((double)(error / norm)) / unit(dtype) : 0;
}

static bool is_power_of_two(size_t n) { return (n & (n - 1)) == 0; }

/* Computes the transform of n values: if n is not a power of two, as sums. roots: exp(-2 pi i j / n). */
static void exact_transform(size_t n, const wide_number *v, const wide_number *roots, bool inverse,
                            wide_number *out) {
    if (is_power_of_two(n)) {
        wide_transform(n, v, 1, inverse, out);
        return;
    }
    for (size_t f = 0; f < n; f++) {
        wide_number sum = {0, 0};
        for (size_t j = 0; j < n; j++) {
            wide_number w = roots[f * j % n];
            if (inverse) w.im = -w.im;
            const wide_number term = times(v[j], w);
            sum.re += term.re;
            sum.im += term.im;
        }
        out[f] = sum;
    }
}

/* Returns the largest prime factor of n. */
static size_t largest_factor(size_t n) {
    size_t p = 2;
    while (n > p)
        if (n % p == 0)
            n /= p;
        else
            p++;
    return p;
}

/* docs/ops/fft.md "Accuracy". `length` is that of the transform, n the number in the bound. */
static void check_error(const char *what, weft_dtype dtype, input_kind kind, size_t length, size_t n, double error) {
    const bool large_factor = largest_factor(length) > 31;
    const double root = sqrt(log2((double)n)), bound = large_factor ? 1.5 * root + 2 : 0.75 * root + 1;
    EXPECT(error <= bound, "%s of %zu %s, input %s: error %.3f eps/2, bound %.3f", what, length,
           weft_dtype_name(dtype), input_name(kind), error, bound);
    if (length == N)
        printf("%-8s %s 2^14 %-8s: error %.3f eps/2\n", what, weft_dtype_name(dtype), input_name(kind), error);
}

static void accuracy(weft_dtype dtype, input_kind kind, size_t n) {
    static wide_number in[N], out[N], roots[N];
    input_fill(kind, dtype, n, 2 * n, x);
    for (size_t j = 0; j < n; j++) in[j] = number(dtype, x, j);
    for (size_t j = 0; j < n && !is_power_of_two(n); j++) roots[j] = make_turn(j, n);
    exact_transform(n, in, roots, false, out);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, dtype, 1, n, x, y), WEFT_OK);
    check_error("c2c", dtype, kind, n, n, error_of(dtype, n, y, out));
    exact_transform(n, in, roots, true, out);
    for (size_t j = 0; j < n; j++) out[j] = (wide_number){out[j].re / n, out[j].im / n};
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C_INVERSE, dtype, 1, n, x, y), WEFT_OK);
    check_error("inverse", dtype, kind, n, n, error_of(dtype, n, y, out));
    for (size_t j = 0; j < n; j++) in[j] = (wide_number){real(dtype, x, j), 0};
    exact_transform(n, in, roots, false, out);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_R2C, dtype, 1, n, x, y), WEFT_OK);
    check_error("r2c", dtype, kind, n, 2 * n, error_of(dtype, n / 2 + 1, y, out));
    EXPECT(real(dtype, y, 1) == 0 && (n % 2 || real(dtype, y, n + 1) == 0), "the real values of R2C of %zu", n);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2R, dtype, 1, n, y, z), WEFT_OK);
    for (size_t j = 0; j < n; j++) in[j] = (wide_number){real(dtype, x, j), 0};
    double worst = 0, norm = 0;
    for (size_t j = 0; j < n; j++) {
        worst += pow(real(dtype, z, j) - real(dtype, x, j), 2);
        norm += pow(real(dtype, x, j), 2);
    }
    if (norm > 0) check_error("and back", dtype, kind, n, n * n * n * n, sqrt(worst / norm) / unit(dtype));
}

/* ----------------------------------------------------------------------------- convolutions */

typedef struct shape {
    size_t n, m;
    bool is_complex;
} shape;

/* Adds the product of value `from` of x and value `at` of h, conjugated for a correlation, to *sum, and that of their
 * magnitudes to *magnitude. */
static void add_term(weft_dtype dtype, bool is_complex, bool correlate, size_t from, size_t at, wide_number *sum,
                     wide *magnitude) {
    wide_number a = {oracle_element(dtype, x, from), 0}, b = {oracle_element(dtype, h, at), 0};
    if (is_complex) a = number(dtype, x, from), b = number(dtype, h, at);
    if (correlate) b.im = -b.im;
    const wide_number p = times(a, b);
    sum->re += p.re;
    sum->im += p.im;
    *magnitude +=
        (oracle_magnitude(a.re) + oracle_magnitude(a.im)) * (oracle_magnitude(b.re) + oracle_magnitude(b.im));
}

/* Returns value i exactly. *magnitude is the sum of magnitudes, by which its error is measured. */
static wide_number exact_value(weft_dtype dtype, const shape *s, bool correlate, size_t i, wide *magnitude) {
    wide_number c = {0, 0};
    *magnitude = 0;
    for (size_t j = i < s->n ? 0 : i - s->n + 1; j < s->m && j <= i; j++) {
        const size_t at = correlate ? s->m - 1 - j : j;
        add_term(dtype, s->is_complex, correlate, i - j, at, &c, magnitude);
    }
    return c;
}

static double norm_of(weft_dtype dtype, const void *v, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += real(dtype, v, i) * real(dtype, v, i);
    return sqrt(sum);
}

/* docs/ops/convolve.md "Accuracy": direct, 2m roundings of a sum of magnitudes; by transforms, 8 sqrt(log2 B) eps/2
 * of the product of the norms. Checks every `step`-th value. */
static void convolution(weft_dtype dtype, shape s, bool correlate, size_t step) {
    const size_t parts = s.is_complex ? 2 : 1, taps = s.n < s.m ? s.n : s.m;
    input_fill(INPUT_NEAR_ONE, dtype, s.n, parts * s.n, x);
    input_fill(INPUT_UNIFORM, dtype, s.m, parts * s.m, h);
    EXPECT_STATUS(ctx,
                  (correlate ? weft_correlate : weft_convolve)(
                      ctx, WEFT_FULL, dtype, s.is_complex ? WEFT_COMPLEX : WEFT_REAL, s.n, x, s.m, h, y),
                  WEFT_OK);
    const double norms = norm_of(dtype, x, parts * s.n) * norm_of(dtype, h, parts * s.m);
    for (size_t i = 0; i < s.n + s.m - 1; i += step) {
        wide magnitude;
        const wide_number exact = exact_value(dtype, &s, correlate, i, &magnitude);
        const wide direct = 2 * (wide)taps * magnitude, blocks = 8 * sqrt(17.0) * norms;
        const wide bound = (taps <= 64 ? direct : blocks) * unit(dtype);
        const wide re = oracle_element(dtype, y, parts * i) - exact.re;
        const wide im = s.is_complex ? oracle_element(dtype, y, parts * i + 1) - exact.im : 0;
        if (oracle_magnitude(re) <= bound && oracle_magnitude(im) <= bound) continue;
        EXPECT(false, "%s of %zu and %zu %s %s values: value %zu is off by %g %g, bound %g",
               correlate ? "correlation" : "convolution", s.n, s.m, s.is_complex ? "complex" : "real",
               weft_dtype_name(dtype), i, (double)re, (double)im, (double)bound);
        return;
    }
}

static void convolutions(void) {
    static const shape shapes[] = {{1, 1, false},     {50, 11, false},     {11, 50, false},      {500, 64, false},
                                   {64, 64, true},    {65, 65, false},     {300, 100, true},     {100, 3000, false},
                                   {5000, 65, false}, {9000, 300, true},   {20000, 5000, false}, {7000, 7000, true},
                                   {30, 500, true},   {12000, 9000, false}};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (int correlate = 0; correlate < 2; correlate++) {
            const size_t step = shapes[i].n * shapes[i].m / 1000000 + 1;
            convolution(WEFT_F32, shapes[i], correlate, step);
            convolution(WEFT_F64, shapes[i], correlate, step);
        }
}

/* Two-dimensional arrays of n[0] x n[1] numbers, with filters of m[0] x m[1] taps. */
typedef struct image {
    size_t n[2], m[2];
    bool is_complex;
} image;

/* Returns value [i1, i2] of the full result, with zeros outside x, as exact_value. */
static wide_number exact_image_value(weft_dtype dtype, const image *s, bool correlate, size_t i1, size_t i2,
                                     wide *magnitude) {
    wide_number c = {0, 0};
    *magnitude = 0;
    for (size_t j = 0; j < s->m[0] * s->m[1]; j++) {
        const size_t j1 = j / s->m[1], j2 = j % s->m[1], at = correlate ? s->m[0] * s->m[1] - 1 - j : j;
        if (i1 < j1 || i1 - j1 >= s->n[0] || i2 < j2 || i2 - j2 >= s->n[1]) continue;
        const size_t from = (i1 - j1) * s->n[1] + (i2 - j2);
        add_term(dtype, s->is_complex, correlate, from, at, &c, magnitude);
    }
    return c;
}

/* docs/ops/convolve2d.md "Accuracy", as `convolution`. Checks every `step`-th value. */
static void image_convolution(weft_dtype dtype, const image *s, bool correlate, size_t step) {
    const size_t parts = s->is_complex ? 2 : 1, all = s->n[0] * s->n[1], taps = s->m[0] * s->m[1];
    const size_t rows = s->n[0] + s->m[0] - 1, columns = s->n[1] + s->m[1] - 1;
    weft_view from, by, to;
    input_fill(INPUT_NEAR_ONE, dtype, all, parts * all, x);
    input_fill(INPUT_UNIFORM, dtype, taps, parts * taps, h);
    weft_view_of(dtype, s->is_complex ? 3 : 2, (size_t[]){s->n[0], s->n[1], 2}, x, &from);
    weft_view_of(dtype, s->is_complex ? 3 : 2, (size_t[]){s->m[0], s->m[1], 2}, h, &by);
    weft_view_of(dtype, s->is_complex ? 3 : 2, (size_t[]){rows, columns, 2}, y, &to);
    EXPECT_STATUS(ctx,
                  (correlate ? weft_correlate2d : weft_convolve2d)(ctx, WEFT_FULL, WEFT_BORDER_FILL, NULL,
                                                                   s->is_complex ? WEFT_COMPLEX : WEFT_REAL, &from,
                                                                   &by, &to),
                  WEFT_OK);
    const double norms = norm_of(dtype, x, parts * all) * norm_of(dtype, h, parts * taps);
    for (size_t i = 0; i < rows * columns; i += step) {
        wide magnitude;
        const wide_number exact = exact_image_value(dtype, s, correlate, i / columns, i % columns, &magnitude);
        const wide direct = 2 * (wide)taps * magnitude, blocks = 8 * sqrt(17.0) * norms;
        const wide bound = (taps <= 256 ? direct : blocks) * unit(dtype);
        const wide re = oracle_element(dtype, y, parts * i) - exact.re;
        const wide im = s->is_complex ? oracle_element(dtype, y, parts * i + 1) - exact.im : 0;
        if (oracle_magnitude(re) <= bound && oracle_magnitude(im) <= bound) continue;
        EXPECT(false, "%s of %zu x %zu and %zu x %zu %s %s values: value %zu is off by %g %g, bound %g",
               correlate ? "correlation" : "convolution", s->n[0], s->n[1], s->m[0], s->m[1],
               s->is_complex ? "complex" : "real", weft_dtype_name(dtype), i, (double)re, (double)im, (double)bound);
        return;
    }
}

static void images(void) {
    static const image shapes[] = {{{1, 1}, {1, 1}, false},     {{5, 7}, {3, 2}, true},
                                   {{3, 2}, {5, 7}, false},     {{40, 30}, {16, 16}, false},
                                   {{50, 70}, {17, 16}, true},  {{300, 40}, {20, 20}, false},
                                   {{2, 500}, {1, 300}, false}, {{9, 8}, {30, 40}, true}};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (int correlate = 0; correlate < 2; correlate++) {
            image_convolution(WEFT_F32, &shapes[i], correlate, 7);
            image_convolution(WEFT_F64, &shapes[i], correlate, 7);
        }
}

/* ------------------------------------------------------------------------------------ rules */

static void is(const double *expected, size_t count, const char *what) {
    for (size_t i = 0; i < count; i++)
        EXPECT(memcmp(&y[i], &expected[i], sizeof *y) == 0, "%s: value %zu is %a, not %a", what, i, y[i],
               expected[i]);
}

static void run(bool correlate, weft_convolve_mode mode, size_t n, const double *a, size_t m, const double *b) {
    EXPECT_STATUS(ctx, (correlate ? weft_correlate : weft_convolve)(ctx, mode, WEFT_F64, WEFT_REAL, n, a, m, b, y),
                  WEFT_OK);
}

/* Checks the results of numpy.convolve and numpy.correlate. */
static void as_numpy(void) {
    static const double three[] = {1, 2, 3}, half[] = {0, 1, 0.5}, five[] = {1, 2, 3, 4, 5}, two[] = {10, 1};
    run(false, WEFT_FULL, 3, three, 3, half);
    is((const double[]){0, 1, 2.5, 4, 1.5}, 5, "convolve full");
    run(false, WEFT_SAME, 3, three, 3, half);
    is((const double[]){1, 2.5, 4}, 3, "convolve same");
    run(false, WEFT_VALID, 3, three, 3, half);
    is((const double[]){2.5}, 1, "convolve valid");
    run(true, WEFT_FULL, 3, three, 3, half);
    is((const double[]){0.5, 2, 3.5, 3, 0}, 5, "correlate full");
    run(true, WEFT_SAME, 3, three, 3, half);
    is((const double[]){2, 3.5, 3}, 3, "correlate same");
    run(false, WEFT_SAME, 5, five, 2, two);
    is((const double[]){10, 21, 32, 43, 54}, 5, "convolve same, two taps");
    run(false, WEFT_SAME, 2, two, 5, five);
    is((const double[]){10, 21, 32, 43, 54}, 5, "convolve same, two values");
    run(true, WEFT_SAME, 5, five, 2, two);
    is((const double[]){1, 12, 23, 34, 45}, 5, "correlate same, two taps");
    run(true, WEFT_SAME, 2, two, 5, five);
    is((const double[]){45, 34, 23, 12, 1}, 5, "correlate same, two values");
    run(true, WEFT_VALID, 2, two, 5, five);
    is((const double[]){45, 34, 23, 12}, 4, "correlate valid, two values");
}

/* Checks that modes are slices, and that a correlation is a convolution, bit for bit. */
static void slices(size_t n, size_t m) {
    const size_t shorter = n < m ? n : m, longer = n < m ? m : n;
    input_fill(INPUT_MIXED, WEFT_F64, 1, n, x);
    input_fill(INPUT_MIXED, WEFT_F64, 2, m, h);
    EXPECT_STATUS(ctx, weft_convolve(ctx, WEFT_FULL, WEFT_F64, WEFT_REAL, n, x, m, h, z), WEFT_OK);
    run(false, WEFT_SAME, n, x, m, h);
    EXPECT(memcmp(y, z + (shorter - 1) / 2, longer * sizeof *y) == 0, "same of %zu and %zu is no slice of full", n,
           m);
    run(false, WEFT_VALID, n, x, m, h);
    EXPECT(memcmp(y, z + shorter - 1, (longer - shorter + 1) * sizeof *y) == 0, "valid of %zu and %zu is no slice", n,
           m);
    for (size_t j = 0; j < m / 2; j++) {
        const double swapped = h[j];
        h[j] = h[m - 1 - j];
        h[m - 1 - j] = swapped;
    }
    run(true, WEFT_FULL, n, x, m, h);
    EXPECT(memcmp(y, z, (n + m - 1) * sizeof *y) == 0, "correlation of %zu and %zu is no convolution", n, m);
}

/* Checks that the chain goes over the taps of the shorter array from the first one on, starting at +0. Taps outside
 * the signal are omitted, not multiplied by 0. */
static void chains(void) {
    const double e = 0x1p-53, taps[] = {1, 1, 1}, values[] = {e, e, 1};
    run(false, WEFT_VALID, 3, values, 3, taps); /* 1, then e, then e */
    is((const double[]){1}, 1, "the chain");
    run(false, WEFT_VALID, 3, (const double[]){1, e, e}, 3, taps); /* e, then e, then 1 */
    is((const double[]){1 + 2 * e}, 1, "the chain backwards");
    run(false, WEFT_FULL, 2, (const double[]){INFINITY, 1}, 2, (const double[]){1, 0});
    EXPECT(y[0] == INFINITY && isnan(y[1]) && y[2] == 0, "an infinity meets a 0: %g %g %g", y[0], y[1], y[2]);
    run(false, WEFT_FULL, 1, (const double[]){-0.0}, 1, (const double[]){1});
    is((const double[]){0}, 1, "from +0");
}

/* Checks that the transform of an impulse is 1 everywhere and its inverse transform 1/n, and that a value that is not
 * finite affects its own array only. */
static void impulses(void) {
    memset(x, 0, sizeof x);
    x[0] = x[2 * 64] = 1;
    x[2 * 128] = NAN;
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, WEFT_F64, 3, 64, x, y), WEFT_OK);
    for (size_t f = 0; f < 2 * 128; f++)
        EXPECT(y[f] == (f % 2 ? 0 : 1), "the transform of an impulse: %zu is %a", f, y[f]);
    for (size_t f = 2 * 128; f < 2 * 192; f += 2) EXPECT(isnan(y[f]), "the transform of a NaN: %zu is %a", f, y[f]);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C_INVERSE, WEFT_F64, 1, 64, x, y), WEFT_OK);
    for (size_t f = 0; f < 2 * 64; f++) EXPECT(y[f] == (f % 2 ? 0 : 0x1p-6), "and backwards: %zu is %a", f, y[f]);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_R2C, WEFT_F64, 1, 1, (const double[]){3}, y), WEFT_OK);
    is((const double[]){3, 0}, 2, "R2C of one value");
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2R, WEFT_F64, 1, 1, (const double[]){3, 4}, y), WEFT_OK);
    is((const double[]){3}, 1, "C2R of one value");
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_R2C, WEFT_F64, 1, 4, (const double[]){1, 2, 3, 4}, y), WEFT_OK);
    is((const double[]){10, 0, -2, 2, -2, 0}, 6, "R2C of four");
}

int main(int argc, char **argv) {
    static const input_kind kinds[] = {INPUT_UNIFORM, INPUT_NEAR_ONE, INPUT_MIXED, INPUT_LONE};
    static const size_t lengths[] = {3,  5,  6,  7,  9,  11, 13, 15,  17,  21,  24,  31,  45,  49,  50,  56,  60,
                                     62, 77, 81, 93, 97, 96, 99, 100, 101, 121, 125, 127, 169, 194, 202, 257, 360};
    static const size_t of_factors[][2] = {{12, 3},   {15, 5},  {77, 11},  {96, 3},
                                           {169, 13}, {320, 5}, {360, 45}, {776, 97}};
    ctx = oracle_open(argc, argv);
    roundings();
    for (size_t f = 0; f < LONGEST; f++) turns[f] = make_turn(f, LONGEST);
    for (size_t n = 2; n <= LONGEST; n *= 2) {
        twiddles(WEFT_F32, n);
        twiddles(WEFT_F64, n);
    }
    for (size_t n = 2; n < N; n *= n < 64 ? 2 : 16)
        for (size_t k = 0; k < COUNT(kinds); k++) {
            accuracy(WEFT_F32, kinds[k], n);
            accuracy(WEFT_F64, kinds[k], n);
        }
    for (size_t i = 0; i < COUNT(lengths); i++)
        for (size_t k = 0; k < COUNT(kinds); k++) {
            accuracy(WEFT_F32, kinds[k], lengths[i]);
            accuracy(WEFT_F64, kinds[k], lengths[i]);
        }
    for (size_t i = 0; i < COUNT(of_factors); i++) {
        factors(WEFT_F32, of_factors[i][0], of_factors[i][1]);
        factors(WEFT_F64, of_factors[i][0], of_factors[i][1]);
    }
    accuracy(WEFT_F32, INPUT_UNIFORM, N);
    accuracy(WEFT_F64, INPUT_UNIFORM, N);
    accuracy(WEFT_F32, INPUT_NEAR_ONE, N);
    accuracy(WEFT_F64, INPUT_NEAR_ONE, N);
    convolutions();
    images();
    as_numpy();
    slices(1000, 10);
    slices(33, 1000);
    slices(5000, 300);
    slices(700, 700);
    chains();
    impulses();
    weft_close(ctx);
    return expect_end();
}
