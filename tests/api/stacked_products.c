/* Tests weft_matmul_stack: each product has the bits of weft_matmul of the same matrices, for random shapes, strides
 * and broadcasts, and nothing around C is written. Tests the end of a product and the refused arguments too.
 *
 * Usage: api_stacked_products DEVICE. */
#include "core/types.h"
#include "tests/expect.h"
#include "tests/random_view.h"
#include "verify/inputs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, SIDE = 9, STACKED = 3, SEEDS = 150 };

static weft_context *ctx;

/* Sets random strides: the elements of a row or of a column are adjacent, the other axes follow in any order, with
 * gaps; axes of the stack may be reversed. Returns the number of elements from the start of the memory on. */
static size_t lay_out_rows(weft_view *v, void *memory) {
    const size_t size = weft_dtype_size(v->dtype), n = v->dimensions, unit = n - 1 - draw(2);
    size_t reach = 1, before = 0, left = n;
    bool placed[WEFT_DIMENSIONS_MAX] = {false};
    for (size_t axis = unit; left-- > 0; axis = draw(n)) {
        while (placed[axis]) axis = (axis + 1) % n;
        const bool gap = axis != unit && draw(3) == 0, reversed = axis + 2 < n && draw(3) == 0;
        const size_t stride = reach + (gap ? draw(4) : 0);
        placed[axis] = true;
        v->stride[axis] = (ptrdiff_t)(stride * size) * (reversed ? -1 : 1);
        if (reversed) before += (v->shape[axis] - 1) * stride;
        reach += (v->shape[axis] - 1) * stride;
    }
    v->data = (char *)memory + before * size;
    return reach;
}

/* Returns the view of A or B for the stack of C: some axes have length 1 or are missing. */
static weft_view matrices_for(const weft_view *c, size_t rows, size_t columns, void *memory) {
    weft_view v = {.size = sizeof v, .dtype = c->dtype};
    const size_t missing = draw(c->dimensions - 1);
    for (size_t k = missing; k + 2 < c->dimensions; k++) v.shape[v.dimensions++] = draw(4) ? c->shape[k] : 1;
    v.shape[v.dimensions++] = rows;
    v.shape[v.dimensions++] = columns;
    EXPECT(lay_out_rows(&v, memory) <= MOST, "the array is too long");
    return v;
}

/* Copies matrix number `index` of the stack of C, or what is broadcast to it, to rows without gaps. */
static const char *matrix_of(const weft_view *v, const weft_view *c, size_t index, char *to) {
    const size_t size = weft_dtype_size(v->dtype), rows = v->shape[v->dimensions - 2],
                 columns = v->shape[v->dimensions - 1], missing = c->dimensions - v->dimensions;
    const char *from = v->data;
    for (size_t k = c->dimensions - 2; k-- > 0; index /= c->shape[k])
        if (k >= missing && v->shape[k - missing] > 1)
            from += (ptrdiff_t)(index % c->shape[k]) * v->stride[k - missing];
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < columns; j++)
            memcpy(to + (r * columns + j) * size,
                   from + (ptrdiff_t)r * v->stride[v->dimensions - 2] + (ptrdiff_t)j * v->stride[v->dimensions - 1],
                   size);
    return to;
}

static void check_seed(uint64_t seed, weft_dtype dtype, weft_dtype accumulate) {
    static char x[8 * MOST], y[8 * MOST], z[8 * MOST], before[8 * MOST];
    static char a1[8 * SIDE * SIDE], b1[8 * SIDE * SIDE], c1[8 * SIDE * SIDE], found[8 * SIDE * SIDE];
    draw_state = seed * 977 + (uint64_t)dtype * 31 + (uint64_t)accumulate;
    const size_t m = 1 + draw(SIDE), n = 1 + draw(SIDE), k = draw(SIDE), size = weft_dtype_size(dtype);
    const double wide[] = {0.5, -2};
    const float narrow[] = {0.5f, -2};
    const void *const scalars = dtype == WEFT_F64 ? (const void *)wide : narrow;
    const void *const alpha = draw(2) ? scalars : NULL, *const beta = draw(2) ? (const char *)scalars + size : NULL;
    weft_view c = {.size = sizeof c, .dtype = dtype, .dimensions = 2 + draw(4)};
    for (size_t d = 0; d + 2 < c.dimensions; d++) c.shape[d] = 1 + draw(STACKED);
    c.shape[c.dimensions - 2] = m, c.shape[c.dimensions - 1] = n;
    EXPECT(lay_out_rows(&c, z) <= MOST, "the array is too long");
    const weft_view a = matrices_for(&c, m, k ? k : 1, x), b = matrices_for(&c, k ? k : 1, n, y);
    weft_view none_a = a, none_b = b;
    none_a.shape[a.dimensions - 1] = none_b.shape[b.dimensions - 2] = k;
    input_fill(INPUT_UNIFORM, dtype, seed, MOST, x);
    input_fill(INPUT_UNIFORM, dtype, seed + 1, MOST, y);
    input_fill(INPUT_UNIFORM, dtype, seed + 2, MOST, z);
    memcpy(before, z, sizeof z);
    EXPECT_STATUS(ctx, weft_matmul_stack(ctx, accumulate, alpha, &none_a, &none_b, beta, &c), WEFT_OK);
    weft_view was = c;
    was.data = before + ((char *)c.data - z);
    size_t stack = 1, different = 0;
    for (size_t d = 0; d + 2 < c.dimensions; d++) stack *= c.shape[d];
    for (size_t i = 0; i < stack; i++) {
        matrix_of(&was, &c, i, c1);
        EXPECT_STATUS(ctx,
                      weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, dtype, accumulate, m, n,
                                  k, alpha, matrix_of(&a, &c, i, a1), k ? k : 1, matrix_of(&b, &c, i, b1), n, beta,
                                  c1, n),
                      WEFT_OK);
        different += memcmp(matrix_of(&c, &c, i, found), c1, m * n * size) != 0;
    }
    EXPECT(different == 0, "seed %llu, %s: %zu of %zu products differ", (unsigned long long)seed,
           weft_dtype_name(dtype), different, stack);
    const weft_view back = was, now = c; /* restores the elements of C: the rest must be unchanged */
    EXPECT_STATUS(ctx, weft_copy_view(ctx, &back, &now), WEFT_OK);
    EXPECT(memcmp(z, before, sizeof z) == 0, "seed %llu: the memory around C was written", (unsigned long long)seed);
}

static void arguments(void) {
    static double x[100], y[100], z[200];
    weft_view a, b, c, other;
    weft_view_of(WEFT_F64, 3, (size_t[]){2, 3, 4}, x, &a);
    weft_view_of(WEFT_F64, 2, (size_t[]){4, 5}, y, &b);
    weft_view_of(WEFT_F64, 3, (size_t[]){2, 3, 5}, z, &c);
#define REFUSED(status, words) \
    EXPECT_ERROR(ctx, weft_matmul_stack(ctx, WEFT_DEFAULT, NULL, &a, &b, NULL, &c), status, words)
#define WITH(view, change, status, words) \
    do {                                  \
        other = view;                     \
        change;                           \
        REFUSED(status, words);           \
        view = other;                     \
    } while (0)
    WITH(b, weft_view_of(WEFT_F64, 2, (size_t[]){3, 5}, y, &b), WEFT_INVALID, "A is 3 x 4 and B 3 x 5");
    WITH(c, weft_view_of(WEFT_F64, 3, (size_t[]){2, 3, 6}, z, &c), WEFT_INVALID, "C is 3 x 6: expected 3 x 5");
    WITH(c, weft_view_of(WEFT_F64, 3, (size_t[]){4, 3, 5}, z, &c), WEFT_INVALID,
         "A of shape (2, 3, 4) cannot be broadcast to C of shape (4, 3, 5)");
    WITH(c, weft_view_of(WEFT_F64, 2, (size_t[]){3, 5}, z, &c), WEFT_INVALID, "A has 3 dimensions, more than C");
    WITH(b, weft_view_of(WEFT_F64, 1, (size_t[]){4}, y, &b), WEFT_INVALID, "B has 1 dimension: at least 2");
    WITH(b, b.dtype = WEFT_F32, WEFT_INVALID, "B");
    WITH(a, a.stride[2] = 16, WEFT_UNSUPPORTED, "the matrices of A are 3 x 4 with strides of 32 and 16 bytes");
    WITH(b, b.stride[0] = 0, WEFT_UNSUPPORTED, "the matrices of B are 4 x 5 with strides of 0 and 8 bytes");
    WITH(c, c.data = x, WEFT_INVALID, "overlap");
    WITH(c, c.stride[0] = 8, WEFT_INVALID, "overlap");
    WITH(a, a.dtype = b.dtype = c.dtype = WEFT_I64, WEFT_UNSUPPORTED, "");
    EXPECT(z[0] == 0, "a refused call wrote C");
}

/* Products of no terms: A and B have no elements, so their pointers may be NULL. */
static void no_terms(void) {
    double z[60];
    weft_view a, b, c;
    weft_view_of(WEFT_F64, 4, (size_t[]){1, 2, 3, 0}, NULL, &a);
    weft_view_of(WEFT_F64, 4, (size_t[]){3, 1, 0, 2}, NULL, &b);
    weft_view_of(WEFT_F64, 4, (size_t[]){3, 2, 3, 2}, z, &c);
    c.stride[0] += 8 * 6; /* the axes of the stack are no single one */
    for (size_t i = 0; i < 60; i++) z[i] = 7;
    EXPECT_STATUS(ctx, weft_matmul_stack(ctx, WEFT_DEFAULT, NULL, &a, &b, NULL, &c), WEFT_OK);
    for (size_t i = 0; i < 54; i++) EXPECT(z[i] == (i % 18 < 12 ? 0 : 7), "value %zu is %g", i, z[i]);
}

/* Products of f32 in f64 add beta c to alpha s with one rounding (ORDER.md 13.3): here alpha s has 70 digits, and c
 * cancels the first 24. The processors without fused multiply-add are those of the device cpu:base. */
static void fused_end(const char *device) {
    weft_context *one;
    const float factors[] = {0x1p-12F, 0x1p-35F}, alpha = -1.7F, beta = 1;
    float c = 1.7F * 0x1p-24F;
    weft_view a, b, to;
    if (!EXPECT_STATUS(NULL, weft_open(&one, device), WEFT_OK)) return;
    weft_view_of(WEFT_F32, 2, (size_t[]){1, 2}, factors, &a);
    weft_view_of(WEFT_F32, 2, (size_t[]){2, 1}, factors, &b);
    weft_view_of(WEFT_F32, 2, (size_t[]){1, 1}, &c, &to);
    EXPECT_STATUS(one, weft_matmul_stack(one, WEFT_F64, &alpha, &a, &b, &beta, &to), WEFT_OK);
    EXPECT(c == -1.7F * 0x1p-70F, "%s: the end of the product is %a", device, (double)c);
    weft_close(one);
}

int main(int argc, char **argv) {
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return expect_end();
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        check_seed(seed, WEFT_F32, WEFT_DEFAULT);
        check_seed(seed, WEFT_F64, WEFT_DEFAULT);
        check_seed(seed, WEFT_F32, WEFT_F64);
        if (seed % 8 == 0) check_seed(seed, WEFT_F64, WEFT_EXACT_SUM);
    }
    arguments();
    no_terms();
    fused_end(argc > 1 ? argv[1] : "cpu");
    fused_end("cpu:base");
    weft_close(ctx);
    return expect_end();
}
