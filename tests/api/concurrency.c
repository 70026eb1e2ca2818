/* Tests that contexts used by several threads concurrently give identical bits, and that one context used by two
 * threads returns WEFT_BUSY. The argument is the device's name. */
#include "tests/every.h"
#include "tests/expect.h"
#include "verify/inputs.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
enum { WITH_TSAN = 1 };
#else
enum { WITH_TSAN = 0 };
#endif
#else
enum { WITH_TSAN = 0 };
#endif
enum { N = EVERY_N, CALLERS = 4, CROWD = 8, CROWD_THREADS = 7, ROUNDS = 10, ANSWERS = 20, SIDE = 70 };
static float x[N];
static uint8_t heads[N];

typedef struct answers {
    uint64_t bits[ANSWERS];
    weft_status status;
} answers;

static void note(answers *a, weft_status status) {
    if (status != WEFT_OK) a->status = status;
}

static answers ask(weft_context *ctx) {
    static _Thread_local float z[N];
    answers a = {.status = WEFT_OK};
    int k = 0;
    note(&a, weft_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, &a.bits[k++]));
    note(&a, weft_reduce(ctx, WEFT_NORM2, WEFT_F32, WEFT_F64, N, x, &a.bits[k++]));
    note(&a, weft_reduce(ctx, WEFT_ARGMAX, WEFT_F32, WEFT_DEFAULT, N, x, &a.bits[k++]));
    note(&a, weft_dot(ctx, WEFT_F32, WEFT_DEFAULT, N, x, x, &a.bits[k++]));
    note(&a, weft_variance(ctx, WEFT_F32, WEFT_DEFAULT, N, 1, x, &a.bits[k++]));
    note(&a, weft_scan(ctx, WEFT_SUM, WEFT_EXCLUSIVE, WEFT_F32, WEFT_DEFAULT, N, x, NULL, z));
    note(&a, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, N, z, &a.bits[k++]));
    note(&a, weft_partition_if(ctx, WEFT_GT, WEFT_F32, N, x, x, z, &a.bits[k++]));
    note(&a, weft_reduce(ctx, WEFT_ARGMAX, WEFT_F32, WEFT_DEFAULT, N, z, &a.bits[k++]));
    note(&a, weft_segmented_scan_heads(ctx, WEFT_SUM, WEFT_EXCLUSIVE, WEFT_F32, WEFT_DEFAULT, N, x, heads, z));
    note(&a, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, N, z, &a.bits[k++]));
    note(&a, weft_recurrence(ctx, WEFT_FORWARD, WEFT_F32, 1, N, x, x, NULL, z));
    note(&a, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, N, z, &a.bits[k++]));
    const float lower = -1, upper = 1;
    uint64_t counts[50];
    note(&a, weft_histogram_even(ctx, WEFT_F32, N, x, 50, &lower, &upper, counts));
    for (int i = 0; i < 50; i++) a.bits[k] = a.bits[k] * 31 + counts[i];
    k++;
    note(&a, weft_fft(ctx, WEFT_C2C, WEFT_F32, 1, 1 << 16, x, z));
    note(&a, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, 1 << 17, z, &a.bits[k++]));
    note(&a, weft_convolve(ctx, WEFT_SAME, WEFT_F32, WEFT_REAL, 1 << 17, x, 300, x, z));
    note(&a, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, 1 << 17, z, &a.bits[k++]));
    note(&a, weft_top_k(ctx, WEFT_SMALLEST, WEFT_F32, N, x, 1, z, &a.bits[k++]));
    note(&a, weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, WEFT_F32, WEFT_DEFAULT, SIDE,
                         SIDE, SIDE, NULL, x, SIDE, x, SIDE, NULL, z, SIDE));
    note(&a, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, SIDE * SIDE, z, &a.bits[k++]));
    note(&a, weft_random(ctx, WEFT_UNIFORM, WEFT_F32, 1, 2, 3, N, 0, 1, z));
    note(&a, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, N, z, &a.bits[k++]));
    note(&a, weft_argsort(ctx, WEFT_ASCENDING, WEFT_F32, WEFT_U32, N, x, z));
    memcpy(&a.bits[k], z + N / 2, sizeof a.bits[k]);
    k++;
    const weft_binding binding = {"x", WEFT_F32, x, NULL};
    weft_expr *expr = NULL;
    note(&a, weft_expr_compile(ctx, "x*x + 0.1*x", &expr));
    note(&a, weft_map(ctx, expr, WEFT_F32, N, &binding, 1, z));
    note(&a, weft_reduce(ctx, WEFT_XOR, WEFT_U32, WEFT_DEFAULT, N, z, &a.bits[k++]));
    note(&a, weft_map_reduce(ctx, WEFT_SUM, expr, WEFT_F32, WEFT_DEFAULT, N, &binding, 1, &a.bits[k++]));
    weft_expr_free(expr);
    return a;
}

/* ---------------------------------------------------------------------- contexts of their own */

typedef struct caller {
    const char *device;
    int threads;
    const answers *wanted;
    int wrong;
} caller;

static void *call_often(void *argument) {
    caller *c = argument;
    for (int round = 0; round < ROUNDS; round++) {
        weft_context *ctx;
        if (weft_open(&ctx, c->device) != WEFT_OK || weft_set_threads(ctx, c->threads) != WEFT_OK) {
            c->wrong++;
            continue;
        }
        const answers found = ask(ctx);
        c->wrong += found.status != WEFT_OK || memcmp(found.bits, c->wanted->bits, sizeof found.bits) != 0;
        weft_close(ctx);
    }
    return NULL;
}

static void own_contexts(const char *device, const answers *wanted) {
    pthread_t threads[CALLERS];
    caller callers[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){device, 1 + i, wanted, 0};
        EXPECT(pthread_create(&threads[i], NULL, call_often, &callers[i]) == 0, "no thread %d", i);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        EXPECT(callers[i].wrong == 0, "caller %d got %d wrong answers of %d", i, callers[i].wrong, ROUNDS);
    }
}

/* ------------------------------------------------------------- more threads than there are cores */

static uint64_t alone[EVERY_MAX];

static void *call_all(void *argument) {
    caller *c = argument;
    weft_context *ctx;
    if (weft_open(&ctx, c->device) != WEFT_OK || weft_set_threads(ctx, c->threads) != WEFT_OK)
        return c->wrong++, NULL;
    for (size_t i = 0; i < every_count(); i++) {
        uint64_t found = 0;
        c->wrong += every_run(ctx, i, &found) != WEFT_OK || found != alone[i];
    }
    weft_close(ctx);
    return NULL;
}

/* Runs every operation in many concurrent callers, each of which requests many threads. */
static void crowd(const char *device) {
    pthread_t threads[CROWD];
    caller callers[CROWD];
    weft_context *ctx;
    every_prepare();
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return;
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 1), WEFT_OK);
    for (size_t i = 0; i < every_count(); i++) EXPECT_STATUS(ctx, every_run(ctx, i, &alone[i]), WEFT_OK);
    weft_close(ctx);
    for (int i = 0; i < CROWD; i++) {
        callers[i] = (caller){device, CROWD_THREADS, NULL, 0};
        EXPECT(pthread_create(&threads[i], NULL, call_all, &callers[i]) == 0, "no thread %d", i);
    }
    for (int i = 0; i < CROWD; i++) {
        pthread_join(threads[i], NULL);
        EXPECT(callers[i].wrong == 0, "caller %d of the crowd got %d wrong answers", i, callers[i].wrong);
    }
}

/* ---------------------------------------------------------------------- one context for two */

typedef struct shared {
    weft_context *ctx;
    atomic_bool stop;
    atomic_int strange; /* number of statuses other than OK and BUSY */
    atomic_int busy;
} shared;

static void *intrude(void *argument) {
    shared *s = argument;
    while (!atomic_load(&s->stop)) {
        uint64_t out;
        const weft_status status = weft_reduce(s->ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, &out);
        if (status == WEFT_BUSY)
            atomic_fetch_add(&s->busy, 1);
        else if (status != WEFT_OK)
            atomic_fetch_add(&s->strange, 1);
    }
    return NULL;
}

static void one_context(const char *device, const answers *wanted) {
    shared s = {0};
    pthread_t thread;
    if (!EXPECT_STATUS(NULL, weft_open(&s.ctx, device), WEFT_OK)) return;
    EXPECT(pthread_create(&thread, NULL, intrude, &s) == 0, "no thread");
    const time_t start = time(NULL);
    int wrong = 0, busy = 0, answered = 0;
    while ((busy == 0 || atomic_load(&s.busy) == 0 || answered == 0) && time(NULL) < start + 60) {
        uint64_t out = 0;
        const weft_status status = weft_reduce(s.ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, &out);
        busy += status == WEFT_BUSY;
        answered += status == WEFT_OK;
        wrong += status == WEFT_OK ? out != wanted->bits[0] : status != WEFT_BUSY;
    }
    atomic_store(&s.stop, true);
    pthread_join(thread, NULL);
    EXPECT(busy > 0 && atomic_load(&s.busy) > 0, "WEFT_BUSY came %d and %d times in a minute", busy,
           atomic_load(&s.busy));
    EXPECT(wrong == 0 && atomic_load(&s.strange) == 0, "%d answers were wrong, %d strange", wrong,
           atomic_load(&s.strange));
    const answers after = ask(s.ctx);
    EXPECT(after.status == WEFT_OK && memcmp(after.bits, wanted->bits, sizeof after.bits) == 0,
           "the context gives other bits after it was busy");
    weft_close(s.ctx);
}

/* Checks that signals caused by an instruction of a thread reach the program's handler from every thread. If they are
 * blocked, the kernel ends the process. ThreadSanitizer has a thread of its own that blocks them. */
static void synchronous_signals(void) {
    static const int synchronous[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV};
    DIR *tasks = WITH_TSAN ? NULL : opendir("/proc/self/task");
    if (!tasks) return;
    for (struct dirent *task; (task = readdir(tasks));) {
        char path[300], line[256];
        unsigned long long blocked = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = *task->d_name == '.' ? NULL : fopen(path, "r");
        while (status && fgets(line, sizeof line, status)) (void)sscanf(line, "SigBlk: %llx", &blocked);
        if (status) fclose(status);
        for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
            EXPECT(!(blocked >> (synchronous[i] - 1) & 1), "thread %s blocks signal %d", task->d_name,
                   synchronous[i]);
    }
    closedir(tasks);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    weft_context *ref;
    input_fill(INPUT_MIXED, WEFT_F32, 1, N, x);
    for (size_t i = 0; i < N; i++) heads[i] = i % 1013 % 37 == 0;
    if (!EXPECT_STATUS(NULL, weft_open(&ref, "ref"), WEFT_OK)) return expect_end();
    const answers wanted = ask(ref);
    weft_close(ref);
    EXPECT(wanted.status == WEFT_OK, "ref: %s", weft_status_name(wanted.status));
    own_contexts(device, &wanted);
    one_context(device, &wanted);
    if (strcmp(device, "ref") != 0) crowd(device);
    synchronous_signals();
    return expect_end();
}
