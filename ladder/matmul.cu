/* Topic matmul: C = A B, a product of matrices with n elements in all
 *
 * Each element of C is the product of a row of A and a column of B. If both
 * have k elements, this takes 2 k operations: k multiplications and k
 * additions. n is the maximal number of elements of C. For n = 10240, A is
 * 80 x 48 and B is 48 x 128, as in the classic lecture. Other n keep these
 * proportions.
 *
 * The work is 2 * rows * columns * k operations. The minimal traffic is A,
 * B and C once. Each element of A and B is used many times, and this reuse
 * is the lesson. If every use reads from memory, two operations read 8
 * bytes. If a block keeps more elements in fast memory, the kernel comes
 * closer to the arithmetic limit of the GPU.
 *
 * How much must a block keep? In the time in which one byte is read from
 * memory, the f32 lanes of a GPU execute about 16 operations (an H200: 67
 * TFLOP/s, 4.2 TB/s). A block that computes S x S elements of C reads S
 * elements of A and S elements of B for each k. For f32 these are 8 S bytes
 * for 2 S S operations, which is S / 4 operations per byte.
 *
 * Shared memory is the next limit. In one clock cycle, a multiprocessor
 * reads 32 words of shared memory and executes 128 multiplications. So a
 * kernel that reaches the limit reads at most a quarter of a word per
 * multiplication.
 *
 *                                          operations   shared words per
 *     rung           elements of a block   per byte     multiplication
 *     one-element    1 x 1 (no sharing)    1/4          none
 *     tiles          16 x 16               4            2
 *     registers-4    64 x 64               16           1/2
 *     registers-8    128 x 128             32           1/4
 *
 * Order: all kernels here start with 0 and add in the order of k. They use
 * fused multiply-adds, which round once. Every rung gives the same bits as
 * a plain loop. The compiler option `--fmad`, which permits the compiler to
 * fuse operations, is off. The sources call fma where it is intended.
 */
#include "climb.h"

#include <cuda_pipeline.h>
#include <math.h>

constexpr unsigned TILE = 16, K_SLICE = 16;

/* A is rows x depth, B is depth x columns, C is rows x columns; all are in
 * row-major order. */
struct shape {
    size_t rows, depth, columns;
};

/* Launches a kernel with blocks of 16 x 16 threads. Each thread computes
 * the given number of columns (x) and rows (y). */
template <class T, class KERNEL>
static void cover(KERNEL kernel, size_t in_x, size_t in_y,
                  unsigned per_block, shape m, const T *a, const T *b,
                  T *c) {
    const dim3 blocks((unsigned)blocks_for<size_t>(in_x, per_block),
                      (unsigned)blocks_for<size_t>(in_y, per_block));
    kernel<<<blocks, dim3(TILE, TILE)>>>(m, a, b, c);
}

template <class T>
static std::vector<T> order_of_depth(shape m, const std::vector<T> &a,
                                     const std::vector<T> &b) {
    std::vector<T> c(m.rows * m.columns);
    ladder_in_parts(m.rows, [&](size_t first, size_t end) {
        for (size_t i = first; i < end; i++)
            for (size_t k = 0; k < m.depth; k++) {
                const T left = a[i * m.depth + k];
                const T *const above = &b[k * m.columns];
                T *const to = &c[i * m.columns];
                for (size_t j = 0; j < m.columns; j++)
                    to[j] = fma(left, above[j], to[j]);
            }
    });
    return c;
}

/* Rung rows-across: a thread for each element, adjacent threads in a column
 *
 * A block of 16 x 16 threads computes 16 x 16 elements of C. `threadIdx.x`
 * changes fastest from thread to thread. In this rung it is the row. So the
 * threads of a warp read A and write C at addresses that are a whole row
 * apart. Each of these accesses transfers 32 bytes and needs only 4 of
 * them. The result is right but the kernel is slow. The source shows no
 * obvious error.
 */
template <class T>
__global__ void multiply_down_columns(shape m, const T *a, const T *b,
                                      T *c) {
    const size_t i = (size_t)blockIdx.x * TILE + threadIdx.x;
    const size_t j = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (i >= m.rows || j >= m.columns) return;
    T sum = 0;
    for (size_t k = 0; k < m.depth; k++)
        sum = fma(a[i * m.depth + k], b[k * m.columns + j], sum);
    c[i * m.columns + j] = sum;
}

/* Rung one-element: a thread for each element, adjacent threads in a row
 *
 * The only change is that x and y are swapped. Adjacent threads now read
 * adjacent elements of B and the same element of A. They write adjacent
 * elements of C. There are still two reads per multiplication, but a cache
 * serves most of them.
 */
template <class T>
__global__ void multiply_one_element(shape m, const T *a, const T *b,
                                     T *c) {
    const size_t i = (size_t)blockIdx.y * TILE + threadIdx.y;
    const size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (i >= m.rows || j >= m.columns) return;
    T sum = 0;
    for (size_t k = 0; k < m.depth; k++)
        sum = fma(a[i * m.depth + k], b[k * m.columns + j], sum);
    c[i * m.columns + j] = sum;
}

/* Faulty rung multiples-only: the grid is rounded down
 *
 * The grid of the classic program is columns / 16 x rows / 16, for sizes
 * that are multiples of 16. For other sizes, no thread computes the last
 * rows and columns. These elements of C keep the previous contents of the
 * memory.
 */
template <class T>
static void multiples_only(shape m, const T *a, const T *b, T *c) {
    const dim3 blocks((unsigned)(m.columns / TILE),
                      (unsigned)(m.rows / TILE));
    multiply_one_element<<<blocks, dim3(TILE, TILE)>>>(m, a, b, c);
}

/* Rung tiles: tiles of A and B in shared memory
 *
 * A block needs 16 rows of A and 16 columns of B. It loads one tile of 16 x
 * 16 of each at a time. Each thread loads one element of each tile and
 * waits for the others. Then it multiplies its row of the first tile by its
 * column of the second. Each element is read from memory once per block and
 * used 16 times.
 *
 *                         B   ..  b  ..      columns x ... x + 15
 *                             ..  b  ..
 *                             ..  b  ..
 *     A   ..  ..  ..      C   ..  ..  ..
 *         a   a   a           ..  c  ..      c = a b + a b + a b
 *         ..  ..  ..          ..  ..  ..
 *
 * The block uses one tile of A and one of B at a time. Each pair of tiles
 * takes two barriers. No thread may use the tile before all of it is
 * loaded. No thread may load the next tile while another thread still uses
 * this one. A thread outside C loads zeros and does not return early,
 * because all threads must reach the barriers. The sizes of the classic
 * kernel are multiples of 16, so it has no such threads.
 */
template <class T>
__device__ T element(const T *x, size_t rows, size_t columns, size_t i,
                     size_t j) {
    return i < rows && j < columns ? x[i * columns + j] : (T)0;
}

template <class T>
__global__ void multiply_tiles(shape m, const T *a, const T *b, T *c) {
    __shared__ T as[TILE][TILE], bs[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t i = (size_t)blockIdx.y * TILE + y;
    const size_t j = (size_t)blockIdx.x * TILE + x;
    T sum = 0;
    for (size_t first = 0; first < m.depth; first += TILE) {
        as[y][x] = element(a, m.rows, m.depth, i, first + x);
        bs[y][x] = element(b, m.depth, m.columns, first + y, j);
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++)
            sum = fma(as[y][k], bs[k][x], sum);
        __syncthreads();
    }
    if (i < m.rows && j < m.columns) c[i * m.columns + j] = sum;
}

/* Faulty rung one-barrier: tiles without the second barrier
 *
 * One warp finishes its tile and loads its part of the next tile. Another
 * warp has not finished, and it reads elements of both tiles.
 */
template <class T>
__global__ void multiply_tiles_racing(shape m, const T *a, const T *b,
                                      T *c) {
    __shared__ T as[TILE][TILE], bs[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t i = (size_t)blockIdx.y * TILE + y;
    const size_t j = (size_t)blockIdx.x * TILE + x;
    T sum = 0;
    for (size_t first = 0; first < m.depth; first += TILE) {
        as[y][x] = element(a, m.rows, m.depth, i, first + x);
        bs[y][x] = element(b, m.depth, m.columns, first + y, j);
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++)
            sum = fma(as[y][k], bs[k][x], sum);
    }
    if (i < m.rows && j < m.columns) c[i * m.columns + j] = sum;
}

/* Rung registers-4: each thread computes 4 x 4 elements
 *
 * In `tiles` every multiplication reads two words of shared memory, so
 * shared memory is the bottleneck. Here a thread computes 4 x 4 elements.
 * It reads 4 elements of A and 4 of B for 16 multiplications, which is half
 * a word per multiplication. A block of 16 x 16 threads computes 64 x 64
 * elements and traverses k in k-slices of 16.
 *
 * Thread (x, y) computes the rows y, y + 16, ... and the columns x, x + 16,
 * ... In each step, the threads of a warp read adjacent words of the
 * k-slice of B. They read one or two words of the k-slice of A, which is
 * stored transposed. Its rows have one extra element, so adjacent elements
 * of a column are in different banks. These elements are written at the
 * same time.
 */
template <class T, unsigned SIDE> struct k_slices {
    T a[K_SLICE][SIDE + 1], b[K_SLICE][SIDE];
};

/* Loads k-slices: columns `first`... of the block's SIDE rows of A, and
 * rows `first`... of its columns of B. */
template <class T, unsigned SIDE>
__device__ void load_slices(k_slices<T, SIDE> *s, shape m, const T *a,
                            const T *b, size_t row, size_t column,
                            size_t first) {
    for (unsigned t = threadIdx.y * TILE + threadIdx.x; t < K_SLICE * SIDE;
         t += TILE * TILE) {
        const unsigned i = t / K_SLICE, k = t % K_SLICE;
        s->a[k][i] = element(a, m.rows, m.depth, row + i, first + k);
        const unsigned l = t / SIDE, j = t % SIDE;
        s->b[l][j] = element(b, m.depth, m.columns, first + l, column + j);
    }
}

/* Adds to `sum` the products of column k of A's
 * k-slice and row k of B's. */
template <class T, unsigned EACH, unsigned SIDE>
__device__ void add_products(const k_slices<T, SIDE> *s, unsigned k,
                             T (*sum)[EACH]) {
    T x[EACH], y[EACH];
    for (unsigned r = 0; r < EACH; r++)
        x[r] = s->a[k][threadIdx.y + r * TILE];
    for (unsigned r = 0; r < EACH; r++)
        y[r] = s->b[k][threadIdx.x + r * TILE];
    for (unsigned p = 0; p < EACH; p++)
        for (unsigned q = 0; q < EACH; q++)
            sum[p][q] = fma(x[p], y[q], sum[p][q]);
}

template <class T, unsigned EACH>
__global__ void multiply_in_registers(shape m, const T *a, const T *b,
                                      T *c) {
    constexpr unsigned SIDE = EACH * TILE;
    __shared__ k_slices<T, SIDE> s;
    const size_t row = (size_t)blockIdx.y * SIDE;
    const size_t column = (size_t)blockIdx.x * SIDE;
    T sum[EACH][EACH] = {};
    for (size_t first = 0; first < m.depth; first += K_SLICE) {
        load_slices(&s, m, a, b, row, column, first);
        __syncthreads();
        for (unsigned k = 0; k < K_SLICE; k++) add_products(&s, k, sum);
        __syncthreads();
    }
    for (unsigned p = 0; p < EACH; p++)
        for (unsigned q = 0; q < EACH; q++) {
            const size_t i = row + threadIdx.y + p * TILE;
            const size_t j = column + threadIdx.x + q * TILE;
            if (i < m.rows && j < m.columns)
                c[i * m.columns + j] = sum[p][q];
        }
}

template <class T>
static void registers_4(shape m, const T *a, const T *b, T *c) {
    cover(multiply_in_registers<T, 4>, m.columns, m.rows, 4 * TILE, m, a, b,
          c);
}

/* Rung registers-8: each thread computes 8 x 8 elements
 *
 * This is the same kernel with another number. It reads a quarter of a word
 * of shared memory per multiplication. 64 sums and 16 factors take about a
 * hundred registers per thread, so fewer blocks fit on a multiprocessor. A
 * larger number is therefore not always faster. If C is small, there are
 * also too few blocks to use the whole GPU.
 */
template <class T>
static void registers_8(shape m, const T *a, const T *b, T *c) {
    cover(multiply_in_registers<T, 8>, m.columns, m.rows, 8 * TILE, m, a, b,
          c);
}

/* Rung double-buffered: the next k-slices are copied
 * while the kernel multiplies
 *
 * In `registers-8` the loads of a k-slice pass through registers, and all
 * threads wait for them. An asynchronous copy (`cp.async`, since sm_80)
 * goes from memory to shared memory, and the thread continues. There are
 * two pairs of k-slices. While the kernel multiplies one, the other is
 * being copied. `__pipeline_wait_prior(0)` waits for the copies of the
 * thread, and the barrier for those of all threads. The same barrier shows
 * that all threads have finished the k-slices that the next copies
 * overwrite. So one barrier per k-slice is enough. Elements outside the
 * matrices are copies of zero bytes, filled with zeros.
 *
 * A thread computes rows and columns in groups of four adjacent ones. It
 * reads a group from shared memory by one instruction of 16 bytes (f64:
 * two). For f64 a thread computes 4 x 4 elements, so that two pairs of
 * k-slices fit.
 */
template <class T> struct alignas(16) four { T part[4]; };

template <class T, unsigned SIDE> struct aligned_slices {
    alignas(16) T a[K_SLICE][SIDE + 4], b[K_SLICE][SIDE];
};

/* Starts to copy element (i, j) of a matrix of this size, or a zero. */
template <class T>
__device__ void start_copy(T *to, const T *matrix, size_t rows,
                           size_t columns, size_t i, size_t j) {
    const bool inside = i < rows && j < columns;
    __pipeline_memcpy_async(to, inside ? &matrix[i * columns + j] : matrix,
                            sizeof(T), inside ? 0 : sizeof(T));
}

template <class T, unsigned EACH, bool WAITS>
__global__ void multiply_double_buffered(shape m, const T *a, const T *b,
                                         T *c) {
    constexpr unsigned SIDE = EACH * TILE;
    __shared__ aligned_slices<T, SIDE> s[2];
    const size_t row = (size_t)blockIdx.y * SIDE;
    const size_t column = (size_t)blockIdx.x * SIDE;
    const auto start = [&](aligned_slices<T, SIDE> *to, size_t first) {
        for (unsigned t = threadIdx.y * TILE + threadIdx.x;
             t < K_SLICE * SIDE; t += TILE * TILE) {
            const unsigned k = t % K_SLICE, i = t / K_SLICE, j = t % SIDE;
            start_copy(&to->a[k][i], a, m.rows, m.depth, row + i,
                       first + k);
            start_copy(&to->b[t / SIDE][j], b, m.depth, m.columns,
                       first + t / SIDE, column + j);
        }
        __pipeline_commit();
    };
    /* Position of element e of thread t among the rows,
     * or columns, of the block. */
    const auto at = [](unsigned t, unsigned e) {
        return e / 4 * 4 * TILE + 4 * t + e % 4;
    };
    T sum[EACH][EACH] = {};
    start(&s[0], 0);
    for (size_t first = 0, now = 0; first < m.depth;
         first += K_SLICE, now = 1 - now) {
        if (WAITS) __pipeline_wait_prior(0);
        __syncthreads();
        if (first + K_SLICE < m.depth) start(&s[1 - now], first + K_SLICE);
        for (unsigned k = 0; k < K_SLICE; k++) {
            four<T> x[EACH / 4], y[EACH / 4];
            const T *const as = s[now].a[k], *const bs = s[now].b[k];
            for (unsigned e = 0; e < EACH; e += 4)
                x[e / 4] = *(const four<T> *)&as[at(threadIdx.y, e)];
            for (unsigned e = 0; e < EACH; e += 4)
                y[e / 4] = *(const four<T> *)&bs[at(threadIdx.x, e)];
            for (unsigned p = 0; p < EACH; p++)
                for (unsigned q = 0; q < EACH; q++)
                    sum[p][q] = fma(x[p / 4].part[p % 4],
                                    y[q / 4].part[q % 4], sum[p][q]);
        }
    }
    for (unsigned p = 0; p < EACH; p++)
        for (unsigned q = 0; q < EACH; q++) {
            const size_t i = row + at(threadIdx.y, p);
            const size_t j = column + at(threadIdx.x, q);
            if (i < m.rows && j < m.columns)
                c[i * m.columns + j] = sum[p][q];
        }
}

template <class T, bool WAITS>
static void double_buffered(shape m, const T *a, const T *b, T *c) {
    constexpr unsigned EACH = 32 / sizeof(T);
    cover(multiply_double_buffered<T, EACH, WAITS>, m.columns, m.rows,
          EACH * TILE, m, a, b, c);
}

/* Faulty rung no-wait: a pair of k-slices is used while it is on its way
 *
 * The barrier shows that all threads have started their copies, and not
 * that the copies have arrived. On a GPU they often have, because they were
 * started before the multiplications of the previous step. The executor
 * makes a copy when its thread waits for it, and reports each earlier
 * access.
 */

/* Rung known-answers: 275 x 275 numbers of rand()
 *
 * The classic program calls the library of a vendor. It fills A[i], B[i]
 * and C[i] from `rand()`, in turn, and stores matrices in column-major
 * order. Read in row-major order, the same arrays give C = B A, so the
 * kernel need not change. 275 is not a multiple of a tile. The classic
 * program does not print the trace. This rung prints it: 18823.8393.
 */
static std::string known_answers(climb &c) {
    const size_t side = 275;
    std::vector<float> a(side * side), b(side * side), product(side * side);
    const std::vector<int> numbers = ladder_gnu_rand(3 * side * side);
    for (size_t i = 0; i < side * side; i++) {
        a[i] = (float)(numbers[3 * i] / 2147483647.0);
        b[i] = (float)(numbers[3 * i + 1] / 2147483647.0);
    }
    float *const to = c.output<float>(side * side);
    registers_8({side, side, side}, c.input(b), c.input(a), to);
    c.fetch(product.data(), to, product.size() * sizeof product[0]);
    double trace = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < side; i++) trace += product[i * side + i];
    for (const double v : product) sum += v, squares += v * v;
    if (!(fabs(trace - 18823.839317) < 1e-2 &&
          fabs(sqrt(squares) - 18855.634853) < 1e-2 &&
          fabs(sum - 5177714.9386) < 1))
        return "not the classic program's product";
    char text[160];
    snprintf(text, sizeof text, "trace %.6g, Frobenius norm %.6g, sum %.6g",
             trace, sqrt(squares), sum);
    return text;
}

/* Rung constant-data: a test that detects nothing
 *
 * The classic sample fills A with 1 and B with 0.01. It compares every
 * element of C with the one right value. A kernel that reads the transpose
 * of B passes this test, and so does a kernel that uses the wrong row. This
 * rung runs a kernel that reads the transpose, on a square matrix. It
 * counts the wrong elements, first with constant data and then with random
 * data.
 */
template <class T>
__global__ void multiply_by_transpose(shape m, const T *a, const T *b,
                                      T *c) {
    const size_t i = (size_t)blockIdx.y * TILE + threadIdx.y;
    const size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (i >= m.rows || j >= m.columns) return;
    T sum = 0;
    for (size_t k = 0; k < m.depth; k++)
        sum = fma(a[i * m.depth + k], b[j * m.columns + k], sum);
    c[i * m.columns + j] = sum;
}

static size_t wrong_by_transpose(climb &c, shape m,
                                 const std::vector<float> &a,
                                 const std::vector<float> &b) {
    float *const to = c.output<float>(m.rows * m.columns);
    cover(multiply_by_transpose<float>, m.columns, m.rows, TILE, m,
          c.input(a), c.input(b), to);
    std::vector<float> got(m.rows * m.columns);
    c.fetch(got.data(), to, got.size() * sizeof got[0]);
    const std::vector<float> right = order_of_depth(m, a, b);
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); i++) wrong += got[i] != right[i];
    return wrong;
}

static std::string constant_data(climb &c) {
    const shape m = {32, 32, 32};
    const size_t constant =
        wrong_by_transpose(c, m, std::vector<float>(1024, 1.0f),
                           std::vector<float>(1024, 0.01f));
    const size_t random = wrong_by_transpose(
        c, m, ladder_values<float>(1024, 3), ladder_values<float>(1024, 4));
    if (constant != 0 || random < 1000)
        return "not what was expected of a transposed matrix";
    char text[120];
    snprintf(text, sizeof text,
             "a kernel that reads B's transpose: %zu of 1024 elements "
             "wrong, with random data %zu",
             constant, random);
    return text;
}

/* Rung weft: weft_matmul, an operation of this library
 *
 * `weft_matmul` supports every layout, transposes, alpha and beta. It adds
 * over k in the order of ORDER.md 13, on all cores of a CPU and on a GPU.
 * It does not use TF32: a product of f32 has the 24 bits of the type.
 */
static weft_status weft_multiply(weft_context *ctx, weft_dtype dtype,
                                 shape m, const void *a, const void *b,
                                 void *c) {
    return weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE,
                       WEFT_NO_TRANSPOSE, dtype, WEFT_DEFAULT, m.rows,
                       m.columns, m.depth, NULL, a, m.depth, b, m.columns,
                       NULL, c, m.columns);
}

/* Rung cublas: cublasSgemm and cublasDgemm, from NVIDIA's library cuBLAS
 *
 * The program loads the library from the CUDA toolkit, if it is installed.
 * cuBLAS reads matrices in column-major order. In that order, the matrices
 * of this topic are transposed. The transpose of A B is B' A', so the
 * program swaps the factors. cuBLAS does not state the order of the
 * additions, so the elements are small whole numbers.
 */
#if !defined WEFT_EXECUTOR && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>

template <class T>
static void cublas_multiply(shape m, const T *a, const T *b, T *c) {
    typedef cublasStatus_t (*create_call)(cublasHandle_t *);
    typedef cublasStatus_t (*multiply_call)(
        cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
        const T *, const T *, int, const T *, int, const T *, T *, int);
    static const ladder_library cublas("libcublas.so");
    static cublasHandle_t handle;
    if (!handle) cublas.call<create_call>("cublasCreate_v2")(&handle);
    const char *const name =
        sizeof(T) == sizeof(float) ? "cublasSgemm_v2" : "cublasDgemm_v2";
    const T one = 1, zero = 0;
    const int rows = (int)m.rows, depth = (int)m.depth;
    const int columns = (int)m.columns;
    const multiply_call multiply = cublas.call<multiply_call>(name);
    if (multiply(handle, CUBLAS_OP_N, CUBLAS_OP_N, columns, rows, depth,
                 &one, b, columns, a, depth, &zero, c,
                 columns) != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error("cuBLAS failed");
}
#else
template <class T>
static void cublas_multiply(shape, const T *, const T *, T *) {
    throw ladder_absent("this build had no cublas_v2.h");
}
#endif

/* Exercises
 *
 * 1. Run `weft ladder matmul --n 10240 --faulty`. Which faulty rung is
 *    right at this size, and why?
 * 2. Count on paper the words of shared memory per multiplication in
 *    `tiles`, `registers-4` and `registers-8`. Compare them with the column
 *    `shared` of the executor. Include the edges.
 * 3. Remove the + 1 from `k_slices`. The executor reports no error. What
 *    does the time on a GPU show?
 * 4. Let each thread of `registers-8` compute the rows 8 y, ..., 8 y + 7.
 *    Which banks do the threads of a warp read now?
 * 5. Copy `double-buffered` with three pairs of k-slices. Which argument
 *    does `__pipeline_wait_prior` need? How many blocks then fit on a
 *    multiprocessor?
 */

/* Climbing the rungs. */

/* Returns sizes in the proportions 5 : 3 : 8, with
 * at most n elements of C. */
static shape shape_of(size_t n) {
    size_t rows = 1;
    while ((rows + 1) * (rows + 1) <= 5 * n / 8) rows++;
    return {rows, (3 * rows + 4) / 5, n / rows};
}

/* Runs a rung that only a GPU executes, with matrices of its own. */
template <class T>
static void climb_alone(const char *name, climb &c,
                        void (*multiply)(shape, const T *, const T *, T *),
                        shape m, const std::vector<T> &left,
                        const std::vector<T> &above) {
    const T *const a = c.input(left), *const b = c.input(above);
    T *const to = c.output<T>(m.rows * m.columns);
    const ladder_claim right = [&] {
        return c.holds(to, order_of_depth(m, left, above));
    };
    c.rung(name, right, [=] { multiply(m, a, b, to); }, {.gpu_only = true});
}

template <class T> static void climb_as(climb &c) {
    const shape m = shape_of(c.n);
    const std::vector<T> left = ladder_values<T>(m.rows * m.depth, 1);
    const std::vector<T> above = ladder_values<T>(m.depth * m.columns, 2);
    const std::vector<T> product = order_of_depth(m, left, above);
    const T *const a = c.input(left), *const b = c.input(above);
    T *const to = c.output<T>(product.size());
    c.work(
        (double)((left.size() + above.size() + product.size()) * sizeof(T)),
        2 * (double)product.size() * (double)m.depth);

    const ladder_claim right = [&] { return c.holds(to, product); };
    c.rung("rows-across", right, [=] {
        cover(multiply_down_columns<T>, m.rows, m.columns, TILE, m, a, b,
              to);
    });
    c.rung("one-element", right, [=] {
        cover(multiply_one_element<T>, m.columns, m.rows, TILE, m, a, b,
              to);
    });
    c.faulty("multiples-only", right, [=] { multiples_only(m, a, b, to); },
             {.least = 512});
    c.rung("tiles", right, [=] {
        cover(multiply_tiles<T>, m.columns, m.rows, TILE, m, a, b, to);
    });
    c.faulty("one-barrier", right,
             [=] {
                 cover(multiply_tiles_racing<T>, m.columns, m.rows, TILE, m,
                       a, b, to);
             },
             {.least = 2048});
    c.rung("registers-4", right, [=] { registers_4(m, a, b, to); });
    c.rung("registers-8", right, [=] { registers_8(m, a, b, to); });
    c.rung("double-buffered", right,
           [=] { double_buffered<T, true>(m, a, b, to); });
    c.faulty("no-wait", right,
             [=] { double_buffered<T, false>(m, a, b, to); },
             {.executor_only = true});
    c.lesson("known-answers", [&] { return known_answers(c); });
    c.lesson("constant-data", [&] { return constant_data(c); });

    const ladder_claim as_specified = [&] {
        std::vector<T> expected(product.size());
        c.specified(weft_multiply(c.ref(), c.dtype, m, left.data(),
                                  above.data(), expected.data()));
        return c.holds(to, expected);
    };
    c.weft("weft", as_specified, [=, &c](weft_context *ctx) {
        return weft_multiply(ctx, c.dtype, m, a, b, to);
    });
    climb_alone("cublas", c, cublas_multiply<T>, m,
                ladder_whole_values<T>(left.size(), 5),
                ladder_whole_values<T>(above.size(), 6));
}

void climb_matmul(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
