/* weft_fft and weft_convolve on a GPU compared with cuFFT, in one run: build/bench_gpu_transforms. Arrays are in
 * device memory, tables and plans are created beforehand, and weft and its peer alternate. A row is the median of
 * ROUNDS batches between two events. The peer of a long convolution is overlap-save built from cuFFT calls: batched
 * R2C of overlapping blocks, a kernel that multiplies, C2R, and a copy of the results. The best of several block
 * lengths counts. With the argument --lengths, only transforms of lengths that are not powers of two are measured. */
#include "weft.h"

#include <algorithm>
#include <cuda_runtime.h>
#include <cufft.h>
#include <functional>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#define ROUNDS 11
#define CAPACITY ((size_t)3 << 30)

typedef std::function<void()> work;

static weft_context *ctx;
static cudaStream_t stream;
static char *x, *y, *z; /* CAPACITY bytes each */

static void stop(const char *what, const char *why) {
    fprintf(stderr, "bench_gpu_transforms: %s: %s\n", what, why);
    exit(1);
}
static void ok(weft_status status) {
    if (status != WEFT_OK) stop("weft", weft_last_error(ctx));
}
static void ok(cudaError_t fault) {
    if (fault != cudaSuccess) stop("CUDA", cudaGetErrorString(fault));
}
static void ok(cufftResult result) {
    if (result != CUFFT_SUCCESS) stop("cuFFT", "a call failed");
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
    ok(cudaEventRecord(end, stream));
    ok(cudaEventSynchronize(end));
    ok(cudaEventElapsedTime(&ms, start, end));
    return ms / 1e3 / calls;
}

/* Measures the medians of weft and its peer, which alternate; 0 without a peer. */
static void take_turns(const work &weft, const work &peer, int calls, double seconds[2]) {
    std::vector<double> times[2];
    for (int round = -1; round < ROUNDS; round++)
        for (int who = 0; who < 2; who++) {
            const work &w = who ? peer : weft;
            const double t = w ? batch(w, calls) : 0;
            if (round >= 0) times[who].push_back(t);
        }
    for (int who = 0; who < 2; who++) {
        std::sort(times[who].begin(), times[who].end());
        seconds[who] = times[who][ROUNDS / 2];
    }
}

static void row(const char *name, double bytes, const work &weft, const work &peer, int calls) {
    double seconds[2];
    take_turns(weft, peer, calls, seconds);
    printf("%-28s %10.2f us %7.0f GB/s", name, seconds[0] * 1e6, bytes / seconds[0] * 1e-9);
    if (peer) printf("   cuFFT %10.2f us %6.2fx", seconds[1] * 1e6, seconds[1] / seconds[0]);
    printf("\n");
    fflush(stdout);
}

static __global__ void fill(float *to, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = (float)((i * 2654435761u) >> 8 & 0xffff) / 65536 - 0.5f;
}

/* ------------------------------------------------------------------------------ transforms */

static cufftHandle plan(size_t n, cufftType type, int count) {
    cufftHandle p;
    ok(cufftPlan1d(&p, (int)n, type, count));
    ok(cufftSetStream(p, stream));
    return p;
}

static void complex_row(weft_dtype dtype, size_t n, int count) {
    char name[64];
    const bool f32 = dtype == WEFT_F32;
    const cufftHandle p = plan(n, f32 ? CUFFT_C2C : CUFFT_Z2Z, count);
    snprintf(name, sizeof name, "c2c %s %d x %zu", weft_dtype_name(dtype), count, n);
    row(
        name, (f32 ? 16.0 : 32.0) * (double)n * count,
        [=] { ok(weft_fft(ctx, WEFT_C2C, dtype, (size_t)count, n, x, y)); },
        [=] {
            if (f32)
                ok(cufftExecC2C(p, (cufftComplex *)x, (cufftComplex *)z, CUFFT_FORWARD));
            else
                ok(cufftExecZ2Z(p, (cufftDoubleComplex *)x, (cufftDoubleComplex *)z, CUFFT_FORWARD));
        },
        n < 1 << 22 && count == 1 ? 20 : 5);
    ok(cufftDestroy(p));
}

/* Products of small primes, alone and in batches; 10^6; primes. */
static void other_lengths(weft_dtype dtype) {
    for (size_t n : {3 << 10, 3 << 15, 3 << 20, 3 << 24}) complex_row(dtype, n, 1);
    for (size_t n : {625, 3125, 15625, 1953125, 2401, 823543, 531441, 1000, 1000000, 1155}) complex_row(dtype, n, 1);
    for (size_t n : {3, 56, 100, 125, 1000, 1536, 15625}) complex_row(dtype, n, (int)((1 << 24) / n));
    for (size_t n : {127, 2003, 65537, 1048573}) complex_row(dtype, n, 1);
    complex_row(dtype, 2003, 4096);
}

static void real_rows(weft_dtype dtype, size_t n) {
    char name[64];
    const bool f32 = dtype == WEFT_F32;
    const double bytes = (f32 ? 8.0 : 16.0) * (double)n;
    const int calls = n < 1 << 22 ? 20 : 5;
    const cufftHandle forth = plan(n, f32 ? CUFFT_R2C : CUFFT_D2Z, 1), back = plan(n, f32 ? CUFFT_C2R : CUFFT_Z2D, 1);
    snprintf(name, sizeof name, "r2c %s %zu", weft_dtype_name(dtype), n);
    row(
        name, bytes, [=] { ok(weft_fft(ctx, WEFT_R2C, dtype, 1, n, x, y)); },
        [=] {
            if (f32)
                ok(cufftExecR2C(forth, (cufftReal *)x, (cufftComplex *)z));
            else
                ok(cufftExecD2Z(forth, (cufftDoubleReal *)x, (cufftDoubleComplex *)z));
        },
        calls);
    snprintf(name, sizeof name, "c2r %s %zu", weft_dtype_name(dtype), n);
    row(
        name, bytes, [=] { ok(weft_fft(ctx, WEFT_C2R, dtype, 1, n, z, y)); },
        [=] {
            if (f32)
                ok(cufftExecC2R(back, (cufftComplex *)z, (cufftReal *)x));
            else
                ok(cufftExecZ2D(back, (cufftDoubleComplex *)z, (cufftDoubleReal *)x));
        },
        calls);
    ok(cufftDestroy(forth));
    ok(cufftDestroy(back));
}

/* ---------------------------------------------------------------------------- convolutions */

static void direct_row(weft_dtype dtype, weft_field field, size_t n, size_t taps) {
    char name[64];
    const char *const taps_at = z;
    const double bytes = 2.0 * (double)(n * weft_dtype_size(dtype)) * (field == WEFT_COMPLEX ? 2 : 1);
    snprintf(name, sizeof name, "direct %s%s %zu taps", field == WEFT_COMPLEX ? "complex " : "",
             weft_dtype_name(dtype), taps);
    row(
        name, bytes, [=] { ok(weft_convolve(ctx, WEFT_SAME, dtype, field, n, x, taps, taps_at, y)); }, work(), 5);
}

static __global__ void multiply(float2 *values, const float2 *filter, size_t each, size_t all, float scale) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= all) return;
    const float2 a = values[i], b = filter[i % each];
    values[i] = make_float2((a.x * b.x - a.y * b.y) * scale, (a.x * b.y + a.y * b.x) * scale);
}

/* Returns the seconds of overlap-save by cuFFT with blocks of `size`; 0 if the arrays are too small for it. */
static double peer_seconds(size_t n, size_t m, size_t size) {
    const size_t step = size - m + 1, half = size / 2 + 1, blocks = (n + m - 2) / step + 1;
    int length[] = {(int)size}, real[] = {(int)size}, complex[] = {(int)half};
    if (blocks * half * sizeof(float2) > CAPACITY / 3 || blocks * size * sizeof(float) > CAPACITY / 3) return 0;
    cufftHandle forth, back;
    ok(cufftPlanMany(&forth, 1, length, real, 1, (int)step, complex, 1, (int)half, CUFFT_R2C, (int)blocks));
    ok(cufftPlanMany(&back, 1, length, complex, 1, (int)half, real, 1, (int)size, CUFFT_C2R, (int)blocks));
    ok(cufftSetStream(forth, stream));
    ok(cufftSetStream(back, stream));
    float2 *const spectrum = (float2 *)(z + CAPACITY / 3);
    float *const whole = (float *)(z + 2 * (CAPACITY / 3));
    const work w = [=] {
        ok(cufftExecR2C(forth, (float *)x, spectrum));
        multiply<<<(unsigned)((blocks * half + 255) / 256), 256, 0, stream>>>(spectrum, (float2 *)z, half,
                                                                              blocks * half, 1.0f / (float)size);
        ok(cufftExecC2R(back, spectrum, whole));
        ok(cudaMemcpy2DAsync(y, step * sizeof(float), whole + m - 1, size * sizeof(float), step * sizeof(float),
                             blocks, cudaMemcpyDeviceToDevice, stream));
    };
    (void)batch(w, 2);
    const double seconds = std::min(batch(w, 5), batch(w, 5));
    ok(cufftDestroy(forth));
    ok(cufftDestroy(back));
    return seconds;
}

static void long_row(size_t n, size_t m) {
    double best = 0, seconds[2];
    for (size_t size = 2 * m; size <= 32 * m; size *= 2) {
        const double t = peer_seconds(n, m, size);
        if (t > 0 && (best == 0 || t < best)) best = t;
    }
    take_turns([=] { ok(weft_convolve(ctx, WEFT_FULL, WEFT_F32, WEFT_REAL, n, x, m, z, y)); }, work(), 5, seconds);
    printf("convolve f32 %zu x %-10zu %10.2f us   by cuFFT %10.2f us %6.2fx\n", n, m, seconds[0] * 1e6, best * 1e6,
           best / seconds[0]);
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (weft_open(&ctx, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(weft_set_stream(ctx, stream));
    for (char **p : {&x, &y, &z}) {
        ok(cudaMalloc((void **)p, CAPACITY));
        fill<<<(unsigned)((CAPACITY / 4 + 255) / 256), 256, 0, stream>>>((float *)*p, CAPACITY / 4);
    }
    other_lengths(WEFT_F32);
    other_lengths(WEFT_F64);
    if (argc > 1 && !strcmp(argv[1], "--lengths")) return 0;
    const size_t most = (size_t)1 << 27;
    for (size_t n = 1 << 8; n <= most; n *= n < 1 << 20 ? 4 : 2) complex_row(WEFT_F32, n, 1);
    for (size_t n = 1 << 8; n <= most / 2; n *= n < 1 << 20 ? 4 : 2) complex_row(WEFT_F64, n, 1);
    for (size_t n = 1 << 4; n <= 1 << 14; n *= 4) complex_row(WEFT_F32, n, (int)((1 << 24) / n));
    for (weft_dtype dtype : {WEFT_F32, WEFT_F64})
        for (size_t n = 1 << 16; n <= 1 << 26; n *= 4) real_rows(dtype, n);
    row(
        "copy of device memory", 8.0 * (double)(2 * most),
        [=] { ok(cudaMemcpyAsync(y, x, 8 * most, cudaMemcpyDeviceToDevice, stream)); }, work(), 5);
    for (size_t taps : {1, 11, 31, 64}) direct_row(WEFT_F32, WEFT_REAL, 2 * most, taps);
    direct_row(WEFT_F64, WEFT_REAL, most, 11);
    direct_row(WEFT_F32, WEFT_COMPLEX, most, 11);
    for (size_t m = 1 << 7; m <= 1 << 16; m *= 2) long_row((size_t)1 << 24, m);
    ok(weft_synchronize(ctx));
    for (char *p : {x, y, z}) ok(cudaFree(p));
    weft_close(ctx);
    return 0;
}
