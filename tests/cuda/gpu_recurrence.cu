/* Recurrences on a GPU: repeatedly during other work, in graphs, with initial values in either memory. That they
 * equal the specification for every type and size is the agreement suite's work. Exits with 77 without a GPU. */
#include "tests/cuda/gpu_check.cuh"

static weft_context *cpu;

static __global__ void wait_kernel(const float *x, size_t n, float *never) {
    float sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        sum += x[i] * x[i];
    if (sum < 0) *never = sum;
}

static void run(weft_context *ctx, weft_direction direction, size_t rows, size_t n, const float *s, const float *u,
                const float *init, float *v) {
    OK(weft_recurrence(ctx, direction, WEFT_F32, rows, n, s, u, init, v));
}

/* s in [-1, 1), so that v stays in range. */
static std::vector<float> factors(size_t n) {
    std::vector<float> s(n);
    for (size_t i = 0; i < n; i++) s[i] = (float)((uint32_t)(i * 2654435761u) >> 8) * 0x1p-23f - 1;
    return s;
}

/* Fifty runs while a kernel on another stream takes multiprocessors and bandwidth away: blocks then start, and maps
 * arrive, in ever other orders. */
static void test_repeats() {
    const size_t n = ((size_t)1 << 25) + 77, bytes = n * sizeof(float);
    const std::vector<float> s = factors(n), u = mixed(n, 21);
    std::vector<float> expected(n), found(n);
    float *device_s, *device_u, *device_v;
    cudaStream_t other;
    CUDA_OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (float **p : {&device_s, &device_u, &device_v}) CUDA_OK(cudaMalloc(p, bytes));
    upload(device_s, s.data(), bytes);
    upload(device_u, u.data(), bytes);
    for (weft_direction direction : {WEFT_FORWARD, WEFT_REVERSE})
        for (size_t length : {n, (size_t)100000}) {
            const size_t rows = n / length, used = rows * length * sizeof(float);
            run(cpu, direction, rows, length, s.data(), u.data(), NULL, expected.data());
            for (int turn = 0; turn < 13; turn++) {
                CUDA_OK(cudaMemset(device_v, 0xff, bytes));
                CUDA_OK(cudaDeviceSynchronize());
                for (int i = 0; i < turn % 4; i++)
                    wait_kernel<<<33 * (turn % 5 + 1), 1024, 0, other>>>(device_s, n, NULL);
                run(gpu, direction, rows, length, device_s, device_u, NULL, device_v);
                OK(weft_copy(gpu, used, device_v, found.data()));
                CHECK(memcmp(found.data(), expected.data(), used) == 0);
                CUDA_OK(cudaStreamSynchronize(other));
            }
        }
    CUDA_OK(cudaStreamDestroy(other));
    for (float *p : {device_s, device_u, device_v}) CUDA_OK(cudaFree(p));
}

/* Initial values in host memory, of one row and of many, with arrays on the GPU, and the other way round. */
static void test_inits() {
    const size_t rows = 3000, n = 70, bytes = rows * n * sizeof(float);
    const std::vector<float> s = factors(rows * n), u = mixed(rows * n, 22), init = mixed(rows, 23);
    std::vector<float> expected(rows * n), found(rows * n);
    float *device, *device_init;
    CUDA_OK(cudaMalloc(&device, 3 * bytes));
    CUDA_OK(cudaMalloc(&device_init, rows * sizeof(float)));
    upload(device, s.data(), bytes);
    upload(device + rows * n, u.data(), bytes);
    upload(device_init, init.data(), rows * sizeof(float));
    float *const v = device + 2 * rows * n;
    for (size_t count : {rows, (size_t)1}) {
        const size_t length = rows * n / count;
        run(cpu, WEFT_FORWARD, count, length, s.data(), u.data(), init.data(), expected.data());
        for (const float *from : {init.data(), (const float *)device_init}) {
            run(gpu, WEFT_FORWARD, count, length, device, device + rows * n, from, v);
            OK(weft_copy(gpu, bytes, v, found.data()));
            CHECK(memcmp(found.data(), expected.data(), bytes) == 0);
            run(gpu, WEFT_FORWARD, count, length, s.data(), u.data(), from, found.data());
            CHECK(memcmp(found.data(), expected.data(), bytes) == 0);
        }
    }
    CUDA_OK(cudaFree(device));
    CUDA_OK(cudaFree(device_init));
}

/* Inputs of a recurrence: rows of `length` elements, with zeros, infinities and NaN, whose effect ends at later
 * zeros.
 */
template <class T> struct inputs {
    std::vector<T> s, u, init;
    inputs(size_t rows, size_t length) : s(rows * length), u(rows * length), init(rows) {
        const std::vector<float> near_one = factors(s.size()), terms = mixed(s.size(), 25), first = mixed(rows, 26);
        for (size_t i = 0; i < s.size(); i++) {
            s[i] = i % 5003 == 17        ? T(0)
                   : i % 300007 == 40000 ? T(INFINITY)
                   : i % 400009 == 1     ? T(NAN)
                                         : T(near_one[i]);
            u[i] = i % 500009 == 12345 ? T(NAN) : T(terms[i]);
        }
        for (size_t i = 0; i < rows; i++) init[i] = T(first[i]);
    }
};

/* Compares one call with the CPU's, with separate results and in place of s and of u. */
template <class T> static void check_rows(weft_dtype dtype, weft_direction direction, size_t rows, size_t length) {
    const inputs<T> in(rows, length);
    const size_t n = rows * length, bytes = n * sizeof(T);
    std::vector<T> expected(n), found(n);
    T *device[3];
    for (T *&p : device) CUDA_OK(cudaMalloc(&p, bytes));
    OK(weft_recurrence(cpu, direction, dtype, rows, length, in.s.data(), in.u.data(), in.init.data(),
                       expected.data()));
    for (T *v : {device[2], device[0], device[1]}) {
        upload(device[0], in.s.data(), bytes);
        upload(device[1], in.u.data(), bytes);
        CUDA_OK(cudaMemset(device[2], 0xff, bytes)); /* compute-sanitizer does not see what bulk copies write */
        OK(weft_recurrence(gpu, direction, dtype, rows, length, device[0], device[1], in.init.data(), v));
        OK(weft_copy(gpu, bytes, v, found.data()));
        CHECK(memcmp(found.data(), expected.data(), bytes) == 0);
    }
    for (T *p : device) CUDA_OK(cudaFree(p));
}

/* Rows of many tiles of 4096 elements, which bulk copies move, with ends of all kinds. `full`: more shapes. */
template <class T> static void test_tiles(weft_dtype dtype, bool full) {
    int multiprocessors;
    CUDA_OK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    const size_t tiles = 2 * (size_t)multiprocessors, length = (tiles + 5) * 4096;
    for (weft_direction direction : {WEFT_FORWARD, WEFT_REVERSE}) {
        check_rows<T>(dtype, direction, 1, length + 4);
        if (!full) continue;
        for (size_t more : {0, 1, 3, 5, 15, 16, 17, 4080, 4095}) check_rows<T>(dtype, direction, 1, length + more);
        check_rows<T>(dtype, direction, 1, (size_t)5000 * 4096 + 8);
        check_rows<T>(dtype, direction, tiles, 4100);
        check_rows<T>(dtype, direction, tiles / 2 + 1, 8192);
        check_rows<T>(dtype, direction, 7, length / 4 * 4);
        check_rows<T>(dtype, direction, 7, length + 1);
    }
}

/* In a graph: short rows and long ones; what would need more scratch memory is refused. */
static void test_graph() {
    const size_t n = 300001, bytes = n * sizeof(float);
    const std::vector<float> s = factors(n), u = mixed(n, 24);
    std::vector<float> expected(n), found(n);
    float *device_s, *device_u, *device_v;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    weft_context *fresh;
    OK(weft_open(&fresh, "cuda"));
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (float **p : {&device_s, &device_u, &device_v}) CUDA_OK(cudaMalloc(p, bytes));
    upload(device_s, s.data(), bytes);
    upload(device_u, u.data(), bytes);
    run(cpu, WEFT_REVERSE, 1, n, s.data(), u.data(), NULL, expected.data());
    OK(weft_set_stream(fresh, stream));
    run(fresh, WEFT_FORWARD, 1, n / 2, device_s, device_u, NULL, device_v);
    OK(weft_synchronize(fresh));
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    run(fresh, WEFT_FORWARD, n / 100, 100, device_s, device_u, NULL, device_v);
    CHECK(weft_recurrence(fresh, WEFT_REVERSE, WEFT_F32, 1, n, device_s, device_u, NULL, device_v) == WEFT_INVALID);
    CHECK(strstr(weft_last_error(fresh), "grow") != NULL);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphDestroy(graph));
    run(fresh, WEFT_REVERSE, 1, n, device_s, device_u, NULL, device_v);
    OK(weft_synchronize(fresh));
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    run(fresh, WEFT_REVERSE, 1, n, device_s, device_u, NULL, device_v);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 5; replay++) {
        CUDA_OK(cudaMemsetAsync(device_v, 0xff, bytes, stream));
        CUDA_OK(cudaGraphLaunch(executable, stream));
        CUDA_OK(cudaMemcpyAsync(found.data(), device_v, bytes, cudaMemcpyDefault, stream));
        CUDA_OK(cudaStreamSynchronize(stream));
        CHECK(memcmp(found.data(), expected.data(), bytes) == 0);
    }
    CUDA_OK(cudaGraphExecDestroy(executable));
    CUDA_OK(cudaGraphDestroy(graph));
    weft_close(fresh);
    CUDA_OK(cudaStreamDestroy(stream));
    for (float *p : {device_s, device_u, device_v}) CUDA_OK(cudaFree(p));
}

/* With the argument `tiles`, checks only a few long rows, for compute-sanitizer. */
int main(int argc, char **argv) {
    const bool few = argc > 1 && !strcmp(argv[1], "tiles");
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    OK(weft_open(&cpu, "cpu"));
    test_tiles<float>(WEFT_F32, !few);
    test_tiles<double>(WEFT_F64, !few);
    if (!few) {
        test_repeats();
        test_inits();
        test_graph();
    }
    weft_close(cpu);
    weft_close(gpu);
    puts("ok");
    return 0;
}
