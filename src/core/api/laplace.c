/* weft_laplace and weft_laplace_solve: argument checks. */
#include "core/check.h"
#include "core/order.h"

#include <math.h>

/* Computes the number of points; fails if the grid cannot fit in memory. */
static weft_status count_points(size_t nx, size_t ny, size_t nz, size_t *points, weft_error *error) {
    RETURN_IF(__builtin_mul_overflow(nx, ny, points) || __builtin_mul_overflow(*points, nz, points), WEFT_INVALID,
              "a grid of %zu x %zu x %zu points does not fit in memory", nx, ny, nz);
    return WEFT_OK;
}

/* Checks the grids of a call: type, size, and addresses. */
static weft_status check_grids(weft_context *ctx, weft_dtype dtype, size_t nx, size_t ny, size_t nz, const void *u,
                               const void *v, range *from, range *to, weft_error *error) {
    type_kind kind;
    size_t points = 0;
    RETURN_IF_ERROR(check_kind(dtype, &kind, error));
    RETURN_IF(kind != KIND_FLOAT, WEFT_UNSUPPORTED, "laplace requires a grid of f32 or f64, not %s",
              weft_dtype_name(dtype));
    RETURN_IF_ERROR(count_points(nx, ny, nz, &points, error));
    RETURN_IF(points == 0, WEFT_EMPTY, "a grid of %zu x %zu x %zu has no points", nx, ny, nz);
    RETURN_IF_ERROR(check_array(ctx, "u", u, points, weft_dtype_size(dtype), from, error));
    RETURN_IF_ERROR(check_array(ctx, "v", v, points, weft_dtype_size(dtype), to, error));
    return u == v ? WEFT_OK : check_apart(to, from, error);
}

static weft_status laplace(weft_context *ctx, const laplace_call *c, weft_error *error) {
    range from, to, measure;
    RETURN_IF_ERROR(check_grids(ctx, c->dtype, c->nx, c->ny, c->nz, c->u, c->v, &from, &to, error));
    RETURN_IF_ERROR(check_array(ctx, "change", c->change, c->change ? 1 : 0, sizeof *c->change, &measure, error));
    RETURN_IF_ERROR(check_apart(&measure, &from, error));
    RETURN_IF_ERROR(check_apart(&measure, &to, error));
    return ctx->backend->laplace(ctx->state, c, error);
}

weft_status weft_laplace(weft_context *ctx, weft_dtype dtype, size_t nx, size_t ny, size_t nz, size_t sweeps,
                         const void *u, void *v, double *change) {
    const laplace_call call = {
        .dtype = dtype, .nx = nx, .ny = ny, .nz = nz, .sweeps = sweeps, .u = u, .v = v, .change = change};
    RETURN_GUARDED(ctx, laplace(ctx, &call, error));
}

/* -------------------------------------------------------------------------------- the solution */

enum { SOR_SWEEPS_OF_A_LOOK = 10 };

/* Returns 1 - cos(pi / (n - 1)), n >= 3, from its series (ORDER.md 7.5). */
static double decay_along(size_t n) {
    const double x = 3.141592653589793 / (double)(n - 1), y = x * x;
    return y * (0.5 - y * (1.0 / 24 - y * (1.0 / 720 - y * (1.0 / 40320))));
}

/* Returns the over-relaxation factor for which the slowest mode of the grid decays fastest (D. Young, 1954). */
static double best_omega(weft_laplace_method method, size_t nx, size_t ny, size_t nz) {
    if (method == WEFT_MULTIGRID) return WEFT_MULTIGRID_OMEGA;
    if (nx < 3 || ny < 3 || nz < 3) return 1;
    const double decay = ((decay_along(nx) + decay_along(ny)) + decay_along(nz)) / 3;
    return 2 / (1 + sqrt(decay * (2 - decay)));
}

/* Calls the backend repeatedly, each time for the sweeps (or the cycle) between two checks of the residual. */
static weft_status solve_in_looks(weft_context *ctx, laplace_solve_call *c, double tolerance, size_t most,
                                  size_t *done, weft_error *error) {
    const size_t step = tolerance == 0 ? most : c->method == WEFT_SOR ? SOR_SWEEPS_OF_A_LOOK : 1;
    do {
        c->sweeps = most - *done < step ? most - *done : step;
        RETURN_IF_ERROR(ctx->backend->laplace_solve(ctx->state, c, error));
        *done += c->sweeps;
        c->u = c->v;
    } while (*done < most && (tolerance == 0 || *c->residual > tolerance));
    return WEFT_OK;
}

static weft_status laplace_solve(weft_context *ctx, laplace_solve_call *c, double tolerance, size_t most,
                                 size_t *done, double *residual, weft_error *error) {
    double measured = 0;
    size_t made = 0;
    range from, to;
    RETURN_IF((unsigned)c->method > WEFT_MULTIGRID, WEFT_INVALID, "invalid method %d of weft_laplace_solve",
              (int)c->method);
    RETURN_IF(!(c->omega >= 0 && c->omega < 2), WEFT_INVALID,
              "invalid omega %g: it must be greater than 0 and less than 2, or 0 for the optimal value", c->omega);
    RETURN_IF(!(tolerance >= 0), WEFT_INVALID, "invalid tolerance %g: it must be 0 or greater", tolerance);
    RETURN_IF_ERROR(check_grids(ctx, c->dtype, c->nx, c->ny, c->nz, c->u, c->v, &from, &to, error));
    RETURN_IF_ERROR(check_host_value("done", done, error));
    RETURN_IF_ERROR(check_host_value("residual", residual, error));
    if (c->omega == 0) c->omega = best_omega(c->method, c->nx, c->ny, c->nz);
    c->residual = residual || tolerance > 0 ? &measured : NULL;
    RETURN_IF_ERROR(solve_in_looks(ctx, c, tolerance, most, &made, error));
    if (done) *done = made;
    if (residual) *residual = measured;
    return WEFT_OK;
}

weft_status weft_laplace_solve(weft_context *ctx, weft_laplace_method method, weft_dtype dtype, size_t nx, size_t ny,
                               size_t nz, double omega, double tolerance, size_t sweeps, const void *u, void *v,
                               size_t *done, double *residual) {
    laplace_solve_call call = {
        .method = method, .dtype = dtype, .nx = nx, .ny = ny, .nz = nz, .omega = omega, .u = u, .v = v};
    RETURN_GUARDED(ctx, laplace_solve(ctx, &call, tolerance, sweeps, done, residual, error));
}
