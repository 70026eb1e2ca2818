/* Fuzzer of the checks of views: any members either are refused with a sentence, or all elements are inside the
 * buffer and a copy, a formula, a sum, a scan, a sort, a selection, quantiles and indices read and write no other
 * byte (AddressSanitizer watches the buffers). */
#include "weft.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(weft_context *ctx, weft_status status) {
    if (status != WEFT_OK && !*weft_last_error(ctx)) abort();
}

/* Reads the next bytes of the input into a member; the rest of the member is 0. */
static void take(const uint8_t **data, size_t *size, size_t bytes, void *member) {
    if (bytes > *size) bytes = *size;
    memcpy(member, *data, bytes);
    *data += bytes;
    *size -= bytes;
}

static weft_view make_view(const uint8_t **data, size_t *size, char *buffer) {
    weft_view v = {.size = sizeof v, .buffer = buffer, .buffer_bytes = BYTES};
    uint16_t offset = 0;
    uint8_t dtype = 0, dimensions = 0;
    take(data, size, 1, &dtype);
    take(data, size, 1, &dimensions);
    take(data, size, 2, &offset);
    v.dtype = (weft_dtype)(dtype % 16);
    v.dimensions = dimensions % 20;
    v.data = (char *)((uintptr_t)buffer + offset);
    for (size_t k = 0; k < v.dimensions && k < WEFT_DIMENSIONS_MAX; k++) {
        int16_t stride = 0;
        uint8_t wide = 0, length = 0;
        take(data, size, 1, &wide);
        take(data, size, wide == 255 ? sizeof v.shape[k] : 1, wide == 255 ? (void *)&v.shape[k] : &length);
        if (wide != 255) v.shape[k] = length % 40;
        take(data, size, wide == 254 ? sizeof v.stride[k] : 2, wide == 254 ? (void *)&v.stride[k] : (void *)&stride);
        if (wide != 254) v.stride[k] = stride;
    }
    return v;
}

/* Returns the product of the lengths, or BYTES + 1 if it is larger. */
static size_t elements(const weft_view *v) {
    size_t n = 1;
    for (size_t k = 0; k < v->dimensions && k < WEFT_DIMENSIONS_MAX; k++) {
        if (v->shape[k] == 0) return 0;
        n = v->shape[k] > BYTES / n ? BYTES + 1 : n * v->shape[k];
        if (n > BYTES) return n;
    }
    return n;
}

/* Evaluates a formula of x, to y. */
static weft_status evaluate(weft_context *ctx, const weft_view *x, const weft_view *y) {
    const weft_view_binding binding = {"x", x, WEFT_F32, NULL};
    weft_expr *expr;
    weft_status status = weft_expr_compile(ctx, "x*2 + i", &expr);
    if (status != WEFT_OK) return status;
    status = weft_map_views(ctx, expr, y->dtype, &binding, 1, y);
    weft_expr_free(expr);
    return status;
}

/* Reduces the values of a formula of x along axes, to y. */
static weft_status reduce_values(weft_context *ctx, const weft_view *x, size_t count, const int *axes,
                                 const weft_view *y) {
    const weft_view_binding binding = {"x", x, WEFT_F32, NULL};
    weft_expr *expr;
    weft_status status = weft_expr_compile(ctx, "x*2 + i", &expr);
    if (status != WEFT_OK) return status;
    status = weft_map_reduce_axes(ctx, WEFT_MAX, expr, y->dtype, WEFT_DEFAULT, x->dimensions, x->shape, &binding, 1,
                                  count, axes, y);
    weft_expr_free(expr);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const double q[] = {0.5, 1, 0.3, 0};
    static const uint64_t edges[257] = {0, 1};
    static weft_context *ctx;
    char *const from = aligned_alloc(64, BYTES), *const to = aligned_alloc(64, BYTES);
    if (!ctx && weft_open(&ctx, "cpu") != WEFT_OK) abort();
    if (!from || !to) abort();
    (void)weft_set_threads(ctx, 1);
    memset(from, 1, BYTES);
    memset(to, 2, BYTES);
    uint8_t count = 0, op = 0;
    int8_t axes[4] = {0};
    int wide[4];
    take(&data, &size, 1, &count);
    take(&data, &size, 1, &op);
    take(&data, &size, sizeof axes, axes);
    for (int k = 0; k < 4; k++) wide[k] = axes[k];
    const weft_view x = make_view(&data, &size, from), y = make_view(&data, &size, to);
    const char *const zero = (const char *)(edges + 1) - weft_dtype_size(x.dtype); /* before 1, in any type */
    weft_view short_filter = x;
    short_filter.dimensions = 1;
    if (elements(&x) <= BYTES && elements(&y) <= BYTES) { /* broadcast inputs can have any number of elements */
        expect(ctx, weft_copy_view(ctx, &x, &y));
        expect(ctx, evaluate(ctx, &x, &y));
        expect(ctx, reduce_values(ctx, &x, count % 5, wide, &y));
        expect(ctx, weft_take_axis(ctx, (weft_range)(op % 3), &x, wide[0], &x, &y));
        expect(ctx, weft_put_axis(ctx, (weft_range)(op % 3), &x, wide[0], &x, &y));
        expect(ctx, weft_reduce_axes(ctx, (weft_op)(op % 20), WEFT_DEFAULT, &x, count % 5, wide, &y));
        expect(ctx, weft_variance_axes(ctx, WEFT_DEFAULT, op % 3, &x, count % 5, wide, &y));
        expect(ctx, weft_dot_axes(ctx, WEFT_DEFAULT, &x, &x, count % 5, wide, &y));
        expect(ctx, weft_scan_axis(ctx, (weft_op)(op % 20), (weft_scan_kind)(op % 3), WEFT_DEFAULT, &x, wide[0],
                                   op % 2 ? from : NULL, &y));
        expect(ctx, weft_sort_axis(ctx, (weft_order_of_sort)(op % 3), &x, wide[0], &y));
        expect(ctx, weft_argsort_axis(ctx, (weft_order_of_sort)(op % 3), &x, wide[0], &y));
        expect(ctx, weft_top_k_axis(ctx, (weft_extreme)(op % 3), &x, wide[0], count, &y, NULL));
        expect(ctx, weft_recurrence_axis(ctx, (weft_direction)(op % 3), &x, &x, wide[0], op % 2 ? &x : NULL, &y));
        expect(ctx, weft_fft_axes(ctx, (weft_fft_kind)(op % 5), &x, count % 5, wide, &y));
        expect(ctx,
               weft_convolve_axis(ctx, (weft_convolve_mode)(op % 4), (weft_field)(count % 3), &x, wide[0], &x, &y));
        expect(ctx, weft_correlate_axis(ctx, (weft_convolve_mode)(op % 4), (weft_field)(count % 3), &x, wide[0],
                                        &short_filter, &y));
        expect(ctx, weft_convolve2d(ctx, (weft_convolve_mode)(op % 4), (weft_border)(count % 4), NULL,
                                    (weft_field)(op % 3), &x, &x, &y));
        expect(ctx, weft_correlate2d(ctx, (weft_convolve_mode)(op % 4), (weft_border)(count % 4), zero,
                                     (weft_field)(op % 3), &x, &short_filter, &y));
        expect(ctx, weft_histogram_axis(ctx, &x, wide[0], count, zero, &y));
        expect(ctx, weft_histogram_even_axis(ctx, &x, wide[0], count, zero, edges + 1, &y));
        expect(ctx, weft_matmul_stack(ctx, WEFT_DEFAULT, NULL, &x, &x, NULL, &y));
        expect(ctx, weft_matmul_complex(ctx, WEFT_DEFAULT, (weft_conjugation)(op % 3), (weft_conjugation)(count % 3),
                                        NULL, &x, &x, NULL, &y));
        expect(ctx, weft_quantile_axis(ctx, (weft_quantile_method)(op % 6), &x, wide[0], count % 5, q, &y));
    }
    free(from);
    free(to);
    return 0;
}
