/* Tests weft_map_reduce_axes: the bits of weft_map_views followed by weft_reduce_axes, for random shapes, strides,
 * types, axes and broadcasts, and nothing around the output is written. Tests the refused arguments too.
 *
 * Usage: api_formula_reductions DEVICE. */
#include "core/types.h"
#include "tests/expect.h"
#include "tests/random_view.h"
#include "verify/inputs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, LARGEST = 1 << 20, SEEDS = 300, GPU_SEEDS = 60 };

static weft_context *ctx;
static char x[8 * LARGEST], y[8 * LARGEST], z[8 * MOST], before[8 * MOST], values[8 * LARGEST];

/* ------------------------------------------------------------------------------------ the bits */

/* The arguments of a call. `shape` has the type and the shape of the values. */
typedef struct reduction {
    const char *formula;
    weft_op op;
    weft_dtype accumulate;
    weft_view shape;
    size_t count;
    int axes[WEFT_DIMENSIONS_MAX];
} reduction;

/* Compares the results with those of the two calls. Both write z, which has the contents `before` at first. */
static void check(const reduction *r, const weft_view *a, const weft_view *b, const weft_view *out, uint64_t seed) {
    static char found[8 * MOST];
    const int16_t scalar = 3;
    const weft_view_binding views[] = {
        {"x", a, WEFT_F32, NULL}, {"y", b, WEFT_F32, NULL}, {"s", NULL, WEFT_I16, &scalar}};
    weft_view whole;
    weft_expr *expr;
    memcpy(before, z, sizeof z);
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, r->formula, &expr), WEFT_OK);
    const weft_status status =
        weft_map_reduce_axes(ctx, r->op, expr, r->shape.dtype, r->accumulate, r->shape.dimensions, r->shape.shape,
                             views, 3, r->count, r->axes, out);
    memcpy(found, z, sizeof z);
    memcpy(z, before, sizeof z);
    EXPECT_STATUS(ctx, weft_view_of(r->shape.dtype, r->shape.dimensions, r->shape.shape, values, &whole), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map_views(ctx, expr, whole.dtype, views, 3, &whole), WEFT_OK);
    const weft_status expected = weft_reduce_axes(ctx, r->op, r->accumulate, &whole, r->count, r->axes, out);
    EXPECT(status == expected, "%s of %s, seed %llu: status %s, expected %s", weft_op_name(r->op), r->formula,
           (unsigned long long)seed, weft_status_name(status), weft_status_name(expected));
    EXPECT(memcmp(z, found, sizeof z) == 0, "%s of %s in %s, seed %llu: other bits than of the two calls",
           weft_op_name(r->op), r->formula, weft_dtype_name(whole.dtype), (unsigned long long)seed);
    weft_expr_free(expr);
}

/* Sets the shape of the results: without the axes, or with length 1 for each of them. */
static weft_view shape_of_out(const reduction *r, weft_dtype dtype, bool keeps) {
    weft_view out = {.size = sizeof out, .dtype = dtype};
    for (size_t k = 0; k < r->shape.dimensions; k++) {
        bool reduced = false;
        for (size_t a = 0; a < r->count; a++) {
            const int axis = r->axes[a] < 0 ? r->axes[a] + (int)r->shape.dimensions : r->axes[a];
            reduced = reduced || axis == (int)k;
        }
        if (!reduced || keeps) out.shape[out.dimensions++] = reduced ? 1 : r->shape.shape[k];
    }
    return out;
}

/* Chooses different axes. */
static void draw_axes(reduction *r) {
    bool chosen[WEFT_DIMENSIONS_MAX] = {false};
    r->count = draw(r->shape.dimensions + 1);
    for (size_t a = 0; a < r->count; a++) {
        size_t axis;
        do axis = draw(r->shape.dimensions);
        while (chosen[axis]);
        chosen[axis] = true;
        r->axes[a] = (int)axis - (draw(2) ? (int)r->shape.dimensions : 0);
    }
}

static void check_seed(uint64_t seed) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    static const weft_op ops[] = {WEFT_SUM, WEFT_PROD, WEFT_MAX, WEFT_ARGMIN, WEFT_MEAN, WEFT_NORM2, WEFT_ANY};
    static const size_t lengths[] = {1, 2, 3, 5, 17, 40, 300, 0};
    reduction r = {.op = ops[seed % 7]};
    weft_dtype result;
    draw_state = seed * 983;
    r.formula = draw(2) ? "(x - y)*i + s" : "x*s + (i < 7 ? y : x*y)";
    r.shape = (weft_view){.size = sizeof r.shape, .dtype = types[draw(6)], .dimensions = draw(5)};
    const bool is_float = type_is_float(r.shape.dtype);
    r.accumulate = is_float && r.op == WEFT_SUM ? (draw(2) ? WEFT_F64 : WEFT_EXACT_SUM) : WEFT_DEFAULT;
    size_t left = MOST / 16;
    for (size_t k = r.shape.dimensions; k-- > 0; left /= r.shape.shape[k] ? r.shape.shape[k] : 1) {
        const size_t n = lengths[draw(seed % 8 ? 7 : 8)];
        r.shape.shape[k] = n <= left ? n : 1;
    }
    draw_axes(&r);
    EXPECT_STATUS(ctx, weft_reduce_result(r.op, r.shape.dtype, r.accumulate, &result), WEFT_OK);
    weft_view out = shape_of_out(&r, result, draw(2));
    lay_out(&out, z, MOST);
    const weft_dtype narrow = is_float ? WEFT_F16 : WEFT_U8, of_x = draw(2) ? r.shape.dtype : narrow;
    input_fill(INPUT_SMALL, of_x, seed, MOST, x);
    input_fill(INPUT_SMALL, r.shape.dtype, seed + 1, MOST, y);
    input_fill(INPUT_UNIFORM, result, seed + 2, MOST, z);
    const weft_view a = factor_of(&r.shape, of_x, x, MOST), b = factor_of(&r.shape, r.shape.dtype, y, MOST);
    check(&r, &a, &b, &out, seed);
}

/* Values that a CPU computes in several parts. */
static void check_parts(void) {
    static const struct {
        size_t shape[3], count;
        int axes[2];
    } cases[] = {{{3, 700, 400}, 1, {1}}, {{3, 700, 400}, 2, {2, 0}}, {{400, 3, 700}, 1, {0}},
                 {{700, 30, 40}, 1, {2}}, {{1, 20, 40000}, 1, {2}},   {{30000, 11, 3}, 1, {0}},
                 {{2, 3, 100000}, 0, {0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reduction r = {.formula = "(x - y)*i + s", .op = WEFT_SUM, .count = cases[i].count};
        weft_view a, row, out;
        draw_state = i;
        memcpy(r.axes, cases[i].axes, sizeof cases[i].axes);
        weft_view_of(WEFT_F64, 3, cases[i].shape, x, &a);
        r.shape = a;
        weft_view_of(WEFT_F64, 1, cases[i].shape + 2, y, &row);
        out = shape_of_out(&r, WEFT_F64, i % 2);
        if (elements_of(&out) > MOST) r.count = 1, r.axes[0] = 2, out = shape_of_out(&r, WEFT_F64, true);
        lay_out(&out, z, MOST);
        input_fill(INPUT_UNIFORM, WEFT_F64, i, LARGEST, x);
        input_fill(INPUT_UNIFORM, WEFT_F64, i + 1, LARGEST, y);
        input_fill(INPUT_UNIFORM, WEFT_F64, i + 2, MOST, z);
        check(&r, &a, &row, &out, 5000 + i);
    }
}

/* -------------------------------------------------------------------------------------- arguments */

static void arguments(void) {
    static double p[12], q[12], s[4];
    weft_view a, b, out;
    weft_expr *expr;
    size_t dimensions = 2, shape[] = {3, 4};
    const size_t *lengths = shape;
    weft_op op = WEFT_SUM;
    weft_dtype dtype = WEFT_F64;
    int axis = 0;
    weft_view_of(WEFT_F64, 2, (size_t[]){3, 4}, p, &a);
    weft_view_of(WEFT_F64, 1, (size_t[]){4}, q, &b);
    weft_view_of(WEFT_F64, 1, (size_t[]){4}, s, &out);
    const weft_view_binding both[] = {{"x", &a, WEFT_F64, NULL}, {"y", &b, WEFT_F64, NULL}};
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, "x + y + 1", &expr), WEFT_OK);
#define REFUSED(change, status, words)                                                                              \
    do {                                                                                                            \
        const weft_view good_a = a, good_out = out;                                                                 \
        change;                                                                                                     \
        EXPECT_ERROR(                                                                                               \
            ctx,                                                                                                    \
            weft_map_reduce_axes(ctx, op, expr, dtype, WEFT_DEFAULT, dimensions, lengths, both, 2, 1, &axis, &out), \
            status, words);                                                                                         \
        a = good_a, out = good_out, dimensions = 2, shape[0] = 3, shape[1] = 4, lengths = shape, op = WEFT_SUM;     \
        dtype = WEFT_F64, axis = 0;                                                                                 \
    } while (0)
    REFUSED(op = (weft_op)99, WEFT_INVALID, "invalid op 99");
    REFUSED(dtype = WEFT_F16, WEFT_UNSUPPORTED, "f16");
    REFUSED(dtype = WEFT_I32, WEFT_UNSUPPORTED, "x is f64, which cannot be evaluated in i32");
    REFUSED(op = WEFT_XOR, WEFT_UNSUPPORTED, "xor requires integer elements, not f64");
    REFUSED(dimensions = 17, WEFT_INVALID, "17 dimensions: at most 16 are supported");
    REFUSED(lengths = NULL, WEFT_INVALID, "shape is NULL");
    REFUSED(shape[0] = SIZE_MAX, WEFT_INVALID, "has too many elements");
    REFUSED(shape[1] = 3, WEFT_INVALID, "out has shape (4): expected (3)");
    REFUSED(shape[0] = 2, WEFT_INVALID, "x of shape (3, 4) cannot be broadcast to the values of shape (2, 4)");
    REFUSED(axis = 2, WEFT_INVALID, "axis 2 is out of range: the array has 2 dimensions");
    REFUSED(out.dtype = WEFT_F32, WEFT_INVALID, "out has elements of type f32: expected f64");
    REFUSED(out.data = p + 8, WEFT_INVALID, "overlap");
    REFUSED(out.data = q, WEFT_INVALID, "overlap");
    REFUSED((op = WEFT_MAX, shape[0] = 0, a.shape[0] = 1), WEFT_EMPTY, "max of 0 elements is undefined");
    for (size_t i = 0; i < 4; i++) EXPECT(s[i] == 0, "a refused call wrote out");
#undef REFUSED
    EXPECT_ERROR(NULL, weft_map_reduce_axes(NULL, op, expr, dtype, WEFT_DEFAULT, 2, shape, both, 2, 1, &axis, &out),
                 WEFT_INVALID, "ctx is NULL");
    weft_expr_free(expr);
}

int main(int argc, char **argv) {
    const char *const device = argc > 1 ? argv[1] : "cpu";
    const bool on_host = strncmp(device, "cuda", 4) != 0;
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return expect_end();
    for (uint64_t seed = 0; seed < (on_host ? SEEDS : GPU_SEEDS); seed++) check_seed(seed);
    if (on_host) check_parts();
    arguments();
    weft_close(ctx);
    return expect_end();
}
