/* Topic vector-add: c[i] = a[i] + b[i], for n numbers
 *
 * This is the first computation of every course. The threads share no data.
 * The lesson has two parts: which thread computes which element, and how
 * memory traffic determines the time.
 *
 * The work is n additions in one step. The traffic is 3 n elements: two
 * reads and one write per addition. In f32 an element has 4 bytes, so an
 * addition moves 12 bytes. No GPU can add two arrays faster than it can
 * copy the same number of bytes.
 *
 * Each element is the result of one addition, rounded once. So the order of
 * the elements does not matter, and every rung gives the same bits.
 */
#include "climb.h"

namespace {

constexpr unsigned THREADS = 256;

/* Rung one-thread: one thread adds them all
 *
 * A kernel is a function that the GPU runs. `<<<blocks, threads>>>` sets
 * the number of blocks and the number of threads per block. Here one thread
 * runs the kernel. It executes a C loop on one of the many thousand lanes
 * of a GPU. The thread waits for memory in every iteration.
 */
template <class T>
__global__ void add_by_one_thread(size_t n, const T *a, const T *b, T *c) {
    for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i];
}

template <class T>
static void one_thread(size_t n, const T *a, const T *b, T *c) {
    add_by_one_thread<<<1, 1>>>(n, a, b, c);
}

/* Rung one-block: 256 threads share the elements
 *
 * `threadIdx.x` is the index of the thread in its block. `blockDim.x` is
 * the number of threads in the block. Thread t adds the elements t,
 * t + 256, t + 512, ...
 *
 * A warp is a group of 32 threads that execute together. In each iteration,
 * the threads of a warp access 32 adjacent elements. The GPU loads these
 * elements as one segment of 128 bytes. In another design, each thread
 * could process a contiguous chunk that starts at element t * n / 256. Then
 * a warp would access 32 distant addresses in each iteration and load 32
 * segments.
 *
 * A block runs on one multiprocessor. An H200 has 132 multiprocessors, and
 * the other 131 are idle.
 */
template <class T>
__global__ void add_by_one_block(size_t n, const T *a, const T *b, T *c) {
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}

template <class T>
static void one_block(size_t n, const T *a, const T *b, T *c) {
    add_by_one_block<<<1, THREADS>>>(n, a, b, c);
}

/* Rung one-element: a thread for each element
 *
 * n elements need ceil(n / 256) blocks. In integer arithmetic this is
 * (n + 255) / 256. The index of a thread in the whole grid is
 * `blockIdx.x * blockDim.x + threadIdx.x`.
 *
 * If n is not a multiple of 256, the last block has more threads than
 * elements. The test `i < n` keeps these threads from accessing memory
 * after the end of the arrays.
 *
 * The kernel computes i as a `size_t`. Without the cast,
 * `blockIdx.x * blockDim.x` is a product of two 32-bit numbers. It wraps at
 * 2^32 elements.
 */
template <class T>
__global__ void add_one_element(size_t n, const T *a, const T *b, T *c) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

template <class T>
static void one_element(size_t n, const T *a, const T *b, T *c) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    add_one_element<<<blocks, THREADS>>>(n, a, b, c);
}

/* Faulty rung no-guard: the test i < n is forgotten
 *
 * The classic first programs choose n = blocks * threads and have no test.
 * With any other n, the last block writes after the end of the array. On a
 * GPU this may silently overwrite another array. `compute-sanitizer`
 * detects the error. The executor also detects it, because it checks every
 * access. This rung runs only on the executor.
 */
template <class T>
__global__ void add_without_guard(const T *a, const T *b, T *c) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

template <class T>
static void no_guard(size_t n, const T *a, const T *b, T *c) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    add_without_guard<<<blocks, THREADS>>>(a, b, c);
}

/* Faulty rung too-few-blocks: n / threads blocks, rounded down
 *
 * This is the other classic fault. The grid has n / 256 blocks, so no
 * thread computes the last n % 256 elements. These elements of the result
 * keep the previous contents of the memory.
 *
 * If the program cleared the memory before, it reads zeros. If the program
 * reused the memory, it reads the right values of the previous run, and its
 * test passes. For this reason the ladder fills every output with arbitrary
 * bytes before each run.
 */
template <class T>
static void too_few_blocks(size_t n, const T *a, const T *b, T *c) {
    add_one_element<<<(unsigned)(n / THREADS), THREADS>>>(n, a, b, c);
}

/* Rung grid-stride: a grid of fixed size traverses the array
 *
 * This rung is the loop of `one-block`, executed by the whole grid. Let G
 * be the number of threads in the grid. Thread g adds the elements g,
 * g + G, g + 2G, ...
 *
 * The kernel is right for any n and any launch, even for a launch of one
 * thread. So the program can choose grid and block for the device and not
 * for n. Here the grid has 1024 blocks. Work before the loop is done once
 * per thread and not once per element.
 */
template <class T>
__global__ void add_by_grid(size_t n, const T *a, const T *b, T *c) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads)
        c[i] = a[i] + b[i];
}

template <class T>
static void grid_stride(size_t n, const T *a, const T *b, T *c) {
    add_by_grid<<<1024, THREADS>>>(n, a, b, c);
}

/* Rung sixteen-bytes: a thread moves 16 bytes at once
 *
 * If each lane of a warp reads 4 bytes, one load instruction requests 128
 * bytes. If each lane reads 16 bytes, the same instruction requests 512
 * bytes. So more data is in flight at any time.
 *
 * The address must be a multiple of 16. A pointer from `cudaMalloc` is. A
 * pointer into the middle of an array may not be. The last elements may
 * fill fewer than 16 bytes. One thread computes each of them.
 */
template <class T> struct alignas(16) sixteen { T part[16 / sizeof(T)]; };

template <class T>
__global__ void add_sixteen_bytes(size_t n, const T *a, const T *b, T *c) {
    const size_t PARTS = 16 / sizeof(T), whole = n / PARTS;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < whole) {
        const sixteen<T> x = ((const sixteen<T> *)a)[i];
        const sixteen<T> y = ((const sixteen<T> *)b)[i];
        sixteen<T> z;
        for (size_t k = 0; k < PARTS; k++)
            z.part[k] = x.part[k] + y.part[k];
        ((sixteen<T> *)c)[i] = z;
    }
    const size_t last = whole * PARTS + i;
    if (last < n) c[last] = a[last] + b[last];
}

template <class T>
static void sixteen_bytes(size_t n, const T *a, const T *b, T *c) {
    const unsigned blocks =
        (unsigned)blocks_for<size_t>(n / (16 / sizeof(T)) + 16, THREADS);
    add_sixteen_bytes<<<blocks, THREADS>>>(n, a, b, c);
}

/* Rung weft: weft_map, an operation of this library
 *
 * `weft_expr_compile` compiles the formula "a + b" into a list of steps.
 * One kernel executes these steps for several elements at a time. When a
 * GPU has executed 2^28 steps, the library compiles the formula to a kernel
 * of its own, which the timed runs use (see `weft` of topic quadratic).
 */
static weft_status weft_add(weft_context *ctx, weft_dtype dtype, size_t n,
                            const void *a, const void *b, void *c) {
    weft_binding names[2] = {};
    names[0].name = "a", names[0].array = a, names[0].dtype = dtype;
    names[1].name = "b", names[1].array = b, names[1].dtype = dtype;
    weft_expr *sum;
    const weft_status status = weft_expr_compile(ctx, "a + b", &sum);
    if (status != WEFT_OK) return status;
    const weft_status added = weft_map(ctx, sum, dtype, n, names, 2, c);
    weft_expr_free(sum);
    return added;
}

/* Exercises
 *
 * 1. Run `weft ladder vector-add --n 10008` and `--n 9984`. For which of
 *    the two sizes is `no-guard` right? Why?
 * 2. Give each thread of `one-block` a contiguous chunk instead of every
 *    256th element. What does `--schedule backward` change? What does the
 *    time on a GPU show?
 * 3. A memory of 4.8 TB/s answers after 600 ns. How many bytes must be in
 *    flight to use it fully? How many threads is that at 4 bytes per
 *    thread, and at 16?
 */

/* Climbing the rungs. */
template <class T> static void climb_as(climb &c) {
    const size_t n = c.n;
    const std::vector<T> x = ladder_values<T>(n, 1);
    const std::vector<T> y = ladder_values<T>(n, 2);
    std::vector<T> sums(n);
    for (size_t i = 0; i < n; i++) sums[i] = x[i] + y[i];
    const T *const a = c.input(x), *const b = c.input(y);
    T *const to = c.output<T>(n);
    c.work(3.0 * (double)(n * sizeof(T)), (double)n);

    const ladder_claim right = [&] { return c.holds(to, sums); };
    c.rung("one-thread", right, [=] { one_thread(n, a, b, to); },
           {.most = (size_t)1 << 20});
    c.rung("one-block", right, [=] { one_block(n, a, b, to); });
    c.rung("one-element", right, [=] { one_element(n, a, b, to); });
    c.faulty("no-guard", right, [=] { no_guard(n, a, b, to); },
             {.executor_only = true});
    c.faulty("too-few-blocks", right, [=] { too_few_blocks(n, a, b, to); },
             {.least = THREADS});
    c.rung("grid-stride", right, [=] { grid_stride(n, a, b, to); });
    c.rung("sixteen-bytes", right, [=] { sixteen_bytes(n, a, b, to); });
    c.weft("weft", right, [=, &c](weft_context *ctx) {
        return weft_add(ctx, c.dtype, n, a, b, to);
    });
}

} // namespace

void climb_vector_add(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    if (c.dtype == WEFT_I32) return climb_as<int>(c);
    climb_as<float>(c);
}
