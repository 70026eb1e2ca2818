/* weft_matmul_stack: argument checks, and the order of the matrices. */
#include "core/products.h"
#include "core/views.h"

/* The matrices of one argument: the last two axes of a view. */
typedef struct matrices {
    const char *name;
    const weft_view *view;
    size_t rows, columns;
    bool transposed; /* the elements of a column are adjacent, not those of a row */
    size_t ld;       /* elements from one row to the next; of a transposed matrix, from one column to the next */
} matrices;

enum { ARGUMENTS = 3 }; /* A, B and C */

/* Axes before the last two: the strides of A, B and C in bytes. */
typedef struct stack_axis {
    size_t n;
    ptrdiff_t a, b, c;
} stack_axis;

/* Returns true if lines of `width` elements are adjacent elements, and `count` lines do not overlap. */
static bool are_lines(size_t count, ptrdiff_t line, size_t width, ptrdiff_t element, size_t size) {
    return (width == 1 || element == (ptrdiff_t)size) && (count == 1 || line >= (ptrdiff_t)(width * size));
}

/* Finds out how the matrices of a view that has elements are stored. */
static weft_status describe(matrices *x, weft_error *error) {
    const weft_view *const v = x->view;
    const size_t size = weft_dtype_size(v->dtype);
    const ptrdiff_t down = v->stride[v->dimensions - 2], across = v->stride[v->dimensions - 1];
    const bool rows = are_lines(x->rows, down, x->columns, across, size);
    RETURN_IF(
        !rows && !are_lines(x->columns, across, x->rows, down, size), WEFT_UNSUPPORTED,
        "the matrices of %s are %zu x %zu with strides of %td and %td bytes: the elements of a row or of a column "
        "must be adjacent (weft_copy_view makes such a copy)",
        x->name, x->rows, x->columns, down, across);
    x->transposed = !rows;
    const size_t count = rows ? x->rows : x->columns, width = rows ? x->columns : x->rows;
    x->ld = count == 1 ? width : (size_t)(rows ? down : across) / size;
    return WEFT_OK;
}

static matmul_operand operand_of(const matrices *x, bool transposes) {
    return (matmul_operand){x->view->data, x->ld, 0, x->transposed != transposes};
}

/* Sets the members for one product. If the columns of C are adjacent, C' = B' A' is computed. */
static void set_product(matmul_call *call, const matrices *a, const matrices *b, const matrices *c) {
    const bool swaps = c->transposed;
    call->m = swaps ? c->columns : c->rows;
    call->n = swaps ? c->rows : c->columns;
    call->k = a->columns;
    call->a = operand_of(swaps ? b : a, swaps);
    call->b = operand_of(swaps ? a : b, swaps);
    call->c = c->view->data;
    call->ldc = c->ld;
}

/* ------------------------------------------------------------------------------------ the stack */

/* Fills the axes of the stack. Leaves out those of length 1 and merges those that are one in all arrays. */
static weft_status list_axes(const matrices *a, const matrices *b, const weft_view *c, stack_axis *axes,
                             size_t *count, weft_error *error) {
    ptrdiff_t of_a[WEFT_DIMENSIONS_MAX], of_b[WEFT_DIMENSIONS_MAX];
    const size_t stacked = c->dimensions - 2;
    *count = 0;
    RETURN_IF_ERROR(view_broadcast("A", a->view, "C", c, stacked, of_a, error));
    RETURN_IF_ERROR(view_broadcast("B", b->view, "C", c, stacked, of_b, error));
    for (size_t k = 0; k < stacked; k++) {
        const stack_axis own = {c->shape[k], of_a[k], of_b[k], c->stride[k]};
        stack_axis *const outer = *count ? &axes[*count - 1] : NULL;
        const ptrdiff_t n = (ptrdiff_t)own.n;
        if (n == 1) continue;
        if (outer && outer->a == n * own.a && outer->b == n * own.b && outer->c == n * own.c)
            *outer = (stack_axis){outer->n * own.n, own.a, own.b, own.c};
        else
            axes[(*count)++] = own;
    }
    return WEFT_OK;
}

/* Moves the longest axis whose strides a batch can have to the end. Returns false if there is none. */
static bool choose_batch(stack_axis *axes, size_t count) {
    size_t longest = count;
    for (size_t k = 0; k < count; k++)
        if (axes[k].a >= 0 && axes[k].b >= 0 && axes[k].c > 0 && (longest == count || axes[k].n > axes[longest].n))
            longest = k;
    if (longest == count) return false;
    const stack_axis batch = axes[longest];
    axes[longest] = axes[count - 1];
    axes[count - 1] = batch;
    return true;
}

/* Computes one of several batches, which is a unit of the call's progress. */
static weft_status run_batch(weft_context *ctx, matmul_call *call, weft_error *error) {
    weft_watch *const watch = context_watch();
    RETURN_IF_ERROR(progress_begin(watch, error));
    const weft_status status = progress_end(watch, run_product(ctx, call, error), error);
    progress_advance(watch, 1);
    return status;
}

/* Computes the products, a batch at a time. */
static weft_status run_batches(weft_context *ctx, const matmul_call *first, bool swaps, stack_axis *axes,
                               size_t count, weft_error *error) {
    const ptrdiff_t size = (ptrdiff_t)weft_dtype_size(first->dtype);
    matmul_call batch = *first;
    batch.batch = 1;
    if (choose_batch(axes, count)) {
        const stack_axis by = axes[--count];
        batch.batch = by.n;
        batch.a.stride = (size_t)((swaps ? by.b : by.a) / size);
        batch.b.stride = (size_t)((swaps ? by.a : by.b) / size);
        batch.stride_c = (size_t)(by.c / size);
    }
    if (count == 0) return run_product(ctx, &batch, error);
    size_t batches = 1;
    for (size_t k = 0; k < count; k++) batches *= axes[k].n;
    progress_plan(context_watch(), batches);
    for (size_t i = 0; i < batches; i++) {
        matmul_call call = batch;
        for (size_t k = count, rest = i; k-- > 0; rest /= axes[k].n) {
            const ptrdiff_t at = (ptrdiff_t)(rest % axes[k].n);
            call.c = (char *)call.c + at * axes[k].c;
            if (call.k == 0) continue; /* A and B may be NULL */
            call.a.p = (const char *)call.a.p + at * (swaps ? axes[k].b : axes[k].a);
            call.b.p = (const char *)call.b.p + at * (swaps ? axes[k].a : axes[k].b);
        }
        RETURN_IF_ERROR(run_batch(ctx, &call, error));
    }
    return WEFT_OK;
}

/* --------------------------------------------------------------------------------------- call */

static weft_status set_lengths(matrices *x, weft_error *error) {
    const size_t dimensions = x->view->dimensions;
    RETURN_IF(dimensions < 2, WEFT_INVALID, "%s has %zu dimension%s: at least 2 are required", x->name, dimensions,
              dimensions == 1 ? "" : "s");
    x->rows = x->view->shape[dimensions - 2];
    x->columns = x->view->shape[dimensions - 1];
    return WEFT_OK;
}

static weft_status check_lengths(const matrices *a, const matrices *b, const matrices *c, weft_error *error) {
    RETURN_IF(b->rows != a->columns, WEFT_INVALID,
              "A is %zu x %zu and B %zu x %zu: A must have as many columns as B has rows", a->rows, a->columns,
              b->rows, b->columns);
    RETURN_IF(c->rows != a->rows || c->columns != b->columns, WEFT_INVALID, "C is %zu x %zu: expected %zu x %zu",
              c->rows, c->columns, a->rows, b->columns);
    return WEFT_OK;
}

/* Sets the names, the views and the lengths of the matrices of three arguments. */
static weft_status set_matrices(const weft_view *a, const weft_view *b, const weft_view *c, matrices *x,
                                weft_error *error) {
    x[0] = (matrices){.name = "A", .view = a};
    x[1] = (matrices){.name = "B", .view = b};
    x[2] = (matrices){.name = "C", .view = c};
    for (int i = 0; i < ARGUMENTS; i++) RETURN_IF_ERROR(set_lengths(&x[i], error));
    return WEFT_OK;
}

weft_status check_stack(const weft_view *a, const weft_view *b, const weft_view *c, weft_error *error) {
    matrices x[ARGUMENTS];
    stack_axis axes[WEFT_DIMENSIONS_MAX];
    size_t count;
    RETURN_IF_ERROR(set_matrices(a, b, c, x, error));
    RETURN_IF_ERROR(check_lengths(&x[0], &x[1], &x[2], error));
    return list_axes(&x[0], &x[1], c, axes, &count, error);
}

weft_status run_stack(weft_context *ctx, const matmul_call *first, const weft_view *a, const weft_view *b,
                      const weft_view *c, weft_error *error) {
    matrices x[ARGUMENTS];
    stack_axis axes[WEFT_DIMENSIONS_MAX];
    size_t count;
    matmul_call call = *first;
    RETURN_IF_ERROR(set_matrices(a, b, c, x, error));
    RETURN_IF_ERROR(list_axes(&x[0], &x[1], c, axes, &count, error));
    for (int i = 0; i < ARGUMENTS; i++)
        if (i == 2 || x[0].columns > 0) RETURN_IF_ERROR(describe(&x[i], error));
    set_product(&call, &x[0], &x[1], &x[2]);
    return run_batches(ctx, &call, x[2].transposed, axes, count, error);
}

static weft_status matmul_stack(weft_context *ctx, weft_dtype accumulate, const void *alpha, const weft_view *a,
                                const weft_view *b, const void *beta, const weft_view *c, weft_error *error) {
    range of_a, of_b, of_c;
    RETURN_IF_ERROR(check_view(ctx, "A", a, &of_a, error));
    RETURN_IF_ERROR(check_view(ctx, "B", b, &of_b, error));
    RETURN_IF_ERROR(check_output_view(ctx, "C", c, &of_c, error));
    matmul_call call = {.dtype = c->dtype};
    RETURN_IF_ERROR(check_product_types(call.dtype, accumulate, &call.accumulate, error));
    RETURN_IF_ERROR(check_view_type("A", a, call.dtype, error));
    RETURN_IF_ERROR(check_view_type("B", b, call.dtype, error));
    RETURN_IF_ERROR(read_product_scalar("alpha", call.dtype, alpha, 1, &call.alpha, error));
    RETURN_IF_ERROR(read_product_scalar("beta", call.dtype, beta, 0, &call.beta, error));
    RETURN_IF_ERROR(check_stack(a, b, c, error));
    RETURN_IF_ERROR(check_apart(&of_c, &of_a, error));
    RETURN_IF_ERROR(check_apart(&of_c, &of_b, error));
    return view_elements(c) ? run_stack(ctx, &call, a, b, c, error) : WEFT_OK;
}

weft_status weft_matmul_stack(weft_context *ctx, weft_dtype accumulate, const void *alpha, const weft_view *a,
                              const weft_view *b, const void *beta, const weft_view *c) {
    RETURN_GUARDED(ctx, matmul_stack(ctx, accumulate, alpha, a, b, beta, c, error));
}
