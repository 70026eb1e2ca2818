/* weft_tridiag and weft_tridiag_pivot: argument checks. */
#include "core/check.h"
#include "core/parts.h"

enum { COEFFICIENTS = 3, LINES = 5 };

static weft_status check_tridiag(const weft_context *ctx, const tridiag_call *c, weft_error *error) {
    static const char *const names[LINES] = {"a", "b", "c", "d", "x"};
    const weft_lines lines[LINES] = {c->a, c->b, c->c, c->d, {c->x, c->d.step, c->d.line}};
    range ranges[LINES], singular;
    for (int i = 0; i < LINES; i++)
        RETURN_IF_ERROR(
            check_lines(ctx, names[i], lines[i], c->systems, c->n, 1, weft_dtype_size(c->dtype), &ranges[i], error));
    for (int i = 0; i < COEFFICIENTS && c->systems && c->n; i++)
        if (lines[i].step == 0 && lines[i].line == 0) RETURN_IF_ERROR(check_host_value(names[i], lines[i].p, error));
    if (c->systems && c->n) RETURN_IF_ERROR(check_distinct(c->d, c->systems, c->n, error));
    RETURN_IF_ERROR(check_array(ctx, "singular", c->singular, 1, sizeof *c->singular, &singular, error));
    for (int i = 0; i < LINES; i++) {
        RETURN_IF_ERROR(check_apart(&singular, &ranges[i], error));
        const bool in_place = lines[i].p == c->x && i >= COEFFICIENTS;
        if (!in_place) RETURN_IF_ERROR(check_apart(&ranges[LINES - 1], &ranges[i], error));
    }
    return WEFT_OK;
}

typedef weft_status backend_function(void *state, const tridiag_call *c, weft_error *error);

static weft_status solve(weft_context *ctx, const char *name, backend_function *run, const tridiag_call *c,
                         weft_boundary boundary, weft_error *error) {
    RETURN_IF_ERROR(check_float(name, c->dtype, error));
    RETURN_IF((unsigned)boundary > WEFT_PERIODIC, WEFT_INVALID, "invalid boundary %d", (int)boundary);
    RETURN_IF_ERROR(check_tridiag(ctx, c, error));
    return run(ctx->state, c, error);
}

static tridiag_call call_of(weft_boundary boundary, weft_dtype dtype, size_t systems, size_t n, weft_lines a,
                            weft_lines b, weft_lines c, weft_lines d, void *x, uint64_t *singular) {
    return (tridiag_call){.dtype = dtype,
                          .periodic = boundary == WEFT_PERIODIC,
                          .systems = systems,
                          .n = n,
                          .a = a,
                          .b = b,
                          .c = c,
                          .d = d,
                          .x = x,
                          .singular = singular};
}

weft_status weft_tridiag(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t systems, size_t n,
                         weft_lines a, weft_lines b, weft_lines c, weft_lines d, void *x, uint64_t *singular) {
    const tridiag_call call = call_of(boundary, dtype, systems, n, a, b, c, d, x, singular);
    RETURN_GUARDED(ctx, solve(ctx, "tridiag", ctx->backend->tridiag, &call, boundary, error));
}

weft_status weft_tridiag_pivot(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t systems, size_t n,
                               weft_lines a, weft_lines b, weft_lines c, weft_lines d, void *x, uint64_t *singular) {
    const tridiag_call call = call_of(boundary, dtype, systems, n, a, b, c, d, x, singular);
    RETURN_GUARDED(ctx, solve(ctx, "tridiag_pivot", ctx->backend->tridiag_pivot, &call, boundary, error));
}

weft_status weft_part_tridiag(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t n, weft_lines a,
                              weft_lines b, weft_lines c, weft_lines d, void *x, const tridiag_part *part) {
    const tridiag_call rows = call_of(boundary, dtype, 1, n, a, b, c, d, x, NULL);
    const tridiag_stage_call call = {rows, *part};
    RETURN_GUARDED(ctx, ctx->backend->tridiag_stage(ctx->state, &call, error));
}
