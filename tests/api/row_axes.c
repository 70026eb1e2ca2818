/* Tests weft_fft_axes and weft_recurrence_axis: each vector has the bits of weft_fft or weft_recurrence of an array,
 * for random shapes, strides and axes, and nothing around the output is written. Tests the refused arguments too.
 *
 * Usage: api_row_axes DEVICE. */
#include "core/types.h"
#include "tests/expect.h"
#include "tests/random_view.h"
#include "verify/inputs.h"

#include <stdlib.h>

enum { MOST = 1 << 20, SEEDS = 300, GPU_SEEDS = 60, LONGEST = 1 << 16 };

static weft_context *ctx;
static size_t most = 1 << 16; /* elements of the memory of an array that are used */
static char x[8 * MOST], y[8 * MOST], z[8 * MOST], before[8 * MOST], found[8 * MOST], expected[8 * MOST];
static char s1[8 * MOST], u1[8 * MOST];

/* Compares the elements of z with `expected`, and the memory around them with `before`. */
static void compare(const weft_view *out, const char *what, uint64_t seed) {
    const size_t n = elements_of(out);
    weft_view was = *out;
    gather(out, out, found);
    EXPECT(memcmp(found, expected, n * weft_dtype_size(out->dtype)) == 0,
           "%s of %s, seed %llu: the bits of %zu values differ", what, weft_dtype_name(out->dtype),
           (unsigned long long)seed, n);
    was.data = before + ((char *)out->data - z); /* restores the values: the rest must be unchanged */
    EXPECT_STATUS(ctx, weft_copy_view(ctx, &was, out), WEFT_OK);
    EXPECT(memcmp(z, before, 8 * most) == 0, "%s, seed %llu: the memory around the values was written", what,
           (unsigned long long)seed);
}

/* ---------------------------------------------------------------------------------- transforms */

/* Transforms the lines of an array along an axis. from, to: their shapes, as numbers. */
static void transform_lines(weft_fft_kind kind, const weft_view *from, const weft_view *to, size_t axis, char *array,
                            char *result) {
    static char row[16 * LONGEST], transformed[16 * LONGEST];
    const size_t size = weft_dtype_size(from->dtype), numbers = from->dimensions;
    const size_t in = kind == WEFT_R2C ? size : 2 * size, out = kind == WEFT_C2R ? size : 2 * size;
    size_t lines = 1;
    for (size_t k = 0; k < numbers; k++) lines *= k == axis ? 1 : from->shape[k];
    for (size_t i = 0; i < lines; i++) {
        const line l = line_of(from, numbers, axis, i), m = line_of(to, numbers, axis, i);
        copy_line(&l, in, array, row, false);
        EXPECT_STATUS(ctx, weft_fft(ctx, kind, from->dtype, 1, kind == WEFT_C2R ? m.n : l.n, row, transformed),
                      WEFT_OK);
        copy_line(&m, out, result, transformed, true);
    }
}

/* Computes the expected values from those of x, without gaps in s1. */
static void expect_transform(weft_fft_kind kind, const weft_view *from, const weft_view *to, size_t count,
                             const int *axes) {
    const bool inverse = kind == WEFT_C2C_INVERSE || kind == WEFT_C2R;
    char *array = s1, *result = u1;
    for (size_t i = 0; i < count; i++) {
        const bool changes = kind == WEFT_R2C ? i == 0 : kind == WEFT_C2R && i == count - 1;
        const weft_fft_kind one = changes ? kind : inverse ? WEFT_C2C_INVERSE : WEFT_C2C;
        const weft_view *const before_it = kind == WEFT_R2C && i > 0 ? to : from, *const after =
                                                                                      kind == WEFT_C2R && !changes
                                                                                          ? from
                                                                                          : to;
        const int axis = axes[inverse ? i : count - 1 - i];
        transform_lines(one, before_it, after, (size_t)(axis < 0 ? axis + (int)from->dimensions : axis), array,
                        result);
        char *const last = result;
        result = array;
        array = last;
    }
    memcpy(expected, array, 8 * most);
}

/* Makes a C-ordered view of numbers without gaps. */
static weft_view plain(const weft_view *v, bool is_complex, char *memory) {
    weft_view w;
    size_t shape[WEFT_DIMENSIONS_MAX];
    memcpy(shape, v->shape, sizeof shape);
    shape[v->dimensions] = 2;
    weft_view_of(v->dtype, v->dimensions + is_complex, shape, memory, &w);
    return w;
}

/* Transforms `in` to `out`, and compares. source, to: their shapes, as numbers. */
static void transform(weft_fft_kind kind, const weft_view *in, const weft_view *out, const weft_view *source,
                      const weft_view *to, size_t count, const int *axes, uint64_t seed) {
    input_fill(INPUT_UNIFORM, source->dtype, seed, most, x);
    input_fill(INPUT_UNIFORM, source->dtype, seed + 1, most, z);
    memcpy(before, z, 8 * most);
    gather(in, in, s1);
    expect_transform(kind, source, to, count, axes);
    EXPECT_STATUS(ctx, weft_fft_axes(ctx, kind, in, count, axes, out), WEFT_OK);
    compare(out, "transform", seed);
}

/* from: the shape of the array of real numbers, or of x, as numbers. */
static void check_transform(weft_fft_kind kind, const weft_view *from, size_t count, const int *axes, bool gaps,
                            uint64_t seed) {
    const size_t last = (size_t)(axes[count - 1] < 0 ? axes[count - 1] + (int)from->dimensions : axes[count - 1]);
    const bool in_place = kind <= WEFT_C2C_INVERSE && draw(3) == 0;
    weft_view to = *from, source = *from;
    if (kind == WEFT_R2C) to.shape[last] = from->shape[last] / 2 + 1;
    if (kind == WEFT_C2R) source.shape[last] = from->shape[last] / 2 + 1;
    const weft_view out = gaps ? numbers_in(to, kind != WEFT_C2R, z, most) : plain(&to, kind != WEFT_C2R, z);
    const weft_view in = in_place ? out
                         : gaps   ? numbers_in(source, kind != WEFT_R2C, x, most)
                                  : plain(&source, kind != WEFT_R2C, x);
    transform(kind, &in, &out, &source, &to, count, axes, seed);
}

static void check_random_transform(uint64_t seed) {
    static const size_t lengths[] = {1, 2, 3, 5, 17, 40, 300};
    int axes[4];
    bool chosen[4] = {false};
    draw_state = seed * 977;
    weft_view v = {.size = sizeof v, .dtype = draw(2) ? WEFT_F32 : WEFT_F64, .dimensions = 1 + draw(4)};
    const size_t count = 1 + draw(v.dimensions);
    for (size_t a = 0; a < count; a++) {
        do axes[a] = (int)draw(v.dimensions);
        while (chosen[axes[a]]);
        chosen[axes[a]] = true;
    }
    size_t left = most / 64;
    for (size_t k = v.dimensions; k-- > 0; left /= v.shape[k]) {
        const size_t n = chosen[k] ? (size_t)1 << draw(12) : lengths[draw(7)];
        v.shape[k] = n <= left ? n : chosen[k] && left >= 4 ? 4 : 1;
    }
    for (size_t a = 0; a < count; a++)
        if (draw(2)) axes[a] -= (int)v.dimensions;
    check_transform((weft_fft_kind)draw(4), &v, count, axes, true, seed);
}

/* Vectors of more bytes than are copied at a time. */
static void check_large_transforms(void) {
    const struct {
        size_t dimensions, shape[3];
        int axis;
    } cases[] = {
        {2, {4096, 100}, 0}, {3, {3, 2048, 60}, 1}, {1, {1 << 16}, 0}, {3, {90, 4, 1024}, 2}, {2, {16, 20000}, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int kind = 0; kind < 4; kind++) {
            weft_view v;
            draw_state = i * 31 + (size_t)kind;
            weft_view_of(WEFT_F64, cases[i].dimensions, cases[i].shape, NULL, &v);
            check_transform((weft_fft_kind)kind, &v, 1, &cases[i].axis, kind % 2 == 0 && i != 0, 5000 + i);
        }
}

/* Exchanges the first and the third axis. */
static weft_view exchanged(weft_view v) {
    const weft_view was = v;
    v.shape[0] = was.shape[2], v.shape[2] = was.shape[0];
    v.stride[0] = was.stride[2], v.stride[2] = was.stride[0];
    return v;
}

/* Arrays of adjacent numbers, of which a GPU transforms columns of 2^log values without copies: in both orders in
 * memory, in place or not; and with the first array that is not aligned to numbers. */
static void check_columns(int log, weft_dtype dtype) {
    static const size_t columns[] = {1, 2, 3, 4, 5, 8, 17, 33};
    const size_t size = weft_dtype_size(dtype), n = (size_t)1 << log;
    for (uint64_t i = 0; i < 4; i++) {
        draw_state = i * 16 + (uint64_t)log;
        size_t shape[] = {1 + draw(3), n, columns[draw(8)]};
        while (2 * shape[0] * n * shape[2] > most - 2) shape[shape[0] > 1 ? 0 : 2] /= 2;
        weft_view v, in, out;
        weft_view_of(dtype, 3, shape, NULL, &v);
        in = plain(&v, true, x + i % 2 * size);
        out = plain(&v, true, z + i / 2 * size);
        if (draw(2)) in = exchanged(in), out = exchanged(out), v = exchanged(v);
        transform((weft_fft_kind)draw(2), draw(3) ? &in : &out, &out, &v, &v, 1, (int[]){1}, 5200 + i);
    }
}

/* Adds bytes between the elements of an axis, and what this needs along the axes before it. */
static weft_view with_gap(weft_view v, size_t axis, ptrdiff_t bytes) {
    for (size_t k = axis + 1; k-- > 0; bytes *= (ptrdiff_t)v.shape[k]) v.stride[k] += bytes;
    return v;
}

/* Rows of which some are one after another: in planes of x, in y not. A block has several planes, but not all. */
static void check_planes(void) {
    const size_t shape[] = {3, 5, 60, 512};
    weft_view v;
    weft_view_of(WEFT_F64, 4, shape, NULL, &v);
    const weft_view x_plain = plain(&v, true, x), y_plain = plain(&v, true, z);
    const weft_view in = with_gap(with_gap(x_plain, 1, 32), 0, 64), out = with_gap(y_plain, 2, 16);
    transform(WEFT_C2C, &in, &out, &v, &v, 1, (int[]){3}, 5100);
}

/* --------------------------------------------------------------------------------- recurrences */

static void check_recurrence(const weft_view *shape, size_t axis, uint64_t seed) {
    const size_t size = weft_dtype_size(shape->dtype), n = shape->shape[axis];
    const weft_direction direction = draw(2) ? WEFT_REVERSE : WEFT_FORWARD;
    const size_t same = draw(4); /* 0: v is s, 1: v is u */
    static char row[3][8 * LONGEST], init[8 * MOST], result[8 * LONGEST];
    weft_view v = *shape, first = *shape;
    lay_out(&v, z, most);
    const weft_view s = same == 0 ? v : factor_of(&v, v.dtype, x, most),
                    u = same == 1 ? v : factor_of(&v, v.dtype, y, most);
    first.shape[axis] = 1;
    const weft_view initial = factor_of(&first, v.dtype, init, most);
    const bool has_init = draw(2);
    input_fill(INPUT_UNIFORM, v.dtype, seed, most, x);
    input_fill(INPUT_UNIFORM, v.dtype, seed + 1, most, y);
    input_fill(INPUT_UNIFORM, v.dtype, seed + 2, most, z);
    input_fill(INPUT_UNIFORM, v.dtype, seed + 3, most, init);
    memcpy(before, z, 8 * most);
    gather(&s, &v, s1);
    gather(&u, &v, u1);
    gather(&initial, &first, found);
    for (size_t i = 0; i < elements_of(&first); i++) {
        const line l = line_of(&v, v.dimensions, axis, i);
        copy_line(&l, size, s1, row[0], false);
        copy_line(&l, size, u1, row[1], false);
        EXPECT_STATUS(ctx,
                      weft_recurrence(ctx, direction, v.dtype, 1, n, row[0], row[1],
                                      has_init ? found + i * size : NULL, result),
                      WEFT_OK);
        copy_line(&l, size, expected, result, true);
    }
    EXPECT_STATUS(ctx,
                  weft_recurrence_axis(ctx, direction, &s, &u, (int)axis - (draw(2) ? (int)v.dimensions : 0),
                                       has_init ? &initial : NULL, &v),
                  WEFT_OK);
    compare(&v, "recurrence", seed);
}

static void check_random_recurrence(uint64_t seed) {
    static const size_t lengths[] = {1, 2, 3, 5, 17, 40, 300, 5000};
    draw_state = seed * 991;
    weft_view v = {.size = sizeof v, .dtype = draw(2) ? WEFT_F32 : WEFT_F64, .dimensions = 1 + draw(4)};
    size_t left = most / 32;
    for (size_t k = v.dimensions; k-- > 0; left /= v.shape[k]) {
        const size_t n = lengths[draw(8)];
        v.shape[k] = n <= left ? n : 1;
    }
    check_recurrence(&v, draw(v.dimensions), seed);
}

static void check_large_recurrences(void) {
    const size_t shapes[][3] = {{2000, 1, 170}, {7, 1500, 25}, {1, 60000, 3}};
    for (size_t i = 0; i < 3; i++) {
        weft_view v;
        draw_state = i;
        weft_view_of(WEFT_F64, 3, shapes[i], NULL, &v);
        check_recurrence(&v, i > 0, 6000 + i);
    }
}

/* ------------------------------------------------------------------------------------ arguments */

static void transform_arguments(void) {
    static float a[64], b[64];
    weft_view from, to, was;
    weft_fft_kind kind = WEFT_C2C;
    size_t count = 1;
    int axes[] = {0, 1};
    weft_view_of(WEFT_F32, 3, (size_t[]){4, 3, 2}, a, &from);
    weft_view_of(WEFT_F32, 3, (size_t[]){4, 3, 2}, b, &to);
#define REFUSED(change, status, words)                                                        \
    do {                                                                                      \
        const weft_view good_from = from, good_to = to;                                       \
        change;                                                                               \
        EXPECT_ERROR(ctx, weft_fft_axes(ctx, kind, &from, count, axes, &to), status, words);  \
        from = good_from, to = good_to, kind = WEFT_C2C, count = 1, axes[0] = 0, axes[1] = 1; \
    } while (0)
    REFUSED(kind = (weft_fft_kind)4, WEFT_INVALID, "invalid fft kind 4");
    REFUSED(count = 0, WEFT_INVALID, "0 axes: at least 1 is required");
    REFUSED(count = 3, WEFT_INVALID, "3 axes: the array has 2 dimensions");
    REFUSED(axes[0] = 2, WEFT_INVALID, "axis 2 is out of range: the array has 2 dimensions");
    REFUSED(from.shape[0] = to.shape[0] = 0, WEFT_INVALID, "fft of 0 values along axis 0: at least 1 is required");
    REFUSED((count = 2, axes[1] = -2), WEFT_INVALID, "axes 0 and -2 are the same axis");
    REFUSED(from.dimensions = 2, WEFT_INVALID, "x has shape (4, 3): the last axis of complex numbers has length 2");
    REFUSED(to.dimensions = 2, WEFT_INVALID, "y has shape (4, 3): the last axis of complex numbers has length 2");
    REFUSED(to.shape[1] = 2, WEFT_INVALID, "y has shape (4, 2, 2): expected that of x, (4, 3, 2)");
    REFUSED((kind = WEFT_R2C, from.dimensions = 2), WEFT_INVALID,
            "y has shape (4, 3, 2): expected (3, 3, 2) for the x of shape (4, 3)");
    REFUSED((kind = WEFT_C2R, to.dimensions = 2), WEFT_INVALID,
            "x has shape (4, 3, 2): expected (3, 3, 2) for the y of shape (4, 3)");
    REFUSED(from.dtype = WEFT_I32, WEFT_UNSUPPORTED, "i32");
    REFUSED(to.dtype = WEFT_I32, WEFT_INVALID, "y has elements of type i32: expected f32");
    REFUSED(to.data = a + 2, WEFT_INVALID, "overlap");
    REFUSED(to.stride[0] = 8, WEFT_INVALID, "overlap");
    REFUSED(from.shape[0] = to.shape[0] = 0, WEFT_INVALID, "fft of 0 values along axis 0");
    was = from;
    from.shape[1] = to.shape[1] = 0;
    EXPECT_STATUS(ctx, weft_fft_axes(ctx, WEFT_C2C, &from, 1, axes, &to), WEFT_OK);
    from = was;
    for (size_t k = 0; k < WEFT_DIMENSIONS_MAX; k++) from.shape[k] = to.shape[k] = 1;
    from.dimensions = to.dimensions = WEFT_DIMENSIONS_MAX;
    EXPECT_ERROR(ctx, weft_fft_axes(ctx, WEFT_R2C, &from, 1, axes, &to), WEFT_INVALID, "length 2");
    to.shape[WEFT_DIMENSIONS_MAX - 1] = 2;
    to.stride[WEFT_DIMENSIONS_MAX - 1] = 4;
    EXPECT_ERROR(ctx, weft_fft_axes(ctx, WEFT_R2C, &from, 1, axes, &to), WEFT_INVALID, "16 dimensions of numbers");
    EXPECT_ERROR(NULL, weft_fft_axes(NULL, WEFT_C2C, &from, 1, axes, &to), WEFT_INVALID, "ctx is NULL");
    for (size_t i = 0; i < 64; i++) EXPECT(b[i] == 0, "a refused call wrote y");
#undef REFUSED
}

static void recurrence_arguments(void) {
    static double a[64], b[64], c[64];
    weft_view s, u, v, init;
    weft_direction direction = WEFT_FORWARD;
    int axis = 1;
    weft_view_of(WEFT_F64, 2, (size_t[]){3, 4}, a, &s);
    weft_view_of(WEFT_F64, 1, (size_t[]){4}, a + 20, &u);
    weft_view_of(WEFT_F64, 2, (size_t[]){3, 1}, b, &init);
    weft_view_of(WEFT_F64, 2, (size_t[]){3, 4}, c, &v);
#define REFUSED(change, status, words)                                                                   \
    do {                                                                                                 \
        const weft_view good_s = s, good_u = u, good_init = init, good_v = v;                            \
        change;                                                                                          \
        EXPECT_ERROR(ctx, weft_recurrence_axis(ctx, direction, &s, &u, axis, &init, &v), status, words); \
        s = good_s, u = good_u, init = good_init, v = good_v, direction = WEFT_FORWARD, axis = 1;        \
    } while (0)
    REFUSED(direction = (weft_direction)2, WEFT_INVALID, "invalid direction 2");
    REFUSED(axis = 2, WEFT_INVALID, "axis 2 is out of range: the array has 2 dimensions");
    REFUSED(v.dtype = WEFT_I64, WEFT_UNSUPPORTED, "i64");
    REFUSED(s.dtype = WEFT_I64, WEFT_INVALID, "s has elements of type i64: expected f64");
    REFUSED(u.dtype = WEFT_I64, WEFT_INVALID, "u has elements of type i64: expected f64");
    REFUSED(init.dtype = WEFT_I64, WEFT_INVALID, "init has elements of type i64: expected f64");
    REFUSED(s.shape[0] = 2, WEFT_INVALID, "s of shape (2, 4) cannot be broadcast to v of shape (3, 4)");
    REFUSED(u.shape[0] = 3, WEFT_INVALID, "u of shape (3) cannot be broadcast to v of shape (3, 4)");
    REFUSED(init.shape[1] = 2, WEFT_INVALID,
            "init of shape (3, 2) cannot be broadcast to the initial values of shape (3, 1)");
    REFUSED(v.data = a + 4, WEFT_INVALID, "overlap");
    REFUSED(v.data = a + 19, WEFT_INVALID, "overlap");
    REFUSED(init.data = c + 2, WEFT_INVALID, "overlap");
    REFUSED(v.stride[0] = 0, WEFT_INVALID, "overlap");
    REFUSED((s.shape[1] = v.shape[1] = u.shape[0] = 1, init = v), WEFT_INVALID, "overlap");
    EXPECT_ERROR(NULL, weft_recurrence_axis(NULL, direction, &s, &u, axis, &init, &v), WEFT_INVALID, "ctx is NULL");
    for (size_t i = 0; i < 64; i++) EXPECT(c[i] == 0, "a refused call wrote v");
    v.shape[0] = s.shape[0] = init.shape[0] = 0;
    EXPECT_STATUS(ctx, weft_recurrence_axis(ctx, WEFT_FORWARD, &s, &u, 1, &init, &v), WEFT_OK);
#undef REFUSED
}

int main(int argc, char **argv) {
    const char *const device = argc > 1 ? argv[1] : "cpu";
    const bool on_host = strncmp(device, "cuda", 4) != 0; /* where blocks are smaller than the arrays of this test */
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return expect_end();
    for (uint64_t seed = 0; seed < (on_host ? SEEDS : GPU_SEEDS); seed++) {
        check_random_transform(seed);
        check_random_recurrence(seed);
    }
    for (int log = 1; log <= 13; log++) check_columns(log, log % 2 ? WEFT_F32 : WEFT_F64);
    for (int log = on_host ? 1 : 11; log <= 13; log++) check_columns(log, log % 2 ? WEFT_F64 : WEFT_F32);
    most = MOST;
    if (on_host) {
        check_large_transforms();
        check_planes();
        check_large_recurrences();
    }
    transform_arguments();
    recurrence_arguments();
    weft_close(ctx);
    return expect_end();
}
