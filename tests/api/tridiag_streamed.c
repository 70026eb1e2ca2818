/* Tests that weft_tridiag returns the same bits with nontemporal stores, which large results use, and with normal
 * stores, which results use that overwrite d. Arrays of weft verify are too small for the former. The systems are
 * interleaved. The argument is the device's name. */
#include "tests/expect.h"
#include "tests/values.h"

#include <stdlib.h>

enum { BYTES = (1 << 25) + (1 << 16), ARRAYS = 5 /* a, b, c, d and x */ };

/* Solves systems of n rows. x starts `offset` elements after its array. */
static void compare(weft_context *ctx, weft_dtype dtype, size_t n, size_t offset, void *const *array) {
    const size_t size = weft_dtype_size(dtype), systems = (BYTES / size - offset) / n, bytes = systems * n * size;
    const weft_lines a = {array[0], systems, 1}, b = {array[1], systems, 1}, c = {array[2], systems, 1};
    const weft_lines d = {array[3], systems, 1};
    unsigned char *const x = (unsigned char *)array[4] + offset * size;
    uint64_t singular;
    for (int k = 0; k + 1 < ARRAYS; k++)
        store_values(dtype, BYTES / size, (uint32_t)k, k == 1 ? 3 : -1, k == 1 ? 4 : 0, array[k]);
    memset(array[4], 0xff, BYTES);
    EXPECT_STATUS(ctx, weft_tridiag(ctx, WEFT_OPEN_ENDS, dtype, systems, n, a, b, c, d, x, &singular), WEFT_OK);
    EXPECT_STATUS(ctx, weft_tridiag(ctx, WEFT_OPEN_ENDS, dtype, systems, n, a, b, c, d, array[3], &singular),
                  WEFT_OK);
    EXPECT(memcmp(array[3], x, bytes) == 0, "%zu systems of %zu rows of type %s differ", systems, n,
           dtype == WEFT_F32 ? "f32" : "f64");
    for (size_t i = 0; i < BYTES; i++)
        if (i < offset * size || i >= offset * size + bytes)
            EXPECT(((unsigned char *)array[4])[i] == 0xff, "systems of %zu rows: byte %zu is changed", n, i);
}

int main(int argc, char **argv) {
    static const size_t lengths[] = {5, 32, 100, 512, 1000};
    weft_context *ctx;
    void *array[ARRAYS];
    for (int k = 0; k < ARRAYS; k++)
        if (!EXPECT((array[k] = malloc(BYTES)) != NULL, "no memory")) return expect_end();
    if (!EXPECT(weft_open(&ctx, argc > 1 ? argv[1] : "cpu") == WEFT_OK, "%s", weft_last_error(NULL)))
        return expect_end();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        compare(ctx, WEFT_F32, lengths[i], i, array);
        compare(ctx, WEFT_F64, lengths[i], i, array);
    }
    weft_close(ctx);
    for (int k = 0; k < ARRAYS; k++) free(array[k]);
    return expect_end();
}
