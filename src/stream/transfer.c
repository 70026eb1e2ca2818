/* Calls the transfer functions of a context's backend, with the checks of every call, and records them in the
 * timeline. */
#include "stream/transfer.h"

#include <string.h>

/* -------------------------------------------------------------------------------- transfers */

static weft_status find_memory_kind(const weft_context *ctx, const void *p, size_t bytes, memory_kind *kind,
                                    weft_error *error) {
    memory_kind last;
    RETURN_IF_ERROR(ctx->backend->transfer_memory_kind(ctx->state, p, kind, error));
    RETURN_IF_ERROR(ctx->backend->transfer_memory_kind(ctx->state, (const char *)p + bytes - 1, &last, error));
    if (last != *kind) *kind = MEMORY_PAGEABLE;
    return WEFT_OK;
}

weft_status transfer_memory_kind(weft_context *ctx, const void *p, size_t bytes, memory_kind *kind) {
    *kind = MEMORY_PAGEABLE;
    if (!transfer_needed(ctx) || bytes == 0) return WEFT_OK;
    RETURN_GUARDED_SETUP(ctx, find_memory_kind(ctx, p, bytes, kind, error));
}

weft_status transfer_open(weft_context *ctx, transfer *t) {
    *t = (transfer){.noted = true};
    RETURN_GUARDED_SETUP(ctx, ctx->backend->transfer_open(ctx->state, &t->state, error));
}

weft_status transfer_begin(weft_context *ctx, transfer *t, weft_lane lane, size_t bytes, const void *from, void *to) {
    t->lane = lane;
    t->bytes = bytes;
    t->noted = false;
    RETURN_GUARDED_SETUP(ctx, ctx->backend->transfer_begin(ctx->state, t->state, lane, bytes, from, to, error));
}

weft_status transfer_join(weft_context *ctx, transfer *t) {
    RETURN_GUARDED_SETUP(ctx, ctx->backend->transfer_join(ctx->state, t->state, error));
}

/* Records a transfer in the timeline. Transfers beyond its capacity are only counted. */
static weft_status note(const weft_context *ctx, transfer *t, weft_error *error) {
    weft_timeline *line = ctx->timeline;
    double began, ended;
    if (!line || t->noted) return WEFT_OK;
    t->noted = true;
    RETURN_IF_ERROR(ctx->backend->transfer_time(ctx->state, t->state, ctx->origin, &began, &ended, error));
    if (line->count < line->capacity) line->spans[line->count] = (weft_span){t->lane, t->bytes, began, ended};
    line->count++;
    return WEFT_OK;
}

static weft_status wait_and_note(const weft_context *ctx, transfer *t, weft_error *error) {
    RETURN_IF_ERROR(ctx->backend->transfer_wait(ctx->state, t->state, error));
    return note(ctx, t, error);
}

weft_status transfer_wait(weft_context *ctx, transfer *t) { RETURN_GUARDED_SETUP(ctx, wait_and_note(ctx, t, error)); }

void transfer_close(weft_context *ctx, transfer *t) {
    if (t->state) ctx->backend->transfer_close(ctx->state, t->state);
    t->state = NULL;
}

/* -------------------------------------------------------------------------------- timeline */

static weft_status set_timeline(weft_context *ctx, weft_timeline *timeline, weft_error *error) {
    RETURN_IF(timeline && !transfer_needed(ctx), WEFT_UNSUPPORTED, "%s: only a context of a GPU has a timeline",
              weft_device(ctx));
    if (timeline) RETURN_IF_WRONG_SIZE("timeline", timeline, weft_timeline);
    RETURN_IF(timeline && timeline->capacity && !timeline->spans, WEFT_INVALID, "timeline->spans is NULL");
    if (ctx->origin) ctx->backend->transfer_close(ctx->state, ctx->origin);
    ctx->timeline = NULL;
    ctx->origin = NULL;
    if (!timeline) return WEFT_OK;
    RETURN_IF_ERROR(ctx->backend->transfer_open(ctx->state, &ctx->origin, error));
    RETURN_IF_ERROR(ctx->backend->transfer_begin(ctx->state, ctx->origin, WEFT_WORK, 0, NULL, NULL, error));
    timeline->count = 0;
    ctx->timeline = timeline;
    return WEFT_OK;
}

weft_status weft_set_timeline(weft_context *ctx, weft_timeline *timeline) {
    RETURN_GUARDED_SETUP(ctx, set_timeline(ctx, timeline, error));
}
