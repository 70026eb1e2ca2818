#include "core/half_arrays.h"

#include "core/order.h"
#include "core/part.h"
#include "core/views.h"

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

weft_status half_convert(weft_context *ctx, size_t n, weft_dtype from, const void *x, weft_dtype to, void *y,
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
    RETURN_IF_ERROR(half_convert(ctx, call->n, call->dtype, call->x, WEFT_F32, values, error));
    c.dtype = WEFT_F32;
    c.x = values;
    if (!rounds) return ctx->backend->segmented(ctx->state, &c, error);
    const float *const from = call->scan ? values : totals;
    c.result = WEFT_F32;
    c.y = call->scan ? values : totals;
    RETURN_IF_ERROR(ctx->backend->segmented(ctx->state, &c, error));
    RETURN_IF_ERROR(written_results(ctx, call, &first, &end, error));
    return half_convert(ctx, end - first, WEFT_F32, from + first, call->result, (uint16_t *)call->y + first, error);
}

/* ------------------------------------------------------------------------------ scatter_reduce */

/* The results are computed in the memory of the converted initial values. */
weft_status half_scatter_reduce(weft_context *ctx, const scatter_reduce_call *call, weft_error *error) {
    scatter_reduce_call c = *call;
    const size_t n = call->n * call->columns, results = call->m * call->columns;
    const bool rounds = type_is_half(call->result);
    float *values, *totals;
    RETURN_IF_ERROR(scratch_values(ctx, n, rounds ? results : 0, &values, &totals, error));
    RETURN_IF_ERROR(half_convert(ctx, n, call->dtype, call->x, WEFT_F32, values, error));
    c.dtype = WEFT_F32;
    c.x = values;
    if (!rounds) return ctx->backend->scatter_reduce(ctx->state, &c, error);
    if (call->init) {
        RETURN_IF_ERROR(half_convert(ctx, results, call->result, call->init, WEFT_F32, totals, error));
        c.init = totals;
    }
    c.result = WEFT_F32;
    c.out = totals;
    RETURN_IF_ERROR(ctx->backend->scatter_reduce(ctx->state, &c, error));
    return half_convert(ctx, results, WEFT_F32, totals, call->result, call->out, error);
}

/* ----------------------------------------------------------------------------------- parts */

weft_status part_convert(weft_context *ctx, size_t n, weft_dtype from, const void *x, weft_dtype to, void *y) {
    RETURN_GUARDED(ctx, half_convert(ctx, n, from, x, to, y, error));
}

/* The sum in f64 and the sum of magnitudes are reductions themselves, the sum of squares is a dot product. Squares
 * of f16 and bf16 are in the range of f64 and are never scaled. */
weft_status half_part_sum(weft_context *ctx, const part_sum_call *call, weft_error *error) {
    reduce_axes_call c = call->op == WEFT_NORM2
                             ? view_dot_of(call->dtype, WEFT_F64, call->n, call->x, call->x, call->sum)
                             : view_reduction_of(call->dtype, WEFT_F64, call->n, call->x, call->sum);
    if (call->op != WEFT_NORM2) c.op = call->op == WEFT_MEAN ? WEFT_SUM : call->op;
    return ctx->backend->reduce_axes(ctx->state, &c, error);
}

/* A part has a power of two of tiles, so its sum is a node of the tree of ORDER.md 2. If bit k of the number of
 * parts is set, nodes[k] is the sum of 2^k parts that has no partner yet. */
weft_status half_part_deviations(weft_context *ctx, const part_deviations_call *call, weft_error *error) {
    enum { PART = 256 * WEFT_TILE(sizeof(float)), LEVELS = 64 };
    part_deviations_call c = *call;
    double nodes[LEVELS], sum = 0;
    void *values;
    size_t parts = 0;
    int k;
    RETURN_IF_ERROR(context_scratch(ctx, SCRATCH_ARRAY, min_u64(c.n, PART) * sizeof(float), &values, error));
    c.dtype = WEFT_F32;
    c.x = values;
    c.sum = &sum;
    for (size_t at = 0; at < call->n; at += PART, parts++) {
        c.n = min_u64(call->n - at, PART);
        RETURN_IF_ERROR(half_convert(ctx, c.n, call->dtype, (const uint16_t *)call->x + at, WEFT_F32, values, error));
        RETURN_IF_ERROR(ctx->backend->part_deviations(ctx->state, &c, error));
        for (k = 0; parts >> k & 1; k++) sum = nodes[k] + sum;
        nodes[k] = sum;
    }
    k = __builtin_ctzll(parts);
    sum = nodes[k];
    while (++k < LEVELS && parts >> k)
        if (parts >> k & 1) sum = nodes[k] + sum;
    *call->sum = sum;
    return WEFT_OK;
}
