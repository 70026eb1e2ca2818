/* weft_convolve_axis and weft_correlate_axis on views of random shapes and strides. The parameter selects the mode,
 * and real or complex numbers. The axis, the number of taps, one filter or several, and correlation or convolution
 * vary with match_case.turn. */
#include "core/types.h"
#include "verify/random_views.h"
#include "verify/vector_copies.h"

#include <string.h>

enum { MODES = 3, PARAMETERS = 2 * MODES };

typedef struct arguments {
    weft_view x, h, y, filters; /* filters: the shape to which h is broadcast */
    weft_convolve_mode mode;
    bool is_complex, correlate;
    size_t along, n, m, values; /* values: elements that y spans */
} arguments;

static size_t out_bytes(const match_case *c) {
    return type_is_float(c->dtype) && c->accumulate == WEFT_DEFAULT ? weft_dtype_size(c->dtype) : 0;
}

/* Returns the number of taps: values around the limits of ORDER.md 15 unless that makes y much larger than x. */
static size_t taps(const match_case *numbers, size_t vectors) {
    static const size_t some[] = {1, 2, 3, 11, 33, 63, 64, 65, 100, 129, 257, 300};
    const size_t m = some[view_draw(numbers, 42) % (sizeof some / sizeof *some)];
    const size_t most = vectors ? (3 * numbers->n + 1000) / vectors : 1;
    if (m <= most && m <= numbers->n) return m;
    return most < numbers->n ? most : numbers->n;
}

/* Returns the number of values along the axis of y. */
static size_t length_of(const arguments *a) {
    const size_t longer = a->n < a->m ? a->m : a->n, shorter = a->n < a->m ? a->n : a->m;
    if (shorter == 0) return 0;
    if (a->mode == WEFT_FULL) return longer + shorter - 1;
    return a->mode == WEFT_SAME ? longer : longer - shorter + 1;
}

/* Sets h to filters of m taps, which are adjacent or every second number, in either direction. */
static void lay_filters(const match_case *numbers, arguments *a) {
    const uint64_t r = view_draw(numbers, 44);
    const size_t size = weft_dtype_size(numbers->dtype), step = r % 3 == 0 && 2 * a->m <= numbers->n ? 2 : 1;
    match_case first = *numbers; /* the first taps, without the others */
    first.n = a->m ? numbers->n / (a->m * step) : 0;
    view_of_operand(&first, 51, 0, &a->filters, &a->h);
    for (size_t k = 0; k < a->h.dimensions; k++) a->h.stride[k] *= (ptrdiff_t)(a->m * step);
    size_t before = (size_t)(uintptr_t)a->h.data * a->m * step;
    const bool reversed = a->m > 0 && r / 3 % 4 == 0;
    if (reversed) before += (a->m - 1) * step * size;
    a->h.data = (void *)before;
    a->h.shape[a->along] = a->m;
    a->h.stride[a->along] = (ptrdiff_t)(step * size) * (reversed ? -1 : 1);
}

/* Sets h: one axis, or as many as x has. */
static void choose_filters(const match_case *numbers, arguments *a) {
    const size_t dimensions = a->x.dimensions;
    size_t vectors = 1;
    for (size_t k = 0; k < dimensions; k++)
        if (k != a->along) vectors *= a->x.shape[k];
    a->m = taps(numbers, vectors);
    a->filters = a->x;
    a->filters.shape[a->along] = 1;
    lay_filters(numbers, a);
    a->filters.shape[a->along] = a->m;
    if (view_draw(numbers, 43) % 3) return;
    a->h.dimensions = 1;
    a->h.shape[0] = a->m;
    a->h.stride[0] = a->h.stride[a->along];
}

static arguments choose(const match_case *c) {
    const uint64_t r = view_draw(c, 40);
    match_case numbers = *c;
    arguments a = {
        .mode = (weft_convolve_mode)(c->parameter % MODES), .is_complex = c->parameter >= MODES, .correlate = r % 2};
    if (a.is_complex) numbers.n /= 2;
    view_of_input(&numbers, false, &a.x);
    a.along = (size_t)((r >> 8) % a.x.dimensions);
    a.n = a.x.shape[a.along];
    choose_filters(&numbers, &a);
    a.y = a.x;
    a.y.shape[a.along] = length_of(&a);
    a.values = view_of_output(&numbers, &a.y);
    if (!a.is_complex) return a;
    view_add_parts(c, 45, numbers.n, &a.x);
    view_add_parts(c, 46, numbers.n, &a.h);
    view_add_parts(c, 47, a.values, &a.y);
    a.filters.shape[a.filters.dimensions++] = 2;
    a.values *= 2;
    return a;
}

static size_t values(const match_case *c) { return choose(c).values; }

static weft_status prepare(const match_case *c, weft_context *ctx, const void *const *inputs, void *out,
                           arguments *a) {
    a->x = view_at(&a->x, inputs[0]);
    a->h = view_at(&a->h, inputs[1]);
    a->y = view_at(&a->y, out);
    return view_prepare_output(c, ctx, c->dtype, a->values, out);
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    arguments a = choose(c);
    const weft_status status = prepare(c, ctx, inputs, out, &a);
    const size_t dimensions = a.x.dimensions - a.is_complex;
    const int axis = view_draw(c, 41) % 4 ? (int)a.along : (int)a.along - (int)dimensions;
    if (status != WEFT_OK) return status;
    return (a.correlate ? weft_correlate_axis : weft_convolve_axis)(
        ctx, a.mode, a.is_complex ? WEFT_COMPLEX : WEFT_REAL, &a.x, axis, &a.h, &a.y);
}

/* Returns h with the axes of x. */
static weft_view filters_of(const arguments *a) {
    weft_view h = a->filters;
    if (a->h.dimensions == h.dimensions) return a->h;
    h.data = a->h.data;
    for (size_t k = 0; k < h.dimensions; k++)
        if (k != a->along) h.shape[k] = 1;
    h.stride[a->along] = a->h.stride[0];
    if (!a->is_complex) return h;
    h.shape[h.dimensions - 1] = 2;
    h.stride[h.dimensions - 1] = a->h.stride[1];
    return h;
}

static weft_status define(const match_case *c, weft_context *ref, const void *const *inputs, void *out) {
    arguments a = choose(c);
    vectors x = {.count = 0}, h = x, y = x;
    const weft_field field = a.is_complex ? WEFT_COMPLEX : WEFT_REAL;
    if (a.n == 0 || a.m == 0) return WEFT_EMPTY;
    weft_status status = prepare(c, ref, inputs, out, &a);
    const weft_view filters = filters_of(&a);
    if (status == WEFT_OK) status = vectors_of(ref, &a.x, &a.x, a.along, a.is_complex, &x);
    if (status == WEFT_OK) status = vectors_of(ref, &filters, &a.filters, a.along, a.is_complex, &h);
    if (status == WEFT_OK) status = vectors_new(&a.y, a.along, a.is_complex, &y);
    for (size_t i = 0; status == WEFT_OK && i < x.count; i++)
        status = (a.correlate ? weft_correlate : weft_convolve)(ref, a.mode, c->dtype, field, a.n, vectors_at(&x, i),
                                                                a.m, vectors_at(&h, i), vectors_at(&y, i));
    vectors_free(&x);
    vectors_free(&h);
    return vectors_store(ref, status, &y, &a.y);
}

static void tell(const match_case *c, char text[100]) {
    static const char *const modes[MODES] = {"full", "same", "valid"};
    const arguments a = choose(c);
    snprintf(text, 50, "%s %s, axis %zu, %zu%s taps", modes[a.mode], a.correlate ? "correlation" : "convolution",
             a.along, a.m, a.is_complex ? " complex" : "");
    view_tell(&a.x, ", x", text + strlen(text));
}

const match_shape match_convolve_axis = {.inputs = 2,
                                         .parameters = PARAMETERS,
                                         .accumulates = 1,
                                         .values = values,
                                         .out_bytes = out_bytes,
                                         .call = call,
                                         .define = define,
                                         .tell = tell};
