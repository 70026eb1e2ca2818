/* Tests how many threads a call uses: WEFT_THREAD_BYTES states the minimum number of bytes for each; without it, or
 * if it is not a number, the library's own value applies. Each case runs in a child process, because the variable is
 * read once. The argument is the device's name. */
#include "tests/every.h"
#include "tests/expect.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 17, CALLERS = 3, N = 1 << 19, USUAL = 1 << 16 };

static const char *device;
static float x[N];
static uint64_t wanted[EVERY_MAX]; /* bits of each operation with one thread */

/* -------------------------------------------------------------------------- number of tasks */

static void run(void *user, size_t count, void (*task)(void *arg, size_t index), void *arg) {
    size_t *const most = user;
    if (count > *most) *most = count;
    for (size_t i = 0; i < count; i++) task(arg, i);
}

/* Returns the number of threads for the largest of n elements, which is work like that on 2 n bytes. */
static size_t threads_for(weft_context *ctx, size_t n) {
    size_t tasks = 1;
    float largest;
    uint64_t index;
    const weft_executor executor = {sizeof executor, &tasks, run};
    EXPECT_STATUS(ctx, weft_set_executor(ctx, &executor), WEFT_OK);
    EXPECT_STATUS(ctx, weft_top_k(ctx, WEFT_LARGEST, WEFT_F32, n, x, 1, &largest, &index), WEFT_OK);
    EXPECT_STATUS(ctx, weft_set_executor(ctx, NULL), WEFT_OK);
    return tasks;
}

static void expect_threads(weft_context *ctx, size_t n, size_t whole) {
    const size_t threads = whole < 2 ? 1 : whole < THREADS ? whole : THREADS, found = threads_for(ctx, n);
    EXPECT(found == threads, "%zu threads for %zu elements, expected %zu", found, n, threads);
}

/* Counts threads for multiples of `bytes`, for one element less, and for all elements. */
static void count_threads(weft_context *ctx, size_t bytes) {
    static const size_t wholes[] = {1, 2, 3, 6, 16, 17, 18, 64};
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        for (size_t less = 0; less < 2; less++) {
            const size_t n = wholes[i] * bytes / 2 - less;
            if (n <= N) expect_threads(ctx, n, wholes[i] - less);
        }
    expect_threads(ctx, N, 2 * (size_t)N / bytes);
}

/* Checks that a sum uses several threads for all elements, but one for less than `least`. */
static void expect_reduction(weft_context *ctx, size_t least) {
    const size_t counts[] = {least - 1, N};
    for (size_t i = 0; i < 2; i++) {
        size_t tasks = 1;
        double sum;
        const weft_executor executor = {sizeof executor, &tasks, run};
        EXPECT_STATUS(ctx, weft_set_executor(ctx, &executor), WEFT_OK);
        EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_MEAN, WEFT_F32, WEFT_DEFAULT, counts[i], x, &sum), WEFT_OK);
        EXPECT_STATUS(ctx, weft_set_executor(ctx, NULL), WEFT_OK);
        EXPECT((tasks > 1) == (i == 1), "mean of %zu elements: %zu threads", counts[i], tasks);
    }
}

static size_t threads_of_process(void) {
    DIR *const all = opendir("/proc/self/task");
    size_t count = 0;
    while (all && readdir(all)) count++;
    if (all) closedir(all);
    return count;
}

/* Checks that the library starts threads of its own for two times `bytes`. */
static void start_threads(weft_context *ctx, size_t bytes) {
    const size_t before = threads_of_process();
    float largest;
    EXPECT_STATUS(ctx, weft_top_k(ctx, WEFT_LARGEST, WEFT_F32, bytes, x, 1, &largest, NULL), WEFT_OK);
    EXPECT(threads_of_process() > before, "no thread was started for %zu elements", bytes);
}

/* ------------------------------------------------------------------------------ equal bits */

/* Runs every operation after a pause, in which the library's threads fall asleep. */
static int run_all(weft_context *ctx, int threads) {
    int wrong = weft_set_threads(ctx, threads) != WEFT_OK;
    for (size_t i = 0; i < every_count(); i++) {
        uint64_t found = 0;
        usleep(200);
        wrong += every_run(ctx, i, &found) != WEFT_OK || found != wanted[i];
    }
    return wrong;
}

static void *call_all(void *unused) {
    static const int threads[] = {2, 7};
    weft_context *ctx;
    uintptr_t wrong = weft_open(&ctx, device) != WEFT_OK;
    for (size_t i = 0; i < 2 && !wrong; i++) wrong += (uintptr_t)run_all(ctx, threads[i]);
    weft_close(ctx);
    (void)unused;
    return (void *)wrong;
}

/* Several threads make the calls whose wakes are measured. */
static void same_bits(void) {
    pthread_t callers[CALLERS];
    for (int i = 0; i < CALLERS; i++) EXPECT(pthread_create(&callers[i], NULL, call_all, NULL) == 0, "no thread");
    for (int i = 0; i < CALLERS; i++) {
        void *wrong;
        pthread_join(callers[i], &wrong);
        EXPECT(!wrong, "caller %d: %d wrong results", i, (int)(uintptr_t)wrong);
    }
}

/* ------------------------------------------------------------------------------------ cases */

/* Checks one case in the child process. Also runs every operation without a value and with a small one. */
static void check(const char *value, size_t bytes) {
    weft_context *ctx;
    const bool every = !value || bytes < USUAL;
    if (value)
        setenv("WEFT_THREAD_BYTES", value, 1);
    else
        unsetenv("WEFT_THREAD_BYTES");
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return;
    EXPECT_STATUS(ctx, weft_set_threads(ctx, THREADS), WEFT_OK);
    if (strcmp(device, "ref") != 0) {
        if (bytes < USUAL) start_threads(ctx, bytes);
        count_threads(ctx, bytes);
        if (bytes <= USUAL) expect_reduction(ctx, bytes < USUAL ? bytes : 8 * (size_t)bytes);
    }
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 1), WEFT_OK);
    for (size_t i = 0; i < every_count() && every; i++) EXPECT_STATUS(ctx, every_run(ctx, i, &wanted[i]), WEFT_OK);
    weft_close(ctx);
    if (every) same_bits();
}

/* Checks in a child process that, with this value of the variable, threads have at least `bytes` bytes. */
static void with_value(const char *value, size_t bytes) {
    int status = 0;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(120);
        expect_failures = 0;
        check(value, bytes);
        fflush(stdout);
        _exit(expect_failures != 0);
    }
    EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid, "no child");
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "WEFT_THREAD_BYTES=%s: the child ended with 0x%x",
           value ? value : "(none)", status);
}

int main(int argc, char **argv) {
    device = argc > 1 ? argv[1] : "cpu";
    every_prepare();
    for (size_t i = 0; i < N; i++) x[i] = (float)(i * 7919 % 100003);
    with_value(NULL, USUAL);
    if (strcmp(device, "ref") == 0) return expect_end();
    with_value("4096", 4096);
    with_value("1024", 1024);
    with_value("1000000000", 1000000000);
    with_value("1023", USUAL);
    with_value("-1", USUAL);
    with_value("64k", USUAL);
    with_value("", USUAL);
    return expect_end();
}
