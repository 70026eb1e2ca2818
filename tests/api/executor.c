/* Tests weft_set_executor: every operation has the bits of one thread with executors that run the tasks one after
 * another, backwards, on threads of their own, in part or not at all; calls can be cancelled; the executor may call
 * weft with other contexts; the floating-point modes are kept. The argument is the device's name. */
#include "tests/every.h"
#include "tests/expect.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS_MAX = 17, CALLERS = 3, N = 100000 };

static uint64_t wanted[EVERY_MAX]; /* bits of each operation with one thread */
static float x[N], sorted[N];      /* input and result of the calls with another context */

/* One call of `run`. */
typedef struct batch {
    void (*task)(void *arg, size_t index);
    void *arg;
    size_t count, next;
    atomic_int changed; /* number of tasks that changed the mode of their thread */
} batch;

typedef void method(batch *b);

/* Sorts with another context while an operation waits for its tasks. Returns false if the result is wrong. */
static bool sorts(weft_context *ctx) {
    static float found[N];
    return weft_sort(ctx, WEFT_ASCENDING, WEFT_F32, N, x, found) == WEFT_OK &&
           memcmp(found, sorted, sizeof found) == 0;
}

/* Returns true if additions round upward. fegetround would return the mode of the x87 unit. */
static bool rounds_up(void) {
    volatile double one = 1, small = 0x1p-60;
    return one + small > 1;
}

/* Executor under test. */
typedef struct crew {
    method *run;
    pthread_t caller;
    bool upward;      /* the caller rounds upward */
    int pause;        /* milliseconds before the tasks run */
    int threads;      /* number of threads of the context */
    int runs, faults; /* calls of run; those with a wrong thread, mode or count */
    weft_context *self, *other;
} crew;

static void run(void *user, size_t count, void (*task)(void *arg, size_t index), void *arg) {
    crew *const c = user;
    batch b = {task, arg, count, 0, 0};
    c->runs++;
    c->faults += !pthread_equal(c->caller, pthread_self()) || rounds_up() != c->upward || count < 2 ||
                 count > (size_t)c->threads;
    if (c->other) {
        uint64_t sum;
        c->faults += weft_reduce(c->self, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, &sum) != WEFT_BUSY;
        c->faults += !sorts(c->other);
    }
    usleep(1000 * (useconds_t)c->pause);
    c->run(&b);
    c->faults += atomic_load(&b.changed) != 0;
}

static crew new_crew(method *how, int threads) {
    return (crew){.run = how, .caller = pthread_self(), .upward = rounds_up(), .threads = threads};
}

/* -------------------------------------------------------------------------------- the methods */

static void in_order(batch *b) {
    for (size_t i = 0; i < b->count; i++) b->task(b->arg, i);
}

static void backwards(batch *b) {
    for (size_t i = b->count; i > 0; i--) b->task(b->arg, i - 1);
}

static void only_last(batch *b) { b->task(b->arg, b->count - 1); }

static void none(batch *b) { (void)b; }

/* Runs one task in a mode that is not the one of weft. */
static void *run_one(void *argument) {
    batch *const b = argument;
    fesetround(FE_UPWARD);
    b->task(b->arg, __atomic_fetch_add(&b->next, 1, __ATOMIC_RELAXED));
    if (!rounds_up()) atomic_fetch_add(&b->changed, 1);
    return NULL;
}

static void on_threads(batch *b) {
    pthread_t threads[TASKS_MAX];
    size_t started = 0;
    while (started < b->count && pthread_create(&threads[started], NULL, run_one, b) == 0) started++;
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

static const struct {
    const char *name;
    method *run;
} methods[] = {{"in order", in_order},
               {"backwards", backwards},
               {"the last task", only_last},
               {"no task", none},
               {"on threads", on_threads}};
enum { METHODS = sizeof methods / sizeof *methods };

/* ------------------------------------------------------------------------------------ results */

static void set(weft_context *ctx, crew *c) {
    const weft_executor executor = {sizeof executor, c, run};
    EXPECT_STATUS(ctx, weft_set_threads(ctx, c->threads), WEFT_OK);
    EXPECT_STATUS(ctx, weft_set_executor(ctx, &executor), WEFT_OK);
}

static void check_bits(weft_context *ctx, const char *name) {
    for (size_t i = 0; i < every_count(); i++) {
        uint64_t found = 0;
        EXPECT_STATUS(ctx, every_run(ctx, i, &found), WEFT_OK);
        EXPECT(found == wanted[i], "%s: other bits with an executor: %s", every_name(i), name);
    }
}

static void every_operation(weft_context *ctx, int threads) {
    for (int m = 0; m < METHODS; m++) {
        crew c = new_crew(methods[m].run, threads);
        set(ctx, &c);
        check_bits(ctx, methods[m].name);
        EXPECT(c.runs > 0 && c.faults == 0, "%s: %d calls, %d of them wrong", methods[m].name, c.runs, c.faults);
    }
}

/* Checks that `run` has the mode of the caller, and that weft's own threads are restored. */
static void modes(weft_context *ctx) {
    fesetround(FE_UPWARD);
    crew c = new_crew(on_threads, 3);
    set(ctx, &c);
    check_bits(ctx, "upward rounding");
    EXPECT(rounds_up(), "the mode of the caller changed");
    fesetround(FE_TONEAREST);
    const int runs = c.runs;
    EXPECT(runs > 0 && c.faults == 0, "%d calls, %d of them wrong", runs, c.faults);
    EXPECT_STATUS(ctx, weft_set_executor(ctx, NULL), WEFT_OK);
    check_bits(ctx, "none");
    EXPECT(c.runs == runs, "the executor was called after it was removed");
}

/* Checks that `run` has the mode of the operation's caller if an earlier call was made in another mode. */
static void changed_modes(weft_context *ctx) {
    crew c = new_crew(in_order, 3);
    set(ctx, &c);
    for (size_t i = 0; i < every_count(); i++) {
        uint64_t found = 0;
        c.upward = false;
        EXPECT_STATUS(ctx, every_run(ctx, 0, &found), WEFT_OK);
        c.upward = true;
        fesetround(FE_UPWARD);
        const weft_status status = every_run(ctx, i, &found);
        fesetround(FE_TONEAREST);
        EXPECT_STATUS(ctx, status, WEFT_OK);
        EXPECT(found == wanted[i] && c.faults == 0, "%s: other bits, or %d wrong calls", every_name(i), c.faults);
        c.faults = 0;
    }
    EXPECT_STATUS(ctx, weft_set_executor(ctx, NULL), WEFT_OK); /* c is gone */
}

/* Checks calls with another context in `run`, as a thread makes that executes other work of the program. */
static void nested(weft_context *ctx, const char *device) {
    weft_context *other;
    if (!EXPECT_STATUS(NULL, weft_open(&other, device), WEFT_OK)) return;
    crew inner = new_crew(on_threads, 2), outer = new_crew(on_threads, 3);
    set(other, &inner);
    for (size_t i = 0; i < N; i++) x[i] = (float)(i * 7919 % 100003);
    EXPECT_STATUS(other, weft_sort(other, WEFT_ASCENDING, WEFT_F32, N, x, sorted), WEFT_OK);
    outer.self = ctx;
    outer.other = other;
    set(ctx, &outer);
    check_bits(ctx, "with calls of another context");
    EXPECT(outer.runs > 0 && inner.runs > 0, "%d and %d calls", outer.runs, inner.runs);
    EXPECT(outer.faults == 0 && inner.faults == 0, "%d and %d wrong calls", outer.faults, inner.faults);
    weft_close(other);
}

typedef struct caller {
    weft_context *ctx;
    int wrong;
} caller;

static void *call_all(void *argument) {
    caller *const a = argument;
    crew c = new_crew(on_threads, 3);
    const weft_executor executor = {sizeof executor, &c, run};
    a->wrong = weft_set_threads(a->ctx, c.threads) != WEFT_OK || weft_set_executor(a->ctx, &executor) != WEFT_OK;
    for (size_t i = 0; i < every_count(); i++) {
        uint64_t found = 0;
        a->wrong += every_run(a->ctx, i, &found) != WEFT_OK || found != wanted[i];
    }
    a->wrong += c.faults + (c.runs == 0);
    return NULL;
}

/* Several threads use contexts with executors at the same time. */
static void several(const char *device) {
    pthread_t threads[CALLERS];
    caller callers[CALLERS] = {{0}};
    for (int i = 0; i < CALLERS; i++)
        if (!EXPECT_STATUS(NULL, weft_open(&callers[i].ctx, device), WEFT_OK)) return;
    for (int i = 0; i < CALLERS; i++)
        EXPECT(pthread_create(&threads[i], NULL, call_all, &callers[i]) == 0, "no thread");
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        EXPECT(callers[i].wrong == 0, "caller %d: %d wrong results or calls", i, callers[i].wrong);
        weft_close(callers[i].ctx);
    }
}

/* ---------------------------------------------------------------------- progress, cancellation */

typedef struct seen {
    pthread_t thread;
    int calls, cancel_at; /* number of the call that cancels, from 1; 0: none */
    uint64_t done;
    bool wrong; /* another thread, less done than before, or more done than the total */
} seen;

static int watch(void *user, uint64_t done, uint64_t total) {
    seen *const s = user;
    s->wrong |= !pthread_equal(s->thread, pthread_self()) || done < s->done || (total && done > total);
    s->done = done;
    return ++s->calls == s->cancel_at;
}

/* Cancels each operation at its beginning, and a long one during its work. */
static void cancel(weft_context *ctx) {
    enum { SIDE = 40, POINTS = SIDE * SIDE * SIDE };
    static float grid[POINTS], result[POINTS];
    for (int m = 0; m < METHODS; m++) {
        uint64_t found;
        crew c = new_crew(methods[m].run, 3);
        seen inside = {.thread = pthread_self(), .cancel_at = 3};
        set(ctx, &c);
        for (size_t i = 0; i < every_count(); i++) {
            seen first = {.thread = pthread_self(), .cancel_at = 1};
            EXPECT_STATUS(ctx, weft_set_progress(ctx, watch, &first), WEFT_OK);
            EXPECT_STATUS(ctx, every_run(ctx, i, &found), WEFT_CANCELLED);
        }
        c.pause = 60; /* then the callback is due when the tasks start */
        EXPECT_STATUS(ctx, weft_set_progress(ctx, watch, &inside), WEFT_OK);
        EXPECT_STATUS(ctx, weft_laplace(ctx, WEFT_F32, SIDE, SIDE, SIDE, (size_t)1 << 40, grid, result, NULL),
                      WEFT_CANCELLED);
        EXPECT(inside.calls == 3 && !inside.wrong, "%s: %d calls, or wrong ones", methods[m].name, inside.calls);
        EXPECT_STATUS(ctx, weft_set_progress(ctx, NULL, NULL), WEFT_OK);
        c.pause = 0;
        check_bits(ctx, "after cancelled calls");
        EXPECT(c.faults == 0, "%s: %d wrong calls", methods[m].name, c.faults);
    }
    EXPECT_STATUS(ctx, weft_set_executor(ctx, NULL), WEFT_OK); /* c is gone */
}

/* --------------------------------------------------------------------------------- arguments, fork */

static void arguments(weft_context *ctx) {
    weft_executor executor = {sizeof executor, NULL, NULL};
    EXPECT(weft_set_executor(NULL, &executor) == WEFT_INVALID, "a context that is NULL");
    EXPECT_ERROR(ctx, weft_set_executor(ctx, &executor), WEFT_INVALID, "executor->run is NULL");
    executor.size = 8;
    EXPECT_ERROR(ctx, weft_set_executor(ctx, &executor), WEFT_INVALID, "executor->size is 8");
}

static void on_ref(void) {
    weft_context *ref;
    const weft_executor executor = {sizeof executor, NULL, run};
    if (!EXPECT_STATUS(NULL, weft_open(&ref, "ref"), WEFT_OK)) return;
    EXPECT_ERROR(ref, weft_set_executor(ref, &executor), WEFT_UNSUPPORTED, "a ref context has no executor");
    EXPECT_ERROR(ref, weft_set_executor(ref, NULL), WEFT_UNSUPPORTED, "a ref context has no executor");
    weft_close(ref);
}

/* Runs the child's checks and ends the child. */
static void child(weft_context *old, const crew *before, const char *device) {
    weft_context *ctx;
    uint64_t found;
    crew c = new_crew(in_order, 3);
    alarm(60);
    expect_failures = 0;
    EXPECT_STATUS(old, every_run(old, 0, &found), WEFT_FORKED);
    EXPECT(before->runs == 0, "the executor of the parent was called");
    if (EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) {
        set(ctx, &c);
        check_bits(ctx, "in a child process");
        weft_close(ctx);
    }
    weft_close(old);
    fflush(stdout);
    _exit(expect_failures != 0);
}

static void forking(weft_context *ctx, const char *device) {
    crew c = new_crew(on_threads, 3);
    int status = 0;
    set(ctx, &c);
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) child(ctx, &c, device);
    EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid, "no child");
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status 0x%x", status);
    check_bits(ctx, "in the parent");
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    weft_context *ctx;
    every_prepare();
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return expect_end();
    if (strcmp(device, "ref") != 0) {
        EXPECT_STATUS(ctx, weft_set_threads(ctx, 1), WEFT_OK);
        for (size_t i = 0; i < every_count(); i++) EXPECT_STATUS(ctx, every_run(ctx, i, &wanted[i]), WEFT_OK);
        every_operation(ctx, 2);
        every_operation(ctx, TASKS_MAX);
        modes(ctx);
        changed_modes(ctx);
        nested(ctx, device);
        several(device);
        cancel(ctx);
        forking(ctx, device);
        arguments(ctx);
    }
    on_ref();
    weft_close(ctx);
    return expect_end();
}
