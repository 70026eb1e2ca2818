/* weft_map_reduce_axes: argument checks, and the parts in which the values of the formula are computed. */
#include "core/bindings.h"
#include "core/views.h"
#include "formula/expr.h"

#include <string.h>

/* Most bytes of values that are in scratch memory at a time, or those of the vectors of LINE adjacent bytes, so that
 * columns are not read one by one. On a CPU they should stay in its caches. */
static const size_t HOST_BYTES = (size_t)1 << 21, DEVICE_BYTES = (size_t)1 << 27;
enum { LINE = 64 };

/* The arguments of a call that have been checked. */
typedef struct request {
    const formula_request *formula;
    const view_reduction *reduction;
    weft_view values;                               /* their shape and type */
    size_t parts;                                   /* 2 for complex values, else 1 */
    weft_view out[2];                               /* of each part */
    map_dimension dimensions[WEFT_DIMENSIONS_MAX];  /* of the formula along the axes of `values` */
    size_t outer_count, outer[WEFT_DIMENSIONS_MAX]; /* the axes that are not reduced */
} request;

/* A block of values: all those along the reduced axes and along outer axes number `whole`, `whole` + 1, ..., and
 * `range` indices of the outer axis before them. The imaginary parts of complex values are after all real parts. */
typedef struct blocks {
    size_t whole, range;
    size_t part, count; /* bytes of a part of the values, a multiple of LINE, and number of blocks */
} blocks;

/* ----------------------------------------------------------------------------------- blocks */

static blocks divide(const request *q, size_t limit) {
    const size_t *const shape = q->values.shape, size = weft_dtype_size(q->values.dtype);
    const size_t vectors = view_elements(&q->out[0]), vector = view_elements(&q->values) / vectors * size;
    const size_t most = (size_t)max_u64(limit / q->parts / vector, LINE / size);
    blocks b = {.whole = q->outer_count, .range = 1, .count = 1};
    size_t rows = 1;
    for (; b.whole > 0 && shape[q->outer[b.whole - 1]] <= most / rows; b.whole--)
        rows *= shape[q->outer[b.whole - 1]];
    if (b.whole > 0) b.range = (size_t)max_u64(most / rows, 1);
    b.part = (size_t)ceil_div(vector * rows * b.range, LINE) * LINE;
    for (size_t k = 0; k < b.whole; k++)
        b.count *= k == b.whole - 1 ? ceil_div(shape[q->outer[k]], b.range) : shape[q->outer[k]];
    return b;
}

/* Moves the formula, the values and the outputs to indices first, ..., first + n - 1 of outer axis number k. */
static void restrict_axis(const request *q, size_t k, size_t first, size_t n, formula_request *formula,
                          weft_view *values, weft_view out[2]) {
    const size_t axis = q->outer[k], of_out = out->dimensions == values->dimensions ? axis : k;
    const map_dimension *const d = &q->dimensions[axis];
    for (size_t i = 0; i < formula->call.leaf_count; i++) {
        map_leaf *const leaf = &formula->leaves[i];
        if (leaf->kind == LEAF_ARRAY) leaf->p = (const char *)leaf->p + (ptrdiff_t)first * d->x[i];
        if (leaf->kind == LEAF_INDEX) leaf->value.u64 += first * (uint64_t)d->x[i];
    }
    values->shape[axis] = n;
    for (size_t p = 0; p < q->parts; p++) {
        out[p].shape[of_out] = n;
        out[p].data = (char *)out[p].data + (ptrdiff_t)first * out[p].stride[of_out];
    }
}

/* Computes the values of block number `number` to `scratch`, and reduces them. */
static weft_status run_block(weft_context *ctx, const request *q, const blocks *b, size_t number, char *scratch,
                             weft_error *error) {
    formula_request formula = *q->formula;
    map_dimension d[WEFT_DIMENSIONS_MAX];
    weft_view values = q->values, out[] = {q->out[0], q->out[1]};
    for (size_t k = b->whole; k-- > 0;) {
        const size_t range = k == b->whole - 1 ? b->range : 1, n = q->values.shape[q->outer[k]];
        const size_t steps = (size_t)ceil_div(n, range), first = number % steps * range;
        restrict_axis(q, k, first, (size_t)min_u64(range, n - first), &formula, &values, out);
        number /= steps;
    }
    RETURN_IF_ERROR(weft_view_of(values.dtype, values.dimensions, values.shape, scratch, &values));
    memcpy(d, q->dimensions, values.dimensions * sizeof *d);
    for (size_t k = 0; k < values.dimensions; k++) d[k].n = values.shape[k], d[k].out = values.stride[k];
    RETURN_IF_ERROR(formula_evaluate(&formula, values.dimensions, d, scratch, (ptrdiff_t)b->part, error));
    for (size_t p = 0; p < q->parts; p++) {
        values.data = scratch + p * b->part;
        RETURN_IF_ERROR(run_view_reduction(ctx, q->reduction, &values, &out[p], error));
    }
    return WEFT_OK;
}

static weft_status run(weft_context *ctx, const request *q, weft_error *error) {
    weft_watch *const watch = context_watch();
    if (view_elements(&q->out[0]) == 0 || view_elements(&q->values) == 0) {
        for (size_t p = 0; p < q->parts; p++)
            RETURN_IF_ERROR(run_view_reduction(ctx, q->reduction, &q->values, &q->out[p], error));
        return WEFT_OK;
    }
    const blocks b = divide(q, ctx->backend->device_only ? DEVICE_BYTES : HOST_BYTES);
    void *scratch;
    RETURN_IF_ERROR(context_scratch(ctx, SCRATCH_ARRAY, b.part * q->parts, &scratch, error));
    if (b.count == 1) return run_block(ctx, q, &b, 0, scratch, error);
    progress_plan(watch, b.count);
    for (size_t i = 0; i < b.count; i++) {
        RETURN_IF_ERROR(progress_begin(watch, error));
        RETURN_IF_ERROR(progress_end(watch, run_block(ctx, q, &b, i, scratch, error), error));
        progress_advance(watch, 1);
    }
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------------- checks */

/* Sets the axes that are not reduced. */
static weft_status set_outer(request *q, weft_error *error) {
    size_t numbers[WEFT_DIMENSIONS_MAX];
    bool reduced[WEFT_DIMENSIONS_MAX];
    RETURN_IF_ERROR(check_reduced_axes(&q->values, q->reduction->count, q->reduction->axes, numbers, reduced, error));
    for (size_t k = 0; k < q->values.dimensions; k++)
        if (!reduced[k]) q->outer[q->outer_count++] = k;
    return WEFT_OK;
}

/* Sets the shape of the values, which are in no memory. */
static weft_status set_values(request *q, size_t dimensions, const size_t *shape, weft_error *error) {
    const weft_dtype dtype = q->formula->call.result;
    size_t bytes = weft_dtype_size(dtype);
    q->values = (weft_view){.size = sizeof q->values, .dtype = dtype, .dimensions = dimensions};
    RETURN_IF(dimensions > WEFT_DIMENSIONS_MAX, WEFT_INVALID, "%zu dimensions: at most %d are supported", dimensions,
              WEFT_DIMENSIONS_MAX);
    RETURN_IF(dimensions > 0 && !shape, WEFT_INVALID, "shape is NULL");
    for (size_t k = 0; k < dimensions; k++) {
        q->values.shape[k] = shape[k];
        RETURN_IF(shape[k] > 1 && __builtin_mul_overflow(bytes, shape[k], &bytes), WEFT_INVALID,
                  "shape %s has too many elements", view_shape_text(dimensions, shape).text);
    }
    return WEFT_OK;
}

/* Checks the output, which has both parts of complex values, and sets those of the parts. Fills *to with the memory
 * of the output. */
static weft_status set_output(request *q, const weft_view *out, range *to, weft_error *error) {
    weft_context *const ctx = q->formula->ctx;
    range of_part;
    q->parts = q->formula->expr->is_complex ? 2 : 1;
    if (q->parts == 1) {
        RETURN_IF_ERROR(check_view_reduction(ctx, q->reduction, &q->values, out, to, error));
        q->out[0] = *out;
        return WEFT_OK;
    }
    RETURN_IF(q->reduction->op != WEFT_SUM && q->reduction->op != WEFT_MEAN, WEFT_UNSUPPORTED,
              "the values of the formula are complex, for which %s is not supported: expected sum or mean",
              weft_op_name(q->reduction->op));
    RETURN_IF_ERROR(check_output_view(ctx, "out", out, to, error));
    RETURN_IF_ERROR(check_view_parts("out", out, error));
    for (size_t p = 0; p < 2; p++) q->out[p] = view_part(out, p);
    return check_view_reduction(ctx, q->reduction, &q->values, &q->out[0], &of_part, error);
}

static weft_status map_reduce_axes(formula_request *r, request *q, size_t dimensions, const size_t *shape,
                                   const weft_view *out, weft_error *error) {
    range to;
    q->formula = r;
    RETURN_IF_ERROR(bind_formula(r, error));
    RETURN_IF_ERROR(set_values(q, dimensions, shape, error));
    RETURN_IF_ERROR(set_output(q, out, &to, error));
    RETURN_IF_ERROR(formula_dimensions(r, "the values", &q->values, q->dimensions, error));
    for (size_t i = 0; i < r->call.leaf_count; i++)
        if (r->bound[i]) RETURN_IF_ERROR(check_apart(&to, &r->memory[i], error));
    RETURN_IF_ERROR(set_outer(q, error));
    return run(r->ctx, q, error);
}

weft_status weft_map_reduce_axes(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                                 weft_dtype accumulate, size_t dimensions, const size_t *shape,
                                 const weft_view_binding *bindings, size_t count, size_t axis_count, const int *axes,
                                 const weft_view *out) {
    formula_request r = {.ctx = ctx,
                         .expr = expr,
                         .views = bindings,
                         .count = count,
                         .takes_complex = true,
                         .call = {.dtype = dtype, .result = dtype}};
    const view_reduction reduction = {op, accumulate, axis_count, axes};
    request q = {.reduction = &reduction};
    RETURN_GUARDED(ctx, map_reduce_axes(&r, &q, dimensions, shape, out, error));
}
