/* Contexts and devices: open, close, describe, configure. */
#include "core/context.h"
#include "core/fft_plan.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------ context, devices */

/* Splits "cuda:1" into name and which. */
static weft_status parse_device(const char *device, char name[16], const char **which, weft_error *error) {
    const char *colon = strchr(device, ':');
    const size_t length = colon ? (size_t)(colon - device) : strlen(device);
    RETURN_IF(length == 0 || length >= 16, WEFT_NO_DEVICE,
              "unknown device \"%.64s\": expected auto, cpu, cuda or ref", device);
    memcpy(name, device, length);
    name[length] = '\0';
    *which = colon ? colon + 1 : "";
    return WEFT_OK;
}

static weft_status open_device(weft_context *ctx, const char *device, weft_error *error) {
    char name[16];
    const char *which;
    RETURN_IF(!device, WEFT_INVALID, "device is NULL");
    RETURN_IF_ERROR(parse_device(device, name, &which, error));
    RETURN_IF_ERROR(weft_find_backend(name, &ctx->backend, error));
    return ctx->backend->open(which, &ctx->heap, &ctx->state, error);
}

/* A backend returns WEFT_UNSUPPORTED if a device exists but cannot be used. The public status is WEFT_NO_DEVICE, as
 * for a missing device. */
static weft_status open_named(weft_context *ctx, const char *device, weft_error *error) {
    const weft_status status = open_device(ctx, device, error);
    if (status != WEFT_OK) return status == WEFT_UNSUPPORTED ? WEFT_NO_DEVICE : status;
    error->message[0] = '\0';
    return WEFT_OK;
}

/* Opens a GPU, else the CPU. If a GPU exists but cannot be used, the reason is left in the error. */
static weft_status open_auto(weft_context *ctx, weft_error *error) {
    const weft_status status = open_device(ctx, "cuda", error);
    if (status == WEFT_UNSUPPORTED) {
        const weft_error why = *error;
        RETURN_IF_ERROR(open_named(ctx, "cpu", error));
        *error = why;
        return WEFT_OK;
    }
    if (status == WEFT_NO_DEVICE) return open_named(ctx, "cpu", error);
    if (status == WEFT_OK) error->message[0] = '\0';
    return status;
}

weft_status weft_open(weft_context **out, const char *device) {
    weft_error *error = context_thread_error();
    RETURN_IF(!out, WEFT_INVALID, "weft_open: ctx is NULL");
    *out = NULL;
    weft_context *ctx = calloc(1, sizeof *ctx);
    RETURN_IF(!ctx, WEFT_OUT_OF_MEMORY, "cannot allocate a context of %zu bytes", sizeof *ctx);
    atomic_flag_clear(&ctx->inside);
    ctx->generation = context_generation();
    const bool is_auto = device && strcmp(device, "auto") == 0;
    const weft_status status = is_auto ? open_auto(ctx, error) : open_named(ctx, device, error);
    if (status != WEFT_OK) {
        free(ctx);
        return status;
    }
    context_tune(ctx);
    *out = ctx;
    return WEFT_OK;
}

static void release_buffers(weft_context *ctx, kept_buffer *buffers, size_t count) {
    weft_error ignored;
    for (kept_buffer *b = buffers; b < buffers + count; b++) {
        if (b->p) (void)ctx->backend->free(ctx->state, b->memory, b->p, &ignored);
        *b = (kept_buffer){0};
    }
}

static void release_kept(weft_context *ctx) { release_buffers(ctx, ctx->kept, KEPT_BUFFERS); }

weft_status context_scratch(weft_context *ctx, context_use use, size_t bytes, void **p, weft_error *error) {
    kept_buffer *const b = &ctx->scratch[use];
    if (b->bytes < bytes) {
        if (b->p) RETURN_IF_ERROR(ctx->backend->free(ctx->state, WEFT_DEVICE, b->p, error));
        *b = (kept_buffer){0};
        RETURN_IF_ERROR(ctx->backend->alloc(ctx->state, WEFT_DEVICE, bytes, &b->p, error));
        b->bytes = bytes;
    }
    *p = b->p;
    return WEFT_OK;
}

void weft_close(weft_context *ctx) {
    if (!ctx) return;
    weft_close(ctx->combiner);
    if (ctx->generation == context_generation()) {
        release_kept(ctx);
        release_buffers(ctx, ctx->scratch, SCRATCH_USES);
        fft_free_plans(ctx);
        if (ctx->origin) ctx->backend->transfer_close(ctx->state, ctx->origin);
        ctx->backend->close(ctx->state);
    }
    free(ctx->heap.blocks);
    free(ctx);
}

const char *weft_device(const weft_context *ctx) { return ctx ? ctx->backend->id(ctx->state) : "none"; }

const char *weft_last_error(const weft_context *ctx) {
    return ctx ? ctx->error.message : context_thread_error()->message;
}

size_t weft_scratch_bytes(const weft_context *ctx) {
    if (!ctx) return 0;
    size_t bytes = ctx->backend->scratch_bytes(ctx->state) + fft_plan_bytes(ctx);
    for (const kept_buffer *b = ctx->kept; b < ctx->kept + KEPT_BUFFERS; b++) bytes += b->p ? b->bytes : 0;
    for (const kept_buffer *b = ctx->scratch; b < ctx->scratch + SCRATCH_USES; b++) bytes += b->bytes;
    return bytes;
}

size_t weft_device_count(void) {
    const weft_backend *cuda;
    weft_error ignored;
    const int cpus = weft_backend_cpu()->count();
    const int gpus = weft_find_backend("cuda", &cuda, &ignored) == WEFT_OK ? cuda->count() : 0;
    return (size_t)cpus + (size_t)gpus;
}

weft_status weft_describe_device(size_t index, weft_device_info *info) {
    weft_error *error = context_thread_error();
    RETURN_IF(!info, WEFT_INVALID, "weft_describe_device: info is NULL");
    RETURN_IF_WRONG_SIZE("info", info, weft_device_info);
    *info = (weft_device_info){.size = sizeof *info};
    RETURN_IF(index >= weft_device_count(), WEFT_NO_DEVICE, "device index %zu is out of range: there are %zu devices",
              index, weft_device_count());
    const weft_backend *backend = weft_backend_cpu();
    if (index < (size_t)backend->count()) return backend->describe((int)index, info, error);
    index -= (size_t)backend->count();
    RETURN_IF_ERROR(weft_find_backend("cuda", &backend, error));
    return backend->describe((int)index, info, error);
}

static weft_status set_threads(weft_context *ctx, int threads, weft_error *error) {
    RETURN_IF(threads < 0 || threads > 4096, WEFT_INVALID, "invalid number of threads %d: expected 0 to 4096",
              threads);
    return ctx->backend->set_threads(ctx->state, threads, error);
}

weft_status weft_set_threads(weft_context *ctx, int threads) {
    RETURN_GUARDED_SETUP(ctx, set_threads(ctx, threads, error));
}

static weft_status set_executor(weft_context *ctx, const weft_executor *executor, weft_error *error) {
    RETURN_IF(ctx->backend != weft_backend_cpu(), WEFT_UNSUPPORTED, "a %s context has no executor",
              ctx->backend->name);
    if (executor) {
        RETURN_IF_WRONG_SIZE("executor", executor, weft_executor);
        RETURN_IF(!executor->run, WEFT_INVALID, "executor->run is NULL");
    }
    ctx->executor = executor ? *executor : (weft_executor){0};
    return WEFT_OK;
}

weft_status weft_set_executor(weft_context *ctx, const weft_executor *executor) {
    RETURN_GUARDED_SETUP(ctx, set_executor(ctx, executor, error));
}

static weft_status set_memory(weft_context *ctx, size_t bytes, weft_error *error) {
    (void)error;
    release_kept(ctx);
    ctx->memory = bytes;
    return WEFT_OK;
}

weft_status weft_set_memory(weft_context *ctx, size_t bytes) {
    RETURN_GUARDED_SETUP(ctx, set_memory(ctx, bytes, error));
}

static weft_status check_allocator(const weft_allocator *allocator, weft_error *error) {
    if (!allocator) return WEFT_OK;
    RETURN_IF_WRONG_SIZE("allocator", allocator, weft_allocator);
    RETURN_IF(!allocator->allocate, WEFT_INVALID, "allocator->allocate is NULL");
    RETURN_IF(!allocator->release, WEFT_INVALID, "allocator->release is NULL");
    return WEFT_OK;
}

static weft_status set_allocator(weft_context *ctx, const weft_allocator *allocator, weft_error *error) {
    RETURN_IF_ERROR(check_allocator(allocator, error));
    release_kept(ctx);
    const size_t lent = heap_lent(&ctx->heap);
    RETURN_IF(lent, WEFT_INVALID,
              "the allocator cannot be changed while memory of weft_alloc is not freed: number of blocks: %zu", lent);
    RETURN_IF_ERROR(ctx->backend->release_scratch(ctx->state, error));
    release_buffers(ctx, ctx->scratch, SCRATCH_USES);
    fft_free_plans(ctx);
    ctx->heap.allocator = allocator ? *allocator : (weft_allocator){0};
    return WEFT_OK;
}

weft_status weft_set_allocator(weft_context *ctx, const weft_allocator *allocator) {
    RETURN_GUARDED_SETUP(ctx, set_allocator(ctx, allocator, error));
}

static weft_status set_progress(weft_context *ctx, weft_progress *callback, void *user) {
    ctx->watch.callback = callback;
    ctx->watch.user = user;
    ctx->watch.last = progress_clock() - PROGRESS_INTERVAL;
    return WEFT_OK;
}

weft_status weft_set_progress(weft_context *ctx, weft_progress *callback, void *user) {
    RETURN_IF_ERROR(context_enter(ctx));
    return context_leave(ctx, weft_fpmode_enter(), set_progress(ctx, callback, user));
}

weft_status weft_set_stream(weft_context *ctx, void *stream) {
    RETURN_GUARDED_SETUP(ctx, ctx->backend->set_stream(ctx->state, stream, error));
}

weft_status weft_synchronize(weft_context *ctx) {
    RETURN_GUARDED_SETUP(ctx, ctx->backend->synchronize(ctx->state, error));
}
