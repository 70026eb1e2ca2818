/* What src/cuda uses of CUDA, for a C++ compiler: its kernels then run on a CPU, one thread after another
 * (fibres.cc), in memory that ends at a guard page (device.cc). A file that translate.py has been over compiles with
 * this in place of NVIDIA's header. Only what the operations in cmake/tests_emulated.cmake need is here. */
#ifndef WEFT_EMULATED_CUDA_RUNTIME_H
#define WEFT_EMULATED_CUDA_RUNTIME_H

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

using std::max;
using std::min;

/* ------------------------------------------------------------------------------ language */

#define __host__
#define __device__
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __shared__ static /* blocks run one after another */

struct uint2 {
    unsigned x, y;
} __attribute__((aligned(8)));

struct uint4 {
    unsigned x, y, z, w;
} __attribute__((aligned(16)));

static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

/* ---------------------------------------------------------------- launches (fibres.cc) */

namespace emulated {
struct geometry {
    dim3 grid, block;
    geometry(dim3 grid_, dim3 block_, size_t = 0, void * = nullptr) : grid(grid_), block(block_) {}
};

/* Runs `thread` once for each thread; a block that can go no further ends the process with a sentence. */
void run(const geometry &g, const std::function<void()> &thread);
[[noreturn]] void stop(const char *why);

/* What kernel<<<...>>>(...) becomes. The arguments take the types of the kernel's parameters. */
template <class... P> void launch(const geometry &g, void (*kernel)(P...), std::type_identity_t<P>... arguments) {
    run(g, [=] { kernel(arguments...); });
}

/* For threads: waits for the block; leaves 8 bytes for the warp, and takes those that lane `from` left. */
void block_barrier();
uint64_t warp_exchange(uint64_t mine, int from);
int lane();

template <class T> T shuffle(unsigned mask, T value, int from) {
    static_assert(std::is_arithmetic<T>::value && sizeof(T) >= 4 && sizeof(T) <= 8, "a type that CUDA shuffles");
    if (mask != 0xffffffffu) stop("only shuffles of whole warps are emulated");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = warp_exchange(bits, from);
    memcpy(&value, &bits, sizeof value);
    return value;
}
} // namespace emulated

#define __syncthreads() emulated::block_barrier()
template <class T> T __shfl_sync(unsigned mask, T v, int from) { return emulated::shuffle(mask, v, from & 31); }
template <class T> T __shfl_xor_sync(unsigned mask, T v, int distance) {
    return emulated::shuffle(mask, v, emulated::lane() ^ distance);
}

/* -------------------------------------------------------------- functions of the device */

static inline void __threadfence() {}
template <class T> T __ldg(const T *p) { return *p; }

template <class T> T atomicAdd(T *p, T v) {
    const T old = *p;
    *p = old + v;
    return old;
}

static inline unsigned atomicInc(unsigned *p, unsigned most) {
    const unsigned old = *p;
    *p = old >= most ? 0 : old + 1;
    return old;
}

static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline float __double2float_rn(double x) { return (float)x; }
static inline double __dsqrt_rn(double x) { return sqrt(x); }
static inline uint64_t __umul64hi(uint64_t a, uint64_t b) { return (uint64_t)((unsigned __int128)a * b >> 64); }
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return (unsigned)(((uint64_t)high << 32 | low) >> (by & 31));
}

/* c and the sum of the products of the parts of a and b: four bytes, or two 16-bit halves and the low bytes. */
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

/* ------------------------------------------------------- calls of the runtime (device.cc) */

#define CUDART_VERSION 13000

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInsufficientDriver = 35,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorInvalidPtx = 218,
    cudaErrorUnsupportedPtxVersion = 222,
};
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone };
enum { cudaEventDisableTiming = 2, cudaMemAttachGlobal = 1 };
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaDeviceAttr {
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
struct cudaFuncAttributes {};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
};
struct cudaDeviceProp {
    char name[256];
    int major, minor;
    size_t totalGlobalMem, sharedMemPerBlock;
    int l2CacheSize, multiProcessorCount, maxThreadsPerBlock, maxThreadsPerMultiProcessor;
};

cudaError_t cudaGetLastError();
const char *cudaGetErrorString(cudaError_t fault);
const char *cudaGetErrorName(cudaError_t fault);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream);
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
template <class T> cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned) {
    return emulated::allocate((void **)p, bytes, cudaMemoryTypeManaged);
}

#endif
