/* Topic vector-add: c[i] = a[i] + b[i], for n numbers
 *
 * The first computation of every course. It has nothing to share between threads, so that all there is to learn is
 * who computes which element, and that memory is what it costs: 12 bytes go in and out for one addition of f32 (two
 * reads and a write of 4 bytes), so that no GPU can do it faster than it copies. Work n, steps 1, traffic 3 n
 * elements.
 *
 * Each element is one addition, rounded once: there is no order to state, and every rung gives the same bits.
 */
#include "climb.h"

namespace {

constexpr unsigned THREADS = 256;

/* Rung one-thread: one thread adds them all
 *
 * A kernel is a function that the GPU runs, and <<<blocks, threads>>> says how often: here once. This is a C loop
 * that happens to run on a GPU, on one of its many thousand lanes, which waits for memory at every step.
 */
template <class T> __global__ void add_by_one_thread(size_t n, const T *a, const T *b, T *c) {
    for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i];
}

template <class T> static void one_thread(size_t n, const T *a, const T *b, T *c) {
    add_by_one_thread<<<1, 1>>>(n, a, b, c);
}

/* Rung one-block: 256 threads take turns
 *
 * threadIdx.x is the thread's number in its block, blockDim.x how many there are. Thread t takes elements t, t + 256,
 * t + 512, ...: at every step the threads of a warp (32 that move together) touch 32 neighbours in memory, which the
 * GPU fetches as one piece of 128 bytes. Were each thread given a run of its own, element t * n / 256 and the
 * following, a warp would touch 32 far places at every step, and fetch 32 pieces.
 *
 * A block runs on one multiprocessor; the others, 131 of an H200's 132, have nothing to do yet.
 */
template <class T> __global__ void add_by_one_block(size_t n, const T *a, const T *b, T *c) {
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}

template <class T> static void one_block(size_t n, const T *a, const T *b, T *c) {
    add_by_one_block<<<1, THREADS>>>(n, a, b, c);
}

/* Rung one-element: a thread for each element
 *
 * As many blocks as n elements need: ceil(n / 256), written in whole numbers as (n + 255) / 256. The number of the
 * thread in the whole grid is blockIdx.x * blockDim.x + threadIdx.x. The last block has threads to spare whenever n
 * is no multiple of 256; the test i < n keeps them off what is behind the arrays.
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
 * The classic first programs have n = blocks * threads, and no test. With any other n the last block writes behind
 * the array. On a GPU that may destroy another array and say nothing; compute-sanitizer finds it, and so does the
 * executor, which looks at every access. It runs on the executor alone.
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
 * The other classic: the grid is n / 256, and the last n % 256 elements are nobody's. The result keeps what was in
 * memory there. A program that cleared its memory sees zeros, one that reused it sees last time's right values, and
 * passes its test. The ladder fills every output with rubbish before each run for this reason.
 */
template <class T> static void too_few_blocks(size_t n, const T *a, const T *b, T *c) {
    add_one_element<<<(unsigned)(n / THREADS), THREADS>>>(n, a, b, c);
}

/* Rung grid-stride: a grid of fixed size goes over the array
 *
 * The loop of one-block, by the whole grid: thread g of G takes g, g + G, g + 2G, ... It is right for any n and any
 * launch, one thread too, so that grid and block can be chosen for the device (here 1024 blocks) and not for n; what
 * a thread prepares before its loop is paid once, not once an element.
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
 * A warp that asks for 4 bytes a lane makes requests of 128 bytes; 16 bytes a lane make 512 with the same number of
 * instructions, and more is on its way from memory at any time. The address must be a multiple of 16, which what
 * cudaMalloc gives is; a pointer into the middle of an array need not be. The last elements, fewer than 16 bytes, are
 * for one thread each.
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
 * The formula "a + b" is compiled, once, into steps that one kernel follows for many elements at a time.
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
 * 2. Give each thread of one-block a run of its own in place of every 256th element. What does --schedule backward
 *    change? What does a GPU's time say?
 * 3. How many bytes must be on their way at once to keep 4.8 TB/s busy when memory answers after 600 ns? How many
 *    threads is that at 4 bytes each, and at 16?
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
