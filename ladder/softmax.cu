/* Topic softmax: y[j] = exp(x[j]) / the sum of
 * exp(x[k]), for each row of a matrix
 *
 * Softmax turns a row of scores into probabilities: they are positive, and
 * their sum is 1. A score of -infinity, the "mask" of an element that must
 * not count, becomes 0. The definition overflows in f32 if a score exceeds
 * 88. So all programs subtract the maximum of the row first, which does not
 * change the quotient.
 *
 * A row then has three loops: the maximum, the sum of exp(x - maximum), and
 * the quotients. The minimum traffic is one read and one write per element,
 * but three loops read each element three times. The lesson is how to read
 * it fewer times. `online` computes maximum and sum in one loop.
 * `block-per-row` keeps the row in registers. The second lesson is who
 * computes a row: a thread, a warp or a block.
 *
 * The function `exponential` below uses only operations that IEEE 754
 * rounds correctly, so a CPU and a GPU compute the same bits. The functions
 * exp and expf of C and CUDA have errors of one or two units in the last
 * digit, and not the same errors on all machines.
 *
 * Rows have 1003 elements, or n if that is less. Each sum has a stated
 * order, and the check is a loop in that order.
 */
#include "climb.h"

#include <math.h>

namespace {

constexpr unsigned WARP = 32, THREADS = 256, WARPS = THREADS / WARP;
constexpr unsigned MOST_COLUMNS = 1003;
/* Elements per thread in block-per-row */
constexpr unsigned EACH = (MOST_COLUMNS + THREADS - 1) / THREADS;
#define WHOLE_WARP 0xffffffffu

struct shape {
    size_t rows, columns;
};

/* Returns 2^k, -127 < k < 128. */
__host__ __device__ float power_of_2(int k) {
    const unsigned bits = (unsigned)(127 + k) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns exp(x) = 2^k exp(r), with k = the whole number nearest to x /
 * log(2). exp(r) is a Taylor polynomial. 2^k is multiplied in two steps,
 * since it may be too small for a normal float. -infinity gives 0. */
__host__ __device__ float exponential(float x) {
    /* 1.5 * 2^23: its sums have no fraction */
    const float ROUNDER = 12582912;
    if (x < -104) x = -104; /* exp(-104) rounds to 0 */
    if (x > 89) x = 89;     /* exp(89) overflows */
    const float k = fmaf(x, 1.44269504f, ROUNDER) - ROUNDER;
    const float r = fmaf(k, -1.42860677e-6f, fmaf(k, -0.693145752f, x));
    float p = 1.0f / 5040;
    p = fmaf(p, r, 1.0f / 720);
    p = fmaf(p, r, 1.0f / 120);
    p = fmaf(p, r, 1.0f / 24);
    p = fmaf(p, r, 1.0f / 6);
    p = fmaf(p, r, 0.5f);
    p = fmaf(p, r, 1);
    p = fmaf(p, r, 1);
    const int whole = k == k ? (int)k : 0, half = whole / 2;
    return p * power_of_2(half) * power_of_2(whole - half);
}

__host__ __device__ float larger(float a, float b) { return a > b ? a : b; }

/* Rung three-loops: a thread for each row
 *
 * The thread reads its row three times. Adjacent threads read elements that
 * are 1003 apart, so each read of a warp needs 32 sectors. exp is computed
 * twice, because storing it would be one more write and read.
 *
 * Order: m is the maximum. s starts with 0 and adds exp(x[0] - m),
 * exp(x[1] - m), ... in turn. y[j] = exp(x[j] - m) / s.
 */
static __global__ void softmax_three_loops(shape a, const float *x,
                                           float *y) {
    const size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= a.rows) return;
    x += row * a.columns;
    y += row * a.columns;
    float m = -INFINITY, s = 0;
    for (size_t j = 0; j < a.columns; j++) m = larger(m, x[j]);
    for (size_t j = 0; j < a.columns; j++) s += exponential(x[j] - m);
    for (size_t j = 0; j < a.columns; j++) y[j] = exponential(x[j] - m) / s;
}

static void order_of_three_loops(size_t columns, const float *x, float *y) {
    float m = -INFINITY, s = 0;
    for (size_t j = 0; j < columns; j++) m = larger(m, x[j]);
    for (size_t j = 0; j < columns; j++) s += exponential(x[j] - m);
    for (size_t j = 0; j < columns; j++) y[j] = exponential(x[j] - m) / s;
}

/* Launches a kernel in which a thread computes a row. */
template <class KERNEL>
static void by_threads(KERNEL kernel, shape a, const float *x, float *y) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(a.rows, THREADS);
    kernel<<<blocks, THREADS>>>(a, x, y);
}

/* Faulty rung no-maximum: the formula of the definition
 *
 * The scores of this topic are between 80 and 120. exp(89) is larger than
 * the largest float, so both the numerator and the sum are infinite, and
 * the quotient is not a number. If all scores are below -104, both are 0,
 * and 0 / 0 is not a number either.
 */
static __global__ void softmax_without_maximum(shape a, const float *x,
                                               float *y) {
    const size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= a.rows) return;
    x += row * a.columns;
    y += row * a.columns;
    float s = 0;
    for (size_t j = 0; j < a.columns; j++) s += exponential(x[j]);
    for (size_t j = 0; j < a.columns; j++) y[j] = exponential(x[j]) / s;
}

/* Rung online: maximum and sum in one loop
 *
 * The loop keeps the maximum m of the elements so far, and the sum s of
 * exp(x - m). If a new element is larger than m, the sum is multiplied by
 * exp(m - new m), as if it had been computed with the new maximum (M.
 * Milakov, N. Gimelshein, 2018). The row is read twice and not three times.
 * The two results are one pair, and pairs can be combined in any order.
 * This makes attention without a stored matrix of scores possible.
 *
 * The first elements of a row may be -infinity. Then m is -infinity too,
 * and m - m is not a number. `rescaled` uses the factor 1 if the maximum
 * does not change, so it does not compute this difference.
 *
 * Order: m starts with -infinity and s with 0. For each x: if x <= m,
 * s = s + e, with e = exp(x - m), or 0 if x is -infinity. If x > m,
 * s = s exp(m - x) + 1, and m = x.
 */
struct online {
    float m, s;
};

/* Returns s exp(m - to), for a sum s with the maximum m <= to. */
__host__ __device__ float rescaled(online a, float to) {
    if (a.m == to) return a.s;
    return a.s * exponential(a.m - to);
}

__host__ __device__ online combined(online a, online b) {
    const float m = larger(a.m, b.m);
    return {m, rescaled(a, m) + rescaled(b, m)};
}

__host__ __device__ online with(online a, float x) {
    const online one = {x, x > -INFINITY ? 1.0f : 0.0f};
    return combined(a, one);
}

static __global__ void softmax_online(shape a, const float *x, float *y) {
    const size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= a.rows) return;
    x += row * a.columns;
    y += row * a.columns;
    online all = {-INFINITY, 0};
    for (size_t j = 0; j < a.columns; j++) all = with(all, x[j]);
    for (size_t j = 0; j < a.columns; j++)
        y[j] = exponential(x[j] - all.m) / all.s;
}

static void order_of_online(size_t columns, const float *x, float *y) {
    online all = {-INFINITY, 0};
    for (size_t j = 0; j < columns; j++) all = with(all, x[j]);
    for (size_t j = 0; j < columns; j++)
        y[j] = exponential(x[j] - all.m) / all.s;
}

/* Faulty rung minus-infinity: the factor exp(m - new m) without the test
 *
 * The first element of each row is masked here, as it is in many rows of
 * causal attention. m and the new maximum are both -infinity, their
 * difference is not a number, and the sum of the row is lost. The kernel is
 * right for all rows that begin with a finite score.
 */
static __global__ void softmax_without_test(shape a, const float *x,
                                            float *y) {
    const size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= a.rows) return;
    x += row * a.columns;
    y += row * a.columns;
    float m = -INFINITY, s = 0;
    for (size_t j = 0; j < a.columns; j++) {
        const float before = m;
        m = larger(m, x[j]);
        s = s * exponential(before - m) + exponential(x[j] - m);
    }
    for (size_t j = 0; j < a.columns; j++) y[j] = exponential(x[j] - m) / s;
}

/* Rung warp-per-row: 32 lanes share a row
 *
 * The lanes read adjacent elements, so a request of the warp needs the
 * fewest sectors. There are 32 times as many threads, which matters if
 * there are few rows. After its own elements, a lane has a maximum and a
 * sum of its own. Five exchanges combine them: in each, a lane combines its
 * value with that of the lane whose number differs in one bit. All lanes
 * get the same bits, because a + b equals b + a.
 *
 * The three loops are those of `three-loops`. The second and the third read
 * find the row in the cache, since a row has only 4 KB.
 *
 * Order: lane l starts with 0 and adds exp(x[l] - m), exp(x[l + 32] - m),
 * ... Then v[l] = v[l] + v[l xor d], for d = 16, 8, 4, 2, 1.
 */
__device__ float maximum_of_warp(float v) {
    for (int d = WARP / 2; d > 0; d /= 2)
        v = larger(v, __shfl_xor_sync(WHOLE_WARP, v, d));
    return v;
}

__device__ float sum_of_warp(float v) {
    for (int d = WARP / 2; d > 0; d /= 2)
        v += __shfl_xor_sync(WHOLE_WARP, v, d);
    return v;
}

__device__ void softmax_of_row(size_t columns, const float *x, float *y) {
    const unsigned lane = threadIdx.x % WARP;
    float m = -INFINITY, s = 0;
    for (size_t j = lane; j < columns; j += WARP) m = larger(m, x[j]);
    m = maximum_of_warp(m);
    for (size_t j = lane; j < columns; j += WARP)
        s += exponential(x[j] - m);
    s = sum_of_warp(s);
    for (size_t j = lane; j < columns; j += WARP)
        y[j] = exponential(x[j] - m) / s;
}

static __global__ void softmax_by_warps(shape a, const float *x, float *y) {
    const size_t row = (size_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    if (row < a.rows)
        softmax_of_row(a.columns, x + row * a.columns, y + row * a.columns);
}

/* Returns the sum of 32 values in the order of sum_of_warp. */
static float order_of_warp(std::vector<float> v) {
    for (size_t d = WARP / 2; d > 0; d /= 2)
        for (size_t i = 0; i < d; i++) v[i] += v[i + d];
    return v[0];
}

/* Computes a row whose sums are computed by `threads` threads in warps; the
 * sums of the warps are added in turn. */
template <unsigned COUNT>
static void order_of_threads(size_t columns, const float *x, float *y) {
    std::vector<float> v(COUNT);
    float m = -INFINITY, s = 0;
    for (size_t j = 0; j < columns; j++) m = larger(m, x[j]);
    for (size_t j = 0; j < columns; j++)
        v[j % COUNT] += exponential(x[j] - m);
    for (auto warp = v.begin(); warp != v.end(); warp += WARP)
        s += order_of_warp({warp, warp + WARP});
    for (size_t j = 0; j < columns; j++) y[j] = exponential(x[j] - m) / s;
}

/* Launches a kernel in which a warp computes a row. */
template <class KERNEL>
static void by_warps(KERNEL kernel, shape a, const float *x, float *y) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(a.rows, WARPS);
    kernel<<<blocks, THREADS>>>(a, x, y);
}

/* Faulty rung mixed-rows: the lanes of a warp in different rows
 *
 * The row is threadIdx.x % 8 and not threadIdx.x / 32. So a warp contains
 * lanes of eight rows, and its exchanges combine their maxima and sums. A
 * warp always consists of 32 consecutive threads.
 */
static __global__ void softmax_of_mixed_rows(shape a, const float *x,
                                             float *y) {
    size_t row = (size_t)blockIdx.x * WARPS + threadIdx.x % WARPS;
    if (row >= a.rows) row = a.rows - 1;
    const unsigned part = threadIdx.x / WARPS; /* 0 ... 31 */
    x += row * a.columns;
    y += row * a.columns;
    float m = -INFINITY, s = 0;
    for (size_t j = part; j < a.columns; j += WARP) m = larger(m, x[j]);
    m = maximum_of_warp(m);
    for (size_t j = part; j < a.columns; j += WARP)
        s += exponential(x[j] - m);
    s = sum_of_warp(s);
    for (size_t j = part; j < a.columns; j += WARP)
        y[j] = exponential(x[j] - m) / s;
}

/* Rung online-warp: a warp for each row, in one loop for maximum and sum
 *
 * Each lane computes the pair of `online` of its elements. Five exchanges
 * combine the pairs of the lanes. Two loops remain, and only one of them
 * before the exchanges.
 *
 * Order: lane l processes x[l], x[l + 32], ... as in `online`. Then, for
 * d = 16, 8, 4, 2, 1, each lane combines its pair with that of the lane
 * l xor d. m is the larger of the two maxima, and s is the sum of the two
 * products s exp(m - new m). The factor is 1 if the maximum does not
 * change.
 */
static __global__ void softmax_online_by_warps(shape a, const float *x,
                                               float *y) {
    const unsigned lane = threadIdx.x % WARP;
    const size_t row = (size_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    if (row >= a.rows) return; /* the whole warp */
    x += row * a.columns;
    y += row * a.columns;
    online all = {-INFINITY, 0};
    for (size_t j = lane; j < a.columns; j += WARP) all = with(all, x[j]);
    for (int d = WARP / 2; d > 0; d /= 2) {
        const float m = __shfl_xor_sync(WHOLE_WARP, all.m, d);
        const float s = __shfl_xor_sync(WHOLE_WARP, all.s, d);
        all = combined(all, {m, s});
    }
    for (size_t j = lane; j < a.columns; j += WARP)
        y[j] = exponential(x[j] - all.m) / all.s;
}

static void order_of_online_warp(size_t columns, const float *x, float *y) {
    std::vector<online> v(WARP, {-INFINITY, 0});
    for (size_t j = 0; j < columns; j++)
        v[j % WARP] = with(v[j % WARP], x[j]);
    for (size_t d = WARP / 2; d > 0; d /= 2)
        for (size_t i = 0; i < d; i++) v[i] = combined(v[i], v[i + d]);
    for (size_t j = 0; j < columns; j++)
        y[j] = exponential(x[j] - v[0].m) / v[0].s;
}

/* Rung block-per-row: the row in registers
 *
 * 256 threads have four elements each, in registers: the loops over them
 * have a fixed number of iterations, so that the compiler needs no memory
 * for them. The row is read once and written once, and each exp is computed
 * once. This is the minimum of traffic. The program must know the largest
 * number of columns when it is compiled.
 *
 * The warps combine their maxima in shared memory, and then their sums in
 * the same words. Between the read of the maxima and the write of the sums
 * there must be a barrier (see `reused`).
 *
 * Order: thread t adds exp(x[t] - m), exp(x[t + 256] - m), ... A warp adds
 * as in `warp-per-row`. Then s starts with 0 and adds the sums of the warps
 * 0, 1, ..., 7 in turn.
 */
template <bool BARRIER>
__global__ void softmax_by_blocks(shape a, const float *x, float *y) {
    __shared__ float of_warps[WARPS];
    const unsigned t = threadIdx.x, warp = t / WARP;
    const size_t row = (size_t)blockIdx.x * a.columns;
    float v[EACH], m = -INFINITY, own = 0, s = 0;
    for (unsigned k = 0; k < EACH; k++) {
        const unsigned j = t + k * THREADS;
        v[k] = j < a.columns ? x[row + j] : -INFINITY;
        m = larger(m, v[k]);
    }
    m = maximum_of_warp(m);
    if (t % WARP == 0) of_warps[warp] = m;
    __syncthreads();
    for (unsigned w = 0; w < WARPS; w++) m = larger(m, of_warps[w]);
    if (BARRIER) __syncthreads(); /* all threads have read the maxima */
    for (unsigned k = 0; k < EACH; k++) {
        v[k] = exponential(v[k] - m);
        own += v[k];
    }
    own = sum_of_warp(own);
    if (t % WARP == 0) of_warps[warp] = own;
    __syncthreads();
    for (unsigned w = 0; w < WARPS; w++) s += of_warps[w];
    for (unsigned k = 0; k < EACH; k++) {
        const unsigned j = t + k * THREADS;
        if (j < a.columns) y[row + j] = v[k] / s;
    }
}

template <bool BARRIER>
static void by_blocks(shape a, const float *x, float *y) {
    softmax_by_blocks<BARRIER><<<(unsigned)a.rows, THREADS>>>(a, x, y);
}

/* Faulty rung reused: shared memory is written again
 * while other warps read it
 *
 * This is `block-per-row` without the second of its three barriers. A fast
 * warp writes its sum to the word in which a slow warp still expects a
 * maximum. The result is wrong in one of many runs on a GPU. The executor
 * reports the race in every schedule.
 */

/* Rung accuracy: the error of the function `exponential`
 *
 * The host compares it with exp of f64, for arguments from -87 to 0. The
 * unit is the distance of two adjacent floats at the result. Below -87 the
 * results are smaller than normal floats.
 */
static std::string accuracy() {
    double worst = 0;
    for (float x = -87; x <= 0; x += 0x1p-8f) {
        const double right = exp((double)x);
        const double unit =
            nextafterf((float)right, INFINITY) - (float)right;
        worst = fmax(worst, fabs(exponential(x) - right) / unit);
    }
    char text[100];
    snprintf(text, sizeof text,
             "maximum error of exp: %.2f units in the last digit", worst);
    return worst < 1 ? text : std::string("not accurate: ") + text;
}

/* Exercises
 *
 * 1. For which scores is the result of `no-maximum` right? Which sums
 *    underflow to 0?
 * 2. How many bytes per element does each rung read, if no cache helps?
 *    Compare with the column `read` of the executor.
 * 3. The sum of y over a row should be 1. How far from 1 can it be for 1003
 *    elements, in the order of `three-loops` and of `warp-per-row`?
 * 4. What should the result be for a row in which all elements are masked?
 *    What do the rungs compute?
 * 5. Write the backward pass: given y and the gradient g, compute y[j]
 *    (g[j] - the sum of y[k] g[k]), with one read of each array.
 */

/* Climbing the rungs. */

/* Returns scores between 80 and 120, of which one in eight is masked, and
 * the first one of each row of two or more.
 */
static std::vector<float> scores(shape a) {
    std::vector<float> x = ladder_values<float>(a.rows * a.columns, 1);
    for (size_t i = 0; i < x.size(); i++) {
        const size_t j = i % a.columns;
        const bool masked = j < a.columns - 1 && (j == 0 || x[i] < -0.75f);
        x[i] = masked ? -INFINITY : fmaf(x[i], 20, 100);
    }
    return x;
}

} // namespace

void climb_softmax(climb &c) {
    const size_t columns = c.n < MOST_COLUMNS ? c.n : MOST_COLUMNS;
    const shape a = {c.n / columns, columns};
    const std::vector<float> values = scores(a);
    const float *const x = c.input(values);
    float *const y = c.output<float>(values.size());
    /* per element: 20 of fused multiply-adds, 6 others */
    const double operations = 26;
    c.work(8.0 * (double)values.size(), operations * (double)values.size());

    const auto in_order =
        [&, y](void (*order)(size_t, const float *, float *)) {
            return [&, y, order] {
                std::vector<float> expected(values.size());
                ladder_in_parts(a.rows, [&](size_t row, size_t end) {
                    for (; row < end; row++)
                        order(columns, &values[row * columns],
                              &expected[row * columns]);
                });
                return c.holds(y, expected);
            };
        };
    const ladder_claim in_turn = in_order(order_of_three_loops);
    const ladder_claim paired = in_order(order_of_online);
    const ladder_claim lanes = in_order(order_of_threads<WARP>);
    const ladder_claim threads = in_order(order_of_threads<THREADS>);
    c.rung("three-loops", in_turn,
           [=] { by_threads(softmax_three_loops, a, x, y); });
    c.faulty("no-maximum", in_turn,
             [=] { by_threads(softmax_without_maximum, a, x, y); });
    c.rung("online", paired, [=] { by_threads(softmax_online, a, x, y); });
    c.faulty("minus-infinity", paired,
             [=] { by_threads(softmax_without_test, a, x, y); },
             {.least = 2});
    c.rung("warp-per-row", lanes,
           [=] { by_warps(softmax_by_warps, a, x, y); });
    c.faulty("mixed-rows", lanes,
             [=] { by_warps(softmax_of_mixed_rows, a, x, y); },
             {.least = 2 * MOST_COLUMNS});
    c.rung("online-warp", in_order(order_of_online_warp),
           [=] { by_warps(softmax_online_by_warps, a, x, y); });
    c.rung("block-per-row", threads, [=] { by_blocks<true>(a, x, y); });
    c.faulty("reused", threads, [=] { by_blocks<false>(a, x, y); },
             {.executor_only = true});
    c.lesson("accuracy", accuracy);
}
