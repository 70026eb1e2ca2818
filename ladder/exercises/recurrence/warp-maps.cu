/* Exercise warp-maps: 32 steps of a recurrence in five steps of a warp
 *
 * The elements are divided into rows of 32, and the last row may be
 * shorter. Each row is a recurrence of its own: its first value is u, and
 * v[i] = s[i] * v[i - 1] + u[i] for the others. A warp computes a row. Lane
 * k begins with the map w -> s w + u of its element. After a scan of the
 * maps, its map leads from the beginning of the row to its element. Its
 * value is the u of this map, because the value before a row is 0.
 *
 * The numbers are unsigned, have 64 bits and wrap at 2^64, so no operation
 * rounds.
 *
 * Write `then`, which returns the map that applies f first and g after it,
 * and the scan in the kernel.
 *
 * Hint: g(f(w)) = g.s * (f.s * w + f.u) + g.u. What is multiplied by w, and
 * what remains?
 *
 * Hint: `__shfl_up_sync(0xffffffff, x, d)` returns the x of the lane d
 * below. The distances are 1, 2, 4, 8 and 16. Shuffle both numbers of the
 * map.
 *
 * Hint: A lane below d has no lane d below and keeps its map. But it must
 * take part in the shuffle.
 *
 * Hint: The map of the lane below comes first: `then(below, mine)`.
 *
 * Sizes: 1 2 31 32 33 127 128 129 1000 20011; 16777216 on a GPU
 */
#include <cuda_runtime.h>

typedef unsigned long long number;
const unsigned THREADS = 128;

/* The map w -> s w + u. */
struct map {
    number s, u;
};

/* Returns the map that first applies f and then g. */
__device__ map then(map f, map g) {
    /* Blank: combine f and g */
    return {g.s * f.s, g.s * f.u + g.u};
    /* End of blank: return g; */
}

__global__ void follow_rows(size_t n, const number *s, const number *u,
                            number *v) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const unsigned lane = threadIdx.x % 32;
    /* Blank: load the map, scan the maps of the
     * warp, store the value */
    map mine = {1, 0};
    if (i < n) mine = {s[i], u[i]};
    for (unsigned d = 1; d < 32; d *= 2) {
        const map below = {__shfl_up_sync(0xffffffffu, mine.s, d),
                           __shfl_up_sync(0xffffffffu, mine.u, d)};
        if (lane >= d) mine = then(below, mine);
    }
    if (i < n) v[i] = mine.u;
    /* End of blank */
}

void solve(size_t n, const number *s, const number *u, number *v) {
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    follow_rows<<<blocks, THREADS>>>(n, s, u, v);
}

/* Check */
#include "climb.h"

typedef unsigned long long number;

void solve(size_t n, const number *s, const number *u, number *v);

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
    for (size_t i = 0; i < c.n; i++)
        values[i] = (i % 32 ? factors[i] * values[i - 1] : 0) + terms[i];
    const number *const s = c.input(factors), *const u = c.input(terms);
    number *const v = c.output<number>(c.n);
    c.work(24.0 * (double)c.n, 0);
    c.rung(
        "warp-maps", [&] { return c.holds(v, values); },
        [&] { solve(c.n, s, u, v); });
}
