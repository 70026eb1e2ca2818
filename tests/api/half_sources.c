/* Tests functions of sources on f16 and bf16: values that a rounding between chunks, a second rounding, an overflow,
 * a subnormal number or a NaN would change, and errors. A chunk has 4096 elements, and a source delivers 3 bytes at a
 * time. The expected values follow from the definitions. Usage: api_half_sources DEVICE. */
#include "tests/expect.h"

enum { CHUNK = 4096, N = 3 * CHUNK + 1, MANY = 1 << 17, LONG = 7 * (1 << 19) + 5, MINUS = 0x8000, POISON = 0x5a };

static weft_context *ctx;
static uint16_t x[LONG], y[N];
static uint32_t index_of[N];

/* Bits of f16 and bf16. `half` is half of the last digit of one; `big` is the least power of two to which one cannot
 * be added without a rounding. */
typedef struct format {
    weft_dtype dtype;
    const char *name;
    uint16_t one, above_one, half, big, largest, infinity, nan, other_nan;
} format;
static const format FORMATS[] = {
    {WEFT_F16, "f16", 0x3c00, 0x3c01, 0x1000, 0x6800, 0x7bff, 0x7c00, 0x7e00, 0xfc01},
    {WEFT_BF16, "bf16", 0x3f80, 0x3f81, 0x3b80, 0x4380, 0x7f7f, 0x7f80, 0x7fc0, 0xff81},
};

/* ----------------------------------------------------------------------------------- sources */

/* An array that is read 3 bytes at a time. */
typedef struct feed {
    const char *p;
    size_t bytes, at;
} feed;
static feed feeds[2];
static weft_source opened[2];

static ptrdiff_t read_feed(void *self, void *to, size_t bytes) {
    feed *f = self;
    const size_t left = f->bytes - f->at, most = bytes < 3 ? bytes : 3, n = left < most ? left : most;
    memcpy(to, f->p + f->at, n);
    f->at += n;
    return (ptrdiff_t)n;
}

static int rewind_feed(void *self) {
    ((feed *)self)->at = 0;
    return 0;
}

/* Returns source i of n elements at p. */
static const weft_source *source_of(int i, weft_dtype dtype, size_t n, const void *p) {
    feeds[i] = (feed){p, n * weft_dtype_size(dtype), 0};
    opened[i] = (weft_source){dtype, n, read_feed, rewind_feed, NULL, &feeds[i]};
    return &opened[i];
}

/* Limits the memory for chunks of 4096 elements; bytes: those of a GPU's buffers for an element. */
static void limit(size_t bytes) { EXPECT_STATUS(ctx, weft_set_memory(ctx, CHUNK * bytes), WEFT_OK); }

static void expect_bits(const format *f, const char *what, uint64_t found, uint64_t wanted) {
    EXPECT(found == wanted, "%s of %s: %#llx, wanted %#llx", what, f->name, (unsigned long long)found,
           (unsigned long long)wanted);
}

static void fill(uint16_t *p, size_t n, uint16_t value) {
    for (size_t i = 0; i < n; i++) p[i] = value;
}

/* -------------------------------------------------------------------------------- reductions */

static uint64_t reduced(weft_op op, const format *f, weft_dtype accumulate, size_t n) {
    uint64_t out = 0;
    limit(6);
    EXPECT_STATUS(ctx, weft_reduce_source(ctx, op, accumulate, source_of(0, f->dtype, n, x), &out), WEFT_OK);
    return out;
}

static void sums(const format *f) {
    fill(x, N, 0);
    x[0] = f->big, x[1] = f->one, x[CHUNK] = (uint16_t)(f->big | MINUS);
    expect_bits(f, "a sum", reduced(WEFT_SUM, f, WEFT_DEFAULT, N), f->one);
    x[CHUNK] = 0, x[0] = f->one, x[1] = f->half, x[2 * CHUNK] = f->half;
    expect_bits(f, "a sum of small terms", reduced(WEFT_SUM, f, WEFT_DEFAULT, N), f->above_one);
    fill(x, N, MINUS);
    expect_bits(f, "a sum of negative zeros", reduced(WEFT_SUM, f, WEFT_DEFAULT, N), MINUS);
    fill(x, N, 0);
    x[5] = x[CHUNK] = x[3 * CHUNK] = 1;
    expect_bits(f, "a sum of subnormal numbers", reduced(WEFT_SUM, f, WEFT_DEFAULT, N), 3);
    fill(x, N, 1);
    expect_bits(f, "a mean of subnormal numbers", reduced(WEFT_MEAN, f, WEFT_DEFAULT, N), 1);
    expect_bits(f, "a number of subnormal numbers", reduced(WEFT_COUNT_NONZERO, f, WEFT_DEFAULT, N), N);
}

/* Sums of f16 that leave its range on the way, and at the last rounding. */
static void overflows(const format *f) {
    fill(x, N, 0);
    x[0] = x[1] = f->largest, x[CHUNK] = x[CHUNK + 1] = (uint16_t)(f->largest | MINUS);
    expect_bits(f, "a sum above the range", reduced(WEFT_SUM, f, WEFT_DEFAULT, N), 0);
    fill(x, N, 0);
    x[0] = f->largest, x[CHUNK] = 0x4b80; /* 15 */
    expect_bits(f, "65504 + 15", reduced(WEFT_SUM, f, WEFT_DEFAULT, N), f->largest);
    x[2 * CHUNK] = f->one;
    expect_bits(f, "65504 + 16", reduced(WEFT_SUM, f, WEFT_DEFAULT, N), f->infinity);
    fill(x, N, f->one);
    x[0] = f->largest, x[1] = 0x4000, x[CHUNK] = 0x3800; /* 2 and 1/2 */
    expect_bits(f, "a product", reduced(WEFT_PROD, f, WEFT_DEFAULT, N), f->largest);
}

static void special(const format *f) {
    fill(x, N, f->one);
    x[CHUNK + 7] = (uint16_t)(f->infinity | MINUS);
    expect_bits(f, "a minimum", reduced(WEFT_MIN, f, WEFT_DEFAULT, N), f->infinity | (unsigned)MINUS);
    expect_bits(f, "its index", reduced(WEFT_ARGMIN, f, WEFT_DEFAULT, N), CHUNK + 7);
    expect_bits(f, "the greatest magnitude", reduced(WEFT_NORMINF, f, WEFT_DEFAULT, N), f->infinity);
    x[CHUNK + 7] = 0, x[2 * CHUNK] = MINUS;
    expect_bits(f, "a minimum of zeros", reduced(WEFT_MIN, f, WEFT_DEFAULT, N), MINUS);
    x[2 * CHUNK + 9] = f->other_nan;
    for (int op = WEFT_SUM; op <= WEFT_NORMINF; op++) {
        if (op >= WEFT_ARGMIN && op <= WEFT_COUNT_NONZERO) continue;
        expect_bits(f, "a reduction with a NaN", reduced((weft_op)op, f, WEFT_DEFAULT, N), f->nan);
    }
    expect_bits(f, "the index of a NaN", reduced(WEFT_ARGMAX, f, WEFT_DEFAULT, N), 2 * CHUNK + 9);
}

/* The mean is above the middle of one and the next number by less than f32 can hold. */
static void rounded_once(const format *f) {
    uint64_t variance = 0;
    for (size_t i = 0; i < MANY; i++) x[i] = i < MANY / 2 - 1 ? f->one : f->above_one;
    expect_bits(f, "a mean", reduced(WEFT_MEAN, f, WEFT_DEFAULT, MANY), f->above_one);
    for (size_t i = 0; i < N - 1; i++) x[i] = i % 2 ? f->one : (uint16_t)(f->one | MINUS);
    limit(6);
    EXPECT_STATUS(ctx, weft_variance_source(ctx, WEFT_DEFAULT, 0, source_of(0, f->dtype, N - 1, x), &variance),
                  WEFT_OK);
    expect_bits(f, "a variance", variance, f->one);
}

/* A variance converts an array to f32 in more than one piece. */
static void long_variance(const format *f) {
    weft_channel channel;
    uint64_t found = 0, wanted = 0;
    for (size_t i = 0; i < LONG; i++) x[i] = (uint16_t)((f->one | (i * i / 7 % 3 ? 0 : MINUS)) + i % 61);
    EXPECT_STATUS(ctx, weft_set_memory(ctx, 0), WEFT_OK);
    const weft_source source = weft_source_memory(&channel, f->dtype, LONG, x);
    EXPECT_STATUS(ctx, weft_variance(ctx, f->dtype, WEFT_F64, LONG, 1, x, &wanted), WEFT_OK);
    EXPECT_STATUS(ctx, weft_variance_source(ctx, WEFT_F64, 1, &source, &found), WEFT_OK);
    expect_bits(f, "a variance of many elements", found, wanted);
}

/* The sum of the products is not rounded between chunks. */
static void products(const format *f) {
    uint16_t out = 0;
    fill(x, N, 0);
    fill(y, N, 0);
    x[0] = f->big, x[1] = y[0] = y[1] = y[CHUNK] = f->one, x[CHUNK] = (uint16_t)(f->big | MINUS);
    limit(12);
    EXPECT_STATUS(
        ctx, weft_dot_source(ctx, WEFT_DEFAULT, source_of(0, f->dtype, N, x), source_of(1, f->dtype, N, y), &out),
        WEFT_OK);
    expect_bits(f, "a dot product", out, f->one);
}

/* ------------------------------------------------------------------------------------- scans */

static weft_status scanned(const format *f, weft_op op, weft_scan_kind kind, size_t n, const void *init) {
    weft_channel channel;
    const weft_sink to = weft_sink_memory(&channel, n * sizeof *y, y);
    limit(14);
    return weft_scan_source(ctx, op, kind, WEFT_DEFAULT, source_of(0, f->dtype, n, x), init, &to);
}

/* Prefixes are not rounded between chunks: half of the last digit of one, twice, is not lost. */
static void prefixes(const format *f) {
    const uint16_t twice = (uint16_t)(f->half + (f->dtype == WEFT_F16 ? 0x400 : 0x80));
    fill(x, N, 0);
    x[0] = f->one, x[CHUNK] = f->half, x[2 * CHUNK] = f->half, x[3 * CHUNK] = (uint16_t)(f->one | MINUS);
    EXPECT_STATUS(ctx, scanned(f, WEFT_SUM, WEFT_INCLUSIVE, N, NULL), WEFT_OK);
    for (size_t i = 0; i < N; i++)
        expect_bits(f, "a prefix", y[i], i < 2 * CHUNK ? f->one : i < 3 * CHUNK ? f->above_one : twice);
    EXPECT_STATUS(ctx, scanned(f, WEFT_SUM, WEFT_EXCLUSIVE, N, &f->half), WEFT_OK);
    expect_bits(f, "the initial value", y[0], f->half);
    for (size_t i = 1; i < N; i++)
        expect_bits(f, "an exclusive prefix", y[i], i <= CHUNK ? f->one : i <= 2 * CHUNK ? f->above_one : y[i]);
    x[2 * CHUNK - 1] = f->other_nan;
    for (int op = WEFT_SUM; op <= WEFT_MAX; op++) {
        EXPECT_STATUS(ctx, scanned(f, (weft_op)op, WEFT_INCLUSIVE, N, NULL), WEFT_OK);
        for (size_t i = 0; i < N; i++)
            EXPECT((y[i] == f->nan) == (i >= 2 * CHUNK - 1), "%s of %s: result %zu is %#x", weft_op_name((weft_op)op),
                   f->name, i, y[i]);
    }
    fill(x, N, MINUS);
    EXPECT_STATUS(ctx, scanned(f, WEFT_SUM, WEFT_EXCLUSIVE, N, NULL), WEFT_OK);
    for (size_t i = 0; i < N; i++) expect_bits(f, "a sum of negative zeros", y[i], i ? MINUS : 0);
}

/* ----------------------------------------------------------------------------------- targets */

/* Target 0 gets the same elements as a sum, target 1 none. */
static void targets(const format *f) {
    const uint16_t init[] = {f->half, f->other_nan};
    uint16_t out[2];
    memcpy(out, init, sizeof out);
    fill(x, N, 0);
    x[0] = f->one, x[N - 1] = f->half;
    limit(24);
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce_source(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_DEFAULT, 1, 2,
                                             source_of(0, f->dtype, N, x), source_of(1, WEFT_U32, N, index_of), out,
                                             out),
                  WEFT_OK);
    expect_bits(f, "the sum of a target", out[0], f->above_one);
    expect_bits(f, "an initial NaN", out[1], f->nan);
}

/* -------------------------------------------------------------------------- nothing, and errors */

static void nothing(const format *f) {
    uint64_t out = 0;
    expect_bits(f, "the sum of nothing", reduced(WEFT_SUM, f, WEFT_DEFAULT, 0), 0);
    expect_bits(f, "the product of nothing", reduced(WEFT_PROD, f, WEFT_DEFAULT, 0), f->one);
    expect_bits(f, "the norm of nothing in f32", reduced(WEFT_NORM2, f, WEFT_F32, 0), 0);
    EXPECT_STATUS(ctx, scanned(f, WEFT_SUM, WEFT_INCLUSIVE, 0, NULL), WEFT_OK);
    EXPECT_ERROR(ctx, weft_reduce_source(ctx, WEFT_MIN, WEFT_DEFAULT, source_of(0, f->dtype, 0, x), &out), WEFT_EMPTY,
                 "min of 0 elements is undefined");
    EXPECT_ERROR(ctx, weft_variance_source(ctx, WEFT_DEFAULT, 1, source_of(0, f->dtype, 1, x), &out), WEFT_EMPTY,
                 "variance of 1 elements is undefined with ddof 1");
}

static void refusals(const format *f) {
    weft_channel channel;
    const weft_sink to = weft_sink_memory(&channel, sizeof y, y);
    char out[8];
    memset(out, POISON, sizeof out);
#define FIRST source_of(0, f->dtype, N, x)
#define SECOND source_of(1, f->dtype, N, x)
#define REFUSED(call, words) EXPECT_ERROR(ctx, call, WEFT_UNSUPPORTED, words)
    REFUSED(weft_reduce_source(ctx, WEFT_NORM1, WEFT_EXACT_SUM, FIRST, out), "f16 cannot accumulate in exact");
    REFUSED(weft_reduce_source(ctx, WEFT_SUM, WEFT_I64, FIRST, out), "f16 cannot accumulate in i64");
    REFUSED(weft_reduce_source(ctx, WEFT_XOR, WEFT_DEFAULT, FIRST, out), "xor requires integer elements, not");
    REFUSED(weft_variance_source(ctx, WEFT_EXACT_SUM, 0, FIRST, out), "f16 cannot accumulate in exact");
    REFUSED(weft_dot_source(ctx, WEFT_EXACT_SUM, FIRST, SECOND, out), "f16 cannot accumulate in exact");
    REFUSED(weft_scan_source(ctx, WEFT_MAX, WEFT_INCLUSIVE, WEFT_F32, FIRST, NULL, &to),
            "f16 cannot accumulate in f32");
    REFUSED(weft_recurrence_source(ctx, FIRST, SECOND, NULL, &to), "recurrence requires f32 or f64 elements, not");
    REFUSED(weft_scatter_reduce_source(ctx, WEFT_MEAN, WEFT_RANGE_SKIP, WEFT_DEFAULT, 1, 2, FIRST,
                                       source_of(1, WEFT_U32, N, index_of), NULL, out),
            "f16 must accumulate in f32 or f64");
    for (size_t i = 0; i < sizeof out; i++) EXPECT(out[i] == POISON, "byte %zu was written", i);
}

int main(int argc, char **argv) {
    const bool emulated = argc > 1 && strcmp(argv[1], "cuda") == 0; /* which is slow */
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return 1;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        const format *const f = &FORMATS[i];
        sums(f);
        if (f->dtype == WEFT_F16) overflows(f);
        special(f);
        rounded_once(f);
        if (!emulated) long_variance(f);
        products(f);
        prefixes(f);
        targets(f);
        nothing(f);
        refusals(f);
    }
    weft_close(ctx);
    return expect_end();
}
