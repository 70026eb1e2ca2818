/* Tests that weft_scatter_reduce_source and weft_scatter_count_source give the bits of the calls on arrays, for
 * pieces of 1 to all rows, and that they reject what is documented without writing anything. The argument is the
 * device. */
#include "tests/expect.h"
#include "verify/inputs.h"

#include <errno.h>
#include <stdlib.h>

enum {
    ROWS = 30011, /* elements of a target: more than 7 tiles of the most frequent one */
    COLUMNS = 3,
    TARGETS = 41,
    POISON = 0x5a
};

static weft_context *ctx;
static weft_context *judge; /* computes the expected results */
static bool emulated;
static char *x, *init, *expected, *found; /* elements of at most 8 bytes */
static uint64_t *wide;                    /* indices */
static void *index_of_type;

/* ----------------------------------------------------------------------------------- sources */

/* A source that reads `most` bytes at a time, or fails after `fails` bytes. */
typedef struct feed {
    weft_channel channel;
    weft_source inner;
    size_t most;
    uint64_t given, fails;
} feed;

static ptrdiff_t read_feed(void *self, void *to, size_t bytes) {
    feed *f = self;
    if (bytes > f->most) bytes = f->most;
    if (bytes > f->fails - f->given) bytes = (size_t)(f->fails - f->given);
    const ptrdiff_t got = bytes ? f->inner.read(f->inner.self, to, bytes) : 0;
    f->given += (uint64_t)got;
    return got;
}

static weft_source open_feed(feed *f, weft_dtype dtype, uint64_t n, const void *p) {
    *f = (feed){.most = 10007, .fails = UINT64_MAX};
    f->inner = weft_source_memory(&f->channel, dtype, n, p);
    return (weft_source){dtype, n, read_feed, NULL, NULL, f};
}

/* Sets the memory for pieces of `rows` rows; 0: the default. */
static void limit(size_t rows, size_t bytes) {
    EXPECT_STATUS(ctx, weft_set_memory(ctx, rows * bytes * (emulated ? 3 : 2)), WEFT_OK);
}

/* ----------------------------------------------------------------------------------- inputs */

/* Draws indices. Half of them are 5; every eighth target has none, and some have one. Some are out of range. */
static void draw_indices(size_t n, bool out_of_range) {
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = input_random(7, i);
        wide[i] = r % 2 ? 5 : (r >> 8) % 3 == 0 ? 6 : (r >> 20) % TARGETS;
        if (wide[i] % 8 == 0) wide[i] = i == 1000 ? 8 : 7;
        if (out_of_range && r % 11 == 0) wide[i] = r % 22 == 0 ? TARGETS : UINT64_MAX;
    }
}

/* Converts the indices. An index out of range stays out of range. */
static const void *convert(size_t n, weft_dtype dtype) {
    for (size_t i = 0; i < n; i++)
        if (weft_dtype_size(dtype) == 8)
            ((uint64_t *)index_of_type)[i] = wide[i];
        else
            ((uint32_t *)index_of_type)[i] = (uint32_t)wide[i];
    return index_of_type;
}

/* -------------------------------------------------------------------------------- same bits */

typedef struct call {
    weft_op op;
    weft_range range;
    weft_dtype dtype, accumulate, result, index;
    size_t n, columns, m;
    bool init, views;
} call;

static bool is_half(weft_dtype dtype) { return dtype == WEFT_F16 || dtype == WEFT_BF16; }

static weft_status run_source(const call *c, const void *index, const void *first, void *out) {
    weft_channel channels[2];
    feed f, g;
    const weft_source from[] = {c->views ? weft_source_memory(&channels[0], c->dtype, c->n * c->columns, x)
                                         : open_feed(&f, c->dtype, c->n * c->columns, x),
                                c->views ? weft_source_memory(&channels[1], c->index, c->n, index)
                                         : open_feed(&g, c->index, c->n, index)};
    return weft_scatter_reduce_source(ctx, c->op, c->range, c->accumulate, c->columns, c->m, &from[0], &from[1],
                                      first, out);
}

static void same(const call *c, size_t rows) {
    const void *const index = convert(c->n, c->index);
    const size_t bytes = c->m * c->columns * weft_dtype_size(c->result);
    memset(found, POISON, bytes);
    if (c->init) memcpy(found, init, bytes);
    /* Elements of f16 and bf16 are copied to f32, unless the order is free. */
    limit(rows, weft_dtype_size(c->index) + c->columns * weft_dtype_size(c->dtype) * (is_half(c->dtype) ? 2 : 1));
    const weft_status wanted = weft_scatter_reduce(judge, c->op, c->range, c->dtype, c->accumulate, c->index, c->n,
                                                   c->columns, c->m, x, index, c->init ? init : NULL, expected);
    const weft_status status = run_source(c, index, c->init ? found : NULL, found);
    EXPECT(wanted == WEFT_OK && status == wanted, "%s of %zu %s: %s: %s%s", weft_op_name(c->op), c->n,
           weft_dtype_name(c->dtype), weft_status_name(status), weft_last_error(judge), weft_last_error(ctx));
    EXPECT(memcmp(found, expected, bytes) == 0, "%s of %zu %s in %s, %zu columns, indices %s, pieces of %zu: bits",
           weft_op_name(c->op), c->n, weft_dtype_name(c->dtype), weft_dtype_name(c->result), c->columns,
           weft_dtype_name(c->index), rows);
}

static void operators(weft_dtype dtype, input_kind kind, size_t n, size_t columns, size_t rows) {
    static const weft_op ops[] = {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX, WEFT_AND, WEFT_OR, WEFT_XOR, WEFT_MEAN};
    static const weft_dtype indices[] = {WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    input_fill(kind, dtype, 3, n * columns, x);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (int step = 0; step < 5; step++) {
            call c = {.op = ops[i],
                      .range = step % 2 ? WEFT_RANGE_SKIP : WEFT_RANGE_ERROR,
                      .dtype = dtype,
                      .accumulate = step == 2   ? WEFT_F64
                                    : step == 4 ? WEFT_F32
                                                : WEFT_DEFAULT,
                      .index = indices[(i + (size_t)step) % 4],
                      .n = n,
                      .columns = columns,
                      .m = TARGETS,
                      .init = step < 2 && ops[i] != WEFT_MEAN,
                      .views = step == 3};
            if (weft_reduce_result(c.op, dtype, c.accumulate, &c.result) != WEFT_OK) continue;
            if (c.op == WEFT_MEAN && is_half(c.result)) continue;
            input_fill(INPUT_PATTERNS, c.result, 4, c.m * columns, init);
            draw_indices(n, c.range == WEFT_RANGE_SKIP);
            same(&c, rows);
        }
}

static void all_operators(void) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_I8, WEFT_I32, WEFT_U64, WEFT_F16, WEFT_BF16};
    const size_t n = strcmp(weft_device(judge), "ref") == 0 ? ROWS / 3 : ROWS;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const bool real = types[t] == WEFT_F32 || types[t] == WEFT_F64 || is_half(types[t]);
        operators(types[t], real ? INPUT_MIXED : INPUT_PATTERNS, n, 1, 0);
        operators(types[t], real ? INPUT_NEAR_ONE : INPUT_PATTERNS, n, 1, 512);
        operators(types[t], real ? INPUT_NAN_ONE : INPUT_PATTERNS, n / 2, COLUMNS, 128);
        operators(types[t], real ? INPUT_NEGATIVE_ZEROS : INPUT_ZEROS, 1500, 2, 1);
        operators(types[t], INPUT_PATTERNS, 3000, COLUMNS, 32);
        operators(types[t], INPUT_PATTERNS, 0, COLUMNS, 32);
    }
}

/* Runs on the emulated GPU of tests/emulated, which is slow. */
static void some_operators(void) {
    operators(WEFT_F32, INPUT_MIXED, 3001, 1, 512);
    operators(WEFT_I16, INPUT_PATTERNS, 1001, COLUMNS, 0);
    operators(WEFT_BF16, INPUT_MIXED, 1001, COLUMNS, 64);
}

/* A single target: its tree has all levels that fit. */
static void one_target(void) {
    for (size_t rows = 1024; rows <= 16384; rows *= 4) {
        const call c = {WEFT_SUM, WEFT_RANGE_ERROR, WEFT_F64, WEFT_DEFAULT, WEFT_F64, WEFT_U32, ROWS, 1, 1, 0, 0};
        input_fill(INPUT_MIXED, c.dtype, 5, c.n, x);
        memset(wide, 0, c.n * sizeof *wide);
        for (size_t tiles = 1; tiles <= ROWS / 2048; tiles++)
            for (size_t rest = 0; rest < 130; rest += 43) {
                call part = c;
                part.n = tiles * 2048 + rest;
                same(&part, rows);
            }
    }
}

static void counts(void) {
    static const weft_dtype indices[] = {WEFT_I32, WEFT_U64};
    uint64_t *const counted = (uint64_t *)(void *)found;
    for (int step = 0; step < 8; step++) {
        const weft_dtype dtype = indices[step % 2];
        const weft_range range = step % 4 < 2 ? WEFT_RANGE_ERROR : WEFT_RANGE_SKIP;
        feed f;
        draw_indices(ROWS, range == WEFT_RANGE_SKIP);
        const void *const index = convert(ROWS, dtype);
        limit(step < 4 ? 1024 : 0, weft_dtype_size(dtype));
        const weft_source source = open_feed(&f, dtype, step < 4 ? ROWS : WEFT_TO_THE_END, index);
        f.channel.bytes = ROWS * weft_dtype_size(dtype);
        EXPECT_STATUS(judge,
                      weft_scatter_count(judge, range, dtype, ROWS, TARGETS, index, (uint64_t *)(void *)expected),
                      WEFT_OK);
        EXPECT_STATUS(ctx, weft_scatter_count_source(ctx, range, TARGETS, &source, counted), WEFT_OK);
        EXPECT(memcmp(found, expected, TARGETS * sizeof *counted) == 0, "counts of %s", weft_dtype_name(dtype));
    }
}

/* --------------------------------------------------------------------------------- refusals */

static weft_source from_index, from_x;
static feed f_index, f_x;

/* Opens sources of 5000 rows of 2 columns. */
static void open_both(void) {
    from_index = open_feed(&f_index, WEFT_I32, 5000, index_of_type);
    from_x = open_feed(&f_x, WEFT_F32, 10000, x);
}

static weft_status sums(weft_op op, size_t m, void *out) {
    return weft_scatter_reduce_source(ctx, op, WEFT_RANGE_ERROR, WEFT_DEFAULT, 2, m, &from_x, &from_index, NULL, out);
}

/* Indices out of range: the position is that in the source, for each method. */
static void out_of_range(void) {
    static const weft_op ops[] = {WEFT_SUM, WEFT_MAX, WEFT_MEAN};
    draw_indices(5000, false);
    wide[4321] = TARGETS;
    wide[4322] = (uint64_t)-9;
    (void)convert(5000, WEFT_I32);
    limit(64, 12);
    memset(found, POISON, 8);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        open_both();
        EXPECT_ERROR(ctx, sums(ops[i], TARGETS, found), WEFT_INVALID, "index[4321] is 41: expected 0 to 40");
        open_both();
        EXPECT_ERROR(ctx, sums(ops[i], TARGETS + 1, found), WEFT_INVALID, "index[4322] is -9: expected 0 to 41");
        open_both();
        EXPECT_ERROR(ctx, sums(ops[i], 0, NULL), WEFT_INVALID, "but there are no targets");
        open_both();
        EXPECT_STATUS(ctx,
                      weft_scatter_reduce_source(ctx, ops[i], WEFT_RANGE_SKIP, WEFT_DEFAULT, 2, 0, &from_x,
                                                 &from_index, NULL, NULL),
                      WEFT_OK);
    }
    open_both();
    EXPECT_ERROR(ctx,
                 weft_scatter_reduce_source(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_EXACT_SUM, 2, TARGETS, &from_x,
                                            &from_index, NULL, found),
                 WEFT_UNSUPPORTED, "scatter_reduce cannot accumulate in exact from sources");
    open_both();
    EXPECT_ERROR(ctx,
                 weft_scatter_count_source(ctx, WEFT_RANGE_ERROR, TARGETS, &from_index, (uint64_t *)(void *)found),
                 WEFT_INVALID, "index[4321] is 41: expected 0 to 40");
    EXPECT(found[0] == POISON && found[7] == POISON, "something was written");
}

static void lengths(void) {
    limit(64, 12);
    draw_indices(5000, false);
    (void)convert(5000, WEFT_I32);
    open_both();
    from_x.n--;
    EXPECT_ERROR(ctx, sums(WEFT_SUM, TARGETS, found), WEFT_INVALID,
                 "x has 9999 elements and index has 5000: expected 2 elements for each index");
    open_both();
    from_x.n = WEFT_TO_THE_END;
    f_x.fails = 4 * 6001;
    EXPECT_ERROR(ctx, sums(WEFT_SUM, TARGETS, found), WEFT_IO,
                 "the source x ends within a row, after 3000 complete rows");
    open_both();
    from_x.n = WEFT_TO_THE_END;
    f_x.fails = 4 * 6000;
    EXPECT_ERROR(ctx, sums(WEFT_SUM, TARGETS, found), WEFT_INVALID,
                 "x has 3000 rows and index has more: both must have the same length");
    open_both();
    from_index.n = WEFT_TO_THE_END;
    f_index.fails = 4 * 3001;
    EXPECT_ERROR(ctx, sums(WEFT_SUM, TARGETS, found), WEFT_INVALID, "index has 3001 rows and x has more");
    open_both();
    f_x.fails = 4 * 5001;
    EXPECT_ERROR(ctx, sums(WEFT_MAX, TARGETS, found), WEFT_IO, "the source x ends after 5001 of 10000 elements");
}

static void arguments(void) {
    char *const odd = found + 1;
    const size_t huge = SIZE_MAX / 16;
    open_both();
    EXPECT_ERROR(ctx, sums(WEFT_SUM, TARGETS, NULL), WEFT_INVALID, "out is NULL");
    EXPECT_ERROR(ctx, sums(WEFT_SUM, TARGETS, odd), WEFT_INVALID, "not aligned");
    EXPECT_ERROR(ctx, sums(WEFT_NORM1, TARGETS, found), WEFT_UNSUPPORTED, "norm1");
    EXPECT_ERROR(ctx, sums(WEFT_AND, TARGETS, found), WEFT_UNSUPPORTED, "integer");
    EXPECT_ERROR(ctx, sums(WEFT_SUM, SIZE_MAX, found), WEFT_INVALID, "do not fit in memory");
    EXPECT_ERROR(ctx, sums(WEFT_SUM, huge, (void *)8), WEFT_OUT_OF_MEMORY,
                 "cannot allocate host memory for the sums of 1152921504606846975 targets");
    for (size_t columns = 0; columns - 1 < 1; columns--)
        EXPECT_ERROR(ctx,
                     weft_scatter_reduce_source(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_DEFAULT, columns, 1, &from_x,
                                                &from_index, NULL, found),
                     WEFT_INVALID, "invalid number of columns");
    EXPECT_ERROR(ctx,
                 weft_scatter_reduce_source(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_DEFAULT, SIZE_MAX / 8, 1, &from_x,
                                            &from_index, NULL, found),
                 WEFT_INVALID, "invalid number of columns");
    EXPECT_ERROR(ctx,
                 weft_scatter_reduce_source(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_DEFAULT, 2, TARGETS, &from_x,
                                            &from_index, odd, found),
                 WEFT_INVALID, "init");
    EXPECT_ERROR(ctx,
                 weft_scatter_reduce_source(ctx, WEFT_MEAN, WEFT_RANGE_ERROR, WEFT_DEFAULT, 2, TARGETS, &from_x,
                                            &from_index, init, found),
                 WEFT_UNSUPPORTED, "mean cannot have init");
    EXPECT_ERROR(ctx,
                 weft_scatter_reduce_source(ctx, WEFT_SUM, (weft_range)2, WEFT_DEFAULT, 2, TARGETS, &from_x,
                                            &from_index, NULL, found),
                 WEFT_INVALID, "invalid range 2");
    EXPECT_ERROR(ctx,
                 weft_scatter_reduce_source(ctx, WEFT_SUM, WEFT_RANGE_SKIP, WEFT_DEFAULT, 1, TARGETS, &from_x,
                                            &from_x, NULL, found),
                 WEFT_INVALID, "the same source");
    EXPECT_ERROR(ctx,
                 weft_scatter_reduce_source(ctx, WEFT_SUM, WEFT_RANGE_SKIP, WEFT_DEFAULT, 1, TARGETS, &from_x, NULL,
                                            NULL, found),
                 WEFT_INVALID, "the source index is NULL");
    EXPECT_ERROR(ctx, weft_scatter_count_source(ctx, WEFT_RANGE_SKIP, TARGETS, &from_x, (uint64_t *)(void *)found),
                 WEFT_UNSUPPORTED, "requires i32, i64, u32 or u64 indices, not f32");
    EXPECT_ERROR(ctx, weft_scatter_count_source(ctx, WEFT_RANGE_SKIP, TARGETS, &from_index, NULL), WEFT_INVALID,
                 "counts is NULL");
    EXPECT_STATUS(ctx, weft_set_memory(ctx, 20), WEFT_OK);
    EXPECT_ERROR(ctx, sums(WEFT_SUM, TARGETS, found), WEFT_INVALID,
                 emulated ? "this call requires at least 36" : "this call requires at least 24");
    EXPECT(weft_scatter_count_source(NULL, WEFT_RANGE_SKIP, 1, &from_index, NULL) == WEFT_INVALID, "no context");
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    emulated = strcmp(device, "cuda") == 0;
    if (weft_open(&ctx, device) != WEFT_OK || weft_open(&judge, emulated ? "cpu" : device) != WEFT_OK) return 1;
    x = calloc(ROWS, COLUMNS * 8);
    init = calloc(TARGETS, COLUMNS * 8);
    expected = calloc(TARGETS + 1, COLUMNS * 8);
    found = calloc(TARGETS + 1, COLUMNS * 8);
    wide = calloc(ROWS, sizeof *wide);
    index_of_type = calloc(ROWS, sizeof *wide);
    if (!x || !init || !expected || !found || !wide || !index_of_type) return 1;
    if (emulated) {
        some_operators();
    } else {
        all_operators();
        one_target();
        counts();
    }
    out_of_range();
    lengths();
    arguments();
    free(x);
    free(init);
    free(expected);
    free(found);
    free(wide);
    free(index_of_type);
    weft_close(judge);
    weft_close(ctx);
    return expect_end();
}
