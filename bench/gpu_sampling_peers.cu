/* build/bench_gpu_sampling: random numbers, Monte Carlo and formulas on a GPU compared with cuRAND, Thrust and CUB,
 * in one run. The classic option of weft_price (two assets, 100 Euler steps, f32) is compared with a kernel that uses
 * cuRAND's device API, with one path per thread. Its normals are by Box and Muller; weft's are quantiles, computed in
 * f64, or its fast normals, by Box and Muller too. */
#include "gpu_compared.cuh"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <curand.h>
#include <curand_kernel.h>
#include <math.h>
#include <string>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#define SEED 1
#define PATHS 9600000
#define STEPS 100
#define THREADS 256
#define MANY ((size_t)1280000000) /* number of normals, all in memory at once */
#define N ((size_t)1 << 28)       /* number of 4-byte values of other rows; N / 2 values of 8 bytes */

static char *workspace; /* workspace of MANY floats; other rows use parts of it */
static void *out, *out_peer;
static curandGenerator_t philox;

static void ok(curandStatus_t status) {
    if (status == CURAND_STATUS_SUCCESS) return;
    stop("cuRAND", ("status " + std::to_string((int)status)).c_str());
}

/* ----------------------------------------------------------------------------- the classic */

static_assert(PATHS % THREADS == 0 && STEPS % 2 == 0,
              "threads have a path each, and blocks of four normals two steps");

struct assets {
    float a, b;
    __device__ void step(float y, float z) {
        const float dt = 1.0f / STEPS, drift = 1 + 0.05f * dt, spread = 0.1f * sqrtf(dt), other = sqrtf(0.75f);
        a *= drift + spread * y;
        b *= drift + spread * (0.5f * y + other * z);
    }
    __device__ void count(unsigned long long *hits) const {
        const int block = __syncthreads_count(fabsf(a - 1) < 0.1f && fabsf(b - 1) < 0.1f);
        if (threadIdx.x == 0) atomicAdd(hits, (unsigned long long)block);
    }
};

static __global__ void __launch_bounds__(THREADS) philox_paths(unsigned long long *hits) {
    curandStatePhilox4_32_10_t state;
    assets w = {1, 1};
    curand_init(SEED, blockIdx.x * THREADS + threadIdx.x, 0, &state);
    for (int i = 0; i < STEPS; i += 2) {
        const float4 z = curand_normal4(&state);
        w.step(z.x, z.y);
        w.step(z.z, z.w);
    }
    w.count(hits);
}

static __global__ void __launch_bounds__(THREADS) xorwow_paths(unsigned long long *hits) {
    curandStateXORWOW_t state;
    assets w = {1, 1};
    curand_init(SEED, blockIdx.x * THREADS + threadIdx.x, 0, &state);
    for (int i = 0; i < STEPS; i++) {
        const float y = curand_normal(&state), z = curand_normal(&state);
        w.step(y, z);
    }
    w.count(hits);
}

static weft_valuation classic(weft_dtype dtype, bool fast = false) {
    static const double start[] = {1, 1}, volatility[] = {0.1, 0.1}, correlation[] = {1, 0.5, 0.5, 1};
    weft_option option = {};
    weft_simulation simulation = {};
    weft_valuation v = {};
    option.size = sizeof option;
    simulation.size = sizeof simulation;
    v.size = sizeof v;
    option.payoff = WEFT_CORRIDOR;
    option.width = 0.1;
    option.rate = 0.05;
    option.maturity = 1;
    option.assets = 2;
    option.start = start;
    option.volatility = volatility;
    option.correlation = correlation;
    simulation.dtype = dtype;
    simulation.scheme = WEFT_EULER;
    simulation.steps = STEPS;
    simulation.paths = PATHS;
    simulation.seed = SEED;
    simulation.fast_normals = fast;
    ok(weft_price(ctx, &option, &simulation, &v));
    return v;
}

typedef void paths_kernel(unsigned long long *hits);

static work peer_classic(paths_kernel *kernel) {
    return [=] {
        ok(cudaMemsetAsync(out_peer, 0, sizeof(unsigned long long), stream));
        kernel<<<PATHS / THREADS, THREADS, 0, stream>>>((unsigned long long *)out_peer);
    };
}

/* Checks the price. The exact value is 0.4179; five standard errors of 0.00015 are allowed. */
static void expect_price(double price) {
    expect(fabs(price - 0.4179) < 5 * 0.00015237, ("a price of " + std::to_string(price) + ", not 0.4179").c_str());
}

static void measure_prices() {
    const measure normals = {2.0 * STEPS * PATHS, "Gnormal/s", 0, NULL};
    row(
        "price, the classic, fast normals, f32", normals, [=] { expect_price(classic(WEFT_F32, true).price); },
        "cuRAND, Philox, f32", peer_classic(philox_paths));
    for (weft_dtype dtype : {WEFT_F32, WEFT_F64}) {
        const std::string name = std::string("price, the classic, ") + weft_dtype_name(dtype);
        const work weft = [=] { expect_price(classic(dtype).price); };
        row(name.c_str(), normals, weft, "cuRAND, Philox, f32", peer_classic(philox_paths));
        expect_price(exp(-0.05) * (double)value_at<unsigned long long>(out_peer) / PATHS);
        row(name.c_str(), normals, weft, "cuRAND, XORWOW, f32", peer_classic(xorwow_paths));
        expect_price(exp(-0.05) * (double)value_at<unsigned long long>(out_peer) / PATHS);
    }
}

/* ---------------------------------------------------------------------------- random numbers */

static void random_row(const char *name, weft_distribution distribution, weft_dtype dtype, const work &peer) {
    const size_t n = 4 * N / weft_dtype_size(dtype);
    char *const to = workspace;
    row(
        name, writes(4.0 * N),
        [=] { ok(weft_random(ctx, distribution, dtype, SEED, 0, 0, n, distribution == WEFT_EXPONENTIAL, 1, to)); },
        "cuRAND, Philox", peer);
}

static void measure_random() {
    float *const f = (float *)workspace;
    double *const d = (double *)workspace;
    random_row("uniform f32", WEFT_UNIFORM, WEFT_F32, [=] { ok(curandGenerateUniform(philox, f, N)); });
    random_row("uniform f64", WEFT_UNIFORM, WEFT_F64, [=] { ok(curandGenerateUniformDouble(philox, d, N / 2)); });
    random_row("normal f32", WEFT_NORMAL, WEFT_F32, [=] { ok(curandGenerateNormal(philox, f, N, 0, 1)); });
    random_row("normal f64", WEFT_NORMAL, WEFT_F64, [=] { ok(curandGenerateNormalDouble(philox, d, N / 2, 0, 1)); });
    random_row("log-normal f32", WEFT_LOGNORMAL, WEFT_F32, [=] { ok(curandGenerateLogNormal(philox, f, N, 0, 1)); });
    random_row("fast normal f32", WEFT_NORMAL_FAST, WEFT_F32, [=] { ok(curandGenerateNormal(philox, f, N, 0, 1)); });
    random_row("fast log-normal f32", WEFT_LOGNORMAL_FAST, WEFT_F32,
               [=] { ok(curandGenerateLogNormal(philox, f, N, 0, 1)); });
    random_row("exponential f32", WEFT_EXPONENTIAL, WEFT_F32, work());
}

static curandRngType_t sobol_peer(bool scrambled, bool f32) {
    if (scrambled) return f32 ? CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 : CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
    return f32 ? CURAND_RNG_QUASI_SOBOL32 : CURAND_RNG_QUASI_SOBOL64;
}

/* Compares Sobol points. cuRAND stores the coordinates axis by axis, weft point by point. cuRAND scrambles the
 * direction numbers once per generator, which is not measured, and shifts the points. A few calls would use up the
 * 2^32 points that cuRAND has for one axis. */
static void sobol_row(const char *name, weft_scrambling scrambling, weft_dtype dtype, unsigned dimensions) {
    const size_t values = 4 * N / weft_dtype_size(dtype), points = values / dimensions;
    char *const to = workspace;
    const bool f32 = dtype == WEFT_F32, scrambled = scrambling != WEFT_UNSCRAMBLED;
    const std::string peer_name =
        std::string("cuRAND, ") + (scrambled ? "scrambled" : "plain") + (f32 ? " Sobol32" : " Sobol64");
    curandGenerator_t peer;
    ok(curandCreateGenerator(&peer, sobol_peer(scrambled, f32)));
    ok(curandSetQuasiRandomGeneratorDimensions(peer, dimensions));
    ok(curandSetStream(peer, stream));
    const work filled = [=] {
        if (f32)
            ok(curandGenerateUniform(peer, (float *)to, values));
        else
            ok(curandGenerateUniformDouble(peer, (double *)to, values));
    };
    row(
        name, writes(4.0 * N), [=] { ok(weft_sobol(ctx, scrambling, dtype, SEED, 0, dimensions, 0, points, to)); },
        peer_name.c_str(), dimensions == 1 ? work() : filled);
    ok(curandDestroyGenerator(peer));
}

static void measure_sobol() {
    const struct {
        const char *name;
        weft_scrambling scrambling;
    } kinds[] = {{", Owen", WEFT_OWEN}, {", shifted", WEFT_DIGITAL_SHIFT}, {", plain", WEFT_UNSCRAMBLED}};
    for (unsigned dimensions : {1u, 32u, 1024u})
        for (weft_dtype dtype : {WEFT_F32, WEFT_F64})
            for (const auto &kind : kinds) {
                const std::string name = std::string("sobol ") + weft_dtype_name(dtype) + kind.name + ", " +
                                         std::to_string(dimensions) + (dimensions == 1 ? " axis" : " axes");
                sobol_row(name.c_str(), kind.scrambling, dtype, dimensions);
            }
}

/* --------------------------------------------------------------------------------- formulas */

static weft_expr *compiled(const char *formula) {
    weft_expr *e;
    ok(weft_expr_compile(ctx, formula, &e));
    return e;
}

template <class T> static weft_dtype dtype_of() { return sizeof(T) == 4 ? WEFT_F32 : WEFT_F64; }

template <class T> static __global__ void add_kernel(const T *x, const T *y, T *z, size_t n) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

template <class T> static void add_rows(const char *name) {
    const size_t n = 4 * N / sizeof(T);
    T *const x = (T *)workspace, *const y = x + n, *const z = y + n;
    weft_expr *const sum = compiled("x + y");
    const work weft = [=] {
        const weft_binding names[] = {{"x", dtype_of<T>(), x, NULL}, {"y", dtype_of<T>(), y, NULL}};
        ok(weft_map(ctx, sum, dtype_of<T>(), n, names, 2, z));
    };
    row(name, reads_and_writes(12.0 * N), weft, "thrust::transform",
        [=] { thrust::transform(thrust::cuda::par_nosync.on(stream), x, x + n, y, z, thrust::plus<T>()); });
    row(name, reads_and_writes(12.0 * N), weft, "a kernel",
        [=] { add_kernel<<<(unsigned)(n / THREADS), THREADS, 0, stream>>>(x, y, z, n); });
    weft_expr_free(sum);
}

template <class T> struct quadratic {
    T a, b, c;
    __host__ __device__ T operator()(T z) const { return a * z * z + b * z + c; }
};
template <class T, class A> struct widened : quadratic<T> {
    __host__ __device__ A operator()(T z) const { return (A)quadratic<T>::operator()(z); }
};
struct plus {
    template <class A> __host__ __device__ A operator()(A x, A y) const { return x + y; }
};

/* Computes the mean of a z^2 + b z + c, accumulated in A or exactly. */
template <class T, class A>
static work mean_of(const weft_expr *formula, const T *z, size_t n, bool exactly = false) {
    const weft_dtype sums = exactly ? WEFT_EXACT_SUM : dtype_of<T>() == dtype_of<A>() ? WEFT_DEFAULT : WEFT_F64;
    return [=] {
        static const T a = 1, b = 2, c = 3;
        const weft_dtype dtype = dtype_of<T>();
        const weft_binding names[] = {
            {"a", dtype, NULL, &a}, {"b", dtype, NULL, &b}, {"c", dtype, NULL, &c}, {"z", dtype, z, NULL}};
        ok(weft_map_reduce(ctx, WEFT_MEAN, formula, dtype, sums, n, names, 4, out));
    };
}

template <class T, class A> static A thrust_mean(const T *z, size_t n) {
    const widened<T, A> f = {{1, 2, 3}};
    return thrust::transform_reduce(thrust::cuda::par.on(stream), z, z + n, f, (A)0, plus()) / (A)n;
}

/* Returns a call of CUB. Its workspace size is queried first; each kind of call has its own workspace. */
template <class CALL> static work with_scratch(CALL call) {
    static void *scratch;
    static size_t bytes;
    if (!scratch) {
        call(NULL, bytes);
        ok(cudaMalloc(&scratch, bytes));
    }
    return [=] {
        size_t given = bytes;
        call(scratch, given);
    };
}

/* Computes the sum by CUB. The sum stays in device memory, so calls can be queued. */
template <class T, class A> static work cub_sum(const T *z, size_t n) {
    const widened<T, A> f = {{1, 2, 3}};
    return with_scratch([=](void *temporary, size_t &size) {
        ok(cub::DeviceReduce::TransformReduce(temporary, size, z, (A *)out_peer, (int64_t)n, plus(), f, (A)0,
                                              stream));
    });
}

template <class T, class A> static work cub_running(const T *z, A *sums, size_t n) {
    const auto values = thrust::make_transform_iterator(z, widened<T, A>{{1, 2, 3}});
    return with_scratch([=](void *temporary, size_t &size) {
        ok(cub::DeviceScan::InclusiveSum(temporary, size, values, sums, (int64_t)n, stream));
    });
}

template <class T, class A> static void mean_rows(const char *name) {
    const size_t n = 4 * N / sizeof(T);
    const T *const z = (T *)workspace;
    weft_expr *const formula = compiled("a*z^2 + b*z + c");
    const work weft = mean_of<T, A>(formula, z, n);
    ok(weft_random(ctx, WEFT_NORMAL, dtype_of<T>(), SEED, 0, 0, n, 0, 1, workspace));
    row(name, reads(4.0 * N), weft, "thrust::transform_reduce", [=] { (void)thrust_mean<T, A>(z, n); });
    row(name, reads(4.0 * N), weft, "CUB TransformReduce", cub_sum<T, A>(z, n));
    const double mean = (double)value_at<A>(out), peer = (double)value_at<A>(out_peer) / (double)n;
    expect(fabs(mean - peer) < 1e-4, "the means of a quadratic");
    if (dtype_of<T>() == dtype_of<A>())
        row("  exact", reads(4.0 * N), mean_of<T, A>(formula, z, n, true), "weft, not exact", weft);
    weft_expr_free(formula);
}

/* Measures running sums of a z^2 + b z + c, accumulated in A. Compares them with two calls and an intermediate array,
 * and with a CUB scan of an iterator. The lower bound is to read z and to write the sums. */
template <class T, class A> static void running_rows(const char *name) {
    const size_t n = 4 * N / sizeof(T);
    T *const z = (T *)workspace, *const between = z + n;
    A *const sums = (A *)(between + n);
    const weft_dtype dtype = dtype_of<T>(), accumulate = dtype == dtype_of<A>() ? WEFT_DEFAULT : WEFT_F64;
    weft_expr *const formula = compiled("a*z^2 + b*z + c");
    static const T a = 1, b = 2, c = 3;
    const std::vector<weft_binding> names = {
        {"a", dtype, NULL, &a}, {"b", dtype, NULL, &b}, {"c", dtype, NULL, &c}, {"z", dtype, z, NULL}};
    const work fused = [=] {
        ok(weft_map_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, formula, dtype, accumulate, n, names.data(), names.size(),
                         NULL, sums));
    };
    const work in_two = [=] {
        ok(weft_map(ctx, formula, dtype, n, names.data(), names.size(), between));
        ok(weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, dtype, accumulate, n, between, NULL, sums));
    };
    const measure floor = reads_and_writes((double)n * (sizeof(T) + sizeof(A)));
    ok(weft_random(ctx, WEFT_NORMAL, dtype, SEED, 0, 0, n, 0, 1, z));
    row(name, floor, fused, "map, then scan", in_two);
    row(name, floor, fused, "CUB InclusiveScan", cub_running<T, A>(z, sums, n));
    weft_expr_free(formula);
}

/* Checks a mean that must be 4. The variance of the values is 6, so with this many values the standard error
 * is 6.8e-5.
 */
static void expect_four(double mean) {
    expect(fabs(mean - 4) < 5 * 6.85e-5, ("a mean of " + std::to_string(mean) + ", not 4").c_str());
}

static void measure_many_normals() {
    float *const z = (float *)workspace;
    weft_expr *const formula = compiled("a*z^2 + b*z + c");
    const work weft = mean_of<float, double>(formula, z, MANY);
    row("mean of 1.28e9, f32 in f64", reads(4.0 * MANY), weft, "thrust::transform_reduce",
        [=] { (void)thrust_mean<float, double>(z, MANY); });
    for (weft_distribution normal : {WEFT_NORMAL, WEFT_NORMAL_FAST})
        row(
            normal == WEFT_NORMAL ? "  and its normals made" : "  and its fast normals made",
            measure{(double)MANY, "Gnormal/s", 8.0 * MANY, &copying},
            [=] {
                ok(weft_random(ctx, normal, WEFT_F32, SEED, 0, 0, MANY, 0, 1, z));
                weft();
            },
            "cuRAND, Thrust",
            [=] {
                ok(curandGenerateNormal(philox, z, MANY, 0, 1));
                expect_four(thrust_mean<float, double>(z, MANY));
            });
    expect_four(value_at<double>(out));
    weft_expr_free(formula);
}

int main(void) {
    open_gpu();
    ok(cudaMalloc((void **)&workspace, MANY * sizeof(float)));
    ok(cudaMalloc(&out, 256));
    ok(cudaMalloc(&out_peer, 256));
    ok(curandCreateGenerator(&philox, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    ok(curandSetPseudoRandomGeneratorSeed(philox, SEED));
    ok(curandSetStream(philox, stream));
    find_ceilings(workspace, workspace + 4 * N, 4 * N);
    measure_prices();
    measure_random();
    ok(weft_random(ctx, WEFT_NORMAL, WEFT_F32, SEED, 0, 0, MANY, 0, 1, workspace));
    add_rows<float>("map x + y, f32");
    add_rows<double>("map x + y, f64");
    mean_rows<float, float>("mean of a z^2 + b z + c, f32");
    mean_rows<float, double>("  f32 in f64");
    mean_rows<double, double>("  f64");
    running_rows<float, float>("running a z^2 + b z + c, f32");
    running_rows<float, double>("  f32 in f64");
    running_rows<double, double>("  f64");
    ok(weft_random(ctx, WEFT_NORMAL, WEFT_F32, SEED, 0, 0, MANY, 0, 1, workspace));
    measure_many_normals();
    measure_sobol();
    ok(curandDestroyGenerator(philox));
    for (void *p : {(void *)workspace, out, out_peer}) ok(cudaFree(p));
    weft_close(ctx);
    return 0;
}
