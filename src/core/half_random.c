/* Random samples of f16 and bf16 (ORDER.md 19.2): samples of f32 in scratch memory, rounded. */
#include "core/half_random.h"
#include "arith/halves.h"

/* Most bytes of samples of f32 that are in scratch memory at a time. On a CPU they should stay in its caches. */
static const size_t HOST_BYTES = (size_t)1 << 21, DEVICE_BYTES = (size_t)1 << 27;

/* ------------------------------------------------------------------------------------- values */

static uint16_t round_half(weft_dtype dtype, float v) {
    return dtype == WEFT_F16 ? weft_round_f16(v) : weft_round_bf16(v);
}

static float value_of_half(weft_dtype dtype, uint16_t bits) {
    return dtype == WEFT_F16 ? weft_from_bits_f16(bits) : weft_from_bits_bf16(bits);
}

double rounded_parameter(weft_dtype dtype, double v) {
    if (dtype == WEFT_F64) return v;
    return (double)(type_is_half(dtype) ? value_of_half(dtype, round_half(dtype, (float)v)) : (float)v);
}

/* Returns the greatest value of f16 or bf16 that is less than b, a finite value of this type. */
static float greatest_below(weft_dtype dtype, float b) {
    const uint16_t bits = round_half(dtype, b), sign = 0x8000, magnitude = bits & 0x7fff;
    const unsigned below = magnitude == 0 ? sign + 1U : bits & sign ? bits + 1U : bits - 1U;
    return value_of_half(dtype, (uint16_t)below);
}

/* --------------------------------------------------------------------------------------- parts */

/* Computes c->n samples of a part. A sample of a uniform distribution that would be rounded to b becomes the greatest
 * value below b. */
static weft_status sample_part(weft_context *ctx, const random_call *c, float *scratch, weft_error *error) {
    random_call single = *c;
    const bool limited = c->distribution == WEFT_UNIFORM;
    const map_step step = {
        .op = limited ? MAP_MIN : MAP_COPY, .a = MAP_REGISTERS, .b = MAP_REGISTERS + limited, .c = MAP_REGISTERS};
    const map_leaf leaves[] = {{.kind = LEAF_ARRAY, .dtype = WEFT_F32, .p = scratch},
                               {.kind = LEAF_VALUE, .value.f32 = greatest_below(c->dtype, (float)c->b)}};
    const map_call round = {.dtype = WEFT_F32,
                            .result = c->dtype,
                            .n = c->n,
                            .steps = &step,
                            .step_count = 1,
                            .register_count = 1,
                            .leaf_count = 1 + limited,
                            .leaves = leaves,
                            .out = c->out};
    single.dtype = WEFT_F32;
    single.out = scratch;
    RETURN_IF_ERROR(ctx->backend->random(ctx->state, &single, error));
    return ctx->backend->map(ctx->state, &round, error);
}

weft_status half_samples(weft_context *ctx, const random_call *call, weft_error *error) {
    weft_watch *const watch = context_watch();
    const size_t most = (ctx->backend->device_only ? DEVICE_BYTES : HOST_BYTES) / sizeof(float);
    void *scratch;
    RETURN_IF_ERROR(
        context_scratch(ctx, SCRATCH_ARRAY, (size_t)min_u64(call->n, most) * sizeof(float), &scratch, error));
    if (call->n <= most) return sample_part(ctx, call, scratch, error);
    progress_plan(watch, (size_t)ceil_div(call->n, most));
    for (size_t at = 0; at < call->n; at += most) {
        random_call part = *call;
        part.first += at;
        part.n = (size_t)min_u64(most, call->n - at);
        part.out = (uint16_t *)call->out + at;
        RETURN_IF_ERROR(progress_begin(watch, error));
        RETURN_IF_ERROR(progress_end(watch, sample_part(ctx, &part, scratch, error), error));
        progress_advance(watch, 1);
    }
    return WEFT_OK;
}
