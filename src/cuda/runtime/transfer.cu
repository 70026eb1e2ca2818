/* Copies concurrent with the context's work: one stream per direction, and events at the begin and end of each copy.
 * Copies of one direction run one after another, which the hardware does in any case. */
#include "cuda/runtime/gpu.h"

#include <stdlib.h>

namespace {

struct transfer {
    weft_lane lane;
    cudaEvent_t ready, began,
        ended; /* ready: after all work that the context's stream had received before the copy */
};

} // namespace

weft_status transfer_memory_kind(void *state, const void *p, memory_kind *kind, weft_error *error) {
    const gpu *g = (const gpu *)state;
    const current_device scope(g->device);
    cudaPointerAttributes attributes;
    bool on_host;
    RETURN_IF_ERROR(gpu_locate(g, "x", p, &on_host, error));
    *kind = MEMORY_DEVICE;
    if (!on_host) return WEFT_OK;
    const cudaError_t fault = cudaPointerGetAttributes(&attributes, p);
    if (fault != cudaSuccess) (void)cudaGetLastError();
    *kind = fault == cudaSuccess && attributes.type == cudaMemoryTypeHost ? MEMORY_PINNED : MEMORY_PAGEABLE;
    return WEFT_OK;
}

/* Creates the copy streams. Unlike the context's own stream, they do not wait for CUDA's default stream. */
static weft_status open_copy_streams(gpu *g, weft_error *error) {
    for (int i = 0; i < 2; i++)
        if (!g->copy_streams[i])
            CUDA_TRY(cudaStreamCreateWithFlags(&g->copy_streams[i], cudaStreamNonBlocking), "creating a stream");
    return WEFT_OK;
}

void transfer_close_copy_streams(gpu *g) {
    for (int i = 0; i < 2; i++)
        if (g->copy_streams[i]) (void)cudaStreamDestroy(g->copy_streams[i]);
}

static weft_status open_events(transfer *t, weft_error *error) {
    CUDA_TRY(cudaEventCreateWithFlags(&t->ready, cudaEventDisableTiming), "creating an event");
    CUDA_TRY(cudaEventCreateWithFlags(&t->began, cudaEventDefault), "creating an event");
    CUDA_TRY(cudaEventCreateWithFlags(&t->ended, cudaEventDefault), "creating an event");
    return WEFT_OK;
}

weft_status transfer_open(void *state, void **opened, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    RETURN_IF_ERROR(gpu_refuse_capture(g, "a call with sources", error));
    RETURN_IF_ERROR(open_copy_streams(g, error));
    transfer *t = (transfer *)calloc(1, sizeof *t);
    RETURN_IF(!t, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes for a copy", sizeof *t);
    const weft_status status = open_events(t, error);
    if (status == WEFT_OK)
        *opened = t;
    else
        transfer_close(g, t);
    return status;
}

void transfer_close(void *state, void *closed) {
    const current_device scope(((gpu *)state)->device);
    transfer *t = (transfer *)closed;
    if (t->ended) (void)cudaEventSynchronize(t->ended);
    for (cudaEvent_t event : {t->ready, t->began, t->ended})
        if (event) (void)cudaEventDestroy(event);
    free(t);
}

weft_status transfer_begin(void *state, void *begun, weft_lane lane, size_t bytes, const void *from, void *to,
                           weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    transfer *t = (transfer *)begun;
    const char *const doing = lane == WEFT_COPY_IN ? "copying to the GPU" : "copying from the GPU";
    const cudaStream_t stream = lane == WEFT_WORK ? g->stream : g->copy_streams[lane];
    g->pending = true;
    t->lane = lane;
    if (lane != WEFT_WORK) {
        CUDA_TRY(cudaEventRecord(t->ready, g->stream), doing);
        CUDA_TRY(cudaStreamWaitEvent(stream, t->ready, 0), doing);
    }
    CUDA_TRY(cudaEventRecord(t->began, stream), doing);
    if (lane == WEFT_WORK) return WEFT_OK;
    CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), doing);
    CUDA_TRY(cudaEventRecord(t->ended, stream), doing);
    return WEFT_OK;
}

weft_status transfer_join(void *state, void *begun, weft_error *error) {
    const gpu *g = (const gpu *)state;
    const current_device scope(g->device);
    const transfer *t = (const transfer *)begun;
    if (t->lane == WEFT_WORK)
        CUDA_TRY(cudaEventRecord(t->ended, g->stream), "recording an event");
    else
        CUDA_TRY(cudaStreamWaitEvent(g->stream, t->ended, 0), "waiting for a copy");
    return WEFT_OK;
}

weft_status transfer_wait(void *state, void *begun, weft_error *error) {
    const current_device scope(((const gpu *)state)->device);
    CUDA_TRY(cudaEventSynchronize(((const transfer *)begun)->ended), "waiting for a copy");
    return WEFT_OK;
}

weft_status transfer_time(void *state, void *begun, void *origin, double *began, double *ended, weft_error *error) {
    const current_device scope(((const gpu *)state)->device);
    const transfer *t = (const transfer *)begun;
    const cudaEvent_t first = ((const transfer *)origin)->began;
    float until_began = 0, until_ended = 0; /* milliseconds */
    CUDA_TRY(cudaEventSynchronize(t->ended), "timing a copy");
    CUDA_TRY(cudaEventElapsedTime(&until_began, first, t->began), "timing a copy");
    CUDA_TRY(cudaEventElapsedTime(&until_ended, first, t->ended), "timing a copy");
    *began = until_began * 1e-3;
    *ended = until_ended * 1e-3;
    return WEFT_OK;
}
