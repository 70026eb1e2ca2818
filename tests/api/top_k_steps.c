/* Tests weft_top_k of arrays in which almost all elements are equal, and some of the last ones come before them in
 * the order by the smallest possible step: a list of candidates that is full must still take these.
 *
 * Usage: api_top_k_steps DEVICE. */
#include "tests/expect.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { N = 200000, LATE = 5, MOST = 9000 };

static weft_context *ctx;
static uint32_t x[N], values[MOST];
static uint64_t indices[MOST];

/* The elements are `common`, but the last LATE are `first`. */
static void check(weft_extreme extreme, weft_dtype dtype, uint32_t common, uint32_t first, size_t k) {
    for (size_t i = 0; i < N; i++) x[i] = i >= N - LATE ? first : common;
    EXPECT_STATUS(ctx, weft_top_k(ctx, extreme, dtype, N, x, k, values, indices), WEFT_OK);
    for (size_t i = 0; i < k; i++) {
        const uint64_t at = i < LATE ? N - LATE + i : i - LATE;
        if (EXPECT(indices[i] == at && values[i] == x[at], "%s, k = %zu: number %zu is element %llu, expected %llu",
                   weft_dtype_name(dtype), k, i, (unsigned long long)indices[i], (unsigned long long)at))
            continue;
        return;
    }
}

static uint32_t bits_of(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

int main(int argc, char **argv) {
    static const size_t ks[] = {1, LATE, 40, 1000, MOST};
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return expect_end();
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
        check(WEFT_LARGEST, WEFT_U32, 0, 1, ks[i]);
        check(WEFT_SMALLEST, WEFT_U32, 1, 0, ks[i]);
        check(WEFT_LARGEST, WEFT_I32, UINT32_MAX, 0, ks[i]); /* -1 and 0 */
        check(WEFT_LARGEST, WEFT_F32, bits_of(-0.0f), bits_of(0.0f), ks[i]);
        check(WEFT_SMALLEST, WEFT_F32, bits_of(1.0f), bits_of(nextafterf(1, 0)), ks[i]);
    }
    weft_close(ctx);
    return expect_end();
}
