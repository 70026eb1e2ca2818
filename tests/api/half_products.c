/* Tests weft_matmul_batched of f16 and bf16: each result is that of the f32 values of the matrices, rounded by
 * weft_map, for random shapes, layouts and scalars, and elements between the rows of C are not written.
 *
 * Usage: api_half_products DEVICE. */
#include "tests/expect.h"
#include "tests/random_view.h"
#include "verify/inputs.h"

#include <stdlib.h>

enum { SIDE = 70, GAP = 3, MOST = 3 * SIDE * (SIDE + GAP), SEEDS = 120 };

static weft_context *ctx;
static weft_expr *copy;
static uint16_t a[MOST], b[MOST], c[MOST], rounded[MOST];
static float wide_a[MOST], wide_b[MOST], wide_c[MOST];

/* Converts n elements with weft_map. */
static void convert(weft_dtype from, const void *x, weft_dtype to, void *y, size_t n) {
    EXPECT_STATUS(ctx, weft_map(ctx, copy, to, n, &(weft_binding){"x", from, x, NULL}, 1, y), WEFT_OK);
}

static void check(uint64_t seed, weft_dtype dtype) {
    static const float scalars[] = {1, 0, 0.5f, -1, 1.7f};
    draw_state = seed * 977 + (uint64_t)dtype;
    const size_t m = 1 + draw(SIDE), n = 1 + draw(SIDE), k = draw(8) ? 1 + draw(SIDE) : 0, batch = 1 + draw(3);
    const weft_layout layout = (weft_layout)draw(2);
    const weft_transpose ta = (weft_transpose)draw(2), tb = (weft_transpose)draw(2);
    const bool rows = layout == WEFT_ROW_MAJOR;
    const size_t lda = ((ta == WEFT_TRANSPOSE) == rows ? m : k) + draw(GAP + 1);
    const size_t ldb = ((tb == WEFT_TRANSPOSE) == rows ? k : n) + draw(GAP + 1), ldc = (rows ? n : m) + draw(GAP + 1);
    const size_t stride_a = draw(4) ? SIDE * (SIDE + GAP) : 0, stride_b = draw(4) ? SIDE * (SIDE + GAP) : 0;
    const float alpha = scalars[draw(5)], beta = scalars[draw(5)];
    const weft_dtype sums = draw(2) ? WEFT_F32 : WEFT_DEFAULT;
    input_fill(seed % 5 ? INPUT_UNIFORM : INPUT_MIXED, dtype, seed, MOST, a);
    input_fill(INPUT_UNIFORM, dtype, seed + 1, MOST, b);
    input_fill(INPUT_UNIFORM, dtype, seed + 2, MOST, c);
    convert(dtype, a, WEFT_F32, wide_a, MOST);
    convert(dtype, b, WEFT_F32, wide_b, MOST);
    convert(dtype, c, WEFT_F32, wide_c, MOST);
    EXPECT_STATUS(ctx,
                  weft_matmul_batched(ctx, layout, ta, tb, dtype, sums, m, n, k, &alpha, a, lda ? lda : 1, stride_a,
                                      b, ldb ? ldb : 1, stride_b, &beta, c, ldc, SIDE * (SIDE + GAP), batch),
                  WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_matmul_batched(ctx, layout, ta, tb, WEFT_F32, WEFT_DEFAULT, m, n, k, &alpha, wide_a,
                                      lda ? lda : 1, stride_a, wide_b, ldb ? ldb : 1, stride_b, &beta, wide_c, ldc,
                                      SIDE * (SIDE + GAP), batch),
                  WEFT_OK);
    convert(WEFT_F32, wide_c, dtype, rounded, MOST);
    EXPECT(memcmp(c, rounded, sizeof c) == 0, "%s, seed %llu: %zu x %zu x %zu, %zu times, alpha %g, beta %g",
           weft_dtype_name(dtype), (unsigned long long)seed, m, n, k, batch, (double)alpha, (double)beta);
}

int main(int argc, char **argv) {
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return expect_end();
    if (!EXPECT_STATUS(ctx, weft_expr_compile(ctx, "x", &copy), WEFT_OK)) return expect_end();
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        check(seed, WEFT_F16);
        check(seed, WEFT_BF16);
    }
    weft_expr_free(copy);
    weft_close(ctx);
    return expect_end();
}
