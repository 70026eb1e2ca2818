/* Tests weft_matmul_complex against a loop that rounds as docs/spec/ORDER.md 13.4 states, for random shapes, strides,
 * broadcasts, scalars and conjugations, and that nothing around C is written. Tests the refused arguments too.
 *
 * Usage: api_complex_products DEVICE. */
#include "core/types.h"
#include "tests/expect.h"
#include "tests/random_view.h"
#include "verify/inputs.h"

#include <math.h>

enum { MOST = 1 << 16, SIDE = 7, STACKED = 3, SEEDS = 300 };

static weft_context *ctx;

/* One call. alpha and beta are NULL for 1 and 0. */
typedef struct product {
    weft_dtype dtype, accumulate;
    size_t m, n, k;
    weft_conjugation of_a, of_b;
    double alpha, beta;
    bool alpha_given, beta_given;
} product;

/* ----------------------------------------------------------------------------------- expected */

static double read_value(const product *p, const char *array, size_t i) {
    float narrow;
    double wide;
    if (p->dtype == WEFT_F64) return memcpy(&wide, array + 8 * i, 8), wide;
    return (double)*(float *)memcpy(&narrow, array + 4 * i, 4);
}

/* Writes a value, and the NaN of ORDER.md 1.3 for any NaN. */
static void write_value(const product *p, char *array, size_t i, double value) {
    const uint64_t nan = UINT64_C(0x7ff8000000000000);
    const uint32_t narrow_nan = UINT32_C(0x7fc00000);
    const float narrow = (float)value;
    if (p->dtype == WEFT_F64)
        memcpy(array + 8 * i, isnan(value) ? (const void *)&nan : &value, 8);
    else
        memcpy(array + 4 * i, isnan(value) ? (const void *)&narrow_nan : &narrow, 4);
}

/* c = alpha sum of a b + beta c, of real numbers that are the parts `part_a` and `part_b` of row and column. */
static void real_product(const product *p, const char *a, int part_a, size_t row, const char *b, int part_b,
                         size_t column, double alpha, double beta, char *c, size_t at) {
    const bool narrow = p->dtype == WEFT_F32 && p->accumulate == WEFT_DEFAULT;
    const double old = beta != 0 ? read_value(p, c, at) : 0;
    double s = 0;
    if (p->k == 0 || alpha == 0) {
        if (beta != 1)
            write_value(p, c, at, beta == 0 ? 0 : narrow ? (double)((float)beta * (float)old) : beta * old);
        return;
    }
    for (size_t l = 0; l < p->k; l++) {
        const double x = read_value(p, a, 2 * (row * p->k + l) + (size_t)part_a);
        const double y = read_value(p, b, 2 * (l * p->n + column) + (size_t)part_b);
        s = narrow ? (double)fmaf((float)x, (float)y, (float)s) : fma(x, y, s);
    }
    if (narrow)
        write_value(p, c, at,
                    beta == 0 ? (double)((float)alpha * (float)s)
                              : (double)fmaf((float)alpha, (float)s, (float)beta * (float)old));
    else
        write_value(p, c, at, beta == 0 ? alpha * s : fma(alpha, s, beta * old));
}

/* Computes one product of matrices without gaps. */
static void expected_product(const product *p, const char *a, const char *b, char *c) {
    const double sa = p->of_a ? -1 : 1, sb = p->of_b ? -1 : 1, alpha = p->alpha;
    for (size_t i = 0; i < p->m; i++)
        for (size_t j = 0; j < p->n; j++) {
            const size_t re = 2 * (i * p->n + j), im = re + 1;
            real_product(p, a, 0, i, b, 0, j, alpha, p->beta, c, re);
            real_product(p, a, 1, i, b, 1, j, -alpha * sa * sb, 1, c, re);
            real_product(p, a, 0, i, b, 1, j, alpha * sb, p->beta, c, im);
            real_product(p, a, 1, i, b, 0, j, alpha * sa, 1, c, im);
        }
}

/* -------------------------------------------------------------------------------------- checks */

static weft_status multiply(const product *p, const weft_view *a, const weft_view *b, const weft_view *c) {
    const float narrow[] = {(float)p->alpha, (float)p->beta};
    const double wide[] = {p->alpha, p->beta};
    const void *const alpha = p->dtype == WEFT_F64 ? (const void *)&wide[0] : &narrow[0];
    const void *const beta = p->dtype == WEFT_F64 ? (const void *)&wide[1] : &narrow[1];
    return weft_matmul_complex(ctx, p->accumulate, p->of_a, p->of_b, p->alpha_given ? alpha : NULL, a, b,
                               p->beta_given ? beta : NULL, c);
}

/* Returns a factor for the stack of C: some axes of the stack have length 1 or are missing. `all` receives the shape
 * without broadcasting. */
static weft_view factor_for(const weft_view *c, size_t rows, size_t columns, weft_view *all, char *memory) {
    weft_view v = {.size = sizeof v, .dtype = c->dtype};
    const size_t stacked = c->dimensions - 3, missing = draw(stacked + 1);
    *all = *c;
    all->shape[stacked] = rows, all->shape[stacked + 1] = columns;
    for (size_t k = missing; k < all->dimensions; k++)
        v.shape[v.dimensions++] = k < stacked && draw(4) == 0 ? 1 : all->shape[k];
    lay_out(&v, memory, MOST);
    return v;
}

static product random_product(weft_dtype dtype, weft_dtype accumulate) {
    static const double scalars[] = {1, 0, -1, 0.7, -2, 1};
    product p = {.dtype = dtype, .accumulate = accumulate, .alpha = 1};
    p.m = 1 + draw(SIDE), p.n = 1 + draw(SIDE), p.k = draw(SIDE);
    p.of_a = (weft_conjugation)draw(2), p.of_b = (weft_conjugation)draw(2);
    p.alpha_given = draw(2), p.beta_given = draw(2);
    if (p.alpha_given) p.alpha = dtype == WEFT_F64 ? scalars[draw(6)] : (double)(float)scalars[draw(6)];
    if (p.beta_given) p.beta = dtype == WEFT_F64 ? scalars[draw(6)] : (double)(float)scalars[draw(6)];
    return p;
}

static void check_seed(uint64_t seed, weft_dtype dtype, weft_dtype accumulate) {
    static char x[8 * MOST], y[8 * MOST], z[8 * MOST], before[8 * MOST];
    static char a_all[8 * MOST], b_all[8 * MOST], wanted[8 * MOST], found[8 * MOST];
    static const input_kind kinds[] = {INPUT_UNIFORM, INPUT_MIXED, INPUT_SIGNED_ZEROS, INPUT_NAN_ONE, INPUT_INF_BOTH};
    draw_state = seed * 977 + (uint64_t)dtype * 31 + (uint64_t)accumulate;
    const product p = random_product(dtype, accumulate);
    const input_kind kind = kinds[draw(8) % 5];
    const size_t number = 2 * weft_dtype_size(dtype);
    weft_view c = {.size = sizeof c, .dtype = dtype, .dimensions = 3 + draw(3)}, shape_a, shape_b;
    size_t stack = 1;
    for (size_t d = 0; d + 3 < c.dimensions; d++) stack *= c.shape[d] = 1 + draw(STACKED);
    c.shape[c.dimensions - 3] = p.m, c.shape[c.dimensions - 2] = p.n, c.shape[c.dimensions - 1] = 2;
    lay_out(&c, z, MOST);
    const weft_view a = factor_for(&c, p.m, p.k, &shape_a, x), b = factor_for(&c, p.k, p.n, &shape_b, y);
    input_fill(kind, dtype, seed, MOST, x);
    input_fill(kind, dtype, seed + 1, MOST, y);
    input_fill(kind, dtype, seed + 2, MOST, z);
    memcpy(before, z, sizeof z);
    gather(&a, &shape_a, a_all);
    gather(&b, &shape_b, b_all);
    gather(&c, &c, wanted);
    EXPECT_STATUS(ctx, multiply(&p, &a, &b, &c), WEFT_OK);
    for (size_t i = 0; i < stack; i++)
        expected_product(&p, a_all + i * p.m * p.k * number, b_all + i * p.k * p.n * number,
                         wanted + i * p.m * p.n * number);
    gather(&c, &c, found);
    EXPECT(memcmp(found, wanted, stack * p.m * p.n * number) == 0, "seed %llu, %s: the bits differ",
           (unsigned long long)seed, weft_dtype_name(dtype));
    weft_view was = c; /* restores the elements of C: the rest must be unchanged */
    was.data = before + ((char *)c.data - z);
    EXPECT_STATUS(ctx, weft_copy_view(ctx, &was, &c), WEFT_OK);
    EXPECT(memcmp(z, before, sizeof z) == 0, "seed %llu: the memory around C was written", (unsigned long long)seed);
}

/* Exact sums: the parts are (2^60 + 1) - 2^60, of which a chain in f64 keeps nothing. */
static void exact_sums(void) {
    const double a[] = {0x1p30, 0, 1, 0, 0x1p30, 0}, b[] = {0x1p30, 0x1p30, 1, 3, -0x1p30, -0x1p30};
    double c[2] = {0};
    weft_view va, vb, vc;
    weft_view_of(WEFT_F64, 3, (size_t[]){1, 3, 2}, a, &va);
    weft_view_of(WEFT_F64, 3, (size_t[]){3, 1, 2}, b, &vb);
    weft_view_of(WEFT_F64, 3, (size_t[]){1, 1, 2}, c, &vc);
    EXPECT_STATUS(
        ctx, weft_matmul_complex(ctx, WEFT_EXACT_SUM, WEFT_NO_CONJUGATE, WEFT_CONJUGATE, NULL, &va, &vb, NULL, &vc),
        WEFT_OK);
    EXPECT(c[0] == 1 && c[1] == -3, "the exact product is %g + %gi", c[0], c[1]);
}

static void arguments(void) {
    static double x[100], y[100], z[200];
    const weft_conjugation none = WEFT_NO_CONJUGATE;
    weft_view a, b, c, other;
    weft_view_of(WEFT_F64, 4, (size_t[]){2, 3, 4, 2}, x, &a);
    weft_view_of(WEFT_F64, 3, (size_t[]){4, 5, 2}, y, &b);
    weft_view_of(WEFT_F64, 4, (size_t[]){2, 3, 5, 2}, z, &c);
#define REFUSED(conjugate_a, conjugate_b, status, words)                                                        \
    EXPECT_ERROR(ctx, weft_matmul_complex(ctx, WEFT_DEFAULT, conjugate_a, conjugate_b, NULL, &a, &b, NULL, &c), \
                 status, words)
#define WITH(view, change, status, words)   \
    do {                                    \
        other = view;                       \
        change;                             \
        REFUSED(none, none, status, words); \
        view = other;                       \
    } while (0)
    REFUSED((weft_conjugation)2, none, WEFT_INVALID, "invalid conjugation 2 of A");
    REFUSED(none, (weft_conjugation)7, WEFT_INVALID, "invalid conjugation 7 of B");
    WITH(b, weft_view_of(WEFT_F64, 3, (size_t[]){3, 5, 2}, y, &b), WEFT_INVALID, "A is 3 x 4 and B 3 x 5");
    WITH(b, weft_view_of(WEFT_F64, 3, (size_t[]){4, 5, 1}, y, &b), WEFT_INVALID, "B has shape (4, 5, 1)");
    WITH(b, weft_view_of(WEFT_F64, 2, (size_t[]){4, 2}, y, &b), WEFT_INVALID, "B has 2 dimensions: at least 3");
    WITH(b, weft_view_of(WEFT_F64, 0, NULL, y, &b), WEFT_INVALID, "B has 0 dimensions: at least 3");
    WITH(c, weft_view_of(WEFT_F64, 4, (size_t[]){2, 3, 6, 2}, z, &c), WEFT_INVALID, "C is 3 x 6: expected 3 x 5");
    WITH(c, weft_view_of(WEFT_F64, 4, (size_t[]){4, 3, 5, 2}, z, &c), WEFT_INVALID, "cannot be broadcast to C");
    WITH(b, b.dtype = WEFT_F32, WEFT_INVALID, "B");
    WITH(c, c.data = x, WEFT_INVALID, "overlap");
    WITH(c, c.data = y, WEFT_INVALID, "overlap");
    WITH(c, c.stride[0] = 8, WEFT_INVALID, "overlap");
    WITH(c, c.data = NULL, WEFT_INVALID, "C");
    WITH(a, a.dtype = b.dtype = c.dtype = WEFT_I64, WEFT_UNSUPPORTED, "complex");
    weft_view_of(WEFT_F16, 3, (size_t[]){1, 1, 2}, z, &c);
    REFUSED(none, none, WEFT_UNSUPPORTED, "matmul of complex numbers");
    a.shape[2] = (size_t)1 << 55;
    a.stride[2] = 0;
    b = a;
    b.shape[1] = a.shape[2], b.shape[2] = 1, b.stride[1] = 0;
    weft_view_of(WEFT_F64, 4, (size_t[]){2, 3, 1, 2}, z, &c);
    REFUSED(none, none, WEFT_INVALID, "a copy of A of shape (2, 3, 36028797018963968, 2) does not fit in memory");
    EXPECT(z[0] == 0, "a refused call wrote C");
}

/* Empty stacks and matrices, whose pointers may be NULL. */
static void empty(void) {
    weft_view a, b, c;
    weft_view_of(WEFT_F32, 4, (size_t[]){0, 2, 3, 2}, NULL, &a);
    weft_view_of(WEFT_F32, 3, (size_t[]){3, 4, 2}, (float[24]){0}, &b);
    weft_view_of(WEFT_F32, 4, (size_t[]){0, 2, 4, 2}, NULL, &c);
    EXPECT_STATUS(
        ctx, weft_matmul_complex(ctx, WEFT_DEFAULT, WEFT_NO_CONJUGATE, WEFT_NO_CONJUGATE, NULL, &a, &b, NULL, &c),
        WEFT_OK);
}

int main(int argc, char **argv) {
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return expect_end();
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        check_seed(seed, WEFT_F32, WEFT_DEFAULT);
        check_seed(seed, WEFT_F64, WEFT_DEFAULT);
        check_seed(seed, WEFT_F32, WEFT_F64);
    }
    exact_sums();
    arguments();
    empty();
    weft_close(ctx);
    return expect_end();
}
