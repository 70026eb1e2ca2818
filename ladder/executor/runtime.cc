/* Memory of the executor, and the functions of CUDA's runtime. Every call is done when it returns, except copies
 * between pinned and device memory on a non-blocking stream. They are made as late as CUDA allows, when the program
 * waits for them. So a program that forgets to wait gets other data. */
#include "executor.h"

#include <deque>
#include <map>
#include <set>
#include <sys/mman.h>

/* --------------------------------------------------------------------------------- memory */

namespace emulated {

const block *last_found;

namespace {

const size_t PAGE = 4096;
const size_t GRAIN = 16; /* the widest load */
const size_t MEMORY_BYTES = (size_t)8 << 30;
const size_t FILLED_BYTES = (size_t)4 << 20; /* filling more would take longer than the tests */

/* Blocks by their pages. Watched files may access memory before the variables of this file are constructed. */
std::map<const char *, block> &all_blocks() {
    static std::map<const char *, block> blocks;
    return blocks;
}

/* Returns the block that contains p itself. */
const block *holder(const void *p) {
    const block *const b = block_of(p);
    return b && (const char *)p >= b->first && (const char *)p < b->first + b->bytes ? b : nullptr;
}

} // namespace

const block *block_of(const void *p) {
    const char *const at = (const char *)p;
    if (last_found && last_found->holds(at)) return last_found;
    std::map<const char *, block> &blocks = all_blocks();
    auto next = blocks.upper_bound(at);
    if (next == blocks.begin() || !(--next)->second.holds(at)) return nullptr;
    return last_found = &next->second;
}

bool on_device(const void *p) {
    const block *const found = holder(p);
    return found && found->type != cudaMemoryTypeHost;
}

namespace {

/* Records a mistake of the host's code, in a call of CUDA that returns to `from`. Returns the error of the call. */
cudaError_t refuse(cudaError_t error, const char *call, const void *from, const char *why) {
    if (!is_told()) fault("%s%s: %s", call, where(site_of(from)).c_str(), why);
    return failed(error);
}

/* Returns true if `bytes` bytes at p are in one allocation, or p is in none. */
bool is_within(const void *p, size_t bytes) {
    const block *const b = holder(p);
    return !b || bytes <= (size_t)(b->first + b->bytes - (const char *)p);
}

} // namespace

/* A block ends at the start of a page that must not be accessed, and is not filled with zeros, which a kernel could
 * rely on. */
cudaError_t allocate(void **p, size_t bytes, cudaMemoryType type) {
    *p = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (bytes > MEMORY_BYTES) return failed(cudaErrorMemoryAllocation);
    const size_t used = (bytes + GRAIN - 1) / GRAIN * GRAIN, before_guard = (used + PAGE - 1) / PAGE * PAGE;
    void *pages = mmap(nullptr, before_guard + PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return failed(cudaErrorMemoryAllocation);
    if (mprotect((char *)pages + before_guard, PAGE, PROT_NONE) != 0) stop("a guard page cannot be made");
    char *const first = (char *)pages + before_guard - used;
    memset(first, 0xc7, min(used, FILLED_BYTES));
    all_blocks()[(char *)pages] = {first, bytes, type, (char *)pages, before_guard + PAGE, nullptr, nullptr};
    *p = first;
    return cudaSuccess;
}

} // namespace emulated

using emulated::on_device;

/* -------------------------------------------------------------------------------- streams */

namespace {

struct late_copy {
    void *to;
    const void *from;
    size_t bytes;
};

/* A non-blocking stream. */
struct late_stream {
    std::deque<late_copy> copies;
    size_t issued = 0, made = 0;

    void catch_up(size_t wanted) {
        for (; made < wanted; made++) {
            memcpy(copies.front().to, copies.front().from, copies.front().bytes);
            emulated::note_written(copies.front().to, copies.front().bytes);
            copies.pop_front();
        }
    }
};

/* A position in the queue of a stream: the point after this many copies. */
struct event {
    late_stream *stream;
    size_t issued;
};

std::set<late_stream *> late_streams;

late_stream *find_late(cudaStream_t stream) {
    late_stream *const s = (late_stream *)stream;
    return late_streams.count(s) ? s : nullptr;
}

void catch_up_with_all() {
    for (late_stream *s : late_streams) s->catch_up(s->issued);
}

void catch_up_with_event(cudaEvent_t e) {
    const event *const recorded = (const event *)e;
    if (find_late((cudaStream_t)recorded->stream)) recorded->stream->catch_up(recorded->issued);
}

} // namespace

void emulated::catch_up(void *stream) {
    if (late_stream *const s = find_late(stream)) s->catch_up(s->issued);
}
using emulated::catch_up;

static cudaError_t free_block(void *p, const char *call, const void *from) {
    if (!p) return cudaSuccess;
    catch_up_with_all();
    const emulated::block *const found = emulated::block_of(p);
    if (!found || found->first != p)
        return emulated::refuse(cudaErrorInvalidValue, call, from, "the pointer is not the start of an allocation");
    char *const pages = found->pages;
    emulated::forget(*found);
    munmap(pages, found->pages_bytes);
    emulated::last_found = nullptr;
    emulated::all_blocks().erase(pages);
    return cudaSuccess;
}

cudaError_t cudaFree(void *p) { return free_block(p, "cudaFree", __builtin_return_address(0)); }
cudaError_t cudaFreeHost(void *p) { return free_block(p, "cudaFreeHost", __builtin_return_address(0)); }

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p) {
    const emulated::block *const found = emulated::holder(p);
    *attributes = {found ? found->type : cudaMemoryTypeUnregistered, 0};
    return cudaSuccess;
}

namespace {

/* A call of the host's code, and the address that it returns to. */
struct host_call {
    const char *name;
    const void *from;
};

/* Returns the mistake in a copy, or NULL. */
const char *mistake_in_copy(const void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    if ((kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) && !on_device(to))
        return "the kind of the copy requires memory of the device as its destination";
    if ((kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) && !on_device(from))
        return "the kind of the copy requires memory of the device as its source";
    if (!emulated::is_within(to, bytes)) return "the destination is smaller than the copy";
    if (!emulated::is_within(from, bytes)) return "the source is smaller than the copy";
    return nullptr;
}

cudaError_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                 const host_call &call) {
    if (bytes == 0) return cudaSuccess;
    if (const char *const why = mistake_in_copy(to, from, bytes, kind))
        return emulated::refuse(cudaErrorInvalidValue, call.name, call.from, why);
    late_stream *const late = find_late(stream);
    if (late && emulated::holder(to) && emulated::holder(from)) {
        late->copies.push_back({to, from, bytes});
        late->issued++;
        return cudaSuccess;
    }
    catch_up(stream);
    memcpy(to, from, bytes);
    emulated::note_written(to, bytes);
    return cudaSuccess;
}

cudaError_t set(void *p, int value, size_t bytes, cudaStream_t stream, const host_call &call) {
    catch_up(stream);
    if (bytes > 0 && !on_device(p))
        return emulated::refuse(cudaErrorInvalidValue, call.name, call.from,
                                "the pointer is not memory of the device");
    if (!emulated::is_within(p, bytes))
        return emulated::refuse(cudaErrorInvalidValue, call.name, call.from, "the allocation is smaller than this");
    memset(p, value, bytes);
    emulated::note_written(p, bytes);
    return cudaSuccess;
}

} // namespace

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy(to, from, bytes, kind, stream, {"cudaMemcpyAsync", __builtin_return_address(0)});
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    return copy(to, from, bytes, kind, nullptr, {"cudaMemcpy", __builtin_return_address(0)});
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                              size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
    const host_call call = {"cudaMemcpy2DAsync", __builtin_return_address(0)};
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < rows && error == cudaSuccess; i++)
        error = copy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, bytes, kind, stream, call);
    return error;
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream) {
    return set(p, value, bytes, stream, {"cudaMemsetAsync", __builtin_return_address(0)});
}

cudaError_t cudaMemset(void *p, int value, size_t bytes) {
    return set(p, value, bytes, nullptr, {"cudaMemset", __builtin_return_address(0)});
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    *available = *total = emulated::MEMORY_BYTES;
    return cudaSuccess;
}

/* --------------------------------------------------------------------------------- errors */

namespace {

cudaError_t error = cudaSuccess;

struct error_text {
    cudaError_t error;
    const char *name, *text;
};
/* Returns the messages of CUDA. */
const error_text TEXTS[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
};

const error_text &text_of(cudaError_t which) {
    static const error_text unknown = {cudaErrorInvalidValue, "unknown", "unrecognized error code"};
    for (const error_text &t : TEXTS)
        if (t.error == which) return t;
    return unknown;
}

} // namespace

void emulated::set_error(cudaError_t which) { error = which; }
cudaError_t emulated::failed(cudaError_t which) { return error = which; }

cudaError_t cudaPeekAtLastError() { return error; }
cudaError_t cudaGetLastError() {
    const cudaError_t last = error;
    error = cudaSuccess;
    return last;
}
const char *cudaGetErrorString(cudaError_t which) { return text_of(which).text; }
const char *cudaGetErrorName(cudaError_t which) { return text_of(which).name; }
cudaError_t cudaDeviceSynchronize() {
    catch_up_with_all();
    return error;
}

/* ----------------------------------------------------------------------------- the device */

namespace {

enum { MULTIPROCESSORS = 2, COMPUTE_MAJOR = 9, SHARED_BYTES = 48 << 10, SHARED_BYTES_AT_MOST = 227 << 10 };

template <class T, class V> cudaError_t answer(T *to, V value) {
    *to = value;
    return cudaSuccess;
}

} // namespace

cudaError_t cudaDriverGetVersion(int *version) { return answer(version, CUDART_VERSION); }
cudaError_t cudaRuntimeGetVersion(int *version) { return answer(version, CUDART_VERSION); }
cudaError_t cudaGetDeviceCount(int *count) { return answer(count, 1); }
cudaError_t cudaGetDevice(int *device) { return answer(device, 0); }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *) {
    *attributes = {};
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int) {
    switch (which) {
    case cudaDevAttrMultiProcessorCount: return answer(value, MULTIPROCESSORS);
    case cudaDevAttrComputeCapabilityMajor: return answer(value, COMPUTE_MAJOR);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return answer(value, SHARED_BYTES_AT_MOST);
    default: return answer(value, 0);
    }
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
    *properties = {"emulated",
                   COMPUTE_MAJOR,
                   0,
                   emulated::MEMORY_BYTES,
                   SHARED_BYTES,
                   1 << 20,
                   MULTIPROCESSORS,
                   1024,
                   2048,
                   {1024, 1024, 64},
                   {0x7fffffff, 65535, 65535},
                   32,
                   512};
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return answer(stream, (cudaStream_t)1); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    if (flags != cudaStreamNonBlocking) return cudaStreamCreate(stream);
    return answer(stream, (cudaStream_t)*late_streams.insert(new late_stream).first);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    catch_up(stream);
    late_stream *const late = find_late(stream);
    late_streams.erase(late);
    delete late;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    catch_up(stream);
    return error;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t e, unsigned) {
    catch_up_with_event(e);
    return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
    return answer(status, cudaStreamCaptureStatusNone);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned) { return answer(e, (cudaEvent_t) new event{}); }
cudaError_t cudaEventDestroy(cudaEvent_t e) {
    delete (event *)e;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t stream) {
    late_stream *const late = find_late(stream);
    *(event *)e = {late, late ? late->issued : 0};
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) {
    catch_up_with_event(e);
    return error;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t) { return answer(milliseconds, 0); }
