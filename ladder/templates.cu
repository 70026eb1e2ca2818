/* Topic templates: one kernel for many types and sizes
 *
 * A kernel for float is soon needed for double and int, and a kernel for 2
 * values is needed for 3. If a program contains copies of a kernel, a
 * correction of one copy is easily forgotten in the others. A template is
 * one source, from which the compiler generates all needed kernels. A type
 * as an argument makes the source shorter. A number as an argument makes
 * the kernel faster: the compiler unrolls loops whose bounds are constants.
 * If all indices of an array are constants, the compiler keeps the array in
 * registers and needs no memory.
 *
 * In each rung, each element takes the same short sequence of operations,
 * so all rungs give the same bits.
 */
#include "climb.h"

#include <math.h>
#include <type_traits>

constexpr unsigned THREADS = 256;

/* Rung one-source: y = a x + y for any type
 *
 * `template <class T>` precedes the kernel. At a launch, the compiler
 * deduces T from the arguments and generates a kernel for it. Run the rung
 * with `--dtype f64`, `f32` and `i32`: f64 takes twice the bytes of f32 and
 * twice the time.
 *
 * Use T for every value that depends on the type. A constant like 0.1 is a
 * double in every kernel. (T)0.1 has the intended type.
 */
template <class T>
__global__ void scale_and_add(size_t n, T a, const T *x, const T *y,
                              T *sum) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a * x[i] + y[i];
}

static unsigned blocks_of(size_t n) {
    return (unsigned)blocks_for<size_t>(n, THREADS);
}

template <class T>
static void one_source(size_t n, const T *x, const T *y, T *sum) {
    scale_and_add<<<blocks_of(n), THREADS>>>(n, (T)3, x, y, sum);
}

/* Faulty rung sizeof-int: the type of the kernel changed, the size in the
 * copy did not
 *
 * The classic program copies `nsize * sizeof(int)` bytes, whatever T is.
 * For float the result is right by chance, because the two sizes are equal.
 * For double the second half of the array is never copied. `sizeof(T)`
 * avoids this error. A function that takes a `T *` and a number of elements
 * also avoids it.
 */
template <class T>
static void sizeof_int(size_t n, const T *x, const T *y, T *copy, T *sum) {
    CUDA_CHECK(cudaMemcpyAsync(copy, x, n * sizeof(int),
                               cudaMemcpyDeviceToDevice));
    scale_and_add<<<blocks_of(n), THREADS>>>(n, (T)3, (const T *)copy, y,
                                             sum);
}

/* Rung eight-bytes: the same source for whole numbers of 64 bits
 *
 * For another type, only the launch must be written.
 */
static void eight_bytes(size_t n, const long long *x, const long long *y,
                        long long *sum) {
    scale_and_add<<<blocks_of(n), THREADS>>>(n, (long long)3, x, y, sum);
}

/* Rung half: the same source for floats of 16 bits
 *
 * The header `cuda_fp16.h` defines the operators of `__half` that the
 * kernel uses. `__half` has half the bytes of f32 and takes half the time.
 * It has eleven bits of precision and a maximum of 65504. Here x and y are
 * small whole numbers, so the result is exact.
 */
#ifndef WEFT_EXECUTOR
#include <cuda_fp16.h>

static void half_numbers(size_t n, const uint16_t *x, const uint16_t *y,
                         uint16_t *sum) {
    scale_and_add<<<blocks_of(n), THREADS>>>(
        n, __float2half(3), (const __half *)x, (const __half *)y,
        (__half *)sum);
}

static uint16_t half_of(float v) {
    const __half h = __float2half(v);
    uint16_t bits;
    memcpy(&bits, &h, sizeof bits);
    return bits;
}
#else
static void half_numbers(size_t, const uint16_t *, const uint16_t *,
                         uint16_t *) {}
static uint16_t half_of(float) { return 0; }
#endif

/* Rung size-at-run-time: an array of `size` values, known only at run time
 *
 * Each thread fills its own array with powers g^0, g^1, ... of g = e^t.
 * Then it adds the products of all pairs. Registers have no addresses. If
 * an index is known only at run time, the compiler stores the array in
 * "local" memory. Local memory is part of the device memory, and every
 * access is a load or a store.
 *
 * With a capacity of 64 values, the array takes 256 bytes per thread. With
 * a capacity of 8, nvcc 13 generates code for all possible sizes and needs
 * no local memory.
 */
constexpr int TRIED = 3, MOST = 8, CAPACITY = 64;

/* Computes e^t, by t multiplications. */
static __host__ __device__ float power_of_e(unsigned t) {
    float g = 1;
    for (unsigned i = 0; i < t; i++) g *= 2.71828183f;
    return g;
}

static __global__ void square_of_size(size_t n, int size, float *squares) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x[CAPACITY], s = 0;
    const float g = power_of_e((unsigned)(i % 16));
    x[0] = 1;
    for (int k = 1; k < size; k++) x[k] = x[k - 1] * g;
    for (int j = 0; j < size; j++)
        for (int k = 0; k < size; k++) s += x[j] * x[k];
    squares[i] = s;
}

static void size_at_run_time(size_t n, int size, float *squares) {
    square_of_size<<<blocks_of(n), THREADS>>>(n, size, squares);
}

/* Rung size-template: the same with the size as a template argument
 *
 * The kernel begins with `template <int SIZE>`. The bound of every loop is
 * a constant, so the compiler unrolls the loop. Every index is a constant,
 * and the array is SIZE registers. `nvcc -Xptxas -v` prints the number of
 * registers of a kernel. It also prints that its stack frame, which would
 * contain an array in local memory, has 0 bytes.
 *
 * The argument must be known at compile time, but the size of a user is
 * known only at run time. So a table contains a kernel for each supported
 * size, and the program selects one.
 */
template <int SIZE> __global__ void square(size_t n, float *squares) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x[SIZE], s = 0;
    const float g = power_of_e((unsigned)(i % 16));
    x[0] = 1;
#pragma unroll
    for (int k = 1; k < SIZE; k++) x[k] = x[k - 1] * g;
#pragma unroll
    for (int j = 0; j < SIZE; j++)
#pragma unroll
        for (int k = 0; k < SIZE; k++) s += x[j] * x[k];
    squares[i] = s;
}

template <int SIZE> static void square_launch(size_t n, float *squares) {
    square<SIZE><<<blocks_of(n), THREADS>>>(n, squares);
}

static void size_template(size_t n, int size, float *squares) {
    static void (*const of_size[MOST])(size_t, float *) = {
        square_launch<1>, square_launch<2>, square_launch<3>,
        square_launch<4>, square_launch<5>, square_launch<6>,
        square_launch<7>, square_launch<8>,
    };
    of_size[size - 1](n, squares);
}

static std::vector<float> order_of_squares(size_t n, int size) {
    std::vector<float> squares(n);
    for (size_t i = 0; i < n && i < 16; i++) {
        std::vector<float> x(1, 1.0f);
        while (x.size() < (size_t)size)
            x.push_back(x.back() * power_of_e((unsigned)i));
        for (const float a : x)
            for (const float b : x) squares[i] += a * b;
    }
    for (size_t i = 16; i < n; i++) squares[i] = squares[i - 16];
    return squares;
}

/* Rung known-squares: the values that the course prints
 *
 * The sum over all pairs is the square of the sum, (1 + g + g^2 + ...)^2.
 * The course prints six digits. For two values it prints 4, 13.82562,
 * 70.376262, ..., and 1.0686481e13 for thread 15. For three values it
 * prints 9, 123.37296, 3967.3881, ..., and 1.1420081e26. The course
 * computed them with the fast exponential function, so they are accurate
 * only to 1e-5.
 */
struct printed_square {
    int size;
    unsigned thread;
    double value;
};
static const printed_square PRINTED[] = {
    {2, 0, 4}, {2, 1, 13.82562},  {2, 2, 70.376262}, {2, 15, 1.0686481e13},
    {3, 0, 9}, {3, 1, 123.37296}, {3, 2, 3967.3881}, {3, 15, 1.1420081e26}};

static std::string known_squares(float *squares) {
    double worst = 0;
    for (const printed_square &p : PRINTED) {
        std::vector<float> got(16);
        size_template(got.size(), p.size, squares);
        CUDA_CHECK(cudaMemcpy(got.data(), squares,
                              got.size() * sizeof(float),
                              cudaMemcpyDeviceToHost));
        worst = fmax(worst, fabs(got[p.thread] - p.value) / p.value);
    }
    char text[100];
    snprintf(text, sizeof text, "maximum error of the printed values: %.1e",
             worst);
    return worst < 1e-5 ? text
                        : std::string("not the printed values: ") + text;
}

/* Rung local-memory: the locations of the two arrays
 *
 * `cudaFuncGetAttributes` returns the values that nvcc prints: the number
 * of registers of a kernel and its bytes of local memory.
 */
#ifndef WEFT_EXECUTOR
static std::string local_memory() {
    cudaFuncAttributes at_run_time, by_template;
    CUDA_CHECK(cudaFuncGetAttributes(&at_run_time, square_of_size));
    CUDA_CHECK(cudaFuncGetAttributes(&by_template, square<MOST>));
    char text[200];
    snprintf(text, sizeof text,
             "a thread of size-at-run-time has %zu bytes of local memory "
             "and %d registers, one of size-template %zu "
             "and %d",
             at_run_time.localSizeBytes, at_run_time.numRegs,
             by_template.localSizeBytes, by_template.numRegs);
    return by_template.localSizeBytes == 0
               ? text
               : std::string("not in registers: ") + text;
}
#else
static std::string local_memory() {
    return "on a CPU both arrays are on the stack; on a GPU this row "
           "prints the bytes and registers";
}
#endif

/* Rung weft: weft_map, an operation of this library
 *
 * Here the type is an argument of the call. The library was compiled for
 * every type. It selects the kernel from a table, as in `size-template`.
 * The formula is compiled when the program runs (see `weft` of topic
 * quadratic).
 */
static weft_status weft_scale_and_add(weft_context *ctx, weft_dtype dtype,
                                      size_t n, const void *x,
                                      const void *y, void *sum) {
    weft_binding names[2] = {};
    names[0].name = "x", names[0].dtype = dtype, names[0].array = x;
    names[1].name = "y", names[1].dtype = dtype, names[1].array = y;
    weft_expr *formula;
    const weft_status status =
        weft_expr_compile(ctx, "3 * x + y", &formula);
    if (status != WEFT_OK) return status;
    const weft_status done =
        weft_map(ctx, formula, dtype, n, names, 2, sum);
    weft_expr_free(formula);
    return done;
}

/* Exercises
 *
 * 1. Run `weft ladder templates --faulty --dtype f32`. Why does
 *    `sizeof-int` give the right result?
 * 2. Write `scale_and_add<T, SUM>`, where x and y have type T and the
 *    result has type SUM. Where must the conversion be, so that the
 *    products of two int are right in long long?
 * 3. How many kernels does a template over 4 types and 8 sizes generate?
 *    What is the cost, and in which step of the build?
 */

/* Climbing the rungs. */
template <class T> static void climb_as(climb &c) {
    const size_t n = c.n;
    const std::vector<T> xs = ladder_values<T>(n, 1);
    const std::vector<T> ys = ladder_values<T>(n, 2);
    std::vector<T> sums(n);
    for (size_t i = 0; i < n; i++) sums[i] = (T)3 * xs[i] + ys[i];
    const T *const x = c.input(xs), *const y = c.input(ys);
    T *const copy = c.output<T>(n), *const sum = c.output<T>(n);
    const ladder_claim right = [&] { return c.holds(sum, sums); };
    c.work(3.0 * (double)(n * sizeof(T)), 2.0 * (double)n);
    c.rung("one-source", right, [=] { one_source(n, x, y, sum); });
    c.faulty("sizeof-int", right, [=] { sizeof_int(n, x, y, copy, sum); });

    const std::vector<int> whole = ladder_values<int>(n, 1);
    const std::vector<int> small = ladder_whole_values<int>(n, 2);
    const std::vector<long long> longs(whole.begin(), whole.end());
    std::vector<long long> long_sums(n);
    std::vector<uint16_t> halves(n), half_sums(n);
    for (size_t i = 0; i < n; i++) {
        long_sums[i] = 4 * longs[i];
        halves[i] = half_of((float)small[i]);
        half_sums[i] = half_of((float)(4 * small[i]));
    }
    const long long *const v = c.input(longs);
    const uint16_t *const h = c.input(halves);
    long long *const long_sum = c.output<long long>(n);
    uint16_t *const half_sum = c.output<uint16_t>(n);
    /* x and y are one array here, which is read once */
    c.work(16.0 * (double)n, 0);
    c.rung(
        "eight-bytes", [&] { return c.holds(long_sum, long_sums); },
        [=] { eight_bytes(n, v, v, long_sum); });
    c.work(4.0 * (double)n, 2.0 * (double)n);
    const ladder_claim are_halves = [&] {
        return c.holds(half_sum, half_sums);
    };
    c.rung("half", are_halves, [=] { half_numbers(n, h, h, half_sum); },
           {.gpu_only = true});

    float *const squares = c.output<float>(n < 16 ? 16 : n);
    const ladder_claim are_squares = [&] {
        return c.holds(squares, order_of_squares(n, TRIED));
    };
    c.work(4.0 * (double)n, 2.0 * TRIED * TRIED * (double)n);
    c.rung("size-at-run-time", are_squares,
           [=] { size_at_run_time(n, TRIED, squares); });
    c.rung("size-template", are_squares,
           [=] { size_template(n, TRIED, squares); });
    c.lesson("known-squares", [=] { return known_squares(squares); });
    c.lesson("local-memory", local_memory);

    c.work(3.0 * (double)(n * sizeof(T)), 2.0 * (double)n);
    c.weft("weft", right, [=, &c](weft_context *ctx) {
        return weft_scale_and_add(ctx, c.dtype, n, x, y, sum);
    });
}

void climb_templates(climb &c) {
    if (c.dtype == WEFT_F32) return climb_as<float>(c);
    if (c.dtype == WEFT_I32) return climb_as<int>(c);
    climb_as<double>(c);
}
