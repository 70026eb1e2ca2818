/* Tests weft_tune_*: the variants that can be chosen, that they do not change any bit, and the stored choices. Usage:
 * api_tune DEVICE. */
#include "tests/expect.h"

#include <stdlib.h>
#include <unistd.h>

/* Edge of the matrices: contains full tiles of 256 and a tail of rows and terms. Rows begin at multiples of 16 bytes.
 */
enum { EDGE = 268, LAYOUTS = 4 };
/* A grid that a CPU divides into blocks of rows too. */
enum { NX = 260, NY = 70, NZ = 5, POINTS = NX * NY * NZ, SWEEPS = 8 };

static double factor[EDGE * EDGE], product[LAYOUTS][EDGE * EDGE], expected[LAYOUTS][EDGE * EDGE];
static double grid[POINTS], swept[POINTS], wanted[POINTS];

static void fill(double *x, size_t n, weft_dtype dtype) {
    uint64_t state = n;
    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double v = (double)(state >> 40) * 0x1p-23 - 1;
        if (dtype == WEFT_F64)
            x[i] = v;
        else
            ((float *)x)[i] = (float)v;
    }
}

/* Computes all four products of the matrix with itself, each factor as it is or transposed. */
static weft_status multiply(weft_context *ctx, const weft_tunable *t, double c[LAYOUTS][EDGE * EDGE]) {
    const weft_dtype sums = t->accumulate == t->dtype ? WEFT_DEFAULT : t->accumulate;
    weft_status status = WEFT_OK;
    for (int i = 0; i < LAYOUTS && status == WEFT_OK; i++)
        status = weft_matmul(ctx, WEFT_ROW_MAJOR, (weft_transpose)(i / 2), (weft_transpose)(i % 2), t->dtype, sums,
                             EDGE, EDGE, EDGE, NULL, factor, EDGE, factor, EDGE, NULL, c[i], EDGE);
    return status;
}

static bool same_products(const weft_tunable *t) {
    bool same = true;
    for (int i = 0; i < LAYOUTS; i++)
        same = same && memcmp(product[i], expected[i], EDGE * EDGE * weft_dtype_size(t->dtype)) == 0;
    return same;
}

static weft_status sweep(weft_context *ctx, const weft_tunable *t, void *v) {
    return weft_laplace(ctx, t->dtype, NX, NY, NZ, SWEEPS, grid, v, NULL);
}

/* Checks that every variant gives the bits of the specification. */
static void check_variants(weft_context *ctx, weft_context *ref, size_t index) {
    weft_tunable t = {.size = sizeof t}, after = t;
    if (!EXPECT(weft_tune_describe(ctx, index, &t) == WEFT_OK, "tunable %zu", index)) return;
    const bool is_matmul = strcmp(t.operation, "matmul") == 0;
    EXPECT(t.count > 1 && t.chosen < t.count, "%zu of %zu", t.chosen, t.count);
    fill(is_matmul ? factor : grid, is_matmul ? EDGE * EDGE : POINTS, t.dtype);
    EXPECT_STATUS(ref, is_matmul ? multiply(ref, &t, expected) : sweep(ref, &t, wanted), WEFT_OK);
    for (size_t v = 0; v < t.count; v++) {
        const weft_status status = weft_tune_choose(ctx, index, v);
        if (status == WEFT_UNSUPPORTED && v > 0) continue; /* not supported by this GPU */
        EXPECT_STATUS(ctx, status, WEFT_OK);
        EXPECT(weft_tune_describe(ctx, index, &after) == WEFT_OK && after.chosen == v, "%zu", after.chosen);
        memset(product, 0xff, sizeof product);
        memset(swept, 0xff, sizeof swept);
        EXPECT_STATUS(ctx, is_matmul ? multiply(ctx, &t, product) : sweep(ctx, &t, swept), WEFT_OK);
        const bool same =
            is_matmul ? same_products(&t) : memcmp(swept, wanted, POINTS * weft_dtype_size(t.dtype)) == 0;
        EXPECT(same, "%s of %s by %s", t.operation, weft_dtype_name(t.dtype), t.variants[v]);
    }
    EXPECT_ERROR(ctx, weft_tune_choose(ctx, index, t.count), WEFT_INVALID, "has no variant");
}

/* Checks that the choices saved by one context are loaded by the next one on the device. */
static void check_file(const char *device, weft_context *ctx) {
    weft_context *other;
    weft_tunable t = {.size = sizeof t};
    char path[4096];
    EXPECT_STATUS(ctx, weft_tune_file(ctx, path, sizeof path), WEFT_OK);
    EXPECT_ERROR(ctx, weft_tune_file(ctx, path, strlen(path)), WEFT_INVALID, "but size is");
    EXPECT(access(path, F_OK) != 0, "%s is there", path);
    EXPECT_STATUS(ctx, weft_tune_choose(ctx, 0, 1), WEFT_OK);
    EXPECT_STATUS(ctx, weft_tune_save(ctx), WEFT_OK);
    for (int round = 0; round < 2; round++) {
        if (!EXPECT(weft_open(&other, device) == WEFT_OK, "%s", weft_last_error(NULL))) return;
        EXPECT(!*weft_tune_warning(other), "%s", weft_tune_warning(other));
        EXPECT_STATUS(other, weft_tune_describe(other, 0, &t), WEFT_OK);
        EXPECT(t.chosen == (round == 0), "round %d: %zu", round, t.chosen);
        weft_close(other);
        EXPECT_STATUS(ctx, weft_tune_reset(ctx), WEFT_OK);
    }
    EXPECT(access(path, F_OK) != 0, "%s is still there", path);
    EXPECT(weft_tune_describe(ctx, 0, &t) == WEFT_OK && t.chosen == 0, "%zu", t.chosen);
}

static void check_nothing(weft_context *ctx) {
    weft_tunable t = {.size = sizeof t};
    char path[64];
    EXPECT(weft_tune_count(ctx) == 0, "%zu", weft_tune_count(ctx));
    EXPECT_ERROR(ctx, weft_tune_describe(ctx, 0, &t), WEFT_INVALID, "tunable 0 does not exist");
    EXPECT_ERROR(ctx, weft_tune_save(ctx), WEFT_UNSUPPORTED, "no tunable operations");
    EXPECT_ERROR(ctx, weft_tune_reset(ctx), WEFT_UNSUPPORTED, "no tunable operations");
    EXPECT_ERROR(ctx, weft_tune_file(ctx, path, sizeof path), WEFT_UNSUPPORTED, "no tunable operations");
}

int main(int argc, char **argv) {
    char cache[] = "/tmp/weft-tune-XXXXXX", folder[64];
    const char *device = argc > 1 ? argv[1] : "cpu";
    weft_context *ctx, *ref;
    if (!mkdtemp(cache) || setenv("XDG_CACHE_HOME", cache, 1) != 0) return 1;
    if (weft_open(&ctx, device) != WEFT_OK || weft_open(&ref, "ref") != WEFT_OK) {
        puts(weft_last_error(NULL));
        return 77;
    }
    for (size_t i = 0; i < weft_tune_count(ctx); i++) check_variants(ctx, ref, i);
    if (weft_tune_count(ctx))
        check_file(device, ctx);
    else
        check_nothing(ctx);
    EXPECT_ERROR(ctx, weft_tune_describe(ctx, 0, NULL), WEFT_INVALID, "is NULL");
    EXPECT_ERROR(ctx, weft_tune_describe(ctx, 0, &(weft_tunable){.size = 0}), WEFT_INVALID, "tunable->size is 0");
    EXPECT_ERROR(ctx, weft_tune_file(ctx, NULL, 0), WEFT_INVALID, "is NULL");
    EXPECT(weft_tune_count(NULL) == 0 && !*weft_tune_warning(NULL), "without a context");
    EXPECT(weft_tune_save(NULL) == WEFT_INVALID, "without a context");
    weft_close(ctx);
    weft_close(ref);
    snprintf(folder, sizeof folder, "%s/weft", cache);
    (void)rmdir(folder);
    (void)rmdir(cache);
    return expect_end();
}
