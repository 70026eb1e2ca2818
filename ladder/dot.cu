/* Topic dot: the dot product of two arrays
 *
 * The sum of the products a[i] * b[i]: a reduction that reads two arrays, 8 bytes per element of f32, and multiplies
 * on the way. Work 2 n operations, steps log2(n), traffic 2 n elements. Reading speed is the ceiling, as for a sum.
 * Two kernels, one that multiplies and one that adds, would move twice as much.
 *
 * New in this topic is the rounding of the product. fma(a, b, s) computes a * b + s and rounds once; a * b, then + s,
 * rounds twice. Compilers may replace one by the other, each by its own rules, and then CPU and GPU differ in the
 * last bits. Each rung states which one it uses, and is compared with a plain loop that uses the same.
 */
#include "climb.h"

#include <math.h>
#include <type_traits>
#if !defined WEFT_EXECUTOR && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define HAVE_CUBLAS
#endif

namespace {

constexpr unsigned WARP = 32, THREADS = 256, BLOCKS = 1024, MOST_THREADS = 1024;
#define WHOLE_WARP 0xffffffffu

/* Rung one-thread: one thread multiplies and adds
 *
 * Order: from 0, the product of each pair is rounded and then added, in turn.
 */
template <class T> __global__ void dot_by_one_thread(size_t n, const T *a, const T *b, T *dot) {
    T s = 0;
    for (size_t i = 0; i < n; i++) {
        const T product = a[i] * b[i];
        s += product;
    }
    *dot = s;
}

template <class T> static T order_of_one_thread(const std::vector<T> &a, const std::vector<T> &b) {
    T s = 0;
    for (size_t i = 0; i < a.size(); i++) {
        const T product = a[i] * b[i];
        s += product;
    }
    return s;
}

/* Rung two-blocks: the classic program, 2 blocks of 512, the last additions on the host
 *
 * Each thread traverses the array in steps of 1024, the size of the whole grid, and adds its products. A tree in
 * shared memory adds the sums of the 512 threads, and the host adds those of the two blocks. The classic text calls
 * log2(n) its complexity. That is the number of steps; the work is still n. The program has n and the size of a block
 * as macros, checks no call, and needs a block size that is a power of two (see block-of-96).
 *
 * Order: thread g of 1024 adds the products g, g + 1024, ... to 0; in a block thread t adds t + 256, then 128, ...;
 * then block 0 + block 1.
 */
constexpr unsigned CLASSIC_BLOCKS = 2, CLASSIC_THREADS = 512;

template <class T> __global__ void dot_by_tree(size_t n, const T *a, const T *b, T *sums) {
    __shared__ T cache[MOST_THREADS];
    const unsigned t = threadIdx.x;
    T s = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i < n; i += (size_t)gridDim.x * blockDim.x) {
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

template <class T> static void two_blocks(size_t n, const T *a, const T *b, T *sums, T *dot) {
    dot_by_tree<<<CLASSIC_BLOCKS, CLASSIC_THREADS>>>(n, a, b, sums);
    T of_block[CLASSIC_BLOCKS];
    CUDA_CHECK(cudaMemcpy(of_block, sums, sizeof of_block, cudaMemcpyDeviceToHost));
    const T total = of_block[0] + of_block[1];
    CUDA_CHECK(cudaMemcpy(dot, &total, sizeof total, cudaMemcpyHostToDevice));
}

template <class T> static T order_of_two_blocks(const std::vector<T> &a, const std::vector<T> &b) {
    const size_t threads = CLASSIC_BLOCKS * CLASSIC_THREADS;
    std::vector<T> v(threads);
    for (size_t i = 0; i < a.size(); i++) {
        const T product = a[i] * b[i];
        v[i % threads] += product;
    }
    for (T *block = &v[0]; block < &v[0] + threads; block += CLASSIC_THREADS)
        for (unsigned half = CLASSIC_THREADS / 2; half > 0; half /= 2)
            for (unsigned t = 0; t < half; t++) block[t] += block[t + half];
    return v[0] + v[CLASSIC_THREADS];
}

/* Rung closed-form: the classic check, 0 * 2 + 1 * 2 + ... = N (N - 1)
 *
 * The classic data are a[i] = i and b[i] = 2, whose dot product is N (N - 1): 1047552 for N = 1024. The program
 * compares with ==, in float. That is right as long as every partial sum is a whole number of at most 2^24, which
 * holds up to N = 4096 (16773120). At N = 8192 the plain loop gives 67098272 and the true value is 67100672. In this
 * case the check is wrong, not the kernel.
 */
static std::string closed_form(climb &c) {
    std::string said;
    for (const size_t n : {(size_t)1024, (size_t)4096, (size_t)8192}) {
        std::vector<float> a(n), b(n, 2);
        for (size_t i = 0; i < n; i++) a[i] = (float)i;
        const float *const x = c.input(a), *const y = c.input(b);
        float *const sums = c.output<float>(CLASSIC_BLOCKS), *const dot = c.output<float>(1);
        two_blocks(n, x, y, sums, dot);
        float got;
        c.fetch(&got, dot, sizeof got);
        const float loop = order_of_one_thread(a, b), exact = (float)(n * (n - 1));
        if (n <= 4096 && (got != exact || loop != exact)) return "not N (N - 1) for N = " + std::to_string(n);
        said += (said.empty() ? "N = " : "; N = ") + std::to_string(n) + ": kernel " + std::to_string((long)got) +
                ", loop " + std::to_string((long)loop) + ", N (N - 1) " + std::to_string(n * (n - 1));
    }
    return said;
}

/* Faulty rung block-of-96: the classic tree in a block that is no power of two
 *
 * 96, 48, 24, 12, 6, 3: at 3 the half is 1, and the sum of thread 2 is never added. The same happens at every odd
 * number on the way. The block size was a macro, so a change of it silently changed the result.
 */
template <class T> static void block_of_96(size_t n, const T *a, const T *b, T *dot) {
    dot_by_tree<<<1, 96>>>(n, a, b, dot);
}

/* Rung fused: one rounding in place of two
 *
 * fma(a, b, s) is one instruction, faster and more accurate than two. weft is compiled with contraction off. So an
 * fma is computed exactly where it is written, on both machines.
 *
 * Order: thread g of G = 1024 * 256 computes s = fma(a[i], b[i], s) for i = g, g + G, ... from 0; each warp adds
 * lanes 16 apart, then 8, 4, 2, 1; the sums of the warps by the same rule; then 1024 threads of one block do the same
 * with the sums of the blocks.
 */
template <class T> __device__ T sum_of_warp(T v) {
    for (unsigned d = WARP / 2; d > 0; d /= 2) v += __shfl_down_sync(WHOLE_WARP, v, d);
    return v;
}

template <class T> __device__ T sum_of_block(T v) {
    __shared__ T sums[WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    v = sum_of_warp(v);
    if (lane == 0) sums[warp] = v;
    __syncthreads();
    if (warp == 0) v = sum_of_warp(lane < warps ? sums[lane] : (T)0);
    return v;
}

template <class T> __global__ void dot_fused(size_t n, const T *a, const T *b, T *sums) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    T s = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) s = fma(a[i], b[i], s);
    s = sum_of_block(s);
    if (threadIdx.x == 0) sums[blockIdx.x] = s;
}

template <class T> __global__ void add_sums(const T *sums, T *dot) {
    const T s = sum_of_block(sums[threadIdx.x]);
    if (threadIdx.x == 0) *dot = s;
}

template <class T> static void fused(size_t n, const T *a, const T *b, T *sums, T *dot) {
    dot_fused<<<BLOCKS, THREADS>>>(n, a, b, sums);
    add_sums<<<1, BLOCKS>>>(sums, dot);
}

/* Adds values, one per thread, in the order of a warp; then the sums of the warps. */
template <class T> static T order_of_block(std::vector<T> v) {
    std::vector<T> sums(WARP);
    for (size_t warp = 0; warp < v.size() / WARP; warp++) {
        for (unsigned d = WARP / 2; d > 0; d /= 2)
            for (unsigned i = 0; i < d; i++) v[warp * WARP + i] += v[warp * WARP + i + d];
        sums[warp] = v[warp * WARP];
    }
    for (unsigned d = WARP / 2; d > 0; d /= 2)
        for (unsigned i = 0; i < d; i++) sums[i] += sums[i + d];
    return sums[0];
}

template <class T> static T order_of_fused(const std::vector<T> &a, const std::vector<T> &b) {
    std::vector<T> v((size_t)BLOCKS * THREADS), sums;
    for (size_t i = 0; i < a.size(); i++) v[i % v.size()] = fma(a[i], b[i], v[i % v.size()]);
    for (auto block = v.begin(); block != v.end(); block += THREADS)
        sums.push_back(order_of_block(std::vector<T>(block, block + THREADS)));
    return order_of_block(sums);
}

/* Rung weft: weft_dot, the library's own
 *
 * The order of weft's sums, with fma(a, b, s) down the rows (ORDER.md). The result is compared with the
 * specification.
 */
static weft_status weft_product(weft_context *ctx, weft_dtype dtype, size_t n, const void *a, const void *b,
                                void *dot) {
    return weft_dot(ctx, dtype, WEFT_DEFAULT, n, a, b, dot);
}

/* Rung cublas: cublasSdot and cublasDdot, NVIDIA's own
 *
 * Loaded from the toolkit's library, if it is installed. Its order is not stated, so the elements are whole numbers.
 */
#ifdef HAVE_CUBLAS
template <class T> static void cublas_dot(size_t n, const T *a, const T *b, T *dot) {
    typedef cublasStatus_t (*create_call)(cublasHandle_t *);
    typedef cublasStatus_t (*mode_call)(cublasHandle_t, cublasPointerMode_t);
    typedef cublasStatus_t (*dot_call)(cublasHandle_t, int64_t, const T *, int64_t, const T *, int64_t, T *);
    static const ladder_library cublas("libcublas.so");
    static cublasHandle_t handle;
    if (!handle) {
        cublas.call<create_call>("cublasCreate_v2")(&handle);
        cublas.call<mode_call>("cublasSetPointerMode_v2")(handle, CUBLAS_POINTER_MODE_DEVICE);
    }
    const char *const name = sizeof(T) == sizeof(float) ? "cublasSdot_v2_64" : "cublasDdot_v2_64";
    if (cublas.call<dot_call>(name)(handle, (int64_t)n, a, 1, b, 1, dot) != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error("cuBLAS failed");
}
#else
template <class T> static void cublas_dot(size_t, const T *, const T *, T *) {
    throw ladder_absent("this build had no cublas_v2.h");
}
#endif

/* Exercises
 *
 * 1. Compute fma(x, x, -(x * x)) for several x in C. What is it, and why is it not 0?
 * 2. Compile order_of_one_thread with gcc -O2 -march=native, with and without -ffp-contract=off. Do the bits differ?
 * 3. two-blocks copies its sums to the host, and waits. How long does that take on a GPU for n = 1024, and how long
 *    the kernel? From which n on does it not matter?
 */

/* Climbing the rungs. */
template <class T> static void climb_as(climb &c) {
    const size_t n = c.n;
    const std::vector<T> x = ladder_values<T>(n, 1), y = ladder_values<T>(n, 2);
    const std::vector<T> whole = ladder_whole_values<T>(n, 3), ones(n, (T)1);
    const T *const a = c.input(x), *const b = c.input(y), *const w = c.input(whole), *const one = c.input(ones);
    T *const sums = c.output<T>(BLOCKS), *const dot = c.output<T>(1);
    c.work(2.0 * (double)(n * sizeof(T)), 2.0 * (double)n);

    const auto is = [&](T expected) { return c.holds(dot, std::vector<T>{expected}); };
    const ladder_claim in_turn = [&] { return is(order_of_one_thread(x, y)); };
    const ladder_claim by_tree = [&] { return is(order_of_two_blocks(x, y)); };
    const ladder_claim by_fma = [&] { return is(order_of_fused(x, y)); };
    const ladder_claim whole_sum = [&] { return is(order_of_one_thread(whole, ones)); };
    c.rung("one-thread", in_turn, [=] { dot_by_one_thread<<<1, 1>>>(n, a, b, dot); }, {.most = (size_t)1 << 20});
    c.rung("two-blocks", by_tree, [=] { two_blocks(n, a, b, sums, dot); });
    c.lesson("closed-form", [&] { return closed_form(c); });
    c.faulty("block-of-96", whole_sum, [=] { block_of_96(n, w, one, dot); }, {.least = 3});
    c.rung("fused", by_fma, [=] { fused(n, a, b, sums, dot); });
    const ladder_claim as_specified = [&] {
        T expected;
        c.specified(weft_product(c.ref(), c.dtype, n, x.data(), y.data(), &expected));
        return is(expected);
    };
    c.weft("weft", as_specified, [=, &c](weft_context *ctx) { return weft_product(ctx, c.dtype, n, a, b, dot); });
    c.rung("cublas", whole_sum, [=] { cublas_dot(n, w, one, dot); }, {.gpu_only = true});
}

} // namespace

void climb_dot(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
