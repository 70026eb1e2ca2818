/* Memory, copies and result types. The functions of an operation are in api_<stem>.c. They check the arguments and
 * call the backend, which does not check them again. */
#include "core/check.h"

/* ---------------------------------------------------------------------------------- memory */

static weft_status alloc_memory(weft_context *ctx, weft_memory memory, size_t bytes, void **p, weft_error *error) {
    RETURN_IF(!p, WEFT_INVALID, "p is NULL");
    *p = NULL;
    RETURN_IF((unsigned)memory > WEFT_PINNED, WEFT_INVALID, "invalid memory kind %d", (int)memory);
    if (bytes == 0) return WEFT_OK;
    RETURN_IF_ERROR(ctx->backend->alloc(ctx->state, memory, bytes, p, error));
    heap_lend(&ctx->heap, *p);
    return WEFT_OK;
}

weft_status weft_alloc(weft_context *ctx, weft_memory memory, size_t bytes, void **p) {
    RETURN_GUARDED_SETUP(ctx, alloc_memory(ctx, memory, bytes, p, error));
}

static weft_status free_memory(weft_context *ctx, weft_memory memory, void *p, weft_error *error) {
    RETURN_IF((unsigned)memory > WEFT_PINNED, WEFT_INVALID, "invalid memory kind %d", (int)memory);
    return p ? ctx->backend->free(ctx->state, memory, p, error) : WEFT_OK;
}

weft_status weft_free(weft_context *ctx, weft_memory memory, void *p) {
    RETURN_GUARDED_SETUP(ctx, free_memory(ctx, memory, p, error));
}

static weft_status copy_memory(weft_context *ctx, size_t bytes, const void *src, void *dst, weft_error *error) {
    range from, to;
    RETURN_IF_ERROR(check_array(ctx, "src", src, bytes, 1, &from, error));
    RETURN_IF_ERROR(check_array(ctx, "dst", dst, bytes, 1, &to, error));
    RETURN_IF_ERROR(check_apart(&from, &to, error));
    return bytes ? ctx->backend->copy(ctx->state, bytes, src, dst, error) : WEFT_OK;
}

weft_status weft_copy(weft_context *ctx, size_t bytes, const void *src, void *dst) {
    RETURN_GUARDED(ctx, copy_memory(ctx, bytes, src, dst, error));
}

/* ----------------------------------------------------------------------------- result types */

weft_status weft_reduce_result(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result) {
    weft_error *error = context_thread_error();
    RETURN_IF(!result, WEFT_INVALID, "result is NULL");
    return check_reduction_type(op, dtype, accumulate, result, error);
}
