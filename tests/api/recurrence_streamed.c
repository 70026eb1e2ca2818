/* Tests that weft_recurrence returns the same bits with nontemporal stores, which large results use, and with normal
 * stores, which results use that overwrite an input. Arrays of weft verify are too small for the former. The argument
 * is the device's name. */
#include "tests/expect.h"
#include "tests/values.h"

#include <stdlib.h>

enum { BYTES = (1 << 25) + (1 << 16) }; /* a result of more than 32 MiB */

static void compare(weft_context *ctx, weft_dtype dtype, size_t n, weft_direction direction, void *const *array) {
    const size_t size = weft_dtype_size(dtype), rows = BYTES / size / n, bytes = rows * n * size;
    void *const s = array[0], *const u = array[1], *const v = array[2];
    store_values(dtype, rows * n, 1, -1, 1, s);
    store_values(dtype, rows * n, 2, -1, 1, u);
    memset(v, 0xff, BYTES);
    EXPECT_STATUS(ctx, weft_recurrence(ctx, direction, dtype, rows, n, s, u, NULL, v), WEFT_OK);
    EXPECT_STATUS(ctx, weft_recurrence(ctx, direction, dtype, rows, n, s, u, NULL, u), WEFT_OK);
    EXPECT(memcmp(u, v, bytes) == 0, "%zu rows of %zu values of type %s, direction %d, differ", rows, n,
           dtype == WEFT_F32 ? "f32" : "f64", (int)direction);
    for (size_t i = bytes; i < BYTES; i++)
        EXPECT(((unsigned char *)v)[i] == 0xff, "rows of %zu: byte %zu after the result is changed", n, i - bytes);
}

int main(int argc, char **argv) {
    static const size_t lengths[] = {1, 3, 16, 100, 255, 257, 1000, 3001, 4096, 5000};
    weft_context *ctx;
    void *array[] = {malloc(BYTES), malloc(BYTES), malloc(BYTES)};
    if (!EXPECT(array[0] && array[1] && array[2], "no memory") ||
        !EXPECT(weft_open(&ctx, argc > 1 ? argv[1] : "cpu") == WEFT_OK, "%s", weft_last_error(NULL)))
        return expect_end();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int direction = WEFT_FORWARD; direction <= WEFT_REVERSE; direction++) {
            compare(ctx, WEFT_F32, lengths[i], (weft_direction)direction, array);
            compare(ctx, WEFT_F64, lengths[i], (weft_direction)direction, array);
        }
    weft_close(ctx);
    for (size_t i = 0; i < 3; i++) free(array[i]);
    return expect_end();
}
