/* Beginning and end of every call on a context: entering and leaving, progress, per-thread errors. */
#include "core/context.h"
#include "core/executor.h"

#include <pthread.h>

static _Thread_local weft_error thread_error;

weft_error *context_thread_error(void) { return &thread_error; }

/* ------------------------------------------------------------- entering and leaving a call */

/* Number of fork() calls, counted in the child, so that a context can detect that another process opened it. */
static unsigned generation;
static void count_fork(void) { generation++; }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

unsigned context_generation(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    return generation;
}

/* Fails for a context on which no call is possible. */
static __attribute__((noinline, cold)) weft_status refuse(weft_context *ctx) {
    weft_status status = WEFT_DEVICE_LOST; /* the message of the original failure is kept */
    if (ctx->generation != generation)
        status = weft_fail(&ctx->error, WEFT_FORKED,
                           "this context was opened before fork(); open a new one in the child process");
    atomic_flag_clear_explicit(&ctx->inside, memory_order_release);
    return status;
}

weft_status context_enter(weft_context *ctx) {
    if (!ctx) return weft_fail(&thread_error, WEFT_INVALID, "ctx is NULL");
    if (atomic_flag_test_and_set_explicit(&ctx->inside, memory_order_acquire)) return WEFT_BUSY;
    if (ctx->generation != generation || ctx->lost) return refuse(ctx);
    ctx->error.message[0] = '\0';
    return WEFT_OK;
}

weft_fpmode context_enter_mode(weft_context *ctx) {
    const weft_fpmode mode = weft_fpmode_enter();
    if (ctx->watch.depth == 0) ctx->mode = mode;
    return mode;
}

static _Thread_local weft_context *current; /* context of the innermost call on this thread, or NULL */

weft_watch *context_watch(void) { return current ? &current->watch : NULL; }

const weft_executor *context_executor(weft_fpmode *mode) {
    if (!current || !current->executor.run) return NULL;
    *mode = current->mode;
    return &current->executor;
}

static inline weft_status begin(weft_context *ctx) {
    RETURN_IF_ERROR(progress_begin(&ctx->watch, &ctx->error));
    if (ctx->watch.depth > 1) return WEFT_OK;
    ctx->current = &current;
    ctx->outer = current;
    current = ctx;
    return WEFT_OK;
}

weft_status context_begin(weft_context *ctx) { return begin(ctx); }

weft_status context_end(weft_context *ctx, weft_status status) {
    if (ctx->watch.depth == 1) *ctx->current = ctx->outer;
    return progress_end(&ctx->watch, status, &ctx->error);
}

weft_status context_leave(weft_context *ctx, weft_fpmode mode, weft_status status) {
    weft_fpmode_leave(mode);
    if (status == WEFT_DEVICE_LOST) ctx->lost = true;
    atomic_flag_clear_explicit(&ctx->inside, memory_order_release);
    return status;
}

weft_status context_start(weft_context *ctx, weft_fpmode *mode) {
    RETURN_IF_ERROR(context_enter(ctx));
    *mode = context_enter_mode(ctx);
    const weft_status status = begin(ctx);
    return status == WEFT_OK ? WEFT_OK : context_leave(ctx, *mode, status);
}

weft_status context_finish(weft_context *ctx, weft_fpmode mode, weft_status status) {
    return context_leave(ctx, mode, context_end(ctx, status));
}
