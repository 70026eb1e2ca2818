/* weft_reduce_axes, weft_variance_axes and weft_dot_axes on the CPU (ORDER.md 32). The strides choose the method,
 * which does not affect the result:
 *
 *   - The vectors are rows: kernels read them in place. Few long rows are reduced one by one, by all threads.
 *   - The vectors are columns: kernels of sums, products, means, extremes, bitwise operators and dot products of
 *     floats read rows of columns.
 *   - Otherwise vectors, or tiles of them, are gathered as rows of at most AXES_SCRATCH_BYTES. So are those of f16
 * and bf16, as f32. */
#include "core/exact_ops.h"
#include "core/types.h"
#include "cpu/common/axes.h"
#include "cpu/runtime/parallel.h"

enum {
    LONG_BYTES = 1 << 18,   /* least bytes of a row that all threads reduce */
    LONGER_BYTES = 1 << 24, /* least bytes of a row that all threads reduce even if there are many */
    ROWS_FOR_THREADS = 4,   /* rows for each thread, from which each is reduced by one thread */
    COLUMNS_BYTES = 64,     /* least bytes of a row of columns, */
    COLUMNS_LENGTH = 64,    /* or least elements of a column, for the kernels of columns */
    SHORT_BYTES = 1 << 15   /* most bytes of a vector that is gathered as a whole */
};

/* Returns the number of the outer dimension that becomes the last one: adjacent rows, else the closest elements. */
static size_t last_dimension(const axes *j, bool direct) {
    const size_t count = j->c->outer_count;
    if (!direct) return cpu_closest_dimension(count, j->outer);
    for (size_t k = count; k-- > 0;)
        if (j->outer[k].x == (ptrdiff_t)(j->c->n * j->size)) return k;
    return count - 1;
}

/* Returns true if kernels can read the vectors as rows. */
static bool are_rows(const reduce_axes_call *c, size_t size) {
    const ptrdiff_t adjacent = (ptrdiff_t)size;
    if (c->dot && c->inner_count == 1 && c->factor.inner[0] != adjacent) return false;
    if (c->inner_count == 1) return c->inner[0].x == adjacent;
    return c->inner_count == 0 && (c->outer_count == 0 || c->outer[c->outer_count - 1].x == adjacent);
}

static bool has_segments(weft_op op) {
    return op == WEFT_SUM || op == WEFT_PROD || op == WEFT_MIN || op == WEFT_MAX || op == WEFT_MEAN ||
           (op >= WEFT_AND && op <= WEFT_XOR);
}

/* Sets the second operand of dot products, and the kernels. */
static void prepare_dot(axes *j, weft_dtype dtype) {
    const reduce_axes_call *c = j->c;
    const view_factor *y = &c->factor;
    for (size_t k = 0; k < c->inner_count; k++) j->factor_inner[k] = (view_dimension){c->inner[k].n, y->inner[k], 0};
    for (size_t k = 0; k < c->outer_count; k++) j->factor_outer[k] = (view_dimension){c->outer[k].n, y->outer[k], 0};
    j->factor = (vectors){j->vectors.element, c->inner_count, c->outer_count, j->factor_inner, j->factor_outer, y->p};
    cpu_dot_reduction(j->ctx, dtype, c->result, &j->r);
    j->exact.terms = EXACT_PRODUCTS;
    if (c->exact || j->half || !type_is_float(dtype)) return;
    j->column = cpu_column_kernel(j->ctx, WEFT_SUM, dtype, c->result);
    j->products = cpu_column_products(j->ctx, dtype, c->result);
}

/* Chooses the kernels. */
static void prepare(axes *j, const reduce_axes_call *c, cpu_context *ctx) {
    const weft_dtype half = type_is_half(c->dtype) ? c->dtype : WEFT_DEFAULT, dtype = half ? WEFT_F32 : c->dtype;
    *j = (axes){.ctx = ctx, .c = c, .half = half};
    j->size = weft_dtype_size(dtype);
    j->result_size = weft_dtype_size(c->result);
    j->computed = type_is_half(c->result) ? WEFT_F32 : c->result;
    const bool simple = !c->variance && !c->dot && has_segments(c->op);
    const size_t bytes = saturated_product(saturated_product(c->vectors, c->n), j->size);
    j->threads = cpu_threads_for_reading(ctx->threads, bytes);
    if (c->variance)
        cpu_variance_reduction(ctx, dtype, c->result, c->ddof, &j->r);
    else
        cpu_reduction(ctx, c->op, dtype, c->result, &j->r);
    j->exact = (exact_call){.terms = c->variance ? EXACT_VALUES : exact_terms_of(c->op),
                            .finish = c->variance ? EXACT_VARIANCE : exact_finish_of(c->op),
                            .dtype = c->dtype,
                            .n = c->n,
                            .ddof = c->ddof};
    if (simple && c->exact) {
        j->segments = cpu_exact_segment_kernel(ctx, c->dtype, &j->segment.add);
        j->segment.mean = c->op == WEFT_MEAN;
    } else if (simple) {
        if (c->op == WEFT_MEAN) j->computed = WEFT_F64;
        j->segments = cpu_segment_kernel(ctx, c->op, dtype, j->computed, &j->segment.whole);
        j->column = half ? NULL : cpu_column_kernel(ctx, c->op, c->dtype, c->result);
    }
    for (size_t k = 0; k < c->outer_count; k++) j->outer[k] = c->outer[k];
    j->vectors = (vectors){weft_dtype_size(c->dtype), c->inner_count, c->outer_count, c->inner, j->outer, c->x};
    if (c->dot) prepare_dot(j, dtype);
}

/* Moves outer dimension k to the end. */
static void move_to_end(axes *j, size_t k) {
    size_t count = j->c->outer_count, factor_count = count;
    const view_dimension last = views_take(&count, j->outer, k);
    j->outer[count] = last;
    if (!j->c->dot) return;
    const view_dimension factor_last = views_take(&factor_count, j->factor_outer, k);
    j->factor_outer[count] = factor_last;
}

/* Reduces a row with all threads. factor: that of the second operand of dot products. */
static weft_status reduce_long_row(const axes *j, const void *x, const void *factor, void *out, weft_error *error) {
    const reduce_axes_call *c = j->c;
    exact_call exact = j->exact;
    exact.x = x;
    exact.y = factor;
    exact.out = out;
    if (c->exact) return cpu_exact(j->ctx, &exact, error);
    if (c->dot) return cpu_dot(j->ctx, &(dot_call){c->dtype, c->result, c->n, x, factor, out}, error);
    if (c->variance) return cpu_variance(j->ctx, &(variance_call){c->dtype, c->result, c->n, c->ddof, x, out}, error);
    return cpu_reduce(j->ctx, &(reduce_call){c->op, c->dtype, c->result, c->n, x, out, NULL}, error);
}

static weft_status reduce_long_rows(const axes *j, weft_error *error) {
    const reduce_axes_call *c = j->c;
    for (size_t v = 0; v < c->vectors && !cpu_cancelled(); v++) {
        const void *const x = views_at(c->x, views_x(c->outer_count, c->outer, v));
        const void *const y = c->dot ? views_at(c->factor.p, views_x(c->outer_count, j->factor_outer, v)) : NULL;
        RETURN_IF_ERROR(reduce_long_row(j, x, y, views_at(c->y, views_y(c->outer_count, c->outer, v)), error));
    }
    return WEFT_OK;
}

/* Writes the result of vectors without elements. */
static weft_status store_nothing(cpu_context *ctx, const reduce_axes_call *c, weft_error *error) {
    const weft_dtype dtype = type_is_half(c->dtype) ? WEFT_F32 : c->dtype;
    uint64_t result;
    copy_view_call copy = {.element = weft_dtype_size(c->result), .count = c->outer_count, .x = &result, .y = c->y};
    RETURN_IF_ERROR(cpu_reduce(ctx, &(reduce_call){c->op, dtype, c->result, 0, NULL, &result, NULL}, error));
    for (size_t k = 0; k < c->outer_count; k++)
        copy.dimensions[k] = (view_dimension){c->outer[k].n, 0, c->outer[k].y};
    return cpu_copy_view(ctx, &copy, error);
}

weft_status cpu_reduce_axes(void *state, const reduce_axes_call *c, weft_error *error) {
    axes j;
    if (c->n == 0) return store_nothing(state, c, error);
    prepare(&j, c, state);
    const bool direct = !j.half && are_rows(c, j.size);
    const size_t bytes = c->n > SIZE_MAX / j.size ? SIZE_MAX : c->n * j.size; /* repeated elements need no memory */
    const bool few = c->vectors < (size_t)j.ctx->threads * ROWS_FOR_THREADS;
    if (direct && ((few && bytes >= LONG_BYTES) || bytes >= LONGER_BYTES || c->vectors == 1))
        return reduce_long_rows(&j, error);
    if (c->outer_count > 0) move_to_end(&j, last_dimension(&j, direct));
    if (direct) return axes_reduce_rows(&j, true, error);
    const view_dimension last = c->outer_count > 0 ? j.outer[c->outer_count - 1] : (view_dimension){1, 0, 0};
    const ptrdiff_t factor_last = c->dot && c->outer_count > 0 ? j.factor_outer[c->outer_count - 1].x : 0;
    if (factor_last != 0 && factor_last != (ptrdiff_t)j.size) j.column = NULL;
    if (last.x != (ptrdiff_t)j.size || (last.n * j.size < COLUMNS_BYTES && c->n < COLUMNS_LENGTH)) j.column = NULL;
    if (!j.column && bytes <= SHORT_BYTES) return axes_reduce_rows(&j, false, error);
    return axes_reduce_blocks(&j, error);
}
