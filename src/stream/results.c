/* Results of chunks. Without a GPU there is one buffer, which results_give writes to the sink immediately. */
#include "stream/results.h"

#include "core/check.h"
#include "stream/channel.h"

#include <errno.h>
#include <string.h>

static weft_status open_result(results *r, result *piece) {
    RETURN_IF_ERROR(buffer_take(r->ctx, WEFT_DEVICE, r->capacity, (void **)&piece->at));
    piece->host = piece->at;
    if (!transfer_needed(r->ctx)) return WEFT_OK;
    piece->host = NULL;
    RETURN_IF_ERROR(transfer_open(r->ctx, &piece->copy));
    return r->direct ? WEFT_OK : buffer_take(r->ctx, WEFT_PINNED, r->capacity, (void **)&piece->host);
}

weft_status results_open(results *r, weft_context *ctx, const weft_sink *sink, weft_dtype dtype, size_t elements) {
    const size_t size = weft_dtype_size(dtype);
    memory_place place;
    uint64_t left = 0;
    *r = (results){.ctx = ctx, .sink = sink, .size = size, .capacity = elements * size};
    const void *to = channel_workspace(sink, &left);
    RETURN_IF_ERROR(check_host_value("the memory of the sink", to, &ctx->error));
    RETURN_IF_ERROR(transfer_place(ctx, to, (size_t)left, &place));
    r->direct = place == PLACE_PINNED;
    for (unsigned i = 0; i < transfer_results(ctx); i++) RETURN_IF_ERROR(open_result(r, &r->pieces[i]));
    return WEFT_OK;
}

void *results_capacity(const results *r) { return r->pieces[r->given % transfer_results(r->ctx)].at; }

static weft_status fail(const results *r) {
    return weft_fail(&r->ctx->error, WEFT_IO, "cannot write the result: %s", strerror(errno));
}

/* Starts the copy to the host, or to the sink's memory directly if the GPU can access it. */
static weft_status send(results *r, result *piece) {
    if (r->direct) {
        uint64_t left = 0;
        piece->host = channel_workspace(r->sink, &left);
        errno = ENOSPC;
        if (piece->bytes > left) return fail(r);
        channel_advance(r->sink, piece->bytes);
    }
    return transfer_begin(r->ctx, &piece->copy, WEFT_COPY_OUT, piece->bytes, piece->at, piece->host);
}

static weft_status write_oldest(results *r) {
    result *piece = &r->pieces[r->written++ % transfer_results(r->ctx)];
    if (transfer_needed(r->ctx)) RETURN_IF_ERROR(transfer_wait(r->ctx, &piece->copy));
    if (piece->replaced) memcpy(piece->host + piece->bytes - r->size, &piece->last, r->size);
    if (r->direct || r->sink->write(r->sink->self, piece->host, piece->bytes) == 0) return WEFT_OK;
    return fail(r);
}

weft_status results_give(results *r, size_t n, const uint64_t *last) {
    result *piece = &r->pieces[r->given++ % transfer_results(r->ctx)];
    piece->bytes = n * r->size;
    piece->replaced = last != NULL;
    if (last) piece->last = *last;
    if (transfer_needed(r->ctx)) RETURN_IF_ERROR(send(r, piece));
    return r->given - r->written == transfer_results(r->ctx) ? write_oldest(r) : WEFT_OK;
}

weft_status results_end(results *r) {
    while (r->written != r->given) RETURN_IF_ERROR(write_oldest(r));
    return WEFT_OK;
}

void results_close(results *r) {
    for (int i = 0; i < TRANSFER_RESULTS; i++) {
        result *piece = &r->pieces[i];
        transfer_close(r->ctx, &piece->copy);
        if (!r->direct && piece->host != piece->at) buffer_leave(r->ctx, WEFT_PINNED, r->capacity, piece->host);
        buffer_leave(r->ctx, WEFT_DEVICE, r->capacity, piece->at);
    }
}
