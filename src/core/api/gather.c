/* weft_gather and weft_scatter: check all arguments except the values of the indices, which the backend checks. */
#include "core/check.h"

static weft_status gather(weft_context *ctx, gather_call *c, weft_dtype dtype, size_t columns, weft_error *error) {
    range x, index, out;
    size_t moved, indexed;
    RETURN_IF_ERROR(check_type(dtype, error));
    RETURN_IF(__builtin_mul_overflow(c->n, columns, &moved) || __builtin_mul_overflow(c->m, columns, &indexed),
              WEFT_INVALID, "%zu and %zu rows of %zu columns do not fit in memory", c->n, c->m, columns);
    const size_t size = weft_dtype_size(dtype), x_count = c->scatter ? moved : indexed;
    RETURN_IF_ERROR(check_index_array(ctx, c->scatter ? "scatter" : "gather", c->range, c->index_dtype, c->n,
                                      c->index, &index, error));
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, x_count, size, &x, error));
    RETURN_IF_ERROR(check_array(ctx, "out", c->out, c->scatter ? indexed : moved, size, &out, error));
    RETURN_IF_ERROR(check_apart(&out, &x, error));
    RETURN_IF_ERROR(check_apart(&out, &index, error));
    if (c->n == 0) return WEFT_OK;
    RETURN_IF(__builtin_mul_overflow(columns, size, &c->row_bytes), WEFT_INVALID,
              "%zu columns of %zu bytes do not fit in memory", columns, size);
    return ctx->backend->gather(ctx->state, c, error);
}

weft_status weft_gather(weft_context *ctx, weft_range range, weft_dtype dtype, weft_dtype index_dtype, size_t n,
                        size_t columns, size_t m, const void *x, const void *index, void *out) {
    gather_call c = {.range = range, .index_dtype = index_dtype, .n = n, .m = m, .x = x, .index = index, .out = out};
    RETURN_GUARDED(ctx, gather(ctx, &c, dtype, columns, error));
}

weft_status weft_scatter(weft_context *ctx, weft_range range, weft_dtype dtype, weft_dtype index_dtype, size_t n,
                         size_t columns, size_t m, const void *x, const void *index, void *out) {
    gather_call c = {.scatter = true,
                     .range = range,
                     .index_dtype = index_dtype,
                     .n = n,
                     .m = m,
                     .x = x,
                     .index = index,
                     .out = out};
    RETURN_GUARDED(ctx, gather(ctx, &c, dtype, columns, error));
}
