/* Topic first-steps: launching a kernel, memory, errors, limits
 *
 * What a program must do before it computes anything on a GPU: choose the number of threads, allocate memory, and
 * find out what went wrong. The GPU is a separate processor with its own memory. A program on the host asks it to
 * allocate, to copy and to run kernels. The program must also ask whether that worked, because errors are not
 * reported unasked.
 *
 * No GPU is needed. These sources are also compiled for an executor, which runs the threads one after another on the
 * CPU and detects errors that a GPU does not report. Running them on a GPU takes an NVIDIA GPU with its driver, the
 * CUDA toolkit (nvcc), and a new build of weft (`./x build`). `weft devices` then lists the GPU, and `weft ladder
 * first-steps` runs on both.
 */
#include "climb.h"

namespace {

constexpr unsigned BLOCKS = 2, THREADS = 8;

/* Rung thread-index: each of 2 x 8 threads writes its own number
 *
 * __global__ makes a function a kernel: called from the host, run by the device. numbers<<<2, 8>>>(x) runs it in 2
 * blocks of 8 threads. The program must assume that all of them run at the same time. threadIdx.x counts within a
 * block, so that it is 0 ... 7 twice; blockIdx.x * blockDim.x + threadIdx.x counts through all blocks. So x[i] = i
 * mod 8.
 *
 * The launch returns at once, before the kernel has run. cudaMemcpy waits for it.
 */
__global__ void write_numbers(float *x) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = (float)threadIdx.x;
}

static void thread_index(float *x) { write_numbers<<<BLOCKS, THREADS>>>(x); }

/* Faulty rung unchecked: a launch that fails, and a program that does not check
 *
 * The classic first program, with 4000 threads in a block. The device refuses the launch, the kernel never runs, and
 * the program copies back memory that nothing has written. It printed zeros, which the texts took for a result, but
 * the memory only happened to be zero. Here the memory is filled with arbitrary bytes first, and these bytes come
 * back.
 */
static void unchecked(float *x) {
    write_numbers<<<BLOCKS, 4000>>>(x);
    (void)cudaGetLastError(); /* error deliberately ignored */
}

/* Rung too-many-threads: what a device says about 4000 threads in a block
 *
 * A block has at most 1024 threads. cudaGetLastError, called directly after the launch, reports a launch that could
 * not start. The message was "invalid configuration argument" for many years and is "invalid argument" since CUDA 13.
 * Errors that occur while a kernel runs are returned later, by cudaDeviceSynchronize or by the next call that waits.
 * A checked launch asks for both.
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
 * For n < 256, n / 256 blocks of 256 threads are 0 blocks. That launch fails; it is not a launch that does nothing.
 */
static std::string no_blocks(float *x) {
    const unsigned none = 0;
    write_numbers<<<none, THREADS>>>(x);
    return is_refused("0 blocks", cudaGetLastError());
}

/* Rung too-much-memory: an allocation of a petabyte
 *
 * cudaMalloc returns an error if there is not enough memory, and the pointer must not be used. The program can
 * continue: only this call has failed.
 */
static std::string too_much_memory() {
    char *p = NULL;
    const cudaError_t fault = cudaMalloc(&p, (size_t)1 << 50);
    (void)cudaGetLastError(); /* clears the error, so that the next call is not blamed for it */
    if (fault != cudaErrorMemoryAllocation) return std::string("not refused: ") + cudaGetErrorString(fault);
    return std::string("2^50 bytes were refused: ") + cudaGetErrorString(fault);
}

/* Rung explicit-memory: copy in, compute, copy out
 *
 * Arrays of the host are copied to the device and added there, and the sum is copied back. The three copies and the
 * launch run in order, because all are on the same stream. The classic exercise asks for this. The classic answer let
 * a kernel fill the arrays and never copied anything in.
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
 * cudaMallocManaged returns memory that host and device may both access, and that migrates to the one that accesses
 * it. There are no copies to write, but one rule: the host must not read before the kernel has finished. So
 * cudaDeviceSynchronize must be called between the launch and the loop. The bytes are those of explicit-memory.
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

/* Faulty rung host-pointer: a kernel reads an array of the host
 *
 * A pointer does not say whose memory it points to, so the compiler cannot detect the mistake. The kernel ends with
 * "an illegal memory access". On a GPU nothing works in this process after that, so this rung runs only on the
 * executor.
 */
static void host_pointer(const std::vector<float> &a, float *sum) {
    add<<<(unsigned)blocks_for<size_t>(a.size(), 256), 256>>>(a.size(), a.data(), a.data(), sum);
}

/* Faulty rung device-pointer: the host reads an array of the device
 *
 * The opposite mistake: a loop on the host through a pointer from cudaMalloc. On a real machine the process ends with
 * a segmentation fault. The executor permits the access and reports it.
 */
static void device_pointer(size_t n, const float *x, float *sum) {
    volatile float total = 0;
    for (size_t i = 0; i < n; i++) total = total + x[i];
    CUDA_CHECK(cudaMemset(sum, 0, sizeof *sum));
}

/* Rung device-limits: the limits of this device
 *
 * Query the limits of the device; do not compute them from other limits. The classic program multiplied the blocks
 * that a multiprocessor can hold by the threads that a block can have, 16 x 1024. It printed 16384 threads per
 * multiprocessor for a card that holds 1024. The correct attribute is maxThreadsPerMultiProcessor.
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
 * 1. Run thread-index with 4 threads per block. What is x[5]?
 * 2. Which of the two checks of a launch finds 4000 threads, and which an access after the end of an array?
 * 3. Remove cudaDeviceSynchronize from managed-memory. Why does the executor still give the right answer?
 * 4. printf works in a kernel. Print blockIdx.x and threadIdx.x from thread-index. In which order do the lines
 *    appear, with --schedule forward, backward and random, and on a GPU?
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
