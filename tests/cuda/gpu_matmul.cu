/* Matrix products on a GPU: large ones, which take the large tiles, in every layout, and graphs. They are held
 * against the CPU, since the specification would take hours; small ones are the agreement suite's work. Exits with 77
 * without a GPU. */
#include "tests/cuda/gpu_check.cuh"

static weft_context *cpu;

struct product {
    weft_dtype dtype, accumulate;
    weft_layout layout;
    weft_transpose ta, tb;
    size_t m, n, k, pad;
    bool scaled;
};

static size_t rows_of(const product &p, size_t rows, size_t columns, weft_transpose t) {
    return (p.layout == WEFT_ROW_MAJOR) == (t == WEFT_NO_TRANSPOSE) ? rows : columns;
}

static void multiply(weft_context *ctx, const product &p, const void *a, const void *b, void *c) {
    const size_t lda = p.m + p.k - rows_of(p, p.m, p.k, p.ta) + p.pad;
    const size_t ldb = p.k + p.n - rows_of(p, p.k, p.n, p.tb) + p.pad;
    const size_t ldc = p.m + p.n - rows_of(p, p.m, p.n, WEFT_NO_TRANSPOSE) + p.pad;
    const float alpha32 = 0.7f, beta32 = -1.3f;
    const double alpha64 = 0.7, beta64 = -1.3;
    const bool f64 = p.dtype == WEFT_F64;
    const void *alpha = f64 ? (const void *)&alpha64 : &alpha32, *beta = f64 ? (const void *)&beta64 : &beta32;
    OK(weft_matmul(ctx, p.layout, p.ta, p.tb, p.dtype, p.accumulate, p.m, p.n, p.k, p.scaled ? alpha : NULL, a, lda,
                   b, ldb, p.scaled ? beta : NULL, c, ldc));
}

/* Returns at least `count` elements; those of 16 bits have exponents in a range of 4 (f16) or 32 (bf16). */
static std::vector<float> elements(weft_dtype dtype, size_t count, uint64_t seed) {
    std::vector<float> x = mixed((count * weft_dtype_size(dtype) + 3) / 4, seed);
    for (float &v : x) {
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        bits = (bits & 0x8fff8fffu) | 0x30003000u;
        if (dtype == WEFT_F16 || dtype == WEFT_BF16) memcpy(&v, &bits, sizeof bits);
    }
    return x;
}

/* `shift` elements after an aligned address, so that not all loads can be vectors. */
static void check(const product &p, size_t shift) {
    const size_t size = weft_dtype_size(p.dtype), pad = p.pad;
    const size_t in = (p.m + pad) * (p.k + pad), by = (p.k + pad) * (p.n + pad), out = (p.m + pad) * (p.n + pad);
    const std::vector<float> a = elements(p.dtype, in, 1), b = elements(p.dtype, by, 2),
                             c = elements(p.dtype, out, 3);
    std::vector<float> expected = c, found = c;
    char *device[3];
    const std::vector<float> *const host[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) {
        CUDA_OK(cudaMalloc(&device[i], host[i]->size() * 4 + shift * size));
        upload(device[i] + shift * size, host[i]->data(), host[i]->size() * 4);
    }
    multiply(cpu, p, a.data(), b.data(), expected.data());
    multiply(gpu, p, device[0] + shift * size, device[1] + shift * size, device[2] + shift * size);
    OK(weft_synchronize(gpu));
    CUDA_OK(cudaMemcpy(found.data(), device[2] + shift * size, found.size() * 4, cudaMemcpyDefault));
    if (memcmp(found.data(), expected.data(), found.size() * 4) != 0) {
        fprintf(stderr, "%zu x %zu x %zu of %s in %s, layout %d, transposes %d %d, padding %zu, shift %zu\n", p.m,
                p.n, p.k, weft_dtype_name(p.dtype), weft_dtype_name(p.accumulate), p.layout, p.ta, p.tb, pad, shift);
        CHECK(!"the bits are the CPU's");
    }
    for (char *p_device : device) CUDA_OK(cudaFree(p_device));
}

/* All tiles' shapes, whole and at their edges: a GPU takes the large ones when there are many. */
static void test_shapes() {
    static const size_t shapes[][3] = {{2048, 2048, 256}, {2049, 1931, 131}, {1024, 1024, 100}, {700, 900, 333},
                                       {300, 260, 1000},  {4000, 64, 64},    {128, 130, 40000}, {5000, 1, 3000},
                                       {1, 5000, 3001},   {40, 1, 100000}};
    int number = 0;
    for (const auto &s : shapes)
        for (int i = 0; i < 8; i++, number++) {
            product p = {WEFT_F32,
                         WEFT_DEFAULT,
                         (weft_layout)(i & 1),
                         (weft_transpose)(i >> 1 & 1),
                         (weft_transpose)(i >> 2),
                         s[0],
                         s[1],
                         s[2],
                         (size_t)(number % 3 * 2),
                         number % 2 == 1};
            check(p, number % 5 == 4);
            p.accumulate = WEFT_F64;
            check(p, number % 5 == 3);
            p.dtype = WEFT_F64;
            check(p, number % 5 == 2);
            p.accumulate = WEFT_EXACT_SUM;
            check(p, number % 5 == 1);
            p.dtype = WEFT_F32;
            check(p, number % 5 == 0);
            p.dtype = number % 2 ? WEFT_F16 : WEFT_BF16;
            check(p, number % 3);
        }
}

/* A product is captured once its scratch memory is there, and replayed on other values. */
static void test_graph(weft_dtype accumulate) {
    const product p = {WEFT_F64, accumulate, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, 64, 64,
                       9000,     0,          false};
    const std::vector<float> a = mixed(2 * p.m * p.k, 5), b = mixed(2 * p.k * p.n, 6),
                             other = mixed(2 * p.m * p.k, 7);
    std::vector<float> expected(2 * p.m * p.n), found(2 * p.m * p.n);
    float *x, *y, *z;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    CUDA_OK(cudaStreamCreate(&stream));
    CUDA_OK(cudaMalloc(&x, a.size() * 4));
    CUDA_OK(cudaMalloc(&y, b.size() * 4));
    CUDA_OK(cudaMalloc(&z, found.size() * 4));
    upload(x, a.data(), a.size() * 4);
    upload(y, b.data(), b.size() * 4);
    OK(weft_set_stream(gpu, stream));
    multiply(gpu, p, x, y, z);
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    multiply(gpu, p, x, y, z);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&run, graph, 0));
    upload(x, other.data(), other.size() * 4);
    CUDA_OK(cudaGraphLaunch(run, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    CUDA_OK(cudaMemcpy(found.data(), z, found.size() * 4, cudaMemcpyDefault));
    multiply(cpu, p, other.data(), b.data(), expected.data());
    CHECK(memcmp(found.data(), expected.data(), found.size() * 4) == 0);
    OK(weft_set_stream(gpu, NULL));
    CUDA_OK(cudaGraphExecDestroy(run));
    CUDA_OK(cudaGraphDestroy(graph));
    CUDA_OK(cudaStreamDestroy(stream));
    for (float *q : {x, y, z}) CUDA_OK(cudaFree(q));
}

/* Multiplies x by y and by z in turn, each time the result before, and leaves the last result in x. `one_by_one`: no
 * product starts before the one before has ended. */
static void multiply_in_turn(size_t n, float *x, const float *y, const float *z, float *to, bool one_by_one) {
    for (int i = 0; i < 40; i++) {
        OK(weft_matmul(gpu, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, WEFT_F32, WEFT_EXACT_SUM, n, n, n,
                       NULL, x, n, i % 2 ? y : z, n, NULL, to, n));
        if (one_by_one) OK(weft_synchronize(gpu));
        std::swap(x, to);
    }
    OK(weft_synchronize(gpu));
}

/* Exact products whose kernels start early (src/cuda/runtime/overlap.cuh) wait for those before. */
static void test_queued(size_t n) {
    std::vector<float> values = mixed(3 * n * n, (uint32_t)n), expected(n * n), found(n * n);
    for (float &v : values) v = fmodf(v * 1e3f, 1.0f) * sqrtf(3.0f / (float)n);
    const size_t bytes = n * n * sizeof(float);
    float *device;
    CUDA_OK(cudaMalloc(&device, 4 * bytes));
    for (const bool one_by_one : {true, false, false}) {
        upload(device, values.data(), 3 * bytes);
        multiply_in_turn(n, device, device + n * n, device + 2 * n * n, device + 3 * n * n, one_by_one);
        CUDA_OK(cudaMemcpy(one_by_one ? expected.data() : found.data(), device, bytes, cudaMemcpyDefault));
        CHECK(one_by_one || memcmp(found.data(), expected.data(), bytes) == 0);
    }
    CUDA_OK(cudaFree(device));
}

int main() {
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    OK(weft_open(&cpu, "cpu"));
    test_shapes();
    test_graph(WEFT_DEFAULT);
    test_graph(WEFT_EXACT_SUM);
    for (const size_t n : {16, 96, 500, 1024}) test_queued(n);
    weft_close(cpu);
    weft_close(gpu);
    puts("ok");
    return 0;
}
