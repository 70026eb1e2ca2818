/* Exercise own: two steps recorded once, and launched as often as needed
 *
 * A step computes, from one array, another one:
 * y[i] = x[i - 1] + 2 x[i] + x[i + 1], modulo 2^32; the first and the last
 * element do not change. The array a contains the start, and `solve` makes
 * `steps` steps, from a to b, from b to a, and so on: the result is in b if
 * steps is odd, and in a if it is even. The other array keeps the result of
 * the step before. Write the kernel, and `solve`: record a graph of two
 * steps, launch it steps / 2 times, and make the last step of an odd number
 * by a launch of the kernel. When `solve` returns, all steps are done.
 * steps and n are any numbers from 1 on.
 *
 * Hint: The default stream cannot be recorded. Create a stream with
 * `cudaStreamCreate`, and launch on it.
 *
 * Hint: The calls are `cudaStreamBeginCapture(stream,
 * cudaStreamCaptureModeThreadLocal)`, the two launches,
 * `cudaStreamEndCapture(stream, &graph)`,
 * `cudaGraphInstantiateWithFlags(&executable, graph, 0)`, and then
 * `cudaGraphLaunch(executable, stream)` in a loop. The types are
 * cudaGraph_t and cudaGraphExec_t.
 *
 * Hint: Between the two calls of the capture nothing is executed. The steps
 * run when the graph is launched.
 *
 * Hint: `cudaStreamSynchronize(stream)` waits. Then destroy the executable
 * graph, the graph and the stream.
 *
 * Sizes: 1 2 3 255 256 257 1000 5003; 16411 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
__global__ void step(size_t n, const unsigned *x, unsigned *y) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = i == 0 || i + 1 == n ? x[i] : x[i - 1] + 2 * x[i] + x[i + 1];
}
/* End of blank */

void solve(size_t n, unsigned steps, unsigned *a, unsigned *b) {
    /* Blank: record two steps, and launch */
    const unsigned threads = 256;
    const unsigned blocks = (unsigned)((n + threads - 1) / threads);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    step<<<blocks, threads, 0, stream>>>(n, a, b);
    step<<<blocks, threads, 0, stream>>>(n, b, a);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiateWithFlags(&executable, graph, 0);
    for (unsigned k = 0; k < steps / 2; k++)
        cudaGraphLaunch(executable, stream);
    if (steps % 2) step<<<blocks, threads, 0, stream>>>(n, a, b);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, unsigned steps, unsigned *a, unsigned *b);

void check_exercise(climb &c) {
    const unsigned counts[] = {1, 2, 5, 8}, RUNS = 4;
    const std::vector<unsigned> values =
        ladder_values<unsigned>(c.n, c.seed);
    const unsigned *const start = c.input(values);
    const size_t bytes = c.n * sizeof(unsigned);
    std::vector<unsigned> expected[RUNS], before[RUNS];
    unsigned *a[RUNS], *b[RUNS];
    double steps = 0;
    for (unsigned run = 0; run < RUNS; run++) {
        expected[run] = values;
        for (unsigned k = 0; k < counts[run]; k++) {
            const std::vector<unsigned> &x = before[run] = expected[run];
            for (size_t i = 1; i + 1 < c.n; i++)
                expected[run][i] = x[i - 1] + 2 * x[i] + x[i + 1];
        }
        a[run] = c.output<unsigned>(c.n);
        b[run] = c.output<unsigned>(c.n);
        steps += counts[run];
    }
    c.work(16.0 * steps * (double)c.n, 0);
    const ladder_claim right = [&] {
        std::string said;
        for (unsigned run = 0; run < RUNS && said.empty(); run++)
            said =
                c.holds(counts[run] % 2 ? b[run] : a[run], expected[run]);
        for (unsigned run = 0; run < RUNS && said.empty(); run++)
            said = c.holds(counts[run] % 2 ? a[run] : b[run], before[run]);
        return said;
    };
    c.rung("own", right, [&] {
        for (unsigned run = 0; run < RUNS; run++) {
            CUDA_CHECK(
                cudaMemcpy(a[run], start, bytes, cudaMemcpyDeviceToDevice));
            solve(c.n, counts[run], a[run], b[run]);
        }
    });
}
