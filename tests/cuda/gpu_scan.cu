/* Scans on a GPU: repeatedly during other work, past 2^32 elements, in graphs, from host memory in chunks.
 * That they equal the specification for every operator, type and size is the agreement suite's work. Exits with
 * 77 without a GPU. */
#include "tests/cuda/gpu_check.cuh"

static weft_context *cpu;

/* How many of n values differ from what is expected of them. */
template <class Differs> static __global__ void count_kernel(size_t n, Differs differs, unsigned long long *count) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    unsigned long long here = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) here += differs(i);
    if (here) atomicAdd(count, here);
}

struct differs_from_array {
    const uint32_t *x, *y;
    __device__ bool operator()(size_t i) const { return x[i] != y[i]; }
};

struct differs_from_index {
    const uint8_t *y;
    __device__ bool operator()(size_t i) const { return y[i] != (uint8_t)(i + 1); }
};

template <class Differs> static unsigned long long count(size_t n, Differs differs) {
    unsigned long long *device, found;
    CUDA_OK(cudaMalloc(&device, sizeof found));
    CUDA_OK(cudaMemset(device, 0, sizeof found));
    count_kernel<<<1024, 256>>>(n, differs, device);
    CUDA_OK(cudaMemcpy(&found, device, sizeof found, cudaMemcpyDefault));
    CUDA_OK(cudaFree(device));
    return found;
}

static void scan(weft_context *ctx, size_t n, const float *x, float *y) {
    OK(weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, n, x, NULL, y));
}

/* Fifty runs while copies on another stream take multiprocessors and bandwidth away: blocks then start, and
 * totals arrive, in ever other orders. */
static void test_repeats() {
    const size_t n = ((size_t)1 << 26) + 77, bytes = n * sizeof(float);
    const std::vector<float> x = mixed(n, 11);
    std::vector<float> expected(n);
    float *device_x, *device_y, *first;
    cudaStream_t other;
    CUDA_OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (float **p : {&device_x, &device_y, &first}) CUDA_OK(cudaMalloc(p, bytes));
    upload(device_x, x.data(), bytes);
    scan(cpu, n, x.data(), expected.data());
    upload(first, expected.data(), bytes);
    for (int run = 0; run < 50; run++) {
        CUDA_OK(cudaMemsetAsync(device_y, 0xff, bytes, other));
        CUDA_OK(cudaStreamSynchronize(other));
        for (int i = 0; i < run % 4; i++)
            count_kernel<<<33 * (run % 5 + 1), 1024, 0, other>>>(
                n, differs_from_array{(uint32_t *)device_x, (uint32_t *)device_x}, NULL);
        scan(gpu, n, device_x, device_y);
        OK(weft_synchronize(gpu));
        CUDA_OK(cudaStreamSynchronize(other));
        CHECK(count(n, differs_from_array{(uint32_t *)device_y, (uint32_t *)first}) == 0);
    }
    scan(gpu, n, device_x, device_x);
    OK(weft_synchronize(gpu));
    CHECK(count(n, differs_from_array{(uint32_t *)device_x, (uint32_t *)first}) == 0);
    CUDA_OK(cudaStreamDestroy(other));
    for (float *p : {device_x, device_y, first}) CUDA_OK(cudaFree(p));
}

/* Input and output in host memory, in pinned memory, and in both, longer than the staging buffer. */
static void test_chunks() {
    const size_t n = 20000003;
    const std::vector<float> x = mixed(n, 12);
    std::vector<float> expected(n), y(n);
    float *device;
    scan(cpu, n, x.data(), expected.data());
    scan(gpu, n, x.data(), y.data());
    CHECK(memcmp(y.data(), expected.data(), n * sizeof(float)) == 0);
    CUDA_OK(cudaMalloc(&device, n * sizeof(float)));
    scan(gpu, n, x.data(), device);
    std::fill(y.begin(), y.end(), 0.0f);
    OK(weft_copy(gpu, n * sizeof(float), device, y.data()));
    CHECK(memcmp(y.data(), expected.data(), n * sizeof(float)) == 0);
    y = x;
    scan(gpu, n, y.data(), y.data());
    CHECK(memcmp(y.data(), expected.data(), n * sizeof(float)) == 0);
    CUDA_OK(cudaFree(device));
}

static void test_past_32_bits() {
    const size_t n = ((size_t)1 << 32) + 17;
    uint8_t *x;
    if (cudaMalloc(&x, n) != cudaSuccess) {
        (void)cudaGetLastError();
        puts("left out: cannot allocate memory for 2^32 elements");
        return;
    }
    CUDA_OK(cudaMemset(x, 1, n));
    CUDA_OK(cudaDeviceSynchronize());
    OK(weft_scan(gpu, WEFT_SUM, WEFT_INCLUSIVE, WEFT_U8, WEFT_DEFAULT, n, x, NULL, x));
    OK(weft_synchronize(gpu));
    CHECK(count(n, differs_from_index{x}) == 0);
    CUDA_OK(cudaFree(x));
}

/* A scan in a graph; one whose scratch memory would have to grow is refused. */
static void test_graph() {
    const size_t n = 300001;
    const std::vector<float> x = mixed(n, 13);
    std::vector<float> expected(n), y(n);
    float *device_x, *device_y;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    weft_context *fresh;
    OK(weft_open(&fresh, "cuda"));
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_OK(cudaMalloc(&device_x, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&device_y, n * sizeof(float)));
    upload(device_x, x.data(), n * sizeof(float));
    scan(cpu, n, x.data(), expected.data());
    OK(weft_set_stream(fresh, stream));
    OK(weft_scan(fresh, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, n, device_x, NULL, device_y));
    OK(weft_synchronize(fresh));
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scan(fresh, n, device_x, device_y);
    CHECK(weft_scan(fresh, WEFT_SUM, WEFT_INCLUSIVE, WEFT_U8, WEFT_DEFAULT, n * sizeof(float), device_x, NULL,
                    device_y) == WEFT_INVALID);
    CHECK(strstr(weft_last_error(fresh), "grow") != NULL);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 5; replay++) {
        CUDA_OK(cudaMemsetAsync(device_y, 0xff, n * sizeof(float), stream));
        CUDA_OK(cudaGraphLaunch(executable, stream));
        CUDA_OK(cudaMemcpyAsync(y.data(), device_y, n * sizeof(float), cudaMemcpyDefault, stream));
        CUDA_OK(cudaStreamSynchronize(stream));
        CHECK(memcmp(y.data(), expected.data(), n * sizeof(float)) == 0);
    }
    CUDA_OK(cudaGraphExecDestroy(executable));
    CUDA_OK(cudaGraphDestroy(graph));
    weft_close(fresh);
    CUDA_OK(cudaStreamDestroy(stream));
    for (float *p : {device_x, device_y}) CUDA_OK(cudaFree(p));
}

/* Segmented scans in a graph, where the call cannot check the offsets: segments with invalid ones are skipped. */
static void test_segments_in_graph() {
    enum { SEGMENTS = 300, LENGTH = 331, LONG = 200, BAD = 100, N = SEGMENTS * LENGTH };
    const std::vector<float> x = mixed(N, 16), poison(N, -1.0f);
    std::vector<uint64_t> offsets(SEGMENTS + 1);
    std::vector<float> expected(N), y(N);
    float *device_x, *device_y;
    uint64_t *device_offsets;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    weft_context *fresh;
    for (uint64_t s = 0; s <= SEGMENTS; s++) /* segment LONG has more than a tile, those after it are shorter */
        offsets[s] = s <= LONG ? s * LENGTH : N - (SEGMENTS - s) * 250;
    OK(weft_open(&fresh, "cuda"));
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_OK(cudaMalloc(&device_x, N * sizeof(float)));
    CUDA_OK(cudaMalloc(&device_y, N * sizeof(float)));
    CUDA_OK(cudaMalloc(&device_offsets, (SEGMENTS + 1) * sizeof(uint64_t)));
    upload(device_x, x.data(), N * sizeof(float));
    upload(device_offsets, offsets.data(), (SEGMENTS + 1) * sizeof(uint64_t));
    OK(weft_set_stream(fresh, stream));
    const auto run = [&](weft_context *ctx, const float *from, const uint64_t *cuts, float *to) {
        OK(weft_segmented_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, N, from, SEGMENTS, cuts, to));
    };
    run(cpu, x.data(), offsets.data(), expected.data());
    run(fresh, device_x, device_offsets, device_y);
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    run(fresh, device_x, device_offsets, device_y);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    for (const bool bad : {false, true, false}) {
        std::vector<uint64_t> cuts = offsets;
        if (bad) cuts[BAD] = N + 1;
        upload(device_offsets, cuts.data(), (SEGMENTS + 1) * sizeof(uint64_t));
        upload(device_y, poison.data(), N * sizeof(float));
        CUDA_OK(cudaGraphLaunch(executable, stream));
        CUDA_OK(cudaMemcpyAsync(y.data(), device_y, N * sizeof(float), cudaMemcpyDefault, stream));
        CUDA_OK(cudaStreamSynchronize(stream));
        std::vector<float> wanted = expected;
        if (bad) std::fill(&wanted[(BAD - 1) * LENGTH], &wanted[(BAD + 1) * LENGTH], -1.0f);
        CHECK(memcmp(y.data(), wanted.data(), N * sizeof(float)) == 0);
    }
    CUDA_OK(cudaGraphExecDestroy(executable));
    CUDA_OK(cudaGraphDestroy(graph));
    weft_close(fresh);
    CUDA_OK(cudaStreamDestroy(stream));
    for (void *p : {(void *)device_x, (void *)device_y, (void *)device_offsets}) CUDA_OK(cudaFree(p));
}

/* Sums of segments whose offsets are in GPU memory. The kernels are launched before the host knows the result of the
 * check, and write nothing if an offset is invalid. Segments of all lengths that the kernels distinguish are so many
 * that each warp takes some several times. */
static void test_sums_of_checked_segments() {
    enum { SEGMENTS = 40000, BAD = 31234 };
    static const size_t lengths[] = {1100, 3, 1025, 130, 1500, 0, 4097, 1024};
    std::vector<uint64_t> offsets(1, 0);
    for (size_t s = 0; s < SEGMENTS; s++)
        offsets.push_back(offsets.back() + (s % 9999 == 7 ? 300000 + s : lengths[s % 8] + s % 3));
    const size_t n = offsets.back();
    const std::vector<float> x = mixed(n, 17), poison(SEGMENTS, -1.0f);
    std::vector<float> expected(SEGMENTS), y(SEGMENTS);
    float *device_x, *device_y;
    uint64_t *device_offsets;
    CUDA_OK(cudaMalloc(&device_x, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&device_y, SEGMENTS * sizeof(float)));
    CUDA_OK(cudaMalloc(&device_offsets, offsets.size() * sizeof(uint64_t)));
    upload(device_x, x.data(), n * sizeof(float));
    const auto sum = [&](weft_context *ctx, const float *from, const uint64_t *cuts, float *to) {
        return weft_segmented_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, from, SEGMENTS, cuts, to);
    };
    OK(sum(cpu, x.data(), offsets.data(), expected.data()));
    for (const bool bad : {false, true, false, true}) {
        std::vector<uint64_t> cuts = offsets;
        if (bad) cuts[BAD] = n + 1;
        upload(device_offsets, cuts.data(), cuts.size() * sizeof(uint64_t));
        upload(device_y, poison.data(), SEGMENTS * sizeof(float));
        CHECK(sum(gpu, device_x, device_offsets, device_y) == (bad ? WEFT_INVALID : WEFT_OK));
        if (bad) CHECK(strstr(weft_last_error(gpu), "offsets[31234] is") != NULL);
        OK(weft_copy(gpu, SEGMENTS * sizeof(float), device_y, y.data()));
        CHECK(memcmp(y.data(), bad ? poison.data() : expected.data(), SEGMENTS * sizeof(float)) == 0);
    }
    for (void *p : {(void *)device_x, (void *)device_y, (void *)device_offsets}) CUDA_OK(cudaFree(p));
}

/* Scratch memory stays under a 500th of the input and half a MiB, and does not grow in the steady state. Scans of
 * vectors that kernels read in place need no more. */
static void test_scratch() {
    const size_t n = (size_t)1 << 26, shape[] = {64, n / 64};
    weft_context *fresh;
    weft_view view;
    float *x;
    OK(weft_open(&fresh, "cuda"));
    CUDA_OK(cudaMalloc(&x, n * sizeof(float)));
    CUDA_OK(cudaMemset(x, 0, n * sizeof(float)));
    CUDA_OK(cudaDeviceSynchronize());
    scan(fresh, n, x, x);
    const size_t held = weft_scratch_bytes(fresh);
    CHECK(held < n * sizeof(float) / 500 + ((size_t)1 << 19));
    for (int i = 0; i < 100; i++) scan(fresh, n - (size_t)i, x, x);
    OK(weft_view_of(WEFT_F32, 2, shape, x, &view));
    for (const int axis : {0, 1})
        OK(weft_scan_axis(fresh, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &view, axis, NULL, &view));
    OK(weft_synchronize(fresh));
    CHECK(weft_scratch_bytes(fresh) == held);
    CUDA_OK(cudaFree(x));
    weft_close(fresh);
}

/* Arrays long enough for bulk copies: whole tiles, rests of less than 16 bytes, every kind of scan. */
template <class T> static void test_long(weft_dtype dtype) {
    const size_t most = ((size_t)17 << 20) + 4093;
    const std::vector<float> bits = mixed(most * sizeof(T) / sizeof(float), 14);
    std::vector<T> expected(most), y(most);
    T init, *device_x, *device_y;
    memcpy(&init, &bits[8], sizeof init);
    CUDA_OK(cudaMalloc(&device_x, most * sizeof(T)));
    CUDA_OK(cudaMalloc(&device_y, most * sizeof(T)));
    upload(device_x, bits.data(), most * sizeof(T));
    for (size_t n : {(size_t)1 << 20, ((size_t)1 << 20) + 5, (size_t)1234567, most})
        for (int kind = 0; kind < 4; kind++) {
            const weft_scan_kind scanned = kind & 1 ? WEFT_EXCLUSIVE : WEFT_INCLUSIVE;
            const T *from = kind & 2 ? &init : NULL;
            OK(weft_scan(cpu, WEFT_SUM, scanned, dtype, WEFT_DEFAULT, n, bits.data(), from, expected.data()));
            CUDA_OK(cudaMemset(device_y, 0xff, most * sizeof(T)));
            CUDA_OK(cudaDeviceSynchronize());
            OK(weft_scan(gpu, WEFT_SUM, scanned, dtype, WEFT_DEFAULT, n, device_x, from, device_y));
            OK(weft_copy(gpu, n * sizeof(T), device_y, y.data()));
            CHECK(memcmp(y.data(), expected.data(), n * sizeof(T)) == 0);
        }
    CUDA_OK(cudaFree(device_x));
    CUDA_OK(cudaFree(device_y));
}

/* Calls given one after the other, whose blocks have some tiles fewer or more than there are stages. */
static void test_in_a_row() {
    const size_t n = (size_t)1 << 22;
    const std::vector<float> x = mixed(2 * n, 15);
    std::vector<double> expected(n), y(n);
    double *device_x, *device_y;
    CUDA_OK(cudaMalloc(&device_x, n * sizeof(double)));
    CUDA_OK(cudaMalloc(&device_y, n * sizeof(double)));
    upload(device_x, x.data(), n * sizeof(double));
    for (size_t part = n / 4; part <= n; part += n / 16 + 1) {
        OK(weft_scan(cpu, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, part, x.data(), NULL, expected.data()));
        for (int i = 0; i < 500; i++)
            OK(weft_scan(gpu, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, part, device_x, NULL, device_y));
        OK(weft_copy(gpu, part * sizeof(double), device_y, y.data()));
        CHECK(memcmp(y.data(), expected.data(), part * sizeof(double)) == 0);
    }
    CUDA_OK(cudaFree(device_x));
    CUDA_OK(cudaFree(device_y));
}

int main() {
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    OK(weft_open(&cpu, "cpu"));
    test_repeats();
    test_chunks();
    test_past_32_bits();
    test_graph();
    test_segments_in_graph();
    test_sums_of_checked_segments();
    test_scratch();
    test_long<float>(WEFT_F32);
    test_long<double>(WEFT_F64);
    test_long<int32_t>(WEFT_I32);
    test_long<uint64_t>(WEFT_U64);
    test_in_a_row();
    weft_close(cpu);
    weft_close(gpu);
    puts("ok");
    return 0;
}
