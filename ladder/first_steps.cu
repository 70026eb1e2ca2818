/* Topic first-steps: launching a kernel, memory, errors, limits
 *
 * What a program must do before it computes anything on a GPU: say how many threads, give them memory, find out what
 * went wrong. The GPU is a machine of its own, with memory of its own; a program on the host asks it to allocate, to
 * copy and to run kernels, and must ask whether that worked, for nothing is said unasked.
 *
 * No GPU is needed: these sources are also compiled for an executor that runs the threads one after another on the
 * CPU, and sees what a GPU does not tell. To run them on a GPU: an NVIDIA GPU with its driver, the CUDA toolkit
 * (nvcc), and weft built again (`./x build`); `weft devices` then lists the GPU, and `weft ladder first-steps` runs
 * on both.
 */
#include "climb.h"

namespace {

constexpr unsigned BLOCKS = 2, THREADS = 8;

/* Rung thread-index: each of 2 x 8 threads writes its own number
 *
 * __global__ makes a function a kernel: called from the host, run by the device. numbers<<<2, 8>>>(x) runs it in 2
 * blocks of 8 threads, all at the same time as far as the program can tell. threadIdx.x counts in a block, so that it
 * is 0 ... 7 twice; blockIdx.x * blockDim.x + threadIdx.x counts through all blocks. So x[i] = i mod 8.
 *
 * The launch returns at once, before the kernel has run. cudaMemcpy waits for it.
 */
__global__ void write_numbers(float *x) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = (float)threadIdx.x;
}

static void thread_index(float *x) { write_numbers<<<BLOCKS, THREADS>>>(x); }

/* Faulty rung unchecked: a launch that fails, and a program that does not ask
 *
 * The classic first program, with 4000 threads in a block: the device refuses the launch, the kernel never runs, and
 * the program copies back memory that nobody has written. It printed zeros, which the texts took for a result; they
 * were luck. Here the memory is full of rubbish before, and rubbish comes back.
 */
static void unchecked(float *x) {
    write_numbers<<<BLOCKS, 4000>>>(x);
    (void)cudaGetLastError(); /* looked at by nobody */
}

/* Rung too-many-threads: what a device says about 4000 threads in a block
 *
 * A block has 1024 threads at most. cudaGetLastError, right behind the launch, tells of one that could not begin:
 * with "invalid configuration argument" for many years, with "invalid argument" since CUDA 13. What goes wrong while
 * a kernel runs comes later: cudaDeviceSynchronize, or the next call that waits, returns it. A checked launch asks
 * both.
 */
static std::string is_refused(const char *what, cudaError_t fault) {
    if (fault != cudaErrorInvalidConfiguration && fault != cudaErrorInvalidValue)
        return std::string("not refused: ") + what + ": " + cudaGetErrorString(fault);
    return std::string(what) + " were refused: " + cudaGetErrorString(fault) + " (" + cudaGetErrorName(fault) + ")";
}

static std::string too_many_threads(float *x) {
    write_numbers<<<BLOCKS, 4000>>>(x);
    return is_refused("4000 threads in a block", cudaGetLastError());
}

/* Rung no-blocks: a grid of 0 blocks
 *
 * n / 256 blocks of 256 threads are none at all for n < 256: a launch that fails, and not one that does nothing.
 */
static std::string no_blocks(float *x) {
    const unsigned none = 0;
    write_numbers<<<none, THREADS>>>(x);
    return is_refused("0 blocks", cudaGetLastError());
}

/* Rung too-much-memory: a petabyte, please
 *
 * cudaMalloc says so when there is not that much, and the pointer is not to be used. The program can go on: nothing
 * is lost but this call.
 */
static std::string too_much_memory() {
    char *p = NULL;
    const cudaError_t fault = cudaMalloc(&p, (size_t)1 << 50);
    (void)cudaGetLastError(); /* what one call failed with must not be taken for the next one's */
    if (fault != cudaErrorMemoryAllocation) return std::string("not refused: ") + cudaGetErrorString(fault);
    return std::string("2^50 bytes were refused: ") + cudaGetErrorString(fault);
}

/* Rung explicit-memory: copy in, compute, copy out
 *
 * Arrays of the host are copied to the device, added there, and the sum is copied back: three copies and a launch, in
 * order, since all are on the same stream. The classic exercise asks for this; the classic answer let a kernel fill
 * the arrays, and never copied anything in.
 */
__global__ void add(size_t n, const float *a, const float *b, float *c) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static void explicit_memory(const std::vector<float> &a, const std::vector<float> &b, float *sum) {
    const size_t n = a.size(), bytes = n * sizeof(float);
    float *x, *y;
    CUDA_CHECK(cudaMalloc(&x, bytes));
    CUDA_CHECK(cudaMalloc(&y, bytes));
    CUDA_CHECK(cudaMemcpy(x, a.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(y, b.data(), bytes, cudaMemcpyHostToDevice));
    add<<<(unsigned)blocks_for<size_t>(n, 256), 256>>>(n, x, y, sum);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
}

/* Rung managed-memory: one pointer for host and device
 *
 * cudaMallocManaged gives memory that both may touch, and that moves to where it is touched. There are no copies to
 * write, but one thing to remember: the host must not read before the kernel is done, so cudaDeviceSynchronize stands
 * between the launch and the loop. The bytes are those of explicit-memory.
 */
static std::string managed_memory(const std::vector<float> &a, const std::vector<float> &b,
                                  const std::vector<float> &expected) {
    const size_t n = a.size();
    float *x, *y, *sum;
    CUDA_CHECK(cudaMallocManaged(&x, n * sizeof(float)));
    CUDA_CHECK(cudaMallocManaged(&y, n * sizeof(float)));
    CUDA_CHECK(cudaMallocManaged(&sum, n * sizeof(float)));
    for (size_t i = 0; i < n; i++) x[i] = a[i];
    for (size_t i = 0; i < n; i++) y[i] = b[i];
    add<<<(unsigned)blocks_for<size_t>(n, 256), 256>>>(n, x, y, sum);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    size_t different = 0;
    for (size_t i = 0; i < n; i++) different += sum[i] != expected[i];
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
    CUDA_CHECK(cudaFree(sum));
    if (different) return "not what explicit-memory gives: " + std::to_string(different) + " elements differ";
    return "the same bytes as explicit-memory gives, and no copy in the program";
}

/* Faulty rung host-pointer: a kernel is given an array of the host
 *
 * A pointer says nothing about whose memory it points to; the compiler cannot tell. The kernel ends with "an illegal
 * memory access", and on a GPU nothing after it works any more in this process, so that it runs on the executor
 * alone.
 */
static void host_pointer(const std::vector<float> &a, float *sum) {
    add<<<(unsigned)blocks_for<size_t>(a.size(), 256), 256>>>(a.size(), a.data(), a.data(), sum);
}

/* Faulty rung device-pointer: the host reads an array of the device
 *
 * The other way round, a loop on the host through a pointer that cudaMalloc gave. On a real machine the process ends
 * with a segmentation fault; the executor lets it pass and tells of it.
 */
static void device_pointer(size_t n, const float *x, float *sum) {
    volatile float total = 0;
    for (size_t i = 0; i < n; i++) total = total + x[i];
    CUDA_CHECK(cudaMemset(sum, 0, sizeof *sum));
}

/* Rung device-limits: what this device has
 *
 * Ask the device; do not compute its limits from others. The classic program multiplied the blocks that a
 * multiprocessor can hold by the threads that a block can have, 16 x 1024, and printed 16384 threads a multiprocessor
 * for a card that has room for 1024: the attribute is maxThreadsPerMultiProcessor.
 */
static std::string device_limits() {
    cudaDeviceProp p;
    CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
    if (p.maxThreadsPerBlock < 1) return "not a device: blocks of no threads";
    char text[500];
    snprintf(
        text, sizeof text,
        "%d multiprocessors, sm_%d%d; %d threads a block, %d a multiprocessor; %zu KiB of shared memory a block, "
        "%d KiB of L2, %.1f GiB of memory; a grid of %d x %d x %d",
        p.multiProcessorCount, p.major, p.minor, p.maxThreadsPerBlock, p.maxThreadsPerMultiProcessor,
        p.sharedMemPerBlock >> 10, p.l2CacheSize >> 10, (double)p.totalGlobalMem / (1 << 30), p.maxGridSize[0],
        p.maxGridSize[1], p.maxGridSize[2]);
    return text;
}

/* Exercises
 *
 * 1. Run thread-index with 4 threads a block. What is x[5]?
 * 2. Which of the two checks of a launch finds 4000 threads, and which an access behind an array?
 * 3. Take cudaDeviceSynchronize out of managed-memory. Why does the executor still give the right answer?
 * 4. printf works in a kernel. Print blockIdx.x and threadIdx.x from thread-index: in which order do the lines come,
 *    with --schedule forward, backward and random, and on a GPU?
 */

/* Climbing the rungs. */
} // namespace

void climb_first_steps(climb &c) {
    const std::vector<float> a = ladder_values<float>(c.n, 1), b = ladder_values<float>(c.n, 2);
    std::vector<float> sums(c.n), numbers(BLOCKS * THREADS);
    for (size_t i = 0; i < c.n; i++) sums[i] = a[i] + b[i];
    for (size_t i = 0; i < numbers.size(); i++) numbers[i] = (float)(i % THREADS);
    float *const x = c.output<float>(numbers.size()), *const sum = c.output<float>(c.n);

    const ladder_claim are_numbers = [&] { return c.holds(x, numbers); };
    const ladder_claim are_sums = [&] { return c.holds(sum, sums); };
    c.rung("thread-index", are_numbers, [=] { thread_index(x); });
    c.faulty("unchecked", are_numbers, [=] { unchecked(x); });
    c.lesson("too-many-threads", [=] { return too_many_threads(x); });
    c.lesson("no-blocks", [=] { return no_blocks(x); });
    c.lesson("too-much-memory", too_much_memory);
    c.rung("explicit-memory", are_sums, [&] { explicit_memory(a, b, sum); });
    c.lesson("managed-memory", [&] { return managed_memory(a, b, sums); });
    c.faulty("host-pointer", are_sums, [&] { host_pointer(a, sum); }, {.executor_only = true});
    c.faulty("device-pointer", are_sums, [=, &c] { device_pointer(c.n, sum, sum); }, {.executor_only = true});
    c.lesson("device-limits", device_limits);
}
