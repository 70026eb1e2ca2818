/* Tests weft_map_views: the values have the bits of weft_map of arrays without gaps, for random shapes, strides,
 * types and broadcasts, and nothing around the output is written. Tests the refused arguments too.
 *
 * Usage: api_broadcasts DEVICE. */
#include "core/types.h"
#include "tests/expect.h"
#include "tests/random_view.h"
#include "verify/inputs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 18, SEEDS = 160 }; /* elements of the memory of an array */

static weft_context *ctx;

/* ------------------------------------------------------------------------------------ the bits */

static char x[8 * MOST], y[8 * MOST], z[8 * MOST], before[8 * MOST], x1[8 * MOST], y1[8 * MOST], z1[8 * MOST],
    found[8 * MOST];

/* Evaluates a formula over the views a and b, and compares the values with those of weft_map. */
static void check(const char *formula, const weft_view *a, const weft_view *b, const weft_view *out,
                  const char *what) {
    const int8_t scalar = -5;
    const weft_view_binding views[] = {
        {"x", a, WEFT_F32, NULL}, {"y", b, WEFT_F32, NULL}, {"s", NULL, WEFT_I8, &scalar}};
    const weft_binding arrays[] = {
        {"x", a->dtype, x1, NULL}, {"y", b->dtype, y1, NULL}, {"s", WEFT_I8, NULL, &scalar}};
    weft_view was = *out;
    weft_expr *expr;
    size_t n = 1;
    for (size_t k = 0; k < out->dimensions; k++) n *= out->shape[k];
    gather(a, out, x1);
    gather(b, out, y1);
    memcpy(before, z, sizeof z);
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, formula, &expr), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map_views(ctx, expr, out->dtype, views, 3, out), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map(ctx, expr, out->dtype, n, arrays, 3, z1), WEFT_OK);
    weft_expr_free(expr);
    gather(out, out, found);
    EXPECT(memcmp(found, z1, n * weft_dtype_size(out->dtype)) == 0,
           "%s in %s of %zu values: other bits than weft_map", what, weft_dtype_name(out->dtype), n);
    was.data = before + ((char *)out->data - z); /* restores the values: the rest must be unchanged */
    EXPECT_STATUS(ctx, weft_copy_view(ctx, &was, out), WEFT_OK);
    EXPECT(memcmp(z, before, sizeof z) == 0, "%s: the memory around the values was written", what);
}

static void check_seed(uint64_t seed) {
    enum { REALS = 4, TYPES = 10 };
    static const weft_dtype types[] = {WEFT_F16, WEFT_BF16, WEFT_F32, WEFT_F64, WEFT_I32,
                                       WEFT_I64, WEFT_U32,  WEFT_U64, WEFT_U8,  WEFT_I16};
    static const size_t lengths[] = {1, 2, 3, 5, 8, 17, 40, 130, 1030, 5000};
    draw_state = seed * 977;
    weft_view out = {.size = sizeof out, .dtype = types[draw(8)], .dimensions = draw(5)};
    size_t left = MOST / 16;
    for (size_t k = out.dimensions; k-- > 0; left /= out.shape[k]) {
        const size_t n = lengths[draw(10)];
        out.shape[k] = n <= left ? n : 1;
    }
    lay_out(&out, z, MOST);
    const bool floats = type_is_float(out.dtype) || type_is_half(out.dtype);
    const weft_dtype of_x = draw(2) ? out.dtype : types[floats ? draw(TYPES) : REALS + draw(TYPES - REALS)];
    const weft_dtype of_y = draw(2) ? out.dtype : types[floats ? draw(TYPES) : REALS + draw(TYPES - REALS)];
    input_fill(INPUT_SMALL, of_x, seed, MOST, x);
    input_fill(INPUT_SMALL, of_y, seed + 1, MOST, y);
    input_fill(INPUT_UNIFORM, out.dtype, seed + 2, MOST, z);
    const weft_view a = factor_of(&out, of_x, x, MOST), b = factor_of(&out, of_y, y, MOST);
    check(draw(2) ? "(x - y)*i + s" : "x*s + (i < 7 ? y : x*y)", &a, &b, &out, "views");
    if (of_y == out.dtype) check("y*s - x*i", &a, &out, &out, "in place");
}

/* Rows longer than a block, many short rows, and an output that is transposed. */
static void shapes(weft_dtype dtype) {
    static const size_t some[][2] = {{3, 40000}, {30000, 3}, {300, 400}, {1, 60000}, {60000, 1}, {8, 4096}};
    const ptrdiff_t size = (ptrdiff_t)weft_dtype_size(dtype);
    input_fill(INPUT_UNIFORM, dtype, 5, MOST, x);
    input_fill(INPUT_UNIFORM, dtype, 6, MOST, y);
    for (size_t s = 0; s < sizeof some / sizeof *some; s++) {
        weft_view a, row, column, out;
        weft_view_of(dtype, 2, some[s], x, &a);
        weft_view_of(dtype, 1, some[s] + 1, y, &row);
        weft_view_of(dtype, 2, (size_t[]){some[s][0], 1}, y, &column);
        weft_view_of(dtype, 2, some[s], z, &out);
        check("(x - y)*i + s", &a, &row, &out, "row");
        check("(x - y)*i + s", &a, &column, &out, "column");
        out.stride[0] = size, out.stride[1] = size * (ptrdiff_t)some[s][0];
        check("(x - y)*i + s", &a, &row, &out, "transposed");
    }
}

/* Outputs that exceed the caches, with and without a gap after each row. The
 * values are those of weft_map of each row, which does not. */
static void large(weft_dtype dtype, size_t gap) {
    enum { ROWS = 3001, COLUMNS = 6006 };
    const size_t width = COLUMNS + gap, n = ROWS * width, size = weft_dtype_size(dtype);
    char *const a = malloc(n * size), *const b = malloc(n * size), *const c = malloc(n * size);
    weft_view of_a, of_b, row;
    weft_expr *expr;
    input_fill(INPUT_UNIFORM, dtype, 7, n, a);
    input_fill(INPUT_UNIFORM, dtype, 8, n, b);
    memcpy(c, b, n * size);
    input_fill(INPUT_UNIFORM, dtype, 9, COLUMNS, x);
    weft_view_of(dtype, 2, (size_t[]){ROWS, COLUMNS}, a, &of_a);
    weft_view_of(dtype, 2, (size_t[]){ROWS, COLUMNS}, b, &of_b);
    weft_view_of(dtype, 1, (size_t[]){COLUMNS}, x, &row);
    of_a.stride[0] = of_b.stride[0] = (ptrdiff_t)(width * size);
    const weft_view_binding views[] = {{"x", &of_a, WEFT_F32, NULL}, {"y", &row, WEFT_F32, NULL}};
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, "x - y", &expr), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map_views(ctx, expr, dtype, views, 2, &of_b), WEFT_OK);
    for (size_t r = 0; r < ROWS; r++) {
        const weft_binding arrays[] = {{"x", dtype, a + r * width * size, NULL}, {"y", dtype, x, NULL}};
        EXPECT_STATUS(ctx, weft_map(ctx, expr, dtype, COLUMNS, arrays, 2, c + r * width * size), WEFT_OK);
    }
    EXPECT(memcmp(b, c, n * size) == 0, "gaps of %zu: values of a large array of %s are wrong", gap,
           weft_dtype_name(dtype));
    weft_expr_free(expr);
    free(a);
    free(b);
    free(c);
}

/* -------------------------------------------------------------------------------------- arguments */

static void arguments(void) {
    static double p[12], q[12], r[24];
    const double one = 1;
    weft_view a, b, out;
    weft_expr *expr;
    weft_view_of(WEFT_F64, 2, (size_t[]){3, 4}, p, &a);
    weft_view_of(WEFT_F64, 1, (size_t[]){4}, q, &b);
    weft_view_of(WEFT_F64, 2, (size_t[]){3, 4}, r, &out);
    weft_view_binding both[] = {{"x", &a, WEFT_F64, NULL}, {"y", &b, WEFT_F64, NULL}};
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, "x + y + 1", &expr), WEFT_OK);
#define REFUSED(status, words) EXPECT_ERROR(ctx, weft_map_views(ctx, expr, WEFT_F64, both, 2, &out), status, words)
#define WITH(object, change, status, words)      \
    do {                                         \
        const __typeof__(object) other = object; \
        change;                                  \
        REFUSED(status, words);                  \
        object = other;                          \
    } while (0)
    WITH(b, b.shape[0] = 3, WEFT_INVALID, "y of shape (3) cannot be broadcast to out of shape (3, 4)");
    WITH(out, weft_view_of(WEFT_F64, 1, (size_t[]){4}, r, &out), WEFT_INVALID, "x has 2 dimensions, more than out");
    WITH(out, out.dtype = WEFT_F32, WEFT_INVALID, "out has elements of type f32: expected f64");
    WITH(out, out.data = p, WEFT_OK, "");
    WITH(out, out.data = q, WEFT_INVALID, "overlap");
    WITH(out, (out.data = p, out.stride[0] = 8, out.stride[1] = 24), WEFT_INVALID, "overlap");
    WITH(out, out.stride[0] = 8, WEFT_INVALID, "out: elements of shape (3, 4) with strides (8, 8) overlap");
    WITH(a, a.size = 1, WEFT_INVALID, "x: size is 1");
    WITH(a, a.dtype = (weft_dtype)99, WEFT_INVALID, "x: invalid dtype 99");
    WITH(out, out.dtype = WEFT_F16, WEFT_INVALID, "out has elements of type f16: expected f64");
    WITH(a, a.data = NULL, WEFT_INVALID, "x: data is NULL");
    WITH(both[0], both[0].scalar = &one, WEFT_INVALID, "the variable x is bound to both a view and a scalar");
    WITH(both[0], both[0].view = NULL, WEFT_INVALID, "x");
    WITH(both[0], both[0].name = "z", WEFT_INVALID, "z is bound, but the formula has no variable of this name");
    WITH(both[0], both[0].name = "y", WEFT_INVALID, "the variable x of the formula is not bound");
    EXPECT_ERROR(ctx, weft_map_views(ctx, NULL, WEFT_F64, both, 2, &out), WEFT_INVALID, "expr is NULL");
    EXPECT_ERROR(ctx, weft_map_views(ctx, expr, WEFT_F64, NULL, 2, &out), WEFT_INVALID, "bindings is NULL");
    EXPECT_ERROR(ctx, weft_map_views(ctx, expr, WEFT_F64, both, 2, NULL), WEFT_INVALID, "out is NULL");
    EXPECT_ERROR(ctx, weft_map_views(ctx, expr, WEFT_I32, both, 2, &out), WEFT_UNSUPPORTED,
                 "x is f64, which cannot be evaluated in i32");
    for (size_t i = 0; i < 24; i++) EXPECT(r[i] == 0, "a refused call wrote value %zu", i);
    weft_expr_free(expr);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return expect_end();
    for (uint64_t seed = 0; seed < SEEDS; seed++) check_seed(seed);
    shapes(WEFT_F32);
    shapes(WEFT_F16);
    shapes(WEFT_BF16);
    for (size_t gap = 0; gap < 2 && strcmp(device, "cpu") == 0; gap++) large(WEFT_F32, gap), large(WEFT_F16, gap);
    arguments();
    weft_close(ctx);
    return expect_end();
}
