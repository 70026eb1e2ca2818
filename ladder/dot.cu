/* Topic dot: the dot product of two arrays
 *
 * The dot product is the sum of the products a[i] * b[i]. It is a reduction
 * that reads two arrays and multiplies each pair before the addition. The
 * work is 2 n operations in log2(n) steps. The traffic is 2 n elements,
 * which is 8 bytes per pair of f32. As for a sum, the limit is the read
 * bandwidth. A kernel that multiplies and a second kernel that adds would
 * move twice as much.
 *
 * The new subject of this topic is the rounding of the product. fma(a, b,
 * s) computes a * b + s and rounds once. The expression a * b, followed
 * by + s, rounds twice. A compiler may replace one by the other, and each
 * compiler has its own rules. Then the results of CPU and GPU differ in the
 * last bits. Each rung states which of the two it uses. Its result is
 * compared with a plain loop that uses the same one.
 */
#include "climb.h"

#include <math.h>
#include <type_traits>
#if !defined WEFT_EXECUTOR && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define HAVE_CUBLAS
#endif

namespace {

constexpr unsigned WARP = 32, THREADS = 256, BLOCKS = 1024;
constexpr unsigned MOST_THREADS = 1024;
#define WHOLE_WARP 0xffffffffu

/* Rung one-thread: one thread multiplies and adds
 *
 * Order: the loop starts with 0. For each pair in turn, it rounds the
 * product and then adds it.
 */
template <class T>
__global__ void dot_by_one_thread(size_t n, const T *a, const T *b,
                                  T *dot) {
    T s = 0;
    for (size_t i = 0; i < n; i++) {
        const T product = a[i] * b[i];
        s += product;
    }
    *dot = s;
}

template <class T>
static T order_of_one_thread(const std::vector<T> &a,
                             const std::vector<T> &b) {
    T s = 0;
    for (size_t i = 0; i < a.size(); i++) {
        const T product = a[i] * b[i];
        s += product;
    }
    return s;
}

/* Rung two-blocks: the classic program: 2 blocks of 512, the last additions
 * on the host
 *
 * The grid has 1024 threads. Each thread traverses the array in steps of
 * 1024 and adds its products. A tree in shared memory adds the sums of the
 * 512 threads of a block. The host adds the sums of the two blocks.
 *
 * The classic text says that the complexity is log2(n). That is the number
 * of steps. The work is still n. In the program, n and the block size are
 * macros. The program checks no call, and its block size must be a power of
 * two (see `block-of-96`).
 *
 * Order: thread g of 1024 starts with 0 and adds the products g, g + 1024,
 * ... In a block, thread t adds the sum of thread t + 256, then of t + 128,
 * and so on. The last addition is block 0 + block 1.
 */
constexpr unsigned CLASSIC_BLOCKS = 2, CLASSIC_THREADS = 512;

template <class T>
__global__ void dot_by_tree(size_t n, const T *a, const T *b, T *sums) {
    __shared__ T cache[MOST_THREADS];
    const unsigned t = threadIdx.x;
    T s = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        const T product = a[i] * b[i];
        s += product;
    }
    cache[t] = s;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) cache[t] += cache[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = cache[0];
}

template <class T>
static void two_blocks(size_t n, const T *a, const T *b, T *sums, T *dot) {
    dot_by_tree<<<CLASSIC_BLOCKS, CLASSIC_THREADS>>>(n, a, b, sums);
    T of_block[CLASSIC_BLOCKS];
    CUDA_CHECK(cudaMemcpy(of_block, sums, sizeof of_block,
                          cudaMemcpyDeviceToHost));
    const T total = of_block[0] + of_block[1];
    CUDA_CHECK(
        cudaMemcpy(dot, &total, sizeof total, cudaMemcpyHostToDevice));
}

template <class T>
static T order_of_two_blocks(const std::vector<T> &a,
                             const std::vector<T> &b) {
    const size_t threads = CLASSIC_BLOCKS * CLASSIC_THREADS;
    std::vector<T> v(threads);
    for (size_t i = 0; i < a.size(); i++) {
        const T product = a[i] * b[i];
        v[i % threads] += product;
    }
    for (T *block = &v[0]; block < &v[0] + threads;
         block += CLASSIC_THREADS)
        for (unsigned half = CLASSIC_THREADS / 2; half > 0; half /= 2)
            for (unsigned t = 0; t < half; t++) block[t] += block[t + half];
    return v[0] + v[CLASSIC_THREADS];
}

/* Rung closed-form: the classic check, 0 * 2 + 1 * 2 + ... = N (N - 1)
 *
 * The classic data are a[i] = i and b[i] = 2. Their dot product is
 * N (N - 1), which is 1047552 for N = 1024. The program compares floats
 * with ==. This is right as long as every partial sum is a whole number of
 * at most 2^24. The condition is true up to N = 4096 (16773120). At
 * N = 8192 the plain loop gives 67098272, and the true value is 67100672.
 * In this case the check is wrong, and the kernel is right.
 */
static std::string closed_form(climb &c) {
    std::string said;
    for (const size_t n : {(size_t)1024, (size_t)4096, (size_t)8192}) {
        std::vector<float> a(n), b(n, 2);
        for (size_t i = 0; i < n; i++) a[i] = (float)i;
        const float *const x = c.input(a), *const y = c.input(b);
        float *const sums = c.output<float>(CLASSIC_BLOCKS);
        float *const dot = c.output<float>(1);
        two_blocks(n, x, y, sums, dot);
        float got;
        c.fetch(&got, dot, sizeof got);
        const float loop = order_of_one_thread(a, b);
        const float exact = (float)(n * (n - 1));
        if (n <= 4096 && (got != exact || loop != exact))
            return "not N (N - 1) for N = " + std::to_string(n);
        said += (said.empty() ? "N = " : "; N = ") + std::to_string(n) +
                ": kernel " + std::to_string((long)got) + ", loop " +
                std::to_string((long)loop) + ", N (N - 1) " +
                std::to_string(n * (n - 1));
    }
    return said;
}

/* Faulty rung block-of-96: the classic tree in a block whose size is not a
 * power of two
 *
 * The steps have 96, 48, 24, 12, 6 and 3 values. At 3 the half is 1, so the
 * sum of thread 2 is never added. The same error occurs whenever the number
 * is odd. The block size was a macro, so a change of the macro changed the
 * result without a message.
 */
template <class T>
static void block_of_96(size_t n, const T *a, const T *b, T *dot) {
    dot_by_tree<<<1, 96>>>(n, a, b, dot);
}

/* Rung fused: one rounding instead of two
 *
 * fma(a, b, s) is one instruction. It is faster and more accurate than a
 * multiplication and an addition. weft is compiled with contraction off. So
 * the CPU and the GPU compute an fma exactly where the source contains one.
 *
 * Order: thread g of G = 1024 * 256 starts with 0 and computes
 * s = fma(a[i], b[i], s) for i = g, g + G, ... Each warp adds lanes 16
 * apart, then 8, 4, 2 and 1 apart. The sums of the warps are added by the
 * same rule. Then 1024 threads of one block add the sums of the blocks by
 * the same rule.
 */
template <class T> __device__ T sum_of_warp(T v) {
    for (unsigned d = WARP / 2; d > 0; d /= 2)
        v += __shfl_down_sync(WHOLE_WARP, v, d);
    return v;
}

template <class T> __device__ T sum_of_block(T v) {
    __shared__ T sums[WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned warps = blockDim.x / WARP;
    v = sum_of_warp(v);
    if (lane == 0) sums[warp] = v;
    __syncthreads();
    if (warp == 0) v = sum_of_warp(lane < warps ? sums[lane] : (T)0);
    return v;
}

template <class T>
__global__ void dot_fused(size_t n, const T *a, const T *b, T *sums) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    T s = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads)
        s = fma(a[i], b[i], s);
    s = sum_of_block(s);
    if (threadIdx.x == 0) sums[blockIdx.x] = s;
}

template <class T> __global__ void add_sums(const T *sums, T *dot) {
    const T s = sum_of_block(sums[threadIdx.x]);
    if (threadIdx.x == 0) *dot = s;
}

template <class T>
static void fused(size_t n, const T *a, const T *b, T *sums, T *dot) {
    dot_fused<<<BLOCKS, THREADS>>>(n, a, b, sums);
    add_sums<<<1, BLOCKS>>>(sums, dot);
}

/* Returns the sum of v, one value per thread: first in each warp, then over
 * the sums of the warps. */
template <class T> static T order_of_block(std::vector<T> v) {
    std::vector<T> sums(WARP);
    for (size_t warp = 0; warp < v.size() / WARP; warp++) {
        for (unsigned d = WARP / 2; d > 0; d /= 2)
            for (unsigned i = 0; i < d; i++)
                v[warp * WARP + i] += v[warp * WARP + i + d];
        sums[warp] = v[warp * WARP];
    }
    for (unsigned d = WARP / 2; d > 0; d /= 2)
        for (unsigned i = 0; i < d; i++) sums[i] += sums[i + d];
    return sums[0];
}

template <class T>
static T order_of_fused(const std::vector<T> &a, const std::vector<T> &b) {
    std::vector<T> v((size_t)BLOCKS * THREADS), sums;
    for (size_t i = 0; i < a.size(); i++)
        v[i % v.size()] = fma(a[i], b[i], v[i % v.size()]);
    for (auto at = v.begin(); at != v.end(); at += THREADS)
        sums.push_back(order_of_block(std::vector<T>(at, at + THREADS)));
    return order_of_block(sums);
}

/* Rung weft: weft_dot, an operation of this library
 *
 * The order is that of weft's sums. Each row is added by fma(a, b, s)
 * (ORDER.md). The result is compared with the specification.
 */
static weft_status weft_product(weft_context *ctx, weft_dtype dtype,
                                size_t n, const void *a, const void *b,
                                void *dot) {
    return weft_dot(ctx, dtype, WEFT_DEFAULT, n, a, b, dot);
}

/* Rung cublas: cublasSdot and cublasDdot, from NVIDIA's library cuBLAS
 *
 * The program loads the library from the CUDA toolkit, if it is installed.
 * cuBLAS does not state the order of the additions, so the elements are
 * whole numbers.
 */
#ifdef HAVE_CUBLAS
template <class T>
static void cublas_dot(size_t n, const T *a, const T *b, T *dot) {
    typedef cublasStatus_t (*create_call)(cublasHandle_t *);
    typedef cublasStatus_t (*mode_call)(cublasHandle_t,
                                        cublasPointerMode_t);
    typedef cublasStatus_t (*dot_call)(cublasHandle_t, int64_t, const T *,
                                       int64_t, const T *, int64_t, T *);
    static const ladder_library cublas("libcublas.so");
    static cublasHandle_t handle;
    if (!handle) {
        cublas.call<create_call>("cublasCreate_v2")(&handle);
        cublas.call<mode_call>("cublasSetPointerMode_v2")(
            handle, CUBLAS_POINTER_MODE_DEVICE);
    }
    const char *const name = sizeof(T) == sizeof(float)
                                 ? "cublasSdot_v2_64"
                                 : "cublasDdot_v2_64";
    if (cublas.call<dot_call>(name)(handle, (int64_t)n, a, 1, b, 1, dot) !=
        CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error("cuBLAS failed");
}
#else
template <class T>
static void cublas_dot(size_t, const T *, const T *, T *) {
    throw ladder_absent("this build had no cublas_v2.h");
}
#endif

/* Exercises
 *
 * 1. Compute fma(x, x, -(x * x)) for several x in C. What does the result
 *    mean, and why is it not 0?
 * 2. Compile `order_of_one_thread` with `gcc -O2 -march=native`, with and
 *    without `-ffp-contract=off`. Do the bits differ?
 * 3. `two-blocks` copies its sums to the host and waits. On a GPU, how long
 *    does the copy take for n = 1024, and how long the kernel? From which n
 *    on does the copy not matter?
 */

/* Climbing the rungs. */
template <class T> static void climb_as(climb &c) {
    const size_t n = c.n;
    const std::vector<T> x = ladder_values<T>(n, 1);
    const std::vector<T> y = ladder_values<T>(n, 2);
    const std::vector<T> whole = ladder_whole_values<T>(n, 3);
    const std::vector<T> ones(n, (T)1);
    const T *const a = c.input(x), *const b = c.input(y);
    const T *const w = c.input(whole), *const one = c.input(ones);
    T *const sums = c.output<T>(BLOCKS), *const dot = c.output<T>(1);
    c.work(2.0 * (double)(n * sizeof(T)), 2.0 * (double)n);

    const auto is = [&](T expected) {
        return c.holds(dot, std::vector<T>{expected});
    };
    const ladder_claim in_turn = [&] {
        return is(order_of_one_thread(x, y));
    };
    const ladder_claim by_tree = [&] {
        return is(order_of_two_blocks(x, y));
    };
    const ladder_claim by_fma = [&] { return is(order_of_fused(x, y)); };
    const ladder_claim whole_sum = [&] {
        return is(order_of_one_thread(whole, ones));
    };
    c.rung("one-thread", in_turn,
           [=] { dot_by_one_thread<<<1, 1>>>(n, a, b, dot); },
           {.most = (size_t)1 << 20});
    c.rung("two-blocks", by_tree, [=] { two_blocks(n, a, b, sums, dot); });
    c.lesson("closed-form", [&] { return closed_form(c); });
    c.faulty("block-of-96", whole_sum, [=] { block_of_96(n, w, one, dot); },
             {.least = 3});
    c.rung("fused", by_fma, [=] { fused(n, a, b, sums, dot); });
    const ladder_claim as_specified = [&] {
        T expected;
        c.specified(weft_product(c.ref(), c.dtype, n, x.data(), y.data(),
                                 &expected));
        return is(expected);
    };
    c.weft("weft", as_specified, [=, &c](weft_context *ctx) {
        return weft_product(ctx, c.dtype, n, a, b, dot);
    });
    c.rung("cublas", whole_sum, [=] { cublas_dot(n, w, one, dot); },
           {.gpu_only = true});
}

} // namespace

void climb_dot(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
