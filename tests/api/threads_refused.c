/* Tests that calls use the existing threads, give identical bits, and neither print nor end the program if the system
 * refuses to create threads. This program's pthread_create overrides that of the C library. The argument is the
 * device's name. */
#include "tests/every.h"
#include "tests/expect.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 7, ATTEMPTS_MAX = 200 };

static atomic_int allowed,
    attempts; /* number of threads that may still be created; number of calls of pthread_create */

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                          void *(*start)(void *), void *argument) {
    typedef int creator(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    creator *real;
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    atomic_fetch_add(&attempts, 1);
    return atomic_fetch_sub(&allowed, 1) > 0 ? real(thread, attributes, start, argument) : EAGAIN;
}

static uint64_t wanted[EVERY_MAX];

static void run_all(weft_context *ctx, int threads) {
    EXPECT_STATUS(ctx, weft_set_threads(ctx, threads), WEFT_OK);
    for (size_t i = 0; i < every_count(); i++) {
        uint64_t found = 0;
        EXPECT_STATUS(ctx, every_run(ctx, i, &found), WEFT_OK);
        if (threads == 1) wanted[i] = found;
        EXPECT(found == wanted[i], "%s: other bits with %d threads", every_name(i), threads);
    }
}

/* Runs everything in a child process, in which the library has no threads yet, with stdout and stderr redirected to a
 * file. */
static void with_threads(const char *device, int threads) {
    char name[] = "/tmp/weft-refused-XXXXXX";
    const int file = mkstemp(name);
    int status = 0;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        weft_context *ctx;
        alarm(120);
        dup2(file, 1);
        dup2(file, 2);
        atomic_store(&allowed, threads);
        atomic_store(&attempts, 0);
        if (EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) run_all(ctx, THREADS);
        const int tried = atomic_load(&attempts);
        if (strcmp(device, "ref") != 0)
            EXPECT(tried > 0 && tried < ATTEMPTS_MAX, "%d attempts to create a thread", tried);
        weft_close(ctx);
        exit(expect_failures != 0);
    }
    EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid, "no child");
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "with %d threads the child ended with 0x%x", threads,
           status);
    char text[2000] = "";
    const ssize_t bytes = pread(file, text, sizeof text - 1, 0);
    EXPECT(bytes == 0, "with %d threads this was written: %s", threads, text);
    close(file);
    unlink(name);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    weft_context *ctx;
    every_prepare();
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, device), WEFT_OK)) return expect_end();
    run_all(ctx, 1);
    weft_close(ctx);
    for (int threads = 0; threads <= 3; threads++) with_threads(device, threads);
    return expect_end();
}
