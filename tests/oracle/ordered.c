/* Compares top_k, merge and search_sorted with a sort of all elements, and tests the rules of ORDER.md 12 as literal
 * expectations. */
#include "core/types.h"
#include "tests/oracle/oracle.h"
#include "verify/sorted.h"

#include <inttypes.h>
#include <math.h>

enum { N = 5003 };
static weft_context *ctx;
static uint64_t x[N], other[N], y[2 * N], z[2 * N], indices[N];

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t key(weft_dtype dtype, const void *p, size_t i) { return sorted_key(dtype, p, i); }

static bool same_bits(weft_dtype dtype, const void *p, size_t i, const void *q, size_t j) {
    const size_t size = weft_dtype_size(dtype);
    return memcmp((const char *)p + i * size, (const char *)q + j * size, size) == 0;
}

/* ---------------------------------------------------------------------------------- top_k */

/* Returns true if x[i] precedes x[j]. A NaN, whose key is the greatest, follows all numbers. */
static bool comes_before(weft_dtype dtype, weft_extreme extreme, size_t i, size_t j) {
    const bool floats = type_is_real(dtype);
    const uint64_t a = key(dtype, x, i), b = key(dtype, x, j);
    if (a == b) return i < j;
    if (floats && (a == UINT64_MAX || b == UINT64_MAX)) return b == UINT64_MAX;
    return extreme == WEFT_LARGEST ? a > b : a < b;
}

/* Checks that each of the k results precedes the next one, and that no other element precedes the last one. */
static void check_top_k(weft_dtype dtype, weft_extreme extreme, size_t n, size_t k, input_kind kind) {
    static bool taken[N];
    memset(taken, 0, sizeof taken);
    EXPECT_STATUS(ctx, weft_top_k(ctx, extreme, dtype, n, x, k, y, indices), WEFT_OK);
    for (size_t i = 0; i < k; i++) {
        const bool good = indices[i] < n && !taken[indices[i]] && same_bits(dtype, y, i, x, (size_t)indices[i]) &&
                          (i == 0 || comes_before(dtype, extreme, (size_t)indices[i - 1], (size_t)indices[i]));
        EXPECT(good, "%s, n = %zu, k = %zu, input %s: number %zu has index %" PRIu64, weft_dtype_name(dtype), n, k,
               input_name(kind), i, indices[i]);
        if (!good) return;
        taken[indices[i]] = true;
    }
    for (size_t i = 0; i < n && k > 0; i++)
        if (!taken[i] && comes_before(dtype, extreme, i, (size_t)indices[k - 1])) {
            EXPECT(false, "%s, n = %zu, k = %zu, input %s: x[%zu] is missing", weft_dtype_name(dtype), n, k,
                   input_name(kind), i);
            return;
        }
    EXPECT_STATUS(ctx, weft_top_k(ctx, extreme, dtype, n, x, k, z, NULL), WEFT_OK);
    EXPECT(memcmp(y, z, k * weft_dtype_size(dtype)) == 0, "%s, k = %zu: other values without indices",
           weft_dtype_name(dtype), k);
}

/* ---------------------------------------------------------------------------------- merge */

/* Checks that the keys of a merge are the sort of both inputs. Among equal keys, those of a must come first, each
 * array's in their original order; the bits of NaN show that. */
static void check_merge(weft_dtype dtype, size_t na, size_t nb, input_kind kind) {
    size_t i = 0, j = 0;
    EXPECT(sorted_sort(dtype, na, x) && sorted_sort(dtype, nb, other), "no memory");
    EXPECT_STATUS(ctx, weft_merge(ctx, dtype, na, x, nb, other, y), WEFT_OK);
    for (size_t k = 0; k < na + nb; k++) {
        const bool from_a = j == nb || (i < na && key(dtype, x, i) <= key(dtype, other, j));
        const bool good = from_a ? same_bits(dtype, y, k, x, i) : same_bits(dtype, y, k, other, j);
        EXPECT(good, "%s, %zu and %zu elements, input %s: y[%zu]", weft_dtype_name(dtype), na, nb, input_name(kind),
               k);
        if (!good) return;
        if (from_a)
            i++;
        else
            j++;
    }
}

/* ------------------------------------------------------------------------------ search_sorted */

static void check_search(weft_dtype dtype, size_t n, size_t m, input_kind kind) {
    EXPECT(sorted_sort(dtype, n, x), "no memory");
    for (int side = WEFT_LEFT; side <= WEFT_RIGHT; side++) {
        EXPECT_STATUS(ctx, weft_search_sorted(ctx, (weft_side)side, dtype, n, x, m, other, indices), WEFT_OK);
        for (size_t q = 0; q < m; q++) {
            const uint64_t query = key(dtype, other, q);
            size_t wanted = 0;
            for (size_t i = 0; i < n; i++)
                wanted += side == WEFT_LEFT ? key(dtype, x, i) < query : key(dtype, x, i) <= query;
            EXPECT(indices[q] == wanted, "%s, side %d, n = %zu, input %s: position %" PRIu64 ", wanted %zu",
                   weft_dtype_name(dtype), side, n, input_name(kind), indices[q], wanted);
        }
    }
}

static void check_type(weft_dtype dtype, input_kind kind) {
    static const size_t sizes[] = {1, 2, 7, 8, 9, 255, 256, 257, N};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const size_t n = sizes[s], few = sizes[(s + 3) % COUNT(sizes)];
        const size_t k[] = {0, 1, n / 3, n - 1, n};
        input_fill(kind, dtype, s, n, x);
        for (size_t i = 0; i < COUNT(k); i++) check_top_k(dtype, (weft_extreme)(i % 2), n, k[i], kind);
        check_top_k(dtype, WEFT_SMALLEST, n, 1, kind);
        input_fill(kind, dtype, s + 1, few, other);
        check_merge(dtype, n, few, kind);
        input_fill(kind, dtype, s, n, x);
        input_fill(kind, dtype, s + (s % 2), 60, other);
        check_search(dtype, n < 300 ? n : 300, 60, kind);
    }
    check_search(dtype, 0, 60, kind);
}

/* -------------------------------------------------------------------------------- literals */

static void literals(void) {
    uint32_t nan_a = 0x7fc00001, nan_b = 0xff800002;
    float in[] = {0.0f, 3, -0.0f, 0, INFINITY, 3, 0.0f}, out[7];
    uint64_t at[7];
    memcpy(&in[3], &nan_a, sizeof nan_a);
    EXPECT_STATUS(ctx, weft_top_k(ctx, WEFT_LARGEST, WEFT_F32, 7, in, 7, out, at), WEFT_OK);
    const uint64_t largest[] = {4, 1, 5, 0, 6, 2, 3}, smallest[] = {2, 0, 6, 1, 5, 4, 3};
    EXPECT(memcmp(at, largest, sizeof at) == 0 && memcmp(&out[6], &nan_a, 4) == 0, "the largest");
    EXPECT_STATUS(ctx, weft_top_k(ctx, WEFT_SMALLEST, WEFT_F32, 7, in, 7, out, at), WEFT_OK);
    EXPECT(memcmp(at, smallest, sizeof at) == 0 && memcmp(&out[6], &nan_a, 4) == 0, "the smallest");
    float a[] = {-0.0f, 0.0f, 1, 0}, b[] = {-0.0f, 1, 0}, merged[7];
    memcpy(&a[3], &nan_a, sizeof nan_a);
    memcpy(&b[2], &nan_b, sizeof nan_b);
    EXPECT_STATUS(ctx, weft_merge(ctx, WEFT_F32, 4, a, 3, b, merged), WEFT_OK);
    const uint32_t wanted[] = {0x80000000, 0x80000000, 0, 0x3f800000, 0x3f800000, nan_a, nan_b};
    EXPECT(memcmp(merged, wanted, sizeof wanted) == 0, "a merge of zeros and NaN");
    const float queries[] = {-0.0f, 0.0f, 1, INFINITY, NAN};
    const uint64_t left[] = {0, 1, 2, 3, 3}, right[] = {1, 2, 3, 3, 4};
    EXPECT_STATUS(ctx, weft_search_sorted(ctx, WEFT_LEFT, WEFT_F32, 4, a, 5, queries, at), WEFT_OK);
    EXPECT(memcmp(at, left, sizeof left) == 0, "lower bounds");
    EXPECT_STATUS(ctx, weft_search_sorted(ctx, WEFT_RIGHT, WEFT_F32, 4, a, 5, queries, at), WEFT_OK);
    EXPECT(memcmp(at, right, sizeof right) == 0, "upper bounds");
}

/* Checks that unsorted input gives unspecified results but touches no other memory. */
static void disorder(void) {
    for (int d = WEFT_I8; d <= WEFT_BF16; d++) {
        if (d == WEFT_EXACT_SUM) continue;
        const size_t size = weft_dtype_size((weft_dtype)d), na = 3000, nb = 1999;
        unsigned char *const out = (unsigned char *)y;
        input_fill(INPUT_PATTERNS, (weft_dtype)d, 1, na, x);
        input_fill(INPUT_PATTERNS, (weft_dtype)d, 2, nb, other);
        memset(y, 0x5a, sizeof y);
        EXPECT_STATUS(ctx, weft_merge(ctx, (weft_dtype)d, na, x, nb, other, out + 64), WEFT_OK);
        for (size_t i = 0; i < 64; i++)
            EXPECT(out[i] == 0x5a && out[64 + (na + nb) * size + i] == 0x5a, "byte %zu outside y was written", i);
        EXPECT_STATUS(ctx, weft_search_sorted(ctx, WEFT_LEFT, (weft_dtype)d, na, x, nb, other, indices), WEFT_OK);
        for (size_t i = 0; i < nb; i++) EXPECT(indices[i] <= na, "position %" PRIu64 " of %zu", indices[i], na);
    }
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    for (int d = WEFT_I8; d <= WEFT_BF16; d++)
        for (int k = 0; k < INPUT_COUNT; k++)
            if (d != WEFT_EXACT_SUM && input_fits((input_kind)k, (weft_dtype)d))
                check_type((weft_dtype)d, (input_kind)k);
    literals();
    disorder();
    weft_close(ctx);
    return expect_end();
}
