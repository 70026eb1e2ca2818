#include "core/check.h"

/* The number of points, which must be one that memory could hold. */
static weft_status count_points(size_t nx, size_t ny, size_t nz, size_t *points, weft_error *error) {
    RETURN_IF(__builtin_mul_overflow(nx, ny, points) || __builtin_mul_overflow(*points, nz, points), WEFT_INVALID,
              "a grid of %zu x %zu x %zu points does not fit in memory", nx, ny, nz);
    return WEFT_OK;
}

static weft_status laplace(weft_context *ctx, weft_dtype dtype, size_t nx, size_t ny, size_t nz, size_t sweeps,
                           const void *u, void *v, double *change, weft_error *error) {
    type_kind kind;
    size_t points = 0;
    range from, to, measure;
    FORWARD(check_kind(dtype, &kind, error));
    RETURN_IF(kind != FLOAT, WEFT_UNSUPPORTED, "laplace is defined for f32 and f64, and the grid is %s",
              weft_dtype_name(dtype));
    FORWARD(count_points(nx, ny, nz, &points, error));
    RETURN_IF(points == 0, WEFT_EMPTY, "a grid of %zu x %zu x %zu has no points", nx, ny, nz);
    FORWARD(check_array(ctx, "u", u, points, weft_dtype_size(dtype), &from, error));
    FORWARD(check_array(ctx, "v", v, points, weft_dtype_size(dtype), &to, error));
    FORWARD(check_array(ctx, "change", change, change ? 1 : 0, sizeof *change, &measure, error));
    if (u != v) FORWARD(check_apart(&to, &from, error));
    FORWARD(check_apart(&measure, &from, error));
    FORWARD(check_apart(&measure, &to, error));
    return ctx->backend->laplace(ctx->state, &(laplace_call){dtype, nx, ny, nz, sweeps, u, v, change}, error);
}

weft_status weft_laplace(weft_context *ctx, weft_dtype dtype, size_t nx, size_t ny, size_t nz, size_t sweeps,
                         const void *u, void *v, double *change) {
    GUARDED(ctx, laplace(ctx, dtype, nx, ny, nz, sweeps, u, v, change, error));
}
