/* Tests every argument that weft_heat rejects: the error message, and that nothing was written. The argument is the
 * device's name. */
#include "tests/expect.h"

#include <math.h>
#include <stdint.h>

enum { N = 24 };
static weft_context *ctx;
static double u[2 * N], v[2 * N];
static const size_t SHAPE[] = {4, 3, 2}, EMPTY[] = {4, 0, 2}, HUGE_SHAPE[] = {SIZE_MAX / 2, 3, 2};
static const double LAMBDA[] = {1, 2, 3};

/* Arguments of a valid call, which each test changes in one respect. */
typedef struct arguments {
    weft_dtype dtype;
    weft_heat_method method;
    size_t dimensions;
    const size_t *shape;
    size_t batch;
    const double *lambda;
    const void *u;
    void *v;
} arguments;

static arguments right(void) { return (arguments){WEFT_F64, WEFT_CRANK_NICOLSON, 3, SHAPE, 1, LAMBDA, u, v}; }

static weft_status call(const arguments *a) {
    return weft_heat(ctx, a->method, a->dtype, a->dimensions, a->shape, a->batch, a->lambda, 2, a->u, a->v);
}

static void refused(arguments a, weft_status status, const char *words) {
    v[0] = 7;
    EXPECT_ERROR(ctx, call(&a), status, words);
    EXPECT(v[0] == 7, "\"%s\": something was written", words);
}

#define WITH(field, ...)       \
    do {                       \
        a = right();           \
        a.field = __VA_ARGS__; \
    } while (0)

static void grids(void) {
    arguments a;
    WITH(dtype, WEFT_U8);
    refused(a, WEFT_UNSUPPORTED, "heat requires grids of f32 or f64, not u8");
    WITH(dtype, (weft_dtype)11);
    refused(a, WEFT_INVALID, "invalid dtype 11");
    WITH(method, (weft_heat_method)2);
    refused(a, WEFT_INVALID, "invalid method 2 of weft_heat");
    WITH(dimensions, 0);
    refused(a, WEFT_INVALID, "invalid number of dimensions 0: expected 1 to 3");
    WITH(dimensions, 4);
    refused(a, WEFT_INVALID, "number of dimensions 4");
    WITH(shape, NULL);
    refused(a, WEFT_INVALID, "shape is NULL");
    WITH(shape, HUGE_SHAPE);
    refused(a, WEFT_INVALID, "points do not fit in memory");
    WITH(batch, SIZE_MAX);
    refused(a, WEFT_INVALID, "grids of 4 x 3 x 2 points do not fit in memory");
    EXPECT_ERROR(NULL, weft_heat(NULL, WEFT_BACKWARD_EULER, WEFT_F64, 3, SHAPE, 1, LAMBDA, 1, u, v), WEFT_INVALID,
                 "NULL");
}

static void lambdas(void) {
    const double bad[] = {0, -1, NAN, INFINITY, 1e-19, 1e19, 1e300};
    arguments a;
    WITH(lambda, NULL);
    refused(a, WEFT_INVALID, "lambda is NULL");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const double lambda[] = {1, bad[i], 1};
        WITH(lambda, lambda);
        refused(a, WEFT_INVALID, "of axis 1: expected 2^-60 to 2^60");
        a.dtype = WEFT_F32;
        refused(a, WEFT_INVALID, "of axis 1: expected 2^-60 to 2^60");
        a.dimensions = 1; /* then axis 1 is ignored */
        EXPECT_STATUS(ctx, call(&a), WEFT_OK);
    }
}

static void pointers(void) {
    arguments a;
    WITH(u, NULL);
    refused(a, WEFT_INVALID, "u is NULL");
    WITH(v, NULL);
    refused(a, WEFT_INVALID, "v is NULL");
    WITH(u, (char *)u + 4);
    refused(a, WEFT_INVALID, "u is at");
    WITH(u, v + 1);
    refused(a, WEFT_INVALID, "overlaps");
    WITH(u, v);
    EXPECT_STATUS(ctx, call(&a), WEFT_OK);
    WITH(u, v + N);
    EXPECT_STATUS(ctx, call(&a), WEFT_OK);
}

/* Tests calls without points: arrays may be NULL. */
static void nothing(void) {
    arguments a;
    WITH(batch, 0);
    a.u = a.v = NULL;
    EXPECT_STATUS(ctx, call(&a), WEFT_OK);
    WITH(shape, EMPTY);
    a.u = a.v = NULL;
    EXPECT_STATUS(ctx, call(&a), WEFT_OK);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    grids();
    lambdas();
    pointers();
    nothing();
    weft_close(ctx);
    return expect_end();
}
