/* Compares sorts and argsorts with the C library's qsort of (key, index). Keys are compared by their exact values,
 * then by class if the values are equal, and last by index. Also tests the rules of ORDER.md 17 as literal
 * expectations. */
#include "core/types.h"
#include "tests/oracle/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { N = 70001, WIDEST = 16 };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static weft_context *ctx;
static uint64_t keys[N], sorted[N], indices[N];
static unsigned char values[N * WIDEST] __attribute__((aligned(16)));
static unsigned char moved[N * WIDEST] __attribute__((aligned(16)));
static uint32_t order[N]; /* result of qsort on 0, 1, ... */

/* ----------------------------------------------------------------------------------- qsort */

/* Inputs of the comparison function: for each key its exact value and, for keys of equal value, its class. */
static struct {
    bool descending;
    long double value[N];
    int class[N]; /* -1: -0; 0: a number; 1: a NaN, which follows all numbers */
} rule;

/* Returns the number formed by some bits of a key, by arithmetic: floor(key / 2^first) mod 2^bits. If they include
 * the sign, there is no mod. */
static long double number_of_bits(weft_dtype dtype, size_t i, unsigned first, unsigned bits) {
    const unsigned all = 8 * (unsigned)weft_dtype_size(dtype);
    const bool keeps_sign = type_is_signed(dtype) && first + bits == all;
    long double key = (long double)oracle_element(dtype, keys, i);
    if (bits == 0) return 0;
    key = floorl(ldexpl(key, -(int)first));
    return keeps_sign ? key : key - ldexpl(floorl(ldexpl(key, -(int)bits)), (int)bits);
}

static void understand(weft_dtype dtype, unsigned first, unsigned bits, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const long double x = (long double)oracle_element(dtype, keys, i);
        rule.class[i] = isnan(x) ? 1 : x == 0 && signbit(x) ? -1 : 0;
        rule.value[i] = isnan(x) ? 0 : type_is_real(dtype) ? x : number_of_bits(dtype, i, first, bits);
    }
}

/* Compares two keys without the index: before (-1), after (1) or equal (0). */
static int compare_keys(size_t a, size_t b) {
    const long double p = rule.value[a], q = rule.value[b];
    const int kind_a = rule.class[a], kind_b = rule.class[b];
    if (kind_a == 1 || kind_b == 1) return (kind_a == 1) - (kind_b == 1);
    const int by_value = p == q ? kind_a - kind_b : (p > q) - (p < q);
    return rule.descending ? -by_value : by_value;
}

static int compare(const void *a, const void *b) {
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const int by_key = compare_keys(i, j);
    return by_key ? by_key : (i > j) - (i < j);
}

static void find_order(weft_dtype dtype, weft_order_of_sort way, unsigned first, unsigned bits, size_t n) {
    rule.descending = way == WEFT_DESCENDING;
    understand(dtype, first, bits, n);
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    qsort(order, n, sizeof *order, compare);
}

/* ---------------------------------------------------------------------------------- checks */

/* Checks that `to` contains the elements of `from` in the order of `order`. */
static void check_moved(const char *what, weft_dtype dtype, size_t n, const char *input, const void *from,
                        size_t size, const void *to) {
    size_t i = 0;
    while (i < n && memcmp((const char *)to + i * size, (const char *)from + order[i] * size, size) == 0) i++;
    EXPECT(i == n, "%s of %s %s, n = %zu, %s: element %zu is not the one from %" PRIu32, what, weft_dtype_name(dtype),
           rule.descending ? "down" : "up", n, input, i, i < n ? order[i] : 0);
}

static void check_indices(weft_dtype dtype, weft_dtype index, size_t n, const char *input) {
    const weft_order_of_sort way = rule.descending ? WEFT_DESCENDING : WEFT_ASCENDING;
    size_t i = 0;
    EXPECT_STATUS(ctx, weft_argsort(ctx, way, dtype, index, n, keys, indices), WEFT_OK);
    while (i < n && (index == WEFT_U32 ? ((const uint32_t *)indices)[i] : indices[i]) == order[i]) i++;
    EXPECT(i == n, "argsort of %s %s in %s, n = %zu, %s: index %zu is not %" PRIu32, weft_dtype_name(dtype),
           rule.descending ? "down" : "up", weft_dtype_name(index), n, input, i, i < n ? order[i] : 0);
}

/* Checks all sort functions on the current keys. `seed` selects the size of the values. */
static void check_all(weft_dtype dtype, size_t n, const char *input, uint64_t seed) {
    static const size_t sizes[] = {1, 2, 4, 8, 16};
    const size_t size = weft_dtype_size(dtype), value_bytes = sizes[seed % COUNT(sizes)];
    for (int way = WEFT_ASCENDING; way <= WEFT_DESCENDING; way++) {
        const weft_order_of_sort o = (weft_order_of_sort)way;
        find_order(dtype, o, 0, 8 * (unsigned)size, n);
        EXPECT_STATUS(ctx, weft_sort(ctx, o, dtype, n, keys, sorted), WEFT_OK);
        check_moved("sort", dtype, n, input, keys, size, sorted);
        memcpy(sorted, keys, n * size);
        EXPECT_STATUS(ctx, weft_sort(ctx, o, dtype, n, sorted, sorted), WEFT_OK);
        check_moved("sort in place", dtype, n, input, keys, size, sorted);
        EXPECT_STATUS(ctx, weft_sort_pairs(ctx, o, dtype, n, keys, value_bytes, values, sorted, moved), WEFT_OK);
        check_moved("sort of pairs", dtype, n, input, keys, size, sorted);
        check_moved("values", dtype, n, input, values, value_bytes, moved);
        memcpy(moved, values, n * value_bytes);
        EXPECT_STATUS(ctx, weft_sort_pairs(ctx, o, dtype, n, keys, value_bytes, moved, sorted, moved), WEFT_OK);
        check_moved("values in place", dtype, n, input, values, value_bytes, moved);
        check_indices(dtype, seed % 2 ? WEFT_U32 : WEFT_U64, n, input);
    }
}

/* Checks sorts by bits: none, one, all, random ranges, with and without the sign. */
static void check_bits(weft_dtype dtype, size_t n, const char *input, uint64_t seed) {
    const unsigned all = 8 * (unsigned)weft_dtype_size(dtype), middle = (unsigned)(input_random(seed, n) % all);
    const unsigned windows[][2] = {{0, 0},       {all, 0},
                                   {0, all},     {0, 1},
                                   {all - 1, 1}, {0, all - 1},
                                   {1, all - 1}, {middle, all - middle},
                                   {middle, 1},  {middle / 2, middle / 2}};
    for (size_t w = 0; w < COUNT(windows); w++) {
        const weft_order_of_sort o = (w + seed) % 2 ? WEFT_DESCENDING : WEFT_ASCENDING;
        find_order(dtype, o, windows[w][0], windows[w][1], n);
        EXPECT_STATUS(ctx,
                      weft_sort_bits(ctx, o, dtype, windows[w][0], windows[w][1], n, keys, 4, values, sorted, moved),
                      WEFT_OK);
        check_moved("sort by bits", dtype, n, input, keys, all / 8, sorted);
        check_moved("values by bits", dtype, n, input, values, 4, moved);
    }
}

/* ---------------------------------------------------------------------------------- inputs */

/* Input shapes that are difficult for sorts; `x` is the key's number in the shape. */
static const char *const SHAPES[] = {"sorted",     "reversed",  "equal",       "two values",
                                     "organ pipe", "few often", "last is low", "first high",
                                     "high bits",  "low byte",  "extremes"};
enum { SHAPE_COUNT = COUNT(SHAPES) };

static uint64_t shape(int kind, size_t i, size_t n, unsigned bits) {
    const uint64_t r = input_random(5, i), ones = UINT64_MAX >> (64 - bits);
    switch (kind) {
    case 0: return i;
    case 1: return n - i;
    case 2: return 77;
    case 3: return r & 1 ? 3 : 200;
    case 4: return i < n / 2 ? i : n - i;
    case 5: return 1000 / (1 + r % 1000);
    case 6: return i + 1 == n ? 0 : i + 1;
    case 7: return i == 0 ? ones >> 1 : i;
    case 8: return r << (bits - 3);
    case 9: return r & 255;
    default: return (const uint64_t[]){0, ones, ones >> 1, (ones >> 1) + 1}[r % 4];
    }
}

static void store(weft_dtype dtype, size_t i, uint64_t x) {
    const size_t size = weft_dtype_size(dtype);
    const double d = (double)(int64_t)x;
    const float f = (float)d;
    if (dtype == WEFT_F64)
        memcpy(keys + i, &d, sizeof d);
    else if (dtype == WEFT_F32)
        memcpy((float *)keys + i, &f, sizeof f);
    else
        memcpy((char *)keys + i * size, &x, size); /* little-endian */
}

static void shapes(void) {
    static const size_t sizes[] = {2, 49, 300, 5000, N};
    for (int d = WEFT_I8; d <= WEFT_BF16; d++)
        for (int k = 0; k < SHAPE_COUNT; k++)
            for (size_t s = 0; s < COUNT(sizes); s++) {
                const weft_dtype dtype = (weft_dtype)d;
                if (dtype == WEFT_EXACT_SUM || (sizes[s] == N && (k + d) % 8)) continue;
                for (size_t i = 0; i < sizes[s]; i++)
                    store(dtype, i, shape(k, i, sizes[s], 8 * (unsigned)weft_dtype_size(dtype)));
                check_all(dtype, sizes[s], SHAPES[k], (uint64_t)(k + d) + s);
                if (!type_is_real(dtype) && sizes[s] < N) check_bits(dtype, sizes[s], SHAPES[k], (uint64_t)k + s);
            }
}

static void inputs(void) {
    static const size_t sizes[] = {1, 2, 3, 47, 48, 49, 255, 256, 257, 1025, 16385, 40000};
    for (int d = WEFT_I8; d <= WEFT_BF16; d++)
        for (int k = 0; k < INPUT_COUNT; k++)
            for (size_t s = 0; s < COUNT(sizes); s++) {
                const weft_dtype dtype = (weft_dtype)d;
                if (dtype == WEFT_EXACT_SUM || !input_fits((input_kind)k, dtype) || (sizes[s] > 2000 && (k + d) % 8))
                    continue;
                input_fill((input_kind)k, dtype, 1 + s, sizes[s], keys);
                check_all(dtype, sizes[s], input_name((input_kind)k), (uint64_t)(k + d) + s);
                if (!type_is_real(dtype)) check_bits(dtype, sizes[s], input_name((input_kind)k), s);
            }
}

/* Checks chunks that are larger than the caches, on one thread and on two, with outputs that are not aligned to a
 * cache line. */
static void long_chunks(void) {
    for (int threads = 1; threads <= 2; threads++) {
        EXPECT_STATUS(ctx, weft_set_threads(ctx, threads), WEFT_OK);
        for (uint64_t seed = 0; seed < 5; seed++) {
            input_fill(INPUT_PATTERNS, WEFT_U64, seed, N, keys);
            check_all(WEFT_U64, N, "long", seed);
            input_fill(INPUT_PATTERNS, WEFT_F32, seed, N, keys);
            check_all(WEFT_F32, N, "long", seed);
        }
        for (size_t i = 0; i < N; i++) keys[i] = i % 1000 ? 77 : input_random(5, i);
        check_all(WEFT_U64, N, "nearly all equal", 1);
        find_order(WEFT_U64, WEFT_ASCENDING, 0, 64, N - 9);
        EXPECT_STATUS(ctx, weft_sort(ctx, WEFT_ASCENDING, WEFT_U64, N - 9, keys, sorted + 3), WEFT_OK);
        check_moved("sort next to a line", WEFT_U64, N - 9, "long", keys, 8, sorted + 3);
        EXPECT_STATUS(ctx,
                      weft_sort_pairs(ctx, WEFT_ASCENDING, WEFT_U64, N - 9, keys, 16, values + 8, sorted, moved + 8),
                      WEFT_OK);
        check_moved("values next to half of theirs", WEFT_U64, N - 9, "long", values + 8, 16, moved + 8);
    }
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 0), WEFT_OK);
}

/* -------------------------------------------------------------------------------- literals */

/* Checks 30 keys from a lecture on radix sort: rand() % 1024 of the GNU C library. */
static void lecture(void) {
    static const int32_t from[] = {359, 966, 105, 115, 81,   255, 74,  236, 809, 205, 186, 939, 498, 763, 483,
                                   326, 124, 706, 84,  1016, 795, 488, 487, 909, 886, 346, 302, 611, 563, 927};
    static const int32_t to[] = {74,  81,  84,  105, 115, 124, 186, 205, 236, 255, 302, 326, 346, 359, 483,
                                 487, 488, 498, 563, 611, 706, 763, 795, 809, 886, 909, 927, 939, 966, 1016};
    int32_t found[COUNT(from)];
    EXPECT_STATUS(ctx, weft_sort(ctx, WEFT_ASCENDING, WEFT_I32, COUNT(from), from, found), WEFT_OK);
    EXPECT(memcmp(found, to, sizeof to) == 0, "the lecture's 30 keys begin %d, %d", found[0], found[1]);
}

static void is_order(const uint32_t *bits, const uint32_t *wanted, size_t n, weft_order_of_sort way) {
    uint32_t found[16];
    EXPECT_STATUS(ctx, weft_argsort(ctx, way, WEFT_F32, WEFT_U32, n, bits, found), WEFT_OK);
    for (size_t i = 0; i < n; i++)
        EXPECT(found[i] == wanted[i], "%s: index %zu is %" PRIu32 ", wanted %" PRIu32, way ? "down" : "up", i,
               found[i], wanted[i]);
}

/* Checks that NaNs of both signs, quiet and signalling, are equal and last in both directions; that -0 is before +0
 * in ascending order and after it in descending order. */
static void floats(void) {
    static const uint32_t bits[] = {0x7fc00000, 0xffc00001, 0x00000000, 0x80000000, 0xff800000, 0x7f800001,
                                    0x7f800000, 0x80000001, 0xffffffff, 0x3f800000, 0x00000001, 0x7fffffff};
    is_order(bits, (const uint32_t[]){4, 7, 3, 2, 10, 9, 6, 0, 1, 5, 8, 11}, COUNT(bits), WEFT_ASCENDING);
    is_order(bits, (const uint32_t[]){6, 9, 10, 2, 3, 7, 4, 0, 1, 5, 8, 11}, COUNT(bits), WEFT_DESCENDING);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    for (size_t i = 0; i < sizeof values / sizeof(uint64_t); i++) {
        const uint64_t r = i % 2 ? i : input_random(3, i);
        memcpy(values + i * sizeof r, &r, sizeof r);
    }
    shapes();
    inputs();
    long_chunks();
    lecture();
    floats();
    weft_close(ctx);
    return expect_end();
}
