/* weft_fft_axes on views of random shapes and strides, along random axes. The parameter is the kind. In place or not,
 * and x and y without gaps and with the same strides, vary with match_case.turn. */
#include "core/types.h"
#include "verify/random_views.h"
#include "verify/vector_copies.h"

#include <string.h>

typedef struct arguments {
    weft_fft_kind kind;
    weft_view x, y;
    bool in_place, columns;    /* columns: x and y have the same strides and no gaps */
    size_t dimensions, values; /* dimensions: without that of the parts; values: elements that y spans */
    size_t count;
    int axes[WEFT_DIMENSIONS_MAX];
} arguments;

enum { MOST = 300000 }; /* numbers: the cost of the specification */

static bool is_complex(weft_fft_kind kind) { return kind != WEFT_R2C && kind != WEFT_C2R; }

static size_t out_bytes(const match_case *c) {
    return type_is_float(c->dtype) && c->accumulate == WEFT_DEFAULT ? weft_dtype_size(c->dtype) : 0;
}

static size_t axis_of(const arguments *a, size_t k) {
    return a->axes[k] < 0 ? (size_t)(a->axes[k] + (int)a->dimensions) : (size_t)a->axes[k];
}

/* Sets x to an array of at most c->n numbers without gaps: columns of a power of two numbers. */
static void choose_columns(const match_case *c, weft_view *x) {
    const uint64_t r = view_draw(c, 42);
    size_t n = (size_t)32 << r % 8, columns = 2 + (r >> 8) % 40;
    while (2 * n > c->n) n /= 2;
    if (columns * n > c->n) columns = c->n / n;
    const size_t most = c->n / (n * columns), shape[] = {most < 3 ? most : 3, n, columns};
    weft_view_of(c->dtype, 3, shape, NULL, x);
}

/* Chooses the shapes and strides without the parts. Returns the number of numbers that y spans. */
static size_t choose_numbers(const match_case *numbers, arguments *a) {
    const uint64_t r = view_draw(numbers, 40);
    a->columns = is_complex(a->kind) && r / 4 % 4 == 0 && numbers->n >= 64;
    if (a->columns)
        choose_columns(numbers, &a->x);
    else
        view_of_input(numbers, a->in_place, &a->x);
    a->dimensions = a->x.dimensions;
    a->count = view_axes(numbers, a->dimensions, a->axes);
    if (a->count == 0) a->axes[a->count++] = 0;
    if (numbers->n == 0) { /* no vectors, of one number */
        a->x.dimensions = a->dimensions = 2;
        a->x.shape[0] = 0, a->x.shape[1] = 1;
        a->axes[0] = -1, a->count = 1;
    }
    a->y = a->x;
    size_t *const last = &a->y.shape[axis_of(a, a->count - 1)];
    if (a->kind == WEFT_R2C) *last = *last / 2 + 1;
    if (a->kind == WEFT_C2R) *last = *last == 1 || (r >> 8) % 2 ? 2 * *last - 1 : 2 * *last - 2;
    if (a->columns) return a->x.shape[0] * a->x.shape[1] * a->x.shape[2];
    return a->in_place ? numbers->n : view_of_output(numbers, &a->y);
}

static arguments choose(const match_case *c) {
    match_case numbers = *c;
    arguments a = {.kind = (weft_fft_kind)c->parameter};
    a.in_place = is_complex(a.kind) && view_draw(c, 41) % 4 == 0;
    if (a.kind != WEFT_R2C) numbers.n /= 2;
    if (numbers.n > MOST) numbers.n = MOST;
    const size_t span = choose_numbers(&numbers, &a);
    if (a.kind != WEFT_R2C) view_add_parts(c, 43, numbers.n, &a.x);
    const uint64_t of_y = a.in_place || a.columns ? 43 : 44;
    if (a.kind != WEFT_C2R) view_add_parts(c, of_y, a.in_place ? numbers.n : span, &a.y);
    a.values = a.in_place ? c->n : a.kind == WEFT_C2R ? span : 2 * span;
    return a;
}

static size_t values(const match_case *c) { return choose(c).values; }

/* Sets the addresses of the views. In place, the elements are first copied to the output. */
static weft_status prepare(const match_case *c, weft_context *ctx, const void *const *inputs, void *out,
                           arguments *a) {
    a->y = view_at(&a->y, out);
    a->x = a->in_place ? a->y : view_at(&a->x, inputs[0]);
    if (a->in_place) return weft_copy(ctx, c->n * weft_dtype_size(c->dtype), inputs[0], out);
    return view_prepare_output(c, ctx, c->dtype, a->values, out);
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    arguments a = choose(c);
    const weft_status status = prepare(c, ctx, inputs, out, &a);
    return status == WEFT_OK ? weft_fft_axes(ctx, a.kind, &a.x, a.count, a.axes, &a.y) : status;
}

/* Transforms each vector of x along an axis to a vector of *to, which has the shape `shape`. */
static weft_status transform(weft_context *ref, weft_fft_kind kind, const weft_view *x, size_t axis,
                             const weft_view *shape, vectors *to) {
    vectors from;
    const size_t n = kind == WEFT_C2R ? shape->shape[axis] : x->shape[axis];
    weft_status status = vectors_of(ref, x, x, axis, kind != WEFT_R2C, &from);
    if (status == WEFT_OK) status = vectors_new(shape, axis, kind != WEFT_C2R, to);
    for (size_t i = 0; status == WEFT_OK && i < from.count; i++)
        status = weft_fft(ref, kind, shape->dtype, 1, n, vectors_at(&from, i), vectors_at(to, i));
    vectors_free(&from);
    return status;
}

/* The passes: forward from the last axis of the list to the first, inverse from the first to the last. */
static weft_status define(const match_case *c, weft_context *ref, const void *const *inputs, void *out) {
    arguments a = choose(c);
    vectors done = {.count = 0};
    const bool inverse = a.kind == WEFT_C2C_INVERSE || a.kind == WEFT_C2R;
    weft_status status = prepare(c, ref, inputs, out, &a);
    for (size_t i = 0; status == WEFT_OK && i < a.count; i++) {
        vectors before = done;
        const bool last = i + 1 == a.count;
        done.view.data = NULL;
        const weft_view *const x = i == 0 ? &a.x : &before.view;
        const weft_fft_kind kind = (a.kind == WEFT_R2C && i == 0) || (a.kind == WEFT_C2R && last) ? a.kind
                                   : inverse                                                      ? WEFT_C2C_INVERSE
                                                                                                  : WEFT_C2C;
        status =
            transform(ref, kind, x, axis_of(&a, inverse ? i : a.count - 1 - i), is_complex(kind) ? x : &a.y, &done);
        vectors_free(&before);
    }
    return vectors_store(ref, status, &done, &a.y);
}

static void tell(const match_case *c, char text[100]) {
    static const char *const kinds[] = {"c2c", "inverse c2c", "r2c", "c2r"};
    const arguments a = choose(c);
    size_t at = (size_t)snprintf(text, 50, "%s%s, axes", kinds[a.kind], a.in_place ? " in place" : "");
    for (size_t k = 0; k < a.count; k++) at += (size_t)snprintf(text + at, 100 - at, " %d", a.axes[k]);
    if (at < 50) view_tell(&a.x, ", x", text + at);
}

const match_shape match_fft_axes = {.inputs = 1,
                                    .parameters = 4,
                                    .accumulates = 1,
                                    .values = values,
                                    .out_bytes = out_bytes,
                                    .call = call,
                                    .define = define,
                                    .tell = tell};
