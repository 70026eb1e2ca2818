/* weft_matmul: argument checks, and conversion of every layout to row-major. */
#include "core/order.h"
#include "core/parts.h"
#include "core/products.h"

#include <string.h>

/* A matrix argument in its own rows (columns if the layout is column-major). */
typedef struct block {
    const char *name;
    const void *p;
    size_t rows, width; /* `rows` rows of `width` elements */
    size_t ld, stride, batch;
    range range; /* memory from its first to its last element */
} block;

/* Computes the number of elements from the first to the last one of `count` groups of `width` elements whose starts
 * are `step` elements apart. Returns false if it exceeds SIZE_MAX. */
static bool reach(size_t count, size_t step, size_t width, size_t *elements) {
    return !__builtin_mul_overflow(count - 1, step, elements) && !__builtin_add_overflow(*elements, width, elements);
}

static weft_status check_block(const weft_context *ctx, block *b, size_t size, weft_error *error) {
    size_t one = 0, all = 0;
    RETURN_IF(b->ld < b->width, WEFT_INVALID,
              "invalid leading dimension %zu of %s: it must be at least the row length %zu", b->ld, b->name,
              b->width);
    b->range = (range){b->name, b->p, 0};
    if (b->rows == 0 || b->width == 0) return WEFT_OK;
    RETURN_IF(!reach(b->rows, b->ld, b->width, &one) || !reach(b->batch, b->stride, one, &all), WEFT_INVALID,
              "%s: %zu matrices of %zu rows, %zu elements apart, do not fit in memory", b->name, b->batch, b->rows,
              b->ld);
    return check_array(ctx, b->name, b->p, all, size, &b->range, error);
}

/* Return true if the matrices of C's batch are consecutive, or are next to each other within rows of `ld`
 * elements. */
static bool is_stacked(const block *b) { return b->batch == 1 || b->stride >= (b->rows - 1) * b->ld + b->width; }

static bool is_side_by_side(const block *b) {
    size_t all;
    return b->stride >= b->width && reach(b->batch, b->stride, b->width, &all) && all <= b->ld;
}

/* Returns the number of columns that a batch occupies in rows of `ld` elements, starting at its first column.
 * Returns ld + 1 if the batch does not occupy such a range. */
static size_t columns_of(const block *b) {
    if (b->batch == 1 || (b->stride % b->ld == 0 && b->ld > 0)) return b->width;
    return is_side_by_side(b) ? (b->batch - 1) * b->stride + b->width : b->ld + 1;
}

/* Returns true if a and b occupy disjoint columns of rows of equal length. */
static bool have_other_columns(const block *a, const block *b, size_t size) {
    if (a->ld != b->ld) return false;
    const size_t start_a = (size_t)a->p / size % a->ld, start_b = (size_t)b->p / size % a->ld;
    const size_t distance = (start_b + a->ld - start_a) % a->ld;
    return distance >= columns_of(a) && columns_of(b) <= a->ld - distance;
}

static weft_status check_blocks_apart(const block *c, const block *x, size_t size, weft_error *error) {
    if (c->range.bytes && x->range.bytes && have_other_columns(x, c, size)) return WEFT_OK;
    return check_apart(&c->range, &x->range, error);
}

/* ------------------------------------------------------------------------------ arguments */

weft_status check_product_types(weft_dtype dtype, weft_dtype accumulate, weft_dtype *chains, weft_error *error) {
    *chains = accumulate == WEFT_EXACT_SUM ? WEFT_EXACT_SUM : WEFT_F32;
    const bool offered = accumulate == WEFT_DEFAULT || accumulate == WEFT_F32 || accumulate == WEFT_EXACT_SUM;
    if (type_is_half(dtype) && offered) return WEFT_OK;
    RETURN_IF(type_is_half(dtype), WEFT_UNSUPPORTED, "matmul of %s can accumulate only in f32 or exact",
              weft_dtype_name(dtype));
    RETURN_IF_ERROR(check_float("matmul", dtype, error));
    if (accumulate == WEFT_EXACT_SUM) return WEFT_OK;
    return check_result("matmul", WIDE, dtype, accumulate, chains, error);
}

static weft_status check_words(weft_layout layout, weft_transpose transpose_a, weft_transpose transpose_b,
                               weft_error *error) {
    RETURN_IF((unsigned)layout > WEFT_COLUMN_MAJOR, WEFT_INVALID, "invalid layout %d", (int)layout);
    RETURN_IF((unsigned)transpose_a > WEFT_TRANSPOSE, WEFT_INVALID, "invalid transpose %d of A", (int)transpose_a);
    RETURN_IF((unsigned)transpose_b > WEFT_TRANSPOSE, WEFT_INVALID, "invalid transpose %d of B", (int)transpose_b);
    return WEFT_OK;
}

weft_status read_product_scalar(const char *name, weft_dtype dtype, const void *p, double none, double *value,
                                weft_error *error) {
    float narrow;
    RETURN_IF_ERROR(check_host_value(name, p, error));
    *value = none;
    if (p && dtype == WEFT_F64) memcpy(value, p, sizeof *value);
    if (p && dtype != WEFT_F64) *value = (double)*(const float *)memcpy(&narrow, p, sizeof narrow);
    return WEFT_OK;
}

weft_status run_product(weft_context *ctx, matmul_call *call, weft_error *error) {
    if (call->alpha == 0) call->k = 0;
    if (call->k == 0 && call->beta == 1) return WEFT_OK;
    if (call->k == 0 && call->accumulate == WEFT_EXACT_SUM) call->accumulate = call->dtype; /* only beta C */
    call->part = call->accumulate == WEFT_EXACT_SUM ? call->k
                 : call->k                          ? weft_matmul_part(call->m, call->n, call->k)
                                                    : 0;
    if (type_is_half(call->dtype) && call->accumulate == WEFT_F32) return half_product(ctx, call, error);
    return ctx->backend->matmul(ctx->state, call, error);
}

static weft_status run(weft_context *ctx, matmul_call *call, block *a, block *b, block *c, weft_error *error) {
    const size_t size = weft_dtype_size(call->dtype);
    if (c->rows == 0 || c->width == 0) a->rows = b->rows = 0; /* nothing is computed, so nothing is read */
    RETURN_IF_ERROR(check_block(ctx, a, size, error));
    RETURN_IF_ERROR(check_block(ctx, b, size, error));
    RETURN_IF_ERROR(check_block(ctx, c, size, error));
    if (c->range.bytes == 0) return WEFT_OK;
    RETURN_IF(!is_stacked(c) && !is_side_by_side(c), WEFT_INVALID,
              "the matrices of C overlap: their stride is %zu elements", c->stride);
    RETURN_IF_ERROR(check_blocks_apart(c, a, size, error));
    RETURN_IF_ERROR(check_blocks_apart(c, b, size, error));
    return run_product(ctx, call, error);
}

/* Arguments of the public functions. */
typedef struct arguments {
    weft_dtype dtype, accumulate;
    weft_layout layout;
    weft_transpose transpose_a, transpose_b;
    size_t m, n, k;
    const void *alpha, *a;
    size_t lda, stride_a;
    const void *b;
    size_t ldb, stride_b;
    const void *beta;
    void *c;
    size_t ldc, stride_c, batch;
} arguments;

/* A column-major matrix is the transpose of the row-major matrix in the same memory. Therefore C' = op(B)' op(A)'
 * is computed instead. */
static weft_status matmul(weft_context *ctx, const arguments *x, weft_error *error) {
    matmul_call call = {.dtype = x->dtype, .k = x->k, .batch = x->batch, .c = x->c, .ldc = x->ldc};
    const bool rows = x->layout == WEFT_ROW_MAJOR;
    const bool ta = x->transpose_a == WEFT_TRANSPOSE, tb = x->transpose_b == WEFT_TRANSPOSE;
    RETURN_IF_ERROR(check_product_types(x->dtype, x->accumulate, &call.accumulate, error));
    RETURN_IF_ERROR(check_words(x->layout, x->transpose_a, x->transpose_b, error));
    RETURN_IF_ERROR(read_product_scalar("alpha", x->dtype, x->alpha, 1, &call.alpha, error));
    RETURN_IF_ERROR(read_product_scalar("beta", x->dtype, x->beta, 0, &call.beta, error));
    if (x->batch == 0) return WEFT_OK;
    block a = {"A", x->a, ta == rows ? x->k : x->m, ta == rows ? x->m : x->k, x->lda, x->stride_a, x->batch, {0}};
    block b = {"B", x->b, tb == rows ? x->n : x->k, tb == rows ? x->k : x->n, x->ldb, x->stride_b, x->batch, {0}};
    block c = {"C", x->c, rows ? x->m : x->n, rows ? x->n : x->m, x->ldc, x->stride_c, x->batch, {0}};
    const matmul_operand left = {x->a, x->lda, x->stride_a, ta}, right = {x->b, x->ldb, x->stride_b, tb};
    call.m = rows ? x->m : x->n;
    call.n = rows ? x->n : x->m;
    call.a = rows ? left : right;
    call.b = rows ? right : left;
    call.stride_c = x->stride_c;
    return run(ctx, &call, &a, &b, &c, error);
}

weft_status weft_matmul_batched(weft_context *ctx, weft_layout layout, weft_transpose transpose_a,
                                weft_transpose transpose_b, weft_dtype dtype, weft_dtype accumulate, size_t m,
                                size_t n, size_t k, const void *alpha, const void *a, size_t lda, size_t stride_a,
                                const void *b, size_t ldb, size_t stride_b, const void *beta, void *c, size_t ldc,
                                size_t stride_c, size_t batch) {
    const arguments x = {.dtype = dtype,
                         .accumulate = accumulate,
                         .layout = layout,
                         .transpose_a = transpose_a,
                         .transpose_b = transpose_b,
                         .m = m,
                         .n = n,
                         .k = k,
                         .alpha = alpha,
                         .a = a,
                         .lda = lda,
                         .stride_a = stride_a,
                         .b = b,
                         .ldb = ldb,
                         .stride_b = stride_b,
                         .beta = beta,
                         .c = c,
                         .ldc = ldc,
                         .stride_c = stride_c,
                         .batch = batch};
    RETURN_GUARDED(ctx, matmul(ctx, &x, error));
}

weft_status weft_matmul(weft_context *ctx, weft_layout layout, weft_transpose transpose_a, weft_transpose transpose_b,
                        weft_dtype dtype, weft_dtype accumulate, size_t m, size_t n, size_t k, const void *alpha,
                        const void *a, size_t lda, const void *b, size_t ldb, const void *beta, void *c, size_t ldc) {
    return weft_matmul_batched(ctx, layout, transpose_a, transpose_b, dtype, accumulate, m, n, k, alpha, a, lda, 0, b,
                               ldb, 0, beta, c, ldc, 0, 1);
}

weft_status weft_part_matmul(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t part, size_t m,
                             size_t n, size_t k, double alpha, const void *a, size_t lda, const void *b, double beta,
                             void *c, const matmul_step *step) {
    const matmul_call product = {.dtype = dtype,
                                 .accumulate = accumulate,
                                 .m = m,
                                 .n = n,
                                 .k = k,
                                 .batch = 1,
                                 .alpha = alpha,
                                 .beta = beta,
                                 .a = {a, lda, 0, false},
                                 .b = {b, n, 0, false},
                                 .c = c,
                                 .ldc = n,
                                 .part = part};
    matmul_stage_call stage = {.product = product};
    if (step) stage.step = *step;
    RETURN_GUARDED(ctx, step ? ctx->backend->matmul_stage(ctx->state, &stage, error)
                             : ctx->backend->matmul(ctx->state, &product, error));
}
