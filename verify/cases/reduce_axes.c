/* weft_reduce_axes, weft_variance_axes and weft_dot_axes on views of random shapes and strides, along random axes.
 * The operator of weft_reduce_axes varies with match_case.turn. The parameter of weft_variance_axes is ddof. With
 * parameter 1 of weft_dot_axes both operands are in the first array. */
#include "verify/random_views.h"

#include <string.h>

static bool is_variance(const match_case *c) { return c->operation->shape == &match_variance_axes; }
static bool is_dot(const match_case *c) { return c->operation->shape == &match_dot_axes; }

/* Returns the operator. If the case has an accumulate type, one that may support it. */
static weft_op op_of(const match_case *c) {
    static const weft_op sums[] = {WEFT_SUM, WEFT_MEAN, WEFT_NORM1, WEFT_NORM2, WEFT_SUM};
    if (c->accumulate != WEFT_DEFAULT) return sums[view_draw(c, 30) % 5];
    return (weft_op)(view_draw(c, 30) % (WEFT_NORMINF + 1));
}

static weft_status result_of(const match_case *c, weft_dtype *result) {
    const weft_op op = is_variance(c) ? WEFT_MEAN : is_dot(c) ? WEFT_SUM : op_of(c);
    return weft_reduce_result(op, c->dtype, c->accumulate, result);
}

typedef struct arguments {
    weft_view x, y, out;                           /* y: of weft_dot_axes */
    size_t shape[WEFT_DIMENSIONS_MAX], dimensions; /* of x and y, after broadcasting */
    size_t count, n, span; /* n: elements of a vector; span: number of elements that out spans */
    int axes[WEFT_DIMENSIONS_MAX];
} arguments;

/* Chooses the second operand: one axis in eight has length 1 in y, and one in eight in x. Leading axes of length 1
 * may be absent in y. */
static void choose_factor(const match_case *c, arguments *a) {
    size_t absent = 0;
    a->y = (weft_view){.size = sizeof a->y, .dtype = c->dtype, .dimensions = a->x.dimensions};
    for (size_t k = 0; k < a->x.dimensions; k++) {
        const uint64_t r = view_draw(c, 40 + k) % 8;
        a->y.shape[k] = r == 0 || a->x.stride[k] == 0 ? 1 : a->x.shape[k];
        if (r == 1 && c->n > 0 && a->x.stride[k] != 0) a->x.shape[k] = 1;
    }
    while (absent < a->y.dimensions && a->y.shape[absent] == 1 && view_draw(c, 34) % 2) absent++;
    a->y.dimensions -= absent;
    memmove(a->y.shape, a->y.shape + absent, a->y.dimensions * sizeof *a->y.shape);
    view_of_factor(c, &a->y);
    for (size_t k = 0; k < a->y.dimensions; k++)
        if (a->shape[absent + k] == 1) a->shape[absent + k] = a->y.shape[k];
}

static arguments choose(const match_case *c) {
    arguments a = {.count = 0};
    bool reduced[WEFT_DIMENSIONS_MAX] = {false};
    const bool keeps = view_draw(c, 33) % 2;
    view_of_input(c, false, &a.x);
    a.dimensions = a.x.dimensions;
    memcpy(a.shape, a.x.shape, sizeof a.shape);
    if (is_dot(c)) choose_factor(c, &a);
    a.count = view_axes(c, a.dimensions, a.axes);
    a.n = 1;
    for (size_t k = 0; k < a.count; k++) {
        const int axis = a.axes[k] < 0 ? a.axes[k] + (int)a.dimensions : a.axes[k];
        a.n *= a.shape[axis];
        reduced[axis] = true;
    }
    a.out = (weft_view){.size = sizeof a.out};
    (void)result_of(c, &a.out.dtype);
    for (size_t k = 0; k < a.dimensions; k++)
        if (!reduced[k] || keeps) a.out.shape[a.out.dimensions++] = reduced[k] ? 1 : a.shape[k];
    a.span = view_of_output(c, &a.out);
    return a;
}

static size_t values(const match_case *c) { return choose(c).span; }

static size_t out_bytes(const match_case *c) {
    weft_dtype result;
    return result_of(c, &result) == WEFT_OK ? weft_dtype_size(result) : 0;
}

/* Calls without a result must not write. */
static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const arguments a = choose(c);
    const weft_view x = view_at(&a.x, inputs[0]), y = view_at(&a.out, out);
    const bool defined = is_dot(c) || a.n > (is_variance(c) ? (size_t)c->parameter : 0);
    const weft_status status = defined ? view_prepare_output(c, ctx, y.dtype, a.span, out) : WEFT_OK;
    if (status != WEFT_OK) return status;
    if (is_dot(c)) {
        const weft_view factor = view_at(&a.y, inputs[c->parameter ? 0 : 1]);
        return weft_dot_axes(ctx, c->accumulate, &x, &factor, a.count, a.axes, &y);
    }
    if (is_variance(c)) return weft_variance_axes(ctx, c->accumulate, (size_t)c->parameter, &x, a.count, a.axes, &y);
    return weft_reduce_axes(ctx, op_of(c), c->accumulate, &x, a.count, a.axes, &y);
}

static void tell(const match_case *c, char text[100]) {
    const arguments a = choose(c);
    size_t at = (size_t)snprintf(text, 100, "%s, axes",
                                 is_variance(c) ? "variance"
                                 : is_dot(c)    ? "dot"
                                                : weft_op_name(op_of(c)));
    for (size_t k = 0; k < a.count; k++) at += (size_t)snprintf(text + at, 100 - at, " %d", a.axes[k]);
    if (at < 50) view_tell(&a.x, ", x", text + at);
}

const match_shape match_reduce_axes = {.inputs = 1,
                                       .parameters = 2,
                                       .accumulates = 3,
                                       .halves = true,
                                       .values = values,
                                       .out_bytes = out_bytes,
                                       .call = call,
                                       .tell = tell};
const match_shape match_variance_axes = {.inputs = 1,
                                         .parameters = 2,
                                         .accumulates = 3,
                                         .halves = true,
                                         .values = values,
                                         .out_bytes = out_bytes,
                                         .call = call,
                                         .tell = tell};
const match_shape match_dot_axes = {.inputs = 2,
                                    .parameters = 2,
                                    .accumulates = 3,
                                    .halves = true,
                                    .values = values,
                                    .out_bytes = out_bytes,
                                    .call = call,
                                    .tell = tell};
