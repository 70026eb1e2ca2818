/* Tests that functions on sources give the bits of the functions on arrays, for pieces of one tile and more. Tests
 * that they reject what is documented, without writing anything. The argument is the device's name. */
#include "tests/expect.h"
#include "verify/inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { TILE = 4096, LONGEST = TILE * 260 + 5, POISON = 0x5a };
static weft_context *ctx;
static weft_context
    *judge; /* computes the expected results: ctx itself, or the specification if ctx is an emulated GPU */
static bool emulated;

/* ------------------------------------------------------------------------- sources and sinks */

/* A source of the bytes of an array, at most `most` at a time. It fails after `fails` bytes. */
typedef struct feed {
    weft_channel channel;
    weft_source inner;
    size_t most;
    uint64_t given, fails;
    int fault; /* errno of the failure; 0: the source ends there */
} feed;

static ptrdiff_t read_feed(void *self, void *to, size_t bytes) {
    feed *f = self;
    if (bytes > f->most) bytes = f->most;
    if (bytes > f->fails - f->given) bytes = (size_t)(f->fails - f->given);
    if (bytes == 0) {
        errno = f->fault;
        return f->fault ? -1 : 0;
    }
    const ptrdiff_t got = f->inner.read(f->inner.self, to, bytes);
    f->given += (uint64_t)got;
    return got;
}

static int rewind_feed(void *self) {
    feed *f = self;
    f->given = 0;
    return f->inner.rewind(f->inner.self);
}

static weft_source open_feed(feed *f, weft_dtype dtype, size_t n, const void *x) {
    *f = (feed){.most = 100003, .fails = UINT64_MAX};
    f->inner = weft_source_memory(&f->channel, dtype, n, x);
    return (weft_source){dtype, n, read_feed, rewind_feed, NULL, f};
}

/* Returns a view in the caller's memory; the library cannot know how long it stays valid. */
static const void *view_feed(void *self, size_t bytes) {
    feed *f = self;
    return f->inner.view(f->inner.self, bytes);
}

static weft_source open_view(feed *f, weft_dtype dtype, size_t n, const void *x) {
    weft_source source = open_feed(f, dtype, n, x);
    source.view = view_feed;
    return source;
}

typedef struct store {
    char *p;
    size_t bytes, capacity; /* more than `capacity` bytes: the disk is full */
} store;

static int write_store(void *self, const void *from, size_t bytes) {
    store *s = self;
    if (bytes > s->capacity - s->bytes) {
        errno = ENOSPC;
        return -1;
    }
    memcpy(s->p + s->bytes, from, bytes);
    s->bytes += bytes;
    return 0;
}

/* -------------------------------------------------------------------------------- same bits */

static char *x, *y, *expected, *found; /* LONGEST elements of 8 bytes each */

static const size_t LENGTHS[] = {0, 1, TILE, 5 * TILE + 17, 16 * TILE, 23 * TILE + 1};
enum { LENGTH_COUNT = sizeof LENGTHS / sizeof *LENGTHS };

/* Sets a memory limit for pieces of one tile, of two tiles (with a limit that is no multiple of any size), of eight
 * tiles, or the default. `in` and `out` are the bytes per element of sources and results. */
static void limit(int step, size_t in, size_t out) {
    const size_t tiles[] = {1, 2, 8, 0}, bytes = emulated ? 3 * in + 2 * out : 2 * in + out;
    EXPECT_STATUS(ctx, weft_set_memory(ctx, tiles[step] * TILE * bytes + (step == 1 ? 12345 : 0)), WEFT_OK);
}

static void same(const char *what, weft_dtype dtype, size_t n, weft_status wanted, weft_status status, size_t bytes) {
    EXPECT(status == wanted, "%s of %zu %s: %s in place of %s: %s", what, n, weft_dtype_name(dtype),
           weft_status_name(status), weft_status_name(wanted), weft_last_error(ctx));
    if (status != WEFT_OK) return;
    EXPECT(memcmp(found, expected, bytes) == 0, "%s of %zu %s: other bits", what, n, weft_dtype_name(dtype));
}

static const weft_dtype ACCUMULATES[] = {WEFT_DEFAULT, WEFT_F32, WEFT_F64, WEFT_EXACT_SUM};
enum { HOWS = sizeof ACCUMULATES / sizeof *ACCUMULATES };

static bool is_half(weft_dtype dtype) { return dtype == WEFT_F16 || dtype == WEFT_BF16; }
static bool is_real(weft_dtype dtype) { return dtype == WEFT_F32 || dtype == WEFT_F64 || is_half(dtype); }

static void reductions(weft_dtype dtype, size_t n) {
    const size_t size = weft_dtype_size(dtype);
    for (int op = WEFT_SUM; op <= WEFT_NORMINF; op++)
        for (int how = 0; how < HOWS; how++) {
            const weft_dtype accumulate = ACCUMULATES[how];
            weft_dtype result;
            feed f;
            if (weft_reduce_result((weft_op)op, dtype, accumulate, &result) != WEFT_OK) continue;
            const weft_status wanted = weft_reduce(ctx, (weft_op)op, dtype, accumulate, n, x, expected);
            for (int step = 0; step < 4; step++) {
                limit(step, size, 0);
                const weft_source source = open_feed(&f, dtype, n, x);
                same(weft_op_name((weft_op)op), dtype, n, wanted,
                     weft_reduce_source(ctx, (weft_op)op, accumulate, &source, found), weft_dtype_size(result));
            }
            weft_channel channel;
            const weft_source viewed = weft_source_memory(&channel, dtype, n, x);
            same(weft_op_name((weft_op)op), dtype, n, wanted,
                 weft_reduce_source(ctx, (weft_op)op, accumulate, &viewed, found), weft_dtype_size(result));
            const weft_source seen = open_view(&f, dtype, n, x);
            limit(1, size, 0);
            same(weft_op_name((weft_op)op), dtype, n, wanted,
                 weft_reduce_source(ctx, (weft_op)op, accumulate, &seen, found), weft_dtype_size(result));
        }
}

static void pairs(weft_dtype dtype, size_t n) {
    for (int how = 0; how < HOWS; how++) {
        const weft_dtype accumulate = ACCUMULATES[how];
        weft_dtype result;
        feed f, g;
        if (weft_reduce_result(WEFT_SUM, dtype, accumulate, &result) != WEFT_OK) continue;
        for (int step = 0; step < 4; step++) {
            limit(step, 2 * weft_dtype_size(dtype), 0);
            const weft_source a = open_feed(&f, dtype, n, x), b = open_feed(&g, dtype, n, y);
            const weft_status wanted = weft_dot(ctx, dtype, accumulate, n, x, y, expected);
            same("dot", dtype, n, wanted, weft_dot_source(ctx, accumulate, &a, &b, found), weft_dtype_size(result));
            const weft_source c = open_feed(&f, dtype, n, x);
            const weft_status varied = weft_variance(ctx, dtype, accumulate, n, 1, x, expected);
            (void)weft_reduce_result(WEFT_MEAN, dtype, accumulate, &result);
            same("variance", dtype, n, varied, weft_variance_source(ctx, accumulate, 1, &c, found),
                 weft_dtype_size(result));
        }
    }
}

/* Scans to a sink of the caller and, from an array in memory, to a memory sink. */
static void scan(weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n, bool starts, int step) {
    const weft_dtype result = accumulate == WEFT_DEFAULT ? dtype : accumulate;
    const size_t size = weft_dtype_size(result), prefix = is_half(result) ? sizeof(float) : size;
    const void *init = starts ? y : NULL;
    for (int kind = WEFT_INCLUSIVE; kind <= WEFT_EXCLUSIVE; kind++) {
        feed f;
        store s = {found, 0, SIZE_MAX};
        weft_channel in, out;
        const weft_scan_kind k = (weft_scan_kind)kind;
        limit(step, weft_dtype_size(dtype), size + prefix);
        const weft_source source = open_feed(&f, dtype, n, x), array = weft_source_memory(&in, dtype, n, x);
        const weft_sink sink = {write_store, &s}, to = weft_sink_memory(&out, n * size, found);
        const weft_status wanted = weft_scan(judge, op, k, dtype, accumulate, n, x, init, expected);
        same("scan", dtype, n, wanted, weft_scan_source(ctx, op, k, accumulate, &source, init, &sink), n * size);
        EXPECT(s.bytes == n * size, "%zu bytes written", s.bytes);
        memset(found, POISON, n * size);
        same("scan", dtype, n, wanted, weft_scan_source(ctx, op, k, accumulate, &array, init, &to), n * size);
    }
}

static void scans(weft_dtype dtype, size_t n) {
    static const weft_op ops[] = {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX, WEFT_AND, WEFT_OR, WEFT_XOR};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!is_real(dtype) || ops[i] < WEFT_AND) scan(ops[i], dtype, WEFT_DEFAULT, n, i % 2 == n % 2, (int)(n % 2));
    if (dtype == WEFT_F32 || is_half(dtype)) scan(WEFT_SUM, dtype, WEFT_F64, n, false, 0);
    if (is_half(dtype)) scan(WEFT_SUM, dtype, WEFT_F32, n, true, 1);
    if (is_half(dtype)) scan(WEFT_SUM, dtype, WEFT_DEFAULT, n, n % 2, 2);
    if (dtype == WEFT_I16) scan(WEFT_SUM, dtype, WEFT_I64, n, true, 0);
}

/* Runs recurrences whose factors have both signs and all magnitudes; only a minority exceeds 1. The sink is the
 * caller's, then an array. */
static void recurrence(weft_dtype dtype, size_t n, bool starts, int step) {
    const size_t size = weft_dtype_size(dtype);
    const void *init = starts ? y + n * size : NULL;
    feed f, g;
    store s = {found, 0, SIZE_MAX};
    weft_channel in[2], out;
    limit(step, 2 * size, size);
    const weft_source factors = open_feed(&f, dtype, n, x), added = open_feed(&g, dtype, n, y);
    const weft_source array = weft_source_memory(&in[0], dtype, n, x),
                      other = weft_source_memory(&in[1], dtype, n, y);
    const weft_sink sink = {write_store, &s}, to = weft_sink_memory(&out, n * size, found);
    const weft_status wanted = weft_recurrence(judge, WEFT_FORWARD, dtype, 1, n, x, y, init, expected);
    same("recurrence", dtype, n, wanted, weft_recurrence_source(ctx, &factors, &added, init, &sink), n * size);
    EXPECT(s.bytes == n * size, "%zu bytes written", s.bytes);
    memset(found, POISON, n * size);
    same("recurrence", dtype, n, wanted, weft_recurrence_source(ctx, &array, &other, init, &to), n * size);
}

static void histograms(weft_dtype dtype, size_t n) {
    enum { BINS = 7 };
    const unsigned char low[8] = {0};
    unsigned char high[8] = {0};
    feed f;
    if (dtype == WEFT_F32 || is_half(dtype))
        memcpy(high, &(float){3}, 4);
    else if (dtype == WEFT_F64)
        memcpy(high, &(double){3}, 8);
    else
        high[0] = 100;
    limit(0, weft_dtype_size(dtype), 0);
    const weft_status wanted = weft_histogram_even(ctx, dtype, n, x, BINS, low, high, (uint64_t *)(void *)expected);
    const weft_source source = open_feed(&f, dtype, n, x);
    same("histogram_even", dtype, n, wanted,
         weft_histogram_even_source(ctx, &source, BINS, low, high, (uint64_t *)(void *)found), 8 * BINS);
    if (dtype != WEFT_F64) return;
    const double edges[] = {-1, 0, 0.5, 7};
    const weft_status between = weft_histogram(ctx, dtype, n, x, 3, edges, (uint64_t *)(void *)expected);
    const weft_source again = open_feed(&f, dtype, n, x);
    same("histogram", dtype, n, between, weft_histogram_source(ctx, &again, 3, edges, (uint64_t *)(void *)found), 24);
}

static void maps(size_t n) {
    static const double a = 1.5;
    weft_expr *expr;
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, "a*x + y/3 - i", &expr), WEFT_OK);
    const weft_binding bindings[] = {{"a", WEFT_F64, NULL, &a}, {"x", WEFT_F32, x, NULL}, {"y", WEFT_I16, y, NULL}};
    for (int step = 0; step < 4; step++) {
        feed f, g;
        store s = {found, 0, SIZE_MAX};
        weft_source p = open_feed(&f, WEFT_F32, n, x), q = open_feed(&g, WEFT_I16, n, y);
        const weft_source_binding sources[] = {
            {"a", NULL, WEFT_F64, &a}, {"x", &p, WEFT_DEFAULT, NULL}, {"y", &q, WEFT_DEFAULT, NULL}};
        const weft_sink sink = {write_store, &s};
        limit(step, 6, 4);
        same("map", WEFT_F32, n, weft_map(ctx, expr, WEFT_F32, n, bindings, 3, expected),
             weft_map_source(ctx, expr, WEFT_F32, sources, 3, &sink), 4 * n);
        EXPECT(s.bytes == 4 * n, "%zu bytes written", s.bytes);
        for (int op = WEFT_SUM; op <= 2 * WEFT_NORMINF + 1; op++) {
            const weft_op reduction = (weft_op)(op / 2);
            const weft_dtype accumulate = op % 2 ? WEFT_EXACT_SUM : WEFT_DEFAULT;
            weft_dtype result;
            if (weft_reduce_result(reduction, WEFT_F32, accumulate, &result) != WEFT_OK) continue;
            p = open_feed(&f, WEFT_F32, n, x);
            q = open_feed(&g, WEFT_I16, n, y);
            same(weft_op_name(reduction), WEFT_F32, n,
                 weft_map_reduce(ctx, reduction, expr, WEFT_F32, accumulate, n, bindings, 3, expected),
                 weft_map_reduce_source(ctx, reduction, expr, WEFT_F32, accumulate, sources, 3, found),
                 weft_dtype_size(result));
        }
    }
    weft_expr_free(expr);
}

static void map_scan(weft_op op, weft_dtype dtype, size_t n, int step) {
    weft_expr *expr;
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, dtype == WEFT_I32 ? "y*3 - i" : "x + y/3 - i", &expr), WEFT_OK);
    const int names = dtype == WEFT_I32 ? 1 : 2;
    const weft_binding bindings[] = {{"y", WEFT_I16, y, NULL}, {"x", WEFT_F32, x, NULL}};
    for (int kind = WEFT_INCLUSIVE; kind <= WEFT_EXCLUSIVE; kind++) {
        feed f, g;
        store s = {found, 0, SIZE_MAX};
        const weft_scan_kind k = (weft_scan_kind)kind;
        const weft_source p = open_feed(&f, WEFT_I16, n, y), q = open_feed(&g, WEFT_F32, n, x);
        const weft_source_binding sources[] = {{"y", &p, WEFT_DEFAULT, NULL}, {"x", &q, WEFT_DEFAULT, NULL}};
        const weft_sink sink = {write_store, &s};
        limit(step, 6, 2 * weft_dtype_size(dtype));
        same("map_scan", dtype, n,
             weft_map_scan(judge, op, k, expr, dtype, WEFT_DEFAULT, n, bindings, (size_t)names, NULL, expected),
             weft_map_scan_source(ctx, op, k, expr, dtype, WEFT_DEFAULT, sources, (size_t)names, NULL, &sink),
             n * weft_dtype_size(dtype));
        EXPECT(s.bytes == n * weft_dtype_size(dtype), "%zu bytes written", s.bytes);
    }
    weft_expr_free(expr);
}

/* Searches texts with words across every boundary of pieces, and short texts. */
static void matches(size_t n) {
    static const char words[] = "aaaab_baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaB";
    static const uint64_t offsets[] = {0, 1, 4, 5, 9, sizeof words - 1};
    static const size_t ends[] = {0, 1, 2, 30, 4096, 4097, 4128, 8192, 12301};
    const weft_patterns patterns = {5, offsets, words};
    for (size_t i = 0; i < n; i++) x[i] = "aaaaaaaaaaaaaaaaaaaaaaaaab_Aab b"[(i * i / 7 + i / 31) % 32];
    for (size_t e = 0; e < sizeof ends / sizeof *ends + 1; e++)
        for (unsigned flags = 0; flags < 4; flags++) {
            const size_t length = e < sizeof ends / sizeof *ends ? ends[e] : n;
            feed f;
            limit((int)flags, 1, 0);
            const weft_source text = open_feed(&f, WEFT_U8, length, x);
            const weft_status wanted =
                weft_match_count(judge, length, x, 0, length, &patterns, flags, (uint64_t *)(void *)expected);
            same("match", WEFT_U8, length, wanted,
                 weft_match_count_source(ctx, &text, &patterns, flags, (uint64_t *)(void *)found), 8 * 5);
        }
}

/* Checks that squares beyond the range of f64 are summed in a second pass. */
static void second_pass(void) {
    double *v = (double *)(void *)x;
    for (int sign = -1; sign <= 1; sign += 2) {
        feed f;
        for (size_t i = 0; i < 3 * TILE; i++) v[i] = (sign < 0 ? 0x1p-530 : 0x1p530) * (double)(i % 7 + 1);
        limit(0, 8, 0);
        const weft_source source = open_feed(&f, WEFT_F64, 3 * TILE, x);
        same("norm2", WEFT_F64, 3 * TILE, weft_reduce(ctx, WEFT_NORM2, WEFT_F64, WEFT_DEFAULT, 3 * TILE, x, expected),
             weft_reduce_source(ctx, WEFT_NORM2, WEFT_DEFAULT, &source, found), 8);
        weft_source once = open_feed(&f, WEFT_F64, 3 * TILE, x);
        once.rewind = NULL;
        memset(found, POISON, 8);
        EXPECT_ERROR(ctx, weft_reduce_source(ctx, WEFT_NORM2, WEFT_DEFAULT, &once, found), WEFT_INVALID,
                     "the source x cannot be rewound, but norm2 must read it twice");
        EXPECT(found[0] == POISON && found[7] == POISON, "something was written");
    }
}

static void one_array(input_kind kind, weft_dtype dtype, size_t n) {
    if (!input_fits(kind, dtype)) return;
    input_fill(kind, dtype, 1, n, x);
    input_fill(kind, dtype, 2, n + 1, y);
    reductions(dtype, n);
    pairs(dtype, n);
    if (dtype == WEFT_F32) {
        maps(n);
        map_scan(WEFT_SUM, WEFT_F32, n, 0);
        map_scan(WEFT_MAX, WEFT_F64, n, 1);
        map_scan(WEFT_SUM, WEFT_I32, n, 2);
    }
    scans(dtype, n);
    if (dtype == WEFT_F32 || dtype == WEFT_F64)
        for (int step = 0; step < (emulated ? 1 : 4); step++) recurrence(dtype, n, step % 2 == 0, step);
    histograms(dtype, n);
}

/* Runs all types. The specification is slow and gets fewer inputs. */
static void all_types(bool fast) {
    for (int dtype = WEFT_I8; dtype <= WEFT_BF16; dtype++) {
        if (weft_dtype_size((weft_dtype)dtype) == 0) continue;
        for (int i = 0; i < LENGTH_COUNT; i++) one_array(INPUT_UNIFORM, (weft_dtype)dtype, LENGTHS[i]);
        for (int kind = 0; kind < (fast ? INPUT_COUNT : 3); kind++)
            one_array((input_kind)kind, (weft_dtype)dtype, LENGTHS[3]);
    }
}

/* Checks that buffers within the limit are kept for the next call, and released when the limit is set. */
static void kept_buffers(void) {
    size_t held[3];
    limit(0, 4, 0);
    for (int i = 0; i < 2; i++) {
        feed f;
        float sum;
        const weft_source source = open_feed(&f, WEFT_F32, 2 * TILE + 1, x);
        EXPECT_STATUS(ctx, weft_reduce_source(ctx, WEFT_SUM, WEFT_DEFAULT, &source, &sum), WEFT_OK);
        held[i] = weft_scratch_bytes(ctx);
    }
    limit(0, 4, 0);
    held[2] = weft_scratch_bytes(ctx);
    EXPECT(held[0] == held[1] && held[0] == held[2] + (size_t)2 * 3 * 4 * TILE, "%zu, %zu, %zu bytes are held",
           held[0], held[1], held[2]);
}

/* Checks the timeline: three copies in, three copies out, and the work on three pieces. All spans are counted even if
 * the array has less capacity. */
static void timeline(void) {
    weft_span spans[9];
    for (size_t capacity = 2; capacity <= 9; capacity += 7) {
        weft_timeline line = {.size = sizeof line, .capacity = capacity, .spans = spans, .count = 99};
        weft_channel in, out;
        uint64_t of_lane[3] = {0}, bytes[3] = {0};
        limit(0, 4, 8);
        const weft_source array = weft_source_memory(&in, WEFT_F32, 2 * TILE + 1, x);
        const weft_sink to = weft_sink_memory(&out, 4 * (2 * TILE + 1), found);
        EXPECT_STATUS(ctx, weft_set_timeline(ctx, &line), WEFT_OK);
        EXPECT_STATUS(ctx, weft_scan_source(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &array, NULL, &to), WEFT_OK);
        EXPECT_STATUS(ctx, weft_set_timeline(ctx, NULL), WEFT_OK);
        EXPECT(line.count == 9, "%zu spans", line.count);
        for (size_t i = 0; i < line.count && i < capacity; i++) {
            of_lane[spans[i].lane]++;
            bytes[spans[i].lane] += spans[i].bytes;
        }
        for (int lane = WEFT_COPY_IN; lane <= WEFT_WORK && capacity == 9; lane++)
            EXPECT(of_lane[lane] == 3 && bytes[lane] == (lane == WEFT_WORK ? 0 : 4 * (2 * TILE + 1)),
                   "%d: %zu spans of %zu bytes", lane, (size_t)of_lane[lane], (size_t)bytes[lane]);
    }
}

/* Scans so many pieces that the tree of piece totals has more than one level. */
static void long_scans(void) {
    input_fill(INPUT_UNIFORM, WEFT_F32, 3, LONGEST, x);
    input_fill(INPUT_UNIFORM, WEFT_F32, 4, 1, y);
    scan(WEFT_SUM, WEFT_F32, WEFT_DEFAULT, LONGEST, false, 0);
    scan(WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 256 * TILE, true, 0);
    scan(WEFT_SUM, WEFT_F32, WEFT_F64, LONGEST, true, 3);
    for (int dtype = WEFT_F16; dtype <= WEFT_BF16; dtype++) {
        input_fill(INPUT_UNIFORM, (weft_dtype)dtype, 3, LONGEST, x);
        input_fill(INPUT_UNIFORM, (weft_dtype)dtype, 4, 1, y);
        scan(WEFT_SUM, (weft_dtype)dtype, WEFT_DEFAULT, LONGEST, true, 0);
        scan(WEFT_SUM, (weft_dtype)dtype, WEFT_DEFAULT, 256 * TILE, false, 1);
    }
    input_fill(INPUT_UNIFORM, WEFT_F32, 4, 1, y);
    for (size_t i = 0; i < LONGEST; i++) ((float *)(void *)x)[i] = 1 + (float)(i % 5) * 0x1p-20f;
    scan(WEFT_PROD, WEFT_F32, WEFT_DEFAULT, LONGEST, false, 0);
}

/* Runs recurrences of as many pieces: with factors near 1, so that distant elements contribute; then with some that
 * leave the range. */
static void long_recurrences(void) {
    for (int growth = 0; growth < 3; growth++) {
        input_fill(INPUT_UNIFORM, WEFT_F64, 5, LONGEST + 1, y);
        for (size_t i = 0; i < LONGEST; i++)
            ((double *)(void *)x)[i] =
                growth == 2 && i % 9999 == 0 ? 0 : 1 + (double)((i * i + 7) % 17) * 0x1p-22 * growth;
        for (int step = 0; step < 4; step++) recurrence(WEFT_F64, LONGEST, step % 2 == 1, step);
        for (size_t i = 0; i < LONGEST; i++) ((float *)(void *)x)[i] = i % 5 ? 1.25f : 0x1.9p-2f;
        input_fill(INPUT_UNIFORM, WEFT_F32, 6 + (uint64_t)growth, LONGEST + 1, y);
        recurrence(WEFT_F32, 256 * TILE, growth % 2 == 0, 0);
        recurrence(WEFT_F32, LONGEST, growth % 2 == 1, 1);
    }
}

/* --------------------------------------------------------------------------------- refusals */

/* Tests a source that is too short, one that fails, one that is too long, and one of another type. */
static void recurrence_failures(void) {
    feed f, g;
    store s = {found, 0, SIZE_MAX};
    const weft_sink sink = {write_store, &s}, none = {0};
    weft_source factors, added;
#define REFUSED(type, n, fails_after, status, words)                                                         \
    do {                                                                                                     \
        s.bytes = 0;                                                                                         \
        factors = open_feed(&f, WEFT_F64, 5 * TILE, x);                                                      \
        added = open_feed(&g, type, n, y);                                                                   \
        g.fails = fails_after;                                                                               \
        EXPECT_ERROR(ctx, weft_recurrence_source(ctx, &factors, &added, NULL, &sink), status, words);        \
        EXPECT(s.bytes <= 5 * TILE * sizeof(double), "%zu bytes of the result before the failure", s.bytes); \
    } while (0)
    limit(0, 16, 8);
    REFUSED(WEFT_F64, 5 * TILE, 3 * TILE * 8, WEFT_IO, "the source u ends after 12288 of 20480 elements");
    REFUSED(WEFT_F64, 4 * TILE + 9, UINT64_MAX, WEFT_INVALID, "u has 16393 elements and s has more");
    REFUSED(WEFT_F64, 6 * TILE, UINT64_MAX, WEFT_INVALID, "s has 20480 elements and u has more");
    REFUSED(WEFT_F32, 5 * TILE, UINT64_MAX, WEFT_INVALID, "s has elements of type f64 and u of type f32");
#undef REFUSED
    factors = open_feed(&f, WEFT_F64, 5 * TILE, x);
    added = open_feed(&g, WEFT_F64, 5 * TILE, y);
    EXPECT_ERROR(ctx, weft_recurrence_source(ctx, &factors, &factors, NULL, &sink), WEFT_INVALID, "the same source");
    EXPECT_ERROR(ctx, weft_recurrence_source(ctx, &factors, NULL, NULL, &sink), WEFT_INVALID, "the source u is NULL");
    EXPECT_ERROR(ctx, weft_recurrence_source(ctx, &factors, &added, NULL, &none), WEFT_INVALID,
                 "the sink v or its write function is NULL");
    factors.dtype = added.dtype = WEFT_I64;
    EXPECT_ERROR(ctx, weft_recurrence_source(ctx, &factors, &added, NULL, &sink), WEFT_UNSUPPORTED,
                 "recurrence requires f32 or f64 elements, not i64");
    factors = open_feed(&f, WEFT_F64, 5 * TILE, x);
    added = open_feed(&g, WEFT_F64, 5 * TILE, y);
    s = (store){found, 0, 3 * TILE * 8};
    EXPECT_ERROR(ctx, weft_recurrence_source(ctx, &factors, &added, NULL, &sink), WEFT_IO,
                 "cannot write the result: No space left on device");
    limit(0, 8, 0);
}

static void timeline_failures(void) {
    weft_timeline line = {.size = sizeof line};
    if (!emulated) {
        EXPECT_ERROR(ctx, weft_set_timeline(ctx, &line), WEFT_UNSUPPORTED, "only a context of a GPU");
        return;
    }
    line.capacity = 1;
    EXPECT_ERROR(ctx, weft_set_timeline(ctx, &line), WEFT_INVALID, "timeline->spans is NULL");
    for (line.size = 0; line.size <= 2 * sizeof line; line.size += 2 * sizeof line)
        EXPECT_ERROR(ctx, weft_set_timeline(ctx, &line), WEFT_INVALID, "expected sizeof(weft_timeline)");
}

static void failures(void) {
    feed f, g;
    store s = {found, 0, 3 * TILE * 4};
    const weft_sink sink = {write_store, &s};
    weft_source source = open_feed(&f, WEFT_F32, 5 * TILE, x), other;
    limit(0, 4, 0);
#define SUM weft_reduce_source(ctx, WEFT_SUM, WEFT_DEFAULT, &source, found)
    memset(found, POISON, 8);
    f.fails = 3 * TILE * 4;
    EXPECT_ERROR(ctx, SUM, WEFT_IO, "the source x ends after 12288 of 20480 elements");
    source = open_feed(&f, WEFT_F32, WEFT_TO_THE_END, x);
    f.channel.bytes = 5 * TILE * 4;
    f.fails = 1001;
    EXPECT_ERROR(ctx, SUM, WEFT_IO, "the source x ends within an element, after 250 complete elements");
    source = open_feed(&f, WEFT_F32, 5 * TILE, x);
    f.fails = 10000;
    f.fault = EIO;
    EXPECT_ERROR(ctx, SUM, WEFT_IO, "cannot read the source x: Input/output error");
    source = open_feed(&f, WEFT_F32, 5 * TILE, x);
    f.fails = 2 * TILE * 4;
    f.fault = ECANCELED;
    EXPECT_ERROR(ctx, SUM, WEFT_IO, "the source x was cancelled after 8192 elements");
    source = open_feed(&f, WEFT_F32, 5 * TILE, x);
    EXPECT_STATUS(ctx, weft_set_memory(ctx, 32767), WEFT_OK);
    EXPECT_ERROR(ctx, SUM, WEFT_INVALID,
                 emulated ? "32767 bytes of memory for buffers are too few: this call requires at least 49152"
                          : "32767 bytes of memory for buffers are too few: this call requires at least 32768");
    limit(0, 8, 0);
    other = open_feed(&g, WEFT_F32, 4 * TILE + 9, x);
    EXPECT_ERROR(ctx, weft_dot_source(ctx, WEFT_DEFAULT, &source, &other, found), WEFT_INVALID,
                 "y has 16393 elements and x has more: both must have the same length");
    source = open_feed(&f, WEFT_F32, 5 * TILE, x);
    EXPECT_ERROR(ctx, weft_dot_source(ctx, WEFT_DEFAULT, &source, &source, found), WEFT_INVALID, "the same source");
    source.rewind = NULL;
    EXPECT_ERROR(ctx, weft_variance_source(ctx, WEFT_DEFAULT, 0, &source, found), WEFT_INVALID,
                 "the source x cannot be rewound, but variance must read it twice");
    EXPECT_STATUS(ctx, weft_variance_source(ctx, WEFT_EXACT_SUM, 0, &source, expected), WEFT_OK);
    source.dtype = (weft_dtype)11;
    EXPECT_ERROR(ctx, SUM, WEFT_INVALID, "the source x: invalid dtype 11");
    source = open_feed(&f, WEFT_F32, 5 * TILE, x);
    source.read = NULL;
    EXPECT_ERROR(ctx, SUM, WEFT_INVALID, "the source x: read is NULL");
    EXPECT_ERROR(ctx, weft_reduce_source(ctx, WEFT_AND, WEFT_DEFAULT, NULL, found), WEFT_INVALID, "x is NULL");
    EXPECT(found[0] == POISON && found[7] == POISON, "something was written");
    source = open_feed(&f, WEFT_F32, 5 * TILE, x);
    EXPECT_ERROR(ctx, weft_reduce_source(ctx, WEFT_AND, WEFT_DEFAULT, &source, found), WEFT_UNSUPPORTED,
                 "integer elements");
    EXPECT_ERROR(ctx, weft_scan_source(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &source, NULL, &sink), WEFT_IO,
                 "cannot write the result: No space left on device");
    source = open_feed(&f, WEFT_F32, 5 * TILE, x);
    EXPECT_ERROR(ctx, weft_scan_source(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &source, NULL, NULL),
                 WEFT_INVALID, "the sink y or its write function is NULL");
    recurrence_failures();
    weft_channel small;
    const weft_sink full = weft_sink_memory(&small, 4 * TILE * 4, found);
    EXPECT_ERROR(ctx, weft_scan_source(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &source, NULL, &full), WEFT_IO,
                 "cannot write the result: No space left on device");
    const weft_patterns none = {0, NULL, NULL};
    EXPECT_ERROR(ctx, weft_match_count_source(ctx, &source, &none, 0, (uint64_t *)(void *)found), WEFT_UNSUPPORTED,
                 "a text requires a source of one-byte elements, not f32");
    source = open_feed(&f, WEFT_U8, 5 * TILE, x);
    EXPECT_ERROR(ctx, weft_match_count_source(ctx, &source, &none, 0, (uint64_t *)(void *)found), WEFT_INVALID,
                 "number of patterns 0");
    timeline_failures();
    EXPECT_ERROR(ctx, weft_histogram_source(ctx, &source, 3, NULL, (uint64_t *)(void *)found), WEFT_INVALID,
                 "edges is NULL");
    EXPECT(weft_reduce_source(NULL, WEFT_SUM, WEFT_DEFAULT, &source, found) == WEFT_INVALID, "without a context");
#undef SUM
}

static void bindings(void) {
    static const double a = 1.5;
    feed f;
    weft_expr *expr;
    const weft_source source = open_feed(&f, WEFT_F32, 5, x);
#define REFUSED(words, ...)                                                                    \
    do {                                                                                       \
        const weft_source_binding list[] = {__VA_ARGS__};                                      \
        EXPECT_ERROR(ctx,                                                                      \
                     weft_map_reduce_source(ctx, WEFT_SUM, expr, WEFT_F64, WEFT_DEFAULT, list, \
                                            sizeof list / sizeof *list, found),                \
                     WEFT_INVALID, words);                                                     \
    } while (0)
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, "x + y", &expr), WEFT_OK);
    REFUSED("at least one variable must be bound to a source", {"x", NULL, WEFT_F64, &a}, {"y", NULL, WEFT_F64, &a});
    REFUSED("the variable x is bound to neither a source nor a scalar", {"x", NULL, WEFT_F64, NULL},
            {"y", &source, WEFT_DEFAULT, NULL});
    REFUSED("the variable x is bound to both a source and a scalar", {"x", &source, WEFT_F64, &a});
    REFUSED("x and y are the same source", {"x", &source, WEFT_F64, NULL}, {"y", &source, WEFT_F64, NULL});
    REFUSED("the variable y of the formula is not bound", {"x", &source, WEFT_F64, NULL});
    REFUSED("z is bound, but", {"x", NULL, WEFT_F64, &a}, {"y", NULL, WEFT_F64, &a}, {"z", &source, WEFT_F64, NULL});
#undef REFUSED
    weft_expr_free(expr);
}

/* Reads a file from its middle on, twice, and writes to a pipe as a sink. */
static void channels(void) {
    weft_channel in, out;
    char path[] = "/tmp/weft_stream_XXXXXX";
    const int fd = mkstemp(path);
    int ends[2] = {-1, -1};
    if (!EXPECT(fd >= 0 && pipe(ends) == 0, "%s: %s", path, strerror(errno))) return;
    unlink(path);
    const float values[] = {9, 1, 2, 4};
    const weft_sink to_file = weft_sink_descriptor(&out, fd), to_pipe = weft_sink_descriptor(&out, ends[1]);
    EXPECT(to_file.write(&(weft_channel){.descriptor = fd}, values, sizeof values) == 0, "%s", strerror(errno));
    lseek(fd, 4, SEEK_SET);
    limit(3, 1, 0);
    const weft_source file = weft_source_descriptor(&in, WEFT_F32, WEFT_TO_THE_END, fd);
    float variance = 0, sum = 0;
    EXPECT_STATUS(ctx, weft_variance_source(ctx, WEFT_DEFAULT, 1, &file, &variance), WEFT_OK);
    EXPECT(variance == 7.0f / 3, "variance %g", (double)variance);
    lseek(fd, 4, SEEK_SET);
    EXPECT_STATUS(ctx, weft_scan_source(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &file, NULL, &to_pipe), WEFT_OK);
    close(ends[1]);
    const weft_source piped = weft_source_descriptor(&in, WEFT_F32, 3, ends[0]);
    EXPECT(piped.rewind == NULL, "a pipe can be rewound");
    EXPECT_STATUS(ctx, weft_reduce_source(ctx, WEFT_SUM, WEFT_DEFAULT, &piped, &sum), WEFT_OK);
    EXPECT(sum == 1 + 3 + 7, "sum %g", (double)sum);
    close(ends[0]);
    close(fd);
}

/* Runs on the emulated GPU of tests/emulated, which is slow and does not support every operation. */
static void some_types(void) {
    static const weft_dtype types[] = {WEFT_I16, WEFT_F32, WEFT_F64, WEFT_F16, WEFT_BF16};
    emulated = true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) one_array(INPUT_PATTERNS, types[i], 3 * TILE + 5);
    second_pass();
    scan(WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 19 * TILE + 1, true, 0);
    scan(WEFT_SUM, WEFT_BF16, WEFT_DEFAULT, 19 * TILE + 1, true, 0);
    recurrence(WEFT_F64, 19 * TILE + 1, true, 0);
    recurrence(WEFT_F64, 19 * TILE + 1, false, 1);
    matches(3 * TILE + 77);
    kept_buffers();
    timeline();
    failures();
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    const size_t stride = (size_t)8 * (LONGEST + 64 - LONGEST % 64);
    emulated = strcmp(device, "cuda") == 0;
    if (weft_open(&ctx, device) != WEFT_OK || weft_open(&judge, emulated ? "ref" : device) != WEFT_OK) return 1;
    if (weft_alloc(ctx, WEFT_PINNED, 4 * stride, (void **)&x) != WEFT_OK) return 1;
    y = x + stride;
    expected = y + stride;
    found = expected + stride;
    if (emulated) {
        some_types();
    } else {
        const bool fast = strcmp(device, "ref") != 0;
        all_types(fast);
        second_pass();
        if (fast) long_scans();
        if (fast) long_recurrences();
        matches(fast ? LONGEST : 3 * TILE);
        failures();
        bindings();
        channels();
    }
    weft_free(ctx, WEFT_PINNED, x);
    weft_close(judge);
    weft_close(ctx);
    return expect_end();
}
