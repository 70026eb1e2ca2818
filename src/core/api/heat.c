/* weft_heat: argument checks. */
#include "core/check.h"

/* Reads the shape and computes the number of points in all grids. */
static weft_status read_shape(const size_t *shape, heat_call *c, size_t *points, weft_error *error) {
    *points = c->batch;
    RETURN_IF(c->dimensions < 1 || c->dimensions > WEFT_AXES_MAX, WEFT_INVALID,
              "invalid number of dimensions %zu: expected 1 to %d", c->dimensions, WEFT_AXES_MAX);
    RETURN_IF(!shape, WEFT_INVALID, "shape is NULL");
    RETURN_IF_ERROR(check_host_value("shape", shape, error));
    for (size_t i = 0; i < WEFT_AXES_MAX; i++) {
        c->n[i] = i < c->dimensions ? shape[i] : 1;
        if (c->n[i] == 0 || c->batch == 0) *points = 0;
    }
    if (*points == 0) return WEFT_OK;
    for (size_t i = 0; i < WEFT_AXES_MAX; i++)
        RETURN_IF(__builtin_mul_overflow(*points, c->n[i], points), WEFT_INVALID,
                  "%zu grids of %zu x %zu x %zu points do not fit in memory", c->batch, c->n[0], c->n[1], c->n[2]);
    return WEFT_OK;
}

static weft_status read_lambda(const double *lambda, heat_call *c, weft_error *error) {
    RETURN_IF(!lambda, WEFT_INVALID, "lambda is NULL");
    RETURN_IF_ERROR(check_host_value("lambda", lambda, error));
    for (size_t i = 0; i < c->dimensions; i++) {
        c->lambda[i] = c->dtype == WEFT_F32 ? (double)(float)lambda[i] : lambda[i];
        RETURN_IF(!(c->lambda[i] >= WEFT_HEAT_LAMBDA_LEAST && c->lambda[i] <= WEFT_HEAT_LAMBDA_GREATEST),
                  WEFT_INVALID, "invalid lambda %g of axis %zu: expected 2^-60 to 2^60", lambda[i], i);
    }
    return WEFT_OK;
}

static weft_status heat(weft_context *ctx, heat_call *c, const size_t *shape, const double *lambda,
                        weft_error *error) {
    type_kind kind;
    size_t points;
    range from, to;
    RETURN_IF_ERROR(check_kind(c->dtype, &kind, error));
    RETURN_IF(kind != KIND_FLOAT, WEFT_UNSUPPORTED, "heat requires grids of f32 or f64, not %s",
              weft_dtype_name(c->dtype));
    RETURN_IF((unsigned)c->method > WEFT_CRANK_NICOLSON, WEFT_INVALID, "invalid method %d of weft_heat",
              (int)c->method);
    RETURN_IF_ERROR(read_shape(shape, c, &points, error));
    RETURN_IF_ERROR(read_lambda(lambda, c, error));
    RETURN_IF_ERROR(check_array(ctx, "u", c->u, points, weft_dtype_size(c->dtype), &from, error));
    RETURN_IF_ERROR(check_array(ctx, "v", c->v, points, weft_dtype_size(c->dtype), &to, error));
    if (c->u != c->v) RETURN_IF_ERROR(check_apart(&to, &from, error));
    return points ? ctx->backend->heat(ctx->state, c, error) : WEFT_OK;
}

weft_status weft_heat(weft_context *ctx, weft_heat_method method, weft_dtype dtype, size_t dimensions,
                      const size_t *shape, size_t batch, const double *lambda, size_t steps, const void *u, void *v) {
    heat_call call = {
        .dtype = dtype, .method = method, .dimensions = dimensions, .batch = batch, .steps = steps, .u = u, .v = v};
    RETURN_GUARDED(ctx, heat(ctx, &call, shape, lambda, error));
}
