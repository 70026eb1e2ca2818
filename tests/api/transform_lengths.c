/* Tests weft_fft of lengths that are not powers of two: the bits of the specification for every length up to MOST and
 * some others, alone, in batches, in place and at any alignment; values that ORDER.md 14.7 to 14.11 determines; the
 * tables that a context keeps. The argument is the device's name. */
#include "tests/expect.h"
#include "tests/values.h"

#include <math.h>

enum {
    MOST = 130,
    LONGEST = 3 << 13, /* rows that need two passes on a GPU */
    BATCH = 3,
    LARGE_BATCH = 301, /* several arrays for each block of a GPU, and one left */
    REALS = BATCH * (2 * LONGEST + 2) + 2,
    LENGTHS = 40 /* more than a context keeps tables of */
};

static weft_context *ctx, *ref;
static double x[REALS], y[REALS], expected[REALS];

static size_t size_of(weft_dtype dtype) { return dtype == WEFT_F32 ? sizeof(float) : sizeof(double); }

/* Returns the reals of an array of n values: n on the side that is real, and those of half a spectrum on the other.
 */
static size_t reals_of(weft_fft_kind kind, weft_fft_kind real, weft_fft_kind half, size_t n) {
    return kind == real ? n : 2 * (kind == half ? n / 2 + 1 : n);
}

/* Compares transforms with the specification. `shift`: the arrays begin so many reals after an aligned address. */
static void compare(weft_fft_kind kind, weft_dtype dtype, size_t batch, size_t n, size_t shift) {
    const size_t in = batch * reals_of(kind, WEFT_R2C, WEFT_C2R, n),
                 out = batch * reals_of(kind, WEFT_C2R, WEFT_R2C, n);
    char *const from = (char *)x + shift * size_of(dtype), *const to = (char *)y + shift * size_of(dtype);
    store_values(dtype, in + shift, n + batch, -1, 1, x);
    memset(y, 0, sizeof y);
    EXPECT_STATUS(ref, weft_fft(ref, kind, dtype, batch, n, from, expected), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, kind, dtype, batch, n, from, to), WEFT_OK);
    EXPECT(memcmp(to, expected, out * size_of(dtype)) == 0, "kind %d of %zu times %zu %s values, shifted by %zu",
           (int)kind, batch, n, weft_dtype_name(dtype), shift);
    const double after = 0;
    EXPECT(memcmp(to + out * size_of(dtype), &after, size_of(dtype)) == 0, "kind %d of %zu values writes too much",
           (int)kind, n);
    if (kind > WEFT_C2C_INVERSE) return;
    EXPECT_STATUS(ctx, weft_fft(ctx, kind, dtype, batch, n, from, from), WEFT_OK);
    EXPECT(memcmp(from, expected, out * size_of(dtype)) == 0, "kind %d of %zu times %zu %s values in place",
           (int)kind, batch, n, weft_dtype_name(dtype));
}

static void compare_length(size_t n) {
    for (int kind = WEFT_C2C; kind <= WEFT_C2R; kind++)
        for (int type = 0; type < 2; type++) {
            const weft_dtype dtype = type ? WEFT_F64 : WEFT_F32;
            compare((weft_fft_kind)kind, dtype, 1, n, 0);
            compare((weft_fft_kind)kind, dtype, BATCH, n, 1);
        }
}

static void lengths(void) {
    static const size_t others[] = {147,  169,  192,   202,   211,   243,   343,   360,    384,  625,
                                    896,  1000, 1001,  1009,  1155,  1331,  1352,  1458,   1536, 2003,
                                    2187, 2401, 3125,  3072,  3840,  4000,  4095,  5625,   6144, 6208,
                                    6561, 9409, 10007, 11025, 12000, 16807, 18225, LONGEST};
    for (size_t n = 1; n <= MOST; n++) compare_length(n);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) compare_length(others[i]);
}

/* Short arrays, of which a GPU transforms several together, and a CPU as many as a vector has lanes. */
static void large_batches(void) {
    static const size_t counts[] = {3,  5,  6,  7,  9,   12,  15,  20,  24,  25,  33, 50,
                                    56, 75, 88, 96, 100, 119, 125, 208, 224, 240, 243};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int kind = WEFT_C2C; kind <= WEFT_C2R; kind++)
            for (int type = 0; type < 2; type++)
                compare((weft_fft_kind)kind, type ? WEFT_F64 : WEFT_F32, LARGE_BATCH, counts[i], i % 2);
}

/* The arrays of a batch that are left do not write after it: in memory of the device, where that would not be lost.
 */
static void left_arrays(size_t n) {
    const size_t batch = 2 * n * LARGE_BATCH, after = 16 * n, all = (batch + after) * sizeof *x;
    void *device;
    for (size_t i = 0; i < batch + after; i++) x[i] = 7;
    EXPECT_STATUS(ctx, weft_alloc(ctx, WEFT_DEVICE, all, &device), WEFT_OK);
    EXPECT_STATUS(ctx, weft_copy(ctx, all, x, device), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, WEFT_F64, LARGE_BATCH, n, device, device), WEFT_OK);
    EXPECT_STATUS(ctx, weft_copy(ctx, all, device, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_free(ctx, WEFT_DEVICE, device), WEFT_OK);
    EXPECT(memcmp(y + batch, x, after * sizeof *x) == 0, "%d arrays of %zu values write after them", LARGE_BATCH, n);
}

/* ------------------------------------------------------------------------------------ literals */

static void is(const char *what, size_t count, const double *values) {
    for (size_t i = 0; i < count; i++)
        EXPECT(memcmp(&y[i], &values[i], sizeof *y) == 0, "%s: real %zu is %a, expected %a", what, i, y[i],
               values[i]);
}

static void run(weft_fft_kind kind, size_t n, const double *from) {
    EXPECT_STATUS(ctx, weft_fft(ctx, kind, WEFT_F64, 1, n, from, y), WEFT_OK);
}

/* Sums of three values have two additions; -1/2 and the root of 3/4 are the only factors. */
static void three(void) {
    const double root = 0x1.bb67ae8584caap-1; /* the nearest value to sin(2 pi / 3) */
    run(WEFT_C2C, 3, (const double[]){1, 0, 2, 0, 4, 0});
    is("three values", 6, (const double[]){7, 0, -2, root * 2, -2, -(root * 2)});
    run(WEFT_R2C, 3, (const double[]){1, 2, 4});
    is("three real values", 4, (const double[]){7, 0, -2, root * 2});
    run(WEFT_C2R, 3, (const double[]){3, 99, 0, 0});
    is("one wave of three", 3, (const double[]){3 * (1 / 3.0), 3 * (1 / 3.0), 3 * (1 / 3.0)});
    run(WEFT_C2C_INVERSE, 3, (const double[]){0, 6, 0, 0, 0, 0});
    is("an imaginary wave of three", 6, (const double[]){0, 2, 0, 2, 0, 2});
}

/* Half the transform of six real values is one of three pairs. */
static void six(void) {
    run(WEFT_R2C, 6, (const double[]){1, 1, 1, 1, 1, 1});
    is("six ones", 8, (const double[]){6, 0, 0, 0, 0, -0.0, 0, 0});
    run(WEFT_C2R, 6, (const double[]){6, 0, 0, 0, 0, 0, 0, 0});
    for (size_t i = 0; i < 6; i++) EXPECT(y[i] == 6 * (1 / 3.0 / 2), "six values of one wave: %a", y[i]);
}

/* An infinity makes all values NaNs, with canonical bits; other arrays of the batch keep theirs. */
static void not_finite(void) {
    static const size_t counts[] = {12, 15, 49, 101};
    const uint64_t nan = UINT64_C(0x7ff8000000000000);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const size_t n = counts[i];
        for (size_t j = 0; j < 4 * n; j++) x[j] = (double)(j % 5);
        x[3] = INFINITY;
        EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, WEFT_F64, 2, n, x, y), WEFT_OK);
        size_t nans = 0;
        for (size_t j = 0; j < 2 * n; j++)
            if (isnan(y[j])) {
                nans++;
                EXPECT(memcmp(&y[j], &nan, sizeof nan) == 0, "real %zu of %zu values is not the canonical NaN", j, n);
            }
        EXPECT(nans > 0, "an infinity in %zu values leaves no NaN", n);
        EXPECT_STATUS(ref, weft_fft(ref, WEFT_C2C, WEFT_F64, 1, n, x + 2 * n, expected), WEFT_OK);
        EXPECT(memcmp(y + 2 * n, expected, 2 * n * sizeof *y) == 0, "an infinity changes another array of %zu values",
               n);
    }
}

/* -------------------------------------------------------------------------------------- tables */

/* A context has tables of some lengths. Transforms of more lengths replace them, without a change of a bit. */
static void tables(void) {
    size_t bytes = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < LENGTHS; i++) compare(WEFT_C2C, WEFT_F64, 1, 65 + 2 * i, 0);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < LENGTHS; i++) compare(WEFT_R2C, WEFT_F32, 1, 66 + 4 * i, 0);
        if (round == 1) bytes = weft_scratch_bytes(ctx);
    }
    EXPECT(weft_scratch_bytes(ctx) == bytes, "%zu bytes of scratch memory after two rounds, %zu after three", bytes,
           weft_scratch_bytes(ctx));
}

/* Tables that cannot fit in memory are refused before anything is allocated. */
static void too_long(void) {
    const size_t n = ((size_t)1 << 54) + 1;
    EXPECT_ERROR(ctx, weft_fft(ctx, WEFT_C2C, WEFT_F64, 1, n, x, x), WEFT_INVALID,
                 "fft: the tables of 18014398509481985 values do not fit in memory");
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (!EXPECT(weft_open(&ctx, device) == WEFT_OK && weft_open(&ref, "ref") == WEFT_OK, "%s", weft_last_error(NULL)))
        return expect_end();
    lengths();
    large_batches();
    left_arrays(20);
    left_arrays(56);
    left_arrays(125);
    three();
    six();
    not_finite();
    tables();
    if (strcmp(device, "ref") != 0) too_long();
    weft_close(ref);
    weft_close(ctx);
    return expect_end();
}
