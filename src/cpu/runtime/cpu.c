/* The backend "cpu": contexts and host memory. */
#include "cpu/runtime/cpu.h"
#include "cpu/common/transform.h"
#include "cpu/runtime/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int count(void) { return 1; }

static weft_status describe(int index, weft_device_info *info, weft_error *error) {
    bool known;
    (void)index, (void)error;
    strcpy(info->id, "cpu");
    snprintf(info->isa, sizeof info->isa, "%s", cpu_find_level("", &known)->isa);
    info->cores = cpu_default_threads();
    cpu_describe_machine(info);
    return WEFT_OK;
}

static weft_status open_cpu(const char *which, weft_heap *heap, void **state, weft_error *error) {
    bool known;
    const level *found = cpu_find_level(which, &known);
    RETURN_IF(!known, WEFT_NO_DEVICE, "unknown device \"cpu:%.32s\": this architecture has no such level", which);
    RETURN_IF(!found, WEFT_NO_DEVICE,
              "device \"cpu:%.32s\" is not available: the processor does not support this instruction set", which);
    cpu_context *ctx = calloc(1, sizeof *ctx);
    RETURN_IF(!ctx, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", sizeof *ctx);
    ctx->heap = heap;
    ctx->level = found;
    ctx->threads = cpu_default_threads();
    ctx->level2_bytes = cpu_level2_bytes();
    snprintf(ctx->id, sizeof ctx->id, *which ? "cpu:%s" : "cpu", which);
    *state = ctx;
    return WEFT_OK;
}

static void free_workspace(cpu_context *ctx) {
    heap_free_host(ctx->heap, ctx->workspace);
    ctx->workspace = NULL;
    ctx->workspace_bytes = 0;
}

static weft_status release_scratch(void *state, weft_error *error) {
    (void)error;
    cpu_transform_free(state);
    free_workspace(state);
    return WEFT_OK;
}

static void close_cpu(void *state) {
    cpu_context *ctx = state;
    cpu_transform_free(ctx);
    free_workspace(ctx);
    heap_release_all(ctx->heap, NULL);
    free(ctx);
}

/* Replaces the workspace by a larger one. Large pages avoid most of the TLB misses of a sort, which writes to
 * hundreds of addresses in turn. The caller's allocator chooses its pages itself. */
static __attribute__((noinline)) weft_status grow_workspace(cpu_context *ctx, size_t bytes, weft_error *error) {
    enum { LARGE_PAGE = 2 << 20 };
    const bool large = bytes >= LARGE_PAGE && heap_is_default(ctx->heap);
    free_workspace(ctx);
    RETURN_IF_ERROR(heap_allocate_host(ctx->heap, WEFT_DEVICE, bytes, large ? LARGE_PAGE : CPU_ALIGNMENT,
                                       &ctx->workspace, error));
    if (large) (void)madvise(ctx->workspace, bytes, MADV_HUGEPAGE);
    ctx->workspace_bytes = bytes;
    return WEFT_OK;
}

weft_status cpu_workspace(cpu_context *ctx, size_t bytes, void **workspace, weft_error *error) {
    if (bytes == 0) bytes = CPU_ALIGNMENT; /* *workspace is never NULL */
    if (bytes > ctx->workspace_bytes) RETURN_IF_ERROR(grow_workspace(ctx, bytes, error));
    *workspace = ctx->workspace;
    return WEFT_OK;
}

static const char *id(const void *state) { return ((const cpu_context *)state)->id; }

static weft_status set_threads(void *state, int threads, weft_error *error) {
    (void)error;
    ((cpu_context *)state)->threads = threads ? threads : cpu_default_threads();
    return WEFT_OK;
}

static weft_status set_stream(void *state, void *stream, weft_error *error) {
    (void)state, (void)stream;
    return weft_fail(error, WEFT_UNSUPPORTED, "a cpu context has no stream");
}

static weft_status synchronize(void *state, weft_error *error) {
    (void)state, (void)error;
    return WEFT_OK;
}

static size_t scratch_bytes(const void *state) {
    const cpu_context *ctx = state;
    return sizeof ctx->roots + ctx->workspace_bytes + (ctx->transforms ? ctx->transforms->bytes : 0);
}

static weft_status alloc(void *state, weft_memory memory, size_t bytes, void **p, weft_error *error) {
    return heap_allocate_host(((cpu_context *)state)->heap, memory, bytes, CPU_ALIGNMENT, p, error);
}

static weft_status release(void *state, weft_memory memory, void *p, weft_error *error) {
    (void)memory, (void)error;
    heap_free_host(((cpu_context *)state)->heap, p);
    return WEFT_OK;
}

static weft_status copy(void *state, size_t bytes, const void *src, void *dst, weft_error *error) {
    (void)state, (void)error;
    memcpy(dst, src, bytes);
    return WEFT_OK;
}

const weft_backend *weft_backend_cpu(void) {
    static const weft_backend backend = {
        .abi = WEFT_BACKEND_ABI,
        .name = "cpu",
        .count = count,
        .describe = describe,
        .open = open_cpu,
        .close = close_cpu,
        .id = id,
        .set_threads = set_threads,
        .set_stream = set_stream,
        .synchronize = synchronize,
        .scratch_bytes = scratch_bytes,
        .release_scratch = release_scratch,
        .alloc = alloc,
        .free = release,
        .copy = copy,
#define BACKEND(stem) .stem = cpu_##stem,
#include "core/ops.def"
        .fft_pass = cpu_fft_pass,
        .fft_takes_whole = cpu_fft_takes_whole,
        .tunables = cpu_tunables,
        .chosen = cpu_chosen,
        .choose = cpu_choose,
        .model = cpu_model,
    };
    return &backend;
}
