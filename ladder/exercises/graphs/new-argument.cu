/* Exercise new-argument: a graph whose argument changes before each launch
 *
 * In each of `rounds` rounds, x[i] = x[i] * w + 1 for all n elements,
 * modulo 2^32, with another w in each round: weights[0], weights[1], ...,
 * an array in the memory of the host. A graph contains the values that the
 * arguments had when it was recorded. So the kernel gets a pointer to w in
 * the memory of the device, and before each launch of the graph the program
 * copies the weight of the round there. Write the kernel, the recording of
 * one launch, and the loop.
 *
 * Hint: A kernel reads *w, as it reads x[i].
 *
 * Hint: The recorded launch needs the stream as its fourth argument in the
 * brackets.
 *
 * Hint: In the loop: a copy to w of sizeof(unsigned) bytes from
 * &weights[round], on the same stream, and a launch of the graph. The
 * stream keeps the order.
 *
 * Sizes: 1 2 31 255 256 257 1000 10007; 16411 on a GPU
 */
#include <cuda_runtime.h>

const unsigned THREADS = 256;

__global__ void change(size_t n, const unsigned *w, unsigned *x) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    /* Blank: change element i */
    if (i < n) x[i] = x[i] * *w + 1;
    /* End of blank */
}

/* Returns a graph of one launch of `change`. */
static cudaGraph_t recorded(size_t n, const unsigned *w, unsigned *x,
                            cudaStream_t stream) {
    cudaGraph_t graph = NULL;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    /* Blank: launch the kernel */
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    change<<<blocks, THREADS, 0, stream>>>(n, w, x);
    /* End of blank */
    cudaStreamEndCapture(stream, &graph);
    return graph;
}

/* weights is in the memory of the host, w and x are
 * in that of the device. */
void solve(size_t n, unsigned rounds, const unsigned *weights, unsigned *w,
           unsigned *x) {
    cudaStream_t stream;
    cudaGraphExec_t executable;
    cudaStreamCreate(&stream);
    const cudaGraph_t graph = recorded(n, w, x, stream);
    cudaGraphInstantiateWithFlags(&executable, graph, 0);
    /* Blank: the rounds */
    for (unsigned round = 0; round < rounds; round++) {
        cudaMemcpyAsync(w, &weights[round], sizeof *w,
                        cudaMemcpyHostToDevice, stream);
        cudaGraphLaunch(executable, stream);
    }
    /* End of blank */
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

/* Check */
#include "climb.h"

void solve(size_t n, unsigned rounds, const unsigned *weights, unsigned *w,
           unsigned *x);

void check_exercise(climb &c) {
    const unsigned ROUNDS = 6;
    const std::vector<unsigned> values =
        ladder_values<unsigned>(c.n, c.seed);
    std::vector<unsigned> expected(values);
    std::vector<unsigned> weights =
        ladder_values<unsigned>(ROUNDS, c.seed + 100);
    for (unsigned &w : weights) {
        w = (w + 1000) * 2654435761u | 1;
        for (unsigned &v : expected) v = v * w + 1;
    }
    const unsigned *const start = c.input(values);
    unsigned *const x = c.output<unsigned>(c.n);
    unsigned *const w = c.output<unsigned>(1);
    c.work(ROUNDS * 12.0 * (double)c.n, 0);
    c.rung(
        "new-argument", [&] { return c.holds(x, expected); },
        [&] {
            CUDA_CHECK(cudaMemcpy(x, start, c.n * sizeof *x,
                                  cudaMemcpyDeviceToDevice));
            solve(c.n, ROUNDS, weights.data(), w, x);
        });
}
