/* Compares weft_gather and weft_scatter with plain loops, and their messages with plain searches (ORDER.md 29). */
#include "tests/oracle/oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LONG (UINT64_C(1) << 32)
enum { N = 20011, ROWS = 5003, COLUMNS = 5, SPARSE = 1 << 24 };
static weft_context *ctx;
static uint64_t x[N * COLUMNS], y[N * COLUMNS], expected[N * COLUMNS]; /* capacity for any type */
static int64_t index64[N];
static int32_t index32[N];
static unsigned char sparse[SPARSE], empty[SPARSE];

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Fills the results with values that differ from those of x. */
static void clear(size_t bytes) {
    memset(y, 0x5a, bytes);
    memset(expected, 0x5a, bytes);
}

static void narrow(size_t n) {
    for (size_t i = 0; i < n; i++) index32[i] = (int32_t)index64[i];
}

/* Fills n indices below m; with `outside`, one in ten is out of range. */
static void random_indices(uint64_t seed, size_t n, size_t m, bool outside) {
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = input_random(seed, i);
        index64[i] = (int64_t)((r >> 8) % m);
        if (outside && r % 10 == 0) index64[i] = r % 20 ? -1 - (int64_t)(r >> 40) : (int64_t)(m + (r >> 50));
    }
    narrow(n);
}

/* Fills n different indices below m, n <= m, in random order. With `outside`, one in ten is out of range. */
static void different_indices(uint64_t seed, size_t n, size_t m, bool outside) {
    for (size_t i = 0; i < n; i++) index64[i] = (int64_t)(i * (m / n));
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)(input_random(seed, i) % i);
        const int64_t swapped = index64[i - 1];
        index64[i - 1] = index64[j];
        index64[j] = swapped;
    }
    for (size_t i = 0; outside && i < n; i += 10) index64[i] = i % 20 ? -1 : (int64_t)m;
    narrow(n);
}

/* ---------------------------------------------------------------------------------- results */

static void expect_rows(const char *name, weft_dtype dtype, size_t bytes) {
    const bool same = memcmp(y, expected, bytes) == 0;
    EXPECT(same, "%s of %s differs from a loop", name, weft_dtype_name(dtype));
}

static void check_gather(weft_dtype dtype, size_t columns, bool skip) {
    const size_t row = columns * weft_dtype_size(dtype);
    const weft_range range = skip ? WEFT_RANGE_SKIP : WEFT_RANGE_ERROR;
    random_indices(columns, N, ROWS, skip);
    for (int wide = 0; wide < 2; wide++) {
        clear(N * row);
        for (size_t i = 0; i < N; i++)
            if (index64[i] >= 0 && index64[i] < ROWS)
                memcpy((char *)expected + i * row, (char *)x + (size_t)index64[i] * row, row);
        EXPECT_STATUS(ctx,
                      weft_gather(ctx, range, dtype, wide ? WEFT_I64 : WEFT_I32, N, columns, ROWS, x,
                                  wide ? (void *)index64 : (void *)index32, y),
                      WEFT_OK);
        expect_rows("gather", dtype, N * row);
    }
}

static void check_scatter(weft_dtype dtype, size_t columns, bool skip) {
    const size_t row = columns * weft_dtype_size(dtype);
    const weft_range range = skip ? WEFT_RANGE_SKIP : WEFT_RANGE_ERROR;
    different_indices(columns, ROWS, N, skip);
    for (int wide = 0; wide < 2; wide++) {
        clear(N * row);
        for (size_t i = 0; i < ROWS; i++)
            if (index64[i] >= 0 && index64[i] < N)
                memcpy((char *)expected + (size_t)index64[i] * row, (char *)x + i * row, row);
        EXPECT_STATUS(ctx,
                      weft_scatter(ctx, range, dtype, wide ? WEFT_U64 : WEFT_U32, ROWS, columns, N, x,
                                   wide ? (void *)index64 : (void *)index32, y),
                      WEFT_OK);
        expect_rows("scatter", dtype, N * row);
    }
}

static void loops(weft_dtype dtype) {
    input_fill(INPUT_PATTERNS, dtype, 7, COUNT(x), x);
    for (size_t columns = 0; columns <= COLUMNS; columns++)
        for (int skip = 0; skip < 2; skip++) {
            check_gather(dtype, columns, skip);
            check_scatter(dtype, columns, skip);
        }
}

/* --------------------------------------------------------------------------------- messages */

/* Writes the message for the first index that occurs before to `text`. Returns false if there is none. */
static bool first_equal(size_t n, size_t m, char text[200]) {
    for (size_t i = 0; i < n; i++)
        for (size_t first = 0; first < i; first++)
            if (index64[first] == index64[i] && index64[i] >= 0 && index64[i] < (int64_t)m) {
                snprintf(text, 200, "index[%zu] and index[%zu] are %" PRId64 ": scatter requires different indices",
                         first, i, index64[i]);
                return true;
            }
    return false;
}

/* Scatters bytes to m rows, from indices of which some are equal. With m much greater than n, the CPU uses a hash
 * table. */
static void check_equal(size_t n, size_t m, uint64_t seed) {
    char text[200];
    different_indices(seed, n, m, seed % 2);
    const size_t from = (size_t)(input_random(seed, n) % n), to = (size_t)(input_random(seed, n + 1) % n);
    index64[from] = index64[to];
    index64[n - 1] = index64[n / 2];
    narrow(n);
    const bool equal = first_equal(n, m, text);
    for (int wide = 0; wide < 2; wide++) {
        const weft_status status = weft_scatter(ctx, WEFT_RANGE_SKIP, WEFT_U8, wide ? WEFT_I64 : WEFT_I32, n, 1, m, x,
                                                wide ? (void *)index64 : (void *)index32, sparse);
        EXPECT(status == (equal ? WEFT_INVALID : WEFT_OK), "status %s of %zu indices", weft_status_name(status), n);
        if (equal) EXPECT(strstr(weft_last_error(ctx), text), "%s, not %s", weft_last_error(ctx), text);
        if (equal) EXPECT(memcmp(sparse, empty, m) == 0, "a scatter that failed has written");
        memset(sparse, 0, m);
    }
}

static void equal_indices(void) {
    for (uint64_t seed = 0; seed < 40; seed++) {
        check_equal(2 + (size_t)seed, 1000 * (2 + (size_t)seed), seed);
        check_equal(500, 500, seed);
        check_equal(900, 1 << 20, seed);
    }
    for (uint64_t seed = 40; seed < 44; seed++) {
        check_equal(5000, N, seed);
        check_equal(1000, SPARSE, seed);
    }
}

/* An index out of range is reported before equal ones, and the first one is. */
static void out_of_range(void) {
    char text[200];
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t where = (size_t)(input_random(seed, 0) % N), further = (size_t)(input_random(seed, 1) % N);
        different_indices(seed, N, N, false);
        index64[1] = index64[0];
        index64[where] = index64[further] = -1 - (int64_t)(seed << 33);
        snprintf(text, sizeof text, "index[%zu] is %" PRId64 ": expected 0 to %d", where < further ? where : further,
                 index64[where], N - 1);
        EXPECT_ERROR(ctx, weft_scatter(ctx, WEFT_RANGE_ERROR, WEFT_U8, WEFT_I64, N, 1, N, x, index64, sparse),
                     WEFT_INVALID, text);
        EXPECT_ERROR(ctx, weft_gather(ctx, WEFT_RANGE_ERROR, WEFT_U8, WEFT_I64, N, 1, N, x, index64, sparse),
                     WEFT_INVALID, text);
        EXPECT(memcmp(sparse, empty, N) == 0, "a call that failed has written");
    }
}

/* Rows beyond 2^32, of an array of which only a few pages are used. An index that loses its upper bits is 7. */
static void beyond_32_bits(void) {
    static const uint64_t to[] = {7, LONG + 7, 5, LONG + 99}, m = LONG + 100;
    unsigned char *const large = calloc(m, 1), few[] = {1, 2, 3, 4}, got[] = {9, 9, 9, 9};
    if (!large || strncmp(weft_device(ctx), "cuda", 4) == 0) { /* which would copy the whole array */
        free(large);
        return;
    }
    EXPECT(weft_scatter(ctx, WEFT_RANGE_ERROR, WEFT_U8, WEFT_U64, 4, 1, m, few, to, large) == WEFT_OK, "%s",
           weft_last_error(ctx));
    for (int i = 0; i < 4; i++) EXPECT(large[to[i]] == few[i], "row %" PRIu64 " is %d", to[i], large[to[i]]);
    EXPECT(weft_gather(ctx, WEFT_RANGE_ERROR, WEFT_U8, WEFT_U64, 4, 1, m, large, to, got) == WEFT_OK, "%s",
           weft_last_error(ctx));
    EXPECT(memcmp(got, few, sizeof few) == 0, "%d %d %d %d", got[0], got[1], got[2], got[3]);
    const uint64_t equal[] = {7, LONG + 7, LONG + 7}, outside[] = {7, LONG + 100};
    EXPECT_ERROR(ctx, weft_scatter(ctx, WEFT_RANGE_ERROR, WEFT_U8, WEFT_U64, 3, 1, m, few, equal, large),
                 WEFT_INVALID, "index[1] and index[2] are 4294967303");
    EXPECT_ERROR(ctx, weft_gather(ctx, WEFT_RANGE_ERROR, WEFT_U8, WEFT_U64, 2, 1, m, large, outside, got),
                 WEFT_INVALID, "index[1] is 4294967396: expected 0 to 4294967395");
    free(large);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    for (int dtype = WEFT_I8; dtype <= WEFT_F64; dtype++) loops((weft_dtype)dtype);
    equal_indices();
    out_of_range();
    beyond_32_bits();
    weft_close(ctx);
    return expect_end();
}
