/* The context, and the functions that begin and end every call on it. */
#ifndef WEFT_CORE_CONTEXT_H
#define WEFT_CORE_CONTEXT_H

#include "core/backend.h"
#include "core/fpmode.h"
#include "core/watch.h"

#include <stdatomic.h>

/* Buffer that a call with sources leaves for reuse by the next one. */
typedef struct kept_buffer {
    weft_memory memory;
    size_t bytes;
    void *p; /* or NULL */
} kept_buffer;

enum { KEPT_BUFFERS = 16 };

/* Scratch memory of operations that call other operations. */
typedef enum context_use { SCRATCH_ROWS, SCRATCH_ARRAY, SCRATCH_FFT, SCRATCH_USES } context_use;

typedef struct fft_plans fft_plans; /* core/fft_plan.h */

struct weft_context {
    const weft_backend *backend;
    void *state;
    weft_heap heap;                    /* memory of the caller's allocator */
    atomic_flag inside;                /* set while a call is running */
    unsigned generation;               /* number of fork() calls when the context was opened (context_generation) */
    bool lost;                         /* the device failed: every later call returns WEFT_DEVICE_LOST */
    weft_watch watch;                  /* progress of the running call */
    struct weft_context **current;     /* the calling thread's variable `current` (call.c); set during a call */
    struct weft_context *outer;        /* context of the enclosing call on this thread, or NULL */
    weft_executor executor;            /* run == NULL: the pool of the backend "cpu" */
    weft_fpmode mode;                  /* floating-point mode of the caller of the outermost call */
    size_t memory;                     /* bytes for the buffers of calls with sources; 0: the default */
    weft_timeline *timeline;           /* records the activities of calls with sources; or NULL */
    void *origin;                      /* transfer at time 0 of the timeline; or NULL */
    kept_buffer kept[KEPT_BUFFERS];    /* buffers of a GPU context */
    kept_buffer scratch[SCRATCH_USES]; /* of context_scratch */
    fft_plans *transforms;             /* tables of transforms; NULL until needed */
    /* For GPU contexts: a "ref" context that combines small numbers of values. NULL until needed. */
    struct weft_context *combiner;
    weft_error error;
    weft_error tuning; /* reason why an existing tuning file is not used, or "" */
};

/* The cuda backend if a context or a query has already loaded it, else NULL. */
extern _Atomic(const weft_backend *) weft_plugin;

/* Returns the calling thread's error, for failures that belong to no context. */
weft_error *context_thread_error(void);

/* Returns the number of fork() calls between the program's first process and this one. */
unsigned context_generation(void);

/* Selects the variants that were tuned for this device (tune.c). If the tuning file cannot be used, writes the
 * reason to ctx->tuning. */
void context_tune(weft_context *ctx);

/* Provides `bytes` bytes of device memory for one use during a call. The context keeps it for later calls. */
weft_status context_scratch(weft_context *ctx, context_use use, size_t bytes, void **p, weft_error *error);

/* Begin and end every call on a context. */
weft_status context_enter(weft_context *ctx);
/* Enters weft's floating-point mode. Returns the caller's mode, which the outermost call stores for its executor. */
weft_fpmode context_enter_mode(weft_context *ctx);
weft_status context_leave(weft_context *ctx, weft_fpmode mode, weft_status status);

/* Runs `call`, an expression that uses ctx and error, between context_enter and context_leave; returns its
 * status. */
#define RETURN_GUARDED_SETUP(ctx, call)                         \
    do {                                                        \
        RETURN_IF_ERROR(context_enter(ctx));                    \
        const weft_fpmode saved_mode = context_enter_mode(ctx); \
        weft_error *error = &(ctx)->error;                      \
        return context_leave(ctx, saved_mode, (call));          \
    } while (0)

/* Begin and end the progress reporting of an operation. context_end must be called if and only if context_begin
 * returns WEFT_OK. */
weft_status context_begin(weft_context *ctx);
weft_status context_end(weft_context *ctx, weft_status status);

/* Begin and end an operation, which reports progress and can be cancelled: context_enter, context_enter_mode and
 * context_begin, or context_end and context_leave, in one call. context_finish must be called if and only if
 * context_start returns WEFT_OK. */
weft_status context_start(weft_context *ctx, weft_fpmode *mode);
weft_status context_finish(weft_context *ctx, weft_fpmode mode, weft_status status);

/* RETURN_GUARDED_SETUP for operations. */
#define RETURN_GUARDED(ctx, call)                         \
    do {                                                  \
        weft_fpmode saved_mode;                           \
        RETURN_IF_ERROR(context_start(ctx, &saved_mode)); \
        weft_error *error = &(ctx)->error;                \
        return context_finish(ctx, saved_mode, (call));   \
    } while (0)

#endif
