/* weft_matmul_complex: argument checks, and the products of the parts. */
#include "core/products.h"
#include "core/views.h"

enum { A, B, C, ARGUMENTS, ALIGNMENT = 256 };

/* An argument: complex numbers, and copies of their real and of their imaginary parts in scratch memory, two arrays
 * without gaps. The copies are `both`, whose first axis contains the parts, and part[0] and part[1]. */
typedef struct argument {
    const char *name;
    const weft_view *view;
    weft_view numbers; /* without the axis of the parts */
    weft_view both, part[2];
    size_t bytes; /* of the copies */
} argument;

/* ------------------------------------------------------------------------------------- copies */

/* Returns a view of complex numbers whose first axis, not the last, contains their parts. */
static weft_view parts_first(const weft_view *v) {
    weft_view moved = *v;
    const size_t last = v->dimensions - 1;
    moved.shape[0] = v->shape[last];
    moved.stride[0] = v->stride[last];
    for (size_t k = 0; k < last; k++) moved.shape[k + 1] = v->shape[k], moved.stride[k + 1] = v->stride[k];
    return moved;
}

/* Describes the copies of an argument, at NULL. */
static weft_status plan_copies(argument *x, weft_error *error) {
    const weft_view moved = parts_first(x->view);
    const weft_dtype dtype = x->view->dtype;
    const size_t bytes = view_elements(x->view) * weft_dtype_size(dtype);
    RETURN_IF(bytes > SIZE_MAX / 8, WEFT_INVALID, "a copy of %s of shape %s does not fit in memory", x->name,
              view_shape_text(x->view->dimensions, x->view->shape).text);
    const size_t part = (size_t)round_up(bytes / 2, ALIGNMENT);
    weft_view_of(dtype, moved.dimensions, moved.shape, NULL, &x->both);
    weft_view_of(dtype, x->numbers.dimensions, x->numbers.shape, NULL, &x->part[0]);
    x->both.stride[0] = (ptrdiff_t)part;
    x->part[1] = x->part[0];
    x->bytes = 2 * part;
    return WEFT_OK;
}

/* Allocates the copies of all arguments. */
static weft_status allocate_copies(weft_context *ctx, argument *x, weft_error *error) {
    void *scratch;
    for (int i = A; i < ARGUMENTS; i++) RETURN_IF_ERROR(plan_copies(&x[i], error));
    RETURN_IF_ERROR(context_scratch(ctx, SCRATCH_ARRAY, x[A].bytes + x[B].bytes + x[C].bytes, &scratch, error));
    char *at = scratch;
    for (int i = A; i < ARGUMENTS; i++) {
        x[i].both.data = x[i].part[0].data = at;
        x[i].part[1].data = at + x[i].bytes / 2;
        at += x[i].bytes;
    }
    return WEFT_OK;
}

static weft_status copy_parts(weft_context *ctx, const argument *x, weft_error *error) {
    const weft_view moved = parts_first(x->view);
    return view_copy(ctx, &moved, &x->both, error);
}

/* ----------------------------------------------------------------------------------- products */

/* A product of two parts, which is one of the two terms of a part of C. */
typedef struct term {
    int a, b; /* 0: the real parts, 1: the imaginary parts */
    double sign;
} term;

/* Computes one part of C. */
static weft_status run_part(weft_context *ctx, const matmul_call *call, const argument *x, const weft_view *part,
                            const term terms[2], weft_error *error) {
    matmul_call c = *call;
    for (int i = 0; i < 2; i++) {
        c.alpha = terms[i].sign * call->alpha;
        RETURN_IF_ERROR(run_stack(ctx, &c, &x[A].part[terms[i].a], &x[B].part[terms[i].b], part, error));
        c.beta = 1;
    }
    return WEFT_OK;
}

/* Computes the products. sign_a and sign_b are those of the imaginary parts. */
static weft_status run(weft_context *ctx, const matmul_call *call, double sign_a, double sign_b, argument *x,
                       weft_error *error) {
    const term real[2] = {{0, 0, 1}, {1, 1, -sign_a * sign_b}}, imaginary[2] = {{0, 1, sign_b}, {1, 0, sign_a}};
    const bool reads_factors = call->alpha != 0 && view_elements(x[A].view) > 0;
    RETURN_IF_ERROR(allocate_copies(ctx, x, error));
    if (reads_factors) RETURN_IF_ERROR(copy_parts(ctx, &x[A], error));
    if (reads_factors) RETURN_IF_ERROR(copy_parts(ctx, &x[B], error));
    if (call->beta != 0) RETURN_IF_ERROR(copy_parts(ctx, &x[C], error));
    RETURN_IF_ERROR(run_part(ctx, call, x, &x[C].part[0], real, error));
    RETURN_IF_ERROR(run_part(ctx, call, x, &x[C].part[1], imaginary, error));
    const weft_view c = parts_first(x[C].view);
    return view_copy(ctx, &x[C].both, &c, error);
}

/* -------------------------------------------------------------------------------------- checks */

/* Checks one argument, and sets its numbers. */
static weft_status check_argument(const weft_context *ctx, argument *x, bool output, range *memory,
                                  weft_error *error) {
    RETURN_IF_ERROR(output ? check_output_view(ctx, x->name, x->view, memory, error)
                           : check_view(ctx, x->name, x->view, memory, error));
    RETURN_IF(x->view->dimensions < 3, WEFT_INVALID,
              "%s has %zu dimension%s: at least 3 are required, those of a matrix and that of the parts", x->name,
              x->view->dimensions, x->view->dimensions == 1 ? "" : "s");
    RETURN_IF_ERROR(check_view_parts(x->name, x->view, error));
    x->numbers = *x->view;
    x->numbers.dimensions--;
    return WEFT_OK;
}

static weft_status check_conjugation(const char *name, weft_conjugation conjugation, weft_error *error) {
    RETURN_IF((unsigned)conjugation > WEFT_CONJUGATE, WEFT_INVALID, "invalid conjugation %d of %s", (int)conjugation,
              name);
    return WEFT_OK;
}

/* Reads the types and the scalars. */
static weft_status check_values(const argument *x, weft_dtype accumulate, const void *alpha, const void *beta,
                                matmul_call *call, weft_error *error) {
    call->dtype = x[C].view->dtype;
    RETURN_IF_ERROR(check_float("matmul of complex numbers", call->dtype, error));
    RETURN_IF_ERROR(check_product_types(call->dtype, accumulate, &call->accumulate, error));
    RETURN_IF_ERROR(check_view_type("A", x[A].view, call->dtype, error));
    RETURN_IF_ERROR(check_view_type("B", x[B].view, call->dtype, error));
    RETURN_IF_ERROR(read_product_scalar("alpha", call->dtype, alpha, 1, &call->alpha, error));
    return read_product_scalar("beta", call->dtype, beta, 0, &call->beta, error);
}

static weft_status matmul_complex(weft_context *ctx, weft_dtype accumulate, const weft_conjugation conjugate[2],
                                  const void *alpha, const void *beta, argument *x, weft_error *error) {
    matmul_call call = {0};
    range memory[ARGUMENTS];
    for (int i = A; i < ARGUMENTS; i++) RETURN_IF_ERROR(check_argument(ctx, &x[i], i == C, &memory[i], error));
    RETURN_IF_ERROR(check_conjugation("A", conjugate[A], error));
    RETURN_IF_ERROR(check_conjugation("B", conjugate[B], error));
    RETURN_IF_ERROR(check_values(x, accumulate, alpha, beta, &call, error));
    RETURN_IF_ERROR(check_stack(&x[A].numbers, &x[B].numbers, &x[C].numbers, error));
    RETURN_IF_ERROR(check_apart(&memory[C], &memory[A], error));
    RETURN_IF_ERROR(check_apart(&memory[C], &memory[B], error));
    if (view_elements(x[C].view) == 0) return WEFT_OK;
    return run(ctx, &call, conjugate[A] ? -1 : 1, conjugate[B] ? -1 : 1, x, error);
}

weft_status weft_matmul_complex(weft_context *ctx, weft_dtype accumulate, weft_conjugation conjugate_a,
                                weft_conjugation conjugate_b, const void *alpha, const weft_view *a,
                                const weft_view *b, const void *beta, const weft_view *c) {
    argument x[ARGUMENTS] = {{.name = "A", .view = a}, {.name = "B", .view = b}, {.name = "C", .view = c}};
    const weft_conjugation conjugate[2] = {conjugate_a, conjugate_b};
    RETURN_GUARDED(ctx, matmul_complex(ctx, accumulate, conjugate, alpha, beta, x, error));
}
