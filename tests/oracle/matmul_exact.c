/* Compares exact matrix products with the definition of ORDER.md 31 in 113-bit arithmetic, which is exact for these
 * sizes, and with true products. Tests that the order of k, batches, layouts and transposes do not change a bit. */
#include "tests/oracle/oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static weft_context *ctx;

typedef struct product {
    weft_dtype dtype;
    size_t m, n, k;
    void *a, *b, *c;
} product;

static product product_of(weft_dtype dtype, size_t m, size_t n, size_t k) {
    const size_t size = weft_dtype_size(dtype);
    return (product){dtype, m, n, k, malloc(m * k * size), malloc(k * n * size), malloc(m * n * size)};
}

static void discard(product *p) { free(p->a), free(p->b), free(p->c); }

/* ----------------------------------------------------------------------------------- the types */

/* A type of elements: its digits, the exponent of its least number, the digits of the integers (BITS of 31). */
typedef struct format {
    int digits, least, bits;
} format;

static format format_of(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_F16: return (format){11, -24, 13};
    case WEFT_BF16: return (format){8, -133, 13};
    case WEFT_F32: return (format){24, -149, 24};
    default: return (format){53, -1074, 53};
    }
}

static bool is_half(weft_dtype dtype) { return dtype == WEFT_F16 || dtype == WEFT_BF16; }

/* Returns v, |v| < 2^900 or not finite, rounded to an f16 or bf16. */
static double half_of(weft_dtype dtype, wide v) {
    const format f = format_of(dtype);
    const double most = dtype == WEFT_F16 ? 65504 : 0x1.fep127;
    int exponent = f.least;
    if (!isfinite((double)v)) return (double)v;
    if (v != 0) (void)frexp((double)v, &exponent);
    const int unit = exponent - f.digits > f.least ? exponent - f.digits : f.least;
    const wide scaled = oracle_magnitude(v) * ldexp(1, -unit);
    double whole = (double)(uint64_t)scaled;
    if (scaled - whole > 0.5 || (scaled - whole == 0.5 && fmod(whole, 2) == 1)) whole++;
    const double rounded = ldexp(whole, unit);
    return copysign(rounded > most ? (double)INFINITY : rounded, v < 0 ? -1 : 1);
}

/* Returns the value of an f16 or bf16, and the bits of such a value. */
static double half_value(weft_dtype dtype, uint16_t bits) {
    const int digits = format_of(dtype).digits, field = (bits & 0x7fff) >> (digits - 1);
    const int fraction = bits & ((1 << (digits - 1)) - 1);
    if (field == 0x7fff >> (digits - 1)) return fraction ? (double)NAN : bits >> 15 ? -INFINITY : (double)INFINITY;
    const double v =
        ldexp(field ? fraction + (1 << (digits - 1)) : fraction, format_of(dtype).least + (field ? field - 1 : 0));
    return bits >> 15 ? -v : v;
}

static uint16_t half_bits(weft_dtype dtype, double v) {
    const uint16_t sign = signbit(v) ? 0x8000 : 0;
    unsigned low = 0, high = 0x7fffu >> (format_of(dtype).digits - 1) << (format_of(dtype).digits - 1);
    if (isnan(v)) return 0x7fff;
    while (low < high) { /* the values are in ascending order up to infinity */
        const unsigned middle = (low + high) / 2;
        if (half_value(dtype, (uint16_t)middle) < fabs(v))
            low = middle + 1;
        else
            high = middle;
    }
    return (uint16_t)(low | sign);
}

/* Stores v, rounded to the type. */
static void store(const product *p, void *x, size_t i, double v) {
    if (is_half(p->dtype))
        ((uint16_t *)x)[i] = half_bits(p->dtype, half_of(p->dtype, v));
    else if (p->dtype == WEFT_F32)
        ((float *)x)[i] = (float)v;
    else
        ((double *)x)[i] = v;
}

static void multiply(const product *p, double alpha, double beta, void *c) {
    const float narrow_alpha = (float)alpha, narrow_beta = (float)beta;
    const bool narrow = p->dtype != WEFT_F64;
    EXPECT_STATUS(ctx,
                  weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, p->dtype, WEFT_EXACT_SUM,
                              p->m, p->n, p->k, narrow ? (const void *)&narrow_alpha : &alpha, p->a, p->k, p->b, p->n,
                              narrow ? (const void *)&narrow_beta : &beta, c, p->n),
                  WEFT_OK);
}

/* ------------------------------------------------------------------------------ the definition */

static double element(weft_dtype dtype, const void *x, size_t i) {
    if (is_half(dtype)) return half_value(dtype, ((const uint16_t *)x)[i]);
    return dtype == WEFT_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/* Returns the exponent of `count` elements, `step` apart (31.1). */
static int exponent_of(weft_dtype dtype, const void *x, size_t first, size_t step, size_t count) {
    double most = 0;
    int exponent = 0;
    for (size_t l = 0; l < count; l++) most = fmax(most, fabs(element(dtype, x, first + l * step)));
    if (most > 0) (void)frexp(most, &exponent);
    return exponent;
}

/* Returns 2^exponent in 113 bits, for any exponent that occurs. */
static wide power(int exponent) {
    wide v = 1;
    for (; exponent > 1000; exponent -= 1000) v *= 0x1p1000;
    for (; exponent < -1000; exponent += 1000) v *= 0x1p-1000;
    return v * ldexp(1, exponent);
}

/* Returns alpha s + beta c of element (i, j). */
static wide defined(const product *p, size_t i, size_t j, double alpha, double beta, double c) {
    const int digits = format_of(p->dtype).bits;
    const int e = exponent_of(p->dtype, p->a, i * p->k, 1, p->k), f = exponent_of(p->dtype, p->b, j, p->n, p->k);
    wide sum = 0;
    for (size_t l = 0; l < p->k; l++)
        sum += (wide)nearbyint(ldexp(element(p->dtype, p->a, i * p->k + l), digits - e)) *
               nearbyint(ldexp(element(p->dtype, p->b, l * p->n + j), digits - f));
    return alpha * sum * power(e + f - 2 * digits) + (beta == 0 ? 0 : (wide)beta * c);
}

/* Checks every element of a product against the definition. */
static void check(const product *p, double alpha, double beta, const char *what) {
    const size_t size = weft_dtype_size(p->dtype);
    void *before = malloc(p->m * p->n * size);
    memcpy(before, p->c, p->m * p->n * size);
    multiply(p, alpha, beta, p->c);
    for (size_t e = 0; e < p->m * p->n; e++) {
        const wide v = defined(p, e / p->n, e % p->n, alpha, beta, element(p->dtype, before, e));
        const double wanted = is_half(p->dtype)      ? half_of(p->dtype, v)
                              : p->dtype == WEFT_F32 ? (double)(float)v
                                                     : (double)v;
        const double found = element(p->dtype, p->c, e);
        if (found == wanted && (v == 0 ? !signbit(found) : !signbit(found) == (v > 0))) continue;
        EXPECT(false, "%s of %s, %zu x %zu x %zu, alpha %g, beta %g: value %zu is %a, wanted %a", what,
               weft_dtype_name(p->dtype), p->m, p->n, p->k, alpha, beta, e, found, wanted);
        break;
    }
    free(before);
}

/* Fills an array with integers of at most `bits` bits, times powers of two in a range of `spread`, times 2^shift. */
static void fill(const product *p, void *x, size_t n, uint64_t seed, int bits, unsigned spread, int shift) {
    for (size_t i = 0; i < n; i++) {
        const uint64_t v = input_random(seed, 2 * i), u = input_random(seed, 2 * i + 1);
        const double magnitude = (double)(v >> 11 >> (53 - bits)) + 1;
        store(p, x, i, ldexp(u & 1 ? -magnitude : magnitude, (int)((u >> 1) % (spread + 1)) - bits + shift));
    }
}

static const weft_dtype DTYPES[] = {WEFT_F32, WEFT_F64, WEFT_F16, WEFT_BF16};
enum { TYPES = sizeof DTYPES / sizeof *DTYPES };

static void definition(void) {
    static const size_t shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {9, 25, 33}, {17, 2, 64}, {1, 40, 50}, {40, 1, 31}};
    static const double scalars[][2] = {{1, 0}, {-1, 0}, {0.75, 0}, {1, 1}, {1.5, -0.625}, {-0x1p-3, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
            for (size_t t = 0; t < TYPES; t++) {
                const bool wide_type = DTYPES[t] == WEFT_F64;
                product p = product_of(DTYPES[t], shapes[s][0], shapes[s][1], shapes[s][2]);
                const int bits = wide_type && i > 0 ? 45 : format_of(DTYPES[t]).digits;
                fill(&p, p.a, p.m * p.k, 1 + s, bits, 0, 0);
                fill(&p, p.b, p.k * p.n, 2 + s, bits, 0, 3);
                fill(&p, p.c, p.m * p.n, 3 + s, 20, 4, 0);
                check(&p, scalars[i][0], scalars[i][1], "uniform");
                if (i > 0 && wide_type) {
                    discard(&p);
                    continue;
                }
                fill(&p, p.a, p.m * p.k, 4 + s, bits, 40, -30);
                fill(&p, p.c, p.m * p.n, 5 + s, 20, 4, 0);
                check(&p, scalars[i][0], scalars[i][1], "wide range");
                discard(&p);
            }
}

/* Results that underflow or overflow, and subnormal elements. */
static void extremes(void) {
    static const int shifts[][2] = {{-70, -70}, {-140, 5}, {-149, 0}, {60, 66}, {120, 8}, {119, -149}};
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++)
        for (size_t t = 0; t < TYPES; t++) {
            product p = product_of(DTYPES[t], 5, 6, 7);
            const int digits = format_of(DTYPES[t]).digits, times = DTYPES[t] == WEFT_F64 ? 8 : 1;
            const int divisor = DTYPES[t] == WEFT_F16 ? 8 : 1;
            fill(&p, p.a, 35, 11 + i, digits, divisor == 1 ? 8 : 0, shifts[i][0] * times / divisor);
            fill(&p, p.b, 42, 12 + i, digits, divisor == 1 ? 8 : 0, shifts[i][1] * times / divisor);
            check(&p, 1, 0, "extremes");
            discard(&p);
        }
}

/* Several blocks of rows, columns and terms, whose sizes depend on the number of threads; and the greatest sum. */
static void blocks(void) {
    product p = product_of(WEFT_F32, 150, 140, 450), q = product_of(WEFT_F32, 1, 1, 60000);
    fill(&p, p.a, p.m * p.k, 41, 24, 6, 0);
    fill(&p, p.b, p.k * p.n, 42, 24, 6, 0);
    for (int threads = 1; threads <= 4; threads *= 2) {
        EXPECT_STATUS(ctx, weft_set_threads(ctx, threads), WEFT_OK);
        check(&p, 1, 0, "blocks");
        check(&p, -0.5, 1, "blocks");
    }
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 0), WEFT_OK);
    for (size_t l = 0; l < q.k; l++) store(&q, q.a, l, 0x1p24 - 1), store(&q, q.b, l, 0x1p24 - 1);
    check(&q, 1, 0, "the greatest sum");
    discard(&p);
    discard(&q);
}

/* Checks sums that cancel to 1 out of 2 * half products of the greatest integers. */
static void check_cancellation(weft_dtype dtype, size_t half) {
    const double most = ldexp(1, format_of(dtype).digits) - 1;
    product p = product_of(dtype, 1, 1, 2 * half + 1);
    for (size_t l = 0; l < p.k; l++) {
        store(&p, p.a, l, l == 0 ? 1 : l <= half ? most : -most);
        store(&p, p.b, l, l == 0 ? 1 : most);
    }
    multiply(&p, 1, 0, p.c);
    EXPECT(element(dtype, p.c, 0) == 1, "%s, %zu products cancel: %a", weft_dtype_name(dtype), half,
           element(dtype, p.c, 0));
    discard(&p);
}

/* ------------------------------------------------------------------------------- the same bits */

/* Checks that a permutation of k, an appended term of zeros, two products in a batch, a column-major call and a cut
 * of the columns give the same bits. */
static void check_orders(weft_dtype dtype, size_t m, size_t n, size_t k) {
    const size_t size = weft_dtype_size(dtype);
    product p = product_of(dtype, m, n, k), q = product_of(dtype, m, n, k + 1);
    char *c = malloc(2 * m * n * size);
    const int digits = format_of(dtype).digits;
    fill(&p, p.a, m * k, 21, digits, dtype == WEFT_F16 ? 12 : 60, -3);
    fill(&p, p.b, k * n, 22, digits, dtype == WEFT_F16 ? 12 : 60, -9);
    multiply(&p, 1, 0, p.c);
    for (size_t l = 0; l <= k; l++) { /* term l of q is term k - l of p; term 0 is zero */
        for (size_t i = 0; i < m; i++) store(&q, q.a, i * (k + 1) + l, l ? element(dtype, p.a, i * k + k - l) : 0);
        for (size_t j = 0; j < n; j++) store(&q, q.b, l * n + j, l ? element(dtype, p.b, (k - l) * n + j) : 0);
    }
    multiply(&q, 1, 0, q.c);
    EXPECT(memcmp(p.c, q.c, m * n * size) == 0, "%zu x %zu x %zu of %s: k reversed", m, n, k, weft_dtype_name(dtype));
    EXPECT_STATUS(ctx,
                  weft_matmul_batched(ctx, WEFT_COLUMN_MAJOR, WEFT_TRANSPOSE, WEFT_TRANSPOSE, dtype, WEFT_EXACT_SUM,
                                      m, n, k, NULL, p.a, k, 0, p.b, n, 0, NULL, c, m, m * n, 2),
                  WEFT_OK);
    for (size_t e = 0; e < 2 * m * n; e++)
        EXPECT(memcmp((char *)p.c + (e % m * n + e / m % n) * size, c + e * size, size) == 0,
               "%zu x %zu x %zu of %s: by columns, value %zu", m, n, k, weft_dtype_name(dtype), e);
    const size_t left = n / 2;
    for (size_t part = 0; part < 2; part++)
        EXPECT_STATUS(ctx,
                      weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, dtype, WEFT_EXACT_SUM, m,
                                  part ? n - left : left, k, NULL, p.a, k, (char *)p.b + part * left * size, n, NULL,
                                  c + part * left * size, n),
                      WEFT_OK);
    EXPECT(memcmp(p.c, c, m * n * size) == 0, "%zu x %zu x %zu of %s: cut", m, n, k, weft_dtype_name(dtype));
    free(c);
    discard(&p);
    discard(&q);
}

/* ------------------------------------------------------------------------------------ the error */

/* Checks the bound of ORDER.md 31.5, plus the final rounding. */
static void check_bound(weft_dtype dtype, size_t m, size_t n, size_t k, unsigned spread) {
    const format f = format_of(dtype);
    const double unit = ldexp(1, -f.bits), last = ldexp(1, -f.digits), least = ldexp(1, f.least);
    product p = product_of(dtype, m, n, k);
    if (dtype == WEFT_F16 && spread > 10) spread = 10;
    fill(&p, p.a, m * k, 31, f.digits, spread, -2 - (int)spread);
    fill(&p, p.b, k * n, 32, f.digits, spread, -2 - (int)spread);
    multiply(&p, 1, 0, p.c);
    for (size_t e = 0; e < m * n; e++) {
        double u = 0, v = 0;
        wide sum = 0;
        for (size_t l = 0; l < k; l++) {
            const double x = element(dtype, p.a, e / n * k + l), y = element(dtype, p.b, l * n + e % n);
            u = fmax(u, fabs(x)), v = fmax(v, fabs(y));
            sum += (wide)x * y;
        }
        const wide bound = (wide)k * (2 * unit + unit * unit) * u * v, found = element(dtype, p.c, e);
        EXPECT(oracle_magnitude(found - sum) <= bound + last * (oracle_magnitude(sum) + bound) + least / 2,
               "%zu x %zu x %zu of %s: value %zu is %a, exact %a", m, n, k, weft_dtype_name(dtype), e, (double)found,
               (double)sum);
    }
    discard(&p);
}

/* --------------------------------------------------------------------------------- literals */

static double pair(double alpha, double a0, double b0, double a1, double b1, double beta, double c) {
    const double a[] = {a0, a1}, b[] = {b0, b1};
    const product p = {WEFT_F64, 1, 1, 2, (void *)a, (void *)b, &c};
    multiply(&p, alpha, beta, &c);
    return c;
}

static bool is(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* ORDER.md 31.3 and 31.4. */
static void rules(void) {
    const double inf = INFINITY, nan = NAN;
    EXPECT(is(pair(1, 1, 1, 0x1p-53, 1, 0, nan), 1), "half a unit is a tie, to even");
    EXPECT(is(pair(1, 1, 1, 0x1p-52, 1, 0, 0), 1 + 0x1p-52), "the last digit of a line is used");
    EXPECT(is(pair(1, 1, 0x1p-60, -1, 0x1p-60, 0, 0), 0.0) && is(pair(1, -0.0, 1, -0.0, 1, 0, 0), 0.0), "zero is +0");
    EXPECT(is(pair(1, 0, 1, 0, 2, 1, -0.0), 0.0), "zero is +0, whatever C is");
    EXPECT(is(pair(1, -0x1p-600, 0x1p-600, 0, 0, 0, 0), -0.0), "an underflow has a sign");
    EXPECT(is(pair(1, 1, 1, 0x1p-30, 1, -1, 1), 0x1p-30), "alpha s + beta c is rounded once");
    EXPECT(is(pair(1, 0x1p1000, 0x1p1000, 1, 1, 0, 0), inf), "overflow");
    EXPECT(is(pair(0x1p-1000, 0x1p1000, 0x1p1000, 0, 1, 0, 0), 0x1p1000), "s itself does not overflow");
    EXPECT(is(pair(1, 0x1p1000, 0x1p1000, -1, inf, 0, 0), -inf), "terms of an infinite column do not overflow");
    EXPECT(is(pair(1, inf, 1, 1, -inf, 0, 0), nan) && is(pair(1, inf, 0, 1, 1, 0, 0), nan), "Inf - Inf, Inf * 0");
    EXPECT(is(pair(1, inf, -2, nan, 1, 0, 0), nan) && is(pair(-1, inf, -2, 1, 1, 0, 0), inf), "NaN; alpha");
    EXPECT(is(pair(1, 1, 1, 1, 1, 1, -inf), -inf) && is(pair(1, inf, 1, 1, 1, 1, -inf), nan), "beta c is infinite");
    EXPECT(is(pair(inf, -1, 1, 0, 1, 0, 0), -inf) && is(pair(inf, -1, 1, 1, 1, 0, 0), nan), "alpha is infinite");
    EXPECT(is(pair(inf, 0x1p-600, 0x1p-600, 0, 0, 0, 0), inf), "alpha is infinite, and s rounds to zero");
    EXPECT(is(pair(0, nan, nan, inf, 1, 0, nan), 0.0) && is(pair(0, nan, 1, 1, 1, 2, 3), 6), "alpha = 0: 13.3");
}

/* Returns the bits of alpha (a0 b0 + a1 b1) + beta c. */
static unsigned half_pair(weft_dtype dtype, double alpha, double a0, double b0, double a1, double b1, double beta,
                          unsigned c) {
    uint16_t a[2], b[2], result = (uint16_t)c;
    const product p = {dtype, 1, 1, 2, a, b, &result};
    store(&p, a, 0, a0), store(&p, a, 1, a1), store(&p, b, 0, b0), store(&p, b, 1, b1);
    multiply(&p, alpha, beta, &result);
    return result;
}

/* The same for f16 and bf16, whose elements are 0x3c00 and 0x3f80 for 1. */
static void half_rules(void) {
    const weft_dtype f16 = WEFT_F16, bf16 = WEFT_BF16;
    for (int i = 0; i < 2; i++) {
        const weft_dtype t = i ? bf16 : f16;
        const unsigned one = i ? 0x3f80 : 0x3c00, inf = i ? 0x7f80 : 0x7c00, nan = i ? 0x7fc0 : 0x7e00;
        const double unit = i ? 0x1p-7 : 0x1p-10, least = i ? 0x1p-133 : 0x1p-24;
        EXPECT(half_pair(t, 1, 1, 1, unit / 2, 1, 0, 0xffff) == one, "half a unit is a tie, to even");
        EXPECT(half_pair(t, 1, 1, 1 + unit, unit / 2, 1, 0, 0) == one + 2, "a tie above an odd number");
        EXPECT(half_pair(t, 1, 1, 0, 0x1p-13, 1, 0, 0) == 0, "an element 2^13 below the greatest becomes 0");
        EXPECT(half_pair(t, 1, 1, 0, 0x1p-12, 1, 0, 0) == half_bits(t, 0x1p-12), "one 2^12 below it remains");
        EXPECT(half_pair(t, 1, least, -0.5, 0, 1, 0, 0) == 0x8000, "half the least number rounds to -0");
        EXPECT(half_pair(t, 1, least, 1.5, 0, 1, 0, 0) == 2 && half_pair(t, 1, least, 0.75, 0, 1, 0, 0) == 1,
               "subnormal results are kept");
        EXPECT(half_pair(t, 1, i ? 0x1p127 : 0x1p15, 2, 0, 1, 0, 0) == inf, "overflow");
        EXPECT(half_pair(t, -1, INFINITY, 1, 0, 1, 0, 0) == (inf | 0x8000), "an infinite element");
        EXPECT(half_pair(t, 1, INFINITY, 0, 0, 1, 0, 0) == nan && half_pair(t, 1, NAN, 1, 0, 1, 0, 0) == nan, "NaN");
        EXPECT(half_pair(t, 1, 1, 1, 0, 1, 1, nan | 0x8001) == nan, "beta c is NaN");
        EXPECT(half_pair(t, 0, 1, 1, 0, 1, 2, one + 1) == (unsigned)half_bits(t, 2 + 2 * unit), "alpha = 0: beta c");
        EXPECT(half_pair(t, 0, 1, 1, 0, 1, 1 / 3.0f, 3) == 1 && half_pair(t, 0, 1, 1, 0, 1, 0, nan) == 0,
               "alpha = 0: beta c is rounded once");
        EXPECT(half_pair(t, 0, 1, 1, 0, 1, -2, nan | 0x8001) == nan &&
                   half_pair(t, 0, 1, 1, 0, 1, -2, inf) == (inf | 0x8000),
               "alpha = 0: beta c is not finite");
        EXPECT(half_pair(t, 0.1f, 1, 1, 0, 1, 0, 0) == (unsigned)half_bits(t, half_of(t, 0.1f)), "alpha is an f32");
    }
    EXPECT(half_pair(f16, 1, 65504, 1, 8, 1, 0, 0) == 0x7bff && half_pair(f16, 1, 65504, 1, 16, 1, 0, 0) == 0x7c00,
           "65520 is a tie between the greatest number and infinity");
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    definition();
    extremes();
    blocks();
    rules();
    half_rules();
    for (size_t t = 0; t < TYPES; t++) {
        const weft_dtype dtype = DTYPES[t];
        for (size_t half = 1; half < 100000; half *= 3) check_cancellation(dtype, half);
        check_orders(dtype, 1, 1, 1);
        check_orders(dtype, 7, 13, 200);
        check_orders(dtype, 33, 50, 17);
        check_orders(dtype, 100, 135, 260);
        check_orders(dtype, 2, 3, 70000); /* several parts of k */
        check_bound(dtype, 9, 10, 300, 0);
        check_bound(dtype, 9, 10, 300, 30);
        check_bound(dtype, 2, 3, 40000, 3);
    }
    weft_close(ctx);
    return expect_end();
}
