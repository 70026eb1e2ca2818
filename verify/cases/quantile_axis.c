/* weft_quantile_axis on views of random shapes and strides. The method, the axis and the quantiles vary with
 * match_case.turn. Parameter 0: a mean of two elements, 1: one element. */
#include "core/types.h"
#include "verify/random_views.h"

#include <string.h>

enum { COUNT_MAX = 150 };

typedef struct arguments {
    weft_view x, y;
    weft_quantile_method method;
    int axis;
    size_t count, span; /* span: number of elements that y spans */
    double q[COUNT_MAX];
} arguments;

/* Returns a number from 0 to 1. Half of them are positions of elements among n, or in the middle between two. */
static double choose_quantile(uint64_t r, size_t n) {
    const double uniform = (double)(r >> 11) * 0x1p-53;
    const double half_steps = n > 1 ? 2 * (double)(n - 1) : 1;
    const double simple[] = {0, 1, 0.5, 0.25, 0.75, 0x1p-60, 1 - 0x1p-53, 0.9};
    if (r % 8 == 0) return simple[r / 8 % 8];
    return r % 8 < 4 ? (double)(uint64_t)(uniform * (half_steps + 1)) / half_steps : uniform;
}

/* Returns the number of quantiles. For short vectors of a small array, sometimes more than a kernel computes. */
static size_t choose_count(uint64_t r, size_t elements, size_t n) {
    const size_t few[] = {1, 1, 2, 3, 4, 5, 8, 0};
    if (n == 0) return 0;
    return r % 16 == 0 && elements / n * COUNT_MAX <= 20000 ? COUNT_MAX : few[r / 16 % 8];
}

static arguments choose(const match_case *c) {
    static const weft_quantile_method elements[] = {WEFT_LOWER, WEFT_HIGHER, WEFT_NEAREST};
    const uint64_t r = view_draw(c, 43);
    arguments a = {.method = c->parameter == 1 ? elements[r % 3] : r % 3 == 0 ? WEFT_MIDPOINT : WEFT_LINEAR};
    view_of_input(c, false, &a.x);
    const size_t axis = (size_t)((r >> 8) % a.x.dimensions), n = a.x.shape[axis];
    a.axis = (r >> 16) % 4 == 0 ? (int)axis - (int)a.x.dimensions : (int)axis;
    a.count = choose_count(r >> 20, c->n, n);
    for (size_t k = 0; k < a.count; k++) a.q[k] = choose_quantile(view_draw(c, 1000 + k), n);
    a.y = a.x;
    a.y.shape[axis] = a.count;
    if (c->parameter == 0 && !type_is_real(c->dtype)) a.y.dtype = WEFT_F64;
    a.span = view_of_output(c, &a.y);
    return a;
}

static size_t values(const match_case *c) { return choose(c).span; }

static size_t out_bytes(const match_case *c) { return weft_dtype_size(choose(c).y.dtype); }

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const arguments a = choose(c);
    const weft_view x = view_at(&a.x, inputs[0]), y = view_at(&a.y, out);
    const weft_status status = view_prepare_output(c, ctx, y.dtype, a.span, out);
    return status == WEFT_OK ? weft_quantile_axis(ctx, a.method, &x, a.axis, a.count, a.q, &y) : status;
}

static void tell(const match_case *c, char text[100]) {
    static const char *const names[] = {"linear", "lower", "higher", "nearest", "midpoint"};
    const arguments a = choose(c);
    snprintf(text, 100, "%s, %zu quantiles, axis %d", names[a.method], a.count, a.axis);
    view_tell(&a.x, ", x", text + strlen(text));
}

const match_shape match_quantile_axis = {.inputs = 1,
                                         .parameters = 2,
                                         .accumulates = 1,
                                         .halves = true,
                                         .values = values,
                                         .out_bytes = out_bytes,
                                         .call = call,
                                         .tell = tell};
