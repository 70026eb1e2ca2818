/* Topic transpose: b[j][i] = a[i][j], a matrix with
 * rows and columns exchanged
 *
 * A transpose computes nothing. It reads each element once and writes it
 * once, so the limit is the speed of a copy. The lesson is the order in
 * which the threads of a warp access memory. A warp reads 32 adjacent words
 * in one request of 128 bytes. If the 32 words are in 32 different rows,
 * the memory delivers 32 sectors of 32 bytes, and 28 bytes of each are not
 * used. Rows of a are columns of b, so either the reads or the writes of a
 * simple kernel are in different rows.
 *
 * The remedy is a tile in shared memory. A warp reads a part of a row of a
 * and writes it to the tile. After a barrier it reads a column of the tile
 * and writes it as a part of a row of b. Shared memory has no rows, but it
 * has 32 banks, and a column must not be in one bank. `padded-tile` adds
 * one unused word per row for this reason.
 *
 * The matrix has about n elements. Its sides are in the proportion 5 : 8
 * and are not multiples of a tile. From 1000 elements on they are multiples
 * of 4, so that rows begin at multiples of 16 bytes.
 */
#include "climb.h"

#if !defined WEFT_EXECUTOR && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define HAVE_CUBLAS
#endif

namespace {

/* A block of TILE x ROWS threads transposes a tile of TILE x TILE */
constexpr unsigned TILE = 32, ROWS = 8;

struct shape {
    size_t rows, columns; /* of a */

    __host__ __device__ bool holds(size_t i, size_t j) const {
        return i < rows && j < columns;
    }
};

/* Launches blocks of TILE x `threads` threads, one for each tile of a. */
template <class T, class KERNEL>
static void for_tiles(KERNEL kernel, unsigned threads, shape s, const T *a,
                      T *b) {
    const dim3 tiles((unsigned)blocks_for<size_t>(s.columns, TILE),
                     (unsigned)blocks_for<size_t>(s.rows, TILE));
    kernel<<<tiles, dim3(TILE, threads)>>>(s, a, b);
}

template <class T>
static std::vector<T> transposed(shape s, const std::vector<T> &a) {
    std::vector<T> b(a.size());
    ladder_in_parts(s.columns, [&](size_t j, size_t end) {
        for (; j < end; j++)
            for (size_t i = 0; i < s.rows; i++)
                b[j * s.rows + i] = a[i * s.columns + j];
    });
    return b;
}

/* Rung strided-writes: a thread for each element,
 * adjacent threads read adjacent words
 *
 * The x index of the thread is the column, so a warp reads 128 adjacent
 * bytes of a row of a. It writes to 32 rows of b. Each write fills 4 of the
 * 32 bytes of a sector. A cache collects the writes of several warps to one
 * sector, if they come soon enough. Otherwise the memory reads and writes
 * whole sectors, eight times the minimum.
 */
template <class T>
__global__ void write_strided(shape s, const T *a, T *b) {
    const size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    const size_t i = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (s.holds(i, j)) b[j * s.rows + i] = a[i * s.columns + j];
}

/* Rung strided-reads: a thread for each element,
 * adjacent threads write adjacent words
 *
 * Only the roles of x and y are exchanged: the x index is the row of a, so
 * the writes are adjacent and the reads are not. A thread must wait for a
 * read, but not for a write. But a sector that was read stays in a cache,
 * and the warps that need its other words find them there. Compare the
 * times of the two rungs before you select one.
 */
template <class T> __global__ void read_strided(shape s, const T *a, T *b) {
    const size_t i = (size_t)blockIdx.y * TILE + threadIdx.x;
    const size_t j = (size_t)blockIdx.x * TILE + threadIdx.y;
    if (s.holds(i, j)) b[j * s.rows + i] = a[i * s.columns + j];
}

/* Rung shared-tile: a tile in shared memory, read by
 * rows and written by columns
 *
 * Thread (x, y) of a block reads element (y, x) of the tile from a, and
 * writes element (x, y) of the tile to b. Both accesses to global memory
 * are adjacent. In between, all threads wait at the barrier, because a
 * thread reads the element that another thread has stored. The tile at row
 * i and column j of a is written at row j and column i of b, so the tests
 * at the edges differ for the read and for the write.
 *
 *     read      warp 0: a00 a01 a02 ...     warp 1: a10 a11 a12 ...
 *     written   warp 0: a00 a10 a20 ...     warp 1: a01 a11 a21 ...
 *
 * Word i of shared memory is in bank i % 32. A row of the tile has 32
 * words, so all words of a column are in one bank. Each bank serves one
 * word per cycle, and the read of a column takes 32 cycles.
 */
template <class T>
__global__ void transpose_tile(shape s, const T *a, T *b) {
    __shared__ T tile[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t i = (size_t)blockIdx.y * TILE;
    const size_t j = (size_t)blockIdx.x * TILE;
    if (s.holds(i + y, j + x)) tile[y][x] = a[(i + y) * s.columns + j + x];
    __syncthreads();
    if (s.holds(i + x, j + y)) b[(j + y) * s.rows + i + x] = tile[x][y];
}

/* Faulty rung no-barrier: the tile without its barrier
 *
 * Thread (x, y) reads the word that thread (y, x) writes, and the two are
 * in different warps unless x = y. A warp that is ahead reads words that
 * the others have not written. On a GPU most warps of a block run at nearly
 * the same time, and a test with a small matrix may pass.
 */
template <class T>
__global__ void transpose_without_barrier(shape s, const T *a, T *b) {
    __shared__ T tile[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t i = (size_t)blockIdx.y * TILE;
    const size_t j = (size_t)blockIdx.x * TILE;
    if (s.holds(i + y, j + x)) tile[y][x] = a[(i + y) * s.columns + j + x];
    if (s.holds(i + x, j + y)) b[(j + y) * s.rows + i + x] = tile[x][y];
}

/* Faulty rung edges-forgotten: no tests at the edges
 *
 * The kernel is right if both sides are multiples of 32, as in most texts.
 * Otherwise a thread past the end of a row reads the start of the next row,
 * and past the last row it reads after the array. It writes to a row of b
 * that does not exist, or to a word that another thread also writes. This
 * rung runs only on the executor, which reports the access after the end.
 */
template <class T>
__global__ void transpose_without_edges(shape s, const T *a, T *b) {
    __shared__ T tile[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t i = (size_t)blockIdx.y * TILE;
    const size_t j = (size_t)blockIdx.x * TILE;
    tile[y][x] = a[(i + y) * s.columns + j + x];
    __syncthreads();
    b[(j + y) * s.rows + i + x] = tile[x][y];
}

/* Faulty rung one-test: the test of the read is used for the write too
 *
 * A thread ends if its element is outside a. But it writes another element
 * than it reads, and that element may be inside. So some elements at the
 * edges are never written. Here the return is after the barrier. Before the
 * barrier, it would be a second fault: all threads of a block must reach a
 * barrier.
 */
template <class T>
__global__ void transpose_with_one_test(shape s, const T *a, T *b) {
    __shared__ T tile[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t i = (size_t)blockIdx.y * TILE;
    const size_t j = (size_t)blockIdx.x * TILE;
    const bool inside = s.holds(i + y, j + x);
    if (inside) tile[y][x] = a[(i + y) * s.columns + j + x];
    __syncthreads();
    if (!inside || !s.holds(i + x, j + y)) return;
    b[(j + y) * s.rows + i + x] = tile[x][y];
}

/* Rung padded-tile: one unused word after each row of the tile
 *
 * Rows of 33 words begin in 32 different banks: element (x, y) is word
 * 33 x + y, in bank (x + y) % 32. So the words of a row are in 32 banks,
 * and the words of a column are in 32 banks too. The kernel has the same
 * accesses as `shared-tile`. Only the address of an element has changed,
 * and its cost is 128 bytes of shared memory.
 *
 * An element of f64 is two words. A warp then reads the tile in two steps
 * of 16 lanes. Rows of 33 elements are 66 words, so 16 lanes use the banks
 * 0, 2, 4, ..., 30 and those after them: no two lanes use one bank.
 */
template <class T>
__global__ void transpose_padded(shape s, const T *a, T *b) {
    __shared__ T tile[TILE][TILE + 1];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t i = (size_t)blockIdx.y * TILE;
    const size_t j = (size_t)blockIdx.x * TILE;
    if (s.holds(i + y, j + x)) tile[y][x] = a[(i + y) * s.columns + j + x];
    __syncthreads();
    if (s.holds(i + x, j + y)) b[(j + y) * s.rows + i + x] = tile[x][y];
}

/* Rung four-rows: a block of 32 x 8 threads, four elements per thread
 *
 * In the rungs before, a thread has one read in flight, and then waits at
 * the barrier for 1023 other threads. Here a block has 256 threads for the
 * same tile, and each thread starts four reads before it waits. The indices
 * are computed once for four elements. More blocks fit on a multiprocessor,
 * so that some read while others wait.
 */
template <class T>
__global__ void transpose_four_rows(shape s, const T *a, T *b) {
    __shared__ T tile[TILE][TILE + 1];
    const unsigned x = threadIdx.x;
    const size_t i = (size_t)blockIdx.y * TILE;
    const size_t j = (size_t)blockIdx.x * TILE;
    for (unsigned y = threadIdx.y; y < TILE; y += ROWS)
        if (s.holds(i + y, j + x))
            tile[y][x] = a[(i + y) * s.columns + j + x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < TILE; y += ROWS)
        if (s.holds(i + x, j + y)) b[(j + y) * s.rows + i + x] = tile[x][y];
}

/* Rung sixteen-bytes: each thread reads and writes 16 adjacent bytes
 *
 * Eight threads read 128 bytes of a row, so a warp reads parts of four rows
 * by one instruction. The elements are stored in the tile one by one. To
 * write, a thread collects the elements of a column of the tile. Its 16
 * bytes are elements of four rows of a (two for f64).
 *
 * For f32 the tile has 32 rows of 33 words. Lane 8 r + q stores word k of
 * its 16 bytes in bank (r + 4 q + k) % 32, for r = 0 ... 3 and q = 0 ... 7.
 * These are 32 different banks, and so are those of the reads.
 *
 * A read of 16 bytes needs an address that is a multiple of 16. Row i
 * begins at element i * columns, so the number of columns must be a
 * multiple of 4 (2 for f64), and for the writes the number of rows. For
 * other matrices the program launches `four-rows`.
 */
template <class T> struct alignas(16) sixteen { T part[16 / sizeof(T)]; };

template <class T>
__global__ void transpose_sixteen(shape s, const T *a, T *b) {
    constexpr unsigned PARTS = 16 / sizeof(T), SIDE = 8 * PARTS;
    __shared__ T tile[SIDE][SIDE + 1];
    const unsigned r = threadIdx.x / 8, q = threadIdx.x % 8 * PARTS;
    const size_t i = (size_t)blockIdx.y * SIDE;
    const size_t j = (size_t)blockIdx.x * SIDE;
    if (s.holds(i + r, j + q)) {
        const T *const from = a + (i + r) * s.columns + j + q;
        const sixteen<T> v = *(const sixteen<T> *)from;
        for (unsigned k = 0; k < PARTS; k++) tile[r][q + k] = v.part[k];
    }
    __syncthreads();
    if (s.holds(i + q, j + r)) {
        sixteen<T> v;
        for (unsigned k = 0; k < PARTS; k++) v.part[k] = tile[q + k][r];
        T *const to = b + (j + r) * s.rows + i + q;
        *(sixteen<T> *)to = v;
    }
}

template <class T> static void sixteen_bytes(shape s, const T *a, T *b) {
    const size_t parts = 16 / sizeof(T), side = 8 * parts;
    if (s.rows % parts || s.columns % parts)
        return for_tiles(transpose_four_rows<T>, ROWS, s, a, b);
    const dim3 tiles((unsigned)blocks_for(s.columns, side),
                     (unsigned)blocks_for(s.rows, side));
    transpose_sixteen<<<tiles, (unsigned)side * 8>>>(s, a, b);
}

/* Rung cublas: cublasSgeam and cublasDgeam, from NVIDIA's library cuBLAS
 *
 * geam computes alpha op(A) + beta op(B). With alpha = 1, beta = 0 and
 * op(A) = the transpose of A it is a transpose. The library stores matrices
 * by columns, so it regards a as a matrix of `columns` rows.
 */
#ifdef HAVE_CUBLAS
template <class T> static void cublas_transpose(shape s, const T *a, T *b) {
    typedef cublasStatus_t (*create_call)(cublasHandle_t *);
    typedef cublasStatus_t (*geam_call)(
        cublasHandle_t, cublasOperation_t, cublasOperation_t, int64_t,
        int64_t, const T *, const T *, int64_t, const T *, const T *,
        int64_t, T *, int64_t);
    static const ladder_library cublas("libcublas.so");
    static cublasHandle_t handle;
    if (!handle) cublas.call<create_call>("cublasCreate_v2")(&handle);
    const char *const name =
        sizeof(T) == sizeof(float) ? "cublasSgeam_64" : "cublasDgeam_64";
    const T one = 1, zero = 0;
    const int64_t rows = (int64_t)s.rows, columns = (int64_t)s.columns;
    if (cublas.call<geam_call>(name)(
            handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, a,
            columns, &zero, b, rows, b, rows) != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error("cublas geam failed");
}
#else
template <class T> static void cublas_transpose(shape, const T *, T *) {
    throw ladder_absent("this build had no cublas_v2.h");
}
#endif

/* Exercises
 *
 * 1. A warp of `strided-writes` writes one word to each of 32 sectors. How
 *    many bytes does the memory move per element if no cache collects the
 *    writes? What is the answer for f64?
 * 2. Into which banks do the words of a row and of a column fall, if the
 *    rows of the tile have 34 words? Which numbers of words have no
 *    conflicts?
 * 3. Transpose a square matrix in its own memory. Which two tiles must a
 *    block load before it writes?
 * 4. `padded-tile` needs 4224 bytes of shared memory. Write a rung without
 *    unused words: element (y, x) of the tile is stored in column
 *    (x + y) % 32 of row y.
 * 5. A picture has three bytes per point, in the order r g b r g b ...
 *    Write a rung that stores all r, then all g, then all b. Of which
 *    matrix is this the transpose, and what is a good tile for it?
 */

/* Climbing the rungs. */

/* Returns sizes in the proportion 5 : 8, with at most n elements. */
static shape shape_of(size_t n) {
    size_t rows = 1;
    while ((rows + 1) * (rows + 1) <= 5 * n / 8) rows++;
    if (n < 1000) return {rows, n / rows};
    rows -= rows % 4;
    return {rows, n / rows / 4 * 4};
}

template <class T> static void climb_as(climb &c) {
    const shape s = shape_of(c.n);
    const std::vector<T> values = ladder_values<T>(s.rows * s.columns, 1);
    const std::vector<T> expected = transposed(s, values);
    const T *const a = c.input(values);
    T *const b = c.output<T>(values.size());
    c.work(2.0 * (double)(values.size() * sizeof(T)), 0);

    const ladder_claim right = [&] { return c.holds(b, expected); };
    c.rung("strided-writes", right,
           [=] { for_tiles(write_strided<T>, TILE, s, a, b); });
    c.rung("strided-reads", right,
           [=] { for_tiles(read_strided<T>, TILE, s, a, b); });
    c.rung("shared-tile", right,
           [=] { for_tiles(transpose_tile<T>, TILE, s, a, b); });
    c.faulty(
        "no-barrier", right,
        [=] { for_tiles(transpose_without_barrier<T>, TILE, s, a, b); },
        {.least = 64});
    c.faulty("edges-forgotten", right,
             [=] { for_tiles(transpose_without_edges<T>, TILE, s, a, b); },
             {.executor_only = true});
    c.faulty("one-test", right,
             [=] { for_tiles(transpose_with_one_test<T>, TILE, s, a, b); },
             {.least = 64});
    c.rung("padded-tile", right,
           [=] { for_tiles(transpose_padded<T>, TILE, s, a, b); });
    c.rung("four-rows", right,
           [=] { for_tiles(transpose_four_rows<T>, ROWS, s, a, b); });
    c.rung("sixteen-bytes", right, [=] { sixteen_bytes(s, a, b); });
    c.rung("cublas", right, [=] { cublas_transpose(s, a, b); },
           {.gpu_only = true});
}

} // namespace

void climb_transpose(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
