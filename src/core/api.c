/* Public functions. They check the arguments and call the backend, which does not check them again. Families of
 * operations are in api_<stem>.c. */
#include "core/check.h"
#include "core/part.h"

/* ---------------------------------------------------------------------------------- memory */

static weft_status alloc_memory(weft_context *ctx, weft_memory memory, size_t bytes, void **p, weft_error *error) {
    RETURN_IF(!p, WEFT_INVALID, "p is NULL");
    *p = NULL;
    RETURN_IF((unsigned)memory > WEFT_PINNED, WEFT_INVALID, "invalid memory kind %d", (int)memory);
    return bytes ? ctx->backend->alloc(ctx->state, memory, bytes, p, error) : WEFT_OK;
}

weft_status weft_alloc(weft_context *ctx, weft_memory memory, size_t bytes, void **p) {
    GUARDED_SETUP(ctx, alloc_memory(ctx, memory, bytes, p, error));
}

static weft_status free_memory(weft_context *ctx, weft_memory memory, void *p, weft_error *error) {
    RETURN_IF((unsigned)memory > WEFT_PINNED, WEFT_INVALID, "invalid memory kind %d", (int)memory);
    return p ? ctx->backend->free(ctx->state, memory, p, error) : WEFT_OK;
}

weft_status weft_free(weft_context *ctx, weft_memory memory, void *p) {
    GUARDED_SETUP(ctx, free_memory(ctx, memory, p, error));
}

static weft_status copy_memory(weft_context *ctx, size_t bytes, const void *src, void *dst, weft_error *error) {
    range from, to;
    FORWARD(check_array(ctx, "src", src, bytes, 1, &from, error));
    FORWARD(check_array(ctx, "dst", dst, bytes, 1, &to, error));
    FORWARD(check_apart(&from, &to, error));
    return bytes ? ctx->backend->copy(ctx->state, bytes, src, dst, error) : WEFT_OK;
}

weft_status weft_copy(weft_context *ctx, size_t bytes, const void *src, void *dst) {
    GUARDED(ctx, copy_memory(ctx, bytes, src, dst, error));
}

/* ----------------------------------------------------------------------------- result types */

weft_status weft_reduce_result(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result) {
    weft_error *error = context_thread_error();
    RETURN_IF(!result, WEFT_INVALID, "result is NULL");
    return check_reduce_type(op, dtype, accumulate, result, error);
}

/* ------------------------------------------------------------------------------- operations */

static weft_status reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                          const void *x, void *out, weft_error *error) {
    weft_dtype result;
    range from, to;
    FORWARD(check_reduce_type(op, dtype, accumulate, &result, error));
    RETURN_IF(n == 0 && check_needs_elements(op), WEFT_EMPTY, "%s of 0 elements is undefined", weft_op_name(op));
    FORWARD(check_array(ctx, "x", x, n, weft_dtype_size(dtype), &from, error));
    FORWARD(check_array(ctx, "out", out, 1, weft_dtype_size(result), &to, error));
    FORWARD(check_apart(&to, &from, error));
    return ctx->backend->reduce(ctx->state, &(reduce_call){op, dtype, result, n, x, out, NULL, NULL}, error);
}

weft_status weft_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                        const void *x, void *out) {
    GUARDED(ctx, reduce(ctx, op, dtype, accumulate, n, x, out, error));
}

static weft_status variance(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, size_t ddof,
                            const void *x, void *out, weft_error *error) {
    weft_dtype result;
    range from, to;
    FORWARD(check_result("variance", REAL, dtype, accumulate, &result, error));
    RETURN_IF(ddof >= n, WEFT_EMPTY,
              "variance of %zu elements is undefined with ddof %zu: ddof must be less than the number of elements", n,
              ddof);
    FORWARD(check_array(ctx, "x", x, n, weft_dtype_size(dtype), &from, error));
    FORWARD(check_array(ctx, "out", out, 1, weft_dtype_size(result), &to, error));
    FORWARD(check_apart(&to, &from, error));
    return ctx->backend->variance(ctx->state, &(variance_call){dtype, result, n, ddof, x, out, NULL}, error);
}

weft_status weft_variance(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, size_t ddof,
                          const void *x, void *out) {
    GUARDED(ctx, variance(ctx, dtype, accumulate, n, ddof, x, out, error));
}

static weft_status dot(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, const void *x,
                       const void *y, void *out, weft_error *error) {
    weft_dtype result;
    range from_x, from_y, to;
    FORWARD(check_result("dot", WIDE, dtype, accumulate, &result, error));
    FORWARD(check_array(ctx, "x", x, n, weft_dtype_size(dtype), &from_x, error));
    FORWARD(check_array(ctx, "y", y, n, weft_dtype_size(dtype), &from_y, error));
    FORWARD(check_array(ctx, "out", out, 1, weft_dtype_size(result), &to, error));
    FORWARD(check_apart(&to, &from_x, error));
    FORWARD(check_apart(&to, &from_y, error));
    return ctx->backend->dot(ctx->state, &(dot_call){dtype, result, n, x, y, out}, error);
}

weft_status weft_dot(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, const void *x,
                     const void *y, void *out) {
    GUARDED(ctx, dot(ctx, dtype, accumulate, n, x, y, out, error));
}

static weft_status scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype, weft_dtype accumulate,
                        size_t n, const void *x, const void *init, void *y, weft_error *error) {
    weft_dtype result;
    range from, to;
    FORWARD(check_scan_type("scan", op, dtype, accumulate, &result, error));
    RETURN_IF((unsigned)kind > WEFT_EXCLUSIVE, WEFT_INVALID, "invalid scan kind %d", (int)kind);
    FORWARD(check_array(ctx, "x", x, n, weft_dtype_size(dtype), &from, error));
    FORWARD(check_array(ctx, "y", y, n, weft_dtype_size(result), &to, error));
    if (x != y || dtype != result) FORWARD(check_apart(&to, &from, error));
    FORWARD(check_host_value("init", init, error));
    if (n == 0) return WEFT_OK;
    return ctx->backend->scan(ctx->state, &(scan_call){op, kind, dtype, result, n, x, init, y, NULL, false}, error);
}

weft_status weft_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype, weft_dtype accumulate,
                      size_t n, const void *x, const void *init, void *y) {
    GUARDED(ctx, scan(ctx, op, kind, dtype, accumulate, n, x, init, y, error));
}

/* ----------------------------------------------------------------------- parts of an array */

weft_status part_sum(weft_context *ctx, weft_op op, weft_dtype dtype, size_t n, const void *x, const double *part,
                     double *sum) {
    const reduce_call call = {.op = op, .dtype = dtype, .result = WEFT_F64, .n = n, .x = x, .out = sum, .part = part};
    GUARDED(ctx, ctx->backend->reduce(ctx->state, &call, error));
}

weft_status part_deviations(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, double mean, double *sum) {
    const variance_call call = {.dtype = dtype, .result = WEFT_F64, .n = n, .x = x, .out = sum, .mean = &mean};
    GUARDED(ctx, ctx->backend->variance(ctx->state, &call, error));
}
