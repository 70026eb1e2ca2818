/* Tests weft_convolve2d and weft_correlate2d on views of random shapes and strides: the modes are parts of the full
 * result of the specification for arrays without gaps, and nothing around the output is written. Results of up to 256
 * taps are compared with plain loops too. Tests the refused arguments.
 *
 * Usage: api_image_filters DEVICE. */
#include "core/types.h"
#include "tests/expect.h"
#include "tests/random_view.h"
#include "verify/inputs.h"

#include <math.h>

enum { MOST = 1 << 21, SEEDS = 500 };

static weft_context *ctx, *ref;
static size_t most = 1 << 15; /* elements of the memory of an array that are used */
static char x[8 * MOST], h[8 * MOST], y[8 * MOST], before[8 * MOST];
static char arrays[8 * MOST], taps[8 * MOST], full[8 * MOST], expected[8 * MOST], found[8 * MOST];

/* One call. x: the shape and the type of the array, as numbers. */
typedef struct convolution {
    weft_convolve_mode mode;
    weft_border border;
    weft_field field;
    bool correlate;
    weft_view x;
    size_t n[2], m[2];
    int layout;      /* 0: C order; 1: C order with gaps between rows; 2: random strides */
    double fill[2];  /* in f64 */
    float narrow[2]; /* in f32 */
} convolution;

static bool is_complex(const convolution *c) { return c->field == WEFT_COMPLEX; }
static size_t bytes_of(const convolution *c) { return weft_dtype_size(c->x.dtype) * (is_complex(c) ? 2 : 1); }
static const void *fill_of(const convolution *c) {
    return c->x.dtype == WEFT_F64 ? (const void *)c->fill : (const void *)c->narrow;
}

static size_t length_of(const convolution *c, weft_convolve_mode mode, int axis) {
    const size_t n = c->n[axis], m = c->m[axis];
    return mode == WEFT_FULL ? n + m - 1 : mode == WEFT_SAME ? n : n < m ? m - n + 1 : n - m + 1;
}

/* Returns the shape of the result of a mode. */
static weft_view result_of(const convolution *c, weft_convolve_mode mode) {
    weft_view v = c->x;
    for (int k = 0; k < 2; k++) v.shape[v.dimensions - 2 + (size_t)k] = length_of(c, mode, k);
    return v;
}

static weft_view dense(const convolution *c, const weft_view *shape, char *memory) {
    weft_view v = *shape;
    size_t lengths[WEFT_DIMENSIONS_MAX];
    memcpy(lengths, v.shape, sizeof lengths);
    lengths[v.dimensions] = 2;
    EXPECT_STATUS(NULL, weft_view_of(v.dtype, v.dimensions + is_complex(c), lengths, memory, &v), WEFT_OK);
    return v;
}

/* Returns a view of numbers in memory. */
static weft_view placed(const convolution *c, const weft_view *shape, char *memory) {
    if (c->layout == 2) return numbers_in(*shape, is_complex(c), memory, most);
    weft_view v = dense(c, shape, memory);
    const size_t columns = shape->dimensions - 1;
    size_t step = v.shape[columns] + (c->layout ? draw(4) : 0);
    for (size_t k = columns; k-- > 0; step *= v.shape[k]) v.stride[k] = (ptrdiff_t)(step * bytes_of(c));
    return v;
}

/* -------------------------------------------------------------------------------- plain loops */

/* Returns the part of a number. */
static double part_of(const convolution *c, const void *p, size_t i, size_t part) {
    const size_t at = is_complex(c) ? 2 * i + part : i;
    if (part > 0 && !is_complex(c)) return 0;
    return c->x.dtype == WEFT_F64 ? ((const double *)p)[at] : (double)((const float *)p)[at];
}

/* Moves an index into an array, one mirror or period at a time. Returns false if it is outside and the border has a
 * fill value. */
static bool moved_inside(const convolution *c, ptrdiff_t *i, ptrdiff_t n) {
    while (*i < 0 || *i >= n) {
        if (c->border == WEFT_BORDER_FILL) return false;
        if (c->border == WEFT_BORDER_WRAP)
            *i += *i < 0 ? n : -n;
        else
            *i = *i < 0 ? -1 - *i : 2 * n - 1 - *i;
    }
    return true;
}

static double fused(const convolution *c, double a, double b, double sum) {
    return c->x.dtype == WEFT_F64 ? fma(a, b, sum) : (double)fmaf((float)a, (float)b, (float)sum);
}

/* Computes number [row, column] of the full result of the array at `from`. */
static void plain(const convolution *c, const char *from, ptrdiff_t row, ptrdiff_t column, double sum[2]) {
    const ptrdiff_t count = (ptrdiff_t)(c->m[0] * c->m[1]), m = (ptrdiff_t)c->m[1];
    sum[0] = sum[1] = 0;
    for (ptrdiff_t j = 0; j < count; j++) {
        ptrdiff_t i1 = row - j / m, i2 = column - j % m;
        const size_t tap = (size_t)(c->correlate ? count - 1 - j : j);
        const bool inside = moved_inside(c, &i1, (ptrdiff_t)c->n[0]) && moved_inside(c, &i2, (ptrdiff_t)c->n[1]);
        const void *const p = inside ? from : fill_of(c);
        const size_t at = inside ? (size_t)i1 * c->n[1] + (size_t)i2 : 0;
        const double re = part_of(c, p, at, 0), im = part_of(c, p, at, 1);
        const double h_re = part_of(c, taps, tap, 0), h_im = part_of(c, taps, tap, 1) * (c->correlate ? -1 : 1);
        sum[0] = fused(c, re, h_re, sum[0]);
        sum[1] = fused(c, im, h_re, sum[1]);
        if (!is_complex(c)) continue;
        sum[0] = fused(c, -im, h_im, sum[0]);
        sum[1] = fused(c, re, h_im, sum[1]);
    }
}

static bool same_number(double a, double b) { return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b); }

/* Compares the full results with plain loops. */
static void check_plain(const convolution *c, uint64_t seed) {
    const size_t rows = length_of(c, WEFT_FULL, 0), columns = length_of(c, WEFT_FULL, 1);
    const size_t matrices = elements_of(&c->x) / c->n[0] / c->n[1];
    size_t wrong = 0;
    for (size_t i = 0; i < matrices * rows * columns; i++) {
        double sum[2];
        plain(c, arrays + i / (rows * columns) * c->n[0] * c->n[1] * bytes_of(c), (ptrdiff_t)(i / columns % rows),
              (ptrdiff_t)(i % columns), sum);
        for (size_t part = 0; part < (is_complex(c) ? 2u : 1u); part++)
            wrong += !same_number(sum[part], part_of(c, full, i, part));
    }
    EXPECT(wrong == 0, "seed %llu: %zu values differ from those of plain loops", (unsigned long long)seed, wrong);
}

/* ------------------------------------------------------------------------------------- checks */

/* Computes the full result of arrays without gaps by the specification, and copies the part of the mode. */
static void expect_part(const convolution *c) {
    const weft_view all = result_of(c, WEFT_FULL), shape = result_of(c, c->mode);
    const weft_view from = dense(c, &c->x, arrays), to = dense(c, &all, full);
    weft_view by = {.dtype = c->x.dtype, .dimensions = 2, .shape = {c->m[0], c->m[1]}}, part = to;
    by = dense(c, &by, taps);
    EXPECT_STATUS(ref,
                  (c->correlate ? weft_correlate2d : weft_convolve2d)(ref, WEFT_FULL, c->border, fill_of(c), c->field,
                                                                      &from, &by, &to),
                  WEFT_OK);
    for (size_t k = 0; k < 2; k++) {
        const size_t n = c->n[k], m = c->m[k], axis = shape.dimensions - 2 + k, shorter = n < m ? n : m;
        const size_t same = c->correlate ? m / 2 : (m - 1) / 2;
        const size_t first = c->mode == WEFT_FULL ? 0 : c->mode == WEFT_SAME ? same : shorter - 1;
        part.shape[axis] = shape.shape[axis];
        part.data = (char *)part.data + (ptrdiff_t)first * part.stride[axis];
    }
    gather(&part, &part, expected);
}

/* Compares the elements of y with `expected`, and the memory around them with `before`. */
static void compare(const weft_view *out, uint64_t seed) {
    weft_view was = *out;
    gather(out, out, found);
    EXPECT(memcmp(found, expected, elements_of(out) * weft_dtype_size(out->dtype)) == 0, "seed %llu: the bits differ",
           (unsigned long long)seed);
    was.data = before + ((char *)out->data - y); /* restores the values: the rest must be unchanged */
    EXPECT_STATUS(ref, weft_copy_view(ref, &was, out), WEFT_OK);
    EXPECT(memcmp(y, before, 8 * most) == 0, "seed %llu: the memory around the results was written",
           (unsigned long long)seed);
}

static void check(convolution *c, uint64_t seed) {
    static const input_kind kinds[] = {INPUT_UNIFORM, INPUT_MIXED, INPUT_SIGNED_ZEROS, INPUT_NAN_ONE, INPUT_PATTERNS};
    static const double values[] = {0, -0.0, 2.5, -1e30, INFINITY, NAN};
    const input_kind kind = kinds[draw(8) % 5];
    const weft_view results = result_of(c, c->mode);
    const weft_view filter = {
        .size = sizeof filter, .dtype = c->x.dtype, .dimensions = 2, .shape = {c->m[0], c->m[1]}};
    const weft_view x_view = placed(c, &c->x, x), h_view = placed(c, &filter, h), y_view = placed(c, &results, y);
    for (size_t k = 0; k < 2; k++) c->fill[k] = values[draw(6)], c->narrow[k] = (float)c->fill[k];
    if (c->mode == WEFT_VALID) { /* the border is not used: the results are those with zeros */
        c->border = WEFT_BORDER_FILL;
        for (size_t k = 0; k < 2; k++) c->fill[k] = 0, c->narrow[k] = 0;
    }
    input_fill(kind, c->x.dtype, seed, most, x);
    input_fill(kind, c->x.dtype, seed + 1, most, h);
    input_fill(INPUT_UNIFORM, c->x.dtype, seed + 2, most, y);
    memcpy(before, y, 8 * most);
    gather(&x_view, &x_view, arrays);
    gather(&h_view, &h_view, taps);
    expect_part(c);
    if (c->m[0] * c->m[1] <= 256 && most < MOST) check_plain(c, seed);
    if (c->mode == WEFT_VALID) {
        c->border = (weft_border)draw(3);
        c->fill[0] = 7, c->narrow[0] = 7;
    }
    EXPECT_STATUS(ctx,
                  (c->correlate ? weft_correlate2d : weft_convolve2d)(ctx, c->mode, c->border, fill_of(c), c->field,
                                                                      &x_view, &h_view, &y_view),
                  WEFT_OK);
    compare(&y_view, seed);
}

static void check_random(uint64_t seed) {
    static const size_t lengths[] = {1, 2, 3, 5, 9, 17, 40, 130}, sizes[] = {1, 2, 3, 5, 8, 16, 17};
    draw_state = seed * 983;
    convolution c = {.mode = (weft_convolve_mode)draw(3),
                     .border = (weft_border)draw(3),
                     .field = (weft_field)draw(2),
                     .correlate = draw(2),
                     .layout = (int)draw(3),
                     .x = {.size = sizeof c.x, .dtype = draw(2) ? WEFT_F32 : WEFT_F64}};
    for (size_t k = draw(3); k > 0; k--) c.x.shape[c.x.dimensions++] = 1 + draw(3);
    for (size_t k = 0; k < 2; k++) {
        c.m[k] = sizes[draw(7)];
        c.n[k] = lengths[draw(k ? 8 : 6)];
    }
    if (draw(20) == 0) c.m[draw(2)] = 300;
    if (c.m[0] * c.m[1] > 1000) c.m[0] = 1;
    if (c.mode == WEFT_VALID && (c.n[0] < c.m[0]) != (c.n[1] < c.m[1]))
        for (size_t k = 0; k < 2; k++) c.m[k] = c.m[k] < c.n[k] ? c.m[k] : c.n[k];
    for (size_t k = 0; k < 2; k++) c.x.shape[c.x.dimensions++] = c.n[k];
    check(&c, seed);
}

/* Several tiles along both axes, filters of many rows and of many columns, groups of blocks: several rows of them,
 * one row, a part of a row, and several arrays. */
static void check_large(bool on_host) {
    static const struct {
        size_t shape[3], m[2];
        weft_dtype dtype;
        weft_field field;
        bool on_gpu;
    } cases[] = {
        {{2, 70, 300}, {3, 3}, WEFT_F32, WEFT_REAL, true},
        {{1, 90, 140}, {7, 5}, WEFT_F64, WEFT_REAL, true},
        {{1, 70, 70}, {256, 1}, WEFT_F64, WEFT_COMPLEX, true},
        {{1, 40, 300}, {1, 256}, WEFT_F32, WEFT_COMPLEX, true},
        {{1, 40, 200}, {60, 4}, WEFT_F32, WEFT_REAL, true},
        {{40, 9, 20}, {17, 16}, WEFT_F32, WEFT_REAL, true},
        {{1, 600, 20}, {20, 13}, WEFT_F32, WEFT_COMPLEX, true},
        {{1, 700, 1000}, {17, 18}, WEFT_F32, WEFT_REAL, false},
        {{1, 500, 600}, {20, 15}, WEFT_F64, WEFT_COMPLEX, false},
        {{1, 30, 9000}, {3, 120}, WEFT_F64, WEFT_REAL, false},
        {{3, 100, 1200}, {11, 13}, WEFT_F32, WEFT_REAL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!on_host && !cases[i].on_gpu) continue;
        convolution c = {.mode = (weft_convolve_mode)(i % 3),
                         .border = (weft_border)(i / 3 % 3),
                         .field = cases[i].field,
                         .correlate = i % 2,
                         .n = {cases[i].shape[1], cases[i].shape[2]},
                         .m = {cases[i].m[0], cases[i].m[1]}};
        if (c.mode == WEFT_VALID && (c.n[0] < c.m[0]) != (c.n[1] < c.m[1])) c.mode = WEFT_SAME;
        draw_state = i * 31;
        weft_view_of(cases[i].dtype, 3, cases[i].shape, NULL, &c.x);
        check(&c, 7000 + i);
    }
}

/* ---------------------------------------------------------------------------------- arguments */

static void check_arguments(void) {
    static float a[64], b[64], c[64];
    const double tap = 2;
    weft_view from, by, to;
    weft_convolve_mode mode = WEFT_SAME;
    weft_border border = WEFT_BORDER_WRAP;
    weft_field field = WEFT_REAL;
    weft_view_of(WEFT_F32, 3, (size_t[]){2, 4, 5}, a, &from);
    weft_view_of(WEFT_F32, 2, (size_t[]){3, 2}, b, &by);
    weft_view_of(WEFT_F32, 3, (size_t[]){2, 4, 5}, c, &to);
#define REFUSED(change, status, words)                                                                      \
    do {                                                                                                    \
        const weft_view good_from = from, good_by = by, good_to = to;                                       \
        change;                                                                                             \
        EXPECT_ERROR(ctx, weft_convolve2d(ctx, mode, border, NULL, field, &from, &by, &to), status, words); \
        EXPECT_ERROR(ctx, weft_correlate2d(ctx, mode, border, NULL, field, &from, &by, &to), status, "");   \
        from = good_from, by = good_by, to = good_to;                                                       \
        mode = WEFT_SAME, border = WEFT_BORDER_WRAP, field = WEFT_REAL;                                     \
    } while (0)
    REFUSED(mode = (weft_convolve_mode)3, WEFT_INVALID, "invalid convolution mode 3");
    REFUSED(border = (weft_border)3, WEFT_INVALID, "invalid border 3");
    REFUSED(field = (weft_field)2, WEFT_INVALID, "invalid field 2");
    REFUSED(from.dtype = WEFT_I32, WEFT_UNSUPPORTED, "i32");
    REFUSED((by.dtype = WEFT_F64, by.stride[0] = 16, by.stride[1] = 8), WEFT_INVALID,
            "h has elements of type f64: expected f32");
    REFUSED(to.dtype = WEFT_I32, WEFT_INVALID, "y has elements of type i32: expected f32");
    REFUSED(field = WEFT_COMPLEX, WEFT_INVALID,
            "x has shape (2, 4, 5): the last axis of complex numbers has length 2");
    REFUSED((field = WEFT_COMPLEX, from.shape[2] = to.shape[2] = 2), WEFT_INVALID,
            "h has 2 dimensions: at least 3 are required");
    REFUSED(from.dimensions = 1, WEFT_INVALID, "x has 1 dimension: at least 2 are required");
    REFUSED(by.dimensions = 1, WEFT_INVALID, "h has 1 dimension: at least 2 are required");
    REFUSED((by = from, by.data = b), WEFT_INVALID, "h has 3 dimensions of numbers: expected 2");
    REFUSED(mode = WEFT_FULL, WEFT_INVALID, "y has shape (2, 4, 5): expected (2, 6, 6)");
    REFUSED(mode = WEFT_VALID, WEFT_INVALID, "y has shape (2, 4, 5): expected (2, 2, 4)");
    REFUSED((mode = WEFT_VALID, by.shape[0] = 5, by.stride[0] = 8), WEFT_INVALID,
            "x is 4 x 5 and h 5 x 2: one of them must have at least as many rows and columns as the other");
    REFUSED(by.shape[1] = 0, WEFT_EMPTY, "of 4 x 5 and 3 x 0 values is undefined");
    REFUSED(from.shape[1] = 0, WEFT_EMPTY, "of 0 x 5 and 3 x 2 values is undefined");
    REFUSED(to.data = a + 4, WEFT_INVALID, "overlap");
    REFUSED(to = from, WEFT_INVALID, "overlap");
    REFUSED(by.data = c + 4, WEFT_INVALID, "overlap");
    REFUSED(to.stride[0] = 0, WEFT_INVALID, "overlap");
    REFUSED((from.stride[0] = from.stride[1] = from.stride[2] = 0, from.shape[0] = (size_t)1 << 59), WEFT_INVALID,
            "elements: at most");
    EXPECT_ERROR(NULL, weft_convolve2d(NULL, mode, border, &tap, field, &from, &by, &to), WEFT_INVALID,
                 "ctx is NULL");
    EXPECT_ERROR(NULL, weft_correlate2d(NULL, mode, border, &tap, field, &from, &by, &to), WEFT_INVALID,
                 "ctx is NULL");
    for (size_t i = 0; i < 64; i++) EXPECT(c[i] == 0, "a refused call wrote y");
    from.shape[0] = to.shape[0] = 0;
    EXPECT_STATUS(ctx, weft_convolve2d(ctx, mode, border, NULL, field, &from, &by, &to), WEFT_OK);
#undef REFUSED
}

int main(int argc, char **argv) {
    const char *const device = argc > 1 ? argv[1] : "cpu";
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return expect_end();
    if (!EXPECT_STATUS(NULL, weft_open(&ref, "ref"), WEFT_OK)) return expect_end();
    for (uint64_t seed = 0; seed < SEEDS; seed++) check_random(seed);
    most = MOST;
    check_large(strncmp(device, "cuda", 4) != 0); /* an emulated GPU is slow */
    check_arguments();
    weft_close(ref);
    weft_close(ctx);
    return expect_end();
}
