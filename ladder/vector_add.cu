/* Topic vector-add: c[i] = a[i] + b[i], for n numbers
 *
 * The first computation of every course. Threads share nothing here. What there is to learn is which thread computes
 * which element, and that memory traffic sets the cost. One addition of f32 moves 12 bytes: two reads and one write
 * of 4 bytes each. So no GPU can do it faster than it copies. Work n, steps 1, traffic 3 n elements.
 *
 * Each element is one addition, rounded once. There is no order to state, and every rung gives the same bits.
 */
#include "climb.h"

namespace {

constexpr unsigned THREADS = 256;

/* Rung one-thread: one thread adds them all
 *
 * A kernel is a function that the GPU runs. <<<blocks, threads>>> says how many threads run it: here one. This is a C
 * loop on one of the many thousand lanes of a GPU, and it waits for memory at every step.
 */
template <class T> __global__ void add_by_one_thread(size_t n, const T *a, const T *b, T *c) {
    for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i];
}

template <class T> static void one_thread(size_t n, const T *a, const T *b, T *c) {
    add_by_one_thread<<<1, 1>>>(n, a, b, c);
}

/* Rung one-block: 256 threads share the elements
 *
 * threadIdx.x is the thread's number in its block, and blockDim.x is the number of threads in the block. Thread t
 * takes elements t, t + 256, t + 512, ... A warp is a group of 32 threads that run together. At every step the
 * threads of a warp access 32 adjacent elements, which the GPU fetches as one segment of 128 bytes. If instead each
 * thread had its own contiguous chunk, starting at element t * n / 256, a warp would access 32 distant addresses at
 * every step and fetch 32 segments.
 *
 * A block runs on one multiprocessor. The others, 131 of the 132 of an H200, are idle.
 */
template <class T> __global__ void add_by_one_block(size_t n, const T *a, const T *b, T *c) {
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}

template <class T> static void one_block(size_t n, const T *a, const T *b, T *c) {
    add_by_one_block<<<1, THREADS>>>(n, a, b, c);
}

/* Rung one-element: a thread for each element
 *
 * n elements need ceil(n / 256) blocks, in integer arithmetic (n + 255) / 256. The number of a thread in the whole
 * grid is blockIdx.x * blockDim.x + threadIdx.x. If n is not a multiple of 256, the last block has more threads than
 * elements. The test i < n keeps these threads from accessing memory after the end of the arrays.
 *
 * i is computed in size_t: blockIdx.x * blockDim.x is a product of two 32-bit numbers, and wraps at 2^32 elements.
 */
template <class T> __global__ void add_one_element(size_t n, const T *a, const T *b, T *c) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

template <class T> static void one_element(size_t n, const T *a, const T *b, T *c) {
    add_one_element<<<(unsigned)blocks_for<size_t>(n, THREADS), THREADS>>>(n, a, b, c);
}

/* Faulty rung no-guard: the test i < n is forgotten
 *
 * The classic first programs have n = blocks * threads, and no test. With any other n the last block writes after the
 * end of the array. On a GPU this may silently overwrite another array. compute-sanitizer finds it, and so does the
 * executor, which checks every access. This rung runs only on the executor.
 */
template <class T> __global__ void add_without_guard(const T *a, const T *b, T *c) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

template <class T> static void no_guard(size_t n, const T *a, const T *b, T *c) {
    add_without_guard<<<(unsigned)blocks_for<size_t>(n, THREADS), THREADS>>>(a, b, c);
}

/* Faulty rung too-few-blocks: n / threads blocks, rounded down
 *
 * The other classic fault: the grid has n / 256 blocks, and no thread computes the last n % 256 elements. The result
 * keeps the previous contents of memory there. A program that cleared its memory sees zeros. A program that reused it
 * sees the right values of the previous run, and passes its test. For this reason the ladder fills every output with
 * arbitrary bytes before each run.
 */
template <class T> static void too_few_blocks(size_t n, const T *a, const T *b, T *c) {
    add_one_element<<<(unsigned)(n / THREADS), THREADS>>>(n, a, b, c);
}

/* Rung grid-stride: a grid of fixed size traverses the array
 *
 * The loop of one-block, by the whole grid: thread g of G takes g, g + G, g + 2G, ... It is right for any n and any
 * launch, even of one thread. So grid and block can be chosen for the device (here 1024 blocks) and not for n. Work
 * that a thread does before its loop is done once per thread, not once per element.
 */
template <class T> __global__ void add_by_grid(size_t n, const T *a, const T *b, T *c) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) c[i] = a[i] + b[i];
}

template <class T> static void grid_stride(size_t n, const T *a, const T *b, T *c) {
    add_by_grid<<<1024, THREADS>>>(n, a, b, c);
}

/* Rung sixteen-bytes: a thread moves 16 bytes at once
 *
 * A warp that reads 4 bytes per lane makes requests of 128 bytes. With 16 bytes per lane the same number of
 * instructions requests 512 bytes, so more data is in flight at any time. The address must be a multiple of 16.
 * Pointers from cudaMalloc are; a pointer into the middle of an array need not be. The last elements, fewer than 16
 * bytes, are computed by one thread each.
 */
template <class T> struct alignas(16) sixteen { T part[16 / sizeof(T)]; };

template <class T> __global__ void add_sixteen_bytes(size_t n, const T *a, const T *b, T *c) {
    const size_t PARTS = 16 / sizeof(T), whole = n / PARTS;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < whole) {
        const sixteen<T> x = ((const sixteen<T> *)a)[i], y = ((const sixteen<T> *)b)[i];
        sixteen<T> z;
        for (size_t k = 0; k < PARTS; k++) z.part[k] = x.part[k] + y.part[k];
        ((sixteen<T> *)c)[i] = z;
    }
    const size_t last = whole * PARTS + i;
    if (last < n) c[last] = a[last] + b[last];
}

template <class T> static void sixteen_bytes(size_t n, const T *a, const T *b, T *c) {
    add_sixteen_bytes<<<(unsigned)blocks_for<size_t>(n / (16 / sizeof(T)) + 16, THREADS), THREADS>>>(n, a, b, c);
}

/* Rung weft: weft_map, the library's own
 *
 * The formula "a + b" is compiled once into a list of steps. One kernel executes these steps for several elements at
 * a time.
 */
static weft_status weft_add(weft_context *ctx, weft_dtype dtype, size_t n, const void *a, const void *b, void *c) {
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
 * 1. Run `weft ladder vector-add --n 10008` and `--n 9984`: for which of the two is no-guard right, and why?
 * 2. Give each thread of one-block a contiguous chunk instead of every 256th element. What does --schedule backward
 *    change? What does a GPU's time show?
 * 3. How many bytes must be in flight at once to use 4.8 TB/s if memory answers after 600 ns? How many threads is
 *    that at 4 bytes each, and at 16?
 */

/* Climbing the rungs. */
template <class T> static void climb_as(climb &c) {
    const size_t n = c.n;
    const std::vector<T> x = ladder_values<T>(n, 1), y = ladder_values<T>(n, 2);
    std::vector<T> sums(n);
    for (size_t i = 0; i < n; i++) sums[i] = x[i] + y[i];
    const T *const a = c.input(x), *const b = c.input(y);
    T *const to = c.output<T>(n);
    c.work(3.0 * (double)(n * sizeof(T)), (double)n);

    const ladder_claim right = [&] { return c.holds(to, sums); };
    c.rung("one-thread", right, [=] { one_thread(n, a, b, to); }, {.most = (size_t)1 << 20});
    c.rung("one-block", right, [=] { one_block(n, a, b, to); });
    c.rung("one-element", right, [=] { one_element(n, a, b, to); });
    c.faulty("no-guard", right, [=] { no_guard(n, a, b, to); }, {.executor_only = true});
    c.faulty("too-few-blocks", right, [=] { too_few_blocks(n, a, b, to); }, {.least = THREADS});
    c.rung("grid-stride", right, [=] { grid_stride(n, a, b, to); });
    c.rung("sixteen-bytes", right, [=] { sixteen_bytes(n, a, b, to); });
    c.weft("weft", right, [=, &c](weft_context *ctx) { return weft_add(ctx, c.dtype, n, a, b, to); });
}

} // namespace

void climb_vector_add(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    if (c.dtype == WEFT_I32) return climb_as<int>(c);
    climb_as<float>(c);
}
