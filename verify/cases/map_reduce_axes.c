/* weft_map_reduce_axes on views of random shapes and strides, along random axes. The formula, the type of its values,
 * the operator, the accumulate type, and the axes along which y is repeated vary with match_case.turn. The parameter
 * is 1 if x is repeated too. */
#include "core/types.h"
#include "verify/random_views.h"
#include "verify/vector_copies.h"

enum { FORMULAS = 4, VARIABLES = 2 };
static const char *const REALS[FORMULAS] = {"x + y", "fma(x, y, i)", "(x - y)*(x - y)", "x < y ? i : x"};
static const char *const INTEGERS[FORMULAS] = {"x + y", "x*i + y", "x/7*7 - y", "x < y ? i : x"};

typedef struct arguments {
    weft_dtype type, accumulate, result; /* of the values, of reduce, and of out */
    const char *formula;
    weft_op op;
    weft_view x, y, values, out; /* values: their type and shape */
    size_t n, span;              /* n: values of a vector; span: number of elements that out spans */
    size_t count;
    int axes[WEFT_DIMENSIONS_MAX];
} arguments;

static weft_dtype type_of(const match_case *c) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    return types[view_draw(c, 40) % (type_is_real(c->dtype) ? 2 : 6)];
}

/* Chooses the formula, the types and the operator: one that the types of the values and of reduce support. */
static void choose_operation(const match_case *c, arguments *a) {
    static const weft_op sums[] = {WEFT_SUM, WEFT_MEAN, WEFT_NORM1, WEFT_NORM2};
    const uint64_t r = view_draw(c, 30);
    a->type = type_of(c);
    a->formula = (type_is_float(a->type) ? REALS : INTEGERS)[view_draw(c, 41) % FORMULAS];
    a->op = sums[r % 4];
    a->accumulate = MATCH_ACCUMULATES[r / 4 % 6];
    if (r / 24 % 2 && weft_reduce_result(a->op, a->type, a->accumulate, &a->result) == WEFT_OK) return;
    a->accumulate = WEFT_DEFAULT;
    a->op = (weft_op)((r >> 8) % (WEFT_NORMINF + 1));
    while (weft_reduce_result(a->op, a->type, WEFT_DEFAULT, &a->result) != WEFT_OK)
        a->op = (weft_op)((a->op + 1) % (WEFT_NORMINF + 1));
}

/* Sets the output: the shape of the values without the axes, or with length 1 for each of them. */
static void choose_output(const match_case *c, arguments *a) {
    const bool keeps = view_draw(c, 33) % 2;
    bool reduced[WEFT_DIMENSIONS_MAX] = {false};
    a->count = view_axes(c, a->values.dimensions, a->axes);
    a->n = 1;
    for (size_t k = 0; k < a->count; k++) {
        const int axis = a->axes[k] < 0 ? a->axes[k] + (int)a->values.dimensions : a->axes[k];
        a->n *= a->values.shape[axis];
        reduced[axis] = true;
    }
    a->out = (weft_view){.size = sizeof a->out};
    a->out.dtype = a->result;
    for (size_t k = 0; k < a->values.dimensions; k++)
        if (!reduced[k] || keeps) a->out.shape[a->out.dimensions++] = reduced[k] ? 1 : a->values.shape[k];
    a->span = view_of_output(c, &a->out);
}

static arguments choose(const match_case *c) {
    arguments a = {.count = 0};
    choose_operation(c, &a);
    view_of_input(c, false, &a.x);
    a.values = a.x;
    a.values.dtype = a.type;
    if (c->parameter == 1) view_repeat(c, &a.x, &a.values);
    view_of_operand(c, 51, view_draw(c, 50) % (a.values.dimensions + 1), &a.values, &a.y);
    choose_output(c, &a);
    return a;
}

static size_t values(const match_case *c) { return choose(c).span; }

static size_t out_bytes(const match_case *c) {
    arguments a;
    choose_operation(c, &a);
    return c->accumulate == WEFT_DEFAULT ? weft_dtype_size(a.result) : 0;
}

/* Sets the addresses of the views and compiles the formula. Calls without a result must not write. */
static weft_status prepare(const match_case *c, weft_context *ctx, const void *const *inputs, void *out, arguments *a,
                           weft_expr **expr) {
    *expr = NULL;
    a->x = view_at(&a->x, inputs[0]);
    a->y = view_at(&a->y, inputs[1]);
    a->out = view_at(&a->out, out);
    const weft_status status = a->n > 0 ? view_prepare_output(c, ctx, a->out.dtype, a->span, out) : WEFT_OK;
    return status == WEFT_OK ? weft_expr_compile(ctx, a->formula, expr) : status;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    arguments a = choose(c);
    weft_expr *expr;
    weft_status status = prepare(c, ctx, inputs, out, &a, &expr);
    const weft_view_binding bindings[VARIABLES] = {{"x", &a.x, WEFT_F32, NULL}, {"y", &a.y, WEFT_F32, NULL}};
    if (status == WEFT_OK)
        status = weft_map_reduce_axes(ctx, a.op, expr, a.type, a.accumulate, a.values.dimensions, a.values.shape,
                                      bindings, VARIABLES, a.count, a.axes, &a.out);
    weft_expr_free(expr);
    return status;
}

static weft_status define(const match_case *c, weft_context *ref, const void *const *inputs, void *out) {
    arguments a = choose(c);
    vectors v = {.count = 0};
    weft_expr *expr;
    weft_status status = prepare(c, ref, inputs, out, &a, &expr);
    const weft_view_binding bindings[VARIABLES] = {{"x", &a.x, WEFT_F32, NULL}, {"y", &a.y, WEFT_F32, NULL}};
    if (status == WEFT_OK) status = vectors_new(&a.values, a.values.dimensions - 1, false, &v);
    if (status == WEFT_OK) status = weft_map_views(ref, expr, a.type, bindings, VARIABLES, &v.view);
    if (status == WEFT_OK) status = weft_reduce_axes(ref, a.op, a.accumulate, &v.view, a.count, a.axes, &a.out);
    vectors_free(&v);
    weft_expr_free(expr);
    return status;
}

static void tell(const match_case *c, char text[100]) {
    const arguments a = choose(c);
    size_t at =
        (size_t)snprintf(text, 60, "%s of %s in %s, axes", weft_op_name(a.op), a.formula, weft_dtype_name(a.type));
    for (size_t k = 0; k < a.count; k++) at += (size_t)snprintf(text + at, 100 - at, " %d", a.axes[k]);
    if (at < 50) view_tell(&a.values, ", values", text + at);
}

const match_shape match_map_reduce_axes = {.inputs = 2,
                                           .parameters = 2,
                                           .accumulates = 1,
                                           .halves = true,
                                           .values = values,
                                           .out_bytes = out_bytes,
                                           .call = call,
                                           .define = define,
                                           .tell = tell};
