/* Tests every argument that weft_tridiag and weft_tridiag_pivot reject: the error message, and that nothing was
 * written. The argument is the device's name. */
#include "tests/expect.h"

#include <stdint.h>

enum { N = 12 };
static weft_context *ctx;
static double a[2 * N], b[2 * N], c[2 * N], d[2 * N], x[2 * N];
static uint64_t singular;

/* Arguments of a valid call, which each test changes in one respect. */
typedef struct arguments {
    weft_dtype dtype;
    weft_boundary boundary;
    size_t systems, n;
    weft_lines a, b, c, d;
    void *x;
    uint64_t *singular;
} arguments;

static arguments right(void) {
    return (arguments){WEFT_F64, WEFT_OPEN_ENDS, 3, 4, {a, 1, 4}, {b, 1, 4}, {c, 1, 4}, {d, 1, 4}, x, &singular};
}

static bool pivoting;

static weft_status call(const arguments *v) {
    return (pivoting ? weft_tridiag_pivot : weft_tridiag)(ctx, v->boundary, v->dtype, v->systems, v->n, v->a, v->b,
                                                          v->c, v->d, v->x, v->singular);
}

static void refused(arguments v, weft_status status, const char *words) {
    singular = 7;
    x[0] = 7;
    EXPECT_ERROR(ctx, call(&v), status, words);
    EXPECT(singular == 7 && x[0] == 7, "\"%s\": something was written", words);
}

static void accepted(arguments v) {
    singular = 7;
    EXPECT_STATUS(ctx, call(&v), WEFT_OK);
    EXPECT(singular == UINT64_MAX, "row %llu", (unsigned long long)singular);
}

#define WITH(field, ...)       \
    do {                       \
        v = right();           \
        v.field = __VA_ARGS__; \
    } while (0)

static void types(void) {
    arguments v;
    WITH(dtype, WEFT_I32);
    refused(v, WEFT_UNSUPPORTED,
            pivoting ? "tridiag_pivot requires f32 or f64 elements, not i32"
                     : "tridiag requires f32 or f64 elements, not i32");
    WITH(dtype, (weft_dtype)11);
    refused(v, WEFT_INVALID, "invalid dtype 11");
    WITH(boundary, (weft_boundary)2);
    refused(v, WEFT_INVALID, "invalid boundary 2");
    EXPECT_ERROR(NULL, weft_tridiag(NULL, WEFT_OPEN_ENDS, WEFT_F64, 3, 4, v.a, v.b, v.c, v.d, x, &singular),
                 WEFT_INVALID, "NULL");
    EXPECT_ERROR(NULL, weft_tridiag_pivot(NULL, WEFT_OPEN_ENDS, WEFT_F64, 3, 4, v.a, v.b, v.c, v.d, x, &singular),
                 WEFT_INVALID, "NULL");
}

static void pointers(void) {
    arguments v;
    WITH(a.p, NULL);
    refused(v, WEFT_INVALID, "a is NULL");
    WITH(b.p, (char *)b + 4);
    refused(v, WEFT_INVALID, "b is at");
    WITH(c.p, NULL);
    refused(v, WEFT_INVALID, "c is NULL");
    WITH(d.p, NULL);
    refused(v, WEFT_INVALID, "d is NULL");
    WITH(x, NULL);
    refused(v, WEFT_INVALID, "x is NULL");
    WITH(singular, NULL);
    refused(v, WEFT_INVALID, "singular is NULL");
    WITH(x, d + 1);
    refused(v, WEFT_INVALID, "overlaps");
    WITH(x, b);
    refused(v, WEFT_INVALID, "overlaps");
    WITH(singular, (uint64_t *)(void *)&x[11]);
    refused(v, WEFT_INVALID, "overlaps");
    WITH(x, d);
    accepted(v);
}

static void distances(void) {
    arguments v;
    WITH(a.line, SIZE_MAX / 2);
    refused(v, WEFT_INVALID, "do not fit in memory");
    WITH(n, SIZE_MAX);
    refused(v, WEFT_INVALID, "do not fit in memory");
    WITH(d.line, 3);
    refused(v, WEFT_INVALID, "d: 3 systems with stride 3, of 4 rows with stride 1, overlap");
    WITH(d.step, 0);
    refused(v, WEFT_INVALID, "overlap");
    WITH(d.line, 0);
    refused(v, WEFT_INVALID, "overlap");
    WITH(d, (weft_lines){d, 3, 1});
    accepted(v);
    WITH(d.line, 7);
    accepted(v);
    WITH(a, (weft_lines){a, 0, 0});
    accepted(v);
    WITH(b, (weft_lines){b, 1, 0});
    accepted(v);
}

/* Tests calls with nothing to solve: arrays may be NULL, and no system is reported as singular. */
static void nothing(void) {
    arguments v = {WEFT_F32, WEFT_PERIODIC, 0, 5, {0}, {0}, {0}, {0}, NULL, &singular};
    accepted(v);
    v.systems = 5;
    v.n = 0;
    accepted(v);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    for (int i = 0; i < 2 * N; i++) a[i] = c[i] = -1, b[i] = 3, d[i] = i;
    for (int i = 0; i < 2; i++) {
        pivoting = i;
        types();
        pointers();
        distances();
        nothing();
    }
    weft_close(ctx);
    return expect_end();
}
