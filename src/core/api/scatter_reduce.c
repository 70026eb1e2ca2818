/* weft_scatter_reduce and weft_scatter_count: check all arguments except the values of the indices, which the backend
 * checks. */
#include "core/check.h"
#include "core/half_arrays.h"

/* Returns false if the call writes nothing and reads nothing. */
static bool has_work(const scatter_reduce_call *c) {
    return (c->m && c->columns) || (c->n && c->range == WEFT_RANGE_ERROR);
}

static weft_status scatter_reduce(weft_context *ctx, scatter_reduce_call *c, weft_dtype accumulate,
                                  weft_error *error) {
    range x, index, init, out;
    size_t elements, results;
    if (c->op != WEFT_MEAN) RETURN_IF_ERROR(check_combines("scatter_reduce", c->op, error));
    RETURN_IF(c->op == WEFT_MEAN && c->init, WEFT_UNSUPPORTED, "scatter_reduce: mean cannot have init");
    c->exact = accumulate == WEFT_EXACT_SUM;
    RETURN_IF_ERROR(check_reduction_type(c->op, c->dtype, accumulate, &c->result, error));
    RETURN_IF(c->op == WEFT_MEAN && type_is_half(c->result), WEFT_UNSUPPORTED,
              "scatter_reduce: mean of %s must accumulate in f32 or f64", weft_dtype_name(c->dtype));
    RETURN_IF(__builtin_mul_overflow(c->n, c->columns, &elements) ||
                  __builtin_mul_overflow(c->m, c->columns, &results),
              WEFT_INVALID, "%zu rows and %zu results of %zu columns do not fit in memory", c->n, c->m, c->columns);
    RETURN_IF_ERROR(
        check_index_array(ctx, "scatter_reduce", c->range, c->index_dtype, c->n, c->index, &index, error));
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, elements, weft_dtype_size(c->dtype), &x, error));
    RETURN_IF_ERROR(check_array(ctx, "out", c->out, results, weft_dtype_size(c->result), &out, error));
    RETURN_IF_ERROR(
        check_array(ctx, "init", c->init, c->init ? results : 0, weft_dtype_size(c->result), &init, error));
    RETURN_IF_ERROR(check_apart(&out, &x, error));
    RETURN_IF_ERROR(check_apart(&out, &index, error));
    if (c->init != c->out) RETURN_IF_ERROR(check_apart(&out, &init, error));
    if (!has_work(c)) return WEFT_OK;
    return type_is_half(c->dtype) ? half_scatter_reduce(ctx, c, error)
                                  : ctx->backend->scatter_reduce(ctx->state, c, error);
}

static weft_status scatter_count(weft_context *ctx, const scatter_reduce_call *c, weft_error *error) {
    range index, counts;
    RETURN_IF_ERROR(
        check_index_array(ctx, "scatter_reduce", c->range, c->index_dtype, c->n, c->index, &index, error));
    RETURN_IF_ERROR(check_array(ctx, "counts", c->counts, c->m, sizeof *c->counts, &counts, error));
    RETURN_IF_ERROR(check_apart(&counts, &index, error));
    return has_work(c) ? ctx->backend->scatter_reduce(ctx->state, c, error) : WEFT_OK;
}

weft_status weft_scatter_reduce(weft_context *ctx, weft_op op, weft_range range, weft_dtype dtype,
                                weft_dtype accumulate, weft_dtype index_dtype, size_t n, size_t columns, size_t m,
                                const void *x, const void *index, const void *init, void *out) {
    scatter_reduce_call c = {.op = op,
                             .range = range,
                             .dtype = dtype,
                             .index_dtype = index_dtype,
                             .n = n,
                             .columns = columns,
                             .m = m,
                             .x = x,
                             .index = index,
                             .init = init,
                             .out = out};
    RETURN_GUARDED(ctx, scatter_reduce(ctx, &c, accumulate, error));
}

weft_status weft_scatter_count(weft_context *ctx, weft_range range, weft_dtype index_dtype, size_t n, size_t m,
                               const void *index, uint64_t *counts) {
    const scatter_reduce_call c = {.range = range,
                                   .dtype = WEFT_U64,
                                   .result = WEFT_U64,
                                   .index_dtype = index_dtype,
                                   .n = n,
                                   .columns = 1,
                                   .m = m,
                                   .index = index,
                                   .counts = counts};
    RETURN_GUARDED(ctx, scatter_count(ctx, &c, error));
}
