/* Tests sorts, selections, scans, quantiles, merges and searches of f16 and bf16: types, errors, and values whose
 * bits a comparison by f32, a second rounding, an overflow or a NaN would change. The expected values follow from the
 * definitions. Usage: api_half_orders DEVICE. */
#include "tests/expect.h"

#include <math.h>

enum { N = 12, LONG = 9001, ROWS = 3 };

static weft_context *ctx;
static uint16_t x[LONG], y[LONG];
static uint64_t wide[LONG];

/* Bits of f16 and bf16. */
typedef struct format {
    weft_dtype dtype;
    const char *name;
    uint16_t one, above_one, largest, infinity, nan;
} format;
static const format FORMATS[] = {
    {WEFT_F16, "f16", 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7e00},
    {WEFT_BF16, "bf16", 0x3f80, 0x3f81, 0x7f7f, 0x7f80, 0x7fc0},
};
enum { MINUS = 0x8000 };

static void expect_halves(const format *f, const char *what, const uint16_t *found, const uint16_t *wanted,
                          size_t n) {
    for (size_t i = 0; i < n; i++)
        EXPECT(found[i] == wanted[i], "%s of %s: number %zu is %#x, wanted %#x", what, f->name, i, found[i],
               wanted[i]);
}

static weft_view view_of(weft_dtype dtype, size_t rows, size_t columns, void *data) {
    weft_view v;
    EXPECT_STATUS(NULL, weft_view_of(dtype, 2, (const size_t[]){rows, columns}, data, &v), WEFT_OK);
    return v;
}

/* ------------------------------------------------------------------------------ order of keys */

/* Keys, their ascending order, and their descending order: NaNs last in both, with equal keys in order. */
static void fill_keys(const format *f, uint16_t *keys) {
    const uint16_t inf = f->infinity;
    const uint16_t all[N] = {f->nan,
                             (uint16_t)(inf + 1 + MINUS),
                             0,
                             MINUS,
                             (uint16_t)(inf + MINUS),
                             f->one,
                             inf,
                             MINUS + 1,
                             0xffff,
                             f->one,
                             1,
                             0x7fff};
    memcpy(keys, all, sizeof all);
}
static const uint32_t UP[N] = {4, 7, 3, 2, 10, 5, 9, 6, 0, 1, 8, 11},
                      DOWN[N] = {6, 5, 9, 10, 2, 3, 7, 4, 0, 1, 8, 11};

static void expect_order(const format *f, const char *what, const uint16_t *found, const uint16_t *keys,
                         const uint32_t *order, size_t n) {
    uint16_t wanted[N];
    for (size_t i = 0; i < n; i++) wanted[i] = keys[order[i]];
    expect_halves(f, what, found, wanted, n);
}

static void sorts(const format *f) {
    uint16_t keys[N], values[N], moved[N] = {0};
    uint32_t indices[N] = {0};
    fill_keys(f, keys);
    for (size_t i = 0; i < N; i++) values[i] = (uint16_t)i;
    for (int way = WEFT_ASCENDING; way <= WEFT_DESCENDING; way++) {
        const weft_order_of_sort order = (weft_order_of_sort)way;
        const uint32_t *const wanted = way ? DOWN : UP;
        EXPECT_STATUS(ctx, weft_sort(ctx, order, f->dtype, N, keys, y), WEFT_OK);
        expect_order(f, "sort", y, keys, wanted, N);
        EXPECT_STATUS(ctx, weft_sort_pairs(ctx, order, f->dtype, N, keys, 2, values, y, moved), WEFT_OK);
        expect_order(f, "sort of pairs", y, keys, wanted, N);
        expect_order(f, "values", moved, values, wanted, N);
        EXPECT_STATUS(ctx, weft_argsort(ctx, order, f->dtype, WEFT_U32, N, keys, indices), WEFT_OK);
        EXPECT(memcmp(indices, wanted, sizeof indices) == 0, "argsort of %s, %d", f->name, way);
    }
}

static void selections(const format *f) {
    uint16_t keys[N];
    uint64_t indices[N];
    fill_keys(f, keys);
    for (size_t k = 1; k <= N; k++)
        for (int extreme = WEFT_LARGEST; extreme <= WEFT_SMALLEST; extreme++) {
            const uint32_t *const wanted = extreme == WEFT_LARGEST ? DOWN : UP;
            EXPECT_STATUS(ctx, weft_top_k(ctx, (weft_extreme)extreme, f->dtype, N, keys, k, y, indices), WEFT_OK);
            expect_order(f, "top_k", y, keys, wanted, k);
            for (size_t i = 0; i < k; i++)
                EXPECT(indices[i] == wanted[i], "top_k of %s: index %zu is %llu", f->name, i,
                       (unsigned long long)indices[i]);
        }
}

/* The same keys in columns, so that vectors have gaps. */
static void axes(const format *f) {
    uint16_t keys[N], columns[N * ROWS] = {0}, sorted[N * ROWS] = {0}, first[N * ROWS] = {0};
    uint32_t indices[N * ROWS] = {0};
    weft_view from = view_of(f->dtype, N, ROWS, columns), to = view_of(f->dtype, N, ROWS, sorted);
    weft_view at = view_of(WEFT_U32, N, ROWS, indices), top = view_of(f->dtype, 3, ROWS, first);
    weft_view top_at = view_of(WEFT_U32, 3, ROWS, indices);
    fill_keys(f, keys);
    for (size_t i = 0; i < N * ROWS; i++) columns[i] = keys[i / ROWS];
    for (int way = WEFT_ASCENDING; way <= WEFT_DESCENDING; way++) {
        const weft_order_of_sort order = (weft_order_of_sort)way;
        const weft_extreme extreme = way == WEFT_ASCENDING ? WEFT_SMALLEST : WEFT_LARGEST;
        const uint32_t *const wanted = way ? DOWN : UP;
        EXPECT_STATUS(ctx, weft_sort_axis(ctx, order, &from, 0, &to), WEFT_OK);
        for (size_t i = 0; i < N * ROWS; i++)
            EXPECT(sorted[i] == keys[wanted[i / ROWS]], "sort_axis of %s: %zu", f->name, i);
        EXPECT_STATUS(ctx, weft_argsort_axis(ctx, order, &from, 0, &at), WEFT_OK);
        for (size_t i = 0; i < N * ROWS; i++)
            EXPECT(indices[i] == wanted[i / ROWS], "argsort_axis of %s: %zu", f->name, i);
        EXPECT_STATUS(ctx, weft_top_k_axis(ctx, extreme, &from, 0, 3, &top, &top_at), WEFT_OK);
        for (size_t i = 0; i < 3 * ROWS; i++)
            EXPECT(first[i] == keys[wanted[i / ROWS]] && indices[i] == wanted[i / ROWS], "top_k_axis of %s: %zu",
                   f->name, i);
    }
}

static void merges(const format *f) {
    const uint16_t one = f->one, minus = MINUS, nan_a = (uint16_t)(f->infinity + 1), nan_b = 0xffff;
    const uint16_t a[] = {minus, 0, one, nan_a}, b[] = {minus, one, f->infinity, nan_b};
    const uint16_t wanted[] = {minus, minus, 0, one, one, f->infinity, nan_a, nan_b};
    const uint16_t queries[] = {minus, 0, one, f->infinity, nan_b};
    const uint64_t left[] = {0, 1, 2, 3, 3}, right[] = {1, 2, 3, 3, 4};
    uint64_t found[5];
    EXPECT_STATUS(ctx, weft_merge(ctx, f->dtype, 4, a, 4, b, y), WEFT_OK);
    expect_halves(f, "merge", y, wanted, 8);
    EXPECT_STATUS(ctx, weft_search_sorted(ctx, WEFT_LEFT, f->dtype, 4, a, 5, queries, found), WEFT_OK);
    EXPECT(memcmp(found, left, sizeof left) == 0, "lower bounds of %s", f->name);
    EXPECT_STATUS(ctx, weft_search_sorted(ctx, WEFT_RIGHT, f->dtype, 4, a, 5, queries, found), WEFT_OK);
    EXPECT(memcmp(found, right, sizeof right) == 0, "upper bounds of %s", f->name);
}

/* ------------------------------------------------------------------------------------- scans */

static void scan(const format *f, weft_op op, weft_scan_kind kind, size_t n, const void *init) {
    EXPECT_STATUS(ctx, weft_scan(ctx, op, kind, f->dtype, WEFT_DEFAULT, n, x, init, y), WEFT_OK);
}

/* Prefixes are combined in f32 and each is rounded once: half of the last digit of 1, twice, is not lost. */
static void sums(const format *f) {
    const uint16_t half = (uint16_t)(f->dtype == WEFT_F16 ? 0x1000 : 0x3b80), inf = f->infinity;
    const uint16_t halves[] = {f->one, half, half, (uint16_t)(f->one + MINUS)};
    const uint16_t wanted[] = {f->one, f->one, f->above_one,
                               (uint16_t)(half + (f->dtype == WEFT_F16 ? 0x400 : 0x80))};
    memcpy(x, halves, sizeof halves);
    scan(f, WEFT_SUM, WEFT_INCLUSIVE, 4, NULL);
    expect_halves(f, "sum", y, wanted, 4);
    x[0] = x[1] = f->largest, x[2] = x[3] = (uint16_t)(f->largest + MINUS);
    scan(f, WEFT_SUM, WEFT_INCLUSIVE, 4, NULL);
    if (f->dtype == WEFT_F16) expect_halves(f, "sum", y, (const uint16_t[]){f->largest, inf, f->largest, 0}, 4);
    for (size_t i = 0; i < 3; i++) x[i] = MINUS;
    scan(f, WEFT_SUM, WEFT_EXCLUSIVE, 3, NULL);
    expect_halves(f, "exclusive sum", y, (const uint16_t[]){0, MINUS, MINUS}, 3);
    scan(f, WEFT_SUM, WEFT_EXCLUSIVE, 3, &f->above_one);
    expect_halves(f, "sum from a value", y, (const uint16_t[]){f->above_one, f->above_one, f->above_one}, 3);
    scan(f, WEFT_PROD, WEFT_EXCLUSIVE, 2, NULL);
    expect_halves(f, "exclusive product", y, (const uint16_t[]){f->one, MINUS}, 2);
}

static void wide_sums(const format *f) {
    const float narrow_init = 0x1p-20F;
    const double wide_init = 0x1p-40;
    float narrow[2];
    double found[2];
    x[0] = x[1] = f->one;
    EXPECT_STATUS(ctx, weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, f->dtype, WEFT_F32, 2, x, &narrow_init, narrow),
                  WEFT_OK);
    EXPECT(narrow[0] == 1 + 0x1p-20F && narrow[1] == 2 + 0x1p-20F, "sums of %s in f32: %a, %a", f->name,
           (double)narrow[0], (double)narrow[1]);
    EXPECT_STATUS(ctx, weft_scan(ctx, WEFT_SUM, WEFT_EXCLUSIVE, f->dtype, WEFT_F64, 2, x, &wide_init, found),
                  WEFT_OK);
    EXPECT(found[0] == 0x1p-40 && found[1] == 1 + 0x1p-40, "sums of %s in f64: %a, %a", f->name, found[0], found[1]);
}

static void extremes(const format *f) {
    const uint16_t inf = f->infinity, minus_inf = (uint16_t)(inf + MINUS), other_nan = (uint16_t)(minus_inf + 1);
    const uint16_t all[] = {f->one, 0, MINUS, other_nan, minus_inf};
    memcpy(x, all, sizeof all);
    scan(f, WEFT_MIN, WEFT_INCLUSIVE, 5, NULL);
    expect_halves(f, "min", y, (const uint16_t[]){f->one, 0, MINUS, f->nan, f->nan}, 5);
    scan(f, WEFT_MAX, WEFT_EXCLUSIVE, 5, NULL);
    expect_halves(f, "exclusive max", y, (const uint16_t[]){minus_inf, f->one, f->one, f->one, f->nan}, 5);
    scan(f, WEFT_MIN, WEFT_EXCLUSIVE, 2, NULL);
    expect_halves(f, "exclusive min", y, (const uint16_t[]){inf, f->one}, 2);
    scan(f, WEFT_MAX, WEFT_INCLUSIVE, 2, &f->above_one);
    expect_halves(f, "max from a value", y, (const uint16_t[]){f->above_one, f->above_one}, 2);
}

/* Sums of ones along both axes, of rows and of columns with several groups. */
static void scans_of_views(const format *f) {
    enum { ROW = 300 };
    static uint16_t in[ROW * ROWS], out[ROW * ROWS];
    weft_view from = view_of(f->dtype, ROWS, ROW, in), to = view_of(f->dtype, ROWS, ROW, out);
    for (size_t i = 0; i < ROW * ROWS; i++) in[i] = i % 2 ? f->one : (uint16_t)(f->one + MINUS);
    EXPECT_STATUS(ctx, weft_scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &from, 1, NULL, &to), WEFT_OK);
    for (size_t i = 0; i < ROW * ROWS; i++)
        EXPECT(out[i] == (i % 2 ? 0 : f->one + MINUS), "scan_axis of %s: %zu is %#x", f->name, i, out[i]);
    from = view_of(f->dtype, ROW, ROWS, in), to = view_of(f->dtype, ROW, ROWS, out);
    for (size_t i = 0; i < ROW * ROWS; i++) in[i] = i / ROWS % 2 ? (uint16_t)(f->one + MINUS) : f->one;
    EXPECT_STATUS(ctx, weft_scan_axis(ctx, WEFT_SUM, WEFT_EXCLUSIVE, WEFT_DEFAULT, &from, 0, &f->one, &to), WEFT_OK);
    for (size_t i = 0; i < ROW * ROWS; i++)
        EXPECT(out[i] == f->one + (i / ROWS % 2 ? (f->dtype == WEFT_F16 ? 0x400 : 0x80) : 0),
               "scan_axis of columns of %s: %zu is %#x", f->name, i, out[i]);
}

/* ---------------------------------------------------------------------------------- elements */

/* Copies of elements keep all their bits, those of NaNs too. */
static void moves(const format *f) {
    static const uint32_t index[] = {3, 1, 1};
    static const uint8_t flags[] = {0, 1, 0, 2};
    const uint16_t keys[] = {f->nan, 0xffff, MINUS, (uint16_t)(f->infinity + 1)};
    uint16_t found[4] = {0};
    uint64_t count = 0;
    EXPECT_STATUS(ctx, weft_gather(ctx, WEFT_RANGE_ERROR, f->dtype, WEFT_U32, 3, 1, 4, keys, index, found), WEFT_OK);
    expect_halves(f, "gather", found, (const uint16_t[]){keys[3], keys[1], keys[1]}, 3);
    EXPECT_STATUS(ctx, weft_scatter(ctx, WEFT_RANGE_ERROR, f->dtype, WEFT_U32, 1, 2, 4, keys, index, y), WEFT_OK);
    expect_halves(f, "scatter", y + 6, keys, 2);
    EXPECT_STATUS(ctx, weft_select(ctx, f->dtype, 4, keys, flags, found, &count), WEFT_OK);
    EXPECT(count == 2, "select of %s: %llu elements", f->name, (unsigned long long)count);
    expect_halves(f, "select", found, (const uint16_t[]){keys[1], keys[3]}, 2);
    EXPECT_STATUS(ctx, weft_partition(ctx, f->dtype, 4, keys, flags, found, &count), WEFT_OK);
    expect_halves(f, "partition", found, (const uint16_t[]){keys[1], keys[3], keys[0], keys[2]}, 4);
}

/* ------------------------------------------------------------------------------- comparisons */

enum { ALL = 1 << 16 };

static bool holds(weft_comparison comparison, float a, float b) {
    switch (comparison) {
    case WEFT_LT: return a < b;
    case WEFT_LE: return a <= b;
    case WEFT_EQ: return a == b;
    case WEFT_NE: return !(a == b);
    case WEFT_GE: return a >= b;
    default: return a > b;
    }
}

/* Compares all numbers of a type with one of them, as their f32 are compared. */
static void compare_all(const format *f, weft_comparison comparison, const float *values, uint16_t value) {
    static uint16_t all[ALL], kept[ALL], found[ALL];
    static uint64_t numbers[ALL], indices[ALL];
    uint64_t count = 0, others = ALL, counts[3] = {ALL + 1, ALL + 1, ALL + 1};
    const char *const name = weft_comparison_name(comparison);
    for (unsigned i = 0; i < ALL; i++) {
        all[i] = (uint16_t)i;
        if (holds(comparison, values[i], values[value])) numbers[count] = i, kept[count++] = (uint16_t)i;
    }
    for (unsigned i = ALL; i-- > 0;)
        if (!holds(comparison, values[i], values[value])) kept[--others] = (uint16_t)i;
    EXPECT_STATUS(ctx, weft_select_if(ctx, comparison, f->dtype, ALL, all, &value, found, &counts[0]), WEFT_OK);
    EXPECT(memcmp(found, kept, count * sizeof *kept) == 0, "select of %s %s %#x", f->name, name, value);
    EXPECT_STATUS(ctx, weft_select_indices_if(ctx, comparison, f->dtype, ALL, all, &value, indices, &counts[1]),
                  WEFT_OK);
    EXPECT(memcmp(indices, numbers, count * sizeof *numbers) == 0, "indices of %s %s %#x", f->name, name, value);
    EXPECT_STATUS(ctx, weft_partition_if(ctx, comparison, f->dtype, ALL, all, &value, found, &counts[2]), WEFT_OK);
    EXPECT(memcmp(found, kept, sizeof kept) == 0, "partition of %s %s %#x", f->name, name, value);
    for (size_t i = 0; i < 3; i++)
        EXPECT(counts[i] == count, "function %zu keeps %llu of %s %s %#x, not %llu", i, (unsigned long long)counts[i],
               f->name, name, value, (unsigned long long)count);
}

/* Writes the f32 of all numbers of a type. */
static void widen_all(const format *f, float *values) {
    static uint16_t all[ALL];
    const weft_binding binding = {"x", f->dtype, all, NULL};
    weft_expr *expr;
    for (unsigned i = 0; i < ALL; i++) all[i] = (uint16_t)i;
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, "x", &expr), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map(ctx, expr, WEFT_F32, ALL, &binding, 1, values), WEFT_OK);
    weft_expr_free(expr);
}

static void comparisons(const format *f) {
    static float values[ALL];
    const uint16_t inf = f->infinity,
                   magnitudes[] = {0,      1,     0x7f, f->one, f->above_one, f->largest, inf, (uint16_t)(inf + 1),
                                   f->nan, 0x7fff};
    widen_all(f, values);
    for (int comparison = WEFT_LT; comparison <= WEFT_GT; comparison++)
        for (size_t i = 0; i < sizeof magnitudes / sizeof *magnitudes; i++) {
            compare_all(f, (weft_comparison)comparison, values, magnitudes[i]);
            compare_all(f, (weft_comparison)comparison, values, (uint16_t)(magnitudes[i] + MINUS));
        }
}

/* --------------------------------------------------------------------------------- quantiles */

static uint16_t quantile(const format *f, weft_quantile_method method, size_t n, double q) {
    uint16_t found = 0;
    weft_view from = view_of(f->dtype, 1, n, x), to = view_of(f->dtype, 1, 1, &found);
    EXPECT_STATUS(ctx, weft_quantile_axis(ctx, method, &from, 1, 1, &q, &to), WEFT_OK);
    return found;
}

/* The mean is above the middle of 1 and the next number by 2^-30 units. Rounded to f32 it is at the middle. */
static void quantiles(const format *f) {
    const uint16_t inf = f->infinity;
    x[0] = f->above_one, x[1] = f->one;
    const uint16_t once = quantile(f, WEFT_LINEAR, 2, 0.5 + 0x1p-30), even = quantile(f, WEFT_LINEAR, 2, 0.5);
    EXPECT(once == f->above_one && even == f->one, "means of %s: %#x, %#x", f->name, once, even);
    x[0] = inf, x[1] = (uint16_t)(inf + MINUS);
    const uint16_t none = quantile(f, WEFT_MIDPOINT, 2, 0.5), low = quantile(f, WEFT_LOWER, 2, 0.5);
    EXPECT(none == f->nan && low == x[1], "quantiles of infinities of %s: %#x, %#x", f->name, none, low);
    for (size_t n = 3; n <= LONG; n += 2999) {
        for (size_t i = 0; i < n; i++) x[i] = (uint16_t)(f->one + (i * 7919) % n % 64);
        const uint16_t least = quantile(f, WEFT_HIGHER, n, 0);
        EXPECT(least == f->one, "the minimum of %zu %s: %#x", n, f->name, least);
        x[n / 2] = (uint16_t)(inf + 1 + MINUS);
        const uint16_t nan = quantile(f, WEFT_HIGHER, n, 0);
        EXPECT(nan == f->nan, "the minimum of %zu %s with a NaN: %#x", n, f->name, nan);
    }
}

/* ------------------------------------------------------------------------------------ errors */

static void scans_refused(const format *f) {
#define REFUSED(op, accumulate, words)                                                                              \
    EXPECT_ERROR(ctx, weft_scan(ctx, op, WEFT_INCLUSIVE, f->dtype, accumulate, 3, x, NULL, wide), WEFT_UNSUPPORTED, \
                 words)
    REFUSED(WEFT_SUM, WEFT_EXACT_SUM, "16 cannot accumulate in exact");
    REFUSED(WEFT_SUM, WEFT_I64, "16 cannot accumulate in i64");
    REFUSED(WEFT_MAX, WEFT_F32, "scan with max of");
    REFUSED(WEFT_XOR, WEFT_DEFAULT, "xor requires integer elements, not");
    REFUSED(WEFT_MEAN, WEFT_DEFAULT, "scan: invalid operator mean");
#undef REFUSED
    const weft_dtype other = f->dtype == WEFT_F16 ? WEFT_BF16 : WEFT_F16;
    EXPECT_ERROR(ctx, weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, f->dtype, other, 3, x, NULL, wide), WEFT_UNSUPPORTED,
                 "16 cannot accumulate in");
    EXPECT_ERROR(ctx, weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, f->dtype, WEFT_F32, 3, x, NULL, x), WEFT_INVALID,
                 "overlaps x");
    EXPECT_ERROR(ctx, weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, f->dtype, WEFT_DEFAULT, 3, (char *)x + 1, NULL, y),
                 WEFT_INVALID, "not aligned to its 2-byte elements");
}

/* Operations without these types. */
static void others_refused(const format *f) {
    const char *const words = "this operation does not support ";
    uint64_t count;
    EXPECT_ERROR(ctx, weft_sort_bits(ctx, WEFT_ASCENDING, f->dtype, 0, 16, 3, x, 0, NULL, y, NULL), WEFT_UNSUPPORTED,
                 "a sort by some bits requires integer keys, not");
    EXPECT_ERROR(ctx, weft_unique(ctx, f->dtype, 3, x, y, &count), WEFT_UNSUPPORTED, words);
    EXPECT_ERROR(ctx, weft_gather(ctx, WEFT_RANGE_ERROR, WEFT_U16, f->dtype, 3, 1, 3, x, wide, y), WEFT_UNSUPPORTED,
                 "requires i32, i64, u32 or u64 indices, not");
}

int main(int argc, char **argv) {
    const char *const device = argc > 1 ? argv[1] : "cpu";
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return 1;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        const format *const f = &FORMATS[i];
        sorts(f);
        selections(f);
        axes(f);
        merges(f);
        sums(f);
        wide_sums(f);
        extremes(f);
        scans_of_views(f);
        quantiles(f);
        scans_refused(f);
        moves(f);
        comparisons(f);
        others_refused(f);
    }
    weft_close(ctx);
    return expect_end();
}
