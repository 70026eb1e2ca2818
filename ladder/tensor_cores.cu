/* Topic tensor-cores: matrix products by instructions for whole tiles
 *
 * A tensor core multiplies two small tiles and adds the product to a third,
 * in one instruction of a warp. Its factors are f64, or numbers of 16 bits
 * or fewer whose products are added in f32. This topic continues topic
 * matmul: the blocks, the k-slices and the two buffers are the same, and a
 * tile replaces the single multiplication.
 *
 * The work is 2 * rows * columns * k operations, as in topic matmul. For
 * n = 10240, A is 80 x 48 and B is 48 x 128, and other n keep these
 * proportions. An H200 executes 67 TFLOP/s in f64 and 990 TFLOP/s with
 * factors of 16 bits, according to its data sheet. The ceiling in the table
 * is that of f32 without tensor cores, so a share may exceed 100 %. To feed
 * 990 TFLOP/s, a byte that is read from shared memory must serve more
 * operations than one block can arrange in registers alone. So the
 * bottleneck moves from memory to shared memory, and then to the
 * instructions around the products.
 *
 * The executor emulates the tiles of halves. It does not have the order of
 * the additions of f64, so `tensor-f64` runs on a GPU only.
 */
#include "climb.h"

#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <math.h>
#include <mma.h>
#if !defined WEFT_EXECUTOR && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define HAVE_CUBLAS
#endif

namespace {

/* A is rows x depth, B is depth x columns, C is rows x columns; all are in
 * row-major order. */
struct shape {
    size_t rows, depth, columns;
};

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

/* Returns element (i, j) of a matrix of this size, or 0 outside it. */
template <class T>
__device__ T element(const T *x, size_t rows, size_t columns, size_t i,
                     size_t j) {
    return i < rows && j < columns ? x[i * columns + j] : (T)0;
}

/* Rung tensor-f64: a warp multiplies tiles, with the bits of the loop
 *
 * A tensor core multiplies small matrices. One instruction of a warp
 * multiplies an 8 x 4 tile of A by a 4 x 8 tile of B. It adds their product
 * to an 8 x 8 tile of C. These are 512 operations of f64. In C++,
 * `nvcuda::wmma` provides such tiles as fragments. Each lane holds part of
 * a fragment, and it is not specified which elements these are. A block
 * computes 64 x 64 elements of C, and each of its eight warps computes 4 x
 * 2 tiles of them. k-slices of A and B are copied to shared memory, as in
 * `registers-4` of topic matmul.
 *
 * For f64, since sm_80, the sums are fused multiply-adds in the order of k.
 * So the bits are those of the loop.
 */
/* Tiles of C are M x N, and K is their depth; the factors are F and the
 * sums S. The block has 2 * 4 warps, each with 4 x 2 tiles. */
template <class F_, class S_, unsigned M_, unsigned N_, unsigned K_>
struct cores {
    typedef F_ F;
    typedef S_ S;
    enum : unsigned {
        M = M_,
        N = N_,
        K = K_,
        DOWN = 4,
        ACROSS = 2,
        LENGTH = 32,
        ROWS = 2 * DOWN * M,
        COLUMNS = 4 * ACROSS * N,
        THREADS = 256,
        PAD = 16 / sizeof(F) /* rows are 16 bytes apart in the banks */
    };
};
typedef cores<double, double, 8, 8, 4> cores_of_f64;
typedef cores<__half, float, 16, 16, 16> cores_of_half;

template <class X> struct mma_slices {
    alignas(32) typename X::F a[X::ROWS][X::LENGTH + X::PAD],
        b[X::LENGTH][X::COLUMNS + X::PAD];
    /* One tile per warp, staging for C */
    alignas(32) typename X::S tile[X::THREADS / 32][X::M * X::N];
};

template <class X, class S>
__device__ void load_mma_slices(mma_slices<X> *s, shape m, const S *a,
                                const S *b, size_t row, size_t column,
                                size_t first) {
    for (unsigned t = threadIdx.x; t < X::ROWS * X::LENGTH;
         t += X::THREADS) {
        const unsigned i = t / X::LENGTH, k = t % X::LENGTH;
        s->a[i][k] =
            (typename X::F)element(a, m.rows, m.depth, row + i, first + k);
    }
    for (unsigned t = threadIdx.x; t < X::LENGTH * X::COLUMNS;
         t += X::THREADS) {
        const unsigned k = t / X::COLUMNS, j = t % X::COLUMNS;
        s->b[k][j] = (typename X::F)element(b, m.depth, m.columns,
                                            first + k, column + j);
    }
}

/* Stores a warp's tile, which begins at (row, column) of C, through shared
 * memory, where each lane can address its elements. */
template <class S>
__device__ void put_tile(shape m, const S *tile, unsigned height,
                         unsigned width, size_t row, size_t column, S *c) {
    for (unsigned t = threadIdx.x % 32; t < height * width; t += 32) {
        const size_t i = row + t / width, j = column + t % width;
        if (i < m.rows && j < m.columns) c[i * m.columns + j] = tile[t];
    }
}

template <class X, class S>
__device__ void multiply_on_cores(shape m, const S *a, const S *b, S *c) {
    using namespace nvcuda;
    __shared__ mma_slices<X> s;
    const unsigned warp = threadIdx.x / 32, y = warp / 4 * X::DOWN * X::M;
    const unsigned x = warp % 4 * X::ACROSS * X::N;
    const size_t row = (size_t)blockIdx.y * X::ROWS;
    const size_t column = (size_t)blockIdx.x * X::COLUMNS;
    typedef wmma::fragment<wmma::accumulator, X::M, X::N, X::K, S> total;
    typedef wmma::fragment<wmma::matrix_a, X::M, X::N, X::K, typename X::F,
                           wmma::row_major>
        left_part;
    typedef wmma::fragment<wmma::matrix_b, X::M, X::N, X::K, typename X::F,
                           wmma::row_major>
        above_part;
    total sum[X::DOWN][X::ACROSS];
    for (auto &line : sum)
        for (auto &tile : line) wmma::fill_fragment(tile, (S)0);
    for (size_t first = 0; first < m.depth; first += X::LENGTH) {
        load_mma_slices(&s, m, a, b, row, column, first);
        __syncthreads();
        for (unsigned k = 0; k < X::LENGTH; k += X::K)
            for (unsigned p = 0; p < X::DOWN; p++)
                for (unsigned q = 0; q < X::ACROSS; q++) {
                    left_part left;
                    above_part above;
                    wmma::load_matrix_sync(left, &s.a[y + p * X::M][k],
                                           X::LENGTH + X::PAD);
                    wmma::load_matrix_sync(above, &s.b[k][x + q * X::N],
                                           X::COLUMNS + X::PAD);
                    wmma::mma_sync(sum[p][q], left, above, sum[p][q]);
                }
        __syncthreads();
    }
    for (unsigned p = 0; p < X::DOWN; p++)
        for (unsigned q = 0; q < X::ACROSS; q++) {
            wmma::store_matrix_sync(s.tile[warp], sum[p][q], X::N,
                                    wmma::mem_row_major);
            __syncwarp();
            put_tile(m, s.tile[warp], X::M, X::N, row + y + p * X::M,
                     column + x + q * X::N, c);
            __syncwarp();
        }
}

/* The instructions exist since sm_80. On an older GPU the kernels are
 * empty, and are not launched. */
template <class X, class S>
__global__ void multiply_by_tensor_cores(shape m, const S *a, const S *b,
                                         S *c) {
#if defined WEFT_EXECUTOR || !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    multiply_on_cores<X>(m, a, b, c);
#endif
}

template <class X, class S>
static void tensor(shape m, const S *a, const S *b, S *c) {
    int generation;
    CUDA_CHECK(cudaDeviceGetAttribute(
        &generation, cudaDevAttrComputeCapabilityMajor, 0));
    if (generation < 8)
        throw ladder_absent("this GPU is older than sm_80, the first whose "
                            "tensor cores do this");
    const dim3 blocks((unsigned)blocks_for<size_t>(m.columns, X::COLUMNS),
                      (unsigned)blocks_for<size_t>(m.rows, X::ROWS));
    multiply_by_tensor_cores<X, S><<<blocks, X::THREADS>>>(m, a, b, c);
}

static void tensor_f64(shape m, const double *a, const double *b,
                       double *c) {
    tensor<cores_of_f64>(m, a, b, c);
}

/* Rung tensor-half: factors of 16 bits, sums of 32
 *
 * This is the same kernel with tiles of 16 x 16 x 16, which are 8192
 * operations per instruction. A and B are rounded to half, which has 11
 * bits, when they are copied to shared memory. The sums are f32.
 *
 * According to its data sheet, an H200 executes 990 TFLOP/s of these
 * operations and 67 TFLOP/s of f32. The ceiling in the table is that of
 * f32, so the share may exceed 100 %. It does not reach 1500 %. This kernel
 * loads every tile of A twice from shared memory and every tile of B four
 * times. It also waits at two barriers per k-slice. The library of a vendor
 * copies the next k-slices asynchronously while it multiplies.
 *
 * The result differs from that of the other rungs (see `half-factors`).
 * Neither the order of the additions nor their rounding is specified. The
 * elements are small whole numbers, so no operation rounds, and the result
 * must have the bits of the loop.
 */
static void tensor_half(shape m, const float *a, const float *b, float *c) {
    tensor<cores_of_half>(m, a, b, c);
}

/* Rung half-stored: factors of 16 bits in memory, copied asynchronously
 *
 * In `tensor-half` the factors are f32 in memory. So twice as many bytes
 * are read, and each element passes through a register to be rounded. Here
 * A and B are half in memory. The rows of the arrays are padded with zeros
 * to a multiple of 8 elements. So a row consists of groups of 16 bytes, and
 * `cp.async` copies a group at once. There are two pairs of k-slices, as in
 * `double-buffered` of topic matmul: one is copied while the other is
 * multiplied.
 *
 * A warp computes 64 x 32 elements of C, which are 4 x 2 tiles. For each
 * step of 16 in k, it loads four tiles of A and two of B once, and
 * multiplies them in all eight combinations. `tensor-half` loads 16 tiles
 * for the same products.
 *
 * This is still not the speed of cuBLAS. Since sm_90 there are instructions
 * for the four warps of a warp group (wgmma), which read their factors from
 * shared memory themselves.
 */
/* Sides of a block's part of C, length of a
 * k-slice, elements in 16 bytes */
constexpr unsigned SIDE = 128, LENGTH = 32, GROUP = 8;

/* Factors in rows of `a_row` and `b_row` elements, both multiples of GROUP.
 * Elements after the end of a row are 0. */
struct half_factors_at {
    const __half *a, *b;
    size_t a_row, b_row;
};

struct half_slices {
    alignas(128) __half a[SIDE][LENGTH + GROUP], b[LENGTH][SIDE + GROUP];
};

struct two_slices {
    half_slices at[2];
};

__device__ inline void start_group(__half *to, const __half *from,
                                   bool inside, const __half *any) {
    __pipeline_memcpy_async(to, inside ? from : any, 16, inside ? 0 : 16);
}

[[maybe_unused]] __device__ inline void
start_slices(half_slices *to, shape m, half_factors_at f, size_t row,
             size_t column, size_t first) {
    for (unsigned t = threadIdx.x; t < SIDE * LENGTH / GROUP; t += 256) {
        const unsigned i = t / (LENGTH / GROUP);
        const unsigned k = t % (LENGTH / GROUP) * GROUP;
        start_group(&to->a[i][k], f.a + (row + i) * f.a_row + first + k,
                    row + i < m.rows && first + k < f.a_row, f.a);
        const unsigned l = t / (SIDE / GROUP);
        const unsigned j = t % (SIDE / GROUP) * GROUP;
        start_group(&to->b[l][j], f.b + (first + l) * f.b_row + column + j,
                    first + l < m.depth && column + j < f.b_row, f.b);
    }
    __pipeline_commit();
}

static __global__ void multiply_halves(shape m, half_factors_at f,
                                       float *c) {
#if defined WEFT_EXECUTOR || !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    using namespace nvcuda;
    __shared__ two_slices both;
    half_slices *const s = both.at;
    __shared__ __align__(128) float tile[8][16 * 16];
    const unsigned warp = threadIdx.x / 32, y = warp / 4 * 64;
    const unsigned x = warp % 4 * 32;
    const size_t row = (size_t)blockIdx.y * SIDE;
    const size_t column = (size_t)blockIdx.x * SIDE;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4][2];
    for (auto &line : sum)
        for (auto &part : line) wmma::fill_fragment(part, 0.0f);
    start_slices(&s[0], m, f, row, column, 0);
    for (size_t first = 0, now = 0; first < m.depth;
         first += LENGTH, now = 1 - now) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (first + LENGTH < m.depth)
            start_slices(&s[1 - now], m, f, row, column, first + LENGTH);
        for (unsigned k = 0; k < LENGTH; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half,
                           wmma::row_major>
                left[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half,
                           wmma::row_major>
                above[2];
            for (unsigned p = 0; p < 4; p++)
                wmma::load_matrix_sync(left[p], &s[now].a[y + 16 * p][k],
                                       LENGTH + GROUP);
            for (unsigned q = 0; q < 2; q++)
                wmma::load_matrix_sync(above[q], &s[now].b[k][x + 16 * q],
                                       SIDE + GROUP);
            for (unsigned p = 0; p < 4; p++)
                for (unsigned q = 0; q < 2; q++)
                    wmma::mma_sync(sum[p][q], left[p], above[q], sum[p][q]);
        }
    }
    for (unsigned p = 0; p < 4; p++)
        for (unsigned q = 0; q < 2; q++) {
            wmma::store_matrix_sync(tile[warp], sum[p][q], 16,
                                    wmma::mem_row_major);
            __syncwarp();
            put_tile(m, tile[warp], 16, 16, row + y + 16 * p,
                     column + x + 16 * q, c);
            __syncwarp();
        }
#else
    (void)m, (void)f, (void)c;
#endif
}

static void half_stored(shape m, half_factors_at f, float *c) {
    int generation;
    CUDA_CHECK(cudaDeviceGetAttribute(
        &generation, cudaDevAttrComputeCapabilityMajor, 0));
    if (generation < 8)
        throw ladder_absent(
            "this GPU is older than sm_80, the first with cp.async");
    const dim3 blocks((unsigned)blocks_for<size_t>(m.columns, SIDE),
                      (unsigned)blocks_for<size_t>(m.rows, SIDE));
    multiply_halves<<<blocks, 256>>>(m, f, c);
}

/* Returns a matrix of halves whose rows are padded to `padded` elements. */
static std::vector<__half> as_halves(const std::vector<float> &v,
                                     size_t columns, size_t padded) {
    std::vector<__half> halves(v.size() / columns * padded,
                               __float2half(0));
    for (size_t i = 0; i < v.size(); i++)
        halves[i / columns * padded + i % columns] = __float2half(v[i]);
    return halves;
}

/* Rung half-factors: the error of factors with eleven bits
 *
 * The matrices are 96 x 96 random numbers from [0, 1). The program computes
 * their product in f32, and again with factors rounded to half. It compares
 * both with the same sums in f64. The printed error is the root of the mean
 * square of the error, divided by that of the result. The product is that
 * of `tensor-half`.
 *
 * Some libraries use such factors for f32 if the caller asks for it. Their
 * setting TF32 has the 11 bits of half and the range of f32. weft never
 * uses it.
 */
static float to_eleven_bits(float x) {
    /* 2^13 + 1: adding and subtracting this product rounds 13 bits away */
    const float high = x * 8193;
    return high - (high - x);
}

static double relative_error(const std::vector<float> &got,
                             const std::vector<double> &right) {
    double error = 0, size = 0;
    for (size_t i = 0; i < got.size(); i++) {
        error += (got[i] - right[i]) * (got[i] - right[i]);
        size += right[i] * right[i];
    }
    return sqrt(error / size);
}

static std::vector<float> product_of_halves(climb &c, shape m,
                                            std::vector<float> a,
                                            std::vector<float> b) {
    for (float &v : a) v = to_eleven_bits(v);
    for (float &v : b) v = to_eleven_bits(v);
    std::vector<float> got(m.rows * m.columns);
    float *const to = c.output<float>(got.size());
    tensor_half(m, c.input(a), c.input(b), to);
    c.fetch(got.data(), to, got.size() * sizeof got[0]);
    return got;
}

static std::string half_factors(climb &c) {
    const size_t side = 96;
    const shape m = {side, side, side};
    std::vector<float> a, b;
    for (const int number : ladder_gnu_rand(2 * side * side))
        (a.size() <= b.size() ? a : b)
            .push_back((float)(number / 2147483648.0));
    const std::vector<double> right =
        order_of_depth(m, std::vector<double>(a.begin(), a.end()),
                       std::vector<double>(b.begin(), b.end()));
    const double halves =
        relative_error(product_of_halves(c, m, a, b), right);
    const double whole = relative_error(order_of_depth(m, a, b), right);
    char text[120];
    snprintf(text, sizeof text,
             "relative error %.1e with factors of 11 bits, %.1e in f32",
             halves, whole);
    return halves < 1e-4 && whole < 1e-6
               ? text
               : std::string("not what rounding to half explains: ") + text;
}

/* Rung cublas: cublasGemmEx, from NVIDIA's library cuBLAS
 *
 * The factors are the halves of `half-stored`, and the sums are f32. cuBLAS
 * reads matrices in column-major order, so the program swaps the factors,
 * as in topic matmul. cuBLAS does not state the order of the additions. The
 * elements are small whole numbers, and the result must have the bits of
 * the loop.
 */
#ifdef HAVE_CUBLAS
static void cublas_halves(shape m, half_factors_at f, float *c) {
    typedef cublasStatus_t (*create_call)(cublasHandle_t *);
    typedef cublasStatus_t (*multiply_call)(
        cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
        const void *, const void *, cudaDataType_t, int, const void *,
        cudaDataType_t, int, const void *, void *, cudaDataType_t, int,
        cublasComputeType_t, cublasGemmAlgo_t);
    static const ladder_library cublas("libcublas.so");
    static cublasHandle_t handle;
    if (!handle) cublas.call<create_call>("cublasCreate_v2")(&handle);
    const float one = 1, zero = 0;
    const int rows = (int)m.rows, depth = (int)m.depth;
    const int columns = (int)m.columns;
    if (cublas.call<multiply_call>("cublasGemmEx")(
            handle, CUBLAS_OP_N, CUBLAS_OP_N, columns, rows, depth, &one,
            f.b, CUDA_R_16F, (int)f.b_row, f.a, CUDA_R_16F, (int)f.a_row,
            &zero, c, CUDA_R_32F, columns, CUBLAS_COMPUTE_32F,
            CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error("cuBLAS failed");
}
#else
static void cublas_halves(shape, half_factors_at, float *) {
    throw ladder_absent("this build had no cublas_v2.h");
}
#endif

/* Exercises
 *
 * 1. `tensor-half` loads each tile of A twice from shared memory, and each
 *    tile of B four times. Which loops must be swapped so that each is
 *    loaded once per k? How many fragments does a warp then hold?
 * 2. Count the bytes of shared memory that a warp of `half-stored` reads
 *    per operation. Which shape of a warp's part of C would need half of
 *    them, and how many registers would its sums take?
 * 3. Without its padding of 8 elements, in which banks are the first
 *    elements of the 16 rows of a tile of A?
 * 4. Sum 4096 products of numbers from [0, 1) in half instead of f32. Where
 *    does the sum stop growing?
 */

/* Climbing the rungs. */
/* Returns sizes in the proportions 5 : 3 : 8, with
 * at most n elements of C. */
static shape shape_of(size_t n) {
    size_t rows = 1;
    while ((rows + 1) * (rows + 1) <= 5 * n / 8) rows++;
    return {rows, (3 * rows + 4) / 5, n / rows};
}

/* Runs a rung with matrices of its own. */
template <class T>
static void climb_alone(const char *name, climb &c,
                        void (*multiply)(shape, const T *, const T *, T *),
                        shape m, const std::vector<T> &left,
                        const std::vector<T> &above, ladder_limits limits) {
    const T *const a = c.input(left), *const b = c.input(above);
    T *const to = c.output<T>(m.rows * m.columns);
    const ladder_claim right = [&] {
        return c.holds(to, order_of_depth(m, left, above));
    };
    c.rung(
        name, right, [=] { multiply(m, a, b, to); }, limits);
}

/* Runs the rungs whose factors are halves in memory. */
static void climb_halves(climb &c, shape m, const std::vector<float> &left,
                         const std::vector<float> &above) {
    float *const to = c.output<float>(m.rows * m.columns);
    const ladder_claim right = [&] {
        return c.holds(to, order_of_depth(m, left, above));
    };
    const size_t a_row = blocks_for<size_t>(m.depth, GROUP) * GROUP;
    const size_t b_row = blocks_for<size_t>(m.columns, GROUP) * GROUP;
    const half_factors_at f = {c.input(as_halves(left, m.depth, a_row)),
                               c.input(as_halves(above, m.columns, b_row)),
                               a_row, b_row};
    c.rung("half-stored", right, [=] { half_stored(m, f, to); });
    c.lesson("half-factors", [&] { return half_factors(c); });
    c.rung("cublas", right, [=] { cublas_halves(m, f, to); },
           {.gpu_only = true});
}

} // namespace

void climb_tensor_cores(climb &c) {
    const shape m = shape_of(c.n);
    const size_t left = m.rows * m.depth, above = m.depth * m.columns;
    const std::vector<float> a = ladder_whole_values<float>(left, 9);
    const std::vector<float> b = ladder_whole_values<float>(above, 10);
    c.work(4.0 * (double)(left + above + m.rows * m.columns),
           2.0 * (double)(m.rows * m.columns) * (double)m.depth);
    /* The order and the rounding of the additions of f32 are not specified,
     * so these elements are whole numbers. */
    climb_alone("tensor-f64", c, tensor_f64, m,
                ladder_values<double>(left, 7),
                ladder_values<double>(above, 8), {.gpu_only = true});
    climb_alone("tensor-half", c, tensor_half, m, a, b, {});
    climb_halves(c, m, a, b);
}
