/* Matrix products on a GPU compared with cuBLAS, in one run: build/bench_gpu_matmul [--json]
 *
 * All arrays are in device memory. weft and cuBLAS (its fp32 path, no TF32; for f16 and bf16 its tensor cores with
 * sums in f32) alternate. Prints TFLOP/s, the median of ROUNDS batches between two events. `differ` is the number of
 * values whose bits differ from those of cuBLAS. It is 0 where neither cuBLAS nor weft splits k. */
#include "weft.h"

#include <algorithm>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <functional>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#define ROUNDS 9

static weft_context *ctx;
static cublasHandle_t blas;
static cudaStream_t stream;

template <class T> static void ok(T status) {
    if ((int)status == 0) return;
    fprintf(stderr, "bench_gpu_matmul: status %d; %s\n", (int)status, ctx ? weft_last_error(ctx) : "");
    exit(1);
}

typedef std::function<void()> work;

static double batch(const work &w, int calls) {
    static cudaEvent_t start, end;
    float ms;
    if (!start) {
        ok(cudaEventCreate(&start));
        ok(cudaEventCreate(&end));
    }
    ok(cudaEventRecord(start, stream));
    for (int i = 0; i < calls; i++) w();
    ok(cudaEventRecord(end, stream));
    ok(cudaEventSynchronize(end));
    ok(cudaEventElapsedTime(&ms, start, end));
    return ms / 1e3 / calls;
}

/* Fills with uniform values in [-1, 1), times powers of two in a range of 2^spread. All digits are used, which loads
 * the GPU up to its power limit. */
template <class T> static __global__ void fill_kernel(T *x, size_t n, uint64_t seed, int spread = 0) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) + seed;
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        x[i] = (T)scalbn((double)((z ^ (z >> 27)) >> 11) * 0x1p-52 - 1, -(int)(z % (spread + 1)));
    }
}

template <class T> static __global__ void differ_kernel(const T *x, const T *y, size_t n, unsigned long long *count) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (x[i] != y[i]) atomicAdd(count, 1ull);
}

struct shape {
    size_t m, n, k;
    int calls;
};

struct arrays {
    void *a, *b, *c, *peer;
    unsigned long long *count;
};

/* Computes the product in row-major order, which for cuBLAS is C' = B' A' in column-major order. */
static void peer_of(float *, const shape &s, const arrays &x) {
    const float one = 1, zero = 0;
    ok(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, (int)s.n, (int)s.m, (int)s.k, &one, (float *)x.b, (int)s.n,
                   (float *)x.a, (int)s.k, &zero, (float *)x.peer, (int)s.n));
}
static void peer_of(double *, const shape &s, const arrays &x) {
    const double one = 1, zero = 0;
    ok(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, (int)s.n, (int)s.m, (int)s.k, &one, (double *)x.b, (int)s.n,
                   (double *)x.a, (int)s.k, &zero, (double *)x.peer, (int)s.n));
}

static void peer_of_halves(cudaDataType type, const shape &s, const arrays &x) {
    const float one = 1, zero = 0;
    ok(cublasSetMathMode(blas, CUBLAS_DEFAULT_MATH));
    ok(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, (int)s.n, (int)s.m, (int)s.k, &one, x.b, type, (int)s.n, x.a,
                    type, (int)s.k, &zero, x.peer, type, (int)s.n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    ok(cublasSetMathMode(blas, CUBLAS_PEDANTIC_MATH));
}
static void peer_of(__half *, const shape &s, const arrays &x) { peer_of_halves(CUDA_R_16F, s, x); }
static void peer_of(__nv_bfloat16 *, const shape &s, const arrays &x) { peer_of_halves(CUDA_R_16BF, s, x); }

static weft_dtype dtype_of(float) { return WEFT_F32; }
static weft_dtype dtype_of(double) { return WEFT_F64; }
static weft_dtype dtype_of(__half) { return WEFT_F16; }
static weft_dtype dtype_of(__nv_bfloat16) { return WEFT_BF16; }

template <class T>
static void measure(const char *name, weft_dtype accumulate, const shape &s, const arrays &x, bool json) {
    static bool first = true;
    const weft_dtype dtype = dtype_of(T());
    const work ours = [&] {
        ok(weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, dtype, accumulate, s.m, s.n, s.k,
                       NULL, x.a, s.k, x.b, s.n, NULL, x.c, s.n));
    };
    const work peer = [&] { peer_of((T *)NULL, s, x); };
    std::vector<double> weft, other;
    for (int round = -1; round < ROUNDS; round++) { /* the first one warms up */
        const double a = batch(ours, s.calls), b = batch(peer, s.calls);
        if (round < 0) continue;
        weft.push_back(a);
        other.push_back(b);
    }
    std::sort(weft.begin(), weft.end());
    std::sort(other.begin(), other.end());
    unsigned long long differ;
    ok(cudaMemsetAsync(x.count, 0, sizeof differ, stream));
    differ_kernel<<<1024, 256, 0, stream>>>((T *)x.c, (T *)x.peer, s.m * s.n, x.count);
    ok(cudaMemcpyAsync(&differ, x.count, sizeof differ, cudaMemcpyDefault, stream));
    ok(cudaStreamSynchronize(stream));
    const double flop = 2e-12 * (double)s.m * (double)s.n * (double)s.k;
    const double mine = flop / weft[ROUNDS / 2], theirs = flop / other[ROUNDS / 2];
    if (json)
        printf("%s  {\"name\": \"matmul %s\", \"measure\": \"TFLOP/s\", \"m\": %zu, \"n\": %zu, \"k\": %zu, "
               "\"weft\": %.6g, \"peer_name\": \"cuBLAS\", \"peer\": %.6g, \"ratio\": %.4f, \"differ\": %llu}",
               first ? "" : ",\n", name, s.m, s.n, s.k, mine, theirs, mine / theirs, differ);
    else
        printf("%-34s %8zu x %6zu x %8zu %8.2f  cuBLAS %8.2f %6.2fx %12llu\n", name, s.m, s.n, s.k, mine, theirs,
               mine / theirs, differ);
    first = false;
    fflush(stdout);
}

/* Exact products of uniform values, and of values whose exponents differ by up to 20. */
template <class T> static void measure_exact(const char *const names[2], const shape &s, const arrays &x, bool json) {
    for (int i = 0; i < 2; i++) {
        fill_kernel<<<1024, 256, 0, stream>>>((T *)x.a, s.m * s.k, 1, 20 * i);
        fill_kernel<<<1024, 256, 0, stream>>>((T *)x.b, s.k * s.n, 2, 20 * i);
        measure<T>(names[i], WEFT_EXACT_SUM, s, x, json);
    }
}

static void measure_all(const arrays &x, size_t bytes, bool json) {
    static const shape shapes[] = {{8192, 8192, 8192, 1},  {4096, 4096, 4096, 2}, {2048, 2048, 2048, 8},
                                   {1024, 1024, 1024, 40}, {512, 512, 512, 100},  {128, 128, 1 << 20, 4},
                                   {1 << 20, 64, 64, 10},  {64, 64, 65536, 40},   {16384, 1, 16384, 10},
                                   {1, 16384, 16384, 10}};
    for (const shape &s : shapes) {
        fill_kernel<<<1024, 256, 0, stream>>>((float *)x.a, bytes / 4, 1);
        fill_kernel<<<1024, 256, 0, stream>>>((float *)x.b, bytes / 4, 2);
        measure<float>("f32", WEFT_DEFAULT, s, x, json);
        measure<float>("f32 in f64", WEFT_F64, s, x, json);
        if (std::max(s.m, s.n) * s.k > bytes / 8) continue;
        fill_kernel<<<1024, 256, 0, stream>>>((double *)x.a, bytes / 8, 1);
        fill_kernel<<<1024, 256, 0, stream>>>((double *)x.b, bytes / 8, 2);
        measure<double>("f64", WEFT_DEFAULT, s, x, json);
        if (s.m < 1024 || s.m != s.n || s.n != s.k) continue;
        static const char *const f32[] = {"f32 exact", "f32 exact, exponents differ by 20"};
        static const char *const f64[] = {"f64 exact", "f64 exact, exponents differ by 20"};
        static const char *const f16[] = {"f16 exact", "f16 exact, exponents differ by 20"};
        static const char *const bf16[] = {"bf16 exact", "bf16 exact, exponents differ by 20"};
        measure_exact<__half>(f16, s, x, json);
        measure_exact<__nv_bfloat16>(bf16, s, x, json);
        measure_exact<float>(f32, s, x, json);
        measure_exact<double>(f64, s, x, json);
    }
}

int main(int argc, char **argv) {
    const bool json = argc == 2 && strcmp(argv[1], "--json") == 0;
    const size_t bytes = (size_t)1 << 31;
    arrays x;
    if (argc > 1 && !json) return fputs("bench_gpu_matmul: usage: bench_gpu_matmul [--json]\n", stderr), 1;
    if (weft_open(&ctx, "cuda") != WEFT_OK) return printf("skipped: %s\n", weft_last_error(NULL)), 77;
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(weft_set_stream(ctx, stream));
    ok(cublasCreate(&blas));
    ok(cublasSetStream(blas, stream));
    ok(cublasSetMathMode(blas, CUBLAS_PEDANTIC_MATH));
    for (void **p : {&x.a, &x.b, &x.c, &x.peer}) ok(cudaMalloc(p, bytes));
    ok(cudaMalloc(&x.count, sizeof *x.count));
    if (json)
        printf("{\"rows\": [\n");
    else
        printf("%-34s %30s %8s  %15s %7s %12s\n", "", "m x n x k", "TFLOP/s", "", "ratio", "differ");
    measure_all(x, bytes, json);
    if (json) printf("\n]}\n");
    weft_close(ctx);
    return 0;
}
