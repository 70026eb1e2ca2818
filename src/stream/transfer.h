/* Copies between host memory and GPU memory that run concurrently with the GPU's work. If a device's memory is host
 * memory, no copies are made and chunks stay in place. */
#ifndef WEFT_STREAM_TRANSFER_H
#define WEFT_STREAM_TRANSFER_H

#include "core/context.h"

/* Maximum number of buffers of a source and of a result. On a GPU, one buffer of a source is filled while a second
 * is copied and a third is worked on. */
enum { TRANSFER_INPUTS = 3, TRANSFER_RESULTS = 2 };

static inline bool transfer_needed(const weft_context *ctx) { return ctx->backend->transfer_open != NULL; }
static inline unsigned transfer_inputs(const weft_context *ctx) { return transfer_needed(ctx) ? TRANSFER_INPUTS : 2; }
static inline unsigned transfer_results(const weft_context *ctx) {
    return transfer_needed(ctx) ? TRANSFER_RESULTS : 1;
}

typedef struct transfer {
    void *state; /* state of the backend; NULL: not open */
    weft_lane lane;
    size_t bytes;
    bool noted; /* recorded in the timeline, or never begun */
} transfer;

/* Sets *kind to the kind of memory of the array: that of its first and last byte, or MEMORY_PAGEABLE if these
 * differ. */
weft_status transfer_memory_kind(weft_context *ctx, const void *p, size_t bytes, memory_kind *kind);

weft_status transfer_open(weft_context *ctx, transfer *t);
/* Starts a copy after all work that the context has been given. No work waits for it until transfer_join. With lane
 * WEFT_WORK it covers the context's own work until transfer_join. */
weft_status transfer_begin(weft_context *ctx, transfer *t, weft_lane lane, size_t bytes, const void *from, void *to);
/* Makes all work that the context is given from now on wait for the copy. */
weft_status transfer_join(weft_context *ctx, transfer *t);
/* Waits until the copy is complete, and records it in the timeline. */
weft_status transfer_wait(weft_context *ctx, transfer *t);
/* Waits for the copy and frees it. Preserves the context's last error. */
void transfer_close(weft_context *ctx, transfer *t);

/* Allocate and free memory, as weft_alloc and weft_free. The context of a GPU keeps freed buffers for the next call,
 * up to the limit of weft_set_memory, because allocating its memory is slow. buffer_leave preserves the context's
 * last error. */
weft_status buffer_take(weft_context *ctx, weft_memory memory, size_t bytes, void **p);
void buffer_leave(weft_context *ctx, weft_memory memory, size_t bytes, void *p);
/* Returns the maximum number of bytes for the buffers of a call. */
size_t buffer_memory(const weft_context *ctx);

#endif
