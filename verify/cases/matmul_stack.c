/* weft_matmul_stack and weft_matmul_complex. The matrices are the last axes of views of random shapes and strides.
 * Their shape, the axes before them, those along which A and B are repeated, the scalars and the conjugations vary
 * with match_case.turn. The parameter 1 selects longer stacks of smaller matrices. */
#include "core/types.h"
#include "verify/random_views.h"
#include "verify/vector_copies.h"

#include <string.h>

enum { OF_SHAPE = 60, OF_A = 100, OF_B = 200, OF_C = 300 }; /* first numbers of the draws */
#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct product {
    weft_view a, b, c;
    size_t m, n, k;
    size_t values; /* elements that C spans */
    double alpha, beta;
    float narrow[2]; /* alpha and beta */
    bool conjugate_a, conjugate_b;
} product;

static bool is_complex(const match_case *c) { return c->operation->shape == &match_matmul_complex; }

static size_t out_bytes(const match_case *c) {
    const bool offered = c->accumulate == WEFT_DEFAULT || c->accumulate == WEFT_EXACT_SUM; /* f32 is the default */
    if (type_is_half(c->dtype)) return offered ? sizeof(uint16_t) : 0;
    return type_is_float(c->dtype) ? weft_dtype_size(c->dtype) : 0;
}

/* ----------------------------------------------------------------------------------- shapes */

/* Chooses the axes of C: those of the stack and those of its matrices, and k. The factors without repetitions have at
 * most n elements each. */
static void choose_shape(const match_case *c, size_t n, product *p) {
    static const size_t lengths[] = {1, 2, 3, 5, 7, 8, 16, 17, 32, 33, 64, 65, 100, 129};
    const uint64_t r = view_draw(c, OF_SHAPE);
    const size_t stacked = c->parameter ? 1 + r % 2 : r % 4, longest = c->parameter ? 6 : 3;
    const size_t some = c->parameter ? 7 : COUNT(lengths);
    const size_t most = n < 100000 ? 2000 + 4 * n : 400000; /* products: the cost of the specification */
    size_t stack = 1;
    p->c = (weft_view){.size = sizeof p->c, .dtype = c->dtype, .dimensions = stacked + 2};
    for (size_t k = 0; k < stacked; k++) stack *= p->c.shape[k] = 1 + (r >> (8 + 4 * k)) % longest;
    p->m = lengths[(r >> 24) % some];
    p->n = lengths[(r >> 32) % some];
    p->k = n == 0 ? 0 : lengths[(r >> 40) % some];
    while (p->k > 0 && (p->k * (p->m > p->n ? p->m : p->n) * stack > n || p->m * p->n * p->k * stack > most)) {
        size_t *const largest = p->k >= p->m && p->k >= p->n ? &p->k : p->m >= p->n ? &p->m : &p->n;
        *largest -= (*largest + 3) / 4;
    }
    p->c.shape[stacked] = p->m;
    p->c.shape[stacked + 1] = p->n;
}

/* Sets v to a factor of rows x columns: without some of the first axes of C, and of length 1 along others. */
static void choose_factor(const match_case *c, const product *p, uint64_t first, size_t rows, size_t columns,
                          weft_view *v) {
    const uint64_t r = view_draw(c, first);
    const size_t stacked = p->c.dimensions - 2, missing = r % 3 == 0 ? (r >> 8) % (stacked + 1) : 0;
    *v = (weft_view){.size = sizeof *v, .dtype = c->dtype, .dimensions = p->c.dimensions - missing};
    for (size_t k = missing; k < stacked; k++)
        v->shape[k - missing] = (r >> (16 + 2 * k)) % 4 == 0 ? 1 : p->c.shape[k];
    v->shape[stacked - missing] = rows;
    v->shape[stacked - missing + 1] = columns;
}

/* ----------------------------------------------------------------------------------- memory */

/* Sets the strides of matrices whose rows or columns are adjacent elements. They may be next to each other: the step
 * of the lines is then longer than those of other axes. Returns the number of elements that the view spans. */
static size_t lay_lines(const match_case *c, uint64_t first, bool gaps, weft_view *v) {
    const uint64_t r = view_draw(c, first);
    const size_t size = weft_dtype_size(v->dtype), stacked = v->dimensions - 2, position = (r >> 8) % (stacked + 1);
    const size_t element = stacked + r % 2, line = stacked + 1 - r % 2;
    size_t reach = v->shape[element], before = 0;
    v->stride[element] = (ptrdiff_t)size;
    for (size_t i = 0, next = 0; i <= stacked; i++) {
        const uint64_t of_axis = view_draw(c, first + 1 + i);
        const size_t axis = i == position ? line : (r >> 16) % 2 ? next++ : stacked - ++next;
        const size_t step = reach + (gaps && of_axis % 3 == 0 ? (of_axis >> 4) % 5 : 0);
        const bool reversed = axis != line && (of_axis >> 8) % 4 == 0;
        v->stride[axis] = (ptrdiff_t)(step * size) * (reversed ? -1 : 1);
        if (v->shape[axis] == 0) continue;
        if (reversed) before += (v->shape[axis] - 1) * step;
        reach += (v->shape[axis] - 1) * step;
    }
    v->data = (void *)(before * size);
    return reach;
}

static size_t lay_out(const match_case *c, uint64_t first, bool gaps, weft_view *v) {
    return is_complex(c) ? view_lay_out(c, first, gaps, v) : lay_lines(c, first, gaps, v);
}

static product choose(const match_case *c) {
    static const double alphas[] = {1, 1, -1, 0.5, 0, 1.7}, betas[] = {0, 0, 1, -1, 0.3};
    const uint64_t r = view_draw(c, OF_SHAPE + 1);
    const size_t n = is_complex(c) ? c->n / 2 : c->n;
    product p = {.conjugate_a = r % 2, .conjugate_b = r / 2 % 2};
    p.alpha = alphas[(r >> 8) % COUNT(alphas)];
    p.beta = betas[(r >> 16) % COUNT(betas)];
    p.narrow[0] = (float)p.alpha, p.narrow[1] = (float)p.beta;
    choose_shape(c, n, &p);
    choose_factor(c, &p, OF_A, p.m, p.k, &p.a);
    choose_factor(c, &p, OF_B, p.k, p.n, &p.b);
    if (lay_out(c, OF_A + 10, true, &p.a) > n) lay_out(c, OF_A + 10, false, &p.a);
    if (lay_out(c, OF_B + 10, true, &p.b) > n) lay_out(c, OF_B + 10, false, &p.b);
    p.values = lay_out(c, OF_C + 10, (r >> 24) % 2, &p.c);
    if (!is_complex(c)) return p;
    view_add_parts(c, OF_A + 1, n, &p.a);
    view_add_parts(c, OF_B + 1, n, &p.b);
    view_add_parts(c, OF_C + 1, p.values, &p.c);
    p.values *= 2;
    return p;
}

static size_t values(const match_case *c) { return choose(c).values; }

/* ------------------------------------------------------------------------------------- calls */

/* Sets the addresses of the views, and C to values that a call with beta = 0 must not read. */
static weft_status prepare(const match_case *c, weft_context *ctx, const void *const *inputs, void *out, product *p) {
    p->a = view_at(&p->a, inputs[0]);
    p->b = view_at(&p->b, inputs[1]);
    p->c = view_at(&p->c, out);
    return view_fill_output(c, ctx, p->beta == 0 ? INPUT_PATTERNS : c->kind, c->dtype, p->values, out);
}

static const void *alpha_of(const match_case *c, const product *p) {
    return c->dtype == WEFT_F64 ? (const void *)&p->alpha : &p->narrow[0];
}
static const void *beta_of(const match_case *c, const product *p) {
    return c->dtype == WEFT_F64 ? (const void *)&p->beta : &p->narrow[1];
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    product p = choose(c);
    const weft_status status = prepare(c, ctx, inputs, out, &p);
    if (status != WEFT_OK) return status;
    if (!is_complex(c))
        return weft_matmul_stack(ctx, c->accumulate, alpha_of(c, &p), &p.a, &p.b, beta_of(c, &p), &p.c);
    return weft_matmul_complex(ctx, c->accumulate, p.conjugate_a ? WEFT_CONJUGATE : WEFT_NO_CONJUGATE,
                               p.conjugate_b ? WEFT_CONJUGATE : WEFT_NO_CONJUGATE, alpha_of(c, &p), &p.a, &p.b,
                               beta_of(c, &p), &p.c);
}

/* Computes C = alpha A B + beta C for the matrices of real views, one after another. */
static weft_status multiply(const match_case *c, weft_context *ref, const product *p, const weft_view *a,
                            const weft_view *b, const weft_view *to) {
    const size_t last = to->dimensions - 1;
    weft_view shape_a = *to, shape_b = *to;
    vectors of_a = {.count = 0}, of_b = of_a, of_c = of_a;
    shape_a.shape[last] = shape_b.shape[last - 1] = p->k;
    weft_status status = vectors_of(ref, a, &shape_a, last, false, &of_a);
    if (status == WEFT_OK) status = vectors_of(ref, b, &shape_b, last, false, &of_b);
    if (status == WEFT_OK) status = vectors_of(ref, to, to, last, false, &of_c);
    for (size_t i = 0; status == WEFT_OK && i < of_c.count / p->m; i++)
        status = weft_matmul(ref, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, c->dtype, c->accumulate, p->m,
                             p->n, p->k, alpha_of(c, p), vectors_at(&of_a, i * p->m), p->k,
                             vectors_at(&of_b, i * p->k), p->n, beta_of(c, p), vectors_at(&of_c, i * p->m), p->n);
    vectors_free(&of_a);
    vectors_free(&of_b);
    return vectors_store(ref, status, &of_c, to);
}

/* Returns the real parts, part 0, or the imaginary parts of a view. */
static weft_view part_of(const weft_view *v, int part) {
    weft_view real = *v;
    real.dimensions--;
    real.data = (char *)v->data + part * v->stride[real.dimensions];
    return real;
}

/* Adds the products of part `a` of A and part `b` of B, with a sign, to part `to` of C: `first` as alpha A B + beta
 * C, else as alpha A B + C. */
static weft_status add_products(const match_case *c, weft_context *ref, const product *p, int a, int b, double sign,
                                int to, bool first) {
    product q = *p;
    const weft_view of_a = part_of(&p->a, a), of_b = part_of(&p->b, b), of_c = part_of(&p->c, to);
    q.alpha *= sign;
    if (!first) q.beta = 1;
    q.narrow[0] = (float)q.alpha, q.narrow[1] = (float)q.beta;
    return multiply(c, ref, &q, &of_a, &of_b, &of_c);
}

static weft_status define(const match_case *c, weft_context *ref, const void *const *inputs, void *out) {
    product p = choose(c);
    const double sign_a = p.conjugate_a ? -1 : 1, sign_b = p.conjugate_b ? -1 : 1;
    weft_status status = prepare(c, ref, inputs, out, &p);
    if (status == WEFT_OK && !is_complex(c)) return multiply(c, ref, &p, &p.a, &p.b, &p.c);
    if (status == WEFT_OK) status = add_products(c, ref, &p, 0, 0, 1, 0, true);
    if (status == WEFT_OK) status = add_products(c, ref, &p, 1, 1, -sign_a * sign_b, 0, false);
    if (status == WEFT_OK) status = add_products(c, ref, &p, 0, 1, sign_b, 1, true);
    return status == WEFT_OK ? add_products(c, ref, &p, 1, 0, sign_a, 1, false) : status;
}

static void tell(const match_case *c, char text[100]) {
    const product p = choose(c);
    snprintf(text, 100, "%zu x %zu x %zu, C of %zu axes, alpha %g, beta %g%s%s", p.m, p.n, p.k, p.c.dimensions,
             p.alpha, p.beta, p.conjugate_a ? ", conj A" : "", p.conjugate_b ? ", conj B" : "");
}

const match_shape match_matmul_stack = {.inputs = 2,
                                        .parameters = 2,
                                        .accumulates = 3,
                                        .halves = true,
                                        .values = values,
                                        .out_bytes = out_bytes,
                                        .call = call,
                                        .define = define,
                                        .tell = tell};
const match_shape match_matmul_complex = {.inputs = 2,
                                          .parameters = 2,
                                          .accumulates = 3,
                                          .values = values,
                                          .out_bytes = out_bytes,
                                          .call = call,
                                          .define = define,
                                          .tell = tell};
