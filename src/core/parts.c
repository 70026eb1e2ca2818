#include "core/parts.h"

#include "core/context.h"
#include "core/part.h"

weft_status weft_part_tree(weft_context *ctx, tree_kind kind, weft_dtype dtype, size_t n, const void *x,
                           double parameter, double *value) {
    switch (kind) {
    case TREE_SUM: return part_sum(ctx, WEFT_MEAN, dtype, n, x, 1, value);
    case TREE_MAGNITUDES: return part_sum(ctx, WEFT_NORM1, dtype, n, x, 1, value);
    case TREE_DEVIATIONS: return part_deviations(ctx, dtype, n, x, parameter, value);
    case TREE_RESCALED: break;
    }
    return part_sum(ctx, WEFT_NORM2, dtype, n, x, parameter, value);
}

weft_status weft_part_exact(weft_context *ctx, exact_terms terms, weft_dtype dtype, size_t n, const void *x,
                            const void *y, int64_t *state) {
    return part_exact(ctx, terms, dtype, n, x, y, state);
}

weft_status weft_part_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, uint64_t first, size_t n,
                          const weft_binding *bindings, size_t count, void *out) {
    return part_map(ctx, expr, dtype, first, n, bindings, count, out);
}

weft_status weft_part_convert(weft_context *ctx, size_t n, weft_dtype from, const void *x, weft_dtype to, void *y) {
    return part_convert(ctx, n, from, x, to, y);
}

int weft_part_device_only(const weft_context *ctx, const void *p) {
    return ctx->backend->device_only && ctx->backend->device_only(p);
}
