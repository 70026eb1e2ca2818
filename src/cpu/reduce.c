/* weft_reduce, weft_variance and weft_dot: choice of the kernel, combination of its partial values, and the last
 * step. */
#include "arith/finish.h"
#include "core/reals.h"
#include "core/types.h"
#include "cpu/common/reduce_kernel.h"
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

static void store_integer(weft_dtype dtype, uint64_t v, void *out) {
    switch (weft_dtype_size(dtype)) {
    case 1: *(uint8_t *)out = (uint8_t)v; break;
    case 2: *(uint16_t *)out = (uint16_t)v; break;
    case 4: *(uint32_t *)out = (uint32_t)v; break;
    default: *(uint64_t *)out = v; break;
    }
}

/* Stores the element with this key (cpu/kernels/bodies/extremes_body.h). */
static void store_key(weft_dtype dtype, uint64_t key, weft_dtype result, void *out) {
    if (dtype == WEFT_F32)
        store_real(result, weft_from_key_f32((uint32_t)key), out);
    else if (dtype == WEFT_F64)
        *(double *)out = weft_from_key_f64(key);
    else
        store_integer(dtype, key ^ (uint64_t)type_is_signed(dtype) << 63, out);
}

/* ----------------------------------------------------------------------------- operators */

static combiner *const add_real[] = {add_f32, cpu_add_f64}, *const multiply_real[] = {multiply_f32, multiply_f64};

/* Sets the kernel and the combiner of a sum or a product. */
static void choose_sum(const level *l, bool product, reduction *r) {
    const bool f32 = r->result != WEFT_F64;
    if (!type_is_float(r->dtype)) {
        r->run = product ? l->integers->prod[r->dtype] : l->integers->sum[r->dtype];
        r->combine = product ? multiply_u64 : add_u64;
    } else {
        r->run = f32       ? product ? l->sums->prod_f32 : l->sums->sum_f32
                 : product ? l->sums->prod_f64[r->dtype]
                           : l->sums->sum_f64[r->dtype];
        r->combine = product ? multiply_real[!f32] : add_real[!f32];
    }
}

/* The bitwise kernels combine 64-bit words of an array of bytes. */
static void choose_bits(kernel *run, combiner *combine, reduction *r) {
    r->seen = WEFT_U8;
    r->run = run;
    r->combine = combine;
}

void cpu_reduction(const cpu_context *ctx, weft_op op, weft_dtype dtype, weft_dtype result, reduction *r) {
    const level *l = ctx->level;
    *r = (reduction){.op = op, .dtype = dtype, .result = result, .seen = dtype, .combine = cpu_add_f64};
    switch (op) {
    case WEFT_SUM:
    case WEFT_PROD: choose_sum(l, op == WEFT_PROD, r); break;
    case WEFT_MIN:
    case WEFT_ARGMIN: r->run = l->extremes->lowest[dtype], r->combine = keep_lower; break;
    case WEFT_MAX:
    case WEFT_ARGMAX: r->run = l->extremes->highest[dtype], r->combine = keep_higher; break;
    case WEFT_AND: choose_bits(l->integers->bits_and, combine_and, r); break;
    case WEFT_OR: choose_bits(l->integers->bits_or, combine_or, r); break;
    case WEFT_XOR: choose_bits(l->integers->bits_xor, combine_xor, r); break;
    case WEFT_ANY:
    case WEFT_ALL:
    case WEFT_COUNT_NONZERO: r->run = l->integers->nonzeros[dtype], r->combine = add_u64; break;
    case WEFT_MEAN: r->run = l->sums->sum_f64[dtype]; break;
    case WEFT_NORM1: r->run = l->sums->magnitudes_f64[dtype]; break;
    case WEFT_NORM2: r->run = r->again = l->products->squares_f64[dtype]; break;
    case WEFT_NORMINF: r->run = l->extremes->magnitude[dtype], r->combine = keep_higher; break;
    }
}

void cpu_variance_reduction(const cpu_context *ctx, weft_dtype dtype, weft_dtype result, size_t ddof, reduction *r) {
    cpu_reduction(ctx, WEFT_MEAN, dtype, result, r);
    r->variance = true;
    r->ddof = ddof;
    r->again = ctx->level->products->deviations_f64[dtype];
}

void cpu_dot_reduction(const cpu_context *ctx, weft_dtype dtype, weft_dtype result, reduction *r) {
    const level *l = ctx->level;
    cpu_reduction(ctx, WEFT_SUM, dtype, result, r);
    r->run = !type_is_float(dtype) ? l->integers->dot[dtype]
             : result != WEFT_F64  ? l->products->dot_f32
                                   : l->products->dot_f64[dtype];
}

reduce_chunk reduction_chunk(const reduction *r, const void *x, size_t n, double parameter) {
    return (reduce_chunk){.x = x,
                          .n = r->seen == r->dtype ? n : n * weft_dtype_size(r->dtype),
                          .locate = r->op == WEFT_ARGMIN || r->op == WEFT_ARGMAX,
                          .parameter = parameter};
}

double reduction_parameter(const reduction *r) { return r->op == WEFT_NORM2 ? 1 : 0; }

bool reduction_repeats(const reduction *r, size_t n, const partial *v, double *parameter) {
    if (!r->again || n == 0) return false;
    *parameter = r->variance ? weft_finish_mean(v->f64, n) : weft_norm2_scale(v->f64);
    return r->variance || *parameter != 1;
}

partial reduction_of_nothing(const reduction *r) {
    partial v = {.u64 = 0};
    if (r->op == WEFT_AND) v.u64 = UINT64_MAX;
    if (r->op != WEFT_PROD) return v;
    if (!type_is_float(r->dtype))
        v.u64 = 1;
    else if (r->result == WEFT_F64)
        v.f64 = 1;
    else
        v.f32 = 1;
    return v;
}

/* Combines the elements within a 64-bit word, down to one element in the lowest bits. */
static uint64_t combine_word(const reduction *r, partial bits) {
    for (size_t half = 4; half >= weft_dtype_size(r->dtype); half /= 2) {
        const partial upper = {.u64 = bits.u64 >> (8 * half)};
        r->combine(&bits, &upper);
    }
    return bits.u64;
}

/* Returns the largest magnitude, whose bits or value the kernel returns. */
static double magnitude_of(weft_dtype dtype, uint64_t key) {
    return dtype == WEFT_F32   ? weft_from_bits_f32((uint32_t)key)
           : dtype == WEFT_F64 ? weft_from_bits_f64(key)
                               : (double)key;
}

void reduction_store(const reduction *r, size_t n, double parameter, const partial *v, void *out) {
    const weft_dtype result = r->result;
    if (r->variance) {
        store_real(result, weft_finish_variance(v->f64, n, r->ddof), out);
        return;
    }
    switch (r->op) {
    case WEFT_SUM:
    case WEFT_PROD:
        if (type_is_float(r->dtype))
            store_real(result, result == WEFT_F64 ? v->f64 : v->f32, out);
        else
            store_integer(result, v->u64, out);
        break;
    case WEFT_MIN:
    case WEFT_MAX: store_key(r->dtype, v->u64, result, out); break;
    case WEFT_ARGMIN:
    case WEFT_ARGMAX: store_integer(result, v->index, out); break;
    case WEFT_AND:
    case WEFT_OR:
    case WEFT_XOR: store_integer(result, combine_word(r, *v), out); break;
    case WEFT_ANY: store_integer(result, v->u64 > 0, out); break;
    case WEFT_ALL: store_integer(result, v->u64 == n, out); break;
    case WEFT_COUNT_NONZERO: store_integer(result, v->u64, out); break;
    case WEFT_MEAN: store_real(result, weft_finish_mean(v->f64, n), out); break;
    case WEFT_NORM1: store_real(result, v->f64, out); break;
    case WEFT_NORM2: store_real(result, weft_finish_norm2(sqrt(v->f64), parameter), out); break;
    case WEFT_NORMINF: store_real(result, magnitude_of(r->dtype, v->u64), out); break;
    }
}

/* ------------------------------------------------------------------------------ whole arrays */

/* Reduces n elements at x, or the values of a formula, with all threads. */
static void reduce_array(cpu_context *ctx, const reduction *r, const void *x, size_t n, const map_call *map,
                         void *out) {
    double parameter = reduction_parameter(r);
    partial v = reduction_of_nothing(r);
    reduce_chunk p = reduction_chunk(r, x, n, parameter);
    p.map = map;
    if (n > 0) cpu_run(ctx, r->seen, r->run, r->combine, &p, &v);
    if (reduction_repeats(r, n, &v, &parameter)) {
        p.parameter = parameter;
        cpu_run(ctx, r->seen, r->again, r->combine, &p, &v);
    }
    reduction_store(r, n, parameter, &v, out);
}

weft_status cpu_reduce(void *state, const reduce_call *call, weft_error *error) {
    reduction r;
    cpu_reduction(state, call->op, call->dtype, call->result, &r);
    if (call->map && call->n > 0) RETURN_IF_ERROR(cpu_map_hold(state, call->map, error));
    reduce_array(state, &r, call->x, call->n, call->map, call->out);
    return WEFT_OK;
}

weft_status cpu_variance(void *state, const variance_call *call, weft_error *error) {
    reduction r;
    (void)error;
    cpu_variance_reduction(state, call->dtype, call->result, call->ddof, &r);
    cpu_plan_regions(2);
    reduce_array(state, &r, call->x, call->n, NULL, call->out);
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
    const reduce_chunk p = {.x = call->x, .y = call->y, .n = call->n};
    reduction r;
    (void)error;
    cpu_dot_reduction(state, call->dtype, call->result, &r);
    partial v = reduction_of_nothing(&r);
    if (call->n > 0) cpu_run(state, call->dtype, r.run, r.combine, &p, &v);
    reduction_store(&r, call->n, 0, &v, call->out);
    return WEFT_OK;
}
