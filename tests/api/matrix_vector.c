/* Tests weft_matmul of a row vector and a wide matrix, whose columns a GPU takes in pairs if there are many: each
 * result is one chain (ORDER.md 13.1), which is computed here too. Usage: api_matrix_vector DEVICE. */
#include "core/types.h"
#include "tests/expect.h"

#include <math.h>
#include <stdlib.h>

/* k <= 256: one part (ORDER.md 13.2). */
enum { TERMS = 37, COLUMNS = 131074, APART = COLUMNS + 2, MOST = TERMS * APART };

typedef struct arrays {
    _Alignas(16) float a[MOST]; /* aligned: columns are loaded in pairs */
    _Alignas(16) double wide_a[MOST];
    float x[TERMS], y[COLUMNS];
    double wide_x[TERMS], wide_y[COLUMNS];
} arrays;

static void fill(arrays *s) {
    uint64_t state = 1;
    for (size_t i = 0; i < MOST; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        s->wide_a[i] = (double)(int64_t)state * 0x1p-60;
        s->a[i] = (float)s->wide_a[i];
    }
    for (size_t i = 0; i < TERMS; i++) {
        s->wide_x[i] = s->wide_a[MOST - 1 - i];
        s->x[i] = (float)s->wide_x[i];
    }
}

static bool is_equal(const arrays *s, weft_dtype dtype, weft_dtype accumulate, size_t k, size_t ld, size_t column) {
    float narrow = 0;
    double wide = 0;
    for (size_t t = 0; t < k; t++) {
        const size_t i = t * ld + column;
        narrow = fmaf(s->x[t], s->a[i], narrow);
        wide = dtype == WEFT_F64 ? fma(s->wide_x[t], s->wide_a[i], wide) : fma(s->x[t], s->a[i], wide);
    }
    if (dtype == WEFT_F64) return s->wide_y[column] == wide;
    return s->y[column] == (accumulate == WEFT_F64 ? (float)wide : narrow);
}

static void check(weft_context *ctx, arrays *s, weft_dtype dtype, weft_dtype accumulate, size_t n, size_t k,
                  size_t ld) {
    const bool wide = dtype == WEFT_F64;
    const void *const x = wide ? (void *)s->wide_x : s->x, *const a = wide ? (void *)s->wide_a : s->a;
    void *const y = wide ? (void *)s->wide_y : s->y;
    size_t different = 0;
    EXPECT_STATUS(ctx,
                  weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, dtype, accumulate, 1, n, k,
                              NULL, x, k, a, ld, NULL, y, n),
                  WEFT_OK);
    for (size_t column = 0; column < n; column++) different += !is_equal(s, dtype, accumulate, k, ld, column);
    EXPECT(different == 0, "%s summed in %s, %zu columns of %zu, rows %zu apart: %zu results differ",
           weft_dtype_name(dtype), weft_dtype_name(accumulate), n, k, ld, different);
}

int main(int argc, char **argv) {
    static const size_t columns[] = {300, 1001, 1002, COLUMNS - 1, COLUMNS}, terms[] = {1, 16, TERMS};
    weft_context *ctx;
    arrays *const s = malloc(sizeof *s);
    if (!s || !EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return 1;
    fill(s);
    for (size_t i = 0; i < 5 * 3 * 2; i++) {
        const size_t n = columns[i % 5], k = terms[i / 5 % 3], ld = i < 15 ? n : (n + 3) / 4 * 4;
        check(ctx, s, WEFT_F32, WEFT_F32, n, k, ld);
        check(ctx, s, WEFT_F32, WEFT_F64, n, k, ld);
        check(ctx, s, WEFT_F64, WEFT_F64, n, k, ld);
    }
    weft_close(ctx);
    free(s);
    return expect_end();
}
