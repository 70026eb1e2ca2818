/* Compares weft_reduce_lanes with the rounds of WG21 P4016R0, 4.2 to 4.4, in which absent positions are values of
 * their own: a round combines the positions 2i and 2i + 1, and keeps an odd last one. */
#include "core/types.h"
#include "tests/oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

enum { N_MAX = 5000, LANES_MAX = 1024 };

/* A value, or nothing. */
typedef struct maybe {
    bool present;
    double value;
} maybe;

static maybe combine(weft_op op, weft_dtype type, maybe a, maybe b) {
    if (!a.present || !b.present) return a.present ? a : b;
    if (type == WEFT_F32)
        a.value = op == WEFT_SUM ? (float)a.value + (float)b.value : (float)a.value * (float)b.value;
    else
        a.value = op == WEFT_SUM ? a.value + b.value : a.value * b.value;
    return a;
}

/* Reduces w[0..k) in rounds; k >= 1. */
static maybe reduce(weft_op op, weft_dtype type, maybe *w, size_t k) {
    for (; k > 1; k = k / 2 + k % 2) {
        for (size_t i = 0; i < k / 2; i++) w[i] = combine(op, type, w[2 * i], w[2 * i + 1]);
        if (k % 2) w[k / 2] = w[k - 1];
    }
    return w[0];
}

/* Returns the reduction of n >= 1 elements. All lanes have ceil(n / lanes) positions. */
static double expected(weft_op op, weft_dtype dtype, weft_dtype type, size_t n, size_t lanes, const void *x) {
    static maybe positions[N_MAX], results[LANES_MAX];
    const size_t rows = (n - 1) / lanes + 1;
    for (size_t l = 0; l < lanes; l++) {
        for (size_t r = 0; r < rows; r++) {
            const size_t i = r * lanes + l;
            positions[r] = (maybe){i < n, i < n ? (double)oracle_element(dtype, x, i) : 0};
        }
        results[l] = reduce(op, type, positions, rows);
    }
    return reduce(op, type, results, lanes).value;
}

static void compare(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n, size_t lanes,
                    const void *x) {
    const weft_dtype type = accumulate == WEFT_F64 ? WEFT_F64 : dtype;
    unsigned char found[8] = {0}, truth[8] = {0};
    oracle_store(type, expected(op, dtype, type, n, lanes, x), truth);
    EXPECT_STATUS(ctx, weft_reduce_lanes(ctx, op, dtype, accumulate, n, lanes, x, found), WEFT_OK);
    EXPECT(memcmp(found, truth, sizeof found) == 0, "%s of %s in %s, n = %zu, %zu lanes: other bits",
           weft_op_name(op), weft_dtype_name(dtype), weft_dtype_name(type), n, lanes);
}

static void every_operator(weft_context *ctx, weft_dtype dtype, size_t n, size_t lanes, const void *x) {
    for (weft_op op = WEFT_SUM; op <= WEFT_PROD; op++) {
        compare(ctx, op, dtype, WEFT_DEFAULT, n, lanes, x);
        if (dtype == WEFT_F32) compare(ctx, op, dtype, WEFT_F64, n, lanes, x);
    }
}

static void every_input(weft_context *ctx, weft_dtype dtype, size_t n, size_t lanes, void *x) {
    for (input_kind kind = 0; kind < INPUT_COUNT; kind++) {
        if (!input_fits(kind, dtype)) continue;
        input_fill(kind, dtype, n + lanes, n, x);
        every_operator(ctx, dtype, n, lanes, x);
    }
}

int main(int argc, char **argv) {
    static const size_t lengths[] = {1, 2, 3, 15, 16, 17, 63, 257, 1023, 1025, 2047, 2049, N_MAX};
    static const size_t lanes[] = {1, 2, 3, 7, 16, 32, 33, 64, 100, 128, 500, 1023, LANES_MAX};
    static double x[N_MAX];
    weft_context *const ctx = oracle_open(argc, argv);
    for (weft_dtype dtype = WEFT_F32; dtype <= WEFT_F64; dtype++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++)
                every_input(ctx, dtype, lengths[i], lanes[k], x);
        input_fill(INPUT_UNIFORM, dtype, 1, 200, x);
        for (size_t n = 1; n <= 200; n++)
            for (size_t k = 1; k <= 40; k++) every_operator(ctx, dtype, n, k, x);
    }
    weft_close(ctx);
    return expect_end();
}
