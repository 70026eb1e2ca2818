/* Tests weft_convolve_axis and weft_correlate_axis: each vector has the bits of weft_convolve or weft_correlate on
 * the CPU, for random shapes, strides, axes and filters, and nothing around the output is written. Tests the refused
 * arguments too.
 *
 * Usage: api_convolve_axes DEVICE. */
#include "core/types.h"
#include "tests/expect.h"
#include "tests/random_view.h"
#include "verify/inputs.h"

enum { MOST = 1 << 21, SEEDS = 400, LONGEST = 1 << 17 };

static weft_context *ctx, *cpu;
static size_t most = 1 << 16; /* elements of the memory of an array that are used */
static char x[8 * MOST], h[8 * MOST], y[8 * MOST], before[8 * MOST];
static char signals[8 * MOST], filters[8 * MOST], expected[8 * MOST], found[8 * MOST];

/* One call. x: the shape and the type of the signals, as numbers. */
typedef struct convolution {
    weft_convolve_mode mode;
    weft_field field;
    bool correlate;
    weft_view x;
    size_t along, m;
    bool one_filter; /* h has one axis */
    bool gaps;       /* random strides; else C order */
} convolution;

static size_t count_of(const convolution *c) {
    const size_t n = c->x.shape[c->along], longer = n < c->m ? c->m : n, shorter = n < c->m ? n : c->m;
    return c->mode == WEFT_FULL ? n + c->m - 1 : c->mode == WEFT_SAME ? longer : longer - shorter + 1;
}

/* Returns a view of numbers in memory. */
static weft_view placed(const convolution *c, const weft_view *shape, char *memory) {
    weft_view v = *shape;
    size_t lengths[WEFT_DIMENSIONS_MAX];
    const bool is_complex = c->field == WEFT_COMPLEX;
    if (c->gaps) return numbers_in(v, is_complex, memory, most);
    memcpy(lengths, v.shape, sizeof lengths);
    lengths[v.dimensions] = 2;
    EXPECT_STATUS(NULL, weft_view_of(v.dtype, v.dimensions + is_complex, lengths, memory, &v), WEFT_OK);
    return v;
}

/* Returns the shape of x with another length along the axis. */
static weft_view with_length(const convolution *c, size_t n) {
    weft_view v = c->x;
    v.shape[c->along] = n;
    return v;
}

/* Returns a view of filters: with one axis, or axes of which some are broadcast. */
static weft_view random_filters(const convolution *c) {
    weft_view v = with_length(c, c->m);
    if (c->one_filter) {
        v.dimensions = 1;
        v.shape[0] = c->m;
    }
    for (size_t k = 0; k < v.dimensions && !c->one_filter; k++)
        if (k != c->along && draw(3) == 0) v.shape[k] = 1;
    return placed(c, &v, h);
}

/* Convolves each vector of `signals` with its filter, on the CPU. */
static void expect_vectors(const convolution *c) {
    static char row[8 * LONGEST], filter[8 * LONGEST], result[8 * LONGEST];
    const size_t bytes = weft_dtype_size(c->x.dtype) * (c->field == WEFT_COMPLEX ? 2 : 1), count = count_of(c);
    const weft_view all_filters = with_length(c, c->m), results = with_length(c, count);
    const size_t vectors = elements_of(&results) / count;
    for (size_t i = 0; i < vectors; i++) {
        const line of_x = line_of(&c->x, c->x.dimensions, c->along, i);
        const line of_h = line_of(&all_filters, c->x.dimensions, c->along, c->one_filter ? 0 : i);
        const line of_y = line_of(&results, c->x.dimensions, c->along, i);
        copy_line(&of_x, bytes, signals, row, false);
        if (c->one_filter)
            memcpy(filter, filters, c->m * bytes);
        else
            copy_line(&of_h, bytes, filters, filter, false);
        EXPECT_STATUS(cpu,
                      (c->correlate ? weft_correlate : weft_convolve)(cpu, c->mode, c->x.dtype, c->field, of_x.n, row,
                                                                      c->m, filter, result),
                      WEFT_OK);
        copy_line(&of_y, bytes, expected, result, true);
    }
}

/* Compares the elements of y with `expected`, and the memory around them with `before`. */
static void compare(const weft_view *out, const char *what, uint64_t seed) {
    const size_t n = elements_of(out);
    weft_view was = *out;
    gather(out, out, found);
    EXPECT(memcmp(found, expected, n * weft_dtype_size(out->dtype)) == 0, "%s of %s, seed %llu: the bits differ",
           what, weft_dtype_name(out->dtype), (unsigned long long)seed);
    was.data = before + ((char *)out->data - y); /* restores the values: the rest must be unchanged */
    EXPECT_STATUS(cpu, weft_copy_view(cpu, &was, out), WEFT_OK);
    EXPECT(memcmp(y, before, 8 * most) == 0, "%s, seed %llu: the memory around the results was written", what,
           (unsigned long long)seed);
}

static void check(const convolution *c, uint64_t seed) {
    const bool is_complex = c->field == WEFT_COMPLEX;
    const weft_view results = with_length(c, count_of(c)), h_view = random_filters(c);
    weft_view x_view = placed(c, &c->x, x), all_filters = with_length(c, c->m);
    const weft_view y_view = placed(c, &results, y);
    all_filters.shape[all_filters.dimensions] = 2;
    all_filters.dimensions += is_complex;
    for (size_t k = 0; k < c->x.dimensions; k++)
        if (c->gaps && k != c->along && draw(12) == 0) x_view.stride[k] = 0;
    static const input_kind kinds[] = {INPUT_UNIFORM, INPUT_MIXED, INPUT_SIGNED_ZEROS, INPUT_NAN_ONE, INPUT_PATTERNS};
    const input_kind kind = kinds[draw(8) % 5];
    input_fill(kind, c->x.dtype, seed, most, x);
    input_fill(kind, c->x.dtype, seed + 1, most, h);
    input_fill(INPUT_UNIFORM, c->x.dtype, seed + 2, most, y);
    memcpy(before, y, 8 * most);
    gather(&x_view, &x_view, signals);
    gather(&h_view, c->one_filter ? &h_view : &all_filters, filters);
    expect_vectors(c);
    const int axis = (int)c->along - (draw(2) ? (int)c->x.dimensions : 0);
    EXPECT_STATUS(ctx,
                  (c->correlate ? weft_correlate_axis : weft_convolve_axis)(ctx, c->mode, c->field, &x_view, axis,
                                                                            &h_view, &y_view),
                  WEFT_OK);
    compare(&y_view, c->correlate ? "correlation" : "convolution", seed);
}

static void check_random(uint64_t seed) {
    static const size_t lengths[] = {1, 2, 3, 5, 17, 64, 65, 90, 130}, others[] = {1, 2, 3, 5, 17};
    draw_state = seed * 983;
    convolution c = {.mode = (weft_convolve_mode)draw(3),
                     .field = (weft_field)draw(2),
                     .correlate = draw(2),
                     .one_filter = draw(2),
                     .gaps = draw(4) > 0,
                     .x = {.size = sizeof c.x, .dtype = draw(2) ? WEFT_F32 : WEFT_F64, .dimensions = 1 + draw(4)},
                     .m = lengths[draw(9)]};
    c.along = draw(c.x.dimensions);
    c.x.shape[c.along] = draw(3) ? lengths[draw(9)] : 20;
    size_t left = most / 32 / (c.x.shape[c.along] + c.m);
    for (size_t k = c.x.dimensions; k-- > 0;) {
        if (k == c.along) continue;
        const size_t n = others[draw(5)];
        c.x.shape[k] = n <= left ? n : 1;
        left /= c.x.shape[k];
    }
    check(&c, seed);
}

/* Rows of several tiles of a GPU; transforms of all lengths; vectors that are copied in several blocks; more vectors
 * than threads. */
static void check_large(bool on_host) {
    static const struct {
        size_t shape[3], along, m;
        weft_dtype dtype;
        weft_field field;
        bool one_filter, gaps, on_gpu;
    } cases[] = {
        {{1, 3, 13001}, 2, 7, WEFT_F32, WEFT_REAL, true, false, true},
        {{1, 2, 6300}, 2, 64, WEFT_F64, WEFT_COMPLEX, false, false, true},
        {{1, 3, 5}, 2, 13001, WEFT_F32, WEFT_COMPLEX, true, false, true},
        {{2, 3, 900}, 2, 300, WEFT_F32, WEFT_REAL, true, false, true},
        {{1, 3, 2500}, 2, 1000, WEFT_F64, WEFT_COMPLEX, true, false, true},
        {{1, 2, 9000}, 2, 3000, WEFT_F32, WEFT_REAL, true, false, true},
        {{2, 1, 3000}, 2, 200, WEFT_F64, WEFT_REAL, true, false, true},
        {{1, 2, 20000}, 2, 9000, WEFT_F32, WEFT_REAL, false, false, true},
        {{1, 2, 20000}, 2, 9000, WEFT_F32, WEFT_REAL, true, false, true},
        {{1, 200, 2000}, 1, 5, WEFT_F64, WEFT_REAL, true, true, false},
        {{15, 300, 90}, 1, 9, WEFT_F64, WEFT_REAL, false, true, false},
        {{30, 9, 700}, 2, 30, WEFT_F64, WEFT_COMPLEX, false, true, false},
        {{3, 100, 2000}, 2, 11, WEFT_F32, WEFT_REAL, true, false, false},
        {{3, 50, 1500}, 2, 150, WEFT_F32, WEFT_COMPLEX, true, false, false},
        {{3, 50, 1500}, 2, 150, WEFT_F32, WEFT_REAL, false, false, false},
        {{2, 70, 80}, 2, 5000, WEFT_F32, WEFT_REAL, true, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int correlate = 0; correlate < 2; correlate++) {
            if (!on_host && !cases[i].on_gpu) continue;
            convolution c = {.mode = (weft_convolve_mode)(i % 3),
                             .field = cases[i].field,
                             .correlate = correlate,
                             .along = cases[i].along,
                             .m = cases[i].m,
                             .one_filter = cases[i].one_filter,
                             .gaps = cases[i].gaps};
            draw_state = i * 31;
            weft_view_of(cases[i].dtype, 3, cases[i].shape, NULL, &c.x);
            check(&c, 7000 + i);
        }
}

/* ------------------------------------------------------------------------------------ arguments */

static void check_arguments(void) {
    static float a[64], b[64], c[64];
    weft_view from, by, to;
    weft_convolve_mode mode = WEFT_SAME;
    weft_field field = WEFT_REAL;
    int axis = 1;
    weft_view_of(WEFT_F32, 3, (size_t[]){2, 5, 2}, a, &from);
    weft_view_of(WEFT_F32, 1, (size_t[]){3}, b, &by);
    weft_view_of(WEFT_F32, 3, (size_t[]){2, 5, 2}, c, &to);
#define REFUSED(change, status, words)                                                                 \
    do {                                                                                               \
        const weft_view good_from = from, good_by = by, good_to = to;                                  \
        change;                                                                                        \
        EXPECT_ERROR(ctx, weft_convolve_axis(ctx, mode, field, &from, axis, &by, &to), status, words); \
        from = good_from, by = good_by, to = good_to;                                                  \
        mode = WEFT_SAME, field = WEFT_REAL, axis = 1;                                                 \
    } while (0)
    REFUSED(mode = (weft_convolve_mode)3, WEFT_INVALID, "invalid convolution mode 3");
    REFUSED(field = (weft_field)2, WEFT_INVALID, "invalid field 2");
    REFUSED(axis = 3, WEFT_INVALID, "axis 3 is out of range: the array has 3 dimensions");
    REFUSED((field = WEFT_COMPLEX, axis = 2, by.dimensions = 2, by.shape[1] = 2, by.stride[1] = 4), WEFT_INVALID,
            "axis 2 is out of range: the array has 2 dimensions");
    REFUSED(from.dtype = WEFT_I32, WEFT_UNSUPPORTED, "i32");
    REFUSED((by.dtype = WEFT_F64, by.stride[0] = 8), WEFT_INVALID, "h has elements of type f64: expected f32");
    REFUSED(to.dtype = WEFT_I32, WEFT_INVALID, "y has elements of type i32: expected f32");
    REFUSED(field = WEFT_COMPLEX, WEFT_INVALID, "h has shape (3): the last axis of complex numbers has length 2");
    REFUSED((field = WEFT_COMPLEX, from.shape[2] = 1), WEFT_INVALID,
            "x has shape (2, 5, 1): the last axis of complex");
    REFUSED((by.dimensions = 2, by.shape[1] = 1), WEFT_INVALID,
            "h has 2 dimensions of numbers: expected 1, or 3 as x has");
    REFUSED(by.dimensions = 0, WEFT_INVALID, "h has 0 dimensions of numbers: expected 1, or 3 as x has");
    REFUSED((by = from, by.data = b, by.shape[0] = 3), WEFT_INVALID,
            "h of shape (3, 5, 2) cannot be broadcast to the filters of shape (2, 5, 2)");
    REFUSED((to.shape[1] = 7, to.stride[0] = 56), WEFT_INVALID, "y has shape (2, 7, 2): expected (2, 5, 2)");
    REFUSED(mode = WEFT_FULL, WEFT_INVALID, "y has shape (2, 5, 2): expected (2, 7, 2)");
    REFUSED(by.shape[0] = 0, WEFT_EMPTY, "convolution of 5 and 0 values is undefined");
    REFUSED((from.shape[1] = 0, from.shape[0] = to.shape[0] = 0), WEFT_EMPTY,
            "convolution of 0 and 3 values is undefined");
    REFUSED(to.data = a + 4, WEFT_INVALID, "overlap");
    REFUSED(to = from, WEFT_INVALID, "overlap");
    REFUSED(by.data = c + 4, WEFT_INVALID, "overlap");
    REFUSED(to.stride[0] = 0, WEFT_INVALID, "overlap");
    REFUSED(from.dimensions = to.dimensions = 0, WEFT_INVALID, "1 axis: the array has 0 dimensions");
    EXPECT_ERROR(ctx, weft_correlate_axis(ctx, mode, field, &from, 5, &by, &to), WEFT_INVALID, "axis 5");
    EXPECT_ERROR(NULL, weft_convolve_axis(NULL, mode, field, &from, axis, &by, &to), WEFT_INVALID, "ctx is NULL");
    EXPECT_ERROR(NULL, weft_correlate_axis(NULL, mode, field, &from, axis, &by, &to), WEFT_INVALID, "ctx is NULL");
    for (size_t i = 0; i < 64; i++) EXPECT(c[i] == 0, "a refused call wrote y");
    from.shape[2] = to.shape[2] = 0;
    EXPECT_STATUS(ctx, weft_convolve_axis(ctx, mode, field, &from, axis, &by, &to), WEFT_OK);
#undef REFUSED
}

int main(int argc, char **argv) {
    const char *const device = argc > 1 ? argv[1] : "cpu";
    const bool on_host = strncmp(device, "cuda", 4) != 0; /* where blocks are smaller than the arrays of this test */
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return expect_end();
    if (!EXPECT_STATUS(NULL, weft_open(&cpu, "cpu"), WEFT_OK)) return expect_end();
    for (uint64_t seed = 0; seed < SEEDS; seed++) check_random(seed);
    most = MOST;
    check_large(on_host);
    check_arguments();
    weft_close(cpu);
    weft_close(ctx);
    return expect_end();
}
