/* The backend "ref": the executable specification, on one thread in host memory. */
#include "ref/ref.h"

#include <string.h>

static int count(void) { return 1; }

static weft_status describe(int index, weft_device_info *info, weft_error *error) {
    (void)index, (void)error;
    strcpy(info->id, "ref");
    strcpy(info->name, "executable specification");
    info->cores = 1;
    return WEFT_OK;
}

/* The state of a context is its heap. */
static weft_status open_ref(const char *which, weft_heap *heap, void **state, weft_error *error) {
    RETURN_IF(*which, WEFT_NO_DEVICE, "unknown device \"ref:%.32s\": expected \"ref\"", which);
    *state = heap;
    return WEFT_OK;
}

static void close_ref(void *state) { heap_release_all(state, NULL); }

static const char *id(const void *state) {
    (void)state;
    return "ref";
}

static weft_status set_threads(void *state, int threads, weft_error *error) {
    (void)state, (void)threads, (void)error;
    return WEFT_OK;
}

static weft_status set_stream(void *state, void *stream, weft_error *error) {
    (void)state, (void)stream;
    return weft_fail(error, WEFT_UNSUPPORTED, "a ref context has no stream");
}

static weft_status synchronize(void *state, weft_error *error) {
    (void)state, (void)error;
    return WEFT_OK;
}

static size_t scratch_bytes(const void *state) {
    (void)state;
    return 0;
}

static weft_status release_scratch(void *state, weft_error *error) {
    (void)state, (void)error;
    return WEFT_OK;
}

static weft_status alloc(void *state, weft_memory memory, size_t bytes, void **p, weft_error *error) {
    return heap_allocate_host(state, memory, bytes, 64, p, error);
}

static weft_status release(void *state, weft_memory memory, void *p, weft_error *error) {
    (void)memory, (void)error;
    heap_free_host(state, p);
    return WEFT_OK;
}

static weft_status copy(void *state, size_t bytes, const void *src, void *dst, weft_error *error) {
    (void)state, (void)error;
    memcpy(dst, src, bytes);
    return WEFT_OK;
}

const weft_backend *weft_backend_ref(void) {
    static const weft_backend backend = {
        .abi = WEFT_BACKEND_ABI,
        .name = "ref",
        .count = count,
        .describe = describe,
        .open = open_ref,
        .close = close_ref,
        .id = id,
        .set_threads = set_threads,
        .set_stream = set_stream,
        .synchronize = synchronize,
        .scratch_bytes = scratch_bytes,
        .release_scratch = release_scratch,
        .alloc = alloc,
        .free = release,
        .copy = copy,
#define BACKEND(stem) .stem = ref_##stem,
#include "core/ops.def"
    };
    return &backend;
}
