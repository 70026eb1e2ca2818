/* weft_convolve2d and weft_correlate2d on views of random shapes and strides. The parameter selects the mode, and
 * real or complex numbers. The shapes, the number of taps, the border, its value, and correlation or convolution vary
 * with match_case.turn. */
#include "core/types.h"
#include "verify/random_views.h"

#include <math.h>
#include <string.h>

enum { MODES = 3, PARAMETERS = 2 * MODES, OF_SHAPE = 60, OF_X = 100, OF_H = 200, OF_Y = 300 };
#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct arguments {
    weft_view x, h, y;
    weft_convolve_mode mode;
    weft_border border;
    bool is_complex, correlate;
    size_t n[2], m[2], values; /* values: elements that y spans */
    double fill[2];
    float narrow[2]; /* the same */
} arguments;

static size_t out_bytes(const match_case *c) {
    return type_is_float(c->dtype) && c->accumulate == WEFT_DEFAULT ? weft_dtype_size(c->dtype) : 0;
}

/* Returns the number of rows or columns of y. */
static size_t length_of(const arguments *a, int axis) {
    const size_t n = a->n[axis], m = a->m[axis];
    if (n == 0 || m == 0) return 0;
    return a->mode == WEFT_FULL ? n + m - 1 : a->mode == WEFT_SAME ? n : n < m ? m - n + 1 : n - m + 1;
}

/* Chooses n1 x n2 and m1 x m2: filters up to the 256 taps of ORDER.md 15.5 and above, of which the direct ones do not
 * cost the specification much. `most`: elements of an array. */
static void choose_lengths(const match_case *c, size_t most, arguments *a) {
    static const size_t columns[] = {1, 3, 7, 33, 130, 300, 1100};
    static const size_t taps[][2] = {{1, 1}, {3, 3},   {5, 5},   {1, 9},   {9, 1},   {4, 2}, {2, 7},
                                     {3, 8}, {16, 16}, {17, 16}, {1, 256}, {256, 1}, {7, 7}, {20, 31}};
    const uint64_t r = view_draw(c, OF_SHAPE);
    const size_t some = r % COUNT(columns), few = 40000 + 40 * most;
    a->n[1] = columns[some] < most ? columns[some] : most;
    a->n[0] = a->n[1] == 0 ? 0 : most / a->n[1];
    if ((r >> 8) % 4 == 0) a->n[0] = (a->n[0] + 2) / 3;
    for (int k = 0; k < 2; k++) a->m[k] = taps[(r >> 16) % COUNT(taps)][k];
    while (a->m[0] * a->m[1] > most || (a->m[0] * a->m[1] <= 256 && a->m[0] * a->m[1] > 1 &&
                                        (a->n[0] + a->m[0]) * (a->n[1] + a->m[1]) > few / (a->m[0] * a->m[1]))) {
        size_t *const larger = a->m[0] > a->m[1] ? &a->m[0] : &a->m[1];
        *larger = *larger == 1 ? most : *larger / 2;
    }
    const bool x_shorter = a->n[0] < a->m[0] || a->n[1] < a->m[1], h_shorter = a->m[0] < a->n[0] || a->m[1] < a->n[1];
    if (a->mode == WEFT_VALID && x_shorter && h_shorter)
        for (int k = 0; k < 2; k++) a->m[k] = a->m[k] < a->n[k] ? a->m[k] : a->n[k];
}

/* Sets the shape of x: up to two axes before those of its matrices. */
static void choose_shape(const match_case *c, size_t most, arguments *a) {
    const uint64_t r = view_draw(c, OF_SHAPE + 1);
    size_t left = most;
    a->x = (weft_view){.size = sizeof a->x, .dtype = c->dtype};
    choose_lengths(c, most, a);
    for (int k = 0; k < 2; k++) left = a->n[k] == 0 ? 0 : left / a->n[k];
    for (size_t k = 0; k < r % 3; k++) {
        const size_t length = 1 + (r >> (8 + 8 * k)) % 3, fits = left < 1 ? 1 : left;
        a->x.shape[a->x.dimensions] = length < fits ? length : fits;
        left /= a->x.shape[a->x.dimensions++];
    }
    for (int k = 0; k < 2; k++) a->x.shape[a->x.dimensions++] = a->n[k];
}

/* Sets the strides of rows of adjacent elements, with gaps between the rows if they fit in `most` elements. Returns
 * the number of elements that the view spans. */
static size_t lay_rows(const match_case *c, uint64_t first, size_t most, weft_view *v) {
    const size_t size = weft_dtype_size(v->dtype), last = v->dimensions - 1;
    size_t all = 1, gap = view_draw(c, first) % 4;
    for (size_t k = 0; k < last; k++) all *= v->shape[k];
    if (all * (v->shape[last] + gap) > most) gap = 0;
    size_t step = v->shape[last] + gap;
    v->stride[last] = (ptrdiff_t)size;
    for (size_t k = last; k-- > 0; step *= v->shape[k]) v->stride[k] = (ptrdiff_t)(step * size);
    return step;
}

static size_t lay_out(const match_case *c, uint64_t first, size_t most, weft_view *v) {
    if (view_draw(c, first) % 2) return lay_rows(c, first + 1, most, v);
    const size_t span = view_lay_out(c, first + 2, true, v);
    return span > most ? view_lay_out(c, first + 2, false, v) : span;
}

static void choose_border(const match_case *c, arguments *a) {
    static const double values[] = {0, -0.0, 1.5, -3.25, INFINITY, NAN};
    const uint64_t r = view_draw(c, OF_SHAPE + 2);
    a->border = (weft_border)(r % 3);
    a->fill[0] = values[(r >> 8) % COUNT(values)];
    a->fill[1] = values[(r >> 16) % COUNT(values)];
    a->narrow[0] = (float)a->fill[0], a->narrow[1] = (float)a->fill[1];
}

static arguments choose(const match_case *c) {
    const uint64_t r = view_draw(c, 40);
    arguments a = {
        .mode = (weft_convolve_mode)(c->parameter % MODES), .is_complex = c->parameter >= MODES, .correlate = r % 2};
    const size_t most = a.is_complex ? c->n / 2 : c->n;
    choose_shape(c, most, &a);
    choose_border(c, &a);
    a.h = (weft_view){.size = sizeof a.h, .dtype = c->dtype, .dimensions = 2, .shape = {a.m[0], a.m[1]}};
    a.y = a.x;
    for (int k = 0; k < 2; k++) a.y.shape[a.x.dimensions - 2 + (size_t)k] = length_of(&a, k);
    lay_out(c, OF_X, most, &a.x);
    lay_out(c, OF_H, most, &a.h);
    a.values = lay_out(c, OF_Y, SIZE_MAX, &a.y);
    for (size_t k = 0; k < a.y.dimensions; k++)
        if (a.y.shape[k] == 0) a.values = 0;
    if (!a.is_complex) return a;
    view_add_parts(c, 45, most, &a.x);
    view_add_parts(c, 46, most, &a.h);
    view_add_parts(c, 47, a.values, &a.y);
    a.values *= 2;
    return a;
}

static size_t values(const match_case *c) { return choose(c).values; }

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const arguments a = choose(c);
    const weft_view x = view_at(&a.x, inputs[0]), h = view_at(&a.h, inputs[1]), y = view_at(&a.y, out);
    const void *const fill = c->dtype == WEFT_F64 ? (const void *)a.fill : a.narrow;
    const weft_status status = view_prepare_output(c, ctx, c->dtype, a.values, out);
    if (status != WEFT_OK) return status;
    return (a.correlate ? weft_correlate2d : weft_convolve2d)(ctx, a.mode, a.border,
                                                              view_draw(c, 41) % 4 ? fill : NULL,
                                                              a.is_complex ? WEFT_COMPLEX : WEFT_REAL, &x, &h, &y);
}

static void tell(const match_case *c, char text[100]) {
    static const char *const modes[MODES] = {"full", "same", "valid"}, *const borders[] = {"fill", "wrap",
                                                                                           "symmetric"};
    const arguments a = choose(c);
    snprintf(text, 50, "%s, %s, %s, %zu x %zu%s taps", modes[a.mode], borders[a.border],
             a.correlate ? "corr" : "conv", a.m[0], a.m[1], a.is_complex ? " complex" : "");
    view_tell(&a.x, ", x", text + strlen(text));
}

const match_shape match_convolve2d = {.inputs = 2,
                                      .parameters = PARAMETERS,
                                      .accumulates = 1,
                                      .values = values,
                                      .out_bytes = out_bytes,
                                      .call = call,
                                      .tell = tell};
