/* Results of chunks. Without a GPU there is one buffer, which results_give writes to the sink immediately. */
#include "stream/results.h"

#include "core/check.h"
#include "stream/channel.h"

#include <errno.h>
#include <string.h>

static weft_status open_result(results *r, result *chunk) {
    RETURN_IF_ERROR(buffer_take(r->ctx, WEFT_DEVICE, r->capacity, (void **)&chunk->at));
    chunk->host = chunk->at;
    if (!transfer_needed(r->ctx)) return WEFT_OK;
    chunk->host = NULL;
    RETURN_IF_ERROR(transfer_open(r->ctx, &chunk->copy));
    return r->direct ? WEFT_OK : buffer_take(r->ctx, WEFT_PINNED, r->capacity, (void **)&chunk->host);
}

weft_status results_open(results *r, weft_context *ctx, const weft_sink *sink, weft_dtype dtype, size_t elements) {
    const size_t size = weft_dtype_size(dtype);
    memory_kind kind;
    uint64_t left = 0;
    *r = (results){.ctx = ctx, .sink = sink, .size = size, .capacity = elements * size};
    const void *to = channel_memory(sink, &left);
    RETURN_IF_ERROR(check_host_value("the memory of the sink", to, &ctx->error));
    RETURN_IF_ERROR(transfer_memory_kind(ctx, to, (size_t)left, &kind));
    r->direct = kind == MEMORY_PINNED;
    for (unsigned i = 0; i < transfer_results(ctx); i++) RETURN_IF_ERROR(open_result(r, &r->chunks[i]));
    return WEFT_OK;
}

void *results_capacity(const results *r) { return r->chunks[r->given % transfer_results(r->ctx)].at; }

static weft_status fail(const results *r) {
    return weft_fail(&r->ctx->error, WEFT_IO, "cannot write the result: %s", strerror(errno));
}

/* Starts the copy to the host, or to the sink's memory directly if the GPU can access it. */
static weft_status send(results *r, result *chunk) {
    if (r->direct) {
        uint64_t left = 0;
        chunk->host = channel_memory(r->sink, &left);
        errno = ENOSPC;
        if (chunk->bytes > left) return fail(r);
        channel_advance(r->sink, chunk->bytes);
    }
    return transfer_begin(r->ctx, &chunk->copy, WEFT_COPY_OUT, chunk->bytes, chunk->at, chunk->host);
}

static weft_status write_oldest(results *r) {
    result *chunk = &r->chunks[r->written++ % transfer_results(r->ctx)];
    if (transfer_needed(r->ctx)) RETURN_IF_ERROR(transfer_wait(r->ctx, &chunk->copy));
    if (chunk->replaced) memcpy(chunk->host + chunk->bytes - r->size, &chunk->last, r->size);
    if (r->direct) return WEFT_OK;
    weft_fpmode_leave(r->ctx->mode);
    const int fault = r->sink->write(r->sink->self, chunk->host, chunk->bytes);
    (void)weft_fpmode_enter();
    return fault ? fail(r) : WEFT_OK;
}

weft_status results_give(results *r, size_t n, const uint64_t *last) {
    result *chunk = &r->chunks[r->given++ % transfer_results(r->ctx)];
    chunk->bytes = n * r->size;
    chunk->replaced = last != NULL;
    if (last) chunk->last = *last;
    if (transfer_needed(r->ctx)) RETURN_IF_ERROR(send(r, chunk));
    return r->given - r->written == transfer_results(r->ctx) ? write_oldest(r) : WEFT_OK;
}

weft_status results_end(results *r) {
    while (r->written != r->given) RETURN_IF_ERROR(write_oldest(r));
    return WEFT_OK;
}

void results_close(results *r) {
    for (int i = 0; i < TRANSFER_RESULTS; i++) {
        result *chunk = &r->chunks[i];
        transfer_close(r->ctx, &chunk->copy);
        if (!r->direct && chunk->host != chunk->at) buffer_leave(r->ctx, WEFT_PINNED, r->capacity, chunk->host);
        buffer_leave(r->ctx, WEFT_DEVICE, r->capacity, chunk->at);
    }
}
