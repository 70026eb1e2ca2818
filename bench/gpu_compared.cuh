/* Functions shared by the GPU benchmarks: weft and a peer alternate, and the median of each is printed, one line per
 * row. The ceilings are measured in the same run. Arrays are in device memory. */
#ifndef WEFT_BENCH_GPU_COMPARED_CUH
#define WEFT_BENCH_GPU_COMPARED_CUH

#include "weft.h"

#include <algorithm>
#include <cuda_runtime.h>
#include <errno.h>
#include <functional>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define ROUNDS 11

typedef std::function<void()> work;

static weft_context *ctx;
static cudaStream_t stream;

static void stop(const char *what, const char *why) {
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
    exit(1);
}
static void ok(weft_status status) {
    if (status != WEFT_OK) stop("weft", weft_last_error(ctx));
}
static void ok(cudaError_t fault) {
    if (fault != cudaSuccess) stop("CUDA", cudaGetErrorString(fault));
}

/* Opens the first GPU and a stream for all work. Exits with 77 if there is no GPU. */
static inline void open_gpu() {
    weft_device_info info = {};
    info.size = sizeof info;
    if (weft_open(&ctx, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        exit(77);
    }
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(weft_set_stream(ctx, stream));
    ok(weft_describe_device(1, &info));
    printf("%s, CUDA %d.%d\n", info.name, (int)info.runtime_version / 1000, (int)info.runtime_version % 1000 / 10);
}

/* ------------------------------------------------------------------------------- measuring */

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
    ok(cudaGetLastError());
    ok(cudaEventRecord(end, stream));
    ok(cudaEventSynchronize(end));
    ok(cudaEventElapsedTime(&ms, start, end));
    return ms / 1e3 / calls;
}

/* Measures the medians of weft and its peer; 0 without a peer. A batch is at least 4 ms long, but has at most 50
 * calls. Calls longer than 0.1 s are measured in 3 rounds only. The first calls warm up. */
static void take_turns(const work &weft, const work &peer, double seconds[2]) {
    std::vector<double> times[2];
    const work *const who[] = {&weft, &peer};
    int calls[2] = {0, 0}, rounds = ROUNDS;
    for (int i = 0; i < 2; i++)
        if (*who[i]) {
            const double first = (batch(*who[i], 1), batch(*who[i], 1));
            calls[i] = std::max(1, std::min(50, (int)(4e-3 / first)));
            if (first > 0.1) rounds = 3;
        }
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 2; i++) times[i].push_back(*who[i] ? batch(*who[i], calls[i]) : 0);
    for (int i = 0; i < 2; i++) {
        std::sort(times[i].begin(), times[i].end());
        seconds[i] = times[i][times[i].size() / 2];
    }
}

/* ---------------------------------------------------------------------------------- ceilings */

struct ceiling {
    const char *name;
    double speed; /* bytes per second */
};
static ceiling reading = {"reading", 0}, writing = {"writing", 0}, copying = {"a copy", 0};

/* Reads all vectors. The sum is stored only under a condition that is never true, so that the reads are not removed.
 */
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

static __global__ void copy_kernel(const uint4 *x, uint4 *y, size_t vectors) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < vectors) y[i] = x ? x[i] : uint4{};
}

static void raise_to(ceiling *c, double bytes, const work &w) {
    double seconds[2];
    take_turns(w, work(), seconds);
    c->speed = std::max(c->speed, bytes / seconds[0]);
}

/* Measures several launch shapes and keeps the fastest: a ceiling that is too low would flatter weft. */
static inline void find_ceilings(void *x, void *y, size_t bytes) {
    const size_t vectors = bytes / sizeof(uint4);
    const unsigned blocks = (unsigned)(vectors / 256);
    const double size = (double)bytes;
    int processors;
    ok(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    for (int each : {4, 8, 16, 64}) {
        const int grid = each * processors;
        raise_to(&reading, size,
                 [=] { read_kernel<4><<<grid, 512, 0, stream>>>((uint4 *)x, vectors, (uint32_t *)y); });
        raise_to(&reading, size,
                 [=] { read_kernel<8><<<grid, 256, 0, stream>>>((uint4 *)x, vectors, (uint32_t *)y); });
    }
    raise_to(&writing, size, [=] { ok(cudaMemsetAsync(y, 0, bytes, stream)); });
    raise_to(&writing, size, [=] { copy_kernel<<<blocks, 256, 0, stream>>>(NULL, (uint4 *)y, vectors); });
    raise_to(&copying, 2 * size, [=] { ok(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice, stream)); });
    raise_to(&copying, 2 * size, [=] { copy_kernel<<<blocks, 256, 0, stream>>>((uint4 *)x, (uint4 *)y, vectors); });
    for (const ceiling &c : {reading, writing, copying})
        printf("%-30s %13s %8.1f GB/s\n", c.name, "", 1e-9 * c.speed);
}

/* -------------------------------------------------------------------------------------- rows */

/* Work of a call: `count` units, for which `bytes` bytes are read and written, at best at the speed of `of`. */
struct measure {
    double count;
    const char *unit;
    double bytes;
    const ceiling *of; /* may be NULL */
};

static inline measure reads(double bytes) { return measure{bytes, "GB/s", bytes, &reading}; }
static inline measure writes(double bytes) { return measure{bytes, "GB/s", bytes, &writing}; }
static inline measure reads_and_writes(double bytes) { return measure{bytes, "GB/s", bytes, &copying}; }

static inline void row(const char *name, measure m, const work &weft, const char *peer_name, const work &peer) {
    double seconds[2];
    take_turns(weft, peer, seconds);
    printf("%-30s %10.3f ms %8.1f %-10s", name, 1e3 * seconds[0], 1e-9 * m.count / seconds[0], m.unit);
    if (m.of)
        printf(" %6.1f %% of %-8s", 100 * m.bytes / seconds[0] / m.of->speed, m.of->name);
    else
        printf(" %-20s", "");
    if (peer) printf("  %-24s %10.3f ms %7.2fx", peer_name, 1e3 * seconds[1], seconds[1] / seconds[0]);
    printf("\n");
    fflush(stdout);
}

/* Stops if the peer's result differs: a peer that computes something else is not comparable. */
static inline void expect(bool is_so, const char *what) {
    if (!is_so) stop("peers disagree", what);
}

template <class T> static inline T value_at(const void *at) {
    T value;
    ok(cudaStreamSynchronize(stream));
    ok(cudaMemcpy(&value, at, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

#endif
