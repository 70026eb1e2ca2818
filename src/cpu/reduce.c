/* weft_reduce, weft_variance and weft_dot: choice of the kernel, combination of its partial values, and the last
 * step. */
#include "arith/finish.h"
#include "core/types.h"
#include "cpu/runtime/parallel.h"

#include <math.h>

/* ------------------------------------------------------------------------------- combining */

static void add_f32(partial *a, const partial *b) { a->f32 = a->f32 + b->f32; }
void cpu_add_f64(partial *a, const partial *b) { a->f64 = a->f64 + b->f64; }
static void add_u64(partial *a, const partial *b) { a->u64 += b->u64; }
static void multiply_f32(partial *a, const partial *b) { a->f32 = a->f32 * b->f32; }
static void multiply_f64(partial *a, const partial *b) { a->f64 = a->f64 * b->f64; }
static void multiply_u64(partial *a, const partial *b) { a->u64 *= b->u64; }
static void combine_and(partial *a, const partial *b) { a->u64 &= b->u64; }
static void combine_or(partial *a, const partial *b) { a->u64 |= b->u64; }
static void combine_xor(partial *a, const partial *b) { a->u64 ^= b->u64; }

/* On equal keys the earlier element wins, which has the lower index. */
static void keep_lower(partial *a, const partial *b) {
    if (b->u64 < a->u64) *a = *b;
}
static void keep_higher(partial *a, const partial *b) {
    if (b->u64 > a->u64) *a = *b;
}

/* ------------------------------------------------------------------------------- storing */

static void store_real(weft_dtype dtype, double v, void *out) {
    if (dtype == WEFT_F32)
        *(float *)out = weft_canonical_f32((float)v);
    else
        *(double *)out = weft_canonical_f64(v);
}

static void store_integer(weft_dtype dtype, uint64_t v, void *out) {
    switch (weft_dtype_size(dtype)) {
    case 1: *(uint8_t *)out = (uint8_t)v; break;
    case 2: *(uint16_t *)out = (uint16_t)v; break;
    case 4: *(uint32_t *)out = (uint32_t)v; break;
    default: *(uint64_t *)out = v; break;
    }
}

/* Stores the element with this key (cpu/kernels/bodies/extremes_body.h). */
static void store_key(weft_dtype dtype, uint64_t key, void *out) {
    if (dtype == WEFT_F32)
        *(float *)out = weft_from_key_f32((uint32_t)key);
    else if (dtype == WEFT_F64)
        *(double *)out = weft_from_key_f64(key);
    else
        store_integer(dtype, key ^ (uint64_t)type_is_signed(dtype) << 63, out);
}

/* ----------------------------------------------------------------------------- operators */

/* Runs a kernel over the elements of the call, of which there must be at least one. */
static partial total(cpu_context *ctx, const reduce_call *c, kernel *run, combiner *combine, double parameter) {
    partial v;
    cpu_run(ctx, c->dtype, run, combine, &(reduce_chunk){.x = c->x, .n = c->n, .parameter = parameter, .map = c->map},
            &v);
    return v;
}

static void reduce_sum(cpu_context *ctx, const reduce_call *c) {
    const level *l = ctx->level;
    if (c->n == 0)
        store_integer(c->result, 0, c->out); /* also the bits of +0.0 */
    else if (!type_is_float(c->dtype))
        store_integer(c->result, total(ctx, c, l->integers->sum[c->dtype], add_u64, 0).u64, c->out);
    else if (c->result == WEFT_F32)
        store_real(c->result, total(ctx, c, l->sums->sum_f32, add_f32, 0).f32, c->out);
    else
        store_real(c->result, total(ctx, c, l->sums->sum_f64[c->dtype], cpu_add_f64, 0).f64, c->out);
}

static void reduce_prod(cpu_context *ctx, const reduce_call *c) {
    const level *l = ctx->level;
    if (!type_is_float(c->dtype))
        store_integer(c->result, c->n ? total(ctx, c, l->integers->prod[c->dtype], multiply_u64, 0).u64 : 1, c->out);
    else if (c->n == 0)
        store_real(c->result, 1, c->out);
    else if (c->result == WEFT_F32)
        store_real(c->result, total(ctx, c, l->sums->prod_f32, multiply_f32, 0).f32, c->out);
    else
        store_real(c->result, total(ctx, c, l->sums->prod_f64[c->dtype], multiply_f64, 0).f64, c->out);
}

static void reduce_min(cpu_context *ctx, const reduce_call *c) {
    store_key(c->dtype, total(ctx, c, ctx->level->extremes->lowest[c->dtype], keep_lower, 0).u64, c->out);
}

static void reduce_max(cpu_context *ctx, const reduce_call *c) {
    store_key(c->dtype, total(ctx, c, ctx->level->extremes->highest[c->dtype], keep_higher, 0).u64, c->out);
}

static void locate(cpu_context *ctx, const reduce_call *c, kernel *run, combiner *combine) {
    partial v;
    cpu_run(ctx, c->dtype, run, combine, &(reduce_chunk){.x = c->x, .n = c->n, .locate = true, .map = c->map}, &v);
    store_integer(c->result, v.index, c->out);
}

static void reduce_argmin(cpu_context *ctx, const reduce_call *c) {
    locate(ctx, c, ctx->level->extremes->lowest[c->dtype], keep_lower);
}

static void reduce_argmax(cpu_context *ctx, const reduce_call *c) {
    locate(ctx, c, ctx->level->extremes->highest[c->dtype], keep_higher);
}

/* Reduces the array as bytes: the kernel combines 64-bit words, and the elements within the resulting word are
 * combined here, down to one element in the lowest bits. */
static void reduce_bits(cpu_context *ctx, const reduce_call *c, kernel *run, combiner *combine, uint64_t identity) {
    const size_t size = weft_dtype_size(c->dtype);
    partial bits = {.u64 = identity};
    if (c->n) cpu_run(ctx, WEFT_U8, run, combine, &(reduce_chunk){.x = c->x, .n = c->n * size, .map = c->map}, &bits);
    for (size_t half = 4; half >= size; half /= 2) {
        const partial upper = {.u64 = bits.u64 >> (8 * half)};
        combine(&bits, &upper);
    }
    store_integer(c->result, bits.u64, c->out);
}

static void reduce_and(cpu_context *ctx, const reduce_call *c) {
    reduce_bits(ctx, c, ctx->level->integers->bits_and, combine_and, UINT64_MAX);
}

static void reduce_or(cpu_context *ctx, const reduce_call *c) {
    reduce_bits(ctx, c, ctx->level->integers->bits_or, combine_or, 0);
}

static void reduce_xor(cpu_context *ctx, const reduce_call *c) {
    reduce_bits(ctx, c, ctx->level->integers->bits_xor, combine_xor, 0);
}

static uint64_t nonzeros(cpu_context *ctx, const reduce_call *c) {
    return c->n ? total(ctx, c, ctx->level->integers->nonzeros[c->dtype], add_u64, 0).u64 : 0;
}

static void reduce_any(cpu_context *ctx, const reduce_call *c) {
    store_integer(c->result, nonzeros(ctx, c) > 0, c->out);
}

static void reduce_all(cpu_context *ctx, const reduce_call *c) {
    store_integer(c->result, nonzeros(ctx, c) == c->n, c->out);
}

static void reduce_count_nonzero(cpu_context *ctx, const reduce_call *c) {
    store_integer(c->result, nonzeros(ctx, c), c->out);
}

static void reduce_mean(cpu_context *ctx, const reduce_call *c) {
    const double sum = total(ctx, c, ctx->level->sums->sum_f64[c->dtype], cpu_add_f64, 0).f64;
    store_real(c->result, weft_finish_mean(sum, c->n), c->out);
}

static void reduce_norm1(cpu_context *ctx, const reduce_call *c) {
    kernel *run = ctx->level->sums->magnitudes_f64[c->dtype];
    store_real(c->result, c->n ? total(ctx, c, run, cpu_add_f64, 0).f64 : 0, c->out);
}

static void reduce_norm2(cpu_context *ctx, const reduce_call *c) {
    kernel *run = ctx->level->products->squares_f64[c->dtype];
    double squares = c->n ? total(ctx, c, run, cpu_add_f64, 1).f64 : 0;
    const double scale = c->n ? weft_norm2_scale(squares) : 1;
    if (scale != 1) squares = total(ctx, c, run, cpu_add_f64, scale).f64;
    store_real(c->result, weft_finish_norm2(sqrt(squares), scale), c->out);
}

static void reduce_norminf(cpu_context *ctx, const reduce_call *c) {
    const uint64_t key = c->n ? total(ctx, c, ctx->level->extremes->magnitude[c->dtype], keep_higher, 0).u64 : 0;
    const double largest = c->dtype == WEFT_F32   ? weft_from_bits_f32((uint32_t)key)
                           : c->dtype == WEFT_F64 ? weft_from_bits_f64(key)
                                                  : (double)key;
    store_real(c->result, largest, c->out);
}

weft_status cpu_reduce(void *state, const reduce_call *call, weft_error *error) {
    static void (*const operators[])(cpu_context *, const reduce_call *) = {
#define REDUCE(ID, name, domain, result, empty, help) reduce_##name,
#include "core/ops.def"
    };
    if (call->map && call->n > 0) RETURN_IF_ERROR(cpu_map_hold(state, call->map, error));
    operators[call->op](state, call);
    return WEFT_OK;
}

weft_status cpu_variance(void *state, const variance_call *call, weft_error *error) {
    cpu_context *ctx = state;
    partial sum, squares;
    (void)error;
    reduce_chunk p = {.x = call->x, .n = call->n};
    cpu_plan_regions(2);
    cpu_run(ctx, call->dtype, ctx->level->sums->sum_f64[call->dtype], cpu_add_f64, &p, &sum);
    p.parameter = weft_finish_mean(sum.f64, call->n);
    cpu_run(ctx, call->dtype, ctx->level->products->deviations_f64[call->dtype], cpu_add_f64, &p, &squares);
    store_real(call->result, weft_finish_variance(squares.f64, call->n, call->ddof), call->out);
    return WEFT_OK;
}

/* -------------------------------------------------------------------------- parts of an array */

weft_status cpu_part_sum(void *state, const part_sum_call *call, weft_error *error) {
    cpu_context *ctx = state;
    const level *l = ctx->level;
    kernel *const run = call->op == WEFT_NORM1   ? l->sums->magnitudes_f64[call->dtype]
                        : call->op == WEFT_NORM2 ? l->products->squares_f64[call->dtype]
                                                 : l->sums->sum_f64[call->dtype];
    const double scale = call->op == WEFT_NORM2 ? weft_norm2_scale(call->squares) : 0;
    partial sum;
    if (call->map) RETURN_IF_ERROR(cpu_map_hold(state, call->map, error));
    cpu_run(ctx, call->dtype, run, cpu_add_f64,
            &(reduce_chunk){.x = call->x, .n = call->n, .parameter = scale, .map = call->map}, &sum);
    store_real(WEFT_F64, sum.f64, call->sum);
    return WEFT_OK;
}

weft_status cpu_part_deviations(void *state, const part_deviations_call *call, weft_error *error) {
    cpu_context *ctx = state;
    partial squares;
    (void)error;
    cpu_run(ctx, call->dtype, ctx->level->products->deviations_f64[call->dtype], cpu_add_f64,
            &(reduce_chunk){.x = call->x, .n = call->n, .parameter = call->mean}, &squares);
    store_real(WEFT_F64, squares.f64, call->sum);
    return WEFT_OK;
}

/* --------------------------------------------------------------------------------- dot product */

weft_status cpu_dot(void *state, const dot_call *call, weft_error *error) {
    cpu_context *ctx = state;
    const level *l = ctx->level;
    const reduce_chunk p = {.x = call->x, .y = call->y, .n = call->n};
    partial v = {.u64 = 0};
    (void)error;
    if (call->n == 0) {
        store_integer(call->result, 0, call->out); /* also the bits of +0.0 */
    } else if (!type_is_float(call->dtype)) {
        cpu_run(ctx, call->dtype, l->integers->dot[call->dtype], add_u64, &p, &v);
        store_integer(call->result, v.u64, call->out);
    } else if (call->result == WEFT_F32) {
        cpu_run(ctx, call->dtype, l->products->dot_f32, add_f32, &p, &v);
        store_real(call->result, v.f32, call->out);
    } else {
        cpu_run(ctx, call->dtype, l->products->dot_f64[call->dtype], cpu_add_f64, &p, &v);
        store_real(call->result, v.f64, call->out);
    }
    return WEFT_OK;
}
