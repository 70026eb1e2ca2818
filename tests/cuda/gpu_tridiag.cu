/* Tridiagonal systems on a GPU, without and with pivoting: reciprocals of all floats, graphs, scratch memory, a long
 * system, rows past 2^32. That they equal the specification is the agreement suite's work. Exits with 77 without a
 * GPU. */
#include "cuda/tridiag/tridiag.cuh"
#include "tests/cuda/gpu_check.cuh"

static weft_context *cpu;

/* Counts the reciprocals of pivots, except lost ones, that are not correctly rounded. */
static __global__ void reciprocal_kernel(unsigned long long *wrong) {
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t bits = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; bits < (uint64_t)1 << 32; bits += stride) {
        const float p = __uint_as_float((uint32_t)bits);
        if (!(fabsf(p) > WEFT_TRIDIAG_LEAST_F32) || !(fabsf(p) < WEFT_TRIDIAG_GREATEST_F32)) continue;
        if (tridiag_type<float>::reciprocal(p) != __frcp_rn(p)) atomicAdd(wrong, 1ull);
    }
}

static void test_reciprocals() {
    unsigned long long *device, wrong = 0;
    CUDA_OK(cudaMalloc(&device, sizeof wrong));
    upload(device, &wrong, sizeof wrong);
    reciprocal_kernel<<<2048, 256>>>(device);
    CUDA_OK(cudaMemcpy(&wrong, device, sizeof wrong, cudaMemcpyDefault));
    CHECK(wrong == 0);
    CUDA_OK(cudaFree(device));
}

typedef decltype(&weft_tridiag) solver;

/* Systems with constant off-diagonals, so that only b and d need arrays. */
static weft_status solve(solver run, weft_context *ctx, size_t systems, size_t n, const float *b, const float *d,
                         float *x, uint64_t *singular) {
    static const float off = -1;
    const weft_lines lines = {&off, 0, 0};
    return run(ctx, WEFT_OPEN_ENDS, WEFT_F32, systems, n, lines, weft_lines{b, 1, n}, lines, weft_lines{d, 1, n}, x,
               singular);
}

/* 2.5 to 3.5 */
static std::vector<float> diagonal(size_t n) {
    std::vector<float> b(n);
    for (size_t i = 0; i < n; i++) b[i] = 2.5f + (float)(i * 2654435761u % 1024) / 1024;
    return b;
}

struct device_arrays {
    float *b, *d, *x;
    uint64_t *singular;
    device_arrays(size_t n, const float *host_b, const float *host_d) {
        for (float **p : {&b, &d, &x}) CUDA_OK(cudaMalloc(p, n * sizeof(float)));
        CUDA_OK(cudaMalloc(&singular, sizeof *singular));
        upload(b, host_b, n * sizeof(float));
        upload(d, host_d, n * sizeof(float));
    }
    ~device_arrays() {
        for (void *p : {(void *)b, (void *)d, (void *)x, (void *)singular}) (void)cudaFree(p);
    }
};

/* A long system, from host memory and from the device's, in place and not, and in a graph. */
static void test_long(solver run) {
    const size_t n = ((size_t)1 << 22) + 77, bytes = n * sizeof(float);
    const std::vector<float> b = diagonal(n), d = mixed(n, 21);
    std::vector<float> expected(n), x(d);
    uint64_t singular, none;
    OK(solve(run, cpu, 1, n, b.data(), d.data(), expected.data(), &none));
    CHECK(none == UINT64_MAX);
    OK(solve(run, gpu, 1, n, b.data(), x.data(), x.data(), &singular));
    CHECK(singular == none && memcmp(x.data(), expected.data(), bytes) == 0);
    device_arrays on(n, b.data(), d.data());
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    weft_context *fresh;
    OK(weft_open(&fresh, "cuda"));
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(weft_set_stream(fresh, stream));
    OK(solve(run, fresh, 1, n, on.b, on.d, on.x, on.singular));
    OK(weft_synchronize(fresh));
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(solve(run, fresh, 1, n, on.b, on.d, on.x, on.singular));
    CHECK(solve(run, fresh, 1, n, on.b, on.d, on.x, &singular) == WEFT_INVALID);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 5; replay++) {
        CUDA_OK(cudaMemsetAsync(on.x, 0xff, bytes, stream));
        CUDA_OK(cudaGraphLaunch(executable, stream));
        CUDA_OK(cudaMemcpyAsync(x.data(), on.x, bytes, cudaMemcpyDefault, stream));
        CUDA_OK(cudaMemcpyAsync(&singular, on.singular, sizeof singular, cudaMemcpyDefault, stream));
        CUDA_OK(cudaStreamSynchronize(stream));
        CHECK(singular == none && memcmp(x.data(), expected.data(), bytes) == 0);
    }
    CHECK(weft_scratch_bytes(fresh) < 5 * bytes / 8);
    CUDA_OK(cudaGraphExecDestroy(executable));
    CUDA_OK(cudaGraphDestroy(graph));
    weft_close(fresh);
    CUDA_OK(cudaStreamDestroy(stream));
}

/* Systems past row 2^32 are those that stand before. */
static __global__ void compare_kernel(const float *x, size_t n, size_t period, unsigned long long *different) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        if (__float_as_uint(x[i]) != __float_as_uint(x[i % period])) atomicAdd(different, 1ull);
}

static void test_past_32_bits(solver run) {
    const size_t rows = 128, period = 1000 * rows, systems = (((size_t)1 << 32) + 4096) / rows, n = systems * rows;
    const float off = -1, b = 3;
    float *x;
    unsigned long long *different, found = 0;
    uint64_t singular;
    if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) {
        (void)cudaGetLastError();
        puts("left out: cannot allocate memory for 2^32 rows");
        return;
    }
    CUDA_OK(cudaMalloc(&different, sizeof *different));
    upload(different, &found, sizeof found);
    const std::vector<float> d = mixed(period, 22);
    for (size_t i = 0; i < n; i += period)
        CUDA_OK(cudaMemcpy(x + i, d.data(), (n - i < period ? n - i : period) * sizeof(float), cudaMemcpyDefault));
    CUDA_OK(cudaDeviceSynchronize());
    const weft_lines off_diagonal = {&off, 0, 0}, middle = {&b, 0, 0};
    OK(run(gpu, WEFT_OPEN_ENDS, WEFT_F32, systems, rows, off_diagonal, middle, off_diagonal, weft_lines{x, 1, rows},
           x, &singular));
    CHECK(singular == UINT64_MAX);
    compare_kernel<<<2048, 256>>>(x, n, period, different);
    CUDA_OK(cudaMemcpy(&found, different, sizeof found, cudaMemcpyDefault));
    CHECK(found == 0);
    CUDA_OK(cudaFree(x));
    CUDA_OK(cudaFree(different));
}

int main() {
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    OK(weft_open(&cpu, "cpu"));
    test_reciprocals();
    for (const solver run : {weft_tridiag, weft_tridiag_pivot}) {
        test_long(run);
        test_past_32_bits(run);
    }
    weft_close(cpu);
    weft_close(gpu);
    puts("ok");
    return 0;
}
