/* Tests every argument that the functions of views reject: the error message, and that nothing was written. The
 * argument is the device's name. */
#include "tests/expect.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static weft_context *ctx;
static float x[24];
static double out[24];
static unsigned char before[sizeof out];

static weft_view view(weft_dtype dtype, size_t dimensions, const size_t *shape, void *data) {
    weft_view v;
    const weft_status status = weft_view_of(dtype, dimensions, shape, data, &v);
    EXPECT(status == WEFT_OK, "view_of: %s", weft_last_error(NULL));
    return v;
}

#define SHAPE(...) \
    (sizeof(size_t[]){__VA_ARGS__} / sizeof(size_t)), (const size_t[]) { __VA_ARGS__ }
#define AXES(...) \
    (sizeof(int[]){__VA_ARGS__} / sizeof(int)), (const int[]) { __VA_ARGS__ }
#define EXPECT_SUM(x, axes, out, status, words) \
    EXPECT_ERROR(ctx, weft_reduce_axes(ctx, WEFT_SUM, WEFT_DEFAULT, x, axes, out), status, words)

static void views_of(void) {
    weft_view v;
    EXPECT(weft_view_of(WEFT_F32, SHAPE(2, 3, 4), x, &v) == WEFT_OK, "%s", weft_last_error(NULL));
    EXPECT(v.size == sizeof v && v.dimensions == 3 && v.shape[2] == 4 && v.data == x, "members");
    EXPECT(v.stride[0] == 48 && v.stride[1] == 16 && v.stride[2] == 4, "strides %td %td %td", v.stride[0],
           v.stride[1], v.stride[2]);
    EXPECT(weft_view_of(WEFT_F16, 0, NULL, NULL, &v) == WEFT_OK && v.dimensions == 0, "no dimensions");
    EXPECT(weft_view_of(WEFT_F64, SHAPE(0, SIZE_MAX, SIZE_MAX), NULL, &v) == WEFT_INVALID, "large and empty");
#define REFUSED(call, words) EXPECT_ERROR(NULL, call, WEFT_INVALID, words)
    REFUSED(weft_view_of(WEFT_F32, SHAPE(2), x, NULL), "view is NULL");
    REFUSED(weft_view_of((weft_dtype)11, SHAPE(2), x, &v), "invalid dtype 11");
    REFUSED(weft_view_of(WEFT_F32, 17, (const size_t[17]){1}, x, &v), "17 dimensions: at most 16 are supported");
    REFUSED(weft_view_of(WEFT_F32, 2, NULL, x, &v), "shape is NULL");
    REFUSED(weft_view_of(WEFT_F32, SHAPE(SIZE_MAX / 4, 2), x, &v),
            "shape (4611686018427387903, 2) of f32 does not fit");
#undef REFUSED
}

/* Tests what check_view rejects, for each function and argument. */
static void each_view(void) {
    const weft_view good = view(WEFT_F32, SHAPE(2, 3), x), row = view(WEFT_F32, SHAPE(3), out);
    const weft_view apart = view(WEFT_F32, SHAPE(2, 3), out), keys = view(WEFT_I32, SHAPE(3), x);
    const double half = 0.5;
    weft_view v;
#define EACH_REFUSED(words)                                                                                        \
    EXPECT_SUM(&v, AXES(0), &row, WEFT_INVALID, "x" words);                                                        \
    EXPECT_ERROR(ctx, weft_variance_axes(ctx, WEFT_DEFAULT, 0, &v, AXES(0), &row), WEFT_INVALID, "x" words);       \
    EXPECT_ERROR(ctx, weft_dot_axes(ctx, WEFT_DEFAULT, &v, &good, AXES(0), &row), WEFT_INVALID, "x" words);        \
    EXPECT_ERROR(ctx, weft_dot_axes(ctx, WEFT_DEFAULT, &good, &v, AXES(0), &row), WEFT_INVALID, "y" words);        \
    EXPECT_ERROR(ctx, weft_scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &v, 0, NULL, &v), WEFT_INVALID,  \
                 "x" words);                                                                                       \
    EXPECT_ERROR(ctx, weft_sort_axis(ctx, WEFT_ASCENDING, &v, 0, &v), WEFT_INVALID, "x" words);                    \
    EXPECT_ERROR(ctx, weft_argsort_axis(ctx, WEFT_ASCENDING, &v, 0, &v), WEFT_INVALID, "x" words);                 \
    EXPECT_ERROR(ctx, weft_argsort_axis(ctx, WEFT_ASCENDING, &good, 0, &v), WEFT_INVALID, "indices" words);        \
    EXPECT_ERROR(ctx, weft_top_k_axis(ctx, WEFT_LARGEST, &v, 0, 1, &row, NULL), WEFT_INVALID, "x" words);          \
    EXPECT_ERROR(ctx, weft_top_k_axis(ctx, WEFT_LARGEST, &good, 0, 2, &v, NULL), WEFT_INVALID, "values" words);    \
    EXPECT_ERROR(ctx, weft_top_k_axis(ctx, WEFT_LARGEST, &good, 0, 2, &apart, &v), WEFT_INVALID, "indices" words); \
    EXPECT_ERROR(ctx, weft_quantile_axis(ctx, WEFT_LINEAR, &v, 0, 1, &half, &row), WEFT_INVALID, "x" words);       \
    EXPECT_ERROR(ctx, weft_quantile_axis(ctx, WEFT_LINEAR, &good, 0, 1, &half, &v), WEFT_INVALID, "y" words);      \
    EXPECT_ERROR(ctx, weft_take_axis(ctx, WEFT_RANGE_ERROR, &v, 0, &row, &row), WEFT_INVALID, "x" words);          \
    EXPECT_ERROR(ctx, weft_take_axis(ctx, WEFT_RANGE_ERROR, &good, 0, &v, &row), WEFT_INVALID, "index" words);     \
    EXPECT_ERROR(ctx, weft_take_axis(ctx, WEFT_RANGE_ERROR, &good, 0, &keys, &v), WEFT_INVALID, "y" words);        \
    EXPECT_ERROR(ctx, weft_put_axis(ctx, WEFT_RANGE_ERROR, &v, 0, &row, &row), WEFT_INVALID, "x" words);           \
    EXPECT_ERROR(ctx, weft_put_axis(ctx, WEFT_RANGE_ERROR, &good, 0, &v, &row), WEFT_INVALID, "index" words);      \
    EXPECT_ERROR(ctx, weft_put_axis(ctx, WEFT_RANGE_ERROR, &good, 0, &keys, &v), WEFT_INVALID, "y" words);         \
    EXPECT_ERROR(ctx, weft_copy_view(ctx, &v, &row), WEFT_INVALID, "x" words);                                     \
    EXPECT_ERROR(ctx, weft_copy_view(ctx, &good, &v), WEFT_INVALID, "y" words)
    v = good, v.size = 8;
    EACH_REFUSED(": size is 8: expected sizeof(weft_view), which is 304");
    v = good, v.dtype = WEFT_DEFAULT;
    EACH_REFUSED(": invalid dtype 0");
    v = good, v.dimensions = 17;
    EACH_REFUSED(" has 17 dimensions: at most 16 are supported");
    v = good, v.data = NULL;
    EACH_REFUSED(": data is NULL");
    v = good, v.data = (char *)x + 2;
    EACH_REFUSED(" is at 0x");
    v = good, v.stride[1] = 6;
    EACH_REFUSED(": the stride of axis 1, 6 bytes, is not a multiple of the 4-byte elements");
    v = good, v.stride[0] = PTRDIFF_MAX - 3;
    EACH_REFUSED(": shape (2, 3) with strides (9223372036854775804, 4) at 0x");
    v = good, v.stride[0] = -(ptrdiff_t)((uintptr_t)x / 4 * 4) - 4;
    EACH_REFUSED(": shape (2, 3) with strides (-");
    v = good, v.shape[0] = SIZE_MAX, v.stride[0] = 0;
    EACH_REFUSED(": shape (18446744073709551615, 3) with strides (0, 4) at 0x");
    v = good, v.shape[0] = 0, v.shape[1] = SIZE_MAX, v.dimensions = 3, v.shape[2] = 2, v.stride[2] = 4;
    EACH_REFUSED(": shape (0, 18446744073709551615, 2) with strides (12, 4, 4) at 0x");
    v = good, v.buffer = x, v.buffer_bytes = 20;
    EACH_REFUSED(": its elements are bytes 0 to 23 of its buffer, which has 20 bytes");
    v = good, v.stride[0] = -12, v.data = x + 2, v.buffer = x, v.buffer_bytes = sizeof x;
    EACH_REFUSED(": its elements are bytes -4 to 19 of its buffer, which has 96 bytes");
#undef EACH_REFUSED
    EXPECT_SUM(NULL, AXES(0), &row, WEFT_INVALID, "x is NULL");
    EXPECT_SUM(&good, AXES(0), NULL, WEFT_INVALID, "out is NULL");
    EXPECT_ERROR(ctx, weft_copy_view(ctx, NULL, &row), WEFT_INVALID, "x is NULL");
    EXPECT_ERROR(ctx, weft_copy_view(ctx, &good, NULL), WEFT_INVALID, "y is NULL");
    EXPECT_ERROR(NULL, weft_copy_view(NULL, &good, &row), WEFT_INVALID, "ctx is NULL");
}

static void outputs(void) {
    const weft_view a = view(WEFT_F32, SHAPE(2, 3), x), cube = view(WEFT_F32, SHAPE(2, 3, 4), x);
    weft_view y = view(WEFT_F32, SHAPE(2, 3), out);
    y.stride[0] = 8;
    EXPECT_ERROR(ctx, weft_copy_view(ctx, &a, &y), WEFT_INVALID,
                 "y: elements of shape (2, 3) with strides (8, 4) overlap");
    y.stride[0] = 0;
    EXPECT_ERROR(ctx, weft_copy_view(ctx, &a, &y), WEFT_INVALID, "with strides (0, 4) overlap");
    y.stride[0] = -4;
    y.data = out + 8;
    EXPECT_ERROR(ctx, weft_copy_view(ctx, &a, &y), WEFT_INVALID, "with strides (-4, 4) overlap");
    y = view(WEFT_F32, SHAPE(2, 3), x + 5);
    EXPECT_ERROR(ctx, weft_copy_view(ctx, &a, &y), WEFT_INVALID, "overlaps");
    EXPECT_ERROR(ctx, weft_scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &a, 0, NULL, &y), WEFT_INVALID,
                 "overlaps");
    y = view(WEFT_F64, SHAPE(3), out);
    EXPECT_SUM(&a, AXES(0), &y, WEFT_INVALID, "out has elements of type f64: expected f32");
    EXPECT_ERROR(ctx, weft_copy_view(ctx, &a, &y), WEFT_INVALID, "x has elements of type f32: expected f64");
    y = view(WEFT_F32, SHAPE(2), out);
    EXPECT_SUM(&a, AXES(0), &y, WEFT_INVALID, "out has shape (2): expected (3)");
    y = view(WEFT_F32, SHAPE(3, 1), out);
    EXPECT_SUM(&a, AXES(0), &y, WEFT_INVALID, "out has shape (3, 1): expected (1, 3)");
    EXPECT_SUM(&cube, AXES(0, 2), &y, WEFT_INVALID, "out has shape (3, 1): expected (3)");
    EXPECT_ERROR(ctx, weft_scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &a, 0, NULL, &y), WEFT_INVALID,
                 "y has shape (3, 1): expected that of x, (2, 3)");
    EXPECT_ERROR(ctx, weft_copy_view(ctx, &a, &y), WEFT_INVALID,
                 "x of shape (2, 3) cannot be broadcast to y of shape (3, 1)");
    EXPECT_ERROR(ctx, weft_copy_view(ctx, &cube, &y), WEFT_INVALID, "x has 3 dimensions, more than y, which has 2");
}

/* Tests what only weft_dot_axes rejects: operands of different types or of shapes that cannot be broadcast. */
static void dots(void) {
    const weft_view a = view(WEFT_F32, SHAPE(2, 3), x), b = view(WEFT_F32, SHAPE(2), x + 12),
                    none = view(WEFT_F32, SHAPE(2, 0), x);
    const weft_view column = view(WEFT_F32, SHAPE(2, 1), x + 12), wide = view(WEFT_F64, SHAPE(2, 3), x);
    const weft_view whole = view(WEFT_I32, SHAPE(2, 3), x);
    weft_view y = view(WEFT_F32, SHAPE(2), out), huge = column;
#define REFUSED(x, y, axes, out, status, words) \
    EXPECT_ERROR(ctx, weft_dot_axes(ctx, WEFT_DEFAULT, x, y, axes, out), status, words)
    REFUSED(&a, NULL, AXES(1), &y, WEFT_INVALID, "y is NULL");
    REFUSED(&a, &a, AXES(1), NULL, WEFT_INVALID, "out is NULL");
    REFUSED(&a, &b, AXES(1), &y, WEFT_INVALID,
            "x of shape (2, 3) and y of shape (2) cannot be broadcast to one shape");
    REFUSED(&b, &a, AXES(1), &y, WEFT_INVALID,
            "x of shape (2) and y of shape (2, 3) cannot be broadcast to one shape");
    REFUSED(&a, &none, AXES(1), &y, WEFT_INVALID, "x of shape (2, 3) and y of shape (2, 0) cannot be broadcast");
    REFUSED(&a, &wide, AXES(1), &y, WEFT_INVALID, "y has elements of type f64: expected f32");
    REFUSED(&a, &column, AXES(2), &y, WEFT_INVALID, "axis 2 is out of range: the array has 2 dimensions");
    REFUSED(&b, &column, AXES(-3), &y, WEFT_INVALID, "axis -3 is out of range: the array has 2 dimensions");
    REFUSED(&a, &column, AXES(1, -1), &y, WEFT_INVALID, "axes 1 and -1 are the same axis");
    REFUSED(&a, &column, AXES(0, 1, 2), &y, WEFT_INVALID, "3 axes: the array has 2 dimensions");
    EXPECT_ERROR(ctx, weft_dot_axes(ctx, WEFT_DEFAULT, &a, &column, 1, NULL, &y), WEFT_INVALID, "axes is NULL");
    REFUSED(&a, &column, AXES(0), &y, WEFT_INVALID, "out has shape (2): expected (3)");
    REFUSED(&b, &column, AXES(0, 1), &y, WEFT_INVALID, "out has shape (2): expected ()");
    REFUSED(&whole, &whole, AXES(1), &y, WEFT_INVALID, "out has elements of type f32: expected i64");
    y = view(WEFT_F32, SHAPE(2), x + 5);
    REFUSED(&a, &column, AXES(1), &y, WEFT_INVALID, "overlaps");
    REFUSED(&column, &a, AXES(1), &y, WEFT_INVALID, "overlaps");
    y.data = x + 13;
    REFUSED(&a, &column, AXES(1), &y, WEFT_INVALID, "overlaps");
    y = view(WEFT_F32, SHAPE(2), out), y.stride[0] = 0;
    REFUSED(&a, &a, AXES(1), &y, WEFT_INVALID, "out: elements of shape (2) with strides (0) overlap");
    y = view(WEFT_F32, SHAPE(1), out);
    huge.shape[0] = huge.shape[1] = 1, huge.dimensions = 2;
    huge.shape[0] = (size_t)1 << 40, huge.stride[0] = 0;
    weft_view other = huge;
    other.shape[0] = 1, other.shape[1] = (size_t)1 << 40, other.stride[1] = 0;
    REFUSED(&huge, &other, AXES(0, 1), &y, WEFT_INVALID,
            "the shape of x and y, (1099511627776, 1099511627776), has too many elements");
#undef REFUSED
    y = view(WEFT_F64, SHAPE(2), out);
    EXPECT_ERROR(ctx, weft_dot_axes(ctx, WEFT_F64, &whole, &whole, AXES(1), &y), WEFT_UNSUPPORTED,
                 "dot of i32 cannot accumulate in f64");
    EXPECT_ERROR(ctx, weft_dot_axes(ctx, WEFT_EXACT_SUM, &whole, &whole, AXES(1), &y), WEFT_UNSUPPORTED,
                 "dot of i32 cannot accumulate in exact");
    EXPECT_ERROR(NULL, weft_dot_axes(NULL, WEFT_DEFAULT, &a, &a, AXES(1), &y), WEFT_INVALID, "ctx is NULL");
}

/* Products of 0 elements are +0; without vectors nothing is written; both operands may be one view. */
static void dots_of_few(void) {
    const weft_view none = view(WEFT_F32, SHAPE(2, 0), NULL), column = view(WEFT_F32, SHAPE(2, 1), x);
    weft_view y = view(WEFT_F32, SHAPE(2), out);
    float *const sums = (float *)(void *)out;
    for (size_t i = 0; i < 6; i++) x[i] = (float)i;
    sums[0] = sums[1] = -1;
    EXPECT_STATUS(ctx, weft_dot_axes(ctx, WEFT_DEFAULT, &none, &column, AXES(1), &y), WEFT_OK);
    EXPECT(sums[0] == 0 && sums[1] == 0 && !signbit(sums[0]), "products of nothing: %g, %g", sums[0], sums[1]);
    y = view(WEFT_F32, SHAPE(0), NULL);
    EXPECT_STATUS(ctx, weft_dot_axes(ctx, WEFT_DEFAULT, &column, &none, AXES(0), &y), WEFT_OK);
    const weft_view a = view(WEFT_F32, SHAPE(2, 3), x);
    y = view(WEFT_F32, SHAPE(2, 1), out);
    EXPECT_STATUS(ctx, weft_dot_axes(ctx, WEFT_DEFAULT, &a, &a, AXES(-1), &y), WEFT_OK);
    EXPECT(sums[0] == 5 && sums[1] == 50, "squares: %g, %g", sums[0], sums[1]);
}

static void axes(void) {
    const weft_view a = view(WEFT_F32, SHAPE(2, 3), x), none = view(WEFT_F32, SHAPE(2, 0), x);
    weft_view y = view(WEFT_F32, SHAPE(3), out);
    EXPECT_SUM(&a, AXES(2), &y, WEFT_INVALID, "axis 2 is out of range: the array has 2 dimensions");
    EXPECT_SUM(&a, AXES(-3), &y, WEFT_INVALID, "axis -3 is out of range: the array has 2 dimensions");
    EXPECT_SUM(&a, AXES(1, -1), &y, WEFT_INVALID, "axes 1 and -1 are the same axis");
    EXPECT_SUM(&a, AXES(0, 1, 2), &y, WEFT_INVALID, "3 axes: the array has 2 dimensions");
    EXPECT_ERROR(ctx, weft_reduce_axes(ctx, WEFT_SUM, WEFT_DEFAULT, &a, 1, NULL, &y), WEFT_INVALID, "axes is NULL");
    EXPECT_ERROR(ctx, weft_scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &a, 2, NULL, &a), WEFT_INVALID,
                 "axis 2 is out of range");
    EXPECT_ERROR(ctx, weft_scan_axis(ctx, WEFT_SUM, (weft_scan_kind)2, WEFT_DEFAULT, &a, 0, NULL, &a), WEFT_INVALID,
                 "invalid scan kind 2");
    EXPECT_ERROR(ctx, weft_scan_axis(ctx, WEFT_MEAN, WEFT_INCLUSIVE, WEFT_DEFAULT, &a, 0, NULL, &a), WEFT_UNSUPPORTED,
                 "scan: invalid operator mean");
    EXPECT_ERROR(ctx, weft_reduce_axes(ctx, WEFT_AND, WEFT_DEFAULT, &a, AXES(0), &y), WEFT_UNSUPPORTED,
                 "and requires integer elements, not f32");
    y = view(WEFT_F32, SHAPE(2), out);
    EXPECT_ERROR(ctx, weft_reduce_axes(ctx, WEFT_MIN, WEFT_DEFAULT, &none, AXES(1), &y), WEFT_EMPTY,
                 "min of 0 elements is undefined");
    EXPECT_ERROR(ctx, weft_variance_axes(ctx, WEFT_DEFAULT, 3, &a, AXES(1), &y), WEFT_EMPTY,
                 "variance of 3 elements with ddof 3 is undefined");
}

static void sorts(void) {
    const weft_view a = view(WEFT_F32, SHAPE(2, 3), x), half = view(WEFT_F16, SHAPE(2, 3), x);
    const weft_order_of_sort wrong = (weft_order_of_sort)2;
    weft_view y = view(WEFT_F64, SHAPE(2, 3), out);
    EXPECT_ERROR(ctx, weft_sort_axis(ctx, wrong, &a, 0, &a), WEFT_INVALID, "invalid sort order 2");
    EXPECT_ERROR(ctx, weft_argsort_axis(ctx, wrong, &a, 0, &a), WEFT_INVALID, "invalid sort order 2");
    EXPECT_ERROR(ctx, weft_sort_axis(ctx, WEFT_ASCENDING, &half, 0, &a), WEFT_INVALID,
                 "y has elements of type f32: expected f16");
    EXPECT_ERROR(ctx, weft_sort_axis(ctx, WEFT_ASCENDING, &a, 0, &y), WEFT_INVALID,
                 "y has elements of type f64: expected f32");
    EXPECT_ERROR(ctx, weft_argsort_axis(ctx, WEFT_ASCENDING, &a, 0, &y), WEFT_UNSUPPORTED,
                 "indices must have type u32 or u64, not f64");
    EXPECT_ERROR(ctx, weft_sort_axis(ctx, WEFT_ASCENDING, &a, 2, &a), WEFT_INVALID, "axis 2 is out of range");
    y = view(WEFT_F32, SHAPE(3, 2), out);
    EXPECT_ERROR(ctx, weft_sort_axis(ctx, WEFT_ASCENDING, &a, 0, &y), WEFT_INVALID,
                 "y has shape (3, 2): expected that of x, (2, 3)");
    EXPECT_ERROR(ctx, weft_sort_axis(ctx, WEFT_ASCENDING, &a, 0, NULL), WEFT_INVALID, "y is NULL");
    EXPECT_ERROR(ctx, weft_argsort_axis(ctx, WEFT_ASCENDING, &a, 0, NULL), WEFT_INVALID, "indices is NULL");
    y = view(WEFT_F32, SHAPE(2, 3), x + 3);
    EXPECT_ERROR(ctx, weft_sort_axis(ctx, WEFT_ASCENDING, &a, 0, &y), WEFT_INVALID, "overlaps");
    y = a, y.dtype = WEFT_U32;
    EXPECT_ERROR(ctx, weft_argsort_axis(ctx, WEFT_ASCENDING, &a, 0, &y), WEFT_INVALID, "overlaps");
    const weft_view whole = view(WEFT_U32, SHAPE(3), out);
    EXPECT_ERROR(ctx, weft_argsort_axis(ctx, WEFT_ASCENDING, &whole, 0, &whole), WEFT_INVALID, "overlaps");
}

static void selections(void) {
    const weft_view a = view(WEFT_F32, SHAPE(2, 3), x), half = view(WEFT_F16, SHAPE(2, 3), x);
    weft_view values = view(WEFT_F32, SHAPE(2, 2), out), indices = view(WEFT_U32, SHAPE(2, 2), out + 8);
#define EXPECT_TOP(x, axis, k, values, indices, status, words) \
    EXPECT_ERROR(ctx, weft_top_k_axis(ctx, WEFT_LARGEST, x, axis, k, values, indices), status, words)
    EXPECT_ERROR(ctx, weft_top_k_axis(ctx, (weft_extreme)2, &a, 1, 2, &values, NULL), WEFT_INVALID,
                 "invalid extreme 2");
    EXPECT_TOP(&half, 1, 2, &values, NULL, WEFT_INVALID, "values has elements of type f32: expected f16");
    EXPECT_TOP(&a, 2, 2, &values, NULL, WEFT_INVALID, "axis 2 is out of range: the array has 2 dimensions");
    EXPECT_TOP(&a, -3, 2, &values, NULL, WEFT_INVALID, "axis -3 is out of range");
    EXPECT_TOP(&a, -1, 4, &values, NULL, WEFT_INVALID,
               "k = 4 is greater than 3, the number of elements along axis -1");
    EXPECT_TOP(&a, 0, 3, &values, NULL, WEFT_INVALID, "k = 3 is greater than 2");
    EXPECT_TOP(NULL, 1, 2, &values, NULL, WEFT_INVALID, "x is NULL");
    EXPECT_TOP(&a, 1, 2, NULL, &indices, WEFT_INVALID, "values is NULL");
    EXPECT_TOP(&a, 1, 1, &values, NULL, WEFT_INVALID, "values has shape (2, 2): expected (2, 1)");
    EXPECT_TOP(&a, 0, 2, &values, NULL, WEFT_INVALID, "values has shape (2, 2): expected (2, 3)");
    values.dtype = WEFT_I32;
    EXPECT_TOP(&a, 1, 2, &values, NULL, WEFT_INVALID, "values has elements of type i32: expected f32");
    values.dtype = WEFT_F32;
    indices.dtype = WEFT_I32;
    EXPECT_TOP(&a, 1, 2, &values, &indices, WEFT_UNSUPPORTED, "indices must have type u32 or u64, not i32");
    indices = view(WEFT_U32, SHAPE(2, 3), out + 8);
    EXPECT_TOP(&a, 1, 2, &values, &indices, WEFT_INVALID, "indices has shape (2, 3): expected (2, 2)");
    indices = view(WEFT_U32, SHAPE(2, 2), out + 1);
    EXPECT_TOP(&a, 1, 2, &values, &indices, WEFT_INVALID, "overlaps values");
    indices = view(WEFT_U32, SHAPE(2, 2), x + 5);
    EXPECT_TOP(&a, 1, 2, &values, &indices, WEFT_INVALID, "overlaps x");
    values = view(WEFT_F32, SHAPE(2, 3), x);
    EXPECT_TOP(&a, 1, 3, &values, NULL, WEFT_INVALID, "overlaps x");
    values = view(WEFT_F32, SHAPE(2, 2), out);
    values.stride[0] = 4;
    EXPECT_TOP(&a, 1, 2, &values, NULL, WEFT_INVALID, "values: elements of shape (2, 2) with strides (4, 4) overlap");
    indices = view(WEFT_U32, SHAPE(2, 2), out + 8), values.stride[0] = 8, indices.stride[1] = 0;
    EXPECT_TOP(&a, 1, 2, &values, &indices, WEFT_INVALID, "indices: elements of shape (2, 2)");
}

static void quantiles(void) {
    const weft_view a = view(WEFT_F32, SHAPE(2, 3), x), narrow = view(WEFT_F16, SHAPE(2, 3), x);
    const weft_view integers = view(WEFT_I32, SHAPE(2, 3), x), none = view(WEFT_F32, SHAPE(2, 0), NULL);
    const double q[] = {0, 1}, nan = __builtin_nan("");
    weft_view y = view(WEFT_F32, SHAPE(2, 2), out);
#define EXPECT_QUANTILES(x, axis, count, q, y, status, words) \
    EXPECT_ERROR(ctx, weft_quantile_axis(ctx, WEFT_LINEAR, x, axis, count, q, y), status, words)
    EXPECT_ERROR(ctx, weft_quantile_axis(ctx, (weft_quantile_method)5, &a, 1, 2, q, &y), WEFT_INVALID,
                 "invalid quantile method 5");
    EXPECT_QUANTILES(&narrow, 1, 2, q, &y, WEFT_INVALID, "y has elements of type f32: expected f16");
    EXPECT_QUANTILES(&a, 2, 2, q, &y, WEFT_INVALID, "axis 2 is out of range: the array has 2 dimensions");
    EXPECT_QUANTILES(NULL, 1, 2, q, &y, WEFT_INVALID, "x is NULL");
    EXPECT_QUANTILES(&a, 1, 2, NULL, &y, WEFT_INVALID, "q is NULL");
    EXPECT_QUANTILES(&a, 1, 2, q, NULL, WEFT_INVALID, "y is NULL");
    EXPECT_QUANTILES(&a, 1, 2, ((const double[]){0.5, 1.5}), &y, WEFT_INVALID,
                     "q[1] is 1.5: expected a number from 0 to 1");
    EXPECT_QUANTILES(&a, 1, 2, ((const double[]){-0x1p-1074, 1}), &y, WEFT_INVALID, "q[0] is -4.94");
    EXPECT_QUANTILES(&a, 1, 2, ((const double[]){nan, 1}), &y, WEFT_INVALID, "q[0] is nan");
    EXPECT_QUANTILES(&a, 1, 1, q, &y, WEFT_INVALID, "y has shape (2, 2): expected (2, 1)");
    EXPECT_QUANTILES(&a, 0, 2, q, &y, WEFT_INVALID, "y has shape (2, 2): expected (2, 3)");
    EXPECT_QUANTILES(&none, 1, 2, q, &y, WEFT_EMPTY, "quantiles of 0 elements along axis 1");
    EXPECT_QUANTILES(&integers, 1, 2, q, &y, WEFT_INVALID, "y has elements of type f32: expected f64");
    y.dtype = WEFT_F64;
    y.stride[0] = 16, y.stride[1] = 8;
    EXPECT_QUANTILES(&a, 1, 2, q, &y, WEFT_INVALID, "y has elements of type f64: expected f32");
    EXPECT_ERROR(ctx, weft_quantile_axis(ctx, WEFT_NEAREST, &integers, 1, 2, q, &y), WEFT_INVALID,
                 "y has elements of type f64: expected i32");
    y = view(WEFT_F32, SHAPE(2, 2), x + 5);
    EXPECT_QUANTILES(&a, 1, 2, q, &y, WEFT_INVALID, "overlaps x");
    y = view(WEFT_F32, SHAPE(2, 3), x);
    EXPECT_QUANTILES(&a, 0, 2, q, &y, WEFT_INVALID, "overlaps x");
    y = view(WEFT_F32, SHAPE(2, 2), out);
    y.stride[0] = 4;
    EXPECT_QUANTILES(&a, 1, 2, q, &y, WEFT_INVALID, "y: elements of shape (2, 2) with strides (4, 4) overlap");
#undef EXPECT_QUANTILES
}

static void takes(void) {
    int32_t numbers[] = {1, 2, 0, 0, -1, 3};
    uint64_t large[] = {0, UINT64_MAX};
    const weft_view a = view(WEFT_F32, SHAPE(2, 3), x), none = view(WEFT_F32, SHAPE(2, 0), NULL);
    const weft_view good = view(WEFT_I32, SHAPE(2), numbers), bad = view(WEFT_I32, SHAPE(2, 3), numbers);
    const weft_view wide = view(WEFT_U64, SHAPE(2), large), integers = view(WEFT_I32, SHAPE(2, 2), out);
    const weft_view point = view(WEFT_F32, 0, NULL, x);
    weft_view y = view(WEFT_F32, SHAPE(2, 2), out), index = bad;
#define EXPECT_TAKE(range, x, axis, index, y, status, words) \
    EXPECT_ERROR(ctx, weft_take_axis(ctx, range, x, axis, index, y), status, words)
    EXPECT_TAKE((weft_range)2, &a, 1, &good, &y, WEFT_INVALID, "invalid range 2");
    EXPECT_TAKE(WEFT_RANGE_SKIP, NULL, 1, &good, &y, WEFT_INVALID, "x is NULL");
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 1, NULL, &y, WEFT_INVALID, "index is NULL");
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 1, &good, NULL, WEFT_INVALID, "y is NULL");
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 2, &good, &y, WEFT_INVALID,
                "axis 2 is out of range: the array has 2 dimensions");
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, -3, &good, &y, WEFT_INVALID, "axis -3 is out of range");
    EXPECT_TAKE(WEFT_RANGE_SKIP, &point, 0, &good, &y, WEFT_INVALID, "1 axis: the array has 0 dimensions");
    index.dtype = WEFT_I16, index.stride[0] = 6, index.stride[1] = 2;
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 1, &index, &y, WEFT_UNSUPPORTED,
                "take_axis requires i32, i64, u32 or u64 indices, not i16");
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 1, &a, &y, WEFT_UNSUPPORTED, "indices, not f32");
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 1, &good, &integers, WEFT_INVALID, "y has elements of type i32: expected f32");
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 1, &bad, &y, WEFT_INVALID,
                "index of shape (2, 3) cannot be broadcast to y of shape (2, 2)");
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 0, &good, &y, WEFT_INVALID, "y has shape (2, 2): expected (2, 3)");
    y = view(WEFT_F32, SHAPE(4), out);
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 1, &good, &y, WEFT_INVALID, "y has shape (4): expected (2, 3)");
    y = view(WEFT_F32, SHAPE(2, 3), out);
    EXPECT_TAKE(WEFT_RANGE_ERROR, &a, 1, &bad, &y, WEFT_INVALID, "index[4] is -1: expected 0 to 2");
    index = bad, index.stride[0] = 4, index.stride[1] = 8;
    EXPECT_TAKE(WEFT_RANGE_ERROR, &a, 1, &index, &y, WEFT_INVALID, "index[2] is -1: expected 0 to 2");
    EXPECT_TAKE(WEFT_RANGE_ERROR, &none, 1, &bad, &y, WEFT_INVALID, "index[0] is 1, but there are no targets");
    y = view(WEFT_F32, SHAPE(2, 2), out);
    EXPECT_TAKE(WEFT_RANGE_ERROR, &a, 1, &wide, &y, WEFT_INVALID,
                "index[1] is 18446744073709551615: expected 0 to 2");
    y = view(WEFT_F32, SHAPE(2, 2), x + 5);
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 1, &good, &y, WEFT_INVALID, "overlaps x");
    y = view(WEFT_F32, SHAPE(2, 2), numbers);
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 1, &good, &y, WEFT_INVALID, "overlaps index");
    y = view(WEFT_F32, SHAPE(2, 2), out), y.stride[0] = 4;
    EXPECT_TAKE(WEFT_RANGE_SKIP, &a, 1, &good, &y, WEFT_INVALID,
                "y: elements of shape (2, 2) with strides (4, 4) overlap");
    EXPECT_ERROR(NULL, weft_take_axis(NULL, WEFT_RANGE_SKIP, &a, 1, &good, &y), WEFT_INVALID, "ctx is NULL");
    EXPECT(numbers[0] == 1 && numbers[5] == 3, "a call that failed has written to the index");
#undef EXPECT_TAKE
}

static void puts_by_index(void) {
    int32_t numbers[] = {1, 2, 1, 0, -1, 1};
    int64_t wide[] = {7, 0, 7, 0};
    const weft_view y = view(WEFT_F32, SHAPE(2, 3), out), none = view(WEFT_F32, SHAPE(2, 0), NULL);
    const weft_view good = view(WEFT_I32, SHAPE(2), numbers), all = view(WEFT_I32, SHAPE(2, 3), numbers);
    const weft_view x2 = view(WEFT_F32, SHAPE(2, 2), x), x3 = view(WEFT_F32, SHAPE(2, 3), x);
    const weft_view point = view(WEFT_F32, 0, NULL, out), cube = view(WEFT_F32, SHAPE(1, 2, 3), x);
    weft_view index = all, to = y;
#define EXPECT_PUT(range, x, axis, index, y, status, words) \
    EXPECT_ERROR(ctx, weft_put_axis(ctx, range, x, axis, index, y), status, words)
    EXPECT_PUT((weft_range)2, &x2, 1, &good, &y, WEFT_INVALID, "invalid range 2");
    EXPECT_PUT(WEFT_RANGE_SKIP, NULL, 1, &good, &y, WEFT_INVALID, "x is NULL");
    EXPECT_PUT(WEFT_RANGE_SKIP, &x2, 1, NULL, &y, WEFT_INVALID, "index is NULL");
    EXPECT_PUT(WEFT_RANGE_SKIP, &x2, 1, &good, NULL, WEFT_INVALID, "y is NULL");
    EXPECT_PUT(WEFT_RANGE_SKIP, &x2, 2, &good, &y, WEFT_INVALID,
               "axis 2 is out of range: the array has 2 dimensions");
    EXPECT_PUT(WEFT_RANGE_SKIP, &x2, 0, &good, &point, WEFT_INVALID, "1 axis: the array has 0 dimensions");
    EXPECT_PUT(WEFT_RANGE_SKIP, &x2, 1, &x2, &y, WEFT_UNSUPPORTED, "put_axis requires i32, i64, u32 or u64 indices");
    EXPECT_PUT(WEFT_RANGE_SKIP, &good, 1, &good, &y, WEFT_INVALID, "x has elements of type i32: expected f32");
    EXPECT_PUT(WEFT_RANGE_SKIP, &x3, 1, &good, &y, WEFT_INVALID,
               "x of shape (2, 3) cannot be broadcast to targets of shape (2, 2)");
    EXPECT_PUT(WEFT_RANGE_SKIP, &cube, 1, &all, &y, WEFT_INVALID,
               "x has 3 dimensions, more than targets, which has 2");
    EXPECT_PUT(WEFT_RANGE_SKIP, &x3, 0, &good, &y, WEFT_INVALID,
               "index of shape (2) cannot be broadcast to targets of shape (1, 3)");
    index = view(WEFT_I32, SHAPE(1, 2, 3), numbers);
    EXPECT_PUT(WEFT_RANGE_SKIP, &x3, 1, &index, &y, WEFT_INVALID,
               "index has 3 dimensions, more than targets, which has 2");
    EXPECT_PUT(WEFT_RANGE_ERROR, &x3, 1, &all, &y, WEFT_INVALID, "index[4] is -1: expected 0 to 2");
    EXPECT_PUT(WEFT_RANGE_SKIP, &x3, 1, &all, &y, WEFT_INVALID,
               "index[0] and index[2] are 1: put_axis requires different indices");
    index = all, index.stride[0] = 4, index.stride[1] = 8;
    EXPECT_PUT(WEFT_RANGE_SKIP, &x3, 1, &index, &y, WEFT_INVALID,
               "index[0] and index[1] are 1: put_axis requires different indices");
    EXPECT_PUT(WEFT_RANGE_ERROR, &x3, 1, &all, &none, WEFT_INVALID, "index[0] is 1, but there are no targets");
    index = view(WEFT_I64, SHAPE(2, 2), wide);
    EXPECT_PUT(WEFT_RANGE_SKIP, &x3, 0, &index, &y, WEFT_INVALID, "cannot be broadcast to targets of shape (2, 3)");
    index = view(WEFT_I64, SHAPE(4, 1), wide);
    EXPECT_PUT(WEFT_RANGE_SKIP, &x3, 0, &index, &y, WEFT_INVALID, "cannot be broadcast to targets of shape (4, 3)");
    EXPECT_PUT(WEFT_RANGE_SKIP, &point, 0, &index, &to, WEFT_INVALID, "overlaps x");
    const weft_view one = view(WEFT_F32, 0, NULL, x);
    EXPECT_PUT(WEFT_RANGE_SKIP, &one, 0, &index, &y, WEFT_INVALID,
               "index[1] and index[3] are 0: put_axis requires different indices");
    to = view(WEFT_F32, SHAPE(1, 3), numbers);
    EXPECT_PUT(WEFT_RANGE_SKIP, &one, 1, &good, &to, WEFT_INVALID, "overlaps index");
    to = y, to.stride[0] = 4;
    EXPECT_PUT(WEFT_RANGE_SKIP, &x2, 1, &good, &to, WEFT_INVALID,
               "y: elements of shape (2, 3) with strides (4, 4) overlap");
    index = view(WEFT_I64, SHAPE(1), wide), index.shape[0] = (size_t)1 << 62, index.stride[0] = 0;
    EXPECT_PUT(WEFT_RANGE_SKIP, &one, 1, &index, &y, WEFT_INVALID,
               "targets of shape (2, 4611686018427387904) do not fit in memory");
    EXPECT_ERROR(NULL, weft_put_axis(NULL, WEFT_RANGE_SKIP, &x2, 1, &good, &y), WEFT_INVALID, "ctx is NULL");
    EXPECT(numbers[0] == 1 && numbers[5] == 1, "a call that failed has written to the index");
#undef EXPECT_PUT
}

/* The indices are at an address that is not used. */
static void many_indices(void) {
    const size_t n = ((size_t)1 << 32) + 1;
    weft_view repeated = view(WEFT_F32, SHAPE(n), x);
    const weft_view indices = view(WEFT_U32, SHAPE(n), (void *)((uintptr_t)1 << 44));
    repeated.stride[0] = 0;
    EXPECT_ERROR(ctx, weft_argsort_axis(ctx, WEFT_ASCENDING, &repeated, 0, &indices), WEFT_INVALID,
                 "the indices of 4294967297 keys do not fit in u32");
    const weft_view values = view(WEFT_F32, SHAPE(1), out), index = view(WEFT_U32, SHAPE(1), out + 1);
    EXPECT_TOP(&repeated, 0, 1, &values, &index, WEFT_INVALID,
               "the indices of 4294967297 elements do not fit in u32");
#undef EXPECT_TOP
}

static void results_of_takes(void) {
    int32_t numbers[] = {2, 0, -1, 3};
    const weft_view a = view(WEFT_F32, SHAPE(2, 3), x), none = view(WEFT_F32, SHAPE(2, 0), NULL);
    const weft_view same = view(WEFT_I32, SHAPE(2), numbers), own = view(WEFT_I32, SHAPE(2, 2), numbers);
    const weft_view few = view(WEFT_I32, SHAPE(0), NULL), one = view(WEFT_I32, 0, NULL, numbers);
    weft_view y = view(WEFT_F32, SHAPE(2, 2), out);
    float *const f = (float *)out;
    EXPECT_STATUS(ctx, weft_take_axis(ctx, WEFT_RANGE_ERROR, &a, -1, &same, &y), WEFT_OK);
    EXPECT(f[0] == 2 && f[1] == 0 && f[2] == 5 && f[3] == 3, "taken: %g, ..., %g", (double)f[0], (double)f[3]);
    EXPECT_STATUS(ctx, weft_take_axis(ctx, WEFT_RANGE_ERROR, &a, 1, &one, &y), WEFT_OK);
    EXPECT(f[0] == 2 && f[1] == 2 && f[2] == 5 && f[3] == 5, "one index: %g, ..., %g", (double)f[0], (double)f[3]);
    f[0] = f[1] = f[2] = f[3] = 7;
    EXPECT_STATUS(ctx, weft_take_axis(ctx, WEFT_RANGE_SKIP, &a, 1, &own, &y), WEFT_OK);
    EXPECT(f[0] == 2 && f[1] == 0 && f[2] == 7 && f[3] == 7, "skipped: %g, ..., %g", (double)f[2], (double)f[3]);
    EXPECT_STATUS(ctx, weft_take_axis(ctx, WEFT_RANGE_SKIP, &none, 1, &own, &y), WEFT_OK);
    EXPECT(f[0] == 2 && f[3] == 7, "from nothing: %g, ..., %g", (double)f[0], (double)f[3]);
    y = view(WEFT_F32, SHAPE(2, 0), NULL);
    EXPECT_STATUS(ctx, weft_take_axis(ctx, WEFT_RANGE_ERROR, &a, 1, &few, &y), WEFT_OK);
    y.shape[0] = 0, y.shape[1] = 2;
    const weft_view empty = view(WEFT_F32, SHAPE(0, 3), NULL);
    EXPECT_STATUS(ctx, weft_take_axis(ctx, WEFT_RANGE_ERROR, &empty, 1, &same, &y), WEFT_OK);
}

static void results_of_puts(void) {
    int32_t numbers[] = {2, 0, -1, 3};
    const weft_view a = view(WEFT_F32, SHAPE(2, 2), x), point = view(WEFT_F32, 0, NULL, x + 5);
    const weft_view same = view(WEFT_I32, SHAPE(2), numbers), own = view(WEFT_I32, SHAPE(2, 2), numbers);
    const weft_view one = view(WEFT_I32, 0, NULL, numbers), few = view(WEFT_I32, SHAPE(0), NULL);
    weft_view y = view(WEFT_F32, SHAPE(2, 3), out);
    float *const f = (float *)out;
    for (int i = 0; i < 6; i++) f[i] = 7;
    EXPECT_STATUS(ctx, weft_put_axis(ctx, WEFT_RANGE_ERROR, &a, -1, &same, &y), WEFT_OK);
    EXPECT(f[0] == 1 && f[1] == 7 && f[2] == 0 && f[3] == 3 && f[4] == 7 && f[5] == 2, "put: %g, ..., %g",
           (double)f[0], (double)f[5]);
    EXPECT_STATUS(ctx, weft_put_axis(ctx, WEFT_RANGE_ERROR, &point, 1, &one, &y), WEFT_OK);
    EXPECT(f[1] == 7 && f[2] == 5 && f[5] == 5, "one index: %g, ..., %g", (double)f[2], (double)f[5]);
    f[0] = f[3] = f[4] = f[5] = 8;
    EXPECT_STATUS(ctx, weft_put_axis(ctx, WEFT_RANGE_SKIP, &a, 1, &own, &y), WEFT_OK);
    EXPECT(f[0] == 1 && f[2] == 0 && f[3] == 8 && f[5] == 8, "skipped: %g, ..., %g", (double)f[0], (double)f[5]);
    EXPECT_STATUS(ctx, weft_put_axis(ctx, WEFT_RANGE_ERROR, &point, 1, &few, &y), WEFT_OK);
    y = view(WEFT_F32, SHAPE(2, 0), NULL);
    EXPECT_STATUS(ctx, weft_put_axis(ctx, WEFT_RANGE_SKIP, &a, 1, &own, &y), WEFT_OK);
    y = view(WEFT_F32, SHAPE(0, 3), NULL);
    EXPECT_STATUS(ctx, weft_put_axis(ctx, WEFT_RANGE_ERROR, &point, 1, &own, &y), WEFT_INVALID);
    EXPECT_STATUS(ctx, weft_put_axis(ctx, WEFT_RANGE_ERROR, &point, 1, &same, &y), WEFT_OK);
}

/* Tests calls that have nothing to do, and small ones that have. */
static void results(void) {
    const weft_view a = view(WEFT_F32, SHAPE(2, 3), x);
    weft_view none = view(WEFT_F32, SHAPE(0, 3), NULL);
    none.stride[1] = 6; /* not used: there are no elements */
    const weft_view point = view(WEFT_F32, 0, NULL, x + 2);
    weft_view y = view(WEFT_F32, SHAPE(2), out);
    float *const f = (float *)out;
    EXPECT_SUM(&a, AXES(1), &y, WEFT_OK, "");
    EXPECT(f[0] == 3 && f[1] == 12, "sums of rows: %g, %g", (double)f[0], (double)f[1]);
    y = view(WEFT_F32, SHAPE(1, 3), out);
    EXPECT_SUM(&a, AXES(-2), &y, WEFT_OK, "");
    EXPECT(f[0] == 3 && f[1] == 5 && f[2] == 7, "sums of columns: %g, ...", (double)f[0]);
    EXPECT_SUM(&none, AXES(0), &y, WEFT_OK, "");
    EXPECT(f[0] == 0 && f[2] == 0, "empty sums: %g, ...", (double)f[0]);
    y = view(WEFT_F32, SHAPE(0), NULL);
    EXPECT_SUM(&none, AXES(1), &y, WEFT_OK, "");
    y = view(WEFT_F32, 0, NULL, out);
    EXPECT_SUM(&a, AXES(0, 1), &y, WEFT_OK, "");
    EXPECT(f[0] == 15, "sum: %g", (double)f[0]);
    EXPECT_STATUS(ctx, weft_reduce_axes(ctx, WEFT_SUM, WEFT_DEFAULT, &point, 0, NULL, &y), WEFT_OK);
    EXPECT(f[0] == 2, "sum of an element: %g", (double)f[0]);
    y = view(WEFT_F32, SHAPE(3, 2), out);
    weft_view transposed = a;
    transposed.shape[0] = 3, transposed.shape[1] = 2;
    transposed.stride[0] = 4, transposed.stride[1] = 12;
    EXPECT_STATUS(ctx, weft_copy_view(ctx, &transposed, &y), WEFT_OK);
    EXPECT(f[1] == 3 && f[2] == 1 && f[4] == 2, "transposed: %g, %g, ...", (double)f[0], (double)f[1]);
    EXPECT_STATUS(ctx, weft_copy_view(ctx, &point, &y), WEFT_OK);
    EXPECT(f[0] == 2 && f[5] == 2, "broadcast: %g, ..., %g", (double)f[0], (double)f[5]);
    y = view(WEFT_F32, SHAPE(1, 1, 2), out); /* the stride of an axis of one element has no meaning */
    y.stride[0] = PTRDIFF_MIN, y.stride[1] = -4;
    f[0] = f[1] = f[2] = 7;
    EXPECT_STATUS(ctx, weft_copy_view(ctx, &point, &y), WEFT_OK);
    EXPECT(f[0] == 2 && f[1] == 2 && f[2] == 7, "axes of one element: %g, %g", (double)f[0], (double)f[1]);
    y = view(WEFT_F32, SHAPE(2, 3), out);
    EXPECT_STATUS(ctx, weft_scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &a, -1, NULL, &y), WEFT_OK);
    EXPECT(f[2] == 3 && f[3] == 3 && f[5] == 12, "scan: ..., %g", (double)f[5]);
    EXPECT_STATUS(ctx, weft_scan_axis(ctx, WEFT_MAX, WEFT_INCLUSIVE, WEFT_DEFAULT, &y, 0, NULL, &y), WEFT_OK);
    EXPECT(f[2] == 3 && f[3] == 3 && f[5] == 12, "scan in place: ..., %g", (double)f[5]);
    EXPECT_STATUS(ctx, weft_sort_axis(ctx, WEFT_DESCENDING, &a, -1, &y), WEFT_OK);
    EXPECT(f[0] == 2 && f[2] == 0 && f[3] == 5 && f[5] == 3, "sort: %g, ..., %g", (double)f[0], (double)f[5]);
    EXPECT_STATUS(ctx, weft_sort_axis(ctx, WEFT_DESCENDING, &y, 0, &y), WEFT_OK);
    EXPECT(f[0] == 5 && f[2] == 3 && f[3] == 2 && f[5] == 0, "sort in place: %g, ..., %g", (double)f[0],
           (double)f[5]);
    y = view(WEFT_F32, SHAPE(2, 2), out);
    weft_view indices = view(WEFT_U32, SHAPE(2, 2), out + 8);
    const uint32_t *const at = (const uint32_t *)(out + 8);
    EXPECT_STATUS(ctx, weft_top_k_axis(ctx, WEFT_LARGEST, &a, -1, 2, &y, &indices), WEFT_OK);
    EXPECT(f[0] == 2 && f[1] == 1 && f[2] == 5 && f[3] == 4, "largest: %g, ..., %g", (double)f[0], (double)f[3]);
    EXPECT(at[0] == 2 && at[1] == 1 && at[2] == 2 && at[3] == 1, "their indices: %u, ..., %u", at[0], at[3]);
    y = view(WEFT_F32, SHAPE(1, 3), out);
    EXPECT_STATUS(ctx, weft_top_k_axis(ctx, WEFT_SMALLEST, &a, 0, 1, &y, NULL), WEFT_OK);
    EXPECT(f[0] == 0 && f[2] == 2, "smallest: %g, ..., %g", (double)f[0], (double)f[2]);
    y = view(WEFT_F32, SHAPE(2, 0), NULL);
    EXPECT_STATUS(ctx, weft_top_k_axis(ctx, WEFT_SMALLEST, &a, 1, 0, &y, NULL), WEFT_OK);
    y = view(WEFT_F32, SHAPE(0, 2), NULL), indices = view(WEFT_U64, SHAPE(0, 2), NULL);
    EXPECT_STATUS(ctx, weft_top_k_axis(ctx, WEFT_SMALLEST, &none, 1, 2, &y, &indices), WEFT_OK);
    const double q[] = {0.5, 1};
    y = view(WEFT_F32, SHAPE(2, 2), out);
    EXPECT_STATUS(ctx, weft_quantile_axis(ctx, WEFT_LINEAR, &a, -1, 2, q, &y), WEFT_OK);
    EXPECT(f[0] == 1 && f[1] == 2 && f[2] == 4 && f[3] == 5, "quantiles: %g, ..., %g", (double)f[0], (double)f[3]);
    y = view(WEFT_F32, SHAPE(2, 0), NULL);
    EXPECT_STATUS(ctx, weft_quantile_axis(ctx, WEFT_LINEAR, &a, 1, 0, NULL, &y), WEFT_OK);
    y = view(WEFT_F32, SHAPE(0, 2), NULL);
    EXPECT_STATUS(ctx, weft_quantile_axis(ctx, WEFT_LINEAR, &none, 1, 2, q, &y), WEFT_OK);
    y = view(WEFT_F32, SHAPE(0, 3), NULL);
    EXPECT_STATUS(ctx, weft_quantile_axis(ctx, WEFT_LINEAR, &none, 0, 0, q, &y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_sort_axis(ctx, WEFT_ASCENDING, &none, 0, &y), WEFT_OK);
    y.dtype = WEFT_U32;
    EXPECT_STATUS(ctx, weft_argsort_axis(ctx, WEFT_ASCENDING, &none, 1, &y), WEFT_OK);
    results_of_takes();
    results_of_puts();
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    for (int i = 0; i < 24; i++) x[i] = (float)i;
    memset(out, 0x5a, sizeof out);
    memcpy(before, out, sizeof out);
    views_of();
    each_view();
    outputs();
    axes();
    dots();
    sorts();
    selections();
    quantiles();
    takes();
    puts_by_index();
    many_indices();
    EXPECT(memcmp(out, before, sizeof out) == 0, "a call that failed has written");
    results();
    dots_of_few();
    weft_close(ctx);
    return expect_end();
}
