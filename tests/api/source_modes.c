/* Tests the floating-point mode in calls with sources: the functions of sources and sinks run in the caller's mode
 * and may call weft with another context; results do not depend on the mode. The argument is the device's name. */
#include "tests/expect.h"

#include <fenv.h>
#include <stdatomic.h>

enum { N = 20011, TARGETS = 7, CHUNK_BYTES = 64 * 1024 };
static double x[N];
static uint32_t keys[N];
static double out[N]; /* result of a call */
enum { FIRST, SECOND, SINK, USERS };
static weft_context *nested[USERS]; /* contexts that the functions of two sources and of a sink use */
static uint64_t nested_sum;         /* bits of the sum that they compute */
static bool upward;                 /* the caller rounds upward */
static atomic_int calls, wrong;

/* Returns true if additions round upward. fegetround would return the mode of the x87 unit. */
static bool rounds_up(void) {
    volatile double one = 1, small = 0x1p-60;
    return one + small > 1;
}

static void set_mode(bool up) {
    upward = up;
    fesetround(up ? FE_UPWARD : FE_TONEAREST);
}

/* Checks the mode, calls weft, and checks the mode again. Counts what is wrong. */
static void user_code(int user) {
    weft_context *const ctx = nested[user];
    uint64_t sum = 0;
    calls++;
    wrong += rounds_up() != upward;
    wrong += weft_reduce(ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, x, &sum) != WEFT_OK || sum != nested_sum;
    wrong += rounds_up() != upward;
}

/* ------------------------------------------------------------------------- sources and sinks */

typedef struct feed {
    int user;
    weft_channel channel;
    weft_source inner;
} feed;

static ptrdiff_t read_feed(void *self, void *to, size_t bytes) {
    feed *const f = self;
    user_code(f->user);
    return f->inner.read(f->inner.self, to, bytes);
}

static int rewind_feed(void *self) {
    feed *const f = self;
    user_code(f->user);
    return f->inner.rewind(f->inner.self);
}

static const void *view_feed(void *self, size_t bytes) {
    feed *const f = self;
    user_code(f->user);
    return f->inner.view(f->inner.self, bytes);
}

static weft_source open_feed(feed *f, int user, weft_dtype dtype, const void *elements, bool viewed) {
    f->user = user;
    f->inner = weft_source_memory(&f->channel, dtype, N, elements);
    return (weft_source){dtype, N, read_feed, rewind_feed, viewed ? view_feed : NULL, f};
}

static int write_out(void *self, const void *from, size_t bytes) {
    char **const to = self;
    user_code(SINK);
    memcpy(*to, from, bytes);
    *to += bytes;
    return 0;
}

/* -------------------------------------------------------------------------------- operations */

static const char *const NAMES[] = {"sum", "mean", "norm2",      "variance",       "exact variance",
                                    "dot", "scan", "recurrence", "scatter_reduce", "scattered mean"};
enum { OPERATIONS = sizeof NAMES / sizeof *NAMES };

static weft_status run(weft_context *ctx, int operation, bool viewed) {
    feed f, g;
    char *to = (char *)out;
    const bool scatters = operation >= 8;
    const weft_source a = open_feed(&f, FIRST, WEFT_F64, x, viewed);
    const weft_source b = open_feed(&g, SECOND, scatters ? WEFT_U32 : WEFT_F64, scatters ? (void *)keys : x, viewed);
    const weft_sink sink = {write_out, &to};
    switch (operation) {
    case 0: return weft_reduce_source(ctx, WEFT_SUM, WEFT_DEFAULT, &a, out);
    case 1: return weft_reduce_source(ctx, WEFT_MEAN, WEFT_DEFAULT, &a, out);
    case 2: return weft_reduce_source(ctx, WEFT_NORM2, WEFT_DEFAULT, &a, out);
    case 3: return weft_variance_source(ctx, WEFT_DEFAULT, 1, &a, out);
    case 4: return weft_variance_source(ctx, WEFT_EXACT_SUM, 1, &a, out);
    case 5: return weft_dot_source(ctx, WEFT_DEFAULT, &a, &b, out);
    case 6: return weft_scan_source(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &a, NULL, &sink);
    case 7: return weft_recurrence_source(ctx, &a, &b, NULL, &sink);
    default:
        return weft_scatter_reduce_source(ctx, operation == 8 ? WEFT_SUM : WEFT_MEAN, WEFT_RANGE_ERROR, WEFT_DEFAULT,
                                          1, TARGETS, &a, &b, NULL, out);
    }
}

static void check(weft_context *ctx, int operation, bool viewed) {
    static double wanted[N];
    memset(out, 0, sizeof out);
    set_mode(false);
    calls = wrong = 0;
    EXPECT_STATUS(ctx, run(ctx, operation, viewed), WEFT_OK);
    memcpy(wanted, out, sizeof wanted);
    memset(out, 0, sizeof out);
    set_mode(true);
    const weft_status status = run(ctx, operation, viewed);
    const bool restored = rounds_up();
    set_mode(false);
    EXPECT_STATUS(ctx, status, WEFT_OK);
    EXPECT(restored, "%s: the mode of the caller changed", NAMES[operation]);
    EXPECT(calls > 2 && wrong == 0, "%s: %d calls of the caller's functions, %d wrong", NAMES[operation], calls,
           wrong);
    EXPECT(memcmp(wanted, out, sizeof out) == 0, "%s: other bits in another mode", NAMES[operation]);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    weft_context *ctx;
    if (weft_open(&ctx, device) != WEFT_OK) return 1;
    for (int i = 0; i < USERS; i++)
        if (weft_open(&nested[i], device) != WEFT_OK) return 1;
    for (size_t i = 0; i < N; i++) {
        x[i] = 1 / (3.0 + (double)(i * 7919 % 1009));
        keys[i] = (uint32_t)(i * 31 % TARGETS);
    }
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, x, &nested_sum), WEFT_OK);
    EXPECT_STATUS(ctx, weft_set_memory(ctx, 6 * CHUNK_BYTES), WEFT_OK);
    for (int operation = 0; operation < OPERATIONS; operation++)
        for (int viewed = 0; viewed < 2; viewed++) check(ctx, operation, viewed);
    for (int i = 0; i < USERS; i++) weft_close(nested[i]);
    weft_close(ctx);
    return expect_end();
}
