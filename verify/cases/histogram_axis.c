/* weft_histogram_even_axis (parameter 0) and weft_histogram_axis on views of random shapes and strides. The axis, the
 * number and position of the bins, and the memory of the edges vary with match_case.turn. */
#include "core/types.h"
#include "verify/bins.h"
#include "verify/random_views.h"
#include "verify/vector_copies.h"

#include <string.h>

enum { EDGES_MAX = 260, VECTORS_MAX = 2000 };

typedef struct arguments {
    weft_view x, counts;
    size_t along, bins, span; /* span: number of counts from the first to the last */
    bin_bounds bounds;
    uint64_t edges[EDGES_MAX];
} arguments;

static bool has_edges(const match_case *c) { return c->parameter == 1; }

static size_t out_bytes(const match_case *c) {
    (void)c;
    return sizeof(uint64_t);
}

static size_t vectors_along(const weft_view *x, size_t along) {
    size_t vectors = 1;
    for (size_t k = 0; k < x->dimensions; k++)
        if (k != along) vectors *= x->shape[k];
    return vectors;
}

/* Returns an axis. If there would be many vectors, each of which is a call of a backend, it is the longest one. */
static size_t choose_axis(const match_case *c, const weft_view *x) {
    const size_t any = view_draw(c, 40) % x->dimensions;
    size_t longest = 0;
    for (size_t k = 1; k < x->dimensions; k++)
        if (x->shape[k] > x->shape[longest]) longest = k;
    return vectors_along(x, any) > VECTORS_MAX ? longest : any;
}

/* Sets the bins: at most so many that the counts are about as many as the elements. */
static void choose_bins(const match_case *c, size_t vectors, arguments *a) {
    static const size_t some[] = {1, 2, 5, 10, 33, 100, 257, 3001};
    const size_t most = (c->n + 500) / vectors, bins = some[view_draw(c, 41) % (has_edges(c) ? 7 : 8)];
    a->bins = bins < most ? bins : most;
    if (a->bins == 0) a->bins = 1;
    if (has_edges(c))
        a->bins = bins_edges(c, a->bins, a->edges) - 1;
    else
        a->bounds = bins_bounds(c, a->bins);
}

static arguments choose(const match_case *c) {
    arguments a = {.along = 0};
    view_of_input(c, false, &a.x);
    a.along = choose_axis(c, &a.x);
    for (size_t k = 0; k < a.x.dimensions; k++) /* vectors without elements have counts of 0 */
        if (c->n == 0) a.x.shape[k] = k == a.along ? 0 : 1 + view_draw(c, 50 + k) % 3;
    choose_bins(c, vectors_along(&a.x, a.along), &a);
    a.counts = a.x;
    a.counts.dtype = WEFT_U64;
    a.counts.shape[a.along] = a.bins;
    a.span = view_of_output(c, &a.counts);
    return a;
}

static size_t values(const match_case *c) { return choose(c).span; }

/* Calls weft_histogram_axis with the edges in host memory or in that of the device. */
static weft_status call_with_edges(const match_case *c, weft_context *ctx, const arguments *a, int axis) {
    const size_t bytes = (a->bins + 1) * weft_dtype_size(type_widened(c->dtype));
    void *on_device = NULL;
    weft_status status = WEFT_OK;
    if (view_draw(c, 43) % 2) status = weft_alloc(ctx, WEFT_DEVICE, bytes, &on_device);
    if (on_device) status = weft_copy(ctx, bytes, a->edges, on_device);
    if (status == WEFT_OK)
        status = weft_histogram_axis(ctx, &a->x, axis, a->bins, on_device ? on_device : a->edges, &a->counts);
    weft_free(ctx, WEFT_DEVICE, on_device);
    return status;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    arguments a = choose(c);
    const int axis = view_draw(c, 42) % 4 ? (int)a.along : (int)a.along - (int)a.x.dimensions;
    const weft_status status = view_prepare_output(c, ctx, WEFT_U64, a.span, out);
    a.x = view_at(&a.x, inputs[0]);
    a.counts = view_at(&a.counts, out);
    if (status != WEFT_OK) return status;
    if (has_edges(c)) return call_with_edges(c, ctx, &a, axis);
    return weft_histogram_even_axis(ctx, &a.x, axis, a.bins, &a.bounds.lower, &a.bounds.upper, &a.counts);
}

static weft_status count(const match_case *c, weft_context *ref, const arguments *a, const void *x,
                         uint64_t *counts) {
    const size_t n = a->x.shape[a->along];
    if (has_edges(c)) return weft_histogram(ref, c->dtype, n, x, a->bins, a->edges, counts);
    return weft_histogram_even(ref, c->dtype, n, x, a->bins, &a->bounds.lower, &a->bounds.upper, counts);
}

static weft_status define(const match_case *c, weft_context *ref, const void *const *inputs, void *out) {
    const arguments a = choose(c);
    const weft_view from = view_at(&a.x, inputs[0]), to = view_at(&a.counts, out);
    vectors x = {.count = 0}, counts = x;
    weft_status status = view_prepare_output(c, ref, WEFT_U64, a.span, out);
    if (status == WEFT_OK) status = vectors_of(ref, &from, &from, a.along, false, &x);
    if (status == WEFT_OK) status = vectors_new(&to, a.along, false, &counts);
    for (size_t i = 0; status == WEFT_OK && i < counts.count; i++)
        status = count(c, ref, &a, vectors_at(&x, i), vectors_at(&counts, i));
    vectors_free(&x);
    return vectors_store(ref, status, &counts, &to);
}

static void tell(const match_case *c, char text[100]) {
    const arguments a = choose(c);
    snprintf(text, 50, "axis %zu, %zu bins%s", a.along, a.bins, has_edges(c) ? " between edges" : "");
    view_tell(&a.x, ", x", text + strlen(text));
}

const match_shape match_histogram_axis = {.inputs = 1,
                                          .parameters = 2,
                                          .accumulates = 1,
                                          .halves = true,
                                          .values = values,
                                          .out_bytes = out_bytes,
                                          .call = call,
                                          .define = define,
                                          .tell = tell};
