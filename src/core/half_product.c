/* Matrix products of f16 and bf16 that accumulate in f32 (ORDER.md 13): the matrices are converted to f32 in scratch
 * memory, multiplied, and the product is rounded. */
#include "core/half_arrays.h"
#include "core/products.h"
#include "core/views.h"

enum { MATRIX_AXES = 3 }; /* of a batch, of the rows of a matrix, of a row */

/* The stored matrices of one argument, with `ld` elements from one row to the next and `stride` from one matrix to
 * the next. */
typedef struct matrices {
    size_t batch, rows, width, ld, stride;
} matrices;

static size_t elements_of(const matrices *m) { return m->batch * m->rows * m->width; }

/* Converts matrices of the type `from` at x to `to` at y, where they are without gaps in x or in y. */
static weft_status convert(weft_context *ctx, const matrices *m, weft_dtype from, bool gaps_in_x, const void *x,
                           weft_dtype to, void *y, weft_error *error) {
    conversion all;
    const ptrdiff_t in = (ptrdiff_t)weft_dtype_size(from), out = (ptrdiff_t)weft_dtype_size(to);
    const ptrdiff_t given[MATRIX_AXES] = {(ptrdiff_t)m->stride, (ptrdiff_t)m->ld, 1};
    const ptrdiff_t dense[MATRIX_AXES] = {(ptrdiff_t)(m->rows * m->width), (ptrdiff_t)m->width, 1};
    const size_t n[MATRIX_AXES] = {m->batch, m->rows, m->width};
    map_dimension d[MATRIX_AXES];
    ptrdiff_t moved[2];
    set_conversion(&all, elements_of(m), from, x, to, y);
    if (all.map.n == 0) return WEFT_OK;
    for (size_t k = 0; k < MATRIX_AXES; k++) {
        d[k].n = n[k];
        d[k].x[0] = in * (gaps_in_x ? given : dense)[k];
        d[k].out = out * (gaps_in_x ? dense : given)[k];
    }
    const map_views_call call = {
        .map = &all.map, .count = view_sort_dimensions(MATRIX_AXES, d, sizeof *d, 2, 0, moved), .dimensions = d};
    const bool plain = call.count == 0 || (call.count == 1 && d->x[0] == in && d->out == out);
    return plain ? ctx->backend->map(ctx->state, &all.map, error) : ctx->backend->map_views(ctx->state, &call, error);
}

/* Converts one factor to f32 at `to`, and makes `factor` that. */
static weft_status convert_factor(weft_context *ctx, weft_dtype dtype, const matrices *m, matmul_operand *factor,
                                  float *to, weft_error *error) {
    RETURN_IF_ERROR(convert(ctx, m, dtype, true, factor->p, WEFT_F32, to, error));
    *factor = (matmul_operand){to, m->width, m->batch == 1 ? 0 : m->rows * m->width, factor->transposed};
    return WEFT_OK;
}

/* Returns the stored matrices of a factor of `rows` rows and `columns` columns. */
static matrices factor_matrices(const matmul_call *c, const matmul_operand *f, size_t rows, size_t columns) {
    const size_t batch = f->stride == 0 ? 1 : c->batch; /* one matrix for all products */
    return (matrices){batch, f->transposed ? columns : rows, f->transposed ? rows : columns, f->ld, f->stride};
}

weft_status half_product(weft_context *ctx, const matmul_call *call, weft_error *error) {
    matmul_call c = *call;
    const matrices a = factor_matrices(call, &call->a, c.m, c.k), b = factor_matrices(call, &call->b, c.k, c.n);
    const matrices product = {c.batch, c.m, c.n, c.ldc, c.stride_c};
    const size_t of_a = elements_of(&a), of_b = elements_of(&b);
    void *scratch;
    RETURN_IF_ERROR(
        context_scratch(ctx, SCRATCH_ARRAY, (of_a + of_b + elements_of(&product)) * sizeof(float), &scratch, error));
    float *const values = scratch, *const result = values + of_a + of_b;
    RETURN_IF_ERROR(convert_factor(ctx, call->dtype, &a, &c.a, values, error));
    RETURN_IF_ERROR(convert_factor(ctx, call->dtype, &b, &c.b, values + of_a, error));
    if (c.beta != 0) RETURN_IF_ERROR(convert(ctx, &product, call->dtype, true, call->c, WEFT_F32, result, error));
    c.dtype = WEFT_F32;
    c.c = result;
    c.ldc = c.n;
    c.stride_c = c.m * c.n;
    RETURN_IF_ERROR(ctx->backend->matmul(ctx->state, &c, error));
    return convert(ctx, &product, WEFT_F32, false, result, call->dtype, call->c, error);
}
