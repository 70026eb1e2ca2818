/* weft_reduce: the kernel and parameters of each operator, and its value for an empty input (ORDER.md 3). */
#include "arith/finish.h"
#include "core/types.h"
#include "cuda/map/map_params.h"

#include <string.h>

static weft_status run_sum(call *c, weft_error *error) {
    return call_run(
        c, type_is_float(c->j.dtype) ? cuda_sum_kernel(c->j.dtype, c->j.result) : cuda_integer_sum_kernel(c->j.dtype),
        error);
}

static weft_status run_prod(call *c, weft_error *error) {
    return call_run(c,
                    type_is_float(c->j.dtype) ? cuda_product_kernel(c->j.dtype, c->j.result)
                                              : cuda_integer_product_kernel(c->j.dtype),
                    error);
}

/* Sets the XOR mask of integer keys: inverting the sign bit makes signed integers unsigned, and a maximum inverts all
 * bits. */
static void set_order(call *c, bool largest) {
    const uint64_t sign = type_is_signed(c->j.dtype) ? (uint64_t)1 << (8 * cuda_type_bytes(c->j.dtype) - 1) : 0;
    c->j.xor_mask = largest ? ~sign : sign;
    c->j.finish = FINISH_KEY;
}

static weft_status run_min(call *c, weft_error *error) {
    set_order(c, false);
    return call_run(c, cuda_extreme_kernel(c->j.dtype), error);
}

static weft_status run_max(call *c, weft_error *error) {
    set_order(c, true);
    return call_run(c, cuda_extreme_kernel(c->j.dtype), error);
}

static weft_status run_argmin(call *c, weft_error *error) {
    set_order(c, false);
    return call_run(c, cuda_extreme_index_kernel(c->j.dtype), error);
}

static weft_status run_argmax(call *c, weft_error *error) {
    set_order(c, true);
    return call_run(c, cuda_extreme_index_kernel(c->j.dtype), error);
}

/* The kernel reads bytes; finish() combines its 64 bits to the width of the result. */
static weft_status run_bits(call *c, weft_op op, finish_kind finish, weft_error *error) {
    c->j.n = c->j.total *= cuda_type_bytes(c->j.dtype);
    c->j.dtype = WEFT_U8;
    c->j.finish = finish;
    return call_run(c, cuda_bits_kernel(op), error);
}

static weft_status run_and(call *c, weft_error *error) { return run_bits(c, WEFT_AND, FINISH_AND, error); }
static weft_status run_or(call *c, weft_error *error) { return run_bits(c, WEFT_OR, FINISH_OR, error); }
static weft_status run_xor(call *c, weft_error *error) { return run_bits(c, WEFT_XOR, FINISH_XOR, error); }

static weft_status run_count(call *c, finish_kind finish, weft_error *error) {
    c->j.finish = finish;
    return call_run(c, cuda_count_kernel(c->j.dtype), error);
}

static weft_status run_any(call *c, weft_error *error) { return run_count(c, FINISH_ANY, error); }
static weft_status run_all(call *c, weft_error *error) { return run_count(c, FINISH_ALL, error); }
static weft_status run_count_nonzero(call *c, weft_error *error) { return run_count(c, FINISH_STORE, error); }

static weft_status run_mean(call *c, weft_error *error) {
    c->j.finish = FINISH_MEAN;
    return call_run(c, cuda_sum_kernel(c->j.dtype, WEFT_F64), error);
}

static weft_status run_norm1(call *c, weft_error *error) {
    return call_run(c, cuda_magnitudes_kernel(c->j.dtype), error);
}

/* Only the sum of squares of an f64 can overflow or underflow. A second launch checks on the device whether it did,
 * and returns at once if it did not. For an input in host memory the host checks first, to avoid copying it again. */
static weft_status run_norm2(call *c, weft_error *error) {
    c->j.finish = FINISH_ROOT;
    c->j.keep = gpu_keep(c->g);
    RETURN_IF_ERROR(call_run(c, cuda_deviations_kernel(c->j.dtype), error));
    if (c->j.dtype != WEFT_F64) return WEFT_OK;
    if (c->x_on_host) {
        double squares;
        CUDA_TRY(cudaMemcpyAsync(&squares, c->j.keep, sizeof squares, cudaMemcpyDeviceToHost, c->g->stream), c->name);
        CUDA_TRY(cudaStreamSynchronize(c->g->stream), c->name);
        if (weft_norm2_scale(squares) == 1.0) return WEFT_OK;
    }
    c->j.finish = FINISH_RESCALE;
    c->j.reference = c->j.keep;
    c->j.keep = NULL;
    return call_run(c, cuda_rescaled_squares_kernel(), error);
}

/* The bits of a float without its sign increase with its magnitude; NaNs are above all numbers. */
static weft_status run_norminf(call *c, weft_error *error) {
    c->j.finish = FINISH_MAGNITUDE;
    c->j.xor_mask = UINT64_MAX;
    if (type_is_signed(c->j.dtype)) return call_run(c, cuda_largest_magnitude_kernel(c->j.dtype), error);
    if (!type_is_float(c->j.dtype)) return call_run(c, cuda_extreme_kernel(c->j.dtype), error);
    const bool narrow = c->j.dtype == WEFT_F32;
    c->j.mask = narrow ? UINT32_MAX >> 1 : UINT64_MAX >> 1;
    return call_run(c, cuda_extreme_kernel(narrow ? WEFT_U32 : WEFT_U64), error);
}

uint64_t gpu_reduce_empty(weft_op op, weft_dtype result) {
    const float one_f32 = 1;
    const double one_f64 = 1;
    uint32_t bits32;
    uint64_t bits64;
    memcpy(&bits32, &one_f32, sizeof bits32);
    memcpy(&bits64, &one_f64, sizeof bits64);
    if (op == WEFT_AND) return UINT64_MAX;
    if (op == WEFT_ALL) return 1;
    if (op != WEFT_PROD) return 0;
    return result == WEFT_F32 ? bits32 : result == WEFT_F64 ? bits64 : 1;
}

/* Makes the values of a formula the elements of the call. */
static weft_status begin_map(call *c, const map_call *map, map_arrays *arrays, map_program *program,
                             weft_error *error) {
    RETURN_IF_ERROR(gpu_map_copy_in(c->g, map, 0, 0, arrays, program, error));
    call_map(c, program);
    return WEFT_OK;
}

weft_status cuda_reduce(void *state, const reduce_call *r, weft_error *error) {
    static const struct {
        const char *name;
        weft_status (*run)(call *c, weft_error *error);
    } operators[] = {
#define REDUCE(ID, name, domain, result, empty, help) {#name, run_##name},
#include "core/ops.def"
    };
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    map_program program;
    map_arrays arrays;
    call c;
    arrays.count = 0;
    RETURN_IF_ERROR(call_begin(&c, g, operators[r->op].name, r->dtype, r->result, r->n, r->x, NULL, r->out, error));
    if (r->n == 0) return call_store(&c, gpu_reduce_empty(r->op, r->result), error);
    if (r->map) RETURN_IF_ERROR(begin_map(&c, r->map, &arrays, &program, error));
    RETURN_IF_ERROR(operators[r->op].run(&c, error));
    RETURN_IF_ERROR(call_end(&c, error));
    return arrays_copy_out(g, operators[r->op].name, arrays.list, arrays.count, error);
}

/* ------------------------------------------------------------------------- sums of a part */

static weft_status run_part(call *c, weft_op op, const double *squares, weft_error *error) {
    if (op == WEFT_MEAN) return call_run(c, cuda_sum_kernel(c->j.dtype, WEFT_F64), error);
    if (op == WEFT_NORM1) return call_run(c, cuda_magnitudes_kernel(c->j.dtype), error);
    const bool again = c->j.dtype == WEFT_F64 && weft_norm2_scale(*squares) != 1.0;
    if (again) RETURN_IF_ERROR(call_set_reference(c, squares, error));
    return call_run(c, again ? cuda_rescaled_squares_kernel() : cuda_deviations_kernel(c->j.dtype), error);
}

weft_status cuda_part_sum(void *state, const part_sum_call *r, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const char *const name = r->op == WEFT_MEAN ? "mean" : r->op == WEFT_NORM1 ? "norm1" : "norm2";
    map_program program;
    map_arrays arrays;
    call c;
    arrays.count = 0;
    RETURN_IF_ERROR(call_begin(&c, g, name, r->dtype, WEFT_F64, r->n, r->x, NULL, r->sum, error));
    if (r->map) RETURN_IF_ERROR(begin_map(&c, r->map, &arrays, &program, error));
    RETURN_IF_ERROR(run_part(&c, r->op, &r->squares, error));
    RETURN_IF_ERROR(call_end(&c, error));
    return arrays_copy_out(g, name, arrays.list, arrays.count, error);
}

weft_status cuda_part_deviations(void *state, const part_deviations_call *v, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    call c;
    RETURN_IF_ERROR(call_begin(&c, g, "variance", v->dtype, WEFT_F64, v->n, v->x, NULL, v->sum, error));
    RETURN_IF_ERROR(call_set_reference(&c, &v->mean, error));
    RETURN_IF_ERROR(call_run(&c, cuda_deviations_kernel(v->dtype), error));
    return call_end(&c, error);
}
