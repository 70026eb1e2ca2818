/* Topic matmul: C = A B, a product of matrices with n elements in all
 *
 * Each element of C is a row of A times a column of B: 2 k operations, multiplications and additions, for k elements
 * of each. n is the maximal number of elements of C. For n = 10240 A is 80 x 48 and B 48 x 128, as in the classic
 * lecture, and other n keep these proportions. Work 2 rows * columns * k. Each element of A and B is used many times,
 * and this is the lesson. If it is read from memory each time, two operations cost 8 bytes. The more of it a block
 * keeps in fast memory, the closer the kernel comes to the GPU's rate of multiplication. The traffic that the result
 * needs is A, B and C once.
 *
 * How much must a block keep? The f32 lanes of a GPU do about 16 operations in the time in which one byte comes from
 * memory (an H200: 67 TFLOP/s, 4.2 TB/s). A block that computes S x S elements of C reads, for each k, S elements of
 * A and S of B. These are 8 S bytes of f32 for 2 S S operations: S / 4 operations per byte. Shared memory is the next
 * limit. A multiprocessor reads 32 words of it per clock cycle, and multiplies 128 times in that cycle. So each
 * multiplication can have at most a quarter of a word.
 *
 *     rung           elements of a block   operations a byte   words of shared memory for a multiplication
 *     one-element    1 x 1 (no sharing)    1/4                 none
 *     tiles          16 x 16               4                   2
 *     registers-4    64 x 64               16                  1/2
 *     registers-8    128 x 128             32                  1/4
 *
 * Order: all kernels here add in the order of k, from 0, by fused multiply-adds, which round once. Every rung gives
 * the same bits, and so does a plain loop. --fmad, the compiler's permission to fuse where it likes, is off; the
 * sources call fma where it is intended.
 */
#include "climb.h"

#include <math.h>

constexpr unsigned TILE = 16, K_SLICE = 16;

/* A is rows x depth, B is depth x columns, C is rows x columns; all are in row-major order. */
struct shape {
    size_t rows, depth, columns;
};

/* Launches a kernel with blocks of 16 x 16 threads. Each thread computes the given number of columns (x) and rows
 * (y). */
template <class T, class KERNEL>
static void cover(KERNEL kernel, size_t in_x, size_t in_y, unsigned per_block, shape m, const T *a, const T *b,
                  T *c) {
    const dim3 blocks((unsigned)blocks_for<size_t>(in_x, per_block), (unsigned)blocks_for<size_t>(in_y, per_block));
    kernel<<<blocks, dim3(TILE, TILE)>>>(m, a, b, c);
}

template <class T> static std::vector<T> order_of_depth(shape m, const std::vector<T> &a, const std::vector<T> &b) {
    std::vector<T> c(m.rows * m.columns);
    ladder_in_parts(m.rows, [&](size_t first, size_t end) {
        for (size_t i = first; i < end; i++)
            for (size_t k = 0; k < m.depth; k++) {
                const T left = a[i * m.depth + k], *const above = &b[k * m.columns];
                T *const to = &c[i * m.columns];
                for (size_t j = 0; j < m.columns; j++) to[j] = fma(left, above[j], to[j]);
            }
    });
    return c;
}

/* Rung rows-across: a thread for each element, neighbours in a column
 *
 * A block of 16 x 16 threads computes 16 x 16 elements of C. threadIdx.x, which changes fastest from thread to
 * thread, is the row here. The threads of a warp read A, and write C, at addresses that are a whole row apart. Each
 * of these accesses fetches 32 bytes for the 4 that it needs. The result is right but slow, and nothing in the source
 * looks wrong.
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
 * Only x and y are swapped. Now adjacent threads read adjacent elements of B and the same element of A, and write
 * adjacent elements of C. There are still two reads for every multiplication, though a cache serves most of them.
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
 * The classic program's grid is columns / 16 x rows / 16, for sizes that are multiples of 16. With other sizes no
 * thread computes the last rows and columns, and C keeps the previous contents of memory there.
 */
template <class T> static void multiples_only(shape m, const T *a, const T *b, T *c) {
    const dim3 blocks((unsigned)(m.columns / TILE), (unsigned)(m.rows / TILE));
    multiply_one_element<<<blocks, dim3(TILE, TILE)>>>(m, a, b, c);
}

/* Rung tiles: tiles of A and B in shared memory
 *
 * A block needs 16 rows of A and 16 columns of B. It loads them one tile of 16 x 16 at a time. Each thread loads one
 * element of each tile, all wait, and each thread traverses its row and its column of the tiles. An element is read
 * from memory once per block and used 16 times.
 *
 *                         B   ..  b  ..      columns x ... x + 15
 *                             ..  b  ..
 *                             ..  b  ..
 *     A   ..  ..  ..      C   ..  ..  ..
 *         a   a   a           ..  c  ..      c = a b, and a b, and a b: a tile of each at a time
 *         ..  ..  ..          ..  ..  ..
 *
 * Two barriers per tile: no thread may use the tile before all of it is loaded, and no thread may load the next one
 * while another still uses this one. Threads outside C load zeros and stay. The sizes of the classic kernel are
 * multiples of 16, so it has no such edges. A thread that returned early would be missing at the barrier.
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
 * A warp that has finished its tile loads its part of the next one. A warp that has not finished continues with a
 * mixture of both.
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
 * In tiles every multiplication reads two words of shared memory, and shared memory is now the bottleneck. A thread
 * that computes 4 x 4 elements reads 4 of A and 4 of B for 16 multiplications: half a word each. A block of 16 x 16
 * threads has 64 x 64 elements, and traverses k in k-slices of 16.
 *
 * Thread (x, y) has the rows y, y + 16, ... and the columns x, x + 16, .... At every moment the threads of a warp
 * read adjacent words of B's k-slice and one or two words of A's. A's k-slice is stored transposed. The extra element
 * at the end of each row puts adjacent elements of a column, which are written together, into different banks.
 */
template <class T, unsigned SIDE> struct k_slices { T a[K_SLICE][SIDE + 1], b[K_SLICE][SIDE]; };

/* Loads k-slices: columns `first`... of the block's SIDE rows of A, and rows `first`... of its columns of B. */
template <class T, unsigned SIDE>
__device__ void load_slices(k_slices<T, SIDE> *s, shape m, const T *a, const T *b, size_t row, size_t column,
                            size_t first) {
    for (unsigned t = threadIdx.y * TILE + threadIdx.x; t < K_SLICE * SIDE; t += TILE * TILE) {
        s->a[t % K_SLICE][t / K_SLICE] = element(a, m.rows, m.depth, row + t / K_SLICE, first + t % K_SLICE);
        s->b[t / SIDE][t % SIDE] = element(b, m.depth, m.columns, first + t / SIDE, column + t % SIDE);
    }
}

/* Adds to `sum` the products of column k of A's k-slice and row k of B's. */
template <class T, unsigned EACH, unsigned SIDE>
__device__ void add_products(const k_slices<T, SIDE> *s, unsigned k, T (*sum)[EACH]) {
    T x[EACH], y[EACH];
    for (unsigned r = 0; r < EACH; r++) x[r] = s->a[k][threadIdx.y + r * TILE];
    for (unsigned r = 0; r < EACH; r++) y[r] = s->b[k][threadIdx.x + r * TILE];
    for (unsigned p = 0; p < EACH; p++)
        for (unsigned q = 0; q < EACH; q++) sum[p][q] = fma(x[p], y[q], sum[p][q]);
}

template <class T, unsigned EACH> __global__ void multiply_in_registers(shape m, const T *a, const T *b, T *c) {
    constexpr unsigned SIDE = EACH * TILE;
    __shared__ k_slices<T, SIDE> s;
    const size_t row = (size_t)blockIdx.y * SIDE, column = (size_t)blockIdx.x * SIDE;
    T sum[EACH][EACH] = {};
    for (size_t first = 0; first < m.depth; first += K_SLICE) {
        load_slices(&s, m, a, b, row, column, first);
        __syncthreads();
        for (unsigned k = 0; k < K_SLICE; k++) add_products(&s, k, sum);
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
 * The same kernel with another number: a quarter of a word of shared memory per multiplication. 64 sums and 16
 * factors take about a hundred registers per thread, and fewer blocks fit on a multiprocessor. So there is an
 * optimum, and with a small C there are too few blocks for the GPU.
 */
template <class T> static void registers_8(shape m, const T *a, const T *b, T *c) {
    cover(multiply_in_registers<T, 8>, m.columns, m.rows, 8 * TILE, m, a, b, c);
}

/* Rung tensor-f64: a warp multiplies tiles, and gives the bits of the loop
 *
 * A tensor core multiplies small matrices. One instruction of a warp takes an 8 x 4 tile of A and a 4 x 8 tile of B,
 * and adds their product to an 8 x 8 tile of C: 512 operations of f64. nvcuda::wmma gives C++ such tiles as
 * fragments. Each lane holds part of a fragment, and which elements these are is not specified. A block has 64 x 64
 * elements of C, and each of its eight warps 4 x 2 tiles of them. k-slices of A and B are copied to shared memory as
 * before.
 *
 * For f64, since sm_80, the sums are fused multiply-adds in the order of k: the bits of the loop. This rung uses f64
 * whatever --dtype says.
 */
#ifndef WEFT_EXECUTOR
#include <cuda_fp16.h>
#include <mma.h>

/* Tiles of C are M x N, and K is their depth; the factors are F and the sums S. The block has 2 * 4 warps, each with
 * 4 x 2 tiles. */
template <class F_, class S_, unsigned M_, unsigned N_, unsigned K_> struct cores {
    typedef F_ F;
    typedef S_ S;
    static constexpr unsigned M = M_, N = N_, K = K_, DOWN = 4, ACROSS = 2, LENGTH = 32;
    static constexpr unsigned ROWS = 2 * DOWN * M, COLUMNS = 4 * ACROSS * N, THREADS = 256;
    static constexpr unsigned PAD = 16 / sizeof(F); /* rows are 16 bytes apart in the banks */
};
typedef cores<double, double, 8, 8, 4> cores_of_f64;
typedef cores<__half, float, 16, 16, 16> cores_of_half;

template <class X> struct mma_slices {
    alignas(32) typename X::F a[X::ROWS][X::LENGTH + X::PAD], b[X::LENGTH][X::COLUMNS + X::PAD];
    alignas(32) typename X::S tile[X::THREADS / 32][X::M * X::N]; /* one per warp, staging for C */
};

template <class X, class S>
__device__ void load_mma_slices(mma_slices<X> *s, shape m, const S *a, const S *b, size_t row, size_t column,
                                size_t first) {
    for (unsigned t = threadIdx.x; t < X::ROWS * X::LENGTH; t += X::THREADS) {
        const unsigned i = t / X::LENGTH, k = t % X::LENGTH;
        s->a[i][k] = (typename X::F)element(a, m.rows, m.depth, row + i, first + k);
    }
    for (unsigned t = threadIdx.x; t < X::LENGTH * X::COLUMNS; t += X::THREADS) {
        const unsigned k = t / X::COLUMNS, j = t % X::COLUMNS;
        s->b[k][j] = (typename X::F)element(b, m.depth, m.columns, first + k, column + j);
    }
}

/* Stores a warp's tile, which begins at (row, column) of C, through shared memory, where each lane can address its
 * elements. */
template <class S>
__device__ void put_tile(shape m, const S *tile, unsigned height, unsigned width, size_t row, size_t column, S *c) {
    for (unsigned t = threadIdx.x % 32; t < height * width; t += 32) {
        const size_t i = row + t / width, j = column + t % width;
        if (i < m.rows && j < m.columns) c[i * m.columns + j] = tile[t];
    }
}

template <class X, class S> __device__ void multiply_on_cores(shape m, const S *a, const S *b, S *c) {
    using namespace nvcuda;
    __shared__ mma_slices<X> s;
    const unsigned warp = threadIdx.x / 32, y = warp / 4 * X::DOWN * X::M, x = warp % 4 * X::ACROSS * X::N;
    const size_t row = (size_t)blockIdx.y * X::ROWS, column = (size_t)blockIdx.x * X::COLUMNS;
    wmma::fragment<wmma::accumulator, X::M, X::N, X::K, S> sum[X::DOWN][X::ACROSS];
    for (auto &line : sum)
        for (auto &tile : line) wmma::fill_fragment(tile, (S)0);
    for (size_t first = 0; first < m.depth; first += X::LENGTH) {
        load_mma_slices(&s, m, a, b, row, column, first);
        __syncthreads();
        for (unsigned k = 0; k < X::LENGTH; k += X::K)
            for (unsigned p = 0; p < X::DOWN; p++)
                for (unsigned q = 0; q < X::ACROSS; q++) {
                    wmma::fragment<wmma::matrix_a, X::M, X::N, X::K, typename X::F, wmma::row_major> left;
                    wmma::fragment<wmma::matrix_b, X::M, X::N, X::K, typename X::F, wmma::row_major> above;
                    wmma::load_matrix_sync(left, &s.a[y + p * X::M][k], X::LENGTH + X::PAD);
                    wmma::load_matrix_sync(above, &s.b[k][x + q * X::N], X::COLUMNS + X::PAD);
                    wmma::mma_sync(sum[p][q], left, above, sum[p][q]);
                }
        __syncthreads();
    }
    for (unsigned p = 0; p < X::DOWN; p++)
        for (unsigned q = 0; q < X::ACROSS; q++) {
            wmma::store_matrix_sync(s.tile[warp], sum[p][q], X::N, wmma::mem_row_major);
            __syncwarp();
            put_tile(m, s.tile[warp], X::M, X::N, row + y + p * X::M, column + x + q * X::N, c);
            __syncwarp();
        }
}

/* The instructions exist since sm_80. On an older GPU the kernels are empty, and are not launched. */
template <class X, class S> __global__ void multiply_by_tensor_cores(shape m, const S *a, const S *b, S *c) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    multiply_on_cores<X>(m, a, b, c);
#endif
}

template <class X, class S> static void tensor(shape m, const S *a, const S *b, S *c) {
    int generation;
    CUDA_CHECK(cudaDeviceGetAttribute(&generation, cudaDevAttrComputeCapabilityMajor, 0));
    if (generation < 8) throw ladder_absent("this GPU is older than sm_80, the first whose tensor cores do this");
    const dim3 blocks((unsigned)blocks_for<size_t>(m.columns, X::COLUMNS),
                      (unsigned)blocks_for<size_t>(m.rows, X::ROWS));
    multiply_by_tensor_cores<X><<<blocks, X::THREADS>>>(m, a, b, c);
}

static void tensor_f64(shape m, const double *a, const double *b, double *c) { tensor<cores_of_f64>(m, a, b, c); }
#else
static void tensor_f64(shape, const double *, const double *, double *) {}
#endif

/* Rung tensor-half: factors of 16 bits, sums of 32
 *
 * The same kernel with tiles of 16 x 16 x 16, 8192 operations per instruction. A and B are rounded to half, 11 bits,
 * when they are copied to shared memory, and the sums are f32. By its data sheet an H200 does 990 TFLOP/s of these,
 * and 67 of f32, which is the ceiling here: the share may exceed 100 %. It will not be 1500 %. This kernel loads
 * every tile of A twice from shared memory and every tile of B four times, and waits at two barriers per k-slice. A
 * vendor's library copies the next k-slices asynchronously while it multiplies.
 *
 * The result differs from that of the other rungs (see half-factors). Neither the order of its additions nor their
 * rounding is specified. With small whole numbers nothing is rounded, and the result must have the bits of the loop.
 */
#ifndef WEFT_EXECUTOR
static void tensor_half(shape m, const float *a, const float *b, float *c) { tensor<cores_of_half>(m, a, b, c); }
#else
static void tensor_half(shape, const float *, const float *, float *) {}
#endif

/* Rung half-factors: what eleven bits cost
 *
 * 96 x 96 random numbers from [0, 1), their product by f32 and with factors rounded to half, each compared with the
 * same sums in f64. Shown is the root of the mean square of the error over that of the result. A GPU computes it by
 * tensor-half. The executor rounds the factors and then multiplies in f32. Libraries may use such factors when asked
 * for f32 (their setting TF32 has the 11 bits of half and the range of f32). weft never does.
 */
static float to_eleven_bits(float x) {
    const float high = x * 8193; /* 2^13 + 1: adding and subtracting this product rounds 13 bits away */
    return high - (high - x);
}

static double relative_error(const std::vector<float> &got, const std::vector<double> &right) {
    double error = 0, size = 0;
    for (size_t i = 0; i < got.size(); i++) {
        error += (got[i] - right[i]) * (got[i] - right[i]);
        size += right[i] * right[i];
    }
    return sqrt(error / size);
}

static std::vector<float> product_of_halves(climb &c, shape m, std::vector<float> a, std::vector<float> b) {
    for (float &v : a) v = to_eleven_bits(v);
    for (float &v : b) v = to_eleven_bits(v);
    std::vector<float> got = order_of_depth(m, a, b);
#ifndef WEFT_EXECUTOR
    float *const to = c.output<float>(got.size());
    tensor_half(m, c.input(a), c.input(b), to);
    c.fetch(got.data(), to, got.size() * sizeof got[0]);
#else
    (void)c;
#endif
    return got;
}

static std::string half_factors(climb &c) {
    const size_t side = 96;
    const shape m = {side, side, side};
    std::vector<float> a, b;
    for (const int number : ladder_gnu_rand(2 * side * side))
        (a.size() <= b.size() ? a : b).push_back((float)(number / 2147483648.0));
    const std::vector<double> right =
        order_of_depth(m, std::vector<double>(a.begin(), a.end()), std::vector<double>(b.begin(), b.end()));
    const double halves = relative_error(product_of_halves(c, m, a, b), right),
                 whole = relative_error(order_of_depth(m, a, b), right);
    char text[120];
    snprintf(text, sizeof text, "relative error %.1e with factors of 11 bits, %.1e in f32", halves, whole);
    return halves < 1e-4 && whole < 1e-6 ? text : std::string("not what rounding to half explains: ") + text;
}

/* Rung known-answers: 275 x 275 numbers of rand()
 *
 * The classic program for a vendor's library fills A[i], B[i] and C[i] from rand(), in turn, and uses matrices in
 * column-major order. Stored so, C is B A in row-major order, and no kernel needs to change. 275 is not a multiple of
 * a tile. The program does not print the trace; this rung does: 18823.8393.
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

/* Rung constant-data: a test that detects nothing
 *
 * The classic sample fills A with 1 and B with 0.01, and compares every element of C with the one right value. A
 * kernel that reads B's transpose passes, and so does one that uses any row in place of another. This rung runs such
 * a kernel on a square matrix, once with constant data and once with random data, and counts the elements that are
 * wrong.
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
 * Any layout, transposes, alpha and beta. The sums over k are in the order of ORDER.md 13, on all cores of a CPU and
 * on a GPU. It does not use TF32: a product of f32 has the 24 bits that the type promises.
 */
static weft_status weft_multiply(weft_context *ctx, weft_dtype dtype, shape m, const void *a, const void *b,
                                 void *c) {
    return weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, dtype, WEFT_DEFAULT, m.rows,
                       m.columns, m.depth, NULL, a, m.depth, b, m.columns, NULL, c, m.columns);
}

/* Rung cublas: cublasSgemm and cublasDgemm, NVIDIA's own
 *
 * Loaded from the toolkit's library, if it is installed. It uses matrices in column-major order, in which ours are
 * transposed. The transpose of A B is B' A', so the factors are swapped. Its order is not stated, so the elements are
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
 * 3. Remove the + 1 from k_slices. The executor reports nothing; what does a GPU's time show?
 * 4. Give each thread of registers-8 the rows 8 y, ..., 8 y + 7. Which banks do the threads of a warp now read?
 * 5. tensor-half loads each tile of A twice, and each of B four times, from shared memory. Which loops must be
 *    swapped so that each is loaded once for a k, and how many fragments does a warp then keep?
 * 6. Load the next k-slice while this one is being multiplied, into a second struct k_slices. How many barriers are
 *    left?
 */

/* Climbing the rungs. */

/* Proportions 5 : 3 : 8, with at most n elements of C. */
static shape shape_of(size_t n) {
    size_t rows = 1;
    while ((rows + 1) * (rows + 1) <= 5 * n / 8) rows++;
    return {rows, (3 * rows + 4) / 5, n / rows};
}

/* A product that only a GPU computes, on data of its own. */
template <class T>
static void climb_alone(const char *name, climb &c, void (*multiply)(shape, const T *, const T *, T *), shape m,
                        const std::vector<T> &left, const std::vector<T> &above) {
    const T *const a = c.input(left), *const b = c.input(above);
    T *const to = c.output<T>(m.rows * m.columns);
    const ladder_claim right = [&] { return c.holds(to, order_of_depth(m, left, above)); };
    c.rung(name, right, [=] { multiply(m, a, b, to); }, {.gpu_only = true});
}

/* Runs the rungs that round differently or in an unknown order, on whole numbers; and the rung that does neither. */
static void climb_tensor_cores(climb &c, shape m) {
    const size_t left = m.rows * m.depth, above = m.depth * m.columns;
    climb_alone("tensor-f64", c, tensor_f64, m, ladder_values<double>(left, 7), ladder_values<double>(above, 8));
    climb_alone("tensor-half", c, tensor_half, m, ladder_whole_values<float>(left, 9),
                ladder_whole_values<float>(above, 10));
    c.lesson("half-factors", [&] { return half_factors(c); });
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
    climb_tensor_cores(c, m);
    c.lesson("known-answers", [&] { return known_answers(c); });
    c.lesson("constant-data", [&] { return constant_data(c); });

    const ladder_claim as_specified = [&] {
        std::vector<T> expected(product.size());
        c.specified(weft_multiply(c.ref(), c.dtype, m, left.data(), above.data(), expected.data()));
        return c.holds(to, expected);
    };
    c.weft("weft", as_specified, [=, &c](weft_context *ctx) { return weft_multiply(ctx, c.dtype, m, a, b, to); });
    climb_alone("cublas", c, cublas_multiply<T>, m, ladder_whole_values<T>(left.size(), 5),
                ladder_whole_values<T>(above.size(), 6));
}

void climb_matmul(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
