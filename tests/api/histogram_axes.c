/* Tests weft_histogram_axis and weft_histogram_even_axis: each vector has the counts of weft_histogram or
 * weft_histogram_even on the CPU, for random shapes, strides, axes and bins, and nothing around the counts is
 * written. Tests the refused arguments too.
 *
 * Usage: api_histogram_axes DEVICE. */
#include "core/edges.h"
#include "core/types.h"
#include "tests/expect.h"
#include "tests/random_view.h"
#include "verify/inputs.h"

#include <math.h>

enum { MOST = 1 << 21, SEEDS = 500, LONGEST = 1 << 17, BINS_MOST = 5000 };

static weft_context *ctx, *cpu;
static size_t most = 1 << 16; /* elements of the memory of an array that are used */
static char x[8 * MOST], y[8 * MOST], before[8 * MOST];
static char elements[8 * MOST], expected[8 * MOST], found[8 * MOST];
static char edges[8 * (BINS_MOST + 1)];

/* One call. x: the shape and the type of the elements. */
typedef struct counting {
    weft_view x;
    size_t along, bins;
    bool even; /* between the first and the last edge */
    bool gaps; /* random strides; else C order */
} counting;

static bool is_float(weft_dtype dtype) { return dtype == WEFT_F32 || dtype == WEFT_F64; }

/* ---------------------------------------------------------------------------------------- bins */

/* Writes a whole number as an element. */
static void write_number(weft_dtype dtype, long long number, void *to) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) memcpy(to, &(ctype){(ctype)number}, sizeof(ctype));
#include "core/types.def"
}

/* Sets at most `bins` bins between elements that occur in x, and returns their number. */
static size_t choose_edges(weft_dtype dtype, size_t bins, size_t n) {
    static char candidates[8 * (BINS_MOST + 1)], ordered[8 * (BINS_MOST + 1)];
    const size_t size = weft_dtype_size(dtype), count = n < bins + 1 ? n : bins + 1;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) memcpy(candidates + i * size, elements + draw(n) * size, size);
    EXPECT_STATUS(cpu, weft_sort(cpu, WEFT_ASCENDING, dtype, count, candidates, ordered), WEFT_OK);
    for (size_t i = 0; i < count; i++) {
        char pair[16];
        memcpy(pair, edges + (kept ? kept - 1 : 0) * size, size);
        memcpy(pair + size, ordered + i * size, size);
        if (kept == 0 || weft_pair_ascends(dtype, pair)) memcpy(edges + kept++ * size, pair + size, size);
    }
    if (kept >= 2) return kept - 1;
    write_number(dtype, 0, edges);
    write_number(dtype, 3, edges + size);
    return 1;
}

/* Sets the bounds of even bins as the first two edges. */
static void choose_bounds(weft_dtype dtype, size_t n) {
    const size_t size = weft_dtype_size(dtype);
    const size_t bins = choose_edges(dtype, 30, n);
    memcpy(edges + size, edges + bins * size, size);
    if (!is_float(dtype)) return;
    const long long lower = (long long)draw(3) - 2;
    write_number(dtype, lower, edges);
    write_number(dtype, lower + 1 + (long long)draw(2), edges + size);
}

/* ------------------------------------------------------------------------------------- results */

/* Returns the shape of x with another length along the axis. */
static weft_view with_length(const counting *c, size_t n, weft_dtype dtype) {
    weft_view v = c->x;
    v.dtype = dtype;
    v.shape[c->along] = n;
    return v;
}

static weft_view placed(const counting *c, weft_view v, char *memory) {
    if (c->gaps)
        lay_out(&v, memory, most);
    else
        EXPECT_STATUS(NULL, weft_view_of(v.dtype, v.dimensions, v.shape, memory, &v), WEFT_OK);
    return v;
}

static weft_status count_vector(const counting *c, size_t n, const void *vector, uint64_t *counts) {
    const weft_dtype dtype = c->x.dtype;
    return c->even
               ? weft_histogram_even(cpu, dtype, n, vector, c->bins, edges, edges + weft_dtype_size(dtype), counts)
               : weft_histogram(cpu, dtype, n, vector, c->bins, edges, counts);
}

/* Counts the elements of each vector of `elements`, on the CPU. */
static void expect_vectors(const counting *c) {
    static char row[8 * LONGEST];
    static uint64_t counts[BINS_MOST];
    const weft_view results = with_length(c, c->bins, WEFT_U64);
    const size_t vectors = elements_of(&results) / c->bins;
    for (size_t i = 0; i < vectors; i++) {
        const line of_x = line_of(&c->x, c->x.dimensions, c->along, i);
        const line of_y = line_of(&results, c->x.dimensions, c->along, i);
        copy_line(&of_x, weft_dtype_size(c->x.dtype), elements, row, false);
        EXPECT_STATUS(cpu, count_vector(c, of_x.n, row, counts), WEFT_OK);
        copy_line(&of_y, sizeof *counts, expected, (char *)counts, true);
    }
}

/* Compares the elements of y with `expected`, and the memory around them with `before`. */
static void compare(const counting *c, const weft_view *out, uint64_t seed) {
    const size_t n = elements_of(out);
    weft_view was = *out;
    gather(out, out, found);
    EXPECT(memcmp(found, expected, n * sizeof(uint64_t)) == 0, "histogram of %s, seed %llu: the counts differ",
           weft_dtype_name(c->x.dtype), (unsigned long long)seed);
    was.data = before + ((char *)out->data - y); /* restores the values: the rest must be unchanged */
    EXPECT_STATUS(cpu, weft_copy_view(cpu, &was, out), WEFT_OK);
    EXPECT(memcmp(y, before, 8 * most) == 0, "seed %llu: the memory around the counts was written",
           (unsigned long long)seed);
}

static void check(counting *c, uint64_t seed) {
    const weft_dtype dtype = c->x.dtype;
    weft_view x_view = placed(c, c->x, x);
    for (size_t k = 0; k < c->x.dimensions; k++)
        if (c->gaps && draw(12) == 0) x_view.stride[k] = 0;
    input_kind kind;
    do kind = (input_kind)draw(INPUT_COUNT);
    while (!input_fits(kind, dtype));
    input_fill(draw(3) || !is_float(dtype) ? kind : INPUT_UNIFORM, dtype, seed, most, x);
    input_fill(INPUT_PATTERNS, WEFT_U64, seed + 1, most, y);
    memcpy(before, y, 8 * most);
    gather(&x_view, &x_view, elements);
    const size_t n = elements_of(&c->x);
    if (n == 0) memcpy(elements, x, 8 * 1000);
    if (c->even)
        choose_bounds(dtype, n ? n : 1000);
    else
        c->bins = choose_edges(dtype, c->bins, n ? n : 1000);
    expect_vectors(c);
    const weft_view y_view = placed(c, with_length(c, c->bins, WEFT_U64), y);
    const int axis = (int)c->along - (draw(2) ? (int)c->x.dimensions : 0);
    EXPECT_STATUS(ctx,
                  c->even ? weft_histogram_even_axis(ctx, &x_view, axis, c->bins, edges,
                                                     edges + weft_dtype_size(dtype), &y_view)
                          : weft_histogram_axis(ctx, &x_view, axis, c->bins, edges, &y_view),
                  WEFT_OK);
    compare(c, &y_view, seed);
}

/* --------------------------------------------------------------------------------------- shapes */

static void check_random(uint64_t seed) {
    static const weft_dtype types[] = {WEFT_I8,  WEFT_I16, WEFT_I32, WEFT_I64, WEFT_U8,
                                       WEFT_U16, WEFT_U32, WEFT_U64, WEFT_F32, WEFT_F64};
    static const size_t lengths[] = {0, 1, 2, 3, 17, 64, 65, 300, 1100}, others[] = {1, 2, 3, 5, 17},
                        bins[] = {1, 2, 3, 10, 64, 256, 300, 1000};
    draw_state = seed * 983;
    counting c = {.even = draw(2),
                  .gaps = draw(4) > 0,
                  .x = {.size = sizeof c.x, .dtype = types[seed % 10], .dimensions = 1 + draw(4)},
                  .bins = bins[draw(8)]};
    c.along = draw(c.x.dimensions);
    c.x.shape[c.along] = lengths[draw(9)];
    size_t left = most / 32 / (c.x.shape[c.along] + c.bins);
    for (size_t k = c.x.dimensions; k-- > 0;) {
        if (k == c.along) continue;
        const size_t n = draw(40) ? others[draw(5)] : 0;
        c.x.shape[k] = n <= left ? n : 1;
        left /= c.x.shape[k] ? c.x.shape[k] : 1;
    }
    check(&c, seed);
}

/* Vectors that are copied in several blocks; bytes whose bins are in a table; vectors of several threads; counts that
 * are larger than the vectors. */
static void check_large(bool on_host) {
    static const struct {
        size_t shape[3], along, bins;
        weft_dtype dtype;
        bool even, gaps, on_gpu;
    } cases[] = {
        {{3, 5000, 7}, 1, 256, WEFT_U8, true, false, true},     {{3, 5000, 7}, 1, 20, WEFT_U8, false, true, true},
        {{2, 3, 40001}, 2, 1000, WEFT_F32, false, false, true}, {{2, 3, 20001}, 2, 5000, WEFT_F64, true, false, true},
        {{10, 1000, 60}, 1, 10, WEFT_F32, true, true, false},   {{10, 20, 300}, 1, 300, WEFT_U8, true, false, false},
        {{60, 9, 600}, 2, 700, WEFT_I64, false, true, false},   {{1, 3, 120000}, 2, 8, WEFT_U16, true, false, false},
        {{70, 70, 90}, 0, 12, WEFT_I16, false, false, false},   {{300, 100, 3}, 2, 20, WEFT_F64, true, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!on_host && !cases[i].on_gpu) continue;
        counting c = {.along = cases[i].along, .bins = cases[i].bins, .even = cases[i].even, .gaps = cases[i].gaps};
        draw_state = i * 31;
        weft_view_of(cases[i].dtype, 3, cases[i].shape, NULL, &c.x);
        check(&c, 7000 + i);
    }
}

/* ------------------------------------------------------------------------------------ arguments */

static float values[48];
static uint64_t counts[40];
static const float limits[] = {0, 1, 2.5f, INFINITY}, falling[] = {0, 2, 1, 3}, unordered[] = {0, NAN, 1, 2};

static void set_views(weft_view *from, weft_view *to) {
    weft_view_of(WEFT_F32, 3, (size_t[]){2, 5, 2}, values, from);
    weft_view_of(WEFT_U64, 3, (size_t[]){2, 3, 2}, counts, to);
}

static void expect_unwritten(void) {
    for (size_t i = 0; i < 40; i++) EXPECT(counts[i] == 77, "a call that failed wrote the counts");
}

#define REFUSED(change, status, words)                                                               \
    do {                                                                                             \
        set_views(&from, &to);                                                                       \
        axis = 1, bins = 3, between = limits;                                                        \
        change;                                                                                      \
        EXPECT_ERROR(ctx, weft_histogram_axis(ctx, &from, axis, bins, between, &to), status, words); \
    } while (0)

static void check_edges(void) {
    weft_view from, to;
    int axis;
    size_t bins;
    const float *between;
    REFUSED(from.size = 1, WEFT_INVALID, "x: size is 1");
    REFUSED(to.dtype = WEFT_I64, WEFT_INVALID, "counts has elements of type i64: expected u64");
    REFUSED(bins = 0, WEFT_INVALID, "invalid number of bins 0: expected 1 to 4294967294");
    REFUSED(bins = UINT32_MAX, WEFT_INVALID, "invalid number of bins 4294967295");
    REFUSED(axis = 3, WEFT_INVALID, "axis 3 is out of range: the array has 3 dimensions");
    REFUSED(axis = -4, WEFT_INVALID, "axis -4 is out of range");
    REFUSED(from.dimensions = to.dimensions = 0, WEFT_INVALID, "1 axis: the array has 0 dimensions");
    REFUSED(bins = 2, WEFT_INVALID, "counts has shape (2, 3, 2): expected (2, 2, 2)");
    REFUSED(axis = 0, WEFT_INVALID, "counts has shape (2, 3, 2): expected (3, 5, 2)");
    REFUSED(to.stride[0] = 0, WEFT_INVALID, "overlap");
    REFUSED(to.data = values + 4, WEFT_INVALID, "overlap");
    REFUSED(between = NULL, WEFT_INVALID, "edges is NULL");
    REFUSED(between = (const float *)(const void *)(counts + 11), WEFT_INVALID, "overlaps edges");
    REFUSED(between = falling, WEFT_INVALID,
            "edges[1] = 2 is not less than edges[2] = 1: edges must be strictly ascending");
    REFUSED(between = unordered, WEFT_INVALID, "edges[0] = 0 is not less than edges[1] = nan");
    REFUSED((between = falling, from.shape[1] = 0, from.data = NULL), WEFT_INVALID, "edges[1] = 2");
    REFUSED((between = falling, from.stride[2] = -8, from.data = values + 2), WEFT_INVALID, "edges[1] = 2");
    REFUSED((between = falling, to.stride[1] = 8, to.stride[2] = 24), WEFT_INVALID, "edges[1] = 2");
    EXPECT_ERROR(NULL, weft_histogram_axis(NULL, &from, 1, 3, limits, &to), WEFT_INVALID, "ctx is NULL");
}

/* Edges in the memory of the device. */
static void check_device_edges(void) {
    weft_view from, to;
    void *between;
    set_views(&from, &to);
    if (!EXPECT_STATUS(ctx, weft_alloc(ctx, WEFT_DEVICE, sizeof falling, &between), WEFT_OK)) return;
    EXPECT_STATUS(ctx, weft_copy(ctx, sizeof falling, falling, between), WEFT_OK);
    EXPECT_ERROR(ctx, weft_histogram_axis(ctx, &from, 1, 3, between, &to), WEFT_INVALID,
                 "edges[1] = 2 is not less than edges[2] = 1: edges must be strictly ascending");
    to.stride[1] = 8, to.stride[2] = 24;
    EXPECT_ERROR(ctx, weft_histogram_axis(ctx, &from, 1, 3, between, &to), WEFT_INVALID, "edges[1] = 2");
    EXPECT_STATUS(ctx, weft_free(ctx, WEFT_DEVICE, between), WEFT_OK);
}
#undef REFUSED

static void check_bounds(void) {
    static const float zero = 0, one = 1, infinite = INFINITY, least = -3e38f, greatest = 3e38f;
    weft_view from, to;
    set_views(&from, &to);
#define REFUSED(bins, lower, upper, status, words) \
    EXPECT_ERROR(ctx, weft_histogram_even_axis(ctx, &from, 1, bins, lower, upper, &to), status, words)
    REFUSED(3, NULL, &one, WEFT_INVALID, "lower is NULL");
    REFUSED(3, &zero, NULL, WEFT_INVALID, "upper is NULL");
    REFUSED(3, &one, &zero, WEFT_INVALID, "lower = 1 is not less than upper = 0");
    REFUSED(3, &zero, &infinite, WEFT_INVALID, "both must be finite");
    REFUSED(4, &zero, &one, WEFT_INVALID, "counts has shape (2, 3, 2): expected (2, 4, 2)");
    EXPECT_ERROR(NULL, weft_histogram_even_axis(NULL, &from, 1, 3, &zero, &one, &to), WEFT_INVALID, "ctx is NULL");
    expect_unwritten();
    EXPECT_STATUS(ctx, weft_histogram_even_axis(ctx, &from, 1, 3, &least, &greatest, &to), WEFT_OK);
    for (size_t i = 0; i < 12; i++)
        EXPECT(counts[i] == (i / 2 % 3 == 1 ? 5 : 0), "%zu zeros in bin %zu", (size_t)counts[i], i);
    for (size_t i = 0; i < 12; i++) counts[i] = 77;
    weft_view_of(WEFT_F32, 3, (size_t[]){2, 5, 0}, NULL, &from);
    weft_view_of(WEFT_U64, 3, (size_t[]){2, 3, 0}, NULL, &to);
    REFUSED(3, &one, &zero, WEFT_INVALID, "lower = 1 is not less than upper = 0");
    EXPECT_STATUS(ctx, weft_histogram_even_axis(ctx, &from, 1, 3, &zero, &one, &to), WEFT_OK);
    EXPECT_STATUS(ctx, weft_histogram_axis(ctx, &from, 1, 3, limits, &to), WEFT_OK);
    EXPECT_STATUS(ctx, weft_histogram_axis(ctx, &from, 1, 3, falling, &to), WEFT_OK); /* no vector, so not read */
#undef REFUSED
}

int main(int argc, char **argv) {
    const char *const device = argc > 1 ? argv[1] : "cpu";
    const bool on_host = strncmp(device, "cuda", 4) != 0; /* where blocks are smaller than the arrays of this test */
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return expect_end();
    if (!EXPECT_STATUS(NULL, weft_open(&cpu, "cpu"), WEFT_OK)) return expect_end();
    for (uint64_t seed = 0; seed < SEEDS; seed++) check_random(seed);
    most = MOST;
    check_large(on_host);
    for (size_t i = 0; i < 40; i++) counts[i] = 77;
    check_edges();
    check_device_edges();
    expect_unwritten();
    check_bounds();
    expect_unwritten();
    weft_close(cpu);
    weft_close(ctx);
    return expect_end();
}
