/* Tests every argument that weft_fft, weft_convolve and weft_correlate reject: the error message, and that nothing
 * was written. The argument is the device's name. */
#include "tests/expect.h"

#include <stdint.h>

enum { N = 256 };
static const unsigned char POISON = 0x5a;
static weft_context *ctx;
static double x[N], h[N], y[2 * N + 4];

static void *shifted(void *p, size_t bytes) { return (char *)p + bytes; }

static void fft(void) {
#define REFUSED(dtype, kind, batch, n, x, y, status, words) \
    EXPECT_ERROR(ctx, weft_fft(ctx, kind, dtype, batch, n, x, y), status, words)
    EXPECT_ERROR(NULL, weft_fft(NULL, WEFT_C2C, WEFT_F64, 1, 8, x, y), WEFT_INVALID, "ctx is NULL");
    REFUSED(WEFT_I32, WEFT_C2C, 1, 8, x, y, WEFT_UNSUPPORTED, "fft requires f32 or f64 elements, not i32");
    REFUSED((weft_dtype)14, WEFT_C2C, 1, 8, x, y, WEFT_INVALID, "invalid dtype 14");
    REFUSED(WEFT_F64, (weft_fft_kind)4, 1, 8, x, y, WEFT_INVALID, "invalid fft kind 4");
    REFUSED(WEFT_F64, (weft_fft_kind)-1, 1, 8, x, y, WEFT_INVALID, "invalid fft kind -1");
    REFUSED(WEFT_F64, WEFT_C2C, 1, 0, x, y, WEFT_INVALID, "fft of 0 values: at least 1 is required");
    REFUSED(WEFT_F64, WEFT_C2C, 1, 8, NULL, y, WEFT_INVALID, "x is NULL");
    REFUSED(WEFT_F64, WEFT_C2C, 1, 8, x, NULL, WEFT_INVALID, "y is NULL");
    REFUSED(WEFT_F64, WEFT_C2C, 1, 8, shifted(x, 4), y, WEFT_INVALID, "x is at");
    REFUSED(WEFT_F64, WEFT_C2C, 1, 8, x, shifted(y, 4), WEFT_INVALID, "y is at");
    REFUSED(WEFT_F64, WEFT_C2C, 1, 8, x, x + 2, WEFT_INVALID, "overlaps x (128 bytes at");
    REFUSED(WEFT_F64, WEFT_R2C, 1, 8, x, x, WEFT_INVALID, "y (80 bytes at");
    REFUSED(WEFT_F64, WEFT_C2R, 1, 8, y, y, WEFT_INVALID, "overlaps x (80 bytes at");
    REFUSED(WEFT_F64, WEFT_C2C, SIZE_MAX / 4, 8, x, y, WEFT_INVALID, "do not fit in memory");
    REFUSED(WEFT_F64, WEFT_C2C, 1, SIZE_MAX / 8 + 1, x, y, WEFT_INVALID, "do not fit in memory");
#undef REFUSED
}

static void fft_taken(void) {
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, WEFT_F64, 0, 8, NULL, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, WEFT_F64, 1, 8, x, x), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C_INVERSE, WEFT_F64, 2, 8, x, x), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, WEFT_F32, 1, 8, shifted(x, 4), shifted(y, 4)), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_R2C, WEFT_F64, 2, 8, x, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2R, WEFT_F64, 2, 8, y, x), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, WEFT_F64, 1, 64, x, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, WEFT_F64, 1, 8, y, y + 16), WEFT_OK); /* adjacent arrays */
}

static void convolve(void) {
#define REFUSED(dtype, field, mode, n, x, m, h, y, status, words)                                          \
    EXPECT_ERROR(ctx, weft_convolve(ctx, mode, dtype, field, n, x, m, h, y), status, "convolution" words); \
    EXPECT_ERROR(ctx, weft_correlate(ctx, mode, dtype, field, n, x, m, h, y), status, "correlation" words)
#define BOTH_REFUSED(dtype, field, mode, n, x, m, h, y, status, words)                       \
    EXPECT_ERROR(ctx, weft_convolve(ctx, mode, dtype, field, n, x, m, h, y), status, words); \
    EXPECT_ERROR(ctx, weft_correlate(ctx, mode, dtype, field, n, x, m, h, y), status, words)
    EXPECT_ERROR(NULL, weft_convolve(NULL, WEFT_FULL, WEFT_F64, WEFT_REAL, 8, x, 3, h, y), WEFT_INVALID,
                 "ctx is NULL");
    EXPECT_ERROR(NULL, weft_correlate(NULL, WEFT_FULL, WEFT_F64, WEFT_REAL, 8, x, 3, h, y), WEFT_INVALID,
                 "ctx is NULL");
    REFUSED(WEFT_U8, WEFT_REAL, WEFT_FULL, 8, x, 3, h, y, WEFT_UNSUPPORTED, " requires f32 or f64 elements, not u8");
    REFUSED(WEFT_F64, WEFT_REAL, WEFT_FULL, 0, x, 3, h, y, WEFT_EMPTY, " of 0 and 3 values is undefined");
    REFUSED(WEFT_F64, WEFT_REAL, WEFT_SAME, 3, x, 0, h, y, WEFT_EMPTY, " of 3 and 0 values is undefined");
    REFUSED(WEFT_F64, WEFT_REAL, WEFT_FULL, SIZE_MAX / 2, x, 3, h, y, WEFT_INVALID,
            ": 9223372036854775807 and 3 values do not fit in memory");
    BOTH_REFUSED((weft_dtype)14, WEFT_REAL, WEFT_FULL, 8, x, 3, h, y, WEFT_INVALID, "invalid dtype 14");
    BOTH_REFUSED(WEFT_F64, (weft_field)2, WEFT_FULL, 8, x, 3, h, y, WEFT_INVALID, "invalid field 2");
    BOTH_REFUSED(WEFT_F64, WEFT_REAL, (weft_convolve_mode)3, 8, x, 3, h, y, WEFT_INVALID,
                 "invalid convolution mode 3");
    BOTH_REFUSED(WEFT_F64, WEFT_REAL, WEFT_FULL, 8, NULL, 3, h, y, WEFT_INVALID, "x is NULL");
    BOTH_REFUSED(WEFT_F64, WEFT_REAL, WEFT_FULL, 8, x, 3, NULL, y, WEFT_INVALID, "h is NULL");
    BOTH_REFUSED(WEFT_F64, WEFT_REAL, WEFT_FULL, 8, x, 3, h, NULL, WEFT_INVALID, "y is NULL");
    BOTH_REFUSED(WEFT_F64, WEFT_REAL, WEFT_FULL, 8, shifted(x, 2), 3, h, y, WEFT_INVALID, "x is at");
    BOTH_REFUSED(WEFT_F64, WEFT_REAL, WEFT_FULL, 8, x, 3, shifted(h, 2), y, WEFT_INVALID, "h is at");
    BOTH_REFUSED(WEFT_F64, WEFT_REAL, WEFT_FULL, 8, x, 3, h, shifted(y, 2), WEFT_INVALID, "y is at");
    BOTH_REFUSED(WEFT_F64, WEFT_REAL, WEFT_FULL, 8, y + 9, 3, h, y, WEFT_INVALID, "y (80 bytes at");
    BOTH_REFUSED(WEFT_F64, WEFT_REAL, WEFT_VALID, 8, y + 5, 3, h, y, WEFT_INVALID, "y (48 bytes at");
    BOTH_REFUSED(WEFT_F64, WEFT_COMPLEX, WEFT_SAME, 8, x, 3, y + 15, y, WEFT_INVALID, "y (128 bytes at");
    BOTH_REFUSED(WEFT_F64, WEFT_REAL, WEFT_FULL, 8, x, 3, x, x, WEFT_INVALID, "overlaps x");
#undef BOTH_REFUSED
#undef REFUSED
}

static void convolve_taken(void) {
#define TAKEN(dtype, field, mode, n, x, m, h, y)                                        \
    EXPECT_STATUS(ctx, weft_convolve(ctx, mode, dtype, field, n, x, m, h, y), WEFT_OK); \
    EXPECT_STATUS(ctx, weft_correlate(ctx, mode, dtype, field, n, x, m, h, y), WEFT_OK)
    TAKEN(WEFT_F64, WEFT_REAL, WEFT_FULL, 8, x, 8, x, y); /* convolution of an array with itself */
    TAKEN(WEFT_F64, WEFT_REAL, WEFT_VALID, 8, y + 6, 3, h, y);
    TAKEN(WEFT_F32, WEFT_COMPLEX, WEFT_FULL, 8, shifted(x, 4), 3, shifted(h, 4), shifted(y, 4));
    TAKEN(WEFT_F64, WEFT_REAL, WEFT_FULL, 1, x, 1, h, y);
    TAKEN(WEFT_F64, WEFT_REAL, WEFT_SAME, N, x, 100, h, y);
#undef TAKEN
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    for (size_t i = 0; i < N; i++) x[i] = h[i] = (double)i;
    memset(y, POISON, sizeof y);
    fft();
    convolve();
    for (size_t i = 0; i < sizeof y; i++)
        EXPECT(((unsigned char *)y)[i] == POISON, "a call that failed wrote byte %zu of its output", i);
    for (size_t i = 0; i < N; i++) EXPECT(x[i] == (double)i, "a call that failed wrote value %zu of its input", i);
    fft_taken();
    convolve_taken();
    weft_close(ctx);
    return expect_end();
}
