/* weft_scan: argument checks. */
#include "core/check.h"
#include "core/order.h"
#include "core/parts.h"

static weft_status scan(weft_context *ctx, scan_call *c, weft_dtype accumulate, weft_error *error) {
    range from, to;
    RETURN_IF_ERROR(check_array_scan_type("scan", c->op, c->dtype, accumulate, &c->result, error));
    RETURN_IF((unsigned)c->kind > WEFT_EXCLUSIVE, WEFT_INVALID, "invalid scan kind %d", (int)c->kind);
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, weft_dtype_size(c->dtype), &from, error));
    RETURN_IF_ERROR(check_array(ctx, "y", c->y, c->n, weft_dtype_size(c->result), &to, error));
    if (c->x != c->y || c->dtype != c->result) RETURN_IF_ERROR(check_apart(&to, &from, error));
    RETURN_IF_ERROR(check_host_value("init", c->init, error));
    return c->n ? ctx->backend->scan(ctx->state, c, error) : WEFT_OK;
}

weft_status weft_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype, weft_dtype accumulate,
                      size_t n, const void *x, const void *init, void *y) {
    scan_call call = {.op = op, .kind = kind, .dtype = dtype, .n = n, .x = x, .init = init, .y = y};
    RETURN_GUARDED(ctx, scan(ctx, &call, accumulate, error));
}

weft_status weft_part_scan_totals(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype result, size_t blocks,
                                  const void *x, void *totals) {
    const scan_totals_call call = {
        .op = op, .dtype = dtype, .result = result, .blocks = blocks, .x = x, .totals = totals};
    RETURN_GUARDED(ctx, ctx->backend->scan_totals(ctx->state, &call, error));
}
