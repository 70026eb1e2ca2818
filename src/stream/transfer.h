/* Copies between host memory and that of a GPU which go on beside its work. Where a device's memory is the host's
 * there are none, and pieces stay where they are. */
#ifndef WEFT_STREAM_TRANSFER_H
#define WEFT_STREAM_TRANSFER_H

#include "core/context.h"

/* Buffers of a source and of a result, at most. On a GPU one of a source's is filled while the next is copied and the
 * one after that is worked on. */
enum { TRANSFER_INPUTS = 3, TRANSFER_RESULTS = 2 };

static inline bool transfer_needed(const weft_context *ctx) { return ctx->backend->transfer_open != NULL; }
static inline unsigned transfer_inputs(const weft_context *ctx) { return transfer_needed(ctx) ? TRANSFER_INPUTS : 2; }
static inline unsigned transfer_results(const weft_context *ctx) {
    return transfer_needed(ctx) ? TRANSFER_RESULTS : 1;
}

typedef struct transfer {
    void *state; /* the backend's; NULL: not open */
    weft_lane lane;
    size_t bytes;
    bool noted; /* in the timeline, as far as there is something to note */
} transfer;

/* Where the memory of an array lies: where its first and its last byte lie, if that is the same. */
weft_status transfer_place(weft_context *ctx, const void *p, size_t bytes, memory_place *place);

weft_status transfer_open(weft_context *ctx, transfer *t);
/* A copy behind all that the context has been given; nothing waits for it until it is joined. Of WEFT_WORK: the
 * context's work itself, until it is joined. */
weft_status transfer_begin(weft_context *ctx, transfer *t, weft_lane lane, size_t bytes, const void *from, void *to);
/* What the context is given from now on waits for the copy. */
weft_status transfer_join(weft_context *ctx, transfer *t);
/* The caller waits for it; and it enters the timeline. */
weft_status transfer_wait(weft_context *ctx, transfer *t);
/* Waits for it too. What failed before stays the context's last error. */
void transfer_close(weft_context *ctx, transfer *t);

/* As weft_alloc and weft_free; but a GPU's context keeps what is given back for the next call, as far as that is no
 * more than weft_set_memory allows, since its memory takes long to allocate. What failed before stays the context's
 * last error. */
weft_status buffer_take(weft_context *ctx, weft_memory memory, size_t bytes, void **p);
void buffer_leave(weft_context *ctx, weft_memory memory, size_t bytes, void *p);
/* What the buffers of a call may take. */
size_t buffer_memory(const weft_context *ctx);

#endif
