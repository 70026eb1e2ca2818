/* Tests formulas of complex numbers: each operation has the bits of its definition in ORDER.md 20.6, which this
 * program computes with the arithmetic of C, for views of random shapes and strides and for values of every kind.
 * Reductions have the bits of the values followed by the reduction of each part. Tests the refused formulas and
 * arguments too.
 *
 * Usage: api_complex_formulas DEVICE. */
#include "tests/expect.h"
#include "tests/random_view.h"
#include "verify/inputs.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 1 << 14, SEEDS = 40, GPU_SEEDS = 6 };

static weft_context *ctx;
static weft_dtype type; /* of the evaluation: f32 or f64 */

/* ------------------------------------------------------------------------------- the definition */

typedef struct complex_number {
    double re, im;
} complex_number;

/* Rounds to the type of the evaluation. For + - * / and sqrt of two f32 this is one rounding, although f64 has been
 * rounded to before: 53 >= 2*24 + 2. */
static double rounded(double v) { return type == WEFT_F32 ? (double)(float)v : v; }
static double add(double x, double y) { return rounded(x + y); }
static double times(double x, double y) { return rounded(x * y); }
static double over(double x, double y) { return rounded(x / y); }
static double fused(double x, double y, double z) {
    return type == WEFT_F32 ? (double)fmaf((float)x, (float)y, (float)z) : fma(x, y, z);
}

static complex_number of(double re, double im) { return (complex_number){re, im}; }

/* Returns a function of one number, by a formula of real numbers. */
static double real_function(const char *formula, double x) {
    const weft_binding binding = {"x", WEFT_F64, &x, NULL};
    weft_expr *expr = NULL;
    float narrow = 0;
    double wide = 0;
    weft_context *cpu;
    weft_open(&cpu, "cpu");
    EXPECT_STATUS(cpu, weft_expr_compile(cpu, formula, &expr), WEFT_OK);
    EXPECT_STATUS(cpu, weft_map(cpu, expr, type, 1, &binding, 1, type == WEFT_F32 ? (void *)&narrow : &wide),
                  WEFT_OK);
    weft_expr_free(expr);
    weft_close(cpu);
    return type == WEFT_F32 ? (double)narrow : wide;
}

static complex_number product(complex_number x, complex_number y) {
    return of(fused(x.re, y.re, -times(x.im, y.im)), fused(x.im, y.re, times(x.re, y.im)));
}

static complex_number inverse(double x, complex_number y) {
    const bool swapped = fabs(y.re) < fabs(y.im);
    const double p = swapped ? y.im : y.re, q = swapped ? y.re : y.im, r = over(q, p != 0 ? p : 1);
    const double t = fused(q, r, p);
    return swapped ? of(over(times(x, r), t), -over(x, t)) : of(over(x, t), -over(times(x, r), t));
}

static complex_number quotient(complex_number x, complex_number y) {
    const bool swapped = fabs(y.re) < fabs(y.im);
    const double p = swapped ? y.im : y.re, q = swapped ? y.re : y.im, r = over(q, p != 0 ? p : 1);
    const double t = fused(q, r, p);
    return swapped ? of(over(fused(x.re, r, x.im), t), -over(fused(-x.im, r, x.re), t))
                   : of(over(fused(x.im, r, x.re), t), over(fused(-x.re, r, x.im), t));
}

static double modulus(complex_number x) {
    const double a = fabs(x.re), b = fabs(x.im), m = a > b ? a : b, k = a > b ? b : a;
    if (isnan(a) || isnan(b)) return (double)NAN;
    const double r = over(k, m);
    return m > 0 && m < (double)INFINITY ? times(m, rounded(sqrt(add(1, times(r, r))))) : m;
}

static complex_number exponential(complex_number x) {
    const double e = real_function("exp(x)", x.re);
    return of(times(e, real_function("cos(x)", x.im)), times(e, real_function("sin(x)", x.im)));
}

/* ------------------------------------------------------------------------------- the formulas */

/* The value of each formula for complex z and w, real t and the index i. */
#define EACH_FORMULA(FORMULA)                                                                 \
    FORMULA("z + w", of(add(z.re, w.re), add(z.im, w.im)))                                    \
    FORMULA("z - w", of(add(z.re, -w.re), add(z.im, -w.im)))                                  \
    FORMULA("z + t", of(add(z.re, t), z.im))                                                  \
    FORMULA("t + z", of(add(t, z.re), z.im))                                                  \
    FORMULA("z - t", of(add(z.re, -t), z.im))                                                 \
    FORMULA("t - z", of(add(t, -z.re), -z.im))                                                \
    FORMULA("z*w", product(z, w))                                                             \
    FORMULA("z*t", of(times(z.re, t), times(z.im, t)))                                        \
    FORMULA("i*z", of(times(i, z.re), times(i, z.im)))                                        \
    FORMULA("z/w", quotient(z, w))                                                            \
    FORMULA("z/t", of(over(z.re, t), over(z.im, t)))                                          \
    FORMULA("t/z", inverse(t, z))                                                             \
    FORMULA("-z", of(-z.re, -z.im))                                                           \
    FORMULA("conj(z)*t", of(times(z.re, t), times(-z.im, t)))                                 \
    FORMULA("complex(im(z), t)", of(z.im, t))                                                 \
    FORMULA("complex(re(t), im(t))", of(t, 0))                                                \
    FORMULA("z^2", product(z, z))                                                             \
    FORMULA("z^7", product(product(product(product(z, z), z), product(product(z, z), z)), z)) \
    FORMULA("z^-1", inverse(1, z))                                                            \
    FORMULA("(z + w)^0*z", of(times(1, z.re), times(1, z.im)))                                \
    FORMULA("exp(z)", exponential(z))                                                         \
    FORMULA("t < 1 ? z : w", t < 1 ? z : w)                                                   \
    FORMULA("t < 1 ? z : t", t < 1 ? z : of(t, 0))                                            \
    FORMULA("t < 1 ? t : z", t < 1 ? of(t, 0) : z)                                            \
    FORMULA("z != w ? z : conj(w)", z.re != w.re || z.im != w.im ? z : of(w.re, -w.im))       \
    FORMULA("z*w + conj(z)/w", sum(product(z, w), quotient(of(z.re, -z.im), w)))              \
    FORMULA("abs(z)", of(modulus(z), 0))                                                      \
    FORMULA("re(z*w)", of(product(z, w).re, 0))                                               \
    FORMULA("im(z/w)", of(quotient(z, w).im, 0))                                              \
    FORMULA("z == w", of(z.re == w.re && z.im == w.im, 0))                                    \
    FORMULA("z != w", of(z.re != w.re || z.im != w.im, 0))                                    \
    FORMULA("z == t", of(z.re == t && z.im == 0, 0))                                          \
    FORMULA("t != z", of(z.re != t || z.im != 0, 0))

static complex_number sum(complex_number x, complex_number y) { return of(add(x.re, y.re), add(x.im, y.im)); }

static const char *const formulas[] = {
#define FORMULA(text, value) text,
    EACH_FORMULA(FORMULA)
#undef FORMULA
};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

static complex_number value_of(size_t number, complex_number z, complex_number w, double t, double i) {
    size_t k = 0;
#define FORMULA(text, value) \
    if (k++ == number) return value;
    EACH_FORMULA(FORMULA)
#undef FORMULA
    return of(i, i);
}

/* ------------------------------------------------------------------------------------ the bits */

static double element(const char *p) {
    float narrow;
    double wide;
    memcpy(&narrow, p, sizeof narrow);
    if (type == WEFT_F32) return (double)narrow;
    memcpy(&wide, p, sizeof wide);
    return wide;
}

/* Returns the address of an element of a view that is broadcast to the shape of `out`, both without the parts. */
static const char *address(const weft_view *v, size_t dimensions, size_t of_out, const size_t *index) {
    const char *p = v->data;
    for (size_t k = 0; k < dimensions; k++)
        p += v->shape[k] == 1 ? 0 : (ptrdiff_t)index[of_out - dimensions + k] * v->stride[k];
    return p;
}

static complex_number number_at(const weft_view *v, size_t of_out, const size_t *index) {
    const char *const p = address(v, v->dimensions - 1, of_out, index);
    return of(element(p), element(p + v->stride[v->dimensions - 1]));
}

/* Returns true if a stored value has the bits of `wanted`; NaNs are stored as one NaN. */
static bool has_bits(const char *p, double wanted) {
    const float narrow = isnan(wanted) ? NAN : (float)wanted;
    if (isnan(wanted)) wanted = (double)NAN;
    const uint32_t nan32 = 0x7fc00000;
    const uint64_t nan64 = UINT64_C(0x7ff8000000000000);
    if (type == WEFT_F32) return memcmp(p, isnan(wanted) ? (const void *)&nan32 : &narrow, 4) == 0;
    return memcmp(p, isnan(wanted) ? (const void *)&nan64 : &wanted, 8) == 0;
}

static char z_memory[8 * MOST], w_memory[8 * MOST], t_memory[8 * MOST], out_memory[8 * MOST], before[8 * MOST];

/* Compares the values in out_memory, and that no other byte of it has changed. */
static void compare(size_t number, const weft_view *z, const weft_view *w, const weft_view *t, const weft_view *out,
                    size_t dimensions) {
    const bool is_complex = out->dimensions > dimensions;
    const size_t size = weft_dtype_size(type);
    size_t index[WEFT_DIMENSIONS_MAX] = {0}, n = 1;
    for (size_t k = 0; k < dimensions; k++) n *= out->shape[k];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = dimensions, left = i; k-- > 0; left /= out->shape[k]) index[k] = left % out->shape[k];
        const complex_number x = number_at(z, dimensions, index), y = number_at(w, dimensions, index);
        const double of_t = element(address(t, t->dimensions, dimensions, index));
        const complex_number wanted = value_of(number, x, y, of_t, (double)i);
        const char *const p = address(out, dimensions, dimensions, index);
        const char *const q = p + (is_complex ? out->stride[dimensions] : 0);
        if (!EXPECT(has_bits(p, wanted.re) && (!is_complex || has_bits(q, wanted.im)),
                    "%s in %s of z = %a %a, w = %a %a, t = %a: %a %a, expected %a %a", formulas[number],
                    weft_dtype_name(type), x.re, x.im, y.re, y.im, of_t, element(p), element(q), wanted.re,
                    wanted.im))
            break;
        memcpy(before + (p - out_memory), p, size);
        memcpy(before + (q - out_memory), q, size);
    }
    EXPECT(memcmp(out_memory, before, sizeof before) == 0, "%s wrote outside of the output", formulas[number]);
}

/* Fills `memory` with numbers of every kind. */
static void fill(char *memory, uint64_t seed) {
    static const double values[] = {0,   -0.0, 1,     -1,     2.5,  3,     0.1, -7,   1e30,  -1e-30, 1e300, 3e-300,
                                    0.5, 1e38, 1e-40, 5e-324, 1e19, -2e19, 100, -0.3, 1e-20, 4,      -3,    6};
    const size_t count = sizeof values / sizeof *values;
    for (size_t i = 0; i < MOST; i++) {
        const size_t kind = draw(40 + seed % 20);
        const double v = kind < count ? values[kind]
                         : kind == 37 ? (double)INFINITY
                         : kind == 38 ? (double)NAN
                                      : (double)draw(1 << 20) / 1024 - 300;
        const float narrow = (float)v;
        memcpy(memory + i * weft_dtype_size(type), type == WEFT_F32 ? (const void *)&narrow : &v,
               weft_dtype_size(type));
    }
}

static weft_expr *compiled(const char *formula) {
    const char *names[2];
    weft_expr *expr = NULL;
    size_t count = 0;
    if (strchr(formula, 'z')) names[count++] = "z";
    if (strchr(formula, 'w')) names[count++] = "w";
    EXPECT_STATUS(ctx, weft_expr_compile_complex(ctx, formula, names, count, &expr), WEFT_OK);
    return expr;
}

/* Fills the bindings of the variables of a formula. Returns their number. */
static size_t bind(const weft_expr *expr, const weft_view *z, const weft_view *w, const weft_view *t,
                   weft_view_binding *bindings) {
    const size_t count = weft_expr_variable_count(expr);
    for (size_t k = 0; k < count; k++) {
        const char *const name = weft_expr_variable(expr, k);
        bindings[k] = (weft_view_binding){name, *name == 'z' ? z : *name == 'w' ? w : t, WEFT_DEFAULT, NULL};
    }
    return count;
}

/* Returns a view of numbers of a shape in `memory`: one after another, or with random strides. */
static weft_view numbers_of(const weft_view *shape, bool is_complex, bool adjacent, char *memory) {
    weft_view v = *shape;
    if (!adjacent) return numbers_in(*shape, is_complex, memory, MOST);
    if (is_complex) v.shape[v.dimensions++] = 2;
    EXPECT_STATUS(NULL, weft_view_of(type, v.dimensions, v.shape, memory, &v), WEFT_OK);
    return v;
}

static void check_formula(size_t number, uint64_t seed) {
    static const size_t lengths[] = {1, 2, 3, 5, 17, 40};
    weft_view_binding bindings[3];
    weft_view shape = {.size = sizeof shape, .dtype = type, .dimensions = seed % 4};
    weft_expr *const expr = compiled(formulas[number]);
    size_t left = MOST / 32;
    draw_state = seed * 1000 + number;
    for (size_t k = 0; k < shape.dimensions; k++) {
        const size_t n = lengths[draw(6)];
        shape.shape[k] = n <= left ? n : 1;
        left /= shape.shape[k];
    }
    fill(z_memory, seed);
    fill(w_memory, seed);
    fill(t_memory, seed);
    memset(out_memory, 0x5a, sizeof out_memory);
    memset(before, 0x5a, sizeof before);
    weft_view row = shape;
    if (shape.dimensions > 0 && draw(2)) row.shape[0] = 1;
    const bool adjacent = draw(3) == 0;
    const weft_view z = numbers_of(&shape, true, adjacent, z_memory), w = numbers_of(&row, true, adjacent, w_memory);
    const weft_view t = factor_of(&shape, type, t_memory, MOST);
    const weft_view out = numbers_of(&shape, weft_expr_is_complex(expr), adjacent, out_memory);
    const size_t count = bind(expr, &z, &w, &t, bindings);
    EXPECT_STATUS(ctx, weft_map_views(ctx, expr, type, bindings, count, &out), WEFT_OK);
    compare(number, &z, &w, &t, &out, shape.dimensions);
    if (weft_expr_is_complex(expr) && strchr(formulas[number], 'z')) { /* in place */
        EXPECT_STATUS(ctx, weft_copy_view(ctx, &z, &out), WEFT_OK);
        bind(expr, &out, &w, &t, bindings);
        EXPECT_STATUS(ctx, weft_map_views(ctx, expr, type, bindings, count, &out), WEFT_OK);
        EXPECT(memcmp(out_memory, before, sizeof before) == 0, "%s in place: other bits", formulas[number]);
    }
    weft_expr_free(expr);
}

/* Values of adjacent numbers have the bits of calls on a few of them, also if the array is longer than the caches. */
static void long_array(const char *formula, size_t n) {
    enum { FEW = 1000 };
    const size_t size = 2 * weft_dtype_size(type);
    char *const z = calloc(n, size), *const w = calloc(n, size), *const out = calloc(n, size);
    char *const wanted = calloc(n, size);
    weft_expr *const expr = compiled(formula);
    input_fill(INPUT_UNIFORM, type, 4, 2 * n, z);
    input_fill(INPUT_UNIFORM, type, 5, 2 * n, w);
    for (size_t i = 0, part; i < n; i += part) {
        weft_view views[3];
        weft_view_binding bindings[3];
        part = n - i < FEW ? n - i : FEW;
        for (int k = 0; k < 3; k++)
            weft_view_of(type, 2, (size_t[]){part, 2}, (k == 0 ? z : k == 1 ? w : wanted) + i * size, &views[k]);
        const size_t count = bind(expr, &views[0], &views[1], NULL, bindings);
        EXPECT_STATUS(ctx, weft_map_views(ctx, expr, type, bindings, count, &views[2]), WEFT_OK);
    }
    weft_view all[3];
    weft_view_binding bindings[3];
    for (int k = 0; k < 3; k++) weft_view_of(type, 2, (size_t[]){n, 2}, k == 0 ? z : k == 1 ? w : out, &all[k]);
    const size_t count = bind(expr, &all[0], &all[1], NULL, bindings);
    EXPECT_STATUS(ctx, weft_map_views(ctx, expr, type, bindings, count, &all[2]), WEFT_OK);
    EXPECT(memcmp(out, wanted, n * size) == 0, "%s of %zu numbers: other bits", formula, n);
    free(z);
    free(w);
    free(out);
    free(wanted);
    weft_expr_free(expr);
}

/* ---------------------------------------------------------------------------------- reductions */

/* The sum and the mean of z*w along axes are those of the parts of the values. */
static void check_reduction(weft_op op, size_t rows, size_t columns, size_t count, const int *axes) {
    const size_t shape[] = {rows, columns, 2}, left[] = {rows == 0 || axes[0] == 0 ? columns : rows, 2};
    const size_t reduced = 2 - count;
    weft_view_binding bindings[3];
    weft_view z, w, t, values, found, wanted;
    weft_expr *const expr = compiled("z*w - t");
    char *const memory = malloc(16 * rows * columns + 16);
    input_fill(INPUT_UNIFORM, type, 1, 2 * columns, w_memory);
    input_fill(INPUT_UNIFORM, type, 2, rows, t_memory);
    char *const big = malloc(16 * rows * columns + 16);
    input_fill(INPUT_UNIFORM, type, 3, 2 * rows * columns, big);
    weft_view_of(type, 3, shape, big, &z);
    weft_view_of(type, 2, shape + 1, w_memory, &w);
    weft_view_of(type, 2, (size_t[]){rows, 1}, t_memory, &t);
    weft_view_of(type, 3, shape, memory, &values);
    weft_view_of(type, reduced + 1, left + 1 - reduced, out_memory, &found);
    weft_view_of(type, reduced + 1, left + 1 - reduced, before, &wanted);
    const size_t bound = bind(expr, &z, &w, &t, bindings);
    memset(out_memory, 0x5a, sizeof out_memory);
    memset(before, 0x5a, sizeof before);
    EXPECT_STATUS(ctx, weft_map_views(ctx, expr, type, bindings, bound, &values), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce_axes(ctx, op, WEFT_DEFAULT, &values, count, axes, &wanted), WEFT_OK);
    EXPECT_STATUS(
        ctx, weft_map_reduce_axes(ctx, op, expr, type, WEFT_DEFAULT, 2, shape, bindings, bound, count, axes, &found),
        WEFT_OK);
    EXPECT(memcmp(out_memory, before, sizeof before) == 0, "%s of %zu x %zu complex values in %s: other bits",
           weft_op_name(op), rows, columns, weft_dtype_name(type));
    free(memory);
    free(big);
    weft_expr_free(expr);
}

static void reductions(void) {
    static const int axes[] = {0, 1}, last[] = {1};
    check_reduction(WEFT_SUM, 30, 40, 1, axes);
    check_reduction(WEFT_MEAN, 30, 40, 1, last);
    check_reduction(WEFT_SUM, 30, 40, 2, axes);
    check_reduction(WEFT_SUM, 1000, 700, 1, last); /* several parts of scratch memory */
    check_reduction(WEFT_SUM, 0, 4, 1, axes);
}

/* ---------------------------------------------------------------------------------- arguments */

static void refuse(const char *formula, const char *words, size_t position) {
    static const char *const names[] = {"z", "w"};
    weft_expr *expr;
    EXPECT_ERROR(ctx, weft_expr_compile_complex(ctx, formula, names, strchr(formula, 'w') ? 2 : 1, &expr),
                 WEFT_INVALID, words);
    const char *const end = strrchr(weft_last_error(ctx), '\n');
    EXPECT(!expr && end && strlen(end) == position + 4, "the caret is not under position %zu:%s", position,
           weft_last_error(ctx));
}

static void refused_formulas(void) {
    weft_expr *expr;
    refuse("z + min(z, 1)", "complex numbers have no order", 4);
    refuse("1 < z", "complex numbers have no order", 2);
    refuse("z >= 1", "complex numbers have no order", 2);
    refuse("floor(z)", "floor is not defined for complex numbers", 0);
    refuse("1 + fma(1, z, 2)", "fma is not defined for complex numbers", 4);
    refuse("erf(z)", "erf is not defined", 0);
    refuse("!z", "! is not defined for complex numbers", 0);
    refuse("1 && z", "&& is not defined for complex numbers", 2);
    refuse("z ? 1 : 2", "the condition before ? is complex", 2);
    refuse("z^w", "a power of complex numbers requires an exponent that is an integer from -1024 to 1024", 1);
    refuse("2^z", "a power of complex numbers requires", 1);
    refuse("z^1025", "a power of complex numbers requires", 1);
    refuse("pow(z, 2)", "a power of complex numbers requires", 0);
    refuse("complex(z, 1)", "complex(x, y) requires real arguments", 0);
    refuse("complex(1)*z", "complex requires 2 arguments, not 1", 9);
    refuse("conj(z, 1)", "too many arguments: conj requires 1 argument", 6);
    refuse("arg(z)", "unknown function arg", 0);
    EXPECT_ERROR(ctx, weft_expr_compile_complex(ctx, "x + 1", (const char *[]){"z"}, 1, &expr), WEFT_INVALID,
                 "z is complex, but the formula has no variable of this name");
    EXPECT_ERROR(ctx, weft_expr_compile_complex(ctx, "x + i", (const char *[]){"i"}, 1, &expr), WEFT_INVALID,
                 "i is complex, but the formula has no variable of this name");
    EXPECT_ERROR(ctx, weft_expr_compile_complex(ctx, "x", NULL, 1, &expr), WEFT_INVALID, "complex_names is NULL");
    EXPECT_ERROR(ctx, weft_expr_compile_complex(ctx, "x", (const char *[]){NULL}, 1, &expr), WEFT_INVALID,
                 "complex_names[0] is NULL");
    EXPECT_ERROR(ctx, weft_expr_compile_complex(ctx, NULL, NULL, 0, &expr), WEFT_INVALID, "formula is NULL");
    EXPECT_ERROR(ctx, weft_expr_compile_complex(ctx, "x", NULL, 0, NULL), WEFT_INVALID, "expr is NULL");
    EXPECT(!weft_expr_is_complex(NULL), "no formula has complex values");
}

/* Compiles `start` followed by `text`, `count` times, and by `end`. The steps of both parts decide whether a formula
 * fits. */
static void limit(const char *start, const char *text, size_t count, const char *end, bool fits, const char *words) {
    char formula[4096];
    weft_expr *expr;
    strcpy(formula, start);
    for (size_t k = 0; k < count; k++) strcat(formula, text);
    strcat(formula, end);
    const weft_status status = weft_expr_compile_complex(ctx, formula, (const char *[]){"z"}, 1, &expr);
    EXPECT(fits ? status == WEFT_OK : status == WEFT_INVALID && strstr(weft_last_error(ctx), words),
           "%s%s, %zu times: \"%s\"", start, text, count, weft_last_error(ctx));
    weft_expr_free(expr);
}

static void limits(void) {
    char names[1024] = "z";
    const char *complex_names[33];
    weft_expr *expr;
    limit("z", "+z", 128, "", true, "");
    limit("z", "+z", 129, "", false, "more than 256 steps");
    limit("re(z", "+z", 256, ")", true, ""); /* the steps of the imaginary part are not needed */
    limit("re(z", "+z", 257, ")", false, "more than 256 steps");
    limit("z", "*z", 51, "", true, ""); /* 5 steps for both parts of each factor */
    limit("z", "*z", 52, "", false, "more than 256 steps");
    limit("z", "*z", 300, "", false, "more than 256 steps");
    limit("z", "+(z*z", 7, ")))))))", true, ""); /* each product has two registers */
    limit("z", "+(z*z", 8, "))))))))", false, "more than 16 intermediate values");
    for (int k = 0; k < 32; k++) sprintf(names + strlen(names), "+v%d", k);
    for (int k = 0; k < 32; k++) complex_names[k] = names + 2 + (k < 10 ? 3 * k : 30 + 4 * (k - 10));
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, names, &expr), WEFT_OK);
    weft_expr_free(expr);
    for (char *at = names; (at = strchr(at, '+'));) *at++ = '\0';
    char formula[1024] = "v0";
    for (int k = 1; k < 32; k++) sprintf(formula + strlen(formula), "+v%d", k);
    EXPECT_STATUS(ctx, weft_expr_compile_complex(ctx, formula, complex_names, 32, &expr), WEFT_OK);
    EXPECT(weft_expr_variable_count(expr) == 32 && strcmp(weft_expr_variable(expr, 31), "v31") == 0 &&
               !weft_expr_variable(expr, 32),
           "%zu names", weft_expr_variable_count(expr));
    weft_expr_free(expr);
    strcat(formula, "+v32");
    EXPECT_ERROR(ctx, weft_expr_compile_complex(ctx, formula, complex_names, 32, &expr), WEFT_INVALID,
                 "more than 64 distinct names and numbers");
}

/* Functions that do not evaluate complex formulas, and arguments of those that do. */
static void arguments(void) {
    double p[12] = {1, 2}, q[12] = {0}, two[2] = {0, 2};
    weft_view z, out, real, one;
    weft_expr *expr = compiled("z*complex(0, 2)"), *turned = compiled("z*w"), *norm = compiled("abs(z)");
    weft_view_of(WEFT_F64, 2, (size_t[]){3, 2}, p, &z);
    weft_view_of(WEFT_F64, 2, (size_t[]){3, 2}, q, &out);
    weft_view_of(WEFT_F64, 1, (size_t[]){3}, q, &real);
    weft_view_of(WEFT_F64, 1, (size_t[]){2}, q, &one);
    const weft_view_binding views[] = {{"z", &z, WEFT_DEFAULT, NULL}, {"w", NULL, WEFT_F64, two}};
    const weft_view_binding wide[] = {{"z", &real, WEFT_DEFAULT, NULL}};
    const weft_binding arrays[] = {{"z", WEFT_F64, p, NULL}};
    const char *const words = "the formula has complex numbers: expected weft_map_views or weft_map_reduce_axes";
    EXPECT_ERROR(ctx, weft_map(ctx, expr, WEFT_F64, 3, arrays, 1, q), WEFT_UNSUPPORTED, words);
    EXPECT_ERROR(ctx, weft_map(ctx, norm, WEFT_F64, 3, arrays, 1, q), WEFT_UNSUPPORTED, words);
    EXPECT_ERROR(ctx, weft_map_reduce(ctx, WEFT_SUM, norm, WEFT_F64, WEFT_DEFAULT, 3, arrays, 1, q), WEFT_UNSUPPORTED,
                 words);
    EXPECT_ERROR(ctx, weft_map_views(ctx, expr, WEFT_I64, views, 1, &out), WEFT_UNSUPPORTED,
                 "formulas of complex numbers are evaluated in f32 or f64, not in i64");
    EXPECT_ERROR(ctx, weft_map_views(ctx, expr, WEFT_F64, wide, 1, &out), WEFT_INVALID,
                 "z has shape (3): the last axis of complex numbers has length 2, for their parts");
    EXPECT_ERROR(ctx, weft_map_views(ctx, expr, WEFT_F64, views, 1, &real), WEFT_INVALID,
                 "out has shape (3): the last axis of complex numbers has length 2, for their parts");
    EXPECT_ERROR(ctx, weft_map_views(ctx, norm, WEFT_F64, views, 1, &out), WEFT_INVALID,
                 "z of shape (3) cannot be broadcast to out of shape (3, 2)");
    weft_view later = z, twice;
    later.data = p + 2;
    weft_view_of(WEFT_F64, 2, (size_t[]){3, 2}, p, &twice);
    EXPECT_ERROR(ctx, weft_map_views(ctx, expr, WEFT_F64, views, 1, &later), WEFT_INVALID, "overlap");
    weft_view_of(WEFT_F64, 1, (size_t[]){2}, p, &twice); /* equal to a number, whose modulus is repeated */
    const weft_view_binding number[] = {{"z", &twice, WEFT_DEFAULT, NULL}};
    EXPECT_ERROR(ctx, weft_map_views(ctx, norm, WEFT_F64, number, 1, &twice), WEFT_INVALID, "overlap");
    EXPECT_ERROR(ctx,
                 weft_map_reduce_axes(ctx, WEFT_NORM1, expr, WEFT_F64, WEFT_DEFAULT, 1, z.shape, views, 1, 1,
                                      (int[]){0}, &one),
                 WEFT_UNSUPPORTED, "the values of the formula are complex, for which norm1 is not supported");
    EXPECT_ERROR(
        ctx,
        weft_map_reduce_axes(ctx, WEFT_SUM, expr, WEFT_F64, WEFT_DEFAULT, 1, z.shape, views, 1, 1, (int[]){0}, &real),
        WEFT_INVALID, "out has shape (3): the last axis of complex numbers");
    const weft_view inside = {sizeof inside, WEFT_F64, 1, {2}, {8}, p + 1, NULL, 0};
    EXPECT_ERROR(ctx,
                 weft_map_reduce_axes(ctx, WEFT_SUM, expr, WEFT_F64, WEFT_DEFAULT, 1, z.shape, views, 1, 1,
                                      (int[]){0}, &inside),
                 WEFT_INVALID, "overlap");
    for (size_t k = 0; k < 12; k++) EXPECT(q[k] == 0 && p[k] == (k < 2 ? (double)k + 1 : 0), "a refused call wrote");
    EXPECT_STATUS(ctx, weft_map_views(ctx, turned, WEFT_F64, views, 2, &out), WEFT_OK); /* w is a complex scalar */
    EXPECT(q[0] == -4 && q[1] == 2, "(1 + 2i)*2i is %g + %g i", q[0], q[1]);
    weft_expr_free(turned);
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, "complex(i, -2)", &turned), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map_views(ctx, turned, WEFT_F64, NULL, 0, &out), WEFT_OK);
    EXPECT(q[2] == 1 && q[3] == -2, "complex(1, -2) is %g + %g i", q[2], q[3]);
    EXPECT_ERROR(ctx, weft_map(ctx, turned, WEFT_F64, 3, NULL, 0, q), WEFT_UNSUPPORTED, words);
    weft_expr_free(expr);
    weft_expr_free(turned);
    weft_expr_free(norm);
}

int main(int argc, char **argv) {
    const char *const device = argc > 1 ? argv[1] : "cpu";
    const bool is_cpu = strncmp(device, "cpu", 3) == 0;
    const uint64_t seeds = strncmp(device, "cuda", 4) == 0 ? GPU_SEEDS : SEEDS;
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return expect_end();
    for (int wide = 0; wide < 2; wide++) {
        type = wide ? WEFT_F64 : WEFT_F32;
        for (size_t number = 0; number < FORMULAS; number++)
            for (uint64_t seed = 0; seed < seeds; seed++) check_formula(number, seed);
        reductions();
        for (int k = 0; k < 3; k++)
            long_array(k == 0   ? "z*w"
                       : k == 1 ? "z - w"
                                : "z*w + conj(z)",
                       is_cpu ? (1 << 22) / (wide + 1) + 37 : 3001);
    }
    refused_formulas();
    limits();
    arguments();
    weft_close(ctx);
    return expect_end();
}
