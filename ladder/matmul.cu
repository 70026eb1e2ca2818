/* Topic matmul: C = A B, a product of matrices with n elements in all
 *
 * Each element of C is a row of A times a column of B: 2 k operations, of multiplication and addition, for k elements
 * of each. n is the number of elements of C, at the most: for n = 10240 A is 80 x 48 and B 48 x 128, as in the
 * classic lecture, and other n keep these proportions. Work 2 rows * columns * k; each element of A and B is used
 * many times, and there is the lesson: read from memory each time, it costs 8 bytes for two operations; the more of
 * it a block keeps near, the closer it comes to what the GPU can multiply. The traffic that the result needs is A, B
 * and C once.
 *
 * Order: all kernels here add in the order of k, from 0, by fused multiply-adds, which round once: the same bits from
 * every rung, and from a plain loop. --fmad, the compiler's licence to fuse or not as it likes, is off, and fma says
 * where it is wanted.
 */
#include "climb.h"

#include <math.h>

constexpr unsigned TILE = 16, SLAB = 16;

/* A is rows x depth, B depth x columns, C rows x columns; a row lies behind the one before. */
struct shape {
    size_t rows, depth, columns;
};

/* Launches a kernel of blocks of 16 x 16 threads, each for so many columns (x) and rows (y) of C. */
template <class T, class KERNEL>
static void cover(KERNEL kernel, size_t in_x, size_t in_y, unsigned per_block, shape m, const T *a, const T *b,
                  T *c) {
    const dim3 blocks((unsigned)blocks_for<size_t>(in_x, per_block), (unsigned)blocks_for<size_t>(in_y, per_block));
    kernel<<<blocks, dim3(TILE, TILE)>>>(m, a, b, c);
}

template <class T> static std::vector<T> order_of_depth(shape m, const std::vector<T> &a, const std::vector<T> &b) {
    std::vector<T> c(m.rows * m.columns);
    for (size_t i = 0; i < m.rows; i++)
        for (size_t k = 0; k < m.depth; k++)
            for (size_t j = 0; j < m.columns; j++)
                c[i * m.columns + j] = fma(a[i * m.depth + k], b[k * m.columns + j], c[i * m.columns + j]);
    return c;
}

/* Rung rows-across: a thread for each element, neighbours in a column
 *
 * A block of 16 x 16 threads has 16 x 16 elements of C. threadIdx.x, which changes fastest from thread to thread, is
 * the row here: the threads of a warp read A, and write C, a whole row of memory apart, and each of their accesses
 * fetches 32 bytes for the 4 that it wants. Right, and slow; nothing in the source looks wrong.
 */
template <class T> __global__ void multiply_down_columns(shape m, const T *a, const T *b, T *c) {
    const size_t i = (size_t)blockIdx.x * TILE + threadIdx.x, j = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (i >= m.rows || j >= m.columns) return;
    T sum = 0;
    for (size_t k = 0; k < m.depth; k++) sum = fma(a[i * m.depth + k], b[k * m.columns + j], sum);
    c[i * m.columns + j] = sum;
}

/* Rung one-element: a thread for each element, neighbours in a row
 *
 * x and y changed places, and nothing else: neighbouring threads read neighbouring elements of B, one and the same of
 * A, and write neighbours of C. Still two reads for every multiplication, though most are answered by a cache.
 */
template <class T> __global__ void multiply_one_element(shape m, const T *a, const T *b, T *c) {
    const size_t i = (size_t)blockIdx.y * TILE + threadIdx.y, j = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (i >= m.rows || j >= m.columns) return;
    T sum = 0;
    for (size_t k = 0; k < m.depth; k++) sum = fma(a[i * m.depth + k], b[k * m.columns + j], sum);
    c[i * m.columns + j] = sum;
}

/* Faulty rung multiples-only: the grid rounded down
 *
 * The classic program's grid is columns / 16 x rows / 16, for sizes that are multiples of 16. With others the last
 * rows and columns are nobody's, and C keeps there what was in memory.
 */
template <class T> static void multiples_only(shape m, const T *a, const T *b, T *c) {
    const dim3 blocks((unsigned)(m.columns / TILE), (unsigned)(m.rows / TILE));
    multiply_one_element<<<blocks, dim3(TILE, TILE)>>>(m, a, b, c);
}

/* Rung tiles: tiles of A and B in shared memory
 *
 * A block needs 16 rows of A and 16 columns of B. It takes them a tile of 16 x 16 at a time: each thread brings one
 * element of each tile, all wait, each thread goes along its row and its column of the tiles. An element is read from
 * memory once a block and used 16 times.
 *
 * Two barriers a tile: nobody may use the tile before all of it is there, and nobody may bring the next one while
 * somebody still uses this. Threads outside of C bring zeros and stay; the classic kernel has no such edges, its
 * sizes are multiples of 16. A thread that returned early would be missing at the barrier.
 */
template <class T> __device__ T element(const T *x, size_t rows, size_t columns, size_t i, size_t j) {
    return i < rows && j < columns ? x[i * columns + j] : (T)0;
}

template <class T> __global__ void multiply_tiles(shape m, const T *a, const T *b, T *c) {
    __shared__ T as[TILE][TILE], bs[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t i = (size_t)blockIdx.y * TILE + y, j = (size_t)blockIdx.x * TILE + x;
    T sum = 0;
    for (size_t first = 0; first < m.depth; first += TILE) {
        as[y][x] = element(a, m.rows, m.depth, i, first + x);
        bs[y][x] = element(b, m.depth, m.columns, first + y, j);
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++) sum = fma(as[y][k], bs[k][x], sum);
        __syncthreads();
    }
    if (i < m.rows && j < m.columns) c[i * m.columns + j] = sum;
}

/* Faulty rung one-barrier: tiles without the second barrier
 *
 * A warp that has done with its tile brings its part of the next one, and one that has not goes on with half of it.
 */
template <class T> __global__ void multiply_tiles_racing(shape m, const T *a, const T *b, T *c) {
    __shared__ T as[TILE][TILE], bs[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t i = (size_t)blockIdx.y * TILE + y, j = (size_t)blockIdx.x * TILE + x;
    T sum = 0;
    for (size_t first = 0; first < m.depth; first += TILE) {
        as[y][x] = element(a, m.rows, m.depth, i, first + x);
        bs[y][x] = element(b, m.depth, m.columns, first + y, j);
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++) sum = fma(as[y][k], bs[k][x], sum);
    }
    if (i < m.rows && j < m.columns) c[i * m.columns + j] = sum;
}

/* Rung registers-4: each thread computes 4 x 4 elements
 *
 * In tiles every multiplication reads two words of shared memory, and shared memory is now what is waited for. A
 * thread that computes 4 x 4 elements reads 4 of A and 4 of B for 16 multiplications: half a word each. A block of
 * 16 x 16 threads has 64 x 64 elements, and goes along k in slabs of 16.
 *
 * Thread (x, y) has the rows y, y + 16, ... and the columns x, x + 16, ...: at every moment the threads of a warp
 * read neighbouring words of B's slab and one or two of A's. A's slab lies with its columns in rows; the extra
 * element at the end of each puts neighbours of a column, which are written together, into different banks.
 */
template <class T, unsigned SIDE> struct slabs { T a[SLAB][SIDE + 1], b[SLAB][SIDE]; };

/* The block's threads bring columns `first`... of its SIDE rows of A, and rows `first`... of its columns of B. */
template <class T, unsigned SIDE>
__device__ void bring(slabs<T, SIDE> *s, shape m, const T *a, const T *b, size_t row, size_t column, size_t first) {
    for (unsigned t = threadIdx.y * TILE + threadIdx.x; t < SLAB * SIDE; t += TILE * TILE) {
        s->a[t % SLAB][t / SLAB] = element(a, m.rows, m.depth, row + t / SLAB, first + t % SLAB);
        s->b[t / SIDE][t % SIDE] = element(b, m.depth, m.columns, first + t / SIDE, column + t % SIDE);
    }
}

/* Adds to sum what column k of A's slab and row k of B's bring. */
template <class T, unsigned EACH, unsigned SIDE>
__device__ void add_products(const slabs<T, SIDE> *s, unsigned k, T (*sum)[EACH]) {
    T x[EACH], y[EACH];
    for (unsigned r = 0; r < EACH; r++) x[r] = s->a[k][threadIdx.y + r * TILE];
    for (unsigned r = 0; r < EACH; r++) y[r] = s->b[k][threadIdx.x + r * TILE];
    for (unsigned p = 0; p < EACH; p++)
        for (unsigned q = 0; q < EACH; q++) sum[p][q] = fma(x[p], y[q], sum[p][q]);
}

template <class T, unsigned EACH> __global__ void multiply_in_registers(shape m, const T *a, const T *b, T *c) {
    constexpr unsigned SIDE = EACH * TILE;
    __shared__ slabs<T, SIDE> s;
    const size_t row = (size_t)blockIdx.y * SIDE, column = (size_t)blockIdx.x * SIDE;
    T sum[EACH][EACH] = {};
    for (size_t first = 0; first < m.depth; first += SLAB) {
        bring(&s, m, a, b, row, column, first);
        __syncthreads();
        for (unsigned k = 0; k < SLAB; k++) add_products(&s, k, sum);
        __syncthreads();
    }
    for (unsigned p = 0; p < EACH; p++)
        for (unsigned q = 0; q < EACH; q++) {
            const size_t i = row + threadIdx.y + p * TILE, j = column + threadIdx.x + q * TILE;
            if (i < m.rows && j < m.columns) c[i * m.columns + j] = sum[p][q];
        }
}

template <class T> static void registers_4(shape m, const T *a, const T *b, T *c) {
    cover(multiply_in_registers<T, 4>, m.columns, m.rows, 4 * TILE, m, a, b, c);
}

/* Rung registers-8: each thread computes 8 x 8 elements
 *
 * The same kernel, another number: a quarter of a word of shared memory for each multiplication. 64 sums and 16
 * factors fill about a hundred registers of a thread, and fewer blocks fit on a multiprocessor: there is an optimum,
 * and with a small C there are too few blocks for the GPU.
 */
template <class T> static void registers_8(shape m, const T *a, const T *b, T *c) {
    cover(multiply_in_registers<T, 8>, m.columns, m.rows, 8 * TILE, m, a, b, c);
}

/* Rung known-answers: 275 x 275 numbers of rand()
 *
 * The classic program for a vendor's library fills A[i] and B[i], and C[i] besides, from rand(), in turn, and takes
 * matrices to lie column behind column. Stored so, C is B A with rows behind rows, so that no kernel needs to know.
 * 275 is no multiple of a tile. What the program does not print and this does: the trace, 18823.8393.
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
    if (!(fabs(trace - 18823.839317) < 1e-2 && fabs(sqrt(squares) - 18855.634853) < 1e-2 &&
          fabs(sum - 5177714.9386) < 1))
        return "not the classic program's product";
    char text[160];
    snprintf(text, sizeof text, "trace %.6g, Frobenius norm %.6g, sum %.6g", trace, sqrt(squares), sum);
    return text;
}

/* Rung constant-data: a test that sees nothing
 *
 * The classic sample fills A with 1 and B with 0.01, and compares every element of C with the one right value. A
 * kernel that reads B's transpose passes; so does one that takes any row for any other. This runs such a kernel on a
 * square matrix, once with constant data and once with random ones, and counts the elements that are wrong.
 */
template <class T> __global__ void multiply_by_transpose(shape m, const T *a, const T *b, T *c) {
    const size_t i = (size_t)blockIdx.y * TILE + threadIdx.y, j = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (i >= m.rows || j >= m.columns) return;
    T sum = 0;
    for (size_t k = 0; k < m.depth; k++) sum = fma(a[i * m.depth + k], b[j * m.columns + k], sum);
    c[i * m.columns + j] = sum;
}

static size_t wrong_by_transpose(climb &c, shape m, const std::vector<float> &a, const std::vector<float> &b) {
    float *const to = c.output<float>(m.rows * m.columns);
    cover(multiply_by_transpose<float>, m.columns, m.rows, TILE, m, c.input(a), c.input(b), to);
    std::vector<float> got(m.rows * m.columns);
    c.fetch(got.data(), to, got.size() * sizeof got[0]);
    const std::vector<float> right = order_of_depth(m, a, b);
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); i++) wrong += got[i] != right[i];
    return wrong;
}

static std::string constant_data(climb &c) {
    const shape m = {32, 32, 32};
    const size_t constant = wrong_by_transpose(c, m, std::vector<float>(1024, 1.0f), std::vector<float>(1024, 0.01f));
    const size_t random = wrong_by_transpose(c, m, ladder_values<float>(1024, 3), ladder_values<float>(1024, 4));
    if (constant != 0 || random < 1000) return "not what was expected of a transposed matrix";
    char text[120];
    snprintf(text, sizeof text, "a kernel that reads B's transpose: %zu of 1024 elements wrong, with random data %zu",
             constant, random);
    return text;
}

/* Rung weft: weft_matmul, the library's own
 *
 * Any layout, transposes, alpha and beta; sums over k in the order of docs/ORDER.md 13, on all cores of a CPU and on
 * a GPU. There is no TF32 in it: a product of f32 has the 24 bits that the type promises.
 */
static weft_status weft_multiply(weft_context *ctx, weft_dtype dtype, shape m, const void *a, const void *b,
                                 void *c) {
    return weft_matmul(ctx, dtype, WEFT_DEFAULT, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, m.rows,
                       m.columns, m.depth, NULL, a, m.depth, b, m.columns, NULL, c, m.columns);
}

/* Rung cublas: cublasSgemm and cublasDgemm, NVIDIA's own
 *
 * Loaded where the toolkit's library is. It takes matrices to lie column behind column: to it ours are transposed,
 * and the transpose of A B is B' A', so that the factors change places. Its order is not stated, so that it is given
 * small whole numbers.
 */
#if !defined WEFT_EXECUTOR && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>

template <class T> static void cublas_multiply(shape m, const T *a, const T *b, T *c) {
    typedef cublasStatus_t (*create_call)(cublasHandle_t *);
    typedef cublasStatus_t (*multiply_call)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                            const T *, const T *, int, const T *, int, const T *, T *, int);
    static const ladder_library cublas("libcublas.so");
    static cublasHandle_t handle;
    if (!handle) cublas.call<create_call>("cublasCreate_v2")(&handle);
    const char *const name = sizeof(T) == sizeof(float) ? "cublasSgemm_v2" : "cublasDgemm_v2";
    const T one = 1, zero = 0;
    const int rows = (int)m.rows, depth = (int)m.depth, columns = (int)m.columns;
    if (cublas.call<multiply_call>(name)(handle, CUBLAS_OP_N, CUBLAS_OP_N, columns, rows, depth, &one, b, columns, a,
                                         depth, &zero, c, columns) != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error("cuBLAS failed");
}
#else
template <class T> static void cublas_multiply(shape, const T *, const T *, T *) {
    throw ladder_absent("this build had no cublas_v2.h");
}
#endif

/* Exercises
 *
 * 1. `weft ladder matmul --n 10240 --faulty`: which faulty rung is right now, and why?
 * 2. Count on paper the words of shared memory that a multiplication reads in tiles, registers-4 and registers-8, and
 *    compare with the executor's column `shared`, edges included.
 * 3. Take the + 1 out of slabs. The executor says nothing; what does a GPU's time say?
 * 4. Give each thread of registers-8 the rows 8 y, ..., 8 y + 7. Which banks do the threads of a warp now read?
 * 5. Bring the next slab while this one is being multiplied, into a second struct slabs. How many barriers are left?
 */

/* Climbing the rungs. */

/* 5 : 3 : 8, with n elements of C at the most. */
static shape shape_of(size_t n) {
    size_t rows = 1;
    while ((rows + 1) * (rows + 1) <= 5 * n / 8) rows++;
    return {rows, (3 * rows + 4) / 5, n / rows};
}

/* The rung cublas, on data of its own. */
template <class T> static void climb_cublas(climb &c, shape m, T *to) {
    const std::vector<T> left = ladder_whole_values<T>(m.rows * m.depth, 5),
                         above = ladder_whole_values<T>(m.depth * m.columns, 6);
    const T *const a = c.input(left), *const b = c.input(above);
    const ladder_claim whole = [&] { return c.holds(to, order_of_depth(m, left, above)); };
    c.rung("cublas", whole, [=] { cublas_multiply(m, a, b, to); }, {.gpu_only = true});
}

template <class T> static void climb_as(climb &c) {
    const shape m = shape_of(c.n);
    const std::vector<T> left = ladder_values<T>(m.rows * m.depth, 1),
                         above = ladder_values<T>(m.depth * m.columns, 2);
    const std::vector<T> product = order_of_depth(m, left, above);
    const T *const a = c.input(left), *const b = c.input(above);
    T *const to = c.output<T>(product.size());
    c.work((double)((left.size() + above.size() + product.size()) * sizeof(T)),
           2 * (double)product.size() * (double)m.depth);

    const ladder_claim right = [&] { return c.holds(to, product); };
    c.rung("rows-across", right, [=] { cover(multiply_down_columns<T>, m.rows, m.columns, TILE, m, a, b, to); });
    c.rung("one-element", right, [=] { cover(multiply_one_element<T>, m.columns, m.rows, TILE, m, a, b, to); });
    c.faulty("multiples-only", right, [=] { multiples_only(m, a, b, to); }, {.least = 512});
    c.rung("tiles", right, [=] { cover(multiply_tiles<T>, m.columns, m.rows, TILE, m, a, b, to); });
    c.faulty("one-barrier", right, [=] { cover(multiply_tiles_racing<T>, m.columns, m.rows, TILE, m, a, b, to); },
             {.least = 2048});
    c.rung("registers-4", right, [=] { registers_4(m, a, b, to); });
    c.rung("registers-8", right, [=] { registers_8(m, a, b, to); });
    c.lesson("known-answers", [&] { return known_answers(c); });
    c.lesson("constant-data", [&] { return constant_data(c); });

    const ladder_claim as_specified = [&] {
        std::vector<T> expected(product.size());
        c.specified(weft_multiply(c.ref(), c.dtype, m, left.data(), above.data(), expected.data()));
        return c.holds(to, expected);
    };
    c.weft("weft", as_specified, [=, &c](weft_context *ctx) { return weft_multiply(ctx, c.dtype, m, a, b, to); });
    climb_cublas(c, m, to);
}

void climb_matmul(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
