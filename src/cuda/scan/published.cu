/* Workspace for published totals: one buffer of the context, which grows and is kept between calls. */
#include "cuda/runtime/gpu.h"
#include "cuda/scan/scan_params.h"

/* Sets the first total of each level and the number of levels. Returns the number of totals of all levels. */
static uint64_t lay_out_levels(published *p, uint64_t tiles) {
    uint64_t totals = 0;
    for (p->levels = 0; tiles > 0; tiles /= 16) {
        p->level_start[p->levels++] = totals;
        totals += tiles;
    }
    return totals;
}

weft_status gpu_hold_words(gpu *g, const char *operation, size_t bytes, weft_error *error) {
    if (bytes <= g->words_bytes) return WEFT_OK;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    CUDA_TRY(cudaStreamIsCapturing(g->stream, &capture), operation);
    RETURN_IF(capture != cudaStreamCaptureStatusNone, WEFT_INVALID,
              "%s: scratch memory cannot grow to %zu bytes while the stream is being captured: "
              "make one call with an array of this length before the capture",
              operation, bytes);
    void *words;
    RETURN_IF_ERROR(gpu_alloc(g, WEFT_DEVICE, bytes, &words, error));
    cudaError_t fault = cudaMemsetAsync(words, 0, bytes, g->stream);
    if (fault == cudaSuccess) fault = cudaStreamSynchronize(g->stream);
    if (fault != cudaSuccess) {
        (void)gpu_free(g, WEFT_DEVICE, words);
        return cuda_failed(fault, "clearing scratch memory", error);
    }
    (void)gpu_free(g, WEFT_DEVICE, g->words);
    g->scratch_bytes += bytes - g->words_bytes;
    g->words = (char *)words;
    g->words_bytes = bytes;
    return WEFT_OK;
}

weft_status published_hold(gpu *g, const char *operation, uint64_t rows, uint64_t tiles, uint32_t stride,
                           published *p, weft_error *error) {
    p->control = gpu_scan_control(g);
    p->stride = stride;
    p->row_words = lay_out_levels(p, tiles) * stride;
    RETURN_IF_ERROR(gpu_hold_words(g, operation, rows * p->row_words * sizeof *p->words, error));
    p->words = (uint64_t *)g->words;
    p->words_held = g->words_bytes / sizeof *p->words;
    return WEFT_OK;
}
