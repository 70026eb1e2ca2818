/* Topic graphs: many small kernels, recorded once and launched together
 *
 * A launch takes the host a few microseconds, and the device needs about
 * one microsecond to start the kernel. For a kernel that runs 100
 * microseconds this does not matter. But simulations, solvers and neural
 * networks often consist of thousands of kernels that run for 2
 * microseconds each. Then the device waits for the host.
 *
 * A CUDA graph contains the kernels, their arguments and their order. The
 * program records it once, by the same launches as before, and from then on
 * launches the whole graph by one call. The device starts the next kernel
 * itself. Here the kernels are 100 steps that smooth a small array: each
 * element becomes a weighted mean of itself and its two neighbours. The
 * first and the last element do not change.
 *
 * The arrays stay in a cache, so the traffic does not matter. The time per
 * step is the result of this topic: divide the time of a rung by 100.
 *
 * The executor has no launch times. It records the kernels of a stream and
 * executes them when the graph is launched, so it can check what a graph
 * contains.
 */
#include "climb.h"

#include <math.h>

namespace {

constexpr unsigned THREADS = 256, MOST_THREADS = 1024, STEPS = 100;
constexpr unsigned BRANCHES = 4;

/* The arrays of the steps: x is read, a and b are written alternately. */
struct arrays {
    size_t n;
    const float *x;
    float *a, *b;
};

/* Returns element i after one step, with the weight w of each neighbour. */
__host__ __device__ float smoothed(size_t n, float w, const float *x,
                                   size_t i) {
    if (i == 0 || i + 1 == n) return x[i];
    return fmaf(w, x[i - 1] + x[i + 1], (1 - 2 * w) * x[i]);
}

static __global__ void smooth(size_t n, float w, const float *x, float *y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) y[i] = smoothed(n, w, x, i);
}

static std::vector<float> smoothed_in_steps(std::vector<float> x, float w) {
    std::vector<float> y(x.size());
    for (unsigned k = 0; k < STEPS; k++) {
        for (size_t i = 0; i < x.size(); i++)
            y[i] = smoothed(x.size(), w, x.data(), i);
        std::swap(x, y);
    }
    return x;
}

/* Rung launches: 100 launches on one stream
 *
 * A launch returns before the kernel has run. So the host puts launches in
 * the queue of the stream, and the device takes them out. If a kernel is
 * shorter than a launch, the queue is always empty, and the time of 100
 * steps is that of 100 launches.
 */

/* Launches the steps. The last one writes to v.b, because STEPS is even. */
static void launch_steps(arrays v, float w, cudaStream_t stream) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(v.n, THREADS);
    for (unsigned k = 0; k < STEPS; k++) {
        const float *const from = k == 0 ? v.x : k % 2 ? v.a : v.b;
        smooth<<<blocks, THREADS, 0, stream>>>(v.n, w, from,
                                               k % 2 ? v.b : v.a);
    }
}

/* Rung graph: the 100 launches, recorded once
 *
 * Between `cudaStreamBeginCapture` and `cudaStreamEndCapture` the stream
 * executes nothing. It records the launches as nodes of a graph, each after
 * the one before. `cudaGraphInstantiate` checks the graph and prepares it
 * for the device. This takes longer than the 100 launches, so it pays if
 * the graph is launched several times. `cudaGraphLaunch` is one call for
 * all nodes.
 *
 * The default stream cannot be captured, so the program creates one. The
 * graph can then be launched on any stream. While a stream is captured, the
 * program must not wait for it, and must not allocate memory by
 * `cudaMalloc`.
 */
class recorded {
  public:
    typedef std::function<void(cudaStream_t)> commands;

    explicit recorded(const commands &record) {
        CUDA_CHECK(
            cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        const cudaGraph_t graph = capture(record);
        CUDA_CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    ~recorded() {
        (void)cudaGraphExecDestroy(executable);
        (void)cudaStreamDestroy(stream);
    }
    void launch() const { CUDA_CHECK(cudaGraphLaunch(executable, NULL)); }

    /* Replaces the arguments of all nodes. The commands must have the same
     * kernels in the same order. */
    void update(const commands &record) {
        const cudaGraph_t graph = capture(record);
        cudaGraphExecUpdateResultInfo result;
        CUDA_CHECK(cudaGraphExecUpdate(executable, graph, &result));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }

  private:
    cudaStream_t stream;
    cudaGraphExec_t executable;

    cudaGraph_t capture(const commands &record) {
        cudaGraph_t graph;
        CUDA_CHECK(cudaStreamBeginCapture(
            stream, cudaStreamCaptureModeThreadLocal));
        record(stream);
        CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
        return graph;
    }
};

/* Faulty rung only-recorded: the graph is never launched
 *
 * The program captures the launches and goes on as if they had been
 * executed. A capture executes nothing, so the result is what the memory
 * contained before. It is right only if an earlier run has left it there.
 */
static void only_recorded(arrays v, float w) {
    const recorded graph(
        [=](cudaStream_t stream) { launch_steps(v, w, stream); });
}

/* Faulty rung other-stream: some launches are on a
 * stream that is not captured
 *
 * A function that the program calls launches every tenth step on a stream
 * of its own. This kernel runs at once, during the capture, and the graph
 * does not contain it. In a large program it may be in a library. If the
 * other stream were the default stream, the capture would fail with an
 * error, which is better.
 */
static void other_stream(arrays v, float w, cudaStream_t other) {
    const recorded graph([=](cudaStream_t stream) {
        const unsigned blocks = (unsigned)blocks_for<size_t>(v.n, THREADS);
        for (unsigned k = 0; k < STEPS; k++) {
            const float *const from = k == 0 ? v.x : k % 2 ? v.a : v.b;
            const cudaStream_t used = k % 10 == 9 ? other : stream;
            smooth<<<blocks, THREADS, 0, used>>>(v.n, w, from,
                                                 k % 2 ? v.b : v.a);
        }
    });
    graph.launch();
}

/* Faulty rung old-weight: an argument is changed after the capture
 *
 * A node contains the values that the arguments had during the capture. The
 * program then changes its variable, the weight, and launches the graph
 * again. The kernels still use the old weight. The same is true of
 * addresses: if an array is freed and allocated again, the graph accesses
 * the old address.
 */

/* Rung new-weight: the arguments of the graph are updated
 *
 * The program captures the launches with the new weight and calls
 * `cudaGraphExecUpdate`, which replaces the arguments of the executable
 * graph. The kernels and their order must be the same. This takes less time
 * than a new instantiation. If only some nodes change,
 * `cudaGraphExecKernelNodeSetParams` sets them one by one. A value that
 * changes at every launch is better stored in device memory, where a kernel
 * reads it: then the graph needs no update.
 *
 * The time of this rung includes the capture and the update.
 */

/* Rung branches: a graph whose kernels may run at the same time
 *
 * The graph smooths four arrays, each in 100 steps. They do not depend on
 * each other. The first stream records an event, and the other streams wait
 * for it: this makes them part of the capture. At the end the first stream
 * waits for an event of each. The graph has four chains of nodes, and the
 * device executes them side by side. The executor records one stream only,
 * so this rung needs a GPU.
 */
#ifndef WEFT_EXECUTOR
class branches {
  public:
    branches() {
        for (cudaStream_t &s : stream)
            CUDA_CHECK(
                cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        for (cudaEvent_t &e : event)
            CUDA_CHECK(
                cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    }
    ~branches() {
        for (const cudaStream_t s : stream) (void)cudaStreamDestroy(s);
        for (const cudaEvent_t e : event) (void)cudaEventDestroy(e);
    }
    /* Puts the steps of array k on stream k, between
     * two events of `main`. */
    void record(const arrays *v, float w, cudaStream_t main) const {
        CUDA_CHECK(cudaEventRecord(event[BRANCHES], main));
        for (unsigned k = 0; k < BRANCHES; k++) {
            CUDA_CHECK(cudaStreamWaitEvent(stream[k], event[BRANCHES], 0));
            launch_steps(v[k], w, stream[k]);
            CUDA_CHECK(cudaEventRecord(event[k], stream[k]));
            CUDA_CHECK(cudaStreamWaitEvent(main, event[k], 0));
        }
    }

  private:
    cudaStream_t stream[BRANCHES];
    cudaEvent_t event[BRANCHES + 1];
};
#endif

/* Rung one-block: all steps in one kernel
 *
 * A graph shortens the time between two kernels, but each step still is a
 * kernel. One block can execute all steps without any launch: a barrier of
 * the block separates them. It uses one multiprocessor, and each thread has
 * several elements. For small arrays this is the fastest way, and for large
 * ones the slowest. Before you record many small kernels, find out whether
 * they can be one.
 */
static __global__ void smooth_in_one_block(arrays v, float w) {
    for (unsigned k = 0; k < STEPS; k++) {
        const float *const from = k == 0 ? v.x : k % 2 ? v.a : v.b;
        float *const to = k % 2 ? v.b : v.a;
        for (size_t i = threadIdx.x; i < v.n; i += MOST_THREADS)
            to[i] = smoothed(v.n, w, from, i);
        __syncthreads();
    }
}

/* Exercises
 *
 * 1. From the times of `launches` and `graph`, compute the time between two
 *    kernels in each. For which time of a kernel does a graph save less
 *    than 10 %?
 * 2. How often must a graph be launched until its capture and instantiation
 *    have paid? Measure them on the host.
 * 3. Let the kernel read the weight from an array of one element. What does
 *    `new-weight` then need before each launch?
 * 4. Synchronize the stream after each launch of `launches`. Why is this
 *    much slower, and what would it do during a capture?
 * 5. Capture a call of weft on its own stream, and launch the graph. Which
 *    calls of weft cannot be captured, and why?
 */

/* Climbing the rungs. */

/* Runs the rung branches with four arrays of its own. */
#ifndef WEFT_EXECUTOR
static void climb_branches(climb &c, float w) {
    std::vector<arrays> v;
    std::vector<std::vector<float>> expected;
    for (unsigned k = 0; k < BRANCHES; k++) {
        const std::vector<float> values = ladder_values<float>(c.n, 10 + k);
        v.push_back({c.n, c.input(values), c.output<float>(c.n),
                     c.output<float>(c.n)});
        expected.push_back(smoothed_in_steps(values, w));
    }
    const branches all;
    const recorded graph(
        [&](cudaStream_t stream) { all.record(v.data(), w, stream); });
    const ladder_claim right = [&] {
        std::string said;
        for (unsigned k = 0; k < BRANCHES && said.empty(); k++)
            said = c.holds(v[k].b, expected[k]);
        return said;
    };
    c.work(BRANCHES * 8.0 * (double)c.n,
           BRANCHES * 5.0 * STEPS * (double)c.n);
    c.rung("branches", right, [&] { graph.launch(); });
}
#else
static void climb_branches(climb &c, float) {
    c.rung(
        "branches", [] { return ""; }, [] {}, {.gpu_only = true});
}
#endif

} // namespace

void climb_graphs(climb &c) {
    const float old_weight = 0.25f, new_weight = 0.2f;
    const std::vector<float> values = ladder_values<float>(c.n, 1);
    const arrays v = {c.n, c.input(values), c.output<float>(c.n),
                      c.output<float>(c.n)};
    const auto with_weight = [=](float w) {
        return [=](cudaStream_t stream) { launch_steps(v, w, stream); };
    };
    cudaStream_t other;
    CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    recorded graph(with_weight(old_weight));
    recorded updated(with_weight(old_weight));

    c.work(8.0 * (double)c.n, 5.0 * STEPS * (double)c.n);
    const ladder_claim of_old = [&] {
        return c.holds(v.b, smoothed_in_steps(values, old_weight));
    };
    const ladder_claim of_new = [&] {
        return c.holds(v.b, smoothed_in_steps(values, new_weight));
    };
    c.rung("launches", of_old, [=] { launch_steps(v, old_weight, NULL); });
    c.rung("graph", of_old, [&] { graph.launch(); });
    c.faulty("only-recorded", of_old,
             [=] { only_recorded(v, old_weight); });
    c.faulty("other-stream", of_old,
             [=] { other_stream(v, old_weight, other); }, {.least = 3});
    c.faulty("old-weight", of_new, [&] { graph.launch(); }, {.least = 3});
    c.rung("new-weight", of_new, [&] {
        updated.update(with_weight(new_weight));
        updated.launch();
    });
    climb_branches(c, old_weight);
    c.work(8.0 * (double)c.n, 5.0 * STEPS * (double)c.n);
    c.rung("one-block", of_old,
           [=] { smooth_in_one_block<<<1, MOST_THREADS>>>(v, old_weight); },
           {.most = (size_t)1 << 20});
    CUDA_CHECK(cudaStreamDestroy(other));
}
