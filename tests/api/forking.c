/* Tests that a context cannot be used after fork() in the child, that the child can open its own, and that the
 * parent's context continues to work. */
#include "tests/expect.h"
#include "verify/inputs.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 500009 };
static float x[N];

static uint64_t sum(weft_context *ctx, weft_status wanted) {
    uint64_t out = 0;
    EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, &out), wanted);
    return out;
}

/* Runs the child's checks and ends the child. */
static void child(weft_context *old, uint64_t wanted) {
    weft_context *ctx;
    void *p = NULL;
    alarm(60);
    EXPECT(sum(old, WEFT_FORKED) == 0, "an output was written");
    EXPECT_ERROR(old, weft_synchronize(old), WEFT_FORKED, "opened before fork()");
    EXPECT_STATUS(old, weft_alloc(old, WEFT_DEVICE, 8, &p), WEFT_FORKED);
    weft_close(old);
    for (int threads = 0; threads <= 4; threads += 2) {
        if (!EXPECT_STATUS(NULL, weft_open(&ctx, "cpu"), WEFT_OK)) break;
        EXPECT_STATUS(ctx, weft_set_threads(ctx, threads), WEFT_OK);
        const uint64_t found = sum(ctx, WEFT_OK);
        EXPECT(found == wanted, "the child has 0x%llx, the parent 0x%llx", (unsigned long long)found,
               (unsigned long long)wanted);
        weft_close(ctx);
    }
    fflush(stdout);
    _exit(expect_failures != 0);
}

int main(void) {
    weft_context *ctx;
    int status = 0;
    input_fill(INPUT_MIXED, WEFT_F32, 1, N, x);
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, "cpu"), WEFT_OK)) return expect_end();
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 4), WEFT_OK);
    const uint64_t wanted = sum(ctx, WEFT_OK); /* starts the threads before fork */
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) child(ctx, wanted);
    EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid, "no child");
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status 0x%x", status);
    EXPECT(sum(ctx, WEFT_OK) == wanted, "the parent's context changed");
    weft_close(ctx);
    return expect_end();
}
