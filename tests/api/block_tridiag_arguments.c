/* Tests every argument that weft_block_tridiag and weft_pentadiag reject: the error message, and that nothing was
 * written. The argument is the device's name. */
#include "tests/expect.h"

#include <stdint.h>

enum { N = 12, BLOCK = 4 };
static weft_context *ctx;
static double a[2 * N * BLOCK], b[2 * N * BLOCK], c[2 * N * BLOCK], d[4 * N], x[4 * N];
static uint64_t singular;

/* Arguments of a valid call, which each test changes in one respect. `five`: weft_pentadiag, with e = a and f = c. */
typedef struct arguments {
    bool five;
    weft_dtype dtype;
    weft_boundary boundary;
    size_t block, systems, n;
    weft_lines e, a, b, c, f, d;
    void *x;
    uint64_t *singular;
} arguments;

static arguments right(bool five) {
    return (arguments){five,      WEFT_F64,  WEFT_OPEN_ENDS, 2,         3,         4, {a, 1, 4},
                       {a, 1, 4}, {b, 1, 4}, {c, 1, 4},      {c, 1, 4}, {d, 1, 4}, x, &singular};
}

static weft_status call(const arguments *v) {
    if (v->five)
        return weft_pentadiag(ctx, v->boundary, v->dtype, v->systems, v->n, v->e, v->a, v->b, v->c, v->f, v->d, v->x,
                              v->singular);
    return weft_block_tridiag(ctx, v->boundary, v->dtype, v->block, v->systems, v->n, v->a, v->b, v->c, v->d, v->x,
                              v->singular);
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
        v = right(five);       \
        v.field = __VA_ARGS__; \
    } while (0)

static void types(bool five) {
    arguments v;
    WITH(dtype, WEFT_I32);
    refused(v, WEFT_UNSUPPORTED,
            five ? "pentadiag requires f32 or f64 elements, not i32" : "block_tridiag requires f32 or f64 elements");
    WITH(boundary, (weft_boundary)2);
    refused(v, WEFT_INVALID, "invalid boundary 2");
    WITH(boundary, WEFT_PERIODIC);
    accepted(v);
    WITH(n, 3);
    v.boundary = WEFT_PERIODIC;
    if (five)
        refused(v, WEFT_INVALID, "a periodic system must have an even number of rows, not 3");
    else
        accepted(v);
}

static void blocks(void) {
    const bool five = false;
    arguments v;
    WITH(block, 1);
    refused(v, WEFT_INVALID, "blocks have 2, 3 or 4 rows, not 1");
    WITH(block, 5);
    refused(v, WEFT_INVALID, "blocks have 2, 3 or 4 rows, not 5");
    WITH(block, SIZE_MAX);
    refused(v, WEFT_INVALID, "blocks have 2, 3 or 4 rows");
    WITH(a.line, SIZE_MAX / 8);
    refused(v, WEFT_INVALID, "do not fit in memory");
    WITH(e.p, NULL); /* e and f do not exist */
    v.f.p = NULL;
    accepted(v);
    WITH(x, d + 4 * 3 * 2 - 1); /* d has 3 systems of 4 rows of 2 */
    refused(v, WEFT_INVALID, "overlaps");
    WITH(d.step, 3);
    v.d.line = 1;
    accepted(v);
}

static void pointers(bool five) {
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
    if (!five) return;
    WITH(e.p, NULL);
    refused(v, WEFT_INVALID, "e is NULL");
    WITH(f.p, NULL);
    refused(v, WEFT_INVALID, "f is NULL");
}

static void distances(bool five) {
    arguments v;
    WITH(n, SIZE_MAX);
    refused(v, WEFT_INVALID, "do not fit in memory");
    WITH(d.line, 3);
    refused(v, WEFT_INVALID, "d: 3 systems with stride 3, of 4 rows with stride 1, overlap");
    WITH(d.step, 0);
    refused(v, WEFT_INVALID, "overlap");
    WITH(d.line, 7);
    accepted(v);
    WITH(a, (weft_lines){a, 0, 0});
    accepted(v);
    WITH(b, (weft_lines){b, 1, 0});
    accepted(v);
}

/* Tests calls with nothing to solve: arrays may be NULL, and no system is reported as singular. */
static void nothing(bool five) {
    arguments v = {.five = five, .dtype = WEFT_F32, .boundary = WEFT_PERIODIC, .block = 3, .n = 4};
    v.singular = &singular;
    accepted(v);
    v.systems = 5;
    v.n = 0;
    accepted(v);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    for (int i = 0; i < 4 * N; i++) d[i] = i;
    for (int i = 0; i < 2 * N * BLOCK; i++) a[i] = c[i] = -0.25;
    for (int five = 1; five >= 0; five--) {
        for (int i = 0; i < 2 * N * BLOCK; i++) b[i] = five || i % BLOCK % 3 == 0 ? 3 : -0.25;
        types(five);
        pointers(five);
        distances(five);
        nothing(five);
    }
    blocks();
    weft_close(ctx);
    return expect_end();
}
