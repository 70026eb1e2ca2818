/* Tests arguments that weft_sobol rejects: the error messages, and that nothing was written. The argument is the
 * device's name. */
#include "tests/expect.h"

#include <stdint.h>

enum { N = 10, D = 3 };
static const unsigned char POISON = 0x5a;
static const uint64_t END = UINT64_C(1) << 63;
static weft_context *ctx;
static double out[N * D];

static void refused(void) {
#define REFUSED(status, scrambling, dtype, dimensions, first, n, out, words) \
    EXPECT_ERROR(ctx, weft_sobol(ctx, scrambling, dtype, 1, 2, dimensions, first, n, out), status, words)
    EXPECT_ERROR(NULL, weft_sobol(NULL, WEFT_OWEN, WEFT_F32, 1, 2, D, 0, N, out), WEFT_INVALID, "ctx is NULL");
    REFUSED(WEFT_INVALID, (weft_scrambling)3, WEFT_F32, D, 0, N, out, "invalid scrambling 3");
    REFUSED(WEFT_INVALID, (weft_scrambling)-1, WEFT_F32, D, 0, N, out, "invalid scrambling -1");
    REFUSED(WEFT_INVALID, WEFT_OWEN, (weft_dtype)14, D, 0, N, out, "invalid dtype 14");
    REFUSED(WEFT_UNSUPPORTED, WEFT_OWEN, WEFT_I32, D, 0, N, out, "Sobol points must have type f32 or f64, not i32");
    REFUSED(WEFT_INVALID, WEFT_OWEN, WEFT_F32, 0, 0, N, out, "invalid number of dimensions 0: expected 1 to 1111");
    REFUSED(WEFT_INVALID, WEFT_OWEN, WEFT_F32, 1112, 0, 0, out,
            "invalid number of dimensions 1112: expected 1 to 1111");
    REFUSED(
        WEFT_INVALID, WEFT_OWEN, WEFT_F32, D, END + 1, 0, out,
        "first = 9223372036854775809, n = 0: the range exceeds the points of a sequence, 0 to 9223372036854775807");
    REFUSED(WEFT_INVALID, WEFT_OWEN, WEFT_F32, D, END - 5, 6, out, "first = 9223372036854775803, n = 6");
    REFUSED(WEFT_INVALID, WEFT_OWEN, WEFT_F32, 1111, 0, SIZE_MAX / 1000, out, "points of 1111 dimensions do not fit");
    REFUSED(WEFT_INVALID, WEFT_OWEN, WEFT_F64, 5, 0, SIZE_MAX / 20, out, "do not fit in memory");
    REFUSED(WEFT_INVALID, WEFT_OWEN, WEFT_F64, D, 0, N, NULL, "out is NULL");
    REFUSED(WEFT_INVALID, WEFT_OWEN, WEFT_F64, D, 0, N, (char *)out + 4, "out is at");
#undef REFUSED
}

/* Tests the end of a sequence, and calls for no points. */
static void allowed(void) {
    EXPECT_STATUS(ctx, weft_sobol(ctx, WEFT_OWEN, WEFT_F32, 1, 2, D, 0, 0, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_sobol(ctx, WEFT_OWEN, WEFT_F32, 1, 2, D, END, 0, NULL), WEFT_OK);
    const unsigned char *bytes = (const unsigned char *)out;
    for (size_t i = 0; i < sizeof out; i++) EXPECT(bytes[i] == POISON, "byte %zu was written", i);
    EXPECT_STATUS(ctx, weft_sobol(ctx, WEFT_UNSCRAMBLED, WEFT_F64, 1, 2, D, END - N, N, out), WEFT_OK);
    for (size_t i = 0; i < N * D; i++) EXPECT(out[i] >= 0 && out[i] < 1, "position %zu: %g", i, out[i]);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "ref";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    memset(out, POISON, sizeof out);
    refused();
    allowed();
    weft_close(ctx);
    return expect_end();
}
