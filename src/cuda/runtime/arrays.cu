/* Device copies of host arrays, in one buffer per context that grows when needed and is never shrunk. */
#include "cuda/runtime/arrays.h"

enum { ALIGNMENT = 256 };

static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* Offset of the array from the last 256-byte boundary. Its device copy has this offset too, so that kernels take the
 * same code path for both. */
static size_t offset_of(const gpu_array *a) { return (uintptr_t)a->p % ALIGNMENT; }

static weft_status hold_workspace(gpu *g, const char *operation, size_t bytes, weft_error *error) {
    if (bytes <= g->workspace_bytes) return WEFT_OK;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    CUDA_TRY(cudaStreamIsCapturing(g->stream, &capture), operation);
    RETURN_IF(capture != cudaStreamCaptureStatusNone, WEFT_INVALID,
              "%s: scratch memory cannot grow to %zu bytes while the stream is being captured: make one call of this "
              "size before the capture",
              operation, bytes);
    CUDA_TRY(cudaStreamSynchronize(g->stream), operation);
    (void)gpu_free(g, WEFT_DEVICE, g->workspace);
    g->scratch_bytes -= g->workspace_bytes;
    g->workspace = NULL;
    g->workspace_bytes = 0;
    RETURN_IF_ERROR(gpu_alloc(g, WEFT_DEVICE, bytes, (void **)&g->workspace, error));
    g->workspace_bytes = bytes;
    g->scratch_bytes += bytes;
    return WEFT_OK;
}

weft_status arrays_copy_in(gpu *g, const char *operation, gpu_array *arrays, int count, size_t scratch_bytes,
                           void **scratch, weft_error *error) {
    size_t bytes = aligned(scratch_bytes), at = bytes;
    bool any_on_host = false;
    for (gpu_array *a = arrays; a < arrays + count; a++) {
        a->on_host = false;
        a->at = (void *)a->p;
        if (!a->p || a->bytes == 0) continue;
        RETURN_IF_ERROR(gpu_locate(g, a->name, a->p, &a->on_host, error));
        if (!a->on_host) continue;
        any_on_host = true;
        bytes += aligned(offset_of(a) + a->bytes);
    }
    if (any_on_host) RETURN_IF_ERROR(gpu_refuse_capture(g, operation, error));
    RETURN_IF_ERROR(hold_workspace(g, operation, bytes, error));
    g->pending = true;
    *scratch = g->workspace;
    for (gpu_array *a = arrays; a < arrays + count; a++) {
        if (!a->on_host) continue;
        a->at = g->workspace + at + offset_of(a);
        at += aligned(offset_of(a) + a->bytes);
        if (a->use & ARRAY_IN)
            CUDA_TRY(cudaMemcpyAsync(a->at, a->p, a->bytes, cudaMemcpyHostToDevice, g->stream), operation);
    }
    return WEFT_OK;
}

weft_status arrays_copy_out(gpu *g, const char *operation, const gpu_array *arrays, int count, weft_error *error) {
    bool any_on_host = false;
    for (const gpu_array *a = arrays; a < arrays + count; a++) {
        if (!a->on_host) continue;
        any_on_host = true;
        if (a->use & ARRAY_OUT && a->bytes > 0)
            CUDA_TRY(cudaMemcpyAsync((void *)a->p, a->at, a->bytes, cudaMemcpyDeviceToHost, g->stream), operation);
    }
    if (any_on_host) CUDA_TRY(cudaStreamSynchronize(g->stream), operation);
    return WEFT_OK;
}
