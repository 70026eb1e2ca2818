#include "tests/every.h"

#include "verify/match.h"
#include "verify/sorted.h"

#include <stdlib.h>
#include <string.h>

enum { N = EVERY_N, SIDE = 120, GRID = 40, SEGMENTS = 1000, TERMS = 300 };

static float x[N], sorted[N], diagonal[N], off[N];
static uint8_t flags[N], text[N];
static uint32_t keys[N];
static uint64_t offsets[SEGMENTS + 1];

/* Output of an operation; one per calling thread. */
static _Thread_local struct {
    double y[N];
    uint64_t indices[N];
    uint64_t counts[N];
} out;

/* --------------------------------------------------------------------------------- operations */

static weft_status run_reduce(weft_context *ctx) {
    return weft_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, out.y);
}
static weft_status run_argmax(weft_context *ctx) {
    return weft_reduce(ctx, WEFT_ARGMAX, WEFT_F32, WEFT_DEFAULT, N, x, out.indices);
}
static weft_status run_norm2(weft_context *ctx) {
    return weft_reduce(ctx, WEFT_NORM2, WEFT_F32, WEFT_F64, N, x, out.y);
}
static weft_status run_exact_add(weft_context *ctx) {
    return weft_exact_add(ctx, WEFT_SUM, WEFT_F32, N, x, (weft_exact_state *)(void *)out.counts);
}
static weft_status run_scan(weft_context *ctx) {
    return weft_scan(ctx, WEFT_SUM, WEFT_EXCLUSIVE, WEFT_F32, WEFT_DEFAULT, N, x, NULL, out.y);
}
static weft_status run_laplace(weft_context *ctx) {
    return weft_laplace(ctx, WEFT_F32, GRID, GRID, GRID, 9, x, out.y, (double *)out.counts);
}
static weft_status solve_laplace(weft_context *ctx, weft_laplace_method method, size_t most) {
    return weft_laplace_solve(ctx, method, WEFT_F32, GRID, GRID, GRID, 0, 0, most, x, out.y, (size_t *)out.indices,
                              (double *)out.counts);
}
static weft_status run_laplace_sor(weft_context *ctx) { return solve_laplace(ctx, WEFT_SOR, 20); }
static weft_status run_laplace_multigrid(weft_context *ctx) { return solve_laplace(ctx, WEFT_MULTIGRID, 3); }
static weft_status run_select(weft_context *ctx) {
    return weft_select(ctx, WEFT_F32, N, x, flags, out.y, out.counts);
}
static weft_status run_partition(weft_context *ctx) {
    return weft_partition_if(ctx, WEFT_GT, WEFT_F32, N, x, x + 7, out.y, out.counts);
}
static weft_status run_unique(weft_context *ctx) { return weft_unique(ctx, WEFT_U8, N, flags, out.y, out.counts); }
static weft_status run_run_length(weft_context *ctx) {
    return weft_run_length(ctx, WEFT_U8, N, flags, out.y, out.indices, out.counts);
}
static weft_status run_segmented_reduce(weft_context *ctx) {
    return weft_segmented_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, SEGMENTS, offsets, out.y);
}
static weft_status run_segmented_reduce_heads(weft_context *ctx) {
    return weft_segmented_reduce_heads(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, flags, out.y, out.counts);
}
static weft_status run_scatter_reduce(weft_context *ctx) {
    return weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_SKIP, WEFT_F32, WEFT_DEFAULT, WEFT_U32, N, 1, 10000, x, keys,
                               NULL, out.y);
}
static weft_status run_scatter_reduce_rows(weft_context *ctx) {
    return weft_scatter_reduce(ctx, WEFT_MEAN, WEFT_RANGE_SKIP, WEFT_F32, WEFT_DEFAULT, WEFT_U32, N / 8, 8, 1000, x,
                               keys, NULL, out.y);
}
static weft_status run_scatter_count(weft_context *ctx) {
    return weft_scatter_count(ctx, WEFT_RANGE_SKIP, WEFT_U32, N, 1000, keys, out.counts);
}
/* Returns a view of the first ROWS * COLUMNS values of an array, transposed or not. */
enum { ROWS = 571, COLUMNS = 350 };
static weft_view matrix_of(const float *values, bool transposed) {
    weft_view v = {.size = sizeof v, .dtype = WEFT_F32, .dimensions = 2, .shape = {ROWS, COLUMNS}};
    const ptrdiff_t size = sizeof *values;
    v.data = (void *)values;
    v.stride[0] = transposed ? size : COLUMNS * size;
    v.stride[1] = transposed ? ROWS * size : size;
    return v;
}
static weft_view row_of(void *values) {
    weft_view v = {.size = sizeof v, .dtype = WEFT_F32, .dimensions = 1, .shape = {COLUMNS}, .data = values};
    v.stride[0] = sizeof(float);
    return v;
}
static weft_status run_copy_view(weft_context *ctx) {
    const weft_view from = matrix_of(x, true), to = matrix_of((float *)out.y, false);
    return weft_copy_view(ctx, &from, &to);
}
static weft_status freed(weft_expr *expr, weft_status status) {
    weft_expr_free(expr);
    return status;
}
/* Evaluates a formula of a matrix and a row, and reduces its values along an axis if `reduced`. */
static weft_status with_views(weft_context *ctx, bool reduced) {
    const weft_view from = matrix_of(x, true), row = row_of(x), to = matrix_of((float *)out.y, false);
    const weft_view_binding bindings[] = {{"x", &from, WEFT_F32, NULL}, {"m", &row, WEFT_F32, NULL}};
    const weft_view sums = row_of(out.y);
    weft_expr *expr = NULL;
    weft_status status = weft_expr_compile(ctx, "(x - m)*i", &expr);
    if (status == WEFT_OK)
        status = reduced ? weft_map_reduce_axes(ctx, WEFT_SUM, expr, WEFT_F32, WEFT_DEFAULT, 2, from.shape, bindings,
                                                2, 1, (int[]){0}, &sums)
                         : weft_map_views(ctx, expr, WEFT_F32, bindings, 2, &to);
    return freed(expr, status);
}
static weft_status run_map_views(weft_context *ctx) { return with_views(ctx, false); }
static weft_status run_map_reduce_axes(weft_context *ctx) { return with_views(ctx, true); }
static weft_status run_map_views_complex(weft_context *ctx) {
    const weft_view numbers = {sizeof numbers, WEFT_F32, 2, {N / 2, 2}, {8, 4}, x, NULL, 0};
    const weft_view to = {sizeof to, WEFT_F32, 2, {N / 2, 2}, {8, 4}, out.y, NULL, 0};
    const weft_view_binding binding = {"z", &numbers, WEFT_F32, NULL};
    weft_expr *expr = NULL;
    weft_status status = weft_expr_compile_complex(ctx, "z*z - conj(z)", (const char *[]){"z"}, 1, &expr);
    if (status == WEFT_OK) status = weft_map_views(ctx, expr, WEFT_F32, &binding, 1, &to);
    return freed(expr, status);
}
static weft_status run_reduce_axes(weft_context *ctx) {
    const weft_view from = matrix_of(x, false), to = row_of(out.y);
    return weft_reduce_axes(ctx, WEFT_SUM, WEFT_DEFAULT, &from, 1, (int[]){0}, &to);
}
static weft_status run_reduce_axes_norm2(weft_context *ctx) {
    const weft_view from = matrix_of(x, true), to = row_of(out.y);
    return weft_reduce_axes(ctx, WEFT_NORM2, WEFT_DEFAULT, &from, 1, (int[]){0}, &to);
}
static weft_status run_variance_axes(weft_context *ctx) {
    const weft_view from = matrix_of(x, false), to = row_of(out.y);
    return weft_variance_axes(ctx, WEFT_DEFAULT, 1, &from, 1, (int[]){0}, &to);
}
static weft_status run_dot_axes(weft_context *ctx) {
    const weft_view left = matrix_of(x, false), right = row_of(x), to = row_of(out.y);
    return weft_dot_axes(ctx, WEFT_DEFAULT, &left, &right, 1, (int[]){0}, &to);
}
static weft_status run_scan_axis(weft_context *ctx) {
    const weft_view from = matrix_of(x, false), to = matrix_of((float *)out.y, true);
    return weft_scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &from, 0, NULL, &to);
}
static weft_status run_scan_axis_rows(weft_context *ctx) {
    const weft_view from = matrix_of(x, false), to = matrix_of((float *)out.y, false);
    return weft_scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &from, 1, NULL, &to);
}
static weft_status run_sort_axis(weft_context *ctx) {
    const weft_view from = matrix_of(x, false), to = matrix_of((float *)out.y, true);
    return weft_sort_axis(ctx, WEFT_ASCENDING, &from, 0, &to);
}
static weft_status run_sort_axis_rows(weft_context *ctx) {
    const weft_view from = matrix_of(x, false), to = matrix_of((float *)out.y, false);
    return weft_sort_axis(ctx, WEFT_DESCENDING, &from, 1, &to);
}
static weft_status run_argsort_axis(weft_context *ctx) {
    const weft_view from = matrix_of(x, false);
    weft_view to = matrix_of((float *)out.y, true);
    to.dtype = WEFT_U32;
    return weft_argsort_axis(ctx, WEFT_ASCENDING, &from, 0, &to);
}
static weft_status run_top_k_axis(weft_context *ctx) {
    const weft_view from = matrix_of(x, false);
    weft_view to = matrix_of((float *)out.y, false), indices = matrix_of((float *)(void *)out.counts, true);
    to.shape[0] = indices.shape[0] = 2;
    indices.dtype = WEFT_U32;
    return weft_top_k_axis(ctx, WEFT_LARGEST, &from, 0, 2, &to, &indices);
}
static weft_status run_top_k_axis_rows(weft_context *ctx) {
    const weft_view from = matrix_of(x, false);
    weft_view to = matrix_of((float *)out.y, true);
    to.shape[1] = to.shape[1] / 2;
    return weft_top_k_axis(ctx, WEFT_SMALLEST, &from, 1, to.shape[1], &to, NULL);
}
static weft_status run_quantile_axis(weft_context *ctx) {
    const weft_view from = matrix_of(x, false);
    weft_view to = matrix_of((float *)out.y, false);
    to.shape[0] = 3;
    return weft_quantile_axis(ctx, WEFT_LINEAR, &from, 0, 3, (double[]){0.25, 0.5, 0.75}, &to);
}
static weft_status run_quantile_axis_rows(weft_context *ctx) {
    const weft_view from = matrix_of(x, false);
    weft_view to = matrix_of((float *)out.y, true);
    to.shape[1] = 2;
    return weft_quantile_axis(ctx, WEFT_NEAREST, &from, 1, 2, (double[]){0.5, 1}, &to);
}
static weft_status run_take_axis(weft_context *ctx) {
    const weft_view from = matrix_of(x, false), to = matrix_of((float *)out.y, true);
    weft_view index = row_of(keys);
    index.dtype = WEFT_U32;
    return weft_take_axis(ctx, WEFT_RANGE_SKIP, &from, 1, &index, &to);
}
static weft_status run_put_axis(weft_context *ctx) {
    const weft_view from = matrix_of(x, false), to = matrix_of((float *)out.y, true);
    weft_view index;
    const weft_status status = weft_view_of(WEFT_U64, 1, (size_t[]){COLUMNS}, offsets, &index);
    return status == WEFT_OK ? weft_put_axis(ctx, WEFT_RANGE_SKIP, &from, 1, &index, &to) : status;
}
static weft_status run_gather(weft_context *ctx) {
    return weft_gather(ctx, WEFT_RANGE_SKIP, WEFT_F32, WEFT_U32, N, 1, N, x, keys, out.y);
}
static weft_status run_scatter(weft_context *ctx) {
    return weft_scatter(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_U64, SEGMENTS, 2, N, x, offsets, out.y);
}
static weft_status run_segmented_scan(weft_context *ctx) {
    return weft_segmented_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, N, x, SEGMENTS, offsets, out.y);
}
static weft_status run_segmented_scan_heads(weft_context *ctx) {
    return weft_segmented_scan_heads(ctx, WEFT_SUM, WEFT_EXCLUSIVE, WEFT_F32, WEFT_DEFAULT, N, x, flags, out.y);
}
static weft_status run_reduce_by_key(weft_context *ctx) {
    return weft_reduce_by_key(ctx, WEFT_SUM, WEFT_U8, WEFT_F32, WEFT_DEFAULT, N, flags, x, out.indices, out.y,
                              out.counts);
}
static weft_status run_recurrence(weft_context *ctx) {
    return weft_recurrence(ctx, WEFT_FORWARD, WEFT_F32, 1, N, x, sorted, NULL, out.y);
}
static weft_status run_recurrence_rows(weft_context *ctx) {
    return weft_recurrence(ctx, WEFT_REVERSE, WEFT_F32, 1000, N / 1000, x, sorted, NULL, out.y);
}
static weft_status run_recurrence_axis(weft_context *ctx) {
    const weft_view factors = matrix_of(x, false), terms = row_of(sorted), to = matrix_of((float *)out.y, true);
    return weft_recurrence_axis(ctx, WEFT_FORWARD, &factors, &terms, 0, NULL, &to);
}
static weft_status run_histogram(weft_context *ctx) {
    static const float lower = -2, upper = 2;
    return weft_histogram_even(ctx, WEFT_F32, N, x, 1000, &lower, &upper, out.counts);
}
/* Columns and counts that are copied. */
static weft_status run_histogram_axis(weft_context *ctx) {
    weft_view from, to;
    weft_view_of(WEFT_F32, 3, (size_t[]){8, 200, 20}, x, &from);
    weft_view_of(WEFT_U64, 3, (size_t[]){8, 4, 20}, out.counts, &to);
    return weft_histogram_axis(ctx, &from, 1, 4, (float[]){-2, -0.5F, 0, 0.5F, 2}, &to);
}
static weft_status run_histogram_rows(weft_context *ctx) {
    static const uint8_t lower = 0, upper = 255;
    weft_view from, to;
    weft_view_of(WEFT_U8, 2, (size_t[]){100, 300}, text, &from);
    weft_view_of(WEFT_U64, 2, (size_t[]){100, 256}, out.counts, &to);
    return weft_histogram_even_axis(ctx, &from, -1, 256, &lower, &upper, &to);
}
static weft_status run_merge(weft_context *ctx) {
    return weft_merge(ctx, WEFT_F32, N / 2, sorted, N / 2, sorted + 17, out.y);
}
static weft_status run_search_sorted(weft_context *ctx) {
    return weft_search_sorted(ctx, WEFT_LEFT, WEFT_F32, N, sorted, N, x, out.indices);
}
static weft_status run_matmul(weft_context *ctx) {
    return weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_TRANSPOSE, WEFT_F32, WEFT_DEFAULT, SIDE, SIDE,
                       SIDE, NULL, x, SIDE, sorted, SIDE, NULL, out.y, SIDE);
}
/* Several batches: the axes of the stack are no single one in memory. */
static weft_status run_matmul_stack(weft_context *ctx) {
    weft_view a, b, c;
    weft_view_of(WEFT_F32, 4, (size_t[]){5, 1, 10, 20}, x, &a);
    weft_view_of(WEFT_F32, 4, (size_t[]){1, 4, 20, 30}, x + 500, &b);
    weft_view_of(WEFT_F32, 4, (size_t[]){5, 4, 10, 30}, out.y, &c);
    return weft_matmul_stack(ctx, WEFT_DEFAULT, NULL, &a, &b, NULL, &c);
}
/* With copies of the parts of C. */
static weft_status run_matmul_complex(weft_context *ctx) {
    const float one = 1;
    weft_view a, b, c;
    weft_view_of(WEFT_F32, 3, (size_t[]){40, 30, 2}, x, &a);
    weft_view_of(WEFT_F32, 3, (size_t[]){30, 20, 2}, x + 500, &b);
    weft_view_of(WEFT_F32, 4, (size_t[]){3, 40, 20, 2}, out.y, &c);
    return weft_matmul_complex(ctx, WEFT_DEFAULT, WEFT_CONJUGATE, WEFT_NO_CONJUGATE, NULL, &a, &b, &one, &c);
}
static weft_status run_fft(weft_context *ctx) { return weft_fft(ctx, WEFT_C2C, WEFT_F32, 1, 1 << 16, x, out.y); }
static weft_status run_fft_batch(weft_context *ctx) {
    return weft_fft(ctx, WEFT_C2C, WEFT_F32, 64, 1 << 10, x, out.y);
}
/* In parts, with two passes of radix 5. */
static weft_status run_fft_radices(weft_context *ctx) {
    return weft_fft(ctx, WEFT_C2C_INVERSE, WEFT_F32, 100, 800, x, out.y);
}
/* By a convolution; the first factor above 97. */
static weft_status run_fft_chirp(weft_context *ctx) { return weft_fft(ctx, WEFT_R2C, WEFT_F32, 100, 505, x, out.y); }
/* Back to real numbers, with an array for the transforms along the first axis. */
static weft_status run_fft_axes(weft_context *ctx) {
    weft_view from, to;
    weft_view_of(WEFT_F32, 4, (size_t[]){64, 10, 129, 2}, x, &from);
    weft_view_of(WEFT_F32, 3, (size_t[]){64, 10, 256}, out.y, &to);
    return weft_fft_axes(ctx, WEFT_C2R, &from, 2, (int[]){0, 2}, &to);
}
static weft_status run_convolve(weft_context *ctx) {
    return weft_convolve(ctx, WEFT_SAME, WEFT_F32, WEFT_REAL, N, x, TERMS, sorted, out.y);
}
/* Columns that are copied to rows, with filters that some of them share. */
static weft_status run_convolve_axis(weft_context *ctx) {
    weft_view from, by, to;
    weft_view_of(WEFT_F32, 3, (size_t[]){8, 200, 20}, x, &from);
    weft_view_of(WEFT_F32, 3, (size_t[]){8, 100, 1}, sorted, &by);
    weft_view_of(WEFT_F32, 3, (size_t[]){8, 200, 20}, out.y, &to);
    return weft_correlate_axis(ctx, WEFT_SAME, WEFT_REAL, &from, 1, &by, &to);
}
static weft_status run_convolve_rows(weft_context *ctx) {
    weft_view from, by, to;
    weft_view_of(WEFT_F32, 2, (size_t[]){100, 300}, x, &from);
    weft_view_of(WEFT_F32, 1, (size_t[]){9}, sorted, &by);
    weft_view_of(WEFT_F32, 2, (size_t[]){100, 308}, out.y, &to);
    return weft_convolve_axis(ctx, WEFT_FULL, WEFT_REAL, &from, -1, &by, &to);
}
/* Blocks of images with their border. */
static weft_status run_convolve2d(weft_context *ctx) {
    weft_view from, by, to;
    weft_view_of(WEFT_F32, 3, (size_t[]){4, 60, 70}, x, &from);
    weft_view_of(WEFT_F32, 2, (size_t[]){17, 17}, sorted, &by);
    weft_view_of(WEFT_F32, 3, (size_t[]){4, 60, 70}, out.y, &to);
    return weft_correlate2d(ctx, WEFT_SAME, WEFT_BORDER_WRAP, NULL, WEFT_REAL, &from, &by, &to);
}
static weft_status solve(weft_context *ctx, size_t systems, size_t n) {
    const weft_lines a = {off, 1, n}, b = {diagonal, 1, n}, d = {x, 1, n};
    return weft_tridiag(ctx, WEFT_OPEN_ENDS, WEFT_F32, systems, n, a, b, a, d, out.y, out.counts);
}
static weft_status pivot(weft_context *ctx, size_t systems, size_t n) {
    const weft_lines a = {off, 1, n}, b = {diagonal, 1, n}, d = {x, 1, n};
    return weft_tridiag_pivot(ctx, WEFT_PERIODIC, WEFT_F32, systems, n, b, a, a, d, out.y, out.counts);
}
static weft_status run_tridiag(weft_context *ctx) { return solve(ctx, 1, N); }
static weft_status run_tridiag_batch(weft_context *ctx) { return solve(ctx, 1000, N / 1000); }
static weft_status run_tridiag_pivot(weft_context *ctx) { return pivot(ctx, 1, N); }
static weft_status run_tridiag_pivot_batch(weft_context *ctx) { return pivot(ctx, 1000, N / 1000); }
static weft_status solve_blocks(weft_context *ctx, size_t systems, size_t n) {
    static const float side[] = {-1, 0, 0, -1}, middle[] = {4, 1, -1, 4};
    const weft_lines a = {side, 0, 0}, b = {middle, 0, 0}, d = {x, 1, n};
    return weft_block_tridiag(ctx, WEFT_OPEN_ENDS, WEFT_F32, 2, systems, n, a, b, a, d, out.y, out.counts);
}
static weft_status run_block_tridiag(weft_context *ctx) { return solve_blocks(ctx, 1, N / 2); }
static weft_status run_block_tridiag_batch(weft_context *ctx) { return solve_blocks(ctx, 1000, N / 2000); }
static weft_status run_pentadiag(weft_context *ctx) {
    const weft_lines e = {off, 1, N}, b = {diagonal, 1, N}, d = {x, 1, N};
    return weft_pentadiag(ctx, WEFT_OPEN_ENDS, WEFT_F32, 1, N, e, e, b, e, e, d, out.y, out.counts);
}
static weft_status run_heat(weft_context *ctx) {
    static const size_t shape[] = {300, 600};
    static const double lambda[] = {1.5, 2.5};
    return weft_heat(ctx, WEFT_CRANK_NICOLSON, WEFT_F32, 2, shape, 1, lambda, 4, x, out.y);
}
static weft_status run_sort(weft_context *ctx) { return weft_sort(ctx, WEFT_ASCENDING, WEFT_F32, N, x, out.y); }
static weft_status run_sort_pairs(weft_context *ctx) {
    return weft_sort_pairs(ctx, WEFT_DESCENDING, WEFT_U32, N, keys, 4, x, out.indices, out.y);
}
static weft_status run_random(weft_context *ctx) {
    return weft_random(ctx, WEFT_NORMAL, WEFT_F32, 1, 2, 3, N, 0, 1, out.y);
}
static weft_status run_sobol(weft_context *ctx) {
    return weft_sobol(ctx, WEFT_OWEN, WEFT_F32, 1, 2, 20, 5, N / 20, out.y);
}
static weft_status run_price(weft_context *ctx) {
    static const double start = 100, volatility = 0.2;
    const weft_option option = {.size = sizeof option,
                                .payoff = WEFT_CALL,
                                .observed = WEFT_OBSERVE_MEAN,
                                .strike = 100,
                                .rate = 0.05,
                                .maturity = 1,
                                .assets = 1,
                                .start = &start,
                                .volatility = &volatility};
    const weft_simulation simulation = {
        .size = sizeof simulation, .dtype = WEFT_F32, .steps = 8, .paths = 20000, .seed = 1, .greeks = 1};
    weft_valuation valuation = {.size = sizeof valuation};
    const weft_status status = weft_price(ctx, &option, &simulation, &valuation);
    if (status == WEFT_OK) {
        out.y[0] = valuation.price;
        out.y[1] = valuation.delta[0];
        out.y[2] = valuation.vega_error[0];
    }
    return status;
}

static const uint64_t words_at[] = {0, 3, 6};
static const weft_patterns words = {2, words_at, "thecat"};
static weft_status run_match_count(weft_context *ctx) {
    return weft_match_count(ctx, N, text, 0, N, &words, 0, out.counts);
}
static weft_status run_match_list(weft_context *ctx) {
    return weft_match_list(ctx, N, text, 0, N, &words, 0, 1000, out.indices, (uint32_t *)out.y, out.counts);
}

/* Runs a formula with one array; `use` selects map, map_reduce or map_scan. */
static weft_status with_formula(weft_context *ctx, int use) {
    const weft_binding binding = {"x", WEFT_F32, x, NULL};
    weft_expr *expr = NULL;
    weft_status status = weft_expr_compile(ctx, "exp(x)*x + 0.1*i", &expr);
    if (status != WEFT_OK) return status;
    if (use == 0) status = weft_map(ctx, expr, WEFT_F32, N, &binding, 1, out.y);
    if (use == 1) status = weft_map_reduce(ctx, WEFT_MEAN, expr, WEFT_F32, WEFT_DEFAULT, N, &binding, 1, out.y);
    if (use == 2)
        status =
            weft_map_scan(ctx, WEFT_MAX, WEFT_INCLUSIVE, expr, WEFT_F32, WEFT_DEFAULT, N, &binding, 1, NULL, out.y);
    return freed(expr, status);
}
static weft_status run_map(weft_context *ctx) { return with_formula(ctx, 0); }
static weft_status run_map_reduce(weft_context *ctx) { return with_formula(ctx, 1); }
static weft_status run_map_scan(weft_context *ctx) { return with_formula(ctx, 2); }

/* -------------------------------------------------------------------------- calls with sources */

static weft_status run_reduce_source(weft_context *ctx) {
    weft_channel channel;
    const weft_source source = weft_source_memory(&channel, WEFT_F32, N, x);
    return weft_reduce_source(ctx, WEFT_NORM2, WEFT_DEFAULT, &source, out.y);
}
static weft_status run_variance_source(weft_context *ctx) {
    weft_channel channel;
    const weft_source source = weft_source_memory(&channel, WEFT_F32, N, x);
    return weft_variance_source(ctx, WEFT_DEFAULT, 0, &source, out.y);
}
static weft_status run_dot_source(weft_context *ctx) {
    weft_channel channels[2];
    const weft_source a = weft_source_memory(&channels[0], WEFT_F32, N, x),
                      b = weft_source_memory(&channels[1], WEFT_F32, N, sorted);
    return weft_dot_source(ctx, WEFT_DEFAULT, &a, &b, out.y);
}
static weft_status run_scan_source(weft_context *ctx) {
    weft_channel channels[2];
    const weft_source source = weft_source_memory(&channels[0], WEFT_F32, N, x);
    const weft_sink sink = weft_sink_memory(&channels[1], N * sizeof *x, out.y);
    return weft_scan_source(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &source, NULL, &sink);
}
static weft_status run_recurrence_source(weft_context *ctx) {
    weft_channel channels[3];
    const weft_source s = weft_source_memory(&channels[0], WEFT_F32, N, x),
                      u = weft_source_memory(&channels[1], WEFT_F32, N, sorted);
    const weft_sink sink = weft_sink_memory(&channels[2], N * sizeof *x, out.y);
    return weft_recurrence_source(ctx, &s, &u, NULL, &sink);
}
static weft_status run_histogram_source(weft_context *ctx) {
    static const float lower = -2, upper = 2;
    weft_channel channel;
    const weft_source source = weft_source_memory(&channel, WEFT_F32, N, x);
    return weft_histogram_even_source(ctx, &source, 100, &lower, &upper, out.counts);
}
static weft_status scatter_source(weft_context *ctx, weft_op op) {
    weft_channel channels[2];
    const weft_source source = weft_source_memory(&channels[0], WEFT_F32, N, x),
                      index = weft_source_memory(&channels[1], WEFT_U32, N, keys);
    return weft_scatter_reduce_source(ctx, op, WEFT_RANGE_SKIP, WEFT_DEFAULT, 1, 1000, &source, &index, NULL, out.y);
}
static weft_status run_scatter_reduce_source(weft_context *ctx) { return scatter_source(ctx, WEFT_SUM); }
static weft_status run_scatter_extremes_source(weft_context *ctx) { return scatter_source(ctx, WEFT_MAX); }
static weft_status run_scatter_count_source(weft_context *ctx) {
    weft_channel channel;
    const weft_source index = weft_source_memory(&channel, WEFT_U32, N, keys);
    return weft_scatter_count_source(ctx, WEFT_RANGE_SKIP, 1000, &index, out.counts);
}
static weft_status run_match_source(weft_context *ctx) {
    weft_channel channel;
    const weft_source source = weft_source_memory(&channel, WEFT_U8, N, text);
    return weft_match_count_source(ctx, &source, &words, 0, out.counts);
}
static weft_status with_formula_source(weft_context *ctx, int use) {
    weft_channel channels[2];
    const weft_source source = weft_source_memory(&channels[0], WEFT_F32, N, x);
    const weft_sink sink = weft_sink_memory(&channels[1], N * sizeof *x, out.y);
    const weft_source_binding binding = {"x", &source, WEFT_F32, NULL};
    weft_expr *expr = NULL;
    weft_status status = weft_expr_compile(ctx, "exp(x)*x + 0.1*i", &expr);
    if (status != WEFT_OK) return status;
    if (use == 0) status = weft_map_source(ctx, expr, WEFT_F32, &binding, 1, &sink);
    if (use == 1) status = weft_map_reduce_source(ctx, WEFT_SUM, expr, WEFT_F32, WEFT_DEFAULT, &binding, 1, out.y);
    if (use == 2)
        status = weft_map_scan_source(ctx, WEFT_SUM, WEFT_INCLUSIVE, expr, WEFT_F32, WEFT_DEFAULT, &binding, 1, NULL,
                                      &sink);
    return freed(expr, status);
}
static weft_status run_map_source(weft_context *ctx) { return with_formula_source(ctx, 0); }
static weft_status run_map_reduce_source(weft_context *ctx) { return with_formula_source(ctx, 1); }
static weft_status run_map_scan_source(weft_context *ctx) { return with_formula_source(ctx, 2); }

/* --------------------------------------------------------------------------------------- list */

/* Calls that the cases of verify/cases do not contain: calls with other shapes, calls of other functions, and calls
 * with sources. An operation whose case makes several calls of the library needs an entry here too. */

typedef struct operation {
    const char *name;
    weft_status (*run)(weft_context *ctx);
} operation;

static const operation operations[] = {
    {"reduce", run_reduce},
    {"argmax", run_argmax},
    {"norm2", run_norm2},
    {"exact_add", run_exact_add},
    {"scan", run_scan},
    {"laplace", run_laplace},
    {"laplace_solve by SOR", run_laplace_sor},
    {"laplace_solve by multigrid", run_laplace_multigrid},
    {"select", run_select},
    {"partition", run_partition},
    {"unique", run_unique},
    {"run_length", run_run_length},
    {"segmented_reduce", run_segmented_reduce},
    {"segmented_reduce by heads", run_segmented_reduce_heads},
    {"segmented_scan", run_segmented_scan},
    {"segmented_scan by heads", run_segmented_scan_heads},
    {"reduce_by_key", run_reduce_by_key},
    {"scatter_reduce", run_scatter_reduce},
    {"scatter_reduce of rows", run_scatter_reduce_rows},
    {"scatter_count", run_scatter_count},
    {"copy_view", run_copy_view},
    {"map_views", run_map_views},
    {"map_views of complex numbers", run_map_views_complex},
    {"map_reduce_axes", run_map_reduce_axes},
    {"reduce_axes", run_reduce_axes},
    {"reduce_axes of norms", run_reduce_axes_norm2},
    {"variance_axes", run_variance_axes},
    {"dot_axes", run_dot_axes},
    {"scan_axis", run_scan_axis},
    {"scan_axis of rows", run_scan_axis_rows},
    {"sort_axis", run_sort_axis},
    {"sort_axis of rows", run_sort_axis_rows},
    {"argsort_axis", run_argsort_axis},
    {"top_k_axis", run_top_k_axis},
    {"top_k_axis of rows", run_top_k_axis_rows},
    {"quantile_axis", run_quantile_axis},
    {"quantile_axis of rows", run_quantile_axis_rows},
    {"take_axis", run_take_axis},
    {"put_axis", run_put_axis},
    {"gather", run_gather},
    {"scatter", run_scatter},
    {"recurrence", run_recurrence},
    {"recurrence in rows", run_recurrence_rows},
    {"recurrence_axis", run_recurrence_axis},
    {"histogram", run_histogram},
    {"histogram_axis", run_histogram_axis},
    {"histogram_even_axis of rows", run_histogram_rows},
    {"merge", run_merge},
    {"search_sorted", run_search_sorted},
    {"matmul", run_matmul},
    {"matmul_stack", run_matmul_stack},
    {"matmul_complex", run_matmul_complex},
    {"fft", run_fft},
    {"fft of a batch", run_fft_batch},
    {"fft of 800 values", run_fft_radices},
    {"fft of 505 values", run_fft_chirp},
    {"fft_axes", run_fft_axes},
    {"convolve", run_convolve},
    {"convolve_axis", run_convolve_axis},
    {"convolve_axis of rows", run_convolve_rows},
    {"convolve2d", run_convolve2d},
    {"tridiag", run_tridiag},
    {"tridiag of a batch", run_tridiag_batch},
    {"tridiag_pivot", run_tridiag_pivot},
    {"tridiag_pivot of a batch", run_tridiag_pivot_batch},
    {"block_tridiag", run_block_tridiag},
    {"block_tridiag of a batch", run_block_tridiag_batch},
    {"pentadiag", run_pentadiag},
    {"heat", run_heat},
    {"sort", run_sort},
    {"sort_pairs", run_sort_pairs},
    {"random", run_random},
    {"sobol", run_sobol},
    {"price", run_price},
    {"match_count", run_match_count},
    {"match_list", run_match_list},
    {"map", run_map},
    {"map_reduce", run_map_reduce},
    {"map_scan", run_map_scan},
    {"reduce_source", run_reduce_source},
    {"variance_source", run_variance_source},
    {"dot_source", run_dot_source},
    {"scan_source", run_scan_source},
    {"recurrence_source", run_recurrence_source},
    {"histogram_source", run_histogram_source},
    {"scatter_reduce_source", run_scatter_reduce_source},
    {"scatter_reduce_source of extremes", run_scatter_extremes_source},
    {"scatter_count_source", run_scatter_count_source},
    {"match_count_source", run_match_source},
    {"map_source", run_map_source},
    {"map_reduce_source", run_map_reduce_source},
    {"map_scan_source", run_map_scan_source},
};

enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Cases of verify/cases, for the operations of core/ops.def that are not listed above. */
static match_case cases[EVERY_MAX - OPERATIONS];
static size_t case_count;

/* Returns true if an entry of the list is called NAME, or NAME and more words. */
static bool is_listed(const char *name) {
    const size_t length = strlen(name);
    for (size_t i = 0; i < OPERATIONS; i++) {
        const char *const listed = operations[i].name;
        if (strncmp(listed, name, length) == 0 && strchr(" _", listed[length])) return true;
    }
    return false;
}

/* Adds a case for each parameter of the operation, with elements of f32, or else of u32. */
static void add_cases(const match_operation *operation) {
    const size_t before = case_count;
    for (int parameter = 0; parameter < operation->shape->parameters; parameter++) {
        match_case c = {.operation = operation, .n = N, .parameter = parameter, .kind = INPUT_UNIFORM, .seed = 1};
        c.dtype = WEFT_F32;
        if (operation->shape->out_bytes(&c) == 0) c.dtype = WEFT_U32;
        if (operation->shape->out_bytes(&c) == 0) continue;
        if (case_count == sizeof cases / sizeof *cases || match_out_bytes(&c) > sizeof out) abort();
        cases[case_count++] = c;
    }
    if (case_count == before) abort();
}

static weft_status run_case(weft_context *ctx, const match_case *c) {
    const void *const inputs[MATCH_INPUTS] = {c->dtype == WEFT_F32 ? (const void *)x : keys,
                                              c->dtype == WEFT_F32 ? (const void *)sorted : keys};
    const weft_status status = c->operation->shape->call(c, ctx, inputs, &out);
    sorted_release();
    return status;
}

void every_prepare(void) {
    input_fill(INPUT_UNIFORM, WEFT_F32, 1, N, x);
    for (size_t i = 0; i < N; i++) {
        const uint64_t r = input_random(2, i);
        sorted[i] = (float)i / 3;
        diagonal[i] = 4 + (float)(r % 7) / 8;
        off[i] = (float)(r % 5) / 8;
        flags[i] = r >> 20 & 1;
        keys[i] = (uint32_t)(r >> 40) / 1000;
        text[i] = (uint8_t)("the cat "[r >> 30 & 7]);
    }
    for (size_t i = 0; i <= SEGMENTS; i++) offsets[i] = i * N / SEGMENTS;
    case_count = 0;
    for (size_t i = 0; i < MATCH_OPERATION_COUNT; i++)
        if (MATCH_OPERATIONS[i].shape != &match_reduce && !is_listed(MATCH_OPERATIONS[i].name))
            add_cases(&MATCH_OPERATIONS[i]);
}

size_t every_count(void) { return OPERATIONS + case_count; }

const char *every_name(size_t operation) {
    return operation < OPERATIONS ? operations[operation].name : cases[operation - OPERATIONS].operation->name;
}

weft_status every_run(weft_context *ctx, size_t operation, uint64_t *bits) {
    memset(&out, 0, sizeof out);
    const weft_status status =
        operation < OPERATIONS ? operations[operation].run(ctx) : run_case(ctx, &cases[operation - OPERATIONS]);
    const uint64_t *const words_of_out = (const uint64_t *)(const void *)&out;
    *bits = 0;
    for (size_t i = 0; i < sizeof out / sizeof *bits; i++) *bits = (*bits ^ words_of_out[i]) * 0x9e3779b97f4a7c15 + 1;
    return status;
}
