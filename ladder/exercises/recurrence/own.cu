/* Exercise own: v[i] = s[i] v[i - 1] + u[i], with kernels of your own
 *
 * Compute v[0] = u[0] and v[i] = s[i] * v[i - 1] + u[i] for the other i. n
 * is any number from 1 on. The numbers are unsigned, have 64 bits and wrap
 * at 2^64. So no operation rounds, and maps may be combined in every
 * grouping, but not in every order. `spare` has capacity for n + 64
 * numbers. `spare` and v contain arbitrary bytes.
 *
 * All points for traffic need kernels that read s and u at most twice and
 * write v once.
 *
 * Hint: Divide the elements into runs, for example of 64. Each run is a map
 * w -> s w + u, where w is the value before the run. One thread can compute
 * the map of a run, beginning with s = 1 and u = 0.
 *
 * Hint: The map (s, u), followed by element i, is (s[i] * s,
 * s[i] * u + u[i]).
 *
 * Hint: A second kernel goes from run to run, and replaces each map by the
 * value before its run. The value before the first run is 0.
 *
 * Hint: A third kernel computes the elements of each run, beginning with
 * the value before it. The last run may be shorter.
 *
 * Sizes: 1 2 63 64 65 127 129 1000 4097 20011; 4194304 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: kernels */
typedef unsigned long long number;
const unsigned RUN = 64, THREADS = 128;

__global__ void combine_runs(size_t n, const number *s, const number *u,
                             number *maps) {
    const size_t run = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t first = run * RUN;
    if (first >= n) return;
    number product = 1, sum = 0;
    for (size_t i = first; i < first + RUN && i < n; i++) {
        product *= s[i];
        sum = s[i] * sum + u[i];
    }
    maps[2 * run] = product;
    maps[2 * run + 1] = sum;
}

/* Replaces the product of each run by the value before the run. */
__global__ void follow_runs(size_t runs, number *maps) {
    number before = 0;
    for (size_t run = 0; run < runs; run++) {
        const number product = maps[2 * run], sum = maps[2 * run + 1];
        maps[2 * run] = before;
        before = product * before + sum;
    }
}

__global__ void follow_in_runs(size_t n, const number *s, const number *u,
                               const number *maps, number *v) {
    const size_t run = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t first = run * RUN;
    if (first >= n) return;
    number w = maps[2 * run];
    for (size_t i = first; i < first + RUN && i < n; i++)
        v[i] = w = s[i] * w + u[i];
}
/* End of blank */

void solve(size_t n, const unsigned long long *s,
           const unsigned long long *u, unsigned long long *v,
           unsigned long long *spare) {
    /* Blank: their launches */
    const size_t runs = (n + RUN - 1) / RUN;
    const unsigned blocks = (unsigned)((runs + THREADS - 1) / THREADS);
    combine_runs<<<blocks, THREADS>>>(n, s, u, spare);
    follow_runs<<<1, 1>>>(runs, spare);
    follow_in_runs<<<blocks, THREADS>>>(n, s, u, spare, v);
    /* End of blank */
}

/* Check */
#include "climb.h"

typedef unsigned long long number;

void solve(size_t n, const number *s, const number *u, number *v,
           number *spare);

/* Returns numbers of 64 bits. With `odd`, products of them do not lose
 * their upper bits. */
static std::vector<number> wide_numbers(size_t n, unsigned seed, bool odd) {
    std::vector<number> wide;
    for (const unsigned v : ladder_values<unsigned>(n, seed))
        wide.push_back(v * 0x9e3779b97f4a7c15u | odd);
    return wide;
}

void check_exercise(climb &c) {
    const std::vector<number> factors = wide_numbers(c.n, c.seed, true);
    const std::vector<number> terms =
        wide_numbers(c.n, c.seed + 100, false);
    std::vector<number> values(c.n);
    number w = 0;
    for (size_t i = 0; i < c.n; i++)
        values[i] = w = factors[i] * w + terms[i];
    const number *const s = c.input(factors), *const u = c.input(terms);
    number *const v = c.output<number>(c.n);
    number *const spare = c.output<number>(c.n + 64);
    /* s and u twice, v once; and for 64 elements, six
     * words of their map. */
    c.work(40.0 * (double)c.n + 48.0 * (double)blocks_for<size_t>(c.n, 64),
           0);
    c.rung(
        "own", [&] { return c.holds(v, values); },
        [&] { solve(c.n, s, u, v, spare); });
}
