/* The part of CUDA that ladder/ and src/cuda use, for a C++ compiler. Kernels run on a CPU, one thread after another
 * (fibres.cc), in memory that ends at a guard page (runtime.cc), and every memory access can be watched (watch.cc).
 * After translate.c has converted a file, it compiles with this header in place of NVIDIA's. The header contains
 * only what the topics of the ladder and the operations of src/cuda need. */
#ifndef WEFT_EXECUTOR_CUDA_RUNTIME_H
#define WEFT_EXECUTOR_CUDA_RUNTIME_H

#include <algorithm>
#include <cmath>
#include <functional>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>
#include <vector>

using std::max;
using std::min;

/* ------------------------------------------------------------------------------ language */

#define __host__
#define __device__
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
/* translate.c writes this before variables of a file, which watch.cc must distinguish from shared memory. */
#define WEFT_DEVICE_VARIABLE __attribute__((section("weft_variables")))
#define __constant__ WEFT_DEVICE_VARIABLE
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static /* blocks run one after another */

/* Vector types: T2 and T4 are aligned to their size, up to 16 bytes. Each has a function make_T2, make_T3, make_T4.
 */
#define WEFT_VECTORS(T, type)                                                    \
    struct __align__(2 * sizeof(type)) T##2 {                                    \
        type x, y;                                                               \
    };                                                                           \
    struct T##3 {                                                                \
        type x, y, z;                                                            \
    };                                                                           \
    struct __align__(sizeof(type) < 8 ? 4 * sizeof(type) : 16) T##4 {            \
        type x, y, z, w;                                                         \
    };                                                                           \
    static inline T##2 make_##T##2(type x, type y) { return {x, y}; }            \
    static inline T##3 make_##T##3(type x, type y, type z) { return {x, y, z}; } \
    static inline T##4 make_##T##4(type x, type y, type z, type w) { return {x, y, z, w}; }
WEFT_VECTORS(char, signed char)
WEFT_VECTORS(uchar, unsigned char)
WEFT_VECTORS(short, short)
WEFT_VECTORS(ushort, unsigned short)
WEFT_VECTORS(int, int)
WEFT_VECTORS(uint, unsigned)
WEFT_VECTORS(longlong, long long)
WEFT_VECTORS(ulonglong, unsigned long long)
WEFT_VECTORS(float, float)
WEFT_VECTORS(double, double)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

/* ---------------------------------------------------------------- launches (fibres.cc) */

namespace emulated {
/* Index of the running thread. */
struct indices {
    dim3 thread, block, block_size, grid_size;
};
extern indices here;

/* Makes the copies that a stream has deferred (runtime.cc), for a kernel that is queued after them. */
void catch_up(void *stream);

struct geometry {
    dim3 grid, block;
    size_t shared;
    void *stream;
    geometry(dim3 grid_, dim3 block_, size_t shared_ = 0, void *stream_ = nullptr)
        : grid(grid_), block(block_), shared(shared_), stream(stream_) {
        catch_up(stream);
    }
};

/* Runs thread(arguments) once for each thread. A launch that a device would refuse or abort sets an error, which
 * cudaGetLastError returns, and a sentence (findings.h). The size of `arguments` is argument_bytes. */
void run(const geometry &g, void (*thread)(const void *arguments), const void *arguments, size_t argument_bytes);
/* Ends the program's call of the executor: throws std::runtime_error, or in a kernel ends the launch. */
[[noreturn]] void stop(const char *why);

/* Kernels that a stream has recorded. Copies of a captured stream are made at once and not recorded. */
struct graph {
    void *stream;
    std::vector<std::function<void()>> kernels;
};
inline graph *captured; /* the graph that is being recorded, or NULL */

template <class THREAD> void start(const geometry &g, const THREAD &thread) {
    const auto kernel = [=] {
        run(
            g, [](const void *call) { (*(const THREAD *)call)(); }, &thread, sizeof thread);
    };
    if (captured && captured->stream == g.stream)
        captured->kernels.push_back(kernel);
    else
        kernel();
}
/* Replaces kernel<<<...>>>(...). The arguments are converted to the types of the kernel's parameters. */
template <class... P> void launch(const geometry &g, void (*kernel)(P...), std::type_identity_t<P>... arguments) {
    start(g, [=] { kernel(arguments...); });
}
/* Launches a function object that calls a kernel. */
template <class CALL, class... A>
requires std::is_class_v<CALL>
void launch(const geometry &g, CALL kernel, A... arguments) {
    start(g, [=] { kernel(arguments...); });
}

/* Returns the memory of extern __shared__ T name[], of the size that the launch requested. */
void *dynamic_shared();

/* For threads: waits for the block. Returns the bitwise or of the threads' arguments. */
uint64_t block_barrier(uint64_t mine);

/* For threads: waits until all lanes of `mask` have called the function, and returns the result for their
 * arguments. */
enum warp_call { WARP_BARRIER, WARP_SHUFFLE, WARP_BALLOT, WARP_MATCH };
uint64_t warp_exchange(warp_call call, unsigned mask, uint64_t mine, int from);
int lane();
long long clock();

/* Report accesses to watch.cc that the compiler does not report: atomic operations, and copies. `from` is the address
 * in the kernel that the operation returns to. */
void touch_atomically(const void *p, size_t bytes, const void *from);
void touch_copy(const void *to, const void *from, size_t bytes);
void touch_relaxed(const void *p, size_t bytes, bool writes, const void *from);

/* For threads: __threadfence. */
void fence();

/* These functions and those below that call them are inlined into the kernel: the executor finds the kernel's line
 * from the address that a call returns to. */
template <class T> __forceinline__ T shuffle(unsigned mask, T value, int from) {
    static_assert(std::is_arithmetic<T>::value && sizeof(T) >= 4 && sizeof(T) <= 8, "a type that CUDA shuffles");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = warp_exchange(WARP_SHUFFLE, mask, bits, from);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the lane `by` below or above in the group of `width`, or the lane itself if there is none. */
static __forceinline__ int lane_at(int by, int width) {
    const int at = lane() % width + by;
    return at < 0 || at >= width ? lane() : lane() + by;
}
} // namespace emulated

#define threadIdx emulated::here.thread
#define blockIdx emulated::here.block
#define blockDim emulated::here.block_size
#define gridDim emulated::here.grid_size
enum { warpSize = 32 };

static __forceinline__ void __syncthreads() { emulated::block_barrier(0); }
static __forceinline__ int __syncthreads_or(int is) { return emulated::block_barrier(is != 0) != 0; }
static __forceinline__ int __syncthreads_and(int is) { return emulated::block_barrier(is == 0) == 0; }
static __forceinline__ void __syncwarp(unsigned mask = 0xffffffffu) {
    emulated::warp_exchange(emulated::WARP_BARRIER, mask, 0, 0);
}
template <class T> __forceinline__ T __shfl_sync(unsigned mask, T v, int from, int width = 32) {
    return emulated::shuffle(mask, v, emulated::lane() / width * width + (from & (width - 1)));
}
template <class T> __forceinline__ T __shfl_xor_sync(unsigned mask, T v, int distance, int width = 32) {
    const int from = emulated::lane() ^ distance; /* a lane of a later group is not read */
    return emulated::shuffle(mask, v, from / width > emulated::lane() / width ? emulated::lane() : from);
}
template <class T> __forceinline__ T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32) {
    return emulated::shuffle(mask, v, emulated::lane_at(-(int)by, width));
}
template <class T> __forceinline__ T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32) {
    return emulated::shuffle(mask, v, emulated::lane_at((int)by, width));
}
static __forceinline__ unsigned __ballot_sync(unsigned mask, int is) {
    return (unsigned)emulated::warp_exchange(emulated::WARP_BALLOT, mask, is != 0, 0);
}
static __forceinline__ int __any_sync(unsigned mask, int is) { return __ballot_sync(mask, is) != 0; }
static __forceinline__ int __all_sync(unsigned mask, int is) { return __ballot_sync(mask, is) == mask; }
template <class T> __forceinline__ unsigned __match_any_sync(unsigned mask, T v) {
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof v);
    return (unsigned)emulated::warp_exchange(emulated::WARP_MATCH, mask, bits, 0);
}

/* Reduces the values of the lanes of a mask, in the order of the lanes. */
template <class T, class OP> __forceinline__ T reduce_lanes(unsigned mask, T v, OP op) {
    T reduced = v;
    bool any = false;
    for (int lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1)) continue;
        const T other = emulated::shuffle(mask, v, lane);
        reduced = any ? op(reduced, other) : other;
        any = true;
    }
    return reduced;
}
template <class T> __forceinline__ T __reduce_add_sync(unsigned mask, T v) {
    return reduce_lanes(mask, v, [](T a, T b) { return (T)(a + b); });
}
template <class T> __forceinline__ T __reduce_min_sync(unsigned mask, T v) {
    return reduce_lanes(mask, v, [](T a, T b) { return std::min(a, b); });
}
template <class T> __forceinline__ T __reduce_max_sync(unsigned mask, T v) {
    return reduce_lanes(mask, v, [](T a, T b) { return std::max(a, b); });
}
static __forceinline__ unsigned __reduce_and_sync(unsigned mask, unsigned v) {
    return reduce_lanes(mask, v, [](unsigned a, unsigned b) { return a & b; });
}
static __forceinline__ unsigned __reduce_or_sync(unsigned mask, unsigned v) {
    return reduce_lanes(mask, v, [](unsigned a, unsigned b) { return a | b; });
}
static __forceinline__ unsigned __reduce_xor_sync(unsigned mask, unsigned v) {
    return reduce_lanes(mask, v, [](unsigned a, unsigned b) { return a ^ b; });
}

/* -------------------------------------------------------------- functions of the device */

static inline void __threadfence() { emulated::fence(); }
static inline void __threadfence_system() { emulated::fence(); }
static inline void __threadfence_block() {}
static inline void __nanosleep(unsigned) {}
static inline long long clock64() { return emulated::clock(); } /* nanoseconds */
template <class T> __forceinline__ T __ldg(const T *p) { return *p; }
template <class T> __forceinline__ T __ldcg(const T *p) { return *p; }
template <class T> __forceinline__ T __ldcs(const T *p) { return *p; }
template <class T> __forceinline__ void __stcg(T *p, T v) { *p = v; }
template <class T> __forceinline__ void __stcs(T *p, T v) { *p = v; }

/* Replaces *p by next(*p). Returns the old value. */
template <class T, class NEXT> __attribute__((noinline, no_sanitize("thread"))) T atomic_step(T *p, NEXT next) {
    emulated::touch_atomically(p, sizeof *p, __builtin_return_address(0));
    const T old = *p;
    *p = next(old);
    return old;
}
template <class T> __forceinline__ T atomicAdd(T *p, std::type_identity_t<T> v) {
    return atomic_step(p, [v](T old) { return (T)(old + v); });
}
template <class T> __forceinline__ T atomicMax(T *p, std::type_identity_t<T> v) {
    return atomic_step(p, [v](T old) { return std::max(old, v); });
}
template <class T> __forceinline__ T atomicMin(T *p, std::type_identity_t<T> v) {
    return atomic_step(p, [v](T old) { return std::min(old, v); });
}
template <class T> __forceinline__ T atomicOr(T *p, std::type_identity_t<T> v) {
    return atomic_step(p, [v](T old) { return (T)(old | v); });
}
template <class T> __forceinline__ T atomicSub(T *p, std::type_identity_t<T> v) {
    return atomic_step(p, [v](T old) { return (T)(old - v); });
}
template <class T> __forceinline__ T atomicAnd(T *p, std::type_identity_t<T> v) {
    return atomic_step(p, [v](T old) { return (T)(old & v); });
}
template <class T> __forceinline__ T atomicXor(T *p, std::type_identity_t<T> v) {
    return atomic_step(p, [v](T old) { return (T)(old ^ v); });
}
template <class T> __forceinline__ T atomicExch(T *p, std::type_identity_t<T> v) {
    return atomic_step(p, [v](T) { return v; });
}
template <class T> __forceinline__ T atomicCAS(T *p, std::type_identity_t<T> expected, std::type_identity_t<T> v) {
    return atomic_step(p, [expected, v](T old) { return old == expected ? v : old; });
}
static __forceinline__ unsigned atomicInc(unsigned *p, unsigned most) {
    return atomic_step(p, [most](unsigned old) { return old >= most ? 0 : old + 1; });
}

static __forceinline__ unsigned atomicDec(unsigned *p, unsigned most) {
    return atomic_step(p, [most](unsigned old) { return old == 0 || old > most ? most : old - 1; });
}

static inline unsigned __brev(unsigned x) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; bit++) reversed |= (x >> bit & 1) << (31 - bit);
    return reversed;
}
static inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
/* 0xff in each byte in which a and b differ, 0 in the others. */
static inline unsigned __vcmpne4(unsigned a, unsigned b) {
    unsigned differ = 0;
    for (unsigned byte = 0xff; byte; byte <<= 8) differ |= (a ^ b) & byte ? byte : 0;
    return differ;
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
static inline double __drcp_rn(double x) { return 1 / x; }
template <class T, class B> T from_bits(B bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline float __uint_as_float(unsigned bits) { return from_bits<float>(bits); }
static inline unsigned __float_as_uint(float value) { return from_bits<unsigned>(value); }
static inline int __double2hiint(double x) { return (int)(from_bits<uint64_t>(x) >> 32); }
static inline int __double2loint(double x) { return (int)from_bits<uint64_t>(x); }
static inline long long __double2ll_rn(double x) { return llrint(x); }
static inline double __longlong_as_double(long long bits) { return from_bits<double>(bits); }
/* The instructions that are written in assembly: approximations of 1/x and 1/sqrt(x). Only a GPU gives their last
 * bits. */
template <class T> T approximation(const char *text, T x) { return strstr(text, "rsqrt") ? 1 / sqrt(x) : 1 / x; }
#define asm(...) r = approximation(#__VA_ARGS__, x)
static inline float __double2float_rn(double x) { return (float)x; }
static inline double __dsqrt_rn(double x) { return sqrt(x); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline uint64_t __umul64hi(uint64_t a, uint64_t b) { return (uint64_t)((unsigned __int128)a * b >> 64); }
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return (unsigned)(((uint64_t)high << 32 | low) >> (by & 31));
}

/* Returns c plus the sum of the products of the parts of a and b: four bytes, or two 16-bit halves and the low
 * bytes. */
template <class A, class B, int PARTS, class T> T dot_of_parts(T a, T b, T c) {
    for (int i = 0; i < PARTS; i++) c += (T)((A)(a >> 8 * sizeof(A) * i) * (B)(b >> 8 * sizeof(B) * i));
    return c;
}
static inline int __dp4a(int a, int b, int c) { return dot_of_parts<int8_t, int8_t, 4>(a, b, c); }
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    return dot_of_parts<uint8_t, uint8_t, 4>(a, b, c);
}
static inline int __dp2a_lo(int a, int b, int c) { return dot_of_parts<int16_t, int8_t, 2>(a, b, c); }
static inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return dot_of_parts<uint16_t, uint8_t, 2>(a, b, c);
}

/* ------------------------------------------------------- calls of the runtime (runtime.cc) */

#define CUDART_VERSION 13000

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInsufficientDriver = 35,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorInvalidPtx = 218,
    cudaErrorUnsupportedPtxVersion = 222,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchTimeout = 702,
    cudaErrorIllegalInstruction = 715,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchFailure = 719,
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone };
enum { cudaEventDefault = 0, cudaEventDisableTiming = 2, cudaStreamNonBlocking = 1, cudaMemAttachGlobal = 1 };
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaDeviceAttr {
    cudaDevAttrClockRate,
    cudaDevAttrMemoryClockRate,
    cudaDevAttrGlobalMemoryBusWidth,
    cudaDevAttrMaxBlocksPerMultiprocessor,
    cudaDevAttrComputeCapabilityMajor,
    cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrMaxSharedMemoryPerBlockOptin
};

typedef void *cudaStream_t;
typedef void *cudaEvent_t;
struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    int ptxVersion; /* always 0 */
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
};
struct cudaDeviceProp {
    char name[256];
    int major, minor;
    size_t totalGlobalMem, sharedMemPerBlock;
    int l2CacheSize, multiProcessorCount, maxThreadsPerBlock, maxThreadsPerMultiProcessor;
    int maxThreadsDim[3], maxGridSize[3], warpSize, memoryBusWidth;
};

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t fault);
const char *cudaGetErrorName(cudaError_t fault);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaDeviceSynchronize();
enum { cudaEnableDefault = 0 };
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess,
    cudaDriverEntryPointSymbolNotFound,
    cudaDriverEntryPointVersionNotSufficent
};
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult *result = nullptr);
/* The number of blocks that have as many threads as a multiprocessor. */
template <class KERNEL>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, KERNEL, int threads, size_t) {
    *blocks = 2048 / threads;
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
/* Graphs of the kernels of one stream, executed in the order in which they were recorded. */
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal };
struct cudaGraphExecUpdateResultInfo {};
typedef emulated::graph *cudaGraph_t;
typedef emulated::graph *cudaGraphExec_t;
static inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    if (!stream || emulated::captured) return cudaErrorInvalidValue;
    emulated::captured = new emulated::graph{stream, {}};
    return cudaSuccess;
}
static inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    if (!emulated::captured || emulated::captured->stream != stream) return cudaErrorInvalidValue;
    *graph = emulated::captured;
    emulated::captured = nullptr;
    return cudaSuccess;
}
static inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                        unsigned long long) {
    *exec = new emulated::graph(*graph);
    return cudaSuccess;
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                              cudaGraphExecUpdateResultInfo *) {
    if (exec->kernels.size() != graph->kernels.size()) return cudaErrorInvalidValue;
    *exec = *graph;
    return cudaSuccess;
}
static inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    emulated::catch_up(stream);
    for (const auto &kernel : exec->kernels) kernel();
    return cudaSuccess;
}
static inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}
static inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return cudaGraphDestroy(exec); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to); /* always 0 */
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset(void *p, int value, size_t bytes);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                              size_t rows, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream);

namespace emulated {
cudaError_t allocate(void **p, size_t bytes, cudaMemoryType type);
}
template <class T> cudaError_t cudaMalloc(T **p, size_t bytes) {
    return emulated::allocate((void **)p, bytes, cudaMemoryTypeDevice);
}
template <class T> cudaError_t cudaMallocHost(T **p, size_t bytes) {
    return emulated::allocate((void **)p, bytes, cudaMemoryTypeHost);
}
template <class T> cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned = cudaMemAttachGlobal) {
    return emulated::allocate((void **)p, bytes, cudaMemoryTypeManaged);
}
template <class T> cudaError_t cudaMemcpyToSymbol(T &variable, const void *from, size_t bytes) {
    memcpy(&variable, from, std::min(bytes, sizeof variable));
    return cudaSuccess;
}
template <class T> cudaError_t cudaMemcpyFromSymbol(void *to, const T &variable, size_t bytes) {
    memcpy(to, &variable, std::min(bytes, sizeof variable));
    return cudaSuccess;
}

#endif
