/* weft on a GPU compared with CUB and cuBLAS, in one run: build/bench_gpu [--json] [ROW...]
 *
 * With arguments ROW, only rows are measured whose name begins with one of them.
 * Inputs and outputs are in device memory, all workspace is allocated beforehand, and weft and its peer alternate.
 * Three quantities are measured:
 *     rate     long inputs (far larger than the L2 cache): GB/s of input read (sorts: Gkeys/s), the median
 *              of ROUNDS batches between two events
 *     latency  short inputs: microseconds of one call and cudaStreamSynchronize, median of many
 *     queued   short inputs: microseconds per call when calls are issued one after the other
 * There are two ceilings: a kernel that only reads, and a copy in device memory. */
#include "weft.h"

#include <algorithm>
#include <chrono>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/functional>
#include <cuda_runtime.h>
#ifdef WEFT_BENCH_CUBLAS
#include <cublas_v2.h>
#endif
#include <functional>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/scatter.h>
#include <vector>

#define ROUNDS 15

static weft_context *ctx;
static cudaStream_t stream;
static bool json;
static bool first_row = true;
static char **rows_wanted; /* beginnings of the names of the rows to measure, up to NULL; none: all */

static bool is_wanted(const char *row) {
    bool found = !*rows_wanted;
    for (char **beginning = rows_wanted; *beginning; beginning++)
        found |= strncmp(row, *beginning, strlen(*beginning)) == 0;
    return found;
}

static void stop(const char *what, const char *why) {
    fprintf(stderr, "bench_gpu: %s: %s\n", what, why);
    exit(1);
}
static void ok(weft_status status) {
    if (status != WEFT_OK) stop("weft", ctx ? weft_last_error(ctx) : weft_last_error(NULL));
}
static void ok(cudaError_t fault) {
    if (fault != cudaSuccess) stop("CUDA", cudaGetErrorString(fault));
}

/* ------------------------------------------------------------------------------- measuring */

typedef std::function<void()> work;

static double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v.empty() ? 0 : v[v.size() / 2];
}

/* Returns the average seconds of `calls` calls, measured by two events. */
static double batch(const work &w, int calls) {
    static cudaEvent_t start, end;
    if (!start) {
        ok(cudaEventCreate(&start));
        ok(cudaEventCreate(&end));
    }
    float ms;
    ok(cudaEventRecord(start, stream));
    for (int i = 0; i < calls; i++) w();
    ok(cudaEventRecord(end, stream));
    ok(cudaEventSynchronize(end));
    ok(cudaEventElapsedTime(&ms, start, end));
    return ms / 1e3 / calls;
}

/* Returns the seconds of one call including its synchronization. */
static double round_trip(const work &w) {
    const auto start = std::chrono::steady_clock::now();
    w();
    ok(cudaStreamSynchronize(stream));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/* Medians of weft and its peer, which alternate. 0 if there is no peer. */
struct pair_of_times {
    double weft, peer;
};

static pair_of_times take_turns(const work &weft, const work &peer, int rounds,
                                const std::function<double(const work &)> &once) {
    std::vector<double> a, b;
    for (int round = -1; round < rounds; round++) { /* the first one warms up */
        const double ta = once(weft), tb = peer ? once(peer) : 0;
        if (round < 0) continue;
        a.push_back(ta);
        b.push_back(tb);
    }
    return pair_of_times{median(a), median(b)};
}

/* -------------------------------------------------------------------------------- printing */

static double ceiling; /* GB/s of the kernel that only reads */

static void print_row(const char *name, const char *measure, size_t n, double weft, const char *peer_name,
                      double peer, double ratio, double share) {
    if (json) {
        printf("%s  {\"name\": \"%s\", \"measure\": \"%s\", \"n\": %zu, \"weft\": %.6g, \"peer_name\": \"%s\", "
               "\"peer\": %.6g, \"ratio\": %.4f, \"of_ceiling\": %.4f}",
               first_row ? "" : ",\n", name, measure, n, weft, peer_name, peer, ratio, share);
    } else {
        printf("%-14s %-12s %11zu %9.*f", name, measure, n, weft < 100 ? 2 : 0, weft);
        if (peer > 0)
            printf("  %-18s %9.*f %6.2fx", peer_name, peer < 100 ? 2 : 0, peer, ratio);
        else
            printf("  %-18s %9s %7s", "-", "-", "-");
        if (share > 0) printf(" %6.1f %%", 100 * share);
        printf("\n");
    }
    first_row = false;
    fflush(stdout);
}

/* Prints a rate. `bytes` is the number of bytes that one call reads. */
static void rate(const char *name, size_t n, double bytes, const work &weft, const char *peer_name,
                 const work &peer) {
    if (!is_wanted(name)) return;
    const pair_of_times t = take_turns(weft, peer, ROUNDS, [](const work &w) { return batch(w, 8); });
    const double gb = bytes / 1e9;
    print_row(name, "GB/s", n, gb / t.weft, peer_name, t.peer > 0 ? gb / t.peer : 0, t.peer / t.weft,
              gb / t.weft / ceiling);
}

static void times(const char *name, size_t n, const work &weft, const char *peer_name, const work &peer) {
    if (!is_wanted(name)) return;
    const pair_of_times t = take_turns(weft, peer, 400, round_trip);
    print_row(name, "latency us", n, t.weft * 1e6, peer_name, t.peer * 1e6, t.peer / t.weft, 0);
    const pair_of_times q = take_turns(weft, peer, ROUNDS, [](const work &w) { return batch(w, 200); });
    print_row(name, "queued us", n, q.weft * 1e6, peer_name, q.peer * 1e6, q.peer / q.weft, 0);
}

/* -------------------------------------------------------------------------------- ceilings */

/* Reads UNROLL 16-byte vectors at a time per thread. The sum is stored only under a condition that is never true, so
 * that the reads are not removed. */
template <int UNROLL> static __global__ void read_kernel(const uint4 *x, size_t vectors, uint32_t *never) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    uint32_t seen = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += stride * UNROLL) {
        uint4 v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) v[u] = i + u * stride < vectors ? __ldg(x + i + u * stride) : uint4{};
#pragma unroll
        for (int u = 0; u < UNROLL; u++) seen ^= v[u].x ^ v[u].y ^ v[u].z ^ v[u].w;
    }
    if (seen == 0x9e3779b9u) *never = seen;
}

/* Measures several launch shapes and keeps the fastest: a ceiling that is too low would flatter weft. */
static void find_ceilings(const void *x, void *other, size_t bytes) {
    cudaDeviceProp properties;
    int device;
    ok(cudaGetDevice(&device));
    ok(cudaGetDeviceProperties(&properties, device));
    const uint4 *vectors = (const uint4 *)x;
    const size_t count = bytes / sizeof(uint4);
    uint32_t *never = (uint32_t *)other;
    for (int blocks : {2, 4, 8, 16, 64})
        for (int threads : {256, 512}) {
            const int grid = blocks * properties.multiProcessorCount;
            const work shapes[] = {
                [&] { read_kernel<4><<<grid, threads, 0, stream>>>(vectors, count, never); },
                [&] { read_kernel<8><<<grid, threads, 0, stream>>>(vectors, count, never); },
                [&] { read_kernel<16><<<grid, threads, 0, stream>>>(vectors, count, never); },
            };
            for (const work &shape : shapes) {
                std::vector<double> t;
                for (int round = 0; round < 7; round++) t.push_back(batch(shape, 4));
                ceiling = std::max(ceiling, bytes / 1e9 / median(t));
            }
        }
    print_row("read only", "GB/s", bytes, ceiling, "-", 0, 0, 1);
    std::vector<double> t;
    for (int round = 0; round < ROUNDS; round++)
        t.push_back(batch([&] { ok(cudaMemcpyAsync(other, x, bytes, cudaMemcpyDeviceToDevice, stream)); }, 4));
    print_row("device copy", "GB/s", bytes, 2 * bytes / 1e9 / median(t), "-", 0, 0,
              2 * bytes / 1e9 / median(t) / ceiling);
}

/* ----------------------------------------------------------------------------------- inputs */

/* Fills with uniform values: floats in [-1, 1), integers over their whole range. */
template <class T> static __global__ void fill_kernel(T *x, size_t n, uint32_t seed) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        uint64_t h = (i + seed) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
        h *= 0xd6e8feb86659fd93u;
        h ^= h >> 32;
        x[i] = sizeof(T) == 4 && (T)0.5 == 0 ? (T)(int32_t)h : (T)((double)(int32_t)h * 0x1p-31);
    }
}

template <class T> static void fill(void *x, size_t n, uint32_t seed) {
    fill_kernel<<<4096, 256, 0, stream>>>((T *)x, n, seed);
    ok(cudaGetLastError());
    ok(cudaStreamSynchronize(stream));
}

/* ------------------------------------------------------------------------------------ peers */

static void *scratch; /* workspace of CUB */
static const size_t scratch_bytes = (size_t)4 << 30;

/* Queries CUB's workspace size once, so that the timed calls need not do so. */
template <class Call> static work cub_work(Call call) {
    size_t needed = 0;
    ok(call((void *)NULL, needed));
    if (needed > scratch_bytes) stop("CUB", "more scratch memory than expected");
    return [call, needed] {
        size_t bytes = needed;
        ok(call(scratch, bytes));
    };
}

template <class T, class Out> static work cub_sum(const void *x, size_t n, void *out) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceReduce::Sum(temporary, bytes, (const T *)x, (Out *)out, (int64_t)n, stream);
    });
}

template <class T> static work cub_min(const void *x, size_t n, void *out) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceReduce::Min(temporary, bytes, (const T *)x, (T *)out, (int64_t)n, stream);
    });
}

template <class T> static work cub_max(const void *x, size_t n, void *out) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceReduce::Max(temporary, bytes, (const T *)x, (T *)out, (int64_t)n, stream);
    });
}

/* An element of a recurrence as the map w -> s w + u; the recurrence is a scan of such maps. */
template <class T> struct alignas(2 * sizeof(T)) map { T s, u; };
struct then {
    template <class T> __host__ __device__ map<T> operator()(const map<T> &a, const map<T> &b) const {
        return map<T>{a.s * b.s, fma(b.s, a.u, b.u)};
    }
};

template <class T> static work cub_recurrence(const void *x, size_t n, void *y) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(temporary, bytes, (const map<T> *)x, (map<T> *)y, then(), (int64_t)n,
                                              stream);
    });
}

static work cub_argmax(const void *x, size_t n, void *out) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceReduce::ArgMax(temporary, bytes, (const float *)x, (float *)out, (int64_t *)out + 1,
                                         (int64_t)n, stream);
    });
}

#ifdef WEFT_BENCH_CUBLAS
static cublasHandle_t blas;

static void open_blas() {
    if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS) stop("cuBLAS", "cannot be opened");
    cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE);
    cublasSetStream(blas, stream);
}
static work blas_dot_f32(const void *x, const void *y, size_t n, void *out) {
    return [=] { cublasSdot_64(blas, (int64_t)n, (const float *)x, 1, (const float *)y, 1, (float *)out); };
}
static work blas_dot_f64(const void *x, const void *y, size_t n, void *out) {
    return [=] { cublasDdot_64(blas, (int64_t)n, (const double *)x, 1, (const double *)y, 1, (double *)out); };
}
static work blas_norm_f32(const void *x, size_t n, void *out) {
    return [=] { cublasSnrm2_64(blas, (int64_t)n, (const float *)x, 1, (float *)out); };
}
#else
static void open_blas() {}
static work blas_dot_f32(const void *, const void *, size_t, void *) { return work(); }
static work blas_dot_f64(const void *, const void *, size_t, void *) { return work(); }
static work blas_norm_f32(const void *, size_t, void *) { return work(); }
#endif

/* ------------------------------------------------------------------------------------- weft */

static work weft_work(weft_op op, weft_dtype dtype, size_t n, const void *x, void *out,
                      weft_dtype sums = WEFT_DEFAULT) {
    return [=] { ok(weft_reduce(ctx, op, dtype, sums, n, x, out)); };
}
static work weft_lanes_work(weft_dtype dtype, size_t n, size_t lanes, const void *x, void *out) {
    return [=] { ok(weft_reduce_lanes(ctx, WEFT_SUM, dtype, WEFT_DEFAULT, n, lanes, x, out)); };
}
static work weft_dot_work(weft_dtype dtype, size_t n, const void *x, const void *y, void *out,
                          weft_dtype sums = WEFT_DEFAULT) {
    return [=] { ok(weft_dot(ctx, dtype, sums, n, x, y, out)); };
}

/* ---------------------------------------------------------------------------- segments */

static __global__ void cut_kernel(uint64_t *offsets, uint32_t *keys, size_t n, size_t length) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        keys[i] = (uint32_t)(i / length);
        if (i % length == 0) offsets[i / length + 1] = min(i + length, n);
        if (i == 0) offsets[0] = 0;
    }
}

/* Measures segments of equal length in GB/s of elements read, and also written by a scan. CUB's scan by key takes
 * keys instead of offsets. */
static void measure_segments(size_t n, size_t length, const char *name, const void *x, void *y) {
    const size_t segments = (n - 1) / length + 1;
    uint64_t *offsets, *count;
    uint32_t *keys, *unique;
    ok(cudaMalloc(&offsets, (segments + 1) * sizeof *offsets));
    ok(cudaMalloc(&keys, n * sizeof *keys));
    ok(cudaMalloc(&unique, n * sizeof *unique));
    ok(cudaMalloc(&count, sizeof *count));
    cut_kernel<<<4096, 256, 0, stream>>>(offsets, keys, n, length);
    ok(cudaGetLastError());
    const std::string tail = std::string(" ") + name;
    rate(("segmented sum" + tail).c_str(), n, 4.0 * n,
         [=] { ok(weft_segmented_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, x, segments, offsets, y)); },
         "CUB segmented", cub_work([=](void *temporary, size_t &bytes) {
             return cub::DeviceSegmentedReduce::Sum(temporary, bytes, (const float *)x, (float *)y, (int64_t)segments,
                                                    offsets, offsets + 1, stream);
         }));
    rate(("segmented scan" + tail).c_str(), n, 8.0 * n,
         [=] {
             ok(weft_segmented_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, n, x, segments, offsets,
                                    y));
         },
         "CUB scan by key", cub_work([=](void *temporary, size_t &bytes) {
             return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, keys, (const float *)x, (float *)y,
                                                       (uint32_t)n, cuda::std::equal_to<>{}, stream);
         }));
    rate(("sum by key" + tail).c_str(), n, 8.0 * n,
         [=] {
             ok(weft_reduce_by_key(ctx, WEFT_SUM, WEFT_U32, WEFT_F32, WEFT_DEFAULT, n, keys, x, unique, y, count));
         },
         "CUB by key", cub_work([=](void *temporary, size_t &bytes) {
             return cub::DeviceReduce::ReduceByKey(temporary, bytes, keys, unique, (const float *)x, (float *)y,
                                                   count, cuda::std::plus<>{}, (int64_t)n, stream);
         }));
    ok(cudaStreamSynchronize(stream));
    for (void *p : {(void *)offsets, (void *)count, (void *)keys, (void *)unique}) ok(cudaFree(p));
}

static void measure_rates(void *x, void *y, void *out, void *out_peer) {
    const size_t n = (size_t)1 << 28;
    const double bytes = 4.0 * n;
    fill<float>(x, n, 1);
    fill<float>(y, n, 2);
    rate("sum f32", n, bytes, weft_work(WEFT_SUM, WEFT_F32, n, x, out), "CUB Sum",
         cub_sum<float, float>(x, n, out_peer));
    rate("sum f32 exact", n, bytes, weft_work(WEFT_SUM, WEFT_F32, n, x, out, WEFT_EXACT_SUM), "CUB Sum",
         cub_sum<float, float>(x, n, out_peer));
    for (size_t lanes : {16, 32, 64, 128})
        rate(("sum f32 L" + std::to_string(lanes)).c_str(), n, bytes, weft_lanes_work(WEFT_F32, n, lanes, x, out),
             "CUB Sum", cub_sum<float, float>(x, n, out_peer));
    rate("min f32", n, bytes, weft_work(WEFT_MIN, WEFT_F32, n, x, out), "CUB Min", cub_min<float>(x, n, out_peer));
    rate("max f32", n, bytes, weft_work(WEFT_MAX, WEFT_F32, n, x, out), "CUB Max", cub_max<float>(x, n, out_peer));
    rate("argmax f32", n, bytes, weft_work(WEFT_ARGMAX, WEFT_F32, n, x, out), "CUB ArgMax",
         cub_argmax(x, n, out_peer));
    rate("dot f32", n, 2 * bytes, weft_dot_work(WEFT_F32, n, x, y, out), "cublasSdot",
         blas_dot_f32(x, y, n, out_peer));
    rate("dot f32 exact", n, 2 * bytes, weft_dot_work(WEFT_F32, n, x, y, out, WEFT_EXACT_SUM), "cublasSdot",
         blas_dot_f32(x, y, n, out_peer));
    rate("norm2 f32", n, bytes, weft_work(WEFT_NORM2, WEFT_F32, n, x, out), "cublasSnrm2",
         blas_norm_f32(x, n, out_peer));
    rate("mean f32", n, bytes, weft_work(WEFT_MEAN, WEFT_F32, n, x, out), "CUB Sum",
         cub_sum<float, float>(x, n, out_peer));
    const auto variance = [=](weft_dtype sums) { ok(weft_variance(ctx, WEFT_F32, sums, n, 1, x, out)); };
    rate("variance f32", n, 2 * bytes, std::bind(variance, WEFT_DEFAULT), "-", work());
    rate("variance f32 exact", n, 2 * bytes, std::bind(variance, WEFT_EXACT_SUM), "-", work());
    fill<int32_t>(x, n, 3);
    rate("sum i32", n, bytes, weft_work(WEFT_SUM, WEFT_I32, n, x, out), "CUB Sum to i64",
         cub_sum<int32_t, int64_t>(x, n, out_peer));
    rate("min i32", n, bytes, weft_work(WEFT_MIN, WEFT_I32, n, x, out), "CUB Min", cub_min<int32_t>(x, n, out_peer));
    rate("max i32", n, bytes, weft_work(WEFT_MAX, WEFT_I32, n, x, out), "CUB Max", cub_max<int32_t>(x, n, out_peer));
    rate("sum u8", 4 * n, bytes, weft_work(WEFT_SUM, WEFT_U8, 4 * n, x, out), "CUB Sum to u64",
         cub_sum<uint8_t, uint64_t>(x, 4 * n, out_peer));
    rate("max u8", 4 * n, bytes, weft_work(WEFT_MAX, WEFT_U8, 4 * n, x, out), "CUB Max",
         cub_max<uint8_t>(x, 4 * n, out_peer));
    const size_t half = n / 2;
    fill<double>(x, half, 4);
    fill<double>(y, half, 5);
    rate("sum f64", half, bytes, weft_work(WEFT_SUM, WEFT_F64, half, x, out), "CUB Sum",
         cub_sum<double, double>(x, half, out_peer));
    rate("sum f64 exact", half, bytes, weft_work(WEFT_SUM, WEFT_F64, half, x, out, WEFT_EXACT_SUM), "CUB Sum",
         cub_sum<double, double>(x, half, out_peer));
    for (size_t lanes : {16, 32, 64, 128})
        rate(("sum f64 L" + std::to_string(lanes)).c_str(), half, bytes,
             weft_lanes_work(WEFT_F64, half, lanes, x, out), "CUB Sum", cub_sum<double, double>(x, half, out_peer));
    rate("dot f64", half, 2 * bytes, weft_dot_work(WEFT_F64, half, x, y, out), "cublasDdot",
         blas_dot_f64(x, y, half, out_peer));
    rate("dot f64 exact", half, 2 * bytes, weft_dot_work(WEFT_F64, half, x, y, out, WEFT_EXACT_SUM), "cublasDdot",
         blas_dot_f64(x, y, half, out_peer));
}

/* Measures GB/s of bytes read and written by weft. x contains all of s followed by all of u; CUB reads the same
 * memory as pairs. */
template <class T> static void measure_recurrence(const char *name, weft_dtype dtype, size_t n, void *x, void *y) {
    const auto rows = [=](size_t length) {
        return [=] { ok(weft_recurrence(ctx, WEFT_FORWARD, dtype, n / length, length, x, (T *)x + n, NULL, y)); };
    };
    fill<T>(x, 2 * n, 1);
    rate(name, n, 3.0 * n * sizeof(T), rows(n), "CUB scan of pairs", cub_recurrence<T>(x, n, y));
    rate("  rows of 1024", n, 3.0 * n * sizeof(T), rows(1024), "-", work());
    rate("  rows of 65536", n, 3.0 * n * sizeof(T), rows(65536), "-", work());
    for (size_t some : {(size_t)1 << 16, (size_t)1 << 20})
        times(
            name, some, [=] { ok(weft_recurrence(ctx, WEFT_FORWARD, dtype, 1, some, x, (T *)x + n, NULL, y)); },
            "CUB scan of pairs", cub_recurrence<T>(x, some, y));
}

/* ----------------------------------------------------------------------- histograms, order */

/* Fills with ascending values, some of which are equal: element i is i plus a random part of 1, times `scale`. */
template <class T> static __global__ void fill_rising_kernel(T *x, size_t n, uint32_t seed, double scale) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        uint64_t h = (i + seed) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
        x[i] = (T)(((double)i + (double)(uint32_t)h * 0x1p-32) * scale);
    }
}

template <class T> static void fill_rising(void *x, size_t n, uint32_t seed, double scale) {
    fill_rising_kernel<<<4096, 256, 0, stream>>>((T *)x, n, seed, scale);
    ok(cudaGetLastError());
    ok(cudaStreamSynchronize(stream));
}

template <class T>
static void histogram_row(const char *name, weft_dtype dtype, const void *x, size_t n, size_t bins, T lower, T upper,
                          void *y) {
    uint64_t *counts = (uint64_t *)y;
    unsigned *peer = (unsigned *)(counts + bins);
    rate(
        name, n, (double)n * sizeof(T),
        [=] { ok(weft_histogram_even(ctx, dtype, n, x, bins, &lower, &upper, counts)); }, "CUB HistogramEven",
        cub_work([=](void *temporary, size_t &bytes) {
            return cub::DeviceHistogram::HistogramEven(temporary, bytes, (const T *)x, peer, (int)bins + 1, lower,
                                                       upper, (int64_t)n, stream);
        }));
}

static void edges_row(const char *name, const void *x, size_t n, size_t bins, void *y) {
    float *edges = (float *)y;
    uint64_t *counts = (uint64_t *)y + bins + 8;
    unsigned *peer = (unsigned *)(counts + bins);
    fill_rising<float>(edges, bins + 1, 5, 1.0 / (double)(bins + 1));
    rate(
        name, n, 4.0 * (double)n, [=] { ok(weft_histogram(ctx, WEFT_F32, n, x, bins, edges, counts)); },
        "CUB HistogramRange", cub_work([=](void *temporary, size_t &bytes) {
            return cub::DeviceHistogram::HistogramRange(temporary, bytes, (const float *)x, peer, (int)bins + 1,
                                                        edges, (int64_t)n, stream);
        }));
}

static void measure_histograms(void *x, void *y) {
    const size_t n = (size_t)1 << 28;
    fill<float>(x, n, 1);
    histogram_row<float>("bins 256", WEFT_F32, x, n, 256, -1, 1, y);
    histogram_row<float>("bins 2048", WEFT_F32, x, n, 2048, -1, 1, y);
    histogram_row<float>("bins 16384", WEFT_F32, x, n, 16384, -1, 1, y);
    histogram_row<float>("bins 2^20", WEFT_F32, x, n, 1 << 20, -1, 1, y);
    edges_row("edges 257", x, n, 256, y);
    edges_row("edges 4097", x, n, 4096, y);
    fill<int32_t>(x, n, 3);
    histogram_row<int32_t>("bins 256 i32", WEFT_I32, x, n, 256, -1000000000, 1000000000, y);
    histogram_row<uint8_t>("bins 255 u8", WEFT_U8, x, 4 * n, 255, 0, 255, y);
    fill<double>(x, n / 2, 4);
    histogram_row<double>("bins 256 f64", WEFT_F64, x, n / 2, 256, -1, 1, y);
    ok(cudaMemsetAsync(x, 0, 4 * n, stream));
    histogram_row<float>("256, all equal", WEFT_F32, x, n, 256, -1, 1, y);
    histogram_row<float>("2^20, all eq.", WEFT_F32, x, n, 1 << 20, -1, 1, y);
}

struct less_than {
    template <class T> __device__ bool operator()(T a, T b) const { return a < b; }
};

template <class T>
static void merge_row(const char *name, weft_dtype dtype, void *x, size_t half, double scale, void *y) {
    T *const a = (T *)x, *const b = a + half;
    fill_rising<T>(a, half, 1, scale);
    fill_rising<T>(b, half, 99, scale);
    rate(
        name, 2 * half, 4.0 * (double)half * sizeof(T), [=] { ok(weft_merge(ctx, dtype, half, a, half, b, y)); },
        "CUB MergeKeys", cub_work([=](void *temporary, size_t &bytes) {
            return cub::DeviceMerge::MergeKeys(temporary, bytes, a, (int64_t)half, b, (int64_t)half, (T *)y,
                                               less_than{}, stream);
        }));
}

/* Measures the bytes of queries and positions. */
static void search_row(const char *name, const float *sorted, const float *queries, size_t n, uint64_t *positions) {
    rate(
        name, n, 12.0 * (double)n,
        [=] { ok(weft_search_sorted(ctx, WEFT_LEFT, WEFT_F32, n, sorted, n, queries, positions)); }, "thrust",
        [=] {
            thrust::lower_bound(thrust::cuda::par_nosync.on(stream), sorted, sorted + n, queries, queries + n,
                                positions);
        });
}

/* Compares with a peer that sorts all elements, as a program without a top-k operation does. */
static void top_k_row(const char *name, float *x, size_t n, size_t k, float *y) {
    rate(
        name, n, 4.0 * (double)n,
        [=] { ok(weft_top_k(ctx, WEFT_LARGEST, WEFT_F32, n, x, k, y + 2 * n, (uint64_t *)(y + 3 * n))); },
        "CUB SortKeys", cub_work([=](void *temporary, size_t &bytes) {
            cub::DoubleBuffer<float> keys(y, y + n);
            return cub::DeviceRadixSort::SortKeysDescending(temporary, bytes, keys, (int64_t)n, 0, 32, stream);
        }));
}

static void measure_orders(void *x, void *y) {
    const size_t n = (size_t)1 << 26;
    float *const f = (float *)x, *const g = (float *)y;
    merge_row<float>("merge f32", WEFT_F32, x, 2 * n, 1e-3, y);
    merge_row<int32_t>("merge i32", WEFT_I32, x, 2 * n, 8, y);
    merge_row<double>("merge f64", WEFT_F64, x, n, 1, y);
    fill_rising<float>(f, n, 1, 1.0 / (double)n);
    fill_rising<float>(f + n, n, 77, 1.0 / (double)n);
    search_row("search, sorted", f, f + n, n, (uint64_t *)y);
    fill<float>(f + n, n, 3);
    search_row("search, random", f, f + n, n, (uint64_t *)y);
    fill<float>(f, n, 1);
    fill<float>(g, n, 2);
    top_k_row("top 100", f, n, 100, g);
    top_k_row("top 100000", f, n, 100000, g);
    top_k_row("top 10 of 2^20", f, n / 64, 10, g);
}

#include "gpu_scans.cuh"
#include "gpu_sorts.cuh"

static void measure_times(void *x, void *y, void *out, void *out_peer) {
    fill<float>(x, (size_t)1 << 28, 1);
    fill<float>(y, (size_t)1 << 28, 2);
    for (size_t n : {(size_t)1 << 16, (size_t)1 << 20, ((size_t)1 << 20) + 1}) {
        times("sum f32", n, weft_work(WEFT_SUM, WEFT_F32, n, x, out), "CUB Sum",
              cub_sum<float, float>(x, n, out_peer));
        times("min f32", n, weft_work(WEFT_MIN, WEFT_F32, n, x, out), "CUB Min", cub_min<float>(x, n, out_peer));
        times("dot f32", n, weft_dot_work(WEFT_F32, n, x, y, out), "cublasSdot", blas_dot_f32(x, y, n, out_peer));
    }
}

#include "gpu_gather.cuh"
#include "gpu_scatter.cuh"
#include "gpu_selections.cuh"

int main(int argc, char **argv) {
    json = argc >= 2 && strcmp(argv[1], "--json") == 0;
    rows_wanted = argv + 1 + json;
    if (*rows_wanted && **rows_wanted == '-') stop("usage", "bench_gpu [--json] [ROW...]");
    if (weft_open(&ctx, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    const size_t bytes = (size_t)1 << 30;
    void *x, *y, *out, *out_peer;
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(weft_set_stream(ctx, stream));
    ok(weft_alloc(ctx, WEFT_DEVICE, bytes, &x));
    ok(weft_alloc(ctx, WEFT_DEVICE, bytes, &y));
    ok(weft_alloc(ctx, WEFT_DEVICE, 256, &out));
    ok(weft_alloc(ctx, WEFT_DEVICE, 256, &out_peer));
    ok(weft_alloc(ctx, WEFT_DEVICE, scratch_bytes, &scratch));
    open_blas();
    weft_device_info info = {};
    info.size = sizeof info;
    ok(weft_describe_device(1, &info));
    if (json)
        printf("{\"device\": \"%s\", \"runtime\": %d, \"driver\": %d, \"rows\": [\n", info.name,
               (int)info.runtime_version, (int)info.driver_version);
    else
        printf("%s, CUDA %d.%d\n%-14s %-12s %11s %9s  %-18s %9s %7s %8s\n", info.name,
               (int)info.runtime_version / 1000, (int)info.runtime_version % 1000 / 10, "", "measure", "elements",
               "weft", "peer", "", "ratio", "ceiling");
    find_ceilings(x, y, bytes);
    measure_rates(x, y, out, out_peer);
    measure_times(x, y, out, out_peer);
    measure_scans(x, y, bytes);
    measure_selections(x, y, out, out_peer);
    fill<float>(x, bytes / sizeof(float), 1);
    measure_segments((size_t)1 << 28, 8, "8", x, y);
    measure_segments((size_t)1 << 28, 100, "100", x, y);
    measure_segments((size_t)1 << 28, 10000, "10^4", x, y);
    measure_segments(100000000, 100000000, "10^8", x, y);
    measure_scatter(x, y);
    measure_gather((size_t)1 << 28, x, y);
    measure_gather_rows((size_t)1 << 28, x, y);
    measure_recurrence<double>("recurrence f64", WEFT_F64, (size_t)1 << 26, x, y);
    measure_recurrence<float>("recurrence f32", WEFT_F32, (size_t)1 << 27, x, y);
    measure_histograms(x, y);
    measure_orders(x, y);
    measure_sorts((size_t)1 << 28);
    if (json) printf("\n]}\n");
    ok(weft_synchronize(ctx));
    for (void *p : {x, y, out, out_peer, scratch}) ok(weft_free(ctx, WEFT_DEVICE, p));
    weft_close(ctx);
    return 0;
}
