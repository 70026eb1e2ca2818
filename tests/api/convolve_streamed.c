/* Tests that weft_convolve by the direct method returns the same bits with nontemporal stores, which large results
 * use, and with normal stores, which its parts use. Arrays of weft verify are too small for the former. The argument
 * is the device's name. */
#include "tests/expect.h"
#include "tests/values.h"

#include <stdlib.h>

enum {
    BYTES = (1 << 25) + (1 << 16), /* a result of more than 32 MiB */
    PART = 100003,                 /* values of a part */
    GUARD = 256                    /* bytes before and after a result, and maximum distance from an aligned address */
};

/* Compares the values where `taps` taps overlap the signal. The result begins `offset` bytes after an aligned
 * address. */
static void compare(weft_context *ctx, weft_dtype dtype, weft_field field, size_t taps, size_t offset,
                    void *const *array) {
    const size_t size = weft_dtype_size(dtype) * (field == WEFT_COMPLEX ? 2 : 1), n = BYTES / size;
    const size_t count = n - taps + 1;
    char *const x = array[0], *const y = (char *)array[1] + GUARD + offset, *const part = array[2];
    double h[2 * 11];
    store_values(dtype, BYTES / weft_dtype_size(dtype), 1, -1, 1, x);
    store_values(dtype, taps * size / weft_dtype_size(dtype), 2, -1, 1, h);
    memset(array[1], 0xff, BYTES + 3 * GUARD);
    EXPECT_STATUS(ctx, weft_convolve(ctx, WEFT_VALID, dtype, field, n, x, taps, h, y), WEFT_OK);
    for (size_t first = 0; first < count; first += PART) {
        const size_t values = count - first < PART ? count - first : PART;
        EXPECT_STATUS(
            ctx, weft_convolve(ctx, WEFT_VALID, dtype, field, values + taps - 1, x + first * size, taps, h, part),
            WEFT_OK);
        EXPECT(memcmp(y + first * size, part, values * size) == 0, "%zu taps, type %d, field %d: values from %zu on",
               taps, (int)dtype, (int)field, first);
    }
    for (size_t i = 0; i < GUARD; i++)
        EXPECT((unsigned char)y[(ptrdiff_t)i - GUARD] == 0xff && (unsigned char)y[count * size + i] == 0xff,
               "%zu taps: byte %zu before or after the result is changed", taps, i);
}

/* Cases: dtype, field, taps and distance of the result from an aligned address. No value of the last case has an
 * aligned address. */
static const struct {
    weft_dtype dtype;
    weft_field field;
    size_t taps, offset;
} CASES[] = {
    {WEFT_F32, WEFT_REAL, 11, 0},    {WEFT_F32, WEFT_REAL, 2, 4},     {WEFT_F64, WEFT_REAL, 3, 8},
    {WEFT_F32, WEFT_COMPLEX, 11, 8}, {WEFT_F64, WEFT_COMPLEX, 1, 16}, {WEFT_F32, WEFT_COMPLEX, 2, 4},
};

int main(int argc, char **argv) {
    weft_context *ctx;
    void *array[] = {malloc(BYTES), malloc(BYTES + 3 * GUARD), malloc(PART * 16)};
    if (!EXPECT(array[0] && array[1] && array[2], "no memory") ||
        !EXPECT(weft_open(&ctx, argc > 1 ? argv[1] : "cpu") == WEFT_OK, "%s", weft_last_error(NULL)))
        return expect_end();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        compare(ctx, CASES[i].dtype, CASES[i].field, CASES[i].taps, CASES[i].offset, array);
    weft_close(ctx);
    for (size_t i = 0; i < 3; i++) free(array[i]);
    return expect_end();
}
