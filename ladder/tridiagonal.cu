/* Topic tridiagonal: n systems of 128 equations
 * a x[i-1] + b x[i] + c x[i+1] = d
 *
 * An implicit step of the heat equation leads to such systems: each
 * equation contains an unknown and its two neighbours. Elimination from one
 * end to the other (L. Thomas) is a recurrence. It takes 8 operations per
 * row and 2 * 128 steps. Parallel cyclic reduction (R. Hockney, JACM 12,
 * 1965) does more work in fewer steps: about 14 operations per row for each
 * of 7 levels, in 7 steps. Each equation uses the equations at a distance
 * of 1 to eliminate its neighbours. Then it contains the unknowns at a
 * distance of 2, then 4, 8, ..., until no neighbour is left. The traffic is
 * 5 elements per row: a, b, c and d are read, and x is written.
 *
 * No rung uses pivoting. This is safe because |b| > |a| + |c| in every row.
 * The data have this property. They are random and different for each
 * system. The a of the first row and the c of the last row are not zero
 * here. They belong to no unknown, and x does not depend on them.
 *
 * Each rung states its order and is compared with it bit for bit. In
 * addition, the residual d - A x must be within 8 eps log2(rows) of the
 * sizes of A and x.
 */
#include "climb.h"

#include <algorithm>
#include <limits>
#include <math.h>

constexpr unsigned WARP = 32, ROWS = 128, EACH = ROWS / WARP;
#define WHOLE_WARP 0xffffffffu

/* The rows of all systems, one system after another. A system has `length`
 * rows; the last one has the remaining rows. */
template <class T> struct systems {
    size_t rows, length;
    const T *a, *b, *c, *d;
};

/* a x[-] + x + c x[+] = d: an equation divided by its b. */
template <class T> struct equation { T a, c, d; };

/* Returns row i, which is row t of a system of `length` rows. */
template <class T>
__host__ __device__ equation<T> row(const systems<T> &s, size_t i, size_t t,
                                    size_t length) {
    const T b = s.b[i];
    return {t == 0 ? (T)0 : s.a[i] / b, t + 1 == length ? (T)0 : s.c[i] / b,
            s.d[i] / b};
}

/* Rung one-thread: a thread for each system
 *
 * The downward pass eliminates from each row the unknown before it. The
 * upward pass computes each unknown from the next one. The downward pass
 * changes c and d, so it needs memory for them. It stores d in x and c in
 * an additional array.
 *
 * Adjacent threads have adjacent systems, which are 128 rows apart in
 * memory. So every access of a warp goes to 32 distant addresses. If the
 * systems were interleaved, with first all rows 0 and then all rows 1, the
 * addresses would be adjacent. With many systems, this rung would then be
 * one of the fastest.
 *
 * Order: downwards r = b - a c', c' = c / r, d' = (d - a d') / r; upwards
 * x = d' - c' x.
 */
template <class T>
__host__ __device__ void eliminate_system(const systems<T> &s, size_t first,
                                          T *c, T *x) {
    const size_t end =
        s.rows - first < s.length ? s.rows : first + s.length;
    c[first] = s.c[first] / s.b[first];
    x[first] = s.d[first] / s.b[first];
    for (size_t i = first + 1; i < end; i++) {
        const T r = s.b[i] - s.a[i] * c[i - 1];
        c[i] = s.c[i] / r;
        x[i] = (s.d[i] - s.a[i] * x[i - 1]) / r;
    }
    for (size_t i = end - 1; i-- > first;) x[i] = x[i] - c[i] * x[i + 1];
}

template <class T>
__global__ void eliminate_in_threads(systems<T> s, T *c, T *x) {
    const size_t first =
        ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * s.length;
    if (first < s.rows) eliminate_system(s, first, c, x);
}

template <class T> static void one_thread(systems<T> s, T *c, T *x) {
    const size_t count = blocks_for<size_t>(s.rows, s.length);
    const unsigned blocks = (unsigned)blocks_for<size_t>(count, 64);
    eliminate_in_threads<<<blocks, 64>>>(s, c, x);
}

/* Rung cyclic: a block for each system, a thread for each row
 *
 * This rung is parallel cyclic reduction in shared memory. The equation
 * 0 = 0 replaces a missing neighbour. At each level, a thread reads the
 * equations of two other threads and waits at a barrier. Then it writes its
 * own equation and waits at a second barrier.
 *
 * Order: each row is divided by b. At each level, "-" and "+" denote the
 * equations at the distance of the level. Then r = 1 / ((1 - a c-) - c a+),
 * a = -(a a-) r, c = -(c c+) r, d = ((d - a d-) - c d+) r, all from the old
 * values. x is the last d.
 */
struct all_at_once {
    template <class T>
    static __host__ __device__ equation<T>
    reduce(equation<T> below, equation<T> mine, equation<T> above) {
        const T r = (T)1 / ((T)1 - mine.a * below.c - mine.c * above.a);
        return {-(mine.a * below.a) * r, -(mine.c * above.c) * r,
                (mine.d - mine.a * below.d - mine.c * above.d) * r};
    }
};

/* Reduces the equations of the threads of a block. The first `length`
 * equations are a system. a, c and d must have capacity for all threads. */
template <class STEP, class T>
__device__ equation<T> reduce_in_shared(equation<T> mine, unsigned length,
                                        T *a, T *c, T *d) {
    const unsigned t = threadIdx.x;
    for (unsigned by = 1; by < length; by *= 2) {
        a[t] = mine.a, c[t] = mine.c, d[t] = mine.d;
        __syncthreads();
        equation<T> below = {}, above = {};
        if (t >= by) below = {a[t - by], c[t - by], d[t - by]};
        if (t + by < length) above = {a[t + by], c[t + by], d[t + by]};
        mine = STEP::reduce(below, mine, above);
        __syncthreads();
    }
    return mine;
}

template <class T, class STEP>
__global__ void reduce_systems(systems<T> s, T *x) {
    __shared__ T a[ROWS], c[ROWS], d[ROWS];
    const size_t i = (size_t)blockIdx.x * ROWS + threadIdx.x;
    x[i] =
        reduce_in_shared<STEP>(row(s, i, threadIdx.x, ROWS), ROWS, a, c, d)
            .d;
}

template <class STEP, class T> static void cyclic(systems<T> s, T *x) {
    reduce_systems<T, STEP><<<(unsigned)(s.rows / ROWS), ROWS>>>(s, x);
}

/* Reduces the equations of one system, in the order of all rungs with
 * cyclic reduction. */
template <class T>
static void order_of_levels(std::vector<equation<T>> &e) {
    for (size_t by = 1; by < e.size(); by *= 2) {
        const std::vector<equation<T>> old(e);
        for (size_t t = 0; t < e.size(); t++)
            e[t] = all_at_once::reduce(
                t >= by ? old[t - by] : equation<T>{}, old[t],
                t + by < e.size() ? old[t + by] : equation<T>{});
    }
}

template <class T> static std::vector<T> order_of_cyclic(systems<T> s) {
    std::vector<T> x(s.rows);
    ladder_in_parts(blocks_for(s.rows, s.length), [&](size_t system,
                                                      size_t end) {
        for (size_t first = system * s.length; system < end;
             system++, first += s.length) {
            std::vector<equation<T>> e(std::min(s.length, s.rows - first));
            for (size_t t = 0; t < e.size(); t++)
                e[t] = row(s, first + t, t, e.size());
            order_of_levels(e);
            for (size_t t = 0; t < e.size(); t++) x[first + t] = e[t].d;
        }
    });
    return x;
}

/* Faulty rung a-first: a is updated before d
 *
 * d needs the old a. In three consecutive statements, a = ..., c = ...,
 * d = ..., the last one uses the new a. The classic code has the right
 * order, but its text does not say that the order matters.
 */
struct a_first {
    template <class T>
    static __device__ equation<T>
    reduce(equation<T> below, equation<T> mine, equation<T> above) {
        const T r = (T)1 / ((T)1 - mine.a * below.c - mine.c * above.a);
        mine.a = -(mine.a * below.a) * r;
        mine.d = (mine.d - mine.a * below.d - mine.c * above.d) * r;
        mine.c = -(mine.c * above.c) * r;
        return mine;
    }
};

/* Faulty rung one-barrier: a level without its second barrier
 *
 * A fast warp writes its equations of the next level. They may overwrite
 * equations that another warp has not yet read.
 */
template <class T> __global__ void reduce_racing(systems<T> s, T *x) {
    __shared__ T a[ROWS], c[ROWS], d[ROWS];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * ROWS + t;
    equation<T> mine = row(s, i, t, ROWS);
    for (unsigned by = 1; by < ROWS; by *= 2) {
        a[t] = mine.a, c[t] = mine.c, d[t] = mine.d;
        __syncthreads();
        equation<T> below = {}, above = {};
        if (t >= by) below = {a[t - by], c[t - by], d[t - by]};
        if (t + by < ROWS) above = {a[t + by], c[t + by], d[t + by]};
        mine = all_at_once::reduce(below, mine, above);
    }
    x[i] = mine.d;
}

template <class T> static void one_barrier(systems<T> s, T *x) {
    reduce_racing<<<(unsigned)(s.rows / ROWS), ROWS>>>(s, x);
}

/* Rung any-length: shared memory whose size the launch determines
 *
 * If the source contains arrays of 128 elements, a system of 129 rows
 * writes after their end. Here the launch, `<<<blocks, threads, bytes>>>`,
 * sets the size of the shared memory of a block. So every length up to
 * 1024, the maximal number of threads of a block, is possible. The rows are
 * divided into systems of 100, and the last system has the remaining rows.
 * Threads without a row do not return early, because all threads must reach
 * the barriers.
 *
 * Order: the order is that of `cyclic`, with 100 rows.
 */
template <class T> __global__ void reduce_any_length(systems<T> s, T *x) {
    /* double for every T: an extern array has one type per file */
    extern __shared__ double block_memory[];
    T *const a = (T *)block_memory, *const c = a + blockDim.x;
    T *const d = c + blockDim.x;
    const size_t first = (size_t)blockIdx.x * s.length;
    const unsigned length =
        (unsigned)(s.rows - first < s.length ? s.rows - first : s.length);
    equation<T> mine = {};
    if (threadIdx.x < length)
        mine = row(s, first + threadIdx.x, threadIdx.x, length);
    mine = reduce_in_shared<all_at_once>(mine, length, a, c, d);
    if (threadIdx.x < length) x[first + threadIdx.x] = mine.d;
}

template <class T> static void any_length(systems<T> s, T *x) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(s.rows, s.length);
    const unsigned threads = (unsigned)s.length;
    reduce_any_length<<<blocks, threads, 3 * threads * sizeof(T)>>>(s, x);
}

/* Rung warp: 32 rows in the registers of a warp
 *
 * A system of 32 rows needs no shared memory and no barrier. It takes five
 * levels of shuffles. If the neighbour of a lane is outside the warp, the
 * shuffle returns the lane's own value. In the classic kernel a or c is 0
 * there and multiplies this value. Here the equation 0 = 0 replaces it. All
 * 32 lanes must take part, so a shorter system is padded with such
 * equations. The rows are divided into systems of 32.
 *
 * Order: the order is that of `cyclic`, with 32 rows.
 */
template <class T>
__device__ equation<T> from_below(equation<T> e, unsigned by) {
    return {__shfl_up_sync(WHOLE_WARP, e.a, by),
            __shfl_up_sync(WHOLE_WARP, e.c, by),
            __shfl_up_sync(WHOLE_WARP, e.d, by)};
}
template <class T>
__device__ equation<T> from_above(equation<T> e, unsigned by) {
    return {__shfl_down_sync(WHOLE_WARP, e.a, by),
            __shfl_down_sync(WHOLE_WARP, e.c, by),
            __shfl_down_sync(WHOLE_WARP, e.d, by)};
}

template <class T> __device__ equation<T> reduce_in_warp(equation<T> mine) {
    const unsigned lane = threadIdx.x % WARP;
    for (unsigned by = 1; by < WARP; by *= 2) {
        equation<T> below = from_below(mine, by);
        equation<T> above = from_above(mine, by);
        if (lane < by) below = {};
        if (lane + by >= WARP) above = {};
        mine = all_at_once::reduce(below, mine, above);
    }
    return mine;
}

template <class T> __global__ void reduce_in_warps(systems<T> s, T *x) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % WARP;
    const equation<T> mine =
        reduce_in_warp(i < s.rows ? row(s, i, lane, WARP) : equation<T>{});
    if (i < s.rows) x[i] = mine.d;
}

template <class T> static void warp(systems<T> s, T *x) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(s.rows, ROWS);
    reduce_in_warps<<<blocks, ROWS>>>(s, x);
}

/* Rung kind-data: a test that detects nothing
 *
 * The classic kernel of shuffles is for 32 rows. This rung launches it with
 * 64 rows. It then treats them as two warps. The lanes at the border of the
 * warps use their own values instead of those of their neighbours.
 *
 * The test of the course is two steps of 3 x[i] - x[i-1] - x[i+1] = old
 * x[i], starting with old x = 1. Its values are almost constant at the
 * border, so neighbours are equal there. The result agrees with the right
 * one to seven digits. With random data it does not agree.
 */
__global__ void step_in_two_warps(const float *old, float *x) {
    const unsigned t = threadIdx.x;
    equation<float> mine = {t == 0 ? 0.0f : -1 / 3.0f,
                            t == 63 ? 0.0f : -1 / 3.0f, old[t] / 3};
    for (unsigned by = 1; by < WARP; by *= 2)
        mine = all_at_once::reduce(from_below(mine, by), mine,
                                   from_above(mine, by));
    x[t] = mine.d;
}

/* Returns the largest error after two steps from `old`. */
static double error_of_two_warps(climb &c, const std::vector<float> &old) {
    const size_t rows = old.size();
    const std::vector<double> off(rows, -1), diagonal(rows, 3);
    std::vector<double> right(old.begin(), old.end()), workspace(rows);
    std::vector<double> x(rows);
    for (int step = 0; step < 2; step++) {
        eliminate_system<double>({rows, rows, off.data(), diagonal.data(),
                                  off.data(), right.data()},
                                 0, workspace.data(), x.data());
        right = x;
    }
    float *const middle = c.output<float>(rows);
    float *const last = c.output<float>(rows);
    step_in_two_warps<<<1, 64>>>(c.input(old), middle);
    step_in_two_warps<<<1, 64>>>(middle, last);
    std::vector<float> got(rows);
    c.fetch(got.data(), last, rows * sizeof got[0]);
    double most = 0;
    for (size_t i = 0; i < rows; i++)
        most = std::max(most, fabs(got[i] - right[i]));
    return most;
}

static std::string kind_data(climb &c) {
    const double kind = error_of_two_warps(c, std::vector<float>(64, 1.0f));
    const double random =
        error_of_two_warps(c, ladder_values<float>(64, 6));
    if (!(kind < 1e-6 && random > 1e-3))
        return "not what was expected of a system in two warps";
    char text[120];
    snprintf(text, sizeof text,
             "64 rows as two warps: off by %.1e with x = 1, by %.1e with "
             "random x",
             kind, random);
    return text;
}

/* Rung four-rows: a warp for each system, four rows per lane
 *
 * A lane eliminates within its four rows, in registers. After that, each
 * row contains only two other unknowns: that of the last row of the
 * previous lane, and that of the lane's own last row. The first row of the
 * next lane is substituted into the last row of each lane. These last rows
 * are a system of 32 equations, which `reduce_in_warp` solves. Then every
 * lane substitutes the resulting values. Most rows take the work of
 * Thomas's algorithm, and one row in four takes that of cyclic reduction.
 * The kernel needs no shared memory and no barrier.
 *
 * Order: in a lane, row 0 is divided by b. For the next rows,
 * r = 1 / (b - a c'), a = -(a a') r, c = c r, d = (d - a d') r. From row 1
 * up to row 0: a = a - c a', d = d - c d', c = -(c c') with the row below.
 * For the last row with row 0 of the next lane: r = 1 / (1 - c a'), a = a
 * r, d = (d - c d') r, c = -(c c') r. The levels are those of `cyclic`.
 * Finally x = (d - a e) - c x'. Here e is the last x of the previous lane,
 * and x' is the lane's own last x.
 */
template <class T>
__host__ __device__ void condense(const systems<T> &s, size_t first,
                                  unsigned lane, equation<T> *e) {
    e[0] = row(s, first, lane * EACH, ROWS);
    for (unsigned k = 1; k < EACH; k++) {
        const size_t i = first + k;
        const bool last = lane * EACH + k + 1 == ROWS;
        const T a = s.a[i], r = (T)1 / (s.b[i] - a * e[k - 1].c);
        e[k] = {-(a * e[k - 1].a) * r, last ? (T)0 : s.c[i] * r,
                (s.d[i] - a * e[k - 1].d) * r};
    }
    for (unsigned k = EACH - 2; k-- > 0;)
        e[k] = {e[k].a - e[k].c * e[k + 1].a, -(e[k].c * e[k + 1].c),
                e[k].d - e[k].c * e[k + 1].d};
}

/* Combines a lane's last equation with the first of the next lane, which
 * couples its unknown to the next lane's last. */
template <class T>
__host__ __device__ equation<T> link(equation<T> last, equation<T> next) {
    const T r = (T)1 / ((T)1 - last.c * next.a);
    return {last.a * r, -(last.c * next.c) * r,
            (last.d - last.c * next.d) * r};
}

template <class T>
__host__ __device__ T put_in(equation<T> e, T before, T last) {
    return (e.d - e.a * before) - e.c * last;
}

template <class T> __global__ void reduce_four_rows(systems<T> s, T *x) {
    const size_t warp =
        ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    const unsigned lane = threadIdx.x % WARP;
    const size_t first = warp * ROWS + lane * EACH;
    /* True for all lanes of a warp or for none */
    if (warp * ROWS >= s.rows) return;
    equation<T> e[EACH];
    condense(s, first, lane, e);
    equation<T> next = from_above(e[0], 1);
    if (lane == WARP - 1) next = {};
    const T last = reduce_in_warp(link(e[EACH - 1], next)).d;
    const T from = __shfl_up_sync(WHOLE_WARP, last, 1);
    const T before = lane > 0 ? from : (T)0;
    for (unsigned k = 0; k + 1 < EACH; k++)
        x[first + k] = put_in(e[k], before, last);
    x[first + EACH - 1] = last;
}

template <class T> static void four_rows(systems<T> s, T *x) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(s.rows / ROWS, 4);
    reduce_four_rows<<<blocks, 4 * WARP>>>(s, x);
}

/* Solves one system, whose rows begin at `first`. */
template <class T>
static void solve_by_fours(systems<T> s, size_t first, T *x) {
    equation<T> e[WARP][EACH];
    for (unsigned lane = 0; lane < WARP; lane++)
        condense(s, first + lane * EACH, lane, e[lane]);
    std::vector<equation<T>> last(WARP);
    for (unsigned lane = 0; lane < WARP; lane++)
        last[lane] = link(e[lane][EACH - 1],
                          lane + 1 < WARP ? e[lane + 1][0] : equation<T>{});
    order_of_levels(last);
    for (unsigned lane = 0; lane < WARP; lane++, x += EACH) {
        for (unsigned k = 0; k + 1 < EACH; k++)
            x[k] = put_in(e[lane][k], lane > 0 ? last[lane - 1].d : (T)0,
                          last[lane].d);
        x[EACH - 1] = last[lane].d;
    }
}

template <class T> static std::vector<T> order_of_four_rows(systems<T> s) {
    std::vector<T> x(s.rows);
    ladder_in_parts(s.rows / ROWS, [&](size_t system, size_t end) {
        for (; system < end; system++)
            solve_by_fours(s, system * ROWS, &x[system * ROWS]);
    });
    return x;
}

/* Rung known-answers: the problem of the course
 *
 * The problem is 3 x[i] - x[i-1] - x[i+1] = old x[i] for 128 rows, starting
 * with old x = 1. `cyclic` solves it. Let r be (3 - sqrt 5) / 2. One step
 * gives x[i] = 1 - (r^(i+1) + r^(128-i)) / (1 + r^129). After two steps the
 * first x is 1 / sqrt 5, as on an infinite line. The sums after 1, 2 and 10
 * steps are known to twelve digits.
 */
static std::string known_answers(climb &c) {
    const double *const off = c.input(std::vector<double>(ROWS, -1));
    const double *const diagonal = c.input(std::vector<double>(ROWS, 3));
    const double *old = c.input(std::vector<double>(ROWS, 1));
    std::vector<double> x(ROWS);
    double sum[11], second = 0;
    for (int step = 1; step <= 10; step++) {
        double *const next = c.output<double>(ROWS);
        cyclic<all_at_once>(
            systems<double>{ROWS, ROWS, off, diagonal, off, old}, next);
        c.fetch(x.data(), next, ROWS * sizeof x[0]);
        sum[step] = 0;
        for (const double v : x) sum[step] += v;
        if (step == 2) second = x[0];
        old = next;
    }
    if (!(fabs(sum[1] - 126.763932023) < 2e-9 &&
          fabs(sum[2] - 125.869504832) < 2e-9 &&
          fabs(sum[10] - 121.905575251) < 2e-9 &&
          fabs(second - 1 / sqrt(5.0)) < 1e-14))
        return "not the known sums";
    char text[120];
    snprintf(text, sizeof text, "sums %.9f, %.9f, %.9f; 1 / sqrt 5 = %.14f",
             sum[1], sum[2], sum[10], second);
    return text;
}

/* Rung weft: weft_tridiag, an operation of this library
 *
 * `weft_tridiag` solves systems of any length, one or several, contiguous
 * or interleaved. It condenses chunks of 16 rows as `four-rows` condenses
 * four. It repeats this until 32 rows are left for cyclic reduction
 * (ORDER.md 16). It also outputs the row of the first lost pivot.
 */
template <class T>
static weft_status weft_solve(weft_context *ctx, weft_dtype dtype,
                              systems<T> s, T *x, uint64_t *lost) {
    const auto lines = [](const T *p) { return weft_lines{p, 1, ROWS}; };
    return weft_tridiag(ctx, WEFT_OPEN_ENDS, dtype, s.rows / ROWS, ROWS,
                        lines(s.a), lines(s.b), lines(s.c), lines(s.d), x,
                        lost);
}

/* Rung cusparse: cusparseSgtsv2StridedBatch and cusparseDgtsv2StridedBatch,
 * from NVIDIA's library cuSPARSE
 *
 * The program loads the library from the CUDA toolkit, if it is installed.
 * In its input, a of each first row and c of each last row must be 0. d
 * must be in the array of x, so the program copies d first. cuSPARSE does
 * not state its order, so only the residual d - A x is checked.
 */
#if !defined WEFT_EXECUTOR && __has_include(<cusparse.h>)
#include <cusparse.h>

template <class T> static void cusparse_solve(systems<T> s, T *x) {
    typedef cusparseStatus_t (*create_call)(cusparseHandle_t *);
    typedef cusparseStatus_t (*size_call)(cusparseHandle_t, int, const T *,
                                          const T *, const T *, const T *,
                                          int, int, size_t *);
    typedef cusparseStatus_t (*solve_call)(cusparseHandle_t, int, const T *,
                                           const T *, const T *, T *, int,
                                           int, void *);
    static const ladder_library cusparse("libcusparse.so");
    static cusparseHandle_t handle;
    static void *workspace;
    static size_t workspace_bytes;
    if (!handle) cusparse.call<create_call>("cusparseCreate")(&handle);
    const bool single = sizeof(T) == sizeof(float);
    const char *const ask =
        single ? "cusparseSgtsv2StridedBatch_bufferSizeExt"
               : "cusparseDgtsv2StridedBatch_bufferSizeExt";
    const char *const solve = single ? "cusparseSgtsv2StridedBatch"
                                     : "cusparseDgtsv2StridedBatch";
    const int count = (int)(s.rows / ROWS);
    size_t bytes = 0;
    CUDA_CHECK(cudaMemcpyAsync(x, s.d, s.rows * sizeof(T),
                               cudaMemcpyDeviceToDevice));
    cusparseStatus_t status = cusparse.call<size_call>(ask)(
        handle, ROWS, s.a, s.b, s.c, x, count, ROWS, &bytes);
    if (bytes > workspace_bytes) {
        CUDA_CHECK(cudaFree(workspace));
        CUDA_CHECK(cudaMalloc(&workspace, workspace_bytes = bytes));
    }
    if (status == CUSPARSE_STATUS_SUCCESS)
        status = cusparse.call<solve_call>(solve)(
            handle, ROWS, s.a, s.b, s.c, x, count, ROWS, workspace);
    if (status != CUSPARSE_STATUS_SUCCESS)
        throw std::runtime_error("cuSPARSE failed");
}
#else
template <class T> static void cusparse_solve(systems<T>, T *) {
    throw ladder_absent("this build had no cusparse.h");
}
#endif

/* Exercises
 *
 * 1. Solve four equations by cyclic reduction on paper. How many divisions
 *    does it take? How many does Thomas's algorithm take?
 * 2. `weft ladder tridiagonal` shows the accesses to shared memory of
 *    `cyclic`. Find the formula. If the first five levels were done in
 *    registers, as in `warp`, which part of the accesses would remain?
 * 3. Let b be 2 and a and c be -1, in systems of a thousand rows. How does
 *    the error of x change? How does the residual change?
 * 4. Use interleaved systems in `one-thread`. What changes in the kernel?
 *    What changes in the numbers of the executor?
 * 5. Start `known-answers` from x[i] = sin(pi (i + 1) / 129). By what
 *    factor does one step multiply it?
 */

/* Climbing the rungs. */

/* Checks that the residuals of the equations are small. */
template <class T>
static std::string solves(systems<T> s, const std::vector<T> &x) {
    double most = 0, of_a = 0, of_x = 0;
    for (size_t i = 0; i < s.rows; i++) {
        const size_t first = i / s.length * s.length;
        const size_t end = std::min(first + s.length, s.rows);
        const double a = i > first ? s.a[i] : 0;
        const double c = i + 1 < end ? s.c[i] : 0, b = s.b[i];
        const double left = s.d[i] - b * x[i] -
                            (i > first ? a * x[i - 1] : 0) -
                            (i + 1 < end ? c * x[i + 1] : 0);
        if (!isfinite(left)) return "a value is not finite";
        most = std::max(most, fabs(left));
        of_a = std::max(of_a, fabs(a) + fabs(b) + fabs(c));
        of_x = std::max(of_x, fabs((double)x[i]));
    }
    const double unit = std::numeric_limits<T>::epsilon() * of_a * of_x;
    return most <= 8 * log2((double)s.length) * unit
               ? ""
               : "the residual is too large";
}

/* Runs the rung cusparse: `here` is on the host, `there` on the device. */
template <class T>
static void climb_cusparse(climb &c, systems<T> here, systems<T> there,
                           T *x) {
    std::vector<T> a(here.a, here.a + here.rows);
    std::vector<T> above(here.c, here.c + here.rows);
    for (size_t first = 0; first < here.rows; first += ROWS)
        a[first] = above[first + ROWS - 1] = 0;
    there.a = c.input(a), there.c = c.input(above);
    const ladder_claim solved = [&] {
        std::vector<T> got(here.rows);
        c.fetch(got.data(), x, got.size() * sizeof got[0]);
        return solves(here, got);
    };
    c.rung("cusparse", solved, [=] { cusparse_solve(there, x); },
           {.gpu_only = true});
}

template <class T> static void climb_as(climb &c) {
    const size_t rows = c.n * ROWS;
    const std::vector<T> a = ladder_values<T>(rows, 1);
    const std::vector<T> above = ladder_values<T>(rows, 2);
    const std::vector<T> d = ladder_values<T>(rows, 3);
    std::vector<T> b = ladder_values<T>(rows, 4);
    for (T &v : b) v += v < 0 ? (T)-2 : (T)2;
    const auto here = [&](size_t length) {
        return systems<T>{rows,     length,       a.data(),
                          b.data(), above.data(), d.data()};
    };
    const systems<T> there = {rows,       ROWS,           c.input(a),
                              c.input(b), c.input(above), c.input(d)};
    systems<T> hundreds = there, warps = there;
    hundreds.length = 100, warps.length = WARP;
    T *const x = c.output<T>(rows), *const workspace = c.output<T>(rows);
    uint64_t *const lost = c.output<uint64_t>(1);
    c.work(5.0 * (double)(rows * sizeof(T)), 8.0 * (double)rows);

    const auto is = [&](const std::vector<T> &expected, size_t length) {
        const std::string said = c.holds(x, expected);
        return said.empty() ? solves(here(length), expected) : said;
    };
    const ladder_claim by_elimination = [&] {
        std::vector<T> expected(rows), changed(rows);
        ladder_in_parts(c.n, [&](size_t i, size_t end) {
            for (; i < end; i++)
                eliminate_system(here(ROWS), i * ROWS, changed.data(),
                                 expected.data());
        });
        return is(expected, ROWS);
    };
    const auto by_levels = [&](size_t length) {
        return [&, length] {
            return is(order_of_cyclic(here(length)), length);
        };
    };
    const ladder_claim by_fours = [&] {
        return is(order_of_four_rows(here(ROWS)), ROWS);
    };

    c.rung("one-thread", by_elimination,
           [=] { one_thread(there, workspace, x); });
    c.rung("cyclic", by_levels(ROWS),
           [=] { cyclic<all_at_once>(there, x); });
    c.faulty("a-first", by_levels(ROWS),
             [=] { cyclic<a_first>(there, x); });
    c.faulty("one-barrier", by_levels(ROWS),
             [=] { one_barrier(there, x); });
    c.rung("any-length", by_levels(100), [=] { any_length(hundreds, x); });
    c.rung("warp", by_levels(WARP), [=] { warp(warps, x); });
    c.lesson("kind-data", [&] { return kind_data(c); });
    c.rung("four-rows", by_fours, [=] { four_rows(there, x); });
    c.lesson("known-answers", [&] { return known_answers(c); });

    const ladder_claim as_specified = [&] {
        std::vector<T> expected(rows);
        uint64_t none;
        c.specified(weft_solve(c.ref(), c.dtype, here(ROWS),
                               expected.data(), &none));
        const std::string said = c.holds(lost, std::vector<uint64_t>{none});
        return said.empty() ? is(expected, ROWS) : said;
    };
    c.weft("weft", as_specified, [=, &c](weft_context *ctx) {
        return weft_solve(ctx, c.dtype, there, x, lost);
    });
    climb_cusparse(c, here(ROWS), there, x);
}

void climb_tridiagonal(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
