/* Tests every argument that the public functions reject: the error message, and that nothing was written. The
 * argument is the device's name. */
#include "tests/expect.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { N = 1000 };
static const unsigned char POISON = 0x5a;
static weft_context *ctx;
static double x[N + 1], y[N + 1];
static unsigned char out_bytes[16] __attribute__((aligned(16)));
#define OUT ((void *)out_bytes)

static void *shifted(void *p, size_t bytes) { return (char *)p + bytes; }

static void names(void) {
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH);
    EXPECT(strcmp(weft_version(), version) == 0, "%s, and the header says %s", weft_version(), version);
    EXPECT(weft_order_version() == WEFT_ORDER_VERSION, "%d", weft_order_version());
    EXPECT(strcmp(weft_status_name(WEFT_OUT_OF_MEMORY), "out_of_memory") == 0, "%s",
           weft_status_name(WEFT_OUT_OF_MEMORY));
    EXPECT(strcmp(weft_status_name((weft_status)12), "unknown") == 0, "%s", weft_status_name((weft_status)12));
    EXPECT(strcmp(weft_status_name((weft_status)-1), "unknown") == 0, "%s", weft_status_name((weft_status)-1));
    EXPECT(strcmp(weft_dtype_name(WEFT_U16), "u16") == 0, "%s", weft_dtype_name(WEFT_U16));
    EXPECT(strcmp(weft_dtype_name(WEFT_DEFAULT), "unknown") == 0, "%s", weft_dtype_name(WEFT_DEFAULT));
    EXPECT(strcmp(weft_dtype_name(WEFT_EXACT_SUM), "exact") == 0, "%s", weft_dtype_name(WEFT_EXACT_SUM));
    EXPECT(strcmp(weft_dtype_name(WEFT_BF16), "bf16") == 0, "%s", weft_dtype_name(WEFT_BF16));
    EXPECT(strcmp(weft_dtype_name((weft_dtype)14), "unknown") == 0, "%s", weft_dtype_name((weft_dtype)14));
    EXPECT(weft_dtype_size(WEFT_F32) == 4 && weft_dtype_size(WEFT_I8) == 1, "%zu", weft_dtype_size(WEFT_F32));
    EXPECT(weft_dtype_size(WEFT_F16) == 2 && weft_dtype_size(WEFT_BF16) == 2, "%zu", weft_dtype_size(WEFT_F16));
    EXPECT(weft_dtype_size((weft_dtype)14) == 0, "%zu", weft_dtype_size((weft_dtype)14));
    EXPECT(weft_dtype_size((weft_dtype)11) == 0 && weft_dtype_size(WEFT_DEFAULT) == 0, "sizes of no types");
    EXPECT(strcmp(weft_op_name(WEFT_COUNT_NONZERO), "count_nonzero") == 0, "%s", weft_op_name(WEFT_COUNT_NONZERO));
    EXPECT(strcmp(weft_op_name((weft_op)16), "unknown") == 0, "%s", weft_op_name((weft_op)16));
}

static void devices(void) {
    static const char *const none[] = {
        "",        "gpu",
        "CPU",     "cpu:v9",
        "ref:1",   "cuda:x",
        "cuda:99", "cuda:-1",
        ":",       "a device of a name that is much longer than any name of any device"};
    weft_context *opened = ctx;
    weft_device_info info = {.size = sizeof info};
    char count[32];
    EXPECT_ERROR(NULL, weft_open(NULL, "cpu"), WEFT_INVALID, "is NULL");
    EXPECT_ERROR(NULL, weft_open(&opened, NULL), WEFT_INVALID, "device is NULL");
    EXPECT(opened == NULL, "a failed weft_open leaves %p", (void *)opened);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        opened = ctx;
        EXPECT(weft_open(&opened, none[i]) == WEFT_NO_DEVICE, "\"%s\" opens", none[i]);
        EXPECT(opened == NULL && *weft_last_error(NULL), "\"%s\" leaves a context or no sentence", none[i]);
    }
    EXPECT_ERROR(NULL, weft_open(&opened, "cpu:v9"), WEFT_NO_DEVICE, "v9");
    EXPECT_ERROR(NULL, weft_open(&opened, "gpu"), WEFT_NO_DEVICE, "unknown device \"gpu\"");
    EXPECT(weft_device_count() >= 1, "%zu devices", weft_device_count());
    EXPECT_STATUS(NULL, weft_describe_device(0, &info), WEFT_OK);
    EXPECT(strcmp(info.id, "cpu") == 0 && info.cores >= 1, "device 0 is %s with %d cores", info.id, info.cores);
    EXPECT_ERROR(NULL, weft_describe_device(0, NULL), WEFT_INVALID, "is NULL");
    EXPECT(info.size == sizeof info, "size is %zu", info.size);
    EXPECT_ERROR(NULL, weft_describe_device(0, &(weft_device_info){.size = 4}), WEFT_INVALID,
                 "info->size is 4: expected sizeof(weft_device_info)");
    snprintf(count, sizeof count, "there are %zu", weft_device_count());
    EXPECT_ERROR(NULL, weft_describe_device(weft_device_count(), &info), WEFT_NO_DEVICE, count);
    EXPECT_STATUS(NULL, weft_open(&opened, "auto"), WEFT_OK);
    EXPECT(strcmp(weft_device(opened), "none") != 0, "auto is %s", weft_device(opened));
    weft_close(opened);
}

static void no_context(void) {
    void *p = NULL;
    static const char *const words = "ctx is NULL";
    EXPECT_ERROR(NULL, weft_reduce(NULL, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, x, OUT), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_variance(NULL, WEFT_F64, WEFT_DEFAULT, N, 0, x, OUT), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_dot(NULL, WEFT_F64, WEFT_DEFAULT, N, x, y, OUT), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_scan(NULL, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, N, x, NULL, y), WEFT_INVALID,
                 words);
    EXPECT_ERROR(NULL, weft_alloc(NULL, WEFT_DEVICE, 8, &p), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_free(NULL, WEFT_DEVICE, p), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_copy(NULL, 8, x, OUT), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_synchronize(NULL), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_set_threads(NULL, 1), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_set_stream(NULL, NULL), WEFT_INVALID, words);
    EXPECT(weft_scratch_bytes(NULL) == 0, "%zu bytes", weft_scratch_bytes(NULL));
    EXPECT(strcmp(weft_device(NULL), "none") == 0, "%s", weft_device(NULL));
    weft_close(NULL);
}

static void settings(void) {
    EXPECT_ERROR(ctx, weft_set_threads(ctx, -1), WEFT_INVALID, "number of threads -1");
    EXPECT_ERROR(ctx, weft_set_threads(ctx, 4097), WEFT_INVALID, "number of threads 4097: expected 0 to 4096");
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 4096), WEFT_OK);
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 0), WEFT_OK);
    EXPECT_STATUS(ctx, weft_synchronize(ctx), WEFT_OK);
    if (strncmp(weft_device(ctx), "cuda", 4) != 0)
        EXPECT_ERROR(ctx, weft_set_stream(ctx, OUT), WEFT_UNSUPPORTED, "stream");
}

/* Tests arguments that all three operations check in one way. */
static void reduce(void) {
#define REFUSED(op, dtype, accumulate, n, x, out, status, words) \
    EXPECT_ERROR(ctx, weft_reduce(ctx, op, dtype, accumulate, n, x, out), status, words)
    REFUSED((weft_op)16, WEFT_F64, WEFT_DEFAULT, N, x, OUT, WEFT_INVALID, "invalid op 16");
    REFUSED((weft_op)-1, WEFT_F64, WEFT_DEFAULT, N, x, OUT, WEFT_INVALID, "invalid op -1");
    REFUSED(WEFT_SUM, WEFT_DEFAULT, WEFT_DEFAULT, N, x, OUT, WEFT_INVALID, "invalid dtype 0");
    REFUSED(WEFT_SUM, (weft_dtype)11, WEFT_DEFAULT, N, x, OUT, WEFT_INVALID, "invalid dtype 11");
    REFUSED(WEFT_SUM, WEFT_BF16, WEFT_I64, N, x, OUT, WEFT_UNSUPPORTED, "sum of bf16 cannot accumulate in i64");
    REFUSED(WEFT_SUM, (weft_dtype)-3, WEFT_DEFAULT, N, x, OUT, WEFT_INVALID, "invalid dtype -3");
    REFUSED(WEFT_SUM, WEFT_F64, (weft_dtype)77, N, x, OUT, WEFT_UNSUPPORTED, "cannot accumulate in unknown");
    REFUSED(WEFT_SUM, WEFT_I32, WEFT_F64, N, x, OUT, WEFT_UNSUPPORTED, "sum of i32 cannot accumulate in f64");
    REFUSED(WEFT_SUM, WEFT_I32, WEFT_EXACT_SUM, N, x, OUT, WEFT_UNSUPPORTED, "sum of i32 cannot accumulate in exact");
    REFUSED(WEFT_PROD, WEFT_F64, WEFT_EXACT_SUM, N, x, OUT, WEFT_UNSUPPORTED,
            "prod of f64 cannot accumulate in exact");
    REFUSED(WEFT_SUM, WEFT_EXACT_SUM, WEFT_EXACT_SUM, N, x, OUT, WEFT_INVALID, "invalid dtype 11");
    REFUSED((weft_op)16, WEFT_F64, WEFT_EXACT_SUM, N, x, OUT, WEFT_INVALID, "invalid op 16");
    REFUSED(WEFT_MEAN, WEFT_F64, WEFT_EXACT_SUM, 0, x, OUT, WEFT_EMPTY, "mean of 0 elements is undefined");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_EXACT_SUM, N, NULL, OUT, WEFT_INVALID, "x is NULL");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_EXACT_SUM, N, x, x, WEFT_INVALID, "out (8 bytes at");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_F32, N, x, OUT, WEFT_UNSUPPORTED, "sum of f64 cannot accumulate in f32");
    REFUSED(WEFT_MIN, WEFT_F32, WEFT_F64, N, x, OUT, WEFT_UNSUPPORTED, "min of f32 cannot accumulate in f64");
    REFUSED(WEFT_AND, WEFT_F32, WEFT_DEFAULT, N, x, OUT, WEFT_UNSUPPORTED, "and requires integer elements");
    REFUSED(WEFT_XOR, WEFT_F64, WEFT_DEFAULT, 0, NULL, OUT, WEFT_UNSUPPORTED, "integer elements, not f64");
    REFUSED(WEFT_MAX, WEFT_I8, WEFT_DEFAULT, 0, NULL, OUT, WEFT_EMPTY, "max of 0 elements is undefined");
    REFUSED(WEFT_ARGMIN, WEFT_F64, WEFT_DEFAULT, 0, x, OUT, WEFT_EMPTY, "argmin of 0 elements");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, NULL, OUT, WEFT_INVALID, "x is NULL");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, x, NULL, WEFT_INVALID, "out is NULL");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, 0, NULL, NULL, WEFT_INVALID, "out is NULL");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, shifted(x, 4), OUT, WEFT_INVALID,
            "not aligned to its 8-byte elements");
    REFUSED(WEFT_SUM, WEFT_I16, WEFT_DEFAULT, N, shifted(x, 1), OUT, WEFT_INVALID,
            "not aligned to its 2-byte elements");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, x, shifted(OUT, 4), WEFT_INVALID, "out is at");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, x, x, WEFT_INVALID, "out (8 bytes at");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, x, x + N - 1, WEFT_INVALID, "overlaps x (8000 bytes at");
    REFUSED(WEFT_ARGMAX, WEFT_I8, WEFT_DEFAULT, 1, shifted(x, 7), x, WEFT_INVALID, "overlaps x (1 bytes at");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, SIZE_MAX, x, OUT, WEFT_INVALID,
            "elements of 8 bytes do not fit in memory");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, SIZE_MAX / 8, x, OUT, WEFT_INVALID, "do not fit in memory");
    REFUSED(WEFT_SUM, WEFT_U8, WEFT_DEFAULT, SIZE_MAX, x, OUT, WEFT_INVALID, "do not fit in memory");
#undef REFUSED
    double total = 0;
    static const double above_a_tie[] = {1, 0x1p-53, 0x1p-1074};
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_SUM, WEFT_F64, WEFT_EXACT_SUM, 3, above_a_tie, &total), WEFT_OK);
    EXPECT(total == 1 + 0x1p-52, "the exact sum is %a", total);
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, x, x + N), WEFT_OK); /* adjacent to x */
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_SUM, WEFT_F64, WEFT_F64, N, x, &total), WEFT_OK);
    EXPECT(total == x[N], "%a and %a", total, x[N]);
    EXPECT(*weft_last_error(ctx) == '\0', "after success: %s", weft_last_error(ctx));
}

static void result_types(void) {
    weft_dtype type = WEFT_DEFAULT;
    EXPECT_ERROR(NULL, weft_reduce_result(WEFT_SUM, WEFT_F32, WEFT_DEFAULT, NULL), WEFT_INVALID, "is NULL");
    EXPECT_ERROR(NULL, weft_reduce_result((weft_op)99, WEFT_F32, WEFT_DEFAULT, &type), WEFT_INVALID, "invalid op 99");
    static const struct {
        weft_op op;
        weft_dtype dtype, accumulate, result;
    } rows[] = {
        {WEFT_SUM, WEFT_I8, WEFT_DEFAULT, WEFT_I64},
        {WEFT_PROD, WEFT_U32, WEFT_DEFAULT, WEFT_U64},
        {WEFT_SUM, WEFT_F32, WEFT_DEFAULT, WEFT_F32},
        {WEFT_SUM, WEFT_F32, WEFT_F64, WEFT_F64},
        {WEFT_SUM, WEFT_I8, WEFT_I64, WEFT_I64},
        {WEFT_MIN, WEFT_I16, WEFT_DEFAULT, WEFT_I16},
        {WEFT_ARGMAX, WEFT_F64, WEFT_DEFAULT, WEFT_U64},
        {WEFT_ANY, WEFT_F64, WEFT_DEFAULT, WEFT_U8},
        {WEFT_COUNT_NONZERO, WEFT_I8, WEFT_DEFAULT, WEFT_U64},
        {WEFT_MEAN, WEFT_I8, WEFT_DEFAULT, WEFT_F64},
        {WEFT_MEAN, WEFT_F32, WEFT_DEFAULT, WEFT_F32},
        {WEFT_NORM2, WEFT_F32, WEFT_F64, WEFT_F64},
        {WEFT_XOR, WEFT_U8, WEFT_DEFAULT, WEFT_U8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        EXPECT_STATUS(NULL, weft_reduce_result(rows[i].op, rows[i].dtype, rows[i].accumulate, &type), WEFT_OK);
        EXPECT(type == rows[i].result, "%s of %s gives %s", weft_op_name(rows[i].op), weft_dtype_name(rows[i].dtype),
               weft_dtype_name(type));
    }
}

static void variance_and_dot(void) {
#define REFUSED(dtype, accumulate, n, ddof, x, out, status, words) \
    EXPECT_ERROR(ctx, weft_variance(ctx, dtype, accumulate, n, ddof, x, out), status, words)
    REFUSED(WEFT_F64, WEFT_DEFAULT, 0, 0, NULL, OUT, WEFT_EMPTY, "variance of 0 elements is undefined with ddof 0");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, 5, x, OUT, WEFT_EMPTY, "variance of 5 elements is undefined with ddof 5");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, SIZE_MAX, x, OUT, WEFT_EMPTY, "is undefined");
    REFUSED((weft_dtype)14, WEFT_DEFAULT, 5, 0, x, OUT, WEFT_INVALID, "invalid dtype 14");
    REFUSED(WEFT_F64, WEFT_F32, 5, 0, x, OUT, WEFT_UNSUPPORTED, "variance of f64 cannot accumulate in f32");
    REFUSED(WEFT_I32, WEFT_EXACT_SUM, 5, 0, x, OUT, WEFT_UNSUPPORTED, "variance of i32 cannot accumulate in exact");
    REFUSED(WEFT_F64, WEFT_EXACT_SUM, 5, 5, x, OUT, WEFT_EMPTY, "variance of 5 elements is undefined with ddof 5");
    REFUSED(WEFT_F64, WEFT_EXACT_SUM, 5, 0, NULL, OUT, WEFT_INVALID, "x is NULL");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, 0, NULL, OUT, WEFT_INVALID, "x is NULL");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, 0, x, NULL, WEFT_INVALID, "out is NULL");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, 0, shifted(x, 2), OUT, WEFT_INVALID, "not aligned");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, 0, x, x + 4, WEFT_INVALID, "overlaps x");
    REFUSED(WEFT_F64, WEFT_DEFAULT, SIZE_MAX / 4, 0, x, OUT, WEFT_INVALID, "do not fit in memory");
#undef REFUSED
#define REFUSED(dtype, accumulate, n, x, y, out, status, words) \
    EXPECT_ERROR(ctx, weft_dot(ctx, dtype, accumulate, n, x, y, out), status, words)
    REFUSED((weft_dtype)14, WEFT_DEFAULT, 5, x, y, OUT, WEFT_INVALID, "invalid dtype 14");
    REFUSED(WEFT_F16, WEFT_EXACT_SUM, 5, x, y, OUT, WEFT_UNSUPPORTED, "dot of f16 cannot accumulate in exact");
    REFUSED(WEFT_BF16, WEFT_I64, 5, x, y, OUT, WEFT_UNSUPPORTED, "dot of bf16 cannot accumulate in i64");
    REFUSED(WEFT_U8, WEFT_F64, 5, x, y, OUT, WEFT_UNSUPPORTED, "dot of u8 cannot accumulate in f64");
    REFUSED(WEFT_U8, WEFT_EXACT_SUM, 5, x, y, OUT, WEFT_UNSUPPORTED, "dot of u8 cannot accumulate in exact");
    REFUSED(WEFT_F64, WEFT_EXACT_SUM, 5, x, NULL, OUT, WEFT_INVALID, "y is NULL");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, NULL, y, OUT, WEFT_INVALID, "x is NULL");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, x, NULL, OUT, WEFT_INVALID, "y is NULL");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, x, y, NULL, WEFT_INVALID, "out is NULL");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, shifted(x, 4), y, OUT, WEFT_INVALID, "x is at");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, x, shifted(y, 1), OUT, WEFT_INVALID, "y is at");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, x, y, x + 4, WEFT_INVALID, "overlaps x");
    REFUSED(WEFT_F64, WEFT_DEFAULT, 5, x, y, y, WEFT_INVALID, "overlaps y");
    REFUSED(WEFT_F32, WEFT_DEFAULT, SIZE_MAX / 2, x, y, OUT, WEFT_INVALID, "do not fit in memory");
#undef REFUSED
    double d = 0;
    EXPECT_STATUS(ctx, weft_dot(ctx, WEFT_F64, WEFT_DEFAULT, 5, x, x, &d), WEFT_OK);
    EXPECT_STATUS(ctx, weft_dot(ctx, WEFT_F64, WEFT_DEFAULT, 5, x, x + 1, &d), WEFT_OK);
}

static void laplace(void) {
    double *const end = y + N;
#define REFUSED(dtype, nx, ny, nz, u, v, change, status, words) \
    EXPECT_ERROR(ctx, weft_laplace(ctx, dtype, nx, ny, nz, 1, u, v, change), status, words)
    REFUSED(WEFT_F64, 3, 3, 3, NULL, y, NULL, WEFT_INVALID, "u is NULL");
    REFUSED(WEFT_F64, 3, 3, 3, x, NULL, NULL, WEFT_INVALID, "v is NULL");
    REFUSED(WEFT_I32, 3, 3, 3, x, y, NULL, WEFT_UNSUPPORTED, "f32 or f64, not i32");
    REFUSED((weft_dtype)14, 3, 3, 3, x, y, NULL, WEFT_INVALID, "invalid dtype 14");
    REFUSED(WEFT_F64, 3, 0, 3, x, y, NULL, WEFT_EMPTY, "3 x 0 x 3 has no points");
    REFUSED(WEFT_F64, SIZE_MAX / 2, 3, 3, x, y, NULL, WEFT_INVALID, "does not fit in memory");
    REFUSED(WEFT_F64, SIZE_MAX / 2, 1, 1, x, y, NULL, WEFT_INVALID, "do not fit in memory");
    REFUSED(WEFT_F64, 3, 3, 3, x, x + 1, NULL, WEFT_INVALID, "v (216 bytes at");
    REFUSED(WEFT_F64, 3, 3, 3, x, shifted(y, 4), NULL, WEFT_INVALID, "v is at");
    REFUSED(WEFT_F64, 3, 3, 3, x, y, y + 26, WEFT_INVALID, "overlaps v");
    REFUSED(WEFT_F64, 3, 3, 3, x, y, x, WEFT_INVALID, "overlaps u");
    REFUSED(WEFT_F64, 3, 3, 3, x, y, shifted(OUT, 4), WEFT_INVALID, "change is at");
#undef REFUSED
    EXPECT_STATUS(ctx, weft_laplace(ctx, WEFT_F64, 3, 3, 3, 2, y, y, end), WEFT_OK);
    EXPECT_STATUS(ctx, weft_laplace(ctx, WEFT_F32, 3, 3, 3, 2, x, y, NULL), WEFT_OK);
}

static void laplace_solve(void) {
    double residual = 7;
    size_t done = 7;
#define REFUSED(method, dtype, nx, omega, tolerance, u, v, status, words)                                           \
    EXPECT_ERROR(ctx,                                                                                               \
                 weft_laplace_solve(ctx, (weft_laplace_method)(method), dtype, nx, 3, 3, omega, tolerance, 1, u, v, \
                                    &done, &residual),                                                              \
                 status, words)
    REFUSED(2, WEFT_F64, 3, 0, 0, x, y, WEFT_INVALID, "invalid method 2");
    REFUSED(WEFT_SOR, WEFT_F64, 3, 2, 0, x, y, WEFT_INVALID, "invalid omega 2:");
    REFUSED(WEFT_SOR, WEFT_F64, 3, -0.5, 0, x, y, WEFT_INVALID, "invalid omega -0.5:");
    REFUSED(WEFT_SOR, WEFT_F64, 3, NAN, 0, x, y, WEFT_INVALID, "invalid omega");
    REFUSED(WEFT_SOR, WEFT_F64, 3, 0, -1e-3, x, y, WEFT_INVALID, "invalid tolerance -0.001");
    REFUSED(WEFT_SOR, WEFT_F64, 3, 0, NAN, x, y, WEFT_INVALID, "invalid tolerance");
    REFUSED(WEFT_SOR, WEFT_I32, 3, 0, 0, x, y, WEFT_UNSUPPORTED, "f32 or f64, not i32");
    REFUSED(WEFT_SOR, WEFT_F64, 0, 0, 0, x, y, WEFT_EMPTY, "0 x 3 x 3 has no points");
    REFUSED(WEFT_MULTIGRID, WEFT_F64, SIZE_MAX / 2, 0, 0, x, y, WEFT_INVALID, "does not fit in memory");
    REFUSED(WEFT_MULTIGRID, WEFT_F64, 3, 0, 0, NULL, y, WEFT_INVALID, "u is NULL");
    REFUSED(WEFT_MULTIGRID, WEFT_F64, 3, 0, 0, x, NULL, WEFT_INVALID, "v is NULL");
    REFUSED(WEFT_MULTIGRID, WEFT_F64, 3, 0, 0, x, x + 1, WEFT_INVALID, "overlaps u");
    REFUSED(WEFT_MULTIGRID, WEFT_F64, 3, 0, 0, x, shifted(y, 4), WEFT_INVALID, "v is at");
#undef REFUSED
    EXPECT(done == 7 && residual == 7, "a refused call wrote");
    EXPECT_STATUS(ctx, weft_laplace_solve(ctx, WEFT_MULTIGRID, WEFT_F32, 3, 3, 3, 1, 1e-3, 5, x, y, NULL, NULL),
                  WEFT_OK);
    EXPECT_STATUS(ctx, weft_laplace_solve(ctx, WEFT_SOR, WEFT_F64, 27, 1, 1, 0, 0, 5, x, y, &done, &residual),
                  WEFT_OK);
    EXPECT(done == 5 && residual == 0, "a row of points is all faces");
}

static void scan(void) {
    static int32_t whole[N];
    static float narrow[N];
    double *const end = y + N;
#define REFUSED(op, kind, dtype, accumulate, n, x, y, status, words) \
    EXPECT_ERROR(ctx, weft_scan(ctx, op, kind, dtype, accumulate, n, x, NULL, y), status, words)
#define SUM_REFUSED(dtype, accumulate, n, x, y, status, words) \
    REFUSED(WEFT_SUM, WEFT_INCLUSIVE, dtype, accumulate, n, x, y, status, words)
    SUM_REFUSED(WEFT_F64, WEFT_DEFAULT, N, NULL, OUT, WEFT_INVALID, "x is NULL");
    SUM_REFUSED(WEFT_F64, WEFT_DEFAULT, N, x, NULL, WEFT_INVALID, "y is NULL");
    SUM_REFUSED(WEFT_F64, WEFT_DEFAULT, N, shifted(x, 4), y, WEFT_INVALID, "x is at");
    SUM_REFUSED(WEFT_F64, WEFT_DEFAULT, 1, x, shifted(OUT, 4), WEFT_INVALID, "y is at");
    SUM_REFUSED(WEFT_F32, WEFT_F64, 1, x, shifted(OUT, 4), WEFT_INVALID, "not aligned to its 8-byte elements");
    SUM_REFUSED(WEFT_F64, WEFT_DEFAULT, 5, x, x + 1, WEFT_INVALID, "overlaps x (40 bytes at");
    SUM_REFUSED(WEFT_F64, WEFT_DEFAULT, 5, x + 4, x, WEFT_INVALID, "overlaps x");
    SUM_REFUSED(WEFT_F32, WEFT_F64, 5, x, x, WEFT_INVALID, "y (40 bytes at");
    SUM_REFUSED(WEFT_I32, WEFT_I64, 2, OUT, OUT, WEFT_INVALID, "overlaps x (8 bytes at");
    SUM_REFUSED(WEFT_F64, WEFT_DEFAULT, SIZE_MAX / 4, x, OUT, WEFT_INVALID, "do not fit in memory");
    SUM_REFUSED(WEFT_U8, WEFT_U64, SIZE_MAX / 4, x, OUT, WEFT_INVALID, "do not fit in memory");
    SUM_REFUSED((weft_dtype)14, WEFT_DEFAULT, 1, x, OUT, WEFT_INVALID, "invalid dtype 14");
    SUM_REFUSED(WEFT_F64, (weft_dtype)77, 1, x, OUT, WEFT_UNSUPPORTED, "cannot accumulate in unknown");
    SUM_REFUSED(WEFT_I32, WEFT_F64, 1, whole, OUT, WEFT_UNSUPPORTED, "sum of i32 cannot accumulate in f64");
    SUM_REFUSED(WEFT_I32, WEFT_U64, 1, whole, OUT, WEFT_UNSUPPORTED, "sum of i32 cannot accumulate in u64");
    SUM_REFUSED(WEFT_U16, WEFT_I64, 1, whole, OUT, WEFT_UNSUPPORTED, "cannot accumulate in i64");
    SUM_REFUSED(WEFT_I8, WEFT_I32, 1, whole, OUT, WEFT_UNSUPPORTED, "cannot accumulate in i32");
    SUM_REFUSED(WEFT_F64, WEFT_F32, 1, x, OUT, WEFT_UNSUPPORTED, "sum of f64 cannot accumulate in f32");
    SUM_REFUSED(WEFT_F64, WEFT_EXACT_SUM, 1, x, OUT, WEFT_UNSUPPORTED, "sum of f64 cannot accumulate in exact");
#undef SUM_REFUSED
    REFUSED((weft_op)16, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, 1, x, OUT, WEFT_INVALID, "invalid op 16");
    REFUSED((weft_op)-1, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, 1, x, OUT, WEFT_INVALID, "invalid op -1");
    REFUSED(WEFT_SUM, (weft_scan_kind)2, WEFT_F64, WEFT_DEFAULT, 1, x, OUT, WEFT_INVALID, "invalid scan kind 2");
    REFUSED(WEFT_SUM, (weft_scan_kind)-1, WEFT_F64, WEFT_DEFAULT, 1, x, OUT, WEFT_INVALID, "invalid scan kind -1");
    REFUSED(WEFT_MAX, WEFT_EXCLUSIVE, WEFT_F32, WEFT_F64, 1, x, OUT, WEFT_UNSUPPORTED, "cannot accumulate in f64");
    REFUSED(WEFT_OR, WEFT_EXCLUSIVE, WEFT_U8, WEFT_U64, 1, x, OUT, WEFT_UNSUPPORTED, "cannot accumulate in u64");
    REFUSED(WEFT_AND, WEFT_EXCLUSIVE, WEFT_F32, WEFT_DEFAULT, 1, x, OUT, WEFT_UNSUPPORTED,
            "requires integer elements");
    static const weft_op others[] = {WEFT_ARGMIN, WEFT_ARGMAX, WEFT_ANY,   WEFT_ALL,    WEFT_COUNT_NONZERO,
                                     WEFT_MEAN,   WEFT_NORM1,  WEFT_NORM2, WEFT_NORMINF};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        REFUSED(others[i], WEFT_INCLUSIVE, WEFT_I32, WEFT_DEFAULT, 1, whole, OUT, WEFT_UNSUPPORTED,
                weft_op_name(others[i]));
#undef REFUSED
#define TAKEN(dtype, accumulate, n, x, y) \
    EXPECT_STATUS(ctx, weft_scan(ctx, WEFT_SUM, WEFT_EXCLUSIVE, dtype, accumulate, n, x, NULL, y), WEFT_OK)
    TAKEN(WEFT_F64, WEFT_DEFAULT, 0, NULL, NULL);
    TAKEN(WEFT_F64, WEFT_F64, 3, x, y);
    TAKEN(WEFT_I32, WEFT_I32, 3, whole, whole);
    TAKEN(WEFT_I32, WEFT_I64, 3, whole, y);
    TAKEN(WEFT_F32, WEFT_F64, N, narrow, y);
    TAKEN(WEFT_F64, WEFT_DEFAULT, N / 2, y, y + N / 2); /* adjacent arrays */
    TAKEN(WEFT_F64, WEFT_DEFAULT, 1, y, end);
#undef TAKEN
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    for (size_t i = 0; i < N; i++) x[i] = y[i] = (double)i;
    memset(out_bytes, POISON, sizeof out_bytes);
    names();
    devices();
    no_context();
    settings();
    reduce();
    result_types();
    variance_and_dot();
    laplace();
    laplace_solve();
    scan();
    for (size_t i = 0; i < sizeof out_bytes; i++)
        EXPECT(out_bytes[i] == POISON, "a call that failed wrote byte %zu of its output", i);
    weft_close(ctx);
    return expect_end();
}
