#include "core/half_arrays.h"

void set_conversion(conversion *c, size_t n, weft_dtype from, const void *x, weft_dtype to, void *y) {
    c->step = (map_step){.op = MAP_COPY, .a = MAP_REGISTERS, .b = MAP_REGISTERS, .c = MAP_REGISTERS};
    c->leaf = (map_leaf){.kind = LEAF_ARRAY, .dtype = from, .p = x};
    c->map = (map_call){.dtype = WEFT_F32,
                        .result = to,
                        .n = n,
                        .steps = &c->step,
                        .step_count = 1,
                        .register_count = 1,
                        .leaf_count = 1,
                        .leaves = &c->leaf,
                        .out = y};
}

/* Converts n elements; n may be 0. */
static weft_status convert(weft_context *ctx, size_t n, weft_dtype from, const void *x, weft_dtype to, void *y,
                           weft_error *error) {
    conversion c;
    if (n == 0) return WEFT_OK;
    set_conversion(&c, n, from, x, to, y);
    return ctx->backend->map(ctx->state, &c.map, error);
}

/* Provides memory for a + b values of f32. Sets *second to that after the first a values. */
static weft_status scratch_values(weft_context *ctx, size_t a, size_t b, float **first, float **second,
                                  weft_error *error) {
    void *scratch;
    size_t values, bytes;
    RETURN_IF(__builtin_add_overflow(a, b, &values) || __builtin_mul_overflow(values, sizeof(float), &bytes),
              WEFT_OUT_OF_MEMORY, "cannot allocate scratch memory for %zu and %zu values of f32", a, b);
    RETURN_IF_ERROR(context_scratch(ctx, SCRATCH_ARRAY, bytes, &scratch, error));
    *first = scratch;
    *second = *first + a;
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ segments */

/* Sets *first and *end to the range of results that a finished call wrote. Those of a reduction by offsets are all
 * written. Those of a scan by offsets are between the first and the last offset. */
static weft_status written_results(weft_context *ctx, const segmented_call *c, size_t *first, size_t *end,
                                   weft_error *error) {
    uint64_t bounds[2] = {0, c->scan ? c->n : c->segments};
    if (c->source != SEGMENTS_BY_OFFSETS) {
        if (!c->scan) RETURN_IF_ERROR(ctx->backend->copy(ctx->state, sizeof *bounds, c->count, &bounds[1], error));
    } else if (c->scan) {
        for (size_t i = 0; i < 2; i++)
            RETURN_IF_ERROR(
                ctx->backend->copy(ctx->state, sizeof *bounds, c->offsets + i * c->segments, &bounds[i], error));
    }
    *first = (size_t)bounds[0];
    *end = (size_t)bounds[1];
    return WEFT_OK;
}

/* A scan is computed in the memory of the converted elements, results of a reduction are after them. */
weft_status half_segmented(weft_context *ctx, const segmented_call *call, weft_error *error) {
    segmented_call c = *call;
    const bool rounds = type_is_half(call->result);
    const size_t results = call->scan || !rounds ? 0 : call->source == SEGMENTS_BY_OFFSETS ? call->segments : call->n;
    float *values, *totals;
    size_t first, end;
    RETURN_IF_ERROR(scratch_values(ctx, call->n, results, &values, &totals, error));
    RETURN_IF_ERROR(convert(ctx, call->n, call->dtype, call->x, WEFT_F32, values, error));
    c.dtype = WEFT_F32;
    c.x = values;
    if (!rounds) return ctx->backend->segmented(ctx->state, &c, error);
    const float *const from = call->scan ? values : totals;
    c.result = WEFT_F32;
    c.y = call->scan ? values : totals;
    RETURN_IF_ERROR(ctx->backend->segmented(ctx->state, &c, error));
    RETURN_IF_ERROR(written_results(ctx, call, &first, &end, error));
    return convert(ctx, end - first, WEFT_F32, from + first, call->result, (uint16_t *)call->y + first, error);
}

/* ------------------------------------------------------------------------------ scatter_reduce */

/* The results are computed in the memory of the converted initial values. */
weft_status half_scatter_reduce(weft_context *ctx, const scatter_reduce_call *call, weft_error *error) {
    scatter_reduce_call c = *call;
    const size_t n = call->n * call->columns, results = call->m * call->columns;
    const bool rounds = type_is_half(call->result);
    float *values, *totals;
    RETURN_IF_ERROR(scratch_values(ctx, n, rounds ? results : 0, &values, &totals, error));
    RETURN_IF_ERROR(convert(ctx, n, call->dtype, call->x, WEFT_F32, values, error));
    c.dtype = WEFT_F32;
    c.x = values;
    if (!rounds) return ctx->backend->scatter_reduce(ctx->state, &c, error);
    if (call->init) {
        RETURN_IF_ERROR(convert(ctx, results, call->result, call->init, WEFT_F32, totals, error));
        c.init = totals;
    }
    c.result = WEFT_F32;
    c.out = totals;
    RETURN_IF_ERROR(ctx->backend->scatter_reduce(ctx->state, &c, error));
    return convert(ctx, results, WEFT_F32, totals, call->result, call->out, error);
}
