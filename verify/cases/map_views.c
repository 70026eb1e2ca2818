/* weft_map_views on views of random shapes and strides. The formula, the type of the values, the axes along which
 * y is repeated, and in place or not vary with match_case.turn. The parameter is 1 if x is repeated too, and 2 if x
 * is complex; then y may be complex, and x may be repeated. */
#include "core/types.h"
#include "verify/random_views.h"

#include <string.h>

enum { FORMULAS = 6, NUMBERS = 12, REAL_NUMBERS = 2 };
static const char *const REALS[FORMULAS] = {"x + y",     "x*y - a",       "fma(x, y, c)*i",
                                            "(x - y)/c", "x < y ? i : x", "sqrt(abs(x)) + y"};
static const char *const INTEGERS[FORMULAS] = {"x + y",     "x*y - a",       "x*i + y",
                                               "(x - y)/a", "x < y ? i : x", "x/7*7 - y"};
/* Formulas of complex x. The values of the last REAL_NUMBERS are real. */
static const char *const COMPLEX[NUMBERS] = {"x + y",
                                             "x - y",
                                             "x*y",
                                             "y*x",
                                             "x*y - a*conj(x)",
                                             "x*y + conj(x)*y*complex(c, i)",
                                             "x/y",
                                             "(x - y)^3/c",
                                             "re(x) < re(y) ? x : y",
                                             "complex(im(x), re(y))",
                                             "abs(x) + im(y)",
                                             "x == y"};
static const int8_t A = -3;
static const float C = 0.3F;

typedef struct arguments {
    weft_dtype type;
    const char *formula;
    const char *complex_names[2];
    size_t complex_count;
    weft_view x, y, out;
    bool in_place; /* x is out */
    size_t span;   /* number of elements that the output spans */
} arguments;

/* Returns the type of the values. */
static weft_dtype type_of(const match_case *c) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    static const weft_dtype of_halves[] = {WEFT_F32, WEFT_F64, WEFT_F16, WEFT_BF16};
    const uint64_t r = view_draw(c, 40);
    return type_is_half(c->dtype) ? of_halves[r % 4]
                                  : types[r % (type_is_float(c->dtype) || c->parameter == 2 ? 2 : 6)];
}

/* Makes the views of complex numbers arrays without gaps. `numbers`: the case with half the length. */
static void lay_out_adjacent(const match_case *numbers, bool is_complex, arguments *a) {
    size_t shape[WEFT_DIMENSIONS_MAX];
    view_of_input(numbers, true, &a->x);
    const size_t dimensions = a->x.dimensions;
    memcpy(shape, a->x.shape, dimensions * sizeof *shape);
    shape[dimensions] = 2;
    a->span = is_complex ? 2 : 1;
    for (size_t k = 0; k < dimensions; k++) a->span *= shape[k];
    weft_view_of(numbers->dtype, dimensions + 1, shape, NULL, &a->x);
    weft_view_of(numbers->dtype, dimensions + a->complex_count - 1, shape, NULL, &a->y);
    weft_view_of(a->type, dimensions + (is_complex ? 1 : 0), shape, NULL, &a->out);
}

/* Chooses a formula of complex numbers. The views of the numbers are inside arrays of half the length. */
static arguments choose_complex(const match_case *c) {
    arguments a = {.type = type_of(c), .complex_names = {"x", "y"}, .complex_count = 1 + view_draw(c, 42) % 2};
    const uint64_t formula = view_draw(c, 41) % NUMBERS;
    const bool is_complex = formula < NUMBERS - REAL_NUMBERS, adjacent = view_draw(c, 44) % 3 == 0;
    const bool repeats = !adjacent && view_draw(c, 48) % 3 == 0;
    match_case numbers = *c;
    numbers.n /= 2;
    a.formula = COMPLEX[formula];
    a.in_place = is_complex && !repeats && a.type == c->dtype && view_draw(c, 49) % 3 == 0;
    if (adjacent) {
        lay_out_adjacent(&numbers, is_complex, &a);
        return a;
    }
    view_of_input(&numbers, false, &a.x);
    a.out = a.x;
    a.out.dtype = a.type;
    if (repeats) view_repeat(c, &a.x, &a.out);
    view_of_operand(&numbers, 51, view_draw(c, 50) % (a.out.dimensions + 1), &a.out, &a.y);
    a.span = view_of_output(&numbers, &a.out);
    view_add_parts(c, 45, numbers.n, &a.x);
    if (a.complex_count == 2) view_add_parts(c, 46, numbers.n, &a.y);
    if (is_complex) view_add_parts(c, 47, a.span, &a.out), a.span *= 2;
    return a;
}

static arguments choose(const match_case *c) {
    arguments a = {.type = type_of(c)};
    if (c->parameter == 2) return choose_complex(c);
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
    const weft_status status = weft_expr_compile_complex(ctx, a->formula, a->complex_names, a->complex_count, &expr);
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
    snprintf(text, 50, "%s%s in %s%s", a.formula,
             a.complex_count == 2   ? " of complex x, y"
             : a.complex_count == 1 ? " of complex x"
                                    : "",
             weft_dtype_name(a.type), a.in_place ? ", in place" : "");
    view_tell(&a.out, ", out", text + strlen(text));
}

const match_shape match_map_views = {.inputs = 2,
                                     .parameters = 3,
                                     .accumulates = 1,
                                     .halves = true,
                                     .values = values,
                                     .out_bytes = out_bytes,
                                     .call = call,
                                     .tell = tell};
