/* weft_map_views on views of random shapes and strides. The formula, the type of the values, the axes along which
 * y is repeated, and in place or not vary with match_case.turn. The parameter is 1 if x is repeated too. */
#include "core/types.h"
#include "verify/random_views.h"

#include <string.h>

enum { FORMULAS = 6 };
static const char *const REALS[FORMULAS] = {"x + y",     "x*y - a",       "fma(x, y, c)*i",
                                            "(x - y)/c", "x < y ? i : x", "sqrt(abs(x)) + y"};
static const char *const INTEGERS[FORMULAS] = {"x + y",     "x*y - a",       "x*i + y",
                                               "(x - y)/a", "x < y ? i : x", "x/7*7 - y"};
static const int8_t A = -3;
static const float C = 0.3F;

typedef struct arguments {
    weft_dtype type;
    const char *formula;
    weft_view x, y, out;
    bool in_place; /* x is out */
    size_t span;   /* number of elements that the output spans */
} arguments;

/* Returns the type of the values. */
static weft_dtype type_of(const match_case *c) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    static const weft_dtype of_halves[] = {WEFT_F32, WEFT_F64, WEFT_F16, WEFT_BF16};
    const uint64_t r = view_draw(c, 40);
    return type_is_half(c->dtype) ? of_halves[r % 4] : types[r % (type_is_float(c->dtype) ? 2 : 6)];
}

static arguments choose(const match_case *c) {
    arguments a = {.type = type_of(c)};
    a.formula = (type_is_float(a.type) || type_is_half(a.type) ? REALS : INTEGERS)[view_draw(c, 41) % FORMULAS];
    view_of_input(c, false, &a.x);
    a.out = a.x;
    a.out.dtype = a.type;
    if (c->parameter == 1) view_repeat(c, &a.x, &a.out);
    a.in_place = c->parameter == 0 && a.type == c->dtype && view_draw(c, 42) % 3 == 0;
    view_of_operand(c, 51, view_draw(c, 50) % (a.out.dimensions + 1), &a.out, &a.y);
    a.span = view_of_output(c, &a.out);
    return a;
}

static size_t values(const match_case *c) { return choose(c).span; }

static size_t out_bytes(const match_case *c) {
    return c->accumulate == WEFT_DEFAULT ? weft_dtype_size(choose(c).type) : 0;
}

/* Binds the variables of the formula, which is evaluated with x and y at the addresses of the views. */
static weft_status evaluate(const arguments *a, weft_context *ctx, const weft_view *x, const weft_view *y,
                            const weft_view *out) {
    const weft_view_binding all[] = {
        {"x", x, WEFT_F32, NULL}, {"y", y, WEFT_F32, NULL}, {"a", NULL, WEFT_I8, &A}, {"c", NULL, WEFT_F32, &C}};
    weft_view_binding bindings[sizeof all / sizeof *all];
    weft_expr *expr;
    const char *name;
    size_t count = 0;
    const weft_status status = weft_expr_compile(ctx, a->formula, &expr);
    if (status != WEFT_OK) return status;
    for (size_t v = 0; (name = weft_expr_variable(expr, v)); v++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (strcmp(all[i].name, name) == 0) bindings[count++] = all[i];
    const weft_status evaluated = weft_map_views(ctx, expr, a->type, bindings, count, out);
    weft_expr_free(expr);
    return evaluated;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *to) {
    const arguments a = choose(c);
    const weft_view x = view_at(&a.x, inputs[0]), y = view_at(&a.y, inputs[1]), out = view_at(&a.out, to);
    weft_status status = view_prepare_output(c, ctx, a.type, a.span, to);
    if (status == WEFT_OK && a.in_place) status = weft_copy_view(ctx, &x, &out);
    return status == WEFT_OK ? evaluate(&a, ctx, a.in_place ? &out : &x, &y, &out) : status;
}

static void tell(const match_case *c, char text[100]) {
    const arguments a = choose(c);
    snprintf(text, 50, "%s in %s%s", a.formula, weft_dtype_name(a.type), a.in_place ? ", in place" : "");
    view_tell(&a.out, ", out", text + strlen(text));
}

const match_shape match_map_views = {.inputs = 2,
                                     .parameters = 2,
                                     .accumulates = 1,
                                     .halves = true,
                                     .values = values,
                                     .out_bytes = out_bytes,
                                     .call = call,
                                     .tell = tell};
