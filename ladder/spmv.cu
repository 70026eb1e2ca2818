/* Topic spmv: y = A x, for a sparse matrix with n rows
 *
 * Most elements of a sparse matrix are 0, and only the others are stored.
 * In the format CSR (compressed sparse rows) an array has the values, row
 * after row, a second one has the column of each value, and a third one has
 * the position at which each row begins. Row i has the positions first[i]
 * to first[i + 1] - 1. An empty row begins where the next one begins.
 *
 *     matrix       values         columns        first
 *     7 0 5        7 5 2 3        0 2 1 2        0 2 2 4
 *     0 0 0
 *     0 2 3
 *
 * Each value is used once, for one multiplication and one addition. So the
 * limit is the read bandwidth: 4 + 4 bytes per value in f32, and in
 * addition x, y and the first positions. The elements of x are read in the
 * order of the columns, many of them several times. The lesson is how to
 * distribute rows of very different lengths to threads. Here most rows have
 * 0 to 15 values, and every thousandth row has 300.
 *
 * A row is a dot product, and its bits depend on the order of the
 * additions. Each rung states its order. All multiplications and additions
 * are fused multiply-adds.
 */
#include "climb.h"

#include <algorithm>
#include <math.h>
#if !defined WEFT_EXECUTOR && __has_include(<cusparse.h>)
#include <cusparse.h>
#define HAVE_CUSPARSE
#endif

namespace {

constexpr unsigned WARP = 32, THREADS = 256;
constexpr size_t MOST_ROWS = UINT32_MAX; /* a column is stored in 32 bits */
#define WHOLE_WARP 0xffffffffu

template <class T> struct csr {
    size_t rows;
    const size_t *first;    /* rows + 1 positions */
    const unsigned *column; /* of each value */
    const T *value;
};

/* Rung row-per-thread: a thread for each row
 *
 * The loop is that of a CPU. Adjacent threads read values of adjacent rows,
 * which are a row apart: each read of a warp needs up to 32 sectors. A warp
 * takes as long as its longest row. If one of its rows has 300 values and
 * the others have 8, its lanes are idle most of the time.
 *
 * Order: the sum starts with 0 and adds the products of the row in turn.
 */
template <class T>
__global__ void multiply_rows(csr<T> a, const T *x, T *y) {
    const size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= a.rows) return;
    T sum = 0;
    for (size_t i = a.first[row]; i < a.first[row + 1]; i++)
        sum = fma(a.value[i], x[a.column[i]], sum);
    y[row] = sum;
}

/* Launches a kernel in which `lanes` threads compute a row. */
template <class T, class KERNEL, class MATRIX>
static void by_rows(KERNEL kernel, unsigned lanes, MATRIX a, const T *x,
                    T *y) {
    const unsigned blocks =
        (unsigned)blocks_for<size_t>(a.rows, THREADS / lanes);
    kernel<<<blocks, THREADS>>>(a, x, y);
}

/* Computes y in the order of `LANES` threads per row: each adds every
 * LANES-th product, then pairs are added. */
template <class T, size_t LANES>
static std::vector<T> order_of_lanes(csr<T> a, const std::vector<T> &x) {
    std::vector<T> y(a.rows);
    ladder_in_parts(a.rows, [&](size_t row, size_t end) {
        for (; row < end; row++) {
            T v[LANES] = {};
            const size_t first = a.first[row];
            for (size_t i = first; i < a.first[row + 1]; i++) {
                T &sum = v[(i - first) % LANES];
                sum = fma(a.value[i], x[a.column[i]], sum);
            }
            for (size_t d = LANES / 2; d > 0; d /= 2)
                for (size_t k = 0; k < d; k++) v[k] += v[k + d];
            y[row] = v[0];
        }
    });
    return y;
}

/* Faulty rung empty-rows: the sum begins with the first product of the row
 *
 * This saves one addition per row, and it is right for a matrix without
 * empty rows, such as that of a grid. An empty row gets the first product
 * of the next row. If the last row is empty, the kernel reads after the end
 * of the arrays.
 */
template <class T>
__global__ void multiply_rows_that_have_values(csr<T> a, const T *x, T *y) {
    const size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= a.rows) return;
    size_t i = a.first[row];
    T sum = a.value[i] * x[a.column[i]];
    for (i++; i < a.first[row + 1]; i++)
        sum = fma(a.value[i], x[a.column[i]], sum);
    y[row] = sum;
}

/* Rung warp-per-row: 32 lanes share a row
 *
 * The lanes read adjacent values and columns. A row of 300 values takes ten
 * steps and not 300. Then the lanes add their sums by five exchanges. But a
 * row of 8 values uses only 8 lanes, and its five exchanges take longer
 * than its products.
 *
 * Order: lane l starts with 0 and adds the products l, l + 32, ... of the
 * row. Then, for d = 16, 8, 4, 2, 1, v[l] = v[l] + v[l xor d].
 */
template <class T, unsigned LANES>
__global__ void multiply_by_lanes(csr<T> a, const T *x, T *y) {
    const unsigned lane = threadIdx.x % LANES;
    const size_t row =
        (size_t)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    T sum = 0;
    if (row < a.rows)
        for (size_t i = a.first[row] + lane; i < a.first[row + 1];
             i += LANES)
            sum = fma(a.value[i], x[a.column[i]], sum);
    for (unsigned d = LANES / 2; d > 0; d /= 2)
        sum += __shfl_xor_sync(WHOLE_WARP, sum, d);
    if (row < a.rows && lane == 0) y[row] = sum;
}

/* Faulty rung idle-lanes: lanes without a value return before the exchanges
 *
 * The mask names 32 lanes, but those after the end of a short row have
 * returned. The behaviour is undefined, and the warp may wait forever. So
 * this rung runs only on the executor, which reports the lanes that are
 * missing.
 */
template <class T>
__global__ void multiply_without_idle_lanes(csr<T> a, const T *x, T *y) {
    const unsigned lane = threadIdx.x % WARP;
    const size_t row =
        (size_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    if (row >= a.rows) return; /* the whole warp */
    size_t i = a.first[row] + lane;
    if (i >= a.first[row + 1]) return;
    T sum = 0;
    for (; i < a.first[row + 1]; i += WARP)
        sum = fma(a.value[i], x[a.column[i]], sum);
    for (unsigned d = WARP / 2; d > 0; d /= 2)
        sum += __shfl_xor_sync(WHOLE_WARP, sum, d);
    if (lane == 0) y[row] = sum;
}

/* Rung eight-lanes: the lanes per row fit the mean length of a row
 *
 * A row has 8 values on average. With 8 lanes per row, a warp processes
 * four rows, and most lanes have one or two values. Three exchanges are
 * enough. The lanes of a row are adjacent and begin at a multiple of 8, so
 * `lane xor d` stays in the row. The four rows of a warp make different
 * numbers of steps, but all lanes take part in the exchanges.
 *
 * Order: that of `warp-per-row` with 8 lanes, and d = 4, 2, 1.
 */

/* Rung sliced: 32 rows interleaved, a thread for each row
 *
 * The format ELL stores all rows with the length of the longest one, and
 * the first values of all rows, then the second values, and so on. Adjacent
 * threads then read adjacent words. But the longest row determines the
 * memory (see `memory`). The sliced format does this for 32 rows at a time:
 * a slice has the length of its own longest row (A. Monakov, A. Lokhmotov,
 * A. Avetisyan, 2010). The matrix must be converted once.
 *
 *     slice of 4 rows     a0 a1 a2 | b0 | (empty) | d0 d1
 *     in memory           a0 b0 -- d0   a1 -- -- d1   a2 -- -- --
 *
 * A thread stops at the length of its own row and never reads the unused
 * words.
 *
 * Order: the order is that of `row-per-thread`.
 */
template <class T> struct sliced {
    size_t rows;
    const size_t *start;    /* of each slice of 32 rows */
    const unsigned *length; /* of each row */
    const unsigned *column;
    /* Value k of row r is at start[r / 32] + 32 k + r % 32 */
    const T *value;
};

template <class T>
__global__ void multiply_slices(sliced<T> a, const T *x, T *y) {
    const size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= a.rows) return;
    T sum = 0;
    size_t i = a.start[row / WARP] + row % WARP;
    for (unsigned k = 0; k < a.length[row]; k++, i += WARP)
        sum = fma(a.value[i], x[a.column[i]], sum);
    y[row] = sum;
}

/* The arrays of a sliced matrix, on the host. */
template <class T> struct slices {
    std::vector<size_t> start;
    std::vector<unsigned> length, column;
    std::vector<T> value;

    explicit slices(csr<T> a) {
        size_t end = 0;
        for (size_t row = 0; row < a.rows; row++) {
            if (row % WARP == 0) start.push_back(end);
            length.push_back((unsigned)(a.first[row + 1] - a.first[row]));
            end = std::max(end, start.back() + WARP * length[row]);
        }
        column.resize(end);
        value.resize(end);
        for (size_t row = 0; row < a.rows; row++)
            for (size_t k = 0; k < length[row]; k++) {
                const size_t at = start[row / WARP] + WARP * k + row % WARP;
                column[at] = a.column[a.first[row] + k];
                value[at] = a.value[a.first[row] + k];
            }
    }
};

/* Rung memory: the words that each format stores
 *
 * The sentence is about the matrix of this topic. CSR stores each value
 * once. ELL stores the longest row n times.
 */
template <class T> static std::string memory(csr<T> a) {
    size_t longest = 0;
    for (size_t row = 0; row < a.rows; row++)
        longest = std::max(longest, a.first[row + 1] - a.first[row]);
    return "values stored: CSR " + std::to_string(a.first[a.rows]) +
           ", ELL " + std::to_string(longest * a.rows) + ", sliced " +
           std::to_string(slices<T>(a).value.size());
}

/* Rung coordinates: a thread for each value, and atomics
 *
 * The format COO (coordinates) stores the row of each value too, and the
 * values may be in any order. All threads have the same work, however long
 * the rows are. But each product is added to y by an atomic, and y must be
 * cleared first. The traffic is 4 bytes more per value, and the atomics.
 *
 * Order: unspecified. So the values and x are whole numbers.
 */
template <class T>
__global__ void multiply_coordinates(size_t count, const unsigned *row,
                                     csr<T> a, const T *x, T *y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count) atomicAdd(&y[row[i]], a.value[i] * x[a.column[i]]);
}

template <class T>
static void coordinates(size_t count, const unsigned *row, csr<T> a,
                        const T *x, T *y) {
    CUDA_CHECK(cudaMemsetAsync(y, 0, a.rows * sizeof(T)));
    if (count == 0) return;
    const unsigned blocks = (unsigned)blocks_for<size_t>(count, THREADS);
    multiply_coordinates<<<blocks, THREADS>>>(count, row, a, x, y);
}

/* Faulty rung not-cleared: the sums are not set to zero
 *
 * The kernel adds to what the memory contains. In a solver that multiplies
 * many times, the second product contains the first one.
 */
template <class T>
static void not_cleared(size_t count, const unsigned *row, csr<T> a,
                        const T *x, T *y) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(count, THREADS);
    multiply_coordinates<<<blocks, THREADS>>>(count, row, a, x, y);
}

/* Rung cusparse: cusparseSpMV, from NVIDIA's library cuSPARSE
 *
 * The default algorithm for CSR. It does not state its order, so the values
 * and x are whole numbers.
 */
template <class T> struct cusparse_matrix {
    size_t rows, count;
    const int *first;
    const unsigned *column;
    const T *value;
};

#ifdef HAVE_CUSPARSE
template <class T>
static void cusparse_multiply(cusparse_matrix<T> a, const T *x, T *y) {
    static const ladder_library cusparse("libcusparse.so");
    static cusparseHandle_t handle;
    static void *workspace;
    static size_t workspace_bytes;
    const auto call = [](const char *name, auto... arguments) {
        typedef cusparseStatus_t (*function)(decltype(arguments)...);
        if (cusparse.call<function>(name)(arguments...) !=
            CUSPARSE_STATUS_SUCCESS)
            throw std::runtime_error(std::string(name) + " failed");
    };
    if (!handle) call("cusparseCreate", &handle);
    const cudaDataType type =
        sizeof(T) == sizeof(float) ? CUDA_R_32F : CUDA_R_64F;
    const int64_t rows = (int64_t)a.rows;
    const T one = 1, zero = 0;
    size_t bytes = 0;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t from, to;
    call("cusparseCreateCsr", &matrix, rows, rows, (int64_t)a.count,
         (void *)a.first, (void *)a.column, (void *)a.value,
         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
         type);
    call("cusparseCreateDnVec", &from, rows, (void *)x, type);
    call("cusparseCreateDnVec", &to, rows, (void *)y, type);
    call("cusparseSpMV_bufferSize", handle,
         CUSPARSE_OPERATION_NON_TRANSPOSE, (const void *)&one, matrix, from,
         (const void *)&zero, to, type, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    if (bytes > workspace_bytes) {
        CUDA_CHECK(cudaFree(workspace));
        CUDA_CHECK(cudaMalloc(&workspace, workspace_bytes = bytes));
    }
    call("cusparseSpMV", handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
         (const void *)&one, matrix, from, (const void *)&zero, to, type,
         CUSPARSE_SPMV_ALG_DEFAULT, workspace);
    call("cusparseDestroySpMat", matrix);
    call("cusparseDestroyDnVec", from);
    call("cusparseDestroyDnVec", to);
}
#else
template <class T>
static void cusparse_multiply(cusparse_matrix<T>, const T *, T *) {
    throw ladder_absent("this build had no cusparse.h");
}
#endif

/* Exercises
 *
 * 1. Compute the bytes per value of CSR, COO and the sliced format for f32
 *    and f64, with 8 values per row. Compare with the column `read` of the
 *    executor.
 * 2. Which order of the rows makes the slices smallest? What must then be
 *    stored in addition?
 * 3. Write a rung in which a block computes each row of more than 256
 *    values, and 8 lanes compute each other row.
 * 4. Compute y = A^T x from CSR, without a conversion. Why are atomics
 *    needed?
 * 5. In a matrix of a grid all values of a diagonal are next to each other.
 *    How many bytes per value does a format need that stores diagonals?
 */

/* Climbing the rungs. */

/* The arrays of the matrix, on the host. */
template <class T> struct matrix {
    std::vector<size_t> first;
    std::vector<unsigned> row, column;
    std::vector<T> value, whole;

    explicit matrix(size_t rows) : first(rows + 1) {
        const std::vector<unsigned> numbers =
            ladder_values<unsigned>(rows, 1);
        for (size_t i = 0; i < rows; i++) {
            const size_t number = numbers[i] + 1000u;
            const size_t length = i % 1000 == 7 ? 300 : number % 16;
            first[i + 1] = first[i] + std::min(length, rows);
            for (size_t k = first[i]; k < first[i + 1]; k++) {
                row.push_back((unsigned)i);
                column.push_back(
                    (unsigned)((i + number * (k - first[i] + 1)) % rows));
            }
        }
        value = ladder_values<T>(row.size(), 2);
        whole = ladder_whole_values<T>(row.size(), 3);
    }
    csr<T> on_host(const std::vector<T> &values) const {
        return {first.size() - 1, first.data(), column.data(),
                values.data()};
    }
};

template <class T> static void climb_as(climb &c) {
    const size_t rows = std::min(c.n, MOST_ROWS);
    const matrix<T> m(rows);
    const size_t count = m.row.size();
    const std::vector<T> xs = ladder_values<T>(rows, 4);
    const std::vector<T> whole_xs = ladder_whole_values<T>(rows, 5);
    const csr<T> here = m.on_host(m.value), whole_here = m.on_host(m.whole);
    const csr<T> a = {rows, c.input(m.first), c.input(m.column),
                      c.input(m.value)};
    const csr<T> w = {rows, a.first, a.column, c.input(m.whole)};
    const T *const x = c.input(xs), *const whole_x = c.input(whole_xs);
    const unsigned *const row = c.input(m.row);
    T *const y = c.output<T>(rows);
    c.work((double)(count * (sizeof(T) + sizeof(unsigned)) +
                    rows * (2 * sizeof(T) + sizeof(size_t))),
           2.0 * (double)count);

    const ladder_claim in_turn = [&] {
        return c.holds(y, order_of_lanes<T, 1>(here, xs));
    };
    const ladder_claim by_8 = [&] {
        return c.holds(y, order_of_lanes<T, 8>(here, xs));
    };
    const ladder_claim by_32 = [&] {
        return c.holds(y, order_of_lanes<T, WARP>(here, xs));
    };
    const ladder_claim whole = [&] {
        return c.holds(y, order_of_lanes<T, 1>(whole_here, whole_xs));
    };
    c.rung("row-per-thread", in_turn,
           [=] { by_rows(multiply_rows<T>, 1, a, x, y); });
    c.faulty(
        "empty-rows", in_turn,
        [=] { by_rows(multiply_rows_that_have_values<T>, 1, a, x, y); },
        {.least = 100, .executor_only = true});
    c.rung("warp-per-row", by_32,
           [=] { by_rows(multiply_by_lanes<T, WARP>, WARP, a, x, y); });
    c.faulty(
        "idle-lanes", by_32,
        [=] { by_rows(multiply_without_idle_lanes<T>, WARP, a, x, y); },
        {.least = 100, .executor_only = true});
    c.rung("eight-lanes", by_8,
           [=] { by_rows(multiply_by_lanes<T, 8>, 8, a, x, y); });

    const slices<T> s(here);
    const sliced<T> interleaved = {rows, c.input(s.start),
                                   c.input(s.length), c.input(s.column),
                                   c.input(s.value)};
    c.rung("sliced", in_turn,
           [=] { by_rows(multiply_slices<T>, 1, interleaved, x, y); });
    c.lesson("memory", [&] { return memory(here); });
    c.rung("coordinates", whole,
           [=] { coordinates(count, row, w, whole_x, y); });
    c.faulty("not-cleared", whole,
             [=] { not_cleared(count, row, w, whole_x, y); },
             {.least = 100});
    const std::vector<int> short_first(m.first.begin(), m.first.end());
    const cusparse_matrix<T> library = {rows, count, c.input(short_first),
                                        w.column, w.value};
    c.rung("cusparse", whole,
           [=] { cusparse_multiply(library, whole_x, y); },
           {.most = (size_t)INT32_MAX / 16, .gpu_only = true});
}

} // namespace

void climb_spmv(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
