/* Steps of the heat equation on a GPU: in its memory, in place, and in a graph, which nothing that a step does may
 * keep from being captured. That they equal the specification is the agreement suite's work. Exits with 77 without a
 * GPU. */
#include "tests/cuda/gpu_check.cuh"

enum { STEPS = 3 };
static const size_t SHAPE[] = {130, 70, 45};
static const size_t POINTS = SHAPE[0] * SHAPE[1] * SHAPE[2], BYTES = POINTS * sizeof(float);

static weft_status step(weft_context *ctx, const float *u, float *v) {
    static const double lambda[] = {0.5, 1, 2};
    return weft_heat(ctx, WEFT_CRANK_NICOLSON, WEFT_F32, 3, SHAPE, 1, lambda, STEPS, u, v);
}

/* A graph of STEPS steps in place, replayed, goes on where the last replay ended. */
static void test_graph(weft_context *cpu) {
    std::vector<float> expected(mixed(POINTS, 31)), found(POINTS);
    float *u;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    weft_context *fresh;
    for (float &x : expected) x = std::fabs(x) < 1e3f ? x : 1.0f;
    CUDA_OK(cudaMalloc(&u, BYTES));
    upload(u, expected.data(), BYTES);
    OK(weft_open(&fresh, "cuda"));
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(weft_set_stream(fresh, stream));
    OK(step(fresh, u, u));
    OK(weft_synchronize(fresh));
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(step(fresh, u, u));
    CHECK(step(fresh, u, found.data()) == WEFT_INVALID);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    OK(step(cpu, expected.data(), expected.data()));
    for (int replay = 0; replay < 4; replay++) {
        OK(step(cpu, expected.data(), expected.data()));
        CUDA_OK(cudaGraphLaunch(executable, stream));
        CUDA_OK(cudaMemcpyAsync(found.data(), u, BYTES, cudaMemcpyDefault, stream));
        CUDA_OK(cudaStreamSynchronize(stream));
        CHECK(memcmp(found.data(), expected.data(), BYTES) == 0);
    }
    CUDA_OK(cudaGraphExecDestroy(executable));
    CUDA_OK(cudaGraphDestroy(graph));
    weft_close(fresh);
    CUDA_OK(cudaStreamDestroy(stream));
    CUDA_OK(cudaFree(u));
}

int main() {
    weft_context *cpu;
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    OK(weft_open(&cpu, "cpu"));
    test_graph(cpu);
    weft_close(cpu);
    weft_close(gpu);
    puts("ok");
    return 0;
}
