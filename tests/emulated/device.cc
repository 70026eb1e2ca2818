/* The emulated GPU: its memory, the calls of CUDA's runtime, and the operations that it lacks. Every call is done
 * when it returns. Its one user is `weft verify`, which calls from one thread. */
#include "cuda/gpu.h"

#include <map>
#include <sys/mman.h>

/* --------------------------------------------------------------------------------- memory */

namespace {

const size_t PAGE = 4096;
const size_t GRAIN = 16; /* the widest load */
const size_t MEMORY_BYTES = (size_t)8 << 30;
const size_t FILLED_BYTES = (size_t)4 << 20; /* filling more would take longer than the tests */

struct block {
    size_t bytes;
    cudaMemoryType type;
    void *pages;
    size_t pages_bytes;
};
std::map<const char *, block> blocks; /* by their first byte */

const block *block_of(const void *p) {
    auto next = blocks.upper_bound((const char *)p);
    if (next == blocks.begin()) return nullptr;
    --next;
    return (const char *)p < next->first + next->second.bytes ? &next->second : nullptr;
}

bool on_device(const void *p) {
    const block *const found = block_of(p);
    return found && found->type != cudaMemoryTypeHost;
}

} // namespace

/* A block ends where a page begins that may not be touched, and holds no zeros that a kernel could rely on. */
cudaError_t emulated::allocate(void **p, size_t bytes, cudaMemoryType type) {
    *p = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (bytes > MEMORY_BYTES) return cudaErrorMemoryAllocation;
    const size_t used = (bytes + GRAIN - 1) / GRAIN * GRAIN, before_guard = (used + PAGE - 1) / PAGE * PAGE;
    void *pages = mmap(nullptr, before_guard + PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return cudaErrorMemoryAllocation;
    if (mprotect((char *)pages + before_guard, PAGE, PROT_NONE) != 0) stop("a guard page cannot be made");
    char *const first = (char *)pages + before_guard - used;
    memset(first, 0xc7, min(used, FILLED_BYTES));
    blocks[first] = {bytes, type, pages, before_guard + PAGE};
    *p = first;
    return cudaSuccess;
}

cudaError_t cudaFree(void *p) {
    if (!p) return cudaSuccess;
    const auto found = blocks.find((const char *)p);
    if (found == blocks.end()) emulated::stop("memory is freed that is not allocated");
    munmap(found->second.pages, found->second.pages_bytes);
    blocks.erase(found);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *p) { return cudaFree(p); }

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p) {
    const block *const found = block_of(p);
    *attributes = {found ? found->type : cudaMemoryTypeUnregistered, 0};
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
    if (bytes == 0) return cudaSuccess;
    const bool reads_device = on_device(from), writes_device = on_device(to);
    if ((kind == cudaMemcpyHostToDevice && !writes_device) || (kind == cudaMemcpyDeviceToHost && !reads_device) ||
        (kind == cudaMemcpyDeviceToDevice && !(reads_device && writes_device)))
        emulated::stop("a copy of another kind than it says");
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t) {
    if (bytes > 0 && !on_device(p)) emulated::stop("host memory is set as if it were on the device");
    memset(p, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    *available = *total = MEMORY_BYTES;
    return cudaSuccess;
}

/* ----------------------------------------------------------------------------- the device */

namespace {

enum { MULTIPROCESSORS = 2, COMPUTE_MAJOR = 9, SHARED_BYTES = 48 << 10, SHARED_BYTES_AT_MOST = 227 << 10 };

template <class T, class V> cudaError_t answer(T *to, V value) {
    *to = value;
    return cudaSuccess;
}

} // namespace

cudaError_t cudaGetLastError() { return cudaSuccess; }
const char *cudaGetErrorString(cudaError_t) { return "an error of the emulated GPU"; }
const char *cudaGetErrorName(cudaError_t) { return "emulated"; }
cudaError_t cudaDriverGetVersion(int *version) { return answer(version, CUDART_VERSION); }
cudaError_t cudaRuntimeGetVersion(int *version) { return answer(version, CUDART_VERSION); }
cudaError_t cudaGetDeviceCount(int *count) { return answer(count, 1); }
cudaError_t cudaGetDevice(int *device) { return answer(device, 0); }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *) { return cudaSuccess; }

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int) {
    switch (which) {
    case cudaDevAttrMultiProcessorCount: return answer(value, MULTIPROCESSORS);
    case cudaDevAttrComputeCapabilityMajor: return answer(value, COMPUTE_MAJOR);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return answer(value, SHARED_BYTES_AT_MOST);
    default: return answer(value, 0);
    }
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
    *properties = {"emulated", COMPUTE_MAJOR, 0, MEMORY_BYTES, SHARED_BYTES, 1 << 20, MULTIPROCESSORS, 1024, 2048};
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return answer(stream, (cudaStream_t)1); }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
    return answer(status, cudaStreamCaptureStatusNone);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) { return answer(event, (cudaEvent_t)1); }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }

/* The kernels that are launched by their address take a job, but for the one that stores a value. */
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t, cudaStream_t) {
    const emulated::geometry g(grid, block);
    if (kernel == cuda_probe_kernel())
        emulated::launch(g, (void (*)(void *, uint64_t, uint32_t))kernel, *(void **)arguments[0],
                         *(uint64_t *)arguments[1], *(uint32_t *)arguments[2]);
    else
        emulated::launch(g, (void (*)(job))kernel, *(job *)arguments[0]);
    return cudaSuccess;
}

/* ------------------------------------------------------------------- what is not emulated */

/* The scan that other operations are built on, which finds the place of each block's results. */
weft_status cuda_scan(void *, const scan_call *c, weft_error *error) {
    RETURN_IF(c->op != WEFT_SUM || c->kind != WEFT_EXCLUSIVE || c->dtype != WEFT_U64 || c->result != WEFT_U64 ||
                  c->init || !on_device(c->x) || !on_device(c->y),
              WEFT_UNSUPPORTED, "the emulated GPU has no scan but the exclusive sum of u64 in its memory");
    uint64_t sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        const uint64_t x = ((const uint64_t *)c->x)[i];
        ((uint64_t *)c->y)[i] = sum;
        sum += x;
    }
    return WEFT_OK;
}

#define LACKS(stem)                                                                  \
    weft_status cuda_##stem(void *, const stem##_call *, weft_error *error) {        \
        return weft_fail(error, WEFT_UNSUPPORTED, "the emulated GPU has no " #stem); \
    }
LACKS(laplace)
LACKS(select)
LACKS(run_length)
LACKS(segmented)
LACKS(recurrence)
LACKS(histogram)
LACKS(top_k)
LACKS(merge)
LACKS(search_sorted)
LACKS(matmul)
LACKS(fft)
LACKS(convolve)
LACKS(tridiag)
LACKS(sort)
LACKS(argsort)
