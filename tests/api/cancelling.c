/* Tests weft_set_progress: every operation can be cancelled, the context then gives correct results, and the amount
 * of finished work is reported as documented. The argument is the device's name. */
#include "tests/every.h"
#include "tests/expect.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Observations of a callback. It cancels at its call number `cancel_at`, counted from 1; 0: never. */
typedef struct seen {
    pthread_t thread;
    int calls, cancel_at;
    uint64_t done, total;
    bool wrong; /* another thread, less done than before, or more done than the total */
} seen;

static int watch(void *user, uint64_t done, uint64_t total) {
    seen *s = user;
    s->wrong |= !pthread_equal(s->thread, pthread_self()) || done < s->done || (total && done > total);
    s->done = done;
    s->total = total;
    return ++s->calls == s->cancel_at;
}

static seen watcher(int cancel_at) { return (seen){.thread = pthread_self(), .cancel_at = cancel_at}; }

/* ---------------------------------------------------------------------- every operation cancelled */

/* Cancels each operation. The callback must be called at the start of the first operation after weft_set_progress. */
static void cancel_each(weft_context *ctx) {
    for (size_t i = 0; i < every_count(); i++) {
        uint64_t wanted, found;
        seen first = watcher(1), none = watcher(0);
        EXPECT_STATUS(ctx, every_run(ctx, i, &wanted), WEFT_OK);
        EXPECT_STATUS(ctx, weft_set_progress(ctx, watch, &first), WEFT_OK);
        EXPECT(every_run(ctx, i, &found) == WEFT_CANCELLED, "%s was not cancelled", every_name(i));
        EXPECT(strstr(weft_last_error(ctx), "the progress callback cancelled") != NULL, "%s: \"%s\"", every_name(i),
               weft_last_error(ctx));
        EXPECT(first.calls == 1 && !first.wrong, "%s: %d calls of the callback", every_name(i), first.calls);
        EXPECT_STATUS(ctx, weft_set_progress(ctx, watch, &none), WEFT_OK);
        EXPECT_STATUS(ctx, every_run(ctx, i, &found), WEFT_OK);
        EXPECT(found == wanted, "%s: other bits after a cancelled call", every_name(i));
        EXPECT(none.calls >= 2 && !none.wrong, "%s: %d calls of the callback, or wrong ones", every_name(i),
               none.calls);
        EXPECT(none.total == 0 || none.done == none.total, "%s ended at %llu of %llu", every_name(i),
               (unsigned long long)none.done, (unsigned long long)none.total);
        EXPECT_STATUS(ctx, weft_set_progress(ctx, NULL, NULL), WEFT_OK);
    }
}

/* Checks that settings and memory functions do not call the callback: they are not operations. */
static void settings(weft_context *ctx) {
    seen s = watcher(1);
    void *p = NULL;
    EXPECT_STATUS(ctx, weft_set_progress(ctx, watch, &s), WEFT_OK);
    EXPECT_STATUS(ctx, weft_alloc(ctx, WEFT_DEVICE, 64, &p), WEFT_OK);
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 1), WEFT_OK);
    EXPECT_STATUS(ctx, weft_set_memory(ctx, 0), WEFT_OK);
    EXPECT_STATUS(ctx, weft_synchronize(ctx), WEFT_OK);
    EXPECT_STATUS(ctx, weft_free(ctx, WEFT_DEVICE, p), WEFT_OK);
    EXPECT_STATUS(ctx, weft_set_progress(ctx, NULL, NULL), WEFT_OK);
    EXPECT(s.calls == 0, "%d calls of the callback", s.calls);
}

/* -------------------------------------------------------------------------- between the pieces */

enum { PIECE = 4096, PIECES = 40, ELEMENTS = PIECE * PIECES };

/* Reads a piece in more time than the interval between two calls of the callback. */
static ptrdiff_t read_slowly(void *self, void *to, size_t bytes) {
    uint64_t *given = self;
    usleep(60000);
    memset(to, 0, bytes);
    *given += bytes;
    return (ptrdiff_t)bytes;
}

/* Checks that a sink gets complete pieces, fewer than all of them, and nothing after the call. */
static void cancel_between_pieces(weft_context *ctx) {
    char name[] = "/tmp/weft-progress-XXXXXX";
    const int file = mkstemp(name);
    uint64_t given = 0;
    weft_channel channel;
    seen s = watcher(3);
    const weft_source source = {WEFT_F32, ELEMENTS, read_slowly, NULL, NULL, &given};
    const weft_sink sink = weft_sink_descriptor(&channel, file);
    EXPECT_STATUS(ctx, weft_set_memory(ctx, 4 * PIECE * sizeof(float)), WEFT_OK);
    EXPECT_STATUS(ctx, weft_set_progress(ctx, watch, &s), WEFT_OK);
    EXPECT_STATUS(ctx, weft_scan_source(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &source, NULL, &sink),
                  WEFT_CANCELLED);
    EXPECT_STATUS(ctx, weft_set_progress(ctx, NULL, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_set_memory(ctx, 0), WEFT_OK);
    EXPECT(s.calls == 3 && !s.wrong && s.total == ELEMENTS && s.done < ELEMENTS, "%d calls, %llu of %llu", s.calls,
           (unsigned long long)s.done, (unsigned long long)s.total);
    const off_t written = lseek(file, 0, SEEK_END);
    EXPECT(written < (off_t)(ELEMENTS * sizeof(float)) && written % (off_t)(PIECE * sizeof(float)) == 0,
           "%lld bytes were written", (long long)written);
    EXPECT(given < ELEMENTS * sizeof(float), "all was read");
    close(file);
    unlink(name);
}

/* ------------------------------------------------------------------------- inside a long call */

enum { SIDE = 40, LINES = 64, POINTS = SIDE * SIDE * SIDE };
static float grid[POINTS], result[POINTS];

static weft_status long_laplace(weft_context *ctx) {
    return weft_laplace(ctx, WEFT_F32, SIDE, SIDE, SIDE, (size_t)1 << 40, grid, result, NULL);
}
static weft_status long_sor(weft_context *ctx) {
    return weft_laplace_solve(ctx, WEFT_SOR, WEFT_F32, SIDE, SIDE, SIDE, 0, 0, (size_t)1 << 40, grid, result, NULL,
                              NULL);
}
static weft_status long_multigrid(weft_context *ctx) {
    return weft_laplace_solve(ctx, WEFT_MULTIGRID, WEFT_F32, SIDE, SIDE, SIDE, 0, 0, (size_t)1 << 40, grid, result,
                              NULL, NULL);
}
static weft_status long_heat(weft_context *ctx) {
    static const size_t shape[] = {SIDE, SIDE, SIDE};
    static const double lambda[] = {1, 1, 1};
    return weft_heat(ctx, WEFT_BACKWARD_EULER, WEFT_F32, 3, shape, 1, lambda, (size_t)1 << 40, grid, result);
}
static weft_status long_heat_of_planes(weft_context *ctx) {
    static const size_t shape[] = {SIDE, SIDE};
    static const double lambda[] = {1, 1};
    return weft_heat(ctx, WEFT_BACKWARD_EULER, WEFT_F32, 2, shape, SIDE, lambda, (size_t)1 << 40, grid, result);
}
static weft_status long_heat_of_short_lines(weft_context *ctx) {
    static const size_t shape[] = {SIDE};
    static const double lambda[] = {1};
    return weft_heat(ctx, WEFT_BACKWARD_EULER, WEFT_F32, 1, shape, SIDE * SIDE, lambda, (size_t)1 << 40, grid,
                     result);
}
static weft_status long_heat_of_lines(weft_context *ctx) {
    static const size_t shape[] = {POINTS / LINES};
    static const double lambda[] = {1};
    return weft_heat(ctx, WEFT_BACKWARD_EULER, WEFT_F32, 1, shape, LINES, lambda, (size_t)1 << 40, grid, result);
}
static weft_status long_price(weft_context *ctx) {
    static const double start = 100, volatility = 0.2;
    const weft_option option = {.size = sizeof option,
                                .payoff = WEFT_CALL,
                                .strike = 100,
                                .rate = 0.05,
                                .maturity = 1,
                                .assets = 1,
                                .start = &start,
                                .volatility = &volatility};
    const weft_simulation simulation = {
        .size = sizeof simulation, .dtype = WEFT_F32, .steps = 8, .paths = (uint64_t)1 << 40, .seed = 1};
    weft_valuation valuation = {.size = sizeof valuation};
    return weft_price(ctx, &option, &simulation, &valuation);
}

/* Cancels long operations; each would take hours. The first call of the callback is at the start, the third one
 * during the work. */
static void cancel_inside(weft_context *ctx, int threads) {
    static const struct {
        const char *name;
        weft_status (*run)(weft_context *ctx);
    } calls[] = {{"laplace", long_laplace},
                 {"SOR", long_sor},
                 {"multigrid", long_multigrid},
                 {"heat", long_heat},
                 {"heat of planes", long_heat_of_planes},
                 {"heat of short lines", long_heat_of_short_lines},
                 {"heat of lines", long_heat_of_lines},
                 {"price", long_price}};
    EXPECT_STATUS(ctx, weft_set_threads(ctx, threads), WEFT_OK);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        seen s = watcher(3);
        EXPECT_STATUS(ctx, weft_set_progress(ctx, watch, &s), WEFT_OK);
        EXPECT(calls[i].run(ctx) == WEFT_CANCELLED, "%s with %d threads: %s", calls[i].name, threads,
               weft_last_error(ctx));
        EXPECT(s.calls == 3 && !s.wrong && (s.total == 0 || s.done < s.total),
               "%s with %d threads: %d calls, %llu of %llu%s", calls[i].name, threads, s.calls,
               (unsigned long long)s.done, (unsigned long long)s.total, s.wrong ? ", wrong" : "");
        EXPECT_STATUS(ctx, weft_set_progress(ctx, NULL, NULL), WEFT_OK);
    }
}

/* Cancels the sum of one element repeated so often that the product of the number and the size of the elements does
 * not fit in size_t. Only for a CPU: a GPU would not stop. */
static void cancel_repeated(weft_context *ctx) {
    double one = 1, sum;
    seen s = watcher(3);
    const weft_view x = {
        .size = sizeof x, .dtype = WEFT_F64, .dimensions = 1, .shape = {SIZE_MAX / sizeof one + 2}, .data = &one};
    const weft_view out = {.size = sizeof out, .dtype = WEFT_F64, .data = &sum};
    EXPECT_STATUS(ctx, weft_set_progress(ctx, watch, &s), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce_axes(ctx, WEFT_SUM, WEFT_DEFAULT, &x, 1, (const int[]){0}, &out), WEFT_CANCELLED);
    EXPECT_STATUS(ctx, weft_set_progress(ctx, NULL, NULL), WEFT_OK);
    EXPECT(s.calls == 3 && !s.wrong, "%d calls", s.calls);
}

int main(int argc, char **argv) {
    static const int threads[] = {1, 2, 7};
    const char *device = argc > 1 ? argv[1] : "cpu";
    weft_context *ctx;
    EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK);
    EXPECT(weft_set_progress(NULL, watch, NULL) == WEFT_INVALID, "a context that is NULL");
    every_prepare();
    for (int i = 0; i < 3; i++) {
        EXPECT_STATUS(ctx, weft_set_threads(ctx, threads[i]), WEFT_OK);
        cancel_each(ctx);
        if (strcmp(device, "ref") == 0) break;
    }
    for (int i = 0; i < 3 && strcmp(device, "ref") != 0; i++) cancel_inside(ctx, threads[i]);
    if (strcmp(device, "cpu") == 0) cancel_repeated(ctx);
    settings(ctx);
    cancel_between_pieces(ctx);
    weft_close(ctx);
    return expect_end();
}
