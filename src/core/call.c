/* The frame in which every call on a context runs: entering and leaving, progress, the error of a thread. */
#include "core/context.h"

#include <pthread.h>

static _Thread_local weft_error thread_error;

weft_error *context_thread_error(void) { return &thread_error; }

/* ------------------------------------------------------------- entering and leaving a call */

/* Counts fork()s on the child's side, so that a context knows it was opened by another process. */
static unsigned generation;
static void count_fork(void) { generation++; }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

unsigned context_generation(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    return generation;
}

weft_status context_enter(weft_context *ctx) {
    if (!ctx) return weft_fail(&thread_error, WEFT_INVALID, "ctx is NULL");
    if (atomic_flag_test_and_set(&ctx->inside)) return WEFT_BUSY;
    weft_status status = WEFT_OK;
    if (ctx->generation != generation)
        status = weft_fail(&ctx->error, WEFT_FORKED,
                           "this context was opened before fork(); open a new one in the child process");
    else if (ctx->lost)
        status = WEFT_DEVICE_LOST; /* the sentence of the fault itself stays */
    else
        ctx->error.message[0] = '\0';
    if (status != WEFT_OK) atomic_flag_clear(&ctx->inside);
    return status;
}

static _Thread_local weft_watch *current; /* watch of the call that the thread is inside, or NULL */

weft_watch *context_watch(void) { return current; }

weft_status context_begin(weft_context *ctx) {
    FORWARD(progress_begin(&ctx->watch, &ctx->error));
    if (ctx->watch.depth > 1) return WEFT_OK;
    ctx->watch.outer = current;
    current = &ctx->watch;
    return WEFT_OK;
}

weft_status context_end(weft_context *ctx, weft_status status) {
    if (ctx->watch.depth == 1) current = ctx->watch.outer;
    return progress_end(&ctx->watch, status, &ctx->error);
}

weft_status context_leave(weft_context *ctx, weft_fpmode mode, weft_status status) {
    weft_fpmode_leave(mode);
    if (status == WEFT_DEVICE_LOST) ctx->lost = true;
    atomic_flag_clear(&ctx->inside);
    return status;
}
