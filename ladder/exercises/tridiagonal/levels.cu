/* Exercise levels: parallel cyclic reduction of a system in a block
 *
 * The rows are divided into systems of 64, and the last system may be
 * shorter. A block of 64 threads solves one, with a thread for each row.
 * The equation of a thread is a x[-] + x + c x[+] = d: the kernel has
 * already divided it by its b, and a missing neighbour has a factor of 0.
 *
 * At each level, the equation takes those at the distance `by` below and
 * above, and eliminates their unknowns. After that its neighbours are
 * 2 * by away. The distances are 1, 2, 4, ... A neighbour that does not
 * exist has the equation 0 = 0, with a, c and d equal to 0. If by is not
 * less than the length, no neighbour is left, and d is the unknown.
 *
 * With "-" for the equation below and "+" for that above, all from the
 * previous level:
 *
 *     r = 1 / ((1 - a * c-) - c * a+)
 *     d = ((d - a * d-) - c * d+) * r
 *     a = -(a * a-) * r
 *     c = -(c * c+) * r
 *
 * The results are compared bit for bit. Each operation is rounded: use no
 * fmaf.
 *
 * Hint: A level has four parts: store the own equation in shared memory,
 * wait, read the two others, wait. Without the second barrier, a fast warp
 * stores the equations of the next level while another still reads.
 *
 * Hint: d needs the old a and the old c. Compute it before you change them,
 * or use new names.
 *
 * Hint: Thread t has a neighbour below if t >= by, and one above if
 * t + by < length. Threads after the end of a short system have the
 * equation 0 = 0. They must reach the barriers.
 *
 * Sizes: 1 2 3 31 33 63 64 65 127 128 129 1000 10007; 16777216 on a GPU
 */
#include <cuda_runtime.h>

const unsigned ROWS = 64;

/* a x[-] + x + c x[+] = d */
struct equation {
    float a, c, d;
};

/* Returns `mine` after the elimination of its two neighbours. */
__device__ equation eliminate(equation below, equation mine,
                              equation above) {
    /* Blank: one level for one equation */
    const float r = 1 / ((1 - mine.a * below.c) - mine.c * above.a);
    return {-(mine.a * below.a) * r, -(mine.c * above.c) * r,
            ((mine.d - mine.a * below.d) - mine.c * above.d) * r};
    /* End of blank: return mine; */
}

__global__ void solve_systems(size_t n, const float *a, const float *b,
                              const float *c, const float *d, float *x) {
    __shared__ equation all[ROWS];
    const size_t first = (size_t)blockIdx.x * ROWS, i = first + threadIdx.x;
    const unsigned t = threadIdx.x;
    const unsigned length = n - first < ROWS ? (unsigned)(n - first) : ROWS;
    equation mine = {0, 0, 0};
    if (t < length) {
        const float own = b[i];
        mine = {t == 0 ? 0 : a[i] / own, t + 1 == length ? 0 : c[i] / own,
                d[i] / own};
    }
    /* Blank: all levels */
    for (unsigned by = 1; by < length; by *= 2) {
        all[t] = mine;
        __syncthreads();
        equation below = {0, 0, 0}, above = {0, 0, 0};
        if (t >= by) below = all[t - by];
        if (t + by < length) above = all[t + by];
        mine = eliminate(below, mine, above);
        __syncthreads();
    }
    /* End of blank */
    if (t < length) x[i] = mine.d;
}

void solve(size_t n, const float *a, const float *b, const float *c,
           const float *d, float *x) {
    const unsigned blocks = (unsigned)((n + ROWS - 1) / ROWS);
    solve_systems<<<blocks, ROWS>>>(n, a, b, c, d, x);
}

/* Check */
#include "climb.h"

#include <algorithm>

void solve(size_t n, const float *a, const float *b, const float *c,
           const float *d, float *x);

/* a x[-] + x + c x[+] = d */
struct row {
    float a, c, d;
};

/* Reduces the rows of a system until each has one unknown. */
static void reduce(std::vector<row> &e) {
    for (size_t by = 1; by < e.size(); by *= 2) {
        const std::vector<row> old(e);
        for (size_t t = 0; t < e.size(); t++) {
            const row none = {0, 0, 0}, low = t >= by ? old[t - by] : none;
            const row high = t + by < e.size() ? old[t + by] : none;
            const row own = old[t];
            const float r = 1 / ((1 - own.a * low.c) - own.c * high.a);
            e[t] = {-(own.a * low.a) * r, -(own.c * high.c) * r,
                    ((own.d - own.a * low.d) - own.c * high.d) * r};
        }
    }
}

void check_exercise(climb &k) {
    const std::vector<float> left = ladder_values<float>(k.n, k.seed);
    const std::vector<float> right =
        ladder_values<float>(k.n, k.seed + 100);
    const std::vector<float> values =
        ladder_values<float>(k.n, k.seed + 200);
    std::vector<float> diagonal = ladder_values<float>(k.n, k.seed + 300);
    std::vector<float> solution;
    /* Greater than the sum of the others */
    for (float &v : diagonal) v += 3.5f;
    for (size_t first = 0; first < k.n; first += 64) {
        std::vector<row> e(std::min<size_t>(k.n - first, 64));
        for (size_t t = 0; t < e.size(); t++) {
            const size_t i = first + t;
            e[t] = {t == 0 ? 0 : left[i] / diagonal[i],
                    t + 1 == e.size() ? 0 : right[i] / diagonal[i],
                    values[i] / diagonal[i]};
        }
        reduce(e);
        for (const row &one : e) solution.push_back(one.d);
    }
    const float *const a = k.input(left), *const b = k.input(diagonal);
    const float *const c = k.input(right), *const d = k.input(values);
    float *const x = k.output<float>(k.n);
    k.work(20.0 * (double)k.n, 14.0 * 6 * (double)k.n);
    k.rung(
        "levels", [&] { return k.holds(x, solution); },
        [&] { solve(k.n, a, b, c, d, x); });
}
