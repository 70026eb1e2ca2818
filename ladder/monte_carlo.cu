/* Topic monte-carlo: an option's price as the mean over random paths
 *
 * Two correlated prices S1 and S2 start at 1 and make 100 steps. Each step
 * is S <- S (1 + r dt + sigma sqrt(dt) Y) with a normal random Y. The
 * option pays 1 if both prices end within 10 % of 1. Let P be the
 * probability that it pays. The price of the option is exp(-r T) P. An
 * estimate from n paths has a standard error of
 * exp(-r T) sqrt(P (1 - P) / n). So one more bit of accuracy takes four
 * times as many paths.
 *
 * One thread computes a path, which takes 200 normal numbers. The lesson is
 * where these numbers come from. Some rungs read them from memory, 800
 * bytes per path, in one of two layouts. Others compute them from a counter
 * when they are needed.
 *
 * All rungs compute the same paths. Normal number q of path p is computed
 * from word q mod 4 of Philox(counter (p, q / 4), key seed), as in
 * `weft_price`. The computation uses only basic arithmetic and no logarithm
 * of a library. So host and device have the same bits, and a rung is right
 * if the result of each path is right. With T = 1, r = 0.05, sigma = 0.1
 * and a correlation of 0.5, the price is 0.417909389 (100 steps of this
 * scheme, its constants in f32).
 */
#include "climb.h"

#include <math.h>

constexpr unsigned THREADS = 128, WARP = 32;
constexpr int STEPS = 100, NORMALS = 2 * STEPS;
constexpr uint64_t SEED = 1;
typedef unsigned long long counter; /* as atomicAdd requires */

/* Rung philox: random bits without a state
 *
 * A classic generator has a state. To get its number 1000, a program must
 * first compute the 999 numbers before it. Each thread needs a state in
 * memory and time to initialize it. Philox4x32-10 (Salmon, Moraes, Dror,
 * Shaw, 2011) is a function without a state. Ten rounds of two
 * multiplications mix a counter of 128 bits with a key. The result is 128
 * random bits. Any thread can compute any number directly. Another grid or
 * another machine gets the same numbers. The output is the published result
 * for a counter and a key of zeros.
 */
static __host__ __device__ uint4 philox(uint64_t low, uint64_t high,
                                        uint64_t seed) {
    unsigned key0 = (unsigned)seed, key1 = (unsigned)(seed >> 32);
    uint4 x = {(unsigned)low, (unsigned)(low >> 32), (unsigned)high,
               (unsigned)(high >> 32)};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xd2511f53 * x.x;
        const uint64_t b = (uint64_t)0xcd9e8d57 * x.z;
        x = {(unsigned)(b >> 32) ^ x.y ^ key0, (unsigned)b,
             (unsigned)(a >> 32) ^ x.w ^ key1, (unsigned)a};
        key0 += 0x9e3779b9;
        key1 += 0xbb67ae85;
    }
    return x;
}

static std::string known_bits() {
    const uint4 x = philox(0, 0, 0);
    char text[100];
    snprintf(text, sizeof text, "philox(0, 0) is %08x %08x %08x %08x", x.x,
             x.y, x.z, x.w);
    const bool known = x.x == 0x6627e8d5 && x.y == 0xe169c58d &&
                       x.z == 0xbc57ac4c && x.w == 0x9b00dbd8;
    return known ? text : std::string("not the published bits: ") + text;
}

/* Rung normal: a normal number from 32 random bits
 *
 * The function is the inverse of the distribution function, sqrt(2)
 * erfinv(2 u - 1). M. Giles approximates it by two polynomials (GPU
 * Computing Gems, 2011): one for the middle and one for the tails. The
 * method was designed for GPUs. Only 0.34 % of all numbers are in the
 * tails. If one lane of a warp has such a number, the warp executes both
 * branches. This occurs 10 % of the time. 23 bits of the word are used, so
 * the largest normal number is 5.3.
 *
 * The output is the mean and the variance of a million numbers, for the
 * midpoints of equal intervals. The exact values are 0 and 1.
 */
/* Computes log(x), 2^-24 <= x <= 1: x = 2^e m, log(m) = 2 artanh((m - 1) /
 * (m + 1)). */
static __host__ __device__ float log_of(float x) {
    int e;
    float m = frexpf(x, &e);
    if (m < 0.70710678f) m *= 2, e--;
    const float s = (m - 1) / (m + 1), q = s * s;
    float series = fmaf(q, 1.0f / 9, 1.0f / 7);
    series = fmaf(q, series, 1.0f / 5);
    series = fmaf(q, series, 1.0f / 3);
    return fmaf((float)e, 0.693147181f, 2 * fmaf(s * q, series, s));
}

static __host__ __device__ float erfinv_middle(float w) {
    float p = fmaf(2.81022636e-08f, w, 3.43273939e-07f);
    p = fmaf(p, w, -3.5233877e-06f);
    p = fmaf(p, w, -4.39150654e-06f);
    p = fmaf(p, w, 0.00021858087f);
    p = fmaf(p, w, -0.00125372503f);
    p = fmaf(p, w, -0.00417768164f);
    p = fmaf(p, w, 0.246640727f);
    return fmaf(p, w, 1.50140941f);
}

static __host__ __device__ float erfinv_tail(float w) {
    float p = fmaf(-0.000200214257f, w, 0.000100950558f);
    p = fmaf(p, w, 0.00134934322f);
    p = fmaf(p, w, -0.00367342844f);
    p = fmaf(p, w, 0.00573950773f);
    p = fmaf(p, w, -0.0076224613f);
    p = fmaf(p, w, 0.00943887047f);
    p = fmaf(p, w, 1.00167406f);
    return fmaf(p, w, 2.83297682f);
}

static __host__ __device__ float normal(unsigned word) {
    /* in (-1, 1), exact */
    const float x =
        (float)(int)(2 * (word >> 9) + 1 - (1u << 23)) * 0x1p-23f;
    const float w = -log_of((1 - x) * (1 + x));
    const float ratio =
        w < 5 ? erfinv_middle(w - 2.5f) : erfinv_tail(sqrtf(w) - 3);
    return 1.41421356f * (ratio * x);
}

static std::string moments() {
    const unsigned count = 1u << 20;
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < count; i++) {
        const double z = normal((i << 12) + (1u << 11));
        sum += z, squares += z * z;
    }
    char text[100];
    snprintf(text, sizeof text, "mean %.6f, variance %.6f", sum / count,
             squares / count);
    const bool good =
        fabs(sum / count) < 1e-5 && fabs(squares / count - 1) < 1e-4;
    return good ? text : std::string("not a normal distribution: ") + text;
}

/* Rung strided: the normal numbers of a path are in one row
 *
 * The parameters are in constant memory. One read of it serves all lanes of
 * a warp that read the same word. The program copies the parameters to it
 * at run time, so other market data need no new compilation.
 *
 * The normal numbers are an array [path][200]. On a CPU this is the natural
 * layout, because one thread reads a row from end to end. On a GPU, the 32
 * lanes of a warp read from 32 rows in each step. The rows are 800 bytes
 * apart, so the warp loads 32 segments of memory to use 128 bytes. The next
 * steps need the other bytes of each segment, but these may no longer be in
 * the cache.
 */
struct market {
    float growth, shock;     /* 1 + r dt, sigma sqrt(dt) */
    float correlation, rest; /* rho, sqrt(1 - rho^2) */
    float width;
    int steps;
};
static __constant__ market MARKET;

struct alignas(8) prices {
    float s1, s2;
};

static __host__ __device__ prices after_step(const market &m, prices s,
                                             float z1, float z2) {
    const float y2 = fmaf(m.correlation, z1, m.rest * z2);
    return {s.s1 * fmaf(m.shock, z1, m.growth),
            s.s2 * fmaf(m.shock, y2, m.growth)};
}

static __host__ __device__ int pays(const market &m, prices s) {
    return fabsf(s.s1 - 1) < m.width && fabsf(s.s2 - 1) < m.width;
}

static __global__ void price_strided(size_t n, const float *z, int *paid) {
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    const float *const row = z + p * 2 * (size_t)MARKET.steps;
    prices s = {1, 1};
    for (int t = 0; t < MARKET.steps; t++)
        s = after_step(MARKET, s, row[2 * t], row[2 * t + 1]);
    paid[p] = pays(MARKET, s);
}

static unsigned blocks_of(size_t n) {
    return (unsigned)blocks_for<size_t>(n, THREADS);
}

/* Rung coalesced: normal number q of all paths in one row
 *
 * The same numbers are stored as an array [200][path]. In each step, the 32
 * lanes of a warp read 32 adjacent elements. They are one segment of 128
 * bytes, and all of it is used. The two rungs differ in nothing else. Texts
 * report a factor of 2.7 to 24.
 *
 * The classic program stores its index in an int. 200 n overflows above
 * n = 10 737 418, and the program was written for 9 600 000. It also
 * launches n / 128 blocks, rounded down. Here the sizes have 64 bits, and n
 * is arbitrary.
 */
static __global__ void price_coalesced(size_t n, const float *z,
                                       int *paid) {
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    prices s = {1, 1};
    for (int t = 0; t < MARKET.steps; t++) {
        const float *const row = z + (size_t)t * 2 * n;
        s = after_step(MARKET, s, row[p], row[n + p]);
    }
    paid[p] = pays(MARKET, s);
}

/* Rung from-counters: no array of normal numbers
 *
 * Each thread computes its normal numbers when it needs them. For 9.6
 * million paths the array has 7.68 GB, which must be written and read
 * again. This rung writes only the result of each path. There is no state
 * and no initialization, because path p uses its own counters (p, 0), (p,
 * 1), ...
 *
 * A fair comparison also counts the time to fill the array: that of
 * `filled-then-read`. A text calls numbers in the kernel nearly twice as
 * fast, but it compared two different programs.
 */
static __device__ prices after_steps(const market &m, prices s,
                                     uint64_t path, int first, int end) {
    uint4 bits = philox(path, (uint64_t)first / 2, SEED);
    for (int t = first; t < end; t++) {
        if (t % 2 == 0) bits = philox(path, (uint64_t)t / 2, SEED);
        s = after_step(m, s, normal(t % 2 ? bits.z : bits.x),
                       normal(t % 2 ? bits.w : bits.y));
    }
    return s;
}

static __global__ void price_from_counters(size_t n, int *paid) {
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n)
        paid[p] =
            pays(MARKET, after_steps(MARKET, {1, 1}, p, 0, MARKET.steps));
}

/* Rung filled-then-read: the array is filled by a kernel, then read
 *
 * `coalesced` reads normal numbers that exist already. A program must first
 * compute them. Here a kernel does, with the same counters, and `coalesced`
 * follows. The array is written once and read once, 1600 bytes per path,
 * and the operations are those of `from-counters`. Compare the times of
 * these two rungs.
 */
static __global__ void fill_by_counters(size_t n, float *z) {
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    for (int t = 0; t < MARKET.steps; t += 2) {
        const uint4 bits = philox(p, (uint64_t)t / 2, SEED);
        float *const row = z + (size_t)t * 2 * n;
        row[p] = normal(bits.x), row[n + p] = normal(bits.y);
        if (t + 1 < MARKET.steps)
            row[2 * n + p] = normal(bits.z),
                        row[3 * n + p] = normal(bits.w);
    }
}

static void filled_then_read(size_t n, float *z, int *paid) {
    fill_by_counters<<<blocks_of(n), THREADS>>>(n, z);
    price_coalesced<<<blocks_of(n), THREADS>>>(n, z, paid);
}

/* Rung states-kept: generators with a state, kept in
 * memory between two kernels
 *
 * Programs with a classic generator keep its state in memory, so that the
 * next kernel continues the sequence. Here the state of a path is its
 * position and the last four words of Philox, of which some may be unused.
 * The first kernel makes 33 steps, which take 66 numbers. Two words of the
 * last four are left, so a state without them would not continue the
 * sequence. The second kernel loads the state and makes the other 67 steps.
 * The result must have the bits of one long sequence.
 *
 * With the prices, 40 bytes per path are written and read. They buy nothing
 * here: `in-two-parts` needs the number of a step instead.
 */
struct alignas(16) generator {
    uint4 words; /* the last four that were computed */
    uint64_t path;
    unsigned drawn; /* words of the sequence that were used */
};

static __device__ float draw(generator &g) {
    const unsigned k = g.drawn % 4;
    if (k == 0) g.words = philox(g.path, g.drawn / 4, SEED);
    g.drawn++;
    return normal(k == 0   ? g.words.x
                  : k == 1 ? g.words.y
                  : k == 2 ? g.words.z
                           : g.words.w);
}

static __device__ prices draw_steps(const market &m, prices s, generator &g,
                                    int steps) {
    for (int t = 0; t < steps; t++) {
        const float z1 = draw(g), z2 = draw(g);
        s = after_step(m, s, z1, z2);
    }
    return s;
}

static __global__ void begin_with_states(size_t n, int steps,
                                         generator *states, prices *kept) {
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    generator g = {{0, 0, 0, 0}, p, 0};
    kept[p] = draw_steps(MARKET, {1, 1}, g, steps);
    states[p] = g;
}

static __global__ void end_with_states(size_t n, int steps,
                                       const generator *states,
                                       const prices *kept, int *paid) {
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    generator g = states[p];
    paid[p] = pays(MARKET, draw_steps(MARKET, kept[p], g, steps));
}

static void states_kept(size_t n, generator *states, prices *kept,
                        int *paid) {
    const int first = 33;
    begin_with_states<<<blocks_of(n), THREADS>>>(n, first, states, kept);
    end_with_states<<<blocks_of(n), THREADS>>>(n, STEPS - first, states,
                                               kept, paid);
}

/* Rung in-two-parts: half of the steps in one kernel, the rest in another
 *
 * A simulation may stop and continue in another kernel or on another day.
 * It must save everything on which the rest of a path depends: the two
 * prices and the position in the sequence of random numbers. With a
 * counter, the position is the number of a step, which is an argument of
 * the launch. The states of a classic generator are 48 bytes per path, or
 * 461 MB for 9.6 million paths. The two halves give the same bits as one
 * long sequence.
 */
static __global__ void begin_paths(size_t n, int end, prices *kept) {
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n) kept[p] = after_steps(MARKET, {1, 1}, p, 0, end);
}

static __global__ void end_paths(size_t n, int first, int end,
                                 const prices *kept, int *paid) {
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n)
        paid[p] = pays(MARKET, after_steps(MARKET, kept[p], p, first, end));
}

static void in_two_parts(size_t n, prices *kept, int *paid) {
    begin_paths<<<blocks_of(n), THREADS>>>(n, STEPS / 2, kept);
    end_paths<<<blocks_of(n), THREADS>>>(n, STEPS / 2, STEPS, kept, paid);
}

/* Faulty rung restarted: the second half begins with
 * the first random number again
 *
 * The program saved the prices but not the position of the generator. So
 * both halves of a path use the same numbers. The mean of the prices is
 * right, and no plot shows the error. But their variance is wrong, and so
 * is the price of this option.
 */
static void restarted(size_t n, prices *kept, int *paid) {
    begin_paths<<<blocks_of(n), THREADS>>>(n, STEPS / 2, kept);
    end_paths<<<blocks_of(n), THREADS>>>(n, 0, STEPS - STEPS / 2, kept,
                                         paid);
}

/* Rung occupancy: as many threads as the device holds, several paths each
 *
 * The number of blocks that a multiprocessor can hold depends on the
 * registers and the shared memory of the kernel.
 * `cudaOccupancyMaxActiveBlocksPerMultiprocessor` returns this number. A
 * grid of exactly that many blocks per multiprocessor fills the device
 * once. A thread that has finished one path continues with the next and
 * counts in a register.
 *
 * This has two advantages. Work per thread, such as the initialization of a
 * generator, is done once per thread and not once per path. The result is
 * one number, with one atomic addition per warp, and not 4 bytes per path.
 *
 * The count is a whole number, and a path does not depend on the thread
 * that computes it. So the result depends neither on the grid nor on the
 * order of the additions.
 */
static __global__ void count_by_grid(size_t n, counter *count) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    unsigned mine = 0;
    for (size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x; p < n;
         p += threads) {
        const prices s = after_steps(MARKET, {1, 1}, p, 0, MARKET.steps);
        mine += (unsigned)pays(MARKET, s);
    }
    for (unsigned d = WARP / 2; d > 0; d /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, d);
    if (threadIdx.x % WARP == 0) atomicAdd(count, (counter)mine);
}

static void occupancy(size_t n, counter *count) {
    int blocks, multiprocessors;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, count_by_grid, THREADS, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors,
                                      cudaDevAttrMultiProcessorCount, 0));
    CUDA_CHECK(cudaMemsetAsync(count, 0, sizeof *count));
    const unsigned all = (unsigned)(blocks * multiprocessors);
    count_by_grid<<<all, THREADS>>>(n, count);
}

/* Faulty rung by-thread: the random numbers belong to the thread
 *
 * Every thread has its own sequence and takes the numbers of one path after
 * another from it. Programs with states do this. Then the numbers of a path
 * depend on the number of threads. Another grid, or a GPU that holds more
 * blocks, gives another result. Each result is a correct estimate, but no
 * result can be checked against another.
 */
static __global__ void count_by_thread(size_t n, counter *count) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    const size_t g = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mine = 0;
    int drawn = 0;
    for (size_t p = g; p < n; p += threads) {
        const int first = drawn;
        drawn += MARKET.steps;
        const prices s = after_steps(MARKET, {1, 1}, g, first, drawn);
        mine += (unsigned)pays(MARKET, s);
    }
    atomicAdd(count, (counter)mine);
}

static void by_thread(size_t n, counter *count) {
    CUDA_CHECK(cudaMemsetAsync(count, 0, sizeof *count));
    count_by_thread<<<8, THREADS>>>(n, count);
}

/* Rung known-answer: the difference from the right price
 *
 * Two programs with equal bits may both be wrong. For this model, the
 * probability is known to twelve digits by another method: the Fourier
 * inversion of the distribution after 100 steps. The count of n paths must
 * be within four standard errors of it.
 */
/* DISCOUNT is exp(-0.05) */
static const double PROBABILITY = 0.439336047859, DISCOUNT = 0.951229424501;

static std::string how_far(size_t n, double count) {
    const double price = DISCOUNT * count / (double)n;
    const double exact = DISCOUNT * PROBABILITY;
    const double error =
        DISCOUNT * sqrt(PROBABILITY * (1 - PROBABILITY) / (double)n);
    const double z = (price - exact) / error;
    char text[200];
    snprintf(text, sizeof text,
             "the price of %zu paths is %.6f; %.6f is right, %+.2f "
             "standard errors of %.6f away",
             n, price, exact, z, error);
    return fabs(z) <= 4 ? text : std::string("not near enough: ") + text;
}

/* Rung weft: weft_price, an operation of this library
 *
 * `weft_price` uses the same model and the same counters. Its inverse of
 * the distribution function is twice as accurate, so its normal numbers
 * differ in their last bits. It stores no normal numbers either. The
 * library's own tree adds the payments of the paths, in f64.
 */
static weft_status weft_corridor(weft_context *ctx, size_t n,
                                 weft_valuation *valuation) {
    const double start[2] = {1, 1}, volatility[2] = {0.1, 0.1};
    const double correlation[4] = {1, 0.5, 0.5, 1};
    weft_option option = {};
    option.size = sizeof option;
    option.payoff = WEFT_CORRIDOR;
    option.width = 0.1;
    option.rate = 0.05, option.maturity = 1;
    option.assets = 2, option.start = start, option.volatility = volatility,
    option.correlation = correlation;
    weft_simulation simulation = {};
    simulation.size = sizeof simulation;
    valuation->size = sizeof *valuation;
    simulation.dtype = WEFT_F32, simulation.scheme = WEFT_EULER;
    simulation.steps = STEPS, simulation.paths = n, simulation.seed = SEED;
    return weft_price(ctx, &option, &simulation, valuation);
}

/* Rung curand: Philox and normal numbers of NVIDIA's
 * library cuRAND, in the kernel
 *
 * `curand_init` selects a separate subsequence for each path.
 * `curand_normal4` computes four normal numbers by the method of Box and
 * Muller, with the logarithm, sine and cosine of the device. Its bits are
 * not guaranteed on any other machine, so its count is compared only with
 * the known probability.
 */
#if !defined WEFT_EXECUTOR && __has_include(<curand_kernel.h>)
#include <curand_kernel.h>

static __global__ void count_by_curand(size_t n, counter *count) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    unsigned mine = 0;
    for (size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x; p < n;
         p += threads) {
        curandStatePhilox4_32_10_t state;
        curand_init(SEED, p, 0, &state);
        prices s = {1, 1};
        for (int t = 0; t < MARKET.steps; t += 2) {
            const float4 z = curand_normal4(&state);
            s = after_step(MARKET, s, z.x, z.y);
            if (t + 1 < MARKET.steps) s = after_step(MARKET, s, z.z, z.w);
        }
        mine += (unsigned)pays(MARKET, s);
    }
    atomicAdd(count, (counter)mine);
}

static void by_curand(size_t n, counter *count) {
    CUDA_CHECK(cudaMemsetAsync(count, 0, sizeof *count));
    count_by_curand<<<blocks_of(n), THREADS>>>(n, count);
}
#else
static void by_curand(size_t, counter *) {
    throw ladder_absent("this build had no curand_kernel.h");
}
#endif

/* Exercises
 *
 * 1. Take one block of 32 threads and one step. Which numbers does thread 5
 *    read in `strided`? Which does it read in `coalesced`?
 * 2. Run `weft ladder monte-carlo` with `--n 1000`, 4000 and 16000. How
 *    does the standard error of `known-answer` decrease?
 * 3. 7.68 GB of normal numbers are read on an H200, at 4.8 TB/s. How long
 *    does `coalesced` take at least? How many operations may a normal
 *    number take before `from-counters` is slower?
 * 4. Compute 250 steps instead of 100. The limit for infinitely many steps
 *    is 0.417970234. Is the price closer to it?
 * 5. Let the paths p and 2^63 + p use the same normal numbers with opposite
 *    signs. How does the standard error change?
 */

/* Climbing the rungs. */
static market classic_market() {
    const double dt = 1.0 / STEPS, rho = 0.5;
    return {(float)(1 + 0.05 * dt),
            (float)(0.1 * sqrt(dt)),
            (float)rho,
            (float)sqrt(1 - rho * rho),
            0.1f,
            STEPS};
}

/* Computes all normal numbers, in the layouts
 * [path][200] and [200][path]. */
static void fill_normals(std::vector<float> &by_path,
                         std::vector<float> &by_number) {
    const size_t n = by_path.size() / NORMALS;
    ladder_in_parts(n, [&](size_t p, size_t end) {
        for (; p < end; p++)
            for (size_t q = 0; q < NORMALS; q += 4) {
                const uint4 bits = philox(p, q / 4, SEED);
                const unsigned words[4] = {bits.x, bits.y, bits.z, bits.w};
                for (size_t k = 0; k < 4; k++)
                    by_path[p * NORMALS + q + k] =
                        by_number[(q + k) * n + p] = normal(words[k]);
            }
    });
}

/* Returns which of the paths with these normals are paid. */
static std::vector<int> order_of_paths(const market &m,
                                       const std::vector<float> &by_path) {
    std::vector<int> paid(by_path.size() / NORMALS);
    ladder_in_parts(paid.size(), [&](size_t p, size_t end) {
        for (; p < end; p++) {
            const float *const z = &by_path[p * NORMALS];
            prices s = {1, 1};
            for (int t = 0; t < STEPS; t++)
                s = after_step(m, s, z[2 * t], z[2 * t + 1]);
            paid[p] = pays(m, s);
        }
    });
    return paid;
}

void climb_monte_carlo(climb &c) {
    const size_t n = c.n;
    const market m = classic_market();
    CUDA_CHECK(cudaMemcpyToSymbol(MARKET, &m, sizeof m));
    std::vector<float> by_path(n * NORMALS), by_number(n * NORMALS);
    fill_normals(by_path, by_number);
    const std::vector<int> expected = order_of_paths(m, by_path);
    counter total = 0;
    for (const int paid : expected) total += (counter)paid;
    const float *const rows = c.input(by_path);
    const float *const columns = c.input(by_number);
    int *const paid = c.output<int>(n);
    float *const filled = c.output<float>(n * NORMALS);
    generator *const states = c.output<generator>(n);
    prices *const kept = c.output<prices>(n);
    counter *const count = c.output<counter>(1);
    const ladder_claim each = [&] { return c.holds(paid, expected); };
    const ladder_claim all = [&] {
        return c.holds(count, std::vector<counter>{total});
    };

    c.lesson("philox", known_bits);
    c.lesson("normal", moments);
    /* operations: those of a step, for each normal */
    const double normals = (double)n * NORMALS, operations = 4;
    c.work(4 * normals, operations * normals);
    c.rung("strided", each, [=] {
        price_strided<<<blocks_of(n), THREADS>>>(n, rows, paid);
    });
    c.rung("coalesced", each, [=] {
        price_coalesced<<<blocks_of(n), THREADS>>>(n, columns, paid);
    });
    const double to_make_one = 45; /* operations of `normal` */
    c.work(4.0 * (double)n, (operations + to_make_one) * normals);
    c.rung("from-counters", each, [=] {
        price_from_counters<<<blocks_of(n), THREADS>>>(n, paid);
    });
    c.rung("filled-then-read", each,
           [=] { filled_then_read(n, filled, paid); });
    c.rung("states-kept", each,
           [=] { states_kept(n, states, kept, paid); });
    c.rung("in-two-parts", each, [=] { in_two_parts(n, kept, paid); });
    c.faulty("restarted", each, [=] { restarted(n, kept, paid); },
             {.least = 100});
    c.work(0, (operations + to_make_one) * normals);
    c.rung("occupancy", all, [=] { occupancy(n, count); });
    c.faulty("by-thread", all, [=] { by_thread(n, count); },
             {.least = 2000});
    c.lesson("known-answer", [=] { return how_far(n, (double)total); });

    weft_valuation got = {};
    const ladder_claim as_specified = [&]() -> std::string {
        weft_valuation right;
        c.specified(weft_corridor(c.ref(), n, &right));
        if (memcmp(&got.price, &right.price, sizeof got.price) != 0)
            return "the price is not the specification's";
        const std::string far =
            how_far(n, got.price / DISCOUNT * (double)n);
        return far.compare(0, 4, "not ") == 0 ? far : "";
    };
    if (n > 1)
        c.weft("weft", as_specified, [=, &got](weft_context *ctx) {
            return weft_corridor(ctx, n, &got);
        });
    const ladder_claim near = [&]() -> std::string {
        counter hits;
        c.fetch(&hits, count, sizeof hits);
        const std::string far = how_far(n, (double)hits);
        return far.compare(0, 4, "not ") == 0 ? far : "";
    };
    c.rung("curand", near, [=] { by_curand(n, count); },
           {.gpu_only = true});
}
