/* Tests weft_map with f16 and bf16: the value of all bits, and the rounding of f32 at all values, at the midpoints of
 * neighbours, at the numbers around both, and at random numbers. The table of values follows the definition of the
 * formats, and a number is rounded by a search in it. */
#include "tests/oracle/oracle.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MAGNITUDES = 1 << 15, ALL = 1 << 16, RANDOM = 1 << 20 };

static weft_context *ctx;

/* values[m]: of the bits m without a sign, up to infinity, for which it contains the next power of two. */
typedef struct format {
    weft_dtype dtype;
    int infinity;
    uint16_t nan;
    double values[MAGNITUDES];
} format;

static format formats[] = {{.dtype = WEFT_F16, .nan = 0x7e00}, {.dtype = WEFT_BF16, .nan = 0x7fc0}};

static void make(format *f) {
    const int digits = f->dtype == WEFT_F16 ? 11 : 8, bias = f->dtype == WEFT_F16 ? 15 : 127;
    const int one = 1 << (digits - 1);
    f->infinity = 0x7fff / one * one;
    for (int m = 0; m < MAGNITUDES; m++) {
        const int field = m / one, fraction = m % one;
        f->values[m] = field ? ldexp(one + fraction, field - bias - digits + 1) : ldexp(fraction, 2 - bias - digits);
    }
}

static double value_of(const format *f, unsigned bits) {
    const int m = bits & 0x7fff;
    const double v = m > f->infinity ? NAN : m == f->infinity ? INFINITY : f->values[m];
    return bits >> 15 ? -v : v;
}

static uint16_t rounded(const format *f, double v) {
    const double magnitude = fabs(v);
    int below = 0, above = f->infinity;
    if (isnan(v)) return f->nan;
    while (above - below > 1) {
        const int middle = (below + above) / 2;
        *(f->values[middle] <= magnitude ? &below : &above) = middle;
    }
    const double half = (f->values[below] + f->values[above]) / 2;
    const int nearest = magnitude < half || (magnitude == half && below % 2 == 0) ? below : above;
    return (uint16_t)(nearest | (signbit(v) ? 0x8000 : 0));
}

static void map_to(const char *formula, const weft_binding *x, weft_dtype dtype, size_t n, void *out) {
    weft_expr *expr;
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, formula, &expr), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map(ctx, expr, dtype, n, x, 1, out), WEFT_OK);
    weft_expr_free(expr);
}

/* ------------------------------------------------------------------------------------ values */

/* Checks values of f32 or f64 against the table; a NaN must be the canonical one. */
static void check_values(const format *f, weft_dtype dtype, const uint16_t *bits, size_t n, const void *found,
                         const char *what) {
    const uint32_t nan32 = 0x7fc00000;
    const uint64_t nan64 = UINT64_C(0x7ff8000000000000);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const double v = value_of(f, bits[i]);
        const float narrow = (float)v;
        const void *const wanted =
            dtype == WEFT_F32 ? (isnan(v) ? (const void *)&nan32 : &narrow) : (isnan(v) ? (const void *)&nan64 : &v);
        const size_t size = weft_dtype_size(dtype);
        wrong += memcmp((const char *)found + i * size, wanted, size) != 0;
    }
    EXPECT(wrong == 0, "%zu %s of %s have wrong values in %s", wrong, what, weft_dtype_name(f->dtype),
           weft_dtype_name(dtype));
}

static void values(const format *f, weft_dtype dtype) {
    static uint16_t bits[ALL];
    static double found[ALL];
    const size_t size = weft_dtype_size(dtype);
    for (unsigned b = 0; b < ALL; b++) bits[b] = (uint16_t)b;
    map_to("x", &(weft_binding){"x", f->dtype, bits, NULL}, dtype, ALL, found);
    check_values(f, dtype, bits, ALL, found, "elements");
    for (unsigned b = 0; b < ALL; b += 61)
        map_to("x", &(weft_binding){"x", f->dtype, NULL, &bits[b]}, dtype, 1, (char *)found + b * size);
    check_values(f, dtype, bits, ALL, found, "scalars");
}

/* ---------------------------------------------------------------------------------- rounding */

/* Checks the rounding of n numbers. */
static void check_rounding(const format *f, size_t n, const float *x, const char *what) {
    uint16_t *const found = malloc(n * sizeof *found);
    size_t wrong = 0;
    map_to("x", &(weft_binding){"x", WEFT_F32, x, NULL}, f->dtype, n, found);
    for (size_t i = 0; i < n; i++) wrong += found[i] != rounded(f, (double)x[i]);
    EXPECT(wrong == 0, "%zu of %zu %s are rounded to the wrong %s", wrong, n, what, weft_dtype_name(f->dtype));
    free(found);
}

static void rounding(const format *f) {
    float *const x = malloc(12 * MAGNITUDES * sizeof *x);
    size_t n = 0;
    for (int m = 0; m < f->infinity; m++) {
        const float near[] = {(float)f->values[m], (float)((f->values[m] + f->values[m + 1]) / 2)};
        for (int k = 0; k < 12; k++) {
            const float v = near[k / 6], next = nextafterf(v, k % 3 == 0 ? INFINITY : -INFINITY);
            x[n] = k % 3 == 1 ? v : next;
            if (k / 3 % 2) x[n] = -x[n];
            n++;
        }
    }
    check_rounding(f, n, x, "numbers around values and midpoints");
    free(x);
}

static void random_numbers(const format *f) {
    float *const x = malloc(RANDOM * sizeof *x);
    for (size_t i = 0; i < RANDOM; i++) {
        const uint32_t bits = (uint32_t)input_random(17, i);
        memcpy(&x[i], &bits, sizeof bits);
    }
    check_rounding(f, RANDOM, x, "random numbers");
    free(x);
}

/* All steps are in f32, and the values replace the elements. */
static void in_place(const format *f) {
    static uint16_t bits[ALL];
    size_t wrong = 0;
    for (unsigned b = 0; b < ALL; b++) bits[b] = (uint16_t)b;
    map_to("x*x - x/3", &(weft_binding){"x", f->dtype, bits, NULL}, f->dtype, ALL, bits);
    for (unsigned b = 0; b < ALL; b++) {
        const float x = (float)value_of(f, b);
        const float square = x * x, third = x / 3, difference = square - third;
        wrong += bits[b] != rounded(f, (double)difference);
    }
    EXPECT(wrong == 0, "in place: %zu values of %s are wrong", wrong, weft_dtype_name(f->dtype));
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "ref";
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return expect_end();
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        make(&formats[k]);
        values(&formats[k], WEFT_F32);
        values(&formats[k], WEFT_F64);
        rounding(&formats[k]);
        random_numbers(&formats[k]);
        in_place(&formats[k]);
    }
    weft_close(ctx);
    return expect_end();
}
