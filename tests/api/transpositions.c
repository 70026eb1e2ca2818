/* Tests weft_copy_view of transposed views in the device's memory: each element of the result, and that the memory
 * around them keeps its values. Lengths are whole and partial tiles and squares of a GPU, aligned or not, with and
 * without gaps. Usage: api_transpositions DEVICE. */
#include "core/types.h"
#include "tests/expect.h"

#include <string.h>

enum { MOST = 90000, LAYERS = 2 };

static unsigned char x[8 * MOST], y[8 * MOST];
static void *x_there, *y_there; /* in the device's memory */

/* Layouts of a stack of matrices: elements before the first one; rows begin at multiples of `row` elements. */
typedef struct layout {
    size_t before, row;
} layout;

static weft_view view_of(weft_dtype dtype, unsigned char *data, size_t rows, size_t columns, layout l) {
    const size_t size = weft_dtype_size(dtype), row = (columns + l.row - 1) / l.row * l.row;
    weft_view v = {.size = sizeof v, .dtype = dtype, .dimensions = 3, .data = data + l.before * size};
    v.shape[0] = LAYERS, v.shape[1] = rows, v.shape[2] = columns;
    v.stride[0] = (ptrdiff_t)(rows * row * size);
    v.stride[1] = (ptrdiff_t)(row * size);
    v.stride[2] = (ptrdiff_t)size;
    return v;
}

/* Returns a view of the same elements whose last two axes are exchanged. */
static weft_view transposed(weft_view v) {
    const size_t n = v.shape[1];
    const ptrdiff_t stride = v.stride[1];
    v.shape[1] = v.shape[2], v.shape[2] = n;
    v.stride[1] = v.stride[2], v.stride[2] = stride;
    return v;
}

/* Counts the bytes of y that are neither the element of x nor unchanged around the elements. Restores y. */
static size_t differences(const weft_view *from, const weft_view *to) {
    const size_t size = weft_dtype_size(to->dtype);
    size_t different = 0;
    for (size_t l = 0; l < LAYERS; l++)
        for (size_t r = 0; r < to->shape[1]; r++)
            for (size_t c = 0; c < to->shape[2]; c++) {
                const ptrdiff_t at =
                    (ptrdiff_t)l * to->stride[0] + (ptrdiff_t)r * to->stride[1] + (ptrdiff_t)c * to->stride[2];
                const ptrdiff_t of =
                    (ptrdiff_t)l * from->stride[0] + (ptrdiff_t)r * from->stride[1] + (ptrdiff_t)c * from->stride[2];
                different += memcmp((char *)to->data + at, (char *)from->data + of, size) != 0;
                memset((char *)to->data + at, 0, size);
            }
    for (size_t i = 0; i < sizeof y; i++) different += y[i] != 0;
    memset(y, 0, sizeof y);
    return different;
}

static weft_view there(weft_view v, const unsigned char *from, void *to) {
    v.data = (char *)to + ((unsigned char *)v.data - from);
    return v;
}

static void check(weft_context *ctx, weft_dtype dtype, size_t rows, size_t columns, layout of_x, layout of_y) {
    const weft_view from = transposed(view_of(dtype, x, rows, columns, of_x)),
                    to = view_of(dtype, y, columns, rows, of_y), from_there = there(from, x, x_there),
                    to_there = there(to, y, y_there);
    EXPECT_STATUS(ctx, weft_copy(ctx, sizeof y, y, y_there), WEFT_OK);
    EXPECT_STATUS(ctx, weft_copy_view(ctx, &from_there, &to_there), WEFT_OK);
    EXPECT_STATUS(ctx, weft_copy(ctx, sizeof y, y_there, y), WEFT_OK);
    const size_t different = differences(&from, &to);
    EXPECT(different == 0, "%s, %zu x %zu, x %zu and %zu, y %zu and %zu: %zu bytes differ", weft_dtype_name(dtype),
           rows, columns, of_x.before, of_x.row, of_y.before, of_y.row, different);
}

int main(int argc, char **argv) {
    static const weft_dtype types[] = {WEFT_U8, WEFT_F16, WEFT_F32, WEFT_F64};
    static const size_t shapes[][2] = {{128, 256}, {132, 260}, {68, 12}, {16, 1028}, {1028, 20}, {65, 130}, {24, 24}};
    static const layout layouts[][2] = {{{0, 1}, {0, 1}}, {{8, 8}, {16, 24}}, {{1, 8}, {0, 8}},
                                        {{0, 8}, {1, 8}}, {{0, 7}, {0, 8}},   {{0, 8}, {0, 7}}};
    weft_context *ctx;
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return expect_end();
    EXPECT_STATUS(ctx, weft_alloc(ctx, WEFT_DEVICE, sizeof x, &x_there), WEFT_OK);
    EXPECT_STATUS(ctx, weft_alloc(ctx, WEFT_DEVICE, sizeof y, &y_there), WEFT_OK);
    for (size_t i = 0; i < sizeof x; i++) x[i] = (unsigned char)(1 + i * 7 % 251);
    EXPECT_STATUS(ctx, weft_copy(ctx, sizeof x, x, x_there), WEFT_OK);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++)
                check(ctx, types[t], shapes[s][0], shapes[s][1], layouts[k][0], layouts[k][1]);
    EXPECT_STATUS(ctx, weft_free(ctx, WEFT_DEVICE, x_there), WEFT_OK);
    EXPECT_STATUS(ctx, weft_free(ctx, WEFT_DEVICE, y_there), WEFT_OK);
    weft_close(ctx);
    return expect_end();
}
