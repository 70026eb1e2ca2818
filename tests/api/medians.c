/* Tests quantiles that are rare in the inputs of the agreement suite: between two infinities, and between two values
 * of which an array has equally many. */
#include "tests/expect.h"

#include <math.h>

enum { N = 4096 };
static weft_context *ctx;
static double wide[N];
static float narrow[N];

static void median(weft_dtype dtype, size_t n, const void *x, void *result) {
    const double half = 0.5;
    const size_t one = 1;
    weft_view from, to;
    EXPECT_STATUS(ctx, weft_view_of(dtype, 1, &n, x, &from), WEFT_OK);
    EXPECT_STATUS(ctx, weft_view_of(dtype, 1, &one, result, &to), WEFT_OK);
    EXPECT_STATUS(ctx, weft_quantile_axis(ctx, WEFT_LINEAR, &from, 0, 1, &half, &to), WEFT_OK);
}

static void between_infinities(void) {
    const uint32_t nan_f32 = 0x7fc00000;
    const uint64_t nan_f64 = UINT64_C(0x7ff8000000000000);
    const double x[] = {-INFINITY, INFINITY};
    const float y[] = {-INFINITY, INFINITY};
    double middle;
    float narrow_middle;
    median(WEFT_F64, 2, x, &middle);
    median(WEFT_F32, 2, y, &narrow_middle);
    EXPECT(memcmp(&middle, &nan_f64, sizeof middle) == 0, "the median of infinities is %g", middle);
    EXPECT(memcmp(&narrow_middle, &nan_f32, sizeof nan_f32) == 0, "the median of infinities is %g",
           (double)narrow_middle);
}

static void between_equal_numbers_of_values(void) {
    double middle;
    float narrow_middle;
    for (size_t i = 0; i < N; i++) narrow[i] = (float)(wide[i] = i < N / 2 ? 3 : -8);
    median(WEFT_F64, N, wide, &middle);
    median(WEFT_F32, N, narrow, &narrow_middle);
    EXPECT(middle == -2.5 && narrow_middle == -2.5F, "the median of -8 and 3 is %g, %g", middle,
           (double)narrow_middle);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    between_infinities();
    between_equal_numbers_of_values();
    weft_close(ctx);
    return expect_end();
}
