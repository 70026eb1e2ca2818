/* Tests which functions take elements of f16 and bf16: those of TAKES, and not those of REFUSES. tests/lint/halves.sh
 * compares both lists with docs/guide/halves.md and with weft.h. */
#include "tests/expect.h"

static uint16_t x[64], y[64];
static uint64_t count, offsets[2] = {0, 1};
static uint32_t targets[1];
static uint8_t flags[1];
static weft_exact_state state;
static weft_channel channels[3];
static weft_source opened[2];
static const float lower = 0, upper = 1, edges[] = {0, 1};
static const double lambda = 0.1;
static const size_t shape[] = {3};

#define TAKES(name, ...) expect_taken(#name, t, true, (name)(__VA_ARGS__))
#define REFUSES(name, ...) expect_taken(#name, t, false, (name)(__VA_ARGS__))

static void expect_taken(const char *name, weft_dtype t, bool taken, weft_status status) {
    const weft_status wanted = taken ? WEFT_OK : WEFT_UNSUPPORTED;
    EXPECT(status == wanted, "%s of %s returned %s", name, weft_dtype_name(t), weft_status_name(status));
}

static void taken(weft_context *ctx, weft_dtype t) {
    const weft_layout rows = WEFT_ROW_MAJOR;
    const weft_transpose no = WEFT_NO_TRANSPOSE;
    TAKES(weft_reduce, ctx, WEFT_SUM, t, WEFT_DEFAULT, 1, x, y);
    TAKES(weft_variance, ctx, t, WEFT_DEFAULT, 1, 0, x, y);
    TAKES(weft_dot, ctx, t, WEFT_DEFAULT, 1, x, x, y);
    TAKES(weft_scan, ctx, WEFT_SUM, WEFT_INCLUSIVE, t, WEFT_DEFAULT, 1, x, NULL, y);
    TAKES(weft_select, ctx, t, 1, x, flags, y, &count);
    TAKES(weft_select_if, ctx, WEFT_LT, t, 1, x, x, y, &count);
    TAKES(weft_select_indices_if, ctx, WEFT_LT, t, 1, x, x, offsets, &count);
    TAKES(weft_partition, ctx, t, 1, x, flags, y, &count);
    TAKES(weft_partition_if, ctx, WEFT_LT, t, 1, x, x, y, &count);
    offsets[0] = 0, offsets[1] = 1;
    TAKES(weft_segmented_reduce, ctx, WEFT_SUM, t, WEFT_DEFAULT, 1, x, 1, offsets, y);
    TAKES(weft_segmented_reduce_heads, ctx, WEFT_SUM, t, WEFT_DEFAULT, 1, x, flags, y, &count);
    TAKES(weft_segmented_scan, ctx, WEFT_SUM, WEFT_INCLUSIVE, t, WEFT_DEFAULT, 1, x, 1, offsets, y);
    TAKES(weft_segmented_scan_heads, ctx, WEFT_SUM, WEFT_INCLUSIVE, t, WEFT_DEFAULT, 1, x, flags, y);
    TAKES(weft_reduce_by_key, ctx, WEFT_SUM, WEFT_U8, t, WEFT_DEFAULT, 1, flags, x, y + 8, y, &count);
    TAKES(weft_scatter_reduce, ctx, WEFT_SUM, WEFT_RANGE_ERROR, t, WEFT_DEFAULT, WEFT_U32, 1, 1, 1, x, targets, NULL,
          y);
    TAKES(weft_gather, ctx, WEFT_RANGE_ERROR, t, WEFT_U32, 1, 1, 1, x, targets, y);
    TAKES(weft_scatter, ctx, WEFT_RANGE_ERROR, t, WEFT_U32, 1, 1, 1, x, targets, y);
    TAKES(weft_histogram, ctx, t, 1, x, 1, edges, &count);
    TAKES(weft_histogram_even, ctx, t, 1, x, 1, &lower, &upper, &count);
    TAKES(weft_top_k, ctx, WEFT_LARGEST, t, 1, x, 1, y, NULL);
    TAKES(weft_merge, ctx, t, 1, x, 1, x + 1, y);
    TAKES(weft_search_sorted, ctx, WEFT_LEFT, t, 1, x, 1, x, &count);
    TAKES(weft_matmul, ctx, rows, no, no, t, WEFT_DEFAULT, 1, 1, 1, NULL, x, 1, x, 1, NULL, y, 1);
    TAKES(weft_matmul_batched, ctx, rows, no, no, t, WEFT_DEFAULT, 1, 1, 1, NULL, x, 1, 1, x, 1, 1, NULL, y, 1, 1, 1);
    TAKES(weft_sort, ctx, WEFT_ASCENDING, t, 1, x, y);
    TAKES(weft_sort_pairs, ctx, WEFT_ASCENDING, t, 1, x, 2, x + 8, y, y + 8);
    TAKES(weft_argsort, ctx, WEFT_ASCENDING, t, WEFT_U32, 1, x, targets);
    TAKES(weft_random, ctx, WEFT_UNIFORM, t, 1, 0, 0, 1, 0, 1, y);
    targets[0] = 0;
}

/* Returns source number i of one element at p. */
static const weft_source *source_of(int i, weft_dtype t, const void *p) {
    opened[i] = weft_source_memory(&channels[i], t, 1, p);
    return &opened[i];
}

/* Functions of sources. */
static void sources(weft_context *ctx, weft_dtype t) {
    const weft_sink sink = weft_sink_memory(&channels[2], sizeof y, y);
    const weft_patterns word = {1, offsets, "a"};
    offsets[0] = 0, offsets[1] = 1;
    TAKES(weft_reduce_source, ctx, WEFT_SUM, WEFT_DEFAULT, source_of(0, t, x), y);
    TAKES(weft_variance_source, ctx, WEFT_DEFAULT, 0, source_of(0, t, x), y);
    TAKES(weft_dot_source, ctx, WEFT_DEFAULT, source_of(0, t, x), source_of(1, t, x), y);
    TAKES(weft_scan_source, ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, source_of(0, t, x), NULL, &sink);
    TAKES(weft_histogram_source, ctx, source_of(0, t, x), 1, edges, &count);
    TAKES(weft_histogram_even_source, ctx, source_of(0, t, x), 1, &lower, &upper, &count);
    TAKES(weft_scatter_reduce_source, ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_DEFAULT, 1, 1, source_of(0, t, x),
          source_of(1, WEFT_U32, targets), NULL, y);
    REFUSES(weft_recurrence_source, ctx, source_of(0, t, x), source_of(1, t, x), NULL, &sink);
    REFUSES(weft_scatter_count_source, ctx, WEFT_RANGE_ERROR, 1, source_of(0, t, x), &count);
    REFUSES(weft_match_count_source, ctx, source_of(0, t, x), &word, 0, &count);
}

static void refused(weft_context *ctx, weft_dtype t) {
    const weft_lines lines = {.p = x, .line = 1, .step = 1};
    const weft_boundary open = WEFT_OPEN_ENDS;
    REFUSES(weft_reduce_lanes, ctx, WEFT_SUM, t, WEFT_DEFAULT, 1, 16, x, y);
    REFUSES(weft_exact_add, ctx, WEFT_SUM, t, 1, x, &state);
    REFUSES(weft_exact_add_dot, ctx, t, 1, x, x, &state);
    REFUSES(weft_exact_value, WEFT_SUM, t, &state, y);
    REFUSES(weft_laplace, ctx, t, 3, 1, 1, 1, x, y, NULL);
    REFUSES(weft_laplace_solve, ctx, WEFT_SOR, t, 3, 1, 1, 1.5, 0, 1, x, y, NULL, NULL);
    REFUSES(weft_fft, ctx, WEFT_C2C, t, 1, 1, x, y);
    REFUSES(weft_convolve, ctx, WEFT_FULL, t, WEFT_REAL, 1, x, 1, x, y);
    REFUSES(weft_correlate, ctx, WEFT_FULL, t, WEFT_REAL, 1, x, 1, x, y);
    REFUSES(weft_unique, ctx, t, 1, x, y, &count);
    REFUSES(weft_run_length, ctx, t, 1, x, y, offsets, &count);
    REFUSES(weft_recurrence, ctx, WEFT_FORWARD, t, 1, 1, x, x, NULL, y);
    REFUSES(weft_tridiag, ctx, open, t, 1, 1, lines, lines, lines, lines, y, NULL);
    REFUSES(weft_tridiag_pivot, ctx, open, t, 1, 1, lines, lines, lines, lines, y, NULL);
    REFUSES(weft_block_tridiag, ctx, open, t, 2, 1, 1, lines, lines, lines, lines, y, NULL);
    REFUSES(weft_pentadiag, ctx, open, t, 1, 1, lines, lines, lines, lines, lines, lines, y, NULL);
    REFUSES(weft_heat, ctx, WEFT_CRANK_NICOLSON, t, 1, shape, 1, &lambda, 1, x, y);
    REFUSES(weft_sort_bits, ctx, WEFT_ASCENDING, t, 0, 16, 1, x, 2, x + 8, y, y + 8);
    REFUSES(weft_random_integers, ctx, t, 1, 0, 0, 1, x, x, y);
    REFUSES(weft_sobol, ctx, WEFT_UNSCRAMBLED, t, 1, 0, 1, 0, 1, y);
}

int main(void) {
    weft_context *ctx;
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, "cpu"), WEFT_OK)) return 1;
    for (weft_dtype t = WEFT_F16; t <= WEFT_BF16; t++) {
        taken(ctx, t);
        refused(ctx, t);
        sources(ctx, t);
    }
    weft_close(ctx);
    return expect_end();
}
