/* Tests weft_scan_axis of few long columns, whose parts a GPU scans at the same time: each column has the bits of
 * weft_scan of that column alone. The lengths are a few tiles, a few groups of 16 tiles, and more than 16 such
 * groups. Usage: api_long_columns DEVICE. */
#include "core/types.h"
#include "tests/expect.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 70005 * 3 };

/* Fills with numbers of different magnitudes and signs. */
static void fill(weft_dtype dtype, unsigned char *x) {
    uint64_t state = 1;
    for (size_t i = 0; i < MOST; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double v = ((double)(state >> 11) * 0x1p-52 - 1) * (double)(1 << (state >> 5) % 20);
        const float narrow = (float)v;
        if (dtype == WEFT_F64)
            memcpy(x + 8 * i, &v, sizeof v);
        else
            memcpy(x + 4 * i, &narrow, sizeof narrow);
    }
}

static void check(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype, size_t rows, size_t columns) {
    static unsigned char x[8 * MOST], y[8 * MOST], column[8 * MOST], expected[8 * MOST];
    const size_t size = weft_dtype_size(dtype), shape[] = {rows, columns};
    weft_view from, to;
    fill(dtype, x);
    EXPECT_STATUS(ctx, weft_view_of(dtype, 2, shape, x, &from), WEFT_OK);
    EXPECT_STATUS(ctx, weft_view_of(dtype, 2, shape, y, &to), WEFT_OK);
    EXPECT_STATUS(ctx, weft_scan_axis(ctx, op, kind, WEFT_DEFAULT, &from, 0, x, &to), WEFT_OK);
    for (size_t c = 0; c < columns; c++) {
        size_t different = 0;
        for (size_t i = 0; i < rows; i++) memcpy(column + i * size, x + (i * columns + c) * size, size);
        EXPECT_STATUS(ctx, weft_scan(ctx, op, kind, dtype, WEFT_DEFAULT, rows, column, x, expected), WEFT_OK);
        for (size_t i = 0; i < rows; i++)
            different += memcmp(y + (i * columns + c) * size, expected + i * size, size) != 0;
        EXPECT(different == 0, "%s of %s, %zu rows: %zu results of column %zu of %zu", weft_op_name(op),
               weft_dtype_name(dtype), rows, different, c, columns);
    }
}

int main(int argc, char **argv) {
    static const size_t shapes[][2] = {{1500, 40}, {5003, 33}, {70005, 3}};
    weft_context *ctx;
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return expect_end();
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        check(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, shapes[k][0], shapes[k][1]);
        check(ctx, WEFT_SUM, WEFT_EXCLUSIVE, WEFT_F64, shapes[k][0], shapes[k][1]);
        check(ctx, WEFT_MAX, WEFT_INCLUSIVE, WEFT_F32, shapes[k][0], shapes[k][1]);
    }
    weft_close(ctx);
    return expect_end();
}
