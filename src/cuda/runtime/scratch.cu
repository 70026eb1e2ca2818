/* Memory of a context, and translation of CUDA errors. */
#include "cuda/runtime/gpu.h"

#include <string.h>

/* ------------------------------------------------------------------------------- errors */

/* Returns true for errors after which the device, or this process's use of it, is lost (CUDA's driver_types.h). */
static bool is_fatal(cudaError_t fault) {
    switch ((int)fault) {
    case 214: /* uncorrectable memory error */
    case 220: /* uncorrectable NVLink error */
    case 226: /* contained error */
    case 700: /* illegal address */
    case 702: /* launch timeout */
    case 709: /* context is destroyed */
    case 710: /* assertion */
    case 714: /* hardware stack error */
    case 715: /* illegal instruction */
    case 716: /* misaligned address */
    case 717: /* invalid address space */
    case 718: /* invalid program counter */
    case 719: /* launch failure */
    case 721: /* tensor memory leak */
    case 802: /* system not ready */
    case 810: /* MPS client terminated */
    case 911: /* external device error */ return true;
    default: return false;
    }
}

static weft_status status_of(cudaError_t fault) {
    if (is_fatal(fault)) return WEFT_DEVICE_LOST;
    switch ((int)fault) {
    case 2: return WEFT_OUT_OF_MEMORY;
    case 3:   /* initialization error */
    case 35:  /* insufficient driver */
    case 36:  /* call requires a newer driver */
    case 46:  /* device unavailable */
    case 98:  /* invalid device function */
    case 100: /* no device */
    case 101: /* invalid device */
    case 209: /* no kernel image */
    case 218: /* invalid PTX */
    case 221: /* JIT compiler not found */
    case 222: /* unsupported PTX version */
    case 223: /* JIT compilation disabled */
    case 803: /* driver mismatch */
    case 804: /* compatibility not supported on device */ return WEFT_NO_DEVICE;
    case 1:   /* invalid value */
    case 400: /* invalid handle: not a stream */
    case 900: /* stream capture */
    case 901:
    case 904:
    case 905:
    case 906:
    case 907: return WEFT_INVALID;
    default: return WEFT_INTERNAL;
    }
}

weft_status cuda_failed(cudaError_t fault, const char *doing, weft_error *error) {
    (void)cudaGetLastError();
    return weft_fail(error, status_of(fault), "%s: %s (CUDA error %d, %s)%s", doing, cudaGetErrorString(fault),
                     (int)fault, cudaGetErrorName(fault),
                     is_fatal(fault) ? "; this process cannot use the GPU any more" : "");
}

/* ------------------------------------------------------------------------------- memory */

static weft_status no_memory(weft_memory memory, size_t bytes, weft_error *error) {
    size_t available = 0, total = 0;
    (void)cudaGetLastError();
    if (memory == WEFT_PINNED)
        return weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of pinned host memory", bytes);
    if (cudaMemGetInfo(&available, &total) != cudaSuccess) (void)cudaGetLastError();
    return weft_fail(error, WEFT_OUT_OF_MEMORY, "no %s memory for %zu bytes: %zu of the GPU's %zu bytes are free",
                     memory == WEFT_MANAGED ? "managed" : "GPU", bytes, available, total);
}

enum { MEMORY_ALIGNMENT = 256 };

/* The caller's allocator may return memory that is usable only in the order of the stream. `pending` makes another
 * stream wait for it (weft_set_stream). */
weft_status gpu_alloc(gpu *g, weft_memory memory, size_t bytes, void **p, weft_error *error) {
    cudaError_t fault;
    if (!heap_is_default(g->heap)) {
        g->pending = true;
        const weft_status status = heap_allocate(g->heap, memory, bytes, MEMORY_ALIGNMENT, g->stream, p, error);
        (void)cudaGetLastError(); /* an error that the allocator has handled or reported */
        return status;
    }
    if (memory == WEFT_MANAGED)
        fault = cudaMallocManaged(p, bytes, cudaMemAttachGlobal);
    else if (memory == WEFT_PINNED)
        fault = cudaMallocHost(p, bytes);
    else
        fault = cudaMalloc(p, bytes);
    if (fault == cudaSuccess) return WEFT_OK;
    *p = NULL;
    /* Some of the three functions report a size beyond the address space as an invalid value. */
    if (fault == cudaErrorMemoryAllocation || fault == cudaErrorInvalidValue) return no_memory(memory, bytes, error);
    return cuda_failed(fault, "allocating memory", error);
}

cudaError_t gpu_free(gpu *g, weft_memory memory, void *p) {
    heap_block *const block = p ? heap_find(g->heap, p) : NULL;
    if (!block) return memory == WEFT_PINNED ? cudaFreeHost(p) : cudaFree(p);
    const cudaError_t fault = cudaStreamSynchronize(g->stream);
    heap_release(g->heap, block, g->stream);
    return fault;
}

/* Layout of the scratch memory. Every part is aligned to 16 bytes, as its values may require. The largest values are
 * the five sums of a price. */
#define VALUE_BYTES 40
#define STACK_LEVELS 64
enum {
    PARTIALS_AT = 0,
    STACK_AT = PARTIALS_AT + PARTIALS_MAX * VALUE_BYTES,
    KEEP_AT = STACK_AT + STACK_LEVELS * VALUE_BYTES,
    TICKET_AT = KEEP_AT + 16,
    SCAN_AT = TICKET_AT + 16,
    EXACT_AT = SCAN_AT + 16,
    EXACT_STATE_BYTES = (WEFT_EXACT_WORDS * 8 + 15) / 16 * 16,
    SCRATCH_BYTES = EXACT_AT + 2 * EXACT_STATE_BYTES
};

weft_status gpu_scratch_open(gpu *g, weft_error *error) {
    RETURN_IF_ERROR(gpu_alloc(g, WEFT_DEVICE, SCRATCH_BYTES, (void **)&g->scratch, error));
    g->scratch_bytes = SCRATCH_BYTES;
    RETURN_IF_ERROR(gpu_alloc(g, WEFT_PINNED, PINNED_BYTES, (void **)&g->pinned, error));
    CUDA_TRY(cudaMemsetAsync(g->scratch, 0, SCRATCH_BYTES, g->stream), "clearing the scratch memory");
    CUDA_TRY(cudaStreamSynchronize(g->stream), "clearing the scratch memory");
    return WEFT_OK;
}

void gpu_scratch_release(gpu *g) {
    for (void *p : {(void *)g->staging, (void *)g->words, (void *)g->workspace, g->twiddles[0], g->twiddles[1]})
        (void)gpu_free(g, WEFT_DEVICE, p);
    g->staging = g->words = g->workspace = NULL;
    g->twiddles[0] = g->twiddles[1] = NULL;
    g->words_bytes = g->workspace_bytes = 0;
    g->scratch_bytes = SCRATCH_BYTES;
}

void gpu_scratch_close(gpu *g) {
    gpu_scratch_release(g);
    (void)cudaFree(g->scratch);
    (void)cudaFreeHost(g->pinned);
    heap_release_all(g->heap, g->stream);
    (void)cudaGetLastError();
}

weft_status gpu_staging(gpu *g, const char *operation, weft_error *error) {
    if (g->staging) return WEFT_OK;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    CUDA_TRY(cudaStreamIsCapturing(g->stream, &capture), operation);
    RETURN_IF(capture != cudaStreamCaptureStatusNone, WEFT_INVALID,
              "%s: scratch memory cannot grow by %zu bytes while the stream is being captured: make one call of this "
              "kind before the capture",
              operation, STAGING_BYTES);
    RETURN_IF_ERROR(gpu_alloc(g, WEFT_DEVICE, STAGING_BYTES, (void **)&g->staging, error));
    g->scratch_bytes += STAGING_BYTES;
    return WEFT_OK;
}

scan_control *gpu_scan_control(const gpu *g) { return (scan_control *)(g->scratch + SCAN_AT); }

double *gpu_keep(const gpu *g) { return (double *)(g->scratch + KEEP_AT); }

int64_t *gpu_exact_values(const gpu *g) { return (int64_t *)(g->scratch + EXACT_AT + EXACT_STATE_BYTES); }

void gpu_point_at_scratch(const gpu *g, reduce_params *j) {
    j->partials = g->scratch + PARTIALS_AT;
    j->stack = g->scratch + STACK_AT;
    j->ticket = (unsigned *)(g->scratch + TICKET_AT);
    j->exact = (int64_t *)(g->scratch + EXACT_AT);
}
