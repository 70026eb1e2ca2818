/* The CUDA backend with memory of every kind, streams, graphs, faults and sizes past 2^32. That its
 * results equal the specification for every operator, type and size is the agreement suite's work; here
 * the input is short or simple, and its kind of memory varies. Exits with 77 without a GPU. */
#include "tests/cuda/gpu_check.cuh"

static weft_context *ref;

static float expected_sum(size_t n, const float *x) {
    float v;
    OK(weft_reduce(ref, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, x, &v));
    return v;
}

static bool same(float a, float b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Every kind of memory for the input and for the output, aligned and not. */
static void test_memory_kinds() {
    const size_t n = 1000003, elements = n + 8;
    const std::vector<float> x = mixed(elements, 1);
    float *device, *managed, *pinned, *out_device, *out_managed, *out_pinned, out_host, fetched;
    OK(weft_alloc(gpu, WEFT_DEVICE, elements * sizeof(float), (void **)&device));
    OK(weft_alloc(gpu, WEFT_MANAGED, elements * sizeof(float), (void **)&managed));
    OK(weft_alloc(gpu, WEFT_PINNED, elements * sizeof(float), (void **)&pinned));
    OK(weft_alloc(gpu, WEFT_DEVICE, 16, (void **)&out_device));
    OK(weft_alloc(gpu, WEFT_MANAGED, 16, (void **)&out_managed));
    OK(weft_alloc(gpu, WEFT_PINNED, 16, (void **)&out_pinned));
    OK(weft_copy(gpu, elements * sizeof(float), x.data(), device));
    memcpy(managed, x.data(), elements * sizeof(float));
    memcpy(pinned, x.data(), elements * sizeof(float));
    const float *inputs[] = {device, managed, pinned, x.data()};
    for (size_t offset = 0; offset < 8; offset++) {
        const float want = expected_sum(n, x.data() + offset);
        for (const float *input : inputs) {
            for (float *out : {out_device, out_managed, out_pinned, &out_host}) {
                OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, input + offset, out));
                OK(weft_copy(gpu, sizeof(float), out, &fetched));
                CHECK(same(fetched, want));
            }
            uint64_t at, at_ref;
            OK(weft_reduce(gpu, WEFT_ARGMAX, WEFT_F32, WEFT_DEFAULT, n, input + offset, &at));
            OK(weft_reduce(ref, WEFT_ARGMAX, WEFT_F32, WEFT_DEFAULT, n, x.data() + offset, &at_ref));
            CHECK(at == at_ref);
            for (const float *other : inputs) {
                float dot, dot_ref;
                OK(weft_dot(gpu, WEFT_F32, WEFT_DEFAULT, n, input + offset, other + 3, &dot));
                OK(weft_dot(ref, WEFT_F32, WEFT_DEFAULT, n, x.data() + offset, x.data() + 3, &dot_ref));
                CHECK(same(dot, dot_ref));
            }
        }
    }
    OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 0, NULL, out_device));
    OK(weft_copy(gpu, sizeof(float), out_device, &fetched));
    CHECK(same(fetched, 0.0f));
    weft_context *cpu;
    OK(weft_open(&cpu, "cpu"));
    CHECK(weft_reduce(cpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, device, &out_host) == WEFT_INVALID);
    OK(weft_reduce(cpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, managed, &out_host));
    CHECK(same(out_host, expected_sum(n, x.data())));
    weft_close(cpu);
    for (void *p : {(void *)device, (void *)out_device}) OK(weft_free(gpu, WEFT_DEVICE, p));
    for (void *p : {(void *)managed, (void *)out_managed}) OK(weft_free(gpu, WEFT_MANAGED, p));
    for (void *p : {(void *)pinned, (void *)out_pinned}) OK(weft_free(gpu, WEFT_PINNED, p));
}

/* Inputs in host memory of several chunks of the staging buffer, for each shape of tile. */
static void test_chunks() {
    const size_t bytes = ((size_t)5 << 24) + 24;
    std::vector<float> x = mixed(bytes / sizeof(float), 2);
    struct {
        weft_op op;
        weft_dtype dtype;
        size_t result_bytes;
    } cases[] = {{WEFT_SUM, WEFT_F32, 4},   {WEFT_ARGMIN, WEFT_F32, 8}, {WEFT_MEAN, WEFT_U8, 8},
                 {WEFT_XOR, WEFT_I64, 8},   {WEFT_MAX, WEFT_I16, 2},    {WEFT_NORM2, WEFT_F32, 4},
                 {WEFT_NORM1, WEFT_I32, 8}, {WEFT_ARGMAX, WEFT_U8, 8},  {WEFT_COUNT_NONZERO, WEFT_F64, 8}};
    for (const auto &c : cases) {
        const size_t n = bytes / weft_dtype_size(c.dtype);
        uint64_t got = 0, want = 0;
        OK(weft_reduce(gpu, c.op, c.dtype, WEFT_DEFAULT, n, x.data(), &got));
        OK(weft_reduce(ref, c.op, c.dtype, WEFT_DEFAULT, n, x.data(), &want));
        CHECK(memcmp(&got, &want, c.result_bytes) == 0);
    }
    double got, want;
    std::vector<double> y(((size_t)1 << 22) + 5, 1e200);
    for (double big : {1e200, 1e-200, 1.5}) {
        y[7] = big;
        OK(weft_reduce(gpu, WEFT_NORM2, WEFT_F64, WEFT_DEFAULT, y.size(), y.data(), &got));
        OK(weft_reduce(ref, WEFT_NORM2, WEFT_F64, WEFT_DEFAULT, y.size(), y.data(), &want));
        CHECK(memcmp(&got, &want, sizeof got) == 0);
        OK(weft_variance(gpu, WEFT_F64, WEFT_DEFAULT, y.size(), 1, y.data(), &got));
        OK(weft_variance(ref, WEFT_F64, WEFT_DEFAULT, y.size(), 1, y.data(), &want));
        CHECK(memcmp(&got, &want, sizeof got) == 0);
        std::fill(y.begin(), y.end(), big == 1e200 ? 1e-200 : 0.1);
    }
}

/* Writes `value` a tenth of a second after it has started. */
static __global__ void late_kernel(float value, float *x) {
    uint64_t start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - start < 100000000);
    *x = value;
}

/* Checks that work on CUDA's default stream precedes a call that follows it. */
static void test_default_stream() {
    float *x, sum;
    CUDA_OK(cudaMalloc(&x, sizeof *x));
    for (float value : {1.0f, 2.0f, 3.0f}) {
        late_kernel<<<1, 1>>>(value, x);
        OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 1, x, &sum));
        CHECK(sum == value);
    }
    CUDA_OK(cudaFree(x));
}

/* The caller's stream, and a graph of two calls that is captured once and replayed. */
static void test_stream_and_graph() {
    const size_t n = 300001;
    const std::vector<float> x = mixed(n, 3), y = mixed(n, 4);
    float *device_x, *device_y, *out, fetched[2], dot;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CUDA_OK(cudaMalloc(&device_x, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&device_y, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&out, 2 * sizeof(float)));
    upload(device_x, x.data(), n * sizeof(float));
    upload(device_y, y.data(), n * sizeof(float));
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(weft_set_stream(gpu, stream));
    OK(weft_dot(ref, WEFT_F32, WEFT_DEFAULT, n, x.data(), y.data(), &dot));
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, device_x, out));
    OK(weft_dot(gpu, WEFT_F32, WEFT_DEFAULT, n, device_x, device_y, out + 1));
    CHECK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, x.data(), out) == WEFT_INVALID);
    CHECK(strstr(weft_last_error(gpu), "captured") != NULL);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 5; replay++) {
        CUDA_OK(cudaMemsetAsync(out, 0xff, 2 * sizeof(float), stream));
        CUDA_OK(cudaGraphLaunch(executable, stream));
        CUDA_OK(cudaMemcpyAsync(fetched, out, sizeof fetched, cudaMemcpyDefault, stream));
        CUDA_OK(cudaStreamSynchronize(stream));
        CHECK(same(fetched[0], expected_sum(n, x.data())) && same(fetched[1], dot));
    }
    CUDA_OK(cudaGraphExecDestroy(executable));
    CUDA_OK(cudaGraphDestroy(graph));
    OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, device_x, out));
    OK(weft_set_stream(gpu, NULL)); /* waits, on the GPU, for the call before */
    OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, device_x, &fetched[0]));
    CHECK(same(fetched[0], expected_sum(n, x.data())));
    OK(weft_synchronize(gpu));
    CUDA_OK(cudaStreamDestroy(stream));
    for (float *p : {device_x, device_y, out}) CUDA_OK(cudaFree(p));
}

/* The values of a formula go through the staging buffer, which a call before the graph has to make. */
static void test_graph_of_formula() {
    const size_t n = 300001;
    const std::vector<float> x = mixed(n, 6);
    float *device_x, *out, fetched, want;
    weft_context *fresh;
    weft_expr *e;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CUDA_OK(cudaMalloc(&device_x, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&out, sizeof(float)));
    upload(device_x, x.data(), n * sizeof(float));
    const weft_binding host = {"x", WEFT_F32, x.data(), NULL}, device = {"x", WEFT_F32, device_x, NULL};
    OK(weft_open(&fresh, "cuda"));
    OK(weft_expr_compile(ref, "x * x + i", &e));
    OK(weft_map_reduce(ref, WEFT_SUM, e, WEFT_F32, WEFT_DEFAULT, n, &host, 1, &want));
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(weft_set_stream(fresh, stream));
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(weft_map_reduce(fresh, WEFT_SUM, e, WEFT_F32, WEFT_DEFAULT, n, &device, 1, out) == WEFT_INVALID);
    CHECK(strstr(weft_last_error(fresh), "captured") != NULL);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphDestroy(graph));
    OK(weft_map_reduce(fresh, WEFT_SUM, e, WEFT_F32, WEFT_DEFAULT, n, &device, 1, out));
    OK(weft_synchronize(fresh));
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(weft_map_reduce(fresh, WEFT_SUM, e, WEFT_F32, WEFT_DEFAULT, n, &device, 1, out));
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    CUDA_OK(cudaMemsetAsync(out, 0xff, sizeof(float), stream));
    CUDA_OK(cudaGraphLaunch(executable, stream));
    CUDA_OK(cudaMemcpyAsync(&fetched, out, sizeof fetched, cudaMemcpyDefault, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    CHECK(same(fetched, want));
    CUDA_OK(cudaGraphExecDestroy(executable));
    CUDA_OK(cudaGraphDestroy(graph));
    weft_close(fresh);
    weft_expr_free(e);
    CUDA_OK(cudaStreamDestroy(stream));
    for (float *p : {device_x, out}) CUDA_OK(cudaFree(p));
}

/* Two threads, each with a context, at the same time. */
static void test_two_contexts() {
    const size_t n = 1 << 20;
    const std::vector<float> x = mixed(n, 5);
    const float want = expected_sum(n, x.data());
    int failures[2] = {0, 0};
    auto work = [&](int who) {
        weft_context *own;
        if (weft_open(&own, "cuda") != WEFT_OK) {
            failures[who] = 1000;
            return;
        }
        void *device = NULL;
        failures[who] += weft_alloc(own, WEFT_DEVICE, n * sizeof(float), &device) != WEFT_OK;
        failures[who] += weft_copy(own, n * sizeof(float), x.data(), device) != WEFT_OK;
        for (int i = 0; i < 200; i++) {
            float got = 0;
            failures[who] += weft_reduce(own, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, device, &got) != WEFT_OK;
            failures[who] += !same(got, want);
        }
        failures[who] += weft_free(own, WEFT_DEVICE, device) != WEFT_OK;
        weft_close(own);
    };
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    CHECK(failures[0] == 0 && failures[1] == 0);
}

/* Memory that cannot be had is an error, and the context goes on; steady state allocates nothing. */
static void test_memory_limits() {
    const size_t n = 1 << 22;
    void *p = &p, *x;
    for (weft_memory kind : {WEFT_DEVICE, WEFT_MANAGED, WEFT_PINNED}) {
        CHECK(weft_alloc(gpu, kind, (size_t)1 << 50, &p) == WEFT_OUT_OF_MEMORY);
        CHECK(p == NULL && strstr(weft_last_error(gpu), "1125899906842624") != NULL);
        CHECK(cudaGetLastError() == cudaSuccess);
    }
    weft_context *fresh;
    size_t before, after, total;
    float out;
    OK(weft_open(&fresh, "cuda:0"));
    OK(weft_alloc(fresh, WEFT_DEVICE, n * sizeof(float), &x));
    CUDA_OK(cudaMemset(x, 0, n * sizeof(float)));
    for (int op = WEFT_SUM; op <= WEFT_NORMINF; op++) {
        const weft_dtype dtype = op >= WEFT_AND && op <= WEFT_XOR ? WEFT_I32 : WEFT_F32;
        double result;
        OK(weft_reduce(fresh, (weft_op)op, dtype, WEFT_DEFAULT, n, x, &result));
    }
    CHECK(weft_scratch_bytes(fresh) < n * sizeof(float) / 1000 + (1 << 20));
    CUDA_OK(cudaMemGetInfo(&before, &total));
    for (int i = 0; i < 1000; i++) OK(weft_reduce(fresh, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, x, &out));
    CUDA_OK(cudaMemGetInfo(&after, &total));
    CHECK(after == before);
    OK(weft_free(fresh, WEFT_DEVICE, x));
    weft_close(fresh);
}

/* Inputs so long that a warp has several tiles, against the specification. */
static void test_long_runs() {
    const std::vector<float> x = mixed(((size_t)1 << 28) + 77777, 7);
    const size_t bytes = x.size() * sizeof(float);
    void *device;
    float sum;
    double mean, mean_ref;
    uint64_t at, at_ref;
    OK(weft_alloc(gpu, WEFT_DEVICE, bytes, &device));
    OK(weft_copy(gpu, bytes, x.data(), device));
    OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, x.size(), device, &sum));
    CHECK(same(sum, expected_sum(x.size(), x.data())));
    OK(weft_reduce(gpu, WEFT_MEAN, WEFT_I8, WEFT_DEFAULT, bytes, device, &mean));
    OK(weft_reduce(ref, WEFT_MEAN, WEFT_I8, WEFT_DEFAULT, bytes, x.data(), &mean_ref));
    CHECK(memcmp(&mean, &mean_ref, sizeof mean) == 0);
    OK(weft_reduce(gpu, WEFT_ARGMIN, WEFT_F32, WEFT_DEFAULT, x.size(), device, &at));
    OK(weft_reduce(ref, WEFT_ARGMIN, WEFT_F32, WEFT_DEFAULT, x.size(), x.data(), &at_ref));
    CHECK(at == at_ref);
    OK(weft_free(gpu, WEFT_DEVICE, device));
}

/* More than 2^32 elements. The root over 2^32 elements and more is the join of two roots. */
static void test_past_32_bits() {
    const size_t half = (size_t)1 << 31, n = 2 * half + 5;
    uint8_t *bytes;
    float *x;
    uint64_t value;
    if (cudaMalloc(&bytes, n) != cudaSuccess) {
        (void)cudaGetLastError();
        puts("left out: cannot allocate memory for 2^32 elements");
        return;
    }
    CUDA_OK(cudaMemset(bytes, 1, n));
    CUDA_OK(cudaMemset(bytes + n - 2, 2, 1));
    CUDA_OK(cudaDeviceSynchronize());
    OK(weft_reduce(gpu, WEFT_SUM, WEFT_U8, WEFT_DEFAULT, n, bytes, &value));
    CHECK(value == n + 1);
    OK(weft_reduce(gpu, WEFT_ARGMAX, WEFT_U8, WEFT_DEFAULT, n, bytes, &value));
    CHECK(value == n - 2);
    OK(weft_reduce(gpu, WEFT_ARGMIN, WEFT_U8, WEFT_DEFAULT, n - 1, bytes + 1, &value));
    CHECK(value == 0);
    CUDA_OK(cudaFree(bytes));
    if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) {
        (void)cudaGetLastError();
        puts("left out: cannot allocate memory for 2^32 floats");
        return;
    }
    const std::vector<float> block = mixed((1 << 24) - 3, 6); /* no multiple of a tile, so tiles differ */
    for (size_t at = 0; at < n; at += block.size())
        CUDA_OK(cudaMemcpy(x + at, block.data(), std::min(block.size(), n - at) * sizeof(float), cudaMemcpyDefault));
    float whole, left, right, tail;
    OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, x, &whole));
    OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, half, x, &left));
    OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, half, x + half, &right));
    OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 5, x + 2 * half, &tail));
    volatile float join = left + right;
    join = join + tail;
    CHECK(same(whole, join));
    CUDA_OK(cudaFree(x));
}

/* Device names, and the caller's current device, which a context of another GPU must not change. */
static void test_devices() {
    weft_context *ctx;
    int gpus = 0, current = -1;
    CUDA_OK(cudaGetDeviceCount(&gpus));
    CHECK(weft_device_count() == 1 + (size_t)gpus);
    for (const char *name : {"cuda:x", "cuda:-1", "cuda:999", "cuda:00000000001", "cuda:1x", "cuda: 0"}) {
        CHECK(weft_open(&ctx, name) == WEFT_NO_DEVICE && ctx == NULL);
        CHECK(strstr(weft_last_error(NULL), name) != NULL);
    }
    CHECK(strcmp(weft_device(gpu), "cuda:0") == 0);
    weft_device_info info = {};
    info.size = sizeof info;
    OK(weft_describe_device(1, &info));
    printf("%s: %s, %s, %d multiprocessors\n", info.id, info.name, info.isa, (int)info.cores);
    CHECK(info.memory_bytes > 0 && info.cores > 0 && info.max_threads_per_block >= 1024);
    if (gpus < 2) return;
    const float x[2] = {1, 2};
    float out, *elsewhere;
    OK(weft_open(&ctx, "cuda:1"));
    OK(weft_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 2, x, &out));
    CUDA_OK(cudaGetDevice(&current));
    CHECK(current == 0 && out == 3);
    CUDA_OK(cudaMalloc(&elsewhere, 16));
    CHECK(weft_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 4, elsewhere, &out) == WEFT_INVALID);
    CUDA_OK(cudaFree(elsewhere));
    weft_close(ctx);
}

int main() {
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    OK(weft_open(&ref, "ref"));
    test_devices();
    test_memory_kinds();
    test_chunks();
    test_default_stream();
    test_stream_and_graph();
    test_graph_of_formula();
    test_two_contexts();
    test_memory_limits();
    test_long_runs();
    test_past_32_bits();
    weft_close(ref);
    weft_close(gpu);
    puts("ok");
    return 0;
}
