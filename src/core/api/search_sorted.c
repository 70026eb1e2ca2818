/* weft_search_sorted: argument checks. */
#include "core/check.h"

static weft_status search_sorted(weft_context *ctx, const search_sorted_call *c, weft_error *error) {
    range sorted, queries, positions;
    RETURN_IF_ERROR(check_type(c->dtype, error));
    const size_t size = weft_dtype_size(c->dtype);
    RETURN_IF((unsigned)c->side > WEFT_RIGHT, WEFT_INVALID, "invalid side %d", (int)c->side);
    RETURN_IF_ERROR(check_array(ctx, "sorted", c->sorted, c->n, size, &sorted, error));
    RETURN_IF_ERROR(check_array(ctx, "queries", c->queries, c->m, size, &queries, error));
    RETURN_IF_ERROR(check_array(ctx, "positions", c->positions, c->m, sizeof *c->positions, &positions, error));
    RETURN_IF_ERROR(check_apart(&positions, &sorted, error));
    RETURN_IF_ERROR(check_apart(&positions, &queries, error));
    return c->m ? ctx->backend->search_sorted(ctx->state, c, error) : WEFT_OK;
}

weft_status weft_search_sorted(weft_context *ctx, weft_side side, weft_dtype dtype, size_t n, const void *sorted,
                               size_t m, const void *queries, uint64_t *positions) {
    const search_sorted_call call = {
        .dtype = dtype, .side = side, .n = n, .sorted = sorted, .m = m, .queries = queries, .positions = positions};
    RETURN_GUARDED(ctx, search_sorted(ctx, &call, error));
}
