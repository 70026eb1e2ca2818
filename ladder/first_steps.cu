/* Topic first-steps: launching a kernel, memory, errors, limits
 *
 * This topic shows what a program must do before it computes on a GPU. The
 * program must choose the number of threads, allocate memory, and check for
 * errors.
 *
 * The GPU is a separate processor with its own memory. A program on the
 * host calls the CUDA runtime to allocate memory, to copy data and to run
 * kernels. The program must also check whether each call and each kernel
 * succeeded. The runtime returns errors but does not print them.
 *
 * This topic needs no GPU. The same sources are also compiled for an
 * executor. It runs the threads one after another on the CPU, and it
 * detects errors that a GPU does not report.
 *
 * To run the topic on a GPU, you need an NVIDIA GPU with its driver and the
 * CUDA toolkit (`nvcc`). Then build weft again with `./x build`. After
 * that, `weft devices` lists the GPU, and `weft ladder first-steps` runs on
 * both.
 */
#include "climb.h"

namespace {

constexpr unsigned BLOCKS = 2, THREADS = 8;

/* Rung thread-index: each of 2 x 8 threads writes its own number
 *
 * `__global__` makes a function a kernel: the host calls it, and the device
 * runs it. `write_numbers<<<2, 8>>>(x)` runs the kernel in 2 blocks of 8
 * threads. The program must assume that all of these threads run at the
 * same time.
 *
 * `threadIdx.x` is the index of a thread in its block. It takes the values
 * 0 ... 7 in both blocks. `blockIdx.x * blockDim.x + threadIdx.x` is the
 * index of the thread in the whole grid. So the result is x[i] = i mod 8.
 *
 * The launch returns immediately, before the kernel has run. `cudaMemcpy`
 * waits until the kernel has finished.
 */
__global__ void write_numbers(float *x) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = (float)threadIdx.x;
}

static void thread_index(float *x) {
    write_numbers<<<BLOCKS, THREADS>>>(x);
}

/* Faulty rung unchecked: a launch that fails, and a
 * program that does not check
 *
 * This is the classic first program, launched with 4000 threads in a block.
 * The device refuses the launch, and the kernel never runs. The program
 * then copies back memory that no thread has written.
 *
 * The program printed zeros, and the texts took them for a result. The
 * memory contained zeros only by chance. The ladder fills the memory with
 * arbitrary bytes first, and the program copies these bytes back.
 */
static void unchecked(float *x) {
    write_numbers<<<BLOCKS, 4000>>>(x);
    (void)cudaGetLastError(); /* error deliberately ignored */
}

/* Rung too-many-threads: the error for 4000 threads in a block
 *
 * A block has at most 1024 threads. A launch that cannot start sets an
 * error. `cudaGetLastError`, called directly after the launch, returns it.
 * Its message was "invalid configuration argument" for many years. Since
 * CUDA 13 it is "invalid argument".
 *
 * An error that occurs while a kernel runs is returned later.
 * `cudaDeviceSynchronize` returns it, or the next call that waits for the
 * kernel. A program that checks a launch must call both functions.
 */
static std::string is_refused(const char *what, cudaError_t fault) {
    if (fault != cudaErrorInvalidConfiguration &&
        fault != cudaErrorInvalidValue)
        return std::string("not refused: ") + what + ": " +
               cudaGetErrorString(fault);
    return std::string(what) +
           " were refused: " + cudaGetErrorString(fault) + " (" +
           cudaGetErrorName(fault) + ")";
}

static std::string too_many_threads(float *x) {
    write_numbers<<<BLOCKS, 4000>>>(x);
    return is_refused("4000 threads in a block", cudaGetLastError());
}

/* Rung no-blocks: a grid of 0 blocks
 *
 * If n < 256, the expression n / 256 is 0, so the program launches a grid
 * of 0 blocks. This launch returns an error. It is not a launch that does
 * nothing.
 */
static std::string no_blocks(float *x) {
    const unsigned none = 0;
    write_numbers<<<none, THREADS>>>(x);
    return is_refused("0 blocks", cudaGetLastError());
}

/* Rung too-much-memory: an allocation of a petabyte
 *
 * `cudaMalloc` returns an error if there is not enough memory. The program
 * must not use the pointer then. The program can continue, because only
 * this call has failed.
 */
static std::string too_much_memory() {
    char *p = NULL;
    const cudaError_t fault = cudaMalloc(&p, (size_t)1 << 50);
    /* Clears the error, so that the next call does not return it */
    (void)cudaGetLastError();
    if (fault != cudaErrorMemoryAllocation)
        return std::string("not refused: ") + cudaGetErrorString(fault);
    return std::string("2^50 bytes were refused: ") +
           cudaGetErrorString(fault);
}

/* Rung explicit-memory: copy in, compute, copy out
 *
 * The program copies two arrays from the host to the device. A kernel adds
 * them there, and the program copies the sum back. The three copies and the
 * launch run in order, because all of them are on the same stream.
 *
 * The classic exercise asks for these steps. In the classic answer, a
 * kernel filled the arrays, and nothing was copied to the device.
 */
__global__ void add(size_t n, const float *a, const float *b, float *c) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static void explicit_memory(const std::vector<float> &a,
                            const std::vector<float> &b, float *sum) {
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
 * `cudaMallocManaged` returns memory that both host and device may access.
 * The memory migrates to the processor that accesses it. So the program
 * contains no copies.
 *
 * There is one rule: the host must not read the memory before the kernel
 * has finished. So the program must call `cudaDeviceSynchronize` between
 * the launch and the loop on the host. The result has the same bytes as
 * that of `explicit-memory`.
 */
static std::string managed_memory(const std::vector<float> &a,
                                  const std::vector<float> &b,
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
    if (different)
        return "not what explicit-memory gives: " +
               std::to_string(different) + " elements differ";
    return "the same bytes as explicit-memory gives, and no copy in the "
           "program";
}

/* Faulty rung host-pointer: a kernel reads an array of the host
 *
 * The type of a pointer does not show which memory it points to, so the
 * compiler cannot detect this mistake. The kernel fails with "an illegal
 * memory access". On a GPU, every later CUDA call of the process fails
 * after this error. So this rung runs only on the executor.
 */
static void host_pointer(const std::vector<float> &a, float *sum) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(a.size(), 256);
    add<<<blocks, 256>>>(a.size(), a.data(), a.data(), sum);
}

/* Faulty rung device-pointer: the host reads an array of the device
 *
 * This is the opposite mistake. A loop on the host reads through a pointer
 * from `cudaMalloc`. On a machine with a GPU the process ends with a
 * segmentation fault. The executor permits the access and reports it.
 */
static void device_pointer(size_t n, const float *x, float *sum) {
    volatile float total = 0;
    for (size_t i = 0; i < n; i++) total = total + x[i];
    CUDA_CHECK(cudaMemset(sum, 0, sizeof *sum));
}

/* Rung device-limits: the limits of this device
 *
 * A program should query the limits of the device. It must not compute them
 * from other limits. The classic program multiplied the number of blocks
 * that a multiprocessor can hold by the number of threads of a block, 16 x
 * 1024. It printed 16384 threads per multiprocessor for a card that holds
 * 1024. The correct attribute is `maxThreadsPerMultiProcessor`.
 */
static std::string device_limits() {
    cudaDeviceProp p;
    CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
    if (p.maxThreadsPerBlock < 1)
        return "not a device: blocks of no threads";
    char text[500];
    snprintf(text, sizeof text,
             "%d multiprocessors, sm_%d%d; %d threads a block, %d a "
             "multiprocessor; %zu KiB of shared memory a block, "
             "%d KiB of L2, %.1f GiB of memory; a grid of %d x %d x %d",
             p.multiProcessorCount, p.major, p.minor, p.maxThreadsPerBlock,
             p.maxThreadsPerMultiProcessor, p.sharedMemPerBlock >> 10,
             p.l2CacheSize >> 10, (double)p.totalGlobalMem / (1 << 30),
             p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    return text;
}

/* Exercises
 *
 * 1. Run `thread-index` with 4 threads per block. What is x[5]?
 * 2. A launch is checked twice. Which check detects 4000 threads? Which one
 *    detects an access after the end of an array?
 * 3. Remove `cudaDeviceSynchronize` from `managed-memory`. Why does the
 *    executor still give the right answer?
 * 4. A kernel can call `printf`. Print `blockIdx.x` and `threadIdx.x` in
 *    `thread-index`. In which order do the lines appear with `--schedule
 *    forward`, `backward` and `random`? In which order do they appear on a
 *    GPU?
 */

/* Climbing the rungs. */
} // namespace

void climb_first_steps(climb &c) {
    const std::vector<float> a = ladder_values<float>(c.n, 1);
    const std::vector<float> b = ladder_values<float>(c.n, 2);
    std::vector<float> sums(c.n), numbers(BLOCKS * THREADS);
    for (size_t i = 0; i < c.n; i++) sums[i] = a[i] + b[i];
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = (float)(i % THREADS);
    float *const x = c.output<float>(numbers.size());
    float *const sum = c.output<float>(c.n);

    const ladder_claim are_numbers = [&] { return c.holds(x, numbers); };
    const ladder_claim are_sums = [&] { return c.holds(sum, sums); };
    c.rung("thread-index", are_numbers, [=] { thread_index(x); });
    c.faulty("unchecked", are_numbers, [=] { unchecked(x); });
    c.lesson("too-many-threads", [=] { return too_many_threads(x); });
    c.lesson("no-blocks", [=] { return no_blocks(x); });
    c.lesson("too-much-memory", too_much_memory);
    c.rung("explicit-memory", are_sums,
           [&] { explicit_memory(a, b, sum); });
    c.lesson("managed-memory", [&] { return managed_memory(a, b, sums); });
    c.faulty("host-pointer", are_sums, [&] { host_pointer(a, sum); },
             {.executor_only = true});
    c.faulty("device-pointer", are_sums,
             [=, &c] { device_pointer(c.n, sum, sum); },
             {.executor_only = true});
    c.lesson("device-limits", device_limits);
}
