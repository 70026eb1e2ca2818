/* What a context is, and the frame that every call on one runs in. */
#ifndef WEFT_CORE_CONTEXT_H
#define WEFT_CORE_CONTEXT_H

#include "core/backend.h"
#include "core/fpmode.h"
#include "core/watch.h"

#include <stdatomic.h>

/* Memory that a call with sources leaves to the next one. */
typedef struct kept_buffer {
    weft_memory memory;
    size_t bytes;
    void *p; /* or NULL */
} kept_buffer;

enum { KEPT_BUFFERS = 16 };

struct weft_context {
    const weft_backend *backend;
    void *state;
    atomic_flag inside;             /* set while a call runs */
    unsigned generation;            /* of the process, when it was opened */
    bool lost;                      /* the device failed: every later call says so */
    weft_watch watch;               /* progress of the call that runs */
    size_t memory;                  /* for the buffers of calls with sources; 0: the default */
    weft_timeline *timeline;        /* of what they do, or NULL */
    void *origin;                   /* the transfer that it counts from */
    kept_buffer kept[KEPT_BUFFERS]; /* of a GPU's context */
    struct weft_context *joins;     /* of a GPU's context: the specification, for a few values; NULL until needed */
    weft_error error;
    weft_error tuning; /* why the file of what was tuned is not used, or "" */
};

/* For failures that belong to no context: this thread's. */
weft_error *context_thread_error(void);

/* Number of fork() calls between the program's first process and this one. */
unsigned context_generation(void);

/* Chooses what was tuned on this device (tune.c); what keeps it from that is left in ctx->tuning. */
void context_tune(weft_context *ctx);

/* The first and the last thing every call on a context does. */
weft_status context_enter(weft_context *ctx);
weft_status context_leave(weft_context *ctx, weft_fpmode mode, weft_status status);

/* Runs `call`, an expression in ctx and error, between enter and leave, and returns its status. */
#define GUARDED_SETUP(ctx, call)                      \
    do {                                              \
        FORWARD(context_enter(ctx));                  \
        const weft_fpmode mode = weft_fpmode_enter(); \
        weft_error *error = &(ctx)->error;            \
        return context_leave(ctx, mode, (call));      \
    } while (0)

/* The first and the last thing of an operation: its progress. context_end is due unless context_begin fails. */
weft_status context_begin(weft_context *ctx);
weft_status context_end(weft_context *ctx, weft_status status);

/* GUARDED_SETUP for operations, whose progress is reported and which can be cancelled. */
#define GUARDED(ctx, call) \
    GUARDED_SETUP(ctx, context_begin(ctx) == WEFT_OK ? context_end(ctx, (call)) : WEFT_CANCELLED)

#endif
