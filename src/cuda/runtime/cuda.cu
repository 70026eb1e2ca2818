/* The backend "cuda": devices, contexts, streams and memory. */
#include "cuda/map/map_compiled.h"
#include "cuda/runtime/cublaslt.h"
#include "cuda/runtime/gpu.h"
#include "cuda/runtime/nvrtc.h"

#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------ devices */

/* Returns the error for a machine on which no GPU can be used: WEFT_NO_DEVICE if there is none, WEFT_UNSUPPORTED if
 * there may be one. */
static weft_status no_gpu(cudaError_t fault, weft_error *error) {
    int driver = 0, runtime = CUDART_VERSION;
    (void)cudaGetLastError();
    (void)cudaDriverGetVersion(&driver); /* succeeds without a driver, with version 0 */
    (void)cudaGetLastError();
    RETURN_IF(driver == 0, WEFT_NO_DEVICE, "no NVIDIA driver is installed on this machine");
    RETURN_IF(fault == cudaErrorInsufficientDriver, WEFT_UNSUPPORTED,
              "the NVIDIA driver is too old: it supports CUDA %d.%d, but weft was built with CUDA %d.%d",
              driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    RETURN_IF((fault == cudaSuccess || fault == cudaErrorNoDevice) && visible, WEFT_NO_DEVICE,
              "no NVIDIA GPU is visible: CUDA_VISIBLE_DEVICES is \"%.64s\"", visible);
    RETURN_IF(fault == cudaSuccess || fault == cudaErrorNoDevice, WEFT_NO_DEVICE,
              "an NVIDIA driver is installed on this machine, but there is no GPU");
    cuda_failed(fault, "looking for GPUs", error);
    return WEFT_UNSUPPORTED;
}

/* Sets *count to the number of GPUs, at least one, or returns the reason why there is none. */
static weft_status count_gpus(int *count, weft_error *error) {
    *count = 0;
    const cudaError_t fault = cudaGetDeviceCount(count);
    if (fault != cudaSuccess || *count <= 0) {
        *count = 0;
        return no_gpu(fault, error);
    }
    return WEFT_OK;
}

static int count(void) {
    int gpus;
    weft_error ignored;
    (void)count_gpus(&gpus, &ignored);
    return gpus;
}

/* Returns an attribute, or 0 if this version of CUDA does not have it. */
static int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess) {
        (void)cudaGetLastError();
        value = 0;
    }
    return value;
}

static weft_status describe(int index, weft_device_info *info, weft_error *error) {
    cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceProperties(&properties, index), "describing a GPU");
    snprintf(info->id, sizeof info->id, "cuda:%d", index);
    snprintf(info->name, sizeof info->name, "%.127s", properties.name);
    snprintf(info->isa, sizeof info->isa, "sm_%d%d", properties.major, properties.minor);
    info->memory_bytes = properties.totalGlobalMem;
    /* Two transfers per clock cycle; the clock is in kHz and the bus width in bits. */
    info->bandwidth_bytes = (uint64_t)attribute(cudaDevAttrMemoryClockRate, index) * 1000 * 2 *
                            (uint64_t)attribute(cudaDevAttrGlobalMemoryBusWidth, index) / 8;
    info->l2_bytes = (uint64_t)properties.l2CacheSize;
    info->cores = properties.multiProcessorCount;
    info->compute_major = properties.major;
    info->compute_minor = properties.minor;
    info->max_threads_per_block = properties.maxThreadsPerBlock;
    info->max_threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
    info->max_blocks_per_multiprocessor = attribute(cudaDevAttrMaxBlocksPerMultiprocessor, index);
    info->shared_bytes_per_block = properties.sharedMemPerBlock;
    CUDA_TRY(cudaDriverGetVersion(&info->driver_version), "querying the driver version");
    CUDA_TRY(cudaRuntimeGetVersion(&info->runtime_version), "querying the runtime version");
    if (nvrtc_knows(10 * properties.major + properties.minor)) info->nvrtc_version = nvrtc_version();
    return WEFT_OK;
}

/* ------------------------------------------------------------------------ opening, closing */

/* Parses "" as GPU 0, and otherwise a number of one to four digits. */
static weft_status parse_device(const char *which, int *device, weft_error *error) {
    int gpus;
    RETURN_IF_ERROR(count_gpus(&gpus, error));
    const size_t digits = strspn(which, "0123456789");
    const bool number = digits <= 4 && which[digits] == '\0';
    *device = number ? atoi(which) : -1;
    RETURN_IF(*device < 0 || *device >= gpus, WEFT_NO_DEVICE,
              "unknown device \"cuda:%.32s\": there %s %d: cuda:0%s%.0d", which, gpus == 1 ? "is" : "are", gpus,
              gpus == 1 ? "" : " to cuda:", gpus - 1);
    return WEFT_OK;
}

/* Returns WEFT_UNSUPPORTED if the plugin has no code for this GPU, which CUDA reports only when a kernel is queried.
 * Sets has_sm_90: code that was compiled for older GPUs does not contain the instruction that waits. */
static weft_status probe(gpu *g, weft_error *error) {
    const int device = g->device;
    cudaFuncAttributes own;
    const cudaError_t fault = cudaFuncGetAttributes(&own, cuda_probe_kernel());
    if (fault == cudaErrorNoKernelImageForDevice || fault == cudaErrorInvalidDeviceFunction ||
        fault == cudaErrorUnsupportedPtxVersion || fault == cudaErrorInvalidPtx) {
        (void)cudaGetLastError();
        return weft_fail(error, WEFT_UNSUPPORTED, "this build of weft contains no code for cuda:%d (sm_%d%d)", device,
                         attribute(cudaDevAttrComputeCapabilityMajor, device),
                         attribute(cudaDevAttrComputeCapabilityMinor, device));
    }
    CUDA_TRY(fault, "opening the GPU");
    g->has_sm_90 = g->arch >= 90 && own.ptxVersion >= 90;
    return WEFT_OK;
}

/* Creates the context's stream as one that waits for CUDA's default stream. A cudaMemcpy from pageable memory may
 * still be in progress on the default stream after it returns; a caller who mixes the two would otherwise read stale
 * data at times. */
static weft_status open_parts(gpu *g, weft_error *error) {
    RETURN_IF_ERROR(gpu_formula_policy(g, error));
    RETURN_IF_ERROR(probe(g, error));
    CUDA_TRY(cudaStreamCreate(&g->own), "creating a stream");
    g->stream = g->own;
    CUDA_TRY(cudaEventCreateWithFlags(&g->handover, cudaEventDisableTiming), "creating an event");
    return gpu_scratch_open(g, error);
}

static void close_parts(gpu *g) {
    if (g->stream) (void)cudaStreamSynchronize(g->stream);
    gpu_formulas_close(g);
    cublaslt_close(g);
    gpu_scratch_close(g);
    transfer_close_copy_streams(g);
    if (g->handover) (void)cudaEventDestroy(g->handover);
    if (g->own) (void)cudaStreamDestroy(g->own);
    (void)cudaGetLastError();
}

weft_status gpu_allow_shared(const gpu *g, const void *kernel, const char *operation, weft_error *error) {
    const void **const slot =
        &g->shared_limit_set[((uintptr_t)kernel >> 4) % (sizeof g->shared_limit_set / sizeof *g->shared_limit_set)];
    cudaFuncAttributes own;
    if (*slot == kernel) return WEFT_OK;
    CUDA_TRY(cudaFuncGetAttributes(&own, kernel), operation);
    CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)(g->shared_bytes - own.sharedSizeBytes)),
             operation);
    *slot = kernel;
    return WEFT_OK;
}

static weft_status open_gpu(const char *which, weft_heap *heap, void **state, weft_error *error) {
    int device;
    RETURN_IF_ERROR(parse_device(which, &device, error));
    gpu *g = (gpu *)calloc(1, sizeof *g);
    RETURN_IF(!g, WEFT_OUT_OF_MEMORY, "cannot allocate a context of %zu bytes", sizeof *g);
    const current_device scope(device);
    g->heap = heap;
    g->device = device;
    snprintf(g->id, sizeof g->id, "cuda:%d", device);
    g->multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
    g->arch = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
              attribute(cudaDevAttrComputeCapabilityMinor, device);
    g->shared_bytes = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    const weft_status status = open_parts(g, error);
    if (status != WEFT_OK) {
        close_parts(g);
        free(g);
        return status;
    }
    *state = g;
    return WEFT_OK;
}

static void close_gpu(void *state) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    close_parts(g);
    free(g);
}

static const char *id(const void *state) { return ((const gpu *)state)->id; }

/* ------------------------------------------------------------------------------ streams */

static weft_status set_threads(void *state, int threads, weft_error *error) {
    (void)state, (void)threads, (void)error;
    return WEFT_OK;
}

static weft_status is_capturing(cudaStream_t stream, bool *capturing, weft_error *error) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    CUDA_TRY(cudaStreamIsCapturing(stream, &capture), "querying the capture of the stream");
    *capturing = capture != cudaStreamCaptureStatusNone;
    return WEFT_OK;
}

static weft_status refuse_capture(const gpu *g, const char *what, weft_error *error) {
    bool capturing = false;
    RETURN_IF_ERROR(is_capturing(g->stream, &capturing, error));
    RETURN_IF(capturing, WEFT_INVALID, "%s while the stream is being captured", what);
    return WEFT_OK;
}

/* Makes the new stream wait for the old one, whose work may still use the scratch memory. A stream that is being
 * captured cannot wait for work outside the capture; in that case the host waits. Captured work has not run, so there
 * is nothing to wait for if the old stream is being captured. */
static weft_status set_stream(void *state, void *stream, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const cudaStream_t wanted = stream ? (cudaStream_t)stream : g->own;
    bool old_captures = false, new_captures = false;
    if (wanted == g->stream) return WEFT_OK;
    RETURN_IF_ERROR(is_capturing(wanted, &new_captures, error));
    RETURN_IF_ERROR(is_capturing(g->stream, &old_captures, error));
    if (g->pending && !old_captures && new_captures) {
        CUDA_TRY(cudaStreamSynchronize(g->stream), "waiting for the previous stream");
    } else if (g->pending && !old_captures) {
        CUDA_TRY(cudaEventRecord(g->handover, g->stream), "recording an event in the previous stream");
        CUDA_TRY(cudaStreamWaitEvent(wanted, g->handover, 0), "waiting in the new stream");
    }
    g->stream = wanted;
    return WEFT_OK;
}

static weft_status synchronize(void *state, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    CUDA_TRY(cudaStreamSynchronize(g->stream), "waiting for the GPU");
    g->pending = false;
    return WEFT_OK;
}

static size_t scratch_bytes(const void *state) { return ((const gpu *)state)->scratch_bytes; }

static weft_status release_scratch(void *state, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    RETURN_IF_ERROR(refuse_capture(g, "the allocator cannot be changed", error));
    CUDA_TRY(cudaStreamSynchronize(g->stream), "waiting for the GPU");
    gpu_scratch_release(g);
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------- memory */

static weft_status alloc(void *state, weft_memory memory, size_t bytes, void **p, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    RETURN_IF_ERROR(refuse_capture(g, "memory cannot be allocated", error));
    return gpu_alloc(g, memory, bytes, p, error);
}

/* Frees after the context's work is complete, because that work may still use pinned memory. */
static weft_status release(void *state, weft_memory memory, void *p, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    RETURN_IF_ERROR(refuse_capture(g, "memory cannot be freed", error));
    CUDA_TRY(cudaStreamSynchronize(g->stream), "waiting for the GPU");
    CUDA_TRY(gpu_free(g, memory, p), "freeing memory");
    return WEFT_OK;
}

static weft_status copy(void *state, size_t bytes, const void *src, void *dst, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    cudaPointerAttributes from, to;
    memset(&from, 0, sizeof from);
    memset(&to, 0, sizeof to);
    if (cudaPointerGetAttributes(&from, src) != cudaSuccess) (void)cudaGetLastError();
    if (cudaPointerGetAttributes(&to, dst) != cudaSuccess) (void)cudaGetLastError();
    g->pending = true;
    CUDA_TRY(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDefault, g->stream), "copying memory");
    const bool on_device = (from.type == cudaMemoryTypeDevice || from.type == cudaMemoryTypeManaged) &&
                           (to.type == cudaMemoryTypeDevice || to.type == cudaMemoryTypeManaged);
    if (!on_device) CUDA_TRY(cudaStreamSynchronize(g->stream), "copying memory");
    return WEFT_OK;
}

typedef CUresult (*pointer_query)(unsigned, CUpointer_attribute *, void **, CUdeviceptr);
static pointer_query ask_driver; /* NULL without a driver */

static void find_driver(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver) ask_driver = (pointer_query)dlsym(driver, "cuPointerGetAttributes");
}

/* Returns true if p is device memory that the host cannot access. Queries the driver directly: the runtime would
 * create a context on a GPU to answer. A process that has not used CUDA has no GPU memory, and the driver then
 * returns an error. The type of memory that was not allocated by CUDA is 0. */
static bool device_only(const void *p) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    CUpointer_attribute questions[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
    unsigned type = 0, managed = 0;
    void *answers[] = {&type, &managed};
    pthread_once(&once, find_driver);
    if (!ask_driver || ask_driver(2, questions, answers, (CUdeviceptr)p) != CUDA_SUCCESS) return false;
    return type == CU_MEMORYTYPE_DEVICE && !managed;
}

extern "C" __attribute__((visibility("default"))) const weft_backend *weft_backend_cuda(void) {
    static const weft_backend backend = {
        .abi = WEFT_BACKEND_ABI,
        .name = "cuda",
        .count = count,
        .describe = describe,
        .open = open_gpu,
        .close = close_gpu,
        .id = id,
        .set_threads = set_threads,
        .set_stream = set_stream,
        .synchronize = synchronize,
        .scratch_bytes = scratch_bytes,
        .release_scratch = release_scratch,
        .alloc = alloc,
        .free = release,
        .copy = copy,
        .transfer_memory_kind = transfer_memory_kind,
        .transfer_open = transfer_open,
        .transfer_begin = transfer_begin,
        .transfer_join = transfer_join,
        .transfer_wait = transfer_wait,
        .transfer_time = transfer_time,
        .transfer_close = transfer_close,
        .device_only = device_only,
#define BACKEND(stem) .stem = cuda_##stem,
#include "core/ops.def"
        .fft_takes_columns = cuda_fft_takes_columns,
        .fft_pass = cuda_fft_pass,
        .fft_radices = cuda_fft_radices,
        .fft_takes_whole = cuda_fft_takes_whole,
        .tunables = cuda_tunables,
        .chosen = cuda_chosen,
        .choose = cuda_choose,
        .model = cuda_model,
    };
    return &backend;
}
