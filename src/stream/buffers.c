/* Buffers for chunks of streams. */
#include "stream/transfer.h"

enum { DEFAULT_MEMORY = 1 << 26 };

size_t buffer_memory(const weft_context *ctx) { return ctx->memory ? ctx->memory : DEFAULT_MEMORY; }

static size_t kept_bytes(const weft_context *ctx, weft_memory memory) {
    size_t bytes = 0;
    for (const kept_buffer *b = ctx->kept; b < ctx->kept + KEPT_BUFFERS; b++)
        if (b->p && b->memory == memory) bytes += b->bytes;
    return bytes;
}

static void release(weft_context *ctx, weft_memory memory, void *p) {
    const weft_error kept = ctx->error;
    if (p) (void)weft_free(ctx, memory, p);
    ctx->error = kept;
}

static void release_kept(weft_context *ctx, weft_memory memory) {
    for (kept_buffer *b = ctx->kept; b < ctx->kept + KEPT_BUFFERS; b++) {
        if (!b->p || b->memory != memory) continue;
        release(ctx, memory, b->p);
        b->p = NULL;
    }
}

weft_status buffer_take(weft_context *ctx, weft_memory memory, size_t bytes, void **p) {
    for (kept_buffer *b = ctx->kept; b < ctx->kept + KEPT_BUFFERS; b++) {
        if (!b->p || b->memory != memory || b->bytes != bytes) continue;
        *p = b->p;
        b->p = NULL;
        return WEFT_OK;
    }
    if (kept_bytes(ctx, memory) + bytes > buffer_memory(ctx)) release_kept(ctx, memory);
    return weft_alloc(ctx, memory, bytes, p);
}

void buffer_leave(weft_context *ctx, weft_memory memory, size_t bytes, void *p) {
    const bool fits = transfer_needed(ctx) && kept_bytes(ctx, memory) + bytes <= buffer_memory(ctx);
    for (kept_buffer *b = ctx->kept; p && fits && b < ctx->kept + KEPT_BUFFERS; b++) {
        if (b->p) continue;
        *b = (kept_buffer){memory, bytes, p};
        return;
    }
    release(ctx, memory, p);
}
