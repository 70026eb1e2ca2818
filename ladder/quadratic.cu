/* Topic quadratic: the mean of a z^2 + b z + c over random z, four ways
 *
 * This is the classic exercise for Monte Carlo. n normal random numbers z
 * are in memory. A simple formula is computed for each, and the result is
 * the mean. With a, b, c = 1, 2, 3, the expected value is a + c = 4. The
 * standard error of n values is sqrt((2 a^2 + b^2) / n). Reading determines
 * the time: each value takes 4 bytes and four operations.
 *
 * A text tried four ways for 1.28e9 values: per-block sums by atomics
 * (231.9 ms), one number for all (1735.3 ms), a fused library call (11.1
 * ms), and the CPU (2783 ms). The three ways on the GPU differ by a factor
 * of 150. The reason is which thread adds which values to which word.
 *
 * Values are computed in f32, and sums are kept in f64. A running sum in
 * f32 stops growing long before 1e9 values. Each rung states its order, and
 * its bits are those of a plain loop in that order. Atomics have no fixed
 * order, so the rungs with atomics use whole numbers z.
 */
#include "climb.h"

#include <math.h>

constexpr unsigned THREADS = 256, WARP = 32, BLOCKS = 1056;
constexpr unsigned EACH = 100;

struct coefficients {
    float a, b, c;
};
static __constant__ coefficients FORMULA; /* set when the program runs */

static __host__ __device__ float value_at(const coefficients &f, float z) {
    return fmaf(fmaf(f.a, z, f.b), z, f.c);
}

/* Rung one-atomic: every thread adds its value to one number
 *
 * The kernel has two lines. It is right if the GPU supports `atomicAdd` for
 * f64 (since sm_60) and the sum is cleared before each run. The program of
 * the text does not clear it. All n additions go to one word, one after
 * another. This is the slowest way, slower than a loop on a CPU.
 *
 * Order: the order is unspecified. The numbers z are whole here, and so is
 * every sum.
 */
static __global__ void add_to_one(size_t n, const float *z, double *sum) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, (double)value_at(FORMULA, z[i]));
}

static void one_atomic(size_t n, const float *z, double *sum) {
    CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof *sum));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    add_to_one<<<blocks, THREADS>>>(n, z, sum);
}

/* Rung block-atomics: a block adds in shared memory
 *
 * Each block uses atomics on its own word. The word is in shared memory,
 * which is faster, and it gets at most 256 additions instead of n. Each
 * block writes one partial sum to its own element of an array, so the array
 * need not be cleared. A second launch, of one block, adds the partial
 * sums.
 *
 * Order: the order in a block is unspecified, so the numbers z are whole.
 */
static __global__ void add_in_block(size_t n, const float *z,
                                    double *sums) {
    __shared__ double sum;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (i < n) atomicAdd(&sum, (double)value_at(FORMULA, z[i]));
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/* Adds `count` sums in one block. Thread t adds the sums t, t + 256, ...
 * Then the 256 results are added by halves. */
static __global__ void add_sums(size_t count, const double *sums,
                                double *sum) {
    __shared__ double tile[THREADS];
    const unsigned t = threadIdx.x;
    double s = 0;
    for (size_t i = t; i < count; i += THREADS) s += sums[i];
    tile[t] = s;
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) tile[t] += tile[t + half];
    }
    if (t == 0) *sum = tile[0];
}

static void block_atomics(size_t n, const float *z, double *sums,
                          double *sum) {
    const size_t blocks = blocks_for<size_t>(n, THREADS);
    add_in_block<<<(unsigned)blocks, THREADS>>>(n, z, sums);
    add_sums<<<1, THREADS>>>(blocks, sums, sum);
}

/* Returns the result of add_sums. */
static double order_of_sums(const std::vector<double> &sums) {
    double tile[THREADS] = {};
    for (size_t i = 0; i < sums.size(); i++) tile[i % THREADS] += sums[i];
    for (size_t half = THREADS / 2; half > 0; half /= 2)
        for (size_t t = 0; t < half; t++) tile[t] += tile[t + half];
    return tile[0];
}

/* Faulty rung wrong-slot: the per-block sums of the text
 *
 * The text describes one sum per block. But its code adds to
 * `sums[i + blockIdx.x]`, where i is the counter of the loop. So all blocks
 * share 10 999 elements instead of using one each, and an element gets up
 * to 128 000 additions. Nothing clears the array, so they are added to the
 * previous contents of the memory. The total was right only because new
 * memory happened to contain zeros.
 */
static __global__ void add_to_wrong_slot(size_t n, const float *z,
                                         double *sums) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    size_t i = 0;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < n;
         k += threads, i++)
        atomicAdd(&sums[i + blockIdx.x], (double)value_at(FORMULA, z[k]));
}

static void wrong_slot(size_t n, const float *z, double *sums,
                       double *sum) {
    const unsigned blocks = 8;
    const size_t count =
        blocks + blocks_for<size_t>(n, (size_t)blocks * THREADS);
    add_to_wrong_slot<<<blocks, THREADS>>>(n, z, sums);
    add_sums<<<1, THREADS>>>(count, sums, sum);
}

/* Rung hundred-each: a hundred values per thread
 *
 * This is the exercise as the course states it. Each thread adds 100 values
 * in a register and writes one number. The remaining values are added at
 * the end. There are no atomics, and there is only one sum per hundred
 * values. G threads take every G-th value, so adjacent threads read
 * adjacent values in each step.
 *
 * Order: thread g of G = ceil(n / 100) starts with 0 and adds z[g],
 * z[g + G], ... Then 256 threads each add every 256th of these sums. The
 * 256 results are added by halves, 128, 64, ..., 1 away.
 */
static __global__ void add_hundred(size_t n, size_t threads, const float *z,
                                   double *sums) {
    const size_t g = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= threads) return;
    double s = 0;
    for (size_t i = g; i < n; i += threads) s += value_at(FORMULA, z[i]);
    sums[g] = s;
}

static void hundred_each(size_t n, const float *z, double *sums,
                         double *sum) {
    const size_t threads = blocks_for<size_t>(n, EACH);
    const unsigned blocks = (unsigned)blocks_for<size_t>(threads, THREADS);
    add_hundred<<<blocks, THREADS>>>(n, threads, z, sums);
    add_sums<<<1, THREADS>>>(threads, sums, sum);
}

/* Returns the sums of `threads` threads. Thread g adds every value whose
 * number is g modulo `threads`. */
static std::vector<double> sums_of_threads(const coefficients &f,
                                           const std::vector<float> &z,
                                           size_t threads) {
    std::vector<double> sums(threads);
    for (size_t i = 0; i < z.size(); i++)
        sums[i % threads] += value_at(f, z[i]);
    return sums;
}

/* Rung fused: transform and reduce in one pass, by a
 * grid that fits the device
 *
 * Like `thrust::transform_reduce`, this kernel never writes the values. The
 * result of the formula goes directly into a register. The grid has 1056
 * blocks of 256 threads for every n. A warp reduces its lanes by shuffles,
 * and a block reduces its warps in shared memory. The second launch adds
 * the 1056 sums.
 *
 * Order: thread g of G = 1056 * 256 starts with 0 and adds z[g], z[g + G],
 * ... Lanes are combined 16, 8, 4, 2 and 1 away. The eight warps of the
 * block are combined 4, 2 and 1 away. The sums of the blocks are added as
 * in `hundred-each`.
 */
template <class SUM>
static __device__ SUM fold_lanes(SUM s, unsigned lanes) {
    for (unsigned d = lanes / 2; d > 0; d /= 2)
        s += __shfl_down_sync(0xffffffffu, s, d);
    return s;
}

template <class SUM>
static __global__ void transform_reduce(size_t n, const float *z,
                                        double *sums) {
    __shared__ SUM of_warps[THREADS / WARP];
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    SUM s = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads)
        s += value_at(FORMULA, z[i]);
    s = fold_lanes(s, WARP);
    if (lane == 0) of_warps[warp] = s;
    __syncthreads();
    if (warp > 0) return;
    s = fold_lanes(of_warps[lane % (THREADS / WARP)], THREADS / WARP);
    if (lane == 0) sums[blockIdx.x] = (double)s;
}

static void fused(size_t n, const float *z, double *sums, double *sum) {
    transform_reduce<double><<<BLOCKS, THREADS>>>(n, z, sums);
    add_sums<<<1, THREADS>>>((size_t)BLOCKS, sums, sum);
}

static double folded(double *v, size_t count) {
    for (size_t d = count / 2; d > 0; d /= 2)
        for (size_t i = 0; i < d; i++) v[i] += v[i + d];
    return v[0];
}

static double order_of_fused(const coefficients &f,
                             const std::vector<float> &z) {
    std::vector<double> v = sums_of_threads(f, z, (size_t)BLOCKS * THREADS);
    std::vector<double> sums(BLOCKS);
    for (size_t b = 0; b < BLOCKS; b++) {
        double of_warps[THREADS / WARP];
        for (size_t w = 0; w < THREADS / WARP; w++)
            of_warps[w] = folded(&v[b * THREADS + w * WARP], WARP);
        sums[b] = folded(of_warps, THREADS / WARP);
    }
    return order_of_sums(sums);
}

/* Faulty rung float-partials: a sum in f64 of partial sums in f32
 *
 * The library call of the text begins with 0.0, a double, but adds by
 * `plus<float>`. Every addition was rounded to f32. In f32, a total of 5e9
 * changes in steps of 512. The type of the start value is not the type of
 * the sum: Thrust uses the type of the operator. Here only the sums of
 * threads and blocks are f32, which is enough to show the error.
 */
static void float_partials(size_t n, const float *z, double *sums,
                           double *sum) {
    transform_reduce<float><<<BLOCKS, THREADS>>>(n, z, sums);
    add_sums<<<1, THREADS>>>((size_t)BLOCKS, sums, sum);
}

/* Rung on-the-host: the sum on the CPU, and a check of the mean
 *
 * The fourth way is a C program. It adds in pairs:
 * s(z) = s(first half) + s(second half). The error of this sum grows with
 * log n and not with n. The mean must be within four standard errors of
 * a + c.
 */
static double sum_in_pairs(const coefficients &f, const float *z,
                           size_t n) {
    if (n == 1) return value_at(f, z[0]);
    return sum_in_pairs(f, z, n / 2) +
           sum_in_pairs(f, z + n / 2, n - n / 2);
}

static std::string on_the_host(const coefficients &f,
                               const std::vector<float> &z) {
    const double mean =
        sum_in_pairs(f, z.data(), z.size()) / (double)z.size();
    const double expected = f.a + f.c;
    const double error =
        sqrt((2 * f.a * f.a + f.b * f.b) / (double)z.size());
    const double far = (mean - expected) / error;
    char text[200];
    snprintf(text, sizeof text,
             "the mean is %.6f; %g is expected, %+.2f standard errors of "
             "%.6f away",
             mean, expected, far, error);
    return fabs(far) <= 4 ? text : std::string("not near enough: ") + text;
}

/* Rung weft: weft_map_reduce, an operation of this library
 *
 * The coefficients of the formula are three scalars. `weft_map_reduce`
 * computes the formula in f32 and adds the values in f64, in the order of
 * the library's tree. It writes no array of values.
 *
 * A GPU interprets the formula at first, step by step. When 2^28 steps have
 * been requested, the library compiles the formula to a kernel, once. This
 * takes up to a second, thousands of times as long as the kernel itself. So
 * a formula that is used once for 2^25 values is slower than `fused`. The
 * rung is about the kernel: the program calls the operation eight times
 * before the first run. At the default n these are 2^29 steps, so no
 * interpreted call is timed.
 */
static weft_status weft_quadratic(weft_context *ctx,
                                  const weft_expr *formula,
                                  const coefficients &f, size_t n,
                                  const float *z, double *sum) {
    weft_binding names[4] = {};
    names[0].name = "z", names[0].dtype = WEFT_F32, names[0].array = z;
    names[1].name = "a", names[1].dtype = WEFT_F32, names[1].scalar = &f.a;
    names[2].name = "b", names[2].dtype = WEFT_F32, names[2].scalar = &f.b;
    names[3].name = "c", names[3].dtype = WEFT_F32, names[3].scalar = &f.c;
    return weft_map_reduce(ctx, WEFT_SUM, formula, WEFT_F32, WEFT_F64, n,
                           names, 4, sum);
}

/* Rung thrust: thrust::transform_reduce, with a sum in f64
 *
 * This is the third way of the text, corrected: the operator is
 * `plus<double>`. Thrust does not state its order, so the numbers z are
 * whole.
 */
#if !defined WEFT_EXECUTOR && __has_include(<thrust/transform_reduce.h>)
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform_reduce.h>

struct quadratic_of {
    coefficients f;
    __host__ __device__ double operator()(float z) const {
        return value_at(f, z);
    }
};

static void by_thrust(const coefficients &f, size_t n, const float *z,
                      double *sum) {
    const double total =
        thrust::transform_reduce(thrust::device, z, z + n, quadratic_of{f},
                                 0.0, thrust::plus<double>());
    CUDA_CHECK(
        cudaMemcpy(sum, &total, sizeof total, cudaMemcpyHostToDevice));
}
#else
static void by_thrust(const coefficients &, size_t, const float *,
                      double *) {
    throw ladder_absent("this build had no Thrust");
}
#endif

/* Exercises
 *
 * 1. At most how many additions go to the same word in `one-atomic`, in
 *    `block-atomics` and in `fused`?
 * 2. Clear the array in `wrong-slot`. Is the total right? Is there one sum
 *    per block?
 * 3. Let each thread of `hundred-each` add 100 adjacent values. How does
 *    the sum change? How does the time change?
 * 4. Run `float-partials` with 2^26 values. How many digits of the mean are
 *    right? How many are right if a single f32 adds all values?
 */

/* Climbing the rungs. */
void climb_quadratic(climb &c) {
    const size_t n = c.n;
    const coefficients f = {1, 2, 3};
    CUDA_CHECK(cudaMemcpyToSymbol(FORMULA, &f, sizeof f));
    std::vector<float> normals(n);
    c.specified(weft_random(c.ref(), WEFT_NORMAL, WEFT_F32, 1, 0, 0, n, 0,
                            1, normals.data()));
    const std::vector<float> whole = ladder_whole_values<float>(n, 2);
    double whole_total = 0;
    for (const float w : whole) whole_total += value_at(f, w);

    const float *const z = c.input(normals), *const w = c.input(whole);
    double *const sums = c.output<double>(n / EACH + BLOCKS + 32);
    double *const sum = c.output<double>(1);
    const auto is = [&](double expected) {
        return c.holds(sum, std::vector<double>{expected});
    };
    const ladder_claim exact = [&] { return is(whole_total); };
    const ladder_claim by_hundreds = [&] {
        return is(order_of_sums(
            sums_of_threads(f, normals, blocks_for<size_t>(n, EACH))));
    };
    const ladder_claim by_grid = [&] {
        return is(order_of_fused(f, normals));
    };
    c.work(4.0 * (double)n, 5.0 * (double)n);

    c.rung("one-atomic", exact, [=] { one_atomic(n, w, sum); });
    c.rung("block-atomics", exact, [=] { block_atomics(n, w, sums, sum); });
    c.faulty("wrong-slot", exact, [=] { wrong_slot(n, w, sums, sum); });
    c.rung("hundred-each", by_hundreds,
           [=] { hundred_each(n, z, sums, sum); });
    c.rung("fused", by_grid, [=] { fused(n, z, sums, sum); });
    c.faulty("float-partials", by_grid,
             [=] { float_partials(n, z, sums, sum); });
    c.lesson("on-the-host", [&] { return on_the_host(f, normals); });

    weft_expr *formula;
    c.specified(
        weft_expr_compile(c.ref(), "fma(fma(a, z, b), z, c)", &formula));
    const ladder_claim as_specified = [&] {
        double expected;
        c.specified(weft_quadratic(c.ref(), formula, f, n, normals.data(),
                                   &expected));
        return is(expected);
    };
    c.weft("weft", as_specified, [=](weft_context *ctx) {
        return weft_quadratic(ctx, formula, f, n, z, sum);
    });
    weft_expr_free(formula);
    c.rung("thrust", exact, [=] { by_thrust(f, n, w, sum); },
           {.gpu_only = true});
}
